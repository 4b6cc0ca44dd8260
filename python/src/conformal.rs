//! Conformal prediction: calibrated models, and the calibration of predictions that any other estimator made.

use mercer::data::{Categories, Dataset, Dense};
use mercer::expression::{Expression, Learner};
use mercer::learn::conformal as rules;
use mercer::model::{ConformalBy, ConformalMethod, ConformalScore};
use mercer::select::Conformal;
use mercer::{Error, random::Random};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use serde_json::json;

use crate::array::{doubles, list, matrix, table};
use crate::data::{Data, fitting, target, training};
use crate::error::OrRaise;
use crate::model::Model;
use crate::run::{RunSettings, run};

/// The name of the groups within which coverage is guaranteed.
const GROUP: &str = "group";

/// The objects with a group each.
pub(crate) fn grouped(data: &Dataset, groups: Option<Vec<String>>) -> mercer::Result<Dataset> {
    match groups {
        None => Ok(data.clone()),
        Some(groups) => {
            let groups = Categories::from_values(groups.iter().map(|g| Some(g.as_str())));
            data.clone().with_groups(GROUP, groups)
        }
    }
}

/// Fits a kernel and a learner and calibrates the model. `by` is `all`, `class` or `group`.
#[pyfunction]
#[pyo3(signature = (kernel, learner, data, y, method, by="all", score=None, groups=None, seed=0, threads=None, progress=None))]
#[allow(clippy::too_many_arguments)]
fn fit_conformal(
    py: Python<'_>,
    kernel: &str,
    learner: &str,
    data: &Data,
    y: &Bound<'_, PyAny>,
    method: &str,
    by: &str,
    score: Option<&str>,
    groups: Option<Vec<String>>,
    seed: u64,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let expression: Expression = kernel.parse().or_raise(py)?;
    let learner: Learner = learner.parse().or_raise(py)?;
    let method: ConformalMethod = method.parse().or_raise(py)?;
    let score: Option<ConformalScore> = score.map(str::parse).transpose().or_raise(py)?;
    let by = match by {
        "all" => ConformalBy::All,
        "class" => ConformalBy::Class,
        GROUP => ConformalBy::Column(GROUP.to_owned()),
        other => return Err(Error::param("by", other, "all, class or group")).or_raise(py),
    };
    let set = training(&fitting(&expression, data), target(Some(y))?, None).or_raise(py)?;
    let set = grouped(&set, groups).or_raise(py)?;
    let model = run(py, RunSettings::new(threads, progress), move |engine| {
        Conformal { method, by, score }.fit(&set, &expression, &learner, seed, engine)
    })?;
    Ok(Model::whole(model))
}

/// Scores of calibration objects.
#[pyclass(frozen, module = "mercer._mercer")]
struct Calibration {
    scores: rules::CalibrationScores,
}

/// Whole numbers of at least 0.
fn whole(values: &PyReadonlyArray1<'_, i64>) -> mercer::Result<Vec<usize>> {
    let negative = || Error::usage("folds and strata are numbered from 0");
    values.as_array().iter().map(|&v| usize::try_from(v).map_err(|_| negative())).collect()
}

#[pymethods]
impl Calibration {
    /// The score, the fold and the stratum of each calibration object.
    #[new]
    fn new(
        py: Python<'_>,
        scores: PyReadonlyArray1<'_, f64>,
        folds: PyReadonlyArray1<'_, i64>,
        strata: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Self> {
        let made = || rules::CalibrationScores::new(&doubles(&scores), &whole(&folds)?, &whole(&strata)?);
        Ok(Calibration { scores: made().or_raise(py)? })
    }

    /// The number of calibration objects of a stratum.
    fn objects(&self, stratum: usize) -> usize {
        self.scores.objects(stratum)
    }

    /// The p-value of each class (columns) for each object (rows). `scores` holds a table for each fold, `strata` the
    /// stratum of each object, or of each class if `by_class`; `ties` are random numbers of the objects.
    fn p_values<'py>(
        &self,
        py: Python<'py>,
        scores: Vec<Bound<'py, PyAny>>,
        strata: PyReadonlyArray1<'_, i64>,
        ties: PyReadonlyArray1<'_, f64>,
        by_class: bool,
    ) -> PyResult<Bound<'py, PyAny>> {
        let tables = scores.iter().map(matrix).collect::<PyResult<Vec<Dense>>>()?;
        let (strata, ties) = (whole(&strata).or_raise(py)?, doubles(&ties));
        let (n, classes) = tables.first().map_or((0, 0), |t| (t.rows(), t.cols()));
        let expected = if by_class { classes } else { n };
        let same = tables.iter().all(|t| (t.rows(), t.cols()) == (n, classes));
        if !same || strata.len() != expected || ties.len() != n {
            return Err(Error::usage("scores, strata and ties must be of the same objects")).or_raise(py);
        }
        let mut out = Dense::zeros(n, classes);
        for (i, tie) in ties.iter().enumerate() {
            for (c, p) in out.row_mut(i).iter_mut().enumerate() {
                let stratum = strata[if by_class { c } else { i }];
                let score = |fold: usize| tables.get(fold).map_or(f64::INFINITY, |t| t.at(i, c));
                *p = self.scores.p_value(stratum, *tie, score);
            }
        }
        Ok(table(py, out)?.into_any())
    }

    /// The interval of each object (rows of low and high). `centres` and `scales` hold a row for each fold.
    fn intervals<'py>(
        &self,
        py: Python<'py>,
        confidence: f64,
        centres: &Bound<'py, PyAny>,
        scales: &Bound<'py, PyAny>,
        strata: PyReadonlyArray1<'_, i64>,
    ) -> PyResult<Bound<'py, PyAny>> {
        rules::check_confidence(confidence).or_raise(py)?;
        let (centres, scales, strata) = (matrix(centres)?, matrix(scales)?, whole(&strata).or_raise(py)?);
        let n = strata.len();
        if centres.cols() != n || scales.cols() != n || centres.rows() != scales.rows() {
            return Err(Error::usage("centres, scales and strata must be of the same objects")).or_raise(py);
        }
        let mut out = Dense::zeros(n, 2);
        for (i, &stratum) in strata.iter().enumerate() {
            let model = |fold: usize| match fold < centres.rows() {
                true => (centres.at(fold, i), scales.at(fold, i)),
                false => (0.0, f64::INFINITY),
            };
            let (low, high) = self.scores.interval(stratum, confidence, model);
            out.row_mut(i).copy_from_slice(&[low, high]);
        }
        Ok(table(py, out)?.into_any())
    }
}

/// The score of each class (columns) for each object (rows), from the logarithms of class probabilities and a random number
/// of each object.
#[pyfunction]
fn class_scores<'py>(
    py: Python<'py>,
    logs: &Bound<'py, PyAny>,
    score: &str,
    chances: PyReadonlyArray1<'_, f64>,
) -> PyResult<Bound<'py, PyAny>> {
    let (logs, chances) = (matrix(logs)?, doubles(&chances));
    let score = match score.parse::<ConformalScore>().or_raise(py)? {
        ConformalScore::Class(score) => score,
        other => {
            let domain = "least-ambiguous, adaptive or regularized";
            return Err(Error::param("score", other.to_string(), domain)).or_raise(py);
        }
    };
    if chances.len() != logs.rows() || logs.values().iter().any(|v| v.is_nan()) {
        return Err(Error::usage("probabilities must be numbers, with a random number for each object"))
            .or_raise(py);
    }
    let mut out = Dense::zeros(logs.rows(), logs.cols());
    for (i, chance) in chances.iter().enumerate() {
        out.row_mut(i).copy_from_slice(&score.scores(logs.row(i), *chance));
    }
    Ok(table(py, out)?.into_any())
}

/// The two random numbers of each object, which follow from its content and the seed: one for the score of a class, one
/// for ties.
#[pyfunction]
fn chances<'py>(py: Python<'py>, data: &Data, seed: u64) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
    let set = data.set.clone();
    let all = py.detach(move || {
        set.object_fingerprints().into_iter().map(|print| rules::Chance::of(print, seed)).collect::<Vec<_>>()
    });
    let part = |of: fn(&rules::Chance) -> f64| list(py, all.iter().map(of).collect::<Vec<f64>>()).into_any();
    Ok((part(|c| c.class), part(|c| c.tie)))
}

/// Which values belong to the sets of a confidence, from their p-values.
#[pyfunction]
fn included<'py>(
    py: Python<'py>,
    p_values: &Bound<'py, PyAny>,
    confidence: f64,
) -> PyResult<Bound<'py, PyAny>> {
    rules::check_confidence(confidence).or_raise(py)?;
    let p = matrix(p_values)?;
    let inside = |p: &f64| rules::CalibrationScores::is_included(*p, confidence);
    let out = Dense::<bool>::new(p.rows(), p.cols(), p.values().iter().map(inside).collect()).or_raise(py)?;
    Ok(table(py, out)?.into_any())
}

/// The fewest calibration objects with which something can be left out at a confidence.
#[pyfunction]
fn fewest(py: Python<'_>, confidence: f64) -> PyResult<usize> {
    rules::check_confidence(confidence).or_raise(py)?;
    Ok(rules::CalibrationScores::fewest(confidence))
}

/// `count` distinct numbers below n, ascending: the sample that a model takes of its training objects.
#[pyfunction]
fn sample(n: usize, count: usize, seed: u64) -> Vec<usize> {
    Random::derived(seed, 0x7E7).sample(n, count)
}

/// The p-value of each new object from its distances to reference objects (rows), which are known by the distances
/// between them.
#[pyfunction]
fn typicality<'py>(
    py: Python<'py>,
    references: &Bound<'py, PyAny>,
    distances: &Bound<'py, PyAny>,
    k: usize,
) -> PyResult<Bound<'py, PyAny>> {
    let (references, distances) = (matrix(references)?, matrix(distances)?);
    let p = py.detach(|| -> mercer::Result<Vec<f64>> {
        let known = rules::Typicality::new(&references, k)?;
        if distances.cols() != known.objects() {
            return Err(Error::usage("distances must be to the reference objects"));
        }
        Ok((0..distances.rows()).map(|i| known.p_value(distances.row(i))).collect())
    });
    Ok(list(py, p.or_raise(py)?).into_any())
}

/// The parts of a calibrated prediction as a dictionary: `p_values` or `intervals`, and `warnings`.
pub(crate) fn regions<'py>(py: Python<'py>, regions: mercer::model::Regions) -> PyResult<Bound<'py, PyDict>> {
    let out = PyDict::new(py);
    out.set_item("warnings", regions.warnings.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    if let Some(p) = regions.p_values {
        out.set_item("p_values", table(py, p)?)?;
    }
    if let Some(intervals) = regions.intervals {
        let values = intervals.iter().flat_map(|(low, high)| [*low, *high]).collect();
        out.set_item("intervals", table(py, Dense::new(intervals.len(), 2, values).or_raise(py)?)?)?;
    }
    Ok(out)
}

/// How a model was calibrated, as JSON.
pub(crate) fn describe(model: &mercer::model::Model) -> Option<String> {
    let known = model.conformal()?;
    let strata: Vec<(&str, usize)> = known.strata().collect();
    let by = match known.by() {
        ConformalBy::All => "all",
        ConformalBy::Class => "class",
        _ => "group",
    };
    let document = json!({
        "method": known.method().to_string(), "score": known.score().to_string(), "by": by,
        "objects": known.objects(), "strata": strata, "untypical": model.untypical(),
    });
    Some(document.to_string())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Calibration>()?;
    module.add_function(wrap_pyfunction!(fit_conformal, module)?)?;
    module.add_function(wrap_pyfunction!(class_scores, module)?)?;
    module.add_function(wrap_pyfunction!(chances, module)?)?;
    module.add_function(wrap_pyfunction!(included, module)?)?;
    module.add_function(wrap_pyfunction!(fewest, module)?)?;
    module.add_function(wrap_pyfunction!(sample, module)?)?;
    module.add_function(wrap_pyfunction!(typicality, module)?)
}
