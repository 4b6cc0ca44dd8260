//! Tables with aligned columns that fit the terminal.

use std::fmt;

use crate::console::{BOLD, DIM, shown};
use crate::wrap::{shown_width, wrap};

/// Rows of text under a heading. Columns are left-aligned unless their name begins with `>`.
///
/// A table wider than [`Table::fit`] allows wraps its left-aligned columns and its headings; numbers stay whole. If that is
/// not enough, its columns are shown in several blocks, each with the first column.
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

/// No left-aligned column and no heading is made narrower than this.
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

/// Counts as a row of small bars, the largest of full height; every count above 0 can be seen. ASCII where the
/// environment asks for it.
pub(crate) fn bars(counts: &[usize]) -> String {
    const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const ASCII: [char; 9] = [' ', '.', ':', '-', '=', '+', '*', '#', '@'];
    let levels = if is_ascii() { ASCII } else { BLOCKS };
    let most = counts.iter().copied().max().unwrap_or(0).max(1) as f64;
    counts.iter().map(|&n| levels[(8.0 * n as f64 / most).ceil() as usize]).collect()
}

/// Whether the environment has no other characters than ASCII: the locale `C` or `POSIX`.
fn is_ascii() -> bool {
    let set = |name: &str| std::env::var(name).ok().filter(|value| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    locale.is_some_and(|l| l == "C" || l == "POSIX")
}

fn heading(name: &str) -> String {
    if name == HIDDEN { name.to_owned() } else { shown(name) }
}

impl Table {
    /// A table with these columns; a name that begins with `>` is right-aligned.
    pub(crate) fn new(columns: &[impl AsRef<str>]) -> Self {
        let right = columns.iter().map(|c| c.as_ref().starts_with('>')).collect();
        Table {
            heading: columns
                .iter()
                .map(|c| heading(c.as_ref().strip_prefix('>').unwrap_or(c.as_ref())))
                .collect(),
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

    /// The width of each column, 0 for hidden ones, and the columns of each block.
    fn layout(&self) -> (Vec<usize>, Vec<Vec<usize>>) {
        let longest_word = |text: &str| text.split(' ').map(shown_width).max().unwrap_or(0);
        let of_cells = |c: usize| {
            self.rows.iter().map(|(r, _)| r.get(c).map_or(0, |s| shown_width(s))).max().unwrap_or(0)
        };
        let cells: Vec<usize> = (0..self.heading.len()).map(of_cells).collect();
        let shown: Vec<usize> = (0..self.heading.len()).filter(|&c| self.heading[c] != HIDDEN).collect();
        let mut widths = vec![0; self.heading.len()];
        shown.iter().for_each(|&c| widths[c] = cells[c].max(shown_width(&self.heading[c])));
        let total = |widths: &[usize], columns: &[usize]| {
            columns.iter().map(|&c| widths[c] + GAP).sum::<usize>().saturating_sub(GAP)
        };
        // Headings of numeric columns wrap first, then the widest text column shrinks, then headings within words.
        if total(&widths, &shown) > self.most {
            for &c in shown.iter().filter(|&&c| self.right[c]) {
                widths[c] = cells[c].max(longest_word(&self.heading[c]));
            }
        }
        let least = |c: usize| if self.right[c] { cells[c].max(NARROWEST) } else { NARROWEST };
        let full = widths.clone();
        while total(&widths, &shown) > self.most {
            let wide = shown.iter().copied().filter(|&c| widths[c] > least(c));
            let Some(widest) = wide.max_by_key(|&c| (!self.right[c], widths[c])) else { break };
            widths[widest] -= 1;
        }
        if total(&widths, &shown) <= self.most {
            return (widths, vec![shown]);
        }
        // Blocks have room for longer text than one line of all columns.
        let longest = NARROWEST.max(self.most / 3);
        shown.iter().filter(|&&c| !self.right[c]).for_each(|&c| widths[c] = full[c].min(longest));
        let mut blocks: Vec<Vec<usize>> = Vec::new();
        for &c in shown.iter().skip(1) {
            match blocks.last_mut() {
                Some(block) if total(&widths, block) + GAP + widths[c] <= self.most => block.push(c),
                _ => blocks.push(vec![shown[0], c]),
            }
        }
        (widths, if blocks.is_empty() { vec![shown] } else { blocks })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (widths, blocks) = self.layout();
        let lines = |block: &[usize], cells: &[String], indent: usize| -> Vec<String> {
            let column = |&c: &usize| {
                let indent = if self.right[c] { 0 } else { indent };
                (c, wrap(cells.get(c).map_or("", |s| s), widths[c], indent))
            };
            let columns: Vec<(usize, Vec<String>)> = block.iter().map(column).collect();
            let height = columns.iter().map(|(_, lines)| lines.len()).max().unwrap_or(0);
            let line = |at: usize| {
                let padded = columns.iter().map(|(c, lines)| {
                    let cell = lines.get(at).map_or("", |s| s);
                    let space = " ".repeat(widths[*c].saturating_sub(shown_width(cell)));
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
        let block = |block: &Vec<usize>| {
            let heading =
                lines(block, &self.heading, 0).into_iter().map(|line| styled(line, RowStyle::Faint));
            let rows = self.rows.iter().flat_map(|(cells, style)| {
                lines(block, cells, 2).into_iter().map(|line| styled(line, *style)).collect::<Vec<_>>()
            });
            heading.chain(rows).collect::<Vec<_>>().join("\n")
        };
        f.write_str(&blocks.iter().map(block).collect::<Vec<_>>().join("\n\n"))
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
        assert!(text.lines().all(|l| shown_width(l) <= 50), "{text}");
        for part in ["normalize(wl(h=3))", "svc(C=10)", "0.884", "< 0.001 +"] {
            assert!(text.contains(part), "{text}");
        }
        let squeezed: String = text.lines().map(|l| l.chars().take(30).collect::<String>()).collect();
        let squeezed: String = squeezed.split_whitespace().collect();
        assert!(squeezed.contains("shortest-path(labels=on))|svc(C=10)"), "{text}");
    }

    #[test]
    fn tables_that_cannot_fit_are_shown_in_blocks() {
        let names: Vec<String> = (0..9).map(|i| format!(">a data set {i}")).collect();
        let mut table = Table::new(&[vec!["method".to_owned()], names].concat());
        let best = format!("{BOLD}0.950 ± 0.010 *{BOLD:#}");
        let row = std::iter::once("normalize(wl(h=3))".to_owned()).chain(vec![best; 9]);
        table.row(row.collect(), RowStyle::Plain);
        let text = table.fit(80).to_string();
        assert!(text.lines().all(|l| shown_width(l) <= 80), "{text}");
        assert_eq!(text.matches("normalize(wl(h=3))").count(), 3, "{text}");
        assert_eq!(text.matches("0.950 ± 0.010 *").count(), 9, "{text}");
        assert!((0..9).all(|i| text.contains(&format!("a data set {i}"))), "{text}");
    }

    #[test]
    fn every_count_above_zero_has_a_bar() {
        let drawn: Vec<char> = bars(&[0, 1, 50, 100]).chars().collect();
        assert!(drawn[0] == ' ' && drawn[1] != ' ' && drawn[2] != drawn[3], "{drawn:?}");
        assert_eq!(bars(&[]), "");
    }

    #[test]
    fn numbers_are_never_wrapped() {
        let text = table().fit(10).to_string();
        assert!(text.contains("< 0.001 +"), "{text}");
    }
}
