//! Walks of new objects.

use std::cell::OnceCell;

use super::{Walk, check_power, is_noise};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::algebra::{product, product_transposed};

/// New objects in the coordinates of the eigenvectors, from which every p is computed: see [`Walk::objects`].
#[derive(Debug)]
pub struct NewObjects<'a> {
    walk: &'a Walk,
    cross: &'a Dense,
    own: &'a [f64],
    /// C·U, computed on first use.
    coordinates: OnceCell<Dense>,
}

impl<'a> NewObjects<'a> {
    pub(super) fn new(walk: &'a Walk, cross: &'a Dense, own: &'a [f64]) -> Self {
        NewObjects { walk, cross, own, coordinates: OnceCell::new() }
    }

    fn coordinates(&self) -> &Dense {
        self.coordinates.get_or_init(|| product_transposed(self.cross, &self.walk.spectrum.vectors))
    }

    /// The similarities C·A^(p-1) / ρ^(p-1) to the training objects; p = 1 is C itself. Time O(m·n·r).
    pub fn cross(&self, p: u32) -> Result<Dense> {
        if check_power(p)? == 1 {
            return Ok(self.cross.clone());
        }
        let (one, values) = (self.walk.divisor(), &self.walk.spectrum.values);
        // As in the training block, components negligible after p - 2 steps are dropped.
        let weights: Vec<f64> = self.walk.ratios(p - 2).zip(values).map(|(r, v)| r * (v / one)).collect();
        let kept: Vec<usize> = (0..weights.len()).filter(|&k| weights[k] != 0.0).collect();
        let mut left = Dense::zeros(self.cross.rows(), kept.len());
        for i in 0..left.rows() {
            let row = self.coordinates().row(i);
            left.row_mut(i).iter_mut().zip(&kept).for_each(|(v, &k)| *v = row[k] * weights[k]);
        }
        let mut out = product(&left, &self.walk.spectrum.vectors.select(&kept));
        let vanished = self.walk.vanished(p);
        for (i, (_, squared, whole)) in self.lengths(p).into_iter().enumerate() {
            if is_noise(squared, whole, self.walk.n()) {
                out.row_mut(i).fill(0.0);
            }
            vanished.iter().for_each(|&j| out.row_mut(i)[j] = 0.0);
        }
        match out.find_non_finite() {
            Some((row, col)) => Err(Error::NonFinite { row, col, overflow: true }),
            None => Ok(out),
        }
    }

    /// The self-similarities diag(C·A^(p-2)·Cᵀ) / ρ^(p-1), p ≥ 2; for p = 1 those given. Time O(m·n).
    pub fn self_similarities(&self, p: u32) -> Result<Vec<f64>> {
        if check_power(p)? == 1 {
            return Ok(self.own.to_vec());
        }
        let n = self.walk.n();
        let value = |(signed, squared, whole)| if is_noise(squared, whole, n) { 0.0 } else { signed };
        let own: Vec<f64> = self.lengths(p).into_iter().map(value).collect();
        match own.iter().position(|v| !v.is_finite()) {
            Some(i) => Err(Error::NonFinite { row: i, col: i, overflow: true }),
            None => Ok(own),
        }
    }

    /// For each object Σ (c·u)² (λ/ρ)^(p-2) / ρ, the same with |λ|, and the same for one step.
    fn lengths(&self, p: u32) -> Vec<(f64, f64, f64)> {
        let one = self.walk.divisor();
        let ratios: Vec<f64> = self.walk.ratios(p - 2).collect();
        let root = one.sqrt();
        let of = |row: &[f64]| {
            row.iter().zip(&ratios).fold((0.0, 0.0, 0.0), |(signed, squared, whole), (b, r)| {
                // Divided before squaring, so that very large similarities do not overflow.
                let share = (b / root) * (b / root);
                (signed + share * r, squared + share * r.abs(), whole + share)
            })
        };
        (0..self.cross.rows()).map(|i| of(self.coordinates().row(i))).collect()
    }
}
