//! Exponentials of whole rows, vectorised for the current processor.
//!
//! The functions are branch-free, so that the compiler vectorises the loops; the widest instruction set is chosen at
//! run time. No fused multiply-add is used, so values are identical to the bit on every processor. The alternative was
//! the system's scalar `exp`: it needs a call per value, cannot be vectorised, and its bits depend on the platform.

use pulp::Arch;

/// e^x to within 2 units in the last place, 0 on underflow, NaN for NaN.
#[inline(always)]
#[doc(hidden)]
pub fn exp(x: f64) -> f64 {
    const LOG2_E: f64 = std::f64::consts::LOG2_E;
    // ln 2 in two parts; the first has trailing zeros, so that its product with an integer is exact.
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let clamped = if x < -750.0 { -750.0 } else { x };
    let clamped = if clamped > 710.0 { 710.0 } else { clamped };
    // e^x = 2^k · e^r with integer k and |r| ≤ ln 2 / 2.
    let k = whole(clamped * LOG2_E);
    let p = exp_near_zero((clamped - k * LN2_HIGH) - k * LN2_LOW);
    // 2^k in two factors, so that subnormal results are correct.
    let half = whole(k * 0.5);
    p * power_of_two(half) * power_of_two(k - half)
}

/// e^r for |r| ≤ ln 2 / 2: the Taylor polynomial of degree 13, in pairs (Estrin's scheme) to keep the additions
/// independent.
#[inline(always)]
pub(crate) fn exp_near_zero(r: f64) -> f64 {
    let r2 = r * r;
    let r4 = r2 * r2;
    let low = (1.0 + r) + r2 * (C[2] + C[3] * r) + r4 * ((C[4] + C[5] * r) + r2 * (C[6] + C[7] * r));
    let high = (C[8] + C[9] * r) + r2 * (C[10] + C[11] * r) + r4 * (C[12] + C[13] * r);
    low + (r4 * r4) * high
}

/// 1 / n! for n = 0..=13.
const C: [f64; 14] = {
    let mut c = [1.0; 14];
    let mut n = 1;
    while n < 14 {
        c[n] = c[n - 1] / n as f64;
        n += 1;
    }
    c
};

/// Adding this number rounds a small double to an integer in its lowest bits.
const SHIFT: f64 = 6_755_399_441_055_744.0;

#[inline(always)]
fn whole(x: f64) -> f64 {
    (x + SHIFT) - SHIFT
}

/// 2^k for an integer k between -1022 and 1023.
#[inline(always)]
fn power_of_two(k: f64) -> f64 {
    f64::from_bits(((k + SHIFT).to_bits() << 52).wrapping_add(1023 << 52))
}

/// The largest magnitude for which [`sin_cos`] holds.
pub(crate) const LARGEST_ANGLE: f64 = 1e6;

/// sin x and cos x to within 1e-15, for |x| up to [`LARGEST_ANGLE`].
#[inline(always)]
pub(crate) fn sin_cos(x: f64) -> (f64, f64) {
    // π/2 in three parts; the first two have trailing zeros, so that their products with an integer are exact.
    const HALF_PI: f64 = std::f64::consts::FRAC_PI_2;
    const HIGH: f64 = f64::from_bits(HALF_PI.to_bits() & !((1 << 21) - 1));
    const MIDDLE: f64 = HALF_PI - HIGH;
    const LOW: f64 = 6.123_233_995_736_766e-17;
    let shifted = x * std::f64::consts::FRAC_2_PI + SHIFT;
    let (k, quarter) = (shifted - SHIFT, shifted.to_bits());
    // |r| ≤ π/4: the Taylor polynomials of degree 15 and 16.
    let r = ((x - k * HIGH) - k * MIDDLE) - k * LOW;
    let r2 = r * r;
    let r4 = r2 * r2;
    let r8 = r4 * r4;
    let odd = (T[3] + T[5] * r2) + r4 * (T[7] + T[9] * r2) + r8 * ((T[11] + T[13] * r2) + r4 * T[15]);
    let even = (T[4] + T[6] * r2) + r4 * (T[8] + T[10] * r2) + r8 * ((T[12] + T[14] * r2) + r4 * T[16]);
    let (sin, cos) = (r + r * (r2 * odd), (1.0 - 0.5 * r2) + r4 * even);
    let (sin, cos) = if quarter & 1 == 0 { (sin, cos) } else { (cos, sin) };
    let signed = |v: f64, quarter: u64| f64::from_bits(v.to_bits() ^ ((quarter & 2) << 62));
    (signed(sin, quarter), signed(cos, quarter.wrapping_add(1)))
}

/// The coefficients of sine and cosine: 1 / n! with signs + + - - + + …
const T: [f64; 17] = {
    let mut t = [1.0; 17];
    let mut n = 1;
    while n < 17 {
        t[n] = t[n - 1] / n as f64;
        n += 1;
    }
    n = 0;
    while n < 17 {
        if n % 4 >= 2 {
            t[n] = -t[n];
        }
        n += 1;
    }
    t
};

/// ln x to within 3 units in the last place for finite x above the subnormal range; an arbitrary finite number for 0.
#[inline(always)]
pub(crate) fn ln(x: f64) -> f64 {
    // 1/√2 rounded down: mantissas are taken between this and √2, so that their logarithms are near 0.
    const LOWEST: u64 = 0x3fe6_a09e_667f_3bcc;
    const ONE: u64 = 0x3ff0_0000_0000_0000;
    const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
    const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
    let bits = x.to_bits();
    let exponent = (bits.wrapping_add(ONE - LOWEST) >> 52).wrapping_sub(1023);
    let m = f64::from_bits(bits.wrapping_sub(exponent << 52));
    // Converts a small integer to a double without an instruction that older processors lack.
    let k = f64::from_bits(exponent.wrapping_add(SHIFT.to_bits())) - SHIFT;
    // ln m = 2 artanh t, with a Chebyshev fit of 2 artanh(t)/t over |t| ≤ (√2 - 1)/(√2 + 1).
    let t = (m - 1.0) / (m + 1.0);
    let u = t * t;
    let u2 = u * u;
    let low = (L[0] + L[1] * u) + u2 * (L[2] + L[3] * u);
    let high = (L[4] + L[5] * u) + u2 * (L[6] + L[7] * u);
    k * LN2_HIGH + (t * (low + (u2 * u2) * high) + k * LN2_LOW)
}

/// 2 artanh(t)/t as a polynomial in t², with an error of at most 1.2e-18.
const L: [f64; 8] = [
    2.0,
    0.666_666_666_666_676_5,
    0.399_999_999_993_019_1,
    0.285_714_287_607_382_8,
    0.222_221_970_464_042_74,
    0.181_836_322_416_170_26,
    0.153_125_131_147_383,
    0.148_098_675_723_130_62,
];

/// x, or 0 if x is negative. Unlike with `f64::max`, NaN stays NaN, so that an overflow is not hidden.
#[inline(always)]
#[doc(hidden)]
pub fn at_least_zero(x: f64) -> f64 {
    if x < 0.0 { 0.0 } else { x }
}

/// Replaces every x by e^x.
#[doc(hidden)]
pub fn exp_all(row: &mut [f64]) {
    vectorised(
        #[inline(always)]
        || row.iter_mut().for_each(|v| *v = exp(*v)),
    );
}

/// Runs a loop compiled for the widest vectors of this processor.
#[inline(always)]
#[doc(hidden)]
pub fn vectorised<R>(work: impl FnOnce() -> R) -> R {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx512f")
        && std::arch::is_x86_feature_detected!("avx512dq")
        && std::arch::is_x86_feature_detected!("avx512vl")
        && std::arch::is_x86_feature_detected!("fma")
    {
        // SAFETY: the processor supports the enabled features.
        return unsafe { with_512_bits(work) };
    }
    Arch::new().dispatch(work)
}

/// Runs a loop compiled for vectors of eight doubles, which `pulp` does not use in this build.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512dq,avx512vl,fma")]
fn with_512_bits<R>(work: impl FnOnce() -> R) -> R {
    work()
}

/// Number of parallel partial sums: additions need not wait for each other, and bits do not depend on the processor.
const SUMS: usize = 16;

/// The sum of numbers, in a fixed order.
pub(crate) fn sum(x: &[f64]) -> f64 {
    vectorised(
        #[inline(always)]
        || {
            let mut sums = [0.0; SUMS];
            let chunks = x.chunks_exact(SUMS);
            let tail: f64 = chunks.remainder().iter().sum();
            chunks.for_each(|x| sums.iter_mut().zip(x).for_each(|(s, x)| *s += x));
            sums.iter().sum::<f64>() + tail
        },
    )
}

/// The inner product of two lists of equal length, in a fixed order.
pub(crate) fn dot(x: &[f64], y: &[f64]) -> f64 {
    vectorised(
        #[inline(always)]
        || {
            let mut sums = [0.0; SUMS];
            let (left, right) = (x.chunks_exact(SUMS), y.chunks_exact(SUMS));
            let tail: f64 = left.remainder().iter().zip(right.remainder()).map(|(x, y)| x * y).sum();
            for (x, y) in left.zip(right) {
                sums.iter_mut().zip(x).zip(y).for_each(|((s, x), y)| *s += x * y);
            }
            sums.iter().sum::<f64>() + tail
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sines_and_cosines() {
        let mut x = 1e-9;
        while x < LARGEST_ANGLE {
            for x in [x, -x, (x * std::f64::consts::FRAC_2_PI).round() * std::f64::consts::FRAC_PI_2] {
                let ((sin, cos), (want_sin, want_cos)) = (sin_cos(x), x.sin_cos());
                assert!((sin - want_sin).abs() < 1e-15 && (cos - want_cos).abs() < 1e-15, "{x}: {sin} {cos}");
                assert!((sin - want_sin).abs() <= 1e-12 * want_sin.abs(), "{x}: {sin} {want_sin}");
            }
            x *= 1.0003;
        }
        assert_eq!(sin_cos(0.0), (0.0, 1.0));
    }

    #[test]
    fn exp_agrees_with_the_system() {
        let mut worst = 0.0f64;
        for i in 0..2_000_000 {
            let x = -745.0 + i as f64 * 7.27e-4;
            let (ours, system) = (exp(x), x.exp());
            if system > 1e-300 && system.is_finite() {
                worst = worst.max((ours - system).abs() / system);
            } else if system.is_finite() {
                assert!((ours - system).abs() <= 1e-315, "{x}: {ours:e} {system:e}");
            }
        }
        assert!(worst < 2.0 * f64::EPSILON, "{worst:e}");
    }

    #[test]
    fn ln_agrees_with_the_system() {
        let mut worst = 0.0f64;
        for i in 0..1_000_000 {
            let spread = f64::from(i) * 2.037_4e-3 - 1018.0;
            for x in [spread.exp2(), 0.5 + f64::from(i) * 1e-6] {
                let (ours, system) = (ln(x), x.ln());
                let unit = system.abs().max(1e-300);
                if system != 0.0 {
                    worst = worst.max((ours - system).abs() / unit);
                }
            }
        }
        assert!(worst < 3.0 * f64::EPSILON, "{worst:e}");
        assert_eq!(ln(1.0), 0.0);
        assert!(ln(0.0).is_finite() && ln(5e-324).is_finite());
    }

    #[test]
    fn exp_at_extreme_arguments() {
        assert_eq!(exp(0.0), 1.0);
        assert_eq!(exp(-0.0), 1.0);
        assert_eq!(exp(-1e300), 0.0);
        assert_eq!(exp(f64::NEG_INFINITY), 0.0);
        assert_eq!(exp(f64::INFINITY), f64::INFINITY);
        assert!(exp(f64::NAN).is_nan());
    }

    #[test]
    fn rows_equal_scalars() {
        let mut row: Vec<f64> = (0..103).map(|i| -(i as f64) * 0.37).collect();
        let expected: Vec<f64> = row.iter().map(|x| exp(*x)).collect();
        exp_all(&mut row);
        assert_eq!(row, expected);
    }
}
