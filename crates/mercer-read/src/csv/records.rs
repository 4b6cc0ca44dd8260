//! Splits a table into records and fields.
//!
//! A quote opens a quoted field only at the start of a field; inside, two quotes stand for one and line ends are part
//! of the value. Anywhere else a quote is an ordinary character. Spaces around an unquoted field are removed. Blank
//! lines are skipped. An apostrophe before `=`, `+`, `-` or `@` in a quoted field is removed too: programs add it so
//! that spreadsheets do not evaluate the value.

use std::borrow::Cow;
use std::ops::Range;

use memchr::{memchr, memchr_iter, memchr2};

use super::super::build::Cell;
use super::super::number::trim;
use super::super::text::Fault;
use crate::error::Code;

const QUOTE: u8 = b'"';

/// Iterates over the records of a range of the text.
pub(super) struct Records<'t> {
    text: &'t str,
    pos: usize,
    end: usize,
    delimiter: u8,
    quotes: bool,
}

/// A record: its offset and its number of fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) offset: usize,
    pub(super) fields: usize,
}

impl<'t> Records<'t> {
    /// The records of `range`, which starts and ends between records.
    pub(super) fn new(text: &'t str, range: Range<usize>, delimiter: u8) -> Self {
        let end = range.end.min(text.len());
        let own = text.as_bytes().get(range.start..end).unwrap_or(&[]);
        Records { text, pos: range.start, end, delimiter, quotes: memchr(QUOTE, own).is_some() }
    }

    /// The offset of the next record.
    pub(super) fn position(&self) -> usize {
        self.pos
    }

    /// The next record, with its first `room` fields in `cells`; further fields are only counted.
    pub(super) fn next(&mut self, cells: &mut Vec<Cell<'t>>, room: usize) -> Result<Option<Record>, Fault> {
        cells.clear();
        self.skip_blank_lines();
        if self.pos >= self.end {
            return Ok(None);
        }
        let offset = self.pos;
        let fields = if self.quotes { self.quoted(cells, room)? } else { self.plain(cells, room) };
        Ok(Some(Record { offset, fields }))
    }

    fn bytes(&self) -> &'t [u8] {
        self.text.as_bytes().get(..self.end).unwrap_or(&[])
    }

    fn rest(&self, from: usize) -> &'t [u8] {
        self.bytes().get(from..).unwrap_or(&[])
    }

    fn skip_blank_lines(&mut self) {
        // If spaces (or tabs) are the delimiter, they are part of a record.
        let is_space = |b: &&u8| matches!(**b, b' ' | b'\t') && **b != self.delimiter;
        loop {
            let rest = self.rest(self.pos);
            let spaces = rest.iter().take_while(is_space).count();
            match rest.get(spaces) {
                Some(b'\n') => self.pos += spaces + 1,
                Some(_) => return,
                None => {
                    self.pos = self.end;
                    return;
                }
            }
        }
    }

    /// Parses a record without quotes: one search for its end, one for its delimiters.
    fn plain(&mut self, cells: &mut Vec<Cell<'t>>, room: usize) -> usize {
        let start = self.pos;
        let rest = self.rest(start);
        let line = memchr(b'\n', rest).and_then(|n| rest.get(..n)).unwrap_or(rest);
        let (mut from, mut fields) = (start, 0);
        for at in memchr_iter(self.delimiter, line) {
            self.bare(cells, room, from..start + at);
            from = start + at + 1;
            fields += 1;
        }
        self.bare(cells, room, from..start + line.len());
        self.pos = start + line.len() + 1;
        fields + 1
    }

    /// Parses a record with quotes, field by field.
    fn quoted(&mut self, cells: &mut Vec<Cell<'t>>, room: usize) -> Result<usize, Fault> {
        let mut fields = 0;
        loop {
            let rest = self.rest(self.pos);
            let stop = if rest.first() == Some(&QUOTE) {
                self.in_quotes(cells, room)?
            } else {
                let len = memchr2(self.delimiter, b'\n', rest).unwrap_or(rest.len());
                self.bare(cells, room, self.pos..self.pos + len);
                if fields < room {
                    cells.last_mut().into_iter().for_each(unquote);
                }
                self.pos + len
            };
            fields += 1;
            self.pos = stop + 1;
            if self.rest(stop).first() != Some(&self.delimiter) {
                return Ok(fields);
            }
        }
    }

    /// Parses a quoted field and returns its end: a delimiter, a line end or the end of the text.
    fn in_quotes(&mut self, cells: &mut Vec<Cell<'t>>, room: usize) -> Result<usize, Fault> {
        let open = self.pos;
        let (mut at, mut doubled) = (open + 1, false);
        let close = loop {
            let Some(n) = memchr(QUOTE, self.rest(at)) else {
                return Err(Fault::new(open, Code::Quote, "unclosed quote")
                    .hint("close it, or double it if it is part of the value"));
            };
            if self.rest(at + n + 1).first() != Some(&QUOTE) {
                break at + n;
            }
            doubled = true;
            at += n + 2;
        };
        let after = self.rest(close + 1);
        let spaces = after.iter().take_while(|&&b| b == b' ' && b != self.delimiter).count();
        if after.get(spaces).is_some_and(|&b| b != self.delimiter && b != b'\n') {
            let reason = "text after the closing quote of a field";
            return Err(Fault::new(open, Code::Quote, reason).hint("double the quotes inside the value"));
        }
        if cells.len() < room {
            let inner = without_apostrophe(self.text.get(open + 1..close).unwrap_or(""));
            let text = if doubled { Cow::Owned(inner.replace("\"\"", "\"")) } else { Cow::Borrowed(inner) };
            cells.push(Cell { offset: open, text, quoted: true });
        }
        Ok(close + 1 + spaces)
    }

    fn bare(&self, cells: &mut Vec<Cell<'t>>, room: usize, range: Range<usize>) {
        if cells.len() < room {
            let text = trim(self.text.get(range.clone()).unwrap_or(""));
            cells.push(Cell { offset: range.start, text: Cow::Borrowed(text), quoted: false });
        }
    }
}

/// Removes the quotes of a field that spaces stand before: `a, "b"`.
fn unquote(cell: &mut Cell<'_>) {
    if let Cow::Borrowed(text) = cell.text
        && let Some(inner) = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'))
        && !inner.contains('"')
    {
        (cell.text, cell.quoted) = (Cow::Borrowed(trim(inner)), true);
    }
}

/// The text of a quoted field without the apostrophe that keeps spreadsheets from evaluating it: `'=1+1` is `=1+1`.
fn without_apostrophe(text: &str) -> &str {
    match text.strip_prefix('\'') {
        Some(rest) if rest.trim_start_matches('\'').starts_with(['=', '+', '-', '@', '\t', '\r']) => rest,
        _ => text,
    }
}

/// Ranges of about `size` bytes that end between records.
pub(super) fn cut(text: &str, start: usize, delimiter: u8, size: usize) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let (mut parts, mut from) = (Vec::new(), start);
    // The text from `clear` to the next opening quote is outside quotes.
    let (mut clear, mut open) = (start, opening(bytes, start, delimiter));
    while from < bytes.len() {
        let goal = clear.max(from.saturating_add(size));
        let outside = bytes.get(goal..open).unwrap_or(&[]);
        if let Some(n) = memchr(b'\n', outside) {
            parts.push(from..goal + n + 1);
            from = goal + n + 1;
            clear = from;
        } else if open >= bytes.len() {
            parts.push(from..bytes.len());
            break;
        } else {
            clear = closing(bytes, open);
            open = opening(bytes, clear, delimiter);
        }
    }
    parts
}

/// The next quote at or after `from` that opens a field; the end of the text if there is none.
fn opening(bytes: &[u8], from: usize, delimiter: u8) -> usize {
    let rest = bytes.get(from..).unwrap_or(&[]);
    let starts_field = |at: usize| match at.checked_sub(1).and_then(|i| bytes.get(i)) {
        Some(&before) => before == delimiter || before == b'\n',
        None => true,
    };
    memchr_iter(QUOTE, rest).map(|n| from + n).find(|&at| starts_field(at)).unwrap_or(bytes.len())
}

/// The position after the quote that closes the one at `open`; the end of the text if there is none.
fn closing(bytes: &[u8], open: usize) -> usize {
    let mut at = open + 1;
    while let Some(n) = bytes.get(at..).and_then(|rest| memchr(QUOTE, rest)) {
        if bytes.get(at + n + 1) != Some(&QUOTE) {
            return at + n + 1;
        }
        at += n + 2;
    }
    bytes.len()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Rows = Vec<Vec<(usize, String)>>;

    fn rows(text: &str, range: Range<usize>, quotes: Option<bool>) -> Result<Rows, Fault> {
        let mut records = Records::new(text, range, b',');
        records.quotes = quotes.unwrap_or(records.quotes);
        let (mut cells, mut out) = (Vec::new(), Vec::new());
        while let Some(record) = records.next(&mut cells, usize::MAX)? {
            assert_eq!(record.fields, cells.len());
            out.push(cells.iter().map(|c| (c.offset, c.text.clone().into_owned())).collect());
        }
        Ok(out)
    }

    fn values(text: &str) -> Vec<Vec<String>> {
        let rows = rows(text, 0..text.len(), None).unwrap();
        rows.into_iter().map(|r| r.into_iter().map(|c| c.1).collect()).collect()
    }

    #[test]
    fn fields_and_quotes() {
        assert_eq!(values("a,b\n\n 1 ,\n  \n"), [["a", "b"], ["1", ""]]);
        assert_eq!(values("\"a,\"\"b\"\"\nc\",d\n"), [["a,\"b\"\nc", "d"]]);
        assert_eq!(values("5\" pipe,x\"\n"), [["5\" pipe", "x\""]]);
        assert_eq!(values("\"a\" ,\"\""), [["a", ""]]);
        assert_eq!(values("\"\"\n"), [[""]]);
        assert_eq!(values("\"a\", \"b c\" , \"d\" e\n"), [["a", "b c", "\"d\" e"]]);
    }

    #[test]
    fn row_21_unclosed_quotes() {
        let text = "a,b\n1,\"x\n2,3\n";
        let fault = rows(text, 0..text.len(), None).unwrap_err();
        assert_eq!((fault.code, fault.offset), (Code::Quote, 6));
        let fault = rows("\"a\"b,c\n", 0..7, None).unwrap_err();
        assert_eq!((fault.code, fault.offset), (Code::Quote, 0));
    }

    #[test]
    fn surplus_fields_are_counted_not_kept() {
        let mut cells = Vec::new();
        let record = Records::new("1,2,3,4\n", 0..8, b',').next(&mut cells, 2).unwrap().unwrap();
        assert_eq!((record.fields, cells.len()), (4, 2));
    }

    proptest! {
        #[test]
        fn plain_and_quoted_agree_without_quotes(text in "[ab1 ,\n]{0,60}") {
            prop_assert_eq!(rows(&text, 0..text.len(), Some(false)), rows(&text, 0..text.len(), Some(true)));
        }

        #[test]
        fn parts_agree_with_the_whole(text in "[a,\n\"\" ]{0,60}", size in 1usize..20) {
            let whole = rows(&text, 0..text.len(), Some(true));
            let mut joined: Result<Rows, Fault> = Ok(Vec::new());
            let parts = cut(&text, 0, b',', size);
            prop_assert_eq!(parts.iter().map(|r| &text[r.clone()]).collect::<String>(), text.clone());
            for part in parts {
                match (&mut joined, rows(&text, part, None)) {
                    (Ok(all), Ok(more)) => all.extend(more),
                    (Ok(_), Err(fault)) => joined = Err(fault),
                    (Err(_), _) => {}
                }
            }
            prop_assert_eq!(joined, whole);
        }

        #[test]
        fn agrees_with_another_csv_parser(text in "[ab,\n\"]{0,40}") {
            // Compared only for well-formed fields; the other parser accepts some input that this one rejects.
            let whole = rows(&text, 0..text.len(), Some(true));
            if let Ok(ours) = whole {
                let ours: Vec<Vec<String>> = ours.into_iter().map(|r| r.into_iter().map(|c| c.1).collect()).collect();
                prop_assert_eq!(ours, theirs(&text));
            }
        }
    }

    fn theirs(text: &str) -> Vec<Vec<String>> {
        let mut reader = csv_core::Reader::new();
        let (mut rest, mut out) = (text.as_bytes(), Vec::new());
        let (mut field, mut ends) = ([0; 256], [0; 256]);
        let (mut written, mut count) = (0, 0);
        loop {
            let (result, read, wrote, ended) =
                reader.read_record(rest, &mut field[written..], &mut ends[count..]);
            rest = &rest[read..];
            written += wrote;
            count += ended;
            match result {
                csv_core::ReadRecordResult::InputEmpty => {}
                csv_core::ReadRecordResult::Record => {
                    let starts = [0].into_iter().chain(ends);
                    let value = |(a, b): (usize, &usize)| String::from_utf8(field[a..*b].to_vec()).unwrap();
                    out.push(starts.zip(&ends[..count]).map(value).collect());
                    (written, count) = (0, 0);
                }
                _ => return out,
            }
        }
    }
}
