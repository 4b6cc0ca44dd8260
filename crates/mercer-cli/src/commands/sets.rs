//! Training sets and test sets of commands: `--test FILE`, objects without a target, missing values.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mercer::data::{Dataset, Target, list};
use mercer::expression::Expression;
use mercer::gram::Engine;
use mercer::model::{Model, without_missing};
use mercer::read::{Options, TargetKind};
use mercer::select::TestReport;
use mercer::{Code, Error, Place, Result, Warning};
use serde_json::{Value, json};

use super::evaluate::number_of;
use super::predict::write_predictions;
use super::{check_ending, check_folder, counted, in_file, read_data, write_file};
use crate::console::Console;
use crate::table::{RowStyle, Table};

/// Options of commands that fit a model: what is kept for testing, and what is predicted besides.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Testing")]
pub(crate) struct TestArgs {
    /// Test set: objects that nothing is fitted to, scored once at the end. Needs the columns of DATA, in any order;
    /// without the target column they are predicted only
    #[arg(long, value_name = "FILE")]
    pub(crate) test: Option<PathBuf>,
    /// Objects that the saved model is fitted to: train, or all, after it was scored on the test set
    #[arg(long, value_enum, value_name = "WHAT", default_value = "train")]
    refit: RefitName,
    /// Write the predictions for the test set, as CSV [default, if the test set has no target: the model's name with
    /// .predictions.csv]
    #[arg(long, value_name = "FILE.csv")]
    predictions: Option<PathBuf>,
    /// Predict the objects of DATA that have no target, and write the predictions as CSV
    #[arg(long, value_name = "FILE.csv")]
    predict_missing: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum RefitName {
    #[default]
    Train,
    All,
}

/// The data of a command.
pub(crate) struct Sets {
    /// The objects with a target; those of a test set are marked.
    pub(crate) data: Dataset,
    /// The objects of the test file in its order, those without a target too.
    pub(crate) test: Option<Dataset>,
}

impl TestArgs {
    pub(crate) fn inputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.test.iter()
    }

    pub(crate) fn outputs(&self) -> impl Iterator<Item = &PathBuf> {
        self.predictions.iter().chain(&self.predict_missing)
    }

    pub(crate) fn check(&self) -> Result<()> {
        self.outputs().try_for_each(|path| {
            check_ending(path, &["csv"], "predictions are")?;
            check_folder(path)
        })
    }

    /// Whether the saved model is fitted to the test set too.
    pub(crate) fn refits_all(&self) -> bool {
        self.refit == RefitName::All
    }

    /// Reads the data and the test set.
    pub(crate) fn read(&self, path: &Path, options: &Options, console: &Console) -> Result<Sets> {
        self.read_after(path, options, |options| read_data(path, options, console), console)
    }

    /// The same, where `read` reads the data.
    pub(crate) fn read_after(
        &self,
        path: &Path,
        options: &Options,
        read: impl FnOnce(&Options) -> Result<Dataset>,
        console: &Console,
    ) -> Result<Sets> {
        let data = noted_unlabelled(path, read(options)?, self.predict_missing.is_some(), console)?;
        let sets = match &self.test {
            None => Sets { data, test: None },
            Some(file) => with_test(path, data, file, options, console)?,
        };
        if sets.data.test().is_none() && sets.test.is_none() {
            let unused = match (self.refits_all(), &self.predictions) {
                (true, _) => "--refit all",
                (_, Some(_)) => "--predictions",
                _ => return self.check_unlabelled(path, sets),
            };
            return Err(Error::usage(format!("{unused} needs a test set: give --test or --split-column")));
        }
        self.check_unlabelled(path, sets)
    }

    fn check_unlabelled(&self, path: &Path, sets: Sets) -> Result<Sets> {
        if self.predict_missing.is_some() && sets.data.unlabelled().is_none() {
            let reason = "--predict-missing: every object has a target";
            return Err(Error::parse(Place::file(path), Code::Usage, reason));
        }
        Ok(sets)
    }

    /// Writes the predictions that are wanted, and says so; returns them for the document.
    pub(crate) fn predict(
        &self,
        model: &Model,
        sets: &Sets,
        output: &Path,
        (id, engine): (&str, &Engine),
        console: &Console,
    ) -> Result<Value> {
        let mut document = json!({});
        let own = sets.data.test_set();
        let test = sets.test.as_ref().or(own.as_ref());
        let alone = sets.test.is_some() && sets.data.test().is_none();
        let standard = alone.then(|| output.with_extension("predictions.csv"));
        if let (Some(objects), Some(file)) = (test, self.predictions.as_ref().or(standard.as_ref())) {
            let place = self.test.as_deref().unwrap_or(file);
            let whole = match (alone, model.reading()) {
                (true, Some(options)) => model.without_missing(objects.clone(), options)?,
                _ => objects.clone(),
            };
            let objects = &whole;
            if alone {
                let left_out = |w: &&Warning| w.code == "W_DROPPED";
                objects.warnings().iter().filter(left_out).for_each(|w| console.warn(w));
                model.unseen(objects).iter().for_each(|w| console.warn(w));
            }
            write(model, objects, file, place, (id, engine))?;
            let why = if alone { ", which has no target to score them by" } else { "" };
            console.line(format!(
                "{}: predictions for {} of the test set{why}",
                file.display(),
                counted(objects.len(), "object")
            ))?;
            document["predictions"] = json!({"output": file, "objects": objects.len()});
        }
        if let (Some(objects), Some(file)) = (sets.data.unlabelled(), &self.predict_missing) {
            model.unseen(objects).iter().for_each(|w| console.warn(w));
            write(model, objects, file, file, (id, engine))?;
            console.line(format!(
                "{}: predictions for {} without a target",
                file.display(),
                counted(objects.len(), "object")
            ))?;
            document["predict_missing"] = json!({"output": file, "objects": objects.len()});
        }
        Ok(document)
    }
}

/// The file with the test set that lies next to a file with the training set, by their names.
pub(crate) fn test_file_of(path: &Path) -> Option<PathBuf> {
    let name = path.file_name()?.to_str()?;
    let named = |(train, test): &(&str, &str)| name.contains(train).then(|| name.replacen(train, test, 1));
    let pairs = [("train", "test"), ("TRAIN", "TEST"), ("Train", "Test")];
    pairs.iter().filter_map(named).map(|other| path.with_file_name(other)).find(|other| other.is_file())
}

fn write(
    model: &Model,
    objects: &Dataset,
    file: &Path,
    place: &Path,
    (id, engine): (&str, &Engine),
) -> Result<()> {
    let prediction = model.predict(objects, engine).map_err(|e| in_file(place, e))?;
    write_file(file, |out| write_predictions(out, id, objects, &prediction))
}

/// The training set of data with a test set; otherwise all objects.
pub(crate) fn training(data: &Dataset) -> Cow<'_, Dataset> {
    match data.test() {
        None => Cow::Borrowed(data),
        Some(_) => Cow::Owned(data.training_set()),
    }
}

/// Says what happens to objects without a target; the reader's warning has their number and lines.
fn noted_unlabelled(path: &Path, data: Dataset, predicted: bool, console: &Console) -> Result<Dataset> {
    let Some(others) = data.unlabelled() else { return Ok(data) };
    if data.is_empty() {
        let reason = format!("no object has a value in target '{}'", data.target_name().unwrap_or("target"));
        return Err(Error::parse(Place::file(path), Code::Target, reason)
            .with_hint("name another column with --target, or use --no-target"));
    }
    let hint = if predicted { "" } else { "; --predict-missing FILE predicts them" };
    let it = if others.len() == 1 { "it is" } else { "they are" };
    console
        .note(format!("{} set aside, because {it} without a target{hint}", counted(others.len(), "object")));
    Ok(data)
}

/// Reads a test set with the columns of the training set and marks it in the data.
fn with_test(
    path: &Path,
    training: Dataset,
    file: &Path,
    options: &Options,
    console: &Console,
) -> Result<Sets> {
    if let Some(column) = &options.split {
        return Err(Error::usage(format!(
            "--test gives a test set, and --split-column {column} another: use only one of them (--ignore {column} leaves \
             the column out)"
        )));
    }
    let test = read_test(file, options, &training, console)?;
    let labelled = test.clone().set_aside_unlabelled();
    if test.target().is_none() || labelled.is_empty() {
        if let Some(name) = training.target_name() {
            console.note(format!(
                "{} has no target '{name}': its objects are predicted, not scored",
                file.display()
            ));
        }
        return Ok(Sets { data: training, test: Some(test) });
    }
    let labelled = named(labelled, &training, file)?;
    let data = training.with_test_set(&labelled).map_err(|e| in_file(file, e))?;
    console.note(format!(
        "{} for training ({}), {} for testing ({})",
        training.len(),
        path.display(),
        labelled.len(),
        file.display()
    ));
    Ok(Sets { data, test: Some(test) })
}

/// Objects of a test file without ids are named by their rows in it, so that no message counts them after those of the
/// training set.
fn named(labelled: Dataset, training: &Dataset, file: &Path) -> Result<Dataset> {
    if labelled.ids().is_some() || training.ids().is_some() {
        return Ok(labelled);
    }
    let name = file.file_name().map_or_else(|| "test".into(), |name| name.to_string_lossy().into_owned());
    let row = |i: usize| labelled.rows().map_or(i, |rows| rows[i]) + 1;
    let ids = (0..labelled.len()).map(|i| format!("{name} row {}", row(i))).collect();
    labelled.with_ids(ids)
}

/// Reads data and, where a test file is given, marks its objects, which need a target.
pub(crate) fn read_scored(
    path: &Path,
    test: Option<&Path>,
    options: &Options,
    console: &Console,
) -> Result<Dataset> {
    let data = noted_unlabelled(path, read_data(path, options, console)?, true, console)?;
    let Some(file) = test else { return Ok(data) };
    let sets = with_test(path, data, file, options, console)?;
    if sets.data.test().is_none() {
        let name = sets.data.target_name().unwrap_or("target").to_owned();
        let reason = format!("no target column '{name}': there is nothing to score the predictions by");
        return Err(Error::parse(Place::file(file), Code::Target, reason)
            .with_hint("fit and auto predict such a test set; evaluate and compare need its target"));
    }
    Ok(sets.data)
}

/// Reads a test set: columns have the kinds of the training set, and the target may be absent.
fn read_test(file: &Path, options: &Options, training: &Dataset, console: &Console) -> Result<Dataset> {
    let mut own = options.clone();
    for column in training.columns() {
        own.kinds.entry(column.name.clone()).or_insert_with(|| column.values.kind());
    }
    own.kinds.retain(|_, kind| is_written(*kind));
    own.forms = training.forms().map(|(name, form)| (name.to_owned(), form)).collect();
    own.target = training.target_name().map(str::to_owned);
    own.no_target = own.target.is_none();
    own.weight = None;
    own.ignore.extend(options.weight.clone());
    if let (TargetKind::Infer, Some(target)) = (own.target_kind, training.target()) {
        own.target_kind =
            if matches!(target, Target::Classes(_)) { TargetKind::Classes } else { TargetKind::Numbers };
    }
    own.optional_names = true;
    own.optional_id = true;
    own.keep_unlabelled = true;
    let test = read_data(file, &own, console)?;
    check_columns(file, training, &test, console)?;
    Ok(test)
}

/// Whether a column of this kind can be declared: others come from the format.
fn is_written(kind: mercer::data::Kind) -> bool {
    use mercer::data::Kind;
    matches!(
        kind,
        Kind::Numbers
            | Kind::Categories
            | Kind::Times
            | Kind::Strings
            | Kind::Text
            | Kind::Images
            | Kind::Molecules
    )
}

/// Refuses a test set that lacks a column; columns that only it has are not used.
fn check_columns(file: &Path, training: &Dataset, test: &Dataset, console: &Console) -> Result<()> {
    let lacking = |from: &Dataset, other: &Dataset| -> Vec<String> {
        from.columns().iter().filter(|c| !other.has_column(&c.name)).map(|c| c.name.clone()).collect()
    };
    let absent = lacking(training, test);
    let extra = lacking(test, training);
    if let Some(first) = absent.first() {
        let columns = if absent.len() == 1 { "column" } else { "columns" };
        let names = list(absent.iter().map(String::as_str));
        let reason = format!("no {columns} '{names}', which the training data has");
        let near = test.column(first).err().and_then(|e| e.hint()).unwrap_or_default();
        let hint = format!("{near}; --ignore {first} leaves it out of both");
        return Err(Error::parse(Place::file(file), Code::Column, reason).with_hint(hint));
    }
    if !extra.is_empty() {
        let names = list(extra.iter().map(String::as_str));
        console.note(format!("{}: not in the training data, and not used: {names}", file.display()));
    }
    Ok(())
}

/// Drops objects that lack a value in a column the kernel uses, where `--missing drop` wants it.
pub(crate) fn drop_missing(
    data: Dataset,
    wanted: bool,
    expressions: &[&Expression],
    console: &Console,
) -> Result<Dataset> {
    if !wanted {
        return Ok(data);
    }
    let mut used: Vec<String> = Vec::new();
    for expression in expressions {
        used.extend(expression.columns_used(&data)?);
    }
    drop_in(data, &used, console)
}

/// Drops objects that lack a value in one of these columns.
pub(crate) fn drop_in(data: Dataset, used: &[String], console: &Console) -> Result<Dataset> {
    let (known, before) = (data.warnings().len(), data.test().map(<[bool]>::to_vec));
    let kept = without_missing(data, used)?;
    kept.warnings().iter().skip(known).for_each(|w| console.warn(w));
    if let (Some(before), Some(after)) = (before, kept.test())
        && (after.contains(&true) != before.contains(&true)
            || after.contains(&false) != before.contains(&false))
    {
        return Err(Error::usage(
            "every object of the training set or of the test set has a missing value in a column in use",
        ));
    }
    Ok(kept)
}

/// Prints the scores of a model on a test set.
pub(crate) fn show_test(report: &TestReport, console: &Console) -> Result<()> {
    let baseline = if report.baseline == "majority" { ">majority class" } else { ">training mean" };
    let mut table = Table::new(&["test set", ">value", ">95 % interval", baseline]);
    for (at, measure) in report.measures.iter().enumerate() {
        let interval = measure.interval.map_or_else(
            || "–".into(),
            |i| format!("{} … {}", number_of(Some(i.low)), number_of(Some(i.high))),
        );
        let cells = vec![
            measure.score.to_string(),
            number_of(measure.mean),
            interval,
            number_of(measure.baseline_mean),
        ];
        table.row(cells, if at == 0 { RowStyle::Best } else { RowStyle::Plain });
    }
    console.table(table)?;
    let training = match report.fitted {
        Some(fitted) if fitted != report.train => {
            format!("{fitted} of the {}", counted(report.train, "object"))
        }
        _ => format!("the {}", counted(report.train, "object")),
    };
    console.line(format!(
        "{} of the test set, scored once by the model of {training} of the training set: {}",
        counted(report.objects, "object"),
        report.verdict.sentence
    ))
}
