//! Automatic model selection: proposes candidates for a data set, evaluates them, and fits the best.
//!
//! [`propose()`] derives candidates from the columns and the target. [`run()`] searches each candidate inside the same
//! outer splits, cheap ones first, until the time budget is used up; candidates not reached are listed.
//! [`AutoReport::verdict`] states which differences from the baseline and from the simple baseline are significant.
//! [`AutoReport::refit`] fits the best candidate to the data.
//!
//! Searching all candidates at once and stopping in the middle would use the time better, but scores would then depend
//! on the speed of the computer. Here a candidate is searched completely or not at all: the same candidates give the
//! same scores.

mod blend;
mod claim;
mod clock;
mod contributions;
mod depth;
mod propose;
mod refit;
mod report;
mod run;
mod scaffolds;
mod scale;
mod session;
mod split;
#[cfg(test)]
mod tests;
mod whole;
mod work;

pub use blend::BlendPart;
pub use claim::Claim;
pub use contributions::Contribution;
pub use propose::{Candidate, Proposal, default_kernel, propose};
pub use refit::Refit;
pub use report::{
    AutoReport, AutoVerdict, BaselineResult, MeasureResult, PairOutcome, ScoreSummary, Skipped, Trial,
};
pub use run::{AutoSettings, Event, run};
pub use scaffolds::ScaffoldGap;
