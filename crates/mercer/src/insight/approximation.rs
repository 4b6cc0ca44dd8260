//! The cost of a kernel approximation in accuracy.

use serde::Serialize;

use super::CertificateTable;
use crate::data::{Dataset, Dense, Target};
use crate::error::{Error, Result};
use crate::expression::{Expression, Learner, LinearRows};
use crate::gram::Engine;
use crate::random::Random;
use crate::select::{Evaluate, Protocol};

/// The error of a low-rank kernel approximation, and its cost in accuracy.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Approximation {
    /// The kernel that was used.
    pub kernel: String,
    /// The kernel it approximates.
    pub exact: String,
    /// The number of features of an object, where the kernel has an explicit feature map.
    pub rank: Option<usize>,
    /// |trace K - trace K̃| / trace K, on the objects compared.
    pub trace_error: f64,
    /// ‖K - K̃‖ / ‖K‖ in Frobenius norm, on the objects compared.
    pub entry_error: f64,
    /// The number of objects compared.
    pub compared: usize,
    /// The name of the score.
    pub score: &'static str,
    /// Its mean over five folds of `scored` objects with the approximation.
    pub approximate_score: Option<f64>,
    /// The same with the exact kernel, and a kernel SVM in place of a linear model.
    pub exact_score: Option<f64>,
    /// The number of objects used for the scores.
    pub scored: usize,
}

/// Number of objects whose matrices are compared.
const COMPARED: usize = 500;
/// Number of objects used for the scores: three per feature, within these bounds.
const SCORED: [usize; 2] = [1000, 3000];

/// Compares an approximation with the exact kernel; nothing if the kernel is exact or the learner has no target.
pub(super) fn of(
    data: &Dataset,
    kernel: &Expression,
    learner: &Learner,
    seed: u64,
    engine: &Engine,
) -> Result<Option<Approximation>> {
    let (Some(exact), Some(target)) = (kernel.exact(), data.target()) else { return Ok(None) };
    let fitted = kernel.fit(data, engine)?;
    let some = data.select(&Random::derived(seed, 0xa99).sample(data.len(), COMPARED));
    // The exact kernel may have fitted parts too; fit them to the same objects.
    let whole = exact.fit(data, engine)?;
    let (near, k) = (engine.gram(&fitted.kernel, &some)?, engine.gram(&whole.kernel, &some)?);
    let rank =
        LinearRows::of(kernel, &fitted.kernel, &some, engine).ok().and_then(|r| Some(r.get().ok()?.dim()));
    let [least, most] = SCORED;
    let count = rank.map_or(least, |r| (3 * r).clamp(least, most));
    let part = data.select(&Random::derived(seed, 0x5c0).sample(data.len(), count));
    let settings = Evaluate { protocol: Protocol::folds(5), also: Vec::new(), seed, ..Evaluate::of(&part)? };
    let score =
        |kernel: &Expression, learner: &Learner| match settings.run(&part, kernel, learner, engine, None) {
            Ok(report) => Ok(report.measures.first().and_then(|m| m.mean)),
            Err(Error::Interrupted) => Err(Error::Interrupted),
            // A score that cannot be computed is shown as missing.
            Err(_) => Ok(None),
        };
    let trace = |m: &Dense| (0..m.rows()).map(|i| m.at(i, i)).sum::<f64>();
    let length = |values: &mut dyn Iterator<Item = f64>| values.map(|v| v * v).sum::<f64>().sqrt();
    let share = |part: f64, whole: f64| if whole > 0.0 { part / whole } else { 0.0 };
    let apart = length(&mut k.values().iter().zip(near.values()).map(|(a, b)| a - b));
    Ok(Some(Approximation {
        kernel: kernel.to_string(),
        exact: exact.to_string(),
        rank,
        trace_error: share((trace(&k) - trace(&near)).abs(), trace(&k)),
        entry_error: share(apart, length(&mut k.values().iter().copied())),
        compared: some.len(),
        score: settings.score.name(),
        approximate_score: score(kernel, learner)?,
        exact_score: score(&exact, &similar(learner, target)?)?,
        scored: part.len(),
    }))
}

/// The kernel counterpart of a linear learner, with the same settings where it has them.
fn similar(learner: &Learner, target: &Target) -> Result<Learner> {
    if !learner.needs_features() {
        return Ok(learner.clone());
    }
    let name = if matches!(target, Target::Classes(_)) { "svc" } else { "svr" };
    let mut out: Learner = name.parse()?;
    for setting in ["C", "epsilon"] {
        if let Some(value) = learner.setting(setting).ok().and_then(|s| s.number())
            && let Ok(with) = out.with(setting, value)
        {
            out = with;
        }
    }
    Ok(out)
}

impl Approximation {
    /// The same as a table of certificates.
    pub(super) fn proof(&self) -> CertificateTable {
        let row = |name: &str, value: String, meaning: &str| [name.to_owned(), value, meaning.to_owned()];
        let percent = |share: f64| format!("{:.2} %", 100.0 * share);
        let score = |value: Option<f64>| value.map_or_else(|| "–".into(), |v| format!("{v:.4}"));
        let rank = self.rank.map_or_else(|| "–".into(), |r| r.to_string());
        let of = format!("{} on five folds of {} objects", self.score, self.scored);
        CertificateTable {
            title: format!("{} in place of {}", self.kernel, self.exact),
            rows: vec![
                row("rank", rank, "features of an object"),
                row("trace error", percent(self.trace_error), "missing share of the objects' squared norms"),
                row(
                    "entry error",
                    percent(self.entry_error),
                    "Frobenius norm of the difference over that of the exact matrix",
                ),
                row("score of the approximation", score(self.approximate_score), &of),
                row(
                    "score of the exact kernel",
                    score(self.exact_score),
                    "the difference is the cost in accuracy",
                ),
            ],
        }
    }
}
