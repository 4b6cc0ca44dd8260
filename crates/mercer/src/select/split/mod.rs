//! Splitting objects into training and test sets.

mod assign;
mod nested;
mod objects;
mod protocol;
#[cfg(test)]
mod tests;

pub(in crate::select) use nested::spread;
pub use nested::{Nested, nested};
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
}

impl Splits {
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
                Protocol::TrainTest => predefined(objects.test()?),
            }
        };
        let of = (0..protocol.repetitions()).map(draw).collect::<Result<Vec<_>>>()?;
        let folds = match *protocol {
            Protocol::Folds { folds, .. } | Protocol::GroupFolds { folds, .. } => folds,
            Protocol::LeaveOneOut => n,
            Protocol::LeaveOneGroupOut => objects.groups()?.names.len(),
            _ => 1,
        };
        Ok(Splits { of, folds })
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
        let (repetition, fold) = (at / self.folds.max(1), at % self.folds.max(1));
        let of = self.of.get(repetition)?;
        let (mut train, mut test) = (Vec::new(), Vec::new());
        for (i, &own) in of.iter().enumerate() {
            if own as usize == fold { test.push(i) } else { train.push(i) }
        }
        Some(Split { repetition, fold, train, test })
    }

    /// The splits in order, each generated on demand.
    pub fn iter(&self) -> impl Iterator<Item = Split> + '_ {
        (0..self.len()).filter_map(|at| self.get(at))
    }

    /// The mean over splits of the ratio of test to training objects; the corrected resampled t test uses it.
    pub fn test_per_train(&self) -> f64 {
        let mut sum = 0.0;
        for of in &self.of {
            let mut tested = vec![0usize; self.folds];
            of.iter().filter(|&&fold| fold != TRAIN).for_each(|&fold| tested[fold as usize] += 1);
            sum += tested.iter().map(|&t| t as f64 / (of.len() - t) as f64).sum::<f64>();
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
