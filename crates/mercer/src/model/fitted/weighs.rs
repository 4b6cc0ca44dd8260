//! Weights of features and support objects in trained models.

use crate::container::objects;
use crate::data::{Column, Dataset, Dense, Nodes, Sparse, Target, Times, Values};
use crate::error::{Error, Result};
use crate::learn::{Prediction, Trained, WeightOf};

/// The weight of each feature for each decision value: Σ over support objects of slope times feature.
pub(super) fn feature_weights(rows: &[Vec<(u32, f64)>], features: usize, slopes: &Dense) -> Dense {
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
                         ridge, perceptron; predictions of linear-svc, linear-svr and ridge on explicit features can be \
                         explained, object by object. Fit one of these to explain its predictions"
                    .into(),
            });
        }
        let n = self.support().len();
        let values = |cross: &Dense| -> Result<Dense> {
            // Means do not depend on them.
            let own = self.needs_self_similarities().then(|| vec![0.0; cross.rows()]);
            let Prediction { target, decisions, .. } = self.predict(cross, own.as_deref())?;
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
pub(super) fn stack(first: &Dataset, second: &Dataset) -> Result<Dataset> {
    let columns = first.columns().iter().zip(second.columns()).map(|(a, b)| {
        let values = match (&a.values, &b.values) {
            (Values::Graphs(a), Values::Graphs(b)) => Values::Graphs([&a[..], &b[..]].concat()),
            (Values::Molecules(a), Values::Molecules(b)) => Values::Molecules([&a[..], &b[..]].concat()),
            (Values::Categories(a), Values::Categories(b)) => Values::Categories(a.followed_by(b)),
            (Values::Times(a), Values::Times(b)) => {
                Values::Times(Times::new([a.seconds(), b.seconds()].concat()))
            }
            (Values::Series(a), Values::Series(b)) => Values::Series([&a[..], &b[..]].concat()),
            (Values::Strings(a), Values::Strings(b)) => Values::Strings([&a[..], &b[..]].concat()),
            (Values::Text(a), Values::Text(b)) => Values::Text([&a[..], &b[..]].concat()),
            (Values::Numbers(a), Values::Numbers(b)) => {
                Values::Numbers(Dense::new(a.rows() + b.rows(), a.cols(), [a.values(), b.values()].concat())?)
            }
            // The training nodes know the attributes of all nodes of their graph.
            (Values::Nodes(a), Values::Nodes(b)) if a.network().identity() == b.network().identity() => {
                Values::Nodes(Nodes::new(a.network().clone(), [a.chosen(), b.chosen()].concat())?)
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
