//! A trained classifier: a binary classifier per pair of classes, or per class against the rest.

use rayon::prelude::*;

use super::super::learner::{MachineOutput, PredictFrom, Predictor, take_back};
use super::super::targets::finite;
use super::problem::Machine;
use super::{Certificate, Scheme};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::math::dot;

/// A trained classifier.
#[derive(Clone, Debug, PartialEq)]
pub struct SvcMachine {
    pub(super) classes: usize,
    pub(super) scheme: Scheme,
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) machines: Vec<Machine>,
    pub(super) support: Vec<usize>,
    /// The class of each support vector.
    pub(super) support_classes: Vec<u32>,
    /// The class of each training object; empty where nobody knows.
    pub(super) target: Vec<u32>,
}

/// The classes each machine tells apart.
pub(super) fn pairs_of(scheme: Scheme, classes: usize) -> Vec<(usize, usize)> {
    match scheme {
        Scheme::OneVersusRest if classes > 2 => (0..classes).map(|c| (usize::MAX, c)).collect(),
        _ => (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b))).collect(),
    }
}

/// How many machines there are, unless it is beyond counting.
fn machines_of(scheme: Scheme, classes: usize) -> Option<usize> {
    match scheme {
        Scheme::OneVersusRest if classes > 2 => Some(classes),
        _ => classes.checked_mul(classes.checked_sub(1)?).map(|n| n / 2),
    }
}

impl SvcMachine {
    /// A machine from its parts, which come from a file: support vectors are numbered from 0 and `support_classes` has
    /// the class of each; `target` has the class of each training object, or nothing where nobody knows.
    #[doc(hidden)]
    pub fn from_parts(
        classes: usize,
        scheme: Scheme,
        machines: Vec<Machine>,
        support_classes: Vec<u32>,
        target: Vec<u32>,
    ) -> Result<Self> {
        if classes < 2 || machines_of(scheme, classes) != Some(machines.len()) {
            return Err(Error::usage(format!("{} machines for {classes} classes", machines.len())));
        }
        if let Some(bad) = support_classes.iter().chain(&target).find(|&&c| c as usize >= classes) {
            return Err(Error::usage(format!("class {bad} (from 0) of {classes}")));
        }
        let support: Vec<usize> = (0..support_classes.len()).collect();
        let pairs = pairs_of(scheme, classes);
        let mut members = vec![0usize; classes];
        target.iter().for_each(|&c| members[c as usize] += 1);
        for (machine, &(negative, positive)) in machines.iter().zip(&pairs) {
            machine.check(support.len())?;
            let seen = match negative {
                usize::MAX => target.len(),
                _ => members[negative] + members[positive],
            };
            if machine.locations.len() != seen {
                let found = machine.locations.len();
                return Err(Error::usage(format!("{found} locations of {seen} training objects")));
            }
        }
        Ok(SvcMachine { classes, scheme, pairs, machines, support, support_classes, target })
    }

    /// The same machine with support vectors numbered from 0.
    #[doc(hidden)]
    pub fn renumbered(self) -> Self {
        let (old, machines) = (self.support, self.machines);
        let machines = machines.into_iter().map(|m| m.renumbered(&old)).collect();
        SvcMachine { machines, support: (0..old.len()).collect(), ..self }
    }

    /// The number of classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// The class of each object of [`SvcMachine::support`].
    pub fn support_classes(&self) -> &[u32] {
        &self.support_classes
    }

    /// The class of each training object; empty where the machine comes from a file that does not say.
    pub fn target(&self) -> &[u32] {
        &self.target
    }

    /// The training objects of a machine, ascending: those its [`Machine::locations`] are about.
    pub fn members(&self, machine: usize) -> Vec<usize> {
        let Some(&(negative, positive)) = self.pairs.get(machine) else { return Vec::new() };
        let among = |c: usize| negative == usize::MAX || c == negative || c == positive;
        (0..self.target.len()).filter(|&i| among(self.target[i] as usize)).collect()
    }

    /// The training objects that any machine needs, ascending: the columns of a cross matrix to predict from.
    pub fn support(&self) -> &[usize] {
        &self.support
    }

    /// The machines, one per pair of classes (or per class), in the order of [`SvcMachine::pairs`].
    pub fn machines(&self) -> &[Machine] {
        &self.machines
    }

    /// The classes each machine tells apart: (negative, positive), the negative one `usize::MAX` for all others.
    pub fn pairs(&self) -> &[(usize, usize)] {
        &self.pairs
    }

    /// The decision value of each machine (columns) for new objects (rows), from their similarities to [`SvcMachine::support`].
    pub fn decisions(&self, cross: &Dense) -> Result<Dense> {
        if cross.cols() != self.support.len() {
            return Err(Error::Shape {
                expected: format!("similarities to {} support vectors", self.support.len()),
                found: format!("{} columns", cross.cols()),
            });
        }
        let mut out = Dense::zeros(cross.rows(), self.machines.len());
        let places: Vec<Vec<usize>> = self
            .machines
            .iter()
            .map(|m| m.support.iter().map(|s| self.support.binary_search(s).unwrap_or(0)).collect())
            .collect();
        // Reading all along a row is faster than picking a good part of it.
        let spread = |(machine, places): (&Machine, &Vec<usize>)| {
            (4 * places.len() >= self.support.len()).then(|| {
                let mut all = vec![0.0; self.support.len()];
                places.iter().zip(&machine.coefficients).for_each(|(&at, c)| all[at] = *c);
                all
            })
        };
        let spread: Vec<Option<Vec<f64>>> = self.machines.iter().zip(&places).map(spread).collect();
        let width = self.machines.len();
        let one = |(i, values): (usize, &mut [f64])| {
            let row = cross.row(i);
            for (m, (value, machine)) in values.iter_mut().zip(&self.machines).enumerate() {
                if budget::is_spent_after(places[m].len()) {
                    return;
                }
                let sum = match &spread[m] {
                    Some(all) => dot(row, all),
                    None => places[m].iter().zip(&machine.coefficients).map(|(&at, c)| c * row[at]).sum(),
                };
                *value = sum - machine.offset;
            }
        };
        out.values_mut().par_chunks_mut(width.max(1)).enumerate().for_each(budget::carried(one));
        budget::check().map(|()| out)
    }

    /// The class of each new object, from its similarities to [`SvcMachine::support`].
    pub fn predict(&self, cross: &Dense) -> Result<Vec<usize>> {
        let decisions = self.decisions(cross)?;
        Ok((0..decisions.rows()).map(|i| self.decide(decisions.row(i))).collect())
    }

    /// The class that decision values speak for: the one that wins most pairs, or the one of largest value against the rest. Of
    /// equals it is the first, as in LIBSVM.
    pub fn decide(&self, decisions: &[f64]) -> usize {
        let mut values = vec![0.0; self.classes];
        for (&(negative, positive), &d) in self.pairs.iter().zip(decisions) {
            match negative {
                usize::MAX => values[positive] = d,
                _ => values[if d > 0.0 { positive } else { negative }] += 1.0,
            }
        }
        (0..self.classes).reduce(|best, c| if values[c] > values[best] { c } else { best }).unwrap_or(0)
    }

    /// How classes are told apart.
    pub fn scheme(&self) -> Scheme {
        self.scheme
    }
}

impl Predictor for SvcMachine {
    type Output = usize;

    fn predict_from(&self, new: &PredictFrom<'_>) -> Result<MachineOutput<usize>> {
        let decisions = finite(self.decisions(new.similarities()?.0)?)?;
        let values = (0..decisions.rows()).map(|i| self.decide(decisions.row(i))).collect();
        Ok(MachineOutput { values, decisions })
    }

    fn compact(self) -> Result<(Self, Vec<usize>)> {
        let support = self.support.clone();
        Ok((self.renumbered(), support))
    }

    fn certificates(&self) -> Vec<&Certificate> {
        self.machines.iter().filter_map(|m| m.certificate.as_ref()).collect()
    }

    fn unproved(mut self) -> Self {
        self.machines.iter_mut().filter_map(|m| m.certificate.as_mut()).for_each(take_back);
        self
    }
}
