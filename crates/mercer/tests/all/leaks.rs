//! For every entry: fits use only the training objects, and a search gives the same matrices as a fit.

use mercer::data::{Categories, Column, Dataset, Dense, Series, Target, Times, Values};
use mercer::expression::{
    Depends, Entry, Expression, Learner, Matrices, Predicts, Shared, entries, learners,
};
use mercer::model::Model;
use mercer::select::{Grid, Score, Search, Split};

use crate::generate::{Case, case};
use crate::metamorphic::normalised;
use crate::support::engine;

fn cases(entry: &'static Entry) -> impl Iterator<Item = Case> {
    (0..12).filter_map(move |seed| case(entry, 14, 1000 + seed))
}

/// A kernel that records a step was fitted to its training objects, and must declare it: a search refits it per split.
#[test]
fn fitted_entries_declare_it() {
    for entry in entries() {
        for case in cases(entry) {
            let Ok(fitted) = case.expression.fit(&case.data, engine()) else { continue };
            assert!(
                fitted.steps.is_empty() || case.expression.is_fitted(),
                "{} records {:?}",
                case.expression,
                fitted.steps[0].name()
            );
        }
    }
}

/// The same data with other values in all rows from `train` on.
fn altered(data: &Dataset, train: usize) -> Dataset {
    let other = |column: &Column| {
        let changed = |i: usize| i >= train;
        let values = match &column.values {
            Values::Numbers(x) => {
                let mut x: Dense = x.clone();
                (train..x.rows())
                    .for_each(|i| x.row_mut(i).iter_mut().for_each(|v| *v = 3.0 * v.abs() + 1.0));
                Values::Numbers(x)
            }
            Values::Categories(c) => {
                let names: Vec<String> = (0..c.len()).map(|i| format!("new{i}")).collect();
                let value = |i: usize| if changed(i) { Some(names[i].as_str()) } else { c.get(i) };
                // Test objects come first and determine the order of levels too.
                let reversed = Categories::from_values((0..c.len()).rev().map(value));
                Values::Categories(reversed.select(&(0..c.len()).rev().collect::<Vec<_>>()))
            }
            Values::Times(t) => {
                let one = |(i, s): (usize, &f64)| if changed(i) { s.abs() / 3.0 + 7.0 } else { *s };
                Values::Times(Times::new(t.seconds().iter().enumerate().map(one).collect()))
            }
            Values::Strings(v) => Values::Strings(texts(v, train)),
            Values::Text(v) => Values::Text(texts(v, train)),
            Values::Series(v) => {
                let one = |(i, s): (usize, &Series)| match changed(i) {
                    true => Series::new(s.channels(), s.values().iter().map(|v| 2.0 - v).collect()).unwrap(),
                    false => s.clone(),
                };
                Values::Series(v.iter().enumerate().map(one).collect())
            }
            // Test objects become copies of the first training object.
            values => {
                let rows: Vec<usize> = (0..data.len()).map(|i| if changed(i) { 0 } else { i }).collect();
                values.select(&rows)
            }
        };
        Column::new(&column.name, values)
    };
    data.with_columns(data.columns().iter().map(other).collect()).unwrap()
}

fn texts(v: &[Option<String>], train: usize) -> Vec<Option<String>> {
    let other = |s: &String| s.replace('a', "g").replace("the", "other kernel");
    v.iter().enumerate().map(|(i, s)| if i < train { s.clone() } else { s.as_ref().map(other) }).collect()
}

/// Other values in test rows leave the training matrix bit-identical, in a fit and in the matrices of a search.
#[test]
fn test_rows_do_not_change_the_training_matrix() {
    let mut looked = std::collections::BTreeSet::new();
    for entry in entries() {
        for case in cases(entry).filter(|c| !c.expression.is_transductive() && c.train < 14) {
            let train: Vec<usize> = (0..case.train).collect();
            let test: Vec<usize> = (case.train..case.data.len()).collect();
            let fitted = |data: &Dataset| {
                let training = data.select(&train);
                let fitted = case.expression.fit(&training, engine())?;
                engine().gram(&fitted.kernel, &training)
            };
            let searched = |data: &Dataset| {
                let engine = engine();
                let mut matrices = Matrices::new(data, engine);
                matrices.prepare(std::slice::from_ref(&case.expression))?;
                matrices.blocks(&case.expression, &train, &test, &mut Shared::default()).map(|b| b.train)
            };
            let other = altered(&case.data, case.train);
            if let (Ok(before), Ok(after)) = (fitted(&case.data), fitted(&other)) {
                assert_eq!(before, after, "a fit of {}", case.expression);
                looked.insert(entry.facts.name);
            }
            if let (Ok(before), Ok(after)) = (searched(&case.data), searched(&other)) {
                assert_eq!(before, after, "a search of {}", case.expression);
            }
        }
    }
    let missed: Vec<_> = entries()
        .iter()
        .filter(|e| !looked.contains(e.facts.name) && e.facts.kinds != [mercer::data::Kind::Nodes])
        .map(|e| e.facts.name)
        .filter(|name| !["laplacian-walk", "cluster"].contains(name))
        .collect();
    assert!(missed.is_empty(), "never tested: {missed:?}");
}

/// For every entry, the blocks of a search equal those of a fit to the training rows only, up to the rounding of
/// different decompositions of the same matrix.
#[test]
fn a_split_is_a_fit_to_its_training_rows() {
    let mut looked = std::collections::BTreeSet::new();
    for entry in entries() {
        for case in cases(entry).filter(|c| !c.expression.is_transductive() && c.train < 14) {
            let train: Vec<usize> = (0..case.train).collect();
            let test: Vec<usize> = (case.train..case.data.len()).collect();
            let fitted = || {
                let (known, new) = (case.data.select(&train), case.data.select(&test));
                let kernel = case.expression.fit(&known, engine())?.kernel;
                let own = engine().diagonal_of(&kernel, &engine().prepare(&kernel, &new)?)?;
                Ok::<_, mercer::Error>((
                    engine().gram(&kernel, &known)?,
                    engine().cross(&kernel, &new, &known)?,
                    own,
                ))
            };
            let searched = || {
                let mut matrices = Matrices::new(&case.data, engine());
                matrices.prepare(std::slice::from_ref(&case.expression))?;
                matrices.blocks(&case.expression, &train, &test, &mut Shared::default())
            };
            match (fitted(), searched()) {
                (Ok((gram, cross, own)), Ok(blocks)) => {
                    let pairs = [
                        (gram.values(), blocks.train.values()),
                        (cross.values(), blocks.cross.values()),
                        (own.as_slice(), blocks.own.as_slice()),
                    ];
                    for (a, b) in pairs {
                        assert_eq!(a.len(), b.len(), "{}", case.expression);
                        let size = gram.values().iter().chain(&own).fold(0.0f64, |m, v| m.max(v.abs()));
                        for (x, y) in a.iter().zip(b) {
                            let fine = x == y || (x - y).abs() <= 1e-6 * size;
                            assert!(fine, "{}: {x:e} in a fit, {y:e} in a search", case.expression);
                        }
                    }
                    looked.insert(entry.facts.name);
                }
                (Err(a), Err(b)) => assert_eq!(a.code(), b.code(), "{}: {a} and {b}", case.expression),
                // Faults of test objects are found only when these are used.
                (a, b) => panic!(
                    "{}: a fit gives {:?}, a search {:?}",
                    case.expression,
                    a.map(|_| "values").map_err(|e| e.to_string()),
                    b.map(|_| "values").map_err(|e| e.to_string())
                ),
            }
        }
    }
    let missed: Vec<_> = entries().into_iter().filter(|e| !looked.contains(e.facts.name)).collect();
    let missed = missed.iter().filter(|e| !e.depends().is_transductive()).map(|e| e.facts.name);
    assert_eq!(missed.collect::<Vec<_>>(), Vec::<&str>::new(), "never tested");
}

/// The same target with other values from row `train` on; classes that the training rows have.
fn other_target(target: &Target, train: usize) -> Target {
    match target {
        Target::Numbers(y) => {
            let other = |(i, v): (usize, &f64)| if i < train { *v } else { 5.0 - 3.0 * v };
            Target::Numbers(y.iter().enumerate().map(other).collect())
        }
        Target::Classes(c) => {
            let known: Vec<&str> = (0..train).filter_map(|i| c.get(i)).collect();
            let next = |i: usize| known.iter().copied().find(|class| Some(*class) != c.get(i)).or(c.get(i));
            Target::Classes(Categories::from_values(
                (0..c.len()).map(|i| if i < train { c.get(i) } else { next(i) }),
            ))
        }
    }
}

/// Other targets of test rows leave all matrices of a split bit-identical, and other targets of training rows do not: kernels
/// that are fitted to the target use that of the training rows only.
#[test]
fn targets_of_test_rows_change_nothing() {
    let (mut looked, mut moved) = (std::collections::BTreeSet::new(), std::collections::BTreeSet::new());
    for entry in entries().into_iter().filter(|e| e.depends() == Depends::Target) {
        // Weights are learned from some more objects.
        let cases = (0..12).filter_map(|seed| case(entry, 40, 2000 + seed));
        for case in cases.filter(|c| !c.expression.is_transductive() && c.train < c.data.len()) {
            let train: Vec<usize> = (0..case.train).collect();
            let test: Vec<usize> = (case.train..case.data.len()).collect();
            let searched = |data: &Dataset| {
                let mut matrices = Matrices::new(data, engine());
                matrices.prepare(std::slice::from_ref(&case.expression))?;
                let blocks = matrices.blocks(&case.expression, &train, &test, &mut Shared::default())?;
                Ok::<_, mercer::Error>((blocks.train, blocks.cross, blocks.own))
            };
            let Some(target) = case.data.target() else { continue };
            let with = |target: Target| case.data.clone().with_target("other", target).unwrap();
            let Ok(before) = searched(&case.data) else { continue };
            let after = searched(&with(other_target(target, case.train))).unwrap();
            assert_eq!(before, after, "a search of {}", case.expression);
            looked.insert(entry.facts.name);
            // Not a rotation: classes that take turns would only change their names.
            let others: Vec<usize> = (0..case.data.len()).map(|i| i / 2).collect();
            if searched(&with(target.select(&others))).is_ok_and(|after| before != after) {
                moved.insert(entry.facts.name);
            }
        }
    }
    for name in ["forest", "relevance", "mkl", "fusion", "learned", "learned-dtw"] {
        assert!(looked.contains(name), "{name} was never tested");
    }
    for name in ["forest", "relevance"] {
        assert!(moved.contains(name), "{name} does not use the target");
    }
}

/// Weights of columns are learned for the differences of the kernel inside, and not shared with kernels of other ones.
#[test]
fn weights_are_shared_by_kernels_of_the_same_differences_only() {
    let data = points(60, false);
    let kernels = ["relevance(rbf(gamma=1))", "relevance(laplacian(gamma=1))", "relevance(rbf(gamma=2))"];
    let kernels = kernels.map(|text| text.parse::<Expression>().unwrap());
    let (train, test): (Vec<usize>, Vec<usize>) = ((0..40).collect(), (40..60).collect());
    let mut matrices = Matrices::new(&data, engine());
    matrices.prepare(&kernels).unwrap();
    let mut shared = Shared::default();
    for kernel in &kernels {
        let known = data.select(&train);
        let alone = engine().gram(&kernel.fit(&known, engine()).unwrap().kernel, &known).unwrap();
        let found = matrices.blocks(kernel, &train, &test, &mut shared).unwrap().train;
        for (a, b) in alone.values().iter().zip(found.values()) {
            assert!((a - b).abs() <= 1e-9, "{kernel}: {a} {b}");
        }
    }
}

/// Points of three classes around a circle, and a number for each.
fn points(n: usize, numeric: bool) -> Dataset {
    let mut random = mercer::random::Random::new(7);
    let x: Vec<f64> = (0..2 * n).map(|i| random.normal() + (i / 2 % 3) as f64).collect();
    let target = match numeric {
        true => Target::Numbers(x.chunks(2).map(|p| p[0] - 0.5 * p[1]).collect()),
        false => Target::Classes(Categories::from_values((0..n).map(|i| Some(["a", "b", "c"][i % 3])))),
    };
    Dataset::of_vectors(Dense::new(n, 2, x).unwrap()).with_target("y", target).unwrap()
}

/// For every learner: a search on a split predicts the same as a model fitted to the training rows only, to 1e-9
/// (solvers that stop at a tolerance, here 1e-10: to 1e-5); and other values and targets in test rows change no choice
/// and no model.
#[test]
fn every_learner_uses_training_rows_only() {
    let n = 60;
    for facts in learners().iter().filter(|l| l.predicts.needs_target()) {
        for numeric in [false, true] {
            match facts.predicts {
                Predicts::Numbers if !numeric => continue,
                Predicts::Classes if numeric => continue,
                _ => {}
            }
            let learner: Learner = facts.name.parse().unwrap();
            // Solvers that stop at a tolerance take different paths for matrices that differ in the last bit.
            let exact = learner.with("tolerance", 1e-10);
            let within = if exact.is_ok() { 1e-5 } else { 1e-9 };
            let learner = exact.unwrap_or(learner);
            let kernel = if learner.needs_features() { "linear" } else { "standardize(rbf(gamma=[0.1, 1]))" };
            let data = points(n, numeric);
            let grid = Grid::new(&kernel.parse().unwrap(), &learner).unwrap();
            let score = if numeric { Score::Rmse } else { Score::Accuracy };
            let split = Split { train: (0..40).collect(), test: (40..n).collect(), repetition: 0, fold: 0 };
            let search = Search::new(&data, &grid, score, engine(), 3).unwrap();
            for cell in 0..grid.len() {
                let fold = search.fold(cell, &split).unwrap();
                let (known, new) = (data.select(&split.train), data.select(&split.test));
                let model = Model::fit(&known, grid.kernel(cell), grid.learner(cell), 3, engine()).unwrap();
                let alone = model.predict(&new, engine()).unwrap();
                let what = format!("{} numeric={numeric}", facts.name);
                let close = |a: &Dense, b: &Dense| {
                    a.values().iter().zip(b.values()).all(|(x, y)| (x - y).abs() <= within * x.abs().max(1.0))
                };
                let (own, found) = (&alone.decisions, &fold.prediction.decisions);
                assert!(close(own, found), "{what}: decisions {own:?} and {found:?}");
                match (&alone.target, &fold.prediction.target) {
                    (Some(Target::Classes(a)), Some(Target::Classes(b))) => {
                        assert!((0..a.len()).all(|i| a.get(i) == b.get(i)), "{what}: classes");
                    }
                    (Some(Target::Numbers(a)), Some(Target::Numbers(b))) => {
                        assert!(a.iter().zip(b).all(|(x, y)| (x - y).abs() <= within), "{what}: numbers");
                    }
                    other => panic!("{what}: {other:?}"),
                }
            }
            // With other test rows, inner splits of the training rows make the same choice.
            let other = altered(&data, 40);
            let target = match other.target().unwrap() {
                Target::Numbers(y) => Target::Numbers(
                    y.iter().enumerate().map(|(i, v)| if i < 40 { *v } else { 1e3 }).collect(),
                ),
                Target::Classes(c) => Target::Classes(Categories::from_values(
                    (0..n).map(|i| if i < 40 { c.get(i) } else { Some("a") }),
                )),
            };
            let other = other.with_target("y", target).unwrap();
            let inner: Vec<Split> = (0..2)
                .map(|fold| {
                    let (test, train) = (0..40).partition(|i| i / 3 % 2 == fold);
                    Split { train, test, repetition: 0, fold }
                })
                .collect();
            let scores = |data: &Dataset| {
                let scores = Search::new(data, &grid, score, engine(), 3).unwrap().run(&inner, None).unwrap();
                let all: Vec<_> = (0..grid.len()).map(|cell| scores.of(cell).to_vec()).collect();
                (scores.best(), all)
            };
            assert_eq!(scores(&data), scores(&other), "{}: a choice changed", facts.name);
        }
    }
}

/// `normalize` gives the same values or the same error in a fit and in a search; both refuse negative self-similarities
/// and name the object.
#[test]
fn normalize_is_the_same_in_fit_and_search() {
    let mut refused = 0;
    for entry in entries() {
        for case in cases(entry) {
            let expression = normalised(case.expression.clone());
            let whole = || {
                let fitted = expression.fit(&case.data, engine())?;
                engine().gram(&fitted.kernel, &case.data)
            };
            let cut = || {
                let mut matrices = Matrices::new(&case.data, engine());
                matrices.prepare(std::slice::from_ref(&expression))?;
                let all: Vec<usize> = (0..case.data.len()).collect();
                matrices.blocks(&expression, &all, &[], &mut Shared::default()).map(|b| b.train)
            };
            match (whole(), cut()) {
                (Ok(a), Ok(b)) => {
                    for (x, y) in a.values().iter().zip(b.values()) {
                        assert!((x - y).abs() <= 1e-6, "{expression}: {x:e} {y:e}");
                    }
                }
                (Err(a), Err(b)) => {
                    assert_eq!(a.code(), b.code(), "{expression}: {a} and {b}");
                    refused += usize::from(a.to_string().contains("negative self-similarity"));
                }
                (a, b) => panic!("{expression}: {:?} and {:?}", a.map(|_| "values"), b.map(|_| "values")),
            }
        }
    }
    assert!(refused > 2, "{refused} negative self-similarities");
}
