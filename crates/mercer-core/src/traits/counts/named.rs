//! Counts with the names of their features, and where these occur.

use super::counting::{CountSimilarity, Counted, Counting, Object, count_all, share};
use crate::data::Sparse;
use crate::error::Result;
use crate::traits::{FeatureKey, FeatureMap, Features};

/// A counting kernel that names its features. It is an inner product of features: its similarity is not of minima.
pub trait Describe: Counting {
    /// Calls `visit` for every occurrence of a feature in an object.
    fn describe(&self, object: &Object<Self>, visit: Visit<'_>) -> Result<()>;

    /// The features of objects. The columns are the features of these objects, the most frequent first.
    fn named(&self, objects: &Self::Objects) -> Result<Features> {
        named_counts(self, objects)
    }

    /// The factor of a feature's counts.
    fn scale(&self, _hash: u128) -> f64 {
        1.0
    }
}

/// Receives a feature's hash, where it occurs, and a function that gives its name. It occurs at nodes of a graph, the
/// central node first, or from a symbol of a string.
pub(crate) type Visit<'a> = &'a mut dyn FnMut(u128, &[u32], &dyn Fn() -> String);

impl<K: Describe> FeatureMap<K::Objects> for K {
    /// One column for each feature of these objects, the most frequent first: other objects have other columns.
    fn named_features(
        &self,
        objects: &K::Objects,
        _coordinate: &dyn Fn(usize) -> String,
    ) -> Result<Features> {
        self.named(objects)
    }

    fn places(&self, objects: &K::Objects, visit: &mut dyn FnMut(u128, &[u32])) -> Result<()> {
        let objects = &*objects.admit(self)?;
        let mut visit = |hash: u128, place: &[u32], _: &dyn Fn() -> String| visit(hash, place);
        (0..objects.size()).try_for_each(|i| describe_one(self, objects, i, &mut visit))
    }
}

/// The features of objects, with names.
pub(crate) fn named_counts<K: Describe>(kernel: &K, objects: &K::Objects) -> Result<Features> {
    let counts = count_all(kernel, objects)?;
    let mut names: Vec<Option<String>> = vec![None; counts.hashes().len()];
    let mut unnamed = names.len();
    let objects = &*objects.admit(kernel)?;
    for i in 0..objects.size() {
        if unnamed == 0 {
            break;
        }
        describe_one(kernel, objects, i, &mut |hash, _, name| {
            if let Some(number) = counts.find(hash)
                && names[number as usize].is_none()
            {
                names[number as usize] = Some(name());
                unnamed -= 1;
            }
        })?;
    }
    let rows = counts.to_sparse()?;
    let rows = match kernel.similarity() {
        CountSimilarity::Shares => shares(&rows)?,
        _ => scaled(&rows, |feature| kernel.scale(counts.hashes()[feature]))?,
    };
    let keys = counts.hashes().iter().map(|&feature| FeatureKey { part: 0, feature }).collect();
    Ok(Features { names: distinct(names, counts.hashes()), keys, values: rows.into() })
}

/// Describes object i.
fn describe_one<K: Describe>(kernel: &K, objects: &K::Objects, i: usize, visit: Visit<'_>) -> Result<()> {
    objects.with(kernel, i, |object| kernel.describe(object, visit)).map_err(|e| e.of_object(|_| i))
}

/// Rows divided by their totals.
fn shares(rows: &Sparse) -> Result<Sparse> {
    let row = |i: usize| -> Vec<(u32, f64)> {
        let (features, values) = rows.row(i);
        let total: f64 = values.iter().sum();
        features.iter().zip(values).map(|(&f, &v)| (f, share(v, total))).collect()
    };
    Sparse::from_rows(rows.dim(), &(0..rows.rows()).map(row).collect::<Vec<_>>())
}

/// Rows with every column multiplied by a factor.
fn scaled(rows: &Sparse, factor: impl Fn(usize) -> f64) -> Result<Sparse> {
    let row = |i: usize| -> Vec<(u32, f64)> {
        let (features, values) = rows.row(i);
        features.iter().zip(values).map(|(&f, &v)| (f, v * factor(f as usize))).collect()
    };
    Sparse::from_rows(rows.dim(), &(0..rows.rows()).map(row).collect::<Vec<_>>())
}

/// The names; where several features share a name, part of the hash is appended.
fn distinct(names: Vec<Option<String>>, hashes: &[u128]) -> Vec<String> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| names[a].cmp(&names[b]));
    let mut shared = vec![false; names.len()];
    for run in order.chunk_by(|&a, &b| names[a] == names[b]).filter(|run| run.len() > 1) {
        run.iter().for_each(|&i| shared[i] = true);
    }
    let mark = |hash: u128| format!("#{:08x}", hash as u32);
    let name = |(i, name): (usize, Option<String>)| match name {
        Some(name) if shared[i] => format!("{name}{}", mark(hashes[i])),
        Some(name) => name,
        None => mark(hashes[i]),
    };
    names.into_iter().enumerate().map(name).collect()
}
