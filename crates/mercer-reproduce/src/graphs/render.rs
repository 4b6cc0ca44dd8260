//! A report as text for terminals and Markdown, and its layout in run documents.

use serde::{Serialize, Serializer};
use serde_json::json;

use super::{GraphOutcome, GraphSettings, Method};
use crate::expression::Expression;
use crate::sheet::{self, Page, Sheet, dash, heading};

/// The results of the study.
#[derive(Clone, Debug, PartialEq)]
pub struct GraphReport {
    /// The settings used.
    pub settings: GraphSettings,
    /// By collection, with the methods in their order.
    pub outcomes: Vec<GraphOutcome>,
    /// The methods whose kernel is not in the registry.
    pub absent: Vec<String>,
    /// The number of threads for Gram matrices.
    pub threads: usize,
}

/// All results, with the parameters chosen in every split, and the text of the report.
impl Serialize for GraphReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let outcome = |o: &GraphOutcome| {
            let mut value = json!(o);
            value["accuracy"] = json!(o.accuracy());
            value["deviation"] = json!(o.deviation());
            value["over_baselines"] = json!(self.gain(o));
            value
        };
        json!({
            "kind": "graphs", "version": Self::JSON_VERSION, "settings": self.settings,
            "full_protocol": self.settings == GraphSettings::full(self.settings.seed),
            "threads": self.threads, "absent": self.absent,
            "outcomes": self.outcomes.iter().map(outcome).collect::<Vec<_>>(), "notes": self.notes(),
            "summary": self.summary(), "tables": self.page().tables(),
        })
        .serialize(to)
    }
}

impl GraphReport {
    /// The version of the serialised layout.
    pub const JSON_VERSION: u32 = 1;

    /// A report on the results of these methods.
    pub fn new(
        settings: GraphSettings,
        methods: &[Method],
        outcomes: Vec<GraphOutcome>,
        threads: usize,
    ) -> Self {
        let absent = methods.iter().filter(|m| !m.is_there()).map(|m| format!("{} ({})", m.name, m.entry));
        GraphReport { settings, outcomes, absent: absent.collect(), threads }
    }

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

    /// The difference to the best baseline.
    fn gain(&self, outcome: &GraphOutcome) -> Option<f64> {
        let same = self.outcomes.iter().filter(|o| o.data == outcome.data && o.baseline);
        let best = same.filter_map(GraphOutcome::accuracy).reduce(f64::max)?;
        outcome.accuracy().filter(|_| !outcome.baseline).map(|a| a - best)
    }

    /// For each collection: the kernels that are not better than the best baseline, then the best kernel.
    fn summary(&self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.settings != GraphSettings::full(self.settings.seed) {
            lines.push("NOT the full protocol (quick trial): a coarser grid or fewer repetitions.".into());
        }
        for name in self.names() {
            let mut gains: Vec<(&str, f64)> = (self.outcomes.iter().filter(|o| o.data == name))
                .filter_map(|o| Some((o.method.as_str(), self.gain(o)?)))
                .collect();
            gains.sort_by(|a, b| a.1.total_cmp(&b.1));
            let behind = gains.iter().take_while(|g| g.1 <= 0.0);
            let behind: Vec<String> = behind.map(|(m, g)| format!("{m} ({:+.2})", 100.0 * g)).collect();
            let Some((best, gain)) = gains.last() else { continue };
            let first = match behind.len() {
                0 => "every kernel is above the best baseline".to_owned(),
                n => format!(
                    "{n} of {} kernels are not above the best baseline: {}",
                    gains.len(),
                    behind.join("; ")
                ),
            };
            lines.push(format!("{name}: {first}; best: {best} ({:+.2} points).", 100.0 * gain));
        }
        lines
    }

    fn sheets(&self) -> Vec<Sheet> {
        self.names().into_iter().map(|name| self.sheet(name)).collect()
    }

    /// The collections, in order.
    fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for outcome in &self.outcomes {
            if !names.contains(&outcome.data.as_str()) {
                names.push(&outcome.data);
            }
        }
        names
    }

    fn sheet(&self, data: &str) -> Sheet {
        let mut rows =
            vec![heading(&["kernel", "accuracy", "sd", "vs. baseline", "Gram, s", "most often chosen"])];
        let of_data = || self.outcomes.iter().filter(|o| o.data == data);
        for outcome in of_data() {
            let percent = |v: Option<f64>| v.map_or_else(dash, |v| format!("{:.2}", 100.0 * v));
            rows.push(vec![
                outcome.method.clone(),
                percent(outcome.accuracy()),
                percent(outcome.deviation()),
                self.gain(outcome).map_or_else(dash, |v| format!("{:+.2}", 100.0 * v)),
                outcome.seconds.map_or_else(dash, |s| format!("{s:.3}")),
                most(outcome).unwrap_or_else(dash),
            ]);
        }
        let graphs = of_data().next().map_or(0, |o| o.graphs);
        Sheet { title: format!("{data}, {graphs} graphs: accuracy in percent"), rows, names: 1 }
    }

    /// Notes on the tables.
    fn notes(&self) -> Vec<String> {
        let GraphSettings { c, repetitions, folds, inner_folds, seed } = &self.settings;
        let mut notes = vec![
            format!(
                "{repetitions} × {folds} folds, C in {c} and the kernel's parameters chosen by {inner_folds}-fold cross-validation on each training set, seed {seed}; all kernels use the same splits"
            ),
            "sd: standard deviation of the means of the repetitions; the folds of one repetition vary far more".into(),
            "vs. baseline: points above the best of majority class, graph size only and label counts only".into(),
            format!(
                "Gram: seconds on {} threads, preparation included, for the kernel's last parameters",
                self.threads
            ),
        ];
        for outcome in &self.outcomes {
            let place = format!("{}, {}", outcome.data, outcome.method);
            // The baselines ignore data on purpose.
            if !outcome.baseline {
                notes.extend(outcome.ignored.iter().map(|text| format!("{place}: {text}")));
            }
            notes.extend(outcome.dropped.iter().map(|(k, why)| format!("{place}: without {k}: {why}")));
        }
        let (fits, open) = self.outcomes.iter().fold((0, 0), |(f, u), o| (f + o.fits, u + o.unconverged));
        notes.push(format!("{fits} SVMs on inner folds, {open} of them stopped before they converged"));
        if !self.absent.is_empty() {
            notes.push(format!("not run, not in the registry: {}", self.absent.join(", ")));
        }
        notes
    }
}

/// The kernel chosen most often (the first if several are), in brief and without `normalize`.
fn most(outcome: &GraphOutcome) -> Option<String> {
    let count = |kernel: &str| outcome.splits.iter().filter(|c| c.kernel == kernel).count();
    let mut best: Option<(&str, usize)> = None;
    for chosen in &outcome.splits {
        let own = count(&chosen.kernel);
        if best.is_none_or(|(_, most)| own > most) {
            best = Some((&chosen.kernel, own));
        }
    }
    let (kernel, _) = best?;
    let short = Expression::brief_text(kernel);
    Some(short.strip_prefix("normalize(").and_then(|k| k.strip_suffix(')')).unwrap_or(&short).to_owned())
}
