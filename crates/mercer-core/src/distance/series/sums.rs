//! Sums over all alignments, for any length and scale.
//!
//! The sum over alignments of products of local similarities is a dynamic programme too:
//! K(i, j) = k(x_i, y_j)·(K(i-1, j-1) + K(i-1, j) + K(i, j-1)). Its values exceed the range of doubles after some
//! hundred time steps.
//!
//! There are two methods. The fast method has one exponent for a few rows and columns. If local similarities are very
//! small, a cell may underflow compared with others of its part but matter later. A pair with a cell close to that is
//! recomputed by the safe method. There every cell is a number in [1, 2) with its own exponent, so that nothing
//! overflows, underflows or is lost. The choice depends only on the pair. The alternative, logarithms in every cell, is
//! slower than both.

mod quick;

use super::lanes::{Doubles, Lanes};
use super::programme::{Near, Points, Rule};
use super::{Aligned, Band, PreparedSeries, by_points};
use crate::error::Result;
use crate::numeric::math::exp_near_zero;
use crate::traits::Part;

/// The local similarity of two time steps, from their squared distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Local {
    /// exp(-|x - y|² · scale).
    Gaussian {
        /// Must be above 0.
        scale: f64,
    },
    /// e/(2 - e) for e = ω·exp(-|x - y|² · scale), where ω falls linearly from 1 to 0 at a time difference of
    /// `triangle`.
    Divisible {
        /// Must be above 0.
        scale: f64,
        /// 0 for no triangle: then ω = 1.
        triangle: usize,
    },
    /// (exp(-|x - y|² · scale) + floor)/(3·(1 + floor)).
    Third {
        /// Must be above 0.
        scale: f64,
        /// Must be above 0.
        floor: f64,
    },
}

/// The logarithm of the sum over alignments of the product of local similarities, for all pairs. It is minus infinity
/// if there is no alignment.
pub(crate) fn log_sums(
    local: Local,
    band: &Band,
    rows: Part<'_, PreparedSeries>,
    cols: Part<'_, PreparedSeries>,
    out: &mut [f64],
) -> Result<()> {
    match local {
        _ if !band.is_full() => return by_points::<Doubles, _>(&local, band, rows, cols, out),
        Local::Divisible { triangle: 1.., .. } | Local::Third { .. } => {
            return by_points::<Doubles, _>(&local, band, rows, cols, out);
        }
        Local::Gaussian { .. } => {
            by_points::<Doubles, _>(&quick::Quick::<false>(local), band, rows.clone(), cols.clone(), out)?;
        }
        Local::Divisible { .. } => {
            by_points::<Doubles, _>(&quick::Quick::<true>(local), band, rows.clone(), cols.clone(), out)?;
        }
    }
    let lost = out.iter().filter(|v| v.is_nan()).count();
    if lost * Doubles::WIDTH < out.len() {
        for at in (0..out.len()).filter(|&at| out[at].is_nan()).collect::<Vec<_>>() {
            let (i, j) = (rows.range.start + at / cols.len(), cols.range.start + at % cols.len());
            let pair = (Part::new(rows.set, i..i + 1), Part::new(cols.set, j..j + 1));
            by_points::<Doubles, _>(&local, band, pair.0, pair.1, &mut out[at..at + 1])?;
        }
    } else {
        // Computing many lanes together is faster than one pair after another.
        let mut sure = vec![0.0; out.len()];
        by_points::<Doubles, _>(&local, band, rows, cols, &mut sure)?;
        out.iter_mut().zip(sure).filter(|(v, _)| v.is_nan()).for_each(|(v, sure)| *v = sure);
    }
    Ok(())
}

impl Aligned<Doubles> for Local {
    type Of<P: Points<Doubles>> = Summed<P>;

    #[inline(always)]
    fn of<P: Points<Doubles>>(&self, points: P, _n: usize, _m: usize) -> Summed<P> {
        let (scale, triangle, divisible, floor) = match *self {
            Local::Gaussian { scale } => (scale, 0, false, None),
            Local::Divisible { scale, triangle } => (scale, triangle, true, None),
            Local::Third { scale, floor } => (scale, 0, false, Some(floor)),
        };
        Summed { points, scale: Doubles::splat(-scale), triangle, divisible, floor }
    }
}

pub(super) struct Summed<P> {
    points: P,
    scale: Doubles,
    triangle: usize,
    divisible: bool,
    floor: Option<f64>,
}

/// m·2^e, with m in [1, 2).
#[derive(Clone, Copy)]
pub(super) struct Scaled {
    m: Doubles,
    e: Doubles,
}

/// The exponent of zero.
const NOTHING: f64 = f64::NEG_INFINITY;

impl<P: Points<Doubles>> Rule<Doubles> for Summed<P> {
    type Row<'a>
        = P::Row<'a>
    where
        Self: 'a;
    type Column<'a>
        = P::Column<'a>
    where
        Self: 'a;
    type Cell = Scaled;
    const OUTSIDE: Scaled = Scaled { m: Doubles::all(1.0), e: Doubles::all(NOTHING) };
    const CORNER: Scaled = Scaled { m: Doubles::all(1.0), e: Doubles::ZERO };

    #[inline(always)]
    fn row<'a>(&'a self, x: &'a [f64], i: usize) -> P::Row<'a> {
        self.points.row(x, i)
    }

    #[inline(always)]
    fn column<'a>(&'a self, y: &'a [Doubles], j: usize) -> P::Column<'a> {
        self.points.column(y, j)
    }

    #[inline(always)]
    fn cell(
        &self,
        (i, j): (usize, usize),
        row: P::Row<'_>,
        column: P::Column<'_>,
        near: Near<Scaled>,
    ) -> Scaled {
        let apart = i.abs_diff(j);
        if self.triangle > 0 && apart >= self.triangle {
            return Self::OUTSIDE;
        }
        let (mut p, mut k) = exp_parts(self.points.squared(row, column).mul(self.scale));
        if self.divisible {
            if self.triangle > 0 {
                p = p.mul(Doubles::splat(1.0 - apart as f64 / self.triangle as f64));
            }
            // If e is tiny, 2 - e is 2.
            let e = p.mul(power(k));
            p = p.with(e, |p, e| p / (2.0 - e));
        }
        if let Some(floor) = self.floor {
            p = p.mul(power(k)).each(|e| (e + floor) / (3.0 * (1.0 + floor)));
            k = Doubles::ZERO;
        }
        let highest = near.up.e.max(near.left.e).max(near.diagonal.e);
        let aligned = |c: Scaled| c.m.mul(power(c.e.sub(highest)));
        // In this order, so that swapping the pair gives exactly the same result.
        let sum = aligned(near.up).add(aligned(near.left)).add(aligned(near.diagonal));
        normalised(sum.mul(p), highest.add(k))
    }

    #[inline(always)]
    fn value(&self, cell: Scaled, _len: usize, lane: usize) -> f64 {
        cell.m.get(lane).ln() + cell.e.get(lane) * std::f64::consts::LN_2
    }
}

/// Adding this number leaves the nearest whole number in the lowest bits of a double.
const SHIFT: f64 = 6_755_399_441_055_744.0;

/// 2^k for whole k up to 1023; effectively 0 if k is below -1000, or NaN from comparing zero with zero.
#[inline(always)]
fn power(k: Doubles) -> Doubles {
    k.each(|k| {
        let k = if k > -1000.0 { k } else { -1000.0 };
        f64::from_bits(((k + SHIFT).to_bits() << 52).wrapping_add(1023 << 52))
    })
}

/// p in (0.6, 1.5) and a whole k with p·2^k = e^t, for any t up to 0.
#[inline(always)]
fn exp_parts(t: Doubles) -> (Doubles, Doubles) {
    let k = t.each(|t| (t * std::f64::consts::LOG2_E + SHIFT) - SHIFT);
    let p = t.with(k, |t, k| {
        let r = (t - k * LN2_HIGH) - k * LN2_LOW;
        // If t is beyond 2^50 the remainder is rounding, and at infinity NaN; k alone determines the result.
        let r = if r > -0.4 { r } else { -0.4 };
        let r = if r < 0.4 { r } else { 0.4 };
        exp_near_zero(r)
    });
    (p, k)
}

/// ln 2 in two parts; the first has trailing zeros, so that its product with a whole number is exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;

/// The same number, normalised to m in [1, 2).
#[inline(always)]
fn normalised(m: Doubles, e: Doubles) -> Scaled {
    const MANTISSA: u64 = (1 << 52) - 1;
    // The bits of a double whose lowest bits hold a small whole number.
    const WHOLE: u64 = 0x4330_0000_0000_0000;
    let shift = m.each(|m| f64::from_bits((m.to_bits() >> 52) | WHOLE) - (4_503_599_627_370_496.0 + 1023.0));
    let m = m.each(|m| f64::from_bits((m.to_bits() & MANTISSA) | (1023 << 52)));
    Scaled { m, e: e.add(shift) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_exponentials() {
        for i in 0..4000 {
            let t = -f64::from(i) * 0.173;
            let (p, k) = exp_parts(Doubles::splat(t));
            let (p, k) = (p.get(3), k.get(3));
            assert!((0.7..1.42).contains(&p) && k.fract() == 0.0, "{t}: {p} {k}");
            assert!((p.ln() + k * std::f64::consts::LN_2 - t).abs() <= 1e-15 * t.abs().max(1.0), "{t}");
        }
        let (p, k) = exp_parts(Doubles::splat(f64::NEG_INFINITY));
        assert!((0.6..1.5).contains(&p.get(0)) && k.get(0) == f64::NEG_INFINITY);
        let (p, k) = exp_parts(Doubles::splat(-1e300));
        assert!(
            (0.6..1.5).contains(&p.get(0))
                && (k.get(0) * std::f64::consts::LN_2 / -1e300 - 1.0).abs() < 1e-15
        );
    }

    #[test]
    fn normalising_preserves_the_value() {
        for v in [1.0, 1.5, 3.999, 0.7, 1e-300, 7e200] {
            let s = normalised(Doubles::splat(v), Doubles::splat(5.0));
            assert!((1.0..2.0).contains(&s.m.get(0)));
            assert_eq!(s.m.get(0) * 2f64.powi(s.e.get(0) as i32 - 5), v);
        }
        assert_eq!(power(Doubles::splat(-3.0)).get(0), 0.125);
        assert_eq!(power(Doubles::splat(0.0)).get(0), 1.0);
        assert!(power(Doubles::splat(NOTHING)).get(0) < 1e-300);
    }
}
