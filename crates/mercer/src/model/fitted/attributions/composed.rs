//! Shapley values of any model, which is evaluated on objects that have some columns of one object and the others of
//! another.

use super::{AttributionOptions, Job, Views, means};
use crate::budget;
use crate::data::{Column, Dataset, Dense, Sparse, Values};
use crate::error::Result;
use crate::gram::Engine;
use crate::numeric::shapley::{Orders, of_all_coalitions};

/// Objects evaluated in one call.
const AT_ONCE: usize = 16384;

/// The objects and the background in one data set, from which objects are composed.
pub(super) struct Pool<'a> {
    job: &'a Job<'a>,
    all: Dataset,
}

impl<'a> Pool<'a> {
    pub(super) fn new(job: &'a Job<'a>) -> Result<Self> {
        let bare = |data: &Dataset| Dataset::new(data.columns().to_vec());
        let all = bare(job.objects)?.with_test_set(&bare(job.background)?)?.without_test();
        Ok(Pool { job, all })
    }

    /// Objects that have the columns `rows[k].2` of the first object, the others of the second.
    pub(super) fn compose(&self, rows: &[(usize, usize, Vec<bool>)]) -> Result<Dataset> {
        let source = |player: usize| -> Vec<usize> {
            rows.iter().map(|(inside, outside, set)| if set[player] { *inside } else { *outside }).collect()
        };
        let mut columns = Vec::with_capacity(self.all.columns().len());
        for column in self.all.columns() {
            let of = |p: &crate::expression::Player| p.column == column.name;
            let Some(first) = self.job.columns.iter().position(of) else { continue };
            let is_spread = self.job.columns[first].coordinate.is_some();
            let values = match &column.values {
                Values::Numbers(x) if is_spread => {
                    let mut out = Dense::zeros(rows.len(), x.cols());
                    for c in 0..x.cols() {
                        source(first + c)
                            .into_iter()
                            .enumerate()
                            .for_each(|(r, i)| out.row_mut(r)[c] = x.at(i, c));
                    }
                    Values::Numbers(out)
                }
                Values::Sparse(x) if is_spread => {
                    let own = |(inside, outside, set): &(usize, usize, Vec<bool>)| {
                        let of = |i: usize, wanted: bool| {
                            let (features, values) = x.row(i);
                            let kept = features.iter().zip(values).map(|(f, v)| (*f, *v));
                            kept.filter(|(f, _)| set[first + *f as usize] == wanted).collect::<Vec<_>>()
                        };
                        let mut row = [of(*inside, true), of(*outside, false)].concat();
                        row.sort_unstable_by_key(|(f, _)| *f);
                        row
                    };
                    Values::Sparse(Sparse::from_rows(x.dim(), &rows.iter().map(own).collect::<Vec<_>>())?)
                }
                whole => whole.select(&source(first)),
            };
            columns.push(Column::new(&column.name, values));
        }
        Dataset::new(columns)
    }

    /// The outputs of composed objects.
    pub(super) fn evaluate(
        &self,
        rows: &[(usize, usize, Vec<bool>)],
        views: &Views,
        engine: &Engine,
    ) -> Result<Dense> {
        let mut out = Dense::zeros(rows.len(), views.classes.len());
        for (at, some) in rows.chunks(AT_ONCE).enumerate() {
            budget::check()?;
            let values = views.values(&self.job.model.predict(&self.compose(some)?, engine)?);
            (0..some.len()).for_each(|k| out.row_mut(at * AT_ONCE + k).copy_from_slice(values.row(k)));
        }
        Ok(out)
    }

    /// The worth of sets of columns of an object: the mean output over the background, a row per set.
    fn worth(&self, object: usize, sets: &[Vec<bool>], views: &Views, engine: &Engine) -> Result<Dense> {
        let (n, count) = (self.job.objects.len(), self.job.background.len());
        let mut out = Dense::zeros(sets.len(), views.classes.len());
        // As many sets at once as one call evaluates.
        let step = (AT_ONCE / count.max(1)).max(1);
        for (at, some) in sets.chunks(step).enumerate() {
            let rows = some.iter().flat_map(|set| (0..count).map(move |b| (object, n + b, set.clone())));
            let values = self.evaluate(&rows.collect::<Vec<_>>(), views, engine)?;
            for k in 0..some.len() {
                let part: Vec<usize> = (k * count..(k + 1) * count).collect();
                out.row_mut(at * step + k).copy_from_slice(&means(&values.select(&part)));
            }
        }
        Ok(out)
    }
}

/// All sets of columns; there are few columns.
pub(super) fn enumerated(job: &Job<'_>, views: &Views, engine: &Engine) -> Result<Vec<Dense>> {
    let (pool, d) = (Pool::new(job)?, job.columns.len());
    let sets: Vec<Vec<bool>> = (0..1usize << d).map(|s| (0..d).map(|j| s >> j & 1 == 1).collect()).collect();
    let mut out = job.zeros(views.classes.len())?;
    for i in 0..job.objects.len() {
        let worth = pool.worth(i, &sets, views, engine)?;
        for (v, values) in out.iter_mut().enumerate() {
            let all: Vec<f64> = (0..sets.len()).map(|s| worth.at(s, v)).collect();
            values.row_mut(i).copy_from_slice(&of_all_coalitions(&all, d));
        }
    }
    Ok(out)
}

/// Random orders of the columns, each with its reverse: the mean contributions, and their standard errors.
pub(super) fn sampled(
    job: &Job<'_>,
    views: &Views,
    options: &AttributionOptions,
    engine: &Engine,
) -> Result<(Vec<Dense>, Vec<Dense>)> {
    let (pool, d, pairs) = (Pool::new(job)?, job.columns.len(), options.orders.max(2));
    // The same orders for every object, so that objects can be compared.
    let orders: Vec<Vec<usize>> = Orders::new(d, options.seed).take(2 * pairs).collect();
    let mut sets = vec![vec![false; d], vec![true; d]];
    for order in &orders {
        let mut set = vec![false; d];
        for &j in order.iter().take(d.saturating_sub(1)) {
            set[j] = true;
            sets.push(set.clone());
        }
    }
    let (mut out, mut errors) = (job.zeros(views.classes.len())?, job.zeros(views.classes.len())?);
    for i in 0..job.objects.len() {
        let worth = pool.worth(i, &sets, views, engine)?;
        for v in 0..views.classes.len() {
            let (mut sum, mut squares) = (vec![0.0; d], vec![0.0; d]);
            let mut pair = vec![0.0; d];
            let mut next = 2;
            for (k, order) in orders.iter().enumerate() {
                let mut before = worth.at(0, v);
                for (at, &j) in order.iter().enumerate() {
                    let after = if at + 1 == d { worth.at(1, v) } else { worth.at(next + at, v) };
                    pair[j] += 0.5 * (after - before);
                    before = after;
                }
                next += d.saturating_sub(1);
                if k % 2 == 1 {
                    for (j, value) in pair.iter_mut().enumerate() {
                        sum[j] += *value;
                        squares[j] += *value * *value;
                        *value = 0.0;
                    }
                }
            }
            let n = pairs as f64;
            for j in 0..d {
                let mean = sum[j] / n;
                let variance = (squares[j] / n - mean * mean).max(0.0) * n / (n - 1.0);
                out[v].row_mut(i)[j] = mean;
                errors[v].row_mut(i)[j] = (variance / n).sqrt();
            }
        }
    }
    Ok((out, errors))
}

/// A sum of functions of single columns: what each column adds to any object, minus its mean over the background.
pub(super) fn additive(job: &Job<'_>, views: &Views, engine: &Engine) -> Result<Vec<Dense>> {
    let (pool, d) = (Pool::new(job)?, job.columns.len());
    let (n, count) = (job.objects.len(), job.background.len());
    let alone = |from: usize, j: usize| (from, n, (0..d).map(|l| l == j).collect::<Vec<bool>>());
    let rows = |range: std::ops::Range<usize>| -> Vec<(usize, usize, Vec<bool>)> {
        range.flat_map(|i| (0..d).map(move |j| alone(i, j))).collect()
    };
    let known = pool.evaluate(&rows(n..n + count), views, engine)?;
    let mut base = Dense::zeros(d, views.classes.len());
    for j in 0..d {
        let part: Vec<usize> = (0..count).map(|b| b * d + j).collect();
        base.row_mut(j).copy_from_slice(&means(&known.select(&part)));
    }
    let mut out = job.zeros(views.classes.len())?;
    let step = (AT_ONCE / d.max(1)).max(1);
    for start in (0..n).step_by(step) {
        let end = (start + step).min(n);
        let own = pool.evaluate(&rows(start..end), views, engine)?;
        for i in start..end {
            for (v, values) in out.iter_mut().enumerate() {
                let at = |j: usize| own.at((i - start) * d + j, v) - base.at(j, v);
                values.row_mut(i).iter_mut().enumerate().for_each(|(j, value)| *value = at(j));
            }
        }
    }
    Ok(out)
}
