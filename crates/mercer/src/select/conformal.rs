//! Calibrates models: scores objects they were not fitted to, so that predictions come with a confidence.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::split::spread_over;
use super::{Objects, Protocol, Split};
use crate::data::{Dataset, Target};
use crate::error::{Error, Result, Warning, shown};
use crate::expression::{Expression, Learner, Matrices, Plan, Shared, Training};
use crate::gram::{Engine, Silent};
use crate::model::{
    CalibrationParts, ConformalBy, ConformalMethod, ConformalScore, Model, logs_of, strata_of,
};
use crate::random::derive_seed;

/// The fewest objects that are calibrated.
const FEWEST: usize = 5;
/// Folds within a training set for the errors that normalise scores, the neighbours whose errors are averaged, and the
/// part of the mean error that is added.
const INNER: usize = 5;
const NEIGHBOURS: usize = 15;
const ADDED: f64 = 0.1;
/// The stream of seeds of the splits.
const STREAM: u64 = 0xC0F0;

/// How a model is calibrated: conformal prediction around any learner that has a target.
///
/// Splits are stratified by class, keep groups together and are drawn with the seed. Nothing of the calibration objects
/// enters the model that scores them: the kernel is fitted anew for every fold.
///
/// ```
/// use mercer::{data::generate, gram::Engine, model::ConformalMethod, select::Conformal};
/// let data = generate::half_moons(300, 0.3, 1)?;
/// let (known, new) = (data.select(&(0..200).collect::<Vec<_>>()), data.select(&(200..300).collect::<Vec<_>>()));
/// let (kernel, learner, engine) = ("rbf(gamma=1)".parse()?, "svc(C=1)".parse()?, Engine::new());
/// let settings = Conformal { method: ConformalMethod::Split(0.5), ..Conformal::default() };
/// let model = settings.fit(&known, &kernel, &learner, 0, &engine)?;
/// let regions = model.predict_regions(&new, 0.9, &engine)?;
/// let held = regions.holds(new.target().unwrap(), model.trained().classes());
/// let covered = held.iter().flatten().filter(|(inside, _)| *inside).count();
/// assert!((80..=98).contains(&covered), "{covered}");
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Conformal {
    /// How calibration objects are kept apart; ten folds by default.
    pub method: ConformalMethod,
    /// The strata within which coverage is guaranteed.
    pub by: ConformalBy,
    /// How strange values are scored; `None` for what suits the target.
    pub score: Option<ConformalScore>,
}

impl Default for Conformal {
    fn default() -> Self {
        Conformal { method: ConformalMethod::Folds(10), by: ConformalBy::All, score: None }
    }
}

/// What the calibration of one data set uses.
struct Work<'a> {
    data: &'a Dataset,
    target: &'a Target,
    expression: &'a Expression,
    learner: &'a Learner,
    seed: u64,
    score: ConformalScore,
    engine: Engine,
}

/// The scores of objects, and the fold of each.
#[derive(Default)]
struct Scored {
    rows: Vec<usize>,
    scores: Vec<f64>,
    folds: Vec<usize>,
    models: Vec<Model>,
    errors: Vec<(Model, f64)>,
}

impl Conformal {
    /// Fits a model as [`Model::fit`] does, and calibrates it. With [`ConformalMethod::Split`] the model is fitted without
    /// the calibration objects, otherwise to all objects.
    ///
    /// Fails without a target, with fewer than five objects, for transductive kernels and precomputed matrices, whose
    /// objects cannot be kept apart, and where the method or score does not suit learner and target.
    ///
    /// Cost: one fit for `split`, one more for every fold, six times as many for normalised scores; for `jackknife` one
    /// inversion of an n × n matrix.
    pub fn fit(
        &self,
        data: &Dataset,
        expression: &Expression,
        learner: &Learner,
        seed: u64,
        engine: &Engine,
    ) -> Result<Model> {
        let score = self.check(data, expression, learner)?;
        let Some(target) = data.target() else { return Err(no_target(learner)) };
        let quiet = engine.clone().with_progress(Arc::new(Silent));
        let work = Work { data, target, expression, learner, seed, score, engine: quiet };
        let (names, strata) = self.strata(data, target)?;
        let (model, training, scored) = match self.method {
            ConformalMethod::Split(_) => {
                let split = self.splits(data, seed)?.into_iter().next();
                let split = split.ok_or_else(|| Error::usage("there is no split for the calibration"))?;
                let training = data.select(&split.train);
                work.check_classes(&split.train)?;
                let model = Model::fit(&training, expression, learner, seed, engine)?;
                let mut scored = Scored::default();
                let errors = work.errors(&split.train)?;
                work.score_fold(&model, errors.as_ref(), &split.test, &mut scored)?;
                scored.errors.extend(errors);
                (model, training, scored)
            }
            ConformalMethod::Folds(_) => {
                let model = Model::fit(data, expression, learner, seed, engine)?;
                let scored = work.score_folds(&self.splits(data, seed)?, engine)?;
                (model, data.clone(), scored)
            }
            _ => {
                let model = Model::fit(data, expression, learner, seed, engine)?;
                let scored = work.left_out(&model)?;
                (model, data.clone(), scored)
            }
        };
        let strata: Vec<usize> = scored.rows.iter().map(|&i| strata[i]).collect();
        let Scored { scores, folds, models, errors, .. } = scored;
        let (method, by) = (self.method, self.by.clone());
        let parts = CalibrationParts { method, score, by, scores, folds, strata, names, models, errors };
        model.calibrated(parts, &training, &work.engine)
    }

    /// What a calibration cannot promise for this data: none if all is well.
    pub fn warnings(&self, data: &Dataset) -> Vec<Warning> {
        let timed = data.times().is_some().then(|| {
            let message = "the objects have times: coverage is guaranteed for new objects from the same source, not for \
                           later ones that differ";
            Warning::new("W_CONFORMAL", message)
        });
        timed.into_iter().collect()
    }

    fn check(&self, data: &Dataset, expression: &Expression, learner: &Learner) -> Result<ConformalScore> {
        self.method.check()?;
        let (Some(target), true) = (data.target(), learner.facts().predicts.needs_target()) else {
            return Err(no_target(learner));
        };
        let classes = matches!(target, Target::Classes(_));
        let score = self.score.unwrap_or_else(|| ConformalScore::suiting(classes));
        let target_holds = if classes { "classes" } else { "numbers" };
        if score.is_of_classes() != classes {
            let fits =
                if classes { "least-ambiguous, adaptive or regularized" } else { "absolute or normalized" };
            return Err(Error::usage(format!(
                "the conformal score {score} is not for a target of {target_holds}: use {fits}"
            )));
        }
        if self.by == ConformalBy::Class && !classes {
            return Err(Error::usage("a target of numbers has no classes to calibrate by: name a column"));
        }
        if data.len() < FEWEST {
            return Err(Error::usage(format!(
                "{} objects are too few to calibrate: at least {FEWEST} are needed, and 9 for a confidence of 0.9",
                data.len()
            )));
        }
        if expression.is_precomputed() || expression.is_transductive() {
            return Err(Error::usage(
                "calibration objects must be kept apart from training objects, which a precomputed matrix or a transductive \
                 kernel does not allow",
            ));
        }
        if self.method == ConformalMethod::Jackknife {
            let fitted = Plan::of(expression, data)?.depends().is_fitted();
            let why = match (learner.name(), fitted, score) {
                ("ridge", false, ConformalScore::Normalized) => "does not normalise scores",
                ("ridge", false, _) => return Ok(score),
                ("ridge", true, _) => "needs a kernel that is not fitted to the training objects",
                _ => "is for ridge",
            };
            return Err(Error::usage(format!("conformal prediction by jackknife {why}: use cv, or cv(20)")));
        }
        Ok(score)
    }

    /// The names of the strata, and the stratum of each object.
    fn strata(&self, data: &Dataset, target: &Target) -> Result<(Vec<String>, Vec<usize>)> {
        let values = match (&self.by, target) {
            (ConformalBy::Class, Target::Classes(c)) => {
                (0..c.len()).map(|i| c.get(i).map(str::to_owned)).collect()
            }
            (ConformalBy::Column(name), _) => strata_of(data, name)?,
            _ => return Ok((vec![String::new()], vec![0; data.len()])),
        };
        let mut places: BTreeMap<&str, usize> = BTreeMap::new();
        for (index, value) in values.iter().enumerate() {
            match value {
                Some(value) => places.insert(value, 0),
                None => return Err(Error::Missing { index, column: self.by.to_string() }),
            };
        }
        places.values_mut().enumerate().for_each(|(at, place)| *place = at);
        let strata = values.iter().flatten().map(|v| places[v.as_str()]).collect();
        Ok((places.keys().map(|&name| name.to_owned()).collect(), strata))
    }

    /// The splits into training and calibration objects.
    fn splits(&self, data: &Dataset, seed: u64) -> Result<Vec<Split>> {
        let by_groups =
            matches!(&self.by, ConformalBy::Column(name) if data.group_name() == Some(name.as_str()));
        let mut objects = Objects::of(data)?;
        // Groups that are strata have objects on both sides: new objects are of the same groups.
        if by_groups {
            objects = objects.without_groups();
        }
        let groups = objects.group_count();
        let most = groups.unwrap_or(data.len());
        if most < 2 {
            return Err(Error::usage("one group cannot be split into training and calibration objects"));
        }
        let protocol = match self.method {
            ConformalMethod::Split(share) => Protocol::Holdout { share, repetitions: 1 },
            ConformalMethod::Folds(folds) => Protocol::folds(folds.min(most)),
            _ => Protocol::LeaveOneOut,
        };
        let protocol = if groups.is_some() { protocol.grouped() } else { protocol };
        spread_over(&protocol, &objects, derive_seed(seed, STREAM))
    }
}

impl Work<'_> {
    /// Refuses training objects of one class only.
    fn check_classes(&self, rows: &[usize]) -> Result<()> {
        let Target::Classes(classes) = self.target else { return Ok(()) };
        let mut codes: Vec<u32> = rows.iter().filter_map(|&i| classes.code(i)).collect();
        codes.sort_unstable();
        codes.dedup();
        let all: std::collections::BTreeSet<u32> =
            (0..classes.len()).filter_map(|i| classes.code(i)).collect();
        if codes.len() >= 2 || all.len() < 2 {
            return Ok(());
        }
        let missing =
            all.iter().find(|c| !codes.contains(c)).map_or("", |&c| classes.levels()[c as usize].as_str());
        Err(Error::usage(format!(
            "class {} has too few objects to calibrate: without the calibration objects one class is left",
            shown(missing)
        )))
    }

    fn score_folds(&self, splits: &[Split], engine: &Engine) -> Result<Scored> {
        let mut scored = Scored::default();
        engine.progress().begin("calibrate", splits.len() as u64);
        let mut done = Ok(());
        for split in splits {
            done = self.one_fold(split, &mut scored);
            if done.is_err() {
                break;
            }
            engine.progress().advance(1);
        }
        engine.progress().end();
        done.map(|()| scored)
    }

    fn one_fold(&self, split: &Split, scored: &mut Scored) -> Result<()> {
        self.check_classes(&split.train)?;
        let training = self.data.select(&split.train);
        let model = Model::fit(&training, self.expression, self.learner, self.seed, &self.engine)?.bare();
        let errors = self.errors(&split.train)?;
        self.score_fold(&model, errors.as_ref(), &split.test, scored)?;
        scored.errors.extend(errors);
        scored.models.push(model);
        Ok(())
    }

    /// Adds the scores of objects that the model was not fitted to.
    fn score_fold(
        &self,
        model: &Model,
        errors: Option<&(Model, f64)>,
        rows: &[usize],
        scored: &mut Scored,
    ) -> Result<()> {
        let objects = self.data.select(rows);
        let fold = scored.models.len();
        let scores = match (self.target, self.score) {
            (Target::Classes(known), ConformalScore::Class(score)) => {
                let levels = known.levels();
                let chances = model.chances(&objects)?;
                let all = model.class_scores(&objects, score, (levels, &chances[..]), &self.engine)?;
                let own = |(i, scores): (&usize, &Vec<f64>)| {
                    known.code(*i).map_or(f64::INFINITY, |c| scores[c as usize])
                };
                rows.iter().zip(&all).map(own).collect::<Vec<_>>()
            }
            (Target::Numbers(y), _) => {
                let predicted = model.numbers(&objects, &self.engine)?;
                let scales = match errors {
                    Some((error, added)) => {
                        let expected = error.numbers(&objects, &self.engine)?;
                        expected.iter().map(|e| e.max(0.0) + added).collect()
                    }
                    None => vec![1.0; rows.len()],
                };
                let score = |((i, p), s): ((&usize, &f64), &f64)| (y[*i] - p).abs() / s;
                rows.iter().zip(&predicted).zip(&scales).map(score).collect()
            }
            _ => return Err(Error::usage("the conformal score does not suit the target")),
        };
        scored.rows.extend(rows);
        scored.folds.extend(rows.iter().map(|_| fold));
        scored.scores.extend(scores);
        Ok(())
    }

    /// The model of the expected error, from out-of-fold errors within the training objects, if scores are normalised.
    fn errors(&self, rows: &[usize]) -> Result<Option<(Model, f64)>> {
        let (ConformalScore::Normalized, Target::Numbers(y)) = (self.score, self.target) else {
            return Ok(None);
        };
        let training = self.data.select(rows);
        let objects = Objects::of(&training)?;
        let most = objects.group_count().unwrap_or(rows.len());
        let mut errors = vec![f64::NAN; rows.len()];
        let protocol = Protocol::folds(INNER.min(most).max(2));
        let protocol = if objects.has_groups() && most >= 2 { protocol.grouped() } else { protocol };
        let objects = if most < 2 { objects.without_groups() } else { objects };
        for split in spread_over(&protocol, &objects, derive_seed(self.seed, STREAM + 1))? {
            let part = training.select(&split.train);
            let model = Model::fit(&part, self.expression, self.learner, self.seed, &self.engine)?;
            let predicted = model.numbers(&training.select(&split.test), &self.engine)?;
            split.test.iter().zip(predicted).for_each(|(&i, p)| errors[i] = (y[rows[i]] - p).abs());
        }
        let mean = errors.iter().sum::<f64>() / errors.len().max(1) as f64;
        let added = if mean > 0.0 { ADDED * mean } else { 1.0 };
        let learner = match self.learner.name() {
            // A kernel of distances is for nearest neighbours alone.
            "knn" => self.learner.clone(),
            _ => "knn".parse::<Learner>()?,
        };
        let learner = learner.with("k", NEIGHBOURS.min(rows.len()) as f64)?;
        let training = training.with_target("error", Target::Numbers(errors))?;
        let model = Model::fit(&training, self.expression, &learner, self.seed, &self.engine)?;
        Ok(Some((model.bare(), added)))
    }

    /// The scores of all objects by leave-one-out models in closed form.
    fn left_out(&self, model: &Model) -> Result<Scored> {
        let n = self.data.len();
        let mut matrices = Matrices::new(self.data, &self.engine);
        matrices.prepare(std::slice::from_ref(self.expression))?;
        let all: Vec<usize> = (0..n).collect();
        let gram = matrices.blocks(self.expression, &all, &[], &mut Shared::default())?.train;
        let training = Training {
            target: Some(self.target),
            weights: self.data.weights(),
            seed: self.seed,
            budget: self.engine.budget().clone(),
        };
        let found = self.engine.run(|| self.learner.leave_one_out(&gram, &training, &Silent))?;
        let Some(found) = found else {
            return Err(Error::usage(
                "there are no leave-one-out models in closed form for this ridge (landmarks, weights, or a class of one \
                 object): use cv instead of jackknife",
            ));
        };
        let scores = match (self.target, self.score, found.prediction.numbers()) {
            (Target::Numbers(y), _, Some(predicted)) => {
                y.iter().zip(predicted).map(|(y, p)| (y - p).abs()).collect()
            }
            (Target::Classes(known), ConformalScore::Class(score), None) => {
                let decisions = &found.prediction.decisions;
                let Some(Target::Classes(own)) = &found.prediction.target else {
                    return Err(no_target(self.learner));
                };
                let chances = model.chances(self.data)?;
                let of = |i: usize| {
                    let row: Vec<&[f64]> = decisions.row(i).iter().map(std::slice::from_ref).collect();
                    let scores = score.scores(&logs_of(&row, 0, own.levels().len()), chances[i].class);
                    let place = own.levels().iter().position(|l| Some(l.as_str()) == known.get(i));
                    place.map_or(f64::INFINITY, |c| scores[c])
                };
                (0..n).map(of).collect()
            }
            _ => return Err(no_target(self.learner)),
        };
        Ok(Scored { rows: all.clone(), scores, folds: all, ..Scored::default() })
    }
}

fn no_target(learner: &Learner) -> Error {
    Error::usage(format!(
        "a calibration needs a target, and {} has none: conformal prediction is for classifiers and regression",
        learner.name()
    ))
}
