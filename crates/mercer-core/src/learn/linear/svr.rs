//! Linear support vector regression.

use super::occurring::Occurring;
use super::{LinearMachine, LinearParameters, check_weights};
use crate::data::{FeatureRows, Vectors};
use crate::error::{Error, Result, Warning};
use crate::solve::{Limits, Task};
use crate::traits::Domain;

/// Linear support vector regression by dual coordinate descent on explicit features.
///
/// Minimises ½|w|² + Σ_k C_k·loss(max(0, |y_k - w·x_k - b| - epsilon)), where C_k is `c` times the weight of the object and
/// the loss is ξ or ξ². The offset is regularised (see [`LinearParameters::bias`]), so targets far from 0 should be
/// centred.
///
/// Costs two passes over the stored values per epoch, and memory for a few numbers per object.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::learn::{LinearParameters, LinearSvr};
/// use mercer_core::solve::Limits;
/// let x = Vectors::from(Dense::from_rows(&[[-1.0], [0.0], [1.0], [2.0]]));
/// let parameters = LinearParameters { c: 1e3, ..LinearParameters::default() };
/// let machine = LinearSvr::new(parameters, 0.0)?.fit(&x, &[-1.0, 1.0, 3.0, 5.0], &Limits::default())?;
/// let fitted = machine.machine();
/// assert!(fitted.duality().is_converged());
/// assert!((fitted.weights()[0] - 2.0).abs() < 0.01 && (fitted.intercept() - 1.0).abs() < 0.01);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Ho & Lin 2012, Large-scale linear support vector regression.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearSvr {
    parameters: LinearParameters,
    epsilon: f64,
}

impl LinearSvr {
    /// A learner with these parameters, each in its domain; errors up to epsilon, finite and at least 0, are free.
    pub fn new(parameters: LinearParameters, epsilon: f64) -> Result<Self> {
        parameters.check()?;
        Ok(LinearSvr { parameters, epsilon: Domain::NonNegative.check("epsilon", epsilon)? })
    }

    /// The parameters.
    pub fn parameters(&self) -> &LinearParameters {
        &self.parameters
    }

    /// The error that is free, in units of the target.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// Fits to vectors and their numbers. Fails when there are none and on numbers that are not finite; a limit that is met
    /// is no failure, but stands in [`LinearRegressor::warnings`] and the certificate.
    pub fn fit(&self, vectors: &Vectors, target: &[f64], limits: &Limits) -> Result<LinearRegressor> {
        self.fit_weighted(vectors, target, &vec![1.0; vectors.len()], limits)
    }

    /// The same with a weight per object, finite and at least 0. A weight of 2 is the same as the object twice.
    pub fn fit_weighted<'r>(
        &self,
        vectors: impl Into<FeatureRows<'r>>,
        target: &[f64],
        weights: &[f64],
        limits: &Limits,
    ) -> Result<LinearRegressor> {
        let vectors = vectors.into();
        check_weights(weights, vectors.len())?;
        if vectors.is_empty() {
            return Err(Error::usage("no vectors to fit to"));
        }
        let costs: Vec<f64> = weights.iter().map(|w| self.parameters.c * w).collect();
        let task = Task::Numbers { epsilon: self.epsilon };
        let occurring = Occurring::of(vectors)?;
        let machine = self.parameters.fit(vectors, occurring.as_ref(), task, target, &costs, limits)?;
        Ok(LinearRegressor { machine })
    }
}

/// A fitted [`LinearSvr`].
#[derive(Clone, Debug, PartialEq)]
pub struct LinearRegressor {
    machine: LinearMachine,
}

impl LinearRegressor {
    /// A regression by that function.
    #[doc(hidden)]
    pub fn from_parts(machine: LinearMachine) -> Self {
        LinearRegressor { machine }
    }

    /// The linear function and its certificate.
    pub fn machine(&self) -> &LinearMachine {
        &self.machine
    }

    /// That the solver met a limit, if it did, and what to do about it.
    pub fn warnings(&self) -> Vec<Warning> {
        self.machine.warning("regression").into_iter().collect()
    }

    /// The number predicted for each vector: see [`LinearMachine::decide`].
    pub fn predict<'r>(&self, vectors: impl Into<FeatureRows<'r>>) -> Result<Vec<f64>> {
        self.machine.decide(vectors)
    }

    /// The weights, the largest first: see [`LinearMachine::explain`].
    pub fn explain(&self) -> Vec<(usize, f64)> {
        self.machine.explain()
    }
}
