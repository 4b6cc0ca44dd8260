//! Copies that bypass the caches, where the processor supports them.

use crate::numeric::Scalar;

/// Copies `values` to `target` (of the same length) without reading the target into the caches first.
///
/// [`finish`] must be called before other threads read the target.
#[cfg(target_arch = "x86_64")]
pub(super) fn copy<T: Scalar>(values: &[T], target: &mut [T]) {
    use std::arch::x86_64::{__m128i, _mm_loadu_si128, _mm_stream_si128};
    assert_eq!(values.len(), target.len(), "source and target differ in length");
    // SAFETY: numbers are plain bits without padding, and every bit pattern of 16 bytes is an `__m128i`; `align_to_mut`
    // only returns aligned memory inside `target`.
    let (head, middle, tail) = unsafe { target.align_to_mut::<__m128i>() };
    let per_store = size_of::<__m128i>() / size_of::<T>();
    let (first, rest) = values.split_at(head.len());
    let (body, last) = rest.split_at(middle.len() * per_store);
    head.copy_from_slice(first);
    tail.copy_from_slice(last);
    for (place, from) in middle.iter_mut().zip(body.chunks_exact(per_store)) {
        // SAFETY: `from` has 16 bytes and may be unaligned; `place` is aligned and exclusively borrowed. Every x86-64
        // processor has both instructions.
        unsafe { _mm_stream_si128(place, _mm_loadu_si128(from.as_ptr().cast())) };
    }
}

/// Makes the copies visible before everything this thread does next.
#[cfg(target_arch = "x86_64")]
pub(super) fn finish() {
    // SAFETY: every x86-64 processor has the instruction, and it accesses no memory of ours.
    unsafe { std::arch::x86_64::_mm_sfence() };
}

/// Copies `values` to `target` (of the same length).
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn copy<T: Scalar>(values: &[T], target: &mut [T]) {
    target.copy_from_slice(values);
}

/// Nothing to do after ordinary copies.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn finish() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_length_at_any_alignment() {
        let values: Vec<f64> = (0..40).map(f64::from).collect();
        let singles: Vec<f32> = values.iter().map(|v| *v as f32).collect();
        for start in 0..5 {
            for length in 0..35 {
                let (mut doubles, mut floats) = (vec![-1.0; 41], vec![-1.0f32; 41]);
                copy(&values[..length], &mut doubles[start..start + length]);
                copy(&singles[..length], &mut floats[start..start + length]);
                finish();
                for i in 0..41 {
                    let inside = (start..start + length).contains(&i);
                    let expected = if inside { (i - start) as f64 } else { -1.0 };
                    assert_eq!((doubles[i], f64::from(floats[i])), (expected, expected));
                }
            }
        }
    }
}
