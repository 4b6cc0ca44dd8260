//! The truncated signature of a series.

use crate::budget;
use crate::data::{Dense, Series, Vectors};
use crate::distance::series::{CHANNEL, Channel, SERIES, check_series};
use crate::error::{Error, Result};
use crate::kernel::vector::{Linear, PreparedVectors, inner_products};
use crate::kernel::{
    Definiteness, Domain, Facts, FeatureMap, FeatureParts, Features, Kernel, Parameter, Part, declared,
    operators,
};
use crate::parallel;

/// The inner product of truncated signatures: all iterated integrals of the path through the values of a series, up to a
/// level.
///
/// The integral of the channels i₁, …, i_k is ∫ dx_{i₁}(t₁) … dx_{i_k}(t_k) over t₁ < … < t_k, along straight lines between
/// time steps; that of no channel is 1. It depends on the order in which channels change, not on the speed nor on the
/// level where a series begins.
///
/// `time` adds a channel that grows from 0 to 1, without which a series of one channel has only its total change.
/// `lead-lag` replaces every channel by two, the second of which follows one time step later: their areas are squared
/// changes. `scale` multiplies the values: integrals over k channels grow with its k-th power.
///
/// Parameters: `level`; `time`; `lead-lag`; `scale` > 0; `channel`. Cost: d + d² + … + d^level multiplications for each
/// time step of d channels, once.
///
/// Reference: Chen 1958, Integration of paths; Király & Oberhauser 2019, Kernels for sequentially ordered data.
///
/// ```
/// use mercer_core::{data::Series, gram::Engine, series::Signature};
/// // Two channels: first right, then up; first up, then right.
/// let x = [Series::new(2, vec![0., 1., 1., 0., 0., 1.])?, Series::new(2, vec![0., 0., 1., 0., 1., 1.])?];
/// let k = Engine::new().gram(&Signature::new(2)?.with_time(false), &x[..])?;
/// // 1, two changes of 1, two halves of their squares, and one area, which is 1 or 0.
/// assert_eq!((k.at(0, 0), k.at(0, 1)), (1.0 + 2.0 + 0.5 + 1.0, 1.0 + 2.0 + 0.5));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Signature {
    level: usize,
    time: bool,
    lead_lag: bool,
    scale: f64,
    channel: usize,
}

/// The largest number of features.
const MOST: usize = 1 << 20;

impl Signature {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "signature",
        summary: "The truncated signature of series: iterated integrals of their channels up to a level.",
        formula: "Σ over words i₁…i_k of channels, k = 0, …, level, of S(x)·S(y), S(x) = ∫ dx_{i₁}(t₁)…dx_{i_k}(t_k) over t₁ < … < t_k",
        takes: "series",
        kinds: SERIES,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "level",
                default: "3",
                domain: Domain::Whole(1, 12),
                doc: "the longest words of channels",
                alias: None,
            },
            Parameter {
                name: "time",
                default: "yes",
                domain: Domain::Word(&["no", "yes"]),
                doc: "whether to add time as a channel, from 0 to 1",
                alias: None,
            },
            Parameter {
                name: "lead-lag",
                default: "no",
                domain: Domain::Word(&["no", "yes"]),
                doc: "whether to add every channel again, one time step later",
                alias: None,
            },
            Parameter {
                name: "scale",
                default: "1",
                domain: Domain::Positive,
                doc: "factor of the values",
                alias: None,
            },
            CHANNEL,
        ],
        cost: "d + d² + … + d^level multiplications per time step of d channels, once; then one per word for each pair",
        reference: "Chen 1958; Király & Oberhauser 2019, Kernels for sequentially ordered data",
        example: "signature(level=4)",
    };

    /// The signature up to this level.
    pub fn new(level: usize) -> Result<Self> {
        Self::FACTS.check("level", level as f64)?;
        Ok(Signature { level, time: true, lead_lag: false, scale: 1.0, channel: 0 })
    }

    /// Sets whether time is a channel.
    #[must_use]
    pub fn with_time(self, time: bool) -> Self {
        Signature { time, ..self }
    }

    /// Sets whether every channel is added again, one time step later.
    #[must_use]
    pub fn with_lead_lag(self, lead_lag: bool) -> Self {
        Signature { lead_lag, ..self }
    }

    /// Sets the factor of the values.
    pub fn with_scale(self, scale: f64) -> Result<Self> {
        Self::FACTS.check("scale", scale)?;
        Ok(Signature { scale, ..self })
    }

    /// Selects one channel, from 1; 0 selects all.
    #[must_use]
    pub fn on(self, channel: usize) -> Self {
        Signature { channel, ..self }
    }

    /// The number of channels of the path.
    fn dimension(&self, channels: usize) -> usize {
        let own = if self.channel == 0 { channels } else { 1 };
        own * if self.lead_lag { 2 } else { 1 } + usize::from(self.time)
    }

    /// The number of words of each length, from 0.
    fn words(&self, channels: usize) -> Result<Vec<usize>> {
        let d = self.dimension(channels);
        let lengths = 0..=self.level as u32;
        let words = lengths.map(|k| d.checked_pow(k).filter(|n| *n <= MOST)).collect::<Option<Vec<_>>>();
        words.filter(|words| words.iter().sum::<usize>() <= MOST).ok_or_else(|| {
            Error::param("level", self.level, &format!("lower for {d} channels: at most {MOST} features"))
        })
    }

    /// The signatures of all series.
    fn signatures(&self, objects: &[Series]) -> Result<Dense> {
        let channels = objects.first().map_or(self.channel.max(1), Series::channels);
        for (index, s) in objects.iter().enumerate() {
            check_series(index, s, channels)?;
        }
        if self.channel > channels {
            let reason = format!("has {channels} channels; there is no channel {}", self.channel);
            return Err(Error::Object { index: 0, reason, hint: None });
        }
        let words = self.words(channels)?;
        let width: usize = words.iter().sum();
        budget::ask("signatures", budget::matrix_bytes(objects.len(), width, size_of::<f64>()))?;
        let mut out = Dense::zeros(objects.len(), width);
        parallel::chunks_mut(out.values_mut(), width, |i, row| self.write(&objects[i], &words, row))?;
        match out.find_non_finite() {
            Some((index, _)) => Err(Error::NonFinite { row: index, col: index, overflow: true }),
            None => Ok(out),
        }
    }

    /// Writes the signature of a series, level after level.
    fn write(&self, series: &Series, words: &[usize], out: &mut [f64]) -> Result<()> {
        let chosen = match self.channel {
            0 => 0..series.channels(),
            one => one - 1..one,
        };
        let (own, d) = (chosen.len(), self.dimension(series.channels()));
        let largest = words.last().copied().unwrap_or(1);
        let (mut step, mut work) = (vec![0.0; d], [vec![0.0; largest], vec![0.0; largest]]);
        let mut starts = vec![0];
        words.iter().for_each(|n| starts.push(starts[starts.len() - 1] + n));
        out[0] = 1.0;
        let share = 1.0 / series.len().saturating_sub(1).max(1) as f64;
        for t in 1..series.len() {
            budget::check_after(out.len() * 2)?;
            let halves = if self.lead_lag { 2 } else { 1 };
            for half in 0..halves {
                step.fill(0.0);
                for (k, c) in chosen.clone().enumerate() {
                    let x = series.channel(c);
                    step[half * own + k] = self.scale * (x[t] - x[t - 1]);
                }
                if self.time {
                    step[d - 1] = share / halves as f64;
                }
                extend(out, (words, &starts), &step, &mut work);
            }
        }
        Ok(())
    }

    /// The name of a word, such as `1·time·1`.
    fn name(&self, channels: usize, words: &[usize], at: usize) -> String {
        let (d, own) = (self.dimension(channels), if self.channel == 0 { channels } else { 1 });
        let (mut at, mut length) = (at, 0);
        while length < self.level && at >= words[length] {
            at -= words[length];
            length += 1;
        }
        if length == 0 {
            return "1".into();
        }
        let mut symbols = Vec::with_capacity(length);
        for _ in 0..length {
            let c = at % d;
            at /= d;
            symbols.push(match c {
                time if self.time && time == d - 1 => "time".to_owned(),
                c if c >= own => format!("x{}'", c - own + 1),
                c => format!("x{}", c + self.channel.max(1)),
            });
        }
        symbols.reverse();
        symbols.join("·")
    }
}

/// Replaces a signature S by S ⊗ exp(v), that of the path continued by a straight line (Chen's identity). Each level is
/// computed by Horner's rule, the highest first.
fn extend(
    signature: &mut [f64],
    (words, starts): (&[usize], &[usize]),
    v: &[f64],
    [now, next]: &mut [Vec<f64>; 2],
) {
    let d = v.len();
    for k in (1..words.len()).rev() {
        now[0] = signature[0];
        for i in 1..=k {
            let (divisor, level) = ((k - i + 1) as f64, &signature[starts[i]..starts[i + 1]]);
            for (word, value) in now[..words[i - 1]].iter().enumerate() {
                for (c, v) in v.iter().enumerate() {
                    let to = word * d + c;
                    next[to] = value * v / divisor + level[to];
                }
            }
            std::mem::swap(now, next);
        }
        signature[starts[k]..starts[k + 1]].copy_from_slice(&now[..words[k]]);
    }
}

declared!(Signature { level, time, lead_lag, scale, channel as Channel });

impl Kernel<[Series]> for Signature {
    type Prepared = PreparedVectors;

    fn prepare(&self, objects: &[Series]) -> Result<Self::Prepared> {
        Linear.prepare(&Vectors::Dense(self.signatures(objects)?))
    }

    fn parts<'a>(&self, prepared: &'a Self::Prepared) -> Result<Option<FeatureParts<'a>>> {
        Linear.parts(prepared)
    }

    inner_products!();
}

impl FeatureMap<[Series]> for Signature {
    fn named_features(&self, objects: &[Series], _coordinate: &dyn Fn(usize) -> String) -> Result<Features> {
        let channels = objects.first().map_or(1, Series::channels);
        let words = self.words(channels)?;
        Ok(Features::numbered(self.signatures(objects)?, |at| self.name(channels, &words, at)))
    }
}

operators!([] Signature);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn walk(channels: usize, length: usize, seed: u64) -> Series {
        let mut random = Random::new(seed);
        Series::new(channels, (0..channels * length).map(|_| random.normal()).collect()).unwrap()
    }

    fn signature(kernel: Signature, series: &Series) -> Vec<f64> {
        kernel.signatures(std::slice::from_ref(series)).unwrap().row(0).to_vec()
    }

    /// A product of two integrals is the sum of the integrals over all shuffles of their words.
    #[test]
    fn shuffles_of_words() {
        let kernel = Signature::new(3).unwrap().with_time(false);
        let s = signature(kernel, &walk(2, 9, 4));
        let one = |i: usize| s[1 + i];
        let two = |i: usize, j: usize| s[3 + 2 * i + j];
        let three = |i: usize, j: usize, k: usize| s[7 + 4 * i + 2 * j + k];
        for (i, j) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
            assert!((one(i) * one(j) - two(i, j) - two(j, i)).abs() < 1e-12);
            for k in 0..2 {
                let shuffled = three(i, j, k) + three(j, i, k) + three(j, k, i);
                assert!((one(i) * two(j, k) - shuffled).abs() < 1e-11);
            }
        }
    }

    /// A straight line has the powers of its change, and additional time steps on it change nothing.
    #[test]
    fn lines_and_additional_time_steps() {
        let line = Series::new(1, vec![0.0, 2.0]).unwrap();
        let want = [1.0, 2.0, 2.0, 8.0 / 6.0, 16.0 / 24.0];
        let kernel = Signature::new(4).unwrap().with_time(false);
        for values in [vec![0.0, 2.0], vec![5.0, 5.5, 6.0, 7.0], vec![1.0, 4.0, 3.0]] {
            let found = signature(kernel, &Series::new(1, values).unwrap());
            assert!(found.iter().zip(want).all(|(a, b)| (a - b).abs() < 1e-12), "{found:?}");
        }
        let scaled = signature(kernel.with_scale(0.5).unwrap(), &line);
        assert!((scaled[4] - 1.0 / 24.0).abs() < 1e-15);
        let timed = signature(Signature::new(2).unwrap(), &line);
        assert_eq!(timed, [1.0, 2.0, 1.0, 2.0, 1.0, 1.0, 0.5]);
        // One time step is no path.
        assert_eq!(
            signature(Signature::new(2).unwrap(), &walk(1, 1, 3)),
            [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]
        );
    }

    /// The area between a channel and its copy one time step later is half the sum of squared changes.
    #[test]
    fn lead_lag_has_squared_changes() {
        let x = walk(1, 12, 8);
        let kernel = Signature::new(2).unwrap().with_time(false).with_lead_lag(true);
        let s = signature(kernel, &x);
        let squares: f64 = x.values().windows(2).map(|w| (w[1] - w[0]).powi(2)).sum();
        assert!((s[4] - s[5] - squares).abs() < 1e-12, "{s:?} {squares}");
        let names = kernel.features(&[x]).unwrap().names;
        assert_eq!(names, ["1", "x1", "x1'", "x1·x1", "x1·x1'", "x1'·x1", "x1'·x1'"]);
    }

    #[test]
    fn too_many_words_are_refused() {
        let wide = walk(50, 3, 1);
        let refused = Signature::new(6).unwrap().signatures(&[wide]).unwrap_err().to_string();
        assert!(refused.contains("level"), "{refused}");
        assert!(Signature::new(13).is_err() && Signature::new(2).unwrap().with_scale(0.0).is_err());
        assert!(Signature::new(2).unwrap().on(3).signatures(&[walk(2, 3, 1)]).is_err());
    }
}
