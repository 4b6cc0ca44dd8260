//! A report as text for terminals and Markdown, and its layout in run documents.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::report::row;
use super::study::mean;
use super::{Base, Half, Method, RandomWalkOutcome, RandomWalkReport, Tables, published_in};
use crate::select::compare::{Test, WinsTiesLosses, wins_ties_losses};
use crate::sheet::{Noted, Page, Sheet, WIDTH, dash, heading};

/// The significance level, as in the paper.
const ALPHA: f64 = 0.05;

const SOURCE: &str = "V. Gavriilidis & A. Tefas, Random Walk Kernel Applications to Classification using Support Vector \
                      Machines, tables I and II";

/// All results, with the parameters chosen in every split, the scores of every p, and the text of the report.
impl Serialize for RandomWalkReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let outcomes: Vec<Value> = self.outcomes.iter().map(|outcome| self.outcome_json(outcome)).collect();
        json!({
            "kind": "random-walk", "version": Self::JSON_VERSION, "source": SOURCE,
            "settings": self.settings, "full_protocol": self.settings.is_full(), "alpha": ALPHA,
            "absent": self.absent, "outcomes": outcomes, "counts": self.counts, "notes": self.notes(),
            "summary": self.summary(), "tables": self.page().tables(),
        })
        .serialize(to)
    }
}

impl RandomWalkReport {
    /// The version of the serialised layout.
    pub const JSON_VERSION: u32 = 1;

    /// For a terminal of 80 columns: summary, tables, notes.
    pub fn text(&self) -> String {
        self.page().text(WIDTH)
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        self.page().markdown()
    }

    pub(super) fn page(&self) -> Page {
        Page { summary: self.summary(), sheets: self.sheets(), notes: self.notes() }
    }

    fn outcome_json(&self, outcome: &RandomWalkOutcome) -> Value {
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
                        "mean": mean(of.iter().map(|c| c.score)), "splits": of,
                    })).collect::<Vec<_>>(),
                })
            })
            .collect();
        json!({
            "data": outcome.data, "base": outcome.base,
            "objects": outcome.shape[0], "features": outcome.shape[1], "classes": outcome.shape[2],
            "scaled": outcome.scaled, "gaps": outcome.gaps,
            "fits": outcome.fits, "unconverged": outcome.unconverged,
            "base_kernel": {
                "scores": outcome.plain_scores(), "mean": mean(outcome.plain_scores().into_iter()),
                "published": printed.map(|row| row.searched[0]), "splits": outcome.plain,
            },
            "walks": walks,
        })
    }

    /// The main results, with those where a walk is worse first.
    fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if !self.settings.is_full() {
            lines.push(
                "NOT the published protocol (quick trial): a coarser grid or fewer repetitions.".into(),
            );
        }
        let mut counts: Vec<_> = self.counts.iter().filter(|c| c.half == Half::Searched).collect();
        counts.sort_by_key(|c| std::cmp::Reverse(c.measured.losses as i64 - c.measured.wins as i64));
        for count in counts {
            let p = count.wilcoxon.as_ref().and_then(|t| t.p);
            let found = p.map_or_else(String::new, |p| match p < ALPHA {
                true => format!("; Wilcoxon p = {p:.3}, significant"),
                false => format!("; Wilcoxon p = {p:.3}, no significant difference"),
            });
            lines.push(format!(
                "{} on {}: {} losses, {} ties, {} wins against the simple SVM (grid search; printed: {} losses, {} ties, {} wins){found}.",
                count.method.label(),
                count.base.name(),
                count.measured.losses,
                count.measured.ties,
                count.measured.wins,
                count.published.losses,
                count.published.ties,
                count.published.wins,
            ));
        }
        lines
    }

    fn sheets(&self) -> Vec<Noted> {
        let mut sheets = Vec::new();
        for tables in Tables::ALL {
            for base in Base::ALL {
                if !self.outcomes.iter().any(|o| (o.tables, o.base) == (tables, base)) {
                    continue;
                }
                match tables {
                    Tables::Various => {
                        sheets.push((self.verdicts(base), Vec::new()));
                        sheets.push((self.accuracies(tables, base), Vec::new()));
                    }
                    _ => sheets.push((self.accuracies(tables, base), vec![substitute(tables).into()])),
                }
            }
        }
        sheets
    }

    /// Accuracies in percent, measured and printed.
    fn accuracies(&self, tables: Tables, base: Base) -> Sheet {
        let mut rows = vec![heading(&[
            "data",
            "method",
            "grid search",
            "printed",
            "p chosen",
            "F",
            "best power",
            "printed best",
            "best p",
            "F best",
        ])];
        for outcome in self.outcomes.iter().filter(|o| (o.tables, o.base) == (tables, base)) {
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
                "simple SVM".into(),
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
        Sheet { title: format!("{}: accuracy in percent", base.table_of(tables)), rows, names: 2 }
    }

    /// Wins, ties and losses against the simple SVM.
    fn verdicts(&self, base: Base) -> Sheet {
        let mut rows = vec![heading(&[
            "method",
            "p by",
            "wins/ties/losses",
            "sign p",
            "Wilcoxon p",
            "printed",
            "printed sign p",
            "printed Wilcoxon p",
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
        let data = self.outcomes.iter().filter(|o| (o.tables, o.base) == (Tables::Various, base)).count();
        let noun = if data == 1 { "data set" } else { "data sets" };
        Sheet {
            title: format!("{}: walks against the simple SVM over {data} {noun}", base.table()),
            rows,
            names: 2,
        }
    }

    /// Notes on the tables.
    fn notes(&self) -> Vec<String> {
        let settings = &self.settings;
        let mut notes = vec![
            format!(
                "{}×2 outer folds (tables I and II), {} inner folds, C in {}, gamma in {}, p in 1..{}, seed {}; all methods use the same splits",
                settings.repetitions, settings.inner_folds, settings.c, settings.gamma, settings.steps, settings.seed
            ),
            format!("printed: {SOURCE}; (*) marks its significant 5×2cv tests"),
            "simple SVM: normalize(BASE); walks: normalize(walk(BASE, p, through)); p = 1 is the simple SVM".into(),
            "PA is transductive: its kernel uses the test objects, but not their classes".into(),
            "best power: the p from 2 with the best accuracy over the test sets, C and gamma by inner folds; chosen \
             on the test sets, so it is optimistic"
                .into(),
            "p chosen: the p of the grid search in the outer splits, p×count; for equal inner scores fewer steps"
                .into(),
        ];
        if self.has_f_test() {
            notes.push(
                "F: combined 5×2cv F test against the simple SVM, * where p < 0.05 (F above 4.74)".into(),
            );
        } else {
            notes.push("no F test: it needs 5×2 folds".into());
        }
        if self.outcomes.iter().any(|o| o.scaled) {
            notes.push(
                "features of tables are standardised on each training set; generated ones are not scaled"
                    .into(),
            );
        }
        for base in Base::ALL {
            let of_base = |o: &&RandomWalkOutcome| o.base == base;
            if let Some(outcome) = self.outcomes.iter().filter(of_base).find(|o| o.gaps > 0) {
                let text = format!(
                    "{}: {} missing values are replaced by the median of their column in each training set",
                    outcome.data, outcome.gaps
                );
                if !notes.contains(&text) {
                    notes.push(text);
                }
            }
        }
        let (fits, open) = self.outcomes.iter().fold((0, 0), |(f, u), o| (f + o.fits, u + o.unconverged));
        notes.push(format!("{fits} SVMs on inner folds, {open} of them stopped before they converged"));
        if !self.absent.is_empty() {
            notes.push(format!("not found, not run: {}", self.absent.join(", ")));
        }
        notes.extend([Tables::Activities, Tables::Dances].map(not_run));
        notes
    }
}

/// The note on a substitute.
fn substitute(tables: Tables) -> &'static str {
    match tables {
        Tables::Various => "",
        Tables::Activities => {
            "Substitute: EEG trials of 20 persons, alcoholic or not, leaving one person out. Each person has one \
             class, whereas the paper's persons perform all activities: no value here is comparable with a printed one."
        }
        Tables::Dances => {
            "Substitute: movements of a wrist, 4 classes, with the given split of 40 for training and 40 for testing; \
             the paper has folk dances: no value here is comparable with a printed one."
        }
    }
}

/// The line for tables whose data are not available, with the printed counts.
fn not_run(tables: Tables) -> String {
    let (names, needs) = match tables {
        Tables::Various => ("tables I and II", "UCI tables"),
        Tables::Activities => {
            ("tables III and IV", "the MOBISERV and IXMAS activity features of Iosifidis, Tefas & Pitas 2012")
        }
        Tables::Dances => ("tables V and VI", "the folk-dance features of Kapsouras et al. 2013"),
    };
    let printed = Base::ALL.map(|base| {
        let rows = published_in(tables, base);
        let count = |method: Method| {
            let of = |column: usize| rows.iter().map(|r| r.searched[column]).collect::<Vec<_>>();
            let count = wins_ties_losses(&of(method.column()), &of(0)).unwrap_or_default();
            format!("{} {}", method.name(), slashed(&count))
        };
        format!("{}: {}", base.name(), Method::ALL.map(count).join(", "))
    });
    format!(
        "{names}: need {needs}, which are not available: not run. Printed wins/ties/losses against the simple SVM (grid search): {}",
        printed.join("; ")
    )
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
