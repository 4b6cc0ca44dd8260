//! A user-defined kernel with its own name: the Cauchy kernel 1 / (1 + |x - y|² / scale²).
//!
//! Call [`register`] once at the start. Then `cauchy(scale=2)` parses, accepts ranges in searches and works in sums and
//! wrappers, and models saved with it can be loaded wherever it is registered.

use mercer::data::{Kind, Vectors};
use mercer::expression::{self, Entry};
use mercer::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, declared};
use mercer::{Error, Result};

/// 1 / (1 + |x - y|² / scale²): similar to a Gaussian near 0, with heavier tails.
#[derive(Clone, Copy, Debug)]
pub struct Cauchy {
    scale: f64,
}

impl Cauchy {
    /// Its documentation, used by the parser, lists, documentation and law tests.
    pub const FACTS: Facts = Facts {
        name: "cauchy",
        summary: "A bell-shaped kernel with heavy tails.",
        formula: "1 / (1 + |x - y|² / scale²)",
        takes: "numbers",
        kinds: &[Kind::Numbers],
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[Parameter {
            name: "scale",
            default: "1",
            domain: Domain::Positive,
            doc: "the distance at which similarity is one half",
            alias: None,
        }],
        cost: "d multiplications",
        reference: "Basak 2008, A least square kernel machine with box constraints",
        example: "cauchy(scale=2)",
    };

    /// The kernel at a scale above 0.
    pub fn new(scale: f64) -> Result<Self> {
        Self::FACTS.check("scale", scale).map(|scale| Cauchy { scale })
    }

    fn value(&self, x: &[f64], y: &[f64]) -> f64 {
        let squared: f64 = x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum();
        1.0 / (1.0 + squared / (self.scale * self.scale))
    }
}

// Made from its settings and printed with them.
declared!(Cauchy { scale });

impl Kernel<Vectors> for Cauchy {
    type Prepared = Vec<Vec<f64>>;

    fn prepare(&self, objects: &Vectors) -> Result<Self::Prepared> {
        let dense = objects.to_dense();
        let rows: Vec<Vec<f64>> = (0..dense.rows()).map(|i| dense.row(i).to_vec()).collect();
        match rows.iter().position(|row| row.iter().any(|v| v.is_nan())) {
            Some(index) => Err(Error::Missing { index, column: "a coordinate".into() }),
            None => Ok(rows),
        }
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
            for (v, j) in row.iter_mut().zip(cols.range.clone()) {
                *v = self.value(&rows.set[i], &cols.set[j]);
            }
        }
        Ok(())
    }

    fn diagonal(&self, _: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        out.fill(1.0);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}

/// Adds the kernel to the registry. A second registration is refused, because the name is in use.
pub fn register() -> Result<&'static Entry> {
    expression::register(Entry::of::<Vectors, Cauchy>())
}
