//! One file per command.

pub(crate) mod auto;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod evaluate;
mod explain;
pub(crate) mod fit;
pub(crate) mod gram;
pub(crate) mod inspect;
pub(crate) mod kernels;
pub(crate) mod learners;
pub(crate) mod map;
mod model;
pub(crate) mod predict;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod serve;

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::CommandFactory;
use mercer::data::{self, Column, Dataset, Dense, Precomputed, Values};
use mercer::expression::{Expression, Fitted, Learner};
use mercer::gram::Engine;
use mercer::read::{self, Options};
use mercer::{Code, Error, Place, Result};

use crate::args::{Cli, Command};
use crate::console::Console;

/// Does what the command line says.
pub(crate) fn run(cli: &Cli, console: &Console) -> Result<()> {
    console.start_threads()?;
    match &cli.command {
        Command::Auto(args) => auto::run(args, console),
        Command::Fit(args) => fit::run(args, console),
        Command::Predict(args) => predict::run(args, console),
        Command::Evaluate(args) => evaluate::run(args, console),
        Command::Compare(args) => compare::run(args, console),
        Command::Convert(args) => convert::run(args, console),
        Command::Gram(args) => gram::run(args, console),
        Command::Map(args) => map::run(args, console),
        Command::Inspect(args) => inspect::run(args, console),
        Command::Kernels(args) => kernels::run(args, console),
        Command::Learners(args) => learners::run(args, console),
        Command::Report(args) => report::run(args, console),
        Command::Reproduce(args) => reproduce::run(args, console),
        Command::Serve(args) => serve::run(args, console),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "mercer", &mut script);
            console.raw(&script)
        }
        Command::Man => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page).map_err(|e| Error::Io {
                path: "standard output".into(),
                code: Code::IoWrite,
                source: e,
            })?;
            console.raw(&page)
        }
    }
}

/// Reads data and passes on what the reader noticed.
pub(crate) fn read_data(path: &Path, options: &Options, console: &Console) -> Result<Dataset> {
    let data = match embedded(path, options) {
        Some(data) => data?,
        None => read::read(path, options)?,
    };
    data.warnings().iter().for_each(|w| console.warn(w));
    Ok(data)
}

/// Embedded data, where the path is its name and no file has it.
pub(crate) fn embedded(path: &Path, options: &Options) -> Option<Result<Dataset>> {
    let name = path.to_str().filter(|_| path.symlink_metadata().is_err())?;
    data::embedded::read(name, options)
}

/// Reads new objects to be compared with training objects: the same columns, no target needed.
pub(crate) fn read_new(
    path: &Path,
    options: &Options,
    training: &Dataset,
    console: &Console,
) -> Result<Dataset> {
    if let (true, Some(column)) = (options.precomputed, training.columns().first()) {
        let similarities = Precomputed::rows_of(read::matrix(path, options)?);
        return Dataset::new(vec![Column::new(&column.name, Values::Precomputed(similarities))]);
    }
    let mut options = options.clone();
    // A column keeps its kind even where the new values alone would suggest another.
    for column in training.columns() {
        options.kinds.entry(column.name.clone()).or_insert_with(|| column.values.kind());
    }
    options.target = None;
    options.no_target = true;
    options.ignore.extend(training.target_name().map(str::to_owned));
    options.optional_names = true;
    read_data(path, &options, console)
}

/// A fault of the data that a kernel or a check found, with the file that has it.
pub(crate) fn in_file(path: &Path, error: Error) -> Error {
    match error {
        Error::Shape { .. }
        | Error::NotSymmetric { .. }
        | Error::NotPositiveDefinite { .. }
        | Error::NonFinite { .. }
        | Error::Missing { .. }
        | Error::Object { .. }
        | Error::Column { .. }
        | Error::Classes { .. }
        | Error::Dimension { .. } => {
            let (code, hint, text) = (error.code(), error.hint(), error.to_string());
            let reason = text.strip_prefix(code.as_str()).unwrap_or(&text).trim_start().to_owned();
            Error::Parse { place: Place::file(path), code, reason, hint }
        }
        other => other,
    }
}

/// Parses a kernel that must leave nothing open.
pub(crate) fn parse_kernel(text: &str) -> Result<Expression> {
    let expression: Expression = text.parse()?;
    closed(&expression.choices())?;
    Ok(expression)
}

/// Parses a learner that must leave nothing open.
pub(crate) fn parse_learner(text: &str) -> Result<Learner> {
    let learner: Learner = text.parse()?;
    closed(&learner.choices())?;
    Ok(learner)
}

fn closed(choices: &[(String, Vec<mercer::expression::Value>)]) -> Result<()> {
    match choices.first() {
        None => Ok(()),
        Some((name, values)) => Err(Error::Param {
            name: name.clone(),
            value: format!("a choice of {}", values.len()),
            domain: "one value here: ranges are for a search".into(),
        }),
    }
}

/// Fits a kernel and passes on what was noticed.
pub(crate) fn fit(
    expression: &Expression,
    data: &Dataset,
    path: &Path,
    engine: &Engine,
    console: &Console,
) -> Result<Fitted> {
    let fitted = expression.fit(data, engine).map_err(|e| in_file(path, e))?;
    fitted.warnings.iter().for_each(|w| console.warn(w));
    note_unused(expression, data, console)?;
    Ok(fitted)
}

/// Says which columns a kernel that names none does not look at.
pub(crate) fn note_unused(expression: &Expression, data: &Dataset, console: &Console) -> Result<()> {
    let used = expression.columns_used(data)?;
    let unused: Vec<_> = data.columns().iter().map(|c| &c.name).filter(|n| !used.contains(n)).collect();
    if !unused.is_empty() && expression.named_columns().is_empty() {
        let shown = unused.iter().take(8).map(|s| s.as_str()).collect::<Vec<_>>().join(", ");
        let more = if unused.len() > 8 { format!(", … ({} in all)", unused.len()) } else { String::new() };
        console.note(format!("not used by this kernel: {shown}{more}"));
    }
    Ok(())
}

/// Writes a file under another name first, so that the old one stays whole until the new one is. What is no file, such as
/// /dev/stdout, is written to as it is.
pub(crate) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    let partial = PathBuf::from(name);
    let fail = |e: std::io::Error| Error::Io { path: path.to_owned(), code: Code::IoWrite, source: e };
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        let mut direct = std::fs::File::options().write(true).open(path).map_err(fail)?;
        return fill(&mut direct).map_err(fail);
    }
    let written = std::fs::File::create(&partial).and_then(|file| {
        let mut out = std::io::BufWriter::new(file);
        fill(&mut out)?;
        // On disk before it has the name: a machine that loses power must not leave an empty file in place of the old one.
        out.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
        std::fs::rename(&partial, path)
    });
    written.map_err(|e| {
        let _ = std::fs::remove_file(&partial);
        fail(e)
    })
}

/// Writes a matrix as npy or CSV, by the ending of the name.
pub(crate) fn write_matrix(path: &Path, matrix: &Dense, names: Option<&[String]>) -> Result<()> {
    write_file(path, |out| {
        if !is_csv(path) {
            out.write_all(&read::npy_header(matrix.rows() as u64, matrix.cols() as u64, "<f8"))?;
            return matrix.values().iter().try_for_each(|v| out.write_all(&v.to_le_bytes()));
        }
        if let Some(names) = names {
            writeln!(out, "{}", names.iter().map(|n| quoted(n)).collect::<Vec<_>>().join(","))?;
        }
        for i in 0..matrix.rows() {
            let row: Vec<String> = matrix.row(i).iter().map(f64::to_string).collect();
            writeln!(out, "{}", row.join(","))?;
        }
        Ok(())
    })
}

/// Whether a name asks for CSV.
pub(crate) fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"))
}

/// A cell of CSV, in quotes where it needs them.
pub(crate) fn quoted(name: &str) -> String {
    if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}
