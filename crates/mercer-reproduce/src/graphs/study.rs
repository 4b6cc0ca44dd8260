//! One kernel on one collection.

use std::path::Path;
use std::time::Instant;

use super::{Collection, GraphSettings, Method};
use crate::data::{Column, Dataset, Dense, Precomputed, Values};
use crate::error::{Code, Error, Result, Warning};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;
use crate::select::{Grid, Nested, Objects, Protocol, Score, Search, nested};

/// The result of a kernel on a collection.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct GraphOutcome {
    /// The collection.
    pub data: String,
    /// The number of graphs.
    pub graphs: usize,
    /// The kernel's name in tables; `majority` for the majority-class baseline.
    pub method: String,
    /// Whether it is a baseline.
    pub baseline: bool,
    /// The chosen parameters and the score of each outer split, ordered by repetition.
    pub splits: Vec<Chosen>,
    /// Seconds for the Gram matrix of the last kernel in the grid.
    pub seconds: Option<f64>,
    /// That kernel.
    pub timed: Option<String>,
    /// Kernels of the grid that could not be computed on these graphs, with the reason.
    pub dropped: Vec<(String, String)>,
    /// Graph data that the kernel ignored.
    pub ignored: Vec<String>,
    /// The number of models fitted on inner splits.
    pub fits: usize,
    /// How many of them stopped at a limit before convergence.
    pub unconverged: usize,
    /// The number of folds per repetition.
    pub folds: usize,
}

/// The parameters chosen for an outer split, and their score.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Chosen {
    /// The kernel.
    pub kernel: String,
    /// The learner.
    pub learner: String,
    /// The accuracy on the test set.
    pub score: f64,
}

impl GraphOutcome {
    /// The mean accuracy of each repetition.
    pub fn repetitions(&self) -> Vec<f64> {
        self.splits.chunks(self.folds.max(1)).map(|of| mean(of.iter().map(|c| c.score))).collect()
    }

    /// The mean accuracy over all outer splits; `None` if nothing could be computed.
    pub fn accuracy(&self) -> Option<f64> {
        (!self.splits.is_empty()).then(|| mean(self.splits.iter().map(|c| c.score)))
    }

    /// The standard deviation of the repetitions' means; `None` for one repetition.
    pub fn deviation(&self) -> Option<f64> {
        let means = self.repetitions();
        let center = mean(means.iter().copied());
        let squares: f64 = means.iter().map(|m| (m - center) * (m - center)).sum();
        (means.len() > 1).then(|| (squares / (means.len() - 1) as f64).sqrt())
    }
}

fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

/// The maximum memory of the matrices in a study of `n` graphs, in bytes.
pub fn memory_needed(n: usize, methods: &[Method], engine: &Engine) -> u64 {
    let kernels = |m: &Method| -> u64 {
        let count = |text: &&str| {
            let choices = text.parse::<Expression>().map_or_else(|_| Vec::new(), |e| e.choices());
            choices.iter().map(|c| c.1.len() as u64).product::<u64>()
        };
        m.kernels.iter().map(count).sum()
    };
    let held = methods.iter().filter(|m| m.is_there()).map(kernels).max().unwrap_or(1);
    let matrices = 8u64.saturating_mul((n as u64).saturating_mul(n as u64)).saturating_mul(held);
    Search::memory_needed(n, 1, engine.threads()).saturating_add(matrices)
}

/// The results of all methods on a collection, after that of the majority-class baseline.
///
/// Finished work is recorded in files `COLLECTION-METHOD.journal` in the folder `journals`, which is created if
/// missing. Recorded work is not repeated, except for Gram matrices. `progress` is called with each result.
///
/// ```no_run
/// use mercer::gram::Engine;
/// use mercer_reproduce::graphs::{METHODS, GraphSettings, collections, study};
/// let mutag = &collections(None, &[])?[0];
/// for outcome in study(mutag, METHODS, &GraphSettings::quick(0), &Engine::new(), None, &mut |_| ())? {
///     println!("{} {:?}", outcome.method, outcome.accuracy());
/// }
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn study(
    collection: &Collection,
    methods: &[Method],
    settings: &GraphSettings,
    engine: &Engine,
    journals: Option<&Path>,
    progress: &mut dyn FnMut(&GraphOutcome),
) -> Result<Vec<GraphOutcome>> {
    if let Some(folder) = journals {
        let refused = |source| Error::Io { path: folder.to_owned(), code: Code::IoWrite, source };
        std::fs::create_dir_all(folder).map_err(refused)?;
    }
    let objects = Objects::of(&collection.data)?;
    let outer = Protocol::Folds { folds: settings.folds, repetitions: settings.repetitions };
    let inner = Protocol::folds(settings.inner_folds);
    let splits: Vec<Nested> = nested(&outer, &inner, &objects, settings.seed)?.collect::<Result<_>>()?;
    let learner: Learner = format!("svc(C={})", settings.c).parse()?;
    let context = Context { collection, settings, engine, journals, splits: &splits, learner };
    let mut outcomes = vec![context.majority()?];
    progress(&outcomes[0]);
    for method in methods.iter().filter(|m| m.is_there()) {
        let outcome = context.evaluate(method)?;
        progress(&outcome);
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

/// The inputs shared by all methods.
struct Context<'a> {
    collection: &'a Collection,
    settings: &'a GraphSettings,
    engine: &'a Engine,
    journals: Option<&'a Path>,
    splits: &'a [Nested],
    learner: Learner,
}

/// A kernel of the grid with its Gram matrix.
struct ComputedKernel {
    kernel: String,
    gram: Dense,
    seconds: f64,
    warnings: Vec<Warning>,
}

impl Context<'_> {
    fn blank(&self, method: &str) -> GraphOutcome {
        GraphOutcome {
            data: self.collection.name.clone(),
            graphs: self.collection.data.len(),
            method: method.to_owned(),
            baseline: false,
            splits: Vec::new(),
            seconds: None,
            timed: None,
            dropped: Vec::new(),
            ignored: Vec::new(),
            fits: 0,
            unconverged: 0,
            folds: self.settings.folds,
        }
    }

    /// The majority-class baseline.
    fn majority(&self) -> Result<GraphOutcome> {
        let grid = Grid::of(vec!["ones".parse()?], vec!["svc".parse()?])?;
        let data = &self.collection.data;
        let search = Search::new(data, &grid, Score::Accuracy, self.engine, self.settings.seed)?;
        let one = |split: &Nested| {
            let prediction = search.baseline(&split.outer, &Protocol::folds(self.settings.folds))?;
            let score = search.measure(Score::Accuracy, &prediction, &split.outer)?.value();
            let score = score.ok_or_else(|| Error::usage("an empty test set"))?;
            Ok(Chosen { kernel: "majority".into(), learner: "majority".into(), score })
        };
        let splits = self.splits.iter().map(one).collect::<Result<_>>()?;
        Ok(GraphOutcome { splits, baseline: true, ..self.blank("majority") })
    }

    /// Evaluates a kernel with all its parameters.
    fn evaluate(&self, method: &Method) -> Result<GraphOutcome> {
        let mut outcome = GraphOutcome { baseline: method.baseline, ..self.blank(method.name) };
        let mut made = Vec::new();
        for text in method.kernels {
            let open: Expression = text.parse()?;
            for kernel in Grid::new(&open, &"svc".parse()?)?.kernels() {
                match self.make(kernel) {
                    Ok(one) => made.push(one),
                    Err(e) if is_about_parameters(&e) => {
                        outcome.dropped.push((kernel.to_string(), e.to_string()));
                    }
                    Err(e) => return Err(e),
                }
            }
        }
        let Some(last) = made.last() else { return Ok(outcome) };
        (outcome.seconds, outcome.timed) = (Some(last.seconds), Some(last.kernel.clone()));
        for message in made.iter().flat_map(|m| &m.warnings).map(|w| &w.message) {
            if !outcome.ignored.contains(message) {
                outcome.ignored.push(message.clone());
            }
        }
        // Each Gram matrix becomes a column, so that all folds can use it.
        let (names, columns): (Vec<String>, Vec<Column>) = made
            .into_iter()
            .enumerate()
            .map(|(at, made)| {
                let values = Values::Precomputed(Precomputed::square(made.gram)?);
                Ok((made.kernel, Column::new(format!("k{at}"), values)))
            })
            .collect::<Result<Vec<_>>>()?
            .into_iter()
            .unzip();
        let data = self.with_columns(columns)?;
        let kernels = (0..names.len()).map(|at| format!("precomputed@k{at}").parse());
        let learners = Grid::new(&"ones".parse()?, &self.learner)?.learners().to_vec();
        let grid = Grid::of(kernels.collect::<Result<_>>()?, learners)?;
        let stage = format!("{} {}", self.collection.name, method.name);
        let name = stage.replace(", ", "-").replace(' ', "-");
        let journal = self.journals.map(|f| f.join(format!("{name}.journal")));
        let search = Search::new(&data, &grid, Score::Accuracy, self.engine, self.settings.seed)?;
        let evaluation = search.with_stage(&stage).nested(self.splits, journal.as_deref())?;
        if let Some(tuning) = &evaluation.tuning {
            (outcome.fits, outcome.unconverged) = (tuning.fits, tuning.unconverged);
        }
        for fold in evaluation.folds {
            let score = fold.score.ok_or_else(|| Error::usage("an empty test set"))?;
            let kernel = names[fold.configuration / grid.learners().len()].clone();
            outcome.splits.push(Chosen { kernel, learner: grid.describe(fold.configuration).1, score });
        }
        Ok(outcome)
    }

    fn with_columns(&self, columns: Vec<Column>) -> Result<Dataset> {
        self.collection.data.with_columns(columns)
    }

    fn make(&self, kernel: &Expression) -> Result<ComputedKernel> {
        let began = Instant::now();
        let fitted = kernel.fit(&self.collection.data, self.engine)?;
        let gram = self.engine.run(|| self.engine.gram(&fitted.kernel, &self.collection.data))?;
        let seconds = began.elapsed().as_secs_f64();
        Ok(ComputedKernel { kernel: kernel.to_string(), gram, seconds, warnings: fitted.warnings })
    }
}

/// Whether the error is specific to these parameters or graphs.
fn is_about_parameters(error: &Error) -> bool {
    matches!(
        error.code(),
        Code::Diverge | Code::Overflow | Code::MemoryPlan | Code::Object | Code::Usage | Code::Numeric
    )
}
