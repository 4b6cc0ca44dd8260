//! Scores candidates and the baseline on given splits.

use std::time::Instant;

use super::clock::Clock;
use super::propose::Candidate;
use super::report::{BaselineResult, ScoreSummary, Scored, Trial};
use super::scaffolds::{ScaffoldGap, grouped};
use super::split::{self, DataSplit};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::learn::Prediction;
use crate::model::class_values;
use crate::select::search::{Answers, baseline};
use crate::select::{OuterFold, Predictions, Score, Search, SearchMap, Split};

/// The share of the time left for searching that estimating the cost of a kernel may take.
const PROBING: f64 = 0.2;
/// The number of objects used to estimate the cost of a kernel.
const PROBE: usize = 40;
/// The share of the time budget that may be used when the score of molecules with new scaffolds is done.
const WITH_SCAFFOLDS: f64 = 0.95;

/// The inputs shared by all candidates.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) used: &'a Dataset,
    pub(super) score: Score,
    /// Other measures, for the verdict.
    pub(super) also: &'a [Score],
    pub(super) split: &'a DataSplit,
    /// Whether measures are computed over all test objects together rather than per split: with a single split, or one
    /// object in each.
    pub(super) pooled: bool,
    pub(super) ratio: f64,
    pub(super) seed: u64,
}

/// What a search found besides the predictions.
pub(super) struct Found {
    pub(super) chosen: Vec<(String, String)>,
    pub(super) picked: Vec<usize>,
    pub(super) map: Option<SearchMap>,
    pub(super) unconverged: usize,
}

impl<'a> Work<'a> {
    pub(super) fn new(
        used: &'a Dataset,
        split: &'a DataSplit,
        (score, also): (Score, &'a [Score]),
        seed: u64,
    ) -> Self {
        Work {
            used,
            score,
            also,
            split,
            pooled: split.is_pooled(),
            ratio: split.splits.test_per_train(),
            seed,
        }
    }

    /// The target of the objects.
    pub(super) fn target(&self) -> Result<&'a Target> {
        self.used.target().ok_or_else(|| Error::usage("there is no target to predict"))
    }

    /// The number of fits a candidate needs.
    pub(super) fn fits(&self, candidate: &Candidate) -> Result<f64> {
        let inner: usize = self.split.nested.iter().map(|d| d.inner.len()).sum();
        let inner = if candidate.grid()?.len() > 1 { inner } else { 0 };
        Ok(candidate.cost()? * inner as f64 + self.split.nested.len() as f64)
    }

    /// Estimates the seconds for a candidate's matrices from those of a few objects: 0 where the estimate fails, infinite
    /// where they alone take too long for the given share of the time.
    pub(super) fn kernel_seconds(
        &self,
        candidate: &Candidate,
        share: f64,
        clock: &Clock,
        engine: &Engine,
    ) -> Result<f64> {
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
        let (small, twice) = match clock.within(PROBING * clock.left(share), engine, both) {
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

    /// Searches a candidate inside every outer split.
    pub(super) fn search(&self, candidate: &Candidate, engine: &Engine) -> Result<Trial> {
        let grid = candidate.grid()?;
        let done =
            Search::new(self.used, &grid, self.score, engine, self.seed)?.nested(&self.split.nested, None)?;
        let unconverged = done.tuning.as_ref().map_or(0, |t| t.scores.unconverged())
            + done.folds.iter().filter(|f| !f.fold.converged).count();
        let found = Found {
            chosen: done.folds.iter().map(|f| grid.describe(f.configuration)).collect(),
            picked: done.folds.iter().map(|f| f.configuration).collect(),
            map: SearchMap::of(&grid, &done, self.score),
            unconverged,
        };
        self.trial(candidate, grid.len(), &done.folds, found)
    }

    /// The scores of a candidate from its predictions for the test sets of the outer splits.
    pub(super) fn trial(
        &self,
        candidate: &Candidate,
        configurations: usize,
        folds: &[OuterFold],
        found: Found,
    ) -> Result<Trial> {
        let target = self.target()?;
        let mut answers = Answers::new(target);
        let mut also: Vec<Vec<Option<f64>>> = vec![Vec::new(); self.also.len()];
        let mut values = Vec::new();
        for fold in folds {
            let mut one = Answers::new(target);
            one.add(target, &fold.split.test, &fold.fold.prediction)?;
            for (scores, &score) in also.iter_mut().zip(self.also) {
                scores.push(one.measure(score)?.value());
            }
            answers.add(target, &fold.split.test, &fold.fold.prediction)?;
            answers.add_groups(self.used.groups(), &fold.split.test);
            values.extend(values_of(&fold.fold.prediction, target)?);
        }
        let scored = |(&score, scores)| self.scored(score, scores, &answers);
        let also = self.also.iter().zip(also).map(scored).collect::<Result<_>>()?;
        let scores: Vec<Option<f64>> = folds.iter().map(|f| f.score).collect();
        let summary = self.scored(self.score, scores.clone(), &answers)?.summary;
        Ok(Trial {
            candidate: candidate.clone(),
            configurations,
            score: self.score,
            objects: self.used.len(),
            chosen: found.chosen,
            picked: found.picked,
            predictions: Predictions::of(self.used, target, folds)?,
            map: found.map,
            scores,
            summary,
            also,
            answers,
            values,
            blend: Vec::new(),
            summed: String::new(),
            unconverged: found.unconverged,
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

    /// A method on splits by scaffold, if the objects are molecules and the time suffices.
    pub(super) fn over_scaffolds(
        &self,
        best: &Trial,
        clock: &Clock,
        engine: &Engine,
    ) -> Result<Option<ScaffoldGap>> {
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
        let (expected, left) = (best.seconds, clock.left(WITH_SCAFFOLDS));
        if expected > left {
            let left = left.max(0.0);
            gap.why = Some(format!("it would take about {expected:.0} s, and {left:.0} s were left"));
            return Ok(Some(gap));
        }
        let measure = |engine: &Engine| {
            let (split, _) = split::split(&data, Some(protocol), self.seed)?;
            Work::new(&data, &split, (self.score, &[]), self.seed).search(&best.candidate, engine)
        };
        match clock.during(WITH_SCAFFOLDS, engine, measure) {
            Ok(Some(trial)) => gap.score = trial.summary.mean,
            Ok(None) => gap.why = Some("the time was used up".into()),
            Err(error @ (Error::Interrupted | Error::Io { .. })) => return Err(error),
            Err(error) => gap.why = Some(error.to_string()),
        }
        Ok(Some(gap))
    }

    /// The baseline on the same splits.
    pub(super) fn baseline(&self) -> Result<BaselineResult> {
        let target = self.target()?;
        let mut all = Answers::new(target);
        let mut scores = vec![Vec::new(); 1 + self.also.len()];
        for nested in &self.split.nested {
            let split: &Split = &nested.outer;
            let prediction = baseline(target, split, &self.split.outer)?;
            let mut one = Answers::new(target);
            one.add(target, &split.test, &prediction)?;
            all.add(target, &split.test, &prediction)?;
            all.add_groups(self.used.groups(), &split.test);
            for (scores, &score) in scores.iter_mut().zip([self.score].iter().chain(self.also)) {
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

/// The numbers of a prediction, or its values of the classes of a target.
fn values_of(prediction: &Prediction, target: &Target) -> Result<Vec<f64>> {
    match (target, &prediction.target) {
        (Target::Classes(classes), Some(Target::Classes(known))) => {
            Ok(class_values(prediction, known.levels(), classes.levels())?.values().to_vec())
        }
        _ => Ok(prediction.numbers().unwrap_or_default().to_vec()),
    }
}
