//! The scores of cells on divisions.

use std::collections::BTreeMap;
use std::path::Path;

use rayon::prelude::*;

use super::grid::Grid;
use super::journal::Journal;
use crate::data::{Dataset, Dense, Target};
use crate::error::{Error, Result};
use crate::expression::{Blocks, Expression, Learner, Matrices, Shared, Training};
use crate::gram::Engine;
use crate::kernel::Identify;
use crate::learn::{Prediction, Trained};
use crate::select::{Measured, Needs, Predicted, Score, Split, Truth};
use crate::solve::GramColumns;

/// A search over a grid, by one score.
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
}

/// Families of kernels worked on between two notes in the journal, at most, and divisions of families, at least.
const STRETCH: usize = 8;
const TASKS: usize = 16;

impl<'a> Search<'a> {
    /// A search over data with a target. The score must suit the target and what the learners give: labels, decision
    /// values, numbers, or with `probability=yes` probabilities.
    pub fn new(
        data: &'a Dataset,
        grid: &'a Grid,
        score: Score,
        engine: &'a Engine,
        seed: u64,
    ) -> Result<Self> {
        if grid.is_empty() {
            return Err(Error::usage("a grid without cells: a list of choices is empty"));
        }
        if let Some(learner) = grid.learners().iter().find(|l| !l.facts().predicts.needs_target()) {
            return Err(Error::usage(format!(
                "{} learns without a target: there is nothing to score it by",
                learner.name()
            )));
        }
        let target = data.target().ok_or_else(|| Error::usage("a search needs a target to learn"))?.clone();
        if let Some(learner) = grid.learners().iter().find(|l| l.needs_features()) {
            return Err(Error::usage(format!(
                "{} learns from features; a search works on similarities",
                learner.name()
            )));
        }
        if let (Needs::Numbers, Target::Classes(_)) = (score.needs(), &target) {
            return Err(Error::param("score", score, "a measure of classes: the target holds classes"));
        }
        if let Target::Numbers(_) = &target
            && score.needs() != Needs::Numbers
        {
            return Err(Error::param("score", score, "a measure of numbers: the target holds numbers"));
        }
        if let (Needs::Probabilities, Some(learner)) =
            (score.needs(), grid.learners().iter().find(|l| !l.gives_probabilities()))
        {
            let known = learner.facts().parameters.iter().any(|p| p.name == "probability");
            let domain = match known {
                true => format!(
                    "a measure of classes or decision values: {learner} gives no probabilities without probability=yes"
                ),
                false => format!(
                    "a measure of classes or decision values: {} gives no probabilities; svc and nu-svc do with \
                     probability=yes",
                    learner.name()
                ),
            };
            return Err(Error::param("score", score, &domain));
        }
        Ok(Search { data, grid, score, engine, seed, target })
    }

    /// Scores every cell on every division. With a path, finished work is noted there, and noted work is not done again.
    pub fn run(&self, splits: &[Split], journal: Option<&Path>) -> Result<CellScores> {
        let all: Vec<usize> = (0..self.grid.len()).collect();
        self.run_cells(splits, &all, journal)
    }

    /// The same for some cells, ascending.
    pub fn run_cells(&self, splits: &[Split], cells: &[usize], journal: Option<&Path>) -> Result<CellScores> {
        let per_kernel = self.grid.learners().len();
        let mut wanted: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        cells.iter().for_each(|&c| wanted.entry(c / per_kernel).or_default().push(c % per_kernel));
        let kernels: Vec<usize> = wanted.keys().copied().collect();
        let families = self.grid.families(&kernels);
        let mut journal = match journal {
            Some(path) => Some(Journal::open(path, &self.identity(splits, cells)?)?),
            None => None,
        };
        let mut out = CellScores::new(self.grid.len(), splits.len(), self.score);
        let mut matrices = Matrices::new(self.data, self.engine);
        self.plan(&families, &kernels, splits.len())?;
        let progress = self.engine.progress();
        progress.begin("cells", (cells.len() * splits.len()) as u64);
        for (number, stretch) in families.chunks(self.stretch(splits.len())).enumerate() {
            if let Some(known) = journal.as_mut().and_then(|j| j.take(number)) {
                out.absorb(&known)?;
                progress.advance(known.len() as u64);
                continue;
            }
            let here: Vec<Expression> = stretch
                .iter()
                .flat_map(|f| &kernels[f.clone()])
                .map(|&k| self.grid.kernels()[k].clone())
                .collect();
            matrices.prepare(&here)?;
            let tasks: Vec<(&[usize], usize)> =
                stretch.iter().flat_map(|f| (0..splits.len()).map(|s| (&kernels[f.clone()], s))).collect();
            let work = |&(family, at): &(&[usize], usize)| {
                let done = self.split_scores(&matrices, family, &wanted, &splits[at], at);
                if let Ok(done) = &done {
                    progress.advance(done.len() as u64);
                }
                done
            };
            let done: Vec<Result<Vec<Entry>>> = self.engine.run(|| tasks.par_iter().map(work).collect());
            let done: Vec<Entry> = done.into_iter().collect::<Result<Vec<_>>>()?.concat();
            out.absorb(&done)?;
            if let Some(journal) = &mut journal {
                journal.note(number, &done)?;
            }
        }
        progress.end();
        Ok(out)
    }

    /// The scores of a family of kernels on one division.
    fn split_scores(
        &self,
        matrices: &Matrices<'_>,
        family: &[usize],
        wanted: &BTreeMap<usize, Vec<usize>>,
        split: &Split,
        at: usize,
    ) -> Result<Vec<Entry>> {
        let mut shared = Shared::default();
        let mut out = Vec::new();
        for &k in family {
            self.engine.cancel().check()?;
            let blocks = matrices.blocks(&self.grid.kernels()[k], &split.train, &split.test, &mut shared)?;
            let learners: Vec<&Learner> = wanted[&k].iter().map(|&l| &self.grid.learners()[l]).collect();
            let trained = self.train(&learners, &blocks, split)?;
            for (&l, trained) in wanted[&k].iter().zip(trained) {
                let cell = k * self.grid.learners().len() + l;
                out.push(match trained {
                    Ok(trained) => {
                        let prediction = predict(&trained, &blocks)?;
                        let score = self.measure(self.score, &prediction, split)?;
                        Entry { cell, split: at, score: score.value(), converged: trained.converged() }
                    }
                    Err(Error::Interrupted) => return Err(Error::Interrupted),
                    // A cell that cannot be fitted (ν beyond what the classes allow, say) has no score.
                    Err(_) => Entry { cell, split: at, score: None, converged: true },
                });
            }
        }
        Ok(out)
    }

    fn train(&self, learners: &[&Learner], blocks: &Blocks, split: &Split) -> Result<Vec<Result<Trained>>> {
        let columns = GramColumns::new(&blocks.train)?;
        let target = select(&self.target, &split.train);
        let weights = self.data.weights().map(|w| split.train.iter().map(|&i| w[i]).collect::<Vec<_>>());
        let training = Training {
            target: Some(&target),
            weights: weights.as_deref(),
            seed: self.seed,
            cancel: self.engine.cancel().clone(),
        };
        Ok(Learner::fit_path(learners, &columns, &training))
    }

    /// One cell on one division, with everything that was predicted.
    pub fn fold(&self, cell: usize, split: &Split) -> Result<Fold> {
        let mut matrices = Matrices::new(self.data, self.engine);
        matrices.prepare(std::slice::from_ref(self.grid.kernel(cell)))?;
        let mut shared = Shared::default();
        let blocks = matrices.blocks(self.grid.kernel(cell), &split.train, &split.test, &mut shared)?;
        let mut trained = self.train(&[self.grid.learner(cell)], &blocks, split)?;
        let trained = trained.pop().ok_or_else(|| Error::usage("nothing was trained"))??;
        let prediction = predict(&trained, &blocks)?;
        let transductive = self.grid.kernel(cell).is_transductive();
        Ok(Fold { test: split.test.clone(), prediction, converged: trained.converged(), transductive })
    }

    /// A measure of what was predicted for the test objects of a division.
    pub fn measure(&self, score: Score, prediction: &Prediction, split: &Split) -> Result<Measured> {
        match (&self.target, &prediction.target) {
            (Target::Numbers(truth), Some(Target::Numbers(predicted))) => {
                let truth: Vec<f64> = split.test.iter().map(|&i| truth[i]).collect();
                let predicted = Predicted { numbers: Some(predicted), ..Predicted::default() };
                score.measure(&Truth::Numbers(&truth), &predicted)
            }
            (Target::Classes(truth), Some(Target::Classes(predicted))) => {
                let levels = truth.levels();
                let code = |name: &str| levels.iter().position(|l| l == name).unwrap_or(0);
                let names: Vec<usize> = predicted.levels().iter().map(|l| code(l)).collect();
                let labels: Vec<usize> = (0..predicted.len())
                    .map(|i| predicted.code(i).map_or(0, |c| names[c as usize]))
                    .collect();
                let truth: Vec<usize> =
                    split.test.iter().map(|&i| truth.code(i).map_or(0, |c| c as usize)).collect();
                let decisions = match score.needs() {
                    Needs::Decisions => Some(per_class(prediction, &names, levels.len())?),
                    _ => None,
                };
                let probabilities = match &prediction.probabilities {
                    Some(p) if score.needs() == Needs::Probabilities => {
                        Some(spread(p, &names, levels.len())?)
                    }
                    _ => None,
                };
                let predicted = Predicted {
                    labels: Some(&labels),
                    decisions: decisions.as_ref(),
                    probabilities: probabilities.as_ref(),
                    ..Predicted::default()
                };
                score.measure(&Truth::Classes { codes: &truth, classes: levels.len() }, &predicted)
            }
            _ => Err(Error::usage("predictions of another kind than the target")),
        }
    }

    /// Refuses a search whose matrices over all objects do not fit in memory.
    fn plan(&self, families: &[std::ops::Range<usize>], kernels: &[usize], splits: usize) -> Result<()> {
        let n = self.data.len() as u64;
        let longest = families.iter().map(|f| kernels[f.clone()].len()).max().unwrap_or(1) as u64;
        let threads = self.engine.threads() as u64;
        // A matrix for each kernel of a stretch and one of distances; in each thread a division's blocks, a walk's five.
        let held = 1 + longest * (self.stretch(splits) as u64) + 6 * threads;
        crate::gram::plan::check("the matrices of the search", 8 * n * n * held, self.engine.memory())
    }

    /// The families to work on between two notes: enough to keep cores busy, and the same on every machine, so that a
    /// journal can be continued anywhere.
    fn stretch(&self, splits: usize) -> usize {
        TASKS.div_ceil(splits.max(1)).clamp(1, STRETCH)
    }

    /// What a journal must be of to be continued: the data, the grid, the divisions, the score, the seed.
    fn identity(&self, splits: &[Split], cells: &[usize]) -> Result<String> {
        let mut text = format!("{} {} {}", env!("CARGO_PKG_VERSION"), self.score, self.seed);
        self.grid.kernels().iter().for_each(|k| text += &format!("|{k:#}"));
        self.grid.learners().iter().for_each(|l| text += &format!("|{l:#}"));
        for split in splits {
            text += &format!("|{:?} {:?}", split.train, split.test);
        }
        text += &format!("|{cells:?}|{:?}|{}", self.target, self.stretch(splits.len()));
        let mut parts = vec![xxhash_rust::xxh3::xxh3_128(text.as_bytes())];
        for column in self.data.columns() {
            parts.push(xxhash_rust::xxh3::xxh3_128(column.name.as_bytes()));
            parts.extend(column.values.identities()?);
        }
        let bytes: Vec<u8> = parts.iter().flat_map(|p| p.to_le_bytes()).collect();
        Ok(format!("{:032x}", xxhash_rust::xxh3::xxh3_128(&bytes)))
    }
}

/// The score of a cell on a division; none where it has no value.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
pub(super) struct Entry {
    pub(super) cell: usize,
    pub(super) split: usize,
    pub(super) score: Option<f64>,
    pub(super) converged: bool,
}

/// What a machine predicts for the test objects of a division.
fn predict(trained: &Trained, blocks: &Blocks) -> Result<Prediction> {
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

/// Decision values with a column per class of the data; of machines for pairs, the sums of each class's decisions.
/// Of two classes, one column that grows towards the second.
fn per_class(prediction: &Prediction, names: &[usize], classes: usize) -> Result<Dense> {
    let n = prediction.decisions.rows();
    let known = names.len();
    let mut out = Dense::zeros(n, classes);
    let columns = prediction.decisions.cols();
    // The places of the classes in each column: (against, for).
    let pairs: Vec<(usize, usize)> = match (columns, known) {
        (1, 2) => vec![(names[0], names[1])],
        (c, k) if c == k => names.iter().map(|&name| (usize::MAX, name)).collect(),
        _ => (0..known)
            .flat_map(|a| (a + 1..known).map(move |b| (a, b)))
            .map(|(a, b)| (names[a], names[b]))
            .collect(),
    };
    if pairs.len() != columns {
        return Err(Error::usage("decision values that belong to no classes"));
    }
    for i in 0..n {
        let decisions = prediction.decisions.row(i);
        let row = out.row_mut(i);
        for (&(against, for_), &d) in pairs.iter().zip(decisions) {
            row[for_] += d;
            if against != usize::MAX {
                row[against] -= d;
            }
        }
    }
    Ok(out)
}

/// Probabilities with a column per class of the data; classes that were not there to learn have none.
fn spread(probabilities: &Dense, names: &[usize], classes: usize) -> Result<Dense> {
    if probabilities.cols() != names.len() {
        return Err(Error::usage("probabilities that belong to no classes"));
    }
    let mut out = Dense::zeros(probabilities.rows(), classes);
    for i in 0..probabilities.rows() {
        let row = out.row_mut(i);
        probabilities.row(i).iter().zip(names).for_each(|(p, &class)| row[class] += p);
    }
    Ok(out)
}

/// One cell on one division.
#[derive(Clone, Debug)]
pub struct Fold {
    /// The test objects.
    pub test: Vec<usize>,
    /// What was predicted for them.
    pub prediction: Prediction,
    /// Whether every solver converged.
    pub converged: bool,
    /// Whether the kernel saw the test objects while it was fitted.
    pub transductive: bool,
}

/// The scores of cells on divisions.
#[derive(Clone, Debug, PartialEq)]
pub struct CellScores {
    splits: usize,
    score: Score,
    /// By cell, then by division.
    values: Vec<Option<f64>>,
    converged: Vec<bool>,
}

impl CellScores {
    fn new(cells: usize, splits: usize, score: Score) -> Self {
        CellScores {
            splits,
            score,
            values: vec![None; cells * splits],
            converged: vec![true; cells * splits],
        }
    }

    fn absorb(&mut self, entries: &[Entry]) -> Result<()> {
        for entry in entries {
            let at = entry.cell * self.splits + entry.split;
            if entry.split >= self.splits || at >= self.values.len() {
                return Err(Error::usage("a noted score of no cell of this search"));
            }
            self.values[at] = entry.score;
            self.converged[at] = entry.converged;
        }
        Ok(())
    }

    /// The scores of a cell, one per division; none where it has no value.
    pub fn of(&self, cell: usize) -> &[Option<f64>] {
        &self.values[cell * self.splits..(cell + 1) * self.splits]
    }

    /// The mean score of a cell over all divisions; none where one has no value.
    pub fn mean(&self, cell: usize) -> Option<f64> {
        self.mean_over(cell, 0..self.splits)
    }

    /// The mean over some divisions.
    pub fn mean_over(&self, cell: usize, splits: std::ops::Range<usize>) -> Option<f64> {
        let count = splits.len();
        let values = &self.of(cell)[splits];
        let sum = values.iter().try_fold(0.0, |sum, v| v.map(|v| sum + v))?;
        (count > 0).then(|| sum / count as f64)
    }

    /// Whether every machine of a cell converged.
    pub fn converged(&self, cell: usize) -> bool {
        self.converged[cell * self.splits..(cell + 1) * self.splits].iter().all(|c| *c)
    }

    /// The number of fits that did not converge.
    pub fn unconverged(&self) -> usize {
        self.converged.iter().filter(|c| !**c).count()
    }

    /// The cell with the best mean; the first among equals.
    pub fn best(&self) -> Option<usize> {
        let cells = self.values.len() / self.splits.max(1);
        self.best_among(0..cells, 0..self.splits)
    }

    /// The best of some cells over some divisions; the first among equals.
    pub fn best_among(
        &self,
        cells: impl Iterator<Item = usize>,
        splits: std::ops::Range<usize>,
    ) -> Option<usize> {
        let sign = if self.score.greater_is_better() { 1.0 } else { -1.0 };
        let valued = cells.filter_map(|c| Some((c, sign * self.mean_over(c, splits.clone())?)));
        // Means of equal scores may differ by a rounding, which is no difference.
        let better = |new: f64, old: f64| new > old + 1e-12 * old.abs();
        valued
            .fold(None, |best: Option<(usize, f64)>, (cell, mean)| match best {
                Some((_, old)) if !better(mean, old) => best,
                _ => Some((cell, mean)),
            })
            .map(|(cell, _)| cell)
    }

    /// The number of divisions.
    pub fn splits(&self) -> usize {
        self.splits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Categories, generate};
    use crate::select::{Objects, Protocol, Splits};

    fn splits(data: &Dataset) -> Vec<Split> {
        Splits::new(&Protocol::folds(3), &Objects::of(data).unwrap(), 5).unwrap().iter().collect()
    }

    /// -Σ ln p / n and the Brier score from folds predicted one by one.
    #[test]
    fn measures_of_probabilities_are_those_of_plain_loops() {
        let engine = Engine::new();
        for (data, scheme) in [
            (generate::half_moons(90, 0.3, 1).unwrap(), "one-versus-one"),
            (generate::rings(90, 0.3, 1).unwrap(), "one-versus-one"),
            (generate::rings(90, 0.3, 1).unwrap(), "one-versus-rest"),
        ] {
            let learner = format!("svc(C=[1, 10], scheme={scheme}, probability=yes)");
            let grid = Grid::new(&"rbf(gamma=[0.5, 2])".parse().unwrap(), &learner.parse().unwrap()).unwrap();
            let Some(Target::Classes(truth)) = data.target() else { panic!("classes") };
            let (splits, classes) = (splits(&data), truth.levels().len());
            for score in [Score::LogLoss, Score::Brier] {
                let search = Search::new(&data, &grid, score, &engine, 3).unwrap();
                let scores = search.run(&splits, None).unwrap();
                for cell in 0..grid.len() {
                    for (at, split) in splits.iter().enumerate() {
                        let fold = search.fold(cell, split).unwrap();
                        let p = fold.prediction.probabilities.as_ref().unwrap();
                        let Some(Target::Classes(levels)) = &fold.prediction.target else {
                            panic!("classes")
                        };
                        let mut sum = 0.0;
                        for (row, &i) in split.test.iter().enumerate() {
                            let is = |c: usize| Some(levels.levels()[c].as_str()) == truth.get(i);
                            let one = |c: usize| (p.at(row, c) - f64::from(u8::from(is(c)))).powi(2);
                            sum += match score {
                                Score::LogLoss => {
                                    (0..classes).find(|&c| is(c)).map_or(0.0, |c| -p.at(row, c).ln())
                                }
                                _ if classes == 2 => one(1),
                                _ => (0..classes).map(one).sum(),
                            };
                        }
                        let (found, expected) = (scores.of(cell)[at].unwrap(), sum / split.test.len() as f64);
                        assert!((found - expected).abs() < 1e-12, "{score} {cell} {at}: {found} {expected}");
                    }
                }
                let best = scores.best().unwrap();
                let constant = if score == Score::LogLoss {
                    (classes as f64).ln()
                } else {
                    [0.25, 2.0 / 3.0][classes - 2]
                };
                assert!(scores.mean(best).unwrap() < 0.7 * constant, "{score}: {:?}", scores.mean(best));
            }
        }
    }

    #[test]
    fn a_class_that_training_misses_has_no_probability() {
        let engine = Engine::new();
        let x = Dense::from_rows(&(0..12).map(|i| [f64::from(i)]).collect::<Vec<_>>());
        // The first class in the order of the data is not among the training objects.
        let names = (0..12).map(|i| Some(["z", "a", "m"][if i < 2 { 0 } else { 1 + i % 2 }]));
        let target = Target::Classes(Categories::from_values(names));
        let data = Dataset::of_vectors(x).with_target("c", target).unwrap();
        let grid = Grid::new(&"linear".parse().unwrap(), &"svc(probability=yes)".parse().unwrap()).unwrap();
        let search = Search::new(&data, &grid, Score::LogLoss, &engine, 0).unwrap();
        let split = Split { repetition: 0, fold: 0, train: (2..12).collect(), test: vec![0, 2] };
        let fold = search.fold(0, &split).unwrap();
        let p = fold.prediction.probabilities.as_ref().unwrap();
        let Some(Target::Classes(levels)) = &fold.prediction.target else { panic!("classes") };
        let own = levels.levels().iter().position(|l| l == "a").unwrap();
        let expected = 0.5 * (-f64::EPSILON.ln() - p.at(1, own).ln());
        let found = search.measure(Score::LogLoss, &fold.prediction, &split).unwrap().value().unwrap();
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }

    #[test]
    fn measures_of_probabilities_need_learners_that_give_them() {
        let (data, engine) = (generate::half_moons(30, 0.1, 1).unwrap(), Engine::new());
        for (learner, words) in [
            ("svc(C=2)", "svc(C=2) gives no probabilities without probability=yes"),
            ("svc(probability=[yes, no])", "without probability=yes"),
            ("knn", "knn gives no probabilities; svc and nu-svc do"),
        ] {
            let grid = Grid::new(&"linear".parse().unwrap(), &learner.parse().unwrap()).unwrap();
            let error = Search::new(&data, &grid, Score::Brier, &engine, 0).err().unwrap().to_string();
            assert!(error.contains(words), "{error}");
            assert!(Search::new(&data, &grid, Score::Accuracy, &engine, 0).is_ok());
        }
    }
}
