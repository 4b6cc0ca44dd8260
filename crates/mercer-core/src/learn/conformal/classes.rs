//! How strange each class is for an object.

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
/// u, the [`Chance::class`] of the object, randomises whether the class at the boundary is in the set: without it (u = 1)
/// sets hold the true class too often. It must be the same number for every fold's model: the mean over models with
/// numbers of their own is hardly random.
///
/// ```
/// use mercer_core::learn::conformal::ClassScore;
/// let logs = [0.7f64.ln(), 0.2f64.ln(), 0.1f64.ln()];
/// let scores = ClassScore::LeastAmbiguous.scores(&logs, 0.5);
/// assert!((scores[0] + 0.7f64.ln()).abs() < 1e-12);
/// let adaptive = ClassScore::Adaptive.scores(&logs, 0.5);
/// assert!((adaptive[0] - 0.35).abs() < 1e-12 && (adaptive[1] - 0.8).abs() < 1e-12);
/// ```
///
/// [`Chance::class`]: super::Chance::class
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
    /// The score of each class, from the logarithms of their probabilities up to a constant, and u of the object, from 0
    /// to 1. A class with -∞, which the model does not know, has the score ∞. Time O(c log c) for c classes.
    pub fn scores(self, logs: &[f64], u: f64) -> Vec<f64> {
        match self {
            ClassScore::LeastAmbiguous => (0..logs.len()).map(|y| surprise(logs, y)).collect(),
            ClassScore::Adaptive => adaptive(logs, u, 0.0),
            ClassScore::Regularized => adaptive(logs, u, PENALTY),
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

fn adaptive(logs: &[f64], u: f64, penalty: f64) -> Vec<f64> {
    let mut order: Vec<usize> = (0..logs.len()).collect();
    order.sort_by(|&a, &b| logs[b].total_cmp(&logs[a]).then(a.cmp(&b)));
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
