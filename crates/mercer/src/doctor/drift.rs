//! Time order: whether early and late objects can be told apart.

use super::identifiers::{is_date_text, text_at};
use super::view::{Cells, Feature, View, center_and_scale};
use super::{Finding, Severity, quoted};
use crate::budget;
use crate::data::{Dataset, Values};
use crate::error::Result;

/// The area under the ROC curve from which on early and late objects differ.
const DIFFERENT: f64 = 0.75;
/// Features of the classifier of all together, at most.
const TOGETHER: usize = 50;
/// Objects with a time, at least.
const FEWEST: usize = 60;

/// Drift along the time column: given, or found by its name or its values.
pub(super) fn of(
    data: &Dataset,
    view: &View,
    time: Option<&str>,
    named: &[usize],
) -> Result<Option<Finding>> {
    for feature in times(data, view, time) {
        if let Some(found) = along(data, view, feature, named)? {
            return Ok(Some(found));
        }
    }
    Ok(None)
}

/// Drift along one time column.
fn along(data: &Dataset, view: &View, time: &Feature, named: &[usize]) -> Result<Option<Finding>> {
    let (column, name, order) = (time.column, time.name.clone(), ordered(data, view, time));
    if order.len() < FEWEST {
        return Ok(None);
    }
    // Early and late halves; every second object of each is predicted from the others.
    let half = order.len() / 2;
    let features: Vec<&Feature> = view
        .features
        .iter()
        .filter(|f| f.column != column && !named.contains(&f.column) && !is_date_column(data, view, f))
        .filter(|f| !says_time(&f.name))
        .collect();
    // The best of many features that say nothing is better than one: the area varies by chance, by 1 / √(3 n).
    let many = features.len().max(1) as f64;
    let chance = ((2.0 * many.ln()).sqrt() + 1.5) / (3.0 * order.len() as f64).sqrt();
    let limit = DIFFERENT.max(0.5 + chance);
    let mut total = vec![0.0; order.len()];
    let mut alone: Vec<(f64, String)> = Vec::new();
    for (at, feature) in features.into_iter().enumerate() {
        budget::check_after(20 * order.len())?;
        let scores = log_ratios(&feature.cells, &order, half);
        let area = area(&scores, half);
        if area > limit {
            alone.push((area, feature.name.clone()));
        }
        // Noise of many features would hide the few that differ.
        if at < TOGETHER {
            total.iter_mut().zip(&scores).for_each(|(t, s)| *t += s);
        }
    }
    let together = area(&total, half);
    let best = alone.iter().map(|a| a.0).fold(together, f64::max);
    if best < DIFFERENT {
        return Ok(None);
    }
    alone.sort_by(|a, b| b.0.total_cmp(&a.0));
    let names: Vec<String> = alone.into_iter().map(|a| a.1).collect();
    let through =
        if names.is_empty() { String::new() } else { format!(", most of all by {}", quoted(&names)) };
    let message = format!(
        "by '{name}', early and late objects differ: a simple classifier tells them apart with an area under the ROC curve \
         of {best:.2}{through}"
    );
    let advice = "a random split hides that new objects differ from old ones: test on the latest objects";
    Ok(Some(
        Finding::new("W_DRIFT", Severity::Medium, message, advice)
            .columns(std::iter::once(name).chain(names))
            .evidence("auc", best)
            .evidence("objects", order.len() as f64),
    ))
}

/// The time column that is given, or up to three that are written or named as times.
fn times<'v>(data: &Dataset, view: &'v View, time: Option<&str>) -> Vec<&'v Feature> {
    let whole = || view.features.iter().filter(|f| f.whole);
    if let Some(name) = time {
        return whole().filter(|f| f.name == name).collect();
    }
    // Numbers are a time if they are times, or are named so, vary throughout and count from an origin: durations do not.
    let numbers = |f: &Feature| match &f.cells {
        _ if !f.whole || f.codes().1 * 10 <= view.rows.len() => false,
        Cells::Numbers(x) => {
            let read = matches!(data.columns()[f.column].values, Values::Times(_));
            read || says_time(&f.name) && are_points_in_time(x)
        }
        Cells::Codes(..) => false,
    };
    whole().filter(|f| is_date_column(data, view, f) || numbers(f)).take(3).collect()
}

/// The sampled objects in the order of a time column.
fn ordered(data: &Dataset, view: &View, time: &Feature) -> Vec<usize> {
    let mut order: Vec<usize> = (0..view.rows.len()).filter(|&k| !time.cells.is_missing(k)).collect();
    match &time.cells {
        Cells::Numbers(x) => order.sort_by(|&a, &b| x[a].total_cmp(&x[b])),
        // Dates with the year first sort as text.
        Cells::Codes(..) => order.sort_by_key(|&k| text_at(data, time, view.rows[k])),
    }
    order
}

fn is_date_column(data: &Dataset, view: &View, feature: &Feature) -> bool {
    if !feature.whole || !matches!(feature.cells, Cells::Codes(..)) {
        return false;
    }
    let known: Vec<&str> = view.rows.iter().take(200).filter_map(|&i| text_at(data, feature, i)).collect();
    !known.is_empty() && known.iter().filter(|t| is_date_text(t)).count() * 10 > 9 * known.len()
}

/// Whether numbers are years, days written as `20240131`, seconds since 1970, or ascend with the rows as the steps of a clock do.
fn are_points_in_time(x: &[f64]) -> bool {
    let known = || x.iter().copied().filter(|v| !v.is_nan());
    let within = |low: f64, high: f64| known().all(|v| (low..=high).contains(&v) && v.fract() == 0.0);
    let ascends = known().zip(known().skip(1)).all(|(a, b)| a <= b);
    within(1000.0, 2200.0) || within(1.8e7, 2.2e7) || known().all(|v| v > 1e8) || ascends
}

pub(super) fn says_time(name: &str) -> bool {
    let lower = name.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_alphanumeric()).collect();
    words.iter().any(|w| {
        ["date", "time", "timestamp", "datetime", "year", "month", "day", "pickup", "dropoff"].contains(w)
            || w.ends_with("date") && w.len() > 4
    })
}

/// For each object in the order, the logarithm of how much more often its value occurs late than early among the other
/// half of the objects: bins of equal frequency, or levels, with one added to every count.
fn log_ratios(cells: &Cells, order: &[usize], half: usize) -> Vec<f64> {
    let (codes, levels) = match cells {
        Cells::Codes(codes, levels) if *levels <= 1000 => (codes.clone(), *levels),
        Cells::Codes(..) => return vec![0.0; order.len()],
        Cells::Numbers(x) => binned(x),
    };
    let mut out = vec![0.0; order.len()];
    for parity in [0, 1] {
        let mut counts = vec![[1.0f64; 2]; levels + 1];
        let level = |k: usize| (codes[order[k]] as usize).min(levels);
        for k in (0..order.len()).filter(|k| k % 2 != parity) {
            counts[level(k)][usize::from(k >= half)] += 1.0;
        }
        for k in (0..order.len()).filter(|k| k % 2 == parity) {
            let [early, late] = counts[level(k)];
            out[k] = (late / early).ln();
        }
    }
    out
}

/// Numbers in up to sixteen bins of about equal frequency, with twenty or more objects each.
fn binned(x: &[f64]) -> (Vec<u32>, usize) {
    let bins = (x.len() / 20).clamp(2, 16);
    let mut sorted: Vec<f64> = x.iter().copied().filter(|v| !v.is_nan()).collect();
    sorted.sort_by(f64::total_cmp);
    if sorted.is_empty() || center_and_scale(&sorted).is_none() {
        return (vec![0; x.len()], 1);
    }
    let cuts: Vec<f64> = (1..bins).map(|b| sorted[b * sorted.len() / bins]).collect();
    let bin = |v: &f64| if v.is_nan() { bins as u32 } else { cuts.partition_point(|c| c <= v) as u32 };
    (x.iter().map(bin).collect(), bins)
}

/// The area under the ROC curve of scores, the objects from `half` on being positive.
fn area(scores: &[f64], half: usize) -> f64 {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[a].total_cmp(&scores[b]));
    let (mut negative, mut sum) = (0.0, 0.0);
    for tie in order.chunk_by(|&a, &b| scores[a] == scores[b]) {
        let late = tie.iter().filter(|&&k| k >= half).count() as f64;
        let early = tie.len() as f64 - late;
        sum += late * (negative + 0.5 * early);
        negative += early;
    }
    sum / (half as f64 * (scores.len() - half) as f64).max(1.0)
}
