//! Objects as sparse counts of features that are identified by 128-bit hashes of their content.
//!
//! A counting kernel (labels, subtrees, paths, substrings) implements `Counting`: it reports the features of one object.
//! `Describe` names them. Everything else is shared. A feature's hash depends on the object alone, so no dictionary is
//! fitted and any two sets can be compared. Within a prepared set, hashes become small numbers, the most frequent
//! features first. Two sets are aligned once, when they are first compared.
//!
//! Counts are integers, and so are products, minima and their sums: below 2^53 every value is exact, whatever the order
//! of summation. The numbering may therefore depend on the set.
//!
//! One feature table for the whole process would need no alignment, but would never shrink.

mod counting;
mod named;
mod tile;

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use super::{Part, Prepared};
use crate::budget;
use crate::data::{Ragged, Sparse};
use crate::error::{Error, Result};
use crate::parallel;

#[doc(hidden)]
pub use counting::{CountSimilarity, Counted, Counting};
#[doc(hidden)]
pub use named::Describe;
pub(crate) use named::{Visit, named_counts};
pub(crate) use tile::fill_minima;
use tile::fill_products;

/// The features of one object, during counting.
#[doc(hidden)]
#[derive(Debug, Default)]
pub struct Bag {
    /// Features found once each, repeated as often as they were found.
    found: Vec<u128>,
    /// Features with a count.
    counted: Vec<(u128, u64)>,
}

impl Bag {
    /// Counts a feature once.
    pub(crate) fn add(&mut self, feature: u128) {
        self.found.push(feature);
    }

    /// Counts many features once each.
    pub(crate) fn extend(&mut self, features: &[u128]) {
        self.found.extend_from_slice(features);
    }

    /// Counts a feature `count` times.
    pub(crate) fn add_many(&mut self, feature: u128, count: u64) {
        if count > 0 {
            self.counted.push((feature, count));
        }
    }

    /// Adds the counts of another bag.
    pub(crate) fn merge(&mut self, other: &Bag) {
        self.found.extend_from_slice(&other.found);
        self.counted.extend_from_slice(&other.counted);
    }

    /// Passes each feature with its count to `each`, in ascending order, and empties the bag.
    pub(crate) fn drain(&mut self, mut each: impl FnMut(u128, u64)) {
        self.found.sort_unstable();
        if self.counted.is_empty() {
            self.found.chunk_by(|a, b| a == b).for_each(|run| each(run[0], run.len() as u64));
        } else {
            let runs = self.found.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as u64));
            self.counted.extend(runs);
            self.counted.sort_unstable();
            for run in self.counted.chunk_by(|a, b| a.0 == b.0) {
                each(run[0].0, run.iter().fold(0, |sum, (_, count)| sum.saturating_add(*count)));
            }
        }
        self.found.clear();
        self.counted.clear();
    }
}

/// The hashes are uniformly distributed, so their low half serves as the key of a hash table.
#[derive(Clone, Copy, Debug, Default)]
struct Low(u64);

impl Hasher for Low {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|b| self.0 = self.0.rotate_left(8) ^ u64::from(*b));
    }

    fn write_u128(&mut self, hash: u128) {
        self.0 = hash as u64;
    }
}

/// A map keyed by hash.
type ByHash<T> = HashMap<u128, T, BuildHasherDefault<Low>>;

/// The features of a set in order of their numbers, the most frequent first.
#[derive(Debug)]
struct Table {
    hashes: Vec<u128>,
    numbers: ByHash<u32>,
    /// Features below this number are stored as whole columns.
    common: u32,
}

/// The number of a feature missing from a table.
const ABSENT: u32 = u32::MAX;

/// A feature is common when at least one object in this many has it.
const COMMON: usize = 12;

/// Objects counted together; the chunk size does not affect the result.
const CHUNK: usize = 16;

/// A prepared set: the features of each object and their counts.
#[derive(Debug)]
pub struct Counts {
    table: Arc<Table>,
    /// The feature numbers of each object, ascending.
    features: Ragged<u32>,
    sums: Sums,
    /// Features from this number on occur in one object only, so no other object of the set shares them.
    shared: u32,
    /// The table of the set last compared with this one, and this set's numbers of its features.
    aligned: Mutex<Option<Aligned>>,
}

type Aligned = (Arc<Table>, Arc<[u32]>);

impl Prepared for Counts {
    fn len(&self) -> usize {
        self.features.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        // An object may be chosen twice and share its features with itself, so all features count as shared.
        let mut out = Counts::empty(Arc::clone(&self.table), self.table.hashes.len() as u32);
        out.features = self.features.select(chosen);
        chosen.iter().for_each(|&i| out.sums.push(self.row(i).1.iter().copied()));
        out
    }
}

/// The counts of objects, and their sums.
#[derive(Debug, Default)]
struct Sums {
    /// The counts of all objects, one after the other.
    values: Vec<f64>,
    /// Σ c² of each object.
    squares: Vec<f64>,
    /// Σ c of each object.
    totals: Vec<f64>,
}

impl Sums {
    /// Adds the counts of an object.
    fn push(&mut self, counts: impl Iterator<Item = f64>) {
        let (mut square, mut total) = (0.0, 0.0);
        for count in counts {
            self.values.push(count);
            square += count * count;
            total += count;
        }
        self.squares.push(square);
        self.totals.push(total);
    }

    /// Adds the objects of another.
    fn append(&mut self, other: &Sums) {
        self.values.extend_from_slice(&other.values);
        self.squares.extend_from_slice(&other.squares);
        self.totals.extend_from_slice(&other.totals);
    }
}

/// The counts of a few consecutive objects.
#[derive(Default)]
struct Chunk {
    ends: Vec<usize>,
    hashes: Vec<u128>,
    values: Vec<f64>,
}

impl Counts {
    /// Counts each of `n` objects; `count` adds the features of object i to the bag.
    pub(crate) fn collect(n: usize, count: impl Fn(usize, &mut Bag) -> Result<()> + Sync) -> Result<Self> {
        let chunk = |k: usize| -> Result<Chunk> {
            let (mut chunk, mut bag) = (Chunk::default(), Bag::default());
            for i in k * CHUNK..((k + 1) * CHUNK).min(n) {
                budget::finished(count(i, &mut bag))?;
                bag.drain(|hash, count| {
                    chunk.hashes.push(hash);
                    chunk.values.push(count as f64);
                });
                chunk.ends.push(chunk.hashes.len());
            }
            Ok(chunk)
        };
        Counts::number(parallel::try_map(n.div_ceil(CHUNK), chunk)?)
    }

    /// Numbers the features, the most frequent first, ties in order of occurrence.
    fn number(chunks: Vec<Chunk>) -> Result<Self> {
        let stored: usize = chunks.iter().map(|c| c.hashes.len()).sum();
        let n: usize = chunks.iter().map(|c| c.ends.len()).sum();
        let (mut numbers, mut hashes, mut owners) = (ByHash::default(), Vec::new(), Vec::<u32>::new());
        let mut seen: Vec<u32> = Vec::with_capacity(stored);
        for &hash in chunks.iter().flat_map(|c| &c.hashes) {
            budget::check_often()?;
            let next = hashes.len() as u32;
            let number = *numbers.entry(hash).or_insert(next);
            if number == next {
                hashes.push(hash);
                owners.push(0);
            }
            owners[number as usize] += 1;
            seen.push(number);
        }
        if hashes.len() >= ABSENT as usize {
            return Err(Error::usage("a set has more than 2^32 distinct features"));
        }
        let ranks = rank(&owners, n);
        let mut ordered = vec![0; hashes.len()];
        hashes.iter().zip(&ranks).for_each(|(hash, &rank)| ordered[rank as usize] = *hash);
        numbers.values_mut().for_each(|number| *number = ranks[*number as usize]);
        let at_least = |count: usize| owners.iter().filter(|&&o| o as usize >= count).count() as u32;
        let common = at_least(n.div_ceil(COMMON).max(2));
        let table = Arc::new(Table { hashes: ordered, numbers, common });
        let mut set = Counts::empty(table, at_least(2));
        let mut begins = Vec::with_capacity(chunks.len());
        let mut before = 0;
        for chunk in &chunks {
            begins.push(before);
            before += chunk.hashes.len();
        }
        let sorted: Vec<(Vec<u32>, Sums)> = parallel::map(chunks.len(), |k| {
            let (chunk, begin) = (&chunks[k], begins[k]);
            let own = seen[begin..begin + chunk.hashes.len()].iter().zip(&chunk.values);
            let mut all: Vec<(u32, f64)> = own.map(|(&s, &v)| (ranks[s as usize], v)).collect();
            let mut sums = Sums::default();
            let mut start = 0;
            for &end in &chunk.ends {
                all[start..end].sort_unstable_by_key(|(number, _)| *number);
                sums.push(all[start..end].iter().map(|(_, value)| *value));
                start = end;
            }
            (all.into_iter().map(|(number, _)| number).collect(), sums)
        });
        budget::check()?;
        let mut offsets = Vec::with_capacity(n + 1);
        offsets.push(0);
        let mut numbers = Vec::with_capacity(stored);
        for ((chunk, begin), (own, sums)) in chunks.iter().zip(begins).zip(&sorted) {
            offsets.extend(chunk.ends.iter().map(|end| begin + end));
            numbers.extend_from_slice(own);
            set.sums.append(sums);
        }
        set.features = Ragged::from_parts(offsets, numbers);
        Ok(set)
    }

    fn empty(table: Arc<Table>, shared: u32) -> Self {
        Counts {
            table,
            features: Ragged::default(),
            sums: Sums::default(),
            shared,
            aligned: Mutex::new(None),
        }
    }

    /// The feature numbers of an object, ascending, and their counts.
    pub(crate) fn row(&self, i: usize) -> (&[u32], &[f64]) {
        (self.features.row(i), &self.sums.values[self.features.range(i)])
    }

    /// The hash of each feature, by number.
    pub(crate) fn hashes(&self) -> &[u128] {
        &self.table.hashes
    }

    /// The number of a feature, or `None` if no object has it.
    pub(crate) fn find(&self, hash: u128) -> Option<u32> {
        self.table.numbers.get(&hash).copied()
    }

    /// The counts as sparse vectors, a coordinate for each feature.
    pub(crate) fn to_sparse(&self) -> Result<Sparse> {
        let (offsets, features) = (self.features.offsets().to_vec(), self.features.values().to_vec());
        Sparse::new(self.table.hashes.len(), offsets, features, self.sums.values.clone())
    }

    /// The counts of objects of two sets as sparse vectors in one common space.
    pub(crate) fn in_common_space(
        rows: &Part<'_, Counts>,
        cols: &Part<'_, Counts>,
    ) -> Result<(Sparse, Sparse)> {
        let numbers = cols.set.align(rows.set);
        let (known, others) = (cols.set.table.hashes.len(), rows.set.table.hashes.len());
        let dim = known + if numbers.is_some() { others } else { 0 };
        if dim > ABSENT as usize {
            return Err(Error::usage("the sets have more than 2^32 distinct features"));
        }
        let number = |own: u32| match numbers.as_ref().map(|n| n[own as usize]) {
            None => own,
            // Features missing from the other set follow all of its features.
            Some(ABSENT) => known as u32 + own,
            Some(number) => number,
        };
        let row = |set: &Counts, i: usize, number: &dyn Fn(u32) -> u32| {
            let (features, values) = set.row(i);
            let mut row: Vec<(u32, f64)> =
                features.iter().map(|f| number(*f)).zip(values.iter().copied()).collect();
            row.sort_unstable_by_key(|(feature, _)| *feature);
            row
        };
        let own: Vec<_> = rows.range.clone().map(|i| row(rows.set, i, &number)).collect();
        let their: Vec<_> = cols.range.clone().map(|i| row(cols.set, i, &|own| own)).collect();
        Ok((Sparse::from_rows(dim, &own)?, Sparse::from_rows(dim, &their)?))
    }

    /// This set's numbers for the features of another set; `None` when both share a table.
    fn align(&self, other: &Counts) -> Option<Arc<[u32]>> {
        if Arc::ptr_eq(&self.table, &other.table) {
            return None;
        }
        let mut aligned = self.aligned.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((table, numbers)) = &*aligned
            && Arc::ptr_eq(table, &other.table)
        {
            return Some(Arc::clone(numbers));
        }
        let find = |hash: &u128| match budget::is_spent_often() {
            true => ABSENT,
            false => self.table.numbers.get(hash).copied().unwrap_or(ABSENT),
        };
        let numbers: Arc<[u32]> = other.table.hashes.iter().map(find).collect();
        if budget::is_spent() {
            // Interrupted: an incomplete alignment is not stored.
            return Some(numbers);
        }
        *aligned = Some((Arc::clone(&other.table), Arc::clone(&numbers)));
        Some(numbers)
    }
}

impl<'a> Part<'a, Counts> {
    /// Σ c² of each object.
    pub(crate) fn squares(&self) -> &'a [f64] {
        &self.set.sums.squares[self.range.clone()]
    }

    /// Σ c of each object.
    pub(crate) fn totals(&self) -> &'a [f64] {
        &self.set.sums.totals[self.range.clone()]
    }
}

/// The position of each feature when sorted by the number of objects that have it, descending.
fn rank(owners: &[u32], most: usize) -> Vec<u32> {
    let mut starts = vec![0u32; most + 2];
    // Bucket of a feature: how many objects lack it.
    let bucket = |owners: u32| most - (owners as usize).min(most);
    owners.iter().for_each(|&o| starts[bucket(o) + 1] += 1);
    for i in 0..=most {
        starts[i + 1] += starts[i];
    }
    let place = |&o: &u32| {
        let at = &mut starts[bucket(o)];
        *at += 1;
        *at - 1
    };
    owners.iter().map(place).collect()
}

#[cfg(test)]
mod tests;
