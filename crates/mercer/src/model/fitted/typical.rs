//! How typical new objects are of the training objects.

use std::sync::{Arc, OnceLock};

use serde_json::{Value, json};

use super::{Model, PreparedObjects};
use crate::budget;
use crate::data::{Dataset, Dense};
use crate::error::{Code, Error, Result};
use crate::gram::{Engine, Silent};
use crate::learn::conformal::Typicality;
use crate::model::align::align;
use crate::model::{Array, Container, Field};
use crate::parallel;
use crate::random::Random;

/// Reference objects at most, and the neighbours that count.
const MOST: usize = 1000;
const NEIGHBOURS: usize = 5;
/// The typicality of objects outside of the domain.
const UNTYPICAL: f64 = 0.01;
/// New objects that are compared at once.
const AT_ONCE: usize = 1024;
/// The stream of random numbers that reference objects are drawn from.
const STREAM: u64 = 0x7E7;

/// Training objects that new ones are compared with.
pub(super) struct Reference {
    objects: Dataset,
    known: Typicality,
    prepared: OnceLock<(PreparedObjects, Vec<f64>)>,
}

impl Reference {
    /// A sample of the training objects with the distances between them; none if there are fewer than five.
    pub(super) fn of(model: &Model, training: &Dataset, engine: &Engine) -> Result<Option<Self>> {
        let rows = Random::derived(model.seed, STREAM).sample(training.len(), MOST);
        if rows.len() < NEIGHBOURS {
            return Ok(None);
        }
        let objects = align(&model.kept, training, &rows)?;
        let engine = engine.clone().with_progress(Arc::new(Silent));
        let set = engine.prepare(&model.kernel, &objects)?;
        let own = engine.diagonal_of(&model.kernel, &set)?;
        let mut gram: Dense = engine.gram_of(&model.kernel, &set)?;
        for i in 0..gram.rows() {
            budget::check_often()?;
            for (j, v) in gram.row_mut(i).iter_mut().enumerate() {
                *v = if model.is_of_distances() { far(*v) } else { distance(own[i], own[j], *v) };
            }
        }
        let known = Typicality::new(&gram, NEIGHBOURS)?;
        let prepared = OnceLock::from((set, own));
        Ok(Some(Reference { objects, known, prepared }))
    }

    pub(super) fn put(&self, c: &mut Container) -> Result<Value> {
        let data = c.put_dataset("conformal/reference", &self.objects)?;
        let near = self.known.parts();
        c.insert("conformal/near", Array::new(&[near.rows(), near.cols()], near.values().to_vec())?)?;
        Ok(json!({"data": data}))
    }

    pub(super) fn get(c: &Container, field: Option<Field<'_>>) -> Result<Option<Self>> {
        let Some(field) = field else { return Ok(None) };
        let objects = c.dataset("conformal/reference", field.get("data")?.value())?;
        let known = Typicality::from_parts(c.matrix("conformal/near")?)
            .map_err(|e| field.fault(Code::ModelSyntax, e.to_string()))?;
        if objects.len() != known.objects() {
            let reason = format!("{} reference objects, expected {}", objects.len(), known.objects());
            return Err(field.fault(Code::ModelCount, reason));
        }
        Ok(Some(Reference { objects, known, prepared: OnceLock::new() }))
    }

    fn prepared(&self, model: &Model, engine: &Engine) -> Result<&(PreparedObjects, Vec<f64>)> {
        if let Some(known) = self.prepared.get() {
            return Ok(known);
        }
        let set = engine.prepare(&model.kernel, &self.objects)?;
        let own = engine.diagonal_of(&model.kernel, &set)?;
        Ok(self.prepared.get_or_init(|| (set, own)))
    }
}

/// The distance in feature space; 0 where rounding or an indefinite kernel makes its square negative.
fn distance(a: f64, b: f64, cross: f64) -> f64 {
    far((a + b - 2.0 * cross).max(0.0).sqrt())
}

/// A distance that is a number of at least 0.
fn far(d: f64) -> f64 {
    if d.is_finite() { d.max(0.0) } else { f64::MAX }
}

impl Model {
    /// Whether its matrix holds distances instead of similarities.
    fn is_of_distances(&self) -> bool {
        self.learner.setting("measure").is_ok_and(|measure| measure.to_string() == "distance")
    }

    /// The typicality up to which an object is called outside of the model's domain: 0.01, or the smallest that so few
    /// training objects can give. About one in a hundred ordinary objects is below it.
    pub fn untypical(&self) -> f64 {
        let objects =
            self.conformal.as_ref().and_then(|c| c.reference.as_ref()).map_or(0, |r| r.known.objects());
        UNTYPICAL.max(1.0 / (objects + 1) as f64)
    }

    /// How typical each object is of the training objects: a p-value from its distances, in the feature space of the
    /// kernel, to its five nearest among up to 1,000 training objects ([`Typicality`]). Objects from the same source as the
    /// training objects have a value of at most ε with a probability of at most ε; small values mean that a prediction is
    /// outside of the model's domain.
    ///
    /// The guarantee is exact for kernels that are not fitted to the training objects, and close for others. Calibrated
    /// models store the reference objects. Cost: one similarity per object and reference object.
    ///
    /// ```
    /// use mercer::{data::{Dataset, Dense, embedded}, gram::Engine, select::Conformal};
    /// let (flowers, engine) = (embedded::iris()?, Engine::new());
    /// let model = Conformal::default().fit(&flowers, &"standardize(rbf)".parse()?, &"svc".parse()?, 0, &engine)?;
    /// let typical = model.typicality(&flowers.select(&[0, 60, 120]), &engine)?;
    /// assert!(typical.iter().all(|p| *p > 0.05));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn typicality(&self, data: &Dataset, engine: &Engine) -> Result<Vec<f64>> {
        let Some(calibration) = &self.conformal else {
            return Err(uncalibrated("how typical objects are"));
        };
        let Some(reference) = &calibration.reference else {
            return Err(Error::usage(
                "this model was fitted to fewer than five objects: nothing is typical of so few",
            ));
        };
        let engine = engine.clone().with_progress(Arc::new(Silent));
        let (known, own) = reference.prepared(self, &engine)?;
        let mut out = Vec::with_capacity(data.len());
        for start in (0..data.len()).step_by(AT_ONCE) {
            engine.budget().check()?;
            let rows: Vec<usize> = (start..(start + AT_ONCE).min(data.len())).collect();
            let objects = align(&self.kept, data, &rows)?;
            let set = engine.prepare(&self.kernel, &objects)?;
            let new = engine.diagonal_of(&self.kernel, &set)?;
            let cross: Dense = engine.cross_of(&self.kernel, &set, known)?;
            let p_value = |i: usize| {
                let to = cross.row(i).iter().zip(own).map(|(v, own)| match self.is_of_distances() {
                    true => far(*v),
                    false => distance(new[i], *own, *v),
                });
                reference.known.p_value(&to.collect::<Vec<_>>())
            };
            out.extend(engine.run(|| parallel::map(rows.len(), p_value)));
        }
        Ok(out)
    }
}

/// The error of a model without a calibration.
pub(super) fn uncalibrated(what: &str) -> Error {
    Error::usage(format!(
        "this model was fitted without a calibration, which tells {what}: fit it again with a calibration"
    ))
}
