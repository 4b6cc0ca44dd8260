//! Records of categories from columns, and diffusion between them.

use super::columns::{Field, Scope};
use super::step::Step;
use super::tree::Call;
use crate::data::{Categories, Dataset, Values};
use crate::error::{Error, Result};
use crate::kernel::Boxed;
use crate::kernel::category::Diffusion;

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

/// The numbers of values are those of the training objects. A model stores them, because its support objects may not
/// show all values. Values that only objects to be predicted have are not counted, or test objects would influence the
/// fit.
pub(super) fn diffusion(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let columns = scope.suitable(call)?;
    let (beta, values, missing) = (call.get("beta")?, call.get("values")?, call.get("missing")?);
    let kernel = match scope.fit.stored()? {
        None => {
            let kernel = Diffusion::new(beta, Vec::new())?.with_missing(missing);
            <[Categories]>::take(scope.data, &columns, |c| Ok(kernel.sized(c)))?
        }
        Some(Step::Alphabets { sizes }) if sizes.len() == columns.len() => {
            Diffusion::new(beta, sizes)?.with_missing(missing)
        }
        Some(other) => return Err(other.misplaced("diffusion")),
    };
    scope.fit.record(Step::Alphabets { sizes: kernel.sizes().to_vec() });
    scope.on::<[Categories], _>(call, kernel.with_values(values))
}
