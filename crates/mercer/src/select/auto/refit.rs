//! Fitting the best candidate to the data.

use std::borrow::Cow;
use std::time::{Duration, Instant};

use super::blend::BlendPart;
use super::propose::Candidate;
use super::report::{AutoReport, Trial};
use super::scale::{self, at_scale};
use super::split;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::model::{BlendMember, Model};
use crate::select::{Evaluate, Grid, Search, TestReport};

/// The final model.
#[derive(Debug)]
pub struct Refit {
    /// The model.
    pub model: Model,
    /// The number of objects it was fitted to.
    pub objects: usize,
    /// Parameters whose chosen value is the smallest or largest of its range: a wider range may score higher.
    pub edges: Vec<String>,
    /// Whether its parameters are those chosen in most outer splits, because there was no time to choose them on all
    /// searched objects.
    pub is_usual: bool,
    /// The reason why it was not fitted to all objects, if it was not.
    pub why: Option<String>,
    /// How it differs from the best candidate where that is not for so many objects, if it does.
    pub approximate: Option<String>,
    /// Why it is the best single method where a blend is best, if it is.
    pub not_blended: Option<String>,
}

/// The share of the time budget that may be used when the parameters of the final model are chosen.
const CHOOSING: f64 = 0.9;
/// The share that may be used when it is fitted; the rest is for saving it and for the report.
const FITTING: f64 = 0.95;
/// The seconds for that, however short the budget.
const SAVING: f64 = 1.5;
/// A fit to more objects than the last one is to at most this many times as many, so that its time can be foreseen.
const STEP: usize = 8;
/// The time for the model of an interrupted search.
const QUICK: Duration = Duration::from_millis(1500);

impl AutoReport {
    /// Chooses the parameters of the best candidate on all searched objects, by the inner protocol, and fits it to all
    /// objects. The data must be that of the report. Objects of a predefined test set are not used.
    ///
    /// Where that would take more time than is left, parameters are those chosen most often in the outer splits, and the
    /// method is fitted to as many objects as time allows, at least those searched. More than 5000 objects, and fewer where memory is short, are learned
    /// through explicit features or landmarks, as the scores on all objects are. After an interrupted search this is
    /// [`AutoReport::refit_quickly`].
    pub fn refit(&self, data: &Dataset, engine: &Engine) -> Result<Refit> {
        if self.is_interrupted {
            return self.refit_quickly(data, engine);
        }
        let (candidate, data) = self.best_on(data)?;
        let subset = self.rows.as_ref().map(|rows| data.select(rows));
        let used = subset.as_ref().unwrap_or(&data);
        let mut not_blended = None;
        if let Some(best) = self.trials.first().filter(|best| !best.blend.is_empty()) {
            match self.refit_blend(&best.blend, used, &data, engine) {
                Ok(Some(refit)) => return Ok(refit),
                Err(error @ (Error::Interrupted | Error::Io { .. })) => return Err(error),
                Ok(None) => not_blended = Some("its members were not fitted in time".to_owned()),
                Err(error) => not_blended = Some(error.to_string()),
            }
        }
        let grid = candidate.grid()?;
        let (configuration, is_usual) = self.chosen(&grid, self.usual(), used, engine)?;
        let edges = grid.at_edge(configuration).into_iter().map(str::to_owned).collect();
        let started = Instant::now();
        let refit = self.fitted(&grid, configuration, used, engine)?;
        let refit = Refit { edges, is_usual, not_blended, ..refit };
        match refit.objects < data.len() {
            false => Ok(refit),
            true => self.enlarge(refit, (&grid, configuration), &data, started.elapsed(), engine),
        }
    }

    /// A model within about two seconds, for an interrupted search: the best candidate with the parameters chosen most
    /// often in the outer splits, fitted to the objects that were searched, or to a quarter of them. Works on an engine that
    /// was stopped.
    pub fn refit_quickly(&self, data: &Dataset, engine: &Engine) -> Result<Refit> {
        let (candidate, data) = self.best_on(data)?;
        let subset = self.rows.as_ref().map(|rows| data.select(rows));
        let used = subset.as_ref().unwrap_or(&data);
        let grid = candidate.grid()?;
        let mut time = QUICK;
        for share in [1, 4] {
            let few =
                split::sample(used, used.len().div_ceil(share), self.seed)?.map(|rows| used.select(&rows));
            let budget = engine.budget().renewed().with_time(time);
            let own = engine.clone().with_budget(budget.clone());
            let fit = || self.fitted(&grid, self.usual(), few.as_ref().unwrap_or(used), &own);
            match budget.enter(fit) {
                Ok(refit) => {
                    let why = (refit.objects < data.len()).then(|| "the search was interrupted".to_owned());
                    return Ok(Refit { is_usual: true, why, ..refit });
                }
                Err(Error::Time { .. }) => time /= 3,
                Err(error) => return Err(error),
            }
        }
        Err(Error::Interrupted)
    }

    /// The best candidate that is not a blend, and the objects that the report is of.
    fn best_on<'d>(&self, data: &'d Dataset) -> Result<(&Candidate, Cow<'d, Dataset>)> {
        let best = self.single().ok_or_else(|| Error::usage("nothing was tried"))?;
        let data = split::training(data);
        match data.len() == self.objects {
            true => Ok((&best.candidate, data)),
            false => Err(Error::usage(format!(
                "the report is of {} objects, and the data has {}",
                self.objects,
                data.len()
            ))),
        }
    }

    /// The configuration of a grid by the inner splits of all searched objects; or the usual one, and true, where there is no time for
    /// that.
    fn chosen(&self, grid: &Grid, usual: usize, used: &Dataset, engine: &Engine) -> Result<(usize, bool)> {
        if grid.len() == 1 {
            return Ok((0, false));
        }
        let choose = |engine: &Engine| self.choose(grid, used, engine);
        match self.clock.during(CHOOSING, engine, choose) {
            Ok(Some(configuration)) => Ok((configuration, false)),
            Err(error @ (Error::Interrupted | Error::Io { .. })) => Err(error),
            // The choice had no time, or some inner split allows no fit: outer splits had a choice.
            Ok(None) | Err(_) => Ok((usual, true)),
        }
    }

    /// The members of a blend fitted to all objects, each as a single method would be; none where there is no time for all.
    fn refit_blend(
        &self,
        parts: &[BlendPart],
        used: &Dataset,
        data: &Dataset,
        engine: &Engine,
    ) -> Result<Option<Refit>> {
        let mut members = Vec::with_capacity(parts.len());
        let (mut is_usual, mut approximate) = (false, Vec::new());
        for part in parts {
            let grid = part.candidate.grid()?;
            let (configuration, own) = self.chosen(&grid, part.usual, used, engine)?;
            is_usual |= own;
            let fit = |engine: &Engine| self.fitted(&grid, configuration, data, engine);
            let Some(refit) = self.clock.during(FITTING, engine, fit)? else { return Ok(None) };
            approximate.extend(refit.approximate);
            let (weight, sharpness) = (part.weight, part.sharpness);
            members.push(BlendMember { model: refit.model, weight, sharpness });
        }
        approximate.dedup();
        let model = Model::blend(members, data, self.seed)?;
        Ok(Some(Refit {
            model,
            objects: data.len(),
            edges: Vec::new(),
            is_usual,
            why: None,
            approximate: (!approximate.is_empty()).then(|| approximate.join("; ")),
            not_blended: None,
        }))
    }

    /// The best configuration by the inner splits of all searched objects.
    fn choose(&self, grid: &Grid, used: &Dataset, engine: &Engine) -> Result<usize> {
        let splits = split::choosing(used, &self.inner, self.seed)?;
        let scores = Search::new(used, grid, self.score, engine, self.seed)?.run(&splits, None)?;
        scores.best().ok_or_else(|| Error::usage("no configuration of the grid could be fitted everywhere"))
    }

    /// The configuration of the best single candidate chosen in most outer splits.
    fn usual(&self) -> usize {
        self.single().map_or(0, Trial::usual)
    }

    fn fitted(&self, grid: &Grid, configuration: usize, data: &Dataset, engine: &Engine) -> Result<Refit> {
        let scaled = at_scale(grid.kernel(configuration), grid.learner(configuration), data, engine)?;
        let model = Model::fit(data, &scaled.kernel, &scaled.learner, self.seed, engine)?;
        Ok(Refit {
            model,
            objects: data.len(),
            edges: Vec::new(),
            is_usual: false,
            why: None,
            approximate: scaled.how,
            not_blended: None,
        })
    }

    /// Scores a model on the predefined test set of the data, once; `None` where there is none. The data must be that of
    /// the report, and the model must not have seen the test set: one of [`AutoReport::refit`].
    pub fn test_model(&self, model: &Model, data: &Dataset, engine: &Engine) -> Result<Option<TestReport>> {
        if data.test().is_none() {
            return Ok(None);
        }
        let suited = Evaluate::of(data)?;
        let others = suited.also.iter().copied().chain([suited.score]).filter(|s| *s != self.score);
        let settings = Evaluate { score: self.score, also: others.collect(), seed: self.seed, ..suited };
        settings.test_model(model, data, engine).map(Some)
    }

    /// The same fit to as many more objects as time allows, given the time that the small fit took.
    fn enlarge(
        &self,
        mut refit: Refit,
        (grid, configuration): (&Grid, usize),
        data: &Dataset,
        mut took: Duration,
        engine: &Engine,
    ) -> Result<Refit> {
        let growth = match grid.learner(configuration).name() {
            "knn" => 1.0,
            "ridge" => 3.0,
            _ if grid.kernel(configuration).needs_training() => 3.0,
            _ => 2.2,
        };
        let exact = scale::exact(engine);
        let mut is_scaled = data.len() <= exact || refit.objects > exact;
        while refit.objects < data.len() {
            let left = self.clock.left(FITTING).min(self.clock.left(1.0) - SAVING).max(0.0);
            let (seconds, before) = (took.as_secs_f64().max(1e-9), refit.objects as f64);
            let known = self.seconds_at_scale().is_some_and(|known| 1.3 * known <= left);
            let mut n = if known { data.len() } else { data.len().min(STEP * refit.objects) };
            let (mut why, mut time) = (None, left);
            if !known && !is_scaled {
                // The time of exact fits says nothing about larger ones.
                (is_scaled, n, time) = (true, data.len().min(exact + exact / 20 + 1), 0.5 * left);
            } else if !known {
                // Beyond the largest exact fit the work grows with the objects.
                let growth = if refit.objects > exact { 1.0 } else { growth };
                let expected = |n: usize| seconds * (n as f64 / before).powf(growth);
                if expected(n) > left {
                    let all = expected(data.len());
                    why = Some(format!(
                        "all {} would take about {all:.0} s, and {left:.0} s were left",
                        data.len()
                    ));
                    let most = if refit.objects > exact { data.len() } else { exact };
                    n = ((before * (0.7 * left / seconds).powf(1.0 / growth)) as usize).min(most);
                    if n as f64 <= 1.2 * before {
                        return Ok(Refit { why, ..refit });
                    }
                }
            }
            let subset = split::sample(data, n, self.seed)?.map(|rows| data.select(&rows));
            let training = subset.as_ref().unwrap_or(data);
            let started = Instant::now();
            let fit = |engine: &Engine| self.fitted(grid, configuration, training, engine);
            match self.clock.within(time, engine, fit) {
                Ok(Some(larger)) => {
                    refit = Refit {
                        edges: refit.edges,
                        is_usual: refit.is_usual,
                        not_blended: refit.not_blended,
                        why: why.clone(),
                        ..larger
                    }
                }
                // Less than all the time: an exact fit to fewer objects may do.
                Ok(None) if time < left => continue,
                Ok(None) => {
                    let why = Some("a fit to more objects did not finish in time".into());
                    return Ok(Refit { why, ..refit });
                }
                Err(error @ Error::Interrupted) => return Err(error),
                // More objects may need more memory than there is; the smaller model is kept.
                Err(error) => return Ok(Refit { why: Some(error.to_string()), ..refit }),
            }
            if why.is_some() {
                break;
            }
            took = started.elapsed();
        }
        Ok(refit)
    }

    /// The seconds of one fit to nearly all objects, where the best candidate was scored on them.
    fn seconds_at_scale(&self) -> Option<f64> {
        let best = self.single().filter(|_| !self.screened.is_empty())?;
        Some(best.seconds / self.splits.max(1) as f64)
    }
}
