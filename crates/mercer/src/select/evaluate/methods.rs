//! Comparing several methods on several data sets.

use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::Serialize;

use super::{Evaluate, EvaluationReport};
use crate::data::Dataset;
use crate::doctor;
use crate::error::{Error, Result, Warning};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;
use crate::select::Comparison;
use crate::select::compare::ComparisonTests;
use crate::select::search::Answers;

/// A kernel and a learner, each possibly with ranges: `rbf(gamma=2^-5..2^3) | svc(C=[1, 10])`.
///
/// ```
/// use mercer::select::Method;
/// let method: Method = "standardize(linear) | svc(C=10)".parse()?;
/// assert_eq!((method.kernel.to_string(), method.to_string()), ("standardize(linear)".into(), "standardize(linear) | svc(C=10)".into()));
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Method {
    /// The kernel.
    pub kernel: Expression,
    /// The learner.
    pub learner: Learner,
}

impl Method {
    /// Short names for methods: a kernel or learner common to all is left out, and so are parameters with their default
    /// value. Kernels whose short forms are equal are printed whole.
    ///
    /// ```
    /// use mercer::select::Method;
    /// let methods = ["wl(h=2, ignore=others) | svc", "wl(h=2) | svc"].map(|m| m.parse().unwrap());
    /// let names = Method::names(&methods);
    /// assert!(names[0].contains("ignore=others") && names[1].contains("ignore=nothing"));
    /// assert_eq!(Method::names(&methods[..1]), ["wl(h=2) | svc"]);
    /// ```
    pub fn names(methods: &[Method]) -> Vec<String> {
        let same = |text: fn(&Method) -> String| methods.windows(2).all(|two| text(&two[0]) == text(&two[1]));
        let (kernels, learners) = (same(|m| m.kernel.to_string()), same(|m| m.learner.to_string()));
        let kernel = |m: &Method| {
            let short = m.kernel.brief();
            match methods.iter().any(|other| other.kernel != m.kernel && other.kernel.brief() == short) {
                true => m.kernel.to_string(),
                false => short,
            }
        };
        let name = |m: &Method| match (kernels, learners) {
            (false, true) => kernel(m),
            (true, false) => m.learner.to_string(),
            _ => format!("{} | {}", kernel(m), m.learner),
        };
        let mark = |m: &Method| if m.kernel.is_transductive() { " (transductive)" } else { "" };
        methods.iter().map(|m| format!("{}{}", name(m), mark(m))).collect()
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} | {}", self.kernel, self.learner)
    }
}

impl FromStr for Method {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        // Column names in a kernel may contain the character too; learners do not.
        let (kernel, learner) = text
            .rsplit_once('|')
            .ok_or_else(|| Error::param("method", format!("'{text}'"), "KERNEL | LEARNER"))?;
        Ok(Method { kernel: kernel.trim().parse()?, learner: learner.trim().parse()? })
    }
}

/// Several methods on several data sets, all on the same splits, with the baseline as the last method.
///
/// ```
/// use mercer::{data::generate, gram::Engine, select::{MethodComparison, Evaluate, Protocol, compare::ComparisonSettings}};
/// let data = generate::half_moons(60, 0.1, 1)?;
/// let settings = Evaluate { protocol: Protocol::FIVE_BY_TWO, ..Evaluate::of(&data)? };
/// let methods = ["rbf(gamma=1) | svc".parse()?, "linear | svc".parse()?];
/// let mut comparison = MethodComparison::new(settings, &methods, &["moons"])?;
/// comparison.add(0, &data, &Engine::new(), None)?;
/// assert_eq!(comparison.table.methods(), ["rbf", "linear", "majority"]);
/// println!("{}", comparison.table.test(&ComparisonSettings::default())?.text());
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct MethodComparison {
    settings: Evaluate,
    methods: Vec<Method>,
    /// The scores.
    pub table: Comparison,
    /// The underlying reports, with the numbers of the method and the data set.
    pub reports: Vec<(usize, usize, EvaluationReport)>,
}

/// The result of a comparison: [`MethodComparison::report`].
#[derive(Clone, Debug, Serialize)]
pub struct ComparisonReport<'a> {
    /// The table with its tests and verdicts.
    #[serde(flatten)]
    pub tests: &'a ComparisonTests<'a>,
    /// The evaluation of every method on every data set.
    pub evaluations: Vec<MethodReport<'a>>,
    /// Their warnings: see [`MethodComparison::warnings`].
    pub warnings: Vec<Warning>,
}

/// The evaluation of a method on a data set.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct MethodReport<'a> {
    /// The name of the method.
    pub method: &'a str,
    /// The name of the data set.
    pub data: &'a str,
    /// The evaluation.
    #[serde(flatten)]
    pub report: &'a EvaluationReport,
}

impl MethodComparison {
    /// A comparison for these methods and data set names, without scores yet. Methods must be distinct.
    pub fn new(settings: Evaluate, methods: &[Method], data: &[impl AsRef<str>]) -> Result<Self> {
        if methods.is_empty() {
            return Err(Error::usage("no methods to compare"));
        }
        let numbers = settings.score.needs() == crate::select::Needs::Numbers;
        let baseline = if numbers { "mean" } else { "majority" };
        let mut names = Method::names(methods);
        names.push(baseline.to_owned());
        let table = Comparison::new(settings.score.name(), settings.score.greater_is_better(), &names, data)?;
        Ok(MethodComparison { settings, methods: methods.to_vec(), table, reports: Vec::new() })
    }

    /// The number of fits that all methods need on a data set. Every error that can be found in advance is reported
    /// here.
    pub fn fits(&self, data: &Dataset, engine: &Engine) -> Result<usize> {
        let fits = |m: &Method| self.settings.plan(data, &m.kernel, &m.learner, engine).map(|plan| plan.fits);
        self.methods.iter().map(fits).sum()
    }

    /// Evaluates all methods on a data set. The path for journals must be a directory: each evaluation has its own file
    /// in it.
    pub fn add(&mut self, at: usize, data: &Dataset, engine: &Engine, journals: Option<&Path>) -> Result<()> {
        if let Some(path) = journals.filter(|path| !path.is_dir()) {
            return Err(Error::usage(format!("{} is not a directory: journals need one", path.display())));
        }
        if self.reports.is_empty() {
            self.table =
                self.table.clone().with_protocol(self.settings.protocol, &self.settings.splits(data)?);
        }
        let checkup = engine.budget().enter(|| doctor::examine(data))?;
        for (m, method) in self.methods.iter().enumerate() {
            let which = (&method.kernel, &method.learner);
            let report = self.settings.run_examined(data, &checkup, which, engine, journals)?;
            // Where test objects are pooled, there is one score.
            let (own, baseline) = match (report.pooled, report.measures.first()) {
                (true, Some(first)) => (vec![first.mean], vec![first.baseline_mean]),
                _ => (
                    report.folds.iter().map(|f| f.scores[0]).collect::<Vec<_>>(),
                    report.folds.iter().map(|f| f.baseline[0]).collect(),
                ),
            };
            self.table.set(m, at, &own)?;
            self.table.set(self.methods.len(), at, &baseline)?;
            self.reports.push((m, at, report));
        }
        self.test_objects()
    }

    /// Compares methods object by object, if there is only one data set and its scores cannot be tested.
    fn test_objects(&mut self) -> Result<()> {
        if self.table.data_sets().len() > 1 {
            return Ok(());
        }
        if self.settings.protocol.repetitions() > 1 {
            return self.table.test_signs();
        }
        let mut answers: Vec<&Answers> =
            self.reports.iter().map(|(_, _, report)| &report.answers.0).collect();
        answers.extend(self.reports.first().map(|(_, _, report)| &report.answers.1));
        self.table.test_objects(self.settings.score, &answers, self.settings.seed)
    }

    /// The tests of the table with the underlying reports and their warnings.
    pub fn report<'a>(&'a self, tests: &'a ComparisonTests<'a>) -> ComparisonReport<'a> {
        let named = |(m, d, report): &'a (usize, usize, EvaluationReport)| MethodReport {
            method: &self.table.methods()[*m],
            data: &self.table.data_sets()[*d],
            report,
        };
        let evaluations = self.reports.iter().map(named).collect();
        ComparisonReport { tests, evaluations, warnings: self.warnings() }
    }

    /// The warnings of the reports, except about the baseline, which the verdicts cover, and about labels, of which methods
    /// differ. Equal warnings of a method on
    /// several data sets are merged.
    pub fn warnings(&self) -> Vec<Warning> {
        // The key of a warning: its code, its method unless it concerns the data alone, and its message before any
        // details.
        type Key<'k> = (&'static str, Option<usize>, &'k str);
        let mut out: Vec<(Key<'_>, Vec<&str>, &str)> = Vec::new();
        for (m, d, report) in &self.reports {
            let data = self.table.data_sets()[*d].as_str();
            for warning in report.warnings.iter().filter(|w| !matches!(w.code, "W_BASELINE" | "W_LABELS")) {
                let method = (!doctor::CODES.contains(&warning.code)).then_some(*m);
                let start = warning.message.split(" (").next().unwrap_or_default();
                let key = (warning.code, method, start);
                match out.iter_mut().find(|known| known.0 == key) {
                    Some(known) if known.1.contains(&data) => {}
                    Some(known) => known.1.push(data),
                    None => out.push((key, vec![data], &warning.message)),
                }
            }
        }
        let say = |((code, method, start), data, message): (Key<'_>, Vec<&str>, &str)| {
            let method = method.map_or_else(String::new, |m| format!("{} on ", self.table.methods()[m]));
            let message = if data.len() > 1 { start } else { message };
            Warning::new(code, format!("{method}{}: {message}", data.join(", ")))
        };
        out.into_iter().map(say).collect()
    }
}
