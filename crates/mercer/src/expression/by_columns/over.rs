//! Kernels that compare an object with other objects than the other one: with landmarks, or with all training objects. A model
//! on them is a weighted sum of the kernel inside, over these objects.

use std::sync::Arc;

use super::super::change::Change;
use super::super::columns::{Scope, inner_of};
use super::super::fit::Fit;
use super::super::forest;
use super::super::step::Step;
use super::super::tree::Call;
use super::{Form, OfTrees, Term, terms_of};
use crate::data::{Dataset, Dense};
use crate::error::Result;
use crate::gram::Engine;
use crate::kernel::Boxed;

/// Objects that a term compares with in place of the support objects of a model.
pub(crate) struct Over {
    /// These objects, after the changes of columns around the kernel.
    pub(crate) objects: Dataset,
    /// The changes of columns around the kernel.
    changes: Vec<Change>,
    weigh: Weigh,
}

/// How the weights of the objects follow from those of a model.
enum Weigh {
    /// Each gets -1/n of the sum of all weights: the means that `center` subtracts.
    Means,
    /// W⁺·k(L, Z)·w for support objects Z, and M·w for coordinates, W⁺ = M·Mᵀ.
    Landmarks { kernel: Boxed<Dataset>, map: Dense },
}

/// The weights of a model.
pub(crate) enum Given<'a> {
    /// Of its support objects, a row each.
    Support { objects: &'a Dataset, weights: &'a Dense },
    /// Of the coordinates of objects: the weight of a coordinate for an output.
    Coordinates { weight: &'a dyn Fn(usize, usize) -> f64, outputs: usize },
}

impl Over {
    /// The weights of its objects, a row each; `None` where the kernel has no coordinates.
    pub(crate) fn weights(&self, given: &Given<'_>, engine: &Engine) -> Result<Option<Dense>> {
        match (&self.weigh, given) {
            (Weigh::Means, Given::Support { weights, .. }) => {
                let n = self.objects.len();
                let mut out = Dense::zeros(n, weights.cols());
                for c in 0..weights.cols() {
                    let sum: f64 = (0..weights.rows()).map(|i| weights.at(i, c)).sum();
                    (0..n).for_each(|i| out.row_mut(i)[c] = -sum / n as f64);
                }
                Ok(Some(out))
            }
            (Weigh::Means, Given::Coordinates { .. }) => Ok(None),
            (Weigh::Landmarks { kernel, map }, given) => {
                let of_coordinates = match given {
                    Given::Support { objects, weights } => {
                        let mut changed = (*objects).clone();
                        for change in &self.changes {
                            changed = change.apply(&changed)?;
                        }
                        let near = engine.cross(kernel, &self.objects, &changed)?;
                        transposed_times(map, &times(&near, weights))
                    }
                    Given::Coordinates { weight, outputs } => {
                        let mut all = Dense::zeros(map.cols(), *outputs);
                        for c in 0..map.cols() {
                            (0..*outputs).for_each(|v| all.row_mut(c)[v] = weight(c, v));
                        }
                        all
                    }
                };
                Ok(Some(times(map, &of_coordinates)))
            }
        }
    }
}

/// a·b, for b of few columns.
fn times(a: &Dense, b: &Dense) -> Dense {
    let mut out = Dense::zeros(a.rows(), b.cols());
    for i in 0..a.rows() {
        for (k, v) in a.row(i).iter().enumerate() {
            out.row_mut(i).iter_mut().zip(b.row(k)).for_each(|(o, w)| *o += v * w);
        }
    }
    out
}

/// aᵀ·b, for b of few columns.
fn transposed_times(a: &Dense, b: &Dense) -> Dense {
    let mut out = Dense::zeros(a.cols(), b.cols());
    for i in 0..a.rows() {
        for (k, v) in a.row(i).iter().enumerate() {
            out.row_mut(k).iter_mut().zip(b.row(i)).for_each(|(o, w)| *o += v * w);
        }
    }
    out
}

/// The terms of the kernel inside, with their factors for objects that were changed before; `None` if it has no such form, or
/// compares with other objects itself.
fn terms_inside(call: &Call, scope: &Scope<'_>, changes: &[Change]) -> Result<Option<Vec<Term>>> {
    let inner = inner_of(call)?;
    let unchanged = match changes.is_empty() {
        true => None,
        // The same steps once more.
        false => {
            let again = Fit::new(scope.fit.engine, scope.fit.left());
            terms_of(inner, &Scope { fit: &again, ..*scope }, &[])?
        }
    };
    let Some(mut terms) = terms_of(inner, scope, changes)? else { return Ok(None) };
    if terms.iter().any(|term| term.over.is_some()) {
        return Ok(None);
    }
    let of_changed = unchanged.into_iter().flatten().map(|term| term.factors);
    for (term, factors) in terms.iter_mut().zip(of_changed) {
        term.of_changed = Some(factors.into_iter().map(|(_, kernel)| kernel).collect());
    }
    Ok(Some(terms))
}

/// `center`: the kernel inside, and the means over the training objects that it subtracts.
pub(in crate::expression) fn of_center(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
) -> Result<Option<Vec<Term>>> {
    let Some(terms) = terms_inside(call, scope, changes)? else { return Ok(None) };
    match scope.fit.stored()? {
        Some(Step::Center { .. }) => {}
        Some(other) => return Err(other.misplaced(call.entry.facts.name)),
        None => return Err(super::entries::unfitted(call.entry.facts.name)),
    }
    let over = Over { objects: scope.data.clone(), changes: changes.to_vec(), weigh: Weigh::Means };
    let over = Arc::new(over);
    let means: Vec<Term> =
        terms.iter().map(|term| Term { over: Some(Arc::clone(&over)), ..term.clone() }).collect();
    let terms = terms.into_iter().map(|term| Term { of_changed: None, ..term });
    Ok(Some(terms.chain(means).collect()))
}

/// `nystrom`: the kernel inside, compared with the landmarks.
pub(in crate::expression) fn of_nystrom(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
) -> Result<Option<Vec<Term>>> {
    let again = Fit::new(scope.fit.engine, scope.fit.left());
    let kernel = again.kernel(inner_of(call)?, &Scope { fit: &again, ..*scope })?;
    let Some(terms) = terms_inside(call, scope, changes)? else { return Ok(None) };
    let (objects, map) = match scope.fit.stored()? {
        Some(Step::Landmarks { objects, map, .. }) => (objects, map),
        Some(other) => return Err(other.misplaced(call.entry.facts.name)),
        None => return Err(super::entries::unfitted(call.entry.facts.name)),
    };
    let over = Over { objects, changes: changes.to_vec(), weigh: Weigh::Landmarks { kernel, map } };
    let over = Arc::new(over);
    Ok(Some(terms.into_iter().map(|term| Term { over: Some(Arc::clone(&over)), ..term }).collect()))
}

/// `forest`: the share of trees with the same leaf.
pub(in crate::expression) fn of_forest(
    call: &Call,
    scope: &Scope<'_>,
    changes: &[Change],
) -> Result<Option<Vec<Term>>> {
    let kernel = forest::fitted(call, scope)?;
    let form = Form::Trees(Arc::new(OfTrees { kernel, changes: changes.to_vec() }));
    Ok(Some(vec![Term::of(form)]))
}
