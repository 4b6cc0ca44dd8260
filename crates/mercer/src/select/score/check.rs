//! What every measure asks of its input, and the reasons it gives.

use crate::error::{Error, Result};

pub(super) const NO_OBJECTS: &str = "there are no objects";
pub(super) const ONE_CLASS: &str = "the truth has one class only";
pub(super) const NO_POSITIVE: &str = "the truth has no positive object";

/// An error unless there are as many predictions as objects.
pub(super) fn same_length(truth: usize, predicted: usize) -> Result<()> {
    if truth == predicted {
        return Ok(());
    }
    Err(Error::Shape { expected: format!("{truth} predictions"), found: predicted.to_string() })
}

/// More classes than this are a mistake in the codes, and would fill the memory with counts.
const MOST_CLASSES: usize = 1 << 20;

/// An error naming the first code that is no class.
pub(super) fn codes(codes: &[usize], classes: usize) -> Result<()> {
    if classes > MOST_CLASSES {
        return Err(Error::param("classes", classes, &format!("at most {MOST_CLASSES}")));
    }
    match codes.iter().position(|&code| code >= classes) {
        Some(index) => {
            let reason = format!("class code {} where there are {classes} classes", codes[index]);
            Err(Error::Object { index, reason, hint: None })
        }
        None => Ok(()),
    }
}

/// An error naming the first number that is NaN or infinite.
pub(super) fn finite(values: &[f64], what: &str) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => {
            Err(Error::Object { index, reason: format!("the {what} is {}", values[index]), hint: None })
        }
        None => Ok(()),
    }
}
