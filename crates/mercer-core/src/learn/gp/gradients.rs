//! Conjugate gradients with a preconditioner from a pivoted Cholesky factor.

use super::iterative::negative;
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Progress;
use crate::numeric::Cholesky;
use crate::numeric::math::dot;
use crate::parallel;
use crate::solve::Columns;

/// Rows of one part of a sum: parts do not depend on the number of threads.
const PART: usize = 4096;
/// A remaining diagonal of this share of the largest is nothing but rounding.
const ROUNDING: f64 = 1e-12;

/// L with K ≈ LLᵀ, one column for each pivot: the object with the largest remaining self-similarity. Fewer columns where
/// the rest is nothing. Time O(n·rank²), and n·rank similarities.
pub(super) fn pivoted(columns: &dyn Columns, diagonal: &[f64], rank: usize) -> Result<Dense> {
    let n = diagonal.len();
    let all: Vec<u32> = (0..n as u32).collect();
    let mut rest = diagonal.to_vec();
    let largest = rest.iter().copied().fold(0.0, f64::max);
    let mut l = Dense::zeros(n, rank);
    let mut column = vec![0.0; n];
    let mut found = 0;
    while found < rank {
        budget::check()?;
        // Of equal ones, the first.
        let pivot = (0..n).fold(0, |best, i| if rest[i] > rest[best] { i } else { best });
        let least = rest.iter().copied().fold(f64::INFINITY, f64::min);
        if least < -1e-8 * largest.max(f64::MIN_POSITIVE) {
            return Err(negative(least, largest));
        }
        if rest[pivot] <= ROUNDING * largest {
            break;
        }
        columns.exact(&all, &[pivot as u32], &mut column)?;
        let known = l.row(pivot)[..found].to_vec();
        let root = rest[pivot].sqrt();
        let added = parallel::map(n.div_ceil(PART), |part| {
            let rows = part * PART..(part * PART + PART).min(n);
            rows.map(|i| (column[i] - dot(&l.row(i)[..found], &known)) / root).collect::<Vec<f64>>()
        });
        for (i, v) in added.into_iter().flatten().enumerate() {
            l.row_mut(i)[found] = v;
            rest[i] -= v * v;
        }
        rest[pivot] = 0.0;
        found += 1;
    }
    if found == 0 {
        return Err(Error::usage("all similarities are 0: there is nothing to learn from"));
    }
    if found < rank {
        let mut fewer = Dense::zeros(n, found);
        for i in 0..n {
            fewer.row_mut(i).copy_from_slice(&l.row(i)[..found]);
        }
        return Ok(fewer);
    }
    Ok(l)
}

/// (s·LLᵀ + D)⁻¹ by Woodbury's identity.
pub(super) struct Preconditioner<'a> {
    l: &'a Dense,
    spread: &'a [f64],
    scale: f64,
    /// The factor of I + s·LᵀD⁻¹L.
    inner: Cholesky,
}

impl<'a> Preconditioner<'a> {
    /// For the factor L of K, its scale and the noise of each object.
    pub(super) fn new(l: &'a Dense, scale: f64, spread: &'a [f64]) -> Result<Self> {
        let (n, m) = (l.rows(), l.cols());
        let parts = parallel::try_map(n.div_ceil(PART), |part| -> Result<Vec<f64>> {
            budget::check()?;
            let rows = part * PART..(part * PART + PART).min(n);
            let own = Dense::new(rows.len(), m, l.values()[rows.start * m..rows.end * m].to_vec())?;
            let weights: Vec<f64> = rows.map(|i| scale / spread[i]).collect();
            Ok(crate::numeric::algebra::weighted_gram(&own, &weights, None).into_values())
        })?;
        let mut inner: Dense = Dense::zeros(m, m);
        for part in parts {
            inner.values_mut().iter_mut().zip(part).for_each(|(s, v)| *s += v);
        }
        (0..m).for_each(|j| inner.row_mut(j)[j] += 1.0);
        let Some(inner) = Cholesky::new(inner)? else {
            return Err(Error::Numeric { reason: "the preconditioner is singular: raise noise".into() });
        };
        Ok(Preconditioner { l, spread, scale, inner })
    }

    fn solve(&self, v: &[f64]) -> Vec<f64> {
        let (n, m) = (self.l.rows(), self.l.cols());
        let divided: Vec<f64> = v.iter().zip(self.spread).map(|(v, d)| v / d).collect();
        let parts = parallel::map(n.div_ceil(PART), |part| {
            let rows = part * PART..(part * PART + PART).min(n);
            let mut sums = vec![0.0; m];
            for i in rows {
                sums.iter_mut().zip(self.l.row(i)).for_each(|(s, l)| *s += l * divided[i]);
            }
            sums
        });
        let mut along = vec![0.0; m];
        for part in parts {
            along.iter_mut().zip(part).for_each(|(a, p)| *a += self.scale * p);
        }
        self.inner.forward(&mut along);
        self.inner.backward(&mut along);
        let parts = parallel::map(n.div_ceil(PART), |part| {
            let rows = part * PART..(part * PART + PART).min(n);
            rows.map(|i| divided[i] - dot(self.l.row(i), &along) / self.spread[i]).collect::<Vec<f64>>()
        });
        parts.into_iter().flatten().collect()
    }
}

/// A solution with its certificate.
pub(super) struct Solution {
    pub(super) x: Vec<f64>,
    /// |b - C·x|, computed from x.
    pub(super) residual: f64,
    pub(super) steps: usize,
}

/// Reports how far the residual has fallen.
struct Meter<'a> {
    progress: Option<&'a dyn Progress>,
    first: f64,
    enough: f64,
    shown: u64,
}

/// Steps of the report from the first residual to the last.
const SHOWN: f64 = 100.0;

impl<'a> Meter<'a> {
    fn of(progress: Option<&'a dyn Progress>, first: f64, enough: f64) -> Self {
        progress.iter().for_each(|p| p.begin("conjugate gradients", SHOWN as u64));
        Meter { progress, first, enough, shown: 0 }
    }

    fn show(&mut self, residual: f64, steps: usize) {
        let Some(progress) = self.progress else { return };
        let share = (self.first / residual).ln() / (self.first / self.enough).ln();
        let now = (SHOWN * share.clamp(0.0, 1.0)) as u64;
        progress.advance(now.saturating_sub(self.shown));
        self.shown = self.shown.max(now);
        progress.note(&format!("residual {residual:.2e} of {:.1e}, step {steps}", self.enough));
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.progress.iter().for_each(|p| p.end());
    }
}

/// Solves C·x = b until the residual is no longer than `enough`, or for at most `most` steps.
pub(super) fn conjugate_gradients(
    times: &dyn Fn(&[f64]) -> Result<Vec<f64>>,
    preconditioner: &Preconditioner<'_>,
    b: &[f64],
    (enough, most): (f64, usize),
    progress: Option<&dyn Progress>,
) -> Result<Solution> {
    let length = |v: &[f64]| dot(v, v).sqrt();
    let mut x = preconditioner.solve(b);
    let mut steps = 0;
    // The recursion of the residual drifts by rounding: it starts again from the true one while it gains much.
    let mut before = f64::INFINITY;
    let mut meter = Meter::of(progress, length(b), enough);
    loop {
        let product = times(&x)?;
        steps += 1;
        let mut r: Vec<f64> = b.iter().zip(&product).map(|(b, p)| b - p).collect();
        let residual = length(&r);
        if !residual.is_finite() {
            return Err(Error::Numeric { reason: "conjugate gradients overflow: scale the target".into() });
        }
        if residual <= enough || steps >= most || residual > 0.5 * before {
            return Ok(Solution { x, residual, steps });
        }
        before = residual;
        let mut z = preconditioner.solve(&r);
        let mut p = z.clone();
        let mut size = dot(&r, &z);
        while length(&r) > 0.5 * enough && steps < most && size > 0.0 {
            let q = times(&p)?;
            steps += 1;
            let curvature = dot(&p, &q);
            if curvature <= 0.0 {
                return Err(negative(curvature / dot(&p, &p), (curvature / dot(&p, &p)).abs()));
            }
            let step = size / curvature;
            x.iter_mut().zip(&p).for_each(|(x, p)| *x += step * p);
            r.iter_mut().zip(&q).for_each(|(r, q)| *r -= step * q);
            z = preconditioner.solve(&r);
            let next = dot(&r, &z);
            let turn = next / size;
            size = next;
            p.iter_mut().zip(&z).for_each(|(p, z)| *p = z + turn * *p);
            meter.show(length(&r), steps);
        }
    }
}
