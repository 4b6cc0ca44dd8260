//! Blends: models whose predictions are averaged, in one model.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::Model;
use super::fit::{columns_of, used_columns};
use super::training::TrainingMolecules;
use crate::data::{Categories, Dataset, Dense, Target};
use crate::error::{Error, Result, Warning};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;
use crate::kernel::Boxed;
use crate::kernel::combine::Sum;
use crate::learn::{AnyModel, PredictFrom, Predicted, Prediction, Trained};
use crate::random::Random;
use crate::solve::Stop;

/// The most members of a blend.
pub(super) const MOST_MEMBERS: usize = 100;
/// The training objects that a blend stores besides those of its members, for explanations.
const SHOWN: usize = 100;
/// How far a sum of weights may be from 1.
const ROUNDING: f64 = 1e-6;
/// A probability of 0 counts as this, so that its logarithm is finite.
const LEAST: f64 = 1e-9;

/// A model of a blend, with its part in the predictions.
#[derive(Debug)]
pub struct BlendMember {
    /// The model.
    pub model: Model,
    /// Its weight, above 0; those of all members sum to 1.
    pub weight: f64,
    /// For classes, the factor of its decision values before they become probabilities: a class has a probability
    /// proportional to exp(sharpness · value). Not used for numbers.
    pub sharpness: f64,
}

impl Model {
    /// A model that predicts the weighted mean of the predictions of others: of the predicted numbers, or of the
    /// probabilities of the classes.
    ///
    /// The members must have been fitted to these objects, with the same target. The decision values of a member become
    /// probabilities by [`BlendMember::sharpness`]; see there. Some of the objects are stored, as the background of
    /// explanations by columns.
    ///
    /// Its expression is the sum of the kernels of the members, and its learner [`Learner::blend`], which no text names. What needs
    /// support objects or named features of one model ([`Model::explain`], [`Model::weights`], [`Model::influences`]) is refused: ask
    /// [`Model::members`].
    ///
    /// ```
    /// use mercer::{data::embedded, gram::Engine, model::{BlendMember, Model}};
    /// let (flowers, engine) = (embedded::iris()?, Engine::new());
    /// let fit = |kernel: &str, learner: &str| Model::fit(&flowers, &kernel.parse()?, &learner.parse()?, 0, &engine);
    /// let member = |model, weight| BlendMember { model, weight, sharpness: 1.0 };
    /// let members = vec![member(fit("rbf", "svc")?, 0.75), member(fit("linear", "ridge")?, 0.25)];
    /// let blend = Model::blend(members, &flowers, 0)?;
    /// let again = Model::from_bytes("iris.mercer", &blend.to_bytes()?, &engine)?;
    /// let new = flowers.select(&[0, 60, 120]);
    /// let prediction = again.predict(&new, &engine)?;
    /// assert_eq!(prediction, blend.predict(&new, &engine)?);
    /// assert_eq!((prediction.class(0), again.members().len()), (Some("setosa"), 2));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    ///
    /// R. Caruana, A. Niculescu-Mizil, G. Crew and A. Ksikes, *Ensemble selection from libraries of models*, ICML 2004.
    pub fn blend(members: Vec<BlendMember>, data: &Dataset, seed: u64) -> Result<Model> {
        let expression = sum_of(members.iter().map(|m| m.model.expression()))?;
        let used = used_columns(&expression, data)?;
        let shown: Vec<usize> = match data.len() <= SHOWN {
            true => (0..data.len()).collect(),
            false => {
                let mut rows = Random::derived(seed, 0x626c_656e).sample(data.len(), SHOWN);
                rows.sort_unstable();
                rows
            }
        };
        let kept = columns_of(&used, Some(&shown))?;
        let mut seen = HashSet::new();
        let warnings = members.iter().flat_map(|m| m.model.warnings().iter().cloned());
        let warnings: Vec<String> = warnings.filter(|text| seen.insert(text.clone())).collect();
        let molecules = TrainingMolecules::of(&used, data);
        let mut out = Model::of_members(members, kept, seed)?;
        (out.objects, out.warnings, out.training) = (Some(data.len()), warnings, molecules);
        Ok(out)
    }

    /// The models of a blend, in the order of their weights; empty for other models.
    pub fn members(&self) -> &[BlendMember] {
        &self.members
    }

    /// The model itself, or the member of a blend with the largest weight.
    pub fn principal(&self) -> &Model {
        self.members.first().map_or(self, |first| &first.model)
    }

    /// A model of the same kernel and learner fitted to other objects: of a blend, each member, with its weight.
    pub fn fitted_again(&self, data: &Dataset, engine: &Engine) -> Result<Model> {
        if self.members.is_empty() {
            return Model::fit(data, &self.expression, &self.learner, self.seed, engine);
        }
        let mut members = Vec::with_capacity(self.members.len());
        for &BlendMember { ref model, weight, sharpness } in &self.members {
            members.push(BlendMember { model: model.fitted_again(data, engine)?, weight, sharpness });
        }
        Model::blend(members, data, self.seed)
    }

    /// A blend of these members, with the columns of `kept`.
    pub(super) fn of_members(mut members: Vec<BlendMember>, kept: Dataset, seed: u64) -> Result<Model> {
        check(&members)?;
        members.sort_by(|a, b| b.weight.total_cmp(&a.weight));
        let expression = sum_of(members.iter().map(|m| m.model.expression()))?;
        let sum = |a: Boxed<Dataset>, b: Boxed<Dataset>| Boxed::new(Sum(a, b));
        let kernel = members.iter().map(|m| m.model.kernel.clone()).reduce(sum);
        let Some((kernel, first)) = kernel.zip(members.first().map(|m| &m.model)) else {
            return Err(Error::usage("a blend needs members"));
        };
        let classes = first.trained.classes().to_vec();
        let fits = BlendFits::of(&members, classes.len());
        Ok(Model {
            expression,
            learner: Learner::blend(),
            seed,
            target: first.target.clone(),
            steps: members.iter().flat_map(|m| m.model.steps.iter().cloned()).collect(),
            kernel,
            kept,
            support: Vec::new(),
            trained: Trained::stored(Box::new(fits), classes)?,
            chosen: None,
            objects: first.objects,
            warnings: Vec::new(),
            program: first.program.clone(),
            note: None,
            first_index: first.first_index,
            reading: None,
            training: None,
            conformal: None,
            prepared: OnceLock::new(),
            members,
        })
    }

    /// The mean of the predictions of the members.
    pub(super) fn predict_by_members(&self, data: &Dataset, engine: &Engine) -> Result<Prediction> {
        let classes = self.trained.classes();
        let mut mean = match classes.is_empty() {
            true => Mean::of_numbers(data.len()),
            false => Mean::of_classes(data.len(), classes.len()),
        };
        for &BlendMember { ref model, weight, sharpness } in &self.members {
            let prediction = model.predict(data, engine)?;
            match prediction.numbers() {
                Some(numbers) if classes.is_empty() => mean.add(numbers, weight)?,
                _ => {
                    let mut values = class_values(&prediction, classes, classes)?;
                    sharpened(values.values_mut(), classes.len(), sharpness);
                    mean.add(values.values(), weight)?;
                }
            }
        }
        mean.prediction(classes)
    }

    /// An error for what is defined for single models alone.
    pub(super) fn check_single(&self, what: &str) -> Result<()> {
        match self.members.len() {
            0 => Ok(()),
            many => Err(Error::usage(format!(
                "this model is a blend of {many} models: {what} are of one model; explain it by columns"
            ))),
        }
    }
}

/// The sum of kernels, which keeps those that are equal.
fn sum_of<'a>(kernels: impl Iterator<Item = &'a Expression>) -> Result<Expression> {
    let mut terms: Vec<Expression> = kernels.cloned().collect();
    match terms.len() {
        1 => Ok(terms.remove(0)),
        _ => {
            let sum = terms.into_iter().reduce(|a, b| a + b);
            // Text tells whether the sum may be written.
            sum.ok_or_else(|| Error::usage("a blend needs members"))?.to_string().parse()
        }
    }
}

/// Refuses members that do not belong together.
fn check(members: &[BlendMember]) -> Result<()> {
    let Some(first) = members.first().map(|m| &m.model) else {
        return Err(Error::usage("a blend needs members"));
    };
    if members.len() > MOST_MEMBERS {
        return Err(Error::usage(format!("{} members of a blend, at most {MOST_MEMBERS}", members.len())));
    }
    let is_one_task = |m: &BlendMember| {
        m.model.target == first.target && m.model.trained.classes() == first.trained.classes()
    };
    if first.target.is_none() || !members.iter().all(is_one_task) {
        return Err(Error::usage(
            "the members of a blend must predict the same target, with the same classes",
        ));
    }
    if let Some(inner) = members.iter().find(|m| !m.model.members.is_empty()) {
        let many = inner.model.members.len();
        return Err(Error::usage(format!("a member of a blend is itself a blend of {many}")));
    }
    for m in members {
        if !(m.weight.is_finite() && m.weight > 0.0) {
            return Err(Error::param("weight", m.weight, "a finite number above 0"));
        }
        if !(m.sharpness.is_finite() && m.sharpness >= 0.0) {
            return Err(Error::param("sharpness", m.sharpness, "a finite number of at least 0"));
        }
    }
    let sum: f64 = members.iter().map(|m| m.weight).sum();
    match (sum - 1.0).abs() <= ROUNDING {
        true => Ok(()),
        false => Err(Error::param("weights", sum, "weights whose sum is 1")),
    }
}

/// A value of each class for each object, from which probabilities are made: probabilities give their logarithms; one decision
/// value d of two classes gives -d and d; the values of pairs of classes give each class its mean margin; other values stay.
/// `known` are the classes of the model, `classes` those of the columns of the result. A class that the model does not know has the least value of
/// the object, less 1.
pub(crate) fn class_values(prediction: &Prediction, known: &[String], classes: &[String]) -> Result<Dense> {
    let (n, k) = (prediction.len(), known.len());
    let wrong = || Error::usage("the columns of decision values match neither the classes nor their pairs");
    let places: Option<Vec<usize>> =
        known.iter().map(|name| classes.iter().position(|c| c == name)).collect();
    let places = places.ok_or_else(wrong)?;
    let decisions = &prediction.decisions;
    let pairs: Vec<(usize, usize)> = (0..k).flat_map(|a| (a + 1..k).map(move |b| (a, b))).collect();
    // Three classes also have three pairs, so the names of columns decide.
    let alone = prediction.columns == known;
    if prediction.probabilities.is_none()
        && !(alone && decisions.cols() == k || decisions.cols() == pairs.len())
    {
        return Err(wrong());
    }
    let mut out = Dense::zeros(n, classes.len());
    let mut own = vec![0.0; k];
    for i in 0..n {
        let values = decisions.row(i);
        if let Some(probabilities) = &prediction.probabilities {
            own.iter_mut().zip(probabilities.row(i)).for_each(|(v, p)| *v = p.max(LEAST).ln());
        } else if alone {
            own.copy_from_slice(values);
        } else {
            own.fill(0.0);
            let share = 1.0 / (k.max(2) - 1) as f64;
            for (&(a, b), d) in pairs.iter().zip(values) {
                own[a] -= share * d;
                own[b] += share * d;
            }
        }
        let row = out.row_mut(i);
        row.fill(own.iter().copied().fold(f64::INFINITY, f64::min) - 1.0);
        places.iter().zip(&own).for_each(|(&place, v)| row[place] = *v);
    }
    Ok(out)
}

/// Turns the values of each object's classes into probabilities: proportional to exp(sharpness · value).
pub(crate) fn sharpened(values: &mut [f64], classes: usize, sharpness: f64) {
    for row in values.chunks_mut(classes.max(1)) {
        let most = row.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        row.iter_mut().for_each(|v| *v = (sharpness * (*v - most)).exp());
        let sum: f64 = row.iter().sum();
        row.iter_mut().for_each(|v| *v /= sum);
    }
}

/// The weighted mean of predictions.
pub(crate) struct Mean {
    values: Vec<f64>,
    objects: usize,
}

impl Mean {
    /// Of numbers.
    pub(crate) fn of_numbers(objects: usize) -> Self {
        Mean { values: vec![0.0; objects], objects }
    }

    /// Of the probabilities of classes.
    pub(crate) fn of_classes(objects: usize, classes: usize) -> Self {
        Mean { values: vec![0.0; objects * classes], objects }
    }

    /// Adds the numbers or probabilities of a member.
    pub(crate) fn add(&mut self, values: &[f64], weight: f64) -> Result<()> {
        if values.len() != self.values.len() {
            return Err(Error::Shape {
                expected: format!("{} predictions", self.values.len()),
                found: values.len().to_string(),
            });
        }
        self.values.iter_mut().zip(values).for_each(|(sum, v)| *sum += weight * v);
        Ok(())
    }

    /// The prediction. Of two classes the decision value is the difference of their probabilities, of more classes each has its
    /// probability; the most probable class is predicted, of equally probable ones the first.
    pub(crate) fn prediction(self, classes: &[String]) -> Result<Prediction> {
        if classes.is_empty() {
            return Ok(Prediction::of_numbers(self.values));
        }
        let probabilities = Dense::new(self.objects, classes.len(), self.values)?;
        let first_of_most = |row: &[f64]| {
            row.iter().enumerate().fold(0, |best, (c, p)| if *p > row[best] { c } else { best }) as u32
        };
        let codes: Vec<u32> = (0..self.objects).map(|i| first_of_most(probabilities.row(i))).collect();
        let (decisions, columns) = match classes {
            [a, b] => {
                let margin = |i| probabilities.at(i, 1) - probabilities.at(i, 0);
                let margins = (0..self.objects).map(margin).collect();
                (Dense::new(self.objects, 1, margins)?, vec![format!("{a}|{b}")])
            }
            all => (probabilities.clone(), all.to_vec()),
        };
        let target = Some(Target::Classes(Categories::from_codes(codes, classes.to_vec())));
        Ok(Prediction { target, decisions, columns, probabilities: Some(probabilities), deviations: None })
    }
}

/// What is known of the fits of the members, in place of a fitted model.
#[derive(Clone, Debug, PartialEq)]
struct BlendFits {
    /// The number of classes; 0 for numbers.
    classes: usize,
    /// Why the solvers of the members stopped.
    stops: Vec<(String, Stop)>,
}

impl BlendFits {
    fn of(members: &[BlendMember], classes: usize) -> Self {
        let of_member = |(at, m): (usize, &BlendMember)| {
            let named = move |(name, stop)| (format!("member {}, {name}", at + 1), stop);
            m.model.trained.stops().into_iter().map(named).collect::<Vec<_>>()
        };
        BlendFits { classes, stops: members.iter().enumerate().flat_map(of_member).collect() }
    }
}

impl AnyModel for BlendFits {
    fn kind(&self) -> &'static str {
        "blend"
    }

    fn objects(&self) -> usize {
        0
    }

    fn predict_any(&self, _: &PredictFrom<'_>) -> Result<Predicted> {
        Err(Error::usage("a blend predicts objects by its members, not similarities"))
    }

    fn class_count(&self) -> Option<usize> {
        (self.classes > 0).then_some(self.classes)
    }

    fn solver_names(&self, _: &[String]) -> Vec<String> {
        self.stops.iter().map(|(name, _)| name.clone()).collect()
    }

    fn other_stops(&self) -> Vec<Stop> {
        self.stops.iter().map(|(_, stop)| *stop).collect()
    }

    fn fit_warnings(&self) -> Vec<Warning> {
        Vec::new()
    }

    fn gives_probabilities(&self) -> bool {
        self.classes > 0
    }
}
