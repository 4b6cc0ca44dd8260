//! A report as text for terminals, Markdown and JSON.

use serde_json::{Value, json};

use super::report::row;
use super::study::mean;
use super::{Base, Half, Outcome, Report};
use crate::reproduce::sheet::{self, Sheet, dash, heading};
use crate::select::compare::{Test, WinsTiesLosses};

/// What a test must stay below to be called significant, as in the paper.
const ALPHA: f64 = 0.05;

const SOURCE: &str = "V. Gavriilidis & A. Tefas, Random Walk Kernel Applications to Classification using Support Vector \
                      Machines, tables I and II";

impl Report {
    /// The version of [`Report::json`]'s layout.
    pub const JSON_VERSION: u32 = 1;

    /// Tables with aligned columns for a terminal, then what must be known to read them.
    pub fn text(&self) -> String {
        sheet::text(&sheet::plain(self.sheets()), &self.notes())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        sheet::markdown(&sheet::plain(self.sheets()), &self.notes())
    }

    /// Everything, with the parameters chosen in every division and the scores of every p.
    pub fn json(&self) -> Value {
        let outcomes: Vec<Value> = self.outcomes.iter().map(|outcome| self.outcome_json(outcome)).collect();
        json!({
            "kind": "random-walk", "version": Self::JSON_VERSION, "source": SOURCE,
            "settings": self.settings, "full_protocol": self.settings.is_full(), "alpha": ALPHA,
            "absent": self.absent, "outcomes": outcomes, "counts": self.counts, "notes": self.notes(),
            "tables": sheet::json(&sheet::plain(self.sheets())),
        })
    }

    fn outcome_json(&self, outcome: &Outcome) -> Value {
        let printed = row(outcome.base, &outcome.data);
        let half = |at: usize, half: Half| {
            let walk = &outcome.walks[at];
            let column = walk.method.column();
            json!({
                "p": match half {
                    Half::Searched => json!(walk.searched),
                    Half::BestPower => json!(walk.best),
                },
                "scores": walk.scores(half), "mean": mean(walk.scores(half).into_iter()),
                "published": printed.map(|row| row.half(half)[column]),
                "published_significant": printed.map(|row| row.starred[half as usize][column]),
                "five_by_two_f": self.f_test(outcome, at, half),
            })
        };
        let walks: Vec<Value> = (0..outcome.walks.len())
            .map(|at| {
                let walk = &outcome.walks[at];
                json!({
                    "method": walk.method, "transductive": walk.transductive,
                    "grid_search": half(at, Half::Searched), "best_power": half(at, Half::BestPower),
                    "powers": walk.powers.iter().map(|of| json!({
                        "mean": mean(of.iter().map(|c| c.score)), "divisions": of,
                    })).collect::<Vec<_>>(),
                })
            })
            .collect();
        json!({
            "data": outcome.data, "base": outcome.base,
            "objects": outcome.shape[0], "features": outcome.shape[1], "classes": outcome.shape[2],
            "scaled": outcome.scaled, "gaps": outcome.gaps,
            "fits": outcome.fits, "unconverged": outcome.unconverged,
            "plain": {
                "scores": outcome.plain_scores(), "mean": mean(outcome.plain_scores().into_iter()),
                "published": printed.map(|row| row.searched[0]), "divisions": outcome.plain,
            },
            "walks": walks,
        })
    }

    fn sheets(&self) -> Vec<Sheet> {
        let bases = Base::ALL.into_iter().filter(|&b| self.outcomes.iter().any(|o| o.base == b));
        bases.flat_map(|base| [self.accuracies(base), self.verdicts(base)]).collect()
    }

    /// Accuracies in percent, measured and printed.
    fn accuracies(&self, base: Base) -> Sheet {
        let mut rows = vec![heading(&[
            "data",
            "method",
            "grid search",
            "printed",
            "p chosen",
            "F",
            "best power",
            "printed",
            "p",
            "F",
        ])];
        for outcome in self.outcomes.iter().filter(|o| o.base == base) {
            let printed = row(base, &outcome.data);
            let figure = |half: Half, column: usize| {
                printed.map_or_else(dash, |row| {
                    let star = if row.starred[half as usize][column] { "(*)" } else { "" };
                    format!("{:.2}{star}", row.half(half)[column])
                })
            };
            let plain = percent(&outcome.plain_scores());
            rows.push(vec![
                outcome.data.clone(),
                "plain".into(),
                plain.clone(),
                figure(Half::Searched, 0),
                dash(),
                dash(),
                plain,
                figure(Half::BestPower, 0),
                dash(),
                dash(),
            ]);
            for (at, walk) in outcome.walks.iter().enumerate() {
                let column = walk.method.column();
                let f = |half| self.f_test(outcome, at, half).map_or_else(dash, |test| statistic(&test));
                rows.push(vec![
                    outcome.data.clone(),
                    walk.method.label().into(),
                    percent(&walk.scores(Half::Searched)),
                    figure(Half::Searched, column),
                    tally(&walk.searched),
                    f(Half::Searched),
                    percent(&walk.scores(Half::BestPower)),
                    figure(Half::BestPower, column),
                    walk.best.to_string(),
                    f(Half::BestPower),
                ]);
            }
        }
        Sheet { title: format!("{}: accuracy in percent", base.table()), rows }
    }

    /// Wins, ties and losses against the plain machine.
    fn verdicts(&self, base: Base) -> Sheet {
        let mut rows = vec![heading(&[
            "against plain",
            "p",
            "wins/ties/losses",
            "sign p",
            "Wilcoxon p",
            "printed",
            "sign p",
            "Wilcoxon p",
        ])];
        for count in self.counts.iter().filter(|c| c.base == base) {
            let p = |test: &Option<Test>| {
                test.as_ref().and_then(|t| t.p).map_or_else(dash, |p| format!("{p:.3}"))
            };
            rows.push(vec![
                count.method.label().into(),
                count.half.name().into(),
                slashed(&count.measured),
                p(&count.sign),
                p(&count.wilcoxon),
                slashed(&count.published),
                p(&count.published_sign),
                p(&count.published_wilcoxon),
            ]);
        }
        let data = self.outcomes.iter().filter(|o| o.base == base).count();
        let noun = if data == 1 { "data set" } else { "data sets" };
        Sheet { title: format!("{}: over {data} {noun}", base.table()), rows }
    }

    /// What must be known to read the tables.
    fn notes(&self) -> Vec<String> {
        let settings = &self.settings;
        let mut notes = Vec::new();
        if !settings.is_full() {
            notes.push(
                "NOT the published protocol: a coarser grid or fewer repetitions, for trying out".into(),
            );
        }
        notes.push(format!(
            "{}×2 outer divisions, {} inner folds, C in {}, gamma in {}, p in 1..{}, seed {}; the same divisions for all methods",
            settings.repetitions, settings.inner_folds, settings.c, settings.gamma, settings.steps, settings.seed
        ));
        notes.push(format!("printed: {SOURCE}; (*) its significant 5×2cv tests"));
        notes.push(
            "plain is normalize(BASE), the walks normalize(walk(BASE, p, through)); p = 1 is plain".into(),
        );
        notes.push(
            "PA is transductive: its kernel has seen the test objects, though not their classes".into(),
        );
        notes.push(
            "best power: the p from 2 with the best accuracy over the test parts, C and gamma by inner folds; chosen with the test \
             parts in view, it flatters the walk"
                .into(),
        );
        notes.push("p chosen: the p of the grid search in the outer divisions, p×times; equal inner scores go to fewer steps".into());
        if self.has_f_test() {
            notes.push("F: combined 5×2cv F test against plain, * where p < 0.05 (F above 4.74)".into());
        } else {
            notes.push("no F test: it needs five times two divisions".into());
        }
        if self.outcomes.iter().any(|o| o.scaled) {
            notes.push(
                "features of tables standardised by each training part; generated ones are not scaled".into(),
            );
        }
        for base in Base::ALL {
            let of_base = |o: &&Outcome| o.base == base;
            if let Some(outcome) = self.outcomes.iter().filter(of_base).find(|o| o.gaps > 0) {
                let text = format!(
                    "{}: {} missing values take the median of their column in each training part",
                    outcome.data, outcome.gaps
                );
                if !notes.contains(&text) {
                    notes.push(text);
                }
            }
        }
        let (fits, open) = self.outcomes.iter().fold((0, 0), |(f, u), o| (f + o.fits, u + o.unconverged));
        notes.push(format!(
            "{fits} classifiers on inner divisions, {open} of them stopped before they converged"
        ));
        if !self.absent.is_empty() {
            notes.push(format!("not there: {}", self.absent.join(", ")));
        }
        notes
    }
}

fn percent(scores: &[f64]) -> String {
    format!("{:.2}", 100.0 * mean(scores.iter().copied()))
}

fn statistic(test: &Test) -> String {
    let star = if test.p.is_some_and(|p| p < ALPHA) { "*" } else { "" };
    test.statistic.map_or_else(dash, |f| format!("{f:.2}{star}"))
}

fn slashed(count: &WinsTiesLosses) -> String {
    format!("{}/{}/{}", count.wins, count.ties, count.losses)
}

/// How often each p was chosen: `1×6 3×4`.
fn tally(powers: &[u32]) -> String {
    let mut sorted = powers.to_vec();
    sorted.sort_unstable();
    sorted.chunk_by(|a, b| a == b).map(|of| format!("{}×{}", of[0], of.len())).collect::<Vec<_>>().join(" ")
}
