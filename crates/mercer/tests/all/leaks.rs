//! What is fitted comes from the training objects, and the two ways from an expression to a matrix agree, for every entry.

use mercer::data::{Categories, Column, Dataset, Dense, Series, Values};
use mercer::expression::{Entry, Matrices, Shared, entries};

use crate::generate::{Case, case};
use crate::metamorphic::normalised;
use crate::support::engine;

fn cases(entry: &'static Entry) -> impl Iterator<Item = Case> {
    (0..12).filter_map(move |seed| case(entry, 14, 1000 + seed))
}

/// A kernel that records a step has learned from its training objects, and must say so: a search fits it to each split.
#[test]
fn entries_that_learn_say_so() {
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
                // Test objects come first and decide the order of levels too.
                let reversed = Categories::from_values((0..c.len()).rev().map(value));
                Values::Categories(reversed.select(&(0..c.len()).rev().collect::<Vec<_>>()))
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

/// Other values in test rows leave the training matrix as it was, to the bit: in a fit, and in the matrices of a search.
#[test]
fn test_rows_do_not_move_the_training_matrix() {
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
    assert!(missed.is_empty(), "never looked at: {missed:?}");
}

/// `normalize` gives one answer, or one refusal, whether a kernel is fitted or a search cuts matrices; negative
/// self-similarities are refused by both with the object.
#[test]
fn normalize_is_one_function() {
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
