//! The Gram matrix as a heat map, its eigenvalues, and the objects along its first two components.

use serde::Serialize;

use super::certificates::{self, CertificateTable};
use super::{classes, numbers};
use crate::data::{Dataset, Dense};
use crate::error::Result;
use crate::expression::Expression;
use crate::gram::{Certificate, Engine};
use crate::learn::{KernelPca, Learner as _};
use crate::solve::GramColumns;

/// A Gram matrix in 256 shades.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HeatMap {
    /// The kernel.
    pub kernel: String,
    /// The number of rows.
    pub shown: usize,
    /// The number of objects of the data set.
    pub of: usize,
    /// The ids of the objects.
    pub ids: Vec<String>,
    /// Their classes, in classification.
    pub classes: Option<Vec<String>>,
    /// Their targets, in regression.
    pub numbers: Option<Vec<f64>>,
    /// The smallest value.
    pub low: f64,
    /// The largest value.
    pub high: f64,
    /// The matrix row by row, a byte for each entry in base 64: value = low + (high - low)·byte / 255.
    pub values: String,
}

/// Eigenvalues of a Gram matrix.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Spectrum {
    /// The eigenvalues, the largest first.
    pub values: Vec<f64>,
    /// The absolute value below which they count as zero.
    pub tolerance: f64,
    /// The number of eigenvalues below `-tolerance`.
    pub negative: usize,
    /// The number of objects of the data set.
    pub of: usize,
}

/// Objects along the first two kernel principal components.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Components {
    /// Coordinates along the first component.
    pub x: Vec<f64>,
    /// Coordinates along the second component; zeros if there is none.
    pub y: Vec<f64>,
    /// The share of the variance along each component.
    pub explained: Vec<f64>,
    /// The ids of the objects.
    pub ids: Vec<String>,
    /// Their classes, in classification.
    pub classes: Option<Vec<String>>,
    /// Their targets, in regression.
    pub numbers: Option<Vec<f64>>,
}

/// The figures of one matrix. Components may fail separately: a matrix may be indefinite, or zero.
type MatrixFigures = (HeatMap, Spectrum, Result<Components>, CertificateTable);

/// Computes the figures of the Gram matrix of all given objects. Time O(n³), memory 3 n² numbers.
pub(super) fn figures(
    part: &Dataset,
    of: usize,
    ids: &[String],
    kernel: &Expression,
    engine: &Engine,
) -> Result<MatrixFigures> {
    let fitted = kernel.fit(part, engine)?;
    let gram = engine.gram(&fitted.kernel, part)?;
    let (certificate, mut values) = Certificate::with_eigenvalues(&gram)?;
    values.reverse();
    let heat = HeatMap {
        kernel: kernel.to_string(),
        shown: part.len(),
        of,
        ids: ids.to_vec(),
        classes: classes(part),
        numbers: numbers(part),
        ..shades(&gram)
    };
    let spectrum = Spectrum { values, tolerance: certificate.tolerance, negative: certificate.negative, of };
    let components = components(part, ids, &gram);
    Ok((heat, spectrum, components, certificates::of_matrix(&certificate, of)))
}

fn components(part: &Dataset, ids: &[String], gram: &Dense) -> Result<Components> {
    let pca = KernelPca::new(part.len().clamp(1, 2)).fit_columns(&GramColumns::new(gram)?, &())?;
    let training = pca.training();
    let along = |c: usize| {
        (0..training.rows()).map(move |i| if c < training.cols() { training.at(i, c) } else { 0.0 })
    };
    Ok(Components {
        x: along(0).collect(),
        y: along(1).collect(),
        explained: pca.explained(),
        ids: ids.to_vec(),
        classes: classes(part),
        numbers: numbers(part),
    })
}

/// The values of a matrix in 256 steps between the smallest and the largest.
fn shades(gram: &Dense) -> HeatMap {
    let (low, high) =
        gram.values().iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    // Halves, so that the range of very large numbers does not overflow.
    let half = high / 2.0 - low / 2.0;
    let shade = |v: &f64| if half > 0.0 { ((v / 2.0 - low / 2.0) / half * 255.0).round() as u8 } else { 0 };
    let bytes: Vec<u8> = gram.values().iter().map(shade).collect();
    HeatMap {
        kernel: String::new(),
        shown: 0,
        of: 0,
        ids: Vec::new(),
        classes: None,
        numbers: None,
        low,
        high,
        values: base64(&bytes),
    }
}

/// Bytes in the alphabet of RFC 4648.
pub(super) fn base64(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let at = |i: usize| u32::from(three.get(i).copied().unwrap_or(0));
        let bits = at(0) << 16 | at(1) << 8 | at(2);
        for place in 0..4 {
            let symbol = ALPHABET[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place <= three.len() { symbol as char } else { '=' });
        }
    }
    out
}
