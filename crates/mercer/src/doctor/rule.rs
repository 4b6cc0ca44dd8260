//! How well one feature alone predicts the target, by a simple rule that never sees the object it predicts.
//!
//! A value that several objects share predicts the largest class, or the mean, of the others with this value; a
//! missing value is a value too. A value that few share predicts from its neighbours in the order of the values. Every
//! prediction leaves its own object out.

use super::view::{Cells, Feature};
use crate::data::Categories;

/// Neighbours on each side.
const SIDE: usize = 3;
/// From this many objects with the same value on, they predict each other.
const SHARED: usize = 6;

/// The mean over classes of the share of objects predicted wrong; classes with fewer than five members are left out.
/// None if fewer than two classes remain.
pub(super) fn class_error(feature: &Feature, y: &[u32], classes: usize) -> Option<f64> {
    let rows: Vec<usize> = (0..y.len()).filter(|&i| y[i] != Categories::MISSING).collect();
    let mut sizes = vec![0usize; classes];
    rows.iter().for_each(|&i| sizes[y[i] as usize] += 1);
    let kept = sizes.iter().filter(|&&s| s >= 5).count();
    if kept < 2 {
        return None;
    }
    let (values, levels) = feature.codes();
    let level = |i: usize| if values[i] == Categories::MISSING { levels } else { values[i] as usize };
    // Objects in the order of their values, and where each value begins; missing values are the last.
    let mut starts = vec![0usize; levels + 2];
    rows.iter().for_each(|&i| starts[level(i) + 1] += 1);
    (0..=levels).for_each(|v| starts[v + 1] += starts[v]);
    let (mut order, mut next) = (vec![0usize; rows.len()], starts.clone());
    for &i in &rows {
        order[next[level(i)]] = i;
        next[level(i)] += 1;
    }
    let known = starts[levels];
    let ordered = matches!(feature.cells, Cells::Numbers(_));
    let mut wrong = vec![0usize; classes];
    let mut counts = vec![0usize; classes];
    for v in 0..=levels {
        let own = starts[v]..starts[v + 1];
        if own.len() >= SHARED || !ordered || v == levels {
            order[own.clone()].iter().for_each(|&i| counts[y[i] as usize] += 1);
            for &i in &order[own.clone()] {
                let mine = y[i] as usize;
                counts[mine] -= 1;
                let predicted = most(&counts).unwrap_or_else(|| prior(&sizes, mine));
                wrong[mine] += usize::from(predicted != mine);
                counts[mine] += 1;
            }
            order[own].iter().for_each(|&i| counts[y[i] as usize] = 0);
            continue;
        }
        for k in own {
            let (from, to) = (k.saturating_sub(SIDE), (k + SIDE + 1).min(known));
            let around = || (from..to).filter(|&j| j != k).map(|j| y[order[j]] as usize);
            around().for_each(|class| counts[class] += 1);
            let mine = y[order[k]] as usize;
            let best = around().map(|class| counts[class]).max().unwrap_or(0);
            let mut leaders = around().filter(|&class| counts[class] == best);
            let first = leaders.next();
            let tied = leaders.any(|class| Some(class) != first);
            let predicted = if tied { nearest_class(&feature.cells, &order[..known], k, y) } else { first };
            wrong[mine] += usize::from(predicted != Some(mine));
            around().for_each(|class| counts[class] = 0);
        }
    }
    let errors = sizes.iter().zip(&wrong).filter(|(s, _)| **s >= 5).map(|(s, w)| *w as f64 / *s as f64);
    Some(errors.sum::<f64>() / kept as f64)
}

/// The largest class; none if all counts are 0.
fn most(counts: &[usize]) -> Option<usize> {
    let best = counts.iter().copied().max().filter(|&c| c > 0)?;
    counts.iter().position(|&c| c == best)
}

/// The largest class without one object of class `mine`.
fn prior(sizes: &[usize], mine: usize) -> usize {
    let size = |c: usize| sizes[c] - usize::from(c == mine);
    (0..sizes.len()).max_by_key(|&c| (size(c), std::cmp::Reverse(c))).unwrap_or(0)
}

/// The class of the nearest neighbour in the order.
fn nearest_class(feature: &Cells, order: &[usize], k: usize, y: &[u32]) -> Option<usize> {
    let Cells::Numbers(x) = feature else { return None };
    let distance = |j: usize| (x[order[j]] - x[order[k]]).abs();
    let before = k.checked_sub(1).map(|j| (distance(j), j));
    let after = (k + 1 < order.len()).then(|| (distance(k + 1), k + 1));
    let nearest = match (before, after) {
        (Some(a), Some(b)) => Some(if a.0 <= b.0 { a } else { b }),
        (a, b) => a.or(b),
    };
    nearest.map(|(_, j)| y[order[j]] as usize)
}

/// The share of the target's variance that one feature explains, by the better of the rule above and a straight line;
/// and the squared correlation. None where fewer than thirty objects have both values.
pub(super) fn explained(feature: &Cells, y: &[f64]) -> Option<(f64, f64)> {
    let rows: Vec<usize> = (0..y.len()).filter(|&i| y[i].is_finite() && !feature.is_missing(i)).collect();
    if rows.len() < 30 {
        return None;
    }
    let n = rows.len() as f64;
    let mean = rows.iter().map(|&i| y[i]).sum::<f64>() / n;
    let total = rows.iter().map(|&i| (y[i] - mean).powi(2)).sum::<f64>();
    if total <= 0.0 || total.is_nan() {
        return None;
    }
    let by_level = |values: &[u32], levels: usize| {
        let (mut sums, mut counts) = (vec![0.0; levels], vec![0usize; levels]);
        for &i in &rows {
            sums[values[i] as usize] += y[i];
            counts[values[i] as usize] += 1;
        }
        let residual = |&i: &usize| {
            let c = values[i] as usize;
            match counts[c] {
                1 => y[i] - mean,
                n => y[i] - (sums[c] - y[i]) / (n - 1) as f64,
            }
        };
        1.0 - rows.iter().map(|i| residual(i).powi(2)).sum::<f64>() / total
    };
    match feature {
        Cells::Codes(values, levels) => Some((by_level(values, *levels), 0.0)),
        Cells::Numbers(x) => {
            let middle = rows.iter().map(|&i| x[i]).sum::<f64>() / n;
            let (mut xx, mut xy) = (0.0, 0.0);
            rows.iter().for_each(|&i| {
                xx += (x[i] - middle).powi(2);
                xy += (x[i] - middle) * (y[i] - mean);
            });
            let correlation = if xx > 0.0 { xy * xy / (xx * total) } else { 0.0 };
            let mut order = rows.clone();
            order.sort_by(|&a, &b| x[a].total_cmp(&x[b]));
            let residual = |k: usize| {
                let (from, to) = (k.saturating_sub(SIDE), (k + SIDE + 1).min(order.len()));
                let others: f64 = (from..to).filter(|&j| j != k).map(|j| y[order[j]]).sum();
                y[order[k]] - others / (to - from - 1).max(1) as f64
            };
            let smooth = 1.0 - (0..order.len()).map(|k| residual(k).powi(2)).sum::<f64>() / total;
            Some((smooth.max(correlation), correlation))
        }
    }
}
