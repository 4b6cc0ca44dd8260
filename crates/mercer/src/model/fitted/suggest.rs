//! Which object to measure next: candidates ranked by what a Gaussian process expects of them.

use super::Model;
use crate::budget;
use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::model::align::align;
use crate::numeric::{normal_density, normal_probability};

/// What makes a candidate worth measuring. μ is the mean and σ the standard deviation of the function at the candidate,
/// without the noise of an observation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Acquisition {
    /// How much it is expected to exceed the best: (μ - b)·Φ(z) + σ·φ(z), z = (μ - b) / σ.
    ExpectedImprovement,
    /// μ + beta·σ; for the least μ - beta·σ.
    ConfidenceBound {
        /// How much uncertainty counts, at least 0.
        beta: f64,
    },
    /// σ²: what is known least, whatever its value.
    Variance,
}

impl Acquisition {
    /// Its name: `expected-improvement`, `confidence-bound`, `variance`.
    pub fn name(self) -> &'static str {
        match self {
            Acquisition::ExpectedImprovement => "expected-improvement",
            Acquisition::ConfidenceBound { .. } => "confidence-bound",
            Acquisition::Variance => "variance",
        }
    }
}

/// Which values are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// The largest.
    Largest,
    /// The smallest.
    Smallest,
}

/// How candidates are chosen.
///
/// ```
/// use mercer::{data::{Dataset, Dense, Target}, gram::Engine, model::{Goal, Model, Suggest}};
/// let x: Vec<f64> = (0..12).map(|i| f64::from(i) / 2.0).collect();
/// let y = x.iter().map(|x| (x - 2.2) * (2.2 - x)).collect();
/// let data = Dataset::of_vectors(Dense::new(12, 1, x)?).with_target("yield", Target::Numbers(y))?;
/// let engine = Engine::new();
/// let model = Model::fit(&data, &"rbf".parse()?, &"gp".parse()?, 0, &engine)?;
/// let candidates = Dataset::of_vectors(Dense::from_rows(&[[0.3], [2.2], [5.4]]));
/// let found = model.suggest(&candidates, &Suggest::new(Goal::Largest), &engine)?;
/// assert_eq!(found[0].index, 1); // the object at the maximum of the curve
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// J. Močkus, *On Bayesian methods for seeking the extremum*, 1975; N. Srinivas, A. Krause, S. Kakade and M. Seeger,
/// *Gaussian process optimization in the bandit setting*, 2010; D. Ginsbourger, R. Le Riche and L. Carraro, *Kriging is
/// well-suited to parallelize optimization*, 2010.
#[derive(Clone, Debug, PartialEq)]
pub struct Suggest {
    /// Which values are wanted; without meaning for the variance.
    pub goal: Goal,
    /// What candidates are ranked by.
    pub by: Acquisition,
    /// How many candidates to choose together; `None` ranks all of them, each by itself.
    ///
    /// A batch is chosen one by one, and after each choice the model is told that it found there what it expects: similar
    /// candidates then have little variance left, and others follow. For [`Acquisition::Variance`] this is the greedy
    /// choice of the largest determinant of the batch's covariance.
    pub batch: Option<usize>,
    /// The value to exceed; `None` for the best mean at the training objects.
    pub best: Option<f64>,
}

impl Suggest {
    /// All candidates, ranked by expected improvement.
    pub fn new(goal: Goal) -> Self {
        Suggest { goal, by: Acquisition::ExpectedImprovement, batch: None, best: None }
    }
}

/// A candidate, the best first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Suggestion {
    /// Its index among the candidates.
    pub index: usize,
    /// Its value by the acquisition, at the time it was chosen.
    pub score: f64,
    /// The mean that the model predicts.
    pub mean: f64,
    /// The standard deviation of the function there, without noise, as the model has it without the rest of the batch.
    pub deviation: f64,
}

impl Model {
    /// Ranks candidates for the next measurement; the model must be of `gp`.
    ///
    /// Equal scores keep the order of the candidates. Time O(n² m) for m candidates and n training objects, memory for two
    /// m × n matrices where a batch is chosen; each choice of a batch costs n·m more. With landmarks, or r pivots of
    /// conjugate gradients, n² becomes n·r, and a landmark model compares with its best landmark, not its best object:
    /// [`Suggest::best`] says what to exceed.
    pub fn suggest(&self, candidates: &Dataset, how: &Suggest, engine: &Engine) -> Result<Vec<Suggestion>> {
        let Some(gp) = self.trained.process() else {
            let name = self.learner.name();
            let reason = match self.target.as_ref().is_some_and(|t| t.classes) {
                true => format!(
                    "{name} predicts classes: candidates are ranked by numbers with a variance, which gp predicts"
                ),
                false => format!("{name} predicts no variance, which candidates are ranked by: gp does"),
            };
            return Err(Error::usage(reason));
        };
        if let Acquisition::ConfidenceBound { beta } = how.by
            && !(beta.is_finite() && beta >= 0.0)
        {
            return Err(Error::param("beta", beta, "a finite number of at least 0"));
        }
        if let Some(best) = how.best
            && !best.is_finite()
        {
            return Err(Error::param("best", best, "a finite number"));
        }
        if candidates.is_empty() {
            return Err(Error::usage("there are no candidates"));
        }
        if how.batch == Some(0) {
            return Err(Error::param("batch", 0, "at least 1"));
        }
        if self.is_transductive() {
            return Err(Error::usage(
                "the kernel was fitted to all objects that it can compare: it has no candidates besides them",
            ));
        }
        let sign = match how.goal {
            Goal::Largest => 1.0,
            Goal::Smallest => -1.0,
        };
        let best = match (how.best, how.by) {
            (Some(best), _) => sign * best,
            (None, Acquisition::ExpectedImprovement) => self.best_mean(sign, engine)?,
            (None, _) => 0.0,
        };
        let prediction = self.predict(candidates, engine)?;
        let (Some(Target::Numbers(means)), Some(deviations)) = (prediction.target, prediction.deviations)
        else {
            return Err(Error::usage("the model predicts no variance"));
        };
        let noise = gp.noise();
        let mut variances: Vec<f64> = deviations.iter().map(|d| (d * d - noise).max(0.0)).collect();
        let alone: Vec<f64> = variances.iter().map(|v| v.sqrt()).collect();
        let of = |index: usize, variance: f64| Suggestion {
            index,
            score: score(how.by, sign, means[index], variance, best),
            mean: means[index],
            deviation: alone[index],
        };
        let rank = |index: usize, variance: f64| comparable(how.by, sign, means[index], variance, best);
        let Some(batch) = how.batch else {
            let mut order: Vec<usize> = (0..means.len()).collect();
            // Stable.
            order.sort_by(|&a, &b| rank(b, variances[b]).total_cmp(&rank(a, variances[a])));
            return Ok(order.into_iter().map(|i| of(i, variances[i])).collect());
        };
        let (m, n) = (means.len(), self.support.len());
        budget::ask("the similarities of the candidates", budget::matrix_bytes(m, n, size_of::<f64>()))?;
        let all: Vec<usize> = (0..m).collect();
        let objects = align(&self.kept, candidates, &all)?;
        let quiet = engine.clone().with_progress(std::sync::Arc::new(crate::gram::Silent));
        let set = quiet.prepare(&self.kernel, &objects)?;
        let explained = {
            let cross = quiet.cross_of(&self.kernel, &set, self.prepared(&quiet)?)?;
            quiet.run(|| gp.explained(&cross))?
        };
        let mut taken = vec![false; m];
        // Of each choice so far the column of a Cholesky factor of the candidates' covariance.
        let mut columns: Vec<Vec<f64>> = Vec::new();
        let mut out: Vec<Suggestion> = Vec::new();
        while out.len() < batch.min(m) {
            engine.budget().check()?;
            let mut first = None;
            for i in (0..m).filter(|&i| !taken[i]) {
                let here = rank(i, variances[i]);
                if first.is_none_or(|(_, known)| here > known) {
                    first = Some((i, here));
                }
            }
            let Some((chosen, _)) = first else { break };
            taken[chosen] = true;
            out.push(of(chosen, variances[chosen]));
            if out.len() == batch.min(m) {
                break;
            }
            let one = align(&self.kept, candidates, &[chosen])?;
            let near = quiet.cross_of(&self.kernel, &set, &quiet.prepare(&self.kernel, &one)?)?;
            let near: Vec<f64> = (0..m).map(|i| near.at(i, 0)).collect();
            let mut column = quiet.run(|| explained.covariances_with(chosen, &near))?;
            for known in &columns {
                let factor = known[chosen];
                column.iter_mut().zip(known).for_each(|(c, k)| *c -= factor * k);
            }
            let size = (variances[chosen] + noise + gp.jitter()).sqrt();
            if size > 0.0 {
                column.iter_mut().for_each(|c| *c /= size);
                variances.iter_mut().zip(&column).for_each(|(v, c)| *v = (*v - c * c).max(0.0));
                columns.push(column);
            }
        }
        Ok(out)
    }

    /// The best mean at the training objects: noise would make the best observation look better than its object is.
    fn best_mean(&self, sign: f64, engine: &Engine) -> Result<f64> {
        let known = self.predict(&self.kept.select(&self.support), engine)?;
        let means = known.numbers().unwrap_or_default().iter().map(|mean| sign * mean);
        Ok(means.fold(f64::NEG_INFINITY, f64::max))
    }
}

/// The value of the acquisition for a candidate; `best` and means count as largest.
fn score(by: Acquisition, sign: f64, mean: f64, variance: f64, best: f64) -> f64 {
    let deviation = variance.sqrt();
    match by {
        Acquisition::ExpectedImprovement => {
            let gain = sign * mean - best;
            if deviation == 0.0 {
                return gain.max(0.0);
            }
            let z = gain / deviation;
            (gain * normal_probability(z) + deviation * normal_density(z)).max(0.0)
        }
        Acquisition::ConfidenceBound { beta } => mean + sign * beta * deviation,
        Acquisition::Variance => variance,
    }
}

/// The same as a number by which candidates are compared: expected improvements far below the best would all be 0.
fn comparable(by: Acquisition, sign: f64, mean: f64, variance: f64, best: f64) -> f64 {
    match by {
        Acquisition::ExpectedImprovement => {
            let (deviation, gain) = (variance.sqrt(), sign * mean - best);
            match deviation > 0.0 {
                true if gain / deviation < -20.0 => {
                    let z = gain / deviation;
                    // φ(z) + z·Φ(z) is φ(z) / z² to the first order.
                    deviation.ln() - 0.5 * z * z - 2.0 * (-z).ln() - 0.5 * (2.0 * std::f64::consts::PI).ln()
                }
                _ => score(by, sign, mean, variance, best).ln(),
            }
        }
        Acquisition::ConfidenceBound { .. } => sign * score(by, sign, mean, variance, best),
        Acquisition::Variance => variance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dense;
    use crate::learn::GpModel;
    use crate::random::Random;

    fn model(learner: &str) -> (Model, Dataset) {
        let mut random = Random::new(6);
        let x: Vec<f64> = (0..30).map(|_| 4.0 * random.unit()).collect();
        let y = x.iter().map(|x| (2.0 * x).sin() + 0.05 * random.normal()).collect();
        let data = Dataset::of_vectors(Dense::new(30, 1, x).unwrap());
        let data = data.with_target("y", Target::Numbers(y)).unwrap();
        let engine = Engine::new();
        let model =
            Model::fit(&data, &"rbf(gamma=1.5)".parse().unwrap(), &learner.parse().unwrap(), 0, &engine);
        let candidates: Vec<f64> = (0..60).map(|i| f64::from(i) / 10.0).collect();
        (model.unwrap(), Dataset::of_vectors(Dense::new(60, 1, candidates).unwrap()))
    }

    fn of(goal: Goal, by: Acquisition, batch: Option<usize>) -> Suggest {
        Suggest { goal, by, batch, best: None }
    }

    #[test]
    fn candidates_are_ranked_by_the_formula() {
        let ((model, candidates), engine) = (model("gp"), Engine::new());
        let prediction = model.predict(&candidates, &engine).unwrap();
        let noise = model.trained().process().unwrap().noise();
        let (means, deviations) = (prediction.numbers().unwrap(), prediction.deviations.as_ref().unwrap());
        for goal in [Goal::Largest, Goal::Smallest] {
            for by in [
                Acquisition::ExpectedImprovement,
                Acquisition::ConfidenceBound { beta: 1.5 },
                Acquisition::Variance,
            ] {
                let found = model.suggest(&candidates, &of(goal, by, None), &engine).unwrap();
                assert_eq!(found.len(), 60);
                let mut indices: Vec<usize> = found.iter().map(|s| s.index).collect();
                indices.sort_unstable();
                assert_eq!(indices, (0..60).collect::<Vec<_>>());
                let wanted = |s: &Suggestion| match (by, goal) {
                    (Acquisition::ConfidenceBound { .. }, Goal::Smallest) => -s.score,
                    _ => s.score,
                };
                assert!(found.windows(2).all(|w| wanted(&w[0]) >= wanted(&w[1])), "{found:?}");
                for s in &found {
                    let deviation = (deviations[s.index].powi(2) - noise).max(0.0).sqrt();
                    assert!((s.deviation - deviation).abs() < 1e-12 && s.mean == means[s.index]);
                }
            }
        }
        // Far from the data nothing is known; the maximum of the sine within them is at π / 4.
        let variance = model.suggest(&candidates, &of(Goal::Largest, Acquisition::Variance, None), &engine);
        assert_eq!(variance.unwrap()[0].index, 59);
        let how = Suggest {
            best: Some(0.0),
            ..of(Goal::Largest, Acquisition::ConfidenceBound { beta: 0.0 }, None)
        };
        let greedy = model.suggest(&candidates, &how, &engine).unwrap();
        assert!((greedy[0].index as f64 / 10.0 - 0.785).abs() < 0.25, "{:?}", greedy[0]);
    }

    /// Expected improvement by quadrature over the normal distribution.
    #[test]
    fn expected_improvement_is_a_mean() {
        for (mean, variance, best) in [(0.3, 0.5, 0.1), (-1.0, 0.2, 0.4), (2.0, 1e-4, 1.0)] {
            let deviation: f64 = f64::sqrt(variance);
            let (mut sum, mut total) = (0.0, 0.0);
            for k in -80_000..=80_000 {
                let z = 1e-4 * f64::from(k);
                let weight = (-0.5 * z * z).exp();
                sum += weight * (mean + deviation * z - best).max(0.0);
                total += weight;
            }
            let found = score(Acquisition::ExpectedImprovement, 1.0, mean, variance, best);
            assert!((found - sum / total).abs() < 1e-7, "{found} {}", sum / total);
            let least = score(Acquisition::ExpectedImprovement, -1.0, -mean, variance, best);
            assert!((least - found).abs() < 1e-15);
        }
        // The logarithm far below goes on where the value is 0.
        let at = |z: f64| comparable(Acquisition::ExpectedImprovement, 1.0, z, 1.0, 0.0);
        assert!((at(-20.0 - 1e-9) - at(-20.0 + 1e-9)).abs() < 0.02);
        assert!(at(-50.0) < at(-45.0) && at(-45.0).is_finite());
    }

    /// After each choice, the rest is ranked by a model that saw what it expects there.
    #[test]
    fn a_batch_conditions_on_what_it_expects() {
        let ((model, candidates), engine) = (model("gp(noise=0.01, scale=1)"), Engine::new());
        for by in [Acquisition::ExpectedImprovement, Acquisition::Variance] {
            let found = model.suggest(&candidates, &of(Goal::Largest, by, Some(4)), &engine).unwrap();
            let alone = model.suggest(&candidates, &of(Goal::Largest, by, None), &engine).unwrap();
            assert_eq!((found.len(), found[0]), (4, alone[0]));
            assert_ne!(found[1].index, alone[1].index, "the second is like the first");
            // The same by fitting again with the expected value as an observation, for a kernel without a constant.
            let gp = model.trained().model_as::<GpModel>().unwrap();
            let training = model.stored_objects();
            let x = training.vectors(&["x".to_owned()]).unwrap().to_dense();
            let y: Vec<f64> = model.predict(training, &engine).unwrap().numbers().unwrap().to_vec();
            let targets: Vec<f64> = y.iter().zip(gp.alpha()).map(|(m, a)| m + 0.01 * a).collect();
            let (mut rows, mut values) = (x.values().to_vec(), targets);
            for s in &found[..3] {
                rows.push(s.index as f64 / 10.0);
                values.push(s.mean);
            }
            let more = Dataset::of_vectors(Dense::new(values.len(), 1, rows).unwrap());
            let more = more.with_target("y", Target::Numbers(values)).unwrap();
            let again = Model::fit(&more, model.expression(), model.learner(), 0, &engine).unwrap();
            let last = again.suggest(&candidates, &of(Goal::Largest, by, None), &engine).unwrap();
            if by == Acquisition::Variance {
                assert_eq!(last[0].index, found[3].index);
                assert!((last[0].score - found[3].score).abs() < 1e-9, "{last:?} {found:?}");
            }
        }
        let all = model.suggest(&candidates, &of(Goal::Smallest, Acquisition::Variance, Some(1000)), &engine);
        assert_eq!(all.unwrap().len(), 60);
    }

    /// All 30 objects as landmarks or as pivots, which is the exact process but for rounding and a jitter of the landmarks.
    #[test]
    fn models_of_many_objects_rank_as_the_exact_one() {
        let ((exact, candidates), engine) = (model("gp(noise=0.01, scale=1)"), Engine::new());
        for many in ["gp(noise=0.01, scale=1, landmarks=29)", "gp(noise=0.01, scale=1, solver=cg)"] {
            let (many, _) = model(many);
            for by in [Acquisition::ConfidenceBound { beta: 2.0 }, Acquisition::Variance] {
                let how = of(Goal::Largest, by, Some(5));
                let wanted = exact.suggest(&candidates, &how, &engine).unwrap();
                let found = many.suggest(&candidates, &how, &engine).unwrap();
                for (a, b) in wanted.iter().zip(&found) {
                    assert_eq!(a.index, b.index, "{wanted:?} {found:?}");
                    assert!((a.deviation - b.deviation).abs() < 2e-3, "{a:?} {b:?}");
                }
            }
        }
    }

    #[test]
    fn bad_input_is_refused() {
        let ((gp, candidates), engine) = (model("gp"), Engine::new());
        let how = Suggest::new(Goal::Largest);
        let (svr, _) = model("svr");
        let error = svr.suggest(&candidates, &how, &engine).unwrap_err().to_string();
        assert!(error.contains("svr predicts no variance") && error.contains("gp"), "{error}");
        let none = candidates.select(&[]);
        assert!(gp.suggest(&none, &how, &engine).unwrap_err().to_string().contains("no candidates"));
        let nan = Dataset::of_vectors(Dense::new(2, 1, vec![1.0, f64::NAN]).unwrap());
        assert!(gp.suggest(&nan, &how, &engine).is_err());
        for wrong in [
            Suggest { batch: Some(0), ..how.clone() },
            Suggest { best: Some(f64::NAN), ..how.clone() },
            Suggest { by: Acquisition::ConfidenceBound { beta: -1.0 }, ..how.clone() },
        ] {
            assert!(gp.suggest(&candidates, &wrong, &engine).is_err(), "{wrong:?}");
        }
    }
}
