//! Saving and loading models.

use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Value, json};

use super::conformal::Calibration;
use super::training::TrainingMolecules;
use super::{Model, ModelTarget};
use crate::container::objects;
use crate::data::{Dataset, Target};
use crate::error::{Code, Error, Result};
use crate::expression::{Expression, Learner, Step};
use crate::gram::Engine;
use crate::learn::Trained;
use crate::model::Persist;
use crate::model::{Array, Container, Field, LibsvmModel};
use crate::read::open::open;

/// Upper bound on the object count accepted from a file that has no columns.
const UNBACKED: usize = 1 << 24;

impl Model {
    /// The model as a file in memory.
    pub fn to_container(&self) -> Result<Container> {
        let mut c = Container::new(Value::Null);
        let kept = c.put_dataset("kept", &self.kept)?;
        let put = |(i, step): (usize, &Step)| step.put(&mut c, &format!("steps/{i}"));
        let steps = self.steps.iter().enumerate().map(put).collect::<Result<Vec<_>>>()?;
        let mut trained = self.trained.put(&mut c, "machine")?;
        clear_times(&mut trained);
        clear_packed_times(&mut c);
        let all = self.support.len() == self.kept.len();
        if !all {
            let support: Vec<u64> = self.support.iter().map(|&i| i as u64).collect();
            c.insert("support", Array::list(support))?;
        }
        let target = self.target.as_ref().map(|t| json!({"name": t.name, "classes": t.classes}));
        c.document = json!({
            "what": "model",
            // Every parameter is explicit: defaults may change, saved models may not.
            "kernel": self.expression.to_string(),
            "learner": format!("{:#}", self.learner),
            "seed": self.seed,
            "target": target,
            "objects": self.objects,
            "kept": kept,
            "kept_objects": self.kept.len(),
            "all_support": all,
            "steps": steps,
            "machine": trained,
            "warnings": self.warnings,
            "fitted_by": self.program,
            "first_index": self.first_index,
        });
        if let Some(reading) = self.put_reading() {
            c.document["reading"] = reading;
        }
        if let Some(training) = &self.training {
            let stored = training.put(&mut c)?;
            c.document["training"] = stored;
        }
        if let Some(calibration) = &self.conformal {
            let stored = calibration.put(&mut c)?;
            c.document["conformal"] = stored;
        }
        if let Some(note) = &self.note {
            c.document["note"] = note.as_str().into();
        }
        Ok(c)
    }

    /// Refuses data whose model could not be saved, before any work: more columns or classes than fit a file's header.
    ///
    /// A header has at most 64 MiB, enough for some hundred thousand columns.
    pub fn check_savable(data: &Dataset) -> Result<()> {
        let mut c = Container::new(Value::Null);
        // The names take the space; the values of objects do not.
        let kept = c.put_dataset("kept", &data.select(&[]))?;
        let classes = match data.target() {
            Some(Target::Classes(known)) => known.levels().iter().map(|c| c.as_str().into()).collect(),
            _ => Vec::new(),
        };
        c.document = json!({"kept": kept, "classes": c.put_list("classes", classes)?});
        c.to_bytes().map(|_| ())
    }

    /// The bytes of the model's file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.to_container()?.to_bytes()
    }

    /// Writes the model to a file atomically: completely or not at all, even if the computer crashes.
    pub fn save(&self, path: &Path) -> Result<()> {
        self.to_container()?.write(path)
    }

    /// Reads a model from a file: one of this program, or a LIBSVM text model.
    ///
    /// Any file gives a model or an error, in time and memory bounded by its size. No code is executed.
    pub fn load(path: &Path, engine: &Engine) -> Result<Model> {
        Model::from_bytes(path, &open(path)?, engine)
    }

    /// Reads the bytes of a file of that name.
    pub fn from_bytes(name: impl AsRef<Path>, bytes: &[u8], engine: &Engine) -> Result<Model> {
        if LibsvmModel::is_text_of(bytes) {
            return Model::from_text(name.as_ref(), bytes, engine);
        }
        Model::from_container(&Container::from_bytes(name, bytes)?, engine)
    }

    /// The model stored in a container.
    pub fn from_container(c: &Container, engine: &Engine) -> Result<Model> {
        let root = c.root();
        let what = root.get("what")?;
        if what.text()? != "model" {
            return Err(what.fault(Code::ModelSyntax, "a file of this program, but not a model"));
        }
        let expression: Expression = parsed(&root.get("kernel")?)?;
        let learner: Learner = parsed(&root.get("learner")?)?;
        let trained = Trained::get(c, "machine", root.get("machine")?.value())?;
        let kept = kept(c, &root)?;
        let support = support(c, &root, kept.len())?;
        if trained.support().len() != support.len() {
            let reason = format!("{} support objects, expected {}", support.len(), trained.support().len());
            return Err(root.fault(Code::ModelCount, reason));
        }
        let mut steps = Vec::new();
        for (i, field) in root.get("steps")?.items()?.iter().enumerate() {
            steps.push(Step::get(c, &format!("steps/{i}"), field)?);
        }
        let fault =
            |e: Error| root.fault(Code::ModelSyntax, format!("the kernel does not fit the data: {e}"));
        let restored = expression.restore(&kept, steps, engine).map_err(fault)?;
        let target = match root.find("target")? {
            Some(field) => Some(ModelTarget {
                name: field.get("name")?.text()?.to_owned(),
                classes: field.get("classes")?.flag()?,
            }),
            None => None,
        };
        let seed = root.get("seed")?;
        let first_index = match root.find("first_index")?.map(|f| f.count()).transpose()? {
            Some(0) => 0,
            None | Some(1) => 1,
            Some(other) => {
                return Err(root.fault(Code::ModelSyntax, format!("first feature index {other}")));
            }
        };
        let texts = root.get("warnings")?.items()?;
        let warnings = texts.iter().map(|w| w.text().map(str::to_owned)).collect::<Result<_>>()?;
        Ok(Model {
            expression,
            learner,
            seed: seed.value().as_u64().ok_or_else(|| seed.fault(Code::ModelSyntax, "no seed"))?,
            target,
            steps: restored.steps,
            kernel: restored.kernel,
            kept,
            support,
            trained,
            chosen: None,
            objects: root.find("objects")?.map(|f| f.count()).transpose()?,
            warnings,
            first_index,
            reading: Model::get_reading(root.find("reading")?)?,
            training: TrainingMolecules::get(c, root.find("training")?)?,
            note: root.find("note")?.map(|n| n.text().map(str::to_owned)).transpose()?,
            program: root.get("fitted_by")?.text()?.to_owned(),
            conformal: Calibration::get(c, root.find("conformal")?, engine)?.map(Box::new),
            prepared: OnceLock::new(),
        })
    }
}

/// Sets fit times to 0, so that the same fit gives the same file.
fn clear_times(document: &mut Value) {
    match document {
        Value::Array(items) => items.iter_mut().for_each(clear_times),
        Value::Object(entries) => entries.iter_mut().for_each(|(key, value)| match key.as_str() {
            "seconds" if value.is_number() => *value = json!(0.0),
            _ => clear_times(value),
        }),
        _ => {}
    }
}

/// The same for times stored in arrays.
fn clear_packed_times(container: &mut Container) {
    for (name, array) in &mut container.arrays {
        if name.starts_with("machine/") && name.ends_with("/seconds") {
            *array = Array::list(vec![0.0f64; array.numbers().len()]);
        }
    }
}

/// Parses an expression; errors name the model file.
fn parsed<T: std::str::FromStr<Err = Error>>(field: &Field<'_>) -> Result<T> {
    field.text()?.parse().map_err(|e: Error| field.fault(Code::ModelSyntax, e.to_string()))
}

fn kept(c: &Container, root: &Field<'_>) -> Result<Dataset> {
    let data = c.dataset("kept", root.get("kept")?.value())?;
    let count = root.get("kept_objects")?;
    let n = count.count()?;
    if !data.columns().is_empty() {
        return if data.len() == n {
            Ok(data)
        } else {
            Err(count.fault(Code::ModelCount, format!("{n} objects, but {} are stored", data.len())))
        };
    }
    if n > UNBACKED {
        return Err(count.fault(Code::ModelCount, format!("{n} objects without columns")));
    }
    objects(Vec::new(), n)
}

fn support(c: &Container, root: &Field<'_>, kept: usize) -> Result<Vec<usize>> {
    if root.get("all_support")?.flag()? {
        return Ok((0..kept).collect());
    }
    let stored = c.u64s("support")?;
    let known = |&i: &u64| usize::try_from(i).ok().filter(|&i| i < kept);
    let support = stored.iter().map(known).collect::<Option<Vec<_>>>();
    let support = support.filter(|s| s.is_sorted_by(|a, b| a < b));
    support
        .ok_or_else(|| c.fault(Code::ModelCount, format!("'support': invalid indices into {kept} objects")))
}
