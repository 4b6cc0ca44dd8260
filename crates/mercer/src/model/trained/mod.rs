//! Trained models in model files: numbers as arrays, the rest in the document.
//!
//! A model stored under `NAME` has the arrays `NAME/…`. Every count that costs memory is the length of an array or of a
//! list, so no document can demand more memory than the file holds.

mod gp;
mod simple;
mod svm;
#[cfg(test)]
mod tests;
mod unlabelled;

use serde_json::Value;

use crate::container::{Container, Get, Put, Stored};
use crate::error::shown;
use crate::error::{Code, Error, Result};
use crate::learn::svm::{OneClassModel, SvcModel, SvrModel};
use crate::learn::{
    AnyModel, GpClassifierModel, GpModel, IterativeGpModel, KernelKMeansModel, KernelPcaModel, KnnClassifier,
    KnnRegressor, LinearClassifier, LinearFunctions, LinearRegressor, PerceptronModel, RidgeClassifier,
    RidgeModel, SparseGpModel, Trained, VotedPerceptronModel,
};

/// Storing trained models in containers.
pub trait Persist: Sized {
    /// Stores the model under a name; returns the document that [`Persist::get`] needs to read it.
    ///
    /// Support objects are stored by their position in [`Trained::support`], not by their index in the training set:
    /// the objects themselves must be stored in that order (see [`Trained::compact`]).
    ///
    /// ```
    /// use mercer::data::{Dense, Target};
    /// use mercer::expression::{Learner, Training};
    /// use mercer::{learn::Trained, model::{Container, Persist}, solve::GramColumns};
    /// let gram = Dense::from_rows(&[[1.0, 2.0], [2.0, 4.0]]);
    /// let target = Target::Numbers(vec![3.0, 6.0]);
    /// let trained = "ridge".parse::<Learner>()?.fit(&GramColumns::new(&gram)?, &Training::of(&target))?;
    /// let mut container = Container::new(serde_json::json!({}));
    /// container.document = serde_json::json!({"machine": trained.put(&mut container, "machine")?});
    /// let read = Container::from_bytes("m.mercer", &container.to_bytes()?)?;
    /// let again = Trained::get(&read, "machine", read.root().get("machine")?.value())?;
    /// assert_eq!(again, trained);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    fn put(&self, container: &mut Container, prefix: &str) -> Result<Value>;

    /// The model stored under a name with that document. Its support is 0, 1, 2 …: the objects stored with it.
    fn get(container: &Container, prefix: &str, document: &Value) -> Result<Self>;
}

impl Persist for Trained {
    fn put(&self, container: &mut Container, prefix: &str) -> Result<Value> {
        let mut put = Put::new(container, prefix);
        let trained = self.model();
        let kept = KINDS.iter().find(|kept| kept.kind == trained.kind());
        let kept =
            kept.ok_or_else(|| Error::usage(format!("models of type {} cannot be saved", trained.kind())))?;
        (kept.put)(&mut put, trained)?;
        put.say("machine", kept.kind)?;
        if let Some(calibration) = self.calibration() {
            put.nested("calibration", calibration)?;
        }
        if !self.class_weights().is_empty() {
            put.numbers("class-weights", self.class_weights())?;
            put.flag("weighted_classes", true)?;
        }
        if !self.classes().is_empty() {
            put.records("classes", self.classes())?;
        }
        Ok(put.document)
    }

    fn get(container: &Container, prefix: &str, document: &Value) -> Result<Self> {
        let field = container.field(document);
        let get = Get { container, prefix, field: &field };
        let kind = field.get("machine")?;
        let classes = classes(&get)?;
        let name = kind.text()?;
        let Some(kept) = KINDS.iter().find(|kept| kept.kind == name) else {
            return Err(kind.fault(Code::ModelSyntax, format!("{} is not a type of model", shown(name))));
        };
        let mut trained = get.fits(Trained::stored((kept.get)(&get)?, classes))?;
        if field.find("weighted_classes")?.map(|v| v.flag()).transpose()?.unwrap_or(false) {
            trained = get.fits(trained.with_class_weights(Some(get.numbers("class-weights")?)))?;
        }
        match get.optional("calibration")? {
            Some(calibration) => get.fits(trained.with_calibration(calibration)),
            None => Ok(trained),
        }
    }
}

/// How models of one type are stored.
struct Kept {
    /// [`AnyModel::kind`].
    kind: &'static str,
    put: fn(&mut Put<'_>, &dyn AnyModel) -> Result<()>,
    get: fn(&Get<'_>) -> Result<Box<dyn AnyModel>>,
}

/// All types of models.
static KINDS: &[Kept] = &[
    kept::<SvcModel>("svc"),
    kept::<SvrModel>("svr"),
    kept::<OneClassModel>("one-class"),
    kept::<RidgeModel>("ridge"),
    kept::<RidgeClassifier>("ridge-classes"),
    kept::<GpModel>("gp"),
    kept::<SparseGpModel>("gp-landmarks"),
    kept::<IterativeGpModel>("gp-iterative"),
    kept::<GpClassifierModel>("gpc"),
    kept::<PerceptronModel>("perceptron"),
    kept::<VotedPerceptronModel>("voted-perceptron"),
    kept::<KnnClassifier>("knn-classes"),
    kept::<KnnRegressor>("knn"),
    kept::<KernelPcaModel>("pca"),
    kept::<KernelKMeansModel>("kmeans"),
    kept::<LinearClassifier>("linear-svc"),
    kept::<LinearRegressor>("linear-svr"),
    kept::<LinearFunctions>("linear-ridge"),
    kept::<LinearFunctions>("linear-ridge-classes"),
    kept::<LinearFunctions>("linear-pca"),
];

const fn kept<M: AnyModel + Stored + 'static>(kind: &'static str) -> Kept {
    Kept {
        kind,
        put: |put, trained| match trained.downcast_ref::<M>() {
            Some(own) => own.put(put),
            None => Err(Error::usage(format!("another model type has the name {}", trained.kind()))),
        },
        get: |get| Ok(Box::new(M::get(get)?)),
    }
}

/// The names of the classes, all different.
fn classes(get: &Get<'_>) -> Result<Vec<String>> {
    let Some(list) = get.field.find("classes")? else { return Ok(Vec::new()) };
    let classes: Vec<String> = get.records("classes")?;
    let mut sorted: Vec<&String> = classes.iter().collect();
    sorted.sort_unstable();
    match sorted.windows(2).find(|w| w[0] == w[1]) {
        Some(twice) => Err(list.fault(Code::ModelSyntax, format!("duplicate class {}", shown(twice[0])))),
        None => Ok(classes),
    }
}

fn class_count(get: &Get<'_>) -> Result<usize> {
    let list = get.field.find("classes")?;
    list.map_or(Ok(0), |list| Ok(get.container.list(&get.name("classes"), &list)?.len()))
}

/// The number of classes; at least two are required.
fn several(get: &Get<'_>) -> Result<usize> {
    match class_count(get)? {
        0 => Err(get.field.fault(Code::ModelSyntax, "missing entry 'classes'")),
        1 => Err(get.field.fault(Code::ModelCount, "only one class")),
        n => Ok(n),
    }
}

/// The number of functions of a regression or of one-versus-rest classifiers: one, or one per class of more than two.
fn functions(get: &Get<'_>) -> Result<usize> {
    Ok(match class_count(get)? {
        0..=2 => 1,
        n => n,
    })
}

/// The only model of a list.
fn single<T>(get: &Get<'_>, models: Vec<T>) -> Result<T> {
    <[T; 1]>::try_from(models)
        .map(|[one]| one)
        .map_err(|models| get.field.fault(Code::ModelCount, format!("{} models, expected 1", models.len())))
}

/// An array cut into pieces with these ends.
fn pieces<'a, T>(get: &Get<'_>, what: &str, values: &'a [T], ends: &[u64]) -> Result<Vec<&'a [T]>> {
    let wrong = || {
        let reason = format!("{what}: the ends do not match the {} values", values.len());
        get.field.fault(Code::ModelCount, reason)
    };
    let mut from = 0;
    let mut out = Vec::with_capacity(ends.len());
    for &end in ends {
        let end = usize::try_from(end).map_err(|_| wrong())?;
        out.push(values.get(from..end).ok_or_else(wrong)?);
        from = end;
    }
    if from == values.len() { Ok(out) } else { Err(wrong()) }
}
