//! The similarity kernel compared with its baselines, on series, EEG, gene expression, text and molecules.
//!
//! Five parts. *Archive*: series of the UCR/UEA archive in their given split, accuracy. *EEG*: trials of persons, half of the
//! persons for training, area under the ROC curve. *Genes*: gene expression, 5-fold, area under the curve (mean over classes).
//! *Text*: short messages, 5-fold, area under the curve. *Molecules*: solubility, 5-fold, mean absolute error. Parameters are
//! chosen by folds of the training set alone; within one part all methods have the same splits. What only an expert would try
//! (windows, the full Fisher matrix, a Gaussian on Fisher vectors, fewer references) stands in rows of its own.
//!
//! B. Daróczy, K. Buza and A. A. Benczúr, *Similarity kernel learning*, 2015; its figures are shown next to ours, and where the
//! data are others, that is said.

mod methods;
mod problems;
mod render;
mod run;
mod study;
#[cfg(test)]
mod tests;

pub(crate) use problems::stacked;
pub use problems::{Problem, problems};
pub use render::Report;
pub(super) use run::run;
pub use study::{Outcome, study};

/// A part of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Part {
    /// Series of the archive.
    Archive,
    /// EEG by person.
    Eeg,
    /// Gene expression.
    Genes,
    /// Short messages.
    Text,
    /// Solubility of molecules.
    Molecules,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 5] = [Part::Archive, Part::Eeg, Part::Genes, Part::Text, Part::Molecules];

    /// The name used in options and tables.
    pub fn name(self) -> &'static str {
        match self {
            Part::Archive => "archive",
            Part::Eeg => "eeg",
            Part::Genes => "genes",
            Part::Text => "text",
            Part::Molecules => "molecules",
        }
    }

    /// The methods of this part, the baseline first.
    pub fn methods(self) -> &'static [Method] {
        match self {
            Part::Archive => methods::ARCHIVE,
            Part::Eeg => methods::EEG,
            Part::Genes => methods::GENES,
            Part::Text => methods::TEXT,
            Part::Molecules => methods::MOLECULES,
        }
    }

    /// What is measured, as a heading says it.
    pub fn measure(self) -> &'static str {
        match self {
            Part::Archive => "accuracy in percent",
            Part::Eeg | Part::Genes | Part::Text => "area under the ROC curve",
            Part::Molecules => "mean absolute error (MAE) and root mean squared error (RMSE)",
        }
    }

    /// What a reader of its table must know.
    pub fn note(self) -> &'static str {
        match self {
            Part::Archive => {
                "The paper reports no figures for single sets of the archive, only that the difference from 1-NN was not \
                 significant; its sets are more than these."
            }
            Part::Eeg => {
                "A stand-in: 200 trials of 20 persons and one stimulus, where the paper has 11,028 of 122 persons and three. \
                 With about 100 trials for training, 100 references and 100 neighbours are all of them, so that k = 100 ranks by \
                 nothing but the class of all training trials."
            }
            Part::Genes => {
                "The colon and breast sets are published versions with fewer genes; the lung set is another (Gordon et al.). \
                 The paper prints one mean over its three."
            }
            Part::Text => {
                "A stand-in for tables 4 and 5: short messages, spam or not, where the paper has pages judged by readers \
                 (C3) and Web hosts (ClueWeb09). Content features are those that a text alone gives; in table 4 they stand \
                 for the C3 attributes. Rows of table 4 with LibFM or gradient boosted trees, alone (0.6695, 0.6688) or \
                 combined with BM25 (0.7100, 0.7133): Mercer has neither learner: not run."
            }
            Part::Molecules => {
                "A stand-in for table 3: solubility of 1128 molecules (ESOL) from SMILES and 6 descriptors, where the paper \
                 has ratings of pages (C3) from words and attributes: no error here is comparable with a printed one. Rows of \
                 table 3 with gradient boosted trees (MAE 1.3528; with BM25 0.7459): Mercer has none: not run."
            }
        }
    }
}

/// A way to learn, with all that is to be chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// Its name in tables.
    pub name: &'static str,
    /// The kernels to choose among, as expressions with ranges.
    pub kernels: &'static [&'static str],
    /// The learner, with ranges.
    pub learner: &'static str,
    /// The paper's figures for it on its own data, by table.
    pub published: &'static [(&'static str, f64)],
}

/// How the study is done.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Settings {
    /// The folds within a training set, for choosing parameters.
    pub inner_folds: usize,
    /// How often persons are split into halves.
    pub repetitions: usize,
    /// Seed of the splits.
    pub seed: u64,
}

impl Settings {
    /// 5 inner folds, 5 splits of persons.
    pub fn full(seed: u64) -> Self {
        Settings { inner_folds: 5, repetitions: 5, seed }
    }

    /// For trying out: 3 inner folds, 2 splits. No result to be reported.
    pub fn quick(seed: u64) -> Self {
        Settings { inner_folds: 3, repetitions: 2, seed }
    }
}
