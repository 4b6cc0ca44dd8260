//! Explanations of predictions by support objects, for kernels without named features.

use super::Model;
use super::evidence::ObjectEvidence;
use super::explain::{Contribution, Explanation};
use super::weighs::Weighs;
use crate::budget;
use crate::data::{Column, Dataset, Values};
use crate::error::Result;
use crate::gram::{Engine, Measure, Silent};
use crate::learn::{KnnClassifier, KnnRegressor, Neighbours, Prediction};
use crate::model::align::align;

/// Number of columns shown in the name of a support object.
const SHOWN_COLUMNS: usize = 4;
/// Number of characters of a text shown in the name.
const SHOWN_CHARACTERS: usize = 24;

impl Model {
    /// Explains predictions for any kernel by the training objects that speak for and against them: for each object the
    /// `most` with the largest contributions, with their share of all, and the nearest one of another class.
    ///
    /// A decision value is offset + Σ_j k(x, x_j) · w_j over the support objects x_j. The contribution of one is its
    /// similarity with the object, `count`, times its weight. It works for the learners of [`Model::explain`] except
    /// the linear ones, and for `knn`, where the contribution of a neighbour is its part of the vote for the predicted class,
    /// or of the mean.
    ///
    /// ```
    /// use mercer::{data::embedded, gram::Engine, model::Model};
    /// let (flowers, engine) = (embedded::iris()?, Engine::new());
    /// let model = Model::fit(&flowers, &"rbf(gamma=0.25)".parse()?, &"svc".parse()?, 0, &engine)?;
    /// let why = &model.explain_by_objects(&flowers.select(&[0]), 3, &engine)?[0];
    /// assert_eq!((why.class.as_deref(), why.parts.len()), (Some("setosa"), 3));
    /// let sum = why.offset + why.rest + why.parts.iter().map(|p| p.amount).sum::<f64>();
    /// assert!((why.value - sum).abs() < 1e-9);
    /// let evidence = why.evidence.as_ref().unwrap();
    /// assert!((evidence.share_for + evidence.share_against - 1.0).abs() < 1e-9);
    /// assert_eq!(evidence.other_class.as_ref().unwrap().class, "versicolor");
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// B. Schölkopf, R. Herbrich and A. Smola, *A generalized representer theorem*, COLT 2001; C.-K. Yeh et al., *Representer
    /// point selection for explaining deep neural networks*, NeurIPS 2018.
    pub fn explain_by_objects(
        &self,
        data: &Dataset,
        most: usize,
        engine: &Engine,
    ) -> Result<Vec<Explanation>> {
        self.check_single("weights of support objects")?;
        let rows: Vec<usize> = (0..data.len()).collect();
        let new = align(&self.kept, data, &rows)?;
        let quiet = engine.clone().with_progress(std::sync::Arc::new(Silent));
        let prediction = self.predict(&new, &quiet)?;
        let spoken = match self.trained.neighbours_needed() {
            Some(_) => self.votes(&new, &prediction, &quiet)?,
            None => self.similar(&new, &prediction, &quiet)?,
        };
        let others = self.other_classes(&new, &prediction, &quiet)?;
        let mut out = Vec::with_capacity(new.len());
        for (i, (Spoken { offset, mut all, what }, other)) in spoken.into_iter().zip(others).enumerate() {
            budget::check()?;
            let total = all.iter().map(|one| one.amount).sum::<f64>();
            let evidence =
                ObjectEvidence { other_class: other, ..ObjectEvidence::of(all.iter().map(|one| one.share)) };
            all.sort_by(|a, b| b.share.abs().total_cmp(&a.share.abs()).then(a.object.cmp(&b.object)));
            let rest = all.iter().skip(most).map(|one| one.amount).sum();
            all.truncate(most);
            let part = |one: &Voice| Contribution {
                feature: format!("{what} {}", described_as(&self.kept, self.support[one.object], one)),
                weight: one.weight,
                count: one.similarity,
                amount: one.amount,
                nodes: Vec::new(),
                error: None,
                share: Some(one.share),
            };
            out.push(Explanation {
                class: prediction.class(i).map(str::to_owned),
                value: offset + total,
                offset,
                parts: all.iter().map(part).collect(),
                rest,
                local: false,
                structures: Vec::new(),
                evidence: Some(evidence),
            });
        }
        Ok(out)
    }

    /// The support objects of a model that adds up similarities.
    fn similar(&self, new: &Dataset, prediction: &Prediction, engine: &Engine) -> Result<Vec<Spoken>> {
        let (base, slopes) = self.trained.slopes()?;
        let cross = engine.cross(&self.kernel, new, &self.kept.select(&self.support))?;
        let mut out = Vec::with_capacity(new.len());
        for i in 0..new.len() {
            budget::check()?;
            let signs = self.trained.toward(prediction, i, base.len());
            let dot = |values: &[f64]| values.iter().zip(&signs).map(|(v, s)| v * s).sum::<f64>();
            let amount = |j: usize| dot(slopes.row(j)) * cross.at(i, j);
            let total: f64 = (0..self.support.len()).map(|j| amount(j).abs()).sum();
            let voice = |object: usize| {
                let (weight, amount, similarity) =
                    (dot(slopes.row(object)), amount(object), cross.at(i, object));
                let share = if total > 0.0 { amount / total } else { 0.0 };
                Voice { object, weight, similarity, amount, share, target: None }
            };
            let all = (0..self.support.len()).map(voice).collect();
            out.push(Spoken { offset: dot(&base), all, what: "similarity to support object" });
        }
        Ok(out)
    }

    /// The neighbours of a model that lets them vote.
    fn votes(&self, new: &Dataset, prediction: &Prediction, engine: &Engine) -> Result<Vec<Spoken>> {
        let model = self.trained.model();
        let (classes, numbers) =
            (model.downcast_ref::<KnnClassifier>(), model.downcast_ref::<KnnRegressor>());
        let ((_, measure, own), weighting) = match (classes, numbers) {
            (Some(knn), _) => (knn.parts(), knn.weighting()),
            (_, Some(knn)) => (knn.parts(), knn.weighting()),
            _ => return self.similar(new, prediction, engine),
        };
        let Some(needed) = self.trained.neighbours_needed() else { return Ok(Vec::new()) };
        let set = engine.prepare(&self.kernel, new)?;
        let near = engine.nearest_of(&self.kernel, &set, self.prepared(engine)?, needed)?;
        let similarity = |j: usize, d: f64| match measure {
            Measure::Similarity => 0.5 * (own[j] - d),
            Measure::Distance => d,
        };
        let similarities: Vec<Vec<f64>> =
            near.rows().map(|row| row.iter().map(|&(j, d)| similarity(j, d)).collect()).collect();
        let near = match (weighting, measure) {
            (Neighbours::Distance, Measure::Similarity) => {
                near.with_roots(&engine.diagonal_of(&self.kernel, &set)?)?
            }
            _ => near,
        };
        let what = match measure {
            Measure::Similarity => "similarity to training object",
            Measure::Distance => "distance to training object",
        };
        let names = self.trained.classes();
        let mut out = Vec::with_capacity(new.len());
        for (i, (row, similarities)) in near.rows().zip(similarities).enumerate() {
            let nearest = row.first().map_or(0.0, |&(_, d)| d);
            let weight = |d: f64| match weighting {
                Neighbours::Uniform => 1.0,
                Neighbours::Distance if nearest > 0.0 => nearest / d,
                Neighbours::Distance => f64::from(u8::from(d <= 0.0)),
            };
            let total: f64 = row.iter().map(|&(_, d)| weight(d)).sum();
            let voice = |(&(object, d), similarity): (&(usize, f64), f64)| {
                let weight = weight(d) / total;
                let (amount, share, target) = match (classes, numbers) {
                    (Some(knn), _) => {
                        let class = names.get(knn.codes()[object]).cloned();
                        let is_for = class.as_deref() == prediction.class(i);
                        (if is_for { weight } else { 0.0 }, if is_for { weight } else { -weight }, class)
                    }
                    (_, Some(knn)) => {
                        let y = knn.target()[object];
                        (weight * y, weight, Some(y.to_string()))
                    }
                    _ => (0.0, 0.0, None),
                };
                Voice { object, weight, similarity, amount, share, target }
            };
            out.push(Spoken { offset: 0.0, all: row.iter().zip(similarities).map(voice).collect(), what });
        }
        Ok(out)
    }
}

/// What the training objects say about an object.
struct Spoken {
    offset: f64,
    all: Vec<Voice>,
    /// What the number of an object follows.
    what: &'static str,
}

/// What one training object says.
struct Voice {
    /// Its place among the support objects.
    object: usize,
    weight: f64,
    similarity: f64,
    amount: f64,
    /// Its share of all contributions, negative against the prediction.
    share: f64,
    /// Its class or number, where the model knows it.
    target: Option<String>,
}

/// A stored object by its number, from 1, and its first values.
pub(super) fn described(stored: &Dataset, j: usize) -> String {
    let told = first_values(stored, j);
    format!("{}{}", j + 1, if told.is_empty() { String::new() } else { format!(" ({told})") })
}

fn described_as(stored: &Dataset, j: usize, voice: &Voice) -> String {
    let all: Vec<String> =
        voice.target.iter().cloned().chain(Some(first_values(stored, j)).filter(|t| !t.is_empty())).collect();
    let number = voice.object + 1;
    if all.is_empty() { number.to_string() } else { format!("{number} ({})", all.join("; ")) }
}

fn first_values(stored: &Dataset, j: usize) -> String {
    let shown = |column: &Column| match &column.values {
        Values::Nodes(nodes) => Some(nodes.network().name(nodes.chosen()[j])),
        values => Some(format!("{} {}", column.name, shown_value(values, j)?)),
    };
    let mut told: Vec<String> = stored.columns().iter().filter_map(shown).collect();
    let more = if told.len() > SHOWN_COLUMNS { ", …" } else { "" };
    told.truncate(SHOWN_COLUMNS);
    format!("{}{more}", told.join(", "))
}

/// The value of an object in a column in a few characters; `None` for values that are not text or numbers.
pub(super) fn shown_value(values: &Values, j: usize) -> Option<String> {
    Some(match values {
        Values::Numbers(x) if x.cols() == 1 => x.at(j, 0).to_string(),
        Values::Numbers(x) => {
            let some: Vec<String> = x.row(j).iter().take(SHOWN_COLUMNS).map(f64::to_string).collect();
            format!("[{}{}]", some.join(", "), if x.cols() > SHOWN_COLUMNS { ", …" } else { "" })
        }
        Values::Categories(c) => c.get(j).unwrap_or("?").to_owned(),
        Values::Times(t) => t.show(j),
        Values::Strings(v) | Values::Text(v) => {
            let text = v.get(j).and_then(Option::as_deref).unwrap_or("?");
            let more = if text.chars().count() > SHOWN_CHARACTERS { "…" } else { "" };
            format!("{}{more}", text.chars().take(SHOWN_CHARACTERS).collect::<String>())
        }
        _ => return None,
    })
}
