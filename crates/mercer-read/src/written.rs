//! Numbers as people write them: amounts of money, percentages, groups of thousands, decimal commas; and durations.

use super::number::{self, Number};
use crate::data::{DecimalMark, Unit};

/// A number, and what was written around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Written {
    /// The value; that of `5%` is 0.05.
    pub(super) value: f64,
    pub(super) percent: bool,
    pub(super) unit: Option<Unit>,
    pub(super) signs: Signs,
}

/// How a number differs from a plain one, besides its unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Signs {
    /// Thousands are separated.
    pub(super) groups: bool,
    /// Brackets mean that it is negative.
    pub(super) brackets: bool,
    /// Its minus is not that of ASCII, or stands at its end.
    pub(super) minus: bool,
}

/// Characters between groups of three digits, besides the one that is not the decimal mark.
const GROUPING: [char; 6] = ['\'', '’', ' ', '\u{A0}', '\u{202F}', '\u{2009}'];

/// Longest text that is tried as a number.
const LONGEST: usize = 48;

/// Parses a number; `None` if it is not one with this decimal mark.
pub(super) fn parse(text: &str, mark: DecimalMark) -> Option<Written> {
    let text = text.trim();
    if text.len() > LONGEST || !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let (text, bracketed) = match text.strip_prefix('(').and_then(|t| t.strip_suffix(')')) {
        Some(inner) => (inner.trim(), true),
        None => (text, false),
    };
    let other_minus = text.contains('\u{2212}') || text.ends_with('-');
    // Accounting programs write the minus at the end.
    let (text, behind) = match text.strip_suffix(['-', '\u{2212}']).map(str::trim_end) {
        Some(rest)
            if rest.ends_with(|c: char| c.is_ascii_digit()) && !text.starts_with(['-', '+', '\u{2212}']) =>
        {
            (rest, true)
        }
        _ => (text, false),
    };
    let (text, minus) = without_sign(text);
    let minus = minus || behind;
    let (text, before) = without_unit(text, false);
    let (text, inner_minus) = if before.is_some() && !minus { without_sign(text) } else { (text, false) };
    let (text, percent) = match text.strip_suffix('%') {
        Some(rest) => (rest.trim_end(), true),
        None => (text, false),
    };
    let (text, after) = if before.is_none() { without_unit(text, true) } else { (text, None) };
    let (magnitude, groups) = digits(text, mark)?;
    let signs = Signs { groups, brackets: bracketed, minus: other_minus };
    let negative = bracketed ^ (minus || inner_minus);
    let value = if percent { magnitude / 100.0 } else { magnitude };
    // Brackets mean a negative amount; a sign inside them means something else.
    if bracketed && (minus || inner_minus) || percent && before.or(after).is_some() {
        return None;
    }
    Some(Written { value: if negative { -value } else { value }, percent, unit: before.or(after), signs })
}

fn without_sign(text: &str) -> (&str, bool) {
    match text.strip_prefix(['-', '\u{2212}']) {
        Some(rest) => (rest.trim_start(), true),
        None => (text.strip_prefix('+').unwrap_or(text), false),
    }
}

/// The rest of a text and the longest unit at its end, or the longest currency at its start.
fn without_unit(text: &str, at_end: bool) -> (&str, Option<Unit>) {
    let plain = |c: char| c.is_ascii_digit() || matches!(c, '.' | ',');
    if if at_end { text.ends_with(plain) } else { text.starts_with(plain) } {
        return (text, None);
    }
    // Most units differ in their first or last byte, which is compared sooner than all of them.
    let strip = |unit: Unit| {
        let (sign, bytes) = (unit.sign(), text.as_bytes());
        match at_end {
            true if sign.as_bytes().last() == bytes.last() => text.strip_suffix(sign),
            false if sign.as_bytes().first() == bytes.first() => text.strip_prefix(sign),
            _ => None,
        }
    };
    // Currencies are the first of all units.
    let units = Unit::all().take_while(|unit| at_end || unit.is_currency());
    let found = units.filter_map(|unit| Some((strip(unit)?, unit)));
    match found.min_by_key(|(rest, _)| rest.len()) {
        Some((rest, unit)) => (rest.trim(), Some(unit)),
        None => (text, None),
    }
}

/// A number without a sign, and whether it has groups of three digits.
fn digits(text: &str, mark: DecimalMark) -> Option<(f64, bool)> {
    let (point, other) = match mark {
        DecimalMark::Point => ('.', ','),
        DecimalMark::Comma => (',', '.'),
    };
    if !text.starts_with(|c: char| c.is_ascii_digit() || c == point) {
        return None;
    }
    let (whole, fraction) = match text.split_once(point) {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (text, None),
    };
    let mut plain = String::with_capacity(text.len());
    let separator = whole.chars().find(|c| !c.is_ascii_digit());
    let groups = separator.is_some_and(|c| !matches!(c, 'e' | 'E'));
    match separator {
        // An exponent belongs to plain numbers only.
        Some('e' | 'E') if fraction.is_none() => plain.push_str(whole),
        Some(separator) if separator == other || GROUPING.contains(&separator) => {
            // Thousands do not begin with a zero: 0.125 is a fraction.
            if whole.starts_with('0') {
                return None;
            }
            for (i, group) in whole.split(separator).enumerate() {
                let lengths = if i == 0 { 1..=3 } else { 3..=3 };
                if !lengths.contains(&group.len()) || !group.bytes().all(|b| b.is_ascii_digit()) {
                    return None;
                }
                plain.push_str(group);
            }
        }
        Some(_) => return None,
        None => plain.push_str(whole),
    }
    if let Some(fraction) = fraction {
        plain.push('.');
        plain.push_str(fraction);
    }
    match number::parse(&plain) {
        Number::Value(value) if !plain.starts_with(['-', '+', ' ']) => Some((value, groups)),
        _ => None,
    }
}

/// A duration in seconds: `1:30:00`, `12:30`, `-0:05.5`, `2 days 03:00:00`, `PT1H30M`, `1h 30m`.
pub(super) fn duration(text: &str) -> Option<f64> {
    let text = text.trim();
    if text.len() > LONGEST || !text.bytes().any(|b| b.is_ascii_digit()) {
        return None;
    }
    let (text, minus) = without_sign(text);
    let seconds = if let Some(iso) = text.strip_prefix('P') {
        iso_duration(iso)?
    } else if text.contains(':') {
        let (days, clock) = match text.split_once(" day") {
            Some((days, rest)) => (whole(days)?, rest.trim_start_matches('s').trim_start_matches(',').trim()),
            None => (0.0, text),
        };
        days * 86_400.0 + clock_seconds(clock)?
    } else {
        in_units(text)?
    };
    Some(if minus { -seconds } else { seconds })
}

fn whole(text: &str) -> Option<f64> {
    let short = !text.is_empty() && text.len() <= 9 && text.bytes().all(|b| b.is_ascii_digit());
    if short { text.parse().ok() } else { None }
}

/// Seconds of `12:30`, `12:30:15` or `12:30:15.25`: hours, minutes and seconds.
pub(super) fn clock_seconds(text: &str) -> Option<f64> {
    let mut pieces = text.split(':');
    let (hours, minutes, seconds) = (pieces.next()?, pieces.next()?, pieces.next());
    if pieces.next().is_some() || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes) = (whole(hours)?, whole(minutes)?);
    let seconds = seconds.map_or(Some(0.0), second)?;
    (minutes < 60.0).then_some(hours * 3600.0 + minutes * 60.0 + seconds)
}

/// Seconds of a minute: two digits, perhaps with a fraction.
fn second(text: &str) -> Option<f64> {
    let (digits, fraction) = text.split_once(['.', ',']).unwrap_or((text, "0"));
    if digits.len() != 2 || whole(digits)? >= 61.0 || !fraction.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    format!("{digits}.{fraction}").parse().ok()
}

/// What follows the P of an ISO 8601 duration of days, hours, minutes and seconds.
fn iso_duration(text: &str) -> Option<f64> {
    let (date, time) = text.split_once('T').unwrap_or((text, ""));
    let sum = |text: &str, units: &[(char, f64)]| {
        let (mut seconds, mut rest, mut units) = (0.0, text, units.iter());
        while !rest.is_empty() {
            let end = rest.find(|c: char| c.is_ascii_alphabetic())?;
            let unit = rest.get(end..)?.chars().next()?;
            let (_, factor) = units.find(|(name, _)| *name == unit)?;
            seconds += rest.get(..end)?.parse::<f64>().ok().filter(|v| v.is_finite() && *v >= 0.0)? * factor;
            rest = rest.get(end + 1..)?;
        }
        Some(seconds)
    };
    if date.is_empty() && time.is_empty() {
        return None;
    }
    let days = sum(date, &[('W', 604_800.0), ('D', 86_400.0)])?;
    Some(days + sum(time, &[('H', 3600.0), ('M', 60.0), ('S', 1.0)])?)
}

/// Seconds of `1d 2h 30min`: numbers with units, each smaller than the one before.
fn in_units(text: &str) -> Option<f64> {
    const UNITS: [(&[&str], f64); 5] = [
        (&["d", "day", "days"], 86_400.0),
        (&["h", "hr", "hrs", "hour", "hours"], 3600.0),
        (&["m", "min", "mins", "minute", "minutes"], 60.0),
        (&["s", "sec", "secs", "second", "seconds"], 1.0),
        (&["ms"], 1e-3),
    ];
    let (mut seconds, mut rest, mut from) = (0.0, text, 0);
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let amount: f64 = rest.get(..end)?.parse().ok()?;
        let behind = rest.get(end..)?.trim_start();
        let stop = behind.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(behind.len());
        let unit = behind.get(..stop)?;
        let at = UNITS.iter().skip(from).position(|(names, _)| names.contains(&unit))? + from;
        seconds += amount * UNITS.get(at)?.1;
        from = at + 1;
        rest = behind.get(stop..)?.trim_start();
    }
    Some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn amounts_percentages_and_groups() {
        for (text, mark, value) in [
            ("$1,234.50", DecimalMark::Point, 1234.5),
            ("-$1,234.50", DecimalMark::Point, -1234.5),
            ("$-5", DecimalMark::Point, -5.0),
            ("(5.25)", DecimalMark::Point, -5.25),
            ("1.234,50 €", DecimalMark::Comma, 1234.5),
            ("EUR 3", DecimalMark::Point, 3.0),
            ("12.5%", DecimalMark::Point, 0.125),
            ("12,5 %", DecimalMark::Comma, 0.125),
            ("1 234 567", DecimalMark::Point, 1_234_567.0),
            ("1\u{202F}234,5", DecimalMark::Comma, 1234.5),
            ("1'234.5", DecimalMark::Point, 1234.5),
            ("−3,5", DecimalMark::Comma, -3.5),
            ("1,5e3", DecimalMark::Comma, 1500.0),
            ("1.234", DecimalMark::Comma, 1234.0),
            ("1,234", DecimalMark::Point, 1234.0),
            ("+2,5", DecimalMark::Comma, 2.5),
            ("7", DecimalMark::Comma, 7.0),
            ("79.0 kg", DecimalMark::Point, 79.0),
            ("5 mg", DecimalMark::Point, 5.0),
            ("-3,5°C", DecimalMark::Comma, -3.5),
            ("1344.37-", DecimalMark::Point, -1344.37),
            ("1.344,37 −", DecimalMark::Comma, -1344.37),
        ] {
            assert_eq!(parse(text, mark).map(|w| w.value), Some(value), "{text}");
        }
        assert_eq!(parse("£ 2", DecimalMark::Point).and_then(|w| w.unit), Unit::of("£"));
        assert!(parse("2%", DecimalMark::Point).is_some_and(|w| w.percent && w.unit.is_none()));
    }

    #[test]
    fn other_texts_are_not_numbers() {
        for text in [
            "",
            "-",
            "$",
            "A/5 21171",
            "12,34",
            "1,2345",
            "1.5",
            "12-5",
            "1,234,56",
            "$5%",
            "(-5)",
            "5 apples",
            "kg 5",
            "5 kg kg",
            "-5-",
            "(5-)",
            "1.5e-",
            "0,125",
        ] {
            let mark = if text == "1.5" { DecimalMark::Comma } else { DecimalMark::Point };
            assert_eq!(parse(text, mark), None, "{text}");
        }
        assert_eq!(parse("1 23", DecimalMark::Point), None);
    }

    #[test]
    fn durations() {
        for (text, seconds) in [
            ("1:30:00", 5400.0),
            ("12:30", 45_000.0),
            ("00:00:05.25", 5.25),
            ("0 days 00:07:05", 425.0),
            ("2 days, 03:00:00", 183_600.0),
            ("PT1H30M", 5400.0),
            ("P1DT0.5S", 86_400.5),
            ("1h 30min", 5400.0),
            ("90 s", 90.0),
            ("-0:30", -1800.0),
        ] {
            assert_eq!(duration(text), Some(seconds), "{text}");
        }
        for text in ["5", "1:2", "1:60", "12:30:61x", "P", "PT", "1h 2h", "5 m/s", "16:9:1:2", "3d6"] {
            assert_eq!(duration(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[-+$€%().,' :0-9a-zPTHMS\u{A0}]{0,14}") {
            let _ = (parse(&text, DecimalMark::Point), parse(&text, DecimalMark::Comma), duration(&text));
        }

        #[test]
        fn grouped_numbers_round_trip(n in 0u32..u32::MAX, cents in 0u32..100) {
            let digits = n.to_string();
            let mut groups = String::new();
            for (i, c) in digits.chars().enumerate() {
                if i > 0 && (digits.len() - i) % 3 == 0 {
                    groups.push('.');
                }
                groups.push(c);
            }
            let expected: f64 = format!("{n}.{cents:02}").parse().unwrap();
            prop_assert_eq!(parse(&format!("{groups},{cents:02} €"), DecimalMark::Comma).map(|w| w.value), Some(expected));
        }
    }
}
