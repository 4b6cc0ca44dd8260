//! Weights of a blend, from held-out predictions alone.

use crate::budget;
use crate::error::Result;
use crate::model::{Mean, sharpened};

/// Rounds of the selection: weights are multiples of one over at most this number.
const ROUNDS: usize = 50;
/// The most methods of a blend.
const MOST: usize = 5;
/// Sharpness is found from at most this many objects.
const SHOWN: usize = 20_000;
/// Steps of the search for the sharpness.
const STEPS: usize = 60;

/// What is to be predicted.
pub(super) enum Truth<'a> {
    /// The class of each row, of so many.
    Classes(&'a [usize], usize),
    /// The number of each row.
    Numbers(&'a [f64]),
}

impl Truth<'_> {
    /// The values of each row in a prediction.
    fn width(&self) -> usize {
        match self {
            Truth::Classes(_, classes) => *classes,
            Truth::Numbers(_) => 1,
        }
    }
}

/// Predictions of several methods for the same rows, which their training sets lacked.
pub(super) struct HeldOut<'a> {
    /// The predicted numbers of each method, or its values of the classes, row by row.
    pub(super) methods: Vec<&'a [f64]>,
    pub(super) truth: Truth<'a>,
    /// Whether all classes count alike, however many objects they have.
    pub(super) is_balanced: bool,
}

/// A method of a blend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Share {
    /// Its place among the methods.
    pub(super) method: usize,
    pub(super) weight: f64,
    /// The factor of its class values: see [`crate::model::BlendMember::sharpness`].
    pub(super) sharpness: f64,
}

impl HeldOut<'_> {
    /// The blend with about the least squared error on some of the rows, of probabilities for classes (the Brier score): greedy
    /// selection with replacement, which adds the method that lowers the error most, again and again, and stays at the best of
    /// all rounds.
    ///
    /// With the residuals of all methods in columns R, the error of weights w is |R w|², so that rounds see the products of residuals
    /// alone. Time O(n m² k + m²) for n rows, m methods and k classes.
    pub(super) fn shares(&self, rows: &[usize]) -> Result<Vec<Share>> {
        let factors = self.factors(rows);
        let mut sharpness = vec![1.0; self.methods.len()];
        if let Truth::Classes(..) = self.truth {
            for (found, values) in sharpness.iter_mut().zip(&self.methods) {
                *found = self.sharpness(values, rows, &factors)?;
            }
        }
        let products = self.products(rows, &factors, &sharpness)?;
        let weights = greedy(&products);
        let share = |(method, weight)| Share { method, weight, sharpness: sharpness[method] };
        Ok(weights.into_iter().map(share).collect())
    }

    /// The mean of the predictions of a blend for some rows.
    pub(super) fn mean(&self, shares: &[Share], rows: &[usize]) -> Result<Mean> {
        let mut mean = match self.truth {
            Truth::Numbers(_) => Mean::of_numbers(rows.len()),
            Truth::Classes(_, classes) => Mean::of_classes(rows.len(), classes),
        };
        for share in shares {
            mean.add(&self.predicted(share, rows), share.weight)?;
        }
        Ok(mean)
    }

    /// The predictions of a method for some rows: numbers, or probabilities.
    fn predicted(&self, share: &Share, rows: &[usize]) -> Vec<f64> {
        let k = self.truth.width();
        let values = self.methods[share.method];
        let mut out: Vec<f64> = rows.iter().flat_map(|&i| &values[i * k..(i + 1) * k]).copied().collect();
        if let Truth::Classes(..) = self.truth {
            sharpened(&mut out, k, share.sharpness);
        }
        out
    }

    /// The factor of each row's error.
    fn factors(&self, rows: &[usize]) -> Vec<f64> {
        match self.truth {
            Truth::Classes(codes, classes) if self.is_balanced => {
                let mut counts = vec![0usize; classes];
                rows.iter().for_each(|&i| counts[codes[i]] += 1);
                let known = counts.iter().filter(|c| **c > 0).count().max(1) as f64;
                rows.iter().map(|&i| rows.len() as f64 / (known * counts[codes[i]] as f64)).collect()
            }
            _ => vec![1.0; rows.len()],
        }
    }

    /// The sharpness with the largest likelihood of the true classes, of which a little is left to the others so that it is
    /// finite: the mean log-likelihood is concave, and its slope is found to be 0 by bisection.
    fn sharpness(&self, values: &[f64], rows: &[usize], factors: &[f64]) -> Result<f64> {
        let Truth::Classes(codes, k) = self.truth else { return Ok(1.0) };
        let step = rows.len().div_ceil(SHOWN).max(1);
        let some: Vec<(usize, f64)> =
            rows.iter().copied().zip(factors.iter().copied()).step_by(step).collect();
        let other = 1.0 / ((some.len() + 2) * k) as f64;
        let mut p = vec![0.0; k];
        let mut slope = |sharpness: f64| {
            let mut sum = 0.0;
            for &(i, factor) in &some {
                let row = &values[i * k..(i + 1) * k];
                p.copy_from_slice(row);
                sharpened(&mut p, k, sharpness);
                let expected = |c: usize| if c == codes[i] { 1.0 - other * (k - 1) as f64 } else { other };
                sum += factor * (0..k).map(|c| (expected(c) - p[c]) * row[c]).sum::<f64>();
            }
            sum
        };
        if some.is_empty() || slope(0.0) <= 0.0 {
            return Ok(0.0);
        }
        let (mut low, mut high) = (0.0, 1.0);
        for _ in 0..STEPS {
            budget::check()?;
            if slope(high) <= 0.0 {
                break;
            }
            (low, high) = (high, 2.0 * high);
        }
        for _ in 0..STEPS {
            budget::check()?;
            let middle = 0.5 * (low + high);
            match slope(middle) > 0.0 {
                true => low = middle,
                false => high = middle,
            }
            if high - low <= 1e-9 * high {
                break;
            }
        }
        Ok(0.5 * (low + high))
    }

    /// The mean products of the residuals of each pair of methods.
    fn products(&self, rows: &[usize], factors: &[f64], sharpness: &[f64]) -> Result<Vec<Vec<f64>>> {
        let (m, k) = (self.methods.len(), self.truth.width());
        let mut sums = vec![0.0; m * m];
        let mut residuals = vec![0.0; m * k];
        for (&i, factor) in rows.iter().zip(factors) {
            budget::check_often()?;
            for (own, (values, sharpness)) in
                residuals.chunks_mut(k.max(1)).zip(self.methods.iter().zip(sharpness))
            {
                own.copy_from_slice(&values[i * k..(i + 1) * k]);
                match self.truth {
                    Truth::Classes(codes, _) => {
                        sharpened(own, k, *sharpness);
                        own[codes[i]] -= 1.0;
                    }
                    Truth::Numbers(y) => own[0] -= y[i],
                }
            }
            for a in 0..m {
                for b in a..m {
                    let (one, two) = (&residuals[a * k..(a + 1) * k], &residuals[b * k..(b + 1) * k]);
                    sums[a * m + b] += factor * one.iter().zip(two).map(|(x, y)| x * y).sum::<f64>();
                }
            }
        }
        let n = rows.len().max(1) as f64;
        let row = |a: usize| (0..m).map(|b| sums[a.min(b) * m + a.max(b)] / n).collect();
        Ok((0..m).map(row).collect())
    }
}

/// Greedy selection with replacement: the methods and their weights, the largest first. Methods whose error is not finite are left
/// out.
fn greedy(products: &[Vec<f64>]) -> Vec<(usize, f64)> {
    let m = products.len();
    let own = |a: &usize| products[*a][*a];
    let known: Vec<usize> = (0..m).filter(|a| products[*a].iter().all(|v| v.is_finite())).collect();
    let Some(&first) = known.iter().min_by(|a, b| own(a).total_cmp(&own(b))) else { return Vec::new() };
    let mut counts = vec![0usize; m];
    counts[first] = 1;
    // The error of counts c is c'Pc / (Σc)², and slopes are P c.
    let (mut square, mut slopes) = (own(&first), products[first].clone());
    let (mut least, mut best) = (square, counts.clone());
    for round in 2..=ROUNDS {
        let is_full = counts.iter().filter(|c| **c > 0).count() >= MOST;
        let sum = |a: &usize| square + 2.0 * slopes[*a] + own(a);
        let open = known.iter().filter(|a| !is_full || counts[**a] > 0);
        let Some(&next) = open.min_by(|a, b| sum(a).total_cmp(&sum(b))) else { break };
        square = sum(&next);
        counts[next] += 1;
        slopes.iter_mut().zip(&products[next]).for_each(|(s, p)| *s += p);
        let error = square / (round * round) as f64;
        // Rounding is no progress.
        if error < least * (1.0 - 1e-9) {
            (least, best) = (error, counts.clone());
        }
    }
    let total = best.iter().sum::<usize>() as f64;
    let mut chosen: Vec<(usize, f64)> =
        best.iter().map(|c| *c as f64 / total).enumerate().filter(|(_, w)| *w > 0.0).collect();
    chosen.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;

    fn noise(n: usize, seed: u64) -> Vec<f64> {
        let mut random = Random::new(seed);
        (0..n).map(|_| random.normal()).collect()
    }

    /// The squared error of weights that are not greedy: every point of a grid on the simplex of three methods.
    fn least_of_all(products: &[Vec<f64>]) -> f64 {
        let error = |w: &[f64; 3]| -> f64 {
            (0..3).flat_map(|a| (0..3).map(move |b| (a, b))).map(|(a, b)| w[a] * w[b] * products[a][b]).sum()
        };
        let mut least = f64::INFINITY;
        for a in 0..=100 {
            for b in 0..=100 - a {
                let (a, b) = (f64::from(a) / 100.0, f64::from(b) / 100.0);
                least = least.min(error(&[a, b, 1.0 - a - b]));
            }
        }
        least
    }

    #[test]
    fn greedy_weights_are_near_the_least_error() {
        let n = 400;
        let y = noise(n, 1);
        // Independent errors of different sizes: the best weights are proportional to 1 / variance.
        let made: Vec<Vec<f64>> = [(2, 0.5), (3, 0.6), (4, 1.5)]
            .map(|(seed, sd)| y.iter().zip(noise(n, seed)).map(|(y, e)| y + sd * e).collect())
            .to_vec();
        let held = HeldOut {
            methods: made.iter().map(Vec::as_slice).collect(),
            truth: Truth::Numbers(&y),
            is_balanced: false,
        };
        let rows: Vec<usize> = (0..n).collect();
        let shares = held.shares(&rows).unwrap();
        let products = held.products(&rows, &vec![1.0; n], &[1.0; 3]).unwrap();
        let weight = |of: usize| shares.iter().find(|s| s.method == of).map_or(0.0, |s| s.weight);
        let w = [weight(0), weight(1), weight(2)];
        let error: f64 = (0..9).map(|at| w[at / 3] * w[at % 3] * products[at / 3][at % 3]).sum();
        assert!(error <= 1.01 * least_of_all(&products), "{error} {}", least_of_all(&products));
        assert!((w.iter().sum::<f64>() - 1.0).abs() < 1e-12 && w[0] > w[1] && w[1] > w[2], "{w:?}");
        assert!((w[0] - 0.55).abs() < 0.1, "{w:?}");
    }

    #[test]
    fn a_method_that_adds_nothing_stays_out() {
        let y = noise(200, 1);
        let good: Vec<f64> = y.iter().zip(noise(200, 2)).map(|(y, e)| y + 0.3 * e).collect();
        // The same errors, and more of its own.
        let worse: Vec<f64> = good.iter().zip(noise(200, 3)).map(|(y, e)| y + e).collect();
        let held =
            HeldOut { methods: vec![&good, &worse, &good], truth: Truth::Numbers(&y), is_balanced: false };
        let rows: Vec<usize> = (0..200).collect();
        let shares = held.shares(&rows).unwrap();
        assert_eq!(shares.len(), 1);
        assert_eq!((shares[0].method, shares[0].weight), (0, 1.0));
    }

    #[test]
    fn sharpness_is_that_of_the_largest_likelihood() {
        // Values are logits by a factor of 2.5.
        let mut random = Random::new(5);
        let (n, truth) = (20_000, 2.5);
        let d = noise(n, 6);
        let codes: Vec<usize> =
            d.iter().map(|d| usize::from(random.unit() < 1.0 / (1.0 + (-2.0 * truth * d).exp()))).collect();
        let values: Vec<f64> = d.iter().flat_map(|d| [-d, *d]).collect();
        let held = HeldOut { methods: vec![&values], truth: Truth::Classes(&codes, 2), is_balanced: false };
        let rows: Vec<usize> = (0..n).collect();
        let found = held.sharpness(&values, &rows, &vec![1.0; n]).unwrap();
        assert!((found - truth).abs() < 0.1, "{found}");
        // Values that contradict the classes have none, and separated classes a finite one.
        let against: Vec<f64> = values.iter().map(|v| -v).collect();
        assert_eq!(held.sharpness(&against, &rows, &vec![1.0; n]).unwrap(), 0.0);
        let apart: Vec<f64> =
            codes.iter().flat_map(|&c| if c == 1 { [-1.0, 1.0] } else { [1.0, -1.0] }).collect();
        let finite = held.sharpness(&apart, &rows, &vec![1.0; n]).unwrap();
        assert!(finite.is_finite() && finite > 1.0, "{finite}");
    }

    #[test]
    fn classes_count_alike_where_they_should() {
        // 18 of 20 objects are of class 0. One method predicts it always, the other finds class 1 and half of class 0.
        let codes: Vec<usize> = (0..20).map(|i| usize::from(i >= 18)).collect();
        let usual: Vec<f64> = (0..20).flat_map(|_| [1.0, -1.0]).collect();
        let is_first = |i: usize| i < 18 && i.is_multiple_of(2);
        let rare: Vec<f64> =
            (0..20).flat_map(|i| if is_first(i) { [1.0, -1.0] } else { [-1.0, 1.0] }).collect();
        let rows: Vec<usize> = (0..20).collect();
        let of = |is_balanced| {
            let held =
                HeldOut { methods: vec![&usual, &rare], truth: Truth::Classes(&codes, 2), is_balanced };
            held.shares(&rows).unwrap()[0].method
        };
        assert_eq!(of(false), 0);
        assert_eq!(of(true), 1);
    }
}
