//! Sparse rows in the format of LIBSVM and SVMlight: `label index:value …`, with comments after `#`.

use std::ops::Range;

use super::number::{self, Number};
use super::pace::Pace;
use super::roles::{self, Role, target_of_numbers};
use super::text::{Fault, Text, shown};
use super::{Options, parallel};
use crate::budget;
use crate::data::{Column, Dataset, Kind, Sparse, Values};
use crate::error::{Code, Error, Result};

pub(super) fn read(text: &Text<'_>, options: &Options) -> Result<Dataset> {
    read_in_parts(text, options, parallel::PART)
}

fn read_in_parts(text: &Text<'_>, options: &Options, size: usize) -> Result<Dataset> {
    let base = match options.index_base {
        Some(0) => 0,
        Some(1) | None => 1,
        Some(other) => return Err(Error::param("index base", other, "0 or 1")),
    };
    let names = ["label".to_owned(), "x".to_owned()];
    let roles = roles::assign(&names, options, &text.place(0))?;
    if options.kinds.iter().any(|(name, kind)| name == "x" && *kind != Kind::Sparse) {
        let reason = "holds sparse vectors in this format".to_owned();
        return Err(Error::Column { name: "x".into(), reason, hint: None });
    }
    if roles.iter().any(|r| !matches!(r, Role::Target | Role::Feature | Role::Ignore))
        || roles.get(1) == Some(&Role::Target)
    {
        return Err(Error::usage("a LIBSVM file has labels and vectors, but no ids, groups or weights"));
    }
    let all = text.as_str();
    // Indices are stored in 32 bits.
    let rule = Rule { base, dim: options.limits.dim.min(1 << 32) };
    let ranges = parallel::lines(all, 0, size);
    let parts = parallel::parse(&ranges, |range| rule.part(all, range)).map_err(|f| text.error(f))?;

    let dim = parts.iter().map(|p| p.dim).max().unwrap_or(0);
    let stored: usize = parts.iter().map(|p| p.indices.len()).sum();
    budget::ask("the sparse vectors of a file", 12 * stored as u64)?;
    let (mut labels, mut offsets) = (Vec::new(), vec![0]);
    let (mut indices, mut values) = (Vec::with_capacity(stored), Vec::with_capacity(stored));
    for part in parts {
        budget::check()?;
        labels.extend(part.labels);
        offsets.extend(part.ends.iter().map(|end| end + indices.len()));
        indices.extend(part.indices);
        values.extend(part.values);
    }
    if labels.is_empty() {
        return Err(text.empty("only blank lines and comments"));
    }
    let rows = Sparse::new(dim, offsets, indices, values)?;
    let columns = match roles.get(1) {
        Some(Role::Ignore) => Vec::new(),
        _ => vec![Column::new("x", Values::Sparse(rows))],
    };
    let data = Dataset::new(columns)?;
    match roles.first() {
        Some(Role::Target) => data.with_target("label", target_of_numbers(labels, options.target_kind)),
        _ => Ok(data),
    }
}

/// Consecutive rows. `ends` are the row ends in `indices` and `values`.
#[derive(Default)]
struct Part {
    dim: usize,
    labels: Vec<f64>,
    ends: Vec<usize>,
    indices: Vec<u32>,
    values: Vec<f64>,
}

/// The valid range of indices.
struct Rule {
    base: u64,
    dim: u64,
}

impl Rule {
    fn part(&self, all: &str, range: Range<usize>) -> Result<Part, Fault> {
        let mut part = Part::default();
        let mut offset = range.start;
        let mut pace = Pace::from(offset);
        for line in all.get(range).unwrap_or("").split_inclusive('\n') {
            // Only the last line of the file can lack a line end; a token at its end may be truncated.
            let is_cut = !line.ends_with('\n');
            self.line(&mut part, line, offset, is_cut)?;
            offset += line.len();
            pace.at(offset)?;
        }
        Ok(part)
    }

    fn line(&self, part: &mut Part, line: &str, offset: usize, is_cut: bool) -> Result<(), Fault> {
        let content = line.split('#').next().unwrap_or(line);
        let is_cut = is_cut && content.len() == line.len();
        let mut words = Words { text: content, at: 0 };
        let Some((at, label)) = words.next() else { return Ok(()) };
        part.labels.push(read_label(label, offset + at)?);
        let mut last = None;
        while let Some((at, word)) = words.next() {
            let place = offset + at;
            let Some((index, value)) = word.split_once(':') else {
                let reason = format!("{} is not of the form index:value", shown(word));
                return Err(Fault::new(place, Code::Syntax, reason));
            };
            if index == "qid" {
                let reason = "query ids (qid:) are for ranking, which is not supported";
                return Err(Fault::new(place, Code::Syntax, reason).hint("remove the qid: tokens"));
            }
            if value.is_empty() {
                let is_end = is_cut && words.rest().is_empty();
                let (code, why) = if is_end {
                    (Code::Truncated, "the file ends before the value of")
                } else {
                    (Code::Syntax, "no value in")
                };
                return Err(Fault::new(place, code, format!("{why} {}", shown(word))));
            }
            let index = self.index(index, place)?;
            match last {
                Some(before) if index == before => {
                    let reason = format!("index {} occurs twice in a row", index + self.base);
                    return Err(Fault::new(place, Code::IndexDup, reason));
                }
                Some(before) if index < before => {
                    let (index, before) = (index + self.base, before + self.base);
                    let reason = format!("index {index} after {before}: indices must ascend");
                    return Err(Fault::new(place, Code::IndexOrder, reason));
                }
                _ => last = Some(index),
            }
            let value = read_value(value, word, place)?;
            part.dim = part.dim.max(index as usize + 1);
            if value != 0.0 {
                part.indices.push(index as u32);
                part.values.push(value);
            }
        }
        part.ends.push(part.indices.len());
        Ok(())
    }

    /// Parses an index and converts it to count from 0.
    fn index(&self, text: &str, place: usize) -> Result<u64, Fault> {
        let fault = |code, reason: String| Err(Fault::new(place, code, reason));
        let digits = text.strip_prefix('+').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
            return fault(Code::Index, format!("{} is not an index: must be a whole number", shown(text)));
        }
        // Parsing can fail only for too many digits.
        let index = digits.parse::<u64>().unwrap_or(u64::MAX);
        let Some(from_zero) = index.checked_sub(self.base) else {
            return Err(Fault::new(place, Code::IndexBase, "index 0, but indices start at 1")
                .hint("if they start at 0 in this file, use `index-base=0`"));
        };
        if from_zero >= self.dim {
            return Err(Fault::new(
                place,
                Code::DimLimit,
                format!("index {} is above the limit of {} features", shown(digits), self.dim),
            )
            .hint("if there are that many, raise the limit with `max-dim`"));
        }
        Ok(from_zero)
    }
}

fn read_label(word: &str, place: usize) -> Result<f64, Fault> {
    let fault = |code, reason: String| Err(Fault::new(place, code, reason));
    match number::parse(word) {
        Number::Value(v) => Ok(v),
        Number::NonFinite => fault(Code::Label, format!("{} is not a label", shown(word))),
        Number::Overflow => fault(Code::Overflow, format!("label {} is too large for a double", shown(word))),
        Number::Bad(why) => fault(Code::Label, format!("label {} is not a plain number: {why}", shown(word))),
        Number::Text => fault(Code::Label, format!("label {} is not a number", shown(word))),
    }
}

fn read_value(text: &str, word: &str, place: usize) -> Result<f64, Fault> {
    let fault = |code, reason: String| Err(Fault::new(place, code, reason));
    match number::parse(text) {
        Number::Value(v) => Ok(v),
        Number::NonFinite => fault(Code::NonFinite, format!("{}: values must be finite", shown(word))),
        Number::Overflow => fault(Code::Overflow, format!("{} is too large for a double", shown(word))),
        Number::Bad(why) => {
            fault(Code::Number, format!("the value of {} is not a plain number: {why}", shown(word)))
        }
        Number::Text => fault(Code::Number, format!("the value of {} is not a number", shown(word))),
    }
}

/// The words of a line with their offsets.
struct Words<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Words<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn next(&mut self) -> Option<(usize, &'t str)> {
        let rest = self.rest().as_bytes();
        let spaces = rest.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let len = rest.iter().skip(spaces).take_while(|b| !b.is_ascii_whitespace()).count();
        let start = self.at + spaces;
        self.at = start + len;
        self.text.get(start..self.at).filter(|word| !word.is_empty()).map(|word| (start, word))
    }
}

#[cfg(test)]
mod tests {
    use std::borrow::Cow;
    use std::path::Path;

    use proptest::prelude::*;

    use super::*;
    use crate::data::Target;
    use crate::{Limits, TargetKind};

    fn with(text: &[u8], options: &Options, size: usize) -> Result<Dataset> {
        let text = Text::new(Path::new("a.svm"), Cow::Borrowed(text), &Limits::default())?;
        read_in_parts(&text, options, size)
    }

    fn ok(text: &str) -> Dataset {
        with(text.as_bytes(), &Options::default(), 1000).unwrap()
    }

    #[track_caller]
    fn bad(text: &str, code: Code, line: u64, column: u64) -> Error {
        let error = with(text.as_bytes(), &Options::default(), 1000).unwrap_err();
        match &error {
            Error::Parse { place, code: found, .. } => {
                assert_eq!((*found, place.line, place.column), (code, line, column), "{error}");
            }
            other => panic!("{other}"),
        }
        error
    }

    fn rows(data: &Dataset) -> &Sparse {
        match &data.column("x").unwrap().values {
            Values::Sparse(x) => x,
            other => panic!("{:?}", other.kind()),
        }
    }

    const GOOD: &str = "# made by hand\n+1 1:0.5 3:-2 # first\n\n-1 2:1e-3 5:0\n+1\n";

    #[test]
    fn a_file() {
        let data = ok(GOOD);
        let x = rows(&data);
        assert_eq!((x.rows(), x.dim(), x.stored()), (3, 5, 3));
        assert_eq!(x.row(0), (&[0, 2][..], &[0.5, -2.0][..]));
        assert_eq!(x.row(2), (&[][..], &[][..]));
        assert_eq!(data.target_name(), Some("label"));
        assert!(matches!(data.target(), Some(Target::Classes(c)) if c.levels() == ["1", "-1"]));
        for same in [GOOD.replace('\n', "\r\n"), GOOD.replace('\n', "\r"), GOOD.trim_end().to_owned()] {
            assert_eq!(ok(&same), data);
        }
    }

    #[test]
    fn targets() {
        let regression = ok("0.5 1:1\n1 1:2\n");
        assert_eq!(regression.target(), Some(&Target::Numbers(vec![0.5, 1.0])));
        let options = Options { target_kind: TargetKind::Numbers, ..Options::default() };
        let told = with(GOOD.as_bytes(), &options, 1000).unwrap();
        assert_eq!(told.target(), Some(&Target::Numbers(vec![1.0, -1.0, 1.0])));
        let none = Options { no_target: true, ..Options::default() };
        assert_eq!(with(GOOD.as_bytes(), &none, 1000).unwrap().target(), None);
        let wrong = Options { target: Some("class".into()), ..Options::default() };
        assert_eq!(with(GOOD.as_bytes(), &wrong, 1000).unwrap_err().code(), Code::Target);
    }

    #[test]
    fn row_3_only_comments() {
        bad("# a\n\n#b\n", Code::Empty, 0, 0);
    }

    #[test]
    fn row_10_truncated() {
        bad("1 1:2\n1 3:", Code::Truncated, 2, 3);
    }

    #[test]
    fn rows_13_to_18_numbers() {
        bad("1 1:2\n1 1:nan\n", Code::NonFinite, 2, 3);
        bad("1 1:-inf\n", Code::NonFinite, 1, 3);
        bad("1 1:1e999\n", Code::Overflow, 1, 3);
        bad("1 1:2\nnan 1:2\n", Code::Label, 2, 1);
        bad("cat 1:2\n", Code::Label, 1, 1);
        bad("1,2 1:2\n", Code::Label, 1, 1);
        bad("1 1:1,5\n", Code::Number, 1, 3);
        bad("1 1:0x1F\n", Code::Number, 1, 3);
        assert_eq!(rows(&ok("1 1:4.9e-324\n")).values()[0].to_bits(), 1);
    }

    #[test]
    fn rows_28_to_33_indices() {
        bad("1 1:1\n1 3:1 2:1\n", Code::IndexOrder, 2, 7);
        bad("1 3:1 3:1\n", Code::IndexDup, 1, 7);
        bad("1 -1:1\n", Code::Index, 1, 3);
        bad("1 a:1\n", Code::Index, 1, 3);
        bad("1 1.5:1\n", Code::Index, 1, 3);
        let error = bad("1 1:1\n1 0:1 1:1\n", Code::IndexBase, 2, 3);
        assert!(error.hint().unwrap().contains("`index-base=0`"));
        bad("1 2147483647:1\n", Code::DimLimit, 1, 3);
        bad("1 100000000000:1\n", Code::DimLimit, 1, 3);
        bad("1 99999999999999999999999:1\n", Code::DimLimit, 1, 3);
        bad("1 1:\n", Code::Syntax, 1, 3);
        bad("1 1: 2:3\n", Code::Syntax, 1, 3);
        bad("1 1 2\n", Code::Syntax, 1, 3);
        bad("1 qid:3 1:2\n", Code::Syntax, 1, 3);
    }

    #[test]
    fn indices_from_zero() {
        let options = Options { index_base: Some(0), ..Options::default() };
        let data = with(b"1 0:1 2:5\n", &options, 1000).unwrap();
        assert_eq!((rows(&data).dim(), rows(&data).row(0).0), (3, &[0, 2][..]));
        let options = Options { index_base: Some(2), ..Options::default() };
        assert_eq!(with(b"1 2:1\n", &options, 1000).unwrap_err().code(), Code::Param);
    }

    #[test]
    fn extreme_limits() {
        let limits = Limits { dim: u64::MAX, ..Limits::default() };
        let options = Options { limits, ..Options::default() };
        assert_eq!(rows(&with(b"1 4294967296:1\n", &options, 1000).unwrap()).dim(), 1 << 32);
        assert_eq!(with(b"1 4294967297:1\n", &options, 9).unwrap_err().code(), Code::DimLimit);
    }

    proptest! {
        #[test]
        fn any_bytes_give_data_or_an_error(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            let _ = with(&bytes, &Options::default(), 50);
        }

        #[test]
        fn mutations_and_parts_agree(
            edits in prop::collection::vec((0usize..60, prop::sample::select(b"#:\n\r 1x-.e\xFF\x00".to_vec())), 1..6),
            size in 1usize..40,
        ) {
            let mut bytes = GOOD.as_bytes().to_vec();
            for (at, byte) in edits {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            let one = with(&bytes, &Options::default(), usize::MAX).map_err(|e| e.to_string());
            prop_assert_eq!(one, with(&bytes, &Options::default(), size).map_err(|e| e.to_string()));
        }
    }
}
