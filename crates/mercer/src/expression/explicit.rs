//! The wrapper `explicit`: a kernel computed by its explicit features.

use serde_json::json;

use super::columns::{Scope, inner_of};
use super::features::FeatureTable;
use super::step::Step;
use super::tree::{Call, Expression};
use crate::container::{Field, Get, Put, Stored};
use crate::data::Dataset;
use crate::error::{Code, Result};
use crate::kernel::{Boxed, EXPLICIT, ExplicitFeatures, FeatureColumns, FeatureKey};

/// Makes the kernel.
pub(super) fn explicit(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let inner = scope.inner(call)?;
    let kernel = match scope.fit.stored()? {
        None => {
            let set = scope.fit.engine.prepare(&inner, scope.data)?;
            ExplicitFeatures::fit(inner, &set)?
        }
        Some(Step::Features(columns)) => ExplicitFeatures::restore(inner, columns),
        Some(other) => return Err(other.misplaced(EXPLICIT.name)),
    };
    scope.fit.record(Step::Features(kernel.columns().to_vec()));
    Ok(Boxed::new(kernel))
}

/// Its features are those of the kernel inside.
pub(super) fn table(call: &Call, scope: &Scope<'_>) -> Result<FeatureTable> {
    inner_of(call)?.table(scope)
}

impl Expression {
    /// Whether the expression requests explicit features, which learners then use instead of similarities if they can.
    pub(crate) fn writes_features(&self) -> bool {
        match self {
            Expression::Call(call) => {
                call.entry.asks_for_features || call.inner.iter().any(Expression::writes_features)
            }
            Expression::Group(inner, _) | Expression::Scale(_, inner) => inner.writes_features(),
            Expression::Sum(_) | Expression::Product(_) => false,
        }
    }
}

/// The column of a feature in the rows that linear models are fitted to, if it has one.
pub(crate) fn column_of(steps: &[Step], key: FeatureKey) -> Option<usize> {
    let explicit = steps.iter().find_map(|step| match step {
        Step::Features(columns) => Some(columns),
        _ => None,
    });
    let Some(columns) = explicit else { return usize::try_from(key.feature).ok().filter(|_| key.part == 0) };
    let start: usize = columns.iter().take(key.part).map(FeatureColumns::len).sum();
    let within = match columns.get(key.part)? {
        FeatureColumns::Given(dim) => usize::try_from(key.feature).ok().filter(|at| at < dim)?,
        FeatureColumns::Counted(hashes) => hashes.binary_search(&key.feature).ok()?,
    };
    Some(start + within)
}

/// The halves of the hashes of part i are the array `i`.
impl Stored for Vec<FeatureColumns> {
    fn put(&self, put: &mut Put<'_>) -> Result<()> {
        let mut parts = Vec::with_capacity(self.len());
        for (at, part) in self.iter().enumerate() {
            parts.push(match part {
                FeatureColumns::Given(dim) => json!({"given": dim}),
                FeatureColumns::Counted(hashes) => {
                    let halves = hashes.iter().flat_map(|h| [(h >> 64) as u64, *h as u64]);
                    put.u64s(&at.to_string(), halves)?;
                    json!({"counted": hashes.len()})
                }
            });
        }
        put.say("parts", parts)
    }

    fn get(get: &Get<'_>) -> Result<Self> {
        let read = |(at, part): (usize, Field<'_>)| {
            if let Some(dim) = part.find("given")? {
                return Ok(FeatureColumns::Given(dim.count()?));
            }
            let wanted = part.get("counted")?.count()?;
            let words = get.u64s(&at.to_string())?;
            let whole = |pair: &[u64]| u128::from(pair[0]) << 64 | u128::from(pair[1]);
            let hashes: Vec<u128> = words.chunks_exact(2).map(whole).collect();
            if words.len() % 2 != 0 || hashes.len() != wanted {
                let reason = format!("{wanted} features in {} words", words.len());
                return Err(part.fault(Code::ModelCount, reason));
            }
            match hashes.is_sorted_by(|a, b| a < b) {
                true => Ok(FeatureColumns::Counted(hashes)),
                false => Err(part.fault(Code::ModelSyntax, "features are not in ascending order")),
            }
        };
        get.field.get("parts")?.items()?.into_iter().enumerate().map(read).collect()
    }
}

#[cfg(test)]
mod tests {
    use crate::data::{Column, Dataset, Dense, Values};
    use crate::expression::{Expression, LinearRows};
    use crate::gram::Engine;

    const WORDS: [&str; 6] = ["abracadabra", "cadabra", "", "bananas", "band", "cab"];

    #[test]
    fn records_of_strings_and_numbers() {
        let engine = Engine::new();
        let data = |which: std::ops::Range<usize>| {
            let numbers: Vec<f64> = which.clone().flat_map(|i| [i as f64, 1.0 - i as f64]).collect();
            let strings = WORDS[which.clone()].iter().map(|w| Some((*w).to_owned())).collect();
            Dataset::new(vec![
                Column::new("word", Values::Strings(strings)),
                Column::new("x", Values::Numbers(Dense::new(which.len(), 2, numbers).unwrap())),
            ])
            .unwrap()
        };
        let inner = "normalize(spectrum(k=2))@word + 0.5*linear@x";
        let (train, new) = (data(0..4), data(4..6));
        let exact = inner.parse::<Expression>().unwrap().fit(&train, &engine).unwrap();
        let expression: Expression = format!("explicit({inner})").parse().unwrap();
        let fitted = expression.fit(&train, &engine).unwrap();
        let restored = expression.restore(&train, fitted.steps.clone(), &engine).unwrap();
        for kernel in [&fitted.kernel, &restored.kernel] {
            let want = engine.cross(&exact.kernel, &new, &train).unwrap();
            let found = engine.cross(kernel, &new, &train).unwrap();
            assert!(found.values().iter().zip(want.values()).all(|(a, b)| (a - b).abs() < 1e-13));
            let rows = LinearRows::of(&expression, kernel, &new, &engine).unwrap();
            // The 2-mers of the first four strings, and two numbers.
            assert_eq!((rows.get().unwrap().len(), rows.get().unwrap().dim()), (2, 7 + 4 + 2));
        }
        // Steps of other columns are refused.
        let other = Expression::fit(&"explicit(linear@x)".parse().unwrap(), &train, &engine).unwrap();
        let misfit = expression.restore(&train, other.steps, &engine).unwrap();
        assert!(engine.prepare(&misfit.kernel, &new).is_err());
    }
}
