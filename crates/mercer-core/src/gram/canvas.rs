//! A matrix that several threads fill at once, tile by tile.

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

// SAFETY: the canvas is only written through `write` and `write_turned`, whose contract is that no two
// threads write the same entries, and read through `hash`, whose contract is that nobody writes them meanwhile. T is plain data that may move between threads.
unsafe impl<T: Scalar> Sync for Canvas<'_, T> {}

/// The side of the squares in which a tile is turned over: 8 doubles are a cache line.
const SIDE: usize = 8;

/// Matrices beyond this many bytes are written past the caches: they would not stay there anyway, and a
/// line that is wholly overwritten need not be read first.
const STREAMED: usize = 64 << 20;

impl<'a, T: Scalar> Canvas<'a, T> {
    /// The matrix of `rows` × `cols` in `memory`, which must hold exactly that many numbers.
    #[doc(hidden)]
    pub fn new(memory: &'a mut [T], rows: usize, cols: usize) -> Self {
        assert_eq!(Some(memory.len()), rows.checked_mul(cols), "a canvas of another size than its memory");
        Canvas { first: memory.as_mut_ptr(), rows, cols, memory: PhantomData }
    }

    /// A row's entries in `cols`.
    ///
    /// # Safety
    /// No other thread may use these entries meanwhile.
    #[allow(clippy::mut_from_ref)] // Disjoint entries are the caller's promise.
    unsafe fn entries(&self, row: usize, cols: Range<usize>) -> &mut [T] {
        assert!(row < self.rows && cols.end <= self.cols && cols.start <= cols.end);
        // SAFETY: the entries lie inside the borrowed memory by the assertion above, and the caller
        // promises that nobody else uses them.
        unsafe { std::slice::from_raw_parts_mut(self.first.add(row * self.cols + cols.start), cols.len()) }
    }

    /// Writes a tile, row after row, to the entries `rows` × `cols`.
    ///
    /// # Safety
    /// No other thread may write these entries meanwhile.
    pub(crate) unsafe fn write(&self, rows: Range<usize>, cols: Range<usize>, tile: &[f64]) {
        let mut buffer = Vec::with_capacity(cols.len());
        for (i, values) in rows.zip(tile.chunks_exact(cols.len().max(1))) {
            buffer.clear();
            buffer.extend(values.iter().map(|v| T::from_f64(*v)));
            // SAFETY: passed on from the caller.
            self.copy(&buffer, unsafe { self.entries(i, cols.clone()) });
        }
        self.finish();
    }

    /// Writes the tile of `rows` × `cols` turned over, to the entries `cols` × `rows`.
    ///
    /// # Safety
    /// No other thread may write these entries meanwhile.
    pub(crate) unsafe fn write_turned(&self, rows: Range<usize>, cols: Range<usize>, tile: &[f64]) {
        let (height, width) = (rows.len(), cols.len());
        let mut strip = vec![T::default(); SIDE * height];
        for left in (0..width).step_by(SIDE) {
            let across = SIDE.min(width - left);
            math::vectorised(
                #[inline(always)]
                || turn(tile, width, left..left + across, &mut strip),
            );
            for (j, values) in strip.chunks_exact(height).take(across).enumerate() {
                // SAFETY: passed on from the caller.
                self.copy(values, unsafe { self.entries(cols.start + left + j, rows.clone()) });
            }
        }
        self.finish();
    }

    /// Adds the entries `rows` × `cols` to a checksum.
    ///
    /// # Safety
    /// No other thread may write these entries meanwhile.
    #[doc(hidden)]
    pub unsafe fn hash(&self, rows: Range<usize>, cols: Range<usize>, hash: &mut Xxh3) {
        let mut buffer = Vec::with_capacity(8 * cols.len());
        for row in rows {
            buffer.clear();
            // SAFETY: passed on from the caller.
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

/// Copies the columns `cols`, at most [`SIDE`], of a tile to one after the other in `strip`.
#[inline(always)]
fn turn<T: Scalar>(tile: &[f64], width: usize, cols: Range<usize>, strip: &mut [T]) {
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
