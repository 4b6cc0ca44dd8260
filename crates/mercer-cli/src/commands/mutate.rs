//! `mercer predict --mutate`: every string that differs in one symbol, as a table and as images.

use std::fmt::Write as _;
use std::io::Write;
use std::path::Path;

use mercer::Result;
use mercer::data::Dataset;
use mercer::gram::Engine;
use mercer::model::{Model, Substitutions};
use serde_json::{Value, json};

use super::{in_file, quoted, write_file};
use crate::console::Console;

/// The substitutions of all objects, with progress.
pub(super) fn all(model: &Model, data: &Dataset, path: &Path, engine: &Engine) -> Result<Vec<Substitutions>> {
    engine.progress().begin("substitutions", data.len() as u64);
    let one = |i: usize| {
        let found = model.substitutions(data, i, engine).map_err(|e| in_file(path, e));
        engine.progress().advance(1);
        found
    };
    let found = (0..data.len()).map(one).collect();
    engine.progress().end();
    found
}

/// A line for each position and symbol: object, position from 1, both symbols, value and change.
pub(super) fn write_table(
    out: &mut dyn Write,
    id: &str,
    data: &Dataset,
    all: &[Substitutions],
) -> std::io::Result<()> {
    let first = if data.ids().is_some() { id } else { "object" };
    writeln!(out, "{},position,from,to,value,change", quoted(first))?;
    for (i, found) in all.iter().enumerate() {
        let name = name(data, i);
        for (position, row) in found.changes.iter().enumerate() {
            let from = found.symbols[position];
            for (to, change) in
                found.alphabet.iter().zip(row).filter(|(to, _)| !to.eq_ignore_ascii_case(&from))
            {
                let (place, value) = (position + 1, found.value + change);
                let symbols = [from, *to].map(|c| quoted(&c.to_string()));
                writeln!(out, "{},{place},{},{},{value},{change}", quoted(&name), symbols[0], symbols[1])?;
            }
        }
    }
    Ok(())
}

fn name(data: &Dataset, i: usize) -> String {
    data.ids().and_then(|ids| ids.get(i).cloned()).unwrap_or_else(|| (i + 1).to_string())
}

/// The largest changes of each object, a line each.
pub(super) fn summary(data: &Dataset, all: &[Substitutions], console: &Console) -> Result<()> {
    for (i, found) in all.iter().enumerate().take(10) {
        let largest = found.largest(3).into_iter().map(|(position, to, change)| {
            format!("{}{}{to} {change:+.3}", found.symbols[position], position + 1)
        });
        let largest: Vec<String> = largest.collect();
        console.line(format!(
            "{}: {} {:.4}; {}",
            name(data, i),
            found.meaning,
            found.value,
            largest.join(", ")
        ))?;
    }
    if all.len() > 10 {
        console.line(format!("… and {} more objects", all.len() - 10))?;
    }
    Ok(())
}

/// What the values and their changes mean.
pub(super) fn legend(found: &Substitutions) -> String {
    match found.meaning.split_once('|') {
        Some((below, above)) => format!(
            "value: the decision value {}, above 0 for {above}; a positive change favours {above}, a negative one {below}",
            found.meaning
        ),
        None => format!("value: {}", found.meaning),
    }
}

/// What the colours of an image mean.
fn colours(found: &Substitutions) -> String {
    match found.meaning.split_once('|') {
        Some((below, above)) => format!("orange: towards {above}; blue: towards {below}"),
        None => "orange: higher; blue: lower".into(),
    }
}

/// All of it as JSON.
pub(super) fn document(data: &Dataset, all: &[Substitutions]) -> Value {
    let one = |(i, found): (usize, &Substitutions)| {
        json!({
            "object": name(data, i), "column": found.column, "meaning": found.meaning, "value": found.value,
            "symbols": found.symbols.iter().collect::<String>(),
            "alphabet": found.alphabet.iter().collect::<String>(), "changes": found.changes,
        })
    };
    json!({"substitutions": all.iter().enumerate().map(one).collect::<Vec<_>>()})
}

/// An image of each object in a folder, named by its number from 1.
pub(super) fn write_images(folder: &Path, data: &Dataset, all: &[Substitutions]) -> Result<usize> {
    std::fs::create_dir_all(folder).map_err(|source| mercer::Error::Io {
        path: folder.to_owned(),
        code: mercer::Code::IoWrite,
        source,
    })?;
    for (i, found) in all.iter().enumerate() {
        let text = image(&name(data, i), found);
        write_file(&folder.join(format!("{}.svg", i + 1)), |out| out.write_all(text.as_bytes()))?;
    }
    Ok(all.len())
}

/// Positions in a row of the image.
const PER_ROW: usize = 60;
/// The side of a cell in pixels.
const CELL: usize = 14;
/// The space for two lines of text above the cells.
const HEAD: usize = 3 * CELL;
/// The width of a character.
const CHARACTER: usize = 7;

/// A heat map: a column for each position, a row for each symbol; orange raises the value, blue lowers it, and a dot marks
/// the symbol that is there.
fn image(title: &str, found: &Substitutions) -> String {
    let largest = found.changes.iter().flatten().fold(0.0f64, |m, v| m.max(v.abs()));
    let (rows, symbols) = (found.symbols.len().div_ceil(PER_ROW), found.alphabet.len());
    // A band is the string itself, a row for each symbol, positions below, and a gap.
    let band = (symbols + 3) * CELL;
    let heading = format!("{title}: {} {:.4}; strongest change {largest:.4}", found.meaning, found.value);
    let colours = colours(found);
    let text = CHARACTER * heading.chars().count().max(colours.chars().count());
    let width = (2 * CELL + found.symbols.len().min(PER_ROW) * CELL + CELL).max(text + 2 * CELL);
    let height = HEAD + rows * band + CELL;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\" \
         font-family=\"monospace\" font-size=\"11\" text-anchor=\"middle\" role=\"img\">\
         <title>{}</title><rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\
         <text x=\"{CELL}\" y=\"{CELL}\" text-anchor=\"start\">{}</text>\
         <text x=\"{CELL}\" y=\"{}\" text-anchor=\"start\" fill=\"#555555\">{}</text>",
        escaped(title),
        escaped(&heading),
        2 * CELL,
        escaped(&colours)
    );
    for (position, row) in found.changes.iter().enumerate() {
        let left = 2 * CELL + position % PER_ROW * CELL;
        let top = HEAD + position / PER_ROW * band;
        let (middle, own) = (left + CELL / 2, found.symbols[position]);
        if position % PER_ROW == 0 {
            for (at, symbol) in found.alphabet.iter().enumerate() {
                let y = top + (at + 2) * CELL - 3;
                let _ = write!(
                    out,
                    "<text x=\"{}\" y=\"{y}\" fill=\"#555555\">{}</text>",
                    CELL,
                    escaped(&symbol.to_string())
                );
            }
        }
        let _ =
            write!(out, "<text x=\"{middle}\" y=\"{}\">{}</text>", top + CELL - 3, escaped(&own.to_string()));
        for (at, (symbol, change)) in found.alphabet.iter().zip(row).enumerate() {
            let y = top + (at + 1) * CELL;
            if symbol.eq_ignore_ascii_case(&own) {
                let _ =
                    write!(out, "<circle cx=\"{middle}\" cy=\"{}\" r=\"2\" fill=\"#999999\"/>", y + CELL / 2);
                continue;
            }
            let strength = if largest > 0.0 { change.abs() / largest } else { 0.0 };
            let hue = if *change > 0.0 { "#d55e00" } else { "#0072b2" };
            let _ = write!(
                out,
                "<rect x=\"{left}\" y=\"{y}\" width=\"{CELL}\" height=\"{CELL}\" fill=\"{hue}\" fill-opacity=\"{strength:.3}\">\
                 <title>{}{}{}: {change:+.4}</title></rect>",
                escaped(&own.to_string()),
                position + 1,
                escaped(&symbol.to_string())
            );
        }
        if (position + 1) % 10 == 0 {
            let y = top + (symbols + 2) * CELL - 2;
            let _ = write!(out, "<text x=\"{middle}\" y=\"{y}\" fill=\"#555555\">{}</text>", position + 1);
        }
    }
    out.push_str("</svg>\n");
    out
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_has_a_cell_for_every_change() {
        let found = Substitutions {
            column: "dna".into(),
            meaning: "a|b".into(),
            value: 0.5,
            symbols: "ac".chars().collect(),
            alphabet: "ACGT".chars().collect(),
            changes: vec![vec![0.0, 1.0, -2.0, 0.5], vec![0.25, 0.0, 0.0, 0.0]],
        };
        let text = image("<x>", &found);
        // The background, and three changes at each position.
        assert_eq!(text.matches("<rect").count(), 1 + 6);
        assert!(text.contains("&lt;x&gt;: a|b 0.5000; strongest change 2.0000"), "{text}");
        assert!(text.contains("a1G: -2.0000") && text.contains("fill-opacity=\"1.000\""), "{text}");
        assert_eq!(text.matches("<circle").count(), 2);
        assert!(text.contains("orange: towards b; blue: towards a"), "{text}");
        assert!(legend(&found).contains("above 0 for b"), "{}", legend(&found));
        // Text fits into an image of two positions.
        let width: usize =
            text.split(" width=\"").nth(1).unwrap().split('"').next().unwrap().parse().unwrap();
        assert!(width >= 7 * "<x>: a|b 0.5000; strongest change 2.0000".len(), "{width}");
    }
}
