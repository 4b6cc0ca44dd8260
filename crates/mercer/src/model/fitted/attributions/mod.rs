//! Shapley values of columns: how much each column moves a prediction away from the mean prediction.

mod background;
mod blend;
mod closed;
mod composed;
mod effects;
mod local;
mod occluded;
mod sets;
#[cfg(test)]
mod tests;

use serde::Serialize;

use sets::Sets;

use super::Model;
use super::weighs::Weighs;
use crate::budget;
use crate::data::{Dataset, Dense, Target};
use crate::error::{Error, Result};
use crate::expression::{Form, Player, Term};
use crate::gram::Engine;
use crate::learn::Prediction;
use crate::model::align::align;

pub use background::{Background, BackgroundChoice, BackgroundFrom};
pub use effects::{ColumnEffect, EffectPoint, PermutationImportance};
pub use local::{BACKGROUND, ExplainBy, Explained};

/// What is explained.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ExplainedOutput {
    /// Decision values of classes, or the predicted number.
    #[default]
    Decision,
    /// The probability of each class.
    Probability,
}

/// How to explain by columns.
///
/// ```
/// use mercer::model::AttributionOptions;
/// let options = AttributionOptions { orders: 100, ..AttributionOptions::default() };
/// assert_eq!(options.most_enumerated, 10);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AttributionOptions {
    /// What is explained.
    pub output: ExplainedOutput,
    /// Up to this many columns, models without a formula are evaluated for every set of columns.
    pub most_enumerated: usize,
    /// Pairs of an order of the columns and its reverse that are drawn for more columns.
    pub orders: usize,
    /// The seed of the orders.
    pub seed: u64,
    /// The parts that an object is split into at most, where it is explained by parts; `None` for a number by its kind.
    pub parts: Option<usize>,
}

impl Default for AttributionOptions {
    fn default() -> Self {
        let output = ExplainedOutput::default();
        AttributionOptions { output, most_enumerated: 10, orders: 10, seed: 0, parts: None }
    }
}

/// How Shapley values were computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AttributionMethod {
    /// Exactly, by the form of the kernel.
    Formula,
    /// Exactly, by evaluating the model for every set of columns.
    Enumerated,
    /// Estimated from random orders of the columns, with standard errors.
    Sampled {
        /// The number of pairs of an order and its reverse.
        orders: usize,
    },
}

impl AttributionMethod {
    /// Whether the values are exact to rounding.
    pub fn is_exact(self) -> bool {
        !matches!(self, AttributionMethod::Sampled { .. })
    }
}

impl std::fmt::Display for AttributionMethod {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            AttributionMethod::Formula => f.write_str("exact, by the form of the kernel"),
            AttributionMethod::Enumerated => f.write_str("exact, by the model on every set of columns"),
            AttributionMethod::Sampled { orders } => {
                write!(f, "sampled: {} orders of the columns", 2 * orders)
            }
        }
    }
}

/// The Shapley values of columns for the predictions of some objects.
///
/// The game between the columns of an object x: a set S of columns is worth the mean of f over the objects that have the
/// columns in S from x and the others from an object of the background (interventional, Janzing, Minorics & Blöbaum 2020).
/// All columns together are worth f(x), and none the mean of f over the background, the base value. So the values of an
/// object sum to f(x) minus base value.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Attributions {
    /// The columns, and the coordinates of columns of vectors.
    #[serde(serialize_with = "names")]
    pub columns: Vec<Player>,
    /// The explained values: the class of each, or `None` for a predicted number. For two classes, there is one: a positive
    /// value is for the second class.
    pub outputs: Vec<Option<String>>,
    /// The mean of each output over the background.
    pub base: Vec<f64>,
    /// The outputs for each object.
    #[serde(serialize_with = "matrix")]
    pub predicted: Dense,
    /// For each output, a row per object with the value of each column.
    #[serde(serialize_with = "matrices")]
    pub values: Vec<Dense>,
    /// The standard errors of these values, where they are estimated.
    #[serde(serialize_with = "optional", skip_serializing_if = "Option::is_none")]
    pub errors: Option<Vec<Dense>>,
    /// How they were computed.
    pub method: AttributionMethod,
    /// The largest difference between the sum of the values of an object and its output minus base value, relative to the
    /// largest output.
    pub gap: f64,
}

fn names<S: serde::Serializer>(columns: &[Player], to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_seq(columns.iter().map(ToString::to_string))
}

fn rows_of(m: &Dense) -> Vec<&[f64]> {
    (0..m.rows()).map(|i| m.row(i)).collect()
}

fn matrix<S: serde::Serializer>(m: &Dense, to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_seq(rows_of(m))
}

fn matrices<S: serde::Serializer>(all: &[Dense], to: S) -> std::result::Result<S::Ok, S::Error> {
    to.collect_seq(all.iter().map(rows_of))
}

fn optional<S: serde::Serializer>(all: &Option<Vec<Dense>>, to: S) -> std::result::Result<S::Ok, S::Error> {
    matrices(all.as_deref().unwrap_or_default(), to)
}

impl Attributions {
    /// The mean of |value| over the objects and outputs, for each column: how much the model uses it.
    pub fn importance(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.columns.len()];
        let mut count = 0.0f64;
        for values in &self.values {
            for i in 0..values.rows() {
                sums.iter_mut().zip(values.row(i)).for_each(|(s, v)| *s += v.abs());
                count += 1.0;
            }
        }
        sums.into_iter().map(|s| s / count.max(1.0)).collect()
    }

    /// The output for the class, and the factor by which its values are for this class: -1 for the first of two classes.
    pub fn output_of(&self, class: Option<&str>, classes: &[String]) -> (usize, f64) {
        output_of(&self.outputs, class, classes)
    }
}

fn output_of(outputs: &[Option<String>], class: Option<&str>, classes: &[String]) -> (usize, f64) {
    match class {
        Some(class) if outputs.len() == 1 && classes.first().is_some_and(|c| c == class) => (0, -1.0),
        Some(class) => (outputs.iter().position(|o| o.as_deref() == Some(class)).unwrap_or(0), 1.0),
        None => (0, 1.0),
    }
}

/// The outputs that are explained, as functions of predictions.
struct Views {
    classes: Vec<Option<String>>,
    /// The factors of the decision values for each output; none for probabilities.
    signs: Vec<Vec<f64>>,
    /// The class of each output, for probabilities.
    codes: Vec<usize>,
    of: ExplainedOutput,
}

impl Views {
    /// `sample` is any prediction of the model.
    fn of(model: &Model, of: ExplainedOutput, sample: &Prediction) -> Result<Views> {
        let names = model.trained.classes();
        let class = |c: Option<usize>| c.and_then(|c| names.get(c).cloned());
        if of == ExplainedOutput::Probability {
            if sample.probabilities.is_none() {
                return Err(Error::param(
                    "output",
                    "probability",
                    "decision: this model was fitted without probabilities",
                ));
            }
            let codes: Vec<usize> = if names.len() == 2 { vec![1] } else { (0..names.len()).collect() };
            let classes = codes.iter().map(|&c| class(Some(c))).collect();
            return Ok(Views { classes, signs: Vec::new(), codes, of });
        }
        let columns = match &sample.target {
            Some(Target::Numbers(_)) => 1,
            Some(Target::Classes(_)) => sample.decisions.cols(),
            None => {
                return Err(Error::param(
                    "model",
                    model.learner.to_string(),
                    "one that predicts classes or numbers",
                ));
            }
        };
        let views = model.trained.views(columns);
        let (classes, signs): (Vec<Option<String>>, Vec<Vec<f64>>) =
            views.into_iter().map(|(c, signs)| (class(c), signs)).unzip();
        Ok(Views { classes, signs, codes: Vec::new(), of })
    }

    /// The decision value for the class predicted for object i, or the predicted number; `None` for probabilities.
    fn toward(model: &Model, of: ExplainedOutput, prediction: &Prediction, i: usize) -> Option<Views> {
        let columns = match &prediction.target {
            _ if of == ExplainedOutput::Probability => return None,
            Some(Target::Numbers(_)) => 1,
            _ => prediction.decisions.cols(),
        };
        let signs = vec![model.trained.toward(prediction, i, columns)];
        Some(Views { classes: vec![prediction.class(i).map(str::to_owned)], signs, codes: Vec::new(), of })
    }

    /// The outputs of each object.
    fn values(&self, prediction: &Prediction) -> Dense {
        let n = prediction.len();
        let mut out = Dense::zeros(n, self.classes.len());
        for i in 0..n {
            let row = out.row_mut(i);
            match (&prediction.target, &prediction.probabilities) {
                (_, Some(p)) if self.of == ExplainedOutput::Probability => {
                    row.iter_mut().zip(&self.codes).for_each(|(v, &c)| *v = p.at(i, c));
                }
                (Some(Target::Numbers(numbers)), _) => row.fill(numbers[i]),
                _ => {
                    let decisions = prediction.decisions.row(i);
                    for (v, signs) in row.iter_mut().zip(&self.signs) {
                        *v = decisions.iter().zip(signs).map(|(d, s)| d * s).sum();
                    }
                }
            }
        }
        out
    }
}

impl Model {
    /// Explains predictions by columns: Shapley values against a background, which are exact and take polynomial time for
    /// kernels that are sums of products over columns ([`Entry::is_known_by_columns`](crate::expression::Entry)), with the
    /// learners of [`Model::explain_by_objects`]. Any other model is evaluated on composed objects: for all sets of columns,
    /// or along random orders of them.
    ///
    /// With d columns, m support objects and b objects of the background, an object takes 5·b·m·d²/2 operations.
    ///
    /// ```
    /// use mercer::{data::embedded, gram::Engine, model::{AttributionOptions, Model}};
    /// let (flowers, engine) = (embedded::iris()?, Engine::new());
    /// let model = Model::fit(&flowers, &"rbf(gamma=0.25)".parse()?, &"svc".parse()?, 0, &engine)?;
    /// let background = model.background(Some(&flowers), 20, 0)?;
    /// let options = AttributionOptions::default();
    /// let why = model.attributions(&flowers.select(&[0, 60]), &background, &options, &engine)?;
    /// let sum: f64 = why.values[0].row(0).iter().sum();
    /// assert!((why.base[0] + sum - why.predicted.at(0, 0)).abs() < 1e-9);
    /// assert!(why.method.is_exact());
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// L. S. Shapley, *A value for n-person games*, 1953; S. Lundberg and S.-I. Lee, *A unified approach to interpreting model
    /// predictions*, NeurIPS 2017; M. Mohammadi, I. Tiddi and A. ten Teije, *Computing exact Shapley values in polynomial time
    /// for product-kernel methods*, arXiv 2505.16516.
    pub fn attributions(
        &self,
        data: &Dataset,
        background: &Background,
        options: &AttributionOptions,
        engine: &Engine,
    ) -> Result<Attributions> {
        let rows: Vec<usize> = (0..data.len()).collect();
        let objects = align(&self.kept, data, &rows)?;
        let quiet = engine.clone().with_progress(std::sync::Arc::new(crate::gram::Silent));
        let engine = &quiet;
        let of_background = self.predict(&background.objects, engine)?;
        let views = Views::of(self, options.output, &of_background)?;
        let predicted = views.values(&self.predict(&objects, engine)?);
        let base = means(&views.values(&of_background));
        let columns = self.columns_explained();
        let job = Job { model: self, columns: &columns, objects: &objects, background: &background.objects };
        let of_members = match options.output {
            ExplainedOutput::Decision => blend::values(&job, background, options, engine)?,
            ExplainedOutput::Probability => None,
        };
        let terms = match options.output {
            ExplainedOutput::Decision if self.is_linear_in_similarities() => {
                self.expression.by_columns(&self.kept, self.steps.clone(), engine)?
            }
            _ => None,
        };
        let additive = terms.as_ref().is_some_and(|terms| {
            let adds = |t: &Term| t.factors.len() <= 1 && matches!(t.form, Form::Product) && t.over.is_none();
            !self.trained.model().sums_similarities() && terms.iter().all(adds)
        });
        let closed = match (of_members, &terms) {
            (Some(values), _) => Some(values),
            (None, Some(terms)) if !additive => closed::values(&job, terms, &views, engine)?,
            _ => None,
        };
        let (values, errors, method) = match closed {
            Some(values) => (values, None, AttributionMethod::Formula),
            None if additive => (composed::additive(&job, &views, engine)?, None, AttributionMethod::Formula),
            None => {
                let sets = Sets::of(columns.len(), options.most_enumerated, options);
                let (values, errors) = composed::evaluated(&job, &sets, &views, engine)?;
                (values, errors, sets.method())
            }
        };
        let gap = gap(&values, &predicted, &base);
        Ok(Attributions { columns, outputs: views.classes, base, predicted, values, errors, method, gap })
    }

    /// Whether decision values are weighted sums of similarities, or of features whose inner products they are.
    fn is_linear_in_similarities(&self) -> bool {
        self.trained.model().sums_similarities() || self.trained.linear_weights().is_some()
    }

    /// Whether Shapley values of columns are exact by the form of the kernel; of a blend of numbers, of the kernels of all
    /// members.
    pub fn is_known_by_columns(&self, engine: &Engine) -> Result<bool> {
        if !self.members.is_empty() {
            for member in &self.members {
                if !member.model.is_known_by_columns(engine)? {
                    return Ok(false);
                }
            }
            return Ok(self.target.as_ref().is_some_and(|target| !target.classes));
        }
        let known = |terms: Option<Vec<Term>>| terms.is_some();
        Ok(self.is_linear_in_similarities()
            && known(self.expression.by_columns(&self.kept, self.steps.clone(), engine)?))
    }
}

/// What is computed: a model, its columns, objects and the background, with the columns of the model.
struct Job<'a> {
    model: &'a Model,
    columns: &'a [Player],
    objects: &'a Dataset,
    background: &'a Dataset,
}

impl Job<'_> {
    /// A matrix per output: a row per object, a value per column.
    fn zeros(&self, outputs: usize) -> Result<Vec<Dense>> {
        let bytes = budget::matrix_bytes(self.objects.len(), self.columns.len() * outputs, 8);
        budget::ask("the values of columns", bytes)?;
        Ok((0..outputs).map(|_| Dense::zeros(self.objects.len(), self.columns.len())).collect())
    }
}

fn means(values: &Dense) -> Vec<f64> {
    let n = values.rows().max(1) as f64;
    (0..values.cols()).map(|c| (0..values.rows()).map(|i| values.at(i, c)).sum::<f64>() / n).collect()
}

/// The largest difference between the sum of values and the output minus base value, relative to the largest output.
fn gap(values: &[Dense], predicted: &Dense, base: &[f64]) -> f64 {
    let (mut most, mut scale) = (0.0f64, 0.0f64);
    for (v, values) in values.iter().enumerate() {
        for i in 0..values.rows() {
            let sum: f64 = values.row(i).iter().sum();
            most = most.max((base[v] + sum - predicted.at(i, v)).abs());
            scale = scale.max(predicted.at(i, v).abs()).max(base[v].abs());
        }
    }
    if scale > 0.0 { most / scale } else { most }
}
