//! The arguments of each study.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use mercer_reproduce::StudyOptions;

use super::Shown;

/// Arguments of `mercer reproduce chapter` and `slides`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer reproduce chapter
  mercer reproduce slides --json

Every published value is computed by the library and compared at its printed precision. Misprints of the source are listed \
below the tables.")]
pub(super) struct WorkedArgs {
    #[command(flatten)]
    pub(super) shown: Shown,
}

/// Arguments of `mercer reproduce random-walk`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer reproduce random-walk --quick --only Balance1
  mercer reproduce random-walk --data tables/ --journal-dir journals/ \\
    --markdown > random-walk.md

The full protocol takes hours on all data sets; with --journal-dir an interrupted run resumes.

--data takes a folder with UCI tables named australian/australian.csv, pima_diabetes/…, liver_bupa/…, \
mammographic_masses/…, planning_relax/…, haberman/…, iris/…, ecoli/…, or a folder that has them in tables/ and stand-ins \
for tables III to VI in timeseries/EEG_alcoholic_S1 and timeseries/BasicMotions. Data sets that are not found are listed \
and skipped.")]
pub(super) struct RandomWalkArgs {
    /// Folder with UCI tables; without it, the data sets that are generated
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Data sets to run, by the paper's names
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Base kernels to run [default: both]
    #[arg(long, value_enum, value_name = "BASE,…", value_delimiter = ',')]
    base: Vec<BaseName>,
    /// Walks to run in addition to the SVM with the base kernel [default: all]
    #[arg(long, value_enum, value_name = "METHOD,…", value_delimiter = ',', ignore_case = true)]
    method: Vec<MethodName>,
    /// Folder for journals of finished work
    #[arg(long, value_name = "DIR")]
    journal_dir: Option<PathBuf>,
    /// Quick trial: every fourth exponent, 2×2 folds
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    pub(super) shown: Shown,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BaseName {
    InnerProduct,
    Rbf,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum MethodName {
    /// Through all objects, transductive
    Pa,
    /// Through the training objects
    Pt,
    /// Through support vectors
    Psv,
}

/// The names of the values.
fn names<T: ValueEnum>(values: &[T]) -> Vec<String> {
    values.iter().filter_map(|v| Some(v.to_possible_value()?.get_name().to_owned())).collect()
}

impl RandomWalkArgs {
    pub(super) fn options(&self) -> StudyOptions {
        StudyOptions {
            data: self.data.clone(),
            only: self.only.clone(),
            base: names(&self.base),
            method: names(&self.method),
            journal: self.journal_dir.clone(),
            quick: self.quick,
            ..StudyOptions::default()
        }
    }
}

/// Arguments of `mercer reproduce graphs`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer reproduce graphs --quick
  mercer reproduce graphs --data graphs/ --journal-dir journals/ \\
    --markdown > graphs.md

--data takes a folder of collections in the format of TU Dortmund, one folder each, or one such folder; MUTAG is embedded. \
With --journal-dir an interrupted run resumes; Gram matrices are computed again.")]
pub(super) struct GraphsArgs {
    /// Folder with collections of graphs; without it, MUTAG
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Collections to run, by the names of their folders
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Kernels to run in addition to the baselines, by their names in `mercer kernels` [default: all]
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    kernel: Vec<String>,
    /// Repetitions of 10-fold cross-validation [default: 3]
    #[arg(long, value_name = "N")]
    repetitions: Option<usize>,
    /// Folds within each training set, for choosing parameters [default: 5]
    #[arg(long, value_name = "N")]
    inner_folds: Option<usize>,
    /// Folder for journals of finished work
    #[arg(long, value_name = "DIR")]
    journal_dir: Option<PathBuf>,
    /// Quick trial: every fifth exponent of C, one repetition, three inner folds
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    pub(super) shown: Shown,
}

impl GraphsArgs {
    pub(super) fn options(&self) -> StudyOptions {
        StudyOptions {
            data: self.data.clone(),
            only: self.only.clone(),
            kernel: self.kernel.clone(),
            repetitions: self.repetitions,
            inner_folds: self.inner_folds,
            journal: self.journal_dir.clone(),
            quick: self.quick,
            ..StudyOptions::default()
        }
    }
}

/// Arguments of `mercer reproduce diffusion`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer reproduce diffusion --data categorical/ --quick
  mercer reproduce diffusion --data categorical/ --nodes nodes/cora \\
    --plots figures/ --markdown > diffusion.md

--data takes a folder with UCI tables named breast_cancer_ljubljana/breast_cancer_ljubljana.csv, hepatitis/…, \
adult/adult_first5000.csv, mushroom/…, house_votes_84/…; tables that are not found are listed and skipped. --nodes takes \
folders with nodes.csv and edges.csv; a column split gives the training and the test nodes.")]
pub(super) struct DiffusionArgs {
    /// Folder with UCI tables
    #[arg(long, value_name = "FOLDER")]
    data: Option<PathBuf>,
    /// Tables to run, by the paper's names
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Folders of graphs whose nodes are classified
    #[arg(long, value_name = "FOLDER,…", value_delimiter = ',')]
    nodes: Vec<PathBuf>,
    /// Random splits of each table [default: 40]
    #[arg(long, alias = "divisions", value_name = "N")]
    splits: Option<usize>,
    /// Quick trial: four coefficients, three splits
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    pub(super) shown: Shown,
}

impl DiffusionArgs {
    pub(super) fn options(&self) -> StudyOptions {
        StudyOptions {
            data: self.data.clone(),
            only: self.only.clone(),
            nodes: self.nodes.clone(),
            splits: self.splits,
            quick: self.quick,
            ..StudyOptions::default()
        }
    }
}

/// Arguments of `mercer reproduce similarity`.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  mercer reproduce similarity --data data/ --part archive --quick
  mercer reproduce similarity --data data/ --journal-dir journals/ \\
    --markdown > similarity.md

--data takes a folder with timeseries/NAME/NAME_TRAIN.ts and NAME_TEST.ts, timeseries/EEG_alcoholic_S1/, \
genes/NAME/NAME.csv, strings/sms_spam/sms_spam.csv and molecules/ESOL/ESOL.csv; data sets that are not found are listed \
and skipped. With --journal-dir an interrupted run resumes.")]
pub(super) struct SimilarityArgs {
    /// Folder with the data
    #[arg(long, value_name = "FOLDER")]
    data: PathBuf,
    /// Parts of the study to run [default: all]
    #[arg(long, value_enum, value_name = "PART,…", value_delimiter = ',')]
    part: Vec<PartName>,
    /// Data sets to run, by the names of their folders
    #[arg(long, value_name = "NAME,…", value_delimiter = ',')]
    only: Vec<String>,
    /// Folder for journals of finished work
    #[arg(long, value_name = "DIR")]
    journal_dir: Option<PathBuf>,
    /// Quick trial: three inner folds, two splits by person
    #[arg(long)]
    quick: bool,
    #[command(flatten)]
    pub(super) shown: Shown,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum PartName {
    /// Series in the archive's splits
    Archive,
    /// EEG by person (table 1)
    Eeg,
    /// Gene expression (table 6)
    Genes,
    /// Short messages (stand-in for tables 4 and 5)
    Text,
    /// Solubility of molecules (stand-in for table 3)
    Molecules,
}

impl SimilarityArgs {
    pub(super) fn options(&self) -> StudyOptions {
        StudyOptions {
            data: Some(self.data.clone()),
            part: names(&self.part),
            only: self.only.clone(),
            journal: self.journal_dir.clone(),
            quick: self.quick,
            ..StudyOptions::default()
        }
    }
}
