//! Gaps in series: rejected with their position, kept, or filled.

use std::collections::HashSet;

use super::super::text::{Fault, Text};
use super::super::{Gaps, Missing, Options};
use crate::data::Series;
use crate::error::{Code, Error, Result, Warning};

/// Series as read, with NaN for gaps.
#[derive(Default)]
pub(super) struct Gathered {
    series: Vec<Series>,
    /// The series that have gaps, with the offset of the first gap.
    gaps: Vec<(usize, usize)>,
}

impl Gathered {
    pub(super) fn len(&self) -> usize {
        self.series.len()
    }

    /// Adds a series; `gap` is the offset of its first gap.
    pub(super) fn push(&mut self, series: Series, gap: Option<usize>) {
        if let Some(offset) = gap {
            self.gaps.push((self.series.len(), offset));
        }
        self.series.push(series);
    }

    pub(super) fn append(&mut self, other: Gathered) {
        let before = self.series.len();
        self.gaps.extend(other.gaps.into_iter().map(|(i, offset)| (i + before, offset)));
        self.series.extend(other.series);
    }

    pub(super) fn series(&self) -> &[Series] {
        &self.series
    }

    /// The series without gaps (unless they are kept), the indices of the remaining ones, and warnings.
    pub(super) fn finish(
        self,
        text: &Text<'_>,
        options: &Options,
    ) -> Result<(Vec<Series>, Vec<usize>, Vec<Warning>)> {
        let place = |offset| text.error(Fault::new(offset, Code::TsMissing, "a gap in a series"));
        self.finish_with(&place, text, options)
    }

    /// The same, where `place` makes the error for a gap from its offset.
    pub(super) fn finish_with(
        self,
        place: &dyn Fn(usize) -> Error,
        text: &Text<'_>,
        options: &Options,
    ) -> Result<(Vec<Series>, Vec<usize>, Vec<Warning>)> {
        let Gathered { mut series, gaps } = self;
        let total = series.len();
        let mut kept: Vec<usize> = (0..total).collect();
        match policy(options) {
            Policy::Keep => {}
            Policy::Drop => {
                let gappy: HashSet<usize> = gaps.iter().map(|gap| gap.0).collect();
                kept.retain(|i| !gappy.contains(i) && !series[*i].is_empty());
                if kept.is_empty() {
                    return Err(text.empty("every series has a gap, so all were left out"));
                }
                series = kept.iter().map(|&i| series[i].clone()).collect();
            }
            Policy::Fill(fill) => {
                for &(i, offset) in &gaps {
                    series[i] = match filled(&series[i], fill) {
                        Some(full) => full?,
                        None => {
                            return Err(place(offset).with_hint(
                                "a channel without any value cannot be interpolated; use zero instead",
                            ));
                        }
                    };
                }
            }
            Policy::Refuse => {
                if let Some(&(_, offset)) = gaps.first() {
                    return Err(place(offset).with_hint(HINT));
                }
                if options.missing == Some(Missing::Refuse)
                    && let Some(index) = series.iter().position(Series::is_empty)
                {
                    return Err(Error::Missing { index, column: super::NAME.into() });
                }
            }
        }
        let mut warnings = Vec::new();
        if kept.len() < total {
            let message = format!("{} of {total} series left out: a value is missing", total - kept.len());
            warnings.push(Warning::new("W_DROPPED", message));
        }
        Ok((series, kept, warnings))
    }
}

const HINT: &str =
    "fill gaps with `series-missing=interpolate` or zero, or leave such series out with `missing=drop`";

/// How gaps are handled, according to the options for series and for missing values.
enum Policy {
    Refuse,
    Keep,
    Drop,
    Fill(Gaps),
}

fn policy(options: &Options) -> Policy {
    match (options.series.gaps, options.missing) {
        (Some(Gaps::Refuse), _) => Policy::Refuse,
        (Some(Gaps::Keep), _) => Policy::Keep,
        (Some(fill), _) => Policy::Fill(fill),
        (None, None | Some(Missing::Refuse)) => Policy::Refuse,
        (None, Some(Missing::Keep)) => Policy::Keep,
        (None, Some(Missing::Drop)) => Policy::Drop,
    }
}

/// The series with gaps filled; `None` if a channel has no value.
fn filled(series: &Series, fill: Gaps) -> Option<Result<Series>> {
    let mut values = Vec::with_capacity(series.values().len());
    for c in 0..series.channels() {
        let channel = series.channel(c);
        match fill {
            Gaps::Zero => values.extend(channel.iter().map(|v| if v.is_nan() { 0.0 } else { *v })),
            _ => values.extend(interpolated(channel)?),
        }
    }
    Some(Series::new(series.channels(), values))
}

/// Linear interpolation over gaps; before the first value and after the last these are repeated.
fn interpolated(channel: &[f64]) -> Option<Vec<f64>> {
    let known: Vec<usize> = (0..channel.len()).filter(|&t| !channel[t].is_nan()).collect();
    let (&first, &last) = (known.first()?, known.last()?);
    let mut out = channel.to_vec();
    out[..first].fill(channel[first]);
    out[last..].fill(channel[last]);
    for pair in known.windows(2) {
        let (a, b) = (pair[0], pair[1]);
        for (step, value) in out[a + 1..b].iter_mut().enumerate() {
            let share = (step + 1) as f64 / (b - a) as f64;
            *value = channel[a] * (1.0 - share) + channel[b] * share;
        }
    }
    Some(out)
}
