//! The results of an experiment as text for terminals and Markdown, and their layout in run documents.

use serde::{Serialize, Serializer};
use serde_json::{Value, json};

use super::{Evaluated, Experiment, Outcome, Settings};
use crate::sheet::{Page, WIDTH};

/// The results of an experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// The experiment.
    pub experiment: &'static Experiment,
    /// The settings used.
    pub settings: Settings,
    /// By base kernel, then by data set.
    pub outcomes: Vec<Outcome>,
    /// The data sets that were not found, or the methods that are not there.
    pub absent: Vec<String>,
    /// The number of threads for Gram matrices.
    pub threads: usize,
}

/// All results, with the parameters chosen in every split, and the text of the report.
impl Serialize for Report {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        let page = self.page();
        let mut settings = json!(self.settings);
        if let Value::Object(all) = &mut settings {
            all.retain(|name, _| self.experiment.shown.contains(&name.as_str()));
        }
        let mut document = json!({
            "kind": self.experiment.name, "version": Self::JSON_VERSION, "settings": settings,
            "absent": self.absent, "notes": page.notes, "summary": page.summary, "tables": page.tables(),
        });
        if let (Value::Object(all), Value::Object(own)) = (&mut document, (self.experiment.document)(self)) {
            all.extend(own);
        }
        document.serialize(to)
    }
}

impl Report {
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

    pub(crate) fn page(&self) -> Page {
        let of = self.experiment;
        let mut summary = (of.summary)(self);
        if !self.is_full() && !of.trial.is_empty() {
            summary.insert(0, of.trial.into());
        }
        Page { summary, sheets: (of.sheets)(self), notes: (of.notes)(self) }
    }

    /// Whether grids, sizes and splits are those of the source.
    pub fn is_full(&self) -> bool {
        let (bases, methods) = (self.settings.bases.clone(), self.settings.methods.clone());
        self.settings == Settings { bases, methods, ..self.experiment.settings(false, self.settings.seed) }
    }

    /// The results of all methods, with their data sets.
    pub(crate) fn all(&self) -> impl Iterator<Item = (&Outcome, &Evaluated)> {
        self.outcomes.iter().flat_map(|o| o.methods.iter().map(move |m| (o, m)))
    }

    /// The numbers of models on inner folds, and of those that did not converge.
    pub(crate) fn fits(&self) -> (usize, usize) {
        self.all().fold((0, 0), |(f, u), (_, m)| (f + m.fits, u + m.unconverged))
    }

    /// The note on data sets that were not found.
    pub(crate) fn not_found(&self) -> Option<String> {
        (!self.absent.is_empty()).then(|| format!("not found, not run: {}", self.absent.join(", ")))
    }
}
