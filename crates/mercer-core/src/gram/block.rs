//! Blocks of a Gram matrix, computed separately, such as on another computer or later.

use std::ops::Range;

use super::Engine;
use super::canvas::Canvas;
use super::engine::{cross_tile, gram_tile};
use crate::budget::{self, matrix_bytes};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::{Scalar, allocate};
use crate::parallel;
use crate::traits::{Kernel, Prepared};

impl Engine {
    /// The entries `rows` × `cols` of the Gram matrix of prepared objects, identical to the bit with those of
    /// [`Engine::gram_of`].
    ///
    /// Both ranges start at a multiple of [`Kernel::tile_side`] and end at one or at the last object, because the last
    /// bit of a value can depend on the other entries of its tile.
    ///
    /// Computing each entry on its own would allow any range, but without the matrix products that make tiles fast.
    ///
    /// ```
    /// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::{Kernel, vector::Rbf}};
    /// let x = Vectors::from(Dense::from_rows(&[[0.0], [1.0], [3.0]]));
    /// let (engine, kernel) = (Engine::new(), Rbf::new(1.0)?);
    /// let set = engine.prepare(&kernel, &x)?;
    /// let whole: Dense = engine.gram_of(&kernel, &set)?;
    /// assert_eq!(engine.gram_block_of::<_, _, f64>(&kernel, &set, 0..3, 0..3)?, whole);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn gram_block_of<X: ?Sized, K: Kernel<X>, T: Scalar>(
        &self,
        kernel: &K,
        set: &K::Prepared,
        rows: Range<usize>,
        cols: Range<usize>,
    ) -> Result<Dense<T>> {
        let n = set.len();
        // Of a block on the diagonal only the upper half is computed and then mirrored.
        let halves = rows == cols;
        self.block(kernel, [n, n], [rows, cols], halves, |r, c, tile| {
            let upper = r.start <= c.start;
            let (first, second) = if upper { (r, c) } else { (c, r) };
            gram_tile(kernel, set, &first, &second, tile).map(|()| !upper)
        })
    }

    /// The entries `rows` × `cols` of the cross matrix of two prepared sets, identical to the bit with those of
    /// [`Engine::cross_of`]. Ranges are as in [`Engine::gram_block_of`].
    pub fn cross_block_of<X: ?Sized, K: Kernel<X>, T: Scalar>(
        &self,
        kernel: &K,
        sets: [&K::Prepared; 2],
        rows: Range<usize>,
        cols: Range<usize>,
    ) -> Result<Dense<T>> {
        self.block(kernel, sets.map(Prepared::len), [rows, cols], false, |r, c, tile| {
            cross_tile(kernel, sets, &r, &c, tile).map(|()| false)
        })
    }

    /// Computes a block tile by tile; with `halves` only tiles on and above its diagonal. `fill` returns whether it
    /// computed the transposed tile instead.
    fn block<X: ?Sized, K: Kernel<X>, T: Scalar>(
        &self,
        kernel: &K,
        [n, m]: [usize; 2],
        [rows, cols]: [Range<usize>; 2],
        halves: bool,
        fill: impl Fn(Range<usize>, Range<usize>, &mut [f64]) -> Result<bool> + Sync,
    ) -> Result<Dense<T>> {
        let side = kernel.tile_side().max(1);
        check_range(&rows, n, side)?;
        check_range(&cols, m, side)?;
        let (height, width) = (rows.len(), cols.len());
        let what = format!("a block of {height} × {width}");
        self.budget().ask(&what, matrix_bytes(height, width, size_of::<T>()))?;
        let mut out = allocate(height, width);
        let canvas = Canvas::new(out.values_mut(), height, width);
        let cut = |all: &Range<usize>| -> Vec<Range<usize>> {
            all.clone().step_by(side).map(|start| start..(start + side).min(all.end)).collect()
        };
        let (down, across) = (cut(&rows), cut(&cols));
        let tiles = down.iter().flat_map(|r| across.iter().map(move |c| (r, c)));
        let tiles: Vec<_> = tiles.filter(|(r, c)| !halves || r.start <= c.start).collect();
        let work = |buffer: &mut Vec<f64>, t: usize| -> Result<()> {
            let (r, c) = tiles[t];
            budget::check()?;
            buffer.resize(r.len() * c.len(), 0.0);
            let transposed = fill(r.clone(), c.clone(), buffer)?;
            let (r, c) = (r.start - rows.start..r.end - rows.start, c.start - cols.start..c.end - cols.start);
            if transposed {
                // SAFETY: the tiles of a block do not overlap, and each is written by one call.
                unsafe { canvas.write_transposed(c, r, buffer) };
                return Ok(());
            }
            // SAFETY: as above; a tile below the diagonal is written together with the one above it, and only then.
            unsafe {
                canvas.write(r.clone(), c.clone(), buffer);
                if halves && r != c {
                    canvas.write_transposed(r, c, buffer);
                }
            }
            Ok(())
        };
        let done = self.run(|| parallel::map_with(tiles.len(), 1, Vec::new, work));
        done.into_iter().collect::<Result<()>>()?;
        Ok(out)
    }
}

fn check_range(range: &Range<usize>, n: usize, side: usize) -> Result<()> {
    let at_cut = |i: usize| i.is_multiple_of(side) || i == n;
    let cut = at_cut(range.start) && at_cut(range.end);
    if range.start <= range.end && range.end <= n && cut {
        return Ok(());
    }
    let domain = format!("a range of the {n} objects with bounds at multiples of {side}");
    Err(Error::param("block", format!("{}..{}", range.start, range.end), &domain))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Vectors;
    use crate::kernel::vector::Rbf;

    #[test]
    fn blocks_are_parts_of_the_whole() {
        let rows: Vec<[f64; 3]> =
            (0..700).map(|i| [f64::from(i).sin(), f64::from(i % 7), f64::from(i).cos()]).collect();
        let x = Vectors::from(Dense::from_rows(&rows));
        let (engine, kernel) = (Engine::new(), Rbf::new(0.3).unwrap());
        let set = engine.prepare(&kernel, &x).unwrap();
        let whole: Dense = engine.gram_of(&kernel, &set).unwrap();
        let cross: Dense = engine.cross_of(&kernel, &set, &set).unwrap();
        let side = <Rbf as Kernel<Vectors>>::tile_side(&kernel);
        let cuts: Vec<usize> = (0..700).step_by(side).chain([700]).collect();
        assert!(cuts.len() > 3, "tiles of {side} leave too few blocks");
        for (a, &top) in cuts.iter().enumerate() {
            for &bottom in &cuts[a..] {
                for (b, &left) in cuts.iter().enumerate() {
                    let right = cuts[(b + 2).min(cuts.len() - 1)];
                    let block: Dense = engine.gram_block_of(&kernel, &set, top..bottom, left..right).unwrap();
                    let other: Dense =
                        engine.cross_block_of(&kernel, [&set, &set], top..bottom, left..right).unwrap();
                    for i in top..bottom {
                        assert_eq!(block.row(i - top), &whole.row(i)[left..right]);
                        assert_eq!(other.row(i - top), &cross.row(i)[left..right]);
                    }
                }
            }
        }
        assert!(engine.gram_block_of::<_, _, f64>(&kernel, &set, 1..700, 0..700).is_err());
        assert!(engine.gram_block_of::<_, _, f64>(&kernel, &set, 0..701, 0..700).is_err());
    }
}
