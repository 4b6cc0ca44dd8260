//! The objects used in a search, and their splits.

use std::borrow::Cow;

use crate::data::{Column, Dataset, Target, Values};
use crate::error::{Code, Error, Place, Result, Warning};
use crate::select::split::{spread, spread_over};
use crate::select::{ClassSize, Nested, Objects, Protocol, Score, Split, Splits};

/// Up to this many objects: ten outer and five inner folds; beyond that, five and three.
const FEW: usize = 400;
/// Of more numbers than this: three and two. Few objects with very many values take as long as many objects.
const MOST_VALUES: usize = 4_000_000;

/// The numbers of outer and inner folds.
fn folds_for(data: &Dataset) -> (usize, usize) {
    let dense = |c: &&Column| matches!(c.values, Values::Numbers(_));
    let values: usize = data.columns().iter().filter(dense).map(|c| c.values.width()).sum();
    match data.len() {
        n if n.saturating_mul(values) > MOST_VALUES => (3, 2),
        n if n <= FEW => (10, 5.min(n / 3)),
        _ => (5, 3),
    }
}

/// The splits of the objects used in a search.
pub(super) struct DataSplit {
    pub(super) outer: Protocol,
    pub(super) inner: Protocol,
    pub(super) splits: Splits,
    pub(super) nested: Vec<Nested>,
}

impl DataSplit {
    /// Whether measures are computed over all test objects together rather than per split: with a single split, or one
    /// object in each.
    pub(super) fn is_pooled(&self) -> bool {
        self.nested.len() == 1 || self.outer == Protocol::LeaveOneOut
    }
}

/// A sample of the objects with about the same class shares; `None` when there are few enough to use all.
pub(super) fn sample(data: &Dataset, most: usize, seed: u64) -> Result<Option<Vec<usize>>> {
    if data.len() <= most {
        return Ok(None);
    }
    drawn(data, most, seed).map(Some)
}

/// This many objects at random, stratified by class.
fn drawn(data: &Dataset, count: usize, seed: u64) -> Result<Vec<usize>> {
    let protocol = Protocol::Holdout { share: count as f64 / data.len() as f64, repetitions: 1 };
    let part = Splits::new(&protocol, &Objects::of(data)?, seed)?.get(0);
    Ok(part.map(|split| split.test).unwrap_or_default())
}

/// The objects of a sample and, for every column with missing values of which the sample has none, an object that lacks
/// one: kernels that are proposed for the sample must suit all objects.
pub(super) fn with_gaps(data: &Dataset, mut rows: Vec<usize>) -> Vec<usize> {
    for column in data.columns().iter().filter(|c| c.missing() > 0) {
        if !rows.iter().any(|&i| column.values.is_missing(i)) {
            rows.extend((0..data.len()).find(|&i| column.values.is_missing(i)));
        }
    }
    rows
}

/// The training objects: those of the training set where it is predefined.
pub(super) fn training(data: &Dataset) -> Cow<'_, Dataset> {
    match data.test() {
        None => Cow::Borrowed(data),
        Some(_) => Cow::Owned(data.training_set()),
    }
}

/// Other measures for the verdict, used where the first shows no difference.
pub(super) fn other_scores(data: &Dataset, first: Score) -> Vec<Score> {
    let all = match data.target() {
        Some(Target::Classes(classes)) if classes.levels().len() == 2 => {
            vec![Score::Accuracy, Score::BalancedAccuracy, Score::Auc]
        }
        Some(Target::Classes(_)) => vec![Score::Accuracy, Score::BalancedAccuracy, Score::AucMacro],
        _ => vec![Score::Rmse, Score::Mae],
    };
    all.into_iter().filter(|&score| score != first).collect()
}

/// Rejects targets from which nothing can be learned.
pub(super) fn check(data: &Dataset) -> Result<()> {
    let target = data.target().ok_or_else(|| Error::usage("there is no target to predict"))?;
    let few = |reason: String| Err(Error::usage(reason));
    let n = data.len();
    match target {
        Target::Numbers(y) => {
            if n < 6 {
                return few(format!("{n} objects are too few to split twice: at least 6 are needed"));
            }
            if let Some(index) = y.iter().position(|v| !v.is_finite()) {
                let column = data.target_name().unwrap_or("target").to_owned();
                return Err(Error::Missing { index, column });
            }
            if y.iter().all(|v| *v == y[0]) {
                return few("the target is the same for all objects: there is nothing to learn".into());
            }
            Ok(())
        }
        Target::Classes(_) => {
            let counts = sizes(data);
            let few = |reason: String| {
                let hint = "leave such objects out, merge classes, or name another target";
                Err(Error::parse(Place::file("the data"), Code::Classes, reason).with_hint(hint))
            };
            match counts.as_slice() {
                [] | [_] => few(format!("{} class only: at least 2 classes are needed", counts.len())),
                [_, (name, second), ..] if *second < 3 => few(format!(
                    "class '{name}' has {second} of the objects: two classes with at least 3 each are needed"
                )),
                _ => Ok(()),
            }
        }
    }
}

/// The classes of all objects with their sizes, largest first.
fn sizes(data: &Dataset) -> Vec<(String, usize)> {
    let Some(Target::Classes(classes)) = data.target() else { return Vec::new() };
    let mut out: Vec<_> =
        ClassSize::of(classes).into_iter().map(|c| (c.name, c.objects)).filter(|c| c.1 > 0).collect();
    out.sort_by_key(|c| std::cmp::Reverse(c.1));
    out
}

/// Outer and inner splits. Groups, if any, are kept whole.
pub(super) fn split(
    data: &Dataset,
    requested: Option<Protocol>,
    seed: u64,
) -> Result<(DataSplit, Vec<Warning>)> {
    let objects = Objects::of(data)?;
    let n = data.len();
    let classes = sizes(data);
    // Every training set needs two objects of the second largest class, so that it can be split again.
    let possible = classes.get(1).map_or(n / 2, |second| second.1);
    let (wanted, inner_folds) = folds_for(data);
    let mut outer = requested.unwrap_or_else(|| {
        if data.times().is_some() {
            return Protocol::Forward { folds: 5 };
        }
        Protocol::folds(wanted.min(possible).max(2))
    });
    if let Some(groups) = data.groups() {
        let mut seen: Vec<_> = (0..groups.len()).filter_map(|i| groups.code(i)).collect();
        seen.sort_unstable();
        seen.dedup();
        if seen.len() < 3 {
            return Err(Error::usage(format!(
                "{} groups are too few to be kept whole and split twice: at least 3 are needed",
                seen.len()
            )));
        }
        outer = outer.grouped();
        if let (Protocol::GroupFolds { folds, .. }, None) = (&mut outer, requested) {
            *folds = (*folds).min(seen.len());
        }
    }
    let mut inner = Protocol::folds(inner_folds.max(2));
    inner = inner.within(&outer, objects.has_groups());
    let (splits, nested) = spread(&outer, &inner, &objects, seed)?;
    let mut warnings = Vec::new();
    if let (Some((name, count)), true) = (classes.last(), nested.len() > 1)
        && *count < splits.folds()
        && !matches!(outer, Protocol::LeaveOneOut)
    {
        warnings.push(Warning::new(
            "W_RARE",
            format!(
                "class '{name}' has {count} of the objects, fewer than there are folds: some training or test sets have none of it"
            ),
        ));
    }
    Ok((DataSplit { outer, inner, splits, nested }, warnings))
}

/// From this many objects on, one split of all objects is enough: its test set has thousands.
const MANY: usize = 20_000;
/// The share of the objects in that test set, and the most objects that it has.
const HELD_OUT: (f64, f64) = (0.2, 40_000.0);

/// Outer and inner splits of more objects than are searched: five folds, and from [`MANY`] objects on one split.
pub(super) fn split_all(
    data: &Dataset,
    requested: Option<Protocol>,
    seed: u64,
) -> Result<(DataSplit, Vec<Warning>)> {
    let many = data.len() >= MANY && data.times().is_none();
    let (share, most) = HELD_OUT;
    let held_out = Protocol::Holdout { share: share.min(most / data.len().max(1) as f64), repetitions: 1 };
    split(data, requested.or(many.then_some(held_out)), seed)
}

/// Splits of all objects, for choosing the parameters of the final model.
pub(super) fn choosing(data: &Dataset, inner: &Protocol, seed: u64) -> Result<Vec<Split>> {
    let mut protocol = if data.groups().is_some() { inner.grouped() } else { *inner };
    if let (Protocol::GroupFolds { folds, .. }, Some(groups)) = (&mut protocol, data.groups()) {
        *folds = (*folds).min(groups.levels().len()).max(2);
    }
    spread_over(&protocol, &Objects::of(data)?, seed)
}
