//! Series in tables: one row per series, or one row per value.

use std::collections::HashMap;

use super::super::build::Cell;
use super::super::text::{Fault, Text};
use super::super::{Format, Layout, Missing, Options, csv, typing};
use super::NAME;
use super::gaps::Gathered;
use crate::budget;
use crate::data::{Column, Dataset, Kind, Series, Target, Values};
use crate::error::{Code, Error, Result, Warning};

pub(in super::super) fn read(
    text: &Text<'_>,
    format: Format,
    layout: Layout,
    options: &Options,
) -> Result<Dataset> {
    match layout {
        Layout::Wide => wide(text, format, options),
        Layout::Long => long(text, format, options),
    }
}

fn is_missing(cell: &Cell<'_>) -> bool {
    typing::is_missing(cell) || cell.text.trim().eq_ignore_ascii_case("nan")
}

/// The values of a column with one number per object.
fn numbers(column: &Column) -> Option<&[f64]> {
    match &column.values {
        Values::Numbers(x) if x.cols() == 1 => Some(x.values()),
        _ => None,
    }
}

/// The error for row i of the table.
fn row(text: &Text<'_>, format: Format, options: &Options, i: usize, code: Code, reason: String) -> Error {
    Error::parse(csv::place_of_row(text, format, options, i), code, reason)
}

/// One row per series: the numeric columns, in order, are its time steps. Gaps at the end of a row end the series.
fn wide(text: &Text<'_>, format: Format, options: &Options) -> Result<Dataset> {
    let inner = Options { missing: Some(Missing::Keep), strict: true, ..options.clone() };
    let table = csv::read_with(text, format, &inner, is_missing)?;
    let steps: Vec<&[f64]> = table.columns().iter().filter_map(numbers).collect();
    let names: Vec<&str> =
        table.columns().iter().filter(|c| numbers(c).is_some()).map(|c| c.name.as_str()).collect();
    if steps.is_empty() {
        return Err(text.error(Fault::new(0, Code::TsHeader, "no numeric columns for the series")));
    }
    budget::ask("series from a table", 8 * (steps.len() as u64).saturating_mul(table.len() as u64))?;
    let mut gathered = Gathered::default();
    for i in 0..table.len() {
        budget::check()?;
        let mut values: Vec<f64> = steps.iter().map(|m| m[i]).collect();
        values.truncate(values.iter().rposition(|v| !v.is_nan()).map_or(0, |last| last + 1));
        let gap = values.iter().position(|v| v.is_nan());
        gathered.push(Series::new(1, values)?, gap.map(|t| i * names.len() + t));
    }
    let place = |gap: usize| {
        let (i, t) = (gap / names.len(), gap % names.len());
        let reason = format!("a gap in column '{}' of a series", names[t]);
        row(text, format, options, i, Code::TsMissing, reason)
    };
    let rest: Vec<Column> = table.columns().iter().filter(|c| numbers(c).is_none()).cloned().collect();
    joined(&table, rest, gathered, &place, text, options)
}

/// Adds the series to the table and applies the policy for missing values.
fn joined(
    table: &Dataset,
    mut columns: Vec<Column>,
    gathered: Gathered,
    place: &dyn Fn(usize) -> Error,
    text: &Text<'_>,
    options: &Options,
) -> Result<Dataset> {
    let (series, kept, mut warnings) = gathered.finish_with(place, text, options)?;
    columns.insert(0, Column::new(NAME, Values::Series(series)));
    let mut table = table.select(&kept);
    warnings.extend(table.warnings().iter().cloned());
    // The other columns are checked only now, after series with gaps were filled or left out.
    columns[1..].iter_mut().for_each(|c| c.values = c.values.select(&kept));
    let faulty = |i: usize| columns[1..].iter().find(|c| c.values.is_missing(i));
    let gaps: Vec<usize> = (0..table.len()).filter(|&i| faulty(i).is_some()).collect();
    table = table.with_columns(columns.clone())?;
    match (options.missing, gaps.first()) {
        (Some(Missing::Refuse), Some(&index)) => {
            let column = faulty(index).map_or_else(String::new, |c| c.name.clone());
            return Err(Error::Missing { index, column });
        }
        (Some(Missing::Drop), Some(_)) if !options.drop_later => {
            // Both lists are ascending.
            let good: Vec<usize> = (0..table.len()).filter(|i| gaps.binary_search(i).is_err()).collect();
            let message = format!("{} of {} series left out: a value is missing", gaps.len(), table.len());
            warnings.push(Warning::new("W_DROPPED", message));
            table = table.select(&good);
        }
        _ => {}
    }
    Ok(table.with_warnings(warnings))
}

/// One row per value, or per time step of a series with the values of all channels.
fn long(text: &Text<'_>, format: Format, options: &Options) -> Result<Dataset> {
    let names = csv::header(text, format, options)?;
    let has = |name: &str| names.iter().any(|n| n == name);
    let chosen =
        |given: &Option<String>, standard: &str| given.clone().unwrap_or_else(|| standard.to_owned());
    let id = chosen(&options.id, "id");
    let time = chosen(&options.series.time, "time");
    let channel = options.series.channel.clone().or_else(|| has("channel").then(|| "channel".to_owned()));
    let value = options.series.value.clone().or_else(|| has("value").then(|| "value".to_owned()));
    for name in [Some(&id), Some(&time), channel.as_ref(), value.as_ref()].into_iter().flatten() {
        if !has(name) {
            let reason = format!("no column '{name}', which is required in a long table of series");
            let hint = "give the columns with `id`, `series-time`, `series-channel` and `series-value`";
            return Err(text.error(Fault::new(0, Code::TsHeader, reason).hint(hint)));
        }
    }
    let mut inner = Options { id: None, missing: Some(Missing::Keep), strict: true, ..options.clone() };
    inner.kinds.insert(id.clone(), Kind::Strings);
    inner.kinds.extend(channel.iter().map(|c| (c.clone(), Kind::Strings)));
    inner.kinds.extend(value.iter().map(|v| (v.clone(), Kind::Numbers)));
    let table = csv::read_with(text, format, &inner, is_missing)?;
    let fault = |i: usize, code, reason: String| row(text, format, options, i, code, reason);

    let strings = |name: &str| match &table.column(name)?.values {
        Values::Strings(s) => Ok(s),
        other => Err(Error::Column {
            name: name.to_owned(),
            reason: format!("holds {}", other.kind()),
            hint: None,
        }),
    };
    let ids = strings(&id)?;
    let steps = TimeSteps::of(&table.column(&time)?.values, &time)?;
    let is_value = |c: &Column| match &value {
        Some(name) => c.name == *name,
        None => numbers(c).is_some() && ![&id, &time].contains(&&c.name) && Some(&c.name) != channel.as_ref(),
    };
    let values: Vec<&[f64]> = table.columns().iter().filter(|c| is_value(c)).filter_map(numbers).collect();
    if values.is_empty() || channel.is_some() && values.len() > 1 {
        let reason = format!("{} columns of values, expected one", values.len());
        return Err(text.error(Fault::new(0, Code::TsHeader, reason).hint("give it with `series-value`")));
    }

    // The rows of each series and channel, in order of first appearance.
    let channels = channel.as_ref().map(|c| strings(c)).transpose()?;
    let mut known: HashMap<&str, usize> = HashMap::new();
    let mut known_channels: HashMap<&str, usize> = HashMap::new();
    let mut rows: Vec<Vec<(usize, usize)>> = Vec::new();
    for i in 0..table.len() {
        budget::check_often()?;
        let Some(name) = ids[i].as_deref() else {
            return Err(fault(i, Code::TsHeader, format!("no '{id}' for this value")));
        };
        let next = known.len();
        let at = *known.entry(name).or_insert(next);
        let c = match channels {
            None => 0,
            Some(all) => {
                let Some(name) = all[i].as_deref() else {
                    return Err(fault(i, Code::TsHeader, "no channel for this value".into()));
                };
                let next = known_channels.len();
                *known_channels.entry(name).or_insert(next)
            }
        };
        if steps.is_missing(i) {
            return Err(fault(i, Code::TsHeader, format!("no '{time}' for this value")));
        }
        if at == rows.len() {
            rows.push(Vec::new());
        }
        rows[at].push((c, i));
    }
    let width = known_channels.len().max(1);
    let mut gathered = Gathered::default();
    let mut firsts = Vec::with_capacity(rows.len());
    for own in &mut rows {
        budget::check()?;
        let first = own.iter().map(|(_, i)| *i).min().unwrap_or(0);
        firsts.push(first);
        own.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| steps.compare(a.1, b.1)));
        let lengths = |found: usize, other: usize| {
            let reason = format!("a channel of this series has {found} values, another has {other}");
            fault(first, Code::TsLength, reason)
        };
        // Channels without values have no rows, so memory is proportional to the rows of the table, not to series times
        // channels.
        let mut given = own.chunk_by(|a, b| a.0 == b.0);
        let reference = given.next().unwrap_or_default();
        for (c, rows) in std::iter::once(reference).chain(given).enumerate() {
            if rows.first().is_some_and(|(channel, _)| *channel != c) {
                return Err(if c == 0 { lengths(rows.len(), 0) } else { lengths(0, reference.len()) });
            }
            if let Some(pair) = rows.windows(2).find(|p| steps.compare(p[0].1, p[1].1).is_eq()) {
                let again = pair[0].1.max(pair[1].1);
                return Err(fault(again, Code::Syntax, "a second value at the same time of a series".into()));
            }
            if rows.len() != reference.len() {
                return Err(lengths(rows.len(), reference.len()));
            }
            if let Some(t) = (0..rows.len()).find(|&t| steps.compare(rows[t].1, reference[t].1).is_ne()) {
                let reason = "the channels of a series must have the same times";
                return Err(fault(rows[t].1, Code::TsLength, reason.into()));
            }
        }
        if own.len() != width * reference.len() {
            return Err(lengths(0, reference.len()));
        }
        let channels = own.chunk_by(|a, b| a.0 == b.0);
        let series: Vec<f64> =
            channels.flat_map(|rows| values.iter().flat_map(|v| rows.iter().map(|(_, i)| v[*i]))).collect();
        let gap = own.iter().map(|(_, i)| *i).find(|&i| values.iter().any(|v| v[i].is_nan()));
        gathered.push(Series::new(width * values.len(), series)?, gap);
    }

    let place = |gap: usize| fault(gap, Code::TsMissing, "a gap in a series".into());
    let other =
        |c: &&Column| c.name != id && c.name != time && Some(&c.name) != channel.as_ref() && !is_value(c);
    let rest: Vec<Column> = table.columns().iter().filter(other).cloned().collect();
    constant(&table, &rest, &rows, &fault)?;
    let columns = rest.iter().map(|c| Column::new(&c.name, c.values.select(&firsts))).collect();
    let names: Vec<String> = firsts.iter().map(|&i| ids[i].clone().unwrap_or_default()).collect();
    let table = table.select(&firsts).with_ids(names)?;
    joined(&table, columns, gathered, &place, text, options)
}

/// Returns an error if a column changes within a series.
fn constant(
    table: &Dataset,
    rest: &[Column],
    rows: &[Vec<(usize, usize)>],
    fault: &dyn Fn(usize, Code, String) -> Error,
) -> Result<()> {
    let mut facts: Vec<(String, Vec<u128>)> = Vec::new();
    for c in rest {
        facts.push((c.name.clone(), Dataset::new(vec![c.clone()])?.object_fingerprints()));
    }
    let coded = |codes: &[u32]| codes.iter().map(|&c| u128::from(c)).collect();
    let bits = |values: &[f64]| values.iter().map(|v| u128::from(v.to_bits())).collect();
    match table.target() {
        Some(Target::Classes(c)) => facts.push(("the class".into(), coded(c.codes()))),
        Some(Target::Numbers(v)) => facts.push(("the target".into(), bits(v))),
        None => {}
    }
    table.groups().iter().for_each(|g| facts.push(("the group".into(), coded(g.codes()))));
    table.weights().iter().for_each(|w| facts.push(("the weight".into(), bits(w))));
    for (name, values) in &facts {
        for own in rows {
            let mut all = own.iter().map(|(_, i)| i);
            let Some(&first) = all.next() else { continue };
            if let Some(&other) = all.find(|&&i| values[i] != values[first]) {
                let reason = format!("{name} changes within a series");
                return Err(fault(other, Code::TsLabel, reason).with_hint("leave columns out with `ignore`"));
            }
        }
    }
    Ok(())
}

/// The times of values.
enum TimeSteps<'a> {
    Numbers(&'a [f64]),
    Texts(Vec<Option<&'a str>>),
}

impl<'a> TimeSteps<'a> {
    fn of(values: &'a Values, name: &str) -> Result<Self> {
        match values {
            Values::Numbers(x) if x.cols() == 1 => Ok(TimeSteps::Numbers(x.values())),
            Values::Categories(c) => Ok(TimeSteps::Texts((0..c.len()).map(|i| c.get(i)).collect())),
            Values::Strings(s) | Values::Text(s) => {
                Ok(TimeSteps::Texts(s.iter().map(Option::as_deref).collect()))
            }
            other => Err(Error::Column {
                name: name.to_owned(),
                reason: format!("holds {}, not times", other.kind()),
                hint: None,
            }),
        }
    }

    fn is_missing(&self, i: usize) -> bool {
        match self {
            TimeSteps::Numbers(x) => x[i].is_nan(),
            TimeSteps::Texts(t) => t[i].is_none(),
        }
    }

    /// Text is compared as strings; dates in year-month-day order are then chronological.
    fn compare(&self, a: usize, b: usize) -> std::cmp::Ordering {
        match self {
            TimeSteps::Numbers(x) => x[a].total_cmp(&x[b]),
            TimeSteps::Texts(t) => t[a].cmp(&t[b]),
        }
    }
}
