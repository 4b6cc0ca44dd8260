//! Compares blocks with kernels fitted to the training objects.

use super::*;
use crate::data::{Categories, Column, Target, Values};
use crate::kernel::Kernel;
use crate::random::Random;
use crate::select::{Objects, Protocol, Split, Splits};

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

/// Compares [`Matrices`] with the kernel fitted to the training objects.
#[test]
fn blocks_equal_those_of_the_fitted_kernel() {
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
        "rbf-of(polynomial(degree=2), gamma=1e-7)",
        "rbf-of(standardize(linear), gamma=0.1)",
        "similarity(euclidean)",
        "similarity(standardize(euclidean), laplacian(gamma=0.01), references=7, choice=farthest, fisher=full)",
        "rbf-of(similarity(rbf(gamma=0.001), references=9, choice=medoids, seed=3), gamma=0.05)",
        "similarity(euclidean, missing=mean, references=12)",
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
                assert!((a - b).abs() <= 1e-9 * largest, "{text}, {what}: {a} vs. {b}");
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

/// Imputation uses only the training objects: with other test objects, the training block is the same.
#[test]
fn imputation_uses_training_objects_only() {
    let engine = Engine::new();
    let gappy = |far: f64| {
        let mut data = noisy(30, 3);
        let mut x = data.vectors(&["x".into()]).unwrap().to_dense();
        (0..30).step_by(4).for_each(|i| x.row_mut(i)[i % 3] = f64::NAN);
        (20..30).for_each(|i| x.row_mut(i).iter_mut().for_each(|v| *v *= far));
        data = data.with_columns(vec![Column::new("x", Values::Numbers(x))]).unwrap();
        data
    };
    let (train, test): (Vec<usize>, Vec<usize>) = ((0..20).collect(), (20..30).collect());
    for text in [
        "impute(standardize(rbf(gamma=0.2)))",
        "impute(linear, method=mean)",
        "normalize(walk(impute(standardize(rbf(gamma=0.2)), method=median), p=2))",
    ] {
        let expression: Expression = text.parse().unwrap();
        let blocks = |data: &Dataset| {
            let mut matrices = Matrices::new(data, &engine);
            matrices.prepare(std::slice::from_ref(&expression)).unwrap();
            matrices.blocks(&expression, &train, &test, &mut Shared::default()).unwrap()
        };
        let (near, far) = (blocks(&gappy(1.0)), blocks(&gappy(1e3)));
        assert_eq!(near.train, far.train, "{text}");
        assert_ne!(near.cross, far.cross, "{text}");
        let data = gappy(1.0);
        let kernel = expression.fit(&data.select(&train), &engine).unwrap().kernel;
        let cross = engine.cross(&kernel, &data.select(&test), &data.select(&train)).unwrap();
        for (a, b) in near.cross.values().iter().zip(cross.values()) {
            assert!((a - b).abs() <= 1e-9 * b.abs().max(1e-9), "{text}: {a} vs. {b}");
        }
    }
}
