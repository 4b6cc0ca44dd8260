//! What came of the candidates, in numbers and in words.

use super::budget::Budget;
use super::propose::Candidate;
use crate::error::{Result, Warning};
use crate::select::compare::{Pair, Settings as Judging, p_value};
use crate::select::score::mean_over_folds;
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
    /// The seed of divisions and samples.
    pub seed: u64,
    /// The objects searched on, where not all.
    pub(super) rows: Option<Vec<usize>>,
    pub(super) budget: Budget,
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
}

/// The trivial baseline: the training part's most frequent class, or its mean, for every object.
#[derive(Clone, Debug, PartialEq)]
pub struct Guess {
    /// What it says.
    pub name: &'static str,
    /// Its scores, one per outer division.
    pub scores: Vec<Option<f64>>,
    /// These put together.
    pub summary: Summary,
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
        let count = [pair.count.wins, pair.count.ties, pair.count.losses];
        let all: usize = count.iter().sum();
        // Differences that are the same everywhere leave a test without a scale; nothing could be clearer.
        let constant = pair.adjusted.is_none() && all > 2;
        let better = match pair.better {
            Some(method) => Some(method == pair.a),
            None if constant && count[0] == all => Some(true),
            None if constant && count[2] == all => Some(false),
            None => None,
        };
        Outcome { test: pair.tests.first().map(|t| t.name), p: pair.adjusted, better, count }
    }

    /// The proof in words.
    fn words(&self) -> String {
        match (self.p, self.test) {
            (Some(p), Some(test)) => format!("p {}, {test}, Holm-adjusted", p_value(p)),
            _ => {
                let all: usize = self.count.iter().sum();
                format!("{} of {all} divisions better, which no test can weigh", self.count[0])
            }
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
    /// Whether the best is significantly better than the guess.
    pub beats_guess: bool,
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
        let names: Vec<String> = std::iter::once("guess".to_owned())
            .chain(self.trials.iter().map(|t| format!("{} on {}", t.candidate.learner, t.candidate.kernel)))
            .collect();
        let mut table =
            Comparison::new(self.score.name(), self.score.greater_is_better(), &names, &["data"])?
                .with_protocol(self.protocol, splits);
        table.set(0, 0, &self.guess.scores)?;
        for (at, trial) in self.trials.iter().enumerate() {
            table.set(at + 1, 0, &trial.scores)?;
        }
        let settings = Judging::default();
        let guess = table.against(0, &settings)?;
        for (trial, pair) in self.trials.iter_mut().zip(guess) {
            trial.against_guess = Some(Outcome::of(pair));
        }
        // The guess was asked about already, and is not charged again.
        let mut among =
            Comparison::new(self.score.name(), self.score.greater_is_better(), &names[1..], &["data"])?
                .with_protocol(self.protocol, splits);
        for (at, trial) in self.trials.iter().enumerate() {
            among.set(at, 0, &trial.scores)?;
        }
        for pair in among.against(0, &settings)? {
            let at = pair.a;
            self.trials[at].against_best = Some(Outcome::of(pair));
        }
        Ok(())
    }

    /// What the numbers say.
    pub fn verdict(&self) -> Verdict {
        let value =
            |s: &Summary| s.mean.map_or_else(|| "no value".into(), |m| format!("{} {m:.3}", self.score));
        let Some(best) = self.trials.first() else {
            return Verdict {
                beats_guess: false,
                beats_plain: None,
                sentences: vec!["Nothing was tried.".into()],
            };
        };
        let guess = best.against_guess.as_ref();
        let beats_guess = guess.is_some_and(|o| o.better == Some(true));
        let (kernel, learner) = best.typical();
        let first = if beats_guess {
            format!(
                "Best is {learner} on {kernel}: {}. The trivial guess, {}, has {} ({}).",
                value(&best.summary),
                self.guess.name,
                value(&self.guess.summary),
                guess.map(Outcome::words).unwrap_or_default()
            )
        } else {
            let proof = guess.map(Outcome::words).unwrap_or_default();
            format!(
                "No method beats the trivial guess, {}: it has {}, and the best of the others, {learner} on {kernel}, {} ({proof}).",
                self.guess.name,
                value(&self.guess.summary),
                value(&best.summary),
            )
        };
        let mut sentences = vec![first];
        if !beats_guess {
            let doubt = "There may be nothing to learn here, or too few objects to learn it from.";
            sentences.push(doubt.into());
        }
        let plain = self.trials.iter().find(|t| t.candidate.plain);
        let beats_plain = match plain {
            Some(plain) if !best.candidate.plain => {
                plain.against_best.as_ref().map(|o| o.better == Some(false))
            }
            _ => None,
        };
        if let (Some(plain), Some(beats), true) = (plain, beats_plain, beats_guess) {
            let proof = plain.against_best.as_ref().map(Outcome::words).unwrap_or_default();
            sentences.push(match beats {
                true => format!(
                    "It is better than the plain method, which has {} ({proof}).",
                    value(&plain.summary)
                ),
                false => format!(
                    "It is not significantly better than the plain method, which has {} ({proof}).",
                    value(&plain.summary)
                ),
            });
        } else if beats_guess && best.candidate.plain && self.trials.len() > 1 {
            sentences.push("That is the plain method: nothing tried beats it.".into());
        }
        sentences.push(self.caution());
        Verdict { beats_guess, beats_plain, sentences }
    }

    /// How far the scores can be trusted.
    fn caution(&self) -> String {
        let mut text = format!(
            "Scores are of the test parts of {} divisions, with parameters chosen inside the training parts",
            self.divisions
        );
        if self.trials.len() > 1 {
            text += &format!("; being the best of {} flatters the first a little", self.trials.len());
        }
        text + "."
    }
}
