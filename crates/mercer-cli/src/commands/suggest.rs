//! `mercer suggest`: which candidates to measure next.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use mercer::data::Dataset;
use mercer::gram::Silent;
use mercer::model::{Acquisition, Goal, Model, Suggest, Suggestion};
use mercer::{Code, Error, Place, Result};
use serde_json::json;

use super::paths::Paths;
use super::predict::{is_json, read_objects, suited, without_missing};
use super::{check_ending, in_file, quoted, write_file};
use crate::args::DataArgs;
use crate::console::Console;

/// Arguments of `mercer suggest`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer suggest yield.mercer candidates.csv --maximize
  mercer suggest yield.mercer candidates.csv --maximize --batch 8 -o next.csv
  mercer suggest energy.mercer new.smi --minimize --by confidence-bound
  mercer suggest yield.mercer candidates.csv --by variance --batch 20

The model must be of the learner gp: `mercer fit measured.csv -k rbf -l gp -o yield.mercer`. The table has a line for each \
candidate, the best first: its id or row, the predicted mean, the standard deviation of the function there without noise, \
and the score. Candidates are read as the training data was; a target column is not needed and not used. A batch is chosen \
one by one: after each choice the model is told that it found there what it expects, so that the next is not nearly the \
same.")]
pub(crate) struct SuggestArgs {
    /// A model of gp, written by `mercer fit`
    model: PathBuf,
    /// The largest values are wanted
    #[arg(long, alias = "maximise", help_heading = "Suggesting", conflicts_with = "minimize")]
    maximize: bool,
    /// The smallest values are wanted
    #[arg(long, alias = "minimise", help_heading = "Suggesting")]
    minimize: bool,
    /// What candidates are ranked by: how much they are expected to exceed the best value, the mean plus (with --minimize
    /// minus) beta standard deviations, or the variance alone
    #[arg(
        long,
        value_enum,
        value_name = "SCORE",
        default_value = "expected-improvement",
        help_heading = "Suggesting"
    )]
    by: By,
    /// How much uncertainty counts in confidence-bound
    #[arg(long, value_name = "B", default_value_t = 2.0, help_heading = "Suggesting")]
    beta: f64,
    /// The value to exceed [default: the best predicted mean of the training objects]
    #[arg(long, value_name = "V", help_heading = "Suggesting", allow_negative_numbers = true)]
    best: Option<f64>,
    /// Choose N candidates to be measured together; without it all candidates are ranked, each by itself
    #[arg(long, value_name = "N", help_heading = "Suggesting")]
    batch: Option<usize>,
    /// File to write: .csv or .json; without it CSV on standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Suggesting")]
    output: Option<PathBuf>,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum By {
    ExpectedImprovement,
    ConfidenceBound,
    Variance,
}

impl SuggestArgs {
    pub(crate) fn paths(&self) -> Paths<'_> {
        Paths::default().reads(self.data.inputs()).reads([&self.model]).writes(&self.output)
    }

    fn how(&self) -> Result<Suggest> {
        let by = match self.by {
            By::ExpectedImprovement => Acquisition::ExpectedImprovement,
            By::ConfidenceBound => Acquisition::ConfidenceBound { beta: self.beta },
            By::Variance => Acquisition::Variance,
        };
        let goal = match (self.maximize, self.minimize, by) {
            (true, false, _) => Goal::Largest,
            (false, true, _) => Goal::Smallest,
            // Its sign does not matter.
            (_, _, Acquisition::Variance) => Goal::Largest,
            _ => return Err(Error::usage("say which values are wanted: --maximize or --minimize")),
        };
        Ok(Suggest { goal, by, batch: self.batch, best: self.best })
    }
}

pub(crate) fn run(args: &SuggestArgs, console: &Console) -> Result<()> {
    if let Some(path) = &args.output {
        check_ending(path, &["csv", "json"], "suggestions are")?;
    }
    let how = args.how()?;
    let engine = console.engine()?;
    let model = Model::load(&args.model, &engine.clone().with_progress(Arc::new(Silent)))?;
    if model.trained().process().is_none() {
        let name = model.learner().name();
        let reason = format!("candidates are ranked by their variance, and {name} predicts none");
        let error = Error::parse(Place::file(&args.model), Code::Usage, reason);
        return Err(error.with_hint("fit the model with -l gp, to a target of numbers"));
    }
    let path = &args.data.data;
    let given = args.data.reading.options()?;
    let options = suited(&given, &model, path, console);
    let data = read_objects(path, &given, &options, &model, console)?;
    let data = without_missing(data, &options, &model, console)?;
    let id = options.id.as_deref().unwrap_or("id");
    model.unseen(&data).iter().for_each(|w| console.warn(w));
    let found = model.suggest(&data, &how, &engine).map_err(|e| in_file(path, e))?;
    let document = || {
        let row = |s: &Suggestion| {
            json!({
                "row": row_of(&data, s.index), "id": data.ids().map(|ids| &ids[s.index]),
                "mean": s.mean, "std": s.deviation, "score": s.score,
            })
        };
        json!({
            "model": args.model, "candidates": data.len(), "target": model.target().map(|t| &t.name),
            "by": how.by.name(), "goal": match how.goal { Goal::Largest => "maximize", Goal::Smallest => "minimize" },
            "batch": how.batch, "suggestions": found.iter().map(row).collect::<Vec<_>>(),
            "output": args.output, "warnings": data.warnings(),
        })
    };
    match &args.output {
        Some(file) if is_json(file) => {
            write_file(file, |out| writeln!(out, "{:#}", console.whole_document("suggest", document())))?;
        }
        Some(file) => write_file(file, |out| write_table(out, id, &data, &how, &found))?,
        None if console.is_json() => {}
        None => {
            let mut text = Vec::new();
            // Writing to memory does not fail.
            let _ = write_table(&mut text, id, &data, &how, &found);
            console.raw(&text)?;
        }
    }
    if let Some(file) = &args.output {
        console.line(format!("{}: {} of {} candidates", file.display(), found.len(), data.len()))?;
    }
    console.document("suggest", document())
}

/// The row of a candidate in its file, from 1.
fn row_of(data: &Dataset, index: usize) -> usize {
    data.rows().map_or(index, |rows| rows[index]) + 1
}

fn write_table(
    out: &mut dyn Write,
    id: &str,
    data: &Dataset,
    how: &Suggest,
    found: &[Suggestion],
) -> std::io::Result<()> {
    let first = data.ids().map_or_else(|| "row".to_owned(), |_| quoted(id));
    writeln!(out, "{first},prediction,std,{}", how.by.name())?;
    for s in found {
        let name = data.ids().map_or_else(|| row_of(data, s.index).to_string(), |ids| quoted(&ids[s.index]));
        writeln!(out, "{name},{},{},{}", s.mean, s.deviation, s.score)?;
    }
    Ok(())
}
