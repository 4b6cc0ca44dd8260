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

use std::collections::HashMap;
use std::ops::Range;

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
    (classes.len() < records.len() && 2 * classes.len() <= records.len()).then_some(classes)
}

/// Two files of sequences, one for each class.
pub(super) fn two_classes(
    positive: &std::path::Path,
    negative: &std::path::Path,
    options: &Options,
) -> Result<Dataset> {
    if options.sequences.class.is_some() || options.sequences.table.is_some() || options.target.is_some() {
        let reason = "the class is given twice: by two files, and by `target`, `class-in-header` or `table`";
        return Err(Error::usage(reason));
    }
    let mut own = options.clone();
    own.sequences.two = None;
    own.no_target = true;
    let parts = [("positive", positive), ("negative", negative)];
    let (mut strings, mut ids, mut classes, mut warnings) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let mut groups: Vec<Option<String>> = Vec::new();
    let mut alphabets = Vec::new();
    for (class, path) in parts {
        let data = super::read(path, &own)?;
        let Some(Values::Strings(found)) =
            data.columns().first().map(|c| &c.values).filter(|_| data.columns().len() == 1)
        else {
            let reason = "not a file of sequences: two files for two classes are FASTA or FASTQ";
            return Err(Error::parse(Place::file(path), Code::Format, reason));
        };
        let symbols = found.iter().flatten().flat_map(|s| s.chars());
        alphabets.push(Alphabet::infer(symbols.filter(|c| c.is_ascii_alphabetic())));
        classes.extend(std::iter::repeat_n(Some(class), found.len()));
        strings.extend(found.iter().cloned());
        ids.extend(data.ids().unwrap_or_default().iter().cloned());
        groups.extend(data.groups().iter().flat_map(|g| (0..g.len()).map(|i| g.get(i).map(str::to_owned))));
        warnings.extend(data.warnings().iter().filter(|w| w.code != "W_HEADERS").cloned());
    }
    if let [Alphabet::Dna, Alphabet::Rna] | [Alphabet::Rna, Alphabet::Dna] = alphabets[..] {
        let reason = format!("{} sequences, but {} in {}", alphabets[1], alphabets[0], positive.display());
        return Err(Error::parse(Place::file(negative), Code::Alphabet, reason)
            .with_hint("write both with T, or both with U"));
    }
    let count = strings.len();
    let mut data = Dataset::new(vec![Column::new(SEQUENCE, Values::Strings(strings))])?
        .with_target("class", Target::Classes(Categories::from_values(classes.into_iter())))?;
    // Without names in one file, or with the same in both, the sequences have none.
    let unique = ids.iter().collect::<std::collections::HashSet<_>>().len() == count;
    if ids.len() == count && unique {
        data = data.with_ids(ids)?;
    }
    if let Some(name) = &options.group {
        data = data.with_groups(name, Categories::from_values(groups.iter().map(Option::as_deref)))?;
    }
    Ok(data.with_warnings(warnings))
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
    let own =
        Options { id: Some(id), format: None, sequences: SequenceOptions::default(), ..options.clone() };
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
mod tests {
    use std::path::Path;

    use super::*;

    fn read(text: &str, sequences: SequenceOptions) -> Result<Dataset> {
        let options = Options { sequences, ..Options::default() };
        crate::read_bytes(Path::new("a.fasta"), text.as_bytes(), &options)
    }

    fn strings(data: &Dataset) -> Vec<&str> {
        match &data.column(SEQUENCE).unwrap().values {
            Values::Strings(all) => all.iter().map(|s| s.as_deref().unwrap()).collect(),
            other => panic!("{}", other.kind()),
        }
    }

    fn classes(data: &Dataset) -> Vec<String> {
        match data.target() {
            Some(Target::Classes(c)) => (0..c.len()).map(|i| c.get(i).unwrap().to_owned()).collect(),
            other => panic!("{other:?}"),
        }
    }

    fn fault(text: &str) -> (Code, u64, u64) {
        match read(text, SequenceOptions::default()).unwrap_err() {
            Error::Parse { place, code, .. } => (code, place.line, place.column),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn sequences_over_many_lines() {
        let data =
            read("; a comment\n>a first\nacgt\nAC gT\n\n>b|x\r\nNNNN\n", SequenceOptions::default()).unwrap();
        assert_eq!(strings(&data), ["ACGTACGT", "NNNN"]);
        assert_eq!(data.ids().unwrap(), ["a", "b|x"]);
        let keep = SequenceOptions { keep_case: true, ..SequenceOptions::default() };
        assert_eq!(strings(&read(">a\nacGT\n", keep).unwrap()), ["acGT"]);
    }

    #[test]
    fn sequences_with_quality_scores() {
        let read = |text: &str| crate::read_bytes(Path::new("a.fastq"), text.as_bytes(), &Options::default());
        // Quality scores may begin like headers.
        let data = read("@a class=x\nacGT\n+a\n@@+I\n\n@b class=y\nACGN\n+\nIIII\n").unwrap();
        assert_eq!(strings(&data), ["ACGT", "ACGN"]);
        assert_eq!(data.ids().unwrap(), ["a", "b"]);
        assert_eq!(classes(&data), ["x", "y"]);
        assert_eq!(data.warnings().iter().map(|w| w.code).collect::<Vec<_>>(), ["W_CASE", "W_QUALITY"]);
        let code = |text: &str| read(text).unwrap_err().code();
        assert_eq!(code("@a\nACGT\n+\nIII\n"), Code::Syntax);
        assert_eq!(code("@a\nACGT\n+\n"), Code::Truncated);
        assert_eq!(code("@a\nACGT\nACGT\n+\nIIIIIIII\n"), Code::Syntax);
        assert_eq!(code("a\nACGT\n+\nIIII\n"), Code::FastaHeader);
        assert_eq!(code("@a\n\n+\n\n@b\nA\n+\nI\n"), Code::SequenceEmpty);
        assert_eq!(code("@a\nAC\n+\nII\n@a\nA\n+\nI\n"), Code::SequenceDup);
    }

    #[test]
    fn headers_that_repeat_are_the_classes() {
        let text = ">1\nACG\n>1\nACC\n>0\nAC\n>0\nGGG\n>1\nTT\n";
        let data = read(text, SequenceOptions::default()).unwrap();
        assert_eq!((classes(&data).join(""), data.ids()), ("11001".into(), None));
        assert_eq!(data.warnings()[0].code, "W_HEADERS");
        assert!(data.warnings()[0].message.contains("1"));
        let no_target = Options { no_target: true, ..Options::default() };
        let data = crate::read_bytes(Path::new("a.fa"), text.as_bytes(), &no_target).unwrap();
        assert!(data.target().is_none());
        // One name that occurs twice is a mistake.
        assert_eq!(fault(">a\nAC\n>b\nAC\n>c\nAC\n>a\nAC\n").0, Code::SequenceDup);
        assert_eq!(fault(">a x\nAC\n>a y\nAC\n").0, Code::SequenceDup);
    }

    #[test]
    fn lower_case_is_said_aloud() {
        let data = read(">a\nacGT\n>b\nACGT\n", SequenceOptions::default()).unwrap();
        assert_eq!(data.warnings()[0].code, "W_CASE");
        assert!(data.warnings()[0].message.contains("1 of 2"));
        let keep = SequenceOptions { keep_case: true, ..SequenceOptions::default() };
        assert!(read(">a\nacGT\n", keep).unwrap().warnings().is_empty());
        assert!(read(">a\nACGT\n", SequenceOptions::default()).unwrap().warnings().is_empty());
    }

    #[test]
    fn two_files_for_two_classes() {
        let dir = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| {
            std::fs::write(dir.path().join(name), text).unwrap();
            dir.path().join(name)
        };
        let a = put("a.fa", ">x\nACG\n>y\nAC\n");
        let both = |positive: &Path, negative: &Path, class: Option<ClassInHeader>| {
            let two = Some((positive.to_owned(), negative.to_owned()));
            let sequences = SequenceOptions { two, class, ..SequenceOptions::default() };
            crate::read(Path::new("both"), &Options { sequences, ..Options::default() })
        };
        let with = |positive: &Path, negative: &Path| both(positive, negative, None);
        let data = with(&a, &put("b.fa", ">z\nGGG\n")).unwrap();
        assert_eq!(strings(&data), ["ACG", "AC", "GGG"]);
        assert_eq!(classes(&data), ["positive", "positive", "negative"]);
        assert_eq!(data.ids().unwrap(), ["x", "y", "z"]);
        // The same names in both files: no names.
        assert_eq!(with(&a, &put("c.fa", ">x\nGGG\n")).unwrap().ids(), None);
        assert_eq!(with(&a, &put("d.fa", ">r\nACGU\n")).unwrap_err().code(), Code::Alphabet);
        assert_eq!(with(&a, &put("t.csv", "a,b\n1,2\n")).unwrap_err().code(), Code::Format);
        assert_eq!(with(&a, &dir.path().join("none.fa")).unwrap_err().code(), Code::IoOpen);
        assert_eq!(both(&a, &a, Some(ClassInHeader::Last)).unwrap_err().code(), Code::Usage);
    }

    #[test]
    fn rows_44_to_46() {
        assert_eq!(fault("acgt\n>a\nacgt\n"), (Code::FastaHeader, 1, 1));
        assert_eq!(fault(">\nacgt\n"), (Code::FastaHeader, 1, 1));
        assert_eq!(fault(">a\nac\n>b\n>c\nac\n"), (Code::SequenceEmpty, 3, 1));
        assert_eq!(fault(">a\nac\n>b\n"), (Code::SequenceEmpty, 3, 1));
        assert_eq!(fault(">a\nac\n>b\nac\n>a again\nac\n"), (Code::SequenceDup, 5, 1));
        assert_eq!(fault(">a\nacgt\nac-t\n"), (Code::Alphabet, 3, 3));
        assert_eq!(fault(">a\nMKV*\n"), (Code::Alphabet, 2, 4));
        assert_eq!(fault(">a\nac1\n"), (Code::Alphabet, 2, 3));
        let dna = SequenceOptions { alphabet: Some(Alphabet::Dna), ..SequenceOptions::default() };
        assert_eq!(read(">a\nacE\n", dna).unwrap_err().code(), Code::Alphabet);
        let any = SequenceOptions { alphabet: Some(Alphabet::Unicode), ..SequenceOptions::default() };
        assert_eq!(strings(&read(">a\nMK*-1é\n", any).unwrap()), ["MK*-1é"]);
    }

    #[test]
    fn classes_in_headers() {
        let text = ">a class=yes len=3\nacg\n>b class=no\nacg\n";
        assert_eq!(classes(&read(text, SequenceOptions::default()).unwrap()), ["yes", "no"]);
        let by = |class| SequenceOptions { class: Some(class), ..SequenceOptions::default() };
        let text = ">a|EI|x\nacg\n>b|IE y\nacg\n";
        assert_eq!(classes(&read(text, by(ClassInHeader::Piece(2))).unwrap()), ["EI", "IE"]);
        assert_eq!(classes(&read(text, by(ClassInHeader::Last)).unwrap()), ["x", "y"]);
        assert_eq!(read(text, by(ClassInHeader::Piece(4))).unwrap_err().code(), Code::Label);
        let data = read(">1\nacg\n>0\nac\n>1\nggg\n", by(ClassInHeader::Piece(1))).unwrap();
        assert_eq!((classes(&data), data.ids()), (vec!["1".into(), "0".into(), "1".into()], None));
        assert_eq!(read(text, by(ClassInHeader::Key("kind".into()))).unwrap_err().code(), Code::Label);
        assert!(read(text, SequenceOptions::default()).unwrap().target().is_none());
    }

    #[test]
    fn a_table_is_joined_by_id() {
        let dir = tempfile::tempdir().unwrap();
        let table = dir.path().join("t.csv");
        std::fs::write(&table, "id,length,class\nb,2,no\na,3,yes\nz,9,yes\n").unwrap();
        let with = |text: &str| {
            read(text, SequenceOptions { table: Some(table.clone()), ..SequenceOptions::default() })
        };
        let data = with(">a\nacg\n>b\nac\n").unwrap();
        assert_eq!(classes(&data), ["yes", "no"]);
        assert_eq!(data.columns().len(), 2);
        assert_eq!(data.ids().unwrap(), ["a", "b"]);
        assert_eq!(data.warnings()[0].code, "W_UNUSED_ROWS");
        assert_eq!(with(">q\nacg\n").unwrap_err().code(), Code::Missing);
        std::fs::write(&table, "id,class\na,no\na,yes\n").unwrap();
        assert_eq!(with(">a\nacg\n").unwrap_err().code(), Code::SequenceDup);
    }
}
