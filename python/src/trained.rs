//! The fitted parts of a model as Python values, from which the package makes scikit-learn's attributes.

use mercer::data::Dense;
use mercer::learn::svm::{DecisionFunction, Location, Scheme, SvcModel, SvrModel};
use mercer::learn::{
    GpClassifierModel, GpModel, IterativeGpModel, KernelKMeansModel, KernelPcaModel, LinearClassifier,
    LinearFunctions, LinearModel, LinearRegressor, PerceptronModel, ProcessModel, RidgeClassifier,
    RidgeModel, SparseGpModel, Trained, VotedPerceptronModel,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::array::{list, table};

/// A dictionary with `kind`, `support` (indices of training objects) and the parts that are specific to the kind.
pub(crate) fn describe<'py>(py: Python<'py>, trained: &Trained) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    let whole = |values: &[usize]| list(py, values.iter().map(|&i| i as i64).collect::<Vec<i64>>());
    out.set_item("support", whole(trained.support()))?;
    out.set_item("converged", trained.converged())?;
    if !trained.classes().is_empty() {
        let factors = trained.class_weights();
        let factors = if factors.is_empty() { vec![1.0; trained.classes().len()] } else { factors.to_vec() };
        out.set_item("class_weights", list(py, factors))?;
    }
    let model = trained.model();
    if !model.binary().is_empty() {
        out.set_item("classifiers", classifiers(py, model.binary())?)?;
    }
    if let Some(m) = model.downcast_ref::<SvcModel>() {
        out.set_item("locations", locations(py, m.classifiers(), |at| m.members(at))?)?;
        out.set_item("pairs", m.pairs().to_vec())?;
        out.set_item("one_versus_one", m.scheme() == Scheme::OneVersusOne)?;
        let classes: Vec<i64> = m.support_classes().iter().map(|&c| i64::from(c)).collect();
        out.set_item("support_classes", list(py, classes))?;
        if let Some(calibration) = trained.calibration() {
            let sigmoids: Vec<(f64, f64)> = calibration.sigmoids.iter().map(|s| (s.a, s.b)).collect();
            out.set_item("sigmoids", sigmoids)?;
        }
    } else if let [single] = model.binary() {
        out.set_item("locations", alone(py, single)?)?;
    }
    if let Some(m) = model.downcast_ref::<SvrModel>() {
        out.set_item("epsilon", m.epsilon())?;
    }
    let ridge = model.downcast_ref::<RidgeModel>();
    if let Some(m) = ridge.or_else(|| model.downcast_ref::<RidgeClassifier>().map(RidgeClassifier::model)) {
        out.set_item("alpha", table(py, m.alpha().clone())?)?;
    }
    if let Some(m) = model.downcast_ref::<GpModel>() {
        out.set_item("alpha", list(py, m.alpha().to_vec()))?;
        out.set_item("factor", table(py, m.factor().clone())?)?;
        out.set_item("scale", m.scale())?;
        out.set_item("noise", m.noise())?;
        out.set_item("constant", m.constant())?;
        out.set_item("log_likelihood", m.log_likelihood())?;
    }
    if let Some(m) = model.downcast_ref::<SparseGpModel>() {
        out.set_item("scale", m.scale())?;
        out.set_item("noise", m.noise())?;
        out.set_item("constant", m.constant())?;
        out.set_item("log_likelihood", m.bound())?;
    }
    if let Some(m) = model.downcast_ref::<IterativeGpModel>() {
        out.set_item("alpha", list(py, m.alpha().to_vec()))?;
        out.set_item("scale", m.scale())?;
        out.set_item("noise", m.noise())?;
        out.set_item("constant", m.constant())?;
    }
    if let Some(m) = model.downcast_ref::<GpClassifierModel>() {
        out.set_item("scale", m.scale())?;
        out.set_item("log_likelihood", m.log_likelihood())?;
    }
    if let Some(m) = model.downcast_ref::<PerceptronModel>() {
        out.set_item("coefficients", table(py, m.coefficients().clone())?)?;
        out.set_item("biases", list(py, m.biases().to_vec()))?;
        out.set_item("epochs", m.epochs())?;
        out.set_item("mistakes", m.mistakes())?;
    }
    if let Some(m) = model.downcast_ref::<VotedPerceptronModel>() {
        out.set_item("mistakes", m.mistakes())?;
    }
    if let Some(m) = model.downcast_ref::<KernelPcaModel>() {
        out.set_item("variances", list(py, m.variances().to_vec()))?;
        out.set_item("explained", list(py, m.explained()))?;
        out.set_item("coordinates", table(py, m.training().clone())?)?;
    }
    if let Some(m) = model.downcast_ref::<KernelKMeansModel>() {
        out.set_item("assignments", whole(m.assignments()))?;
        out.set_item("inertia", m.inertia())?;
        out.set_item("iterations", m.iterations())?;
    }
    if let Some(m) = model.downcast_ref::<LinearClassifier>() {
        linear(py, &out, m.classifiers())?;
    }
    if let Some(m) = model.downcast_ref::<LinearRegressor>() {
        linear(py, &out, std::slice::from_ref(m.model()))?;
    }
    if let Some(m) = model.downcast_ref::<LinearFunctions>() {
        out.set_item("weights", table(py, m.map.weights().clone())?)?;
        out.set_item("offsets", list(py, m.map.offsets().to_vec()))?;
        if let Some((variances, total)) = m.map.variances() {
            out.set_item("variances", list(py, variances.to_vec()))?;
            out.set_item("explained", list(py, variances.iter().map(|v| v / total).collect::<Vec<_>>()))?;
        }
    }
    out.set_item("kind", model.kind())?;
    Ok(out)
}

/// For each decision function: positions among the support objects, coefficients, offset.
fn classifiers<'py>(py: Python<'py>, all: &[DecisionFunction]) -> PyResult<Bound<'py, PyList>> {
    let out = PyList::empty(py);
    for m in all {
        let places: Vec<i64> = m.support.iter().map(|&i| i as i64).collect();
        out.append((list(py, places), list(py, m.coefficients.clone()), m.offset))?;
    }
    Ok(out)
}

/// For each decision function: the indices of its training objects, and the location of each: 0 outside the margin, 1
/// on it, 2 inside. Empty if the model does not store locations.
fn locations<'py>(
    py: Python<'py>,
    all: &[DecisionFunction],
    members: impl Fn(usize) -> Vec<usize>,
) -> PyResult<Bound<'py, PyList>> {
    let out = PyList::empty(py);
    for (at, m) in all.iter().enumerate() {
        let members: Vec<i64> = members(at).into_iter().map(|i| i as i64).collect();
        let code = |l: &Location| match l {
            Location::Outside => 0u8,
            Location::On => 1,
            Location::Inside => 2,
        };
        out.append((list(py, members), list(py, m.locations.iter().map(code).collect::<Vec<u8>>())))?;
    }
    Ok(out)
}

/// The same for a single decision function of all training objects.
fn alone<'py>(py: Python<'py>, trained: &DecisionFunction) -> PyResult<Bound<'py, PyList>> {
    locations(py, std::slice::from_ref(trained), |_| (0..trained.locations.len()).collect())
}

fn linear<'py>(py: Python<'py>, out: &Bound<'py, PyDict>, all: &[LinearModel]) -> PyResult<()> {
    let width = all.first().map_or(0, |m| m.weights().len());
    let mut weights = Dense::zeros(all.len(), width);
    for (i, m) in all.iter().enumerate() {
        weights.row_mut(i).copy_from_slice(m.weights());
    }
    out.set_item("weights", table(py, weights)?)?;
    let features = all.first().and_then(LinearModel::features);
    out.set_item(
        "features",
        features.map(|f| list(py, f.iter().map(|&f| i64::from(f)).collect::<Vec<i64>>())),
    )?;
    out.set_item("dim", all.first().map_or(0, LinearModel::dim))?;
    out.set_item("intercepts", list(py, all.iter().map(LinearModel::intercept).collect()))?;
    out.set_item("epochs", all.iter().map(|m| m.duality().epochs).max().unwrap_or(0))
}
