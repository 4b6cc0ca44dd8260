//! Binary classification: the problems of the soft margin, the hard margin and ν, and the interpretation of their
//! solutions.

use std::time::Instant;

use super::problem::{DecisionFunction, SolvedProblem, fill_up, run, run_with};
use crate::error::{Error, Result};
use crate::solve::{Bank, Columns, Limits, Stop};

/// An upper bound for the multipliers of a hard margin, over the largest self-similarity. Separable classes stay far
/// below it; it is reached if classes come closer than 3e-5 of the largest norm.
const HARD: f64 = 1e9;

/// A margin below this fraction of the reachable sums of similarities is rounding.
const NO_MARGIN: f64 = 1e-12;

/// The smallest tolerance, relative to the reachable sums of similarities, for double precision.
const LEAST: f64 = 1e-13;

/// How often the margin of ν is searched again with a smaller tolerance.
const TRIES: usize = 8;

/// The bank of C-SVC: β between 0 and the bound, with the sign of the class.
pub(super) fn bank(signs: &[f64], bounds: &[f64], beta: Vec<f64>) -> Bank {
    Bank {
        beta,
        lower: signs.iter().zip(bounds).map(|(y, b)| if *y > 0.0 { 0.0 } else { -b }).collect(),
        upper: signs.iter().zip(bounds).map(|(y, b)| if *y > 0.0 { *b } else { 0.0 }).collect(),
        linear: signs.iter().map(|y| -y).collect(),
        kink: 0.0,
    }
}

/// The soft margin: errors cost c times the weight of their object.
pub(super) fn soft(
    columns: &dyn Columns,
    signs: &[f64],
    weights: &[f64],
    c: f64,
    beta: Vec<f64>,
    limits: &Limits,
) -> Result<DecisionFunction> {
    let bounds: Vec<f64> = weights.iter().map(|w| c * w).collect();
    let outcome = run(columns, vec![bank(signs, &bounds, beta)], limits)?;
    let offset = outcome.solution.offsets[0];
    Ok(outcome.model(offset, 1.0))
}

/// The hard margin: no errors allowed. Fails if no hyperplane separates the classes; objects of weight 0 are ignored.
///
/// The primal objective of the certificate is that of the model divided by its smallest margin, which makes no errors.
pub(super) fn hard(
    columns: &dyn Columns,
    signs: &[f64],
    weights: &[f64],
    limits: &Limits,
) -> Result<DecisionFunction> {
    let inseparable = || Error::Numeric {
        reason: "no hard margin separates these classes: they overlap or touch; allow errors (margin=soft)"
            .into(),
    };
    let largest = columns.diagonal()?.into_iter().fold(0.0, f64::max);
    let bound = HARD / largest;
    if !bound.is_finite() {
        // All objects are at the origin, or too close to it to be separated.
        return Err(inseparable());
    }
    let bounds: Vec<f64> = weights.iter().map(|w| if *w > 0.0 { bound } else { 0.0 }).collect();
    let outcome = run_with(columns, vec![bank(signs, &bounds, vec![0.0; signs.len()])], limits, false)?;
    let (offset, stop, quadratic) = (outcome.solution.offsets[0], outcome.solution.stop, outcome.quadratic());
    let counted = signs.iter().zip(&outcome.solution.products).zip(weights).filter(|(_, w)| **w > 0.0);
    let margin = counted.map(|((y, g), _)| y * (g - offset)).fold(f64::INFINITY, f64::min);
    let primal = 0.5 * quadratic / margin.min(1.0).powi(2);
    let judged = outcome.solution.with_primal(primal, limits.tolerance);
    let mut model = outcome.model(offset, 1.0);
    let bounded = model.certificate.as_ref().is_some_and(|c| c.bounded > 0);
    let separated = !bounded && margin >= 1.0 - 10.0 * limits.tolerance.min(0.05);
    if let (Some(certificate), true) = (&mut model.certificate, separated) {
        certificate.primal = primal;
        certificate.gap = (primal - certificate.dual).max(0.0);
        if matches!(stop, Stop::Converged(_) | Stop::WideGap) {
            certificate.stop = judged;
        }
        return Ok(model);
    }
    match stop {
        // It is not yet known whether the classes are separable.
        Stop::Iterations | Stop::Time | Stop::Interrupted | Stop::NegativeCurvature { .. } if !bounded => {
            Ok(model)
        }
        Stop::Interrupted | Stop::NegativeCurvature { .. } => Ok(model),
        _ => Err(inseparable()),
    }
}

/// ν: the multipliers of each sign sum to ν·Σw/2; the margin r is a result, and the model is divided by it.
///
/// The scale of r is that of the similarities, so the tolerance is relative to the sums they can reach, and smaller if
/// r itself is small. If r is pure rounding, the (reduced) convex hulls of the classes intersect and the optimum is
/// w = 0. The solution is then not divided by r, and its certificate reports that there is no margin.
pub(super) fn soft_nu(
    columns: &dyn Columns,
    signs: &[f64],
    weights: &[f64],
    nu: f64,
    limits: &Limits,
) -> Result<DecisionFunction> {
    let started = Instant::now();
    let most = most_nu(signs, weights);
    if nu > most * (1.0 + 1e-12) {
        return Err(Error::Nu { value: nu, most });
    }
    let sum = 0.5 * nu * weights.iter().sum::<f64>();
    let mut banks = vec![nu_bank(signs, weights, 1.0, sum), nu_bank(signs, weights, -1.0, sum)];
    let diagonal = columns.diagonal()?;
    let mut unit = unit(columns, sum)?;
    let wanted = limits.tolerance * unit.min(1.0);
    let mut tolerance = wanted;
    let mut outcome: Option<SolvedProblem> = None;
    for _ in 0..TRIES {
        let used = outcome.as_ref().map_or(0, |o| o.solution.iterations);
        let next = run(columns, banks.clone(), &Limits { tolerance, ..limits.left(used, started) })?;
        let next = outcome.map_or_else(|| next.clone(), |before| next.clone().after(&before));
        let margin = margin_of(&next);
        let done = next.solution.stop.is_done();
        banks.iter_mut().zip(&next.solution.betas).for_each(|(b, beta)| b.beta.clone_from(beta));
        unit = next.reach(&diagonal);
        outcome = Some(next);
        if !done || margin >= 10.0 * tolerance || tolerance <= LEAST * unit {
            break;
        }
        tolerance = (0.05 * margin).min(0.1 * tolerance).max(LEAST * unit);
    }
    let mut outcome = outcome.ok_or_else(|| Error::usage("no problem was solved"))?;
    // If a limit ended the search for a margin, it is unknown whether there is one.
    let limited = matches!(outcome.solution.stop, Stop::Iterations | Stop::Time | Stop::Interrupted);
    let unfinished = limited.then(|| outcome.clone());
    if !outcome.solution.stop.is_done() && outcome.solution.violation <= wanted {
        // The requested tolerance was reached, even if a smaller one was not: this is verified without moving
        // variables.
        let left = limits.left(outcome.solution.iterations, started);
        let limits = Limits { tolerance: wanted, ..left };
        outcome = run(columns, banks, &limits)?.after(&outcome);
    }
    let (up, down) = (outcome.solution.offsets[0], outcome.solution.offsets[1]);
    let (offset, margin) = (0.5 * (up + down), margin_of(&outcome));
    // Each end of the margin is known up to the violation.
    if margin > (NO_MARGIN * unit).max(10.0 * outcome.solution.violation) {
        return Ok(outcome.model(offset, 1.0 / margin));
    }
    if let Some(unfinished) = unfinished {
        return Ok(unfinished.model(offset, 1.0));
    }
    let curved = matches!(outcome.solution.stop, Stop::NegativeCurvature { .. });
    let mut model = outcome.model(offset, 1.0);
    if let Some(certificate) = &mut model.certificate {
        certificate.no_margin = !curved;
    }
    Ok(model)
}

fn nu_bank(signs: &[f64], weights: &[f64], sign: f64, sum: f64) -> Bank {
    let bounds: Vec<f64> =
        signs.iter().zip(weights).map(|(y, w)| if *y == sign { *w } else { 0.0 }).collect();
    Bank {
        beta: fill_up(&bounds, sum).into_iter().map(|v| sign * v).collect(),
        lower: bounds.iter().map(|b| (-sign).max(0.0) * -b).collect(),
        upper: bounds.iter().map(|b| sign.max(0.0) * b).collect(),
        linear: vec![0.0; bounds.len()],
        kink: 0.0,
    }
}

fn margin_of(outcome: &SolvedProblem) -> f64 {
    0.5 * (outcome.solution.offsets[0] - outcome.solution.offsets[1])
}

/// The largest sum of similarities weighted by multipliers with this sum.
pub(super) fn unit(columns: &dyn Columns, sum: f64) -> Result<f64> {
    Ok(columns.diagonal()?.into_iter().fold(0.0, |most: f64, d| most.max(d.abs())) * sum)
}

/// The largest ν for which the multipliers of both signs can reach their sums.
pub(super) fn most_nu(signs: &[f64], weights: &[f64]) -> f64 {
    let sum =
        |sign: f64| signs.iter().zip(weights).map(|(y, w)| if *y == sign { *w } else { 0.0 }).sum::<f64>();
    2.0 * sum(1.0).min(sum(-1.0)) / weights.iter().sum::<f64>()
}
