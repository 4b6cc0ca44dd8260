//! Successive halving: many cells on few training objects, the best of them on more.
//!
//! With c cells there are R rounds. In round r every cell that is left is scored on the inner divisions, fitted to a share
//! 3^-(R-1-r) of each inner training part, and the best third goes on; the last round uses whole training parts, and its
//! best cell is the choice. There are as many rounds as the cells have thirds, and fewer where the first share would have
//! less than thirty objects. The cells left are those of one outer division: what another one's test part says has no part in
//! it. Shares are drawn once for each inner division, class by class, each within the next, so that a cell meets the objects
//! again that it met before.
//!
//! A round costs about as much as the one before for learners whose cost is linear in the objects, and more for others: what
//! is saved are fits of poor cells to all objects. A cell that is slow to show what it is worth may be lost; a grid loses none.
//!
//! K. Jamieson and A. Talwalkar, *Non-stochastic best arm identification and hyperparameter optimization*, AISTATS 2016.

use std::ops::Range;

use super::cells::Search;
use super::journal::Journal;
use super::nested::Tuning;
use crate::data::Target;
use crate::error::Result;
use crate::random::{Random, derive_seed};
use crate::select::{Nested, Split};

/// The share of cells that goes on, and of objects in a round beside the next: a third.
const THIRD: usize = 3;
/// The fewest objects to fit to in the first round.
const LEAST: usize = 30;
/// The part of the seed that draws shares.
const SHARES: u64 = 1 << 41;

/// The number of rounds for so many cells and objects in the smallest training part.
pub(super) fn rounds(cells: usize, objects: usize) -> u32 {
    let mut rounds = 1;
    let mut step = THIRD;
    while step <= cells && objects / step >= LEAST {
        rounds += 1;
        step = step.saturating_mul(THIRD);
    }
    rounds
}

/// The cells left in each round, the first one's first.
pub(super) fn counts(cells: usize, rounds: u32) -> Vec<usize> {
    let next = |&count: &usize| Some(count.div_ceil(THIRD));
    std::iter::successors(Some(cells), next).take(rounds as usize).collect()
}

/// The size of the smallest inner training part.
pub(super) fn smallest(divisions: &[Nested]) -> usize {
    divisions.iter().flat_map(|d| &d.inner).map(|s| s.train.len()).min().unwrap_or(0)
}

impl Search<'_> {
    /// Chooses by successive halving among cells, for each outer division by itself.
    pub(super) fn halve(
        &self,
        divisions: &[Nested],
        cells: &[usize],
        journal: &mut Option<Journal>,
    ) -> Result<Tuning> {
        let (inner, ranges) = Tuning::divisions(divisions)?;
        let orders: Vec<Vec<usize>> = inner
            .iter()
            .zip(0..)
            .map(|(split, at)| self.order(split, derive_seed(self.seed, SHARES + at)))
            .collect();
        let rounds = rounds(cells.len(), smallest(divisions));
        let mut left: Vec<Vec<usize>> = vec![cells.to_vec(); ranges.len()];
        let (mut fits, mut unconverged) = (0, 0);
        for round in 0..rounds - 1 {
            let step = THIRD.saturating_pow(rounds - 1 - round);
            let splits: Vec<Split> =
                inner.iter().zip(&orders).map(|(split, order)| self.share(split, order, step)).collect();
            let wanted = of_each(&ranges, &left);
            let scores = self.run_wanted(&splits, &wanted, round, journal)?;
            fits += wanted.iter().map(|cells| cells.len()).sum::<usize>();
            unconverged += scores.unconverged();
            for (range, cells) in ranges.iter().zip(&mut left) {
                let keep = cells.len().div_ceil(THIRD);
                // A cell without a score comes last; the first among equals stays.
                let quality = |c: usize| scores.quality(c, range.clone()).unwrap_or(f64::NEG_INFINITY);
                let mut ranked: Vec<(f64, usize)> = cells.iter().map(|&c| (quality(c), c)).collect();
                ranked.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
                *cells = ranked.into_iter().take(keep).map(|(_, cell)| cell).collect();
                cells.sort_unstable();
            }
        }
        let wanted = of_each(&ranges, &left);
        let scores = self.run_wanted(&inner, &wanted, rounds - 1, journal)?;
        fits += wanted.iter().map(|cells| cells.len()).sum::<usize>();
        unconverged += scores.unconverged();
        Ok(Tuning { scores, ranges, left, rounds, fits, unconverged })
    }

    /// The training objects of a division in random order.
    pub(super) fn order(&self, split: &Split, seed: u64) -> Vec<usize> {
        let mut order = split.train.clone();
        Random::new(seed).shuffle(&mut order);
        order
    }

    /// The division with one training object of `step`, and of each class so many at least.
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

/// The cells of each inner division, from those of the outer ones.
fn of_each<'l>(ranges: &[Range<usize>], left: &'l [Vec<usize>]) -> Vec<&'l [usize]> {
    ranges.iter().zip(left).flat_map(|(range, cells)| range.clone().map(|_| cells.as_slice())).collect()
}
