//! Rigorous bounds on the spectral radius, which is the growth rate of the number of walks with their length.
//!
//! For a nonnegative matrix and any positive vector x, min (Ax)_i/x_i ≤ ρ(A) ≤ max (Ax)_i/x_i (Collatz and Wielandt).
//! With x = 1 the upper bound is the largest degree; applying powers of A + I to x tightens both bounds. An eigenvalue
//! routine would be exact, but its error is only an estimate exactly where it matters, close to the limit.

use crate::budget;

/// Lower and upper bound on the spectral radius.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Growth {
    pub(super) low: f64,
    pub(super) high: f64,
}

/// Maximum number of refinement rounds.
const ROUNDS: usize = 2000;

impl Growth {
    /// Bounds on the radius of a nonnegative matrix. They are tight enough to decide whether the radius is below
    /// `limit`, and within a millionth of each other if it is not. `apply` computes A x.
    pub(super) fn of(
        n: usize,
        symmetric: bool,
        limit: f64,
        mut apply: impl FnMut(&[f64], &mut [f64]),
    ) -> Growth {
        let mut growth = Growth { low: 0.0, high: f64::INFINITY };
        if n == 0 {
            return Growth { low: 0.0, high: 0.0 };
        }
        let (mut x, mut y) = (vec![1.0; n], vec![0.0; n]);
        for _ in 0..ROUNDS {
            if budget::is_spent_after(8 * n) {
                break;
            }
            apply(&x, &mut y);
            let ratios = || y.iter().zip(&x).map(|(y, x)| y / x);
            growth.high = growth.high.min(ratios().fold(0.0, f64::max));
            let low = if symmetric {
                // The Rayleigh quotient is a sharper bound, valid only for symmetric matrices.
                let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
                dot(&x, &y) / dot(&x, &x)
            } else {
                ratios().fold(f64::INFINITY, f64::min)
            };
            growth.low = growth.low.max(low).min(growth.high);
            if growth.high < limit || growth.high - growth.low <= 1e-6 * growth.high {
                break;
            }
            // A + I has no eigenvalue of the same magnitude and opposite sign, so its powers converge.
            x.iter_mut().zip(&y).for_each(|(x, y)| *x += y);
            let top = x.iter().fold(0.0, |a: f64, b| a.max(*b));
            // Entries of slower components must stay above 0; the bounds hold for any positive vector.
            x.iter_mut().for_each(|x| *x = (*x / top).max(1e-250));
        }
        growth
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_of_paths_cycles_and_stars() {
        let of = |n: usize, edges: &[(usize, usize)], limit: f64| {
            Growth::of(n, true, limit, |x, y| {
                y.fill(0.0);
                for &(a, b) in edges {
                    y[a] += x[b];
                    y[b] += x[a];
                }
            })
        };
        let path: Vec<_> = (1..9).map(|i| (i - 1, i)).collect();
        let exact = 2.0 * (std::f64::consts::PI / 10.0).cos();
        let found = of(9, &path, 0.0);
        assert!(found.low <= exact && exact <= found.high && found.high - found.low < 3e-6, "{found:?}");
        // The degrees alone show that it is below the limit.
        assert_eq!(of(9, &path, 2.5).high, 2.0);
        let star: Vec<_> = (1..17).map(|i| (0, i)).collect();
        let found = of(17, &star, 0.0);
        assert!(found.low <= 4.0 + 1e-12 && 4.0 <= found.high && found.high < 4.00001, "{found:?}");
        assert_eq!(of(3, &[], 0.0), Growth { low: 0.0, high: 0.0 });
    }

    #[test]
    fn acyclic_graphs_do_not_grow() {
        let found = Growth::of(3, false, 0.01, |x, y| {
            y.copy_from_slice(&[x[1] + x[2], x[2], 0.0]);
        });
        assert!(found.high < 0.01, "{found:?}");
    }
}
