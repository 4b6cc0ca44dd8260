//! The weighted mean of the predictions of several methods, as one more candidate.
//!
//! It is judged as every other method is, on test sets that nothing of it has seen: its weights for an outer split are chosen on
//! the held-out predictions for the other splits, without the objects of its test set. The final weights are chosen on all
//! held-out predictions.

mod weights;

use std::collections::HashSet;

use super::propose::Candidate;
use super::report::Trial;
use super::work::{Found, Work};
use crate::data::Target;
use crate::error::Result;
use crate::expression::{Expression, Learner};
use crate::select::search::Answers;
use crate::select::{Fold, OuterFold, Protocol};
use weights::{HeldOut, Share, Truth};

/// A method of a blend.
#[derive(Clone, Debug)]
pub struct BlendPart {
    /// Its weight; those of all sum to 1, the largest first.
    pub weight: f64,
    /// The kernel that was chosen most often for it.
    pub kernel: String,
    /// The learner that was chosen most often for it.
    pub learner: String,
    /// The factor of its class values: see [`BlendMember::sharpness`](crate::model::BlendMember::sharpness).
    pub(super) sharpness: f64,
    pub(super) candidate: Candidate,
    /// The configuration chosen most often.
    pub(super) usual: usize,
}

/// The blend of these trials with its scores on the same splits; none where it cannot be judged, or where one method is better than
/// any mean of several or has nothing to improve.
///
/// It is not judged with a single split, where there are no other held-out predictions; with leave-one-out, whose splits have
/// single objects; and with splits forward in time, where the others lie in the future.
pub(super) fn blend(work: &Work<'_>, trials: &[Trial]) -> Result<Option<Trial>> {
    let is_judged = !work.pooled && !matches!(work.split.outer, Protocol::Forward { .. });
    let is_done = |t: &Trial| t.summary.mean.is_some_and(|mean| work.score.is_perfect(mean));
    let Some(first) = trials.first().filter(|_| is_judged && !trials.iter().any(is_done)) else {
        return Ok(None);
    };
    let objects = &first.predictions.objects;
    let same: Vec<&Trial> = trials.iter().filter(|t| &t.predictions.objects == objects).collect();
    let target = work.target()?;
    let levels = match target {
        Target::Classes(classes) => classes.levels().to_vec(),
        Target::Numbers(_) => Vec::new(),
    };
    let truth = match target {
        Target::Classes(_) => Truth::Classes(&first.answers.truth, levels.len()),
        Target::Numbers(_) => Truth::Numbers(&first.answers.true_numbers),
    };
    let held = HeldOut {
        methods: same.iter().map(|t| t.values.as_slice()).collect(),
        truth,
        is_balanced: !levels.is_empty() && !work.score.counts_objects(),
    };
    let rows: Vec<usize> = (0..objects.len()).collect();
    let shares = held.shares(&rows)?;
    if shares.len() < 2 {
        return Ok(None);
    }
    let mut folds = Vec::with_capacity(work.split.nested.len());
    let mut chosen = Vec::with_capacity(work.split.nested.len());
    for (at, nested) in work.split.nested.iter().enumerate() {
        let (own, others) = rows_of(at, &first.predictions.split, objects);
        let shares = held.shares(&others)?;
        let prediction = held.mean(&shares, &own)?.prediction(&levels)?;
        let mut answers = Answers::new(target);
        answers.add(target, &nested.outer.test, &prediction)?;
        let test = nested.outer.test.clone();
        let fold = Fold { test, prediction, converged: true, no_margin: false, transductive: false };
        let score = answers.measure(work.score)?.value();
        folds.push(OuterFold { split: nested.outer.clone(), configuration: 0, inner: None, fold, score });
        chosen.push((sum(&shares, &same, |t| t.typical().0.to_owned()), Learner::blend().to_string()));
    }
    let part = |share: &Share| {
        let trial = same[share.method];
        let (kernel, learner) = trial.typical();
        BlendPart {
            weight: share.weight,
            kernel: kernel.to_owned(),
            learner: learner.to_owned(),
            sharpness: share.sharpness,
            candidate: trial.candidate.clone(),
            usual: trial.usual(),
        }
    };
    let parts: Vec<BlendPart> = shares.iter().map(part).collect();
    let kernel: Expression = sum(&shares, &same, |t| t.candidate.kernel.to_string()).parse()?;
    let reason = format!("the weighted mean of the predictions of {} methods", parts.len());
    let candidate = Candidate { kernel, learner: Learner::blend(), reason, simple: false };
    let of_members = |of: fn(&Trial) -> f64| shares.iter().map(|s| of(same[s.method])).sum::<f64>();
    let unconverged = shares.iter().map(|s| same[s.method].unconverged).sum();
    let found = Found { chosen, picked: Vec::new(), map: None, unconverged };
    let mut trial = work.trial(&candidate, same.len(), &folds, found)?;
    trial.seconds = of_members(|t| t.seconds);
    trial.summed = sum(&shares, &same, |t| t.typical().0.to_owned());
    trial.blend = parts;
    Ok(Some(trial))
}

/// The rows of a split, and those of other splits whose objects are not in its test set. Repeated splits test an object more than
/// once.
fn rows_of(split: usize, splits: &[usize], objects: &[usize]) -> (Vec<usize>, Vec<usize>) {
    let own: Vec<usize> = (0..splits.len()).filter(|&row| splits[row] == split).collect();
    let tested: HashSet<usize> = own.iter().map(|&row| objects[row]).collect();
    let others = (0..splits.len()).filter(|&row| splits[row] != split && !tested.contains(&objects[row]));
    let others = others.collect();
    (own, others)
}

/// The sum of kernels as text.
fn sum(shares: &[Share], trials: &[&Trial], kernel: impl Fn(&Trial) -> String) -> String {
    shares.iter().map(|share| kernel(trials[share.method])).collect::<Vec<_>>().join(" + ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn noise(n: usize, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        (0..n).map(|_| random.normal()).collect()
    }

    /// The law of blends: neither the predictions for the test objects of a split nor their true values have a part in the weights
    /// with which these objects are predicted.
    #[test]
    fn test_rows_of_a_split_change_none_of_its_weights() {
        let (n, k) = (90, 3);
        let splits: Vec<usize> = (0..n).map(|i| i / 30).collect();
        let objects: Vec<usize> = (0..n).collect();
        let codes: Vec<usize> = (0..n).map(|i| i * i % k).collect();
        let y = noise(n, 1);
        let toward = |seed: u64| -> Vec<f64> {
            let e = noise(n * k, seed);
            (0..n * k).map(|at| 0.8 * f64::from(u8::from(codes[at / k] == at % k)) + e[at]).collect()
        };
        let classes: Vec<Vec<f64>> = (2..7).map(toward).collect();
        let numbers: Vec<Vec<f64>> =
            (8..13).map(|seed| y.iter().zip(noise(n, seed)).map(|(y, e)| y + e).collect()).collect();
        for at in 0..3 {
            let (own, others) = rows_of(at, &splits, &objects);
            let shares = |methods: &[Vec<f64>], truth: Truth<'_>| {
                let methods = methods.iter().map(Vec::as_slice).collect();
                HeldOut { methods, truth, is_balanced: true }.shares(&others).unwrap()
            };
            let mut other_codes = codes.clone();
            own.iter().for_each(|&i| other_codes[i] = (codes[i] + 1) % k);
            let mut other_classes = classes.clone();
            other_classes.iter_mut().for_each(|m| own.iter().for_each(|&i| m[i * k..(i + 1) * k].reverse()));
            let before = shares(&classes, Truth::Classes(&codes, k));
            assert!(before.len() > 1);
            assert_eq!(before, shares(&other_classes, Truth::Classes(&other_codes, k)));
            let (mut other_y, mut other_numbers) = (y.clone(), numbers.clone());
            own.iter().for_each(|&i| other_y[i] = 7.0);
            other_numbers.iter_mut().for_each(|m| own.iter().for_each(|&i| m[i] *= -3.0));
            let before = shares(&numbers, Truth::Numbers(&y));
            assert!(before.len() > 1);
            assert_eq!(before, shares(&other_numbers, Truth::Numbers(&other_y)));
        }
    }

    /// Weights chosen on the rows that they are scored on would make noise look better than it is.
    #[test]
    fn a_blend_of_noise_is_worth_what_noise_is_worth() {
        let (n, tables) = (60, 60);
        let splits: Vec<usize> = (0..n).map(|i| i / 6).collect();
        let objects: Vec<usize> = (0..n).collect();
        let all: Vec<usize> = objects.clone();
        let (mut honest, mut seen, mut least) = (0.0, 0.0, 0.0);
        for table in 0..tables {
            let y = noise(n, 1000 * table);
            let made: Vec<Vec<f64>> = (1..13).map(|m| noise(n, 1000 * table + m)).collect();
            let held = HeldOut {
                methods: made.iter().map(Vec::as_slice).collect(),
                truth: Truth::Numbers(&y),
                is_balanced: false,
            };
            let error = |shares: &[Share], rows: &[usize]| -> f64 {
                let mean = held.mean(shares, rows).unwrap().prediction(&[]).unwrap();
                let numbers = mean.numbers().unwrap();
                rows.iter().zip(numbers).map(|(&i, p)| (y[i] - p) * (y[i] - p)).sum::<f64>() / n as f64
            };
            for at in 0..10 {
                let (own, others) = rows_of(at, &splits, &objects);
                honest += error(&held.shares(&others).unwrap(), &own) / tables as f64;
            }
            let shares = held.shares(&all).unwrap();
            seen += error(&shares, &all) / tables as f64;
            // What the mean of independent noise has on new data: its own variance and that of the target.
            least += (1.0 + shares.iter().map(|s| s.weight * s.weight).sum::<f64>()) / tables as f64;
        }
        assert!(seen < least - 0.05, "the rows themselves: {seen}, new data {least}");
        assert!((honest - least).abs() < 0.07, "other rows: {honest}, new data {least}");
    }

    #[test]
    fn rows_of_other_splits_lack_the_objects_of_the_test_set() {
        // Two repetitions of two folds.
        let (splits, objects) = ([0, 0, 1, 1, 2, 2, 3, 3], [0, 1, 2, 3, 1, 2, 0, 3]);
        assert_eq!(rows_of(0, &splits, &objects), (vec![0, 1], vec![2, 3, 5, 7]));
        assert_eq!(rows_of(2, &splits, &objects), (vec![4, 5], vec![0, 3, 6, 7]));
    }
}
