//! Candidates searched one after the other, within a time budget.

use std::time::{Duration, Instant};

use super::clock::{Clock, Measured};
use super::divide::{self, Division};
use super::propose::{Candidate, propose};
use super::report::{Guess, Report, Scored, Skipped, Summary, Trial};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::select::search::{Answers, baseline};
use crate::select::{Needs, Predictions, Protocol, Score, Search, SearchMap, Split};

/// How data is searched.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The outer splits; by default the training and test set the data came with, otherwise ten folds, five for more than 400
    /// objects. Groups are kept whole in any case.
    pub protocol: Option<Protocol>,
    /// What is compared; by default the accuracy of classes, their balanced accuracy where one has more than three quarters of the
    /// objects, the root mean squared error of numbers.
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
    let clock = Clock::new(settings.budget);
    let mut warnings = divide::check(data, settings.score)?;
    if settings.sample < 6 {
        return Err(Error::param("sample", settings.sample, "at least 6"));
    }
    let rows = divide::sample(data, settings.sample, settings.seed)?;
    let part = rows.as_ref().map(|rows| data.select(rows));
    let used = part.as_ref().unwrap_or(data);
    if rows.is_some() {
        divide::check(used, settings.score)?;
    }
    let learning = divide::training(used);
    if used.test().is_some() {
        divide::check(&learning, settings.score)?;
    }
    let score = settings.score.unwrap_or_else(|| divide::default_score(&learning));
    if score.needs() == Needs::Probabilities {
        return Err(Error::param("score", score, "a measure of classes, decision values or numbers"));
    }
    let (division, noticed) = divide::divide(used, settings.protocol, settings.seed)?;
    warnings.extend(noticed);
    let work = Work {
        used,
        score,
        also: divide::other_scores(used, score),
        division: &division,
        pooled: division.nested.len() == 1 || division.outer == Protocol::LeaveOneOut,
        ratio: division.splits.test_per_train(),
        seed: settings.seed,
    };
    let guess = work.guess()?;
    let proposal = propose(if division.outer == Protocol::TrainTest { &learning } else { used }, engine)?;
    let of = proposal.candidates.len();
    let (mut trials, mut skipped, mut failures) = (Vec::new(), Vec::new(), Vec::new());
    let mut measured = Measured::default();
    for (at, candidate) in proposal.candidates.into_iter().enumerate() {
        engine.budget().check()?;
        let fits = work.fits(&candidate)?;
        let learner = candidate.learner.name();
        let expected = measured.expect(learner, fits) + work.kernel_seconds(&candidate, engine);
        if !candidate.plain && expected > clock.left(SEARCHING) {
            let why = match clock.left(SEARCHING) {
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
            false => clock.during(SEARCHING, engine, |engine| work.search(&candidate, engine)),
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
        searched: clock.spent(),
        pooled: work.pooled,
        also: work.also.clone(),
        beyond: Vec::new(),
        seed: settings.seed,
        rows,
        clock,
    };
    report.rank(&division.splits)?;
    Ok(report)
}

/// What every candidate is given.
struct Work<'a> {
    used: &'a Dataset,
    score: Score,
    /// Other measures, for the verdict.
    also: Vec<Score>,
    division: &'a Division,
    /// Whether objects are judged together rather than split by split: there is one split, or one object in each.
    pooled: bool,
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
        let mut answers = Answers::new(search.target());
        for fold in &done.folds {
            answers.add(search.target(), &fold.split.test, &fold.fold.prediction)?;
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
            cells: grid.len(),
            chosen: done.folds.iter().map(|f| grid.describe(f.cell)).collect(),
            predictions: Predictions::of(self.used, search.target(), &done.folds)?,
            map: SearchMap::of(&grid, &done, self.score),
            scores,
            summary,
            also,
            answers,
            unconverged,
            seconds: 0.0,
            against_guess: None,
            against_best: None,
        })
    }

    /// Scores of one measure, put together.
    fn scored(&self, score: Score, scores: Vec<Option<f64>>, answers: &Answers) -> Result<Scored> {
        let summary = match self.pooled {
            true => Summary::of_objects(answers, score, score == self.score, self.seed)?,
            false => Summary::of(&scores, score, self.ratio)?,
        };
        Ok(Scored { scores, summary })
    }

    /// The baseline on the same splits.
    fn guess(&self) -> Result<Guess> {
        let target = self.used.target().ok_or_else(|| Error::usage("there is no target to predict"))?;
        let mut all = Answers::new(target);
        let mut scores = vec![Vec::new(); 1 + self.also.len()];
        for nested in &self.division.nested {
            let split: &Split = &nested.outer;
            let prediction = baseline(target, split, &self.division.outer)?;
            let mut one = Answers::new(target);
            one.add(target, &split.test, &prediction)?;
            all.add(target, &split.test, &prediction)?;
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
        Ok(Guess { name, scores: first.scores, summary: first.summary, also, answers: all })
    }
}
