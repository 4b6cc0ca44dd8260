//! Shapley values by the form of the kernel: sums over support objects of games that are products or powers.

use super::{Job, Views};
use crate::budget::{self, matrix_bytes};
use crate::data::Dense;
use crate::error::Result;
use crate::expression::{Form, Term};
use crate::gram::Engine;
use crate::kernel::{Boxed, Kernel};
use crate::model::fitted::weighs::Weighs;
use crate::numeric::shapley::{add_powers, add_products};
use crate::parallel;

/// Factors of pairs of objects held in memory: 64 MB.
const ENTRIES: usize = 1 << 23;

type PreparedObjects = <Boxed<crate::data::Dataset> as Kernel<crate::data::Dataset>>::Prepared;

/// A factor of a term: its column, and its values for the support objects.
struct Factor<'a> {
    column: usize,
    kernel: &'a Boxed<crate::data::Dataset>,
    support: PreparedObjects,
    /// A row per object of the background.
    outside: Dense,
}

/// The values of each output: f(x) = base + Σ_z slope_z · Σ over terms of k_term(x, z) is a weighted sum of games, so its
/// Shapley values are those of the games with the same weights; and the mean over the background.
pub(super) fn values(job: &Job<'_>, terms: &[Term], views: &Views, engine: &Engine) -> Result<Vec<Dense>> {
    let (_, slopes) = job.model.trained.slopes()?;
    let support = job.model.kept.select(&job.model.support);
    let weights = weights_of(&slopes, views);
    let (n, m, count) = (job.objects.len(), support.len(), job.background.len());
    let mut out = job.zeros(weights.len())?;
    for term in terms.iter().filter(|term| !term.factors.is_empty()) {
        budget::ask("the factors of the background", matrix_bytes(count * term.factors.len(), m, 8))?;
        let factor = |(player, kernel): &'_ (_, Boxed<_>)| -> Result<(usize, PreparedObjects, Dense)> {
            let column = job.columns.iter().position(|c| c == player);
            let column =
                column.ok_or_else(|| crate::error::Error::usage("a column that is not explained"))?;
            let support = engine.prepare(kernel, &support)?;
            let outside = engine.cross_of(kernel, &engine.prepare(kernel, job.background)?, &support)?;
            Ok((column, support, outside))
        };
        let mut factors = Vec::with_capacity(term.factors.len());
        for own in &term.factors {
            let (column, support, outside) = factor(own)?;
            factors.push(Factor { column, kernel: &own.1, support, outside });
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
            let own = |i: usize| of_object(i, term, &factors, &inside, &weights);
            let found = engine.run(|| parallel::try_map(rows.len(), own))?;
            for (row, found) in rows.iter().zip(found) {
                for (at, factor) in factors.iter().enumerate() {
                    for (v, values) in out.iter_mut().enumerate() {
                        values.row_mut(*row)[factor.column] += found[at * weights.len() + v];
                    }
                }
            }
        }
    }
    Ok(out)
}

/// The weight of each support object for each output: one list per output.
fn weights_of(slopes: &Dense, views: &Views) -> Vec<Vec<f64>> {
    let of = |signs: &Vec<f64>| {
        (0..slopes.rows()).map(|j| slopes.row(j).iter().zip(signs).map(|(s, f)| s * f).sum()).collect()
    };
    views.signs.iter().map(of).collect()
}

/// The values of an object in one term: for each factor, that for each output.
fn of_object(
    i: usize,
    term: &Term,
    factors: &[Factor<'_>],
    inside: &[Dense],
    weights: &[Vec<f64>],
) -> Result<Vec<f64>> {
    let (m, count) = (inside[0].cols(), factors[0].outside.rows());
    let own: Vec<&[f64]> = inside.iter().map(|p| p.row(i)).collect();
    let mut sums = vec![0.0; factors.len() * m];
    for b in 0..count {
        budget::check_often()?;
        let outside: Vec<&[f64]> = factors.iter().map(|f| f.outside.row(b)).collect();
        match term.form {
            Form::Product => add_products(&own, &outside, &mut sums),
            Form::Power { constant, degree } => add_powers(&own, &outside, constant, degree, &mut sums),
        }
    }
    let scale = term.scale / count as f64;
    let dot = |sums: &[f64], weights: &[f64]| sums.iter().zip(weights).map(|(s, w)| s * w).sum::<f64>();
    let values = sums.chunks_exact(m).flat_map(|sums| weights.iter().map(move |w| scale * dot(sums, w)));
    Ok(values.collect())
}
