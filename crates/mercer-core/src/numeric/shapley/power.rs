//! Games whose value is a power of a sum.

use super::quadrature::gauss_legendre;

/// The largest exponent of [`add_powers`].
pub const MOST_DEGREE: usize = 16;

/// Adds the Shapley values of many powers at once: game g has the value (c + Σ_j a_j)^n, where a_j is `inside[j][g]` for j
/// in S and `outside[j][g]` otherwise; the value of player j in it is added to `out[j·m + g]` for m games.
///
/// A power of a sum is n! times the coefficient of u^n in e^(u·c)·Π_j e^(u·a_j), so it is the coefficient of a product,
/// whose Shapley values are those of [`add_products`](super::add_products) with power series in u in place of numbers,
/// cut off after u^n. The coefficient of u^k in (1 - t)·e^(u·q) + t·e^(u·p) is linear in t and 1 at k = 0: the integrand
/// has the degree min(n, d) - 1 for d players, and ⌈min(n, d)/2⌉ nodes are exact.
///
/// It takes about 3·d·n² operations per game and node. An exponent above [`MOST_DEGREE`] adds nothing: callers refuse it.
pub fn add_powers(inside: &[&[f64]], outside: &[&[f64]], constant: f64, degree: usize, out: &mut [f64]) {
    let (players, games) = (inside.len(), inside.first().map_or(0, |row| row.len()));
    if degree > MOST_DEGREE || degree == 0 || games == 0 {
        return;
    }
    let nodes = gauss_legendre(degree.min(players).div_ceil(2));
    let factorial: f64 = (1..=degree).map(|k| k as f64).product();
    let mut series = vec![[[0.0; MOST_DEGREE + 1]; 2]; players];
    let mut before = vec![[0.0; MOST_DEGREE + 1]; players];
    let mut start = [0.0; MOST_DEGREE + 1];
    exponential(constant, degree, &mut start);
    for game in 0..games {
        for (own, (p, q)) in series.iter_mut().zip(inside.iter().zip(outside)) {
            exponential(p[game], degree, &mut own[0]);
            exponential(q[game], degree, &mut own[1]);
        }
        for &(t, weight) in &nodes {
            let mut product = start;
            for (before, own) in before.iter_mut().zip(&series) {
                *before = product;
                product = times(&product, &mixed(own, t, degree), degree);
            }
            let mut after = [0.0; MOST_DEGREE + 1];
            after[0] = weight * factorial;
            for (j, own) in series.iter().enumerate().rev() {
                let others = times(&before[j], &after, degree);
                // The series of the change starts at u^1.
                let value = (1..=degree).map(|k| (own[0][k] - own[1][k]) * others[degree - k]).sum::<f64>();
                out[j * games + game] += value;
                after = times(&after, &mixed(own, t, degree), degree);
            }
        }
    }
}

type Series = [f64; MOST_DEGREE + 1];

/// The series of e^(u·a).
fn exponential(a: f64, degree: usize, out: &mut Series) {
    out[0] = 1.0;
    for k in 1..=degree {
        out[k] = out[k - 1] * a / k as f64;
    }
}

/// The factor of a player who is inside with probability t.
fn mixed(own: &[Series; 2], t: f64, degree: usize) -> Series {
    let mut out = [0.0; MOST_DEGREE + 1];
    for k in 0..=degree {
        out[k] = t * own[0][k] + (1.0 - t) * own[1][k];
    }
    out
}

fn times(a: &Series, b: &Series, degree: usize) -> Series {
    let mut out = [0.0; MOST_DEGREE + 1];
    for k in 0..=degree {
        out[k] = (0..=k).map(|i| a[i] * b[k - i]).sum();
    }
    out
}
