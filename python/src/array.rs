//! Conversion between NumPy arrays and matrices.

use std::sync::Arc;

use mercer::data::Dense;
use numpy::{
    Element, IntoPyArray, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyUntypedArrayMethods,
};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;

use crate::error::OrRaise;

/// The values of a NumPy array of doubles, borrowed without a copy.
struct BorrowedArray {
    /// Keeps the memory alive. The reference is released when the interpreter is next attached.
    _owner: Py<PyAny>,
    start: *const f64,
    len: usize,
}

// SAFETY: the values are only read, and the owner is a reference count that may be released on any thread. Users must
// not write to the array during a computation, as for every library that reads arrays without holding the GIL.
unsafe impl Send for BorrowedArray {}
// SAFETY: as above.
unsafe impl Sync for BorrowedArray {}

impl AsRef<[f64]> for BorrowedArray {
    fn as_ref(&self) -> &[f64] {
        if self.len == 0 {
            return &[];
        }
        // SAFETY: `matrix` took the pointer and the length from a contiguous, aligned array of doubles, which the owner
        // keeps alive.
        unsafe { std::slice::from_raw_parts(self.start, self.len) }
    }
}

/// Converts a two-dimensional array of doubles to a matrix, without a copy if the array is C-contiguous and aligned.
pub(crate) fn matrix(array: &Bound<'_, PyAny>) -> PyResult<Dense> {
    let py = array.py();
    let array =
        array.cast::<PyArray2<f64>>().map_err(|_| PyTypeError::new_err("expected a 2-D array of float64"))?;
    let (rows, cols) = (array.shape()[0], array.shape()[1]);
    if array.is_c_contiguous() {
        let borrowed = BorrowedArray {
            _owner: array.clone().into_any().unbind(),
            start: array.data(),
            len: rows * cols,
        };
        if borrowed.start.is_aligned() {
            return Dense::lent(rows, cols, Arc::new(borrowed)).or_raise(py);
        }
    }
    let values = array.readonly().as_array().iter().copied().collect();
    Dense::new(rows, cols, values).or_raise(py)
}

/// Converts a vector to a one-dimensional array.
pub(crate) fn list<T: Element>(py: Python<'_>, values: Vec<T>) -> Bound<'_, PyArray1<T>> {
    values.into_pyarray(py)
}

/// Converts a matrix to a two-dimensional array, without copying.
pub(crate) fn table<T: Element + Copy + Default>(
    py: Python<'_>,
    matrix: Dense<T>,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let shape = [matrix.rows(), matrix.cols()];
    matrix.into_values().into_pyarray(py).reshape(shape)
}

/// Copies a one-dimensional array of doubles.
pub(crate) fn doubles(array: &PyReadonlyArray1<'_, f64>) -> Vec<f64> {
    array.as_array().iter().copied().collect()
}
