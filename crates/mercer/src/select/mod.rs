//! Model selection and evaluation: splits, scores, search, statistical comparison. Only the search, [`Evaluate`] and
//! [`auto`] depend on learners.
//!
//! * [`Protocol`] names a splitting scheme; [`Splits`] holds its splits; [`nested`] splits the training sets again.
//! * [`score`] has one function per measure, and [`Score`] selects one by name. A measure that a fold leaves undefined
//!   gives [`Measured::Undefined`] with the reason, never NaN.
//! * [`Grid`] holds the configurations of a search; [`Search`] scores them, with or without outer splits.
//! * [`Evaluate`] evaluates a kernel and a learner under a protocol and returns a [`EvaluationReport`]; [`MethodComparison`] evaluates
//!   several.
//! * [`Conformal`] calibrates models on objects they were not fitted to, so that predictions come with a confidence.
//! * [`auto`] proposes kernels and learners for a data set, searches them within a time budget and reports the result.
//! * [`compare`] has the statistical tests; [`Comparison`] is the table of methods by data sets with its test results.

pub mod auto;
pub mod compare;
mod conformal;
mod coverage;
mod distribution;
mod evaluate;
pub mod score;
mod search;
pub mod split;

pub use compare::Comparison;
pub use conformal::Conformal;
pub use coverage::{Coverage, CoverageRow};
pub use evaluate::{
    BestOf, ByMeasure, ClassSize, ComparisonReport, Evaluate, EvaluationReport, FoldReport, LeaveOneOut,
    Method, MethodComparison, MethodReport, Plan, Predictions, SearchMap, SearchParameter, SearchPoint,
    Summary, TestReport, Verdict,
};
pub use score::{Interval, Measured, Needs, Predicted, Score, Truth};
pub use search::{ConfigurationScores, Evaluation, Fold, Grid, OuterFold, Search, Strategy, Tuning};
pub use split::{Nested, Objects, Protocol, Split, Splits, nested};
