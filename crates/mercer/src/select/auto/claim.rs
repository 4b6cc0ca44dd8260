//! The score to be expected on new data: that of the best method, corrected for having been chosen as the best of many.

use super::report::Trial;
use crate::budget;
use crate::error::Result;
use crate::parallel;
use crate::random::Random;
use crate::select::search::Answers;
use crate::select::{Needs, Score};

/// The number of bootstrap samples.
const DRAWS: usize = 500;
/// Fewer for many objects and methods: objects times methods times samples stay below this.
const MOST_WORK: usize = 8_000_000;
/// The least number of bootstrap samples.
const FEWEST: usize = 60;
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
    // Decision values of different splits are not on one scale: such measures are means over splits.
    let base = match score.needs() {
        Needs::Decisions => best.summary.mean,
        _ => best.answers.measure(score)?.value(),
    };
    let answers: Vec<&Answers> = trials.iter().map(|t| &t.answers).collect();
    match base {
        Some(base) => corrected(&answers, &units(best), (score, base), seed),
        None => Ok(None),
    }
}

/// The corrected score of the first of several methods, whose score on all units is `base`.
fn corrected(
    methods: &[&Answers],
    units: &[Vec<usize>],
    (score, base): (Score, f64),
    seed: u64,
) -> Result<Option<Claim>> {
    let rows: usize = units.iter().map(Vec::len).sum();
    if units.len() < 2 {
        return Ok(None);
    }
    let samples = (MOST_WORK / (rows * methods.len()).max(1)).clamp(FEWEST, DRAWS);
    let sign = if score.greater_is_better() { 1.0 } else { -1.0 };
    let draw = |at: usize| -> Result<Option<Draw>> {
        if budget::is_spent_after(8 * rows * methods.len()) {
            return Ok(None);
        }
        drawn(methods, units, score, sign, &mut Random::derived(seed ^ 0x636c_6169, at as u64))
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
        methods: methods.len(),
        samples,
    }))
}

/// One bootstrap sample; none where a score is undefined on it.
fn drawn(
    methods: &[&Answers],
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
    let value =
        |of: &Answers, rows: &[usize]| -> Result<Option<f64>> { Ok(of.select(rows).measure(score)?.value()) };
    let mut best: Vec<usize> = Vec::new();
    let mut most = f64::NEG_INFINITY;
    for (at, method) in methods.iter().enumerate() {
        let Some(found) = value(method, &inside)? else { continue };
        let found = sign * found;
        if found > most {
            (most, best) = (found, Vec::new());
        }
        if found == most {
            best.push(at);
        }
    }
    let Some(first) = value(methods[0], &outside)? else { return Ok(None) };
    // Methods that are equally good on the sample are equally likely to be chosen.
    let mut sum = 0.0;
    for &at in &best {
        match value(methods[at], &outside)? {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Dense, Target};
    use crate::learn::Prediction;

    /// The predictions of a method that is right for the objects where `right` says so.
    fn answers(right: &[bool]) -> Answers {
        let levels = vec!["a".to_owned(), "b".to_owned()];
        let codes = |of: Vec<u32>| Target::Classes(Categories::from_codes(of, levels.clone()));
        let truth: Vec<u32> = (0..right.len()).map(|i| (i % 2) as u32).collect();
        let labels: Vec<u32> = truth.iter().zip(right).map(|(&t, &r)| if r { t } else { 1 - t }).collect();
        let decisions = labels.iter().map(|&l| 2.0 * f64::from(l) - 1.0).collect();
        let prediction = Prediction {
            target: Some(codes(labels)),
            decisions: Dense::new(right.len(), 1, decisions).unwrap(),
            columns: vec!["a|b".into()],
            probabilities: None,
            deviations: None,
        };
        let (target, all) = (codes(truth), (0..right.len()).collect::<Vec<_>>());
        let mut out = Answers::new(&target);
        out.add(&target, &all, &prediction).unwrap();
        out
    }

    /// The claim for methods with known accuracies, the accuracy of the chosen one, and its score.
    fn simulated(truths: &[f64], n: usize, seed: u64) -> (Claim, f64, f64) {
        let mut random = Random::new(seed);
        let mut methods: Vec<(Answers, f64, f64)> = Vec::new();
        for &truth in truths {
            let right: Vec<bool> = (0..n).map(|_| random.unit() < truth).collect();
            let share = right.iter().filter(|r| **r).count() as f64 / n as f64;
            methods.push((answers(&right), truth, share));
        }
        methods.sort_by(|a, b| b.2.total_cmp(&a.2));
        let all: Vec<&Answers> = methods.iter().map(|m| &m.0).collect();
        let units: Vec<Vec<usize>> = (0..n).map(|i| vec![i]).collect();
        let found = corrected(&all, &units, (Score::Accuracy, methods[0].2), seed).unwrap().unwrap();
        (found, methods[0].1, methods[0].2)
    }

    /// Over many tables of results the score of the best of twelve is too good; the claim is not, and its interval holds.
    #[test]
    fn claims_hold_where_the_best_score_does_not() {
        let equal = vec![0.7; 12];
        let spread: Vec<f64> = (0..12).map(|i| 0.6 + 0.02 * f64::from(i)).collect();
        for (truths, optimism) in [(&equal, 0.05), (&spread, 0.005)] {
            let (mut off, mut naive, mut held) = (0.0, 0.0, 0);
            let tables = 120;
            for seed in 0..tables {
                let (claim, truth, score) = simulated(truths, 100, seed);
                off += (claim.expected - truth) / tables as f64;
                naive += (score - truth) / tables as f64;
                held += u64::from(claim.low <= truth && truth <= claim.high);
                assert!(
                    claim.low <= claim.expected && claim.expected <= claim.high && claim.expected <= score
                );
            }
            assert!(naive > optimism, "the score itself is off by {naive}");
            assert!(off.abs() < 0.015, "the claim is off by {off}, the score by {naive}");
            assert!(held * 100 >= 90 * tables, "{held} of {tables} intervals hold");
        }
    }

    #[test]
    fn one_method_is_not_corrected() {
        let (claim, _, score) = simulated(&[0.8], 60, 1);
        assert_eq!((claim.expected, claim.optimism, claim.methods), (score, 0.0, 1));
        assert!(claim.low < score && score < claim.high);
    }

    #[test]
    fn objects_of_a_group_are_drawn_together() {
        // Four groups of which a method gets all or nothing right: no object is independent.
        let right: Vec<bool> = (0..80).map(|i| i % 4 > 0).collect();
        let one = answers(&right);
        let groups: Vec<Vec<usize>> = (0..4).map(|g| (0..80).filter(|i| i % 4 == g).collect()).collect();
        let single: Vec<Vec<usize>> = (0..80).map(|i| vec![i]).collect();
        let width = |units: &[Vec<usize>]| {
            let claim = corrected(&[&one], units, (Score::Accuracy, 0.75), 0).unwrap().unwrap();
            claim.high - claim.low
        };
        assert!(width(&groups) > 2.0 * width(&single), "{} {}", width(&groups), width(&single));
    }
}
