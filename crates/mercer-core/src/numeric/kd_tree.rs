//! Short lists of nearest vectors of few dimensions, from a k-d tree.
//!
//! The tree is a complete binary tree: every node halves its vectors at the median of the coordinate in which they
//! extend furthest, and has the box that bounds them. A query visits the nearer box first, and leaves out a box that
//! is farther than what it has found.
//!
//! A list holds the k nearest by the caller's own distances for certain, whichever way the caller breaks ties:
//!
//! * Subtraction, multiplication and addition are monotone in floating point, and the distance to a box is summed in
//!   the order of the distance to a vector. So the computed distance to a box is at most that to any vector in it.
//! * The caller's d² and the one computed here, from coordinates, differ by at most e = (10·d + 80)·2^-53·(|x|² + |y|²)
//!   with the largest |y|² of the set. So the caller's k nearest are within 2e of the k-th smallest d² found here.

use std::ops::Range;

use super::math::vectorised;
use super::screen::{Cloud, LONGEST, Shortlists};
use crate::budget;
use crate::error::Result;
use crate::parallel;

/// The largest dimension for which a tree is tried.
pub(crate) const WIDEST: usize = 16;
/// Vectors of a leaf, at most; two registers of doubles on wide processors.
const LEAF: usize = 16;
/// Subtrees of fewer vectors are built by one task.
const ALONE: usize = 4096;
/// Queries searched by one task.
const BLOCK: usize = 128;
/// Queries that are searched first, to see whether the tree excludes enough.
const TRIAL: usize = 32;

/// Short lists of the `k` nearest of `others` for every query; `None` if the tree would visit so many vectors that
/// comparing all of them in single precision is faster.
///
/// The tree takes O(n·d·log n); a query visits O(k + log n) vectors if the dimension is low compared with log n.
pub(crate) fn shortlists(
    queries: Cloud<'_>,
    others: Cloud<'_>,
    dim: usize,
    k: usize,
) -> Result<Option<Shortlists>> {
    let (n, m) = (others.norms.len(), queries.norms.len());
    let suits = (1..=WIDEST).contains(&dim) && (1..=n).contains(&k) && n <= u32::MAX as usize;
    let Some(most) = suits.then(|| pays(n, m, dim)).flatten() else { return Ok(None) };
    let largest = |cloud: Cloud<'_>| cloud.norms.iter().fold(0.0, |a: f64, &b| a.max(b));
    // Far from overflow and underflow, so that the bounds hold.
    if largest(queries).max(largest(others)) > 1e280 {
        return Ok(None);
    }
    budget::ask("the tree of neighbours", (others.values.len() as u64 + 2 * n as u64).saturating_mul(16))?;
    let search = Search { tree: Tree::new(others, dim)?, k, largest: largest(others) };
    let searched = |i: usize| search.lists(queries, i..i + 1);
    let trial: Vec<usize> = (0..TRIAL).map(|t| t * m / TRIAL).collect();
    let visited: usize = trial.into_iter().map(|i| searched(i).1).sum();
    if visited / TRIAL > most {
        return Ok(None);
    }
    let starts: Vec<usize> = (0..m).step_by(BLOCK).collect();
    let block = |start: usize| -> Result<Shortlists> {
        budget::check()?;
        Ok(search.lists(queries, start..(start + BLOCK).min(m)).0)
    };
    let found = parallel::try_map(starts.len(), |b| block(starts[b]))?;
    budget::check()?;
    Ok(Some(found.into_iter().flatten().collect()))
}

/// How many vectors a query may visit on average; `None` if building the tree alone takes longer than comparing all.
///
/// In vectors compared in single precision, by times of both: one that is visited counts as [`VISIT`], its part in a
/// level of the tree as 14 and 8 for every coordinate.
fn pays(n: usize, m: usize, dim: usize) -> Option<usize> {
    const VISIT: usize = 28;
    let build = n.saturating_mul(n.ilog2() as usize).saturating_mul(14 + 8 * dim);
    let most = m.saturating_mul(n).checked_sub(build)? / m.max(1) / VISIT;
    (most > 2 * LEAF).then_some(most)
}

/// A complete binary tree over vectors: node i has the children 2i + 1 and 2i + 2, and the last level are the leaves.
struct Tree {
    dim: usize,
    /// The number of leaves, a power of two.
    leaves: usize,
    /// The least and then the largest coordinates of every node.
    boxes: Vec<f64>,
    /// The coordinates of every leaf: [`LEAF`] places for each coordinate.
    values: Vec<f64>,
    /// The index of the vector in every place.
    index: Vec<u32>,
    /// The vectors of every leaf.
    filled: Vec<u8>,
}

/// A part of the tree while it is built: the boxes of a node and those below it, by level.
struct Building<'a> {
    of: &'a [f64],
    dim: usize,
}

impl Tree {
    fn new(others: Cloud<'_>, dim: usize) -> Result<Self> {
        let n = others.norms.len();
        let leaves = n.div_ceil(LEAF).next_power_of_two();
        let mut order: Vec<u32> = (0..n as u32).collect();
        let building = Building { of: others.values, dim };
        let mut starts = vec![0; leaves];
        let width = 2 * dim;
        let mut boxes = vec![0.0; (2 * leaves - 1) * width];
        building.split(&mut order, 0, &mut starts)?;
        budget::check()?;
        let mut tree = Tree {
            dim,
            leaves,
            boxes: Vec::new(),
            values: vec![f64::INFINITY; leaves * dim * LEAF],
            index: vec![0; leaves * LEAF],
            filled: vec![0; leaves],
        };
        for leaf in 0..leaves {
            let end = starts.get(leaf + 1).copied().unwrap_or(n);
            let place = &mut boxes[(leaves - 1 + leaf) * width..][..width];
            place[..dim].fill(f64::INFINITY);
            place[dim..].fill(f64::NEG_INFINITY);
            tree.filled[leaf] = (end - starts[leaf]) as u8;
            for (lane, &i) in order[starts[leaf]..end].iter().enumerate() {
                tree.index[leaf * LEAF + lane] = i;
                for (f, &v) in others.values[i as usize * dim..][..dim].iter().enumerate() {
                    tree.values[(leaf * dim + f) * LEAF + lane] = v;
                    place[f] = place[f].min(v);
                    place[dim + f] = place[dim + f].max(v);
                }
            }
        }
        for node in (0..leaves - 1).rev() {
            let (above, below) = boxes.split_at_mut((2 * node + 1) * width);
            let (left, right) = below[..2 * width].split_at(width);
            let place = &mut above[node * width..][..width];
            for f in 0..dim {
                place[f] = left[f].min(right[f]);
                place[dim + f] = left[dim + f].max(right[dim + f]);
            }
        }
        tree.boxes = boxes;
        Ok(tree)
    }

    fn bounds(&self, node: usize) -> &[f64] {
        &self.boxes[node * 2 * self.dim..][..2 * self.dim]
    }

    /// The squared distance of a vector to the box of a node, 0 inside.
    #[inline(always)]
    fn distance(&self, x: &[f64], node: usize) -> f64 {
        let (low, high) = self.bounds(node).split_at(self.dim);
        let mut sum = 0.0;
        for ((&x, &low), &high) in x.iter().zip(low).zip(high) {
            let beyond = (low - x).max(x - high).max(0.0);
            sum += beyond * beyond;
        }
        sum
    }

    /// The squared distances of a vector to those of a leaf.
    #[inline(always)]
    fn distances(&self, x: &[f64], leaf: usize) -> [f64; LEAF] {
        let mut sums = [0.0; LEAF];
        let block = self.values[leaf * self.dim * LEAF..].as_chunks::<LEAF>().0;
        for (&x, theirs) in x.iter().zip(block) {
            for (sum, &y) in sums.iter_mut().zip(theirs) {
                *sum += (x - y) * (x - y);
            }
        }
        sums
    }
}

impl Building<'_> {
    /// Sorts vectors into leaves and writes where each leaf begins.
    fn split(&self, order: &mut [u32], first: usize, starts: &mut [usize]) -> Result<()> {
        if budget::is_spent_after(order.len() * self.dim) {
            return budget::check();
        }
        if let [start] = starts {
            *start = first;
            return Ok(());
        }
        let axis = self.widest(order);
        let mut keyed: Vec<(f64, u32)> =
            order.iter().map(|&i| (self.of[i as usize * self.dim + axis], i)).collect();
        // Halves differ by at most one vector, so that leaves of all sizes have at most LEAF.
        let half = order.len() / 2;
        keyed.select_nth_unstable_by(half, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        order.iter_mut().zip(&keyed).for_each(|(place, &(_, i))| *place = i);
        drop(keyed);
        let (left, right) = order.split_at_mut(half);
        let middle = starts.len() / 2;
        let (low, high) = starts.split_at_mut(middle);
        let sides = match left.len() + right.len() > ALONE {
            true => {
                let job = budget::carried(|(part, first, starts): (&mut [u32], usize, &mut [usize])| {
                    self.split(part, first, starts)
                });
                rayon::join(|| job((left, first, low)), || job((right, first + half, high)))
            }
            false => (self.split(left, first, low), self.split(right, first + half, high)),
        };
        sides.0.and(sides.1)
    }

    /// The coordinate in which vectors extend furthest.
    fn widest(&self, order: &[u32]) -> usize {
        let mut low = [f64::INFINITY; WIDEST];
        let mut high = [f64::NEG_INFINITY; WIDEST];
        for &i in order {
            let row = &self.of[i as usize * self.dim..][..self.dim];
            for ((&v, low), high) in row.iter().zip(&mut low).zip(&mut high) {
                *low = low.min(v);
                *high = high.max(v);
            }
        }
        let extent = |f: usize| high[f] - low[f];
        (1..self.dim).fold(0, |best, f| if extent(f) > extent(best) { f } else { best })
    }
}

/// A search of the k nearest.
struct Search {
    tree: Tree,
    k: usize,
    /// The largest squared norm of the vectors of the tree.
    largest: f64,
}

impl Search {
    /// The lists of some queries, and how many vectors they visited.
    fn lists(&self, queries: Cloud<'_>, range: Range<usize>) -> (Shortlists, usize) {
        vectorised(
            #[inline(always)]
            || {
                let mut near = Near { nearest: Vec::with_capacity(self.k + 1), kept: Vec::new(), limit: 0.0 };
                let mut stack: Vec<(usize, f64)> = Vec::with_capacity(64);
                let mut visited = 0;
                let mut out = Vec::with_capacity(range.len());
                for i in range {
                    let x = &queries.values[i * self.tree.dim..][..self.tree.dim];
                    let slack = apart(self.tree.dim) * (queries.norms[i] + self.largest);
                    near.begin();
                    visited += self.search(x, 2.0 * slack, &mut near, &mut stack);
                    out.push(near.list());
                }
                (out, visited)
            },
        )
    }

    /// Searches the neighbours of one query; returns how many vectors it visited.
    #[inline(always)]
    fn search(&self, x: &[f64], slack: f64, near: &mut Near, stack: &mut Vec<(usize, f64)>) -> usize {
        let inner = self.tree.leaves - 1;
        let mut visited = 0;
        stack.clear();
        stack.push((0, self.tree.distance(x, 0)));
        while let Some((mut node, mut distance)) = stack.pop() {
            if distance > near.limit || budget::is_spent_after(LEAF) {
                continue;
            }
            while node < inner {
                let (left, right) = (2 * node + 1, 2 * node + 2);
                let (to_left, to_right) = (self.tree.distance(x, left), self.tree.distance(x, right));
                let (near_side, far_side) = match to_left <= to_right {
                    true => ((left, to_left), (right, to_right)),
                    false => ((right, to_right), (left, to_left)),
                };
                if far_side.1 <= near.limit {
                    stack.push(far_side);
                }
                (node, distance) = near_side;
                if distance > near.limit {
                    break;
                }
            }
            if node < inner || distance > near.limit {
                continue;
            }
            let leaf = node - inner;
            let filled = usize::from(self.tree.filled[leaf]);
            let sums = self.tree.distances(x, leaf);
            visited += LEAF;
            for (lane, &sum) in sums[..filled].iter().enumerate() {
                if sum <= near.limit {
                    near.take(self.tree.index[leaf * LEAF + lane], sum, self.k, slack);
                }
            }
            if near.kept.len() > LONGEST + 8 * self.k && !near.shortened(self.k) {
                break;
            }
        }
        visited
    }
}

/// The rounding of the caller's and of these distances, relative to |x|² + |y|².
fn apart(dim: usize) -> f64 {
    (10 * dim + 80) as f64 * 0.5 * f64::EPSILON
}

/// What a query has found.
struct Near {
    /// The smallest distances so far, at most k, ascending.
    nearest: Vec<f64>,
    /// Every vector whose distance was within the limit when it was visited.
    kept: Vec<(f64, u32)>,
    /// Vectors farther than this are not among the nearest; -∞ when there are too many.
    limit: f64,
}

impl Near {
    fn begin(&mut self) {
        self.nearest.clear();
        self.kept.clear();
        self.limit = f64::INFINITY;
    }

    /// Takes a vector within the limit.
    #[inline(always)]
    fn take(&mut self, index: u32, distance: f64, k: usize, slack: f64) {
        self.kept.push((distance, index));
        if self.nearest.len() == k {
            if self.nearest.last().is_none_or(|&last| distance >= last) {
                return;
            }
            self.nearest.pop();
        }
        let at = self.nearest.partition_point(|&d| d <= distance);
        self.nearest.insert(at, distance);
        if self.nearest.len() == k {
            // A sum may be rounded down.
            self.limit = (self.nearest[k - 1] + slack).next_up();
        }
    }

    /// Drops what is beyond the limit; false, and no list, if too many are left.
    fn shortened(&mut self, k: usize) -> bool {
        self.kept.retain(|&(distance, _)| distance <= self.limit);
        let short = self.kept.len() <= LONGEST + 4 * k;
        if !short {
            self.limit = f64::NEG_INFINITY;
        }
        short
    }

    /// The indices within the limit, ascending.
    fn list(&self) -> Option<Vec<usize>> {
        if self.limit == f64::NEG_INFINITY {
            return None;
        }
        let within = self.kept.iter().filter(|(distance, _)| *distance <= self.limit);
        let mut list: Vec<usize> = within.map(|&(_, i)| i as usize).collect();
        list.sort_unstable();
        Some(list)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::inner;
    use crate::random::Random;

    fn normal(count: usize, dim: usize, seed: u64, at: f64, spread: f64) -> Vec<f64> {
        let mut random = Random::new(seed);
        (0..count * dim).map(|_| at + spread * random.normal()).collect()
    }

    /// Every list holds the k nearest by inner products, as callers compute distances; returns the mean length, the
    /// number given up and the mean number of vectors visited.
    fn checked(queries: &[f64], others: &[f64], dim: usize, k: usize) -> (f64, usize, usize) {
        let lengths = |v: &[f64]| inner::squared_lengths(v, v.len() / dim, dim);
        let (a, b) = (lengths(queries), lengths(others));
        let (queries, others) = (Cloud { values: queries, norms: &a }, Cloud { values: others, norms: &b });
        let largest = b.iter().fold(0.0, |a: f64, &b| a.max(b));
        let search = Search { tree: Tree::new(others, dim).unwrap(), k, largest };
        let mut all: Vec<u32> = Vec::new();
        for leaf in 0..search.tree.leaves {
            all.extend(&search.tree.index[leaf * LEAF..][..usize::from(search.tree.filled[leaf])]);
        }
        all.sort_unstable();
        assert!(all.iter().enumerate().all(|(i, &j)| i == j as usize) && all.len() == b.len());
        let (lists, visited) = search.lists(queries, 0..a.len());
        let (mut total, mut without) = (0, 0);
        for (i, list) in lists.iter().enumerate() {
            let Some(list) = list else {
                without += 1;
                continue;
            };
            assert!(list.is_sorted_by(|a, b| a < b));
            total += list.len();
            let x = &queries.values[i * dim..][..dim];
            let dot =
                |j: usize| x.iter().zip(&others.values[j * dim..][..dim]).map(|(a, b)| a * b).sum::<f64>();
            let far: Vec<f64> = (0..b.len()).map(|j| a[i] + b[j] - 2.0 * dot(j)).collect();
            let mut order: Vec<usize> = (0..b.len()).collect();
            order.sort_by(|&p, &q| far[p].total_cmp(&far[q]).then(p.cmp(&q)));
            assert!(order[..k].iter().all(|j| list.contains(j)), "query {i}: {list:?} {:?}", &order[..k]);
        }
        (total as f64 / a.len() as f64, without, visited / a.len())
    }

    #[test]
    fn lists_hold_the_nearest_and_few_vectors_are_visited() {
        for (dim, k) in [(1, 1), (2, 7), (3, 5), (5, 40), (16, 3)] {
            let (queries, others) = (normal(150, dim, 1, 0.0, 1.0), normal(4001, dim, 2, 0.0, 1.0));
            let (mean, without, visited) = checked(&queries, &others, dim, k);
            assert!(mean < k as f64 + 1.0 && without == 0, "{dim} {k}: {mean} {without}");
            assert!(dim > 3 || visited < 400, "{dim} {k}: {visited}");
        }
    }

    /// Sets smaller than a leaf, and sizes around powers of two.
    #[test]
    fn any_number_of_vectors() {
        for count in [1, 2, 15, 16, 17, 31, 32, 33, 100, 257] {
            let (queries, others) = (normal(20, 2, 3, 0.0, 1.0), normal(count, 2, 4, 0.0, 1.0));
            checked(&queries, &others, 2, 1);
            checked(&queries, &others, 2, count);
        }
    }

    /// Far from the origin, where the caller's distances lose digits, tiny, huge, and with an outlier.
    #[test]
    fn any_scale_and_place() {
        for (at, spread) in [(1e6, 1.0), (0.0, 1e-60), (-3e70, 1e69), (1e9, 1e-3)] {
            let (queries, mut others) = (normal(40, 3, 5, at, spread), normal(700, 3, 6, at, spread));
            checked(&queries, &others, 3, 4);
            others[0] = at + 1e4 * spread;
            checked(&queries, &others, 3, 4);
        }
    }

    /// A grid has ties everywhere, and many equal vectors have no short list.
    #[test]
    fn ties_are_kept_and_copies_are_given_up() {
        let grid: Vec<f64> = (0..900).flat_map(|i| [f64::from(i % 30), f64::from(i / 30)]).collect();
        let (mean, without, _) = checked(&grid, &grid, 2, 3);
        assert!(mean >= 4.0 && without == 0, "{mean}");
        let copies: Vec<f64> = (0..5000).map(|j| f64::from(j % 2)).collect();
        let (_, without, _) = checked(&[0.0, 1.0, 0.25], &copies, 1, 3);
        assert_eq!(without, 3);
        checked(&[1.0], &[1.0; 40], 1, 3);
    }

    /// The tree is left for the comparison of all where it excludes little.
    #[test]
    fn used_only_where_it_pays() {
        let used = |n: usize, m: usize, dim: usize| {
            let (queries, others) = (normal(m, dim, 7, 0.0, 1.0), normal(n, dim, 8, 0.0, 1.0));
            let (a, b) = (inner::squared_lengths(&queries, m, dim), inner::squared_lengths(&others, n, dim));
            let (queries, others) =
                (Cloud { values: &queries, norms: &a }, Cloud { values: &others, norms: &b });
            shortlists(queries, others, dim, 5).unwrap().is_some()
        };
        assert!(used(50_000, 2000, 2));
        assert!(!used(50_000, 20, 2), "few queries");
        assert!(!used(500, 2000, 2), "few vectors");
        assert!(!used(20_000, 2000, 16), "no structure in 16 dimensions");
        assert!(!used(20_000, 2000, 17));
    }
}
