//! The automatic search.

use std::time::Duration;

use mercer::data::Categories;
use mercer::insight::{self, Figures};
use mercer::select::auto::{self, AutoSettings};
use mercer::select::{Protocol, Score};
use pyo3::prelude::*;
use serde_json::json;

use crate::data::{Data, target, training};
use crate::error::OrRaise;
use crate::evaluate::complete;
use crate::model::Model;
use crate::run::{RunSettings, run};

/// Searches kernels and learners within a time budget; returns the run document as JSON, and the final model.
#[pyfunction]
#[pyo3(signature = (data, y, groups, protocol, score, seconds, sample, seed, figures, threads=None, progress=None))]
#[allow(clippy::too_many_arguments)]
fn automatic(
    py: Python<'_>,
    data: &Data,
    y: &Bound<'_, PyAny>,
    groups: Option<Vec<String>>,
    protocol: Option<&str>,
    score: Option<&str>,
    seconds: Option<f64>,
    sample: usize,
    seed: u64,
    figures: bool,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, Model)> {
    let mut set = training(&data.set, target(Some(y))?, None).or_raise(py)?;
    if let Some(groups) = groups {
        let groups = Categories::from_values(groups.iter().map(|g| Some(g.as_str())));
        set = set.with_groups("groups", groups).or_raise(py)?;
    }
    let domain = "a number of seconds above 0";
    let limit = |s: f64| {
        let limit = Duration::try_from_secs_f64(s).ok().filter(|limit| !limit.is_zero());
        limit.ok_or_else(|| mercer::Error::param("time", s, domain))
    };
    let settings = AutoSettings {
        protocol: protocol.map(str::parse::<Protocol>).transpose().or_raise(py)?,
        score: score.map(str::parse::<Score>).transpose().or_raise(py)?,
        budget: seconds.map(limit).transpose().or_raise(py)?,
        sample,
        seed,
    };
    let (document, model) = run(py, RunSettings::new(threads, progress), move |engine| {
        let report = auto::run(&set, &settings, engine, &mut |_| ())?;
        if report.is_interrupted {
            return Err(mercer::Error::Interrupted);
        }
        let refit = report.refit(&set, engine)?;
        let mut document = insight::automatic(&report, &refit);
        if figures {
            // Of a blend, the figures of the kernel are of the member with the largest weight.
            let shown = refit.model.principal();
            let (kernel, learner) = (shown.expression(), shown.learner());
            let mut figures = Figures::of(&set, kernel, learner, seed, engine)?;
            if let Some(best) = report.trials.first() {
                figures.predictions = Some(best.predictions.clone());
                figures.search = best.map.clone();
            }
            document["summary"] = json!(insight::summary(&set)?);
            document["figures"] = json!(figures);
        }
        document["data"] = "mercer.auto(…) in Python".into();
        document["budget"] = json!(seconds);
        complete(&mut document, "auto", seed, engine);
        Ok((document, refit.model))
    })?;
    Ok((document.to_string(), Model::whole(model)))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(automatic, module)?)
}
