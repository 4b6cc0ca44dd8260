//! Builds a data set from joined columns.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::build::{ColumnPlan, Joined, Names, Plan, Sink};
use super::form::truth;
use super::roles::{Role, target_of_names, target_of_numbers};
use super::text::shown;
use super::{Options, TargetKind};
use crate::data::{Categories, CellForm, Column, Dataset, Dense, Kind, Target, Times, Values};
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
                    Role::Target => {
                        let (values, warning) = spelled_alike(values, name);
                        warnings.extend(warning);
                        target = Some((name, Target::Classes(values)));
                    }
                    Role::Group => groups = Some((name, values)),
                    _ => {
                        warnings.extend(spellings(&values, name));
                        columns.push(Column::new(name, Values::Categories(values)));
                    }
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
    let used = |column: &&ColumnPlan| {
        let plain = column.form == CellForm::Plain;
        matches!(column.role, Role::Feature | Role::Target)
            && (!plain || plan.marked && column.kind == Kind::Numbers)
    };
    let forms = plan.columns.iter().filter(used).map(|column| (column.name.clone(), column.form)).collect();
    let mut data = Dataset::new(columns)?.with_forms(forms);
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

/// Levels compared for their spelling at most.
const LEVELS: usize = 1000;
/// Shorter names may be codes, whose case counts.
const SHORTEST: usize = 3;

/// A warning about categories that differ only in case and spaces.
fn spellings(values: &Categories, name: &str) -> Option<Warning> {
    let levels = values.levels();
    if levels.len() > LEVELS {
        return None;
    }
    let mut seen: HashMap<String, &str> = HashMap::with_capacity(levels.len());
    let mut pairs = Vec::new();
    for level in levels.iter().filter(|l| l.chars().count() >= SHORTEST) {
        match seen.entry(level.trim().to_lowercase()) {
            Entry::Occupied(known) => pairs.push((*known.get(), level.as_str())),
            Entry::Vacant(free) => drop(free.insert(level)),
        }
    }
    let (first, second) = pairs.first()?;
    let more =
        if pairs.len() > 1 { format!(", and {} more such pairs", pairs.len() - 1) } else { String::new() };
    let message = format!(
        "{name}: {} and {} differ in case or spaces only{more}; they are different values",
        shown(first),
        shown(second)
    );
    Some(Warning::new("W_SPELLING", message))
}

/// Classes that are true or false in more than two spellings as two classes, with a warning; others as they are.
fn spelled_alike(labels: Categories, name: &str) -> (Categories, Option<Warning>) {
    let levels = labels.levels();
    let truths: Option<Vec<bool>> = levels.iter().map(|level| truth(level)).collect();
    let Some(truths) = truths.filter(|_| levels.len() > 2) else {
        let warning = spellings(&labels, name);
        return (labels, warning);
    };
    let mut names: Vec<(bool, String)> = Vec::new();
    for (level, truth) in levels.iter().zip(&truths) {
        if !names.iter().any(|known| known.0 == *truth) {
            names.push((*truth, level.trim().to_lowercase()));
        }
    }
    let code = |i: usize| {
        let own = labels.code(i).and_then(|code| truths.get(code as usize));
        own.and_then(|own| names.iter().position(|known| known.0 == *own))
            .map_or(Categories::MISSING, |at| at as u32)
    };
    let codes = (0..labels.len()).map(code).collect();
    let some: Vec<String> = levels.iter().take(6).map(|level| shown(level)).collect();
    let names: Vec<String> = names.into_iter().map(|known| known.1).collect();
    let message = format!("{name}: {} are read as the classes {}", some.join(", "), names.join(" and "));
    (Categories::from_codes(codes, names), Some(Warning::new("W_SPELLING", message)))
}

/// A table whose first column has no name and numbers the rows, as data frames are written: the numbers are the names of
/// the objects.
pub(super) fn index_as_ids(data: Dataset, options: &Options) -> Result<Dataset> {
    let Some((index, others)) = data.columns().split_first() else { return Ok(data) };
    let ids: Vec<String> = match &index.values {
        Values::Numbers(x) if x.values().windows(2).all(|pair| pair[0] < pair[1]) => {
            let whole = |v: &f64| (*v >= 0.0 && v.fract() == 0.0).then(|| v.to_string());
            x.values().iter().map_while(whole).collect()
        }
        _ => Vec::new(),
    };
    let wanted = options.kinds.contains_key(&index.name) || options.id.is_some() || data.ids().is_some();
    if wanted || others.is_empty() || ids.len() != data.len() || ids.len() < 2 {
        return Ok(data);
    }
    let (low, high) = (ids.first().cloned().unwrap_or_default(), ids.last().cloned().unwrap_or_default());
    let message = format!(
        "the first column has no name and numbers the rows ({low} to {high}): read as the names of the objects; \
         `type={}=numbers` makes it a feature",
        index.name
    );
    let warnings = [data.warnings(), &[Warning::new("W_INDEX", message)]].concat();
    data.with_columns(others.to_vec())?.with_ids(ids).map(|data| data.with_warnings(warnings))
}
