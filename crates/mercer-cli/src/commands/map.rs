//! `mercer map`: coordinates of objects in a kernel's feature space.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use mercer::data::{Dataset, Dense, Vectors};
use mercer::expression::Expression;
use mercer::gram::{FeatureMap, LinearWalk, Map};
use mercer::kernel::Features;
use mercer::{Error, Result};
use serde_json::json;

use super::{fit, in_file, parse_kernel, read_data, read_new, write_file, write_matrix};
use crate::args::DataArgs;
use crate::console::Console;

/// Arguments of `mercer map`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer map iris.csv -k 'rbf(gamma=0.5)' --kind mercer --rank 2 -o plane.csv
  mercer map iris.csv -k 'polynomial(degree=2)' --kind explicit -o monomials.csv
  mercer map molecules/ -k 'wl(h=3)' --kind explicit -o subtrees.libsvm     with subtrees.libsvm.names beside it
  mercer map iris.csv -k linear --kind walk --steps 3 -o walked.csv")]
pub(crate) struct MapArgs {
    #[command(flatten)]
    data: DataArgs,
    /// The kernel
    #[arg(short, long, value_name = "EXPRESSION")]
    kernel: String,
    /// Which coordinates
    #[arg(long, value_enum, default_value_t = KindName::Mercer)]
    kind: KindName,
    /// Steps of the walk whose coordinates `--kind walk` gives
    #[arg(long, value_name = "P", default_value_t = 2)]
    steps: u32,
    /// Keep so many Mercer coordinates, those of the largest eigenvalues
    #[arg(long, value_name = "R")]
    rank: Option<usize>,
    /// Map these new objects instead, with the map fitted to DATA
    #[arg(long, value_name = "DATA")]
    new: Option<PathBuf>,
    /// File to write: .npy or .csv; of explicit features also .libsvm, sparse, with the names in FILE.names
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum KindName {
    /// √Λ·Uᵀ: uncorrelated coordinates by falling eigenvalue, as in kernel PCA without centring
    Mercer,
    /// K^(-1/2)·k(x): one coordinate per training object
    Empirical,
    /// The kernel's own features by name, where they can be written out
    Explicit,
    /// D^((p-1)/2)·Uᵀ·(x - mean): what an inner product sees after p steps of a walk; for the kernel `linear`
    Walk,
}

pub(crate) fn run(args: &MapArgs, console: &Console) -> Result<()> {
    let expression = parse_kernel(&args.kernel)?;
    if args.rank == Some(0) || args.rank.is_some() && args.kind != KindName::Mercer {
        return Err(Error::usage(
            "--rank keeps one Mercer coordinate or more; other maps have no order of importance",
        ));
    }
    let options = args.data.reading.options()?;
    let engine = console.engine()?;
    let training = read_data(&args.data.data, &options, console)?;
    let new = match &args.new {
        Some(path) => Some(read_new(path, &options, &training, console)?),
        None => None,
    };
    // What does not fit the kernel is in the new objects: it was fitted to the others.
    let fault = |e| in_file(args.new.as_ref().unwrap_or(&args.data.data), e);
    let shown = new.as_ref().unwrap_or(&training);
    let (coordinates, names, transductive) = if args.kind == KindName::Explicit {
        let features = expression.explicit_features(shown).map_err(fault)?;
        if is_libsvm(&args.output) {
            return write_sparse(args, &expression, &features, console);
        }
        let entries = features.values.len().saturating_mul(features.values.dim());
        if entries > MOST_ENTRIES {
            let what =
                format!("{} × {} features with every zero", features.values.len(), features.values.dim());
            let (needed, allowed) = (8 * entries as u64, 8 * MOST_ENTRIES as u64);
            return Err(Error::MemoryPlan {
                needed,
                allowed,
                what: format!("{what}, which a .libsvm file leaves out,"),
            });
        }
        (features.values.to_dense(), features.names, false)
    } else if args.kind == KindName::Walk {
        let coordinates = walked(&expression, args.steps, &training, shown).map_err(fault)?;
        let names = numbered(&coordinates);
        (coordinates, names, false)
    } else {
        let fitted = fit(&expression, &training, &args.data.data, &engine, console)?;
        engine.plan_matrices("a matrix and its eigenvectors", training.len(), 8)?;
        let gram = engine.gram(&fitted.kernel, &training).map_err(|e| in_file(&args.data.data, e))?;
        let kind = if args.kind == KindName::Mercer { Map::Mercer } else { Map::Empirical };
        let mut map = FeatureMap::fit(&gram, kind).map_err(|e| in_file(&args.data.data, e))?;
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
    console.document(
        "map",
        json!({
            "kernel": expression.to_string(), "rows": coordinates.rows(), "cols": coordinates.cols(),
            "names": if names.len() <= 1000 { Some(names) } else { None }, "output": args.output,
            "transductive": transductive,
        }),
    )
}

/// Values of explicit features that are written with every zero: 4 GB.
const MOST_ENTRIES: usize = 1 << 29;

fn is_libsvm(path: &Path) -> bool {
    path.extension().is_some_and(|e| e.eq_ignore_ascii_case("libsvm"))
}

/// Writes features that are not 0 as LIBSVM text, target 0, and their names a line each beside it.
fn write_sparse(
    args: &MapArgs,
    expression: &Expression,
    features: &Features,
    console: &Console,
) -> Result<()> {
    let (rows, cols) = (features.values.len(), features.values.dim());
    write_file(&args.output, |out| {
        for i in 0..rows {
            write!(out, "0")?;
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
    console.document(
        "map",
        json!({
            "kernel": expression.to_string(), "rows": rows, "cols": cols, "output": args.output, "names": null,
            "names_file": names, "transductive": false,
        }),
    )
}

fn numbered(coordinates: &Dense) -> Vec<String> {
    (1..=coordinates.cols()).map(|i| format!("phi{i}")).collect()
}

/// The walk over inner products as a map of the data.
fn walked(expression: &Expression, steps: u32, training: &Dataset, shown: &Dataset) -> Result<Dense> {
    if !matches!(expression, Expression::Call(call) if call.entry.facts.name == "linear") {
        return Err(Error::usage(
            "--kind walk is for the kernel linear; --kind mercer takes walks over any other",
        ));
    }
    let columns = expression.columns_used(training)?;
    let dense = |data: &Dataset| data.vectors(&columns).map(|x| x.to_dense());
    LinearWalk::fit(&dense(training)?)?.transform(&dense(shown)?, steps)
}
