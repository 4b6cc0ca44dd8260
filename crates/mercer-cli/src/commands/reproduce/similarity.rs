//! `mercer reproduce similarity`: the similarity kernel beside what it was compared with.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mercer::reproduce::similarity::{Outcome, Part, Report, Settings, problems, study};
use mercer::{Error, Result};

use crate::commands::report::Reporting;
use crate::console::Console;

/// Arguments of `mercer reproduce similarity`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer reproduce similarity --data data/ --part archive --quick
  mercer reproduce similarity --data data/ --journal-dir journals/ --markdown > similarity.md

--data takes a folder with timeseries/NAME/NAME_TRAIN.ts and NAME_TEST.ts, timeseries/EEG_alcoholic_S1/, genes/NAME/NAME.csv
and strings/sms_spam/sms_spam.csv; what is not there is left out, and said.
With --journal-dir a run that was stopped goes on where it was.")]
pub(super) struct SimilarityArgs {
    /// Folder with the data
    #[arg(long, value_name = "FOLDER")]
    data: PathBuf,
    /// Parts to run [default: all]
    #[arg(long, value_enum, value_name = "PART,…", value_delimiter = ',')]
    part: Vec<PartName>,
    /// Data sets to run, by the names of their folders
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Folder to note finished work in
    #[arg(long, value_name = "DIR")]
    journal_dir: Option<PathBuf>,
    /// Try out: three inner folds, two divisions of persons
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    reporting: Reporting,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PartName {
    /// Series in the archive's splits
    Archive,
    /// Brain waves by person
    Eeg,
    /// Gene expression
    Genes,
    /// Short messages
    Text,
}

pub(super) fn run(args: &SimilarityArgs, console: &Console) -> Result<()> {
    args.reporting.check()?;
    let settings = match args.quick {
        true => Settings::quick(console.seed),
        false => Settings::full(console.seed),
    };
    if !args.data.is_dir() {
        return Err(Error::Param {
            name: "--data".into(),
            value: args.data.display().to_string(),
            domain: "a folder with timeseries, genes and strings".into(),
        });
    }
    let chosen = |part: &Part| {
        args.part.is_empty()
            || args.part.iter().any(|name| match name {
                PartName::Archive => *part == Part::Archive,
                PartName::Eeg => *part == Part::Eeg,
                PartName::Genes => *part == Part::Genes,
                PartName::Text => *part == Part::Text,
            })
    };
    let parts: Vec<Part> = Part::ALL.into_iter().filter(chosen).collect();
    let (found, absent) = problems(&args.data, &parts, &args.only, &settings)?;
    if found.is_empty() {
        return Err(Error::usage(format!("none of these data sets is there: {}", absent.join(", "))));
    }
    let engine = console.engine()?;
    let journals = args.journal_dir.as_deref();
    console.note(format!(
        "plan: {} data sets{}",
        found.len(),
        if journals.is_some() { "" } else { "; --journal-dir would let a stopped run go on" },
    ));
    let mut outcomes: Vec<Outcome> = Vec::new();
    for problem in &found {
        let mut told = |outcome: &Outcome| {
            let score = outcome.score().map_or("none".into(), |s| format!("{s:.4}"));
            console.note(format!("{}, {}: {score}, {:.1} s", outcome.data, outcome.method, outcome.seconds));
        };
        outcomes.extend(study(problem, problem.part.methods(), &settings, &engine, journals, &mut told)?);
    }
    let report = Report { settings, outcomes, absent };
    match args.markdown {
        true => console.line(report.markdown().trim_end())?,
        false => console.line(report.text().trim_end())?,
    }
    args.reporting.finish(report.json(), &engine, console)
}
