//! Classification: soft margin, hard margin and ν, two classes or many.

use rayon::prelude::*;

use super::Certificate;
use super::binary::{hard, most_nu, soft, soft_nu};
use super::problem::{Machine, check_weights};
use crate::budget;
use crate::data::Dense;
use crate::error::{Error, Result};
use crate::numeric::math::dot;
use crate::solve::{Columns, Limits, Subset};
use crate::traits::Domain;

/// How errors are weighed against the width of the margin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Margin {
    /// Soft margin: C times the sum of errors.
    C(f64),
    /// Soft margin by ν in (0, 1]: at most this share of objects inside the margin, at least this share of support vectors.
    Nu(f64),
    /// No error is allowed; fails where the classes cannot be separated.
    Hard,
}

/// Machines for two classes: from columns, signs and weights.
type FitPair<'a> = dyn Fn(&dyn Columns, &[f64], &[f64]) -> Result<Vec<Machine>> + Sync + 'a;

/// How more than two classes are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Scheme {
    /// A machine for each pair of classes; votes decide, and among equal votes the sum of decision values.
    #[default]
    OneVersusOne,
    /// A machine for each class against all others; the largest decision value decides.
    OneVersusRest,
}

/// A support vector classifier.
///
/// For two classes with y = ±1: minimise ½|w|² + C·Σ w_i·max(0, 1 - y_i·f(x_i)), f(x) = w·φ(x) - b, through its dual.
///
/// ```
/// use mercer_core::data::Dense;
/// use mercer_core::learn::svm::{Margin, Svc};
/// use mercer_core::solve::GramColumns;
/// // Four points on a line, the linear kernel.
/// let x = [-2.0, -1.0, 1.0, 3.0f64];
/// let gram = Dense::new(4, 4, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect())?;
/// let machine = Svc::new(Margin::C(10.0))?.fit(&GramColumns::new(&gram)?, &[0, 0, 1, 1], 2, None)?;
/// assert!(machine.machines()[0].certificate.as_ref().is_some_and(|c| c.converged()));
/// let cross = Dense::new(1, 2, vec![-0.5, 0.5])?; // similarities of x = 0.5 to the two support vectors
/// assert_eq!(machine.support(), [1, 2]);
/// assert_eq!(machine.predict(&cross)?, [1]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Cortes & Vapnik 1995; Schölkopf et al. 2000 (ν).
#[derive(Clone, Debug)]
pub struct Svc {
    margin: Margin,
    scheme: Scheme,
    class_weights: Option<Vec<f64>>,
    limits: Limits,
}

impl Svc {
    /// A classifier; C must be finite and above 0, ν above 0 and at most 1.
    pub fn new(margin: Margin) -> Result<Self> {
        match margin {
            Margin::C(c) => {
                Domain::Positive.check("C", c)?;
            }
            Margin::Nu(nu) if !(nu > 0.0 && nu <= 1.0) => {
                return Err(Error::param("nu", nu, "above 0 and at most 1"));
            }
            _ => {}
        }
        Ok(Svc { margin, scheme: Scheme::default(), class_weights: None, limits: Limits::default() })
    }

    /// The same with another scheme for many classes.
    #[must_use]
    pub fn with_scheme(mut self, scheme: Scheme) -> Self {
        self.scheme = scheme;
        self
    }

    /// The same with a factor of C for each class.
    pub fn with_class_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        weights.iter().try_for_each(|w| Domain::Positive.check("class weight", *w).map(drop))?;
        self.class_weights = Some(weights);
        Ok(self)
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Fits to objects whose classes are numbered from 0, with an optional weight of each.
    pub fn fit(
        &self,
        columns: &dyn Columns,
        target: &[usize],
        classes: usize,
        weights: Option<&[f64]>,
    ) -> Result<SvcMachine> {
        let one = |part: &dyn Columns, signs: &[f64], own: &[f64]| Ok(vec![self.fit_two(part, signs, own)?]);
        let mut machines = self.fit_pairs(columns, target, classes, weights, &one)?;
        machines.pop().ok_or_else(|| Error::usage("no machine was fitted"))
    }

    /// Fits one machine for each C of an ascending list, each from where the one before ended.
    ///
    /// Once no support vector is at its bound, a larger C changes nothing, and the fit ends where it begins. Starting
    /// from multiples of the previous solution was tried by others and gains nothing.
    ///
    /// ```
    /// use mercer_core::{data::Dense, learn::svm::{Margin, Svc}, solve::GramColumns};
    /// let x = [-2.0, -1.0, 1.0, 3.0f64];
    /// let gram = Dense::new(4, 4, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect())?;
    /// let svc = Svc::new(Margin::C(1.0))?;
    /// let path = svc.fit_path(&GramColumns::new(&gram)?, &[0, 0, 1, 1], 2, None, &[0.1, 1.0, 10.0])?;
    /// assert_eq!(path[1].machines()[0].coefficients, path[2].machines()[0].coefficients);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn fit_path(
        &self,
        columns: &dyn Columns,
        target: &[usize],
        classes: usize,
        weights: Option<&[f64]>,
        cs: &[f64],
    ) -> Result<Vec<SvcMachine>> {
        if !matches!(self.margin, Margin::C(_)) {
            return Err(Error::usage("a path over C needs a soft margin by C"));
        }
        cs.iter().try_for_each(|c| Domain::Positive.check("C", *c).map(drop))?;
        if !cs.is_sorted() {
            return Err(Error::usage("the values of C must ascend"));
        }
        let path = |part: &dyn Columns, signs: &[f64], own: &[f64]| {
            let mut beta = vec![0.0; signs.len()];
            let one = |&c: &f64| {
                let start = std::mem::take(&mut beta);
                let machine = soft(part, signs, own, c, start, &self.limits)?;
                beta = vec![0.0; signs.len()];
                machine.support.iter().zip(&machine.coefficients).for_each(|(&k, v)| beta[k] = *v);
                Ok(machine)
            };
            cs.iter().map(one).collect::<Result<Vec<_>>>()
        };
        self.fit_pairs(columns, target, classes, weights, &path)
    }

    /// Fits machines for every pair of classes (or every class): as many classifiers as `fit` gives machines.
    fn fit_pairs(
        &self,
        columns: &dyn Columns,
        target: &[usize],
        classes: usize,
        weights: Option<&[f64]>,
        fit: &FitPair<'_>,
    ) -> Result<Vec<SvcMachine>> {
        let n = columns.len();
        self.check_target(n, target, classes)?;
        let weights = self.object_weights(target, classes, weights)?;
        if let Some(empty) =
            (0..classes).find(|c| !target.iter().zip(&weights).any(|(t, w)| t == c && *w > 0.0))
        {
            // scikit-learn's words, which people look for.
            let reason = match (0..n).any(|i| weights[i] > 0.0) {
                false => "Invalid input - all samples have zero or negative weights".to_owned(),
                true if classes == 2 => {
                    "Invalid input - all samples with positive weights belong to the same class".to_owned()
                }
                true => format!("all objects of class {empty} (from 0) have weight 0"),
            };
            return Err(Error::Classes { reason });
        }
        let pairs = pairs_of(self.scheme, classes);
        let of_pair = |&(negative, positive): &(usize, usize)| {
            budget::check()?;
            let of_pair = |c: usize| c == positive || c == negative || negative == usize::MAX;
            let chosen: Vec<u32> = (0..n as u32).filter(|&i| of_pair(target[i as usize])).collect();
            let signs: Vec<f64> =
                chosen.iter().map(|&i| if target[i as usize] == positive { 1.0 } else { -1.0 }).collect();
            let own: Vec<f64> = chosen.iter().map(|&i| weights[i as usize]).collect();
            let machines = match chosen.len() == n {
                true => fit(columns, &signs, &own)?,
                false => fit(&Subset::new(columns, chosen.clone())?, &signs, &own)?,
            };
            let outer = |machine: Machine| {
                let support = machine.support.iter().map(|&k| chosen[k] as usize).collect();
                Machine { support, ..machine }
            };
            Ok(machines.into_iter().map(outer).collect())
        };
        let fitted = pairs.par_iter().map(budget::carried(of_pair)).collect::<Vec<Result<Vec<Machine>>>>();
        let fitted = fitted.into_iter().collect::<Result<Vec<Vec<Machine>>>>()?;
        let count = fitted.first().map_or(0, Vec::len);
        let mut left: Vec<_> = fitted.into_iter().map(Vec::into_iter).collect();
        let codes: Vec<u32> = target.iter().map(|&c| c as u32).collect();
        let join = |_| {
            let machines: Vec<Machine> = left.iter_mut().filter_map(Iterator::next).collect();
            let mut support: Vec<usize> = machines.iter().flat_map(|m| m.support.iter().copied()).collect();
            support.sort_unstable();
            support.dedup();
            let support_classes = support.iter().map(|&s| codes[s]).collect();
            let (scheme, pairs, target) = (self.scheme, pairs.clone(), codes.clone());
            SvcMachine { classes, scheme, pairs, machines, support, support_classes, target }
        };
        Ok((0..count).map(join).collect())
    }

    /// Whether there is a class for each of n objects, and an object of each class.
    pub(super) fn check_target(&self, n: usize, target: &[usize], classes: usize) -> Result<()> {
        if target.len() != n {
            return Err(Error::usage(format!("{} classes for {n} objects", target.len())));
        }
        if let Some(index) = target.iter().position(|&c| c >= classes) {
            let reason = format!("class {} of {classes}", target[index]);
            return Err(Error::Object { index, reason, hint: None });
        }
        if let Some(missing) = (0..classes.max(2)).find(|c| !target.contains(c)) {
            return Err(Error::usage(format!(
                "no object of class {missing}: at least two classes need members"
            )));
        }
        Ok(())
    }

    /// What each machine tells apart, as in [`SvcMachine::pairs`].
    pub(super) fn pairs(&self, classes: usize) -> Vec<(usize, usize)> {
        pairs_of(self.scheme, classes)
    }

    /// Fits one machine to part of its objects, with ν lowered where this part allows no more.
    pub(super) fn fit_part(&self, columns: &dyn Columns, signs: &[f64], weights: &[f64]) -> Result<Machine> {
        match self.margin {
            Margin::Nu(nu) => soft_nu(columns, signs, weights, nu.min(most_nu(signs, weights)), &self.limits),
            _ => self.fit_two(columns, signs, weights),
        }
    }

    pub(super) fn object_weights(
        &self,
        target: &[usize],
        classes: usize,
        weights: Option<&[f64]>,
    ) -> Result<Vec<f64>> {
        let mut weights = check_weights(weights, target.len())?;
        if let Some(factors) = &self.class_weights {
            if factors.len() != classes {
                return Err(Error::usage(format!("{} class weights for {classes} classes", factors.len())));
            }
            weights.iter_mut().zip(target).for_each(|(w, &c)| *w *= factors[c]);
        }
        Ok(weights)
    }

    fn fit_two(&self, columns: &dyn Columns, signs: &[f64], weights: &[f64]) -> Result<Machine> {
        match self.margin {
            Margin::C(c) => soft(columns, signs, weights, c, vec![0.0; signs.len()], &self.limits),
            Margin::Nu(nu) => soft_nu(columns, signs, weights, nu, &self.limits),
            Margin::Hard => hard(columns, signs, weights, &self.limits),
        }
    }
}

/// A trained classifier.
#[derive(Clone, Debug, PartialEq)]
pub struct SvcMachine {
    classes: usize,
    scheme: Scheme,
    pairs: Vec<(usize, usize)>,
    machines: Vec<Machine>,
    support: Vec<usize>,
    /// The class of each support vector.
    support_classes: Vec<u32>,
    /// The class of each training object; empty where nobody knows.
    target: Vec<u32>,
}

/// The classes each machine tells apart.
fn pairs_of(scheme: Scheme, classes: usize) -> Vec<(usize, usize)> {
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
    pub(crate) fn certificates_mut(&mut self) -> impl Iterator<Item = &mut Certificate> {
        self.machines.iter_mut().filter_map(|m| m.certificate.as_mut())
    }

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
