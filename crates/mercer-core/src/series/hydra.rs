//! Features from groups of competing convolutions: Hydra.

use super::features::{MapOptions, SCALE, SEED, Scale, SeriesMap, SeriesShape, SeriesView};
use crate::budget;
use crate::data::Ragged;
use crate::distance::series::{CHANNEL, Channel, SERIES};
use crate::error::{Error, Result};
use crate::kernel::{Definiteness, Domain, Facts, Parameter, declared};
use crate::numeric::math::vectorised;
use crate::random::{Random, derive_seed};

/// Convolutions with groups of random kernels that compete: at each time step one kernel of a group fits best and one
/// fits worst.
///
/// For each kernel the features are √(sum of its values where it is the largest of its group) and √(number of time steps
/// at which it is the smallest), scaled to the length of the longest training series. A kernel has nine normal weights
/// with sum 0 and absolute sum 1, at dilations 1, 2, 4, …. Half of the groups see the series, half their differences;
/// time steps beyond the ends are zeros. With several channels, a group sees the sum of some, drawn with replacement.
///
/// [`Scale::Standard`] centres features and divides them by their deviation plus s⁴, where s is the share of training
/// series that lack the feature; absent features stay 0.
///
/// Parameters: `groups` for each dilation, `kernels` of a group, `seed`, `channel`. Cost: 9·groups·kernels·length
/// multiplications for each dilation and series, once.
///
/// Reference: Dempster, Schmidt & Webb 2023, Hydra: competing convolutional kernels.
///
/// ```
/// use mercer_core::{data::Series, gram::Engine, series::{Hydra, SeriesMap}};
/// let wave = |speed: f64| Series::new(1, (0..50).map(|t| (speed * f64::from(t)).sin()).collect());
/// let x = [wave(0.2)?, wave(0.21)?, wave(0.9)?];
/// let k = Engine::new().gram(&Hydra::new(16, 8)?.fit(&x)?, &x[..])?;
/// assert!(k.at(0, 1) > k.at(0, 2));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hydra {
    groups: usize,
    kernels: usize,
    scale: Scale,
    seed: u64,
    channel: usize,
}

impl Hydra {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "hydra",
        summary: "Groups of random convolutions of series that compete: how often and how well each fits best.",
        formula: "φ(x)·φ(y), φ(x) = √Σ_t c_j(t) over t where c_j is the largest of its group, √(number of t where it is the smallest)",
        takes: "series; fitted to the training series",
        kinds: SERIES,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "groups",
                default: "64",
                domain: Domain::Whole(1, 10_000),
                doc: "groups of kernels for each dilation; half of them see differences",
                alias: None,
            },
            Parameter {
                name: "kernels",
                default: "8",
                domain: Domain::Whole(1, 1000),
                doc: "kernels of a group",
                alias: None,
            },
            SCALE,
            SEED,
            CHANNEL,
        ],
        cost: "9·groups·kernels·length multiplications per dilation and series, once; then one per feature for each pair",
        reference: "Dempster, Schmidt & Webb 2023, Hydra",
        example: "hydra(groups=16)",
    };

    /// This many groups of kernels for each dilation.
    pub fn new(groups: usize, kernels: usize) -> Result<Self> {
        Self::FACTS.check("groups", groups as f64)?;
        Self::FACTS.check("kernels", kernels as f64)?;
        Ok(Hydra { groups, kernels, scale: Scale::Standard, seed: 0, channel: 0 })
    }

    /// Sets the scaling of features.
    #[must_use]
    pub fn with_scale(self, scale: Scale) -> Self {
        Hydra { scale, ..self }
    }

    /// Sets the random seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Hydra { seed, ..self }
    }

    /// Selects one channel, from 1; 0 selects all.
    #[must_use]
    pub fn on(self, channel: usize) -> Self {
        Hydra { channel, ..self }
    }
}

declared!(Hydra { groups, kernels, scale, seed, channel as Channel });

/// The number of weights of a kernel.
const WEIGHTS: usize = 9;

/// The groups of a fitted map.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct HydraPlan {
    kernels: usize,
    /// The number of dilations: 1, 2, 4, ….
    dilations: u32,
    /// The groups of a dilation, those on series first.
    groups: usize,
    /// How many of them see the series.
    plain: usize,
    /// The weights of each kernel of each group, dilation after dilation.
    weights: Vec<[f32; WEIGHTS]>,
    /// The channels of each group.
    channels: Ragged<u32>,
    length: usize,
    several: bool,
}

impl HydraPlan {
    fn dilation(&self, group: usize) -> usize {
        1 << (group / self.groups)
    }

    fn sees_differences(&self, group: usize) -> bool {
        group % self.groups >= self.plain
    }

    /// Convolves all groups with a series. `visit` gets the number of a group, and for each time step the largest and the
    /// smallest kernel and the value of the largest.
    #[inline(always)]
    fn compete(
        &self,
        series: &SeriesView<'_>,
        mut visit: impl FnMut(usize, &Winners) -> Result<()>,
    ) -> Result<()> {
        let widest = 1usize << (self.dilations - 1);
        let pad = WEIGHTS / 2 * widest;
        let stride = series.len().saturating_add(2 * pad);
        budget::ask("a series with zeros around it", budget::matrix_bytes(stride, 3, size_of::<f32>()))?;
        let (mut input, mut value, mut winners) = (vec![0.0f32; stride], Vec::new(), Winners::default());
        for group in 0..self.channels.len() {
            let differences = self.sees_differences(group);
            let len = series.len() - usize::from(differences);
            budget::check_after(len * self.kernels)?;
            if len == 0 {
                continue;
            }
            // Univariate series change between the halves of a dilation only.
            if self.several || group == 0 || differences != self.sees_differences(group - 1) {
                input.fill(0.0);
                for &c in self.channels.row(group) {
                    let (from, to) = (series.channel(c as usize), &mut input[pad..pad + len]);
                    match differences {
                        false => to.iter_mut().zip(from).for_each(|(to, v)| *to += *v as f32),
                        true => {
                            to.iter_mut()
                                .zip(from.windows(2))
                                .for_each(|(to, v)| *to += v[1] as f32 - v[0] as f32);
                        }
                    }
                }
            }
            let dilation = self.dilation(group);
            let start = pad - WEIGHTS / 2 * dilation;
            value.resize(len, 0.0);
            winners.begin(len);
            for (k, weights) in self.weights[group * self.kernels..][..self.kernels].iter().enumerate() {
                value.fill(0.0);
                for (j, w) in weights.iter().enumerate() {
                    let x = &input[start + j * dilation..][..len];
                    value.iter_mut().zip(x).for_each(|(v, x)| *v += w * x);
                }
                winners.add(k as u32, &value);
            }
            visit(group, &winners)?;
        }
        Ok(())
    }
}

/// The best and the worst kernel of a group at each time step, and their values.
#[derive(Default)]
struct Winners {
    largest: Vec<u32>,
    high: Vec<f32>,
    smallest: Vec<u32>,
    low: Vec<f32>,
}

impl Winners {
    fn begin(&mut self, len: usize) {
        for all in [&mut self.largest, &mut self.smallest] {
            all.clear();
            all.resize(len, 0);
        }
        self.high.clear();
        self.high.resize(len, f32::NEG_INFINITY);
        self.low.clear();
        self.low.resize(len, f32::INFINITY);
    }

    /// Lets a kernel compete; the first of equal ones wins.
    #[inline(always)]
    fn add(&mut self, kernel: u32, values: &[f32]) {
        let both =
            self.largest.iter_mut().zip(&mut self.high).zip(self.smallest.iter_mut().zip(&mut self.low));
        for (((largest, high), (smallest, low)), &v) in both.zip(values) {
            *largest = if v > *high { kernel } else { *largest };
            *high = if v > *high { v } else { *high };
            *smallest = if v < *low { kernel } else { *smallest };
            *low = if v < *low { v } else { *low };
        }
    }
}

impl SeriesMap for Hydra {
    type Plan = HydraPlan;
    const SPARSE: bool = true;

    fn options(&self) -> MapOptions {
        MapOptions { channel: self.channel, scale: self.scale }
    }

    fn plan(&self, shape: SeriesShape, constants: Vec<f32>) -> Result<HydraPlan> {
        if !constants.is_empty() {
            return Err(Error::usage("hydra has no constants"));
        }
        let spans = (shape.length.saturating_sub(1) / (WEIGHTS - 1)).max(1);
        let dilations = spans.ilog2() + 1;
        let count = self.groups * dilations as usize;
        budget::ask(
            "weights of kernels",
            budget::matrix_bytes(count * self.kernels, WEIGHTS, size_of::<f32>()),
        )?;
        let (mut weights, mut channels) = (Vec::with_capacity(count * self.kernels), Ragged::default());
        let drawn = (shape.channels / 2).clamp(2, 8);
        for group in 0..count as u64 {
            let mut random = Random::derived(self.seed, group);
            weights.extend((0..self.kernels).map(|_| kernel(&mut random)));
            let mut random = Random::derived(derive_seed(self.seed, u64::MAX), group);
            channels.push_row(match shape.channels {
                1 => vec![0],
                several => (0..drawn).map(|_| random.below(several) as u32).collect(),
            });
        }
        Ok(HydraPlan {
            kernels: self.kernels,
            dilations,
            groups: self.groups,
            plain: self.groups.div_ceil(2),
            weights,
            channels,
            length: shape.length,
            several: shape.channels > 1,
        })
    }

    fn width(plan: &HydraPlan) -> usize {
        2 * plan.weights.len()
    }

    fn write(plan: &HydraPlan, series: &SeriesView<'_>, out: &mut [f32]) -> Result<()> {
        out.fill(0.0);
        let scale = plan.length as f64 / series.len() as f64;
        let k = plan.kernels;
        vectorised(
            #[inline(always)]
            || {
                let mut sums = vec![[0.0f64; 2]; k];
                plan.compete(series, |group, winners| {
                    sums.fill([0.0; 2]);
                    for (&best, &value) in winners.largest.iter().zip(&winners.high) {
                        sums[best as usize][0] += f64::from(value);
                    }
                    winners.smallest.iter().for_each(|&worst| sums[worst as usize][1] += 1.0);
                    for (at, sum) in sums.iter().enumerate() {
                        let feature = 2 * (group * k + at);
                        for (to, v) in out[feature..feature + 2].iter_mut().zip(sum) {
                            *to = (v * scale).max(0.0).sqrt() as f32;
                        }
                    }
                    Ok(())
                })
            },
        )
    }

    /// Such as `best(group 3, kernel 5, dilation 2)`.
    fn name(plan: &HydraPlan, at: usize) -> String {
        let (which, kernel) = (["best", "worst"][at % 2], at / 2);
        let group = kernel / plan.kernels;
        let of = if plan.sees_differences(group) { "differences, " } else { "" };
        let channels = match plan.several {
            true => {
                let all: Vec<String> = plan.channels.row(group).iter().map(|c| (c + 1).to_string()).collect();
                format!(", channels {}", all.join("+"))
            }
            false => String::new(),
        };
        format!(
            "{which}({of}group {}, kernel {}, dilation {}{channels})",
            group % plan.groups + 1,
            kernel % plan.kernels + 1,
            plan.dilation(group)
        )
    }

    fn places(
        plan: &HydraPlan,
        series: &SeriesView<'_>,
        visit: &mut dyn FnMut(usize, [u32; 2]),
    ) -> Result<()> {
        let last = series.len().saturating_sub(1);
        plan.compete(series, |group, winners| {
            let reach = WEIGHTS / 2 * plan.dilation(group);
            let more = usize::from(plan.sees_differences(group));
            for (which, of) in [&winners.largest, &winners.smallest].into_iter().enumerate() {
                let mut start = 0;
                for t in 1..=of.len() {
                    if t == of.len() || of[t] != of[start] {
                        let feature = 2 * (group * plan.kernels + of[start] as usize) + which;
                        let to = (t - 1 + reach + more).min(last);
                        visit(feature, [start.saturating_sub(reach) as u32, to as u32]);
                        start = t;
                    }
                }
            }
            Ok(())
        })
    }
}

/// Normal weights with sum 0 and absolute sum 1.
fn kernel(random: &mut Random) -> [f32; WEIGHTS] {
    let mut w: [f64; WEIGHTS] = std::array::from_fn(|_| random.normal());
    let mean = w.iter().sum::<f64>() / WEIGHTS as f64;
    w.iter_mut().for_each(|w| *w -= mean);
    let sum: f64 = w.iter().map(|w| w.abs()).sum();
    w.map(|w| (w / sum.max(f64::MIN_POSITIVE)) as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Series;
    use crate::kernel::{FeatureMap, Kernel};

    fn noise(channels: usize, length: usize, seed: u64) -> Series {
        let mut random = Random::new(seed);
        Series::new(channels, (0..channels * length).map(|_| random.normal()).collect()).unwrap()
    }

    /// Features by a plain loop in double precision.
    #[test]
    fn features_by_definition() {
        for (channels, lengths) in [(1, [40, 40, 40]), (5, [30, 17, 2])] {
            let series = lengths.map(|length| noise(channels, length, length as u64));
            let fitted = Hydra::new(6, 4).unwrap().with_scale(Scale::None).fit(&series).unwrap();
            let found = fitted.prepare(&series).unwrap();
            let plan = fitted.plan();
            assert_eq!(fitted.width(), 2 * 6 * 4 * plan.dilations as usize);
            let mut wrong = 0;
            for (i, s) in series.iter().enumerate() {
                for group in 0..plan.channels.len() {
                    let summed: Vec<f64> = (0..s.len())
                        .map(|t| plan.channels.row(group).iter().map(|c| s.channel(*c as usize)[t]).sum())
                        .collect();
                    let x: Vec<f64> = match plan.sees_differences(group) {
                        true => summed.windows(2).map(|w| w[1] - w[0]).collect(),
                        false => summed,
                    };
                    let d = plan.dilation(group) as isize;
                    let at =
                        |t: isize| usize::try_from(t).ok().and_then(|t| x.get(t)).copied().unwrap_or(0.0);
                    let mut want = [[0.0f64; 2]; 4];
                    for t in 0..x.len() as isize {
                        let value = |k: usize| {
                            let w = &plan.weights[group * 4 + k];
                            (0..9).map(|j| f64::from(w[j as usize]) * at(t + (j - 4) * d)).sum::<f64>()
                        };
                        let values: Vec<f64> = (0..4).map(value).collect();
                        let best = (0..4).max_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap();
                        let worst = (0..4).min_by(|a, b| values[*a].total_cmp(&values[*b])).unwrap();
                        want[best][0] += values[best];
                        want[worst][1] += 1.0;
                    }
                    let scale = lengths[0] as f64 / s.len() as f64;
                    for (k, both) in want.iter().enumerate() {
                        for (which, v) in both.iter().enumerate() {
                            let found = f64::from(found.rows().row(i)[2 * (group * 4 + k) + which]);
                            wrong += usize::from((found - (v * scale).max(0.0).sqrt()).abs() > 1e-4);
                        }
                    }
                }
            }
            // Kernels that are equal up to rounding may change places.
            assert!(wrong < 8, "{wrong}");
        }
    }

    #[test]
    fn absent_features_stay_zero() {
        let series: Vec<Series> = (0..12).map(|i| noise(2, 30, i)).collect();
        let plain = Hydra::new(4, 16).unwrap().with_scale(Scale::None).fit(&series).unwrap();
        let scaled = Hydra::new(4, 16).unwrap().fit(&series).unwrap();
        let (a, b) = (plain.prepare(&series).unwrap(), scaled.prepare(&series).unwrap());
        let zeros = a.rows().values().iter().zip(b.rows().values()).filter(|(a, _)| **a == 0.0);
        assert!(zeros.clone().count() > 50 && zeros.into_iter().all(|(_, b)| *b == 0.0));
        let names = scaled.features(&series).unwrap().names;
        assert!(names[0].starts_with("best(group 1, kernel 1, dilation 1, channels "), "{}", names[0]);
        assert!(names.iter().any(|n| n.starts_with("worst(differences, group 4")));
    }
}
