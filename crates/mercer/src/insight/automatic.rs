//! The results of an automatic search as a run document.

use serde_json::{Value, json};

use crate::model::BlendMember;
use crate::select::auto::{AutoReport, MeasureResult, Refit, ScoreSummary, Trial};

/// The length of a kernel's outline, in characters, beyond which it has no parameters.
const OUTLINE: usize = 48;

/// A search and its final model as `mercer auto` writes them: methods best first, those not tried, the verdict and the model.
pub fn automatic(report: &AutoReport, refit: &Refit) -> Value {
    let verdict = report.verdict();
    let member = |m: &BlendMember| {
        let (kernel, learner) = (m.model.expression().to_string(), m.model.learner().to_string());
        json!({ "weight": m.weight, "kernel": kernel, "learner": learner })
    };
    let with = |mut object: Value, s: &ScoreSummary| {
        object.as_object_mut().zip(json!(s).as_object()).into_iter().for_each(|(o, s)| {
            o.extend(s.iter().map(|(k, v)| (k.clone(), v.clone())));
        });
        object
    };
    let outlines = report.outlines(OUTLINE);
    let trial = |(t, outline): (&Trial, &String)| {
        let (kernel, learner) = t.typical();
        let chosen: Vec<Value> = t.chosen.iter().map(|(k, l)| json!({ "kernel": k, "learner": l })).collect();
        let object = json!({
            "kernel": kernel, "learner": learner, "outline": outline, "simple_baseline": t.candidate.simple, "reason": t.candidate.reason, "objects": t.objects,
            "searched": { "kernel": t.candidate.kernel.to_string(), "learner": t.candidate.learner.to_string(), "configurations": t.configurations },
            "scores": t.scores, "chosen": chosen, "unconverged": t.unconverged, "seconds": t.seconds,
            "against_baseline": t.against_baseline, "against_best": t.against_best,
        });
        let mut object = with(object, &t.summary);
        if !t.blend.is_empty() {
            object["blend"] = t
                .blend
                .iter()
                .map(|p| json!({ "weight": p.weight, "kernel": p.kernel, "learner": p.learner }))
                .collect();
        }
        object
    };
    let members: Vec<Value> = refit.model.members().iter().map(member).collect();
    let baseline = with(
        json!({ "name": report.baseline.name, "scores": report.baseline.scores }),
        &report.baseline.summary,
    );
    let beyond = |m: &MeasureResult| {
        let (kernel, learner) = report.trials.get(m.trial).map_or(("", ""), Trial::typical);
        json!({
            "score": m.score, "kernel": kernel, "learner": learner, "value": m.value, "baseline": m.baseline,
            "against_baseline": m.outcome,
        })
    };
    let skipped = report.skipped.iter().map(|s| {
        json!({
            "kernel": s.candidate.kernel.to_string(), "learner": s.candidate.learner.to_string(),
            "reason": s.candidate.reason, "why": s.why,
        })
    });
    let unused = report.unused.iter().map(|(column, why)| json!({ "column": column, "why": why }));
    json!({
        "objects": report.objects, "tested": report.tested, "used": report.used, "scored": report.scored(), "seed": report.seed,
        "interrupted": report.is_interrupted,
        "score": report.score, "greater_is_better": report.score.greater_is_better(),
        "protocol": report.protocol.to_string(), "inner": report.inner.to_string(), "pooled": report.pooled,
        "seconds": report.searched,
        "baseline": baseline, "tried": report.trials.iter().zip(&outlines).map(trial).collect::<Vec<_>>(),
        "screened": report.screened.iter().zip(outlines.iter().skip(report.trials.len())).map(trial).collect::<Vec<_>>(), "not_tried": skipped.collect::<Vec<_>>(), "unused": unused.collect::<Vec<_>>(),
        "warnings": report.warnings, "scaffolds": report.scaffolds,
        "verdict": {
            "beats_baseline": verdict.beats_baseline, "learned": verdict.learned, "beats_simple_baseline": verdict.beats_simple,
            "expected": report.claim, "contributions": report.contributions,
            "by_other_measures": report.beyond.iter().map(beyond).collect::<Vec<_>>(), "text": verdict.sentences.join(" "),
        },
        "model": {
            "kernel": refit.model.expression().to_string(),
            "learner": refit.model.learner().to_string(), "objects": refit.objects, "at_edge": refit.edges,
            "parameters_of_most_splits": refit.is_usual, "why_not_all": refit.why, "approximate": refit.approximate,
            "members": members, "why_no_blend": refit.not_blended,
        },
    })
}
