//! The work that is timed.

use std::path::Path;

use mercer::data::{Dense, Vectors};
use mercer::gram::Engine;
use mercer::kernel::vector::{Laplacian, Linear, Rbf};

use crate::{Outcome, data};

/// The entries of a Gram matrix that are compared with the peer's.
const SAMPLE: usize = 100_000;

/// A workload with its data in memory.
pub(crate) enum Workload {
    Linear(Vectors),
    Rbf(Vectors, Rbf),
    Laplacian(Vectors, Laplacian),
}

/// What the work produced.
pub(crate) enum Product {
    Gram(Dense),
}

impl Workload {
    /// The workload of that name. `peers.py` has the same list, with the same sizes and parameters.
    pub(crate) fn load(name: &str, folder: &Path) -> Outcome<Self> {
        let dense = |rows| -> Outcome<Vectors> { Ok(data::dense(&folder.join("vectors.f64"), rows)?.into()) };
        let sparse = || -> Outcome<Vectors> { Ok(data::sparse(&folder.join("sparse.csr"))?.into()) };
        Ok(match name {
            "gram-rbf" => Workload::Rbf(dense(8000)?, Rbf::new(0.01)?),
            "gram-linear" => Workload::Linear(dense(8000)?),
            "gram-laplacian" => Workload::Laplacian(dense(2000)?, Laplacian::new(0.01)?),
            "gram-sparse-linear" => Workload::Linear(sparse()?),
            "gram-sparse-rbf" => Workload::Rbf(sparse()?, Rbf::new(0.05)?),
            _ => return Err(format!("no workload is called {name}").into()),
        })
    }

    /// Does the work once, from plain data to the finished result.
    pub(crate) fn run(&self) -> Outcome<Product> {
        let engine = Engine::new();
        Ok(Product::Gram(match self {
            Workload::Linear(x) => engine.gram(&Linear, x)?,
            Workload::Rbf(x, kernel) => engine.gram(kernel, x)?,
            Workload::Laplacian(x, kernel) => engine.gram(kernel, x)?,
        }))
    }
}

impl Product {
    /// Entries at positions that `peers.py` draws in the same way.
    pub(crate) fn sample(&self) -> Vec<f64> {
        let Product::Gram(k) = self;
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
}
