//! Prepared series, and tiles of pairs of them.

use std::fmt;
use std::sync::Arc;

use super::lanes::Lanes;
use crate::budget;
use crate::data::Series;
use crate::error::{Code, Error, Result};
use crate::traits::{Domain, OneOf, Parameter, ParameterValue, Part, Prepared, Printer, Settings};

/// Whether channels are aligned together or separately.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Channels {
    /// One alignment for all channels: the cost of two time steps is that of their vectors.
    #[default]
    Dependent,
    /// One alignment for each channel; squared distances are summed.
    Independent,
}

impl OneOf for Channels {
    const WORDS: &'static [&'static str] = &["dependent", "independent"];
    const ALL: &'static [Channels] = &[Channels::Dependent, Channels::Independent];
}

/// The channels of series that a distance uses, and how they are aligned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelChoice {
    /// 0 for all channels, 1 for the first channel only, and so on.
    pub channel: usize,
    /// Whether they are aligned together.
    pub channels: Channels,
}

impl ChannelChoice {
    /// One channel, from 1; 0 selects all.
    pub fn at(channel: usize) -> Self {
        ChannelChoice { channel, channels: Channels::Dependent }
    }

    /// Every channel separately.
    pub const INDEPENDENT: ChannelChoice = ChannelChoice { channel: 0, channels: Channels::Independent };
}

impl ParameterValue for ChannelChoice {
    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        Ok(ChannelChoice { channels: settings.read()?, channel: settings.read()? })
    }

    fn print(&self, out: &mut Printer<'_, '_>) -> fmt::Result {
        match self.channels {
            Channels::Dependent => out.skip()?,
            channels => channels.print(out)?,
        }
        Channel(self.channel).print(out)
    }
}

/// A channel from 1; 0, all channels, is not printed.
pub(crate) struct Channel(pub(crate) usize);

impl ParameterValue for Channel {
    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        settings.read().map(Channel)
    }

    fn print(&self, out: &mut Printer<'_, '_>) -> fmt::Result {
        if self.0 > 0 { out.put(self.0) } else { out.skip() }
    }
}

#[doc(hidden)]
pub const CHANNEL: Parameter = Parameter {
    name: "channel",
    default: "0",
    domain: Domain::Whole(0, 1 << 20),
    doc: "The channel to use, from 1; 0 for all",
    alias: None,
};

#[doc(hidden)]
pub const CHANNELS: Parameter = Parameter {
    name: "channels",
    default: "dependent",
    domain: Domain::Word(Channels::WORDS),
    doc: "Whether channels share one alignment, or are aligned separately and summed",
    alias: None,
};

/// Prepared series.
#[derive(Clone, Debug)]
pub struct PreparedSeries {
    /// The groups of channels that are aligned together: all channels, or each channel separately.
    planes: Vec<Plane>,
    /// The number of channels of the series; 0 if there are no series.
    channels: usize,
    count: usize,
}

/// Channels that are aligned together.
#[derive(Clone, Debug)]
pub(crate) struct Plane {
    channels: usize,
    /// The values of each series, time step after time step.
    series: Vec<Arc<[f64]>>,
}

impl Plane {
    pub(crate) fn channels(&self) -> usize {
        self.channels
    }

    pub(crate) fn count(&self) -> usize {
        self.series.len()
    }

    pub(crate) fn values(&self, i: usize) -> &[f64] {
        &self.series[i]
    }

    pub(crate) fn len_of(&self, i: usize) -> usize {
        self.series[i].len() / self.channels
    }
}

impl Prepared for PreparedSeries {
    fn len(&self) -> usize {
        self.count
    }

    fn select(&self, chosen: &[usize]) -> Self {
        let pick = |p: &Plane| Plane { channels: p.channels, series: p.series.select(chosen) };
        PreparedSeries {
            planes: self.planes.iter().map(pick).collect(),
            channels: self.channels,
            count: chosen.len(),
        }
    }
}

impl PreparedSeries {
    /// Checks and prepares series. `change` transforms a channel, for example into its slopes.
    pub(crate) fn new(
        objects: &[Series],
        choice: ChannelChoice,
        change: impl Fn(usize, &[f64]) -> Result<Vec<f64>>,
    ) -> Result<Self> {
        let channels = objects.first().map_or(0, Series::channels);
        let mut planes: Vec<Plane> = Vec::new();
        for (index, s) in objects.iter().enumerate() {
            check_series(index, s, channels)?;
            let chosen = match choice.channel {
                0 => 0..channels,
                one if one <= channels => one - 1..one,
                one => {
                    let reason = format!("has {channels} channels; there is no channel {one}");
                    return Err(Error::Object { index, reason, hint: None });
                }
            };
            let changed = chosen.map(|c| change(index, s.channel(c))).collect::<Result<Vec<_>>>()?;
            let parts = match choice.channels {
                Channels::Dependent => vec![&changed[..]],
                Channels::Independent => changed.chunks(1).collect(),
            };
            if planes.is_empty() {
                planes = parts.iter().map(|p| Plane { channels: p.len(), series: Vec::new() }).collect();
            }
            for (plane, part) in planes.iter_mut().zip(parts) {
                let time_steps = part.first().map_or(0, Vec::len);
                plane.series.push((0..time_steps).flat_map(|t| part.iter().map(move |c| c[t])).collect());
            }
        }
        Ok(PreparedSeries { planes, channels, count: objects.len() })
    }

    /// Prepares series with unchanged channels.
    pub(crate) fn plain(objects: &[Series], choice: ChannelChoice) -> Result<Self> {
        PreparedSeries::new(objects, choice, |_, values| Ok(values.to_vec()))
    }

    pub(crate) fn planes(&self) -> &[Plane] {
        &self.planes
    }

    /// An error for two sets with different numbers of channels.
    pub(crate) fn agree(&self, other: &Self) -> Result<()> {
        match self.channels == other.channels || self.is_empty() || other.is_empty() {
            true => Ok(()),
            false => Err(Error::Dimension { expected: other.channels, found: self.channels }),
        }
    }
}

/// An error for a series without time steps, with another number of channels, or with values that are not finite.
pub(crate) fn check_series(index: usize, s: &Series, channels: usize) -> Result<()> {
    if s.is_empty() {
        return Err(Error::Missing { index, column: "series".into() });
    }
    if s.channels() != channels {
        let reason = format!("has {} channels where others have {channels}", s.channels());
        return Err(Error::Object { index, reason, hint: None });
    }
    match s.values().iter().position(|v| !v.is_finite()) {
        None => Ok(()),
        Some(at) if s.values()[at].is_nan() => Err(Error::Series {
            index,
            code: Code::TsMissing,
            reason: format!("no value at time step {} of channel {}", at % s.len() + 1, at / s.len() + 1),
            hint: Some("fill gaps while reading with `series-missing=interpolate` or zero".into()),
        }),
        Some(at) => {
            let reason =
                format!("infinite at time step {} of channel {}", at % s.len() + 1, at / s.len() + 1);
            Err(Error::Object { index, reason, hint: None })
        }
    }
}

/// Several series, one in each lane.
pub(super) struct Pack<V> {
    /// The channels of each time step; zeros beyond the end of a series.
    pub(super) values: Vec<V>,
    /// The length of the longest series.
    pub(super) longest: usize,
    /// The series of the tile in each lane, and its length.
    pub(super) members: Vec<(usize, usize)>,
}

/// The series of a tile's columns in packs. Unless lengths may be `mixed`, a pack holds series of one length; its
/// length is a multiple of `round`.
fn packs<V: Lanes>(cols: &Part<'_, Plane>, mixed: bool, round: usize) -> Vec<Pack<V>> {
    let plane = cols.set;
    let mut members: Vec<(usize, usize)> =
        cols.range.clone().enumerate().map(|(at, i)| (at, plane.len_of(i))).collect();
    // Series of similar length are grouped, so that little is computed beyond the end of the shorter ones.
    members.sort_by_key(|&(_, len)| len);
    let mut rest = &members[..];
    let mut out = Vec::new();
    while let Some(&(_, shortest)) = rest.first() {
        let same = rest.iter().take(V::WIDTH).take_while(|m| mixed || m.1 == shortest).count();
        let (own, others) = rest.split_at(same);
        rest = others;
        let longest = own.iter().map(|m| m.1).max().unwrap_or(0).next_multiple_of(round);
        let mut values = vec![V::ZERO; longest * plane.channels];
        for (lane, &(at, _)) in own.iter().enumerate() {
            let from = plane.values(cols.range.start + at);
            values.iter_mut().zip(from).for_each(|(v, &x)| v.set(lane, x));
        }
        out.push(Pack { values, longest, members: own.to_vec() });
    }
    out
}

/// Adds to `out` the result of `align` for each pair. `align` gets a series of the rows and a pack of the columns, and
/// writes one result for each member of the pack.
///
/// A tile whose rows equal its columns is symmetric, and only half of it is computed.
#[inline(always)]
pub(super) fn each_pair<V: Lanes>(
    rows: Part<'_, Plane>,
    cols: Part<'_, Plane>,
    (mixed, round): (bool, usize),
    out: &mut [f64],
    mut align: impl FnMut(&[V::Scalar], &Pack<V>, &mut [f64]),
) {
    let width = cols.len();
    let symmetric = std::ptr::eq(rows.set, cols.set) && rows.range == cols.range;
    let packs = packs::<V>(&cols, mixed, round);
    let mut query: Vec<V::Scalar> = Vec::new();
    let mut answers = vec![0.0; V::WIDTH];
    for (at, i) in rows.range.clone().enumerate() {
        query.clear();
        query.extend(rows.set.values(i).iter().map(|&v| V::scalar(v)));
        for pack in &packs {
            if symmetric && pack.members.iter().all(|m| m.0 < at) {
                continue;
            }
            if budget::is_spent_after(1) {
                return;
            }
            align(&query, pack, &mut answers);
            for (&(col, _), &answer) in pack.members.iter().zip(&answers) {
                if symmetric && col < at {
                    continue;
                }
                out[at * width + col] += answer;
                if symmetric && col > at {
                    out[col * width + at] += answer;
                }
            }
        }
    }
}
