//! Readers of time series files.

mod gaps;
mod header;
mod table;
#[cfg(test)]
mod tests;
mod ts;
mod ucr;

pub(super) use table::read as read_table;

use self::gaps::Gathered;
use super::number::{self, Number};
use super::roles::{self, Role, target_of_names, target_of_numbers};
use super::text::{Fault, Text, shown};
use super::{Format, Options, TargetKind};
use crate::data::{Categories, Column, Dataset, Target, Values};
use crate::error::{Code, Error, Result};

/// The name of the series column.
const NAME: &str = "series";

pub(super) fn read(text: &Text<'_>, format: Format, options: &Options) -> Result<Dataset> {
    match format {
        Format::Ts => ts::read(text, options),
        _ => ucr::read(text, options),
    }
}

/// A value of a series: `None` for a gap.
fn value(word: &str, offset: usize) -> Result<Option<f64>, Fault> {
    let fault = |code, reason: String| Err(Fault::new(offset, code, reason));
    let word = number::trim(word);
    match number::parse(word) {
        Number::Value(v) => Ok(Some(v)),
        _ if word.is_empty() || word == "?" || word.eq_ignore_ascii_case("nan") => Ok(None),
        Number::NonFinite => fault(Code::NonFinite, format!("{}: values must be finite", shown(word))),
        Number::Overflow => fault(Code::Overflow, format!("{} is too large for a double", shown(word))),
        Number::Bad(why) => fault(Code::Number, format!("{} is not a plain number: {why}", shown(word))),
        Number::Text => fault(Code::Number, format!("{} is not a number", shown(word))),
    }
}

/// The labels of series.
enum Labels {
    None,
    Classes(Vec<String>),
    Numbers(Vec<f64>),
}

impl Labels {
    /// Parses a numeric label.
    fn number(word: &str, offset: usize) -> Result<f64, Fault> {
        match number::parse(word) {
            Number::Value(v) => Ok(v),
            _ => {
                Err(Fault::new(offset, Code::Label, format!("target {} is not a finite number", shown(word))))
            }
        }
    }

    fn append(&mut self, other: Labels) {
        match (self, other) {
            (Labels::Classes(all), Labels::Classes(more)) => all.extend(more),
            (Labels::Numbers(all), Labels::Numbers(more)) => all.extend(more),
            (own @ Labels::None, other) => *own = other,
            _ => {}
        }
    }
}

/// The data set of series and labels; the labels are named `label`.
fn finish(
    text: &Text<'_>,
    gathered: Gathered,
    labels: Labels,
    label: &str,
    options: &Options,
) -> Result<Dataset> {
    if gathered.len() == 0 {
        return Err(text.empty("a header but no series"));
    }
    let names = match labels {
        Labels::None => vec![NAME.to_owned()],
        _ => vec![NAME.to_owned(), label.to_owned()],
    };
    let roles = roles::assign(&names, options, &text.place(0))?;
    if roles[0] != Role::Feature
        || roles.get(1).is_some_and(|r| !matches!(r, Role::Target | Role::Ignore | Role::Feature))
    {
        return Err(Error::usage("such a file has series and a target, but no ids, groups or weights"));
    }
    let (series, kept, warnings) = gathered.finish(text, options)?;
    let mut columns = vec![Column::new(NAME, Values::Series(series))];
    let target = match (labels, options.target_kind) {
        (Labels::None, _) => None,
        (Labels::Numbers(v), kind) => {
            let kind = if kind == TargetKind::Infer { TargetKind::Numbers } else { kind };
            Some(target_of_numbers(v, kind))
        }
        (Labels::Classes(names), TargetKind::Numbers) => {
            let all = names.iter().map(|n| Labels::number(n, 0)).collect::<Result<Vec<_>, _>>();
            Some(Target::Numbers(all.map_err(|f| text.error(f))?))
        }
        (Labels::Classes(names), _) => {
            Some(target_of_names(Categories::from_values(names.iter().map(|n| Some(n.as_str())))))
        }
    };
    let target = target.map(|t| t.select(&kept));
    if let (Some(Target::Classes(c)), Some(Role::Feature)) = (&target, roles.get(1)) {
        columns.push(Column::new(label, Values::Categories(c.clone())));
    }
    let data = Dataset::new(columns)?.with_warnings(warnings);
    match target {
        Some(target) if roles.get(1) == Some(&Role::Target) => data.with_target(label, target),
        _ => Ok(data),
    }
}
