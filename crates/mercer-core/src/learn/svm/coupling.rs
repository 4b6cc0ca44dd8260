//! Multi-class probabilities from pairwise probabilities.

use crate::data::Dense;

/// Pairwise probabilities are clipped to at least this distance from 0 and 1.
const NEAREST: f64 = 1e-7;

/// The probabilities p of k classes that agree best with r, where r_ij estimates p_i / (p_i + p_j).
///
/// Minimises Σ_i Σ_{j≠i} (r_ji·p_i - r_ij·p_j)² with Σ p = 1. With Q_ii = Σ_{j≠i} r_ji² and Q_ij = -r_ji·r_ij the
/// minimum has Q·p = λ·1, so p is the solution of (Q + 1·1ᵀ)·x = 1 divided by its sum. That matrix is positive definite
/// even if the pairs agree perfectly and Q is singular. Costs k³/6 multiplications, by Cholesky; all p are at least 0.
///
/// Reference: Wu, Lin & Weng 2004, second method.
pub(super) fn couple(r: &Dense, out: &mut [f64]) {
    let k = out.len();
    let r = |i: usize, j: usize| r.at(i, j).clamp(NEAREST, 1.0 - NEAREST);
    let mut q = Dense::zeros(k, k);
    for i in 0..k {
        for j in 0..i {
            q.row_mut(i)[j] = 1.0 - r(j, i) * r(i, j);
        }
        q.row_mut(i)[i] = 1.0 + (0..k).filter(|&j| j != i).map(|j| r(j, i).powi(2)).sum::<f64>();
    }
    out.fill(1.0);
    solve(&mut q, out);
    out.iter_mut().for_each(|p| *p = p.max(0.0));
    let sum: f64 = out.iter().sum();
    out.iter_mut().for_each(|p| *p /= sum);
}

/// Solves A·x = b in place for a positive definite matrix given by its lower triangle, which is overwritten by its
/// factor.
fn solve(a: &mut Dense, x: &mut [f64]) {
    let k = x.len();
    for i in 0..k {
        for j in 0..=i {
            let dot: f64 = (0..j).map(|m| a.at(i, m) * a.at(j, m)).sum();
            let rest = a.at(i, j) - dot;
            a.row_mut(i)[j] = if i == j { rest.max(f64::MIN_POSITIVE).sqrt() } else { rest / a.at(j, j) };
        }
        let dot: f64 = (0..i).map(|m| a.at(i, m) * x[m]).sum();
        x[i] = (x[i] - dot) / a.at(i, i);
    }
    for i in (0..k).rev() {
        let dot: f64 = (i + 1..k).map(|m| a.at(m, i) * x[m]).sum();
        x[i] = (x[i] - dot) / a.at(i, i);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn coupled(r: &Dense) -> Vec<f64> {
        let mut out = vec![0.0; r.rows()];
        couple(r, &mut out);
        out
    }

    /// Pairwise probabilities from those above the diagonal.
    fn pairs(k: usize, above: &[f64]) -> Dense {
        let mut r = Dense::zeros(k, k);
        let mut values = above.iter();
        for i in 0..k {
            for j in i + 1..k {
                let v = *values.next().unwrap();
                r.row_mut(i)[j] = v;
                r.row_mut(j)[i] = 1.0 - v;
            }
        }
        r
    }

    /// The system of the paper, [Q 1; 1ᵀ 0]·[p; λ] = [0; 1], by elimination with pivoting.
    fn by_definition(r: &Dense) -> Vec<f64> {
        let k = r.rows();
        let q = |i: usize, j: usize| {
            let own = || (0..k).filter(|&s| s != i).map(|s| r.at(s, i) * r.at(s, i)).sum();
            if i == j { own() } else { -r.at(j, i) * r.at(i, j) }
        };
        let row = |i: usize| (0..k).map(|j| q(i, j)).chain([1.0, 0.0]).collect();
        let mut m: Vec<Vec<f64>> = (0..k).map(row).collect();
        m.push(std::iter::repeat_n(1.0, k).chain([0.0, 1.0]).collect());
        for c in 0..=k {
            let pivot = (c..=k).max_by(|&x, &y| m[x][c].abs().total_cmp(&m[y][c].abs())).unwrap();
            m.swap(c, pivot);
            let top = m[c].clone();
            for (_, row) in m.iter_mut().enumerate().filter(|(i, _)| *i != c) {
                let factor = row[c] / top[c];
                row.iter_mut().zip(&top).for_each(|(v, t)| *v -= factor * t);
            }
        }
        (0..k).map(|i| m[i][k + 1] / m[i][i]).collect()
    }

    #[test]
    fn two_classes_equal_their_pair() {
        for p in [0.5, 0.2, 0.999] {
            let found = coupled(&pairs(2, &[p]));
            assert!((found[0] - p).abs() < 1e-14 && (found[1] - 1.0 + p).abs() < 1e-14);
        }
    }

    #[test]
    fn consistent_pairs_recover_the_classes() {
        let p: [f64; 4] = [0.1, 0.4, 0.2, 0.3];
        let above: Vec<f64> = (0..4).flat_map(|i| (i + 1..4).map(move |j| p[i] / (p[i] + p[j]))).collect();
        for (found, p) in coupled(&pairs(4, &above)).iter().zip(p) {
            assert!((found - p).abs() < 1e-14);
        }
    }

    #[test]
    fn certain_pairs_are_finite() {
        // One class beats all others; and three classes beat each other cyclically.
        let winner = coupled(&pairs(3, &[1.0, 1.0, 0.5]));
        assert!(winner[0] > 1.0 - 1e-6 && winner.iter().all(|p| (0.0..=1.0).contains(p)), "{winner:?}");
        for p in coupled(&pairs(3, &[1.0, 0.0, 1.0])) {
            assert!((p - 1.0 / 3.0).abs() < 1e-12);
        }
    }

    proptest! {
        #[test]
        fn agrees_with_the_linear_system(k in 2usize..5, above in prop::collection::vec(0.001f64..0.999, 6)) {
            let r = pairs(k, &above);
            let found = coupled(&r);
            prop_assert!((found.iter().sum::<f64>() - 1.0).abs() < 1e-14);
            for (found, expected) in found.iter().zip(by_definition(&r)) {
                prop_assert!((found - expected).abs() < 1e-10, "{found} vs. {expected}");
            }
        }
    }
}
