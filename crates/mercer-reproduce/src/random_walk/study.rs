//! One base kernel on one data set.

use std::path::Path;

use super::{Base, Half, Loaded, Method, Settings, Tables};
use crate::data::{Dataset, Target};
use crate::error::{Code, Error, Result};
use crate::gram::Engine;
use crate::select::{Fold, Grid, Nested, Objects, Protocol, Score, Search, Strategy, Tuning, nested};

/// What a base kernel gave on a data set.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Outcome {
    /// The paper's name of the data set.
    pub data: String,
    /// The numbers of objects, features and classes.
    pub shape: [usize; 3],
    /// The base kernel.
    pub base: Base,
    /// The tables of the paper it belongs to, or stands in for.
    pub tables: Tables,
    /// Whether features were scaled.
    pub scaled: bool,
    /// The number of missing values that were replaced.
    pub gaps: usize,
    /// The plain machine, one entry per outer division.
    pub plain: Vec<Chosen>,
    /// The walks, in the order of the settings.
    pub walks: Vec<WalkOutcome>,
    /// The number of machines of the inner divisions, and of those the ones whose solver met a limit first.
    pub fits: usize,
    /// See `fits`.
    pub unconverged: usize,
}

/// What a walk gave.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct WalkOutcome {
    /// What was passed through.
    pub method: Method,
    /// Whether the test objects had a part in the kernel.
    pub transductive: bool,
    /// For each p from 1, what was chosen and reached in each outer division.
    pub powers: Vec<Vec<Chosen>>,
    /// The p that the inner folds chose, for each outer division.
    pub searched: Vec<u32>,
    /// The p from 2 with the best mean score over the outer divisions.
    pub best: u32,
}

/// The parameters chosen for an outer division, and how they did.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Chosen {
    /// The kernel.
    pub kernel: String,
    /// The learner.
    pub learner: String,
    /// The mean accuracy on the inner divisions.
    pub inner: f64,
    /// The accuracy on the test part.
    pub score: f64,
}

impl WalkOutcome {
    /// The accuracies on the test parts.
    pub fn scores(&self, half: Half) -> Vec<f64> {
        let divisions = self.searched.len();
        let p = |at: usize| match half {
            Half::Searched => self.searched[at],
            Half::BestPower => self.best,
        };
        (0..divisions).map(|at| self.powers[p(at) as usize - 1][at].score).collect()
    }
}

impl Outcome {
    /// The accuracies of the plain machine on the test parts.
    pub fn plain_scores(&self) -> Vec<f64> {
        self.plain.iter().map(|c| c.score).collect()
    }
}

/// The bytes of matrices that the study of a data set of `n` objects holds at once, at most.
pub fn memory_needed(n: usize, settings: &Settings, engine: &Engine) -> u64 {
    Search::memory_needed(n, settings.steps.saturating_sub(1) as usize, engine.threads())
}

/// A grid tuned on all inner divisions.
struct Tuned<'a> {
    search: Search<'a>,
    grid: &'a Grid,
    tuning: Tuning,
}

/// Runs the protocol for one base kernel on one data set.
///
/// Finished work is noted in files `DATA-BASE-METHOD.journal` in the folder `journals`, which is made when it is missing; noted
/// work is not done again. Time: for every gamma and inner division of n objects O(n³) for the walk and O(n²·r) for each
/// p, then a path of machines along C; memory as [`memory_needed`] says.
///
/// ```no_run
/// use mercer::gram::Engine;
/// use mercer_reproduce::random_walk::{Base, Problem, Settings, study};
/// let loaded = Problem::chosen(&["Balance1"])?[0].load(None, 0)?.unwrap();
/// let outcome = study(&loaded, Base::Rbf, &Settings::quick(0), &Engine::new(), None)?;
/// println!("{:?}", outcome.plain_scores());
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn study(
    loaded: &Loaded,
    base: Base,
    settings: &Settings,
    engine: &Engine,
    journals: Option<&Path>,
) -> Result<Outcome> {
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
    let divisions: Vec<Nested> = nested(&outer, &inner, &objects, settings.seed)?.collect::<Result<_>>()?;
    let course = Course { loaded, base, seed: settings.seed, engine, journals, divisions: &divisions };
    let grid = |kernels: String| Grid::new(&kernels.parse()?, &settings.learner().parse()?);

    let plain_grid = grid(settings.plain(base, loaded))?;
    let plain = course.tune(&plain_grid, "plain")?;
    let cells: Vec<usize> = (0..plain_grid.len()).collect();
    let picks: Vec<Pick> = (0..divisions.len()).map(|at| plain.pick(at, &cells)).collect::<Result<_>>()?;
    let plain_chosen = plain.judge(&divisions, &picks)?;
    let mut fits = plain_grid.len() * plain.tuning.scores.splits();
    let mut unconverged = plain.tuning.scores.unconverged();

    let mut walks = Vec::new();
    for &method in &settings.methods {
        let walk_grid = grid(settings.walk(base, method, loaded)?)?;
        let walk = course.tune(&walk_grid, method.name())?;
        fits += walk_grid.len() * walk.tuning.scores.splits();
        unconverged += walk.tuning.scores.unconverged();
        walks.push(follow(&walk, method, settings.steps, &divisions, &plain_chosen)?);
    }
    Ok(Outcome {
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

/// What all searches of a study share.
struct Course<'a> {
    loaded: &'a Loaded,
    base: Base,
    seed: u64,
    engine: &'a Engine,
    journals: Option<&'a Path>,
    divisions: &'a [Nested],
}

impl<'a> Course<'a> {
    /// Scores a grid on the inner divisions.
    fn tune<'g>(&self, grid: &'g Grid, method: &str) -> Result<Tuned<'g>>
    where
        'a: 'g,
    {
        let stage = format!("{} {} {method}", self.loaded.name, self.base.name());
        let journal = self.journals.map(|f| f.join(format!("{}.journal", stage.replace(' ', "-"))));
        let (data, engine) = (&self.loaded.data, self.engine);
        let search = Search::new(data, grid, Score::Accuracy, engine, self.seed)?.with_stage(&stage);
        let tuning = search.tune(self.divisions, Strategy::Grid, journal.as_deref())?;
        Ok(Tuned { search, grid, tuning })
    }
}

/// An outer division, the cell to judge there, and its inner score.
#[derive(Clone, Copy)]
struct Pick {
    at: usize,
    cell: usize,
    inner: f64,
}

impl Tuned<'_> {
    /// The best of some cells for an outer division.
    fn pick(&self, at: usize, cells: &[usize]) -> Result<Pick> {
        let (cell, inner) = self.tuning.choose_among(at, cells)?;
        Ok(Pick { at, cell, inner: inner.unwrap_or(0.0) })
    }

    /// Fits what was picked to the outer training parts and scores it on the test parts.
    fn judge(&self, divisions: &[Nested], picks: &[Pick]) -> Result<Vec<Chosen>> {
        let tasks: Vec<_> = picks.iter().map(|p| (p.cell, &divisions[p.at].outer)).collect();
        let folds = self.search.folds(&tasks)?;
        let one = |(pick, fold): (&Pick, Fold)| {
            let outer = &divisions[pick.at].outer;
            let score = self.search.measure(Score::Accuracy, &fold.prediction, outer)?.value();
            let score = score.ok_or_else(|| Error::usage("a test part without objects"))?;
            let (kernel, learner) = self.grid.describe(pick.cell);
            Ok(Chosen { kernel, learner, inner: pick.inner, score })
        };
        picks.iter().zip(folds).map(one).collect()
    }

    /// The cells of a number of steps.
    fn cells_of(&self, p: u32) -> Vec<usize> {
        let Some(at) = self.grid.names().iter().position(|n| n == "p") else {
            // Two steps alone leave nothing to choose.
            return (0..self.grid.len()).collect();
        };
        (0..self.grid.len()).filter(|&cell| self.grid.position(cell)[at] as u32 + 2 == p).collect()
    }
}

/// Chooses within each p, judges, and chooses among them.
fn follow(
    walk: &Tuned<'_>,
    method: Method,
    steps: u32,
    divisions: &[Nested],
    plain: &[Chosen],
) -> Result<WalkOutcome> {
    let mut picks = Vec::new();
    for p in 2..=steps {
        let cells = walk.cells_of(p);
        for at in 0..divisions.len() {
            picks.push(walk.pick(at, &cells)?);
        }
    }
    let judged = walk.judge(divisions, &picks)?;
    let mut powers = vec![plain.to_vec()];
    powers.extend(judged.chunks(divisions.len().max(1)).map(<[Chosen]>::to_vec));
    // Means of equal scores may differ by a rounding, which is no difference.
    let better = |new: f64, old: f64| new > old + 1e-12 * old.abs();
    let first_best = |values: &[f64]| {
        let keep = |best, at| if better(values[at], values[best]) { at } else { best };
        (0..values.len()).reduce(keep).unwrap_or(0)
    };
    let searched = (0..divisions.len()).map(|at| {
        let inner: Vec<f64> = powers.iter().map(|of| of[at].inner).collect();
        first_best(&inner) as u32 + 1
    });
    let searched = searched.collect();
    let means: Vec<f64> = powers[1..].iter().map(|of| mean(of.iter().map(|c| c.score))).collect();
    let best = first_best(&means) as u32 + 2;
    Ok(WalkOutcome { method, transductive: method.is_transductive(), powers, searched, best })
}

/// The mean; 0 of nothing.
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
