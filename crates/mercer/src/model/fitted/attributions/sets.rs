//! The sets of players on which a model is evaluated for Shapley values: all of them, or those along random orders.

use super::{AttributionMethod, AttributionOptions};
use crate::data::Dense;
use crate::numeric::shapley::{Orders, of_all_coalitions};

/// Sets of players, and how values follow from what they are worth.
pub(super) struct Sets {
    pub(super) all: Vec<Vec<bool>>,
    /// The orders that were drawn; none if `all` are all sets.
    orders: Vec<Vec<usize>>,
    players: usize,
}

impl Sets {
    /// All sets of up to `most` players, else those along random orders, which are the same for every object of a seed, so
    /// that objects can be compared.
    pub(super) fn of(players: usize, most: usize, options: &AttributionOptions) -> Sets {
        if players <= most.min(20) {
            let set = |s: usize| (0..players).map(|j| s >> j & 1 == 1).collect();
            return Sets { all: (0..1usize << players).map(set).collect(), orders: Vec::new(), players };
        }
        let pairs = options.orders.max(2);
        let orders: Vec<Vec<usize>> = Orders::new(players, options.seed).take(2 * pairs).collect();
        let mut all = vec![vec![false; players], vec![true; players]];
        for order in &orders {
            let mut set = vec![false; players];
            for &j in order.iter().take(players.saturating_sub(1)) {
                set[j] = true;
                all.push(set.clone());
            }
        }
        Sets { all, orders, players }
    }

    pub(super) fn method(&self) -> AttributionMethod {
        match self.orders.len() {
            0 => AttributionMethod::Enumerated,
            drawn => AttributionMethod::Sampled { orders: drawn / 2 },
        }
    }

    /// The value of each player in one output, from the worth of each set (a row each); and the standard errors of values
    /// that are estimated.
    pub(super) fn values(&self, worth: &Dense, output: usize) -> (Vec<f64>, Option<Vec<f64>>) {
        let d = self.players;
        if self.orders.is_empty() {
            let all: Vec<f64> = (0..self.all.len()).map(|s| worth.at(s, output)).collect();
            return (of_all_coalitions(&all, d), None);
        }
        let (mut sum, mut squares, mut pair) = (vec![0.0; d], vec![0.0; d], vec![0.0; d]);
        let mut next = 2;
        for (k, order) in self.orders.iter().enumerate() {
            let mut before = worth.at(0, output);
            for (at, &j) in order.iter().enumerate() {
                let after = worth.at(if at + 1 == d { 1 } else { next + at }, output);
                pair[j] += 0.5 * (after - before);
                before = after;
            }
            next += d.saturating_sub(1);
            if k % 2 == 1 {
                for (j, value) in pair.iter_mut().enumerate() {
                    sum[j] += *value;
                    squares[j] += *value * *value;
                    *value = 0.0;
                }
            }
        }
        let n = self.orders.len() as f64 / 2.0;
        let error = |j: usize| {
            let mean = sum[j] / n;
            ((squares[j] / n - mean * mean).max(0.0) / (n - 1.0)).sqrt()
        };
        let errors = (0..d).map(error).collect();
        (sum.iter().map(|s| s / n).collect(), Some(errors))
    }
}
