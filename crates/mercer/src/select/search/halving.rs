//! Successive halving: many configurations on few training objects, the best of them on more.
//!
//! With c configurations there are R rounds. Round r scores the remaining configurations on the inner splits, each
//! fitted to a share 3^-(R-1-r) of the inner training set, and keeps the best third. The last round uses whole training
//! sets, and its best configuration is chosen. R is 1 + ⌊log₃ c⌋, or less where the first share would have fewer than
//! thirty objects.
//!
//! Each outer split keeps its own configurations, so that no other test set influences them. Shares are drawn once per
//! inner split, stratified by class and nested, so that a configuration keeps the objects of earlier rounds.
//!
//! A round costs about as much as the previous one for learners whose cost is linear in the number of objects, and more
//! for others. The saving is in poor configurations, which are never fitted to all objects. A configuration that only
//! does well on many objects may be dropped; a grid search drops none.
//!
//! K. Jamieson and A. Talwalkar, *Non-stochastic best arm identification and hyperparameter optimization*, AISTATS
//! 2016.

use std::ops::Range;

use super::configurations::Search;
use super::journal::Journal;
use super::nested::Tuning;
use crate::data::Target;
use crate::error::Result;
use crate::random::{Random, derive_seed};
use crate::select::{Nested, Split};

/// Each round keeps a third of the configurations and uses three times the objects of the round before.
const THIRD: usize = 3;
/// The minimum number of training objects in the first round.
const LEAST: usize = 30;
/// Seed stream for drawing shares.
const SHARES: u64 = 1 << 41;

/// The number of rounds for a number of configurations and the size of the smallest training set.
pub(super) fn rounds(configurations: usize, objects: usize) -> u32 {
    let mut rounds = 1;
    let mut step = THIRD;
    while step <= configurations && objects / step >= LEAST {
        rounds += 1;
        step = step.saturating_mul(THIRD);
    }
    rounds
}

/// The number of configurations in each round, starting with the first.
pub(super) fn counts(configurations: usize, rounds: u32) -> Vec<usize> {
    let next = |&count: &usize| Some(count.div_ceil(THIRD));
    std::iter::successors(Some(configurations), next).take(rounds as usize).collect()
}

/// The size of the smallest inner training set.
pub(super) fn smallest(splits: &[Nested]) -> usize {
    splits.iter().flat_map(|d| &d.inner).map(|s| s.train.len()).min().unwrap_or(0)
}

impl Search<'_> {
    /// Chooses among configurations by successive halving, separately for each outer split.
    pub(super) fn halve(
        &self,
        splits: &[Nested],
        configurations: &[usize],
        journal: &mut Option<Journal>,
    ) -> Result<Tuning> {
        let (inner, ranges) = Tuning::splits(splits)?;
        let orders: Vec<Vec<usize>> = inner
            .iter()
            .zip(0..)
            .map(|(split, at)| self.order(split, derive_seed(self.seed, SHARES + at)))
            .collect();
        let rounds = rounds(configurations.len(), smallest(splits));
        let mut left: Vec<Vec<usize>> = vec![configurations.to_vec(); ranges.len()];
        let (mut fits, mut unconverged) = (0, 0);
        for round in 0..rounds - 1 {
            let step = THIRD.saturating_pow(rounds - 1 - round);
            let splits: Vec<Split> =
                inner.iter().zip(&orders).map(|(split, order)| self.share(split, order, step)).collect();
            let wanted = of_each(&ranges, &left);
            let scores = self.run_wanted(&splits, &wanted, round, journal)?;
            fits += wanted.iter().map(|configurations| configurations.len()).sum::<usize>();
            unconverged += scores.unconverged();
            for (range, configurations) in ranges.iter().zip(&mut left) {
                let keep = configurations.len().div_ceil(THIRD);
                // Configurations without a score come last; ties keep the first.
                let quality = |c: usize| scores.quality(c, range.clone()).unwrap_or(f64::NEG_INFINITY);
                let mut ranked: Vec<(f64, usize)> = configurations.iter().map(|&c| (quality(c), c)).collect();
                ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                *configurations =
                    ranked.into_iter().take(keep).map(|(_, configuration)| configuration).collect();
                configurations.sort_unstable();
            }
        }
        let wanted = of_each(&ranges, &left);
        let scores = self.run_wanted(&inner, &wanted, rounds - 1, journal)?;
        fits += wanted.iter().map(|configurations| configurations.len()).sum::<usize>();
        unconverged += scores.unconverged();
        Ok(Tuning { scores, ranges, left, rounds, fits, unconverged })
    }

    /// The training objects of a split in random order.
    pub(super) fn order(&self, split: &Split, seed: u64) -> Vec<usize> {
        let mut order = split.train.clone();
        Random::new(seed).shuffle(&mut order);
        order
    }

    /// The split with one in `step` training objects, rounded up within each class.
    pub(super) fn share(&self, split: &Split, order: &[usize], step: usize) -> Split {
        let class = |i: usize| match self.target() {
            Target::Classes(classes) => classes.code(i).unwrap_or(0) as usize,
            Target::Numbers(_) => 0,
        };
        let mut counts = Vec::new();
        for &i in order {
            let c = class(i);
            if c >= counts.len() {
                counts.resize(c + 1, 0usize);
            }
            counts[c] += 1;
        }
        let mut room: Vec<usize> = counts.iter().map(|n| n.div_ceil(step)).collect();
        let mut train: Vec<usize> = order
            .iter()
            .copied()
            .filter(|&i| {
                let room = &mut room[class(i)];
                let taken = *room > 0;
                *room -= usize::from(taken);
                taken
            })
            .collect();
        train.sort_unstable();
        Split { train, ..split.clone() }
    }
}

/// The configurations for each inner split, taken from its outer split.
fn of_each<'l>(ranges: &[Range<usize>], left: &'l [Vec<usize>]) -> Vec<&'l [usize]> {
    ranges
        .iter()
        .zip(left)
        .flat_map(|(range, configurations)| range.clone().map(|_| configurations.as_slice()))
        .collect()
}
