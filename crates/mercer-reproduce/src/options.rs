//! The options of a study: the same for the program and the Python package.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::error::{Error, Result};

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

impl StudyOptions {
    /// The options that are set.
    pub(crate) fn given(&self) -> Vec<&'static str> {
        // Every field, so that a new one is not forgotten.
        #[rustfmt::skip]
        let StudyOptions {
            data, only, part, base, method, kernel, nodes, splits, repetitions, inner_folds, journal, quick, seed: _,
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
    pub(crate) fn folder(&self, holds: &str) -> Result<Option<&Path>> {
        match self.data.as_deref() {
            Some(folder) if !folder.is_dir() => {
                Err(Error::param("data", folder.display(), &format!("a folder with {holds}")))
            }
            other => Ok(other),
        }
    }

    /// The end of the plan message.
    pub(crate) fn resumable(&self) -> &'static str {
        match self.journal {
            Some(_) => "",
            None => "; with a journal folder an interrupted run could be resumed",
        }
    }
}
