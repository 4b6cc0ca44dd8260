//! Sequential minimal optimisation (SMO): pairs of variables, chosen by second-order information.
//!
//! Cached rows and the products g = Kβ are in single precision while pairs are moved. Before the solver reports
//! convergence, the products are recomputed in double precision, so that the reported violation is that of the matrix
//! itself. If single precision is not sufficient, the solver continues in double precision.
//!
//! There are two loops over pairs (`pairs.rs`). If rows are only looked up and not too many, all variables are
//! considered at once (`flat.rs`). If rows are computed, or there are many, blocks of the worst violators are processed
//! (`blocks.rs`), because a few hundred rows at once cost far less than one by one.

use std::time::Instant;

use super::blocks::blocks;
use super::columns::Columns;
use super::flat::flat;
use super::limits::{Limits, Method};
use super::problem::{Bank, End, Solution, Work};
use super::proof::{Checked, Stop};
use super::scan::Real;
use crate::error::Result;

/// How often single precision may fail the check, halving the violation each time, before double precision takes over.
const PATIENCE: usize = 4;

/// How often double precision may fail the check before the solver gives up.
const STALLS: usize = 10;

/// Self-similarities for which single precision neither overflows nor underflows.
const SINGLE: std::ops::Range<f64> = 1e-12..1e12;

/// Products up to this size, and linear costs up to its root, do not overflow in single precision.
const REACH: f64 = 1e30;

/// Up to this many objects with rows in memory, all variables at once are faster than blocks.
const FLAT: usize = 12_000;

/// Up to this many objects, rows that are computed are treated as those of a matrix: the cost is small either way, and a
/// kernel and its matrix then have the same solution to the last bit, not only within the tolerance.
const FEW: usize = 200;

/// Pairs converge too slowly when this many moves were made per variable (a few are usual) and at most this many
/// variables are inside their bounds: the active-set method takes longer the more there are.
const CRAWL: [(u64, usize); 2] = [(10, 500), (100, 2000)];

/// Solves a problem. The banks hold the starting point; zero is a good one.
pub fn solve(columns: &dyn Columns, banks: Vec<Bank>, limits: &Limits) -> Result<Solution> {
    let n = columns.len();
    banks.iter().try_for_each(|b| b.check(n))?;
    let mut state = State::new(columns, banks, limits)?;
    let end = if n == 0 { End::Quiet } else { state.run()? };
    state.finish(end)
}

/// Solves a problem whose matrix is not positive semidefinite, in double precision: a pair along which the objective is
/// concave is moved to a bound, so that every move lowers the objective.
pub fn solve_indefinite(columns: &dyn Columns, banks: Vec<Bank>, limits: &Limits) -> Result<Solution> {
    banks.iter().try_for_each(|b| b.check(columns.len()))?;
    let mut state = State::new(columns, banks, limits)?;
    state.concave = true;
    let end = state.run_in::<f64>(STALLS)?;
    let mut solution = state.finish(end)?;
    if matches!(solution.stop, Stop::Converged(_) | Stop::WideGap) {
        solution.stop = Stop::Stationary;
    }
    Ok(solution)
}

/// The state of a run, indexed by object.
pub(super) struct State<'a> {
    pub(super) columns: &'a dyn Columns,
    pub(super) limits: &'a Limits,
    pub(super) banks: Vec<Bank>,
    /// Kβ.
    pub(super) products: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    pub(super) rows_computed: u64,
    pub(super) iterations: u64,
    /// The sum of each bank, which is constant.
    sums: Vec<f64>,
    /// β when the products were last recomputed.
    base: Vec<f64>,
    /// The violation when the products were last recomputed.
    checked: f64,
    /// Whether pairs of negative curvature are moved to a bound.
    pub(super) concave: bool,
    /// The recomputed values of the current variables, if known.
    known: Option<Checked>,
    started: Instant,
}

impl<'a> State<'a> {
    fn new(columns: &'a dyn Columns, banks: Vec<Bank>, limits: &'a Limits) -> Result<Self> {
        let mut state = State {
            columns,
            limits,
            sums: banks.iter().map(|b| b.beta.iter().sum()).collect(),
            banks,
            products: vec![0.0; columns.len()],
            diagonal: columns.diagonal()?,
            rows_computed: 0,
            iterations: 0,
            base: Vec::new(),
            checked: f64::INFINITY,
            concave: false,
            known: None,
            started: Instant::now(),
        };
        state.refresh()?;
        Ok(state)
    }

    fn run(&mut self) -> Result<End> {
        let largest = self.diagonal.iter().fold(0.0, |most: f64, d| most.max(d.abs()));
        if SINGLE.contains(&largest) && self.fits_single(largest) {
            match self.run_in::<f32>(PATIENCE)? {
                End::Stopped(Stop::Stalled) => {}
                end => return Ok(end),
            }
        }
        if let Some(stop) = self.limit()? {
            return Ok(End::Stopped(stop));
        }
        self.run_in::<f64>(STALLS)
    }

    /// Whether no product can overflow in single precision.
    fn fits_single(&self, largest: f64) -> bool {
        let size = |b: &Bank| b.lower.iter().zip(&b.upper).map(|(l, u)| u.max(-l)).sum::<f64>();
        let cost = |b: &Bank| b.linear.iter().fold(b.kink, |most, l| most.max(l.abs()));
        let reach = largest * self.banks.iter().map(size).sum::<f64>();
        reach < REACH && self.banks.iter().all(|b| cost(b) < REACH.sqrt())
    }

    fn run_in<T: Real>(&mut self, patience: usize) -> Result<End> {
        let n = self.columns.len();
        match self.columns.batch() > 1 && n > FEW || n > FLAT {
            true => blocks::<T>(self, patience),
            false => flat::<T>(self, patience),
        }
    }

    /// Called when no violating pair seems to be left: stops, or continues with recomputed products. `failed` counts
    /// how often that happened.
    pub(super) fn settle(
        &mut self,
        failed: &mut usize,
        patience: usize,
        shrunk: bool,
    ) -> Result<Option<End>> {
        let before = self.checked;
        self.refresh()?;
        if self.checked <= self.limits.tolerance {
            return Ok(Some(End::Quiet));
        }
        // Violations among shrunk variables are not caused by the precision.
        *failed += usize::from(!shrunk);
        if *failed >= patience || *failed > 1 && !shrunk && self.checked > 0.5 * before {
            return Ok(Some(End::Stopped(Stop::Stalled)));
        }
        Ok(self.met()?.map(End::Stopped))
    }

    /// How much the violation may exceed the one computed from the products, if these were updated since their last
    /// recomputation with entries rounded to single precision, in double precision arithmetic.
    ///
    /// The error of an entry is at most 2^-25·|K_ij| ≤ 2^-25·√(K_ii·K_jj), so that of a product is at most
    /// 2^-25·√K_ii·Σ_j|Δ_j|·√K_jj with Δ the change of β since then, and that of a difference of two twice that.
    /// Infinite if the diagonal shows that the matrix is not positive semidefinite.
    pub(super) fn slack(&self) -> f64 {
        let (mut widest, mut sum) = (0.0, 0.0);
        for (k, d) in self.diagonal.iter().enumerate() {
            let change = self.total(k) - self.base[k];
            (widest, sum) = (d.max(widest), sum + change.abs() * d.sqrt());
        }
        // Rounding of the sums themselves is far smaller; ten per cent more accounts for it.
        let slack = 1.1 * f64::from(f32::EPSILON) / 2.0 * f64::sqrt(widest) * sum;
        if slack.is_nan() { f64::INFINITY } else { slack }
    }

    fn total(&self, k: usize) -> f64 {
        self.banks.iter().map(|b| b.beta[k]).sum()
    }

    /// Copies variables into the state: those at position k belong to object `order[k]`.
    pub(super) fn take(&mut self, order: &[u32], banks: &[Bank]) {
        for (own, theirs) in self.banks.iter_mut().zip(banks) {
            order.iter().zip(&theirs.beta).for_each(|(&o, &b)| own.beta[o as usize] = b);
        }
        self.moved();
    }

    /// Records that variables have changed.
    pub(super) fn moved(&mut self) {
        self.known = None;
    }

    /// The number of iterations left.
    pub(super) fn left(&self) -> u64 {
        self.limits.iterations.saturating_sub(self.iterations)
    }

    /// The user's limit that was reached, if any.
    pub(super) fn limit(&self) -> Result<Option<Stop>> {
        self.limits.met(self.iterations, self.started)
    }

    /// The limit that was reached, if any. Slow convergence counts as one if another method can take over.
    pub(super) fn met(&self) -> Result<Option<Stop>> {
        let crawling = || {
            let free = |b: &Bank| (0..b.beta.len()).filter(|&k| b.rise(k) == b.fall(k)).count();
            let moved = self.iterations / self.products.len().max(200) as u64;
            if moved < CRAWL[0].0 {
                return false;
            }
            let free: usize = self.banks.iter().map(free).sum();
            CRAWL.iter().any(|&(often, most)| moved >= often && free <= most)
        };
        let another = self.limits.method == Method::Auto && !self.concave;
        Ok(self.limit()?.or_else(|| (another && crawling()).then_some(Stop::Stalled)))
    }

    /// Recomputes all products and the violation in double precision.
    pub(super) fn refresh(&mut self) -> Result<()> {
        let checked = Checked::of(self.columns, &self.banks, &self.sums)?;
        self.base = (0..self.products.len()).map(|k| self.total(k)).collect();
        self.products.clone_from(&checked.products);
        self.checked = checked.violation;
        self.known = Some(checked);
        Ok(())
    }

    /// The largest violation of optimality, according to the current products.
    pub(super) fn violation(&self) -> f64 {
        self.banks.iter().map(|b| b.violation(&self.products)).fold(0.0, f64::max)
    }

    fn finish(self, end: End) -> Result<Solution> {
        let checked = match self.known {
            Some(checked) => checked,
            None => Checked::of(self.columns, &self.banks, &self.sums)?,
        };
        let work = Work { iterations: self.iterations, rows_computed: self.rows_computed };
        Ok(Solution::new(self.banks, checked, end, work, self.limits.tolerance))
    }
}
