//! Data sets: converts Python values to typed columns.

use std::sync::Arc;

use mercer::data::{
    Categories, Column, Dataset, FingerprintPlace, Image, Molecule, Nodes, Precomputed, Series, Sparse,
    Target, Times, Values, butina, morgan_fingerprints, parse_molecules, try_molecules,
};
use mercer::expression::Expression;
use mercer::model::Container;
use numpy::{Element, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyReadonlyArray3};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString, PyTuple};

use crate::array::{doubles, matrix, table};
use crate::error::OrRaise;
use crate::graphs::{graphs, network};

/// Objects as typed columns, converted once.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Data {
    pub(crate) set: Arc<Dataset>,
}

#[pymethods]
impl Data {
    /// Makes columns from (name, kind, values); the type of the values depends on the kind.
    #[new]
    fn new(py: Python<'_>, columns: Vec<(String, String, Bound<'_, PyAny>)>) -> PyResult<Self> {
        let columns =
            columns.into_iter().map(|(name, kind, value)| Ok(Column::new(name, values(&kind, &value)?)));
        let set = Dataset::new(columns.collect::<PyResult<_>>()?).or_raise(py)?;
        let set = py.detach(|| set.with_node_attributes()).or_raise(py)?;
        Ok(Data { set: Arc::new(set) })
    }

    fn __len__(&self) -> usize {
        self.set.len()
    }

    /// The name and the kind of each column.
    fn columns(&self) -> Vec<(String, &'static str)> {
        self.set.columns().iter().map(|c| (c.name.clone(), c.values.kind().name())).collect()
    }

    /// A data set with the named column only.
    fn column(&self, py: Python<'_>, name: &str) -> PyResult<Self> {
        let column = self.set.column(name).or_raise(py)?.clone();
        Ok(Data { set: Arc::new(Dataset::new(vec![column]).or_raise(py)?) })
    }

    /// The values of a numeric column, one row per object; `None` if the column is not dense and numeric.
    fn numbers<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Option<Bound<'py, PyAny>>> {
        match &self.set.column(name).or_raise(py)?.values {
            Values::Numbers(x) => {
                let copy = x.select(&(0..x.rows()).collect::<Vec<_>>());
                Ok(Some(table(py, copy)?.into_any()))
            }
            _ => Ok(None),
        }
    }

    /// The categories or texts of a column, `None` for missing values; `None` if the column holds neither.
    fn texts(&self, py: Python<'_>, name: &str) -> PyResult<Option<Vec<Option<String>>>> {
        Ok(match &self.set.column(name).or_raise(py)?.values {
            Values::Categories(c) => {
                let level = |code: u32| c.levels().get(code as usize).cloned();
                Some((0..c.len()).map(|i| c.code(i).and_then(level)).collect())
            }
            Values::Strings(v) | Values::Text(v) => Some(v.clone()),
            Values::Molecules(v) => {
                Some(v.iter().map(|m| (!m.is_empty()).then(|| m.text().to_owned())).collect())
            }
            _ => None,
        })
    }

    /// The canonical SMILES of each molecule of the first column, or of its Bemis–Murcko scaffold.
    fn canonical(&self, py: Python<'_>, scaffold: bool) -> PyResult<Vec<String>> {
        let Some(Values::Molecules(all)) = self.set.columns().first().map(|c| &c.values) else {
            return Err(PyTypeError::new_err("expected a column of molecules"));
        };
        Ok(py.detach(|| {
            let text = |m: &Arc<Molecule>| if scaffold { m.scaffold().canonical() } else { m.canonical() };
            all.iter().map(text).collect()
        }))
    }

    /// Molecules in a column of this name: all that can be read, or their largest parts, and the rows that are kept.
    #[staticmethod]
    fn valid_molecules(
        py: Python<'_>,
        name: String,
        texts: Vec<Option<String>>,
        skip_invalid: bool,
        largest_fragment: bool,
    ) -> PyResult<(Self, Vec<usize>)> {
        let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
        let (mut all, mut kept) = (Vec::with_capacity(texts.len()), Vec::with_capacity(texts.len()));
        if skip_invalid {
            for (row, one) in py.detach(|| try_molecules(&texts)).or_raise(py)?.into_iter().enumerate() {
                if let Ok(molecule) = one {
                    all.push(molecule);
                    kept.push(row);
                }
            }
        } else {
            all = py.detach(|| parse_molecules(&texts)).or_raise(py)?;
            kept.extend(0..all.len());
        }
        if largest_fragment {
            all = all.iter().map(|molecule| Arc::new(molecule.largest_fragment())).collect();
        }
        let set = Dataset::new(vec![Column::new(name, Values::Molecules(all))]).or_raise(py)?;
        Ok((Data { set: Arc::new(set) }, kept))
    }

    /// The number of the cluster of each molecule of the first column.
    fn clusters(&self, py: Python<'_>, cutoff: f64) -> PyResult<Vec<usize>> {
        let Some(Values::Molecules(all)) = self.set.columns().first().map(|c| &c.values) else {
            return Err(PyTypeError::new_err("expected a column of molecules"));
        };
        py.detach(|| butina(all, cutoff)).or_raise(py)
    }

    /// The Morgan fingerprints of the molecules of the first column, folded into `size` places: counts or bits.
    fn fingerprints<'py>(
        &self,
        py: Python<'py>,
        radius: usize,
        size: usize,
        features: bool,
        counts: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let Some(Values::Molecules(all)) = self.set.columns().first().map(|c| &c.values) else {
            return Err(PyTypeError::new_err("expected a column of molecules"));
        };
        match counts {
            true => folded::<u16>(py, all, radius, size, features),
            false => folded::<u8>(py, all, radius, size, features),
        }
    }

    /// The number of features over all columns.
    fn width(&self) -> usize {
        self.set.columns().iter().map(|c| c.values.width()).sum()
    }

    /// Serialises the columns; `from_bytes` reads them.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let mut container = Container::new(serde_json::Value::Null);
        container.document = container.put_dataset("data", &self.set).or_raise(py)?;
        Ok(PyBytes::new(py, &container.to_bytes().or_raise(py)?))
    }

    /// Reads the bytes of `to_bytes`.
    #[staticmethod]
    fn from_bytes(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let container = Container::from_bytes("stored objects", bytes).or_raise(py)?;
        let set = container.dataset("data", &container.document).or_raise(py)?;
        Ok(Data { set: Arc::new(set) })
    }

    /// These objects and, after them, others with the same columns.
    fn followed_by(&self, py: Python<'_>, others: &Self) -> PyResult<Self> {
        let both = self.set.with_test_set(&others.set).or_raise(py)?;
        Ok(Data { set: Arc::new(both.without_test()) })
    }

    /// The selected objects, in the given order.
    fn select(&self, rows: Vec<usize>) -> PyResult<Self> {
        match rows.iter().find(|&&i| i >= self.set.len()) {
            Some(i) => Err(pyo3::exceptions::PyIndexError::new_err(format!(
                "object index {i} is out of range for {} objects",
                self.set.len()
            ))),
            None => Ok(Data { set: Arc::new(self.set.select(&rows)) }),
        }
    }
}

/// Fingerprints in an array of NumPy, which takes large pages for it.
fn folded<'py, T: FingerprintPlace + Element>(
    py: Python<'py>,
    all: &[Arc<Molecule>],
    radius: usize,
    size: usize,
    features: bool,
) -> PyResult<Bound<'py, PyAny>> {
    if !(1..=1 << 24).contains(&size) {
        return Err(mercer::Error::param("size", size, "a whole number from 1 to 2^24")).or_raise(py);
    }
    let array = PyArray2::<T>::zeros(py, [all.len(), size], false);
    let mut writer = array.readwrite();
    let out = writer.as_slice_mut()?;
    py.detach(|| morgan_fingerprints(all, radius, size, features, out)).or_raise(py)?;
    drop(writer);
    Ok(array.into_any())
}

fn values(kind: &str, value: &Bound<'_, PyAny>) -> PyResult<Values> {
    let py = value.py();
    Ok(match kind {
        // Data that was converted before, with one column.
        "column" => {
            let data = value.cast::<Data>()?.get();
            let [column] = data.set.columns() else {
                let reason = format!("expected data with one column, found {}", data.set.columns().len());
                return Err(PyTypeError::new_err(reason));
            };
            column.values.clone()
        }
        "numbers" => Values::Numbers(matrix(value)?),
        "sparse" => Values::Sparse(sparse(value)?),
        "categories" => {
            // Strings are borrowed from Python: copying them would take longer than the comparisons.
            let names: Vec<Option<Bound<'_, PyString>>> = value.extract()?;
            let names = names.iter().map(|name| name.as_ref().map(|name| name.to_str()).transpose());
            let names = names.collect::<PyResult<Vec<Option<&str>>>>()?;
            Values::Categories(Categories::from_values(names))
        }
        "codes" => {
            let (codes, levels): (PyReadonlyArray1<'_, u32>, Vec<String>) = value.extract()?;
            let codes = codes.as_array().iter().copied().collect();
            Values::Categories(Categories::new(codes, levels).or_raise(py)?)
        }
        "times" => {
            let seconds: PyReadonlyArray1<'_, f64> = value.extract()?;
            Values::Times(Times::new(seconds.as_array().iter().copied().collect()))
        }
        "strings" => Values::Strings(value.extract()?),
        "text" => Values::Text(value.extract()?),
        "series" => {
            let series: Vec<PyReadonlyArray2<'_, f64>> = value.extract()?;
            let one = |s: PyReadonlyArray2<'_, f64>| {
                let s = s.as_array();
                Series::new(s.shape()[0], s.iter().copied().collect()).or_raise(py)
            };
            Values::Series(series.into_iter().map(one).collect::<PyResult<_>>()?)
        }
        "images" => {
            let images: Vec<Option<PyReadonlyArray3<'_, u8>>> = value.extract()?;
            let one = |image: Option<PyReadonlyArray3<'_, u8>>| {
                let Some(image) = image else { return Ok(Image::none()) };
                let pixels = image.as_array();
                let [height, width, channels] = [0, 1, 2].map(|axis| pixels.shape()[axis]);
                Image::new(width, height, channels, pixels.iter().copied().collect()).or_raise(py)
            };
            Values::Images(images.into_iter().map(one).collect::<PyResult<_>>()?)
        }
        "molecules" => {
            let texts: Vec<Option<String>> = value.extract()?;
            let texts: Vec<Option<&str>> = texts.iter().map(Option::as_deref).collect();
            Values::Molecules(parse_molecules(&texts).or_raise(py)?)
        }
        "graphs" => Values::Graphs(graphs(value)?),
        "nodes" => Values::Nodes(Nodes::all(Arc::new(network(value)?))),
        "precomputed" => {
            let parts = value.cast::<PyTuple>()?;
            let similarity = matrix(&parts.get_item(0)?)?;
            Values::Precomputed(match parts.get_item(1)?.extract()? {
                true => Precomputed::square(similarity).or_raise(py)?,
                false => Precomputed::rows_of(similarity),
            })
        }
        other => return Err(PyTypeError::new_err(format!("unknown column kind: {other}"))),
    })
}

/// A compressed sparse row (CSR) matrix from the number of features, row offsets, column indices and values.
fn sparse(value: &Bound<'_, PyAny>) -> PyResult<Sparse> {
    type Parts<'py> =
        (usize, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, f64>);
    let (dim, offsets, features, stored): Parts<'_> = value.extract()?;
    let whole = |v: &i64| usize::try_from(*v).map_err(|_| PyTypeError::new_err("an index is negative"));
    let offsets = offsets.as_array().iter().map(whole).collect::<PyResult<Vec<_>>>()?;
    let small =
        |v: &i64| u32::try_from(*v).map_err(|_| PyTypeError::new_err("a column index is outside 0..2^32"));
    let features = features.as_array().iter().map(small).collect::<PyResult<Vec<_>>>()?;
    Sparse::new(dim, offsets, features, doubles(&stored)).or_raise(value.py())
}

/// The objects that a kernel is fitted to. A kernel that keeps its training objects gets a copy, because Python code
/// may write to the arrays later.
pub(crate) fn fitting(expression: &Expression, data: &Data) -> Arc<Dataset> {
    match expression.needs_training() {
        true => Arc::new(data.set.select(&(0..data.set.len()).collect::<Vec<_>>())),
        false => data.set.clone(),
    }
}

/// Parses the target: `None`, (`name`, codes, levels) for classes, or (`name`, numbers).
pub(crate) fn target(value: Option<&Bound<'_, PyAny>>) -> PyResult<Option<(String, Target)>> {
    let Some(value) = value else { return Ok(None) };
    if let Ok((name, codes, levels)) = value.extract::<(String, PyReadonlyArray1<'_, u32>, Vec<String>)>() {
        let codes = codes.as_array().iter().copied().collect();
        let classes = Categories::new(codes, levels).or_raise(value.py())?;
        return Ok(Some((name, Target::Classes(classes))));
    }
    let (name, numbers): (String, PyReadonlyArray1<'_, f64>) = value.extract()?;
    Ok(Some((name, Target::Numbers(doubles(&numbers)))))
}

/// The data with its target and sample weights. Borrowed columns are not copied.
pub(crate) fn training(
    data: &Dataset,
    target: Option<(String, Target)>,
    weights: Option<Vec<f64>>,
) -> mercer::Result<Dataset> {
    let mut set = data.clone();
    if let Some((name, target)) = target {
        set = set.with_target(name, target)?;
    }
    match weights {
        Some(weights) => set.with_weights(weights),
        None => Ok(set),
    }
}
