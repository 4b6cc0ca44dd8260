//! Kernels on vectors, dense or sparse.

mod chi2;
mod closed_chain;
mod cosine;
mod distance;
mod fourier;
mod laplacian;
mod linear;
mod polynomial;
pub(crate) mod products;
mod rational_quadratic;
mod rbf;
mod sigmoid;
mod tensor_sketch;
mod tree;

pub use chi2::ChiSquared;
pub use closed_chain::{ClosedChain, Places};
pub use cosine::Cosine;
#[doc(hidden)]
pub use distance::SquaredDistance;
pub use fourier::{Fourier, Shape};
pub use laplacian::Laplacian;
pub use linear::Linear;
pub use polynomial::Polynomial;
pub use products::PreparedVectors;
pub use rational_quadratic::RationalQuadratic;
pub use rbf::Rbf;
pub use sigmoid::Sigmoid;
pub use tensor_sketch::TensorSketch;
pub use tree::{TreeDiffusion, Vertices};

use super::{Alias, Definiteness, Domain, FeatureParts, Kernel, Parameter, Part, operators};
use crate::data::{FeatureRows, Vectors};
use crate::error::Result;

operators!([] Linear, [] Polynomial, [] Rbf, [] RationalQuadratic, [] Laplacian, [] Cosine, [] Sigmoid, [] ChiSquared, [] ClosedChain, [] TreeDiffusion, [] Fourier, [] TensorSketch);

/// gamma = 1 / (2·sigma²), for users who specify a standard deviation.
pub(crate) fn gamma_of_sigma(sigma: f64) -> f64 {
    1.0 / (2.0 * sigma * sigma)
}

/// Named values of gamma that are computed from the training vectors.
const GAMMAS: Domain = Domain::PositiveOr(&["scale", "auto"]);

/// The parameter gamma of kernels on vectors.
const fn gamma(doc: &'static str, alias: Option<Alias>) -> Parameter {
    Parameter { name: "gamma", default: "1", domain: GAMMAS, doc, alias }
}

/// A kernel that is a function of the inner product and the two squared norms.
///
/// Implementing it gives [`Kernel<Vectors>`] with one matrix product per tile.
pub(crate) trait OfProducts: std::fmt::Display + Send + Sync {
    const DEFINITENESS: Definiteness;
    /// Whether it is the inner product itself.
    const IS_PRODUCT: bool = false;

    /// Converts the inner products of one vector with `others` to kernel values.
    fn apply(&self, own: Vector<'_>, others: &Part<'_, PreparedVectors>, row: &mut [f64]);

    /// The value of k(x, x) from |x|².
    fn of_self(&self, norm: f64) -> f64;

    fn definiteness(&self) -> Definiteness {
        Self::DEFINITENESS
    }
}

/// One vector of a prepared set.
#[derive(Clone, Copy)]
pub(crate) struct Vector<'a> {
    set: &'a PreparedVectors,
    index: usize,
}

impl Vector<'_> {
    fn norm(self) -> f64 {
        self.set.norms[self.index]
    }
}

macro_rules! kernel_of_products {
    ($($name:ident),*) => {$(
        impl Kernel<Vectors> for $name {
            type Prepared = PreparedVectors;

            fn parts<'a>(&self, prepared: &'a Self::Prepared) -> Result<Option<FeatureParts<'a>>> {
                Ok(<Self as OfProducts>::IS_PRODUCT.then(|| FeatureRows::from(&prepared.vectors).into()))
            }

            fn prepare(&self, objects: &Vectors) -> Result<Self::Prepared> {
                PreparedVectors::new(objects)
            }

            fn fill(
                &self,
                rows: Part<'_, Self::Prepared>,
                cols: Part<'_, Self::Prepared>,
                out: &mut [f64],
            ) -> Result<()> {
                products::fill_products(&rows, &cols, out)?;
                for (row, index) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
                    OfProducts::apply(self, Vector { set: rows.set, index }, &cols, row);
                }
                Ok(())
            }

            fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
                out.iter_mut().zip(of.norms()).for_each(|(v, norm)| *v = OfProducts::of_self(self, *norm));
                Ok(())
            }

            fn definiteness(&self) -> Definiteness {
                OfProducts::definiteness(self)
            }
        }
    )*};
}

/// The methods of a kernel that is the inner product of the features it prepares: all but `prepare` and the facts.
#[doc(hidden)]
#[macro_export]
macro_rules! inner_products {
    () => {
        fn fill(
            &self,
            rows: Part<'_, Self::Prepared>,
            cols: Part<'_, Self::Prepared>,
            out: &mut [f64],
        ) -> Result<()> {
            Linear.fill(rows, cols, out)
        }

        fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
            Linear.diagonal(of, out)
        }

        fn definiteness(&self) -> Definiteness {
            Definiteness::PositiveSemidefinite
        }
    };
}
#[doc(hidden)]
pub use inner_products;

kernel_of_products!(Linear, Polynomial, Rbf, RationalQuadratic, Cosine, Sigmoid, SquaredDistance);

#[cfg(test)]
mod tests;
