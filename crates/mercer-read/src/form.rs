//! The number that a cell stands for, given how its column is written.

use super::dates;
use super::number::{self, Number};
use super::written::{self, Signs};
use crate::data::{CellForm, DateOrder, DecimalMark, Kind};

/// The number that a cell stands for; `None` if it is not of this form.
pub(super) fn read(form: CellForm, text: &str) -> Option<f64> {
    match form {
        // Plain numbers are parsed by the caller.
        CellForm::Plain => None,
        CellForm::Truth => match truth(text) {
            Some(value) => Some(f64::from(u8::from(value))),
            None => match number::parse(text) {
                Number::Value(value) if value == 0.0 || value == 1.0 => Some(value),
                _ => None,
            },
        },
        CellForm::Written { mark, percent, unit } => {
            let found = written::parse(text, mark)?;
            let fits = found.unit.is_none() || found.unit == unit;
            // In a column of percentages only 0 needs no sign.
            let fits = fits && (found.percent == percent || found.value == 0.0);
            fits.then_some(found.value)
        }
        CellForm::Dates(order) => dates::parse(text, order).or_else(|| match order {
            DateOrder::Year => None,
            // ISO dates are unambiguous among others.
            _ => dates::parse(text, DateOrder::Year),
        }),
        CellForm::Duration => written::duration(text),
    }
}

/// Whether a cell that is not of this form is a date in another order, or a number with another decimal mark.
pub(super) fn is_otherwise(form: CellForm, text: &str) -> bool {
    match form {
        CellForm::Dates(_) => DateOrder::ALL.iter().any(|order| dates::parse(text, *order).is_some()),
        CellForm::Plain | CellForm::Written { mark: DecimalMark::Point, .. } => {
            written::parse(text, DecimalMark::Comma).is_some()
        }
        CellForm::Written { mark: DecimalMark::Comma, .. } => {
            written::parse(text, DecimalMark::Point).is_some()
        }
        CellForm::Truth | CellForm::Duration => false,
    }
}

/// Distinct texts of several words up to which they are categories, if each occurs this often on average.
const MOST_PHRASES: usize = 50;
const OFTEN: usize = 5;
/// Values that show how often texts repeat.
const FEWEST: usize = 20;

/// Whether texts of several words are a few that repeat, such as names of species: categories rather than text.
pub(super) fn are_repeated(distinct: usize, all: usize) -> bool {
    all >= FEWEST && distinct <= MOST_PHRASES && distinct * OFTEN <= all
}

/// The kind of a column of this form.
pub(super) fn kind(form: CellForm) -> Kind {
    if matches!(form, CellForm::Dates(_)) { Kind::Times } else { Kind::Numbers }
}

/// What cells of another form are not, in the plural.
pub(super) fn expected(form: CellForm) -> &'static str {
    match form {
        CellForm::Plain | CellForm::Written { .. } => "numbers",
        CellForm::Truth => "true or false",
        CellForm::Dates(_) => "dates",
        CellForm::Duration => "durations",
    }
}

/// How the value of a cell is to be understood, for a form that needs to be said.
pub(super) fn explained(form: CellForm) -> Option<String> {
    Some(match form {
        CellForm::Plain | CellForm::Truth | CellForm::Dates(DateOrder::Year) => return None,
        other => described(other),
    })
}

/// A form in words.
pub(super) fn described(form: CellForm) -> String {
    match form {
        CellForm::Plain => "plain numbers".into(),
        CellForm::Truth => "true and false".into(),
        CellForm::Dates(DateOrder::Year) => "dates with the year first".into(),
        CellForm::Dates(DateOrder::Day) => "dates with the day first".into(),
        CellForm::Dates(DateOrder::Month) => "dates with the month first".into(),
        CellForm::Duration => "durations in seconds".into(),
        CellForm::Written { mark, percent, unit } => {
            let mut said = match (percent, unit) {
                (true, _) => "percentages as shares".to_owned(),
                (false, Some(unit)) => format!("amounts in {unit}"),
                (false, None) if mark == DecimalMark::Point => "written numbers".to_owned(),
                (false, None) => "numbers".to_owned(),
            };
            if mark == DecimalMark::Comma {
                said += " with decimal commas";
            }
            said
        }
    }
}

/// A form in words, with the signs that its numbers have.
pub(super) fn described_with(form: CellForm, signs: Signs) -> String {
    let plain = matches!(form, CellForm::Written { mark: DecimalMark::Point, percent: false, unit: None });
    let mut said = if plain { "numbers".to_owned() } else { described(form) };
    let kinds = [
        (signs.groups && plain, "separated thousands"),
        (signs.brackets, "brackets as minus"),
        (signs.minus, "other minus signs"),
    ];
    let mut joint = if said.contains(" with ") { " and " } else { " with " };
    for (_, kind) in kinds.iter().filter(|(has, _)| *has) {
        said += joint;
        said += kind;
        joint = " and ";
    }
    said
}

/// The value of a cell that is true or false, yes or no, in any case.
pub(super) fn truth(text: &str) -> Option<bool> {
    let text = text.trim();
    let is = |word: &str| text.eq_ignore_ascii_case(word);
    match () {
        () if is("true") || is("yes") => Some(true),
        () if is("false") || is("no") => Some(false),
        () => None,
    }
}

/// Words for a missing value in columns of numbers, dates and durations, where they cannot be values.
pub(super) fn is_placeholder(text: &str) -> bool {
    const WORDS: [&str; 8] = ["none", "unknown", "missing", "nil", "n.a.", "nd", "n.d.", "not available"];
    matches!(text, "-" | "--" | "." | "–" | "—" | "<NA>")
        // Errors of spreadsheets: #N/A, #DIV/0!, #NAME?.
        || text.starts_with('#') && text.ends_with(['!', '?', 'A'])
        || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
        || is_nan(text)
}

/// Whether a cell says that it is not a number.
pub(super) fn is_nan(text: &str) -> bool {
    text.strip_prefix(['+', '-']).unwrap_or(text).eq_ignore_ascii_case("nan")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn truth_values_in_any_case() {
        for (text, value) in
            [("Yes", 1.0), ("NO", 0.0), ("true", 1.0), (" FALSE ", 0.0), ("1", 1.0), ("0", 0.0)]
        {
            assert_eq!(read(CellForm::Truth, text), Some(value), "{text}");
        }
        assert!(["2", "maybe", "y", ""].iter().all(|text| read(CellForm::Truth, text).is_none()));
    }
}
