//! Leave-one-out folds from one fit to all objects.

use super::configurations::{Fold, Search};
use crate::data::{Categories, Dense, Target};
use crate::error::{Error, Result};
use crate::expression::{Matrices, Plan, Shared, Training};
use crate::learn::Prediction;
use crate::select::Split;

impl Search<'_> {
    /// The folds of one configuration, each of which tests one object and trains on all others, where the learner has a
    /// way that takes less than a fit for each: see [`Learner::leave_one_out`](crate::expression::Learner::leave_one_out).
    ///
    /// The kernel must not be fitted to the training objects: without one of them it would be another kernel.
    pub(super) fn left_out(&self, tasks: &[(usize, &Split)]) -> Result<Option<Vec<Fold>>> {
        let n = self.data.len();
        let Some(&(configuration, _)) = tasks.first() else { return Ok(None) };
        let alone = |task: &(usize, &Split)| task.0 == configuration && is_left_out(task.1, n);
        if self.by_features || tasks.len() != n || !tasks.iter().all(alone) {
            return Ok(None);
        }
        let mut tested: Vec<usize> = tasks.iter().flat_map(|task| task.1.test.iter().copied()).collect();
        tested.sort_unstable();
        tested.dedup();
        let kernel = self.grid.kernel(configuration);
        let is_fitted = Plan::of(kernel, self.data)?.depends().is_fitted();
        if tested.len() != n || is_fitted || kernel.is_transductive() {
            return Ok(None);
        }
        let mut matrices = Matrices::new(self.data, &self.silent);
        matrices.prepare(std::slice::from_ref(kernel))?;
        let all: Vec<usize> = (0..n).collect();
        let gram = matrices.blocks(kernel, &all, &[], &mut Shared::default())?.train;
        let training = Training {
            target: Some(self.target()),
            weights: self.data.weights(),
            seed: self.seed_of(configuration),
            budget: self.engine.budget().clone(),
        };
        let learner = self.grid.learner(configuration);
        let found = self.engine.run(|| learner.leave_one_out(&gram, &training, self.engine.progress()));
        self.engine.budget().check()?;
        let found = match found {
            Ok(Some(found)) => found,
            Err(error @ (Error::Interrupted | Error::Time { .. })) => return Err(error),
            // Separate fits tell which object the error is about.
            Ok(None) | Err(_) => return Ok(None),
        };
        let fold = |task: &(usize, &Split)| {
            let i = task.1.test[0];
            Ok(Fold {
                test: vec![i],
                prediction: row(&found.prediction, i)?,
                converged: found.converged[i],
                no_margin: false,
                transductive: false,
            })
        };
        tasks.iter().map(fold).collect::<Result<Vec<_>>>().map(Some)
    }
}

/// Whether a split tests one of n objects and trains on all others.
fn is_left_out(split: &Split, n: usize) -> bool {
    match split.test[..] {
        [one] => {
            let mut train = split.train.clone();
            train.sort_unstable();
            train.dedup();
            train.len() + 1 == n && split.train.len() + 1 == n && train.binary_search(&one).is_err()
        }
        _ => false,
    }
}

/// The prediction for one object.
fn row(all: &Prediction, i: usize) -> Result<Prediction> {
    let target = all.target.as_ref().map(|target| match target {
        Target::Numbers(numbers) => Target::Numbers(vec![numbers[i]]),
        Target::Classes(classes) => {
            let code = classes.codes().get(i).copied().into_iter().collect();
            Target::Classes(Categories::from_codes(code, classes.levels().to_vec()))
        }
    });
    let values = all.decisions.row(i).to_vec();
    let decisions = Dense::new(1, values.len(), values)?;
    let deviations = all.deviations.as_ref().map(|d| vec![d[i]]);
    Ok(Prediction { target, decisions, columns: all.columns.clone(), probabilities: None, deviations })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Dataset, generate};
    use crate::gram::Engine;
    use crate::select::{Grid, Objects, Protocol, Score, Splits};

    /// Data with numbers: a sine with noise.
    fn wave() -> Dataset {
        let x: Vec<f64> = (0..40).map(|i| f64::from(i) / 5.0).collect();
        let y = x.iter().enumerate().map(|(i, v)| v.sin() + [0.1, -0.1, 0.05][i % 3]).collect();
        let data = Dataset::of_vectors(Dense::new(40, 1, x).unwrap());
        data.with_target("y", Target::Numbers(y)).unwrap()
    }

    #[test]
    fn one_fit_for_all_equals_separate_fits() {
        let moons = generate::half_moons(60, 0.3, 3).unwrap();
        let three = generate::balance1().unwrap();
        let three = three.select(&(0..three.len()).step_by(9).collect::<Vec<_>>());
        for (data, kernel, learner, is_quick) in [
            (&moons, "rbf(gamma=1)", "svc(C=10, tolerance=1e-7)", true),
            (&three, "rbf(gamma=0.1)", "svc(C=3, tolerance=1e-7)", true),
            (&three, "linear", "svc(scheme=one-versus-rest, tolerance=1e-7)", true),
            (&moons, "rbf(gamma=1)", "ridge(lambda=0.5, intercept=yes)", true),
            (&wave(), "rbf(gamma=1)", "svr(C=10, tolerance=1e-7)", true),
            (&wave(), "rbf(gamma=1)", "ridge(lambda=0.1)", true),
            // Fitted kernels, balanced weights and probabilities depend on the training objects.
            (&moons, "standardize(rbf(gamma=1))", "svc", false),
            (&moons, "rbf(gamma=1)", "svc(weights=balanced)", false),
            (&moons, "rbf(gamma=1)", "knn", false),
        ] {
            let grid = Grid::new(&kernel.parse().unwrap(), &learner.parse().unwrap()).unwrap();
            let score = if data.target().is_some_and(|t| matches!(t, Target::Numbers(_))) {
                Score::Rmse
            } else {
                Score::Accuracy
            };
            let engine = Engine::new();
            let search = Search::new(data, &grid, score, &engine, 1).unwrap();
            let protocol: Protocol = "leave-one-out".parse().unwrap();
            let splits: Vec<Split> =
                Splits::new(&protocol, &Objects::of(data).unwrap(), 1).unwrap().iter().collect();
            let tasks: Vec<(usize, &Split)> = splits.iter().map(|split| (0, split)).collect();
            assert_eq!(search.left_out(&tasks).unwrap().is_some(), is_quick, "{kernel} {learner}");
            for (fold, split) in search.folds(&tasks).unwrap().iter().zip(&splits) {
                let alone = search.fold(0, split).unwrap();
                assert_eq!((&fold.test, fold.converged), (&alone.test, alone.converged));
                assert_eq!(fold.prediction.columns, alone.prediction.columns);
                let (a, b) = (&fold.prediction, &alone.prediction);
                let close = |a: &f64, b: &f64| (a - b).abs() < 1e-4 * (1.0 + b.abs());
                assert!(a.decisions.values().iter().zip(b.decisions.values()).all(|(a, b)| close(a, b)));
                // An object on a boundary, as symmetric data has, may be in either class: a value of 0, or two equal ones.
                let mut values = b.decisions.values().to_vec();
                values.push(0.0);
                values.sort_by(f64::total_cmp);
                let clear = values.windows(2).all(|pair| pair[1] - pair[0] > 1e-3);
                match (a.numbers(), b.numbers()) {
                    (Some(a), Some(b)) => assert!(close(&a[0], &b[0]), "{a:?} {b:?}"),
                    _ => assert!(!clear || a.class(0) == b.class(0)),
                }
            }
            // Some of the folds, or folds of other sizes, are not leave-one-out.
            assert!(search.left_out(&tasks[1..]).unwrap().is_none());
        }
    }
}
