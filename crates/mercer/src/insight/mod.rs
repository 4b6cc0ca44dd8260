//! Diagnostics besides scores: the Gram matrix, its spectrum, a 2D embedding, predictions and their drivers.
//!
//! [`Figures`] holds data for plots, not plots: drawing needs neither kernel nor learner. Everything here describes
//! objects seen in training, except [`Predictions`], which are of test sets; no score is computed from it.
//!
//! [`Figures::of`] fits a kernel and a model to at most [`MOST_OBJECTS`] objects, chosen at random by the seed if there
//! are more: a plot can show no more, and an eigendecomposition of all of them would take longer than the search.

mod approximation;
mod automatic;
mod certificates;
mod cliffs;
mod document;
mod drivers;
mod examples;
mod explained;
mod layout;
mod matrix;
mod profile;
mod stability;
#[cfg(test)]
mod tests;
mod words;

pub use approximation::Approximation;
pub use automatic::automatic;
pub use certificates::CertificateTable;
pub use cliffs::{Cliff, CliffMolecule, Cliffs};
pub use document::{
    ColumnSummary, DataSummary, EvaluationDocument, TargetSummary, evaluation, outcome, summary,
};
pub use drivers::{Driver, Drivers, ExplainedObject, GraphDrawing, SupportObject};
pub use examples::{ClassExamples, ExampleObject, Examples, NearestOther};
pub use explained::{
    CorrelatedColumns, ExplainedColumn, ExplainedExample, ExplanationParts, ModelExplanation,
    ModelExplanationOptions, ScoreAgainstBaseline,
};
pub use matrix::{Components, HeatMap, Spectrum};
pub use profile::{
    Candidate, ColumnProfile, Contents, DataProfile, GraphFacts, NumberRange, SpreadOf, WeightRange,
};
pub use stability::{Stability, StableDriver};
pub use words::short;

use serde::Serialize;

use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;
use crate::model::Model;
use crate::random::Random;
use crate::select::{Predictions, SearchMap};

/// Maximum number of objects of the matrix shown.
pub const MOST_OBJECTS: usize = 1000;

/// Data for the plots of one kernel and one learner.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// The predictions for test objects.
    pub predictions: Option<Predictions>,
    /// The scores of the evaluated grid points.
    pub search: Option<SearchMap>,
    /// The Gram matrix, objects ordered by class or number.
    pub gram: Option<HeatMap>,
    /// Its eigenvalues.
    pub spectrum: Option<Spectrum>,
    /// The objects along the first two kernel principal components.
    pub components: Option<Components>,
    /// Certificates of the matrix and the models.
    pub certificates: Vec<CertificateTable>,
    /// The error of a low-rank kernel approximation.
    pub approximation: Option<Approximation>,
    /// What drives the predictions of a model fitted to these objects.
    pub drivers: Option<Drivers>,
    /// Whether the models of outer splits have the same drivers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stability: Option<Stability>,
    /// Similar molecules with different targets.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cliffs: Option<Cliffs>,
    /// What could not be computed, with the reason.
    pub missing: Vec<String>,
}

impl Figures {
    /// Fits a kernel and a learner without open choices to data with a target, and computes the figures.
    ///
    /// A part that does not exist (a kernel without features, a learner without weights) is left out, and
    /// [`Figures::missing`] gives the reason.
    ///
    /// ```
    /// use mercer::{data::generate, gram::Engine, insight::Figures};
    /// let data = generate::half_moons(40, 0.1, 1)?;
    /// let figures = Figures::of(&data, &"rbf(gamma=1)".parse()?, &"svc(C=10)".parse()?, 0, &Engine::new())?;
    /// let (gram, spectrum) = (figures.gram.unwrap(), figures.spectrum.unwrap());
    /// assert_eq!((gram.shown, gram.of, spectrum.negative), (40, 40, 0));
    /// assert_eq!(figures.components.unwrap().x.len(), 40);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of(
        data: &Dataset,
        kernel: &Expression,
        learner: &Learner,
        seed: u64,
        engine: &Engine,
    ) -> Result<Self> {
        let (rows, all) = shown(data, seed);
        let part = data.select(&rows).without_test();
        let mut out = Figures::default();
        match matrix::figures(&part, all, &names(data, &rows), kernel, engine) {
            Ok((heat, spectrum, components, proof)) => {
                (out.gram, out.spectrum) = (Some(heat), Some(spectrum));
                match components {
                    Ok(components) => out.components = Some(components),
                    Err(why) => out.miss("principal components", why)?,
                }
                out.certificates.push(proof);
            }
            Err(why) => out.miss("the Gram matrix", why)?,
        }
        match Model::fit(&part, kernel, learner, seed, engine) {
            Ok(model) => {
                out.certificates.extend(certificates::of_models(model.trained()));
                match drivers::of(&model, &part, &names(data, &rows), all, engine) {
                    Ok(drivers) => out.drivers = Some(drivers),
                    Err(why) => out.miss("drivers of predictions", why)?,
                }
            }
            Err(why) => out.miss("the model", why)?,
        }
        let test = data.test();
        let training: Vec<usize> = (0..data.len()).filter(|&i| test.is_none_or(|test| !test[i])).collect();
        match cliffs::of(&data.training_set(), &names(data, &training), engine) {
            Ok(cliffs) => out.cliffs = cliffs,
            Err(why) => out.miss("activity cliffs", why)?,
        }
        match approximation::of(&data.training_set(), kernel, learner, seed, engine) {
            Ok(found) => {
                out.certificates.extend(found.iter().map(Approximation::proof));
                out.approximation = found;
            }
            Err(why) => out.miss("cost of the approximation", why)?,
        }
        Ok(out)
    }

    /// Records a part that cannot be computed. Cancellation by the user stays an error.
    fn miss(&mut self, what: &str, why: Error) -> Result<()> {
        if let Error::Interrupted = why {
            return Err(why);
        }
        self.missing.push(format!("{what}: {why}"));
        Ok(())
    }
}

/// The objects shown, ordered by class, then by number, so that each class is contiguous, and the number of those that could
/// be. Objects of a predefined test set are not: nothing is fitted to them.
fn shown(data: &Dataset, seed: u64) -> (Vec<usize>, usize) {
    let test = data.test();
    let all: Vec<usize> = (0..data.len()).filter(|&i| test.is_none_or(|test| !test[i])).collect();
    let drawn = Random::derived(seed, 0x1f19).sample(all.len(), MOST_OBJECTS);
    let mut rows: Vec<usize> = drawn.into_iter().map(|i| all[i]).collect();
    match data.target() {
        Some(Target::Classes(classes)) => rows.sort_by_key(|&i| classes.code(i)),
        Some(Target::Numbers(y)) => rows.sort_by(|&a, &b| y[a].total_cmp(&y[b])),
        None => {}
    }
    (rows, all.len())
}

/// The ids of objects, or their numbers from 1.
fn names(data: &Dataset, rows: &[usize]) -> Vec<String> {
    let name = |&i: &usize| data.ids().map_or_else(|| (i + 1).to_string(), |ids| ids[i].clone());
    rows.iter().map(name).collect()
}

/// The class of each object, in classification.
fn classes(data: &Dataset) -> Option<Vec<String>> {
    let Some(Target::Classes(classes)) = data.target() else { return None };
    Some((0..classes.len()).map(|i| classes.get(i).unwrap_or("–").to_owned()).collect())
}

/// The target of each object, in regression.
fn numbers(data: &Dataset) -> Option<Vec<f64>> {
    match data.target() {
        Some(Target::Numbers(y)) => Some(y.clone()),
        _ => None,
    }
}
