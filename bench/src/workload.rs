//! The timed workloads.

use std::path::{Path, PathBuf};

use mercer::data::{Dataset, Dense, Values, Vectors};
use mercer::gram::Engine;
use mercer::kernel::vector::{Laplacian, Linear, Rbf};
use mercer::read::{Options, read};

use crate::graphs::Graphs;
use crate::models::Task;
use crate::series::Alignments;
use crate::strings::Texts;
use crate::{Outcome, data};

/// Number of entries of a Gram matrix that are compared with the peer.
const SAMPLE: usize = 100_000;

/// A workload with its data in memory.
pub(crate) enum Workload {
    Linear(Vectors),
    Rbf(Vectors, Rbf),
    Laplacian(Vectors, Laplacian),
    Csv(PathBuf),
    Learn(Task),
    Graphs(Graphs),
    Texts(Texts),
    Series(Alignments),
}

/// The result of a workload.
pub(crate) enum Product {
    Gram(Dense),
    Table(Box<Dataset>),
    Numbers(Vec<f64>),
}

impl Workload {
    /// The workload of that name. `peers.py` has the same list, with the same sizes and parameters.
    pub(crate) fn load(name: &str, folder: &Path) -> Outcome<Self> {
        let dense = |rows| -> Outcome<Vectors> { Ok(data::dense(&folder.join("vectors.f64"), rows)?.into()) };
        let sparse = || -> Outcome<Vectors> { Ok(data::sparse(&folder.join("sparse.csr"))?.into()) };
        if let Some(task) = Task::load(name, folder)? {
            return Ok(Workload::Learn(task));
        }
        if let Some(graphs) = Graphs::load(name)? {
            return Ok(Workload::Graphs(graphs));
        }
        if let Some(texts) = Texts::load(name, folder)? {
            return Ok(Workload::Texts(texts));
        }
        if let Some(series) = Alignments::load(name, folder)? {
            return Ok(Workload::Series(series));
        }
        Ok(match name {
            "gram-rbf" => Workload::Rbf(dense(8000)?, Rbf::new(0.01)?),
            "gram-linear" => Workload::Linear(dense(8000)?),
            "gram-laplacian" => Workload::Laplacian(dense(2000)?, Laplacian::new(0.01)?),
            "gram-sparse-linear" => Workload::Linear(sparse()?),
            "gram-sparse-rbf" => Workload::Rbf(sparse()?, Rbf::new(0.05)?),
            "read-csv" => Workload::Csv(folder.join("numbers.csv")),
            "read-tall" | "read-wide" => Workload::Csv(folder.join(format!("{name}.csv"))),
            _ => return Err(format!("unknown workload: {name}").into()),
        })
    }

    /// Does the work once, from plain data to the result.
    pub(crate) fn run(&self) -> Outcome<Product> {
        let engine = Engine::new();
        Ok(Product::Gram(match self {
            Workload::Csv(path) => return Ok(Product::Table(read(path, &Options::default())?.into())),
            Workload::Learn(task) => return Ok(Product::Numbers(task.run()?)),
            Workload::Graphs(graphs) => graphs.run(&engine)?,
            Workload::Texts(texts) => texts.run(&engine)?,
            Workload::Series(series) => return series.run(&engine),
            Workload::Linear(x) => engine.gram(&Linear, x)?,
            Workload::Rbf(x, kernel) => engine.gram(kernel, x)?,
            Workload::Laplacian(x, kernel) => engine.gram(kernel, x)?,
        }))
    }
}

impl Product {
    /// Entries at the same random positions as in `peers.py`; for a table, its size and sum.
    pub(crate) fn sample(&self) -> Vec<f64> {
        match self {
            Product::Gram(k) => entries(k),
            Product::Table(table) => summary(table),
            Product::Numbers(numbers) => numbers.clone(),
        }
    }
}

fn entries(k: &Dense) -> Vec<f64> {
    let mut state = 1u64;
    let mut below = |n: usize| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) as usize % n.max(1)
    };
    (0..SAMPLE)
        .map(|_| {
            let i = below(k.rows());
            k.at(i, below(k.cols()))
        })
        .collect()
}

fn summary(table: &Dataset) -> Vec<f64> {
    let sums = table.columns().iter().map(|column| match &column.values {
        Values::Numbers(x) => x.values().iter().sum::<f64>(),
        _ => f64::NAN,
    });
    vec![table.len() as f64, table.columns().len() as f64, sums.sum()]
}
