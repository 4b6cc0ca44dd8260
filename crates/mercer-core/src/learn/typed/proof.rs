//! Whether the matrix is positive semidefinite, so that the certificate of a fit is valid.

use crate::error::{Code, Error, Result};
use crate::gram::{Certificate, Engine};
use crate::numeric::is_conditionally_definite;
use crate::solve::{Columns, KernelColumns, Stop};
use crate::traits::{Kernel, Prepared};

/// For more objects than this, the eigenvalues of an indefinite matrix are bounded, not computed.
const MOST_EXACT: usize = 4000;

/// For more objects than this, positive semidefiniteness is not checked.
pub const MOST_CHECKED: usize = 2000;

/// An error if the solver found a direction of negative curvature.
pub fn check_curvature<X: ?Sized, K: Kernel<X>>(
    stops: impl IntoIterator<Item = Stop>,
    kernel: &K,
    set: &K::Prepared,
    engine: &Engine,
) -> Result<()> {
    let met = stops.into_iter().find_map(|stop| match stop {
        Stop::NegativeCurvature { curvature, .. } => Some(curvature),
        _ => None,
    });
    let Some(curvature) = met else { return Ok(()) };
    let columns: KernelColumns<'_, X, K> = KernelColumns::new(engine, kernel, set);
    let (lambda_min, lambda_max) = if columns.len() <= MOST_EXACT {
        let certificate = Certificate::of(&engine.gram_of(kernel, set)?)?;
        (certificate.lambda_min, certificate.lambda_max)
    } else {
        // Along e_i - e_j the quadratic form is half of this; the largest eigenvalue is at least every self-similarity.
        (0.5 * curvature, columns.diagonal()?.into_iter().fold(0.0, f64::max))
    };
    Err(Error::NotPositiveDefinite { lambda_min, lambda_max })
}

/// Whether the matrix of these objects is positive semidefinite up to a constant. Unknown for many objects, and if
/// memory does not suffice for the check, which a fit does not need.
pub(super) fn is_definite_on<X: ?Sized, K: Kernel<X>>(
    kernel: &K,
    set: &K::Prepared,
    engine: &Engine,
) -> Result<bool> {
    if set.len() > MOST_CHECKED {
        return Ok(false);
    }
    let check = || is_conditionally_definite(&engine.gram_of(kernel, set)?);
    match check() {
        Err(error) if error.code() == Code::MemoryPlan => Ok(false),
        other => other,
    }
}
