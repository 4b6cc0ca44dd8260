//! Experiments as values, and the engine that runs them.
//!
//! An [`Experiment`] states its settings, its data sets with their methods, and its tables. One engine does the rest: it
//! splits each data set, evaluates every method on the same splits, records finished work in journals, reports progress,
//! and renders the results as text, Markdown and run documents.

mod report;
mod run;

pub use report::Report;
#[cfg(test)]
pub(crate) use run::model_accuracy;
pub(crate) use run::{Run, methods};

use std::fmt;
use std::path::Path;

use serde::Serialize;
use serde_json::Value;

use crate::error::{Code, Error, Result};
use crate::gram::Engine;
use crate::options::StudyOptions;
use crate::problem::Problem;
use crate::sheet::Noted;

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

// By name: functions cannot be compared, nor shown.
impl PartialEq for Experiment {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl fmt::Debug for Experiment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Experiment").field("name", &self.name).finish_non_exhaustive()
    }
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
    /// The same for each value of the parameter of [`How::Along`](crate::problem::How::Along).
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
    ) -> Result<Report> {
        let mut settings = self.settings(options.quick, options.seed);
        settings.splits = options.splits.unwrap_or(settings.splits);
        settings.repetitions = options.repetitions.unwrap_or(settings.repetitions);
        settings.inner_folds = options.inner_folds.unwrap_or(settings.inner_folds);
        let (problems, absent) = self.problems(options, &mut settings)?;
        if let Some(plan) = (self.plan)(&problems, &settings, engine) {
            progress(format!("plan: {plan}{}", options.resumable()));
        }
        let outcomes = self.evaluate(&settings, &problems, engine, options.journal.as_deref(), progress)?;
        Ok(Report { experiment: self, settings, outcomes, absent, threads: engine.threads() })
    }

    /// The settings of the source, or coarse ones for a quick trial. The latter are not for reported results.
    pub fn settings(&self, quick: bool, seed: u64) -> Settings {
        Settings { seed, ..(self.settings)(quick) }
    }

    /// The data sets that the options choose, and the names of those that were not found. Base kernels and methods that
    /// the options choose are set.
    pub fn problems(
        &self,
        options: &StudyOptions,
        settings: &mut Settings,
    ) -> Result<(Vec<Problem>, Vec<String>)> {
        (self.problems)(options, settings)
    }

    /// The results on these data sets, for each base kernel.
    ///
    /// Finished work is recorded in one file per data set and method in the folder `journals`, which is created if
    /// missing. Recorded work is not repeated, except for Gram matrices. `progress` is called with each finished step.
    ///
    /// ```no_run
    /// use mercer::gram::Engine;
    /// use mercer_reproduce::{StudyOptions, graphs::GRAPHS};
    /// let mut settings = GRAPHS.settings(true, 0);
    /// let (problems, _) = GRAPHS.problems(&StudyOptions::default(), &mut settings)?;
    /// for outcome in GRAPHS.evaluate(&settings, &problems, &Engine::new(), None, &mut |_| ())? {
    ///     outcome.methods.iter().for_each(|m| println!("{} {:?}", m.method, m.score()));
    /// }
    /// # Ok::<(), mercer::Error>(())
    /// ```
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
