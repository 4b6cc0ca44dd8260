//! The standard normal distribution: tails and quantiles.

use std::f64::consts::PI;

/// P(Z > z), with a relative error of about 1e-15 in both tails.
fn upper_tail(z: f64) -> f64 {
    let x = z.abs();
    let tail = if x < 3.0 { 0.5 - central(x) } else { far_tail(x) };
    if z < 0.0 { 1.0 - tail } else { tail }
}

/// P(0 < Z < x) for small x ≥ 0, by φ(x) (x + x³/3 + x⁵/(3·5) + …).
fn central(x: f64) -> f64 {
    let (mut term, mut sum, mut k) = (x, x, 1.0);
    while term > sum * 1e-17 {
        k += 2.0;
        term *= x * x / k;
        sum += term;
    }
    density(x) * sum
}

/// P(Z > x) for large x.
fn far_tail(x: f64) -> f64 {
    if x > 38.5 { 0.0 } else { density(x) / mills(x) }
}

/// P(Z ≤ z), with a relative error of about 1e-15 in the lower tail.
///
/// ```
/// use mercer_core::numeric::normal_probability;
/// assert!((normal_probability(1.959963984540054) - 0.975).abs() < 1e-15);
/// assert!((normal_probability(-10.0) / 7.619853024160527e-24 - 1.0).abs() < 1e-13);
/// ```
pub fn normal_probability(z: f64) -> f64 {
    upper_tail(-z)
}

/// log P(Z ≤ z) and the ratio of the density at z to it, which stay finite far below 0.
pub(crate) fn log_normal_probability(z: f64) -> (f64, f64) {
    if z > -3.0 {
        let probability = upper_tail(-z);
        // log(1 - q) keeps the digits of a small q.
        let log = if z > 0.0 { (-upper_tail(z)).ln_1p() } else { probability.ln() };
        return (log, density(z) / probability);
    }
    let fraction = mills(-z);
    (-0.5 * z * z - 0.5 * (2.0 * PI).ln() - fraction.ln(), fraction)
}

/// φ(x) / P(Z > x) for large x: the continued fraction x + 1/(x + 2/(x + …)).
fn mills(x: f64) -> f64 {
    (1..=120u32).rev().fold(x, |below, k| x + f64::from(k) / below)
}

/// The density of the standard normal distribution at z.
#[doc(hidden)]
pub fn normal_density(z: f64) -> f64 {
    density(z)
}

/// The density at z.
fn density(z: f64) -> f64 {
    (-0.5 * z * z).exp() / (2.0 * PI).sqrt()
}

/// The z with P(Z ≤ z) = p, for p in (0, 1).
///
/// ```
/// use mercer_core::numeric::normal_quantile;
/// assert!((normal_quantile(0.975) - 1.959963984540054).abs() < 1e-12);
/// assert!((normal_quantile(0.05) + 1.6448536269514722).abs() < 1e-12);
/// ```
pub fn normal_quantile(p: f64) -> f64 {
    if p.is_nan() || p <= 0.0 || p >= 1.0 {
        return if p <= 0.0 {
            f64::NEG_INFINITY
        } else if p >= 1.0 {
            f64::INFINITY
        } else {
            f64::NAN
        };
    }
    // The smaller tail keeps its digits.
    let (tail, sign) = if p < 0.5 { (p, -1.0) } else { (1.0 - p, 1.0) };
    let (mut low, mut high) = (0.0, 39.0);
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        if upper_tail(middle) > tail { low = middle } else { high = middle }
    }
    let mut z = 0.5 * (low + high);
    for _ in 0..3 {
        let slope = density(z);
        if slope > 0.0 {
            z += (upper_tail(z) - tail) / slope;
        }
    }
    sign * z
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_of_small_probabilities() {
        for z in [-37.0, -9.0, -3.1, -2.9, -0.5, 0.0, 0.7, 4.0] {
            let (log, ratio) = log_normal_probability(z);
            assert!((log - normal_probability(z).ln()).abs() < 1e-13 * (1.0 + log.abs()), "{z}: {log}");
            assert!(
                (ratio - density(z) / normal_probability(z)).abs() < 1e-12 * (1.0 + ratio),
                "{z}: {ratio}"
            );
        }
        // log Φ(-1000) = -½·10⁶ - ½·log 2π - log 1000 - 10⁻⁶ + …
        let far = -500_000.0 - 0.5 * (2.0 * PI).ln() - 1000f64.ln() - 1e-6;
        assert!((log_normal_probability(-1000.0).0 - far).abs() < 1e-9);
    }

    #[test]
    fn tails_match_known_values() {
        // Values of scipy.stats.norm.sf.
        for (z, want) in [
            (0.0, 0.5),
            (1.0, 0.15865525393145707),
            (2.5, 0.006209665325776132),
            (3.5, 0.00023262907903552504),
            (10.0, 7.61985302416047e-24),
        ] {
            assert!((upper_tail(z) / want - 1.0).abs() < 1e-12, "{z}: {}", upper_tail(z));
        }
        assert!((upper_tail(-1.0) - 0.8413447460685429).abs() < 1e-15);
    }

    #[test]
    fn quantiles_invert_tails() {
        for p in [1e-12, 1e-3, 0.2, 0.5, 0.9, 1.0 - 1e-9] {
            let back = upper_tail(-normal_quantile(p));
            assert!((back - p).abs() < 1e-11 * p, "{p} {back}");
        }
        assert_eq!((normal_quantile(0.0), normal_quantile(1.0)), (f64::NEG_INFINITY, f64::INFINITY));
        assert!(normal_quantile(f64::NAN).is_nan());
    }
}
