//! Regression with an insensitive tube.

use super::Certificate;
use super::problem::{Machine, check_some, check_weights, fill_up, run};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::solve::{Bank, Columns, Limits};
use crate::traits::Domain;

/// How wide the tube is within which errors cost nothing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tube {
    /// This half-width, at least 0.
    Epsilon(f64),
    /// As wide as leaves about this share of objects outside: ν in (0, 1].
    Nu(f64),
}

/// Support vector regression.
///
/// Minimises ½|w|² + C·Σ w_i·max(0, |y_i - f(x_i)| - ε) through its dual.
///
/// Reference: Vapnik 1995; Schölkopf et al. 2000 (ν).
///
/// ```
/// use mercer_core::data::Dense;
/// use mercer_core::learn::svm::{Svr, Tube};
/// use mercer_core::solve::GramColumns;
/// let x = [0.0, 1.0, 2.0, 3.0f64];
/// let gram = Dense::new(4, 4, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect())?;
/// let svr = Svr::new(100.0, Tube::Epsilon(0.1))?;
/// let machine = svr.fit(&GramColumns::new(&gram)?, &[1.0, 3.0, 5.0, 7.0], None)?;
/// let columns: Vec<f64> = machine.support().iter().map(|&s| 4.0 * x[s]).collect();
/// let predicted = machine.predict(&Dense::new(1, columns.len(), columns)?)?;
/// assert!((predicted[0] - 9.0).abs() < 0.25); // the flattest line in the tube is a little flatter than y = 2x + 1
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Svr {
    c: f64,
    tube: Tube,
    limits: Limits,
}

impl Svr {
    /// Regression; C must be finite and above 0, ε at least 0, ν above 0 and at most 1.
    pub fn new(c: f64, tube: Tube) -> Result<Self> {
        Domain::Positive.check("C", c)?;
        match tube {
            Tube::Epsilon(e) => {
                Domain::NonNegative.check("epsilon", e)?;
            }
            Tube::Nu(nu) if !(nu > 0.0 && nu <= 1.0) => {
                return Err(Error::param("nu", nu, "above 0 and at most 1"));
            }
            Tube::Nu(_) => {}
        }
        Ok(Svr { c, tube, limits: Limits::default() })
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Fits to objects with a number each, and an optional weight.
    pub fn fit(&self, columns: &dyn Columns, target: &[f64], weights: Option<&[f64]>) -> Result<SvrMachine> {
        let n = columns.len();
        if target.len() != n || n == 0 {
            return Err(Error::usage(format!("{} numbers for {n} objects", target.len())));
        }
        if let Some(index) = target.iter().position(|y| !y.is_finite()) {
            return Err(Error::Object { index, reason: "its target is not finite".into(), hint: None });
        }
        let weights = check_weights(weights, n)?;
        check_some(&weights)?;
        let bounds: Vec<f64> = weights.iter().map(|w| self.c * w).collect();
        let machine = match self.tube {
            Tube::Epsilon(epsilon) => self.fit_epsilon(columns, target, &bounds, epsilon)?,
            Tube::Nu(nu) => self.fit_nu(columns, target, &bounds, nu)?,
        };
        Ok(machine)
    }

    fn fit_epsilon(
        &self,
        columns: &dyn Columns,
        target: &[f64],
        bounds: &[f64],
        epsilon: f64,
    ) -> Result<SvrMachine> {
        let bank = Bank {
            beta: vec![0.0; target.len()],
            lower: bounds.iter().map(|b| -b).collect(),
            upper: bounds.to_vec(),
            linear: target.iter().map(|y| -y).collect(),
            kink: epsilon,
        };
        let outcome = run(columns, vec![bank], &self.limits)?;
        let offset = outcome.solution.offsets[0];
        Ok(SvrMachine { machine: outcome.machine(offset, 1.0), epsilon })
    }

    fn fit_nu(&self, columns: &dyn Columns, target: &[f64], bounds: &[f64], nu: f64) -> Result<SvrMachine> {
        let sum = 0.5 * nu * bounds.iter().sum::<f64>();
        let linear: Vec<f64> = target.iter().map(|y| -y).collect();
        let zeros = vec![0.0; target.len()];
        let start = fill_up(bounds, sum);
        let above = Bank {
            beta: start.clone(),
            lower: zeros.clone(),
            upper: bounds.to_vec(),
            linear: linear.clone(),
            kink: 0.0,
        };
        let below = Bank {
            beta: start.iter().map(|v| -v).collect(),
            lower: bounds.iter().map(|b| -b).collect(),
            upper: zeros,
            linear,
            kink: 0.0,
        };
        let outcome = run(columns, vec![above, below], &self.limits)?;
        let (up, down) = (outcome.solution.offsets[0], outcome.solution.offsets[1]);
        let (offset, epsilon) = (0.5 * (up + down), (0.5 * (down - up)).max(0.0));
        Ok(SvrMachine { machine: outcome.machine(offset, 1.0), epsilon })
    }
}

/// A trained regression.
#[derive(Clone, Debug, PartialEq)]
pub struct SvrMachine {
    machine: Machine,
    epsilon: f64,
}

impl SvrMachine {
    pub(crate) fn certificate_mut(&mut self) -> Option<&mut Certificate> {
        self.machine.certificate.as_mut()
    }

    /// A machine from a file, whose support vectors are numbered from 0.
    #[doc(hidden)]
    pub fn from_parts(machine: Machine, epsilon: f64) -> Result<Self> {
        machine.check(machine.support.len())?;
        Ok(SvrMachine { machine, epsilon })
    }

    /// The same machine with support vectors numbered from 0.
    #[doc(hidden)]
    pub fn renumbered(mut self) -> Self {
        self.machine.support = (0..self.machine.support.len()).collect();
        self
    }

    /// The training objects it needs, ascending.
    pub fn support(&self) -> &[usize] {
        &self.machine.support
    }

    /// The machine behind it, with its certificate.
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// The half-width of the tube: given, or found by ν; NaN where the machine comes from a file that does not say.
    pub fn epsilon(&self) -> f64 {
        self.epsilon
    }

    /// The number predicted for each new object, from its similarities to [`SvrMachine::support`].
    pub fn predict(&self, cross: &Dense) -> Result<Vec<f64>> {
        self.machine.decisions(cross)
    }
}
