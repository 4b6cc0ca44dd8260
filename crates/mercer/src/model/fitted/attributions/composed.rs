//! Shapley values of any model, which is evaluated on objects that have some columns of one object and the others of
//! another.

use super::sets::Sets;
use super::{Job, Views, means};
use crate::budget;
use crate::data::{Column, Dataset, Dense, Sparse, Values};
use crate::error::Result;
use crate::gram::Engine;

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

/// The model on sets of columns: the values of each output, and their standard errors where they are estimated.
pub(super) fn evaluated(
    job: &Job<'_>,
    sets: &Sets,
    views: &Views,
    engine: &Engine,
) -> Result<(Vec<Dense>, Option<Vec<Dense>>)> {
    let pool = Pool::new(job)?;
    let (mut out, mut errors) = (job.zeros(views.classes.len())?, None);
    for i in 0..job.objects.len() {
        let worth = pool.worth(i, &sets.all, views, engine)?;
        for (v, values) in out.iter_mut().enumerate() {
            let (own, off) = sets.values(&worth, v);
            values.row_mut(i).copy_from_slice(&own);
            if let Some(off) = off {
                let errors: &mut Vec<Dense> = match &mut errors {
                    Some(errors) => errors,
                    none => none.insert(job.zeros(views.classes.len())?),
                };
                errors[v].row_mut(i).copy_from_slice(&off);
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
