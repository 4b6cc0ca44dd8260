//! Makes the similarity kernel: Fisher vectors of distances to references, over columns of a data set.

use std::sync::Arc;

use super::blocks::{Blocks, Place};
use super::columns::Scope;
use super::entry::Way;
use super::fit::Fit;
use super::step::Step;
use super::tree::{Call, Expression};
use super::wrappers::{without_extension, zero_extended};
use crate::data::{Dataset, Dense, Series, Values, Vectors};
use crate::error::{Error, Result, Warning};
use crate::gram::{Choice, Engine, Fisher, FisherMap, choose_references, operations};
use crate::kernel::fisher_similarity::{OnceScales, SIMILARITY, hstack};
use crate::kernel::vector::Linear;
use crate::kernel::{Boxed, FisherSimilarity, Kernel, Modality, ReferenceSettings};

/// The settings of a call, without its distances.
fn settings(call: &Call) -> Result<ReferenceSettings> {
    Ok(ReferenceSettings {
        references: call.get("references")?,
        choice: match call.word("choice")? {
            "farthest" => Choice::Farthest,
            "medoids" => Choice::Medoids,
            _ => Choice::Random,
        },
        fisher: match call.word("fisher")? {
            "full" => Fisher::Full { ridge: call.number("ridge")? },
            _ => Fisher::Diagonal,
        },
        seed: call.get("seed")?,
    })
}

/// Whether objects without a value are accepted.
fn takes_missing(call: &Call) -> Result<bool> {
    Ok(call.word("missing")? == "mean")
}

/// The distances of a call, one per channel for `channels=each`.
fn distances(call: &Call, data: &Dataset, columns: Option<&[String]>) -> Result<Vec<Expression>> {
    if call.word("channels")? != "each" {
        return Ok(call.inner.clone());
    }
    let mut all = Vec::new();
    for inner in &call.inner {
        match channels(inner, data, columns)? {
            Some(count) => all.extend((1..=count).map(|c| of_channel(inner, c))),
            None => all.push(inner.clone()),
        }
    }
    Ok(all)
}

/// The number of channels of the series a distance uses, if it is on series and does not fix the channel.
fn channels(expression: &Expression, data: &Dataset, columns: Option<&[String]>) -> Result<Option<usize>> {
    match expression {
        Expression::Group(inner, own) => channels(inner, data, Some(own)),
        Expression::Call(call) if call.inner.is_empty() => {
            let columns = call.columns.as_deref().or(columns);
            let open = call.number("channel").is_ok_and(|c| c == 0.0);
            let Some(name) = call.columns_among(data, columns)?.into_iter().next().filter(|_| open) else {
                return Ok(None);
            };
            match &data.column(&name)?.values {
                Values::Series(series) => Ok(series.iter().map(Series::channels).max()),
                _ => Ok(None),
            }
        }
        Expression::Call(call) => {
            let columns = call.columns.as_deref().or(columns);
            call.inner.first().map_or(Ok(None), |inner| channels(inner, data, columns))
        }
        _ => Ok(None),
    }
}

fn of_channel(expression: &Expression, channel: usize) -> Expression {
    let mut out = expression.clone();
    match &mut out {
        Expression::Group(inner, _) => **inner = of_channel(inner, channel),
        Expression::Call(call) => match call.place("channel") {
            Some(at) => call.settings[at] = (channel as f64).into(),
            None => call.inner.iter_mut().for_each(|inner| *inner = of_channel(inner, channel)),
        },
        _ => {}
    }
    out
}

/// Makes the kernel.
pub(super) fn similarity(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    referenced(call, scope).map(Boxed::new)
}

/// Missing values and separate channels are handled by the kernel itself.
pub(super) fn way(call: &Call) -> Way {
    let is = |name: &str, word: &str| call.word(name).is_ok_and(|w| w == word);
    match is("missing", "refuse") && is("channels", "together") {
        true => Way::Inside(blocks),
        false => Way::Kernel,
    }
}

/// Features from distances to references among the training objects, taken from the matrices of the modalities.
fn blocks(call: &Call, place: &Place<'_>) -> Result<Blocks> {
    let settings = settings(call)?;
    let (mut known, mut new) = (Vec::new(), Vec::new());
    for at in 0..place.count() {
        let blocks = place.inside(at)?;
        known.push(operations::distances(&blocks.train)?);
        let mut cross = operations::squared_cross_distances(&blocks.cross, &blocks.own, &blocks.diagonal())?;
        cross.values_mut().iter_mut().for_each(|v| *v = v.max(0.0).sqrt());
        new.push(cross);
    }
    let scales = OnceScales::default();
    let row = |i: usize| Ok(scales.combine(known.iter().map(|d| d.row(i).to_vec()).collect()));
    let n = place.train().len();
    let chosen = choose_references(n, settings.references, settings.choice, settings.seed, row)?;
    let at_references = |all: &[Dense]| {
        let pick = |d: &Dense| {
            let mut out = Dense::zeros(d.rows(), chosen.len());
            for i in 0..d.rows() {
                out.row_mut(i).iter_mut().zip(&chosen).for_each(|(v, &j)| *v = d.at(i, j));
            }
            out
        };
        hstack(&all.iter().map(pick).collect::<Vec<_>>())
    };
    let known = at_references(&known);
    let map = FisherMap::fit(&known, settings.fisher)?;
    let prepare = |d: &Dense| Linear.prepare(&Vectors::from(map.features(d)?));
    let (known, new) = (prepare(&known)?, prepare(&at_references(&new))?);
    let engine = place.engine();
    Ok(Blocks {
        train: engine.gram_of(&Linear, &known)?,
        cross: engine.cross_of(&Linear, &new, &known)?,
        own: engine.diagonal_of(&Linear, &new)?,
    })
}

impl Expression {
    /// The Fisher vectors of objects for a single `similarity` expression, from their distances to references among the
    /// training objects. `steps` are those of its fit.
    ///
    /// ```
    /// use mercer::{data::{Dataset, Dense}, expression::Expression, gram::Engine};
    /// let data = Dataset::of_vectors(Dense::from_rows(&[[0.0], [1.0], [5.0]]));
    /// let (engine, expression) = (Engine::new(), "similarity(euclidean)".parse::<Expression>()?);
    /// let fitted = expression.fit(&data, &engine)?;
    /// let vectors = expression.fisher_vectors(&data, fitted.steps, &data, &engine)?;
    /// assert_eq!((vectors.rows(), vectors.cols()), (3, 3));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn fisher_vectors(
        &self,
        training: &Dataset,
        steps: Vec<Step>,
        objects: &Dataset,
        engine: &Engine,
    ) -> Result<Dense> {
        let (call, columns) = match self {
            Expression::Call(call) => (call, call.columns.as_deref()),
            Expression::Group(inner, columns) => match &**inner {
                Expression::Call(call) => (call, call.columns.as_deref().or(Some(columns))),
                _ => return Err(self.no_references()),
            },
            _ => return Err(self.no_references()),
        };
        if call.entry.facts.name != SIMILARITY.name {
            return Err(self.no_references());
        }
        let fit = Fit::new(engine, Some(steps));
        referenced(call, &Scope { fit: &fit, data: training, columns })?.features(objects)
    }

    fn no_references(&self) -> Error {
        Error::param("kernel", self, "similarity(…) alone: other kernels have no references")
    }
}

fn referenced(call: &Call, scope: &Scope<'_>) -> Result<FisherSimilarity<Dataset, Boxed<Dataset>>> {
    let (settings, engine) = (settings(call)?, scope.fit.engine);
    let partial = takes_missing(call)?;
    let mut modalities = Vec::new();
    for inner in distances(call, scope.data, scope.columns)? {
        modalities.push(match partial {
            false => Modality::new(scope.fit.kernel(&inner, scope)?),
            true => partial_modality(&inner, scope)?,
        });
    }
    let is_new = !scope.fit.restores();
    let kernel = match scope.fit.stored()? {
        None => FisherSimilarity::fit(modalities, scope.data, settings, engine)?,
        Some(Step::References { chosen, map }) => {
            FisherSimilarity::restore(modalities, scope.data, chosen, map, settings, engine)?
        }
        Some(other) => return Err(other.misplaced("similarity")),
    };
    let (inputs, kept) = (kernel.map().inputs(), kernel.map().used_references().len());
    if is_new && kept < inputs {
        scope.fit.warn(Warning::new(
            "W_CONSTANT",
            format!(
                "{} of {inputs} distances to references are constant on the training objects and are left out",
                inputs - kept
            ),
        ));
    }
    scope.fit.record(Step::References { chosen: kernel.references().to_vec(), map: kernel.map().clone() });
    Ok(kernel)
}

/// A modality with missing values: its kernel is fitted to the objects that have it, and extended by zero to others.
fn partial_modality(inner: &Expression, scope: &Scope<'_>) -> Result<Modality<Dataset, Boxed<Dataset>>> {
    // Printed kernels contain the extension already.
    let extended = without_extension(inner)?;
    let (columns, kernel) = zero_extended(extended, scope)?;
    Ok(Modality::new(kernel).with_presence(Arc::new(move |data: &Dataset| {
        let has = |i: usize, name: &String| data.column(name).is_ok_and(|c| !c.values.is_missing(i));
        (0..data.len()).map(|i| columns.iter().all(|name| has(i, name))).collect()
    })))
}
