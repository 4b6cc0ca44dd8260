//! Compares the search with direct computation of the same configurations, and checks that test objects do not leak.

use super::journal::Journal;
use super::*;
use crate::data::{Categories, Column, Dataset, Dense, Target, Values};
use crate::error::Result;
use crate::expression::{Expression, Learner, Matrices, Training};
use crate::gram::Engine;
use crate::learn::Trained;
use crate::random::Random;
use crate::select::{Nested, Objects, Protocol, Score, Split, Splits, nested};
use crate::solve::GramColumns;

/// Two noisy classes of points in the plane that no line separates.
fn points(n: usize, seed: u64) -> (Vec<f64>, Vec<u32>) {
    let mut random = Random::new(seed);
    let mut values = Vec::new();
    let mut codes = Vec::new();
    for i in 0..n {
        let class = (i % 2) as u32;
        let radius = 1.0 + 1.5 * f64::from(class) + 0.4 * random.normal();
        let angle = std::f64::consts::TAU * random.unit();
        values.extend([radius * angle.cos(), 5.0 * radius * angle.sin()]);
        codes.push(class);
    }
    (values, codes)
}

fn classes(values: Vec<f64>, codes: Vec<u32>) -> Dataset {
    let n = codes.len();
    let levels = vec!["in".to_owned(), "out".to_owned()];
    let target = Target::Classes(Categories::from_codes(codes, levels));
    let x = Values::Numbers(Dense::new(n, 2, values).unwrap());
    Dataset::new(vec![Column::new("x", x)]).unwrap().with_target("class", target).unwrap()
}

fn rings(n: usize) -> Dataset {
    let (values, codes) = points(n, 3);
    classes(values, codes)
}

fn numbers(n: usize) -> Dataset {
    let (values, _) = points(n, 4);
    let target = values.chunks(2).map(|x| x[0] * x[0] - 0.3 * x[1]).collect();
    let x = Values::Numbers(Dense::new(n, 2, values).unwrap());
    let data = Dataset::new(vec![Column::new("x", x)]).unwrap();
    data.with_target("y", Target::Numbers(target)).unwrap()
}

fn grid(kernel: &str, learner: &str) -> Grid {
    Grid::new(&kernel.parse().unwrap(), &learner.parse().unwrap()).unwrap()
}

fn folds(data: &Dataset, k: usize) -> Vec<Split> {
    Splits::new(&Protocol::folds(k), &Objects::of(data).unwrap(), 7).unwrap().iter().collect()
}

fn splits(data: &Dataset, outer: usize, inner: usize) -> Vec<Nested> {
    let objects = Objects::of(data).unwrap();
    let inner = Protocol::folds(inner);
    nested(&Protocol::folds(outer), &inner, &objects, 7).unwrap().collect::<Result<_>>().unwrap()
}

/// One configuration on one split, computed directly: fitted kernel, whole matrices, a learner.
fn direct_score(
    data: &Dataset,
    kernel: &Expression,
    learner: &Learner,
    split: &Split,
    score: Score,
) -> Option<f64> {
    let engine = Engine::new();
    let (train, test) = (data.select(&split.train), data.select(&split.test));
    let fitted = kernel.fit(&train, &engine).unwrap();
    let gram = engine.gram(&fitted.kernel, &train).unwrap();
    let target = train.target().unwrap();
    let trained: Trained = learner.fit(&GramColumns::new(&gram).unwrap(), &Training::of(target)).unwrap();
    let support = train.select(trained.support());
    let cross = engine.cross(&fitted.kernel, &test, &support).unwrap();
    let prediction = trained.predict(&cross, None).unwrap();
    match (test.target().unwrap(), prediction.numbers()) {
        (Target::Numbers(truth), Some(predicted)) => {
            let sum: f64 = truth.iter().zip(predicted).map(|(t, p)| (t - p) * (t - p)).sum();
            assert_eq!(score, Score::Rmse);
            Some((sum / truth.len() as f64).sqrt())
        }
        (Target::Classes(truth), _) => {
            let right = (0..truth.len()).filter(|&i| truth.get(i) == prediction.class(i)).count();
            assert_eq!(score, Score::Accuracy);
            Some(right as f64 / truth.len() as f64)
        }
        _ => None,
    }
}

#[test]
fn configurations_match_direct_computation() {
    let engine = Engine::new().with_threads(3).unwrap();
    for (data, kernel, learner, score) in [
        (numbers(60), "standardize(rbf(gamma=[0.1, 1, 4]))", "ridge(lambda=[0.01, 1])", Score::Rmse),
        (numbers(60), "walk(standardize(rbf(gamma=1)), p=1..3)", "ridge(lambda=[0.1])", Score::Rmse),
        (numbers(60), "center(polynomial(degree=2, c=1, gamma=[0.1, 1]))", "ridge(lambda=1)", Score::Rmse),
        (
            rings(60),
            "normalize(minmax(polynomial(degree=[2, 3], c=1, gamma=1)))",
            "knn(k=[1, 3, 5])",
            Score::Accuracy,
        ),
        (rings(60), "standardize(rbf(gamma=[0.3, 1]))", "svc(C=[1, 10])", Score::Accuracy),
    ] {
        let grid = grid(kernel, learner);
        let search = Search::new(&data, &grid, score, &engine, 1).unwrap();
        let splits = folds(&data, 4);
        let scores = search.run(&splits, None).unwrap();
        for configuration in 0..grid.len() {
            for (split, &found) in splits.iter().zip(scores.of(configuration)) {
                let expected = direct_score(
                    &data,
                    grid.kernel(configuration),
                    grid.learner(configuration),
                    split,
                    score,
                );
                let (found, expected) = (found.unwrap(), expected.unwrap());
                assert!(
                    (found - expected).abs() < 1e-7,
                    "{:?}: {found} for {expected}",
                    grid.describe(configuration)
                );
            }
        }
    }
}

#[test]
fn decisions_of_three_classes_are_ordered_by_votes() {
    let data = crate::data::generate::balance().unwrap();
    let grid = grid("standardize(polynomial(degree=2, c=1, gamma=1))", "svc(C=10)");
    let engine = Engine::new();
    let search = Search::new(&data, &grid, Score::Accuracy, &engine, 1).unwrap();
    let split = &folds(&data, 3)[0];
    let fold = search.fold(0, split).unwrap();
    // A predicted class has the most votes, so that near-perfect labels mean near-perfect areas.
    let accuracy = search.measure(Score::Accuracy, &fold.prediction, split).unwrap().value().unwrap();
    let area = search.measure(Score::AucMacro, &fold.prediction, split).unwrap().value().unwrap();
    assert!(accuracy > 0.95 && area > 0.95, "{accuracy} {area}");
}

/// The exact bits of a model, without the time it took.
type ModelBits = (Vec<usize>, Vec<(Vec<usize>, Vec<u64>, u64, Option<u64>)>);

fn model_bits(trained: &Trained) -> ModelBits {
    let Some(svc) = trained.model_as::<crate::learn::svm::SvcModel>() else {
        panic!("not a support vector machine")
    };
    let bits = |values: &[f64]| values.iter().map(|v| v.to_bits()).collect::<Vec<u64>>();
    let models = svc.classifiers().iter().map(|m| {
        let iterations = m.certificate.as_ref().map(|c| c.iterations);
        (m.support.clone(), bits(&m.coefficients), m.offset.to_bits(), iterations)
    });
    (trained.support().to_vec(), models.collect())
}

/// The exact bits of everything a nested evaluation returns for one outer split.
fn outer_split_bits(
    search: &Search<'_>,
    evaluation: &Evaluation,
    at: usize,
) -> (usize, Vec<Option<u64>>, ModelBits) {
    let tuning = evaluation.tuning.as_ref().unwrap();
    let configurations = tuning.scores.configurations().iter();
    let inner: Vec<Option<u64>> = configurations
        .flat_map(|&c| tuning.scores.of(c).get(tuning.ranges[at].clone()).unwrap())
        .map(|score| score.map(f64::to_bits))
        .collect();
    let configuration = evaluation.folds[at].configuration;
    let mut matrices = Matrices::new(search.data, search.engine);
    matrices.prepare(std::slice::from_ref(search.grid.kernel(configuration))).unwrap();
    let (trained, _) = search.model(&matrices, configuration, &evaluation.folds[at].split).unwrap();
    (configuration, inner, model_bits(&trained))
}

const KERNELS: [&str; 7] = [
    "standardize(rbf(gamma=[0.1, 1]))",
    "walk(standardize(rbf(gamma=1)), p=[1, 2])",
    "center(minmax(polynomial(degree=[2, 3], c=1, gamma=1)))",
    "repair(standardize(sigmoid(gamma=[0.1, 0.5])), method=clip)",
    "walk(standardize(rbf(gamma=1)), p=[2, 3], through=support)",
    "normalize(linear) + 0.5*standardize(rbf(gamma=[0.1, 2]))",
    "rbf(gamma=[scale, 0.5]) + laplacian(gamma=scale)",
];

/// The rings, with features and classes of some rows replaced by distant values.
fn altered(n: usize, rows: &[usize], labels: bool) -> Dataset {
    let (mut values, mut codes) = points(n, 3);
    let mut random = Random::new(99);
    for &i in rows {
        values[2 * i] = 30.0 * random.normal();
        values[2 * i + 1] = 30.0 * random.normal();
        if labels {
            codes[i] = 1 - codes[i];
        }
    }
    classes(values, codes)
}

#[test]
fn test_objects_do_not_influence_choices_or_models() {
    let n = 80;
    let data = rings(n);
    let splits = splits(&data, 4, 3);
    let engine = Engine::new();
    for strategy in [Strategy::Grid, Strategy::Random(3), Strategy::Halving(None)] {
        for kernel in KERNELS {
            let grid = grid(kernel, "svc(C=[1, 10])");
            let search = Search::new(&data, &grid, Score::Accuracy, &engine, 5).unwrap();
            let first = search.nested_by(&splits, strategy, None).unwrap();
            for at in [0, 3] {
                let other = altered(n, &splits[at].outer.test, true);
                let search_other = Search::new(&other, &grid, Score::Accuracy, &engine, 5).unwrap();
                let second = search_other.nested_by(&splits, strategy, None).unwrap();
                let (before, after) =
                    (outer_split_bits(&search, &first, at), outer_split_bits(&search_other, &second, at));
                assert!(before == after, "{kernel} {strategy}: the test set leaked");
                let (a, b) = (&first.folds[at].fold.prediction, &second.folds[at].fold.prediction);
                assert!(a.decisions != b.decisions, "changed objects must change predictions");
            }
        }
    }
}

#[test]
fn each_learner_has_its_seed_and_indefinite_kernels_have_no_score() {
    let (data, engine) = (rings(60), Engine::new());
    let splits = folds(&data, 3);
    let twice = || vec!["voted-perceptron(order=shuffled, rounds=1)".parse().unwrap(); 2];
    let pair = Grid::of(vec!["rbf(gamma=1)".parse().unwrap()], twice()).unwrap();
    let scores = |seeds: Vec<u64>| {
        let search =
            Search::new(&data, &pair, Score::Accuracy, &engine, 1).unwrap().with_seeds(seeds).unwrap();
        let scores = search.run(&splits, None).unwrap();
        [scores.of(0).to_vec(), scores.of(1).to_vec()]
    };
    let alone = |seed: u64| {
        let search = Search::new(&data, &pair, Score::Accuracy, &engine, seed).unwrap();
        search.run(&splits, None).unwrap().of(0).to_vec()
    };
    assert_eq!(scores(vec![5, 9]), [alone(5), alone(9)]);
    assert!((2..20).any(|seed| alone(seed) != alone(1)), "seeds must matter");
    assert!(Search::new(&data, &pair, Score::Accuracy, &engine, 1).unwrap().with_seeds(vec![1]).is_err());

    let indefinite = grid("sigmoid(gamma=1, c=-1)", "svc(C=10)");
    let search = Search::new(&data, &indefinite, Score::Accuracy, &engine, 1).unwrap();
    assert_eq!(search.run(&splits, None).unwrap().of(0), [None; 3]);
}

#[test]
fn an_altered_test_object_alters_only_its_own_prediction() {
    let n = 80;
    let data = rings(n);
    let splits = folds(&data, 4);
    let engine = Engine::new();
    let decisions = |data: &Dataset, kernel: &str| {
        let grid = grid(kernel, "svc(C=10)");
        let search = Search::new(data, &grid, Score::Accuracy, &engine, 5).unwrap();
        search.folds(&[(0, &splits[1])]).unwrap().pop().unwrap().prediction.decisions
    };
    let object = splits[1].test[4];
    let other = altered(n, &[object], true);
    for kernel in KERNELS {
        let kernel: Expression = kernel.parse().unwrap();
        let kernel = kernel.pick(&vec![0; kernel.choices().len()]).unwrap().to_string();
        let (before, after) = (decisions(&data, &kernel), decisions(&other, &kernel));
        for i in 0..before.rows() {
            let same = before.row(i)[0].to_bits() == after.row(i)[0].to_bits();
            assert_eq!(same, i != 4, "{kernel}: object {i}");
        }
    }
    // A transductive kernel does use test objects: the test above would notice.
    let kernel = "walk(standardize(rbf(gamma=0.1)), p=2, through=all)";
    let (before, after) =
        (decisions(&data, kernel), decisions(&altered(n, &splits[1].test[..10], false), kernel));
    assert!((10..before.rows()).any(|i| before.row(i) != after.row(i)));
}

#[test]
fn rounds_of_halving() {
    use super::halving::{counts, rounds};
    assert_eq!([rounds(1, 1000), rounds(2, 1000), rounds(3, 1000), rounds(9, 1000)], [1, 1, 2, 3]);
    assert_eq!([rounds(27, 89), rounds(27, 90), rounds(27, 270), rounds(1_000_000, 0)], [1, 2, 3, 1]);
    assert_eq!(counts(10, 3), [10, 4, 2]);
    assert_eq!(counts(2, 1), [2]);
}

/// The same choice computed directly: each round scored by loops, a third kept.
#[test]
fn halving_matches_direct_computation() {
    let data = numbers(200);
    let splits = splits(&data, 2, 2);
    let grid = grid("standardize(rbf(gamma=[0.001, 0.01, 0.1, 1]))", "ridge(lambda=[1e-3, 0.1, 10])");
    let engine = Engine::new();
    let search = Search::new(&data, &grid, Score::Rmse, &engine, 11).unwrap();
    let evaluation = search.nested_by(&splits, Strategy::Halving(None), None).unwrap();
    let tuning = evaluation.tuning.as_ref().unwrap();
    // Inner training sets of 50 objects are too small for a third.
    assert_eq!((tuning.rounds, tuning.fits), (1, 12 * 4));

    let data = numbers(400);
    let splits = self::splits(&data, 2, 2);
    let search = Search::new(&data, &grid, Score::Rmse, &engine, 11).unwrap();
    let evaluation = search.nested_by(&splits, Strategy::Halving(None), None).unwrap();
    let tuning = evaluation.tuning.as_ref().unwrap();
    assert_eq!((tuning.rounds, tuning.fits), (2, (12 + 4) * 4));
    assert_eq!(search.inner_fits(&splits, Strategy::Halving(None)).unwrap(), tuning.fits);
    let mut number = 0;
    for (at, split) in splits.iter().enumerate() {
        let mut sums = [0.0; 12];
        for split in &split.inner {
            let order = search.order(split, crate::random::derive_seed(11, (1 << 41) + number));
            number += 1;
            let share = search.share(split, &order, 3);
            assert_eq!(share.train.len(), split.train.len().div_ceil(3));
            assert!(share.train.iter().all(|i| split.train.contains(i)) && share.test == split.test);
            for (configuration, sum) in sums.iter_mut().enumerate() {
                *sum += direct_score(
                    &data,
                    grid.kernel(configuration),
                    grid.learner(configuration),
                    &share,
                    Score::Rmse,
                )
                .unwrap();
            }
        }
        let mut ranked: Vec<usize> = (0..12).collect();
        ranked.sort_by(|&a, &b| sums[a].total_cmp(&sums[b]));
        let mut kept = ranked[..4].to_vec();
        kept.sort_unstable();
        assert_eq!(tuning.left[at], kept);
        let mean = |configuration: usize| {
            let of = |s: &Split| {
                direct_score(&data, grid.kernel(configuration), grid.learner(configuration), s, Score::Rmse)
                    .unwrap()
            };
            split.inner.iter().map(of).sum::<f64>() / 2.0
        };
        let best = kept.iter().copied().min_by(|&a, &b| mean(a).total_cmp(&mean(b))).unwrap();
        assert_eq!(evaluation.folds[at].configuration, best);
        assert!((evaluation.folds[at].inner.unwrap() - mean(best)).abs() < 1e-7);
    }
}

#[test]
fn shares_are_nested_and_stratified() {
    let data = rings(120);
    let grid = grid("linear", "svc");
    let engine = Engine::new();
    let search = Search::new(&data, &grid, Score::Accuracy, &engine, 1).unwrap();
    let split = &folds(&data, 3)[0];
    let order = search.order(split, 9);
    let (small, large) = (search.share(split, &order, 9), search.share(split, &order, 3));
    assert!(small.train.iter().all(|i| large.train.contains(i)));
    assert_eq!((small.train.len(), large.train.len()), (10, 28));
    for share in [&small, &large] {
        assert_eq!(share.train.iter().filter(|&&i| i % 2 == 0).count(), share.train.len() / 2);
    }
}

#[test]
fn threads_and_journals_change_nothing() {
    let data = rings(90);
    let splits = splits(&data, 3, 3);
    let grid = grid("standardize(rbf(gamma=[0.1, 0.5, 2]))", "svc(C=[0.1, 1, 10])");
    let folder = tempfile::tempdir().unwrap();
    for strategy in [Strategy::Grid, Strategy::Halving(None)] {
        let run = |threads: usize, journal: Option<&std::path::Path>| {
            let engine = Engine::new().with_threads(threads).unwrap();
            let search = Search::new(&data, &grid, Score::Accuracy, &engine, 2).unwrap();
            search.nested_by(&splits, strategy, journal).map(|evaluation| {
                let folds = evaluation.folds.iter();
                let folds: Vec<_> =
                    folds.map(|f| (f.configuration, f.inner, f.fold.prediction.clone())).collect();
                (folds, evaluation.tuning.unwrap().scores)
            })
        };
        let whole = run(1, None).unwrap();
        assert!(run(4, None).unwrap() == whole);
        let path = folder.path().join(format!("{strategy}.journal"));
        assert!(run(1, Some(&path)).unwrap() == whole);
        let text = std::fs::read(&path).unwrap();
        assert!(text.len() > 300, "{}", text.len());
        // Truncated anywhere, with a torn or broken end, and resumed with another number of threads.
        for keep in [text.len(), text.len() - 1, text.len() / 2, 60, 10, 0] {
            for tail in [&b""[..], b"[[0,1", b"\xff\xfe\n"] {
                let broken = [&text[..keep], if keep > 60 { tail } else { b"" }].concat();
                std::fs::write(&path, broken).unwrap();
                assert!(run(3, Some(&path)).unwrap() == whole, "{strategy} {keep}");
            }
        }
        // In a directory, the journal is named after its search.
        assert!(run(2, Some(folder.path())).unwrap() == whole);
        std::fs::write(&path, "something else\n").unwrap();
        assert!(run(1, Some(&path)).unwrap_err().to_string().contains("is not the journal of this search"));
        assert_eq!(std::fs::read(&path).unwrap(), b"something else\n");
        std::fs::write(&path, "no line").unwrap();
        assert!(run(1, Some(&path)).is_err());
    }
    let names = std::fs::read_dir(folder.path()).unwrap();
    assert_eq!(names.count(), 4);
}

/// Reads the journal whenever progress is reported.
struct Witness {
    path: std::path::PathBuf,
    reported: std::sync::Mutex<usize>,
    missing: std::sync::atomic::AtomicUsize,
}

impl crate::gram::Progress for Witness {
    fn begin(&self, _stage: &str, _total: u64) {}
    fn end(&self) {}
    fn advance(&self, steps: u64) {
        let mut reported = self.reported.lock().unwrap();
        *reported += steps as usize;
        let text = std::fs::read_to_string(&self.path).unwrap();
        let records = text.lines().skip(1).filter_map(|l| Some(l.split_once(' ')?.1));
        let scores = records.filter_map(|l| serde_json::from_str::<Vec<serde_json::Value>>(l).ok());
        let noted: usize = scores.map(|s| s.len()).sum();
        self.missing.fetch_max(reported.saturating_sub(noted), std::sync::atomic::Ordering::Relaxed);
    }
}

/// A killed process loses only the fits in progress: all finished fits are in the file.
#[test]
fn finished_fits_are_recorded_immediately() {
    let data = rings(90);
    let grid = grid("rbf(gamma=[0.1, 0.5, 2])", "svc(C=[0.1, 1, 10])");
    let splits = folds(&data, 5);
    let folder = tempfile::tempdir().unwrap();
    for threads in [1, 3] {
        let path = folder.path().join(threads.to_string());
        let witness =
            std::sync::Arc::new(Witness { path: path.clone(), reported: 0.into(), missing: 0.into() });
        let engine = Engine::new().with_threads(threads).unwrap().with_progress(witness.clone());
        let search = Search::new(&data, &grid, Score::Accuracy, &engine, 2).unwrap();
        search.run(&splits, Some(&path)).unwrap();
        assert_eq!(*witness.reported.lock().unwrap(), 9 * 5);
        assert_eq!(witness.missing.load(std::sync::atomic::Ordering::Relaxed), 0, "{threads} threads");
    }
}

/// Recorded scores are used, not computed again.
#[test]
fn recorded_scores_are_reused() {
    let data = rings(60);
    let grid = grid("rbf(gamma=[0.1, 1])", "svc");
    let engine = Engine::new();
    let search = Search::new(&data, &grid, Score::Accuracy, &engine, 2).unwrap();
    let splits = folds(&data, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("j");
    let identity = search.identity(&splits, &[0, 1], Strategy::Grid);
    let entry =
        super::scores::Entry { round: 0, configuration: 1, split: 0, score: Some(0.125), converged: true };
    Journal::open(&path, &identity).unwrap().note(&[entry]).unwrap();
    let scores = search.run(&splits, Some(&path)).unwrap();
    assert_eq!(scores.of(1)[0], Some(0.125));
    assert!(scores.of(1)[1].unwrap() > 0.3 && scores.of(0)[0].unwrap() > 0.3);
    // A second search on the same journal is rejected.
    let held = Journal::open(&path, &identity).unwrap();
    assert!(search.run(&splits, Some(&path)).unwrap_err().to_string().contains("in use"));
    drop(held);
    // Journals of earlier versions have no checksums.
    std::fs::write(&path, format!("mercer search journal 1 {identity}\n[[0,1,0,0.125,true]]\n")).unwrap();
    assert!(search.run(&splits, Some(&path)).unwrap_err().to_string().contains("has no checksums"));
}

/// Counts warnings.
#[derive(Default)]
struct Warned(std::sync::atomic::AtomicUsize);

impl crate::gram::Progress for Warned {
    fn begin(&self, _stage: &str, _total: u64) {}
    fn advance(&self, _steps: u64) {}
    fn end(&self) {}
    fn warn(&self, warning: &crate::error::Warning) {
        assert_eq!(warning.code, "W_RESUME");
        self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

/// Whichever byte of a journal changes, the scores are those of an uninterrupted search, or there is an error.
#[test]
fn damaged_records_are_ignored() {
    let data = rings(40);
    let grid = grid("rbf(gamma=[0.1, 1])", "svc(C=[1, 10])");
    let warned = std::sync::Arc::new(Warned::default());
    let engine = Engine::new().with_progress(warned.clone());
    let search = Search::new(&data, &grid, Score::Accuracy, &engine, 2).unwrap();
    let splits = folds(&data, 2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("j");
    let whole = search.run(&splits, Some(&path)).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let title = bytes.iter().position(|b| *b == b'\n').unwrap();
    for at in 0..bytes.len() {
        for changed in [bytes[at] ^ 1, b'7', b'\n'] {
            let mut broken = bytes.clone();
            broken[at] = changed;
            std::fs::write(&path, &broken).unwrap();
            match search.run(&splits, Some(&path)) {
                Ok(scores) => assert!(scores == whole, "byte {at}"),
                Err(_) => assert!(at <= title, "byte {at}"),
            }
        }
    }
    assert!(warned.0.load(std::sync::atomic::Ordering::Relaxed) > bytes.len() - title);
}

#[test]
fn unsuitable_learners_and_scores_are_rejected() {
    let engine = Engine::new();
    let (rings, numbers) = (rings(20), numbers(20));
    let fails = |data: &Dataset, learner: &str, score: Score, part: &str| {
        let grid = grid("linear", learner);
        let error = Search::new(data, &grid, score, &engine, 0).err().unwrap().to_string();
        assert!(error.contains(part), "{error}");
    };
    fails(&rings, "svr", Score::Accuracy, "svr needs numbers");
    fails(&numbers, "svc", Score::Rmse, "svc needs classes");
    for learner in ["one-class", "pca(components=[1, 2])", "kmeans(k=2..4)"] {
        let reason = "learns without a target: there is nothing to score it by";
        fails(&rings, learner, Score::Accuracy, reason);
        fails(&numbers, learner, Score::Rmse, reason);
    }
    fails(&rings, "svc", Score::Rmse, "the target holds classes");
    fails(&numbers, "svr", Score::Accuracy, "the target holds numbers");
    fails(&rings, "svc", Score::LogLoss, "probabilities");
    fails(&crate::data::generate::balance().unwrap(), "svc", Score::Auc, "auc-macro");
}

/// Linear models learn from the explicit features of a kernel, fitted to each training set.
#[test]
fn searches_by_features() {
    let (engine, data) = (Engine::new(), rings(60));
    let splits = Splits::new(&Protocol::folds(4), &Objects::of(&data).unwrap(), 1).unwrap();
    let splits: Vec<Split> = splits.iter().collect();
    let grid = grid("nystrom(rbf(gamma=[0.5, 2]), rank=40)", "linear-svc(C=[1, 100])");
    let search = Search::new(&data, &grid, Score::Accuracy, &engine, 0).unwrap();
    let scores = search.run(&splits, None).unwrap();
    let best = (0..4).filter_map(|configuration| scores.mean(configuration)).fold(0.0, f64::max);
    assert!(best > 0.75, "{best}");
    let fold = search.fold(3, &splits[0]).unwrap();
    assert_eq!(fold.prediction.len(), splits[0].test.len());
    // A kernel without explicit features fails when the search runs.
    let other = self::grid("rbf", "linear-svc");
    let none = Search::new(&data, &other, Score::Accuracy, &engine, 0).unwrap().run(&splits, None);
    assert!(none.unwrap_err().to_string().contains("nystrom"));
}

#[test]
fn grids_are_numbered_and_sampled() {
    let grid = grid("normalize(walk(standardize(rbf(gamma=[0.01, 0.1])), p=1..3))", "svc(C=[100, 0.1, 1])");
    assert_eq!(grid.len(), 18);
    assert_eq!(grid.position(17), [1, 2, 2]);
    assert_eq!(grid.names(), ["gamma", "p", "C"]);
    assert_eq!(grid.at_edge(4), ["C"]); // 0.1, the least of 100, 0.1 and 1
    assert!(grid.at_edge(5).is_empty());
    assert_eq!(grid.sample(100, 1).len(), 18);
    let some = grid.sample(5, 1);
    assert!(some.is_sorted() && some.len() == 5 && some != grid.sample(5, 2));
    assert!(Grid::new(&"rbf(gamma=1..9999)".parse().unwrap(), &"svc(C=1..9999)".parse().unwrap()).is_err());
}
