//! Explicit features of expressions: sums are features side by side, a factor scales them, `normalize` divides each object's by
//! their length.

use std::collections::HashMap;

use super::columns::{Scope, inner_of};
use super::fit::Fit;
use super::tree::{Call, Expression};
use super::{graphs, registry};
use crate::data::{Dataset, Graph, Sparse, Values, Vectors};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::kernel::Features;
use crate::kernel::graph::Named;

/// Features written out, and where they come from.
pub(crate) struct Written {
    /// What each column stands for.
    pub(crate) names: Vec<String>,
    /// The features of each object: those that are not 0.
    pub(crate) rows: Vec<Vec<(u32, f64)>>,
    sources: Vec<Source>,
}

/// The features of one kernel on graphs among all columns.
struct Source {
    column: String,
    kernel: Box<dyn Named>,
    /// The column of each feature, by its hash.
    numbers: HashMap<u128, u32>,
}

impl Expression {
    /// The explicit features of the objects, φ(x)·φ(y) = k(x, y), for kernels that have them (linear, polynomial, and those
    /// that count on graphs), their sums and multiples, and `normalize` around them.
    ///
    /// Columns of kernels on graphs are those the objects have, so that other objects have others; names say which they are.
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
            && registry::has_features(call)
        {
            return self.features(data);
        }
        let Written { names, rows, .. } = self.written(data)?;
        Ok(Features { values: Vectors::Sparse(Sparse::from_rows(names.len(), &rows)?), names })
    }

    /// The same with where features come from.
    pub(crate) fn written(&self, data: &Dataset) -> Result<Written> {
        let engine = Engine::new();
        let fit = Fit::new(&engine, None);
        self.write(&Scope { fit: &fit, data, columns: None })
    }

    fn write(&self, scope: &Scope<'_>) -> Result<Written> {
        match self {
            Expression::Sum(terms) => {
                let mut all = Written::empty(scope.data.len());
                for term in terms {
                    all.append(term.write(scope)?, terms.len() > 1, term);
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
                if call.entry.facts.name == "normalize" {
                    let mut all = inner_of(call)?.write(&scope)?;
                    for row in &mut all.rows {
                        let length = row.iter().map(|(_, v)| v * v).sum::<f64>().sqrt();
                        row.iter_mut().for_each(|(_, v)| *v /= length);
                    }
                    return Ok(all);
                }
                match graphs::named(call)? {
                    Some(kernel) => write_graphs(call, kernel, &scope),
                    None if registry::has_features(call) => write_vectors(call, &scope),
                    None => Err(self.without_features()),
                }
            }
            Expression::Product(_) => Err(self.without_features()),
        }
    }

    fn without_features(&self) -> Error {
        Error::Param {
            name: "kernel".into(),
            value: self.to_string(),
            domain: "one with explicit features: linear, polynomial, kernels on graphs that count, their sums and \
                     multiples, and normalize around them"
                .into(),
        }
    }
}

fn write_graphs(call: &Call, kernel: Box<dyn Named>, scope: &Scope<'_>) -> Result<Written> {
    let columns = scope.suitable(call)?;
    let [column] = columns.as_slice() else {
        return Err(Error::usage("a kernel on graphs takes one column: add up several with +"));
    };
    let counts = match &scope.data.column(column)?.values {
        Values::Graphs(graphs) => kernel.named(graphs)?,
        other => return Err(Error::usage(format!("column '{column}' holds {}, not graphs", other.kind()))),
    };
    let rows = rows_of(&Vectors::Sparse(counts.rows));
    let numbers = counts.hashes.into_iter().zip(0..).collect();
    let sources = vec![Source { column: column.clone(), kernel, numbers }];
    Ok(Written { names: counts.names, rows, sources })
}

fn write_vectors(call: &Call, scope: &Scope<'_>) -> Result<Written> {
    let mut call = call.clone();
    call.columns = scope.columns.map(<[String]>::to_vec);
    let Features { names, values } = Expression::Call(call).features(scope.data)?;
    Ok(Written { names, rows: rows_of(&values), sources: Vec::new() })
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

impl Written {
    fn empty(objects: usize) -> Self {
        Written { names: Vec::new(), rows: vec![Vec::new(); objects], sources: Vec::new() }
    }

    /// Puts other features beside these; among several kernels a name says whose it is.
    fn append(&mut self, other: Written, several: bool, kernel: &Expression) {
        let shift = self.names.len() as u32;
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

    /// Calls `visit` with each feature of an object that is found on nodes of its graph, and with those nodes.
    pub(crate) fn places(
        &self,
        data: &Dataset,
        object: usize,
        visit: &mut dyn FnMut(u32, &[u32]),
    ) -> Result<()> {
        for source in &self.sources {
            let Values::Graphs(graphs) = &data.column(&source.column)?.values else { continue };
            let graph: &Graph = &graphs[object];
            let told = source.kernel.places(graph, &mut |hash, nodes, _| {
                if let Some(&number) = source.numbers.get(&hash) {
                    visit(number, nodes);
                }
            });
            told.map_err(|e| e.of_object(|_| object))?;
        }
        Ok(())
    }
}
