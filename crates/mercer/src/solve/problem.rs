//! The quadratic problems behind support vector machines, in one form.
//!
//! minimise ½ βᵀKβ + Σ_k (linear_k·β_k + kink·|β_k|)  with  lower_k ≤ β_k ≤ upper_k  and  Σ_k β_k fixed.
//!
//! With β_k = y_k·α_k this is the dual of C-SVC (linear = -y, kink = 0), of ε-SVR (linear = -y, kink = ε) and of the
//! one-class machine (linear = 0). The ν machines have two sums to keep, one for each sign; they are two [`Bank`]s over
//! the same objects, β being their sum.

use crate::error::{Error, Result};

/// One set of variables, one per object, whose sum stays what it is.
#[derive(Clone, Debug)]
pub struct Bank {
    /// The variables; the starting point must be feasible.
    pub beta: Vec<f64>,
    /// The least value of each.
    pub lower: Vec<f64>,
    /// The greatest value of each.
    pub upper: Vec<f64>,
    /// The linear cost of each.
    pub linear: Vec<f64>,
    /// The cost of |β|.
    pub kink: f64,
}

impl Bank {
    /// Checks lengths, bounds and the starting point.
    pub(super) fn check(&self, n: usize) -> Result<()> {
        if [&self.beta, &self.lower, &self.upper, &self.linear].iter().any(|v| v.len() != n) {
            return Err(Error::usage(format!("variables of another number than the {n} objects")));
        }
        if !(self.kink.is_finite() && self.kink >= 0.0) {
            return Err(Error::param("kink", self.kink, "finite and at least 0"));
        }
        let bad = (0..n).find(|&k| {
            let (b, l, u) = (self.beta[k], self.lower[k], self.upper[k]);
            // A comparison with NaN is false, so NaN is found too.
            !(l <= b && b <= u && l.is_finite() && u.is_finite() && self.linear[k].is_finite())
        });
        match bad {
            Some(index) => {
                Err(Error::Object { index, reason: "starts outside its bounds".into(), hint: None })
            }
            None => Ok(()),
        }
    }

    /// How much the cost changes per unit when β_k grows, beyond (Kβ)_k; infinite when it cannot grow.
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

    /// The same when β_k falls; minus infinity when it cannot fall.
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

    /// How far β_k can grow before its cost changes slope, and where it is then.
    pub(super) fn room_up(&self, k: usize) -> (f64, f64) {
        let b = self.beta[k];
        let end = if self.kink > 0.0 && b < 0.0 && self.upper[k] > 0.0 { 0.0 } else { self.upper[k] };
        (end - b, end)
    }

    /// How far β_k can fall before its cost changes slope, and where it is then.
    pub(super) fn room_down(&self, k: usize) -> (f64, f64) {
        let b = self.beta[k];
        let end = if self.kink > 0.0 && b > 0.0 && self.lower[k] < 0.0 { 0.0 } else { self.lower[k] };
        (b - end, end)
    }

    /// The cost of the variables beyond the quadratic part.
    pub(super) fn cost(&self) -> f64 {
        self.beta.iter().zip(&self.linear).map(|(b, l)| b * l + self.kink * b.abs()).sum()
    }

    /// The least slope of growing and the greatest slope of falling, given all products.
    pub(super) fn ends(&self, products: &[f64]) -> (f64, f64) {
        let slopes = products.iter().enumerate().map(|(k, g)| (g + self.rise(k), g + self.fall(k)));
        slopes.fold((f64::INFINITY, f64::NEG_INFINITY), |(rise, fall), (up, down)| {
            (rise.min(up), fall.max(down))
        })
    }

    /// How far the variables are from optimal: 0 or less when they are.
    pub(super) fn violation(&self, products: &[f64]) -> f64 {
        let (rise, fall) = self.ends(products);
        fall - rise
    }

    /// This bank's part of the objective, given all products.
    pub(super) fn objective(&self, products: &[f64]) -> f64 {
        0.5 * self.beta.iter().zip(products).map(|(b, g)| b * g).sum::<f64>() + self.cost()
    }

    /// Some of the variables, as a bank of their own.
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

    /// The multiplier of the sum, given all products: the mean slope of the variables inside their bounds, or the middle
    /// of what the others allow.
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
}

/// Why a solver stopped.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stop {
    /// The largest violation of optimality is within the tolerance.
    Converged,
    /// The iterations allowed were used up.
    Iterations,
    /// The time allowed was used up.
    Time,
    /// The user interrupted.
    Interrupted,
    /// The violation is larger than the tolerance, but rounding does not let it get any smaller, or so slowly that another
    /// method is better.
    Stalled,
    /// The matrix is not positive semidefinite on these two objects, from 0.
    NegativeCurvature {
        /// One object.
        first: usize,
        /// The other.
        second: usize,
        /// K_ii + K_jj - 2 K_ij, which should not be negative.
        curvature: f64,
    },
}

impl Stop {
    /// The reason in a word or two.
    pub fn name(self) -> &'static str {
        match self {
            Stop::Converged => "converged",
            Stop::Iterations => "iterations",
            Stop::Time => "time",
            Stop::Interrupted => "interrupted",
            Stop::Stalled => "stalled",
            Stop::NegativeCurvature { .. } => "negative curvature",
        }
    }
}

/// A number that may have been too large to be written: JSON has no word for infinity, and says null.
pub(crate) fn number_or_nan<'de, D: serde::Deserializer<'de>>(from: D) -> Result<f64, D::Error> {
    <Option<f64> as serde::Deserialize>::deserialize(from).map(|v| v.unwrap_or(f64::NAN))
}

/// The outcome of a solver.
#[derive(Clone, Debug)]
pub struct Solution {
    /// The variables of each bank.
    pub betas: Vec<Vec<f64>>,
    /// (Kβ)_k for every object, in double precision.
    pub products: Vec<f64>,
    /// The multiplier of each bank's sum: the offset of the machine.
    pub offsets: Vec<f64>,
    /// The objective.
    pub objective: f64,
    /// The largest violation of optimality, checked in double precision.
    pub violation: f64,
    /// Pairs of variables moved.
    pub iterations: u64,
    /// Rows of the matrix computed.
    pub rows_computed: u64,
    /// Why the solver stopped.
    pub stop: Stop,
}
