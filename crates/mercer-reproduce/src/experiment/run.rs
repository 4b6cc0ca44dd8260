//! The evaluation of one data set.

use std::path::Path;
use std::time::Instant;

use super::{Chosen, Each, Evaluated, Experiment, Settings};
use crate::data::{Column, Dataset, Precomputed, Values};
use crate::error::{Code, Error, Result};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;
use crate::learn::Prediction;
use crate::problem::{How, Method, Problem};
use crate::select::{Grid, Nested, Objects, Protocol, Score, Search, Split, Strategy, nested};

/// One data set with one base kernel, and what its methods share.
pub(crate) struct Run<'a> {
    pub(crate) experiment: &'a Experiment,
    pub(crate) problem: &'a Problem,
    pub(crate) settings: &'a Settings,
    pub(crate) base: &'static str,
    pub(crate) engine: &'a Engine,
    pub(crate) journals: Option<&'a Path>,
}

/// Evaluates all methods of a data set on the same splits.
pub(crate) fn methods(run: &Run<'_>, each: Each<'_>) -> Result<Vec<Evaluated>> {
    let splits = run.splits(&Objects::of(&run.problem.data)?)?;
    let mut all = Vec::new();
    for method in &run.problem.methods {
        let began = Instant::now();
        let mut one = Evaluated { baseline: method.baseline, ..Evaluated::of(method.name) };
        match method.how {
            How::Majority => run.majority(&splits, &mut one)?,
            _ => run.method(method, &splits, &mut one)?,
        }
        one.seconds = began.elapsed().as_secs_f64();
        each(&one);
        all.push(one);
    }
    Ok(all)
}

impl Run<'_> {
    /// The outer splits, with inner folds.
    pub(crate) fn splits(&self, objects: &Objects) -> Result<Vec<Nested>> {
        let inner = Protocol::folds(self.settings.inner_folds);
        nested(&self.problem.protocol, &inner, objects, self.settings.seed)?.collect()
    }

    /// An expression with the settings.
    pub(crate) fn filled(&self, text: &str) -> Result<String> {
        let Settings { c, gamma, steps, .. } = *self.settings;
        if steps < 2 && text.contains("{steps}") {
            return Err(Error::param("steps", steps, "at least 2"));
        }
        let base = if self.base == "rbf" { "rbf(gamma={gamma})" } else { "linear" };
        let steps: Vec<String> = (2..=steps).map(|p| p.to_string()).collect();
        let text = text.replace("{base}", base).replace("{steps}", &steps.join(", "));
        Ok(text.replace("{gamma}", gamma).replace("{c}", c))
    }

    fn score(&self, search: &Search<'_>, split: &Split, fold: &Prediction) -> Result<f64> {
        self.defined(search.measure(self.problem.score, fold, split)?.value())
    }

    fn defined(&self, score: Option<f64>) -> Result<f64> {
        score.ok_or_else(|| match self.problem.score {
            Score::Accuracy => Error::usage("an empty test set"),
            _ => Error::usage("a test set without both classes"),
        })
    }

    /// The majority-class baseline.
    fn majority(&self, splits: &[Nested], out: &mut Evaluated) -> Result<()> {
        let (problem, settings) = (self.problem, self.settings);
        let grid = Grid::of(vec!["ones".parse()?], vec!["svc".parse()?])?;
        let search = Search::new(&problem.data, &grid, problem.score, self.engine, settings.seed)?;
        for split in splits {
            let prediction = search.baseline(&split.outer, &Protocol::folds(settings.folds))?;
            let score = self.score(&search, &split.outer, &prediction)?;
            let name = out.method.clone();
            out.splits.push(Chosen { kernel: name.clone(), learner: name, score, ..Chosen::default() });
        }
        Ok(())
    }

    /// A method with all its parameters.
    fn method(&self, method: &Method, splits: &[Nested], out: &mut Evaluated) -> Result<()> {
        let Run { problem, settings, engine, .. } = *self;
        let learner: Learner = self.filled(method.learner)?.parse()?;
        let mut grids = Vec::new();
        for kernel in method.kernels {
            grids.push(Grid::new(&self.filled(&problem.wrapped(kernel))?.parse()?, &learner)?);
        }
        let kernels: Vec<Expression> = grids.iter().flat_map(|g| g.kernels().iter().cloned()).collect();
        let learners = Grid::new(&"ones".parse()?, &learner)?.learners().to_vec();
        let with_columns;
        let mut data = &problem.data;
        // The names of precomputed kernels, which the grid does not know.
        let mut names = Vec::new();
        let grid = match method.how {
            How::Along(_) => grids.swap_remove(0),
            How::Precomputed => {
                (names, with_columns) = self.precomputed(&kernels, out)?;
                data = &with_columns;
                if names.is_empty() {
                    return Ok(());
                }
                let columns = (0..names.len()).map(|at| format!("precomputed@k{at}").parse());
                Grid::of(columns.collect::<Result<_>>()?, learners)?
            }
            _ => Grid::of(kernels, learners)?,
        };
        let stage = match self.base {
            "" => format!("{} {}", problem.name, method.name),
            base => format!("{} {base} {}", problem.name, method.name),
        };
        let journal = self.journals.map(|f| f.join(format!("{}.journal", (self.experiment.journal)(&stage))));
        let search = Search::new(data, &grid, problem.score, engine, settings.seed)?.with_stage(&stage);
        let chosen = |configuration: usize, inner, score, split: &Split| {
            let (kernel, learner) = grid.describe(configuration);
            let kernel = names.get(configuration / grid.learners().len()).cloned().unwrap_or(kernel);
            Chosen { kernel, learner, inner, score, second: None, tested: split.test.len() }
        };
        if let How::Along(parameter) = method.how {
            let tuning = search.tune(splits, Strategy::Grid, journal.as_deref())?;
            (out.fits, out.unconverged) = (tuning.fits, tuning.unconverged);
            let at = grid.names().iter().position(|n| n == parameter);
            let mut picks = Vec::new();
            for value in 0..at.map_or(1, |at| grid.values()[at].len()) {
                let own = |&c: &usize| at.is_none_or(|at| grid.position(c)[at] == value);
                let configurations: Vec<usize> = (0..grid.len()).filter(own).collect();
                for (outer, split) in splits.iter().enumerate() {
                    picks.push((tuning.choose_among(outer, &configurations)?, &split.outer));
                }
            }
            let tasks: Vec<_> =
                picks.iter().map(|((configuration, _), split)| (*configuration, *split)).collect();
            let mut found = Vec::new();
            for (((configuration, inner), split), fold) in picks.into_iter().zip(search.folds(&tasks)?) {
                let score = self.score(&search, split, &fold.prediction)?;
                found.push(chosen(configuration, inner.or(Some(0.0)), score, split));
            }
            out.along = found.chunks(splits.len().max(1)).map(<[Chosen]>::to_vec).collect();
            return Ok(());
        }
        let evaluation = search.nested(splits, journal.as_deref())?;
        if let Some(tuning) = &evaluation.tuning {
            (out.fits, out.unconverged) = (tuning.fits, tuning.unconverged);
        }
        for fold in &evaluation.folds {
            let score = self.defined(fold.score)?;
            out.splits.push(chosen(fold.configuration, fold.inner, score, &fold.split));
        }
        if problem.score == Score::Mae {
            let rmse = evaluation.measured(&search, Score::Rmse)?;
            out.splits.iter_mut().zip(rmse).for_each(|(c, rmse)| c.second = rmse);
        }
        Ok(())
    }

    /// The Gram matrices of all kernels that can be computed, each as a column, so that all folds can use it.
    fn precomputed(&self, kernels: &[Expression], out: &mut Evaluated) -> Result<(Vec<String>, Dataset)> {
        let (data, engine) = (&self.problem.data, self.engine);
        let (mut names, mut columns) = (Vec::new(), Vec::new());
        for kernel in kernels {
            let began = Instant::now();
            let made = kernel
                .fit(data, engine)
                .and_then(|fitted| Ok((engine.run(|| engine.gram(&fitted.kernel, data))?, fitted.warnings)));
            let (gram, warnings) = match made {
                Ok(made) => made,
                Err(e) if is_about_parameters(&e) => {
                    out.dropped.push((kernel.to_string(), e.to_string()));
                    continue;
                }
                Err(e) => return Err(e),
            };
            out.timed = Some((kernel.to_string(), began.elapsed().as_secs_f64()));
            for warning in warnings {
                if !out.ignored.contains(&warning.message) {
                    out.ignored.push(warning.message);
                }
            }
            let values = Values::Precomputed(Precomputed::square(gram)?);
            columns.push(Column::new(format!("k{}", names.len()), values));
            names.push(kernel.to_string());
        }
        Ok((names, data.with_columns(columns)?))
    }
}

/// Whether the error is specific to these parameters or objects.
fn is_about_parameters(error: &Error) -> bool {
    matches!(
        error.code(),
        Code::Diverge | Code::Overflow | Code::MemoryPlan | Code::Object | Code::Usage | Code::Numeric
    )
}

/// The accuracy of a single model on a split, to check the engine.
#[cfg(test)]
pub(crate) fn model_accuracy(data: &Dataset, split: &Split, kernel: &str, learner: &str, seed: u64) -> f64 {
    let (kernel, learner): (Expression, Learner) = (kernel.parse().unwrap(), learner.parse().unwrap());
    let engine = Engine::new();
    let model =
        mercer::model::Model::fit(&data.select(&split.train), &kernel, &learner, seed, &engine).unwrap();
    let test = data.select(&split.test);
    let predicted = model.predict(&test, &engine).unwrap();
    let (Some(crate::data::Target::Classes(predicted)), Some(truth)) =
        (&predicted.target, crate::problem::classes(&test))
    else {
        panic!("classes expected")
    };
    let right = (0..truth.len()).filter(|&i| predicted.get(i) == truth.get(i)).count();
    right as f64 / truth.len() as f64
}
