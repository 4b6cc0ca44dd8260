//! Searches candidates one after the other, within a time budget.

use std::time::{Duration, Instant};

use super::clock::{Clock, Measured};
use super::propose::{Candidate, propose};
use super::report::{AutoReport, BaselineResult, ScoreSummary, Scored, Skipped, Trial};
use super::scaffolds::{ScaffoldGap, grouped};
use super::split::{self, DataSplit};
use crate::data::{Dataset, Target};
use crate::doctor::{self, Checkup};
use crate::error::{Error, Result, Warning, bytes};
use crate::gram::Engine;
use crate::select::search::{Answers, baseline};
use crate::select::{Needs, Predictions, Protocol, Score, Search, SearchMap, Split};

/// Settings of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutoSettings {
    /// The outer splits, of the training set where a test set is given. The default is ten folds, five for more than 400
    /// objects, or five in the order of time for objects with times. Groups are always kept whole.
    pub protocol: Option<Protocol>,
    /// The measure by which candidates are compared. The default is accuracy for classes, balanced accuracy where one
    /// class has more than three quarters of the objects, and the root mean squared error for numbers.
    pub score: Option<Score>,
    /// The time budget for search and fit; `None` for no limit. Two minutes by default.
    pub budget: Option<Duration>,
    /// The maximum number of objects used in the search, sampled at random; 1500 by default. Fewer are used where their
    /// matrices do not fit into memory (`W_MEMORY`).
    pub sample: usize,
    /// The seed for splits and samples.
    pub seed: u64,
}

impl Default for AutoSettings {
    fn default() -> Self {
        let budget = Some(Duration::from_secs(120));
        AutoSettings { protocol: None, score: None, budget, sample: 1500, seed: 0 }
    }
}

/// Progress events of a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// The search of a candidate starts.
    Started {
        /// The candidate.
        candidate: &'a Candidate,
        /// Its number, from 1.
        number: usize,
        /// The number of candidates.
        of: usize,
    },
    /// A candidate has its scores.
    Finished(&'a Trial),
    /// A candidate was skipped or failed.
    Skipped(&'a Skipped),
}

/// The share of the time budget for searching; the rest is for the final fit.
const SEARCHING: f64 = 0.85;
/// The same with the time for the score of molecules with new scaffolds.
const WITH_SCAFFOLDS: f64 = 0.95;
/// The share of the time left for searching that estimating the cost of a kernel may take.
const PROBING: f64 = 0.2;
/// The number of objects used to estimate the cost of a kernel.
const PROBE: usize = 40;

/// Searches the candidates proposed for a data set, with parameters chosen inside the same outer splits.
///
/// Cheap candidates come first. A candidate is started only if it is expected to finish in time, judging by earlier
/// fits. If it does not, it is stopped and has no score. The simple baseline always runs to completion. Candidates not
/// tried are listed in [`AutoReport::skipped`].
///
/// Scores depend only on the data, the settings and the candidate, not on the number of threads or on other candidates.
/// With more objects than [`AutoSettings::sample`], a stratified sample of them is searched.
///
/// Of data with a predefined test set, only the training set is used: no object of the test set has a part in any choice.
/// [`AutoReport::test_model`] scores the final model on the test set, once.
///
/// Fails in these cases: no target, a single class, fewer than three members in all classes but one, a constant target,
/// fewer than three groups, or no kernel for the columns; interruption; no candidate could be fitted.
///
/// ```
/// use mercer::{data::generate, gram::Engine, select::auto};
/// let (data, engine) = (generate::half_moons(60, 0.1, 1)?, Engine::new());
/// let report = auto::run(&data, &auto::AutoSettings::default(), &engine, &mut |_| {})?;
/// assert!(report.trials[0].summary.mean.unwrap() > report.baseline.summary.mean.unwrap());
/// println!("{}", report.verdict().sentences.join(" "));
/// let model = report.refit(&data, &engine)?.model;
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn run(
    data: &Dataset,
    settings: &AutoSettings,
    engine: &Engine,
    watch: &mut dyn FnMut(Event<'_>),
) -> Result<AutoReport> {
    let clock = Clock::new(settings.budget);
    let protocol = match settings.protocol {
        Some(Protocol::TrainTest) if data.test().is_none() => {
            return Err(Error::usage(
                "train-test needs data with a predefined training and test set, and this data has none",
            ));
        }
        // The test set is for the final model; the methods are compared within the training set.
        Some(Protocol::TrainTest) => None,
        other => other,
    };
    let learning = split::training(data);
    let learning = learning.as_ref();
    split::check(learning)?;
    if settings.sample < 6 {
        return Err(Error::param("sample", settings.sample, "at least 6"));
    }
    let (sample, short) = within_memory(learning.len().min(settings.sample), engine);
    let rows = split::sample(learning, sample, settings.seed)?.map(|rows| with_gaps(learning, rows));
    let part = rows.as_ref().map(|rows| learning.select(rows));
    let used = part.as_ref().unwrap_or(learning);
    if rows.is_some() {
        split::check(used)?;
    }
    let score = settings.score.unwrap_or_else(|| Score::suiting(used));
    let checkup = engine.budget().enter(|| doctor::examine(data))?;
    let mut warnings = data_warnings(&checkup, settings.score);
    warnings.extend(short);
    if score.needs() == Needs::Probabilities {
        return Err(Error::param("score", score, "a measure of classes, decision values or numbers"));
    }
    let (split, noticed) = split::split(used, protocol, settings.seed)?;
    warnings.extend(noticed);
    let work = Work {
        used,
        score,
        also: split::other_scores(used, score),
        split: &split,
        pooled: split.nested.len() == 1 || split.outer == Protocol::LeaveOneOut,
        ratio: split.splits.test_per_train(),
        seed: settings.seed,
    };
    let baseline = work.baseline()?;
    let proposal = propose(used, engine)?;
    let of = proposal.candidates.len();
    let (mut trials, mut skipped, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let mut measured = Measured::default();
    for (at, candidate) in proposal.candidates.into_iter().enumerate() {
        engine.budget().check()?;
        let fits = work.fits(&candidate)?;
        // A learned penalty takes longer than a given one.
        let learner = if candidate.learner.learns_lambda() { "learned" } else { candidate.learner.name() };
        let of_kernel = match candidate.simple {
            true => 0.0,
            false => work.kernel_seconds(&candidate, &clock, engine)?,
        };
        let expected = measured.expect(learner, fits) + of_kernel;
        if !candidate.simple && expected > clock.left(SEARCHING) {
            let why = match clock.left(SEARCHING) {
                left if left > 0.0 && expected.is_infinite() => {
                    format!("its kernel takes too long for the {left:.0} s that were left")
                }
                left if left > 0.0 => {
                    format!("it would take about {expected:.0} s, and {left:.0} s were left")
                }
                _ => "the time was used up".into(),
            };
            let skip = Skipped { candidate, why };
            watch(Event::Skipped(&skip));
            skipped.push(skip);
            continue;
        }
        watch(Event::Started { candidate: &candidate, number: at + 1, of });
        let started = Instant::now();
        let done = match candidate.simple {
            true => work.search(&candidate, engine).map(Some),
            false => clock.during(SEARCHING, engine, |engine| work.search(&candidate, engine)),
        };
        let seconds = started.elapsed().as_secs_f64();
        let why = match done {
            Ok(Some(mut trial)) => {
                trial.seconds = seconds;
                measured.note(learner, fits, (seconds - of_kernel).max(0.0));
                watch(Event::Finished(&trial));
                trials.push(trial);
                continue;
            }
            Ok(None) => format!("stopped after {seconds:.0} s: the time was used up"),
            Err(error @ (Error::Interrupted | Error::Io { .. })) => return Err(error),
            Err(error) => {
                let why = error.to_string();
                failures.push(error);
                why
            }
        };
        let skip = Skipped { candidate, why };
        watch(Event::Skipped(&skip));
        skipped.push(skip);
    }
    if trials.is_empty() {
        let first = failures.into_iter().next();
        return Err(first.unwrap_or_else(|| Error::usage("no candidate could be tried")));
    }
    // Object numbers refer to the whole data.
    let whole: Option<Vec<usize>> = data.test().map(|test| (0..data.len()).filter(|&i| !test[i]).collect());
    for objects in trials.iter_mut().map(|t: &mut Trial| &mut t.predictions.objects) {
        for i in objects.iter_mut() {
            *i = rows.as_ref().map_or(*i, |rows| rows[*i]);
            *i = whole.as_ref().map_or(*i, |whole| whole[*i]);
        }
    }
    let mut report = AutoReport {
        objects: learning.len(),
        tested: data.len() - learning.len(),
        used: used.len(),
        score,
        protocol: split.outer,
        inner: split.inner,
        splits: split.nested.len(),
        baseline,
        trials,
        skipped,
        unused: proposal.unused,
        warnings,
        searched: clock.spent(),
        pooled: work.pooled,
        also: work.also.clone(),
        beyond: Vec::new(),
        scaffolds: None,
        caveat: None,
        seed: settings.seed,
        rows,
        clock,
    };
    report.rank(&split.splits)?;
    report.scaffolds = work.over_scaffolds(&report, settings.seed, engine)?;
    if let Some(best) = report.trials.first() {
        report.caveat = checkup.caveat(data, &best.candidate.kernel.columns_used(used)?);
    }
    let suspects = report.trials.first().and_then(|best| best.predictions.suspects());
    report.warnings.extend(suspects.map(|finding| finding.warning()));
    Ok(report)
}

/// The kernels of a search whose matrices are in memory at once.
const FAMILY: usize = 4;

/// The number of objects that can be searched: all of a sample, unless its matrices do not fit into memory; then as many as
/// fit, with a warning.
fn within_memory(sample: usize, engine: &Engine) -> (usize, Option<Warning>) {
    let Some(room) = engine.memory() else { return (sample, None) };
    let needed = |n: usize| Search::memory_needed(n, FAMILY, engine.threads());
    if needed(sample) <= room {
        return (sample, None);
    }
    // The need grows with the square. A fifth is left for the data and for coordinates.
    let most = (0.8 * room as f64 / needed(1).max(1) as f64).sqrt() as usize;
    let used = most.clamp(6, sample.max(6));
    let message = format!(
        "the search uses {used} in place of {sample} objects: their matrices would need {}, and {} may be used",
        bytes(needed(sample)),
        bytes(room)
    );
    (used, Some(Warning::new("W_MEMORY", message)))
}

/// The objects of a sample and, for every column with missing values of which the sample has none, an object that lacks
/// one: kernels that are proposed for the sample must suit all objects.
fn with_gaps(data: &Dataset, mut rows: Vec<usize>) -> Vec<usize> {
    for column in data.columns().iter().filter(|c| c.missing() > 0) {
        if !rows.iter().any(|&i| column.values.is_missing(i)) {
            rows.extend((0..data.len()).find(|&i| column.values.is_missing(i)));
        }
    }
    rows
}

/// What the doctor finds in the data, without what the requested score takes care of.
fn data_warnings(checkup: &Checkup, requested: Option<Score>) -> Vec<Warning> {
    let mut warnings = checkup.warnings();
    warnings.retain(|w| w.code != "W_IMBALANCE" || requested.is_none_or(Score::counts_objects));
    warnings
}

/// The inputs shared by all candidates.
struct Work<'a> {
    used: &'a Dataset,
    score: Score,
    /// Other measures, for the verdict.
    also: Vec<Score>,
    split: &'a DataSplit,
    /// Whether measures are computed over all test objects together rather than per split: with a single split, or one
    /// object in each.
    pooled: bool,
    ratio: f64,
    seed: u64,
}

impl Work<'_> {
    /// The number of fits a candidate needs.
    fn fits(&self, candidate: &Candidate) -> Result<f64> {
        let inner: usize = self.split.nested.iter().map(|d| d.inner.len()).sum();
        let inner = if candidate.grid()?.len() > 1 { inner } else { 0 };
        Ok(candidate.cost()? * inner as f64 + self.split.nested.len() as f64)
    }

    /// Estimates the seconds for a candidate's matrices from those of a few objects: 0 where the estimate fails, infinite
    /// where they alone take too long.
    fn kernel_seconds(&self, candidate: &Candidate, clock: &Clock, engine: &Engine) -> Result<f64> {
        let grid = candidate.grid()?;
        let Some(kernel) = grid.kernels().first() else { return Ok(0.0) };
        let seconds = |objects: usize, engine: &Engine| -> Result<f64> {
            let few = self.used.select(&(0..self.used.len().min(objects)).collect::<Vec<_>>());
            let started = Instant::now();
            engine.gram(&kernel.fit(&few, engine)?.kernel, &few)?;
            Ok(started.elapsed().as_secs_f64())
        };
        let both = |engine: &Engine| -> Result<(f64, f64)> {
            Ok((seconds(PROBE, engine)?, seconds(2 * PROBE, engine)?))
        };
        let (small, twice) = match clock.within(PROBING * clock.left(SEARCHING), engine, both) {
            Ok(Some(both)) => both,
            Ok(None) => return Ok(f64::INFINITY),
            Err(error @ (Error::Interrupted | Error::Time { .. })) => return Err(error),
            Err(_) => return Ok(0.0),
        };
        // The work per object grows with the objects, that per pair with their square: two sizes tell which prevails.
        let growth = (twice / small.max(1e-9)).log2().clamp(1.0, 2.0);
        let larger = (self.used.len() as f64 / (2 * PROBE) as f64).max(1.0).powf(growth);
        // Fitted kernels are computed again in each split; for others, all splits select from one matrix. With one
        // configuration there is nothing to choose in inner splits.
        let inner: usize = self.split.nested.iter().map(|d| d.inner.len()).sum();
        let splits = self.split.nested.len() + if grid.len() > 1 { inner } else { 0 };
        let times = if candidate.kernel.is_fitted() { splits / engine.threads().max(1) } else { 2 };
        Ok(twice * larger * (grid.kernels().len() * times.max(1)) as f64)
    }

    fn search(&self, candidate: &Candidate, engine: &Engine) -> Result<Trial> {
        let grid = candidate.grid()?;
        let search = Search::new(self.used, &grid, self.score, engine, self.seed)?;
        let done = search.nested(&self.split.nested, None)?;
        let mut answers = Answers::new(search.target());
        for fold in &done.folds {
            answers.add(search.target(), &fold.split.test, &fold.fold.prediction)?;
            answers.add_groups(self.used.groups(), &fold.split.test);
        }
        let scores: Vec<Option<f64>> = done.folds.iter().map(|f| f.score).collect();
        let unconverged = done.tuning.as_ref().map_or(0, |t| t.scores.unconverged())
            + done.folds.iter().filter(|f| !f.fold.converged).count();
        let mut also = Vec::with_capacity(self.also.len());
        for &score in &self.also {
            also.push(self.scored(score, done.measured(&search, score)?, &answers)?);
        }
        let summary = self.scored(self.score, scores.clone(), &answers)?.summary;
        Ok(Trial {
            candidate: candidate.clone(),
            configurations: grid.len(),
            chosen: done.folds.iter().map(|f| grid.describe(f.configuration)).collect(),
            predictions: Predictions::of(self.used, search.target(), &done.folds)?,
            map: SearchMap::of(&grid, &done, self.score),
            scores,
            summary,
            also,
            answers,
            unconverged,
            seconds: 0.0,
            against_baseline: None,
            against_best: None,
        })
    }

    /// The scores of one measure with their summary.
    fn scored(&self, score: Score, scores: Vec<Option<f64>>, answers: &Answers) -> Result<Scored> {
        let summary = match self.pooled {
            true => ScoreSummary::of_objects(answers, score, score == self.score, self.seed)?,
            false => ScoreSummary::of(&scores, score, self.ratio)?,
        };
        Ok(Scored { scores, summary })
    }

    /// The best method on splits by scaffold, if the objects are molecules and the time suffices.
    fn over_scaffolds(&self, report: &AutoReport, seed: u64, engine: &Engine) -> Result<Option<ScaffoldGap>> {
        let Some(best) = report.trials.first() else { return Ok(None) };
        let Some((data, protocol, scaffolds)) = grouped(self.used, self.split.outer)? else {
            return Ok(None);
        };
        let mut gap = ScaffoldGap {
            protocol: protocol.to_string(),
            scaffolds,
            score: None,
            at_random: best.summary.mean,
            why: None,
        };
        let (expected, left) = (best.seconds, report.clock.left(WITH_SCAFFOLDS));
        if expected > left {
            let left = left.max(0.0);
            gap.why = Some(format!("it would take about {expected:.0} s, and {left:.0} s were left"));
            return Ok(Some(gap));
        }
        let measure = |engine: &Engine| {
            let (split, _) = split::split(&data, Some(protocol), seed)?;
            let (pooled, ratio) = (split.nested.len() == 1, split.splits.test_per_train());
            let work = Work { used: &data, split: &split, also: Vec::new(), pooled, ratio, ..*self };
            work.search(&best.candidate, engine)
        };
        match report.clock.during(WITH_SCAFFOLDS, engine, measure) {
            Ok(Some(trial)) => gap.score = trial.summary.mean,
            Ok(None) => gap.why = Some("the time was used up".into()),
            Err(error @ (Error::Interrupted | Error::Io { .. })) => return Err(error),
            Err(error) => gap.why = Some(error.to_string()),
        }
        Ok(Some(gap))
    }

    /// The baseline on the same splits.
    fn baseline(&self) -> Result<BaselineResult> {
        let target = self.used.target().ok_or_else(|| Error::usage("there is no target to predict"))?;
        let mut all = Answers::new(target);
        let mut scores = vec![Vec::new(); 1 + self.also.len()];
        for nested in &self.split.nested {
            let split: &Split = &nested.outer;
            let prediction = baseline(target, split, &self.split.outer)?;
            let mut one = Answers::new(target);
            one.add(target, &split.test, &prediction)?;
            all.add(target, &split.test, &prediction)?;
            all.add_groups(self.used.groups(), &split.test);
            for (scores, &score) in scores.iter_mut().zip([self.score].iter().chain(&self.also)) {
                scores.push(one.measure(score)?.value());
            }
        }
        let name = match target {
            Target::Classes(_) => "majority-class baseline",
            Target::Numbers(_) => "mean baseline",
        };
        let mut scores = scores.into_iter();
        let first = self.scored(self.score, scores.next().unwrap_or_default(), &all)?;
        let also = self
            .also
            .iter()
            .zip(scores)
            .map(|(&score, values)| self.scored(score, values, &all))
            .collect::<Result<_>>()?;
        Ok(BaselineResult { name, scores: first.scores, summary: first.summary, also, answers: all })
    }
}
