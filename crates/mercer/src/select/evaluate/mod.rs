//! Evaluating a kernel and a learner on data, and methods on several data sets.
//!
//! [`Evaluate`] holds the settings, [`Evaluate::plan`] says what would be done, [`Evaluate::run`] does it: nested
//! cross-validation where something is left open, plain cross-validation otherwise. The [`Report`] has the choice and the scores
//! of every division, means with confidence intervals, the baseline that knows nothing beside them, and what is worth a
//! warning. [`Contest`] evaluates several methods on the same divisions of several data sets.

mod alerts;
mod best;
mod contest;
mod json;
mod map;
mod predictions;
mod propagation;
mod report;
mod residuals;
#[cfg(test)]
mod tests;
mod verdict;

use std::path::Path;

pub use best::BestOf;
pub use contest::{Contest, Method};
pub use map::{SearchCell, SearchMap, SearchParameter};
pub use predictions::Predictions;
pub use report::{FoldReport, Report, Summary};
pub use residuals::LeaveOneOut;
pub use verdict::{ByMeasure, Verdict};

use super::search::{check_probabilities, check_score};
use super::{Grid, Nested, Objects, Protocol, Score, Search, Splits, Strategy, nested};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;

/// How kernels and learners are evaluated.
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
    /// The divisions that results are from.
    pub protocol: Protocol,
    /// The divisions of each training part that choices are made on.
    pub inner: Protocol,
    /// The measure that choices are made by, and that the verdict is about.
    pub score: Score,
    /// Other measures to report, in order.
    pub also: Vec<Score>,
    /// Which cells are tried.
    pub strategy: Strategy,
    /// Chooses divisions, cells, and whatever else is random.
    pub seed: u64,
    /// The level of confidence intervals.
    pub level: f64,
}

/// What an evaluation will do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The cells of the grid.
    pub cells: usize,
    /// How many of them are tried.
    pub tried: usize,
    /// The outer divisions.
    pub divisions: usize,
    /// The inner divisions of all of them; 0 when there is nothing to choose.
    pub inner_divisions: usize,
    /// The fits, on inner and outer divisions.
    pub fits: usize,
    /// Bytes of the matrices held at once, with this engine's threads.
    pub bytes: u64,
}

impl Evaluate {
    /// Settings that suit data: the parts it came with, or ten folds, of groups where there are groups (and as many as these allow), choices by five
    /// inner folds, every cell; accuracy, with balanced accuracy and the area under the ROC curve, for classes; the root mean
    /// square error, with the mean absolute error and R², for numbers.
    pub fn of(data: &Dataset) -> Result<Self> {
        let (score, also) = match data.target() {
            None => return Err(Error::usage("an evaluation needs a target to predict")),
            Some(Target::Classes(classes)) => {
                let area = if classes.levels().len() == 2 { Score::Auc } else { Score::AucMacro };
                (Score::Accuracy, vec![Score::BalancedAccuracy, area])
            }
            Some(Target::Numbers(_)) => (Score::Rmse, vec![Score::Mae, Score::R2]),
        };
        let protocol = match data.groups() {
            _ if data.test().is_some() => Protocol::TrainTest,
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
        })
    }

    /// What [`Evaluate::run`] would do. All that can be refused beforehand is refused here.
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
        self.plan_of(&search, &grid, &self.divisions(data, &grid)?)
    }

    /// Evaluates. With a path, the scores behind the choices are noted there as they come, and a run that was stopped goes on
    /// where it was: its report is the same to the bit. A folder holds one such file for each evaluation.
    pub fn run(
        &self,
        data: &Dataset,
        kernel: &Expression,
        learner: &Learner,
        engine: &Engine,
        journal: Option<&Path>,
    ) -> Result<Report> {
        let grid = Grid::new(kernel, learner)?;
        let search = self.search(data, &grid, engine)?;
        let divisions = self.divisions(data, &grid)?;
        let plan = self.plan_of(&search, &grid, &divisions)?;
        let evaluation = search.nested_by(&divisions, self.strategy, journal)?;
        let method = Method { kernel: kernel.clone(), learner: learner.clone() };
        Report::new(self, data, method, &grid, &search, plan, &evaluation)
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

    /// The outer divisions.
    fn splits(&self, data: &Dataset) -> Result<Splits> {
        Splits::new(&self.protocol, &Objects::of(data)?, self.seed)
    }

    /// The outer divisions with the inner ones; without any where one cell is tried.
    fn divisions(&self, data: &Dataset, grid: &Grid) -> Result<Vec<Nested>> {
        if self.strategy.cells(grid, self.seed)?.len() > 1 {
            let objects = Objects::of(data)?;
            return nested(&self.protocol, &self.inner, &objects, self.seed)?.collect();
        }
        Ok(self.splits(data)?.iter().map(|outer| Nested { outer, inner: Vec::new() }).collect())
    }

    fn plan_of(&self, search: &Search<'_>, grid: &Grid, divisions: &[Nested]) -> Result<Plan> {
        let inner = divisions.iter().map(|d| d.inner.len()).sum();
        Ok(Plan {
            cells: grid.len(),
            tried: self.strategy.cells(grid, self.seed)?.len(),
            divisions: divisions.len(),
            inner_divisions: inner,
            fits: search.inner_fits(divisions, self.strategy)? + divisions.len(),
            bytes: search.bytes(),
        })
    }

    /// The measures to report: the one choices are made by first, none twice.
    fn measures(&self) -> Vec<Score> {
        let mut out = vec![self.score];
        for &score in &self.also {
            if !out.contains(&score) {
                out.push(score);
            }
        }
        out
    }

    /// Whether objects are judged together rather than division by division: where there is one division, or one object in
    /// each.
    fn is_pooled(&self, divisions: usize) -> bool {
        divisions == 1 || self.protocol == Protocol::LeaveOneOut
    }
}
