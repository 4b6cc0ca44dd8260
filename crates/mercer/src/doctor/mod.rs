//! The doctor: faults of a data set that make results look better or worse than they are.
//!
//! [`examine`] takes a data set with its target, split and groups, and returns a [`Checkup`]: a list of [`Finding`]s, the
//! most serious first, each with a code, the columns and objects concerned, the evidence as numbers, and what to do. It
//! changes nothing: no column and no object is ever removed.
//!
//! | code | finding | severity |
//! |---|---|---|
//! | `W_TARGET_COPY` | a column repeats the target under another name | high |
//! | `W_LEAK` | one column alone predicts the target nearly perfectly, and no other comes close | high |
//! | `W_MISSING_LEAK` | whether a value is missing gives the target away: it is known only afterwards | high |
//! | `W_SPLIT_COPIES` | test objects that occur in the training set too | high |
//! | `W_UNSEEN` | categories of the test set that the training set lacks | high; low if rare |
//! | `W_GROUPS` | groups with members in the training set and in the test set | high |
//! | `W_PREDICTION` | a column named as a prediction follows the target closely | high |
//! | `W_IDENTIFIER` | names or row numbers among the features | medium |
//! | `W_DRIFT` | early and late objects can be told apart | medium |
//! | `W_TWINS` | objects with exact copies | medium |
//! | `W_NEAR_TWINS` | objects that are almost the same | medium |
//! | `W_SENTINEL` | a repeated number, such as -999, that looks like a mark for a missing value | medium; low for -1 |
//! | `W_UNITS` | a few values off by a factor such as 10, 1000 or 2.54 | medium |
//! | `W_IMBALANCE` | one class much larger than another | medium |
//! | `W_GROUP_COLUMN` | a column that names persons, patients or other groups | medium |
//! | `W_OUTLIERS` | objects far from all others | low |
//! | `W_CONSTANT`, `W_EMPTY_COLUMN` | columns without information | low |
//!
//! [`labels::suspects`] adds `W_LABELS` from the predictions of an evaluation.
//!
//! Cost: linear in the values for copies and constants, n log n for each feature otherwise. Statistical checks use a
//! random sample of the objects where the values are more than [`Doctor::cells`]; [`Checkup::sampled`] says so.

mod columns;
mod copies;
mod drift;
mod identifiers;
pub mod labels;
mod leaks;
mod near;
mod outliers;
mod rule;
mod sentinels;
mod spelling;
mod units;
mod unseen;
mod view;

use std::fmt;

pub use columns::is_imbalanced;
use serde::Serialize;

use crate::budget;
use crate::data::{Dataset, list};
use crate::error::{Result, Warning};

/// The codes of findings about data.
pub const CODES: [&str; 18] = [
    "W_CONSTANT",
    "W_DRIFT",
    "W_EMPTY_COLUMN",
    "W_GROUPS",
    "W_GROUP_COLUMN",
    "W_IDENTIFIER",
    "W_IMBALANCE",
    "W_LEAK",
    "W_MISSING_LEAK",
    "W_NEAR_TWINS",
    "W_OUTLIERS",
    "W_PREDICTION",
    "W_SENTINEL",
    "W_SPLIT_COPIES",
    "W_TARGET_COPY",
    "W_TWINS",
    "W_UNITS",
    "W_UNSEEN",
];

/// How serious a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Scores are not to be believed until it is dealt with.
    High,
    /// Scores may be too good or too bad.
    Medium,
    /// Worth knowing.
    Low,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Severity::High => "high",
            Severity::Medium => "medium",
            Severity::Low => "low",
        })
    }
}

/// A fault of the data, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// A stable name, such as `W_LEAK`.
    pub code: &'static str,
    /// How serious it is.
    pub severity: Severity,
    /// The columns concerned.
    pub columns: Vec<String>,
    /// The first objects concerned, from 0; empty where it concerns columns as a whole.
    pub objects: Vec<usize>,
    /// The evidence: a number for each name.
    pub evidence: Vec<(&'static str, f64)>,
    /// What was found, in a sentence with its numbers.
    pub message: String,
    /// What to do about it.
    pub advice: String,
}

impl Finding {
    fn new(code: &'static str, severity: Severity, message: String, advice: impl Into<String>) -> Self {
        let (columns, objects, evidence) = (Vec::new(), Vec::new(), Vec::new());
        Finding { code, severity, columns, objects, evidence, message, advice: advice.into() }
    }

    fn columns(mut self, columns: impl IntoIterator<Item = String>) -> Self {
        self.columns = columns.into_iter().collect();
        self
    }

    fn objects(mut self, objects: impl IntoIterator<Item = usize>) -> Self {
        self.objects = objects.into_iter().take(LISTED).collect();
        self
    }

    fn evidence(mut self, name: &'static str, value: f64) -> Self {
        self.evidence.push((name, value));
        self
    }

    /// The number in the evidence with this name.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.evidence.iter().find(|(n, _)| *n == name).map(|(_, v)| *v)
    }

    /// The finding as a warning: the sentence, and what to do.
    pub fn warning(&self) -> Warning {
        Warning::new(self.code, format!("{}; {}", self.message, self.advice))
    }
}

/// Objects listed for a finding at most.
const LISTED: usize = 20;

/// What [`examine`] found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Checkup {
    /// The findings, the most serious first.
    pub findings: Vec<Finding>,
    /// The number of objects in the data.
    pub objects: usize,
    /// The number of objects that statistical checks looked at: all, or a random sample.
    pub sampled: usize,
}

impl Checkup {
    /// The findings as warnings.
    pub fn warnings(&self) -> Vec<Warning> {
        self.findings.iter().map(Finding::warning).collect()
    }

    /// A sentence for a verdict, if a column gives the target away and a method uses it: the score may be due to it.
    pub fn caveat(&self, data: &Dataset, used: &[String]) -> Option<String> {
        const GIVING: [&str; 4] = ["W_TARGET_COPY", "W_LEAK", "W_MISSING_LEAK", "W_PREDICTION"];
        // A coordinate or a length belongs to a column with another name.
        let is_used = |name: &String| used.contains(name) || data.column(name).is_err();
        let giving =
            self.findings.iter().filter(|f| f.severity == Severity::High && GIVING.contains(&f.code));
        let mut columns: Vec<String> = Vec::new();
        let mut codes: Vec<&str> = Vec::new();
        for finding in giving {
            let named: Vec<&String> = finding.columns.iter().filter(|name| is_used(name)).collect();
            if !named.is_empty() && !codes.contains(&finding.code) {
                codes.push(finding.code);
            }
            columns.extend(named.into_iter().cloned());
        }
        columns.dedup();
        let (word, it) = match columns.len() {
            0 => return None,
            1 => ("column", "gives"),
            _ => ("columns", "give"),
        };
        let (names, codes) = (quoted(&columns), codes.join(", "));
        Some(format!(
            "The score may be due to {word} {names}, which {it} the target away ({codes}): see the warning."
        ))
    }

    /// Whether there is a finding with this code.
    pub fn has(&self, code: &str) -> bool {
        self.findings.iter().any(|f| f.code == code)
    }
}

/// Settings of an examination.
///
/// ```
/// use mercer::data::{Categories, Column, Dataset, Dense, Target, Values};
/// use mercer::doctor::Doctor;
/// let codes: Vec<u32> = (0..60).map(|i| (i % 2) as u32).collect();
/// let classes = Categories::new(codes.clone(), vec!["no".into(), "yes".into()])?;
/// let column = |name: &str, of: &dyn Fn(usize) -> f64| {
///     Ok::<_, mercer::Error>(Column::new(name, Values::Numbers(Dense::new(60, 1, (0..60).map(of).collect())?)))
/// };
/// let columns = vec![column("age", &|i| (i * 37 % 59) as f64 / 7.0)?, column("result", &|i| codes[i].into())?];
/// let data = Dataset::new(columns)?.with_target("ill", Target::Classes(classes))?;
/// let checkup = Doctor::default().examine(&data)?;
/// assert_eq!((checkup.findings[0].code, checkup.findings[0].columns[0].as_str()), ("W_TARGET_COPY", "result"));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Doctor {
    /// The column with the time of each object; by default one that is named or written as a time.
    pub time: Option<String>,
    /// Values that statistical checks look at, at most: objects are sampled if the data has more.
    pub cells: usize,
    /// The seed of the sample.
    pub seed: u64,
}

impl Default for Doctor {
    fn default() -> Self {
        Doctor { time: None, cells: 1_000_000, seed: 0 }
    }
}

/// Examines a data set with default settings: see [`Doctor::examine`].
pub fn examine(data: &Dataset) -> Result<Checkup> {
    Doctor::default().examine(data)
}

/// Fewer objects than this tell nothing.
const FEWEST: usize = 20;

impl Doctor {
    /// Looks for faults in the columns, the target, the groups and the split of a data set.
    ///
    /// What concerns the target is learned from the training set, where the data has one. Fails only when the budget
    /// is used up or an unknown column is named.
    pub fn examine(&self, data: &Dataset) -> Result<Checkup> {
        if let Some(name) = &self.time {
            data.column(name)?;
        }
        let mut findings = columns::of_target(data);
        findings.extend(unseen::of(data));
        if data.len() < FEWEST {
            let sampled = data.len();
            return Ok(Checkup { findings: sorted(findings), objects: data.len(), sampled });
        }
        let view = view::View::of(data, self)?;
        findings.extend(columns::constant(data, &view));
        budget::check()?;
        let ids = identifiers::of(data, &view);
        let named: Vec<usize> = ids.iter().flat_map(|(columns, _)| columns.iter().copied()).collect();
        findings.extend(ids.into_iter().map(|(_, finding)| finding));
        findings.extend(leaks::of(data, &view)?);
        findings.extend(copies::of(data, &view, &named)?);
        findings.extend(near::of(data, &view, &named)?);
        findings.extend(copies::groups(data));
        findings.extend(identifiers::groups(data, &view));
        budget::check()?;
        findings.extend(drift::of(data, &view, self.time.as_deref(), &named)?);
        findings.extend(sentinels::of(data, &view)?);
        findings.extend(units::of(data, &view)?);
        findings.extend(outliers::of(data, &view, &named)?);
        Ok(Checkup { findings: sorted(findings), objects: data.len(), sampled: view.rows.len() })
    }
}

fn sorted(mut findings: Vec<Finding>) -> Vec<Finding> {
    findings.sort_by_key(|f| f.severity);
    findings
}

/// Names for a message, in quotes: at most six, and the number of all.
fn quoted(names: &[String]) -> String {
    let quoted: Vec<String> = names.iter().map(|n| format!("'{n}'")).collect();
    list(quoted.iter().map(String::as_str))
}

/// The option that leaves columns out, for a message.
fn leave_out(names: &[String]) -> String {
    // A comma separates names, a backtick ends the option.
    let plain = |n: &String| !n.is_empty() && !n.contains([',', '`', '"']) && !n.contains(char::is_control);
    match names {
        [] => String::new(),
        _ if names.len() <= 8 && names.iter().all(plain) => format!("`ignore={}`", names.join(",")),
        _ => "`ignore`".into(),
    }
}

/// A share in per cent, with a digit where it is small.
fn percent(share: f64) -> String {
    let value = 100.0 * share;
    if value > 0.0 && value < 1.0 || value > 99.0 && value < 100.0 {
        format!("{value:.1} %")
    } else {
        format!("{value:.0} %")
    }
}

/// A count with its noun.
fn counted(n: usize, thing: &str) -> String {
    if n == 1 { format!("1 {thing}") } else { format!("{n} {thing}s") }
}
