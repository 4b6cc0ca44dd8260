//! Published experiments, done again.
//!
//! Each study holds its protocol, runs it on the data it was published for, and shows what came out next to what was printed.
//! Printed figures are carried over with their source and are never a goal: nothing here is tuned towards them.
//!
//! [`STUDIES`] lists them; [`Study::run`] runs one by its name and options, as the program and the Python package do.
//!
//! ```
//! use mercer::gram::Engine;
//! use mercer_reproduce::{Study, StudyOptions};
//! let chapter = Study::find("chapter")?.run(&StudyOptions::default(), &Engine::new(), &mut |_| ())?;
//! assert_eq!(chapter.document["disagree"], 0);
//! # Ok::<(), mercer::Error>(())
//! ```

// What the studies know of the crate below, by the names it has there.
use mercer::{data, error, expression, gram, kernel, learn, numeric, random, read, select, solve};

pub mod diffusion;
pub mod graphs;
pub mod random_walk;
mod sheet;
pub mod similarity;
mod studies;
pub mod worked;

pub use studies::{STUDIES, Study, StudyOptions, StudyResult};
