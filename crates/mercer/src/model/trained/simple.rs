//! Ridge regression, perceptrons, nearest neighbours and linear machines in a model.

use std::sync::Arc;

use super::{Get, Put, ends};
use crate::data::Dense;
use crate::error::shown;
use crate::error::{Code, Result};
use crate::gram::Centering;
use crate::learn::{
    Knn, KnnClassifier, KnnRegressor, Linear, LinearClassifier, LinearFunctions, LinearMachine, LinearMap,
    LinearRegressor, Measure, Mistake, Neighbours, PerceptronMachine, RidgeClassifier, RidgeMachine, Rule,
    Run, VotedPerceptronMachine,
};
use crate::solve::Duality;

impl Put<'_> {
    pub(super) fn ridge(&mut self, machine: &RidgeMachine) -> Result<()> {
        self.matrix("alpha", machine.alpha())?;
        if let Some((centering, means)) = machine.origin() {
            self.array("row-means", centering.row_means.clone())?;
            self.array("grand-mean", vec![centering.grand_mean])?;
            self.array("target-means", means.clone())?;
        }
        self.say("intercept", machine.origin().is_some())
    }

    pub(super) fn perceptron(&mut self, machine: &PerceptronMachine) -> Result<()> {
        self.matrix("coefficients", machine.coefficients())?;
        self.array("biases", machine.biases().to_vec())?;
        self.records("runs", machine.runs().iter())
    }

    pub(super) fn voted(&mut self, machine: &VotedPerceptronMachine) -> Result<()> {
        let made = machine.made();
        let all = || made.iter().flatten();
        self.array("ends", ends(made.iter().map(Vec::len)))?;
        self.array("objects", all().map(|m| m.object as u32).collect::<Vec<_>>())?;
        self.array("positive", all().map(|m| u8::from(m.y > 0.0)).collect::<Vec<_>>())?;
        self.array("survivals", all().map(|m| m.survival).collect::<Vec<_>>())?;
        self.say("bias", machine.bias())?;
        self.say(
            "rule",
            match machine.rule() {
                Rule::Vote => "vote",
                Rule::Average => "average",
                Rule::Last => "last",
            },
        )
    }

    pub(super) fn knn_classes(&mut self, machine: &KnnClassifier) -> Result<()> {
        self.near(machine.parts(), machine.counted())?;
        self.array("codes", machine.codes().iter().map(|&c| c as u32).collect::<Vec<_>>())
    }

    pub(super) fn knn(&mut self, machine: &KnnRegressor) -> Result<()> {
        self.near(machine.parts(), machine.counted())?;
        self.array("target", machine.target().to_vec())
    }

    fn near(&mut self, (k, measure, own): (usize, Measure, &[f64]), counted: Neighbours) -> Result<()> {
        self.array("own", own.to_vec())?;
        self.say("k", k)?;
        self.say(
            "measure",
            match measure {
                Measure::Similarity => "similarity",
                Measure::Distance => "distance",
            },
        )?;
        self.say(
            "weights",
            match counted {
                Neighbours::Uniform => "uniform",
                Neighbours::Distance => "distance",
            },
        )
    }

    pub(super) fn linear(&mut self, machines: &[LinearMachine]) -> Result<()> {
        let width = machines.first().map_or(0, |m| m.weights().len());
        let weights = machines.iter().flat_map(|m| m.weights().iter().copied()).collect();
        self.matrix("weights", &Dense::new(machines.len(), width, weights)?)?;
        // Weights of some features alone say which, and how many there are in all.
        if let Some((machine, features)) = machines.first().and_then(|m| Some((m, m.features()?))) {
            self.array("features", features.to_vec())?;
            self.say("dim", machine.dim())?;
        }
        self.array("intercepts", machines.iter().map(LinearMachine::intercept).collect::<Vec<_>>())?;
        self.records("dualities", machines.iter().map(LinearMachine::duality))
    }
}

impl Put<'_> {
    pub(super) fn linear_map(&mut self, machine: &LinearFunctions) -> Result<()> {
        self.matrix("weights", machine.map.weights())?;
        self.array("offsets", machine.map.offsets().to_vec())?;
        if let Some((variances, total)) = machine.map.variances() {
            self.array("variances", variances.to_vec())?;
            self.array("total-variance", vec![total])?;
        }
        Ok(())
    }
}

impl Get<'_> {
    /// A map of so many functions, or of as many components as there are.
    pub(super) fn linear_map(&self, functions: Option<usize>, stand_for: Linear) -> Result<LinearFunctions> {
        let weights: Dense = self.container.matrix(&self.name("weights"))?;
        let count = functions.unwrap_or(weights.rows());
        let offsets = self.finite_of("offsets", count)?.to_vec();
        let variances = match functions {
            Some(_) => None,
            None => {
                Some((self.finite_of("variances", count)?.to_vec(), self.finite_of("total-variance", 1)?[0]))
            }
        };
        let map = self.fits(LinearMap::from_parts(weights, offsets, variances))?;
        Ok(LinearFunctions { map, stand_for })
    }
    pub(super) fn ridge(&self, targets: usize) -> Result<RidgeMachine> {
        let alpha = self.container.matrix(&self.name("alpha"))?;
        if alpha.cols() != targets {
            let reason = format!("coefficients of {} targets where there are {targets}", alpha.cols());
            return Err(self.field.fault(Code::ModelCount, reason));
        }
        let origin = match self.field.get("intercept")?.flag()? {
            false => None,
            true => {
                let row_means = self.finite_of("row-means", alpha.rows())?.to_vec();
                let grand_mean = self.finite_of("grand-mean", 1)?[0];
                let means = self.finite_of("target-means", targets)?.to_vec();
                Some((Centering { row_means, grand_mean }, means))
            }
        };
        self.fits(RidgeMachine::from_parts(alpha, origin))
    }

    pub(super) fn ridge_classes(&self, targets: usize) -> Result<RidgeClassifier> {
        self.ridge(targets).map(RidgeClassifier::from_parts)
    }

    pub(super) fn perceptron(&self, machines: usize) -> Result<PerceptronMachine> {
        let coefficients = self.container.matrix(&self.name("coefficients"))?;
        if coefficients.rows() != machines {
            let reason = format!("{} machines where {machines} are needed", coefficients.rows());
            return Err(self.field.fault(Code::ModelCount, reason));
        }
        let biases = self.finite_of("biases", machines)?.to_vec();
        let runs: Vec<Run> = self.list("runs", machines)?;
        self.fits(PerceptronMachine::from_parts(coefficients, biases, runs))
    }

    pub(super) fn voted(&self, machines: usize) -> Result<VotedPerceptronMachine> {
        let ends = self.container.u64s(&self.name("ends"))?;
        self.container.check_len(&self.name("ends"), ends.len(), machines)?;
        let objects = self.u32s("objects")?;
        let positive = self.container.u8s(&self.name("positive"))?;
        self.container.check_len(&self.name("positive"), positive.len(), objects.len())?;
        let survivals = self.finite_of("survivals", objects.len())?;
        let mut made = Vec::with_capacity(objects.len());
        for ((&object, &positive), &survival) in objects.iter().zip(positive).zip(survivals) {
            let y = match positive {
                0 => -1.0,
                1 => 1.0,
                other => return Err(self.field.fault(Code::ModelSyntax, format!("{other} is no side"))),
            };
            made.push(Mistake { object: object as usize, y, survival });
        }
        // Each object kept is one that some machine mistook, so there are no more objects than mistakes.
        let mut seen = vec![false; objects.len()];
        for mistake in &made {
            match seen.get_mut(mistake.object) {
                Some(seen) => *seen = true,
                None => {
                    let reason = format!("object {} of at most {}", mistake.object, objects.len());
                    return Err(self.field.fault(Code::ModelCount, reason));
                }
            }
        }
        let n = seen.iter().filter(|s| **s).count();
        if seen.iter().take(n).any(|s| !s) {
            return Err(self.field.fault(Code::ModelCount, "objects without a mistake"));
        }
        let mistakes = self.pieces("mistakes", &made, ends)?.into_iter().map(<[Mistake]>::to_vec).collect();
        let bias = self.field.get("bias")?.flag()?;
        let rule =
            self.word("rule", &[("vote", Rule::Vote), ("average", Rule::Average), ("last", Rule::Last)])?;
        self.fits(VotedPerceptronMachine::from_parts(n, bias, rule, mistakes))
    }

    pub(super) fn knn_classes(&self, classes: usize) -> Result<KnnClassifier> {
        let (knn, own) = self.near()?;
        let codes: Vec<usize> = self.u32s("codes")?.iter().map(|&c| c as usize).collect();
        self.fits(knn.fit_own(own, &codes, classes))
    }

    pub(super) fn knn(&self) -> Result<KnnRegressor> {
        let (knn, own) = self.near()?;
        let target = self.finite_of("target", own.len())?;
        self.fits(knn.fit_values_own(own, target))
    }

    fn near(&self) -> Result<(Knn, &[f64])> {
        let measure =
            self.word("measure", &[("similarity", Measure::Similarity), ("distance", Measure::Distance)])?;
        let counted =
            self.word("weights", &[("uniform", Neighbours::Uniform), ("distance", Neighbours::Distance)])?;
        let knn = Knn::new(self.field.get("k")?.count()?).with_measure(measure).with_neighbours(counted);
        Ok((knn, self.finite("own")?))
    }

    pub(super) fn linear_svc(&self, classes: usize) -> Result<LinearClassifier> {
        self.fits(LinearClassifier::from_parts(classes, self.linear()?))
    }

    pub(super) fn linear_svr(&self) -> Result<LinearRegressor> {
        let mut machines = self.linear()?;
        let count = machines.len();
        match machines.pop() {
            Some(machine) if count == 1 => Ok(LinearRegressor::from_parts(machine)),
            _ => Err(self.field.fault(Code::ModelCount, format!("{count} machines where 1 is needed"))),
        }
    }

    fn linear(&self) -> Result<Vec<LinearMachine>> {
        let intercepts = self.finite("intercepts")?;
        let weights = self.container.matrix(&self.name("weights"))?;
        self.container.check_len(&self.name("weights"), weights.rows(), intercepts.len())?;
        let dualities: Vec<Duality> = self.list("dualities", intercepts.len())?;
        let (dim, features) = match self.field.find("dim")? {
            None => (weights.cols(), None),
            Some(dim) => (dim.count()?, Some(Arc::<[u32]>::from(self.u32s("features")?))),
        };
        let machines = dualities.into_iter().enumerate().map(|(i, duality)| {
            let own = weights.row(i).to_vec();
            self.fits(LinearMachine::from_parts(own, dim, features.clone(), intercepts[i], duality))
        });
        machines.collect()
    }

    fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<T> {
        let field = self.field.get(key)?;
        let word = field.text()?;
        let found = words.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        found.ok_or_else(|| field.fault(Code::ModelSyntax, format!("{} is no {key}", shown(word))))
    }
}
