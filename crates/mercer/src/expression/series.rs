//! Makes distances and kernels on series from their parameters.

use super::columns::{Field, Scope};
use super::step::Step;
use super::tree::Call;
use crate::data::{Dataset, Series, Target, Values};
use crate::distance::series::{
    Band, CHANNEL, CHANNELS, ChannelChoice, Channels, DerivativeDtw, Dtw, Erp, Lcss, Msm, SERIES,
    SeriesEuclidean, SoftDtw, Twe, WeightedDtw, learn_window,
};
use crate::distance::{Distance, NegativeSquaredDistance};
use crate::error::{Error, Result};
use crate::kernel::series::GlobalAlignment;
use crate::kernel::{Boxed, Definiteness, Facts};

/// Facts about dynamic time warping with a learned window.
pub(super) const LEARNED_DTW: Facts = Facts {
    name: "learned-dtw",
    summary: "Dynamic time warping of series, with the window that best separates the training classes.",
    formula: "d(x, y) = dtw(x, y, window=w), w of 0, 0.01, …, 1 with the fewest leave-one-out errors of 1-nearest-neighbour on the training series, ties to the smallest",
    takes: "series, and classes of the training objects",
    kinds: SERIES,
    definiteness: Definiteness::Indefinite,
    parameters: &[CHANNELS, CHANNEL],
    cost: "that of dtw; fitting takes all pairs of training objects and windows, most of them abandoned early",
    reference: "Ratanamahatana & Keogh 2005; Herrmann & Webb 2021",
    example: "learned-dtw",
};

impl Field for [Series] {
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        match columns {
            [one] => match &data.column(one)?.values {
                Values::Series(series) => work(series),
                other => Err(Error::Column {
                    name: one.clone(),
                    reason: format!("holds {}, not series", other.kind()),
                    hint: None,
                }),
            },
            _ => Err(Error::usage("a kernel on series takes one column: add several with +")),
        }
    }
}

impl Call {
    /// The band that contains all alignments.
    fn band(&self) -> Result<Band> {
        Band::from_words(self.word("shape")?, self.number("window")?, self.number("slope")?)
    }

    /// The number of the only channel used, from 1, or 0 for all.
    fn channel(&self) -> Result<usize> {
        Ok(self.number("channel")? as usize)
    }

    /// The channels used.
    fn channel_choice(&self) -> Result<ChannelChoice> {
        let channels = self.word("channels").map(Channels::from_word).unwrap_or_default();
        Ok(ChannelChoice { channel: self.channel()?, channels })
    }
}

/// The kernel of a distance on the selected column of series.
fn on<D>(call: &Call, scope: &Scope<'_>, distance: D) -> Result<Boxed<Dataset>>
where
    D: Distance<[Series]> + 'static,
    D::Prepared: 'static,
{
    scope.on::<[Series], _>(call, NegativeSquaredDistance(distance))
}

pub(super) fn dtw(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let single = call.word("precision")? == "single";
    on(call, scope, Dtw::default().within(call.band()?).on(call.channel_choice()?).single(single))
}

pub(super) fn derivative_dtw(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    on(call, scope, DerivativeDtw::default().within(call.band()?).on(call.channel_choice()?))
}

pub(super) fn weighted_dtw(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    on(call, scope, WeightedDtw::new(call.number("g")?)?.within(call.band()?).on(call.channel_choice()?))
}

pub(super) fn erp(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    on(call, scope, Erp::new(call.number("g")?)?.within(call.band()?).on(call.channel()?))
}

pub(super) fn lcss(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    on(call, scope, Lcss::new(call.number("epsilon")?)?.within(call.band()?).on(call.channel()?))
}

pub(super) fn msm(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    on(call, scope, Msm::new(call.number("c")?)?.within(call.band()?).on(call.channel()?))
}

pub(super) fn twe(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let twe = Twe::new(call.number("nu")?, call.number("lambda")?)?;
    on(call, scope, twe.within(call.band()?).on(call.channel()?))
}

pub(super) fn series_euclidean(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    on(call, scope, SeriesEuclidean::default().on(call.channel()?))
}

pub(super) fn soft_dtw(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    on(call, scope, SoftDtw::new(call.number("gamma")?)?.within(call.band()?).on(call.channel()?))
}

pub(super) fn gak(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let kernel = GlobalAlignment::new(call.number("sigma")?)?.triangular(call.number("triangular")? as usize);
    scope.on::<[Series], _>(call, kernel.on(call.channel()?))
}

/// Dynamic time warping within a window learned from the training series and their classes.
pub(super) fn learned_dtw(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let channel_choice = call.channel_choice()?;
    let window = match scope.fit.stored()? {
        None => {
            let Some(Target::Classes(classes)) = scope.data.target() else {
                return Err(Error::usage("learned-dtw needs classes, which this data does not have"));
            };
            let engine = scope.fit.engine;
            let learn =
                |series: &[Series]| engine.run(|| learn_window(series, classes.codes(), channel_choice));
            <[Series]>::take(scope.data, &scope.suitable(call)?, learn)?.window
        }
        Some(Step::Window { window }) => window,
        Some(other) => return Err(other.misplaced("learned-dtw")),
    };
    scope.fit.record(Step::Window { window });
    on(call, scope, Dtw::default().within(Band::sakoe_chiba(window)?).on(channel_choice))
}
