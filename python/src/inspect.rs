//! What is in data, and what is wrong with it.

use mercer::data::Categories;
use mercer::doctor::Doctor;
use mercer::error::Options;
use mercer::insight::DataProfile;
use pyo3::prelude::*;
use serde_json::json;

use crate::data::{Data, target, training};
use crate::error::OrRaise;
use crate::run::{RunSettings, run};

/// Examines data and describes its columns; returns JSON.
#[pyfunction]
#[pyo3(signature = (data, y=None, groups=None, test=None, time=None, seed=0))]
fn inspect(
    py: Python<'_>,
    data: &Data,
    y: Option<&Bound<'_, PyAny>>,
    groups: Option<Vec<String>>,
    test: Option<Vec<bool>>,
    time: Option<String>,
    seed: u64,
) -> PyResult<String> {
    let mut set = training(&data.set, target(y)?, None).or_raise(py)?;
    if let Some(groups) = groups {
        let groups = Categories::from_values(groups.iter().map(|g| Some(g.as_str())));
        set = set.with_groups("groups", groups).or_raise(py)?;
    }
    if let Some(test) = test {
        set = set.with_test(test).or_raise(py)?;
    }
    run(py, RunSettings::new(None, None), move |engine| {
        engine.budget().enter(|| {
            let mut checkup = Doctor { time: time.clone(), seed, ..Doctor::default() }.examine(&set)?;
            for finding in &mut checkup.findings {
                finding.message = Options::Keywords.write(&finding.message);
                finding.advice = Options::Keywords.write(&finding.advice);
            }
            let profile = DataProfile::of(&set)?;
            let mut document = json!(profile);
            for (at, column) in profile.columns.iter().enumerate() {
                document["columns"][at]["values"] = column.described(|_| String::new()).into();
            }
            document["schema"] = mercer_report::SCHEMA.into();
            document["command"] = "inspect".into();
            document["findings"] = json!(checkup.findings);
            document["objects_examined"] = json!(checkup.sampled);
            Ok(document.to_string())
        })
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(inspect, module)?)
}
