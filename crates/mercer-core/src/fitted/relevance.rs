//! Weights of coordinates, learned by leave-one-out kernel regression.
//!
//! For the kernel k(x, y) = exp(-Σ_c v_c·δ(x_c, y_c)), δ the squared or the absolute difference, every object is predicted by
//! the mean of the others' targets weighted by the kernel, ŷ_i = Σ_j p_ij·y_j with p_ij = k_ij / Σ_(l≠i) k_il. The weights
//! v ≥ 0 climb the explained share R(v) = 1 - Σ_i |ŷ_i - y_i|² / Σ_i |y_i|² of the centred target (metric learning for kernel
//! regression: Weinberger & Tesauro 2007). Half of the objects give the gradient,
//!
//! ∂R/∂v_c = 2/Σ|y|² · Σ_ij p_ij·⟨ŷ_i - y_i, y_j - ŷ_i⟩·δ(x_ic, x_jc),
//!
//! and the other half judges: of all steps the weights with the largest share on objects that did not make them are kept, and
//! equal weights if no step does better. Small weights are switched off unless these objects lose significantly by it.
//! That is the guard against fitting noise, which costs nothing but half of the objects; a penalty would need a strength to be chosen.

use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::math;
use crate::parallel;
use crate::random::Random;

/// The difference of two coordinates in a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Difference {
    /// (x - y)².
    Squared,
    /// |x - y|.
    Absolute,
}

impl Difference {
    #[inline(always)]
    fn of(self, x: f64, y: f64) -> f64 {
        match self {
            Difference::Squared => (x - y) * (x - y),
            Difference::Absolute => (x - y).abs(),
        }
    }

    /// The factor of a coordinate that multiplies its difference by a weight.
    pub fn factor(self, weight: f64) -> f64 {
        match self {
            Difference::Squared => weight.sqrt(),
            Difference::Absolute => weight,
        }
    }
}

/// The target of relevance.
#[derive(Clone, Copy, Debug)]
pub enum RelevanceTarget<'a> {
    /// The class of each object, and the number of classes.
    Classes(&'a [usize], usize),
    /// A number for each object.
    Numbers(&'a [f64]),
}

/// Weights of coordinates, and what they were learned from.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedWeights {
    /// The weight of each coordinate's difference; 0 for those that are switched off.
    pub weights: Vec<f64>,
    /// The explained share of the target with equal weights, on the objects that judge.
    pub before: f64,
    /// The explained share with the weights, on them.
    pub after: f64,
    /// The steps that were made up to these weights.
    pub steps: usize,
}

/// Objects used at most, half of them to learn and half to judge.
const MOST: usize = 600;
/// Fewer objects than this keep equal weights.
const LEAST: usize = 12;
/// A weight below this share of the largest is set to 0.
const OFF: f64 = 0.01;
/// Weights below one of these shares of the largest are set to 0 unless the objects that judge lose significantly by it.
const TRIED: [f64; 4] = [0.2, 0.1, 0.05, 0.02];
/// The largest t of a growth of errors that is not significant at 5 %, one-sided.
const CHANCE: f64 = 1.645;

/// Learns weights of the coordinates of `x`, which should have a common scale, in at most `steps` steps.
///
/// The objects that learn and those that judge are drawn with a fixed seed, so equal objects give equal weights.
///
/// ```
/// use mercer_core::data::Dense;
/// use mercer_core::fitted::relevance::{Difference, RelevanceTarget, learn};
/// let x: Vec<[f64; 2]> = (0..80).map(|i| [f64::from(i % 2), f64::from(i * 37 % 11) / 5.0 - 1.0]).collect();
/// let classes: Vec<usize> = (0..80).map(|i| i % 2).collect();
/// let learned = learn(&Dense::from_rows(&x), RelevanceTarget::Classes(&classes, 2), Difference::Squared, 50)?;
/// assert!(learned.weights[0] > 0.0 && learned.weights[1] == 0.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn learn(
    x: &Dense,
    target: RelevanceTarget<'_>,
    difference: Difference,
    steps: usize,
) -> Result<LearnedWeights> {
    let (n, d) = (x.rows(), x.cols());
    let equal = vec![1.0 / d.max(1) as f64; d];
    let nothing = LearnedWeights { weights: equal.clone(), before: 0.0, after: 0.0, steps: 0 };
    if let Some((row, _)) = x.find_non_finite() {
        return Err(Error::Object { index: row, reason: "holds NaN or infinity".into(), hint: None });
    }
    if n < LEAST || d == 0 {
        return Ok(nothing);
    }
    // Tables are often in the order of their classes.
    let mut chosen: Vec<usize> = (0..n).collect();
    Random::new(0).shuffle(&mut chosen);
    chosen.truncate(MOST);
    let half = |of: usize| chosen.iter().copied().skip(of).step_by(2).collect::<Vec<_>>();
    let (Some(own), Some(judge)) =
        (Part::of(x, target, &half(0), difference)?, Part::of(x, target, &half(1), difference)?)
    else {
        return Ok(nothing);
    };
    let before = judge.share(&equal)?;
    let mut best = LearnedWeights { before, after: before, ..nothing };
    let mut weights = equal;
    let (mut value, mut gradient) = own.gradient(&weights)?;
    let mut length = 0.5 / d as f64;
    for step in 1..=steps {
        let steepest = gradient.iter().fold(0.0f64, |most, g| most.max(g.abs()));
        if steepest == 0.0 || !steepest.is_finite() {
            break;
        }
        let mut climbed = false;
        for _ in 0..12 {
            budget::check()?;
            let moved = |(v, g): (&f64, &f64)| (v + length * g / steepest).max(0.0);
            let next: Vec<f64> = weights.iter().zip(&gradient).map(moved).collect();
            let (higher, slope) = own.gradient(&next)?;
            if higher > value {
                (weights, value, gradient, climbed) = (next, higher, slope, true);
                length *= 1.5;
                break;
            }
            length *= 0.3;
        }
        if !climbed {
            break;
        }
        let after = judge.share(&weights)?;
        if after > best.after && weights.iter().any(|v| *v > 0.0) {
            best = LearnedWeights { weights: weights.clone(), before, after, steps: step };
        }
    }
    let with_all = judge.errors(&best.weights)?;
    for share in TRIED {
        let weights = switched_off(&best.weights, share);
        let without = judge.errors(&weights)?;
        if weights != best.weights && hardly_more(&with_all, &without) {
            best = LearnedWeights { weights, after: judge.explained(&without), ..best };
            break;
        }
    }
    best.weights = switched_off(&best.weights, OFF);
    Ok(best)
}

/// The weights without those below a share of the largest.
fn switched_off(weights: &[f64], share: f64) -> Vec<f64> {
    let largest = weights.iter().fold(0.0f64, |most, v| most.max(*v));
    weights.iter().map(|&v| if v < share * largest { 0.0 } else { v }).collect()
}

/// Whether the errors of the same objects do not grow significantly, by a paired t test: one or two objects near a border of
/// classes that are predicted worse by chance do not count.
fn hardly_more(before: &[f64], after: &[f64]) -> bool {
    let n = before.len() as f64;
    let growth: Vec<f64> = before.iter().zip(after).map(|(b, a)| a - b).collect();
    let mean = growth.iter().sum::<f64>() / n;
    let spread: f64 = growth.iter().map(|g| (g - mean) * (g - mean)).sum();
    mean <= CHANCE * (spread / (n * (n - 1.0).max(1.0))).sqrt()
}

/// Some objects and their centred target.
struct Part {
    x: Dense,
    /// The centred target: indicators of classes, or numbers.
    y: Dense,
    /// Σ|y|².
    squares: f64,
    difference: Difference,
}

impl Part {
    /// `None` where all objects have the same target.
    fn of(
        x: &Dense,
        target: RelevanceTarget<'_>,
        rows: &[usize],
        difference: Difference,
    ) -> Result<Option<Self>> {
        let width = match target {
            RelevanceTarget::Classes(_, count) => count,
            RelevanceTarget::Numbers(_) => 1,
        };
        let mut y = Dense::zeros(rows.len(), width);
        for (i, &row) in rows.iter().enumerate() {
            match target {
                RelevanceTarget::Classes(codes, _) => y.row_mut(i)[codes[row]] = 1.0,
                RelevanceTarget::Numbers(numbers) => y.row_mut(i)[0] = numbers[row],
            }
        }
        let largest = y.values().iter().fold(0.0f64, |most, v| most.max(v.abs()));
        if largest == 0.0 || !largest.is_finite() {
            return Ok(None);
        }
        for k in 0..width {
            let mean = (0..rows.len()).map(|i| y.at(i, k) / largest).sum::<f64>() / rows.len() as f64;
            (0..rows.len()).for_each(|i| y.row_mut(i)[k] = y.at(i, k) / largest - mean);
        }
        let squares: f64 = y.values().iter().map(|v| v * v).sum();
        let part = Part { x: x.select(rows), y, squares, difference };
        Ok((squares > 1e-12 * rows.len() as f64).then_some(part))
    }

    fn len(&self) -> usize {
        self.x.rows()
    }

    /// The shares p_ij of the others in the prediction of object i, and the prediction minus its target.
    ///
    /// The largest exponent is subtracted: an object far from all others is predicted by the nearest.
    fn predicted(&self, weights: &[f64], i: usize) -> (Vec<f64>, Vec<f64>) {
        let own = self.x.row(i);
        let exponent = |j: usize| {
            let terms = weights.iter().zip(own).zip(self.x.row(j));
            -terms.map(|((v, a), b)| v * self.difference.of(*a, *b)).sum::<f64>()
        };
        let mut shares: Vec<f64> = (0..self.len()).map(exponent).collect();
        shares[i] = f64::NEG_INFINITY;
        let most = shares.iter().fold(f64::NEG_INFINITY, |most, v| most.max(*v));
        math::vectorised(
            #[inline(always)]
            || shares.iter_mut().for_each(|v| *v = math::exp(*v - most)),
        );
        shares[i] = 0.0;
        let total: f64 = shares.iter().sum();
        shares.iter_mut().for_each(|v| *v /= total);
        let mut residual: Vec<f64> = self.y.row(i).iter().map(|v| -v).collect();
        for (j, share) in shares.iter().enumerate() {
            residual.iter_mut().zip(self.y.row(j)).for_each(|(r, y)| *r += share * y);
        }
        (shares, residual)
    }

    /// The explained share of the target.
    fn share(&self, weights: &[f64]) -> Result<f64> {
        Ok(self.explained(&self.errors(weights)?))
    }

    /// The explained share of the target, from the squared error of each object.
    fn explained(&self, errors: &[f64]) -> f64 {
        1.0 - errors.iter().sum::<f64>() / self.squares
    }

    /// The squared error of each object, predicted from the others.
    fn errors(&self, weights: &[f64]) -> Result<Vec<f64>> {
        let row = |i: usize| {
            if budget::is_spent_after(self.len() * weights.len()) {
                return 0.0;
            }
            self.predicted(weights, i).1.iter().map(|r| r * r).sum::<f64>()
        };
        let errors = parallel::map_at_least(self.len(), 4, row);
        budget::check()?;
        Ok(errors)
    }

    /// The explained share, and its derivative by each weight.
    fn gradient(&self, weights: &[f64]) -> Result<(f64, Vec<f64>)> {
        let row = |i: usize| {
            let mut own = vec![0.0; weights.len()];
            if budget::is_spent_after(self.len() * weights.len()) {
                return (0.0, own);
            }
            let (shares, residual) = self.predicted(weights, i);
            for (j, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                // y_j - ŷ_i, with ŷ_i = residual + y_i.
                let apart = self.y.row(j).iter().zip(self.y.row(i)).zip(&residual);
                let slope = share * apart.map(|((other, own), r)| r * (other - own - r)).sum::<f64>();
                for ((g, a), b) in own.iter_mut().zip(self.x.row(i)).zip(self.x.row(j)) {
                    *g += slope * self.difference.of(*a, *b);
                }
            }
            (residual.iter().map(|r| r * r).sum::<f64>(), own)
        };
        let (mut left, mut gradient) = (0.0, vec![0.0; weights.len()]);
        for (one, own) in parallel::map_at_least(self.len(), 4, row) {
            left += one;
            gradient.iter_mut().zip(own).for_each(|(all, one)| *all += 2.0 / self.squares * one);
        }
        budget::check()?;
        Ok((1.0 - left / self.squares, gradient))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Vectors;
    use crate::gram::Engine;
    use crate::kernel::vector::{Laplacian, Rbf};
    use crate::random::Random;

    fn data(n: usize, d: usize, seed: u64) -> (Dense, Vec<usize>, Vec<f64>) {
        let mut random = Random::new(seed);
        let x = Dense::new(n, d, (0..n * d).map(|_| random.normal()).collect()).unwrap();
        let y: Vec<f64> =
            (0..n).map(|i| (2.0 * x.at(i, 0)).sin() + x.at(i, 1) + 0.1 * random.normal()).collect();
        let classes = y.iter().map(|v| usize::from(*v > 0.0) + usize::from(*v > 1.0)).collect();
        (x, classes, y)
    }

    /// The explained share from a Gram matrix of the library's kernels, and the derivative by differences.
    #[test]
    fn share_and_gradient_are_those_of_the_formula() {
        let (x, classes, y) = data(30, 4, 1);
        let rows: Vec<usize> = (0..30).collect();
        let weights = [0.3, 0.1, 0.0, 0.7];
        for difference in [Difference::Squared, Difference::Absolute] {
            for target in [RelevanceTarget::Classes(&classes, 3), RelevanceTarget::Numbers(&y)] {
                let part = Part::of(&x, target, &rows, difference).unwrap().unwrap();
                let mut scaled = x.clone();
                for i in 0..30 {
                    let row = scaled.row_mut(i).iter_mut();
                    row.zip(weights).for_each(|(v, w)| *v *= difference.factor(w));
                }
                let vectors = Vectors::from(scaled);
                let gram = match difference {
                    Difference::Squared => Engine::new().gram(&Rbf::new(1.0).unwrap(), &vectors).unwrap(),
                    Difference::Absolute => {
                        Engine::new().gram(&Laplacian::new(1.0).unwrap(), &vectors).unwrap()
                    }
                };
                let (mut left, mut all) = (0.0, 0.0);
                for k in 0..part.y.cols() {
                    for i in 0..30 {
                        let others = || (0..30).filter(|&j| j != i);
                        let total: f64 = others().map(|j| gram.at(i, j)).sum();
                        let predicted =
                            others().map(|j| gram.at(i, j) * part.y.at(j, k)).sum::<f64>() / total;
                        left += (predicted - part.y.at(i, k)).powi(2);
                        all += part.y.at(i, k).powi(2);
                    }
                }
                let want = 1.0 - left / all;
                let (value, gradient) = part.gradient(&weights).unwrap();
                assert!((value - want).abs() < 1e-10, "{value} {want}");
                assert!((value - part.share(&weights).unwrap()).abs() < 1e-12);
                for c in 0..4 {
                    let moved = |by: f64| {
                        let mut other = weights;
                        other[c] += by;
                        part.share(&other).unwrap()
                    };
                    let slope = (moved(1e-6) - moved(-1e-6)) / 2e-6;
                    assert!(
                        (gradient[c] - slope).abs() < 1e-6 * (1.0 + slope.abs()),
                        "{c}: {} {slope}",
                        gradient[c]
                    );
                }
            }
        }
    }

    /// A column that matters in a way no straight line sees is kept next to one that a line sees.
    #[test]
    fn noise_is_switched_off_and_what_matters_is_kept() {
        let (x, classes, y) = data(300, 8, 2);
        for target in [RelevanceTarget::Classes(&classes, 3), RelevanceTarget::Numbers(&y)] {
            for difference in [Difference::Squared, Difference::Absolute] {
                let learned = learn(&x, target, difference, 50).unwrap();
                assert!(learned.after > learned.before + 0.05, "{learned:?}");
                let least = learned.weights[0].min(learned.weights[1]);
                assert!(learned.weights[2..].iter().all(|v| *v < 0.5 * least), "{learned:?}");
                assert!(learned.weights[2..].contains(&0.0), "{learned:?}");
            }
        }
    }

    #[test]
    fn nothing_to_learn_keeps_equal_weights() {
        let (x, _, _) = data(60, 3, 3);
        let equal = [1.0 / 3.0; 3];
        let one = vec![0; 60];
        let learned = learn(&x, RelevanceTarget::Classes(&one, 1), Difference::Squared, 50).unwrap();
        assert_eq!((learned.weights.as_slice(), learned.steps), (&equal[..], 0));
        let constant = vec![7.5; 60];
        assert_eq!(
            learn(&x, RelevanceTarget::Numbers(&constant), Difference::Squared, 50).unwrap().weights,
            equal
        );
        let few = x.select(&[0, 1, 2]);
        let learned =
            learn(&few, RelevanceTarget::Numbers(&[1.0, 2.0, 3.0]), Difference::Absolute, 50).unwrap();
        assert_eq!(learned.weights, equal);
        let bad = Dense::from_rows(&[[f64::NAN]]);
        assert!(learn(&bad, RelevanceTarget::Numbers(&[1.0]), Difference::Squared, 50).is_err());
    }

    /// Without any signal the weights that are kept are hardly better than equal ones on objects that judged them.
    #[test]
    fn noise_alone_is_not_trusted() {
        let mut gained = 0.0;
        for seed in 0..6 {
            let (x, _, _) = data(200, 6, 50 + seed);
            let mut random = Random::new(seed);
            let y: Vec<f64> = (0..200).map(|_| random.normal()).collect();
            let learned = learn(&x, RelevanceTarget::Numbers(&y), Difference::Squared, 50).unwrap();
            gained += learned.after - learned.before;
        }
        assert!(gained / 6.0 < 0.05, "{gained}");
    }
}
