//! Large sparse symmetric matrices, and products with a few columns at a time.

use std::ops::Range;

use crate::data::Ragged;
use crate::numeric::math::vectorised;
use crate::parallel;

/// A sparse symmetric matrix in rows, reordered so that connected rows are close together.
///
/// Internal row numbers go component by component, each in breadth-first order, so that entries multiplied together are
/// close in memory. [`Symmetric::order`] maps them to the original numbers.
#[derive(Clone, Debug)]
pub struct Symmetric {
    diagonal: Vec<f64>,
    columns: Ragged<u32>,
    /// `None` if every off-diagonal entry is 1.
    values: Option<Vec<f64>>,
    /// The original number of each row.
    order: Vec<u32>,
    /// The internal row of each original number.
    places: Vec<u32>,
    /// The starts of the components, and the end of the last.
    components: Vec<usize>,
}

/// Rows processed by one thread at a time.
const CHUNK: usize = 4096;

impl Symmetric {
    /// The matrix with this diagonal and the entries that `row` returns for row i, which must be symmetric. Entries on
    /// the diagonal are added to it.
    pub fn new<R>(diagonal: &[f64], row: impl Fn(usize) -> R) -> Self
    where
        R: Iterator<Item = (u32, f64)>,
    {
        let n = diagonal.len();
        let (order, components) = breadth_first(n, |i| row(i).map(|(j, _)| j));
        let mut places = vec![0u32; n];
        order.iter().enumerate().for_each(|(at, &i)| places[i as usize] = at as u32);
        let mut own: Vec<f64> = order.iter().map(|&i| diagonal[i as usize]).collect();
        let (mut columns, mut values) = (Ragged::default(), Vec::new());
        let mut entries = Vec::new();
        for (at, &i) in order.iter().enumerate() {
            entries.clear();
            for (j, v) in row(i as usize) {
                match places[j as usize] as usize {
                    j if j == at => own[at] += v,
                    j => entries.push((j as u32, v)),
                }
            }
            entries.sort_by_key(|e| e.0);
            columns.push_row(entries.iter().map(|e| e.0));
            values.extend(entries.iter().map(|e| e.1));
        }
        let values = values.iter().any(|v| *v != 1.0).then_some(values);
        Symmetric { diagonal: own, columns, values, order, places, components }
    }

    /// The number of rows.
    pub fn len(&self) -> usize {
        self.diagonal.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.diagonal.is_empty()
    }

    /// The original number of each internal row.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The internal row of an original number.
    pub fn place(&self, original: usize) -> usize {
        self.places[original] as usize
    }

    /// The internal rows of each connected component.
    pub fn components(&self) -> impl Iterator<Item = Range<usize>> + '_ {
        self.components.windows(2).map(|w| w[0]..w[1])
    }

    /// The rows of the component that an internal row belongs to.
    pub(super) fn component(&self, row: usize) -> Range<usize> {
        let at = self.components.partition_point(|&start| start <= row);
        self.components[at - 1]..self.components[at]
    }

    /// The off-diagonal entries of an internal row.
    pub(crate) fn off_diagonal(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.entries(i)
    }

    fn entries(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let row = self.columns.row(i).iter().zip(self.columns.range(i));
        row.map(|(&j, at)| (j as usize, self.values.as_ref().map_or(1.0, |v| v[at])))
    }

    /// The entry of two internal rows; for tests and small blocks.
    pub fn at(&self, i: usize, j: usize) -> f64 {
        match i == j {
            true => self.diagonal[i],
            false => self.entries(i).find(|e| e.0 == j).map_or(0.0, |e| e.1),
        }
    }

    /// An upper bound of |λ| over all eigenvalues λ, from steps of the power method on absolute values: for a positive
    /// vector x no eigenvalue is larger than max (|S|·x)_i / x_i (Collatz 1942).
    pub fn radius_bound(&self, steps: usize) -> f64 {
        let n = self.len();
        if n == 0 {
            return 0.0;
        }
        let mut x = vec![1.0f64; n];
        let sums = |x: &[f64]| -> Vec<f64> {
            let sum = |i: usize| {
                self.diagonal[i].abs() * x[i] + self.entries(i).map(|(j, v)| v.abs() * x[j]).sum::<f64>()
            };
            parallel::map_at_least(n, CHUNK, sum)
        };
        let mut best = f64::INFINITY;
        // A multiple of the identity keeps x positive and prevents oscillation on even cycles.
        let mut shift = 0.0;
        for step in 0..steps.max(1) {
            let y = sums(&x);
            let ratio = y.iter().zip(&x).map(|(y, x)| y / x).fold(0.0f64, f64::max);
            best = best.min(ratio);
            if step == 0 {
                shift = 0.25 * ratio;
            }
            let scale = ratio + shift;
            if scale == 0.0 || !scale.is_finite() {
                break;
            }
            // A lower limit prevents ratios from losing their digits.
            x.iter_mut().zip(&y).for_each(|(x, y)| *x = ((y + shift * *x) / scale).max(1e-200));
        }
        // Accounts for the rounding of the sums.
        best * (1.0 + 1e-13)
    }

    /// The product with a vector in internal order.
    pub(super) fn times(&self, x: &[f64]) -> Vec<f64> {
        let sum = |i: usize| self.diagonal[i] * x[i] + self.entries(i).map(|(j, v)| v * x[j]).sum::<f64>();
        parallel::map_at_least(self.len(), CHUNK, sum)
    }

    /// For the internal rows of `range`, which must consist of whole components: previous = α·(S·x)_i + γ·x_i -
    /// previous. `x` and `previous` hold the rows of `range` only, `W` values each.
    ///
    /// Each row is computed on its own, so bits do not depend on the distribution of rows among threads.
    pub(super) fn step<const W: usize>(
        &self,
        range: Range<usize>,
        factors: (f64, f64),
        x: &[[f64; W]],
        previous: &mut [[f64; W]],
        parallel: bool,
    ) {
        let start = range.start;
        let work = |first: usize, rows: &mut [[f64; W]]| {
            vectorised(
                #[inline(always)]
                || match &self.values {
                    None => self.rows::<W, _>(start, first, factors, x, rows, |_| 1.0),
                    Some(values) => self.rows::<W, _>(start, first, factors, x, rows, |at| values[at]),
                },
            );
        };
        if parallel {
            parallel::for_chunks_mut(previous, CHUNK, 1, |c, rows| work(c * CHUNK, rows));
        } else {
            work(0, previous);
        }
    }

    #[inline(always)]
    fn rows<const W: usize, V: Fn(usize) -> f64>(
        &self,
        start: usize,
        first: usize,
        (alpha, gamma): (f64, f64),
        x: &[[f64; W]],
        rows: &mut [[f64; W]],
        value: V,
    ) {
        for (i, row) in (first..).zip(rows) {
            let own = &x[i];
            let shift = self.diagonal[start + i] + gamma / alpha;
            let mut sum = [0.0; W];
            for k in 0..W {
                sum[k] = shift * own[k];
            }
            for (&j, at) in self.columns.row(start + i).iter().zip(self.columns.range(start + i)) {
                let other = &x[j as usize - start];
                let v = value(at);
                for k in 0..W {
                    sum[k] += v * other[k];
                }
            }
            for k in 0..W {
                row[k] = alpha * sum[k] - row[k];
            }
        }
    }
}

/// The nodes by component and distance from its first node, and the starts of the components.
fn breadth_first<R: Iterator<Item = u32>>(n: usize, row: impl Fn(usize) -> R) -> (Vec<u32>, Vec<usize>) {
    let mut seen = vec![false; n];
    let mut order = Vec::with_capacity(n);
    let mut components = vec![0];
    for root in 0..n {
        if std::mem::replace(&mut seen[root], true) {
            continue;
        }
        let mut next = order.len();
        order.push(root as u32);
        while let Some(&i) = order.get(next) {
            next += 1;
            for j in row(i as usize) {
                if !std::mem::replace(&mut seen[j as usize], true) {
                    order.push(j);
                }
            }
        }
        components.push(order.len());
    }
    (order, components)
}
