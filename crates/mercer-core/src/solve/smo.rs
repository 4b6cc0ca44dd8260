//! Sequential minimal optimisation: pairs of variables, chosen by second-order information.
//!
//! Rows are kept in single precision in a cache, and so are the products g = Kβ while pairs are moved; before the solver says
//! it has converged the products are recomputed from scratch in double precision, so that the violation it reports is
//! true of the matrix itself. Where single precision stops short, the work goes on in double precision.
//!
//! Two ways lead through the pairs (`pairs.rs`): over all variables at once where rows are only looked up and there
//! are not too many of them (`flat.rs`), and a block of the worst violators at a time (`blocks.rs`) where rows are
//! computed, because a few hundred rows at once cost far less than as many one by one, or where there are many.

use std::time::Instant;

use super::blocks::blocks;
use super::columns::Columns;
use super::flat::flat;
use super::limits::{Limits, Method};
use super::problem::{Bank, End, Solution, Work};
use super::proof::{Checked, Stop};
use super::scan::Real;
use crate::error::Result;

/// Single precision may be found wanting so often, each time by half as much, before double precision takes over.
const PATIENCE: usize = 4;

/// How often double precision may be found wanting before the solver gives up.
const STALLS: usize = 10;

/// Self-similarities for which single precision neither overflows nor vanishes.
const SINGLE: std::ops::Range<f64> = 1e-12..1e12;

/// Products up to this size, and linear costs up to its root, do not overflow in single precision.
const REACH: f64 = 1e30;

/// Up to so many objects whose rows are only looked up, all variables at once are faster than blocks.
const FLAT: usize = 12_000;

/// Pairs crawl when they were moved so often for each variable (a few are usual), and no more variables than this are
/// inside their bounds: the more there are, the longer the active-set method takes.
const CRAWL: [(u64, usize); 2] = [(10, 500), (100, 2000)];

/// Solves a problem. The banks hold the starting point; all zero is a good one.
pub fn solve(columns: &dyn Columns, banks: Vec<Bank>, limits: &Limits) -> Result<Solution> {
    let n = columns.len();
    banks.iter().try_for_each(|b| b.check(n))?;
    let mut state = State::new(columns, banks, limits)?;
    let end = if n == 0 { End::Quiet } else { state.run()? };
    state.finish(end)
}

/// The state of a run, by object.
pub(super) struct State<'a> {
    pub(super) columns: &'a dyn Columns,
    pub(super) limits: &'a Limits,
    pub(super) banks: Vec<Bank>,
    /// Kβ.
    pub(super) products: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
    pub(super) rows_computed: u64,
    pub(super) iterations: u64,
    /// The sum of each bank, which stays what it is.
    sums: Vec<f64>,
    /// β when the products were last recomputed.
    base: Vec<f64>,
    /// The violation when the products were last recomputed.
    checked: f64,
    /// What the variables amount to, as long as they are what they were when it was found out.
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
        match self.columns.batch() > 1 || self.columns.len() > FLAT {
            true => blocks::<T>(self, patience),
            false => flat::<T>(self, patience),
        }
    }

    /// What to do when no violating pair seems to be left: stop, or go on with products that are exact again.
    /// `failed` counts how often that happened.
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
        // What was set aside may violate: that is no fault of the precision.
        *failed += usize::from(!shrunk);
        if *failed >= patience || *failed > 1 && !shrunk && self.checked > 0.5 * before {
            return Ok(Some(End::Stopped(Stop::Stalled)));
        }
        Ok(self.met()?.map(End::Stopped))
    }

    /// By how much the violation may be larger than the products tell, if they were brought up to date since they were last
    /// recomputed with entries rounded to single precision, in double precision arithmetic.
    ///
    /// An entry is off by at most 2^-25·|K_ij| ≤ 2^-25·√(K_ii·K_jj), so a product by 2^-25·√K_ii·Σ_j|Δ_j|·√K_jj with Δ
    /// the change of β since then, and a difference of two by twice that. Infinite for a matrix that is not positive
    /// semidefinite as far as its diagonal tells.
    pub(super) fn slack(&self) -> f64 {
        let (mut widest, mut sum) = (0.0, 0.0);
        for (k, d) in self.diagonal.iter().enumerate() {
            let change = self.total(k) - self.base[k];
            (widest, sum) = (d.max(widest), sum + change.abs() * d.sqrt());
        }
        // Roundings of the sums themselves are far smaller; a tenth more pays for them.
        let slack = 1.1 * f64::from(f32::EPSILON) / 2.0 * f64::sqrt(widest) * sum;
        if slack.is_nan() { f64::INFINITY } else { slack }
    }

    fn total(&self, k: usize) -> f64 {
        self.banks.iter().map(|b| b.beta[k]).sum()
    }

    /// Takes over variables: those at position k belong to object `order[k]`.
    pub(super) fn take(&mut self, order: &[u32], banks: &[Bank]) {
        for (own, theirs) in self.banks.iter_mut().zip(banks) {
            order.iter().zip(&theirs.beta).for_each(|(&o, &b)| own.beta[o as usize] = b);
        }
        self.moved();
    }

    /// Notes that variables have changed.
    pub(super) fn moved(&mut self) {
        self.known = None;
    }

    /// The iterations that are left.
    pub(super) fn left(&self) -> u64 {
        self.limits.iterations.saturating_sub(self.iterations)
    }

    /// The limit of the user that is met, if any.
    pub(super) fn limit(&self) -> Result<Option<Stop>> {
        self.limits.met(self.iterations, self.started)
    }

    /// The limit that is met, if any. Pairs that crawl have met one too, where another method can take over.
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
        let another = self.limits.method == Method::Auto;
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

    /// The largest violation of optimality, as the products tell it.
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
