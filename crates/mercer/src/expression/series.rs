//! Series from columns, dynamic time warping with a learned window, and kernels on features of series.

use std::fmt;

use super::columns::{Field, Scope, inner_of};
use super::entry::{Depends, Entry};
use super::step::Step;
use super::tree::{Call, Expression};
use super::value::{Setting, Value};
use crate::data::{Dataset, Dense, Series, Target, Values};
use crate::distance::NegativeSquaredDistance;
use crate::distance::series::{Band, CHANNEL, CHANNELS, ChannelChoice, Dtw, SERIES, learn_window};
use crate::error::{Error, Result};
use crate::kernel::series::{FittedSeries, SeriesMap};
use crate::kernel::{Boxed, Definiteness, Domain, Facts, Kernel, Parameter, Part};

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

/// Facts about a distance with a learned window.
pub(super) const LEARNED_WINDOW: Facts = Facts {
    name: "learned-window",
    summary: "A distance of series that has a window, with the window that best separates the training classes.",
    formula: "d(x, y) with window = w, w of 0, 1/steps, …, 1 with the fewest leave-one-out errors of 1-nearest-neighbour on the training series, ties to the smallest",
    takes: "a distance of series with a window, and classes of the training objects",
    kinds: &[],
    definiteness: Definiteness::Indefinite,
    parameters: &[Parameter {
        name: "steps",
        default: "20",
        domain: Domain::Whole(1, 1000),
        doc: "the number of windows above 0; the window and shape of the distance are replaced",
        alias: None,
    }],
    cost: "that of the distance; fitting takes the distances of all training objects for every window",
    reference: "Ratanamahatana & Keogh 2005; Lines & Bagnall 2015, Time series classification with ensembles of elastic distance measures",
    example: "learned-window(msm(c=0.5))",
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

/// The registry entry of a kernel on features of series that are fitted to the training series.
pub(super) const fn features<M: SeriesMap>() -> Entry {
    Entry::kernel(M::FACTS, |call, scope| scope.on::<[Series], _>(call, fitted::<M>(call, scope)?))
        .depending(Depends::Training)
        .with_map(|call, scope| scope.map_on::<[Series], _>(call, fitted::<M>(call, scope)?))
}

/// A map fitted to the training series, or restored from what it learned.
fn fitted<M: SeriesMap>(call: &Call, scope: &Scope<'_>) -> Result<FittedSeries<M>> {
    let map: M = scope.declared(call)?;
    let fitted = match scope.fit.stored()? {
        None => {
            let (columns, engine) = (scope.suitable(call)?, scope.fit.engine);
            let fit = |series: &[Series]| engine.run(|| map.fit(series));
            <[Series]>::take(scope.data, &columns, fit).map_err(|error| match error {
                Error::Missing { index, .. } => Error::Missing { index, column: columns[0].clone() },
                other => other,
            })?
        }
        Some(Step::Series(learned)) => FittedSeries::restore(map, learned)?,
        Some(other) => return Err(other.misplaced(M::FACTS.name)),
    };
    scope.fit.record(Step::Series(fitted.learned().clone()));
    Ok(fitted)
}

/// A distance within a window learned from the training series and their classes.
pub(super) fn learned_window(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let steps: usize = call.get("steps")?;
    let within = |window: f64| scope.fit.kernel(&with_window(inner_of(call)?, window)?, scope);
    let window = match scope.fit.stored()? {
        None => {
            let Some(Target::Classes(classes)) = scope.data.target() else {
                return Err(Error::usage("learned-window needs classes, which this data does not have"));
            };
            let mut best = (usize::MAX, 0.0);
            for step in 0..=steps {
                let window = step as f64 / steps as f64;
                let gram = scope.fit.engine.gram(&within(window)?, scope.data)?;
                let errors = nearest_errors(&gram, classes.codes());
                if errors < best.0 {
                    best = (errors, window);
                }
            }
            best.1
        }
        Some(Step::Window { window }) => window,
        Some(other) => return Err(other.misplaced(LEARNED_WINDOW.name)),
    };
    scope.fit.record(Step::Window { window });
    Ok(Boxed::new(WithinLearned { inner: within(window)?, steps }))
}

/// A distance with another window.
fn with_window(distance: &Expression, window: f64) -> Result<Expression> {
    let other = || {
        let reason = "learned-window takes one distance that has a window: dtw, derivative-dtw, weighted-dtw, soft-dtw, erp, lcss, msm or twe";
        Error::usage(reason)
    };
    let Expression::Call(inner) = distance else { return Err(other()) };
    let mut inner = inner.clone();
    let place = |name: &str| inner.place(name).ok_or_else(other);
    let (size, shape) = (place("window")?, place("shape")?);
    inner.settings[size] = window.into();
    inner.settings[shape] = Setting::Fixed(Value::Word("sakoe-chiba".to_owned()));
    Ok(Expression::Call(inner))
}

/// The number of objects whose nearest neighbour has another class, from the kernel -d²/2; ties go to the first.
fn nearest_errors(gram: &Dense, classes: &[u32]) -> usize {
    let wrong = |i: usize| {
        let others = (0..gram.cols()).filter(|&j| j != i);
        let nearest = others.reduce(|a, b| if gram.at(i, b) > gram.at(i, a) { b } else { a });
        nearest.is_some_and(|j| classes[i] != classes[j])
    };
    (0..gram.rows()).filter(|&i| wrong(i)).count()
}

/// A distance whose window was learned.
struct WithinLearned<K> {
    inner: K,
    steps: usize,
}

impl<K: fmt::Display> fmt::Display for WithinLearned<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}({}, steps={})", LEARNED_WINDOW.name, self.inner, self.steps)
    }
}

impl<K: Kernel<Dataset>> Kernel<Dataset> for WithinLearned<K> {
    type Prepared = K::Prepared;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        self.inner.prepare(objects)
    }

    passes_on!(inner);
}
