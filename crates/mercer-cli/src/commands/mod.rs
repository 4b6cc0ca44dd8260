//! One file per command.

pub(crate) mod auto;
mod columnar;
pub(crate) mod compare;
pub(crate) mod convert;
pub(crate) mod evaluate;
pub(crate) mod explain;
pub(crate) mod fit;
pub(crate) mod generate;
pub(crate) mod gram;
pub(crate) mod inspect;
pub(crate) mod kernels;
pub(crate) mod learners;
pub(crate) mod map;
mod model;
mod mutate;
mod paths;
pub(crate) mod predict;
mod reasons;
pub(crate) mod report;
pub(crate) mod reproduce;
pub(crate) mod serve;
mod sets;
pub(crate) mod suggest;
mod sure;

use std::collections::HashSet;
use std::io::Write;
use std::path::Path;

use clap::CommandFactory;
use mercer::data::{self, Column, Dataset, Dense, Precomputed, Target, Values};
use mercer::expression::{Expression, Fitted, Learner};
use mercer::files::write_whole;
use mercer::gram::Engine;
use mercer::read::{self, Options, TargetKind};
use mercer::select::Protocol;
use mercer::{Code, Error, Place, Result};

use self::paths::Paths;
use crate::args::{Cli, Command};
use crate::console::Console;

/// Runs a command.
pub(crate) fn run(cli: &Cli, console: &Console) -> Result<()> {
    if !matches!(cli.command, Command::Serve(_)) {
        console.end_when_exhausted();
    }
    paths(&cli.command).check()?;
    console.start_threads()?;
    match &cli.command {
        Command::Auto(args) => auto::run(args, console),
        Command::Fit(args) => fit::run(args, console),
        Command::Predict(args) => predict::run(args, console),
        Command::Explain(args) => explain::run(args, console),
        Command::Suggest(args) => suggest::run(args, console),
        Command::Evaluate(args) => evaluate::run(args, console),
        Command::Compare(args) => compare::run(args, console),
        Command::Convert(args) => convert::run(args, console),
        Command::Generate(args) => generate::run(args, console),
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

/// The files a command reads and writes.
fn paths(command: &Command) -> Paths<'_> {
    match command {
        Command::Auto(args) => args.paths(),
        Command::Fit(args) => args.paths(),
        Command::Predict(args) => args.paths(),
        Command::Explain(args) => args.paths(),
        Command::Suggest(args) => args.paths(),
        Command::Evaluate(args) => args.paths(),
        Command::Compare(args) => args.paths(),
        Command::Convert(args) => args.paths(),
        Command::Gram(args) => args.paths(),
        Command::Map(args) => args.paths(),
        Command::Inspect(args) => args.paths(),
        Command::Report(args) => args.paths(),
        // These read no files or write none.
        Command::Generate(_)
        | Command::Kernels(_)
        | Command::Learners(_)
        | Command::Reproduce(_)
        | Command::Serve(_)
        | Command::Completions { .. }
        | Command::Man => Paths::default(),
    }
}

/// A count with its noun: `1 column`, `2 columns`, `3 classes`.
pub(crate) fn counted(n: usize, thing: &str) -> String {
    match n {
        1 => format!("1 {thing}"),
        _ if thing.ends_with('s') => format!("{n} {thing}es"),
        _ => format!("{n} {thing}s"),
    }
}

/// Reads data and prints the reader's warnings.
pub(crate) fn read_data(path: &Path, options: &Options, console: &Console) -> Result<Dataset> {
    let data = match embedded(path, options) {
        Some(data) => data?,
        None => read::read(path, options)?,
    };
    data.warnings().iter().for_each(|w| console.warn(w));
    Ok(data)
}

/// Refuses a protocol that would ignore the test set of the data.
pub(crate) fn check_protocol(data: &Dataset, protocol: Option<&Protocol>) -> Result<()> {
    match protocol {
        Some(other) if data.test().is_some() && *other != Protocol::TrainTest => Err(Error::usage(format!(
            "--protocol {other} would ignore the test set of --test or --split-column: use only one of them \
             (--ignore COLUMN excludes the column from the features)"
        ))),
        _ => Ok(()),
    }
}

/// Embedded data, if the path is its name and no file has this name.
pub(crate) fn embedded(path: &Path, options: &Options) -> Option<Result<Dataset>> {
    let name = path.to_str().filter(|_| path.symlink_metadata().is_err())?;
    data::embedded::read(name, options)
}

/// Reads new objects with the columns of the training objects; a target is not needed.
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
    // A column keeps its kind even if the new values suggest another.
    for column in training.columns() {
        options.kinds.entry(column.name.clone()).or_insert_with(|| column.values.kind());
    }
    // The target may be present and is passed on; nothing is learned from it.
    options.target = training.target_name().map(str::to_owned);
    options.no_target = options.target.is_none();
    if let (TargetKind::Infer, Some(target)) = (options.target_kind, training.target()) {
        options.target_kind =
            if matches!(target, Target::Classes(_)) { TargetKind::Classes } else { TargetKind::Numbers };
    }
    options.optional_names = true;
    read_data(path, &options, console)
}

/// Adds the file to an error in the data that a kernel or a check found.
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

/// Parses a kernel, which must not have parameter ranges.
pub(crate) fn parse_kernel(text: &str) -> Result<Expression> {
    let expression: Expression = text.parse()?;
    check_single(&expression.choices())?;
    Ok(expression)
}

/// Parses a learner, which must not have parameter ranges.
pub(crate) fn parse_learner(text: &str) -> Result<Learner> {
    let learner: Learner = text.parse()?;
    check_single(&learner.choices())?;
    Ok(learner)
}

fn check_single(choices: &[(String, Vec<mercer::expression::Value>)]) -> Result<()> {
    match choices.first() {
        None => Ok(()),
        Some((name, values)) => Err(Error::Param {
            name: name.clone(),
            value: format!("{} values", values.len()),
            domain: "a single value: ranges are for evaluate and compare".into(),
        }),
    }
}

/// Fits a kernel and prints its warnings.
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

/// Prints the columns that a kernel without `@` does not use.
pub(crate) fn note_unused(expression: &Expression, data: &Dataset, console: &Console) -> Result<()> {
    let mut used: HashSet<String> = expression.columns_used(data)?.into_iter().collect();
    used.extend(expression.attributes_used(data)?);
    let unused: Vec<_> =
        data.columns().iter().map(|c| &c.name).filter(|n| !used.contains(n.as_str())).collect();
    if !unused.is_empty() && expression.named_columns().is_empty() {
        let shown = unused.iter().take(8).map(|s| s.as_str()).collect::<Vec<_>>().join(", ");
        let more = if unused.len() > 8 { format!(", … ({} in all)", unused.len()) } else { String::new() };
        console.note(format!("not used by this kernel: {shown}{more}"));
    }
    Ok(())
}

/// Writes a file atomically. Special files such as /dev/stdout are written directly.
pub(crate) fn write_file(
    path: &Path,
    fill: impl FnOnce(&mut dyn Write) -> std::io::Result<()>,
) -> Result<()> {
    let fail = |e: std::io::Error| Error::Io { path: path.to_owned(), code: Code::IoWrite, source: e };
    if std::fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        let mut direct = std::fs::File::options().write(true).open(path).map_err(fail)?;
        return fill(&mut direct).map_err(fail);
    }
    write_whole(path, fill)
}

/// Writes a matrix as npy or CSV, by the file extension.
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

/// File extensions that imply a format.
const ENDINGS: [&str; 40] = [
    "arff", "arrow", "bz2", "csv", "db", "fasta", "feather", "gml", "graphml", "gz", "h5", "hdf5", "html",
    "jpg", "json", "jsonl", "libsvm", "mat", "mercer", "model", "mtx", "npy", "npz", "ods", "parquet",
    "pickle", "pkl", "png", "rds", "sdf", "sqlite", "svm", "toml", "ts", "tsv", "xls", "xlsx", "xz", "zip",
    "zst",
];

/// Refuses an output whose extension implies another format than those written, before any work is done.
pub(crate) fn check_ending(path: &Path, written: &[&str], what: &str) -> Result<()> {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default().to_ascii_lowercase();
    if written.contains(&ending.as_str()) || !ENDINGS.contains(&ending.as_str()) {
        return Ok(());
    }
    let known: Vec<String> = written.iter().map(|e| format!(".{e}")).collect();
    Err(Error::usage(format!(
        "{}: {what} written as {}, not as .{ending}",
        path.display(),
        known.join(" or ")
    )))
}

/// Refuses an output in a folder that does not exist, before the work rather than after.
pub(crate) fn check_folder(path: &Path) -> Result<()> {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() && !folder.is_dir() => Err(Error::Io {
            path: path.to_owned(),
            code: Code::IoWrite,
            source: std::io::Error::new(
                std::io::ErrorKind::NotFound,
                format!("there is no folder {}", folder.display()),
            ),
        }),
        _ => Ok(()),
    }
}

/// Whether a file has the extension csv.
pub(crate) fn is_csv(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("csv"))
}

/// A CSV field, quoted where necessary.
///
/// Spreadsheets evaluate text that begins with `=`, `+`, `-` or `@` as a formula. Such text is prefixed with an
/// apostrophe, which our reader removes; numbers are not changed.
pub(crate) fn quoted(name: &str) -> String {
    if is_formula(name) {
        format!("\"'{}\"", name.replace('"', "\"\""))
    } else if name.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", name.replace('"', "\"\""))
    } else {
        name.to_owned()
    }
}

/// Whether a spreadsheet might evaluate a text, or our reader remove an apostrophe from it.
fn is_formula(text: &str) -> bool {
    let body = text.trim_start_matches('\'');
    match body.bytes().next() {
        Some(b'=' | b'@' | b'\t' | b'\r') => true,
        Some(b'+' | b'-') => body.len() < text.len() || body.parse::<f64>().is_err(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use mercer::data::{Kind, Values};
    use mercer::read::{Options, read_bytes};

    use super::quoted;

    #[test]
    fn text_for_spreadsheets_is_read_back_exactly() {
        let texts =
            ["=1+1", "@x", "+1-2", "-y", "-5", "+1e3", "'=z", "''@", "'-5", "a,b", "\"=\"", "'", "ordinary"];
        assert_eq!(
            (quoted("=1+1"), quoted("-5"), quoted("-y")),
            ("\"'=1+1\"".into(), "-5".into(), "\"'-y\"".into())
        );
        let rows: String = texts.iter().map(|text| format!("{},1\n", quoted(text))).collect();
        let kinds = [("t".to_owned(), Kind::Strings)].into();
        let options = Options { kinds, ..Options::default() };
        let data = read_bytes("a.csv".as_ref(), format!("t,n\n{rows}").as_bytes(), &options).unwrap();
        let Values::Strings(found) = &data.column("t").unwrap().values else { panic!("strings") };
        assert_eq!(found.iter().flatten().collect::<Vec<_>>(), texts);
    }
}
