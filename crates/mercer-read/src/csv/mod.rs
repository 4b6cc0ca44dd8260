//! Tables of separated values: CSV and TSV.
//!
//! The text is cut into parts at record boundaries. Threads parse the parts into columns, whose types are inferred from
//! a sample of the first rows, and the parts are joined in order. Columns of plain numbers are recognised at a glance;
//! the others need more [`Evidence`]. Where later rows contradict the sample, the column is decided again from all rows
//! and the text parsed again. The error reported is always the first of the file. Memory used before the whole file is
//! known to be valid is bounded, see [`Reserve`].

mod frame;
mod records;
mod sniff;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;

use rayon::prelude::*;

use self::records::{Record, Records};
use super::build::{Absent, Cell, Joined, Part, Plan, join};
use super::evidence::{Evidence, Glance, Marks};
use super::pace::Pace;
use super::reserve::{Reserve, Share};
use super::roles::{Role, assign};
use super::text::{Fault, Text, shown};
use super::typing;
use super::{Format, Options, finish, parallel, parts, roles};
use crate::budget;
use crate::data::Dataset;
use crate::error::{Code, Error, Place, Result, Warning};

/// Maximum number of rows from which types are inferred.
const SAMPLE: usize = 1000;
/// Maximum size of the sample in bytes.
const SAMPLE_BYTES: usize = 16 << 20;
/// Maximum number of cells in the sample. Later rows may correct it, so that wide tables need not be parsed twice.
const SAMPLE_CELLS: usize = 1 << 17;
/// Minimum number of rows in the sample.
const SAMPLE_LEAST: usize = 20;
/// Maximum number of rows searched for a first value of a column that had none in the sample.
const SEARCH: usize = 100_000;
/// Maximum number of columns: the metadata of more would not fit in memory together with the reserve.
const WIDEST: usize = 1 << 19;
/// Bytes per column besides its values: its name, its profile, a cell in each of a few threads.
const COLUMN: usize = 200;

pub(super) fn read(text: &Text<'_>, format: Format, options: &Options) -> Result<Dataset> {
    read_with(text, format, options, typing::is_missing)
}

/// Like [`read`]; `is_missing` decides which cells are missing values.
pub(super) fn read_with(
    text: &Text<'_>,
    format: Format,
    options: &Options,
    is_missing: fn(&Cell<'_>) -> bool,
) -> Result<Dataset> {
    let reserve = Reserve::of(text.as_str().len());
    match aligned(text, format, options)? {
        None => read_in_parts(text, format, options, is_missing, parallel::PART, &reserve),
        Some(tabs) => {
            let own = Options { delimiter: Some(b'\t'), ..options.clone() };
            let table = Text::new(text.name(), Cow::Borrowed(tabs.as_bytes()), &options.limits)?;
            let data = read_in_parts(&table, format, &own, is_missing, parallel::PART, &reserve)?;
            let message = "runs of spaces are read as the delimiter; `delimiter` sets another";
            let warnings = [&[Warning::new("W_SPACES", message)], data.warnings()].concat();
            Ok(data.with_warnings(warnings))
        }
    }
}

/// A table whose fields are separated by runs of spaces, with tabs in their place; its lines remain the same.
fn aligned(text: &Text<'_>, format: Format, options: &Options) -> Result<Option<String>> {
    let all = text.as_str();
    let start = sniff::start(all);
    let free = (format == Format::Csv || !all.contains('\t'))
        && options.delimiter.is_none()
        && !options.strict
        && !text.has_quotes();
    if !free
        || options.header == Some(false)
        || sniff::delimiter(all, start) != b','
        || Records::new(all, start..all.len(), b',').next(&mut Vec::new(), 0).ok().flatten().map(|r| r.fields)
            != Some(1)
    {
        return Ok(None);
    }
    let Some(spaces) = sniff::aligned(all, start) else { return Ok(None) };
    budget::ask("a table with tabs in place of spaces", all.len() as u64)?;
    let mut tabs = String::with_capacity(all.len());
    for line in all.split_inclusive('\n') {
        budget::check_often()?;
        for (i, word) in spaces.fields(line.trim_end_matches('\n')).enumerate() {
            if i > 0 {
                tabs.push('\t');
            }
            tabs.push_str(word);
        }
        if line.ends_with('\n') {
            tabs.push('\n');
        }
    }
    Ok(Some(tabs))
}

/// What reading the rows gave: a data set, or where a row of totals begins, before which they end.
enum Outcome {
    Data(Box<Dataset>),
    Totals(usize),
}

/// The column names in the first row.
pub(super) fn header(text: &Text<'_>, format: Format, options: &Options) -> Result<Vec<String>> {
    let all = text.as_str();
    let (start, delimiter) = beginning(all, format, options)?;
    let mut cells = Vec::new();
    let mut records = Records::new(all, start..all.len(), delimiter);
    let record = records.next(&mut cells, WIDEST).map_err(|f| text.error(f))?;
    if may_be_framed(options) && sniff::lacks_a_name(all, records.position(), delimiter, &cells) {
        let offset = record.map_or(0, |record| record.offset);
        cells.insert(0, Cell { offset, text: Cow::Borrowed(""), quoted: false });
    }
    names(&cells, true).map_err(|f| text.error(f))
}

/// The position of row i in a table with a header.
pub(super) fn place_of_row(text: &Text<'_>, format: Format, options: &Options, i: usize) -> Place {
    let all = text.as_str();
    let Ok((start, delimiter)) = beginning(all, format, options) else { return text.place(0) };
    let mut records = Records::new(all, start..all.len(), delimiter);
    let mut at = 0;
    for _ in 0..i + 2 {
        if let Ok(Some(record)) = records.next(&mut Vec::new(), 0) {
            at = record.offset;
        }
    }
    text.place(at)
}

/// Where the table starts after comments and titles, and its delimiter.
fn beginning(all: &str, format: Format, options: &Options) -> Result<(usize, u8)> {
    let start = sniff::start(all);
    if !may_be_framed(options) {
        return Ok((start, delimiter(all, start, format, options)?));
    }
    if let Some((delimiter, start)) = frame::declared(all, start).filter(|_| options.delimiter.is_none()) {
        return Ok((start, delimiter));
    }
    let delimiter = delimiter(all, start, format, options)?;
    Ok((frame::after_titles(all, start, delimiter), delimiter))
}

/// Whether there may be lines around the table: not where cells must be plain, or the caller knows where it begins.
fn may_be_framed(options: &Options) -> bool {
    !options.strict && options.header.is_none()
}

/// Whether there are lines around a table, given the beginning and the end of its text.
pub(super) fn is_framed(beginning: &str, end: &str, format: Format, options: &Options) -> bool {
    let Ok((start, delimiter)) = self::beginning(beginning, format, options) else { return false };
    let mut records = Records::new(beginning, start..beginning.len(), delimiter);
    let width = records.next(&mut Vec::new(), 0).ok().flatten().map_or(0, |record| record.fields);
    let rows = end.find('\n').map_or(end.len(), |n| n + 1);
    may_be_framed(options)
        && (start != sniff::start(beginning) || frame::before_notes(end, rows, delimiter, width) < end.len())
}

fn delimiter(all: &str, start: usize, format: Format, options: &Options) -> Result<u8> {
    match options.delimiter {
        Some(d) if d.is_ascii() && !matches!(d, b'"' | b'\n' | b'\r') => Ok(d),
        Some(d) => {
            Err(Error::param("delimiter", d.escape_ascii(), "an ASCII character, not a quote or line end"))
        }
        None if format == Format::Tsv && all.contains('\t') => Ok(b'\t'),
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
    let read = |limit| read_before(limit, text, format, options, is_missing, size, reserve);
    match read(None)? {
        Outcome::Data(data) => Ok(*data),
        // Types are inferred again without the totals.
        Outcome::Totals(end) => match read(Some(end))? {
            Outcome::Data(data) => Ok(*data),
            Outcome::Totals(_) => Err(text.empty("a header but no rows")),
        },
    }
}

/// Reads the rows before `limit`. Without it, they may end in a row of totals.
fn read_before(
    limit: Option<usize>,
    text: &Text<'_>,
    format: Format,
    options: &Options,
    is_missing: fn(&Cell<'_>) -> bool,
    size: usize,
    reserve: &Reserve,
) -> Result<Outcome> {
    let all = text.as_str();
    let (start, delimiter) = beginning(all, format, options)?;
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
            "write the table with commas or tabs, or give its columns names; `format=ucr` reads series, the class first in each line",
        )));
    }
    let looks_data = sniff::is_data(&first);
    let is_row =
        options.header.is_none() && !options.strict && !looks_data && sniff::is_row(all, start, delimiter);
    let has_header = options.header.unwrap_or(!looks_data && !is_row);
    let rows_named = may_be_framed(options)
        && has_header
        && sniff::lacks_a_name(all, records.position(), delimiter, &first);
    if rows_named {
        first.insert(0, Cell { offset: record.offset, text: Cow::Borrowed(""), quoted: false });
    }
    let names = names(&first, has_header).map_err(|f| text.error(f))?;
    let data_start = if has_header { records.position() } else { record.offset };

    let absent = Absent::with(is_missing, &options.na);
    let split = options.split.as_ref().and_then(|split| names.iter().position(|name| name == split));
    let end = match may_be_framed(options) {
        _ if limit.is_some() => limit.unwrap_or(all.len()),
        true => frame::before_notes(all, data_start, delimiter, names.len()),
        false => all.len(),
    };
    let table = Table { text, delimiter, data_start, end, absent, split };
    let (width, guarded) = (names.len(), split.is_some());
    let (glances, seen) = table.glance(width)?;
    let header = text.place(record.offset);
    let mut roles = assign(&names, options, &header)?;
    let mut warnings = Vec::new();
    warnings.extend(frame::warning(all, sniff::start(all)..start, "above the header"));
    warnings.extend(frame::warning(all, end..all.len(), "below the rows"));
    if has_header {
        warnings.extend(skip_unnamed(&first, &glances, &names, &mut roles));
    }
    if has_header && options.header.is_none() {
        warnings.extend(doubt_header(&first, &glances));
    }
    if is_row {
        let message = "the first row is read as data, because it looks like the others; if it holds the names of the columns, use \
                       `header=yes`";
        warnings.push(Warning::new("W_HEADER", message));
    }
    let indexed = has_header && first.first().is_some_and(|cell| cell.text.trim().is_empty());
    // Freed early, because a very wide table leaves little memory.
    drop(first);
    let reserve = &reserve.without(COLUMN * width);
    // Nothing may depend on the test set, so that the training rows decide, all of them.
    let marks = Marks {
        semicolons: delimiter == b';',
        commas: false,
        points: !guarded && glances.iter().any(|g| g.pointed),
    };
    let dotted: Vec<usize> = (0..width).filter(|&j| glances[j].is_dotted()).collect();
    let commas = marks.semicolons || glances.iter().any(|g| g.commas);
    let unclear = |j: &usize| {
        guarded
            || glances[*j].others > 0
            || glances[*j].is_compact()
            || commas && glances[*j].is_dotted()
            || typing::is_unclear(&names[*j], options)
    };
    let unclear: Vec<usize> = (0..width).filter(unclear).collect();
    drop(glances);
    let fault = |fault| text.error(fault);
    let seen = if guarded { end } else { seen };
    let gather = |wanted: &[usize]| table.gather_known(seen, width, wanted);
    let mut typed = typing::columns(names, &roles, &unclear, marks, options, &gather, &fault)?;
    let planned = |typed: &mut typing::Typed| {
        let columns = std::mem::take(&mut typed.plans);
        let mut plan = Plan::new(columns, options.missing_or_keep(), table.absent.clone());
        plan.marked = typed.marks().commas || typed.marks().semicolons;
        plan
    };
    let mut plan = planned(&mut typed);
    let mut joined = table.parse(&plan, size, reserve)?;
    let mut doubtful = match guarded {
        true => BTreeSet::new(),
        false => typing::doubtful(&plan, &joined, options),
    };
    // Rows after the sample decide what it left open.
    if !guarded && seen < end {
        doubtful.extend(typed.undecided(&joined));
    }
    if !doubtful.is_empty() {
        let doubtful: Vec<usize> = doubtful.into_iter().collect();
        let gather = |wanted: &[usize]| table.gather(end, width, wanted);
        typed.plans = std::mem::take(&mut plan.columns);
        let before = typed.marks();
        let mut changed = typed.decide_again(&doubtful, options, &gather, &fault)?;
        if typed.marks() != before {
            changed |= typed.decide_again(&dotted, options, &gather, &fault)?;
        }
        plan = planned(&mut typed);
        if changed {
            drop(joined);
            joined = table.parse(&plan, size, reserve)?;
        }
    }
    if joined.rows == 0 {
        return Err(text.empty(match joined.dropped {
            0 => "a header but no rows",
            _ => "every row has a missing value, so all were left out",
        }));
    }
    if limit.is_none()
        && may_be_framed(options)
        && !guarded
        && joined.dropped == 0
        && frame::ends_in_totals(&joined.numbers)
        && let Some(from) = frame::last_line(all, data_start, end)
    {
        return Ok(Outcome::Totals(from));
    }
    let place = |offset: usize| format!("line {}", text.place(offset).line);
    warnings.extend(typing::warnings(&typed.notes, &plan, &place));
    warnings.extend(typing::odd_cells(&plan, &joined, &place));
    warnings.extend(joined.without_target(&plan, |offset| text.place(offset).line));
    let data = finish::dataset(&plan, joined, Vec::new(), warnings, options)?;
    let data = if indexed { finish::index_as_ids(data, options)? } else { data };
    let data = if rows_named { roles::row_names_as_ids(data, options)? } else { data };
    Ok(Outcome::Data(Box::new(data)))
}

/// A table whose layout is known.
struct Table<'t> {
    text: &'t Text<'t>,
    delimiter: u8,
    data_start: usize,
    /// Where its rows end.
    end: usize,
    absent: Absent,
    /// The index of the column that marks training and test rows.
    split: Option<usize>,
}

impl<'t> Table<'t> {
    fn records(&self, range: Range<usize>) -> Records<'t> {
        Records::new(self.text.as_str(), range, self.delimiter)
    }

    /// Counts of the first values of each column, and the end of the rows seen. An invalid row ends the sample; the
    /// parser will report it.
    fn glance(&self, width: usize) -> Result<(Vec<Glance>, usize)> {
        let mut glances = vec![Glance::default(); width];
        let mut records = self.records(self.data_start..self.end);
        let mut cells = Vec::new();
        let (start, mut end) = (records.position(), records.position());
        let mut pace = Pace::from(start);
        for row in 0..SEARCH {
            pace.at(records.position())?;
            let enough = row >= SAMPLE
                || row >= SAMPLE_LEAST && (end - start > SAMPLE_BYTES || row * width > SAMPLE_CELLS);
            if enough && (row * width > SAMPLE_CELLS || glances.iter().all(|g| g.is_known())) {
                break;
            }
            match records.next(&mut cells, width) {
                Ok(Some(record)) if record.fields == width => {}
                _ => break,
            }
            if !self.is_evidence(&cells) {
                continue;
            }
            for (glance, cell) in glances.iter_mut().zip(&cells) {
                if (!enough || !glance.is_known()) && !self.absent.is(cell) {
                    glance.add(cell);
                }
            }
            if !enough || glances.iter().all(|g| g.is_known()) {
                end = records.position();
            }
        }
        Ok((glances, end))
    }

    /// Whether the types of columns may follow from a row: it is not one of the test set.
    fn is_evidence(&self, cells: &[Cell<'_>]) -> bool {
        let Some(cell) = self.split.and_then(|j| cells.get(j)) else { return true };
        !parts::is_test(&cell.text).unwrap_or(true)
    }

    /// Like [`Table::gather`]; columns without a value in the training rows, which no model can use, are those of all rows.
    fn gather_known(&self, end: usize, width: usize, wanted: &[usize]) -> Result<Vec<Evidence>> {
        let mut evidence = self.gather(end, width, wanted)?;
        let unknown: Vec<usize> = (0..wanted.len()).filter(|&i| !evidence[i].is_known()).collect();
        if self.split.is_some() && !unknown.is_empty() {
            let columns: Vec<usize> = unknown.iter().map(|&i| wanted[i]).collect();
            let whole = Table { split: None, absent: self.absent.clone(), ..*self };
            for (i, own) in unknown.into_iter().zip(whole.gather(end, width, &columns)?) {
                evidence[i] = own;
            }
        }
        Ok(evidence)
    }

    /// The evidence about some columns in the rows before `end`.
    fn gather(&self, end: usize, width: usize, wanted: &[usize]) -> Result<Vec<Evidence>> {
        let mut evidence: Vec<Evidence> = Vec::new();
        evidence.resize_with(wanted.len(), Evidence::default);
        if wanted.is_empty() {
            return Ok(evidence);
        }
        let mut records = self.records(self.data_start..end);
        let mut cells = Vec::new();
        let mut pace = Pace::from(records.position());
        while let Ok(Some(record)) = records.next(&mut cells, width) {
            pace.at(records.position())?;
            if record.fields != width {
                break;
            }
            if !self.is_evidence(&cells) {
                continue;
            }
            for (own, &j) in evidence.iter_mut().zip(wanted) {
                if let Some(cell) = cells.get(j)
                    && !self.absent.is(cell)
                {
                    own.add(cell);
                }
            }
        }
        Ok(evidence)
    }

    /// The values of all rows.
    fn parse(&self, plan: &Plan, size: usize, reserve: &Reserve) -> Result<Joined> {
        let (text, all) = (self.text, self.text.as_str());
        let rows = all.get(..self.end).unwrap_or(all);
        let ranges = match text.has_quotes() {
            true => records::cut(rows, self.data_start, self.delimiter, size),
            false => parallel::lines(rows, self.data_start, size),
        };
        let parse = |range, reserve: &Reserve| part(self.records(range), all.len(), plan, reserve);
        let parts = parallel::parse(&ranges, |range| parse(range, reserve)).map_err(|f| text.error(f))?;
        let again = |(range, part): (&Range<usize>, Option<Part>)| match part {
            Some(part) => Ok(Some(part)),
            None => parse(range.clone(), &Reserve::endless()),
        };
        let again = budget::carried(again);
        let parts: Result<Vec<_>, Fault> = ranges.par_iter().zip(parts).map(again).collect();
        join(parts.map_err(|f| text.error(f))?.into_iter().flatten().collect(), plan)
    }
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

/// Leaves out columns without name and values, which result from a delimiter at the end of every row.
fn skip_unnamed(
    first: &[Cell<'_>],
    glances: &[Glance],
    names: &[String],
    roles: &mut [Role],
) -> Option<Warning> {
    let mut skipped = Vec::new();
    for (((cell, glance), name), role) in first.iter().zip(glances).zip(names).zip(roles) {
        if cell.text.trim().is_empty() && !glance.is_known() && *role == Role::Feature {
            *role = Role::Ignore;
            skipped.push(name.as_str());
        }
    }
    let message = || format!("columns without name or values left out: {}", skipped.join(", "));
    (!skipped.is_empty() && skipped.len() < names.len()).then(|| Warning::new("W_UNNAMED", message()))
}

/// A warning if the assumed header looks like a row of data.
fn doubt_header(first: &[Cell<'_>], glances: &[Glance]) -> Option<Warning> {
    let numeric = first.iter().zip(glances).filter(|(cell, glance)| {
        glance.numbers >= glance.others && sniff::is_data(std::slice::from_ref(*cell))
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
