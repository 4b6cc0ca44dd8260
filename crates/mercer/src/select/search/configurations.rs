//! Scores configurations on splits.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use super::answers::Answers;
use super::grid::Grid;
use super::journal::Journal;
use super::scores::{ConfigurationScores, Entry};
use super::strategy::Strategy;
use crate::data::{Dataset, Dense, Target};
use crate::error::{Error, Result};
use crate::expression::{Blocks, Expression, Learner, LinearRows, Matrices, Predicts, Shared, Training};
use crate::gram::{Engine, Silent};
use crate::learn::{Prediction, Trained};
use crate::parallel;
use crate::select::{Measured, Needs, Predicted, Score, Split, Truth};
use crate::solve::{GramColumns, Stop};

/// A search over a grid, with one score.
///
/// ```
/// use mercer::data::generate;
/// use mercer::gram::Engine;
/// use mercer::select::{Grid, Objects, Protocol, Score, Search, Splits};
/// let data = generate::balance1()?;
/// let grid = Grid::new(&"rbf(gamma=[0.01, 0.1])".parse()?, &"svc(C=[1, 100])".parse()?)?;
/// let engine = Engine::new();
/// let search = Search::new(&data, &grid, Score::Accuracy, &engine, 42)?;
/// let splits: Vec<_> = Splits::new(&Protocol::folds(5), &Objects::of(&data)?, 42)?.iter().collect();
/// let scores = search.run(&splits, None)?;
/// assert!(scores.mean(scores.best().unwrap()).unwrap() > 0.9);
/// # Ok::<(), mercer::Error>(())
/// ```
pub struct Search<'a> {
    pub(super) data: &'a Dataset,
    pub(super) grid: &'a Grid,
    pub(super) score: Score,
    pub(super) engine: &'a Engine,
    pub(super) seed: u64,
    target: Target,
    /// The engine for the matrices. It reports no progress: progress is counted in fits.
    pub(super) silent: Engine,
    stage: String,
    /// Whether the learners use explicit features instead of similarities.
    pub(super) by_features: bool,
    /// The seed of each learner; empty where all use the seed of the search.
    seeds: Vec<u64>,
}

/// Number of coordinates per object that the memory estimate assumes at most.
const MOST_COORDINATES: u64 = 1000;
/// Maximum number of kernel families whose matrices are held at once.
const STRETCH: usize = 16;

impl<'a> Search<'a> {
    /// A search over data with a target. The score must suit the target, and the learners must predict such a target.
    pub fn new(
        data: &'a Dataset,
        grid: &'a Grid,
        score: Score,
        engine: &'a Engine,
        seed: u64,
    ) -> Result<Self> {
        if grid.is_empty() {
            return Err(Error::usage("the grid has no configurations: a list of values is empty"));
        }
        if let Some(learner) = grid.learners().iter().find(|l| !l.facts().predicts.needs_target()) {
            return Err(Error::usage(format!(
                "{} learns without a target: there is nothing to score it by",
                learner.name()
            )));
        }
        let target = data.target().ok_or_else(|| Error::usage("a search needs data with a target"))?.clone();
        let by_features = grid.learners().first().is_some_and(Learner::needs_features);
        for learner in grid.learners() {
            let name = learner.name();
            let fault = match (learner.facts().predicts, &target) {
                _ if learner.needs_features() != by_features => {
                    "cannot be searched with the other learners: some learn from features, some from similarities"
                }
                (Predicts::Numbers, Target::Classes(_)) => "needs numbers, but the target holds classes",
                (Predicts::Classes, Target::Numbers(_)) => "needs classes, but the target holds numbers",
                _ => continue,
            };
            return Err(Error::usage(format!("{name} {fault}")));
        }
        check_score(score, &target)?;
        check_probabilities(score, grid)?;
        let silent = engine.clone().with_progress(Arc::new(Silent));
        let (stage, seeds) = ("fits".into(), Vec::new());
        Ok(Search { data, grid, score, engine, seed, target, silent, stage, by_features, seeds })
    }

    /// The same search with a random seed for each learner of the grid.
    pub fn with_seeds(mut self, seeds: Vec<u64>) -> Result<Self> {
        if seeds.len() != self.grid.learners().len() {
            let learners = self.grid.learners().len();
            return Err(Error::usage(format!("{} seeds for {learners} learners", seeds.len())));
        }
        self.seeds = seeds;
        Ok(self)
    }

    /// The same search with another stage name for progress reporting.
    #[must_use]
    pub fn with_stage(mut self, stage: &str) -> Self {
        self.stage = stage.to_owned();
        self
    }

    pub(in crate::select) fn target(&self) -> &Target {
        &self.target
    }

    /// Scores every configuration on every split. With a path, finished scores are recorded there and not computed
    /// again. A directory holds one such file per search.
    pub fn run(&self, splits: &[Split], journal: Option<&Path>) -> Result<ConfigurationScores> {
        let all: Vec<usize> = (0..self.grid.len()).collect();
        self.run_configurations(splits, &all, journal)
    }

    /// The same for some configurations, in ascending order.
    pub fn run_configurations(
        &self,
        splits: &[Split],
        configurations: &[usize],
        journal: Option<&Path>,
    ) -> Result<ConfigurationScores> {
        if !configurations.is_sorted_by(|a, b| a < b)
            || configurations.last().is_some_and(|&c| c >= self.grid.len())
        {
            return Err(Error::usage("configurations must be numbers of the grid in ascending order"));
        }
        let mut journal = self.journal(journal, || self.identity(splits, configurations, Strategy::Grid))?;
        self.run_wanted(splits, &vec![configurations; splits.len()], 0, &mut journal)
    }

    /// Opens the journal of a search and reports problems with it as warnings.
    pub(super) fn journal(
        &self,
        path: Option<&Path>,
        identity: impl FnOnce() -> String,
    ) -> Result<Option<Journal>> {
        let Some(path) = path else { return Ok(None) };
        let journal = Journal::open(path, &identity())?;
        if let Some(warning) = journal.warning() {
            self.engine.progress().warn(&warning);
        }
        Ok(Some(journal))
    }

    /// Scores on each split the configurations requested for it, in ascending order.
    pub(super) fn run_wanted(
        &self,
        splits: &[Split],
        wanted: &[&[usize]],
        round: u32,
        journal: &mut Option<Journal>,
    ) -> Result<ConfigurationScores> {
        let configurations: BTreeSet<usize> =
            wanted.iter().flat_map(|configurations| configurations.iter().copied()).collect();
        let per_kernel = self.grid.learners().len();
        let mut kernels: Vec<usize> = configurations.iter().map(|c| c / per_kernel).collect();
        kernels.dedup();
        let families = self.grid.families(&kernels);
        let mut out =
            ConfigurationScores::new(configurations.into_iter().collect(), splits.len(), self.score);
        self.plan()?;
        let mut matrices = Matrices::new(self.data, &self.silent);
        let mut best: Option<(f64, usize)> = None;
        let progress = self.engine.progress();
        progress.begin(&self.stage, wanted.iter().map(|configurations| configurations.len() as u64).sum());
        for stretch in families.chunks(self.stretch(splits.len())) {
            let mut tasks = Vec::new();
            for (family, at) in stretch.iter().flat_map(|f| (0..splits.len()).map(move |s| (f, s))) {
                let task =
                    Task { configurations: self.of_family(&kernels[family.clone()], wanted[at]), at, round };
                match journal.as_ref().and_then(|j| task.known(j)) {
                    Some(known) => {
                        out.absorb(&known)?;
                        progress.advance(known.len() as u64);
                    }
                    None => tasks.push(task),
                }
            }
            if tasks.is_empty() {
                continue;
            }
            let here: Vec<Expression> = stretch
                .iter()
                .flat_map(|f| &kernels[f.clone()])
                .map(|&k| self.grid.kernels()[k].clone())
                .collect();
            if !self.by_features {
                matrices.prepare(&here)?;
            }
            let noted = Mutex::new(journal.as_mut());
            let held = || noted.lock().unwrap_or_else(PoisonError::into_inner);
            let work = |task: &Task<'_>| -> Result<Vec<Entry>> {
                let done = self.task_scores(&matrices, task, &splits[task.at])?;
                // Record results immediately: a process that is killed loses only the fits in progress.
                if let Some(journal) = &mut *held() {
                    journal.note(&done)?;
                }
                progress.advance(done.len() as u64);
                Ok(done)
            };
            for some in tasks.chunks(4 * self.engine.threads().max(1)) {
                let done = self.engine.run(|| parallel::map(some.len(), |k| work(&some[k])));
                for done in done {
                    let done = done.inspect_err(|_| {
                        let _ = held().as_mut().map(|journal| journal.flush());
                    })?;
                    out.absorb(&done)?;
                }
            }
            let fresh = stretch.iter().flat_map(|f| &kernels[f.clone()]);
            for configuration in fresh.flat_map(|k| k * per_kernel..(k + 1) * per_kernel) {
                if let Some(quality) = out.quality(configuration, 0..splits.len())
                    && best.is_none_or(|(known, _)| quality > known)
                {
                    best = Some((quality, configuration));
                }
            }
            if let Some((mean, configuration)) =
                best.and_then(|(_, configuration)| Some((out.mean(configuration)?, configuration)))
            {
                let (kernel, learner) = self.grid.describe(configuration);
                progress.note(&format!("best so far {} {mean:.3}: {learner} on {kernel}", self.score));
            }
        }
        if let Some(journal) = journal {
            journal.flush()?;
        }
        progress.end();
        Ok(out)
    }

    /// The requested configurations of some kernels: one list per kernel that has any.
    fn of_family<'w>(&self, kernels: &[usize], wanted: &'w [usize]) -> Vec<&'w [usize]> {
        let per_kernel = self.grid.learners().len();
        let of = |k: usize| {
            let place = |c: usize| wanted.partition_point(|&configuration| configuration < c);
            &wanted[place(k * per_kernel)..place((k + 1) * per_kernel)]
        };
        kernels.iter().map(|&k| of(k)).filter(|configurations| !configurations.is_empty()).collect()
    }

    /// The scores of a task's configurations.
    fn task_scores(&self, matrices: &Matrices<'_>, task: &Task<'_>, split: &Split) -> Result<Vec<Entry>> {
        let mut shared = Shared::default();
        let mut out = Vec::new();
        for configurations in &task.configurations {
            self.engine.budget().check()?;
            let kernel = self.grid.kernel(configurations[0]);
            let material = self.material(matrices, kernel, split, &mut shared)?;
            let trained = self.train_configurations(configurations, &material, split)?;
            for (&configuration, trained) in configurations.iter().zip(trained) {
                let (score, converged) = match trained {
                    // Fitting the final model rejects such a kernel, so it must not be chosen either.
                    Ok(trained) if is_indefinite(&trained) => (None, true),
                    Ok(trained) => {
                        let prediction = material.predict(&trained)?;
                        (self.measure(self.score, &prediction, split)?.value(), trained.converged())
                    }
                    Err(error @ (Error::Interrupted | Error::Time { .. })) => return Err(error),
                    // A configuration that cannot be fitted (for example ν too large for the class sizes) has no score.
                    Err(_) => (None, true),
                };
                out.push(Entry { round: task.round, configuration, split: task.at, score, converged });
            }
        }
        Ok(out)
    }

    /// The data that models learn from and predict with, for one kernel on one split.
    fn material(
        &self,
        matrices: &Matrices<'_>,
        kernel: &Expression,
        split: &Split,
        shared: &mut Shared,
    ) -> Result<Material> {
        if !self.by_features {
            return Ok(Material::Blocks(matrices.blocks(kernel, &split.train, &split.test, shared)?));
        }
        let train = self.data.select(&split.train);
        let fitted = kernel.fit(&train, &self.silent)?;
        let rows = |data: &Dataset| LinearRows::of(kernel, &fitted.kernel, data, &self.silent);
        Ok(Material::Rows { train: rows(&train)?, test: rows(&self.data.select(&split.test))? })
    }

    /// Trains the configurations of one kernel and returns their models in order. Those that share a seed are
    /// warm-started from one another.
    fn train_configurations(
        &self,
        configurations: &[usize],
        material: &Material,
        split: &Split,
    ) -> Result<Vec<Result<Trained>>> {
        let seeds: BTreeSet<u64> =
            configurations.iter().map(|&configuration| self.seed_of(configuration)).collect();
        let mut out: Vec<Option<Result<Trained>>> = configurations.iter().map(|_| None).collect();
        for seed in seeds {
            let places: Vec<usize> =
                (0..configurations.len()).filter(|&p| self.seed_of(configurations[p]) == seed).collect();
            let learners: Vec<&Learner> =
                places.iter().map(|&p| self.grid.learner(configurations[p])).collect();
            for (place, trained) in places.iter().zip(self.train(&learners, material, split, seed)?) {
                out[*place] = Some(trained);
            }
        }
        Ok(out.into_iter().flatten().collect())
    }

    pub(super) fn seed_of(&self, configuration: usize) -> u64 {
        self.seeds.get(configuration % self.grid.learners().len()).copied().unwrap_or(self.seed)
    }

    fn train(
        &self,
        learners: &[&Learner],
        material: &Material,
        split: &Split,
        seed: u64,
    ) -> Result<Vec<Result<Trained>>> {
        let target = select(&self.target, &split.train);
        let weights = self.data.weights().map(|w| split.train.iter().map(|&i| w[i]).collect::<Vec<_>>());
        let training = Training {
            target: Some(&target),
            weights: weights.as_deref(),
            seed,
            budget: self.engine.budget().clone(),
        };
        match material {
            Material::Blocks(blocks) => {
                Ok(Learner::fit_path(learners, &GramColumns::new(&blocks.train)?, &training))
            }
            Material::Rows { train, .. } => {
                let rows = train.get()?;
                Ok(learners.iter().map(|learner| learner.fit_features(rows, &training)).collect())
            }
        }
    }

    /// Fits one configuration on one split and returns its predictions.
    pub fn fold(&self, configuration: usize, split: &Split) -> Result<Fold> {
        let mut folds = self.folds(&[(configuration, split)])?;
        folds.pop().ok_or_else(|| Error::usage("nothing was trained"))
    }

    /// Fits configurations on splits and returns the predictions of each.
    pub fn folds(&self, tasks: &[(usize, &Split)]) -> Result<Vec<Fold>> {
        if tasks.iter().any(|task| task.0 >= self.grid.len()) {
            return Err(Error::usage("a configuration number is outside the grid"));
        }
        self.plan()?;
        if let Some(folds) = self.left_out(tasks)? {
            return Ok(folds);
        }
        let progress = self.engine.progress();
        progress.begin("test sets", tasks.len() as u64);
        let mut matrices = Matrices::new(self.data, &self.silent);
        let per_kernel = self.grid.learners().len();
        let kernels: BTreeSet<usize> = tasks.iter().map(|task| task.0 / per_kernel).collect();
        let mut out: Vec<Option<Fold>> = tasks.iter().map(|_| None).collect();
        for kernel in kernels {
            let here: Vec<usize> = (0..tasks.len()).filter(|&t| tasks[t].0 / per_kernel == kernel).collect();
            if !self.by_features {
                matrices.prepare(std::slice::from_ref(&self.grid.kernels()[kernel]))?;
            }
            let work = |&t: &usize| -> Result<Fold> {
                let fold = self.model(&matrices, tasks[t].0, tasks[t].1).and_then(|(trained, material)| {
                    Ok(Fold {
                        test: tasks[t].1.test.clone(),
                        prediction: material.predict(&trained)?,
                        converged: trained.converged(),
                        no_margin: trained.has_no_margin(),
                        transductive: self.grid.kernel(tasks[t].0).is_transductive(),
                    })
                });
                progress.advance(1);
                fold
            };
            let done = self.engine.run(|| parallel::map(here.len(), |k| work(&here[k])));
            for (t, fold) in here.into_iter().zip(done) {
                out[t] = Some(fold?);
            }
        }
        progress.end();
        Ok(out.into_iter().flatten().collect())
    }

    /// The model of a configuration on a split, and the data it was trained on.
    pub(super) fn model(
        &self,
        matrices: &Matrices<'_>,
        configuration: usize,
        split: &Split,
    ) -> Result<(Trained, Material)> {
        self.engine.budget().check()?;
        let mut shared = Shared::default();
        let material = self.material(matrices, self.grid.kernel(configuration), split, &mut shared)?;
        let mut trained =
            self.train(&[self.grid.learner(configuration)], &material, split, self.seed_of(configuration))?;
        let trained = trained.pop().ok_or_else(|| Error::usage("nothing was trained"))??;
        Ok((trained, material))
    }

    /// A measure of the predictions for the test objects of a split.
    pub fn measure(&self, score: Score, prediction: &Prediction, split: &Split) -> Result<Measured> {
        check_score(score, &self.target)?;
        let mut answers = Answers::new(&self.target);
        answers.add(&self.target, &split.test, prediction)?;
        answers.measure(score)
    }

    /// Bytes of the matrices that a search holds at once.
    pub(in crate::select) fn bytes(&self) -> u64 {
        if self.by_features {
            // Coordinates of one kernel per thread, assuming as many as there are objects.
            let n = self.data.len() as u64;
            return 4 * n * n.min(MOST_COORDINATES) * self.engine.threads() as u64;
        }
        let kernels: Vec<usize> = (0..self.grid.kernels().len().min(64)).collect();
        let families = self.grid.families(&kernels);
        let most = families.iter().map(|f| f.len()).max().unwrap_or(1) as u64;
        Search::memory_needed(self.data.len(), most as usize, self.engine.threads())
    }

    /// Upper bound on the bytes of matrices that a search over `n` objects holds at once, when `family` kernels differ
    /// only in the steps of a walk.
    pub fn memory_needed(n: usize, family: usize, threads: usize) -> u64 {
        // One matrix per kernel of a stretch and one of distances; per thread one split's blocks, and five for a walk.
        let matrices = family.min(4) as u64 + 1 + 6 * threads as u64;
        8u64.saturating_mul(n as u64).saturating_mul(n as u64).saturating_mul(matrices)
    }

    /// Fails when the matrices of the search do not fit in memory.
    fn plan(&self) -> Result<()> {
        self.engine.budget().ask("the set of matrices of the search", self.bytes())
    }

    /// The number of kernel families whose matrices are held at once: enough to keep all cores busy, within memory.
    fn stretch(&self, splits: usize) -> usize {
        let n = self.data.len() as u64;
        let room = self.engine.memory().map_or(1 << 20, |bytes| bytes / 4 / (8 * n * n).max(1));
        let busy = (4 * self.engine.threads()).div_ceil(splits.max(1));
        busy.max(1).min(room.max(1) as usize).min(STRETCH)
    }

    /// Identifies the search that a journal belongs to: the data, the grid, the splits, the score, the seed.
    pub(super) fn identity(&self, splits: &[Split], configurations: &[usize], strategy: Strategy) -> String {
        let mut text = format!("{} {} {} {strategy}", env!("CARGO_PKG_VERSION"), self.score, self.seed);
        self.grid.kernels().iter().for_each(|k| text += &format!("|{k:#}"));
        self.grid.learners().iter().for_each(|l| text += &format!("|{l:#}"));
        for split in splits {
            text += &format!("|{:?} {:?}", split.train, split.test);
        }
        text += &format!(
            "|{configurations:?}|{:?}|{:?}|{}",
            self.target,
            self.data.weights(),
            Seeds(&self.seeds)
        );
        text += &format!("{:032x}", self.data.fingerprint());
        format!("{:032x}", xxhash_rust::xxh3::xxh3_128(text.as_bytes()))
    }
}

/// Whether a solver found a direction of negative curvature, so that the kernel matrix is indefinite.
fn is_indefinite(trained: &Trained) -> bool {
    trained.stops().iter().any(|(_, stop)| matches!(stop, Stop::NegativeCurvature { .. }))
}

/// Prints the seeds of the learners; nothing where they have none of their own.
struct Seeds<'s>(&'s [u64]);

impl std::fmt::Display for Seeds<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, "{:?}|", self.0) }
    }
}

/// Configurations of a family of kernels on one split: the unit of work of one thread.
struct Task<'w> {
    /// The requested configurations of each kernel.
    configurations: Vec<&'w [usize]>,
    at: usize,
    round: u32,
}

impl Task<'_> {
    /// All scores of the task, if recorded. Models along C are warm-started from one another, so all or none are used.
    fn known(&self, journal: &Journal) -> Option<Vec<Entry>> {
        self.configurations
            .iter()
            .copied()
            .flatten()
            .map(|&configuration| journal.get(self.round, configuration, self.at))
            .collect()
    }
}

/// Checks that a score suits the kind of target.
pub(in crate::select) fn check_score(score: Score, target: &Target) -> Result<()> {
    let domain = match (score.needs(), target) {
        (Needs::Numbers, Target::Classes(_)) => "a measure of classes: the target holds classes",
        (Needs::Numbers, Target::Numbers(_)) => return Ok(()),
        (_, Target::Numbers(_)) => "a measure of numbers: the target holds numbers",
        // Some measures need exactly two classes: a trial measurement shows it.
        (_, Target::Classes(classes)) => {
            let classes = classes.levels().len().max(2);
            let decisions = Dense::zeros(2, classes);
            let halves = Dense::new(2, classes, vec![1.0 / classes as f64; 2 * classes])?;
            let predicted = Predicted {
                labels: Some(&[0, 1]),
                decisions: Some(&decisions),
                probabilities: Some(&halves),
                ..Predicted::default()
            };
            return score.measure(&Truth::Classes { codes: &[0, 1], classes }, &predicted).map(|_| ());
        }
    };
    Err(Error::param("score", score, domain))
}

/// Checks that every learner gives probabilities where the score needs them.
pub(in crate::select) fn check_probabilities(score: Score, grid: &Grid) -> Result<()> {
    let without = grid.learners().iter().find(|l| !l.gives_probabilities());
    let (Needs::Probabilities, Some(learner)) = (score.needs(), without) else { return Ok(()) };
    let known = learner.facts().parameters.iter().any(|p| p.name == "probability");
    let domain = match known {
        true => format!(
            "a measure of classes or decision values: {learner} gives no probabilities without probability=yes"
        ),
        false => format!(
            "a measure of classes or decision values: {} gives no probabilities; gpc does, svc and nu-svc do with probability=yes",
            learner.name()
        ),
    };
    Err(Error::param("score", score, &domain))
}

/// The training data of one split: similarities or features.
pub(super) enum Material {
    Blocks(Blocks),
    Rows { train: LinearRows, test: LinearRows },
}

impl Material {
    /// A model's predictions for the test objects.
    fn predict(&self, trained: &Trained) -> Result<Prediction> {
        match self {
            Material::Blocks(blocks) => predict(trained, blocks),
            Material::Rows { test, .. } => trained.predict_features(test.get()?),
        }
    }
}

/// A model's predictions for the test objects of a split.
pub(super) fn predict(trained: &Trained, blocks: &Blocks) -> Result<Prediction> {
    let support = trained.support();
    let own = trained.needs_self_similarities().then_some(blocks.own.as_slice());
    if support.len() == blocks.cross.cols() {
        return trained.predict(&blocks.cross, own);
    }
    let mut cross = Dense::zeros(blocks.cross.rows(), support.len());
    for i in 0..cross.rows() {
        let row = blocks.cross.row(i);
        cross.row_mut(i).iter_mut().zip(support).for_each(|(v, &j)| *v = row[j]);
    }
    trained.predict(&cross, own)
}

fn select(target: &Target, rows: &[usize]) -> Target {
    match target {
        Target::Classes(classes) => Target::Classes(classes.select(rows)),
        Target::Numbers(numbers) => Target::Numbers(rows.iter().map(|&i| numbers[i]).collect()),
    }
}

/// The result of one configuration on one split.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The test objects.
    pub test: Vec<usize>,
    /// The predictions for them.
    pub prediction: Prediction,
    /// Whether every solver converged.
    pub converged: bool,
    /// Whether one of the solvers found no margin for ν.
    pub no_margin: bool,
    /// Whether the kernel was fitted to the test objects as well.
    pub transductive: bool,
}
