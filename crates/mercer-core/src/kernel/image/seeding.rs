//! Initial clusters for a mixture: k-means with k-means++.

use crate::budget;
use crate::data::Dense;
use crate::numeric::math;
use crate::parallel;
use crate::random::Random;

/// Iterations of k-means.
const ROUNDS: usize = 10;
/// Rows that one thread processes at a time; it does not affect the result.
const CHUNK: usize = 1024;

/// The cluster of each row, at most `most` clusters, and their number; fewer if there are fewer distinct rows.
///
/// The first centres are drawn by k-means++ (Arthur and Vassilvitskii 2007): each row with a probability proportional
/// to its squared distance to those drawn before.
pub(super) fn groups(x: &Dense, most: usize, random: &mut Random) -> (Vec<usize>, usize) {
    let mut centres = Dense::zeros(0, x.cols());
    let mut nearest = vec![f64::INFINITY; x.rows()];
    let mut next = Some(random.below(x.rows()));
    while let Some(chosen) = next {
        if budget::is_spent() {
            break;
        }
        let centre = x.row(chosen);
        let values = [centres.values(), centre].concat();
        parallel::for_chunks_mut(&mut nearest, CHUNK, 1, |at, part| {
            let own = part.iter_mut().enumerate();
            own.for_each(|(i, d)| *d = d.min(squared(x.row(at * CHUNK + i), centre)));
        });
        centres = match Dense::new(centres.rows() + 1, x.cols(), values) {
            Ok(more) => more,
            Err(_) => break,
        };
        next = if centres.rows() < most { draw(&nearest, random) } else { None };
    }
    if centres.rows() == 0 {
        // The budget was spent before the first centre: the caller stops.
        return (vec![0; x.rows()], 0);
    }
    let mut own = assigned(x, &centres);
    for _ in 1..ROUNDS {
        if budget::is_spent() {
            break;
        }
        let mut sums = Dense::<f64>::zeros(centres.rows(), x.cols());
        let mut counts = vec![0usize; centres.rows()];
        for (i, &group) in own.iter().enumerate() {
            counts[group] += 1;
            sums.row_mut(group).iter_mut().zip(x.row(i)).for_each(|(s, v)| *s += v);
        }
        // A cluster without rows keeps its centre.
        for (group, count) in counts.iter().enumerate().filter(|(_, count)| **count > 0) {
            let mean = centres.row_mut(group).iter_mut().zip(sums.row(group));
            mean.for_each(|(c, s)| *c = s / *count as f64);
        }
        let again = assigned(x, &centres);
        if again == own {
            break;
        }
        own = again;
    }
    (own, centres.rows())
}

fn squared(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// An index with a probability proportional to its weight; `None` if all weights are 0.
fn draw(weights: &[f64], random: &mut Random) -> Option<usize> {
    let total: f64 = weights.iter().sum();
    let mut left = random.unit() * total;
    let mut last = None;
    for (i, &weight) in weights.iter().enumerate().filter(|(_, w)| **w > 0.0) {
        last = Some(i);
        left -= weight;
        if left < 0.0 {
            break;
        }
    }
    last
}

/// The nearest centre of each row; ties go to the first.
fn assigned(x: &Dense, centres: &Dense) -> Vec<usize> {
    let (words, d) = (centres.rows(), x.cols());
    // Coordinate by coordinate, so that distances to all centres are vectorised.
    let transposed: Vec<f64> =
        (0..d).flat_map(|j| (0..words).map(move |k| (j, k))).map(|(j, k)| centres.at(k, j)).collect();
    let nearest = |i: usize, distances: &mut Vec<f64>| {
        if budget::is_spent_after(words * d) {
            return 0;
        }
        distances.clear();
        distances.resize(words, 0.0);
        math::vectorised(
            #[inline(always)]
            || {
                for (v, centre) in x.row(i).iter().zip(transposed.chunks_exact(words)) {
                    distances.iter_mut().zip(centre).for_each(|(s, c)| *s += (v - c) * (v - c));
                }
            },
        );
        let least = distances
            .iter()
            .enumerate()
            .fold((0, f64::INFINITY), |least, (k, &d)| if d < least.1 { (k, d) } else { least });
        least.0
    };
    parallel::map_with(x.rows(), CHUNK, Vec::new, |d: &mut Vec<f64>, i| nearest(i, d))
}
