//! What wrappers learned from the training objects, in the order an expression is walked.
//!
//! A model keeps these instead of the training objects wherever it can. To add a fitted wrapper:
//!
//! 1. a variant of [`Step`] that holds what fitting found out, with its lines in `name`, `put` and `get`;
//! 2. in the wrapper's `make`, `scope.fit.stored()?`: `None` means fit now, a step means use what it holds, checked
//!    against the training objects at hand; then `scope.fit.record(step)` in both cases;
//! 3. if its kernel compares new objects with all training objects, `Make::Comparing` in the registry.

use serde_json::{Value, json};

use super::scaling::Scaling;
use crate::data::Dense;
use crate::error::{Code, Error, Result};
use crate::gram::{Extension, Method, RepairReport};
use crate::model::{Array, Container, Field};
use crate::read::text::shown;

/// What one fitted wrapper learned from the training objects.
///
/// ```
/// use mercer::{data::{Dataset, Dense}, expression::{Expression, Step}, gram::Engine, model::Container};
/// let data = Dataset::of_vectors(Dense::from_rows(&[[1.0], [2.0], [6.0]]));
/// let (engine, expression) = (Engine::new(), "center(linear)".parse::<Expression>()?);
/// let fitted = expression.fit(&data, &engine)?;
/// assert_eq!(fitted.steps, [Step::Center { grand_mean: 9.0 }]);
///
/// let mut file = Container::new(serde_json::Value::Null);
/// let document = fitted.steps[0].put(&mut file, "step0")?;
/// let step = Step::get(&file, "step0", &file.field(&document))?;
/// let again = expression.restore(&data, vec![step], &engine)?;
/// assert_eq!(engine.gram(&again.kernel, &data)?, engine.gram(&fitted.kernel, &data)?);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Step {
    /// `standardize` and `minmax`: the scale of each number column.
    Scaling(Scaling),
    /// `center`.
    Center {
        /// The mean similarity of two training objects.
        grand_mean: f64,
    },
    /// `repair`.
    Repair {
        /// How new objects are treated.
        extension: Extension,
        /// What was changed.
        report: RepairReport,
    },
}

impl Step {
    /// The name it has in files.
    pub fn name(&self) -> &'static str {
        match self {
            Step::Scaling(_) => "scaling",
            Step::Center { .. } => "center",
            Step::Repair { .. } => "repair",
        }
    }

    /// Keeps the step's arrays under a name; gives the part of the document that [`Step::get`] needs.
    pub fn put(&self, container: &mut Container, prefix: &str) -> Result<Value> {
        let mut document = match self {
            Step::Scaling(scaling) => scaling.put(container, prefix)?,
            Step::Center { grand_mean } => json!({"grand_mean": grand_mean}),
            Step::Repair { extension, report } => {
                let mut document = put_extension(extension, container, prefix)?;
                document["report"] = json!(report);
                document
            }
        };
        document["step"] = self.name().into();
        Ok(document)
    }

    /// The step kept under a name with that part of the document.
    ///
    /// Everything is checked but whether it fits the expression and the training objects, which
    /// [`Expression::restore`](super::Expression::restore) does.
    pub fn get(container: &Container, prefix: &str, field: &Field<'_>) -> Result<Step> {
        let name = field.get("step")?;
        match name.text()? {
            "scaling" => Scaling::get(container, prefix, field).map(Step::Scaling),
            "center" => Ok(Step::Center { grand_mean: field.get("grand_mean")?.number()? }),
            "repair" => {
                let report = get_report(&field.get("report")?)?;
                let extension = get_extension(container, prefix, field)?;
                let shifts = matches!(extension, Extension::Shift { .. });
                if shifts != (report.method == Method::Shift) {
                    return Err(field.fault(Code::ModelSyntax, "a repair by another method than its report"));
                }
                Ok(Step::Repair { extension, report })
            }
            other => {
                Err(name
                    .fault(Code::ModelSyntax, format!("{} is no step that this version knows", shown(other))))
            }
        }
    }

    /// The error of a stored step where the expression has another.
    pub(super) fn misplaced(&self, expected: &str) -> Error {
        Error::usage(format!("a stored step {} where the expression has {expected}", self.name()))
    }
}

fn put_extension(extension: &Extension, container: &mut Container, prefix: &str) -> Result<Value> {
    match extension {
        Extension::Shift { n, amount } => Ok(json!({"objects": n, "shift": amount})),
        Extension::Project { values, mapped, vectors, identity } => {
            container.insert(format!("{prefix}/values"), Array::list(values.clone()))?;
            container.insert(format!("{prefix}/mapped"), Array::list(mapped.clone()))?;
            let shape = [vectors.rows(), vectors.cols()];
            container.insert(format!("{prefix}/vectors"), Array::new(&shape, vectors.values().to_vec())?)?;
            Ok(json!({"objects": vectors.cols(), "identity": identity}))
        }
    }
}

fn get_extension(container: &Container, prefix: &str, field: &Field<'_>) -> Result<Extension> {
    let n = field.get("objects")?.count()?;
    if let Some(shift) = field.find("shift")? {
        let amount = shift.number()?;
        if amount < 0.0 {
            return Err(shift.fault(Code::ModelSyntax, "a shift below 0"));
        }
        return Ok(Extension::Shift { n, amount });
    }
    let values = container.finite(&format!("{prefix}/values"))?;
    let mapped = container.finite_of(&format!("{prefix}/mapped"), values.len())?;
    let fault = |code, reason: String| Err(field.fault(code, reason));
    if let Some(at) = values.iter().zip(mapped).position(|(v, f)| *v == 0.0 || *f <= 0.0) {
        return fault(Code::ModelSyntax, format!("eigenvalue {} is no part of a repair", at + 1));
    }
    let vectors: Dense = container.matrix(&format!("{prefix}/vectors"))?;
    // Without eigenvectors nothing backs their length, and nothing is allocated for it either.
    if vectors.rows() != values.len() || vectors.cols() != n {
        let found = format!("{} × {}", vectors.rows(), vectors.cols());
        let reason = format!("eigenvectors of shape {found} where {} × {n} are needed", values.len());
        return fault(Code::ModelCount, reason);
    }
    let identity = field.get("identity")?.flag()?;
    Ok(Extension::Project { values: values.to_vec(), mapped: mapped.to_vec(), vectors, identity })
}

fn get_report(field: &Field<'_>) -> Result<RepairReport> {
    let method = field.get("method")?;
    let known = serde_json::from_value::<Method>(method.value().clone()).ok();
    let valid = known.filter(|m| !matches!(m, Method::Diffuse { beta } if *beta <= 0.0));
    // A size beyond a double is written as null.
    let number = |key: &str, beyond: f64| match field.find(key)? {
        Some(number) => number.number(),
        None => Ok(beyond),
    };
    Ok(RepairReport {
        method: valid.ok_or_else(|| method.fault(Code::ModelSyntax, "no method of repair"))?,
        negative: field.get("negative")?.count()?,
        lambda_min: number("lambda_min", f64::NEG_INFINITY)?,
        lambda_max: number("lambda_max", f64::INFINITY)?,
        negative_share: number("negative_share", 1.0)?,
        relative_change: number("relative_change", f64::INFINITY)?,
    })
}

#[cfg(test)]
mod tests;
