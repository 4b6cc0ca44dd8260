//! Sums over walks in a product graph: Σ_l a_l · 1ᵀA^l 1.
//!
//! In a product of undirected graphs A is symmetric, and 1ᵀA^{2l} 1 = ‖A^l 1‖², which halves the number of products. A
//! geometric sum is 1ᵀx with (I - λA) x = 1, solved by conjugate gradients. The error of its value is
//! rᵀ(I - λA)⁻¹r ≤ ‖r‖²/(1 - λρ), where r is the residual. It converges twice as fast as x, and r, recomputed at the
//! end, proves it. (The Lanczos method for the exponential would need still fewer products, but its terms cancel,
//! whereas those of the plain series used here are all positive.)
//!
//! Other sums end when the remainder is provably below rounding, as in `totals.rs`.

use super::product::Product;
use crate::budget;
use crate::error::{Error, Result};
use crate::numeric::math::dot;

/// Maximum relative error of an infinite sum, apart from rounding.
pub(super) const TOLERANCE: f64 = 1e-14;

/// Maximum number of terms.
const MOST: usize = 1_000_000;

/// Work vectors, reused from pair to pair.
#[derive(Debug, Default)]
pub(super) struct Vectors {
    x: Vec<f64>,
    y: Vec<f64>,
    p: Vec<f64>,
    r: Vec<f64>,
}

impl Vectors {
    fn reset(&mut self, n: usize) {
        for v in [&mut self.x, &mut self.y, &mut self.p, &mut self.r] {
            v.clear();
            v.resize(n, 0.0);
        }
    }

    /// Σ_l weights[l] · 1ᵀA^l 1.
    pub(super) fn weighted(&mut self, product: &Product, weights: &[f64]) -> f64 {
        self.reset(product.nodes());
        let Vectors { x, y, .. } = self;
        x.fill(1.0);
        if !product.symmetric {
            let mut sum = 0.0;
            for (l, weight) in weights.iter().enumerate() {
                if l > 0 {
                    product.apply(x, y);
                    std::mem::swap(x, y);
                }
                sum += weight * x.iter().sum::<f64>();
            }
            return sum;
        }
        let mut sum = 0.0;
        let mut pairs = weights.chunks(2).peekable();
        while let Some(pair) = pairs.next() {
            sum += pair[0] * dot(x, x);
            if let Some(odd) = pair.get(1) {
                product.apply(x, y);
                sum += odd * dot(x, y);
                if pairs.peek().is_some() {
                    std::mem::swap(x, y);
                }
            }
        }
        sum
    }

    /// Σ_l λ^l · 1ᵀA^l 1, where λ times the spectral radius of |A| is at most `rate` < 1.
    pub(super) fn geometric(&mut self, product: &Product, decay: f64, rate: f64) -> Result<f64> {
        if !product.symmetric {
            return self.series(product, |_| decay);
        }
        let n = product.nodes();
        self.reset(n);
        let Vectors { x, y, p, r } = self;
        r.fill(1.0);
        p.fill(1.0);
        // Starting at x = 0 the residual is 1. Every value is at least n / (1 + rate).
        let goal = TOLERANCE * (1.0 - rate) * n as f64 / 2.0;
        let mut size = n as f64;
        let mut tried = 0;
        while size > 0.0 {
            if size <= goal {
                // The recursively updated residual drifts from the true one; this one is recomputed.
                product.apply(x, y);
                r.iter_mut().zip(&*x).zip(&*y).for_each(|((r, x), y)| *r = 1.0 - (x - decay * y));
                size = dot(r, r);
                // The rounding of 1 - (I - λA) x is unavoidable.
                let rounding = 8.0 * f64::EPSILON;
                if size <= (4.0 * goal).max(rounding * rounding * dot(x, x)) {
                    break;
                }
                p.copy_from_slice(r);
            }
            budget::check_after(8 * n)?;
            tried += 1;
            if tried > 100 + 50 * n.min(MOST) {
                return Err(Error::Numeric {
                    reason: format!(
                        "conjugate gradients on a product of {n} nodes: residual {:.1e} after {tried} steps; lower the decay",
                        size.sqrt()
                    ),
                });
            }
            product.apply(p, y);
            y.iter_mut().zip(&*p).for_each(|(y, p)| *y = p - decay * *y);
            let length = size / dot(p, y);
            x.iter_mut().zip(&*p).for_each(|(x, p)| *x += length * p);
            r.iter_mut().zip(&*y).for_each(|(r, y)| *r -= length * y);
            let before = std::mem::replace(&mut size, dot(r, r));
            let keep = size / before;
            p.iter_mut().zip(&*r).for_each(|(p, r)| *p = r + keep * *p);
        }
        // 1ᵀM⁻¹1 = xᵀ(1 + r) + rᵀM⁻¹r for every x with residual r.
        Ok(x.iter().zip(&*r).map(|(x, r)| x * (1.0 + r)).sum())
    }

    /// Σ_l λ^l / l! · 1ᵀA^l 1.
    pub(super) fn exponential(&mut self, product: &Product, decay: f64) -> Result<f64> {
        if !product.symmetric {
            return self.series(product, |l| decay / l as f64);
        }
        let n = product.nodes();
        self.reset(n);
        let Vectors { x, y, p, .. } = self;
        x.fill(1.0);
        p.fill(1.0);
        let mut sum = 0.0;
        let enough = TOLERANCE.sqrt() / 10.0;
        for l in 0..MOST {
            let (even, odd) = ((2 * l + 2) as f64, (2 * l + 1) as f64);
            let step = decay / (odd * even).sqrt();
            budget::check_after(4 * n)?;
            product.apply(x, y);
            sum += dot(x, x) + decay / odd * dot(x, y);
            y.iter_mut().for_each(|y| *y *= step);
            std::mem::swap(x, y);
            let top = if product.negative {
                product.apply_absolute(p, y);
                y.iter_mut().for_each(|y| *y *= step);
                std::mem::swap(p, y);
                largest(p)
            } else {
                largest(x)
            };
            if top <= enough || !sum.is_finite() {
                return Ok(sum);
            }
        }
        Err(too_long(n))
    }

    /// Σ_l 1ᵀx_l with x_0 = 1 and x_l = factor(l) · A x_{l-1}, with non-increasing factors.
    fn series(&mut self, product: &Product, factor: impl Fn(usize) -> f64) -> Result<f64> {
        let n = product.nodes();
        self.reset(n);
        let Vectors { x, y, p, .. } = self;
        x.fill(1.0);
        p.fill(1.0);
        let mut sum = n as f64;
        for l in 1..=MOST {
            budget::check_after(4 * n)?;
            product.apply(x, y);
            y.iter_mut().for_each(|y| *y *= factor(l));
            std::mem::swap(x, y);
            sum += x.iter().sum::<f64>();
            let top = if product.negative {
                product.apply_absolute(p, y);
                y.iter_mut().for_each(|y| *y *= factor(l));
                std::mem::swap(p, y);
                largest(p)
            } else {
                largest(x)
            };
            if top <= TOLERANCE / 10.0 || !sum.is_finite() {
                return Ok(sum);
            }
        }
        Err(too_long(n))
    }
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |a: f64, b| a.max(b.abs()))
}

fn too_long(nodes: usize) -> Error {
    Error::Numeric {
        reason: format!(
            "the sum over walks in a product of {nodes} nodes needs more than {MOST} steps: lower the decay"
        ),
    }
}
