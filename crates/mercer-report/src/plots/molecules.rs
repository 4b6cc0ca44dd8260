//! Molecules of a run on one sheet: explained predictions, and activity cliffs.

use std::fmt::Write as _;

use serde_json::Value;

use super::short;
use crate::document::{list, text};

/// The width and height of a cell, without its caption.
const CELL: (f64, f64) = (210.0, 150.0);
/// The height of two lines of caption.
const CAPTION: f64 = 46.0;

/// The sheets of a run's figures: their names, and the SVG.
pub(super) fn sheets(figures: &Value) -> Vec<(&'static str, String)> {
    let object = |o: &Value| {
        let said = match o["class"].as_str() {
            Some(class) => format!("predicted {class}, is {}", text(&o["truth"])),
            None => format!("predicted {}, is {}", number(&o["value"]), number(&o["truth"])),
        };
        Some((o["molecule"].as_str()?.to_owned(), text(&o["id"]), said))
    };
    let explained: Vec<_> = list(&figures["drivers"]["objects"]).iter().filter_map(object).collect();
    let side = |pair: &Value, m: &Value| {
        let said = format!("{}; similarity {}", number(&m["target"]), number(&pair["similarity"]));
        Some((m["svg"].as_str()?.to_owned(), text(&m["id"]), said))
    };
    let pairs = list(&figures["cliffs"]["pairs"]).iter().take(4);
    let pairs = pairs.flat_map(|pair| list(&pair["molecules"]).iter().filter_map(move |m| side(pair, m)));
    let cliffs: Vec<_> = pairs.collect();
    let sheets = [("molecules", explained, 3), ("cliffs", cliffs, 2)];
    sheets.into_iter().filter_map(|(name, cells, columns)| Some((name, sheet(&cells, columns)?))).collect()
}

/// A number with few digits; other values as text.
fn number(value: &Value) -> String {
    let known = value.as_f64().or_else(|| value.as_str().and_then(|t| t.parse().ok()));
    known.map_or_else(|| text(value), |v: f64| format!("{v:.3}"))
}

/// Drawings with captions, in rows.
fn sheet(cells: &[(String, String, String)], columns: usize) -> Option<String> {
    let drawn: Vec<_> = cells.iter().filter_map(|c| Some((frame(&c.0)?, c))).collect();
    if drawn.is_empty() {
        return None;
    }
    let (width, step) = (columns as f64 * CELL.0, CELL.1 + CAPTION);
    let height = drawn.len().div_ceil(columns) as f64 * step;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         color=\"#1c2733\"><rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
    );
    for (at, ((view, inside), (_, id, said))) in drawn.into_iter().enumerate() {
        let (x, y) = ((at % columns) as f64 * CELL.0, (at / columns) as f64 * step);
        // Small molecules are not drawn larger than others.
        let size =
            |k: usize| view.split(' ').nth(k).and_then(|n| n.parse::<f64>().ok()).unwrap_or(1.0).max(1.0);
        let scale = ((CELL.0 - 16.0) / size(2)).min((CELL.1 - 8.0) / size(3)).min(1.0);
        let (wide, high) = (scale * size(2), scale * size(3));
        let _ = write!(
            svg,
            "<svg x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" viewBox=\"{view}\">{inside}</svg>",
            x + (CELL.0 - wide) / 2.0,
            y + 8.0 + (CELL.1 - 8.0 - high) / 2.0,
            wide,
            high
        );
        for (line, words) in [id, said].into_iter().enumerate() {
            let _ = write!(
                svg,
                "<text x=\"{}\" y=\"{}\" font-family=\"Arial, Helvetica, sans-serif\" font-size=\"12\" text-anchor=\"middle\" \
                 fill=\"#1c2733\">{}</text>",
                x + CELL.0 / 2.0,
                y + CELL.1 + 16.0 + 16.0 * line as f64,
                escaped(&short(words, 32))
            );
        }
    }
    svg.push_str("</svg>");
    Some(svg)
}

/// The view box of a drawing and what is inside; `None` for anything but a drawing of a molecule, which has no scripts,
/// links or styles.
fn frame(svg: &str) -> Option<(&str, &str)> {
    let end = svg.find('>')?;
    let (open, inside) = (&svg[..end], svg[end + 1..].strip_suffix("</svg>")?);
    let view = open.split("viewBox=\"").nth(1)?.split('"').next()?;
    let numbers = view.split(' ').filter(|n| n.parse::<f64>().is_ok_and(f64::is_finite)).count();
    let known = ["g", "path", "circle", "text", "title", "rect"];
    let is_known = |tag: &str| {
        let name: String =
            tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        let attributes = tag.split('>').next().unwrap_or_default().to_ascii_lowercase();
        known.contains(&name.as_str())
            && ![" on", "href", "style", "url(", "script"].iter().any(|bad| attributes.contains(bad))
    };
    let fits = svg.starts_with("<svg ") && numbers == 4 && inside.split('<').skip(1).all(is_known);
    (fits && !inside.contains("&#") && view.split(' ').count() == 4).then_some((view, inside))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::sheets;

    #[test]
    fn drawings_are_put_on_sheets_and_scripts_are_not() {
        let good =
            "<svg class=\"molecule\" viewBox=\"0 0 60 40\"><title>C</title><path d=\"M0 0L1 1\"/></svg>";
        let object =
            |svg: &str| json!({"id": "a<b", "class": null, "value": 1.23456, "truth": "2", "molecule": svg});
        let made = sheets(&json!({"drivers": {"objects": [object(good), object(good)]}}));
        assert_eq!(made.len(), 1);
        assert!(
            made[0].1.contains("a&lt;b") && made[0].1.contains("predicted 1.235, is 2.000"),
            "{}",
            made[0].1
        );
        assert_eq!(made[0].1.matches("viewBox=\"0 0 60 40\"").count(), 2);
        for bad in [
            "<svg viewBox=\"0 0 1 1\"><script>1</script></svg>",
            "<svg viewBox=\"0 0 1 1\"><path onclick=\"x\"/></svg>",
            "<svg viewBox=\"0 0 1\"><path/></svg>",
            "<svg viewBox=\"0 0 1 1\"><rect fill=\"url(x)\"/></svg>",
            "<b>",
        ] {
            assert!(sheets(&json!({"drivers": {"objects": [object(bad)]}})).is_empty(), "{bad}");
        }
        let pair = json!({"similarity": 0.8, "molecules": [{"id": "x", "target": "yes", "svg": good}, {"id": "y", "target": "no", "svg": good}]});
        assert_eq!(sheets(&json!({"cliffs": {"pairs": [pair]}}))[0].0, "cliffs");
    }
}
