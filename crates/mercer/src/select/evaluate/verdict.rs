//! Whether more was learned than the baseline knows.

use super::Evaluate;
use crate::error::Result;
use crate::select::compare::{Settings, Test, mcnemar, p_value, paired_t};
use crate::select::search::Answers;
use crate::select::{Comparison, Score, Splits};

/// A method beside the baseline on the same divisions.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether the baseline is beaten: yes, no, or not to be told.
    pub beaten: Option<bool>,
    /// The test behind it, if one suits.
    pub test: Option<Test>,
    /// The same in words.
    pub sentence: String,
}

/// Below this a p value counts.
const ALPHA: f64 = 0.05;

/// What the baseline does, in words.
pub(super) fn in_words(baseline: &str) -> &str {
    match baseline {
        "majority" => "always guessing the most frequent class",
        _ => "always guessing the mean",
    }
}

impl Verdict {
    /// By the scores of divisions: the combined 5×2cv F test or the corrected resampled t test, as the protocol demands.
    pub(super) fn of_divisions(
        settings: &Evaluate,
        splits: &Splits,
        baseline: &str,
        own: &[Option<f64>],
        other: &[Option<f64>],
    ) -> Result<Self> {
        let score = settings.score;
        let mut table =
            Comparison::new(score.name(), score.greater_is_better(), &["this", baseline], &["data"])?
                .with_protocol(settings.protocol, splits);
        table.set(0, 0, own)?;
        table.set(1, 0, other)?;
        let judgement = table.judge(&Settings { alpha: ALPHA, ..Settings::default() })?;
        let pair = &judgement.pairs[0];
        let count = pair.count;
        let all = count.wins + count.ties + count.losses;
        let spread = match count.wins {
            wins if wins == all => format!("better in all {all} divisions"),
            wins => format!("better in {wins} of {all} divisions"),
        };
        Ok(Verdict::new(baseline, pair.tests.first().cloned(), pair.better.map(|m| m == 0), &spread))
    }

    /// By objects: McNemar's test for right and wrong classes, the paired t test for absolute errors.
    pub(super) fn of_objects(
        settings: &Evaluate,
        baseline: &str,
        own: &Answers,
        other: &Answers,
    ) -> Result<Self> {
        let value = |answers: &Answers| Ok::<_, crate::Error>(answers.measure(settings.score)?.value());
        let spread = match (value(own)?, value(other)?) {
            (Some(a), Some(b)) => format!("{} {a:.3} beside {b:.3}", settings.score),
            _ => format!("{} has no value", settings.score),
        };
        let test = match settings.score {
            Score::Accuracy | Score::F1Micro => Some(mcnemar(&own.truth, &own.labels, &other.labels)?),
            Score::Mae | Score::Rmse | Score::R2 => {
                let errors = |a: &Answers| -> Vec<f64> {
                    a.true_numbers.iter().zip(&a.numbers).map(|(t, p)| -(t - p).abs()).collect()
                };
                Some(Test { name: "paired t of absolute errors", ..paired_t(&errors(own), &errors(other))? })
            }
            _ => None,
        };
        let significant = test.as_ref().filter(|t| t.p.is_some_and(|p| p < ALPHA));
        let better = significant.and_then(|t| t.first_larger);
        Ok(Verdict::new(baseline, test, better, &spread))
    }

    fn new(baseline: &str, test: Option<Test>, better: Option<bool>, spread: &str) -> Self {
        let known = in_words(baseline);
        let proof = test.as_ref().and_then(|t| Some(format!("p {}, {}", p_value(t.p?), t.name)));
        let (beaten, sentence) = match (better, proof) {
            (Some(true), Some(proof)) => (Some(true), format!("Better than {known} ({proof}; {spread}).")),
            (Some(false), Some(proof)) => (Some(false), format!("WORSE than {known} ({proof}; {spread}).")),
            (_, Some(proof)) => (
                Some(false),
                format!(
                    "NOT shown to be better than {known} ({proof}; {spread}): as far as these divisions can tell, nothing was learned."
                ),
            ),
            (_, None) => {
                let why = test.as_ref().and_then(|t| t.remark).unwrap_or("no test suits");
                (None, format!("Not tested against {known}: {why} ({spread})."))
            }
        };
        Verdict { beaten, test, sentence }
    }
}
