//! Saving and loading of ridge regression, perceptrons, nearest neighbours and linear models.

use std::sync::Arc;

use super::{Get, Put, ends};
use crate::data::Dense;
use crate::error::shown;
use crate::error::{Code, Result};
use crate::gram::Centering;
use crate::learn::{
    Knn, KnnClassifier, KnnRegressor, Linear, LinearClassifier, LinearFunctions, LinearMap, LinearModel,
    LinearRegressor, Measure, Mistake, Neighbours, PerceptronModel, RidgeClassifier, RidgeModel, Rule, Run,
    VotedPerceptronModel,
};
use crate::solve::Duality;

impl Put<'_> {
    pub(super) fn ridge(&mut self, trained: &RidgeModel) -> Result<()> {
        self.matrix("alpha", trained.alpha())?;
        if let Some((centering, means)) = trained.origin() {
            self.array("row-means", centering.row_means.clone())?;
            self.array("grand-mean", vec![centering.grand_mean])?;
            self.array("target-means", means.clone())?;
        }
        self.say("intercept", trained.origin().is_some())
    }

    pub(super) fn perceptron(&mut self, trained: &PerceptronModel) -> Result<()> {
        self.matrix("coefficients", trained.coefficients())?;
        self.array("biases", trained.biases().to_vec())?;
        self.records("runs", trained.runs().iter())
    }

    pub(super) fn voted(&mut self, trained: &VotedPerceptronModel) -> Result<()> {
        let made = trained.made();
        let all = || made.iter().flatten();
        self.array("ends", ends(made.iter().map(Vec::len)))?;
        self.array("objects", all().map(|m| m.object as u32).collect::<Vec<_>>())?;
        self.array("positive", all().map(|m| u8::from(m.y > 0.0)).collect::<Vec<_>>())?;
        self.array("survivals", all().map(|m| m.survival).collect::<Vec<_>>())?;
        self.say("bias", trained.bias())?;
        self.say(
            "rule",
            match trained.rule() {
                Rule::Vote => "vote",
                Rule::Average => "average",
                Rule::Last => "last",
            },
        )
    }

    pub(super) fn knn_classes(&mut self, trained: &KnnClassifier) -> Result<()> {
        self.near(trained.parts(), trained.weighting())?;
        self.array("codes", trained.codes().iter().map(|&c| c as u32).collect::<Vec<_>>())
    }

    pub(super) fn knn(&mut self, trained: &KnnRegressor) -> Result<()> {
        self.near(trained.parts(), trained.weighting())?;
        self.array("target", trained.target().to_vec())
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

    pub(super) fn linear(&mut self, classifiers: &[LinearModel]) -> Result<()> {
        let width = classifiers.first().map_or(0, |m| m.weights().len());
        let weights = classifiers.iter().flat_map(|m| m.weights().iter().copied()).collect();
        self.matrix("weights", &Dense::new(classifiers.len(), width, weights)?)?;
        // Weights of only some features are stored with their indices and the total number of features.
        if let Some((trained, features)) = classifiers.first().and_then(|m| Some((m, m.features()?))) {
            self.array("features", features.to_vec())?;
            self.say("dim", trained.dim())?;
        }
        self.array("intercepts", classifiers.iter().map(LinearModel::intercept).collect::<Vec<_>>())?;
        self.records("dualities", classifiers.iter().map(LinearModel::duality))
    }
}

impl Put<'_> {
    pub(super) fn linear_map(&mut self, trained: &LinearFunctions) -> Result<()> {
        self.matrix("weights", trained.map.weights())?;
        self.array("offsets", trained.map.offsets().to_vec())?;
        if let Some((variances, total)) = trained.map.variances() {
            self.array("variances", variances.to_vec())?;
            self.array("total-variance", vec![total])?;
        }
        Ok(())
    }
}

impl Get<'_> {
    /// A map of that many functions, or of all stored components.
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
    pub(super) fn ridge(&self, targets: usize) -> Result<RidgeModel> {
        let alpha = self.container.matrix(&self.name("alpha"))?;
        if alpha.cols() != targets {
            let reason = format!("coefficients of {} targets, expected {targets}", alpha.cols());
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
        self.fits(RidgeModel::from_parts(alpha, origin))
    }

    pub(super) fn ridge_classes(&self, targets: usize) -> Result<RidgeClassifier> {
        self.ridge(targets).map(RidgeClassifier::from_parts)
    }

    pub(super) fn perceptron(&self, classifiers: usize) -> Result<PerceptronModel> {
        let coefficients = self.container.matrix(&self.name("coefficients"))?;
        if coefficients.rows() != classifiers {
            let reason = format!("{} binary classifiers, expected {classifiers}", coefficients.rows());
            return Err(self.field.fault(Code::ModelCount, reason));
        }
        let biases = self.finite_of("biases", classifiers)?.to_vec();
        let runs: Vec<Run> = self.list("runs", classifiers)?;
        self.fits(PerceptronModel::from_parts(coefficients, biases, runs))
    }

    pub(super) fn voted(&self, classifiers: usize) -> Result<VotedPerceptronModel> {
        let ends = self.container.u64s(&self.name("ends"))?;
        self.container.check_len(&self.name("ends"), ends.len(), classifiers)?;
        let objects = self.u32s("objects")?;
        let positive = self.container.u8s(&self.name("positive"))?;
        self.container.check_len(&self.name("positive"), positive.len(), objects.len())?;
        let survivals = self.finite_of("survivals", objects.len())?;
        let mut made = Vec::with_capacity(objects.len());
        for ((&object, &positive), &survival) in objects.iter().zip(positive).zip(survivals) {
            let y = match positive {
                0 => -1.0,
                1 => 1.0,
                other => return Err(self.field.fault(Code::ModelSyntax, format!("{other} is not a sign"))),
            };
            made.push(Mistake { object: object as usize, y, survival });
        }
        // Each stored object was misclassified by some model, so there are no more objects than mistakes.
        let mut seen = vec![false; objects.len()];
        for mistake in &made {
            match seen.get_mut(mistake.object) {
                Some(seen) => *seen = true,
                None => {
                    let reason =
                        format!("object index {}, but there are {} objects", mistake.object, objects.len());
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
        self.fits(VotedPerceptronModel::from_parts(n, bias, rule, mistakes))
    }

    pub(super) fn knn_classes(&self, classes: usize) -> Result<KnnClassifier> {
        let (knn, own) = self.near()?;
        let codes: Vec<usize> = self.u32s("codes")?.iter().map(|&c| c as usize).collect();
        self.fits(knn.fit_self_similarities(own, &codes, classes))
    }

    pub(super) fn knn(&self) -> Result<KnnRegressor> {
        let (knn, own) = self.near()?;
        let target = self.finite_of("target", own.len())?;
        self.fits(knn.fit_values_self_similarities(own, target))
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
        let mut classifiers = self.linear()?;
        let count = classifiers.len();
        match classifiers.pop() {
            Some(trained) if count == 1 => Ok(LinearRegressor::from_parts(trained)),
            _ => Err(self.field.fault(Code::ModelCount, format!("{count} models, expected 1"))),
        }
    }

    fn linear(&self) -> Result<Vec<LinearModel>> {
        let intercepts = self.finite("intercepts")?;
        let weights = self.container.matrix(&self.name("weights"))?;
        self.container.check_len(&self.name("weights"), weights.rows(), intercepts.len())?;
        let dualities: Vec<Duality> = self.list("dualities", intercepts.len())?;
        let (dim, features) = match self.field.find("dim")? {
            None => (weights.cols(), None),
            Some(dim) => (dim.count()?, Some(Arc::<[u32]>::from(self.u32s("features")?))),
        };
        let classifiers = dualities.into_iter().enumerate().map(|(i, duality)| {
            let own = weights.row(i).to_vec();
            self.fits(LinearModel::from_parts(own, dim, features.clone(), intercepts[i], duality))
        });
        classifiers.collect()
    }

    fn word<T: Copy>(&self, key: &str, words: &[(&str, T)]) -> Result<T> {
        let field = self.field.get(key)?;
        let word = field.text()?;
        let found = words.iter().find(|(name, _)| *name == word).map(|(_, value)| *value);
        found.ok_or_else(|| field.fault(Code::ModelSyntax, format!("{} is not a valid {key}", shown(word))))
    }
}
