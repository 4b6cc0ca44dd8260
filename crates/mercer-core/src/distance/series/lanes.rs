//! Vectors of numbers, one lane for each pair that is computed in parallel.
//!
//! These are plain arrays and loops: within [`vectorised`](crate::numeric::math::vectorised) the compiler makes one
//! instruction of each loop. A library of explicit vectors was tried and was no faster.

/// Numbers of several pairs, one per lane.
pub(super) trait Lanes: Copy + Send + Sync {
    /// The number type.
    type Scalar: Copy + Send + Sync + PartialOrd;
    /// Number of lanes.
    const WIDTH: usize;
    /// Larger than any finite number.
    const INFINITY: Self;
    /// Zero.
    const ZERO: Self;

    fn splat(value: Self::Scalar) -> Self;
    fn scalar(value: f64) -> Self::Scalar;
    fn get(self, lane: usize) -> f64;
    fn set(&mut self, lane: usize, value: f64);
    fn add(self, other: Self) -> Self;
    fn sub(self, other: Self) -> Self;
    fn mul(self, other: Self) -> Self;
    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;
    fn abs(self) -> Self;
    fn sqrt(self) -> Self;
    /// `yes` where `self` ≤ `bound`, `no` elsewhere.
    fn choose_le(self, bound: Self, yes: Self, no: Self) -> Self;
}

macro_rules! lanes {
    ($name:ident, $scalar:ty, $width:literal) => {
        /// An array the size of one vector register, aligned so that no load crosses cache lines.
        #[derive(Clone, Copy, Debug, PartialEq)]
        #[repr(align(64))]
        pub(super) struct $name([$scalar; $width]);

        impl $name {
            #[inline(always)]
            pub(super) fn each(mut self, f: impl Fn($scalar) -> $scalar) -> Self {
                let mut lane = 0;
                while lane < $width {
                    self.0[lane] = f(self.0[lane]);
                    lane += 1;
                }
                self
            }

            #[inline(always)]
            pub(super) fn with(mut self, other: Self, f: impl Fn($scalar, $scalar) -> $scalar) -> Self {
                let mut lane = 0;
                while lane < $width {
                    self.0[lane] = f(self.0[lane], other.0[lane]);
                    lane += 1;
                }
                self
            }
        }

        impl Lanes for $name {
            type Scalar = $scalar;
            const WIDTH: usize = $width;
            const INFINITY: Self = $name([<$scalar>::INFINITY; $width]);
            const ZERO: Self = $name([0.0; $width]);

            #[inline(always)]
            fn splat(value: $scalar) -> Self {
                $name([value; $width])
            }

            #[inline(always)]
            fn scalar(value: f64) -> $scalar {
                value as $scalar
            }

            #[inline(always)]
            fn get(self, lane: usize) -> f64 {
                self.0[lane] as f64
            }

            #[inline(always)]
            fn set(&mut self, lane: usize, value: f64) {
                self.0[lane] = value as $scalar;
            }

            #[inline(always)]
            fn add(self, other: Self) -> Self {
                self.with(other, |a, b| a + b)
            }

            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                self.with(other, |a, b| a - b)
            }

            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                self.with(other, |a, b| a * b)
            }

            // Comparisons, not `f64::min`, whose treatment of NaN takes three instructions instead of one.
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                self.with(other, |a, b| if a < b { a } else { b })
            }

            #[inline(always)]
            fn max(self, other: Self) -> Self {
                self.with(other, |a, b| if a > b { a } else { b })
            }

            #[inline(always)]
            fn abs(self) -> Self {
                self.each(<$scalar>::abs)
            }

            #[inline(always)]
            fn sqrt(self) -> Self {
                self.each(<$scalar>::sqrt)
            }

            #[inline(always)]
            fn choose_le(self, bound: Self, yes: Self, no: Self) -> Self {
                let mut out = no;
                let mut lane = 0;
                while lane < $width {
                    out.0[lane] = if self.0[lane] <= bound.0[lane] { yes.0[lane] } else { no.0[lane] };
                    lane += 1;
                }
                out
            }
        }
    };
}

lanes!(Doubles, f64, 8);
lanes!(Singles, f32, 16);

impl Doubles {
    /// The same number in every lane.
    pub(super) const fn all(value: f64) -> Self {
        Doubles([value; 8])
    }
}
