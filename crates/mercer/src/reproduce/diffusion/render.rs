//! A report as text for terminals, Markdown and JSON.

use serde_json::{Value, json};

use super::study::means;
use super::{NodeOutcome, Outcome, Settings};
use crate::expression::shortest;
use crate::reproduce::sheet::{self, Sheet, dash, heading};

/// The outcomes of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// By what settings.
    pub settings: Settings,
    /// The tables.
    pub outcomes: Vec<Outcome>,
    /// The graphs.
    pub nodes: Vec<NodeOutcome>,
    /// The tables that were not there.
    pub absent: Vec<String>,
}

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

    /// Everything, division by division.
    pub fn json(&self) -> Value {
        json!({
            "kind": "diffusion", "version": Self::JSON_VERSION, "settings": self.settings,
            "full_protocol": self.settings == Settings::full(self.settings.seed),
            "outcomes": self.outcomes, "nodes": self.nodes, "absent": self.absent, "notes": self.notes(),
            "tables": sheet::json(&sheet::plain(self.sheets())), "curves": self.curves(),
        })
    }

    /// For each table, error and support vectors along β, beside what the Hamming kernel has: data for pictures.
    fn curves(&self) -> Vec<Value> {
        let along = |outcome: &Outcome, of: fn((f64, f64)) -> f64| -> Vec<(f64, f64)> {
            let betas = self.settings.betas.iter().zip(&outcome.diffusion);
            betas.map(|(&beta, measured)| (beta, of(means(measured)))).collect()
        };
        let each = |outcome: &Outcome| {
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

    fn sheets(&self) -> Vec<Sheet> {
        let mut sheets = Vec::new();
        if !self.outcomes.is_empty() {
            sheets.push(self.records());
        }
        let mut graphs: Vec<&str> = self.nodes.iter().map(|n| n.data.as_str()).collect();
        graphs.dedup();
        sheets.extend(graphs.into_iter().map(|graph| self.graph(graph)));
        sheets
    }

    fn records(&self) -> Sheet {
        let mut rows = vec![heading(&[
            "table",
            "β chosen",
            "objects",
            "attr",
            "values",
            "majority",
            "Hamming error",
            "support",
            "diffusion error",
            "support",
            "Δ error",
            "Δ support",
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
                self.betas(outcome),
                outcome.objects.to_string(),
                outcome.attributes.to_string(),
                outcome.most_values.to_string(),
                percent(outcome.majority),
                percent(hamming.0),
                format!("{:.1}", hamming.1),
                percent(diffusion.0),
                format!("{:.1}", diffusion.1),
                change(hamming.0, diffusion.0),
                change(hamming.1, diffusion.1),
            ]);
        }
        Sheet { title: "Categorical records, voted perceptron: error in percent".into(), rows }
    }

    /// The coefficient chosen in the middle, and the range.
    fn betas(&self, outcome: &Outcome) -> String {
        let mut chosen = outcome.chosen.clone();
        chosen.sort_unstable();
        let beta = |at: usize| shortest(self.settings.betas[chosen[at]]);
        match chosen.len() {
            0 => dash(),
            n => format!("{} ({} … {})", beta(n / 2), beta(0), beta(n - 1)),
        }
    }

    fn graph(&self, name: &str) -> Sheet {
        let mut rows = vec![heading(&["kernel", "chosen", "accuracy"])];
        for node in self.nodes.iter().filter(|n| n.data == name) {
            rows.push(vec![
                node.method.clone(),
                node.failed.clone().or_else(|| node.chosen.clone()).unwrap_or_else(dash),
                node.accuracy.map_or_else(dash, |a| format!("{:.1}", 100.0 * a)),
            ]);
        }
        Sheet { title: format!("{name}: classes of nodes, accuracy in percent (transductive)"), rows }
    }

    /// What must be known to read the tables.
    fn notes(&self) -> Vec<String> {
        let Settings { betas, divisions, share, inner_folds, rounds, seed } = &self.settings;
        let mut notes = Vec::new();
        if !self.outcomes.is_empty() {
            let betas: Vec<String> = betas.iter().map(|&b| shortest(b)).collect();
            notes.push(format!(
                "means over {divisions} random divisions, {} % tested; {rounds} rounds; β in {} chosen on each by {inner_folds} folds of the training part; seed {seed}; the same divisions for both kernels",
                100.0 * share,
                betas.join(", ")
            ));
            notes.push("β chosen: the middle one, and the range over divisions; attr: categorical attributes, others are not looked at; values: the most that one of them has, a missing value being one; support: the number of support vectors".into());
            notes.push("the digits of the paper's table are lost in the copy at hand; in words it says that the simple diffusion kernel generally performs well, gives sparser representations, and errs less than the Hamming kernel on mushroom".into());
        }
        if !self.nodes.is_empty() {
            notes.push("nodes: support vector machines, C and the kernel's parameters chosen by 5 folds of the training part; label propagation with α = 0.9 chooses nothing".into());
        }
        if !self.absent.is_empty() {
            notes.push(format!("left out, not there: {}", self.absent.join(", ")));
        }
        notes
    }
}
