//! The description of each kernel, shared by the parser, the help, the documentation and the tests.

use super::Definiteness;
use crate::data::{ClassWeights, Kind, class_weights};
use crate::error::{Error, Result};

/// The description of a kernel, or of something that wraps kernels.
#[derive(Debug)]
pub struct Facts {
    /// The name in expressions.
    pub name: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// The formula, in plain text.
    pub formula: &'static str,
    /// The input, in words: a kind of data, or kernels.
    pub takes: &'static str,
    /// The kinds of columns it reads itself; empty for wrappers of kernels.
    pub kinds: &'static [Kind],
    /// Whether its Gram matrices can have negative eigenvalues, given valid parameters.
    pub definiteness: Definiteness,
    /// The parameters, in positional order.
    pub parameters: &'static [Parameter],
    /// The cost of one entry, or of fitting.
    pub cost: &'static str,
    /// The literature reference.
    pub reference: &'static str,
    /// An expression that uses it.
    pub example: &'static str,
}

/// The numeric kinds, accepted by vector kernels.
pub(crate) const NUMERIC: &[Kind] = &[Kind::Numbers, Kind::Sparse];

/// A parameter of a kernel.
#[derive(Debug)]
pub struct Parameter {
    /// The name.
    pub name: &'static str,
    /// The default, as text of the expression language.
    pub default: &'static str,
    /// The valid values.
    pub domain: Domain,
    /// One line.
    pub doc: &'static str,
    /// An alternative name with a conversion to this parameter, such as sigma for gamma.
    pub alias: Option<Alias>,
}

/// An alternative name for a parameter, and the conversion of its value.
pub type Alias = (&'static str, fn(f64) -> f64);

/// The valid values of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Domain {
    /// A finite number above 0.
    Positive,
    /// A finite number above 0, or one of these words, which stand for values computed from the training objects.
    PositiveOr(&'static [&'static str]),
    /// A finite number of at least 0.
    NonNegative,
    /// Any finite number.
    Finite,
    /// A finite number of at least the given one.
    AtLeast(f64),
    /// A number above 0 and at most 1.
    Share,
    /// A whole number between the two, both included.
    Whole(u64, u64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// Class weights, in the notation of [`ClassWeights`].
    ClassWeights,
}

impl Domain {
    /// The domain in words, to follow "must be".
    pub fn describe(&self) -> String {
        match self {
            Domain::Positive => "a finite number above 0".into(),
            Domain::PositiveOr(words) => format!("a finite number above 0, {}", words.join(" or ")),
            Domain::NonNegative => "a finite number of at least 0".into(),
            Domain::Finite => "a finite number".into(),
            Domain::AtLeast(low) => format!("a finite number of at least {low}"),
            Domain::Share => "a number above 0 and at most 1".into(),
            Domain::Whole(low, u64::MAX) => format!("a whole number of at least {low}"),
            Domain::Whole(low, high) => format!("a whole number from {low} to {high}"),
            Domain::Word(words) => format!("one of {}", words.join(", ")),
            Domain::ClassWeights => class_weights::DOMAIN.into(),
        }
    }

    /// Returns the number if it is valid.
    pub fn check(&self, name: &str, value: f64) -> Result<f64> {
        let good = value.is_finite()
            && match *self {
                Domain::Positive | Domain::PositiveOr(_) => value > 0.0,
                Domain::NonNegative => value >= 0.0,
                Domain::Finite => true,
                Domain::AtLeast(low) => value >= low,
                Domain::Share => value > 0.0 && value <= 1.0,
                Domain::Whole(low, high) => {
                    value.fract() == 0.0 && value >= low as f64 && value <= high as f64
                }
                Domain::Word(_) | Domain::ClassWeights => false,
            };
        if good { Ok(value) } else { Err(Error::param(name, value, &self.describe())) }
    }

    /// The domain of the numbers alone, without words that stand for them.
    pub(super) fn of_numbers(self) -> Domain {
        match self {
            Domain::PositiveOr(_) => Domain::Positive,
            other => other,
        }
    }

    /// Whether the word is valid.
    #[doc(hidden)]
    pub fn has_word(&self, word: &str) -> bool {
        match self {
            Domain::Word(words) | Domain::PositiveOr(words) => words.contains(&word),
            Domain::ClassWeights => word.parse::<ClassWeights>().is_ok(),
            _ => false,
        }
    }
}
