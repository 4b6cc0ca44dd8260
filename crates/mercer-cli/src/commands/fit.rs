//! `mercer fit`: fits a kernel and a learner to data and saves the model.

use std::path::{Path, PathBuf};
use std::time::Instant;

use clap::{Args, ValueEnum};
use mercer::data::{Dataset, Target};
use mercer::doctor;
use mercer::expression::{Expression, Learner, Predicts};
use mercer::gram::{Certificate, Engine};
use mercer::insight::DataProfile;
use mercer::model::Model;
use mercer::select::{Evaluate, auto};
use mercer::solve::{Columns, FileColumns};
use mercer::{Code, Error, Place, Result};
use serde_json::json;

use super::evaluate::of_file;
use super::inspect::suggested;
use super::model::{describe, show_classifiers, summary};
use super::paths::Paths;
use super::report::Reporting;
use super::sets::{TestArgs, drop_missing, show_test, training};
use super::sure::{self, ConformalArgs};
use super::{check_folder, in_file, note_unused, parse_kernel, parse_learner};
use crate::args::DataArgs;
use crate::console::Console;

/// Arguments of `mercer fit`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer fit iris.csv -k 'standardize(rbf(gamma=0.25))' -l 'svc(C=10)' \\
    -o iris.mercer
  mercer fit patients.csv --target outcome \\
    -k 'rbf(gamma=0.1)@age,weight + delta@sex' -o outcome.mercer
  mercer fit K.npz --precomputed -k precomputed --psd clip -o K.mercer
  mercer fit iris.csv -k 'standardize(rbf(gamma=0.25))' -l 'pca(components=2)' \\
    -o plane.mercer
  mercer fit iris.csv -k 'standardize(rbf)' --probabilities -o iris.mercer
  mercer fit iris.csv -k 'standardize(rbf)' --conformal -o iris.mercer
  mercer fit train.csv --test test.csv --target outcome -o outcome.mercer
  mercer gram big.csv -k 'rbf(gamma=0.1)' --f32 -o K.npy &&
    mercer fit big.csv -k 'rbf(gamma=0.1)' --gram K.npy -o big.mercer

`mercer learners` lists the learners. A model that did not converge is saved too; the exit code is then 1.")]
pub(crate) struct FitArgs {
    /// The kernel [default: one that suits the columns]
    #[arg(short, long, value_name = "EXPRESSION", help_heading = "Fitting")]
    kernel: Option<String>,
    /// The learner [default: svc for classes, svr for numbers, one-class without a target]
    #[arg(short, long, value_name = "EXPRESSION", help_heading = "Fitting")]
    learner: Option<String>,
    /// Also calibrate class probabilities, as probability=yes of the learner does; takes about five more fits
    #[arg(long, help_heading = "Fitting")]
    probabilities: bool,
    #[command(flatten)]
    sure: ConformalArgs,
    /// Model file to write
    #[arg(short, long, value_name = "FILE", help_heading = "Fitting")]
    output: PathBuf,
    /// Negative eigenvalues: check refuses them; clip, flip and shift repair them as repair(…) does
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Fitting")]
    psd: Option<PsdName>,
    /// Gram matrix of these objects under this kernel, written by mercer gram: its rows are read instead of computed,
    /// and it may be larger than memory
    #[arg(long, value_name = "FILE.npy", help_heading = "Fitting", conflicts_with = "psd")]
    gram: Option<PathBuf>,
    /// Write a report: a self-contained page (.html), or a document for mercer report (.json), with the coverage of a test
    /// set
    #[arg(long, value_name = "FILE", help_heading = "Fitting")]
    report: Option<PathBuf>,
    #[command(flatten)]
    limits: LimitArgs,
    #[command(flatten)]
    testing: TestArgs,
    #[command(flatten)]
    data: DataArgs,
}

/// Options that the learner's expression can set too.
#[derive(Debug, Args)]
#[command(next_help_heading = "Limits of the solver")]
struct LimitArgs {
    /// Time limit for each model or binary classifier
    #[arg(long, value_name = "SECONDS")]
    max_seconds: Option<f64>,
    /// Iteration limit for each model or binary classifier
    #[arg(long, value_name = "N")]
    max_iterations: Option<u64>,
    /// Size of the cache for rows of the kernel matrix
    #[arg(long, value_name = "MB")]
    cache_mb: Option<f64>,
    /// Stopping tolerance: largest violation of the optimality conditions
    #[arg(long, value_name = "X")]
    tolerance: Option<f64>,
}

impl LimitArgs {
    fn apply(&self, mut learner: Learner) -> Result<Learner> {
        let iterations = self.max_iterations.map(|n| n as f64);
        for (name, option, value) in [
            ("seconds", "--max-seconds", self.max_seconds),
            ("iterations", "--max-iterations", iterations),
            ("cache", "--cache-mb", self.cache_mb),
            ("tolerance", "--tolerance", self.tolerance),
        ] {
            let Some(value) = value else { continue };
            let known: Vec<_> = learner.facts().parameters.iter().map(|p| p.name).collect();
            // Linear models have epochs, passes over the objects, instead.
            let name = if name == "iterations" && known.contains(&"epochs") { "epochs" } else { name };
            if !known.contains(&name) {
                return Err(Error::usage(format!(
                    "{option} is not for {}, which has no {name}",
                    learner.name()
                )));
            }
            learner = learner.with(name, value)?;
        }
        Ok(learner)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum PsdName {
    Check,
    Clip,
    Flip,
    Shift,
}

impl PsdName {
    fn method(self) -> Option<&'static str> {
        match self {
            PsdName::Check => None,
            PsdName::Clip => Some("clip"),
            PsdName::Flip => Some("flip"),
            PsdName::Shift => Some("shift"),
        }
    }
}

/// From this many objects on, the plan is printed before the work.
const LONG: usize = 5000;

impl FitArgs {
    pub(crate) fn paths(&self) -> Paths<'_> {
        let paths = Paths::default().reads(self.data.inputs()).reads(&self.gram).reads(self.testing.inputs());
        paths.writes([&self.output]).writes(&self.report).writes(self.testing.outputs())
    }
}

pub(crate) fn run(args: &FitArgs, console: &Console) -> Result<()> {
    let path = &args.data.data;
    let learner = args.learner.as_deref().map(parse_learner).transpose()?;
    let expression = args.kernel.as_deref().map(parse_kernel).transpose()?;
    let mut options = args.data.reading.options()?;
    // Learners without a target learn from objects without a target too.
    options.keep_unlabelled = learner.as_ref().is_some_and(|l| !l.facts().predicts.needs_target());
    args.testing.check()?;
    check_folder(&args.output)?;
    let reporting = Reporting::page(args.report.clone());
    reporting.check()?;
    let engine = console.engine()?;
    let mut sets = args.testing.read(path, &options, console)?;
    let checkup = doctor::examine(&sets.data)?;
    let data = training(&sets.data);
    if let (Some(test), None) = (sets.data.test(), &args.testing.test) {
        let tested = test.iter().filter(|t| **t).count();
        console
            .note(format!("using the {} objects of the training set; {tested} are for testing", data.len()));
    }
    let learner = args.limits.apply(learner.map_or_else(|| default_learner(&data, console), Ok)?)?;
    let learner = if args.probabilities { with_probabilities(path, &learner)? } else { learner };
    let expression = expression.map_or_else(|| default_kernel(&data, &engine, console), Ok)?;
    drop(data);
    let whole = std::mem::take(&mut sets.data);
    sets.data = drop_missing(whole, args.data.reading.drops_missing(), &[&expression], console)
        .map_err(|e| of_file(path, e))?;
    let data = training(&sets.data);
    check_target(path, &data, &learner)?;
    if let (false, Some(name)) = (learner.facts().predicts.needs_target(), data.target_name()) {
        console.note(format!("{} learns without a target: '{name}' is ignored", learner.name()));
    }
    let expression = match args.psd {
        Some(PsdName::Check) => {
            check_definite(&expression, &data, &engine).map_err(|e| in_file(path, e))?;
            expression
        }
        Some(other) => repaired(expression, other.method().unwrap_or("clip"))?,
        None => expression,
    };
    note_unused(&expression, &data, console).map_err(|e| in_file(path, e))?;

    if let (true, Ok(cache)) = (data.len() >= LONG, learner.setting("cache")) {
        console.note(format!(
            "plan: kernel rows of {} entries computed on demand, cache of {cache} MB",
            data.len()
        ));
    }
    Model::check_savable(&data)?;
    let started = Instant::now();
    let wait = (!shows_progress(&data, &learner, args))
        .then(|| console.waiting(format!("fitting {learner} to {} objects", data.len())));
    let gram = args.gram.as_deref().map(FileColumns::open).transpose()?;
    let gram = gram.as_ref().map(|file| file as &dyn Columns);
    let conformal = args.sure.settings(gram.is_some())?;
    conformal.iter().flat_map(|c| c.warnings(&data)).for_each(|w| console.warn(&w));
    let fit = |data: &Dataset| match &conformal {
        Some(settings) => settings.fit(data, &expression, &learner, console.seed, &engine),
        None => Model::fit_to(data, &expression, &learner, console.seed, &engine, gram),
    };
    let fitted = fit(&data);
    drop(wait);
    let mut model = fitted.map_err(|e| in_file(path, e))?.with_reading(&options, &data, path);
    let seconds = started.elapsed().as_secs_f64();
    let of_data = data.warnings().len();
    // The reader's warnings were printed when the data was read.
    model.warnings().iter().skip(of_data).for_each(|text| {
        let (code, message) = text.split_once(' ').unwrap_or(("W_FIT", text));
        console.warn_text(code, message);
    });
    checkup.warnings().iter().for_each(|w| console.warn(w));
    model.save(&args.output)?;

    console.line(format!("{}: {}, {seconds:.2} s", args.output.display(), summary(&model)))?;
    show_classifiers(&model, console)?;
    sure::describe(&model, console)?;
    let tested = match (sets.data.test(), model.target()) {
        (Some(_), Some(_)) => {
            let settings = Evaluate { seed: console.seed, ..Evaluate::of(&sets.data)? };
            let found = settings.test_model(&model, &sets.data, &engine).map_err(|e| in_file(path, e))?;
            show_test(&found, console)?;
            Some(found)
        }
        _ => None,
    };
    let coverage = match (sets.data.test_set(), model.target(), model.conformal()) {
        (Some(test), Some(target), Some(_)) => {
            let found = sure::measured(&model, &test, &engine).map_err(|e| in_file(path, e))?;
            sure::table(&found, target.classes, console)?;
            Some(found)
        }
        _ => None,
    };
    let id = args.data.reading.id_name();
    let predicted = args.testing.predict(&model, &sets, &args.output, (id, &engine), console)?;
    if args.testing.refits_all() && sets.data.test().is_some() {
        let all = sets.data.clone().without_test();
        let wait = console.waiting(format!("fitting {learner} to {} objects", all.len()));
        let fitted = match &conformal {
            Some(settings) => settings.fit(&all, &expression, &learner, console.seed, &engine),
            None => Model::fit(&all, &expression, &learner, console.seed, &engine),
        };
        drop(wait);
        model = fitted.map_err(|e| in_file(path, e))?.with_reading(&options, &all, path);
        model.save(&args.output)?;
        console.line(format!(
            "{}: fitted again to all {} objects, the test set included; the scores are of the model without it",
            args.output.display(),
            all.len()
        ))?;
    }
    model.trained().warnings().iter().for_each(|w| console.warn(w));
    let mut document = describe(&model);
    document["output"] = json!(args.output);
    document["seconds"] = json!(seconds);
    document["test"] = json!(tested);
    document["coverage"] = json!(coverage);
    if let (Some(fields), Some(more)) = (document.as_object_mut(), predicted.as_object()) {
        fields.extend(more.clone());
    }
    document["findings"] = json!(checkup.findings);
    if reporting.is_wanted() {
        let mut whole = document.clone();
        whole["data"] = json!(args.data.data);
        reporting.write(console.whole_document("fit", whole), &engine, console)?;
    }
    console.document("fit", document)?;
    if !model.trained().converged() {
        console.note(format!(
            "{} is saved before convergence; raise --max-iterations or --max-seconds, or use a larger --tolerance",
            args.output.display()
        ));
        console.failed();
    }
    Ok(())
}

/// Whether the solver reports its progress: one support vector machine on many objects, whose rows are computed.
fn shows_progress(data: &Dataset, learner: &Learner, args: &FitArgs) -> bool {
    let several = matches!(data.target(), Some(Target::Classes(c)) if c.levels().len() > 2);
    data.len() >= LONG && learner.setting("cache").is_ok() && args.gram.is_none() && !several
}

/// The learner with probabilities.
fn with_probabilities(path: &Path, learner: &Learner) -> Result<Learner> {
    if learner.facts().parameters.iter().any(|p| p.name == "probability") {
        return learner.with("probability", "yes");
    }
    let reason = format!("--probabilities is not for {}, which has none", learner.name());
    let hint = "svc and nu-svc have them";
    Err(Error::parse(Place::file(path), Code::Usage, reason).with_hint(hint))
}

pub(super) fn default_learner(data: &Dataset, console: &Console) -> Result<Learner> {
    let text = standard_learner(data);
    console.note(format!("no learner given: {text}"));
    text.parse()
}

/// The learner that suits the target where none is given.
pub(super) fn standard_learner(data: &Dataset) -> String {
    match data.target() {
        Some(Target::Classes(_)) => "svc".into(),
        Some(Target::Numbers(y)) => suited_svr(y),
        None => "one-class".into(),
    }
}

/// svr with the penalty and the tube that suit the spread of the target: as svr(C=1, epsilon=0.1) for a target that is
/// divided by its standard deviation, which is rounded to a digit.
fn suited_svr(y: &[f64]) -> String {
    let round = |v: f64| format!("{v:.0e}").parse().unwrap_or(v);
    match spread(y) {
        Some(sd) => {
            let c: f64 = round(sd);
            format!("svr(C={c}, epsilon={})", round(c / 10.0))
        }
        None => "svr".to_owned(),
    }
}

/// The standard deviation of a target; none if it does not vary.
fn spread(y: &[f64]) -> Option<f64> {
    let known: Vec<f64> = y.iter().copied().filter(|v| v.is_finite()).collect();
    let n = known.len().max(1) as f64;
    let mean = known.iter().sum::<f64>() / n;
    let sd = (known.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    (sd > 0.0 && sd.is_finite()).then_some(sd)
}

pub(super) fn default_kernel(data: &Dataset, engine: &Engine, console: &Console) -> Result<Expression> {
    let Some(kernel) = auto::default_kernel(data, engine)? else {
        let reason = "there is no default kernel for these columns".to_owned();
        let hint = Some("name one with -k; mercer kernels lists them".into());
        return Err(Error::Column { name: "*".into(), reason, hint });
    };
    console.note(format!("no kernel given: {kernel}"));
    Ok(kernel)
}

/// The training set of data with a split; otherwise all objects.
pub(super) fn training_set(data: Dataset, console: &Console) -> Dataset {
    if data.test().is_none() {
        return data;
    }
    let training = data.training_set();
    console.note(format!("using the {} objects of the training set", training.len()));
    training
}

fn check_target(path: &Path, data: &Dataset, learner: &Learner) -> Result<()> {
    if !learner.facts().predicts.needs_target() {
        return Ok(());
    }
    match data.target() {
        None => Err(Error::parse(
            Place::file(path),
            Code::Target,
            format!("no target column, which {} needs", learner.name()),
        )
        .with_hint("name the column with --target")),
        Some(Target::Classes(_)) if learner.facts().predicts == Predicts::Numbers => Ok(()),
        Some(target) => check_classes(path, target),
    }
}

/// Refuses data without a target, or with one class only.
pub(crate) fn check_some_target(path: &Path, data: &Dataset) -> Result<()> {
    let target = data.target().ok_or_else(|| {
        let columns = DataProfile::of(data).ok().and_then(|profile| suggested(&profile));
        let hint = columns.map_or_else(
            || "name the column with --target".to_owned(),
            |columns| format!("name the column to predict, such as {columns}"),
        );
        Error::parse(Place::file(path), Code::Target, "no target column: there is nothing to predict")
            .with_hint(hint)
    })?;
    check_classes(path, target)
}

fn check_classes(path: &Path, target: &Target) -> Result<()> {
    match target {
        Target::Classes(c) => {
            let mut seen = vec![false; c.levels().len()];
            (0..c.len()).filter_map(|i| c.code(i)).for_each(|code| seen[code as usize] = true);
            let count = seen.iter().filter(|s| **s).count();
            if count >= 2 {
                return Ok(());
            }
            let reason = format!("{count} class only: classification needs at least 2");
            let hint = "name another column with --target; the learner one-class needs no classes";
            Err(Error::parse(Place::file(path), Code::Classes, reason).with_hint(hint))
        }
        _ => Ok(()),
    }
}

/// Refuses a kernel with negative eigenvalues on these objects, before anything is trained.
fn check_definite(expression: &Expression, data: &Dataset, engine: &Engine) -> Result<()> {
    engine.plan_matrices("a matrix and its eigenvalues", data.len(), 5)?;
    let fitted = expression.fit(data, engine)?;
    Certificate::of(&engine.gram(&fitted.kernel, data)?)?.require_psd()
}

/// The kernel wrapped in `repair`.
fn repaired(expression: Expression, method: &str) -> Result<Expression> {
    let mut wrapper: Expression = format!("repair(ones, method={method})").parse()?;
    if let Expression::Call(call) = &mut wrapper {
        call.inner = vec![expression];
    }
    Ok(wrapper)
}
