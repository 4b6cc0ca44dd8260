//! The results of a run as one JSON document, from which reports are made.

use serde_json::{Value, json};

use super::Figures;
use crate::data::{Column, Dataset, Target, Values};
use crate::error::Result;
use crate::gram::Engine;
use crate::select::EvaluationReport;

/// The report of an evaluation, with warnings about the data.
pub fn outcome(data: &Dataset, report: &EvaluationReport) -> Value {
    let mut document = report.json();
    document["target"] = data.target_name().into();
    if let Some(warnings) = document["warnings"].as_array_mut() {
        warnings.extend(data.warnings().iter().map(|w| Value::from(w.to_string())));
    }
    document
}

/// The document of an evaluation: [`outcome`], a summary of the data, and the figures of the most often chosen kernel
/// and learner, fitted to all of the data.
///
/// ```
/// use mercer::{data::generate, gram::Engine, insight, select::{Evaluate, Protocol}};
/// let data = generate::half_moons(40, 0.1, 1)?;
/// let settings = Evaluate { protocol: Protocol::folds(2), ..Evaluate::of(&data)? };
/// let report = settings.run(&data, &"rbf(gamma=1)".parse()?, &"svc(C=1)".parse()?, &Engine::new(), None)?;
/// let document = insight::evaluation(&data, &report, &Engine::new())?;
/// assert_eq!(document["summary"]["objects"], 40);
/// assert_eq!(document["figures"]["spectrum"]["negative"], 0);
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn evaluation(data: &Dataset, report: &EvaluationReport, engine: &Engine) -> Result<Value> {
    let (kernel, learner) = report.typical();
    let mut figures = Figures::of(data, &kernel.parse()?, &learner.parse()?, report.settings.seed, engine)?;
    figures.predictions = Some(report.predictions.clone());
    figures.search = report.search.clone();
    let mut document = outcome(data, report);
    document["summary"] = summary(data);
    note_figures(&mut document, &figures);
    Ok(document)
}

/// Adds figures to a document, and a warning if the matrix is indefinite.
pub fn note_figures(document: &mut Value, figures: &Figures) {
    if let Some(spectrum) = figures.spectrum.as_ref().filter(|s| s.negative > 0) {
        let text = format!(
            "W_INDEFINITE {} of {} eigenvalues are negative: no feature space has these similarities, and support vector machines may \
             not find the best solution; repair(...) makes the matrix positive semidefinite",
            spectrum.negative,
            spectrum.values.len()
        );
        if let Some(warnings) = document["warnings"].as_array_mut() {
            warnings.push(text.into());
        }
    }
    document["figures"] = json!(figures);
}

/// A summary of a data set as JSON: columns and target.
pub fn summary(data: &Dataset) -> Value {
    let column = |c: &Column| {
        let mut detail = match &c.values {
            Values::Categories(v) => format!("{} values", v.levels().len()),
            Values::Graphs(v) => {
                let (nodes, edges) = v.iter().fold((0, 0), |(n, e), g| (n + g.nodes(), e + g.edges()));
                let n = v.len().max(1) as f64;
                format!("{:.1} nodes and {:.1} edges on average", nodes as f64 / n, edges as f64 / n)
            }
            Values::Strings(v) | Values::Text(v) => {
                let characters: usize = v.iter().flatten().map(|t| t.chars().count()).sum();
                format!("{:.0} characters on average", characters as f64 / v.len().max(1) as f64)
            }
            values if values.width() > 1 => format!("{} wide", values.width()),
            _ => String::new(),
        };
        let missing = c.missing();
        if missing > 0 {
            let comma = if detail.is_empty() { "" } else { ", " };
            detail += &format!("{comma}{missing} missing");
        }
        json!({"name": c.name, "kind": c.values.kind().name(), "detail": detail})
    };
    let target = data.target().map(|target| match target {
        Target::Classes(classes) => {
            let mut sizes = vec![0usize; classes.levels().len()];
            (0..classes.len()).filter_map(|i| classes.code(i)).for_each(|c| sizes[c as usize] += 1);
            let each = classes.levels().iter().zip(sizes);
            let each: Vec<Value> =
                each.map(|(name, objects)| json!({"name": name, "objects": objects})).collect();
            json!({"name": data.target_name(), "kind": "classes", "classes": each})
        }
        Target::Numbers(y) => {
            let mut sorted = y.clone();
            sorted.sort_by(f64::total_cmp);
            let at = |share: usize| sorted.get((sorted.len().saturating_sub(1)) * share / 2);
            json!({"name": data.target_name(), "kind": "number", "min": at(0), "median": at(1), "max": at(2)})
        }
    });
    json!({
        "objects": data.len(), "ids": data.ids().is_some(),
        "columns": data.columns().iter().map(column).collect::<Vec<_>>(), "target": target,
    })
}
