//! The page docs/reliability.md.

use std::collections::BTreeMap;
use std::fmt::Write;

use serde_json::Value;

use super::promises::{NOT_COVERED, PROMISES};
use super::{Line, Took, inputs};
use crate::{Outcome, machine};

/// The page for these figures.
pub(super) fn render(lines: &[Line], took: &[Took], repeated: &[String]) -> Outcome<String> {
    let mut out = String::new();
    add(&mut out, "# Reliability\n");
    add(
        &mut out,
        "What mercer promises, the tests that check it, and their measurements. `cargo xtask trust` runs them in full \
         and writes this page, which has only figures measured by it. The same tests run in a short form in \
         `cargo xtask test`.\n",
    );
    if !repeated.is_empty() {
        let parts = repeated.join(", ");
        let text = format!(
            "These parts failed or did not run at first, and were repeated after a change: {parts}.\n"
        );
        add(&mut out, &text);
    }
    let not_shown: Vec<_> = PROMISES.iter().filter(|p| !lines.iter().any(|l| l.promise == p.id)).collect();
    if !not_shown.is_empty() {
        add(&mut out, "## NOT SHOWN\n");
        add(&mut out, "No test gave figures for these promises in this run:\n");
        not_shown.iter().for_each(|p| add(&mut out, &format!("* {}: {}", p.title, flat(p.sentence))));
        add(&mut out, "");
    }
    let skipped = lines.iter().filter_map(|l| {
        let reason = l.figures.iter().find(|(name, _)| name == "skipped")?;
        Some(format!("* `{}`: {}", l.test, shown(&reason.1)))
    });
    let skipped: Vec<String> = skipped.collect();
    if !skipped.is_empty() {
        add(&mut out, "## Skipped\n");
        skipped.iter().for_each(|line| add(&mut out, line));
        add(&mut out, "");
    }
    for promise in PROMISES.iter().filter(|p| lines.iter().any(|l| l.promise == p.id)) {
        add(&mut out, &format!("## {}\n\n{}\n", promise.title, flat(promise.sentence)));
        if !promise.more.is_empty() {
            add(&mut out, &format!("{}\n", flat(promise.more)));
        }
        let own: Vec<&Line> = lines.iter().filter(|l| l.promise == promise.id).collect();
        match promise.id {
            "bad-inputs" => bad_inputs(&mut out, &own)?,
            _ => table(&mut out, &own),
        }
    }
    add(&mut out, "## Not covered\n");
    NOT_COVERED.iter().for_each(|line| add(&mut out, &format!("* {}", flat(line))));
    add(&mut out, "\n## The run\n");
    add(&mut out, &format!("{}; {}; mercer {}.", machine::describe(), rustc()?, env!("CARGO_PKG_VERSION")));
    let steps: Vec<String> = took.iter().map(|t| format!("{} {:.0} s", t.step, t.seconds)).collect();
    let minutes = took.iter().map(|t| t.seconds).sum::<f64>() / 60.0;
    add(&mut out, &format!("It took {minutes:.1} minutes: {}.", steps.join(", ")));
    Ok(out)
}

/// A row for each test, with the figures of its lines.
fn table(out: &mut String, lines: &[&Line]) {
    let mut by_test: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for line in lines.iter().filter(|l| !l.figures.iter().any(|(name, _)| name == "skipped")) {
        by_test.entry(&line.test).or_default().push(figures(line));
    }
    add(out, "| test | measured |\n|---|---|");
    for (test, told) in by_test {
        add(out, &format!("| `{test}` | {} |", told.join("<br>")));
    }
    add(out, "");
    let figures = lines.iter().flat_map(|line| &line.figures);
    for path in figures.filter(|(name, _)| name == "plot").filter_map(|(_, v)| v.as_str()) {
        if let Some(path) = path.strip_prefix("docs/") {
            add(out, &format!("![The run over time]({path})\n"));
        }
    }
}

/// The table of bad inputs with the number of variants tried.
fn bad_inputs(out: &mut String, lines: &[&Line]) -> Outcome<()> {
    let mut variants: BTreeMap<u64, u64> = BTreeMap::new();
    for line in lines {
        let number =
            |key: &str| line.figures.iter().find(|(name, _)| name == key).and_then(|(_, v)| v.as_u64());
        if let (Some(row), Some(tried)) = (number("row"), number("variants")) {
            *variants.entry(row).or_default() += tried;
        }
    }
    let all = inputs::ROWS.len();
    let seen = inputs::ROWS.iter().filter(|row| variants.contains_key(&row.number)).count();
    if let Some(other) = variants.keys().find(|n| !inputs::ROWS.iter().any(|row| row.number == **n)) {
        return Err(format!("a test of row {other}, which is not on the list of bad inputs"));
    }
    let total: u64 = variants.values().sum();
    add(out, &format!("{seen} of {all} rows were tried, in {total} variants. {}\n", inputs::PEERS));
    add(out, "| # | input | result | others | variants |\n|---:|---|---|---|---:|");
    for row in &inputs::ROWS {
        let tried = variants.get(&row.number).map_or_else(|| "NOT SHOWN".to_owned(), u64::to_string);
        add(out, &format!("| {} | {} | {} | {} | {tried} |", row.number, row.input, row.gets, row.others));
    }
    add(out, "");
    Ok(())
}

/// Figures as text.
pub(super) fn figures(line: &Line) -> String {
    let each = line.figures.iter().map(|(name, value)| format!("{name}: {}", shown(value)));
    each.collect::<Vec<_>>().join("; ")
}

fn shown(value: &Value) -> String {
    let text = match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(v) if v.fract() != 0.0 && v.abs() < 1e-3 => format!("{v:.2e}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    };
    text.replace('|', "\\|")
}

fn rustc() -> Outcome<String> {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    machine::output(std::process::Command::new(rustc).arg("--version"))
}

/// Joins the lines of a sentence: the source wraps it, the page does not.
fn flat(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn add(out: &mut String, line: &str) {
    let _ = writeln!(out, "{line}");
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::promises::check;
    use super::*;

    fn line(promise: &str, test: &str, figures: Value) -> Line {
        let figures = figures.as_object().cloned().unwrap_or_default().into_iter().collect();
        Line { promise: promise.to_owned(), test: test.to_owned(), figures }
    }

    #[test]
    fn figures_are_on_the_page_and_missing_ones_come_first() {
        let lines = [
            line("bad-inputs", "a", json!({"row": 2, "variants": 3})),
            line("bad-inputs", "b", json!({"row": 2, "variants": 4})),
            line("kill", "kills", json!({"kills": 200, "share": 0.00012})),
            line("full-disk", "disks", json!({"skipped": "only root may"})),
        ];
        assert!(check(&lines).is_ok());
        let page = render(&lines, &[Took { step: "tests".into(), seconds: 90.0 }], &[]).unwrap_or_default();
        let at = |text: &str| page.find(text).unwrap_or_else(|| panic!("{text} is not on the page:\n{page}"));
        assert!(at("## NOT SHOWN") < at("* Ctrl-C: ") && at("* Ctrl-C: ") < at("## Bad inputs"));
        assert!(at("* `disks`: only root may") < at("## Bad inputs"));
        at("1 of 83 rows were tried, in 7 variants.");
        at("| 2 | empty file | `E_EMPTY` |");
        at("| `kills` | kills: 200; share: 1.20e-4 |");
        at("| NOT SHOWN |");
        at("It took 1.5 minutes: tests 90 s.");
    }

    #[test]
    fn unknown_figures_are_refused() {
        assert!(check(&[line("speed", "t", json!({}))]).is_err_and(|e| e.contains("speed")));
        let row = [line("bad-inputs", "t", json!({"row": 66, "variants": 1}))];
        assert!(render(&row, &[], &[]).is_err_and(|e| e.contains("row 66")));
    }
}
