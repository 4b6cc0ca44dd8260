//! One base kernel on one data set.

use std::path::Path;

use super::{Base, Half, Loaded, Method, RandomWalkSettings, Tables};
use crate::data::{Dataset, Target};
use crate::error::{Code, Error, Result};
use crate::gram::Engine;
use crate::select::{Fold, Grid, Nested, Objects, Protocol, Score, Search, Strategy, Tuning, nested};

/// The result of a base kernel on a data set.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct RandomWalkOutcome {
    /// The paper's name of the data set.
    pub data: String,
    /// The numbers of objects, features and classes.
    pub shape: [usize; 3],
    /// The base kernel.
    pub base: Base,
    /// The tables of the paper it belongs to, or substitutes.
    pub tables: Tables,
    /// Whether features were scaled.
    pub scaled: bool,
    /// The number of missing values that were replaced.
    pub gaps: usize,
    /// The simple SVM, one entry per outer split.
    pub plain: Vec<Chosen>,
    /// The walks, in the order of the settings.
    pub walks: Vec<WalkOutcome>,
    /// The number of models fitted on inner splits.
    pub fits: usize,
    /// How many of them stopped at a limit before convergence.
    pub unconverged: usize,
}

/// The result of a walk.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct WalkOutcome {
    /// The objects the walk goes through.
    pub method: Method,
    /// Whether the kernel uses the test objects.
    pub transductive: bool,
    /// For each p from 1, the chosen parameters and the score of each outer split.
    pub powers: Vec<Vec<Chosen>>,
    /// The p that the inner folds chose, for each outer split.
    pub searched: Vec<u32>,
    /// The p from 2 with the best mean score over the outer splits.
    pub best: u32,
}

/// The parameters chosen for an outer split, and their scores.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Chosen {
    /// The kernel.
    pub kernel: String,
    /// The learner.
    pub learner: String,
    /// The mean accuracy on the inner splits.
    pub inner: f64,
    /// The accuracy on the test set.
    pub score: f64,
}

impl WalkOutcome {
    /// The accuracies on the test sets.
    pub fn scores(&self, half: Half) -> Vec<f64> {
        let splits = self.searched.len();
        let p = |at: usize| match half {
            Half::Searched => self.searched[at],
            Half::BestPower => self.best,
        };
        (0..splits).map(|at| self.powers[p(at) as usize - 1][at].score).collect()
    }
}

impl RandomWalkOutcome {
    /// The accuracies of the simple SVM on the test sets.
    pub fn plain_scores(&self) -> Vec<f64> {
        self.plain.iter().map(|c| c.score).collect()
    }
}

/// The maximum memory of the matrices in the study of a data set of `n` objects, in bytes.
pub fn memory_needed(n: usize, settings: &RandomWalkSettings, engine: &Engine) -> u64 {
    Search::memory_needed(n, settings.steps.saturating_sub(1) as usize, engine.threads())
}

/// A grid tuned on all inner splits.
struct Tuned<'a> {
    search: Search<'a>,
    grid: &'a Grid,
    tuning: Tuning,
}

/// Runs the protocol for one base kernel on one data set.
///
/// Finished work is recorded in files `DATA-BASE-METHOD.journal` in the folder `journals`, which is created if missing.
/// Recorded work is not repeated. Time: for every gamma and inner split of n objects O(n³) for the walk and O(n²·r) for
/// each p, then a path of models along C. For memory see [`memory_needed`].
///
/// ```no_run
/// use mercer::gram::Engine;
/// use mercer_reproduce::random_walk::{Base, Problem, RandomWalkSettings, study};
/// let loaded = Problem::chosen(&["Balance1"])?[0].load(None, 0)?.unwrap();
/// let outcome = study(&loaded, Base::Rbf, &RandomWalkSettings::quick(0), &Engine::new(), None)?;
/// println!("{:?}", outcome.plain_scores());
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn study(
    loaded: &Loaded,
    base: Base,
    settings: &RandomWalkSettings,
    engine: &Engine,
    journals: Option<&Path>,
) -> Result<RandomWalkOutcome> {
    if let Some(folder) = journals {
        std::fs::create_dir_all(folder).map_err(|source| Error::Io {
            path: folder.to_owned(),
            code: Code::IoWrite,
            source,
        })?;
    }
    let objects = Objects::of(&loaded.data)?;
    let outer = loaded.protocol(settings.repetitions);
    let inner = Protocol::folds(settings.inner_folds);
    let splits: Vec<Nested> = nested(&outer, &inner, &objects, settings.seed)?.collect::<Result<_>>()?;
    let context = Context { loaded, base, seed: settings.seed, engine, journals, splits: &splits };
    let grid = |kernels: String| Grid::new(&kernels.parse()?, &settings.learner().parse()?);

    let plain_grid = grid(settings.plain(base, loaded))?;
    let plain = context.tune(&plain_grid, "plain")?;
    let configurations: Vec<usize> = (0..plain_grid.len()).collect();
    let picks: Vec<Pick> =
        (0..splits.len()).map(|at| plain.pick(at, &configurations)).collect::<Result<_>>()?;
    let plain_chosen = plain.evaluate(&splits, &picks)?;
    let mut fits = plain_grid.len() * plain.tuning.scores.splits();
    let mut unconverged = plain.tuning.scores.unconverged();

    let mut walks = Vec::new();
    for &method in &settings.methods {
        let walk_grid = grid(settings.walk(base, method, loaded)?)?;
        let walk = context.tune(&walk_grid, method.name())?;
        fits += walk_grid.len() * walk.tuning.scores.splits();
        unconverged += walk.tuning.scores.unconverged();
        walks.push(evaluate_walk(&walk, method, settings.steps, &splits, &plain_chosen)?);
    }
    Ok(RandomWalkOutcome {
        data: loaded.name.clone(),
        shape: [loaded.data.len(), features(&loaded.data), classes(&loaded.data)],
        base,
        tables: loaded.tables,
        scaled: loaded.scaled,
        gaps: loaded.gaps,
        plain: plain_chosen,
        walks,
        fits,
        unconverged,
    })
}

/// The inputs shared by all searches.
struct Context<'a> {
    loaded: &'a Loaded,
    base: Base,
    seed: u64,
    engine: &'a Engine,
    journals: Option<&'a Path>,
    splits: &'a [Nested],
}

impl<'a> Context<'a> {
    /// Scores a grid on the inner splits.
    fn tune<'g>(&self, grid: &'g Grid, method: &str) -> Result<Tuned<'g>>
    where
        'a: 'g,
    {
        let stage = format!("{} {} {method}", self.loaded.name, self.base.name());
        let journal = self.journals.map(|f| f.join(format!("{}.journal", stage.replace(' ', "-"))));
        let (data, engine) = (&self.loaded.data, self.engine);
        let search = Search::new(data, grid, Score::Accuracy, engine, self.seed)?.with_stage(&stage);
        let tuning = search.tune(self.splits, Strategy::Grid, journal.as_deref())?;
        Ok(Tuned { search, grid, tuning })
    }
}

/// An outer split, the configuration to evaluate on it, and its inner score.
#[derive(Clone, Copy)]
struct Pick {
    at: usize,
    configuration: usize,
    inner: f64,
}

impl Tuned<'_> {
    /// The best of the given configurations for an outer split.
    fn pick(&self, at: usize, configurations: &[usize]) -> Result<Pick> {
        let (configuration, inner) = self.tuning.choose_among(at, configurations)?;
        Ok(Pick { at, configuration, inner: inner.unwrap_or(0.0) })
    }

    /// Fits the picked configurations to the outer training sets and scores them on the test sets.
    fn evaluate(&self, splits: &[Nested], picks: &[Pick]) -> Result<Vec<Chosen>> {
        let tasks: Vec<_> = picks.iter().map(|p| (p.configuration, &splits[p.at].outer)).collect();
        let folds = self.search.folds(&tasks)?;
        let one = |(pick, fold): (&Pick, Fold)| {
            let outer = &splits[pick.at].outer;
            let score = self.search.measure(Score::Accuracy, &fold.prediction, outer)?.value();
            let score = score.ok_or_else(|| Error::usage("an empty test set"))?;
            let (kernel, learner) = self.grid.describe(pick.configuration);
            Ok(Chosen { kernel, learner, inner: pick.inner, score })
        };
        picks.iter().zip(folds).map(one).collect()
    }

    /// The configurations with `p` steps.
    fn configurations_of(&self, p: u32) -> Vec<usize> {
        let Some(at) = self.grid.names().iter().position(|n| n == "p") else {
            // With at most two steps there is no choice of p.
            return (0..self.grid.len()).collect();
        };
        (0..self.grid.len()).filter(|&c| self.grid.position(c)[at] as u32 + 2 == p).collect()
    }
}

/// Evaluates the best configuration for each p, then chooses p.
fn evaluate_walk(
    walk: &Tuned<'_>,
    method: Method,
    steps: u32,
    splits: &[Nested],
    plain: &[Chosen],
) -> Result<WalkOutcome> {
    let mut picks = Vec::new();
    for p in 2..=steps {
        let configurations = walk.configurations_of(p);
        for at in 0..splits.len() {
            picks.push(walk.pick(at, &configurations)?);
        }
    }
    let evaluated = walk.evaluate(splits, &picks)?;
    let mut powers = vec![plain.to_vec()];
    powers.extend(evaluated.chunks(splits.len().max(1)).map(<[Chosen]>::to_vec));
    // Means of equal scores may differ by rounding, which must not count.
    let better = |new: f64, old: f64| new > old + 1e-12 * old.abs();
    let first_best = |values: &[f64]| {
        let keep = |best, at| if better(values[at], values[best]) { at } else { best };
        (0..values.len()).reduce(keep).unwrap_or(0)
    };
    let searched = (0..splits.len()).map(|at| {
        let inner: Vec<f64> = powers.iter().map(|of| of[at].inner).collect();
        first_best(&inner) as u32 + 1
    });
    let searched = searched.collect();
    let means: Vec<f64> = powers[1..].iter().map(|of| mean(of.iter().map(|c| c.score))).collect();
    let best = first_best(&means) as u32 + 2;
    Ok(WalkOutcome { method, transductive: method.is_transductive(), powers, searched, best })
}

/// The mean; 0 if empty.
pub(super) fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = values.len().max(1) as f64;
    values.sum::<f64>() / count
}

fn features(data: &Dataset) -> usize {
    data.columns().iter().map(|c| c.values.width()).sum()
}

fn classes(data: &Dataset) -> usize {
    match data.target() {
        Some(Target::Classes(classes)) => classes.levels().len(),
        _ => 0,
    }
}
