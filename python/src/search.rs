//! Searches and splits.

use mercer::expression::{Expression, Learner};
use mercer::select::{Grid, Objects, Predicted, Protocol, Score, Search, Split, Splits, Truth};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::array::{list, matrix, table};
use crate::data::{Data, target, training};
use crate::error::OrRaise;
use crate::run::{RunSettings, run};

/// Converts an array of object indices; an error for an index outside 0..n.
fn objects(array: &PyReadonlyArray1<'_, i64>, n: usize) -> mercer::Result<Vec<usize>> {
    let known = |&i: &i64| usize::try_from(i).ok().filter(|&i| i < n);
    let wrong = || mercer::Error::usage(format!("a split contains an object index outside 0..{n}"));
    array.as_array().iter().map(|i| known(i).ok_or_else(wrong)).collect()
}

/// Scores of configurations (rows) on splits (columns), NaN where there is none, and which configurations converged.
///
/// Each learner has its own seed. The number of a configuration is (index of its kernel) · (number of learners) +
/// (index of its learner).
#[pyfunction]
#[pyo3(signature = (
    kernels, learners, seeds, configurations, data, y, weights, splits, score, threads=None, progress=None
))]
#[allow(clippy::too_many_arguments)]
fn search<'py>(
    py: Python<'py>,
    kernels: Vec<String>,
    learners: Vec<String>,
    seeds: Vec<u64>,
    configurations: Vec<usize>,
    data: &Data,
    y: &Bound<'py, PyAny>,
    weights: Option<Vec<f64>>,
    splits: Vec<(PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>)>,
    score: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, Vec<bool>)> {
    let kernels =
        kernels.iter().map(|k| k.parse::<Expression>()).collect::<mercer::Result<_>>().or_raise(py)?;
    let learners =
        learners.iter().map(|l| l.parse::<Learner>()).collect::<mercer::Result<_>>().or_raise(py)?;
    let grid = Grid::of(kernels, learners).or_raise(py)?;
    let score: Score = score.parse().or_raise(py)?;
    let training = training(&data.set, target(Some(y))?, weights).or_raise(py)?;
    let n = training.len();
    let split = |(fold, (train, test)): (usize, &(PyReadonlyArray1<'_, i64>, PyReadonlyArray1<'_, i64>))| {
        Ok(Split { repetition: 0, fold, train: objects(train, n)?, test: objects(test, n)? })
    };
    let splits = splits.iter().enumerate().map(split).collect::<mercer::Result<Vec<_>>>().or_raise(py)?;
    let (values, converged) = run(py, RunSettings::new(threads, progress), move |engine| {
        let search = Search::new(&training, &grid, score, engine, 0)?.with_seeds(seeds)?;
        let scores = search.run_configurations(&splits, &configurations, None)?;
        let mut values = mercer::data::Dense::zeros(configurations.len(), splits.len());
        for (at, &configuration) in configurations.iter().enumerate() {
            let of = scores.of(configuration).iter().map(|v| v.unwrap_or(f64::NAN));
            values.row_mut(at).iter_mut().zip(of).for_each(|(to, v)| *to = v);
        }
        let converged: Vec<bool> = configurations.iter().map(|&c| scores.converged(c)).collect();
        Ok((values, converged))
    })?;
    Ok((table(py, values)?.into_any(), converged))
}

/// The splits of a protocol, each as arrays of training and test objects.
#[pyfunction]
#[pyo3(signature = (protocol, n, classes=None, groups=None, seed=0, times=None))]
fn make_splits<'py>(
    py: Python<'py>,
    protocol: &str,
    n: usize,
    classes: Option<Vec<usize>>,
    groups: Option<Vec<usize>>,
    seed: u64,
    times: Option<Vec<f64>>,
) -> PyResult<Vec<(Bound<'py, PyAny>, Bound<'py, PyAny>)>> {
    let protocol: Protocol = protocol.parse().or_raise(py)?;
    let mut objects = Objects::new(n);
    if let Some(classes) = classes {
        objects = objects.with_classes(&classes).or_raise(py)?;
    }
    if let Some(groups) = groups {
        objects = objects.with_groups(&groups).or_raise(py)?;
    }
    if let Some(times) = times {
        objects = objects.with_times(&times).or_raise(py)?;
    }
    let splits = Splits::new(&protocol, &objects, seed).or_raise(py)?;
    let numbers =
        |all: Vec<usize>| list(py, all.into_iter().map(|i| i as i64).collect::<Vec<i64>>()).into_any();
    Ok(splits.iter().map(|s| (numbers(s.train), numbers(s.test))).collect())
}

/// Computes a measure of predictions, `None` where it is undefined. Classes are codes below `classes`; with `classes` =
/// 0 the target is numeric.
#[pyfunction]
#[pyo3(signature = (score, truth, classes, labels=None, decisions=None, probabilities=None))]
fn measure(
    py: Python<'_>,
    score: &str,
    truth: Vec<f64>,
    classes: usize,
    labels: Option<Vec<f64>>,
    decisions: Option<Bound<'_, PyAny>>,
    probabilities: Option<Bound<'_, PyAny>>,
) -> PyResult<Option<f64>> {
    let score: Score = score.parse().or_raise(py)?;
    let measured = if classes == 0 {
        let predicted = Predicted { numbers: labels.as_deref(), ..Predicted::default() };
        score.measure(&Truth::Numbers(&truth), &predicted)
    } else {
        let codes = |values: &[f64]| values.iter().map(|&v| v as usize).collect::<Vec<_>>();
        let labels = labels.as_deref().map(codes);
        let decisions = decisions.map(|d| matrix(&d)).transpose()?;
        let probabilities = probabilities.map(|p| matrix(&p)).transpose()?;
        let predicted = Predicted {
            labels: labels.as_deref(),
            decisions: decisions.as_ref(),
            probabilities: probabilities.as_ref(),
            ..Predicted::default()
        };
        score.measure(&Truth::Classes { codes: &codes(&truth), classes }, &predicted)
    };
    Ok(measured.or_raise(py)?.value())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(search, module)?)?;
    module.add_function(wrap_pyfunction!(measure, module)?)?;
    module.add_function(wrap_pyfunction!(make_splits, module)?)
}
