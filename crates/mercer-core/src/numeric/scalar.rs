//! The number types of matrices, and memory for them.

use crate::budget;
use crate::data::Dense;
use crate::error::Result;
use crate::parallel;

/// Only plain numbers may be copied as bits, so no other type can implement [`Scalar`].
mod sealed {
    pub trait Sealed {}
    impl Sealed for f64 {}
    impl Sealed for f32 {}
}

/// The number types of a matrix: `f64` and `f32`.
pub trait Scalar: sealed::Sealed + Copy + Default + Send + Sync + 'static {
    /// NumPy's name for the type.
    const DTYPE: &'static str;

    /// The nearest number of this type.
    fn from_f64(value: f64) -> Self;

    /// The same number as a double.
    fn to_f64(self) -> f64;
}

impl Scalar for f64 {
    const DTYPE: &'static str = "<f8";

    fn from_f64(value: f64) -> Self {
        value
    }

    fn to_f64(self) -> f64 {
        self
    }
}

impl Scalar for f32 {
    const DTYPE: &'static str = "<f4";

    fn from_f64(value: f64) -> Self {
        value as f32
    }

    fn to_f64(self) -> f64 {
        f64::from(self)
    }
}

/// A matrix of zeros in huge pages, if the system supports them: a Gram matrix is written once, and faulting in small
/// pages would take a noticeable share of the time.
#[doc(hidden)]
pub fn allocate<T: Scalar>(rows: usize, cols: usize) -> Dense<T> {
    let mut matrix = Dense::zeros(rows, cols);
    advise_large_pages(matrix.values_mut());
    matrix
}

/// Values converted by one task.
const CHUNK: usize = 1 << 16;

/// The same numbers as doubles. Fresh memory takes longer than the conversion, so all threads do it.
///
/// ```
/// use mercer_core::{data::Dense, numeric::doubles};
/// assert_eq!(doubles(&Dense::from_rows(&[[0.5f32, 2.0]]))?, Dense::from_rows(&[[0.5f64, 2.0]]));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[doc(hidden)]
pub fn doubles(matrix: &Dense<f32>) -> Result<Dense> {
    let (rows, cols) = (matrix.rows(), matrix.cols());
    budget::ask(&format!("doubles ({rows} × {cols})"), budget::matrix_bytes(rows, cols, size_of::<f64>()))?;
    let mut out = allocate::<f64>(rows, cols);
    let from = matrix.values();
    parallel::for_chunks_mut(out.values_mut(), CHUNK, 1, |at, to| {
        to.iter_mut().zip(&from[at * CHUNK..]).for_each(|(to, v)| *to = f64::from(*v));
    });
    budget::check()?;
    Ok(out)
}

#[cfg(target_os = "linux")]
fn advise_large_pages<T>(memory: &mut [T]) {
    const PAGE: usize = 4096;
    let start = memory.as_mut_ptr() as usize;
    let (first, end) = (start.next_multiple_of(PAGE), (start + size_of_val(memory)) / PAGE * PAGE);
    if end.saturating_sub(first) >= 4 << 20 {
        // SAFETY: the range lies inside the slice, and this advice never changes the content of memory. Failure has no
        // effect.
        let _ = unsafe {
            rustix::mm::madvise(
                first as *mut std::ffi::c_void,
                end - first,
                rustix::mm::Advice::LinuxHugepage,
            )
        };
    }
}

#[cfg(not(target_os = "linux"))]
fn advise_large_pages<T>(_memory: &mut [T]) {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_single_becomes_the_same_double() {
        let values: Vec<f32> = (0..3 * CHUNK + 6).map(|i| 1.0 / (i as f32 + 3.0)).collect();
        let wide = doubles(&Dense::new(2, values.len() / 2, values.clone()).unwrap()).unwrap();
        assert_eq!((wide.rows(), wide.cols()), (2, values.len() / 2));
        assert!(wide.values().iter().zip(&values).all(|(d, s)| *d as f32 == *s && *d == f64::from(*s)));
        assert_eq!(doubles(&Dense::zeros(0, 7)).unwrap().cols(), 7);
    }
}
