//! The page: a frame with the document and what draws it.

use serde_json::Value;

const FRAME: &str = include_str!("../assets/page.html");
const STYLE: &str = include_str!("../assets/style.css");
const LIBRARY: &str = include_str!("../assets/echarts.min.js");

/// The scripts, in the order they depend on each other.
const SCRIPTS: &[&str] = &[
    include_str!("../assets/format.js"),
    include_str!("../assets/elements.js"),
    include_str!("../assets/theme.js"),
    include_str!("../assets/charts.js"),
    include_str!("../assets/marks.js"),
    include_str!("../assets/statistics.js"),
    include_str!("../assets/alerts.js"),
    include_str!("../assets/result.js"),
    include_str!("../assets/data.js"),
    include_str!("../assets/classes.js"),
    include_str!("../assets/curves.js"),
    include_str!("../assets/numbers.js"),
    include_str!("../assets/search.js"),
    include_str!("../assets/gram.js"),
    include_str!("../assets/kernel.js"),
    include_str!("../assets/drivers.js"),
    include_str!("../assets/auto.js"),
    include_str!("../assets/compare.js"),
    include_str!("../assets/ranks.js"),
    include_str!("../assets/reproduce.js"),
    include_str!("../assets/main.js"),
];

/// A run document as one HTML file that needs nothing else: no network, no other file.
///
/// Texts from data (labels, ids, names of files) are in the document alone, where every `<` is written as an escape; the script puts them into the
/// page as text. A policy in the page forbids any request.
///
/// ```
/// let document = serde_json::json!({"command": "evaluate", "data": "<b>.csv"});
/// let page = mercer_report::page(&document);
/// assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("<b>.csv"));
/// ```
pub fn page(document: &Value) -> String {
    let title = format!("mercer {}", ["command", "data"].map(|f| named(&document[f])).join(" "));
    let json = document.to_string().replace('<', "\\u003c");
    let parts = [
        ("{{title}}", escaped(title.trim())),
        ("{{style}}", STYLE.to_owned()),
        ("{{library}}", LIBRARY.to_owned()),
        ("{{script}}", SCRIPTS.join("\n")),
        ("{{document}}", json),
    ];
    // One pass: what is put in is not searched for placeholders again.
    let mut out = String::with_capacity(parts.iter().map(|p| p.1.len()).sum::<usize>() + FRAME.len());
    let mut rest = FRAME;
    while let Some((at, (mark, text))) =
        parts.iter().filter_map(|part| Some((rest.find(part.0)?, part))).min_by_key(|found| found.0)
    {
        out.push_str(&rest[..at]);
        out.push_str(text);
        rest = &rest[at + mark.len()..];
    }
    out.push_str(rest);
    out
}

/// A name or several as text; nothing for anything else.
fn named(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(all) => all.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(", "),
        _ => String::new(),
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::SCRIPTS;

    #[test]
    fn scripts_are_those_of_the_list() {
        let order: Vec<&str> = include_str!("../assets/ORDER").split_whitespace().collect();
        assert_eq!(order.len(), SCRIPTS.len());
        for (name, script) in order.iter().zip(SCRIPTS) {
            let file = format!("{}/assets/{name}", env!("CARGO_MANIFEST_DIR"));
            assert_eq!(std::fs::read_to_string(&file).unwrap(), *script, "{name}");
        }
    }

    #[test]
    fn what_a_run_says_is_text() {
        let document =
            serde_json::json!({"command": "evaluate", "data": "</script><b>{{script}}", "x": "{{style}}"});
        let page = super::page(&document);
        assert!(!page.contains("</script><b>") && page.contains("{{style}}"));
    }
}
