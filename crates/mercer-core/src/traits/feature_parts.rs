//! Features of prepared objects, in the layout a kernel keeps them in.

use rayon::prelude::*;

use super::Prepared;
use super::counts::Counts;
use crate::budget;
use crate::data::{FeatureRows, Sparse, Vectors};
use crate::error::{Error, Result};
use crate::parallel;

/// Features of prepared objects whose inner product is the kernel, as a concatenation of parts.
///
/// A sum of kernels has the parts of all its terms; multiples and `normalize` multiply each object by a factor.
#[derive(Clone, Debug)]
pub struct FeatureParts<'a>(Vec<FeaturePart<'a>>);

#[derive(Clone, Debug)]
struct FeaturePart<'a> {
    source: Source<'a>,
    /// The factor of each object's features, if they are not as in the source.
    factors: Option<Vec<f64>>,
}

#[derive(Clone, Copy, Debug)]
enum Source<'a> {
    /// The same columns for all objects.
    Rows(FeatureRows<'a>),
    /// Counts of features identified by hash; their number depends on the data.
    Counts(&'a Counts),
}

impl Source<'_> {
    /// The number of objects.
    fn len(&self) -> usize {
        match self {
            Source::Rows(rows) => rows.len(),
            Source::Counts(counts) => counts.len(),
        }
    }
}

/// The columns of the features of one part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FeatureColumns {
    /// This many columns, in order.
    Given(usize),
    /// One column per counted feature with these hashes, ascending.
    Counted(Vec<u128>),
}

impl FeatureColumns {
    /// The number of columns.
    pub fn len(&self) -> usize {
        match self {
            FeatureColumns::Given(dim) => *dim,
            FeatureColumns::Counted(hashes) => hashes.len(),
        }
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'a> From<FeatureRows<'a>> for FeatureParts<'a> {
    fn from(rows: FeatureRows<'a>) -> Self {
        FeatureParts(vec![FeaturePart { source: Source::Rows(rows), factors: None }])
    }
}

impl<'a> FeatureParts<'a> {
    /// Counts, with a factor for each object if given.
    pub(crate) fn counted(counts: &'a Counts, factors: Option<Vec<f64>>) -> Self {
        FeatureParts(vec![FeaturePart { source: Source::Counts(counts), factors }])
    }

    /// The rows, if these are all of the features.
    pub fn rows(&self) -> Option<FeatureRows<'a>> {
        match self.0.as_slice() {
            [FeaturePart { source: Source::Rows(rows), factors: None }] => Some(*rows),
            _ => None,
        }
    }

    /// The concatenation of these features and others.
    pub(crate) fn concat(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// The features of object i multiplied by `factor(i)`.
    pub(crate) fn scaled(mut self, factor: impl Fn(usize) -> f64) -> Self {
        for part in &mut self.0 {
            let factors = part.factors.get_or_insert_with(|| vec![1.0; part.source.len()]);
            factors.iter_mut().enumerate().for_each(|(i, f)| *f *= factor(i));
        }
        self
    }

    /// The columns of the features that occur; for counted features independent of the order of objects.
    pub(crate) fn columns(&self) -> Vec<FeatureColumns> {
        let of = |part: &FeaturePart<'_>| match part.source {
            Source::Rows(rows) => FeatureColumns::Given(rows.dim()),
            Source::Counts(counts) => {
                // A selection from a larger set still carries all features of that set.
                let mut used = vec![false; counts.hashes().len()];
                (0..counts.len()).for_each(|i| counts.row(i).0.iter().for_each(|&f| used[f as usize] = true));
                let mut hashes: Vec<u128> =
                    counts.hashes().iter().zip(&used).filter(|(_, used)| **used).map(|(h, _)| *h).collect();
                hashes.par_sort_unstable();
                FeatureColumns::Counted(hashes)
            }
        };
        self.0.iter().map(of).collect()
    }

    /// The features in the given columns, part after part; counted features without a column are dropped.
    pub(crate) fn write(&self, columns: &[FeatureColumns]) -> Result<Sparse> {
        let misfit = || Error::usage("the features and the columns belong to different kernels");
        if self.0.len() != columns.len() {
            return Err(misfit());
        }
        let mut placed: Vec<PlacedPart<'_>> = Vec::with_capacity(columns.len());
        let mut start = 0usize;
        for (part, columns) in self.0.iter().zip(columns) {
            let numbers = match (part.source, columns) {
                (Source::Rows(rows), FeatureColumns::Given(dim)) if rows.dim() == *dim => None,
                (Source::Rows(rows), FeatureColumns::Given(dim)) => {
                    return Err(Error::Dimension { expected: *dim, found: rows.dim() });
                }
                (Source::Counts(counts), FeatureColumns::Counted(known)) => {
                    let hashes = counts.hashes();
                    Some(parallel::map_at_least(hashes.len(), 1024, |h| known.binary_search(&hashes[h]).ok()))
                }
                _ => return Err(misfit()),
            };
            placed.push(PlacedPart { part, start, numbers });
            start += columns.len();
        }
        if u32::try_from(start).is_err() {
            return Err(Error::usage("more than 2^32 different features"));
        }
        let count = self.0.first().map_or(0, |part| part.source.len());
        let row = |i: usize| {
            let mut row = Vec::new();
            if budget::is_spent_often() {
                return row;
            }
            placed.iter().for_each(|part| part.put(i, &mut row));
            row
        };
        let rows: Vec<Vec<(u32, f64)>> = parallel::map_at_least(count, 64, row);
        budget::check()?;
        Sparse::from_rows(start, &rows)
    }
}

/// The columns of a part.
struct PlacedPart<'p> {
    part: &'p FeaturePart<'p>,
    /// The first column.
    start: usize,
    /// The column of each counted feature, by feature number, relative to `start`.
    numbers: Option<Vec<Option<usize>>>,
}

impl PlacedPart<'_> {
    /// Appends the non-zero features of object i, by ascending column.
    fn put(&self, i: usize, row: &mut Vec<(u32, f64)>) {
        let (before, factor) = (row.len(), self.part.factors.as_ref().map_or(1.0, |factors| factors[i]));
        let mut add = |column: usize, value: f64| {
            if value * factor != 0.0 {
                row.push(((self.start + column) as u32, value * factor));
            }
        };
        match (self.part.source, &self.numbers) {
            (Source::Rows(FeatureRows::Single(x)), _) => {
                x.row(i).iter().enumerate().for_each(|(f, v)| add(f, f64::from(*v)));
            }
            (Source::Rows(FeatureRows::Vectors(Vectors::Dense(x))), _) => {
                x.row(i).iter().enumerate().for_each(|(f, v)| add(f, *v));
            }
            (Source::Rows(FeatureRows::Vectors(Vectors::Sparse(x))), _) => {
                let (features, values) = x.row(i);
                features.iter().zip(values).for_each(|(f, v)| add(*f as usize, *v));
            }
            (Source::Counts(counts), numbers) => {
                let (features, values) = counts.row(i);
                for (f, v) in features.iter().zip(values) {
                    if let Some(Some(column)) = numbers.as_ref().map(|n| n[*f as usize]) {
                        add(column, *v);
                    }
                }
                row[before..].sort_unstable_by_key(|(column, _)| *column);
            }
        }
    }
}
