//! Models of LIBSVM as models, and back.

use std::path::Path;
use std::sync::OnceLock;

use super::{Goal, Model};
use crate::data::{Column, Dataset, Values};
use crate::error::{Code, Error, Place, Result};
use crate::expression::Learner;
use crate::gram::Engine;
use crate::model::{LibsvmModel, LibsvmParts, SvmType};

/// The width of the vectors of an imported model. Its file does not say how many features there were, and new vectors
/// may have features that no support vector has: this is more than any reader gives.
const OPEN: usize = 1 << 27;

/// The machines of LIBSVM with the learners they are.
const TYPES: [(SvmType, &str); 5] = [
    (SvmType::CSvc, "svc"),
    (SvmType::NuSvc, "nu-svc"),
    (SvmType::OneClass, "one-class"),
    (SvmType::EpsilonSvr, "svr"),
    (SvmType::NuSvr, "nu-svr"),
];

impl Model {
    /// A model of LIBSVM. New objects are sparse vectors in a column `x`, as files of LIBSVM are read.
    ///
    /// What the file does not say is not known: the learner stands with its defaults, there are no certificates. A
    /// classifier's probabilities come along; those of regression and one-class machines are left out with a warning. Models of
    /// precomputed similarities are refused: how many training objects they had is not in their files.
    pub fn from_libsvm(model: &LibsvmModel, engine: &Engine) -> Result<Model> {
        let parts = model.parts()?;
        let Some(support) = parts.support else {
            return Err(Error::usage(
                "a model of precomputed similarities, which does not say to how many objects",
            ));
        };
        let columns = support.columns().iter().map(|c| match &c.values {
            Values::Sparse(x) => {
                Ok(Column::new(&c.name, Values::Sparse(x.clone().with_dim(OPEN.max(x.dim()))?)))
            }
            _ => Ok(c.clone()),
        });
        let kept = Dataset::new(columns.collect::<Result<_>>()?)?;
        let name = TYPES.iter().find(|(t, _)| *t == parts.svm_type).map_or("svc", |(_, name)| name);
        let mut learner: Learner = name.parse()?;
        if parts.trained.calibration().is_some() {
            learner = learner.with("probability", "yes")?;
        }
        let restored = parts.kernel.restore(&kept, Vec::new(), engine)?;
        let is_class = parts.svm_type.is_classifier();
        let goal = Goal { name: "label".into(), classes: is_class };
        let dropped = parts.prob_a.is_some() || parts.prob_density_marks.is_some();
        let warning = "W_PROBABILITIES the probabilities of the LIBSVM model were left out";
        Ok(Model {
            expression: parts.kernel,
            learner,
            seed: 0,
            target: Some(goal).filter(|_| parts.svm_type != SvmType::OneClass),
            steps: Vec::new(),
            kernel: restored.kernel,
            support: (0..kept.len()).collect(),
            kept,
            machine: parts.trained,
            chosen: None,
            objects: None,
            warnings: dropped.then(|| warning.to_owned()).into_iter().collect(),
            first_index: parts.index_base,
            note: None,
            program: "LIBSVM".into(),
            prepared: OnceLock::new(),
        })
    }

    /// The bytes of a text model of LIBSVM as a model.
    pub(super) fn from_text(name: &Path, bytes: &[u8], engine: &Engine) -> Result<Model> {
        let model = LibsvmModel::from_bytes(name, bytes)?;
        Model::from_libsvm(&model, engine)
            .map_err(|e| Error::parse(Place::file(name), Code::ModelSyntax, e.to_string()))
    }

    /// The model as LIBSVM keeps it.
    ///
    /// Fails where LIBSVM has no counterpart: kernels other than linear, polynomial, rbf, sigmoid and precomputed alone,
    /// learners other than its five machines, one class against the rest of several, classes whose names are no whole
    /// numbers. The kernel's columns stand side by side as features
    /// 1, 2, … (or from 0: see [`Model::first_index`]).
    pub fn to_libsvm(&self) -> Result<LibsvmModel> {
        let name = self.learner.name();
        let Some((svm_type, _)) = TYPES.iter().find(|(_, known)| *known == name) else {
            return Err(Error::param("learner", name, "svc, nu-svc, svr, nu-svr or one-class"));
        };
        let numbers = match self.kept.columns() {
            [only] => match &only.values {
                Values::Precomputed(p) => (0..p.len()).map(|i| p.reference(i)).collect::<Option<Vec<_>>>(),
                _ => None,
            },
            _ => None,
        };
        let (trained, support) = match numbers {
            Some(numbers) => (self.machine.clone().over(numbers)?, None),
            None => (self.machine.clone(), Some(self.kept.clone())),
        };
        let parts = LibsvmParts {
            svm_type: *svm_type,
            kernel: self.expression.clone(),
            support,
            trained,
            index_base: self.first_index,
            prob_a: None,
            prob_b: None,
            prob_density_marks: None,
        };
        parts.model()
    }
}
