//! Generated data sets, and those embedded in the library.

use std::sync::Arc;

use mercer::data::{Dataset, Target, Values, embedded, generate};
use pyo3::prelude::*;

use crate::array::{list, table};
use crate::data::Data;
use crate::error::OrRaise;

type Classes<'py> = (Bound<'py, PyAny>, Vec<String>);

/// The class code of each object, and the class names.
fn classes<'py>(py: Python<'py>, data: &Dataset) -> PyResult<Classes<'py>> {
    let Some(Target::Classes(classes)) = data.target() else {
        return Err(mercer::Error::usage("the data set has no classes")).or_raise(py);
    };
    let codes: Vec<i64> = (0..classes.len()).map(|i| classes.code(i).map_or(-1, i64::from)).collect();
    Ok((list(py, codes).into_any(), classes.levels().to_vec()))
}

/// Generates points and their classes.
#[pyfunction]
#[pyo3(signature = (name, n=None, noise=None, seed=0))]
fn generate_points<'py>(
    py: Python<'py>,
    name: &str,
    n: Option<usize>,
    noise: Option<f64>,
    seed: u64,
) -> PyResult<(Bound<'py, PyAny>, Classes<'py>)> {
    let data = generate::sized(name, n, noise, seed).or_raise(py)?;
    let target = classes(py, &data)?;
    let Some(Values::Numbers(x)) = data.columns().first().map(|c| &c.values) else {
        return Err(mercer::Error::usage("the data set has no numeric column")).or_raise(py);
    };
    Ok((table(py, x.clone())?.into_any(), target))
}

/// Generates a network by preferential attachment; returns the sources and the targets of its edges.
#[pyfunction]
fn generate_power_law<'py>(
    py: Python<'py>,
    nodes: usize,
    joins: usize,
    seed: u64,
) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let network = generate::power_law(nodes, joins, seed).or_raise(py)?;
    let edges = (0..network.len()).flat_map(|i| {
        let row = network.row(i).filter(move |&(j, _)| i < j as usize);
        row.map(move |(j, _)| (i as i64, i64::from(j))).collect::<Vec<_>>()
    });
    let (sources, targets): (Vec<i64>, Vec<i64>) = edges.unzip();
    Ok((list(py, sources).into_any(), list(py, targets).into_any()))
}

/// Loads an embedded data set and its classes.
#[pyfunction]
fn embedded_data<'py>(py: Python<'py>, name: &str) -> PyResult<(Data, Classes<'py>)> {
    let data = embedded::read(name, &Default::default())
        .unwrap_or_else(|| Err(mercer::Error::param("name", name, &embedded::NAMES.join(" or "))));
    let data = data.or_raise(py)?;
    let target = classes(py, &data)?;
    let set = Dataset::new(data.columns().to_vec()).or_raise(py)?;
    Ok((Data { set: Arc::new(set) }, target))
}

/// Joins the numeric columns to one array; returns it with the column names.
#[pyfunction]
fn numbers_of<'py>(py: Python<'py>, data: &Data) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
    let names: Vec<String> = data.set.columns().iter().map(|c| c.name.clone()).collect();
    let x = data.set.vectors(&names).or_raise(py)?.to_dense();
    Ok((table(py, x)?.into_any(), names))
}

/// The strings of the first column.
#[pyfunction]
fn strings_of(py: Python<'_>, data: &Data) -> PyResult<Vec<Option<String>>> {
    match data.set.columns().first().map(|column| &column.values) {
        Some(Values::Strings(strings)) => Ok(strings.to_vec()),
        _ => Err(mercer::Error::usage("the data has no column of strings")).or_raise(py),
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(generate_points, module)?)?;
    module.add_function(wrap_pyfunction!(generate_power_law, module)?)?;
    module.add_function(wrap_pyfunction!(embedded_data, module)?)?;
    module.add_function(wrap_pyfunction!(strings_of, module)?)?;
    module.add_function(wrap_pyfunction!(numbers_of, module)?)
}
