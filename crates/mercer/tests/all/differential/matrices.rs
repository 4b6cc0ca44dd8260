//! Small matrices, by textbook methods.

pub(super) type Matrix = Vec<Vec<f64>>;

pub(super) fn matrix(n: usize, m: usize, entry: impl Fn(usize, usize) -> f64) -> Matrix {
    (0..n).map(|i| (0..m).map(|j| entry(i, j)).collect()).collect()
}

pub(super) fn unit(n: usize) -> Matrix {
    matrix(n, n, |i, j| f64::from(u8::from(i == j)))
}

pub(super) fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let width = b.first().map_or(0, Vec::len);
    let mut out = vec![vec![0.0; width]; a.len()];
    for (row, own) in out.iter_mut().zip(a) {
        for (v, other) in own.iter().zip(b) {
            if *v != 0.0 {
                row.iter_mut().zip(other).for_each(|(r, o)| *r += v * o);
            }
        }
    }
    out
}

/// A·v.
pub(super) fn apply(a: &Matrix, v: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(v).map(|(x, y)| x * y).sum()).collect()
}

pub(super) fn power(a: &Matrix, p: usize) -> Matrix {
    (0..p).fold(unit(a.len()), |all, _| times(&all, a))
}

/// x·a + y·b.
pub(super) fn joined(x: f64, a: &Matrix, y: f64, b: &Matrix) -> Matrix {
    matrix(a.len(), a.first().map_or(0, Vec::len), |i, j| x * a[i][j] + y * b[i][j])
}

/// The largest row sum of absolute values: a bound on all eigenvalues.
pub(super) fn norm(a: &Matrix) -> f64 {
    a.iter().map(|row| row.iter().map(|v| v.abs()).sum()).fold(0.0, f64::max)
}

/// The inverse by elimination, the largest pivot of a column first.
pub(super) fn inverse(a: &Matrix) -> Matrix {
    let n = a.len();
    let (mut a, mut out) = (a.clone(), unit(n));
    for c in 0..n {
        let pivot = (c..n).max_by(|x, y| a[*x][c].abs().total_cmp(&a[*y][c].abs())).unwrap();
        a.swap(c, pivot);
        out.swap(c, pivot);
        let scale = 1.0 / a[c][c];
        a[c].iter_mut().chain(out[c].iter_mut()).for_each(|v| *v *= scale);
        for r in 0..n {
            let factor = a[r][c];
            if r != c && factor != 0.0 {
                for k in 0..n {
                    a[r][k] -= factor * a[c][k];
                    out[r][k] -= factor * out[c][k];
                }
            }
        }
    }
    out
}

/// exp(A) by scaling and squaring, with the power series.
pub(super) fn exponential(a: &Matrix) -> Matrix {
    let halvings = norm(a).log2().ceil().max(0.0) as i32 + 3;
    let small = joined(0.5f64.powi(halvings), a, 0.0, a);
    let (mut sum, mut term) = (unit(a.len()), unit(a.len()));
    for k in 1..20 {
        term = joined(1.0 / f64::from(k), &times(&term, &small), 0.0, a);
        sum = joined(1.0, &sum, 1.0, &term);
    }
    (0..halvings).fold(sum, |e, _| times(&e, &e))
}

/// Eigenvalues and eigenvectors (as columns) of a symmetric matrix, by Jacobi's rotations.
pub(super) fn eigen(a: &Matrix) -> (Vec<f64>, Matrix) {
    let n = a.len();
    let (mut a, mut u) = (a.clone(), unit(n));
    for _ in 0..100 {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[i][j]).sum();
        let all: f64 = a.iter().flatten().map(|v| v * v).sum();
        if off <= 1e-34 * all {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = if theta < 0.0 { -1.0 } else { 1.0 } / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in a.iter_mut().chain(u.iter_mut()) {
                    (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                }
                let (upper, lower) = a.split_at_mut(q);
                for (x, y) in upper[p].iter_mut().zip(&mut lower[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
            }
        }
    }
    ((0..n).map(|i| a[i][i]).collect(), u)
}

/// U·f(Λ)·Uᵀ of a symmetric matrix.
pub(super) fn of_spectrum(values: &[f64], u: &Matrix, f: impl Fn(f64) -> f64) -> Matrix {
    let mapped: Vec<f64> = values.iter().map(|v| f(*v)).collect();
    let n = values.len();
    matrix(n, n, |i, j| (0..n).map(|k| u[i][k] * mapped[k] * u[j][k]).sum())
}

#[test]
fn methods_agree_with_each_other() {
    let a = vec![vec![2.0, -1.0, 0.5], vec![-1.0, 3.0, 0.25], vec![0.5, 0.25, -1.5]];
    let (values, u) = eigen(&a);
    let near = |x: &Matrix, y: &Matrix| norm(&joined(1.0, x, -1.0, y)) < 1e-12 * (1.0 + norm(y));
    assert!(near(&of_spectrum(&values, &u, |v| v), &a));
    assert!(near(&of_spectrum(&values, &u, f64::exp), &exponential(&a)));
    assert!(near(&of_spectrum(&values, &u, f64::recip), &inverse(&a)));
    assert!(near(&times(&a, &inverse(&a)), &unit(3)));
    assert!(near(&of_spectrum(&values, &u, |v| v.powi(3)), &power(&a, 3)));
    assert_eq!(apply(&a, &[1.0, 0.0, 2.0]), [3.0, -0.5, -2.5]);
}
