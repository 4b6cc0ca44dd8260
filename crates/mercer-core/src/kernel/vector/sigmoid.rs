//! The hyperbolic tangent, which is not positive semidefinite.

use super::{OfProducts, PreparedVectors, Vector};
use crate::error::Result;
use crate::kernel::facts::NUMERIC;
use crate::kernel::{Definiteness, Domain, Facts, Parameter, Part, declared};

/// tanh(gamma·x·y + c), the activation of a neural network layer.
///
/// It is declared indefinite: for most parameters its Gram matrices have negative eigenvalues. Wrap it in a repair;
/// otherwise solvers report that the matrix is not positive semidefinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sigmoid {
    gamma: f64,
    c: f64,
}

impl Sigmoid {
    /// tanh(gamma·x·y + c) with gamma above 0 and a finite c.
    pub fn new(gamma: f64, c: f64) -> Result<Self> {
        let facts = Sigmoid::FACTS;
        Ok(Sigmoid { gamma: facts.check("gamma", gamma)?, c: facts.check("c", c)? })
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "sigmoid",
        summary: "The hyperbolic tangent of the inner product; not positive semidefinite.",
        formula: "tanh(gamma · x·y + c)",
        takes: "numbers",
        kinds: NUMERIC,
        definiteness: Definiteness::Indefinite,
        parameters: &[
            super::gamma("factor of the inner product", None),
            Parameter {
                name: "c",
                default: "0",
                domain: Domain::Finite,
                doc: "offset inside the tangent",
                alias: None,
            },
        ],
        cost: "d multiplications and a hyperbolic tangent",
        reference: "Lin & Lin 2003, A study on sigmoid kernels for SVM",
        example: "sigmoid(gamma=0.01, c=-1)",
    };
}

declared!(Sigmoid { gamma, c });

impl OfProducts for Sigmoid {
    const DEFINITENESS: Definiteness = Definiteness::Indefinite;

    fn apply(&self, _own: Vector<'_>, _others: &Part<'_, PreparedVectors>, row: &mut [f64]) {
        row.iter_mut().for_each(|v| *v = (self.gamma * *v + self.c).tanh());
    }

    fn of_self(&self, norm: f64) -> f64 {
        (self.gamma * norm + self.c).tanh()
    }
}
