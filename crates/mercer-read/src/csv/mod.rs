//! Tables of separated values: CSV and TSV.
//!
//! The text is cut into parts at record boundaries. Threads parse the parts into columns, whose types are inferred from
//! a sample of the first rows, and the parts are joined in order. The error reported is always the first of the file.
//! Memory used before the whole file is known to be valid is bounded, see [`Reserve`].

mod infer;
mod records;
mod sniff;
#[cfg(test)]
mod tests;

use std::collections::HashSet;
use std::ops::Range;

use rayon::prelude::*;

pub(super) use self::infer::is_missing;

use self::infer::Profile;
use self::records::{Record, Records};
use super::build::{Cell, ColumnPlan, Part, Plan, join};
use super::pace::Pace;
use super::reserve::{Reserve, Share};
use super::roles::{Role, assign, given_kind};
use super::text::{Fault, Text, shown};
use super::{Format, Options, TargetKind, finish, parallel};
use crate::budget;
use crate::data::{Dataset, Kind};
use crate::error::{Code, Error, Place, Result, Warning};

/// Maximum number of rows from which types are inferred.
const SAMPLE: usize = 1000;
/// Maximum size of the sample in bytes.
const SAMPLE_BYTES: usize = 16 << 20;
/// Maximum number of cells in the sample: in very wide tables the statistics of the columns add up.
const SAMPLE_CELLS: usize = 1 << 22;
/// Maximum number of rows searched for a first value of a column that had none in the sample.
const SEARCH: usize = 100_000;
/// Maximum number of columns: the metadata of more would not fit in memory together with the reserve.
const WIDEST: usize = 1 << 19;
/// Bytes per column besides its values: its name, its profile, a cell in each of a few threads.
const COLUMN: usize = 200;

pub(super) fn read(text: &Text<'_>, format: Format, options: &Options) -> Result<Dataset> {
    read_with(text, format, options, infer::is_missing)
}

/// Like [`read`]; `is_missing` decides which cells are missing values.
pub(super) fn read_with(
    text: &Text<'_>,
    format: Format,
    options: &Options,
    is_missing: fn(&Cell<'_>) -> bool,
) -> Result<Dataset> {
    let reserve = Reserve::of(text.as_str().len());
    read_in_parts(text, format, options, is_missing, parallel::PART, &reserve)
}

/// The column names in the first row.
pub(super) fn header(text: &Text<'_>, format: Format, options: &Options) -> Result<Vec<String>> {
    let (all, start) = (text.as_str(), sniff::start(text.as_str()));
    let mut cells = Vec::new();
    let mut records = Records::new(all, start..all.len(), delimiter(all, start, format, options)?);
    records.next(&mut cells, WIDEST).map_err(|f| text.error(f))?;
    names(&cells, true).map_err(|f| text.error(f))
}

/// The position of row i in a table with a header.
pub(super) fn place_of_row(text: &Text<'_>, format: Format, options: &Options, i: usize) -> Place {
    let (all, start) = (text.as_str(), sniff::start(text.as_str()));
    let Ok(delimiter) = delimiter(all, start, format, options) else { return text.place(0) };
    let mut records = Records::new(all, start..all.len(), delimiter);
    let mut at = 0;
    for _ in 0..i + 2 {
        if let Ok(Some(record)) = records.next(&mut Vec::new(), 0) {
            at = record.offset;
        }
    }
    text.place(at)
}

fn delimiter(all: &str, start: usize, format: Format, options: &Options) -> Result<u8> {
    match options.delimiter {
        Some(d) if d.is_ascii() && !matches!(d, b'"' | b'\n' | b'\r') => Ok(d),
        Some(d) => {
            Err(Error::param("delimiter", d.escape_ascii(), "an ASCII character, not a quote or line end"))
        }
        None if format == Format::Tsv => Ok(b'\t'),
        None => Ok(sniff::delimiter(all, start)),
    }
}

fn read_in_parts(
    text: &Text<'_>,
    format: Format,
    options: &Options,
    is_missing: fn(&Cell<'_>) -> bool,
    size: usize,
    reserve: &Reserve,
) -> Result<Dataset> {
    let all = text.as_str();
    let start = sniff::start(all);
    let delimiter = delimiter(all, start, format, options)?;
    let mut records = Records::new(all, start..all.len(), delimiter);
    let mut first = Vec::new();
    let record = records.next(&mut first, WIDEST).map_err(|f| text.error(f))?;
    let record = record.ok_or_else(|| text.empty("only blank lines and comments"))?;
    if record.fields > WIDEST {
        let reason = format!("{} columns; at most {WIDEST} can be read", record.fields);
        let fault = Fault::new(record.offset, Code::DimLimit, reason);
        return Err(text.error(fault.hint("LIBSVM files and npy matrices may have more columns")));
    }
    if record.fields == 1 && options.delimiter.is_none() && sniff::looks_spaced(all, start) {
        let reason = "numbers separated by varying numbers of spaces; no field separator fits";
        return Err(text.error(Fault::new(record.offset, Code::Format, reason).hint(
            "write the table with commas or tabs; `format=ucr` reads series, the class first in each line",
        )));
    }
    let has_header = options.header.unwrap_or_else(|| !sniff::is_data(&first));
    let names = names(&first, has_header).map_err(|f| text.error(f))?;
    let data_start = if has_header { records.position() } else { record.offset };

    let profiles = sample(Records::new(all, data_start..all.len(), delimiter), names.len())?;
    let header = text.place(record.offset);
    let mut roles = assign(&names, options, &header)?;
    let mut warnings = Vec::new();
    if has_header {
        warnings.extend(skip_unnamed(&first, &profiles, &names, &mut roles));
    }
    if has_header && options.header.is_none() {
        warnings.extend(doubt_header(&first, &profiles));
    }
    // Freed early, because a very wide table leaves little memory.
    drop(first);
    let reserve = &reserve.without(COLUMN * names.len());
    let columns = columns(names, roles, &profiles, options)?;
    drop(profiles);
    let plan = Plan::new(columns, options.missing_or_keep(), is_missing);

    let ranges = records::cut(all, data_start, delimiter, size);
    let parse =
        |range, reserve: &Reserve| part(Records::new(all, range, delimiter), all.len(), &plan, reserve);
    let parts = parallel::parse(&ranges, |range| parse(range, reserve)).map_err(|f| text.error(f))?;
    let again = |(range, part): (&Range<usize>, Option<Part>)| match part {
        Some(part) => Ok(Some(part)),
        None => parse(range.clone(), &Reserve::endless()),
    };
    let again = budget::carried(again);
    let parts: Result<Vec<_>, Fault> = ranges.par_iter().zip(parts).map(again).collect();
    let parts = parts.map_err(|f| text.error(f))?;
    let joined = join(parts.into_iter().flatten().collect(), &plan)?;
    if joined.rows == 0 {
        return Err(text.empty(match joined.dropped {
            0 => "a header but no rows",
            _ => "every row has a missing value, so all were left out",
        }));
    }
    warnings.extend(joined.without_target(&plan, |offset| text.place(offset).line));
    finish::dataset(&plan, joined, Vec::new(), warnings, options)
}

/// Parses the records of one part of a text that ends at `end`; `None` if all are valid but the reserve is used up.
fn part(mut records: Records<'_>, end: usize, plan: &Plan, reserve: &Reserve) -> Result<Option<Part>, Fault> {
    let mut share = Share::new(reserve);
    let mut pace = Pace::from(records.position());
    let mut part = share.covers(plan.first_row).then(|| Part::new(plan));
    let mut cells = Vec::new();
    while let Some(record) = records.next(&mut cells, plan.columns.len())? {
        pace.at(records.position())?;
        let is_cut = records.position() > end;
        fits(record, plan.columns.len(), is_cut)?;
        match &mut part {
            None => plan.check(&cells)?,
            Some(kept) => {
                kept.push(plan, &cells)?;
                if !share.covers(kept.held(plan)) {
                    part = None;
                }
            }
        }
    }
    Ok(part.map(|part| {
        let part = part.seal(plan);
        share.settle(part.kept(plan));
        part
    }))
}

/// `is_cut` means that the file ends in this record without a line end.
fn fits(record: Record, width: usize, is_cut: bool) -> Result<(), Fault> {
    if record.fields == width {
        return Ok(());
    }
    if is_cut && record.fields < width {
        let reason = format!("the file ends after {} of {width} fields", record.fields);
        return Err(Fault::new(record.offset, Code::Truncated, reason));
    }
    let reason = format!("expected {width} fields, got {}", record.fields);
    Err(Fault::new(record.offset, Code::Columns, reason)
        .hint("every row needs as many fields as the first; values with the delimiter in them need quotes"))
}

/// The column names: from the header, or `x1`, `x2`, … without one.
fn names(first: &[Cell<'_>], has_header: bool) -> Result<Vec<String>, Fault> {
    let name = |(j, cell): (usize, &Cell<'_>)| match cell.text.trim() {
        given if has_header && !given.is_empty() => given.to_owned(),
        _ => format!("x{}", j + 1),
    };
    let names: Vec<String> = first.iter().enumerate().map(name).collect();
    let mut seen = HashSet::with_capacity(first.len());
    for (j, (name, cell)) in names.iter().zip(first).enumerate() {
        if !seen.insert(name.as_str()) {
            let reason = format!("column {} has the same name {} as an earlier column", j + 1, shown(name));
            return Err(Fault::new(cell.offset, Code::Header, reason).hint("give every column a unique name"));
        }
    }
    Ok(names)
}

/// Profiles of the columns from the first rows. An invalid row ends the sample; the parser will report it.
fn sample(mut records: Records<'_>, width: usize) -> Result<Vec<Profile>> {
    let mut profiles = Vec::new();
    profiles.resize_with(width, Profile::default);
    let mut cells = Vec::new();
    let start = records.position();
    let mut pace = Pace::from(start);
    for row in 0..SEARCH {
        pace.at(records.position())?;
        let bytes = records.position() - start;
        if row > 20 && bytes > SAMPLE_BYTES
            || row > 2 && row * width > SAMPLE_CELLS && bytes > SAMPLE_BYTES / 4
        {
            break;
        }
        if row >= SAMPLE && profiles.iter().all(Profile::is_known) {
            break;
        }
        match records.next(&mut cells, width) {
            Ok(Some(record)) if record.fields == width => {}
            _ => break,
        }
        for (profile, cell) in profiles.iter_mut().zip(&cells) {
            if row < SAMPLE || !profile.is_known() {
                profile.add(cell);
            }
        }
    }
    Ok(profiles)
}

/// Leaves out columns without name and values, which result from a delimiter at the end of every row.
fn skip_unnamed(
    first: &[Cell<'_>],
    profiles: &[Profile],
    names: &[String],
    roles: &mut [Role],
) -> Option<Warning> {
    let mut skipped = Vec::new();
    for (((cell, profile), name), role) in first.iter().zip(profiles).zip(names).zip(roles) {
        if cell.text.trim().is_empty() && !profile.is_known() && *role == Role::Feature {
            *role = Role::Ignore;
            skipped.push(name.as_str());
        }
    }
    let message = || format!("columns without name or values left out: {}", skipped.join(", "));
    (!skipped.is_empty() && skipped.len() < names.len()).then(|| Warning::new("W_UNNAMED", message()))
}

/// A warning if the assumed header looks like a row of data.
fn doubt_header(first: &[Cell<'_>], profiles: &[Profile]) -> Option<Warning> {
    let numeric = first.iter().zip(profiles).filter(|(cell, profile)| {
        profile.kind() == Kind::Numbers && sniff::is_data(std::slice::from_ref(*cell))
    });
    let count = numeric.count();
    (2 * count >= first.len()).then(|| {
        let message = format!(
            "the first row was read as a header, though {count} of its {} fields are numbers; if it is data, use `header=no`",
            first.len()
        );
        Warning::new("W_HEADER", message)
    })
}

fn columns(
    names: Vec<String>,
    roles: Vec<Role>,
    profiles: &[Profile],
    options: &Options,
) -> Result<Vec<ColumnPlan>> {
    let plan = |((name, role), profile): ((String, Role), &Profile)| {
        let given = given_kind(&name, options)?;
        let truth =
            role == Role::Feature && profile.is_truth() && given.is_none_or(|kind| kind == Kind::Numbers);
        let kind = match (role, options.target_kind) {
            _ if truth => Kind::Numbers,
            (Role::Target, TargetKind::Classes) => Kind::Categories,
            (Role::Target, TargetKind::Numbers) => Kind::Numbers,
            _ => given.unwrap_or_else(|| profile.kind()),
        };
        Ok(ColumnPlan { name, role, kind, declared: None, truth })
    };
    names.into_iter().zip(roles).zip(profiles).map(plan).collect()
}
