//! Sequential minimal optimisation: two variables at a time, chosen by second-order information.
//!
//! One iteration needs two rows of the matrix. The rows are kept in single precision in a cache; the running products
//! g = Kβ are in double precision, and before the solver says it has converged they are recomputed from scratch in
//! double precision, so that the violation it reports is true of the matrix itself. The update of g and the search
//! for the next variable are one pass over memory, written for vector units.
//!
//! Variables that sit at a bound and cannot take part in a violating pair are set aside (shrinking); what remains is
//! moved together, so that rows get shorter and loops stay contiguous.
//!
//! The other design, a working set of hundreds of variables solved by an inner loop, also computes rows in batches;
//! here a miss in the cache computes a batch of the worst violators at once, which serves the same purpose with one
//! loop less.
//!
//! Reference: Fan, Chen & Lin 2005, Working set selection using second order information for training SVMs.

use std::time::Instant;

use super::cache::Cache;
use super::columns::{Columns, Precision, View};
use super::limits::Limits;
use super::problem::{Bank, Solution, Stop};
use super::scan::{Ends, Grower, best_partner, find_ends, update_and_find_ends};
use crate::error::Result;

/// Curvatures below this share of the two self-similarities count as this, so that equal objects do not divide by zero.
const TINY: f64 = 1e-12;

/// A curvature below minus this share of the self-similarities is no rounding of single precision.
const NEGATIVE: f64 = 1e-5;

/// How often double precision may find a violation after all before the solver gives up.
const STALLS: usize = 10;

/// How often limits are looked at and shrinking is tried, in iterations.
const ROUND: u64 = 1000;

/// Solves a problem. The banks hold the starting point; all zero is a good one.
pub fn solve(columns: &dyn Columns, banks: Vec<Bank>, limits: &Limits) -> Result<Solution> {
    let n = columns.len();
    banks.iter().try_for_each(|b| b.check(n))?;
    let mut smo = Smo::new(columns, banks, limits)?;
    let stop = if n == 0 { Stop::Converged } else { smo.run()? };
    Ok(smo.finish(stop))
}

/// The state of a run. Everything indexed by position is in the current order; `order` gives the object.
struct Smo<'a> {
    columns: &'a dyn Columns,
    limits: &'a Limits,
    started: Instant,
    order: Vec<u32>,
    active: usize,
    banks: Vec<Bank>,
    /// [`Bank::rise`] and [`Bank::fall`] of each bank by position.
    rises: Vec<Vec<f64>>,
    falls: Vec<Vec<f64>>,
    products: Vec<f64>,
    diagonal: Vec<f64>,
    rows_computed: u64,
    iterations: u64,
    violation: f64,
}

/// What a stretch of iterations came to.
enum Outcome {
    /// No violating pair is left among the active variables.
    Quiet,
    /// Variables were set aside.
    Shrunk,
    Stopped(Stop),
}

impl<'a> Smo<'a> {
    fn new(columns: &'a dyn Columns, banks: Vec<Bank>, limits: &'a Limits) -> Result<Self> {
        let n = columns.len();
        let rises = banks.iter().map(|b| (0..n).map(|k| b.rise(k)).collect()).collect();
        let falls = banks.iter().map(|b| (0..n).map(|k| b.fall(k)).collect()).collect();
        let mut smo = Smo {
            columns,
            limits,
            started: Instant::now(),
            order: (0..n as u32).collect(),
            active: n,
            banks,
            rises,
            falls,
            products: vec![0.0; n],
            diagonal: columns.diagonal()?,
            rows_computed: 0,
            iterations: 0,
            violation: f64::INFINITY,
        };
        smo.refresh()?;
        Ok(smo)
    }

    /// First with rows in single precision, which is enough for most problems; where their rounding stands in the way
    /// of the tolerance, then with rows in double precision.
    fn run(&mut self) -> Result<Stop> {
        match self.run_in::<f32>(1)? {
            Stop::Stalled => self.run_in::<f64>(STALLS),
            stop => Ok(stop),
        }
    }

    /// Iterates with rows of one precision until converged, stopped, or found wanting `patience` times.
    fn run_in<T: Precision>(&mut self, patience: usize) -> Result<Stop> {
        let least = 2 + self.columns.batch();
        let mut cache = Cache::<T>::new(self.order.len(), self.limits.cache_bytes, least);
        let mut failed = 0;
        let stop = loop {
            let view = self.columns.view(self.order[..self.active].into())?;
            let stop = match self.stretch(&mut cache, &*view)? {
                Outcome::Shrunk => continue,
                Outcome::Quiet => Stop::Converged,
                Outcome::Stopped(stop) => stop,
            };
            drop(view);
            let shrunk = self.active < self.order.len();
            self.active = self.order.len();
            self.refresh()?;
            self.violation = (0..self.banks.len()).map(|b| self.ends(b).gap()).fold(0.0, f64::max);
            if stop != Stop::Converged || self.violation <= self.limits.tolerance {
                break stop;
            }
            // Stretches too short to look at the limits must end too.
            if let Some(stop) = self.limits.met(self.iterations, self.started) {
                break stop;
            }
            // What was set aside may violate: that is no fault of the rows.
            failed += usize::from(!shrunk);
            if failed >= patience {
                break Stop::Stalled;
            }
        };
        self.rows_computed += cache.computed;
        Ok(stop)
    }

    /// Iterates until nothing violates, a limit is met, or variables were set aside.
    fn stretch<T: Precision>(&mut self, cache: &mut Cache<T>, view: &dyn View) -> Result<Outcome> {
        let mut ends: Vec<Ends> = (0..self.banks.len()).map(|b| self.ends(b)).collect();
        let mut left = ROUND.min(self.active as u64).max(1);
        loop {
            let bank =
                (1..ends.len()).fold(0, |best, b| if ends[b].gap() > ends[best].gap() { b } else { best });
            let worst = ends[bank];
            if worst.gap() <= self.limits.tolerance {
                return Ok(Outcome::Quiet);
            }
            if left == 0 {
                left = ROUND.min(self.active as u64).max(1);
                if let Some(stop) = self.limits.met(self.iterations, self.started) {
                    return Ok(Outcome::Stopped(stop));
                }
                if self.limits.shrinking && self.shrink(cache, &ends) {
                    return Ok(Outcome::Shrunk);
                }
            }
            left -= 1;
            let i = worst.at;
            self.fetch(cache, i, i, &ends, view)?;
            let n = self.active;
            let row = &cache.row(self.order[i])[..n];
            let (falls, diagonal) = (&self.falls[bank][..n], &self.diagonal[..n]);
            let tiny = TINY * self.diagonal[i].abs().max(f64::MIN_POSITIVE);
            let grower = Grower { rise: worst.rise, own: self.diagonal[i], row, tiny };
            let partner = best_partner(&self.products[..n], falls, diagonal, &grower);
            let Some(j) = partner else { return Ok(Outcome::Quiet) };
            self.fetch(cache, j, i, &ends, view)?;
            let size = match self.step(bank, i, j, cache.row(self.order[i])[j].to_f64(), tiny) {
                Ok(size) => size,
                Err(stop) => return Ok(Outcome::Stopped(stop)),
            };
            self.iterations += 1;
            self.advance(cache, i, j, size, &mut ends);
        }
    }

    /// Moves variables i up and j down by the same amount, as far as the objective falls, and gives the amount.
    fn step(&mut self, bank: usize, i: usize, j: usize, entry: f64, tiny: f64) -> Result<f64, Stop> {
        let curvature = self.diagonal[i] + self.diagonal[j] - 2.0 * entry;
        if curvature < -NEGATIVE * (self.diagonal[i].abs() + self.diagonal[j].abs()) {
            let (first, second) = (self.order[i] as usize, self.order[j] as usize);
            return Err(Stop::NegativeCurvature { first, second, curvature });
        }
        let gain = self.products[j] + self.falls[bank][j] - self.products[i] - self.rises[bank][i];
        let b = &mut self.banks[bank];
        let ((room_i, end_i), (room_j, end_j)) = (b.room_up(i), b.room_down(j));
        let wanted = gain / curvature.max(tiny);
        let size = wanted.min(room_i).min(room_j);
        // A variable that reaches the end of its room is put there exactly.
        b.beta[i] = if size == room_i { end_i } else { b.beta[i] + size };
        b.beta[j] = if size == room_j { end_j } else { b.beta[j] - size };
        for k in [i, j] {
            self.rises[bank][k] = self.banks[bank].rise(k);
            self.falls[bank][k] = self.banks[bank].fall(k);
        }
        Ok(size)
    }

    /// Brings the products up to date after a step and finds the new ends of every bank.
    fn advance<T: Precision>(&mut self, cache: &Cache<T>, i: usize, j: usize, size: f64, ends: &mut [Ends]) {
        let n = self.active;
        let (row_i, row_j) = (&cache.row(self.order[i])[..n], &cache.row(self.order[j])[..n]);
        let products = &mut self.products[..n];
        let (rises, falls) = (&self.rises, &self.falls);
        ends[0] = update_and_find_ends(products, row_i, row_j, size, &rises[0][..n], &falls[0][..n]);
        for b in 1..ends.len() {
            ends[b] = find_ends(products, &rises[b][..n], &falls[b][..n]);
        }
    }

    fn ends(&self, bank: usize) -> Ends {
        let n = self.active;
        find_ends(&self.products[..n], &self.rises[bank][..n], &self.falls[bank][..n])
    }

    /// Makes sure that the row at a position is in the cache; a miss computes the worst violators' rows with it.
    fn fetch<T: Precision>(
        &self,
        cache: &mut Cache<T>,
        position: usize,
        keep: usize,
        ends: &[Ends],
        view: &dyn View,
    ) -> Result<()> {
        let (object, keep) = (self.order[position], self.order[keep]);
        if cache.has(object, self.active) {
            cache.touch(object);
            return Ok(());
        }
        let mut wanted = vec![object];
        let batch = self.columns.batch().min(cache.capacity() / 2);
        if batch > 1 {
            let mut others: Vec<(f64, u32)> = Vec::new();
            for k in 0..self.active {
                let violation = (0..ends.len())
                    .map(|b| {
                        let up = ends[b].fall - self.products[k] - self.rises[b][k];
                        let down = self.products[k] + self.falls[b][k] - ends[b].rise;
                        up.max(down)
                    })
                    .fold(f64::NEG_INFINITY, f64::max);
                if violation > self.limits.tolerance
                    && k != position
                    && !cache.has(self.order[k], self.active)
                {
                    others.push((violation, self.order[k]));
                }
            }
            let most = (batch - 1).min(others.len());
            if most > 0 && most < others.len() {
                others.select_nth_unstable_by(most - 1, |a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            }
            wanted.extend(others[..most].iter().map(|o| o.1));
        }
        cache.ensure(&wanted, keep, self.active, view)
    }

    /// Sets aside variables that cannot take part in a violating pair. True when the order changed.
    fn shrink<T: Precision>(&mut self, cache: &mut Cache<T>, ends: &[Ends]) -> bool {
        let idle = |k: usize| {
            (0..ends.len()).all(|b| {
                let (up, down) = (self.products[k] + self.rises[b][k], self.products[k] + self.falls[b][k]);
                up > ends[b].fall && down < ends[b].rise
            })
        };
        let (kept, idle): (Vec<u32>, Vec<u32>) = (0..self.active as u32).partition(|&k| !idle(k as usize));
        // Moving everything is worth it only when it makes rows clearly shorter.
        if kept.is_empty() || idle.len() * 10 < self.active {
            return false;
        }
        let moves = [kept.as_slice(), idle.as_slice()].concat();
        cache.rearrange(&moves, kept.len());
        rearrange(&mut self.order, &moves);
        rearrange(&mut self.products, &moves);
        rearrange(&mut self.diagonal, &moves);
        self.rises.iter_mut().chain(&mut self.falls).for_each(|v| rearrange(v, &moves));
        for b in &mut self.banks {
            [&mut b.beta, &mut b.lower, &mut b.upper, &mut b.linear]
                .into_iter()
                .for_each(|v| rearrange(v, &moves));
        }
        self.active = kept.len();
        true
    }

    /// Recomputes all products in double precision.
    fn refresh(&mut self) -> Result<()> {
        let total = |k: usize| self.banks.iter().map(|b| b.beta[k]).sum::<f64>();
        let used: Vec<(u32, f64)> =
            (0..self.order.len()).map(|k| (self.order[k], total(k))).filter(|(_, v)| *v != 0.0).collect();
        let mut used = used;
        // In order of the objects, so that the sums do not depend on what was set aside when.
        used.sort_unstable_by_key(|u| u.0);
        let (chosen, weights): (Vec<u32>, Vec<f64>) = used.into_iter().unzip();
        self.products = match chosen.is_empty() {
            true => vec![0.0; self.order.len()],
            false => self.columns.combine(&self.order, &chosen, &weights)?,
        };
        Ok(())
    }

    fn finish(self, stop: Stop) -> Solution {
        let offsets = (0..self.banks.len()).map(|b| self.offset(b)).collect();
        let n = self.order.len();
        let quadratic: f64 = self
            .banks
            .iter()
            .map(|b| b.beta.iter().zip(&self.products).map(|(beta, g)| 0.5 * beta * g).sum::<f64>())
            .sum();
        let objective = quadratic + self.banks.iter().map(Bank::cost).sum::<f64>();
        let by_object = |values: &[f64]| {
            let mut out = vec![0.0; n];
            self.order.iter().zip(values).for_each(|(&o, &v)| out[o as usize] = v);
            out
        };
        Solution {
            betas: self.banks.iter().map(|b| by_object(&b.beta)).collect(),
            products: by_object(&self.products),
            offsets,
            objective,
            violation: self.violation.max(0.0),
            iterations: self.iterations,
            rows_computed: self.rows_computed,
            stop,
        }
    }

    /// The multiplier of a bank's sum: the mean slope of the variables inside their bounds, or the middle of what the
    /// others allow.
    fn offset(&self, bank: usize) -> f64 {
        let (mut sum, mut free) = (0.0, 0usize);
        for (k, g) in self.products.iter().enumerate() {
            let (rise, fall) = (self.rises[bank][k], self.falls[bank][k]);
            if rise == fall {
                sum += g + rise;
                free += 1;
            }
        }
        if free > 0 {
            return sum / free as f64;
        }
        let ends = self.ends(bank);
        match (ends.rise.is_finite(), ends.fall.is_finite()) {
            (true, true) => 0.5 * (ends.rise + ends.fall),
            (true, false) => ends.rise,
            (false, true) => ends.fall,
            (false, false) => 0.0,
        }
    }
}

/// Puts the first `moves.len()` values in a new order: the new value k is the old value `moves[k]`.
fn rearrange<T: Copy>(values: &mut [T], moves: &[u32]) {
    let moved: Vec<T> = moves.iter().map(|&m| values[m as usize]).collect();
    values[..moved.len()].copy_from_slice(&moved);
}
