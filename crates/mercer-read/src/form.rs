//! How the cells of a column are written, and the number each stands for.

use super::dates::{self, Order};
use super::written::{self, CURRENCIES, Mark};

/// How the numbers, times or truth values of a column are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// Numbers in decimal or scientific notation.
    Plain,
    /// `true` and `false`, which are 1 and 0.
    Truth,
    /// Amounts, percentages, groups of thousands, decimal commas.
    Written { mark: Mark, percent: bool, currency: Option<usize> },
    /// Dates, in seconds since 1970.
    Dates(Order),
    /// Durations, in seconds.
    Duration,
}

impl Form {
    /// The number that a cell stands for; `None` if it is not of this form.
    pub(super) fn read(self, text: &str) -> Option<f64> {
        match self {
            // Plain numbers are parsed by the caller.
            Form::Plain => None,
            Form::Truth => truth(text).map(|value| f64::from(u8::from(value))),
            Form::Written { mark, percent, currency } => {
                let found = written::parse(text, mark)?;
                let fits = found.currency.is_none() || found.currency == currency;
                // In a column of percentages only 0 needs no sign.
                let fits = fits && (found.percent == percent || found.value == 0.0);
                fits.then_some(found.value)
            }
            Form::Dates(order) => dates::parse(text, order).or_else(|| match order {
                Order::Year => None,
                // ISO dates are unambiguous among others.
                _ => dates::parse(text, Order::Year),
            }),
            Form::Duration => written::duration(text),
        }
    }

    /// What cells of another form are not, in the plural.
    pub(super) fn expected(self) -> &'static str {
        match self {
            Form::Plain | Form::Written { .. } => "numbers",
            Form::Truth => "true or false",
            Form::Dates(_) => "dates",
            Form::Duration => "durations",
        }
    }

    /// How the value of a cell is to be understood, for a form that needs to be said.
    pub(super) fn explained(self) -> Option<String> {
        Some(match self {
            Form::Plain | Form::Truth | Form::Dates(Order::Year) => return None,
            Form::Dates(Order::Day) => "dates with the day first".into(),
            Form::Dates(Order::Month) => "dates with the month first".into(),
            Form::Duration => "durations in seconds".into(),
            Form::Written { mark, percent, currency } => {
                let mut said = match (percent, currency.and_then(|i| CURRENCIES.get(i))) {
                    (true, _) => "percentages as shares".to_owned(),
                    (false, Some(sign)) => format!("amounts in {sign}"),
                    (false, None) => "numbers".to_owned(),
                };
                if mark == Mark::Comma {
                    said += " with decimal commas";
                } else if !percent && currency.is_none() {
                    said += " with separated thousands";
                }
                said
            }
        })
    }
}

/// The value of a cell that is true or false, in any case.
pub(super) fn truth(text: &str) -> Option<bool> {
    let text = text.trim();
    match () {
        () if text.eq_ignore_ascii_case("true") => Some(true),
        () if text.eq_ignore_ascii_case("false") => Some(false),
        () => None,
    }
}

/// Words for a missing value in columns of numbers, dates and durations, where they cannot be values.
pub(super) fn is_placeholder(text: &str) -> bool {
    matches!(text, "-" | "--" | "." | "–" | "—" | "#N/A" | "<NA>") || text.eq_ignore_ascii_case("none")
}
