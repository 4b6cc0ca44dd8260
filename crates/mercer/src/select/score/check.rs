//! Input checks shared by all measures, and the reasons they give.

use crate::error::{Error, Result};

pub(super) const NO_OBJECTS: &str = "there are no objects";
pub(super) const ONE_CLASS: &str = "the truth has one class only";
pub(super) const NO_POSITIVE: &str = "the truth has no positive object";

/// Fails unless there are as many predictions as objects.
pub(super) fn same_length(truth: usize, predicted: usize) -> Result<()> {
    if truth == predicted {
        return Ok(());
    }
    Err(Error::Shape { expected: format!("{truth} predictions"), found: predicted.to_string() })
}

/// Upper bound on the number of classes: more indicate wrong codes, and their counts would exhaust memory.
const MOST_CLASSES: usize = 1 << 20;

/// Fails with the first code that is not a class.
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

/// Fails with the first number that is NaN or infinite.
pub(super) fn finite(values: &[f64], what: &str) -> Result<()> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(index) => {
            Err(Error::Object { index, reason: format!("the {what} is {}", values[index]), hint: None })
        }
        None => Ok(()),
    }
}
