//! Objects far from all others, by their kernel distance.
//!
//! The kernel is the inner product of robustly scaled numbers: each column minus its median, divided by its spread, and
//! then compressed as the inverse hyperbolic sine does, so that the tail of one column does not count as far. The distance
//! of an object is that to its third nearest neighbour among landmarks, d(x, z)² = k(x, x) − 2 k(x, z) + k(z, z).

use super::view::{Cells, Feature, View, center_and_scale};
use super::{Finding, Severity, counted, quoted};
use crate::budget;
use crate::data::Dataset;
use crate::error::Result;
use crate::random::Random;

/// Objects compared with each other, at most.
const LANDMARKS: usize = 400;
/// Objects looked at, at most.
const MOST: usize = 4000;
/// Columns used, at most.
const COLUMNS: usize = 64;
/// How many times further than the median an outlier is, at least.
const FAR: f64 = 4.0;
/// How many times further than the farthest other object an outlier is, at least.
const GAP: f64 = 1.5;

/// Objects far from all others.
pub(super) fn of(data: &Dataset, view: &View, named: &[usize]) -> Result<Option<Finding>> {
    let _ = data;
    let varied = |f: &&Feature| !named.contains(&f.column) && f.whole && matches!(f.cells, Cells::Numbers(_));
    let features: Vec<&Feature> = view.features.iter().filter(varied).collect();
    let step = features.len().div_ceil(COLUMNS).max(1);
    let mut random = Random::derived(0, 0x0071);
    let rows = random.sample(view.rows.len(), MOST);
    let mut columns = Vec::new();
    for feature in features.iter().step_by(step) {
        budget::check_after(20 * rows.len())?;
        let Cells::Numbers(x) = &feature.cells else { continue };
        let own: Vec<f64> = rows.iter().map(|&k| x[k]).collect();
        let Some((middle, scale)) = center_and_scale(&own).filter(|_| is_spread(&own)) else { continue };
        let scaled = |v: f64| if v.is_nan() { 0.0 } else { ((v - middle) / scale).asinh() };
        columns.push((feature.name.as_str(), own.into_iter().map(scaled).collect::<Vec<f64>>()));
    }
    if columns.len() < 3 || rows.len() < 50 {
        return Ok(None);
    }
    let landmarks = random.sample(rows.len(), LANDMARKS);
    let mut distances = Vec::with_capacity(rows.len());
    for k in 0..rows.len() {
        budget::check_after(landmarks.len() * columns.len())?;
        let mut nearest = [f64::INFINITY; 3];
        for &l in landmarks.iter().filter(|&&l| l != k) {
            let squared: f64 = columns.iter().map(|(_, c)| (c[k] - c[l]).powi(2)).sum();
            if squared < nearest[2] {
                nearest[2] = squared;
                nearest.sort_by(f64::total_cmp);
            }
        }
        distances.push(nearest[2].sqrt());
    }
    let mut order: Vec<usize> = (0..rows.len()).collect();
    order.sort_by(|&a, &b| distances[b].total_cmp(&distances[a]));
    let median = distances[order[rows.len() / 2]];
    let most = (rows.len() / 100).max(1);
    let gap = |m: usize| distances[order[m - 1]] / distances[order[m]].max(f64::MIN_POSITIVE);
    let Some(count) = (1..=most).max_by(|&a, &b| gap(a).total_cmp(&gap(b))) else { return Ok(None) };
    if median <= 0.0 || gap(count) < GAP || distances[order[count - 1]] < FAR * median {
        return Ok(None);
    }
    let far = &order[..count];
    let (nearest, farthest) = (distances[far[count - 1]] / median, distances[far[0]] / median);
    let message = format!(
        "{} far from all others: {} times the median kernel distance to a neighbour, the next object {:.1} times",
        match count {
            1 => "1 object is".into(),
            n => format!("{} are", counted(n, "object")),
        },
        if count == 1 { format!("{farthest:.1}") } else { format!("{nearest:.1} to {farthest:.1}") },
        distances[order[count]] / median
    );
    let mut objects: Vec<usize> = far.iter().map(|&k| view.rows[rows[k]]).collect();
    objects.sort_unstable();
    // The columns in which they deviate most.
    let extreme = |c: &[f64]| far.iter().map(|&k| c[k].abs()).fold(0.0, f64::max);
    let mut names: Vec<(f64, &str)> = columns.iter().map(|(name, c)| (extreme(c), *name)).collect();
    names.sort_by(|a, b| b.0.total_cmp(&a.0));
    let names: Vec<String> =
        names.into_iter().take(3).filter(|n| n.0 > 2.0).map(|n| n.1.to_owned()).collect();
    let message =
        if names.is_empty() { message } else { format!("{message}; most of all in {}", quoted(&names)) };
    let advice = "check that these objects were measured and entered right";
    Ok(Some(
        Finding::new("W_OUTLIERS", Severity::Low, message, advice)
            .evidence("objects", count as f64)
            .evidence("times_median", nearest)
            .columns(names)
            .objects(objects),
    ))
}

/// Whether the quartiles differ: in a column that is nearly constant, every other value would be far.
fn is_spread(values: &[f64]) -> bool {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    let at = |share: usize| sorted.get(sorted.len() * share / 4);
    at(1) != at(3)
}
