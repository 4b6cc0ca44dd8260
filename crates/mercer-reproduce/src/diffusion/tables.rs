//! The results as tables, sentences, curves and a document.

use serde_json::{Value, json};

use super::{MAJORITY, NODES, PROPAGATION, RECORDS};
use crate::experiment::{Chosen, Evaluated, Outcome, Report, Settings, mean, scores};
use crate::numeric::shortest;
use crate::sheet::{Noted, Sheet, dash, heading};

/// The chosen kernel and SVM on nodes; `None` for methods without parameters.
fn chosen_text(one: &Evaluated) -> Option<String> {
    let split = one.splits.first().filter(|c| !c.kernel.is_empty())?;
    Some(format!("{} · {}", split.kernel, split.learner))
}

/// The reason why nothing could be computed.
fn failed(one: &Evaluated) -> Option<&String> {
    one.dropped.first().map(|(_, why)| why)
}

/// A table with its kernels.
pub(super) struct Table<'a> {
    outcome: &'a Outcome,
    /// The mean error of the majority-class baseline.
    pub(super) majority: f64,
    pub(super) hamming: &'a [Chosen],
    /// The diffusion kernels, by coefficient, then by split.
    pub(super) diffusion: Vec<&'a [Chosen]>,
    /// The index of the coefficient chosen for each split.
    pub(super) chosen: Vec<usize>,
}

impl<'a> Table<'a> {
    pub(super) fn new(outcome: &'a Outcome) -> Option<Self> {
        let [hamming, diffusion @ .., majority] = outcome.methods.as_slice() else { return None };
        let diffusion: Vec<&[Chosen]> = diffusion.iter().map(|m| m.splits.as_slice()).collect();
        // For equal errors the smallest coefficient.
        let choose = |split: usize| {
            let better =
                |best: usize, at: usize| match diffusion[at][split].inner < diffusion[best][split].inner {
                    true => at,
                    false => best,
                };
            (0..diffusion.len()).reduce(better).unwrap_or(0)
        };
        let chosen = (0..hamming.splits.len()).map(choose).collect();
        let majority = mean(&majority.scores());
        Some(Table { outcome, majority, hamming: &hamming.splits, diffusion, chosen })
    }

    /// Diffusion with the coefficient chosen for each split.
    pub(super) fn best(&self) -> Vec<Chosen> {
        self.chosen.iter().enumerate().map(|(split, &at)| self.diffusion[at][split].clone()).collect()
    }
}

/// The results on tables.
fn tables(report: &Report) -> Vec<Table<'_>> {
    report.outcomes.iter().filter(|o| o.part == RECORDS).filter_map(Table::new).collect()
}

/// The results on graphs.
fn graphs(report: &Report) -> impl Iterator<Item = &Outcome> {
    report.outcomes.iter().filter(|o| o.part == NODES)
}

/// Mean error and mean number of support vectors.
pub(super) fn means(measured: &[Chosen]) -> (f64, f64) {
    let support: Vec<f64> = measured.iter().filter_map(|m| m.second).collect();
    (mean(&scores(measured)), mean(&support))
}

pub(super) fn document(report: &Report) -> Value {
    let measured = |of: &[Chosen]| {
        let one =
            |m: &Chosen| json!({"error": m.score, "support": m.second.map(|s| s as usize), "inner": m.inner});
        of.iter().map(one).collect::<Vec<_>>()
    };
    let table = |t: &Table<'_>| {
        json!({
            "data": t.outcome.data, "objects": t.outcome.shape[0], "attributes": t.outcome.shape[1],
            "most_values": t.outcome.shape[2], "majority": t.majority, "hamming": measured(t.hamming),
            "diffusion": t.diffusion.iter().map(|of| measured(of)).collect::<Vec<_>>(), "chosen": t.chosen,
        })
    };
    let node = |(outcome, one): (&Outcome, &Evaluated)| {
        json!({
            "data": outcome.data, "method": one.method, "chosen": chosen_text(one), "accuracy": one.score(),
            "failed": failed(one),
        })
    };
    json!({
        "full_protocol": report.is_full(), "outcomes": tables(report).iter().map(table).collect::<Vec<_>>(),
        "nodes": report.all().filter(|(o, _)| o.part == NODES).map(node).collect::<Vec<_>>(),
        "curves": curves(report),
    })
}

/// For each table: error and support vectors as functions of β, with the Hamming kernel as reference line. Data for plots.
fn curves(report: &Report) -> Vec<Value> {
    let each = |table: &Table<'_>| {
        let along = |of: fn((f64, f64)) -> f64| -> Vec<(f64, f64)> {
            let betas = report.settings.betas.iter().zip(&table.diffusion);
            betas.map(|(&beta, measured)| (beta, of(means(measured)))).collect()
        };
        let (error, support) = means(table.hamming);
        let name = table.outcome.data.replace(' ', "-");
        let title = format!("{}: diffusion kernel, voted perceptron", table.outcome.data);
        let curve = |what: &str, axis: &str, points: Vec<(f64, f64)>, level: f64| {
            json!({
                "name": format!("{name}-{what}"), "title": title, "x": "beta", "y": axis, "points": points,
                "logarithmic": true, "level": {"value": level, "label": "Hamming kernel"},
            })
        };
        [
            curve("error", "mean test error, %", along(|m| 100.0 * m.0), 100.0 * error),
            curve("support", "mean number of support vectors", along(|m| m.1), support),
        ]
    };
    tables(report).iter().flat_map(each).collect()
}

/// The main results, with those where diffusion is worse first.
pub(super) fn summary(report: &Report) -> Vec<String> {
    let change = |table: &Table<'_>| {
        let (hamming, diffusion) = (means(table.hamming).0, means(&table.best()).0);
        let word = match diffusion - hamming {
            d if d > 0.0 => "a higher error than",
            d if d < 0.0 => "a lower error than",
            _ => "the same error as",
        };
        let (h, d, name) = (100.0 * hamming, 100.0 * diffusion, &table.outcome.data);
        (diffusion - hamming, format!("{name}: diffusion has {word} Hamming: {d:.2} % vs. {h:.2} %."))
    };
    let mut changes: Vec<(f64, String)> = tables(report).iter().map(change).collect();
    changes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut lines: Vec<String> = changes.into_iter().map(|(_, line)| line).collect();
    for outcome in graphs(report) {
        let propagation = outcome.method(PROPAGATION).and_then(Evaluated::score);
        let (name, Some(propagation)) = (&outcome.data, propagation) else { continue };
        let kernels = outcome.methods.iter().filter(|m| m.method != PROPAGATION && m.method != MAJORITY);
        let behind = kernels.filter(|m| m.score().is_none_or(|a| a <= propagation));
        let behind: Vec<&str> = behind.map(|m| m.method.as_str()).collect();
        let percent = 100.0 * propagation;
        lines.push(match behind.as_slice() {
            [] => format!("{name}: every kernel is above label propagation ({percent:.1} %)."),
            some => format!("{name}: not above label propagation ({percent:.1} %): {}.", some.join("; ")),
        });
    }
    lines
}

pub(super) fn sheets(report: &Report) -> Vec<Noted> {
    let tables = tables(report);
    let records = (!tables.is_empty()).then(|| sheet(&tables, &report.settings.betas));
    records.into_iter().chain(graphs(report).map(graph_sheet)).map(|sheet| (sheet, Vec::new())).collect()
}

fn sheet(tables: &[Table<'_>], betas: &[f64]) -> Sheet {
    let mut rows = vec![heading(
        "table|majority|Hamming error|diffusion error|Δ error|Hamming SVs|diffusion SVs|Δ SVs|objects|attributes|values|β chosen",
    )];
    for table in tables {
        let (hamming, diffusion) = (means(table.hamming), means(&table.best()));
        let percent = |v: f64| format!("{:.2}", 100.0 * v);
        let change = |from: f64, to: f64| match from > 0.0 {
            true => format!("{:+.0} %", 100.0 * (to - from) / from),
            false => dash(),
        };
        let mut row = vec![
            table.outcome.data.clone(),
            percent(table.majority),
            percent(hamming.0),
            percent(diffusion.0),
            change(hamming.0, diffusion.0),
            format!("{:.1}", hamming.1),
            format!("{:.1}", diffusion.1),
            change(hamming.1, diffusion.1),
        ];
        row.extend(table.outcome.shape.map(|n| n.to_string()));
        // The median of the chosen coefficients, and the range.
        let mut chosen = table.chosen.clone();
        chosen.sort_unstable();
        let beta = |at: usize| shortest(betas[chosen[at]]);
        row.push(match chosen.len() {
            0 => dash(),
            n => format!("{} ({} … {})", beta(n / 2), beta(0), beta(n - 1)),
        });
        rows.push(row);
    }
    Sheet { title: "Categorical records, voted perceptron: error in percent".into(), rows, names: 1 }
}

fn graph_sheet(outcome: &Outcome) -> Sheet {
    let mut rows = vec![heading("kernel|accuracy|chosen")];
    rows.extend(outcome.methods.iter().map(|one| {
        let accuracy = one.score().map_or_else(dash, |a| format!("{:.1}", 100.0 * a));
        let chosen = failed(one).cloned().or_else(|| chosen_text(one)).unwrap_or_else(dash);
        vec![one.method.clone(), accuracy, chosen]
    }));
    let title = format!("{}: classes of nodes, accuracy in percent (transductive)", outcome.data);
    Sheet { title, rows, names: 1 }
}

/// Notes on the tables.
pub(super) fn notes(report: &Report) -> Vec<String> {
    let Settings { betas, splits, share, inner_folds, rounds, seed, .. } = &report.settings;
    let mut notes = Vec::new();
    if report.outcomes.iter().any(|o| o.part == RECORDS) {
        let betas: Vec<String> = betas.iter().map(|&b| shortest(b)).collect();
        notes.push(format!(
            "means over {splits} random splits with {} % in the test set; {rounds} epochs; β from {} chosen on each by {inner_folds}-fold cross-validation on the training set; seed {seed}; both kernels use the same splits",
            100.0 * share,
            betas.join(", ")
        ));
        notes.push("SVs: support vectors; majority: error of the majority class; attributes: only categorical ones are used; values: the largest number of values of an attribute, counting missing as one; β chosen: median and range over splits".into());
        notes.push("table 1 of the paper: its digits are lost in the available copy, so none are shown. In words: the diffusion kernel generally performs well, gives sparser representations, and has a lower error than the Hamming kernel on mushroom".into());
    }
    if graphs(report).next().is_some() {
        notes.push("nodes: support vector machines, C and the kernel's parameters chosen by 5-fold cross-validation on the training set; label propagation with α = 0.9, nothing is chosen".into());
    }
    notes.extend(report.not_found());
    notes
}
