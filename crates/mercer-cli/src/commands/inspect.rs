//! `mercer inspect`: describes data, Gram matrices and models.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mercer::data::{Column, Dataset, Dense, GraphSummary, Spread, Target, Values};
use mercer::gram::{Certificate, operations, symmetry};
use mercer::kernel::Kernel;
use mercer::model::Model;
use mercer::read::{self, Format};
use mercer::{Code, Error, Place, Result};
use serde_json::{Value, json};

use super::fit::training_set;
use super::paths::Paths;
use super::{counted, embedded, fit, in_file, model, parse_kernel, read_data};
use crate::args::Reading;
use crate::console::{BOLD, Console};
use crate::table::{RowStyle, Table};

/// Arguments of `mercer inspect`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer inspect patients.csv
  mercer inspect K.npy
  mercer inspect iris.mercer
  mercer inspect iris.mercer --locations where.csv  objects and the margin
  mercer inspect iris.csv -k 'sigmoid(gamma=0.1)'   is it positive semidefinite?")]
#[command(next_help_heading = "Inspecting")]
pub(crate) struct InspectArgs {
    /// A data file, a Gram matrix or a model
    #[arg(help_heading = None::<&'static str>)]
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
    let options = args.reading.options()?;
    if let Some(text) = &args.kernel {
        let expression = parse_kernel(text)?;
        let engine = console.engine()?;
        let data = training_set(read_data(&args.path, &options, console)?, console);
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
    inspect_data(&read_data(&args.path, &options, console)?, args, console)
}

/// Adds the file to a usage error of a model.
fn of_model(path: &Path, error: Error) -> Error {
    match error {
        Error::Usage { reason } => Error::parse(Place::file(path), Code::Usage, reason),
        other => other,
    }
}

fn inspect_data(data: &Dataset, args: &InspectArgs, console: &Console) -> Result<()> {
    console.line(format!(
        "{BOLD}{}{BOLD:#}: {}, {}",
        args.path.display(),
        counted(data.len(), "object"),
        counted(data.columns().len(), "column")
    ))?;
    let mut table = Table::new(&["column", "kind", ">missing", "values"]);
    let mut columns = Vec::new();
    for (at, column) in data.columns().iter().enumerate() {
        let missing = column.missing();
        if at < MOST_SHOWN {
            table.row(
                vec![
                    column.name.clone(),
                    column.values.kind().to_string(),
                    missing.to_string(),
                    summary(column),
                ],
                RowStyle::Plain,
            );
        }
        let mut facts = json!({
            "name": column.name, "kind": column.values.kind().name(), "missing": missing, "values": summary(column),
        });
        if let Values::Graphs(graphs) = &column.values {
            facts["graphs"] = describe_graphs(&GraphSummary::of(graphs));
        }
        columns.push(facts);
    }
    console.table(table)?;
    if data.columns().len() > MOST_SHOWN {
        console
            .line(format!("… and {} more columns; --json lists all", data.columns().len() - MOST_SHOWN))?;
    }
    let target = data.target().zip(data.target_name()).map(|(t, name)| describe_target(t, name));
    if let Some((text, _)) = &target {
        console.line(format!("target {text}"))?;
    }
    if let (Some(groups), Some(name)) = (data.groups(), data.group_name()) {
        console.line(format!("groups {name}: {}", groups.levels().len()))?;
    }
    let split = data.test().map(|test| {
        let tested = test.iter().filter(|t| **t).count();
        (test.len() - tested, tested)
    });
    if let Some((train, test)) = split {
        console.line(format!("split: {train} training objects, {test} test objects"))?;
    }
    console.document(
        "inspect",
        json!({
            "what": "data", "objects": data.len(), "columns": columns, "target": target.map(|(_, v)| v),
            "groups": data.group_name(), "split": split.map(|(train, test)| json!({"train": train, "test": test})), "fingerprint": format!("{:032x}", data.fingerprint()),
            "warnings": data.warnings(),
        }),
    )
}

/// Columns printed at most.
const MOST_SHOWN: usize = 40;

fn describe_target(target: &Target, name: &str) -> (String, Value) {
    match target {
        Target::Classes(classes) => {
            let mut counts = vec![0usize; classes.levels().len()];
            (0..classes.len()).filter_map(|i| classes.code(i)).for_each(|c| counts[c as usize] += 1);
            let pairs: Vec<_> = classes.levels().iter().zip(&counts).collect();
            let text: Vec<_> = pairs.iter().take(12).map(|(level, n)| format!("{level} {n}")).collect();
            let more = if pairs.len() > 12 { ", …" } else { "" };
            let text = format!("{name}: {} classes ({}{more})", pairs.len(), text.join(", "));
            let counts: serde_json::Map<_, _> =
                pairs.into_iter().map(|(l, n)| (l.clone(), json!(n))).collect();
            (text, json!({ "name": name, "kind": "classes", "counts": counts }))
        }
        Target::Numbers(values) => {
            let (low, high, mean) = range(values.iter().copied());
            let text = format!("{name}: numbers from {low} to {high}, mean {mean:.6}");
            (text, json!({ "name": name, "kind": "numbers", "min": low, "max": high, "mean": mean }))
        }
    }
}

fn summary(column: &Column) -> String {
    let some = |n: usize, levels: &mut dyn Iterator<Item = &str>| {
        let shown: Vec<_> = levels.take(5).collect();
        format!("{n} distinct: {}{}", shown.join(", "), if n > 5 { ", …" } else { "" })
    };
    match &column.values {
        Values::Numbers(x) => {
            let (low, high, mean) = range(x.values().iter().copied().filter(|v| !v.is_nan()));
            let width = if x.cols() > 1 { format!("{} numbers each, ", x.cols()) } else { String::new() };
            format!("{width}{low} … {high}, mean {mean:.6}")
        }
        Values::Sparse(x) => {
            let density = x.stored() as f64 / (x.rows() as f64 * x.dim() as f64).max(1.0);
            format!("{} dimensions, {} stored ({:.3} %)", x.dim(), x.stored(), 100.0 * density)
        }
        Values::Categories(c) => some(c.levels().len(), &mut c.levels().iter().map(String::as_str)),
        Values::Strings(v) | Values::Text(v) => {
            let lengths = v.iter().flatten().map(|s| s.chars().count() as f64);
            let (low, high, mean) = range(lengths);
            format!("{low} … {high} characters, mean {mean:.1}")
        }
        Values::Molecules(all) => {
            let (low, high, mean) =
                range(all.iter().filter(|m| !m.is_empty()).map(|m| m.atoms().len() as f64));
            let mixtures = all.iter().filter(|m| m.fragments().len() > 1).count();
            let mixtures = if mixtures > 0 {
                format!("; {mixtures} of several parts, such as salts")
            } else {
                String::new()
            };
            format!("{low} … {high} heavy atoms, mean {mean:.1}{mixtures}")
        }
        Values::Precomputed(p) => format!("similarities to {} objects", p.references()),
        Values::Nodes(nodes) => {
            let network = nodes.network();
            let weights = if network.is_weighted() { ", weighted" } else { "" };
            format!("of a graph of {} nodes and {} edges{weights}", network.len(), network.edges())
        }
        Values::Graphs(graphs) => {
            let g = GraphSummary::of(graphs);
            let size = |s: &Spread| format!("{} … {}, mean {:.2}", s.min, s.max, s.mean);
            let direction = match g.directed {
                0 => "undirected".to_owned(),
                n if n == graphs.len() => "directed".to_owned(),
                n => format!("{n} directed"),
            };
            let loops = if g.loops > 0 { format!(", {} loops", g.loops) } else { String::new() };
            let edgeless =
                if g.edgeless > 0 { format!(", {} without edges", g.edgeless) } else { String::new() };
            format!(
                "nodes {}; edges {}; {direction}{loops}{edgeless}; {}",
                size(&g.nodes),
                size(&g.edges),
                g.features()
            )
        }
        other => format!("{} objects", other.len()),
    }
}

fn describe_graphs(g: &GraphSummary) -> Value {
    let spread = |s: &Spread| json!({ "min": s.min, "mean": s.mean, "max": s.max });
    json!({
        "nodes": spread(&g.nodes), "edges": spread(&g.edges), "directed": g.directed, "edgeless": g.edgeless,
        "loops": g.loops, "node_labels": g.node_labels, "edge_labels": g.edge_labels,
        "weights": g.weights.map(|(low, high)| json!({ "min": low, "max": high })),
        "node_attributes": g.node_attributes, "edge_attributes": g.edge_attributes,
    })
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
