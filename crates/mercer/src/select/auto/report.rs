//! What came of the candidates, in numbers and in words.

use super::clock::Clock;
use super::propose::Candidate;
use crate::error::{Result, Warning};
use crate::select::compare::{Pair, Settings as Judging, p_value};
use crate::select::score::{Bootstrap, mean_over_folds};
use crate::select::search::Answers;
use crate::select::{Comparison, Interval, Predictions, Protocol, Score, SearchMap, Splits};

/// The level of the intervals.
const LEVEL: f64 = 0.95;

/// What a run found.
#[derive(Clone, Debug)]
pub struct Report {
    /// The number of objects there are.
    pub objects: usize,
    /// The number of objects searched on.
    pub used: usize,
    /// What is compared.
    pub score: Score,
    /// The outer divisions, whose test parts give the scores.
    pub protocol: Protocol,
    /// The inner ones, in which parameters were chosen.
    pub inner: Protocol,
    /// The number of outer divisions.
    pub divisions: usize,
    /// What knows nothing but the target.
    pub guess: Guess,
    /// What was tried, best first.
    pub trials: Vec<Trial>,
    /// What was not, in the order it would have been.
    pub skipped: Vec<Skipped>,
    /// Columns that no candidate looks at, each with the reason.
    pub unused: Vec<(String, String)>,
    /// What else should be known.
    pub warnings: Vec<Warning>,
    /// Seconds the search took.
    pub searched: f64,
    /// Whether scores are of all test objects together rather than means over splits: there is one split, or one object in each.
    pub pooled: bool,
    /// Other measures, which the verdict looks at where the first shows nothing.
    pub also: Vec<Score>,
    /// What these say, for each the method with the best score; empty where the first measure shows enough.
    pub beyond: Vec<ByMeasure>,
    /// The seed of divisions and samples.
    pub seed: u64,
    /// The objects searched on, where not all.
    pub(super) rows: Option<Vec<usize>>,
    pub(super) clock: Clock,
}

/// Scores over divisions, put together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The mean over the divisions with a score.
    pub mean: Option<f64>,
    /// The standard deviation over them, for at least two.
    pub sd: Option<f64>,
    /// The interval of the mean, by the corrected resampled t.
    pub interval: Option<Interval>,
}

impl Summary {
    /// The interval is cut to the values the score can have.
    pub(super) fn of(scores: &[Option<f64>], score: Score, test_per_train: f64) -> Result<Self> {
        let mut table = Comparison::new("score", true, &["it"], &["data"])?;
        table.set(0, 0, scores)?;
        let known: Vec<f64> = scores.iter().flatten().copied().collect();
        let (least, most) = match score {
            Score::Rmse | Score::Mae => (0.0, f64::INFINITY),
            Score::R2 => (f64::NEG_INFINITY, 1.0),
            Score::Matthews => (-1.0, 1.0),
            _ => (0.0, 1.0),
        };
        let interval = mean_over_folds(&known, test_per_train, LEVEL)?.value();
        let interval = interval.map(|i| Interval {
            low: i.low.clamp(least, most),
            high: i.high.clamp(least, most),
            ..i
        });
        Ok(Summary { mean: table.mean(0, 0), sd: table.sd(0, 0), interval })
    }

    /// Of all test objects together, with an interval where one is wanted.
    pub(super) fn of_objects(answers: &Answers, score: Score, interval: bool, seed: u64) -> Result<Self> {
        let bootstrap = Bootstrap { level: LEVEL, seed, ..Bootstrap::default() };
        let interval = if interval { answers.interval(score, &bootstrap)?.value() } else { None };
        Ok(Summary { mean: answers.measure(score)?.value(), sd: None, interval })
    }
}

/// Scores of one measure.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Scored {
    /// One per outer split.
    pub(super) scores: Vec<Option<f64>>,
    /// These put together.
    pub(super) summary: Summary,
}

/// The baseline: the majority class, or the mean of the training set, for every object.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// What it is called.
    pub name: &'static str,
    /// Its scores, one per outer division.
    pub scores: Vec<Option<f64>>,
    /// These put together.
    pub summary: Summary,
    /// The same by other measures.
    pub(super) also: Vec<Scored>,
    pub(super) answers: Answers,
}

/// A method compared with the baseline by another measure.
#[derive(Clone, Debug, PartialEq)]
pub struct ByMeasure {
    /// The measure.
    pub score: Score,
    /// The method with the best value, as a place among the trials.
    pub trial: usize,
    /// Its value.
    pub value: Option<f64>,
    /// The baseline's.
    pub baseline: Option<f64>,
    /// How the two compare, p adjusted over the methods.
    pub outcome: Outcome,
}

/// A candidate that was tried.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The candidate.
    pub candidate: Candidate,
    /// The cells of its grid.
    pub cells: usize,
    /// What was chosen in each outer division: kernel and learner.
    pub chosen: Vec<(String, String)>,
    /// The scores of these, one per outer division.
    pub scores: Vec<Option<f64>>,
    /// These put together.
    pub summary: Summary,
    /// The same by other measures.
    pub(super) also: Vec<Scored>,
    pub(super) answers: Answers,
    /// What was predicted of the test objects.
    pub predictions: Predictions,
    /// The scores of all cells; none where there was nothing to choose.
    pub map: Option<SearchMap>,
    /// Fits that did not converge.
    pub unconverged: usize,
    /// The seconds it took.
    pub seconds: f64,
    /// It against the guess.
    pub against_guess: Option<Outcome>,
    /// It against the best; none for the best itself.
    pub against_best: Option<Outcome>,
}

impl Trial {
    /// The kernel and the learner chosen most often; of equals those chosen first.
    pub fn typical(&self) -> (&str, &str) {
        let times = |one: &(String, String)| self.chosen.iter().filter(|c| *c == one).count();
        let most = self.chosen.iter().rev().max_by_key(|c| times(c));
        most.map_or(("", ""), |(kernel, learner)| (kernel, learner))
    }
}

/// How two methods compare.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Outcome {
    /// The test.
    pub test: Option<&'static str>,
    /// Its p, adjusted over the methods compared with the same one.
    pub p: Option<f64>,
    /// Whether this one is better (true), worse (false), or neither for sure.
    pub better: Option<bool>,
    /// The divisions in which it has the better score, the same, the worse.
    pub count: [usize; 3],
}

impl Outcome {
    fn of(pair: Pair) -> Self {
        Outcome {
            test: pair.tests.first().map(|t| t.name),
            p: pair.adjusted,
            better: pair.better.map(|method| method == pair.a),
            count: [pair.count.wins, pair.count.ties, pair.count.losses],
        }
    }

    /// The proof in words.
    fn words(&self) -> String {
        match (self.p, self.test) {
            (Some(p), Some(test)) => format!("p {}, {test}, Holm-adjusted", p_value(p)),
            _ => "no test is possible".to_owned(),
        }
    }
}

/// A candidate that has no score.
#[derive(Clone, Debug)]
pub struct Skipped {
    /// The candidate.
    pub candidate: Candidate,
    /// Why not.
    pub why: String,
}

/// The result in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the best is significantly better than the baseline; none where no test can tell.
    pub beats_guess: Option<bool>,
    /// Whether a method is by any measure: the one that is compared, or another.
    pub learned: Option<bool>,
    /// Whether it is significantly better than the plain method; none when it is the plain method, or that was not tried.
    pub beats_plain: Option<bool>,
    /// What that means.
    pub sentences: Vec<String>,
}

impl Report {
    /// Puts the best first, and compares all with it and with the guess.
    pub(super) fn rank(&mut self, splits: &Splits) -> Result<()> {
        let sign = if self.score.greater_is_better() { 1.0 } else { -1.0 };
        // Means of equal scores may differ by a rounding, which is no difference; the order of proposal decides then.
        let rounded = |m: f64| format!("{m:.11e}").parse().unwrap_or(m);
        let value = |t: &Trial| t.summary.mean.map_or(f64::NEG_INFINITY, |m| sign * rounded(m));
        self.trials.sort_by(|a, b| value(b).total_cmp(&value(a)));
        let settings = Judging::default();
        let table = self.table(None, true, splits)?;
        let guess = table.against(0, &settings)?;
        for (trial, pair) in self.trials.iter_mut().zip(guess) {
            trial.against_guess = Some(Outcome::of(pair));
        }
        // The baseline was compared already, and is not charged again.
        for pair in self.table(None, false, splits)?.against(0, &settings)? {
            let at = pair.a;
            self.trials[at].against_best = Some(Outcome::of(pair));
        }
        let shown = |t: &Trial| t.against_guess.as_ref().is_some_and(|o| o.better == Some(true));
        if !self.trials.first().is_some_and(shown) {
            self.beyond = self.by_other_measures(splits)?;
        }
        Ok(())
    }

    /// The scores of all methods by the measure that is compared, or another of [`Report::also`], the baseline's first if wanted.
    /// Pairs that these cannot tell apart are compared object by object.
    fn table(&self, also: Option<usize>, with_guess: bool, splits: &Splits) -> Result<Comparison> {
        let score = also.map_or(self.score, |at| self.also[at]);
        let mut names: Vec<String> = with_guess.then(|| "guess".to_owned()).into_iter().collect();
        names
            .extend(self.trials.iter().map(|t| format!("{} on {}", t.candidate.learner, t.candidate.kernel)));
        let mut table = Comparison::new(score.name(), score.greater_is_better(), &names, &["data"])?
            .with_protocol(self.protocol, splits);
        let guess = with_guess.then(|| {
            let (scores, summary) = match also {
                None => (&self.guess.scores, &self.guess.summary),
                Some(at) => (&self.guess.also[at].scores, &self.guess.also[at].summary),
            };
            (scores, summary, &self.guess.answers)
        });
        let trials = self.trials.iter().map(|t| {
            let (scores, summary) = match also {
                None => (&t.scores, &t.summary),
                Some(at) => (&t.also[at].scores, &t.also[at].summary),
            };
            (scores, summary, &t.answers)
        });
        let mut answers = Vec::with_capacity(names.len());
        for (at, (scores, summary, said)) in guess.into_iter().chain(trials).enumerate() {
            match self.pooled {
                true => table.set(at, 0, &[summary.mean])?,
                false => table.set(at, 0, scores)?,
            }
            answers.push(said);
        }
        match self.protocol.repetitions() {
            1 => table.test_against_first(score, &answers, self.seed)?,
            _ => table.test_signs()?,
        }
        Ok(table)
    }

    /// What measures other than the one that is compared say against the baseline, p adjusted as a search by them would.
    fn by_other_measures(&self, splits: &Splits) -> Result<Vec<ByMeasure>> {
        let settings = Judging::default();
        let mut out = Vec::new();
        for (at, &score) in self.also.iter().enumerate() {
            let sign = if score.greater_is_better() { 1.0 } else { -1.0 };
            let mut best: Option<ByMeasure> = None;
            for (trial, pair) in
                self.table(Some(at), true, splits)?.against(0, &settings)?.into_iter().enumerate()
            {
                let value = self.trials[trial].also[at].summary.mean;
                let ahead = |other: &ByMeasure| {
                    value.is_some_and(|v| other.value.is_none_or(|o| sign * v > sign * o))
                };
                if best.as_ref().is_none_or(ahead) {
                    let baseline = self.guess.also[at].summary.mean;
                    best = Some(ByMeasure { score, trial, value, baseline, outcome: Outcome::of(pair) });
                }
            }
            out.extend(best);
        }
        Ok(out)
    }

    /// What the numbers say.
    pub fn verdict(&self) -> Verdict {
        let value =
            |s: &Summary| s.mean.map_or_else(|| "no value".into(), |m| format!("{} {m:.3}", self.score));
        let Some(best) = self.trials.first() else {
            return Verdict {
                beats_guess: None,
                learned: None,
                beats_plain: None,
                sentences: vec!["Nothing was tried.".into()],
            };
        };
        let guess = best.against_guess.as_ref();
        let beats_guess = guess.and_then(|o| o.p.map(|_| o.better == Some(true)));
        let by_others: Vec<&ByMeasure> =
            self.beyond.iter().filter(|m| m.outcome.better == Some(true)).collect();
        let learned = if by_others.is_empty() { beats_guess } else { Some(true) };
        let (kernel, learner) = best.typical();
        let proof = guess.map(Outcome::words).unwrap_or_default();
        let (name, own, theirs) = (self.guess.name, value(&best.summary), value(&self.guess.summary));
        let mut sentences = vec![match beats_guess {
            Some(true) => {
                format!("Best is {learner} on {kernel}: {own}. The {name} has {theirs} ({proof}).")
            }
            Some(false) => format!(
                "No method is shown to beat the {name} by {}: it has {theirs}, and the best of the others, {learner} on {kernel}, {own} ({proof}).",
                self.score
            ),
            None => format!(
                "Best is {learner} on {kernel}: {own}. The {name} has {theirs}. Whether that is more than chance cannot be told: {proof}."
            ),
        }];
        for measure in &by_others {
            sentences.push(self.beyond_in_words(measure));
        }
        if by_others.is_empty() && beats_guess == Some(false) {
            let is_worse = guess.is_some_and(|o| o.better == Some(false));
            let doubt = if is_worse {
                "It is significantly worse than the baseline: test objects contradict the training set. Look for swapped labels, or \
                 for test objects of another origin."
            } else {
                "There may be nothing to learn here, or too few objects to learn it from."
            };
            sentences.push(doubt.into());
        }
        let plain = self.trials.iter().find(|t| t.candidate.plain);
        let beats_plain = match plain {
            Some(plain) if !best.candidate.plain => {
                plain.against_best.as_ref().and_then(|o| o.p.map(|_| o.better == Some(false)))
            }
            _ => None,
        };
        if let (Some(plain), Some(beats), Some(true)) = (plain, beats_plain, beats_guess) {
            let proof = plain.against_best.as_ref().map(Outcome::words).unwrap_or_default();
            let not = if beats { "" } else { "not significantly " };
            sentences.push(format!(
                "It is {not}better than the linear baseline, which has {} ({proof}).",
                value(&plain.summary)
            ));
        } else if beats_guess == Some(true) && best.candidate.plain && self.trials.len() > 1 {
            sentences.push("That is the linear baseline: nothing tried beats it.".into());
        }
        sentences.push(self.caution());
        Verdict { beats_guess, learned, beats_plain, sentences }
    }

    /// What another measure shows, in words.
    fn beyond_in_words(&self, measure: &ByMeasure) -> String {
        let value = |v: Option<f64>| v.map_or_else(|| "none".to_owned(), |v| format!("{v:.3}"));
        let (kernel, learner) = self.trials.get(measure.trial).map_or(("", ""), |t| t.typical());
        format!(
            "By {} there is something to learn: {learner} on {kernel} has {}, the baseline {} ({}); a search by {0} finds the best by it.",
            measure.score,
            value(measure.value),
            value(measure.baseline),
            measure.outcome.words()
        )
    }

    /// How far the scores can be trusted.
    fn caution(&self) -> String {
        let mut text = match (self.protocol, self.divisions) {
            (Protocol::TrainTest, _) => {
                "Scores are of the test set the data came with, with parameters chosen inside the training set".to_owned()
            }
            (_, 1) => "Scores are of the test set of one split, with parameters chosen inside the training set".to_owned(),
            (_, many) => format!(
                "Scores are of the test sets of {many} splits, with parameters chosen inside the training sets"
            ),
        };
        if self.trials.len() > 1 {
            text += &format!("; being the best of {} flatters the first a little", self.trials.len());
        }
        text + "."
    }
}
