//! A Cholesky factor to which single rows can be added and removed.

use crate::numeric::math::{dot, vectorised};

/// A pivot below this fraction of its diagonal entry counts as zero and is replaced by it: the row is (nearly) a linear
/// combination of those before it.
const SINGULAR: f64 = 1e-11;

/// The lower factor L of a positive semidefinite matrix, H + D = LLᵀ, where D is a tiny ridge on linearly dependent
/// rows and zero elsewhere.
///
/// A row is added by one triangular solve and removed by rotations, each in O(m²).
#[derive(Clone, Debug, Default)]
pub(super) struct Factor {
    /// Row r has r + 1 entries.
    rows: Vec<Vec<f64>>,
    /// Which rows have a ridge.
    ridged: Vec<bool>,
}

impl Factor {
    /// Adds a row: its entries with the existing rows, and its diagonal entry.
    pub(super) fn push(&mut self, entries: &[f64], own: f64) {
        let mut row = entries.to_vec();
        self.forward(&mut row);
        let pivot = own - dot(&row, &row);
        let least = SINGULAR * own.abs().max(f64::MIN_POSITIVE / SINGULAR);
        let ridged = pivot <= least || pivot.is_nan();
        row.push(if ridged { least.sqrt() } else { pivot.sqrt() });
        self.rows.push(row);
        self.ridged.push(ridged);
    }

    /// Removes a row and its column.
    pub(super) fn remove(&mut self, at: usize) {
        self.rows.remove(at);
        self.ridged.remove(at);
        for j in at..self.rows.len() {
            // Row j now extends one column right of the diagonal: a rotation of columns j and j + 1 restores it.
            let (a, b) = (self.rows[j][j], self.rows[j][j + 1]);
            let length = a.hypot(b);
            let (cos, sin) = if length > 0.0 { (a / length, b / length) } else { (1.0, 0.0) };
            for row in &mut self.rows[j..] {
                let (x, y) = (row[j], row[j + 1]);
                row[j] = cos * x + sin * y;
                row[j + 1] = cos * y - sin * x;
            }
            self.rows[j].truncate(j + 1);
        }
    }

    /// The number of rows with a ridge.
    pub(super) fn dependents(&self) -> usize {
        self.ridged.iter().filter(|&&r| r).count()
    }

    /// Whether the last row has a ridge.
    pub(super) fn ends_dependent(&self) -> bool {
        self.ridged.last().is_some_and(|&r| r)
    }

    /// The first row with a ridge, if any; it may be independent once others are removed.
    pub(super) fn dependent(&self) -> Option<usize> {
        self.ridged.iter().position(|&r| r)
    }

    /// Solves Lx = b in place.
    pub(super) fn forward(&self, b: &mut [f64]) {
        for (r, row) in self.rows.iter().enumerate() {
            let (known, rest) = b.split_at_mut(r);
            if let (Some(x), Some((pivot, row))) = (rest.first_mut(), row.split_last()) {
                *x = (*x - dot(row, known)) / pivot;
            }
        }
    }

    /// Solves Lᵀx = b in place.
    pub(super) fn backward(&self, b: &mut [f64]) {
        for (r, row) in self.rows.iter().enumerate().rev() {
            let x = b[r] / row[r];
            b[r] = x;
            vectorised(
                #[inline(always)]
                || b[..r].iter_mut().zip(row).for_each(|(v, l)| *v -= l * x),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dense;
    use proptest::prelude::*;

    fn linear(x: &Dense) -> Dense {
        let dot = |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum();
        let n = x.rows();
        Dense::new(n, n, (0..n * n).map(|at| dot(at / n, at % n)).collect()).unwrap()
    }

    fn factor(k: &Dense, of: &[usize]) -> Factor {
        let mut factor = Factor::default();
        for (m, &i) in of.iter().enumerate() {
            let entries: Vec<f64> = of[..m].iter().map(|&j| k.at(i, j)).collect();
            factor.push(&entries, k.at(i, i));
        }
        factor
    }

    proptest! {
        #[test]
        fn removing_equals_never_having_added(values in prop::collection::vec(-3.0..3.0f64, 3..36), pick in 0usize..12) {
            let n = values.len() / 3;
            let mut k = linear(&Dense::new(n, 3, values[..3 * n].to_vec()).unwrap());
            (0..k.rows()).for_each(|i| k.row_mut(i)[i] += 0.5);
            let mut kept: Vec<usize> = (0..k.rows()).collect();
            let mut shrunk = factor(&k, &kept);
            let at = pick % kept.len();
            kept.remove(at);
            shrunk.remove(at);
            let b: Vec<f64> = kept.iter().map(|&i| 1.0 + i as f64).collect();
            let solve = |f: &Factor| {
                let mut b = b.clone();
                f.forward(&mut b);
                f.backward(&mut b);
                b
            };
            let (one, other) = (solve(&shrunk), solve(&factor(&k, &kept)));
            for (i, &row) in kept.iter().enumerate() {
                prop_assert!((one[i] - other[i]).abs() < 1e-9 * (1.0 + other[i].abs()));
                let sum: f64 = kept.iter().zip(&one).map(|(&j, v)| k.at(row, j) * v).sum();
                prop_assert!((sum - b[i]).abs() < 1e-9 * (1.0 + b[i].abs()));
            }
        }
    }

    #[test]
    fn dependent_rows_are_detected() {
        let k = linear(&Dense::from_rows(&[[1.0, 2.0], [2.0, 4.0], [0.0, 0.0]]));
        let mut factor = factor(&k, &[0, 1, 2]);
        assert_eq!(factor.dependent(), Some(1));
        factor.remove(1);
        assert_eq!(factor.dependent(), Some(1));
        factor.remove(1);
        assert_eq!((factor.dependent(), factor.rows.len()), (None, 1));
    }
}
