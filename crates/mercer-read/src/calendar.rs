//! Dates and times as ISO 8601 text, for formats that store them as numbers.

/// Year, month and day of a number of days since 1 January 1970 in the Gregorian calendar.
///
/// The year is taken to begin in March, so that the leap day is its last, and years are counted in cycles of 400, which
/// have 146,097 days.
fn civil(days: i64) -> (i64, i64, i64) {
    let shifted = days.saturating_add(719_468);
    let (cycle, day) = (shifted.div_euclid(146_097), shifted.rem_euclid(146_097));
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let of_year = day - (365 * year + year / 4 - year / 100);
    let month = (5 * of_year + 2) / 153;
    let date = of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (year + 400 * cycle + i64::from(month <= 2), month, date)
}

/// The date of a number of days since 1 January 1970, if its year has at most four digits.
pub(crate) fn date(days: i64) -> Option<String> {
    let (year, month, date) = civil(days);
    (0..=9999).contains(&year).then(|| format!("{year:04}-{month:02}-{date:02}"))
}

/// The time of a number of seconds since midnight.
pub(crate) fn time(seconds: i64) -> String {
    format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_of_days() {
        for (days, text) in [
            (0, "1970-01-01"),
            (-1, "1969-12-31"),
            (11_016, "2000-02-29"),
            (19_782, "2024-02-29"),
            (-25_567, "1900-01-01"),
            (2_932_896, "9999-12-31"),
        ] {
            assert_eq!(date(days).as_deref(), Some(text), "{days}");
        }
        assert_eq!(date(2_932_897), None);
        assert_eq!(date(i64::MAX), None);
        assert_eq!(date(i64::MIN), None);
        assert_eq!(time(86_399), "23:59:59");
    }
}
