//! Tables of reports, for terminals, in Markdown and as JSON.

use serde_json::{Value, json};

/// Rows of text under a heading; the first two columns are names.
pub(super) struct Sheet {
    pub(super) title: String,
    pub(super) rows: Vec<Vec<String>>,
}

impl Sheet {
    /// Lines of equal width: names to the left, numbers to the right.
    pub(super) fn lines(&self, between: &str, before: &str, after: &str, ruled: bool) -> String {
        let columns = self.rows.first().map_or(0, Vec::len);
        let width = |c: usize| self.rows.iter().map(|r| r[c].chars().count()).max().unwrap_or(0).max(3);
        let widths: Vec<usize> = (0..columns).map(width).collect();
        let mut out = String::new();
        for (number, row) in self.rows.iter().enumerate() {
            let cell = |(c, text): (usize, &String)| {
                let space = " ".repeat(widths[c] - text.chars().count());
                if c < 2 { format!("{text}{space}") } else { format!("{space}{text}") }
            };
            let cells: Vec<String> = row.iter().enumerate().map(cell).collect();
            out += format!("{before}{}{after}", cells.join(between)).trim_end();
            out.push('\n');
            if ruled && number == 0 {
                let rule = |(c, &w): (usize, &usize)| {
                    if c < 2 { "-".repeat(w) } else { format!("{}:", "-".repeat(w - 1)) }
                };
                let rules: Vec<String> = widths.iter().enumerate().map(rule).collect();
                out += &format!("| {} |\n", rules.join(" | "));
            }
        }
        out
    }
}

/// A table, and what must be known to read it alone.
pub(super) type Noted = (Sheet, Vec<String>);

/// Tables with aligned columns for a terminal, each followed by its notes, then the notes of all.
pub(super) fn text(sheets: &[Noted], notes: &[String]) -> String {
    joined(sheets, notes, "", |sheet| format!("{}\n{}\n", sheet.title, sheet.lines("  ", "", "", false)))
}

/// The same in Markdown.
pub(super) fn markdown(sheets: &[Noted], notes: &[String]) -> String {
    joined(sheets, notes, "- ", |s| format!("### {}\n\n{}\n", s.title, s.lines(" | ", "| ", " |", true)))
}

fn joined(sheets: &[Noted], notes: &[String], mark: &str, shown: impl Fn(&Sheet) -> String) -> String {
    let mut out = String::new();
    for (sheet, own) in sheets {
        out += &shown(sheet);
        own.iter().for_each(|note| out += &format!("{mark}{note}\n"));
        out += if own.is_empty() { "" } else { "\n" };
    }
    notes.iter().for_each(|note| out += &format!("{mark}{note}\n"));
    out
}

/// The same as JSON, the heading as the first row.
pub(super) fn json(sheets: &[Noted]) -> Value {
    sheets
        .iter()
        .map(|(sheet, notes)| json!({"title": sheet.title, "rows": sheet.rows, "notes": notes}))
        .collect()
}

/// Tables that need no notes of their own.
pub(super) fn plain(sheets: Vec<Sheet>) -> Vec<Noted> {
    sheets.into_iter().map(|sheet| (sheet, Vec::new())).collect()
}

/// The first row.
pub(super) fn heading(names: &[&str]) -> Vec<String> {
    names.iter().map(|&n| n.to_owned()).collect()
}

/// What stands where nothing is known.
pub(super) fn dash() -> String {
    "–".into()
}
