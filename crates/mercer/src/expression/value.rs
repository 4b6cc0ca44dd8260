//! Parameter values: fixed, or a choice that a search may make.

use std::fmt;

use super::lex::is_plain;
use crate::numeric::Short;

/// A fixed value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A number.
    Number(f64),
    /// A word.
    Word(String),
}

/// Evenly spaced values: `1..7`, `0..1 step 0.25`, `2^-5..2^15`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// The base, for ranges of powers; the other fields are then exponents.
    pub base: Option<f64>,
    /// The first value or exponent.
    pub from: f64,
    /// The last value or exponent.
    pub to: f64,
    /// The step between them.
    pub step: f64,
}

/// Maximum number of values of a range.
pub(super) const MOST_VALUES: usize = 10_000;

impl Range {
    /// The number of values; `None` if the range is invalid or too long.
    pub(super) fn count(&self) -> Option<usize> {
        // Half a millionth of a step allows for the rounding of 0.1..0.5 step 0.1.
        let steps = ((self.to - self.from) / self.step + 5e-7).floor();
        (steps >= 0.0 && steps < MOST_VALUES as f64).then(|| steps as usize + 1)
    }

    /// The values, ascending.
    pub fn values(&self) -> Vec<f64> {
        let at = |i: usize| self.from + i as f64 * self.step;
        let power = |x: f64| match self.base {
            Some(base) if x.fract() == 0.0 && x.abs() < 1024.0 => base.powi(x as i32),
            Some(base) => base.powf(x),
            None => x,
        };
        (0..self.count().unwrap_or(0)).map(|i| power(at(i))).collect()
    }
}

/// One entry of a list of choices.
#[derive(Clone, Debug, PartialEq)]
pub enum Choice {
    /// A single value.
    One(Value),
    /// Evenly spaced values.
    Range(Range),
}

/// The setting of a parameter: one value, or a choice that a search may make.
#[derive(Clone, Debug, PartialEq)]
pub enum Setting {
    /// This value.
    Fixed(Value),
    /// A range on its own.
    Range(Range),
    /// Values in brackets.
    List(Vec<Choice>),
}

impl Setting {
    /// A choice of these values; fixed if there is one only.
    pub(super) fn of(values: &[Value]) -> Self {
        match values {
            [only] => Setting::Fixed(only.clone()),
            all => Setting::List(all.iter().cloned().map(Choice::One).collect()),
        }
    }

    /// Every value it can take, in the order written.
    pub fn values(&self) -> Vec<Value> {
        let range = |r: &Range| r.values().into_iter().map(Value::Number).collect::<Vec<_>>();
        match self {
            Setting::Fixed(v) => vec![v.clone()],
            Setting::Range(r) => range(r),
            Setting::List(items) => items
                .iter()
                .flat_map(|item| match item {
                    Choice::One(v) => vec![v.clone()],
                    Choice::Range(r) => range(r),
                })
                .collect(),
        }
    }

    /// The number, if it is one fixed number.
    pub fn number(&self) -> Option<f64> {
        match self {
            Setting::Fixed(Value::Number(v)) => Some(*v),
            _ => None,
        }
    }

    /// The word, if it is one fixed word.
    pub fn word(&self) -> Option<&str> {
        match self {
            Setting::Fixed(Value::Word(w)) => Some(w),
            _ => None,
        }
    }

    /// Whether a search may choose.
    pub fn is_open(&self) -> bool {
        !matches!(self, Setting::Fixed(_))
    }

    /// The same setting with every number replaced.
    pub(super) fn map(self, f: impl Fn(f64) -> f64) -> Self {
        let one = |v: Value| match v {
            Value::Number(x) => Value::Number(f(x)),
            word => word,
        };
        match self {
            Setting::Fixed(v) => Setting::Fixed(one(v)),
            open => Setting::List(open.values().into_iter().map(|v| Choice::One(one(v))).collect()),
        }
    }
}

/// A column name or word, quoted if necessary.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            name if is_plain(name) => f.write_str(name),
            name if name.contains('"') && !name.contains('\'') => write!(f, "'{name}'"),
            // A quote inside quotes is doubled.
            name => write!(f, "\"{}\"", name.replace('"', "\"\"")),
        }
    }
}

/// The columns of a fitted kernel, in brackets, which are valid everywhere.
pub(crate) struct Columns<'a>(pub(crate) &'a [String]);

impl fmt::Display for Columns<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("@[")?;
        for (i, column) in self.0.iter().enumerate() {
            write!(f, "{}{}", if i > 0 { "," } else { "" }, Quoted(column))?;
        }
        f.write_str("]")
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Number(v) => Short(*v).fmt(f),
            Value::Word(w) => Quoted(w).fmt(f),
        }
    }
}

impl fmt::Display for Range {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.base {
            Some(b) => write!(f, "{}^{}..{}^{}", Short(b), Short(self.from), Short(b), Short(self.to))?,
            None => write!(f, "{}..{}", Short(self.from), Short(self.to))?,
        }
        // Only powers and integers have the default step 1.
        let whole = self.base.is_some() || self.from.fract() == 0.0 && self.to.fract() == 0.0;
        if whole && self.step == 1.0 { Ok(()) } else { write!(f, " step {}", Short(self.step)) }
    }
}

impl fmt::Display for Setting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Setting::Fixed(v) => v.fmt(f),
            Setting::Range(r) => r.fmt(f),
            Setting::List(items) => {
                f.write_str("[")?;
                for (i, item) in items.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    match item {
                        Choice::One(v) => v.fmt(f)?,
                        Choice::Range(r) => r.fmt(f)?,
                    }
                }
                f.write_str("]")
            }
        }
    }
}
