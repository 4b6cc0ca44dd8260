//! The objects whose values take the place of columns that an explanation leaves out.

use super::Model;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::gram::{Engine, prototypes};
use crate::model::align::align;
use crate::random::Random;

/// Objects whose values take the place of columns that are left out.
#[derive(Clone, Debug)]
pub struct Background {
    /// With the columns of the model.
    pub(super) objects: Dataset,
    from: BackgroundFrom,
    of: usize,
    choice: BackgroundChoice,
}

/// How the objects of a background are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackgroundChoice {
    /// At random.
    #[default]
    Random,
    /// Prototypes in the similarity of the kernel: one by one, the objects whose mean similarity to any object comes nearest to
    /// that of all (maximum mean discrepancy), chosen among 1000 at most. For a model that sums similarities, the
    /// mean over them is nearer to the mean over all objects than that over as many random ones.
    Prototypes,
}

impl BackgroundChoice {
    /// The words of options.
    pub const WORDS: [&'static str; 2] = ["random", "prototypes"];

    /// What a word of an option stands for.
    pub fn of_word(word: &str) -> Result<BackgroundChoice> {
        match word {
            "random" => Ok(BackgroundChoice::Random),
            "prototypes" => Ok(BackgroundChoice::Prototypes),
            other => Err(Error::param("background choice", other, "random or prototypes")),
        }
    }
}

/// Objects among which prototypes are chosen.
const MOST_COMPARED: usize = 1000;

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
        match (self.len(), self.of, self.choice) {
            (own, of, _) if own == of => write!(f, "all {of} objects {from}"),
            (own, of, BackgroundChoice::Random) => {
                write!(f, "{own} of {of} objects {from}, drawn at random")
            }
            (own, of, BackgroundChoice::Prototypes) => {
                write!(f, "{own} of {of} objects {from}, prototypes in the similarity of the kernel")
            }
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
        self.drawn(data, size, seed).map(|(background, _)| background)
    }

    /// The same, with objects chosen in this way. Prototypes take the Gram matrix of at most 1000 objects.
    ///
    /// ```
    /// use mercer::{data::embedded, gram::Engine, model::{BackgroundChoice, Model}};
    /// let (flowers, engine) = (embedded::iris()?, Engine::new());
    /// let model = Model::fit(&flowers, &"rbf(gamma=0.25)".parse()?, &"svc".parse()?, 0, &engine)?;
    /// let few = model.background_by(BackgroundChoice::Prototypes, Some(&flowers), 9, 0, &engine)?;
    /// assert!(few.len() == 9 && few.to_string().contains("prototypes"));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn background_by(
        &self,
        choice: BackgroundChoice,
        data: Option<&Dataset>,
        size: usize,
        seed: u64,
        engine: &Engine,
    ) -> Result<Background> {
        if choice == BackgroundChoice::Random || size == 0 {
            return self.background(data, size, seed);
        }
        let (background, of) = self.drawn(data, size.max(MOST_COMPARED), seed)?;
        if background.len() <= size {
            return Ok(background);
        }
        let quiet = engine.clone().with_progress(std::sync::Arc::new(crate::gram::Silent));
        let gram = quiet.gram(&self.kernel, &background.objects)?;
        let chosen = engine.run(|| prototypes(&gram, size))?;
        Ok(Background { objects: background.objects.select(&chosen), of, choice, ..background })
    }

    fn drawn(&self, data: Option<&Dataset>, size: usize, seed: u64) -> Result<(Background, usize)> {
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
        let choice = BackgroundChoice::Random;
        Ok((Background { objects: objects.select(&chosen), from, of, choice }, of))
    }
}
