//! The inner product.

use super::{OfProducts, PreparedVectors, Vector};
use crate::data::Vectors;
use crate::error::Result;
use crate::kernel::facts::NUMERIC;
use crate::kernel::{Definiteness, Facts, FeatureMap, Features, Part, declared};

/// The inner product x·y.
///
/// ```
/// use mercer_core::{data::{Dense, Vectors}, gram::Engine, kernel::vector::Linear};
/// let x = Vectors::from(Dense::from_rows(&[[5.9, 3.0], [6.9, 3.1]]));
/// let k = Engine::new().gram(&Linear, &x)?;
/// assert!((k.at(0, 0) - 43.81).abs() < 1e-12);
/// assert!((k.at(0, 1) - 50.01).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Linear;

impl Linear {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "linear",
        summary: "The inner product of two vectors.",
        formula: "x·y",
        takes: "numbers",
        kinds: NUMERIC,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "d multiplications",
        reference: "Zaki & Meira 2020, chapter 5",
        example: "linear",
    };
}

declared!(Linear);

impl OfProducts for Linear {
    const DEFINITENESS: Definiteness = Definiteness::PositiveSemidefinite;
    const IS_PRODUCT: bool = true;

    fn apply(&self, _own: Vector<'_>, _others: &Part<'_, PreparedVectors>, _row: &mut [f64]) {}

    fn of_self(&self, norm: f64) -> f64 {
        norm
    }
}

impl FeatureMap<Vectors> for Linear {
    /// The vectors themselves.
    fn named_features(&self, objects: &Vectors, coordinate: &dyn Fn(usize) -> String) -> Result<Features> {
        Ok(Features::numbered(objects.clone(), coordinate))
    }
}
