//! Distances and kernels on series from their parameters.

use super::columns::{Field, Scope};
use super::step::Step;
use super::tree::Call;
use crate::data::{Dataset, Series, Target, Values};
use crate::distance::series::{
    Band, CHANNEL, CHANNELS, Channels, DerivativeDtw, Dtw, Erp, Lcss, Look, Msm, SERIES, SoftDtw, Straight,
    Twe, WeightedDtw, learn_window,
};
use crate::distance::{Distance, Negative};
use crate::error::{Error, Result};
use crate::kernel::series::GlobalAlignment;
use crate::kernel::{Boxed, Definiteness, Facts};

/// Facts about dynamic time warping with a learned window.
pub(super) const LEARNED_DTW: Facts = Facts {
    name: "learned-dtw",
    summary: "Dynamic time warping of series within the window that tells the training classes apart best.",
    formula: "d(x, y) = dtw(x, y, window=w), w of 0, 0.01, …, 1 with the fewest training series whose nearest other is of another class, of equal ones the smallest",
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
            _ => Err(Error::usage("series are compared one column at a time: add up several with +")),
        }
    }
}

impl Call {
    /// The band alignments stay in.
    fn band(&self) -> Result<Band> {
        Band::from_words(self.word("shape")?, self.number("window")?, self.number("slope")?)
    }

    /// The one channel looked at, from 1, or 0 for all.
    fn channel(&self) -> Result<usize> {
        Ok(self.number("channel")? as usize)
    }

    /// The channels looked at.
    fn look(&self) -> Result<Look> {
        let channels = self.word("channels").map(Channels::from_word).unwrap_or_default();
        Ok(Look { channel: self.channel()?, channels })
    }
}

/// The kernel of a distance on the column of series in force.
fn on<D>(call: &Call, scope: &Scope<'_>, distance: D) -> Result<Boxed<Dataset>>
where
    D: Distance<[Series]> + 'static,
    D::Prepared: 'static,
{
    scope.on::<[Series], _>(call, Negative(distance))
}

pub(super) fn dtw(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let single = call.word("precision")? == "single";
    on(call, scope, Dtw::default().within(call.band()?).on(call.look()?).single(single))
}

pub(super) fn derivative_dtw(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    on(call, scope, DerivativeDtw::default().within(call.band()?).on(call.look()?))
}

pub(super) fn weighted_dtw(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    on(call, scope, WeightedDtw::new(call.number("g")?)?.within(call.band()?).on(call.look()?))
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
    on(call, scope, Straight::default().on(call.channel()?))
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
    let look = call.look()?;
    let window = match scope.fit.stored()? {
        None => {
            let Some(Target::Classes(classes)) = scope.data.target() else {
                return Err(Error::usage("learned-dtw learns from classes, which this data does not have"));
            };
            let engine = scope.fit.engine;
            let learn = |series: &[Series]| engine.run(|| learn_window(series, classes.codes(), look));
            <[Series]>::take(scope.data, &scope.suitable(call)?, learn)?.window
        }
        Some(Step::Window { window }) => window,
        Some(other) => return Err(other.misplaced("learned-dtw")),
    };
    scope.fit.record(Step::Window { window });
    on(call, scope, Dtw::default().within(Band::sakoe_chiba(window)?).on(look))
}
