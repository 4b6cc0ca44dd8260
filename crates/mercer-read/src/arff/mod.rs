//! Weka's attribute-relation format.
//!
//! A header declares attributes (numeric, nominal, string, date). Rows follow: values separated by commas, or `{index
//! value, …}` if most are zero. All rows have the same form. The numeric features of sparse rows become one sparse
//! column named `x`, because a dense table could be far larger than the file.

mod header;
mod rows;
#[cfg(test)]
mod tests;
mod token;

use std::collections::HashMap;
use std::sync::Arc;

use self::header::{Attribute, Declared, Header};
use super::build::{Absent, Cell, ColumnPlan, Part, Plan, Sink, join};
use super::reserve::check_spread;
use super::roles::{Role, assign, given_kind};
use super::text::{Fault, Text};
use super::{Options, TargetKind, finish, parallel};
use crate::data::{CellForm, Column, Dataset, Kind, Sparse, Values};
use crate::error::{Code, Error, Result};

/// The name of the optional weight after a row.
const WEIGHT: &str = "{weight}";
/// Number of values that decide whether strings are text.
const SAMPLE: usize = 1000;

pub(super) fn read(text: &Text<'_>, options: &Options) -> Result<Dataset> {
    read_in_parts(text, options, parallel::PART)
}

fn read_in_parts(text: &Text<'_>, options: &Options, size: usize) -> Result<Dataset> {
    let all = text.as_str();
    let header = header::read(all).map_err(|f| match f.code {
        Code::Empty => text.empty(&f.reason),
        _ => text.error(f),
    })?;
    let names: Vec<String> = header.attributes.iter().map(|a| a.name.clone()).collect();
    let roles = assign(&names, options, &text.place(header.names))?;
    let Some(first) = rows::first(all, header.data) else {
        return Err(text.empty("attributes but no rows"));
    };
    let mut columns = columns(&header, &roles, options)?;
    let has_weights = rows::has_weight(all, first);
    if has_weights {
        if options.weight.is_some() {
            return Err(Error::usage(
                "this file has weights after its rows; remove the weight column option",
            ));
        }
        columns.push(ColumnPlan {
            name: WEIGHT.into(),
            role: Role::Weight,
            kind: Kind::Numbers,
            declared: None,
            form: CellForm::Plain,
            lenient: false,
        });
    }
    let shape = Shape::new(&header, columns, rows::is_sparse(all, first), has_weights);
    let plan = Plan::new(shape.columns.clone(), options.missing_or_keep(), Absent::by(is_missing));
    if shape.sparse {
        check_growth(all, &plan)?;
    }

    let ranges = parallel::lines(all, header.data, size);
    let work = |range| rows::part(all, range, &shape, &plan);
    let parts = parallel::parse(&ranges, work).map_err(|f| text.error(f))?;
    let (parts, sparse): (Vec<Part>, Vec<SparsePart>) = parts.into_iter().unzip();
    let joined = join(parts, &plan)?;
    if joined.rows == 0 {
        return Err(text.empty("every row has a missing value, so all were left out"));
    }
    let mut before = Vec::new();
    if shape.sparse && shape.slots > 0 {
        before.push(Column::new("x", Values::Sparse(sparse_rows(sparse, shape.slots)?)));
    }
    let warnings = joined.without_target(&plan, |offset| text.place(offset).line).into_iter().collect();
    let data = finish::dataset(&plan, joined, before, warnings, options)?;
    texts_among_strings(data, options)
}

/// Rejects sparse rows whose other columns, which store every value, would be far larger than the file.
fn check_growth(all: &str, plan: &Plan) -> Result<()> {
    let (names, strings) = (plan.count(Sink::Names) as u64, plan.count(Sink::Strings) as u64);
    let columns = plan.count(Sink::Numbers) as u64 + names + strings;
    let rows = memchr::memchr_iter(b'\n', all.as_bytes()).count() as u64 + 1;
    let size = if strings > 0 { 24 } else { 8 };
    let what = "expanding the nominal and string attributes of sparse rows";
    check_spread(what, rows.saturating_mul(columns), size, all.len() as u64)
}

/// Only an unquoted question mark is a missing value.
fn is_missing(cell: &Cell<'_>) -> bool {
    !cell.quoted && cell.text == "?"
}

fn columns(header: &Header, roles: &[Role], options: &Options) -> Result<Vec<ColumnPlan>> {
    let plan = |(attribute, role): (&Attribute, &Role)| {
        let given = given_kind(&attribute.name, options)?;
        let own = match &attribute.declared {
            Declared::Numeric => Kind::Numbers,
            Declared::Nominal { .. } => Kind::Categories,
            Declared::String => Kind::Strings,
        };
        let kind = match (role, options.target_kind) {
            (Role::Target, TargetKind::Classes) => Kind::Categories,
            (Role::Target, TargetKind::Numbers) => Kind::Numbers,
            _ => given.unwrap_or(own),
        };
        let declared = match &attribute.declared {
            Declared::Nominal { values, .. } => Some(Arc::new(values.clone())),
            _ => None,
        };
        Ok(ColumnPlan {
            name: attribute.name.clone(),
            role: *role,
            kind,
            declared,
            form: CellForm::Plain,
            lenient: false,
        })
    };
    header.attributes.iter().zip(roles).map(plan).collect()
}

/// How the values of a row are stored.
struct Shape {
    sparse: bool,
    weights: bool,
    attributes: usize,
    /// Columns stored densely: every attribute of dense rows; of sparse rows all but numeric features.
    columns: Vec<ColumnPlan>,
    /// The value of each of these columns if a sparse row omits it.
    defaults: Vec<String>,
    /// Where each attribute of sparse rows is stored.
    places: HashMap<usize, Place>,
    /// The number of numeric features of sparse rows.
    slots: usize,
}

#[derive(Clone, Copy)]
enum Place {
    Column(usize),
    Slot(u32),
}

impl Shape {
    fn new(header: &Header, columns: Vec<ColumnPlan>, sparse: bool, weights: bool) -> Self {
        let attributes = header.attributes.len();
        let mut shape = Shape {
            sparse,
            weights,
            attributes,
            columns: Vec::new(),
            defaults: Vec::new(),
            places: HashMap::new(),
            slots: 0,
        };
        for (j, column) in columns.into_iter().enumerate() {
            if sparse && j < attributes && column.role == Role::Feature && column.kind == Kind::Numbers {
                shape.places.insert(j, Place::Slot(shape.slots as u32));
                shape.slots += 1;
                continue;
            }
            shape.places.insert(j, Place::Column(shape.columns.len()));
            shape.defaults.push(match header.attributes.get(j).map(|a| &a.declared) {
                // Zero means the first declared value.
                Some(Declared::Nominal { first, .. }) => first.clone(),
                Some(Declared::String) => "?".to_owned(),
                Some(Declared::Numeric) => "0".to_owned(),
                None => "1".to_owned(),
            });
            shape.columns.push(column);
        }
        shape
    }
}

/// The sparse features of consecutive rows. `ends` are the row ends in `entries`.
#[derive(Default)]
struct SparsePart {
    ends: Vec<usize>,
    entries: Vec<(u32, f64)>,
}

fn sparse_rows(parts: Vec<SparsePart>, dim: usize) -> Result<Sparse> {
    let (mut offsets, mut indices, mut values) = (vec![0], Vec::new(), Vec::new());
    for part in parts {
        offsets.extend(part.ends.iter().map(|end| end + indices.len()));
        indices.extend(part.entries.iter().map(|e| e.0));
        values.extend(part.entries.iter().map(|e| e.1));
    }
    Sparse::new(dim, offsets, indices, values)
}

/// String attributes whose values mostly have three words or more become text, unless a type was given.
fn texts_among_strings(data: Dataset, options: &Options) -> Result<Dataset> {
    let is_text = |column: &Column| match &column.values {
        Values::Strings(values) if !options.kinds.contains_key(&column.name) => {
            let seen: Vec<_> = values.iter().flatten().take(SAMPLE).collect();
            let sentences = seen.iter().filter(|s| s.split_whitespace().nth(2).is_some()).count();
            2 * sentences > seen.len()
        }
        _ => false,
    };
    if !data.columns().iter().any(is_text) {
        return Ok(data);
    }
    let columns = data.columns().iter().map(|column| match &column.values {
        Values::Strings(values) if is_text(column) => Column::new(&column.name, Values::Text(values.clone())),
        values => Column::new(&column.name, values.clone()),
    });
    data.with_columns(columns.collect())
}

/// A syntax error.
fn syntax(offset: usize, reason: impl Into<String>) -> Fault {
    Fault::new(offset, Code::Syntax, reason)
}
