//! `mercer explain`: what a model learned, on data.

use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};
use mercer::data::Dataset;
use mercer::gram::Silent;
use mercer::insight::{
    ExampleObject, ModelExplanation, ModelExplanationOptions, ScoreAgainstBaseline, short,
};
use mercer::model::{BACKGROUND, BackgroundChoice, BlendMember, ColumnEffect, ExplainedOutput, Model};
use mercer::{Result, Warning};
use serde_json::json;

use super::paths::Paths;
use super::predict::{read_objects, suited, without_missing};
use super::report::Reporting;
use super::{counted, in_file};
use crate::args::DataArgs;
use crate::console::{BOLD, Console};
use crate::table::{RowStyle, Table, bar};

/// Arguments of `mercer explain`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer explain iris.mercer iris
  mercer explain risk.mercer patients.csv --background healthy.csv
  mercer explain risk.mercer patients.csv --probabilities --columns 20
  mercer explain risk.mercer patients.csv --report why.html
  mercer predict risk.mercer new.csv --explain-by columns   of one object

The importance of a column is the mean of its absolute Shapley value over the objects of DATA. If DATA has the target, each \
column is also shuffled, and the model compared with its baseline. Take objects that the model was not fitted to where there \
are some: on its training data a model looks better than it is.")]
#[command(next_help_heading = "Explaining")]
pub(crate) struct ExplainArgs {
    /// A model written by `mercer fit` or `mercer auto`
    model: PathBuf,
    /// Number of columns listed
    #[arg(long, value_name = "N", default_value_t = 12)]
    columns: usize,
    /// Number of columns whose effect is shown, the most important ones
    #[arg(long, value_name = "N", default_value_t = 4)]
    effects: usize,
    /// Explain the probabilities of classes instead of decision values, of a model fitted with them
    #[arg(long)]
    probabilities: bool,
    /// At most this many objects are explained, drawn at random
    #[arg(long, value_name = "N", default_value_t = 500)]
    objects: usize,
    /// Data whose objects take the place of columns that are left out, such as the training data [default: DATA]
    #[arg(long, value_name = "FILE")]
    background: Option<PathBuf>,
    /// The number of objects of the background
    #[arg(long, value_name = "N", default_value_t = BACKGROUND)]
    background_size: usize,
    /// How the objects of the background are chosen: at random, or as prototypes in the similarity of the kernel
    #[arg(long, value_enum, value_name = "HOW", default_value_t = ChoiceName::Random)]
    background_by: ChoiceName,
    /// Pairs of orders of the columns, for models whose Shapley values are sampled
    #[arg(long, value_name = "N", default_value_t = 10)]
    orders: usize,
    /// Shuffles of each column; 0 for no permutation importance
    #[arg(long, value_name = "N", default_value_t = 5)]
    repeats: usize,
    /// Write a report: a self-contained page (.html), or a document for mercer report (.json)
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    #[command(flatten)]
    data: DataArgs,
}

/// How the objects of a background are chosen, as an option.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChoiceName {
    Random,
    Prototypes,
}

impl ExplainArgs {
    pub(crate) fn paths(&self) -> Paths<'_> {
        Paths::default()
            .reads(self.data.inputs())
            .reads([&self.model])
            .reads(&self.background)
            .writes(&self.report)
    }
}

pub(crate) fn run(args: &ExplainArgs, console: &Console) -> Result<()> {
    let reporting = Reporting::page(args.report.clone());
    reporting.check()?;
    let engine = console.engine()?.with_progress(Arc::new(Silent));
    let model = Model::load(&args.model, &engine)?;
    let given = args.data.reading.options()?;
    let read = |path: &PathBuf| -> Result<Dataset> {
        let options = suited(&given, &model, path, console);
        let data = read_objects(path, &given, &options, &model, console)?;
        without_missing(data, &options, &model, console)
    };
    let path = &args.data.data;
    let data = read(path)?;
    let background = args.background.as_ref().map(read).transpose()?;
    let output = if args.probabilities { ExplainedOutput::Probability } else { ExplainedOutput::Decision };
    let options = ModelExplanationOptions {
        output,
        objects: args.objects,
        background: args.background_size,
        background_by: match args.background_by {
            ChoiceName::Random => BackgroundChoice::Random,
            ChoiceName::Prototypes => BackgroundChoice::Prototypes,
        },
        orders: args.orders,
        effects: args.effects,
        repeats: args.repeats,
        seed: console.seed,
        ..ModelExplanationOptions::default()
    };
    let why = ModelExplanation::of(&model, &data, background.as_ref(), &options, &engine);
    let why = why.map_err(|e| in_file(path, e))?;
    show(&why, args, &model, console)?;
    let mut document = json!(why);
    document["warnings"] = json!(data.warnings().iter().cloned().chain(no_better(&why)).collect::<Vec<_>>());
    document["model"] = json!(args.model);
    document["data"] = json!(path);
    document["kernel"] = model.expression().brief().into();
    document["learner"] = model.learner().to_string().into();
    if !model.members().is_empty() {
        let member = |m: &BlendMember| json!({"weight": m.weight, "kernel": m.model.expression().brief(), "learner": m.model.learner().to_string()});
        document["members"] = model.members().iter().map(member).collect();
    }
    document["target"] = json!(model.target().map(|t| &t.name));
    if reporting.is_wanted() {
        reporting.write(console.whole_document("explain", document.clone()), &engine, console)?;
    }
    console.document("explain", document)
}

fn compared(score: &ScoreAgainstBaseline) -> String {
    format!("{} {} (baseline {})", score.name, rounded(score.model), rounded(score.baseline))
}

/// What heads the explanation of a model that is no better than its baseline.
fn no_better(why: &ModelExplanation) -> Option<Warning> {
    let score = why.score.as_ref().filter(|score| !score.better)?;
    let message = format!(
        "the model is no better than its baseline on this data ({}): what follows explains nothing",
        compared(score)
    );
    Some(Warning::new("W_BASELINE", message))
}

fn show(why: &ModelExplanation, args: &ExplainArgs, model: &Model, console: &Console) -> Result<()> {
    let drawn = match why.objects < why.of {
        true => format!("{} of {}", why.objects, counted(why.of, "object")),
        false => counted(why.of, "object"),
    };
    console.line(format!(
        "{BOLD}{}{BOLD:#}: {} on {}, explained on {drawn}",
        args.model.display(),
        model.learner().to_string().split('(').next().unwrap_or_default(),
        model.expression().brief(),
    ))?;
    for member in model.members() {
        let (learner, kernel) = (member.model.learner(), member.model.expression().brief());
        console.line(format!("  {:.2} of {learner} on {kernel}", member.weight))?;
    }
    if let Some(score) = &why.score {
        match no_better(why) {
            Some(warning) => console.warn(&warning),
            None => console.line(compared(score))?,
        }
    }
    let shuffled = why.columns.iter().any(|c| c.permutation.is_some());
    let cost = match why.score.as_ref().map(|s| s.name) {
        Some("accuracy") => "errors when shuffled",
        _ => "squared error when shuffled",
    };
    let mut heading = vec!["column", ">importance", ">share", ""];
    heading.extend(shuffled.then_some(cost));
    let mut table = Table::new(&heading);
    let most = why.columns.first().map_or(0.0, |c| c.share);
    for column in why.columns.iter().take(args.columns) {
        let length = if most > 0.0 { column.share / most } else { 0.0 };
        let mut cells = vec![
            column.column.clone(),
            rounded(column.importance),
            format!("{:.1} %", 100.0 * column.share),
            bar(length, 12),
        ];
        if let Some(p) = &column.permutation {
            cells.push(format!("{} ({} … {})", signed(p.increase), signed(p.low), signed(p.high)));
        }
        table.row(cells, RowStyle::Plain);
    }
    let rest = why.columns.iter().skip(args.columns);
    let (count, share) = (rest.clone().count(), rest.map(|c| c.share).sum::<f64>());
    if count > 0 {
        let mut cells =
            vec![format!("{count} others"), String::new(), format!("{:.1} %", 100.0 * share), String::new()];
        cells.extend(shuffled.then(String::new));
        table.row(cells, RowStyle::Faint);
    }
    console.table(table)?;
    let of = if args.probabilities { "probabilities" } else { "the model's output" };
    console.line(format!(
        "importance: mean |Shapley value| of {of}, {}; background: {}; values sum to output minus base value within {:.0e}",
        why.method, why.background, why.gap
    ))?;
    for pair in &why.correlated {
        console.line(format!(
            "{} and {} are correlated ({:+.2}): the model may use either, so read their shares together",
            pair.first, pair.second, pair.correlation
        ))?;
    }
    show_effects(&why.effects, console)?;
    show_examples(why, console)
}

/// A line per output, with bars for partial dependence from its smallest to its largest value.
fn show_effects(effects: &[ColumnEffect], console: &Console) -> Result<()> {
    for same in effects.chunk_by(|a, b| a.column == b.column) {
        let points = &same[0].points;
        let ends = match (points.first(), points.last()) {
            (Some(a), Some(b)) if a.number.is_some() => {
                format!("from {} to {}", shown(a.number, &a.at), shown(b.number, &b.at))
            }
            _ => points.iter().map(|p| p.at.clone()).collect::<Vec<_>>().join(", "),
        };
        console.line("")?;
        console.line(format!("{BOLD}{}{BOLD:#}, {ends}", same[0].column))?;
        let mut table =
            Table::new(&["output", "partial dependence", ">from", ">to", "local effect", ">from", ">to"]);
        for effect in same {
            let dependence: Vec<f64> = effect.points.iter().map(|p| p.dependence).collect();
            let local: Option<Vec<f64>> = effect.points.iter().map(|p| p.effect).collect();
            let ends = |values: &[f64]| {
                [values.first(), values.last()].map(|v| v.map_or_else(String::new, |v| signed(*v)))
            };
            let mut cells =
                vec![effect.output.clone().unwrap_or_else(|| "prediction".into()), plot(&dependence)];
            cells.extend(ends(&dependence));
            cells.push(local.as_deref().map_or_else(String::new, plot));
            cells.extend(ends(local.as_deref().unwrap_or_default()));
            table.row(cells, RowStyle::Plain);
        }
        console.table(table)?;
    }
    Ok(())
}

/// Prototypes and criticisms of each class.
fn show_examples(why: &ModelExplanation, console: &Console) -> Result<()> {
    let name = |o: &ExampleObject| o.id.clone().unwrap_or_else(|| (o.object + 1).to_string());
    let list = |all: &[ExampleObject]| all.iter().map(name).collect::<Vec<_>>().join(", ");
    console.line("")?;
    let mut table = Table::new(&["predicted", "prototypes (objects)", "criticisms (far from them)"]);
    for class in &why.examples.classes {
        let cells = vec![
            class.class.clone().unwrap_or_else(|| "all objects".into()),
            list(&class.prototypes),
            list(&class.criticisms),
        ];
        table.row(cells, RowStyle::Plain);
    }
    console.table(table)
}

fn shown(number: Option<f64>, text: &str) -> String {
    number.map_or_else(|| text.to_owned(), rounded)
}

/// Values as bars of eight heights, from the smallest to the largest.
fn plot(values: &[f64]) -> String {
    const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let low = values.iter().copied().fold(f64::INFINITY, f64::min);
    let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let height = |v: &f64| {
        let share = if high > low { (v - low) / (high - low) } else { 0.0 };
        HEIGHTS[((share * 7.0).round() as usize).min(7)]
    };
    values.iter().map(height).collect()
}

/// A number with its sign, in three digits.
fn signed(value: f64) -> String {
    match rounded(value) {
        text if value >= 0.0 && !text.starts_with('+') => format!("+{text}"),
        text => text,
    }
}

/// A number in three digits.
fn rounded(value: f64) -> String {
    short(format!("{value:.2e}").parse().unwrap_or(value))
}
