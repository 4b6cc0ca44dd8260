//! Paired tests on test objects, for scores with too few folds, or with folds that all differ by the same amount.
//!
//! One split gives one score per method, and two numbers cannot be tested. The test objects can: both methods predicted
//! each of them.

use super::comparison::Comparison;
use super::counts::{mcnemar, sign_test};
use super::paired::delong_test;
use super::test::Test;
use crate::error::Result;
use crate::random::Random;
use crate::select::search::Answers;
use crate::select::{Needs, Score};

/// Up to this many objects with different predictions, every exchange is tried; 2¹² are fewer than the random ones.
const EXACT: usize = 12;
/// The number of random exchanges, and of bootstrap samples.
const DRAWS: usize = 9999;
/// Fewer draws for many objects: objects times draws stays below this.
const WORK: usize = 20_000_000;
/// The bootstrap needs this many members of each class; with fewer, p values would be too small.
const FEWEST: usize = 5;

/// Tests whether two methods differ in a score, by their predictions for the same objects.
///
/// | score | test |
/// |---|---|
/// | accuracy, micro F1 | McNemar's, exact |
/// | area under the ROC curve of two classes | DeLong's; the bootstrap where all placements are equal |
/// | other measures of decision values | paired bootstrap over objects |
/// | all others | paired randomisation: the predictions of the two methods are exchanged for random objects |
/// | any, objects in groups | paired randomisation or bootstrap of whole groups: members of a group are not independent |
///
/// The randomisation test compares the difference of the scores with the differences after every exchange, or after
/// 9999 random ones. It is exact for any number of objects.
///
/// E. Noreen, *Computer-intensive methods for testing hypotheses*, 1989.
pub(in crate::select) fn on_objects(score: Score, a: &Answers, b: &Answers, seed: u64) -> Result<Test> {
    if a.is_grouped() {
        return match score.needs() {
            Needs::Decisions => bootstrap(score, a, b, seed),
            _ => exchanged(score, a, b, seed),
        };
    }
    match score {
        Score::Accuracy | Score::F1Micro => mcnemar(&a.truth, &a.labels, &b.labels),
        Score::Auc => {
            let truth: Vec<bool> = a.truth.iter().map(|&code| code == 1).collect();
            let towards = |of: &Answers| -> Vec<f64> {
                of.decisions.chunks(2).map(|two| 0.5 * two[two.len() - 1] - 0.5 * two[0]).collect()
            };
            let test = delong_test(&truth, &towards(a), &towards(b))?;
            if test.p.is_some() { Ok(test) } else { bootstrap(score, a, b, seed) }
        }
        _ if score.needs() == Needs::Decisions => bootstrap(score, a, b, seed),
        _ => exchanged(score, a, b, seed),
    }
}

/// The difference of two scores; positive where the first is better.
fn difference(score: Score, a: &Answers, b: &Answers) -> Result<Option<f64>> {
    let sign = if score.greater_is_better() { 1.0 } else { -1.0 };
    let (a, b) = (a.measure(score)?.value(), b.measure(score)?.value());
    Ok(a.zip(b).map(|(a, b)| sign * (a - b)))
}

fn draws(objects: usize) -> usize {
    (WORK / objects.max(1)).clamp(399, DRAWS)
}

/// The paired randomisation test.
fn exchanged(score: Score, a: &Answers, b: &Answers, seed: u64) -> Result<Test> {
    let name = if a.is_grouped() { "paired randomisation of groups" } else { "paired randomisation" };
    let mut differing = a.units();
    differing.retain(|unit| unit.iter().any(|&i| !a.same(b, i)));
    let n = differing.len();
    if n == 0 {
        return Ok(Test { exact: true, ..Test::no_difference(name, 0) });
    }
    let Some(own) = difference(score, a, b)? else {
        return Ok(Test::inconclusive(name, n, "the score is undefined on these objects"));
    };
    // Exchanges that give the same difference up to rounding count as extreme.
    let limit = own.abs() * (1.0 - 1e-9);
    let exact = n <= EXACT;
    let all = if exact { 1usize << n } else { draws(a.len()) };
    let mut random = Random::derived(seed, 0x7061_6972);
    let (mut extreme, mut counted) = (0usize, 0usize);
    let (mut one, mut two) = (a.clone(), b.clone());
    for draw in 0..all {
        let mut bits = draw as u64;
        for (at, unit) in differing.iter().enumerate() {
            if !exact && at % 64 == 0 {
                bits = random.bits();
            }
            if bits & 1 == 1 {
                unit.iter().for_each(|&i| one.exchange(&mut two, i));
            }
            bits >>= 1;
        }
        // Random exchanges accumulate: a random exchange of exchanged predictions is as random. Exhaustive ones restart
        // from the original.
        if let Some(other) = difference(score, &one, &two)? {
            counted += 1;
            extreme += usize::from(other.abs() >= limit);
        }
        if exact {
            (one, two) = (a.clone(), b.clone());
        }
    }
    let p = match exact {
        true => extreme as f64 / counted.max(1) as f64,
        false => (extreme + 1) as f64 / (counted + 1) as f64,
    };
    Ok(Test { exact, ..Test::new(name, n, own, p.min(1.0)) }.with_lead(own))
}

/// The paired bootstrap: how often the difference changes its sign on objects drawn with replacement.
fn bootstrap(score: Score, a: &Answers, b: &Answers, seed: u64) -> Result<Test> {
    let name = if a.is_grouped() { "paired bootstrap of groups" } else { "paired bootstrap" };
    let units = a.units();
    let n = units.len();
    let Some(own) = difference(score, a, b)? else {
        return Ok(Test::inconclusive(name, n, "the score is undefined on these objects"));
    };
    if a.fewest().is_some_and(|members| members < FEWEST) {
        return Ok(Test::inconclusive(name, n, "a class has fewer than five members to draw from"));
    }
    if a.is_grouped() && n < 2 * FEWEST {
        return Ok(Test::inconclusive(name, n, "there are fewer than ten groups to draw from"));
    }
    let mut random = Random::derived(seed, 0x626f_6f74);
    let (mut below, mut above, mut counted) = (0usize, 0usize, 0usize);
    for _ in 0..draws(a.len()).min(1999) {
        let drawn: Vec<usize> = (0..n).flat_map(|_| units[random.below(n)].iter().copied()).collect();
        if let Some(other) = difference(score, &a.select(&drawn), &b.select(&drawn))? {
            counted += 1;
            below += usize::from(other <= 0.0);
            above += usize::from(other >= 0.0);
        }
    }
    let p = 2.0 * (below.min(above) + 1) as f64 / (counted + 1) as f64;
    Ok(Test::new(name, n, own, p.min(1.0)).with_lead(own))
}

impl Comparison {
    /// Tests pairs of methods on objects where the scores of a single data set give no result: there is only one, or
    /// all differ by the same amount. `answers` holds the predictions of the methods in order, with every object once.
    pub(in crate::select) fn test_objects(
        &mut self,
        score: Score,
        answers: &[&Answers],
        seed: u64,
    ) -> Result<()> {
        for first in 0..answers.len() {
            self.test_with(first, score, answers, seed)?;
        }
        Ok(())
    }

    /// The same, only for the pairs with the first method.
    pub(in crate::select) fn test_against_first(
        &mut self,
        score: Score,
        answers: &[&Answers],
        seed: u64,
    ) -> Result<()> {
        self.test_with(0, score, answers, seed)
    }

    fn test_with(&mut self, a: usize, score: Score, answers: &[&Answers], seed: u64) -> Result<()> {
        for b in a + 1..answers.len() {
            if self.is_undecided(a, b)? {
                let test = on_objects(score, answers[a], answers[b], seed)?;
                self.set_test(a, b, test);
            }
        }
        Ok(())
    }

    /// Tests pairs by the sign of their differences, where these are all the same and objects cannot be compared
    /// because they were tested more than once.
    pub(in crate::select) fn test_signs(&mut self) -> Result<()> {
        for a in 0..self.methods.len() {
            for b in a + 1..self.methods.len() {
                let (x, y) = self.paired(a, b);
                if x.len() > 1 && self.is_undecided(a, b)? {
                    let test = sign_test(&x, &y)?;
                    self.set_test(a, b, test);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, Dense, Target};
    use crate::learn::Prediction;

    fn numbers(truth: &[f64], predicted: &[f64]) -> Answers {
        let target = Target::Numbers(truth.to_vec());
        let mut answers = Answers::new(&target);
        let prediction = Prediction::of_numbers(predicted.to_vec());
        answers.add(&target, &(0..truth.len()).collect::<Vec<_>>(), &prediction).unwrap();
        answers
    }

    /// Two classes, `b` predicted where the decision is above 0.
    #[test]
    fn groups_are_exchanged_as_a_whole() {
        // Six people, each recorded ten times, of which one method gets all right and the other none.
        let truth: Vec<usize> = vec![1; 60];
        let (right, wrong) = (classes(&truth, &[1.0; 60]), classes(&truth, &[-1.0; 60]));
        let single = on_objects(Score::Accuracy, &right, &wrong, 0).unwrap();
        assert!(single.p.unwrap() < 1e-9);
        let people = Categories::from_codes(
            (0..60).map(|i| i % 6).collect(),
            ["a", "b", "c", "d", "e", "f"].map(String::from).into(),
        );
        let grouped = |answers: &Answers| {
            let mut answers = answers.clone();
            answers.add_groups(Some(&people), &(0..60).collect::<Vec<_>>());
            answers
        };
        let test = on_objects(Score::Accuracy, &grouped(&right), &grouped(&wrong), 0).unwrap();
        assert_eq!((test.name, test.n, test.exact), ("paired randomisation of groups", 6, true));
        assert!((test.p.unwrap() - 2.0 / 64.0).abs() < 1e-12, "{test:?}");
        // The bootstrap needs ten groups.
        let truth: Vec<usize> = (0..60).map(|i| i % 2).collect();
        let order: Vec<f64> = truth.iter().map(|&t| t as f64).collect();
        let (good, flat) = (grouped(&classes(&truth, &order)), grouped(&classes(&truth, &[0.0; 60])));
        let few = on_objects(Score::Auc, &good, &flat, 0).unwrap();
        assert_eq!((few.name, few.p), ("paired bootstrap of groups", None));
    }

    fn classes(truth: &[usize], decisions: &[f64]) -> Answers {
        let levels = vec!["a".to_owned(), "b".to_owned()];
        let codes = |of: &[usize]| {
            let codes = of.iter().map(|&c| c as u32).collect();
            Target::Classes(Categories::from_codes(codes, levels.clone()))
        };
        let target = codes(truth);
        let labels: Vec<usize> = decisions.iter().map(|d| usize::from(*d > 0.0)).collect();
        let prediction = Prediction {
            target: Some(codes(&labels)),
            decisions: Dense::new(truth.len(), 1, decisions.to_vec()).unwrap(),
            columns: vec!["a|b".into()],
            probabilities: None,
            deviations: None,
        };
        let mut answers = Answers::new(&target);
        answers.add(&target, &(0..truth.len()).collect::<Vec<_>>(), &prediction).unwrap();
        answers
    }

    /// The share of all 2ⁿ sign patterns of the loss differences whose sum is at least as far from 0.
    fn by_signs(differences: &[f64]) -> f64 {
        let own = differences.iter().sum::<f64>().abs() * (1.0 - 1e-9);
        let n = differences.len();
        let sum = |bits: usize| -> f64 {
            differences.iter().enumerate().map(|(i, d)| if bits >> i & 1 == 1 { -d } else { *d }).sum()
        };
        (0..1usize << n).filter(|&bits| sum(bits).abs() >= own).count() as f64 / (1usize << n) as f64
    }

    #[test]
    fn absolute_errors_by_all_signs() {
        let truth = [1.0, 2.5, -1.0, 0.3, 4.0, 2.0, -2.0, 1.5];
        let (a, b) = ([1.1, 2.0, -1.3, 0.1, 3.0, 2.2, -1.9, 1.0], [0.5; 8]);
        let loss = |p: &[f64]| truth.iter().zip(p).map(|(t, p)| (t - p).abs()).collect::<Vec<f64>>();
        let differences: Vec<f64> = loss(&b).iter().zip(loss(&a)).map(|(b, a)| b - a).collect();
        let test = on_objects(Score::Mae, &numbers(&truth, &a), &numbers(&truth, &b), 0).unwrap();
        assert!(test.exact && (test.p.unwrap() - by_signs(&differences)).abs() < 1e-12, "{test:?}");
        assert_eq!(test.first_larger, Some(true));
        let reversed = on_objects(Score::Mae, &numbers(&truth, &b), &numbers(&truth, &a), 0).unwrap();
        assert_eq!((reversed.p, reversed.first_larger), (test.p, Some(false)));
    }

    #[test]
    fn many_objects_are_exchanged_at_random() {
        let truth: Vec<f64> = (0..40).map(f64::from).collect();
        let near: Vec<f64> = truth.iter().map(|t| t + 0.1).collect();
        let mean = vec![19.5; 40];
        for score in [Score::Rmse, Score::Mae, Score::R2] {
            let test = on_objects(score, &numbers(&truth, &near), &numbers(&truth, &mean), 7).unwrap();
            assert!(test.p.unwrap() < 0.001 && test.first_larger == Some(true), "{test:?}");
            let same = on_objects(score, &numbers(&truth, &near), &numbers(&truth, &near), 7).unwrap();
            assert_eq!(same.p, Some(1.0));
        }
        // Errors of the same size in both directions: no difference, and the same result for the same seed.
        let (up, down): (Vec<f64>, Vec<f64>) = truth.iter().map(|t| (t + t % 3.0, t - t % 3.0)).unzip();
        let test = || on_objects(Score::Rmse, &numbers(&truth, &up), &numbers(&truth, &down), 7).unwrap();
        assert!(test().p.unwrap() > 0.9 && test() == test(), "{:?}", test());
    }

    #[test]
    fn few_objects_give_large_p() {
        // Two of two: every fourth exchange is as extreme, in each direction.
        let (truth, right) = ([1.0, 2.0], [1.0, 2.0]);
        let test =
            on_objects(Score::Rmse, &numbers(&truth, &right), &numbers(&truth, &[9.0, 9.0]), 0).unwrap();
        assert_eq!(test.p, Some(0.5));
    }

    #[test]
    fn tests_of_classes_depend_on_the_score() {
        let truth: Vec<usize> = (0..40).map(|i| usize::from(i % 8 == 0)).collect();
        let right: Vec<f64> = truth.iter().map(|&t| if t == 1 { 1.0 } else { -1.0 }).collect();
        let ranked: Vec<f64> = truth.iter().map(|&t| if t == 1 { -1.0 } else { -2.0 }).collect();
        let constant = classes(&truth, &[-1.0; 40]);
        let by =
            |score, decisions: &[f64]| on_objects(score, &classes(&truth, decisions), &constant, 0).unwrap();
        assert_eq!(by(Score::Accuracy, &ranked).p, Some(1.0));
        assert_eq!(by(Score::Accuracy, &right).name, "McNemar, exact");
        // Five of five in the small class: two of 2⁵ exchanges are as extreme.
        assert_eq!(by(Score::BalancedAccuracy, &right).p, Some(2.0 / 32.0));
        let area = by(Score::Auc, &ranked);
        assert!(area.p.unwrap() < 0.01 && area.first_larger == Some(true), "{area:?}");
        // A perfect ranking of four objects proves nothing, but is not reported as no difference.
        let (few, order) = ([1, 1, 0, 0], [4.0, 3.0, 2.0, 1.0]);
        let test = on_objects(Score::Auc, &classes(&few, &order), &classes(&few, &[0.0; 4]), 0).unwrap();
        assert_eq!((test.p, test.remark.is_some()), (None, true));
    }
}
