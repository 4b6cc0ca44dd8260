//! Evaluating a kernel and a learner on a data set, and several methods on several data sets.
//!
//! [`Evaluate`] holds the settings, [`Evaluate::plan`] estimates the work, and [`Evaluate::run`] does it: nested
//! cross-validation where parameters have ranges, plain cross-validation otherwise. The [`EvaluationReport`] has the choice and
//! the scores of every split, means with confidence intervals, the baseline for comparison, and warnings. [`MethodComparison`]
//! evaluates several methods on the same splits of several data sets.

mod alerts;
mod best;
mod held_out;
mod json;
mod map;
mod methods;
mod predictions;
mod propagation;
mod report;
mod residuals;
#[cfg(test)]
mod tests;
mod verdict;

use std::path::Path;

pub use best::BestOf;
pub use held_out::TestReport;
pub use map::{SearchMap, SearchParameter, SearchPoint};
pub use methods::{ComparisonReport, Method, MethodComparison, MethodReport};
pub use predictions::Predictions;
pub use report::{ClassSize, EvaluationReport, FoldReport, Summary};
pub use residuals::LeaveOneOut;
pub use verdict::{ByMeasure, Verdict};

use super::search::{check_probabilities, check_score};
use super::split::nested_in;
use super::{Grid, Nested, Objects, Protocol, Score, Search, Splits, Strategy, nested};
use crate::data::{Dataset, Target};
use crate::doctor::{self, Checkup};
use crate::error::{Error, Result};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;

/// Settings for evaluating kernels and learners.
///
/// ```
/// use mercer::{data::generate, gram::Engine, select::{Evaluate, Protocol}};
/// let data = generate::half_moons(60, 0.1, 1)?;
/// let settings = Evaluate { protocol: Protocol::folds(3), inner: Protocol::folds(2), ..Evaluate::of(&data)? };
/// let report = settings.run(&data, &"rbf(gamma=[0.1, 1, 10])".parse()?, &"svc(C=[1, 100])".parse()?, &Engine::new(), None)?;
/// assert_eq!((report.folds.len(), report.plan.fits), (3, 6 * 3 * 2 + 3));
/// assert!(report.measures[0].mean.unwrap() > report.measures[0].baseline_mean.unwrap());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Evaluate {
    /// The outer splits, on which results are measured.
    pub protocol: Protocol,
    /// The inner splits of each training set, on which parameters are chosen.
    pub inner: Protocol,
    /// The measure by which parameters are chosen and the verdict is reached.
    pub score: Score,
    /// Other measures to report, in order.
    pub also: Vec<Score>,
    /// The search strategy.
    pub strategy: Strategy,
    /// The seed for splits, sampled configurations and all other random choices.
    pub seed: u64,
    /// The confidence level of intervals.
    pub level: f64,
    /// The outer splits, where the protocol is [`Protocol::Given`].
    pub given: Option<Splits>,
}

/// The work that an evaluation will do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Plan {
    /// The number of configurations in the grid.
    pub configurations: usize,
    /// The number of configurations tried.
    pub tried: usize,
    /// The number of outer splits.
    pub splits: usize,
    /// The number of inner splits over all outer splits; 0 when there is nothing to choose.
    pub inner_splits: usize,
    /// How training sets are split into inner ones: the inner protocol of the settings, by groups or in the order of time
    /// where the data requires it.
    pub inner: Protocol,
    /// The number of fits, on inner and outer splits.
    pub fits: usize,
    /// Bytes of the matrices held at once, with the threads of this engine.
    pub bytes: u64,
}

impl Evaluate {
    /// Default settings for a data set. The protocol is train-test for data with a predefined test set, five folds in
    /// the order of time for data with times, otherwise ten folds; data with groups gets group folds, at most one per group. Parameters are chosen among all configurations
    /// by five inner folds.
    ///
    /// For classes, the score is accuracy, with balanced accuracy and the area under the ROC curve; balanced accuracy
    /// comes first where one class has more than three quarters of the training objects. For numbers, it is the root mean
    /// square error, with the mean absolute error and R².
    pub fn of(data: &Dataset) -> Result<Self> {
        let score = Score::suiting(data);
        let also = match data.target() {
            None => return Err(Error::usage("an evaluation needs a target to predict")),
            Some(Target::Classes(classes)) => {
                let area = if classes.levels().len() == 2 { Score::Auc } else { Score::AucMacro };
                let other = if score == Score::Accuracy { Score::BalancedAccuracy } else { Score::Accuracy };
                vec![other, area]
            }
            Some(Target::Numbers(_)) => vec![Score::Mae, Score::R2],
        };
        let protocol = match data.groups() {
            _ if data.test().is_some() => Protocol::TrainTest,
            _ if data.times().is_some() => Protocol::Forward { folds: 5 },
            None => Protocol::folds(10),
            Some(groups) => {
                let mut codes: Vec<u32> = (0..groups.len()).filter_map(|i| groups.code(i)).collect();
                codes.sort_unstable();
                codes.dedup();
                Protocol::folds(codes.len().clamp(2, 10)).grouped()
            }
        };
        Ok(Evaluate {
            protocol,
            inner: Protocol::folds(5),
            score,
            also,
            strategy: Strategy::Grid,
            seed: 0,
            level: 0.95,
            given: None,
        })
    }

    /// The work that [`Evaluate::run`] would do. Every error that can be found in advance is reported here.
    pub fn plan(
        &self,
        data: &Dataset,
        kernel: &Expression,
        learner: &Learner,
        engine: &Engine,
    ) -> Result<Plan> {
        let grid = Grid::new(kernel, learner)?;
        let search = self.search(data, &grid, engine)?;
        kernel.columns_used(data)?;
        self.plan_of(data, &search, &grid, &self.nested_splits(data, &grid)?)
    }

    /// Runs the evaluation. With a path, inner scores are recorded there as they are computed, and an interrupted run
    /// resumes: its report is the same to the bit. A directory holds one such file per evaluation.
    pub fn run(
        &self,
        data: &Dataset,
        kernel: &Expression,
        learner: &Learner,
        engine: &Engine,
        journal: Option<&Path>,
    ) -> Result<EvaluationReport> {
        let checkup = engine.budget().enter(|| doctor::examine(data))?;
        self.run_examined(data, &checkup, (kernel, learner), engine, journal)
    }

    /// [`Evaluate::run`] on data that the doctor has examined.
    fn run_examined(
        &self,
        data: &Dataset,
        checkup: &Checkup,
        (kernel, learner): (&Expression, &Learner),
        engine: &Engine,
        journal: Option<&Path>,
    ) -> Result<EvaluationReport> {
        let grid = Grid::new(kernel, learner)?;
        let search = self.search(data, &grid, engine)?;
        let splits = self.nested_splits(data, &grid)?;
        let plan = self.plan_of(data, &search, &grid, &splits)?;
        let evaluation = search.nested_by(&splits, self.strategy, journal)?;
        let method = Method { kernel: kernel.clone(), learner: learner.clone() };
        EvaluationReport::new(self, data, method, &grid, &search, plan, &evaluation, checkup)
    }

    fn search<'a>(&self, data: &'a Dataset, grid: &'a Grid, engine: &'a Engine) -> Result<Search<'a>> {
        let search = Search::new(data, grid, self.score, engine, self.seed)?;
        for &score in &self.also {
            check_score(score, search.target())?;
            check_probabilities(score, grid)?;
        }
        super::distribution::check_probability("level", self.level)?;
        Ok(search)
    }

    /// The outer splits.
    fn splits(&self, data: &Dataset) -> Result<Splits> {
        match (&self.given, self.protocol) {
            (Some(given), Protocol::Given) => Ok(given.clone()),
            _ => Splits::new(&self.protocol, &Objects::of(data)?, self.seed),
        }
    }

    /// The outer splits with their inner splits; without inner splits where only one configuration is tried.
    fn nested_splits(&self, data: &Dataset, grid: &Grid) -> Result<Vec<Nested>> {
        if self.strategy.configurations(grid, self.seed)?.len() > 1 {
            let objects = Objects::of(data)?;
            if let (Some(given), Protocol::Given) = (&self.given, self.protocol) {
                return nested_in(given.clone(), &self.inner, &objects, self.seed).collect();
            }
            return nested(&self.protocol, &self.inner, &objects, self.seed)?.collect();
        }
        Ok(self.splits(data)?.iter().map(|outer| Nested { outer, inner: Vec::new() }).collect())
    }

    fn plan_of(&self, data: &Dataset, search: &Search<'_>, grid: &Grid, splits: &[Nested]) -> Result<Plan> {
        let inner = splits.iter().map(|d| d.inner.len()).sum();
        Ok(Plan {
            configurations: grid.len(),
            tried: self.strategy.configurations(grid, self.seed)?.len(),
            splits: splits.len(),
            inner_splits: inner,
            inner: self.inner.within(&self.protocol, data.groups().is_some()),
            fits: search.inner_fits(splits, self.strategy)? + splits.len(),
            bytes: search.bytes(),
        })
    }

    /// The measures to report, without duplicates; the one used for choosing comes first.
    fn measures(&self) -> Vec<Score> {
        let mut out = vec![self.score];
        for &score in &self.also {
            if !out.contains(&score) {
                out.push(score);
            }
        }
        out
    }

    /// Whether measures are computed over all test objects together rather than per split: with a single split, or one
    /// object in each.
    fn is_pooled(&self, splits: usize) -> bool {
        splits == 1 || self.protocol == Protocol::LeaveOneOut
    }
}
