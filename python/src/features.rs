//! Explicit features as arrays, in columns of their own or in those of a training set.

use std::collections::HashMap;

use mercer::data::{Sparse, Vectors};
use mercer::kernel::{FeatureKey, Features};
use pyo3::prelude::*;

use crate::array::{list, table};

/// The columns of the features that a training set has.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct FeatureColumns {
    names: Vec<String>,
    places: HashMap<FeatureKey, u32>,
}

#[pymethods]
impl FeatureColumns {
    /// The names of the columns.
    fn names(&self) -> Vec<String> {
        self.names.clone()
    }
}

impl FeatureColumns {
    pub(crate) fn of(features: Features) -> Self {
        let places = (0u32..).zip(&features.keys).map(|(place, &key)| (key, place)).collect();
        FeatureColumns { names: features.names, places }
    }

    /// For each column of other features its place among these; `None` for features that no training object has.
    fn places(&self, keys: &[FeatureKey]) -> Vec<Option<u32>> {
        keys.iter().map(|key| self.places.get(key).copied()).collect()
    }
}

/// Names and values: an array, or the parts of a sparse matrix. Features are in the given columns, or in columns of their own.
pub(crate) fn parts_of<'py>(
    py: Python<'py>,
    features: Features,
    columns: Option<&FeatureColumns>,
) -> PyResult<(Vec<String>, Bound<'py, PyAny>)> {
    let values = match features.values {
        // A map with a fixed number of features has the same columns for all objects.
        Vectors::Dense(x) => table(py, x)?.into_any(),
        Vectors::Sparse(x) => match columns {
            None => compressed(py, &x, None, x.dim())?,
            Some(columns) => compressed(py, &x, Some(&columns.places(&features.keys)), columns.names.len())?,
        },
    };
    Ok((columns.map_or(features.names, |c| c.names.clone()), values))
}

fn compressed<'py>(
    py: Python<'py>,
    x: &Sparse,
    places: Option<&[Option<u32>]>,
    dim: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let (mut offsets, mut columns, mut values) = (vec![0i64], Vec::new(), Vec::new());
    let mut row: Vec<(u32, f64)> = Vec::new();
    for i in 0..x.rows() {
        let (features, stored) = x.row(i);
        row.clear();
        let entries = features.iter().zip(stored).map(|(&f, &v)| (f, v));
        match places {
            None => row.extend(entries),
            Some(places) => {
                row.extend(entries.filter_map(|(f, v)| Some((places.get(f as usize).copied()??, v))));
                row.sort_unstable_by_key(|entry| entry.0);
            }
        }
        columns.extend(row.iter().map(|entry| i64::from(entry.0)));
        values.extend(row.iter().map(|entry| entry.1));
        offsets.push(columns.len() as i64);
    }
    let parts = (list(py, values), list(py, columns), list(py, offsets), dim);
    Ok(parts.into_pyobject(py)?.into_any())
}
