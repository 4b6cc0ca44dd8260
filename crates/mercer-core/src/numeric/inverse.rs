//! The inverse of a dense positive definite matrix.

use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::inverse as inverting;
use faer::{MatMut, MatRef, Par};

use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::Cholesky;
use crate::numeric::algebra::mirror;

/// The inverse of a symmetric positive definite matrix by Cholesky factorisation, exactly symmetric. O(n³).
pub(crate) fn inverse(matrix: Dense) -> Result<Dense> {
    let n = matrix.rows();
    let needed = budget::matrix_bytes(n, n, 2 * size_of::<f64>());
    budget::ask(&format!("the inverse of a {n} × {n} matrix"), needed)?;
    let factor = Cholesky::new(matrix)?
        .ok_or_else(|| Error::Numeric { reason: "a numerically singular matrix has no inverse".into() })?;
    inverse_of(&factor)
}

/// (LLᵀ)⁻¹, exactly symmetric. O(n³).
pub(crate) fn inverse_of(factor: &Cholesky) -> Result<Dense> {
    let n = factor.lower().rows();
    let memory = |_| Error::Numeric { reason: "not enough memory to invert a matrix".into() };
    budget::check()?;
    let lower = MatRef::from_row_major_slice(factor.lower().values(), n, n);
    let mut out = Dense::zeros(n, n);
    let target = MatMut::from_row_major_slice_mut(out.values_mut(), n, n);
    let mut buffer = MemBuffer::try_new(inverting::inverse_scratch::<f64>(n, Par::Seq)).map_err(memory)?;
    inverting::inverse(target, lower, Par::Seq, MemStack::new(&mut buffer));
    budget::check()?;
    mirror(&mut out);
    Ok(out)
}
