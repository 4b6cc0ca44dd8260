//! Stretches of time series.

use super::{ObjectPart, runs};
use crate::data::Series;
use crate::error::Result;

pub(super) fn parts(series: &Series, most: usize) -> Vec<ObjectPart> {
    let part = |(from, to): (usize, usize)| ObjectPart {
        name: match to - from {
            1 => format!("time step {from}"),
            _ => format!("time steps {from}-{}", to - 1),
        },
        places: vec![from as u32, to as u32 - 1],
    };
    runs(series.len(), most).into_iter().map(part).collect()
}

/// A straight line in place of each run of hidden steps, between the known values on its sides; at an end the value of the
/// other side; the mean where nothing is left.
pub(super) fn without(series: &Series, hidden: &[ObjectPart]) -> Result<Series> {
    let n = series.len();
    let mut is_hidden = vec![false; n];
    for part in hidden {
        if let [first, last] = part.places[..] {
            let end = (last as usize + 1).min(n);
            is_hidden.iter_mut().take(end).skip(first as usize).for_each(|h| *h = true);
        }
    }
    let mut values = Vec::with_capacity(n * series.channels());
    for c in 0..series.channels() {
        let own = series.channel(c);
        let known = |t: &usize| !is_hidden[*t] && !own[*t].is_nan();
        let mut filled = own.to_vec();
        let mut start = 0;
        while start < n {
            if !is_hidden[start] {
                start += 1;
                continue;
            }
            let end = (start..n).find(|&t| !is_hidden[t]).unwrap_or(n);
            let (before, after) = ((0..start).rev().find(known), (end..n).find(known));
            for (t, value) in filled.iter_mut().enumerate().take(end).skip(start) {
                *value = match (before, after) {
                    (Some(a), Some(b)) => own[a] + (own[b] - own[a]) * (t - a) as f64 / (b - a) as f64,
                    (Some(a), None) => own[a],
                    (None, Some(b)) => own[b],
                    (None, None) => mean(own),
                };
            }
            start = end;
        }
        values.extend(filled);
    }
    Series::new(series.channels(), values)
}

fn mean(values: &[f64]) -> f64 {
    let known: Vec<f64> = values.iter().copied().filter(|v| !v.is_nan()).collect();
    if known.is_empty() { f64::NAN } else { known.iter().sum::<f64>() / known.len() as f64 }
}
