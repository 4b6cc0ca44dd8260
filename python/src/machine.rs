//! What a trained machine consists of, as plain values: the package makes scikit-learn's attributes of them.

use mercer::data::Dense;
use mercer::learn::svm::{Location, Machine, Scheme, SvcMachine, SvrMachine};
use mercer::learn::{
    KernelKMeansMachine, KernelPcaMachine, LinearClassifier, LinearFunctions, LinearMachine, LinearRegressor,
    PerceptronMachine, RidgeClassifier, RidgeMachine, Trained, VotedPerceptronMachine,
};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::array::{list, table};

/// A dictionary with `kind`, `support` (numbers of training objects), and what the kind has besides.
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
    let machine = trained.machine();
    if !machine.binary().is_empty() {
        out.set_item("machines", machines(py, machine.binary())?)?;
    }
    if let Some(m) = machine.downcast_ref::<SvcMachine>() {
        out.set_item("locations", locations(py, m.machines(), |at| m.members(at))?)?;
        out.set_item("pairs", m.pairs().to_vec())?;
        out.set_item("one_versus_one", m.scheme() == Scheme::OneVersusOne)?;
        let classes: Vec<i64> = m.support_classes().iter().map(|&c| i64::from(c)).collect();
        out.set_item("support_classes", list(py, classes))?;
        if let Some(calibration) = trained.calibration() {
            let sigmoids: Vec<(f64, f64)> = calibration.sigmoids.iter().map(|s| (s.a, s.b)).collect();
            out.set_item("sigmoids", sigmoids)?;
        }
    } else if let [single] = machine.binary() {
        out.set_item("locations", alone(py, single)?)?;
    }
    if let Some(m) = machine.downcast_ref::<SvrMachine>() {
        out.set_item("epsilon", m.epsilon())?;
    }
    let ridge = machine.downcast_ref::<RidgeMachine>();
    if let Some(m) = ridge.or_else(|| machine.downcast_ref::<RidgeClassifier>().map(RidgeClassifier::machine))
    {
        out.set_item("alpha", table(py, m.alpha().clone())?)?;
    }
    if let Some(m) = machine.downcast_ref::<PerceptronMachine>() {
        out.set_item("coefficients", table(py, m.coefficients().clone())?)?;
        out.set_item("biases", list(py, m.biases().to_vec()))?;
        out.set_item("epochs", m.epochs())?;
        out.set_item("mistakes", m.mistakes())?;
    }
    if let Some(m) = machine.downcast_ref::<VotedPerceptronMachine>() {
        out.set_item("mistakes", m.mistakes())?;
    }
    if let Some(m) = machine.downcast_ref::<KernelPcaMachine>() {
        out.set_item("variances", list(py, m.variances().to_vec()))?;
        out.set_item("explained", list(py, m.explained()))?;
        out.set_item("coordinates", table(py, m.training().clone())?)?;
    }
    if let Some(m) = machine.downcast_ref::<KernelKMeansMachine>() {
        out.set_item("assignments", whole(m.assignments()))?;
        out.set_item("inertia", m.inertia())?;
        out.set_item("iterations", m.iterations())?;
    }
    if let Some(m) = machine.downcast_ref::<LinearClassifier>() {
        linear(py, &out, m.machines())?;
    }
    if let Some(m) = machine.downcast_ref::<LinearRegressor>() {
        linear(py, &out, std::slice::from_ref(m.machine()))?;
    }
    if let Some(m) = machine.downcast_ref::<LinearFunctions>() {
        out.set_item("weights", table(py, m.map.weights().clone())?)?;
        out.set_item("offsets", list(py, m.map.offsets().to_vec()))?;
        if let Some((variances, total)) = m.map.variances() {
            out.set_item("variances", list(py, variances.to_vec()))?;
            out.set_item("explained", list(py, variances.iter().map(|v| v / total).collect::<Vec<_>>()))?;
        }
    }
    out.set_item("kind", machine.kind())?;
    Ok(out)
}

/// Of each machine the places of its objects among the support, their coefficients, and the offset.
fn machines<'py>(py: Python<'py>, all: &[Machine]) -> PyResult<Bound<'py, PyList>> {
    let out = PyList::empty(py);
    for m in all {
        let places: Vec<i64> = m.support.iter().map(|&i| i as i64).collect();
        out.append((list(py, places), list(py, m.coefficients.clone()), m.offset))?;
    }
    Ok(out)
}

/// Of each machine the numbers of its training objects, and where each lies: 0 outside the margin, 1 on it, 2 inside; empty where the
/// model does not say.
fn locations<'py>(
    py: Python<'py>,
    all: &[Machine],
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

/// The same of a machine that looks at all training objects.
fn alone<'py>(py: Python<'py>, machine: &Machine) -> PyResult<Bound<'py, PyList>> {
    locations(py, std::slice::from_ref(machine), |_| (0..machine.locations.len()).collect())
}

fn linear<'py>(py: Python<'py>, out: &Bound<'py, PyDict>, all: &[LinearMachine]) -> PyResult<()> {
    let width = all.first().map_or(0, |m| m.weights().len());
    let mut weights = Dense::zeros(all.len(), width);
    for (i, m) in all.iter().enumerate() {
        weights.row_mut(i).copy_from_slice(m.weights());
    }
    out.set_item("weights", table(py, weights)?)?;
    let features = all.first().and_then(LinearMachine::features);
    out.set_item(
        "features",
        features.map(|f| list(py, f.iter().map(|&f| i64::from(f)).collect::<Vec<i64>>())),
    )?;
    out.set_item("dim", all.first().map_or(0, LinearMachine::dim))?;
    out.set_item("intercepts", list(py, all.iter().map(LinearMachine::intercept).collect()))?;
    out.set_item("epochs", all.iter().map(|m| m.duality().epochs).max().unwrap_or(0))
}
