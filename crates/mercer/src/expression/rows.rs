//! Explicit features of objects, for linear models.

use super::tree::Expression;
use crate::data::{Dataset, FeatureRows, Vectors};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::kernel::{Boxed, Kernel};

/// Explicit features whose inner product is the kernel: the input of linear models.
///
/// Some kernels compute them anyway when they prepare objects (`linear`, `forest`, `explicit`, `nystrom`, `fourier`,
/// `tensor-sketch`, `rocket` and the like, and these under wrappers that transform columns); those of `polynomial` are
/// computed here.
pub struct LinearRows(Inner);

enum Inner {
    Mapped(Vectors),
    Prepared(Boxed<Dataset>, <Boxed<Dataset> as Kernel<Dataset>>::Prepared),
}

impl LinearRows {
    /// The features of objects for an expression and its fitted kernel.
    ///
    /// ```
    /// use mercer::{data::{Dataset, Dense}, expression::{Expression, LinearRows}, gram::Engine};
    /// let data = Dataset::of_vectors(Dense::from_rows(&[[0.0], [1.0], [3.0]]));
    /// let (engine, expression) = (Engine::new(), "nystrom(rbf(gamma=1), rank=2)".parse::<Expression>()?);
    /// let fitted = expression.fit(&data, &engine)?;
    /// let rows = LinearRows::of(&expression, &fitted.kernel, &data, &engine)?;
    /// assert_eq!((rows.get()?.len(), rows.get()?.dim()), (3, 2));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of(
        expression: &Expression,
        kernel: &Boxed<Dataset>,
        data: &Dataset,
        engine: &Engine,
    ) -> Result<Self> {
        if let Some(vectors) = expression.feature_values(data)? {
            return Ok(LinearRows(Inner::Mapped(vectors)));
        }
        let set = engine.prepare(kernel, data)?;
        if kernel.rows(&set)?.is_none() {
            return Err(Error::Param {
                name: "kernel".into(),
                value: expression.to_string(),
                domain: "linear, polynomial, forest, explicit(…), nystrom(…), fourier(…), tensor-sketch(…) or rocket(…), alone or inside wrappers that transform columns: \
                         explicit(kernel) gives the features of a counting kernel, and nystrom(kernel, rank=…) approximates any other"
                    .into(),
            });
        }
        Ok(LinearRows(Inner::Prepared(kernel.clone(), set)))
    }

    /// The rows.
    pub fn get(&self) -> Result<FeatureRows<'_>> {
        match &self.0 {
            Inner::Mapped(vectors) => Ok(vectors.into()),
            Inner::Prepared(kernel, set) => kernel.rows(set)?.ok_or_else(|| Error::usage("no features")),
        }
    }
}
