//! `mercer gram`: computes a Gram matrix.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use mercer::data::{Dataset, Dense};
use mercer::error::bytes;
use mercer::expression::Expression;
use mercer::gram::{
    Engine, Markov, Output, Scalar, ToFile, WriteStatistics, check_finite, check_symmetric, conjugate, tensor,
};
use mercer::kernel::{Boxed, Kernel};
use mercer::read::{self, Options};
use mercer::{Error, Result};
use serde_json::json;

use super::paths::Paths;
use super::sets::{self, drop_missing};
use super::{check_ending, fit, in_file, is_csv, parse_kernel, read_data, read_new, write_matrix};
use crate::args::DataArgs;
use crate::console::Console;
use crate::table::{RowStyle, Table};

/// Arguments of `mercer gram`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer gram iris.csv -k 'standardize(rbf(gamma=0.5))' -o K.npy
  mercer gram train.csv -k 'rbf(gamma=0.1)@age,weight + delta@sex' \\
    --new test.csv -o test-by-train.npy
  mercer gram iris.csv -k 'standardize(rbf(gamma=0.5))' --transitions 3 -o P.npy
  mercer gram nodes.csv --edges edges.csv -k 'node-diffusion(beta=0.1)' \\
    --nodes 17,42 -o columns.npy
  mercer gram iris.csv -k euclidean --distances -o D.csv
  mercer gram path.csv --edges path-edges.csv -k node-diffusion \\
    --tensor ring.npy -o pairs.npy         nodes of a product graph
  mercer gram nodes.csv --edges edges.csv -k node-diffusion \\
    --conjugate T.npy -o groups.npy        groups of nodes

An interrupted run leaves K.npy.partial and K.npy.journal; the same command resumes it.")]
#[command(next_help_heading = "Computing")]
pub(crate) struct GramArgs {
    /// The kernel, as `mercer kernels` explains
    #[arg(short, long, value_name = "EXPRESSION")]
    kernel: String,
    /// File to write: .npy (resumable) or .csv; without it the upper left corner is printed
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// New objects for the rows; the columns are the objects of DATA, which the kernel is fitted to
    #[arg(long, value_name = "DATA")]
    new: Option<PathBuf>,
    /// Instead of similarities, the transition probabilities (D⁻¹K)^P of a random walk of P steps: rows sum to 1, and
    /// the matrix is not symmetric
    #[arg(long, value_name = "P", conflicts_with_all = ["new", "f32", "fresh"])]
    transitions: Option<u32>,
    /// Only the columns of these nodes, by name, separated by commas; for kernels between nodes, on graphs of any size
    #[arg(long, value_name = "NAMES", value_delimiter = ',', conflicts_with_all = ["new", "f32", "fresh", "transitions", "distances"])]
    nodes: Vec<String>,
    /// Instead of similarities, the distances of objects in feature space; for a distance such as dtw, that distance
    #[arg(long, conflicts_with_all = ["transitions", "f32", "fresh"])]
    distances: bool,
    /// Instead of K, the tensor product K ⊗ L with another Gram matrix L, on all pairs (x, y), ordered by x. For
    /// diffusion on two graphs it is diffusion on their product, whose generator is H₁⊗I + I⊗H₂
    #[arg(long, value_name = "L.npy", conflicts_with_all = ["new", "f32", "fresh", "nodes", "transitions", "distances"])]
    tensor: Option<PathBuf>,
    /// Instead of K, the matrix Tᵀ·K·T of linear combinations of the objects in DATA: T has a row for each object
    /// (after --tensor: for each pair), a column for each combination, and need not be square
    #[arg(long, value_name = "T.npy", conflicts_with_all = ["new", "f32", "fresh", "nodes", "transitions", "distances"])]
    conjugate: Option<PathBuf>,
    /// Write single precision: half the size
    #[arg(long)]
    f32: bool,
    /// Start over even if there is unfinished work
    #[arg(long)]
    fresh: bool,
    #[command(flatten)]
    data: DataArgs,
}

impl GramArgs {
    pub(crate) fn paths(&self) -> Paths<'_> {
        let inputs = self.new.iter().chain(&self.tensor).chain(&self.conjugate);
        let paths = Paths::default().reads(self.data.inputs()).reads(inputs).writes(&self.output);
        paths.writes_next_to(self.output.as_ref(), &[".partial", ".journal"])
    }
}

pub(crate) fn run(args: &GramArgs, console: &Console) -> Result<()> {
    let expression = parse_kernel(&args.kernel)?;
    let options = args.data.reading.options()?;
    if let (Some(column), true) = (&options.split, args.transitions.is_some() || !args.nodes.is_empty()) {
        return Err(Error::usage(format!(
            "--transitions and --nodes use all objects: --split-column {column} cannot keep some of them apart"
        )));
    }
    if let Some(path) = &args.output {
        check_ending(path, &["npy", "csv"], "matrices are")?;
    }
    let engine = console.engine()?;
    let training = read_data(&args.data.data, &options, console)?;
    let training = drop_missing(training, args.data.reading.drops_missing(), &[&expression], console)?;
    let new = match &args.new {
        Some(path) => Some(read_new(path, &options, &training, console)?),
        None => None,
    };
    if args.f32 && args.output.as_deref().is_none_or(is_csv) {
        return Err(Error::usage("--f32 is for npy files: give -o K.npy"));
    }
    let started = Instant::now();
    if !args.nodes.is_empty() {
        return columns(args, &expression, &training, &engine, console, started);
    }
    // What a kernel learns, it learns from the training set; the matrix is of all objects.
    let learning = sets::training(&training);
    if learning.len() < training.len() {
        console.note(format!("fitted to the {} objects of the training set", learning.len()));
    }
    let fitted = fit(&expression, &learning, &args.data.data, &engine, console)?;
    drop(learning);
    let training = training.without_test();
    let (mut rows, mut cols) = (new.as_ref().map_or(training.len(), Dataset::len), training.len());
    let derived = Derived::read(args, &options)?;
    if let Some(count) = derived.objects(rows)? {
        engine.plan_matrices("a matrix and those derived from it", count.0.max(count.1), 3)?;
        (rows, cols) = (count.1, count.1);
    }
    let entry = if args.f32 { 4 } else { 8 };
    console.note(format!(
        "plan: {rows} × {cols} entries of {entry} bytes = {}, {} threads",
        bytes(rows as u64 * cols as u64 * entry),
        engine.threads()
    ));
    let work = Work { engine: &engine, kernel: &fitted.kernel, training: &training, new: new.as_ref() };
    // The kernel was fitted to the training objects, so errors found now are in the new ones.
    let fault = |e| in_file(args.new.as_ref().unwrap_or(&args.data.data), e);
    let in_memory = || match args.transitions {
        Some(p) => {
            engine.plan_matrices("a matrix and its powers", rows, 6)?;
            Markov::of(&work.in_memory()?)?.transitions(p)
        }
        None if args.distances => work.distances(),
        None => derived.of(work.in_memory()?),
    };
    let whole = args.transitions.is_some() || args.distances || derived.is_wanted();
    let written = match &args.output {
        Some(path) if !is_csv(path) && !whole => {
            let output = Output { path, data: work.fingerprint(), fresh: args.fresh };
            let written = if args.f32 { work.to_file::<f32>(&output) } else { work.to_file::<f64>(&output) };
            Some(written.map_err(fault)?)
        }
        Some(path) => {
            write_matrix(path, &in_memory().map_err(fault)?, None)?;
            None
        }
        None => {
            show_corner(&in_memory().map_err(fault)?, console)?;
            None
        }
    };
    let seconds = started.elapsed().as_secs_f64();
    if let (Some(path), false) = (&args.output, console.is_json()) {
        let resumed = written.filter(|w| w.resumed > 0);
        let resumed =
            resumed.map_or(String::new(), |w| format!(", {} of {} tiles resumed", w.resumed, w.tiles));
        console.line(format!("{}: {rows} × {cols}, {seconds:.2} s{resumed}", path.display()))?;
    }
    console.document(
        "gram",
        json!({
            "kernel": expression.to_string(), "rows": rows, "cols": cols, "definiteness": fitted.kernel.definiteness().to_string(),
            "transductive": fitted.is_transductive() || args.transitions.is_some(), "transitions": args.transitions,
            "distances": args.distances, "tensor": args.tensor, "conjugate": args.conjugate, "output": args.output, "dtype": if args.f32 { "f32" } else { "f64" }, "seconds": seconds,
            "tiles": written.map(|w| w.tiles), "tiles_resumed": written.map(|w| w.resumed),
            "warnings": fitted.warnings.iter().chain(training.warnings()).map(ToString::to_string).collect::<Vec<_>>(),
        }),
    )
}

/// Computes the columns of the given nodes.
fn columns(
    args: &GramArgs,
    expression: &Expression,
    data: &Dataset,
    engine: &Engine,
    console: &Console,
    started: Instant,
) -> Result<()> {
    let computed = expression.node_columns(data, &args.nodes, engine);
    let (matrix, error) = computed.map_err(|e| in_file(&args.data.data, e))?;
    match &args.output {
        Some(path) => write_matrix(path, &matrix, None)?,
        None => show_corner(&matrix, console)?,
    }
    let (rows, cols, seconds) = (matrix.rows(), matrix.cols(), started.elapsed().as_secs_f64());
    let output = args.output.as_ref().map_or_else(|| "columns".into(), |path| path.display().to_string());
    console
        .line(format!("{output}: {rows} × {cols}, each within {error:.1e}, {seconds:.2} s; transductive"))?;
    console.document(
        "gram",
        json!({
            "kernel": expression.to_string(), "rows": rows, "cols": cols, "nodes": args.nodes, "error": error,
            "transductive": true, "output": args.output, "dtype": "f64", "seconds": seconds,
            "warnings": data.warnings(),
        }),
    )
}

/// Matrices that derive a new Gram matrix from the computed one.
struct Derived {
    tensor: Option<Dense>,
    conjugate: Option<Dense>,
}

impl Derived {
    fn read(args: &GramArgs, options: &Options) -> Result<Self> {
        let matrix = |path: &Option<PathBuf>| {
            path.as_ref()
                .map(|path| {
                    let matrix = read::matrix(path, options)?;
                    check_finite(&matrix).map_err(|e| in_file(path, e))?;
                    Ok(matrix)
                })
                .transpose()
        };
        let out = Derived { tensor: matrix(&args.tensor)?, conjugate: matrix(&args.conjugate)? };
        if let (Some(other), Some(path)) = (&out.tensor, &args.tensor) {
            check_symmetric(other).map_err(|e| in_file(path, e))?;
        }
        Ok(out)
    }

    fn is_wanted(&self) -> bool {
        self.tensor.is_some() || self.conjugate.is_some()
    }

    /// The rows of the largest intermediate matrix and of the result, given those of the computed one.
    fn objects(&self, rows: usize) -> Result<Option<(usize, usize)>> {
        if !self.is_wanted() {
            return Ok(None);
        }
        let pairs = rows.checked_mul(self.tensor.as_ref().map_or(1, Dense::rows));
        let pairs = pairs.ok_or_else(|| Error::usage("the tensor product has too many pairs"))?;
        Ok(Some((pairs, self.conjugate.as_ref().map_or(pairs, Dense::cols))))
    }

    fn of(&self, gram: Dense) -> Result<Dense> {
        let product = match &self.tensor {
            Some(other) => tensor(&gram, other)?,
            None => gram,
        };
        match &self.conjugate {
            Some(t) => conjugate(&product, t),
            None => Ok(product),
        }
    }
}

/// One computation of a Gram matrix.
struct Work<'a> {
    engine: &'a Engine,
    kernel: &'a Boxed<Dataset>,
    training: &'a Dataset,
    new: Option<&'a Dataset>,
}

impl Work<'_> {
    fn fingerprint(&self) -> String {
        let new = self.new.map_or(String::new(), |d| format!(" {:032x}", d.fingerprint()));
        format!("{:032x}{new}", self.training.fingerprint())
    }

    fn to_file<T: Scalar>(&self, output: &Output<'_>) -> Result<WriteStatistics> {
        let columns = self.engine.prepare(self.kernel, self.training)?;
        match self.new {
            Some(new) => {
                let rows = self.engine.prepare(self.kernel, new)?;
                self.engine.cross_to_file::<Dataset, _, T>(self.kernel, &rows, &columns, output)
            }
            None => self.engine.gram_to_file::<Dataset, _, T>(self.kernel, &columns, output),
        }
    }

    fn distances(&self) -> Result<Dense> {
        match self.new {
            Some(new) => self.engine.cross_distances(self.kernel, new, self.training),
            None => self.engine.distances(self.kernel, self.training),
        }
    }

    fn in_memory(&self) -> Result<Dense> {
        match self.new {
            Some(new) => self.engine.cross(self.kernel, new, self.training),
            None => self.engine.gram(self.kernel, self.training),
        }
    }
}

/// Rows and columns printed at most.
const CORNER: usize = 8;

fn show_corner(matrix: &Dense, console: &Console) -> Result<()> {
    let (rows, most) = (matrix.rows().min(CORNER), matrix.cols().min(CORNER));
    let text = |i: usize| matrix.row(i)[..most].iter().map(|v| format!("{v:.6}")).collect::<Vec<_>>();
    let values: Vec<Vec<String>> = (0..rows).map(text).collect();
    let widest = values.iter().flatten().map(String::len).max().unwrap_or(0);
    // Of a larger matrix only the columns that fit in one line are shown; a small one is shown whole.
    let cols = if matrix.cols() > most {
        (console.width().saturating_sub(1) / (widest + 2)).clamp(1, most)
    } else {
        most
    };
    let headings = [">1", ">2", ">3", ">4", ">5", ">6", ">7", ">8"];
    let mut table = Table::new(&[&[""], &headings[..cols]].concat());
    for (i, mut row) in values.into_iter().enumerate() {
        row.truncate(cols);
        row.insert(0, (i + 1).to_string());
        table.row(row, RowStyle::Plain);
    }
    console.table(table)?;
    if rows < matrix.rows() || cols < matrix.cols() {
        console.line(format!(
            "… {} × {} in total; -o K.npy writes the matrix",
            matrix.rows(),
            matrix.cols()
        ))?;
    }
    Ok(())
}
