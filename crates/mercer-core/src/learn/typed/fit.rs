//! Fitting a typed model to a kernel, objects and targets.

use std::marker::PhantomData;

use super::super::learner::{ClassCodes, Learner, Predictor, Resources};
use super::{ClassLabels, KernelModel, Unlabelled, features_of, is_definite, proof};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::solve::KernelColumns;
use crate::traits::{Kernel, Prepared};

/// Fits a classifier to labelled objects.
pub(in super::super) fn fit_labels<X, K, S, L>(
    learner: &S,
    resources: &Resources,
    kernel: &K,
    objects: &X,
    labels: &[L],
) -> Result<KernelModel<X, K, S::Model, ClassLabels<L>>>
where
    X: Sync + ?Sized,
    K: Kernel<X> + Clone,
    S: Learner<ClassCodes> + Sync,
    L: Ord + Clone,
{
    let (classes, codes) = ClassCodes::of_labels(labels);
    let check = |n: usize| {
        check_count("labels", labels.len(), n)?;
        match classes.len() {
            0 | 1 => {
                let found = classes.len();
                Err(Error::usage(format!("a classifier needs at least two classes, found {found}")))
            }
            _ => Ok(()),
        }
    };
    let fitted = fit(learner, resources, kernel, objects, &codes, check)?;
    Ok(fitted.into_model(kernel, ClassLabels(classes)))
}

/// Fits a regressor to objects with numeric targets.
pub(in super::super) fn fit_numbers<X, K, S>(
    learner: &S,
    resources: &Resources,
    kernel: &K,
    objects: &X,
    target: &[f64],
) -> Result<KernelModel<X, K, S::Model, Unlabelled>>
where
    X: Sync + ?Sized,
    K: Kernel<X> + Clone,
    S: Learner<[f64]> + Sync,
{
    let check = |n: usize| {
        check_count("numbers", target.len(), n)?;
        match target.iter().position(|y| !y.is_finite()) {
            Some(index) => {
                Err(Error::Object { index, reason: "its target is not finite".into(), hint: None })
            }
            None => Ok(()),
        }
    };
    let fitted = fit(learner, resources, kernel, objects, target, check)?;
    Ok(fitted.into_model(kernel, Unlabelled))
}

/// Fits a learner without a target.
pub(in super::super) fn fit_objects<X, K, S>(
    learner: &S,
    resources: &Resources,
    kernel: &K,
    objects: &X,
) -> Result<KernelModel<X, K, S::Model, Unlabelled>>
where
    X: Sync + ?Sized,
    K: Kernel<X> + Clone,
    S: Learner<()> + Sync,
{
    let fitted = fit(learner, resources, kernel, objects, &(), |_| Ok(()))?;
    Ok(fitted.into_model(kernel, Unlabelled))
}

fn check_count(what: &str, found: usize, objects: usize) -> Result<()> {
    match found == objects {
        true => Ok(()),
        false => Err(Error::Shape {
            expected: format!("{objects} {what}, one per object"),
            found: found.to_string(),
        }),
    }
}

/// The result of fitting, before labels are attached.
struct Fit<S, M> {
    kept: Option<S>,
    support: Vec<usize>,
    trained: M,
    engine: Engine,
}

impl<S, M> Fit<S, M> {
    fn into_model<X, K, P>(self, kernel: &K, predicts: P) -> KernelModel<X, K, M, P>
    where
        X: ?Sized,
        K: Kernel<X, Prepared = S> + Clone,
    {
        let Fit { kept, support, trained, engine } = self;
        KernelModel { kernel: kernel.clone(), kept, support, trained, predicts, engine, objects: PhantomData }
    }
}

fn fit<X, K, S, T>(
    learner: &S,
    resources: &Resources,
    kernel: &K,
    objects: &X,
    target: &T,
    check: impl FnOnce(usize) -> Result<()>,
) -> Result<Fit<K::Prepared, S::Model>>
where
    X: Sync + ?Sized,
    K: Kernel<X>,
    S: Learner<T> + Sync,
    T: Sync + ?Sized,
{
    let engine = resources.engine();
    let set = engine.prepare(kernel, objects)?;
    let n = set.len();
    if n == 0 {
        return Err(Error::usage("no objects to fit to"));
    }
    check(n)?;
    let trained = if <S::Model as Predictor>::FROM_FEATURES {
        let rows = features_of(kernel, &set)?;
        engine.run(|| learner.fit_features(rows, target))?
    } else {
        let columns: KernelColumns<'_, X, K> = KernelColumns::new(&engine, kernel, &set);
        engine.run(|| learner.fit_columns(&columns, target))?
    };
    // The incomplete result of an interrupted solver is not a model.
    engine.budget().check()?;
    resources.budget.check()?;
    proof::check_curvature(trained.stops(), kernel, &set, &engine)?;
    let proved = trained.certificates().is_empty()
        || is_definite(kernel)
        || proof::is_definite_on(kernel, &set, &engine)?;
    let trained = if proved { trained } else { trained.unproved() };
    let (trained, support) = trained.compact()?;
    let kept = (!<S::Model as Predictor>::FROM_FEATURES).then(|| set.select(&support));
    Ok(Fit { kept, support, trained, engine: engine.kept() })
}
