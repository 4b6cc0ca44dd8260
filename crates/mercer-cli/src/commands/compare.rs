//! `mercer compare`: several methods on the same splits of several data sets.

use std::path::{Path, PathBuf};

use clap::builder::ArgPredicate;
use clap::{Args, ValueEnum};
use mercer::expression::{Expression, Learner};
use mercer::insight;
use mercer::select::compare::{ComparisonSettings, ComparisonTests};
use mercer::select::{Evaluate, Method, MethodComparison};
use mercer::{Code, Error, Result};
use serde_json::json;

use super::check_protocol;
use super::evaluate::{How, of_file};
use super::fit::{check_some_target, default_learner};
use super::paths::Paths;
use super::report::Reporting;
use super::sets::{drop_missing, read_scored, training};
use crate::args::{BOTH, Reading};
use crate::console::{BOLD, Console};
use crate::table::{RowStyle, Table};

/// Arguments of `mercer compare`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer compare a.csv b.csv c.csv -k 'standardize(linear)' \\
    -k 'standardize(rbf(gamma=2^-7..2^1))' -l 'svc(C=2^-3..2^7)'
  mercer compare a.csv -m 'linear | ridge' -m 'rbf(gamma=1) | knn(k=[1, 5])' \\
    --protocol 5x2 --as markdown

All methods are evaluated on the same splits. On one data set they are compared by the combined 5×2cv F test (5x2) or the \
corrected resampled t test; with one split or leave-one-out, by a paired test on the test objects. On several data sets \
they are compared by Wilcoxon's signed-rank test, and by the mean ranks of Friedman's test with Nemenyi's critical \
difference. The majority-class or mean baseline is always included.")]
pub(crate) struct CompareArgs {
    /// Data files
    #[arg(value_name = "DATA", required_unless_present = "positive")]
    #[arg(default_value_if("positive", ArgPredicate::IsPresent, BOTH))]
    data: Vec<PathBuf>,
    /// Kernel, optionally with parameter ranges to search; may be repeated
    #[arg(short, long, value_name = "EXPRESSION", help_heading = "Comparing")]
    kernel: Vec<String>,
    /// Learner for each of the kernels, optionally with parameter ranges; may be repeated [default: svc for classes,
    /// svr for numbers]
    #[arg(short, long, value_name = "EXPRESSION", help_heading = "Comparing", requires = "kernel")]
    learner: Vec<String>,
    /// Kernel and learner of one method; may be repeated
    #[arg(short, long, value_name = "KERNEL | LEARNER", help_heading = "Comparing")]
    method: Vec<String>,
    /// Format of the table
    #[arg(long = "as", value_enum, value_name = "FORM", default_value = "text", help_heading = "Comparing")]
    form: Form,
    /// Significance level
    #[arg(long, value_name = "P", default_value_t = 0.05, help_heading = "Comparing")]
    alpha: f64,
    /// Folder for journals of finished fits; an interrupted run resumes from them
    #[arg(long, value_name = "FOLDER", help_heading = "Comparing")]
    resume_dir: Option<PathBuf>,
    /// Test set for DATA, with its columns in any order: nothing is fitted to it; may be repeated, one for each data file
    #[arg(long, value_name = "FILE", help_heading = "Comparing")]
    test: Vec<PathBuf>,
    #[command(flatten)]
    how: How,
    #[command(flatten)]
    reporting: Reporting,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    Text,
    Markdown,
    Latex,
    Json,
}

impl CompareArgs {
    pub(crate) fn paths(&self) -> Paths<'_> {
        let paths = Paths::default().reads(&self.data).reads(&self.test).reads(self.reading.inputs());
        paths.writes(&self.reporting.report)
    }
}

pub(crate) fn run(args: &CompareArgs, console: &Console) -> Result<()> {
    let kernels = args.kernel.iter().map(|k| k.parse()).collect::<Result<Vec<Expression>>>()?;
    let mut learners = args.learner.iter().map(|l| l.parse()).collect::<Result<Vec<Learner>>>()?;
    let pairs = args.method.iter().map(|m| m.parse()).collect::<Result<Vec<Method>>>()?;
    if kernels.is_empty() && pairs.is_empty() {
        return Err(Error::usage(
            "nothing to compare: name kernels with -k, or methods with -m 'KERNEL | LEARNER'",
        ));
    }
    let wanted = args.how.wanted()?;
    args.reporting.check()?;
    let options = args.reading.options()?;
    let engine = console.engine()?;
    if !args.test.is_empty() && args.test.len() != args.data.len() {
        let (tests, files) = (args.test.len(), args.data.len());
        return Err(Error::usage(format!(
            "{tests} test sets for {files} data files: give one for each, in their order"
        )));
    }
    let mut data = Vec::with_capacity(args.data.len());
    for (at, path) in args.data.iter().enumerate() {
        let read = read_scored(path, args.test.get(at).map(PathBuf::as_path), &options, console)?;
        let expressions: Vec<&Expression> = kernels.iter().chain(pairs.iter().map(|m| &m.kernel)).collect();
        let read = drop_missing(read, args.reading.drops_missing(), &expressions, console);
        data.push(read.map_err(|e| of_file(path, e))?);
    }
    let settings = wanted.settings(&args.data[0], &data[0], console.seed)?;
    args.data.iter().zip(&data).try_for_each(|(path, data)| check_some_target(path, data))?;
    data.iter().try_for_each(|data| check_protocol(data, Some(&settings.protocol)))?;
    if learners.is_empty() && !kernels.is_empty() {
        learners.push(default_learner(&training(&data[0]), console)?);
    }
    let mut methods = Vec::new();
    for kernel in &kernels {
        let pair = |learner: &Learner| Method { kernel: kernel.clone(), learner: learner.clone() };
        methods.extend(learners.iter().map(pair));
    }
    methods.extend(pairs);
    let protocol = settings.protocol;
    // Data sets differ in their number of classes and not every score applies to all: only requested ones are computed.
    let also = if args.how.scores.is_some() { settings.also.clone() } else { Vec::new() };
    let settings = Evaluate { also, ..settings };
    let mut contest = MethodComparison::new(settings, &methods, &names(&args.data))?;
    let mut fits = 0;
    for (path, data) in args.data.iter().zip(&data) {
        fits += contest.fits(data, &engine).map_err(|e| of_file(path, e))?;
    }
    let testing = ComparisonSettings { alpha: args.alpha, ..ComparisonSettings::default() };
    // Refuses an invalid alpha before the work, not after.
    contest.table.test(&testing)?;
    if let Some(folder) = &args.resume_dir {
        let fault = |e| Error::Io { path: folder.clone(), code: Code::IoWrite, source: e };
        std::fs::create_dir_all(folder).map_err(fault)?;
    }
    let (m, d) = (methods.len(), data.len());
    console.note(format!("plan: methods: {m}, data sets: {d}, {protocol}, {fits} fits"));
    for (at, (path, data)) in args.data.iter().zip(&data).enumerate() {
        let added = contest.add(at, data, &engine, args.resume_dir.as_deref());
        added.map_err(|e| of_file(path, e))?;
    }
    let tests = contest.table.test(&testing)?;
    contest.warnings().iter().for_each(|w| console.warn(w));
    let document = || json!(contest.report(&tests));
    match args.form {
        _ if console.is_json() => {}
        Form::Json => {
            console.raw(format!("{:#}\n", console.whole_document("compare", document())).as_bytes())?;
        }
        Form::Markdown => console.raw(tests.markdown().as_bytes())?,
        Form::Latex => console.raw(tests.latex().as_bytes())?,
        Form::Text => show(&tests, console)?,
    }
    if args.reporting.is_wanted() {
        let mut whole = document();
        let summaries = data.iter().map(|data| Ok(json!(insight::summary(data)?)));
        whole["summaries"] = summaries.collect::<Result<Vec<_>>>()?.into();
        args.reporting.write(console.whole_document("compare", whole), &engine, console)?;
    }
    console.document("compare", document())
}

/// Prints the table, the best result of each data set in bold, and what follows from it.
fn show(tests: &ComparisonTests<'_>, console: &Console) -> Result<()> {
    let mut rows = tests.rows().into_iter();
    let right = |(column, name): (usize, String)| if column > 0 { format!(">{name}") } else { name };
    let heading: Vec<String> = rows.next().unwrap_or_default().into_iter().enumerate().map(right).collect();
    let mut table = Table::new(&heading);
    let bold = |(column, cell): (usize, String)| match column > 0 && cell.ends_with('*') {
        true => format!("{BOLD}{cell}{BOLD:#}"),
        false => cell,
    };
    rows.for_each(|row| table.row(row.into_iter().enumerate().map(bold).collect(), RowStyle::Plain));
    console.table(table)?;
    console.line("")?;
    tests.notes().iter().try_for_each(|note| console.line(note))
}

/// Short names of files where they differ, whole paths otherwise.
fn names(paths: &[PathBuf]) -> Vec<String> {
    let stem = |p: &PathBuf| {
        let name = p.file_name().unwrap_or(p.as_os_str()).to_string_lossy().into_owned();
        name.split('.').next().filter(|s| !s.is_empty()).map_or(name.clone(), str::to_owned)
    };
    let short: Vec<String> = paths.iter().map(stem).collect();
    let mut distinct = short.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if distinct.len() == short.len() {
        return short;
    }
    paths.iter().map(|p: &PathBuf| Path::new(p).display().to_string()).collect()
}
