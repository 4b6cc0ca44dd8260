//! Candidates with trees, for columns of numbers, categories and times together.

use super::{Candidate, Learners, Part, at, factor};
use crate::data::{Column, Dataset, Kind};
use crate::error::Result;

/// The kernel of a forest, alone and in sum with the similarities of all parts, which it complements: steps of single
/// columns and smooth borders.
///
/// The forest sees the target of its training objects, so that their leave-one-out errors are too small: its penalty is
/// chosen by inner splits.
pub(super) fn with_trees(
    data: &Dataset,
    parts: &[Part],
    learners: &Learners,
    out: &mut Vec<Candidate>,
) -> Result<()> {
    let has_trees = |c: &&Column| {
        matches!(c.values.kind(), Kind::Numbers | Kind::Categories | Kind::Times)
            && super::unsuited(c).is_none()
    };
    let columns: Vec<&Column> = data.columns().iter().filter(has_trees).collect();
    let coordinates: usize = columns.iter().map(|c| c.values.width().max(1)).sum();
    if coordinates < 2 {
        return Ok(());
    }
    let forest = format!("forest{}", at(&columns, columns.len() < data.columns().len()));
    let learner = learners.others.first().unwrap_or(&learners.simple);
    let similar: fn(&Part) -> &String = if parts.len() > 2 { |p| &p.one } else { |p| &p.short };
    let both =
        parts.iter().map(|p| factor(similar(p))).chain([forest.clone()]).collect::<Vec<_>>().join(" + ");
    out.push(Candidate::new(&forest, learner, "records: steps of single columns, by randomised trees")?);
    out.push(Candidate::new(&both, learner, "records: trees, and similar in any kind of columns")?);
    Ok(())
}
