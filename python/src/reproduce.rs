//! Reproduction of published experiments.

use mercer_reproduce::{STUDIES, Study, StudyOptions};
use pyo3::prelude::*;
use serde_json::json;

use crate::error::OrRaise;
use crate::run::{RunSettings, run};

/// Width of the report as text, in characters.
const COLUMNS: usize = 80;

/// Runs a study; returns its report as text and as Markdown, and the run document as JSON. Options are a JSON object.
#[pyfunction]
#[pyo3(signature = (study, options, threads=None, progress=None))]
fn reproduce(
    py: Python<'_>,
    study: &str,
    options: &str,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(String, String, String)> {
    let study = Study::find(study).or_raise(py)?;
    let wrong = |e: serde_json::Error| mercer::Error::usage(format!("invalid options of the study: {e}"));
    let options: StudyOptions = serde_json::from_str(options).map_err(wrong).or_raise(py)?;
    run(py, RunSettings::new(threads, progress), move |engine| {
        let found = study.run(&options, engine, &mut |_| ())?;
        let mut document = json!(found.report);
        document["schema"] = mercer_report::SCHEMA.into();
        document["command"] = "reproduce".into();
        document["run"] = json!({
            "command_line": format!("mercer.reproduce(\"{}\", …) in Python", study.name),
            "version": env!("CARGO_PKG_VERSION"), "threads": engine.threads(), "seed": options.seed,
            "system": format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        });
        Ok((found.text(COLUMNS), found.markdown(), document.to_string()))
    })
}

/// The studies: name, summary, and options besides the seed.
#[pyfunction]
fn studies() -> Vec<(&'static str, &'static str, Vec<&'static str>)> {
    STUDIES.iter().map(|s| (s.name, s.summary, s.options.to_vec())).collect()
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(reproduce, module)?)?;
    module.add_function(wrap_pyfunction!(studies, module)?)
}
