//! Assignment of objects to folds: balanced, stratified, or by groups.

use std::cmp::Reverse;

use super::objects::Labels;
use super::{Objects, TRAIN};
use crate::error::{Error, Result};
use crate::random::Random;

/// How a class with fewer members than folds is handled.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Rare {
    /// It is an error.
    Refuse,
    /// Its members go to different folds, and some folds get none.
    Spread,
}

/// Folds whose sizes differ by at most one, as do the counts of each class.
pub(super) fn even(objects: &Objects, folds: usize, rare: Rare, random: &mut Random) -> Result<Vec<u32>> {
    enough(objects.len(), folds, "objects")?;
    if let (Some(classes), Rare::Refuse) = (objects.classes(), rare) {
        let rarest = classes.counts().into_iter().zip(&classes.names).min_by_key(|(count, _)| *count);
        if let Some((count, name)) = rarest.filter(|(count, _)| *count < folds) {
            let members = if count == 1 { "member" } else { "members" };
            return Err(Error::Classes {
                reason: format!(
                    "class '{name}' has {count} {members}, too few for {folds} folds: use fewer folds, or leave the class out"
                ),
            });
        }
    }
    let mut of = vec![0; objects.len()];
    // Objects sorted by class are dealt one by one: a run of m objects gives each fold ⌊m/k⌋ or ⌈m/k⌉ of them.
    for (at, i) in by_class(objects, random).into_iter().enumerate() {
        of[i] = (at % folds) as u32;
    }
    Ok(of)
}

/// All objects in random order, grouped by class.
fn by_class(objects: &Objects, random: &mut Random) -> Vec<usize> {
    let mut order: Vec<usize> = (0..objects.len()).collect();
    random.shuffle(&mut order);
    if let Some(classes) = objects.classes() {
        order.sort_by_key(|&i| classes.codes[i]);
    }
    order
}

/// Fold 0 is a test set with this share of the objects and about this share of each class; all others are training
/// objects.
pub(super) fn holdout(objects: &Objects, share: f64, random: &mut Random) -> Result<Vec<u32>> {
    let n = objects.len();
    enough(n, 2, "objects")?;
    let wanted = ((share * n as f64).round() as usize).clamp(1, n - 1);
    let mut of = vec![TRAIN; n];
    // In the order by class, object number `at` is tested when at · wanted / n reaches the next whole number. The test
    // objects are thus spread evenly over the order, and so over the classes.
    let step = |at: usize| (at as u128 * wanted as u128) / n as u128;
    for (at, i) in by_class(objects, random).into_iter().enumerate() {
        if step(at + 1) > step(at) {
            of[i] = 0;
        }
    }
    Ok(of)
}

/// Blocks in the order of time: the first is never tested, and the others are folds. Objects of the same time are in one
/// block.
pub(super) fn forward(objects: &Objects, folds: usize) -> Result<Vec<u32>> {
    let n = objects.len();
    enough(n, folds + 1, "objects")?;
    let mut order: Vec<usize> = (0..n).collect();
    if let Some(times) = objects.times() {
        order.sort_by(|&a, &b| times[a].total_cmp(&times[b]));
    }
    let same = |a: &usize, b: &usize| objects.times().is_some_and(|times| times[*a] == times[*b]);
    let (mut of, mut filled) = (vec![TRAIN; n], vec![false; folds]);
    let mut at = 0;
    for run in order.chunk_by(same) {
        let block = (at as u128 * (folds as u128 + 1) / n as u128) as usize;
        at += run.len();
        if let Some(fold) = block.checked_sub(1) {
            filled[fold] = true;
            run.iter().for_each(|&i| of[i] = fold as u32);
        }
    }
    if filled.contains(&false) {
        return Err(Error::usage(format!(
            "too many objects have the same time for {folds} folds in the order of time: use fewer folds, or finer times"
        )));
    }
    Ok(of)
}

/// Assigns whole groups to folds of about equal size, with each class spread as evenly as the groups allow.
pub(super) fn groups(objects: &Objects, folds: usize, random: &mut Random) -> Result<Vec<u32>> {
    let labels = objects.groups()?;
    enough(labels.names.len(), folds, "groups")?;
    let place = pack(objects, labels, &vec![1.0 / folds as f64; folds], random);
    Ok(labels.codes.iter().map(|&g| place[g as usize] as u32).collect())
}

/// Assigns whole groups to a test set of about this share.
pub(super) fn group_holdout(objects: &Objects, share: f64, random: &mut Random) -> Result<Vec<u32>> {
    let labels = objects.groups()?;
    enough(labels.names.len(), 2, "groups")?;
    let place = pack(objects, labels, &[share, 1.0 - share], random);
    Ok(labels.codes.iter().map(|&g| if place[g as usize] == 0 { 0 } else { TRAIN }).collect())
}

/// The subset each group goes to. The subsets should hold these shares of all objects and of every class.
///
/// Large groups come first. Each goes where the sum over classes of squared deviations from the shares grows least.
/// Groups with sizes between the same powers of two come in random order, so that seeds matter. No subset stays empty.
fn pack(objects: &Objects, labels: &Labels, shares: &[f64], random: &mut Random) -> Vec<usize> {
    let size = labels.counts();
    let members = class_counts(objects, labels);
    let totals: Vec<f64> =
        objects.classes().map_or(Vec::new(), |c| c.counts().iter().map(|&n| n as f64).collect());
    let mut order: Vec<usize> = (0..size.len()).collect();
    random.shuffle(&mut order);
    order.sort_by_key(|&g| Reverse(size[g].ilog2()));
    let n = objects.len() as f64;
    let mut load = vec![0usize; shares.len()];
    let mut of_class = vec![vec![0usize; totals.len()]; shares.len()];
    let mut place = vec![0; size.len()];
    for (at, &g) in order.iter().enumerate() {
        let empty = load.iter().filter(|&&l| l == 0).count();
        let must_fill = empty >= order.len() - at;
        let cost = |p: usize| {
            let classes = members[g].iter().map(|&(c, m)| {
                let part = of_class[p][c] as f64 + m as f64 / 2.0;
                part * m as f64 / (totals[c] * totals[c])
            });
            let whole = (load[p] as f64 + size[g] as f64 / 2.0) * size[g] as f64 / (n * n);
            (classes.sum::<f64>() + whole) / shares[p]
        };
        let open = (0..shares.len()).filter(|&p| !must_fill || load[p] == 0);
        let best = open.min_by(|&a, &b| cost(a).total_cmp(&cost(b)).then(load[a].cmp(&load[b])));
        let best = best.unwrap_or(0);
        place[g] = best;
        load[best] += size[g];
        members[g].iter().for_each(|&(c, m)| of_class[best][c] += m);
    }
    place
}

/// For each group, the classes that occur in it and their counts, in ascending order.
fn class_counts(objects: &Objects, labels: &Labels) -> Vec<Vec<(usize, usize)>> {
    let mut members = vec![Vec::new(); labels.names.len()];
    let Some(classes) = objects.classes() else { return members };
    let mut pairs: Vec<(u32, u32)> =
        labels.codes.iter().copied().zip(classes.codes.iter().copied()).collect();
    pairs.sort_unstable();
    for run in pairs.chunk_by(|a, b| a == b) {
        members[run[0].0 as usize].push((run[0].1 as usize, run.len()));
    }
    members
}

/// Fails when there are fewer than `folds` items to split.
pub(super) fn enough(have: usize, folds: usize, what: &str) -> Result<()> {
    if have >= folds {
        return Ok(());
    }
    Err(Error::usage(format!("{have} {what} are too few for {folds} subsets")))
}
