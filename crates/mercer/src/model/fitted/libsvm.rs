//! Conversion between LIBSVM models and models of this library.

use std::path::Path;
use std::sync::OnceLock;

use super::{Model, ModelTarget};
use crate::data::{Column, Dataset, Values};
use crate::error::{Code, Error, Place, Result};
use crate::expression::Learner;
use crate::gram::Engine;
use crate::model::{LibsvmModel, LibsvmParts, SvmType};

/// The width of the vectors of an imported model. Its file does not store the number of features, and new vectors may
/// have features that no support vector has: this is more than any reader gives.
const OPEN: usize = 1 << 27;

/// LIBSVM's SVM types and the corresponding learners.
const TYPES: [(SvmType, &str); 5] = [
    (SvmType::CSvc, "svc"),
    (SvmType::NuSvc, "nu-svc"),
    (SvmType::OneClass, "one-class"),
    (SvmType::EpsilonSvr, "svr"),
    (SvmType::NuSvr, "nu-svr"),
];

impl Model {
    /// Converts a LIBSVM model. New objects are sparse vectors in a column `x`, as in data sets read from LIBSVM files.
    ///
    /// The learner gets its defaults and there are no certificates, because the file stores neither. The probabilities
    /// of a classifier are converted; those of regression and one-class models are left out with a warning. Models of
    /// precomputed similarities are refused: their files do not store the number of training objects.
    pub fn from_libsvm(model: &LibsvmModel, engine: &Engine) -> Result<Model> {
        let parts = model.parts()?;
        let Some(support) = parts.support else {
            return Err(Error::usage(
                "a model of precomputed similarities, which does not store the number of training objects",
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
        let target = ModelTarget { name: "label".into(), classes: is_class };
        let dropped = parts.prob_a.is_some() || parts.prob_density_marks.is_some();
        let warning = "W_PROBABILITIES the probabilities of the LIBSVM model were left out";
        Ok(Model {
            expression: parts.kernel,
            learner,
            seed: 0,
            target: Some(target).filter(|_| parts.svm_type != SvmType::OneClass),
            steps: Vec::new(),
            kernel: restored.kernel,
            support: (0..kept.len()).collect(),
            kept,
            trained: parts.trained,
            chosen: None,
            objects: None,
            warnings: dropped.then(|| warning.to_owned()).into_iter().collect(),
            first_index: parts.index_base,
            reading: None,
            training: None,
            note: None,
            program: "LIBSVM".into(),
            conformal: None,
            members: Vec::new(),
            prepared: OnceLock::new(),
        })
    }

    /// Converts the bytes of a LIBSVM text model.
    pub(super) fn from_text(name: &Path, bytes: &[u8], engine: &Engine) -> Result<Model> {
        let model = LibsvmModel::from_bytes(name, bytes)?;
        Model::from_libsvm(&model, engine)
            .map_err(|e| Error::parse(Place::file(name), Code::ModelSyntax, e.to_string()))
    }

    /// The model in LIBSVM's format.
    ///
    /// Fails where LIBSVM has no counterpart: kernels other than linear, polynomial, rbf, sigmoid and precomputed
    /// alone, learners other than its five SVM types, one-versus-rest with several classes, classes whose names are not
    /// integers. The kernel's columns are concatenated as features 1, 2, … (or from 0: see [`Model::first_index`]).
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
            Some(numbers) => (self.trained.clone().over(numbers)?, None),
            None => (self.trained.clone(), Some(self.kept.clone())),
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
