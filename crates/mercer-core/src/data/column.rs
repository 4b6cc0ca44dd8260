//! A named column of values of one kind.

use std::fmt;
use std::sync::Arc;

use mercer_molecules::Molecule;

use super::{Categories, Dense, Graph, Image, Nodes, Precomputed, Series, Sparse, Times};

/// The kinds of values a column can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Kind {
    /// Real numbers, one or several per object.
    Numbers,
    /// Real numbers, most of them zero.
    Sparse,
    /// Values from a finite set of names.
    Categories,
    /// Points in time: dates, with or without the time of day.
    Times,
    /// Sequences of symbols.
    Strings,
    /// Words in a natural language.
    Text,
    /// Time series.
    Series,
    /// Whole graphs.
    Graphs,
    /// Molecules.
    Molecules,
    /// Images.
    Images,
    /// Precomputed similarities.
    Precomputed,
    /// Nodes of one graph.
    Nodes,
}

impl Kind {
    /// The name used in files, options and messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Numbers => "numbers",
            Kind::Sparse => "sparse",
            Kind::Categories => "categories",
            Kind::Times => "times",
            Kind::Strings => "strings",
            Kind::Text => "text",
            Kind::Series => "series",
            Kind::Graphs => "graphs",
            Kind::Molecules => "molecules",
            Kind::Images => "images",
            Kind::Precomputed => "precomputed",
            Kind::Nodes => "nodes",
        }
    }
}

impl Kind {
    /// Whether a kernel that takes this kind can use a column of another: molecules are graphs too.
    pub fn admits(self, other: Kind) -> bool {
        self == other || (self, other) == (Kind::Graphs, Kind::Molecules)
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The values of a column, one per object.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// One or several numbers per object; NaN only where the value is missing.
    Numbers(Dense),
    /// Sparse vectors.
    Sparse(Sparse),
    /// One name per object.
    Categories(Categories),
    /// One point in time per object; NaN is missing.
    Times(Times),
    /// One sequence of symbols per object; `None` is missing.
    Strings(Vec<Option<String>>),
    /// One text per object; `None` is missing.
    Text(Vec<Option<String>>),
    /// One time series per object; a series without time steps is missing, and so is a NaN within it.
    Series(Vec<Series>),
    /// One graph per object.
    Graphs(Vec<Graph>),
    /// One molecule per object; a molecule without atoms is missing.
    Molecules(Vec<Arc<Molecule>>),
    /// One image per object; an image without pixels is missing.
    Images(Vec<Image>),
    /// A row of similarities per object.
    Precomputed(Precomputed),
    /// One node per object, all of one network.
    Nodes(Nodes),
}

impl Values {
    /// The kind of these values.
    pub fn kind(&self) -> Kind {
        match self {
            Values::Numbers(_) => Kind::Numbers,
            Values::Sparse(_) => Kind::Sparse,
            Values::Categories(_) => Kind::Categories,
            Values::Times(_) => Kind::Times,
            Values::Strings(_) => Kind::Strings,
            Values::Text(_) => Kind::Text,
            Values::Series(_) => Kind::Series,
            Values::Graphs(_) => Kind::Graphs,
            Values::Molecules(_) => Kind::Molecules,
            Values::Images(_) => Kind::Images,
            Values::Precomputed(_) => Kind::Precomputed,
            Values::Nodes(_) => Kind::Nodes,
        }
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        match self {
            Values::Numbers(v) => v.rows(),
            Values::Sparse(v) => v.rows(),
            Values::Categories(v) => v.len(),
            Values::Times(v) => v.len(),
            Values::Strings(v) | Values::Text(v) => v.len(),
            Values::Series(v) => v.len(),
            Values::Graphs(v) => v.len(),
            Values::Molecules(v) => v.len(),
            Values::Images(v) => v.len(),
            Values::Precomputed(v) => v.len(),
            Values::Nodes(v) => v.len(),
        }
    }

    /// True when there are no objects.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of numeric values per object; 0 for other kinds of values.
    pub fn width(&self) -> usize {
        match self {
            Values::Numbers(x) => x.cols(),
            Values::Sparse(x) => x.dim(),
            _ => 0,
        }
    }

    /// Whether object i has no value in this column.
    pub fn is_missing(&self, i: usize) -> bool {
        match self {
            Values::Numbers(v) => v.row(i).iter().any(|x| x.is_nan()),
            Values::Categories(v) => v.code(i).is_none(),
            Values::Times(v) => v.is_missing(i),
            Values::Strings(v) | Values::Text(v) => v[i].is_none(),
            Values::Series(v) => v[i].is_empty(),
            Values::Molecules(v) => v[i].is_empty(),
            Values::Images(v) => v[i].is_empty(),
            Values::Sparse(_) | Values::Graphs(_) | Values::Precomputed(_) | Values::Nodes(_) => false,
        }
    }

    /// The chosen objects, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        fn pick<T: Clone>(from: &[T], rows: &[usize]) -> Vec<T> {
            rows.iter().map(|&i| from[i].clone()).collect()
        }
        match self {
            Values::Numbers(v) => Values::Numbers(v.select(rows)),
            Values::Sparse(v) => Values::Sparse(v.select(rows)),
            Values::Categories(v) => Values::Categories(v.select(rows)),
            Values::Times(v) => Values::Times(v.select(rows)),
            Values::Strings(v) => Values::Strings(pick(v, rows)),
            Values::Text(v) => Values::Text(pick(v, rows)),
            Values::Series(v) => Values::Series(pick(v, rows)),
            Values::Graphs(v) => Values::Graphs(pick(v, rows)),
            Values::Molecules(v) => Values::Molecules(pick(v, rows)),
            Values::Images(v) => Values::Images(pick(v, rows)),
            Values::Precomputed(v) => Values::Precomputed(v.select(rows)),
            Values::Nodes(v) => Values::Nodes(v.select(rows)),
        }
    }
}

/// A named column.
#[derive(Clone, Debug, PartialEq)]
pub struct Column {
    /// Its name, unique in the data set.
    pub name: String,
    /// Its values.
    pub values: Values,
}

impl Column {
    /// A column with this name.
    pub fn new(name: impl Into<String>, values: Values) -> Self {
        Column { name: name.into(), values }
    }

    /// The number of objects without a value in this column.
    pub fn missing(&self) -> usize {
        (0..self.values.len()).filter(|&i| self.values.is_missing(i)).count()
    }
}
