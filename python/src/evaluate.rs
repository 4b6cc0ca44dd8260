//! Evaluations and their reports.

use std::path::PathBuf;

use mercer::data::Categories;
use mercer::error::Options;
use mercer::expression::{Expression, Learner};
use mercer::gram::Engine;
use mercer::insight;
use mercer::select::{Evaluate, Grid, Protocol, Score, Splits, Strategy};
use mercer_report::Form;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::array::table;
use crate::data::{Data, target, training};
use crate::error::OrRaise;
use crate::run::{RunSettings, run};

/// Evaluates a kernel and a learner, choosing from their parameter ranges; returns the run document as JSON.
#[pyfunction]
#[pyo3(signature = (
    kernel, learner, data, y, weights, groups, protocol, inner, score, also, search, seed, figures, journal=None, threads=None,
    progress=None, best_of=None, test=None, times=None, splits=None
))]
#[allow(clippy::too_many_arguments)]
fn evaluate(
    py: Python<'_>,
    kernel: &str,
    learner: &str,
    data: &Data,
    y: &Bound<'_, PyAny>,
    weights: Option<Vec<f64>>,
    groups: Option<Vec<String>>,
    protocol: Option<&str>,
    inner: &str,
    score: Option<&str>,
    also: Option<Vec<String>>,
    search: &str,
    seed: u64,
    figures: bool,
    journal: Option<PathBuf>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
    best_of: Option<String>,
    test: Option<Vec<bool>>,
    times: Option<Vec<f64>>,
    splits: Option<Vec<(Vec<usize>, Vec<usize>)>>,
) -> PyResult<String> {
    let kernel: Expression = kernel.parse().or_raise(py)?;
    let learner: Learner = learner.parse().or_raise(py)?;
    let mut set = training(&data.set, target(Some(y))?, weights).or_raise(py)?;
    if let Some(groups) = groups {
        let groups = Categories::from_values(groups.iter().map(|g| Some(g.as_str())));
        set = set.with_groups("groups", groups).or_raise(py)?;
    }
    if let Some(test) = test {
        set = set.with_test(test).or_raise(py)?;
    }
    if let Some(times) = times {
        set = set.with_times("times", times).or_raise(py)?;
    }
    let given = splits.map(|splits| Splits::given(splits, set.len())).transpose().or_raise(py)?;
    let suited = Evaluate::of(&set).or_raise(py)?;
    let suited = match &given {
        Some(_) => Evaluate { protocol: Protocol::Given, ..suited },
        None => suited,
    };
    let also = also.map(|names| names.iter().map(|n| n.parse::<Score>()).collect::<mercer::Result<_>>());
    let settings = Evaluate {
        protocol: protocol.map(str::parse::<Protocol>).transpose().or_raise(py)?.unwrap_or(suited.protocol),
        inner: inner.parse().or_raise(py)?,
        score: score.map(str::parse::<Score>).transpose().or_raise(py)?.unwrap_or(suited.score),
        also: also.transpose().or_raise(py)?.unwrap_or(suited.also),
        strategy: search.parse::<Strategy>().or_raise(py)?,
        seed,
        level: suited.level,
        given,
    };
    let document = run(py, RunSettings::new(threads, progress), move |engine| {
        if let Some(parameter) = &best_of {
            Evaluate::check_best_of(parameter, &kernel, &learner)?;
        }
        let report = settings.run(&set, &kernel, &learner, engine, journal.as_deref())?;
        let best = match &best_of {
            Some(name) => {
                Some(settings.best_of(name, &set, &kernel, &learner, engine, journal.as_deref())?)
            }
            None => None,
        };
        let mut document = json!(match figures {
            true => insight::evaluation(&set, &report, engine)?,
            false => insight::outcome(&set, &report),
        });
        document["best_of"] = json!(best);
        complete(&mut document, "evaluate", seed, engine);
        Ok(document)
    })?;
    Ok(document.to_string())
}

/// Adds the schema, the function and the run to a document, and writes its warnings in words of the package.
pub(crate) fn complete(document: &mut Value, function: &str, seed: u64, engine: &Engine) {
    let keywords = |w: &Value| w.as_str().map_or_else(|| w.clone(), |w| Options::Keywords.write(w).into());
    document["warnings"] =
        document["warnings"].as_array().map_or(Value::Null, |all| all.iter().map(keywords).collect());
    document["schema"] = mercer_report::SCHEMA.into();
    document["command"] = function.into();
    document["run"] = json!({
        "command_line": format!("mercer.{function}(…) in Python"), "version": env!("CARGO_PKG_VERSION"),
        "threads": engine.threads(), "seed": seed,
        "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
    });
}

/// Leave-one-out residuals of ridge regression, one column per target, and whether the kernel was fitted to all
/// objects.
#[pyfunction]
#[pyo3(signature = (kernel, learner, data, y, threads=None, progress=None))]
fn leave_one_out<'py>(
    py: Python<'py>,
    kernel: &str,
    learner: &str,
    data: &Data,
    y: &Bound<'_, PyAny>,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyAny>, bool)> {
    let (kernel, learner) =
        (kernel.parse::<Expression>().or_raise(py)?, learner.parse::<Learner>().or_raise(py)?);
    let set = training(&data.set, target(Some(y))?, None).or_raise(py)?;
    let work = move |engine: &Engine| Evaluate::leave_one_out(&set, &kernel, &learner, engine);
    let found = run(py, RunSettings::new(threads, progress), work)?;
    Ok((table(py, found.residuals)?.into_any(), found.kernel_saw_all))
}

/// The kernel and the learner of the first grid point.
#[pyfunction]
fn first_configuration(py: Python<'_>, kernel: &str, learner: &str) -> PyResult<(String, String)> {
    let grid = Grid::new(&kernel.parse().or_raise(py)?, &learner.parse().or_raise(py)?).or_raise(py)?;
    Ok(grid.describe(0))
}

fn parsed(py: Python<'_>, document: &str) -> PyResult<Value> {
    let wrong = |e: serde_json::Error| mercer::Error::usage(format!("not a run document: {e}"));
    let mut document: Value = serde_json::from_str(document).map_err(wrong).or_raise(py)?;
    if !mercer_report::upgrade(&mut document) || !document["command"].is_string() {
        let newest = mercer_report::SCHEMA;
        let reason = format!("not a run document: no command, or a schema later than {newest}");
        return Err(mercer::Error::usage(reason)).or_raise(py);
    }
    Ok(document)
}

/// Renders a run document as a self-contained HTML page.
#[pyfunction]
fn report_page(py: Python<'_>, document: &str) -> PyResult<String> {
    let document = parsed(py, document)?;
    Ok(py.detach(|| mercer_report::page(&document, |kernel| Some(Expression::brief_text(kernel)))))
}

/// Renders the plots of a run document; returns file names and contents.
#[pyfunction]
fn report_plots(py: Python<'_>, document: &str, format: &str) -> PyResult<Vec<(String, Vec<u8>)>> {
    let form = match format {
        "svg" => Form::Svg,
        "png" => Form::Png,
        other => return Err(mercer::Error::param("format", other, "svg or png")).or_raise(py),
    };
    let document = parsed(py, document)?;
    let plots = py.detach(|| mercer_report::plots(&document, form));
    Ok(plots.into_iter().map(|p| (p.name, p.bytes)).collect())
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(evaluate, module)?)?;
    module.add_function(wrap_pyfunction!(leave_one_out, module)?)?;
    module.add_function(wrap_pyfunction!(first_configuration, module)?)?;
    module.add_function(wrap_pyfunction!(report_page, module)?)?;
    module.add_function(wrap_pyfunction!(report_plots, module)?)
}
