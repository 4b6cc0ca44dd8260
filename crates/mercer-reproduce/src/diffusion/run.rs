//! The study by its options.

use super::{NodeOutcome, NodeProblem, PROBLEMS, Report, Settings, study, study_nodes};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::graphs::chosen;
use crate::{StudyOptions, StudyResult};

pub(crate) fn run(
    options: &StudyOptions,
    engine: &Engine,
    told: &mut dyn FnMut(String),
) -> Result<StudyResult> {
    let mut settings = match options.quick {
        true => Settings::quick(options.seed),
        false => Settings::full(options.seed),
    };
    settings.divisions = options.splits.unwrap_or(settings.divisions);
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
            "nothing to run: name the folder of UCI tables as data (--data), or a folder of a graph as nodes (--nodes)",
        ));
    }
    let mut outcomes = Vec::new();
    for data in &loaded {
        let mut heard = |kernel: &str| told(format!("{}: {kernel}", data.name));
        outcomes.push(study(data, &settings, engine, &mut heard)?);
    }
    let mut nodes = Vec::new();
    for graph in &graphs {
        let mut heard = |outcome: &NodeOutcome| {
            let accuracy = outcome.accuracy.map_or("none".into(), |a| format!("{:.1} %", 100.0 * a));
            told(format!("{}, {}: {accuracy}", outcome.data, outcome.method));
        };
        nodes.extend(study_nodes(graph, settings.seed, engine, &mut heard)?);
    }
    let report = Report { settings, outcomes, nodes, absent };
    Ok(StudyResult::new(&report.page(), report.json()))
}
