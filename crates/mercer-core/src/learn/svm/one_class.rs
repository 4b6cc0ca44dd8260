//! The region where most objects lie.

use super::Certificate;
use super::binary::unit;
use super::problem::{Machine, check_some, check_weights, fill_up, run};
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::solve::{Bank, Columns, Limits};

/// The one-class machine: f(x) ≥ 0 on a region that holds all but about a share ν of the objects.
///
/// Minimises ½|w|² - ν·n·ρ + Σ w_i·max(0, ρ - w·φ(x_i)); f(x) = w·φ(x) - ρ.
///
/// Reference: Schölkopf, Platt, Shawe-Taylor, Smola & Williamson 2001.
#[derive(Clone, Debug)]
pub struct OneClass {
    nu: f64,
    limits: Limits,
}

impl OneClass {
    /// A one-class machine; ν must be above 0 and at most 1.
    pub fn new(nu: f64) -> Result<Self> {
        if !(nu > 0.0 && nu <= 1.0) {
            return Err(Error::param("nu", nu, "above 0 and at most 1"));
        }
        Ok(OneClass { nu, limits: Limits::default() })
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Fits to objects, with an optional weight of each.
    pub fn fit(&self, columns: &dyn Columns, weights: Option<&[f64]>) -> Result<OneClassMachine> {
        let n = columns.len();
        if n == 0 {
            return Err(Error::usage("no objects to fit to"));
        }
        let bounds = check_weights(weights, n)?;
        check_some(&bounds)?;
        let total = self.nu * bounds.iter().sum::<f64>();
        let bank = Bank {
            beta: fill_up(&bounds, total),
            lower: vec![0.0; n],
            upper: bounds.clone(),
            linear: vec![0.0; n],
            kink: 0.0,
        };
        // The region has no scale but that of the similarities.
        let tolerance = self.limits.tolerance * unit(columns, total)?.min(1.0);
        let outcome = run(columns, vec![bank], &Limits { tolerance, ..self.limits.clone() })?;
        let offset = outcome.solution.offsets[0];
        Ok(OneClassMachine { machine: outcome.machine(offset, 1.0) })
    }
}

/// A trained one-class machine.
#[derive(Clone, Debug, PartialEq)]
pub struct OneClassMachine {
    machine: Machine,
}

impl OneClassMachine {
    pub(crate) fn certificate_mut(&mut self) -> Option<&mut Certificate> {
        self.machine.certificate.as_mut()
    }

    /// A machine from a file, whose support vectors are numbered from 0.
    #[doc(hidden)]
    pub fn from_parts(machine: Machine) -> Result<Self> {
        machine.check(machine.support.len())?;
        Ok(OneClassMachine { machine })
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

    /// f(x) of each new object: at least 0 inside the region.
    pub fn decisions(&self, cross: &Dense) -> Result<Vec<f64>> {
        self.machine.decisions(cross)
    }
}
