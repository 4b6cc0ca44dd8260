//! The objects a search looks at, and how they are divided.

use crate::data::{Dataset, Target};
use crate::error::{Code, Error, Place, Result, Warning};
use crate::select::split::spread;
use crate::select::{Nested, Objects, Protocol, Split, Splits};

/// Up to here ten outer and five inner folds; beyond, five and three.
const FEW: usize = 400;

/// Objects to search on, and their divisions.
pub(super) struct Division {
    pub(super) outer: Protocol,
    pub(super) inner: Protocol,
    pub(super) splits: Splits,
    pub(super) nested: Vec<Nested>,
}

/// A part of the objects with about the same shares of classes; `None` when all are few enough.
pub(super) fn sample(data: &Dataset, most: usize, seed: u64) -> Result<Option<Vec<usize>>> {
    let n = data.len();
    if n <= most {
        return Ok(None);
    }
    let protocol = Protocol::Holdout { share: most as f64 / n as f64, repetitions: 1 };
    let part = Splits::new(&protocol, &Objects::of(data)?, seed)?.get(0);
    Ok(part.map(|split| split.test))
}

/// Refuses targets that leave nothing to learn, and says what is worth knowing of the others.
pub(super) fn check(data: &Dataset) -> Result<Vec<Warning>> {
    let target = data.target().ok_or_else(|| Error::usage("there is no target to predict"))?;
    let few = |reason: String| Err(Error::usage(reason));
    let n = data.len();
    match target {
        Target::Numbers(y) => {
            if n < 6 {
                return few(format!("{n} objects are too few to divide twice: at least 6 are needed"));
            }
            if let Some(index) = y.iter().position(|v| !v.is_finite()) {
                let column = data.target_name().unwrap_or("target").to_owned();
                return Err(Error::Missing { index, column });
            }
            if y.iter().all(|v| *v == y[0]) {
                return few("the target is the same for all objects: there is nothing to learn".into());
            }
            Ok(Vec::new())
        }
        Target::Classes(_) => {
            let counts = sizes(target);
            let few = |reason: String| {
                let hint = "leave such objects out, join classes, or name another target";
                Err(Error::parse(Place::file("the data"), Code::Classes, reason).with_hint(hint))
            };
            match counts.as_slice() {
                [] | [_] => few(format!("{} class only: there is nothing to tell apart", counts.len())),
                [_, (name, second), ..] if *second < 3 => few(format!(
                    "class '{name}' has {second} of the objects: two classes with at least 3 each are needed"
                )),
                [(name, most), ..] if *most * 5 > n * 4 => Ok(vec![Warning::new(
                    "W_UNEVEN",
                    format!(
                        "{:.0} % of the objects are of class '{name}': balanced-accuracy or matthews tells more than accuracy",
                        100.0 * *most as f64 / n as f64
                    ),
                )]),
                _ => Ok(Vec::new()),
            }
        }
    }
}

/// The classes that occur with their sizes, largest first.
fn sizes(target: &Target) -> Vec<(String, usize)> {
    let Target::Classes(classes) = target else { return Vec::new() };
    let mut counts = vec![0usize; classes.levels().len()];
    (0..classes.len()).filter_map(|i| classes.code(i)).for_each(|code| counts[code as usize] += 1);
    let mut out: Vec<_> = classes.levels().iter().cloned().zip(counts).filter(|c| c.1 > 0).collect();
    out.sort_by_key(|c| std::cmp::Reverse(c.1));
    out
}

/// Outer and inner divisions. Groups, where there are any, are never separated.
pub(super) fn divide(data: &Dataset, asked: Option<Protocol>, seed: u64) -> Result<(Division, Vec<Warning>)> {
    let objects = Objects::of(data)?;
    let n = data.len();
    let classes = data.target().map(sizes).unwrap_or_default();
    // Every training part shall have two of the second largest class, so that it can be divided once more.
    let possible = classes.get(1).map_or(n / 2, |second| second.1);
    let mut outer = asked.unwrap_or_else(|| {
        let wanted = if n <= FEW { 10 } else { 5 };
        Protocol::folds(wanted.min(possible).max(2))
    });
    if let Some(groups) = data.groups() {
        let mut seen: Vec<_> = (0..groups.len()).filter_map(|i| groups.code(i)).collect();
        seen.sort_unstable();
        seen.dedup();
        if seen.len() < 3 {
            return Err(Error::usage(format!(
                "{} groups are too few to be kept whole and divided twice: at least 3 are needed",
                seen.len()
            )));
        }
        outer = outer.grouped();
        if let (Protocol::GroupFolds { folds, .. }, None) = (&mut outer, asked) {
            *folds = (*folds).min(seen.len());
        }
    }
    let inner = Protocol::folds(if n <= FEW { 5.min(n / 3) } else { 3 }.max(2));
    let (splits, nested) = spread(&outer, &inner, &objects, seed)?;
    let mut warnings = Vec::new();
    if let (Some((name, count)), true) = (classes.last(), nested.len() > 1)
        && *count < splits.folds()
        && !matches!(outer, Protocol::LeaveOneOut)
    {
        warnings.push(Warning::new(
            "W_RARE",
            format!(
                "class '{name}' has {count} of the objects, fewer than there are folds: some parts have none of it"
            ),
        ));
    }
    Ok((Division { outer, inner, splits, nested }, warnings))
}

/// Divisions of all objects, to choose what the final model is fitted with.
pub(super) fn choosing(data: &Dataset, inner: &Protocol, seed: u64) -> Result<Vec<Split>> {
    let protocol = if data.groups().is_some() { inner.grouped() } else { *inner };
    let mut protocol = protocol;
    if let (Protocol::GroupFolds { folds, .. }, Some(groups)) = (&mut protocol, data.groups()) {
        *folds = (*folds).min(groups.levels().len()).max(2);
    }
    Ok(spread(&protocol, &Protocol::folds(2), &Objects::of(data)?, seed)?
        .1
        .into_iter()
        .map(|d| d.outer)
        .collect())
}
