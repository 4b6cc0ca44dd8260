//! The search against plain loops over the same cells.

use std::fs;

use crate::data::{Categories, Column, Dataset, Dense, Target, Values, generate};
use crate::error::Error;
use crate::expression::{Expression, Learner, Matrices, Shared, Training};
use crate::gram::Engine;
use crate::kernel::Kernel;
use crate::random::Random;
use crate::select::{Grid, Objects, Protocol, Score, Search, Split, Splits, nested};
use crate::solve::GramColumns;

/// Two noisy classes in four numbers, and a category.
fn noisy(n: usize, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let classes: Vec<usize> = (0..n).map(|i| i % 2).collect();
    let x: Vec<f64> = classes
        .iter()
        .flat_map(|&c| {
            let mut row = [0.0; 4];
            row.iter_mut().for_each(|v| *v = random.normal());
            row[0] += 1.5 * c as f64;
            row[1] *= 100.0;
            row
        })
        .collect();
    let colour: Vec<Option<&str>> = (0..n).map(|_| Some(["red", "blue"][random.below(2)])).collect();
    let columns = vec![
        Column::new("x", Values::Numbers(Dense::new(n, 4, x).unwrap())),
        Column::new("colour", Values::Categories(Categories::from_values(colour))),
    ];
    let target = Categories::from_values(classes.iter().map(|c| Some(["no", "yes"][*c])));
    Dataset::new(columns).unwrap().with_target("class", Target::Classes(target)).unwrap()
}

fn folds(data: &Dataset, k: usize) -> Vec<Split> {
    Splits::new(&Protocol::folds(k), &Objects::of(data).unwrap(), 7).unwrap().iter().collect()
}

/// What [`Matrices`] gives against the kernel fitted to the training objects.
#[test]
fn blocks_are_those_of_the_fitted_kernel() {
    let (data, engine) = (noisy(40, 1), Engine::new());
    let split = &folds(&data, 3)[1];
    let (train, test) = (data.select(&split.train), data.select(&split.test));
    for text in [
        "rbf(gamma=0.3)",
        "rbf(gamma=0.3)@x",
        "linear + 0.5*delta@colour",
        "rbf(gamma=0.01) * delta@colour",
        "standardize(rbf(gamma=0.2))",
        "minmax(polynomial(degree=2))",
        "standardize(normalize(linear) + rbf(gamma=0.1))@x",
        "center(rbf(gamma=0.001))",
        "center(standardize(linear))",
        "repair(sigmoid(gamma=0.0001, c=-1), method=clip)",
        "repair(sigmoid(gamma=0.0001, c=-1), method=shift)",
        "walk(rbf(gamma=0.001), p=1)",
        "walk(rbf(gamma=0.001), p=4)",
        "normalize(walk(standardize(rbf(gamma=0.2)), p=3))",
        "walk(rbf(gamma=0.001), p=3, through=support)",
        "walk(rbf(gamma=0.001), p=3, scale=none)",
        "column-sum(rbf(gamma=0.1))",
        "rbf-of(linear, gamma=0.001)",
        "markov(rbf(gamma=0.001))",
    ] {
        let expression: Expression = text.parse().unwrap();
        let kernel = expression.fit(&train, &engine).unwrap().kernel;
        let (known, new) = (kernel.prepare(&train).unwrap(), kernel.prepare(&test).unwrap());
        let gram: Dense = engine.gram_of(&kernel, &known).unwrap();
        let cross: Dense = engine.cross_of(&kernel, &new, &known).unwrap();
        let own = engine.diagonal_of(&kernel, &new).unwrap();
        let mut matrices = Matrices::new(&data, &engine);
        matrices.prepare(std::slice::from_ref(&expression)).unwrap();
        let blocks = matrices.blocks(&expression, &split.train, &split.test, &mut Shared::default()).unwrap();
        let near = |a: &[f64], b: &[f64], what: &str| {
            let largest = b.iter().fold(1e-300, |m: f64, v| m.max(v.abs()));
            assert_eq!(a.len(), b.len());
            for (a, b) in a.iter().zip(b) {
                assert!((a - b).abs() <= 1e-9 * largest, "{text}, {what}: {a} beside {b}");
            }
        };
        near(blocks.train.values(), gram.values(), "train");
        near(blocks.cross.values(), cross.values(), "cross");
        near(&blocks.own, &own, "own");
    }
}

/// A walk through all objects is cut out of the power of the whole matrix.
#[test]
fn transductive_blocks_are_cut_from_the_whole() {
    let (data, engine) = (noisy(20, 2), Engine::new());
    let split = &folds(&data, 4)[0];
    let expression: Expression = "walk(rbf(gamma=0.001), p=2, through=all, scale=none)".parse().unwrap();
    assert!(expression.is_transductive());
    let base = engine
        .gram(&"rbf(gamma=0.001)".parse::<Expression>().unwrap().fit(&data, &engine).unwrap().kernel, &data);
    let base = base.unwrap();
    let squared = |i: usize, j: usize| (0..20).map(|k| base.at(i, k) * base.at(k, j)).sum::<f64>();
    let matrices = Matrices::new(&data, &engine);
    let blocks = matrices.blocks(&expression, &split.train, &split.test, &mut Shared::default()).unwrap();
    for (r, &i) in split.test.iter().enumerate() {
        for (c, &j) in split.train.iter().enumerate() {
            assert!((blocks.cross.at(r, c) - squared(i, j)).abs() < 1e-9);
        }
    }
}

fn grid() -> Grid {
    Grid::new(
        &"normalize(walk(standardize(rbf(gamma=[0.01, 0.1])), p=1..3))".parse().unwrap(),
        &"svc(C=[100, 0.1, 1])".parse().unwrap(),
    )
    .unwrap()
}

#[test]
fn cells_score_as_plain_loops_do() {
    let (data, engine, grid) = (noisy(60, 3), Engine::new(), grid());
    let splits = folds(&data, 3);
    let search = Search::new(&data, &grid, Score::Accuracy, &engine, 0).unwrap();
    let scores = search.run(&splits, None).unwrap();
    for cell in 0..grid.len() {
        for (at, split) in splits.iter().enumerate() {
            let (train, test) = (data.select(&split.train), data.select(&split.test));
            let kernel = grid.kernel(cell).fit(&train, &engine).unwrap().kernel;
            let gram = engine.gram(&kernel, &train).unwrap();
            let training = Training::of(train.target().unwrap());
            let trained = grid.learner(cell).fit(&GramColumns::new(&gram).unwrap(), &training).unwrap();
            let support = train.select(trained.support());
            // The columns of the support alone.
            let whole = engine.cross(&kernel, &test, &train).unwrap();
            let pick = |i: usize| trained.support().iter().map(|&j| whole.at(i, j)).collect::<Vec<_>>();
            let cross =
                Dense::new(test.len(), support.len(), (0..test.len()).flat_map(pick).collect()).unwrap();
            let predicted = trained.predict(&cross, None).unwrap();
            let Some(Target::Classes(truth)) = test.target() else { panic!() };
            let right = (0..test.len()).filter(|&i| predicted.class(i) == truth.get(i)).count();
            let expected = right as f64 / test.len() as f64;
            let found = scores.of(cell)[at].unwrap();
            // Machines that start elsewhere end elsewhere within the tolerance: one object may change sides.
            assert!(
                (found - expected).abs() <= 1.0 / test.len() as f64 + 1e-12,
                "{cell} {at}: {found} {expected}"
            );
        }
    }
}

#[test]
fn threads_and_interruptions_change_nothing() {
    let (data, grid) = (noisy(50, 4), grid());
    let splits = folds(&data, 4);
    let run = |threads: usize, journal: Option<&std::path::Path>| {
        let engine = Engine::new().with_threads(threads).unwrap();
        Search::new(&data, &grid, Score::Accuracy, &engine, 0).unwrap().run(&splits, journal).unwrap()
    };
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let whole = run(1, Some(&path));
    assert_eq!(run(3, None), whole);
    // Cut anywhere, even in the middle of a line, the journal is continued to the same scores.
    let bytes = fs::read(&path).unwrap();
    for keep in [0, 10, bytes.len() / 3, bytes.len() / 2, bytes.len() - 1, bytes.len()] {
        fs::write(&path, &bytes[..keep]).unwrap();
        if (1..60).contains(&keep) {
            // A title cut short is nothing to go on from; it is begun again.
            fs::write(&path, b"").unwrap();
        }
        assert_eq!(run(2, Some(&path)), whole, "{keep}");
        assert_eq!(run(2, Some(&path)), whole, "{keep}");
    }
    // The journal of another search is left alone.
    let engine = Engine::new();
    let other = Search::new(&data, &grid, Score::BalancedAccuracy, &engine, 0).unwrap();
    assert!(matches!(other.run(&splits, Some(&path)), Err(Error::Usage { .. })));
    assert!(fs::read(&path).unwrap().len() >= bytes.len());
}

#[test]
fn nothing_of_the_test_part_is_seen() {
    let data = noisy(48, 5);
    let grid = grid();
    let objects = Objects::of(&data).unwrap();
    let divisions: Vec<_> =
        nested(&Protocol::folds(3), &Protocol::folds(3), &objects, 1).unwrap().map(Result::unwrap).collect();
    let engine = Engine::new();
    let run = |data: &Dataset| {
        let search = Search::new(data, &grid, Score::Accuracy, &engine, 0).unwrap();
        search.nested(&divisions[..1], None).unwrap()
    };
    let before = run(&data);
    // Other values in all test objects but the first: the choice stays, and so does the prediction of the first.
    let test = &divisions[0].outer.test;
    let mut x = data.vectors(&["x".into()]).unwrap().to_dense();
    test[1..].iter().for_each(|&i| x.row_mut(i).iter_mut().for_each(|v| *v = 1e3 * *v - 77.0));
    let columns = data.columns().iter().map(|c| match c.name.as_str() {
        "x" => Column::new("x", Values::Numbers(x.clone())),
        _ => c.clone(),
    });
    let after = run(&data.with_columns(columns.collect()).unwrap());
    let (a, b) = (&before.folds[0], &after.folds[0]);
    assert_eq!((a.cell, a.inner), (b.cell, b.inner));
    assert_eq!(a.fold.prediction.decisions.row(0), b.fold.prediction.decisions.row(0));
    assert_ne!(a.fold.prediction.decisions.row(1), b.fold.prediction.decisions.row(1));
}

#[test]
fn a_path_ends_where_single_fits_do() {
    let data = generate::balance1().unwrap();
    let engine = Engine::new();
    let kernel = "rbf(gamma=0.1)".parse::<Expression>().unwrap().fit(&data, &engine).unwrap().kernel;
    let gram = engine.gram(&kernel, &data).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let training = Training::of(data.target().unwrap());
    let learners: Vec<Learner> = [10.0, 0.1, 1.0, 1000.0, 10.0]
        .iter()
        .map(|c| format!("svc(C={c}, tolerance=1e-6)").parse().unwrap())
        .collect();
    let path = Learner::fit_path(&learners.iter().collect::<Vec<_>>(), &columns, &training);
    assert_eq!(path.len(), learners.len());
    for (learner, trained) in learners.iter().zip(path) {
        let alone = learner.fit(&columns, &training).unwrap();
        for ((_, one), (_, other)) in alone.certificates().iter().zip(trained.unwrap().certificates()) {
            let apart = (one.dual - other.dual).abs();
            assert!(apart <= 1e-5 * one.dual.abs(), "{learner}: {} beside {}", one.dual, other.dual);
        }
    }
}

#[test]
fn grids_are_numbered_and_sampled() {
    let grid = grid();
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
