//! Combinations of kernels fitted to the target: a weighted sum, or fusion of the decision values of their models.

use std::collections::HashMap;
use std::fmt;

use super::columns::Scope;
use super::fit::balanced;
use super::step::Step;
use super::tree::Call;
use super::wrappers::{identifying_columns, project};
use crate::data::{Dataset, Dense, Target, Vectors};
use crate::error::{Error, Result, Warning};
use crate::gram::Engine;
use crate::kernel::combine::{Scale, Sum};
use crate::kernel::places::Places;
use crate::kernel::vector::{Linear, PreparedVectors, inner_products};
use crate::kernel::{Boxed, Definiteness, Domain, Facts, Kernel, Parameter, Part};
use crate::learn::mkl::{
    alignment_weights, alignment_weights_of_values, easy_weights, simple_weights, trace_scales,
};
use crate::learn::svm::{DecisionFunction, Scheme, Svc, Svr};
use crate::learn::targets::classes_of;
use crate::learn::{ClassCodes, Learner as _};
use crate::random::Random;
use crate::solve::{GramColumns, Limits};

const C: Parameter = Parameter {
    name: "C",
    default: "1",
    domain: Domain::Positive,
    doc: "the penalty C of the models inside",
    alias: None,
};

/// Facts about multiple kernel learning.
pub(super) const MKL: Facts = Facts {
    name: "mkl",
    summary: "Multiple kernel learning: a sum of kernels whose weights are learned from the target.",
    formula: "Σ_m w_m · k_m(x, y) / t_m, Σ w_m = 1, t_m the mean self-similarity of the training objects",
    takes: "kernels; fitted to the training objects and their target",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        Parameter {
            name: "method",
            default: "easy",
            domain: Domain::Word(&["uniform", "alignment", "easy", "simple"]),
            doc: "how weights are found: all equal, by alignment with the target, EasyMKL, SimpleMKL",
            alias: None,
        },
        Parameter {
            name: "lambda",
            default: "0.1",
            domain: Domain::Share,
            doc: "with method=easy, from near 0 (nearest points of the classes) to 1 (their means)",
            alias: None,
        },
        C,
    ],
    cost: "that of the kernels; fitting takes the Gram matrix of each",
    reference: "Gönen & Alpaydın 2011, Multiple kernel learning algorithms",
    example: "mkl(rbf(gamma=0.1), linear, method=alignment)",
};

/// Facts about late fusion.
pub(super) const FUSION: Facts = Facts {
    name: "fusion",
    summary: "Late fusion: the decision values of one model per kernel, as features.",
    formula: "Σ_m Σ_c f_mc(x)·f_mc(y), f_mc the decision value of a model with kernel k_m for class c",
    takes: "kernels; fitted to the training objects and their target",
    kinds: &[],
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        C,
        Parameter {
            name: "folds",
            default: "5",
            domain: Domain::Whole(2, 100),
            doc: "number of folds; training objects get the decision values of models fitted without their fold",
            alias: None,
        },
        Parameter {
            name: "seed",
            default: "0",
            domain: Domain::Whole(0, 1 << 53),
            doc: "assigns training objects to folds",
            alias: None,
        },
    ],
    cost: "the number of kernels times classes; preparing an object costs its similarities to the training objects",
    reference: "Wolpert 1992, Stacked generalization",
    example: "fusion(rbf(gamma=0.1), linear)",
};

/// The target of the training objects.
pub(super) enum FusionTarget<'a> {
    Classes(Vec<usize>, usize),
    Numbers(&'a [f64]),
}

pub(super) fn fusion_target<'a>(name: &str, data: &'a Dataset) -> Result<FusionTarget<'a>> {
    match data.target() {
        Some(Target::Classes(target)) => {
            let (names, codes) = classes_of(target, data.len())?;
            Ok(FusionTarget::Classes(codes, names.len()))
        }
        Some(Target::Numbers(target)) => Ok(FusionTarget::Numbers(target)),
        None => Err(Error::Column {
            name: "target".into(),
            reason: format!("is not named: {name} is fitted to the target"),
            hint: Some("name the target".into()),
        }),
    }
}

/// The kernels inside, each fitted on its own.
fn inside(call: &Call, scope: &Scope<'_>) -> Result<Vec<Boxed<Dataset>>> {
    call.inner.iter().map(|inner| scope.fit.kernel(inner, scope)).collect()
}

/// The weighted sum.
pub(super) fn mkl(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let kernels = inside(call, scope)?;
    let weights = match scope.fit.stored()? {
        None => learn_weights(call, &kernels, scope)?,
        Some(Step::Weights(weights)) if weights.len() == kernels.len() => weights,
        Some(Step::Weights(_)) => {
            return Err(Error::usage("stored weights for a different number of kernels"));
        }
        Some(other) => return Err(other.misplaced(MKL.name)),
    };
    scope.fit.record(Step::Weights(weights.clone()));
    let terms = kernels.into_iter().zip(weights).filter(|(_, w)| *w > 0.0);
    let terms =
        terms.map(|(kernel, w)| Ok(Boxed::new(Scale::new(w, kernel)?))).collect::<Result<Vec<_>>>()?;
    balanced(terms, &|a, b| Boxed::new(Sum(a, b))).ok_or_else(|| Error::usage("all weights are 0"))
}

fn learn_weights(call: &Call, kernels: &[Boxed<Dataset>], scope: &Scope<'_>) -> Result<Vec<f64>> {
    let (data, engine) = (scope.data, scope.fit.engine);
    // A matrix for each kernel, and two for their weighted sum.
    engine.plan_matrices("the Gram matrices of all kernels", data.len(), kernels.len() as u64 + 2)?;
    let mut grams = kernels.iter().map(|k| engine.gram(k, data)).collect::<Result<Vec<_>>>()?;
    let scales = trace_scales(&grams);
    for (gram, scale) in grams.iter_mut().zip(&scales) {
        gram.values_mut().iter_mut().for_each(|v| *v /= scale);
    }
    let method = call.word("method")?;
    let weights = match (method, fusion_target(MKL.name, data)?) {
        ("uniform", _) => vec![1.0 / grams.len() as f64; grams.len()],
        ("alignment", FusionTarget::Classes(codes, _)) => alignment_weights(&grams, &codes)?,
        ("alignment", FusionTarget::Numbers(target)) => alignment_weights_of_values(&grams, target)?,
        ("easy", FusionTarget::Classes(codes, count)) => {
            let lambda = call.number("lambda")?;
            engine.run(|| easy_weights(&grams, &codes, count, lambda, engine.budget()))?
        }
        (_, FusionTarget::Classes(codes, count)) => {
            let c = call.number("C")?;
            engine.run(|| simple_weights(&grams, &codes, count, c, engine.budget()))?
        }
        (_, FusionTarget::Numbers(_)) => {
            return Err(Error::param("method", method, "alignment or uniform for regression"));
        }
    };
    scope.fit.warn(Warning::new(
        "W_WEIGHTS",
        format!(
            "mkl: weights of the kernels: {}",
            weights.iter().map(|w| format!("{w:.3}")).collect::<Vec<_>>().join(", ")
        ),
    ));
    Ok(weights.iter().zip(&scales).map(|(w, scale)| w / scale).collect())
}

/// The decision values of models, one for each kernel and class, as features.
struct Fused {
    kernels: Vec<Boxed<Dataset>>,
    training: Vec<<Boxed<Dataset> as Kernel<Dataset>>::Prepared>,
    columns: Vec<String>,
    /// Training objects by content.
    places: Places,
    models: Decisions,
    settings: String,
    engine: Engine,
}

/// The fitted models, ordered by kernel, then by class.
#[derive(Clone, Debug, PartialEq)]
pub struct Decisions {
    /// For each model, a row of coefficients of the training objects.
    pub coefficients: Dense,
    /// The offset subtracted from each decision value.
    pub offsets: Vec<f64>,
    /// The decision values of each training object, from models fitted without it.
    pub held_out: Dense,
}

/// The kernel of late fusion.
pub(super) fn fusion(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let (kernels, engine) = (inside(call, scope)?, scope.fit.engine);
    let mut columns = identifying_columns(call, scope)?;
    columns.sort_unstable();
    let n = scope.data.len();
    let prints = project(scope.data, &columns)?.object_fingerprints();
    let models = match scope.fit.stored()? {
        None => fit_models(call, &kernels, &prints, scope)?,
        Some(Step::Fusion(models)) => {
            let rows = models.coefficients.rows();
            let fits = models.coefficients.cols() == n
                && models.held_out.rows() == n
                && models.held_out.cols() == rows
                && models.offsets.len() == rows
                && rows.is_multiple_of(kernels.len().max(1));
            if !fits {
                return Err(Error::usage("stored models are of other training objects"));
            }
            models
        }
        Some(other) => return Err(other.misplaced(FUSION.name)),
    };
    scope.fit.record(Step::Fusion(models.clone()));
    let places = Places::of(&prints);
    let training = kernels.iter().map(|k| engine.prepare(k, scope.data)).collect::<Result<_>>()?;
    let parameters = FUSION.parameters.iter().zip(&call.settings);
    let settings =
        parameters.map(|(p, setting)| format!("{}={setting}", p.name)).collect::<Vec<_>>().join(", ");
    Ok(Boxed::new(Fused { kernels, training, columns, places, models, settings, engine: engine.kept() }))
}

/// Fits one model per kernel and class to all training objects, and models without each fold for held-out values.
fn fit_models(
    call: &Call,
    kernels: &[Boxed<Dataset>],
    prints: &[u128],
    scope: &Scope<'_>,
) -> Result<Decisions> {
    let (data, engine) = (scope.data, scope.fit.engine);
    let (n, c) = (data.len(), call.number("C")?);
    let target = fusion_target(FUSION.name, data)?;
    let outputs = match &target {
        FusionTarget::Classes(_, count) if *count > 2 => *count,
        _ => 1,
    };
    let folds = assign_folds(&target, prints, call.get("folds")?, call.get("seed")?);
    let limits = Limits { budget: engine.budget().clone(), ..Limits::default() };
    let total = outputs * kernels.len();
    // The matrix of a kernel, and that of the objects outside a fold.
    engine.plan_matrices("the Gram matrix of a kernel and of a fold", n, 2)?;
    let mut out = Decisions {
        coefficients: Dense::zeros(total, n),
        offsets: vec![0.0; total],
        held_out: Dense::zeros(n, total),
    };
    for (m, kernel) in kernels.iter().enumerate() {
        let gram = engine.gram(kernel, data)?;
        let everyone: Vec<usize> = (0..n).collect();
        let whole = engine.run(|| fit_part(&gram, &everyone, &target, c, outputs, &limits))?;
        for (o, model) in whole.iter().enumerate() {
            let row = out.coefficients.row_mut(m * outputs + o);
            model.support.iter().zip(&model.coefficients).for_each(|(&i, a)| row[i] = *a);
            out.offsets[m * outputs + o] = model.offset;
        }
        let parts = folds.iter().copied().max().map_or(0, |last| last + 1);
        for fold in 0..parts {
            let seen: Vec<usize> = (0..n).filter(|&i| folds[i] != fold).collect();
            let models = engine.run(|| fit_part(&gram, &seen, &target, c, outputs, &limits))?;
            for (o, model) in models.iter().enumerate() {
                for i in (0..n).filter(|&i| folds[i] == fold) {
                    let terms = model.support.iter().zip(&model.coefficients);
                    let sum: f64 = terms.map(|(&j, a)| a * gram.at(i, seen[j])).sum();
                    out.held_out.row_mut(i)[m * outputs + o] = sum - model.offset;
                }
            }
        }
    }
    Ok(out)
}

/// The fold of each object: objects of a class in turn, so that folds have all classes where possible. Equal objects
/// share a fold: otherwise a model would predict objects it was fitted to, and equal objects would get different
/// values.
fn assign_folds(target: &FusionTarget<'_>, prints: &[u128], folds: usize, seed: u64) -> Vec<usize> {
    let n = prints.len();
    let mut order: Vec<usize> = (0..n).collect();
    Random::new(seed).shuffle(&mut order);
    if let FusionTarget::Classes(codes, _) = target {
        order.sort_by_key(|&i| codes[i]);
    }
    let (mut out, mut known) = (vec![0; n], HashMap::new());
    for i in order {
        let turn = known.len();
        out[i] = *known.entry(prints[i]).or_insert(turn % folds.min(n.max(1)));
    }
    out
}

/// Models fitted to some of the objects, indexed within them. Empty if a class is missing: decisions are then 0.
fn fit_part(
    gram: &Dense,
    seen: &[usize],
    target: &FusionTarget<'_>,
    c: f64,
    outputs: usize,
    limits: &Limits,
) -> Result<Vec<DecisionFunction>> {
    if seen.is_empty() {
        return Ok(Vec::new());
    }
    let mut part = Dense::zeros(seen.len(), seen.len());
    for (r, &i) in seen.iter().enumerate() {
        part.row_mut(r).iter_mut().zip(seen).for_each(|(v, &j)| *v = gram.at(i, j));
    }
    let columns = GramColumns::new(&part)?;
    let models = match target {
        FusionTarget::Numbers(target) => {
            let own: Vec<f64> = seen.iter().map(|&i| target[i]).collect();
            let svr = Svr::new(c, 0.1).with_limits(limits.clone());
            vec![svr.fit_columns(&columns, &own)?.model().clone()]
        }
        FusionTarget::Classes(codes, _) => {
            let own: Vec<usize> = seen.iter().map(|&i| codes[i]).collect();
            let count = outputs.max(2);
            if (0..count).any(|class| !own.contains(&class)) {
                return Ok(Vec::new());
            }
            let svc = Svc::new(c).with_scheme(Scheme::OneVersusRest).with_limits(limits.clone());
            let model = svc.fit_columns(&columns, &ClassCodes::new(own, count))?;
            model.classifiers().iter().take(outputs).cloned().collect()
        }
    };
    limits.budget.check()?;
    Ok(models)
}

impl Fused {
    fn features(&self, objects: &Dataset) -> Result<Dense> {
        let prints = project(objects, &self.columns)?.object_fingerprints();
        let total = self.models.offsets.len();
        let outputs = total / self.kernels.len().max(1);
        let mut out = Dense::zeros(objects.len(), total);
        let known = self.places.find(&prints);
        let new: Vec<usize> = (0..objects.len()).filter(|&i| known[i].is_none()).collect();
        let fresh = objects.select(&new);
        for (m, (kernel, training)) in self.kernels.iter().zip(&self.training).enumerate() {
            let cross: Dense =
                self.engine.cross_of(kernel, &self.engine.prepare(kernel, &fresh)?, training)?;
            for (r, &i) in new.iter().enumerate() {
                for o in m * outputs..(m + 1) * outputs {
                    let terms = cross.row(r).iter().zip(self.models.coefficients.row(o));
                    out.row_mut(i)[o] = terms.map(|(k, a)| k * a).sum::<f64>() - self.models.offsets[o];
                }
            }
        }
        for (i, known) in known.into_iter().enumerate() {
            if let Some(place) = known {
                out.row_mut(i).copy_from_slice(self.models.held_out.row(place));
            }
        }
        Ok(out)
    }
}

impl fmt::Display for Fused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("fusion(")?;
        self.kernels.iter().try_for_each(|kernel| write!(f, "{kernel}, "))?;
        write!(f, "{})", self.settings)
    }
}

impl Kernel<Dataset> for Fused {
    type Prepared = PreparedVectors;

    fn prepare(&self, objects: &Dataset) -> Result<Self::Prepared> {
        Linear.prepare(&Vectors::from(self.features(objects)?))
    }

    inner_products!();

    fn is_transductive(&self) -> bool {
        self.kernels.iter().any(Kernel::is_transductive)
    }
}
