//! `mercer inspect`: describes data and its faults, Gram matrices and models.

mod data;

pub(crate) use data::suggested;

use std::path::{Path, PathBuf};

use clap::builder::ArgPredicate;
use clap::{Args, ValueEnum};
use mercer::data::Dense;
use mercer::gram::{Certificate, operations, symmetry};
use mercer::kernel::Kernel;
use mercer::model::Model;
use mercer::read::{self, Format};
use mercer::{Code, Error, Place, Result};
use serde_json::{Value, json};

use super::fit::training_set;
use super::paths::Paths;
use super::sets::drop_missing;
use super::{embedded, fit, in_file, model, parse_kernel, read_data};
use crate::args::{BOTH, Reading};
use crate::console::{BOLD, Console};
use crate::table::{RowStyle, Table};

/// Arguments of `mercer inspect`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer inspect patients.csv --target outcome      columns, and what is wrong
  mercer inspect K.npy
  mercer inspect iris.mercer
  mercer inspect iris.mercer --locations where.csv  objects and the margin
  mercer inspect iris.csv -k 'sigmoid(gamma=0.1)'   is it positive semidefinite?")]
#[command(next_help_heading = "Inspecting")]
pub(crate) struct InspectArgs {
    /// A data file, a Gram matrix or a model
    #[arg(id = "data", value_name = "PATH", help_heading = None::<&'static str>)]
    #[arg(required = false, required_unless_present = "positive")]
    #[arg(default_value_if("positive", ArgPredicate::IsPresent, BOTH))]
    path: PathBuf,
    /// Analyse the Gram matrix of the data under this kernel
    #[arg(short, long, value_name = "EXPRESSION")]
    kernel: Option<String>,
    /// What the file contains [default: detected; a square symmetric npy matrix is a Gram matrix]
    #[arg(long = "as", value_enum, value_name = "WHAT")]
    what: Option<What>,
    /// Fail if the Gram matrix has negative eigenvalues
    #[arg(long)]
    require_psd: bool,
    /// Write where each training object of a support vector machine lies: outside the margin, on it, or inside it. A
    /// column for each binary classifier; empty for objects that the classifier was not trained on
    #[arg(long, value_name = "FILE.csv", conflicts_with = "kernel")]
    locations: Option<PathBuf>,
    /// Column with the time of each object: early and late objects are compared [default: one named or written as a
    /// time]
    #[arg(long, value_name = "COLUMN", conflicts_with = "kernel")]
    time: Option<String>,
    #[command(flatten)]
    reading: Reading,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum What {
    Data,
    Gram,
    Model,
}

impl InspectArgs {
    pub(crate) fn paths(&self) -> Paths<'_> {
        Paths::default().reads([&self.path]).reads(self.reading.inputs()).writes(&self.locations)
    }
}

pub(crate) fn run(args: &InspectArgs, console: &Console) -> Result<()> {
    let mut options = args.reading.options()?;
    // Without a kernel every column is in use.
    options.drop_later = args.kernel.is_some();
    if let Some(text) = &args.kernel {
        let expression = parse_kernel(text)?;
        let engine = console.engine()?;
        let data = training_set(read_data(&args.path, &options, console)?, console);
        let data = drop_missing(data, args.reading.drops_missing(), &[&expression], console)?;
        let fitted = fit(&expression, &data, &args.path, &engine, console)?;
        let gram = engine.gram(&fitted.kernel, &data).map_err(|e| in_file(&args.path, e))?;
        let facts = json!({
            "kernel": expression.to_string(), "definiteness": fitted.kernel.definiteness().to_string(),
            "transductive": fitted.is_transductive(),
        });
        return inspect_gram(&gram, args, facts, console).map_err(|e| in_file(&args.path, e));
    }
    if args.what.is_none_or(|w| w == What::Model)
        && (args.what.is_some() || mercer::model::is_model(&args.path))
    {
        let model = Model::load(&args.path, &console.engine()?)?;
        if let Some(path) = &args.locations {
            model::write_locations(&model, path).map_err(|e| of_model(&args.path, e))?;
        }
        model::show(&model, &args.path, console)?;
        let mut document = model::describe(&model);
        document["locations_file"] = json!(args.locations);
        document["what"] = "model".into();
        document["bytes"] = std::fs::metadata(&args.path).map(|m| m.len()).ok().into();
        return console.document("inspect", document);
    }
    if args.locations.is_some() {
        return Err(Error::usage("--locations needs a model with support vectors"));
    }
    let is_file = embedded(&args.path, &options).is_none();
    let npy = is_file && read::format_of(&args.path, &options)? == Format::Npy;
    if npy && args.what != Some(What::Data) {
        let matrix = read::matrix(&args.path, &options)?;
        let square = matrix.rows() == matrix.cols() && matrix.rows() > 0;
        let symmetric = square && symmetry(&matrix).is_ok_and(|(_, _, d)| d == 0.0);
        if args.what == Some(What::Gram) || symmetric {
            return inspect_gram(&matrix, args, json!({}), console).map_err(|e| in_file(&args.path, e));
        }
    } else if args.what == Some(What::Gram) {
        return Err(Error::usage("a Gram matrix is read from an npy file"));
    }
    data::inspect(&read_data(&args.path, &options, console)?, args, console)
}

/// Adds the file to a usage error of a model.
fn of_model(path: &Path, error: Error) -> Error {
    match error {
        Error::Usage { reason } => Error::parse(Place::file(path), Code::Usage, reason),
        other => other,
    }
}

fn range(values: impl Iterator<Item = f64>) -> (f64, f64, f64) {
    let (mut low, mut high, mut sum, mut n) = (f64::INFINITY, f64::NEG_INFINITY, 0.0, 0.0);
    values.for_each(|v| {
        low = low.min(v);
        high = high.max(v);
        sum += v;
        n += 1.0;
    });
    if n == 0.0 { (f64::NAN, f64::NAN, f64::NAN) } else { (low, high, sum / n) }
}

fn inspect_gram(gram: &Dense, args: &InspectArgs, facts: Value, console: &Console) -> Result<()> {
    let (certificate, spectrum) = Certificate::with_eigenvalues(gram)?;
    if args.require_psd {
        certificate.require_psd()?;
    }
    let c = &certificate;
    console.line(format!("{BOLD}{}{BOLD:#}: Gram matrix of {} objects", args.path.display(), c.n))?;
    let mut table = Table::new(&["certificate", ""]);
    let condition = c.condition.map_or("none (singular)".into(), |k| format!("{k:.4e}"));
    let mean = operations::squared_norm_of_mean(gram)?;
    let variance = operations::total_variance(gram)?;
    let norms = operations::squared_norms(gram)?;
    let (low, high, _) = range(norms.iter().copied());
    for (name, value) in [
        ("verdict", c.verdict.to_string()),
        ("eigenvalues", format!("{:.6e} … {:.6e}", c.lambda_min, c.lambda_max)),
        ("below zero", format!("{} (tolerance {:.1e})", c.negative, c.tolerance)),
        ("rank", format!("{} of {}; effective {:.1}", c.rank, c.n, c.effective_rank)),
        ("condition", condition),
        ("asymmetry", format!("{:.1e}", c.symmetry_error)),
        ("trace", format!("{:.6}", c.trace)),
        ("self-similarity", format!("{low:.6} … {high:.6}")),
        ("|mean|²", format!("{mean:.6}")),
        ("variance", format!("{variance:.6}")),
    ] {
        table.row(vec![name.into(), value], RowStyle::Plain);
    }
    console.table(table)?;
    let largest: Vec<String> = spectrum.iter().rev().take(8).map(|v| format!("{v:.4}")).collect();
    console.line(format!("largest eigenvalues: {}{}", largest.join(" "), if c.n > 8 { " …" } else { "" }))?;
    let mut fields = json!({
        "what": "gram", "certificate": certificate, "squared_norm_of_mean": mean, "total_variance": variance,
        "eigenvalues": spectrum,
    });
    if let (Value::Object(all), Value::Object(facts)) = (&mut fields, facts) {
        all.extend(facts);
    }
    console.document("inspect", fields)
}
