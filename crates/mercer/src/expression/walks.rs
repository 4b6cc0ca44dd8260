//! Walks over the objects of a data set.

use super::blocks::{Blocks, Place};
use super::columns::Scope;
use super::entry::Depends;
use super::fit::Fit;
use super::step::Step;
use super::tree::Call;
use super::wrappers::{Projected, identifying_columns, project};
use crate::data::{Dataset, Dense, Target};
use crate::error::{Error, Result, Warning};
use crate::gram::{Certificate, Engine, SupportWalk, TransductiveWalk, Transfer, Walk};
use crate::kernel::{Boxed, Definiteness, Kernel, Markov, MatrixPower, PowerSteps, Transductive};
use crate::learn::svm::{DecisionFunction, Svc, Svr};
use crate::learn::{ClassCodes, Learner as _};
use crate::solve::{GramColumns, Limits, Stop};

/// Epsilon of the first model (an SVR) of a walk through support vectors, in regression.
const TUBE: f64 = 0.1;

pub(super) fn walk(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let steps = steps(call)?;
    let c = call.number("C")?;
    let through_support = match call.word("through")? {
        "all" => {
            let definiteness = |inner: &Boxed<Dataset>| match steps.p() % 2 {
                0 => Definiteness::PositiveSemidefinite,
                _ => inner.definiteness(),
            };
            return transductive(call, scope, definiteness, |inner, data, engine| {
                Transductive::walk(inner, data, steps, engine)
            });
        }
        word => word == "support",
    };
    let (inner, engine) = (scope.inner(call)?, scope.fit.engine);
    let walked = match scope.fit.stored()? {
        None if through_support => {
            let choose = |gram: &Dense| support(gram, c, scope);
            MatrixPower::fit_support(inner, scope.data, steps, c, choose, engine)?
        }
        None => MatrixPower::fit(inner, scope.data, steps, engine)?,
        Some(Step::Walk { support, passage }) if support.is_some() == through_support => {
            let support = support.map(|chosen| (c, chosen));
            MatrixPower::restore(inner, scope.data, steps, support, passage, engine)?
        }
        Some(other) => return Err(other.misplaced("walk")),
    };
    let support = walked.support().map(<[usize]>::to_vec);
    scope.fit.record(Step::Walk { support, passage: walked.passage().cloned() });
    Ok(Boxed::new(walked))
}

/// Depends on the training objects, on their target (for the first model's support vectors), or on all objects.
pub(super) fn depends(call: &Call) -> Depends {
    match call.word("through") {
        Ok("all") => Depends::AllObjects,
        Ok("support") => Depends::Target,
        _ => Depends::Training,
    }
}

/// The decomposed matrix of a walk, used for every number of steps.
pub(super) enum Passed {
    Train(Walk, Blocks),
    Support(SupportWalk, Blocks),
    All(TransductiveWalk),
}

/// Powers of the matrix of the kernel inside.
pub(super) fn blocks(call: &Call, place: &Place<'_>) -> Result<Blocks> {
    let (through, c, p) = (call.word("through")?, call.number("C")?, call.get("p")?);
    let passed = place.passed(&format!("{through} {c}"), || match through {
        "all" => {
            // Training and test objects together are one set.
            let training: Vec<usize> = (0..place.train().len()).collect();
            Ok(Passed::All(TransductiveWalk::of(&place.among_all(0)?, &training)?))
        }
        "support" => {
            let (base, training) = (place.inside(0)?, place.training()?);
            let fit = Fit::new(place.engine(), None);
            let scope = Scope { fit: &fit, data: &training, columns: place.columns() };
            let chosen = support(&base.train, c, &scope)?;
            Ok(Passed::Support(SupportWalk::of(&base.train, &chosen)?, base))
        }
        _ => {
            let base = place.inside(0)?;
            Ok(Passed::Train(Walk::of(&base.train)?, base))
        }
    })?;
    let (mut blocks, factor) = match &*passed {
        Passed::Train(walk, base) => {
            // Both blocks use the same coordinates.
            let new = walk.objects(&base.cross, &base.own)?;
            let (cross, own) = (new.cross(p)?, new.self_similarities(p)?);
            (Blocks { train: walk.train(p)?, cross, own }, walk.factor(p))
        }
        Passed::Support(walk, base) => {
            let cross = walk.cross(&base.cross, p)?;
            let own = walk.self_similarities(&base.cross, &base.own, p)?;
            (Blocks { train: walk.train(p)?, cross, own }, walk.walk().factor(p))
        }
        Passed::All(walk) => {
            let (train, cross, own) = walk.blocks(p)?;
            (Blocks { train, cross, own }, walk.walk().factor(p))
        }
    };
    if call.word("scale")? != "radius" {
        blocks.map(|v| v * factor);
    }
    Ok(blocks)
}

pub(super) fn markov(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let (inner, engine) = (scope.inner(call)?, scope.fit.engine);
    let markov = match scope.fit.stored()? {
        None => Markov::fit(inner, scope.data, engine)?,
        Some(Step::Markov { mean_degree }) => Markov::restore(inner, scope.data, mean_degree, engine)?,
        Some(other) => return Err(other.misplaced("markov")),
    };
    scope.fit.record(Step::Markov { mean_degree: markov.mean_degree() });
    Ok(Boxed::new(markov))
}

pub(super) fn laplacian_walk(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let (steps, a) = (steps(call)?, call.number("a")?);
    transductive(call, scope, positive, |inner, data, engine| {
        Transductive::laplacian_walk(inner, data, steps, a, engine)
    })
}

pub(super) fn cluster(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let keep = call.get("keep")?;
    let transfer = match call.word("transfer")? {
        "linear" => Transfer::Linear,
        "step" => Transfer::Step { keep },
        "linear-step" => Transfer::LinearStep { keep },
        _ => Transfer::Polynomial { t: call.number("t")? },
    };
    transductive(call, scope, positive, |inner, data, engine| {
        Transductive::cluster(inner, data, transfer, engine)
    })
}

fn positive(_: &Boxed<Dataset>) -> Definiteness {
    Definiteness::PositiveSemidefinite
}

fn steps(call: &Call) -> Result<PowerSteps> {
    let steps = PowerSteps::new(call.get("p")?)?;
    Ok(if call.word("scale")? == "none" { steps.unscaled() } else { steps })
}

/// A kernel defined on these objects only, identified by the columns its inner kernel uses.
fn transductive(
    call: &Call,
    scope: &Scope<'_>,
    definiteness: impl FnOnce(&Boxed<Dataset>) -> Definiteness,
    fit: impl FnOnce(&Boxed<Dataset>, &Dataset, &Engine) -> Result<Transductive>,
) -> Result<Boxed<Dataset>> {
    let columns = identifying_columns(call, scope)?;
    let objects = project(scope.data, &columns)?;
    let inner = scope.inner(call)?;
    let name = call.entry.facts.name;
    let kernel = match scope.fit.stored()? {
        None => fit(&inner, &objects, scope.fit.engine)?,
        Some(Step::Transductive { gram }) => {
            Transductive::of(shown(call, &inner), gram, &objects, definiteness(&inner))?
        }
        Some(other) => return Err(other.misplaced(name)),
    };
    scope.fit.record(Step::Transductive { gram: kernel.gram().clone() });
    scope.fit.warn(Warning::new(
        "W_TRANSDUCTIVE",
        format!(
            "{name} is fitted to all {} objects, including those to be predicted: results are transductive and hold for these objects only",
            scope.data.len()
        ),
    ));
    Ok(Boxed::new(Projected { columns, shown: None, inner: kernel }))
}

/// The printed form of a restored kernel.
fn shown(call: &Call, inner: &Boxed<Dataset>) -> String {
    let parameters = call.entry.facts.parameters.iter().zip(&call.settings);
    let parameters: Vec<String> = parameters.map(|(p, setting)| format!("{}={setting}", p.name)).collect();
    format!("{}({inner}, {})", call.entry.facts.name, parameters.join(", "))
}

/// The support vectors of a first model on the training objects.
fn support(gram: &Dense, c: f64, scope: &Scope<'_>) -> Result<Vec<usize>> {
    let (data, engine) = (scope.data, scope.fit.engine);
    let limits = Limits { budget: engine.budget().clone(), ..Limits::default() };
    let columns = GramColumns::new(gram)?;
    match data.target() {
        Some(Target::Classes(classes)) => {
            let codes: Vec<Option<u32>> = (0..classes.len()).map(|i| classes.code(i)).collect();
            if let Some(index) = codes.iter().position(Option::is_none) {
                return Err(Error::Missing { index, column: data.target_name().unwrap_or("target").into() });
            }
            // Levels without a member among these objects are not classes here.
            let mut present: Vec<u32> = codes.iter().copied().flatten().collect();
            present.sort_unstable();
            present.dedup();
            let target: Vec<usize> =
                codes.iter().flatten().map(|code| present.partition_point(|p| p < code)).collect();
            let mut svc = Svc::new(c).with_limits(limits);
            if let Some(weights) = data.weights() {
                svc = svc.with_weights(weights.to_vec());
            }
            let codes = ClassCodes::new(target, present.len());
            let model = engine.run(|| svc.fit_columns(&columns, &codes))?;
            check_stops(model.classifiers(), gram, scope)?;
            Ok(model.support().to_vec())
        }
        Some(Target::Numbers(target)) => {
            let mut svr = Svr::new(c, TUBE).with_limits(limits);
            if let Some(weights) = data.weights() {
                svr = svr.with_weights(weights.to_vec());
            }
            let model = engine.run(|| svr.fit_columns(&columns, target))?;
            check_stops(std::slice::from_ref(model.model()), gram, scope)?;
            Ok(model.support().to_vec())
        }
        None => Err(Error::Column {
            name: "target".into(),
            reason: "is not named: walk(…, through=support) fits a first model, which needs a target".into(),
            hint: Some("name the target, or use through=train".into()),
        }),
    }
}

/// Refuses a first model that found negative eigenvalues, and warns if one did not converge.
fn check_stops(models: &[DecisionFunction], gram: &Dense, scope: &Scope<'_>) -> Result<()> {
    scope.fit.engine.budget().check()?;
    let stops = || models.iter().filter_map(|m| m.certificate.as_ref()).map(|c| c.stop);
    if stops().any(|stop| matches!(stop, Stop::NegativeCurvature { .. })) {
        let Certificate { lambda_min, lambda_max, .. } = Certificate::of(gram)?;
        return Err(Error::NotPositiveDefinite { lambda_min, lambda_max });
    }
    let unfinished = stops().filter(|stop| !stop.is_done()).count();
    if unfinished > 0 {
        scope.fit.warn(Warning::new(
            "W_FIRST_MODEL",
            format!(
                "{unfinished} of {} first models of a walk through support vectors did not converge",
                models.len()
            ),
        ));
    }
    Ok(())
}
