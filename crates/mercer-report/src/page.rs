//! The HTML page: a template with the document and the scripts that draw it.

use serde_json::Value;

const FRAME: &str = include_str!("../assets/page.html");
const STYLE: &str = include_str!("../assets/style.css");
const LIBRARY: &str = include_str!("../assets/echarts.min.js");

/// The scripts, in order of their dependencies.
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
    include_str!("../assets/molecules.js"),
    include_str!("../assets/sure.js"),
    include_str!("../assets/drivers.js"),
    include_str!("../assets/explained.js"),
    include_str!("../assets/auto.js"),
    include_str!("../assets/compare.js"),
    include_str!("../assets/ranks.js"),
    include_str!("../assets/reproduce.js"),
    include_str!("../assets/main.js"),
];

/// Renders a run document as one HTML file that needs no network and no other files.
///
/// Texts from data (labels, ids, file names) occur only in the document, where every `<` is escaped; the script inserts
/// them into the page as text. A content security policy in the page forbids all requests.
///
/// ```
/// let document = serde_json::json!({"command": "evaluate", "data": "<b>.csv"});
/// let page = mercer_report::page(&document, |_| None);
/// assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("<b>.csv"));
/// ```
///
/// `brief` gives a shorter form of a kernel, without parameters at their defaults; the page shows it, and the whole
/// kernel as a tooltip.
pub fn page(document: &Value, brief: impl Fn(&str) -> Option<String>) -> String {
    let mut briefs = serde_json::Map::new();
    abbreviate(document, &brief, &mut briefs);
    let mut document = document.clone();
    if let (Some(fields), false) = (document.as_object_mut(), briefs.is_empty()) {
        fields.insert("brief".into(), Value::Object(briefs));
    }
    let title = format!("mercer {}", ["command", "data"].map(|f| named(&document[f])).join(" "));
    let json = document.to_string().replace('<', "\\u003c");
    let parts = [
        ("{{title}}", escaped(title.trim())),
        ("{{style}}", STYLE.to_owned()),
        ("{{library}}", LIBRARY.to_owned()),
        ("{{script}}", SCRIPTS.join("\n")),
        ("{{document}}", json),
    ];
    // One pass: inserted text is not searched for placeholders again.
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

/// Collects the short forms of all kernels in a document that have one.
fn abbreviate(
    value: &Value,
    brief: &impl Fn(&str) -> Option<String>,
    found: &mut serde_json::Map<String, Value>,
) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::String(kernel) if name == "kernel" => {
                        if !found.contains_key(kernel)
                            && let Some(short) = brief(kernel).filter(|short| short != kernel)
                        {
                            found.insert(kernel.clone(), short.into());
                        }
                    }
                    _ => abbreviate(value, brief, found),
                }
            }
        }
        Value::Array(all) => all.iter().for_each(|value| abbreviate(value, brief, found)),
        _ => {}
    }
}

/// One or several names as text; empty for anything else.
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
    fn scripts_match_the_order_file() {
        let order: Vec<&str> = include_str!("../assets/ORDER").split_whitespace().collect();
        assert_eq!(order.len(), SCRIPTS.len());
        for (name, script) in order.iter().zip(SCRIPTS) {
            let file = format!("{}/assets/{name}", env!("CARGO_MANIFEST_DIR"));
            assert_eq!(std::fs::read_to_string(&file).unwrap(), *script, "{name}");
        }
    }

    #[test]
    fn strings_of_a_run_are_escaped() {
        let document =
            serde_json::json!({"command": "evaluate", "data": "</script><b>{{script}}", "x": "{{style}}"});
        let page = super::page(&document, |_| None);
        assert!(!page.contains("</script><b>") && page.contains("{{style}}"));
    }

    #[test]
    fn kernels_have_short_forms() {
        let document =
            serde_json::json!({"tried": [{"kernel": "k(a=1)", "data": "k(a=1)"}, {"kernel": "j"}]});
        let page = super::page(&document, |kernel| kernel.split('(').next().map(str::to_owned));
        assert!(page.contains(r#""brief":{"k(a=1)":"k"}"#));
        assert!(!super::page(&document, |_| None).contains(r#""brief":"#));
    }
}
