//! A report as text for terminals, Markdown and JSON.

use serde_json::{Value, json};

use super::{Outcome, Part, Settings};
use crate::reproduce::sheet::{self, Noted, Sheet, dash, heading};
use crate::select::compare::paired_t;

/// The outcomes of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// By what settings.
    pub settings: Settings,
    /// Problem after problem, the methods in their order.
    pub outcomes: Vec<Outcome>,
    /// Data sets that were not found.
    pub absent: Vec<String>,
}

impl Report {
    /// The version of [`Report::json`]'s layout.
    pub const JSON_VERSION: u32 = 1;

    /// Tables with aligned columns for a terminal, then what must be known to read them.
    pub fn text(&self) -> String {
        sheet::text(&self.sheets(), &self.notes())
    }

    /// The same in Markdown.
    pub fn markdown(&self) -> String {
        sheet::markdown(&self.sheets(), &self.notes())
    }

    /// Everything, with the parameters chosen in every division.
    pub fn json(&self) -> Value {
        json!({
            "kind": "similarity", "version": Self::JSON_VERSION, "settings": self.settings,
            "outcomes": self.outcomes, "absent": self.absent,
            "tables": sheet::json(&self.sheets()), "notes": self.notes(),
        })
    }

    fn sheets(&self) -> Vec<Noted> {
        let here = |part: &Part| self.outcomes.iter().any(|o| o.part == *part);
        Part::ALL.into_iter().filter(here).map(|part| self.sheet(part)).collect()
    }

    fn sheet(&self, part: Part) -> Noted {
        let own: Vec<&Outcome> = self.outcomes.iter().filter(|o| o.part == part).collect();
        let mut data: Vec<&str> = Vec::new();
        own.iter().for_each(|o| {
            if !data.contains(&o.data.as_str()) {
                data.push(&o.data);
            }
        });
        let percent = part == Part::Archive;
        let shown = |v: f64| if percent { format!("{:.2}", 100.0 * v) } else { format!("{v:.4}") };
        let scores = |method: &str| -> Vec<Option<f64>> {
            let of = |name: &&str| own.iter().find(|o| o.method == method && o.data == *name)?.score();
            data.iter().map(of).collect()
        };
        let mean = |all: &[Option<f64>]| -> Option<f64> {
            let known = all.iter().copied().collect::<Option<Vec<f64>>>()?;
            (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
        };
        let mut rows = vec![heading(&[&["method", "printed"], &data[..], &["mean"]].concat())];
        let (mut notes, mut first): (Vec<String>, Option<Vec<Option<f64>>>) = (Vec::new(), None);
        for method in part.methods() {
            let all = scores(method.name);
            if all.iter().all(Option::is_none) {
                continue;
            }
            let mut row =
                vec![method.name.to_owned(), method.published.map_or_else(dash, |p| format!("{p:.4}"))];
            row.extend(all.iter().map(|s| s.map_or_else(dash, shown)));
            row.push(mean(&all).map_or_else(dash, shown));
            rows.push(row);
            match &first {
                None => first = Some(all),
                Some(base) => notes.extend(self.against(part, method.name, &all, base)),
            }
        }
        let what = if percent { "accuracy in percent" } else { "area under the ROC curve" };
        notes.push(part.note().to_owned());
        (Sheet { title: format!("{}: {what}", part.name()), rows }, notes)
    }

    /// What a paired t test over data sets says of a method beside the first of its part.
    fn against(&self, part: Part, name: &str, all: &[Option<f64>], base: &[Option<f64>]) -> Option<String> {
        let both: Vec<(f64, f64)> = all.iter().zip(base).filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
        // A test over fewer sets says nothing.
        if both.len() < 4 {
            return None;
        }
        let (a, b): (Vec<f64>, Vec<f64>) = both.into_iter().unzip();
        let p = paired_t(&a, &b).ok()?.p?;
        let gain = a.iter().zip(&b).map(|(a, b)| a - b).sum::<f64>() / a.len() as f64;
        let better = a.iter().zip(&b).filter(|(a, b)| a > b).count();
        let worse = a.iter().zip(&b).filter(|(a, b)| a < b).count();
        let verdict = match p {
            p if p >= 0.05 => "no significant difference",
            _ if gain > 0.0 => "significantly better",
            _ => "significantly worse",
        };
        Some(format!(
            "{name} beside {}: {:+.2} points on average, better on {better} sets and worse on {worse}, paired t test p = {:.3}: {verdict}",
            part.methods()[0].name,
            100.0 * gain,
            p
        ))
    }

    fn notes(&self) -> Vec<String> {
        let Settings { inner_folds, repetitions, seed } = self.settings;
        let fits: usize = self.outcomes.iter().map(|o| o.fits).sum();
        let unconverged: usize = self.outcomes.iter().map(|o| o.unconverged).sum();
        let mut notes = vec![
            format!(
                "Parameters chosen by {inner_folds} folds of each training part alone, by persons for eeg; {repetitions} divisions of persons, 5 folds for genes and text, the given split for the archive; seed {seed}"
            ),
            "printed: the paper's figure for that method on its own data (see the note of each part)"
                .to_owned(),
            format!(
                "{fits} classifiers on inner divisions, {unconverged} of them stopped before they converged"
            ),
        ];
        if !self.absent.is_empty() {
            notes.push(format!("Not found: {}", self.absent.join(", ")));
        }
        notes
    }
}
