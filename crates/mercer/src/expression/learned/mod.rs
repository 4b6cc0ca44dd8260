//! The wrapper `learned`: the continuous numbers of a kernel with the highest marginal likelihood of a Gaussian process.

mod marked;
#[cfg(test)]
mod tests;
mod tree;

pub(super) use marked::Which;

use super::columns::{Scope, inner_of};
use super::features::FeatureTable;
use super::mkl::{FusionTarget, fusion_target};
use super::parse::default;
use super::registry::find;
use super::scaling::Scaling;
use super::step::Step;
use super::tree::{Call, Expression};
use super::value::Setting;
use super::wrappers::{identifying_columns, project};
use crate::data::Dataset;
use crate::error::{Error, Result, Warning};
use crate::kernel::{Boxed, Definiteness, Domain, Facts, Parameter};
use crate::learn::{Approximation, ClassCodes, Highest, Marginal};
use crate::numeric::Short;
use crate::random::Random;
use marked::{Marked, shape};
use tree::Tree;

const fn parameter(
    name: &'static str,
    default: &'static str,
    domain: Domain,
    doc: &'static str,
) -> Parameter {
    Parameter { name, default, domain, doc, alias: None }
}

/// Facts about learning the numbers of a kernel.
pub(super) const LEARNED: Facts = Facts {
    name: "learned",
    summary: "The kernel inside with the continuous parameters, weights of terms and weights of columns that have the highest marginal likelihood.",
    formula: "max over θ, s and σ² of log p(y), y ~ N(b, s·K_θ + σ²·W⁻¹); for classes Laplace's approximation of p(y | f), f ~ N(0, s·K_θ)",
    takes: "a positive semidefinite kernel; fitted to the training objects and their target",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        parameter(
            "which",
            "all",
            Domain::Word(&["all", "defaults"]),
            "all continuous numbers of the kernel, or those at their defaults and weights of terms without a factor; those of relevance always",
        ),
        parameter(
            "noise",
            "learned",
            Domain::PositiveOr(&["learned", "none"]),
            "the variance of an observation, as of the learner gp",
        ),
        parameter(
            "scale",
            "learned",
            Domain::PositiveOr(&["learned"]),
            "the factor of the whole kernel, as of the learner gp",
        ),
        parameter("mean", "constant", Domain::Word(&["constant", "zero"]), "as of the learner gp"),
        parameter(
            "objects",
            "1000",
            Domain::Whole(5, 100_000),
            "learned from at most this many training objects; at most 300 where a parameter has no known derivative",
        ),
    ],
    cost: "that of the kernel; fitting takes some tens of m³ for m objects, and two matrices for each parameter without known derivative",
    reference: "Rasmussen & Williams 2006, Gaussian processes for machine learning, chapter 5",
    example: "learned(rbf + linear)",
};

/// Starts are compared on this many objects; the best ones go on with all.
const FEW: usize = 256;
/// The most objects where a part has no known derivatives.
const FEW_AGAIN: usize = 300;
/// How many of the ends on few objects are starts on all.
const REFINED: usize = 2;
/// The most evaluations of the likelihood from one start, and where a part has no known derivatives.
const EVALUATIONS: usize = 150;
const EVALUATIONS_AGAIN: usize = 30;
/// Nothing is learned from fewer objects.
const FEWEST: usize = 5;

/// Makes the kernel.
pub(super) fn learned(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let inner = inner_of(call)?;
    let text = match scope.fit.stored()? {
        None => {
            let Found { expression, scalings, warnings } = learn(call, inner, scope)?;
            warnings.into_iter().for_each(|warning| scope.fit.warn(warning));
            scope.fit.preset(scalings);
            expression.to_string()
        }
        Some(Step::Learned { kernel }) => kernel,
        Some(other) => return Err(other.misplaced(LEARNED.name)),
    };
    let expression: Expression = text.parse()?;
    if shape(&expression) != shape(inner) {
        return Err(Error::usage("a stored kernel of another form than the one that was learned"));
    }
    scope.fit.record(Step::Learned { kernel: text });
    scope.fit.kernel(&expression, scope)
}

/// The features of the kernel with its learned numbers.
pub(super) fn table(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    match scope.fit.stored()? {
        Some(Step::Learned { kernel }) => kernel.parse::<Expression>()?.table(scope),
        Some(other) => Err(other.misplaced(LEARNED.name)),
        None => Err(Expression::Call(call.clone()).without_features()),
    }
}

/// Whether an expression has numbers to learn.
pub(super) fn has_numbers(expression: &Expression, which: Which) -> bool {
    // What cannot be marked is refused with its reason when it is made.
    Marked::of(expression, which).is_ok_and(|(marked, _)| marked.learns())
}

/// The wrapper around a kernel, with some settings; the others at their defaults.
pub(super) fn learned_call(
    inner: Expression,
    settings: impl Fn(&str) -> Option<Setting>,
) -> Result<Expression> {
    let entry = find(LEARNED.name).ok_or_else(|| Error::usage("the wrapper learned is missing"))?;
    let setting = |parameter: &Parameter| settings(parameter.name).map_or_else(|| default(parameter), Ok);
    let settings = LEARNED.parameters.iter().map(setting).collect::<Result<_>>()?;
    Ok(Expression::Call(Call { entry, inner: vec![inner], settings, columns: None }))
}

/// What was learned.
struct Found {
    expression: Expression,
    /// Of each `relevance`, in the order of the expression.
    scalings: Vec<Scaling>,
    warnings: Vec<Warning>,
}

fn learn(call: &Call, inner: &Expression, scope: &Scope<'_>) -> Result<Found> {
    let which = if call.word("which")? == "all" { Which::All } else { Which::Defaults };
    let marginal = marginal(call, scope)?;
    let (marked, learnable) = Marked::of(inner, which)?;
    let order = order(call, scope)?;
    let engine = scope.fit.engine.clone().with_progress(std::sync::Arc::new(crate::gram::Silent));
    let told = |reason: &str| {
        let message = format!("learned: {reason}: the numbers of {} stay as they are", inner.brief());
        Warning::new("W_LEARNED", message)
    };
    let as_written = |reason: &str| {
        let written: Vec<f64> = learnable.iter().map(|l| l.written).collect();
        let tree = Tree::new(&marked, learnable.clone(), scope, &order, &engine)?;
        let values: Vec<f64> =
            (0..tree.parameters.len()).map(|i| written.get(i).copied().unwrap_or(1.0)).collect();
        Ok(Found {
            expression: marked.with(&values),
            scalings: tree.weighed.iter().map(|weighed| weighed.scaling(&values)).collect(),
            warnings: vec![told(reason)],
        })
    };
    if order.len() < FEWEST {
        return as_written("fewer than five objects");
    }
    if !marginal.select(&order).varies() {
        return as_written("all targets are equal");
    }
    if !marked.learns() {
        return as_written("the kernel has no continuous parameters");
    }
    let whole = Tree::new(&marked, learnable.clone(), scope, &order[..order.len().min(FEWEST)], &engine)?;
    let again = whole.is_computed_again();
    let most: usize = call.get("objects")?;
    let most = if again { most.min(FEW_AGAIN) } else { most };
    let evaluations = if again { EVALUATIONS_AGAIN } else { EVALUATIONS };
    let chosen = sampled(&order, most);
    let mut tree = Tree::new(&marked, learnable.clone(), scope, &chosen, &engine)?;
    let bounds: Vec<(f64, f64)> = tree.parameters.iter().map(|p| p.bounds).collect();
    let mut starts = starts(&tree, again);
    let mut evaluated = 0;
    let few = sampled(&chosen, FEW);
    if few.len() < chosen.len() && starts.len() > 1 {
        let mut small = Tree::new(&marked, learnable, scope, &few, &engine)?;
        let part = marginal.select(&few);
        if part.varies() {
            let ends = engine.run(|| part.highest(&mut small, &starts, &bounds, evaluations))?;
            evaluated += ends.iter().map(|end| end.evaluations).sum::<usize>();
            starts = distinct(ends);
        }
    }
    let part = marginal.select(&chosen);
    let ends = engine.run(|| part.highest(&mut tree, &starts, &bounds, evaluations))?;
    evaluated += ends.iter().map(|end| end.evaluations).sum::<usize>();
    let best = ends.into_iter().next().ok_or_else(|| Error::usage("no start was given"))?;
    let mut values = tree.values(&best.at);
    even_weights(&marked, &mut values);
    let expression = marked.with(&values);
    let scalings = tree.weighed.iter().map(|weighed| weighed.scaling(&values)).collect();
    let brief: Vec<f64> = values.iter().map(|v| rounded(*v)).collect();
    let mut warnings = vec![said(&marked.with(&brief), &best, (chosen.len(), scope.data.len(), evaluated))];
    warnings.extend(at_bounds(&tree, &best));
    Ok(Found { expression, scalings, warnings })
}

/// The marginal likelihood of the target.
fn marginal(call: &Call, scope: &Scope<'_>) -> Result<Marginal> {
    let given = |name: &str| -> Result<Option<f64>> {
        match call.word(name) {
            Ok("learned") => Ok(None),
            Ok(_) => Ok(Some(0.0)),
            Err(_) => call.number(name).map(Some),
        }
    };
    match fusion_target(LEARNED.name, scope.data)? {
        FusionTarget::Numbers(target) => {
            let constant = call.word("mean")? == "constant";
            // Objects with a weight of 0 are not chosen.
            let weights = scope
                .data
                .weights()
                .map(|w| w.iter().map(|w| if *w > 0.0 { *w } else { 1.0 }).collect::<Vec<f64>>());
            Marginal::of_numbers(target.to_vec(), weights, constant, given("scale")?, given("noise")?)
        }
        FusionTarget::Classes(codes, count) => {
            Marginal::of_classes(&ClassCodes::new(codes, count), given("scale")?, Approximation::Laplace)
        }
    }
}

/// The training objects by content, so that their order does not matter; without those of weight 0.
fn order(call: &Call, scope: &Scope<'_>) -> Result<Vec<usize>> {
    let mut columns = identifying_columns(call, scope)?;
    columns.sort_unstable();
    let prints = project(scope.data, &columns)?.object_fingerprints();
    let target = |i: usize| match scope.data.target() {
        Some(crate::data::Target::Numbers(y)) => y[i].to_bits(),
        Some(crate::data::Target::Classes(c)) => {
            c.get(i).map_or(0, |name| xxhash_rust::xxh3::xxh3_64(name.as_bytes()))
        }
        None => 0,
    };
    let mut order: Vec<usize> = (0..scope.data.len()).collect();
    if let Some(weights) = scope.data.weights() {
        order.retain(|&i| weights[i] > 0.0);
    }
    order.sort_by_key(|&i| (prints[i], target(i)));
    Ok(order)
}

/// At most this many of the objects.
fn sampled(order: &[usize], most: usize) -> Vec<usize> {
    if order.len() <= most {
        return order.to_vec();
    }
    let chosen = Random::derived(0, 0x6c72_6e64).sample(order.len(), most);
    chosen.into_iter().map(|at| order[at]).collect()
}

/// Where ascents begin: at the median distance, at a tenth and ten times the width, and at different widths of different parts.
fn starts(tree: &Tree<'_>, again: bool) -> Vec<Vec<f64>> {
    let first: Vec<f64> = tree.parameters.iter().map(|p| p.start).collect();
    let step = 10f64.ln();
    let widths = tree.parameters.iter().filter(|p| p.is_width).count();
    if widths == 0 {
        return vec![first];
    }
    let moved = |by: &dyn Fn(usize) -> f64| {
        let mut place = 0;
        let one = |p: &tree::Parameter| match p.is_width {
            true => {
                place += 1;
                p.start + by(place)
            }
            false => p.start,
        };
        tree.parameters.iter().map(one).collect::<Vec<f64>>()
    };
    let mut out = vec![first.clone(), moved(&|_| -step), moved(&|_| step)];
    if widths > 1 {
        out.push(moved(&|place| if place % 2 == 0 { -step } else { step }));
    }
    out.push(moved(&|_| -2.0 * step));
    out.truncate(if again { 2 } else { 5 });
    out
}

/// The best ends that differ.
fn distinct(ends: Vec<Highest>) -> Vec<Vec<f64>> {
    let mut out: Vec<Vec<f64>> = Vec::new();
    for end in ends {
        let near = |known: &Vec<f64>| known.iter().zip(&end.at).all(|(a, b)| (a - b).abs() < 0.1);
        if out.len() < REFINED && !out.iter().any(near) {
            out.push(end.at);
        }
    }
    out
}

/// Divides the weights of the terms of the whole kernel by their sum: its factor is learned with the model.
fn even_weights(marked: &Marked, values: &mut [f64]) {
    let mut marked = marked;
    while let Marked::Group(inner, _) = marked {
        marked = inner.as_ref();
    }
    let Marked::Sum(terms) = marked else { return };
    let weights: Vec<usize> = terms
        .iter()
        .filter_map(|term| match term {
            Marked::Scale(marked::Slot::Learned(at), _) => Some(*at),
            _ => None,
        })
        .collect();
    let total: f64 = weights.iter().map(|&at| values[at]).sum();
    if weights.len() == terms.len() && total.is_finite() && total > 0.0 {
        weights.iter().for_each(|&at| values[at] = (values[at] / total).max(f64::MIN_POSITIVE));
    }
}

/// A number with four digits, for people; the model has all of them.
fn rounded(value: f64) -> f64 {
    format!("{value:.3e}").parse().unwrap_or(value)
}

fn said(expression: &Expression, best: &Highest, (used, of, evaluated): (usize, usize, usize)) -> Warning {
    let from = if used < of { format!("{used} of {of} objects") } else { format!("{used} objects") };
    let end = if best.converged { "" } else { "; it did not converge" };
    let message = format!(
        "learned: {} has the highest marginal likelihood found: log p = {:.4} for {from}, after {evaluated} evaluations{end}",
        expression.brief(),
        best.value
    );
    Warning::new("W_LEARNED", message)
}

/// Parameters that ended at a bound.
fn at_bounds(tree: &Tree<'_>, best: &Highest) -> Option<Warning> {
    let at = tree.parameters.iter().zip(&best.at);
    let ended = at.filter(|(p, at)| p.bounds.0 < p.bounds.1 && (**at <= p.bounds.0 || **at >= p.bounds.1));
    // A weight of nearly 0 means that a term or a column is not needed.
    let ended: Vec<String> = ended
        .filter(|(p, at)| !(p.name.starts_with("weight") && **at <= p.bounds.0))
        .map(|(p, at)| format!("{} = {}", p.name, Short(p.moves.to_value(*at))))
        .collect();
    if ended.is_empty() {
        return None;
    }
    let message = format!("learned: at the bound of the search: {}", ended.join(", "));
    Some(Warning::new("W_LEARNED", message))
}
