//! Every fitted model can be saved and loaded with bit-identical predictions: over learners, class counts and kernels.

use mercer::data::{Categories, Column, Dataset, Dense, Target, Values};
use mercer::expression::{Learner, Predicts, entries, learners};
use mercer::model::{BlendMember, Model};
use serde_json::json;

use super::said;
use crate::generate::{Random, case};
use crate::support::{engine, parse};

/// Objects of `count` classes, `each` per class, in two columns.
fn classes(count: usize, each: usize) -> Dataset {
    let mut random = Random::new(count as u64);
    let n = count * each;
    let place = |i: usize| (i % count) as f64;
    let x: Vec<f64> = (0..n).map(|i| place(i) + random.between(-0.2, 0.2)).collect();
    let z: Vec<f64> = (0..n).map(|i| (place(i) * 0.7).sin() + random.between(-0.2, 0.2)).collect();
    let names: Vec<String> = (0..n).map(|i| format!("class \"{}\"", i % count)).collect();
    let numbers = |v: Vec<f64>| Values::Numbers(Dense::new(n, 1, v).unwrap());
    let data = Dataset::new(vec![Column::new("x", numbers(x)), Column::new("z", numbers(z))]).unwrap();
    let classes = Categories::from_values(names.iter().map(|s| Some(s.as_str())));
    data.with_target("class", Target::Classes(classes)).unwrap()
}

/// Checks that a saved and loaded model predicts the same as the fitted one. Returns the size of its file.
#[track_caller]
fn round_trips(model: &Model, objects: &Dataset, what: &str) -> usize {
    let bytes = model.to_bytes().unwrap_or_else(|e| panic!("{what} cannot be saved: {e}"));
    let again =
        Model::from_bytes("m", &bytes, engine()).unwrap_or_else(|e| panic!("{what} cannot be loaded: {e}"));
    match (model.predict(objects, engine()), again.predict(objects, engine())) {
        (Ok(a), Ok(b)) => {
            let ((words, numbers), (other_words, others)) = (said(&a), said(&b));
            assert_eq!(words, other_words, "{what}");
            let bits = |v: &[f64]| v.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert!(bits(&numbers) == bits(&others), "{what}: different numbers");
        }
        (Err(a), Err(b)) => assert_eq!(a.to_string(), b.to_string(), "{what}"),
        (a, b) => panic!("{what}: {:?}, then {:?}", a.map(|_| ()), b.map(|_| ())),
    }
    assert_eq!(again.to_bytes().unwrap(), bytes, "{what}: different bytes the second time");
    bytes.len()
}

fn fitted(data: &Dataset, kernel: &str, learner: &str) -> Model {
    let learner: Learner = learner.parse().unwrap_or_else(|e| panic!("{learner}: {e}"));
    Model::fit(data, &parse(kernel), &learner, 0, engine()).unwrap_or_else(|e| panic!("{learner}: {e}"))
}

fn blend(data: &Dataset, members: &[(f64, &str, &str)]) -> Model {
    let member = |&(weight, kernel, learner): &(f64, &str, &str)| BlendMember {
        model: fitted(data, kernel, learner),
        weight,
        sharpness: 2.0,
    };
    Model::blend(members.iter().map(member).collect(), data, 0).unwrap()
}

/// Blends of classes and of numbers, of members on different columns.
#[test]
fn blends_are_saved_with_their_members() {
    for count in [2, 3, 7] {
        let data = classes(count, 8);
        let members = [
            (0.25, "linear@x", "ridge(intercept=yes)"),
            (0.5, "rbf(gamma=1)", "svc(C=10)"),
            (0.25, "rbf(gamma=1)@z", "knn(k=3)"),
        ];
        let model = blend(&data, &members);
        round_trips(&model, &data, &format!("a blend of {count} classes"));
        // The largest weight comes first, of equal ones the first.
        let learners: Vec<&str> = model.members().iter().map(|m| m.model.learner().name()).collect();
        assert_eq!(learners, ["svc", "ridge", "knn"]);
        let p = model.predict(&data, engine()).unwrap().probabilities.unwrap();
        assert!((0..data.len()).all(|i| (p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12));
        // A blend of one model predicts its classes.
        let only = blend(&data, &[(1.0, "rbf(gamma=1)", "svc(C=10, scheme=one-versus-rest)")]);
        let alone = only.principal().predict(&data, engine()).unwrap();
        assert_eq!(only.predict(&data, engine()).unwrap().target, alone.target);
    }
    let data = classes(2, 10);
    let y = Target::Numbers((0..20).map(f64::from).collect());
    let data = data.with_target("y", y).unwrap();
    let model = blend(&data, &[(0.5, "linear@x", "ridge"), (0.5, "rbf@z", "svr(C=10)")]);
    round_trips(&model, &data, "a blend of numbers");
    let again = Model::from_bytes("m", &model.to_bytes().unwrap(), engine()).unwrap();
    assert!(
        again.members().iter().all(|m| m.model.objects() == Some(20) && m.model.program() == model.program())
    );
}

/// Files whose blends could not have been made: no members, weights that are no weights, other classes, blends of blends.
#[test]
fn impossible_blends_are_refused() {
    let data = classes(3, 6);
    let model = blend(&data, &[(0.5, "linear@x", "ridge"), (0.5, "rbf(gamma=1)", "svc")]);
    let file = model.to_container().unwrap();
    let refused = |edit: &dyn Fn(&mut serde_json::Value), reason: &str| {
        let mut file = file.clone();
        edit(&mut file.document);
        let error = Model::from_container(&file, engine()).map(|_| ()).unwrap_err();
        assert!(error.code().as_str().starts_with("E_MODEL_"), "{error}");
        assert!(error.to_string().contains(reason), "{reason}: {error}");
    };
    refused(&|d| d["members"] = json!([]), "a blend needs members");
    refused(&|d| d["members"] = json!(vec![d["members"][0].clone(); 101]), "101 members");
    refused(&|d| d["members"][0]["weight"] = json!(0.75), "sum is 1");
    refused(&|d| d["members"][0]["weight"] = json!(-0.5), "above 0");
    refused(&|d| d["members"][0]["sharpness"] = json!(-1), "at least 0");
    refused(&|d| d["members"][1] = json!({"members": d["members"]}), "missing entry");
    refused(&|d| d["target"] = json!(null), "same target");
    let two = classes(2, 6);
    let members = |a: Model, b: Model| {
        let member = |model| BlendMember { model, weight: 0.5, sharpness: 1.0 };
        Model::blend(vec![member(a), member(b)], &data, 0)
    };
    let other = members(fitted(&data, "linear", "svc"), fitted(&two, "linear", "svc"));
    assert!(other.unwrap_err().to_string().contains("same classes"));
    let nested = members(fitted(&data, "linear", "svc"), blend(&data, &[(1.0, "linear", "svc")]));
    assert!(nested.unwrap_err().to_string().contains("itself a blend"));
}

#[test]
fn every_learner_with_few_and_many_classes() {
    let mut tried = 0;
    for facts in learners() {
        let of_classes = matches!(facts.predicts, Predicts::Classes | Predicts::Either);
        let kernel = if facts.name.contains("linear") { "linear" } else { "rbf(gamma=1)" };
        // A matrix for each class is too much for many.
        let many = if facts.name == "gpc" { 20 } else { 60 };
        let counts = if of_classes { vec![2, 3, many] } else { vec![3] };
        for count in &counts {
            let data = classes(*count, if *count > 50 { 2 } else { 6 });
            let data = match facts.predicts {
                Predicts::Numbers => {
                    let target = (0..data.len()).map(|i| (i % 7) as f64).collect();
                    data.with_target("y", Target::Numbers(target)).unwrap()
                }
                _ => data,
            };
            let learner: Learner = facts.name.parse().unwrap_or_else(|e| panic!("{}: {e}", facts.name));
            let what = format!("{} with {count} classes", facts.name);
            let model = Model::fit(&data, &parse(kernel), &learner, 0, engine());
            let model = model.unwrap_or_else(|e| panic!("{what}: {e}"));
            round_trips(&model, &data, &what);
            tried += 1;
        }
    }
    assert!(tried > 20, "{tried}");
}

#[test]
fn many_models() {
    // 2,145 pairs, each with its sigmoid.
    let data = classes(66, 3);
    round_trips(&fitted(&data, "rbf(gamma=1)", "svc(probability=yes)"), &data, "probabilities of 66 classes");
    let data = classes(300, 2);
    for learner in ["svc(scheme=one-versus-rest)", "ridge", "knn(k=1)", "linear-svc", "perceptron"] {
        let kernel = if learner.starts_with("linear") { "linear" } else { "rbf(gamma=1)" };
        round_trips(&fitted(&data, kernel, learner), &data, &format!("{learner} with 300 classes"));
    }
}

/// Many columns are many parts of a document too.
#[test]
fn many_columns() {
    let columns = (0..30_000).map(|c| {
        let values = (0..4).map(|i| f64::from(i * 7 + c % 5)).collect();
        Column::new(format!("column {c}"), Values::Numbers(Dense::new(4, 1, values).unwrap()))
    });
    let data = Dataset::new(columns.collect()).unwrap();
    let target = Categories::from_values(["a", "b", "a", "b"].into_iter().map(Some));
    let data = data.with_target("class", Target::Classes(target)).unwrap();
    round_trips(&fitted(&data, "standardize(linear)", "svc"), &data, "30,000 columns");
}

#[test]
fn every_kernel() {
    let (mut kept, mut never) = (0, Vec::new());
    for entry in entries() {
        let mut is_fitted = false;
        for seed in 0..4 {
            let Some(case) = case(entry, 10, seed) else { continue };
            for learner in ["knn(k=1)", "svc"] {
                let learner: Learner = learner.parse().unwrap();
                // Refused fits need not be saved.
                let Ok(model) = Model::fit(&case.data, &case.expression, &learner, 0, engine()) else {
                    continue;
                };
                round_trips(&model, &case.data, &format!("{learner} on {}, seed {seed}", case.expression));
                (kept, is_fitted) = (kept + 1, true);
            }
        }
        if !is_fitted {
            never.push(entry.facts.name);
        }
    }
    assert!(kept > 300, "{kept}");
    assert!(never.len() <= 3, "never fitted: {never:?}");
}
