//! A matrix that several threads fill at the same time, tile by tile.

use std::array::from_fn;
use std::marker::PhantomData;
use std::ops::Range;

use xxhash_rust::xxh3::Xxh3;

use super::stream;
use crate::numeric::{Scalar, math};

/// A row-major matrix in borrowed memory whose tiles may be written from several threads.
#[doc(hidden)]
pub struct Canvas<'a, T> {
    first: *mut T,
    rows: usize,
    cols: usize,
    memory: PhantomData<&'a mut [T]>,
}

// SAFETY: the canvas is written only through `write` and `write_transposed`, whose contract is that no two threads
// write the same entries. It is read only through `hash`, whose contract is that no thread writes them at the same
// time. T is plain data that may move between threads.
unsafe impl<T: Scalar> Sync for Canvas<'_, T> {}

/// The side length of the squares in which a tile is transposed: 8 doubles are a cache line.
const SIDE: usize = 8;

/// Larger matrices (in bytes) are written past the caches: they would not stay cached anyway, and a fully overwritten
/// cache line need not be read first.
const STREAMED: usize = 64 << 20;

impl<'a, T: Scalar> Canvas<'a, T> {
    /// The matrix of `rows` × `cols` in `memory`, which must hold exactly this many numbers.
    #[doc(hidden)]
    pub fn new(memory: &'a mut [T], rows: usize, cols: usize) -> Self {
        assert_eq!(Some(memory.len()), rows.checked_mul(cols), "the canvas and its memory differ in size");
        Canvas { first: memory.as_mut_ptr(), rows, cols, memory: PhantomData }
    }

    /// The entries of a row in the columns `cols`.
    ///
    /// # Safety
    /// No other thread may use these entries at the same time.
    #[allow(clippy::mut_from_ref)] // The caller guarantees disjoint entries.
    unsafe fn entries(&self, row: usize, cols: Range<usize>) -> &mut [T] {
        assert!(row < self.rows && cols.end <= self.cols && cols.start <= cols.end);
        // SAFETY: the entries lie inside the borrowed memory by the assertion above, and the caller guarantees
        // exclusive use.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(row * self.cols + cols.start), cols.len()) }
    }

    /// Writes a tile, row after row, to the entries `rows` × `cols`.
    ///
    /// # Safety
    /// No other thread may write these entries at the same time.
    pub(crate) unsafe fn write(&self, rows: Range<usize>, cols: Range<usize>, tile: &[f64]) {
        let mut buffer = Vec::with_capacity(cols.len());
        for (i, values) in rows.zip(tile.chunks_exact(cols.len().max(1))) {
            buffer.clear();
            buffer.extend(values.iter().map(|v| T::from_f64(*v)));
            // SAFETY: guaranteed by the caller.
            self.copy(&buffer, unsafe { self.entries(i, cols.clone()) });
        }
        self.finish();
    }

    /// Writes the transpose of the tile `rows` × `cols` to the entries `cols` × `rows`.
    ///
    /// # Safety
    /// No other thread may write these entries at the same time.
    pub(crate) unsafe fn write_transposed(&self, rows: Range<usize>, cols: Range<usize>, tile: &[f64]) {
        let (height, width) = (rows.len(), cols.len());
        let mut strip = vec![T::default(); SIDE * height];
        for left in (0..width).step_by(SIDE) {
            let across = SIDE.min(width - left);
            math::vectorised(
                #[inline(always)]
                || transpose(tile, width, left..left + across, &mut strip),
            );
            for (j, values) in strip.chunks_exact(height).take(across).enumerate() {
                // SAFETY: guaranteed by the caller.
                self.copy(values, unsafe { self.entries(cols.start + left + j, rows.clone()) });
            }
        }
        self.finish();
    }

    /// Adds the entries `rows` × `cols` to a checksum.
    ///
    /// # Safety
    /// No other thread may write these entries at the same time.
    #[doc(hidden)]
    pub unsafe fn hash(&self, rows: Range<usize>, cols: Range<usize>, hash: &mut Xxh3) {
        let mut buffer = Vec::with_capacity(8 * cols.len());
        for row in rows {
            buffer.clear();
            // SAFETY: guaranteed by the caller.
            let entries = unsafe { self.entries(row, cols.clone()) };
            buffer.extend(entries.iter().flat_map(|v| v.to_f64().to_le_bytes()));
            hash.update(&buffer);
        }
    }

    fn streamed(&self) -> bool {
        self.rows * self.cols * size_of::<T>() > STREAMED
    }

    fn copy(&self, values: &[T], target: &mut [T]) {
        if self.streamed() { stream::copy(values, target) } else { target.copy_from_slice(values) }
    }

    /// Makes streamed values visible to other threads.
    fn finish(&self) {
        if self.streamed() {
            stream::finish();
        }
    }
}

/// Copies at most [`SIDE`] columns of a tile to `strip`, one after the other.
#[inline(always)]
fn transpose<T: Scalar>(tile: &[f64], width: usize, cols: Range<usize>, strip: &mut [T]) {
    let height = strip.len() / SIDE;
    let whole = if cols.len() == SIDE { height / SIDE * SIDE } else { 0 };
    for top in (0..whole).step_by(SIDE) {
        let mut square = [[0.0; SIDE]; SIDE];
        for (r, row) in tile[top * width..].chunks_exact(width).take(SIDE).enumerate() {
            square[r].copy_from_slice(&row[cols.start..cols.start + SIDE]);
        }
        let square: [[T; SIDE]; SIDE] = from_fn(|c| from_fn(|r| T::from_f64(square[r][c])));
        for (column, values) in strip.chunks_exact_mut(height).zip(&square) {
            column[top..top + SIDE].copy_from_slice(values);
        }
    }
    for (i, row) in tile.chunks_exact(width).enumerate().skip(whole) {
        for (j, v) in row[cols.clone()].iter().enumerate() {
            strip[j * height + i] = T::from_f64(*v);
        }
    }
}
