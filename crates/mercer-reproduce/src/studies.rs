//! The studies by name: the common interface for the program and the Python package.

use serde::Serialize;

use crate::diffusion::DIFFUSION;
use crate::error::{Error, Result};
use crate::experiment::{Experiment, Report};
use crate::gram::Engine;
use crate::graphs::GRAPHS;
use crate::options::StudyOptions;
use crate::problem::chosen;
use crate::random_walk::RANDOM_WALK;
use crate::sheet::Page;
use crate::similarity::SIMILARITY;
use crate::worked::{CHAPTER, SLIDES, WorkedReport, WorkedSource};

/// A published experiment that can be run.
#[derive(Clone, Copy)]
pub struct Study {
    /// Its name, as in `mercer reproduce NAME`.
    pub name: &'static str,
    /// A one-line description.
    pub summary: &'static str,
    /// The options it accepts besides the seed, as field names of [`StudyOptions`].
    pub options: &'static [&'static str],
    what: What,
}

#[derive(Clone, Copy)]
enum What {
    Worked(&'static WorkedSource),
    Experiment(&'static Experiment),
}

/// The results of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyResult {
    page: Page,
    /// All results, unrounded.
    pub report: StudyReport,
}

impl StudyResult {
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
    Worked(WorkedReport),
    /// The results of an experiment.
    Experiment(Report),
}

/// All studies.
pub const STUDIES: [Study; 6] = [
    Study {
        name: "chapter",
        summary: "Worked values of a textbook chapter on kernel methods (Zaki & Meira, chapter 5)",
        options: &[],
        what: What::Worked(&CHAPTER),
    },
    Study {
        name: "slides",
        summary: "Worked values of lecture slides on graph kernels and SVMs (Sugiyama 2018)",
        options: &[],
        what: What::Worked(&SLIDES),
    },
    Study {
        name: "random-walk",
        summary: "Random-walk kernels compared with their base kernels (Gavriilidis & Tefas)",
        options: &["data", "only", "base", "method", "journal", "quick"],
        what: What::Experiment(&RANDOM_WALK),
    },
    Study {
        name: "graphs",
        summary: "Every graph kernel: run time and nested cross-validation, compared with trivial baselines",
        options: &["data", "only", "kernel", "repetitions", "inner_folds", "journal", "quick"],
        what: What::Experiment(&GRAPHS),
    },
    Study {
        name: "diffusion",
        summary: "Diffusion kernels on categorical records, and kernels between nodes (Kondor & Lafferty)",
        options: &["data", "only", "nodes", "splits", "quick"],
        what: What::Experiment(&DIFFUSION),
    },
    Study {
        name: "similarity",
        summary: "The similarity kernel on series, EEG, genes, text and molecules (Daróczy, Buza & Benczúr)",
        options: &["data", "part", "only", "journal", "quick"],
        what: What::Experiment(&SIMILARITY),
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
        let found = chosen("study", &[name.to_owned()], STUDIES.iter().collect(), |s| s.name)?;
        found.first().copied().ok_or_else(|| Error::usage("no such study"))
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
        Ok(match self.what {
            What::Worked(source) => {
                let (page, report) = source.run(engine)?;
                StudyResult { page, report: StudyReport::Worked(report) }
            }
            What::Experiment(experiment) => {
                let report = experiment.run(options, engine, progress)?;
                StudyResult { page: report.page(), report: StudyReport::Experiment(report) }
            }
        })
    }
}
