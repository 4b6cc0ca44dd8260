//! Gram matrices of pairs and linear combinations of objects, from those of the objects.

use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::algebra::{mirror, product};
use crate::numeric::check::check_square;

/// The Gram matrix of all pairs (x, y) under the product of two kernels: the Kronecker product K1⊗K2. Its row i·n2 + j
/// is the pair of object i of the first set and object j of the second.
///
/// For diffusion kernels it is the kernel of the product of two graphs: the generator H1⊗I + I⊗H2 has the exponential
/// exp(βH1)⊗exp(βH2).
///
/// ```
/// use mercer_core::{data::Dense, gram::tensor};
/// let k = Dense::from_rows(&[[1.0, 0.5], [0.5, 1.0]]);
/// assert_eq!(tensor(&k, &k)?.at(0, 3), 0.25);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn tensor(a: &Dense, b: &Dense) -> Result<Dense> {
    check_square(a)?;
    check_square(b)?;
    let (n, m) = (a.rows(), b.rows());
    let count = n.checked_mul(m).filter(|count| count.checked_mul(*count).is_some());
    let count = count.ok_or_else(|| Error::usage("the number of pairs of the product overflows"))?;
    let mut out = Dense::zeros(count, count);
    for i in 0..n {
        for j in 0..m {
            let row = out.row_mut(i * m + j);
            for (block, &x) in row.chunks_exact_mut(m.max(1)).zip(a.row(i)) {
                block.iter_mut().zip(b.row(j)).for_each(|(v, y)| *v = x * y);
            }
        }
    }
    Ok(out)
}

/// The Gram matrix Tᵀ·K·T of linear combinations of objects: column j of T, which need not be square, holds the
/// coefficients of the j-th. Positive semidefinite where K is, and symmetric to the bit.
///
/// ```
/// use mercer_core::{data::Dense, gram::conjugate};
/// let k = Dense::from_rows(&[[1.0, 0.0], [0.0, 2.0]]);
/// let both = Dense::from_rows(&[[1.0], [1.0]]);
/// assert_eq!(conjugate(&k, &both)?.at(0, 0), 3.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn conjugate(k: &Dense, t: &Dense) -> Result<Dense> {
    check_square(k)?;
    if t.rows() != k.rows() {
        return Err(Error::Shape {
            expected: format!("{} rows, one for each object", k.rows()),
            found: t.rows().to_string(),
        });
    }
    let mut transposed = Dense::zeros(t.cols(), t.rows());
    (0..t.rows()).for_each(|i| (0..t.cols()).for_each(|j| transposed.row_mut(j)[i] = t.at(i, j)));
    let mut out = product(&transposed, &product(k, t));
    mirror(&mut out);
    Ok(out)
}
