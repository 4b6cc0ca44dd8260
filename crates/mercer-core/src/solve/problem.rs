//! The quadratic problems of support vector machines, in one common form.
//!
//! minimise ½ βᵀKβ + Σ_k (linear_k·β_k + kink·|β_k|)  with  lower_k ≤ β_k ≤ upper_k  and  Σ_k β_k fixed.
//!
//! With β_k = y_k·α_k this is the dual of C-SVC (linear = -y, kink = 0), of ε-SVR (linear = -y, kink = ε) and of the
//! one-class model (linear = 0). The ν models have two sum constraints, one for each sign; they use two [`Bank`]s over
//! the same objects, and β is the sum of both.

use super::proof::{Checked, Proof, Stop};
use crate::error::{Error, Result};

/// One set of variables, one per object, whose sum is constant.
#[derive(Clone, Debug)]
pub struct Bank {
    /// The variables; the starting point must be feasible.
    pub beta: Vec<f64>,
    /// The lower bound of each variable.
    pub lower: Vec<f64>,
    /// The upper bound of each variable.
    pub upper: Vec<f64>,
    /// The linear cost of each variable.
    pub linear: Vec<f64>,
    /// The cost per unit of |β|.
    pub kink: f64,
}

impl Bank {
    /// Checks lengths, bounds and the starting point.
    pub(super) fn check(&self, n: usize) -> Result<()> {
        if [&self.beta, &self.lower, &self.upper, &self.linear].iter().any(|v| v.len() != n) {
            return Err(Error::usage(format!("the number of variables differs from the {n} objects")));
        }
        if !(self.kink.is_finite() && self.kink >= 0.0) {
            return Err(Error::param("kink", self.kink, "finite and at least 0"));
        }
        let bad = (0..n).find(|&k| {
            let (b, l, u) = (self.beta[k], self.lower[k], self.upper[k]);
            // A comparison with NaN is false, so NaN is detected too.
            !(l <= b && b <= u && l.is_finite() && u.is_finite() && self.linear[k].is_finite())
        });
        let Some(index) = bad else { return Ok(()) };
        let (reason, hint) = match self.lower[index].is_finite() && self.upper[index].is_finite() {
            false => ("its bound, C times its weight, is not finite", Some("lower C or the weights".into())),
            true if !self.linear[index].is_finite() => ("its target is not finite", None),
            true => ("its starting value is outside its bounds", None),
        };
        Err(Error::Object { index, reason: reason.into(), hint })
    }

    /// The slope of the cost, beyond (Kβ)_k, when β_k grows; infinite if it cannot grow.
    pub(super) fn rise(&self, k: usize) -> f64 {
        let b = self.beta[k];
        if b >= self.upper[k] {
            f64::INFINITY
        } else if b >= 0.0 {
            self.linear[k] + self.kink
        } else {
            self.linear[k] - self.kink
        }
    }

    /// The slope when β_k decreases; minus infinity if it cannot decrease.
    pub(super) fn fall(&self, k: usize) -> f64 {
        let b = self.beta[k];
        if b <= self.lower[k] {
            f64::NEG_INFINITY
        } else if b > 0.0 {
            self.linear[k] + self.kink
        } else {
            self.linear[k] - self.kink
        }
    }

    /// How far β_k can grow before its cost changes slope, and its value there.
    pub(super) fn room_up(&self, k: usize) -> (f64, f64) {
        let b = self.beta[k];
        let end = if self.kink > 0.0 && b < 0.0 && self.upper[k] > 0.0 { 0.0 } else { self.upper[k] };
        (end - b, end)
    }

    /// How far β_k can decrease before its cost changes slope, and its value there.
    pub(super) fn room_down(&self, k: usize) -> (f64, f64) {
        let b = self.beta[k];
        let end = if self.kink > 0.0 && b > 0.0 && self.lower[k] < 0.0 { 0.0 } else { self.lower[k] };
        (b - end, end)
    }

    /// The cost of the variables without the quadratic part.
    pub(super) fn cost(&self) -> f64 {
        self.beta.iter().zip(&self.linear).map(|(b, l)| b * l + self.kink * b.abs()).sum()
    }

    /// The smallest slope for growing and the largest slope for decreasing, given all products.
    pub(super) fn ends(&self, products: &[f64]) -> (f64, f64) {
        let slopes = products.iter().enumerate().map(|(k, g)| (g + self.rise(k), g + self.fall(k)));
        slopes.fold((f64::INFINITY, f64::NEG_INFINITY), |(rise, fall), (up, down)| {
            (rise.min(up), fall.max(down))
        })
    }

    /// The violation of optimality; 0 or less at the optimum.
    pub(super) fn violation(&self, products: &[f64]) -> f64 {
        let (rise, fall) = self.ends(products);
        fall - rise
    }

    /// The contribution of this bank to the objective, given all products.
    pub(super) fn objective(&self, products: &[f64]) -> f64 {
        0.5 * self.beta.iter().zip(products).map(|(b, g)| b * g).sum::<f64>() + self.cost()
    }

    /// The chosen variables as a separate bank.
    pub(super) fn pick(&self, chosen: &[u32]) -> Bank {
        let pick = |values: &[f64]| chosen.iter().map(|&k| values[k as usize]).collect();
        Bank {
            beta: pick(&self.beta),
            lower: pick(&self.lower),
            upper: pick(&self.upper),
            linear: pick(&self.linear),
            kink: self.kink,
        }
    }

    /// The multiplier of the sum, given all products: the mean slope of the variables strictly inside their bounds, or
    /// the midpoint of the interval that the others allow.
    pub(super) fn offset(&self, products: &[f64]) -> f64 {
        let (mut sum, mut free) = (0.0, 0usize);
        let (mut least, mut most) = (f64::INFINITY, f64::NEG_INFINITY);
        for (k, g) in products.iter().enumerate() {
            let (rise, fall) = (self.rise(k), self.fall(k));
            if rise == fall {
                sum += g + rise;
                free += 1;
            }
            least = least.min(g + rise);
            most = most.max(g + fall);
        }
        if free > 0 {
            return sum / free as f64;
        }
        match (least.is_finite(), most.is_finite()) {
            (true, true) => 0.5 * (least + most),
            (true, false) => least,
            (false, true) => most,
            (false, false) => 0.0,
        }
    }

    /// An upper bound on the possible decrease of the objective for this multiplier of the sum: Σ_k (h_k(β_k) - min_v
    /// h_k(v)) for h_k(v) = (g_k + linear_k - offset)·v + kink·|v|, over v within the bounds.
    pub(super) fn gap(&self, products: &[f64], offset: f64) -> f64 {
        let terms = products.iter().enumerate().map(|(k, g)| {
            let (beta, low, high) = (self.beta[k], self.lower[k], self.upper[k]);
            let slope = g + self.linear[k] - offset;
            let cost = |v: f64| slope * v + self.kink * v.abs();
            let ends = cost(low).min(cost(high));
            let least = if low <= 0.0 && high >= 0.0 { ends.min(0.0) } else { ends };
            (cost(beta) - least).max(0.0)
        });
        terms.sum()
    }

    /// The multiplier that minimises [`gap`](Self::gap). Time O(n log n).
    ///
    /// The gap is convex and piecewise linear in the multiplier: its slope is the sum of the values that minimise each
    /// h_k, minus Σ_k β_k. As the multiplier grows, each of them moves from its lower to its upper bound, with a kink
    /// via 0.
    pub(super) fn best_offset(&self, products: &[f64]) -> f64 {
        let mut slope: f64 = 0.0;
        let mut jumps: Vec<(f64, f64)> = Vec::with_capacity(products.len());
        for (k, g) in products.iter().enumerate() {
            let (low, high, middle) = (self.lower[k], self.upper[k], g + self.linear[k]);
            slope += low - self.beta[k];
            let stop = 0.0f64.clamp(low, high);
            jumps.push((middle - self.kink, stop - low));
            jumps.push((middle + self.kink, high - stop));
        }
        jumps.retain(|jump| jump.1 > 0.0);
        jumps.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        for (place, rise) in &jumps {
            slope += rise;
            if slope >= 0.0 {
                return *place;
            }
        }
        jumps.last().map_or(0.0, |jump| jump.0)
    }
}

/// A number that may have overflowed: JSON has no infinity and stores null.
#[cfg(feature = "serde")]
pub(crate) fn number_or_nan<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    <Option<f64> as serde::Deserialize>::deserialize(from).map(|v| v.unwrap_or(f64::NAN))
}

/// The result of a solver. All numbers are recomputed from the variables and the matrix, and finite.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The variables of each bank.
    pub betas: Vec<Vec<f64>>,
    /// (Kβ)_k for every object, in double precision.
    pub products: Vec<f64>,
    /// The multiplier of each bank's sum, which is the offset of the model.
    pub offsets: Vec<f64>,
    /// The primal objective: an upper bound of the optimum.
    pub primal: f64,
    /// Minus the objective of this problem: a lower bound of the optimum.
    pub dual: f64,
    /// The duality gap, a sum of non-negative terms.
    pub gap: f64,
    /// The largest violation of optimality.
    pub violation: f64,
    /// The number of pairs of variables moved.
    pub iterations: u64,
    /// The number of rows of the matrix computed.
    pub rows_computed: u64,
    /// Why the solver stopped.
    pub stop: Stop,
    /// Whether all variables respect their bounds and sums.
    pub feasible: bool,
}

impl Solution {
    /// A solution with its recomputed values. It counts as converged only if they prove it.
    pub(super) fn new(banks: Vec<Bank>, checked: Checked, end: End, work: Work, tolerance: f64) -> Self {
        let proof = checked.proof(tolerance).map(|proof| match proof.is_close(tolerance) {
            true => Stop::Converged(proof),
            false => Stop::WideGap,
        });
        let stop = match end {
            End::Quiet => proof.unwrap_or(Stop::Stalled),
            // A limit may have been reached between the last step and the proof.
            End::Stopped(stop @ (Stop::Iterations | Stop::Time | Stop::Stalled)) => proof.unwrap_or(stop),
            End::Stopped(stop) => stop,
        };
        Solution {
            betas: banks.into_iter().map(|b| b.beta).collect(),
            products: checked.products,
            offsets: checked.offsets,
            primal: checked.primal,
            dual: checked.dual,
            gap: checked.gap,
            violation: checked.violation,
            iterations: work.iterations,
            rows_computed: work.rows_computed,
            stop,
            feasible: checked.feasible,
        }
    }
}

impl Solution {
    /// Why the solver stopped, for a problem with a different primal objective at the same solution.
    pub(crate) fn with_primal(&self, primal: f64, tolerance: f64) -> Stop {
        let proof = Proof::new(primal, self.dual, 0.0, self.violation, tolerance).filter(|_| self.feasible);
        match proof.and_then(|proof| proof.with_primal(primal)) {
            Some(proof) if proof.is_close(tolerance) => Stop::Converged(proof),
            Some(_) => Stop::WideGap,
            None => Stop::Stalled,
        }
    }

    /// Why the solver stopped, for another tolerance: converged if the values prove it, else `otherwise`.
    pub(crate) fn judged(&self, tolerance: f64, otherwise: Stop) -> Stop {
        // Interruptions and matrices that are not positive semidefinite keep their reason.
        if matches!(self.stop, Stop::Interrupted | Stop::NegativeCurvature { .. }) || !self.feasible {
            return self.stop;
        }
        match Proof::new(self.primal, self.dual, self.gap, self.violation, tolerance) {
            Some(proof) if proof.is_close(tolerance) => Stop::Converged(proof),
            Some(_) => Stop::WideGap,
            None => otherwise,
        }
    }
}

/// How the main loop of a solver ended.
#[derive(Clone, Copy, Debug)]
pub(super) enum End {
    /// It found no violation beyond the tolerance; this remains to be proved.
    Quiet,
    /// For another reason.
    Stopped(Stop),
}

/// The work done by a solver.
#[derive(Clone, Copy, Debug)]
pub(super) struct Work {
    pub(super) iterations: u64,
    pub(super) rows_computed: u64,
}
