//! Lower factors of covariances: many right-hand sides at once, and the form in which files store them.

use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{MatMut, MatRef, Par};

use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::check::{check_cross, check_values};
use crate::parallel;

/// New objects whose variances are computed at once.
const AT_ONCE: usize = 128;

/// L⁻¹ k for each row k of similarities to the training objects, after `scaled` has changed it. Time O(m n²) for m rows.
pub(super) fn solved(lower: &Dense, cross: &Dense, scaled: impl Fn(&mut [f64]) + Sync) -> Result<Dense> {
    let n = lower.rows();
    check_cross(cross, n)?;
    let needed = budget::matrix_bytes(cross.rows(), n, size_of::<f64>());
    budget::ask("similarities of new objects, solved for their variances,", needed)?;
    let mut out = cross.clone();
    let lower = MatRef::from_row_major_slice(lower.values(), n, n);
    let solve = |_: usize, rows: &mut [f64]| -> Result<()> {
        budget::check()?;
        rows.chunks_exact_mut(n.max(1)).for_each(&scaled);
        let count = rows.len() / n.max(1);
        let columns = MatMut::from_column_major_slice_mut(rows, n, count);
        solve_lower_triangular_in_place(lower, columns, Par::Seq);
        Ok(())
    };
    parallel::chunks_mut(out.values_mut(), AT_ONCE * n.max(1), solve)?;
    Ok(out)
}

/// A lower factor from its rows one after another, each up to the diagonal, which must be above 0.
pub(super) fn unpacked(packed: &[f64], n: usize) -> Result<Dense> {
    check_values(packed, n * (n + 1) / 2, "entries of the factor")?;
    budget::ask(&format!("a factor of {n} × {n}"), budget::matrix_bytes(n, n, size_of::<f64>()))?;
    let (mut factor, mut from) = (Dense::zeros(n, n), 0);
    for i in 0..n {
        factor.row_mut(i)[..=i].copy_from_slice(&packed[from..=from + i]);
        if factor.at(i, i) <= 0.0 {
            return Err(Error::usage("the diagonal of the factor must be above 0"));
        }
        from += i + 1;
    }
    Ok(factor)
}
