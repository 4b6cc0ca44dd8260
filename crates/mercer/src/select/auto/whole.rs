//! The best candidates, scored on splits of all objects.

use std::time::Instant;

use super::propose::Candidate;
use super::report::{BaselineResult, Trial};
use super::scale::at_scale;
use super::session::Session;
use super::split;
use super::work::{Found, Work};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::model::Model;
use crate::select::search::Answers;
use crate::select::{Fold, Grid, OuterFold, Search, Split};

/// The number of candidates that are scored on all objects.
const SCORED: usize = 5;
/// The share of the time budget that may be used when they are scored.
pub(super) const SCORING: f64 = 0.8;
/// The number of objects of a training set on which parameters are chosen.
const CHOOSING: usize = 800;
/// The share of the time left that one of them may take.
const ONE: f64 = 0.6;

/// The best candidates on splits of all objects.
pub(super) struct OnAll {
    pub(super) trials: Vec<Trial>,
    pub(super) baseline: BaselineResult,
}

/// Scores the best candidates of a search on a sample, and the simple baseline, on splits of all objects.
///
/// For every outer split, parameters are chosen by inner splits of a sample of its training set. Then the method is
/// fitted to the whole training set, as [`at_scale`] does, and predicts the test set. Trials that have no time are left
/// out.
///
/// None where neither the best candidate nor another one beyond the simple baseline was scored.
pub(super) fn score(session: &mut Session<'_>, sample: &Work<'_>, all: &Work<'_>) -> Result<Option<OnAll>> {
    let ranked = session.ranked(sample);
    let simple = ranked.iter().copied().find(|&at| session.trials[at].candidate.simple);
    let mut wanted: Vec<usize> = ranked.first().copied().into_iter().chain(simple).collect();
    wanted.extend(ranked.iter().copied());
    let mut seen = Vec::new();
    wanted.retain(|&at| {
        !seen.contains(&at) && (seen.len() < SCORED) && {
            seen.push(at);
            true
        }
    });
    let candidates: Vec<Trial> = wanted.iter().map(|&at| session.trials[at].clone()).collect();
    let best = ranked.first().map(|&at| session.trials[at].candidate.simple);
    let most = sample.used.len().min(CHOOSING);
    let searched = std::mem::take(&mut session.trials);
    let mut outcome = Ok(());
    for trial in candidates {
        let left = ONE * session.clock.left(SCORING);
        if left <= 0.0 {
            break;
        }
        outcome = on_all(session, all, trial, most, left);
        if outcome.is_err() {
            break;
        }
    }
    if outcome.is_ok() {
        outcome = session.blend(all);
    }
    let trials = std::mem::replace(&mut session.trials, searched);
    outcome?;
    if trials.is_empty() || (best == Some(false) && trials.iter().all(|t| t.candidate.simple)) {
        return Ok(None);
    }
    Ok(Some(OnAll { trials, baseline: all.baseline()? }))
}

/// Scores one candidate within some seconds; nothing is kept if it does not finish.
fn on_all(session: &mut Session<'_>, all: &Work<'_>, trial: Trial, most: usize, left: f64) -> Result<()> {
    (session.watch)(super::Event::Scoring { candidate: &trial.candidate, objects: all.used.len(), left });
    let started = Instant::now();
    let score = |engine: &Engine| all.scored_at_scale(&trial.candidate, most, engine);
    let done = session.clock.within(left, session.engine, score);
    let took = started.elapsed();
    match done {
        Ok(Some(mut whole)) => {
            whole.map = trial.map;
            session.finish(trial.candidate, Ok(Some(whole)), took)?;
        }
        // It has its scores on the sample, which are listed.
        Ok(None) => {}
        Err(error @ (Error::Interrupted | Error::Io { .. })) => return Err(error),
        Err(_) => {}
    }
    Ok(())
}

impl Work<'_> {
    /// A candidate on splits of more objects than can be searched; parameters are chosen on at most this many objects of
    /// each training set.
    fn scored_at_scale(&self, candidate: &Candidate, most: usize, engine: &Engine) -> Result<Trial> {
        let grid = candidate.grid()?;
        let mut found = Found { chosen: Vec::new(), picked: Vec::new(), map: None, unconverged: 0 };
        let mut folds = Vec::with_capacity(self.split.nested.len());
        for nested in &self.split.nested {
            let (configuration, inner) = self.choose(&grid, &nested.outer, most, engine)?;
            folds.push(self.fitted(&grid, (configuration, inner), &nested.outer, &mut found, engine)?);
        }
        self.trial(candidate, grid.len(), &folds, found)
    }

    /// The best configuration on inner splits of a sample of a training set, with its mean score.
    fn choose(
        &self,
        grid: &Grid,
        outer: &Split,
        most: usize,
        engine: &Engine,
    ) -> Result<(usize, Option<f64>)> {
        if grid.len() == 1 {
            return Ok((0, None));
        }
        let train = self.used.select(&outer.train);
        let rows = split::sample(&train, most, self.seed)?;
        let part = match rows {
            Some(rows) => train.select(&split::with_gaps(&train, rows)),
            None => train,
        };
        let splits = split::choosing(&part, &self.split.inner, self.seed)?;
        let scores = Search::new(&part, grid, self.score, engine, self.seed)?.run(&splits, None)?;
        let best = scores
            .best()
            .ok_or_else(|| Error::usage("no configuration of the grid could be fitted everywhere"))?;
        Ok((best, scores.mean(best)))
    }

    /// A configuration fitted to a whole training set, with its predictions for the test set.
    fn fitted(
        &self,
        grid: &Grid,
        (configuration, inner): (usize, Option<f64>),
        outer: &Split,
        found: &mut Found,
        engine: &Engine,
    ) -> Result<OuterFold> {
        let train = self.used.select(&outer.train);
        let scaled = at_scale(grid.kernel(configuration), grid.learner(configuration), &train, engine)?;
        let model = Model::fit(&train, &scaled.kernel, &scaled.learner, self.seed, engine)?;
        drop(train);
        let prediction = model.predict(&self.used.select(&outer.test), engine)?;
        let target = self.target()?;
        let mut answers = Answers::new(target);
        answers.add(target, &outer.test, &prediction)?;
        let converged = model.trained().converged();
        found.unconverged += usize::from(!converged);
        found.chosen.push((scaled.kernel.to_string(), scaled.learner.to_string()));
        found.picked.push(configuration);
        let test = outer.test.clone();
        let fold = Fold { test, prediction, converged, no_margin: false, transductive: false };
        let score = answers.measure(self.score)?.value();
        Ok(OuterFold { split: outer.clone(), configuration, inner, fold, score })
    }
}
