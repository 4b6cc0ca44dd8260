//! Fits a model to training objects.

use std::collections::HashSet;
use std::sync::OnceLock;

use super::training::TrainingMolecules;
use super::{Model, ModelTarget};
use crate::container::objects;
use crate::data::{Dataset, Dense, FeatureRows, Target, Values};
use crate::error::{Code, Error, Result, Warning};
use crate::expression::{Expression, Fitted, Learner, LinearRows, Training, Value};
use crate::gram::Engine;
use crate::kernel::{Definiteness, Kernel};
use crate::learn::rows::whole;
use crate::learn::{KernelPcaModel, MOST_CHECKED, Trained, check_curvature};
use crate::numeric::is_conditionally_definite;
use crate::solve::{Columns, KernelColumns, Stop};

impl Model {
    /// Fits a kernel and a learner, both without open choices, to the objects of a data set.
    ///
    /// Rows of the Gram matrix are computed when the learner needs them and kept in its cache. The whole matrix is held
    /// only by learners that need all of it, and for `precomputed`. A model that stopped before convergence is returned
    /// too: its certificates say so. Interrupted work gives [`Error::Interrupted`]; a matrix with negative eigenvalues
    /// gives [`Error::NotPositiveDefinite`]. `gp` and `gpc` learn numbers of the kernel: see [`Learner::with_kernel`].
    pub fn fit(
        data: &Dataset,
        expression: &Expression,
        learner: &Learner,
        seed: u64,
        engine: &Engine,
    ) -> Result<Model> {
        Model::fit_to(data, expression, learner, seed, engine, None)
    }

    /// The same with an existing Gram matrix, possibly in a file larger than memory
    /// ([`FileColumns`](crate::solve::FileColumns)): its rows are read instead of computed. It must be of this kernel
    /// and these objects, in their order; only the number of objects is checked.
    pub fn fit_to(
        data: &Dataset,
        expression: &Expression,
        learner: &Learner,
        seed: u64,
        engine: &Engine,
        gram: Option<&dyn Columns>,
    ) -> Result<Model> {
        closed("the kernel", &expression.choices())?;
        closed("the learner", &learner.choices())?;
        if learner.facts().predicts.needs_target() {
            check_labelled(data)?;
        }
        // A given matrix is of the kernel as it is.
        let (expression, learner) = &match gram {
            None => learner.with_kernel(expression)?,
            Some(_) => (expression.clone(), learner.clone()),
        };
        let training = used_columns(expression, data)?;
        let fitted = expression.fit(&training, engine)?;
        let (trained, learner) = train(expression, learner, &fitted, &training, (seed, gram), engine)?;
        let learner = &learner;
        engine.budget().check()?;
        check_stops(&trained, &fitted, &training, engine)?;
        let trained = proved(trained, expression, &fitted, &training, gram, engine)?;

        let (trained, chosen) = trained.compact();
        let training_numbers = Some(chosen.clone());
        let (kept, support) = if expression.needs_training() {
            (columns_of(&training, None)?, chosen)
        } else {
            let support = (0..chosen.len()).collect();
            (columns_of(&training, Some(&chosen))?, support)
        };
        let fewer = fewer_components(&trained, learner);
        let unsuited = unsuited_scale(&trained, learner, data);
        let warnings = data.warnings().iter().chain(&fitted.warnings).chain(&fewer).chain(&unsuited);
        let warnings = warnings.map(ToString::to_string).collect();
        Ok(Model {
            expression: expression.clone(),
            learner: learner.clone(),
            seed,
            target: ModelTarget::of(data).filter(|_| learner.facts().predicts.needs_target()),
            steps: fitted.steps,
            kernel: fitted.kernel,
            kept,
            support,
            trained,
            chosen: training_numbers,
            objects: Some(data.len()),
            warnings,
            first_index: 1,
            reading: None,
            training: TrainingMolecules::of(&training, data),
            note: None,
            program: concat!("mercer ", env!("CARGO_PKG_VERSION")).to_owned(),
            conformal: None,
            members: Vec::new(),
            prepared: OnceLock::new(),
        })
    }
}

/// Refuses objects without a target, which readers set aside.
fn check_labelled(data: &Dataset) -> Result<()> {
    let missing = match data.target() {
        Some(Target::Classes(c)) => (0..c.len()).find(|&i| c.code(i).is_none()),
        Some(Target::Numbers(v)) => v.iter().position(|v| v.is_nan()),
        None => None,
    };
    match missing {
        Some(index) => {
            Err(Error::Missing { index, column: data.target_name().unwrap_or("target").to_owned() })
        }
        None => Ok(()),
    }
}

fn closed(what: &str, choices: &[(String, Vec<Value>)]) -> Result<()> {
    match choices.first() {
        None => Ok(()),
        Some((name, values)) => Err(Error::Param {
            name: name.clone(),
            value: format!("a choice of {}", values.len()),
            domain: format!("a single value in {what}: ranges are for a search"),
        }),
    }
}

/// The data with only the columns that the expression uses or names, in the order of the data.
///
/// A kernel without `@` takes all columns of a suitable type. All of them are included, so it selects the same columns
/// again from this subset.
pub(super) fn used_columns(expression: &Expression, data: &Dataset) -> Result<Dataset> {
    let looked_at = expression.columns_used(data)?;
    let mut used: HashSet<&str> = looked_at.iter().map(String::as_str).collect();
    used.extend(expression.named_columns());
    let columns = data.columns().iter().filter(|c| used.contains(c.name.as_str()));
    expression.with_used_attributes(&data.with_columns(columns.cloned().collect())?)
}

/// The columns of some objects, or of all, without target, ids and weights.
pub(super) fn columns_of(data: &Dataset, chosen: Option<&[usize]>) -> Result<Dataset> {
    let columns = data.columns().iter().map(|c| {
        let mut column = c.clone();
        if let Some(rows) = chosen {
            column.values = c.values.select(rows);
        }
        column
    });
    objects(columns.collect(), chosen.map_or(data.len(), <[usize]>::len))
}

fn train(
    expression: &Expression,
    learner: &Learner,
    fitted: &Fitted,
    training: &Dataset,
    (seed, gram): (u64, Option<&dyn Columns>),
    engine: &Engine,
) -> Result<(Trained, Learner)> {
    let task = Training {
        target: training.target(),
        weights: training.weights(),
        seed,
        budget: engine.budget().clone(),
    };
    // The model keeps the number that stands for a learned penalty.
    let on_features = |rows: FeatureRows<'_>| -> Result<(Trained, Learner)> {
        let learner = learner.resolved_on_features(rows, &task)?;
        Ok((learner.fit_features(rows, &task)?, learner))
    };
    let on_gram = |gram: &Dense| -> Result<(Trained, Learner)> {
        let learner = learner.resolved(gram, &task)?;
        Ok((learner.fit_gram(gram, &task)?, learner))
    };
    if let Some(columns) = gram {
        if columns.len() != training.len() {
            return Err(Error::Shape {
                expected: format!("a Gram matrix of {} objects", training.len()),
                found: format!("one of {}", columns.len()),
            });
        }
        return match learner.learns_lambda() {
            true => engine.run(|| {
                let gram = whole(columns, 3, LEARNING)?;
                on_gram(&gram)
            }),
            false => Ok((engine.run(|| learner.fit(columns, &task))?, learner.clone())),
        };
    }
    if learner.needs_features() {
        let rows = LinearRows::of(expression, &fitted.kernel, training, engine)?;
        return engine.run(|| on_features(rows.get()?));
    }
    if let Some(gram) = given_gram(expression, training)? {
        return engine.run(|| on_gram(gram));
    }
    let set = engine.prepare(&fitted.kernel, training)?;
    // Explicit features are fewer numbers than the similarities of many objects.
    if let Some(rows) = fitted.kernel.rows(&set)?
        && (matches!(rows, FeatureRows::Single(_)) || expression.writes_features())
        && learner.takes_features()
        && rows.dim() < rows.len()
    {
        return engine.run(|| on_features(rows));
    }
    let columns: KernelColumns<'_, Dataset, _> = KernelColumns::new(engine, &fitted.kernel, &set);
    match learner.learns_lambda() {
        true => engine.run(|| {
            let gram = whole(&columns, 3, LEARNING)?;
            on_gram(&gram)
        }),
        false => Ok((engine.run(|| learner.fit(&columns, &task))?, learner.clone())),
    }
}

/// The memory that learning a penalty needs.
const LEARNING: &str = "the matrix of ridge regression and its eigenvectors, in memory,";

/// The precomputed matrix, if the kernel consists of it alone.
fn given_gram<'a>(expression: &Expression, training: &'a Dataset) -> Result<Option<&'a Dense>> {
    match training.columns() {
        [only] if expression.is_precomputed() => match &only.values {
            Values::Precomputed(p) => Ok(p.as_square()),
            _ => Ok(None),
        },
        _ => Ok(None),
    }
}

/// Warns if there are fewer components than requested.
fn fewer_components(trained: &Trained, learner: &Learner) -> Option<Warning> {
    let found = trained.model_as::<KernelPcaModel>()?;
    let (found, asked) = (found.components(), learner.setting("components").ok()?.number()?);
    let message = format!("{found} of {asked} components: the objects have no variance along more");
    ((found as f64) < asked).then(|| Warning::new("W_COMPONENTS", message))
}

/// Warns if the penalty and the tube of svr do not suit the spread of the target: nearly all objects are at the bound, and
/// the predictions hardly differ, or nearly all are inside the tube.
fn unsuited_scale(trained: &Trained, learner: &Learner, data: &Dataset) -> Option<Warning> {
    let Some(Target::Numbers(y)) = data.target() else { return None };
    if learner.name() != "svr" || y.len() < 20 {
        return None;
    }
    let (n, setting) = (y.len() as f64, |name: &str| learner.setting(name).ok()?.number());
    let (c, epsilon) = (setting("C")?, setting("epsilon")?);
    let mean = y.iter().sum::<f64>() / n;
    let sd = (y.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
    let bounded: usize = trained.certificates().iter().map(|(_, found)| found.bounded).sum();
    let what = if 20 * bounded >= 19 * y.len() && sd > 4.0 * c {
        format!("{bounded} of {} objects are at the bound, and predictions are nearly constant", y.len())
    } else if 20 * trained.support().len() <= y.len() && sd > 0.0 && epsilon > sd {
        "nearly all objects are inside the tube, and predictions are nearly constant".to_owned()
    } else {
        return None;
    };
    let round = |v: f64| format!("{v:.0e}").parse::<f64>().unwrap_or(v);
    let message = format!(
        "C={c} and epsilon={epsilon} do not suit a target with a standard deviation of {sd:.4}: {what}; use \
         svr(C={}, epsilon={}), divide the target by its standard deviation, or use ridge(intercept=yes)",
        round(sd),
        round(sd / 10.0)
    );
    Some(Warning::new("W_SCALE", message))
}

/// Refuses a model whose solver found a direction of negative curvature.
fn check_stops(trained: &Trained, fitted: &Fitted, training: &Dataset, engine: &Engine) -> Result<()> {
    let stops: Vec<Stop> = trained.stops().into_iter().map(|(_, stop)| stop).collect();
    if !stops.iter().any(|stop| matches!(stop, Stop::NegativeCurvature { .. })) {
        return Ok(());
    }
    let set = engine.prepare(&fitted.kernel, training)?;
    check_curvature::<Dataset, _>(stops, &fitted.kernel, &set, engine)
}

/// Marks certificates as unproved unless the matrix is known to be positive semidefinite: duality gaps require it.
///
/// Possibly indefinite kernels are checked on the training objects, up to [`MOST_CHECKED`] of them. Larger precomputed
/// matrices are assumed to be positive semidefinite, as the documentation of the certificate says.
fn proved(
    trained: Trained,
    expression: &Expression,
    fitted: &Fitted,
    training: &Dataset,
    gram: Option<&dyn Columns>,
    engine: &Engine,
) -> Result<Trained> {
    let is_known = fitted.kernel.definiteness() == Definiteness::PositiveSemidefinite;
    if trained.certificates().is_empty() || is_known {
        return Ok(trained);
    }
    let given = given_gram(expression, training)?;
    if training.len() > MOST_CHECKED {
        return Ok(if gram.is_some() || given.is_some() { trained } else { trained.unproved() });
    }
    let check = || match given {
        Some(gram) => is_conditionally_definite(gram),
        None => {
            let set = engine.prepare(&fitted.kernel, training)?;
            is_conditionally_definite(&engine.gram_of(&fitted.kernel, &set)?)
        }
    };
    match check() {
        Ok(true) => Ok(trained),
        Ok(false) => Ok(trained.unproved()),
        // The fit itself does not need the whole matrix.
        Err(error) if error.code() == Code::MemoryPlan => Ok(trained.unproved()),
        Err(error) => Err(error),
    }
}
