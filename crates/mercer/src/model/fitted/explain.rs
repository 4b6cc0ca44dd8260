//! What drove a prediction: the weight of each feature, and where in an object it is found.

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

/// Why an object was predicted as it was: its decision value as a sum over features.
///
/// `value` = `offset` + the amounts of all features, of which `parts` lists the largest and `rest` holds the others.
#[derive(Clone, Debug, PartialEq)]
pub struct Explanation {
    /// The class the value speaks for; nothing where a number was predicted.
    pub class: Option<String>,
    /// The decision value: for the predicted class against the others, above 0 where it is clear; or the number predicted. With a
    /// machine for each pair of classes it is the mean over the pairs with the predicted class.
    pub value: f64,
    /// What the machine says about an object without any feature.
    pub offset: f64,
    /// The features that add or take the most, the largest amounts first.
    pub parts: Vec<Contribution>,
    /// What all other features add up to.
    pub rest: f64,
}

/// What one feature adds to a decision value.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Contribution {
    /// The name of the feature.
    pub feature: String,
    /// Its weight in the model: Σ over support objects of coefficient times feature.
    pub weight: f64,
    /// How much of it the object has.
    pub count: f64,
    /// Weight times count.
    pub amount: f64,
    /// Where it is found in the object: in a graph a list of nodes for each time, the node it is about first; in a string
    /// the letter it starts with, from 0. None for features of other data.
    pub nodes: Vec<Vec<u32>>,
}

/// What one feature is worth in a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// The name of the feature.
    pub feature: String,
    /// The class it speaks for, where classes are predicted.
    pub class: Option<String>,
    /// What one unit of it adds to the decision value of that class, or to the number predicted.
    pub weight: f64,
    /// How much of it support objects have, on average of the absolute values.
    pub mean: f64,
}

/// What one support object is worth in a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Influence {
    /// Its place among the objects predictions compare with, as in [`Model::chosen`].
    pub object: usize,
    /// The class it speaks for, where classes are predicted.
    pub class: Option<String>,
    /// What a similarity of 1 with it adds to the decision value of that class, or to the number predicted.
    pub weight: f64,
}

impl Model {
    /// The features that matter most in the model: for each class, or for the number, the `most` with the largest
    /// |weight| times mean. Of two classes the weights are opposite, and each feature is listed once, for the class it speaks for.
    ///
    /// It works where [`Model::explain`] does.
    pub fn weights(&self, most: usize) -> Result<Vec<Weight>> {
        let (base, slopes) = self.machine.slopes()?;
        let support = self.kept.select(&self.support);
        let written = self.expression.written(&support, Some(self.steps.clone()))?;
        let weights = feature_weights(&written.rows, written.names.len(), &slopes);
        let mut mean = vec![0.0; written.names.len()];
        let n = written.rows.len().max(1) as f64;
        written.rows.iter().flatten().for_each(|&(feature, value)| mean[feature as usize] += value.abs() / n);
        let mut out = Vec::new();
        for (class, signs) in self.machine.views(base.len()) {
            let dot = |f: usize| weights.row(f).iter().zip(&signs).map(|(v, s)| v * s).sum::<f64>();
            let mut all: Vec<(usize, f64)> = (0..mean.len()).map(|f| (f, dot(f))).collect();
            all.sort_by(|a, b| {
                (b.1.abs() * mean[b.0]).total_cmp(&(a.1.abs() * mean[a.0])).then(a.0.cmp(&b.0))
            });
            out.extend(all.into_iter().filter(|a| a.1 != 0.0).take(most).map(|(f, weight)| {
                let (class, weight) = self.machine.speaks_for(class, weight);
                Weight { feature: written.names[f].clone(), class, weight, mean: mean[f] }
            }));
        }
        Ok(out)
    }

    /// The support objects that matter most, whatever the kernel: for each class, or for the number, the `most` with the largest
    /// coefficients.
    pub fn influences(&self, most: usize) -> Result<Vec<Influence>> {
        let (base, slopes) = self.machine.slopes()?;
        let mut out = Vec::new();
        for (class, signs) in self.machine.views(base.len()) {
            let dot = |j: usize| slopes.row(j).iter().zip(&signs).map(|(v, s)| v * s).sum::<f64>();
            let mut all: Vec<(usize, f64)> = (0..slopes.rows()).map(|j| (j, dot(j))).collect();
            all.sort_by(|a, b| b.1.abs().total_cmp(&a.1.abs()).then(a.0.cmp(&b.0)));
            out.extend(all.into_iter().filter(|a| a.1 != 0.0).take(most).map(|(object, weight)| {
                let (class, weight) = self.machine.speaks_for(class, weight);
                Influence { object, class, weight }
            }));
        }
        Ok(out)
    }

    /// Why objects are predicted as they are: for each the `most` features that add or take the most.
    ///
    /// It works for machines whose decisions are weighted sums of similarities (support vector machines, ridge, the
    /// perceptron) or of features (linear machines) on kernels with
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
        let (base, weights, written, known) = match self.machine.linear_weights() {
            Some((base, by_column)) => {
                let written = self.expression.written(&new, steps)?;
                budget::ask("the weights of features", matrix_bytes(written.names.len(), base.len(), 8))?;
                let mut weights = Dense::zeros(written.names.len(), base.len());
                for (f, key) in written.keys.iter().enumerate() {
                    // What no training object has weighs nothing.
                    if let Some(column) = column_of(&self.steps, *key) {
                        weights.row_mut(f).iter_mut().zip(&by_column).for_each(|(w, of)| {
                            *w = of(column);
                        });
                    }
                }
                (base, weights, written, 0)
            }
            None => {
                let (base, slopes) = self.machine.slopes()?;
                let support = self.kept.select(&self.support);
                let written = self.expression.written(&stack(&support, &new)?, steps)?;
                let known = self.support.len();
                budget::ask("the weights of features", matrix_bytes(written.names.len(), base.len(), 8))?;
                let weights = feature_weights(&written.rows[..known], written.names.len(), &slopes);
                (base, weights, written, known)
            }
        };
        let columns = base.len();
        let mut out = Vec::with_capacity(new.len());
        for i in 0..new.len() {
            budget::check()?;
            let signs = self.machine.toward(&prediction, i, columns);
            let dot = |values: &[f64]| values.iter().zip(&signs).map(|(v, s)| v * s).sum::<f64>();
            let amounts = written.rows[known + i].iter().map(|&(feature, count)| {
                let weight = dot(weights.row(feature as usize));
                (feature, weight, count, weight * count)
            });
            let mut amounts: Vec<(u32, f64, f64, f64)> = amounts.collect();
            let (offset, total) = (dot(&base), amounts.iter().map(|a| a.3).sum::<f64>());
            amounts.sort_by(|a, b| b.3.abs().total_cmp(&a.3.abs()).then(a.0.cmp(&b.0)));
            let rest = amounts.iter().skip(most).map(|a| a.3).sum();
            amounts.truncate(most);
            let mut places: HashMap<u32, Vec<Vec<u32>>> = amounts.iter().map(|a| (a.0, Vec::new())).collect();
            written.places(&new, i, &mut |feature, nodes| {
                if let Some(known) = places.get_mut(&feature)
                    && !budget::is_spent_often()
                {
                    known.push(nodes.to_vec());
                }
            })?;
            budget::check()?;
            let part = |(feature, weight, count, amount): (u32, f64, f64, f64)| Contribution {
                feature: written.names[feature as usize].clone(),
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

/// Rows of similarities that a machine is asked about at once.
const AT_ONCE: usize = 256;

/// What a trained machine says of features and support objects.
pub(super) trait Weighs {
    /// Of a machine that decides by features: the offset of each decision value, and its weight for each column.
    fn linear_weights(&self) -> Option<(Vec<f64>, Vec<WeightOf<'_>>)>;

    /// Decision values (or the number predicted) as base + Σ_j k(x, x_j)·slope_j: the base, and a row of slopes for
    /// each support object. They are read off the machine's answers to no similarity at all and to one at a time.
    fn slopes(&self) -> Result<(Vec<f64>, Dense)>;

    /// How each decision value counts for what was predicted of object i.
    fn toward(&self, prediction: &Prediction, i: usize, columns: usize) -> Vec<f64>;

    /// The ways to look at decision values: one for a number, one for two classes (the second), one for each of more.
    fn views(&self, columns: usize) -> Vec<(Option<usize>, Vec<f64>)>;

    /// The class that a weight for class c speaks for. Of two classes a negative weight speaks for the other.
    fn speaks_for(&self, class: Option<usize>, weight: f64) -> (Option<String>, f64);

    /// How each decision value counts for a class.
    fn toward_class(&self, class: usize, columns: usize) -> Vec<f64>;
}

impl Weighs for Trained {
    fn linear_weights(&self) -> Option<(Vec<f64>, Vec<WeightOf<'_>>)> {
        self.machine().feature_weights()
    }

    fn slopes(&self) -> Result<(Vec<f64>, Dense)> {
        if !self.machine().sums_similarities() {
            return Err(Error::Param {
                name: "learner".into(),
                value: "this model's".into(),
                domain: "one that decides by a weighted sum of similarities: svc, nu-svc, svr, nu-svr, one-class, \
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

    fn speaks_for(&self, class: Option<usize>, weight: f64) -> (Option<String>, f64) {
        let classes = self.classes();
        match class {
            Some(1) if classes.len() == 2 && weight < 0.0 => (Some(classes[0].clone()), weight),
            Some(c) => (classes.get(c).cloned(), weight),
            None => (None, weight),
        }
    }

    fn toward_class(&self, class: usize, columns: usize) -> Vec<f64> {
        let pairs = match self.machine().pairs_of_classes() {
            Some(pairs) => pairs.to_vec(),
            // Two classes share one value, which is negative for the first.
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
                    reason: format!("holds {}: features of them cannot be written out", other.kind()),
                    hint: None,
                });
            }
        };
        Ok(Column::new(&a.name, values))
    });
    objects(columns.collect::<Result<_>>()?, first.len() + second.len())
}
