//! Fitting the best candidate to the data.

use std::time::Instant;

use super::report::AutoReport;
use super::split;
use crate::budget;
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;
use crate::model::Model;
use crate::select::{Evaluate, Search, TestReport};

/// The final model.
#[derive(Debug)]
pub struct Refit {
    /// The model.
    pub model: Model,
    /// The number of objects it was fitted to.
    pub objects: usize,
    /// Parameters whose chosen value is the smallest or largest of its range: a wider range may score higher.
    pub edges: Vec<String>,
    /// The reason why it was not fitted to all objects, if it was not.
    pub why: Option<String>,
    /// The reason why it approximates the best candidate's kernel, if it does.
    pub approximate: Option<String>,
}

/// The number of landmarks of an approximate kernel.
const RANK: usize = 1000;

impl AutoReport {
    /// Chooses the parameters of the best candidate on all searched objects, by the inner protocol, and fits it to all
    /// objects. The data must be that of the report. Objects of a predefined test set are not used.
    ///
    /// Where that would take more time than is left, it is fitted to as many objects as time allows, at least those
    /// searched. Where it would take more memory than there is, the kernel is approximated by `nystrom`.
    pub fn refit(&self, data: &Dataset, engine: &Engine) -> Result<Refit> {
        let best = self.trials.first().ok_or_else(|| Error::usage("nothing was tried"))?;
        let data = split::training(data);
        let data = data.as_ref();
        if data.len() != self.objects {
            return Err(Error::usage(format!(
                "the report is of {} objects, and the data has {}",
                self.objects,
                data.len()
            )));
        }
        let subset = self.rows.as_ref().map(|rows| data.select(rows));
        let used = subset.as_ref().unwrap_or(data);
        let grid = best.candidate.grid()?;
        let configuration = match grid.len() {
            1 => 0,
            _ => {
                let splits = split::choosing(used, &self.inner, self.seed)?;
                let scores = Search::new(used, &grid, self.score, engine, self.seed)?.run(&splits, None)?;
                scores
                    .best()
                    .ok_or_else(|| Error::usage("no configuration of the grid could be fitted everywhere"))?
            }
        };
        let edges = grid.at_edge(configuration).into_iter().map(str::to_owned).collect();
        let (kernel, learner) = (grid.kernel(configuration), grid.learner(configuration));
        let started = Instant::now();
        let model = Model::fit(used, kernel, learner, self.seed, engine)?;
        let seconds = started.elapsed().as_secs_f64();
        let refit = Refit { model, objects: used.len(), edges, why: None, approximate: None };
        match subset {
            None => Ok(refit),
            Some(_) if refit.objects == data.len() => Ok(refit),
            Some(_) => self.enlarge(refit, data, seconds, engine),
        }
    }

    /// Scores a model on the predefined test set of the data, once; `None` where there is none. The data must be that of
    /// the report, and the model must not have seen the test set: one of [`AutoReport::refit`].
    pub fn test_model(&self, model: &Model, data: &Dataset, engine: &Engine) -> Result<Option<TestReport>> {
        if data.test().is_none() {
            return Ok(None);
        }
        let suited = Evaluate::of(data)?;
        let others = suited.also.iter().copied().chain([suited.score]).filter(|s| *s != self.score);
        let settings = Evaluate { score: self.score, also: others.collect(), seed: self.seed, ..suited };
        settings.test_model(model, data, engine).map(Some)
    }

    /// The same fit to as many more objects as time allows, given the seconds that the small fit took.
    fn enlarge(&self, small: Refit, data: &Dataset, seconds: f64, engine: &Engine) -> Result<Refit> {
        let (kernel, learner) = (small.model.expression(), small.model.learner());
        let growth = match learner.name() {
            "knn" => 1.0,
            "ridge" => 3.0,
            _ if kernel.needs_training() => 3.0,
            _ => 2.2,
        };
        let used = small.objects;
        let all = seconds * (data.len() as f64 / used as f64).powf(growth);
        let left = self.clock.left(1.0).max(0.0);
        let (n, why) = if all <= left {
            (data.len(), None)
        } else {
            let n = used as f64 * (0.7 * left / seconds.max(1e-9)).powf(1.0 / growth);
            let why = format!("all {} would take about {all:.0} s, and {left:.0} s were left", data.len());
            ((n as usize).min(data.len() - 1), Some(why))
        };
        if n <= used {
            return Ok(Refit { why, ..small });
        }
        let subset = split::sample(data, n, self.seed)?.map(|rows| data.select(&rows));
        let training = subset.as_ref().unwrap_or(data);
        if let Err(error) = planned(kernel, learner, training.len(), engine) {
            return self.approximate(small, training, why, &error, engine);
        }
        let fit = |engine: &Engine| Model::fit(training, kernel, learner, self.seed, engine);
        match self.clock.during(1.0, engine, fit) {
            Ok(Some(model)) => Ok(Refit { model, objects: training.len(), why, ..small }),
            Ok(None) => {
                Ok(Refit { why: Some("a fit to more objects did not finish in time".into()), ..small })
            }
            Err(error @ Error::Interrupted) => Err(error),
            Err(error @ Error::MemoryPlan { .. }) => self.approximate(small, training, why, &error, engine),
            // More objects may need more memory than there is; the smaller model is kept.
            Err(error) => Ok(Refit { why: Some(error.to_string()), ..small }),
        }
    }

    /// A fit through the Nyström approximation of the kernel, which needs no matrix of all objects.
    fn approximate(
        &self,
        small: Refit,
        training: &Dataset,
        why: Option<String>,
        error: &Error,
        engine: &Engine,
    ) -> Result<Refit> {
        let fit = |engine: &Engine| {
            let (kernel, learner) = approximation(small.model.expression(), small.model.learner())?;
            Model::fit(training, &kernel, &learner, self.seed, engine)
        };
        match self.clock.during(1.0, engine, fit) {
            Ok(Some(model)) => {
                let approximate =
                    Some(format!("its kernel is approximated by {RANK} landmarks, because {error}"));
                Ok(Refit { model, objects: training.len(), why, approximate, ..small })
            }
            Ok(None) => {
                Ok(Refit { why: Some("a fit to more objects did not finish in time".into()), ..small })
            }
            Err(error @ Error::Interrupted) => Err(error),
            Err(_) => Ok(Refit { why: Some(error.to_string()), ..small }),
        }
    }
}

/// An error if the fit would need a matrix of all objects that does not fit into memory.
fn planned(kernel: &Expression, learner: &Learner, objects: usize, engine: &Engine) -> Result<()> {
    // Support vector machines compute rows on demand; a fitted kernel needs the matrix of its training objects.
    if matches!(learner.name(), "svc" | "svr" | "knn") && !kernel.needs_training() {
        return Ok(());
    }
    let what = format!("the Gram matrix of {objects} objects");
    budget::fits(&what, budget::matrix_bytes(objects, objects, 8), engine.budget().room())
}

/// The kernel approximated by landmarks, and the learner that uses their coordinates.
fn approximation(kernel: &Expression, learner: &Learner) -> Result<(Expression, Learner)> {
    let text = learner.to_string();
    let linear = match learner.name() {
        "svc" | "svr" => format!("linear-{text}"),
        _ => text,
    };
    Ok((format!("nystrom({kernel}, rank={RANK})").parse()?, linear.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_planned_before_the_fit() {
        let engine = Engine::new().with_budget(crate::budget::Budget::default().with_memory(1 << 30));
        let plan = |kernel: &str, learner: &str, n| {
            planned(&kernel.parse().unwrap(), &learner.parse().unwrap(), n, &engine)
        };
        assert!(plan("rbf", "ridge", 5_000).is_ok());
        assert!(matches!(plan("rbf", "ridge", 54_000), Err(Error::MemoryPlan { .. })));
        assert!(plan("rbf", "svr", 54_000).is_ok());
        assert!(matches!(plan("center(rbf)", "svr", 54_000), Err(Error::MemoryPlan { .. })));
    }

    #[test]
    fn approximations_of_the_proposed_learners() {
        let kernel: Expression = "standardize(rbf(gamma=0.5)@a) + column-sum(delta)@b".parse().unwrap();
        for (learner, expected) in [
            ("svc(C=10, weights=balanced)", "linear-svc(C=10, weights=balanced)"),
            ("svr(C=10, epsilon=0.1)", "linear-svr(C=10, epsilon=0.1)"),
            ("ridge(lambda=0.1, intercept=yes)", "ridge(lambda=0.1, intercept=yes)"),
        ] {
            let (approximate, linear) = approximation(&kernel, &learner.parse().unwrap()).unwrap();
            assert_eq!(linear, expected.parse().unwrap());
            assert_eq!(approximate.exact().unwrap(), kernel);
        }
    }
}
