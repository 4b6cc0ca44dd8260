//! Series from columns, and dynamic time warping with a learned window.

use super::columns::{Field, Scope};
use super::step::Step;
use super::tree::Call;
use crate::data::{Dataset, Series, Target, Values};
use crate::distance::NegativeSquaredDistance;
use crate::distance::series::{Band, CHANNEL, CHANNELS, ChannelChoice, Dtw, SERIES, learn_window};
use crate::error::{Error, Result};
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

/// Dynamic time warping within a window learned from the training series and their classes.
pub(super) fn learned_dtw(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let channel_choice: ChannelChoice = call.get("channels")?;
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
    let dtw = Dtw::default().within(Band::sakoe_chiba(window)?).on(channel_choice);
    scope.on::<[Series], _>(call, NegativeSquaredDistance(dtw))
}
