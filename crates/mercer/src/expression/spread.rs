//! Splits vectors into one column per coordinate, for wrappers that use columns one by one.

use std::collections::HashSet;
use std::fmt;

use super::columns::{Scope, inner_of};
use super::fit::balanced;
use super::tree::Call;
use super::value::Columns;
use crate::data::{Column, Dataset, Dense, Sparse, Values};
use crate::error::{Error, Result};
use crate::kernel::{Boxed, Definiteness, Kernel, Part};

/// Joins the kernels of the single columns; a column of vectors gives one kernel per coordinate.
pub(super) fn over_columns(
    call: &Call,
    scope: &Scope<'_>,
    join: fn(Boxed<Dataset>, Boxed<Dataset>) -> Boxed<Dataset>,
) -> Result<Boxed<Dataset>> {
    let inner = inner_of(call)?;
    let columns = match scope.columns {
        Some(named) => named.to_vec(),
        None => inner.columns_used(scope.data)?,
    };
    let spread = Spread::of(scope.data, &columns, inner.named_columns())?;
    let made = match &spread {
        Some(spread) => Some(spread.apply(scope)?),
        None => None,
    };
    let names = spread.as_ref().map_or_else(|| columns.clone(), Spread::names);
    let data = made.as_ref().unwrap_or(scope.data);
    let kernels = names.iter().map(|name| {
        let alone = std::slice::from_ref(name);
        scope.fit.kernel(inner, &Scope { data, columns: Some(alone), ..*scope })
    });
    let kernels = kernels.collect::<Result<Vec<_>>>()?;
    let name = call.entry.facts.name;
    let joined = balanced(kernels, &join).ok_or_else(|| Error::Column {
        name: "*".into(),
        reason: format!("{name} finds no column of a type its kernel takes"),
        hint: None,
    })?;
    Ok(match spread {
        None => joined,
        Some(spread) => {
            let shown = (format!("{name}({inner})"), scope.columns.map(<[String]>::to_vec));
            Boxed::new(OnCoordinates { spread, shown, inner: joined })
        }
    })
}

/// Whether one of the columns is of vectors with several coordinates, or none.
pub(super) fn has_coordinates(data: &Dataset, columns: &[String]) -> Result<bool> {
    Ok(Spread::of(data, columns, Vec::new())?.is_some())
}

/// Columns with the number of coordinates of each; 0 for those that stay unchanged.
#[derive(Clone, Debug, PartialEq)]
struct Spread {
    columns: Vec<(String, usize)>,
    /// Other columns that the kernel inside names.
    others: Vec<String>,
}

impl Spread {
    /// `None` if no column has more than one coordinate.
    fn of(data: &Dataset, columns: &[String], named: Vec<&str>) -> Result<Option<Self>> {
        let width = |name: &String| match &data.column(name)?.values {
            values @ (Values::Numbers(_) | Values::Sparse(_)) if values.width() != 1 => {
                Ok((name.clone(), values.width()))
            }
            _ => Ok((name.clone(), 0)),
        };
        let columns = columns.iter().map(width).collect::<Result<Vec<_>>>()?;
        if columns.iter().all(|(_, width)| *width == 0) {
            return Ok(None);
        }
        let kept: HashSet<&str> =
            columns.iter().filter(|(_, width)| *width == 0).map(|(own, _)| own.as_str()).collect();
        let mut others: Vec<String> =
            named.into_iter().filter(|name| !kept.contains(name)).map(str::to_owned).collect();
        others.sort_unstable();
        others.dedup();
        Ok(Some(Spread { columns, others }))
    }

    /// The names of the resulting columns.
    fn names(&self) -> Vec<String> {
        let own = |(name, width): &(String, usize)| match width {
            0 => vec![name.clone()],
            width => (1..=*width).map(|at| format!("{name}[{at}]")).collect(),
        };
        self.columns.iter().flat_map(own).collect()
    }

    /// The training objects with these columns; fails if memory does not suffice.
    fn apply(&self, scope: &Scope<'_>) -> Result<Dataset> {
        let count: usize = self.columns.iter().map(|(_, width)| width).sum();
        // Each column needs a name and a kernel besides its values.
        let needed = crate::budget::matrix_bytes(scope.data.len() + 16, count, 24);
        scope.fit.engine.budget().ask(&format!("a column for each of {count} coordinates"), needed)?;
        self.spread(scope.data)
    }

    fn spread(&self, data: &Dataset) -> Result<Dataset> {
        let mut out = Vec::new();
        for name in self.others.iter() {
            out.push(data.column(name)?.clone());
        }
        for (name, width) in &self.columns {
            let column = data.column(name)?;
            let coordinates = match (&column.values, width) {
                (_, 0) => {
                    out.push(column.clone());
                    continue;
                }
                (Values::Numbers(x), &width) if x.cols() == width => dense(x)?,
                // A sparse vector with fewer coordinates is 0 in the others.
                (Values::Sparse(x), &width) if x.dim() <= width => sparse(x, width)?,
                (Values::Numbers(_) | Values::Sparse(_), &expected) => {
                    return Err(Error::Dimension { expected, found: column.values.width() });
                }
                (other, _) => {
                    let reason = format!("holds {}, but the training objects have numbers", other.kind());
                    return Err(Error::Column { name: name.clone(), reason, hint: None });
                }
            };
            let named = coordinates.into_iter().enumerate();
            out.extend(named.map(|(at, values)| Column::new(format!("{name}[{}]", at + 1), values)));
        }
        data.with_columns(out)
    }
}

fn dense(x: &Dense) -> Result<Vec<Values>> {
    let one =
        |c: usize| Ok(Values::Numbers(Dense::new(x.rows(), 1, (0..x.rows()).map(|i| x.at(i, c)).collect())?));
    (0..x.cols()).map(one).collect()
}

fn sparse(x: &Sparse, width: usize) -> Result<Vec<Values>> {
    let mut entries: Vec<Vec<(usize, f64)>> = vec![Vec::new(); width];
    for i in 0..x.rows() {
        let (features, values) = x.row(i);
        features.iter().zip(values).for_each(|(&f, &v)| entries[f as usize].push((i, v)));
    }
    let one = |own: Vec<(usize, f64)>| {
        let mut rows = vec![Vec::new(); x.rows()];
        own.into_iter().for_each(|(i, v)| rows[i].push((0, v)));
        Ok(Values::Sparse(Sparse::from_rows(1, &rows)?))
    };
    entries.into_iter().map(one).collect()
}

/// A kernel on one column per coordinate.
struct OnCoordinates {
    spread: Spread,
    /// The text of the kernel, and its given columns.
    shown: (String, Option<Vec<String>>),
    inner: Boxed<Dataset>,
}

impl fmt::Display for OnCoordinates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown.0)?;
        self.shown.1.as_deref().map_or(Ok(()), |columns| Columns(columns).fmt(f))
    }
}

impl Kernel<Dataset> for OnCoordinates {
    type Prepared = <Boxed<Dataset> as Kernel<Dataset>>::Prepared;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        self.inner.prepare(&self.spread.spread(objects)?)
    }

    passes_on!(inner);
}
