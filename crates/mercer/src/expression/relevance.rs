//! The wrapper `relevance`: weights of number columns, learned from the target.

use super::change::{Change, changed, stored_scaling};
use super::columns::{Scope, inner_of};
use super::mkl::{FusionTarget, fusion_target};
use super::scaling::Scaling;
use super::tree::{Call, Expression};
use crate::data::{Dataset, Values};
use crate::error::{Error, Result, Warning};
use crate::kernel::relevance::{Difference, LearnedWeights, RelevanceTarget, learn};
use crate::kernel::{Boxed, Definiteness, Domain, Facts, Parameter};

/// Facts about relevance.
pub(super) const RELEVANCE: Facts = Facts {
    name: "relevance",
    summary: "Weights each number column by how much it helps to predict the target, before a Gaussian or Laplacian kernel.",
    formula: "x_c → (x_c - mean_c) / sd_c · w_c, w ≥ 0 climbs the share of the target that leave-one-out kernel regression explains at gamma=1; half of \
              at most 600 training objects give the gradient, the others choose the step and the share of the largest, from 1 to 20 %, below \
              which a weight is 0 unless they lose significantly by it",
    takes: "rbf, laplacian or rational-quadratic on columns of numbers; fitted to the training objects and their target",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[Parameter {
        name: "steps",
        default: "50",
        domain: Domain::Whole(0, 10_000),
        doc: "the largest number of gradient steps; 0 for equal weights",
        alias: None,
    }],
    cost: "that of the kernel; fitting takes steps · 90,000 · d",
    reference: "Weinberger & Tesauro 2007, Metric learning for kernel regression",
    example: "relevance(rbf(gamma=1))",
};

/// Whether a call is this wrapper.
pub(super) fn is_relevance(call: &Call) -> bool {
    call.entry.facts.name == RELEVANCE.name
}

/// The kernel inside, which must be a function of weighted differences.
pub(super) fn difference(call: &Call) -> Result<Difference> {
    let mut inner = inner_of(call)?;
    while let Expression::Group(within, _) | Expression::Scale(_, within) = inner {
        inner = within;
    }
    let known = match inner {
        Expression::Call(inner) => inner.entry.difference,
        _ => None,
    };
    known.ok_or_else(|| Error::Param {
        name: "kernel".into(),
        value: inner.to_string(),
        domain: "rbf, laplacian or rational-quadratic inside relevance; put other wrappers around it: impute(relevance(rbf))".into(),
    })
}

/// What of the kernel inside decides the weights: kernels with equal answers share them in a search. Other
/// transformations do not depend on the kernel inside.
pub(super) fn within(call: &Call) -> Option<Difference> {
    if is_relevance(call) { difference(call).ok() } else { None }
}

/// Makes the kernel.
pub(super) fn relevance(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    difference(call)?;
    changed(call, scope, fit_relevance, stored_scaling)
}

/// Refuses sparse vectors, whose coordinates may be too many.
pub(super) fn check_numbers(training: &Dataset, columns: &[String]) -> Result<()> {
    for name in columns {
        if let Values::Sparse(_) = training.column(name)?.values {
            return Err(Error::Column {
                name: name.clone(),
                reason: "holds sparse vectors; relevance takes columns of numbers".into(),
                hint: Some("name the columns with @".into()),
            });
        }
    }
    Ok(())
}

/// Learns the weights of columns.
pub(super) fn fit_relevance(
    call: &Call,
    training: &Dataset,
    columns: &[String],
) -> Result<(Change, Vec<Warning>)> {
    let difference = difference(call)?;
    check_numbers(training, columns)?;
    let (scaling, mut warnings) = Scaling::standard(training, columns)?;
    let x = scaling.apply(training)?.vectors(columns)?.to_dense();
    let learned = match fusion_target(RELEVANCE.name, training)? {
        FusionTarget::Classes(codes, count) => {
            learn(&x, RelevanceTarget::Classes(&codes, count), difference, call.get("steps")?)?
        }
        FusionTarget::Numbers(numbers) => {
            learn(&x, RelevanceTarget::Numbers(numbers), difference, call.get("steps")?)?
        }
    };
    warnings.push(said(&scaling, &learned));
    let factors: Vec<f64> = learned.weights.iter().map(|&w| difference.factor(w)).collect();
    Ok((Change::Scaling(scaling.weighted(&factors)), warnings))
}

/// The columns by weight, and those that are switched off.
fn said(scaling: &Scaling, learned: &LearnedWeights) -> Warning {
    let names = scaling.columns().flat_map(|(name, width)| {
        (1..=width).map(move |at| if width > 1 { format!("{name}[{at}]") } else { name.to_owned() })
    });
    let total: f64 = learned.weights.iter().sum();
    let mut on: Vec<(String, f64)> = names.zip(learned.weights.iter().copied()).collect();
    let off: Vec<String> = on.extract_if(.., |(_, w)| *w == 0.0).map(|(name, _)| name).collect();
    on.sort_by(|a, b| b.1.total_cmp(&a.1));
    let list = |names: &mut dyn Iterator<Item = String>, count: usize| match count {
        0 => "none".to_owned(),
        1..=12 => names.collect::<Vec<_>>().join(", "),
        _ => format!("{}, … ({count} in all)", names.take(10).collect::<Vec<_>>().join(", ")),
    };
    let share =
        |(name, w): &(String, f64)| format!("{name} {:.0} %", 100.0 * w / total.max(f64::MIN_POSITIVE));
    let message = format!(
        "relevance: explained share of the target {:.3}, with equal weights {:.3} (on training objects that did not set the weights); \
         weights: {}; switched off: {}",
        learned.after,
        learned.before,
        list(&mut on.iter().map(share), on.len()),
        list(&mut off.iter().cloned(), off.len()),
    );
    Warning::new("W_RELEVANCE", message)
}

#[cfg(test)]
mod tests {
    use crate::data::{Categories, Column, Dataset, Dense, Target, Values};
    use crate::expression::Expression;
    use crate::gram::Engine;

    fn data(n: usize) -> Dataset {
        let mut random = crate::random::Random::new(4);
        let x: Vec<f64> = (0..3 * n).map(|_| random.normal()).collect();
        let y: Vec<&str> = (0..n).map(|i| if x[3 * i] > 0.0 { "a" } else { "b" }).collect();
        let column = |c: usize, scale: f64| {
            Values::Numbers(Dense::new(n, 1, (0..n).map(|i| scale * x[3 * i + c]).collect()).unwrap())
        };
        let columns = vec![
            Column::new("useful", column(0, 100.0)),
            Column::new("noise", column(1, 1.0)),
            Column::new("more noise", column(2, 1e-3)),
        ];
        let classes = Categories::from_values(y.into_iter().map(Some));
        Dataset::new(columns).unwrap().with_target("y", Target::Classes(classes)).unwrap()
    }

    #[test]
    fn columns_that_do_not_help_are_switched_off_and_said() {
        let (data, engine) = (data(200), Engine::new());
        for kernel in
            ["rbf(gamma=1)", "laplacian(gamma=1)", "2*rbf(gamma=0.5)", "rational-quadratic(gamma=1)"]
        {
            let expression: Expression = format!("relevance({kernel})").parse().unwrap();
            let fitted = expression.fit(&data, &engine).unwrap();
            let told = fitted.warnings.iter().find(|w| w.code == "W_RELEVANCE").unwrap();
            assert!(told.message.contains("switched off: noise, more noise"), "{}", told.message);
            // Another value of a column that is switched off changes nothing.
            let mut other = data.columns().to_vec();
            other[1].values = other[1].values.select(&(0..200).rev().collect::<Vec<_>>());
            let other = data.with_columns(other).unwrap();
            let k = engine.gram(&fitted.kernel, &data).unwrap();
            assert_eq!(engine.gram(&fitted.kernel, &other).unwrap(), k, "{kernel}");
        }
    }

    #[test]
    fn kernels_without_weighted_differences_are_refused() {
        let (data, engine) = (data(20), Engine::new());
        for text in ["relevance(linear)", "relevance(standardize(rbf))", "relevance(rbf + laplacian)"] {
            let refused = text.parse::<Expression>().unwrap().fit(&data, &engine).unwrap_err().to_string();
            assert!(refused.contains("inside relevance"), "{refused}");
        }
        let bare = Dataset::new(data.columns().to_vec()).unwrap();
        let refused = "relevance(rbf)".parse::<Expression>().unwrap().fit(&bare, &engine).unwrap_err();
        assert!(refused.to_string().contains("target"));
    }
}
