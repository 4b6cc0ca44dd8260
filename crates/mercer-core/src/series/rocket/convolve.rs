//! Convolutions of a series with the 84 kernels at one dilation.
//!
//! A kernel has nine weights, three of them 2 and six -1. With α(t) = -Σ x(t + (j - 4)·d) over all nine weights j, the
//! convolution is α(t) + 3·x(t + (a - 4)·d) + 3·x(t + (b - 4)·d) + 3·x(t + (c - 4)·d) for the three weights a, b, c, so
//! that one α serves all kernels. Sums are in single precision and in this order; beyond the ends of a series there are
//! zeros.

use std::ops::Range;

use super::super::features::SeriesView;
use crate::budget;
use crate::error::Result;

/// The number of weights of a kernel.
pub(super) const WEIGHTS: usize = 9;
/// The number of kernels.
pub(super) const KERNELS: usize = 84;
/// Values that are compared with a threshold at a time.
pub(super) const LANES: usize = 16;

/// The three large weights of each kernel.
pub(super) const LARGE: [[usize; 3]; KERNELS] = {
    let (mut all, mut at, mut a) = ([[0; 3]; KERNELS], 0, 0);
    while a < WEIGHTS {
        let mut b = a + 1;
        while b < WEIGHTS {
            let mut c = b + 1;
            while c < WEIGHTS {
                all[at] = [a, b, c];
                at += 1;
                c += 1;
            }
            b += 1;
        }
        a += 1;
    }
    all
};

/// A series in memory, ready for convolutions.
#[derive(Default)]
pub(super) struct Padded {
    /// Channel after channel, with zeros before and after each.
    values: Vec<f32>,
    /// Three times the values.
    tripled: Vec<f32>,
    /// α of each channel at the present dilation.
    alpha: Vec<f32>,
    /// The values of one convolution, in whole lanes.
    convolved: Vec<[f32; LANES]>,
    len: usize,
    pad: usize,
}

impl Padded {
    /// Copies the chosen channels of a series, or their differences, for dilations up to `widest`.
    pub(super) fn load(&mut self, series: &SeriesView<'_>, differences: bool, widest: usize) -> Result<()> {
        self.len = series.len() - usize::from(differences);
        self.pad = (WEIGHTS / 2).saturating_mul(widest);
        let stride = self.stride();
        let numbers = 3 * stride.saturating_mul(series.channels());
        budget::ask("a series with zeros around it", budget::matrix_bytes(numbers, 1, size_of::<f32>()))?;
        self.values.clear();
        self.values.resize(stride * series.channels(), 0.0);
        for (c, to) in self.values.chunks_exact_mut(stride.max(1)).enumerate() {
            let (to, from) = (&mut to[self.pad..self.pad + self.len], series.channel(c));
            match differences {
                false => to.iter_mut().zip(from).for_each(|(to, v)| *to = *v as f32),
                true => {
                    to.iter_mut().zip(from.windows(2)).for_each(|(to, v)| *to = v[1] as f32 - v[0] as f32)
                }
            }
        }
        self.tripled.clear();
        self.tripled.extend(self.values.iter().map(|v| 3.0 * v));
        self.alpha.resize(self.len * series.channels(), 0.0);
        Ok(())
    }

    fn stride(&self) -> usize {
        self.len.saturating_add(self.pad.saturating_mul(2))
    }

    /// The number of time steps.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Computes α for a dilation.
    #[inline(always)]
    pub(super) fn dilate(&mut self, dilation: usize) {
        let (stride, len, pad) = (self.stride(), self.len, self.pad);
        for (c, alpha) in self.alpha.chunks_exact_mut(len.max(1)).enumerate() {
            let own = &self.values[c * stride..(c + 1) * stride];
            alpha.iter_mut().zip(&own[pad..pad + len]).for_each(|(a, v)| *a = -v);
            for weight in (0..WEIGHTS).filter(|w| *w != WEIGHTS / 2) {
                let at = pad + weight * dilation - WEIGHTS / 2 * dilation;
                alpha.iter_mut().zip(&own[at..at + len]).for_each(|(a, v)| *a -= v);
            }
        }
    }

    /// The time steps at which a kernel is used: all of them if `padded`, otherwise those at which all weights lie within
    /// the series, or all if there are none.
    pub(super) fn steps(&self, dilation: usize, padded: bool) -> Range<usize> {
        let margin = WEIGHTS / 2 * dilation;
        match padded || 2 * margin >= self.len {
            true => 0..self.len,
            false => margin..self.len - margin,
        }
    }

    /// The convolution at some time steps, summed over channels; the last lanes are filled with -∞, which no threshold
    /// is below.
    #[inline(always)]
    pub(super) fn convolve(
        &mut self,
        kernel: usize,
        dilation: usize,
        channels: &[u32],
        steps: Range<usize>,
    ) -> &[[f32; LANES]] {
        let (stride, n) = (self.stride(), steps.len());
        self.convolved.resize(n.div_ceil(LANES), [0.0; LANES]);
        let flat = self.convolved.as_flattened_mut();
        let (out, rest) = flat.split_at_mut(n);
        rest.fill(f32::NEG_INFINITY);
        for (order, &channel) in channels.iter().enumerate() {
            let (channel, start) = (channel as usize, steps.start);
            let alpha = &self.alpha[channel * self.len + start..][..n];
            let own = &self.tripled[channel * stride + self.pad + start - WEIGHTS / 2 * dilation..];
            let [a, b, c] = LARGE[kernel].map(|weight| &own[weight * dilation..][..n]);
            let sums = alpha.iter().zip(a).zip(b).zip(c).map(|(((alpha, a), b), c)| ((alpha + a) + b) + c);
            match order {
                0 => out.iter_mut().zip(sums).for_each(|(to, v)| *to = v),
                _ => out.iter_mut().zip(sums).for_each(|(to, v)| *to += v),
            }
        }
        &self.convolved
    }
}

/// Writes the share of values above each threshold.
///
/// Thresholds are taken one by one, as a plain count: the values stay in the first cache, and loops over several thresholds
/// or over lanes were compiled into gathers.
#[inline(always)]
pub(super) fn shares(values: &[[f32; LANES]], n: usize, thresholds: &[f32], out: &mut [f32]) {
    let values = values.as_flattened();
    for (to, &threshold) in out.iter_mut().zip(thresholds) {
        let count: u32 = values.iter().map(|v| u32::from(*v > threshold)).sum();
        *to = (f64::from(count) / n.max(1) as f64) as f32;
    }
}

/// The four poolings of the values above a threshold: their share, the mean of what they exceed it by, their mean
/// position, and their longest run. Positions and runs are shares of the number of values. Without any, the position is
/// one step before the first.
#[inline(always)]
pub(super) fn pooled(values: &[[f32; LANES]], n: usize, threshold: f32) -> [f32; 4] {
    let mut sums = [0.0f32; LANES];
    let (mut count, mut positions, mut run, mut longest) = (0u64, 0u64, 0u64, 0u64);
    for (word, four) in values.chunks(4).enumerate() {
        let mut bits = 0u64;
        for (k, lanes) in four.iter().enumerate() {
            let mut mask = 0u16;
            for (l, v) in lanes.iter().enumerate() {
                let above = *v > threshold;
                mask |= u16::from(above) << l;
                sums[l] += if above { *v - threshold } else { 0.0 };
            }
            bits |= u64::from(mask) << (k * LANES);
        }
        let own = u64::from(bits.count_ones());
        count += own;
        positions += word as u64 * 64 * own + sum_of_places(bits);
        if bits == u64::MAX {
            run += 64;
            longest = longest.max(run);
        } else {
            longest = longest.max(run + u64::from(bits.trailing_ones())).max(longest_run(bits));
            run = u64::from(bits.leading_ones());
        }
    }
    let n = n.max(1) as f64;
    let (sum, found) = (sums.iter().map(|s| f64::from(*s)).sum::<f64>(), count as f64);
    match count {
        0 => [0.0, 0.0, (-1.0 / n) as f32, 0.0],
        _ => [
            (found / n) as f32,
            (sum / found) as f32,
            (positions as f64 / found / n) as f32,
            (longest as f64 / n) as f32,
        ],
    }
}

/// The sum of the places of the ones of a word.
#[inline(always)]
fn sum_of_places(bits: u64) -> u64 {
    const PLACES: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];
    PLACES.iter().enumerate().map(|(k, mask)| u64::from((bits & mask).count_ones()) << k).sum()
}

/// The longest run of ones within a word.
#[inline(always)]
fn longest_run(mut bits: u64) -> u64 {
    let mut length = 0;
    while bits != 0 {
        bits &= bits << 1;
        length += 1;
    }
    length
}

/// Calls `visit` with the first and last index of each run of values above a threshold.
pub(super) fn runs(values: &[[f32; LANES]], threshold: f32, visit: &mut dyn FnMut(usize, usize)) {
    let mut start = None;
    for (t, v) in values.as_flattened().iter().enumerate() {
        match (*v > threshold, start) {
            (true, None) => start = Some(t),
            (false, Some(first)) => {
                visit(first, t - 1);
                start = None;
            }
            _ => {}
        }
    }
    if let Some(first) = start {
        visit(first, values.as_flattened().len() - 1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn lanes(values: &[f32]) -> Vec<[f32; LANES]> {
        let mut out = vec![[f32::NEG_INFINITY; LANES]; values.len().div_ceil(LANES)];
        out.as_flattened_mut()[..values.len()].copy_from_slice(values);
        out
    }

    #[test]
    fn kernels_are_all_triples_in_order() {
        assert_eq!((LARGE[0], LARGE[1], LARGE[83]), ([0, 1, 2], [0, 1, 3], [6, 7, 8]));
        assert!(LARGE.is_sorted() && LARGE.iter().all(|[a, b, c]| a < b && b < c && *c < WEIGHTS));
    }

    #[test]
    fn poolings_by_plain_loops() {
        let mut random = Random::new(5);
        for n in [1, 7, 16, 63, 64, 65, 200, 321] {
            let smooth = n % 2 == 0;
            let mut level = 0.0;
            let values: Vec<f32> = (0..n)
                .map(|_| {
                    level = if smooth { 0.95 * level } else { 0.0 } + random.normal();
                    level as f32
                })
                .collect();
            let c = lanes(&values);
            for threshold in [-100.0f32, -0.7, 0.0, 0.1, 1.3, 100.0] {
                let above: Vec<usize> = (0..n).filter(|&t| values[t] > threshold).collect();
                let (mut run, mut longest) = (0, 0);
                for v in &values {
                    run = if *v > threshold { run + 1 } else { 0 };
                    longest = longest.max(run);
                }
                let share = above.len() as f64 / n as f64;
                let count = above.len().max(1) as f64;
                let mean = above.iter().map(|&t| f64::from(values[t] - threshold)).sum::<f64>() / count;
                let place = match above.is_empty() {
                    true => -1.0,
                    false => above.iter().sum::<usize>() as f64 / count,
                };
                let want = [share, mean, place / n as f64, f64::from(longest) / n as f64];
                let found = pooled(&c, n, threshold);
                for (a, b) in found.iter().zip(want) {
                    assert!(
                        (f64::from(*a) - b).abs() < 1e-5 * (1.0 + b.abs()),
                        "{n} {threshold}: {found:?} {want:?}"
                    );
                }
                let mut out = [0.0; 5];
                shares(&c, n, &[threshold; 5], &mut out);
                assert_eq!(out, [share as f32; 5]);
                let mut found = Vec::new();
                runs(&c, threshold, &mut |a, b| found.extend(a..=b));
                assert_eq!(found, above);
            }
        }
    }
}
