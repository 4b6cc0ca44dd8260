//! `mercer reproduce`: reruns published experiments and compares the results with the published numbers.

mod arguments;

use clap::{Args, Subcommand};
use mercer::Result;
use mercer_reproduce::{Study, StudyOptions};

use self::arguments::{DiffusionArgs, GraphsArgs, RandomWalkArgs, SimilarityArgs, WorkedArgs};
use super::report::Reporting;
use crate::console::Console;

/// Arguments of `mercer reproduce`.
#[derive(Debug, Args)]
pub(crate) struct ReproduceArgs {
    #[command(subcommand)]
    study: StudyName,
}

#[derive(Debug, Subcommand)]
enum StudyName {
    /// Worked examples of a textbook chapter on kernel methods (Zaki & Meira, chapter 5)
    Chapter(WorkedArgs),
    /// Worked examples of lecture slides on graph kernels and SVMs (Sugiyama 2018)
    Slides(WorkedArgs),
    /// Random-walk kernels compared with their base kernels (Gavriilidis & Tefas)
    RandomWalk(RandomWalkArgs),
    /// Every graph kernel: run time and nested cross-validation, compared with trivial baselines
    Graphs(GraphsArgs),
    /// Diffusion kernels on categorical records, and kernels between nodes (Kondor & Lafferty)
    Diffusion(DiffusionArgs),
    /// The similarity kernel on series, EEG, genes, text and molecules (Daróczy, Buza & Benczúr)
    Similarity(SimilarityArgs),
}

/// Output options of a study.
#[derive(Clone, Debug, Args)]
struct Shown {
    #[command(flatten)]
    reporting: Reporting,
    /// Print Markdown
    #[arg(long, conflicts_with = "json")]
    markdown: bool,
}

pub(crate) fn run(args: &ReproduceArgs, console: &Console) -> Result<()> {
    let (name, options, shown) = match &args.study {
        StudyName::Chapter(args) => ("chapter", StudyOptions::default(), &args.shown),
        StudyName::Slides(args) => ("slides", StudyOptions::default(), &args.shown),
        StudyName::RandomWalk(args) => ("random-walk", args.options(), &args.shown),
        StudyName::Graphs(args) => ("graphs", args.options(), &args.shown),
        StudyName::Diffusion(args) => ("diffusion", args.options(), &args.shown),
        StudyName::Similarity(args) => ("similarity", args.options(), &args.shown),
    };
    shown.reporting.check()?;
    let engine = console.engine()?;
    let options = StudyOptions { seed: console.seed, ..options };
    let found = Study::find(name)?.run(&options, &engine, &mut |note| console.note(note))?;
    match shown.markdown {
        // Broken lines would not be Markdown.
        true => console.raw(format!("{}\n", found.markdown().trim_end()).as_bytes())?,
        false => console.as_it_is(found.text(console.width()).trim_end())?,
    }
    shown.reporting.finish(&found.report, &engine, console)
}
