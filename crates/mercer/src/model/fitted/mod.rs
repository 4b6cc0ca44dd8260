//! A fitted model: what predicts, and all it needs to do so elsewhere and later.

mod explain;
mod file;
mod fit;
mod libsvm;
mod predict;
mod resemble;
#[cfg(test)]
mod tests;

pub use explain::{Contribution, Explanation, Influence, Weight};

use std::sync::OnceLock;

use crate::data::{Dataset, Target};
use crate::expression::{Expression, Learner, Step};
use crate::kernel::{Boxed, Kernel};
use crate::learn::Trained;

/// Objects prepared for a kernel over data sets.
type Prepared = <Boxed<Dataset> as Kernel<Dataset>>::Prepared;

/// A kernel and a learner fitted to training objects.
///
/// It holds the two expressions, what their wrappers learned from the training objects, the objects that predictions
/// compare with, and the machine with its certificates: one value, one file. Of the training objects it keeps those
/// columns the kernel looks at, and of them only the support, unless the kernel itself compares with all
/// ([`Expression::needs_training`]). A kernel without `@` means the columns it found in training, whatever columns
/// later data has besides.
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
    target: Option<Goal>,
    steps: Vec<Step>,
    kernel: Boxed<Dataset>,
    /// The columns the kernel looks at, of all training objects or of the support.
    kept: Dataset,
    /// Where the machine's objects stand among those kept.
    support: Vec<usize>,
    machine: Trained,
    /// Which training objects the machine's objects were; files do not say.
    chosen: Option<Vec<usize>>,
    /// The number of training objects, if it is known.
    objects: Option<usize>,
    warnings: Vec<String>,
    program: String,
    /// What whoever fitted it wants to find again.
    note: Option<String>,
    /// The index of the first feature in LIBSVM files of its objects: 1, or 0.
    first_index: u32,
    /// The support, prepared when first needed.
    prepared: OnceLock<Prepared>,
}

/// What a model predicts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Goal {
    /// The name of the target column.
    pub name: String,
    /// Whether it holds classes; numbers otherwise.
    pub classes: bool,
}

impl Goal {
    fn of(data: &Dataset) -> Option<Goal> {
        let (target, name) = data.target().zip(data.target_name())?;
        Some(Goal { name: name.to_owned(), classes: matches!(target, Target::Classes(_)) })
    }
}

impl Model {
    /// The kernel as it was written.
    pub fn expression(&self) -> &Expression {
        &self.expression
    }

    /// The learner as it was written.
    pub fn learner(&self) -> &Learner {
        &self.learner
    }

    /// The column it predicts; nothing for a machine that learns without a target.
    pub fn target(&self) -> Option<&Goal> {
        self.target.as_ref()
    }

    /// The trained machine, with its certificates.
    pub fn machine(&self) -> &Trained {
        &self.machine
    }

    /// The fitted kernel.
    pub fn kernel(&self) -> &Boxed<Dataset> {
        &self.kernel
    }

    /// Whether the kernel was fitted to every object it can compare: then the model answers for the objects it was fitted to
    /// and refuses others, and whoever shows its answers must say so.
    pub fn is_transductive(&self) -> bool {
        self.kernel.is_transductive()
    }

    /// What the kernel's wrappers learned from the training objects.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The objects kept, with the columns new objects must have.
    pub fn kept(&self) -> &Dataset {
        &self.kept
    }

    /// The number of kept objects that predictions compare with.
    pub fn support(&self) -> usize {
        self.support.len()
    }

    /// Which of the training objects predictions compare with, by their number, ascending. Nothing for a model from a file,
    /// which has no use for it.
    pub fn chosen(&self) -> Option<&[usize]> {
        self.chosen.as_deref()
    }

    /// The number of training objects; models of other programs do not say.
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

    /// The same model of objects whose LIBSVM files begin to count features at 0 or 1, so that later files are read the
    /// same way.
    #[must_use]
    pub fn with_first_index(mut self, index: u32) -> Self {
        self.first_index = index.min(1);
        self
    }

    /// What was noticed while it was fitted.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// What whoever fitted it wrote besides, such as the Python package about the estimator a model was.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// The same model with a note in its file, which nothing here reads.
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
