//! The map from similarities to the coordinates of a walk.

use super::{NEGLIGIBLE, Walk, check_two, is_noise, power};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::algebra::{product_transposed, scale_rows};
use crate::numeric::check::check_cross;

/// Coordinates of objects under a walk of p ≥ 2 steps, from their similarities to the objects walked through.
///
/// k(x, y) = c_x·A^(p-2)·c_yᵀ / ρ^(p-1) is the inner product of φ(x) = c_x·U·|Λ/ρ|^((p-2)/2) / √ρ and φ(y), where
/// coordinates of negative eigenvalues have a negative sign if p is odd. It holds for training and new objects alike.
/// Time O(n·r) per object.
///
/// ```
/// use mercer_core::{data::Dense, gram::Walk};
/// let walk = Walk::of(&Dense::from_rows(&[[2.0, 1.0], [1.0, 2.0]]))?;
/// let passage = walk.passage(3, true)?;
/// let (features, _) = passage.features(&Dense::from_rows(&[[1.0, 1.0]]))?;
/// let squared: f64 = features.row(0).iter().map(|v| v * v).sum();
/// assert!((squared * walk.factor(3) - 6.0).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Passage {
    n: usize,
    map: Option<Dense>,
    negative: usize,
    weight: f64,
}

impl Passage {
    pub(super) fn of(walk: &Walk, p: u32, definite: bool) -> Result<Self> {
        let (n, weight) = (walk.n(), 1.0 / walk.divisor().sqrt());
        if check_two(p)? == 2 {
            return Ok(Passage { n, map: None, negative: 0, weight });
        }
        let zero = walk.spectrum.tolerance();
        let ratio = |k: usize| walk.spectrum.values[k] / walk.divisor();
        let counts = |k: usize, sign: f64| {
            walk.spectrum.values[k] * sign > zero && power(ratio(k).abs(), p - 2) > NEGLIGIBLE
        };
        let mut kept: Vec<usize> = (0..n).rev().filter(|&k| counts(k, 1.0)).collect();
        if !definite {
            kept.extend((0..n).filter(|&k| counts(k, -1.0)));
        }
        // An even power makes every eigenvalue positive.
        let positive = kept.iter().take_while(|&&k| walk.spectrum.values[k] > 0.0).count();
        let negative = if p % 2 == 1 { kept.len() - positive } else { 0 };
        let scales = kept.iter().map(|&k| weight * power(ratio(k).abs().sqrt(), p - 2));
        let map = Some(scale_rows(&walk.spectrum.vectors.select(&kept), scales));
        Ok(Passage { n, map, negative, weight })
    }

    /// A passage from its parts, as stored in a model file: see [`parts`](Passage::parts).
    pub fn from_parts(n: usize, map: Option<Dense>, negative: usize, weight: f64) -> Result<Self> {
        let rows = map.as_ref().map_or(n, Dense::rows);
        if map.as_ref().is_some_and(|m| m.cols() != n || m.find_non_finite().is_some()) || negative > rows {
            return Err(Error::Shape {
                expected: format!("finite coordinates over {n} objects, at most all of them negative"),
                found: format!("{rows} coordinates, {negative} negative"),
            });
        }
        if !(weight.is_finite() && weight >= 0.0) {
            return Err(Error::param("weight", weight, "finite and at least 0"));
        }
        Ok(Passage { n, map, negative, weight })
    }

    /// The number of objects walked through; the map from similarities to coordinates, one row per coordinate (`None`
    /// for p = 2, where the coordinates are the similarities themselves); how many of the last coordinates have a
    /// negative sign; and the factor 1/√ρ.
    pub fn parts(&self) -> (usize, Option<&Dense>, usize, f64) {
        (self.n, self.map.as_ref(), self.negative, self.weight)
    }

    /// The same passage with all similarities multiplied by `factor`, such as [`Walk::factor`].
    pub fn scaled(mut self, factor: f64) -> Result<Self> {
        let root = factor.sqrt();
        if !(root.is_finite() && root > 0.0) {
            return Err(Error::Numeric {
                reason: format!("λmax^(p-1) = {factor:e} overflows: keep the scale"),
            });
        }
        self.weight *= root;
        if let Some(map) = &mut self.map {
            map.values_mut().iter_mut().for_each(|v| *v *= root);
        }
        Ok(self)
    }

    /// The number of objects walked through.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Whether all similarities are inner products: no coordinate has a negative sign.
    pub fn is_definite(&self) -> bool {
        self.negative == 0
    }

    /// The coordinates of objects given by their similarities: those with a positive sign and those with a negative
    /// sign (often none). An object whose norm is pure rounding is 0.
    pub fn features(&self, cross: &Dense) -> Result<(Dense, Dense)> {
        check_cross(cross, self.n)?;
        let Some(map) = &self.map else {
            let mut features = cross.clone();
            features.values_mut().iter_mut().for_each(|v| *v *= self.weight);
            return Ok((features, Dense::zeros(cross.rows(), 0)));
        };
        let all = product_transposed(cross, map);
        let width = map.rows() - self.negative;
        let (mut plus, mut minus) =
            (Dense::zeros(cross.rows(), width), Dense::zeros(cross.rows(), self.negative));
        for i in 0..cross.rows() {
            let squares =
                |values: &[f64], scale: f64| values.iter().map(|v| (v * scale) * (v * scale)).sum::<f64>();
            if is_noise(squares(all.row(i), 1.0), squares(cross.row(i), self.weight), self.n) {
                continue;
            }
            plus.row_mut(i).copy_from_slice(&all.row(i)[..width]);
            minus.row_mut(i).copy_from_slice(&all.row(i)[width..]);
        }
        Ok((plus, minus))
    }

    /// The similarities of two sets of objects, given by their similarities to the objects walked through.
    pub fn between(&self, rows: &Dense, cols: &Dense) -> Result<Dense> {
        let ((a, less_a), (b, less_b)) = (self.features(rows)?, self.features(cols)?);
        let mut out = product_transposed(&a, &b);
        if self.negative > 0 {
            let less = product_transposed(&less_a, &less_b);
            out.values_mut().iter_mut().zip(less.values()).for_each(|(v, l)| *v -= l);
        }
        Ok(out)
    }
}
