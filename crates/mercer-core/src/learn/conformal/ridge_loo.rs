//! The predictions of all leave-one-out models of a ridge regression.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::inverse;
use faer::{MatMut, MatRef, Par};

use super::super::RidgeModel;
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::check_symmetric;
use crate::numeric::Cholesky;
use crate::numeric::algebra::product;
use crate::numeric::check::check_cross;

/// The predictions of the models that were fitted without one training object each, in closed form.
///
/// With G = (K + λ I)⁻¹ and α of all objects, the model without object i predicts f₋ᵢ(x) = f(x) - (k_xᵀ G)_i α_i / G_ii.
/// With an intercept G is replaced by the inverse of the system that has a row and a column of ones more. Equal to fitting
/// again, for a kernel that was not itself fitted to the objects.
///
/// Time O(n³) once and O(n²) for each new object; memory for one n × n matrix.
///
/// ```
/// use mercer_core::data::Dense;
/// use mercer_core::learn::{Ridge, conformal::RidgeLeaveOneOut};
/// // The points 1 and 2 on a line with values 3 and 6.
/// let gram = Dense::from_rows(&[[1.0, 2.0], [2.0, 4.0]]);
/// let model = Ridge::new(5.0).fit_many(&gram, &Dense::from_rows(&[[3.0], [6.0]]))?;
/// let left_out = RidgeLeaveOneOut::new(&gram, 5.0, &model)?;
/// // Without the first point w = 12 / 9, without the second w = 3 / 6; the new point is 10.
/// let cross = Dense::from_rows(&[[10.0, 20.0]]);
/// let values = left_out.predict(&cross, &model.predict(&cross)?, 0)?;
/// assert!((values.at(0, 0) - 40.0 / 3.0).abs() < 1e-9 && (values.at(0, 1) - 5.0).abs() < 1e-9);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct RidgeLeaveOneOut {
    /// The inverse, without the row and column of the intercept.
    inverse: Dense,
    /// The row of the intercept in the inverse; zeros without one.
    border: Vec<f64>,
    /// The leave-one-out residuals α_i / G_ii: one row per object, one column per target.
    residuals: Dense,
}

impl RidgeLeaveOneOut {
    /// From the Gram matrix of the training objects, λ > 0 and the model fitted to them with it.
    pub fn new(gram: &Dense, lambda: f64, model: &RidgeModel) -> Result<Self> {
        check_symmetric(gram)?;
        let n = gram.rows();
        if model.alpha().rows() != n || n == 0 {
            let found = format!("a model of {} objects", model.alpha().rows());
            return Err(Error::Shape { expected: format!("a model of {n} objects"), found });
        }
        let singular = || Error::Numeric { reason: "K + λ I is numerically singular: raise lambda".into() };
        budget::ask("the inverse of ridge regression", 2 * budget::matrix_bytes(n, n, size_of::<f64>()))?;
        let mut shifted = gram.clone();
        (0..n).for_each(|i| shifted.row_mut(i)[i] += lambda);
        let factor = Cholesky::new(shifted)?.ok_or_else(singular)?;
        budget::check()?;
        let mut g = Dense::zeros(n, n);
        let lower = MatRef::from_row_major_slice(factor.lower().values(), n, n);
        let out = MatMut::from_column_major_slice_mut(g.values_mut(), n, n);
        let memory = |_| Error::Numeric { reason: "not enough memory for the inverse of K + λ I".into() };
        let mut buffer = MemBuffer::try_new(inverse::inverse_scratch::<f64>(n, Par::Seq)).map_err(memory)?;
        inverse::inverse(out, lower, Par::Seq, MemStack::new(&mut buffer));
        budget::check()?;
        // One triangle was written, by columns: entry (i, j) with i ≥ j is at row j, column i.
        for i in 0..n {
            for j in 0..i {
                g.row_mut(i)[j] = g.at(j, i);
            }
        }
        let mut border = vec![0.0; n];
        if model.origin().is_some() {
            let sums: Vec<f64> = (0..n).map(|i| g.row(i).iter().sum()).collect();
            let total: f64 = sums.iter().sum();
            if total.is_nan() || total <= 0.0 {
                return Err(singular());
            }
            for i in 0..n {
                let own = sums[i] / total;
                g.row_mut(i).iter_mut().zip(&sums).for_each(|(v, s)| *v -= own * s);
                border[i] = own;
            }
        }
        let mut residuals = model.alpha().clone();
        for i in 0..n {
            let own = g.at(i, i);
            residuals.row_mut(i).iter_mut().for_each(|r| *r /= own);
        }
        if g.values().iter().chain(residuals.values()).any(|v| !v.is_finite()) {
            return Err(singular());
        }
        Ok(RidgeLeaveOneOut { inverse: g, border, residuals })
    }

    /// The leave-one-out residuals: one row per object, one column per target.
    pub fn residuals(&self) -> &Dense {
        &self.residuals
    }

    /// The predictions for new objects (rows) by the model without each training object (columns), for one target.
    /// `whole` are the predictions of the model of all objects.
    pub fn predict(&self, cross: &Dense, whole: &Dense, target: usize) -> Result<Dense> {
        check_cross(cross, self.inverse.rows())?;
        if target >= self.residuals.cols() || whole.rows() != cross.rows() || target >= whole.cols() {
            return Err(Error::usage("the predictions of all objects do not suit the similarities"));
        }
        let mut out = product(cross, &self.inverse);
        for i in 0..out.rows() {
            let all = whole.at(i, target);
            for (j, v) in out.row_mut(i).iter_mut().enumerate() {
                *v = all - (*v + self.border[j]) * self.residuals.at(j, target);
            }
        }
        Ok(out)
    }
}
