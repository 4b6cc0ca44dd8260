//! Detects how a table is written: its start, its delimiter, and whether its first row is a header.

use super::super::build::Cell;
use super::super::number::{self, Number};
use super::frame;
use super::records::Records;

/// Delimiters to try, the most reliable first: commas also occur inside numbers and sentences.
const DELIMITERS: [u8; 4] = [b'\t', b';', b'|', b','];
/// Maximum number of records examined.
const RECORDS: usize = 50;

/// The start of the table after leading comment lines, which are `#` followed by a space, another `#` or nothing. `#id`
/// is a column name.
pub(super) fn start(text: &str) -> usize {
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let bare = line.trim_end();
        let comment = bare.strip_prefix('#').is_some_and(|c| c.is_empty() || c.starts_with(['#', ' ', '\t']));
        if !comment && !bare.is_empty() {
            break;
        }
        at += line.len();
    }
    at
}

/// The delimiter: the first that gives every record the same number of fields, more than one. Otherwise the one with
/// which most records have as many fields as the first.
pub(super) fn delimiter(text: &str, start: usize) -> u8 {
    let mut best = (0, b',');
    for delimiter in DELIMITERS {
        let (records, agreeing) = agreement(text, frame::after_titles(text, start, delimiter), delimiter);
        // A single record agrees with itself under any delimiter.
        if records > 1 && agreeing == records {
            return delimiter;
        }
        if agreeing > best.0 || agreeing == best.0 && agreeing > 0 && delimiter == b',' {
            best = (agreeing, delimiter);
        }
    }
    if best.0 == 0 && is_spaced(text, start) {
        return b' ';
    }
    best.1
}

/// Whether all records have the same number of words separated by single spaces, all numeric except perhaps the first.
fn is_spaced(text: &str, start: usize) -> bool {
    let (records, agreeing) = agreement(text, start, b' ');
    let lines = || text.get(start..).unwrap_or("").lines().filter(|l| !l.is_empty()).take(RECORDS);
    records > 1
        && agreeing == records
        && lines().all(|line| line.split(' ').all(|word| !word.is_empty()))
        && lines().skip(1).all(|line| line.split(' ').all(is_number))
}

fn is_number(word: &str) -> bool {
    !matches!(number::parse(word), Number::Text)
}

/// Whether a table of one column is really several columns of numbers, separated by any number of spaces.
pub(super) fn looks_spaced(text: &str, start: usize) -> bool {
    let mut lines = text.get(start..).unwrap_or("").lines().filter(|l| !l.trim().is_empty());
    // The first may be a header.
    let width = lines.next().map_or(0, |line| line.split_whitespace().count());
    let mut rows = lines.take(RECORDS).peekable();
    width > 1
        && rows.peek().is_some()
        && rows.all(|line| line.split_whitespace().count() == width && line.split_whitespace().all(is_number))
}

/// Whether a text without any delimiter is a table whose fields are separated by runs of spaces: names above rows of as
/// many words, of which one at least is a number in every row.
pub(super) fn is_aligned(text: &str, start: usize) -> bool {
    let words = |line: &str| line.split_whitespace().count();
    let mut lines = text.get(start..).unwrap_or("").lines().filter(|l| !l.trim().is_empty());
    let Some(header) = lines.next() else { return false };
    let rows: Vec<&str> = lines.take(RECORDS).collect();
    let width = words(header);
    let mut numeric = vec![true; width];
    for row in &rows {
        if words(row) != width {
            return false;
        }
        numeric
            .iter_mut()
            .zip(row.split_whitespace())
            .for_each(|(numeric, word)| *numeric &= is_number(word));
    }
    width > 1 && rows.len() > 1 && numeric.contains(&true) && !header.split_whitespace().any(is_number)
}

/// The number of records examined, and of those with as many fields as the first, if that has several.
fn agreement(text: &str, start: usize, delimiter: u8) -> (usize, usize) {
    let mut records = Records::new(text, start..text.len(), delimiter);
    let mut cells = Vec::new();
    let (mut count, mut agreeing, mut width) = (0, 0, 0);
    while count < RECORDS {
        let Ok(Some(record)) = records.next(&mut cells, 0) else { break };
        if count == 0 {
            width = record.fields;
        }
        count += 1;
        agreeing += usize::from(record.fields == width && width > 1);
    }
    (count, agreeing)
}

/// Whether the first record is data: only numbers, well-formed or not.
pub(super) fn is_data(first: &[Cell<'_>]) -> bool {
    first.iter().all(|cell| number::parse(&cell.text) != Number::Text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delimiters() {
        for (text, expected) in [
            ("a,b\n1,2\n", b','),
            ("a;b\n1,5;2,5\n", b';'),
            ("1,5;2,5\n3,5;4,5\n", b';'),
            ("a\tb, c\n1\t2\n", b'\t'),
            ("a|b\n1|2\n", b'|'),
            ("a\n1\n", b','),
            ("a,b,c\n1,2,3\n4,5\n6,7,8\n", b','),
            ("a,b\n\"x;y\",2\n\"z;w\",3\n", b','),
            ("1,2;3\n", b','),
            ("Report of 2024\n\na;b\n1;2,5\n3;4\n", b';'),
            ("a b\n1 2\n3 4\n", b' '),
            ("1 2\n3 4\n", b' '),
            ("one two\nthree four\n", b','),
            ("1 2\n3  4\n", b','),
        ] {
            assert_eq!(delimiter(text, 0), expected, "{text}");
        }
    }

    #[test]
    fn comments_at_the_top() {
        assert_eq!(start("# made by, x\n##\n\na,b\n"), 17);
        assert_eq!(start("#id,b\n"), 0);
    }
}
