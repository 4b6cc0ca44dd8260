//! Games of any form: all sets of players, or random orders of them.

use crate::random::Random;

/// The Shapley values of a game whose value is known for every set of players: `values[s]` is that of the players whose bit
/// is set in s, for `players` ≤ 24; no values for more players or another number of sets.
///
/// φ_j = Σ over S without j of |S|!·(d - |S| - 1)!/d! · (v(S ∪ j) - v(S)); it takes d·2^d operations.
///
/// ```
/// use mercer_core::numeric::shapley::of_all_coalitions;
/// // Only both players together are worth anything.
/// assert_eq!(of_all_coalitions(&[0.0, 0.0, 0.0, 1.0], 2), [0.5, 0.5]);
/// ```
pub fn of_all_coalitions(values: &[f64], players: usize) -> Vec<f64> {
    if players > 24 || values.len() != 1 << players {
        return Vec::new();
    }
    // The weights |S|!·(d - |S| - 1)!/d! by the size of S: 1/d, then each from the one before.
    let mut weights = vec![1.0 / players.max(1) as f64; players];
    for size in 1..players {
        weights[size] = weights[size - 1] * size as f64 / (players - size) as f64;
    }
    let of = |j: usize| {
        let without = (0..values.len()).filter(|set| set >> j & 1 == 0);
        without.map(|set| weights[set.count_ones() as usize] * (values[set | 1 << j] - values[set])).sum()
    };
    (0..players).map(of).collect()
}

/// Random orders of players, each followed by its reverse.
///
/// The mean contribution over orders is an unbiased estimate of Shapley values that sums to v(everyone) - v(nobody)
/// exactly. An order and its reverse have contributions with opposite errors, so pairs of them need fewer orders
/// (R. Mitchell, J. Cooper, E. Frank and G. Holmes, *Sampling permutations for Shapley value estimation*, JMLR 2022).
///
/// ```
/// use mercer_core::numeric::shapley::Orders;
/// let orders: Vec<Vec<usize>> = Orders::new(3, 7).take(2).collect();
/// assert_eq!(orders[0], orders[1].iter().rev().copied().collect::<Vec<_>>());
/// ```
#[derive(Clone, Debug)]
pub struct Orders {
    random: Random,
    last: Vec<usize>,
    reversed: bool,
}

impl Orders {
    /// Orders of this many players, by a seed.
    pub fn new(players: usize, seed: u64) -> Self {
        Orders { random: Random::new(seed), last: (0..players).collect(), reversed: true }
    }
}

impl Iterator for Orders {
    type Item = Vec<usize>;

    fn next(&mut self) -> Option<Vec<usize>> {
        self.reversed = !self.reversed;
        match self.reversed {
            true => self.last.reverse(),
            false => self.random.shuffle(&mut self.last),
        }
        Some(self.last.clone())
    }
}
