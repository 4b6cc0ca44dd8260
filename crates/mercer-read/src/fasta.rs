//! Sequences in FASTA and FASTQ.
//!
//! A record is `>id description` followed by the sequence on one or more lines. All sequences are in one column named
//! `sequence`; objects are named after the first word of their header. White space within a sequence is ignored, and so
//! are lines that begin with `;`.
//!
//! The alphabet is the declared one, or the smallest of DNA, RNA and protein that contains all symbols of the file,
//! ambiguity codes included. Anything else (`*`, `-`, digits) is an error with its position. Symbols are converted to
//! upper case, because lower case only marks repeats. The alphabets `unicode` and `bytes` accept everything unchanged.
//!
//! FASTQ has four lines per record: `@id description`, the sequence, `+`, and one quality score per symbol, which is
//! not read.
//!
//! The target is in the headers or in a table: see [`SequenceOptions`]. If every header is one word and few words
//! repeat, as in `>1` and `>0`, they are the classes, and the sequences have no names.

mod two;

use std::collections::HashMap;
use std::ops::Range;

pub(super) use self::two::two_classes;

use super::pace::Pace;
use super::roles::{TARGETS, target_of_names};
use super::text::{Fault, Text, shown};
use super::{ClassInHeader, Format, Options, SequenceOptions};
use crate::budget;
use crate::data::{Alphabet, Categories, Column, Dataset, Target, Values};
use crate::error::{Code, Error, Place, Result, Warning};

/// The name of the column of sequences.
const SEQUENCE: &str = "sequence";

/// One sequence: its header, and the ranges of its lines in the text.
struct Record<'t> {
    /// The header after `>`.
    header: &'t str,
    /// Offset of the header's line.
    offset: usize,
    lines: Vec<Range<usize>>,
}

impl<'t> Record<'t> {
    fn id(&self) -> &'t str {
        self.header.split_whitespace().next().unwrap_or("")
    }

    /// The fields of the header, separated by white space or `|`.
    fn pieces(&self) -> impl Iterator<Item = &'t str> + use<'t> {
        let pieces = self.header.split(|c: char| c.is_whitespace() || c == '|');
        pieces.map(|p| p.trim_matches(['[', ']'])).filter(|p| !p.is_empty())
    }

    fn value(&self, key: &str) -> Option<&'t str> {
        self.pieces()
            .filter_map(|p| p.split_once('='))
            .find(|(k, _)| k.eq_ignore_ascii_case(key))
            .map(|(_, v)| v)
    }
}

pub(super) fn read(text: &Text<'_>, format: Format, options: &Options) -> Result<Dataset> {
    let all = text.as_str();
    let records = match format {
        Format::Fastq => fastq_records(all),
        _ => records(all),
    };
    let records = records.map_err(|fault| text.error(fault))?;
    let mut warnings = Vec::new();
    let mut own = options.clone();
    if let Some(classes) =
        repeated(&records).filter(|_| options.sequences.table.is_none() && options.sequences.class.is_none())
    {
        let classes = classes.iter().map(|c| shown(c)).collect::<Vec<_>>().join(", ");
        let message = format!("the headers repeat and are read as the classes: {classes}");
        warnings.push(Warning::new("W_HEADERS", message));
        own.sequences.class = Some(ClassInHeader::Piece(1));
    }
    let options = &own;
    // If the first word of each header is the class, sequences have no names.
    let unnamed =
        options.sequences.table.is_none() && matches!(options.sequences.class, Some(ClassInHeader::Piece(1)));
    if !unnamed {
        check_ids(&records).map_err(|fault| text.error(fault))?;
    }
    let alphabet = options.sequences.alphabet.unwrap_or_else(|| {
        let symbols = records.iter().flat_map(|r| &r.lines).flat_map(|line| all[line.clone()].chars());
        match Alphabet::infer(symbols.filter(|c| c.is_ascii_alphabetic())) {
            Alphabet::Unicode => Alphabet::Protein,
            found => found,
        }
    });
    let sequences = records.iter().map(|r| sequence(all, r, alphabet, &options.sequences).map(Some));
    let sequences: Vec<Option<String>> =
        sequences.collect::<std::result::Result<_, Fault>>().map_err(|fault| text.error(fault))?;
    let is_masked = |r: &&Record<'_>| {
        r.lines.iter().any(|line| all[line.clone()].bytes().any(|b| b.is_ascii_lowercase()))
    };
    let masked = if options.sequences.keep_case || !matches!(alphabet, Alphabet::Dna | Alphabet::Rna) {
        0
    } else {
        records.iter().filter(is_masked).count()
    };
    if masked > 0 {
        let message = format!(
            "lower-case symbols in {masked} of {} sequences are read as upper case; `keep-case` keeps them",
            records.len()
        );
        warnings.push(Warning::new("W_CASE", message));
    }
    let column = Column::new(SEQUENCE, Values::Strings(sequences));
    let ids: Vec<String> = records.iter().map(|r| r.id().to_owned()).collect();
    let data = match &options.sequences.table {
        Some(_) => joined(column, ids, text, &records, options),
        None => headed(column, ids, text, &records, options),
    }?;
    let data = if unnamed { data.without_ids() } else { data };
    if format == Format::Fastq {
        warnings.push(Warning::new("W_QUALITY", "the quality scores of FASTQ sequences are not read"));
    }
    let warnings = [data.warnings().to_vec(), warnings].concat();
    Ok(data.with_warnings(warnings))
}

/// The most classes that are recognised in headers without being asked for.
const MOST_CLASSES: usize = 20;

/// The headers in order of appearance, if they are single words of which few repeat often.
fn repeated<'t>(records: &[Record<'t>]) -> Option<Vec<&'t str>> {
    let mut classes: Vec<&str> = Vec::new();
    for record in records {
        if record.header.contains(char::is_whitespace) {
            return None;
        }
        if !classes.contains(&record.header) {
            classes.push(record.header);
        }
        if classes.len() > MOST_CLASSES {
            return None;
        }
    }
    (classes.len() > 1 && 2 * classes.len() <= records.len()).then_some(classes)
}

/// The records of FASTQ: header, sequence, separator and quality scores, one line each.
fn fastq_records(all: &str) -> std::result::Result<Vec<Record<'_>>, Fault> {
    let mut start = 0;
    let mut lines = all
        .split_inclusive('\n')
        .map(|line| {
            let offset = start;
            start += line.len();
            (offset, line.trim_end())
        })
        .peekable();
    let mut out: Vec<Record<'_>> = Vec::new();
    let mut pace = Pace::from(0);
    loop {
        // Blank lines are allowed between records; within one an empty line is an empty sequence.
        while lines.next_if(|(_, line)| line.is_empty()).is_some() {}
        let Some((offset, line)) = lines.next() else { break };
        pace.at(offset)?;
        let header = line.strip_prefix('@').map(str::trim).filter(|h| !h.is_empty()).ok_or_else(|| {
            Fault::new(offset, Code::FastaHeader, format!("expected a header '@name', got {}", shown(line)))
                .hint("a FASTQ sequence has four lines: @name, sequence, +, quality scores")
        })?;
        let cut = || {
            let name = header.split_whitespace().next().unwrap_or("");
            Fault::new(offset, Code::Truncated, format!("the file ends within {}", shown(name)))
        };
        let (at, symbols) = lines.next().ok_or_else(cut)?;
        let (plus, separator) = lines.next().ok_or_else(cut)?;
        if !separator.starts_with('+') {
            let reason = format!("expected '+', got {}", shown(separator));
            return Err(Fault::new(plus, Code::Syntax, reason)
                .hint("a FASTQ sequence has four lines: @name, sequence, +, quality scores"));
        }
        let (end, qualities) = lines.next().ok_or_else(cut)?;
        if qualities.len() != symbols.len() {
            let reason = format!("{} quality scores for {} symbols", qualities.len(), symbols.len());
            return Err(Fault::new(end, Code::Syntax, reason));
        }
        let span = at..at + symbols.len();
        out.push(Record { header, offset, lines: if symbols.is_empty() { Vec::new() } else { vec![span] } });
    }
    match out.iter().find(|r| r.lines.is_empty()) {
        Some(r) => {
            Err(Fault::new(r.offset, Code::SequenceEmpty, format!("no sequence for {}", shown(r.id()))))
        }
        None if out.is_empty() => Err(Fault::new(0, Code::FastaHeader, "no line begins with '@'")),
        None => Ok(out),
    }
}

fn records(all: &str) -> std::result::Result<Vec<Record<'_>>, Fault> {
    let mut records: Vec<Record<'_>> = Vec::new();
    let mut start = 0;
    let mut pace = Pace::from(0);
    for line in all.split_inclusive('\n') {
        let offset = start;
        start += line.len();
        pace.at(start)?;
        let own = line.trim_end();
        if let Some(header) = own.strip_prefix('>') {
            let header = header.trim();
            if header.is_empty() {
                return Err(Fault::new(offset, Code::FastaHeader, "a header without a name"));
            }
            records.push(Record { header, offset, lines: Vec::new() });
        } else if !own.trim_start().is_empty() && !own.starts_with(';') {
            let Some(last) = records.last_mut() else {
                let reason = format!("{} before the first '>'", shown(own));
                return Err(Fault::new(offset, Code::FastaHeader, reason));
            };
            last.lines.push(offset..offset + own.len());
        }
    }
    match records.iter().find(|r| r.lines.is_empty()) {
        Some(r) => {
            Err(Fault::new(r.offset, Code::SequenceEmpty, format!("no sequence for {}", shown(r.id()))))
        }
        None if records.is_empty() => Err(Fault::new(0, Code::FastaHeader, "no line begins with '>'")),
        None => Ok(records),
    }
}

fn check_ids(records: &[Record<'_>]) -> std::result::Result<(), Fault> {
    let mut seen = std::collections::HashSet::with_capacity(records.len());
    match records.iter().find(|r| !seen.insert(r.id())) {
        Some(r) => {
            let fault =
                Fault::new(r.offset, Code::SequenceDup, format!("duplicate sequence name {}", shown(r.id())));
            Err(fault.hint("if the first word of each header is the class, use `class-in-header=1`"))
        }
        None => Ok(()),
    }
}

fn sequence(
    all: &str,
    record: &Record<'_>,
    alphabet: Alphabet,
    options: &SequenceOptions,
) -> std::result::Result<String, Fault> {
    let as_is = options.keep_case || matches!(alphabet, Alphabet::Unicode | Alphabet::Bytes);
    let mut out = String::with_capacity(record.lines.iter().map(Range::len).sum());
    for line in &record.lines {
        budget::check_often()?;
        for (at, symbol) in all[line.clone()].char_indices().filter(|(_, c)| !c.is_whitespace()) {
            if !alphabet.may_hold(symbol) {
                let how = if options.alphabet.is_some() { "" } else { ", detected from the other symbols" };
                let reason = format!(
                    "{} in {} is not in the alphabet {alphabet}{how}",
                    shown(&symbol.to_string()),
                    shown(record.id())
                );
                return Err(Fault::new(line.start + at, Code::Alphabet, reason)
                    .hint("declare the alphabet with `alphabet`; unicode accepts any character"));
            }
            out.push(if as_is { symbol } else { symbol.to_ascii_uppercase() });
        }
    }
    Ok(out)
}

/// Builds the data set with ids, target and groups from the headers.
fn headed(
    column: Column,
    ids: Vec<String>,
    text: &Text<'_>,
    records: &[Record<'_>],
    options: &Options,
) -> Result<Dataset> {
    let mut data = Dataset::new(vec![column])?;
    let missing = |r: &Record<'_>, what: &str| {
        let fault =
            Fault::new(r.offset, Code::Label, format!("the header of {} has no {what}", shown(r.id())));
        text.error(fault)
    };
    let values = |name: &str, of: &dyn Fn(&Record<'_>) -> Option<String>| -> Result<Categories> {
        let all = records.iter().map(|r| of(r).ok_or_else(|| missing(r, name)));
        let all = all.collect::<Result<Vec<String>>>()?;
        Ok(Categories::from_values(all.iter().map(|v| Some(v.as_str()))))
    };
    let target = match (&options.sequences.class, &options.target) {
        _ if options.no_target => None,
        (Some(ClassInHeader::Key(key)), _) => Some(key.clone()),
        (Some(_), named) => Some(named.clone().unwrap_or_else(|| "class".into())),
        (None, Some(named)) => {
            let there = records.iter().any(|r| r.value(named).is_some());
            if !there && !options.optional_names {
                let place = text.place(records.first().map_or(0, |r| r.offset));
                let reason = format!("no header has the target {named}=…");
                return Err(Error::parse(place, Code::Target, reason));
            }
            there.then(|| named.clone())
        }
        (None, None) => {
            let named = |name: &&&str| records.iter().all(|r| r.value(name).is_some());
            TARGETS.iter().find(named).map(|name| (*name).to_owned())
        }
    };
    if let Some(name) = target {
        let of = |r: &Record<'_>| -> Option<String> {
            let piece = match &options.sequences.class {
                Some(ClassInHeader::Piece(n)) => r.pieces().nth(n.checked_sub(1)?),
                Some(ClassInHeader::Last) => r.pieces().skip(1).last(),
                _ => r.value(&name),
            };
            piece.map(str::to_owned)
        };
        // New objects may lack a class.
        if !options.optional_names || records.iter().all(|r| of(r).is_some()) {
            let Target::Classes(classes) = target_of_names(values(&name, &of)?) else {
                return Err(Error::usage("the classes in the headers could not be read"));
            };
            data = data.with_target(&name, Target::Classes(classes))?;
        }
    }
    if let Some(group) = &options.group {
        data = data.with_groups(group, values(group, &|r| r.value(group).map(str::to_owned))?)?;
    }
    data.with_ids(ids)
}

/// Builds the data set with a table about the sequences, joined by name.
fn joined(
    column: Column,
    ids: Vec<String>,
    text: &Text<'_>,
    records: &[Record<'_>],
    options: &Options,
) -> Result<Dataset> {
    let Some(path) = &options.sequences.table else { return Err(Error::usage("no table to join")) };
    let id = options.id.clone().unwrap_or_else(|| "id".into());
    let sequences = SequenceOptions::default();
    let own = Options { id: Some(id), format: None, split: None, sequences, ..options.clone() };
    let table = super::read(path, &own)?;
    let mut rows: HashMap<&str, usize> = HashMap::new();
    for (i, name) in table.ids().unwrap_or_default().iter().enumerate() {
        if rows.insert(name, i).is_some() {
            let reason = format!("{} occurs twice", shown(name));
            return Err(Error::parse(Place::file(path), Code::SequenceDup, reason));
        }
    }
    let mut chosen = Vec::with_capacity(ids.len());
    for record in records {
        let Some(&row) = rows.get(record.id()) else {
            let reason = format!("{} is not in {}", shown(record.id()), path.display());
            return Err(text.error(Fault::new(record.offset, Code::Missing, reason)));
        };
        chosen.push(row);
    }
    let mut warnings = table.warnings().to_vec();
    if rows.len() > chosen.len() {
        let message =
            format!("{} of {} rows of the table match no sequence", rows.len() - chosen.len(), rows.len());
        warnings.push(Warning::new("W_UNUSED_ROWS", message));
    }
    let table = table.select(&chosen);
    let mut columns = vec![column];
    columns.extend(table.columns().iter().cloned());
    table.with_columns(columns)?.with_ids(ids).map(|data| data.with_warnings(warnings))
}

#[cfg(test)]
#[path = "fasta/tests.rs"]
mod tests;
