//! Searches candidates one after the other, within a time budget.

use std::time::Duration;

use super::claim::claim;
use super::clock::Clock;
use super::contributions::contributions;
use super::depth::deepen;
use super::propose::{Candidate, propose};
use super::report::{AutoReport, Skipped, Trial};
use super::session::Session;
use super::split::{self, DataSplit};
use super::whole::{self, OnAll};
use super::work::Work;
use crate::data::Dataset;
use crate::doctor::{self, Checkup};
use crate::error::{Error, Result, Warning, bytes};
use crate::gram::Engine;
use crate::select::{Needs, Protocol, Score, Search};

/// Settings of a run.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AutoSettings {
    /// The outer splits, of the training set where a test set is given. The default is ten folds, five for more than 400
    /// objects, three for more than four million numbers, or five in the order of time for objects with times. Groups are
    /// always kept whole.
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
        /// The number of candidates known so far.
        of: usize,
        /// The seconds left for searching; infinity without a limit.
        left: f64,
    },
    /// A candidate is scored on all objects.
    Scoring {
        /// The candidate.
        candidate: &'a Candidate,
        /// The number of objects.
        objects: usize,
        /// The seconds that it may take; infinity without a limit.
        left: f64,
    },
    /// A candidate has its scores.
    Finished(&'a Trial),
    /// A candidate was skipped or failed.
    Skipped(&'a Skipped),
}

/// The share of the time budget that looking for faults in the data may take; it has at least so many seconds.
const EXAMINING: f64 = 0.2;
const LEAST: f64 = 1.0;
/// The share that may be used when the score to expect on new data is known; it has at least [`LEAST`] seconds.
const CLAIMING: f64 = 0.97;
/// The share of the time budget for searching; the rest is for the final fit.
const SEARCHING: f64 = 0.8;
/// The same where a sample is searched, and the best are then scored on all objects.
const SCREENING: f64 = 0.4;

/// Searches the candidates proposed for a data set, with parameters chosen inside the same outer splits.
///
/// Cheap candidates come first. A candidate is started only if it is expected to finish in time, judging by earlier
/// fits. If it does not, it is stopped and has no score. The simple baseline always runs to completion. Candidates not
/// tried are listed in [`AutoReport::skipped`].
///
/// Then ranges are widened where the best value is at an edge, and the best kernels are added, as long as the best score
/// improves. Last comes a blend, the weighted mean of the predictions of some of the methods, if it can be judged: its weights for
/// a split are chosen on the held-out predictions for the other splits. It is best only if it beats every single method by more than one
/// standard error of the difference over the splits.
///
/// Scores depend only on the data, the settings and the candidate, not on the number of threads or on other candidates.
/// With more objects than [`AutoSettings::sample`], a stratified sample of them is searched, and the best candidates are scored on
/// splits of all objects: parameters are chosen on a sample of each training set, and the method is fitted to all of it.
/// More than 5000 objects are learned through explicit features or landmarks.
///
/// After an interruption the report has the candidates that were finished, if there are any
/// ([`AutoReport::is_interrupted`]).
///
/// Of data with a predefined test set, only the training set is used: no object of the test set has a part in any choice.
/// [`AutoReport::test_model`] scores the final model on the test set, once.
///
/// Fails in these cases: no target, a single class, fewer than three members in all classes but one, a constant target,
/// fewer than three groups, or no kernel for the columns; interruption before a candidate was finished; no candidate could be fitted.
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
    let requested = match settings.protocol {
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
    let score = settings.score.unwrap_or_else(|| Score::suiting(learning));
    if score.needs() == Needs::Probabilities {
        return Err(Error::param("score", score, "a measure of classes, decision values or numbers"));
    }
    let most = (EXAMINING * clock.left(1.0)).max(LEAST);
    let examine = |engine: &Engine| engine.budget().enter(|| doctor::examine(data));
    let checkup = clock.within(most, engine, examine)?;
    let unchecked = checkup.is_none();
    let checkup = checkup.unwrap_or_default();
    let (mut sample, short) = within_memory(learning.len().min(settings.sample), engine);
    let asked = sample;
    let mut warnings = data_warnings(&checkup, settings.score);
    warnings.extend(short);
    if unchecked {
        let message = format!(
            "the data was not searched for faults, which takes more than {most:.0} s: mercer inspect does it"
        );
        warnings.push(Warning::new("W_UNCHECKED", message));
    }
    let whole = Whole { data, learning, checkup, requested, score, clock, seed: settings.seed };
    loop {
        let is_last = sample <= FEWEST;
        if sample < asked {
            let message = format!(
                "the search uses {sample} in place of {asked} objects: the simple baseline alone would take too long"
            );
            warnings.push(Warning::new("W_TIME", message));
        }
        match whole.searched(sample, is_last, warnings.clone(), engine, watch)? {
            Some(report) => return Ok(report),
            None => sample = (sample / FEWER).max(FEWEST),
        }
        warnings.retain(|w| w.code != "W_TIME");
    }
}

/// Of more objects than this, fewer are searched where the simple baseline takes too long.
const FEWEST: usize = 400;
/// The factor by which there are fewer.
const FEWER: usize = 3;

/// All objects and what is the same for every sample of them.
struct Whole<'a> {
    data: &'a Dataset,
    learning: &'a Dataset,
    checkup: Checkup,
    requested: Option<Protocol>,
    score: Score,
    clock: Clock,
    seed: u64,
}

impl Whole<'_> {
    /// The report of a search on a sample of this many objects; none where its simple baseline takes too long, unless the sample is
    /// the last.
    fn searched(
        &self,
        sample: usize,
        is_last: bool,
        mut warnings: Vec<Warning>,
        engine: &Engine,
        watch: &mut dyn FnMut(Event<'_>),
    ) -> Result<Option<AutoReport>> {
        let &Whole { data, learning, score, seed, .. } = self;
        let rows = split::sample(learning, sample, seed)?.map(|rows| split::with_gaps(learning, rows));
        let part = rows.as_ref().map(|rows| learning.select(rows));
        let used = part.as_ref().unwrap_or(learning);
        if rows.is_some() {
            split::check(used)?;
        }
        let (split, noticed) = split::split(used, self.requested, seed)?;
        warnings.extend(noticed);
        let also = split::other_scores(used, score);
        let work = Work::new(used, &split, (score, &also), seed);
        let baseline = work.baseline()?;
        let proposal = propose(used, engine)?;
        let share = if rows.is_some() { SCREENING } else { SEARCHING };
        let mut session = Session::new(&self.clock, engine, watch, share);
        session.is_last = is_last;
        let done = self.search(&mut session, &work, proposal.candidates, rows.is_some());
        let Session { trials, skipped, failures, is_too_slow, .. } = session;
        if is_too_slow {
            return Ok(None);
        }
        // What was found before an interruption is kept.
        let is_interrupted = matches!(done, Err(Error::Interrupted)) && !trials.is_empty();
        let on_all = match done {
            Ok(on_all) => on_all,
            Err(_) if is_interrupted => None,
            Err(error) => return Err(error),
        };
        if trials.is_empty() {
            let first = failures.into_iter().next();
            return Err(first.unwrap_or_else(|| Error::usage("no candidate could be tried")));
        }
        let rest = if is_interrupted { engine.budget().renewed() } else { engine.budget().clone() };
        let engine = &engine.clone().with_budget(rest.clone());
        rest.enter(|| {
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
                screened: Vec::new(),
                skipped,
                unused: proposal.unused,
                warnings,
                searched: self.clock.spent(),
                is_interrupted,
                pooled: work.pooled,
                also: also.clone(),
                beyond: Vec::new(),
                claim: None,
                contributions: Vec::new(),
                scaffolds: None,
                caveat: None,
                seed,
                rows,
                clock: self.clock.clone(),
            };
            report.rank(&split.splits)?;
            let on_sample = report.single().filter(|_| !is_interrupted).cloned();
            if let Some((all, split)) = on_all {
                report.prefer(all, &split)?;
            }
            report.contributions = contributions(used, &report.trials, score)?;
            if let Some(best) = on_sample {
                report.scaffolds = work.over_scaffolds(&best, &report.clock, engine)?;
            }
            report.number_objects(data);
            let seconds = self.clock.left(CLAIMING).max(LEAST);
            let expected = |engine: &Engine| engine.budget().enter(|| claim(&report.trials, score, seed));
            report.claim = self.clock.within(seconds, engine, expected)?.flatten();
            if let Some(best) = report.trials.first() {
                report.caveat = self.checkup.caveat(data, &best.candidate.kernel.columns_used(used)?);
            }
            let suspects = report.trials.first().and_then(|best| best.predictions.suspects());
            report.warnings.extend(suspects.map(|finding| finding.warning()));
            Ok(Some(report))
        })
    }

    /// Searches the candidates, then goes on from the best; with more objects than are searched, the best are scored on all.
    fn search(
        &self,
        session: &mut Session<'_>,
        work: &Work<'_>,
        candidates: Vec<Candidate>,
        is_sampled: bool,
    ) -> Result<Option<(OnAll, DataSplit)>> {
        session.try_all(work, candidates)?;
        if session.trials.is_empty() {
            return Ok(None);
        }
        deepen(session, work)?;
        if !is_sampled {
            session.blend(work)?;
            return Ok(None);
        }
        let (split, _) = split::split_all(self.learning, self.requested, self.seed)?;
        let all = Work::new(self.learning, &split, (self.score, work.also), self.seed);
        let found = whole::score(session, work, &all)?;
        Ok(found.map(|found| (found, split)))
    }
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

/// What the doctor finds in the data, without what the requested score takes care of.
fn data_warnings(checkup: &Checkup, requested: Option<Score>) -> Vec<Warning> {
    let mut warnings = checkup.warnings();
    warnings.retain(|w| w.code != "W_IMBALANCE" || requested.is_none_or(Score::counts_objects));
    warnings
}
