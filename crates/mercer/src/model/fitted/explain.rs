//! Explanations of predictions by features: the weight of each feature, and its occurrences in an object.

use std::collections::HashMap;

use super::Model;
use crate::budget::{self, matrix_bytes};
use crate::container::objects;
use crate::data::{Column, Dataset, Dense, Sparse, Target, Values};
use crate::error::{Error, Result};
use crate::expression::column_of;
use crate::gram::Engine;
use crate::learn::{Prediction, Trained, WeightOf};
use crate::model::align::align;

/// The explanation of a prediction: the decision value as a sum over features.
///
/// `value` = `offset` + the amounts of all features, of which `parts` lists the largest and `rest` holds the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The class the value is for; `None` in regression.
    pub class: Option<String>,
    /// The decision value for the predicted class against the others, positive if it is clear; or the predicted number.
    /// With one binary classifier per pair of classes, it is the mean over the pairs with the predicted class.
    pub value: f64,
    /// The value of an object without any feature.
    pub offset: f64,
    /// The features with the largest contributions, the largest first.
    pub parts: Vec<Contribution>,
    /// The sum over all other features.
    pub rest: f64,
}

/// The contribution of one feature to a decision value.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Contribution {
    /// The name of the feature.
    pub feature: String,
    /// Its weight in the model: Σ over support objects of coefficient times feature.
    pub weight: f64,
    /// The value of the feature in the object.
    pub count: f64,
    /// Weight times count.
    pub amount: f64,
    /// The occurrences in the object: in a graph a list of nodes for each, the central node first; in a string the
    /// position of its first character, from 0. Empty for features of other data.
    pub nodes: Vec<Vec<u32>>,
}

/// The weight of one feature in a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// The name of the feature.
    pub feature: String,
    /// The class it favours, in classification.
    pub class: Option<String>,
    /// What one unit of it adds to the decision value of that class, or to the predicted number.
    pub weight: f64,
    /// The mean of its absolute values over the support objects.
    pub mean: f64,
}

/// The weight of one support object in a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// Its index among the support objects, as in [`Model::chosen`].
    pub object: usize,
    /// The class it favours, in classification.
    pub class: Option<String>,
    /// What a similarity of 1 with it adds to the decision value of that class, or to the predicted number.
    pub weight: f64,
}

impl Model {
    /// The most important features of the model: for each class, or for the predicted number, the `most` with the
    /// largest |weight| times mean. With two classes the weights are opposite, and each feature is listed once, for
    /// the class it favours.
    ///
    /// It works for the models that [`Model::explain`] supports.
    pub fn weights(&self, most: usize) -> Result<Vec<Weight>> {
        let (base, slopes) = self.trained.slopes()?;
        let support = self.kept.select(&self.support);
        let table = self.expression.feature_table(&support, Some(self.steps.clone()))?;
        let weights = feature_weights(&table.rows, table.names.len(), &slopes);
        let mut mean = vec![0.0; table.names.len()];
        let n = table.rows.len().max(1) as f64;
        table.rows.iter().flatten().for_each(|&(feature, value)| mean[feature as usize] += value.abs() / n);
        let mut out = Vec::new();
        for (class, signs) in self.trained.views(base.len()) {
            let dot = |f: usize| weights.row(f).iter().zip(&signs).map(|(v, s)| v * s).sum::<f64>();
            let mut all: Vec<(usize, f64)> = (0..mean.len()).map(|f| (f, dot(f))).collect();
            all.sort_by(|a, b| {
                (b.1.abs() * mean[b.0]).total_cmp(&(a.1.abs() * mean[a.0])).then(a.0.cmp(&b.0))
            });
            out.extend(all.into_iter().filter(|a| a.1 != 0.0).take(most).map(|(f, weight)| {
                let (class, weight) = self.trained.favoured_class(class, weight);
                Weight { feature: table.names[f].clone(), class, weight, mean: mean[f] }
            }));
        }
        Ok(out)
    }

    /// The most important support objects, for any kernel: for each class, or for the predicted number, the `most` with
    /// the largest coefficients.
    pub fn influences(&self, most: usize) -> Result<Vec<Influence>> {
        let (base, slopes) = self.trained.slopes()?;
        let mut out = Vec::new();
        for (class, signs) in self.trained.views(base.len()) {
            let dot = |j: usize| slopes.row(j).iter().zip(&signs).map(|(v, s)| v * s).sum::<f64>();
            let mut all: Vec<(usize, f64)> = (0..slopes.rows()).map(|j| (j, dot(j))).collect();
            all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
            out.extend(all.into_iter().filter(|a| a.1 != 0.0).take(most).map(|(object, weight)| {
                let (class, weight) = self.trained.favoured_class(class, weight);
                Influence { object, class, weight }
            }));
        }
        Ok(out)
    }

    /// Explains predictions: for each object the `most` features with the largest contributions.
    ///
    /// It works for models whose decisions are weighted sums of similarities (support vector machines, ridge, the
    /// perceptron) or of features (linear models) on kernels with
    /// [explicit features](crate::expression::Expression::explicit_features), where a weighted sum of similarities is a weighted
    /// sum of features.
    ///
    /// ```
    /// use mercer::data::{Categories, Column, Dataset, Graph, Labels, Target, Values};
    /// use mercer::{gram::Engine, model::Model};
    /// let path = |labels: [&str; 2]| Graph::undirected(2, &[(0, 1)])?.with_node_labels(Labels::from_names(labels));
    /// let graphs = |all: Vec<Graph>| Dataset::new(vec![Column::new("graph", Values::Graphs(all))]);
    /// let classes = Categories::from_values(["no", "yes", "no", "yes"].map(Some));
    /// let data = graphs(vec![path(["C", "N"])?, path(["C", "O"])?, path(["N", "C"])?, path(["O", "C"])?])?;
    /// let data = data.with_target("active", Target::Classes(classes))?;
    /// let engine = Engine::new();
    /// let model = Model::fit(&data, &"vertex-histogram".parse()?, &"svc(C=10)".parse()?, 0, &engine)?;
    /// let why = model.explain(&graphs(vec![path(["C", "O"])?])?, 1, &engine)?;
    /// assert_eq!((why[0].class.as_deref(), why[0].parts[0].feature.as_str()), (Some("yes"), "O"));
    /// assert_eq!(why[0].parts[0].nodes, [[1]]);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn explain(&self, data: &Dataset, most: usize, engine: &Engine) -> Result<Vec<Explanation>> {
        let rows: Vec<usize> = (0..data.len()).collect();
        let new = align(&self.kept, data, &rows)?;
        let prediction = self.predict(data, engine)?;
        let steps = Some(self.steps.clone());
        // The weight of each feature for each decision value.
        let (base, weights, table, known) = match self.trained.linear_weights() {
            Some((base, by_column)) => {
                let table = self.expression.feature_table(&new, steps)?;
                budget::ask("the weights of features", matrix_bytes(table.names.len(), base.len(), 8))?;
                let mut weights = Dense::zeros(table.names.len(), base.len());
                for (f, key) in table.keys.iter().enumerate() {
                    // A feature that no training object has gets weight 0.
                    if let Some(column) = column_of(&self.steps, *key) {
                        weights.row_mut(f).iter_mut().zip(&by_column).for_each(|(w, of)| {
                            *w = of(column);
                        });
                    }
                }
                (base, weights, table, 0)
            }
            None => {
                let (base, slopes) = self.trained.slopes()?;
                let support = self.kept.select(&self.support);
                let table = self.expression.feature_table(&stack(&support, &new)?, steps)?;
                let known = self.support.len();
                budget::ask("the weights of features", matrix_bytes(table.names.len(), base.len(), 8))?;
                let weights = feature_weights(&table.rows[..known], table.names.len(), &slopes);
                (base, weights, table, known)
            }
        };
        let columns = base.len();
        let mut out = Vec::with_capacity(new.len());
        for i in 0..new.len() {
            budget::check()?;
            let signs = self.trained.toward(&prediction, i, columns);
            let dot = |values: &[f64]| values.iter().zip(&signs).map(|(v, s)| v * s).sum::<f64>();
            let amounts = table.rows[known + i].iter().map(|&(feature, count)| {
                let weight = dot(weights.row(feature as usize));
                (feature, weight, count, weight * count)
            });
            let mut amounts: Vec<(u32, f64, f64, f64)> = amounts.collect();
            let (offset, total) = (dot(&base), amounts.iter().map(|a| a.3).sum::<f64>());
            amounts.sort_by(|a, b| b.3.abs().total_cmp(&a.3.abs()).then(a.0.cmp(&b.0)));
            let rest = amounts.iter().skip(most).map(|a| a.3).sum();
            amounts.truncate(most);
            let mut places: HashMap<u32, Vec<Vec<u32>>> = amounts.iter().map(|a| (a.0, Vec::new())).collect();
            table.places(&new, i, &mut |feature, nodes| {
                if let Some(known) = places.get_mut(&feature)
                    && !budget::is_spent_often()
                {
                    known.push(nodes.to_vec());
                }
            })?;
            budget::check()?;
            let part = |(feature, weight, count, amount): (u32, f64, f64, f64)| Contribution {
                feature: table.names[feature as usize].clone(),
                weight,
                count,
                amount,
                nodes: places.remove(&feature).unwrap_or_default(),
            };
            out.push(Explanation {
                class: prediction.class(i).map(str::to_owned),
                value: offset + total,
                offset,
                parts: amounts.into_iter().map(part).collect(),
                rest,
            });
        }
        Ok(out)
    }
}

/// The weight of each feature for each decision value: Σ over support objects of slope times feature.
fn feature_weights(rows: &[Vec<(u32, f64)>], features: usize, slopes: &Dense) -> Dense {
    let mut weights = Dense::zeros(features, slopes.cols());
    for (j, row) in rows.iter().enumerate() {
        for &(feature, value) in row {
            let own = weights.row_mut(feature as usize);
            own.iter_mut().zip(slopes.row(j)).for_each(|(w, s)| *w += s * value);
        }
    }
    weights
}

/// Number of rows of similarities per prediction call.
const AT_ONCE: usize = 256;

/// Weights of features and support objects in a trained model.
pub(super) trait Weighs {
    /// For a linear model: the offset of each decision value, and its weight for each column.
    fn linear_weights(&self) -> Option<(Vec<f64>, Vec<WeightOf<'_>>)>;

    /// Decision values (or the predicted number) as base + Σ_j k(x, x_j)·slope_j: the base, and a row of slopes for
    /// each support object. They are derived from the model's outputs for all-zero similarities and for one similarity
    /// at a time.
    fn slopes(&self) -> Result<(Vec<f64>, Dense)>;

    /// The factor of each decision value in the prediction for object i.
    fn toward(&self, prediction: &Prediction, i: usize, columns: usize) -> Vec<f64>;

    /// Combinations of decision values to explain: one for regression or two classes (the second), else one per class.
    fn views(&self, columns: usize) -> Vec<(Option<usize>, Vec<f64>)>;

    /// The class that a weight for class c favours. With two classes, a negative weight favours the other.
    fn favoured_class(&self, class: Option<usize>, weight: f64) -> (Option<String>, f64);

    /// The factor of each decision value for a class.
    fn toward_class(&self, class: usize, columns: usize) -> Vec<f64>;
}

impl Weighs for Trained {
    fn linear_weights(&self) -> Option<(Vec<f64>, Vec<WeightOf<'_>>)> {
        self.model().feature_weights()
    }

    fn slopes(&self) -> Result<(Vec<f64>, Dense)> {
        if !self.model().sums_similarities() {
            return Err(Error::Param {
                name: "learner".into(),
                value: "this model's".into(),
                domain: "one whose decisions are weighted sums of similarities: svc, nu-svc, svr, nu-svr, one-class, \
                         ridge, perceptron; predictions of linear-svc and linear-svr can be explained, object by object"
                    .into(),
            });
        }
        let n = self.support().len();
        let values = |cross: &Dense| -> Result<Dense> {
            let Prediction { target, decisions, .. } = self.predict(cross, None)?;
            match target {
                Some(Target::Numbers(numbers)) if decisions.cols() == 0 => {
                    Dense::new(numbers.len(), 1, numbers)
                }
                _ => Ok(decisions),
            }
        };
        let base = values(&Dense::zeros(1, n))?.row(0).to_vec();
        let mut slopes = Dense::zeros(n, base.len());
        for start in (0..n).step_by(AT_ONCE) {
            let end = (start + AT_ONCE).min(n);
            let mut ones = Dense::zeros(end - start, n);
            (start..end).for_each(|j| ones.row_mut(j - start)[j] = 1.0);
            let answers = values(&ones)?;
            for j in start..end {
                let answer = answers.row(j - start).iter().zip(&base).map(|(a, b)| a - b);
                slopes.row_mut(j).iter_mut().zip(answer).for_each(|(s, a)| *s = a);
            }
        }
        Ok((base, slopes))
    }

    fn toward(&self, prediction: &Prediction, i: usize, columns: usize) -> Vec<f64> {
        match &prediction.target {
            Some(Target::Classes(classes)) => self.toward_class(classes.codes()[i] as usize, columns),
            _ => vec![1.0; columns],
        }
    }

    fn views(&self, columns: usize) -> Vec<(Option<usize>, Vec<f64>)> {
        let classes = self.classes().len();
        match classes {
            0 | 1 => vec![(None, vec![1.0; columns])],
            2 => vec![(Some(1), self.toward_class(1, columns))],
            _ => (0..classes).map(|c| (Some(c), self.toward_class(c, columns))).collect(),
        }
    }

    fn favoured_class(&self, class: Option<usize>, weight: f64) -> (Option<String>, f64) {
        let classes = self.classes();
        match class {
            Some(1) if classes.len() == 2 && weight < 0.0 => (Some(classes[0].clone()), weight),
            Some(c) => (classes.get(c).cloned(), weight),
            None => (None, weight),
        }
    }

    fn toward_class(&self, class: usize, columns: usize) -> Vec<f64> {
        let pairs = match self.model().pairs_of_classes() {
            Some(pairs) => pairs.to_vec(),
            // With two classes there is one value, negative for the first.
            _ if self.classes().len() == 2 && columns == 1 => vec![(0, 1)],
            _ => return (0..columns).map(|c| f64::from(u8::from(c == class))).collect(),
        };
        let with = pairs.iter().filter(|(a, b)| *a == class || *b == class).count().max(1) as f64;
        let sign = |&(a, b): &(usize, usize)| f64::from(i8::from(b == class) - i8::from(a == class)) / with;
        pairs.iter().map(sign).collect()
    }
}

/// The objects of two data sets of the same columns, one after the other.
fn stack(first: &Dataset, second: &Dataset) -> Result<Dataset> {
    let columns = first.columns().iter().zip(second.columns()).map(|(a, b)| {
        let values = match (&a.values, &b.values) {
            (Values::Graphs(a), Values::Graphs(b)) => Values::Graphs([&a[..], &b[..]].concat()),
            (Values::Molecules(a), Values::Molecules(b)) => Values::Molecules([&a[..], &b[..]].concat()),
            (Values::Strings(a), Values::Strings(b)) => Values::Strings([&a[..], &b[..]].concat()),
            (Values::Text(a), Values::Text(b)) => Values::Text([&a[..], &b[..]].concat()),
            (Values::Numbers(a), Values::Numbers(b)) => {
                Values::Numbers(Dense::new(a.rows() + b.rows(), a.cols(), [a.values(), b.values()].concat())?)
            }
            (Values::Sparse(a), Values::Sparse(b)) => {
                let row = |x: &Sparse, i: usize| {
                    let (features, values) = x.row(i);
                    features.iter().copied().zip(values.iter().copied()).collect::<Vec<_>>()
                };
                let own = (0..a.rows()).map(|i| row(a, i)).chain((0..b.rows()).map(|i| row(b, i)));
                Values::Sparse(Sparse::from_rows(a.dim().max(b.dim()), &own.collect::<Vec<_>>())?)
            }
            (other, _) => {
                return Err(Error::Column {
                    name: a.name.clone(),
                    reason: format!("holds {}: they have no explicit features", other.kind()),
                    hint: None,
                });
            }
        };
        Ok(Column::new(&a.name, values))
    });
    objects(columns.collect::<Result<_>>()?, first.len() + second.len())
}
