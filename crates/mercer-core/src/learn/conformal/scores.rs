//! The scores of calibration objects, and the p-values and intervals that follow from them.

use crate::error::{Error, Result};

/// Ranks are rounded after this much is taken away, so that 0.9 · 10 is 9 for every way to compute it.
const ROUNDING: f64 = 1e-9;

/// The scores of calibration objects, by stratum and by the fold whose model scored them.
///
/// With one fold this is split conformal prediction: the model was fitted to other objects, and a set or interval holds
/// the true value of a new object with a probability of at least 1 - α. With several folds it is cross-conformal
/// prediction (CV+; jackknife+ with a fold for every object): each calibration object is scored by the model that was
/// fitted without its fold, and a new object by all of these models. The probability is then at least 1 - 2α, and about
/// 1 - α unless the models differ much. Within a stratum (Mondrian prediction: a class, or a group of objects) the same
/// holds for its objects alone.
///
/// Order of calibration objects does not matter. Memory O(n); p-values take O(folds · log n), intervals O(n).
///
/// ```
/// use mercer_core::learn::conformal::CalibrationScores;
/// let scores = CalibrationScores::new(&[0.3, 0.1, 0.2, 0.4], &[0; 4], &[0; 4])?;
/// // Two of four calibration objects are at least as strange as 0.25, and so is the new object itself.
/// assert_eq!(scores.p_value(0, 1.0, |_| 0.25), 3.0 / 5.0);
/// assert_eq!(scores.interval(0, 0.8, |_| (10.0, 1.0)), (9.6, 10.4));
/// // Four objects cannot give a confidence of 0.9.
/// assert_eq!(scores.interval(0, 0.9, |_| (10.0, 1.0)), (f64::NEG_INFINITY, f64::INFINITY));
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// R. F. Barber, E. J. Candès, A. Ramdas and R. J. Tibshirani, *Predictive inference with the jackknife+*, Annals of
/// Statistics 49, 2021; V. Vovk, *Cross-conformal predictors*, Annals of Mathematics and Artificial Intelligence 74, 2015.
#[derive(Clone, Debug, PartialEq)]
pub struct CalibrationScores {
    strata: Vec<Stratum>,
}

/// The scores of one stratum: the folds in it, and the scores of each, ascending.
#[derive(Clone, Debug, Default, PartialEq)]
struct Stratum {
    folds: Vec<(usize, Vec<f64>)>,
    objects: usize,
}

impl CalibrationScores {
    /// The score, the fold and the stratum of each calibration object. Scores may be infinite, not NaN.
    pub fn new(scores: &[f64], folds: &[usize], strata: &[usize]) -> Result<Self> {
        let n = scores.len();
        for (name, len) in [("folds", folds.len()), ("strata", strata.len())] {
            if len != n {
                return Err(Error::Shape {
                    expected: format!("{name} of {n} objects"),
                    found: len.to_string(),
                });
            }
        }
        if let Some(row) = scores.iter().position(|s| s.is_nan()) {
            return Err(Error::NonFinite { row, col: 0, overflow: false });
        }
        let mut order: Vec<usize> = (0..n).collect();
        let key = |i: usize| (strata[i], folds[i]);
        order.sort_by(|&a, &b| key(a).cmp(&key(b)).then(scores[a].total_cmp(&scores[b])));
        let mut all: Vec<Stratum> = Vec::new();
        for i in order {
            if strata[i] >= n {
                return Err(Error::usage(
                    "strata are numbered from 0, and there are at most as many as objects",
                ));
            }
            all.resize_with(all.len().max(strata[i] + 1), Stratum::default);
            let own = &mut all[strata[i]];
            own.objects += 1;
            match own.folds.last_mut() {
                Some((fold, scores_of)) if *fold == folds[i] => scores_of.push(scores[i]),
                _ => own.folds.push((folds[i], vec![scores[i]])),
            }
        }
        Ok(CalibrationScores { strata: all })
    }

    /// The number of calibration objects of a stratum.
    pub fn objects(&self, stratum: usize) -> usize {
        self.strata.get(stratum).map_or(0, |s| s.objects)
    }

    /// The share of calibration objects of a stratum, and of the new object itself, whose scores are above the new one's,
    /// with a part of those that are equal: (1 + #{i: s_i > s} + tie · #{i: s_i = s}) / (n + 1). `score` gives the score
    /// of the new value by the model of each fold, `tie` is a random number of the object from 0 to 1; 1 counts all ties,
    /// so that sets are larger than they need to be where many scores are equal, as with shares of neighbours. It is 1 in
    /// a stratum without calibration objects, so that nothing is left out there.
    pub fn p_value(&self, stratum: usize, tie: f64, score: impl Fn(usize) -> f64) -> f64 {
        let Some(own) = self.strata.get(stratum) else { return 1.0 };
        let (mut above, mut equal) = (0, 0);
        for (fold, known) in &own.folds {
            let new = score(*fold);
            let from = known.partition_point(|s| *s < new);
            let to = from + known[from..].partition_point(|s| *s <= new);
            above += known.len() - to;
            equal += to - from;
        }
        (1.0 + above as f64 + tie * equal as f64) / (1 + own.objects) as f64
    }

    /// Whether a value with this p-value belongs to the set of this confidence: p > 1 - confidence.
    pub fn is_included(p_value: f64, confidence: f64) -> bool {
        p_value > 1.0 - confidence + ROUNDING
    }

    /// The interval of a number: `model` gives the prediction and the scale of each fold's model for the new object.
    ///
    /// The upper end is the ⌈c (n + 1)⌉-th smallest of prediction + score · scale over calibration objects for a
    /// confidence c, the lower end the ⌈c (n + 1)⌉-th largest of prediction - score · scale. Both are infinite if there
    /// are fewer objects than that.
    pub fn interval(
        &self,
        stratum: usize,
        confidence: f64,
        model: impl Fn(usize) -> (f64, f64),
    ) -> (f64, f64) {
        let infinite = (f64::NEG_INFINITY, f64::INFINITY);
        let Some(own) = self.strata.get(stratum) else { return infinite };
        let Some(rank) = rank(own.objects, confidence) else { return infinite };
        if let [(fold, known)] = &own.folds[..] {
            let (centre, scale) = model(*fold);
            let reach = known[rank - 1] * scale;
            return (centre - reach, centre + reach);
        }
        let (mut low, mut high) = (Vec::with_capacity(own.objects), Vec::with_capacity(own.objects));
        for (fold, known) in &own.folds {
            let (centre, scale) = model(*fold);
            low.extend(known.iter().map(|s| centre - s * scale));
            high.extend(known.iter().map(|s| centre + s * scale));
        }
        let at = own.objects - rank;
        let (_, lower, _) = low.select_nth_unstable_by(at, f64::total_cmp);
        let (_, upper, _) = high.select_nth_unstable_by(rank - 1, f64::total_cmp);
        // The models of folds may differ so much that the ends cross.
        if *lower <= *upper { (*lower, *upper) } else { (*upper, *lower) }
    }

    /// The fewest calibration objects with which a value can be left out at this confidence: 9 for 0.9.
    pub fn fewest(confidence: f64) -> usize {
        let mut n = ((confidence / (1.0 - confidence)) - ROUNDING).ceil().max(1.0) as usize;
        while rank(n, confidence).is_none() && n < usize::MAX / 2 {
            n += 1;
        }
        n
    }
}

/// ⌈c (n + 1)⌉, if it is at most n.
fn rank(n: usize, confidence: f64) -> Option<usize> {
    let rank = (confidence * (n as f64 + 1.0) - ROUNDING).ceil().max(1.0);
    (rank <= n as f64).then_some(rank as usize)
}

/// Refuses a confidence that is not between 0 and 1.
pub fn check_confidence(confidence: f64) -> Result<()> {
    if confidence > 0.0 && confidence < 1.0 {
        return Ok(());
    }
    Err(Error::param("confidence", confidence, "between 0 and 1, both excluded, such as 0.9"))
}
