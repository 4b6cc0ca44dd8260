//! Warnings about the result of an evaluation.

use std::collections::HashSet;

use super::EvaluationReport;
use super::verdict::in_words;
use crate::data::Dataset;
use crate::doctor::Checkup;
use crate::error::Warning;
use crate::select::{Evaluation, Grid, Protocol, Score};

/// The inputs to the warnings, besides the report.
pub(super) struct Facts<'a> {
    pub(super) data: &'a Dataset,
    pub(super) grid: &'a Grid,
    pub(super) evaluation: &'a Evaluation,
    pub(super) checkup: &'a Checkup,
}

/// All warnings, the most important first.
pub(super) fn of(report: &EvaluationReport, facts: &Facts<'_>) -> Vec<Warning> {
    let mut out = Vec::new();
    if report.verdict.beaten == Some(false) {
        let by = match report.verdict.beats_baseline() {
            Some(true) => format!(" by {}, though it is by another measure", report.settings.score),
            _ => String::new(),
        };
        let message = format!("this is not shown to be better than {}{by}", in_words(report.baseline));
        out.push(Warning::new("W_BASELINE", message));
    }
    if report.transductive {
        let message = "transductive: the kernel was fitted to the test objects too, without their targets; \
                       scores do not hold for objects it has not seen";
        out.push(Warning::new("W_TRANSDUCTIVE", message));
    }
    out.extend(separated_groups(report, facts.data));
    out.extend(findings(report, facts));
    if report.unconverged > 0 {
        let message = format!(
            "{} of {} fits stopped before they converged: allow more iterations or seconds in the learner's expression",
            report.unconverged, report.plan.fits
        );
        out.push(Warning::new("W_NOT_CONVERGED", message));
    }
    let marginless = facts.evaluation.folds.iter().filter(|f| f.fold.no_margin).count();
    if marginless > 0 {
        let message = format!(
            "nu leaves no margin between the classes in {marginless} of {} folds, where predictions carry no information: \
             use a larger nu, or svc with a penalty C",
            report.folds.len()
        );
        out.push(Warning::new("W_NO_MARGIN", message));
    }
    out.extend(edges(facts));
    out.extend(unfitted(facts));
    for summary in report.measures.iter().filter(|s| s.undefined > 0) {
        let message = format!(
            "{} is undefined on {} of {} splits, which its mean leaves out",
            summary.score,
            summary.undefined,
            report.folds.len()
        );
        out.push(Warning::new("W_UNDEFINED", message));
    }
    out
}

/// What the doctor finds in the data, without what the protocol or the score takes care of, and labels that all
/// predictions contradict.
fn findings(report: &EvaluationReport, facts: &Facts<'_>) -> Vec<Warning> {
    let settings = &report.settings;
    let mut out = facts.checkup.warnings();
    out.extend(report.predictions.suspects().map(|finding| finding.warning()));
    let balanced = settings.score != Score::suiting(facts.data) && !settings.score.counts_objects();
    out.retain(|w| w.code != "W_IMBALANCE" || !balanced);
    out
}

/// Groups with members in both a training set and its test set.
fn separated_groups(report: &EvaluationReport, data: &Dataset) -> Option<Warning> {
    let groups = data.groups()?;
    let protocol = report.settings.protocol;
    if protocol.is_grouped() {
        return None;
    }
    if let (Protocol::Given, Some(given)) = (protocol, &report.settings.given) {
        let of = |rows: &[usize]| rows.iter().filter_map(|&i| groups.code(i)).collect::<HashSet<u32>>();
        if given.iter().all(|split| of(&split.train).is_disjoint(&of(&split.test))) {
            return None;
        }
    }
    // The doctor compares the predefined sets.
    if protocol == Protocol::TrainTest && data.test().is_some() {
        return None;
    }
    let better = match protocol.grouped() {
        same if same == protocol => "a protocol for groups, such as group-5-fold".to_owned(),
        better => better.to_string(),
    };
    let message = format!(
        "the data has groups, and {protocol} puts members of one into both sets: scores may be too optimistic (use {better})"
    );
    Some(Warning::new("W_GROUPS", message))
}

/// Chosen values at the edge of their range.
fn edges(facts: &Facts<'_>) -> Vec<Warning> {
    let folds = &facts.evaluation.folds;
    if facts.evaluation.tuning.is_none() {
        return Vec::new();
    }
    let (names, values) = (facts.grid.names(), facts.grid.values());
    let mut low = vec![0usize; names.len()];
    let mut high = vec![0usize; names.len()];
    for fold in folds {
        let at_edge = facts.grid.at_edge(fold.configuration);
        for (at, &position) in facts.grid.position(fold.configuration).iter().enumerate() {
            if at_edge.contains(&names[at].as_str()) && values[at].len() > 2 {
                low[at] += usize::from(position == 0);
                high[at] += usize::from(position + 1 == values[at].len());
            }
        }
    }
    let warn = |at: usize| {
        let ends: Vec<String> = [(low[at], values[at].first()), (high[at], values[at].last())]
            .into_iter()
            // Any value may be the best in a few splits.
            .filter_map(|(count, value)| (3 * count >= folds.len()).then_some((count, value?)))
            .map(|(count, value)| format!("{value} in {count} of {} splits", folds.len()))
            .collect();
        let message = format!(
            "{}: the best value is at the edge of the searched range ({}); a wider range may score higher",
            names[at],
            ends.join(", ")
        );
        (!ends.is_empty()).then(|| Warning::new("W_EDGE", message))
    };
    (0..names.len()).filter_map(warn).collect()
}

/// Configurations without a score.
fn unfitted(facts: &Facts<'_>) -> Option<Warning> {
    let tuning = facts.evaluation.tuning.as_ref()?;
    let mut failed: Vec<usize> = tuning
        .left
        .iter()
        .zip(&tuning.ranges)
        .flat_map(|(configurations, range)| {
            configurations.iter().copied().filter(|&c| tuning.scores.mean_over(c, range.clone()).is_none())
        })
        .collect();
    failed.sort_unstable();
    failed.dedup();
    let (kernel, learner) = facts.grid.describe(*failed.first()?);
    let message = format!(
        "{} of {} configurations could not be fitted or scored on some inner split and were not chosen there, {learner} on {kernel} among them",
        failed.len(),
        tuning.scores.configurations().len()
    );
    Some(Warning::new("W_UNFITTED", message))
}
