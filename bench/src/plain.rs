//! The work of `guard.rs` as a plain loop each: what a program would do without the library.

use std::collections::HashMap;

/// Rows of numbers.
pub(crate) type Table = Vec<Vec<f64>>;

fn squared(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Every value of a function of pairs, as a sum over the whole matrix.
fn over_pairs<X>(x: &[X], value: impl Fn(&X, &X) -> f64) -> f64 {
    x.iter().map(|a| x.iter().map(|b| value(a, b)).sum::<f64>()).sum()
}

/// Σ exp(-gamma·|x - y|²).
pub(crate) fn rbf(x: &[Vec<f64>], gamma: f64) -> f64 {
    over_pairs(x, |a, b| (-gamma * squared(a, b)).exp())
}

/// The sum of DTW distances of all pairs: √ of the least sum of squared differences along a path.
pub(crate) fn dtw(x: &[Vec<f64>]) -> f64 {
    over_pairs(x, |a, b| {
        let mut above = vec![f64::INFINITY; b.len() + 1];
        let mut row = above.clone();
        above[0] = 0.0;
        for &p in a {
            row[0] = f64::INFINITY;
            for (j, &q) in b.iter().enumerate() {
                row[j + 1] = (p - q) * (p - q) + above[j].min(above[j + 1]).min(row[j]);
            }
            std::mem::swap(&mut above, &mut row);
        }
        above[b.len()].sqrt()
    })
}

/// The sum of edit distances of all pairs.
pub(crate) fn edit(x: &[String]) -> f64 {
    over_pairs(x, |a, b| {
        let (a, b) = (a.as_bytes(), b.as_bytes());
        let mut above: Vec<usize> = (0..=b.len()).collect();
        let mut row = above.clone();
        for (i, p) in a.iter().enumerate() {
            row[0] = i + 1;
            for (j, q) in b.iter().enumerate() {
                row[j + 1] = (above[j] + usize::from(p != q)).min(above[j + 1] + 1).min(row[j] + 1);
            }
            std::mem::swap(&mut above, &mut row);
        }
        above[b.len()] as f64
    })
}

/// The sum of inner products of sparse counts.
fn counted<K: std::hash::Hash + Eq>(counts: &[HashMap<K, f64>]) -> f64 {
    over_pairs(counts, |a, b| a.iter().map(|(key, n)| n * b.get(key).unwrap_or(&0.0)).sum())
}

/// Σ of the spectrum kernel: shared substrings of k symbols.
pub(crate) fn spectrum(x: &[String], k: usize) -> f64 {
    let mut counts: Vec<HashMap<&[u8], f64>> = vec![HashMap::new(); x.len()];
    for (counts, text) in counts.iter_mut().zip(x) {
        text.as_bytes().windows(k).for_each(|w| *counts.entry(w).or_insert(0.0) += 1.0);
    }
    counted(&counts)
}

/// Σ of the Weisfeiler–Lehman subtree kernel of graphs, given as node labels and neighbours.
pub(crate) fn weisfeiler_lehman(graphs: &[(Vec<u32>, Vec<Vec<u32>>)], rounds: usize) -> f64 {
    let mut names: HashMap<(u32, Vec<u32>), u32> = HashMap::new();
    let mut counts = vec![HashMap::new(); graphs.len()];
    let mut labels: Vec<Vec<u32>> = graphs.iter().map(|(own, _)| own.clone()).collect();
    for round in 0..=rounds {
        for ((own, (_, neighbours)), counts) in labels.iter_mut().zip(graphs).zip(&mut counts) {
            if round > 0 {
                let renamed = neighbours.iter().zip(&*own).map(|(others, &label)| {
                    let mut others: Vec<u32> = others.iter().map(|&o| own[o as usize]).collect();
                    others.sort_unstable();
                    let next = 1000 + names.len() as u32;
                    *names.entry((label, others)).or_insert(next)
                });
                *own = renamed.collect();
            }
            own.iter().for_each(|&label| *counts.entry((round, label)).or_insert(0.0) += 1.0);
        }
    }
    counted(&counts)
}

/// The sum of the indices of the k nearest known vectors of each new one.
pub(crate) fn nearest(new: &[Vec<f64>], known: &[Vec<f64>], k: usize) -> f64 {
    let one = |x: &Vec<f64>| -> f64 {
        let mut all: Vec<(f64, usize)> = known.iter().enumerate().map(|(j, y)| (squared(x, y), j)).collect();
        all.select_nth_unstable_by(k - 1, |a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        all[..k].iter().map(|(_, j)| *j as f64).sum()
    };
    new.iter().map(one).sum()
}

/// The objective Σ α - ½ Σ α_i α_j y_i y_j K_ij of a support vector machine with an offset, by steps on the pair that
/// violates the optimality conditions most.
pub(crate) fn svc(gram: &[Vec<f64>], signs: &[f64], c: f64) -> f64 {
    let n = signs.len();
    let (mut alpha, mut gradient) = (vec![0.0; n], vec![-1.0; n]);
    loop {
        let up = |i: usize| if signs[i] > 0.0 { alpha[i] < c } else { alpha[i] > 0.0 };
        let low = |i: usize| if signs[i] > 0.0 { alpha[i] > 0.0 } else { alpha[i] < c };
        let (mut first, mut second) = ((f64::NEG_INFINITY, 0), (f64::INFINITY, 0));
        for (i, (sign, gradient)) in signs.iter().zip(&gradient).enumerate() {
            let value: f64 = -sign * gradient;
            if up(i) && value > first.0 {
                first = (value, i);
            }
            if low(i) && value < second.0 {
                second = (value, i);
            }
        }
        let (i, j) = (first.1, second.1);
        if first.0 - second.0 < 1e-3 {
            return alpha.iter().zip(&gradient).map(|(a, g)| 0.5 * a * (1.0 - g)).sum();
        }
        let curvature = (gram[i][i] + gram[j][j] - 2.0 * gram[i][j]).max(1e-12);
        let room = |t: usize, way: f64| if way > 0.0 { c - alpha[t] } else { alpha[t] };
        let (way_i, way_j) = (signs[i], -signs[j]);
        let step = ((first.0 - second.0) / curvature).min(room(i, way_i)).min(room(j, way_j));
        alpha[i] += way_i * step;
        alpha[j] += way_j * step;
        for ((g, sign), (p, q)) in gradient.iter_mut().zip(signs).zip(gram[i].iter().zip(&gram[j])) {
            *g += sign * step * (p - q);
        }
    }
}

/// The sum of all numbers of a CSV file with a header.
pub(crate) fn csv(path: &std::path::Path) -> f64 {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    let line = |line: &str| line.split(',').filter_map(|v| v.parse::<f64>().ok()).sum::<f64>();
    text.lines().skip(1).map(line).sum()
}
