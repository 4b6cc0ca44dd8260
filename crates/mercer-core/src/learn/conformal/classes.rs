//! How strange each class is for an object.

use crate::random::Random;

/// The score of a class for an object, from the logarithms of the class probabilities a model gives, up to a constant.
///
/// With π the probabilities and r the rank of class y among them, from 1:
///
/// | score | formula | sets |
/// |---|---|---|
/// | [`LeastAmbiguous`](ClassScore::LeastAmbiguous) | -ln π_y | the smallest on average; may be empty |
/// | [`Adaptive`](ClassScore::Adaptive) | Σ_{π_c > π_y} π_c + u π_y | larger for ambiguous objects, with more even coverage |
/// | [`Regularized`](ClassScore::Regularized) | the same + 0.1 max(0, r - 1) | as adaptive, without improbable classes |
///
/// u between 0 and 1 makes coverage exact where the same class is certain for many objects. It is a hash of the
/// probabilities, not drawn: the same object always has the same set, in any order of objects, and coverage is still
/// guaranteed, because the score is a function of object and class.
///
/// ```
/// use mercer_core::learn::conformal::ClassScore;
/// let logs = [0.7f64.ln(), 0.2f64.ln(), 0.1f64.ln()];
/// let scores = ClassScore::LeastAmbiguous.scores(&logs);
/// assert!((scores[0] + 0.7f64.ln()).abs() < 1e-12);
/// let adaptive = ClassScore::Adaptive.scores(&logs);
/// assert!(adaptive[0] <= 0.7 && (0.7..=0.9).contains(&adaptive[1]) && adaptive[2] >= 0.9 - 1e-12);
/// ```
///
/// M. Sadinle, J. Lei and L. Wasserman, *Least ambiguous set-valued classifiers with bounded error levels*, JASA 114, 2019.
/// Y. Romano, M. Sesia and E. Candès, *Classification with valid and adaptive coverage*, NeurIPS 2020. A. Angelopoulos,
/// S. Bates, J. Malik and M. Jordan, *Uncertainty sets for image classifiers using conformal prediction*, ICLR 2021.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum ClassScore {
    /// The negative logarithm of the probability.
    #[default]
    LeastAmbiguous,
    /// The probability of all more probable classes, and a part of its own.
    Adaptive,
    /// The same, with a penalty for every rank after the first.
    Regularized,
}

/// The penalty of each rank after the first.
const PENALTY: f64 = 0.1;

impl ClassScore {
    /// The score of each class, from the logarithms of their probabilities up to a constant. A class with -∞, which the
    /// model does not know, has the score ∞. Time O(c log c) for c classes.
    pub fn scores(self, logs: &[f64]) -> Vec<f64> {
        match self {
            ClassScore::LeastAmbiguous => (0..logs.len()).map(|y| surprise(logs, y)).collect(),
            ClassScore::Adaptive => adaptive(logs, 0.0),
            ClassScore::Regularized => adaptive(logs, PENALTY),
        }
    }
}

/// -ln π_y without rounding a certain class to 0: ln Σ_c exp(l_c - l_y).
fn surprise(logs: &[f64], y: usize) -> f64 {
    let own = logs[y];
    if own == f64::NEG_INFINITY {
        return f64::INFINITY;
    }
    let largest = logs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if own == largest {
        let others = logs.iter().enumerate().filter(|(c, _)| *c != y).map(|(_, l)| (l - own).exp());
        return others.sum::<f64>().ln_1p();
    }
    (largest - own) + logs.iter().map(|l| (l - largest).exp()).sum::<f64>().ln()
}

fn adaptive(logs: &[f64], penalty: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..logs.len()).collect();
    order.sort_by(|&a, &b| logs[b].total_cmp(&logs[a]).then(a.cmp(&b)));
    let u = part_of(logs);
    let mut out = vec![f64::INFINITY; logs.len()];
    let mut before = 0.0;
    for (rank, &c) in order.iter().enumerate() {
        let share = (-surprise(logs, c)).exp();
        if logs[c] > f64::NEG_INFINITY {
            out[c] = before + u * share + penalty * rank as f64;
        }
        before += share;
    }
    out
}

/// A number between 0 and 1 that depends on the bits of all values.
fn part_of(values: &[f64]) -> f64 {
    let mix = |state: u64, v: &f64| Random::new(state ^ v.to_bits()).bits();
    Random::new(values.iter().fold(0, mix)).unit()
}
