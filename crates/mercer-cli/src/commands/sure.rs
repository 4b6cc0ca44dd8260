//! How sure predictions are: the options of calibrations, sets, intervals, typicality and coverage.

use std::path::Path;

use clap::Args;
use mercer::data::Dataset;
use mercer::gram::Engine;
use mercer::learn::conformal::check_confidence;
use mercer::model::{ConformalBy, ConformalMethod, Model, Regions};
use mercer::select::{Conformal, Coverage};
use mercer::{Code, Error, Place, Result, Warning};
use serde_json::{Value, json};

use super::columnar::Cells;
use crate::console::Console;
use crate::table::{RowStyle, Table};

/// The confidences at which a test set is measured.
const MEASURED: [f64; 3] = [0.8, 0.9, 0.95];

/// How a model is calibrated.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "How sure predictions are")]
pub(crate) struct ConformalArgs {
    /// Calibrate the model, so that `predict --confidence` gives sets of classes or intervals of numbers. split(0.25) keeps
    /// a share of the objects for it: at least as many regions hold the truth as the confidence says. cv(10) scores every
    /// object by a model of other folds, and the model is fitted to all: about as many, in theory at least 2C - 1. jackknife
    /// is the same for ridge with leave-one-out models in closed form
    #[arg(long, value_name = "METHOD", num_args = 0..=1, default_missing_value = "cv")]
    conformal: Option<String>,
    /// Guarantee the confidence within each class (class), or within each value of a column
    #[arg(long, value_name = "class|COLUMN", requires = "conformal")]
    conformal_by: Option<String>,
    /// How strange a value is: least-ambiguous, adaptive or regularized for classes; absolute or normalized for numbers
    /// [default: least-ambiguous or absolute]
    #[arg(long, value_name = "SCORE", requires = "conformal")]
    conformal_score: Option<String>,
}

impl ConformalArgs {
    /// The settings; none if no calibration is wanted.
    pub(crate) fn settings(&self, has_gram: bool) -> Result<Option<Conformal>> {
        let Some(method) = &self.conformal else { return Ok(None) };
        if has_gram {
            return Err(Error::usage("--conformal computes matrices of its own: leave --gram out"));
        }
        let method: ConformalMethod = method.parse()?;
        let by = match self.conformal_by.as_deref() {
            None => ConformalBy::All,
            Some("class") => ConformalBy::Class,
            Some(column) => ConformalBy::Column(column.to_owned()),
        };
        let score = self.conformal_score.as_deref().map(str::parse).transpose()?;
        Ok(Some(Conformal { method, by, score }))
    }
}

/// Refuses a model without a calibration, and a confidence that is none, before objects are read.
pub(crate) fn check(path: &Path, model: &Model, confidence: Option<f64>, typicality: bool) -> Result<()> {
    confidence.map_or(Ok(()), check_confidence)?;
    if model.conformal().is_some() || (confidence.is_none() && !typicality) {
        return Ok(());
    }
    let option = if confidence.is_some() { "--confidence" } else { "--typicality" };
    let reason = format!("{option} needs a calibrated model, and this one was fitted without a calibration");
    let hint = match model.target() {
        Some(_) => "fit it again with --conformal",
        None => "models with a target can be fitted with --conformal",
    };
    Err(Error::parse(Place::file(path), Code::Usage, reason).with_hint(hint))
}

/// Regions and typicality of objects, as far as they are wanted.
#[derive(Default)]
pub(crate) struct Sure {
    regions: Option<Regions>,
    classes: Vec<String>,
    pub(crate) typicality: Option<Vec<f64>>,
    untypical: f64,
    pub(crate) coverage: Option<Coverage>,
}

impl Sure {
    pub(crate) fn of(
        model: &Model,
        data: &Dataset,
        (confidence, typicality): (Option<f64>, bool),
        engine: &Engine,
    ) -> Result<Self> {
        if confidence.is_none() && !typicality {
            return Ok(Sure::default());
        }
        let regions = confidence.map(|c| model.predict_regions(data, c, engine)).transpose()?;
        let coverage = match &regions {
            Some(regions) => Coverage::of(model, data, regions)?,
            None => None,
        };
        Ok(Sure {
            regions,
            classes: model.trained().classes().to_vec(),
            typicality: Some(model.typicality(data, engine)?),
            untypical: model.untypical(),
            coverage,
        })
    }

    /// Warnings about regions, and about objects outside of the domain.
    pub(crate) fn warnings(&self, model: &Model) -> Vec<Warning> {
        let mut all: Vec<Warning> = self.regions.iter().flat_map(|r| r.warnings.clone()).collect();
        let Some(typicality) = &self.typicality else { return all };
        let outside = typicality.iter().filter(|p| **p <= self.untypical).count();
        // One in a hundred ordinary objects is that untypical by chance.
        if outside as f64 > 2.0 + 2.0 * self.untypical * typicality.len() as f64
            || (outside > 0 && outside == typicality.len())
        {
            let learner = model.learner().name();
            let message = format!(
                "{outside} of {} objects are unlike the training objects (typicality of at most {:.2}): their predictions by \
                 {learner} are outside of its domain",
                typicality.len(),
                self.untypical
            );
            all.push(Warning::new("W_UNTYPICAL", message));
        }
        all
    }

    /// The columns about n objects.
    pub(crate) fn columns(&self, n: usize) -> Vec<(&'static str, Cells)> {
        let mut out = Vec::new();
        if let Some(regions) = &self.regions {
            match &regions.intervals {
                Some(all) => {
                    out.push(("lower", Cells::numbers(all.iter().map(|ends| ends.0))));
                    out.push(("upper", Cells::numbers(all.iter().map(|ends| ends.1))));
                }
                None => out.push(("set", Cells::texts((0..n).map(|i| self.set(regions, i).join("|"))))),
            }
        }
        if let Some(all) = &self.typicality {
            out.push(("typicality", Cells::Share(all.to_vec())));
            out.push(("in_domain", Cells::Flag(all.iter().map(|&p| p > self.untypical).collect())));
        }
        out
    }

    fn set(&self, regions: &Regions, i: usize) -> Vec<&str> {
        regions.set(i).into_iter().filter_map(|c| self.classes.get(c).map(String::as_str)).collect()
    }

    /// The set of each object, for documents.
    pub(crate) fn sets(&self) -> Option<Vec<Vec<&str>>> {
        let regions = self.regions.as_ref().filter(|r| r.p_values.is_some())?;
        Some((0..regions.prediction.len()).map(|i| self.set(regions, i)).collect())
    }

    pub(crate) fn p_values(&self, model: &Model) -> Option<Value> {
        let p = self.regions.as_ref()?.p_values.as_ref()?;
        let rows: Vec<&[f64]> = (0..p.rows()).map(|i| p.row(i)).collect();
        Some(json!({"columns": model.trained().classes(), "values": rows}))
    }

    /// The interval of each object; an infinite end is null.
    pub(crate) fn intervals(&self) -> Option<Vec<[Option<f64>; 2]>> {
        let all = self.regions.as_ref()?.intervals.as_ref()?;
        let end = |v: f64| Some(v).filter(|v| v.is_finite());
        Some(all.iter().map(|(low, high)| [end(*low), end(*high)]).collect())
    }

    pub(crate) fn in_domain(&self) -> Option<Vec<bool>> {
        self.typicality.as_ref().map(|all| all.iter().map(|p| *p > self.untypical).collect())
    }
}

/// One line about the coverage of predictions.
pub(crate) fn show(coverage: &Coverage, classes: bool, console: &Console) {
    let all = &coverage.all;
    let size = match classes {
        true => format!("{:.2} classes in a set on average", all.size),
        false => format!("intervals of width {} on average", width(all.size)),
    };
    console.note(format!(
        "confidence {}: {} of {} regions hold the true value ({:.1} %), {size}",
        coverage.confidence,
        all.covered,
        all.objects,
        100.0 * all.coverage
    ));
}

fn width(size: f64) -> String {
    if size.is_finite() { format!("{size:.4}") } else { "infinite".to_owned() }
}

/// Says how a model was calibrated.
pub(crate) fn describe(model: &Model, console: &Console) -> Result<()> {
    let Some(calibration) = model.conformal() else { return Ok(()) };
    console.line(summary(model).unwrap_or_default())?;
    let few: Vec<(&str, usize)> = calibration.strata().filter(|(_, n)| *n < 9).collect();
    if let Some((name, n)) = few.first() {
        let which = if name.is_empty() { String::new() } else { format!(" of '{name}'") };
        let message = format!(
            "{n} calibration objects{which} are too few for a confidence of 0.9, which needs 9: nothing will be left out"
        );
        console.warn(&Warning::new("W_CONFORMAL", message));
    }
    Ok(())
}

/// One line about the calibration of a model.
pub(crate) fn summary(model: &Model) -> Option<String> {
    let calibration = model.conformal()?;
    let by = match calibration.by() {
        ConformalBy::Class => ", by class".to_owned(),
        ConformalBy::Column(name) => format!(", by {name}"),
        _ => String::new(),
    };
    let guarantee = match calibration.method() {
        ConformalMethod::Split(_) => "a confidence C holds for at least C of new objects",
        _ => "a confidence C holds for about C of new objects (at least 2C - 1)",
    };
    Some(format!(
        "calibrated by {} with {} objects, {} scores{by}: {guarantee}",
        calibration.method(),
        calibration.objects(),
        calibration.score()
    ))
}

/// The calibration in documents.
pub(crate) fn document(model: &Model) -> Option<Value> {
    let calibration = model.conformal()?;
    let strata: Vec<Value> =
        calibration.strata().map(|(name, objects)| json!({"name": name, "objects": objects})).collect();
    Some(json!({
        "method": calibration.method().to_string(), "score": calibration.score().to_string(),
        "by": calibration.by().to_string(), "objects": calibration.objects(), "strata": strata,
    }))
}

/// The coverage of a test set at some confidences.
pub(crate) fn measured(model: &Model, test: &Dataset, engine: &Engine) -> Result<Vec<Coverage>> {
    let mut out = Vec::new();
    for confidence in MEASURED {
        let regions = model.predict_regions(test, confidence, engine)?;
        out.extend(Coverage::of(model, test, &regions)?);
    }
    Ok(out)
}

/// Prints the coverage of a test set.
pub(crate) fn table(found: &[Coverage], classes: bool, console: &Console) -> Result<()> {
    let size = if classes { ">mean set size" } else { ">mean width" };
    let mut table = Table::new(&["confidence", "objects of", ">objects", ">coverage", size]);
    for coverage in found {
        for (at, row) in std::iter::once(&coverage.all).chain(&coverage.parts).enumerate() {
            let confidence = if at == 0 { coverage.confidence.to_string() } else { String::new() };
            let name = if at == 0 { "the test set".to_owned() } else { row.name.clone() };
            let share = format!("{:.1} %", 100.0 * row.coverage);
            let size = if classes { format!("{:.2}", row.size) } else { width(row.size) };
            let style = if at == 0 { RowStyle::Best } else { RowStyle::Plain };
            table.row(vec![confidence, name, row.objects.to_string(), share, size], style);
        }
    }
    console.table(table)
}
