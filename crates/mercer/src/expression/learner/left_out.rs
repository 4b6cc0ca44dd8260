//! Leave-one-out predictions without a separate fit for each object.

use super::Learner;
use super::fit::Training;
use crate::data::{Categories, Dense, Target};
use crate::error::Result;
use crate::gram::Progress;
use crate::learn::ridge::signs;
use crate::learn::svm::{Scheme, Tube};
use crate::learn::targets::choose;
use crate::learn::{Prediction, Ridge, Svr};
use crate::solve::GramColumns;

/// The prediction for each object from all others, equal to that of a separate fit up to the tolerance of the solver.
#[derive(Clone, Debug, PartialEq)]
pub struct LeftOutPrediction {
    /// One row per object.
    pub prediction: Prediction,
    /// Whether the solvers behind the prediction of each object converged.
    pub converged: Vec<bool>,
    /// The number of models that were fitted again: one for each support vector, none for ridge and gp.
    pub refits: usize,
}

impl Learner {
    /// The predictions for each object by a model trained on all others, where less than a fit for each is needed.
    ///
    /// * `svc` with a soft margin and `svr`: an object that is no support vector does not change the solution; models
    ///   without a support vector start from the solution with it: see [`Svc::leave_one_out`](crate::learn::Svc::leave_one_out).
    /// * `ridge`, and `gp` with a given scale and noise: in closed form, see [`Ridge::leave_one_out`].
    ///
    /// `None` for other learners, for settings that depend on the training objects (`weights=balanced`,
    /// `probability=yes`, `landmarks`, `lambda=learned`), and if a class has one member only.
    ///
    /// ```
    /// use mercer::data::{Categories, Dense, Target};
    /// use mercer::expression::{Learner, Training};
    /// use mercer::gram::Silent;
    /// let x = [-3.0, -2.0, -1.0, 1.0, 2.0, 3.0f64];
    /// let gram = Dense::new(6, 6, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect())?;
    /// let target = Target::Classes(Categories::from_values(["no", "no", "no", "yes", "yes", "yes"].map(Some)));
    /// let found = "svc(C=10)".parse::<Learner>()?.leave_one_out(&gram, &Training::of(&target), &Silent)?.unwrap();
    /// assert_eq!((found.refits, found.prediction.class(3)), (2, Some("yes")));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn leave_one_out(
        &self,
        gram: &Dense,
        training: &Training<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<LeftOutPrediction>> {
        match (self.name(), training.target) {
            ("svc", Some(Target::Classes(_))) => self.svc_left_out(gram, training, progress),
            ("svr", Some(Target::Numbers(_))) => self.svr_left_out(gram, training, progress).map(Some),
            ("ridge", Some(target)) if training.weights.is_none() => {
                self.ridge_left_out(gram, target, training)
            }
            ("gp", Some(Target::Numbers(target))) => self.gp_left_out(gram, target, training),
            _ => Ok(None),
        }
    }

    /// Only with a given scale and noise: learned ones would have seen the object that is left out.
    fn gp_left_out(
        &self,
        gram: &Dense,
        target: &[f64],
        training: &Training<'_>,
    ) -> Result<Option<LeftOutPrediction>> {
        let n = gram.rows();
        let is_learned = |name: &str| self.word(name).is_ok_and(|word| word == "learned");
        if self.number("landmarks")? > 0.0
            || self.word("solver")? == "cg"
            || is_learned("scale")
            || is_learned("noise")
            || training.weights.is_some()
            || n < 4
        {
            return Ok(None);
        }
        let found = self.gaussian_process(training)?.leave_one_out(gram, target)?;
        let deviations = Some(found.variances.iter().map(|v| v.sqrt()).collect());
        let prediction = Prediction { deviations, ..Prediction::of_numbers(found.means) };
        Ok(Some(LeftOutPrediction { prediction, converged: vec![true; n], refits: 0 }))
    }

    fn svc_left_out(
        &self,
        gram: &Dense,
        training: &Training<'_>,
        progress: &dyn Progress,
    ) -> Result<Option<LeftOutPrediction>> {
        let hard = self.word("margin")? == "hard";
        if hard || self.gives_probabilities() || self.word("weights")? == "balanced" {
            return Ok(None);
        }
        let (classes, codes) = training.classes(self.name(), gram.rows())?;
        if !has_pairs(codes.codes(), classes.len(), training.weights) {
            return Ok(None);
        }
        let factors = self.class_factors(training, &classes, &codes)?;
        let svc = self.svc(self.margin()?, training, factors.as_ref())?;
        let found = svc.leave_one_out(&GramColumns::new(gram)?, &codes, progress)?;
        let one_versus_rest = self.scheme()? == Scheme::OneVersusRest && classes.len() > 2;
        let columns = match one_versus_rest {
            true => classes.clone(),
            false => (0..classes.len())
                .flat_map(|a| (a + 1..classes.len()).map(move |b| (a, b)))
                .map(|(a, b)| format!("{}|{}", classes[a], classes[b]))
                .collect(),
        };
        let prediction = of_classes(found.classes, classes, found.decisions, columns);
        Ok(Some(LeftOutPrediction { prediction, converged: found.converged, refits: found.refits }))
    }

    fn svr_left_out(
        &self,
        gram: &Dense,
        training: &Training<'_>,
        progress: &dyn Progress,
    ) -> Result<LeftOutPrediction> {
        let tube = Tube::Epsilon(self.number("epsilon")?);
        let mut svr = Svr::by(self.number("C")?, tube).with_limits(self.limits(training)?);
        if let Some(weights) = training.weights {
            svr = svr.with_weights(weights.to_vec());
        }
        let target = training.numbers(self.name())?;
        let found = svr.leave_one_out(&GramColumns::new(gram)?, target, progress)?;
        let prediction = Prediction::of_numbers(found.decisions.into_values());
        Ok(LeftOutPrediction { prediction, converged: found.converged, refits: found.refits })
    }

    fn ridge_left_out(
        &self,
        gram: &Dense,
        target: &Target,
        training: &Training<'_>,
    ) -> Result<Option<LeftOutPrediction>> {
        let n = gram.rows();
        if self.learns_lambda() || self.number("landmarks")? > 0.0 || n < 2 {
            return Ok(None);
        }
        let ridge = Ridge::new(self.number("lambda")?).with_intercept(self.word("intercept")? == "yes");
        let less = |values: &mut Dense, residuals: &Dense| {
            values.values_mut().iter_mut().zip(residuals.values()).for_each(|(v, r)| *v -= r);
        };
        let prediction = match target {
            Target::Numbers(y) => {
                let mut values = Dense::new(n, 1, y.clone())?;
                less(&mut values, &ridge.leave_one_out(gram, &Dense::new(n, 1, y.clone())?)?);
                Prediction::of_numbers(values.into_values())
            }
            Target::Classes(_) => {
                let (classes, codes) = training.classes(self.name(), n)?;
                if !has_pairs(codes.codes(), classes.len(), None) {
                    return Ok(None);
                }
                let mut values = signs(codes.codes(), classes.len());
                let residuals = ridge.leave_one_out(gram, &values)?;
                less(&mut values, &residuals);
                let columns = match &classes[..] {
                    [a, b] => vec![format!("{a}|{b}")],
                    all => all.to_vec(),
                };
                of_classes(choose(&values), classes, values, columns)
            }
        };
        Ok(Some(LeftOutPrediction { prediction, converged: vec![true; n], refits: 0 }))
    }
}

/// Whether every class has two members with weights above 0.
fn has_pairs(codes: &[usize], classes: usize, weights: Option<&[f64]>) -> bool {
    let mut members = vec![0usize; classes];
    for (i, &code) in codes.iter().enumerate() {
        members[code] += usize::from(weights.is_none_or(|w| w[i] > 0.0));
    }
    members.iter().all(|&m| m > 1)
}

fn of_classes(codes: Vec<usize>, classes: Vec<String>, decisions: Dense, columns: Vec<String>) -> Prediction {
    let codes = codes.into_iter().map(|c| c as u32).collect();
    let target = Some(Target::Classes(Categories::from_codes(codes, classes)));
    Prediction { target, decisions, columns, probabilities: None, deviations: None }
}
