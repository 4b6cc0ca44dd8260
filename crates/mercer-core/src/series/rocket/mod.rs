//! Features from many small convolutions: MiniRocket and MultiRocket.

mod bank;
mod convolve;

use self::bank::Bank;
use self::convolve::{KERNELS, LARGE, Padded};
use super::features::{MapOptions, SCALE, SEED, Scale, SeriesMap, SeriesShape, SeriesView};
use crate::distance::series::{CHANNEL, Channel, SERIES};
use crate::error::{Error, Result};
use crate::kernel::{Definiteness, Domain, Facts, OneOf, Parameter, declared};
use crate::random::derive_seed;

/// How convolutions become features.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Variant {
    /// The share of time steps at which the convolution exceeds a threshold.
    #[default]
    Mini,
    /// That share, the mean excess, the mean time step and the longest run; of the series and of their differences.
    Multi,
}

impl OneOf for Variant {
    const WORDS: &'static [&'static str] = &["mini", "multi"];
    const ALL: &'static [Variant] = &[Variant::Mini, Variant::Multi];
}

/// Convolutions of a series with 84 fixed kernels at several dilations, pooled over time.
///
/// A kernel has nine weights, three of them 2 and six -1, `d` time steps apart. Dilations `d` grow with the longest
/// training series. A feature is the share of time steps at which the convolution exceeds a threshold, a quantile of the
/// convolution of a training series that the seed chooses. [`Variant::Multi`] adds three other poolings, and the
/// differences of neighbouring time steps. With several channels, a kernel adds the convolutions of one to nine of them.
///
/// Series may have different lengths: a share does not depend on the length. Every second kernel takes the time steps
/// beyond the ends as zeros, the others leave out the time steps at which they do not fit, unless they fit nowhere.
///
/// [`Scale::Standard`] centres features and divides them by their deviation over the training series.
///
/// Parameters: `features`, rounded down to a multiple of 84 (`multi`: 672); `dilations` at most; `seed`; `channel`. Cost:
/// features times length for each series, once; then one multiplication per feature for each pair.
///
/// References: Dempster, Schmidt & Webb 2021, MiniRocket; Tan, Dempster, Bergmeir & Webb 2022, MultiRocket.
///
/// ```
/// use mercer_core::{data::Series, gram::Engine, series::{Rocket, SeriesMap}};
/// let wave = |speed: f64| Series::new(1, (0..50).map(|t| (speed * f64::from(t)).sin()).collect());
/// let x = [wave(0.2)?, wave(0.21)?, wave(0.9)?];
/// let k = Engine::new().gram(&Rocket::new(1000)?.fit(&x)?, &x[..])?;
/// assert!(k.at(0, 1) > k.at(0, 2));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rocket {
    variant: Variant,
    features: usize,
    dilations: usize,
    scale: Scale,
    seed: u64,
    channel: usize,
}

impl Rocket {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "rocket",
        summary: "Convolutions of series with 84 kernels at many dilations, pooled over time: MiniRocket and MultiRocket.",
        formula: "φ(x)·φ(y), φ(x) = share of t with Σ_j w_j·x(t + (j - 4)·d) > b, w of three 2 and six -1, b a quantile for a training series",
        takes: "series; fitted to the training series",
        kinds: SERIES,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "variant",
                default: "mini",
                domain: Domain::Word(Variant::WORDS),
                doc: "mini: shares above thresholds; multi: also mean excess, mean position and longest run, of series and differences",
                alias: None,
            },
            Parameter {
                name: "features",
                default: "10000",
                domain: Domain::Whole(84, 1_000_000),
                doc: "number of features, rounded down to a multiple of 84, for multi of 672; published for multi: 50000",
                alias: None,
            },
            Parameter {
                name: "dilations",
                default: "32",
                domain: Domain::Whole(1, 1000),
                doc: "largest number of dilations of a kernel",
                alias: None,
            },
            SCALE,
            SEED,
            CHANNEL,
        ],
        cost: "features·length comparisons per series, once; then one multiplication per feature for each pair",
        reference: "Dempster, Schmidt & Webb 2021, MiniRocket; Tan, Dempster, Bergmeir & Webb 2022, MultiRocket",
        example: "rocket(features=1000)",
    };

    /// About this many shares above thresholds.
    pub fn new(features: usize) -> Result<Self> {
        Self::FACTS.check("features", features as f64)?;
        Ok(Rocket {
            variant: Variant::Mini,
            features,
            dilations: 32,
            scale: Scale::Standard,
            seed: 0,
            channel: 0,
        })
    }

    /// Sets the poolings.
    #[must_use]
    pub fn with_variant(self, variant: Variant) -> Self {
        Rocket { variant, ..self }
    }

    /// Sets the largest number of dilations.
    pub fn with_dilations(self, dilations: usize) -> Result<Self> {
        Self::FACTS.check("dilations", dilations as f64)?;
        Ok(Rocket { dilations, ..self })
    }

    /// Sets the scaling of features.
    #[must_use]
    pub fn with_scale(self, scale: Scale) -> Self {
        Rocket { scale, ..self }
    }

    /// Sets the random seed.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Rocket { seed, ..self }
    }

    /// Selects one channel, from 1; 0 selects all.
    #[must_use]
    pub fn on(self, channel: usize) -> Self {
        Rocket { channel, ..self }
    }

    fn banks(&self, shape: SeriesShape) -> Vec<Bank> {
        let (representations, poolings) = self.variant.shape();
        let thresholds = (self.features / (KERNELS * representations * poolings)).max(1);
        let bank = |at: usize| {
            Bank::new(shape, at == 1, (thresholds, self.dilations), derive_seed(self.seed, at as u64))
        };
        (0..representations).map(bank).collect()
    }
}

declared!(Rocket { variant, features, dilations, scale, seed, channel as Channel });

impl Variant {
    /// The number of representations of a series, and of poolings of each convolution.
    fn shape(self) -> (usize, usize) {
        match self {
            Variant::Mini => (1, 1),
            Variant::Multi => (2, POOLINGS.len()),
        }
    }
}

/// The names of the poolings: the share of values above a threshold, their mean, position and longest run.
const POOLINGS: [&str; 4] = ["ppv", "mpv", "mipv", "lspv"];

/// The kernels of a fitted rocket.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct RocketPlan {
    banks: Vec<Bank>,
    poolings: usize,
    /// Whether series have several channels.
    several: bool,
}

impl SeriesMap for Rocket {
    type Plan = RocketPlan;

    fn options(&self) -> MapOptions {
        MapOptions { channel: self.channel, scale: self.scale }
    }

    fn learn(&self, shape: SeriesShape, series: &[SeriesView<'_>]) -> Result<Vec<f32>> {
        let mut all = Vec::new();
        for (at, bank) in self.banks(shape).iter().enumerate() {
            all.extend(bank.learn(series, derive_seed(self.seed, at as u64))?);
        }
        Ok(all)
    }

    fn plan(&self, shape: SeriesShape, constants: Vec<f32>) -> Result<RocketPlan> {
        let (mut banks, mut rest) = (self.banks(shape), constants.as_slice());
        if banks.iter().map(Bank::len).sum::<usize>() != rest.len() {
            return Err(Error::usage(format!("{} thresholds of a rocket with other settings", rest.len())));
        }
        for bank in &mut banks {
            let (own, others) = rest.split_at(bank.len());
            bank.set_thresholds(own.to_vec());
            rest = others;
        }
        Ok(RocketPlan { banks, poolings: self.variant.shape().1, several: shape.channels > 1 })
    }

    fn width(plan: &RocketPlan) -> usize {
        plan.poolings * plan.banks.iter().map(Bank::len).sum::<usize>()
    }

    fn write(plan: &RocketPlan, series: &SeriesView<'_>, out: &mut [f32]) -> Result<()> {
        let (mut memory, mut rest) = (Padded::default(), out);
        for bank in &plan.banks {
            let (own, others) = rest.split_at_mut(plan.poolings * bank.len());
            bank.write(&mut memory, series, own)?;
            rest = others;
        }
        Ok(())
    }

    /// Such as `ppv(1-4-8, dilation 5, above 0.3100, no. 17)`, with the places of the three large weights from 1. Thresholds may
    /// agree in the digits shown, therefore the number.
    fn name(plan: &RocketPlan, at: usize) -> String {
        let mut at = at;
        for bank in &plan.banks {
            let own = plan.poolings * bank.len();
            if at >= own {
                at -= own;
                continue;
            }
            let (pooling, threshold) = (POOLINGS[at / bank.len()], at % bank.len());
            let Some(place) = bank.place_of(threshold) else { break };
            let [a, b, c] = LARGE[place.kernel].map(|w| w + 1);
            let of = if bank.is_of_differences() { "differences, " } else { "" };
            let channels = match plan.several {
                true => {
                    let all: Vec<String> =
                        bank.channels_of(&place).iter().map(|c| (c + 1).to_string()).collect();
                    format!(", channels {}", all.join("+"))
                }
                false => String::new(),
            };
            let (dilation, above) = (place.dilation, bank.threshold(threshold));
            return format!(
                "{pooling}({of}{a}-{b}-{c}, dilation {dilation}, above {above:.4}{channels}, no. {})",
                threshold + 1
            );
        }
        String::new()
    }

    fn places(
        plan: &RocketPlan,
        series: &SeriesView<'_>,
        visit: &mut dyn FnMut(usize, [u32; 2]),
    ) -> Result<()> {
        let mut before = 0;
        for bank in &plan.banks {
            bank.stretches(series, &mut |threshold, place| {
                (0..plan.poolings).for_each(|k| visit(before + k * bank.len() + threshold, place));
            })?;
            before += plan.poolings * bank.len();
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
