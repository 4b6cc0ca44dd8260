//! Probabilities for support vector machines, from held-out decision values.
//!
//! The fit itself pushes the decision values of training objects beyond the margin, so a sigmoid fitted to them is
//! overconfident. Therefore each binary classifier is refitted on four fifths of its objects at a time, and the
//! decision values of the rest determine its sigmoid. If a class has fewer than five members, there are as many folds
//! as members, and a warning, because a coarse probability is better than none.
//!
//! A class with one member cannot be held out and learned from. As in LIBSVM, a model without it decides for the other
//! class by the margin, -1 or 1, and the prior of the sigmoid keeps probabilities near the shares of the classes. What
//! LIBSVM does not do: a sigmoid that would then fall with the decision value, against the only evidence there is, is
//! replaced by a constant.

#[cfg(feature = "serde")]
use serde::{Deserialize, Serialize};

use super::super::learner::{ClassCodes, Learner};
use super::coupling::couple;
use super::{DecisionFunction, Sigmoid, Svc, SvcModel, Svr};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result, Warning};
use crate::parallel;
use crate::random::Random;
use crate::solve::{Columns, GramColumns, Subset};

/// The number of folds.
const FOLDS: usize = 5;

/// The conversion of decision values to probabilities.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(Serialize, Deserialize))]
pub struct Calibration {
    /// The sigmoid of each binary classifier, in the order of [`SvcModel::pairs`].
    pub sigmoids: Vec<Sigmoid>,
    /// The number of folds of each binary classifier: 5, or the size of its smaller class; 1 if that has one member.
    /// Empty if the sigmoids come from a program that does not report it.
    pub folds: Vec<usize>,
    /// The number of fold models that stopped before they converged.
    pub unconverged: usize,
}

/// The objects of one binary classifier, their signs and their folds.
struct Job {
    chosen: Vec<u32>,
    signs: Vec<f64>,
    fold: Vec<usize>,
    folds: usize,
    /// The size of the smaller class, at most [`FOLDS`].
    fewest: usize,
}

impl Job {
    /// The job of a binary classifier, from all objects class after class, in random order within each.
    ///
    /// Each sign is distributed over the folds in that order, so that the folds are stratified.
    fn new(order: &[u32], target: &[usize], (negative, positive): (usize, usize)) -> Self {
        let side = |i: u32| match target[i as usize] {
            c if c == positive => Some(1.0),
            c if c == negative || negative == usize::MAX => Some(-1.0),
            _ => None,
        };
        let members = |sign: f64| order.iter().copied().filter(move |&i| side(i) == Some(sign));
        let few = members(1.0).count().min(members(-1.0).count());
        let folds = if few == 1 { members(1.0).count().max(members(-1.0).count()) } else { few };
        let folds = folds.clamp(1, FOLDS);
        let mut dealt: Vec<(u32, f64, usize)> = Vec::new();
        for sign in [1.0, -1.0] {
            dealt.extend(members(sign).enumerate().map(|(at, i)| (i, sign, at % folds)));
        }
        dealt.sort_unstable_by_key(|d| d.0);
        Job {
            chosen: dealt.iter().map(|d| d.0).collect(),
            signs: dealt.iter().map(|d| d.1).collect(),
            fold: dealt.iter().map(|d| d.2).collect(),
            folds,
            fewest: few.min(FOLDS),
        }
    }
}

impl Svc {
    /// Fits the classifier and the sigmoids that convert its decision values to probabilities: see
    /// [`ProbabilisticSvc`](super::ProbabilisticSvc).
    pub(super) fn fit_calibrated(
        &self,
        columns: &dyn Columns,
        target: &ClassCodes,
        seed: u64,
    ) -> Result<(SvcModel, Calibration)> {
        self.check()?;
        self.check_target(columns.len(), target)?;
        let codes = target.codes();
        let order = class_by_class(codes, target.classes(), seed);
        let pairs = self.pairs(target.classes());
        let jobs: Vec<Job> = pairs.iter().map(|&pair| Job::new(&order, codes, pair)).collect();
        let shared = self.shared(columns, 1 + jobs.iter().map(|job| job.folds).sum::<usize>())?;
        let held = shared.as_ref().map(GramColumns::trusted);
        let columns = held.as_ref().map_or(columns, |held| held as &dyn Columns);
        let model = self.fit_columns(columns, target)?;
        let bounds = self.object_weights(target)?;
        let weights = self.own_weights(codes.len())?;

        let tasks: Vec<(&Job, usize)> =
            jobs.iter().flat_map(|job| (0..job.folds).map(move |f| (job, f))).collect();
        let hold_out = |(job, fold): &(&Job, usize)| {
            budget::check()?;
            self.hold_out(columns, job, *fold, &bounds)
        };
        let held: Vec<Result<Held>> = parallel::map(tasks.len(), |k| hold_out(&tasks[k]));
        let mut held = held.into_iter();
        let mut calibration = Calibration { sigmoids: Vec::new(), folds: Vec::new(), unconverged: 0 };
        for job in &jobs {
            let mut decisions = vec![0.0; job.chosen.len()];
            for part in held.by_ref().take(job.folds) {
                let part = part?;
                calibration.unconverged += usize::from(!part.converged);
                part.places.iter().zip(part.decisions).for_each(|(&k, d)| decisions[k] = d);
            }
            let own: Vec<f64> = job.chosen.iter().map(|&i| weights[i as usize]).collect();
            let mut sigmoid = Sigmoid::fit(&decisions, &job.signs, &relative(own.clone()));
            if job.fewest == 1 && sigmoid.a > 0.0 {
                sigmoid = Sigmoid::fit(&vec![0.0; job.chosen.len()], &job.signs, &relative(own));
            }
            calibration.sigmoids.push(sigmoid);
            calibration.folds.push(job.fewest);
        }
        Ok((model, calibration))
    }

    /// Fits a model without a fold and predicts the fold.
    fn hold_out(&self, columns: &dyn Columns, job: &Job, fold: usize, bounds: &[f64]) -> Result<Held> {
        let (places, rest): (Vec<usize>, Vec<usize>) =
            (0..job.chosen.len()).partition(|&k| job.fold[k] == fold);
        let kept: Vec<u32> = rest.iter().map(|&k| job.chosen[k]).collect();
        let signs: Vec<f64> = rest.iter().map(|&k| job.signs[k]).collect();
        let learned = |side: f64| signs.contains(&side);
        if !(learned(1.0) && learned(-1.0)) {
            let margin = f64::from(u8::from(learned(1.0))) - f64::from(u8::from(learned(-1.0)));
            let decisions = vec![margin; places.len()];
            return Ok(Held { places, decisions, converged: true });
        }
        let bounds: Vec<f64> = kept.iter().map(|&i| bounds[i as usize]).collect();
        let model = self.fit_part(&Subset::new(columns, kept.clone())?, &signs, &bounds)?;
        let asked: Vec<u32> = places.iter().map(|&k| job.chosen[k]).collect();
        let decisions = decide(columns, &model, &kept, &asked)?;
        Ok(Held { places, decisions, converged: model.certificate.as_ref().is_some_and(|c| c.converged()) })
    }
}

/// The decision values of a fold.
struct Held {
    places: Vec<usize>,
    decisions: Vec<f64>,
    converged: bool,
}

/// The decision values of the objects `asked`, from a model fitted to the objects `kept`.
fn decide(columns: &dyn Columns, model: &DecisionFunction, kept: &[u32], asked: &[u32]) -> Result<Vec<f64>> {
    let support: Vec<u32> = model.support.iter().map(|&k| kept[k]).collect();
    let mut decisions = columns.combine(asked, &support, &model.coefficients)?;
    decisions.iter_mut().for_each(|d| *d -= model.offset);
    match decisions.iter().position(|d| !d.is_finite()) {
        Some(at) => Err(Error::Object {
            index: asked[at] as usize,
            reason: "its decision value is not finite".into(),
            hint: None,
        }),
        None => Ok(decisions),
    }
}

/// The objects class after class, in random order within each.
fn class_by_class(target: &[usize], classes: usize, seed: u64) -> Vec<u32> {
    let mut random = Random::new(seed);
    let mut members = vec![Vec::new(); classes];
    target.iter().enumerate().for_each(|(i, &c)| members[c].push(i as u32));
    members.iter_mut().for_each(|m| random.shuffle(m));
    members.concat()
}

/// Weights with mean 1; all 1 if they are all 0.
fn relative(weights: Vec<f64>) -> Vec<f64> {
    let mean = weights.iter().sum::<f64>() / weights.len().max(1) as f64;
    let usable = mean.is_finite() && mean > 0.0;
    weights.into_iter().map(|w| if usable { w / mean } else { 1.0 }).collect()
}

impl Calibration {
    /// The probability of each class (columns) for objects (rows) with these decision values.
    ///
    /// Every row sums to 1. Two classes: the sigmoid. One versus one: the probabilities that agree best with those of
    /// all pairs. One versus rest: the sigmoids divided by their sum. The most probable class is not always the one
    /// from [`SvcModel::predict`], which is decided by votes.
    pub fn probabilities(&self, model: &SvcModel, decisions: &Dense) -> Result<Dense> {
        let parts = model.pairs().len();
        if decisions.cols() != parts || self.sigmoids.len() != parts {
            return Err(Error::Shape {
                expected: format!("{} decision values per object, one per sigmoid", self.sigmoids.len()),
                found: format!("{} columns and {parts} models", decisions.cols()),
            });
        }
        if let Some((row, col)) = decisions.find_non_finite() {
            return Err(Error::NonFinite { row, col, overflow: false });
        }
        let classes = model.classes();
        let mut out = Dense::zeros(decisions.rows(), classes);
        let spread = |i: usize, row: &mut [f64]| {
            if !budget::is_spent_after(classes * classes) {
                self.spread(model, decisions.row(i), row);
            }
        };
        parallel::for_chunks_mut(out.values_mut(), classes, 1, spread);
        budget::check().map(|()| out)
    }

    fn spread(&self, model: &SvcModel, decisions: &[f64], out: &mut [f64]) {
        let parts = || self.sigmoids.iter().zip(decisions).zip(model.pairs());
        if let ([sigmoid], [decision], [_, _]) = (self.sigmoids.as_slice(), decisions, &*out) {
            out.copy_from_slice(&sigmoid.both(*decision));
        } else if model.pairs().iter().any(|pair| pair.0 == usize::MAX) {
            // Uses logarithms, so that there is a largest class even if all sigmoids underflow.
            parts().for_each(|((s, d), pair)| out[pair.1] = s.log_probability(*d));
            let most = out.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            out.iter_mut().for_each(|p| *p = (*p - most).exp());
            let sum: f64 = out.iter().sum();
            out.iter_mut().for_each(|p| *p /= sum);
        } else {
            let mut r = Dense::zeros(out.len(), out.len());
            for ((sigmoid, decision), &(negative, positive)) in parts() {
                let [q, p] = sigmoid.both(*decision);
                r.row_mut(positive)[negative] = p;
                r.row_mut(negative)[positive] = q;
            }
            couple(&r, out);
        }
    }

    /// Checks sigmoids from a file or another program: one for each binary classifier, finite, with unknown or possible
    /// folds.
    #[doc(hidden)]
    pub fn check(&self, model: &SvcModel) -> Result<()> {
        let parts = model.pairs().len();
        if self.sigmoids.len() != parts {
            return Err(Error::usage(format!("{} sigmoids for {parts} models", self.sigmoids.len())));
        }
        if let Some(bad) = self.sigmoids.iter().find(|s| !(s.a.is_finite() && s.b.is_finite())) {
            return Err(Error::usage(format!("the sigmoid a = {}, b = {} is not finite", bad.a, bad.b)));
        }
        let objects = model.target().len();
        let possible = self.folds.len() == parts && self.folds.iter().all(|f| (1..=objects).contains(f));
        if !self.folds.is_empty() && !possible {
            return Err(Error::usage(format!("impossible folds for {parts} models over {objects} objects")));
        }
        Ok(())
    }

    /// Warnings about unreliable probabilities.
    pub fn warnings(&self) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let fewest = self.folds.iter().copied().min().unwrap_or(FOLDS);
        if fewest < FOLDS {
            let message = match fewest {
                1 => "a class has only one member, so that its probabilities are little more than shares of the classes".to_owned(),
                _ => format!(
                    "probabilities rest on {fewest} folds instead of {FOLDS}: a class has only {fewest} members"
                ),
            };
            warnings.push(Warning::new("W_FOLDS", message));
        }
        if self.unconverged > 0 {
            let message =
                format!("{} models behind the probabilities stopped before they converged", self.unconverged);
            warnings.push(Warning::new("W_NOT_CONVERGED", message));
        }
        warnings
    }
}

impl Svr {
    /// The scale s of the noise when y = f(x) + Laplace noise of density exp(-|z|/s)/(2s).
    ///
    /// The mean absolute residual of held-out objects in five folds, without those beyond five standard deviations. An
    /// interval around a prediction that holds with probability 1 - α has the half-width -s·ln α. Costs about five
    /// fits; fails for fewer than two objects.
    ///
    /// ```
    /// use mercer_core::data::Dense;
    /// use mercer_core::learn::Svr;
    /// use mercer_core::solve::GramColumns;
    /// let x: Vec<f64> = (0..30).map(|i| f64::from(i) / 10.0).collect();
    /// let y: Vec<f64> = (0..30).map(|i| x[i] + if i % 2 == 0 { 0.2 } else { -0.2 }).collect();
    /// let gram = Dense::new(30, 30, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect())?;
    /// let scale = Svr::new(1.0, 0.01).noise(&GramColumns::new(&gram)?, &y, 0)?;
    /// assert!((scale - 0.2).abs() < 0.05);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    ///
    /// Reference: Lin & Weng 2004, *Simple probabilistic predictions for support vector regression*.
    pub fn noise(&self, columns: &dyn Columns, target: &[f64], seed: u64) -> Result<f64> {
        let n = columns.len();
        if target.len() != n || n < 2 {
            return Err(Error::usage(format!(
                "{} numbers for {n} objects: estimating the noise needs at least two objects",
                target.len()
            )));
        }
        let weights = self.own_weights(n)?;
        let mut order: Vec<u32> = (0..n as u32).collect();
        Random::new(seed).shuffle(&mut order);
        let folds = n.min(FOLDS);
        let residuals = |fold: usize| -> Result<Vec<(f64, f64)>> {
            let part = |inside: bool| -> Vec<u32> {
                let mut part: Vec<u32> = order
                    .iter()
                    .enumerate()
                    .filter(|(at, _)| (at % folds == fold) == inside)
                    .map(|(_, &i)| i)
                    .collect();
                part.sort_unstable();
                part
            };
            let (asked, kept) = (part(true), part(false));
            let of = |values: &[f64]| -> Vec<f64> { kept.iter().map(|&i| values[i as usize]).collect() };
            let fitted =
                self.fit_weighted(&Subset::new(columns, kept.clone())?, &of(target), of(&weights))?;
            let predicted = decide(columns, fitted.model(), &kept, &asked)?;
            let pair = |(&i, f): (&u32, f64)| ((target[i as usize] - f).abs(), weights[i as usize]);
            Ok(asked.iter().zip(predicted).map(pair).collect())
        };
        let residuals: Vec<(f64, f64)> = parallel::try_map(folds, residuals)?.concat();
        let mean = |most: f64| {
            let within = || residuals.iter().filter(|(r, _)| *r <= most);
            within().map(|(r, w)| r * w).sum::<f64>()
                / within().map(|(_, w)| w).sum::<f64>().max(f64::MIN_POSITIVE)
        };
        // The standard deviation of Laplace noise is √2 times its scale.
        Ok(mean(5.0 * std::f64::consts::SQRT_2 * mean(f64::INFINITY)))
    }
}

#[cfg(test)]
#[path = "probability/tests.rs"]
mod tests;
