//! Candidates for time series.

use super::{Part, With, list, mean_or_one, pairs, significant};
use crate::data::{Column, Series, Values};

/// The reason why no kernel uses a column of series.
pub(super) fn unsuited(column: &Column) -> Option<String> {
    let Values::Series(all) = &column.values else { return None };
    let whole = |s: &Series| !s.is_empty() && s.values().iter().all(|v| v.is_finite());
    let channels = all.first().map_or(1, Series::channels);
    match all.iter().all(|s| whole(s) && s.channels() == channels) {
        true => None,
        false => {
            Some("some series have missing values, or a different number of channels than the first".into())
        }
    }
}

/// The largest square of objects × time steps × channels for which a window of dynamic time warping is learned.
const MOST_FOR_WINDOWS: f64 = 2e9;

/// Explicit features (convolutions, dictionaries, quantiles) with a penalty learned by leave-one-out errors, as published;
/// the Gaussian of the Euclidean distance without warping, the global alignment kernel, and dynamic time warping.
pub(super) fn on_series(column: &Column, at: &str) -> Part {
    let series = match &column.values {
        Values::Series(series) => series.as_slice(),
        _ => &[],
    };
    // The mean squared distance of time steps at the same relative position.
    let apart = mean_or_one(pairs(series.len()).map(|(i, j)| {
        let (a, b) = (series[i].resampled(16), series[j].resampled(16));
        a.values().iter().zip(b.values()).map(|(a, b)| (a - b) * (a - b)).sum::<f64>() / 16.0
    }));
    let mut lengths: Vec<usize> = series.iter().map(Series::len).collect();
    lengths.sort_unstable();
    let length = lengths.get(lengths.len() / 2).copied().unwrap_or(1);
    // Cuturi's scale of the global alignment kernel.
    let sigma = (apart * length as f64).sqrt();
    let gak = |sigma: String| format!("gak(sigma={sigma}){at}");
    let channels = series.first().map_or(1, Series::channels);
    let mut with = vec![
        With::learned("rocket".to_owned() + at, "series: random convolutions"),
        With::learned(
            format!("rocket{at} + hydra{at} + intervals{at}"),
            "series: convolutions, the patterns that fit best, and levels within intervals",
        ),
        With::learned(format!("intervals{at}"), "series: levels within intervals"),
        With::learned(
            format!("rocket(variant=multi, features=50000){at} + hydra{at}"),
            "series: convolutions pooled in four ways, and the patterns that fit best",
        ),
    ];
    if (series.len() as f64 * (length * channels) as f64).powi(2) <= MOST_FOR_WINDOWS {
        with.push(With::nearest(
            format!("learned-dtw{at}"),
            "series: dynamic time warping with a learned window, nearest neighbour",
        ));
    }
    let even = length.min(256);
    let straight = list([0.1, 0.5, 2.0], 1.0 / (apart * even as f64));
    let warped = list([0.5, 2.0, 8.0], 1.0 / (apart * length as f64));
    Part {
        kind: "series",
        simple: format!("rbf-of(resample(series-euclidean{at}, length={even}), gamma={straight})"),
        local: gak(list([0.2, 0.5, 1.0, 2.0, 5.0], sigma)),
        short: format!("rocket{at}"),
        one: gak(significant(sigma).to_string()),
        more: vec![(
            format!("repair(rbf-of(dtw(window=[0.05, 0.2]){at}, gamma={warped}))"),
            "series: the Gaussian of dynamic time warping, without its negative eigenvalues",
        )],
        walks: false,
        baseline: None,
        enough: None,
        with,
    }
}
