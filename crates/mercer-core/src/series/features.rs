//! Kernels on explicit features of series, which are fitted to training series.

use std::fmt;
use std::sync::Arc;

use crate::budget;
use crate::data::{Dense, Series};
use crate::distance::series::check_series;
use crate::error::{Error, Result};
use crate::kernel::coordinates::{Coordinates, of_coordinates};
use crate::kernel::{Declared, Domain, FeatureMap, Features, Kernel, OneOf, Parameter, operators};
use crate::parallel;

/// A map from series to a fixed number of features, such as [`Rocket`](super::Rocket).
///
/// The number of features, and constants such as thresholds, follow from training series: [`SeriesMap::fit`]. Features
/// are computed in single precision.
pub trait SeriesMap: Declared + Clone + fmt::Debug + Send + Sync + 'static {
    /// What computes the features, made from the settings and what was learned.
    #[doc(hidden)]
    type Plan: fmt::Debug + Send + Sync;

    /// Whether a feature of 0 stands for nothing found, and stays 0 when features are scaled.
    #[doc(hidden)]
    const SPARSE: bool = false;

    /// The channel, and whether features are scaled.
    #[doc(hidden)]
    fn options(&self) -> MapOptions;

    /// The constants that training series determine.
    #[doc(hidden)]
    fn learn(&self, _shape: SeriesShape, _series: &[SeriesView<'_>]) -> Result<Vec<f32>> {
        Ok(Vec::new())
    }

    /// The plan for series of this shape. Fails if the constants do not fit.
    #[doc(hidden)]
    fn plan(&self, shape: SeriesShape, constants: Vec<f32>) -> Result<Self::Plan>;

    /// The number of features.
    #[doc(hidden)]
    fn width(plan: &Self::Plan) -> usize;

    /// Writes the features of a series.
    #[doc(hidden)]
    fn write(plan: &Self::Plan, series: &SeriesView<'_>, out: &mut [f32]) -> Result<()>;

    /// The name of a feature.
    #[doc(hidden)]
    fn name(plan: &Self::Plan, at: usize) -> String;

    /// Calls `visit` with each feature and the first and last time step of each stretch that it is found in.
    #[doc(hidden)]
    fn places(
        plan: &Self::Plan,
        series: &SeriesView<'_>,
        visit: &mut dyn FnMut(usize, [u32; 2]),
    ) -> Result<()>;

    /// Fits the map to training series, of which there is at least one.
    fn fit(&self, series: &[Series]) -> Result<FittedSeries<Self>> {
        let channels = series.first().map(Series::channels);
        let channels = channels.ok_or_else(|| {
            Error::usage(format!("{} needs at least one training series", Self::FACTS.name))
        })?;
        let views = views(series, channels, self.options().channel)?;
        let length = views.iter().map(SeriesView::len).max().unwrap_or(1);
        let shape = SeriesShape { channels: views[0].channels(), length };
        let constants = self.learn(shape, &views)?;
        let stored = constants.iter().map(|&c| f64::from(c)).collect();
        let plan = self.plan(shape, constants)?;
        let (means, deviations) = match self.options().scale {
            Scale::Standard => means_and_deviations::<Self>(&plan, &views)?,
            Scale::None => (Vec::new(), Vec::new()),
        };
        let learned = LearnedSeries { channels, length, constants: stored, means, deviations };
        Ok(FittedSeries::new(self.clone(), learned, plan))
    }
}

/// Whether features are divided by their deviation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scale {
    /// Each feature has mean 0 and deviation 1 over the training series, and all are divided by the square root of their
    /// number: the mean self-similarity of training series is 1.
    #[default]
    Standard,
    /// As published, unscaled.
    None,
}

impl OneOf for Scale {
    const WORDS: &'static [&'static str] = &["standard", "none"];
    const ALL: &'static [Scale] = &[Scale::Standard, Scale::None];
}

pub(super) const SCALE: Parameter = Parameter {
    name: "scale",
    default: "standard",
    domain: Domain::Word(Scale::WORDS),
    doc: "whether features are centred and divided by their deviation over the training series",
    alias: None,
};

pub(super) const SEED: Parameter = Parameter {
    name: "seed",
    default: "0",
    domain: Domain::Whole(0, 1 << 53),
    doc: "random seed",
    alias: None,
};

/// Settings that all maps have.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct MapOptions {
    /// The channel, from 1; 0 for all.
    pub channel: usize,
    /// The scaling of features.
    pub scale: Scale,
}

/// The chosen channels and the longest length of training series.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeriesShape {
    /// The number of channels that are used.
    pub channels: usize,
    /// The length of the longest series.
    pub length: usize,
}

/// The chosen channels of a series.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub struct SeriesView<'a> {
    series: &'a Series,
    first: usize,
    channels: usize,
}

impl<'a> SeriesView<'a> {
    pub(super) fn len(&self) -> usize {
        self.series.len()
    }

    pub(super) fn channels(&self) -> usize {
        self.channels
    }

    pub(super) fn channel(&self, c: usize) -> &'a [f64] {
        self.series.channel(self.first + c)
    }
}

/// Values beyond this overflow single precision when some are added.
const LARGEST: f64 = 1e30;

/// The chosen channels of series, which must be complete and have this number of channels.
fn views(series: &[Series], channels: usize, channel: usize) -> Result<Vec<SeriesView<'_>>> {
    let view = |(index, s): (usize, &'_ Series)| {
        check_series(index, s, channels)?;
        let fault = |reason: String| Error::Object { index, reason, hint: None };
        if channel > channels {
            return Err(fault(format!("has {channels} channels; there is no channel {channel}")));
        }
        if s.values().iter().any(|v| v.abs() > LARGEST) {
            return Err(fault(format!("has values beyond {LARGEST:e}, too large for single precision")));
        }
        Ok(())
    };
    series.iter().enumerate().try_for_each(view)?;
    let (first, count) = if channel == 0 { (0, channels) } else { (channel - 1, 1) };
    Ok(series.iter().map(|series| SeriesView { series, first, channels: count }).collect())
}

/// What a map learned from training series: enough to make the same features again.
#[derive(Clone, Debug, PartialEq)]
pub struct LearnedSeries {
    /// The number of channels of the series.
    pub channels: usize,
    /// The length of the longest.
    pub length: usize,
    /// Constants of the map, such as thresholds.
    pub constants: Vec<f64>,
    /// The mean of each feature; empty if features are not scaled.
    pub means: Vec<f64>,
    /// The number that each feature is divided by; 0 for a feature that does not vary.
    pub deviations: Vec<f64>,
}

/// A map fitted to training series, and the kernel of its features: k(x, y) = φ(x)·φ(y).
///
/// ```
/// use mercer_core::data::Series;
/// use mercer_core::kernel::FeatureMap;
/// use mercer_core::series::{Rocket, SeriesMap};
/// let wave = |speed: f64| Series::new(1, (0..40).map(|t| (speed * f64::from(t)).sin()).collect());
/// let kernel = Rocket::new(840)?.fit(&[wave(0.3)?, wave(0.9)?])?;
/// let features = kernel.features(&[wave(0.5)?])?;
/// assert_eq!((features.values.len(), features.values.dim()), (1, 840));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct FittedSeries<M: SeriesMap> {
    map: M,
    learned: LearnedSeries,
    plan: Arc<M::Plan>,
    /// What each feature is multiplied by after its mean was subtracted; empty if features are not scaled.
    factors: Vec<f64>,
}

/// Series whose features one thread computes at a time.
const BLOCK: usize = 4;

impl<M: SeriesMap> FittedSeries<M> {
    fn new(map: M, learned: LearnedSeries, plan: M::Plan) -> Self {
        let varying = learned.deviations.iter().filter(|d| **d > 0.0).count();
        let root = (varying.max(1) as f64).sqrt();
        let factors =
            learned.deviations.iter().map(|&d| if d > 0.0 { 1.0 / (d * root) } else { 0.0 }).collect();
        FittedSeries { map, learned, plan: Arc::new(plan), factors }
    }

    /// The map with what it learned before. Fails if this belongs to other settings.
    pub fn restore(map: M, learned: LearnedSeries) -> Result<Self> {
        let other = || Error::usage(format!("{} was fitted with other settings", M::FACTS.name));
        let MapOptions { channel, scale } = map.options();
        if learned.length == 0 || learned.channels == 0 || channel > learned.channels {
            return Err(other());
        }
        let channels = if channel == 0 { learned.channels } else { 1 };
        let constants = learned.constants.iter().map(|&c| c as f32).collect();
        let plan = map.plan(SeriesShape { channels, length: learned.length }, constants)?;
        let expected = if scale == Scale::Standard { M::width(&plan) } else { 0 };
        if learned.means.len() != expected || learned.deviations.len() != expected {
            return Err(other());
        }
        Ok(FittedSeries::new(map, learned, plan))
    }

    /// What was learned.
    pub fn learned(&self) -> &LearnedSeries {
        &self.learned
    }

    /// The number of features.
    pub fn width(&self) -> usize {
        M::width(&self.plan)
    }

    #[cfg(test)]
    pub(super) fn plan(&self) -> &M::Plan {
        &self.plan
    }

    fn views<'a>(&self, objects: &'a [Series]) -> Result<Vec<SeriesView<'a>>> {
        views(objects, self.learned.channels, self.map.options().channel)
    }

    /// Scales the features of a series.
    fn scale(&self, features: &mut [f32]) {
        for ((v, mean), factor) in features.iter_mut().zip(&self.learned.means).zip(&self.factors) {
            *v = match M::SPARSE && *v == 0.0 {
                true => 0.0,
                false => ((f64::from(*v) - mean) * factor) as f32,
            };
        }
    }
}

impl<M: SeriesMap> fmt::Display for FittedSeries<M> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        std::fmt::Display::fmt(&self.map, f)
    }
}

impl<M: SeriesMap> Kernel<[Series]> for FittedSeries<M> {
    fn prepare(&self, objects: &[Series]) -> Result<Self::Prepared> {
        let (views, width) = (self.views(objects)?, self.width());
        Coordinates::made(objects.len(), width, BLOCK, |rows, out| {
            for (i, features) in rows.zip(out.chunks_exact_mut(width.max(1))) {
                M::write(&self.plan, &views[i], features)?;
                self.scale(features);
            }
            Ok(())
        })
    }

    of_coordinates!();
}

impl<M: SeriesMap> FeatureMap<[Series]> for FittedSeries<M> {
    fn named_features(&self, objects: &[Series], _coordinate: &dyn Fn(usize) -> String) -> Result<Features> {
        let (views, width) = (self.views(objects)?, self.width());
        budget::ask("explicit features", budget::matrix_bytes(objects.len(), width, size_of::<f64>()))?;
        let mut values: Dense = crate::numeric::allocate(objects.len(), width);
        // Straight into double precision: a matrix in single precision between would cost a third of the time.
        parallel::chunks_mut(values.values_mut(), BLOCK * width, |at, out| {
            budget::check()?;
            let mut features = vec![0.0f32; width];
            for (row, to) in (at * BLOCK..).zip(out.chunks_exact_mut(width.max(1))) {
                M::write(&self.plan, &views[row], &mut features)?;
                self.scale(&mut features);
                if !features.iter().all(|v| v.is_finite()) {
                    return Err(Error::NonFinite { row, col: row, overflow: true });
                }
                to.iter_mut().zip(&features).for_each(|(to, &v)| *to = f64::from(v));
            }
            Ok(())
        })?;
        Ok(Features::numbered(values, |at| M::name(&self.plan, at)))
    }

    fn places(&self, objects: &[Series], visit: &mut dyn FnMut(u128, &[u32])) -> Result<()> {
        for view in self.views(objects)? {
            M::places(&self.plan, &view, &mut |feature, place| visit(feature as u128, &place))?;
        }
        Ok(())
    }
}

operators!([M: SeriesMap] FittedSeries<M>);

/// Series whose features are summed one after the other: sums do not depend on the number of threads.
const SUMMED: usize = 16;
/// Parts of sums that are in memory at a time.
const PARTS: usize = 32;
/// A deviation below this share of the mean is the rounding of single precision.
const ROUNDING: f64 = 1e-6;

/// Sums over some series, of differences from the features of the first series.
#[derive(Clone)]
struct Sums {
    first: Vec<f64>,
    second: Vec<f64>,
    /// The number of series without each feature, if features are sparse.
    zeros: Vec<f64>,
}

/// The mean of each feature over series, and what it is divided by.
///
/// For sparse features that is the deviation plus s⁴ + 1e-8, where s is the share of series without the feature, so that
/// one found in few series does not dominate.
fn means_and_deviations<M: SeriesMap>(
    plan: &M::Plan,
    series: &[SeriesView<'_>],
) -> Result<(Vec<f64>, Vec<f64>)> {
    let (n, width) = (series.len(), M::width(plan));
    budget::ask("sums of features", budget::matrix_bytes(3 * PARTS.min(n), width, size_of::<f64>()))?;
    let mut pilot = vec![0.0f32; width];
    M::write(plan, &series[0], &mut pilot)?;
    let zero = Sums { first: vec![0.0; width], second: vec![0.0; width], zeros: vec![0.0; width] };
    let part = |at: usize| {
        let (mut sums, mut features) = (zero.clone(), vec![0.0f32; width]);
        for one in &series[at * SUMMED..((at + 1) * SUMMED).min(n)] {
            budget::check()?;
            M::write(plan, one, &mut features)?;
            for (j, (&v, &origin)) in features.iter().zip(&pilot).enumerate() {
                let d = f64::from(v) - f64::from(origin);
                sums.first[j] += d;
                sums.second[j] += d * d;
                sums.zeros[j] += f64::from(u8::from(v == 0.0));
            }
        }
        Ok(sums)
    };
    let (parts, mut all) = (n.div_ceil(SUMMED), zero.clone());
    for start in (0..parts).step_by(PARTS) {
        let some = parallel::try_map(PARTS.min(parts - start), |at| part(start + at))?;
        let add = |to: &mut [f64], from: &[f64]| to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        for sums in &some {
            add(&mut all.first, &sums.first);
            add(&mut all.second, &sums.second);
            add(&mut all.zeros, &sums.zeros);
        }
    }
    let n = n as f64;
    let mean = |j: usize| f64::from(pilot[j]) + all.first[j] / n;
    let deviation = |j: usize| {
        let moved = all.first[j] / n;
        let deviation = (all.second[j] / n - moved * moved).max(0.0).sqrt();
        match deviation <= ROUNDING * mean(j).abs() {
            true => 0.0,
            false if M::SPARSE => deviation + (all.zeros[j] / n).powi(4) + 1e-8,
            false => deviation,
        }
    };
    Ok(((0..width).map(mean).collect(), (0..width).map(deviation).collect()))
}
