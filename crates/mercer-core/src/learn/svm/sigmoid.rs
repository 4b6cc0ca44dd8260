//! Platt's sigmoid: converting decision values to probabilities.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

/// P(positive | f) = 1 / (1 + exp(a·f + b)): a probability from the decision value of a binary classifier.
///
/// ```
/// use mercer_core::learn::svm::Sigmoid;
/// let sigmoid = Sigmoid { a: -2.0, b: 0.0 };
/// assert_eq!(sigmoid.probability(0.0), 0.5);
/// assert!(sigmoid.probability(3.0) > 0.99 && sigmoid.probability(-1e300) == 0.0);
/// ```
///
/// Reference: Platt 1999; Lin, Lin & Weng 2007.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Sigmoid {
    /// The slope: negative if larger decision values indicate the positive class.
    pub a: f64,
    /// The shift.
    pub b: f64,
}

/// The maximum number of Newton steps; fewer than ten are usual.
const STEPS: usize = 100;
/// The gradient, per unit of weight, below which the iteration stops.
const FLAT: f64 = 1e-10;
/// Added to the Hessian's diagonal, which is singular if all decision values are equal.
const RIDGE: f64 = 1e-12;
/// The shortest step tried.
const SHORTEST: f64 = 1e-10;

impl Sigmoid {
    /// The probability of the positive class.
    pub fn probability(&self, decision: f64) -> f64 {
        logistic(-self.exponent(decision))
    }

    /// The probabilities of the negative and the positive class. Each is accurate even if it is tiny.
    pub(super) fn both(&self, decision: f64) -> [f64; 2] {
        let z = self.exponent(decision);
        [logistic(z), logistic(-z)]
    }

    /// The logarithm of the probability of the positive class, finite for any finite decision value.
    pub(super) fn log_probability(&self, decision: f64) -> f64 {
        -softplus(self.exponent(decision))
    }

    fn exponent(&self, decision: f64) -> f64 {
        (self.a * decision + self.b).clamp(-1e300, 1e300)
    }

    /// The maximum-likelihood sigmoid for the signs (above 0 positive) of objects with these finite decision values.
    ///
    /// Minimises the cross-entropy Σ w_i·(t_i·log(1 + e^z_i) + (1 - t_i)·log(1 + e^-z_i)) with z = a·f + b, by Newton's
    /// method with backtracking. The targets t are not 0 and 1 but corrected by a uniform prior, 1/(N₋ + 2) and (N₊ +
    /// 1)/(N₊ + 2) for N₋ and N₊ objects, so that separable classes have a finite sigmoid too. A step costs one pass
    /// over the objects.
    pub(super) fn fit(decisions: &[f64], signs: &[f64], weights: &[f64]) -> Self {
        // Values are shifted and scaled to ±1: the Hessian is then as well conditioned as the data allow, and the
        // limits suit any kernel. Differences too small for a finite slope count as none.
        let bounds =
            decisions.iter().fold((f64::MAX, -f64::MAX), |(low, high), &f| (low.min(f), high.max(f)));
        let (middle, reach) = (0.5 * bounds.0 + 0.5 * bounds.1, 0.5 * bounds.1 - 0.5 * bounds.0);
        let scale = if reach > 1e-290 { reach } else { 1.0 };
        let count = |side: f64| {
            signs.iter().zip(weights).filter(|(s, _)| **s * side > 0.0).map(|(_, w)| w).sum::<f64>()
        };
        let (positive, negative) = (count(1.0), count(-1.0));
        let (high, low) = ((positive + 1.0) / (positive + 2.0), 1.0 / (negative + 2.0));
        let samples: Vec<Sample> = decisions
            .iter()
            .zip(signs)
            .zip(weights)
            .map(|((f, s), w)| Sample {
                f: (f - middle) / scale,
                target: if *s > 0.0 { high } else { low },
                weight: *w,
            })
            .collect();
        let flat = FLAT * (positive + negative);
        let (mut a, mut b) = (0.0, ((negative + 1.0) / (positive + 1.0)).ln());
        let mut value = entropy(&samples, a, b);
        for _ in 0..STEPS {
            let Slope { g, h } = slope(&samples, a, b);
            if g[0].abs() <= flat && g[1].abs() <= flat {
                break;
            }
            let determinant = h[0] * h[2] - h[1] * h[1];
            let da = -(h[2] * g[0] - h[1] * g[1]) / determinant;
            let db = -(h[0] * g[1] - h[1] * g[0]) / determinant;
            let descent = g[0] * da + g[1] * db;
            let mut step = 1.0;
            while step >= SHORTEST {
                let (na, nb) = (a + step * da, b + step * db);
                let next = entropy(&samples, na, nb);
                if next < value + 1e-4 * step * descent {
                    (a, b, value) = (na, nb, next);
                    break;
                }
                step *= 0.5;
            }
            if step < SHORTEST {
                // Rounding prevents further progress.
                break;
            }
        }
        Sigmoid { a: a / scale, b: b - a * (middle / scale) }
    }
}

struct Sample {
    f: f64,
    target: f64,
    weight: f64,
}

/// The gradient, and the Hessian as its entries aa, ab, bb.
struct Slope {
    g: [f64; 2],
    h: [f64; 3],
}

fn entropy(samples: &[Sample], a: f64, b: f64) -> f64 {
    let one = |s: &Sample| {
        let z = a * s.f + b;
        // t·log(1 + e^z) + (1 - t)·log(1 + e^-z), and log(1 + e^z) = z + log(1 + e^-z).
        s.weight * (softplus(-z) + s.target * z)
    };
    samples.iter().map(one).sum()
}

fn slope(samples: &[Sample], a: f64, b: f64) -> Slope {
    let mut out = Slope { g: [0.0; 2], h: [RIDGE, 0.0, RIDGE] };
    for s in samples {
        let z = a * s.f + b;
        let (p, q) = (logistic(-z), logistic(z));
        let (first, second) = (s.weight * (s.target - p), s.weight * p * q);
        out.g[0] += s.f * first;
        out.g[1] += first;
        out.h[0] += s.f * s.f * second;
        out.h[1] += s.f * second;
        out.h[2] += second;
    }
    out
}

/// 1 / (1 + e^-z) without overflow.
fn logistic(z: f64) -> f64 {
    let e = (-z.abs()).exp();
    if z >= 0.0 { 1.0 / (1.0 + e) } else { e / (1.0 + e) }
}

/// log(1 + e^z) without overflow.
fn softplus(z: f64) -> f64 {
    z.max(0.0) + (-z.abs()).exp().ln_1p()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The cross-entropy as in the paper, with its prior-corrected targets.
    fn loss(decisions: &[f64], signs: &[f64], a: f64, b: f64) -> f64 {
        let n = |side: f64| signs.iter().filter(|s| **s == side).count() as f64;
        let (high, low) = ((n(1.0) + 1.0) / (n(1.0) + 2.0), 1.0 / (n(-1.0) + 2.0));
        decisions
            .iter()
            .zip(signs)
            .map(|(f, s)| {
                let (t, p) = (if *s > 0.0 { high } else { low }, 1.0 / (1.0 + (a * f + b).exp()));
                -(t * p.ln() + (1.0 - t) * (1.0 - p).ln())
            })
            .sum()
    }

    /// A slow derivative-free optimiser: ever smaller steps in eight directions.
    fn naive(decisions: &[f64], signs: &[f64]) -> (f64, f64) {
        let (mut at, mut step) = ((0.0, 0.0), 1.0);
        let mut best = loss(decisions, signs, 0.0, 0.0);
        while step > 1e-9 {
            let tries = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)];
            let next = tries
                .iter()
                .map(|&(x, y)| (at.0 + step * f64::from(x), at.1 + step * f64::from(y)))
                .map(|(a, b)| (loss(decisions, signs, a, b), (a, b)))
                .min_by(|x, y| x.0.total_cmp(&y.0))
                .unwrap();
            if next.0 < best { (best, at) = next } else { step *= 0.5 }
        }
        at
    }

    #[test]
    fn agrees_with_a_naive_optimiser() {
        let f = [-2.1, -1.4, -1.0, -0.3, 0.2, 0.4, -0.1, 0.6, 1.1, 1.3, 1.9, 2.5];
        let y = [-1.0, -1.0, -1.0, -1.0, -1.0, 1.0, 1.0, -1.0, 1.0, 1.0, 1.0, 1.0];
        let (a, b) = naive(&f, &y);
        // scikit-learn 1.9.1, sklearn.calibration._sigmoid_calibration, which minimises the same to about 1e-6.
        assert!((a + 1.1145289).abs() < 1e-5 && (b - 0.3043144).abs() < 1e-5, "{a} {b}");
        let fitted = Sigmoid::fit(&f, &y, &[1.0; 12]);
        assert!((fitted.a - a).abs() < 1e-6 && (fitted.b - b).abs() < 1e-6, "{fitted:?} vs. {a} {b}");
        // The scale of the decision values does not matter.
        let large: Vec<f64> = f.iter().map(|f| f * 1e9).collect();
        let other = Sigmoid::fit(&large, &y, &[1.0; 12]);
        assert!((other.a * 1e9 - a).abs() < 1e-6 && (other.b - b).abs() < 1e-6);
    }

    #[test]
    fn extreme_and_equal_decisions_are_finite() {
        let y = [-1.0, 1.0, 1.0, -1.0];
        for f in [
            [-1e6, 1e6, 1e6, -1e6],
            [1e6, -1e6, 1e6, -1e6],
            [0.0; 4],
            [7.0; 4],
            [1e308, -1e308, 1e-308, 0.0],
            [1e9 + 1.0, 1e9 + 2.0, 1e9 + 3.0, 1e9],
            [1e-308, -1e-308, 0.0, 0.0],
        ] {
            let fitted = Sigmoid::fit(&f, &y, &[1.0; 4]);
            assert!(fitted.a.is_finite() && fitted.b.is_finite(), "{f:?}: {fitted:?}");
            for d in [-f64::MAX, -1e6, 0.0, 1e6, f64::MAX] {
                let [q, p] = fitted.both(d);
                assert!((0.0..=1.0).contains(&p) && (p + q - 1.0).abs() < 1e-15, "{f:?}: {p} {q}");
                assert!(fitted.log_probability(d).is_finite());
            }
        }
        // Constant decision values give the class frequencies, shrunk to the middle by the prior.
        let fitted = Sigmoid::fit(&[3.0; 4], &[1.0, 1.0, 1.0, -1.0], &[1.0; 4]);
        let expected = (3.0 * (4.0 / 5.0) + 1.0 / 3.0) / 4.0;
        assert!((fitted.probability(3.0) - expected).abs() < 1e-9);
    }

    #[test]
    fn a_weight_equals_a_number_of_copies() {
        let (f, y, w) = ([-1.0, -0.2, 0.3, 0.1], [-1.0, 1.0, 1.0, -1.0], [1.0, 2.0, 1.0, 3.0]);
        let pick = |of: &[f64]| [0, 1, 1, 2, 3, 3, 3].map(|i: usize| of[i]);
        let (weighted, copied) = (Sigmoid::fit(&f, &y, &w), Sigmoid::fit(&pick(&f), &pick(&y), &[1.0; 7]));
        assert!((weighted.a - copied.a).abs() < 1e-8 && (weighted.b - copied.b).abs() < 1e-8);
    }

    proptest! {
        #[test]
        fn the_fit_is_a_local_minimum(
            data in prop::collection::vec((-5.0f64..5.0, any::<bool>()), 2..40),
        ) {
            let f: Vec<f64> = data.iter().map(|d| d.0).collect();
            let y: Vec<f64> = data.iter().map(|d| if d.1 { 1.0 } else { -1.0 }).collect();
            let Sigmoid { a, b } = Sigmoid::fit(&f, &y, &vec![1.0; f.len()]);
            let best = loss(&f, &y, a, b);
            for (da, db) in [(1e-3, 0.0), (-1e-3, 0.0), (0.0, 1e-3), (0.0, -1e-3)] {
                prop_assert!(loss(&f, &y, a + da, b + db) >= best - 1e-12);
            }
        }
    }
}
