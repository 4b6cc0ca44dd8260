//! Quantities computed from a kernel.

use crate::data::{Dataset, Dense};
use crate::error::{Error, Result};
use crate::expression::Expression;
use crate::gram::{Centering, Engine, Map, SpectralMap, Spectrum, operations};

/// A quantity of a kernel on some objects. The first field is the kernel's expression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Quantity {
    /// The Gram matrix.
    Gram(&'static str),
    /// One entry of it: row and column, from 0.
    Entry(&'static str, usize, usize),
    /// Explicit features, one row per object, one column per name; in the kernel's own order without names.
    Features(&'static str, &'static [&'static str]),
    /// The eigenvalues of the Gram matrix, largest first.
    Eigenvalues(&'static str),
    /// Its eigenvectors as columns, in the same order. Their signs are arbitrary.
    Eigenvectors(&'static str),
    /// The inner products of the coordinates of a feature map.
    MapProducts(&'static str, Map),
    /// Squared norms in feature space.
    SquaredNorms(&'static str),
    /// Distances in feature space.
    Distances(&'static str),
    /// The squared norm of the mean in feature space.
    SquaredNormOfMean(&'static str),
    /// The total variance in feature space.
    TotalVariance(&'static str),
    /// The centred Gram matrix.
    Centred(&'static str),
}

impl Quantity {
    /// How to compute it with other tools: the expression and the operation.
    pub fn recipe(&self) -> String {
        match self {
            Quantity::Gram(k) => format!("Gram matrix of {k}"),
            Quantity::Entry(k, i, j) => format!("{k} of objects {} and {}", i + 1, j + 1),
            Quantity::Features(k, _) => format!("explicit features of {k}"),
            Quantity::Eigenvalues(k) => format!("eigenvalues of {k}"),
            Quantity::Eigenvectors(k) => format!("eigenvectors of {k}, signs as printed"),
            Quantity::MapProducts(k, Map::Mercer) => format!("Mercer map of {k}, inner products"),
            Quantity::MapProducts(k, Map::Empirical) => format!("empirical map of {k}, inner products"),
            Quantity::SquaredNorms(k) => format!("squared norms under {k}"),
            Quantity::Distances(k) => format!("distances under {k}"),
            Quantity::SquaredNormOfMean(k) => format!("squared norm of the mean under {k}"),
            Quantity::TotalVariance(k) => format!("total variance under {k}"),
            Quantity::Centred(k) => format!("center({k})"),
        }
    }

    /// The values, as a matrix.
    pub fn compute(&self, data: &Dataset, engine: &Engine) -> Result<Dense> {
        let gram = |text: &str| -> Result<Dense> {
            let kernel = text.parse::<Expression>()?.fit(data, engine)?.kernel;
            engine.gram(&kernel, data)
        };
        let row = |values: Vec<f64>| matrix(1, values.len(), |_, j| values[j]);
        let one = |value: f64| row(vec![value]);
        Ok(match *self {
            Quantity::Gram(k) => gram(k)?,
            Quantity::Entry(k, i, j) => {
                let k = gram(k)?;
                if i >= k.rows() || j >= k.cols() {
                    return Err(Error::usage(format!("no entry {i}, {j} of {} objects", k.rows())));
                }
                one(k.at(i, j))
            }
            Quantity::Features(k, names) => features(k, names, data)?,
            Quantity::Eigenvalues(k) => {
                let mut values = Spectrum::of(&gram(k)?)?.values;
                values.reverse();
                row(values)
            }
            Quantity::Eigenvectors(k) => {
                let spectrum = Spectrum::of(&gram(k)?)?;
                let n = spectrum.n();
                matrix(n, n, |i, j| spectrum.vectors.at(n - 1 - j, i))
            }
            Quantity::MapProducts(k, map) => {
                let rows = SpectralMap::fit(&gram(k)?, map)?.training();
                let dot = |i: usize, j: usize| rows.row(i).iter().zip(rows.row(j)).map(|(a, b)| a * b).sum();
                matrix(rows.rows(), rows.rows(), dot)
            }
            Quantity::SquaredNorms(k) => row(operations::squared_norms(&gram(k)?)?),
            Quantity::Distances(k) => operations::distances(&gram(k)?)?,
            Quantity::SquaredNormOfMean(k) => one(operations::squared_norm_of_mean(&gram(k)?)?),
            Quantity::TotalVariance(k) => one(operations::total_variance(&gram(k)?)?),
            Quantity::Centred(k) => {
                let mut k = gram(k)?;
                Centering::fit(&k)?.apply_train(&mut k)?;
                k
            }
        })
    }

    /// The values with signs matched to the reference, where signs are arbitrary.
    pub(super) fn aligned(&self, mut computed: Dense, expected: &Dense) -> Dense {
        if matches!(self, Quantity::Eigenvectors(_)) {
            for c in 0..computed.cols() {
                let dot: f64 = (0..computed.rows()).map(|i| computed.at(i, c) * expected.at(i, c)).sum();
                if dot < 0.0 {
                    (0..computed.rows()).for_each(|i| computed.row_mut(i)[c] *= -1.0);
                }
            }
        }
        computed
    }
}

/// Columns of explicit features; a name that no object has gives a column of zeros.
fn features(kernel: &str, names: &[&str], data: &Dataset) -> Result<Dense> {
    let features = kernel.parse::<Expression>()?.explicit_features(data)?;
    let values = features.values.to_dense();
    if names.is_empty() {
        return Ok(values);
    }
    let from: Vec<_> = names.iter().map(|name| features.names.iter().position(|n| n == name)).collect();
    Ok(matrix(values.rows(), names.len(), |i, c| from[c].map_or(0.0, |from| values.at(i, from))))
}

/// A matrix by its entries.
pub(super) fn matrix(rows: usize, cols: usize, value: impl Fn(usize, usize) -> f64) -> Dense {
    let mut out = Dense::zeros(rows, cols);
    for i in 0..rows {
        out.row_mut(i).iter_mut().enumerate().for_each(|(j, to)| *to = value(i, j));
    }
    out
}
