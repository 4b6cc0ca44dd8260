//! Functions of a symmetric matrix applied to columns, as Chebyshev sums with an error bound.
//!
//! f(S)·v = Σ c_k T_k(M)·v, M = (S - centre)/half with its eigenvalues in [-1, 1], costs one sparse product per term
//! and forms no matrix. No |T_k| exceeds 1 there, so the truncation error is at most the sum of the |c_k| dropped,
//! which for exponentials and resolvents is known in closed form. The Lanczos method needs fewer products for one
//! vector, but stores its basis, cannot share products among columns, and knows its error only afterwards.

use std::ops::Range;

use super::symmetric::Symmetric;
use crate::budget::{self, Budget, matrix_bytes};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::algebra::mirror;
use crate::numeric::allocate;
use crate::parallel;

/// A sum of Chebyshev polynomials on an interval, with its error bound. Powers are sums of monomials.
#[derive(Clone, Debug)]
pub struct Chebyshev {
    basis: Basis,
    centre: f64,
    half: f64,
    coefficients: Vec<f64>,
    bound: f64,
}

/// The polynomials that are summed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Basis {
    /// T_k((x - centre)/half), summed by Clenshaw's recurrence.
    Chebyshev,
    /// x^k, summed by Horner's rule. As a Chebyshev sum x^p cancels for |x| far below the radius, so that a node
    /// without edges would get a self-similarity slightly below 0.
    Monomial,
}

/// Columns computed together; each of their rows is read at once.
const WIDTH: usize = 32;

/// An error if a result and two panels of `panel` rows do not fit in memory.
fn planned(rows: usize, cols: usize, panel: usize) -> Result<()> {
    let needed = matrix_bytes(rows, cols, 8).saturating_add(matrix_bytes(panel, 2 * WIDTH, 8));
    budget::ask("similarities between nodes", needed)
}

/// The number of columns of a matrix that are multiplied at a time.
pub const PANEL: usize = 16;
/// The maximum number of terms.
const MOST_TERMS: usize = 200_000;

impl Chebyshev {
    /// e^(β·x) on [low, high] with an error of at most `error` times its largest value.
    ///
    /// The coefficients are those of modified Bessel functions, 2·I_k(z)·e^(-z), z = β·(high - low)/2, by Miller's
    /// backward recurrence. About √(2·z·ln(1/error)) terms if z is large.
    pub fn exponential(beta: f64, low: f64, high: f64, error: f64) -> Result<Self> {
        let (centre, half) = ((low + high) / 2.0, (high - low) / 2.0);
        let (z, top) = ((beta * half).abs(), (beta * low).max(beta * high));
        let scale = top.exp();
        if !(scale.is_finite() && z.is_finite() && error > 0.0) {
            return Err(Error::param("beta", beta, "such that its exponentials are finite numbers"));
        }
        // Beyond this, the functions fall below double precision: e^(-k²/2z) or e^(-k) for large k.
        let enough = (12.0 * z.sqrt() + 60.0).ceil();
        if enough > MOST_TERMS as f64 {
            return Err(Error::param("beta", beta, "smaller: the sum would have more than 200,000 terms"));
        }
        let enough = enough as usize;
        let mut bessel = vec![0.0; enough + 2];
        bessel[enough] = 1e-280;
        for k in (1..=enough).rev() {
            bessel[k - 1] = match z > 0.0 {
                true => bessel[k + 1] + (2.0 * k as f64 / z) * bessel[k],
                false => 0.0,
            };
            if bessel[k - 1] > 1e200 {
                bessel[k - 1..].iter_mut().for_each(|b| *b *= 1e-300);
            }
        }
        if z == 0.0 {
            bessel[0] = 1.0;
        }
        // e^z = I_0 + 2·ΣI_k.
        let total = bessel[0] + 2.0 * bessel[1..].iter().rev().sum::<f64>();
        let sign = if beta < 0.0 { -1.0f64 } else { 1.0 };
        let weight = |k: usize| (if k == 0 { 1.0 } else { 2.0 }) * bessel[k] / total;
        let (mut tail, mut terms) = (0.0, enough);
        while terms > 1 && tail + weight(terms - 1) <= error {
            terms -= 1;
            tail += weight(terms);
        }
        let coefficients = (0..terms).map(|k| sign.powi((k % 2) as i32) * weight(k) * scale);
        // A constant for the rounding of each product.
        let rounding = 4.0 * f64::EPSILON * terms as f64;
        Ok(Chebyshev {
            basis: Basis::Chebyshev,
            centre,
            half,
            coefficients: coefficients.collect(),
            bound: (tail + rounding) * scale,
        })
    }

    /// 1 / (1 - β·x) on [low, high], where 1 - β·x must be above 0, with an error of at most `error` times its largest
    /// value.
    ///
    /// With 1 - β·x = g·(1 - τ·t), t in [-1, 1], the coefficients are 2·r^k / (g·√(1 - τ²)), r = τ/(1 + √(1 - τ²)):
    /// about ½·√κ·ln(1/error) terms, κ the largest value of 1 - β·x over the smallest.
    pub fn resolvent(beta: f64, low: f64, high: f64, error: f64) -> Result<Self> {
        let (centre, half) = ((low + high) / 2.0, (high - low) / 2.0);
        let least = (1.0 - beta * low).min(1.0 - beta * high);
        let g = 1.0 - beta * centre;
        let tau = beta * half / g;
        if !(least > 0.0 && g.is_finite() && tau.abs() < 1.0 && error > 0.0) {
            return Err(Error::param("beta", beta, "such that 1 - beta·x is above 0 for every eigenvalue x"));
        }
        // (1 - τ)(1 + τ) from the two ends, because 1 - τ² would lose digits.
        let root = (((1.0 - beta * low) / g) * ((1.0 - beta * high) / g)).sqrt();
        let r = tau / (1.0 + root);
        let first = 1.0 / (g * root);
        // The sum of the terms from k on, relative to the largest value 1/least.
        let tail = |k: f64| 2.0 * first * r.abs().powf(k) / (1.0 - r.abs()) * least;
        let mut terms = 1.0f64;
        if r != 0.0 && tail(1.0) > error {
            terms += ((error / tail(1.0)).ln() / r.abs().ln()).ceil();
        }
        if terms > MOST_TERMS as f64 {
            return Err(Error::param(
                "beta",
                beta,
                "further from divergence: the sum would have more than 200,000 terms",
            ));
        }
        let weight = |k: usize| (if k == 0 { 1.0 } else { 2.0 }) * first * r.powi(k as i32);
        let rounding = 4.0 * f64::EPSILON * terms;
        Ok(Chebyshev {
            basis: Basis::Chebyshev,
            centre,
            half,
            coefficients: (0..terms as usize).map(weight).collect(),
            bound: (tail(terms) + rounding) / least,
        })
    }

    /// x^p on [-radius, radius], by p products.
    pub fn power(p: u32, radius: f64) -> Result<Self> {
        let scale = radius.powi(p as i32);
        if !scale.is_finite() {
            return Err(Error::param("power", p, "such that powers of the largest eigenvalue are finite"));
        }
        let mut coefficients = vec![0.0; p as usize + 1];
        coefficients[p as usize] = 1.0;
        let rounding = 4.0 * f64::EPSILON * (f64::from(p) + 1.0);
        Ok(Chebyshev {
            basis: Basis::Monomial,
            centre: 0.0,
            half: 1.0,
            coefficients,
            bound: rounding * scale,
        })
    }

    /// An upper bound of the error of any value of f(S)·v relative to |v|, including rounding.
    pub fn bound(&self) -> f64 {
        self.bound
    }

    /// The number of terms, which is the number of sparse products per column.
    pub fn terms(&self) -> usize {
        self.coefficients.len()
    }

    /// f(x), evaluated by the sum.
    pub fn at(&self, x: f64) -> f64 {
        if self.basis == Basis::Monomial {
            return self.coefficients.iter().rev().fold(0.0, |sum, c| sum * x + c);
        }
        let t = if self.half > 0.0 { (x - self.centre) / self.half } else { 0.0 };
        let (mut a, mut b) = (0.0, 0.0);
        for &c in self.coefficients.iter().skip(1).rev() {
            (a, b) = (c + 2.0 * t * a - b, a);
        }
        self.coefficients.first().map_or(0.0, |c| c + t * a - b)
    }

    /// f(S) for all rows, in the original numbering; exactly symmetric.
    ///
    /// Components are processed one after another; entries between components are 0.
    pub fn whole(&self, s: &Symmetric, budget: &Budget) -> Result<Dense> {
        const W: usize = 8;
        let n = s.len();
        planned(n, n, 0)?;
        let mut out = allocate(n, n);
        let rows: Vec<usize> = (0..n).collect();
        let panels: Vec<&[usize]> = rows.chunks(W).collect();
        let order = s.order();
        // By symmetry, columns are written as rows, so that each panel writes separate rows.
        let per_batch = 2 * rayon::current_num_threads().max(1);
        for batch in panels.chunks(per_batch) {
            budget.check()?;
            let done: Vec<(Range<usize>, Vec<[f64; W]>)> =
                parallel::try_map(batch.len(), |k| self.panel::<W>(s, batch[k], false, budget))?;
            for (panel, (range, values)) in batch.iter().zip(done) {
                for (k, &row) in panel.iter().enumerate() {
                    let target = out.row_mut(order[row] as usize);
                    for (value, &column) in values.iter().zip(&order[range.clone()]) {
                        target[column as usize] = value[k];
                    }
                }
            }
        }
        mirror(&mut out);
        Ok(out)
    }

    /// The entries of f(S) for the original numbers `rows` and `columns`, forming only a few columns at a time.
    pub fn block(&self, s: &Symmetric, rows: &[u32], columns: &[u32], budget: &Budget) -> Result<Dense> {
        planned(rows.len(), columns.len(), s.len())?;
        let mut out = allocate(rows.len(), columns.len());
        let places: Vec<usize> = rows.iter().map(|&i| s.place(i as usize)).collect();
        self.columns(s, columns, budget, |column, range, value| {
            for (i, &place) in places.iter().enumerate().filter(|(_, place)| range.contains(place)) {
                out.row_mut(i)[column] = value(place - range.start);
            }
        })?;
        Ok(out)
    }

    /// Passes chosen columns of f(S), given by their original numbers, to `take`, one after another in arbitrary order.
    /// Arguments: the index of the column in `columns`, the internal rows that may be non-zero, and the value by row,
    /// counted from the first of those.
    ///
    /// Memory for two panels of 32 columns, for any number of columns.
    pub fn columns(
        &self,
        s: &Symmetric,
        columns: &[u32],
        budget: &Budget,
        mut take: impl FnMut(usize, Range<usize>, &dyn Fn(usize) -> f64),
    ) -> Result<()> {
        const W: usize = WIDTH;
        planned(0, 0, s.len())?;
        // Groups columns by component.
        let mut order: Vec<usize> = (0..columns.len()).collect();
        order.sort_by_key(|&k| s.place(columns[k] as usize));
        for panel in order.chunks(W) {
            let places: Vec<usize> = panel.iter().map(|&k| s.place(columns[k] as usize)).collect();
            let (range, values) = self.panel::<W>(s, &places, true, budget)?;
            for (k, &column) in panel.iter().enumerate() {
                take(column, range.clone(), &|i| values[i][k]);
            }
        }
        Ok(())
    }

    /// f(S)·V for a matrix V with one row per row of S, in the original numbering.
    pub fn apply(&self, s: &Symmetric, v: &Dense, budget: &Budget) -> Result<Dense> {
        if v.rows() != s.len() {
            return Err(Error::Shape {
                expected: format!("{} rows", s.len()),
                found: format!("{}", v.rows()),
            });
        }
        planned(v.rows(), v.cols(), s.len())?;
        let mut out = allocate(v.rows(), v.cols());
        let gather = |columns: Range<usize>, panel: &mut [[f64; PANEL]]| {
            for (to, &i) in panel.iter_mut().zip(s.order()) {
                to[..columns.len()].copy_from_slice(&v.row(i as usize)[columns.clone()]);
            }
            Ok(())
        };
        self.apply_panels(s, v.cols(), budget, gather, |columns, panel| {
            for (value, &i) in panel.iter().zip(s.order()) {
                out.row_mut(i as usize)[columns.clone()].copy_from_slice(&value[..columns.len()]);
            }
            Ok(())
        })?;
        Ok(out)
    }

    /// f(S)·V for a matrix V of `cols` columns of which only a few panels exist at a time.
    ///
    /// `gather` writes a range of at most [`PANEL`] columns of V into a panel of zeros, and `take` gets the same columns
    /// of the product, in ascending order. The rows of panels are in the order of [`Symmetric::order`]. Many panels are
    /// computed in parallel, few of them by parallel rows; the bits are the same.
    pub fn apply_panels(
        &self,
        s: &Symmetric,
        cols: usize,
        budget: &Budget,
        gather: impl Fn(Range<usize>, &mut [[f64; PANEL]]) -> Result<()> + Sync,
        mut take: impl FnMut(Range<usize>, &[[f64; PANEL]]) -> Result<()>,
    ) -> Result<()> {
        let panels: Vec<Range<usize>> =
            (0..cols).step_by(PANEL).map(|first| first..cols.min(first + PANEL)).collect();
        let threads = rayon::current_num_threads().max(1);
        let at_once = if panels.len() < 2 * threads { 1 } else { threads };
        budget::ask("columns of nodes", matrix_bytes(s.len(), 3 * PANEL * at_once, 8))?;
        for batch in panels.chunks(at_once) {
            budget.check()?;
            let done = parallel::try_map(batch.len(), |k| {
                let mut v = vec![[0.0; PANEL]; s.len()];
                gather(batch[k].clone(), &mut v)?;
                let add = |to: &mut [[f64; PANEL]], c: f64| {
                    let rows = to.iter_mut().zip(&v);
                    rows.for_each(|(t, v)| t.iter_mut().zip(v).for_each(|(t, v)| *t += c * v));
                };
                self.sum::<PANEL>(s, 0..s.len(), at_once == 1, budget, add)
            })?;
            for (columns, panel) in batch.iter().zip(done) {
                take(columns.clone(), &panel)?;
            }
        }
        Ok(())
    }

    /// Columns of f(S) for ascending internal rows.
    fn panel<const W: usize>(
        &self,
        s: &Symmetric,
        places: &[usize],
        parallel: bool,
        budget: &Budget,
    ) -> Result<(Range<usize>, Vec<[f64; W]>)> {
        let range = match (places.first(), places.last()) {
            (Some(&first), Some(&last)) => s.component(first).start..s.component(last).end,
            _ => 0..0,
        };
        let add = |to: &mut [[f64; W]], c: f64| {
            places.iter().enumerate().for_each(|(k, &place)| to[place - range.start][k] += c);
        };
        let values = self.sum::<W>(s, range.clone(), parallel, budget, add)?;
        Ok((range, values))
    }

    /// f(S)·v by Clenshaw's recurrence or Horner's rule, where `add` adds a multiple of v. Needs two panels and none
    /// for the sum.
    fn sum<const W: usize>(
        &self,
        s: &Symmetric,
        range: Range<usize>,
        parallel: bool,
        budget: &Budget,
        add: impl Fn(&mut [[f64; W]], f64),
    ) -> Result<Vec<[f64; W]>> {
        let mut now = vec![[0.0; W]; range.len()];
        let mut before = now.clone();
        let half = if self.half > 0.0 { self.half } else { 1.0 };
        let (alpha, gamma) = (1.0 / half, -self.centre / half);
        // Clenshaw: b_k = c_k·v + 2·M·b_(k+1) - b_(k+2), and the sum is c_0·v + M·b_1 - b_2.
        // Horner: b_k = c_k·v + S·b_(k+1), and the sum is b_0.
        let monomial = self.basis == Basis::Monomial;
        let twice = if monomial { 1.0 } else { 2.0 };
        for (k, &c) in self.coefficients.iter().enumerate().skip(1).rev() {
            if k % 16 == 0 {
                budget.check()?;
            }
            budget::check_after(range.len() * W)?;
            s.step::<W>(range.clone(), (twice * alpha, twice * gamma), &now, &mut before, parallel);
            add(&mut before, c);
            std::mem::swap(&mut now, &mut before);
            if monomial {
                before.fill([0.0; W]);
            }
        }
        s.step::<W>(range, (alpha, gamma), &now, &mut before, parallel);
        add(&mut before, self.coefficients.first().copied().unwrap_or(0.0));
        Ok(before)
    }

    /// The sum times a constant.
    #[must_use]
    pub fn scaled(mut self, factor: f64) -> Self {
        self.coefficients.iter_mut().for_each(|c| *c *= factor);
        self.bound *= factor.abs();
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worst(sum: &Chebyshev, low: f64, high: f64, f: impl Fn(f64) -> f64) -> f64 {
        let at = |i: usize| low + (high - low) * i as f64 / 997.0;
        (0..=997).map(|i| (sum.at(at(i)) - f(at(i))).abs()).fold(0.0, f64::max)
    }

    #[test]
    fn errors_are_within_their_bounds() {
        for (beta, low, high) in
            [(0.5, -170.0, 0.0), (0.01, -3.0, 0.0), (1.0, -1e4, 0.0), (0.3, -5.0, 5.0), (-2.0, -1.0, 3.0)]
        {
            for error in [1e-3, 1e-8, 1e-14] {
                let sum = Chebyshev::exponential(beta, low, high, error).unwrap();
                let size = (beta * low).max(beta * high).exp();
                let found = worst(&sum, low, high, |x| (beta * x).exp());
                assert!(found <= sum.bound(), "{beta} {error}: {found} > {}", sum.bound());
                assert!(sum.bound() <= (error + 1e-12) * size);
                // The bound is nearly tight: half the terms would not suffice.
                let half =
                    Chebyshev { coefficients: sum.coefficients[..sum.terms() / 2].to_vec(), ..sum.clone() };
                assert!(worst(&half, low, high, |x| (beta * x).exp()) > error * size);
                if beta.abs() * (high - low).abs() < 100.0 {
                    let sum = Chebyshev::resolvent(beta / 100.0, low, high, error).unwrap();
                    let found = worst(&sum, low, high, |x| 1.0 / (1.0 - beta / 100.0 * x));
                    assert!(found <= sum.bound(), "{beta} {error}: {found} > {}", sum.bound());
                }
            }
        }
        for p in [1, 2, 7, 20] {
            let sum = Chebyshev::power(p, 3.0).unwrap();
            assert!(worst(&sum, -3.0, 3.0, |x| x.powi(p as i32)) <= sum.bound());
            assert_eq!(sum.at(0.0), 0.0);
        }
        // A single point.
        assert_eq!(Chebyshev::exponential(2.0, 0.0, 0.0, 1e-12).unwrap().at(0.0), 1.0);
        assert_eq!(Chebyshev::resolvent(0.3, 0.0, 0.0, 1e-12).unwrap().at(0.0), 1.0);
    }

    #[test]
    fn invalid_parameters_are_rejected() {
        assert!(Chebyshev::resolvent(1.0, -1.0, 1.0, 1e-9).is_err());
        assert!(Chebyshev::resolvent(-0.5, -3.0, 0.0, 1e-9).is_err());
        assert!(Chebyshev::exponential(1.0, -1.0, 1e6, 1e-9).is_err());
        assert!(Chebyshev::exponential(1e12, -1e12, 0.0, 1e-9).is_err());
        assert!(Chebyshev::power(64, 1e10).is_err());
    }
}
