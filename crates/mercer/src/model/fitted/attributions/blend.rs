//! Shapley values of a blend of numbers: the weighted mean of those of its members, because they are linear in the prediction.

use super::background::Background;
use super::{AttributionMethod, AttributionOptions, Job};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::gram::Engine;

/// The values of a blend whose members all have a formula; `None` for other models. Probabilities are no linear function of the
/// decision values that the formula is for, so blends of classes have none.
pub(super) fn values(
    job: &Job<'_>,
    background: &Background,
    options: &AttributionOptions,
    engine: &Engine,
) -> Result<Option<Vec<Dense>>> {
    let members = job.model.members();
    if members.is_empty() || job.model.target().is_none_or(|target| target.classes) {
        return Ok(None);
    }
    for member in members {
        if !member.model.is_known_by_columns(engine)? {
            return Ok(None);
        }
    }
    let mut values = job.zeros(1)?;
    for member in members {
        let model = &member.model;
        let own = background.of_model(model)?;
        let found = model.attributions(job.objects, &own, options, engine)?;
        let ([out], [of_member], AttributionMethod::Formula) =
            (&mut values[..], &found.values[..], found.method)
        else {
            return Ok(None);
        };
        let place = |player| job.columns.iter().position(|own| own == player);
        let places: Option<Vec<usize>> = found.columns.iter().map(place).collect();
        let places =
            places.ok_or_else(|| Error::usage("a member of the blend uses a column that the blend lacks"))?;
        for i in 0..of_member.rows() {
            let row = out.row_mut(i);
            places.iter().zip(of_member.row(i)).for_each(|(&j, v)| row[j] += member.weight * v);
        }
    }
    Ok(Some(values))
}
