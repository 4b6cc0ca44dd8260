//! A value, or the reason why it is undefined.

use std::fmt;

/// The result of a measure: a finite value, or the reason why it is undefined for the data.
///
/// ```
/// use mercer::select::{Measured, score};
/// assert_eq!(score::auc(&[true, false], &[0.9, 0.2])?, Measured::Value(1.0));
/// let alone = score::auc(&[true, true], &[0.9, 0.2])?;
/// assert_eq!(alone.value(), None);
/// assert_eq!(alone.to_string(), "undefined: the truth has one class only");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[must_use]
pub enum Measured<T = f64> {
    /// The value.
    Value(T),
    /// The reason why it is undefined.
    Undefined(&'static str),
}

impl<T> Measured<T> {
    /// The value, if there is one.
    pub fn value(self) -> Option<T> {
        match self {
            Measured::Value(value) => Some(value),
            Measured::Undefined(_) => None,
        }
    }

    /// The reason why there is no value; `None` if there is one.
    pub fn reason(&self) -> Option<&'static str> {
        match self {
            Measured::Value(_) => None,
            Measured::Undefined(reason) => Some(reason),
        }
    }
}

impl Measured {
    /// The value if it is finite; sums and squares of huge numbers may overflow.
    pub(super) fn finite(value: f64) -> Self {
        if value.is_finite() { Measured::Value(value) } else { Measured::Undefined("the value overflows") }
    }
}

impl<T: fmt::Display> fmt::Display for Measured<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Measured::Value(value) => value.fmt(f),
            Measured::Undefined(reason) => write!(f, "undefined: {reason}"),
        }
    }
}
