//! Dates and times as they are written: ISO 8601, with slashes or points in American or European order, with names of
//! months.

use super::written::clock_seconds;
use crate::data::{DAY, DateOrder, civil_days, days_of_month};

/// Longest text that is tried as a date.
const LONGEST: usize = 40;
/// The years of dates without separators and without a time.
const COMPACT: std::ops::Range<i64> = 1800..2200;
const MONTHS: [&str; 12] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
];

/// A time in seconds since 1970, with its date in this order; `None` if it is not one.
///
/// A date may be followed by `T` or a space, the time of day (perhaps with AM or PM) and a zone: `Z`, `UTC`, `+01:00`,
/// `-0500`. Without a zone the time is taken as it is written.
pub(super) fn parse(text: &str, order: DateOrder) -> Option<f64> {
    let text = text.trim();
    // Cheap tests first: most texts are not dates.
    if text.len() > LONGEST || text.len() < 6 || !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let (days, rest) = match order {
        DateOrder::Year => iso_date(text).or_else(|| named_date(text))?,
        _ => short_date(text, order)?,
    };
    let rest = rest.strip_prefix(['T', 't']).unwrap_or(rest).trim_start();
    let rest = rest.strip_prefix(',').unwrap_or(rest).trim();
    let clock = if rest.is_empty() { 0.0 } else { clock(rest)? };
    Some(days as f64 * DAY + clock)
}

/// Leading digits as a number, their count and the rest.
fn digits(text: &str) -> Option<(i64, usize, &str)> {
    let count = text.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=8).contains(&count) {
        return None;
    }
    Some((text.get(..count)?.parse().ok()?, count, text.get(count..)?))
}

fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let (m, d) = (u32::try_from(month).ok()?, u32::try_from(day).ok()?);
    let valid =
        (1..=9999).contains(&year) && (1..=12).contains(&m) && (1..=days_of_month(year, m)).contains(&d);
    valid.then(|| civil_days(year, m, d))
}

/// Whether a number is written as a date without separators, as in `20240131`.
pub(super) fn is_compact(text: &str) -> bool {
    text.len() == 8 && text.bytes().all(|b| b.is_ascii_digit()) && iso_date(text).is_some()
}

/// `2024-01-31`, `2024/1/31`, `2024.01.31`, `2024-01`, `2024Q1`, `20240131T…`, and `20240131` of the 19th to the 22nd century.
fn iso_date(text: &str) -> Option<(i64, &str)> {
    let (year, length, rest) = digits(text)?;
    if length == 8 && (rest.starts_with(['T', 't']) || rest.is_empty() && COMPACT.contains(&(year / 10_000)))
    {
        return Some((days(year / 10_000, year / 100 % 100, year % 100)?, rest));
    }
    if let Some(month) = quarter(rest).filter(|_| length == 4) {
        return Some((days(year, month, 1)?, ""));
    }
    let separator = rest.chars().next().filter(|c| matches!(c, '-' | '/' | '.'))?;
    if length != 4 {
        return None;
    }
    let (month, length, rest) = digits(rest.get(1..)?)?;
    if length > 2 {
        return None;
    }
    match rest.strip_prefix(separator) {
        Some(rest) => {
            let (day, length, rest) = digits(rest)?;
            if length > 2 {
                return None;
            }
            Some((days(year, month, day)?, rest))
        }
        // A month stands for its first day.
        None if separator == '-' && rest.is_empty() && length == 2 => Some((days(year, month, 1)?, rest)),
        None => None,
    }
}

/// The first month of a quarter behind its year: `Q3`, `-Q3`, ` q3`.
fn quarter(text: &str) -> Option<i64> {
    let text = text.strip_prefix(['-', ' ', '/']).unwrap_or(text);
    match text.strip_prefix(['Q', 'q'])?.as_bytes() {
        [digit @ b'1'..=b'4'] => Some(3 * i64::from(digit - b'1') + 1),
        _ => None,
    }
}

/// `31/01/2024`, `31.1.24`, `31-01-2024`, or with the month first.
fn short_date(text: &str, order: DateOrder) -> Option<(i64, &str)> {
    let (first, length, rest) = digits(text)?;
    let separator = rest.chars().next().filter(|c| matches!(c, '-' | '/' | '.'))?;
    let (second, middle, rest) = digits(rest.get(1..)?)?;
    let (year, last, rest) = digits(rest.strip_prefix(separator)?)?;
    if length > 2 || middle > 2 || !(last == 4 || last == 2 && separator != '-') {
        return None;
    }
    // Two digits: up to 68 is this century, as in POSIX.
    let year = match (last, year) {
        (2, year @ 0..=68) => 2000 + year,
        (2, year) => 1900 + year,
        (_, year) => year,
    };
    let (day, month) = if order == DateOrder::Day { (first, second) } else { (second, first) };
    Some((days(year, month, day)?, rest))
}

/// `31 Jan 2024`, `31-Jan-24`, `January 31, 2024`.
fn named_date(text: &str) -> Option<(i64, &str)> {
    let (mut day, mut month, mut rest) = (None, None, text);
    for _ in 0..2 {
        if let Some((number, length, behind)) = digits(rest).filter(|_| day.is_none()) {
            if length > 2 {
                return None;
            }
            let ending = ["st", "nd", "rd", "th"].iter().find_map(|end| behind.strip_prefix(end));
            day = Some(number);
            rest = ending.unwrap_or(behind);
        } else {
            let end = rest.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(rest.len());
            let name = rest.get(..end)?.to_ascii_lowercase();
            let known =
                |full: &&str| **full == name || name.len() >= 3 && name.len() <= 4 && full.starts_with(&name);
            month = Some(MONTHS.iter().position(known)? as i64 + 1);
            rest = rest.get(end..)?;
        }
        rest = rest.trim_start_matches(['-', ' ', '.', ',', '/']);
    }
    let (year, length, rest) = digits(rest)?;
    let year = match length {
        4 => year,
        2 if year <= 68 => 2000 + year,
        2 => 1900 + year,
        _ => return None,
    };
    Some((days(year, month?, day?)?, rest))
}

/// The seconds of a time of day with its zone: `14:30`, `02:30:15.5 PM`, `14:30:15Z`, `14:30+01:00`.
fn clock(text: &str) -> Option<f64> {
    let end =
        text.find(|c: char| !(c.is_ascii_digit() || matches!(c, ':' | '.' | ','))).unwrap_or(text.len());
    let (time, rest) = (text.get(..end)?, text.get(end..)?.trim_start());
    let mut seconds = clock_seconds(time)?;
    let (half, rest) = match rest.get(..2).map(str::to_ascii_uppercase).as_deref() {
        Some("AM") => (Some(0.0), rest.get(2..)?.trim_start()),
        Some("PM") => (Some(43_200.0), rest.get(2..)?.trim_start()),
        _ => (None, rest),
    };
    if let Some(half) = half {
        if !(3600.0..46_800.0).contains(&seconds) {
            return None;
        }
        seconds = seconds % 43_200.0 + half;
    }
    (seconds <= DAY).then_some(())?;
    Some(seconds - zone(rest)?)
}

/// The seconds by which a zone is ahead of UTC.
fn zone(text: &str) -> Option<f64> {
    if text.is_empty() || ["Z", "z", "UTC", "GMT"].contains(&text) {
        return Some(0.0);
    }
    let sign = match text.chars().next()? {
        '+' => 1.0,
        '-' => -1.0,
        _ => return None,
    };
    let (hours, minutes) = match text.get(1..)?.split_once(':') {
        Some(pair) => pair,
        None => text.get(1..)?.split_at_checked(2)?,
    };
    let (hours, h, left) = digits(hours)?;
    let minutes =
        if minutes.is_empty() { 0 } else { digits(minutes).filter(|m| m.2.is_empty() && m.1 == 2)?.0 };
    let valid = left.is_empty() && h == 2 && hours <= 14 && minutes < 60;
    valid.then_some(sign * (hours * 3600 + minutes * 60) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::show_time;
    use proptest::prelude::*;

    fn read(text: &str, order: DateOrder) -> Option<String> {
        parse(text, order).map(show_time)
    }

    #[test]
    fn iso_dates() {
        for (text, expected) in [
            ("2024-02-29", "2024-02-29"),
            ("2024/2/9", "2024-02-09"),
            ("2024-02", "2024-02-01"),
            ("20240131", "2024-01-31"),
            ("1974Q3", "1974-07-01"),
            ("2024-q4", "2024-10-01"),
            ("2024 Q1", "2024-01-01"),
            ("2019-03-23 20:21:09", "2019-03-23 20:21:09"),
            ("2019-03-23T20:21:09Z", "2019-03-23 20:21:09"),
            ("2019-03-23T20:21:09.250+01:30", "2019-03-23 18:51:09.250"),
            ("2019-03-23 20:21 -0500", "2019-03-24 01:21:00"),
            ("31 Jan 2024", "2024-01-31"),
            ("Jan 31, 2024 3:05 PM", "2024-01-31 15:05:00"),
            ("1st September 1999", "1999-09-01"),
            ("12-Dec-99", "1999-12-12"),
        ] {
            assert_eq!(read(text, DateOrder::Year).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn days_or_months_first() {
        assert_eq!(read("03/04/2024", DateOrder::Day).as_deref(), Some("2024-04-03"));
        assert_eq!(read("03/04/2024", DateOrder::Month).as_deref(), Some("2024-03-04"));
        assert_eq!(read("31.1.24 12:00", DateOrder::Day).as_deref(), Some("2024-01-31 12:00:00"));
        assert_eq!(read("1/31/99 12:30 am", DateOrder::Month).as_deref(), Some("1999-01-31 00:30:00"));
        assert_eq!(read("31/01/2024", DateOrder::Month), None);
        assert_eq!(read("01/31/2024", DateOrder::Day), None);
    }

    #[test]
    fn other_texts_are_not_dates() {
        for text in [
            "2024",
            "20240132",
            "2024Q5",
            "2024Q12",
            "24Q1 ab",
            "12340131",
            "1.2.3",
            "2023-02-29",
            "2024-13-01",
            "12:30",
            "192.168.1.1",
            "A/5 21171",
            "May",
            "12 May",
            "2024-01-31 25:00",
            "2024-01-31 13:00 PM",
            "555-1234",
            "1-2-24",
            "2024-01-31 noon",
            "Lot 31, 2024",
            "20190323T202109",
        ] {
            for order in DateOrder::ALL {
                assert_eq!(parse(text, order), None, "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn times_round_trip(seconds in -60_000_000_000i64..250_000_000_000) {
            prop_assert_eq!(parse(&show_time(seconds as f64), DateOrder::Year), Some(seconds as f64));
        }

        #[test]
        fn no_text_panics(text in "[-/.:0-9TZ+ aApPmMJanFeb,é]{0,24}") {
            for order in DateOrder::ALL {
                let _ = parse(&text, order);
            }
        }
    }
}
