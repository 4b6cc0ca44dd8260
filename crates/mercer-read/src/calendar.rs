//! Dates and times as ISO 8601 text, for formats that store them as numbers.

use crate::data::civil_date;

/// The date of a number of days since 1 January 1970, if its year has at most four digits.
pub(crate) fn date(days: i64) -> Option<String> {
    // Far more days than there are in 9999 years.
    let (year, month, date) = civil_date(days.clamp(-1 << 40, 1 << 40));
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
