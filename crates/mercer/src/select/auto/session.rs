//! Candidates tried one after the other, within a time budget.

use std::time::{Duration, Instant};

use super::blend;
use super::clock::{Clock, Measured};
use super::propose::Candidate;
use super::report::{Skipped, Trial};
use super::run::Event;
use super::work::Work;
use crate::error::{Error, Result};
use crate::gram::Engine;

/// The share of the time left for searching that the simple baseline may take before fewer objects are searched.
const SIMPLE: f64 = 0.4;
/// It may take this many seconds however short the time is.
const LEAST: f64 = 1.0;

/// The share of the time budget within which the members of a blend must be fitted again.
const BLENDING: f64 = 0.95;
/// The time of a fit to all objects, compared with one to a training set and its search.
const REFIT: f64 = 1.5;

/// What was tried so far.
pub(super) struct Session<'a> {
    pub(super) clock: &'a Clock,
    pub(super) engine: &'a Engine,
    pub(super) watch: &'a mut dyn FnMut(Event<'_>),
    /// The share of the time budget after which no candidate is searched.
    pub(super) share: f64,
    pub(super) trials: Vec<Trial>,
    pub(super) skipped: Vec<Skipped>,
    pub(super) failures: Vec<Error>,
    /// Whether the simple baseline is tried however long it takes, without a choice of parameters if need be.
    pub(super) is_last: bool,
    /// Whether the simple baseline took too long, and nothing else was tried.
    pub(super) is_too_slow: bool,
    measured: Measured,
    /// The number of the last candidate, and the number of all known so far.
    number: usize,
    of: usize,
}

impl<'a> Session<'a> {
    pub(super) fn new(
        clock: &'a Clock,
        engine: &'a Engine,
        watch: &'a mut dyn FnMut(Event<'_>),
        share: f64,
    ) -> Self {
        let (trials, skipped, failures) = (Vec::new(), Vec::new(), Vec::new());
        let measured = Measured::default();
        Session {
            clock,
            engine,
            watch,
            share,
            trials,
            skipped,
            failures,
            is_last: true,
            is_too_slow: false,
            measured,
            number: 0,
            of: 0,
        }
    }

    /// Tries candidates in order. A candidate that is not expected to finish in time, or does not, has no score.
    pub(super) fn try_all(&mut self, work: &Work<'_>, candidates: Vec<Candidate>) -> Result<()> {
        self.of += candidates.len();
        for candidate in candidates {
            self.attempt(work, candidate)?;
            if self.is_too_slow {
                return Ok(());
            }
        }
        Ok(())
    }

    fn attempt(&mut self, work: &Work<'_>, mut candidate: Candidate) -> Result<()> {
        self.engine.budget().check()?;
        self.number += 1;
        let fits = work.fits(&candidate)?;
        // A learned penalty takes longer than a given one.
        let learner = if candidate.learner.learns_lambda() { "learned" } else { candidate.learner.name() };
        let of_kernel = match candidate.simple {
            true => 0.0,
            false => work.kernel_seconds(&candidate, self.share, self.clock, self.engine)?,
        };
        let expected = self.measured.expect(learner, fits) + of_kernel;
        if !candidate.simple && expected > self.clock.left(self.share) {
            let why = match self.clock.left(self.share) {
                left if left > 0.0 && expected.is_infinite() => {
                    format!("its kernel takes too long for the {left:.0} s that were left")
                }
                left if left > 0.0 => {
                    format!("it would take about {expected:.0} s, and {left:.0} s were left")
                }
                _ => "the time was used up".into(),
            };
            self.skip(candidate, why);
            return Ok(());
        }
        (self.watch)(Event::Started {
            candidate: &candidate,
            number: self.number,
            of: self.of,
            left: self.clock.left(self.share),
        });
        let started = Instant::now();
        let done = match candidate.simple {
            true if !self.trials.is_empty() => work.search(&candidate, self.engine).map(Some),
            true => {
                let most = (SIMPLE * self.clock.left(self.share)).max(LEAST);
                match self.clock.within(most, self.engine, |engine| work.search(&candidate, engine)) {
                    // There must be a model: without a choice of parameters it has a fraction of the fits.
                    Ok(None) if self.is_last => {
                        candidate = candidate.middle()?;
                        work.search(&candidate, self.engine).map(Some)
                    }
                    done => done,
                }
            }
            false => self.clock.during(self.share, self.engine, |engine| work.search(&candidate, engine)),
        };
        if candidate.simple && matches!(done, Ok(None)) {
            self.is_too_slow = true;
            return Ok(());
        }
        match self.finish(candidate, done, started.elapsed())? {
            Some(seconds) => self.measured.note(learner, fits, (seconds - of_kernel).max(0.0)),
            None => return Ok(()),
        }
        Ok(())
    }

    /// Keeps the scores of a candidate, or the reason why it has none. Gives the seconds of one that was scored.
    pub(super) fn finish(
        &mut self,
        candidate: Candidate,
        done: Result<Option<Trial>>,
        took: Duration,
    ) -> Result<Option<f64>> {
        let seconds = took.as_secs_f64();
        let why = match done {
            Ok(Some(mut trial)) => {
                trial.seconds = seconds;
                (self.watch)(Event::Finished(&trial));
                self.trials.push(trial);
                return Ok(Some(seconds));
            }
            Ok(None) => format!("stopped after {seconds:.0} s: the time was used up"),
            Err(error @ (Error::Interrupted | Error::Io { .. })) => return Err(error),
            Err(error) => {
                let why = error.to_string();
                self.failures.push(error);
                why
            }
        };
        self.skip(candidate, why);
        Ok(None)
    }

    /// Adds the blend of the trials, if it can be judged and there is time to fit its members again.
    pub(super) fn blend(&mut self, work: &Work<'_>) -> Result<()> {
        let started = Instant::now();
        let made = |engine: &Engine| engine.budget().enter(|| blend::blend(work, &self.trials));
        let Some(trial) = self.clock.during(BLENDING, self.engine, made)?.flatten() else { return Ok(()) };
        let (expected, left) =
            (REFIT * trial.seconds / work.split.nested.len().max(1) as f64, self.clock.left(BLENDING));
        let candidate = trial.candidate.clone();
        if expected > left {
            let left = left.max(0.0);
            let why =
                format!("fitting its members would take about {expected:.0} s, and {left:.0} s were left");
            self.skip(candidate, why);
            return Ok(());
        }
        (self.number, self.of) = (self.number + 1, self.of + 1);
        let (number, of) = (self.number, self.of);
        (self.watch)(Event::Started { candidate: &candidate, number, of, left });
        let took = started.elapsed() + Duration::from_secs_f64(trial.seconds);
        self.finish(candidate, Ok(Some(trial)), took).map(|_| ())
    }

    fn skip(&mut self, candidate: Candidate, why: String) {
        let skip = Skipped { candidate, why };
        (self.watch)(Event::Skipped(&skip));
        self.skipped.push(skip);
    }

    /// The places of the trials, best first: of equal scores the one tried first.
    pub(super) fn ranked(&self, work: &Work<'_>) -> Vec<usize> {
        let mut places: Vec<usize> = (0..self.trials.len()).collect();
        let quality = |&at: &usize| self.trials[at].quality(work.score);
        places.sort_by(|a, b| quality(b).total_cmp(&quality(a)));
        places
    }
}
