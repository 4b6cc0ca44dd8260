//! `mercer map`: writes coordinates of objects in a kernel's feature space.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mercer::data::{Dataset, Dense, Target, Vectors};
use mercer::expression::Expression;
use mercer::gram::{Engine, LinearWalk, Map, SpectralMap};
use mercer::kernel::Features;
use mercer::read::Options;
use mercer::{Error, Result};
use serde_json::json;

use super::fit::training_set;
use super::paths::Paths;
use super::sets::drop_missing;
use super::{check_ending, fit, in_file, parse_kernel, read_data, read_new, write_file, write_matrix};
use crate::args::DataArgs;
use crate::console::Console;

/// Arguments of `mercer map`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer map iris.csv -k 'rbf(gamma=0.5)' --kind mercer --rank 2 -o plane.csv
  mercer map iris.csv -k 'polynomial(degree=2)' --kind explicit -o monomials.csv
  mercer map molecules/ -k 'wl(h=3)' --kind explicit -o subtrees.libsvm
  mercer map iris.csv -k linear --kind walk --steps 3 -o walk.csv")]
#[command(next_help_heading = "Mapping")]
pub(crate) struct MapArgs {
    /// The kernel
    #[arg(short, long, value_name = "EXPRESSION")]
    kernel: String,
    /// Kind of coordinates
    #[arg(long, value_enum, default_value_t = KindName::Mercer)]
    kind: KindName,
    /// Number of steps p for `--kind walk`
    #[arg(long, value_name = "P", default_value_t = 2)]
    steps: u32,
    /// Whether `--kind walk` divides inner products by λmax^(p-1), so that coordinates have the same scale for every p;
    /// λmax is the largest eigenvalue of the centred data's inner products
    #[arg(long, value_enum, default_value_t = ScaleName::Radius)]
    scale: ScaleName,
    /// Keep the R Mercer coordinates with the largest eigenvalues
    #[arg(long, value_name = "R")]
    rank: Option<usize>,
    /// Map these new objects instead, with the map fitted to DATA
    #[arg(long, value_name = "DATA")]
    new: Option<PathBuf>,
    /// File to write: .npy or .csv; explicit features also as .libsvm (sparse, with the target as labels and the
    /// feature names in FILE.names)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    #[command(flatten)]
    data: DataArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KindName {
    /// √Λ·Uᵀ: uncorrelated coordinates by decreasing eigenvalue, as in kernel PCA without centring
    Mercer,
    /// K^(-1/2)·k(x): one coordinate per training object
    Empirical,
    /// The kernel's explicit features with their names, if it has them
    Explicit,
    /// (D/λmax)^((p-1)/2)·Uᵀ·(x - mean): coordinates whose inner products are those of a walk of p steps, divided by
    /// λmax^(p-1) unless `--scale none`; for the kernel `linear`
    Walk,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ScaleName {
    /// Divide inner products by λmax^(p-1)
    Radius,
    /// Do not divide
    None,
}

impl MapArgs {
    pub(crate) fn paths(&self) -> Paths<'_> {
        let paths = Paths::default().reads(self.data.inputs()).reads(&self.new).writes([&self.output]);
        paths.writes_next_to(Some(&self.output), &[".names"])
    }
}

pub(crate) fn run(args: &MapArgs, console: &Console) -> Result<()> {
    let expression = parse_kernel(&args.kernel)?;
    if args.rank == Some(0) || args.rank.is_some() && args.kind != KindName::Mercer {
        return Err(Error::usage(
            "--rank is for --kind mercer, and at least 1: other coordinates have no order of importance",
        ));
    }
    let options = args.data.reading.options()?;
    match args.kind {
        KindName::Explicit => check_ending(&args.output, &["npy", "csv", "libsvm"], "features are")?,
        _ => check_ending(&args.output, &["npy", "csv"], "coordinates are")?,
    }
    let engine = console.engine()?;
    let data = read_data(&args.data.data, &options, console)?;
    let data = drop_missing(data, args.data.reading.drops_missing(), &[&expression], console)?;
    let new = match &args.new {
        Some(path) => Some(read_new(path, &Options { split: None, ..options.clone() }, &data, console)?),
        // With a test set, everything is fitted to the training set, and all objects get coordinates.
        None => data.test().map(|_| data.clone().without_test()),
    };
    let training = training_set(data, console);
    // The kernel was fitted to the training objects, so errors found now are in the new ones.
    let fault = |e| in_file(args.new.as_ref().unwrap_or(&args.data.data), e);
    let shown = new.as_ref().unwrap_or(&training);
    let mut divided_by = None;
    let (coordinates, names, transductive) = if args.kind == KindName::Explicit {
        let features = match expression.is_fitted() && new.is_some() {
            true => restored(&expression, &training, shown, &engine),
            false => expression.explicit_features(shown),
        };
        let features = features.map_err(fault)?;
        if is_libsvm(&args.output) {
            return write_sparse(args, &expression, &features, &Labels::of(&training, shown), console);
        }
        let entries = features.values.len().saturating_mul(features.values.dim());
        if entries > MOST_ENTRIES {
            let (rows, columns) = (features.values.len(), features.values.dim());
            let (needed, allowed) = (8 * entries as u64, 8 * MOST_ENTRIES as u64);
            let what = format!("a dense table of {rows} × {columns} features (.libsvm files omit zeros)");
            return Err(Error::MemoryPlan { needed, allowed, what });
        }
        (features.values.to_dense(), features.names, false)
    } else if args.kind == KindName::Walk {
        let (coordinates, factor) = walk_coordinates(&expression, args, &training, shown).map_err(fault)?;
        divided_by = Some(factor);
        let names = numbered(&coordinates);
        (coordinates, names, false)
    } else {
        let fitted = fit(&expression, &training, &args.data.data, &engine, console)?;
        engine.plan_matrices("a matrix and its eigenvectors", training.len(), 8)?;
        let gram = engine.gram(&fitted.kernel, &training).map_err(|e| in_file(&args.data.data, e))?;
        let kind = if args.kind == KindName::Mercer { Map::Mercer } else { Map::Empirical };
        let mut map = SpectralMap::fit(&gram, kind).map_err(|e| in_file(&args.data.data, e))?;
        if let Some(rank) = args.rank {
            map = map.truncate(rank);
        }
        let coordinates = match &new {
            Some(new) => map.apply(&engine.cross(&fitted.kernel, new, &training).map_err(fault)?)?,
            None => map.training(),
        };
        let names = numbered(&coordinates);
        (coordinates, names, fitted.is_transductive())
    };
    write_matrix(&args.output, &coordinates, Some(&names))?;
    console.line(format!(
        "{}: {} objects, {} coordinates",
        args.output.display(),
        coordinates.rows(),
        coordinates.cols()
    ))?;
    if let Some(factor) = divided_by.filter(|factor| *factor != 1.0) {
        console.line(format!(
            "inner products are those of the walk divided by λmax^{} = {factor:.6e}; --scale none does not divide them",
            args.steps.saturating_sub(1)
        ))?;
    }
    let mut document = json!({
        "kernel": expression.to_string(), "rows": coordinates.rows(), "cols": coordinates.cols(),
        "names": if names.len() <= 1000 { Some(names) } else { None }, "output": args.output,
        "transductive": transductive,
    });
    if let Some(factor) = divided_by {
        document["divided_by"] = json!(factor);
    }
    console.document("map", document)
}

/// The explicit features of objects under a kernel fitted to others.
fn restored(
    expression: &Expression,
    training: &Dataset,
    shown: &Dataset,
    engine: &Engine,
) -> Result<Features> {
    let used = expression.columns_used(training)?;
    let of = |data: &Dataset| -> Result<Dataset> {
        let columns = used.iter().map(|name| data.column(name).cloned()).collect::<Result<Vec<_>>>()?;
        data.with_columns(columns)
    };
    let fitted = expression.fit(&of(training)?, engine)?;
    expression.restored_features(&of(shown)?, fitted.steps)
}

/// Entries of the largest dense table of explicit features: 4 GB.
const MOST_ENTRIES: usize = 1 << 29;

fn is_libsvm(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("libsvm"))
}

/// The labels of a LIBSVM file.
struct Labels {
    /// The label of each object.
    numbers: Vec<f64>,
    /// The class names by label, if they are not numbers.
    classes: Option<Vec<String>>,
}

impl Labels {
    /// Labels from the target: numbers and numeric class names as numbers, other classes numbered from 0 in the order
    /// of the training objects. Objects without a target have label 0, as written by LIBSVM's own tools.
    fn of(training: &Dataset, shown: &Dataset) -> Self {
        let classes = match shown.target() {
            Some(Target::Numbers(numbers)) => return Labels { numbers: numbers.clone(), classes: None },
            Some(Target::Classes(classes)) => classes,
            _ => return Labels { numbers: vec![0.0; shown.len()], classes: None },
        };
        let mut names: Vec<String> = match training.target() {
            Some(Target::Classes(known)) => known.levels().to_vec(),
            _ => Vec::new(),
        };
        let known: HashSet<&String> = names.iter().collect();
        let others: Vec<String> = classes.levels().iter().filter(|l| !known.contains(l)).cloned().collect();
        names.extend(others);
        let places: HashMap<&str, usize> = names.iter().map(String::as_str).zip(0..).collect();
        let written: Option<Vec<f64>> =
            names.iter().map(|n| n.parse().ok().filter(|v: &f64| v.is_finite())).collect();
        let number = |name: &str| {
            let at = places.get(name).copied().unwrap_or(0);
            written.as_ref().map_or(at as f64, |w| w[at])
        };
        let numbers = (0..classes.len()).map(|i| classes.get(i).map_or(0.0, &number)).collect();
        Labels { numbers, classes: if written.is_some() { None } else { Some(names) } }
    }
}

/// Writes nonzero features as LIBSVM text, and their names to a second file, one per line.
fn write_sparse(
    args: &MapArgs,
    expression: &Expression,
    features: &Features,
    labels: &Labels,
    console: &Console,
) -> Result<()> {
    let (rows, cols) = (features.values.len(), features.values.dim());
    write_file(&args.output, |out| {
        for i in 0..rows {
            write!(out, "{}", labels.numbers.get(i).copied().unwrap_or(0.0))?;
            match &features.values {
                Vectors::Dense(x) => {
                    let stored = x.row(i).iter().enumerate().filter(|(_, v)| **v != 0.0);
                    stored.into_iter().try_for_each(|(f, v)| write!(out, " {}:{v}", f + 1))?;
                }
                Vectors::Sparse(x) => {
                    let stored = x.row(i).0.iter().zip(x.row(i).1);
                    stored.into_iter().try_for_each(|(f, v)| write!(out, " {}:{v}", f + 1))?;
                }
            }
            writeln!(out)?;
        }
        Ok(())
    })?;
    let mut names = args.output.as_os_str().to_owned();
    names.push(".names");
    let names = PathBuf::from(names);
    let line = |name: &String| name.replace(['\n', '\r'], " ");
    write_file(&names, |out| features.names.iter().try_for_each(|name| writeln!(out, "{}", line(name))))?;
    let shown = args.output.display();
    console.line(format!("{shown}: {rows} objects, {cols} coordinates; names in {}", names.display()))?;
    if let Some(classes) = &labels.classes {
        let list: Vec<String> =
            classes.iter().enumerate().map(|(at, name)| format!("{at} = {name}")).collect();
        console.line(format!("labels: {}", list.join(", ")))?;
    }
    console.document(
        "map",
        json!({
            "kernel": expression.to_string(), "rows": rows, "cols": cols, "output": args.output, "names": null,
            "names_file": names, "classes": labels.classes, "transductive": false,
        }),
    )
}

fn numbered(coordinates: &Dense) -> Vec<String> {
    (1..=coordinates.cols()).map(|i| format!("phi{i}")).collect()
}

/// The coordinates of a walk on inner products, and the factor that the inner products were divided by.
fn walk_coordinates(
    expression: &Expression,
    args: &MapArgs,
    training: &Dataset,
    shown: &Dataset,
) -> Result<(Dense, f64)> {
    if !expression.is_inner_product() {
        return Err(Error::usage(
            "--kind walk needs the kernel linear; for walks on other kernels use --kind mercer",
        ));
    }
    let columns = expression.columns_used(training)?;
    let dense = |data: &Dataset| data.vectors(&columns).map(|x| x.to_dense());
    let walk = LinearWalk::fit(&dense(training)?)?;
    match args.scale {
        ScaleName::Radius => Ok((walk.transform(&dense(shown)?, args.steps)?, walk.factor(args.steps))),
        ScaleName::None => Ok((walk.transform_unscaled(&dense(shown)?, args.steps)?, 1.0)),
    }
}
