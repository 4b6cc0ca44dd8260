//! `mercer predict`: predicts new objects with a model.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use mercer::data::{Column, Dataset, Precomputed, Target, Values};
use mercer::gram::{Engine, Silent};
use mercer::learn::Prediction;
use mercer::model::{ExplainBy, Explained, Model, NearMolecule};
use mercer::read::{self, Missing, Options, Pieces};
use mercer::select::Coverage;
use mercer::{Code, Error, Place, Result};
use serde_json::{Value, json};

use super::columnar::{Cells, Columns, Form};
use super::paths::Paths;
use super::reasons::{self, ByName};
use super::report::Reporting;
use super::sure::{self, Sure};
use super::{check_ending, counted, in_file, mutate, read_data, write_file};
use crate::args::DataArgs;
use crate::console::Console;

/// Arguments of `mercer predict`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer predict iris.mercer flowers.csv
  mercer predict iris.mercer flowers.csv --decisions -o predicted.csv
  mercer predict iris.mercer flowers.csv --probabilities  if fitted with them
  mercer predict iris.mercer flowers.csv -o p.parquet     typed columns
  mercer predict yield.mercer new.csv --interval 0.9      of a model of gp
  mercer predict svm.model test.libsvm                    a LIBSVM model
  mercer predict molecules.mercer new/ --explain          why: the main features
  mercer predict m.mercer new.csv --explain-by columns    Shapley values
  mercer predict m.mercer new.ts --explain-by parts       hidden stretches
  mercer predict m.mercer new.csv --explain-svg why/      coloured atoms
  mercer predict m.mercer new.csv --nearest 3             similar molecules
  mercer predict m.mercer new.csv --confidence 0.9        sets and intervals
  mercer predict dna.mercer new.fa --mutate               each substitution

DATA needs the columns the model was fitted to, in any order, and may have others. It is read as the training data was \
(separator, types, layout of series, alphabet, …) unless options say otherwise. If it has the target column too, the \
predictions are scored. For pca the coordinates are written, for kmeans the clusters and with --decisions the distances \
to them. Sparse vectors may have fewer features than in training, not more. Where rows were left out (--skip-invalid, \
--missing drop) and there are no ids, a column row has the row of each object in DATA, counted from 1.")]
pub(crate) struct PredictArgs {
    /// A model written by `mercer fit` or `mercer auto`, or a LIBSVM model file
    model: PathBuf,
    /// Also write the decision value of each binary classifier
    #[arg(long, help_heading = "Predicting")]
    decisions: bool,
    /// Also write the probability of each class, in columns p(class)
    #[arg(long, help_heading = "Predicting")]
    probabilities: bool,
    /// Also write the bounds between which a new observation lies with probability P, in columns lower and upper: for
    /// models of gp, whose predictions always have a standard deviation too, in the column std
    #[arg(long, value_name = "P", help_heading = "Predicting")]
    interval: Option<f64>,
    /// Also write the values that a new observation is below with these probabilities, in columns q0.05, q0.5, …: for
    /// models of gp
    #[arg(long, value_name = "P,…", value_delimiter = ',', help_heading = "Predicting")]
    quantiles: Vec<f64>,
    /// Explain each prediction by the N features with the largest contributions, with the nodes of a graph they are on;
    /// by N columns if the kernel has no named features, for any model: their Shapley values compared with a background
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "5", help_heading = "Predicting")]
    explain: Option<usize>,
    /// What to explain by [default: features; columns if there are none; support objects if there is one column]. Parts are
    /// stretches of series, blocks of images, words, nodes of graphs or neighbours of nodes: they are hidden, and the model is
    /// evaluated again, whatever the kernel. Includes --explain
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Predicting")]
    explain_by: Option<ByName>,
    /// Data that explanations by columns compare with, such as the training data: 20 of its objects [default: of the objects
    /// that the model stores]
    #[arg(long, value_name = "FILE", help_heading = "Predicting")]
    background: Option<PathBuf>,
    /// Write an image of each molecule to this folder (1.svg, 2.svg, …), with atoms and bonds coloured by their
    /// contributions: orange raises the value or favours the class, blue lowers it. Includes --explain
    #[arg(long, value_name = "FOLDER", help_heading = "Predicting")]
    explain_svg: Option<PathBuf>,
    /// Also write the N training molecules most similar to each object, with their similarity (Tanimoto of ECFP4 counts)
    /// and target: predictions without similar ones are outside of the model's domain
    #[arg(long, value_name = "N", num_args = 0..=1, default_missing_value = "3", help_heading = "Predicting")]
    nearest: Option<usize>,
    /// Also write what is true with this confidence, such as 0.9: for classes a set (classes separated by |), for numbers an
    /// interval (lower, upper); and how typical each object is, as --typicality does. The model must have been fitted with
    /// --conformal
    #[arg(long, value_name = "C", help_heading = "Predicting", conflicts_with = "interval")]
    confidence: Option<f64>,
    /// Also write how typical each object is of the training objects, as a p-value from its distances to them, and whether
    /// it is in the domain of the model; small values: nothing similar was learned from. The model must have been fitted with
    /// --conformal
    #[arg(long, help_heading = "Predicting")]
    typicality: bool,
    /// Instead of predictions, write how the value of each object would change if one symbol of its string were another:
    /// a line for every position and symbol, for models on one column of strings such as DNA
    #[arg(long, help_heading = "Predicting", conflicts_with_all = ["explain", "explain_by", "explain_svg", "nearest", "decisions", "probabilities", "confidence", "typicality", "interval", "quantiles"])]
    mutate: bool,
    /// Write these changes as a heat map of each object to this folder (1.svg, 2.svg, …): orange raises the value, blue
    /// lowers it. Includes --mutate
    #[arg(long, value_name = "FOLDER", help_heading = "Predicting", conflicts_with_all = ["explain", "explain_by", "explain_svg", "nearest", "decisions", "probabilities", "confidence", "typicality", "interval", "quantiles"])]
    mutate_svg: Option<PathBuf>,
    /// Tables larger than this are read, predicted and written in chunks (uncompressed CSV, TSV and LIBSVM input; CSV
    /// output)
    #[arg(long, value_name = "MB", default_value_t = 256.0, help_heading = "Predicting")]
    piece_mb: f64,
    /// File to write: .csv, .json, .parquet or .arrow; without it CSV on standard output. In CSV, text that a spreadsheet would evaluate as a
    /// formula (it begins with =, +, - or @) is prefixed with an apostrophe, which mercer removes when it reads the
    /// file
    #[arg(short, long, value_name = "FILE", help_heading = "Predicting")]
    output: Option<PathBuf>,
    /// Write a report: a self-contained page (.html), or a document for mercer report (.json), with coverage, set sizes or
    /// intervals, and the objects outside of the model's domain
    #[arg(long, value_name = "FILE", help_heading = "Predicting", conflicts_with_all = ["mutate", "mutate_svg"])]
    report: Option<PathBuf>,
    #[command(flatten)]
    data: DataArgs,
}

impl PredictArgs {
    pub(crate) fn paths(&self) -> Paths<'_> {
        Paths::default()
            .reads(self.data.inputs())
            .reads([&self.model])
            .reads(&self.background)
            .writes(&self.output)
            .writes(&self.report)
            .writes(&self.explain_svg)
            .writes(&self.mutate_svg)
    }
}

impl PredictArgs {
    /// The number of contributions listed for each object, if predictions are explained.
    fn explain_count(&self) -> Option<usize> {
        let asked = self.explain_svg.is_some() || self.explain_by.is_some();
        self.explain.or_else(|| asked.then_some(5))
    }

    /// The data that explanations compare with, read as the training data was.
    fn background(&self, given: &Options, model: &Model, console: &Console) -> Result<Option<Dataset>> {
        let Some(path) = &self.background else { return Ok(None) };
        let options = suited(given, model, path, console);
        let data = read_objects(path, given, &options, model, console)?;
        without_missing(data, &options, model, console).map(Some)
    }
}

pub(crate) fn run(args: &PredictArgs, console: &Console) -> Result<()> {
    if let Some(path) = &args.output {
        let mutations = args.mutate || args.mutate_svg.is_some();
        let written: &[&str] =
            if mutations { &["csv", "json"] } else { &["csv", "json", "parquet", "arrow", "feather"] };
        check_ending(path, written, "predictions are")?;
    }
    let reporting = Reporting::page(args.report.clone());
    reporting.check()?;
    let engine = console.engine()?;
    // Progress is counted in objects, so the model's own kernel reports none.
    let model = Model::load(&args.model, &engine.clone().with_progress(Arc::new(Silent)))?;
    if args.probabilities {
        check_probabilities(&args.model, &model)?;
    }
    sure::check(&args.model, &model, args.confidence, args.typicality)?;
    for level in &args.quantiles {
        check_normal(&args.model, &model, ("--quantiles", "quantiles"), *level)?;
    }
    if let Some(level) = args.interval {
        check_normal(&args.model, &model, ("--interval", "intervals"), level)?;
    }
    let path = &args.data.data;
    let given = args.data.reading.options()?;
    let options = suited(&given, &model, path, console);
    if args.mutate || args.mutate_svg.is_some() {
        let data = test_set(read_objects(path, &given, &options, &model, console)?, console);
        let data = without_missing(data, &options, &model, console)?;
        return mutations(args, &data, &model, options.id.as_deref().unwrap_or("id"), &engine, console);
    }
    if let Some(pieces) = pieces(args, &given, &options, &model, console)? {
        return in_pieces(args, pieces, &options, &model, &engine, console);
    }
    let data = test_set(read_objects(path, &given, &options, &model, console)?, console);
    let data = without_missing(data, &options, &model, console)?;
    let id = options.id.as_deref().unwrap_or("id");
    let prediction = model.predict(&data, &engine).map_err(|e| in_file(path, e))?;
    if model.is_transductive() {
        let message = "the kernel was fitted to these objects too: predictions are transductive";
        console.warn_text("W_TRANSDUCTIVE", message);
    }
    warn_of_classes(&data, &model, console);
    let unseen = model.unseen(&data);
    unseen.iter().for_each(|w| console.warn(w));
    let warnings = data.warnings().iter().cloned().chain(unseen).collect();
    let data = data.with_warnings(warnings);
    let score = Score::of(&prediction, &data, &model);
    let sure =
        Sure::of(&model, &data, (args.confidence, args.typicality), &engine).map_err(|e| in_file(path, e))?;
    sure.warnings(&model).iter().for_each(|w| console.warn(w));
    let nearest = match args.nearest {
        Some(most) => Some(model.nearest_molecules(&data, most, &engine).map_err(|e| in_file(path, e))?),
        None => None,
    };
    let explained = match args.explain_count() {
        Some(most) => {
            let background = args.background(&given, &model, console)?;
            let by = ByName::by(args.explain_by);
            let explained = model.explained(&data, most, by, background.as_ref(), &engine);
            let explained = explained.map_err(|e| in_file(path, e))?;
            reasons::note(&explained).iter().for_each(|text| console.note(text));
            if explained.all.iter().any(|why| why.local) {
                console.note(reasons::LOCAL);
            }
            Some(explained)
        }
        None => None,
    };
    let by = explained.as_ref().map_or(ExplainBy::Any, |explained| explained.by);
    let explanations = explained.as_ref().map(|explained| &explained.all);

    let as_json = args.output.as_deref().is_some_and(is_json);
    let answer = Answer {
        prediction: &prediction,
        score: score.as_ref(),
        explained: explained.as_ref(),
        nearest: nearest.as_deref(),
        sure: &sure,
    };
    let document = || document(args, &model, &data, &answer);
    match &args.output {
        Some(file) if as_json => {
            write_file(file, |out| writeln!(out, "{:#}", console.whole_document("predict", document())))?;
        }
        Some(file) => {
            let table = asked(args, id, &data, &prediction, (nearest.as_deref(), &sure));
            write_file(file, |out| table.write(out, Form::of(file)))?;
        }
        None if console.is_json() || explanations.is_some() => {}
        None => {
            let mut text = Vec::new();
            // Writing to memory does not fail.
            let _ = asked(args, id, &data, &prediction, (nearest.as_deref(), &sure)).csv(&mut text, true);
            console.raw(&text)?;
        }
    }
    if let Some(file) = &args.output {
        console.line(format!("{}: {}", file.display(), counted(data.len(), "object")))?;
    }
    if let Some(explanations) = explanations {
        let text = reasons::text(explanations, nearest.as_deref(), by, &data, console.width());
        console.as_it_is(text.trim_end())?;
        if let Some(folder) = &args.explain_svg {
            let written = reasons::write_images(folder, explanations, &data)?;
            console.line(format!("{}: {written} images", folder.display()))?;
        }
    }
    if let Some(score) = &score {
        console.note(score);
    }
    if let Some(coverage) = &sure.coverage {
        sure::show(coverage, model.target().is_some_and(|t| t.classes), console);
    }
    if reporting.is_wanted() {
        reporting.write(console.whole_document("predict", document()), &engine, console)?;
    }
    console.document("predict", document())
}

/// Writes what every substitution of one symbol would change.
fn mutations(
    args: &PredictArgs,
    data: &Dataset,
    model: &Model,
    id: &str,
    engine: &Engine,
    console: &Console,
) -> Result<()> {
    let all = mutate::all(model, data, &args.data.data, engine)?;
    if let Some(first) = all.first() {
        console.note(mutate::legend(first));
    }
    match &args.output {
        Some(file) if is_json(file) => {
            let document = console.whole_document("predict", mutate::document(data, &all));
            write_file(file, |out| writeln!(out, "{document:#}"))?;
        }
        Some(file) => write_file(file, |out| mutate::write_table(out, id, data, &all))?,
        None if console.is_json() || args.mutate_svg.is_some() => {}
        None => {
            let mut text = Vec::new();
            // Writing to memory does not fail.
            let _ = mutate::write_table(&mut text, id, data, &all);
            console.raw(&text)?;
        }
    }
    if args.output.is_some() || args.mutate_svg.is_some() {
        mutate::summary(data, &all, console)?;
    }
    if let Some(file) = &args.output {
        console.line(format!("{}: {}", file.display(), counted(data.len(), "object")))?;
    }
    if let Some(folder) = &args.mutate_svg {
        let written = mutate::write_images(folder, data, &all)?;
        console.line(format!("{}: {written} images", folder.display()))?;
    }
    console.document("predict", mutate::document(data, &all))
}

/// Warns about classes that the model was not trained on: it can never predict them.
fn warn_of_classes(data: &Dataset, model: &Model, console: &Console) {
    let (Some(Target::Classes(known)), Some(goal)) = (data.target(), model.target()) else { return };
    let classes = model.trained().classes();
    if !goal.classes || classes.is_empty() {
        return;
    }
    let mut there = vec![false; known.levels().len()];
    (0..known.len()).filter_map(|i| known.code(i)).for_each(|code| there[code as usize] = true);
    let unknown = |(level, there): &(&String, bool)| *there && !classes.iter().any(|c| same_class(c, level));
    let unknown: Vec<&str> =
        known.levels().iter().zip(there).filter(unknown).map(|(l, _)| l.as_str()).collect();
    if !unknown.is_empty() {
        let list = |names: &mut dyn Iterator<Item = &str>| names.take(5).collect::<Vec<_>>().join(", ");
        let text = format!(
            "{} of the classes of '{}' not seen in training ({}): their predictions are always wrong; known are {}",
            unknown.len(),
            goal.name,
            list(&mut unknown.iter().copied()),
            list(&mut classes.iter().map(String::as_str))
        );
        console.warn_text("W_CLASSES", &text);
    }
}

/// The test set of data with a split; otherwise all objects.
fn test_set(data: Dataset, console: &Console) -> Dataset {
    let Some(test) = data.test() else { return data };
    let rows: Vec<usize> = (0..data.len()).filter(|&i| test[i]).collect();
    console.note(format!("predicting the {} objects of the test set", rows.len()));
    data.select(&rows)
}

/// The chunks of a table larger than `--piece-mb`, if its format and the options allow chunks.
fn pieces(
    args: &PredictArgs,
    given: &Options,
    options: &Options,
    model: &Model,
    console: &Console,
) -> Result<Option<Pieces>> {
    let path = &args.data.data;
    if !(args.piece_mb.is_finite() && args.piece_mb > 0.0) {
        return Err(Error::param("--piece-mb", args.piece_mb, "a finite number above 0"));
    }
    let size = (args.piece_mb * 1e6) as u64;
    let whole = args.explain_count().is_some()
        || args.nearest.is_some()
        || args.report.is_some()
        || given.split.is_some()
        || options.missing == Some(Missing::Drop)
        // Rows are counted over the whole file where some are left out.
        || options.molecules.skip_invalid
        || console.is_json()
        || args.output.as_deref().is_some_and(|file| is_json(file) || Form::of(file) != Form::Csv)
        || model.is_transductive();
    if whole || std::fs::metadata(path).map_or(true, |m| m.len() <= size) {
        return Ok(None);
    }
    Pieces::open(path, options, usize::try_from(size).unwrap_or(usize::MAX).max(1))
}

fn in_pieces(
    args: &PredictArgs,
    pieces: Pieces,
    options: &Options,
    model: &Model,
    engine: &Engine,
    console: &Console,
) -> Result<()> {
    let path = &args.data.data;
    let id = options.id.as_deref().unwrap_or("id");
    let (mut objects, mut score, mut coverage) = (0usize, None::<Score>, None::<Coverage>);
    let mut warned = std::collections::HashSet::new();
    let mut each = |out: &mut dyn FnMut(&[u8]) -> Result<()>, pieces: Pieces| -> Result<()> {
        for piece in pieces {
            let data = piece?;
            if objects == 0 {
                data.warnings().iter().for_each(|w| console.warn(w));
            }
            for warning in model.unseen(&data) {
                // Once for each column: later chunks have the same values or more.
                let column = warning.message.split("': ").next().unwrap_or_default().to_owned();
                if warned.insert(column) {
                    console.warn(&warning);
                }
            }
            let prediction = model.predict(&data, engine).map_err(|e| in_file(path, e))?;
            let sure = Sure::of(model, &data, (args.confidence, args.typicality), engine)
                .map_err(|e| in_file(path, e))?;
            for warning in sure.warnings(model) {
                if warned.insert(warning.to_string()) {
                    console.warn(&warning);
                }
            }
            let mut text = Vec::new();
            // Writing to memory does not fail.
            let _ = asked(args, id, &data, &prediction, (None, &sure)).csv(&mut text, objects == 0);
            coverage = match (coverage.take(), sure.coverage) {
                (Some(before), Some(more)) => Some(before.and(more)),
                (before, more) => before.or(more),
            };
            out(&text)?;
            objects += data.len();
            score = match (score.take(), Score::of(&prediction, &data, model)) {
                (Some(before), Some(more)) => Some(before.and(more)),
                (before, more) => before.or(more),
            };
        }
        Ok(())
    };
    match &args.output {
        None => each(&mut |text| console.raw(text), pieces)?,
        Some(file) => {
            // An error while predicting ends the writing too.
            let mut stopped = None;
            let written = write_file(file, |out| {
                let mut put = |text: &[u8]| {
                    out.write_all(text).map_err(|e| Error::Io {
                        path: file.clone(),
                        code: Code::IoWrite,
                        source: e,
                    })
                };
                each(&mut put, pieces).map_err(|e| {
                    stopped = Some(e);
                    std::io::Error::other("stopped")
                })
            });
            match stopped {
                Some(error) => return Err(error),
                None => written?,
            }
            console.line(format!("{}: {}", file.display(), counted(objects, "object")))?;
        }
    }
    if let Some(score) = &score {
        console.note(score);
    }
    if let Some(coverage) = &coverage {
        sure::show(coverage, model.target().is_some_and(|t| t.classes), console);
    }
    Ok(())
}

/// Refuses a level that is none, and a model whose predictions are no distributions.
fn check_normal(path: &Path, model: &Model, (option, what): (&str, &str), level: f64) -> Result<()> {
    if !(level > 0.0 && level < 1.0) {
        return Err(Error::param(option, level, "a probability above 0 and below 1, such as 0.9"));
    }
    if model.trained().process().is_some() {
        return Ok(());
    }
    let reason = format!("this model has no {what}: {} predicts no distribution", model.learner().name());
    Err(Error::parse(Place::file(path), Code::Usage, reason).with_hint("fit it with -l gp"))
}

/// Refuses a model without probabilities, with a hint how to get them.
fn check_probabilities(path: &Path, model: &Model) -> Result<()> {
    if model.trained().gives_probabilities() {
        return Ok(());
    }
    let can = model.learner().facts().parameters.iter().any(|p| p.name == "probability");
    let (reason, hint) = match (model.trained().classes().is_empty(), can) {
        (true, _) => ("this model has no probabilities: it predicts no classes".to_owned(), None),
        (false, true) => (
            "this model has no probabilities: it was fitted without them".to_owned(),
            Some("fit it again with --probabilities; --decisions gives the decision values"),
        ),
        (false, false) if model.target().is_none() => (
            format!("this model has no probabilities: {} gives none", model.learner().name()),
            Some("--decisions gives the decision values"),
        ),
        (false, false) => (
            format!("this model has no probabilities: {} gives none", model.learner().name()),
            Some("fit gpc, or svc or nu-svc with --probabilities; --decisions gives the decision values"),
        ),
    };
    let error = Error::parse(Place::file(path), Code::Usage, reason);
    Err(match hint {
        Some(hint) => error.with_hint(hint),
        None => error,
    })
}

/// Reads objects with the columns of a model, and its target if it is present.
pub(super) fn read_objects(
    path: &Path,
    given: &Options,
    options: &Options,
    model: &Model,
    console: &Console,
) -> Result<Dataset> {
    if let [column] = model.stored_objects().columns()
        && matches!(column.values, Values::Precomputed(_))
    {
        let similarities = Precomputed::rows_of(read::matrix(path, given)?);
        return Dataset::new(vec![Column::new(&column.name, Values::Precomputed(similarities))]);
    }
    let data = read_data(path, options, console)?;
    if let (Some(name), None) = (&given.target, data.target()) {
        let reason = format!("no target column '{name}'");
        return Err(Error::parse(Place::file(path), Code::Target, reason));
    }
    Ok(data)
}

/// Reading options for objects of a model: as its training data was read, except for what is given.
pub(super) fn suited(given: &Options, model: &Model, path: &Path, console: &Console) -> Options {
    let (options, contradict) = model.options_for(path, given);
    if !contradict.is_empty() {
        console.note(format!(
            "the training data was read with other values of these options; the given ones are used: {}",
            contradict.join(", ")
        ));
    }
    options
}

/// Leaves out objects that lack a value in a column of the model, if that is wanted now or was in training.
pub(super) fn without_missing(
    data: Dataset,
    options: &Options,
    model: &Model,
    console: &Console,
) -> Result<Dataset> {
    let known = data.warnings().len();
    let kept = model.without_missing(data, options)?;
    kept.warnings().iter().skip(known).for_each(|w| console.warn(w));
    Ok(kept)
}

pub(super) fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("json"))
}

/// Predictions as CSV, with ids if the objects have them.
pub(super) fn write_predictions(
    out: &mut dyn Write,
    id: &str,
    data: &Dataset,
    prediction: &Prediction,
) -> std::io::Result<()> {
    table(&Also::default(), id, data, prediction, (None, &Sure::default())).csv(out, true)
}

/// The table that the arguments ask for.
fn asked(
    args: &PredictArgs,
    id: &str,
    data: &Dataset,
    prediction: &Prediction,
    more: (Option<&[Vec<NearMolecule>]>, &Sure),
) -> Columns {
    let also = Also {
        decisions: args.decisions,
        probabilities: args.probabilities,
        interval: args.interval,
        quantiles: &args.quantiles,
    };
    table(&also, id, data, prediction, more)
}

/// Columns besides the predictions.
#[derive(Default)]
struct Also<'a> {
    decisions: bool,
    probabilities: bool,
    interval: Option<f64>,
    quantiles: &'a [f64],
}

/// The quantiles of each object. The levels were checked before.
fn quantiles(prediction: &Prediction, levels: &[f64]) -> Vec<Vec<f64>> {
    levels.iter().filter_map(|level| prediction.quantile(*level).ok().flatten()).collect()
}

fn table(
    also: &Also<'_>,
    id: &str,
    data: &Dataset,
    prediction: &Prediction,
    (nearest, sure): (Option<&[Vec<NearMolecule>]>, &Sure),
) -> Columns {
    let n = data.len();
    let mut out = Columns::new(n);
    match (data.ids(), data.rows()) {
        (Some(ids), _) => out.push(id, Cells::texts(ids.iter().cloned())),
        // Without ids, objects of a file from which others were left out are known by their rows.
        (None, Some(rows)) => out.push("row", Cells::Whole(rows.iter().map(|&row| row as i64 + 1).collect())),
        (None, None) => {}
    }
    match &prediction.target {
        Some(Target::Numbers(numbers)) => out.push("prediction", Cells::numbers(numbers.iter().copied())),
        Some(_) => {
            let classes = (0..n).map(|i| prediction.class(i).unwrap_or_default().to_owned());
            out.push("prediction", Cells::texts(classes));
        }
        None => {}
    }
    if let Some(deviations) = &prediction.deviations {
        out.push("std", Cells::numbers(deviations.iter().copied()));
    }
    // The level was checked before.
    if let Some(bounds) = also.interval.and_then(|level| prediction.interval(level).ok().flatten()) {
        out.push("lower", Cells::numbers(bounds.iter().map(|b| b.0)));
        out.push("upper", Cells::numbers(bounds.iter().map(|b| b.1)));
    }
    for (level, values) in also.quantiles.iter().zip(quantiles(prediction, also.quantiles)) {
        out.push(format!("q{level}"), Cells::numbers(values));
    }
    for (name, cells) in sure.columns(n) {
        out.push(name, cells);
    }
    if also.decisions || prediction.coordinates().is_some() {
        for (j, name) in prediction.columns.iter().enumerate() {
            out.push(name, Cells::numbers((0..n).map(|i| prediction.decisions.row(i)[j])));
        }
    }
    let known = prediction.probabilities.as_ref().filter(|_| also.probabilities);
    if let (Some(p), Some(Target::Classes(classes))) = (known, &prediction.target) {
        for (j, class) in classes.levels().iter().enumerate() {
            out.push(format!("p({class})"), Cells::numbers((0..n).map(|i| p.row(i)[j])));
        }
    }
    let near = nearest.unwrap_or_default();
    for k in 0..near.iter().map(Vec::len).max().unwrap_or(0) {
        let one = |i: usize| near.get(i).and_then(|all| all.get(k));
        let smiles = (0..n).map(|i| one(i).map(|m| m.smiles.clone()));
        let similarity = (0..n).map(|i| one(i).map(|m| m.similarity));
        let target = (0..n).map(|i| one(i).and_then(|m| m.target.clone()));
        out.push(format!("nearest_{}", k + 1), Cells::Text(smiles.collect()));
        out.push(format!("similarity_{}", k + 1), Cells::Number(similarity.collect()));
        out.push(format!("target_{}", k + 1), Cells::Text(target.collect()));
    }
    out
}

/// What is told about the objects.
struct Answer<'a> {
    prediction: &'a Prediction,
    score: Option<&'a Score>,
    explained: Option<&'a Explained>,
    nearest: Option<&'a [Vec<NearMolecule>]>,
    sure: &'a Sure,
}

fn document(args: &PredictArgs, model: &Model, data: &Dataset, answer: &Answer<'_>) -> Value {
    let Answer { prediction, score, explained, nearest, sure } = answer;
    let predictions: Option<Vec<Value>> = prediction.target.as_ref().map(|_| match prediction.numbers() {
        Some(numbers) => numbers.iter().map(|v| json!(v)).collect(),
        None => (0..data.len()).map(|i| json!(prediction.class(i))).collect(),
    });
    let values = || {
        let rows: Vec<&[f64]> = (0..data.len()).map(|i| prediction.decisions.row(i)).collect();
        json!({"columns": prediction.columns, "values": rows})
    };
    let coordinates = prediction.coordinates().map(|_| values());
    let decisions = (args.decisions && coordinates.is_none()).then(values);
    let probabilities = prediction.probabilities.as_ref().filter(|_| args.probabilities).map(|p| {
        let rows: Vec<&[f64]> = (0..p.rows()).map(|i| p.row(i)).collect();
        json!({"columns": model.trained().classes(), "values": rows})
    });
    let intervals = args.interval.and_then(|level| prediction.interval(level).ok().flatten());
    let below: Vec<Value> = args
        .quantiles
        .iter()
        .zip(quantiles(prediction, &args.quantiles))
        .map(|(level, values)| json!({"level": level, "values": values}))
        .collect();
    let mut document = json!({
        "deviations": prediction.deviations, "intervals": intervals, "quantiles": (!below.is_empty()).then_some(below),
        "model": args.model, "data": args.data.data, "objects": data.len(), "target": model.target().map(|g| &g.name),
        "classes": model.trained().classes(), "ids": data.ids(),
        "rows": data.rows().map(|rows| rows.iter().map(|row| row + 1).collect::<Vec<_>>()), "predictions": predictions, "decisions": decisions,
        "coordinates": coordinates, "probabilities": probabilities, "score": score.map(Score::describe), "output": args.output,
        "transductive": model.is_transductive(), "explanations": explained.map(|explained| reasons::document(&explained.all, data)),
        "explained_by": explained.map(|explained| explained.by.name()), "explained_note": explained.and_then(|explained| explained.note.as_ref()),
        "nearest": nearest,
        "warnings": data.warnings().iter().chain(&sure.warnings(model)).collect::<Vec<_>>(),
    });
    if sure.typicality.is_some() {
        document["typicality"] = json!(sure.typicality);
        document["in_domain"] = json!(sure.in_domain());
    }
    if args.confidence.is_some() {
        document["confidence"] = json!(args.confidence);
        document["sets"] = json!(sure.sets());
        document["p_values"] = json!(sure.p_values(model));
        document["intervals"] = json!(sure.intervals());
        document["coverage"] = json!(sure.coverage);
    }
    if let Some(truth) = truth(data, model) {
        document["truth"] = truth;
    }
    document
}

/// The known targets of objects; none if they have none of the kind that the model predicts.
fn truth(data: &Dataset, model: &Model) -> Option<Value> {
    let classes = model.target()?.classes;
    match data.target()? {
        Target::Classes(known) if classes => Some((0..known.len()).map(|i| json!(known.get(i))).collect()),
        Target::Numbers(known) if !classes => Some(json!(known)),
        _ => None,
    }
}

/// The score of predictions on objects with a known target.
enum Score {
    Classes {
        right: usize,
        of: usize,
    },
    /// Sums of absolute and of squared errors.
    Numbers {
        errors: f64,
        squares: f64,
        of: usize,
    },
}

impl Score {
    fn of(prediction: &Prediction, data: &Dataset, model: &Model) -> Option<Score> {
        model.target()?;
        match (data.target()?, prediction.numbers()) {
            (Target::Classes(known), None) => {
                let of = (0..data.len()).filter(|&i| known.code(i).is_some()).count();
                let right = (0..data.len()).filter(|&i| match (known.get(i), prediction.class(i)) {
                    (Some(a), Some(b)) => same_class(a, b),
                    _ => false,
                });
                Some(Score::Classes { right: right.count(), of }).filter(|_| of > 0)
            }
            (Target::Numbers(known), Some(predicted)) => {
                let errors =
                    || known.iter().zip(predicted).filter(|(k, _)| !k.is_nan()).map(|(k, p)| (k - p).abs());
                let (squares, of) = (errors().map(|e| e * e).sum(), errors().count());
                Some(Score::Numbers { errors: errors().sum(), squares, of }).filter(|_| of > 0)
            }
            _ => None,
        }
    }

    fn describe(&self) -> Value {
        match self {
            Score::Classes { right, of } => {
                json!({"accuracy": *right as f64 / *of as f64, "right": right, "of": of})
            }
            Score::Numbers { errors, squares, of } => {
                let n = *of as f64;
                json!({"mae": errors / n, "rmse": (squares / n).sqrt()})
            }
        }
    }

    /// The score of both sets of objects.
    fn and(self, other: Score) -> Score {
        match (self, other) {
            (Score::Classes { right: a, of: n }, Score::Classes { right: b, of: m }) => {
                Score::Classes { right: a + b, of: n + m }
            }
            (Score::Numbers { errors, squares, of }, Score::Numbers { errors: e, squares: s, of: m }) => {
                Score::Numbers { errors: errors + e, squares: squares + s, of: of + m }
            }
            // A model predicts either classes or numbers.
            (first, _) => first,
        }
    }
}

impl std::fmt::Display for Score {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Score::Classes { right, of } => {
                write!(f, "accuracy {:.4} ({right} of {of})", *right as f64 / *of as f64)
            }
            Score::Numbers { errors, squares, of } => {
                let (mae, rmse) = (errors / *of as f64, (squares / *of as f64).sqrt());
                write!(f, "mean absolute error {mae:.6}, root mean squared error {rmse:.6}")
            }
        }
    }
}

/// Whether two names mean the same class, as `1`, `+1` and `1.0` do.
fn same_class(a: &str, b: &str) -> bool {
    let number = |s: &str| s.parse::<f64>().ok();
    a == b || matches!((number(a), number(b)), (Some(x), Some(y)) if x == y)
}
