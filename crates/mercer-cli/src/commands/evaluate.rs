//! `mercer evaluate`: cross-validates a kernel and a learner.

use std::path::{Path, PathBuf};

use clap::Args;
use mercer::data::{Dataset, Target};
use mercer::error::bytes;
use mercer::expression::{Expression, Learner};
use mercer::gram::Engine;
use mercer::insight::{self, EvaluationDocument};
use mercer::select::auto;
use mercer::select::{BestOf, Evaluate, EvaluationReport, LeaveOneOut, Plan, Protocol, Score, Strategy};
use mercer::{Code, Error, Place, Result};
use serde_json::json;

use super::fit::{check_some_target, default_kernel, default_learner, standard_learner};
use super::paths::Paths;
use super::report::Reporting;
use super::sets::{drop_missing, read_scored, training};
use super::{check_folder, check_protocol, in_file, note_unused, quoted, write_file};
use crate::args::DataArgs;
use crate::console::Console;
use crate::table::{RowStyle, Table};

/// Arguments of `mercer evaluate`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer evaluate iris.csv -k 'standardize(rbf(gamma=2^-5..2^3))' \\
    -l 'svc(C=2^-2..2^8)'
  mercer evaluate credit.csv -k 'standardize(linear)' -l 'svc(C=1)' \\
    --protocol 5x2 --scores auc,f1
  mercer evaluate nodes.csv --edges edges.csv --split-column split \\
    -k 'node-diffusion(beta=[0.5, 1, 2])' -l 'svc(C=[1, 10])'
  mercer evaluate walks.csv --group person --protocol leave-one-group-out \\
    -k linear -l ridge
  mercer evaluate glass.csv -l 'svc(C=[1, 10])' --best-of p \\
    -k 'normalize(walk(standardize(rbf(gamma=2^-5..2^1)), p=1..5))'
  mercer evaluate train.csv --test test.csv -l 'svc(C=2^-2..2^8)' \\
    -k 'standardize(rbf(gamma=2^-5..2^3))'
  mercer evaluate sales.csv --time-column day --protocol 'forward(5)' \\
    -k 'standardize(linear)' -l ridge
  mercer evaluate prices.csv -k linear -l 'ridge(lambda=0.1, intercept=yes)' \\
    --residuals residuals.csv
  mercer evaluate big.csv -k 'rbf(gamma=2^-15..2^3)' -l 'svc(C=2^-5..2^15)' \\
    --search halving --journal big.journal

Ranges (2^-5..2^3) and lists ([1, 10]) are searched by cross-validation inside each training set; everything is fitted to \
training sets only. The majority-class or mean baseline is scored on the same splits.")]
pub(crate) struct EvaluateArgs {
    /// Kernel, optionally with parameter ranges to search [default: one that suits the columns]
    #[arg(short, long, value_name = "EXPRESSION", help_heading = "Evaluating")]
    kernel: Option<String>,
    /// Learner, optionally with parameter ranges to search [default: svc for classes, svr for numbers]
    #[arg(short, long, value_name = "EXPRESSION", help_heading = "Evaluating")]
    learner: Option<String>,
    #[command(flatten)]
    how: How,
    /// Also report which value of this parameter scores best on the test sets, such as p of walk(…, p=1..7); all others
    /// are chosen inside the training sets. Its score is optimistic, because the test results choose it
    #[arg(long, value_name = "PARAMETER", help_heading = "Evaluating")]
    best_of: Option<String>,
    /// Also write the exact leave-one-out residuals of ridge, y minus the prediction from the other objects; computed
    /// from one factorisation
    #[arg(long, value_name = "FILE.csv", help_heading = "Evaluating")]
    residuals: Option<PathBuf>,
    /// Journal file of finished fits; an interrupted run resumes from it
    #[arg(long, value_name = "FILE", help_heading = "Evaluating")]
    journal: Option<PathBuf>,
    /// Test set, with the columns of DATA in any order: DATA is the training set, and nothing is fitted to FILE
    #[arg(long, value_name = "FILE", help_heading = "Evaluating")]
    test: Option<PathBuf>,
    #[command(flatten)]
    reporting: Reporting,
    #[command(flatten)]
    data: DataArgs,
}

/// How methods are evaluated.
#[derive(Debug, Args)]
#[command(next_help_heading = "Evaluating")]
pub(crate) struct How {
    /// Outer splits: 10-fold, 3x10-fold, 5x2, leave-one-out, holdout(0.3), group-5-fold, forward(5), … [default: train-test
    /// with --test or --split-column, forward(5) with --time-column, otherwise 10-fold, of whole groups if there are
    /// groups]
    #[arg(long, value_name = "PROTOCOL")]
    protocol: Option<String>,
    /// Inner splits of each training set, for choosing parameters
    #[arg(long, value_name = "PROTOCOL", default_value = "5-fold")]
    inner: String,
    /// Score to choose parameters by [default: accuracy, balanced-accuracy if one class has more than three quarters of
    /// the objects, or rmse for numbers]
    #[arg(long, value_name = "MEASURE")]
    score: Option<String>,
    /// Search strategy: grid (every configuration), random(N), halving or halving(N)
    #[arg(long, value_name = "HOW", default_value = "grid")]
    search: String,
    /// Try at most N configurations, drawn at random
    #[arg(long, alias = "max-cells", value_name = "N")]
    max_configurations: Option<usize>,
    /// Other scores to report [default: balanced-accuracy and auc, or mae and r2 for numbers]
    #[arg(long, value_name = "MEASURES", value_delimiter = ',')]
    pub(super) scores: Option<Vec<String>>,
}

/// The parsed options of [`How`].
pub(crate) struct Wanted {
    protocol: Option<Protocol>,
    inner: Protocol,
    score: Option<Score>,
    also: Option<Vec<Score>>,
    strategy: Strategy,
}

impl How {
    /// Parses the options, before any data is read.
    pub(crate) fn wanted(&self) -> Result<Wanted> {
        let mut strategy: Strategy = self.search.parse()?;
        if let Some(most) = self.max_configurations {
            if most == 0 {
                return Err(Error::param("--max-configurations", most, "a whole number from 1"));
            }
            strategy = strategy.at_most(most);
        }
        let parsed = |names: &Vec<String>| names.iter().map(|name| name.parse()).collect::<Result<_>>();
        Ok(Wanted {
            protocol: self.protocol.as_deref().map(str::parse).transpose()?,
            inner: self.inner.parse()?,
            score: self.score.as_deref().map(str::parse).transpose()?,
            also: self.scores.as_ref().map(parsed).transpose()?,
            strategy,
        })
    }
}

impl Wanted {
    /// The settings for the data: given options, and defaults that suit the data.
    pub(crate) fn settings(&self, path: &Path, data: &Dataset, seed: u64) -> Result<Evaluate> {
        let suited = Evaluate::of(data).map_err(|_| {
            Error::parse(Place::file(path), Code::Target, "no target column to predict")
                .with_hint("name the column with --target")
        })?;
        check_protocol(data, self.protocol.as_ref())?;
        Ok(Evaluate {
            protocol: self.protocol.unwrap_or(suited.protocol),
            inner: self.inner,
            score: self.score.unwrap_or(suited.score),
            also: self.also.clone().unwrap_or(suited.also),
            strategy: self.strategy,
            seed,
            level: suited.level,
            given: None,
        })
    }
}

/// Adds the file to an error of data and options together.
pub(crate) fn of_file(path: &Path, error: Error) -> Error {
    match error {
        Error::Usage { reason } => Error::parse(Place::file(path), Code::Usage, reason),
        other => in_file(path, other),
    }
}

impl EvaluateArgs {
    pub(crate) fn paths(&self) -> Paths<'_> {
        let paths = Paths::default().reads(self.data.inputs()).reads(&self.test).writes(&self.residuals);
        // A folder of journals is not an output file.
        paths.writes(self.journal.iter().filter(|j| !j.is_dir())).writes(&self.reporting.report)
    }
}

pub(crate) fn run(args: &EvaluateArgs, console: &Console) -> Result<()> {
    let path = &args.data.data;
    let kernel = args.kernel.as_deref().map(str::parse).transpose()?;
    let learner = args.learner.as_deref().map(str::parse).transpose()?;
    let wanted = args.how.wanted()?;
    args.reporting.check()?;
    args.residuals.iter().try_for_each(|path| check_folder(path))?;
    let options = args.data.reading.options()?;
    let engine = console.engine()?;
    let data = read_scored(path, args.test.as_deref(), &options, console)?;
    let settings = wanted.settings(path, &data, console.seed)?;
    check_some_target(path, &data)?;
    let learner = learner.map_or_else(|| proposed_learner(&data, console), Ok)?;
    let kernel = kernel.map_or_else(|| proposed_kernel(&data, &engine, console), Ok)?;
    let data = drop_missing(data, args.data.reading.drops_missing(), &[&kernel], console)
        .map_err(|e| of_file(path, e))?;
    note_unused(&kernel, &data, console).map_err(|e| of_file(path, e))?;
    if let Some(parameter) = &args.best_of {
        Evaluate::check_best_of(parameter, &kernel, &learner)?;
    }
    let left_out = match &args.residuals {
        Some(file) => Some(residuals(file, path, &data, (&kernel, &learner), &engine, console)?),
        None => None,
    };
    let plan = settings.plan(&data, &kernel, &learner, &engine).map_err(|e| of_file(path, e))?;
    console.note(planned(&settings, &plan));
    let journal = args.journal.as_deref();
    let report = settings.run(&data, &kernel, &learner, &engine, journal).map_err(|e| of_file(path, e))?;
    let propagated = settings.label_propagation(&data).map_err(|e| of_file(path, e))?;
    let best = match &args.best_of {
        Some(parameter) => Some(
            settings
                .best_of(parameter, &data, &kernel, &learner, &engine, journal)
                .map_err(|e| of_file(path, e))?,
        ),
        None => None,
    };
    show(path, &data, &report, console)?;
    if let Some(best) = &best {
        show_best(best, &report, console)?;
    }
    if let (Some(found), Some(file)) = (&left_out, &args.residuals) {
        let accuracy =
            found.accuracy.map_or_else(String::new, |a| format!(", accuracy {}", number_of(Some(a))));
        let (name, rmse) = (file.display(), number_of(Some(found.rmse)));
        console.line(format!(
            "{name}: leave-one-out residuals of {} objects, rmse {rmse}{accuracy}",
            data.len()
        ))?;
    }
    if let Some(accuracy) = propagated {
        let alpha = Evaluate::SPREAD;
        console.line(format!(
            "label propagation (alpha = {alpha}) on the same splits: accuracy {}",
            number_of(Some(accuracy))
        ))?;
    }
    report.warnings.iter().for_each(|w| console.warn(w));
    let named = |document: EvaluationDocument| {
        let mut document = json!(document);
        document["data"] = path.display().to_string().into();
        document["label_propagation"] = propagated.into();
        document["best_of"] = json!(best);
        document["leave_one_out"] = json!(left_out);
        document
    };
    if args.reporting.is_wanted() {
        let wait = console.waiting("computing the figures of the report".into());
        let whole = insight::evaluation(&data, &report, &engine)?;
        drop(wait);
        args.reporting.write(console.whole_document("evaluate", named(whole)), &engine, console)?;
    }
    console.document("evaluate", named(insight::outcome(&data, &report)))
}

/// The default kernel. Its parameters come from the training set where the data has one, and a warning says so where they
/// come from objects that are tested.
fn proposed_kernel(data: &Dataset, engine: &Engine, console: &Console) -> Result<Expression> {
    if data.test().is_some() {
        return default_kernel(&data.training_set(), engine, console);
    }
    let kernel = default_kernel(data, engine, console)?;
    let half: Vec<usize> = (0..data.len()).step_by(2).collect();
    if auto::default_kernel(&data.select(&half), engine)?.as_ref() != Some(&kernel) {
        let message = "the parameters of the default kernel come from all objects, those of the test sets included: \
                       name the kernel with -k, with ranges to be searched inside the training sets";
        console.warn_text("W_DEFAULT", message);
    }
    Ok(kernel)
}

/// The default learner. Its parameters come from the training set where the data has one, and a warning says so where they
/// come from objects that are tested.
fn proposed_learner(data: &Dataset, console: &Console) -> Result<Learner> {
    let half: Vec<usize> = (0..data.len()).step_by(2).collect();
    if data.test().is_none() && standard_learner(&data.select(&half)) != standard_learner(data) {
        let message = "the parameters of the default learner come from the targets of all objects, those of the test sets \
                       included: name the learner with -l, with ranges to be searched inside the training sets";
        console.warn_text("W_DEFAULT", message);
    }
    default_learner(&training(data), console)
}

/// Computes and writes the leave-one-out residuals of ridge regression.
fn residuals(
    file: &Path,
    path: &Path,
    data: &Dataset,
    (kernel, learner): (&Expression, &Learner),
    engine: &Engine,
    console: &Console,
) -> Result<LeaveOneOut> {
    let found = Evaluate::leave_one_out(data, kernel, learner, engine).map_err(|e| of_file(path, e))?;
    if found.kernel_saw_all {
        let message = "the kernel was fitted to all objects, including those left out: the residuals hold for this fixed kernel";
        console.warn_text("W_RESIDUALS", message);
    }
    write_file(file, |out| {
        let names: Vec<String> = found.columns.iter().map(|name| quoted(name)).collect();
        writeln!(out, "object,{}", names.join(","))?;
        (0..data.len()).try_for_each(|i| {
            let name = data.ids().map_or_else(|| (i + 1).to_string(), |ids| quoted(&ids[i]));
            let row: Vec<String> = found.residuals.row(i).iter().map(f64::to_string).collect();
            writeln!(out, "{name},{}", row.join(","))
        })
    })?;
    Ok(found)
}

/// Prints the test score of every value of the parameter, and the best one.
fn show_best(best: &BestOf, report: &EvaluationReport, console: &Console) -> Result<()> {
    let mut table = Table::new(&[best.parameter.clone(), format!(">{} on test sets", best.score)]);
    for (at, (value, mean)) in best.values.iter().enumerate() {
        let style = if Some(at) == best.best { RowStyle::Best } else { RowStyle::Plain };
        table.row(vec![value.clone(), number_of(*mean)], style);
    }
    console.line("")?;
    console.table(table)?;
    let nested = number_of(report.measures.first().and_then(|m| m.mean));
    match best.best() {
        Some((value, mean)) => console.line(format!(
            "best {} = {value}: {} {}, {}; chosen inside the training sets: {nested}",
            best.parameter,
            best.score,
            number_of(Some(mean)),
            BestOf::NOTE
        )),
        None => console.line(format!("no value of {} has a score", best.parameter)),
    }
}

fn planned(settings: &Evaluate, plan: &Plan) -> String {
    let memory = format!("matrices of {} at most", bytes(plan.bytes));
    if plan.inner_splits == 0 {
        return format!("plan: {} splits ({}), {} fits, {memory}", plan.splits, settings.protocol, plan.fits);
    }
    let configurations = match plan.tried == plan.configurations {
        true => format!("{} configurations", plan.configurations),
        false => format!("{} of {} configurations", plan.tried, plan.configurations),
    };
    format!(
        "plan: {configurations} ({}) on {} inner splits ({}) of {} outer ones ({}), {} fits, {memory}",
        settings.strategy, plan.inner_splits, plan.inner, plan.splits, settings.protocol, plan.fits
    )
}

/// Splits are listed one by one up to this number.
const LISTED: usize = 30;

fn show(path: &Path, data: &Dataset, report: &EvaluationReport, console: &Console) -> Result<()> {
    let name = data.target_name().unwrap_or("target");
    let target = match data.target() {
        Some(Target::Classes(_)) => format!("{name}, {} classes", report.classes.len()),
        _ => format!("{name}, a number"),
    };
    console.line(format!("{}: {} objects; predicting {target}", path.display(), report.objects))?;
    let word = if report.transductive { "; transductive" } else { "" };
    let chosen = match report.plan.inner_splits {
        0 => String::new(),
        _ => format!("; parameters chosen by {}, {}", report.settings.score, report.plan.inner),
    };
    let method = format!("{} | {}", report.method.kernel.brief(), report.method.learner);
    console.line(format!("{method}; {}{chosen}{word}", report.settings.protocol))?;
    if report.folds.len() > 1 {
        console.line("")?;
        console.table(if report.folds.len() <= LISTED { folds(report) } else { choices(report) })?;
    }
    console.line("")?;
    console.table(summary(report))?;
    let interval = report.measures.iter().find_map(|m| m.interval);
    let of = if report.pooled { "all test objects together" } else { "means over splits" };
    let intervals = interval.map_or_else(String::new, |_| {
        let mut methods: Vec<&str> =
            report.measures.iter().filter_map(|m| Some(m.interval?.method)).collect();
        methods.dedup();
        format!("; intervals: {}", methods.join(", "))
    });
    console.line(format!("{of}{intervals}{word}"))?;
    console.line("")?;
    console.line(&report.verdict.sentence)
}

/// One row per split, with the chosen kernel and learner.
fn folds(report: &EvaluationReport) -> Table {
    let repeated = report.settings.protocol.repetitions() > 1;
    let chosen = report.plan.inner_splits > 0;
    let mut heading = vec![if repeated { "fold" } else { ">fold" }.to_owned()];
    if chosen {
        heading.extend(["kernel".into(), "learner".into(), format!(">inner {}", report.settings.score)]);
    }
    heading.extend(report.measures.iter().map(|m| format!(">{}", m.score)));
    let mut table = Table::new(&heading);
    for fold in &report.folds {
        let number = match repeated {
            true => format!("{}.{}", fold.repetition + 1, fold.fold + 1),
            false => (fold.fold + 1).to_string(),
        };
        let mut cells = vec![number];
        if chosen {
            cells.extend([Expression::brief_text(&fold.kernel), fold.learner.clone(), number_of(fold.inner)]);
        }
        cells.extend(fold.scores.iter().map(|&s| number_of(s)));
        table.row(cells, RowStyle::Plain);
    }
    table
}

/// The chosen kernels and learners, most frequent first.
fn choices(report: &EvaluationReport) -> Table {
    let mut counts: Vec<(usize, &str, &str)> = Vec::new();
    for fold in &report.folds {
        match counts.iter_mut().find(|c| (c.1, c.2) == (&*fold.kernel, &*fold.learner)) {
            Some(known) => known.0 += 1,
            None => counts.push((1, &fold.kernel, &fold.learner)),
        }
    }
    counts.sort_by_key(|c| std::cmp::Reverse(c.0));
    let mut table = Table::new(&[">splits", "kernel", "learner"]);
    for (count, kernel, learner) in counts.iter().take(LISTED) {
        table.row(
            vec![count.to_string(), Expression::brief_text(kernel), (*learner).to_owned()],
            RowStyle::Plain,
        );
    }
    table
}

/// Means, intervals and the baseline.
fn summary(report: &EvaluationReport) -> Table {
    let level = format!(">{} % interval", 100.0 * report.settings.level);
    let baseline = match report.baseline {
        "majority" => ">majority class",
        _ => ">training mean",
    };
    let mut table = Table::new(&["measure", ">value", ">± sd", &level, baseline]);
    for measure in &report.measures {
        let interval = measure.interval.map_or_else(
            || "–".into(),
            |i| format!("{} … {}", number_of(Some(i.low)), number_of(Some(i.high))),
        );
        let cells = vec![
            measure.score.to_string(),
            number_of(measure.mean),
            number_of(measure.sd),
            interval,
            number_of(measure.baseline_mean),
        ];
        let first = measure.score == report.settings.score;
        table.row(cells, if first { RowStyle::Best } else { RowStyle::Plain });
    }
    table
}

/// A score as text, with three decimals where they suffice.
pub(super) fn number_of(value: Option<f64>) -> String {
    match value {
        None => "–".into(),
        // The standard deviation of equal values may be a rounding error.
        Some(v) if v.abs() < 1e-12 => "0.000".into(),
        Some(v) if (0.01..1000.0).contains(&v.abs()) => format!("{v:.3}"),
        Some(v) if v.abs() < 1e6 && v.abs() >= 1.0 => format!("{v:.0}"),
        Some(v) => format!("{v:.2e}"),
    }
}
