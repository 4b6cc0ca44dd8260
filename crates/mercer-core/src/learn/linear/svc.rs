//! Linear support vector classification.

use std::collections::BTreeMap;
use std::time::Instant;

use rayon::prelude::*;

use super::occurring::Occurring;
use super::{LinearMachine, LinearParameters, check_weights};
use crate::budget;
use crate::data::{Categories, FeatureRows, Vectors};
use crate::error::{Error, Result, Warning};
use crate::learn::targets::classes_of;
use crate::solve::{Limits, Task};
use crate::traits::Domain;

/// Linear support vector classification by dual coordinate descent on explicit features.
///
/// Minimises ½|w|² + Σ_k C_k·loss(max(0, 1 - y_k·(w·x_k + b))), where C_k is `c` times the weight of the object times that
/// of its class, and the loss is ξ or ξ². Two classes make one machine, more make one machine each, against the rest, in
/// parallel. The offset is regularised: see [`LinearParameters::bias`].
///
/// Costs two passes over the stored values per epoch and machine, and memory for a few numbers per object and machine,
/// beside a weight for each feature that occurs.
///
/// ```
/// use mercer_core::data::{Categories, Dense, Vectors};
/// use mercer_core::learn::{LinearParameters, LinearSvc};
/// use mercer_core::solve::Limits;
/// let x = Vectors::from(Dense::from_rows(&[[0.0, 1.0], [0.2, 0.8], [1.0, 0.1], [0.9, 0.0]]));
/// let y = Categories::from_values(["no", "no", "yes", "yes"].map(Some));
/// let machine = LinearSvc::new(LinearParameters::default())?.fit(&x, &y, &Limits::default())?;
/// assert!(machine.machines()[0].duality().gap <= 1e-3);
/// assert_eq!(machine.predict(&x)?, y);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Hsieh, Chang, Lin, Keerthi & Sundararajan 2008, A dual coordinate descent method for large-scale linear SVM.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearSvc {
    parameters: LinearParameters,
    class_weights: BTreeMap<String, f64>,
}

impl LinearSvc {
    /// A learner with these parameters, each in its domain. Classes have weight 1.
    pub fn new(parameters: LinearParameters) -> Result<Self> {
        parameters.check()?;
        Ok(LinearSvc { parameters, class_weights: BTreeMap::new() })
    }

    /// The same learner where errors on objects of a class cost so many times as much; finite and above 0.
    pub fn with_class_weight(mut self, class: impl Into<String>, weight: f64) -> Result<Self> {
        self.class_weights.insert(class.into(), Domain::Positive.check("class weight", weight)?);
        Ok(self)
    }

    /// The parameters.
    pub fn parameters(&self) -> &LinearParameters {
        &self.parameters
    }

    /// Fits to vectors and their classes. Fails unless there are at least two classes and no class is missing; a limit
    /// that is met is no failure, but stands in [`LinearClassifier::warnings`] and the certificates.
    pub fn fit(&self, vectors: &Vectors, target: &Categories, limits: &Limits) -> Result<LinearClassifier> {
        self.fit_weighted(vectors, target, &vec![1.0; vectors.len()], limits)
    }

    /// The same with a weight per object, finite and at least 0. A weight of 2 is the same as the object twice.
    pub fn fit_weighted<'r>(
        &self,
        vectors: impl Into<FeatureRows<'r>>,
        target: &Categories,
        weights: &[f64],
        limits: &Limits,
    ) -> Result<LinearClassifier> {
        let (started, vectors) = (Instant::now(), vectors.into());
        check_weights(weights, vectors.len())?;
        let (classes, codes) = classes_of(target, vectors.len())?;
        if let Some(unknown) = self.class_weights.keys().find(|name| !classes.contains(name)) {
            let domain = format!("the weight of one of the classes {}", classes.join(", "));
            return Err(Error::param("class weight", unknown, &domain));
        }
        let class_costs: Vec<f64> =
            classes.iter().map(|c| self.parameters.c * self.class_weights.get(c).unwrap_or(&1.0)).collect();
        let costs: Vec<f64> = codes.iter().zip(weights).map(|(&c, w)| class_costs[c] * w).collect();
        let positive: Vec<usize> = if classes.len() == 2 { vec![1] } else { (0..classes.len()).collect() };
        let occurring = Occurring::of(vectors)?;
        let machines = positive
            .into_par_iter()
            .map(budget::carried(|class| {
                budget::check()?;
                let targets: Vec<f64> = codes.iter().map(|&c| if c == class { 1.0 } else { -1.0 }).collect();
                // Machines that wait for a thread share the time with those that run.
                let mut own = limits.clone();
                own.time = limits.time.map(|t| t.saturating_sub(started.elapsed()));
                self.parameters.fit(vectors, occurring.as_ref(), Task::Sides, &targets, &costs, &own)
            }))
            .collect::<Result<Vec<_>>>()?;
        Ok(LinearClassifier { classes, machines })
    }
}

/// A fitted [`LinearSvc`].
#[derive(Clone, Debug, PartialEq)]
pub struct LinearClassifier {
    classes: Vec<String>,
    machines: Vec<LinearMachine>,
}

impl LinearClassifier {
    /// A classifier from its parts: one machine for two classes, otherwise one per class, over the same features.
    #[doc(hidden)]
    pub fn from_parts(classes: Vec<String>, machines: Vec<LinearMachine>) -> Result<Self> {
        let needed = if classes.len() == 2 { 1 } else { classes.len() };
        if classes.len() < 2 || machines.len() != needed {
            let reason = format!("{} machines for {} classes", machines.len(), classes.len());
            return Err(Error::usage(reason));
        }
        if machines.windows(2).any(|w| w[0].dim() != w[1].dim() || w[0].features() != w[1].features()) {
            return Err(Error::usage("machines over different numbers of features"));
        }
        Ok(LinearClassifier { classes, machines })
    }

    /// The classes, in the order of the target's levels.
    pub fn classes(&self) -> &[String] {
        &self.classes
    }

    /// One machine when there are two classes, positive for the second; otherwise one per class, positive for it.
    pub fn machines(&self) -> &[LinearMachine] {
        &self.machines
    }

    /// Whether every machine reached the tolerance.
    pub fn is_converged(&self) -> bool {
        self.machines.iter().all(|m| m.duality().is_converged())
    }

    /// The machines that met a limit first, and what to do about it.
    pub fn warnings(&self) -> Vec<Warning> {
        let positive = if self.machines.len() == 1 { &self.classes[1..] } else { &self.classes[..] };
        self.machines.iter().zip(positive).filter_map(|(m, c)| m.warning(&format!("class '{c}'"))).collect()
    }

    /// The decision values w·x + b of each machine for each vector: `values[machine][vector]`. See
    /// [`LinearMachine::decide`].
    pub fn decide<'r>(&self, vectors: impl Into<FeatureRows<'r>>) -> Result<Vec<Vec<f64>>> {
        let vectors = vectors.into();
        self.machines.iter().map(|m| m.decide(vectors)).collect()
    }

    /// The class of each vector: that of the largest decision value, the first of equals; with two classes, the second when
    /// the decision value is above 0.
    pub fn predict(&self, vectors: &Vectors) -> Result<Categories> {
        let values = self.decide(vectors)?;
        let class = |i: usize| match &values[..] {
            [only] => u32::from(only[i] > 0.0),
            all => {
                let best = (1..all.len()).fold(0, |best, c| if all[c][i] > all[best][i] { c } else { best });
                best as u32
            }
        };
        Ok(Categories::from_codes((0..vectors.len()).map(class).collect(), self.classes.clone()))
    }

    /// The weights of each machine, the largest first: see [`LinearMachine::explain`].
    pub fn explain(&self) -> Vec<Vec<(usize, f64)>> {
        self.machines.iter().map(LinearMachine::explain).collect()
    }
}
