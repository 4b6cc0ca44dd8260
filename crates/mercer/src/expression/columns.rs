//! Kernels on columns of a data set.

use std::fmt;
use std::marker::PhantomData;

use super::fit::Fit;
use super::gamma::gamma;
use super::tree::{Call, Expression};
use super::value::Columns;
use crate::data::{AtomLabels, Column, Dataset, Graph, Kind, Precomputed, Values, Vectors, molecule_graphs};
use crate::error::{Error, Result};
use crate::kernel::category::UNNAMED;
use crate::kernel::graph::OnGraphs;
use crate::kernel::{
    Boxed, Declared, Definiteness, Domain, FeatureMap, Features, Given, Identify, Kernel, Parameter, Part,
    Settings,
};

/// The context in which a kernel is made: the training objects and the selected columns.
///
/// The code of an [`Entry`](super::Entry) gets one, and makes its kernel with [`Scope::on`] or [`Scope::inner`].
#[derive(Clone, Copy)]
pub struct Scope<'a> {
    pub(super) fit: &'a Fit<'a>,
    pub(super) data: &'a Dataset,
    /// Columns given by an enclosing `@`.
    pub(super) columns: Option<&'a [String]>,
}

impl<'a> Scope<'a> {
    /// The training objects.
    pub fn training(&self) -> &'a Dataset {
        self.data
    }

    /// The kernel inside a wrapper.
    pub fn inner(&self, call: &'a Call) -> Result<Boxed<Dataset>> {
        self.fit.kernel(inner_of(call)?, self)
    }

    /// The kernel with the settings of a call. A word in place of a number is resolved by the training objects.
    pub fn declared<K: Declared>(&self, call: &Call) -> Result<K> {
        let given = |parameter: &Parameter| match parameter.domain {
            Domain::PositiveOr(_) => gamma(call, self).map(Given::Number),
            _ => call.given(parameter),
        };
        K::read(&mut Settings::new(K::FACTS.parameters, &given))
    }

    /// A kernel on the selected columns of a suitable type.
    pub fn on<X, K>(&self, call: &Call, kernel: K) -> Result<Boxed<Dataset>>
    where
        X: Field + ?Sized + 'static,
        K: Kernel<X> + 'static,
        K::Prepared: 'static,
    {
        let columns = self.suitable(call)?;
        X::take(self.data, &columns, |_| Ok(()))?;
        let known = X::widths(self.data, &columns)?;
        let shown = self.columns.map(<[String]>::to_vec);
        Ok(Boxed::new(On { kernel, columns, shown, known, field: PhantomData::<fn(&X)> }))
    }

    /// A kernel on the selected column of graphs, with a warning about labels or attributes it ignores.
    pub(super) fn on_graphs<K>(&self, call: &Call, kernel: K) -> Result<Boxed<Dataset>>
    where
        K: Kernel<[Graph]> + OnGraphs + 'static,
        K::Prepared: 'static,
    {
        let columns = self.suitable(call)?;
        let notes = <[Graph]>::take(self.data, &columns, |graphs| kernel.notes(graphs))?;
        if !self.fit.restores() {
            notes.into_iter().for_each(|note| self.fit.warn(note));
        }
        self.on::<[Graph], _>(call, kernel)
    }

    /// The feature map of a counting kernel on the selected column.
    pub(super) fn map_on<X, M>(&self, call: &Call, map: M) -> Result<Box<dyn FeatureMap<Dataset>>>
    where
        X: Field + ?Sized + 'static,
        M: FeatureMap<X> + 'static,
    {
        let columns = self.suitable(call)?;
        if columns.len() > 1 {
            return Err(Error::usage("a counting kernel takes one column: add several with +"));
        }
        let (shown, known) = (None, None);
        Ok(Box::new(On { kernel: map, columns, shown, known, field: PhantomData::<fn(&X)> }))
    }

    /// The selected columns of a suitable type.
    pub(super) fn suitable(&self, call: &Call) -> Result<Vec<String>> {
        call.suitable(self.data, self.columns)
    }
}

fn list_kinds(kinds: &[Kind]) -> String {
    kinds.iter().map(|k| k.name()).collect::<Vec<_>>().join(" or ")
}

impl Call {
    /// The columns of a suitable type. Named columns must all be suitable; of unnamed ones, those that are.
    pub(super) fn suitable(&self, data: &Dataset, named: Option<&[String]>) -> Result<Vec<String>> {
        let columns = self.columns_among(data, named)?;
        if columns.is_empty() {
            let there = data.columns().iter().map(|c| format!("{} ({})", c.name, c.values.kind()));
            let there: Vec<_> = there.take(6).collect();
            return Err(Error::Column {
                name: "*".into(),
                reason: format!(
                    "no column holds {}, which {} takes",
                    list_kinds(self.kinds()),
                    self.entry.facts.name
                ),
                hint: Some(format!(
                    "the columns are {}",
                    if there.is_empty() { "none".into() } else { there.join(", ") }
                )),
            });
        }
        Ok(columns)
    }

    /// The types of columns it uses itself.
    pub(super) fn kinds(&self) -> &'static [Kind] {
        match self.word("parts") {
            // The zeros of a sparse vector are not stored, so its numbers cannot be listed.
            Ok("columns") => &[Kind::Numbers],
            Ok(_) => &[Kind::Strings, Kind::Text],
            Err(_) => self.entry.facts.kinds,
        }
    }

    /// The columns it uses itself: the named ones, or all of a suitable type.
    pub(super) fn columns_among(&self, data: &Dataset, named: Option<&[String]>) -> Result<Vec<String>> {
        let kinds = self.kinds();
        let Some(named) = named else {
            let all = data.columns().iter().filter(|c| kinds.iter().any(|k| k.admits(c.values.kind())));
            return Ok(all.map(|c| c.name.clone()).collect());
        };
        for name in named {
            let kind = data.column(name)?.values.kind();
            if !kinds.iter().any(|k| k.admits(kind)) && !self.entry.facts.kinds.is_empty() {
                return Err(Error::Column {
                    name: name.clone(),
                    reason: format!("holds {kind}; {} takes {}", self.entry.facts.name, list_kinds(kinds)),
                    hint: None,
                });
            }
        }
        Ok(named.to_vec())
    }
}

/// The first kernel inside a wrapper; the parser has checked that it exists.
pub(super) fn inner_of(call: &Call) -> Result<&Expression> {
    call.inner.first().ok_or_else(|| Error::usage(format!("{} wraps no kernel", call.entry.facts.name)))
}

/// Objects of one type, taken from columns of a data set: vectors, strings, series, graphs, …
pub trait Field {
    /// Passes the objects of these columns to `work`.
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R>;

    /// The number of features of each column, which new objects must have too; `None` where that has no meaning.
    fn widths(_data: &Dataset, _columns: &[String]) -> Result<Option<Vec<usize>>> {
        Ok(None)
    }
}

impl Field for Vectors {
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        work(&data.vectors(columns)?)
    }

    fn widths(data: &Dataset, columns: &[String]) -> Result<Option<Vec<usize>>> {
        let width = |name: &String| Ok(width(&data.column(name)?.values));
        columns.iter().map(width).collect::<Result<_>>().map(Some)
    }
}

fn width(values: &Values) -> usize {
    match values {
        Values::Numbers(x) => x.cols(),
        Values::Sparse(x) => x.dim(),
        _ => 0,
    }
}

/// The columns with the given numbers of features: sparse ones may have fewer, the missing ones being zero.
/// `None` when there is nothing to change.
fn widened(data: &Dataset, columns: &[String], widths: &[usize]) -> Result<Option<Dataset>> {
    let narrow = |column: &Column, expected: usize| {
        matches!(column.values, Values::Sparse(_)) && width(&column.values) < expected
    };
    let found = columns.iter().map(|name| data.column(name)).collect::<Result<Vec<_>>>()?;
    for (column, &expected) in found.iter().zip(widths) {
        let numeric = matches!(column.values, Values::Numbers(_) | Values::Sparse(_));
        if numeric && width(&column.values) != expected && !narrow(column, expected) {
            return Err(Error::Dimension { expected, found: width(&column.values) });
        }
    }
    if !found.iter().zip(widths).any(|(column, &expected)| narrow(column, expected)) {
        return Ok(None);
    }
    let wide = found.into_iter().zip(widths).map(|(column, &expected)| match &column.values {
        Values::Sparse(x) => Ok(Column::new(&column.name, Values::Sparse(x.clone().with_dim(expected)?))),
        _ => Ok(column.clone()),
    });
    data.with_columns(wide.collect::<Result<_>>()?).map(Some)
}

impl Field for [Graph] {
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        match columns {
            [one] => match &data.column(one)?.values {
                Values::Graphs(graphs) => work(graphs),
                Values::Molecules(all) => match all.iter().position(|m| m.is_empty()) {
                    Some(index) => Err(Error::Missing { index, column: one.clone() }),
                    None => work(&molecule_graphs(all, AtomLabels::default())?),
                },
                other => Err(Error::Column {
                    name: one.clone(),
                    reason: format!("holds {}, not graphs", other.kind()),
                    hint: None,
                }),
            },
            _ => Err(Error::usage("a kernel on graphs takes one column: add several with +")),
        }
    }
}

impl Field for Precomputed {
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        match columns {
            [one] => match &data.column(one)?.values {
                Values::Precomputed(p) => work(p),
                other => Err(Error::Column {
                    name: one.clone(),
                    reason: format!("holds {}, not precomputed similarities", other.kind()),
                    hint: None,
                }),
            },
            _ => Err(Error::usage("precomputed takes one column: add several with +")),
        }
    }
}

/// The values of several columns, compared as a whole.
pub(super) struct Record(Vec<(String, Values)>);

impl Field for Record {
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        let values = columns.iter().map(|n| Ok((n.clone(), data.column(n)?.values.clone())));
        work(&Record(values.collect::<Result<_>>()?))
    }
}

impl Identify for Record {
    fn identities(&self) -> Result<Vec<u128>> {
        let mut joined: Vec<Vec<u8>> = Vec::new();
        for (name, values) in &self.0 {
            if let Some(index) = (0..values.len()).find(|&i| values.is_missing(i)) {
                return Err(Error::Missing { index, column: name.clone() });
            }
            let own = values.identities()?;
            joined.resize(own.len(), Vec::new());
            joined.iter_mut().zip(own).for_each(|(all, one)| all.extend(one.to_le_bytes()));
        }
        Ok(joined.iter().map(|all| xxhash_rust::xxh3::xxh3_128(all)).collect())
    }
}

/// A kernel or a feature map of `X` on columns of a data set.
struct On<X: ?Sized, K> {
    kernel: K,
    columns: Vec<String>,
    /// The columns as the expression named them, if it did.
    shown: Option<Vec<String>>,
    /// The number of features of each column.
    known: Option<Vec<usize>>,
    field: PhantomData<fn(&X)>,
}

impl<X: ?Sized, K: fmt::Display> fmt::Display for On<X, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.kernel)?;
        self.shown.as_deref().map_or(Ok(()), |columns| Columns(columns).fmt(f))
    }
}

impl<X: Field + ?Sized, K: Kernel<X>> Kernel<Dataset> for On<X, K> {
    type Prepared = K::Prepared;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        let wide = match &self.known {
            Some(widths) => widened(objects, &self.columns, widths)?,
            None => None,
        };
        let prepare = |field: &X| self.kernel.prepare(field).map_err(|e| self.name_column(e));
        X::take(wide.as_ref().unwrap_or(objects), &self.columns, prepare)
    }

    passes_on!(kernel);
}

impl<X: Field + ?Sized, M: FeatureMap<X>> FeatureMap<Dataset> for On<X, M> {
    fn named_features(&self, objects: &Dataset, coordinate: &dyn Fn(usize) -> String) -> Result<Features> {
        X::take(objects, &self.columns, |field| self.kernel.named_features(field, coordinate))
    }

    fn places(&self, objects: &Dataset, visit: &mut dyn FnMut(u128, &[u32])) -> Result<()> {
        X::take(objects, &self.columns, |field| self.kernel.places(field, visit))
    }
}

impl<X: ?Sized, K> On<X, K> {
    /// Adds the column name to an error, which the kernel does not know.
    fn name_column(&self, error: Error) -> Error {
        match error {
            Error::Missing { index, .. } if self.columns.len() == 1 => {
                Error::Missing { index, column: self.columns[0].clone() }
            }
            Error::Missing { index, column } => {
                let number = column.strip_prefix(UNNAMED).and_then(|at| at.parse::<usize>().ok());
                let known = number.and_then(|at| self.columns.get(at.wrapping_sub(1)));
                Error::Missing { index, column: known.cloned().unwrap_or(column) }
            }
            other => other,
        }
    }
}
