//! Spreadsheets: Excel workbooks (xlsx) and OpenDocument spreadsheets (ods).
//!
//! Both are zip archives of XML. One sheet is read, by name or else the first visible one. Its cells are collected
//! sparsely and their bounding box is the table; rows without any value are left out. Numbers, booleans and text are
//! read as they are stored, formulas by their stored value, dates as ISO 8601 text. A cell that holds an error, such as
//! `#DIV/0!`, is a missing value (`W_SHEET_ERRORS`), and so is a formula without a stored value (`W_FORMULAS`). Of
//! merged cells only the first has a value (`W_MERGED`). Rows of a single cell above a table of three columns or more
//! are titles (`W_TITLE`).
//!
//! Nothing that a file declares is trusted: members are decompressed within limits ([`super::archive`]), and a cell
//! far away, or repeated a million times, takes no memory until the size of the table is known to be plausible.

mod dates;
mod ods;
#[cfg(test)]
mod tests;
mod xlsx;
mod xml;

use std::path::PathBuf;

use super::archive::{self, Archive, Growth};
use super::reserve::check_spread;
use super::rows::{Places, Rows};
use super::text::shown;
use super::{Format, Options, guard, source::Source};
use crate::budget;
use crate::data::Dataset;
use crate::error::{Code, Error, Result, Warning, nearest};

/// The largest sheet that any program writes: rows and columns.
const MOST_ROWS: u64 = 1 << 20;
const MOST_COLUMNS: u64 = 1 << 14;

pub(crate) fn read(source: &Source, format: Format, options: &Options) -> Result<Dataset> {
    if source.bytes.is_empty() {
        return Err(source.fault(Code::Empty, "the file is empty"));
    }
    guard::caught(|| table(source, format, options))
        .unwrap_or_else(|| Err(source.fault(Code::Compressed, "the file is damaged: it cannot be decoded")))
}

fn table(source: &Source, format: Format, options: &Options) -> Result<Dataset> {
    let mut book = Book {
        source,
        archive: archive::open(source)?,
        growth: Growth::new(source, options.limits.ratio),
        wanted: options.sheet.as_deref(),
    };
    let (sheet, grid, others) = match format {
        Format::Ods => ods::read(&mut book)?,
        _ => xlsx::read(&mut book)?,
    };
    let name = PathBuf::from(format!("{}::{sheet}", source.name.display()));
    let mut warnings = Vec::new();
    let mut elsewhere = None;
    if options.sheet.is_none() && !others.is_empty() {
        let others = others.iter().map(|o| shown(o)).collect::<Vec<_>>().join(", ");
        let message = format!("the first sheet {} is read; the others are {others}", shown(&sheet));
        elsewhere = Some(format!("{message}: choose one with `sheet`"));
        warnings.push(Warning::new("W_SHEETS", message));
    }
    let data = grid.dataset(&Source { name: &name, bytes: source.bytes }, options, warnings);
    data.map_err(|mut error| {
        // What is not here may be on another sheet.
        if let (Some(elsewhere), Error::Parse { hint, .. }) = (elsewhere, &mut error) {
            *hint = Some(match hint.take() {
                Some(hint) => format!("{elsewhere}; {hint}"),
                None => elsewhere,
            });
        }
        error
    })
}

/// An opened file.
struct Book<'a, 's> {
    source: &'a Source<'s>,
    archive: Archive<'s>,
    growth: Growth,
    /// The name of the sheet to read.
    wanted: Option<&'a str>,
}

impl Book<'_, '_> {
    /// The content of a member, if the archive has it.
    fn member(&mut self, name: &str) -> Result<Option<Vec<u8>>> {
        let Some(i) = self.archive.index_for_name(name) else { return Ok(None) };
        archive::content(self.source, &mut self.archive, i, &mut self.growth).map(Some)
    }

    /// The index of the sheet to read among those of these names; the default is `first`.
    fn choose(&self, names: &[String], first: Option<usize>) -> Result<usize> {
        let listed = || names.iter().map(|n| shown(n)).collect::<Vec<_>>().join(", ");
        match self.wanted {
            None => first.ok_or_else(|| self.source.fault(Code::Empty, "the file has no sheets")),
            Some(wanted) => names.iter().position(|n| n == wanted).ok_or_else(|| {
                let near = nearest(wanted, names.iter().map(String::as_str));
                let near =
                    if near.is_empty() { String::new() } else { format!("; nearest: {}", near.join(", ")) };
                self.source
                    .fault(Code::Sheet, format!("no sheet {}{near}", shown(wanted)))
                    .with_hint(format!("the sheets are {}", listed()))
            }),
        }
    }

    fn fault(&self, member: &str, code: Code, reason: impl Into<String>) -> Error {
        Error::parse(crate::error::Place::file(self.source.name.join(member)), code, reason)
    }
}

/// The cells of a sheet that have a value, in any order.
#[derive(Default)]
struct Grid {
    /// Row and column from 0, and the end of the text.
    cells: Vec<(u32, u32, usize)>,
    texts: String,
    /// The number of cells that hold errors, and the first of them.
    errors: usize,
    first_error: Option<(u32, u32, String)>,
    /// The number of cells with a formula but no value, and the first of them.
    formulas: usize,
    first_formula: Option<(u32, u32)>,
    merged: usize,
    asked: usize,
}

impl Grid {
    /// Adds a value. Empty text is no value.
    fn push(&mut self, row: u64, column: u64, text: &str) -> Result<(), String> {
        if row >= MOST_ROWS || column >= MOST_COLUMNS {
            return Err(format!("a cell in row {} and column {}", row + 1, column + 1));
        }
        if !text.trim().is_empty() {
            self.texts.push_str(text);
            self.cells.push((row as u32, column as u32, self.texts.len()));
        }
        Ok(())
    }

    /// The number of values.
    fn len(&self) -> usize {
        self.cells.len()
    }

    /// Counts a cell that holds an error.
    fn error(&mut self, row: u64, column: u64, text: &str) {
        self.errors += 1;
        if self.first_error.is_none() {
            self.first_error = Some((row as u32, column as u32, text.to_owned()));
        }
    }

    /// Counts a cell that has a formula, but no value.
    fn formula(&mut self, row: u64, column: u64) {
        self.formulas += 1;
        self.first_formula.get_or_insert((row as u32, column as u32));
    }

    /// Requests memory for the cells so far and for as many again.
    fn ask(&mut self) -> Result<()> {
        let held = 16 * self.cells.len() + self.texts.len();
        if held >= self.asked {
            let more = held.max(1 << 20);
            budget::ask("the cells of a sheet", more as u64)?;
            self.asked += more;
        }
        budget::check_often()
    }

    /// The table of the cells.
    fn dataset(self, sheet: &Source, options: &Options, mut warnings: Vec<Warning>) -> Result<Dataset> {
        let Grid { mut cells, texts, errors, first_error, formulas, first_formula, merged, .. } = self;
        let mut start = 0;
        let mut cells: Vec<(u32, u32, &str)> = cells
            .drain(..)
            .map(|(row, column, end)| {
                let text = texts.get(start..end).unwrap_or("");
                start = end;
                (row, column, text)
            })
            .collect();
        // Of several values for one cell the last is used.
        cells.sort_by_key(|&(row, column, _)| (row, column));
        let (Some(left), Some(right)) = (cells.iter().map(|c| c.1).min(), cells.iter().map(|c| c.1).max())
        else {
            return Err(sheet.fault(Code::Empty, "the sheet has no values"));
        };
        let width = u64::from(right - left) + 1;
        let mut rows: Vec<&[(u32, u32, &str)]> = cells.chunk_by(|a, b| a.0 == b.0).collect();
        let titles = rows.iter().take_while(|row| row.len() == 1).count();
        if width > 2 && titles > 0 && titles < rows.len() {
            let title = if titles == 1 { "1 row".to_owned() } else { format!("{titles} rows") };
            let message = format!("{title} above the table left out: {}", shown(rows[0][0].2));
            warnings.push(Warning::new("W_TITLE", message));
            rows.drain(..titles);
        }
        if errors > 0 {
            let first = first_error.map(|(row, column, text)| {
                format!(", e.g. {} in {}", shown(&text), dates::cell_name(column, row))
            });
            let message =
                format!("{errors} cells hold errors and are missing values{}", first.unwrap_or_default());
            warnings.push(Warning::new("W_SHEET_ERRORS", message));
        }
        if let Some((row, column)) = first_formula {
            let cells =
                if formulas == 1 { "1 cell has".to_owned() } else { format!("{formulas} cells have") };
            let message = format!(
                "{cells} a formula without a stored value, {} first; they are missing values: open the file in a \
                 spreadsheet program and save it",
                dates::cell_name(column, row)
            );
            warnings.push(Warning::new("W_FORMULAS", message));
        }
        if merged > 0 {
            let ranges = if merged == 1 { "1 range".to_owned() } else { format!("{merged} ranges") };
            let message = format!("{ranges} of merged cells: only the first cell of each has a value");
            warnings.push(Warning::new("W_MERGED", message));
        }
        check_spread("the table of a sheet", width * rows.len() as u64, 2, sheet.bytes.len() as u64)?;
        let mut out = Rows::new(sheet.name, Places::Cells).starting_in(u64::from(left));
        for row in rows {
            out.begin(u64::from(row[0].0) + 1);
            let mut own = row.iter().peekable();
            for column in left..=right {
                let mut value = None;
                while let Some(cell) = own.next_if(|c| c.1 == column) {
                    value = Some(cell.2);
                }
                out.push(value);
            }
            out.end()?;
        }
        out.read(options, warnings)
    }
}
