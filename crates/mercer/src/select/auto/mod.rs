//! From a data set to a judged and fitted model, unasked: what to try, what came of it, and which to take.
//!
//! [`propose()`] looks at the columns and the target. [`run()`] searches each candidate inside the same outer divisions, cheap ones
//! first, until its time is up; what was not reached is listed. [`Report::verdict`] says in words which differences are
//! more than chance, against guessing and against the plain linear method, and [`Report::refit`] fits the best to the data.
//!
//! Trying everything at once and stopping in the middle would use the time better, but then a score would depend on how fast
//! the machine is. Here a candidate is tried whole or not at all: the same candidates give the same scores.

mod clock;
mod divide;
mod propose;
mod refit;
mod report;
mod run;
#[cfg(test)]
mod tests;

pub use propose::{Candidate, Proposal, default_kernel, propose};
pub use refit::Refit;
pub use report::{ByMeasure, Guess, Outcome, Report, Skipped, Summary, Trial, Verdict};
pub use run::{Event, Settings, run};
