//! Converts errors of the library to Python exceptions.
//!
//! The exceptions are Python classes (`mercer/_errors.py`), because some inherit from scikit-learn's. This module
//! chooses the class for each kind of error and sets its message and attributes.

use mercer::Error;
use mercer::error::Options;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;

/// Converts an error to its exception.
pub(crate) fn exception(py: Python<'_>, error: &Error) -> PyErr {
    make(py, error).unwrap_or_else(|failed| failed)
}

/// Converts the errors of results.
pub(crate) trait OrRaise<T> {
    /// Returns the value, or the exception for the error.
    fn or_raise(self, py: Python<'_>) -> PyResult<T>;
}

impl<T> OrRaise<T> for mercer::Result<T> {
    fn or_raise(self, py: Python<'_>) -> PyResult<T> {
        self.map_err(|e| exception(py, &e))
    }
}

/// The exception for a panic, which is a bug in the library.
pub(crate) fn internal(py: Python<'_>, message: &str) -> PyErr {
    raise(py, "InternalError", message, &PyDict::new(py)).unwrap_or_else(|failed| failed)
}

fn make(py: Python<'_>, error: &Error) -> PyResult<PyErr> {
    let class = match error {
        Error::Interrupted => return Ok(PyKeyboardInterrupt::new_err(())),
        Error::Param { .. } | Error::Expression { .. } | Error::Nu { .. } => "ParameterError",
        Error::NotPositiveDefinite { .. } => "NotPositiveDefinite",
        Error::MemoryPlan { .. } => "MemoryPlanError",
        Error::Numeric { .. } => "NumericError",
        Error::Io { .. } | Error::Resume { .. } => "FileError",
        Error::Parse { .. } => "FileContentError",
        _ => "DataError",
    };
    let data = PyDict::new(py);
    data.set_item("code", error.code().as_str())?;
    let hint = error.hint().map(|hint| Options::Keywords.write(&hint));
    data.set_item("hint", &hint)?;
    match error {
        Error::Param { name, value, domain } => {
            data.set_item("name", name)?;
            data.set_item("value", value)?;
            data.set_item("domain", domain)?;
        }
        Error::Expression { text, span, .. } => {
            data.set_item("text", text)?;
            data.set_item("span", (span.start, span.end))?;
        }
        Error::Column { name, .. } => data.set_item("column", name)?,
        Error::Object { index, .. } => data.set_item("index", index)?,
        Error::Missing { index, column } => {
            data.set_item("index", index)?;
            data.set_item("column", column)?;
        }
        Error::NotPositiveDefinite { lambda_min, lambda_max } => {
            data.set_item("lambda_min", lambda_min)?;
            data.set_item("lambda_max", lambda_max)?;
        }
        Error::MemoryPlan { needed, allowed, .. } => {
            data.set_item("needed", needed)?;
            data.set_item("allowed", allowed)?;
        }
        _ => {}
    }
    let mut message = Options::Keywords.write(&error.to_string());
    if let Some(hint) = hint {
        message += &format!(" (hint: {hint})");
    }
    raise(py, class, &message, &data)
}

fn raise(py: Python<'_>, class: &str, message: &str, data: &Bound<'_, PyDict>) -> PyResult<PyErr> {
    let value = py.import("mercer._errors")?.getattr(class)?.call1((message,))?;
    for (name, item) in data {
        value.setattr(name.cast::<pyo3::types::PyString>()?, item)?;
    }
    Ok(PyErr::from_value(value))
}
