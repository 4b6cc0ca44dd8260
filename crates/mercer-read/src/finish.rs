//! Builds a data set from joined columns.

use super::build::{Joined, Names, Plan, Sink};
use super::roles::{Role, target_of_names, target_of_numbers};
use super::{Options, TargetKind};
use crate::data::{Column, Dataset, Dense, Kind, Target, Times, Values};
use crate::error::{Result, Warning};

/// The data set of a whole table. `before` are columns built elsewhere that come first.
pub(super) fn dataset(
    plan: &Plan,
    joined: Joined,
    before: Vec<Column>,
    mut warnings: Vec<Warning>,
    options: &Options,
) -> Result<Dataset> {
    let Joined { rows, dropped, unlabelled: _, numbers, names, strings, odd: _ } = joined;
    let mut columns = before;
    let (mut target, mut groups, mut ids, mut weights) = (None, None, None, None);
    let (mut numbers, mut names, mut strings) = (numbers.into_iter(), names.into_iter(), strings.into_iter());
    for column in &plan.columns {
        let name = &column.name;
        match column.sink() {
            Sink::Skip => {}
            Sink::Numbers | Sink::Formed => {
                let values = numbers.next().unwrap_or_default();
                match column.role {
                    Role::Target => target = Some((name, target_of_numbers(values, options.target_kind))),
                    Role::Weight => weights = Some(values),
                    _ if column.kind == Kind::Times => {
                        columns.push(Column::new(name, Values::Times(Times::new(values))));
                    }
                    _ => columns.push(Column::new(name, Values::Numbers(Dense::new(rows, 1, values)?))),
                }
            }
            Sink::Names => {
                let values = names.next().map(Names::finish).unwrap_or_default();
                match column.role {
                    Role::Target if options.target_kind == TargetKind::Classes => {
                        target = Some((name, target_of_names(values)));
                    }
                    Role::Target => target = Some((name, Target::Classes(values))),
                    Role::Group => groups = Some((name, values)),
                    _ => columns.push(Column::new(name, Values::Categories(values))),
                }
            }
            Sink::Strings => {
                let values = strings.next().unwrap_or_default();
                match (column.role, column.kind) {
                    (Role::Id, _) => {
                        ids = Some(values.into_iter().map(Option::unwrap_or_default).collect::<Vec<_>>());
                    }
                    (_, Kind::Text) => columns.push(Column::new(name, Values::Text(values))),
                    _ => columns.push(Column::new(name, Values::Strings(values))),
                }
            }
        }
    }
    if dropped > 0 {
        let message = format!("{dropped} of {} rows left out: a value is missing", dropped + rows);
        warnings.push(Warning::new("W_DROPPED", message));
    }
    let mut data = Dataset::new(columns)?;
    if let Some((name, target)) = target {
        data = data.with_target(name, target)?;
    }
    if let Some((name, groups)) = groups {
        data = data.with_groups(name, groups)?;
    }
    if let Some(ids) = ids {
        data = data.with_ids(ids)?;
    }
    if let Some(weights) = weights {
        data = data.with_weights(weights)?;
    }
    Ok(data.with_warnings(warnings))
}
