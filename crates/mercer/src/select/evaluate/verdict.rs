//! Whether a method is better than the baseline.

use super::Evaluate;
use crate::error::Result;
use crate::select::compare::{ComparisonSettings, Correction, Test, p_value};
use crate::select::search::Answers;
use crate::select::{Comparison, Protocol, Score, Splits};

/// A method compared with the baseline on the same splits.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether the baseline is beaten by the score used for choosing: yes, no, or `None` where no test applies.
    pub beaten: Option<bool>,
    /// The test it is based on, if one applies.
    pub test: Option<Test>,
    /// The results of other measures, where this one does not show that the baseline is beaten.
    pub others: Vec<ByMeasure>,
    /// The verdict as a sentence.
    pub sentence: String,
}

/// A method compared with the baseline by another measure.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct ByMeasure {
    /// The measure.
    pub score: Score,
    /// Its value.
    pub value: Option<f64>,
    /// Its value for the baseline.
    pub baseline: Option<f64>,
    /// The test, if one applies.
    pub test: Option<Test>,
    /// Its p value, Holm-adjusted over these measures.
    pub p: Option<f64>,
    /// Whether the baseline is beaten by this measure.
    pub beaten: Option<bool>,
}

/// Significance level.
const ALPHA: f64 = 0.05;

/// The baseline's name in a sentence.
pub(super) fn in_words(baseline: &str) -> &str {
    match baseline {
        "majority" => "the majority-class baseline",
        _ => "the mean baseline",
    }
}

/// The values of one measure for a method and the baseline.
pub(super) struct Measure {
    pub(super) score: Score,
    /// One value per split; where objects are pooled, one over all objects.
    pub(super) own: Vec<Option<f64>>,
    pub(super) baseline: Vec<Option<f64>>,
    /// Over all splits.
    pub(super) mean: Option<f64>,
    pub(super) baseline_mean: Option<f64>,
}

/// The inputs of a verdict.
pub(super) struct Evidence<'a> {
    pub(super) settings: &'a Evaluate,
    pub(super) splits: &'a Splits,
    pub(super) baseline: &'a str,
    /// Whether measures are computed over all test objects together rather than per split.
    pub(super) pooled: bool,
    pub(super) own: &'a Answers,
    pub(super) other: &'a Answers,
    /// The measure used for choosing comes first.
    pub(super) measures: Vec<Measure>,
}

/// The outcome for one measure.
struct Outcome {
    test: Option<Test>,
    better: Option<bool>,
    spread: String,
}

impl Evidence<'_> {
    /// Tests by splits with the combined 5×2cv F test or the corrected resampled t test, depending on the protocol.
    /// Uses a paired test on objects for a single split, for leave-one-out, and where all splits differ by the same
    /// amount.
    fn outcome(&self, measure: &Measure) -> Result<Outcome> {
        let score = measure.score;
        let mut table =
            Comparison::new(score.name(), score.greater_is_better(), &["this", self.baseline], &["data"])?
                .with_protocol(self.settings.protocol, self.splits);
        table.set(0, 0, &measure.own)?;
        table.set(1, 0, &measure.baseline)?;
        match self.settings.protocol.repetitions() {
            1 if self.splits.tests_once() => {
                table.test_objects(score, &[self.own, self.other], self.settings.seed)?;
            }
            _ => table.test_signs()?,
        }
        let tests = table.test(&ComparisonSettings { alpha: ALPHA, ..ComparisonSettings::default() })?;
        let pair = &tests.pairs[0];
        let count = pair.count;
        let all = count.wins + count.ties + count.losses;
        let spread = match (self.pooled, measure.mean, measure.baseline_mean) {
            (true, Some(a), Some(b)) => format!("{score} {a:.3} vs. {b:.3}"),
            (true, ..) => format!("{score} is undefined"),
            _ if count.wins == all => format!("better in all {all} splits"),
            _ => format!("better in {} of {all} splits", count.wins),
        };
        Ok(Outcome { test: pair.tests.first().cloned(), better: pair.better.map(|m| m == 0), spread })
    }

    /// The results of all measures but the first, with p values adjusted for their number.
    fn others(&self) -> Result<Vec<ByMeasure>> {
        let mut out = Vec::new();
        for measure in self.measures.iter().skip(1) {
            let outcome = self.outcome(measure)?;
            let ahead = outcome.test.as_ref().and_then(|t| t.first_larger);
            out.push(ByMeasure {
                score: measure.score,
                value: measure.mean,
                baseline: measure.baseline_mean,
                p: outcome.test.as_ref().and_then(|t| t.p),
                test: outcome.test,
                beaten: ahead,
            });
        }
        let known: Vec<f64> = out.iter().filter_map(|m| m.p).collect();
        let mut adjusted = Correction::Holm.adjust(&known)?.into_iter();
        for measure in &mut out {
            measure.p = measure.p.and_then(|_| adjusted.next());
            measure.beaten = measure.p.map(|p| p < ALPHA && measure.beaten == Some(true));
        }
        Ok(out)
    }

    pub(super) fn verdict(&self) -> Result<Verdict> {
        let Some(first) = self.measures.first() else {
            let sentence = "Nothing was measured.".to_owned();
            return Ok(Verdict { beaten: None, test: None, others: Vec::new(), sentence });
        };
        let Outcome { test, better, spread } = self.outcome(first)?;
        let known = in_words(self.baseline);
        let usual = matches!(first.score, Score::Accuracy | Score::Rmse);
        let by = if usual { String::new() } else { format!(" by {}", first.score) };
        let proof = test.as_ref().and_then(|t| Some(format!("p {}, {}", p_value(t.p?), t.name)));
        let others = if better == Some(true) { Vec::new() } else { self.others()? };
        let learned = others.iter().any(|m| m.beaten == Some(true));
        let (beaten, mut sentence) = match (better, proof) {
            (Some(true), Some(proof)) => {
                (Some(true), format!("Better than {known}{by} ({proof}; {spread})."))
            }
            (Some(false), Some(proof)) => {
                (Some(false), format!("WORSE than {known}{by} ({proof}; {spread})."))
            }
            (_, Some(proof)) if learned => (
                Some(false),
                format!("NOT shown to be better than {known} by {} ({proof}; {spread}).", first.score),
            ),
            (_, Some(proof)) => (
                Some(false),
                format!(
                    "NOT shown to be better than {known}{by} ({proof}; {spread}): {} not show that anything was learned.",
                    match self.settings.protocol {
                        Protocol::TrainTest => "this test set does",
                        _ => "these splits do",
                    }
                ),
            ),
            (_, None) => {
                let why = test.as_ref().and_then(|t| t.remark).unwrap_or("no test applies");
                (None, format!("Not tested against {known}: {why} ({spread})."))
            }
        };
        for measure in others.iter().filter(|m| m.beaten == Some(true)) {
            sentence += &measure.words();
        }
        Ok(Verdict { beaten, test, others, sentence })
    }
}

impl ByMeasure {
    fn words(&self) -> String {
        let value = |v: Option<f64>| v.map_or_else(|| "none".to_owned(), |v| format!("{v:.3}"));
        let proof = match (self.p, &self.test) {
            (Some(p), Some(test)) => format!(" (p {}, {}, Holm-adjusted)", p_value(p), test.name),
            _ => String::new(),
        };
        format!(
            " By {} it is better than the baseline: {} vs. {}{proof}.",
            self.score,
            value(self.value),
            value(self.baseline)
        )
    }
}

impl Verdict {
    /// Whether the baseline is beaten by any measure: yes, no, or `None` where no test applies.
    pub fn beats_baseline(&self) -> Option<bool> {
        match self.others.iter().any(|m| m.beaten == Some(true)) {
            true => Some(true),
            false => self.beaten,
        }
    }
}
