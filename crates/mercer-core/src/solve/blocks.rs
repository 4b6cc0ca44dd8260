//! SMO within blocks of the worst violators, one block after another.
//!
//! A round chooses a working set of a few hundred variables, computes their rows together on all cores, and copies the
//! submatrix they share. It moves pairs within it until its violation has dropped to a fraction, then updates the
//! products of all variables on all cores. Half of a working set is kept for the next round, variables inside their
//! bounds first: replacing all makes rounds undo each other.
//!
//! Reference: Joachims 1998, Making large-scale SVM learning practical; Serafini & Zanni 2005, On the working set
//! selection in gradient projection-based decomposition techniques for support vector machines.

use super::cache::Cache;
use super::pairs::{Ended, Pairs, Rows};
use super::problem::{Bank, End};
use super::proof::Stop;
use super::scan::{Real, add_rows};
use super::smo::State;
use crate::error::Result;
use crate::gram::Progress;
use crate::parallel;

/// The maximum size of a working set.
const BLOCK: usize = 512;

/// Up to this many objects, all of them are the working set.
const WHOLE: usize = 1024;

/// A round ends when the violation within its block has dropped to this fraction.
const SHARE: f64 = 0.1;

/// Entries of the products updated by one task.
const CHUNK: usize = 2048;

/// Consecutive rounds without progress of the objective before the precision counts as exhausted.
const IDLE: usize = 3;

/// The fraction of the tolerance that rounding of entries may use; beyond it, products are recomputed.
const HIDDEN: f64 = 0.5;

/// Moves pairs until converged, stopped, or the check failed `patience` times.
pub(super) fn blocks<T: Real>(state: &mut State<'_>, patience: usize) -> Result<End> {
    let n = state.columns.len();
    let view = state.columns.view((0..n as u32).collect::<Vec<_>>().into())?;
    let size = if n <= WHOLE { n } else { BLOCK };
    let mut cache = Cache::<T>::new(n, state.limits.cache_bytes, 2);
    let mut set = WorkingSet::new(n, size.min(cache.capacity()));
    let mut block = Block::<T>::default();
    let (mut failed, mut idle, mut objective) = (0, 0, f64::INFINITY);
    let mut meter = Meter::of(state);
    let end = loop {
        if let Some(stop) = state.met()? {
            state.refresh()?;
            break End::Stopped(stop);
        }
        // If small enough, the error from rounded entries is charged to the tolerance.
        let (violation, slack, tolerance) = (state.violation(), state.slack(), state.limits.tolerance);
        let known = slack <= HIDDEN * tolerance;
        meter.show(violation, cache.computed);
        let wanted = if known { tolerance - slack } else { tolerance };
        if violation > wanted && idle < IDLE {
            set.choose(&state.banks, &state.products, wanted);
            cache.ensure(&set.members, set.members[0], n, &*view)?;
            block.take(&set.members, &cache);
            let pick = |values: &[f64]| set.members.iter().map(|&k| values[k as usize]).collect::<Vec<_>>();
            let banks: Vec<Bank> = state.banks.iter().map(|b| b.pick(&set.members)).collect();
            let mut pairs = Pairs::<T>::new(banks, &pick(&state.products), &pick(&state.diagonal));
            pairs.concave = state.concave;
            let target = wanted.max(SHARE * violation);
            let most = (100 * set.members.len() as u64).min(state.left());
            let ended = pairs.run(&mut block, target, most)?;
            state.iterations += pairs.iterations;
            apply(state, &set.members, &pairs.banks, &cache);
            if let Ended::Curved { first, second, curvature } = ended {
                let (first, second) = (set.members[first] as usize, set.members[second] as usize);
                state.refresh()?;
                break End::Stopped(Stop::NegativeCurvature { first, second, curvature });
            }
            let now: f64 = state.banks.iter().map(|b| b.objective(&state.products)).sum();
            idle = if now < objective { 0 } else { idle + 1 };
            objective = now.min(objective);
            continue;
        }
        idle = 0;
        if let Some(end) = state.settle(&mut failed, patience, false)? {
            break end;
        }
        objective = f64::INFINITY;
    };
    state.rows_computed += cache.computed;
    Ok(end)
}

/// Reports how far the violation has decreased from its first value towards the tolerance, in orders of magnitude.
struct Meter<'a> {
    progress: Option<&'a dyn Progress>,
    first: f64,
    tolerance: f64,
    shown: u64,
}

/// Steps from the first violation to the tolerance.
const STEPS: f64 = 100.0;

impl<'a> Meter<'a> {
    fn of(state: &State<'a>) -> Self {
        let progress = state.columns.progress().filter(|_| state.columns.len() > WHOLE);
        let (first, tolerance) = (state.violation(), state.limits.tolerance);
        progress.iter().for_each(|p| p.begin("fit", STEPS as u64));
        Meter { progress, first, tolerance, shown: 0 }
    }

    fn show(&mut self, violation: f64, rows: u64) {
        let Some(progress) = self.progress else { return };
        let share = (self.first / violation).ln() / (self.first / self.tolerance).ln();
        let now = (STEPS * share.clamp(0.0, 1.0)) as u64;
        progress.advance(now.saturating_sub(self.shown));
        self.shown = self.shown.max(now);
        progress.note(&format!("violation {violation:.3e} of {:.1e}, {rows} rows computed", self.tolerance));
    }
}

impl Drop for Meter<'_> {
    fn drop(&mut self) {
        self.progress.iter().for_each(|p| p.end());
    }
}

/// Copies the variables of a working set into the state and updates all products.
fn apply<T: Real>(state: &mut State<'_>, members: &[u32], banks: &[Bank], cache: &Cache<T>) {
    let mut change = vec![0.0; members.len()];
    for (own, theirs) in state.banks.iter_mut().zip(banks) {
        for ((&k, &beta), change) in members.iter().zip(&theirs.beta).zip(&mut change) {
            *change += beta - own.beta[k as usize];
            own.beta[k as usize] = beta;
        }
    }
    state.moved();
    let moved = members.iter().zip(&change).filter(|(_, c)| **c != 0.0);
    let (rows, weights): (Vec<&[T]>, Vec<f64>) = moved.map(|(&k, &c)| (cache.row(k), c)).unzip();
    parallel::for_chunks_mut(&mut state.products, CHUNK, 1, |at, sums| {
        let own = at * CHUNK..at * CHUNK + sums.len();
        let parts: Vec<&[T]> = rows.iter().map(|r| &r[own.clone()]).collect();
        add_rows(sums, &parts, &weights);
    });
}

/// The variables of a round, the latest additions last.
struct WorkingSet {
    members: Vec<u32>,
    size: usize,
    inside: Vec<bool>,
}

impl WorkingSet {
    fn new(n: usize, size: usize) -> Self {
        WorkingSet { members: Vec::new(), size, inside: vec![false; n] }
    }

    /// Keeps half of the members and adds the worst violators.
    fn choose(&mut self, banks: &[Bank], products: &[f64], tolerance: f64) {
        let n = self.inside.len();
        if self.size >= n {
            if self.members.is_empty() {
                self.members = (0..n as u32).collect();
            }
            return;
        }
        let wanted = if self.members.is_empty() { self.size } else { self.size / 2 };
        let fresh = self.violators(banks, products, tolerance, wanted);
        let free = |k: u32| {
            banks.iter().any(|b| {
                let k = k as usize;
                b.beta[k] > b.lower[k] && b.beta[k] < b.upper[k] && b.beta[k] != 0.0
            })
        };
        // Of the old members, those inside their bounds and the latest additions are kept.
        let room = self.size - fresh.len();
        let (inner, outer): (Vec<u32>, Vec<u32>) = self.members.iter().rev().copied().partition(|&k| free(k));
        let mut stay: Vec<u32> = inner.into_iter().chain(outer).take(room).collect();
        stay.reverse();
        self.members.iter().for_each(|&k| self.inside[k as usize] = false);
        self.members = stay;
        self.members.extend(fresh);
        self.members.iter().for_each(|&k| self.inside[k as usize] = true);
    }

    /// The worst violators outside the set, equally many to grow and to decrease, of every bank.
    fn violators(&self, banks: &[Bank], products: &[f64], tolerance: f64, wanted: usize) -> Vec<u32> {
        let share = wanted.div_ceil(2 * banks.len());
        let mut chosen = Vec::with_capacity(wanted);
        let mut seen = vec![false; self.inside.len()];
        for bank in banks {
            let (rise, fall) = bank.ends(products);
            let (mut up, mut down) = (Vec::new(), Vec::new());
            for (k, &g) in products.iter().enumerate() {
                let (grow, shrink) = (g + bank.rise(k), g + bank.fall(k));
                if grow < fall - tolerance {
                    up.push((grow, k as u32));
                }
                if shrink > rise + tolerance {
                    down.push((-shrink, k as u32));
                }
            }
            for list in [&mut up, &mut down] {
                // Members and variables already chosen may be among the first, so more are considered than needed.
                let most = (2 * self.size + share).min(list.len());
                if most < list.len() {
                    list.select_nth_unstable_by(most, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                    list.truncate(most);
                }
                list.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
                let new = list.iter().filter(|(_, k)| !self.inside[*k as usize]);
                for &(_, k) in new.filter(|(_, k)| !seen[*k as usize]).take(share).collect::<Vec<_>>() {
                    seen[k as usize] = true;
                    chosen.push(k);
                }
            }
        }
        chosen.truncate(wanted);
        chosen
    }
}

/// The submatrix of the members of a working set, row after row.
#[derive(Default)]
struct Block<T> {
    values: Vec<T>,
    side: usize,
}

impl<T: Real> Block<T> {
    fn take(&mut self, members: &[u32], cache: &Cache<T>) {
        self.side = members.len();
        self.values.resize(self.side * self.side, T::ZERO);
        parallel::for_chunks_mut(&mut self.values, self.side, 1, |i, line| {
            let row = cache.row(members[i]);
            line.iter_mut().zip(members).for_each(|(v, &j)| *v = row[j as usize]);
        });
    }
}

impl<T: Real> Rows<T> for Block<T> {
    fn ensure(&mut self, _position: usize, _keep: usize) -> Result<()> {
        Ok(())
    }

    fn row(&self, position: usize) -> &[T] {
        &self.values[position * self.side..(position + 1) * self.side]
    }
}
