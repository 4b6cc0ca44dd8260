//! The wrapper `nystrom`: low-rank approximation by landmarks.

use std::collections::HashSet;

use super::columns::{Scope, inner_of};
use super::step::Step;
use super::tree::{Call, Expression};
use crate::data::Dataset;
use crate::error::{Error, Result, Warning};
use crate::gram::Landmarks;
use crate::kernel::{Boxed, NYSTROM, Nystrom, NystromSettings};

/// Missing share of the trace above which a warning is given.
const COARSE: f64 = 0.1;

/// Makes the kernel.
pub(super) fn nystrom(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let way = call.word("landmarks")?;
    let settings = NystromSettings {
        rank: call.get("rank")?,
        landmarks: Landmarks::named(way).ok_or_else(|| Error::param("landmarks", way, "a known method"))?,
        seed: call.get("seed")?,
    };
    let inner = scope.inner(call)?;
    let engine = scope.fit.engine;
    let (kernel, objects) = match scope.fit.stored()? {
        None => {
            let set = engine.prepare(&inner, scope.data)?;
            let kernel = Nystrom::fit(inner, &set, settings, engine)?;
            let objects = kept(call, scope, kernel.landmark_indices())?;
            if kernel.error() > COARSE {
                let message = format!(
                    "nystrom: rank {} misses {:.0} % of the kernel's trace; a larger rank, or landmarks=random-pivots, misses less",
                    kernel.map().cols(),
                    100.0 * kernel.error()
                );
                scope.fit.warn(Warning::new("W_APPROXIMATE", message));
            }
            (kernel, objects)
        }
        Some(Step::Landmarks { objects, map, error }) => {
            // Without columns, only the map determines the number of objects.
            let objects = if objects.columns().is_empty() {
                crate::container::objects(Vec::new(), map.rows())?
            } else {
                objects
            };
            let landmarks = engine.prepare(&inner, &objects)?;
            (Nystrom::restore(inner, landmarks, map, error, settings)?, objects)
        }
        Some(other) => return Err(other.misplaced(NYSTROM.name)),
    };
    let (map, error) = (kernel.map().clone(), kernel.error());
    scope.fit.record(Step::Landmarks { objects, map, error });
    Ok(Boxed::new(kernel))
}

/// The landmarks, with only the columns the kernel uses.
fn kept(call: &Call, scope: &Scope<'_>, chosen: &[usize]) -> Result<Dataset> {
    let used = inner_of(call)?.columns_used_within(scope.data, scope.columns)?;
    let used: HashSet<&str> = used.iter().map(String::as_str).collect();
    let columns = scope.data.columns().iter().filter(|c| used.contains(c.name.as_str()));
    let columns = columns.map(|c| crate::data::Column::new(&c.name, c.values.select(chosen)));
    crate::container::objects(columns.collect(), chosen.len())
}

impl Expression {
    /// The expression with every approximation replaced by the exact kernel; `None` if there is none.
    ///
    /// ```
    /// # use mercer::expression::Expression;
    /// let exact = |text: &str| text.parse::<Expression>().ok()?.exact().map(|e| e.to_string());
    /// assert_eq!(exact("standardize(nystrom(rbf(gamma=2), rank=10))").unwrap(), "standardize(rbf(gamma=2))");
    /// assert_eq!(exact("fourier(gamma=2, features=10)").unwrap(), "rbf(gamma=2)");
    /// assert!(exact("rbf(gamma=2)").is_none());
    /// ```
    pub fn exact(&self) -> Option<Expression> {
        let mut out = self.clone();
        out.replace_approximations().then_some(out)
    }

    fn replace_approximations(&mut self) -> bool {
        match self {
            Expression::Sum(parts) | Expression::Product(parts) => {
                parts.iter_mut().fold(false, |any, part| part.replace_approximations() | any)
            }
            Expression::Scale(_, inner) | Expression::Group(inner, _) => inner.replace_approximations(),
            Expression::Call(call) => {
                let Some(exact) = call.entry.approximates else {
                    return call.inner.iter_mut().fold(false, |any, k| k.replace_approximations() | any);
                };
                let replacement = exact(call);
                let Some(mut replacement) = replacement else { return false };
                replacement.replace_approximations();
                let columns = call.columns.take();
                *self = match columns {
                    Some(columns) => Expression::Group(Box::new(replacement), columns),
                    None => replacement,
                };
                true
            }
        }
    }
}
