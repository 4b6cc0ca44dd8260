//! Splitting objects into training and test sets.

mod assign;
mod nested;
mod objects;
mod protocol;
#[cfg(test)]
mod tests;

pub use nested::{Nested, nested};
pub(in crate::select) use nested::{nested_in, spread, spread_over};
pub use objects::Objects;
pub use protocol::Protocol;

use self::assign::Rare;
use crate::error::{Error, Result};
use crate::random::Random;

/// Fold number of objects that are never tested.
const TRAIN: u32 = u32::MAX;

/// One split of the objects into a training set and a test set, both in ascending order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// The repetition, from 0.
    pub repetition: usize,
    /// The fold within the repetition, from 0.
    pub fold: usize,
    /// The training objects.
    pub train: Vec<usize>,
    /// The test objects.
    pub test: Vec<usize>,
}

/// All splits of a [`Protocol`], stored as one fold number per object and repetition.
///
/// ```
/// use mercer::select::{Objects, Protocol, Splits};
/// let objects = Objects::new(6).with_classes(&[0, 0, 0, 0, 1, 1])?;
/// let splits = Splits::new(&Protocol::folds(2), &objects, 42)?;
/// assert_eq!(splits.len(), 2);
/// for split in &splits {
///     assert_eq!(split.test.iter().filter(|&&i| i >= 4).count(), 1);
///     assert_eq!(split.train.len() + split.test.len(), 6);
/// }
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splits {
    /// For each repetition, the fold in which each object is tested.
    of: Vec<Vec<u32>>,
    folds: usize,
    /// Whether a fold trains on earlier folds only.
    forward: bool,
    /// Splits that were listed instead.
    given: Vec<Split>,
}

impl Splits {
    /// Splits as they are listed, each with at least one training and one test object, all below `n`. Objects may be in
    /// neither set; none may be in both.
    ///
    /// ```
    /// use mercer::select::Splits;
    /// let splits = Splits::given(vec![(vec![0, 1], vec![2]), (vec![1, 2], vec![0])], 3)?;
    /// assert_eq!((splits.len(), splits.get(1).unwrap().test), (2, vec![0]));
    /// assert!(Splits::given(vec![(vec![0, 1], vec![1])], 3).is_err());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn given(splits: Vec<(Vec<usize>, Vec<usize>)>, n: usize) -> Result<Self> {
        let mut given = Vec::with_capacity(splits.len());
        for (fold, (mut train, mut test)) in splits.into_iter().enumerate() {
            let mut seen = vec![false; n];
            for &i in train.iter().chain(&test) {
                match seen.get_mut(i) {
                    Some(seen @ false) => *seen = true,
                    Some(_) => {
                        return Err(Error::usage(format!("split {}: object {i} occurs twice", fold + 1)));
                    }
                    None => {
                        return Err(Error::usage(format!("split {}: object {i} of {n} objects", fold + 1)));
                    }
                }
            }
            if train.is_empty() || test.is_empty() {
                return Err(Error::usage(format!(
                    "split {}: the training or the test set is empty",
                    fold + 1
                )));
            }
            train.sort_unstable();
            test.sort_unstable();
            given.push(Split { repetition: 0, fold, train, test });
        }
        if given.is_empty() {
            return Err(Error::usage("no splits are given"));
        }
        Ok(Splits { of: vec![Vec::new()], folds: given.len(), forward: false, given })
    }

    /// Whether no object is tested twice within a repetition.
    pub(in crate::select) fn tests_once(&self) -> bool {
        let mut seen = std::collections::HashSet::new();
        self.given.iter().flat_map(|s| &s.test).all(|i| seen.insert(*i))
    }

    /// The splits of a protocol. The same seed gives the same splits.
    ///
    /// Folds and hold-outs are stratified when the objects have classes: class counts in two folds differ by at most
    /// one, and so do fold sizes. Whole groups are packed greedily into folds of about equal size, with classes spread
    /// as evenly as the groups allow. Without classes, fold sizes differ by at most the largest group.
    ///
    /// With a hold-out, a class with too few members for the requested share may be missing from the training or test
    /// set.
    ///
    /// Fails when there are fewer objects, members of a class, or groups than folds. Also fails when the protocol needs
    /// groups or predefined training and test sets that are missing, or when a number is outside its domain. Time and
    /// memory O(n · repetitions); for groups, an additional O(groups · folds · classes).
    pub fn new(protocol: &Protocol, objects: &Objects, seed: u64) -> Result<Self> {
        Self::with(protocol, objects, seed, Rare::Refuse)
    }

    fn with(protocol: &Protocol, objects: &Objects, seed: u64, rare: Rare) -> Result<Self> {
        protocol.check()?;
        let n = objects.len();
        if n >= TRAIN as usize {
            return Err(Error::param("objects", n, "below 2^32 - 1"));
        }
        let draw = |repetition: usize| {
            let mut random = Random::derived(seed, repetition as u64);
            match *protocol {
                Protocol::Folds { folds, .. } => assign::even(objects, folds, rare, &mut random),
                Protocol::GroupFolds { folds, .. } => assign::groups(objects, folds, &mut random),
                Protocol::Holdout { share, .. } => assign::holdout(objects, share, &mut random),
                Protocol::GroupHoldout { share, .. } => assign::group_holdout(objects, share, &mut random),
                Protocol::LeaveOneOut => {
                    assign::enough(n, 2, "objects")?;
                    Ok((0..n as u32).collect())
                }
                Protocol::LeaveOneGroupOut => {
                    let groups = objects.groups()?;
                    assign::enough(groups.names.len(), 2, "groups")?;
                    Ok(groups.codes.clone())
                }
                Protocol::Forward { folds } => assign::forward(objects, folds),
                Protocol::TrainTest => predefined(objects.test()?),
                Protocol::Given => Err(Error::usage("given splits are listed, not made from a protocol")),
            }
        };
        let of = (0..protocol.repetitions()).map(draw).collect::<Result<Vec<_>>>()?;
        let folds = match *protocol {
            Protocol::Folds { folds, .. }
            | Protocol::GroupFolds { folds, .. }
            | Protocol::Forward { folds } => folds,
            Protocol::LeaveOneOut => n,
            Protocol::LeaveOneGroupOut => objects.groups()?.names.len(),
            _ => 1,
        };
        Ok(Splits { of, folds, forward: matches!(protocol, Protocol::Forward { .. }), given: Vec::new() })
    }

    /// The number of splits: folds times repetitions.
    pub fn len(&self) -> usize {
        self.of.len() * self.folds
    }

    /// True when there are no splits; no protocol gives this.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of folds per repetition.
    pub fn folds(&self) -> usize {
        self.folds
    }

    /// Split number `at`, counted repetition by repetition; `None` beyond the last. Time O(n).
    pub fn get(&self, at: usize) -> Option<Split> {
        if !self.given.is_empty() {
            return self.given.get(at).cloned();
        }
        let (repetition, fold) = (at / self.folds.max(1), at % self.folds.max(1));
        let of = self.of.get(repetition)?;
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for (i, &own) in of.iter().enumerate() {
            if own as usize == fold {
                test.push(i);
            } else if !self.forward || own == TRAIN || (own as usize) < fold {
                train.push(i);
            }
        }
        Some(Split { repetition, fold, train, test })
    }

    /// The splits in order, each generated on demand.
    pub fn iter(&self) -> impl Iterator<Item = Split> + '_ {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// The mean over splits of the ratio of test to training objects; the corrected resampled t test uses it.
    pub fn test_per_train(&self) -> f64 {
        let mut sum: f64 = self.given.iter().map(|s| s.test.len() as f64 / s.train.len() as f64).sum();
        if !self.given.is_empty() {
            return sum / self.len() as f64;
        }
        for of in &self.of {
            let mut tested = vec![0usize; self.folds];
            of.iter().filter(|&&fold| fold != TRAIN).for_each(|&fold| tested[fold as usize] += 1);
            // What a fold does not train on: itself, and in the order of time all later ones.
            let mut later = of.iter().filter(|&&fold| fold != TRAIN).count();
            for t in tested {
                sum += t as f64 / (of.len() - if self.forward { later } else { t }) as f64;
                later -= t;
            }
        }
        sum / self.len() as f64
    }
}

impl<'a> IntoIterator for &'a Splits {
    type Item = Split;
    type IntoIter = Box<dyn Iterator<Item = Split> + 'a>;

    fn into_iter(self) -> Self::IntoIter {
        Box::new(self.iter())
    }
}

/// The training and test sets supplied with the data; neither may be empty.
fn predefined(test: &[bool]) -> Result<Vec<u32>> {
    for (part, name) in [(true, "test"), (false, "training")] {
        if !test.contains(&part) {
            return Err(Error::usage(format!("the {name} set is empty")));
        }
    }
    Ok(test.iter().map(|&tested| if tested { 0 } else { TRAIN }).collect())
}
