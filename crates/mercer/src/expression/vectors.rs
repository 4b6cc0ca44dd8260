//! Makes kernels on vectors from their parameters, and their explicit features.

use super::columns::Scope;
use super::entry::Way;
use super::features::{FeatureTable, VectorMap};
use super::gamma::gamma;
use super::registry;
use super::tree::{Call, Expression};
use crate::data::{Dataset, Vectors};
use crate::error::{Error, Result};
use crate::kernel::Boxed;
use crate::kernel::vector::{
    ChiSquared, ClosedChain, Fourier, Laplacian, Linear, Polynomial, Rbf, Shape, Sigmoid, SquaredDistance,
    TensorSketch, TreeDiffusion,
};

/// The features of `polynomial` are its monomials.
pub(super) const MONOMIALS: VectorMap =
    VectorMap::By(|call| Ok(Box::new(polynomial_of(call, call.number("gamma")?)?)));

pub(super) fn linear(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on::<Vectors, _>(call, Linear)
}

pub(super) fn polynomial(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on::<Vectors, _>(call, polynomial_of(call, gamma(call, scope)?)?)
}

fn polynomial_of(call: &Call, gamma: f64) -> Result<Polynomial> {
    // The parser has checked that the degree is a small integer.
    Polynomial::new(call.number("degree")? as u32, call.number("c")?, gamma)
}

pub(super) fn rbf(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on::<Vectors, _>(call, Rbf::new(gamma(call, scope)?)?)
}

/// The matrix of `rbf` is computed from distances shared by every gamma.
pub(super) fn from_distances(_: &Call) -> Way {
    Way::Gaussian(|call, scope| scope.on::<Vectors, _>(call, SquaredDistance))
}

pub(super) fn laplacian(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on::<Vectors, _>(call, Laplacian::new(gamma(call, scope)?)?)
}

pub(super) fn sigmoid(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on::<Vectors, _>(call, Sigmoid::new(gamma(call, scope)?, call.number("c")?)?)
}

pub(super) fn chi2(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on::<Vectors, _>(call, ChiSquared::new(gamma(call, scope)?)?)
}

pub(super) fn closed_chain(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    // The parser has checked that n is an integer.
    scope.on::<Vectors, _>(call, ClosedChain::new(call.number("n")? as u32, call.number("beta")?)?)
}

pub(super) fn regular_tree(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on::<Vectors, _>(call, TreeDiffusion::regular(call.number("k")? as u32, call.number("beta")?)?)
}

pub(super) fn binary_tree(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on::<Vectors, _>(call, TreeDiffusion::binary(call.number("beta")?)?)
}

pub(super) fn fourier(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let of = call.word("of")?;
    let shape =
        Shape::named(of).ok_or_else(|| Error::param("of", of, "a kernel with random Fourier features"))?;
    let gamma = gamma(call, scope)?;
    let (features, seed) = (call.number("features")? as usize, call.number("seed")? as u64);
    scope.on::<Vectors, _>(call, Fourier::new(gamma, features, shape, seed)?)
}

/// The kernel that Fourier features approximate.
pub(super) fn exact_of_fourier(call: &Call) -> Option<Expression> {
    let of = call.word("of").map_or("rbf", |of| of.trim_end_matches("-fast"));
    same(of, call, &["gamma"])
}

pub(super) fn tensor_sketch(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let gamma = gamma(call, scope)?;
    let (degree, features) = (call.number("degree")? as u32, call.number("features")? as usize);
    let kernel = TensorSketch::new(degree, call.number("c")?, gamma, features, call.number("seed")? as u64)?;
    scope.on::<Vectors, _>(call, kernel)
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
