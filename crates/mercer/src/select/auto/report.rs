//! The results of the candidates, as numbers and as text.

use super::blend::BlendPart;
use super::claim::Claim;
use super::clock::Clock;
use super::contributions::Contribution;
use super::propose::Candidate;
use super::scaffolds::ScaffoldGap;
use super::split::DataSplit;
use super::whole::OnAll;
use crate::data::Dataset;
use crate::error::{Result, Warning};
use crate::expression::outlines;
use crate::select::compare::{ComparisonSettings, Pair, p_value};
use crate::select::score::{Bootstrap, mean_over_folds};
use crate::select::search::Answers;
use crate::select::{Comparison, Interval, Predictions, Protocol, Score, SearchMap, Splits};

/// The confidence level of the intervals.
const LEVEL: f64 = 0.95;
/// The length of a kernel's outline in a sentence, in characters, beyond which it has no parameters.
const IN_SENTENCES: usize = 48;
/// There are fewer bootstrap samples for many objects: their product stays below this.
const WORK: usize = 40_000_000;

/// The result of a run.
#[derive(Clone, Debug)]
pub struct AutoReport {
    /// The number of objects in the data, without those of a predefined test set.
    pub objects: usize,
    /// The number of objects in the predefined test set, of which nothing here depends.
    pub tested: usize,
    /// The number of objects used in the search.
    pub used: usize,
    /// The measure by which candidates are compared.
    pub score: Score,
    /// The outer splits, whose test sets give the scores.
    pub protocol: Protocol,
    /// The inner splits, on which parameters were chosen.
    pub inner: Protocol,
    /// The number of outer splits.
    pub splits: usize,
    /// The majority-class or mean baseline.
    pub baseline: BaselineResult,
    /// The candidates that were tried, best first.
    pub trials: Vec<Trial>,
    /// Where all objects were scored: the candidates as scored on the sample, best first. Empty otherwise.
    pub screened: Vec<Trial>,
    /// The candidates without a score, in the order of the proposal.
    pub skipped: Vec<Skipped>,
    /// Columns that no candidate uses, each with the reason.
    pub unused: Vec<(String, String)>,
    /// Warnings about the data.
    pub warnings: Vec<Warning>,
    /// Seconds that the search took.
    pub searched: f64,
    /// Whether the search was interrupted: the report has what was finished by then.
    pub is_interrupted: bool,
    /// Whether scores are computed over all test objects together rather than as means over splits: with a single
    /// split, or one object in each.
    pub pooled: bool,
    /// Other measures for the verdict, used where the first shows no difference.
    pub also: Vec<Score>,
    /// The results of the other measures, each for the method with the best score; empty where the first measure
    /// suffices.
    pub beyond: Vec<MeasureResult>,
    /// The score of the best method to be expected on new data, corrected for the choice among all trials.
    pub claim: Option<Claim>,
    /// What each kind of column contributes, where there are several.
    pub contributions: Vec<Contribution>,
    /// For molecules, the best method on splits by scaffold.
    pub scaffolds: Option<ScaffoldGap>,
    /// That the score may be due to a column that gives the target away, if the best method uses one.
    pub caveat: Option<String>,
    /// The seed for splits and samples.
    pub seed: u64,
    /// The objects used in the search, if not all.
    pub(super) rows: Option<Vec<usize>>,
    pub(super) clock: Clock,
}

/// Scores summarised over splits.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct ScoreSummary {
    /// The mean over the splits with a score.
    pub mean: Option<f64>,
    /// The standard deviation over them, for at least two.
    pub sd: Option<f64>,
    /// The confidence interval of the mean, by the corrected resampled t.
    pub interval: Option<Interval>,
}

impl ScoreSummary {
    /// Summarises scores per split. The interval is clipped to the range of the score.
    pub(super) fn of(scores: &[Option<f64>], score: Score, test_per_train: f64) -> Result<Self> {
        let mut table = Comparison::new("score", true, &["it"], &["data"])?;
        table.set(0, 0, scores)?;
        let known: Vec<f64> = scores.iter().flatten().copied().collect();
        let (least, most) = score.range();
        let interval = mean_over_folds(&known, test_per_train, LEVEL)?.value();
        let interval = interval.map(|i| Interval {
            low: i.low.clamp(least, most),
            high: i.high.clamp(least, most),
            ..i
        });
        Ok(ScoreSummary { mean: table.mean(0, 0), sd: table.sd(0, 0), interval })
    }

    /// The score over all test objects together, with an interval if requested.
    pub(super) fn of_objects(answers: &Answers, score: Score, interval: bool, seed: u64) -> Result<Self> {
        let resamples = (WORK / answers.len().max(1)).clamp(200, Bootstrap::default().resamples);
        let bootstrap = Bootstrap { level: LEVEL, seed, resamples };
        let interval = if interval { answers.interval(score, &bootstrap)?.value() } else { None };
        Ok(ScoreSummary { mean: answers.measure(score)?.value(), sd: None, interval })
    }
}

/// Scores of one measure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scored {
    /// One per outer split.
    pub(super) scores: Vec<Option<f64>>,
    /// Their summary.
    pub(super) summary: ScoreSummary,
}

/// The majority-class baseline or the mean baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct BaselineResult {
    /// Its name.
    pub name: &'static str,
    /// Its scores, one per outer split.
    pub scores: Vec<Option<f64>>,
    /// Their summary.
    pub summary: ScoreSummary,
    /// The same for other measures.
    pub(super) also: Vec<Scored>,
    pub(super) answers: Answers,
}

/// A method compared with the baseline by another measure.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureResult {
    /// The measure.
    pub score: Score,
    /// The index of the method with the best value among the trials.
    pub trial: usize,
    /// Its value.
    pub value: Option<f64>,
    /// The value of the baseline.
    pub baseline: Option<f64>,
    /// How the two compare, with p adjusted over the methods.
    pub outcome: PairOutcome,
}

/// A candidate that was tried.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The candidate.
    pub candidate: Candidate,
    /// The number of configurations in its grid.
    pub configurations: usize,
    /// The measure of its scores.
    pub score: Score,
    /// The number of objects in its splits.
    pub objects: usize,
    /// The kernel and the learner fitted in each outer split.
    pub chosen: Vec<(String, String)>,
    /// The configuration of the grid chosen in each outer split.
    pub(super) picked: Vec<usize>,
    /// Their scores, one per outer split.
    pub scores: Vec<Option<f64>>,
    /// Their summary.
    pub summary: ScoreSummary,
    /// The same for other measures.
    pub(super) also: Vec<Scored>,
    pub(super) answers: Answers,
    /// For each row of the predictions the number, or the values of the classes.
    pub(super) values: Vec<f64>,
    /// The methods whose predictions it averages, those with the largest weights first; empty for a single method.
    pub blend: Vec<BlendPart>,
    /// The sum of their kernels.
    pub(super) summed: String,
    /// The predictions for the test objects.
    pub predictions: Predictions,
    /// The scores of all configurations; none where there was nothing to choose.
    pub map: Option<SearchMap>,
    /// The number of fits that did not converge.
    pub unconverged: usize,
    /// The seconds it took.
    pub seconds: f64,
    /// Its comparison with the baseline.
    pub against_baseline: Option<PairOutcome>,
    /// Its comparison with the best; none for the best itself.
    pub against_best: Option<PairOutcome>,
}

impl Trial {
    /// The method chosen most often, in few words.
    pub fn brief(&self) -> String {
        if !self.blend.is_empty() {
            return format!("a blend of {} methods", self.blend.len());
        }
        let (kernel, learner) = self.typical();
        let kernel = outlines(&[(kernel, learner)], IN_SENTENCES).concat();
        format!("{learner} on {kernel}")
    }

    /// The configuration chosen in most outer splits.
    pub(super) fn usual(&self) -> usize {
        let times = |one: &usize| self.picked.iter().filter(|c| *c == one).count();
        self.picked.iter().rev().copied().max_by_key(times).unwrap_or(0)
    }

    /// By how much its scores are better than those of another on the same splits, on average, and the standard error of that mean;
    /// none with fewer than two splits in which both have scores.
    fn ahead_of(&self, other: &Trial) -> Option<(f64, f64)> {
        let sign = if self.score.greater_is_better() { 1.0 } else { -1.0 };
        let both = self.scores.iter().zip(&other.scores);
        let d: Vec<f64> = both.filter_map(|(a, b)| Some(sign * ((*a)? - (*b)?))).collect();
        let n = d.len() as f64;
        let mean = d.iter().sum::<f64>() / n;
        let variance = d.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0);
        (d.len() > 1).then(|| (mean, (variance / n).sqrt()))
    }

    /// Its mean score, larger for better ones. Means of equal scores may differ by rounding, which does not count.
    pub(super) fn quality(&self, score: Score) -> f64 {
        let sign = if score.greater_is_better() { 1.0 } else { -1.0 };
        let rounded = |m: f64| format!("{m:.11e}").parse().unwrap_or(m);
        self.summary.mean.map_or(f64::NEG_INFINITY, |m| sign * rounded(m))
    }

    /// The kernel and the learner chosen most often, of a blend the sum of those of its members; ties go to those chosen first.
    pub fn typical(&self) -> (&str, &str) {
        if !self.blend.is_empty() {
            return (&self.summed, self.candidate.learner.name());
        }
        let times = |one: &(String, String)| self.chosen.iter().filter(|c| *c == one).count();
        let most = self.chosen.iter().rev().max_by_key(|c| times(c));
        most.map_or(("", ""), |(kernel, learner)| (kernel, learner))
    }
}

/// The comparison of two methods.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct PairOutcome {
    /// The name of the test.
    pub test: Option<&'static str>,
    /// Its p value, adjusted over the methods compared with the same one.
    pub p: Option<f64>,
    /// Whether this one is significantly better (true) or worse (false); none where neither is significant.
    pub better: Option<bool>,
    /// The number of splits in which its score is better, equal, and worse.
    pub count: [usize; 3],
}

impl PairOutcome {
    fn of(pair: Pair) -> Self {
        PairOutcome {
            test: pair.tests.first().map(|t| t.name),
            p: pair.adjusted,
            better: pair.better.map(|method| method == pair.a),
            count: [pair.count.wins, pair.count.ties, pair.count.losses],
        }
    }

    /// The test result as text.
    fn words(&self) -> String {
        match (self.p, self.test) {
            (Some(p), Some(test)) => format!("p {}, {test}, Holm-adjusted", p_value(p)),
            _ => "no test is possible".to_owned(),
        }
    }
}

/// A candidate without a score.
#[derive(Clone, Debug)]
pub struct Skipped {
    /// The candidate.
    pub candidate: Candidate,
    /// The reason.
    pub why: String,
}

/// The result as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AutoVerdict {
    /// Whether the best is significantly better than the baseline; none where no test applies.
    pub beats_baseline: Option<bool>,
    /// Whether any method is significantly better than the baseline, by the main measure or another.
    pub learned: Option<bool>,
    /// Whether the best is significantly better than the simple baseline; none when it is that baseline, or that was
    /// not tried.
    pub beats_simple: Option<bool>,
    /// The verdict as sentences.
    pub sentences: Vec<String>,
}

impl AutoReport {
    /// Sorts the trials, best first, and compares all with the best and with the baseline.
    pub(super) fn rank(&mut self, splits: &Splits) -> Result<()> {
        // Of equal scores the order of proposal decides.
        self.trials.sort_by(|a, b| b.quality(self.score).total_cmp(&a.quality(self.score)));
        self.prefer_single();
        let settings = ComparisonSettings::default();
        let table = self.table(None, true, splits)?;
        let baseline = table.against(0, &settings)?;
        for (trial, pair) in self.trials.iter_mut().zip(baseline) {
            trial.against_baseline = Some(PairOutcome::of(pair));
        }
        // The baseline was compared above, so it is not included in this adjustment again.
        for pair in self.table(None, false, splits)?.against(0, &settings)? {
            let at = pair.a;
            self.trials[at].against_best = Some(PairOutcome::of(pair));
        }
        let shown = |t: &Trial| t.against_baseline.as_ref().is_some_and(|o| o.better == Some(true));
        if !self.trials.first().is_some_and(shown) {
            self.beyond = self.by_other_measures(splits)?;
        }
        Ok(())
    }

    /// Puts the best single method before a blend that is not better by more than one standard error of the difference over the
    /// splits: it is one model, and easier to explain.
    fn prefer_single(&mut self) {
        let Some(place) = self.trials.iter().position(|t| t.blend.is_empty()) else { return };
        let single = &self.trials[place];
        let beats = |(mean, error): (f64, f64)| mean > error;
        if self.trials[..place].iter().all(|blend| !blend.ahead_of(single).is_some_and(beats)) {
            self.trials[..=place].rotate_right(1);
        }
    }

    /// The best method that is not a blend.
    pub fn single(&self) -> Option<&Trial> {
        self.trials.iter().find(|t| t.blend.is_empty())
    }

    /// What became of the blend, if there is one, as a sentence.
    fn blend_in_words(&self) -> Option<String> {
        let place = self.trials.iter().position(|t| !t.blend.is_empty())?;
        let trial = &self.trials[place];
        let methods: Vec<_> = trial.blend.iter().map(|p| (p.kernel.as_str(), p.learner.as_str())).collect();
        let named = trial.blend.iter().zip(outlines(&methods, IN_SENTENCES));
        let members: Vec<String> =
            named.map(|(p, kernel)| format!("{:.2} {} on {kernel}", p.weight, p.learner)).collect();
        let members = members.join("; ");
        if place == 0 {
            return Some(format!(
                "The blend is the weighted mean of the predictions of {members}. Its weights for each split were chosen on the held-out \
                 predictions for the others."
            ));
        }
        let first = self.trials.first()?;
        let mean = trial.summary.mean?;
        (trial.quality(self.score) >= first.quality(self.score)).then(|| {
            format!(
                "A blend ({members}) has {} {mean:.3}, which is not better by more than one standard error: the single method is kept.",
                self.score
            )
        })
    }

    /// Replaces the scores on the sample, which are kept, by those on all objects.
    pub(super) fn prefer(&mut self, whole: OnAll, split: &DataSplit) -> Result<()> {
        self.screened = std::mem::replace(&mut self.trials, whole.trials);
        self.baseline = whole.baseline;
        (self.protocol, self.inner, self.splits) = (split.outer, split.inner, split.nested.len());
        self.pooled = split.is_pooled();
        self.beyond = Vec::new();
        self.rank(&split.splits)
    }

    /// Makes the numbers of objects in predictions refer to the whole data, of which the sample or the training set is a part.
    pub(super) fn number_objects(&mut self, data: &Dataset) {
        let learning: Option<Vec<usize>> =
            data.test().map(|test| (0..data.len()).filter(|&i| !test[i]).collect());
        let sampled = if self.screened.is_empty() { &mut self.trials } else { &mut self.screened };
        if let Some(rows) = &self.rows {
            sampled.iter_mut().flat_map(|t| &mut t.predictions.objects).for_each(|i| *i = rows[*i]);
        }
        if let Some(learning) = learning {
            let all = self.trials.iter_mut().chain(&mut self.screened);
            all.flat_map(|t| &mut t.predictions.objects).for_each(|i| *i = learning[*i]);
        }
    }

    /// The number of objects on which the scores of the trials are.
    pub fn scored(&self) -> usize {
        if self.screened.is_empty() { self.used } else { self.objects }
    }

    /// The scores of all methods by the main measure, or by another of [`AutoReport::also`], optionally with the baseline
    /// first. Pairs for which the scores give no test result are compared object by object.
    fn table(&self, also: Option<usize>, with_baseline: bool, splits: &Splits) -> Result<Comparison> {
        let score = also.map_or(self.score, |at| self.also[at]);
        let mut names: Vec<String> = with_baseline.then(|| "baseline".to_owned()).into_iter().collect();
        names
            .extend(self.trials.iter().map(|t| format!("{} on {}", t.candidate.learner, t.candidate.kernel)));
        let mut table = Comparison::new(score.name(), score.greater_is_better(), &names, &["data"])?
            .with_protocol(self.protocol, splits);
        let baseline = with_baseline.then(|| {
            let (scores, summary) = match also {
                None => (&self.baseline.scores, &self.baseline.summary),
                Some(at) => (&self.baseline.also[at].scores, &self.baseline.also[at].summary),
            };
            (scores, summary, &self.baseline.answers)
        });
        let trials = self.trials.iter().map(|t| {
            let (scores, summary) = match also {
                None => (&t.scores, &t.summary),
                Some(at) => (&t.also[at].scores, &t.also[at].summary),
            };
            (scores, summary, &t.answers)
        });
        let mut answers = Vec::with_capacity(names.len());
        for (at, (scores, summary, predictions)) in baseline.into_iter().chain(trials).enumerate() {
            match self.pooled {
                true => table.set(at, 0, &[summary.mean])?,
                false => table.set(at, 0, scores)?,
            }
            answers.push(predictions);
        }
        match self.protocol.repetitions() {
            1 => table.test_against_first(score, &answers, self.seed)?,
            _ => table.test_signs()?,
        }
        Ok(table)
    }

    /// Compares methods with the baseline by the other measures, with p adjusted as in a search by that measure.
    fn by_other_measures(&self, splits: &Splits) -> Result<Vec<MeasureResult>> {
        let settings = ComparisonSettings::default();
        let mut out = Vec::new();
        for (at, &score) in self.also.iter().enumerate() {
            let sign = if score.greater_is_better() { 1.0 } else { -1.0 };
            let mut best: Option<MeasureResult> = None;
            for (trial, pair) in
                self.table(Some(at), true, splits)?.against(0, &settings)?.into_iter().enumerate()
            {
                let value = self.trials[trial].also[at].summary.mean;
                let ahead = |other: &MeasureResult| {
                    value.is_some_and(|v| other.value.is_none_or(|o| sign * v > sign * o))
                };
                if best.as_ref().is_none_or(ahead) {
                    let baseline = self.baseline.also[at].summary.mean;
                    best =
                        Some(MeasureResult { score, trial, value, baseline, outcome: PairOutcome::of(pair) });
                }
            }
            out.extend(best);
        }
        Ok(out)
    }

    /// The kernels of all methods in outline, up to about `most` characters each: those of [`AutoReport::trials`], then those
    /// of [`AutoReport::screened`].
    pub fn outlines(&self, most: usize) -> Vec<String> {
        let methods: Vec<_> = self.trials.iter().chain(&self.screened).map(Trial::typical).collect();
        outlines(&methods, most)
    }

    /// The methods in few words.
    fn in_words(&self) -> Vec<String> {
        let all = self.trials.iter().chain(&self.screened).zip(self.outlines(IN_SENTENCES));
        let words = |(trial, kernel): (&Trial, String)| match trial.blend.is_empty() {
            true => format!("{} on {kernel}", trial.typical().1),
            false => trial.brief(),
        };
        all.map(words).collect()
    }

    /// The conclusions from the numbers.
    pub fn verdict(&self) -> AutoVerdict {
        let value =
            |s: &ScoreSummary| s.mean.map_or_else(|| "no value".into(), |m| format!("{} {m:.3}", self.score));
        let Some(best) = self.trials.first() else {
            return AutoVerdict {
                beats_baseline: None,
                learned: None,
                beats_simple: None,
                sentences: vec!["Nothing was tried.".into()],
            };
        };
        let baseline = best.against_baseline.as_ref();
        let beats_baseline = baseline.and_then(|o| o.p.map(|_| o.better == Some(true)));
        let by_others: Vec<&MeasureResult> =
            self.beyond.iter().filter(|m| m.outcome.better == Some(true)).collect();
        let learned = if by_others.is_empty() { beats_baseline } else { Some(true) };
        let methods = self.in_words();
        let method = &methods[0];
        let proof = baseline.map(PairOutcome::words).unwrap_or_default();
        let (name, own, theirs) = (self.baseline.name, value(&best.summary), value(&self.baseline.summary));
        let mut sentences = vec![match beats_baseline {
            Some(true) => {
                format!("Best is {method}: {own}. The {name} has {theirs} ({proof}).")
            }
            Some(false) => format!(
                "No method is shown to beat the {name} by {}: it has {theirs}, and the best of the others, {method}, {own} ({proof}).",
                self.score
            ),
            None => format!(
                "Best is {method}: {own}. The {name} has {theirs}. Whether the difference is significant is unknown: {proof}."
            ),
        }];
        for measure in &by_others {
            sentences.push(self.beyond_in_words(measure));
        }
        if by_others.is_empty() && beats_baseline == Some(false) {
            let is_worse = baseline.is_some_and(|o| o.better == Some(false));
            let doubt = if is_worse {
                "It is significantly worse than the baseline: test objects contradict the training set. Check for swapped \
                 labels, or for test objects from another source."
            } else {
                "There may be nothing to learn here, or too few objects to learn it from."
            };
            sentences.push(doubt.into());
        }
        let plain = self.trials.iter().zip(&methods).find(|(t, _)| t.candidate.simple);
        let beats_simple = match plain {
            Some((plain, _)) if !best.candidate.simple => {
                plain.against_best.as_ref().and_then(|o| o.p.map(|_| o.better == Some(false)))
            }
            _ => None,
        };
        if let (Some((plain, name)), Some(beats), Some(true)) = (plain, beats_simple, beats_baseline) {
            let proof = plain.against_best.as_ref().map(PairOutcome::words).unwrap_or_default();
            let not = if beats { "" } else { "not significantly " };
            sentences.push(format!(
                "It is {not}better than the simple baseline, {name}, which has {} ({proof}).",
                value(&plain.summary)
            ));
        } else if beats_baseline == Some(true) && best.candidate.simple && self.trials.len() > 1 {
            sentences.push("That is the simple baseline: no other method beats it.".into());
        }
        sentences.extend(self.blend_in_words());
        sentences.extend(self.contributions_in_words());
        sentences.push(self.caution());
        if let Some(caveat) = &self.caveat {
            sentences.insert(0, caveat.clone());
        }
        let is_single = best.blend.is_empty();
        sentences.extend(self.scaffolds.as_ref().map(|gap| gap.sentence(self.score.name(), is_single)));
        AutoVerdict { beats_baseline, learned, beats_simple, sentences }
    }

    /// The result of another measure as a sentence.
    fn beyond_in_words(&self, measure: &MeasureResult) -> String {
        let value = |v: Option<f64>| v.map_or_else(|| "none".to_owned(), |v| format!("{v:.3}"));
        let methods = self.in_words();
        let method = methods.get(measure.trial).map_or("", String::as_str);
        format!(
            "By {} a method beats the baseline: {method} has {}, the baseline {} ({}); use {0} as the score to optimise it.",
            measure.score,
            value(measure.value),
            value(measure.baseline),
            measure.outcome.words()
        )
    }

    /// How the scores were obtained, and how far they are optimistic.
    fn caution(&self) -> String {
        let mut text = match (self.protocol, self.splits) {
            (_, many) if self.tested > 0 => format!(
                "Scores are of {many} splits of the training set, with parameters chosen inside each; the test set has no part in them"
            ),
            (_, 1) => {
                "Scores are of the test set of one split, with parameters chosen inside the training set"
                    .to_owned()
            }
            (_, many) => format!(
                "Scores are of the test sets of {many} splits, with parameters chosen inside the training sets"
            ),
        };
        text.push('.');
        if let Some(claim) = &self.claim {
            let chosen = match claim.methods {
                1 => String::new(),
                many => format!(", corrected for choosing the best of {many}"),
            };
            text += &format!(
                " On new data expect {} {:.3} ({:.0} % interval {:.3} to {:.3}){chosen}.",
                claim.score,
                claim.expected,
                100.0 * claim.level,
                claim.low,
                claim.high
            );
        }
        text
    }
}
