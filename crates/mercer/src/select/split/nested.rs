//! Splits within the training sets of splits, for choosing parameters without using the test set.

use super::assign::Rare;
use super::{Objects, Protocol, Split, Splits};
use crate::error::{Error, Result};
use crate::random::derive_seed;

/// An outer split and the splits of its training set. All indices refer to the whole data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nested {
    /// The outer training and test sets.
    pub outer: Split,
    /// Splits of the outer training set; none contains an object of the outer test set.
    pub inner: Vec<Split>,
}

/// Seed streams below this number belong to the outer repetitions.
const INNER: u64 = 1 << 32;

/// Every outer split with its inner splits, generated on demand.
///
/// After outer splits in the order of time, inner splits keep that order: `5-fold` then splits as `forward(5)`. When the
/// objects have groups, inner splits never separate members of a group: `5-fold` then splits as
/// `group-5-fold`, with fewer folds where fewer groups are left. A class with fewer members in the training set than
/// there are inner folds is spread over as many folds as possible. The outer protocol is used as given: use
/// `group-5-fold` there to keep groups whole. The inner seeds derive from the seed and the number of the outer split.
///
/// ```
/// use mercer::select::{Objects, Protocol, nested};
/// let objects = Objects::new(20).with_classes(&[[0; 10], [1; 10]].concat())?;
/// for split in nested(&Protocol::FIVE_BY_TWO, &Protocol::folds(5), &objects, 42)? {
///     let split = split?;
///     assert_eq!((split.outer.test.len(), split.inner.len()), (10, 5));
/// }
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn nested<'a>(
    outer: &Protocol,
    inner: &'a Protocol,
    objects: &'a Objects,
    seed: u64,
) -> Result<impl Iterator<Item = Result<Nested>> + 'a> {
    inner.check()?;
    if matches!(inner, Protocol::TrainTest) {
        return Err(Error::usage(
            "train-test can only be the outer protocol: its training and test sets are already used there",
        ));
    }
    let outer = Splits::new(outer, objects, seed)?;
    Ok(nested_in(outer, inner, objects, seed))
}

/// The same for outer splits that are known already.
pub(in crate::select) fn nested_in<'a>(
    outer: Splits,
    inner: &'a Protocol,
    objects: &'a Objects,
    seed: u64,
) -> impl Iterator<Item = Result<Nested>> + 'a {
    (0..outer.len()).filter_map(move |at| nested_split(&outer, at, inner, objects, seed))
}

/// As [`nested`], but also returns the outer splits, and spreads classes with fewer members than outer folds over as
/// many folds as possible. The inner protocol must be one of folds.
pub(in crate::select) fn spread(
    outer: &Protocol,
    inner: &Protocol,
    objects: &Objects,
    seed: u64,
) -> Result<(Splits, Vec<Nested>)> {
    let outer = Splits::with(outer, objects, seed, Rare::Spread)?;
    let all = (0..outer.len()).filter_map(|at| nested_split(&outer, at, inner, objects, seed));
    let all = all.collect::<Result<Vec<_>>>()?;
    Ok((outer, all))
}

/// The splits of a protocol, with classes of fewer members than folds spread over as many folds as possible.
pub(in crate::select) fn spread_over(
    protocol: &Protocol,
    objects: &Objects,
    seed: u64,
) -> Result<Vec<Split>> {
    Ok(Splits::with(protocol, objects, seed, Rare::Spread)?.iter().collect())
}

/// Outer split number `at` with its inner splits.
fn nested_split(
    outer: &Splits,
    at: usize,
    inner: &Protocol,
    objects: &Objects,
    seed: u64,
) -> Option<Result<Nested>> {
    let split = outer.get(at)?;
    let inner = if outer.forward { inner.forward() } else { *inner };
    let inner = within(&inner, objects, &split.train, derive_seed(seed, INNER + at as u64));
    Some(inner.map(|inner| Nested { outer: split, inner }))
}

/// The splits of a subset of the objects, with indices into the whole data.
fn within(protocol: &Protocol, objects: &Objects, rows: &[usize], seed: u64) -> Result<Vec<Split>> {
    let part = objects.select(rows);
    let mut protocol = *protocol;
    if let Protocol::Forward { folds } = &mut protocol {
        // The first training set may be short, or have few times.
        let fits = |folds: &usize| Splits::new(&Protocol::Forward { folds: *folds }, &part, seed).is_ok();
        *folds = (1..=*folds).rev().find(fits).unwrap_or(1);
    } else if part.has_groups() {
        let groups = part.groups()?.names.len();
        if groups < 2 {
            return Err(Error::usage(
                "the training set has one group only, which cannot be split again: use more groups or another protocol",
            ));
        }
        protocol = protocol.grouped();
        if let Protocol::GroupFolds { folds, .. } = &mut protocol {
            *folds = (*folds).min(groups);
        }
    }
    let splits = Splits::with(&protocol, &part, seed, Rare::Spread)?;
    let whole = |part: Vec<usize>| part.into_iter().map(|i| rows[i]).collect();
    Ok(splits
        .iter()
        .map(|split| Split { train: whole(split.train), test: whole(split.test), ..split })
        .collect())
}
