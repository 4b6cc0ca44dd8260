//! Fitted kernels and their matrices.

use std::ops::Range;
use std::sync::Arc;

use mercer::data::{Dataset, Dense, FeatureRows, Vectors};
use mercer::expression::{Expression, Step};
use mercer::gram::{Certificate, Engine, Measure, Nearest, NeighboursNeeded, Scalar, operations};
use mercer::kernel::{AnyPrepared, Features, Kernel, Part, Prepared as _};
use mercer::model::Container;
use mercer::numeric::doubles;
use numpy::{Element, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::array::{list, matrix, table};
use crate::data::{Data, fitting, target, training};
use crate::error::OrRaise;
use crate::features::{FeatureColumns, parts_of};
use crate::run::{RunSettings, run};

/// A kernel fitted to training objects.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Fitted {
    fitted: Arc<mercer::expression::Fitted>,
}

#[pymethods]
impl Fitted {
    /// The Gram matrix of the objects.
    #[pyo3(signature = (data, single=false, threads=None, progress=None))]
    fn gram<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        single: bool,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (fitted, set) = (self.fitted.clone(), data.set.clone());
        let settings = RunSettings::new(threads, progress);
        match single {
            true => run_to_array::<f32>(py, settings, move |e| gram_of(&fitted, &set, e)),
            false => run_to_array::<f64>(py, settings, move |e| gram_of(&fitted, &set, e)),
        }
    }

    /// The kernel matrix of new objects (rows) and others (columns).
    #[pyo3(signature = (rows, cols, single=false, threads=None, progress=None))]
    fn cross<'py>(
        &self,
        py: Python<'py>,
        rows: &Data,
        cols: &Data,
        single: bool,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (fitted, rows, cols) = (self.fitted.clone(), rows.set.clone(), cols.set.clone());
        let settings = RunSettings::new(threads, progress);
        match single {
            true => run_to_array::<f32>(py, settings, move |e| cross_of(&fitted, &rows, &cols, e)),
            false => run_to_array::<f64>(py, settings, move |e| cross_of(&fitted, &rows, &cols, e)),
        }
    }

    /// The distances |φ(x) - φ(y)| between `rows` and `cols`, or among `rows`.
    #[pyo3(signature = (rows, cols=None, threads=None, progress=None))]
    fn distances<'py>(
        &self,
        py: Python<'py>,
        rows: &Data,
        cols: Option<&Data>,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (fitted, rows, cols) = (self.fitted.clone(), rows.set.clone(), cols.map(|c| c.set.clone()));
        run_to_array::<f64>(py, RunSettings::new(threads, progress), move |engine| match cols {
            Some(cols) => engine.cross_distances(&fitted.kernel, &*rows, &*cols),
            None => engine.distances(&fitted.kernel, &*rows),
        })
    }

    /// The distances and the indices of the `k` nearest of `cols` for each of `rows`, nearest first. Without `cols`,
    /// neighbours are searched among `rows`, and no object is its own neighbour.
    #[pyo3(signature = (rows, cols, k, threads=None))]
    fn nearest<'py>(
        &self,
        py: Python<'py>,
        rows: &Data,
        cols: Option<&Data>,
        k: usize,
        threads: Option<usize>,
    ) -> PyResult<Neighbours<'py>> {
        let (fitted, rows, cols) = (self.fitted.clone(), rows.set.clone(), cols.map(|c| c.set.clone()));
        let among = cols.is_none();
        let near = run(py, RunSettings::new(threads, None), move |engine| {
            let (kernel, set) = (&fitted.kernel, engine.prepare(&fitted.kernel, &*rows)?);
            let known = cols.map(|cols| engine.prepare(kernel, &*cols)).transpose()?;
            let new_own = engine.diagonal_of(kernel, &set)?;
            let own = known.as_ref().map(|known| engine.diagonal_of(kernel, known)).transpose()?;
            let own = own.as_deref().unwrap_or(&new_own);
            let needed = NeighboursNeeded { k: k + usize::from(among), measure: Measure::Similarity, own };
            engine.nearest_of(kernel, &set, known.as_ref().unwrap_or(&set), needed)?.with_roots(&new_own)
        })?;
        neighbours(py, &near, k, among)
    }

    /// The Fisher vectors of objects, for a similarity kernel fitted to training objects.
    #[pyo3(signature = (kernel, training, data, threads=None, progress=None))]
    fn fisher_vectors<'py>(
        &self,
        py: Python<'py>,
        kernel: &str,
        training: &Data,
        data: &Data,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let expression = kernel.parse::<Expression>().or_raise(py)?;
        let (steps, training, set) = (self.fitted.steps.clone(), training.set.clone(), data.set.clone());
        run_to_array::<f64>(py, RunSettings::new(threads, progress), move |engine| {
            expression.fisher_vectors(&training, steps, &set, engine)
        })
    }

    /// Prepares objects once, for matrices computed in blocks.
    #[pyo3(signature = (data, threads=None))]
    fn prepare(&self, py: Python<'_>, data: &Data, threads: Option<usize>) -> PyResult<Prepared> {
        let (fitted, set) = (self.fitted.clone(), data.set.clone());
        let prepared =
            run(py, RunSettings::new(threads, None), move |engine| engine.prepare(&fitted.kernel, &*set))?;
        Ok(Prepared { fitted: self.fitted.clone(), set: Arc::new(prepared) })
    }

    /// The self-similarities k(x, x) of objects.
    #[pyo3(signature = (data, threads=None))]
    fn diagonal<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (fitted, set) = (self.fitted.clone(), data.set.clone());
        let work = move |engine: &Engine| engine.diagonal_of(&fitted.kernel, &fitted.kernel.prepare(&set)?);
        Ok(list(py, run(py, RunSettings::new(threads, None), work)?).into_any())
    }

    /// Serialises what was fitted to the training objects; `restore_kernel` reads it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let bytes = stored(&self.fitted.steps).and_then(|container| container.to_bytes()).or_raise(py)?;
        Ok(PyBytes::new(py, &bytes))
    }

    /// The explicit features of objects under the fitted kernel: names, and a dense array or the parts of a CSR matrix. Without
    /// `columns` they are those of the objects themselves.
    #[pyo3(signature = (kernel, training, data, threads=None, columns=None))]
    fn features<'py>(
        &self,
        py: Python<'py>,
        kernel: &str,
        training: &Data,
        data: &Data,
        threads: Option<usize>,
        columns: Option<&FeatureColumns>,
    ) -> PyResult<(Vec<String>, Bound<'py, PyAny>)> {
        parts_of(py, self.explicit(py, kernel, training, data, threads)?, columns)
    }

    /// The columns of the explicit features of the training objects.
    #[pyo3(signature = (kernel, training, threads=None))]
    fn feature_columns(
        &self,
        py: Python<'_>,
        kernel: &str,
        training: &Data,
        threads: Option<usize>,
    ) -> PyResult<FeatureColumns> {
        Ok(FeatureColumns::of(self.explicit(py, kernel, training, training, threads)?))
    }

    /// Whether it can only compare objects that it was fitted to.
    fn is_transductive(&self) -> bool {
        self.fitted.is_transductive()
    }

    /// The warnings from fitting.
    fn warnings(&self) -> Vec<String> {
        self.fitted.warnings.iter().map(ToString::to_string).collect()
    }
}

impl Fitted {
    fn explicit(
        &self,
        py: Python<'_>,
        kernel: &str,
        training: &Data,
        data: &Data,
        threads: Option<usize>,
    ) -> PyResult<Features> {
        let expression = kernel.parse::<Expression>().or_raise(py)?;
        let (fitted, training, set) = (self.fitted.clone(), training.set.clone(), data.set.clone());
        run(py, RunSettings::new(threads, None), move |engine| {
            // New data may have other columns, which the kernel does not use.
            let used = expression.columns_used(&training)?;
            let used = used.iter().map(|name| set.column(name).cloned()).collect::<mercer::Result<_>>()?;
            let known = Dataset::new(used)?;
            let explicit = expression.restored_features(&known, fitted.steps.clone());
            explicit.or_else(|e| coordinates(&expression, &fitted, &set, engine, e))
        })
    }
}

/// Objects prepared for a fitted kernel.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Prepared {
    fitted: Arc<mercer::expression::Fitted>,
    set: Arc<AnyPrepared>,
}

#[pymethods]
impl Prepared {
    fn __len__(&self) -> usize {
        self.set.len()
    }

    /// The side of a tile: blocks start at multiples of it.
    fn side(&self) -> usize {
        self.fitted.kernel.tile_side()
    }

    /// A block of the Gram matrix, or of the matrix with another set; with `distances`, of the distance matrix. It is
    /// bitwise identical to that block of the whole matrix.
    #[pyo3(signature = (rows, cols, other=None, single=false, distances=false, threads=None))]
    #[allow(clippy::too_many_arguments)]
    fn block<'py>(
        &self,
        py: Python<'py>,
        rows: (usize, usize),
        cols: (usize, usize),
        other: Option<&Prepared>,
        single: bool,
        distances: bool,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (fitted, set, other) = (self.fitted.clone(), self.set.clone(), other.map(|o| o.set.clone()));
        let settings = RunSettings::new(threads, None);
        let (rows, cols) = (rows.0..rows.1, cols.0..cols.1);
        if single && !distances {
            return run_to_array::<f32>(py, settings, move |e| {
                block_of(&fitted, &set, other.as_deref(), rows, cols, e)
            });
        }
        run_to_array::<f64>(py, settings, move |engine| {
            let block = block_of(&fitted, &set, other.as_deref(), rows.clone(), cols.clone(), engine)?;
            if !distances {
                return Ok(block);
            }
            let own = |set: &_, range: Range<usize>| {
                let mut out = vec![0.0; range.len()];
                fitted.kernel.diagonal(Part::new(set, range), &mut out).map(|()| out)
            };
            let (row_own, col_own) = (own(&set, rows)?, own(other.as_deref().unwrap_or(&set), cols)?);
            let mut out = operations::squared_cross_distances(&block, &row_own, &col_own)?;
            out.values_mut().iter_mut().for_each(|v| *v = v.max(0.0).sqrt());
            Ok(out)
        })
    }
}

/// The distances of neighbours, and their indices.
type Neighbours<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// The first `k` neighbours of each object as arrays; with `others`, those that are not the object itself.
fn neighbours<'py>(py: Python<'py>, near: &Nearest, k: usize, others: bool) -> PyResult<Neighbours<'py>> {
    let (mut distances, mut places) = (Vec::new(), Vec::new());
    for (i, row) in near.rows().enumerate() {
        for &(j, d) in row.iter().filter(|(j, _)| !others || *j != i).take(k) {
            distances.push(d);
            places.push(j as i64);
        }
    }
    let distances = list(py, distances).reshape([near.len(), k])?;
    Ok((distances.into_any(), list(py, places).reshape([near.len(), k])?.into_any()))
}

/// The distances and the indices of the `k` nearest columns for each row of a matrix of distances, nearest first. With
/// `others`, the matrix is square and no object is its own neighbour.
#[pyfunction]
#[pyo3(signature = (array, k, others=false, threads=None))]
fn nearest<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    k: usize,
    others: bool,
    threads: Option<usize>,
) -> PyResult<Neighbours<'py>> {
    let distances = matrix(array)?;
    let near = run(py, RunSettings::new(threads, None), move |_| {
        let own = vec![0.0; distances.cols()];
        let needed = NeighboursNeeded { k: k + usize::from(others), measure: Measure::Distance, own: &own };
        Nearest::among(&distances, needed)
    })?;
    neighbours(py, &near, k, others)
}

fn block_of<T: Scalar>(
    fitted: &mercer::expression::Fitted,
    set: &AnyPrepared,
    other: Option<&AnyPrepared>,
    rows: Range<usize>,
    cols: Range<usize>,
    engine: &Engine,
) -> mercer::Result<Dense<T>> {
    match other {
        None => engine.gram_block_of(&fitted.kernel, set, rows, cols),
        Some(other) => engine.cross_block_of(&fitted.kernel, [set, other], rows, cols),
    }
}

fn gram_of<T: Scalar>(
    fitted: &mercer::expression::Fitted,
    set: &Dataset,
    engine: &Engine,
) -> mercer::Result<Dense<T>> {
    engine.gram_of(&fitted.kernel, &fitted.kernel.prepare(set)?)
}

fn cross_of<T: Scalar>(
    fitted: &mercer::expression::Fitted,
    rows: &Dataset,
    cols: &Dataset,
    engine: &Engine,
) -> mercer::Result<Dense<T>> {
    engine.cross_of(&fitted.kernel, &fitted.kernel.prepare(rows)?, &fitted.kernel.prepare(cols)?)
}

fn run_to_array<'py, T: Scalar + Element + Default>(
    py: Python<'py>,
    settings: RunSettings,
    work: impl FnOnce(&Engine) -> mercer::Result<Dense<T>> + Send + 'static,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(table(py, run(py, settings, work)?)?.into_any())
}

/// Fits a kernel to training objects and, if given, to their target.
#[pyfunction]
#[pyo3(signature = (kernel, data, threads=None, progress=None, y=None))]
fn fit_kernel(
    py: Python<'_>,
    kernel: &str,
    data: &Data,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    y: Option<&Bound<'_, PyAny>>,
) -> PyResult<Fitted> {
    let expression = kernel.parse::<Expression>().or_raise(py)?;
    let set = training(&fitting(&expression, data), target(y)?, None).or_raise(py)?;
    let fitted = run(py, RunSettings::new(threads, progress), move |engine| expression.fit(&set, engine))?;
    Ok(Fitted { fitted: Arc::new(fitted) })
}

/// Writes what was fitted to training objects to a container.
fn stored(steps: &[Step]) -> mercer::Result<Container> {
    let mut container = Container::new(serde_json::Value::Null);
    let put = |(i, step): (usize, &Step)| step.put(&mut container, &format!("steps/{i}"));
    let steps = steps.iter().enumerate().map(put).collect::<mercer::Result<Vec<_>>>()?;
    container.document = serde_json::json!({"what": "fitted kernel", "steps": steps});
    Ok(container)
}

/// Restores a fitted kernel from its training objects and the bytes of [`Fitted::to_bytes`], without fitting again.
#[pyfunction]
#[pyo3(signature = (kernel, data, bytes, threads=None))]
fn restore_kernel(
    py: Python<'_>,
    kernel: &str,
    data: &Data,
    bytes: Vec<u8>,
    threads: Option<usize>,
) -> PyResult<Fitted> {
    let expression = kernel.parse::<Expression>().or_raise(py)?;
    let set = fitting(&expression, data);
    let fitted = run(py, RunSettings::new(threads, None), move |engine| {
        let container = Container::from_bytes("a stored kernel", &bytes)?;
        let mut steps = Vec::new();
        for (i, field) in container.root().get("steps")?.items()?.iter().enumerate() {
            steps.push(Step::get(&container, &format!("steps/{i}"), field)?);
        }
        expression.restore(&set, steps, engine)
    })?;
    Ok(Fitted { fitted: Arc::new(fitted) })
}

/// Fits a kernel to objects and computes their Gram matrix; returns the matrix and the warnings.
#[pyfunction]
#[pyo3(signature = (kernel, data, single=false, threads=None, progress=None))]
fn gram<'py>(
    py: Python<'py>,
    kernel: &str,
    data: &Data,
    single: bool,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
    fn both<'py, T: Scalar + Element + Default>(
        py: Python<'py>,
        settings: RunSettings,
        expression: Expression,
        set: Arc<Dataset>,
    ) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
        let (matrix, warnings) = run(py, settings, move |engine| {
            let fitted = expression.fit(&set, engine)?;
            let warnings = fitted.warnings.iter().map(ToString::to_string).collect();
            Ok((gram_of::<T>(&fitted, &set, engine)?, warnings))
        })?;
        Ok((table(py, matrix)?.into_any(), warnings))
    }
    let (expression, set) = (kernel.parse::<Expression>().or_raise(py)?, data.set.clone());
    let settings = RunSettings::new(threads, progress);
    if single {
        both::<f32>(py, settings, expression, set)
    } else {
        both::<f64>(py, settings, expression, set)
    }
}

/// The explicit features of objects: names, and a dense array or the parts of a CSR matrix.
#[pyfunction]
#[pyo3(signature = (kernel, data, threads=None))]
fn features<'py>(
    py: Python<'py>,
    kernel: &str,
    data: &Data,
    threads: Option<usize>,
) -> PyResult<(Vec<String>, Bound<'py, PyAny>)> {
    let (expression, set) = (kernel.parse::<Expression>().or_raise(py)?, data.set.clone());
    let features = run(py, RunSettings::new(threads, None), move |engine| {
        expression.explicit_features(&set).or_else(|e| {
            let fitted = match &e {
                mercer::Error::Param { .. } => expression.fit(&set, engine)?,
                _ => return Err(e),
            };
            coordinates(&expression, &fitted, &set, engine, e)
        })
    })?;
    parts_of(py, features, None)
}

/// The feature rows of objects for a kernel that is their inner product, such as `fourier`. For other kernels, returns
/// `error`.
fn coordinates(
    expression: &Expression,
    fitted: &mercer::expression::Fitted,
    set: &Dataset,
    engine: &Engine,
    error: mercer::Error,
) -> mercer::Result<Features> {
    if !matches!(error, mercer::Error::Param { .. }) {
        return Err(error);
    }
    let prepared = engine.prepare(&fitted.kernel, set)?;
    let values = match fitted.kernel.rows(&prepared)? {
        Some(FeatureRows::Vectors(vectors)) => vectors.clone(),
        Some(FeatureRows::Single(rows)) => engine.run(|| Ok(Vectors::Dense(doubles(rows)?)))?,
        None => return Err(error),
    };
    let prefix = match expression {
        Expression::Call(call) => call.entry.facts.name,
        _ => "feature",
    };
    Ok(Features::numbered(values, |at| format!("{prefix}[{}]", at + 1)))
}

/// Similarities of objects to chosen nodes of their graph, and a bound on the error of each value.
#[pyfunction]
#[pyo3(signature = (kernel, data, nodes, threads=None, progress=None))]
fn node_columns<'py>(
    py: Python<'py>,
    kernel: &str,
    data: &Data,
    nodes: Vec<usize>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, f64)> {
    let (expression, set) = (kernel.parse::<Expression>().or_raise(py)?, data.set.clone());
    let work = move |engine: &Engine| expression.node_columns_at(&set, &nodes, engine);
    let (columns, error) = run(py, RunSettings::new(threads, progress), work)?;
    Ok((table(py, columns)?.into_any(), error))
}

/// The certificate of a matrix as JSON, and its eigenvalues in ascending order.
#[pyfunction]
#[pyo3(signature = (array, threads=None))]
fn certify<'py>(
    py: Python<'py>,
    array: &Bound<'py, PyAny>,
    threads: Option<usize>,
) -> PyResult<(String, Bound<'py, PyAny>)> {
    let gram = matrix(array)?;
    let work = move |_: &Engine| {
        let (certificate, values) = Certificate::with_eigenvalues(&gram)?;
        let text = serde_json::to_value(&certificate);
        let mut facts = text.map_err(|e| mercer::Error::Numeric { reason: e.to_string() })?;
        facts["squared_norm_of_mean"] = operations::squared_norm_of_mean(&gram)?.into();
        facts["total_variance"] = operations::total_variance(&gram)?.into();
        Ok((facts.to_string(), values))
    };
    let (text, values) = run(py, RunSettings::new(threads, None), work)?;
    Ok((text, list(py, values).into_any()))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(fit_kernel, module)?)?;
    module.add_function(wrap_pyfunction!(restore_kernel, module)?)?;
    module.add_function(wrap_pyfunction!(nearest, module)?)?;
    module.add_function(wrap_pyfunction!(gram, module)?)?;
    module.add_function(wrap_pyfunction!(features, module)?)?;
    module.add_function(wrap_pyfunction!(node_columns, module)?)?;
    module.add_function(wrap_pyfunction!(certify, module)?)
}
