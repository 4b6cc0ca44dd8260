//! One exponent for a few cells at a time.

use std::cell::Cell;

use super::super::Aligned;
use super::super::lanes::{Doubles, Lanes};
use super::super::programme::{Near, Points, Rule};
use super::{Local, SHIFT, power};

/// Sums of local similarities with one exponent for each part of four rows and [`STRIDE`] columns. A sum that may have
/// lost digits is NaN.
///
/// The alternative was one exponent for whole rows. Then cells far from the best alignment are soon lost, and most
/// pairs of random walks had to be recomputed.
///
/// `DIVISIBLE` is the kind of similarity, as a constant, because a branch in the loop over cells is too slow.
pub(super) struct Quick<const DIVISIBLE: bool>(pub(super) Local);

/// The number of columns of a part.
///
/// All values that enter a part are brought to one scale, on which the largest is below 2. A cell is at most the sum of
/// its three neighbours, and paths through the part have at most 20 steps, so values stay below 2^34. A local
/// similarity below 2^-999 is raised to that, and values more than 2^1000 times smaller than the largest are dropped.
/// Both together change the result by less than 2^-930 at the end of the part, which is negligible for cells that are
/// not faint.
const STRIDE: usize = 16;
const FAINT: f64 = 1e-260;

/// The exponent of a part that contains no sum.
const NOTHING: f64 = -1e18;

impl<const DIVISIBLE: bool> Aligned<Doubles> for Quick<DIVISIBLE> {
    type Of<P: Points<Doubles>> = Rows<P, DIVISIBLE>;

    #[inline(always)]
    fn of<P: Points<Doubles>>(&self, points: P, _n: usize, m: usize) -> Rows<P, DIVISIBLE> {
        let scale = match self.0 {
            Local::Gaussian { scale } | Local::Third { scale, .. } => -scale,
            Local::Divisible { scale, .. } => scale,
        };
        Rows {
            points,
            scale: Doubles::splat(scale * std::f64::consts::LOG2_E),
            // Slightly less than 1000, because of rounding.
            farthest: Doubles::splat((999.0 / (scale * std::f64::consts::LOG2_E).abs()).min(f64::MAX)),
            lowest: vec![Cell::new(Doubles::INFINITY); m.div_ceil(STRIDE)],
            scales: vec![Cell::new(EMPTY); m.div_ceil(STRIDE)],
            here: Cell::new(EMPTY),
            span: Cell::new((f64::NEG_INFINITY, f64::INFINITY)),
            is_far: Cell::new(true),
        }
    }

    // So that the values beyond the end of a series in its last part do not depend on the series in other lanes.
    const ROUND: usize = STRIDE;
}

pub(super) struct Rows<P, const DIVISIBLE: bool> {
    points: P,
    /// From squared distances to the exponent of e, or of 1/e.
    scale: Doubles,
    /// Upper limit for squared distances.
    farthest: Doubles,
    /// The smallest cell of each part of columns so far, for each pair, on the scale of its part.
    lowest: Vec<Cell<Doubles>>,
    /// The scale of each part of the last row.
    scales: Vec<Cell<Scale>>,
    /// The scale of the current part; between parts, that of the cells passed to the right.
    here: Cell<Scale>,
    /// The largest and the smallest value of the series in lanes.
    span: Cell<(f64, f64)>,
    /// Whether some squared distance may exceed `farthest`.
    is_far: Cell<bool>,
}

/// The true value of a cell is its stored value times 2^`taken`; the largest stored value is about 2^`height`.
#[derive(Clone, Copy)]
struct Scale {
    taken: Doubles,
    height: Doubles,
}

const EMPTY: Scale = Scale { taken: Doubles::all(NOTHING), height: Doubles::ZERO };

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
        let mut squared = self.points.squared(row, column);
        if self.is_far.get() {
            squared = squared.min(self.farthest);
        }
        let e = squared.with(self.scale, power_of_product::<DIVISIBLE>);
        // In this order, so that swapping the pair gives exactly the same result.
        let sum = near.up.add(near.left).add(near.diagonal);
        match DIVISIBLE {
            // e/(2 - e) is 1/(2/e - 1), and this is 2/e. Newton iterations instead of the division take longer.
            true => sum.with(e, |sum, inverse| sum / (inverse - 1.0)),
            false => sum.mul(e),
        }
    }

    #[inline(always)]
    fn value(&self, cell: Doubles, len: usize, lane: usize) -> f64 {
        let part = (len - 1) / STRIDE;
        match self.lowest[..=part].iter().all(|low| low.get().get(lane) >= FAINT) {
            true => cell.get(lane).ln() + self.scales[part].get().taken.get(lane) * std::f64::consts::LN_2,
            false => f64::NAN,
        }
    }

    const STRIDE: usize = STRIDE;

    #[inline(always)]
    fn enter(&self, part: usize, left: &mut [Doubles], corner: &mut Doubles, above: &mut [Doubles]) {
        let carried = match part {
            // Nothing comes before the first column, except the corner where alignments start.
            0 => Scale { taken: corner.each(|c| if c > 0.0 { 0.0 } else { NOTHING }), ..EMPTY },
            _ => self.here.get(),
        };
        let own = self.scales[part].get();
        let taken = own.taken.add(own.height).max(carried.taken.add(carried.height));
        let (from_above, from_left) = (power(own.taken.sub(taken)), power(carried.taken.sub(taken)));
        above.iter_mut().for_each(|cell| *cell = cell.mul(from_above));
        left.iter_mut().for_each(|cell| *cell = cell.mul(from_left));
        *corner = corner.mul(from_left);
        self.here.set(Scale { taken, ..EMPTY });
    }

    #[inline(always)]
    fn leave(&self, part: usize, left: &mut [Doubles], corner: &mut Doubles, last: &mut [Doubles]) {
        let taken = self.here.get().taken;
        let (mut low, mut high) = (self.lowest[part].get(), Doubles::ZERO);
        for &cell in last.iter() {
            (low, high) = (low.min(cell), high.max(cell));
        }
        let mut aside = *corner;
        for &cell in left.iter() {
            (low, aside) = (low.min(cell), aside.max(cell));
        }
        self.lowest[part].set(low);
        self.scales[part].set(Scale { taken, height: exponent(high) });
        self.here.set(Scale { taken, height: exponent(aside) });
    }

    /// Called after the upper border, when both series are known.
    #[inline(always)]
    fn left_border(&self, x: &[f64], out: &mut [Doubles]) {
        out.fill(Self::OUTSIDE);
        let (high, low) = self.span.get();
        let most = x.iter().fold(0.0f64, |most, v| most.max(high - v).max(v - low));
        // The squared distance sums over channels, so it grows with the values per time step.
        let channels = (x.len() / out.len().max(1)).max(1) as f64;
        self.is_far.set(most * most * channels >= self.farthest.get(0));
    }

    /// Called first for each pair.
    #[inline(always)]
    fn upper_border(&self, y: &[Doubles], out: &mut [Doubles]) {
        out.fill(Self::OUTSIDE);
        let (high, low) = y
            .iter()
            .fold((Doubles::all(f64::NEG_INFINITY), Doubles::INFINITY), |(h, l), v| (h.max(*v), l.min(*v)));
        let lanes = || 0..Doubles::WIDTH;
        self.span.set((
            lanes().map(|lane| high.get(lane)).fold(f64::NEG_INFINITY, f64::max),
            lanes().map(|lane| low.get(lane)).fold(f64::INFINITY, f64::min),
        ));
        self.lowest.iter().for_each(|low| low.set(Doubles::INFINITY));
        self.scales.iter().for_each(|scale| scale.set(EMPTY));
    }
}

/// The exponent of a nonnegative number; for 0 the smallest exponent.
#[inline(always)]
fn exponent(v: Doubles) -> Doubles {
    // The bits of a double whose lowest bits hold a small whole number.
    const WHOLE: u64 = 0x4330_0000_0000_0000;
    v.each(|v| f64::from_bits((v.to_bits() >> 52) | WHOLE) - (4_503_599_627_370_496.0 + 1023.0))
}

/// 2^(a·b) for |a·b| up to 1000, or twice that value.
///
/// Uses explicit fused multiply-add, which halves the number of operations. The result is the same on every processor;
/// one without these instructions takes longer.
#[inline(always)]
fn power_of_product<const TWICE: bool>(a: f64, b: f64) -> f64 {
    let c = if TWICE { const { twice(C) } } else { C };
    let shifted = a.mul_add(b, SHIFT);
    let r = a.mul_add(b, SHIFT - shifted);
    // The minimax polynomial of degree 10 for 2^r, |r| ≤ 1/2, with a maximum error of 2.2e-16. The dependency between
    // cells limits the speed, not this, so the fewest operations are best.
    let mut power = c[10];
    for c in c[..10].iter().rev() {
        power = power.mul_add(r, *c);
    }
    // The whole part is added to the exponent.
    f64::from_bits(power.to_bits().wrapping_add(shifted.to_bits() << 52))
}

const fn twice(mut c: [f64; 11]) -> [f64; 11] {
    let mut at = 0;
    while at < c.len() {
        c[at] *= 2.0;
        at += 1;
    }
    c
}

// The second coefficient is close to ln 2, but is the one that minimises the maximum error.
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
            let (found, exact) = (power_of_product::<false>(a, b), (a * b).exp2());
            assert!(
                (found / exact - 1.0).abs() < 4e-16 + 1e-16 * (a * b).abs(),
                "{a} {b}: {found:e} {exact:e}"
            );
            assert_eq!(power_of_product::<true>(a, b), 2.0 * found);
        }
        assert_eq!(power_of_product::<true>(0.0, 3.0), 2.0);
        assert_eq!(power_of_product::<false>(999.0, 1.0), 999f64.exp2());
        assert_eq!(power_of_product::<false>(999.0, -1.0), (-999f64).exp2());
    }
}
