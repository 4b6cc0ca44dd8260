//! Experiments as values, and the engine that runs them.
//!
//! An [`Experiment`] states its settings, its data sets with their methods, and its tables. One engine does the rest: it
//! splits each data set, evaluates every method on the same splits, records finished work in journals, reports progress,
//! and renders the results as text, Markdown and JSON.

use std::path::Path;
use std::time::Instant;

use serde::Serialize;
use serde_json::{Value, json};

use crate::data::{Column, Dataset, Precomputed, Values};
use crate::error::{Code, Error, Result};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;
use crate::learn::Prediction;
use crate::options::{StudyOptions, StudyResult};
use crate::problem::{How, Method, Problem};
use crate::select::{Grid, Nested, Objects, Protocol, Score, Search, Split, Strategy, nested};
use crate::sheet::{Noted, Page};

/// The data sets that were found, and the names of those that were not.
pub(crate) type Found = (Vec<Problem>, Vec<String>);
/// Called with each finished method.
pub(crate) type Each<'a> = &'a mut dyn FnMut(&Evaluated);

/// A published experiment.
pub struct Experiment {
    pub(crate) name: &'static str,
    /// The settings of the source, or coarse ones for a quick trial.
    pub(crate) settings: fn(quick: bool) -> Settings,
    /// The settings shown in documents.
    pub(crate) shown: &'static [&'static str],
    /// The first line of the summary for other settings than those of the source.
    pub(crate) trial: &'static str,
    pub(crate) problems: fn(&StudyOptions, &mut Settings) -> Result<Found>,
    /// The plan of the work, if it is announced.
    pub(crate) plan: fn(&[Problem], &Settings, &Engine) -> Option<String>,
    pub(crate) evaluate: fn(&Run<'_>, Each<'_>) -> Result<Vec<Evaluated>>,
    /// The progress message after a method, and after all methods of a data set.
    pub(crate) message: fn(&Run<'_>, Option<&Evaluated>) -> Option<String>,
    /// The name of the journal for a data set and a method.
    pub(crate) journal: fn(&str) -> String,
    pub(crate) summary: fn(&Report) -> Vec<String>,
    pub(crate) sheets: fn(&Report) -> Vec<Noted>,
    pub(crate) notes: fn(&Report) -> Vec<String>,
    /// Its own entries of the document.
    pub(crate) document: fn(&Report) -> Value,
}

/// Grids and sizes. Each experiment uses some of them.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Settings {
    /// The values of C, as a range or list of the expression language.
    pub c: &'static str,
    /// The values of gamma, likewise.
    pub gamma: &'static str,
    /// The maximum number of steps of a walk: p runs from 1 to this.
    pub steps: u32,
    /// The diffusion coefficients to choose from, ascending.
    pub betas: Vec<f64>,
    /// The fraction of the objects in the test set of a random split.
    pub share: f64,
    /// The number of epochs of a perceptron.
    pub rounds: usize,
    /// The number of random splits.
    pub splits: usize,
    /// The number of repetitions of cross-validation, or of splits by person.
    pub repetitions: usize,
    /// The number of outer folds.
    pub folds: usize,
    /// The number of inner folds for choosing parameters.
    pub inner_folds: usize,
    /// The base kernels, each of which all data sets are run with.
    pub bases: Vec<&'static str>,
    /// The names of the methods, where there is a choice.
    pub methods: Vec<&'static str>,
    /// Seed of all random choices.
    pub seed: u64,
}

/// The results on one data set.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The data set.
    pub data: String,
    /// The part of the experiment.
    pub part: &'static str,
    /// The base kernel; empty if there is only one.
    pub base: &'static str,
    /// The numbers of objects, features and classes.
    pub shape: [usize; 3],
    /// Whether features were scaled.
    pub scaled: bool,
    /// The number of missing values that were replaced.
    pub gaps: usize,
    /// The methods, in order.
    pub methods: Vec<Evaluated>,
}

/// The result of a method on a data set.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Evaluated {
    /// The method's name.
    pub method: String,
    /// Whether it is a baseline.
    pub baseline: bool,
    /// The chosen parameters and the score of each outer split.
    pub splits: Vec<Chosen>,
    /// The same for each value of the parameter of [`How::Along`].
    pub along: Vec<Vec<Chosen>>,
    /// Total seconds, including parameter selection.
    pub seconds: f64,
    /// The last kernel of the grid and the seconds for its Gram matrix, if it was timed.
    pub timed: Option<(String, f64)>,
    /// Kernels that could not be computed on these objects, with the reason.
    pub dropped: Vec<(String, String)>,
    /// Data that the kernel ignored.
    pub ignored: Vec<String>,
    /// The number of models fitted on inner splits.
    pub fits: usize,
    /// How many of them stopped at a limit before convergence.
    pub unconverged: usize,
}

/// The parameters chosen for an outer split, and their scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Chosen {
    /// The kernel.
    pub kernel: String,
    /// The learner.
    pub learner: String,
    /// The mean score on the inner splits.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub inner: Option<f64>,
    /// The score on the test set.
    pub score: f64,
    /// A second measure: the root mean squared error, or the number of support vectors.
    #[serde(skip)]
    pub second: Option<f64>,
    /// The number of test objects.
    #[serde(skip)]
    pub tested: usize,
}

impl Outcome {
    /// The method with this name.
    pub fn method(&self, name: &str) -> Option<&Evaluated> {
        self.methods.iter().find(|m| m.method == name)
    }
}

impl Evaluated {
    /// An empty result.
    pub(crate) fn of(method: &str) -> Self {
        Evaluated { method: method.into(), ..Evaluated::default() }
    }

    /// The mean score over the outer splits; `None` if nothing could be computed.
    pub fn score(&self) -> Option<f64> {
        (!self.splits.is_empty()).then(|| mean(&self.scores()))
    }

    /// The scores of the outer splits.
    pub fn scores(&self) -> Vec<f64> {
        scores(&self.splits)
    }
}

pub(crate) fn scores(splits: &[Chosen]) -> Vec<f64> {
    splits.iter().map(|c| c.score).collect()
}

/// The mean; 0 if empty.
pub(crate) fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len().max(1) as f64
}

impl Experiment {
    /// Runs the experiment with its options. `progress` is called with the plan and with each finished step.
    pub fn run(
        &'static self,
        options: &StudyOptions,
        engine: &Engine,
        progress: &mut dyn FnMut(String),
    ) -> Result<StudyResult> {
        let mut settings = self.settings(options.quick, options.seed);
        settings.splits = options.splits.unwrap_or(settings.splits);
        settings.repetitions = options.repetitions.unwrap_or(settings.repetitions);
        settings.inner_folds = options.inner_folds.unwrap_or(settings.inner_folds);
        let (problems, absent) = (self.problems)(options, &mut settings)?;
        if let Some(plan) = (self.plan)(&problems, &settings, engine) {
            progress(format!("plan: {plan}{}", options.resumable()));
        }
        let outcomes = self.evaluate(&settings, &problems, engine, options.journal.as_deref(), progress)?;
        let report = Report { experiment: self, settings, outcomes, absent, threads: engine.threads() };
        Ok(StudyResult::new(&report.page(), report.json()))
    }

    /// The settings of the source, or coarse ones for a quick trial. The latter are not for reported results.
    pub fn settings(&self, quick: bool, seed: u64) -> Settings {
        Settings { seed, ..(self.settings)(quick) }
    }

    /// The results on these data sets, for each base kernel.
    ///
    /// Finished work is recorded in one file per data set and method in the folder `journals`, which is created if
    /// missing. Recorded work is not repeated, except for Gram matrices.
    pub fn evaluate(
        &self,
        settings: &Settings,
        problems: &[Problem],
        engine: &Engine,
        journals: Option<&Path>,
        progress: &mut dyn FnMut(String),
    ) -> Result<Vec<Outcome>> {
        if let Some(folder) = journals {
            let refused = |source| Error::Io { path: folder.to_owned(), code: Code::IoWrite, source };
            std::fs::create_dir_all(folder).map_err(refused)?;
        }
        let mut outcomes = Vec::new();
        for &base in if settings.bases.is_empty() { &[""][..] } else { &settings.bases } {
            for problem in problems {
                let run = Run { experiment: self, problem, settings, base, engine, journals };
                let mut told =
                    |one: Option<&Evaluated>| (self.message)(&run, one).into_iter().for_each(&mut *progress);
                let methods = (self.evaluate)(&run, &mut |one| told(Some(one)))?;
                told(None);
                let Problem { name, part, shape, scaled, gaps, .. } = problem;
                let (data, part, shape, scaled, gaps) = (name.clone(), *part, *shape, *scaled, *gaps);
                outcomes.push(Outcome { data, part, base, shape, scaled, gaps, methods });
            }
        }
        Ok(outcomes)
    }
}

/// One data set with one base kernel, and what its methods share.
pub(crate) struct Run<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) problem: &'a Problem,
    pub(crate) settings: &'a Settings,
    pub(crate) base: &'static str,
    pub(crate) engine: &'a Engine,
    pub(crate) journals: Option<&'a Path>,
}

/// Evaluates all methods of a data set on the same splits.
pub(crate) fn methods(run: &Run<'_>, each: Each<'_>) -> Result<Vec<Evaluated>> {
    let splits = run.splits(&Objects::of(&run.problem.data)?)?;
    let mut all = Vec::new();
    for method in &run.problem.methods {
        let began = Instant::now();
        let mut one = Evaluated { baseline: method.baseline, ..Evaluated::of(method.name) };
        match method.how {
            How::Majority => run.majority(&splits, &mut one)?,
            _ => run.method(method, &splits, &mut one)?,
        }
        one.seconds = began.elapsed().as_secs_f64();
        each(&one);
        all.push(one);
    }
    Ok(all)
}

impl Run<'_> {
    /// The outer splits, with inner folds.
    pub(crate) fn splits(&self, objects: &Objects) -> Result<Vec<Nested>> {
        let inner = Protocol::folds(self.settings.inner_folds);
        nested(&self.problem.protocol, &inner, objects, self.settings.seed)?.collect()
    }

    /// An expression with the settings.
    pub(crate) fn filled(&self, text: &str) -> Result<String> {
        let Settings { c, gamma, steps, .. } = *self.settings;
        if steps < 2 && text.contains("{steps}") {
            return Err(Error::param("steps", steps, "at least 2"));
        }
        let base = if self.base == "rbf" { "rbf(gamma={gamma})" } else { "linear" };
        let steps: Vec<String> = (2..=steps).map(|p| p.to_string()).collect();
        let text = text.replace("{base}", base).replace("{steps}", &steps.join(", "));
        Ok(text.replace("{gamma}", gamma).replace("{c}", c))
    }

    fn score(&self, search: &Search<'_>, split: &Split, fold: &Prediction) -> Result<f64> {
        self.defined(search.measure(self.problem.score, fold, split)?.value())
    }

    fn defined(&self, score: Option<f64>) -> Result<f64> {
        score.ok_or_else(|| match self.problem.score {
            Score::Accuracy => Error::usage("an empty test set"),
            _ => Error::usage("a test set without both classes"),
        })
    }

    /// The majority-class baseline.
    fn majority(&self, splits: &[Nested], out: &mut Evaluated) -> Result<()> {
        let (problem, settings) = (self.problem, self.settings);
        let grid = Grid::of(vec!["ones".parse()?], vec!["svc".parse()?])?;
        let search = Search::new(&problem.data, &grid, problem.score, self.engine, settings.seed)?;
        for split in splits {
            let prediction = search.baseline(&split.outer, &Protocol::folds(settings.folds))?;
            let score = self.score(&search, &split.outer, &prediction)?;
            let name = out.method.clone();
            out.splits.push(Chosen { kernel: name.clone(), learner: name, score, ..Chosen::default() });
        }
        Ok(())
    }

    /// A method with all its parameters.
    fn method(&self, method: &Method, splits: &[Nested], out: &mut Evaluated) -> Result<()> {
        let Run { problem, settings, engine, .. } = *self;
        let learner: Learner = self.filled(method.learner)?.parse()?;
        let mut grids = Vec::new();
        for kernel in method.kernels {
            grids.push(Grid::new(&self.filled(&problem.wrapped(kernel))?.parse()?, &learner)?);
        }
        let kernels: Vec<Expression> = grids.iter().flat_map(|g| g.kernels().iter().cloned()).collect();
        let learners = Grid::new(&"ones".parse()?, &learner)?.learners().to_vec();
        let with_columns;
        let mut data = &problem.data;
        // The names of precomputed kernels, which the grid does not know.
        let mut names = Vec::new();
        let grid = match method.how {
            How::Along(_) => grids.swap_remove(0),
            How::Precomputed => {
                (names, with_columns) = self.precomputed(&kernels, out)?;
                data = &with_columns;
                if names.is_empty() {
                    return Ok(());
                }
                let columns = (0..names.len()).map(|at| format!("precomputed@k{at}").parse());
                Grid::of(columns.collect::<Result<_>>()?, learners)?
            }
            _ => Grid::of(kernels, learners)?,
        };
        let stage = match self.base {
            "" => format!("{} {}", problem.name, method.name),
            base => format!("{} {base} {}", problem.name, method.name),
        };
        let journal = self.journals.map(|f| f.join(format!("{}.journal", (self.experiment.journal)(&stage))));
        let search = Search::new(data, &grid, problem.score, engine, settings.seed)?.with_stage(&stage);
        let chosen = |configuration: usize, inner, score, split: &Split| {
            let (kernel, learner) = grid.describe(configuration);
            let kernel = names.get(configuration / grid.learners().len()).cloned().unwrap_or(kernel);
            Chosen { kernel, learner, inner, score, second: None, tested: split.test.len() }
        };
        if let How::Along(parameter) = method.how {
            let tuning = search.tune(splits, Strategy::Grid, journal.as_deref())?;
            (out.fits, out.unconverged) = (tuning.fits, tuning.unconverged);
            let at = grid.names().iter().position(|n| n == parameter);
            let mut picks = Vec::new();
            for value in 0..at.map_or(1, |at| grid.values()[at].len()) {
                let own = |&c: &usize| at.is_none_or(|at| grid.position(c)[at] == value);
                let configurations: Vec<usize> = (0..grid.len()).filter(own).collect();
                for (outer, split) in splits.iter().enumerate() {
                    picks.push((tuning.choose_among(outer, &configurations)?, &split.outer));
                }
            }
            let tasks: Vec<_> =
                picks.iter().map(|((configuration, _), split)| (*configuration, *split)).collect();
            let mut found = Vec::new();
            for (((configuration, inner), split), fold) in picks.into_iter().zip(search.folds(&tasks)?) {
                let score = self.score(&search, split, &fold.prediction)?;
                found.push(chosen(configuration, inner.or(Some(0.0)), score, split));
            }
            out.along = found.chunks(splits.len().max(1)).map(<[Chosen]>::to_vec).collect();
            return Ok(());
        }
        let evaluation = search.nested(splits, journal.as_deref())?;
        if let Some(tuning) = &evaluation.tuning {
            (out.fits, out.unconverged) = (tuning.fits, tuning.unconverged);
        }
        for fold in &evaluation.folds {
            let score = self.defined(fold.score)?;
            out.splits.push(chosen(fold.configuration, fold.inner, score, &fold.split));
        }
        if problem.score == Score::Mae {
            let rmse = evaluation.measured(&search, Score::Rmse)?;
            out.splits.iter_mut().zip(rmse).for_each(|(c, rmse)| c.second = rmse);
        }
        Ok(())
    }

    /// The Gram matrices of all kernels that can be computed, each as a column, so that all folds can use it.
    fn precomputed(&self, kernels: &[Expression], out: &mut Evaluated) -> Result<(Vec<String>, Dataset)> {
        let (data, engine) = (&self.problem.data, self.engine);
        let (mut names, mut columns) = (Vec::new(), Vec::new());
        for kernel in kernels {
            let began = Instant::now();
            let made = kernel
                .fit(data, engine)
                .and_then(|fitted| Ok((engine.run(|| engine.gram(&fitted.kernel, data))?, fitted.warnings)));
            let (gram, warnings) = match made {
                Ok(made) => made,
                Err(e) if is_about_parameters(&e) => {
                    out.dropped.push((kernel.to_string(), e.to_string()));
                    continue;
                }
                Err(e) => return Err(e),
            };
            out.timed = Some((kernel.to_string(), began.elapsed().as_secs_f64()));
            for warning in warnings {
                if !out.ignored.contains(&warning.message) {
                    out.ignored.push(warning.message);
                }
            }
            let values = Values::Precomputed(Precomputed::square(gram)?);
            columns.push(Column::new(format!("k{}", names.len()), values));
            names.push(kernel.to_string());
        }
        Ok((names, data.with_columns(columns)?))
    }
}

/// Whether the error is specific to these parameters or objects.
fn is_about_parameters(error: &Error) -> bool {
    matches!(
        error.code(),
        Code::Diverge | Code::Overflow | Code::MemoryPlan | Code::Object | Code::Usage | Code::Numeric
    )
}

/// The results of an experiment.
#[derive(Clone)]
pub struct Report {
    /// The experiment.
    pub experiment: &'static Experiment,
    /// The settings used.
    pub settings: Settings,
    /// By base kernel, then by data set.
    pub outcomes: Vec<Outcome>,
    /// The data sets that were not found, or the methods that are not there.
    pub absent: Vec<String>,
    /// The number of threads for Gram matrices.
    pub threads: usize,
}

impl Report {
    /// The version of the layout of [`Report::json`].
    pub const JSON_VERSION: u32 = 1;

    /// For a terminal of 80 columns: summary, tables, notes.
    pub fn text(&self) -> String {
        self.page().text()
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        self.page().markdown()
    }

    pub(crate) fn page(&self) -> Page {
        let of = self.experiment;
        let mut summary = (of.summary)(self);
        if !self.is_full() && !of.trial.is_empty() {
            summary.insert(0, of.trial.into());
        }
        Page { summary, sheets: (of.sheets)(self), notes: (of.notes)(self) }
    }

    /// All results, with the parameters chosen in every split.
    pub fn json(&self) -> Value {
        let page = self.page();
        let mut settings = json!(self.settings);
        if let Value::Object(all) = &mut settings {
            all.retain(|name, _| self.experiment.shown.contains(&name.as_str()));
        }
        let mut document = json!({
            "kind": self.experiment.name, "version": Self::JSON_VERSION, "settings": settings,
            "absent": self.absent, "notes": page.notes, "summary": page.summary, "tables": page.tables(),
        });
        if let (Value::Object(all), Value::Object(own)) = (&mut document, (self.experiment.document)(self)) {
            all.extend(own);
        }
        document
    }

    /// Whether grids, sizes and splits are those of the source.
    pub fn is_full(&self) -> bool {
        let (bases, methods) = (self.settings.bases.clone(), self.settings.methods.clone());
        self.settings == Settings { bases, methods, ..self.experiment.settings(false, self.settings.seed) }
    }

    /// The results of all methods, with their data sets.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Outcome, &Evaluated)> {
        self.outcomes.iter().flat_map(|o| o.methods.iter().map(move |m| (o, m)))
    }

    /// The numbers of models on inner folds, and of those that did not converge.
    pub(crate) fn fits(&self) -> (usize, usize) {
        self.all().fold((0, 0), |(f, u), (_, m)| (f + m.fits, u + m.unconverged))
    }

    /// The note on data sets that were not found.
    pub(crate) fn not_found(&self) -> Option<String> {
        (!self.absent.is_empty()).then(|| format!("not found, not run: {}", self.absent.join(", ")))
    }
}

/// The accuracy of a single model on a split, to check the engine.
#[cfg(test)]
pub(crate) fn model_accuracy(data: &Dataset, split: &Split, kernel: &str, learner: &str, seed: u64) -> f64 {
    let (kernel, learner): (Expression, Learner) = (kernel.parse().unwrap(), learner.parse().unwrap());
    let engine = Engine::new();
    let model =
        mercer::model::Model::fit(&data.select(&split.train), &kernel, &learner, seed, &engine).unwrap();
    let test = data.select(&split.test);
    let predicted = model.predict(&test, &engine).unwrap();
    let (Some(crate::data::Target::Classes(predicted)), Some(truth)) =
        (&predicted.target, crate::problem::classes(&test))
    else {
        panic!("classes expected")
    };
    let right = (0..truth.len()).filter(|&i| predicted.get(i) == truth.get(i)).count();
    right as f64 / truth.len() as f64
}
