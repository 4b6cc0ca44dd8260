//! Explanations of predictions by features: the weight of each feature, and its occurrences in an object.

use std::collections::HashMap;

use super::Model;
use super::evidence::ObjectEvidence;
use super::structure::{self, StructureWeights, Structures};
use super::weighs::{Weighs, feature_weights, stack};
use crate::budget::{self, matrix_bytes};
use crate::data::{Dataset, Dense, Target};
use crate::error::{Error, Result};
use crate::expression::{Expression, FeatureTable, Step, column_of};
use crate::gram::Engine;
use crate::kernel::FeatureKey;
use crate::learn::Prediction;
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
    /// Whether the weights are of this object alone. They are where the kernel is no inner product of its features:
    /// `tanimoto`, `dice` and `rbf-of`. The parts add up all the same, but how they are divided is a rule.
    pub local: bool,
    /// The contributions by node and edge, for each column of graphs, molecules or series whose features have places.
    pub structures: Vec<StructureWeights>,
    /// How training objects speak for and against it, where it is explained by them.
    pub evidence: Option<ObjectEvidence>,
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
    /// position of its first character, from 0; in a series the first and last time step of each stretch, from 0. Empty
    /// for features of other data.
    pub nodes: Vec<Vec<u32>>,
    /// The standard error of the amount, where it is estimated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<f64>,
    /// The share of a training object in all contributions by absolute value, negative against the prediction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub share: Option<f64>,
}

/// The weight of one feature in a model.
#[derive(Clone, Debug, PartialEq)]
pub struct Weight {
    /// The name of the feature.
    pub feature: String,
    /// Its identity, which does not depend on objects.
    pub key: FeatureKey,
    /// The class it favours, in classification.
    pub class: Option<String>,
    /// What one unit of it adds to the decision value of that class, or to the predicted number.
    pub weight: f64,
    /// The mean of its absolute values over the support objects.
    pub mean: f64,
}

/// An occurrence of a feature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FeatureExample {
    /// The index of the object.
    pub object: usize,
    /// The column of the data.
    pub column: String,
    /// The nodes of a graph or the atoms of a molecule, the central one first; the position in a string; the first and last
    /// time step in a series.
    pub nodes: Vec<u32>,
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
    /// It works for the models that [`Model::explain`] supports. Where weights are of single objects, each is the mean
    /// over the support objects that have the feature.
    pub fn weights(&self, most: usize) -> Result<Vec<Weight>> {
        self.check_single("weights of features")?;
        let (base, slopes) = self.trained.slopes()?;
        let support = self.kept.select(&self.support);
        let table = self.expression.feature_table(&support, Some(self.steps.clone()))?;
        let weights = match table.is_inner_product() {
            true => feature_weights(&table.rows, table.names.len(), &slopes),
            false => mean_weights(&table, &slopes)?,
        };
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
                Weight { feature: table.names[f].clone(), key: table.keys[f], class, weight, mean: mean[f] }
            }));
        }
        Ok(out)
    }

    /// For each feature an object that has it and where: the smallest of its objects, and the nodes of its first
    /// occurrence; `None` for features without places in graphs or molecules.
    pub fn feature_examples(
        &self,
        data: &Dataset,
        keys: &[FeatureKey],
    ) -> Result<Vec<Option<FeatureExample>>> {
        let rows: Vec<usize> = (0..data.len()).collect();
        let objects = align(&self.kept, data, &rows)?;
        let table = self.expression.feature_table(&objects, Some(self.steps.clone()))?;
        let numbers: HashMap<FeatureKey, u32> = table.keys.iter().copied().zip(0..).collect();
        let size = |i: usize| structure::size(&objects, i);
        // The smallest object with each feature.
        let mut smallest: HashMap<u32, usize> = HashMap::new();
        for (i, row) in table.rows.iter().enumerate() {
            for &(feature, _) in row {
                let known = smallest.entry(feature).or_insert(i);
                if size(i) < size(*known) {
                    *known = i;
                }
            }
        }
        let mut out = Vec::with_capacity(keys.len());
        for key in keys {
            budget::check()?;
            let found = numbers.get(key).and_then(|f| smallest.get(f).map(|&i| (*f, i)));
            let Some((wanted, object)) = found else {
                out.push(None);
                continue;
            };
            let mut example: Option<FeatureExample> = None;
            table.places(&objects, object, &mut |column, feature, nodes| {
                if feature == wanted && example.is_none() {
                    let (column, nodes) = (column.to_owned(), nodes.to_vec());
                    example = Some(FeatureExample { object, column, nodes });
                }
            })?;
            out.push(example);
        }
        Ok(out)
    }

    /// The most important support objects, for any kernel: for each class, or for the predicted number, the `most` with
    /// the largest coefficients.
    pub fn influences(&self, most: usize) -> Result<Vec<Influence>> {
        self.check_single("weights of support objects")?;
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
        self.check_single("weights of features")?;
        let rows: Vec<usize> = (0..data.len()).collect();
        let new = align(&self.kept, data, &rows)?;
        let prediction = self.predict(data, engine)?;
        let steps = Some(self.steps.clone());
        // The weight of each feature for each decision value.
        let (base, weights, table, slopes) = match self.trained.linear_weights() {
            Some((base, by_column)) => {
                let table = self.expression.feature_table(&new, steps)?;
                budget::ask("the weights of features", matrix_bytes(table.names.len(), base.len(), 8))?;
                let mut weights = Dense::zeros(table.names.len(), base.len());
                for (f, key) in table.keys.iter().enumerate() {
                    match column_of(&self.steps, *key) {
                        Some(column) => weights.row_mut(f).iter_mut().zip(&by_column).for_each(|(w, of)| {
                            *w = of(column);
                        }),
                        // A feature that no training object has gets weight 0.
                        None if self.steps.iter().any(|s| matches!(s, Step::Features(_))) => {}
                        None => return Err(unnumbered(&self.expression)),
                    }
                }
                (base, weights, table, Dense::zeros(0, 0))
            }
            None => {
                let (base, slopes) = self.trained.slopes()?;
                let support = self.kept.select(&self.support);
                let table = self.expression.feature_table(&stack(&support, &new)?, steps)?;
                let weights = match table.is_inner_product() {
                    true => {
                        let bytes = matrix_bytes(table.names.len(), base.len(), 8);
                        budget::ask("the weights of features", bytes)?;
                        feature_weights(&table.rows[..slopes.rows()], table.names.len(), &slopes)
                    }
                    false => Dense::zeros(0, base.len()),
                };
                (base, weights, table, slopes)
            }
        };
        let (columns, known) = (base.len(), slopes.rows());
        let local = !table.is_inner_product();
        let mut pairwise = if local { Some(table.pairwise()?) } else { None };
        let mut out = Vec::with_capacity(new.len());
        for i in 0..new.len() {
            budget::check()?;
            let signs = self.trained.toward(&prediction, i, columns);
            let dot = |values: &[f64]| values.iter().zip(&signs).map(|(v, s)| v * s).sum::<f64>();
            let own = match &mut pairwise {
                Some(pairwise) => Some(pairwise.weights(known + i, &slopes)?),
                None => None,
            };
            let amount = |(at, &(feature, count)): (usize, &(u32, f64))| {
                let weight = match &own {
                    Some((weights, _)) => dot(weights.row(at)),
                    None => dot(weights.row(feature as usize)),
                };
                (feature, weight, count, weight * count)
            };
            let mut amounts: Vec<(u32, f64, f64, f64)> =
                table.rows[known + i].iter().enumerate().map(amount).collect();
            let offset = dot(&base) + own.as_ref().map_or(0.0, |(_, constant)| dot(constant));
            let total: f64 = amounts.iter().map(|a| a.3).sum();
            // Terms without features contribute what the others leave of the decision value.
            let whole = match table.whole.is_empty() {
                true => 0.0,
                false => self.value_of(&prediction, i, &signs) - offset - total,
            };
            let structures = Structures::of(&new, i, &table, &amounts)?;
            amounts.sort_by(|a, b| b.3.abs().total_cmp(&a.3.abs()).then(a.0.cmp(&b.0)));
            let mut rest = amounts.iter().skip(most).map(|a| a.3).sum::<f64>();
            amounts.truncate(most);
            let mut places: HashMap<u32, Vec<Vec<u32>>> = amounts.iter().map(|a| (a.0, Vec::new())).collect();
            table.places(&new, i, &mut |_, feature, nodes| {
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
                error: None,
                share: None,
            };
            let mut parts: Vec<Contribution> = amounts.into_iter().map(part).collect();
            if !table.whole.is_empty() && most > 0 {
                let feature = format!("{} as a whole", table.whole.join(" + "));
                let at = parts.partition_point(|p| p.amount.abs() >= whole.abs());
                let nodes = Vec::new();
                let amount = whole;
                let whole = Contribution {
                    feature,
                    weight: amount,
                    count: 1.0,
                    amount,
                    nodes,
                    error: None,
                    share: None,
                };
                parts.insert(at, whole);
                rest += parts.drain(most.min(parts.len())..).map(|p| p.amount).sum::<f64>();
            } else {
                rest += whole;
            }
            out.push(Explanation {
                class: prediction.class(i).map(str::to_owned),
                value: offset + total + whole,
                offset,
                parts,
                rest,
                local,
                structures,
                evidence: None,
            });
        }
        Ok(out)
    }

    /// The decision value of a prediction, or the predicted number.
    fn value_of(&self, prediction: &Prediction, i: usize, signs: &[f64]) -> f64 {
        match &prediction.target {
            Some(Target::Numbers(numbers)) if prediction.decisions.cols() == 0 => numbers[i],
            _ => prediction.decisions.row(i).iter().zip(signs).map(|(v, s)| v * s).sum(),
        }
    }
}

/// The error for features whose columns in a linear model are not known.
fn unnumbered(expression: &Expression) -> Error {
    Error::Param {
        name: "kernel".into(),
        value: expression.to_string(),
        domain: "one whose features a linear model keeps in the order of one column; svc on the same kernel is explained".into(),
    }
}

/// Objects whose weights are averaged.
const AVERAGED: usize = 500;

/// The weight of each feature for each decision value: the mean over objects that have it, of at most [`AVERAGED`] that
/// are spread evenly.
fn mean_weights(table: &FeatureTable, slopes: &Dense) -> Result<Dense> {
    let (n, features) = (table.rows.len(), table.names.len());
    budget::ask("the weights of features", matrix_bytes(features, slopes.cols(), 8))?;
    let (mut weights, mut times) = (Dense::zeros(features, slopes.cols()), vec![0.0f64; features]);
    let mut pairwise = table.pairwise()?;
    for i in (0..n).step_by(n.div_ceil(AVERAGED).max(1)) {
        let (own, _) = pairwise.weights(i, slopes)?;
        for (at, &(feature, _)) in table.rows[i].iter().enumerate() {
            times[feature as usize] += 1.0;
            weights.row_mut(feature as usize).iter_mut().zip(own.row(at)).for_each(|(w, o)| *w += o);
        }
    }
    for (f, times) in times.into_iter().enumerate() {
        weights.row_mut(f).iter_mut().for_each(|w| *w /= times.max(1.0));
    }
    Ok(weights)
}
