//! Models: fitting, prediction and serialisation.
//!
//! A model fitted to a precomputed Gram matrix does not store the rows of that matrix: they are as large as the matrix
//! itself, and predictions do not need them.

use std::path::PathBuf;
use std::sync::Arc;

use mercer::data::{Dataset, Dense, Precomputed, Theme, Values};
use mercer::error::Place;
use mercer::expression::{Expression, Learner, Training};
use mercer::gram::{Certificate, Engine};
use mercer::learn::{Prediction, Trained};
use mercer::model::{
    Acquisition, AttributionOptions, BackgroundChoice, Container, ExplainBy, Explained, ExplainedOutput,
    Goal, Persist, StructureWeights, Suggest, Suggestion,
};
use mercer::numeric::is_conditionally_definite;
use mercer::solve::Stop;
use mercer::{Code, Error};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use rayon::prelude::*;
use serde_json::json;

use crate::array::{list, table};
use crate::conformal;
use crate::data::{Data, fitting, target, training};
use crate::error::OrRaise;
use crate::run::{RunSettings, run, run_here};
use crate::trained::describe;

/// Rows of a precomputed matrix that are predicted at once.
const ROWS: usize = 128;
/// Multiplications that take less time than waking a thread.
const QUICK: usize = 1 << 18;
/// Above this number of objects the eigenvalues of an indefinite matrix are bounded, not computed.
const MOST_EXACT: usize = 4000;
/// Above this number of objects a precomputed matrix is not checked for positive semidefiniteness.
const MOST_CHECKED: usize = 1000;

/// A fitted model.
#[pyclass(frozen, module = "mercer._mercer")]
pub(crate) struct Model {
    inner: Arc<Inner>,
}

enum Inner {
    Whole(Box<mercer::model::Model>),
    /// A model fitted to a precomputed Gram matrix of `objects` rows.
    Precomputed {
        trained: Box<Trained>,
        learner: String,
        objects: usize,
    },
}

impl Inner {
    fn trained(&self) -> &Trained {
        match self {
            Inner::Whole(model) => model.trained(),
            Inner::Precomputed { trained, .. } => trained,
        }
    }

    /// Whether predicting this many objects takes less time than waking a thread.
    fn is_quick(&self, objects: usize) -> bool {
        let cost = match self {
            Inner::Whole(model) => model.cost(objects),
            Inner::Precomputed { trained, .. } => Some(objects.saturating_mul(trained.support().len())),
        };
        cost.is_some_and(|cost| cost <= QUICK)
    }

    fn predict(&self, data: &Dataset, engine: &Engine) -> mercer::Result<Prediction> {
        match self {
            Inner::Whole(model) => model.predict(data, engine),
            Inner::Precomputed { trained, objects, .. } => {
                let given = precomputed_column(data)?;
                if given.references() != *objects {
                    return Err(Error::Shape {
                        expected: format!("similarities to {objects} training objects"),
                        found: format!("{}", given.references()),
                    });
                }
                predict_precomputed(trained, given, engine)
            }
        }
    }
}

impl Model {
    /// A model with its kernel.
    pub(crate) fn whole(model: mercer::model::Model) -> Self {
        Model { inner: Arc::new(Inner::Whole(Box::new(model))) }
    }
}

#[pymethods]
impl Model {
    /// Predicts objects; returns a dictionary with `codes` or `numbers`, `decisions`, `columns`, `probabilities`, `deviations`,
    /// `warnings`.
    #[pyo3(signature = (data, threads=None, progress=None))]
    fn predict<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        threads: Option<usize>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let (inner, set) = (self.inner.clone(), data.set.clone());
        let prediction = match progress.is_none() && inner.is_quick(set.len()) {
            true => run_here(py, |engine| inner.predict(&set, engine))?,
            false => run(py, RunSettings::new(threads, progress), move |engine| inner.predict(&set, engine))?,
        };
        let out = PyDict::new(py);
        match prediction.target {
            Some(mercer::data::Target::Classes(classes)) => {
                let codes = (0..classes.len()).map(|i| classes.code(i).map_or(-1, i64::from)).collect();
                out.set_item("codes", list::<i64>(py, codes))?;
            }
            Some(mercer::data::Target::Numbers(numbers)) => out.set_item("numbers", list(py, numbers))?,
            _ => {}
        }
        out.set_item("decisions", table(py, prediction.decisions)?)?;
        out.set_item("columns", prediction.columns)?;
        if let Some(deviations) = prediction.deviations {
            out.set_item("deviations", list(py, deviations))?;
        }
        if let Some(probabilities) = prediction.probabilities {
            out.set_item("probabilities", table(py, probabilities)?)?;
        }
        if let Inner::Whole(model) = &*self.inner {
            let unseen: Vec<String> = model.unseen(&data.set).iter().map(ToString::to_string).collect();
            if !unseen.is_empty() {
                out.set_item("warnings", unseen)?;
            }
        }
        Ok(out)
    }

    /// Explains predictions, as JSON: by features, with weights and images of molecules in a theme (`page`, `light` or
    /// `dark`), by columns, or by support objects.
    #[pyo3(signature = (data, most, theme, by, background=None, threads=None))]
    #[allow(clippy::too_many_arguments)] // They are those of the Python function.
    fn explain(
        &self,
        py: Python<'_>,
        data: &Data,
        most: usize,
        theme: &str,
        by: &str,
        background: Option<&Data>,
        threads: Option<usize>,
    ) -> PyResult<String> {
        let by = ExplainBy::of_word(by).or_raise(py)?;
        let background = background.map(|data| data.set.clone());
        let theme = match theme {
            "page" => Theme::Page,
            "light" => Theme::Light,
            "dark" => Theme::Dark,
            other => return Err(Error::param("theme", other, "page, light or dark")).or_raise(py),
        };
        let (inner, set) = (self.inner.clone(), data.set.clone());
        run(py, RunSettings::new(threads, None), move |engine| {
            let model = whole(&inner, "explained")?;
            let Explained { all, by, note } =
                model.explained(&set, most, by, background.as_deref(), engine)?;
            let by = by.name();
            let structure = |i: usize, s: &StructureWeights| {
                let molecule = match set.column(&s.column).ok().map(|c| &c.values) {
                    Some(Values::Molecules(all)) => all.get(i),
                    _ => None,
                };
                let values = set.column(&s.column).ok().map(|c| &c.values);
                let width = match values {
                    Some(Values::Images(all)) => all.get(i).map(|image| image.width()),
                    _ => None,
                };
                json!({
                    "column": s.column, "nodes": s.nodes, "edges": s.edges, "smiles": molecule.map(|m| m.text()),
                    "svg": s.draw(&set, i, theme), "series": matches!(values, Some(Values::Series(_))), "width": width,
                })
            };
            let one = |(i, why): (usize, &mercer::model::Explanation)| {
                let structures: Vec<_> = why.structures.iter().map(|s| structure(i, s)).collect();
                json!({
                    "class": why.class, "value": why.value, "offset": why.offset, "rest": why.rest, "local": why.local,
                    "by": by, "note": note, "features": why.parts, "structures": structures, "evidence": why.evidence,
                })
            };
            Ok(serde_json::Value::from_iter(all.iter().enumerate().map(one)).to_string())
        })
    }

    /// The Shapley values of columns, as JSON: of decision values or probabilities, compared with a background of at most
    /// `size` objects, of the data if given, else of the objects that the model stores.
    #[pyo3(signature = (data, background, size, probabilities, orders, seed, choice="random", threads=None))]
    #[allow(clippy::too_many_arguments)] // They are those of the Python function.
    fn attributions(
        &self,
        py: Python<'_>,
        data: &Data,
        background: Option<&Data>,
        size: usize,
        probabilities: bool,
        orders: usize,
        seed: u64,
        choice: &str,
        threads: Option<usize>,
    ) -> PyResult<String> {
        let (inner, set) = (self.inner.clone(), data.set.clone());
        let choice = BackgroundChoice::of_word(choice).or_raise(py)?;
        let background = background.map(|data| data.set.clone());
        run(py, RunSettings::new(threads, None), move |engine| {
            let model = whole(&inner, "explained")?;
            let output = if probabilities { ExplainedOutput::Probability } else { ExplainedOutput::Decision };
            let options = AttributionOptions { output, orders, seed, ..AttributionOptions::default() };
            let background = model.background_by(choice, background.as_deref(), size, seed, engine)?;
            let found = model.attributions(&set, &background, &options, engine)?;
            let mut document = json!(found);
            document["method"] = found.method.to_string().into();
            document["exact"] = found.method.is_exact().into();
            document["background"] = background.to_string().into();
            Ok(document.to_string())
        })
    }

    /// The training molecules nearest to each molecule, as JSON.
    #[pyo3(signature = (data, most, threads=None))]
    fn nearest_molecules(
        &self,
        py: Python<'_>,
        data: &Data,
        most: usize,
        threads: Option<usize>,
    ) -> PyResult<String> {
        let (inner, set) = (self.inner.clone(), data.set.clone());
        run(py, RunSettings::new(threads, None), move |engine| {
            let near = whole(&inner, "compared")?.nearest_molecules(&set, most, engine)?;
            Ok(json!(near).to_string())
        })
    }

    /// What every substitution of one symbol of a string would change, as JSON.
    #[pyo3(signature = (data, threads=None))]
    fn substitutions(&self, py: Python<'_>, data: &Data, threads: Option<usize>) -> PyResult<String> {
        let (inner, set) = (self.inner.clone(), data.set.clone());
        run(py, RunSettings::new(threads, None), move |engine| {
            let model = whole(&inner, "changed")?;
            let one = |i: usize| {
                let found = model.substitutions(&set, i, engine)?;
                Ok(json!({
                    "meaning": found.meaning, "value": found.value,
                    "symbols": found.symbols.iter().collect::<String>(),
                    "alphabet": found.alphabet.iter().collect::<String>(), "changes": found.changes,
                }))
            };
            let all = (0..set.len()).map(one).collect::<mercer::Result<Vec<_>>>()?;
            Ok(serde_json::Value::from(all).to_string())
        })
    }

    /// Sets of classes or intervals that hold the true value with a confidence, and warnings, for a calibrated model.
    #[pyo3(signature = (data, confidence, groups=None, threads=None))]
    fn regions<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        confidence: f64,
        groups: Option<Vec<String>>,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let set = conformal::grouped(&data.set, groups).or_raise(py)?;
        let inner = self.inner.clone();
        let found = run(py, RunSettings::new(threads, None), move |engine| {
            whole(&inner, "calibrated")?.predict_regions(&set, confidence, engine)
        })?;
        conformal::regions(py, found)
    }

    /// How typical each object is of the training objects, as a p-value, for a calibrated model.
    #[pyo3(signature = (data, threads=None))]
    fn typicality<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (inner, set) = (self.inner.clone(), data.set.clone());
        let found = run(py, RunSettings::new(threads, None), move |engine| {
            whole(&inner, "calibrated")?.typicality(&set, engine)
        })?;
        Ok(list(py, found).into_any())
    }

    /// How it was calibrated, as JSON; `None` if it was not.
    fn calibration(&self) -> Option<String> {
        match &*self.inner {
            Inner::Whole(model) => conformal::describe(model),
            Inner::Precomputed { .. } => None,
        }
    }

    /// The kernels whose numbers were learned by the marginal likelihood, with these numbers.
    fn learned_kernels(&self) -> Vec<String> {
        match &*self.inner {
            Inner::Whole(model) => model.learned_kernels().map(str::to_owned).collect(),
            Inner::Precomputed { .. } => Vec::new(),
        }
    }

    /// The means and the covariance of a Gaussian process at all objects together.
    #[pyo3(signature = (data, threads=None))]
    fn joint<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        threads: Option<usize>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyAny>)> {
        let (inner, set) = (self.inner.clone(), data.set.clone());
        let (means, covariance) = run(py, RunSettings::new(threads, None), move |engine| {
            whole(&inner, "joined")?.joint(&set, engine)
        })?;
        Ok((list(py, means).into_any(), table(py, covariance)?.into_any()))
    }

    /// Samples of a Gaussian process at all objects together, one row per sample.
    #[pyo3(signature = (data, count, seed, threads=None))]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        count: usize,
        seed: u64,
        threads: Option<usize>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let (inner, set) = (self.inner.clone(), data.set.clone());
        let drawn = run(py, RunSettings::new(threads, None), move |engine| {
            whole(&inner, "sampled")?.samples(&set, count, seed, engine)
        })?;
        Ok(table(py, drawn)?.into_any())
    }

    /// Candidates for the next measurement, the best first: their indices, scores, means and deviations.
    #[pyo3(signature = (data, goal, by, beta, best=None, batch=None, threads=None))]
    #[allow(clippy::too_many_arguments)]
    fn suggest<'py>(
        &self,
        py: Python<'py>,
        data: &Data,
        goal: &str,
        by: &str,
        beta: f64,
        best: Option<f64>,
        batch: Option<usize>,
        threads: Option<usize>,
    ) -> PyResult<[Bound<'py, PyAny>; 4]> {
        let goal = if goal == "minimize" { Goal::Smallest } else { Goal::Largest };
        let by = match by {
            "confidence-bound" => Acquisition::ConfidenceBound { beta },
            "variance" => Acquisition::Variance,
            _ => Acquisition::ExpectedImprovement,
        };
        let (inner, set) = (self.inner.clone(), data.set.clone());
        let found = run(py, RunSettings::new(threads, None), move |engine| {
            whole(&inner, "asked for candidates")?.suggest(&set, &Suggest { goal, by, batch, best }, engine)
        })?;
        let numbers =
            |of: fn(&Suggestion) -> f64| list(py, found.iter().map(of).collect::<Vec<f64>>()).into_any();
        let indices = list(py, found.iter().map(|s| s.index as i64).collect::<Vec<i64>>()).into_any();
        Ok([indices, numbers(|s| s.score), numbers(|s| s.mean), numbers(|s| s.deviation)])
    }

    /// Reads new objects from a file as the training data was read; returns them, the columns of the model only, with the
    /// reader's warnings.
    fn read(&self, py: Python<'_>, path: PathBuf) -> PyResult<(Data, Vec<String>)> {
        let Inner::Whole(model) = &*self.inner else {
            let reason =
                "a model fitted to a precomputed Gram matrix predicts rows of similarities, not files";
            return Err(Error::usage(reason)).or_raise(py);
        };
        let read = || -> mercer::Result<(Dataset, Vec<String>)> {
            let (options, _) = model.options_for(&path, &mercer::read::Options::default());
            let data = model.without_missing(mercer::read::read(&path, &options)?, &options)?;
            let kept = model.stored_objects().columns().iter();
            let columns = kept.map(|c| data.column(&c.name).cloned()).collect::<mercer::Result<Vec<_>>>()?;
            let warnings = data.warnings().iter().map(ToString::to_string).collect();
            Ok((Dataset::new(columns)?, warnings))
        };
        let (set, warnings) = py.detach(read).or_raise(py)?;
        Ok((Data { set: Arc::new(set) }, warnings))
    }

    /// The options by which the training data was read from a file, as JSON; none if it came from no file.
    fn reading(&self) -> Option<String> {
        match &*self.inner {
            Inner::Whole(model) => model.reading().map(|options| serde_json::json!(options).to_string()),
            Inner::Precomputed { .. } => None,
        }
    }

    /// The weight, the kernel and the learner of each member of a blend; empty for other models.
    fn members(&self) -> Vec<(f64, String, String)> {
        match &*self.inner {
            Inner::Whole(model) => {
                let member = |m: &mercer::model::BlendMember| {
                    (m.weight, m.model.expression().to_string(), m.model.learner().to_string())
                };
                model.members().iter().map(member).collect()
            }
            Inner::Precomputed { .. } => Vec::new(),
        }
    }

    /// The fitted parts of the model: see `trained.rs`.
    fn trained<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let out = describe(py, self.inner.trained())?;
        if let Inner::Whole(model) = &*self.inner
            && let Some(chosen) = model.support_indices()
        {
            out.set_item("support", list(py, chosen.iter().map(|&i| i as i64).collect()))?;
        }
        Ok(out)
    }

    /// The name and the certificate (JSON) of each optimisation problem.
    fn certificates(&self) -> Vec<(String, String)> {
        let trained = self.inner.trained();
        let text = |value: serde_json::Result<String>| value.unwrap_or_else(|_| "null".to_owned());
        let svm = trained.certificates().into_iter().map(|(name, c)| (name, text(serde_json::to_string(c))));
        let linear = trained.dualities().into_iter().map(|(name, d)| (name, text(serde_json::to_string(d))));
        svm.chain(linear).collect()
    }

    /// The warnings of the solver, one line each.
    fn unfinished(&self) -> Vec<String> {
        self.inner.trained().warnings().iter().map(ToString::to_string).collect()
    }

    /// The warnings from fitting.
    fn warnings(&self) -> Vec<String> {
        match &*self.inner {
            Inner::Whole(model) => model.warnings().to_vec(),
            Inner::Precomputed { .. } => Vec::new(),
        }
    }

    /// The names of the classes, in the order of their codes.
    fn classes(&self) -> Vec<String> {
        self.inner.trained().classes().to_vec()
    }

    /// The kernel and the learner, as text.
    fn expressions(&self) -> (String, String) {
        match &*self.inner {
            Inner::Whole(model) => (model.expression().to_string(), model.learner().to_string()),
            Inner::Precomputed { learner, .. } => ("precomputed".to_owned(), learner.clone()),
        }
    }

    /// The number that a parameter of the learner has in the model; none for words.
    fn setting(&self, name: &str) -> Option<f64> {
        let learner: Learner = self.expressions().1.parse().ok()?;
        learner.setting(name).ok()?.number()
    }

    /// The columns that new objects must have: name, kind, number of features.
    fn columns(&self) -> Vec<(String, &'static str, usize)> {
        match &*self.inner {
            Inner::Whole(model) => {
                let kept = model.stored_objects().columns().iter();
                kept.map(|c| (c.name.clone(), c.values.kind().name(), c.values.width())).collect()
            }
            Inner::Precomputed { .. } => vec![("x".to_owned(), "precomputed", 0)],
        }
    }

    /// The name of the target and whether it holds classes.
    fn target(&self) -> Option<(String, bool)> {
        match &*self.inner {
            Inner::Whole(model) => model.target().map(|t| (t.name.clone(), t.classes)),
            Inner::Precomputed { trained, .. } => Some(("y".to_owned(), !trained.classes().is_empty())),
        }
    }

    /// The number of training objects, if it is known.
    fn objects(&self) -> Option<usize> {
        match &*self.inner {
            Inner::Whole(model) => model.objects(),
            Inner::Precomputed { objects, .. } => Some(*objects),
        }
    }

    /// Whether it can only predict objects that it was fitted to.
    fn is_transductive(&self) -> bool {
        matches!(&*self.inner, Inner::Whole(model) if model.is_transductive())
    }

    /// Serialises the model; `from_bytes` reads it.
    fn to_bytes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &bytes(&self.inner).or_raise(py)?))
    }

    /// Writes a model file atomically, with a note for [`Model::note`].
    #[pyo3(signature = (path, note=None))]
    fn save(&self, py: Python<'_>, path: PathBuf, note: Option<String>) -> PyResult<()> {
        let Inner::Whole(model) = &*self.inner else {
            return Err(Error::usage(
                "a model fitted to a precomputed Gram matrix has no training objects to save: use pickle, or fit \
                 with the kernel itself",
            ))
            .or_raise(py);
        };
        let write = || {
            let mut file = model.to_container()?;
            if let Some(note) = note {
                file.document["note"] = note.into();
            }
            file.write(&path)
        };
        write().or_raise(py)
    }

    /// The note of the model file, if it has one.
    fn note(&self) -> Option<String> {
        match &*self.inner {
            Inner::Whole(model) => model.note().map(str::to_owned),
            Inner::Precomputed { .. } => None,
        }
    }
}

/// The model of objects; one of a matrix has none.
fn whole<'a>(inner: &'a Inner, what: &str) -> mercer::Result<&'a mercer::model::Model> {
    match inner {
        Inner::Whole(model) => Ok(model),
        Inner::Precomputed { .. } => Err(Error::usage(format!(
            "a model fitted to a precomputed Gram matrix knows no objects: its predictions cannot be {what}"
        ))),
    }
}

/// Fits a kernel and a learner.
#[pyfunction]
#[pyo3(signature = (kernel, learner, data, y=None, weights=None, seed=0, threads=None, progress=None))]
#[allow(clippy::too_many_arguments)]
fn fit(
    py: Python<'_>,
    kernel: &str,
    learner: &str,
    data: &Data,
    y: Option<&Bound<'_, PyAny>>,
    weights: Option<Vec<f64>>,
    seed: u64,
    threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<Model> {
    let expression: Expression = kernel.parse().or_raise(py)?;
    let learner: Learner = learner.parse().or_raise(py)?;
    let training = training(&fitting(&expression, data), target(y)?, weights).or_raise(py)?;
    let inner = run(py, RunSettings::new(threads, progress), move |engine| {
        let alone = expression.is_precomputed();
        if alone && !learner.needs_features() {
            return fit_precomputed(&learner, &training, seed, engine);
        }
        let model = mercer::model::Model::fit(&training, &expression, &learner, seed, engine)?;
        Ok(Inner::Whole(Box::new(model)))
    })?;
    Ok(Model { inner: Arc::new(inner) })
}

/// Reads a model from a file.
#[pyfunction]
fn load(py: Python<'_>, path: PathBuf) -> PyResult<Model> {
    let model =
        run(py, RunSettings::new(None, None), move |engine| mercer::model::Model::load(&path, engine))?;
    Ok(Model::whole(model))
}

/// Reads a model from the bytes of a file.
#[pyfunction]
fn from_bytes(py: Python<'_>, bytes: Vec<u8>) -> PyResult<Model> {
    let inner = run(py, RunSettings::new(None, None), move |engine| restore(&bytes, engine))?;
    Ok(Model { inner: Arc::new(inner) })
}

/// The precomputed matrix, which must be the only column.
fn precomputed_column(data: &Dataset) -> mercer::Result<&Precomputed> {
    match data.columns() {
        [only] => match &only.values {
            Values::Precomputed(given) => Ok(given),
            other => Err(Error::Column {
                name: only.name.clone(),
                reason: format!("holds {}, not precomputed similarities", other.kind()),
                hint: None,
            }),
        },
        _ => Err(Error::usage("the precomputed kernel takes exactly one matrix")),
    }
}

fn fit_precomputed(
    learner: &Learner,
    training: &Dataset,
    seed: u64,
    engine: &Engine,
) -> mercer::Result<Inner> {
    let gram = precomputed_column(training)?
        .as_square()
        .ok_or_else(|| Error::usage("the training matrix must be square"))?;
    let task = Training {
        target: training.target(),
        weights: training.weights(),
        seed,
        budget: engine.budget().clone(),
    };
    let learner = &learner.resolved(gram, &task)?;
    let trained = learner.fit_gram(gram, &task)?;
    check_curvature(&trained, gram)?;
    // Certificates need a positive semidefinite matrix. For larger matrices this is assumed, as `certificate_` says.
    let is_checked = gram.rows() <= MOST_CHECKED && !trained.certificates().is_empty();
    let is_unproved = is_checked && !is_conditionally_definite(gram)?;
    let trained = if is_unproved { trained.unproved() } else { trained };
    Ok(Inner::Precomputed { trained: Box::new(trained), learner: learner.to_string(), objects: gram.rows() })
}

/// Returns an error if the solver found a direction of negative curvature.
fn check_curvature(trained: &Trained, gram: &Dense) -> mercer::Result<()> {
    let met = trained.stops().into_iter().find_map(|(_, stop)| match stop {
        Stop::NegativeCurvature { curvature, .. } => Some(curvature),
        _ => None,
    });
    let Some(curvature) = met else { return Ok(()) };
    if gram.rows() <= MOST_EXACT {
        let certificate = Certificate::of(gram)?;
        return Err(Error::NotPositiveDefinite {
            lambda_min: certificate.lambda_min,
            lambda_max: certificate.lambda_max,
        });
    }
    // The Rayleigh quotient of e_i - e_j is half the curvature; the largest eigenvalue is at least any self-similarity.
    let largest = (0..gram.rows()).map(|i| gram.at(i, i)).fold(0.0, f64::max);
    Err(Error::NotPositiveDefinite { lambda_min: 0.5 * curvature, lambda_max: largest })
}

/// Predicts from rows of similarities to all training objects, a block of rows at a time.
fn predict_precomputed(
    trained: &Trained,
    given: &Precomputed,
    engine: &Engine,
) -> mercer::Result<Prediction> {
    let (n, support) = (given.len(), trained.support());
    if trained.needs_self_similarities() && (0..n).any(|i| given.reference(i).is_none()) {
        return Err(Error::usage(
            "distances of new objects need their self-similarities, which a matrix of similarities to the training \
             objects does not hold",
        ));
    }
    if !trained.needs_self_similarities()
        && let Some(prediction) = engine.run(|| trained.predict_among(given.matrix()))?
    {
        return Ok(prediction);
    }
    let starts: Vec<usize> = (0..n.max(1)).step_by(ROWS).collect();
    let part = |&start: &usize| {
        engine.budget().check()?;
        let rows = start..(start + ROWS).min(n);
        let mut cross = Dense::zeros(rows.len(), support.len());
        for (to, i) in rows.clone().enumerate() {
            let row = given.row(i);
            cross.row_mut(to).iter_mut().zip(support).for_each(|(v, &j)| *v = row[j]);
        }
        let own: Option<Vec<f64>> = rows.map(|i| given.reference(i).map(|r| given.row(i)[r])).collect();
        trained.predict(&cross, own.as_deref()).map_err(|e| match e {
            Error::NonFinite { row, col, overflow } => Error::NonFinite { row: row + start, col, overflow },
            other => other,
        })
    };
    let parts =
        starts.par_iter().map(part).collect::<Vec<_>>().into_iter().collect::<mercer::Result<Vec<_>>>()?;
    Prediction::joined(parts)
}

fn bytes(inner: &Inner) -> mercer::Result<Vec<u8>> {
    match inner {
        Inner::Whole(model) => model.to_bytes(),
        Inner::Precomputed { trained, learner, objects } => {
            let mut c = Container::new(serde_json::Value::Null);
            let document = trained.put(&mut c, "machine")?;
            let support: Vec<u64> = trained.support().iter().map(|&i| i as u64).collect();
            c.insert("support", mercer::model::Array::list(support))?;
            c.document =
                json!({"what": "machine", "learner": learner, "objects": objects, "machine": document});
            c.to_bytes()
        }
    }
}

fn restore(bytes: &[u8], engine: &Engine) -> mercer::Result<Inner> {
    let name = "a stored model";
    let c = Container::from_bytes(name, bytes)?;
    if c.root().get("what")?.text()? == "model" {
        return mercer::model::Model::from_container(&c, engine).map(|m| Inner::Whole(Box::new(m)));
    }
    let trained = Trained::get(&c, "machine", c.root().get("machine")?.value())?;
    let objects = c.root().get("objects")?.count()?;
    let support = c.u64s("support")?.iter().map(|&i| i as usize).collect::<Vec<_>>();
    if support.last().is_some_and(|&last| last >= objects) {
        return Err(Error::parse(
            Place::file(name),
            Code::ModelCount,
            "a support index exceeds the number of objects",
        ));
    }
    let learner = c.root().get("learner")?.text()?.parse::<Learner>()?.to_string();
    Ok(Inner::Precomputed { trained: Box::new(trained.over(support)?), learner, objects })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(fit, module)?)?;
    module.add_function(wrap_pyfunction!(load, module)?)?;
    module.add_function(wrap_pyfunction!(from_bytes, module)?)
}
