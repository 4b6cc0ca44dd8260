//! One power of two for all cells of a row.

use std::cell::Cell;

use super::super::lanes::{Doubles, Lanes};
use super::super::programme::{Near, Points, Rule};
use super::super::{Aligned, PreparedSeries};
use super::{Local, SHIFT};
use crate::kernel::Part;

/// Local similarities whose sums are computed with a power of two for each row. A sum that may have lost something is NaN.
///
/// `DIVISIBLE` tells which kind they are: in a loop over cells it must not be asked.
pub(super) struct Quick<const DIVISIBLE: bool>(pub(super) Local);

/// Rows that are kept start at 2^20 at most, and along a row of m cells values grow by 2m at most, so in the four rows of a
/// block they stay below 2^88. A local similarity below 2^-999 counts as that, which adds less than 2^-911, and less than
/// 2^-861 by the end of the block: nothing beside cells that are not faint.
const LONGEST: usize = 1 << 16;
const HIGH: f64 = 1_048_576.0;
const LOW: f64 = 1.0 / HIGH;
const FAINT: f64 = 1e-240;

/// Whether series are so long that values could grow beyond what is allowed for.
pub(super) fn is_too_long(series: &Part<'_, PreparedSeries>) -> bool {
    let plane = series.set.planes().first();
    plane.is_some_and(|plane| series.range.clone().any(|i| plane.len_of(i) > LONGEST))
}

impl<const DIVISIBLE: bool> Aligned<Doubles> for Quick<DIVISIBLE> {
    type Of<P: Points<Doubles>> = Rows<P, DIVISIBLE>;

    #[inline(always)]
    fn of<P: Points<Doubles>>(&self, points: P, _n: usize, _m: usize) -> Rows<P, DIVISIBLE> {
        let scale = match self.0 {
            Local::Gaussian { scale } => -scale,
            Local::Divisible { scale, .. } => scale,
        };
        Rows {
            points,
            scale: Doubles::splat(scale * std::f64::consts::LOG2_E),
            // A little less than 1000, for rounding.
            farthest: Doubles::splat((999.0 / (scale * std::f64::consts::LOG2_E).abs()).min(f64::MAX)),
            lowest: Cell::new(Doubles::INFINITY),
            taken: Cell::new(Doubles::ZERO),
        }
    }
}

pub(super) struct Rows<P, const DIVISIBLE: bool> {
    points: P,
    /// From squared distances to the exponent of a local similarity, or of one over it.
    scale: Doubles,
    /// Beyond this squared distances count as this.
    farthest: Doubles,
    /// The least cell that was kept so far, of each pair.
    lowest: Cell<Doubles>,
    /// The power of two that was taken out of cells so far.
    taken: Cell<Doubles>,
}

impl<P: Points<Doubles>, const DIVISIBLE: bool> Rule<Doubles> for Rows<P, DIVISIBLE> {
    type Row<'a>
        = P::Row<'a>
    where
        Self: 'a;
    type Column<'a>
        = P::Column<'a>
    where
        Self: 'a;
    type Cell = Doubles;
    const OUTSIDE: Doubles = Doubles::ZERO;
    const CORNER: Doubles = Doubles::all(1.0);

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
        _at: (usize, usize),
        row: P::Row<'_>,
        column: P::Column<'_>,
        near: Near<Doubles>,
    ) -> Doubles {
        let squared = self.points.squared(row, column).min(self.farthest);
        let e = squared.with(self.scale, power_of_product);
        // This order, so that a pair turned round has the same bits.
        let sum = near.up.add(near.left).add(near.diagonal);
        match DIVISIBLE {
            // e/(2 - e) is 1/(2/e - 1), and here is 1/e.
            true => sum.with(e, |sum, inverse| sum / inverse.mul_add(2.0, -1.0)),
            false => sum.mul(e),
        }
    }

    #[inline(always)]
    fn value(&self, cell: Doubles, lane: usize) -> f64 {
        match self.lowest.get().get(lane) >= FAINT {
            true => cell.get(lane).ln() + self.taken.get().get(lane) * std::f64::consts::LN_2,
            false => f64::NAN,
        }
    }

    #[inline(always)]
    fn kept(&self, row: &mut [Doubles]) {
        let (mut low, mut high) = (Doubles::INFINITY, Doubles::ZERO);
        for &cell in row.iter() {
            (low, high) = (low.min(cell), high.max(cell));
        }
        self.lowest.set(self.lowest.get().min(low));
        let within = |lane| (LOW..=HIGH).contains(&high.get(lane));
        if (0..Doubles::WIDTH).all(within) {
            return;
        }
        // The exponent of the highest cell; a pair that has none is lost already.
        let exponent = high.each(|v| f64::from(((v.to_bits() >> 52) as i32 - 1023).clamp(-1000, 1000)));
        let factor = exponent.each(|e| f64::from_bits(((1023.0 - e) as u64) << 52));
        row.iter_mut().for_each(|cell| *cell = cell.mul(factor));
        self.taken.set(self.taken.get().add(exponent));
    }

    /// A pair begins here.
    #[inline(always)]
    fn upper_border(&self, _y: &[Doubles], out: &mut [Doubles]) {
        out.fill(Self::OUTSIDE);
        self.lowest.set(Doubles::INFINITY);
        self.taken.set(Doubles::ZERO);
    }
}

/// 2^(a·b) for |a·b| up to 1000.
///
/// Fused operations are asked for by name, half as many as others would be. They give the same bits everywhere; a processor
/// that does not have them takes longer.
#[inline(always)]
fn power_of_product(a: f64, b: f64) -> f64 {
    let shifted = a.mul_add(b, SHIFT);
    let r = a.mul_add(b, SHIFT - shifted);
    // The polynomial of degree 10 for 2^r, |r| ≤ 1/2, with the least largest error, 2.2e-16: even and odd terms apart.
    let s = r * r;
    let even = C[10].mul_add(s, C[8]).mul_add(s, C[6]).mul_add(s, C[4]).mul_add(s, C[2]).mul_add(s, C[0]);
    let odd = C[9].mul_add(s, C[7]).mul_add(s, C[5]).mul_add(s, C[3]).mul_add(s, C[1]);
    let power = odd.mul_add(r, even);
    // The whole part is added to the exponent.
    f64::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 52))
}

// The second is close to ln 2, but is the one that makes the largest error least.
#[allow(clippy::approx_constant)]
const C: [f64; 11] = [
    1.0,
    0.693_147_180_559_95,
    0.240_226_506_959_100_97,
    0.055_504_108_664_447_72,
    0.009_618_129_107_606_888,
    0.001_333_355_823_016_497_4,
    0.000_154_035_304_417_360_5,
    1.525_265_726_020_083_7e-5,
    1.321_544_258_792_169e-6,
    1.020_869_029_995_830_6e-7,
    7.072_585_949_269_223e-9,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two() {
        for i in 0..20_000 {
            let (a, b) = (f64::from(i) * 0.0333, if i % 2 == 0 { 1.5 } else { -1.5 });
            let (found, exact) = (power_of_product(a, b), (a * b).exp2());
            assert!(
                (found / exact - 1.0).abs() < 4e-16 + 1e-16 * (a * b).abs(),
                "{a} {b}: {found:e} {exact:e}"
            );
        }
        assert_eq!(power_of_product(0.0, 3.0), 1.0);
        assert_eq!(power_of_product(999.0, 1.0), 999f64.exp2());
        assert_eq!(power_of_product(999.0, -1.0), (-999f64).exp2());
    }
}
