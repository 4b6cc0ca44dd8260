//! Games whose value is a product of one factor for each player.

use pulp::{Arch, Simd, WithSimd};

use super::quadrature::gauss_legendre;

/// Nodes of the quadrature that are processed together, so that multiplications do not wait for each other.
const TOGETHER: usize = 4;

/// Adds the Shapley values of many products at once: game g has the value Π_j (`inside[j][g]` for j in S, else
/// `outside[j][g]`), and the value of player j in it is added to `out[j·n + g]` for n games.
///
/// With p_j inside and q_j outside, the value of player j is
///
/// φ_j = ∫₀¹ (p_j - q_j) Π_{l ≠ j} (q_l + t·(p_l - q_l)) dt,
///
/// the mean of its contributions when every other player comes before it with probability t (Owen 1972). The integrand
/// is a polynomial of degree d - 1 for d players, so Gauss–Legendre quadrature with ⌈d/2⌉ nodes is exact. Products of
/// the other factors are made of those before and those after: nothing is divided, zeros are allowed, and where all
/// factors are positive no digits are lost, because nothing is subtracted besides p_j - q_j.
///
/// It takes 5·d·⌈d/2⌉ operations per game, on as many games at once as a register holds.
pub fn add_products(inside: &[&[f64]], outside: &[&[f64]], out: &mut [f64]) {
    let nodes = gauss_legendre(inside.len().div_ceil(2));
    Arch::new().dispatch(Products { inside, outside, nodes: &nodes, out });
}

struct Products<'a> {
    inside: &'a [&'a [f64]],
    outside: &'a [&'a [f64]],
    nodes: &'a [(f64, f64)],
    out: &'a mut [f64],
}

impl WithSimd for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Products { inside, outside, nodes, out } = self;
        let (players, lanes) = (inside.len(), S::F64_LANES);
        let games = inside.first().map_or(0, |row| row.len());
        let mut factors = vec![0.0; players * 2 * lanes];
        let mut before = vec![0.0; players * TOGETHER * lanes];
        let mut sums = vec![0.0; players * lanes];
        for from in (0..games).step_by(lanes) {
            let count = lanes.min(games - from);
            let rows = inside.iter().zip(outside);
            for (own, (p, q)) in factors.chunks_exact_mut(2 * lanes).zip(rows) {
                let (start, change) = own.split_at_mut(lanes);
                start[..count].copy_from_slice(&q[from..from + count]);
                for g in 0..count {
                    change[g] = p[from + g] - q[from + g];
                }
            }
            sums.fill(0.0);
            let mut group = nodes.chunks_exact(TOGETHER);
            for some in &mut group {
                pass::<S, TOGETHER>(simd, some, &factors, &mut before, &mut sums);
            }
            match group.remainder() {
                [] => {}
                [one] => pass::<S, 1>(simd, &[*one], &factors, &mut before, &mut sums),
                [a, b] => pass::<S, 2>(simd, &[*a, *b], &factors, &mut before, &mut sums),
                rest => pass::<S, 3>(simd, rest, &factors, &mut before, &mut sums),
            }
            let values = sums.chunks_exact(lanes).zip(factors.chunks_exact(2 * lanes));
            for (row, (sum, own)) in out.chunks_exact_mut(games).zip(values) {
                let row = row[from..from + count].iter_mut();
                row.zip(sum.iter().zip(&own[lanes..])).for_each(|(o, (s, change))| *o += s * change);
            }
        }
    }
}

/// Adds weight · Π_{l ≠ j} f_l(t) of N nodes to the sum of each player j.
#[inline(always)]
fn pass<S: Simd, const N: usize>(
    simd: S,
    nodes: &[(f64, f64)],
    factors: &[f64],
    before: &mut [f64],
    sums: &mut [f64],
) {
    let (factors, _) = S::as_simd_f64s(factors);
    let (before, _) = S::as_mut_simd_f64s(before);
    let (sums, _) = S::as_mut_simd_f64s(sums);
    let mut at = [simd.splat_f64s(0.0); N];
    let mut after = at;
    for (k, (t, weight)) in nodes.iter().enumerate().take(N) {
        (at[k], after[k]) = (simd.splat_f64s(*t), simd.splat_f64s(*weight));
    }
    let mut product = [simd.splat_f64s(1.0); N];
    for (own, before) in factors.chunks_exact(2).zip(before.chunks_exact_mut(N)) {
        before.copy_from_slice(&product);
        for k in 0..N {
            let factor = simd.mul_add_e_f64s(at[k], own[1], own[0]);
            product[k] = simd.mul_f64s(product[k], factor);
        }
    }
    let rows = factors.chunks_exact(2).zip(before.chunks_exact(N));
    for ((own, before), sum) in rows.zip(sums.iter_mut()).rev() {
        let mut total = *sum;
        for k in 0..N {
            total = simd.mul_add_e_f64s(before[k], after[k], total);
            let factor = simd.mul_add_e_f64s(at[k], own[1], own[0]);
            after[k] = simd.mul_f64s(after[k], factor);
        }
        *sum = total;
    }
}
