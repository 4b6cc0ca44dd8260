//! Operations on Gram matrices: Markov walks, tensor products, conjugation, feature maps.

use mercer::gram::{self, Engine, LinearWalk, Map, Markov, SpectralMap};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::array::{doubles, list, matrix, table};
use crate::error::OrRaise;
use crate::run::{RunSettings, run};

/// P^p with P = D⁻¹K: the transition probabilities of p steps of a Markov walk.
#[pyfunction]
#[pyo3(signature = (array, p, threads=None))]
fn transitions<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    p: u32,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let gram = matrix(array)?;
    let work = move |engine: &Engine| {
        engine.plan_matrices("a matrix and its powers", gram.rows(), 6)?;
        Markov::of(&gram)?.transitions(p)
    };
    Ok(table(py, run(py, RunSettings::new(threads, None), work)?)?.into_any())
}

/// The tensor product of two Gram matrices.
#[pyfunction]
fn tensor<'py>(
    py: Python<'py>,
    first: &Bound<'py, PyAny>,
    second: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (first, second) = (matrix(first)?, matrix(second)?);
    let work = move |engine: &Engine| {
        gram::check_finite(&first)?;
        gram::check_finite(&second)?;
        engine.plan_matrices("a product of matrices", first.rows().saturating_mul(second.rows()), 1)?;
        gram::tensor(&first, &second)
    };
    Ok(table(py, run(py, RunSettings::new(None, None), work)?)?.into_any())
}

/// Tᵀ·K·T.
#[pyfunction]
fn conjugate<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    mixtures: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let (k, t) = (matrix(array)?, matrix(mixtures)?);
    let work = move |_: &Engine| {
        gram::check_symmetric(&k)?;
        gram::check_finite(&t)?;
        gram::conjugate(&k, &t)
    };
    Ok(table(py, run(py, RunSettings::new(None, None), work)?)?.into_any())
}

fn kind(py: Python<'_>, name: &str) -> PyResult<Map> {
    match name {
        "mercer" => Ok(Map::Mercer),
        "empirical" => Ok(Map::Empirical),
        other => Err(mercer::Error::param("kind", other, "mercer or empirical")).or_raise(py),
    }
}

type Arrays<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The feature map of a Gram matrix: kept eigenvalues, their eigenvectors in rows, coordinates of the training objects.
#[pyfunction]
#[pyo3(signature = (array, map, rank=None, tolerance=None, threads=None))]
fn feature_map<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    map: &str,
    rank: Option<usize>,
    tolerance: Option<f64>,
    threads: Option<usize>,
) -> PyResult<Arrays<'py>> {
    let (gram, kind) = (matrix(array)?, kind(py, map)?);
    let work = move |engine: &Engine| {
        engine.plan_matrices("a matrix and its eigenvectors", gram.rows(), 8)?;
        let mut map = match tolerance {
            Some(tolerance) => SpectralMap::fit_with(&gram, kind, tolerance)?,
            None => SpectralMap::fit(&gram, kind)?,
        };
        if let Some(rank) = rank {
            map = map.truncate(rank);
        }
        let training = map.training();
        Ok((map.eigenvalues().to_vec(), map.eigenvectors().clone(), training))
    };
    let (values, vectors, training) = run(py, RunSettings::new(threads, None), work)?;
    Ok((list(py, values).into_any(), table(py, vectors)?.into_any(), table(py, training)?.into_any()))
}

/// Coordinates of new objects from their similarities to the training objects.
#[pyfunction]
#[pyo3(signature = (map, values, vectors, cross, threads=None))]
fn apply_feature_map<'py>(
    py: Python<'py>,
    map: &str,
    values: PyReadonlyArray1<'py, f64>,
    vectors: &Bound<'py, PyAny>,
    cross: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<Bound<'py, PyAny>> {
    let (kind, values, vectors, cross) = (kind(py, map)?, doubles(&values), matrix(vectors)?, matrix(cross)?);
    let work = move |_: &Engine| SpectralMap::from_parts(kind, values, vectors)?.apply(&cross);
    Ok(table(py, run(py, RunSettings::new(threads, None), work)?)?.into_any())
}

/// A walk over inner products as a linear map: the mean, the matrix, and the largest eigenvalue.
#[pyfunction]
#[pyo3(signature = (array, steps, threads=None))]
fn walk_map<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    steps: u32,
    threads: Option<usize>,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>, f64)> {
    let x = matrix(array)?;
    let work = move |_: &Engine| {
        let walk = LinearWalk::fit(&x)?;
        Ok((walk.mean().to_vec(), walk.directions(steps)?, walk.radius()))
    };
    let (mean, directions, radius) = run(py, RunSettings::new(threads, None), work)?;
    Ok((list(py, mean).into_any(), table(py, directions)?.into_any(), radius))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(transitions, module)?)?;
    module.add_function(wrap_pyfunction!(tensor, module)?)?;
    module.add_function(wrap_pyfunction!(conjugate, module)?)?;
    module.add_function(wrap_pyfunction!(feature_map, module)?)?;
    module.add_function(wrap_pyfunction!(apply_feature_map, module)?)?;
    module.add_function(wrap_pyfunction!(walk_map, module)?)
}
