//! Columns of a table as numbers with gaps: what trees cut.

use std::collections::HashMap;

use crate::budget;
use crate::data::{Categories, Column, DAY, Values, civil_date};
use crate::error::{Error, Result};
use crate::parallel;

/// A column that trees were fitted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeColumn {
    /// Its name.
    pub name: String,
    /// What it holds.
    pub kind: TreeColumnKind,
    /// Whether a training object has no value in it.
    pub gaps: bool,
}

/// What a column of trees holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TreeColumnKind {
    /// This many numbers for each object.
    Numbers(usize),
    /// A time: four numbers for each object.
    Times,
    /// A category of each object.
    Categories {
        /// The categories that are told apart, at most 64.
        levels: Vec<String>,
        /// Whether other categories count as one more.
        rest: bool,
    },
}

/// The names of the numbers of a time.
const TIME_PARTS: [&str; 4] = ["", " hour", " weekday", " month"];
/// The categories of a column that are told apart: one bit each.
pub(super) const MOST_LEVELS: usize = 64;

impl TreeColumnKind {
    /// The number of coordinates.
    pub fn width(&self) -> usize {
        match self {
            TreeColumnKind::Numbers(width) => *width,
            TreeColumnKind::Times => TIME_PARTS.len(),
            TreeColumnKind::Categories { .. } => 1,
        }
    }
}

/// The columns that trees were fitted to, by name, and their coordinates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeColumns {
    columns: Vec<TreeColumn>,
    /// The column of each coordinate, and its place among those of the column.
    places: Vec<(u32, u32)>,
}

impl TreeColumns {
    /// The columns of training objects.
    pub(super) fn of(columns: &[Column]) -> Self {
        let one = |column: &Column| {
            let kind = match &column.values {
                Values::Numbers(x) => TreeColumnKind::Numbers(x.cols()),
                Values::Times(_) => TreeColumnKind::Times,
                Values::Categories(c) => levels(c),
                // Refused when the cells are made.
                _ => TreeColumnKind::Numbers(0),
            };
            TreeColumn { name: column.name.clone(), kind, gaps: column.missing() > 0 }
        };
        TreeColumns::from_columns(columns.iter().map(one).collect())
    }

    /// The columns, put in the order of their names: another order in the table makes no other forest.
    pub(super) fn from_columns(mut columns: Vec<TreeColumn>) -> Self {
        columns.sort_by(|a, b| a.name.cmp(&b.name));
        let places = columns
            .iter()
            .zip(0..)
            .flat_map(|(column, at)| (0..column.kind.width() as u32).map(move |part| (at, part)));
        let places = places.collect();
        TreeColumns { columns, places }
    }

    /// The columns.
    pub fn columns(&self) -> &[TreeColumn] {
        &self.columns
    }

    /// The number of coordinates.
    pub(super) fn width(&self) -> usize {
        self.places.len()
    }

    /// The column of each coordinate that trees cut, and its place among those of the column.
    pub fn coordinates(&self) -> impl Iterator<Item = (&TreeColumn, usize)> {
        (0..self.width()).map(|coordinate| self.place(coordinate))
    }

    /// The column of a coordinate, and its place in it.
    pub(super) fn place(&self, coordinate: usize) -> (&TreeColumn, usize) {
        let (column, part) = self.places[coordinate];
        (&self.columns[column as usize], part as usize)
    }

    /// Whether a coordinate holds categories.
    pub(super) fn is_set(&self, coordinate: usize) -> bool {
        matches!(self.place(coordinate).0.kind, TreeColumnKind::Categories { .. })
    }

    /// The name of a coordinate.
    pub(super) fn name(&self, coordinate: usize) -> String {
        let (column, part) = self.place(coordinate);
        match column.kind {
            TreeColumnKind::Numbers(width) if width > 1 => format!("{}[{}]", column.name, part + 1),
            TreeColumnKind::Times => format!("{}{}", column.name, TIME_PARTS[part]),
            _ => column.name.clone(),
        }
    }

    /// Columns with more categories than are told apart, and their number.
    pub(super) fn merged(&self, columns: &[Column]) -> Vec<(String, usize)> {
        let has_rest = |name: &str| {
            let known = self.columns.iter().find(|c| c.name == name);
            known.is_some_and(|c| matches!(c.kind, TreeColumnKind::Categories { rest: true, .. }))
        };
        let count = |column: &Column| match &column.values {
            Values::Categories(c) if has_rest(&column.name) => {
                Some((column.name.clone(), c.alone().levels().len()))
            }
            _ => None,
        };
        columns.iter().filter_map(count).collect()
    }

    /// The numbers of objects; NaN where a value is missing, or is a category that no training object has.
    pub(super) fn cells(&self, objects: &[Column]) -> Result<Cells> {
        let found: HashMap<&str, &Column> = objects.iter().map(|c| (c.name.as_str(), c)).collect();
        let rows = objects.first().map_or(0, |c| c.values.len());
        let width = self.width();
        budget::ask("the cells of a table", budget::matrix_bytes(rows, width, 8))?;
        let mut values = vec![f64::NAN; rows * width];
        let mut start = 0;
        for column in &self.columns {
            let fault = |reason: String| Error::Column { name: column.name.clone(), reason, hint: None };
            let own = found.get(column.name.as_str()).ok_or_else(|| fault("is not there".into()))?;
            match (&column.kind, &own.values) {
                (TreeColumnKind::Numbers(known), Values::Numbers(x)) => {
                    if x.cols() != *known {
                        return Err(Error::Dimension { expected: *known, found: x.cols() });
                    }
                    for i in 0..rows {
                        budget::check_after(*known)?;
                        for (to, &v) in values[i * width + start..].iter_mut().zip(x.row(i)) {
                            if v.is_infinite() {
                                let reason = format!("holds infinity in column '{}'", column.name);
                                return Err(Error::Object { index: i, reason, hint: None });
                            }
                            // -0 and 0 are one value.
                            *to = v + 0.0;
                        }
                    }
                }
                (TreeColumnKind::Times, Values::Times(times)) => {
                    for (i, &seconds) in times.seconds().iter().enumerate() {
                        values[i * width + start..][..TIME_PARTS.len()]
                            .copy_from_slice(&parts_of_time(seconds));
                    }
                }
                (TreeColumnKind::Categories { levels, rest }, Values::Categories(c)) => {
                    let known: HashMap<&str, usize> = levels.iter().map(String::as_str).zip(0..).collect();
                    let other = if *rest { (MOST_LEVELS - 1) as f64 } else { f64::NAN };
                    let code = |name: &String| known.get(name.as_str()).map_or(other, |&at| at as f64);
                    let codes: Vec<f64> = c.levels().iter().map(code).collect();
                    for i in 0..rows {
                        values[i * width + start] = c.code(i).map_or(f64::NAN, |code| codes[code as usize]);
                    }
                }
                (_, other) => {
                    return Err(fault(format!(
                        "holds {}; the forest was fitted to other values",
                        other.kind()
                    )));
                }
            }
            start += column.kind.width();
        }
        Ok(Cells { rows, width, values })
    }
}

/// The time, its hour, day of the week from Monday, and month.
fn parts_of_time(seconds: f64) -> [f64; 4] {
    if seconds.is_nan() {
        return [f64::NAN; 4];
    }
    let days = (seconds / DAY).floor();
    let (_, month, _) = civil_date(days as i64);
    // 1970-01-01 was a Thursday.
    let weekday = (days as i64 + 3).rem_euclid(7);
    [seconds, (seconds - days * DAY) / 3600.0, weekday as f64, f64::from(month)]
}

/// The categories to be told apart, independent of their names: in order of occurrence, or the most frequent ones.
fn levels(c: &Categories) -> TreeColumnKind {
    let mut counts = vec![0usize; c.levels().len()];
    let mut order = Vec::new();
    for code in c.codes().iter().filter(|&&code| code != Categories::MISSING) {
        let count = &mut counts[*code as usize];
        if *count == 0 {
            order.push(*code as usize);
        }
        *count += 1;
    }
    let rest = order.len() > MOST_LEVELS;
    if rest {
        // The sort is stable: of equally frequent ones, the first to occur.
        order.sort_by_key(|&code| std::cmp::Reverse(counts[code]));
        order.truncate(MOST_LEVELS - 1);
    }
    TreeColumnKind::Categories {
        levels: order.into_iter().map(|code| c.levels()[code].clone()).collect(),
        rest,
    }
}

/// The numbers of objects, row after row.
pub(super) struct Cells {
    rows: usize,
    width: usize,
    values: Vec<f64>,
}

impl Cells {
    pub(super) fn rows(&self) -> usize {
        self.rows
    }

    pub(super) fn row(&self, i: usize) -> &[f64] {
        &self.values[i * self.width..(i + 1) * self.width]
    }
}

/// The code of a missing value.
pub(super) const MISSING: u32 = u32::MAX;

/// The training objects by column: a number is replaced by its place among the distinct numbers of its column.
pub(super) struct Encoded {
    rows: usize,
    pub(super) coordinates: Vec<EncodedCoordinate>,
}

/// A coordinate of the training objects.
pub(super) struct EncodedCoordinate {
    /// The place of each object's number among the distinct ones, or its category.
    pub(super) codes: Vec<u32>,
    /// The distinct numbers, ascending; empty for categories.
    pub(super) distinct: Vec<f64>,
    pub(super) is_set: bool,
}

impl Encoded {
    pub(super) fn of(columns: &TreeColumns, cells: &Cells) -> Self {
        let coordinates = parallel::map(columns.width(), |c| {
            let values = || (0..cells.rows).map(|i| cells.values[i * cells.width + c]);
            if columns.is_set(c) {
                let codes = values().map(|v| if v.is_nan() { MISSING } else { v as u32 }).collect();
                return EncodedCoordinate { codes, distinct: Vec::new(), is_set: true };
            }
            let mut distinct: Vec<f64> = values().filter(|v| !v.is_nan()).collect();
            distinct.sort_unstable_by(f64::total_cmp);
            distinct.dedup();
            let place = |v: f64| distinct.partition_point(|&known| known < v) as u32;
            let codes = values().map(|v| if v.is_nan() { MISSING } else { place(v) }).collect();
            EncodedCoordinate { codes, distinct, is_set: false }
        });
        Encoded { rows: cells.rows, coordinates }
    }

    /// The number of objects.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// The number of coordinates.
    pub(super) fn width(&self) -> usize {
        self.coordinates.len()
    }
}
