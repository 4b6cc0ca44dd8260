//! Saving and loading models.

use std::path::Path;
use std::sync::OnceLock;

use serde_json::{Value, json};

use super::blend::{BlendMember, MOST_MEMBERS};
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
        let mut document = match self.members.is_empty() {
            true => self.put_fitted(&mut c, "")?,
            false => self.put_members(&mut c)?,
        };
        let target = self.target.as_ref().map(|t| json!({"name": t.name, "classes": t.classes}));
        let more = json!({
            "what": "model",
            "seed": self.seed,
            "target": target,
            "objects": self.objects,
            "warnings": self.warnings,
            "fitted_by": self.program,
            "first_index": self.first_index,
        });
        if let (Value::Object(own), Value::Object(more)) = (&mut document, more) {
            own.extend(more);
        }
        c.document = document;
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

    /// Stores a kernel and a learner with what they were fitted to, in arrays whose names begin with `prefix`; returns their part of
    /// the document.
    fn put_fitted(&self, c: &mut Container, prefix: &str) -> Result<Value> {
        let kept = c.put_dataset(&format!("{prefix}kept"), &self.kept)?;
        let mut steps = Vec::with_capacity(self.steps.len());
        for (i, step) in self.steps.iter().enumerate() {
            steps.push(step.put(c, &format!("{prefix}steps/{i}"))?);
        }
        let machine = format!("{prefix}machine");
        let mut trained = self.trained.put(c, &machine)?;
        clear_times(&mut trained);
        clear_packed_times(c, &machine);
        let all = self.support.len() == self.kept.len();
        if !all {
            let support: Vec<u64> = self.support.iter().map(|&i| i as u64).collect();
            c.insert(format!("{prefix}support"), Array::list(support))?;
        }
        Ok(json!({
            // Every parameter is explicit: defaults may change, saved models may not.
            "kernel": self.expression.to_string(),
            "learner": format!("{:#}", self.learner),
            "kept": kept,
            "kept_objects": self.kept.len(),
            "all_support": all,
            "steps": steps,
            "machine": trained,
        }))
    }

    /// Stores the members of a blend, each as a single model is stored.
    fn put_members(&self, c: &mut Container) -> Result<Value> {
        let kept = c.put_dataset("kept", &self.kept)?;
        let mut members = Vec::with_capacity(self.members.len());
        for (i, member) in self.members.iter().enumerate() {
            let mut document = member.model.put_fitted(c, &format!("members/{i}/"))?;
            document["weight"] = json!(member.weight);
            document["sharpness"] = json!(member.sharpness);
            document["seed"] = json!(member.model.seed);
            members.push(document);
        }
        Ok(json!({"kept": kept, "kept_objects": self.kept.len(), "members": members}))
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
        let target = match root.find("target")? {
            Some(field) => Some(ModelTarget {
                name: field.get("name")?.text()?.to_owned(),
                classes: field.get("classes")?.flag()?,
            }),
            None => None,
        };
        let seed = seed(&root)?;
        let first_index = match root.find("first_index")?.map(|f| f.count()).transpose()? {
            Some(0) => 0,
            None | Some(1) => 1,
            Some(other) => {
                return Err(root.fault(Code::ModelSyntax, format!("first feature index {other}")));
            }
        };
        let texts = root.get("warnings")?.items()?;
        let warnings = texts.iter().map(|w| w.text().map(str::to_owned)).collect::<Result<_>>()?;
        let objects = root.find("objects")?.map(|f| f.count()).transpose()?;
        let program = root.get("fitted_by")?.text()?.to_owned();
        let mut fitted = match root.find("members")? {
            Some(members) => Model::get_members(c, &members, (&target, seed), engine)?,
            None => Model::get_fitted(c, &root, "", (&target, seed), engine)?,
        };
        // Members were fitted to the same objects, by the same program.
        for member in &mut fitted.members {
            (member.model.objects, member.model.program) = (objects, program.clone());
        }
        Ok(Model {
            objects,
            warnings,
            first_index,
            reading: Model::get_reading(root.find("reading")?)?,
            training: TrainingMolecules::get(c, root.find("training")?)?,
            note: root.find("note")?.map(|n| n.text().map(str::to_owned)).transpose()?,
            program,
            conformal: Calibration::get(c, root.find("conformal")?, engine)?.map(Box::new),
            ..fitted
        })
    }

    /// The model that [`Model::put_fitted`] stored, without what concerns the whole file.
    fn get_fitted(
        c: &Container,
        field: &Field<'_>,
        prefix: &str,
        (target, seed): (&Option<ModelTarget>, u64),
        engine: &Engine,
    ) -> Result<Model> {
        let expression: Expression = parsed(&field.get("kernel")?)?;
        let learner: Learner = parsed(&field.get("learner")?)?;
        let trained = Trained::get(c, &format!("{prefix}machine"), field.get("machine")?.value())?;
        let kept = kept(c, field, prefix)?;
        let support = support(c, field, prefix, kept.len())?;
        if trained.support().len() != support.len() {
            let reason = format!("{} support objects, expected {}", support.len(), trained.support().len());
            return Err(field.fault(Code::ModelCount, reason));
        }
        let mut steps = Vec::new();
        for (i, step) in field.get("steps")?.items()?.iter().enumerate() {
            steps.push(Step::get(c, &format!("{prefix}steps/{i}"), step)?);
        }
        let fault =
            |e: Error| field.fault(Code::ModelSyntax, format!("the kernel does not fit the data: {e}"));
        let restored = expression.restore(&kept, steps, engine).map_err(fault)?;
        Ok(Model {
            expression,
            learner,
            seed,
            target: target.clone(),
            steps: restored.steps,
            kernel: restored.kernel,
            kept,
            support,
            trained,
            chosen: None,
            objects: None,
            warnings: Vec::new(),
            first_index: 1,
            reading: None,
            training: None,
            note: None,
            program: String::new(),
            conformal: None,
            members: Vec::new(),
            prepared: OnceLock::new(),
        })
    }

    /// The blend that [`Model::put_members`] stored.
    fn get_members(
        c: &Container,
        members: &Field<'_>,
        (target, own): (&Option<ModelTarget>, u64),
        engine: &Engine,
    ) -> Result<Model> {
        let kept = kept(c, &c.root(), "")?;
        let items = members.items()?;
        if items.len() > MOST_MEMBERS {
            let reason = format!("{} members of a blend, at most {MOST_MEMBERS}", items.len());
            return Err(members.fault(Code::ModelCount, reason));
        }
        let mut found = Vec::with_capacity(items.len());
        for (i, item) in items.iter().enumerate() {
            let of = (target, seed(item)?);
            let model = Model::get_fitted(c, item, &format!("members/{i}/"), of, engine)?;
            let (weight, sharpness) = (item.get("weight")?.number()?, item.get("sharpness")?.number()?);
            found.push(BlendMember { model, weight, sharpness });
        }
        Model::of_members(found, kept, own).map_err(|e| members.fault(Code::ModelSyntax, e.to_string()))
    }
}

fn seed(field: &Field<'_>) -> Result<u64> {
    let seed = field.get("seed")?;
    seed.value().as_u64().ok_or_else(|| seed.fault(Code::ModelSyntax, "no seed"))
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
fn clear_packed_times(container: &mut Container, machine: &str) {
    for (name, array) in &mut container.arrays {
        let own = name.strip_prefix(machine).is_some_and(|rest| rest.starts_with('/'));
        if own && name.ends_with("/seconds") {
            *array = Array::list(vec![0.0f64; array.numbers().len()]);
        }
    }
}

/// Parses an expression; errors name the model file.
fn parsed<T: std::str::FromStr<Err = Error>>(field: &Field<'_>) -> Result<T> {
    field.text()?.parse().map_err(|e: Error| field.fault(Code::ModelSyntax, e.to_string()))
}

fn kept(c: &Container, root: &Field<'_>, prefix: &str) -> Result<Dataset> {
    let data = c.dataset(&format!("{prefix}kept"), root.get("kept")?.value())?;
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

fn support(c: &Container, root: &Field<'_>, prefix: &str, kept: usize) -> Result<Vec<usize>> {
    if root.get("all_support")?.flag()? {
        return Ok((0..kept).collect());
    }
    let name = format!("{prefix}support");
    let stored = c.u64s(&name)?;
    let known = |&i: &u64| usize::try_from(i).ok().filter(|&i| i < kept);
    let support = stored.iter().map(known).collect::<Option<Vec<_>>>();
    let support = support.filter(|s| s.is_sorted_by(|a, b| a < b));
    support.ok_or_else(|| c.fault(Code::ModelCount, format!("'{name}': invalid indices into {kept} objects")))
}
