//! A report as text for terminals, Markdown and JSON.

use serde_json::{Value, json};

use super::{Method, Outcome, Settings};
use crate::reproduce::sheet::{self, Sheet, dash, heading};

/// The outcomes of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// By what settings.
    pub settings: Settings,
    /// Collection after collection, the methods in their order.
    pub outcomes: Vec<Outcome>,
    /// The methods whose kernel the registry lacks.
    pub absent: Vec<String>,
    /// The threads Gram matrices were computed with.
    pub threads: usize,
}

impl Report {
    /// The version of [`Report::json`]'s layout.
    pub const JSON_VERSION: u32 = 1;

    /// Outcomes of these methods.
    pub fn new(settings: Settings, methods: &[Method], outcomes: Vec<Outcome>, threads: usize) -> Self {
        let absent = methods.iter().filter(|m| !m.is_there()).map(|m| format!("{} ({})", m.name, m.entry));
        Report { settings, outcomes, absent: absent.collect(), threads }
    }

    /// Tables with aligned columns for a terminal, then what must be known to read them.
    pub fn text(&self) -> String {
        sheet::text(&sheet::plain(self.sheets()), &self.notes())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        sheet::markdown(&sheet::plain(self.sheets()), &self.notes())
    }

    /// Everything, with the parameters chosen in every division.
    pub fn json(&self) -> Value {
        let outcome = |o: &Outcome| {
            let mut value = json!(o);
            value["accuracy"] = json!(o.accuracy());
            value["deviation"] = json!(o.deviation());
            value["over_baselines"] = json!(self.gain(o));
            value
        };
        json!({
            "kind": "graphs", "version": Self::JSON_VERSION, "settings": self.settings,
            "full_protocol": self.settings == Settings::full(self.settings.seed),
            "threads": self.threads, "absent": self.absent,
            "outcomes": self.outcomes.iter().map(outcome).collect::<Vec<_>>(), "notes": self.notes(),
            "tables": sheet::json(&sheet::plain(self.sheets())),
        })
    }

    /// The difference to the best of the rows that know next to nothing.
    fn gain(&self, outcome: &Outcome) -> Option<f64> {
        let same = self.outcomes.iter().filter(|o| o.data == outcome.data && o.baseline);
        let best = same.filter_map(Outcome::accuracy).reduce(f64::max)?;
        outcome.accuracy().filter(|_| !outcome.baseline).map(|a| a - best)
    }

    fn sheets(&self) -> Vec<Sheet> {
        let mut names: Vec<&str> = Vec::new();
        for outcome in &self.outcomes {
            if !names.contains(&outcome.data.as_str()) {
                names.push(&outcome.data);
            }
        }
        names.into_iter().map(|name| self.sheet(name)).collect()
    }

    fn sheet(&self, data: &str) -> Sheet {
        let mut rows =
            vec![heading(&["kernel", "chosen most", "accuracy", "sd", "over baselines", "Gram, s"])];
        let of_data = || self.outcomes.iter().filter(|o| o.data == data);
        for outcome in of_data() {
            let percent = |v: Option<f64>| v.map_or_else(dash, |v| format!("{:.2}", 100.0 * v));
            rows.push(vec![
                outcome.method.clone(),
                most(outcome).unwrap_or_else(dash),
                percent(outcome.accuracy()),
                percent(outcome.deviation()),
                self.gain(outcome).map_or_else(dash, |v| format!("{:+.2}", 100.0 * v)),
                outcome.seconds.map_or_else(dash, |s| format!("{s:.3}")),
            ]);
        }
        let graphs = of_data().next().map_or(0, |o| o.graphs);
        Sheet { title: format!("{data}, {graphs} graphs: accuracy in percent"), rows }
    }

    /// What must be known to read the tables.
    fn notes(&self) -> Vec<String> {
        let Settings { c, repetitions, folds, inner_folds, seed } = &self.settings;
        let mut notes = vec![
            format!(
                "{repetitions} × {folds} folds, C in {c} and the kernel's parameters chosen by {inner_folds} folds of each training part, seed {seed}; the same divisions for all kernels"
            ),
            "sd: of the means of the repetitions; the folds of one repetition vary far more".into(),
            "over baselines: against the best of the most frequent class, graph size alone and label counts alone".into(),
            format!(
                "Gram: seconds on {} threads, preparing included, for the kernel's last parameters",
                self.threads
            ),
        ];
        for outcome in &self.outcomes {
            let place = format!("{}, {}", outcome.data, outcome.method);
            // The rows to beat look away on purpose.
            if !outcome.baseline {
                notes.extend(outcome.ignored.iter().map(|text| format!("{place}: {text}")));
            }
            notes.extend(outcome.dropped.iter().map(|(k, why)| format!("{place}: without {k}: {why}")));
        }
        let (fits, open) = self.outcomes.iter().fold((0, 0), |(f, u), o| (f + o.fits, u + o.unconverged));
        notes.push(format!(
            "{fits} classifiers on inner divisions, {open} of them stopped before they converged"
        ));
        if !self.absent.is_empty() {
            notes.push(format!("left out, not in the registry: {}", self.absent.join(", ")));
        }
        notes
    }
}

/// The kernel that was chosen most often, the first of equals, without what all of the method share.
fn most(outcome: &Outcome) -> Option<String> {
    let count = |kernel: &str| outcome.divisions.iter().filter(|c| c.kernel == kernel).count();
    let mut best: Option<(&str, usize)> = None;
    for chosen in &outcome.divisions {
        let own = count(&chosen.kernel);
        if best.is_none_or(|(_, most)| own > most) {
            best = Some((&chosen.kernel, own));
        }
    }
    let (kernel, _) = best?;
    let short = kernel.replace(", ignore=others", "").replace("(ignore=others)", "");
    Some(short.strip_prefix("normalize(").and_then(|k| k.strip_suffix(')')).unwrap_or(&short).to_owned())
}
