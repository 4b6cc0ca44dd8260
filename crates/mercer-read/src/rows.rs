//! Rows of spreadsheets, databases, JSON and Arrow files, as the text of a table.
//!
//! These formats give cells; which column is the target, what type it has and what a missing value means is decided by
//! the reader of CSV, so that the same table means the same in every format. The cells are therefore written as CSV and
//! read by it. An error then names the row and the column of the cell where it came from, not those of the text.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::path::Path;

use super::text::Text;
use super::{Format, Limits, Options, csv, series};
use crate::budget;
use crate::data::Dataset;
use crate::error::{Error, Result, Warning};

/// Bytes of text between two requests for memory.
const STEP: usize = 1 << 20;

/// What positions in a table refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Places {
    /// Rows and columns of cells.
    Cells,
    /// Lines of a text, without columns.
    Lines,
}

/// Rows of cells, collected as text.
pub(crate) struct Rows<'a> {
    name: &'a Path,
    places: Places,
    text: String,
    /// For each line of the text, the row (or line) it came from.
    origins: Vec<u64>,
    /// Index of the first column, from 0.
    left: u64,
    row: u64,
    cells: usize,
    /// Bytes for which memory was requested.
    asked: usize,
    /// Whether the names of the columns come first.
    named: bool,
}

impl<'a> Rows<'a> {
    /// No rows yet. `name` is used in messages.
    pub(crate) fn new(name: &'a Path, places: Places) -> Self {
        Rows {
            name,
            places,
            text: String::new(),
            origins: Vec::new(),
            left: 0,
            row: 0,
            cells: 0,
            asked: 0,
            named: false,
        }
    }

    /// The first row holds the names of the columns.
    pub(crate) fn with_header(mut self) -> Self {
        self.named = true;
        self
    }

    /// The table begins in this column of its sheet, from 0.
    #[cfg_attr(not(feature = "sheets"), allow(dead_code))]
    pub(crate) fn starting_in(mut self, left: u64) -> Self {
        self.left = left;
        self
    }

    /// Begins the row that is the `row`th of its file, from 1.
    pub(crate) fn begin(&mut self, row: u64) {
        (self.row, self.cells) = (row, 0);
    }

    /// Adds a cell; `None` is a missing value.
    pub(crate) fn push(&mut self, cell: Option<&str>) {
        if self.cells > 0 {
            self.text.push(',');
        }
        self.cells += 1;
        let Some(cell) = cell else { return };
        let plain =
            |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'.' | b'-' | b'+' | b'_' | b':') || b >= 0x80;
        if cell.bytes().all(plain) {
            self.text.push_str(cell);
            return;
        }
        self.text.push('"');
        let mut rest = cell;
        // An apostrophe before these is removed from quoted fields; another protects it.
        let evaluated = |c: &str| c.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r']);
        if cell.strip_prefix('\'').is_some_and(evaluated) {
            self.text.push('\'');
        }
        while let Some((before, behind)) = rest.split_once('"') {
            self.text.push_str(before);
            self.text.push_str("\"\"");
            rest = behind;
        }
        self.text.push_str(rest);
        self.text.push('"');
    }

    /// Adds a number.
    #[cfg_attr(not(any(feature = "arrow", feature = "sqlite")), allow(dead_code))]
    pub(crate) fn push_number(&mut self, value: f64) {
        if self.cells > 0 {
            self.text.push(',');
        }
        self.cells += 1;
        if !value.is_nan() {
            // Writing to a string cannot fail.
            let _ = write!(self.text, "{value}");
        }
    }

    /// Ends the row.
    pub(crate) fn end(&mut self) -> Result<()> {
        // A line without characters would be skipped.
        if self.cells == 1 && matches!(self.text.as_bytes().last(), None | Some(b'\n')) {
            self.text.push_str("\"\"");
        }
        self.text.push('\n');
        if self.text.len() + 8 * self.origins.len() >= self.asked {
            // Doubling a buffer needs both the old and the new one.
            let more = self.text.len().max(STEP);
            budget::ask(&format!("the rows of {}", self.name.display()), more as u64)?;
            self.asked += more;
        }
        self.origins.push(self.row);
        budget::check_often()
    }

    /// The data set of the rows.
    pub(crate) fn read(self, options: &Options, warnings: Vec<Warning>) -> Result<Dataset> {
        let Rows { name, places, text, origins, left, named, .. } = self;
        let limits = Limits { line: usize::MAX, ..options.limits };
        let own = Options {
            delimiter: Some(b','),
            header: if named { Some(true) } else { options.header },
            limits,
            ..options.clone()
        };
        let table = Text::new(name, Cow::Borrowed(text.as_bytes()), &limits)
            .map_err(|e| placed(e, name, &text, &origins, left, places))?;
        let data = match options.series.layout {
            Some(layout) => series::read_table(&table, Format::Csv, layout, &own),
            None => csv::read(&table, Format::Csv, &own),
        };
        let data = data.map_err(|e| placed(e, name, table.as_str(), &origins, left, places))?;
        if warnings.is_empty() {
            return Ok(data);
        }
        let warnings = [warnings, data.warnings().to_vec()].concat();
        Ok(data.with_warnings(warnings))
    }
}

/// The error with the row and the column of the cell in place of the line and the column of the text.
fn placed(mut error: Error, name: &Path, text: &str, origins: &[u64], left: u64, places: Places) -> Error {
    let Error::Parse { place, .. } = &mut error else { return error };
    if place.line == 0 || place.file != name {
        return error;
    }
    // Line ends within quotes do not end a row.
    let (mut row, mut line, mut character, mut cell, mut quoted) = (0, 1, 1, 0u64, false);
    for c in text.chars() {
        if (line, character) >= (place.line, place.column) {
            break;
        }
        character += 1;
        match c {
            '"' => quoted = !quoted,
            ',' if !quoted => cell += 1,
            '\n' => {
                (line, character) = (line + 1, 1);
                if !quoted {
                    (row, cell) = (row + 1, 0);
                }
            }
            _ => {}
        }
    }
    place.line = origins.get(row).copied().unwrap_or(0);
    place.column = if places == Places::Cells { left + cell + 1 } else { 0 };
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Kind, Values};
    use crate::error::Code;

    fn rows<'a>(table: &[&[Option<&str>]]) -> Rows<'a> {
        let mut rows = Rows::new(Path::new("a.xlsx"), Places::Cells).starting_in(2);
        for (i, row) in table.iter().enumerate() {
            rows.begin(10 + i as u64);
            row.iter().for_each(|cell| rows.push(*cell));
            rows.end().unwrap();
        }
        rows
    }

    #[test]
    fn cells_survive_the_text() {
        let odd = ["a \"b\", c", "two\nlines", "# no comment", "  spaces ", "'=1", "'", "é;|\t"];
        let table: Vec<Vec<Option<&str>>> =
            std::iter::once(vec![Some("s,1")]).chain(odd.iter().map(|s| vec![Some(*s)])).collect();
        let table: Vec<&[Option<&str>]> = table.iter().map(Vec::as_slice).collect();
        let mut options = Options { header: Some(true), ..Options::default() };
        options.kinds.insert("s,1".into(), Kind::Strings);
        let data = rows(&table).read(&options, Vec::new()).unwrap();
        let Values::Strings(found) = &data.columns()[0].values else { panic!() };
        assert_eq!(found.iter().map(|s| s.as_deref().unwrap()).collect::<Vec<_>>(), odd);
    }

    #[test]
    fn a_missing_value_alone_in_its_row_is_a_row() {
        let data =
            rows(&[&[Some("x")], &[None], &[Some("2")]]).read(&Options::default(), Vec::new()).unwrap();
        assert_eq!(data.len(), 2);
        assert!(data.columns()[0].values.is_missing(0));
    }

    #[test]
    fn errors_name_the_cell() {
        let table: [&[Option<&str>]; 4] = [
            &[Some("a"), Some("class")],
            &[Some("x\ny"), Some("1")],
            &[Some("z"), Some("0")],
            &[Some("z"), None],
        ];
        let refuse = Options { missing: Some(crate::Missing::Refuse), ..Options::default() };
        let error = rows(&table).read(&refuse, Vec::new()).unwrap_err();
        let Error::Parse { place, code, .. } = &error else { panic!("{error}") };
        assert_eq!((*code, place.line, place.column), (Code::Label, 13, 4), "{error}");
    }
}
