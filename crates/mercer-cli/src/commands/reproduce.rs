//! `mercer reproduce`: published experiments, done again beside their printed figures.

mod diffusion;
mod graphs;
mod similarity;

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use mercer::reproduce::random_walk::{Base, Loaded, Method, Problem, Report, Settings, memory_needed, study};
use mercer::{Error, Result};

use super::report::Reporting;
use crate::console::Console;

/// Arguments of `mercer reproduce`.
#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    #[command(subcommand)]
    study: Study,
}

#[derive(Debug, Subcommand)]
enum Study {
    /// Random-walk kernels against plain ones (Gavriilidis & Tefas, tables I and II)
    RandomWalk(RandomWalkArgs),
    /// Every kernel on graphs: run time and nested cross-validation beside what knows only sizes or labels
    Graphs(graphs::GraphsArgs),
    /// Diffusion kernels on categorical records, and kernels between nodes (Kondor & Lafferty)
    Diffusion(diffusion::DiffusionArgs),
    /// The similarity kernel on series, brain waves, genes and text (Daróczy, Buza & Benczúr)
    Similarity(similarity::SimilarityArgs),
}

/// Arguments of `mercer reproduce random-walk`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer reproduce random-walk --quick --only Balance1
  mercer reproduce random-walk --data tables/ --journal-dir journals/ --markdown > random-walk.md

The full protocol takes hours on all data sets; with --journal-dir a run that was stopped goes on where it was.
--data takes a folder with UCI tables named australian/australian.csv, pima_diabetes/…, liver_bupa/…,
mammographic_masses/…, planning_relax/…, haberman/…, iris/…, ecoli/…; what is not there is left out, and said.")]
struct RandomWalkArgs {
    /// Folder with UCI tables; without it, the data sets that are generated
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Data sets to run, by the paper's names
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Base kernels to run [default: both]
    #[arg(long, value_enum, value_name = "BASE,…", value_delimiter = ',')]
    base: Vec<BaseName>,
    /// Walks to run beside the plain machine [default: all]
    #[arg(long, value_enum, value_name = "METHOD,…", value_delimiter = ',', ignore_case = true)]
    method: Vec<MethodName>,
    /// Folder to note finished work in
    #[arg(long, value_name = "DIR")]
    journal_dir: Option<PathBuf>,
    /// Try out: every fourth exponent, 2×2 divisions
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    reporting: Reporting,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BaseName {
    InnerProduct,
    Rbf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MethodName {
    /// Through all objects, transductive
    Pa,
    /// Through the training objects
    Pt,
    /// Through support vectors
    Psv,
}

pub(crate) fn run(args: &ReproduceArgs, console: &Console) -> Result<()> {
    match &args.study {
        Study::RandomWalk(args) => random_walk(args, console),
        Study::Graphs(args) => graphs::run(args, console),
        Study::Diffusion(args) => diffusion::run(args, console),
        Study::Similarity(args) => similarity::run(args, console),
    }
}

fn random_walk(args: &RandomWalkArgs, console: &Console) -> Result<()> {
    args.reporting.check()?;
    let mut settings = match args.quick {
        true => Settings::quick(console.seed),
        false => Settings::full(console.seed),
    };
    let has_base = |base: &Base| {
        args.base.is_empty()
            || args.base.iter().any(|name| match name {
                BaseName::InnerProduct => *base == Base::InnerProduct,
                BaseName::Rbf => *base == Base::Rbf,
            })
    };
    let has_method = |method: &Method| {
        args.method.is_empty()
            || args.method.iter().any(|name| match name {
                MethodName::Pa => *method == Method::All,
                MethodName::Pt => *method == Method::Train,
                MethodName::Psv => *method == Method::Support,
            })
    };
    settings.bases.retain(has_base);
    settings.methods.retain(has_method);

    if let Some(folder) = args.data.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(Error::Param {
            name: "--data".into(),
            value: folder.display().to_string(),
            domain: "a folder with UCI tables".into(),
        });
    }
    let (mut loaded, mut absent) = (Vec::<Loaded>::new(), Vec::new());
    for problem in Problem::chosen(&args.only)? {
        match problem.load(args.data.as_deref(), settings.seed)? {
            Some(data) => loaded.push(data),
            None => absent.push(problem.name.to_owned()),
        }
    }
    if loaded.is_empty() {
        return Err(Error::usage(
            "none of these data sets is there: name the folder of UCI tables with --data",
        ));
    }

    let engine = console.engine()?;
    let largest = loaded.iter().map(|l| memory_needed(l.data.len(), &settings, &engine)).max().unwrap_or(0);
    console.note(format!(
        "plan: {} data sets, {} base kernels, up to {} MB of matrices{}",
        loaded.len(),
        settings.bases.len(),
        largest.div_ceil(1 << 20),
        if args.journal_dir.is_some() { "" } else { "; --journal-dir would let a stopped run go on" },
    ));
    let mut outcomes = Vec::new();
    for &base in &settings.bases {
        for data in &loaded {
            outcomes.push(study(data, base, &settings, &engine, args.journal_dir.as_deref())?);
        }
    }
    let report = Report::new(settings, outcomes, absent)?;
    match args.markdown {
        true => console.line(report.markdown().trim_end())?,
        false => console.line(report.text().trim_end())?,
    }
    args.reporting.finish(report.json(), &engine, console)
}
