//! A report as text for terminals and Markdown, and its layout in run documents.

use serde::{Serialize, Serializer};
use serde_json::json;

use super::{Method, Part, SimilarityOutcome, SimilaritySettings};
use crate::select::compare::paired_t;
use crate::sheet::{Noted, Page, Sheet, WIDTH, dash};

/// The results of the study.
#[derive(Clone, Debug, PartialEq)]
pub struct SimilarityReport {
    /// The settings used.
    pub settings: SimilaritySettings,
    /// By problem, with the methods in their order.
    pub outcomes: Vec<SimilarityOutcome>,
    /// Data sets that were not found.
    pub absent: Vec<String>,
}

/// All results, with the parameters chosen in every split, and the text of the report.
impl Serialize for SimilarityReport {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        json!({
            "kind": "similarity", "version": Self::JSON_VERSION, "settings": self.settings,
            "outcomes": self.outcomes, "absent": self.absent,
            "tables": self.page().tables(), "summary": self.summary(), "notes": self.notes(),
        })
        .serialize(to)
    }
}

impl SimilarityReport {
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

    fn sheets(&self) -> Vec<Noted> {
        let here = |part: &Part| self.outcomes.iter().any(|o| o.part == *part);
        Part::ALL.into_iter().filter(here).map(|part| self.sheet(part)).collect()
    }

    /// The data sets of a part, in order.
    fn data(&self, part: Part) -> Vec<&str> {
        let mut data: Vec<&str> = Vec::new();
        for outcome in self.outcomes.iter().filter(|o| o.part == part) {
            if !data.contains(&outcome.data.as_str()) {
                data.push(&outcome.data);
            }
        }
        data
    }

    /// The scores of a method on the data sets of its part.
    fn scores(&self, part: Part, method: &str) -> Vec<Option<f64>> {
        let own = |name: &&str| {
            self.outcomes
                .iter()
                .find(|o| (o.part, o.method.as_str(), o.data.as_str()) == (part, method, *name))
        };
        self.data(part).iter().map(|name| own(name)?.score()).collect()
    }

    /// The best similarity kernel compared with the best other method, for each part; parts where it is worse first.
    fn summary(&self) -> Vec<String> {
        let mut lines: Vec<(f64, String)> = Vec::new();
        for part in Part::ALL {
            let lower = part == Part::Molecules;
            let sign = if lower { -1.0 } else { 1.0 };
            let best = |similar: bool| {
                let of = part.methods().iter().filter(|m| m.is_similarity() == similar);
                let scored = of.filter_map(|m| Some((m.name, mean(&self.scores(part, m.name))?)));
                scored.max_by(|a, b| (sign * a.1).total_cmp(&(sign * b.1)))
            };
            let (Some((ours, a)), Some((other, b))) = (best(true), best(false)) else { continue };
            let gain = sign * (a - b);
            let word = match gain {
                g if g < 0.0 => "is worse than",
                g if g > 0.0 => "is better than",
                _ => "equals",
            };
            let measure = if lower { "mean absolute error, lower is better" } else { part.measure() };
            let (a, b) = if part == Part::Archive { (100.0 * a, 100.0 * b) } else { (a, b) };
            let line = format!("{}: {ours} {word} {other}, {a:.4} vs. {b:.4} ({measure}).", part.name());
            lines.push((gain, line));
        }
        lines.sort_by(|a, b| a.0.total_cmp(&b.0));
        lines.into_iter().map(|(_, line)| line).collect()
    }

    fn sheet(&self, part: Part) -> Noted {
        let data = self.data(part);
        let percent = part == Part::Archive;
        let shown = |v: f64| if percent { format!("{:.2}", 100.0 * v) } else { format!("{v:.4}") };
        let numbers = part == Part::Molecules;
        let run: Vec<&Method> =
            part.methods().iter().filter(|m| self.scores(part, m.name).iter().any(Option::is_some)).collect();
        let mut tables: Vec<&str> = run.iter().flat_map(|m| m.published).map(|p| p.0).collect();
        tables.sort_unstable();
        tables.dedup();
        let mut first = vec!["method".to_owned()];
        first.extend(tables.iter().map(|t| (*t).to_owned()));
        match numbers {
            true => first.extend(data.iter().flat_map(|d| [format!("{d} MAE"), format!("{d} RMSE")])),
            false => first.extend(data.iter().map(|d| (*d).to_owned())),
        }
        if data.len() > 1 {
            first.push("mean".into());
        }
        let mut rows = vec![first];
        let mut notes: Vec<(f64, String)> = Vec::new();
        let mut base: Option<Vec<Option<f64>>> = None;
        for method in run {
            let all = self.scores(part, method.name);
            let mut row = vec![method.name.to_owned()];
            row.extend(tables.iter().map(|t| {
                let figure = method.published.iter().find(|p| p.0 == *t);
                figure.map_or_else(dash, |p| format!("{:.4}", p.1))
            }));
            for (score, name) in all.iter().zip(&data) {
                row.push(score.map_or_else(dash, shown));
                if numbers {
                    let own = self.outcomes.iter().find(|o| o.method == method.name && o.data == **name);
                    let rmse = own.map_or(&[][..], |o| &o.rmse);
                    let n = rmse.len() as f64;
                    row.push(if rmse.is_empty() { dash() } else { shown(rmse.iter().sum::<f64>() / n) });
                }
            }
            if data.len() > 1 {
                row.push(mean(&all).map_or_else(dash, shown));
            }
            rows.push(row);
            match &base {
                None => base = Some(all),
                Some(base) => notes.extend(against(part, method.name, &all, base)),
            }
        }
        notes.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut notes: Vec<String> = notes.into_iter().map(|(_, note)| note).collect();
        notes.push(part.note().to_owned());
        (Sheet { title: format!("{}: {}", part.name(), part.measure()), rows, names: 1 }, notes)
    }

    fn notes(&self) -> Vec<String> {
        let SimilaritySettings { inner_folds, repetitions, seed } = self.settings;
        let fits: usize = self.outcomes.iter().map(|o| o.fits).sum();
        let unconverged: usize = self.outcomes.iter().map(|o| o.unconverged).sum();
        let mut notes = vec![
            format!(
                "Parameters chosen by {inner_folds}-fold cross-validation on each training set, by persons for eeg; {repetitions} splits of persons, 5 folds for genes, text and molecules, the given split for the archive; seed {seed}"
            ),
            "table N: the paper's value for that method on its own data (see the note of each part)".to_owned(),
            "table 2 (visual concepts): needs the images and tags of Yahoo! MIR Flickr, which are not available, and \
             no collection here has images with tags: not run"
                .to_owned(),
            format!(
                "{fits} models on inner folds, {unconverged} of them stopped before convergence"
            ),
        ];
        if !self.absent.is_empty() {
            notes.push(format!("not found, not run: {}", self.absent.join(", ")));
        }
        notes
    }
}

impl Method {
    /// Whether it uses the similarity kernel.
    fn is_similarity(&self) -> bool {
        self.name.starts_with("similarity")
    }
}

/// The mean, if all values are known.
fn mean(all: &[Option<f64>]) -> Option<f64> {
    let known = all.iter().copied().collect::<Option<Vec<f64>>>()?;
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}

/// The mean gain of a method over the first of its part, and the result of a paired t test over data sets.
fn against(part: Part, name: &str, all: &[Option<f64>], base: &[Option<f64>]) -> Option<(f64, String)> {
    let both: Vec<(f64, f64)> = all.iter().zip(base).filter_map(|(a, b)| Some(((*a)?, (*b)?))).collect();
    // Too few sets for a test.
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
    let text = format!(
        "{name} vs. {}: {:+.2} points on average, worse on {worse} and better on {better} data sets, paired t test p = {p:.3}: {verdict}",
        part.methods()[0].name,
        100.0 * gain,
    );
    Some((gain, text))
}
