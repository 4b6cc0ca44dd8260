//! Shared helpers of the tests: engines, Gram matrices, comparisons.

use std::sync::LazyLock;

use mercer::data::{Column, Dataset, Dense, Sparse, Values, Vectors};
use mercer::expression::{Expression, Fitted};
use mercer::gram::Engine;

/// Engines on one, two and three threads.
pub(crate) static ENGINES: LazyLock<[Engine; 3]> =
    LazyLock::new(|| [1, 2, 3].map(|threads| Engine::new().with_threads(threads).unwrap()));

/// The engine on one thread.
pub(crate) fn engine() -> &'static Engine {
    &ENGINES[0]
}

/// Parses an expression.
pub(crate) fn parse(text: &str) -> Expression {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// Parses and fits a kernel.
pub(crate) fn fit(text: &str, training: &Dataset) -> Fitted {
    parse(text).fit(training, engine()).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The Gram matrix of the objects a kernel is fitted to.
pub(crate) fn gram(text: &str, data: &Dataset) -> Dense {
    engine().gram(&fit(text, data).kernel, data).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// The similarities of new objects to the training objects.
pub(crate) fn cross(text: &str, new: &Dataset, training: &Dataset) -> Dense {
    let kernel = fit(text, training).kernel;
    engine().cross(&kernel, new, training).unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// A column of single numbers.
pub(crate) fn numbers(name: &str, values: &[f64]) -> Column {
    Column::new(name, Values::Numbers(Dense::new(values.len(), 1, values.to_vec()).unwrap()))
}

/// A column of strings.
pub(crate) fn strings(name: &str, values: &[&str]) -> Column {
    Column::new(name, Values::Strings(values.iter().map(|s| Some((*s).to_owned())).collect()))
}

/// A data set of those columns.
pub(crate) fn dataset(columns: Vec<Column>) -> Dataset {
    Dataset::new(columns).unwrap()
}

/// The same vectors, stored sparse.
pub(crate) fn sparse(x: &Dense) -> Sparse {
    let rows: Vec<Vec<(u32, f64)>> = (0..x.rows())
        .map(|i| (0..).zip(x.row(i)).filter(|(_, v)| **v != 0.0).map(|(f, v)| (f, *v)).collect())
        .collect();
    Sparse::from_rows(x.cols(), &rows).unwrap()
}

/// Dense vectors as a data set.
pub(crate) fn dense_data(x: &Dense) -> Dataset {
    Dataset::of_vectors(Vectors::from(x.clone()))
}

/// The largest difference of two matrices of one shape.
pub(crate) fn apart(a: &Dense, b: &Dense) -> f64 {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    a.values().iter().zip(b.values()).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max)
}

/// A matrix from its entries.
pub(crate) fn matrix(rows: usize, cols: usize, entry: impl Fn(usize, usize) -> f64) -> Dense {
    let values = (0..rows * cols).map(|at| entry(at / cols, at % cols)).collect();
    Dense::new(rows, cols, values).unwrap()
}

/// The columns of a matrix in the order given.
pub(crate) fn block(k: &Dense, rows: &[usize], cols: &[usize]) -> Dense {
    matrix(rows.len(), cols.len(), |i, j| k.at(rows[i], cols[j]))
}
