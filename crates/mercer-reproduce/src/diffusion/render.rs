//! A report as text for terminals and Markdown, and its layout in run documents.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::nodes::{MAJORITY, PROPAGATION};
use super::study::means;
use super::{DiffusionOutcome, DiffusionSettings, NodeOutcome};
use crate::numeric::shortest;
use crate::sheet::{self, Page, Sheet, dash, heading};

/// The results of the study.
#[derive(Clone, Debug, PartialEq)]
pub struct DiffusionReport {
    /// The settings used.
    pub settings: DiffusionSettings,
    /// The results on tables.
    pub outcomes: Vec<DiffusionOutcome>,
    /// The results on graphs.
    pub nodes: Vec<NodeOutcome>,
    /// The tables that were not found.
    pub absent: Vec<String>,
}

/// All results, for each split, with the text of the report and curves for plots.
impl Serialize for DiffusionReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        json!({
            "kind": "diffusion", "version": Self::JSON_VERSION, "settings": self.settings,
            "full_protocol": self.settings == DiffusionSettings::full(self.settings.seed),
            "outcomes": self.outcomes, "nodes": self.nodes, "absent": self.absent, "notes": self.notes(),
            "summary": self.summary(), "tables": self.page().tables(), "curves": self.curves(),
        })
        .serialize(to)
    }
}

impl DiffusionReport {
    /// The version of the serialised layout.
    pub const JSON_VERSION: u32 = 1;

    /// For a terminal of 80 columns: summary, tables, notes.
    pub fn text(&self) -> String {
        self.page().text(sheet::WIDTH)
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        self.page().markdown()
    }

    pub(super) fn page(&self) -> Page {
        Page { summary: self.summary(), sheets: sheet::plain(self.sheets()), notes: self.notes() }
    }

    /// For each table: error and support vectors as functions of β, with the Hamming kernel as reference line. Data for
    /// plots.
    fn curves(&self) -> Vec<Value> {
        let along = |outcome: &DiffusionOutcome, of: fn((f64, f64)) -> f64| -> Vec<(f64, f64)> {
            let betas = self.settings.betas.iter().zip(&outcome.diffusion);
            betas.map(|(&beta, measured)| (beta, of(means(measured)))).collect()
        };
        let each = |outcome: &DiffusionOutcome| {
            let (error, support) = means(&outcome.hamming);
            let name = outcome.data.replace(' ', "-");
            let title = format!("{}: diffusion kernel, voted perceptron", outcome.data);
            let curve = |what: &str, axis: &str, points: Vec<(f64, f64)>, level: f64| {
                json!({
                    "name": format!("{name}-{what}"), "title": title, "x": "beta", "y": axis, "points": points,
                    "logarithmic": true, "level": {"value": level, "label": "Hamming kernel"},
                })
            };
            [
                curve("error", "mean test error, %", along(outcome, |m| 100.0 * m.0), 100.0 * error),
                curve("support", "mean number of support vectors", along(outcome, |m| m.1), support),
            ]
        };
        self.outcomes.iter().flat_map(each).collect()
    }

    /// The main results, with those where diffusion is worse first.
    fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.settings != DiffusionSettings::full(self.settings.seed) {
            lines.push("NOT the full protocol (quick trial): fewer coefficients or splits.".into());
        }
        let mut changes: Vec<(f64, String)> = (self.outcomes.iter())
            .map(|outcome| {
                let (hamming, diffusion) = (means(&outcome.hamming).0, means(&outcome.best()).0);
                let word = match diffusion - hamming {
                    d if d > 0.0 => "a higher error than",
                    d if d < 0.0 => "a lower error than",
                    _ => "the same error as",
                };
                let (h, d) = (100.0 * hamming, 100.0 * diffusion);
                let name = &outcome.data;
                let line = format!("{name}: diffusion has {word} Hamming: {d:.2} % vs. {h:.2} %.");
                (diffusion - hamming, line)
            })
            .collect();
        changes.sort_by(|a, b| b.0.total_cmp(&a.0));
        lines.extend(changes.into_iter().map(|(_, line)| line));
        for name in self.graphs() {
            let of = |n: &&NodeOutcome| n.data == name;
            let propagation =
                self.nodes.iter().filter(of).find(|n| n.method == PROPAGATION).and_then(|n| n.accuracy);
            let Some(propagation) = propagation else { continue };
            let kernels =
                self.nodes.iter().filter(of).filter(|n| n.method != PROPAGATION && n.method != MAJORITY);
            let behind: Vec<&str> = kernels
                .filter(|n| n.accuracy.is_none_or(|a| a <= propagation))
                .map(|n| n.method.as_str())
                .collect();
            lines.push(match behind.as_slice() {
                [] => {
                    format!("{name}: every kernel is above label propagation ({:.1} %).", 100.0 * propagation)
                }
                some => format!(
                    "{name}: not above label propagation ({:.1} %): {}.",
                    100.0 * propagation,
                    some.join("; ")
                ),
            });
        }
        lines
    }

    fn graphs(&self) -> Vec<&str> {
        let mut graphs: Vec<&str> = self.nodes.iter().map(|n| n.data.as_str()).collect();
        graphs.dedup();
        graphs
    }

    fn sheets(&self) -> Vec<Sheet> {
        let mut sheets = Vec::new();
        if !self.outcomes.is_empty() {
            sheets.push(self.records());
        }
        sheets.extend(self.graphs().into_iter().map(|graph| self.graph(graph)));
        sheets
    }

    fn records(&self) -> Sheet {
        let mut rows = vec![heading(&[
            "table",
            "majority",
            "Hamming error",
            "diffusion error",
            "Δ error",
            "Hamming SVs",
            "diffusion SVs",
            "Δ SVs",
            "objects",
            "attributes",
            "values",
            "β chosen",
        ])];
        for outcome in &self.outcomes {
            let (hamming, diffusion) = (means(&outcome.hamming), means(&outcome.best()));
            let percent = |v: f64| format!("{:.2}", 100.0 * v);
            let change = |from: f64, to: f64| match from > 0.0 {
                true => format!("{:+.0} %", 100.0 * (to - from) / from),
                false => dash(),
            };
            rows.push(vec![
                outcome.data.clone(),
                percent(outcome.majority),
                percent(hamming.0),
                percent(diffusion.0),
                change(hamming.0, diffusion.0),
                format!("{:.1}", hamming.1),
                format!("{:.1}", diffusion.1),
                change(hamming.1, diffusion.1),
                outcome.objects.to_string(),
                outcome.attributes.to_string(),
                outcome.most_values.to_string(),
                self.betas(outcome),
            ]);
        }
        Sheet { title: "Categorical records, voted perceptron: error in percent".into(), rows, names: 1 }
    }

    /// The median of the chosen coefficients, and the range.
    fn betas(&self, outcome: &DiffusionOutcome) -> String {
        let mut chosen = outcome.chosen.clone();
        chosen.sort_unstable();
        let beta = |at: usize| shortest(self.settings.betas[chosen[at]]);
        match chosen.len() {
            0 => dash(),
            n => format!("{} ({} … {})", beta(n / 2), beta(0), beta(n - 1)),
        }
    }

    fn graph(&self, name: &str) -> Sheet {
        let mut rows = vec![heading(&["kernel", "accuracy", "chosen"])];
        for node in self.nodes.iter().filter(|n| n.data == name) {
            rows.push(vec![
                node.method.clone(),
                node.accuracy.map_or_else(dash, |a| format!("{:.1}", 100.0 * a)),
                node.failed.clone().or_else(|| node.chosen.clone()).unwrap_or_else(dash),
            ]);
        }
        Sheet {
            title: format!("{name}: classes of nodes, accuracy in percent (transductive)"),
            rows,
            names: 1,
        }
    }

    /// Notes on the tables.
    fn notes(&self) -> Vec<String> {
        let DiffusionSettings { betas, splits, share, inner_folds, rounds, seed } = &self.settings;
        let mut notes = Vec::new();
        if !self.outcomes.is_empty() {
            let betas: Vec<String> = betas.iter().map(|&b| shortest(b)).collect();
            notes.push(format!(
                "means over {splits} random splits with {} % in the test set; {rounds} epochs; β from {} chosen on each by {inner_folds}-fold cross-validation on the training set; seed {seed}; both kernels use the same splits",
                100.0 * share,
                betas.join(", ")
            ));
            notes.push("SVs: support vectors; majority: error of the majority class; attributes: only categorical ones are used; values: the largest number of values of an attribute, counting missing as one; β chosen: median and range over splits".into());
            notes.push("table 1 of the paper: its digits are lost in the available copy, so none are shown. In words: the diffusion kernel generally performs well, gives sparser representations, and has a lower error than the Hamming kernel on mushroom".into());
        }
        if !self.nodes.is_empty() {
            notes.push("nodes: support vector machines, C and the kernel's parameters chosen by 5-fold cross-validation on the training set; label propagation with α = 0.9, nothing is chosen".into());
        }
        if !self.absent.is_empty() {
            notes.push(format!("not found, not run: {}", self.absent.join(", ")));
        }
        notes
    }
}
