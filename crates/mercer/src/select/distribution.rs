//! Tail probabilities and quantiles of the distributions that tests and intervals use.
//!
//! Upper tails are computed directly, never as one minus the lower tail, so that small p values keep their precision.

use statrs::function::{beta, gamma};

use crate::error::{Error, Result};

/// P(Z > z) of the standard normal distribution.
pub(super) fn normal_upper(z: f64) -> f64 {
    let half = 0.5 * normal_two_sided(z);
    if z < 0.0 { 1.0 - half } else { half }
}

/// P(|Z| > |z|) of the standard normal distribution.
pub(super) fn normal_two_sided(z: f64) -> f64 {
    // The incomplete gamma function is four digits more precise here than the error function of the same library.
    chi_square_upper(z * z, 1.0)
}

/// The half-width in standard deviations of the central interval of a level in (0, 1).
pub(super) fn normal_width(level: f64) -> f64 {
    falling_root(1.0 - level, normal_two_sided)
}

/// P(|T| > |t|) of Student's distribution.
pub(super) fn student_two_sided(t: f64, degrees: f64) -> f64 {
    let square = t * t;
    if !square.is_finite() {
        return 0.0;
    }
    tail(beta::checked_beta_reg(degrees / 2.0, 0.5, degrees / (degrees + square)).unwrap_or(1.0))
}

/// The half-width of the central interval of a level in (0, 1) of Student's distribution.
pub(super) fn student_width(level: f64, degrees: f64) -> f64 {
    falling_root(1.0 - level, |t| student_two_sided(t, degrees))
}

/// P(F > f) of Fisher's distribution.
pub(super) fn fisher_upper(f: f64, above: f64, below: f64) -> f64 {
    if f <= 0.0 {
        return 1.0;
    }
    let x = below / (below + above * f);
    tail(beta::checked_beta_reg(below / 2.0, above / 2.0, x).unwrap_or(1.0))
}

/// P(X > x) of the chi-square distribution.
pub(super) fn chi_square_upper(x: f64, degrees: f64) -> f64 {
    if x <= 0.0 {
        return 1.0;
    }
    // The function fails only for an infinite x.
    tail(gamma::checked_gamma_ur(degrees / 2.0, x / 2.0).unwrap_or(0.0))
}

fn tail(p: f64) -> f64 {
    p.clamp(0.0, 1.0)
}

/// P(X ≤ k) + P(X ≥ n - k), at most 1, for n fair coins.
pub(super) fn coin_two_sided(k: u64, n: u64) -> f64 {
    let k = k.min(n - k.min(n));
    let (n, first) = (n as f64, k as f64);
    let log = gamma::ln_gamma(n + 1.0) - gamma::ln_gamma(first + 1.0) - gamma::ln_gamma(n - first + 1.0);
    let mut term = (log - n * std::f64::consts::LN_2).exp();
    let mut sum = term;
    let mut j = first;
    // From the largest term down; terms below the rounding error of the sum cannot change it.
    while j > 0.0 && term > sum * 1e-18 {
        term *= j / (n - j + 1.0);
        sum += term;
        j -= 1.0;
    }
    tail(2.0 * sum)
}

/// P(Q > q) of the studentised range of `count` means with infinitely many degrees of freedom:
/// 1 - k ∫ φ(z) (Φ(z + q) - Φ(z))^(k-1) dz.
pub(super) fn range_upper(q: f64, count: usize) -> f64 {
    if q <= 0.0 {
        return 1.0;
    }
    // The trapezoid rule converges faster than any power of the step for such functions.
    const STEP: f64 = 1.0 / 16.0;
    let k = count as f64;
    let density = |z: f64| (-0.5 * z * z).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let value = |z: f64| density(z) * (normal_upper(z) - normal_upper(z + q)).max(0.0).powf(k - 1.0);
    // Farther out the density is below 1e-17. The smallest of many means lies below 0, so both tails are kept.
    let sum: f64 = (-144..=144).map(|i| value(f64::from(i) * STEP)).sum();
    tail(1.0 - k * sum * STEP)
}

/// The q that the studentised range of `count` means exceeds with probability `alpha`, for infinitely many degrees of
/// freedom.
pub(super) fn range_quantile(alpha: f64, count: usize) -> f64 {
    falling_root(alpha, |q| range_upper(q, count))
}

/// The point where a function that decreases from 1 to 0 over the positive numbers takes a value in (0, 1).
fn falling_root(value: f64, f: impl Fn(f64) -> f64) -> f64 {
    let (mut low, mut high) = (0.0, 1.0);
    while f(high) > value && high < 1e300 {
        low = high;
        high *= 2.0;
    }
    for _ in 0..200 {
        let middle = 0.5 * (low + high);
        if middle <= low || middle >= high {
            break;
        }
        if f(middle) > value { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// Fails unless a level or alpha lies strictly between 0 and 1.
pub(super) fn check_probability(name: &str, value: f64) -> Result<()> {
    if value > 0.0 && value < 1.0 {
        return Ok(());
    }
    Err(Error::param(name, value, "between 0 and 1, both excluded"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(got: f64, want: f64, relative: f64) {
        assert!((got - want).abs() <= relative * want.abs(), "{got} {want}");
    }

    /// Values from SciPy 1.17.1 (stats: norm, t, f, chi2, binom, studentized_range).
    #[test]
    fn values_match_scipy() {
        for (z, p) in [
            (0.5, 0.6170750774519738),
            (1.96, 0.04999579029644087),
            (5.0, 5.733031437583866e-07),
            (9.0, 2.2571768119076647e-19),
        ] {
            close(normal_two_sided(z), p, 1e-12);
            close(normal_upper(z), p / 2.0, 1e-12);
        }
        for (level, width) in
            [(0.5, 0.6744897501960817), (0.95, 1.959963984540054), (0.999, 3.2905267314919255)]
        {
            close(normal_width(level), width, 1e-12);
        }
        for (t, degrees, p) in [
            (0.1, 1.0, 0.936548965138893),
            (2.0, 5.0, 0.10193947882985835),
            (2.571, 5.0, 0.0499746346838514),
            (-10.0, 3.0, 0.0021283990584141503),
            (1.5, 1e4, 0.13364597182361965),
            (2.5, 1e6, 0.012419489502163254),
            (30.0, 40.0, 4.8509076605902047e-29),
        ] {
            close(student_two_sided(t, degrees), p, 1e-9);
        }
        for (level, degrees, width) in [
            (0.95, 1.0, 12.706204736174694),
            (0.95, 5.0, 2.5705818356363146),
            (0.99, 4.0, 4.604094871349992),
            (0.95, 1000.0, 1.9623390808264083),
        ] {
            close(student_width(level, degrees), width, 1e-10);
        }
        for (f, above, below, p) in [
            (4.735063, 10.0, 5.0, 0.0500000014732989),
            (1.0, 2.0, 8.0, 0.4096),
            (100.0, 10.0, 5.0, 4.0380698892661025e-05),
            (3.0, 4.0, 400.0, 0.01847877422604751),
            (0.01, 3.0, 3.0, 0.998332474073694),
        ] {
            close(fisher_upper(f, above, below), p, 1e-11);
        }
        for (x, degrees, p) in [
            (0.1, 1.0, 0.7518296340458492),
            (3.84, 1.0, 0.05004352124870519),
            (20.0, 4.0, 0.0004993992273873336),
            (200.0, 10.0, 1.6139305336977317e-37),
            (2.0, 30.0, 0.9999999999997),
        ] {
            close(chi_square_upper(x, degrees), p, 1e-11);
        }
        for (k, n, p) in [
            (3, 25, 0.00015652179718017578),
            (200, 300, 8.014875216538921e-09),
            (4900, 10000, 0.04658552770494645),
            (0, 1000, 1.8665272370064378e-301),
        ] {
            close(coin_two_sided(k, n), p, 1e-10);
        }
        for (q, count, p) in [
            (1.0, 2, 0.4795001221869535),
            (3.0, 3, 0.08554257165495793),
            (5.0, 10, 0.014857437887783598),
            (3.5, 50, 0.952636716761037),
            (7.0, 4, 4.43082298440256e-06),
        ] {
            close(range_upper(q, count), p, 1e-9);
        }
    }

    #[test]
    fn published_ranges() {
        // q_0.05 / √2 for 2 to 10 classifiers: Demšar, Statistical comparisons of classifiers, JMLR 7 (2006), table 5.
        let published = [1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164];
        for (k, want) in (2..).zip(published) {
            let got = range_quantile(0.05, k) / std::f64::consts::SQRT_2;
            // The published table truncates some digits.
            assert!((got - want).abs() < 8e-4, "{k}: {got} {want}");
        }
    }

    #[test]
    fn coins() {
        assert_eq!(coin_two_sided(0, 0), 1.0);
        close(coin_two_sided(0, 1), 1.0, 1e-13);
        close(coin_two_sided(0, 5), 2.0 / 32.0, 1e-13);
        close(coin_two_sided(5, 5), 2.0 / 32.0, 1e-13);
        close(coin_two_sided(2, 10), 112.0 / 1024.0, 1e-13);
        assert_eq!(coin_two_sided(5, 10), 1.0);
    }

    #[test]
    fn extremes() {
        assert_eq!(student_two_sided(0.0, 5.0), 1.0);
        assert_eq!(student_two_sided(1e200, 5.0), 0.0);
        assert_eq!(fisher_upper(0.0, 3.0, 4.0), 1.0);
        assert_eq!((chi_square_upper(-1.0, 3.0), chi_square_upper(f64::INFINITY, 3.0)), (1.0, 0.0));
        assert_eq!((normal_two_sided(0.0), normal_two_sided(1e200), normal_upper(-1e200)), (1.0, 0.0, 1.0));
        assert_eq!(fisher_upper(f64::INFINITY, 3.0, 4.0), 0.0);
        assert_eq!(range_upper(0.0, 3), 1.0);
        assert!(range_upper(50.0, 3) < 1e-13);
        assert!(check_probability("alpha", f64::NAN).is_err());
    }
}
