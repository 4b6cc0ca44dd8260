//! Columns that give the target away.

use super::view::{Cells, Feature, View};
use super::{Finding, Severity, counted, leave_out, percent, quoted, rule};
use crate::budget;
use crate::data::{Categories, Dataset};
use crate::error::Result;

/// A feature with at most this error predicts nearly perfectly.
const NEARLY: f64 = 0.01;
/// The same for a feature that has a value for each class: a copy of the target with errors.
const NEARLY_COPIED: f64 = 0.03;
/// Other features err at least this often, or the problem is easy and nothing is given away.
const APART: f64 = 0.03;
/// The share of variance from which on a number is given away.
const ALL_VARIANCE: f64 = 0.995;
/// The squared correlation from which on a column is the target in another unit.
const SAME: f64 = 0.9999;
/// Chance results are rarer than one in this many.
const CHANCE: f64 = 1e4;

pub(super) fn of(data: &Dataset, view: &View) -> Result<Vec<Finding>> {
    let Some(target) = &view.target else { return Ok(Vec::new()) };
    let mut out = match target {
        Cells::Codes(y, _) => of_classes(data, view, y)?,
        Cells::Numbers(y) => of_numbers(data, view, y)?,
    };
    let given = |f: &&Feature| !out.iter().any(|found| found.columns.contains(&f.name));
    let features: Vec<&Feature> = view.features.iter().filter(|f| f.whole).filter(given).collect();
    let missing = missingness(data, &features, target);
    out.extend(missing);
    Ok(out)
}

/// The columns of findings as users know them: names of columns that can be left out, or of coordinates.
fn finding(
    code: &'static str,
    data: &Dataset,
    features: &[&Feature],
    message: String,
    meanwhile: &str,
) -> Finding {
    let columns: Vec<String> = features.iter().filter(|f| f.whole).map(|f| f.name.clone()).collect();
    let target = data.target_name().unwrap_or("target");
    let advice = match columns.is_empty() {
        false => {
            let it = if columns.len() == 1 { "it is" } else { "they are" };
            format!("{meanwhile}leave out with {} unless {it} known before '{target}'", leave_out(&columns))
        }
        true => format!("{meanwhile}check how it came about: it must not depend on '{target}'"),
    };
    Finding::new(code, Severity::High, message, advice).columns(features.iter().map(|f| f.name.clone()))
}

fn of_classes(data: &Dataset, view: &View, y: &[u32]) -> Result<Vec<Finding>> {
    let target = data.target_name().unwrap_or("target");
    let mut errors = Vec::with_capacity(view.features.len());
    for feature in &view.features {
        budget::check_after(20 * y.len())?;
        errors.push(rule::class_error(feature, y, view.classes));
    }
    let n = y.iter().filter(|&&c| c != Categories::MISSING).count();
    let mut out = Vec::new();
    let mut copies = Vec::new();
    for (feature, error) in view.features.iter().zip(&errors) {
        if let Some(error) = error
            && *error <= NEARLY
            && is_informative(y, view)
            && is_one_to_one(feature, y, view.classes)
        {
            copies.push((feature, *error));
        }
    }
    for (feature, error) in &copies {
        let right = match *error == 0.0 {
            true => format!("its {} values stand for the classes, in all {n} objects", view.present(y)),
            false => {
                format!("its {} values stand for the classes, but for {}", view.present(y), percent(*error))
            }
        };
        let message = format!("column '{}' repeats the target '{target}': {right}", feature.name);
        out.push(
            finding("W_TARGET_COPY", data, &[feature], message, "")
                .evidence("balanced_accuracy", 1.0 - error)
                .evidence("objects", n as f64),
        );
    }
    let copied = |f: &Feature| copies.iter().any(|(c, _)| std::ptr::eq(*c, f));
    let rest = view.features.iter().zip(&errors).filter(|(f, _)| !copied(f));
    let rest: Vec<(&Feature, f64)> = rest.filter_map(|(f, e)| Some((f, (*e)?))).collect();
    let is_near = |(feature, error): &(&Feature, f64)| {
        *error <= NEARLY || *error <= NEARLY_COPIED && is_one_to_one(feature, y, view.classes)
    };
    let (mut near, far): (Vec<(&Feature, f64)>, Vec<_>) = rest.iter().copied().partition(is_near);
    // Those that give the target away are not compared with each other: two of them would hide one another.
    let others = far.iter().map(|(_, e)| *e).fold(f64::INFINITY, f64::min);
    let mut others = if others.is_finite() { others } else { 1.0 - 1.0 / view.present(y).max(1) as f64 };
    near.sort_by(|a, b| b.1.total_cmp(&a.1));
    near.retain(|(_, error)| {
        let apart = others >= APART && others >= 4.0 * error;
        if !apart {
            others = others.min(*error);
        }
        apart
    });
    let few = near.len() <= 3.max(rest.len() / 10);
    for (feature, error) in near {
        if !few || !is_informative(y, view) {
            continue;
        }
        let message = format!(
            "{} alone predicts '{target}' with a balanced accuracy of {:.3} over {}; the best other column has {:.3}",
            named(feature),
            1.0 - error,
            counted(n, "object"),
            1.0 - others
        );
        out.push(
            finding("W_LEAK", data, &[feature], message, "")
                .evidence("balanced_accuracy", 1.0 - error)
                .evidence("best_other", 1.0 - others)
                .evidence("objects", n as f64),
        );
    }
    let found = |f: &Feature| out.iter().any(|finding: &Finding| finding.columns.contains(&f.name));
    let chance = 1.0 - 1.0 / view.present(y).max(1) as f64;
    let named = view.features.iter().zip(&errors).filter(|(f, _)| says_prediction(&f.name) && !found(f));
    let told = |(feature, error): (&Feature, &Option<f64>)| {
        let error = (*error).filter(|error| 2.0 * error < chance && is_informative(y, view))?;
        let message = format!(
            "column '{}' is named as a prediction, and predicts '{target}' with a balanced accuracy of {:.3} over {}",
            feature.name,
            1.0 - error,
            counted(n, "object")
        );
        let found = finding("W_PREDICTION", data, &[feature], message, ANSWER);
        Some(found.evidence("balanced_accuracy", 1.0 - error).evidence("objects", n as f64))
    };
    let predictions: Vec<Finding> = named.filter_map(told).collect();
    out.extend(predictions);
    Ok(out)
}

/// What a column named as a prediction may be.
const ANSWER: &str = "it may be another model's answer: ";

fn named(feature: &Feature) -> String {
    if feature.whole { format!("column '{}'", feature.name) } else { format!("the {}", feature.name) }
}

impl View {
    /// The number of classes that occur.
    fn present(&self, y: &[u32]) -> usize {
        let mut seen = vec![false; self.classes];
        y.iter().filter(|&&c| c != Categories::MISSING).for_each(|&c| seen[c as usize] = true);
        seen.iter().filter(|s| **s).count()
    }
}

/// Whether the classes are so many and so mixed that no feature of this many sorts them by chance: the number of
/// arrangements of the classes exceeds the number of features by far.
fn is_informative(y: &[u32], view: &View) -> bool {
    let mut sizes = vec![0usize; view.classes];
    y.iter().filter(|&&c| c != Categories::MISSING).for_each(|&c| sizes[c as usize] += 1);
    let log_factorial = |n: usize| (2..=n).map(|k| (k as f64).ln()).sum::<f64>();
    let arrangements =
        log_factorial(sizes.iter().sum()) - sizes.iter().map(|&s| log_factorial(s)).sum::<f64>();
    arrangements > (view.features.len() as f64 * CHANCE).ln()
}

/// Whether a feature has as many values as there are classes, each standing for its own class.
fn is_one_to_one(feature: &Feature, y: &[u32], classes: usize) -> bool {
    let (values, levels) = feature.codes();
    if levels > 4 * classes + 4 {
        return false;
    }
    let mut counts = vec![0usize; levels * classes];
    for (&v, &c) in values.iter().zip(y) {
        if v != Categories::MISSING && c != Categories::MISSING {
            counts[v as usize * classes + c as usize] += 1;
        }
    }
    let mut owners = vec![None; levels];
    for (v, owner) in owners.iter_mut().enumerate() {
        let row = &counts[v * classes..(v + 1) * classes];
        let most = row.iter().copied().max().unwrap_or(0);
        *owner = row.iter().position(|&c| c == most && most > 0);
    }
    let mut used: Vec<usize> = owners.iter().flatten().copied().collect();
    let values_used = used.len();
    used.sort_unstable();
    used.dedup();
    used.len() == values_used && values_used >= 2
}

fn of_numbers(data: &Dataset, view: &View, y: &[f64]) -> Result<Vec<Finding>> {
    let target = data.target_name().unwrap_or("target");
    let known = y.iter().filter(|v| v.is_finite()).count();
    let mut out = Vec::new();
    for feature in &view.features {
        budget::check_after(20 * y.len())?;
        let both = (0..y.len()).filter(|&i| y[i].is_finite() && !feature.cells.is_missing(i)).count();
        if 2 * both < known {
            continue;
        }
        let Some((share, correlation)) = rule::explained(&feature.cells, y) else { continue };
        if share < ALL_VARIANCE {
            if says_prediction(&feature.name) && share > 0.5 {
                let message = format!(
                    "column '{}' is named as a prediction, and explains {} of the variance of '{target}'",
                    feature.name,
                    percent(share)
                );
                let found = finding("W_PREDICTION", data, &[feature], message, ANSWER);
                out.push(found.evidence("explained", share).evidence("objects", both as f64));
            }
            continue;
        }
        let (code, what) = match correlation >= SAME {
            true => ("W_TARGET_COPY", "is the target, perhaps in another unit: it"),
            false => ("W_LEAK", "alone"),
        };
        let message = format!(
            "column '{}' {what} explains {:.2} % of the variance of '{target}' over {}",
            feature.name,
            100.0 * share,
            counted(both, "object")
        );
        let found = finding(code, data, &[feature], message, "");
        out.push(found.evidence("explained", share).evidence("objects", both as f64));
    }
    Ok(out)
}

fn says_prediction(name: &str) -> bool {
    let name = name.to_lowercase();
    ["predicted", "prediction", "y_pred", "y_hat", "yhat"].iter().any(|word| name.contains(word))
}

/// A group smaller than this tells nothing.
const FEWEST: usize = 20;
/// The purity from which on missing values give a class away.
const PURE: f64 = 0.99;

/// Columns whose missing values give the target away.
fn missingness(data: &Dataset, features: &[&Feature], target: &Cells) -> Vec<Finding> {
    let mut out: Vec<(Vec<&Feature>, Vec<bool>, String, f64)> = Vec::new();
    for feature in features {
        let known = |i: &usize| !target.is_missing(*i);
        let rows: Vec<usize> = (0..target.len()).filter(known).collect();
        let missing: Vec<bool> = rows.iter().map(|&i| feature.cells.is_missing(i)).collect();
        let count = missing.iter().filter(|m| **m).count();
        if count < FEWEST || rows.len() - count < FEWEST {
            continue;
        }
        if let Some(same) = out.iter_mut().find(|(_, pattern, ..)| *pattern == missing) {
            same.0.push(feature);
            continue;
        }
        let found = match target {
            Cells::Codes(y, classes) => pure_class(data, &rows, &missing, y, *classes, features.len()),
            Cells::Numbers(y) => apart(&rows, &missing, y),
        };
        if let Some((message, evidence)) = found {
            out.push((vec![feature], missing, message, evidence));
        }
    }
    let say = |(features, missing, message, evidence): (Vec<&Feature>, Vec<bool>, String, f64)| {
        let names: Vec<String> = features.iter().map(|f| f.name.clone()).collect();
        let word = if names.len() == 1 { "column" } else { "columns" };
        let message = format!("{word} {}: {message}", quoted(&names));
        let count = missing.iter().filter(|m| **m).count();
        finding("W_MISSING_LEAK", data, &features, message, "the value seems to be recorded afterwards: ")
            .evidence("purity", evidence)
            .evidence("missing", count as f64)
    };
    out.into_iter().map(say).collect()
}

/// Objects with a value, or without one, that are nearly all of one class.
fn pure_class(
    data: &Dataset,
    rows: &[usize],
    missing: &[bool],
    y: &[u32],
    classes: usize,
    features: usize,
) -> Option<(String, f64)> {
    let mut counts = [vec![0usize; classes], vec![0usize; classes]];
    rows.iter().zip(missing).for_each(|(&i, &m)| counts[usize::from(m)][y[i] as usize] += 1);
    let size = |c: usize| counts[0][c] + counts[1][c];
    let name = |c: usize| match data.target() {
        Some(crate::data::Target::Classes(t)) => t.levels().get(c).cloned().unwrap_or_default(),
        _ => String::new(),
    };
    for (which, side) in [(0, "present"), (1, "missing")] {
        let total: usize = counts[which].iter().sum();
        let (class, most) = counts[which].iter().copied().enumerate().max_by_key(|c| c.1)?;
        let (purity, usual) = (most as f64 / total as f64, size(class) as f64 / rows.len() as f64);
        // The chance that so many objects of one class meet here, times the number of columns.
        let chance = most as f64 * usual.ln() + (features as f64).ln();
        if purity >= PURE && usual < 0.9 && chance < -CHANCE.ln() - 5.0 {
            let message = format!(
                "where it is {side} ({}), {} are of class '{}', which has {} of all objects",
                counted(total, "object"),
                percent(purity),
                name(class),
                percent(usual)
            );
            return Some((message, purity));
        }
    }
    None
}

/// Targets of objects with and without a value that hardly overlap.
fn apart(rows: &[usize], missing: &[bool], y: &[f64]) -> Option<(String, f64)> {
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| y[rows[a]].total_cmp(&y[rows[b]]));
    let (mut without, mut pairs) = (0u64, 0u64);
    for &k in &order {
        if missing[k] { without += 1 } else { pairs += without }
    }
    let with = rows.len() as u64 - without;
    let area = pairs as f64 / (without * with).max(1) as f64;
    let purity = area.max(1.0 - area);
    let side = if area > 0.5 { "smaller" } else { "larger" };
    let message = format!(
        "where it is missing ({}), the target is {side} than elsewhere in {} of all pairs",
        counted(without as usize, "object"),
        percent(purity)
    );
    (purity > 0.98).then_some((message, purity))
}
