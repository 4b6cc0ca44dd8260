//! Whatever was trained, behind one type: what it needs to predict, what it predicts, and how sure it is of its fit.

mod any;
mod machines;
mod predict;

pub use any::{AnyMachine, Erased, Predicted, WeightOf};
pub use machines::{Linear, LinearFunctions};
pub use predict::Prediction;

use super::learner::Predictor;
use super::svm::{Calibration, Certificate, SvcMachine};
use crate::error::{Error, Result, Warning};
use crate::solve::{Duality, Stop};

/// A trained machine of any kind.
#[derive(Clone, Debug)]
pub struct Trained {
    machine: Box<dyn AnyMachine>,
    classes: Vec<String>,
    support: Vec<usize>,
    calibration: Option<Calibration>,
    /// The factor of each class that errors were multiplied by; none where all were 1.
    class_weights: Vec<f64>,
}

impl PartialEq for Trained {
    fn eq(&self, other: &Self) -> bool {
        let own = (&self.classes, &self.support, &self.calibration, &self.class_weights);
        let others = (&other.classes, &other.support, &other.calibration, &other.class_weights);
        own == others && self.machine.equals(&*other.machine)
    }
}

impl Trained {
    /// A machine fitted to training objects. `classes` are the names of the classes, none for what predicts numbers.
    #[doc(hidden)]
    pub fn new<M: AnyMachine + Predictor + 'static>(machine: M, classes: Vec<String>) -> Result<Self> {
        let (machine, support) = machine.compact()?;
        let machine = Box::new(machine);
        Ok(Trained { machine, classes, support, calibration: None, class_weights: Vec::new() })
    }

    /// A machine whose training objects are numbered from 0 already, as in a file, or that needs none.
    #[doc(hidden)]
    pub fn stored(machine: Box<dyn AnyMachine>, classes: Vec<String>) -> Result<Self> {
        let known = machine.class_count().unwrap_or(0);
        if known != classes.len() {
            let reason = format!("{} names of classes for a machine of {known} classes", classes.len());
            return Err(Error::usage(reason));
        }
        let support = (0..machine.objects()).collect();
        Ok(Trained { machine, classes, support, calibration: None, class_weights: Vec::new() })
    }

    /// The same machine with the sigmoids that make probabilities of its decision values.
    #[doc(hidden)]
    pub fn with_calibration(self, calibration: Calibration) -> Result<Self> {
        match self.machine_as::<SvcMachine>() {
            Some(machine) => calibration.check(machine)?,
            None => {
                return Err(Error::usage("probabilities of a machine that is no support vector classifier"));
            }
        }
        Ok(Trained { calibration: Some(calibration), ..self })
    }

    /// The same machine with the factors of its classes, by which it was trained.
    #[doc(hidden)]
    pub fn with_class_weights(self, factors: Option<Vec<f64>>) -> Result<Self> {
        let class_weights = factors.unwrap_or_default();
        let good = |w: &f64| w.is_finite() && *w > 0.0;
        if !class_weights.is_empty()
            && (class_weights.len() != self.classes.len() || !class_weights.iter().all(good))
        {
            return Err(Error::usage("class weights that are not one per class, finite and above 0"));
        }
        Ok(Trained { class_weights, ..self })
    }

    /// The same machine over these training objects, one per column, ascending.
    pub fn over(self, support: Vec<usize>) -> Result<Self> {
        if support.len() != self.support.len() || !support.is_sorted_by(|a, b| a < b) {
            return Err(Error::usage("support objects that are not one per column, ascending"));
        }
        Ok(Trained { support, ..self })
    }

    /// The training objects needed to predict, ascending: the columns of a cross matrix. Empty for what works on
    /// explicit features.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The names of the classes, in the order of their codes: for clusters `cluster 1`, `cluster 2`, …; none for what
    /// predicts numbers, membership or coordinates.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// The factor of each class that the cost of its errors was multiplied by in training, in the order of
    /// [`Trained::classes`]; empty where all were 1.
    pub fn class_weights(&self) -> &[f64] {
        &self.class_weights
    }

    /// The machine behind it.
    pub fn machine(&self) -> &dyn AnyMachine {
        &*self.machine
    }

    /// The machine behind it, where it is of that type.
    pub fn machine_as<M: 'static>(&self) -> Option<&M> {
        self.machine.downcast_ref()
    }

    /// How its decision values become probabilities; nothing where it was trained without `probability=yes`.
    pub fn calibration(&self) -> Option<&Calibration> {
        self.calibration.as_ref()
    }

    /// Whether it predicts from explicit features, by [`Trained::predict_features`].
    pub fn needs_features(&self) -> bool {
        self.machine.uses_features()
    }

    /// Forgets which training objects it needs: gives the same machine over objects 0, 1, 2 …, and the training objects
    /// to be kept under these numbers, in this order.
    #[must_use]
    pub fn compact(mut self) -> (Trained, Vec<usize>) {
        let kept = std::mem::take(&mut self.support);
        self.support = (0..kept.len()).collect();
        (self, kept)
    }

    /// What the fit of each support vector machine can prove about itself, under the name of the machine: the columns of
    /// [`Prediction`] for classes. Empty for other learners, and for machines of other programs.
    pub fn certificates(&self) -> Vec<(String, &Certificate)> {
        let known = self.solver_names().into_iter().zip(self.machine.binary());
        known.filter_map(|(name, m)| m.certificate.as_ref().map(|c| (name, c))).collect()
    }

    fn solver_names(&self) -> Vec<String> {
        self.machine.solver_names(&self.classes)
    }

    /// The same for linear machines on explicit features.
    pub fn dualities(&self) -> Vec<(String, &Duality)> {
        self.solver_names().into_iter().zip(self.machine.dualities()).collect()
    }

    /// Why the training of each machine stopped. Empty for what is solved in closed form, has nothing to solve, or comes
    /// from another program, which does not say.
    pub fn stops(&self) -> Vec<(String, Stop)> {
        let others = self.solver_names().into_iter().zip(self.machine.other_stops());
        let svm = self.certificates().into_iter().map(|(name, c)| (name, c.stop));
        others.chain(svm).chain(self.dualities().into_iter().map(|(name, d)| (name, d.stop))).collect()
    }

    /// The same with what its certificates prove taken back: `Stop::Converged` becomes [`Stop::Stationary`], because the matrix is not
    /// known to be positive semidefinite.
    #[must_use]
    pub fn unproved(mut self) -> Self {
        if let Some(machine) = self.machine.without_proof() {
            self.machine = machine;
        }
        self
    }

    /// Whether no machine stopped for another reason than that it was done, those behind the probabilities included.
    pub fn converged(&self) -> bool {
        let behind = self.calibration.as_ref().map_or(0, |c| c.unconverged);
        behind == 0 && self.stops().iter().all(|(_, stop)| stop.is_done())
    }

    /// Whether a binary classifier of `nu-svc` has no margin, so that its decision values carry no information.
    pub fn has_no_margin(&self) -> bool {
        self.certificates().iter().any(|(_, c)| c.no_margin)
    }

    /// A warning for each machine that stopped before it was done or has no margin, and for probabilities that are less sure
    /// than they look.
    pub fn warnings(&self) -> Vec<Warning> {
        let unfinished = self.stops().into_iter().filter(|(_, stop)| !stop.is_done());
        let warn = |(name, stop): (String, Stop)| {
            Warning::new("W_NOT_CONVERGED", format!("{name}: stopped early, {}", reason(stop)))
        };
        let calibration = self.calibration.iter().flat_map(Calibration::warnings);
        let certificates = self.certificates().into_iter().filter(|(_, c)| c.no_margin);
        let marginless = certificates.map(|(name, _)| {
            let message = format!(
                "{name}: nu leaves no margin between the classes, which overlap more than that: decision values and \
                 predictions carry no information; use a larger nu, or svc with a penalty C"
            );
            Warning::new("W_NO_MARGIN", message)
        });
        let stationary = self.stops().into_iter().filter(|(_, stop)| *stop == Stop::Stationary);
        let indefinite = stationary.take(1).map(|(name, _)| {
            let message = format!(
                "{name}: the kernel is not known to be positive semidefinite on these objects: the solution meets the optimality \
                 conditions, but there may be better ones; repair(kernel) makes it definite"
            );
            Warning::new("W_INDEFINITE", message)
        });
        unfinished.map(warn).chain(marginless).chain(indefinite).chain(calibration).collect()
    }
}

/// Why a solver stopped, in words.
pub(super) fn reason(stop: Stop) -> String {
    match stop {
        Stop::Converged(_) | Stop::Stationary | Stop::Settled => "it converged".to_owned(),
        Stop::WideGap => "it met its tolerance, but the gap between its objectives is wide: lower the tolerance, scale the \
                          objects or lower C"
            .to_owned(),
        Stop::Unproved => "its file holds no figures that prove it converged".to_owned(),
        Stop::Iterations => "the iterations allowed were used up".to_owned(),
        Stop::Time => "the time allowed was used up".to_owned(),
        Stop::Interrupted => "it was interrupted".to_owned(),
        Stop::Stalled => "rounding does not let it come closer to the optimum".to_owned(),
        Stop::NegativeCurvature { first, second, .. } => {
            format!("the matrix is not positive semidefinite at objects {} and {}", first + 1, second + 1)
        }
    }
}
