//! A fitted model, with everything needed for predictions.

mod attributions;
mod blend;
mod conformal;
mod drawing;
mod evidence;
mod explain;
mod file;
mod fit;
mod joint;
mod libsvm;
mod predict;
mod reading;
mod regions;
mod resemble;
mod structure;
mod substitutions;
mod suggest;
#[cfg(test)]
mod tests;
mod training;
mod typical;
mod weighs;

pub use attributions::{
    AttributionMethod, AttributionOptions, Attributions, BACKGROUND, Background, BackgroundChoice,
    BackgroundFrom, ColumnEffect, EffectPoint, ExplainBy, Explained, ExplainedOutput, PermutationImportance,
};
pub use blend::BlendMember;
pub(crate) use blend::{Mean, class_values, sharpened};
pub use conformal::{Calibration, CalibrationParts, ConformalBy, ConformalMethod, ConformalScore, strata_of};
pub use evidence::{ObjectEvidence, OtherClass};
pub use explain::{Contribution, Explanation, FeatureExample, Influence, Weight};
pub use reading::without_missing;
pub use regions::{Regions, logs_of};
pub use structure::StructureWeights;
pub use substitutions::Substitutions;
pub use suggest::{Acquisition, Goal, Suggest, Suggestion};
pub use training::NearMolecule;

use std::sync::OnceLock;

use crate::data::{Dataset, Target};
use crate::expression::{Expression, Learner, Step};
use crate::kernel::{Boxed, Kernel};
use crate::learn::Trained;

/// Objects prepared for a kernel over data sets.
type PreparedObjects = <Boxed<Dataset> as Kernel<Dataset>>::Prepared;

/// A kernel and a learner fitted to training objects.
///
/// It holds the two expressions, what their wrappers learned from the training objects, the support objects, and the
/// trained model with its certificates: one value, one file. Of the training objects it stores only the columns the
/// kernel uses, and only the support objects, unless the kernel itself needs all ([`Expression::needs_training`]). A
/// kernel without `@` means the columns it found in training, even if later data has other columns too.
///
/// ```
/// use mercer::{data::{Categories, Dataset, Dense, Target}, gram::Engine, model::Model};
/// let x = Dense::from_rows(&[[0.0, 0.1], [0.2, 0.0], [1.0, 0.9], [0.8, 1.0]]);
/// let classes = Categories::from_values(["low", "low", "high", "high"].map(Some));
/// let data = Dataset::of_vectors(x).with_target("size", Target::Classes(classes))?;
/// let engine = Engine::new();
/// let model = Model::fit(&data, &"rbf(gamma=1)".parse()?, &"svc(C=10)".parse()?, 0, &engine)?;
///
/// let again = Model::from_bytes("size.mercer", &model.to_bytes()?, &engine)?;
/// let new = Dataset::of_vectors(Dense::from_rows(&[[0.9, 0.8]]));
/// assert_eq!(again.predict(&new, &engine)?.class(0), Some("high"));
/// # Ok::<(), mercer::Error>(())
/// ```
pub struct Model {
    expression: Expression,
    learner: Learner,
    seed: u64,
    target: Option<ModelTarget>,
    steps: Vec<Step>,
    kernel: Boxed<Dataset>,
    /// The columns the kernel uses, of all training objects or of the support objects.
    kept: Dataset,
    /// The indices of the support objects among those kept.
    support: Vec<usize>,
    trained: Trained,
    /// The indices of the support objects in the training set; not stored in files.
    chosen: Option<Vec<usize>>,
    /// The number of training objects, if it is known.
    objects: Option<usize>,
    warnings: Vec<String>,
    program: String,
    /// A note of the caller, stored in the file.
    note: Option<String>,
    /// The index of the first feature in LIBSVM files of its objects: 1, or 0.
    first_index: u32,
    /// How the training data was read, if it came from a file.
    reading: Option<reading::Reading>,
    /// The training molecules, if the kernel uses one column of them.
    training: Option<training::TrainingMolecules>,
    /// Scores of objects it was not fitted to.
    conformal: Option<Box<Calibration>>,
    /// The models whose predictions it averages, if it is a blend.
    members: Vec<BlendMember>,
    /// The support objects, prepared when first needed.
    prepared: OnceLock<PreparedObjects>,
}

/// What a model predicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ModelTarget {
    /// The name of the target column.
    pub name: String,
    /// Whether it holds classes; numbers otherwise.
    pub classes: bool,
}

impl ModelTarget {
    fn of(data: &Dataset) -> Option<ModelTarget> {
        let (target, name) = data.target().zip(data.target_name())?;
        Some(ModelTarget { name: name.to_owned(), classes: matches!(target, Target::Classes(_)) })
    }
}

impl Model {
    /// The kernels with the numbers that `learned` found, as text: of models of `gp` and `gpc` usually one.
    pub fn learned_kernels(&self) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(|step| match step {
            Step::Learned { kernel } => Some(kernel.as_str()),
            _ => None,
        })
    }

    /// The kernel as it was written, of a [blend](Model::blend) the sum of those of its members; of `gp` and `gpc` within `learned`, unless nothing of it is learned.
    pub fn expression(&self) -> &Expression {
        &self.expression
    }

    /// The learner as it was written.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// The column it predicts; `None` for unsupervised models.
    pub fn target(&self) -> Option<&ModelTarget> {
        self.target.as_ref()
    }

    /// The trained model, with its certificates.
    pub fn trained(&self) -> &Trained {
        &self.trained
    }

    /// The fitted kernel.
    pub fn kernel(&self) -> &Boxed<Dataset> {
        &self.kernel
    }

    /// Whether the kernel was fitted to every object it can compare. Such a model predicts only the objects it was
    /// fitted to, and every display of its predictions must say so.
    pub fn is_transductive(&self) -> bool {
        self.kernel.is_transductive() || self.members.iter().any(|m| m.model.is_transductive())
    }

    /// What the kernel's wrappers learned from the training objects.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The stored objects, with the columns new objects must have.
    pub fn stored_objects(&self) -> &Dataset {
        &self.kept
    }

    /// The number of support objects; of a blend, those of all members.
    pub fn support_count(&self) -> usize {
        self.support.len() + self.members.iter().map(|m| m.model.support.len()).sum::<usize>()
    }

    /// The indices of the support objects in the training set, ascending. `None` for a model read from a file, which
    /// does not store them.
    pub fn support_indices(&self) -> Option<&[usize]> {
        self.chosen.as_deref()
    }

    /// The number of training objects; unknown for models of other programs.
    pub fn objects(&self) -> Option<usize> {
        self.objects
    }

    /// The seed it was fitted with.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// The index of the first feature in LIBSVM files that hold its objects: 1, or 0.
    pub fn first_index(&self) -> u32 {
        self.first_index
    }

    /// The same model, for objects whose LIBSVM files number features from 0 or 1, so that later files are read the
    /// same way.
    #[must_use]
    pub fn with_first_index(mut self, index: u32) -> Self {
        self.first_index = index.min(1);
        self
    }

    /// Warnings of the fit.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// A note of the caller; the Python package stores a description of the estimator.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The same model with a note stored in its file; this library does not interpret it.
    #[must_use]
    pub fn with_note(mut self, note: Option<String>) -> Self {
        self.note = note;
        self
    }

    /// The program that fitted it, with its version.
    pub fn program(&self) -> &str {
        &self.program
    }
}

impl std::fmt::Debug for Model {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Model")
            .field("expression", &self.expression.to_string())
            .field("learner", &self.learner.to_string())
            .field("objects", &self.objects)
            .field("support", &self.support.len())
            .finish_non_exhaustive()
    }
}
