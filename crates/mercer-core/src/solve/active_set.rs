//! An active-set method: solves exactly for all variables inside their bounds at once.
//!
//! Variables are at a bound (active), at the kink, or free. Given the free variables F, the rest of the problem is
//! linear: K_FF x + (slopes) = (one multiplier for each bank), whose sums do not change. One step solves this system
//! and moves there, or up to the first bound on the way, whose variable is then no longer free. Once the free variables
//! are optimal, the worst of the others is freed. The number of bound variables does not affect the cost of a solve,
//! and the result is exact to rounding, however large the bounds. This is faster where pairs of variables converge
//! slowly.
//!
//! The factor is of H_ij = K_ij - K_ir - K_jr + K_rr (+ c within a bank), for an object r of medium self-similarity. On
//! steps that keep the sums it equals K, but unlike K_FF it is nonsingular whenever the step is unique, and a large
//! constant in the kernel does no harm. Where it is singular nevertheless (equal objects, few dimensions), a tiny ridge
//! turns a direction without curvature into a very long step, which ends at a bound.
//!
//! References: Scheinberg 2006, An efficient implementation of an active set method for SVMs; Nocedal & Wright 2006,
//! Numerical optimization, chapter 16.

mod step;

use std::time::Instant;

use super::columns::Columns;
use super::factor::Factor;
use super::held::Held;
use super::limits::Limits;
use super::problem::{Bank, End, Solution, Work};
use super::proof::{Checked, Stop};
use crate::budget;
use crate::error::{Error, Result};

/// A curvature below minus this fraction of the self-similarities is more than rounding of a matrix stored in single
/// precision.
const NEGATIVE: f64 = 1e-6;

/// Steps between recomputations of the products.
const REFRESH: u64 = 128;

/// Maximum number of consecutive steps on the same free variables without reaching a bound.
const TRIES: u32 = 5;

/// Consecutive steps without progress, plus two for each free variable, before the solver gives up.
const IDLE: usize = 32;

/// Consecutive recomputations without a decrease of the objective before the solver gives up.
const BARREN: u32 = 8;

/// The error of a product in units of rounding of |φ(x)|·Σ|β_k|·|φ(x_k)|.
const UNCERTAINTY: f64 = 4.0;

/// Maximum number of steps: a constant plus a number per object. More steps only follow rounding; a few per object are
/// usual.
const MOST: [u64; 2] = [10_000, 100];

/// Solves the same problem as [`solve`](super::solve) by an active-set method. The banks hold the starting point; the
/// result of `solve` is a very good one, because most variables are already correct.
///
/// [`Limits::iterations`] counts steps, and [`Limits::cache_bytes`] bounds the exact columns cached for the free
/// variables.
///
/// With m free variables a step takes O(m²) for the factor, O(n·m) for the products, and one column of the matrix.
///
/// ```
/// use mercer_core::data::Dense;
/// use mercer_core::solve::{Bank, GramColumns, Limits, active_set};
/// // Two points at -1 and 1 with a hard margin: both are support vectors with weight 1/2.
/// let gram = Dense::from_rows(&[[1.0, -1.0], [-1.0, 1.0]]);
/// let bank = Bank {
///     beta: vec![0.0, 0.0],
///     lower: vec![-1e6, 0.0],
///     upper: vec![0.0, 1e6],
///     linear: vec![1.0, -1.0],
///     kink: 0.0,
/// };
/// let solution = active_set(&GramColumns::new(&gram)?, vec![bank], &Limits::default())?;
/// assert!((solution.betas[0][1] - 0.5).abs() < 1e-12);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn active_set(columns: &dyn Columns, banks: Vec<Bank>, limits: &Limits) -> Result<Solution> {
    let n = columns.len();
    banks.iter().try_for_each(|b| b.check(n))?;
    let mut active = Active::new(columns, banks, limits)?;
    let end = if n == 0 || active.banks.is_empty() { End::Quiet } else { active.run()? };
    active.finish(end)
}

/// A free variable and the interval between its bounds (or the kink) where its cost is linear.
#[derive(Clone, Copy, Debug)]
struct Free {
    bank: usize,
    object: usize,
    low: f64,
    high: f64,
    slope: f64,
}

/// The pair of variables of one bank that violates optimality most.
struct Worst {
    bank: usize,
    up: usize,
    rise: f64,
    down: usize,
    fall: f64,
}

impl Worst {
    fn gap(&self) -> f64 {
        self.fall - self.rise
    }
}

struct Active<'a> {
    columns: &'a dyn Columns,
    limits: &'a Limits,
    started: Instant,
    banks: Vec<Bank>,
    /// The sum of each bank, which is constant.
    sums: Vec<f64>,
    products: Vec<f64>,
    /// An error bound of each product at its last recomputation.
    uncertainty: Vec<f64>,
    /// Steps since the products were recomputed.
    stale: u64,
    diagonal: Vec<f64>,
    /// The column of the reference object, and its self-similarity.
    reference: Vec<f64>,
    centre: f64,
    /// The constant c added to entries within a bank.
    pull: f64,
    held: Held<'a>,
    free: Vec<Free>,
    factor: Factor,
    iterations: u64,
    /// Steps on these free variables that reached no bound.
    tries: u32,
    /// The last step made no progress: only a pair is sure to move.
    stuck: bool,
    /// Consecutive steps without progress beyond rounding.
    idle: usize,
    /// The smallest objective at a recomputation of the products, and how often in a row it did not decrease.
    least: f64,
    barren: u32,
    /// The magnitude of the terms of the objective.
    scale: f64,
}

impl<'a> Active<'a> {
    fn new(columns: &'a dyn Columns, banks: Vec<Bank>, limits: &'a Limits) -> Result<Self> {
        let n = columns.len();
        let diagonal = columns.diagonal()?;
        let mut held = Held::new(columns, limits.cache_bytes);
        let mut by_size: Vec<usize> = (0..n).collect();
        by_size.sort_by(|&i, &j| diagonal[i].total_cmp(&diagonal[j]));
        let middle = by_size.get(n / 2).copied();
        let reference = match middle {
            Some(r) => held.entries(r, &(0..n).collect::<Vec<_>>())?,
            None => Vec::new(),
        };
        let centre = middle.map_or(0.0, |r| diagonal[r]);
        let far: f64 = (0..n).map(|i| (diagonal[i] - 2.0 * reference[i] + centre).abs()).sum();
        let pull = if far > 0.0 && far.is_finite() { far / n as f64 } else { 1.0 };
        let mut active = Active {
            columns,
            limits,
            started: Instant::now(),
            sums: banks.iter().map(|b| b.beta.iter().sum()).collect(),
            banks,
            products: vec![0.0; n],
            uncertainty: vec![0.0; n],
            stale: 0,
            diagonal,
            reference,
            centre,
            pull,
            held,
            free: Vec::new(),
            factor: Factor::default(),
            iterations: 0,
            tries: 0,
            stuck: false,
            idle: 0,
            least: f64::INFINITY,
            barren: 0,
            scale: 0.0,
        };
        active.refresh()?;
        Ok(active)
    }

    fn run(&mut self) -> Result<End> {
        if self.gap() <= self.limits.tolerance {
            return Ok(End::Quiet);
        }
        if let Err(stop) = self.free_inner()? {
            return Ok(End::Stopped(stop));
        }
        let mut best = f64::INFINITY;
        let most = MOST[0] + MOST[1] * self.products.len() as u64;
        loop {
            if let Some(stop) = self.limits.met(self.iterations, self.started)? {
                return Ok(End::Stopped(stop));
            }
            if self.stale >= REFRESH {
                self.refresh()?;
            }
            if self.tries < TRIES && !self.stuck && self.spread() > 0.25 * self.limits.tolerance {
                self.newton()?;
                continue;
            }
            let worn = self.idle > IDLE + 2 * self.free.len() || self.barren >= BARREN;
            let idle = worn || self.iterations > most;
            if self.stale > 0 && (idle || self.gap() <= self.limits.tolerance) {
                self.refresh()?;
                self.tries = 0;
            }
            let Some(worst) = self.worst() else { return Ok(End::Quiet) };
            if worst.gap() <= self.limits.tolerance {
                return Ok(End::Quiet);
            }
            if idle {
                return Ok(End::Stopped(Stop::Stalled));
            }
            if worst.gap() < 0.9 * best {
                best = worst.gap();
                (self.idle, self.barren) = (0, 0);
            }
            if let Err(stop) = self.release(&worst)? {
                return Ok(End::Stopped(stop));
            }
        }
    }

    /// Frees the variables that start inside their bounds, except linearly dependent ones: they may keep their values,
    /// and are freed when they violate optimality.
    fn free_inner(&mut self) -> Result<Result<(), Stop>> {
        let mut inner = Vec::new();
        for (b, bank) in self.banks.iter().enumerate() {
            inner.extend((0..self.products.len()).filter(|&k| bank.rise(k) == bank.fall(k)).map(|k| (b, k)));
        }
        let objects: Vec<usize> = inner.iter().map(|v| v.1).collect();
        self.held.hold(&objects, |_| true)?;
        for (bank, object) in inner {
            budget::check()?;
            if let Err(stop) = self.enter(bank, object, true)? {
                return Ok(Err(stop));
            }
            if self.factor.ends_dependent() {
                self.free.pop();
                self.factor.remove(self.free.len());
            }
        }
        Ok(Ok(()))
    }

    /// Frees the worst variable, or two if no other of their bank is free, or moves a pair if that makes no progress.
    fn release(&mut self, worst: &Worst) -> Result<Result<(), Stop>> {
        let bank = worst.bank;
        let slopes = self.free.iter().filter(|f| f.bank == bank).map(|f| self.products[f.object] + f.slope);
        let (count, sum) = slopes.fold((0usize, 0.0), |(c, s), v| (c + 1, s + v));
        if self.stuck {
            return self.pair(worst);
        }
        if count == 0 {
            let up = self.enter(bank, worst.up, true)?;
            return if up.is_err() { Ok(up) } else { self.enter(bank, worst.down, false) };
        }
        let level = sum / count as f64;
        let (rises, falls) = (level - worst.rise, worst.fall - level);
        let (object, up) = if rises >= falls { (worst.up, true) } else { (worst.down, false) };
        if self.is_free(bank, object) { self.pair(worst) } else { self.enter(bank, object, up) }
    }

    fn is_free(&self, bank: usize, object: usize) -> bool {
        self.free.iter().any(|f| f.bank == bank && f.object == object)
    }

    /// Frees a variable, to grow or to decrease if it is at the kink.
    fn enter(&mut self, bank: usize, object: usize, up: bool) -> Result<Result<(), Stop>> {
        let free = &self.free;
        self.held.hold(&[object], |o| free.iter().any(|f| f.object == o))?;
        let others: Vec<usize> = self.free.iter().map(|f| f.object).collect();
        let entries = self.held.entries(object, &others)?;
        for (f, entry) in self.free.iter().zip(&entries).filter(|(f, _)| f.bank == bank) {
            if let Err(stop) = self.curvature(object, f.object, *entry) {
                return Ok(Err(stop));
            }
        }
        let b = &self.banks[bank];
        let (mut low, mut high) = (b.lower[object], b.upper[object]);
        let positive = b.beta[object] > 0.0 || b.beta[object] == 0.0 && up;
        if b.kink > 0.0 && low < 0.0 && high > 0.0 {
            (low, high) = if positive { (0.0, high) } else { (low, 0.0) };
        }
        let slope = b.linear[object] + if low >= 0.0 { b.kink } else { -b.kink };
        // Without a kink the direction does not matter.
        self.append(Free { bank, object, low, high, slope }, &entries);
        Ok(Ok(()))
    }

    /// The curvature of a pair; if negative, the matrix is not positive semidefinite.
    fn curvature(&self, i: usize, j: usize, entry: f64) -> Result<f64, Stop> {
        let curvature = self.diagonal[i] + self.diagonal[j] - 2.0 * entry;
        if curvature < -NEGATIVE * (self.diagonal[i].abs() + self.diagonal[j].abs()) {
            return Err(Stop::NegativeCurvature { first: i, second: j, curvature });
        }
        Ok(curvature)
    }

    /// Adds a free variable, given its entries with the others.
    fn append(&mut self, variable: Free, entries: &[f64]) {
        let (i, r) = (variable.object, &self.reference);
        let shifted: Vec<f64> = (self.free.iter().zip(entries))
            .map(|(f, entry)| {
                let same = if f.bank == variable.bank { self.pull } else { 0.0 };
                entry - r[i] - r[f.object] + self.centre + same
            })
            .collect();
        let own = self.diagonal[i] - 2.0 * r[i] + self.centre + self.pull;
        self.factor.push(&shifted, own);
        self.free.push(variable);
        self.tries = 0;
    }

    /// Removes free variables; variables that depended on them may become independent.
    fn leave(&mut self, leaves: impl Fn(&Free, &Bank) -> bool) -> Result<bool> {
        let before = self.free.len();
        for at in (0..before).rev() {
            if leaves(&self.free[at], &self.banks[self.free[at].bank]) {
                self.factor.remove(at);
                self.free.remove(at);
            }
        }
        if self.free.len() == before {
            return Ok(false);
        }
        self.tries = 0;
        // A ridge costs little, so if there are many they are kept.
        let again = Some(self.factor.dependents()).filter(|&d| d <= 2).unwrap_or(0);
        for _ in 0..again {
            let Some(at) = self.factor.dependent() else { break };
            self.factor.remove(at);
            let variable = self.free.remove(at);
            let others: Vec<usize> = self.free.iter().map(|f| f.object).collect();
            let entries = self.held.entries(variable.object, &others)?;
            self.append(variable, &entries);
        }
        Ok(true)
    }

    /// The largest difference of slopes among the free variables of a bank.
    fn spread(&self) -> f64 {
        let of = |bank: usize| {
            let slopes = self.free.iter().filter(|f| f.bank == bank);
            let (low, high) = slopes
                .map(|f| self.products[f.object] + f.slope)
                .fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(v), h.max(v)));
            high - low
        };
        (0..self.banks.len()).map(of).fold(0.0, f64::max)
    }

    /// The pair that violates optimality most, of any bank. Pairs whose violation exceeds the rounding of their
    /// products come first.
    ///
    /// Without that, an object of huge self-similarity, whose products are noise, would be chosen again and again.
    fn worst(&self) -> Option<Worst> {
        let certain = self.worst_beyond(|k| self.uncertainty[k]);
        match certain.filter(|w| w.gap() > self.limits.tolerance) {
            Some(worst) => Some(worst),
            None => self.worst_beyond(|_| 0.0),
        }
    }

    fn worst_beyond(&self, uncertainty: impl Fn(usize) -> f64) -> Option<Worst> {
        let mut worst: Option<Worst> = None;
        for (bank, b) in self.banks.iter().enumerate() {
            let (mut rise, mut up, mut fall, mut down) = (f64::INFINITY, 0, f64::NEG_INFINITY, 0);
            for (k, g) in self.products.iter().enumerate() {
                let (r, f) = (g + b.rise(k) + uncertainty(k), g + b.fall(k) - uncertainty(k));
                if r < rise {
                    (rise, up) = (r, k);
                }
                if f > fall {
                    (fall, down) = (f, k);
                }
            }
            if fall - rise > worst.as_ref().map_or(f64::NEG_INFINITY, Worst::gap) {
                worst = Some(Worst { bank, up, rise, down, fall });
            }
        }
        worst
    }

    /// The largest violation of optimality.
    fn gap(&self) -> f64 {
        self.worst_beyond(|_| 0.0).map_or(0.0, |w| w.gap().max(0.0))
    }

    /// Recomputes all products.
    fn refresh(&mut self) -> Result<()> {
        let total = |k: usize| self.banks.iter().map(|b| b.beta[k]).sum::<f64>();
        let length = |k: usize| self.diagonal[k].abs().sqrt();
        let size: f64 = (0..self.products.len()).map(|k| total(k).abs() * length(k)).sum();
        let uncertainty =
            (0..self.products.len()).map(|k| UNCERTAINTY * f64::EPSILON * length(k) * size).collect();
        let used = (0..self.products.len()).map(|k| (k as u32, total(k))).filter(|u| u.1 != 0.0);
        let (chosen, weights): (Vec<u32>, Vec<f64>) = used.unzip();
        self.uncertainty = uncertainty;
        self.products = if chosen.is_empty() {
            vec![0.0; self.products.len()]
        } else {
            self.columns.combine(&everyone(self.columns), &chosen, &weights)?
        };
        if self.products.iter().any(|p| !p.is_finite()) {
            let reason = "the weighted sums of similarities overflow".into();
            return Err(Error::Numeric { reason });
        }
        self.stale = 0;
        let terms = |b: &Bank| -> f64 {
            let costs = b.beta.iter().zip(&b.linear).zip(&self.products);
            costs.map(|((beta, l), g)| beta.abs() * (g.abs() + l.abs() + b.kink)).sum()
        };
        self.scale = self.banks.iter().map(terms).sum();
        let objective = self.objective();
        let fell = objective < self.least - 4.0 * f64::EPSILON * self.scale;
        self.barren = if fell { 0 } else { self.barren + 1 };
        self.least = self.least.min(objective);
        Ok(())
    }

    fn objective(&self) -> f64 {
        let half = |b: &Bank| b.beta.iter().zip(&self.products).map(|(v, g)| 0.5 * v * g).sum::<f64>();
        self.banks.iter().map(|b| half(b) + b.cost()).sum()
    }

    fn finish(self, end: End) -> Result<Solution> {
        let checked = Checked::of(self.columns, &self.banks, &self.sums)?;
        let work = Work { iterations: self.iterations, rows_computed: self.held.computed };
        Ok(Solution::new(self.banks, checked, end, work, self.limits.tolerance))
    }
}

/// The indices of all objects of a matrix.
pub(super) fn everyone(columns: &dyn Columns) -> Vec<u32> {
    (0..columns.len() as u32).collect()
}
