//! Lines around a table that do not belong to it: titles above the header, notes and totals below the rows.
//!
//! Spreadsheets are exported with them. They are left out with a warning, never where cells have to be plain
//! ([`Options::strict`](crate::Options::strict)).

use super::super::number::{self, Number};
use super::super::text::shown;
use super::records::Records;
use super::sniff;
use crate::error::Warning;

/// Lines that may surround a table, on either side.
const MOST: usize = 20;
/// Columns of a table below titles of several cells, at most.
const WIDE: usize = 1000;
/// Records that show how wide a table is.
const RECORDS: usize = 50;
/// Words that begin a row of totals or means, in lower case.
const TOTALS: [&str; 36] = [
    "total",
    "totals",
    "grand total",
    "grand totals",
    "subtotal",
    "overall",
    "overall total",
    "sum",
    "sums",
    "all",
    "average",
    "averages",
    "avg",
    "mean",
    "means",
    "summe",
    "gesamt",
    "gesamtsumme",
    "insgesamt",
    "mittelwert",
    "durchschnitt",
    "somme",
    "total général",
    "moyenne",
    "suma",
    "total general",
    "promedio",
    "media",
    "somma",
    "totale",
    "totaal",
    "som",
    "gemiddelde",
    "soma",
    "média",
    "summa",
];
/// The chance that a last row of totals is one by accident, at most.
const ACCIDENT: f64 = 1e-6;
/// Rows above totals that no word announces.
const LEAST: usize = 4;

/// The delimiter that the first line declares, as Excel writes it (`sep=;`), and where the table starts after it.
pub(super) fn declared(text: &str, start: usize) -> Option<(u8, usize)> {
    let line = text.get(start..)?.split_inclusive('\n').next()?;
    let word = line.trim_end();
    let sign =
        word.get(..4).filter(|begin| begin.eq_ignore_ascii_case("sep=")).and_then(|_| word.get(4..))?;
    match sign.as_bytes() {
        [one] if !matches!(one, b'"' | b'=') => Some((*one, start + line.len())),
        // Trailing white space was trimmed, and a tab is white space.
        [] if line.get(4..)?.starts_with('\t') => Some((b'\t', start + line.len())),
        _ => None,
    }
}

/// Where the table starts after titles: records with at most one value above a header of several, or records with gaps
/// that an empty one separates from a complete header.
pub(super) fn after_titles(text: &str, start: usize, delimiter: u8) -> usize {
    if let Some(header) = after_gap(text, start, delimiter) {
        return header;
    }
    match after_short_titles(text, start, delimiter, 1) {
        header if header != start => header,
        // Titles of two cells need a table that is much wider, and a first line with counts one of numbers alone.
        _ => match after_short_titles(text, start, delimiter, 2) {
            header if header != start => header,
            _ => after_counts(text, start, delimiter).unwrap_or(start),
        },
    }
}

/// Rows below a line of counts that a first line of another width shows, all of them numbers: `150,4,setosa,versicolor`.
const COUNTED: usize = 10;

/// The first row below a single line that is narrower than the rows, where these are numbers without a header.
fn after_counts(text: &str, start: usize, delimiter: u8) -> Option<usize> {
    let mut records = Records::new(text, start..text.len(), delimiter);
    let mut cells = Vec::new();
    let first = records.next(&mut cells, WIDE).ok().flatten()?;
    let begin = records.position();
    let (mut width, mut rows) = (0, 0);
    while rows < RECORDS {
        let Ok(Some(row)) = records.next(&mut cells, WIDE) else { break };
        if rows == 0 {
            width = row.fields;
        }
        if row.fields != width || width > WIDE || !sniff::is_data(&cells) {
            return None;
        }
        rows += 1;
    }
    // A header that lacks the name of the first column has one field less.
    (rows >= COUNTED && first.fields + 1 < width).then_some(begin)
}

/// The header below an empty record (`,,`), if the records above it are titles: the first alone, or others with gaps.
fn after_gap(text: &str, start: usize, delimiter: u8) -> Option<usize> {
    let mut records = Records::new(text, start..text.len(), delimiter);
    let mut cells = Vec::new();
    let (mut above, mut complete, mut empty) = (0, 0, false);
    loop {
        let record = records.next(&mut cells, WIDE).ok().flatten()?;
        let filled = cells.iter().filter(|c| !c.text.trim().is_empty()).count();
        if filled == 0 && record.fields > 1 {
            empty = true;
        } else if empty {
            // The header: all names, above rows that are as wide and have numbers.
            let names = cells
                .iter()
                .all(|c| !c.text.trim().is_empty() && matches!(number::parse(&c.text), Number::Text));
            let fits = above > 0 && names && record.fields >= 3 && record.fields <= WIDE;
            return (fits && are_rows(&mut records, record.fields)).then_some(record.offset);
        } else {
            above += 1;
            complete += usize::from(filled == record.fields && record.fields > 1);
            // A header and its rows are complete.
            if above > MOST || complete > 1 {
                return None;
            }
        }
    }
}

/// Whether the next records have a width, all of them, and digits somewhere.
fn are_rows(records: &mut Records<'_>, width: usize) -> bool {
    let (mut rows, mut digits, mut cells) = (0, false, Vec::new());
    while rows < RECORDS {
        let Ok(Some(row)) = records.next(&mut cells, width) else { break };
        if row.fields != width {
            return false;
        }
        rows += 1;
        digits |= cells.iter().any(|c| c.text.bytes().any(|b| b.is_ascii_digit()));
    }
    rows > 1 && digits
}

/// The header below records with at most `most` values.
fn after_short_titles(text: &str, start: usize, delimiter: u8, most: usize) -> usize {
    let mut records = Records::new(text, start..text.len(), delimiter);
    let mut cells = Vec::new();
    let mut titles: Vec<usize> = Vec::new();
    loop {
        let Ok(Some(record)) = records.next(&mut cells, usize::MAX) else { return start };
        let filled = cells.iter().filter(|c| !c.text.trim().is_empty()).count();
        if filled <= most && titles.len() < MOST {
            titles.push(record.fields);
            continue;
        }
        // The first record with several values is the header, if the rows below it are as wide.
        let (width, header) = (record.fields, record.offset);
        let fits = |fields: &usize| match most {
            1 => *fields == 1 && width >= 2 || width >= 3,
            _ => *fields <= most && width >= 5,
        };
        if titles.is_empty() || !titles.iter().all(fits) || 2 * filled < width || sniff::is_data(&cells) {
            return start;
        }
        let (mut rows, mut agreeing) = (0, 0);
        while rows < RECORDS {
            let Ok(Some(row)) = records.next(&mut cells, 0) else { break };
            rows += 1;
            agreeing += usize::from(row.fields == width);
        }
        let enough = if most == 1 { rows > 0 && 2 * agreeing > rows } else { rows >= 5 && agreeing == rows };
        return if enough { header } else { start };
    }
}

/// Where the rows of a table of this width end, before notes and totals at the end of the text.
pub(super) fn before_notes(text: &str, start: usize, delimiter: u8, width: usize) -> usize {
    let mut end = text.len();
    // Without a line end the last record may have been cut, and is no note.
    if width < 2 || !text.ends_with('\n') {
        return end;
    }
    let mut upto = end;
    for _ in 0..MOST {
        let Some(rows) = text.get(start..upto).map(|t| t.trim_end_matches(['\n', '\r', ' '])) else { break };
        let from = start + rows.rfind('\n').map_or(0, |n| n + 1);
        let line = text.get(from..start + rows.len()).unwrap_or("");
        if from == start
            || line.contains('"')
            || !(is_note(line, delimiter)
                || total(line, delimiter, width).is_some_and(|word| is_alone(text.get(start..from), word)))
        {
            break;
        }
        (end, upto) = (from, from);
    }
    end
}

/// A line without fields, of several words or marked as a footnote.
fn is_note(line: &str, delimiter: u8) -> bool {
    let mut cells = line.split(char::from(delimiter));
    let first = cells.next().unwrap_or("").trim();
    let alone = cells.all(|cell| cell.trim().is_empty());
    let words = first.split_whitespace().nth(1).is_some() || first.starts_with(['*', '#', '†', '‡']);
    // Delimiters without values after it are those of an empty record; a row of one value could be one.
    alone && words && !line.contains(char::from(delimiter)) && number::parse(first) == Number::Text
}

/// The word of a row that begins with one for a total or a mean, and holds numbers or nothing else.
fn total(line: &str, delimiter: u8, width: usize) -> Option<&str> {
    let cells: Vec<&str> = line.split(char::from(delimiter)).map(str::trim).collect();
    let mut filled = cells.iter().filter(|c| !c.is_empty());
    let first = *filled.next()?;
    let word = first.trim_end_matches(':').trim_end().to_lowercase();
    let numbers = filled.filter(|c| c.bytes().any(|b| b.is_ascii_digit())).count();
    let gaps = cells.iter().filter(|c| c.is_empty()).count();
    let complete = numbers > 0 && numbers + 1 + gaps == cells.len();
    (cells.len() == width && (gaps > 0 || complete) && TOTALS.contains(&word.as_str())).then_some(first)
}

/// Whether no other row begins with a word: then it is not one of the values of a column.
fn is_alone(rows: Option<&str>, word: &str) -> bool {
    let begins =
        |line: &str| line.trim_start().get(..word.len()).is_some_and(|w| w.eq_ignore_ascii_case(word));
    !rows.is_some_and(|rows| rows.lines().any(begins))
}

/// Whether the last value of every column is the sum, or the mean, of those above it: a row of totals without a word for
/// it.
///
/// A last value equals a sum s by accident with a chance of about 2t / |s|, and a mean with one of 2t / (max − min), t
/// being half a unit of the last decimal of the column. The product over all columns has to be at most 10⁻⁶. Zeros and
/// missing values show nothing. The first column that does not fit ends the search: O(n) for nearly every table.
pub(super) fn ends_in_totals(columns: &[Vec<f64>]) -> bool {
    let mut accident = 1.0;
    for column in columns {
        let Some((last, above)) = column.split_last() else { return false };
        if above.len() < LEAST {
            return false;
        }
        if last.is_nan() {
            continue;
        }
        let known = || above.iter().copied().filter(|v| !v.is_nan());
        let (mut sum, mut count, mut low, mut high, mut size) =
            (0.0f64, 0.0f64, f64::INFINITY, f64::NEG_INFINITY, 0.0f64);
        for v in known() {
            (sum, count, low, high, size) = (sum + v, count + 1.0, low.min(v), high.max(v), size + v.abs());
        }
        let places = known().take(RECORDS).map(decimals).fold(decimals(*last), i32::max);
        let half = 0.5 * 10f64.powi(-places);
        let fits = |value: f64| (value - last).abs() <= half * 1.001 + 1e-12 * size;
        if fits(sum) {
            if *last != 0.0 {
                accident *= (2.0 * half / sum.abs()).min(1.0);
            }
        } else if count > 0.0 && fits(sum / count) {
            if *last != 0.0 && high > low {
                accident *= (2.0 * half / (high - low)).min(1.0);
            }
        } else {
            return false;
        }
    }
    accident <= ACCIDENT
}

/// Decimals of a number, at most six.
fn decimals(value: f64) -> i32 {
    let whole = |places: &i32| {
        let scaled = value * 10f64.powi(*places);
        (scaled - scaled.round()).abs() <= 1e-9 * scaled.abs().max(1.0)
    };
    (0..6).find(whole).unwrap_or(6)
}

/// The start of the last line with anything in it before `end`, unless it has quotes, in which a line end may be.
pub(super) fn last_line(text: &str, start: usize, end: usize) -> Option<usize> {
    let rows = text.get(start..end)?.trim_end_matches(['\n', '\r', ' ', '\t']);
    let from = start + rows.rfind('\n')? + 1;
    let line = text.get(from..start + rows.len())?;
    (!line.contains('"')).then_some(from)
}

/// A warning about the lines of a range that are left out.
pub(super) fn warning(text: &str, range: std::ops::Range<usize>, place: &str) -> Option<Warning> {
    let mut lines = text.get(range)?.lines().filter(|l| !l.trim().is_empty());
    let first: String = lines.next()?.trim().chars().take(60).collect();
    let (count, more) = match lines.count() {
        0 => ("1 line".to_owned(), ""),
        more => (format!("{} lines", more + 1), ", …"),
    };
    let message = format!("{count} {place} left out: {}{more}; `strict` reads every line", shown(&first));
    Some(Warning::new("W_FRAME", message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_above_a_header() {
        let rest = "id,age,ill\n1,50,0\n2,60,1\n";
        for title in ["Report 2024,,\nby Finance,,\n,,\n", "Report 2024\n\n", "Report\nof 2024\n"] {
            let text = format!("{title}{rest}");
            assert_eq!(after_titles(&text, 0, b','), title.len(), "{text}");
        }
        // Not titles: a header with one name, rows of data, narrow tables, no agreement.
        for text in
            [",x\n0,1\n1,2\n", "a\n1,2\n3,4\n", "a\nb\nc\n", rest, "x\na,b\n1\n2\n", "a,,\n1,2,3\n4,5,6\n"]
        {
            assert_eq!(after_titles(text, 0, b','), 0, "{text}");
        }
    }

    #[test]
    fn notes_and_totals_below_the_rows() {
        let rows = "a,b,c\n1,2,3\n";
        for notes in [
            "Total,,9\n",
            "TOTAL,1,2\n",
            "Summe,1,2\nMittelwert:,3,4.5\n",
            "Source: records\n* preliminary\n",
            "\nSum:,5,\n\nas of May\n",
        ] {
            let text = format!("{rows}{notes}");
            assert_eq!(
                before_notes(&text, 6, b',', 3),
                rows.len() + usize::from(notes.starts_with('\n')),
                "{text}"
            );
        }
        for other in ["total,a,2\n", "x\n", "5\n", "cut of", "\"a b\"\n", "one two,,\n", "sum,1,2\nsum,3,4\n"]
        {
            let text = format!("{rows}{other}");
            assert_eq!(before_notes(&text, 6, b',', 3), text.len(), "{text}");
        }
        assert_eq!(before_notes("a\nSource: x y\n", 2, b',', 1), 14);
    }

    #[test]
    fn totals_by_their_numbers() {
        let column = |scale: f64| (0..60).map(|i| f64::from((i * 37) % 61) * scale).collect::<Vec<f64>>();
        let with = |mut column: Vec<f64>, last: f64| {
            column.push(last);
            column
        };
        let sum = |c: &[f64]| c.iter().sum::<f64>();
        let (a, b) = (column(0.37), column(1.3));
        let rounded = |v: f64| (v * 100.0).round() / 100.0;
        let (sums, means) = ([sum(&a), sum(&b)], [rounded(sum(&a) / 60.0), rounded(sum(&b) / 60.0)]);
        assert!(ends_in_totals(&[with(a.clone(), sums[0]), with(b.clone(), sums[1])]));
        assert!(ends_in_totals(&[with(a.clone(), means[0]), with(b.clone(), sums[1])]));
        assert!(!ends_in_totals(&[with(a.clone(), sums[0]), with(b.clone(), sums[1] + 1.0)]));
        // Too few rows, too few digits, nothing but zeros, nothing at all.
        assert!(!ends_in_totals(&[vec![1.0, 2.0, 3.0]]));
        assert!(!ends_in_totals(&[vec![1.0, 0.0, 1.0, 0.0, 1.0, 3.0]]));
        assert!(!ends_in_totals(&[vec![0.0; 60], vec![0.0; 60]]));
        assert!(!ends_in_totals(&[with(vec![1.5; 60], 1.5)]));
        assert!(!ends_in_totals(&[]));
    }

    #[test]
    fn delimiters_are_declared() {
        assert_eq!(declared("sep=;\na;b\n", 0), Some((b';', 6)));
        assert_eq!(declared("SEP=\t\r\na\tb\n", 0), Some((b'\t', 7)));
        assert_eq!(declared("sep,b\n", 0), None);
        assert_eq!(declared("sep=abc\n", 0), None);
    }
}
