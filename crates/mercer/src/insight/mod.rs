//! What people look at besides scores: the matrix, its spectrum, the objects in a plane, predictions, what drove them.
//!
//! [`Figures`] is data for pictures, not pictures: whoever draws needs no kernel and no learner. Everything here is of objects
//! that were seen in training, except [`Predictions`], which are of test parts; no score comes from it.
//!
//! [`Figures::of`] fits a kernel and a machine to at most [`MOST_OBJECTS`] objects, chosen at random by the seed where there are more: a
//! picture shows no more, and an eigendecomposition of all of them would take longer than the search.

mod approximation;
mod certificates;
mod document;
mod drivers;
mod layout;
mod matrix;
#[cfg(test)]
mod tests;

pub use approximation::Approximation;
pub use certificates::Proof;
pub use document::{evaluation, note_figures, outcome, summary};
pub use drivers::{Drawing, Driver, Drivers, Explained, Reference};
pub use matrix::{Components, Heat, Spectrum};

use serde::Serialize;

use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;
use crate::model::Model;
use crate::random::Random;
use crate::select::{Predictions, SearchMap};

/// The most objects a matrix is shown of.
pub const MOST_OBJECTS: usize = 1000;

/// Data for the pictures of one kernel and one learner.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Figures {
    /// What was predicted of test objects.
    pub predictions: Option<Predictions>,
    /// The scores of the cells that were tried.
    pub search: Option<SearchMap>,
    /// The Gram matrix, objects ordered by class or number.
    pub gram: Option<Heat>,
    /// Its eigenvalues.
    pub spectrum: Option<Spectrum>,
    /// The objects along the first two kernel principal components.
    pub components: Option<Components>,
    /// What the matrix and the machines can prove about themselves.
    pub certificates: Vec<Proof>,
    /// How far a kernel of low rank is from the one it approximates.
    pub approximation: Option<Approximation>,
    /// What drives the predictions of a machine fitted to these objects.
    pub drivers: Option<Drivers>,
    /// What could not be shown, with the reason.
    pub missing: Vec<String>,
}

impl Figures {
    /// Fits a kernel and a learner, neither leaving anything open, to data with a target, and looks at what they made of it.
    ///
    /// A part that cannot be had (a kernel without features, a learner that keeps no weights) is left out, and
    /// [`Figures::missing`] says why.
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
        let rows = shown(data, seed);
        let part = data.select(&rows);
        let mut out = Figures::default();
        match matrix::look(&part, data.len(), &names(data, &rows), kernel, engine) {
            Ok((heat, spectrum, components, proof)) => {
                (out.gram, out.spectrum) = (Some(heat), Some(spectrum));
                match components {
                    Ok(components) => out.components = Some(components),
                    Err(why) => out.miss("the plane of components", why)?,
                }
                out.certificates.push(proof);
            }
            Err(why) => out.miss("the Gram matrix", why)?,
        }
        match Model::fit(&part, kernel, learner, seed, engine) {
            Ok(model) => {
                out.certificates.extend(certificates::of_machines(model.machine()));
                match drivers::of(&model, &part, &names(data, &rows), data.len(), engine) {
                    Ok(drivers) => out.drivers = Some(drivers),
                    Err(why) => out.miss("what drove predictions", why)?,
                }
            }
            Err(why) => out.miss("the machine", why)?,
        }
        match approximation::of(data, kernel, learner, seed, engine) {
            Ok(found) => {
                out.certificates.extend(found.iter().map(Approximation::proof));
                out.approximation = found;
            }
            Err(why) => out.miss("what the approximation costs", why)?,
        }
        Ok(out)
    }

    /// Notes what cannot be shown. A user who stops the work is not a reason to go on without.
    fn miss(&mut self, what: &str, why: Error) -> Result<()> {
        if let Error::Interrupted = why {
            return Err(why);
        }
        self.missing.push(format!("{what}: {why}"));
        Ok(())
    }
}

/// The objects shown, ordered by class, then by number: those of one class stand together.
fn shown(data: &Dataset, seed: u64) -> Vec<usize> {
    let mut rows = Random::derived(seed, 0x1f19).sample(data.len(), MOST_OBJECTS);
    match data.target() {
        Some(Target::Classes(classes)) => rows.sort_by_key(|&i| classes.code(i)),
        Some(Target::Numbers(y)) => rows.sort_by(|&a, &b| y[a].total_cmp(&y[b])),
        None => {}
    }
    rows
}

/// What objects are called: their ids, or their numbers from 1.
fn names(data: &Dataset, rows: &[usize]) -> Vec<String> {
    let name = |&i: &usize| data.ids().map_or_else(|| (i + 1).to_string(), |ids| ids[i].clone());
    rows.iter().map(name).collect()
}

/// The class of each object, where there are classes.
fn classes(data: &Dataset) -> Option<Vec<String>> {
    let Some(Target::Classes(classes)) = data.target() else { return None };
    Some((0..classes.len()).map(|i| classes.get(i).unwrap_or("–").to_owned()).collect())
}

/// The number of each object, where numbers are predicted.
fn numbers(data: &Dataset) -> Option<Vec<f64>> {
    match data.target() {
        Some(Target::Numbers(y)) => Some(y.clone()),
        _ => None,
    }
}
