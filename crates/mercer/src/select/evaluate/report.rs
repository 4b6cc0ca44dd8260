//! The result of an evaluation.

use serde::Serialize;

use super::alerts::{self, Facts};
use super::verdict::{Evidence, Measure, Verdict};
use super::{Evaluate, Method, Plan, Predictions, SearchMap};
use crate::data::{Categories, Dataset, Target};
use crate::doctor::Checkup;
use crate::error::{Result, Warning};
use crate::select::score::{Bootstrap, mean_over_folds};
use crate::select::search::Answers;
use crate::select::{Comparison, Evaluation, Grid, Interval, OuterFold, Score, Search};

/// The result of [`Evaluate::run`]. It does not depend on the number of threads or on interruptions.
#[derive(Clone, Debug, PartialEq)]
pub struct EvaluationReport {
    /// The settings.
    pub settings: Evaluate,
    /// The kernel and the learner, with their ranges.
    pub method: Method,
    /// The number of objects.
    pub objects: usize,
    /// The classes and the number of their members; none for numbers.
    pub classes: Vec<ClassSize>,
    /// The work that was done.
    pub plan: Plan,
    /// The results of every outer split.
    pub folds: Vec<FoldReport>,
    /// Every measure over all outer splits; the first is the one used for choosing.
    pub measures: Vec<Summary>,
    /// Whether measures are computed over all test objects together rather than as means over splits.
    pub pooled: bool,
    /// The name of the baseline: `majority` or `mean`.
    pub baseline: &'static str,
    /// Whether the method is better than the baseline.
    pub verdict: Verdict,
    /// Whether a kernel was fitted to the test objects as well.
    pub transductive: bool,
    /// The number of fits that did not converge.
    pub unconverged: usize,
    /// Warnings about the result.
    pub warnings: Vec<Warning>,
    /// The predictions for the test objects.
    pub predictions: Predictions,
    /// The scores of all configurations; none where there was nothing to choose.
    pub search: Option<SearchMap>,
    /// The predictions of the method and of the baseline, for comparison with other methods object by object.
    pub(in crate::select) answers: (Answers, Answers),
}

/// A class and the number of its members.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ClassSize {
    /// The class.
    pub name: String,
    /// The number of objects in it.
    pub objects: usize,
}

impl ClassSize {
    /// The classes of a target in the order of their levels; those without members too.
    pub(crate) fn of(classes: &Categories) -> Vec<Self> {
        let class = |name: &String| ClassSize { name: name.clone(), objects: 0 };
        let mut sizes: Vec<Self> = classes.levels().iter().map(class).collect();
        (0..classes.len()).filter_map(|i| classes.code(i)).for_each(|code| sizes[code as usize].objects += 1);
        sizes
    }
}

/// The results of one outer split.
#[derive(Clone, Debug, PartialEq)]
pub struct FoldReport {
    /// The repetition, from 0.
    pub repetition: usize,
    /// The fold within it, from 0.
    pub fold: usize,
    /// The number of training objects.
    pub train: usize,
    /// The number of test objects.
    pub test: usize,
    /// The kernel that was chosen.
    pub kernel: String,
    /// The learner that was chosen.
    pub learner: String,
    /// Its mean score on the inner splits, if there was a choice.
    pub inner: Option<f64>,
    /// The measures on the test set; none where undefined.
    pub scores: Vec<Option<f64>>,
    /// The same for the baseline.
    pub baseline: Vec<Option<f64>>,
    /// Whether the model of this split converged.
    pub converged: bool,
}

/// A measure over all outer splits.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// The measure.
    pub score: Score,
    /// Its mean over the splits where it is defined, or its value over all objects together.
    pub mean: Option<f64>,
    /// The standard deviation over splits.
    pub sd: Option<f64>,
    /// A confidence interval.
    pub interval: Option<Interval>,
    /// The mean of the baseline.
    pub baseline_mean: Option<f64>,
    /// The standard deviation of the baseline.
    pub baseline_sd: Option<f64>,
    /// The number of splits where it is undefined.
    pub undefined: usize,
}

impl EvaluationReport {
    /// The kernel and the learner chosen most often; ties go to those chosen first.
    pub fn typical(&self) -> (&str, &str) {
        let same = |a: &FoldReport, b: &FoldReport| (&a.kernel, &a.learner) == (&b.kernel, &b.learner);
        let times = |one: &FoldReport| self.folds.iter().filter(|f| same(f, one)).count();
        let most = self.folds.iter().rev().max_by_key(|f| times(f));
        most.map_or(("", ""), |f| (&f.kernel, &f.learner))
    }

    #[allow(clippy::too_many_arguments)]
    pub(super) fn new(
        settings: &Evaluate,
        data: &Dataset,
        method: Method,
        grid: &Grid,
        search: &Search<'_>,
        plan: Plan,
        evaluation: &Evaluation,
        checkup: &Checkup,
    ) -> Result<Self> {
        let measures = settings.measures();
        let target = search.target();
        let (mut own, mut other) = (Answers::new(target), Answers::new(target));
        let mut folds = Vec::with_capacity(evaluation.folds.len());
        for fold in &evaluation.folds {
            let baseline = search.baseline(&fold.split, &settings.protocol)?;
            own.add(target, &fold.split.test, &fold.fold.prediction)?;
            other.add(target, &fold.split.test, &baseline)?;
            own.add_groups(data.groups(), &fold.split.test);
            other.add_groups(data.groups(), &fold.split.test);
            let scores = |prediction| -> Result<Vec<Option<f64>>> {
                measures.iter().map(|&s| Ok(search.measure(s, prediction, &fold.split)?.value())).collect()
            };
            folds.push(fold_report(grid, fold, scores(&fold.fold.prediction)?, scores(&baseline)?));
        }
        let splits = settings.splits(data)?;
        let baseline = search.baseline_name();
        let pooled = settings.is_pooled(folds.len());
        let of = |at: usize, pick: fn(&FoldReport) -> &[Option<f64>]| -> Vec<Option<f64>> {
            folds.iter().map(|f| pick(f)[at]).collect()
        };
        let mut summaries = Vec::new();
        for (at, &score) in measures.iter().enumerate() {
            let (mine, theirs) = (of(at, |f| &f.scores), of(at, |f| &f.baseline));
            summaries.push(match pooled {
                true => Summary {
                    score,
                    mean: own.measure(score)?.value(),
                    sd: None,
                    interval: own.interval(score, &bootstrap(settings))?.value(),
                    baseline_mean: other.measure(score)?.value(),
                    baseline_sd: None,
                    undefined: 0,
                },
                false => over_splits(score, &mine, &theirs, splits.test_per_train(), settings.level)?,
            });
        }
        let measured = |(at, summary): (usize, &Summary)| Measure {
            score: summary.score,
            own: if pooled { vec![summary.mean] } else { of(at, |f| &f.scores) },
            baseline: if pooled { vec![summary.baseline_mean] } else { of(at, |f| &f.baseline) },
            mean: summary.mean,
            baseline_mean: summary.baseline_mean,
        };
        let measured = summaries.iter().enumerate().map(measured).collect();
        let (own, other) = (&own, &other);
        let mut verdict =
            Evidence { settings, splits: &splits, baseline, pooled, own, other, measures: measured }
                .verdict()?;
        if let Some(caveat) = checkup.caveat(data, &method.kernel.columns_used(data)?) {
            verdict.sentence = format!("{} {caveat}", verdict.sentence);
        }
        let unconverged = folds.iter().filter(|f| !f.converged).count()
            + evaluation.tuning.as_ref().map_or(0, |tuning| tuning.unconverged);
        let mut report = EvaluationReport {
            settings: settings.clone(),
            method,
            objects: data.len(),
            classes: match data.target() {
                Some(Target::Classes(classes)) => ClassSize::of(classes),
                _ => Vec::new(),
            },
            plan,
            folds,
            measures: summaries,
            pooled,
            baseline,
            verdict,
            transductive: evaluation.folds.iter().any(|f| f.fold.transductive),
            unconverged,
            warnings: Vec::new(),
            predictions: Predictions::of(data, target, &evaluation.folds)?,
            search: SearchMap::of(grid, evaluation, settings.score),
            answers: (own.clone(), other.clone()),
        };
        report.warnings = alerts::of(&report, &Facts { data, grid, evaluation, checkup });
        Ok(report)
    }
}

fn bootstrap(settings: &Evaluate) -> Bootstrap {
    Bootstrap { level: settings.level, seed: settings.seed, ..Bootstrap::default() }
}

fn fold_report(
    grid: &Grid,
    fold: &OuterFold,
    scores: Vec<Option<f64>>,
    baseline: Vec<Option<f64>>,
) -> FoldReport {
    let (kernel, learner) = grid.describe(fold.configuration);
    FoldReport {
        repetition: fold.split.repetition,
        fold: fold.split.fold,
        train: fold.split.train.len(),
        test: fold.split.test.len(),
        kernel,
        learner,
        inner: fold.inner,
        scores,
        baseline,
        converged: fold.fold.converged,
    }
}

/// Mean, standard deviation and confidence interval of values from overlapping training sets.
fn over_splits(
    score: Score,
    own: &[Option<f64>],
    baseline: &[Option<f64>],
    test_per_train: f64,
    level: f64,
) -> Result<Summary> {
    let mut table =
        Comparison::new(score.name(), score.greater_is_better(), &["own", "baseline"], &["data"])?;
    table.set(0, 0, own)?;
    table.set(1, 0, baseline)?;
    let values: Vec<f64> = own.iter().flatten().copied().collect();
    Ok(Summary {
        score,
        mean: table.mean(0, 0),
        sd: table.sd(0, 0),
        interval: mean_over_folds(&values, test_per_train, level)?.value().map(|i| within(score, i)),
        baseline_mean: table.mean(1, 0),
        baseline_sd: table.sd(1, 0),
        undefined: own.len() - values.len(),
    })
}

/// An interval clipped to the range of the measure.
fn within(score: Score, interval: Interval) -> Interval {
    let (low, high) = match score {
        Score::Mae | Score::Rmse => (0.0, f64::INFINITY),
        Score::R2 => (f64::NEG_INFINITY, 1.0),
        Score::Matthews => (-1.0, 1.0),
        _ => (0.0, 1.0),
    };
    Interval { low: interval.low.max(low), high: interval.high.min(high), ..interval }
}
