//! Names of cells, and dates as spreadsheets store them: days since an epoch, shown as dates by the format of the cell.

use crate::calendar;

/// The name of a cell: `B7` for column 1 and row 6, both from 0.
pub(super) fn cell_name(column: u32, row: u32) -> String {
    let (mut name, mut rest) = (Vec::new(), u64::from(column) + 1);
    while rest > 0 {
        name.push(char::from(b'A' + ((rest - 1) % 26) as u8));
        rest = (rest - 1) / 26;
    }
    format!("{}{}", name.iter().rev().collect::<String>(), u64::from(row) + 1)
}

/// Column and row, both from 0, of a cell's name.
pub(super) fn cell_place(name: &str) -> Option<(u64, u64)> {
    let split = name.bytes().take_while(u8::is_ascii_alphabetic).count();
    let (column, row) = (name.get(..split)?, name.get(split..)?);
    if !(1..=4).contains(&split) || row.is_empty() || row.len() > 9 {
        return None;
    }
    let column = column.bytes().fold(0, |n, b| 26 * n + u64::from(b.to_ascii_uppercase() - b'A') + 1);
    Some((column - 1, row.parse::<u64>().ok()?.checked_sub(1)?))
}

/// Whether a number format of Excel shows a date or a time.
///
/// The numbers 14 to 22, 27 to 36, 45 to 47 and 50 to 58 are predefined formats of dates.
pub(super) fn is_date(id: u32, code: Option<&str>) -> bool {
    match code {
        None => matches!(id, 14..=22 | 27..=36 | 45..=47 | 50..=58),
        Some(code) => {
            // Symbols in quotes, after a backslash and in brackets are no fields, except for [h], [m] and [s].
            let (mut quoted, mut bracket, mut escaped) = (false, false, false);
            let mut content = String::new();
            for c in code.chars() {
                match c {
                    _ if escaped => escaped = false,
                    '"' => quoted = !quoted,
                    _ if quoted => {}
                    '\\' | '_' | '*' => escaped = true,
                    '[' => (bracket, content) = (true, String::new()),
                    ']' => {
                        bracket = false;
                        if !content.is_empty() && content.bytes().all(|b| b"hmsHMS".contains(&b)) {
                            return true;
                        }
                    }
                    _ if bracket => content.push(c),
                    // Only the part for positive numbers counts.
                    ';' => break,
                    'd' | 'D' | 'm' | 'M' | 'y' | 'Y' | 'h' | 'H' | 's' | 'S' => return true,
                    // General, and exponents of numbers.
                    'G' | 'g' => return false,
                    _ => {}
                }
            }
            false
        }
    }
}

/// The date and time of a number of days, as ISO 8601 text; `None` if it is out of range.
///
/// Day 1 is 1 January 1900 and day 60 the 29 February 1900, which did not exist; or day 0 is 1 January 1904. A number
/// below 1 is a time without a date.
pub(super) fn iso(days: f64, since_1904: bool) -> Option<String> {
    if !(0.0..2_958_466.0).contains(&days) {
        return None;
    }
    let seconds = (days * 86_400.0).round() as i64;
    let (day, second) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    let time = calendar::time(second);
    if days < 1.0 && !since_1904 && day == 0 {
        return Some(time);
    }
    // Days since 1 January 1970.
    let epoch = match () {
        () if since_1904 => day - 24_107,
        () if day < 60 => day - 25_568,
        () => day - 25_569,
    };
    let date = calendar::date(epoch)?;
    Some(if second == 0 { date } else { format!("{date}T{time}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cells() {
        for (name, column, row) in
            [("A1", 0, 0), ("Z9", 25, 8), ("AA10", 26, 9), ("XFD1048576", 16383, 1_048_575)]
        {
            assert_eq!(cell_place(name), Some((column, row)));
            assert_eq!(cell_name(column as u32, row as u32), name);
        }
        for bad in ["", "A", "1", "A0", "AAAAA1", "A1B", "A-1", "A99999999999"] {
            assert_eq!(cell_place(bad), None, "{bad}");
        }
    }

    #[test]
    fn formats_of_dates() {
        for code in ["yyyy-mm-dd", "d/m/yy", "[h]:mm", "mmm", "[$-409]h:mm AM/PM;@", "\"on\" dd"] {
            assert!(is_date(164, Some(code)), "{code}");
        }
        for code in ["0.00", "General", "#,##0 \"days\"", "0.00E+00", "[Red]0", "\\d0", "0;dd", "_m0"] {
            assert!(!is_date(164, Some(code)), "{code}");
        }
        assert!(is_date(14, None) && is_date(47, None) && !is_date(2, None) && !is_date(49, None));
    }

    /// Values of LibreOffice and Excel.
    #[test]
    fn dates_of_numbers() {
        for (days, text) in [
            (1.0, "1900-01-01"),
            (59.0, "1900-02-28"),
            (61.0, "1900-03-01"),
            (25569.0, "1970-01-01"),
            (36585.0, "2000-02-29"),
            (45_292.5, "2024-01-01T12:00:00"),
            (45_351.999_988_425_9, "2024-02-29T23:59:59"),
            (0.25, "06:00:00"),
        ] {
            assert_eq!(iso(days, false).as_deref(), Some(text), "{days}");
        }
        assert_eq!(iso(0.0, true).as_deref(), Some("1904-01-01"));
        assert_eq!(iso(43830.0, true).as_deref(), Some("2024-01-01"));
        assert_eq!(iso(-1.0, false), None);
        assert_eq!(iso(f64::NAN, false), None);
        assert_eq!(iso(1e300, false), None);
    }
}
