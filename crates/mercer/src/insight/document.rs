//! The results of a run as data, from which run documents and reports are made.

use serde::Serialize;

use super::profile::{ColumnProfile, DataProfile};
use super::{Figures, Stability};
use crate::data::{Dataset, Target};
use crate::error::{Result, Warning};
use crate::gram::Engine;
use crate::select::{ClassSize, EvaluationReport};

/// An evaluation as `mercer evaluate` writes it: [`outcome`] and [`evaluation`] make it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EvaluationDocument {
    /// The report. Its warnings include those about the data and the figures.
    #[serde(flatten)]
    pub report: EvaluationReport,
    /// The name of the target.
    pub target: Option<String>,
    /// A summary of the data, where there are figures.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<DataSummary>,
    /// Data for plots, where they were computed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub figures: Option<Figures>,
}

/// A summary of a data set, made by [`summary`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DataSummary {
    /// The number of objects.
    pub objects: usize,
    /// Whether the objects have ids.
    pub ids: bool,
    /// The columns, in order.
    pub columns: Vec<ColumnSummary>,
    /// The target, if there is one.
    pub target: Option<TargetSummary>,
}

/// A summary of a column.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ColumnSummary {
    /// Its name.
    pub name: String,
    /// The name of its kind: see [`crate::data::Kind::name`].
    pub kind: &'static str,
    /// What the values are, and how many are missing.
    pub detail: String,
}

/// A summary of a target.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum TargetSummary {
    /// Classes to be predicted.
    Classes {
        /// The name of the target.
        name: Option<String>,
        /// The classes with the number of their members.
        classes: Vec<ClassSize>,
    },
    /// A number to be predicted; the values are none without objects.
    Number {
        /// The name of the target.
        name: Option<String>,
        /// The smallest value.
        min: Option<f64>,
        /// The median, the lower of two.
        median: Option<f64>,
        /// The largest value.
        max: Option<f64>,
    },
}

/// The report of an evaluation, with warnings about the data.
pub fn outcome(data: &Dataset, report: &EvaluationReport) -> EvaluationDocument {
    let mut report = report.clone();
    report.warnings.extend_from_slice(data.warnings());
    EvaluationDocument { report, target: data.target_name().map(str::to_owned), summary: None, figures: None }
}

/// The document of an evaluation: [`outcome`], a summary of the data, and the figures of the most often chosen kernel
/// and learner, fitted to all of the data but a predefined test set.
///
/// ```
/// use mercer::{data::generate, gram::Engine, insight, select::{Evaluate, Protocol}};
/// let data = generate::half_moons(40, 0.1, 1)?;
/// let settings = Evaluate { protocol: Protocol::folds(2), ..Evaluate::of(&data)? };
/// let report = settings.run(&data, &"rbf(gamma=1)".parse()?, &"svc(C=1)".parse()?, &Engine::new(), None)?;
/// let document = insight::evaluation(&data, &report, &Engine::new())?;
/// assert_eq!(document.summary.unwrap().objects, 40);
/// assert_eq!(document.figures.unwrap().spectrum.unwrap().negative, 0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn evaluation(data: &Dataset, report: &EvaluationReport, engine: &Engine) -> Result<EvaluationDocument> {
    let (kernel, learner) = report.typical();
    let mut figures = Figures::of(data, &kernel.parse()?, &learner.parse()?, report.settings.seed, engine)?;
    figures.predictions = Some(report.predictions.clone());
    figures.search = report.search.clone();
    match Stability::of(data, report, engine) {
        Ok(stability) => figures.stability = stability,
        Err(why) => figures.miss("drivers by split", why)?,
    }
    let mut document = outcome(data, report);
    document.report.warnings.extend(figures.warning());
    Ok(EvaluationDocument { summary: Some(summary(data)?), figures: Some(figures), ..document })
}

impl Figures {
    /// A warning if the matrix is indefinite.
    pub fn warning(&self) -> Option<Warning> {
        let spectrum = self.spectrum.as_ref().filter(|s| s.negative > 0)?;
        let message = format!(
            "{} of {} eigenvalues are negative: no feature space has these similarities, and support vector machines may \
             not find the best solution; repair(...) makes the matrix positive semidefinite",
            spectrum.negative,
            spectrum.values.len()
        );
        Some(Warning::new("W_INDEFINITE", message))
    }
}

/// A summary of a data set: columns and target.
pub fn summary(data: &Dataset) -> Result<DataSummary> {
    let profile = DataProfile::of(data)?;
    let column = |c: ColumnProfile| {
        let mut detail = c.described(|_| String::new());
        if c.missing > 0 {
            detail += &format!("; {} missing", c.missing);
        }
        ColumnSummary { name: c.name, kind: c.kind, detail }
    };
    Ok(DataSummary {
        objects: data.len(),
        ids: data.ids().is_some(),
        columns: profile.columns.into_iter().map(column).collect(),
        target: profile.target,
    })
}

/// A summary of a target.
pub(super) fn target_summary(target: &Target, name: Option<&str>) -> TargetSummary {
    let name = name.map(str::to_owned);
    match target {
        Target::Classes(classes) => TargetSummary::Classes { name, classes: ClassSize::of(classes) },
        Target::Numbers(y) => {
            let mut sorted = y.clone();
            sorted.sort_by(f64::total_cmp);
            let at = |share: usize| sorted.get((sorted.len().saturating_sub(1)) * share / 2).copied();
            TargetSummary::Number { name, min: at(0), median: at(1), max: at(2) }
        }
    }
}
