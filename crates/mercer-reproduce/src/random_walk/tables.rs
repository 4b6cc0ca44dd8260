//! The results as tables, sentences and a document.

use serde_json::{Value, json};

use super::{
    BASES, Count, Half, METHODS, TABLES, Tables, VARIOUS, Walk, column, counts, f_test, has_f_test,
    is_transductive, label, row, walks, within,
};
use crate::experiment::{Chosen, Evaluated, Outcome, Report, Settings, mean, scores};
use crate::problem::Method;
use crate::select::compare::{Test, WinsTiesLosses, wins_ties_losses};
use crate::sheet::{Noted, Sheet, dash, heading};

/// The significance level, as in the paper.
const ALPHA: f64 = 0.05;

const SOURCE: &str = "V. Gavriilidis & A. Tefas, Random Walk Kernel Applications to Classification using Support Vector \
                      Machines, tables I and II";

pub(super) fn document(report: &Report) -> Value {
    let outcomes: Vec<Value> = report.outcomes.iter().map(|outcome| outcome_json(report, outcome)).collect();
    json!({
        "source": SOURCE, "full_protocol": report.is_full(), "alpha": ALPHA, "outcomes": outcomes,
        "counts": counts(report),
    })
}

fn outcome_json(report: &Report, outcome: &Outcome) -> Value {
    let printed = row(outcome.base, &outcome.data);
    let (plain, walks) = walks(outcome);
    let half = |walk: &Walk<'_>, half: Half| {
        json!({
            "p": match half {
                Half::Searched => json!(walk.searched),
                Half::BestPower => json!(walk.best),
            },
            "scores": walk.scores(half), "mean": mean(&walk.scores(half)),
            "published": printed.map(|row| row.half(half)[walk.column]),
            "published_significant": printed.map(|row| row.starred[half as usize][walk.column]),
            "five_by_two_f": f_test(report, outcome, walk, half),
        })
    };
    let each = |walk: &Walk<'_>| {
        let power = |of: &&[Chosen]| json!({"mean": mean(&scores(of)), "splits": of});
        json!({
            "method": walk.method, "transductive": is_transductive(walk.method),
            "grid_search": half(walk, Half::Searched), "best_power": half(walk, Half::BestPower),
            "powers": walk.powers.iter().map(power).collect::<Vec<_>>(),
        })
    };
    let fits = |of: fn(&Evaluated) -> usize| outcome.methods.iter().map(of).sum::<usize>();
    json!({
        "data": outcome.data, "base": outcome.base,
        "objects": outcome.shape[0], "features": outcome.shape[1], "classes": outcome.shape[2],
        "scaled": outcome.scaled, "gaps": outcome.gaps,
        "fits": fits(|m| m.fits), "unconverged": fits(|m| m.unconverged),
        "base_kernel": {
            "scores": plain, "mean": mean(&plain),
            "published": printed.map(|row| row.searched[0]), "splits": outcome.methods[0].splits,
        },
        "walks": walks.iter().map(each).collect::<Vec<_>>(),
    })
}

/// The main results, with those where a walk is worse first.
pub(super) fn summary(report: &Report) -> Vec<String> {
    let mut counts = counts(report);
    counts.retain(|c| c.half == Half::Searched);
    counts.sort_by_key(|c| std::cmp::Reverse(c.measured.losses as i64 - c.measured.wins as i64));
    let line = |count: Count| {
        let p = count.wilcoxon.as_ref().and_then(|t| t.p);
        let found = p.map_or_else(String::new, |p| match p < ALPHA {
            true => format!("; Wilcoxon p = {p:.3}, significant"),
            false => format!("; Wilcoxon p = {p:.3}, no significant difference"),
        });
        let words = |c: &WinsTiesLosses| format!("{} losses, {} ties, {} wins", c.losses, c.ties, c.wins);
        format!(
            "{} on {}: {} against the simple SVM (grid search; printed: {}){found}.",
            label(&count.method),
            count.base,
            words(&count.measured),
            words(&count.published),
        )
    };
    counts.into_iter().map(line).collect()
}

pub(super) fn sheets(report: &Report) -> Vec<Noted> {
    let mut sheets = Vec::new();
    for Tables { name, titles, substitute, .. } in &TABLES {
        for (base, title) in BASES.into_iter().zip(titles) {
            let outcomes: Vec<&Outcome> = within(report, name, base).collect();
            if outcomes.is_empty() {
                continue;
            }
            if *name == VARIOUS {
                sheets.push((verdicts(report, base, title, outcomes.len()), Vec::new()));
            }
            let notes = substitute.iter().map(|note| (*note).to_owned()).collect();
            sheets.push((accuracies(report, title, &outcomes), notes));
        }
    }
    sheets
}

/// Accuracies in percent, measured and printed.
fn accuracies(report: &Report, title: &str, outcomes: &[&Outcome]) -> Sheet {
    let mut rows =
        vec![heading("data|method|grid search|printed|p chosen|F|best power|printed best|best p|F best")];
    for outcome in outcomes {
        let printed = row(outcome.base, &outcome.data);
        let figure = |half: Half, column: usize| {
            printed.map_or_else(dash, |row| {
                let star = if row.starred[half as usize][column] { "(*)" } else { "" };
                format!("{:.2}{star}", row.half(half)[column])
            })
        };
        let (plain, walks) = walks(outcome);
        let halves = Half::ALL.map(|half| [percent(&plain), figure(half, 0), dash(), dash()]);
        let mut push = |method: &str, halves: [[String; 4]; 2]| {
            rows.push([vec![outcome.data.clone(), method.to_owned()], halves.concat()].concat());
        };
        push("simple SVM", halves);
        for walk in &walks {
            let half = |half: Half| {
                let f = f_test(report, outcome, walk, half).map_or_else(dash, |test| statistic(&test));
                let p = match half {
                    Half::Searched => tally(&walk.searched),
                    Half::BestPower => walk.best.to_string(),
                };
                [percent(&walk.scores(half)), figure(half, walk.column), p, f]
            };
            push(label(walk.method), Half::ALL.map(half));
        }
    }
    Sheet { title: format!("{title}: accuracy in percent"), rows, names: 2 }
}

/// Wins, ties and losses against the simple SVM.
fn verdicts(report: &Report, base: &str, title: &str, data: usize) -> Sheet {
    let mut rows = vec![heading(
        "method|p by|wins/ties/losses|sign p|Wilcoxon p|printed|printed sign p|printed Wilcoxon p",
    )];
    for count in counts(report).iter().filter(|c| c.base == base) {
        let p =
            |test: &Option<Test>| test.as_ref().and_then(|t| t.p).map_or_else(dash, |p| format!("{p:.3}"));
        rows.push(vec![
            label(&count.method).into(),
            count.half.name().into(),
            slashed(&count.measured),
            p(&count.sign),
            p(&count.wilcoxon),
            slashed(&count.published),
            p(&count.published_sign),
            p(&count.published_wilcoxon),
        ]);
    }
    let noun = if data == 1 { "data set" } else { "data sets" };
    let title = format!("{title}: walks against the simple SVM over {data} {noun}");
    Sheet { title, rows, names: 2 }
}

/// Notes on the tables.
pub(super) fn notes(report: &Report) -> Vec<String> {
    let Settings { c, gamma, steps, repetitions, inner_folds, seed, .. } = &report.settings;
    let mut notes = vec![
        format!(
            "{repetitions}×2 outer folds (tables I and II), {inner_folds} inner folds, C in {c}, gamma in {gamma}, p in 1..{steps}, seed {seed}; all methods use the same splits"
        ),
        format!("printed: {SOURCE}; (*) marks its significant 5×2cv tests"),
        "simple SVM: normalize(BASE); walks: normalize(walk(BASE, p, through)); p = 1 is the simple SVM".into(),
        "PA is transductive: its kernel uses the test objects, but not their classes".into(),
        "best power: the p from 2 with the best accuracy over the test sets, C and gamma by inner folds; chosen \
         on the test sets, so it is optimistic"
            .into(),
        "p chosen: the p of the grid search in the outer splits, p×count; for equal inner scores fewer steps".into(),
    ];
    notes.push(match has_f_test(report) {
        true => "F: combined 5×2cv F test against the simple SVM, * where p < 0.05 (F above 4.74)".into(),
        false => "no F test: it needs 5×2 folds".into(),
    });
    if report.outcomes.iter().any(|o| o.scaled) {
        notes.push(
            "features of tables are standardised on each training set; generated ones are not scaled".into(),
        );
    }
    for base in BASES {
        if let Some(Outcome { data, gaps, .. }) =
            report.outcomes.iter().find(|o| o.base == base && o.gaps > 0)
        {
            let text = format!(
                "{data}: {gaps} missing values are replaced by the median of their column in each training set"
            );
            if !notes.contains(&text) {
                notes.push(text);
            }
        }
    }
    let (fits, open) = report.fits();
    notes.push(format!("{fits} SVMs on inner folds, {open} of them stopped before they converged"));
    notes.extend(report.not_found());
    notes.extend(TABLES[1..].iter().map(not_run));
    notes
}

/// The line for tables whose data are not available, with the printed counts.
fn not_run(tables: &Tables) -> String {
    let printed = [0, 1].map(|base| {
        let rows = tables.rows[base];
        let count = |method: &Method| {
            let of = |column: usize| rows.iter().map(|r| r.searched[column]).collect::<Vec<_>>();
            let count = wins_ties_losses(&of(column(method.name)), &of(0)).unwrap_or_default();
            format!("{} {}", method.name, slashed(&count))
        };
        format!("{}: {}", BASES[base], METHODS[1..].iter().map(count).collect::<Vec<_>>().join(", "))
    });
    format!(
        "{}, which are not available: not run. Printed wins/ties/losses against the simple SVM (grid search): {}",
        tables.needs,
        printed.join("; ")
    )
}

fn percent(scores: &[f64]) -> String {
    format!("{:.2}", 100.0 * mean(scores))
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
