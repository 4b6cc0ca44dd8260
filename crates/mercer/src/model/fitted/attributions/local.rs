//! Explanations of single predictions by columns.

use super::{AttributionMethod, AttributionOptions, Attributions, Background};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::model::align::align;
use crate::model::fitted::Model;
use crate::model::fitted::explain::{Contribution, Explanation};
use crate::model::fitted::resemble::shown_value;

impl Model {
    /// Explains predictions by columns: for each object the `most` columns with the largest Shapley values, for the predicted
    /// class or the predicted number. The offset is the mean over the background; see [`Model::attributions`].
    ///
    /// ```
    /// use mercer::{data::embedded, gram::Engine, model::{AttributionOptions, Model}};
    /// let (flowers, engine) = (embedded::iris()?, Engine::new());
    /// let model = Model::fit(&flowers, &"rbf(gamma=0.25)".parse()?, &"knn(k=5)".parse()?, 0, &engine)?;
    /// let background = model.background(Some(&flowers), 10, 0)?;
    /// let options = AttributionOptions::default();
    /// let (why, how) = model.explain_by_columns(&flowers.select(&[0]), 2, &background, &options, &engine)?;
    /// assert!(how.is_exact() && why[0].parts[0].feature.starts_with("petal"));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn explain_by_columns(
        &self,
        data: &Dataset,
        most: usize,
        background: &Background,
        options: &AttributionOptions,
        engine: &Engine,
    ) -> Result<(Vec<Explanation>, AttributionMethod)> {
        let all = self.attributions(data, background, options, engine)?;
        let rows: Vec<usize> = (0..data.len()).collect();
        let objects = align(&self.kept, data, &rows)?;
        let prediction = self.predict(data, engine)?;
        let explained = rows.iter().map(|&i| self.of_object(&all, &objects, i, prediction.class(i), most));
        Ok((explained.collect::<Result<_>>()?, all.method))
    }

    fn of_object(
        &self,
        all: &Attributions,
        objects: &Dataset,
        i: usize,
        class: Option<&str>,
        most: usize,
    ) -> Result<Explanation> {
        let (output, sign) = all.output_of(class, self.trained.classes());
        let values = all.values[output].row(i);
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[b].abs().total_cmp(&values[a].abs()).then(a.cmp(&b)));
        let part = |&j: &usize| -> Result<Contribution> {
            let player = &all.columns[j];
            let value = shown_value(&player.values(&objects.select(&[i]))?, 0);
            let feature = value.map_or_else(|| player.to_string(), |value| format!("{player} = {value}"));
            let amount = sign * values[j];
            let error = all.errors.as_ref().map(|errors| errors[output].at(i, j));
            Ok(Contribution {
                feature,
                weight: amount,
                count: 1.0,
                amount,
                nodes: Vec::new(),
                error,
                share: None,
            })
        };
        let parts = order.iter().take(most).map(part).collect::<Result<Vec<_>>>()?;
        let offset = sign * all.base[output];
        let rest = order.iter().skip(most).map(|&j| sign * values[j]).sum::<f64>();
        let value = offset + sign * values.iter().sum::<f64>();
        let (class, structures) = (class.map(str::to_owned), Vec::new());
        Ok(Explanation { class, value, offset, parts, rest, local: false, structures, evidence: None })
    }
}

/// What predictions are explained by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExplainBy {
    /// By named features if the kernel has them, else by columns if there are several, else by support objects.
    #[default]
    Any,
    /// By named features: [`Model::explain`].
    Features,
    /// By columns: [`Model::explain_by_columns`].
    Columns,
    /// By support objects: [`Model::explain_by_objects`].
    SupportObjects,
    /// By parts of the objects, which are hidden: [`Model::explain_by_parts`].
    Parts,
}

impl ExplainBy {
    /// The words of options.
    pub const WORDS: [&'static str; 5] = ["any", "features", "columns", "objects", "parts"];

    /// What a word of an option stands for.
    ///
    /// ```
    /// use mercer::model::ExplainBy;
    /// assert_eq!(ExplainBy::of_word("objects")?, ExplainBy::SupportObjects);
    /// assert!(ExplainBy::of_word("magic").is_err());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn of_word(word: &str) -> Result<ExplainBy> {
        match word {
            "any" => Ok(ExplainBy::Any),
            "features" => Ok(ExplainBy::Features),
            "columns" => Ok(ExplainBy::Columns),
            "objects" => Ok(ExplainBy::SupportObjects),
            "parts" => Ok(ExplainBy::Parts),
            other => Err(Error::param("by", other, "any, features, columns, objects or parts")),
        }
    }

    /// The word in documents.
    pub fn name(self) -> &'static str {
        match self {
            ExplainBy::Any => "any",
            ExplainBy::Features => "features",
            ExplainBy::Columns => "columns",
            ExplainBy::SupportObjects => "support objects",
            ExplainBy::Parts => "parts",
        }
    }
}

/// Explanations of predictions, and what they are by.
#[derive(Clone, Debug, PartialEq)]
pub struct Explained {
    /// One per object.
    pub all: Vec<Explanation>,
    /// What they are by; not [`ExplainBy::Any`].
    pub by: ExplainBy,
    /// What a reader has to know about them, such as the background.
    pub note: Option<String>,
}

/// The number of objects of a background, where nobody says another.
pub const BACKGROUND: usize = 20;

impl Model {
    /// Explains predictions by what the caller wants, or by whatever fits the model. The background of an explanation by
    /// columns is drawn from `background`, or from the objects that the model stores.
    ///
    /// ```
    /// use mercer::{data::embedded, gram::Engine, model::{ExplainBy, Model}};
    /// let (flowers, engine) = (embedded::iris()?, Engine::new());
    /// let few = flowers.select(&[0, 80]);
    /// for (kernel, by) in [("linear", ExplainBy::Features), ("rbf", ExplainBy::Columns)] {
    ///     let model = Model::fit(&flowers, &kernel.parse()?, &"svc".parse()?, 0, &engine)?;
    ///     assert_eq!(model.explained(&few, 2, ExplainBy::Any, None, &engine)?.by, by);
    /// }
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn explained(
        &self,
        data: &Dataset,
        most: usize,
        by: ExplainBy,
        background: Option<&Dataset>,
        engine: &Engine,
    ) -> Result<Explained> {
        let features = |all| Explained { all, by: ExplainBy::Features, note: None };
        match by {
            ExplainBy::Features => self.explain(data, most, engine).map(features),
            ExplainBy::Columns => {
                let background = self.background(background, BACKGROUND, self.seed)?;
                let options = AttributionOptions::default();
                let (all, method) = self.explain_by_columns(data, most, &background, &options, engine)?;
                let note = Some(format!("by columns ({method}), compared with {background}"));
                Ok(Explained { all, by, note })
            }
            ExplainBy::SupportObjects => {
                let all = self.explain_by_objects(data, most, engine)?;
                Ok(Explained { all, by, note: None })
            }
            ExplainBy::Parts => {
                let options = AttributionOptions { seed: self.seed, ..AttributionOptions::default() };
                let (all, method) = self.explain_by_parts(data, most, &options, engine)?;
                let sets = match method {
                    AttributionMethod::Sampled { orders } => {
                        format!("Shapley values along {} random orders", 2 * orders)
                    }
                    _ => "Shapley values over every set of parts".to_owned(),
                };
                let note = format!("by parts (occlusion: {}; {sets})", self.hides().join("; "));
                Ok(Explained { all, by, note: Some(note) })
            }
            ExplainBy::Any => {
                let by_features = match self.explain(data, most, engine) {
                    Ok(all) => return Ok(features(all)),
                    Err(error) => error,
                };
                // A single column explains nothing by itself.
                let next = match self.columns_explained().len() {
                    0 | 1 => [ExplainBy::SupportObjects, ExplainBy::Parts, ExplainBy::Columns],
                    _ => [ExplainBy::Columns, ExplainBy::SupportObjects, ExplainBy::Parts],
                };
                if by_features.is_end_of_budget() {
                    return Err(by_features);
                }
                for by in next {
                    match self.explained(data, most, by, background, engine) {
                        Ok(explained) => return Ok(explained),
                        Err(error) if error.is_end_of_budget() => return Err(error),
                        Err(_) => {}
                    }
                }
                Err(by_features)
            }
        }
    }
}
