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

/// Whether all records have the same number of words separated by single spaces, or one more than the first, at least half of
/// the columns being numbers.
fn is_spaced(text: &str, start: usize) -> bool {
    let mut records = Records::new(text, start..text.len(), b' ');
    let mut cells = Vec::new();
    let Ok(Some(first)) = records.next(&mut cells, usize::MAX) else { return false };
    let filled = |cells: &[Cell<'_>]| cells.iter().all(|c| c.quoted || !c.text.is_empty());
    if !filled(&cells) {
        return false;
    }
    let (mut width, mut rows, mut numeric) = (first.fields, 0, Vec::new());
    while rows < RECORDS {
        let Ok(Some(row)) = records.next(&mut cells, usize::MAX) else { break };
        if rows == 0 {
            width = row.fields;
            numeric = vec![true; width];
        }
        if row.fields != width || !filled(&cells) {
            return false;
        }
        // NA is as good as a number.
        let fits = |c: &Cell<'_>| is_number(&c.text) || c.text == "NA";
        numeric.iter_mut().zip(&cells).for_each(|(n, c)| *n &= fits(c));
        rows += 1;
    }
    let numbers = numeric.iter().filter(|n| **n).count();
    rows > 0 && width > 1 && (width == first.fields || width == first.fields + 1) && 2 * numbers >= width
}

/// Cells whose values are compared to tell a row from a header.
const COMPARED: usize = 100_000;

/// Whether the first record is a row rather than a header although it is not all numbers: its numbers stand above numbers, and
/// they are not ascending, or one of its words occurs below. Years are names, and so are wavelengths.
pub(super) fn is_row(text: &str, start: usize, delimiter: u8) -> bool {
    let mut records = Records::new(text, start..text.len(), delimiter);
    let mut first = Vec::new();
    let Ok(Some(record)) = records.next(&mut first, usize::MAX) else { return false };
    let value = |cell: &Cell<'_>| match number::parse(&cell.text) {
        Number::Value(value) => Some(value),
        _ => None,
    };
    let width = record.fields;
    if 3 * first.iter().filter(|cell| value(cell).is_some()).count() < width {
        return false;
    }
    let (mut numeric, mut repeated, mut rows, mut cells) = (vec![true; width], false, 0, Vec::new());
    while rows < RECORDS.min(COMPARED / width.max(1)).max(2) {
        let Ok(Some(row)) = records.next(&mut cells, width) else { break };
        if row.fields != width {
            return false;
        }
        for ((numeric, above), cell) in numeric.iter_mut().zip(&first).zip(&cells) {
            *numeric &= cell.text.is_empty() || cell.text == "NA" || is_number(&cell.text);
            repeated |= !is_number(&cell.text) && !cell.text.is_empty() && cell.text == above.text;
        }
        rows += 1;
    }
    let above: Vec<f64> =
        first.iter().zip(&numeric).filter(|(_, numeric)| **numeric).filter_map(|(c, _)| value(c)).collect();
    let ascending = above.windows(2).all(|pair| pair[0] < pair[1]);
    rows > 0
        && 3 * above.len() >= width
        && (repeated || 2 * above.len() >= width && above.len() > 1 && !ascending)
}

/// Whether every record has one field more than the header: R writes the names of the rows without a name for them.
pub(super) fn lacks_a_name(text: &str, rows: usize, delimiter: u8, header: &[Cell<'_>]) -> bool {
    let named = |c: &Cell<'_>| !c.text.trim().is_empty() && number::parse(&c.text) == Number::Text;
    let width = header.len() + 1;
    if header.is_empty() || width > COMPARED || !header.iter().all(named) {
        return false;
    }
    let mut records = Records::new(text, rows..text.len(), delimiter);
    let (mut count, mut last, mut cells) = (0, false, Vec::new());
    while count < RECORDS.min(COMPARED / width).max(2) {
        let Ok(Some(row)) = records.next(&mut cells, width) else { break };
        if row.fields != width || cells.first().is_none_or(|c| c.text.is_empty()) {
            return false;
        }
        count += 1;
        // A delimiter at the end of every row is no field.
        last |= cells.last().is_some_and(|c| !c.text.is_empty());
    }
    count > 1 && last
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

/// What separates the fields of a text without any delimiter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spaces {
    /// Any run of white space.
    One,
    /// Two spaces or more: fields have single spaces in them.
    Two,
}

impl Spaces {
    /// The fields of a line.
    pub(super) fn fields(self, line: &str) -> impl Iterator<Item = &str> {
        let (one, two) = match self {
            Spaces::One => (Some(line.split_whitespace()), None),
            Spaces::Two => (None, Some(line.split("  ").map(str::trim).filter(|field| !field.is_empty()))),
        };
        one.into_iter().flatten().chain(two.into_iter().flatten())
    }
}

/// How the fields of a text without any delimiter are separated by runs of spaces: names above rows of as many words, or of one
/// more, of which one at least is a number in every row.
pub(super) fn aligned(text: &str, start: usize) -> Option<Spaces> {
    [Spaces::One, Spaces::Two].into_iter().find(|spaces| is_aligned(text, start, *spaces))
}

fn is_aligned(text: &str, start: usize, spaces: Spaces) -> bool {
    let mut lines = text.get(start..).unwrap_or("").lines().filter(|l| !l.trim().is_empty());
    let Some(header) = lines.next() else { return false };
    let rows: Vec<&str> = lines.take(RECORDS).collect();
    let named = spaces.fields(header).count();
    let width = rows.first().map_or(0, |row| spaces.fields(row).count());
    let mut numeric = vec![true; width];
    for row in &rows {
        if spaces.fields(row).count() != width {
            return false;
        }
        numeric.iter_mut().zip(spaces.fields(row)).for_each(|(numeric, word)| *numeric &= is_number(word));
    }
    // Rows of sentences may have as many words by chance.
    let rowed = width == named || width == named + 1 && 2 * numeric.iter().filter(|n| **n).count() >= width;
    named > 1 && rowed && rows.len() > 1 && numeric.contains(&true) && !spaces.fields(header).any(is_number)
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
