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
/// Records that show how wide a table is.
const RECORDS: usize = 50;
/// Words that begin a row of totals.
const TOTALS: [&str; 8] =
    ["total", "totals", "grand total", "sum", "summe", "gesamt", "gesamtsumme", "overall total"];

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

/// Where the table starts after titles: records with at most one value above a header of several.
pub(super) fn after_titles(text: &str, start: usize, delimiter: u8) -> usize {
    let mut records = Records::new(text, start..text.len(), delimiter);
    let mut cells = Vec::new();
    let mut titles: Vec<usize> = Vec::new();
    loop {
        let Ok(Some(record)) = records.next(&mut cells, usize::MAX) else { return start };
        let filled = cells.iter().filter(|c| !c.text.trim().is_empty()).count();
        if filled <= 1 && titles.len() < MOST {
            titles.push(record.fields);
            continue;
        }
        // The first record with several values is the header, if the rows below it are as wide.
        let (width, header) = (record.fields, record.offset);
        let fits = |fields: &usize| *fields == 1 && width >= 2 || width >= 3;
        if titles.is_empty() || !titles.iter().all(fits) || 2 * filled < width || sniff::is_data(&cells) {
            return start;
        }
        let (mut rows, mut agreeing) = (0, 0);
        while rows < RECORDS {
            let Ok(Some(row)) = records.next(&mut cells, 0) else { break };
            rows += 1;
            agreeing += usize::from(row.fields == width);
        }
        return if rows > 0 && 2 * agreeing > rows { header } else { start };
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
            || !(is_note(line, delimiter) || is_total(line, delimiter, width))
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

/// A row that begins with the word for a total, and lacks other values.
fn is_total(line: &str, delimiter: u8, width: usize) -> bool {
    let cells: Vec<&str> = line.split(char::from(delimiter)).map(str::trim).collect();
    let first = cells.iter().find(|c| !c.is_empty()).map_or("", |c| c.trim_end_matches(':'));
    let gaps = cells.iter().filter(|c| c.is_empty()).count();
    cells.len() == width && gaps > 0 && TOTALS.iter().any(|word| first.eq_ignore_ascii_case(word))
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
        for notes in ["Total,,9\n", "Source: records\n* preliminary\n", "\nSum:,5,\n\nas of May\n"] {
            let text = format!("{rows}{notes}");
            assert_eq!(
                before_notes(&text, 6, b',', 3),
                rows.len() + usize::from(notes.starts_with('\n')),
                "{text}"
            );
        }
        for other in ["total,1,2\n", "x\n", "5\n", "cut of", "\"a b\"\n", "one two,,\n"] {
            let text = format!("{rows}{other}");
            assert_eq!(before_notes(&text, 6, b',', 3), text.len(), "{text}");
        }
        assert_eq!(before_notes("a\nSource: x y\n", 2, b',', 1), 14);
    }

    #[test]
    fn delimiters_are_declared() {
        assert_eq!(declared("sep=;\na;b\n", 0), Some((b';', 6)));
        assert_eq!(declared("SEP=\t\r\na\tb\n", 0), Some((b'\t', 7)));
        assert_eq!(declared("sep,b\n", 0), None);
        assert_eq!(declared("sep=abc\n", 0), None);
    }
}
