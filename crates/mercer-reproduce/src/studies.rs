//! The studies by name with their options: the common interface for the program and the Python package.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::sheet::Page;
use super::{diffusion, graphs, random_walk, similarity, worked};
use crate::error::{Error, Result, nearest};
use crate::gram::Engine;

/// A published experiment that can be run.
#[derive(Clone, Copy)]
pub struct Study {
    /// Its name, as in `mercer reproduce NAME`.
    pub name: &'static str,
    /// A one-line description.
    pub summary: &'static str,
    /// The options it accepts besides the seed, as field names of [`StudyOptions`].
    pub options: &'static [&'static str],
    run: Runner,
}

type Runner = fn(&StudyOptions, &Engine, &mut dyn FnMut(String)) -> Result<StudyResult>;

/// The options of a study. By default the published values and all data sets are used.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct StudyOptions {
    /// The folder with its data sets.
    pub data: Option<PathBuf>,
    /// The data sets to run, by name.
    pub only: Vec<String>,
    /// The parts to run.
    pub part: Vec<String>,
    /// The base kernels to run.
    pub base: Vec<String>,
    /// The methods to run.
    pub method: Vec<String>,
    /// The kernels to run, by their names in the registry.
    pub kernel: Vec<String>,
    /// Folders of graphs whose nodes are classified.
    pub nodes: Vec<PathBuf>,
    /// The number of random splits.
    pub splits: Option<usize>,
    /// How often cross-validation is repeated.
    pub repetitions: Option<usize>,
    /// The folds within each training set.
    pub inner_folds: Option<usize>,
    /// A folder for journals of finished work, so that an interrupted run can be resumed.
    pub journal: Option<PathBuf>,
    /// A coarse grid and few splits, for a quick trial.
    pub quick: bool,
    /// Seed of all random choices.
    pub seed: u64,
}

/// The results of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyResult {
    page: Page,
    /// All results, unrounded.
    pub report: StudyReport,
}

impl StudyResult {
    pub(super) fn new(page: Page, report: StudyReport) -> Self {
        StudyResult { page, report }
    }

    /// Summary, tables and notes for a terminal of this many characters. Wider terminals than 80 get lines of 80.
    pub fn text(&self, width: usize) -> String {
        self.page.text(width)
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        self.page.markdown()
    }
}

/// The report of a study. Serialised as the report alone, whose `kind` names the study.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum StudyReport {
    /// Worked values of a textbook chapter or of slides.
    Worked(worked::WorkedReport),
    /// Random-walk kernels.
    RandomWalk(random_walk::RandomWalkReport),
    /// Graph kernels.
    Graphs(graphs::GraphReport),
    /// Diffusion kernels.
    Diffusion(diffusion::DiffusionReport),
    /// The similarity kernel.
    Similarity(similarity::SimilarityReport),
}

/// All studies.
pub const STUDIES: [Study; 6] = [
    Study {
        name: "chapter",
        summary: "Worked values of a textbook chapter on kernel methods (Zaki & Meira, chapter 5)",
        options: &[],
        run: |_, engine, _| worked::run(&worked::CHAPTER, engine),
    },
    Study {
        name: "slides",
        summary: "Worked values of lecture slides on graph kernels and SVMs (Sugiyama 2018)",
        options: &[],
        run: |_, engine, _| worked::run(&worked::SLIDES, engine),
    },
    Study {
        name: "random-walk",
        summary: "Random-walk kernels compared with their base kernels (Gavriilidis & Tefas)",
        options: &["data", "only", "base", "method", "journal", "quick"],
        run: random_walk::run,
    },
    Study {
        name: "graphs",
        summary: "Every graph kernel: run time and nested cross-validation, compared with trivial baselines",
        options: &["data", "only", "kernel", "repetitions", "inner_folds", "journal", "quick"],
        run: graphs::run,
    },
    Study {
        name: "diffusion",
        summary: "Diffusion kernels on categorical records, and kernels between nodes (Kondor & Lafferty)",
        options: &["data", "only", "nodes", "splits", "quick"],
        run: diffusion::run,
    },
    Study {
        name: "similarity",
        summary: "The similarity kernel on series, EEG, genes, text and molecules (Daróczy, Buza & Benczúr)",
        options: &["data", "part", "only", "journal", "quick"],
        run: similarity::run,
    },
];

impl Study {
    /// The study with this name.
    ///
    /// ```
    /// use mercer_reproduce::Study;
    /// assert_eq!(Study::find("slides")?.name, "slides");
    /// assert!(Study::find("slide").is_err_and(|e| e.to_string().contains("did you mean slides?")));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn find(name: &str) -> Result<&'static Study> {
        let known = || STUDIES.iter().map(|s| s.name);
        STUDIES.iter().find(|s| s.name.eq_ignore_ascii_case(name)).ok_or_else(|| {
            let near = nearest(name, known());
            let hint = near.first().map_or_else(String::new, |near| format!("; did you mean {near}?"));
            let known: Vec<&str> = known().collect();
            Error::param("study", format!("'{name}'"), &format!("one of {}{hint}", known.join(", ")))
        })
    }

    /// Runs the study. Options it does not accept are an error. `progress` is called with the plan and with each
    /// finished step.
    pub fn run(
        &self,
        options: &StudyOptions,
        engine: &Engine,
        progress: &mut dyn FnMut(String),
    ) -> Result<StudyResult> {
        if let Some(option) = options.given().into_iter().find(|name| !self.options.contains(name)) {
            let takes = match self.options {
                [] => "nothing but the seed".into(),
                some => some.join(", "),
            };
            return Err(Error::param(option, "given", &format!("left out: {} takes {takes}", self.name)));
        }
        (self.run)(options, engine, progress)
    }
}

impl StudyOptions {
    /// The options that are set.
    fn given(&self) -> Vec<&'static str> {
        let StudyOptions {
            data,
            only,
            part,
            base,
            method,
            kernel,
            nodes,
            splits,
            repetitions,
            inner_folds,
            journal,
            quick,
            seed: _,
        } = self;
        let all = [
            ("data", data.is_some()),
            ("only", !only.is_empty()),
            ("part", !part.is_empty()),
            ("base", !base.is_empty()),
            ("method", !method.is_empty()),
            ("kernel", !kernel.is_empty()),
            ("nodes", !nodes.is_empty()),
            ("splits", splits.is_some()),
            ("repetitions", repetitions.is_some()),
            ("inner_folds", inner_folds.is_some()),
            ("journal", journal.is_some()),
            ("quick", *quick),
        ];
        all.into_iter().filter(|(_, given)| *given).map(|(name, _)| name).collect()
    }

    /// The data folder, if one is given.
    pub(super) fn folder(&self, holds: &str) -> Result<Option<&Path>> {
        match self.data.as_deref() {
            Some(folder) if !folder.is_dir() => {
                Err(Error::param("data", folder.display(), &format!("a folder with {holds}")))
            }
            other => Ok(other),
        }
    }

    /// The end of the plan message.
    pub(super) fn resumable(&self) -> &'static str {
        match self.journal {
            Some(_) => "",
            None => "; with a journal folder an interrupted run could be resumed",
        }
    }
}
