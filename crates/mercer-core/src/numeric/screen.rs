//! Short lists of nearest vectors, from inner products in single precision.
//!
//! A search for the k nearest of n vectors needs n squared distances, and all but a few only to see that they are too
//! large. Single precision does that at twice the speed; the caller computes the few that are left exactly as it would
//! have computed all of them. The list holds the k nearest for certain:
//!
//! * Vectors are moved by the mean of the n vectors, which changes no distance, and scaled by a power of two to
//!   coordinates of at most 1. So z = (x - c)·s is rounded to x' with a relative error of u = 2^-24 and a little.
//! * For a query x and a vector y, `value` = a_y - 2·x'·y' is summed in single precision, with a_y = N_y - ε·N_y - e_y
//!   and N = |·|² after the move. Rounding of x', of y', of a_y and of the sum of d terms, fused or not, is below
//!   ε·(N_x + N_y) with ε = (5·d + 16)·u. What underflows is below [`TINY`].
//! * The caller's own d², in double precision from coordinates that were not moved, is within e_x + e_y of the true one
//!   after scaling, with e = (8·d + 64)·2^-53·|·|²·s².
//! * So d²·s² - N_x lies between `value` - ε·N_x - e_x and `value` + 2·(ε·N_y + e_y) + ε·N_x + e_x. The k-th smallest
//!   upper bound is at least the k-th smallest distance, and every vector whose lower bound is above it is not among
//!   the k nearest, whichever way ties are broken.

use pulp::{Arch, Simd, WithSimd};
use rayon::prelude::*;

use crate::budget;
use crate::error::Result;
use crate::parallel;

/// For each object, the indices of others that include its nearest, ascending; `None` where too many are too close to
/// tell.
pub type Shortlists = Vec<Option<Vec<usize>>>;

/// Queries that share the loads of a panel.
const ROWS: usize = 6;
/// Registers filled by the values of one query with a panel.
const REGISTERS: usize = 2;
/// Queries searched together: their packed coordinates stay in the cache while panels pass by.
const BLOCK: usize = 192;
/// The largest dimension: beyond it, ε is too coarse to exclude much.
const WIDEST: usize = 4096;
/// A list may grow to this many indices and four times k.
pub(super) const LONGEST: usize = 1024;
/// More than the sum of all products and coordinates that underflow in single precision.
const TINY: f64 = 1e-30;

/// Vectors one after the other, with their squared norms as the caller computed them.
#[derive(Clone, Copy)]
pub(crate) struct Cloud<'a> {
    pub(crate) values: &'a [f64],
    pub(crate) norms: &'a [f64],
}

/// Short lists of the `k` nearest of `others` for every query. `None` if the numbers are beyond the range of single
/// precision, or the dimension is too high.
///
/// O(m·n·d) operations in single precision for m queries, on all threads.
pub(crate) fn shortlists(
    queries: Cloud<'_>,
    others: Cloud<'_>,
    dim: usize,
    k: usize,
) -> Result<Option<Shortlists>> {
    if dim == 0 || dim > WIDEST || k == 0 || k > others.norms.len() {
        return Ok(None);
    }
    budget::ask("the short lists of neighbours", (others.values.len() as u64).saturating_mul(5))?;
    let Some(screen) = Screen::new(queries, others, dim, k) else { return Ok(None) };
    let starts: Vec<usize> = (0..queries.norms.len()).step_by(BLOCK).collect();
    let block = |start: usize| -> Result<Shortlists> {
        budget::check()?;
        let end = (start + BLOCK).min(queries.norms.len());
        let own =
            Cloud { values: &queries.values[start * dim..end * dim], norms: &queries.norms[start..end] };
        Ok(Arch::new().dispatch(Search { screen: &screen, own }))
    };
    let found = parallel::try_map(starts.len(), |b| block(starts[b]))?;
    budget::check()?;
    Ok(Some(found.into_iter().flatten().collect()))
}

/// The vectors among which neighbours are searched, packed in single precision.
struct Screen {
    dim: usize,
    k: usize,
    count: usize,
    /// Vectors per panel.
    width: usize,
    /// Panels of `width` vectors with their coordinates interleaved.
    panels: Vec<f32>,
    /// a_y of every vector; infinity for those that fill the last panel.
    first: Vec<f32>,
    /// 2·(ε·N_y + e_y), rounded up.
    slack: Vec<f32>,
    centre: Vec<f64>,
    scale: f64,
}

/// ε: the rounding in single precision relative to N_x + N_y.
fn single(dim: usize) -> f64 {
    (5 * dim + 16) as f64 * 0.5 * f64::from(f32::EPSILON)
}

/// The rounding of the caller's distances relative to |x|² + |y|².
fn double(dim: usize) -> f64 {
    (8 * dim + 64) as f64 * 0.5 * f64::EPSILON
}

impl Screen {
    fn new(queries: Cloud<'_>, others: Cloud<'_>, dim: usize, k: usize) -> Option<Self> {
        let count = others.norms.len();
        let mut centre = vec![0.0; dim];
        for row in others.values.chunks_exact(dim) {
            centre.iter_mut().zip(row).for_each(|(c, v)| *c += v);
        }
        centre.iter_mut().for_each(|c| *c /= count as f64);
        let farthest = |cloud: Cloud<'_>| {
            let blocks: Vec<&[f64]> = cloud.values.chunks(BLOCK * dim).collect();
            let far = parallel::map(blocks.len(), |b| {
                let row =
                    |row: &[f64]| row.iter().zip(&centre).map(|(v, c)| (v - c).abs()).fold(0.0, f64::max);
                blocks[b].chunks_exact(dim).map(row).fold(0.0, f64::max)
            });
            far.into_iter().fold(0.0, f64::max)
        };
        let most = farthest(queries).max(farthest(others));
        let norms = queries.norms.iter().chain(others.norms).fold(0.0, |a: f64, &b| a.max(b));
        // Far from overflow and underflow in double precision too, so that the bounds hold.
        let usual = |v: f64| (1e-140..1e140).contains(&v);
        if !usual(most) || norms > 1e280 {
            return None;
        }
        let scale = 2f64.powi(-(most.log2().floor() as i32 + 1));
        let width = Arch::new().dispatch(Width);
        let slots = count.next_multiple_of(width);
        let mut screen = Screen {
            dim,
            k,
            count,
            width,
            panels: vec![0.0; slots * dim],
            first: vec![f32::INFINITY; slots],
            slack: vec![0.0; slots],
            centre,
            scale,
        };
        let (mut panels, mut first, mut slack) = (
            std::mem::take(&mut screen.panels),
            std::mem::take(&mut screen.first),
            std::mem::take(&mut screen.slack),
        );
        panels
            .par_chunks_mut(width * dim)
            .zip(first.par_chunks_mut(width).zip(slack.par_chunks_mut(width)))
            .enumerate()
            .for_each(|(group, (panel, (first, slack)))| {
                screen.pack(others, group * width, panel, first, slack);
            });
        (screen.panels, screen.first, screen.slack) = (panels, first, slack);
        Some(screen)
    }

    /// Packs the vectors from `start` on into a panel.
    fn pack(&self, others: Cloud<'_>, start: usize, panel: &mut [f32], first: &mut [f32], slack: &mut [f32]) {
        for lane in 0..self.width.min(self.count - start) {
            let j = start + lane;
            let row = &others.values[j * self.dim..(j + 1) * self.dim];
            let places = panel[lane..].iter_mut().step_by(self.width);
            let norm = self.moved(row, places, 1.0);
            let lost = self.lost(norm, others.norms[j]);
            first[lane] = (norm - lost) as f32;
            slack[lane] = above(2.0 * lost);
        }
    }

    /// Writes factor · (x - c)·s in single precision; returns its squared norm without the factor.
    fn moved<'a>(&self, row: &[f64], places: impl Iterator<Item = &'a mut f32>, factor: f32) -> f64 {
        let mut norm = 0.0;
        for ((place, v), c) in places.zip(row).zip(&self.centre) {
            let moved = ((v - c) * self.scale) as f32;
            norm += f64::from(moved) * f64::from(moved);
            *place = factor * moved;
        }
        norm
    }

    /// ε·N + e of one vector, from its norms after and before the move.
    fn lost(&self, moved: f64, norm: f64) -> f64 {
        single(self.dim) * moved + double(self.dim) * (norm * self.scale * self.scale) + TINY
    }
}

/// The number in single precision that is at least this one.
fn above(value: f64) -> f32 {
    let near = value as f32;
    if f64::from(near) < value { near.next_up() } else { near }
}

/// The number of vectors of a panel.
struct Width;

impl WithSimd for Width {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        REGISTERS * S::F32_LANES
    }
}

/// The list of one query while panels pass by.
struct Near {
    /// Vectors with a larger value are not among the nearest.
    limit: f32,
    /// 2·(ε·N_x + e_x).
    lost: f64,
    kept: Vec<(u32, f32)>,
    /// The length at which the list is cut back.
    most: usize,
    given_up: bool,
}

impl Near {
    /// Takes the values of a panel that are within the limit.
    fn take(&mut self, screen: &Screen, start: usize, values: &[f32]) {
        for (at, &value) in values.iter().enumerate().take(screen.count - start) {
            if value <= self.limit {
                self.kept.push(((start + at) as u32, value));
                if self.kept.len() >= self.most {
                    self.cut(screen);
                }
            }
        }
    }

    /// Lowers the limit to what the values so far allow, and drops those above it.
    fn cut(&mut self, screen: &Screen) {
        if self.kept.len() < screen.k {
            return;
        }
        let upper = |&(j, value): &(u32, f32)| f64::from(value) + f64::from(screen.slack[j as usize]);
        let mut uppers: Vec<f64> = self.kept.iter().map(upper).collect();
        let (_, kth, _) = uppers.select_nth_unstable_by(screen.k - 1, f64::total_cmp);
        // The sum of two numbers in double precision may be rounded down.
        self.limit = self.limit.min(above((*kth + self.lost).next_up()));
        self.kept.retain(|(_, value)| *value <= self.limit);
        if 2 * self.kept.len() > self.most {
            self.most *= 2;
        }
        if self.kept.len() > LONGEST + 4 * screen.k {
            (self.given_up, self.limit) = (true, f32::NEG_INFINITY);
            self.kept = Vec::new();
        }
    }
}

/// The search of a block of queries.
struct Search<'a> {
    screen: &'a Screen,
    own: Cloud<'a>,
}

impl WithSimd for Search<'_> {
    type Output = Shortlists;

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) -> Shortlists {
        let Search { screen, own } = self;
        let (dim, width, rows) = (screen.dim, screen.width, own.norms.len());
        let mut packed = vec![0.0; rows.next_multiple_of(ROWS) * dim];
        let mut near: Vec<Near> = Vec::with_capacity(rows);
        for (i, row) in own.values.chunks_exact(dim).enumerate() {
            let places = packed[i / ROWS * ROWS * dim + i % ROWS..].iter_mut().step_by(ROWS);
            let norm = screen.moved(row, places, -2.0);
            near.push(Near {
                limit: f32::INFINITY,
                lost: 2.0 * screen.lost(norm, own.norms[i]),
                kept: Vec::new(),
                most: (4 * screen.k).max(32),
                given_up: false,
            });
        }
        let mut tile = vec![0.0; ROWS * width];
        let mut least = [0.0; ROWS];
        for (group, panel) in screen.panels.chunks_exact(width * dim).enumerate() {
            if budget::is_spent_after(rows * dim) {
                break;
            }
            let start = group * width;
            let first = &screen.first[start..start + width];
            for (near, own) in near.chunks_mut(ROWS).zip(packed.chunks_exact(ROWS * dim)) {
                values(simd, own, panel, first, &mut tile, &mut least);
                for ((near, least), values) in near.iter_mut().zip(&least).zip(tile.chunks_exact(width)) {
                    if *least <= near.limit {
                        near.take(screen, start, values);
                    }
                }
            }
        }
        let list = |mut near: Near| {
            near.cut(screen);
            let indices = || near.kept.iter().map(|&(j, _)| j as usize).collect();
            (!near.given_up).then(indices)
        };
        near.into_iter().map(list).collect()
    }
}

/// The values of [`ROWS`] queries with a panel, and the least of each query.
#[inline(always)]
fn values<S: Simd>(
    simd: S,
    own: &[f32],
    panel: &[f32],
    first: &[f32],
    tile: &mut [f32],
    least: &mut [f32; ROWS],
) {
    let (panel, _) = S::as_simd_f32s(panel);
    let (first, _) = S::as_simd_f32s(first);
    let mut sums = [[simd.splat_f32s(0.0); REGISTERS]; ROWS];
    sums.iter_mut().for_each(|sums| sums.copy_from_slice(first));
    for (x, y) in own.as_chunks::<ROWS>().0.iter().zip(panel.as_chunks::<REGISTERS>().0) {
        for (sums, &x) in sums.iter_mut().zip(x) {
            let x = simd.splat_f32s(x);
            sums.iter_mut().zip(y).for_each(|(sum, &y)| *sum = simd.mul_add_e_f32s(x, y, *sum));
        }
    }
    let (tile, _) = S::as_mut_simd_f32s(tile);
    for ((target, sums), least) in tile.chunks_exact_mut(REGISTERS).zip(sums).zip(least) {
        target.copy_from_slice(&sums);
        *least = simd.reduce_min_f32s(simd.min_f32s(sums[0], sums[1]));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::inner;
    use crate::random::Random;

    /// Squared distances in double precision, from inner products.
    fn distance(queries: Cloud<'_>, others: Cloud<'_>, dim: usize, i: usize, j: usize) -> f64 {
        let (x, y) = (&queries.values[i * dim..(i + 1) * dim], &others.values[j * dim..(j + 1) * dim]);
        let dot: f64 = x.iter().zip(y).map(|(a, b)| a * b).sum();
        queries.norms[i] + others.norms[j] - 2.0 * dot
    }

    /// Every list holds the k nearest by double precision; returns the mean length and the number given up.
    fn checked(queries: &[f64], others: &[f64], dim: usize, k: usize) -> (f64, usize) {
        let lengths = |v: &[f64]| inner::squared_lengths(v, v.len() / dim, dim);
        let (a, b) = (lengths(queries), lengths(others));
        let (queries, others) = (Cloud { values: queries, norms: &a }, Cloud { values: others, norms: &b });
        let lists = shortlists(queries, others, dim, k).unwrap().unwrap();
        assert_eq!(lists.len(), a.len());
        let (mut total, mut without) = (0, 0);
        for (i, list) in lists.iter().enumerate() {
            let Some(list) = list else {
                without += 1;
                continue;
            };
            assert!(list.is_sorted_by(|a, b| a < b));
            total += list.len();
            let far: Vec<f64> = (0..b.len()).map(|j| distance(queries, others, dim, i, j)).collect();
            let mut order: Vec<usize> = (0..b.len()).collect();
            order.sort_by(|&p, &q| far[p].total_cmp(&far[q]).then(p.cmp(&q)));
            assert!(order[..k].iter().all(|j| list.contains(j)), "query {i}: {list:?} {:?}", &order[..k]);
        }
        (total as f64 / a.len() as f64, without)
    }

    fn normal(count: usize, dim: usize, seed: u64, at: f64, spread: f64) -> Vec<f64> {
        let mut random = Random::new(seed);
        (0..count * dim).map(|_| at + spread * random.normal()).collect()
    }

    #[test]
    fn lists_hold_the_nearest_and_are_short() {
        for (dim, k) in [(1, 1), (2, 7), (17, 5), (50, 5), (300, 33)] {
            let (queries, others) = (normal(211, dim, 1, 0.0, 1.0), normal(1501, dim, 2, 0.0, 1.0));
            let (mean, without) = checked(&queries, &others, dim, k);
            assert!(mean < 2.0 * k as f64 + 4.0 && without == 0, "{dim} {k}: {mean} {without}");
        }
    }

    /// Far from the origin, tiny, huge, and with an outlier that sets the scale.
    #[test]
    fn any_scale_and_place() {
        for (at, spread) in [(1e6, 1.0), (0.0, 1e-60), (-3e70, 1e69), (1e9, 1e-3)] {
            let (queries, mut others) = (normal(40, 9, 5, at, spread), normal(700, 9, 6, at, spread));
            checked(&queries, &others, 9, 4);
            others[0] = at + 1e4 * spread;
            checked(&queries, &others, 9, 4);
        }
    }

    #[test]
    fn many_equal_vectors_have_no_short_list() {
        let others: Vec<f64> = (0..5000).map(|j| f64::from(j % 2)).collect();
        let (_, without) = checked(&[0.0, 1.0, 0.25], &others, 1, 3);
        assert_eq!(without, 3);
        // All equal: there is no scale.
        let same = [1.0; 40];
        let norms = inner::squared_lengths(&same, 40, 1);
        let cloud = Cloud { values: &same, norms: &norms };
        assert!(shortlists(cloud, cloud, 1, 3).unwrap().is_none());
    }

    /// A grid has ties everywhere: the list keeps them all, for the caller to break.
    #[test]
    fn ties_are_kept() {
        let grid: Vec<f64> = (0..900).flat_map(|i| [f64::from(i % 30), f64::from(i / 30)]).collect();
        let (mean, without) = checked(&grid, &grid, 2, 3);
        assert!(mean >= 4.0 && without == 0, "{mean}");
    }

    #[test]
    fn numbers_beyond_single_precision_are_left_alone() {
        for big in [1e200, f64::MAX] {
            let values = [0.0, big, -big, 1.0];
            let norms = inner::squared_lengths(&values, 4, 1);
            let cloud = Cloud { values: &values, norms: &norms };
            assert!(shortlists(cloud, cloud, 1, 2).unwrap().is_none());
        }
    }
}
