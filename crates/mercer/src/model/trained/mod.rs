//! Trained models in model files: numbers as arrays, the rest in the document.
//!
//! A model stored under `NAME` has the arrays `NAME/…`. Every count that costs memory is the length of an array or of a
//! list, so no document can demand more memory than the file holds.

mod simple;
mod svm;
#[cfg(test)]
mod tests;
mod unlabelled;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::container::{Array, Container, Field, Numbers};
use crate::data::Dense;
use crate::error::shown;
use crate::error::{Code, Error, Result};
use crate::learn::{AnyModel, Linear, LinearClassifier, LinearRegressor, RidgeClassifier, Trained};

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
        let mut put = Put { container, prefix, document: json!({}) };
        let trained = self.model();
        let kept = KINDS.iter().find(|kept| kept.kind == trained.kind());
        let kept =
            kept.ok_or_else(|| Error::usage(format!("models of type {} cannot be saved", trained.kind())))?;
        (kept.put)(&mut put, trained)?;
        put.document["machine"] = kept.kind.into();
        if let Some(calibration) = self.calibration() {
            put.calibration(calibration)?;
        }
        if !self.class_weights().is_empty() {
            put.array("class-weights", self.class_weights().to_vec())?;
            put.say("weighted_classes", true)?;
        }
        if !self.classes().is_empty() {
            let classes = self.classes().iter().map(|c| c.as_str().into()).collect();
            put.list("classes", classes)?;
        }
        Ok(put.document)
    }

    fn get(container: &Container, prefix: &str, document: &Value) -> Result<Self> {
        let field = container.field(document);
        let get = Get { container, prefix, field: &field };
        let kind = field.get("machine")?;
        let classes = get.classes()?;
        let name = kind.text()?;
        let Some(kept) = KINDS.iter().find(|kept| kept.kind == name) else {
            return Err(kind.fault(Code::ModelSyntax, format!("{} is not a type of model", shown(name))));
        };
        let trained = (kept.get)(&get, &classes)?;
        let mut trained = get.fits(Trained::stored(trained, classes))?;
        if field.find("weighted_classes")?.map(|v| v.flag()).transpose()?.unwrap_or(false) {
            trained = get.fits(trained.with_class_weights(Some(get.finite("class-weights")?.to_vec())))?;
        }
        match get.calibration()? {
            Some(calibration) => get.fits(trained.with_calibration(calibration)),
            None => Ok(trained),
        }
    }
}

/// Reads a model, with the names of its classes.
type GetModel = fn(&Get<'_>, &[String]) -> Result<Box<dyn AnyModel>>;

/// How models of one type are stored.
struct Kept {
    /// [`AnyModel::kind`].
    kind: &'static str,
    put: fn(&mut Put<'_>, &dyn AnyModel) -> Result<()>,
    get: GetModel,
}

/// All types of models.
static KINDS: &[Kept] = &[
    Kept { kind: "svc", put: |p, m| p.svc(known(m)?), get: |g, c| boxed(g.svc(g.several(c)?)) },
    Kept { kind: "svr", put: |p, m| p.svr(known(m)?), get: |g, _| boxed(g.svr()) },
    Kept { kind: "one-class", put: |p, m| p.one_class(known(m)?), get: |g, _| boxed(g.one_class()) },
    Kept { kind: "ridge", put: |p, m| p.ridge(known(m)?), get: |g, _| boxed(g.ridge(1)) },
    Kept {
        kind: "ridge-classes",
        put: |p, m| p.ridge(known::<RidgeClassifier>(m)?.model()),
        get: |g, c| boxed(g.ridge_classes(binary_classifiers(g.several(c)?))),
    },
    Kept {
        kind: "perceptron",
        put: |p, m| p.perceptron(known(m)?),
        get: |g, c| boxed(g.perceptron(binary_classifiers(g.several(c)?))),
    },
    Kept {
        kind: "voted-perceptron",
        put: |p, m| p.voted(known(m)?),
        get: |g, c| boxed(g.voted(binary_classifiers(g.several(c)?))),
    },
    Kept {
        kind: "knn-classes",
        put: |p, m| p.knn_classes(known(m)?),
        get: |g, c| boxed(g.knn_classes(g.several(c)?)),
    },
    Kept { kind: "knn", put: |p, m| p.knn(known(m)?), get: |g, _| boxed(g.knn()) },
    Kept { kind: "pca", put: |p, m| p.pca(known(m)?), get: |g, _| boxed(g.pca()) },
    // A single cluster is valid.
    Kept { kind: "kmeans", put: |p, m| p.kmeans(known(m)?), get: |g, _| boxed(g.kmeans()) },
    Kept {
        kind: "linear-svc",
        put: |p, m| p.linear(known::<LinearClassifier>(m)?.classifiers()),
        get: |g, c| boxed(g.linear_svc(g.several(c)?)),
    },
    Kept {
        kind: "linear-svr",
        put: |p, m| p.linear(std::slice::from_ref(known::<LinearRegressor>(m)?.model())),
        get: |g, _| boxed(g.linear_svr()),
    },
    Kept {
        kind: "linear-ridge",
        put: |p, m| p.linear_map(known(m)?),
        get: |g, _| boxed(g.linear_map(Some(1), Linear::Number)),
    },
    Kept {
        kind: "linear-ridge-classes",
        put: |p, m| p.linear_map(known(m)?),
        get: |g, c| boxed(g.linear_map(Some(binary_classifiers(g.several(c)?)), Linear::Classes)),
    },
    Kept {
        kind: "linear-pca",
        put: |p, m| p.linear_map(known(m)?),
        get: |g, _| boxed(g.linear_map(None, Linear::Components)),
    },
];

/// The model as its concrete type.
fn known<M: 'static>(trained: &dyn AnyModel) -> Result<&M> {
    trained
        .downcast_ref()
        .ok_or_else(|| Error::usage(format!("another model type has the name {}", trained.kind())))
}

fn boxed<M: AnyModel + 'static>(trained: Result<M>) -> Result<Box<dyn AnyModel>> {
    trained.map(|trained| Box::new(trained) as Box<dyn AnyModel>)
}

/// The number of binary classifiers for that many classes, one-versus-rest.
fn binary_classifiers(classes: usize) -> usize {
    if classes == 2 { 1 } else { classes }
}

/// Writes a model into a container.
struct Put<'c> {
    container: &'c mut Container,
    prefix: &'c str,
    document: Value,
}

impl Put<'_> {
    fn array(&mut self, part: &str, numbers: impl Into<Numbers>) -> Result<()> {
        self.container.insert(format!("{}/{part}", self.prefix), Array::list(numbers))
    }

    fn matrix(&mut self, part: &str, values: &Dense) -> Result<()> {
        let array = Array::new(&[values.rows(), values.cols()], values.values().to_vec())?;
        self.container.insert(format!("{}/{part}", self.prefix), array)
    }

    /// Stores a list, one item for each class or model.
    fn list(&mut self, key: &str, items: Vec<Value>) -> Result<()> {
        self.document[key] = self.container.put_list(&format!("{}/{key}", self.prefix), items)?;
        Ok(())
    }

    /// Stores records, one for each model.
    fn records<T: Serialize>(&mut self, key: &str, records: impl Iterator<Item = T>) -> Result<()> {
        let value = |record| serde_json::to_value(record).map_err(|e| Error::usage(format!("{key}: {e}")));
        let records = records.map(value).collect::<Result<Vec<_>>>()?;
        self.list(key, records)
    }

    fn say(&mut self, key: &str, value: impl Serialize) -> Result<()> {
        let value = serde_json::to_value(value).map_err(|e| Error::usage(format!("{key}: {e}")))?;
        self.document[key] = value;
        Ok(())
    }
}

/// Reads a model from a container.
struct Get<'c> {
    container: &'c Container,
    prefix: &'c str,
    field: &'c Field<'c>,
}

impl<'c> Get<'c> {
    fn name(&self, part: &str) -> String {
        format!("{}/{part}", self.prefix)
    }

    /// The number of classes; at least two are required.
    fn several(&self, classes: &[String]) -> Result<usize> {
        match classes.len() {
            0 => Err(self.field.fault(Code::ModelSyntax, "missing entry 'classes'")),
            1 => Err(self.field.fault(Code::ModelCount, "only one class")),
            n => Ok(n),
        }
    }

    /// One number; NaN if it is unknown.
    fn one(&self, part: &str) -> Result<f64> {
        match self.container.f64s(&self.name(part))? {
            [one] => Ok(*one),
            other => {
                let reason = format!("{} has {} values, expected 1", shown(&self.name(part)), other.len());
                Err(self.container.fault(Code::ModelCount, reason))
            }
        }
    }

    fn finite(&self, part: &str) -> Result<&'c [f64]> {
        self.container.finite(&self.name(part))
    }

    fn finite_of(&self, part: &str, len: usize) -> Result<&'c [f64]> {
        self.container.finite_of(&self.name(part), len)
    }

    fn u32s(&self, part: &str) -> Result<&'c [u32]> {
        self.container.u32s(&self.name(part))
    }

    /// An array cut into pieces, whose ends are in the array `ends`.
    fn pieces<'a, T>(&self, what: &str, values: &'a [T], ends: &[u64]) -> Result<Vec<&'a [T]>> {
        let wrong = || {
            let reason = format!("{what}: the ends do not match the {} values", values.len());
            self.field.fault(Code::ModelCount, reason)
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

    fn classes(&self) -> Result<Vec<String>> {
        let Some(list) = self.field.find("classes")? else { return Ok(Vec::new()) };
        let mut classes = Vec::new();
        self.container.list(&self.name("classes"), &list)?.each(|_, class| {
            classes.push(class.text()?.to_owned());
            Ok(())
        })?;
        let mut sorted: Vec<&String> = classes.iter().collect();
        sorted.sort_unstable();
        match sorted.windows(2).find(|w| w[0] == w[1]) {
            Some(twice) => Err(list.fault(Code::ModelSyntax, format!("duplicate class {}", shown(twice[0])))),
            None => Ok(classes),
        }
    }

    /// The list under a key, in the document or in arrays, with the required length.
    fn list<T: DeserializeOwned>(&self, key: &str, len: usize) -> Result<Vec<T>> {
        let field = self.field.get(key)?;
        let items = self.container.list(&self.name(key), &field)?;
        if items.len() != len {
            let reason = format!("{} items, expected {len}", items.len());
            return Err(field.fault(Code::ModelCount, reason));
        }
        let mut list = Vec::with_capacity(len);
        items.each(|_, item| {
            list.push(read(item)?);
            Ok(())
        })?;
        Ok(list)
    }

    /// The result, with its error turned into one of this model file.
    fn fits<T>(&self, result: Result<T>) -> Result<T> {
        result.map_err(|e| self.field.fault(Code::ModelCount, e.to_string()))
    }
}

fn read<T: DeserializeOwned>(field: &Field<'_>) -> Result<T> {
    serde_json::from_value(field.value().clone()).map_err(|e| {
        let reason: String = e.to_string().chars().filter(|c| !c.is_control()).take(200).collect();
        field.fault(Code::ModelSyntax, reason)
    })
}

/// The ends of concatenated pieces of these lengths.
fn ends(lengths: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut at = 0;
    lengths
        .map(|len| {
            at += len as u64;
            at
        })
        .collect()
}
