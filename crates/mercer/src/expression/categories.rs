//! Makes kernels on records of categories from their parameters.

use super::columns::{Field, Scope};
use super::step::Step;
use super::tree::Call;
use crate::data::{Categories, Dataset, Values};
use crate::error::{Error, Result};
use crate::kernel::Boxed;
use crate::kernel::category::{Diffusion, Hamming, Hypercube, Missing};

impl Field for [Categories] {
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        let one = |name: &String| match &data.column(name)?.values {
            Values::Categories(c) => Ok(c.clone()),
            other => Err(Error::Column {
                name: name.clone(),
                reason: format!("holds {}, not categories", other.kind()),
                hint: None,
            }),
        };
        work(&columns.iter().map(one).collect::<Result<Vec<_>>>()?)
    }
}

fn missing(call: &Call) -> Result<Missing> {
    Missing::from_word(call.word("missing")?)
}

pub(super) fn hamming(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on::<[Categories], _>(call, Hamming::new().with_missing(missing(call)?))
}

pub(super) fn hypercube(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let kernel = Hypercube::new(call.number("beta")?)?.with_missing(missing(call)?);
    scope.on::<[Categories], _>(call, kernel)
}

/// The numbers of values are those of the training objects. A model stores them, because its support objects may not
/// show all values. Values that only objects to be predicted have are not counted, or test objects would influence the
/// fit.
pub(super) fn diffusion(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let columns = scope.suitable(call)?;
    let beta = call.number("beta")?;
    // The parser has checked that it is an integer.
    let values = call.number("values")? as usize;
    let kernel = match scope.fit.stored()? {
        None => {
            let kernel = Diffusion::new(beta, Vec::new())?.with_missing(missing(call)?);
            <[Categories]>::take(scope.data, &columns, |c| Ok(kernel.sized(c)))?
        }
        Some(Step::Alphabets { sizes }) if sizes.len() == columns.len() => {
            Diffusion::new(beta, sizes)?.with_missing(missing(call)?)
        }
        Some(other) => return Err(other.misplaced("diffusion")),
    };
    scope.fit.record(Step::Alphabets { sizes: kernel.sizes().to_vec() });
    scope.on::<[Categories], _>(call, kernel.with_values(values))
}
