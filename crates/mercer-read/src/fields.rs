//! Data sets from rows of text fields, for formats that are tables of text: spreadsheets, databases, JSON.

use std::borrow::Cow;
use std::path::Path;

use super::build::{Absent, Cell, Part, Plan, join};
use super::evidence::Evidence;
use super::roles::assign;
use super::text::Fault;
use super::{Options, finish, typing};
use crate::budget;
use crate::data::Dataset;
use crate::error::{Code, Error, Place, Result};

/// The data set of rows of fields; `None` is a missing value. Columns get their types by the evidence of their fields, as
/// in CSV, with the same options and warnings. Positions in messages are those of the row and the column, from 1.
///
/// ```
/// use mercer_read::{Options, from_fields};
/// let rows = [["31", "2024-01-31"], ["54", "2024-02-29"]].map(|row| row.map(|f| Some(f.to_owned())).to_vec());
/// let data = from_fields("visits".as_ref(), &["age", "day"], &rows, &Options::default())?;
/// assert_eq!(data.column("day")?.values.kind().name(), "times");
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn from_fields(
    name: &Path,
    header: &[&str],
    rows: &[Vec<Option<String>>],
    options: &Options,
) -> Result<Dataset> {
    let width = header.len();
    let names: Vec<String> = header.iter().map(|n| (*n).to_owned()).collect();
    let place = |offset: usize| {
        let at = |n: usize| n as u64 + 1;
        Place::new(name, at(offset / width.max(1)), at(offset % width.max(1)))
    };
    let error = |mut fault: Fault| {
        if let Some(other) = fault.also {
            let (first, second) = (place(other).line, place(fault.offset).line);
            fault.reason += &format!(" (rows {first} and {second})");
        }
        let at = place(fault.offset);
        fault.at(at)
    };
    let roles = assign(&names, options, &Place::file(name))?;
    let absent = Absent { rule: typing::is_missing, words: options.na.clone() };
    let cells = |i: usize, row: &[Option<String>]| -> Vec<Cell<'_>> {
        let cell = |(j, field): (usize, &Option<String>)| Cell {
            offset: i * width + j,
            text: Cow::Owned(field.as_deref().unwrap_or_default().to_owned()),
            quoted: false,
        };
        row.iter().enumerate().map(cell).collect()
    };
    let mut evidence: Vec<Option<Box<Evidence>>> = Vec::new();
    evidence.resize_with(width, || Some(Box::default()));
    for (i, row) in rows.iter().enumerate() {
        budget::check_often()?;
        if row.len() != width {
            let reason = format!("expected {width} fields, got {}", row.len());
            return Err(Error::parse(place(i * width), Code::Columns, reason));
        }
        for (own, cell) in evidence.iter_mut().flatten().zip(&cells(i, row)) {
            if !absent.is(cell) {
                own.add(cell);
            }
        }
    }
    let types = typing::columns(names, roles, &evidence, false, options, &error)?;
    let plan = Plan::new(types.plans.clone(), options.missing_or_keep(), absent);
    let mut part = Part::new(&plan);
    for (i, row) in rows.iter().enumerate() {
        budget::check_often()?;
        part.push(&plan, &cells(i, row)).map_err(error)?;
    }
    let joined = join(vec![part.seal(&plan)], &plan)?;
    if joined.rows == 0 {
        return Err(Error::parse(Place::file(name), Code::Empty, "no rows"));
    }
    let said = |offset: usize| format!("row {}", place(offset).line);
    let mut warnings = types.warnings(&said);
    warnings.extend(typing::odd_cells(&plan, &joined, &said));
    finish::dataset(&plan, joined, Vec::new(), warnings, options)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(header: &[&str], rows: &[&[&str]]) -> Result<Dataset> {
        let field = |f: &&str| (*f != "<none>").then(|| (*f).to_owned());
        let rows: Vec<Vec<_>> = rows.iter().map(|row| row.iter().map(field).collect()).collect();
        from_fields(Path::new("sheet"), header, &rows, &Options::default())
    }

    #[test]
    fn fields_are_typed_like_csv() {
        let data =
            read(&["when", "cost", "class"], &[&["31.1.24", "1,5 €", "a"], &["1.2.24", "<none>", "b"]])
                .unwrap();
        let csv = "when;cost;class\n31.1.24;1,5 €;a\n1.2.24;;b\n";
        let same = crate::read_bytes(Path::new("t.csv"), csv.as_bytes(), &Options::default()).unwrap();
        assert_eq!(format!("{:?}", data.columns()), format!("{:?}", same.columns()));
        assert_eq!(data.warnings().len(), 2);
        let error = read(&["a", "b"], &[&["1", "2"], &["3"]]).unwrap_err();
        assert!(error.to_string().starts_with("sheet:2:1 E_COLUMNS expected 2 fields, got 1"), "{error}");
        let error = read(&["when"], &[&["31/1/2024"], &["1/31/2024"]]).unwrap_err();
        assert!(error.to_string().contains("(rows 1 and 2)"), "{error}");
        assert_eq!(read(&["a"], &[]).unwrap_err().code(), Code::Empty);
    }
}
