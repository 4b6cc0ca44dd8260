//! `mercer reproduce graphs`: kernels on graphs on the collections of the literature.

use std::path::PathBuf;

use clap::Args;
use mercer::reproduce::graphs::{
    METHODS, Outcome, Report, Settings, chosen, collections, memory_needed, study,
};
use mercer::{Error, Result};

use crate::commands::report::Reporting;
use crate::console::Console;

/// Arguments of `mercer reproduce graphs`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer reproduce graphs --quick
  mercer reproduce graphs --data graphs/ --journal-dir journals/ --markdown > graphs.md

--data takes a folder of collections in the format of TU Dortmund, one folder each, or one such folder; MUTAG is embedded.
With --journal-dir a run that was stopped goes on where it was; Gram matrices are computed again.")]
pub(super) struct GraphsArgs {
    /// Folder with collections of graphs; without it, MUTAG
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Collections to run, by the names of their folders
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Kernels to run beside the baselines, by their names in the registry [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    kernel: Vec<String>,
    /// How often the graphs are divided into ten folds anew [default: 3]
    #[arg(long, value_name = "N")]
    repetitions: Option<usize>,
    /// Folds within each training part, for choosing parameters [default: 5]
    #[arg(long, value_name = "N")]
    inner_folds: Option<usize>,
    /// Folder to note finished work in
    #[arg(long, value_name = "DIR")]
    journal_dir: Option<PathBuf>,
    /// Try out: every fifth exponent of C, one repetition, three inner folds
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    reporting: Reporting,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

pub(super) fn run(args: &GraphsArgs, console: &Console) -> Result<()> {
    args.reporting.check()?;
    let mut settings = match args.quick {
        true => Settings::quick(console.seed),
        false => Settings::full(console.seed),
    };
    settings.repetitions = args.repetitions.unwrap_or(settings.repetitions);
    settings.inner_folds = args.inner_folds.unwrap_or(settings.inner_folds);
    if let Some(folder) = args.data.as_ref().filter(|folder| !folder.is_dir()) {
        return Err(Error::Param {
            name: "--data".into(),
            value: folder.display().to_string(),
            domain: "a folder with collections of graphs".into(),
        });
    }
    // What others must beat is always there.
    let (mut methods, others): (Vec<_>, Vec<_>) = METHODS.iter().copied().partition(|m| m.baseline);
    methods.extend(chosen("kernel", &args.kernel, others, |m| m.entry)?);
    let found = collections(args.data.as_deref(), &args.only)?;

    let engine = console.engine()?;
    let largest = found.iter().map(|c| memory_needed(c.data.len(), &methods, &engine)).max().unwrap_or(0);
    console.note(format!(
        "plan: {} collections, {} kernels, up to {} MB of matrices{}",
        found.len(),
        methods.iter().filter(|m| m.is_there()).count(),
        largest.div_ceil(1 << 20),
        if args.journal_dir.is_some() { "" } else { "; --journal-dir would let a stopped run go on" },
    ));
    let mut outcomes: Vec<Outcome> = Vec::new();
    for collection in &found {
        let mut told = |outcome: &Outcome| {
            let accuracy = outcome.accuracy().map_or("none".into(), |a| format!("{:.2} %", 100.0 * a));
            console.note(format!("{}, {}: {accuracy}", outcome.data, outcome.method));
        };
        let journals = args.journal_dir.as_deref();
        outcomes.extend(study(collection, &methods, &settings, &engine, journals, &mut told)?);
    }
    let report = Report::new(settings, &methods, outcomes, engine.threads());
    match args.markdown {
        true => console.line(report.markdown().trim_end())?,
        false => console.line(report.text().trim_end())?,
    }
    args.reporting.finish(report.json(), &engine, console)
}
