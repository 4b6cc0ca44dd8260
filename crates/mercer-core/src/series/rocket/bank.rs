//! The dilations, channels and thresholds of the kernels.

use super::super::features::{SeriesShape, SeriesView};
use super::convolve::{KERNELS, LANES, LARGE, Padded, WEIGHTS, pooled, runs, shares};
use crate::budget;
use crate::data::Ragged;
use crate::error::Result;
use crate::numeric::math::{self, vectorised};
use crate::parallel;
use crate::random::{Random, derive_seed};

/// A dilation, and the number of thresholds of each kernel at this dilation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Dilation {
    pub(super) step: usize,
    pub(super) thresholds: usize,
}

/// Dilations from 1 to the one at which nine weights span the series, evenly spaced by their logarithm. Those that are
/// equal after rounding have more thresholds instead.
pub(super) fn dilations(length: usize, thresholds: usize, most: usize) -> Vec<Dilation> {
    let count = most.min(thresholds).max(1);
    let ratio = (length.saturating_sub(1) as f64 / (WEIGHTS - 1) as f64).max(1.0);
    let mut all: Vec<Dilation> = Vec::new();
    for i in 0..count {
        let share = if count == 1 { 0.0 } else { i as f64 / (count - 1) as f64 };
        // Rounding must not turn a whole number into the one below it.
        let step = (math::exp(share * math::ln(ratio)) + 1e-9) as usize;
        match all.last_mut() {
            Some(last) if last.step == step => last.thresholds += 1,
            _ => all.push(Dilation { step, thresholds: 1 }),
        }
    }
    let factor = thresholds as f64 / count as f64;
    all.iter_mut().for_each(|d| d.thresholds = (d.thresholds as f64 * factor) as usize);
    let given: usize = all.iter().map(|d| d.thresholds).sum();
    let different = all.len();
    (given..thresholds).for_each(|i| all[(i - given) % different].thresholds += 1);
    all
}

/// The quantile that is the threshold of feature n: multiples of the golden ratio, which fill 0..1 evenly.
fn quantile(n: usize) -> f64 {
    f64::from((((n + 1) as f64 * ((5f64.sqrt() + 1.0) / 2.0)) % 1.0) as f32)
}

/// Kernels for series or their differences.
#[derive(Clone, Debug)]
pub(super) struct Bank {
    differences: bool,
    dilations: Vec<Dilation>,
    /// The channels of each kernel, dilation after dilation.
    channels: Ragged<u32>,
    /// The thresholds: dilation after dilation, kernel after kernel.
    thresholds: Vec<f32>,
}

/// One kernel at one dilation.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) kernel: usize,
    pub(super) dilation: usize,
    /// Its number among all kernels and dilations.
    number: usize,
    /// Its first threshold.
    pub(super) first: usize,
    thresholds: usize,
    padded: bool,
}

impl Place {
    /// A kernel at the dilation number `at`, whose thresholds begin with `start`.
    fn new(at: usize, dilation: Dilation, kernel: usize, start: usize) -> Self {
        Place {
            kernel,
            dilation: dilation.step,
            number: at * KERNELS + kernel,
            first: start + kernel * dilation.thresholds,
            thresholds: dilation.thresholds,
            padded: (at + kernel).is_multiple_of(2),
        }
    }
}

impl Bank {
    /// A bank whose thresholds are still to be learned.
    pub(super) fn new(
        shape: SeriesShape,
        differences: bool,
        (thresholds, most): (usize, usize),
        seed: u64,
    ) -> Self {
        let length = shape.length - usize::from(differences && shape.length > 1);
        let dilations = dilations(length, thresholds, most);
        let mut channels = Ragged::default();
        for number in 0..KERNELS * dilations.len() {
            channels.push_row(subset(shape.channels, &mut Random::derived(seed, number as u64)));
        }
        Bank { differences, dilations, channels, thresholds: Vec::new() }
    }

    /// The number of thresholds.
    pub(super) fn len(&self) -> usize {
        KERNELS * self.dilations.iter().map(|d| d.thresholds).sum::<usize>()
    }

    pub(super) fn set_thresholds(&mut self, thresholds: Vec<f32>) {
        self.thresholds = thresholds;
    }

    pub(super) fn is_of_differences(&self) -> bool {
        self.differences
    }

    /// All kernels, in the order of their features. Every second one uses the zeros beyond the ends of series.
    pub(super) fn places(&self) -> impl Iterator<Item = Place> + '_ {
        let mut first = 0;
        let starts = self.dilations.iter().map(move |d| {
            let start = first;
            first += KERNELS * d.thresholds;
            (*d, start)
        });
        let kernels = |(at, (d, start))| (0..KERNELS).map(move |kernel| Place::new(at, d, kernel, start));
        starts.enumerate().flat_map(kernels)
    }

    /// The kernel of a threshold.
    pub(super) fn place_of(&self, threshold: usize) -> Option<Place> {
        let mut first = 0;
        for (at, d) in self.dilations.iter().enumerate() {
            let own = KERNELS * d.thresholds;
            if threshold < first + own {
                return Some(Place::new(at, *d, (threshold - first) / d.thresholds, first));
            }
            first += own;
        }
        None
    }

    pub(super) fn threshold(&self, at: usize) -> f32 {
        self.thresholds.get(at).copied().unwrap_or(0.0)
    }

    pub(super) fn channels_of(&self, place: &Place) -> &[u32] {
        self.channels.row(place.number)
    }

    fn widest(&self) -> usize {
        self.dilations.last().map_or(1, |d| d.step)
    }

    /// The thresholds: quantiles of the convolution of each kernel with a training series that the seed chooses.
    pub(super) fn learn(&self, series: &[SeriesView<'_>], seed: u64) -> Result<Vec<f32>> {
        let places: Vec<Place> = self.places().collect();
        let chosen = derive_seed(seed, u64::MAX);
        let learn = |at: usize| {
            budget::check()?;
            let place = &places[at];
            let series = &series[Random::derived(chosen, at as u64).below(series.len())];
            let mut memory = Padded::default();
            memory.load(series, self.differences, self.widest())?;
            memory.dilate(place.dilation);
            let n = memory.len();
            let convolved = memory.convolve(place.kernel, place.dilation, self.channels_of(place), 0..n);
            let mut values = convolved.as_flattened()[..n].to_vec();
            values.sort_unstable_by(f32::total_cmp);
            let at_quantile = |q: f64| match values.as_slice() {
                [] => 0.0,
                sorted => {
                    let position = q * (n - 1) as f64;
                    let (below, above) = (position as usize, (position as usize + 1).min(n - 1));
                    let (low, high) = (f64::from(sorted[below]), f64::from(sorted[above]));
                    (low + (high - low) * (position - below as f64)) as f32
                }
            };
            Ok((place.first..place.first + place.thresholds).map(|i| at_quantile(quantile(i))).collect())
        };
        let all: Vec<Vec<f32>> = parallel::try_map(places.len(), learn)?;
        Ok(all.concat())
    }

    /// Writes the features of a series: shares, or all four poolings, one after the other.
    pub(super) fn write(&self, memory: &mut Padded, series: &SeriesView<'_>, out: &mut [f32]) -> Result<()> {
        memory.load(series, self.differences, self.widest())?;
        vectorised(
            #[inline(always)]
            || self.convolve_all(memory, out),
        )
    }

    #[inline(always)]
    fn convolve_all(&self, memory: &mut Padded, out: &mut [f32]) -> Result<()> {
        let (count, mut dilation) = (self.thresholds.len(), 0);
        for place in self.places() {
            if place.dilation != dilation {
                dilation = place.dilation;
                memory.dilate(dilation);
            }
            let steps = memory.steps(dilation, place.padded);
            let n = steps.len();
            budget::check_after(n * place.thresholds / LANES + 1)?;
            let convolved = memory.convolve(place.kernel, dilation, self.channels_of(&place), steps);
            let own = place.first..place.first + place.thresholds;
            if out.len() == count {
                shares(convolved, n, &self.thresholds[own.clone()], &mut out[own]);
            } else {
                for i in own {
                    let four = pooled(convolved, n, self.thresholds[i]);
                    four.iter().enumerate().for_each(|(k, v)| out[k * count + i] = *v);
                }
            }
        }
        Ok(())
    }

    /// Calls `visit` with each threshold and the time steps that its kernel covers where it is exceeded.
    pub(super) fn stretches(
        &self,
        series: &SeriesView<'_>,
        visit: &mut dyn FnMut(usize, [u32; 2]),
    ) -> Result<()> {
        let (mut memory, mut dilation) = (Padded::default(), 0);
        memory.load(series, self.differences, self.widest())?;
        let last = series.len().saturating_sub(1);
        for place in self.places() {
            if place.dilation != dilation {
                dilation = place.dilation;
                memory.dilate(dilation);
            }
            let steps = memory.steps(dilation, place.padded);
            budget::check_after(steps.len() * place.thresholds)?;
            let [first_weight, .., last_weight] = LARGE[place.kernel];
            let start = steps.start;
            let convolved = memory.convolve(place.kernel, dilation, self.channels_of(&place), steps);
            for i in place.first..place.first + place.thresholds {
                runs(convolved, self.thresholds[i], &mut |a, b| {
                    // From the first to the last of the three large weights.
                    let from = (start + a + first_weight * dilation).saturating_sub(WEIGHTS / 2 * dilation);
                    let to = (start + b + last_weight * dilation + usize::from(self.differences))
                        .saturating_sub(WEIGHTS / 2 * dilation);
                    visit(i, [from.min(last) as u32, to.min(last) as u32]);
                });
            }
        }
        Ok(())
    }
}

/// Some channels: 1 to 9 of them, few more often than many.
fn subset(channels: usize, random: &mut Random) -> Vec<u32> {
    let most = channels.min(WEIGHTS);
    let count = (math::exp(random.unit() * math::ln((most + 1) as f64)) as usize).clamp(1, most.max(1));
    let mut chosen: Vec<u32> = Vec::with_capacity(count);
    while chosen.len() < count {
        let one = random.below(channels) as u32;
        if !chosen.contains(&one) {
            chosen.push(one);
        }
    }
    chosen.sort_unstable();
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists of the published implementation for 9,996 features: `_fit_dilations` of aeon 1.6.
    #[test]
    fn dilations_as_published() {
        let list = |length| {
            let all = dilations(length, 119, 32);
            assert_eq!(all.iter().map(|d| d.thresholds).sum::<usize>(), 119);
            all.iter().map(|d| (d.step, d.thresholds)).collect::<Vec<_>>()
        };
        assert_eq!(list(9), [(1, 119)]);
        assert_eq!(list(24), [(1, 79), (2, 40)]);
        assert_eq!(list(60), [(1, 41), (2, 27), (3, 15), (4, 11), (5, 11), (6, 11), (7, 3)]);
        let few = list(150);
        assert_eq!(few[..8], [(1, 30), (2, 15), (3, 12), (4, 12), (5, 4), (6, 8), (7, 8), (8, 4)]);
        assert_eq!(few[8..], [(9, 4), (10, 4), (11, 3), (12, 3), (14, 3), (15, 3), (16, 3), (18, 3)]);
        // Series shorter than a kernel have one dilation.
        assert_eq!(list(1), [(1, 119)]);
        assert_eq!(dilations(1000, 1, 32), [Dilation { step: 1, thresholds: 1 }]);
    }

    #[test]
    fn quantiles_and_subsets() {
        assert!((quantile(0) - 0.618_034).abs() < 1e-6 && (quantile(1) - 0.236_068).abs() < 1e-6);
        let mut sizes = [0; 10];
        for seed in 0..2000 {
            let chosen = subset(20, &mut Random::new(seed));
            assert!(chosen.is_sorted_by(|a, b| a < b) && chosen.iter().all(|c| *c < 20));
            sizes[chosen.len()] += 1;
        }
        // One channel in log 2 / log 10 of the cases.
        assert!(sizes[0] == 0 && (540..670).contains(&sizes[1]) && sizes[9] > 50, "{sizes:?}");
        assert_eq!(subset(1, &mut Random::new(3)), [0]);
    }
}
