//! `mercer reproduce diffusion`: diffusion kernels on records and between nodes.

use std::path::PathBuf;

use clap::Args;
use mercer::reproduce::diffusion::{
    NodeOutcome, NodeProblem, PROBLEMS, Report, Settings, study, study_nodes,
};
use mercer::reproduce::graphs::chosen;
use mercer::{Error, Result};

use crate::commands::report::Reporting;
use crate::console::Console;

/// Arguments of `mercer reproduce diffusion`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer reproduce diffusion --data categorical/ --quick
  mercer reproduce diffusion --data categorical/ --nodes nodes/cora --plots pictures/ --markdown > diffusion.md

--data takes a folder with UCI tables named breast_cancer_ljubljana/breast_cancer_ljubljana.csv, hepatitis/…,
adult/adult_first5000.csv, mushroom/…, house_votes_84/…; what is not there is left out, and said. --nodes takes folders with
nodes.csv and edges.csv; a column split divides the nodes into train and test.")]
pub(super) struct DiffusionArgs {
    /// Folder with UCI tables
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Tables to run, by the paper's names
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Folders of graphs whose nodes are to be classified
    #[arg(long, value_name = "FOLDER,…", value_delimiter = ',')]
    nodes: Vec<PathBuf>,
    /// Random divisions of each table [default: 40]
    #[arg(long, value_name = "N")]
    divisions: Option<usize>,
    /// Try out: four coefficients, three divisions
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    reporting: Reporting,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

pub(super) fn run(args: &DiffusionArgs, console: &Console) -> Result<()> {
    args.reporting.check()?;
    let mut settings = match args.quick {
        true => Settings::quick(console.seed),
        false => Settings::full(console.seed),
    };
    settings.divisions = args.divisions.unwrap_or(settings.divisions);
    let problems = chosen("only", &args.only, PROBLEMS.to_vec(), |p| p.name)?;
    let (mut loaded, mut absent) = (Vec::new(), Vec::new());
    if let Some(folder) = &args.data {
        for problem in problems {
            match problem.load(folder)? {
                Some(data) => loaded.push(data),
                None => absent.push(problem.name.to_owned()),
            }
        }
    }
    let graphs = args.nodes.iter().map(|folder| NodeProblem::load(folder)).collect::<Result<Vec<_>>>()?;
    if loaded.is_empty() && graphs.is_empty() {
        return Err(Error::usage(
            "nothing to run: name the folder of UCI tables with --data, or a graph with --nodes",
        ));
    }
    let engine = console.engine()?;
    let mut outcomes = Vec::new();
    for data in &loaded {
        let mut told = |kernel: &str| console.note(format!("{}: {kernel}", data.name));
        outcomes.push(study(data, &settings, &engine, &mut told)?);
    }
    let mut nodes = Vec::new();
    for graph in &graphs {
        let mut told = |outcome: &NodeOutcome| {
            let accuracy = outcome.accuracy.map_or("none".into(), |a| format!("{:.1} %", 100.0 * a));
            console.note(format!("{}, {}: {accuracy}", outcome.data, outcome.method));
        };
        nodes.extend(study_nodes(graph, settings.seed, &engine, &mut told)?);
    }
    let report = Report { settings, outcomes, nodes, absent };
    match args.markdown {
        true => console.line(report.markdown().trim_end())?,
        false => console.line(report.text().trim_end())?,
    }
    args.reporting.finish(report.json(), &engine, console)
}
