//! Divisions within the training parts of divisions, for choosing parameters without looking at the test part.

use super::assign::Rare;
use super::{Objects, Protocol, Split, Splits};
use crate::error::{Error, Result};
use crate::random::derive_seed;

/// A division and those of its training part, all in numbers of the whole data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nested {
    /// What to train on and what to test on at last.
    pub outer: Split,
    /// Divisions of the outer training part; none has an object of the outer test part.
    pub inner: Vec<Split>,
}

/// Parts below this belong to the outer repetitions.
const INNER: u64 = 1 << 32;

/// Every outer division with its inner ones, made when they are asked for.
///
/// When the objects have groups, inner divisions never separate members of one: `5-fold` then divides as `group-5-fold`,
/// with fewer folds where fewer groups are left. A class with fewer members in the training part than there are inner
/// folds is spread over as many as it can reach. The outer protocol is taken at its word: say `group-5-fold` for groups to be
/// kept whole there. The inner seeds follow from the seed and the number of the outer
/// division.
///
/// ```
/// use mercer::select::{Objects, Protocol, nested};
/// let objects = Objects::new(20).with_classes(&[[0; 10], [1; 10]].concat())?;
/// for division in nested(&Protocol::FIVE_BY_TWO, &Protocol::folds(5), &objects, 42)? {
///     let division = division?;
///     assert_eq!((division.outer.test.len(), division.inner.len()), (10, 5));
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
            "train-test can only be the outer protocol: its parts are already used there",
        ));
    }
    let outer = Splits::new(outer, objects, seed)?;
    Ok((0..outer.len()).filter_map(move |at| divided(&outer, at, inner, objects, seed)))
}

/// The same with the outer divisions themselves, where a class with fewer members than there are outer folds is spread over as
/// many as it can reach, too. The inner protocol is one of folds.
pub(in crate::select) fn spread(
    outer: &Protocol,
    inner: &Protocol,
    objects: &Objects,
    seed: u64,
) -> Result<(Splits, Vec<Nested>)> {
    let outer = Splits::with(outer, objects, seed, Rare::Spread)?;
    let all = (0..outer.len()).filter_map(|at| divided(&outer, at, inner, objects, seed));
    let all = all.collect::<Result<Vec<_>>>()?;
    Ok((outer, all))
}

/// Division number `at` with its inner ones.
fn divided(
    outer: &Splits,
    at: usize,
    inner: &Protocol,
    objects: &Objects,
    seed: u64,
) -> Option<Result<Nested>> {
    let split = outer.get(at)?;
    let inner = within(inner, objects, &split.train, derive_seed(seed, INNER + at as u64));
    Some(inner.map(|inner| Nested { outer: split, inner }))
}

/// The divisions of a part of the objects, in numbers of the whole.
fn within(protocol: &Protocol, objects: &Objects, rows: &[usize], seed: u64) -> Result<Vec<Split>> {
    let part = objects.select(rows);
    let mut protocol = *protocol;
    if part.has_groups() {
        let groups = part.groups()?.names.len();
        if groups < 2 {
            return Err(Error::usage(
                "the training part holds one group only, which cannot be divided again: take more groups or another protocol",
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
