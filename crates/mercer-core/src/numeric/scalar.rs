//! The number types of matrices, and memory for them.

use crate::data::Dense;

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
