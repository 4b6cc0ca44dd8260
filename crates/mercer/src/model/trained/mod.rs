//! Trained machines in a model: numbers as arrays, the rest in the document.
//!
//! A machine kept under `machine` has the arrays `machine/…`. Every count that costs memory is the length of an array
//! or of a list, so that no document can ask for more than the file holds.

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
use crate::learn::{AnyMachine, Linear, Trained};

/// Trained machines in model files.
pub trait Persist: Sized {
    /// Keeps the machine under a name; gives the document [`Persist::get`] needs to read it.
    ///
    /// Support objects are kept by their place in [`Trained::support`], not by their number among the training objects:
    /// the objects themselves belong in the model in that order (see [`Trained::compact`]).
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

    /// The machine kept under a name with that document. Its support is 0, 1, 2 …: the objects kept with it.
    fn get(container: &Container, prefix: &str, document: &Value) -> Result<Self>;
}

impl Persist for Trained {
    fn put(&self, container: &mut Container, prefix: &str) -> Result<Value> {
        let mut put = Put { container, prefix, document: json!({}) };
        let name = match self.machine() {
            AnyMachine::Svc(m) => put.svc(m)?,
            AnyMachine::Svr(m) => put.svr(m)?,
            AnyMachine::OneClass(m) => put.one_class(m)?,
            AnyMachine::Ridge(m) => put.ridge(m, "ridge")?,
            AnyMachine::RidgeClasses(m) => put.ridge(m.machine(), "ridge-classes")?,
            AnyMachine::Perceptron(m) => put.perceptron(m)?,
            AnyMachine::VotedPerceptron(m) => put.voted(m)?,
            AnyMachine::KnnClasses(m) => put.knn_classes(m)?,
            AnyMachine::Knn(m) => put.knn(m)?,
            AnyMachine::Pca(m) => put.pca(m)?,
            AnyMachine::KMeans(m) => put.kmeans(m)?,
            AnyMachine::LinearSvc(m) => put.linear(m.machines(), "linear-svc")?,
            AnyMachine::Linear(m, kind) => put.linear_map(m, *kind)?,
            AnyMachine::LinearSvr(m) => put.linear(std::slice::from_ref(m.machine()), "linear-svr")?,
        };
        put.document["machine"] = name.into();
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
        let needs_classes = || match classes.len() {
            0 => Err(field.fault(Code::ModelSyntax, "no 'classes' in it")),
            1 => Err(field.fault(Code::ModelCount, "one class alone")),
            n => Ok(n),
        };
        let machine = match kind.text()? {
            "svc" => AnyMachine::Svc(get.svc(needs_classes()?)?),
            "svr" => AnyMachine::Svr(get.svr()?),
            "one-class" => AnyMachine::OneClass(get.one_class()?),
            "ridge" => AnyMachine::Ridge(get.ridge(1)?),
            "ridge-classes" => AnyMachine::RidgeClasses(get.ridge_classes(sides(needs_classes()?))?),
            "perceptron" => AnyMachine::Perceptron(get.perceptron(sides(needs_classes()?))?),
            "voted-perceptron" => AnyMachine::VotedPerceptron(get.voted(sides(needs_classes()?))?),
            "knn-classes" => AnyMachine::KnnClasses(get.knn_classes(needs_classes()?)?),
            "knn" => AnyMachine::Knn(get.knn()?),
            "pca" => AnyMachine::Pca(get.pca()?),
            // One cluster is no mistake.
            "kmeans" => AnyMachine::KMeans(get.kmeans()?),
            "linear-svc" => AnyMachine::LinearSvc(get.linear_svc(needs_classes()?)?),
            "linear-ridge" => AnyMachine::Linear(get.linear_map(Some(1))?, Linear::Number),
            "linear-ridge-classes" => {
                AnyMachine::Linear(get.linear_map(Some(sides(needs_classes()?)))?, Linear::Classes)
            }
            "linear-pca" => AnyMachine::Linear(get.linear_map(None)?, Linear::Components),
            "linear-svr" => AnyMachine::LinearSvr(get.linear_svr()?),
            other => return Err(kind.fault(Code::ModelSyntax, format!("{} is no machine", shown(other)))),
        };
        let mut trained = get.fits(Trained::stored(machine, classes))?;
        if field.find("weighted_classes")?.map(|v| v.flag()).transpose()?.unwrap_or(false) {
            trained = get.fits(trained.with_class_weights(Some(get.finite("class-weights")?.to_vec())))?;
        }
        match get.calibration()? {
            Some(calibration) => get.fits(trained.with_calibration(calibration)),
            None => Ok(trained),
        }
    }
}

/// How many machines tell so many classes apart, one against the rest.
fn sides(classes: usize) -> usize {
    if classes == 2 { 1 } else { classes }
}

/// A machine on its way into a container.
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

    /// Keeps a list, one item for each class or machine.
    fn list(&mut self, key: &str, items: Vec<Value>) -> Result<()> {
        self.document[key] = self.container.put_list(&format!("{}/{key}", self.prefix), items)?;
        Ok(())
    }

    /// Keeps records, one for each machine.
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

/// A machine on its way out of a container.
struct Get<'c> {
    container: &'c Container,
    prefix: &'c str,
    field: &'c Field<'c>,
}

impl<'c> Get<'c> {
    fn name(&self, part: &str) -> String {
        format!("{}/{part}", self.prefix)
    }

    /// One number that may be NaN where nobody knows it.
    fn one(&self, part: &str) -> Result<f64> {
        match self.container.f64s(&self.name(part))? {
            [one] => Ok(*one),
            other => {
                let reason =
                    format!("{} has {} values where 1 is needed", shown(&self.name(part)), other.len());
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

    /// An array cut into pieces, which end where the array `ends` says.
    fn pieces<'a, T>(&self, what: &str, values: &'a [T], ends: &[u64]) -> Result<Vec<&'a [T]>> {
        let wrong = || {
            let reason = format!("{what}: {} values do not end where they should", values.len());
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
            Some(twice) => {
                Err(list.fault(Code::ModelSyntax, format!("class {} is there twice", shown(twice[0]))))
            }
            None => Ok(classes),
        }
    }

    /// The list under a key, in the document or in arrays, with as many items as are needed.
    fn list<T: DeserializeOwned>(&self, key: &str, len: usize) -> Result<Vec<T>> {
        let field = self.field.get(key)?;
        let items = self.container.list(&self.name(key), &field)?;
        if items.len() != len {
            let reason = format!("{} items where {len} are needed", items.len());
            return Err(field.fault(Code::ModelCount, reason));
        }
        let mut list = Vec::with_capacity(len);
        items.each(|_, item| {
            list.push(read(item)?);
            Ok(())
        })?;
        Ok(list)
    }

    /// The result, or its error as one of this model.
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

/// Where pieces of these lengths end when they stand one after the other.
fn ends(lengths: impl Iterator<Item = usize>) -> Vec<u64> {
    let mut at = 0;
    lengths
        .map(|len| {
            at += len as u64;
            at
        })
        .collect()
}
