//! Reproductions of published experiments.
//!
//! Each study implements its protocol, runs it on the data it was published for, and shows the results next to the
//! printed ones. Printed values are quoted with their source and are never a target: nothing here is tuned towards
//! them.
//!
//! [`STUDIES`] lists the studies; [`Study::run`] runs one with its options, as the program and the Python package do.
//!
//! ```
//! use mercer::gram::Engine;
//! use mercer_reproduce::{Study, StudyOptions, StudyReport};
//! let chapter = Study::find("chapter")?.run(&StudyOptions::default(), &Engine::new(), &mut |_| ())?;
//! assert!(matches!(chapter.report, StudyReport::Worked(values) if values.disagree == 0));
//! # Ok::<(), mercer::Error>(())
//! ```

// Modules of the main crate under their original names, so that `crate::data` and the like work here.
use mercer::{data, error, expression, gram, kernel, learn, numeric, random, read, select, solve};

pub mod diffusion;
pub mod experiment;
pub mod graphs;
mod options;
pub mod problem;
pub mod random_walk;
mod sheet;
pub mod similarity;
mod studies;
pub mod worked;

pub use options::StudyOptions;
pub use sheet::ReportTable;
pub use studies::{STUDIES, Study, StudyReport, StudyResult};
