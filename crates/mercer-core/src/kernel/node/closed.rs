//! Closed forms of the diffusion kernel exp(-βL) for regular graphs, which need no matrix.
//!
//! | graph | function | similarity of |
//! |---|---|---|
//! | complete graph | [`complete_graph`] | a vertex with itself and with another |
//! | closed chain | [`closed_chain`] | vertices at each distance |
//! | hypercube | [`hypercube`] | corners, by the number of bits in which they differ |
//! | infinite regular tree | [`regular_tree`] | vertices at a distance |
//! | infinite rooted binary tree | [`binary_tree`] | two vertices |
//!
//! Products of such graphs have products of such kernels ([`tensor`](crate::gram::tensor)); kernels on categorical
//! records ([`category`](crate::kernel::category)) use this. All from Kondor & Lafferty 2002, Diffusion kernels on
//! graphs and other discrete input spaces.

use crate::budget;
use crate::error::{Error, Result};
use crate::kernel::Domain;

fn check(beta: f64) -> Result<f64> {
    Domain::NonNegative.check("beta", beta)
}

/// The complete graph of n vertices: K_ii = (1 + (n-1)·e^(-nβ))/n and K_ij = (1 - e^(-nβ))/n.
///
/// ```
/// use mercer_core::kernel::node::closed::complete_graph;
/// let (own, other) = complete_graph(3, 0.2)?;
/// assert!((own + 2.0 * other - 1.0).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn complete_graph(n: u32, beta: f64) -> Result<(f64, f64)> {
    Domain::Whole(1, u64::from(u32::MAX)).check("n", f64::from(n))?;
    let (n, beta) = (f64::from(n), check(beta)?);
    Ok(((1.0 + (n - 1.0) * (-n * beta).exp()) / n, -(-n * beta).exp_m1() / n))
}

/// The closed chain of n ≥ 3 vertices: K(d) = (1/n)·Σ_ν exp(-2β(1 - cos(2πν/n)))·cos(2πνd/n) for d = 0, …, ⌊n/2⌋.
///
/// O(n²), n up to 10,000.
///
/// ```
/// use mercer_core::kernel::node::closed::closed_chain;
/// let k = closed_chain(5, 0.3)?;
/// assert!((k[0] + 2.0 * k[1] + 2.0 * k[2] - 1.0).abs() < 1e-14);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn closed_chain(n: u32, beta: f64) -> Result<Vec<f64>> {
    let beta = check(beta)?;
    let count = Domain::Whole(3, 10_000).check("n", f64::from(n))? as usize;
    let cosines: Vec<f64> =
        (0..count).map(|i| (2.0 * std::f64::consts::PI * i as f64 / count as f64).cos()).collect();
    let decays: Vec<f64> = cosines.iter().map(|c| (-2.0 * beta * (1.0 - c)).exp()).collect();
    let at = |d: usize| {
        let terms = decays.iter().enumerate().map(|(nu, decay)| decay * cosines[nu * d % count]);
        // The exact value is at least 0; rounding may give less.
        (terms.sum::<f64>() / count as f64).max(0.0)
    };
    Ok((0..=count / 2).map(at).collect())
}

/// The hypercube of 2^m corners: K = 2^(-m)·(1 + e^(-2β))^(m-h)·(1 - e^(-2β))^h ∝ tanh(β)^h, h the number of bits in
/// which two corners differ.
pub fn hypercube(m: u32, beta: f64, h: u32) -> Result<f64> {
    let beta = check(beta)?;
    if h > m {
        return Err(Error::param("h", h, &format!("a whole number from 0 to {m}")));
    }
    let same = (1.0 + (-2.0 * beta).exp()) / 2.0;
    let other = -(-2.0 * beta).exp_m1() / 2.0;
    Ok(same.powi((m - h) as i32) * other.powi(h as i32))
}

/// The infinite tree in which every vertex has k ≥ 2 neighbours, at distance d; with q = k - 1,
/// K(d) = (2·q^(1-d/2)/π)·∫₀^π e^(β(2√q·cos t - k))·sin t·(q·sin((d+1)t) - sin((d-1)t)) / (k² - 4q·cos²t) dt.
///
/// The integrand is analytic and periodic, so the trapezoidal rule converges exponentially: to 1e-14.
///
/// ```
/// use mercer_core::kernel::node::closed::regular_tree;
/// assert!((regular_tree(3, 0.7, 0)? - 0.2326773852).abs() < 1e-10);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Chung & Yau 1999, Coverings, heat kernels and spanning trees.
pub fn regular_tree(k: u32, beta: f64, d: u32) -> Result<f64> {
    let beta = check(beta)?;
    let degree = Domain::Whole(2, 1_000_000).check("k", f64::from(k))?;
    let q = degree - 1.0;
    let d = f64::from(d);
    // The largest value of the exponential is factored out, so that similarities far below 1 stay accurate.
    let largest = (beta * (2.0 * q.sqrt() - degree)).exp();
    let integrand = |t: f64| {
        let heat = (2.0 * beta * q.sqrt() * (t.cos() - 1.0)).exp();
        // On a line, k = 2, the sines cancel against the denominator.
        match k {
            2 => heat * (d * t).cos() / 2.0,
            _ => {
                let wave = q * ((d + 1.0) * t).sin() - ((d - 1.0) * t).sin();
                heat * t.sin() * wave / (degree * degree - 4.0 * q * t.cos() * t.cos())
            }
        }
    };
    let pi = std::f64::consts::PI;
    let scale = 2.0 * q.powf(1.0 - d / 2.0) / pi;
    // Compensated sum (Neumaier), and the sum of absolute values, which bounds the remaining error.
    let rule = |points: usize| {
        let ends = (integrand(0.0) + integrand(pi)) / 2.0;
        let (mut sum, mut lost, mut size) = (ends, 0.0, ends.abs());
        for i in 1..points {
            let value = integrand(pi * i as f64 / points as f64);
            let next = sum + value;
            lost += if f64::abs(sum) >= value.abs() { (sum - next) + value } else { (value - next) + sum };
            (sum, size) = (next, size + value.abs());
        }
        let step = scale * (pi / points as f64);
        (step * (sum + lost), step * size)
    };
    // Enough points for the fastest oscillation; then doubled until the result no longer changes.
    let mut points = 64usize.max(2 * (d as usize + 2));
    let (mut last, _) = rule(points);
    while points < 1 << 20 {
        budget::check_after(16 * points)?;
        points *= 2;
        let (next, size) = rule(points);
        if (next - last).abs() <= 2e-15 * size.max(1.0) {
            return Ok((largest * next).max(0.0));
        }
        last = next;
    }
    Err(Error::Numeric {
        reason: format!("the integral of a tree of degree {k} at beta = {beta} did not converge"),
    })
}

/// The infinite rooted binary tree, by the method of images: K(i, j) = K₃(dist(i, j)) + K₃(depth i + depth j + 1). K₃
/// is the kernel of the tree of degree 3, which is two binary trees joined at their roots.
///
/// Vertices are numbered as in a heap: the root is 1, the children of i are 2i and 2i + 1.
///
/// ```
/// use mercer_core::kernel::node::closed::binary_tree;
/// assert!((binary_tree(0.7, 1, 1)? - 0.358751564).abs() < 1e-9);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn binary_tree(beta: f64, i: u64, j: u64) -> Result<f64> {
    if i == 0 || j == 0 {
        return Err(Error::param("vertex", 0, "at least 1, which is the root"));
    }
    let depth = |v: u64| 63 - v.leading_zeros();
    let (di, dj) = (depth(i), depth(j));
    // Move both to the depth of the shallower one; the bits in which they then differ are below their common ancestor.
    let least = di.min(dj);
    let apart = (i >> (di - least)) ^ (j >> (dj - least));
    let below = if apart == 0 { 0 } else { 64 - apart.leading_zeros() };
    let distance = (di - least) + (dj - least) + 2 * below;
    Ok(regular_tree(3, beta, distance)? + regular_tree(3, beta, di + dj + 1)?)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::data::{Dense, Network, Nodes};
    use crate::gram::{Engine, conjugate, eigenvalues, tensor};
    use crate::kernel::node::{Base, Family, NodeKernel};

    fn diffusion(n: usize, edges: &[(u32, u32)], beta: f64) -> Dense {
        let edges: Vec<(u32, u32, f64)> = edges.iter().map(|&(a, b)| (a, b, 1.0)).collect();
        let nodes = Nodes::all(Arc::new(Network::new(n, &edges).unwrap()));
        let kernel = NodeKernel::new(Family::Diffusion { beta }, Base::Laplacian).unwrap();
        Engine::new().gram(&kernel, &nodes).unwrap()
    }

    fn pairs(n: u32, joined: impl Fn(u32, u32) -> bool) -> Vec<(u32, u32)> {
        (0..n).flat_map(|a| (0..a).map(move |b| (b, a))).filter(|&(b, a)| joined(b, a)).collect()
    }

    #[test]
    fn integral_converges_for_every_degree_and_beta() {
        for k in [3, 4, 13, 100, 5000] {
            for beta in [1e-8, 1e-4, 0.01, 1.0] {
                // After a time β a walk has not moved with probability e^(-kβ), and all similarities add up to 1.
                let own = regular_tree(k, beta, 0).unwrap();
                assert!(own >= (-f64::from(k) * beta).exp() - 1e-12 && own <= 1.0 + 1e-12, "{k} {beta}");
            }
        }
    }

    #[test]
    fn closed_forms_of_finite_graphs() {
        for beta in [0.05, 0.7, 3.0] {
            let k = diffusion(6, &pairs(6, |_, _| true), beta);
            let (own, other) = complete_graph(6, beta).unwrap();
            assert!((k.at(2, 2) - own).abs() < 1e-13 && (k.at(1, 4) - other).abs() < 1e-13);
            for n in [3u32, 4, 9, 12] {
                let k = diffusion(n as usize, &pairs(n, |b, a| a - b == 1 || a - b == n - 1), beta);
                for (d, value) in closed_chain(n, beta).unwrap().into_iter().enumerate() {
                    assert!((k.at(0, d) - value).abs() < 1e-13, "{n} {d}");
                }
            }
            let k = diffusion(32, &pairs(32, |b, a| (a ^ b).count_ones() == 1), beta);
            for corner in 0..32usize {
                let h = (corner ^ 5).count_ones();
                assert!((k.at(5, corner) - hypercube(5, beta, h).unwrap()).abs() < 1e-13);
                let ratio = hypercube(5, beta, h).unwrap() / hypercube(5, beta, 0).unwrap();
                assert!((ratio - beta.tanh().powi(h as i32)).abs() < 1e-14);
            }
        }
    }

    /// Values checked by two other programs.
    #[test]
    fn known_values() {
        for (k, beta, values) in [
            (3, 0.7, &[0.2326773852, 0.1260741789, 0.0395757987, 0.0086892477][..]),
            (4, 0.3, &[0.3583272410, 0.1002065511]),
        ] {
            for (d, value) in (0..).zip(values) {
                assert!((regular_tree(k, beta, d).unwrap() - value).abs() < 1e-10);
            }
        }
        for (i, j, value) in [(1, 1, 0.358751564), (1, 2, 0.165649978), (2, 2, 0.241366633)] {
            assert!((binary_tree(0.7, i, j).unwrap() - value).abs() < 1e-9);
        }
    }

    /// Finite trees cut off far from the compared vertices: the effect of the cut is below 1e-10.
    #[test]
    fn infinite_trees_are_limits_of_finite_ones() {
        let beta = 0.7;
        // The root with three children, all others with two: vertex v > 3 has the parent (v - 4) / 2 + 1.
        let n = 1 + 3 * ((1 << 9) - 1);
        let parent = |v: u32| if v <= 3 { 0 } else { (v - 4) / 2 + 1 };
        let edges: Vec<(u32, u32)> = (1..n).map(|v| (parent(v), v)).collect();
        let k = diffusion(n as usize, &edges, beta);
        let mut at = 0;
        for d in 0..5 {
            assert!((k.at(0, at as usize) - regular_tree(3, beta, d).unwrap()).abs() < 1e-10, "{d}");
            at = if at == 0 { 1 } else { 2 * at + 2 };
        }
        // Heap numbers from 1 on.
        let edges: Vec<(u32, u32)> = (2..1024).map(|v| (v / 2 - 1, v - 1)).collect();
        let k = diffusion(1023, &edges, beta);
        for i in 1..16u64 {
            for j in 1..16u64 {
                let closed = binary_tree(beta, i, j).unwrap();
                assert!((k.at(i as usize - 1, j as usize - 1) - closed).abs() < 1e-10, "{i} {j}");
            }
        }
        // A line is the tree of degree 2.
        let edges: Vec<(u32, u32)> = (1..81).map(|v| (v - 1, v)).collect();
        let k = diffusion(81, &edges, beta);
        (0..6u32).for_each(|d| {
            assert!((k.at(40, 40 + d as usize) - regular_tree(2, beta, d).unwrap()).abs() < 1e-12);
        });
    }

    /// The product of a path and a ring: its generator is H1⊗I + I⊗H2, its kernel K1⊗K2.
    #[test]
    fn kernels_of_products_are_products() {
        let (path, ring) = (pairs(4, |b, a| a - b == 1), pairs(5, |b, a| a - b == 1 || a - b == 4));
        let is = |list: &[(u32, u32)], a: u32, b: u32| list.contains(&(a.min(b), a.max(b)));
        let both = pairs(20, |b, a| {
            let ((i, k), (j, l)) = ((b / 5, b % 5), (a / 5, a % 5));
            (i == j && is(&ring, k, l)) || (k == l && is(&path, i, j))
        });
        let product = tensor(&diffusion(4, &path, 0.6), &diffusion(5, &ring, 0.6)).unwrap();
        let whole = diffusion(20, &both, 0.6);
        for (a, b) in product.values().iter().zip(whole.values()) {
            assert!((a - b).abs() < 1e-13);
        }
        // Objects that are mixtures of vertices: a conjugated kernel.
        let mut t = Dense::zeros(20, 3);
        [(0, 0, 1.0), (1, 0, 0.5), (7, 1, 2.0), (19, 2, 1.0), (0, 2, -1.0)]
            .iter()
            .for_each(|&(i, j, v)| t.row_mut(i)[j] = v);
        let mixed = conjugate(&whole, &t).unwrap();
        let direct = |a: usize, b: usize| -> f64 {
            let each = (0..20).flat_map(|i| (0..20).map(move |j| (i, j)));
            each.map(|(i, j)| t.at(i, a) * whole.at(i, j) * t.at(j, b)).sum()
        };
        (0..3).for_each(|a| (0..3).for_each(|b| assert!((mixed.at(a, b) - direct(a, b)).abs() < 1e-13)));
        assert!(eigenvalues(&mixed).unwrap()[0] >= 0.0);
        assert!(conjugate(&whole, &Dense::zeros(3, 3)).is_err());
    }

    #[test]
    fn invalid_and_extreme_parameters() {
        assert!(complete_graph(0, 1.0).is_err() && closed_chain(2, 1.0).is_err());
        assert!(regular_tree(1, 1.0, 0).is_err() && binary_tree(1.0, 0, 1).is_err());
        assert!(hypercube(2, 1.0, 3).is_err());
        for beta in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(complete_graph(3, beta).is_err() && regular_tree(3, beta, 1).is_err());
        }
        // beta = 0: every vertex is similar only to itself.
        assert_eq!(complete_graph(4, 0.0).unwrap(), (1.0, 0.0));
        assert!((regular_tree(3, 0.0, 0).unwrap() - 1.0).abs() < 1e-13);
        assert!(regular_tree(3, 0.0, 4).unwrap() < 1e-13);
        assert!(regular_tree(3, 50.0, 2).unwrap() > 0.0);
        assert!(binary_tree(0.1, u64::MAX, 1).is_ok());
    }
}
