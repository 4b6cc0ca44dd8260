//! Sets of classes and intervals of numbers that hold the true value with a chosen confidence.

use std::sync::Arc;

use super::Model;
use super::conformal::{Calibration, ConformalBy, ConformalMethod, ConformalScore, strata_of};
use super::typical::uncalibrated;
use crate::budget;
use crate::data::{Dataset, Dense, Target};
use crate::error::{Error, Result, Warning};
use crate::gram::{Engine, Silent};
use crate::learn::conformal::{CalibrationScores, Chance, ClassScore, RidgeLeaveOneOut, check_confidence};
use crate::learn::{Prediction, RidgeClassifier, RidgeModel};
use crate::model::align::align;
use crate::parallel;

/// Objects of leave-one-out models that are predicted at once.
const AT_ONCE: usize = 256;
/// The number of a stratum that no calibration object is in.
const NOWHERE: usize = usize::MAX;

/// Predictions with regions that hold the true value with a chosen confidence.
#[derive(Clone, Debug, PartialEq)]
pub struct Regions {
    /// The confidence.
    pub confidence: f64,
    /// The predictions.
    pub prediction: Prediction,
    /// For classes: the p-value of each class of [`Trained::classes`](crate::learn::Trained::classes) (columns) for each
    /// object (rows).
    pub p_values: Option<Dense>,
    /// For numbers: the interval of each object, infinite where there are too few calibration objects.
    pub intervals: Option<Vec<(f64, f64)>>,
    /// What limits the regions: strata with too few calibration objects, unknown values of their column.
    pub warnings: Vec<Warning>,
}

impl Regions {
    /// The codes of the classes in the set of object i: those with a p-value above 1 - confidence.
    pub fn set(&self, i: usize) -> Vec<usize> {
        let Some(p) = &self.p_values else { return Vec::new() };
        let row = p.row(i).iter().enumerate();
        row.filter(|(_, p)| CalibrationScores::is_included(**p, self.confidence)).map(|(c, _)| c).collect()
    }

    /// Whether the region of each object holds its true value, and its size: the number of classes or the width. `None`
    /// for objects without a target.
    pub fn holds(&self, target: &Target, classes: &[String]) -> Vec<Option<(bool, f64)>> {
        let one = |i: usize| match (target, &self.intervals) {
            (Target::Classes(known), None) => {
                let set = self.set(i);
                let inside = set.iter().any(|&c| known.get(i) == classes.get(c).map(String::as_str));
                known.get(i).map(|_| (inside, set.len() as f64))
            }
            (Target::Numbers(y), Some(all)) => {
                let (low, high) = all[i];
                (!y[i].is_nan()).then(|| ((low..=high).contains(&y[i]), high - low))
            }
            _ => None,
        };
        (0..self.prediction.len()).map(one).collect()
    }
}

impl Model {
    /// Predicts objects with a set of classes, or an interval of numbers, each. A region holds the true value with a
    /// probability of at least `confidence`, or what [`ConformalMethod`] says, if the objects come from the same source as
    /// the calibration objects.
    ///
    /// A class or group with too few calibration objects for the confidence is never left out: it is in every set, and
    /// intervals are infinite; warnings say so. Fails for models without a calibration.
    ///
    /// Cost: a prediction by the model of every fold, or O(n²) for each object by leave-one-out models.
    ///
    /// ```
    /// use mercer::{data::embedded, gram::Engine, select::Conformal};
    /// let (flowers, engine) = (embedded::iris()?, Engine::new());
    /// let model = Conformal::default().fit(&flowers, &"standardize(rbf)".parse()?, &"svc".parse()?, 0, &engine)?;
    /// let regions = model.predict_regions(&flowers.select(&[0, 70]), 0.95, &engine)?;
    /// assert_eq!(regions.set(0), [0]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn predict_regions(&self, data: &Dataset, confidence: f64, engine: &Engine) -> Result<Regions> {
        check_confidence(confidence)?;
        let Some(calibration) = &self.conformal else {
            return Err(uncalibrated("how sure predictions are"));
        };
        let prediction = self.predict(data, engine)?;
        let quiet = engine.clone().with_progress(Arc::new(Silent));
        let (strata, mut warnings) = self.strata(calibration, data)?;
        warnings.extend(calibration.too_few(confidence));
        let mut regions = Regions { confidence, prediction, p_values: None, intervals: None, warnings };
        match calibration.score {
            ConformalScore::Class(score) => {
                regions.p_values = Some(self.p_values(calibration, score, data, &strata, &quiet)?);
            }
            ConformalScore::Absolute | ConformalScore::Normalized => {
                regions.intervals = Some(self.intervals(calibration, data, &strata, confidence, &quiet)?);
            }
        }
        Ok(regions)
    }

    /// The models of the folds: itself, if it was fitted without the calibration objects.
    fn of_folds<'a>(&'a self, calibration: &'a Calibration) -> Vec<&'a Model> {
        if calibration.models.is_empty() { vec![self] } else { calibration.models.iter().collect() }
    }

    /// The stratum of each object; classes have their own.
    fn strata(&self, calibration: &Calibration, data: &Dataset) -> Result<(Vec<usize>, Vec<Warning>)> {
        let ConformalBy::Column(name) = &calibration.by else { return Ok((vec![0; data.len()], Vec::new())) };
        let found = strata_of(data, name)?;
        let place = |value: &Option<String>| {
            let value = value.as_deref()?;
            calibration.names.iter().position(|known| known == value)
        };
        let strata: Vec<usize> = found.iter().map(|v| place(v).unwrap_or(NOWHERE)).collect();
        let unknown = strata.iter().filter(|s| **s == NOWHERE).count();
        let warning = (unknown > 0).then(|| {
            let message = format!(
                "column '{name}': {unknown} of {} objects have a value that no calibration object has: nothing is left out \
                 of their regions",
                data.len()
            );
            Warning::new("W_CONFORMAL", message)
        });
        Ok((strata, warning.into_iter().collect()))
    }

    fn p_values(
        &self,
        calibration: &Calibration,
        score: ClassScore,
        data: &Dataset,
        strata: &[usize],
        engine: &Engine,
    ) -> Result<Dense> {
        let classes = self.trained.classes();
        let of_class: Vec<usize> = match calibration.by {
            ConformalBy::Class => {
                let place = |c: &String| calibration.names.iter().position(|n| n == c).unwrap_or(NOWHERE);
                classes.iter().map(place).collect()
            }
            _ => Vec::new(),
        };
        let stratum = |i: usize, c: usize| of_class.get(c).copied().unwrap_or(strata[i]);
        let mut out = Dense::zeros(data.len(), classes.len());
        let chances = self.chances(data)?;
        if calibration.method == ConformalMethod::Jackknife {
            let model = self.trained.model_as::<RidgeClassifier>().ok_or_else(not_ridge)?.model();
            self.each_left_out(calibration, model, data, engine, |i, values| {
                let Chance { class, tie } = chances[i];
                let by_model = |j| score.scores(&logs_of(values, j, classes.len()), class);
                let scores: Vec<Vec<f64>> = (0..values[0].len()).map(by_model).collect();
                for (c, p) in out.row_mut(i).iter_mut().enumerate() {
                    *p = calibration.sorted.p_value(stratum(i, c), tie, |j| scores[j][c]);
                }
            })?;
            return Ok(out);
        }
        let mut scored: Vec<Vec<Vec<f64>>> = Vec::new();
        for model in self.of_folds(calibration) {
            scored.push(model.class_scores(data, score, (classes, &chances[..]), engine)?);
        }
        for i in 0..data.len() {
            budget::check_often()?;
            for (c, p) in out.row_mut(i).iter_mut().enumerate() {
                *p = calibration.sorted.p_value(stratum(i, c), chances[i].tie, |fold| scored[fold][i][c]);
            }
        }
        Ok(out)
    }

    /// The random numbers of each object, from its columns that the model uses and the seed: the same for the models of
    /// all folds.
    #[doc(hidden)]
    pub fn chances(&self, data: &Dataset) -> Result<Vec<Chance>> {
        let mut out = Vec::with_capacity(data.len());
        for start in (0..data.len()).step_by(AT_ONCE) {
            budget::check()?;
            let rows: Vec<usize> = (start..(start + AT_ONCE).min(data.len())).collect();
            let prints = align(&self.kept, data, &rows)?.object_fingerprints();
            out.extend(prints.into_iter().map(|print| Chance::of(print, self.seed)));
        }
        Ok(out)
    }

    /// The score of each of these classes for each object with its random numbers; infinite for classes that the model
    /// does not know.
    #[doc(hidden)]
    pub fn class_scores(
        &self,
        data: &Dataset,
        score: ClassScore,
        (classes, chances): (&[String], &[Chance]),
        engine: &Engine,
    ) -> Result<Vec<Vec<f64>>> {
        let logs = self.trained.class_logs(&self.predict(data, engine)?)?;
        let own = self.trained.classes();
        let place: Vec<Option<usize>> = classes.iter().map(|c| own.iter().position(|o| o == c)).collect();
        let one = |i: usize| {
            let scores = score.scores(logs.row(i), chances.get(i).unwrap_or(&Chance::NONE).class);
            place.iter().map(|p| p.map_or(f64::INFINITY, |p| scores[p])).collect()
        };
        Ok((0..data.len()).map(one).collect())
    }

    fn intervals(
        &self,
        calibration: &Calibration,
        data: &Dataset,
        strata: &[usize],
        confidence: f64,
        engine: &Engine,
    ) -> Result<Vec<(f64, f64)>> {
        let sorted = &calibration.sorted;
        if calibration.method == ConformalMethod::Jackknife {
            let model = self.trained.model_as::<RidgeModel>().ok_or_else(not_ridge)?;
            let mut out = vec![(0.0, 0.0); data.len()];
            self.each_left_out(calibration, model, data, engine, |i, values| {
                out[i] = sorted.interval(strata[i], confidence, |j| (values[0][j], 1.0));
            })?;
            return Ok(out);
        }
        let (mut centres, mut scales) = (Vec::new(), Vec::new());
        for (fold, model) in self.of_folds(calibration).into_iter().enumerate() {
            centres.push(model.numbers(data, engine)?);
            scales.push(match calibration.errors.get(fold) {
                Some((error, added)) => {
                    error.numbers(data, engine)?.into_iter().map(|e| e.max(0.0) + added).collect()
                }
                None => vec![1.0; data.len()],
            });
        }
        let one = |i: usize| {
            budget::check()?;
            Ok(sorted.interval(strata[i], confidence, |fold| (centres[fold][i], scales[fold][i])))
        };
        engine.run(|| parallel::try_map(data.len(), one))
    }

    /// The numbers it predicts.
    #[doc(hidden)]
    pub fn numbers(&self, data: &Dataset, engine: &Engine) -> Result<Vec<f64>> {
        match self.predict(data, engine)?.target {
            Some(Target::Numbers(numbers)) => Ok(numbers),
            _ => Err(Error::usage("this model predicts no numbers")),
        }
    }

    /// Calls `each` for every object with the decision values of all leave-one-out models, one list per column.
    fn each_left_out(
        &self,
        calibration: &Calibration,
        model: &RidgeModel,
        data: &Dataset,
        engine: &Engine,
        mut each: impl FnMut(usize, &[&[f64]]),
    ) -> Result<()> {
        let known = self.prepared(engine)?;
        let left_out = match calibration.left_out.get() {
            Some(made) => made,
            None => {
                let gram: Dense = engine.gram_of(&self.kernel, known)?;
                let lambda = self.learner.setting("lambda")?.number().unwrap_or(0.0);
                let made = engine.run(|| RidgeLeaveOneOut::new(&gram, lambda, model))?;
                if made.residuals().rows() != calibration.objects() {
                    return Err(Error::usage("the calibration does not suit the model"));
                }
                calibration.left_out.get_or_init(|| made)
            }
        };
        for start in (0..data.len()).step_by(AT_ONCE) {
            engine.budget().check()?;
            let rows: Vec<usize> = (start..(start + AT_ONCE).min(data.len())).collect();
            let set = engine.prepare(&self.kernel, &align(&self.kept, data, &rows)?)?;
            let cross: Dense = engine.cross_of(&self.kernel, &set, known)?;
            let whole = model.predict(&cross)?;
            let columns = (0..whole.cols()).map(|t| engine.run(|| left_out.predict(&cross, &whole, t)));
            let columns = columns.collect::<Result<Vec<Dense>>>()?;
            for (at, &i) in rows.iter().enumerate() {
                budget::check()?;
                each(i, &columns.iter().map(|c| c.row(at)).collect::<Vec<_>>());
            }
        }
        Ok(())
    }
}

/// The logarithms of the class probabilities of a ridge classifier, from its decision values by model j.
#[doc(hidden)]
pub fn logs_of(values: &[&[f64]], j: usize, classes: usize) -> Vec<f64> {
    match values {
        [one] if classes == 2 => vec![-one[j], one[j]],
        all => all.iter().map(|v| 2.0 * v[j]).collect(),
    }
}

fn not_ridge() -> Error {
    Error::usage("leave-one-out models in closed form are for ridge")
}

impl Calibration {
    /// A warning for strata with too few objects to leave anything out at this confidence.
    fn too_few(&self, confidence: f64) -> Option<Warning> {
        let fewest = CalibrationScores::fewest(confidence);
        let few: Vec<(&str, usize)> = self.strata().filter(|(_, n)| *n < fewest).collect();
        let (name, n) = *few.first()?;
        let consequence = match (self.score.is_of_classes(), &self.by) {
            (true, ConformalBy::Class) => "it is in every set",
            (true, _) => "every class is in the sets",
            (false, _) => "the intervals are infinite",
        };
        let which = match &self.by {
            ConformalBy::All => String::new(),
            ConformalBy::Class => format!("class '{name}': "),
            ConformalBy::Column(column) => format!("{column} '{name}': "),
        };
        let more =
            if few.len() > 1 { format!(", and so are {} others", few.len() - 1) } else { String::new() };
        let message = format!(
            "{which}{n} calibration objects are too few for a confidence of {confidence}, which needs {fewest}: \
             {consequence}{more}"
        );
        Some(Warning::new("W_CONFORMAL", message))
    }
}
