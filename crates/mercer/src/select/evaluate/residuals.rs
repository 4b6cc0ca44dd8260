//! Leave-one-out residuals of ridge regression, in closed form.

use serde::{Serialize, Serializer};

use super::Evaluate;
use crate::data::{Dataset, Dense, Target};
use crate::error::{Error, Result};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;
use crate::kernel::Kernel;
use crate::learn::{Ridge, RidgeResiduals};

/// Predictions of ridge regression for each object from all others, without a separate fit for each.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeaveOneOut {
    /// y_i - f₋ᵢ(x_i): a row per object, a column per target. Classes are coded as targets ±1: one target for two
    /// classes, otherwise one per class. Serialised as a list for a single target, otherwise as a list of rows.
    #[serde(serialize_with = "rows")]
    pub residuals: Dense,
    /// The names of the columns: the target, or the classes.
    pub columns: Vec<String>,
    /// The root mean square of the residuals.
    pub rmse: f64,
    /// The share of objects whose class is predicted correctly from the others, where there are classes.
    pub accuracy: Option<f64>,
    /// Whether the kernel was fitted to all objects, including those left out. The residuals are then those of this
    /// kernel, not of one fitted without the object.
    pub kernel_saw_all: bool,
}

fn rows<S: Serializer>(residuals: &Dense, to: S) -> Result<S::Ok, S::Error> {
    match residuals.cols() {
        1 => to.collect_seq(residuals.values()),
        _ => to.collect_seq((0..residuals.rows()).map(|i| residuals.row(i))),
    }
}

impl Evaluate {
    /// The leave-one-out residuals of `ridge(…)` on data, from one factor of K + λI: see [`Ridge::leave_one_out`].
    ///
    /// Neither the kernel nor the learner may have ranges, and `landmarks` is an error: there is no closed form for it.
    /// Time O(n³), memory for three n × n matrices.
    ///
    /// ```
    /// use mercer::{data::{Dataset, Dense, Target}, gram::Engine, select::Evaluate};
    /// let x = Dense::from_rows(&[[1.0], [2.0]]);
    /// let data = Dataset::of_vectors(x).with_target("y", Target::Numbers(vec![3.0, 6.0]))?;
    /// let found = Evaluate::leave_one_out(&data, &"linear".parse()?, &"ridge(lambda=5)".parse()?, &Engine::new())?;
    /// // Without the first point w = 12 / 9, so that it is predicted as 4/3 and not as 3.
    /// assert!((found.residuals.at(0, 0) - (3.0 - 4.0 / 3.0)).abs() < 1e-12);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn leave_one_out(
        data: &Dataset,
        kernel: &Expression,
        learner: &Learner,
        engine: &Engine,
    ) -> Result<LeaveOneOut> {
        let ridge = ridge_of(learner)?;
        if !kernel.choices().is_empty() {
            let reason = "leave-one-out residuals are those of one kernel: ranges are for a search";
            return Err(Error::usage(reason));
        }
        if data.weights().is_some() {
            return Err(Error::usage("ridge does not support object weights: leave them out"));
        }
        engine.plan_matrices("a matrix, its factor and its inverse", data.len(), 3)?;
        let fitted = kernel.fit(data, engine)?;
        let gram = engine.gram(&fitted.kernel, data)?;
        let found = match data.target() {
            None => return Err(Error::usage("residuals need data with a target")),
            Some(Target::Numbers(y)) => ridge.residuals(&gram, y)?,
            Some(Target::Classes(classes)) => ridge.class_residuals(&gram, classes)?,
        };
        let RidgeResiduals { values: residuals, classes, accuracy } = found;
        let columns = match &classes[..] {
            [] => vec![data.target_name().unwrap_or("target").to_owned()],
            [_, second] => vec![second.clone()],
            all => all.to_vec(),
        };
        let count = residuals.values().len().max(1) as f64;
        let rmse = (residuals.values().iter().map(|r| r * r).sum::<f64>() / count).sqrt();
        let kernel_saw_all = !fitted.steps.is_empty() || fitted.kernel.is_transductive();
        Ok(LeaveOneOut { residuals, columns, rmse, accuracy, kernel_saw_all })
    }
}

/// The ridge regression that an expression describes, or the reason why it has no such residuals.
fn ridge_of(learner: &Learner) -> Result<Ridge> {
    let number = |name: &str| learner.setting(name).ok().and_then(|s| s.number());
    if learner.name() != "ridge" {
        let reason =
            format!("leave-one-out residuals in closed form are for ridge, not for {}", learner.name());
        return Err(Error::usage(reason));
    }
    let (Some(lambda), Some(landmarks)) = (number("lambda"), number("landmarks")) else {
        let reason = match learner.learns_lambda() {
            true => "a learned lambda has seen the object that is left out: give a number",
            false => "leave-one-out residuals are those of one lambda: ranges are for a search",
        };
        return Err(Error::usage(reason));
    };
    if landmarks > 0.0 {
        return Err(Error::usage("ridge on landmarks has no leave-one-out residuals in closed form"));
    }
    let intercept = learner.setting("intercept").ok().and_then(|s| s.word()) == Some("yes");
    Ok(Ridge::new(lambda).with_intercept(intercept))
}
