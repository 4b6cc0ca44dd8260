//! The score to be expected on new data: that of the best method, corrected for having been chosen as the best of many.

use super::report::Trial;
use crate::budget;
use crate::error::Result;
use crate::parallel;
use crate::random::Random;
use crate::select::{Needs, Score};

/// The number of bootstrap samples.
const DRAWS: usize = 500;
/// Fewer for many objects and methods: objects times methods times samples stay below this.
const MOST_WORK: usize = 8_000_000;
/// The least number of bootstrap samples.
const FEWEST: usize = 100;
/// The confidence level.
const LEVEL: f64 = 0.95;

/// What to expect of the best method on new data of the same kind.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Claim {
    /// The measure.
    pub score: Score,
    /// The expected score.
    pub expected: f64,
    /// The lower end of its interval.
    pub low: f64,
    /// The upper end of its interval.
    pub high: f64,
    /// The confidence level of the interval.
    pub level: f64,
    /// By how much the score of the best method is too good because it is the best of several.
    pub optimism: f64,
    /// The number of methods compared.
    pub methods: usize,
    /// The number of bootstrap samples.
    pub samples: usize,
}

/// One bootstrap sample: the scores, on the objects that it lacks, of the method that is best on it and of the method that
/// is best on all objects.
struct Draw {
    chosen: f64,
    first: f64,
}

/// The corrected score of the first of the trials, which are sorted best first and predicted the same objects.
///
/// The bootstrap draws objects (whole groups where there are any) with replacement, chooses the method with the best score
/// on the objects drawn, and scores it on those not drawn. The mean difference to the score of the overall best on the same objects is its
/// optimism. None where the measure is undefined on most samples.
///
/// I. Tsamardinos, E. Greasidou and G. Borboudakis, *Bootstrapping the out-of-sample predictions for efficient and accurate
/// cross-validation*, Machine Learning 107 (2018).
pub(super) fn claim(trials: &[Trial], score: Score, seed: u64) -> Result<Option<Claim>> {
    let Some(best) = trials.first() else { return Ok(None) };
    let units = units(best);
    let rows = best.answers.len();
    // Decision values of different splits are not on one scale: such measures are means over splits.
    let base = match score.needs() {
        Needs::Decisions => best.summary.mean,
        _ => best.answers.measure(score)?.value(),
    };
    let Some(base) = base else { return Ok(None) };
    if units.len() < 2 {
        return Ok(None);
    }
    let samples = (MOST_WORK / (rows * trials.len()).max(1)).clamp(FEWEST, DRAWS);
    let sign = if score.greater_is_better() { 1.0 } else { -1.0 };
    let draw = |at: usize| -> Result<Option<Draw>> {
        if budget::is_spent_after(8 * rows * trials.len()) {
            return Ok(None);
        }
        drawn(trials, &units, score, sign, &mut Random::derived(seed ^ 0x636c_6169, at as u64))
    };
    let draws: Vec<Result<Option<Draw>>> = parallel::map(samples, draw);
    budget::check()?;
    let draws: Vec<Draw> = draws.into_iter().collect::<Result<Vec<_>>>()?.into_iter().flatten().collect();
    if draws.len() * 2 < samples {
        return Ok(None);
    }
    let count = draws.len() as f64;
    let mean = draws.iter().map(|d| d.chosen).sum::<f64>() / count;
    let optimism = (sign * (draws.iter().map(|d| d.first).sum::<f64>() / count - mean)).max(0.0);
    let expected = base - sign * optimism;
    let mut values: Vec<f64> = draws.iter().map(|d| d.chosen - mean + expected).collect();
    values.sort_unstable_by(f64::total_cmp);
    let (least, most) = score.range();
    let quantile = |p: f64| {
        let at = (p * (values.len() - 1) as f64).round() as usize;
        values[at].clamp(least, most)
    };
    Ok(Some(Claim {
        score,
        expected: expected.clamp(least, most),
        low: quantile((1.0 - LEVEL) / 2.0),
        high: quantile((1.0 + LEVEL) / 2.0),
        level: LEVEL,
        optimism,
        methods: trials.len(),
        samples,
    }))
}

/// One bootstrap sample; none where a score is undefined on it.
fn drawn(
    trials: &[Trial],
    units: &[Vec<usize>],
    score: Score,
    sign: f64,
    random: &mut Random,
) -> Result<Option<Draw>> {
    let mut times = vec![0usize; units.len()];
    (0..units.len()).for_each(|_| times[random.below(units.len())] += 1);
    let of = |wanted: &dyn Fn(usize) -> usize| -> Vec<usize> {
        let repeated = |(unit, &count): (&Vec<usize>, &usize)| -> Vec<usize> {
            (0..wanted(count)).flat_map(|_| unit.iter().copied()).collect()
        };
        units.iter().zip(&times).flat_map(repeated).collect()
    };
    let (inside, outside) = (of(&|count| count), of(&|count| usize::from(count == 0)));
    if outside.is_empty() {
        return Ok(None);
    }
    let value = |trial: &Trial, rows: &[usize]| -> Result<Option<f64>> {
        Ok(trial.answers.select(rows).measure(score)?.value())
    };
    let mut best: Vec<usize> = Vec::new();
    let mut most = f64::NEG_INFINITY;
    for (at, trial) in trials.iter().enumerate() {
        let Some(found) = value(trial, &inside)? else { continue };
        let found = sign * found;
        if found > most {
            (most, best) = (found, Vec::new());
        }
        if found == most {
            best.push(at);
        }
    }
    let Some(first) = value(&trials[0], &outside)? else { return Ok(None) };
    // Methods that are equally good on the sample are equally likely to be chosen.
    let mut sum = 0.0;
    for &at in &best {
        match value(&trials[at], &outside)? {
            Some(found) => sum += found,
            None => return Ok(None),
        }
    }
    Ok((!best.is_empty()).then(|| Draw { chosen: sum / best.len() as f64, first }))
}

/// The rows of predictions that belong together: those of a group, or of an object in all repetitions.
fn units(trial: &Trial) -> Vec<Vec<usize>> {
    if trial.answers.is_grouped() {
        return trial.answers.units();
    }
    let mut of_object: std::collections::BTreeMap<usize, Vec<usize>> = std::collections::BTreeMap::new();
    for (row, &object) in trial.predictions.objects.iter().enumerate() {
        of_object.entry(object).or_default().push(row);
    }
    of_object.into_values().collect()
}
