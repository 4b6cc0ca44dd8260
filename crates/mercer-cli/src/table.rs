//! Tables with aligned columns that fit the terminal.

use std::fmt;

use crate::console::{BOLD, DIM, shown};
use crate::wrap::wrap;

/// Rows of text under a heading. Columns are left-aligned unless their name begins with `>`.
///
/// A table wider than [`Table::fit`] allows wraps its left-aligned columns; numbers stay whole.
pub(crate) struct Table {
    heading: Vec<String>,
    right: Vec<bool>,
    rows: Vec<(Vec<String>, RowStyle)>,
    most: usize,
}

/// The heading of a column that is not shown.
pub(crate) const HIDDEN: &str = "\0";

/// Spaces between two columns.
const GAP: usize = 2;

/// No left-aligned column is made narrower than this.
const NARROWEST: usize = 12;

/// The style of a row.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowStyle {
    Plain,
    Best,
    Faint,
}

/// A value between 0 and 1 as a bar, in steps of an eighth of a character.
pub(crate) fn bar(share: f64, width: usize) -> String {
    const PARTS: [char; 8] = [' ', '▏', '▎', '▍', '▌', '▋', '▊', '▉'];
    let eighths = (share.clamp(0.0, 1.0) * (8 * width) as f64).round() as usize;
    let mut out: String = std::iter::repeat_n('█', eighths / 8).collect();
    if out.chars().count() < width {
        out.push(PARTS[eighths % 8]);
    }
    let space = width - out.chars().count();
    out + &" ".repeat(space)
}

fn heading(name: &str) -> String {
    if name == HIDDEN { name.to_owned() } else { shown(name) }
}

impl Table {
    /// A table with these columns; a name that begins with `>` is right-aligned.
    pub(crate) fn new(columns: &[impl AsRef<str>]) -> Self {
        let right = columns.iter().map(|c| c.as_ref().starts_with('>')).collect();
        Table {
            heading: columns.iter().map(|c| heading(c.as_ref().trim_start_matches('>'))).collect(),
            right,
            rows: Vec::new(),
            most: usize::MAX,
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>, style: RowStyle) {
        // Text from users' files may have line breaks and other control characters.
        self.rows.push((cells.iter().map(|cell| shown(cell)).collect(), style));
    }

    /// The same table, at most `width` characters wide where possible.
    pub(crate) fn fit(mut self, width: usize) -> Self {
        self.most = width;
        self
    }

    /// The width of each column; 0 for hidden ones.
    fn widths(&self) -> Vec<usize> {
        let longest_word = |text: &str| text.split(' ').map(|w| w.chars().count()).max().unwrap_or(0);
        let of_cells = |c: usize| {
            self.rows.iter().map(|(r, _)| r.get(c).map_or(0, |s| s.chars().count())).max().unwrap_or(0)
        };
        let shown: Vec<usize> = (0..self.heading.len()).filter(|&c| self.heading[c] != HIDDEN).collect();
        let mut widths = vec![0; self.heading.len()];
        shown.iter().for_each(|&c| widths[c] = of_cells(c).max(self.heading[c].chars().count()));
        let over = |widths: &[usize]| {
            let gaps = GAP * shown.len().saturating_sub(1);
            (widths.iter().sum::<usize>() + gaps).saturating_sub(self.most)
        };
        // Headings of numeric columns wrap first, then the widest text column shrinks.
        if over(&widths) > 0 {
            for &c in shown.iter().filter(|&&c| self.right[c]) {
                widths[c] = of_cells(c).max(longest_word(&self.heading[c]));
            }
        }
        while over(&widths) > 0 {
            let text = shown.iter().copied().filter(|&c| !self.right[c] && widths[c] > NARROWEST);
            let Some(widest) = text.max_by_key(|&c| widths[c]) else { break };
            widths[widest] -= 1;
        }
        widths
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        let lines = |cells: &[String], indent: usize| -> Vec<String> {
            let shown = (0..self.heading.len()).filter(|&c| self.heading[c] != HIDDEN);
            let columns: Vec<(usize, Vec<String>)> = shown
                .map(|c| {
                    let indent = if self.right[c] { 0 } else { indent };
                    (c, wrap(cells.get(c).map_or("", |s| s), widths[c], indent))
                })
                .collect();
            let height = columns.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
            let line = |at: usize| {
                let padded = columns.iter().map(|(c, lines)| {
                    let cell = lines.get(at).map_or("", |s| s);
                    let space = " ".repeat(widths[*c].saturating_sub(cell.chars().count()));
                    if self.right[*c] { format!("{space}{cell}") } else { format!("{cell}{space}") }
                });
                padded.collect::<Vec<_>>().join(&" ".repeat(GAP)).trim_end().to_owned()
            };
            (0..height).map(line).collect()
        };
        let styled = |line: String, style: RowStyle| match style {
            RowStyle::Plain => line,
            RowStyle::Best => format!("{BOLD}{line}{BOLD:#}"),
            RowStyle::Faint => format!("{DIM}{line}{DIM:#}"),
        };
        let heading = lines(&self.heading, 0).into_iter().map(|line| styled(line, RowStyle::Faint));
        let rows = self.rows.iter().flat_map(|(cells, style)| {
            lines(cells, 2).into_iter().map(|line| styled(line, *style)).collect::<Vec<_>>()
        });
        f.write_str(&heading.chain(rows).collect::<Vec<_>>().join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new(&["method", ">accuracy", ">p vs. baseline"]);
        let method = "normalize(wl(h=3)) + normalize(shortest-path(labels=on)) | svc(C=10)";
        table.row(vec![method.into(), "0.884".into(), "< 0.001 +".into()], RowStyle::Plain);
        table.row(vec!["linear | svc".into(), "0.8".into(), "0.5".into()], RowStyle::Plain);
        table
    }

    #[test]
    fn wide_terminals_show_one_line_per_row() {
        assert_eq!(table().to_string().lines().count(), 3);
        assert_eq!(table().to_string(), table().fit(200).to_string());
    }

    #[test]
    fn narrow_terminals_wrap_text_and_keep_all_of_it() {
        let text = table().fit(50).to_string();
        assert!(
            text.lines().all(|l| l.chars().filter(|c| !('\u{FDD0}'..='\u{FDD4}').contains(c)).count() <= 50)
        );
        for part in ["normalize(wl(h=3))", "svc(C=10)", "0.884", "< 0.001 +"] {
            assert!(text.contains(part), "{text}");
        }
        let squeezed: String = text.lines().map(|l| l.chars().take(24).collect::<String>()).collect();
        let squeezed: String = squeezed.split_whitespace().collect();
        assert!(squeezed.contains("shortest-path(labels=on))|svc(C=10)"), "{text}");
    }

    #[test]
    fn numbers_are_never_wrapped() {
        let text = table().fit(10).to_string();
        assert!(text.contains("< 0.001 +"), "{text}");
    }
}
