//! Computing Gram matrices tile by tile, on all cores.

use std::ops::Range;
use std::sync::Arc;

use super::canvas::Canvas;
use super::progress::{Progress, Silent};
use crate::budget::{self, Budget, matrix_bytes};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::math;
use crate::numeric::{Scalar, allocate};
use crate::parallel;
use crate::traits::{Kernel, Part, Prepared};

/// Computes Gram and cross matrices of any kernel.
///
/// The matrix is split into tiles. The tiling depends only on the kernel and the number of objects, and each tile is
/// computed by one thread, so results are identical to the bit for any number of threads. Of a Gram matrix only the
/// upper triangle is computed; the lower one mirrors it.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::vector::Rbf};
/// let x = Vectors::from(Dense::from_rows(&[[0.0], [1.0], [3.0]]));
/// let k = Engine::new().gram(&Rbf::new(1.0)?, &x)?;
/// assert_eq!(k.at(1, 0), (-1.0f64).exp());
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone)]
pub struct Engine {
    pool: Option<Arc<rayon::ThreadPool>>,
    progress: Arc<dyn Progress>,
    budget: Budget,
    /// Whether the budget of the current thread takes precedence over its own.
    follows: bool,
}

impl Default for Engine {
    fn default() -> Self {
        Engine::new()
    }
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Engine")
            .field("threads", &self.threads())
            .field("memory", &self.budget.memory())
            .finish()
    }
}

impl Engine {
    /// An engine on all cores that may use four fifths of the free memory.
    pub fn new() -> Self {
        Engine { pool: None, progress: Arc::new(Silent), budget: Budget::of_system(), follows: false }
    }

    /// An engine on all cores under this budget alone. Unlike [`Engine::new`] it does not ask the system how much memory
    /// is free, which takes longer than a small matrix.
    #[doc(hidden)]
    pub fn under(budget: Budget) -> Self {
        Engine { pool: None, progress: Arc::new(Silent), budget, follows: false }
    }

    /// The same engine with this many threads.
    pub fn with_threads(mut self, threads: usize) -> Result<Self> {
        if threads == 0 || threads > 4096 {
            return Err(Error::param("threads", threads, "a whole number from 1 to 4096"));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        let pool =
            pool.map_err(|e| Error::Numeric { reason: format!("threads could not be started: {e}") })?;
        self.pool = Some(Arc::new(pool));
        Ok(self)
    }

    /// The same engine, reporting progress.
    #[must_use]
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = progress;
        self
    }

    /// The same engine under this budget; limits the budget does not set stay unchanged.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = match (budget.memory(), self.budget.memory()) {
            (None, Some(bytes)) => budget.with_memory(bytes),
            _ => budget,
        };
        self
    }

    /// The same engine with a memory limit in bytes.
    #[must_use]
    pub fn with_memory(mut self, bytes: u64) -> Self {
        self.budget = self.budget.with_memory(bytes);
        self
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.pool.as_ref().map_or_else(rayon::current_num_threads, |p| p.current_num_threads())
    }

    /// The same engine for a fitted kernel to store. Later uses of the kernel run under the caller's budget, not under
    /// that of the fit.
    #[must_use]
    #[doc(hidden)]
    pub fn kept(&self) -> Self {
        let mut kept = self.clone();
        kept.budget = self.budget.memory().map_or_else(Budget::default, |b| Budget::default().with_memory(b));
        kept.follows = true;
        kept
    }

    /// The budget that applies now.
    fn in_force(&self) -> Budget {
        let followed = if self.follows { budget::current() } else { None };
        followed.unwrap_or_else(|| self.budget.clone())
    }

    /// Runs a closure on this engine's threads and under its budget.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        let budget = self.in_force();
        match &self.pool {
            Some(pool) => pool.install(|| budget.enter(work)),
            None => budget.enter(work),
        }
    }

    /// The budget: memory limit, time limit and stop flag.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }

    /// The memory limit in bytes, if any.
    #[doc(hidden)]
    pub fn memory(&self) -> Option<u64> {
        self.in_force().room()
    }

    #[doc(hidden)]
    pub fn progress(&self) -> &dyn Progress {
        &*self.progress
    }

    /// Prepares objects for a kernel, on this engine's threads.
    pub fn prepare<X: Sync + ?Sized, K: Kernel<X>>(&self, kernel: &K, objects: &X) -> Result<K::Prepared> {
        self.run(|| budget::finished(kernel.prepare(objects)))
    }

    /// The Gram matrix K_ij = k(x_i, x_j) of a set of objects.
    pub fn gram<X: Sync + ?Sized, K: Kernel<X>>(&self, kernel: &K, objects: &X) -> Result<Dense> {
        self.gram_of(kernel, &self.prepare(kernel, objects)?)
    }

    /// The Gram matrix of prepared objects, in double or single precision.
    ///
    /// Single precision halves the memory; values are computed in double precision and rounded once.
    pub fn gram_of<X: ?Sized, K: Kernel<X>, T: Scalar>(
        &self,
        kernel: &K,
        set: &K::Prepared,
    ) -> Result<Dense<T>> {
        let n = set.len();
        self.plan_matrix("the Gram matrix", n, n, size_of::<T>())?;
        let mut out = allocate(n, n);
        let tiles = Tiles::triangle(n, kernel.tile_side());
        let canvas = Canvas::new(out.values_mut(), n, n);
        self.progress.begin("gram", tiles.len() as u64);
        let all: Vec<usize> = (0..tiles.len()).collect();
        let done = self.fill_gram(kernel, set, &tiles, &all, &canvas, &|_| Ok(()));
        self.progress.end();
        done.map(|()| out)
    }

    /// The cross matrix k(x_i, y_j) of two sets of objects.
    pub fn cross<X: Sync + ?Sized, K: Kernel<X>>(&self, kernel: &K, rows: &X, cols: &X) -> Result<Dense> {
        self.cross_of(kernel, &self.prepare(kernel, rows)?, &self.prepare(kernel, cols)?)
    }

    /// The cross matrix of prepared objects, in double or single precision.
    pub fn cross_of<X: ?Sized, K: Kernel<X>, T: Scalar>(
        &self,
        kernel: &K,
        rows: &K::Prepared,
        cols: &K::Prepared,
    ) -> Result<Dense<T>> {
        let (n, m) = (rows.len(), cols.len());
        self.plan_matrix("the cross matrix", n, m, size_of::<T>())?;
        let mut out = allocate(n, m);
        let tiles = Tiles::rectangle(n, m, kernel.tile_side());
        let canvas = Canvas::new(out.values_mut(), n, m);
        self.progress.begin("cross", tiles.len() as u64);
        let all: Vec<usize> = (0..tiles.len()).collect();
        let done = self.fill_cross(kernel, rows, cols, &tiles, &all, &canvas, &|_| Ok(()));
        self.progress.end();
        done.map(|()| out)
    }

    /// The self-similarities k(x_i, x_i) of prepared objects.
    pub fn diagonal_of<X: ?Sized, K: Kernel<X>>(&self, kernel: &K, set: &K::Prepared) -> Result<Vec<f64>> {
        let mut out = vec![0.0; set.len()];
        self.run(|| budget::finished(kernel.diagonal(Part::all(set), &mut out)))?;
        match out.iter().position(|v| !v.is_finite()) {
            Some(at) => Err(Error::NonFinite { row: at, col: at, overflow: true }),
            None => Ok(out),
        }
    }

    /// The mean of k(x_i, y_j) over all j, for each i. No matrix is stored: memory does not grow with the number of
    /// objects.
    pub fn row_means<X: ?Sized, K: Kernel<X>>(
        &self,
        kernel: &K,
        rows: &K::Prepared,
        cols: &K::Prepared,
    ) -> Result<Vec<f64>> {
        let m = cols.len().max(1) as f64;
        let sums = self.row_sums(kernel, rows, cols, |row, _| math::sum(row))?;
        Ok(sums.into_iter().map(|s| s / m).collect())
    }

    /// For each i the sum of `part` over chunks of its row; `part` gets the chunk and its first column.
    fn row_sums<X: ?Sized, K: Kernel<X>>(
        &self,
        kernel: &K,
        rows: &K::Prepared,
        cols: &K::Prepared,
        part: impl Fn(&[f64], usize) -> f64 + Sync,
    ) -> Result<Vec<f64>> {
        let (n, m, side) = (rows.len(), cols.len(), kernel.tile_side().max(1));
        let block = |start: usize| -> Result<Vec<f64>> {
            let own = start..(start + side).min(n);
            let mut sums = vec![0.0; own.len()];
            let mut tile = Vec::new();
            for left in (0..m).step_by(side) {
                budget::check()?;
                let others = left..(left + side).min(m);
                tile.resize(own.len() * others.len(), 0.0);
                cross_tile(kernel, [rows, cols], &own, &others, &mut tile)?;
                sums.iter_mut()
                    .zip(tile.chunks_exact(others.len()))
                    .for_each(|(s, row)| *s += part(row, left));
            }
            Ok(sums)
        };
        Ok(self.run(|| parallel::try_map(n.div_ceil(side), |k| block(k * side)))?.concat())
    }

    /// Σ_j k(x_i, y_j)·w_j for each i. No matrix is stored.
    pub fn weighted_sums<X: ?Sized, K: Kernel<X>>(
        &self,
        kernel: &K,
        rows: &K::Prepared,
        cols: &K::Prepared,
        weights: &[f64],
    ) -> Result<Vec<f64>> {
        self.row_sums(kernel, rows, cols, |row, from| math::dot(row, &weights[from..from + row.len()]))
    }

    /// An error if a matrix and the scratch memory of each thread do not fit in memory.
    fn plan_matrix(&self, what: &str, rows: usize, cols: usize, entry: usize) -> Result<()> {
        let needed = matrix_bytes(rows, cols, entry);
        self.in_force().ask(&format!("{what} ({rows} × {cols})"), needed)
    }

    /// An error if `count` matrices of `n` × `n` doubles do not fit in memory together.
    ///
    /// Processing a Gram matrix takes more memory than the matrix itself: computing eigenvectors about seven times as
    /// much. Checking first avoids failing halfway.
    ///
    /// ```
    /// use mercer_core::gram::Engine;
    /// assert!(Engine::new().plan_matrices("a repair", 10, 8).is_ok());
    /// assert_eq!(Engine::new().plan_matrices("a repair", usize::MAX, 8).unwrap_err().code().as_str(), "E_MEMORY_PLAN");
    /// ```
    pub fn plan_matrices(&self, what: &str, n: usize, count: u64) -> Result<()> {
        let needed = matrix_bytes(n, n, 8).saturating_mul(count);
        self.in_force().ask(&format!("{what} ({n} × {n})"), needed)
    }

    /// Computes the numbered tiles of a Gram matrix and their mirror images, reporting each to `done`.
    #[doc(hidden)]
    pub fn fill_gram<X: ?Sized, K: Kernel<X>, T: Scalar>(
        &self,
        kernel: &K,
        set: &K::Prepared,
        tiles: &Tiles,
        which: &[usize],
        canvas: &Canvas<'_, T>,
        done: &(dyn Fn(usize) -> Result<()> + Sync),
    ) -> Result<()> {
        self.each_tile(tiles, which, done, |rows, cols, tile| {
            gram_tile(kernel, set, &rows, &cols, tile)?;
            // SAFETY: a tile of the upper triangle and its mirror image are written only by the call for this tile; no
            // two tiles of `tiles` overlap.
            unsafe { canvas.write(rows.clone(), cols.clone(), tile) };
            if rows != cols {
                // SAFETY: as above.
                unsafe { canvas.write_transposed(rows, cols, tile) };
            }
            Ok(())
        })
    }

    /// Computes the numbered tiles of a cross matrix, reporting each to `done`.
    #[allow(clippy::too_many_arguments)] // The sets, the tiling, the output and the callback have no common owner.
    #[doc(hidden)]
    pub fn fill_cross<X: ?Sized, K: Kernel<X>, T: Scalar>(
        &self,
        kernel: &K,
        rows: &K::Prepared,
        cols: &K::Prepared,
        tiles: &Tiles,
        which: &[usize],
        canvas: &Canvas<'_, T>,
        done: &(dyn Fn(usize) -> Result<()> + Sync),
    ) -> Result<()> {
        self.each_tile(tiles, which, done, |r, c, tile| {
            cross_tile(kernel, [rows, cols], &r, &c, tile)?;
            // SAFETY: the tiles of a rectangle do not overlap, and each is written by one call.
            unsafe { canvas.write(r, c, tile) };
            Ok(())
        })
    }

    /// Calls `work` for the numbered tiles, each with a buffer of its size, on all threads. Of several errors, returns
    /// that of the tile with the lowest number, for reproducibility.
    fn each_tile(
        &self,
        tiles: &Tiles,
        which: &[usize],
        done: &(dyn Fn(usize) -> Result<()> + Sync),
        work: impl Fn(Range<usize>, Range<usize>, &mut [f64]) -> Result<()> + Sync,
    ) -> Result<()> {
        let one = |buffer: &mut Vec<f64>, k: usize| -> Result<()> {
            let number = which[k];
            budget::check()?;
            let (rows, cols) = tiles.get(number);
            buffer.resize(rows.len() * cols.len(), 0.0);
            work(rows, cols, buffer)?;
            done(number)?;
            self.progress.advance(1);
            Ok(())
        };
        self.run(|| parallel::map_with(which.len(), 1, Vec::new, one)).into_iter().collect()
    }
}

/// Computes a tile of a Gram matrix. A diagonal tile is exactly symmetric, with the kernel's own self-similarities.
pub(super) fn gram_tile<X: ?Sized, K: Kernel<X>>(
    kernel: &K,
    set: &K::Prepared,
    rows: &Range<usize>,
    cols: &Range<usize>,
    tile: &mut [f64],
) -> Result<()> {
    budget::finished(kernel.fill(Part::new(set, rows.clone()), Part::new(set, cols.clone()), tile))?;
    if rows == cols {
        let n = rows.len();
        let mut diagonal = vec![0.0; n];
        budget::finished(kernel.diagonal(Part::new(set, rows.clone()), &mut diagonal))?;
        for i in 0..n {
            tile[i * n + i] = diagonal[i];
            for j in 0..i {
                tile[i * n + j] = tile[j * n + i];
            }
        }
    }
    check_finite(rows, cols, tile)
}

/// Computes a tile of a cross matrix.
pub(super) fn cross_tile<X: ?Sized, K: Kernel<X>>(
    kernel: &K,
    sets: [&K::Prepared; 2],
    rows: &Range<usize>,
    cols: &Range<usize>,
    tile: &mut [f64],
) -> Result<()> {
    let (down, across) = (Part::new(sets[0], rows.clone()), Part::new(sets[1], cols.clone()));
    budget::finished(kernel.fill(down, across, tile))?;
    check_finite(rows, cols, tile)
}

fn check_finite(rows: &Range<usize>, cols: &Range<usize>, tile: &[f64]) -> Result<()> {
    // No early exit, so that the loop is vectorised.
    let good = math::vectorised(
        #[inline(always)]
        || tile.iter().fold(true, |good, v| good & v.is_finite()),
    );
    if good {
        return Ok(());
    }
    let at = tile.iter().position(|v| !v.is_finite()).unwrap_or(0);
    let (row, col) = (rows.start + at / cols.len(), cols.start + at % cols.len());
    Err(Error::NonFinite { row, col, overflow: true })
}

/// A matrix split into tiles, numbered row by row.
#[derive(Clone, Debug)]
#[doc(hidden)]
pub struct Tiles {
    rows: usize,
    cols: usize,
    side: usize,
    triangle: bool,
}

impl Tiles {
    /// The upper triangle of a square matrix, including the diagonal.
    #[doc(hidden)]
    pub fn triangle(n: usize, side: usize) -> Self {
        Tiles { rows: n, cols: n, side: side.max(1), triangle: true }
    }

    /// A whole matrix.
    #[doc(hidden)]
    pub fn rectangle(rows: usize, cols: usize, side: usize) -> Self {
        Tiles { rows, cols, side: side.max(1), triangle: false }
    }

    /// The number of tiles.
    #[doc(hidden)]
    #[allow(clippy::len_without_is_empty)] // Nothing needs `is_empty`.
    pub fn len(&self) -> usize {
        let (down, across) = (self.rows.div_ceil(self.side), self.cols.div_ceil(self.side));
        if self.triangle { down * (down + 1) / 2 } else { down * across }
    }

    /// The side length of a tile.
    #[doc(hidden)]
    pub fn side(&self) -> usize {
        self.side
    }

    /// Whether a tile is written twice: in place, and transposed below the diagonal.
    #[doc(hidden)]
    pub fn is_mirrored(&self, number: usize) -> bool {
        let (rows, cols) = self.get(number);
        self.triangle && rows != cols
    }

    /// The rows and columns of a tile.
    #[doc(hidden)]
    pub fn get(&self, number: usize) -> (Range<usize>, Range<usize>) {
        let across = self.cols.div_ceil(self.side);
        let (i, j) = if self.triangle {
            triangle_position(number, across)
        } else {
            (number / across, number % across)
        };
        let cut = |at: usize, end: usize| at * self.side..((at + 1) * self.side).min(end);
        (cut(i, self.rows), cut(j, self.cols))
    }
}

/// Row and column of the numbered entry in the upper triangle of an n × n matrix, row by row.
fn triangle_position(number: usize, n: usize) -> (usize, usize) {
    // Entries before row i: i·n - i(i-1)/2. The root gives i up to rounding, which the loops correct.
    let before = |i: usize| i * n - i * i.saturating_sub(1) / 2;
    let b = 2.0 * n as f64 + 1.0;
    let mut i = ((b - (b * b - 8.0 * number as f64).max(0.0).sqrt()) / 2.0) as usize;
    while i > 0 && before(i) > number {
        i -= 1;
    }
    while before(i + 1) <= number {
        i += 1;
    }
    (i, i + number - before(i))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_cover_the_upper_triangle_once() {
        for n in [1, 5, 16, 17, 100] {
            let tiles = Tiles::triangle(n, 8);
            let mut seen = vec![0; n * n];
            for t in 0..tiles.len() {
                let (rows, cols) = tiles.get(t);
                for i in rows {
                    for j in cols.clone() {
                        seen[i * n + j] += 1;
                    }
                }
            }
            for i in 0..n {
                for j in 0..n {
                    let expected = usize::from(j / 8 >= i / 8);
                    assert_eq!(seen[i * n + j], expected, "n = {n}, entry {i}, {j}");
                }
            }
        }
    }

    #[test]
    fn triangle_positions_are_exact_for_large_n() {
        let n = 3_000_000usize;
        let total = n * (n + 1) / 2;
        for number in [0, 1, n - 1, n, total / 3, total / 2, total - 2, total - 1] {
            let (i, j) = triangle_position(number, n);
            assert!(i <= j && j < n);
            assert_eq!(i * n - i * i.saturating_sub(1) / 2 + (j - i), number);
        }
    }

    #[test]
    fn no_objects_give_an_empty_matrix() {
        use crate::data::Vectors;
        use crate::kernel::vector::Linear;
        let none = Vectors::from(Dense::zeros(0, 3));
        assert_eq!(Engine::new().gram(&Linear, &none).unwrap().rows(), 0);
    }
}
