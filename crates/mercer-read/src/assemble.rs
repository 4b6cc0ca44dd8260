//! Builds a data set from named columns and their roles: target, group, id, weight.

use std::collections::HashSet;

use super::form::are_repeated;
pub(crate) use super::roles::Role;
use super::{Missing, Options, TargetKind, roles, source::Source};
use crate::data::{Categories, Column, Dataset, Dense, Kind, Target, Values, show_time};
use crate::error::{Code, Error, Place, Result, Warning};

/// Columns of equal length with their roles.
pub(crate) type Table = Vec<(Role, Column)>;

/// The role of each column, from the options and the column names.
pub(crate) fn roles(source: &Source, names: &[&str], options: &Options) -> Result<Vec<Role>> {
    let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
    roles::assign(&names, options, &Place::file(source.name))
}

/// Returns an error for the first NaN or infinity, with its row and column from 1.
pub(crate) fn finite(source: &Source, name: &str, role: Role, values: &Dense) -> Result<()> {
    let Some((row, col)) = values.find_non_finite() else { return Ok(()) };
    let at = if values.cols() > 1 { format!(", column {}", col + 1) } else { String::new() };
    Err(non_finite(source, name, role, &format!("row {}{at}", row + 1), values.at(row, col)))
}

/// The error for a value that is NaN or infinite.
pub(crate) fn non_finite(source: &Source, name: &str, role: Role, at: &str, value: f64) -> Error {
    let code = if role == Role::Target { Code::Label } else { Code::NonFinite };
    source.fault(code, format!("{value} in {name} at {at}, expected a finite number"))
}

/// The data set of these columns. Values are already checked to be finite; NaN and `None` are missing values.
pub(crate) fn assemble(source: &Source, table: Table, options: &Options) -> Result<Dataset> {
    let Some(len) = table.first().map(|(_, c)| c.values.len()) else {
        return Err(source.fault(Code::Empty, "no columns"));
    };
    if let Some((_, other)) = table.iter().find(|(_, c)| c.values.len() != len) {
        let first = &table[0].1.name;
        let found = other.values.len();
        return Err(source
            .fault(Code::Columns, format!("'{first}' has {len} objects and '{}' has {found}", other.name)));
    }
    let (table, mut warnings) = without_missing(source, table, options.missing_or_keep())?;
    warnings.extend(without_target(&table));
    if table.first().is_none_or(|(_, c)| c.values.is_empty()) {
        return Err(source.fault(Code::Empty, "no rows"));
    }

    let mut features = Vec::new();
    let mut rest = Vec::new();
    for (role, mut column) in table {
        if role != Role::Feature {
            rest.push((role, column));
            continue;
        }
        if let Some(kind) = options.kinds.get(&column.name) {
            column.values = coerce(source, &column, *kind)?;
        }
        features.push(column);
    }
    let mut data = Dataset::new(features)?;
    for (role, column) in rest {
        data = match role {
            Role::Target => {
                let target = target(source, &column, options.target_kind)?;
                data.with_target(column.name, target)?
            }
            Role::Group => {
                let names = names(source, &column)?;
                let groups = Categories::from_values(names.iter().map(|n| Some(n.as_str())));
                data.with_groups(column.name, groups)?
            }
            Role::Id => data.with_ids(names(source, &column)?)?,
            Role::Weight => {
                let weights = single(source, &column)?.values().to_vec();
                if let Some(i) = weights.iter().position(|w| *w < 0.0) {
                    return Err(source.fault(
                        Code::Param,
                        format!("weight {} in row {}, expected at least 0", weights[i], i + 1),
                    ));
                }
                data.with_weights(weights)?
            }
            Role::Feature | Role::Ignore => data,
        };
    }
    Ok(data.with_warnings(warnings))
}

/// Applies the policy for missing values. Groups, ids and weights may never be missing.
fn without_missing(source: &Source, table: Table, rule: Missing) -> Result<(Table, Vec<Warning>)> {
    let rows = table.first().map_or(0, |(_, c)| c.values.len());
    let mut keep = vec![true; rows];
    for (role, column) in &table {
        for (i, keep) in keep.iter_mut().enumerate() {
            if !column.values.is_missing(i) {
                continue;
            }
            let code = match (role, rule) {
                (_, Missing::Drop) => {
                    *keep = false;
                    continue;
                }
                (Role::Target, Missing::Refuse) => Code::Label,
                (Role::Feature | Role::Target, Missing::Keep) => continue,
                _ => Code::Missing,
            };
            return Err(source
                .fault(code, format!("row {}: no value in column '{}'", i + 1, column.name))
                .with_hint("leave such rows out with `missing=drop`"));
        }
    }
    let kept: Vec<usize> = (0..rows).filter(|&i| keep[i]).collect();
    if kept.len() == rows {
        return Ok((table, Vec::new()));
    }
    let dropped = rows - kept.len();
    let table = table.into_iter().map(|(r, c)| (r, Column::new(c.name, c.values.select(&kept)))).collect();
    let message = format!("{dropped} of {rows} rows left out for a missing value");
    Ok((table, vec![Warning::new("W_DROPPED", message)]))
}

/// A warning about rows without a target.
fn without_target(table: &[(Role, Column)]) -> Option<Warning> {
    let (_, column) = table.iter().find(|(role, _)| *role == Role::Target)?;
    let rows: Vec<usize> = (0..column.values.len()).filter(|&i| column.values.is_missing(i)).collect();
    let first: Vec<String> = rows.iter().take(5).map(|i| (i + 1).to_string()).collect();
    roles::unlabelled(rows.len(), column.values.len(), &column.name, "row", &first)
}

fn target(source: &Source, column: &Column, kind: TargetKind) -> Result<Target> {
    let numbers = match &column.values {
        Values::Numbers(_) => Some(single(source, column)?.values().to_vec()),
        _ if kind == TargetKind::Numbers => {
            let parse = |(i, name): (usize, &Option<String>)| {
                let Some(name) = name else { return Ok(f64::NAN) };
                name.trim().parse::<f64>().ok().filter(|v| v.is_finite()).ok_or_else(|| {
                    source.fault(Code::Label, format!("row {}: '{name}', expected a finite number", i + 1))
                })
            };
            Some(optional_names(source, column)?.iter().enumerate().map(parse).collect::<Result<_>>()?)
        }
        _ => None,
    };
    match numbers {
        Some(values) => Ok(roles::target_of_numbers(values, kind)),
        None => {
            let names = optional_names(source, column)?;
            let classes = Categories::from_values(names.iter().map(Option::as_deref));
            Ok(if kind == TargetKind::Classes {
                roles::target_of_names(classes)
            } else {
                Target::Classes(classes)
            })
        }
    }
}

/// The column's numbers, if it has one per object.
fn single<'a>(source: &Source, column: &'a Column) -> Result<&'a Dense> {
    let found = match &column.values {
        Values::Numbers(x) if x.cols() == 1 => return Ok(x),
        Values::Numbers(x) => format!("{} numbers", x.cols()),
        other => other.kind().to_string(),
    };
    let name = &column.name;
    Err(source.fault(Code::Column, format!("column '{name}' holds {found}, expected one number per object")))
}

/// The column's values as names; numbers are formatted.
fn names(source: &Source, column: &Column) -> Result<Vec<String>> {
    let names = optional_names(source, column)?;
    Ok(names.into_iter().map(Option::unwrap_or_default).collect())
}

fn optional_names(source: &Source, column: &Column) -> Result<Vec<Option<String>>> {
    Ok(match &column.values {
        Values::Strings(v) | Values::Text(v) => v.clone(),
        Values::Categories(c) => (0..c.len()).map(|i| c.get(i).map(str::to_owned)).collect(),
        Values::Times(t) => {
            let text = |seconds: &f64| (!seconds.is_nan()).then(|| show_time(*seconds));
            t.seconds().iter().map(text).collect()
        }
        // Adding zero turns -0 into 0, which is the same class.
        _ => single(source, column)?
            .values()
            .iter()
            .map(|v| Some((v + 0.0).to_string()).filter(|_| !v.is_nan()))
            .collect(),
    })
}

/// The same values converted to another type, if that is possible.
fn coerce(source: &Source, column: &Column, kind: Kind) -> Result<Values> {
    if column.values.kind() == kind {
        return Ok(column.values.clone());
    }
    if let (Kind::Numbers, Values::Times(times)) = (kind, &column.values) {
        return Ok(Values::Numbers(Dense::new(times.len(), 1, times.seconds().to_vec())?));
    }
    match kind {
        // Images and molecules are read later from their paths and SMILES.
        Kind::Strings | Kind::Images | Kind::Molecules => {
            Ok(Values::Strings(optional_names(source, column)?))
        }
        Kind::Text => Ok(Values::Text(optional_names(source, column)?)),
        Kind::Categories => Ok(categories(&optional_names(source, column)?)),
        Kind::Numbers if !matches!(column.values, Values::Precomputed(_)) => {
            let parse = |(i, name): (usize, Option<String>)| {
                let Some(name) = name else { return Ok(f64::NAN) };
                name.trim().parse::<f64>().ok().filter(|v| v.is_finite()).ok_or_else(|| {
                    let at = format!("row {}, column '{}'", i + 1, column.name);
                    source.fault(Code::Number, format!("'{name}' at {at}, expected a finite number"))
                })
            };
            let values = optional_names(source, column)?.into_iter().enumerate().map(parse);
            let values = values.collect::<Result<Vec<_>>>()?;
            Ok(Values::Numbers(Dense::new(values.len(), 1, values)?))
        }
        _ => {
            let (name, found) = (&column.name, column.values.kind());
            Err(source.fault(Code::Column, format!("column '{name}' holds {found}, which cannot be {kind}")))
        }
    }
}

fn categories(values: &[Option<String>]) -> Values {
    Values::Categories(Categories::from_values(values.iter().map(Option::as_deref)))
}

/// The inferred type of strings: text if most have three words or more, categories if few are distinct, otherwise
/// sequences of symbols.
pub(crate) fn infer(values: Vec<Option<String>>) -> Values {
    let present: Vec<&str> = values.iter().flatten().map(String::as_str).collect();
    let wordy = present.iter().filter(|v| v.split_whitespace().nth(2).is_some()).count();
    let distinct: HashSet<&str> = present.iter().copied().collect();
    if 2 * wordy > present.len() && !are_repeated(distinct.len(), present.len()) {
        return Values::Text(values);
    }
    if 2 * distinct.len() <= values.len() { categories(&values) } else { Values::Strings(values) }
}

#[cfg(test)]
#[path = "assemble/tests.rs"]
mod tests;
