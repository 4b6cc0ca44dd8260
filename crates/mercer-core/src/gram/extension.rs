//! Extending a repair of similarities to new objects.

use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::Spectrum;
use crate::numeric::algebra::{product, product_transposed, scale_rows};
use crate::numeric::check::{check_cross, check_values};

/// The extension of a [`Repair`](super::Repair) to new objects; a model stores it.
#[derive(Clone, Debug, PartialEq)]
pub enum Extension {
    /// Adds a constant to self-similarities; similarities of different objects are unchanged.
    Shift {
        /// The number of training objects.
        n: usize,
        /// The amount added to self-similarities: -λmin, or 0 if no eigenvalue was negative.
        amount: f64,
    },
    /// Rows of similarities k_x become k_x U diag(f(λ)/λ) Uᵀ.
    Project {
        /// The eigenvalues λ that are kept, descending, non-zero.
        values: Vec<f64>,
        /// f(λ) of each eigenvalue, positive.
        mapped: Vec<f64>,
        /// Their eigenvectors, one per row.
        vectors: Dense,
        /// True if no eigenvalue was negative, so that rows are unchanged.
        identity: bool,
    },
    /// exp(β·(A - s·I)) for the similarities A of the training objects, whose eigenvalues may be 0. A training object
    /// has the coordinates exp(β·(A - s·I)/2). A new object with similarities k_x has the coordinates of its walks over
    /// training objects, k_x·(exp(β·(A - s·I)/2) - exp(-β·s/2)·I)·A⁻¹ with the limit where A is singular, and one
    /// additional axis of its own.
    Exponential {
        /// All eigenvalues λ of A, ascending.
        values: Vec<f64>,
        /// Their eigenvectors, one per row.
        vectors: Dense,
        /// The factor β.
        beta: f64,
        /// The eigenvalue s subtracted from all to prevent overflow; 0 for none.
        subtracted: f64,
    },
}

/// The exponential exp(β·A) of a symmetric matrix, for training and new objects; `scaled` divides by its largest
/// eigenvalue.
pub fn exponential(a: &Dense, beta: f64, scaled: bool) -> Result<Extension> {
    let spectrum = Spectrum::of(a)?;
    let (low, high) = (spectrum.values[0], spectrum.values[spectrum.n() - 1]);
    let largest = if beta >= 0.0 { high } else { low };
    if !(beta * largest).exp().is_finite() && !scaled {
        return Err(Error::Numeric {
            reason: format!(
                "exp(beta·H) overflows: beta = {beta}, an eigenvalue of H is {largest:e}; use scale=radius or a smaller beta"
            ),
        });
    }
    let subtracted = if scaled { largest } else { 0.0 };
    Ok(Extension::of_exponential(&spectrum, beta, subtracted))
}

impl Extension {
    /// The number of training objects.
    pub fn n(&self) -> usize {
        match self {
            Extension::Shift { n, .. } => *n,
            Extension::Project { vectors, .. } | Extension::Exponential { vectors, .. } => vectors.cols(),
        }
    }

    /// The repaired similarities of new objects (rows) to the training objects (columns).
    ///
    /// With [`Extension::Shift`] a new object differs from every training object, so its row is unchanged.
    pub fn apply_cross(&self, cross: &Dense) -> Result<Dense> {
        check_cross(cross, self.n())?;
        match self {
            Extension::Shift { .. } | Extension::Project { identity: true, .. } => Ok(cross.clone()),
            Extension::Project { values, mapped, vectors, .. } => {
                let weighted = scale_rows(vectors, mapped.iter().zip(values).map(|(f, v)| f / v));
                Ok(product(&product_transposed(cross, &weighted), vectors))
            }
            Extension::Exponential { values, vectors, beta, subtracted } => {
                let walked = self.walked(cross, values, vectors);
                let back = values.iter().map(|v| (beta * (v - subtracted) / 2.0).exp());
                Ok(product(&walked, &scale_rows(vectors, back)))
            }
        }
    }

    /// The repaired self-similarities of new objects, from their similarities to the training objects and to
    /// themselves. With shift: k(x, x) - λmin. Otherwise the squared norm of the features; with an exponential
    /// including the additional axis.
    pub fn self_similarities(&self, cross: &Dense, own: &[f64]) -> Result<Vec<f64>> {
        check_cross(cross, self.n())?;
        check_values(own, cross.rows(), "self-similarities of new objects")?;
        match self {
            Extension::Shift { amount, .. } => Ok(own.iter().map(|v| v + amount).collect()),
            Extension::Project { identity: true, .. } => Ok(own.to_vec()),
            Extension::Project { values, mapped, vectors, .. } => {
                let features = features(cross, values, mapped, vectors);
                Ok((0..cross.rows()).map(|i| features.row(i).iter().map(|v| v * v).sum()).collect())
            }
            Extension::Exponential { values, vectors, .. } => {
                let walked = self.walked(cross, values, vectors);
                let squared = |i: usize| walked.row(i).iter().map(|v| v * v).sum::<f64>() + self.alone();
                Ok((0..cross.rows()).map(squared).collect())
            }
        }
    }

    /// Coordinates k_x U diag(√f(λ)/λ) of objects given by their similarities to the training objects: their dot
    /// products are the repaired similarities. `None` for shift, which is not a projection.
    pub fn features(&self, cross: &Dense) -> Result<Option<Dense>> {
        check_cross(cross, self.n())?;
        match self {
            Extension::Shift { .. } => Ok(None),
            Extension::Project { values, mapped, vectors, .. } => {
                Ok(Some(features(cross, values, mapped, vectors)))
            }
            Extension::Exponential { values, vectors, .. } => Ok(Some(self.walked(cross, values, vectors))),
        }
    }

    /// Like [`Extension::features`], where `places` holds the positions of training objects among the objects. With an
    /// exponential, the coordinates of training objects do not follow from their similarities alone.
    pub fn features_of(&self, cross: &Dense, places: &[Option<usize>]) -> Result<Option<Dense>> {
        let mut features = self.features(cross)?;
        if let (Some(features), Extension::Exponential { vectors, beta, subtracted, .. }) =
            (&mut features, self)
        {
            if places.len() != cross.rows() || places.iter().flatten().any(|&at| at >= self.n()) {
                return Err(Error::usage("positions outside the training objects"));
            }
            let empty = (-beta * subtracted / 2.0).exp();
            for (i, at) in places.iter().enumerate().filter_map(|(i, place)| Some((i, (*place)?))) {
                let row = features.row_mut(i).iter_mut().enumerate();
                row.for_each(|(k, v)| *v += empty * vectors.at(k, at));
            }
        }
        Ok(features)
    }

    /// The contribution of the additional axis to the self-similarity of a new object: e^(-β·s) for the empty walk of
    /// an exponential.
    pub(crate) fn alone(&self) -> f64 {
        match self {
            Extension::Exponential { beta, subtracted, .. } => (-beta * subtracted).exp(),
            _ => 0.0,
        }
    }

    pub(super) fn of_exponential(spectrum: &Spectrum, beta: f64, subtracted: f64) -> Self {
        let (values, vectors) = (spectrum.values.clone(), spectrum.vectors.clone());
        Extension::Exponential { values, vectors, beta, subtracted }
    }

    /// k_x·U·diag((e^(β(λ-s)/2) - e^(-βs/2))/λ), β/2·e^(-βs/2) for λ = 0.
    fn walked(&self, cross: &Dense, values: &[f64], vectors: &Dense) -> Dense {
        let (beta, s) = match self {
            Extension::Exponential { beta, subtracted, .. } => (*beta, *subtracted),
            _ => (0.0, 0.0),
        };
        let empty = (-beta * s / 2.0).exp();
        let weight = |&v: &f64| {
            let half = beta * v / 2.0;
            match half.abs() < 1.0 {
                true if v == 0.0 => empty * beta / 2.0,
                true => empty * (half.exp_m1() / v),
                false => ((half - beta * s / 2.0).exp() - empty) / v,
            }
        };
        product_transposed(cross, &scale_rows(vectors, values.iter().map(weight)))
    }
}

fn features(cross: &Dense, values: &[f64], mapped: &[f64], vectors: &Dense) -> Dense {
    let weighted = scale_rows(vectors, mapped.iter().zip(values).map(|(f, v)| f.sqrt() / v));
    product_transposed(cross, &weighted)
}
