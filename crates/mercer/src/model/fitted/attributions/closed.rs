//! Shapley values by the form of the kernel: sums over support objects of games that are products or powers, and sums over
//! the leaves of trees.

use std::borrow::Cow;
use std::sync::Arc;

use super::{Job, Views};
use crate::budget::{self, matrix_bytes};
use crate::data::{Dataset, Dense};
use crate::error::{Error, Result};
use crate::expression::{Form, Given, OfTrees, Over, Term};
use crate::gram::Engine;
use crate::kernel::{Boxed, Kernel};
use crate::model::fitted::weighs::Weighs;
use crate::numeric::shapley::{add_powers, add_products};
use crate::parallel;

/// Factors of pairs of objects held in memory: 64 MB.
const ENTRIES: usize = 1 << 23;

type PreparedObjects = <Boxed<Dataset> as Kernel<Dataset>>::Prepared;

/// A factor of a term: its column, and its values for the objects that are compared with.
struct Factor<'a> {
    column: usize,
    kernel: &'a Boxed<Dataset>,
    support: PreparedObjects,
    /// A row per object of the background.
    outside: Dense,
}

/// The objects that a term compares with, and their weights: a row per object, a column per output.
struct Weighted<'a> {
    objects: Cow<'a, Dataset>,
    weights: Cow<'a, Dense>,
}

/// The values of each output: f(x) = base + Σ_z weight_z · Σ over terms of k_term(x, z) is a weighted sum of games, so its
/// Shapley values are those of the games with the same weights; and the mean over the background. `None` for linear models on
/// features that do not follow from the terms.
pub(super) fn values(
    job: &Job<'_>,
    terms: &[Term],
    views: &Views,
    engine: &Engine,
) -> Result<Option<Vec<Dense>>> {
    let trained = &job.model.trained;
    let outputs = views.signs.len();
    let support = job.model.kept.select(&job.model.support);
    let mut out = job.zeros(outputs)?;
    if trained.model().sums_similarities() {
        let slopes = weights_of(&trained.slopes()?.1, views);
        let given = Given::Support { objects: &support, weights: &slopes };
        let mut known: Vec<(&Arc<Over>, Dense)> = Vec::new();
        for term in terms.iter().filter(|term| !term.is_constant()) {
            let own = match &term.over {
                None => Weighted { objects: Cow::Borrowed(&support), weights: Cow::Borrowed(&slopes) },
                Some(over) => {
                    let at = match known.iter().position(|(other, _)| Arc::ptr_eq(other, over)) {
                        Some(at) => at,
                        None => {
                            let Some(weights) = over.weights(&given, engine)? else { return Ok(None) };
                            known.push((over, weights));
                            known.len() - 1
                        }
                    };
                    let weights = Cow::Borrowed(&known[at].1);
                    Weighted { objects: Cow::Borrowed(&over.objects), weights }
                }
            };
            if !add(job, term, &own, &mut out, engine)? {
                return Ok(None);
            }
        }
        return Ok(Some(out));
    }
    let Some((_, by_column)) = trained.linear_weights() else { return Ok(None) };
    let weight = |column: usize, output: usize| -> f64 {
        by_column.iter().zip(&views.signs[output]).map(|(of, sign)| of(column) * sign).sum()
    };
    match terms {
        [Term { form: Form::Trees(trees), scale, over: None, .. }] if *scale == 1.0 => {
            let kernel = &trees.kernel;
            let leaves = kernel.trees().leaves();
            budget::ask("values of leaves", matrix_bytes(leaves, outputs, 8))?;
            let mut values = Dense::zeros(leaves, outputs);
            for leaf in 0..leaves {
                let row = values.row_mut(leaf).iter_mut().enumerate();
                row.for_each(|(output, v)| *v = kernel.unit() * weight(leaf, output));
            }
            Ok(add_trees(job, trees, &values, 1.0, &mut out)?.then_some(out))
        }
        // All terms are of one kernel with coordinates.
        [Term { over: Some(over), .. }, rest @ ..] => {
            let same = |term: &Term| term.over.as_ref().is_some_and(|other| Arc::ptr_eq(other, over));
            if !rest.iter().all(same) {
                return Ok(None);
            }
            let given = Given::Coordinates { weight: &weight, outputs };
            let Some(weights) = over.weights(&given, engine)? else { return Ok(None) };
            let own = Weighted { objects: Cow::Borrowed(&over.objects), weights: Cow::Owned(weights) };
            for term in terms.iter().filter(|term| !term.is_constant()) {
                if !add(job, term, &own, &mut out, engine)? {
                    return Ok(None);
                }
            }
            Ok(Some(out))
        }
        _ => Ok(None),
    }
}

/// The weight of each support object for each output.
fn weights_of(slopes: &Dense, views: &Views) -> Dense {
    let mut out = Dense::zeros(slopes.rows(), views.signs.len());
    for j in 0..slopes.rows() {
        for (v, signs) in out.row_mut(j).iter_mut().zip(&views.signs) {
            *v = slopes.row(j).iter().zip(signs).map(|(s, f)| s * f).sum();
        }
    }
    out
}

/// Adds the values of a term; false where a column is not among those explained.
fn add(job: &Job<'_>, term: &Term, own: &Weighted<'_>, out: &mut [Dense], engine: &Engine) -> Result<bool> {
    if let Form::Trees(trees) = &term.form {
        let columns = trees.columns(&own.objects, term.over.is_some())?;
        let values = engine.run(|| trees.kernel.leaf_values(&columns, &own.weights))?;
        return engine.run(|| add_trees(job, trees, &values, term.scale, out));
    }
    let (n, m, count) = (job.objects.len(), own.objects.len(), job.background.len());
    if m == 0 {
        return Ok(true);
    }
    budget::ask("the factors of the background", matrix_bytes(count * term.factors.len(), m, 8))?;
    let mut factors = Vec::with_capacity(term.factors.len());
    for (at, (player, kernel)) in term.factors.iter().enumerate() {
        let column = job.columns.iter().position(|c| c == player);
        let column = column.ok_or_else(|| Error::usage("a column that is not explained"))?;
        // Objects that were changed before are not changed again.
        let of_changed = term.of_changed.as_ref().filter(|_| term.over.is_some());
        let known = of_changed.and_then(|all| all.get(at)).unwrap_or(kernel);
        let support = engine.prepare(known, &own.objects)?;
        let outside = engine.cross_of(kernel, &engine.prepare(kernel, job.background)?, &support)?;
        factors.push(Factor { column, kernel, support, outside });
    }
    // Objects whose factors fit in memory together, and occupy all threads.
    let step = (ENTRIES / (m * factors.len()).max(1)).clamp(16, 4096);
    for start in (0..n).step_by(step) {
        let rows: Vec<usize> = (start..(start + step).min(n)).collect();
        let objects = job.objects.select(&rows);
        let inside = factors
            .iter()
            .map(|f| engine.cross_of(f.kernel, &engine.prepare(f.kernel, &objects)?, &f.support));
        let inside: Vec<Dense> = inside.collect::<Result<_>>()?;
        let of = |i: usize| of_object(i, term, &factors, &inside, &own.weights);
        let found = engine.run(|| parallel::try_map(rows.len(), of))?;
        for (row, found) in rows.iter().zip(found) {
            for (at, factor) in factors.iter().enumerate() {
                for (v, values) in out.iter_mut().enumerate() {
                    values.row_mut(*row)[factor.column] += found[at * own.weights.cols() + v];
                }
            }
        }
    }
    Ok(true)
}

/// Adds the values of a sum over leaves.
fn add_trees(job: &Job<'_>, trees: &OfTrees, values: &Dense, scale: f64, out: &mut [Dense]) -> Result<bool> {
    let Some(players) = trees.players(job.columns) else { return Ok(false) };
    let [objects, outside] = [job.objects, job.background].map(|data| trees.columns(data, false));
    let found = trees.kernel.shapley(&objects?, &outside?, values, &players, job.columns.len())?;
    let outputs = values.cols();
    for i in 0..found.rows() {
        for (at, own) in found.row(i).chunks_exact(outputs.max(1)).enumerate() {
            for (values, v) in out.iter_mut().zip(own) {
                values.row_mut(i)[at] += scale * v;
            }
        }
    }
    Ok(true)
}

/// The values of an object in one term: for each factor, that for each output.
fn of_object(
    i: usize,
    term: &Term,
    factors: &[Factor<'_>],
    inside: &[Dense],
    weights: &Dense,
) -> Result<Vec<f64>> {
    let (m, count) = (inside[0].cols(), factors[0].outside.rows());
    let own: Vec<&[f64]> = inside.iter().map(|p| p.row(i)).collect();
    let mut sums = vec![0.0; factors.len() * m];
    for b in 0..count {
        budget::check_often()?;
        let outside: Vec<&[f64]> = factors.iter().map(|f| f.outside.row(b)).collect();
        match &term.form {
            Form::Product => add_products(&own, &outside, &mut sums),
            Form::Power { constant, degree } => add_powers(&own, &outside, *constant, *degree, &mut sums),
            Form::Trees(_) => {}
        }
    }
    let scale = term.scale / count as f64;
    let mut out = vec![0.0; factors.len() * weights.cols()];
    for (sums, out) in sums.chunks_exact(m).zip(out.chunks_exact_mut(weights.cols().max(1))) {
        for (j, sum) in sums.iter().enumerate() {
            out.iter_mut().zip(weights.row(j)).for_each(|(o, w)| *o += sum * w);
        }
        out.iter_mut().for_each(|o| *o *= scale);
    }
    Ok(out)
}
