//! Features from quantiles of intervals: QUANT.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use rustfft::num_complex::Complex;
use rustfft::{Fft, FftPlanner};

use super::features::{MapOptions, SCALE, Scale, SeriesMap, SeriesShape, SeriesView};
use crate::budget;
use crate::data::Series;
use crate::distance::series::{CHANNEL, Channel, SERIES};
use crate::error::{Error, Result};
use crate::kernel::{Definiteness, Domain, Facts, Parameter, declared};

/// Quantiles of a series within dyadic intervals: the whole, halves, quarters, …, and the same intervals moved by half
/// their length.
///
/// An interval of m time steps has 1 + (m - 1)/`every` quantiles, evenly spaced from the smallest to the largest value;
/// with one, it is the median. The mean of the interval is subtracted from every second quantile. The intervals are those
/// of the series, of their smoothed differences, of their second differences and, with `fourier`, of the magnitudes of
/// their Fourier transform; of each channel.
///
/// Series of another length than the longest training series are resampled to it.
///
/// Parameters: `depth`, the number of halvings plus one; `every`; `fourier`; `channel`. Cost: `depth` sorts of each
/// series, once.
///
/// Reference: Dempster, Schmidt & Webb 2024, QUANT: a minimalist interval method for time series classification.
///
/// ```
/// use mercer_core::{data::Series, kernel::FeatureMap, series::{Intervals, Scale, SeriesMap}};
/// let x = [Series::new(1, vec![5.0, 1.0, 4.0, 2.0, 3.0])?];
/// let map = Intervals::new(1, 2)?.with_fourier(false).with_scale(Scale::None).fit(&x)?;
/// // The smallest value, the median minus the mean, the largest value.
/// assert_eq!(map.features(&x)?.values.to_dense().row(0)[..3], [1.0, 0.0, 5.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Intervals {
    depth: usize,
    every: usize,
    fourier: bool,
    scale: Scale,
    channel: usize,
}

impl Intervals {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "intervals",
        summary: "Quantiles of series within dyadic intervals, of their differences and of their Fourier transform: QUANT.",
        formula: "φ(x)·φ(y), φ(x) = quantiles of x within intervals of length n, n/2, n/4, …, every second one minus the mean of the interval",
        takes: "series; fitted to the training series",
        kinds: SERIES,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "depth",
                default: "6",
                domain: Domain::Whole(1, 16),
                doc: "sizes of intervals: the whole, halves, quarters, …",
                alias: None,
            },
            Parameter {
                name: "every",
                default: "4",
                domain: Domain::Whole(1, 1 << 31),
                doc: "time steps for each quantile",
                alias: None,
            },
            Parameter {
                name: "fourier",
                default: "yes",
                domain: Domain::Word(&["no", "yes"]),
                doc: "whether to add the magnitudes of frequencies",
                alias: None,
            },
            SCALE,
            CHANNEL,
        ],
        cost: "depth sorts of each series, once; then one multiplication per feature for each pair",
        reference: "Dempster, Schmidt & Webb 2024, QUANT",
        example: "intervals(depth=4)",
    };

    /// Intervals of `depth` sizes with a quantile for every so many time steps.
    pub fn new(depth: usize, every: usize) -> Result<Self> {
        Self::FACTS.check("depth", depth as f64)?;
        Self::FACTS.check("every", every as f64)?;
        Ok(Intervals { depth, every, fourier: true, scale: Scale::Standard, channel: 0 })
    }

    /// Sets whether to use the Fourier transform.
    #[must_use]
    pub fn with_fourier(self, fourier: bool) -> Self {
        Intervals { fourier, ..self }
    }

    /// Sets the scaling of features.
    #[must_use]
    pub fn with_scale(self, scale: Scale) -> Self {
        Intervals { scale, ..self }
    }

    /// Selects one channel, from 1; 0 selects all.
    #[must_use]
    pub fn on(self, channel: usize) -> Self {
        Intervals { channel, ..self }
    }
}

declared!(Intervals { depth, every, fourier, scale, channel as Channel });

/// What intervals are taken of.
const REPRESENTATIONS: [&str; 4] = ["", "differences, ", "second differences, ", "frequencies, "];

/// The length of a representation of a series.
fn length_of(representation: usize, length: usize) -> usize {
    match representation {
        0 => length,
        1 => length.saturating_sub(1),
        2 => length.saturating_sub(2),
        _ => length / 2 + 1,
    }
}

/// An interval of one representation.
#[derive(Clone, Debug)]
struct Interval {
    representation: usize,
    range: Range<usize>,
    quantiles: usize,
    /// Its first feature, among those of a channel.
    first: usize,
}

/// The intervals of a fitted map.
#[doc(hidden)]
#[derive(Clone)]
pub struct IntervalsPlan {
    intervals: Vec<Interval>,
    /// The number of features of a channel.
    width: usize,
    length: usize,
    channels: usize,
    fft: Option<Arc<dyn Fft<f64>>>,
}

impl fmt::Debug for IntervalsPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IntervalsPlan").field("length", &self.length).field("width", &self.width).finish()
    }
}

/// The dyadic intervals of `length` values: each size, and each size from two intervals on moved by half of it, unless
/// most intervals have one value.
fn dyadic(length: usize, depth: usize) -> Vec<Range<usize>> {
    let mut all = Vec::new();
    let Some(sizes) = length.checked_ilog2() else { return all };
    for level in 0..depth.min(sizes as usize + 1) {
        let count = 1usize << level;
        let bound = |i: usize| (i as u128 * length as u128 / count as u128) as usize;
        let own: Vec<Range<usize>> = (0..count).map(|i| bound(i)..bound(i + 1)).collect();
        let mut lengths: Vec<usize> = own.iter().map(Range::len).collect();
        lengths.sort_unstable();
        let shift = length.div_ceil(2 * count);
        let moves = count > 1 && lengths[(count - 1) / 2] > 1;
        let moved: Vec<Range<usize>> = match moves {
            true => own[..count - 1].iter().map(|r| r.start + shift..r.end + shift).collect(),
            false => Vec::new(),
        };
        all.extend(own);
        all.extend(moved);
    }
    all
}

impl IntervalsPlan {
    /// The representations of a channel, in double precision, each with the magnitude up to which its values are rounding
    /// errors.
    fn representations(&self, x: &[f64]) -> [(Vec<f64>, f64); 4] {
        let first: Vec<f64> = x.windows(2).map(|w| w[1] - w[0]).collect();
        let second = first.windows(2).map(|w| w[1] - w[0]).collect();
        // The mean of five, with the ends repeated.
        let last = first.len().saturating_sub(1);
        let near = |t: usize| (t..t + 5).map(|k| first[k.saturating_sub(2).min(last)]).sum::<f64>() / 5.0;
        let smooth = (0..first.len()).map(near).collect();
        let magnitudes = match &self.fft {
            Some(fft) => {
                let mut values: Vec<Complex<f64>> = x.iter().map(|&v| Complex::new(v, 0.0)).collect();
                fft.process(&mut values);
                values[..length_of(3, x.len())].iter().map(|v| v.re.hypot(v.im)).collect()
            }
            None => Vec::new(),
        };
        let largest = x.iter().fold(0.0f64, |most, v| most.max(v.abs()));
        let total: f64 = x.iter().map(|v| v.abs()).sum();
        let (each, all) = (ROUNDING * largest, ROUNDING * total);
        [(x.to_vec(), each), (smooth, each), (second, each), (magnitudes, all)]
    }

    /// The interval of a feature, and its number within.
    fn find(&self, at: usize) -> Option<(&Interval, usize)> {
        let at = at % self.width.max(1);
        let found = self.intervals.partition_point(|i| i.first <= at).checked_sub(1)?;
        self.intervals.get(found).map(|i| (i, at - i.first))
    }
}

/// Differences and sums of values below this share of them are rounding errors, and are taken as 0: their deviation must
/// not be scaled to 1.
const ROUNDING: f64 = 1e-9;

/// Writes the quantiles of some values, which it sorts; those up to `floor` are 0.
fn quantiles(values: &mut [f64], floor: f64, out: &mut [f32]) {
    let (n, count) = (values.len(), out.len());
    let mean = values.iter().sum::<f64>() / n.max(1) as f64;
    values.sort_unstable_by(f64::total_cmp);
    for (i, to) in out.iter_mut().enumerate() {
        let position = match count {
            1 => (n - 1) as f64 / 2.0,
            _ => (n - 1) as f64 * i as f64 / (count - 1) as f64,
        };
        let below = position as usize;
        let (low, high) = (values[below], values[(below + 1).min(n - 1)]);
        let quantile = low + (high - low) * (position - below as f64);
        let value = if i % 2 == 1 { quantile - mean } else { quantile };
        *to = if value.abs() <= floor { 0.0 } else { value as f32 };
    }
}

impl SeriesMap for Intervals {
    type Plan = IntervalsPlan;

    fn options(&self) -> MapOptions {
        MapOptions { channel: self.channel, scale: self.scale }
    }

    fn plan(&self, shape: SeriesShape, constants: Vec<f32>) -> Result<IntervalsPlan> {
        if !constants.is_empty() {
            return Err(Error::usage("intervals have no constants"));
        }
        let length = shape.length;
        let (mut intervals, mut width) = (Vec::new(), 0);
        for representation in 0..if self.fourier { 4 } else { 3 } {
            for range in dyadic(length_of(representation, length), self.depth) {
                let quantiles = 1 + (range.len() - 1) / self.every;
                intervals.push(Interval { representation, range, quantiles, first: width });
                width += quantiles;
            }
        }
        // The plan of a transform has tables as long as a series.
        budget::ask("a Fourier transform", budget::matrix_bytes(length, 4, size_of::<Complex<f64>>()))?;
        let fft = self.fourier.then(|| FftPlanner::new().plan_fft_forward(length));
        Ok(IntervalsPlan { intervals, width, length, channels: shape.channels, fft })
    }

    fn width(plan: &IntervalsPlan) -> usize {
        plan.width * plan.channels
    }

    fn write(plan: &IntervalsPlan, series: &SeriesView<'_>, out: &mut [f32]) -> Result<()> {
        let mut sorted = Vec::new();
        budget::ask("a resampled series", budget::matrix_bytes(plan.length, 8, size_of::<f64>()))?;
        for (c, out) in out.chunks_exact_mut(plan.width.max(1)).enumerate() {
            let own = series.channel(c);
            let resampled = match own.len() == plan.length {
                true => own.to_vec(),
                false => Series::new(1, own.to_vec())?.resampled(plan.length).values().to_vec(),
            };
            let all = plan.representations(&resampled);
            for interval in &plan.intervals {
                budget::check_after(interval.range.len())?;
                let (values, floor) = &all[interval.representation];
                sorted.clear();
                sorted.extend_from_slice(&values[interval.range.clone()]);
                quantiles(&mut sorted, *floor, &mut out[interval.first..interval.first + interval.quantiles]);
            }
        }
        Ok(())
    }

    /// Such as `quantile 0.25 of steps 1 to 64`.
    fn name(plan: &IntervalsPlan, at: usize) -> String {
        let Some((interval, number)) = plan.find(at) else { return String::new() };
        let Interval { representation, range, quantiles, .. } = interval;
        let share = if *quantiles == 1 { 0.5 } else { number as f64 / (quantiles - 1) as f64 };
        let minus = if number % 2 == 1 { " minus mean" } else { "" };
        let channel = match plan.channels {
            1 => String::new(),
            _ => format!(", channel {}", at / plan.width.max(1) + 1),
        };
        let of = REPRESENTATIONS[*representation];
        format!("quantile {share:.3}{minus}({of}steps {} to {}{channel})", range.start + 1, range.end)
    }

    fn places(
        plan: &IntervalsPlan,
        series: &SeriesView<'_>,
        visit: &mut dyn FnMut(usize, [u32; 2]),
    ) -> Result<()> {
        let last = series.len().saturating_sub(1);
        for channel in 0..plan.channels {
            // Frequencies have no place in the series.
            for interval in plan.intervals.iter().filter(|i| i.representation < 3) {
                let range = &interval.range;
                let at = |t: usize| (t as u128 * series.len() as u128 / plan.length.max(1) as u128) as usize;
                let place = [at(range.start), at(range.end - 1 + interval.representation)];
                let place = place.map(|t| t.min(last) as u32);
                budget::check_after(interval.quantiles)?;
                for k in 0..interval.quantiles {
                    visit(channel * plan.width + interval.first + k, place);
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::{FeatureMap, Kernel};

    #[test]
    fn intervals_as_published() {
        // Those of `_make_intervals` of aeon 1.6 for 10 time steps, depth 3.
        assert_eq!(dyadic(10, 3), [0..10, 0..5, 5..10, 3..8, 0..2, 2..5, 5..7, 7..10, 2..4, 4..7, 7..9]);
        assert_eq!((dyadic(1, 6).len(), dyadic(1, 6)[0].clone()), (1, 0..1));
        assert!(dyadic(0, 6).is_empty());
        for length in 1..200 {
            assert!(dyadic(length, 8).iter().all(|r| !r.is_empty() && r.end <= length), "{length}");
        }
    }

    #[test]
    fn features_of_a_small_series() {
        let x = [Series::new(1, vec![1.0, 4.0, 2.0, 8.0]).unwrap()];
        let fitted = Intervals::new(2, 2).unwrap().with_scale(Scale::None).fit(&x).unwrap();
        let found = fitted.prepare(&x).unwrap();
        let names = fitted.features(&x).unwrap().names;
        let want: Vec<(f32, &str)> = vec![
            (1.0, "quantile 0.000(steps 1 to 4)"),
            (4.25, "quantile 1.000 minus mean(steps 1 to 4)"),
            (2.5, "quantile 0.500(steps 1 to 2)"),
            (5.0, "quantile 0.500(steps 3 to 4)"),
            (3.0, "quantile 0.500(steps 2 to 3)"),
        ];
        for ((found, name), (value, wanted)) in found.rows().row(0).iter().zip(&names).zip(&want) {
            assert_eq!((*found, name.as_str()), (*value, *wanted));
        }
        // The magnitudes of frequencies 0, 1, 2 are 15, √17, 9.
        let last: Vec<f32> = found.rows().row(0)[found.rows().cols() - 4..].to_vec();
        let want = [17f32.sqrt(), 15.0 - (15.0 + 17f32.sqrt() + 9.0) / 3.0, 15.0, (9.0 + 17f32.sqrt()) / 2.0];
        assert!(last.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-5), "{last:?} {want:?}");
    }

    #[test]
    fn other_lengths_are_resampled_and_placed() {
        let series = [
            Series::new(2, (0..40).map(|t| f64::from(t).sin()).collect()).unwrap(),
            Series::new(2, (0..14).map(|t| f64::from(t).cos()).collect()).unwrap(),
            Series::new(2, vec![1.0, 2.0]).unwrap(),
        ];
        let fitted = Intervals::new(6, 4).unwrap().fit(&series).unwrap();
        assert!(fitted.prepare(&series).unwrap().rows().values().iter().all(|v| v.is_finite()));
        let mut seen = vec![0; fitted.width()];
        fitted
            .places(&series[1..2], &mut |feature, place| {
                seen[feature as usize] += 1;
                assert!(place[0] <= place[1] && place[1] < 7, "{place:?}");
            })
            .unwrap();
        let frequencies = fitted.features(&series).unwrap().names;
        assert!(
            seen.iter().zip(&frequencies).all(|(n, name)| *n == usize::from(!name.contains("frequencies")))
        );
    }
}
