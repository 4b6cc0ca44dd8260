//! The layout of a report in run documents.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{EvaluationReport, Verdict};

/// The whole report without time and memory used: the same evaluation gives the same text. Predictions and the map of
/// the search are among the figures of [`crate::insight`].
impl Serialize for EvaluationReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let names: Vec<&str> = self.measures.iter().map(|m| m.score.name()).collect();
        let of = |values: &[Option<f64>]| -> Value {
            names.iter().zip(values).map(|(name, value)| ((*name).to_owned(), json!(value))).collect()
        };
        let folds: Vec<Value> = self
            .folds
            .iter()
            .map(|f| {
                json!({
                    "repetition": f.repetition, "fold": f.fold, "train": f.train, "test": f.test,
                    "kernel": f.kernel, "learner": f.learner, "inner_score": f.inner,
                    "scores": of(&f.scores), "baseline": of(&f.baseline), "converged": f.converged,
                })
            })
            .collect();
        let measures: Vec<Value> = self
            .measures
            .iter()
            .map(|m| {
                json!({
                    "score": m.score, "greater_is_better": m.score.greater_is_better(),
                    "mean": m.mean, "sd": m.sd, "interval": m.interval, "undefined": m.undefined,
                    "baseline": {"mean": m.baseline_mean, "sd": m.baseline_sd},
                })
            })
            .collect();
        let chosen = self.plan.inner_splits > 0;
        json!({
            "kernel": self.method.kernel.to_string(), "learner": self.method.learner.to_string(),
            "objects": self.objects, "classes": self.classes,
            "protocol": self.settings.protocol.to_string(),
            "inner_protocol": chosen.then(|| self.plan.inner.to_string()),
            "search": chosen.then(|| self.settings.strategy.to_string()),
            "seed": self.settings.seed, "score": self.settings.score,
            "configurations": self.plan.configurations, "configurations_tried": self.plan.tried, "splits": self.plan.splits,
            "inner_splits": self.plan.inner_splits, "fits": self.plan.fits,
            "not_converged": self.unconverged, "transductive": self.transductive, "pooled": self.pooled,
            "folds": folds, "measures": measures, "baseline": self.baseline,
            "verdict": self.verdict.document(),
            "warnings": self.warnings,
        })
        .serialize(to)
    }
}

impl Verdict {
    /// The verdict as in run documents.
    pub(super) fn document(&self) -> Value {
        json!({
            "beaten": self.beaten, "learned": self.beats_baseline(), "test": self.test, "others": self.others,
            "sentence": self.sentence,
        })
    }
}
