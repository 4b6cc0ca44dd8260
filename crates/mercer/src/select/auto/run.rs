//! Candidates searched one after the other, within a time budget.

use std::time::{Duration, Instant};

use super::budget::{Budget, Measured};
use super::divide::{self, Division};
use super::propose::{Candidate, propose};
use super::report::{Guess, Report, Skipped, Summary, Trial};
use crate::data::{Dataset, Dense, Target};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::select::{Needs, Predicted, Predictions, Protocol, Score, Search, SearchMap, Split, Truth};

/// How data is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The outer divisions; by default ten folds, five for more than 400 objects. Groups are kept whole in any case.
    pub protocol: Option<Protocol>,
    /// What is compared; by default the accuracy of classes, the root mean squared error of numbers.
    pub score: Option<Score>,
    /// Time for search and fit; `None` for any. Two minutes by default.
    pub budget: Option<Duration>,
    /// The most objects to search on, chosen at random; 1500 by default.
    pub sample: usize,
    /// Seed of divisions and samples.
    pub seed: u64,
}

impl Default for Settings {
    fn default() -> Self {
        let budget = Some(Duration::from_secs(120));
        Settings { protocol: None, score: None, budget, sample: 1500, seed: 0 }
    }
}

/// What happens during a run.
#[derive(Debug)]
#[non_exhaustive]
pub enum Event<'a> {
    /// A candidate is being searched.
    Started {
        /// The candidate.
        candidate: &'a Candidate,
        /// Its number, from 1.
        number: usize,
        /// The number of candidates.
        of: usize,
    },
    /// It has its scores.
    Finished(&'a Trial),
    /// It has none.
    Skipped(&'a Skipped),
}

/// The share of the time that searching may take; the rest is for the fit.
const SEARCHING: f64 = 0.85;
/// Objects of the trial that says what a kernel costs.
const PROBE: usize = 40;

/// Searches the candidates that suit a data set, each with its ranges chosen inside the same outer divisions.
///
/// Cheap ones come first. A candidate is begun only when what fits took so far says that it will be done in time; should it not be,
/// it is stopped and has no score. The plain method always runs to its end. Whatever was not tried is listed in
/// [`Report::skipped`]. Scores depend on the data, the settings and the candidate alone: neither on the number of threads nor on
/// which others were tried. With more objects than [`Settings::sample`] a part of them is searched, classes in proportion.
///
/// Fails when there is no target, one class only or fewer than three members of all classes but one, a constant target,
/// fewer than three groups, or no kernel that suits; when interrupted; when no candidate could be fitted.
///
/// ```
/// use mercer::{data::generate, gram::Engine, select::auto};
/// let (data, engine) = (generate::half_moons(60, 0.1, 1)?, Engine::new());
/// let report = auto::run(&data, &auto::Settings::default(), &engine, &mut |_| {})?;
/// assert!(report.trials[0].summary.mean.unwrap() > report.guess.summary.mean.unwrap());
/// println!("{}", report.verdict().sentences.join(" "));
/// let model = report.refit(&data, &engine)?.model;
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn run(
    data: &Dataset,
    settings: &Settings,
    engine: &Engine,
    watch: &mut dyn FnMut(Event<'_>),
) -> Result<Report> {
    let budget = Budget::new(settings.budget);
    let mut warnings = divide::check(data)?;
    if settings.sample < 6 {
        return Err(Error::param("sample", settings.sample, "at least 6"));
    }
    let rows = divide::sample(data, settings.sample, settings.seed)?;
    let part = rows.as_ref().map(|rows| data.select(rows));
    let used = part.as_ref().unwrap_or(data);
    if rows.is_some() {
        divide::check(used)?;
    }
    let score = settings.score.unwrap_or(match used.target() {
        Some(Target::Numbers(_)) => Score::Rmse,
        _ => Score::Accuracy,
    });
    if score.needs() == Needs::Probabilities {
        return Err(Error::param("score", score, "a measure of classes, decision values or numbers"));
    }
    let (division, noticed) = divide::divide(used, settings.protocol, settings.seed)?;
    warnings.extend(noticed);
    let ratio = division.splits.test_per_train();
    let guess = guess(used, score, &division, ratio)?;
    let proposal = propose(used, engine)?;
    let of = proposal.candidates.len();
    let work = Work { used, score, division: &division, ratio, seed: settings.seed };
    let (mut trials, mut skipped, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let mut measured = Measured::default();
    for (at, candidate) in proposal.candidates.into_iter().enumerate() {
        engine.cancel().check()?;
        let fits = work.fits(&candidate)?;
        let learner = candidate.learner.name();
        let expected = measured.expect(learner, fits) + work.kernel_seconds(&candidate, engine);
        if !candidate.plain && expected > budget.left(SEARCHING) {
            let why = match budget.left(SEARCHING) {
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
        let done = match candidate.plain {
            true => work.search(&candidate, engine).map(Some),
            false => budget.during(SEARCHING, engine, |engine| work.search(&candidate, engine)),
        };
        let seconds = started.elapsed().as_secs_f64();
        let why = match done {
            Ok(Some(mut trial)) => {
                trial.seconds = seconds;
                measured.note(learner, fits, seconds);
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
    if let Some(rows) = &rows {
        // Numbers of objects are those of the whole.
        trials
            .iter_mut()
            .for_each(|t: &mut Trial| t.predictions.objects.iter_mut().for_each(|i| *i = rows[*i]));
    }
    let mut report = Report {
        objects: data.len(),
        used: used.len(),
        score,
        protocol: division.outer,
        inner: division.inner,
        divisions: division.nested.len(),
        guess,
        trials,
        skipped,
        unused: proposal.unused,
        warnings,
        searched: budget.spent(),
        seed: settings.seed,
        rows,
        budget,
    };
    report.rank(&division.splits)?;
    Ok(report)
}

/// What every candidate is given.
struct Work<'a> {
    used: &'a Dataset,
    score: Score,
    division: &'a Division,
    ratio: f64,
    seed: u64,
}

impl Work<'_> {
    /// The number of fits a candidate needs.
    fn fits(&self, candidate: &Candidate) -> Result<f64> {
        let inner: usize = self.division.nested.iter().map(|d| d.inner.len()).sum();
        Ok(candidate.cost()? * inner as f64 + self.division.nested.len() as f64)
    }

    /// About the seconds that a candidate's matrices take, from those of a few objects; 0 where a few cannot tell.
    fn kernel_seconds(&self, candidate: &Candidate, engine: &Engine) -> f64 {
        let few = self.used.select(&(0..self.used.len().min(PROBE)).collect::<Vec<_>>());
        let started = Instant::now();
        let matrix = || {
            let kernel = candidate.grid()?.kernels().first().cloned();
            let kernel = kernel.ok_or_else(|| Error::usage("no kernel"))?.fit(&few, engine)?.kernel;
            engine.gram(&kernel, &few).map(drop)
        };
        let (Ok(()), Ok(grid)) = (matrix(), candidate.grid()) else { return 0.0 };
        let larger = (self.used.len() as f64 / few.len().max(1) as f64).powi(2);
        // What is fitted is computed anew in each division; the others' matrices are cut out of one.
        let inner: usize = self.division.nested.iter().map(|d| d.inner.len()).sum();
        let times = if candidate.kernel.is_fitted() { inner / engine.threads().max(1) } else { 2 };
        started.elapsed().as_secs_f64() * larger * (grid.kernels().len() * times.max(1)) as f64
    }

    fn search(&self, candidate: &Candidate, engine: &Engine) -> Result<Trial> {
        let grid = candidate.grid()?;
        let search = Search::new(self.used, &grid, self.score, engine, self.seed)?;
        let done = search.nested(&self.division.nested, None)?;
        let scores: Vec<Option<f64>> = done.folds.iter().map(|f| f.score).collect();
        let unconverged = done.tuning.as_ref().map_or(0, |t| t.scores.unconverged())
            + done.folds.iter().filter(|f| !f.fold.converged).count();
        let summary = Summary::of(&scores, self.score, self.ratio)?;
        Ok(Trial {
            candidate: candidate.clone(),
            cells: grid.len(),
            chosen: done.folds.iter().map(|f| grid.describe(f.cell)).collect(),
            predictions: Predictions::of(self.used, search.target(), &done.folds)?,
            map: SearchMap::of(&grid, &done, self.score),
            scores,
            summary,
            unconverged,
            seconds: 0.0,
            against_guess: None,
            against_best: None,
        })
    }
}

/// The scores of always saying the training part's most frequent class, or its mean.
fn guess(data: &Dataset, score: Score, division: &Division, ratio: f64) -> Result<Guess> {
    let target = data.target().ok_or_else(|| Error::usage("there is no target to predict"))?;
    let one = |split: &Split| Ok(guessed(target, score, split)?.value());
    let scores = division.nested.iter().map(|d| one(&d.outer)).collect::<Result<Vec<_>>>()?;
    let name = match target {
        Target::Classes(_) => "always the most frequent class",
        Target::Numbers(_) => "always the mean",
    };
    Ok(Guess { name, summary: Summary::of(&scores, score, ratio)?, scores })
}

fn guessed(target: &Target, score: Score, split: &Split) -> Result<crate::select::Measured> {
    match target {
        Target::Classes(classes) => {
            let code = |i: &usize| classes.code(*i).map_or(0, |c| c as usize);
            let mut counts = vec![0usize; classes.levels().len()];
            split.train.iter().for_each(|i| counts[code(i)] += 1);
            // Of equals the first.
            let most = (0..counts.len()).max_by_key(|&k| (counts[k], std::cmp::Reverse(k))).unwrap_or(0);
            let truth: Vec<usize> = split.test.iter().map(code).collect();
            let decisions = Dense::zeros(truth.len(), counts.len());
            let labels = vec![most; truth.len()];
            let said =
                Predicted { labels: Some(&labels), decisions: Some(&decisions), ..Predicted::default() };
            score.measure(&Truth::Classes { codes: &truth, classes: counts.len() }, &said)
        }
        Target::Numbers(y) => {
            let n = split.train.len().max(1) as f64;
            let mean = split.train.iter().map(|&i| y[i] / n).sum::<f64>();
            let truth: Vec<f64> = split.test.iter().map(|&i| y[i]).collect();
            let said = vec![mean; truth.len()];
            score
                .measure(&Truth::Numbers(&truth), &Predicted { numbers: Some(&said), ..Predicted::default() })
        }
    }
}
