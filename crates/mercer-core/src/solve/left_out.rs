//! A problem without one of its objects.

use super::problem::Bank;

impl Bank {
    /// The problem without object k, with a feasible starting point made from a solution with it.
    ///
    /// Both bounds of the object are 0, which is the same as leaving it out. The variable β_k that it had in the
    /// solution goes to those whose objective then decreases most, up to their bounds: the sum stays the same.
    ///
    /// `products` is Kβ of the solution, `column` the column of the object. Time O(n log n).
    pub(crate) fn without(&self, k: usize, products: &[f64], column: &[f64]) -> Bank {
        let mut bank = self.clone();
        let moved = bank.beta[k];
        (bank.beta[k], bank.lower[k], bank.upper[k]) = (0.0, 0.0, 0.0);
        let mut left = moved.abs();
        let grows = moved > 0.0;
        // A variable whose cost has a kink is first moved to the kink, and in a second round beyond it.
        while left > 0.0 {
            let gain = |j: usize| {
                let slope = products[j] - moved * column[j];
                if grows { slope + bank.rise(j) } else { -(slope + bank.fall(j)) }
            };
            let mut order: Vec<(f64, usize)> = (0..bank.beta.len()).map(|j| (gain(j), j)).collect();
            order.retain(|entry| entry.0 < f64::INFINITY);
            order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let before = left;
            for (_, j) in order {
                let (room, end) = if grows { bank.room_up(j) } else { bank.room_down(j) };
                if left < room {
                    bank.beta[j] += if grows { left } else { -left };
                    left = 0.0;
                    break;
                }
                bank.beta[j] = end;
                left -= room;
            }
            // Only if the bounds leave no room, which the sums of a feasible problem exclude.
            if left == before {
                break;
            }
        }
        bank
    }

    /// The multiplier of the sum at these variables: see [`Solution::offsets`](super::Solution::offsets).
    pub(crate) fn multiplier(&self, products: &[f64]) -> f64 {
        self.offset(products)
    }

    /// Whether a variable is strictly inside its bounds and not at the kink.
    pub(crate) fn has_free(&self) -> bool {
        (0..self.beta.len()).any(|k| self.rise(k) == self.fall(k))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_an_object_carried_goes_to_others_within_their_bounds() {
        let bank = Bank {
            beta: vec![0.5, 0.25, -0.75, 0.0],
            lower: vec![0.0, 0.0, -1.0, -1.0],
            upper: vec![1.0, 0.5, 0.0, 0.0],
            linear: vec![-1.0, -1.0, 1.0, 1.0],
            kink: 0.0,
        };
        let without = bank.without(0, &[0.0; 4], &[0.0; 4]);
        // The second variable has the smallest slope but room for 0.25 only, the third takes the rest.
        assert_eq!(without.beta, [0.0, 0.5, -0.5, 0.0]);
        assert_eq!((without.lower[0], without.upper[0]), (0.0, 0.0));
        let without = bank.without(2, &[0.0; 4], &[0.0; 4]);
        assert_eq!(without.beta, [0.5, 0.25, 0.0, -0.75]);
        // With a kink, a variable stops at 0 before others cross it.
        let bank = Bank {
            beta: vec![0.5, -0.25, -0.25],
            lower: vec![-1.0; 3],
            upper: vec![1.0; 3],
            linear: vec![0.0, -5.0, -1.0],
            kink: 0.5,
        };
        assert_eq!(bank.without(0, &[0.0; 3], &[0.0; 3]).beta, [0.0; 3]);
    }
}
