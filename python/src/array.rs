//! NumPy arrays in and out.

use std::sync::Arc;

use mercer::data::Dense;
use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::OrRaise;

/// The values of an array, read where they are for as long as this lives.
struct Loan {
    /// Keeps the memory alive; given back when the interpreter is next attached.
    _owner: Py<PyAny>,
    start: *const f64,
    len: usize,
}

// SAFETY: the values are only read, and the owner is a counted reference that may be given back on any thread. That nobody
// writes to the array while work goes on is what every library that works on arrays without the interpreter's lock asks of
// its users.
unsafe impl Send for Loan {}
// SAFETY: as above.
unsafe impl Sync for Loan {}

impl AsRef<[f64]> for Loan {
    fn as_ref(&self) -> &[f64] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: `matrix` took the pointer and the length from a contiguous array of doubles, aligned as NumPy says it is,
        // and the owner keeps the array alive.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

/// A matrix over a two-dimensional array of doubles: in place where rows stand one after the other, otherwise a copy.
pub(crate) fn matrix(array: &Bound<'_, PyAny>) -> PyResult<Dense> {
    let py = array.py();
    let array =
        array.cast::<PyArray2<f64>>().map_err(|_| PyTypeError::new_err("expected a 2-D array of float64"))?;
    let (rows, cols) = (array.shape()[0], array.shape()[1]);
    if array.is_c_contiguous() {
        let loan = Loan { _owner: array.clone().into_any().unbind(), start: array.data(), len: rows * cols };
        if loan.start.is_aligned() {
            return Dense::lent(rows, cols, Arc::new(loan)).or_raise(py);
        }
    }
    let values = array.readonly().as_array().iter().copied().collect();
    Dense::new(rows, cols, values).or_raise(py)
}

/// A list of values as a one-dimensional array.
pub(crate) fn list<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    values.into_pyarray(py)
}

/// A matrix as a two-dimensional array, without copying.
pub(crate) fn table<T: Element + Copy + Default>(
    py: Python<'_>,
    matrix: Dense<T>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let shape = [matrix.rows(), matrix.cols()];
    matrix.into_values().into_pyarray(py).reshape(shape)
}

/// The values of a one-dimensional array of doubles.
pub(crate) fn doubles(array: &PyReadonlyArray1<'_, f64>) -> Vec<f64> {
    array.as_array().iter().copied().collect()
}
