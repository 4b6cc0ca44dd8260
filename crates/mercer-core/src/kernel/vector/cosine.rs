//! The cosine of the angle between vectors.

use super::{OfProducts, PreparedVectors, Vector};
use crate::gram::normalize::Length;
use crate::kernel::facts::NUMERIC;
use crate::kernel::{Definiteness, Facts, Part, declared};

/// The cosine x·y / (|x|·|y|). A zero vector has similarity 0 to every vector, including itself.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::vector::Cosine};
/// let x = Vectors::from(Dense::from_rows(&[[2.0, 0.0], [3.0, 3.0], [0.0, 0.0]]));
/// let k = Engine::new().gram(&Cosine, &x)?;
/// assert!((k.at(0, 1) - 0.5f64.sqrt()).abs() < 1e-15);
/// assert_eq!((k.at(1, 1), k.at(2, 2), k.at(0, 2)), (1.0, 0.0, 0.0));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cosine;

impl Cosine {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "cosine",
        summary: "The cosine of the angle between two vectors.",
        formula: "x·y / (|x| · |y|); 0 for a zero vector",
        takes: "numbers",
        kinds: NUMERIC,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "d multiplications",
        reference: "Salton, Wong & Yang 1975",
        example: "cosine",
    };
}

declared!(Cosine);

impl OfProducts for Cosine {
    const DEFINITENESS: Definiteness = Definiteness::PositiveSemidefinite;

    fn apply(&self, own: Vector<'_>, others: &Part<'_, PreparedVectors>, row: &mut [f64]) {
        let own = Length::of(own.norm());
        row.iter_mut().zip(others.norms()).for_each(|(v, other)| *v = own.cosine(Length::of(*other), *v));
    }

    fn of_self(&self, norm: f64) -> f64 {
        Length::of(norm).of_self()
    }
}
