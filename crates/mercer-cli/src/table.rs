//! Tables with aligned columns.

use std::fmt;

use crate::console::{BOLD, DIM};

/// Rows of text under a heading. The first column is left-aligned, the others as said.
pub(crate) struct Table {
    heading: Vec<String>,
    right: Vec<bool>,
    rows: Vec<(Vec<String>, Look)>,
}

/// How a row stands out.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Look {
    Plain,
    Best,
    Faint,
}

impl Table {
    /// A table with these columns; a name that begins with `>` is right-aligned.
    pub(crate) fn new(columns: &[impl AsRef<str>]) -> Self {
        let right = columns.iter().map(|c| c.as_ref().starts_with('>')).collect();
        Table {
            heading: columns.iter().map(|c| c.as_ref().trim_start_matches('>').to_owned()).collect(),
            right,
            rows: Vec::new(),
        }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, cells: Vec<String>, look: Look) {
        self.rows.push((cells, look));
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
            let padded = cells.iter().zip(&widths).zip(&self.right).map(|((cell, &width), &right)| {
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
