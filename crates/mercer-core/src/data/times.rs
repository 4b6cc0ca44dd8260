//! Points in time, and the calendar.

use std::fmt::Write as _;

/// Seconds of a day.
pub const DAY: f64 = 86_400.0;

/// Points in time, one per object: seconds since 1970-01-01 00:00 UTC; NaN is missing.
///
/// Times without a zone are taken as they are written, as if all were in one zone.
///
/// ```
/// use mercer_core::data::{Times, civil_days};
/// let times = Times::new(vec![86_400.0 * civil_days(2024, 2, 29) as f64 + 3_600.0, f64::NAN]);
/// assert_eq!(times.show(0), "2024-02-29 01:00:00");
/// assert!(times.is_missing(1));
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Times {
    seconds: Vec<f64>,
}

impl Times {
    /// The earliest time, at the start of the year 1.
    pub const FIRST: f64 = -62_135_596_800.0;
    /// The end of the year 9999, after the latest time.
    pub const END: f64 = 253_402_300_800.0;

    /// Times in seconds since 1970; what is not a number between the years 1 and 9999 is missing.
    pub fn new(mut seconds: Vec<f64>) -> Self {
        for second in &mut seconds {
            if !(Self::FIRST..Self::END).contains(second) {
                *second = f64::NAN;
            }
        }
        Times { seconds }
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.seconds.len()
    }

    /// True when there are no objects.
    pub fn is_empty(&self) -> bool {
        self.seconds.is_empty()
    }

    /// Seconds since 1970, NaN where missing.
    pub fn seconds(&self) -> &[f64] {
        &self.seconds
    }

    /// Whether object i has no time.
    pub fn is_missing(&self, i: usize) -> bool {
        self.seconds.get(i).is_none_or(|s| s.is_nan())
    }

    /// The chosen objects, in the given order.
    #[must_use]
    pub fn select(&self, rows: &[usize]) -> Self {
        Times { seconds: rows.iter().map(|&i| self.seconds[i]).collect() }
    }

    /// The time of object i as `2024-02-29 01:00:00`, without the clock at midnight; `?` where missing.
    pub fn show(&self, i: usize) -> String {
        self.seconds.get(i).map_or_else(|| "?".to_owned(), |s| show_time(*s))
    }
}

/// A time as `2024-02-29 01:00:00`, without the clock at midnight; `?` for NaN.
pub fn show_time(seconds: f64) -> String {
    if seconds.is_nan() {
        return "?".to_owned();
    }
    let days = (seconds / DAY).floor();
    let (year, month, day) = civil_date(days as i64);
    let mut text = format!("{year:04}-{month:02}-{day:02}");
    let rest = seconds - days * DAY;
    if rest > 0.0 {
        let (whole, part) = (rest.floor() as u32, rest.fract());
        let _ = write!(text, " {:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
        let thousandths = (part * 1000.0).floor();
        if thousandths > 0.0 {
            let _ = write!(text, ".{thousandths:03}");
        }
    }
    text
}

/// Days from 1970-01-01 to a date of the proleptic Gregorian calendar.
///
/// Years are counted from 1 March, so that the leap day is the last of a year; 400 years have 146,097 days.
pub fn civil_days(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let from_march = (i64::from(month) + 9) % 12;
    let of_year = (153 * from_march + 2) / 5 + i64::from(day) - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// Year, month and day of a number of days since 1970-01-01: the inverse of [`civil_days`].
pub fn civil_date(days: i64) -> (i64, u32, u32) {
    let days = days + 719_468;
    let (era, of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let year = (of_era - of_era / 1460 + of_era / 36_524 - of_era / 146_096) / 365;
    let of_year = of_era - (365 * year + year / 4 - year / 100);
    let from_march = (5 * of_year + 2) / 153;
    let day = (of_year - (153 * from_march + 2) / 5 + 1) as u32;
    let month = (if from_march < 10 { from_march + 3 } else { from_march - 9 }) as u32;
    (era * 400 + year + i64::from(month <= 2), month, day)
}

/// The number of days of a month.
pub fn days_of_month(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_inverse_and_consecutive() {
        let mut days = civil_days(1, 1, 1);
        assert_eq!(days as f64 * DAY, Times::FIRST);
        for year in 1..=9999i64 {
            for month in 1..=12 {
                for day in [1, days_of_month(year, month)] {
                    let at = civil_days(year, month, day);
                    assert_eq!(civil_date(at), (year, month, day));
                    assert_eq!(at, days + i64::from(day) - 1);
                }
                days += i64::from(days_of_month(year, month));
            }
        }
        assert_eq!(days as f64 * DAY, Times::END);
        assert_eq!((civil_days(1970, 1, 1), civil_days(2000, 3, 1)), (0, 11_017));
    }

    #[test]
    fn times_are_shown_and_missing_ones_marked() {
        let times = Times::new(vec![0.0, -0.5, f64::NAN, 1e300, f64::INFINITY]);
        assert_eq!(
            (times.show(0).as_str(), times.show(1).as_str()),
            ("1970-01-01", "1969-12-31 23:59:59.500")
        );
        assert!((2..5).all(|i| times.is_missing(i)));
        assert_eq!(times.select(&[1, 0]).seconds(), [-0.5, 0.0]);
    }
}
