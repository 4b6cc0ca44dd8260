//! Kernels on columns of a data set.

use std::fmt;
use std::marker::PhantomData;

use super::fit::Fit;
use super::tree::{Call, Expression};
use super::value::Quoted;
use crate::data::{Dataset, Kind, Precomputed, Values, Vectors};
use crate::error::{Error, Result};
use crate::kernel::facts::NUMERIC;
use crate::kernel::{Boxed, Definiteness, Identify, Kernel, Part};

/// What a kernel is fitted to: the training objects, and the columns in force.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) fit: &'a Fit<'a>,
    pub(super) data: &'a Dataset,
    /// Columns given by an `@` further out.
    pub(super) columns: Option<&'a [String]>,
}

impl<'a> Scope<'a> {
    /// The kernel inside a wrapper.
    pub(super) fn inner(&self, call: &'a Call) -> Result<Boxed<Dataset>> {
        self.fit.kernel(inner_of(call)?, self)
    }

    /// A kernel on those columns in force that hold what it takes.
    pub(super) fn on<X, K>(&self, call: &Call, kernel: K) -> Result<Boxed<Dataset>>
    where
        X: Field + 'static,
        K: Kernel<X> + 'static,
        K::Prepared: 'static,
    {
        let columns = self.suitable(call)?;
        let known = X::take(self.data, &columns)?.features();
        let shown = self.columns.map(<[String]>::to_vec);
        Ok(Boxed::new(On { kernel, columns, shown, known, field: PhantomData::<fn(X)> }))
    }

    /// The columns in force that hold what a kernel takes. Named columns must all; of unnamed ones, those that do.
    pub(super) fn suitable(&self, call: &Call) -> Result<Vec<String>> {
        let columns = call.columns_among(self.data, self.columns)?;
        if columns.is_empty() {
            let there = self.data.columns().iter().map(|c| format!("{} ({})", c.name, c.values.kind()));
            let there: Vec<_> = there.take(6).collect();
            return Err(Error::Column {
                name: "*".into(),
                reason: format!(
                    "no column holds {}, which {} takes",
                    list_kinds(call.kinds()),
                    call.entry.facts.name
                ),
                hint: Some(format!(
                    "the columns are {}",
                    if there.is_empty() { "none".into() } else { there.join(", ") }
                )),
            });
        }
        Ok(columns)
    }
}

fn list_kinds(kinds: &[Kind]) -> String {
    kinds.iter().map(|k| k.name()).collect::<Vec<_>>().join(" or ")
}

impl Call {
    /// The kinds of columns it looks at itself.
    pub(super) fn kinds(&self) -> &'static [Kind] {
        match self.word("parts") {
            Ok("columns") => NUMERIC,
            Ok(_) => &[Kind::Strings, Kind::Text],
            Err(_) => self.entry.facts.kinds,
        }
    }

    /// The columns it looks at itself: the named ones, or all that suit it.
    pub(super) fn columns_among(&self, data: &Dataset, named: Option<&[String]>) -> Result<Vec<String>> {
        let kinds = self.kinds();
        let Some(named) = named else {
            let all = data.columns().iter().filter(|c| kinds.contains(&c.values.kind()));
            return Ok(all.map(|c| c.name.clone()).collect());
        };
        for name in named {
            let kind = data.column(name)?.values.kind();
            if !kinds.contains(&kind) && !self.entry.facts.kinds.is_empty() {
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

/// The first kernel inside a wrapper, which the parser has made sure of.
pub(super) fn inner_of(call: &Call) -> Result<&Expression> {
    call.inner.first().ok_or_else(|| Error::usage(format!("{} wraps no kernel", call.entry.facts.name)))
}

/// Objects of one type, taken from columns of a data set.
pub(super) trait Field: Sized {
    fn take(data: &Dataset, columns: &[String]) -> Result<Self>;

    /// The number of features a kernel fitted to this must see again; `None` where that has no meaning.
    fn features(&self) -> Option<Known> {
        None
    }
}

/// What a fitted kernel remembers of its vectors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Known {
    dim: usize,
    sparse: bool,
}

impl Field for Vectors {
    fn take(data: &Dataset, columns: &[String]) -> Result<Self> {
        data.vectors(columns)
    }

    fn features(&self) -> Option<Known> {
        Some(Known { dim: self.dim(), sparse: matches!(self, Vectors::Sparse(_)) })
    }
}

impl Field for Precomputed {
    fn take(data: &Dataset, columns: &[String]) -> Result<Self> {
        match columns {
            [one] => match &data.column(one)?.values {
                Values::Precomputed(p) => Ok(p.clone()),
                other => Err(Error::Column {
                    name: one.clone(),
                    reason: format!("holds {}, not precomputed similarities", other.kind()),
                    hint: None,
                }),
            },
            _ => Err(Error::usage("precomputed takes one column: add up several with +")),
        }
    }
}

/// The values of several columns, compared as a whole.
pub(super) struct Record(Vec<(String, Values)>);

impl Field for Record {
    fn take(data: &Dataset, columns: &[String]) -> Result<Self> {
        columns
            .iter()
            .map(|n| Ok((n.clone(), data.column(n)?.values.clone())))
            .collect::<Result<_>>()
            .map(Record)
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

/// A kernel of `X` on columns of a data set.
struct On<X, K> {
    kernel: K,
    columns: Vec<String>,
    /// The columns as the expression named them, if it did.
    shown: Option<Vec<String>>,
    known: Option<Known>,
    field: PhantomData<fn(X)>,
}

impl<X, K: fmt::Display> fmt::Display for On<X, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#}", self.kernel)?;
        print_columns(f, self.shown.as_deref())
    }
}

/// Prints the columns after a kernel in the form that stands anywhere.
pub(super) fn print_columns(f: &mut fmt::Formatter<'_>, columns: Option<&[String]>) -> fmt::Result {
    let Some(columns) = columns else { return Ok(()) };
    let names: Vec<String> = columns.iter().map(|c| Quoted(c).to_string()).collect();
    write!(f, "@[{}]", names.join(","))
}

impl<X: Field, K: Kernel<X>> Kernel<Dataset> for On<X, K> {
    type Prepared = K::Prepared;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        let field = X::take(objects, &self.columns)?;
        if let (Some(known), Some(new)) = (self.known, field.features())
            && (new.dim > known.dim || new.dim != known.dim && !(known.sparse && new.sparse))
        {
            return Err(Error::Dimension { expected: known.dim, found: new.dim });
        }
        self.kernel.prepare(&field).map_err(|e| self.name_column(e))
    }

    fn count(&self, prepared: &Self::Prepared) -> usize {
        self.kernel.count(prepared)
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        self.kernel.fill(rows, cols, out)
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        self.kernel.diagonal(of, out)
    }

    fn definiteness(&self) -> Definiteness {
        self.kernel.definiteness()
    }

    fn tile_side(&self) -> usize {
        self.kernel.tile_side()
    }
}

impl<X, K> On<X, K> {
    /// A kernel knows its objects, not the columns they came from.
    fn name_column(&self, error: Error) -> Error {
        match error {
            Error::Missing { index, .. } if self.columns.len() == 1 => {
                Error::Missing { index, column: self.columns[0].clone() }
            }
            other => other,
        }
    }
}
