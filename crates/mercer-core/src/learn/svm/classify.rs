//! Classification: soft margin, hard margin and ν, two classes or many.

use rayon::prelude::*;

use super::super::learner::{ClassCodes, Learner, Resources};
use super::super::typed::{Classifier, fit_labels};
use super::binary::{hard, most_nu, soft, soft_nu};
use super::problem::{Machine, check_weights};
use super::svc_machine::pairs_of;
use super::{ProbabilisticSvc, SvcMachine};
use crate::budget;
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::solve::{Columns, Limits, Subset};
use crate::traits::{Domain, Kernel};

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
/// * `C`: what an error costs, finite and above 0 ([`Svc::new`]); or ν in (0, 1] ([`Svc::nu`]); or no errors at all ([`Svc::hard`]).
/// * `scheme`: how more than two classes are told apart; by default [`Scheme::OneVersusOne`].
/// * `weights`, `class_weights`: factors of C for each object and for each class; by default 1.
/// * `limits`: the tolerance, and when the solver stops; `engine`: threads, memory and time of [`Svc::fit`].
///
/// Parameters outside their domain are errors of the fit. Time between O(n²) and O(n³) values of the kernel; rows are kept in a cache.
///
/// ```
/// use mercer_core::data::{Dense, Vectors};
/// use mercer_core::{Linear, Svc};
/// // Four points on a line.
/// let x = Vectors::from(Dense::from_rows(&[[-2.0], [-1.0], [1.0], [3.0]]));
/// let model = Svc::new(10.0).fit(&Linear, &x, &["left", "left", "right", "right"])?;
/// assert!(model.certificate().is_some_and(|c| c.converged()));
/// assert_eq!(model.support(), [1, 2]);
/// assert_eq!(model.predict(&Vectors::from(Dense::from_rows(&[[0.5]])))?, ["right"]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Cortes & Vapnik 1995; Schölkopf et al. 2000 (ν).
#[derive(Clone, Debug)]
pub struct Svc {
    margin: Margin,
    scheme: Scheme,
    class_weights: Option<Vec<f64>>,
    weights: Option<Vec<f64>>,
    limits: Limits,
    resources: Resources,
}

impl Svc {
    /// A classifier with a soft margin; C must be finite and above 0.
    pub fn new(c: f64) -> Self {
        Svc::by(Margin::C(c))
    }

    /// A classifier with a soft margin by ν, which must be above 0 and at most 1.
    pub fn nu(nu: f64) -> Self {
        Svc::by(Margin::Nu(nu))
    }

    /// A classifier that allows no errors; its fit fails where the classes cannot be separated.
    pub fn hard() -> Self {
        Svc::by(Margin::Hard)
    }

    /// A classifier with this margin.
    pub fn by(margin: Margin) -> Self {
        Svc {
            margin,
            scheme: Scheme::default(),
            class_weights: None,
            weights: None,
            limits: Limits::default(),
            resources: Resources::default(),
        }
    }

    /// The same with another scheme for many classes.
    #[must_use]
    pub fn with_scheme(mut self, scheme: Scheme) -> Self {
        self.scheme = scheme;
        self
    }

    /// The same with a factor of C for each class, in ascending order of their labels; each finite and above 0.
    #[must_use]
    pub fn with_class_weights(mut self, weights: Vec<f64>) -> Self {
        self.class_weights = Some(weights);
        self
    }

    /// The same with a factor of C for each training object; each finite and at least 0.
    #[must_use]
    pub fn with_weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = Some(weights);
        self
    }

    /// The same, whose typed fit works on this engine: its threads, its memory and its time.
    #[must_use]
    pub fn with_engine(mut self, engine: Engine) -> Self {
        self.resources.engine = Some(engine);
        self
    }

    /// The same with probabilities, from decision values of objects held out: about five more fits.
    pub fn with_probability(self) -> ProbabilisticSvc {
        ProbabilisticSvc::new(self)
    }

    /// The same with other limits.
    #[must_use]
    pub fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Fits to labelled objects, with any kernel on them.
    ///
    /// Fails where there are not as many labels as objects, or fewer than two classes. A solver that meets a limit is no failure, but
    /// stands in the certificate and the warnings of the model.
    ///
    /// ```
    /// use mercer_core::data::{Dense, Vectors};
    /// use mercer_core::{Rbf, Svc};
    /// let x = Vectors::from(Dense::from_rows(&[[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]]));
    /// let model = Svc::new(10.0).fit(&Rbf::new(1.0)?, &x, &[true, true, false, false])?;
    /// assert_eq!(model.predict(&x)?, [true, true, false, false]);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn fit<X: Sync + ?Sized, K: Kernel<X> + Clone, L: Ord + Clone>(
        &self,
        kernel: &K,
        objects: &X,
        labels: &[L],
    ) -> Result<Classifier<X, K, SvcMachine, L>> {
        fit_labels(self, &self.resources, kernel, objects, labels)
    }

    pub(super) fn resources(&self) -> &Resources {
        &self.resources
    }

    /// Whether the parameters are in their domains.
    pub(super) fn check(&self) -> Result<()> {
        match self.margin {
            Margin::C(c) => {
                Domain::Positive.check("C", c)?;
            }
            Margin::Nu(nu) if !(nu > 0.0 && nu <= 1.0) => {
                return Err(Error::param("nu", nu, "above 0 and at most 1"));
            }
            _ => {}
        }
        let mut factors = self.class_weights.iter().flatten();
        factors.try_for_each(|w| Domain::Positive.check("class weight", *w).map(drop))
    }

    /// Fits one machine for each C of an ascending list, each from where the one before ended.
    ///
    /// Once no support vector is at its bound, a larger C changes nothing, and the fit ends where it begins. Starting
    /// from multiples of the previous solution was tried by others and gains nothing.
    ///
    /// ```
    /// use mercer_core::{data::Dense, learn::{ClassCodes, Svc}, solve::GramColumns};
    /// let x = [-2.0, -1.0, 1.0, 3.0f64];
    /// let gram = Dense::new(4, 4, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect())?;
    /// let codes = ClassCodes::new([0, 0, 1, 1], 2);
    /// let path = Svc::new(1.0).fit_path(&GramColumns::new(&gram)?, &codes, &[0.1, 1.0, 10.0])?;
    /// assert_eq!(path[1].machines()[0].coefficients, path[2].machines()[0].coefficients);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn fit_path(
        &self,
        columns: &dyn Columns,
        target: &ClassCodes,
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
        self.fit_pairs(columns, target, &path)
    }

    /// Fits machines for every pair of classes (or every class): as many classifiers as `fit` gives machines.
    fn fit_pairs(
        &self,
        columns: &dyn Columns,
        target: &ClassCodes,
        fit: &FitPair<'_>,
    ) -> Result<Vec<SvcMachine>> {
        self.check()?;
        let (n, classes) = (columns.len(), target.classes());
        self.check_target(n, target)?;
        let weights = self.object_weights(target)?;
        let target = target.codes();
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
    pub(super) fn check_target(&self, n: usize, target: &ClassCodes) -> Result<()> {
        let (target, classes) = (target.codes(), target.classes());
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

    /// The weight of each object, without that of its class.
    pub(super) fn own_weights(&self, n: usize) -> Result<Vec<f64>> {
        check_weights(self.weights.as_deref(), n)
    }

    /// The weight of each object times that of its class.
    pub(super) fn object_weights(&self, target: &ClassCodes) -> Result<Vec<f64>> {
        let (target, classes) = (target.codes(), target.classes());
        let mut weights = self.own_weights(target.len())?;
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

impl Learner<ClassCodes> for Svc {
    type Machine = SvcMachine;

    fn fit_columns(&self, columns: &dyn Columns, target: &ClassCodes) -> Result<SvcMachine> {
        let one = |part: &dyn Columns, signs: &[f64], own: &[f64]| Ok(vec![self.fit_two(part, signs, own)?]);
        let mut machines = self.fit_pairs(columns, target, &one)?;
        machines.pop().ok_or_else(|| Error::usage("no machine was fitted"))
    }
}
