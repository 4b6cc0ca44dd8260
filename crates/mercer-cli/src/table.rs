//! Tables with aligned columns.

use std::fmt;

use crate::console::{BOLD, DIM, shown};

/// Rows of text under a heading. The first column is left-aligned, the others as said.
pub(crate) struct Table {
    heading: Vec<String>,
    right: Vec<bool>,
    rows: Vec<(Vec<String>, Look)>,
}

/// The heading of a column that is not shown.
pub(crate) const HIDDEN: &str = "\0";

/// How a row stands out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    Best,
    Faint,
}

/// A value between 0 and 1 as a bar of eighths of a letter's width.
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
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>, look: Look) {
        // What users wrote may have line breaks and worse.
        self.rows.push((cells.iter().map(|cell| shown(cell)).collect(), look));
    }

    fn widths(&self) -> Vec<usize> {
        let width = |c: usize| {
            let cells = self.rows.iter().map(|(r, _)| r.get(c).map_or(0, |s| s.chars().count()));
            cells.chain([self.heading[c].chars().count()]).max().unwrap_or(0)
        };
        (0..self.heading.len()).map(width).collect()
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let widths = self.widths();
        let line = |cells: &[String]| {
            let columns = cells.iter().zip(&widths).zip(&self.right).zip(&self.heading);
            let seen = columns.filter(|(_, heading)| *heading != HIDDEN);
            let padded = seen.map(|(((cell, &width), &right), _)| {
                let space = " ".repeat(width.saturating_sub(cell.chars().count()));
                if right { format!("{space}{cell}") } else { format!("{cell}{space}") }
            });
            padded.collect::<Vec<_>>().join("  ").trim_end().to_owned()
        };
        write!(f, "{DIM}{}{DIM:#}", line(&self.heading))?;
        for (cells, look) in &self.rows {
            match look {
                Look::Plain => write!(f, "\n{}", line(cells))?,
                Look::Best => write!(f, "\n{BOLD}{}{BOLD:#}", line(cells))?,
                Look::Faint => write!(f, "\n{DIM}{}{DIM:#}", line(cells))?,
            }
        }
        Ok(())
    }
}
