//! Choosing and judging: splits, scores, search, statistical comparison. Nothing but the search, what evaluates by it and
//! [`auto`] knows of learners.
//!
//! * [`Protocol`] says how objects are divided; [`Splits`] are the divisions, [`nested`] divides training parts again.
//! * [`score`] has one function per measure and [`Score`] to choose one by name; a fold that leaves a measure without
//!   meaning gives [`Measured::Undefined`] with the reason, never NaN.
//! * [`Grid`] holds the cells of a search, [`Search`] scores them, inside outer divisions or not.
//! * [`Evaluate`] runs a kernel and a learner through a protocol and gives a [`Report`], [`Contest`] several of them.
//! * [`auto`] proposes kernels and learners for a data set, searches them within a time budget and says what came of it.
//! * [`compare`] has the tests, and [`Comparison`] the table of methods by data sets with its verdicts.

pub mod auto;
pub mod compare;
mod distribution;
mod evaluate;
pub mod score;
mod search;
pub mod split;

pub use compare::Comparison;
pub use evaluate::{
    BestOf, ByMeasure, Contest, Evaluate, FoldReport, LeaveOneOut, Method, Plan, Predictions, Report,
    SearchCell, SearchMap, SearchParameter, Summary, Verdict,
};
pub use score::{Interval, Measured, Needs, Predicted, Score, Truth};
pub use search::{CellScores, Evaluation, Fold, Grid, OuterFold, Search, Strategy, Tuning};
pub use split::{Nested, Objects, Protocol, Split, Splits, nested};
