//! Gamma computed from the training vectors: `rbf(gamma=scale)`.

use super::columns::Scope;
use super::step::Step;
use super::tree::Call;
use crate::data::{Dataset, Vectors};
use crate::error::Result;
use crate::kernel::Domain;

/// The word a call sets gamma to, if it is not a number.
pub(super) fn word_of(call: &Call) -> Option<&str> {
    let at = call.entry.facts.parameters.iter().position(|p| matches!(p.domain, Domain::PositiveOr(_)))?;
    call.settings.get(at)?.word()
}

/// The gamma of a kernel on vectors: a given number, or computed from the training vectors.
///
/// A model stores it, because its support vectors may not be all training vectors.
pub(super) fn gamma(call: &Call, scope: &Scope<'_>) -> Result<f64> {
    let Some(word) = word_of(call) else { return call.number("gamma") };
    let gamma = match scope.fit.stored()? {
        None => of_columns(word, scope.data, &scope.suitable(call)?)?,
        Some(Step::Gamma { gamma }) => gamma,
        Some(other) => return Err(other.misplaced(call.entry.facts.name)),
    };
    scope.fit.record(Step::Gamma { gamma });
    Ok(gamma)
}

/// The gamma of a word on columns of the training objects.
pub(super) fn of_columns(word: &str, training: &Dataset, columns: &[String]) -> Result<f64> {
    Domain::Positive.check("gamma", of_vectors(word, &training.vectors(columns)?))
}

/// As in scikit-learn: `auto` is 1/d for d features, `scale` 1/(d·v) with the variance v of all entries of all vectors,
/// and 1 if they are all equal.
fn of_vectors(word: &str, x: &Vectors) -> f64 {
    let d = x.dim() as f64;
    if word == "auto" {
        return 1.0 / d;
    }
    let (stored, all) = match x {
        Vectors::Dense(x) => (x.values(), x.values().len() as f64),
        Vectors::Sparse(x) => (x.values(), x.rows() as f64 * d),
    };
    let mean = stored.iter().sum::<f64>() / all;
    let squares = stored.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
    let variance = (squares + (all - stored.len() as f64) * mean * mean) / all;
    if variance > 0.0 { 1.0 / (d * variance) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use crate::data::{Dataset, Dense, Sparse, Values};
    use crate::expression::{Expression, Matrices, Shared, Step};
    use crate::gram::Engine;

    fn objects() -> Dataset {
        let rows = [[0.0, 3.0], [1.0, 0.0], [2.0, 2.0], [4.0, 0.0], [9.0, 1.0], [0.0, 40.0]];
        Dataset::of_vectors(Dense::from_rows(&rows))
    }

    #[test]
    fn scale_and_auto_match_scikit_learn() {
        let engine = Engine::new();
        let of = |text: &str, data: &Dataset| {
            let steps = text.parse::<Expression>().unwrap().fit(data, &engine).unwrap().steps;
            match steps.last() {
                Some(Step::Gamma { gamma }) => *gamma,
                other => panic!("{other:?}"),
            }
        };
        let data = objects();
        // numpy: 1 / (2 * X.var())
        let expected = 1.0 / (2.0 * 116.30555555555559);
        assert!((of("rbf(gamma=scale)", &data) - expected).abs() < 1e-15);
        assert_eq!(of("laplacian(gamma=auto)", &data), 0.5);
        let sparse = Sparse::from_rows(
            2,
            &[
                vec![(1, 3.0)],
                vec![(0, 1.0)],
                vec![(0, 2.0), (1, 2.0)],
                vec![(0, 4.0)],
                vec![(0, 9.0), (1, 1.0)],
                vec![(1, 40.0)],
            ],
        );
        let sparse = data.with_columns(vec![crate::data::Column::new("x", Values::Sparse(sparse.unwrap()))]);
        assert!((of("polynomial(gamma=scale)", &sparse.unwrap()) - expected).abs() < 1e-15);
        assert_eq!(of("rbf(gamma=scale)", &Dataset::of_vectors(Dense::from_rows(&[[3.0], [3.0]]))), 1.0);
        // Standardised columns have variance 1.
        assert!((of("standardize(rbf(gamma=scale))", &data) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_split_takes_gamma_from_its_training_rows() {
        let (data, engine) = (objects(), Engine::new());
        let (train, test) = ([4, 0, 2, 1], [3, 5]);
        for kernel in ["rbf", "laplacian", "polynomial", "sigmoid", "chi2"] {
            for text in
                [format!("{kernel}(gamma=scale)"), format!("standardize({kernel}(gamma=scale)) + linear")]
            {
                if text.starts_with("standardize(chi2") {
                    continue;
                }
                let expression: Expression = text.parse().unwrap();
                assert!(expression.is_fitted());
                let mut matrices = Matrices::new(&data, &engine);
                matrices.prepare(std::slice::from_ref(&expression)).unwrap();
                let blocks = matrices.blocks(&expression, &train, &test, &mut Shared::default()).unwrap();
                let (training, new) = (data.select(&train), data.select(&test));
                let fitted = expression.fit(&training, &engine).unwrap();
                let gram = engine.gram(&fitted.kernel, &training).unwrap();
                let cross = engine.cross(&fitted.kernel, &new, &training).unwrap();
                let far = |a: &[f64], b: &[f64]| {
                    a.iter().zip(b).map(|(a, b)| (a - b).abs() / (1.0 + b.abs())).fold(0.0, f64::max)
                };
                assert!(far(blocks.train.values(), gram.values()) < 1e-12, "{text}");
                assert!(far(blocks.cross.values(), cross.values()) < 1e-12, "{text}");
            }
        }
    }

    #[test]
    fn gamma_is_stored_for_new_objects() {
        let (data, engine) = (objects(), Engine::new());
        let expression: Expression = "normalize(polynomial(gamma=scale, c=1, degree=2))".parse().unwrap();
        let fitted = expression.fit(&data, &engine).unwrap();
        let again = expression.restore(&data.select(&[1]), fitted.steps.clone(), &engine).unwrap();
        assert_eq!(engine.gram(&again.kernel, &data).unwrap(), engine.gram(&fitted.kernel, &data).unwrap());
    }
}
