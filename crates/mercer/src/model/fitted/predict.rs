//! Predictions for new objects, in batches.

use super::{Model, PreparedObjects};
use crate::data::{Column, Dataset, Values};
use crate::error::{Error, Result};
use crate::expression::LinearRows;
use crate::gram::Engine;
use crate::kernel::Boxed;
use crate::learn::Prediction;
use crate::model::align::align;

/// Entries of the cross matrix held in memory: 64 MB.
const ENTRIES: usize = 1 << 23;
/// The minimum and maximum batch size.
const FEWEST: usize = 64;
const MOST: usize = 8192;

impl Model {
    /// Predicts the objects of a data set, which must have the columns of [`Model::stored_objects`] and may have others,
    /// in any order.
    ///
    /// Objects are processed in batches, so that memory does not grow with their number; each batch is computed on all
    /// threads. The batches depend only on the model, so results are bit-identical for any number of threads.
    ///
    /// Sparse vectors may have fewer features than in training (the missing ones are zero), not more. The kernel
    /// defines how categories not seen in training are treated.
    pub fn predict(&self, data: &Dataset, engine: &Engine) -> Result<Prediction> {
        if !self.members.is_empty() {
            return self.predict_by_members(data, engine);
        }
        let step = match self.trained.neighbours_needed() {
            // No matrix is stored.
            Some(_) => MOST,
            None => (ENTRIES / self.support.len().max(1)).clamp(FEWEST, MOST),
        };
        engine.progress().begin("predict", data.len() as u64);
        let mut parts = Vec::new();
        // An empty data set is processed as one batch too, so that its columns are checked.
        for start in (0..data.len().max(1)).step_by(step) {
            let rows: Vec<usize> = (start..(start + step).min(data.len())).collect();
            let part = self.predict_part(data, &rows, engine).map_err(|e| shifted(e, start));
            engine.progress().advance(rows.len() as u64);
            parts.push(part);
            if parts.last().is_some_and(Result::is_err) {
                break;
            }
        }
        engine.progress().end();
        Prediction::joined(parts.into_iter().collect::<Result<_>>()?)
    }

    /// About how many multiplications the prediction of this many objects takes, for a model on numbers; `None` for
    /// other objects, whose comparisons may take any time.
    pub fn cost(&self, objects: usize) -> Option<usize> {
        if !self.members.is_empty() {
            let of_members = self.members.iter().map(|m| m.model.cost(objects));
            return of_members.sum::<Option<usize>>();
        }
        let width = |column: &Column| match &column.values {
            Values::Numbers(x) => Some(x.cols()),
            _ => None,
        };
        let width: usize = self.kept.columns().iter().map(width).sum::<Option<usize>>()?;
        Some(objects.saturating_mul(self.kept.len()).saturating_mul(width))
    }

    fn predict_part(&self, data: &Dataset, rows: &[usize], engine: &Engine) -> Result<Prediction> {
        engine.budget().check()?;
        let objects = align(&self.kept, data, rows)?;
        match self.trained.needs_features() {
            true => self.predict_rows(&self.kernel, &objects, engine),
            false => self.predict_against(&self.kernel, &objects, self.prepared(engine)?, engine),
        }
    }

    /// Predicts aligned objects by their explicit features under a kernel.
    fn predict_rows(
        &self,
        kernel: &Boxed<Dataset>,
        objects: &Dataset,
        engine: &Engine,
    ) -> Result<Prediction> {
        let rows = LinearRows::of(&self.expression, kernel, objects, engine)?;
        engine.run(|| self.trained.predict_features(rows.get()?))
    }

    /// Predicts aligned objects by their similarities to prepared support objects.
    fn predict_against(
        &self,
        kernel: &Boxed<Dataset>,
        objects: &Dataset,
        support: &PreparedObjects,
        engine: &Engine,
    ) -> Result<Prediction> {
        let set = engine.prepare(kernel, objects)?;
        let quiet = engine.clone().with_progress(std::sync::Arc::new(crate::gram::Silent));
        let own = match self.trained.needs_self_similarities() {
            true => Some(engine.diagonal_of(kernel, &set)?),
            false => None,
        };
        if let Some(needed) = self.trained.neighbours_needed() {
            let near = quiet.nearest_of(kernel, &set, support, needed)?;
            return engine.run(|| self.trained.predict_nearest(&near, own.as_deref()));
        }
        let cross = quiet.cross_of(kernel, &set, support)?;
        engine.run(|| self.trained.predict(&cross, own.as_deref()))
    }

    /// Predicts nodes in a network that differs from that of training, in which the training nodes are placed too: the kernel
    /// is made anew from what was learned, and the weights of the model are kept. `objects` have the columns of the model.
    pub(super) fn predict_in_network(&self, objects: &Dataset, engine: &Engine) -> Result<Prediction> {
        let columns = self.kept.columns().iter().zip(objects.columns()).map(|(known, new)| {
            Ok(match (&known.values, &new.values) {
                (Values::Nodes(known_nodes), Values::Nodes(new)) => {
                    Column::new(&known.name, Values::Nodes(known_nodes.moved_to(new)?))
                }
                _ => known.clone(),
            })
        });
        let kept = crate::container::objects(columns.collect::<Result<_>>()?, self.kept.len())?;
        let kernel = self.expression.restore(&kept, self.steps.clone(), engine)?.kernel;
        if self.trained.needs_features() {
            return self.predict_rows(&kernel, objects, engine);
        }
        let support = engine.prepare(&kernel, &kept.select(&self.support))?;
        self.predict_against(&kernel, objects, &support, engine)
    }

    /// The support objects, prepared once.
    pub(super) fn prepared(&self, engine: &Engine) -> Result<&PreparedObjects> {
        if let Some(set) = self.prepared.get() {
            return Ok(set);
        }
        let set = engine.prepare(&self.kernel, &self.kept.select(&self.support))?;
        Ok(self.prepared.get_or_init(|| set))
    }
}

/// An error of a batch, with the number of the object in the whole data set.
fn shifted(error: Error, by: usize) -> Error {
    match error {
        Error::NonFinite { row, col, overflow } => Error::NonFinite { row: row + by, col, overflow },
        other => other.of_object(|i| i + by),
    }
}
