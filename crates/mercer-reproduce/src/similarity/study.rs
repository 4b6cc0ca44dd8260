//! Evaluates one method on one problem.

use std::path::Path;
use std::time::Instant;

use super::{Method, Part, Problem, SimilaritySettings};
use crate::error::{Code, Error, Result};
use crate::expression::{Expression, Learner};
use crate::gram::Engine;
use crate::select::{Grid, Nested, Objects, Protocol, Score, Search, nested};

/// The result of a method on a problem.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SimilarityOutcome {
    /// The part of the study.
    pub part: Part,
    /// The data set.
    pub data: String,
    /// The method's name in tables.
    pub method: String,
    /// The score of each split.
    pub scores: Vec<f64>,
    /// The root mean squared error of each split, for regression.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rmse: Vec<f64>,
    /// The kernel and the learner chosen in each split.
    pub chosen: Vec<(String, String)>,
    /// The number of test objects over all splits.
    pub tested: usize,
    /// Total seconds, including parameter selection.
    pub seconds: f64,
    /// The number of models fitted on inner splits.
    pub fits: usize,
    /// How many of them stopped at a limit before convergence.
    pub unconverged: usize,
}

impl SimilarityOutcome {
    /// The mean over splits.
    pub fn score(&self) -> Option<f64> {
        let n = self.scores.len();
        (n > 0).then(|| self.scores.iter().sum::<f64>() / n as f64)
    }
}

/// The results of all methods of a problem's part, in order.
///
/// Finished work is recorded in files `DATA-METHOD.journal` in the folder `journals`, which is created if missing.
/// Recorded scores are not computed again. `progress` is called with each result.
pub fn study(
    problem: &Problem,
    methods: &[Method],
    settings: &SimilaritySettings,
    engine: &Engine,
    journals: Option<&Path>,
    progress: &mut dyn FnMut(&SimilarityOutcome),
) -> Result<Vec<SimilarityOutcome>> {
    if let Some(folder) = journals {
        let refused = |source| Error::Io { path: folder.to_owned(), code: Code::IoWrite, source };
        std::fs::create_dir_all(folder).map_err(refused)?;
    }
    let objects = Objects::of(&problem.data)?;
    let inner = Protocol::folds(settings.inner_folds);
    let splits: Vec<Nested> =
        nested(&problem.protocol, &inner, &objects, settings.seed)?.collect::<Result<_>>()?;
    let mut outcomes = Vec::new();
    for method in methods {
        let outcome = evaluate(problem, method, &splits, settings, engine, journals)?;
        progress(&outcome);
        outcomes.push(outcome);
    }
    Ok(outcomes)
}

fn evaluate(
    problem: &Problem,
    method: &Method,
    splits: &[Nested],
    settings: &SimilaritySettings,
    engine: &Engine,
    journals: Option<&Path>,
) -> Result<SimilarityOutcome> {
    let began = Instant::now();
    let learner: Learner = method.learner.parse()?;
    let learners = Grid::new(&"ones".parse()?, &learner)?.learners().to_vec();
    let mut kernels = Vec::new();
    for text in method.kernels {
        let open: Expression = text.parse()?;
        kernels.extend(Grid::new(&open, &"svc".parse()?)?.kernels().iter().cloned());
    }
    let grid = Grid::of(kernels, learners)?;
    let stage = format!("{} {}", problem.name, method.name);
    let plain = |c: char| if c.is_alphanumeric() { c } else { '-' };
    let journal =
        journals.map(|f| f.join(format!("{}.journal", stage.chars().map(plain).collect::<String>())));
    let search = Search::new(&problem.data, &grid, problem.score, engine, settings.seed)?;
    let search = search.with_stage(&stage);
    let evaluation = search.nested(splits, journal.as_deref())?;
    let mut outcome = SimilarityOutcome {
        part: problem.part,
        data: problem.name.clone(),
        method: method.name.to_owned(),
        scores: Vec::new(),
        rmse: Vec::new(),
        chosen: Vec::new(),
        tested: 0,
        seconds: 0.0,
        fits: 0,
        unconverged: 0,
    };
    if let Some(tuning) = &evaluation.tuning {
        (outcome.fits, outcome.unconverged) = (tuning.fits, tuning.unconverged);
    }
    for fold in &evaluation.folds {
        let score = fold.score.ok_or_else(|| Error::usage("a test set without both classes"))?;
        outcome.scores.push(score);
        outcome.chosen.push(grid.describe(fold.configuration));
        outcome.tested += fold.split.test.len();
    }
    if problem.score == Score::Mae {
        outcome.rmse = evaluation.measured(&search, Score::Rmse)?.into_iter().flatten().collect();
    }
    outcome.seconds = began.elapsed().as_secs_f64();
    Ok(outcome)
}
