//! Explicit features of expressions: a sum concatenates features, a factor scales them, `normalize` divides those of
//! each object by their norm.

use std::collections::HashMap;

use super::columns::{Field, Scope};
use super::fit::Fit;
use super::step::Step;
use super::tree::{Call, Expression};
use crate::data::{Column, Dataset, Sparse, Vectors};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::kernel::Features;
use crate::kernel::counts::{Describe, NamedCounts};

/// Explicit features, and where in the objects they occur.
pub(crate) struct FeatureTable {
    /// The name of each column.
    pub(crate) names: Vec<String>,
    /// The nonzero features of each object.
    pub(crate) rows: Vec<Vec<(u32, f64)>>,
    /// The identity of each column, independent of the objects.
    pub(crate) keys: Vec<Key>,
    sources: Vec<Source>,
}

/// The identity of a feature, independent of the objects: its kernel within a sum, and its hash or index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) part: usize,
    pub(crate) feature: u128,
}

/// The features of one counting kernel among all columns.
struct Source {
    /// The objects that it counts.
    column: String,
    occurrences: Occurrences,
    /// The column of each feature, by its hash.
    numbers: HashMap<u128, u32>,
}

/// Calls a function with the hash of every feature of objects, and where it occurs.
type Occurrences = Box<dyn Fn(&Dataset, &mut dyn FnMut(u128, &[u32])) -> Result<()> + Send + Sync>;

impl Expression {
    /// The explicit features of the objects, φ(x)·φ(y) = k(x, y), for kernels that have them (linear, polynomial, and
    /// counting kernels on graphs or strings), their sums and multiples, and `normalize` around them.
    ///
    /// The columns of counting kernels are the features that occur in the objects, so other objects give other columns;
    /// the names identify them.
    ///
    /// ```
    /// use mercer::data::{Column, Dataset, Graph, Labels, Values};
    /// let graph = Graph::undirected(3, &[(0, 1), (1, 2)])?.with_node_labels(Labels::from_names(["C", "C", "O"]))?;
    /// let data = Dataset::new(vec![Column::new("molecule", Values::Graphs(vec![graph]))])?;
    /// let features = "wl(h=1)".parse::<mercer::expression::Expression>()?.explicit_features(&data)?;
    /// assert!(features.names.contains(&"C(C,O)".to_owned()));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn explicit_features(&self, data: &Dataset) -> Result<Features> {
        if let Expression::Call(call) = self
            && call.entry.has_coordinates()
        {
            return self.features(data);
        }
        let FeatureTable { names, rows, .. } = self.written(data, None)?;
        Ok(Features { values: Vectors::Sparse(Sparse::from_rows(names.len(), &rows)?), names })
    }

    /// The explicit features of new objects with the steps of an earlier fit, such as the vocabulary of `terms`:
    /// nothing is fitted. The objects must have exactly the columns the expression used in the fit.
    ///
    /// ```
    /// use mercer::{data::{Column, Dataset, Values}, expression::Expression, gram::Engine};
    /// let texts = |all: &[&str]| {
    ///     let values = Values::Text(all.iter().map(|&t| Some(t.to_owned())).collect());
    ///     Dataset::new(vec![Column::new("x", values)])
    /// };
    /// let expression = "terms(linear)".parse::<Expression>()?;
    /// let fitted = expression.fit(&texts(&["red house", "red car"])?, &Engine::new())?;
    /// let features = expression.restored_features(&texts(&["red tree"])?, fitted.steps)?;
    /// assert!(features.names.iter().all(|name| !name.contains("tree")));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn restored_features(&self, data: &Dataset, steps: Vec<Step>) -> Result<Features> {
        if let Expression::Call(call) = self
            && call.entry.has_coordinates()
        {
            return self.features(data);
        }
        let FeatureTable { names, rows, .. } = self.written(data, Some(steps))?;
        Ok(Features { values: Vectors::Sparse(Sparse::from_rows(names.len(), &rows)?), names })
    }

    /// The same, with where features occur. The steps of an earlier fit are used if given.
    pub(crate) fn written(&self, data: &Dataset, steps: Option<Vec<Step>>) -> Result<FeatureTable> {
        let engine = Engine::new();
        let fit = Fit::new(&engine, steps);
        self.write(&Scope { fit: &fit, data, columns: None })
    }

    pub(super) fn write(&self, scope: &Scope<'_>) -> Result<FeatureTable> {
        match self {
            Expression::Sum(terms) => {
                let (mut all, mut before) = (FeatureTable::empty(scope.data.len()), 0);
                for term in terms {
                    all.append(term.write(scope)?, (terms.len() > 1, before), term);
                    before += term.parts();
                }
                Ok(all)
            }
            Expression::Scale(factor, inner) => {
                let factor = factor.number().ok_or_else(|| {
                    Error::param("factor", factor, "one value: a range is for a search to choose from")
                })?;
                let mut all = inner.write(scope)?;
                all.rows.iter_mut().flatten().for_each(|(_, v)| *v *= factor.sqrt());
                Ok(all)
            }
            Expression::Group(inner, columns) => inner.write(&Scope { columns: Some(columns), ..*scope }),
            Expression::Call(call) => {
                let scope = Scope { columns: call.columns.as_deref().or(scope.columns), ..*scope };
                match call.entry.write {
                    Some(write) => write(call, &scope),
                    None => Err(self.without_features()),
                }
            }
            Expression::Product(_) => Err(self.without_features()),
        }
    }

    /// The number of kernels whose features are concatenated.
    fn parts(&self) -> usize {
        match self {
            Expression::Sum(terms) => terms.iter().map(Expression::parts).sum(),
            Expression::Scale(_, inner) | Expression::Group(inner, _) => inner.parts(),
            Expression::Call(call) => call.inner.first().map_or(1, Expression::parts),
            Expression::Product(_) => 1,
        }
    }

    fn without_features(&self) -> Error {
        Error::Param {
            name: "kernel".into(),
            value: self.to_string(),
            domain: "one with explicit features: linear, polynomial, cosine, terms or visual around them, counting kernels on graphs and strings, their \
                     sums and multiples, and normalize around them"
                .into(),
        }
    }
}

/// The features of a counting kernel.
pub(super) fn write_counts<K>(call: &Call, scope: &Scope<'_>, kernel: K) -> Result<FeatureTable>
where
    K: Describe<Objects: Field> + 'static,
{
    let columns = scope.suitable(call)?;
    let [column] = columns.as_slice() else {
        return Err(Error::usage("a counting kernel takes one column: add several with +"));
    };
    let column = column.clone();
    let NamedCounts { names, hashes, rows } =
        K::Objects::take(scope.data, &columns, |objects| kernel.named(objects))?;
    let rows = rows_of(&Vectors::Sparse(rows));
    let keys = hashes.iter().map(|&feature| Key { part: 0, feature }).collect();
    let numbers = hashes.into_iter().zip(0..).collect();
    let occurrences: Occurrences = Box::new(move |data, visit| {
        K::Objects::take(data, &columns, |objects| {
            kernel.places(objects, &mut |hash, place, _| visit(hash, place))
        })
    });
    Ok(FeatureTable { names, rows, keys, sources: vec![Source { column, occurrences, numbers }] })
}

/// The features of a kernel on vectors.
pub(super) fn write_vectors(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    let mut call = call.clone();
    call.columns = scope.columns.map(<[String]>::to_vec);
    let (Features { names, values }, present) = Expression::Call(call).features_present(scope.data)?;
    let number = |at: usize| present.as_ref().map_or(at, |present| present[at] as usize);
    let keys = (0..names.len()).map(|at| Key { part: 0, feature: number(at) as u128 }).collect();
    Ok(FeatureTable { names, rows: rows_of(&values), keys, sources: Vec::new() })
}

fn rows_of(values: &Vectors) -> Vec<Vec<(u32, f64)>> {
    let row = |i: usize| -> Vec<(u32, f64)> {
        match values {
            Vectors::Dense(x) => (0..).zip(x.row(i).iter().copied()).filter(|(_, v)| *v != 0.0).collect(),
            Vectors::Sparse(x) => x.row(i).0.iter().copied().zip(x.row(i).1.iter().copied()).collect(),
        }
    };
    (0..values.len()).map(row).collect()
}

impl FeatureTable {
    fn empty(objects: usize) -> Self {
        FeatureTable {
            names: Vec::new(),
            rows: vec![Vec::new(); objects],
            keys: Vec::new(),
            sources: Vec::new(),
        }
    }

    /// Divides the features of each object by their norm; an object without features stays unchanged.
    pub(super) fn divide_by_length(&mut self) {
        for row in &mut self.rows {
            let length = row.iter().map(|(_, v)| v * v).sum::<f64>().sqrt();
            row.iter_mut().filter(|_| length > 0.0).for_each(|(_, v)| *v /= length);
        }
    }

    /// Appends the features of another kernel; with several kernels, names start with the kernel.
    fn append(&mut self, other: FeatureTable, (several, before): (bool, usize), kernel: &Expression) {
        let shift = self.names.len() as u32;
        self.keys.extend(other.keys.into_iter().map(|key| Key { part: key.part + before, ..key }));
        let whose = match kernel {
            _ if !several => String::new(),
            Expression::Call(call) => format!("{}: ", call.entry.facts.name),
            _ => String::new(),
        };
        self.names.extend(other.names.into_iter().map(|name| format!("{whose}{name}")));
        for (row, more) in self.rows.iter_mut().zip(other.rows) {
            row.extend(more.into_iter().map(|(f, v)| (f + shift, v)));
        }
        self.sources.extend(other.sources.into_iter().map(|mut source| {
            source.numbers.values_mut().for_each(|number| *number += shift);
            source
        }));
    }

    /// Calls `visit` with each feature of an object and each of its occurrences: nodes of its graph, or the position of
    /// its first character in the string.
    pub(crate) fn places(
        &self,
        data: &Dataset,
        object: usize,
        visit: &mut dyn FnMut(u32, &[u32]),
    ) -> Result<()> {
        for source in &self.sources {
            let mut known = |hash: u128, place: &[u32]| {
                if let Some(&number) = source.numbers.get(&hash) {
                    visit(number, place);
                }
            };
            let column = data.column(&source.column)?;
            let one = Dataset::new(vec![Column::new(&column.name, column.values.select(&[object]))])?;
            (source.occurrences)(&one, &mut known).map_err(|e| e.of_object(|_| object))?;
        }
        Ok(())
    }
}
