//! Explicit features of kernels on vectors, and the exact kernels of approximations.

use super::columns::Scope;
use super::entry::Way;
use super::features::{FeatureTable, VectorMap};
use super::registry;
use super::tree::{Call, Expression};
use crate::data::Vectors;
use crate::error::{Error, Result};
use crate::kernel::Declared;
use crate::kernel::vector::{Linear, Polynomial, SquaredDistance};

/// The features of `polynomial` are its monomials.
pub(super) const MONOMIALS: VectorMap = VectorMap::By(|call| Ok(Box::new(call.read(Polynomial::read)?)));

/// The matrix of `rbf` is computed from distances shared by every gamma.
pub(super) fn from_distances(_: &Call) -> Way {
    Way::Gaussian(|call, scope| scope.on::<Vectors, _>(call, SquaredDistance))
}

/// The kernel that Fourier features approximate.
pub(super) fn exact_of_fourier(call: &Call) -> Option<Expression> {
    let of = call.word("of").map_or("rbf", |of| of.trim_end_matches("-fast"));
    same(of, call, &["gamma"])
}

/// The kernel that tensor sketches approximate.
pub(super) fn exact_of_tensor_sketch(call: &Call) -> Option<Expression> {
    same(Polynomial::FACTS.name, call, &["degree", "c", "gamma"])
}

/// Another kernel with some of the same settings, including ranges.
fn same(name: &str, call: &Call, settings: &[&str]) -> Option<Expression> {
    let written = settings.iter().map(|s| Some(format!("{s}={}", call.settings.get(call.place(s)?)?)));
    format!("{name}({})", written.collect::<Option<Vec<_>>>()?.join(", ")).parse().ok()
}

/// The cosine is the inner product of vectors of length 1.
pub(super) fn cosine_table(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    let linear =
        registry::find(Linear::FACTS.name).ok_or_else(|| Error::usage("the linear kernel is missing"))?;
    let vectors = Call { entry: linear, settings: Vec::new(), ..call.clone() };
    let mut all = VectorMap::Identity.table(&vectors, scope)?;
    all.divide_by_length();
    Ok(all)
}
