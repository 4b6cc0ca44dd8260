//! Runs the study with its options.

use super::{DiffusionReport, DiffusionSettings, NodeOutcome, NodeProblem, PROBLEMS, study, study_nodes};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::graphs::chosen;
use crate::{StudyOptions, StudyReport, StudyResult};

pub(crate) fn run(
    options: &StudyOptions,
    engine: &Engine,
    progress: &mut dyn FnMut(String),
) -> Result<StudyResult> {
    let mut settings = match options.quick {
        true => DiffusionSettings::quick(options.seed),
        false => DiffusionSettings::full(options.seed),
    };
    settings.splits = options.splits.unwrap_or(settings.splits);
    let problems = chosen("only", &options.only, PROBLEMS.to_vec(), |p| p.name)?;
    let (mut loaded, mut absent) = (Vec::new(), Vec::new());
    if let Some(folder) = options.folder("UCI tables")? {
        for problem in problems {
            match problem.load(folder)? {
                Some(data) => loaded.push(data),
                None => absent.push(problem.name.to_owned()),
            }
        }
    }
    let graphs = options.nodes.iter().map(|folder| NodeProblem::load(folder)).collect::<Result<Vec<_>>>()?;
    if loaded.is_empty() && graphs.is_empty() {
        return Err(Error::usage(
            "nothing to run: give the folder of UCI tables as `data`, or the folder of a graph as `nodes`",
        ));
    }
    let mut outcomes = Vec::new();
    for data in &loaded {
        let mut each = |kernel: &str| progress(format!("{}: {kernel}", data.name));
        outcomes.push(study(data, &settings, engine, &mut each)?);
    }
    let mut nodes = Vec::new();
    for graph in &graphs {
        let mut each = |outcome: &NodeOutcome| {
            let accuracy = outcome.accuracy.map_or("none".into(), |a| format!("{:.1} %", 100.0 * a));
            progress(format!("{}, {}: {accuracy}", outcome.data, outcome.method));
        };
        nodes.extend(study_nodes(graph, settings.seed, engine, &mut each)?);
    }
    let report = DiffusionReport { settings, outcomes, nodes, absent };
    Ok(StudyResult::new(report.page(), StudyReport::Diffusion(report)))
}
