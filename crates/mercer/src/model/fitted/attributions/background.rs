//! The objects whose values take the place of columns that an explanation leaves out.

use super::Model;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::model::align::align;
use crate::random::Random;

/// Objects whose values take the place of columns that are left out.
#[derive(Clone, Debug)]
pub struct Background {
    /// With the columns of the model.
    pub(super) objects: Dataset,
    from: BackgroundFrom,
    of: usize,
}

/// Where the objects of a background come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackgroundFrom {
    /// Data that the caller gave.
    Data,
    /// The objects that the model stores: all training objects, or the support objects.
    Model,
}

impl Background {
    /// The number of objects.
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Whether there are none, which [`Model::background`] refuses.
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// The same objects with the columns of another model.
    pub(super) fn of_model(&self, model: &Model) -> Result<Background> {
        Ok(Background { objects: model.aligned(&self.objects)?, ..self.clone() })
    }

    /// Where they come from.
    pub fn from(&self) -> BackgroundFrom {
        self.from
    }
}

impl std::fmt::Display for Background {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let from = match self.from {
            BackgroundFrom::Data => "of the data",
            BackgroundFrom::Model => "that the model stores",
        };
        match (self.len(), self.of) {
            (own, of) if own == of => write!(f, "all {of} objects {from}"),
            (own, of) => write!(f, "{own} of {of} objects {from}, drawn at random"),
        }
    }
}

impl Model {
    /// The objects with the columns and kinds of values that the kernel of the model takes.
    pub(crate) fn aligned(&self, data: &Dataset) -> Result<Dataset> {
        align(&self.kept, data, &(0..data.len()).collect::<Vec<_>>())
    }

    /// A background of at most `size` objects, drawn by a seed: of the data if some is given, else of the objects that the
    /// model stores, which for a support vector machine are the support vectors. They are what a prediction is compared
    /// with, so take data like that of training where there is some.
    ///
    /// Objects with missing values are left out as long as others are left.
    pub fn background(&self, data: Option<&Dataset>, size: usize, seed: u64) -> Result<Background> {
        let (objects, from) = match data {
            Some(data) => {
                let rows: Vec<usize> = (0..data.len()).collect();
                (align(&self.kept, data, &rows)?, BackgroundFrom::Data)
            }
            None => (self.kept.clone(), BackgroundFrom::Model),
        };
        let whole = |i: &usize| objects.columns().iter().all(|c| !c.values.is_missing(*i));
        let mut known: Vec<usize> = (0..objects.len()).filter(whole).collect();
        if known.is_empty() {
            known = (0..objects.len()).collect();
        }
        if known.is_empty() || size == 0 {
            return Err(Error::param("background", size, "at least one object"));
        }
        let of = known.len();
        let chosen: Vec<usize> =
            Random::derived(seed, 0x6261).sample(of, size).into_iter().map(|at| known[at]).collect();
        Ok(Background { objects: objects.select(&chosen), from, of })
    }
}
