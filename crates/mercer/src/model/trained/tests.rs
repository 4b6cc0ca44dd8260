use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::container::{Array, Numbers};
use crate::expression::trained::{Sample, TEXTS};

/// The model written to the bytes of a file and read again.
fn through_a_file(trained: &Trained) -> Trained {
    let mut container = Container::new(json!({}));
    let trained = trained.put(&mut container, "machine").unwrap();
    container.document = json!({"machine": trained});
    let read = Container::from_bytes("m.mercer", &container.to_bytes().unwrap()).unwrap();
    Trained::get(&read, "machine", read.root().get("machine").unwrap().value()).unwrap()
}

/// A container that holds the model and its document.
fn container_of(trained: &Trained) -> Container {
    let mut container = Container::new(json!({}));
    container.document = trained.put(&mut container, "m").unwrap();
    container
}

fn load(container: &Container) -> Result<Trained> {
    Trained::get(container, "m", &container.document)
}

#[track_caller]
fn refused(container: &Container, code: Code, what: &str) {
    match load(container) {
        Ok(_) => panic!("accepted: {what}"),
        Err(error) => assert_eq!(error.code(), code, "{what}: {error}"),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn models_round_trip_bit_for_bit(n in 12usize..40, classes in 2usize..5, seed in any::<u64>()) {
        let sample = Sample::new(n, classes, seed);
        for &(text, numeric) in TEXTS {
            let trained = sample.train(text, numeric);
            let again = through_a_file(&trained);
            let (compact, kept) = trained.clone().compact();
            prop_assert_eq!(&again, &compact, "{}", text);
            let (a, b) = (sample.predict(&trained, &kept), sample.predict(&again, &kept));
            let bits = |v: &[f64]| v.iter().map(|v| v.to_bits()).collect::<Vec<_>>();
            prop_assert_eq!(bits(a.decisions.values()), bits(b.decisions.values()), "{}", text);
            let probable = |p: &crate::learn::Prediction| p.probabilities.as_ref().map(|p| bits(p.values()));
            prop_assert_eq!(probable(&a), probable(&b), "{}", text);
            prop_assert_eq!(probable(&a).is_some(), text.contains("probability=yes") || text.starts_with("gpc"));
            prop_assert_eq!(a, b);
            // Writing the read model gives the same bytes.
            let bytes = |t: &Trained| container_of(t).to_bytes().unwrap();
            prop_assert_eq!(bytes(&again), bytes(&trained));
        }
    }
}

/// Every list is made shorter or longer, removed, or filled with NaN and numbers out of range.
#[test]
fn arrays_that_do_not_fit_are_refused() {
    for classes in [2, 3] {
        let sample = Sample::new(20, classes, 9);
        for &(text, numeric) in TEXTS {
            let good = container_of(&sample.train(text, numeric));
            assert!(load(&good).is_ok());
            for (name, array) in &good.arrays {
                let what = format!("{text} {name}");
                let with = |numbers: Numbers| {
                    let mut bad = good.clone();
                    bad.arrays.insert(name.clone(), Array::list(numbers));
                    bad
                };
                let mut gone = good.clone();
                gone.arrays.remove(name);
                let may_be_gone = name.ends_with("-means") && good.document["intercept"] == json!(false);
                assert!(may_be_gone || load(&gone).is_err(), "{what}");
                refused(&with(Numbers::F32(vec![1.0])), Code::ModelSyntax, &what);
                if let Numbers::F64(values) = array.numbers() {
                    for value in [f64::NAN, f64::INFINITY] {
                        let mut values = values.clone();
                        values[0] = value;
                        let mut bad = good.clone();
                        bad.arrays.insert(name.clone(), Array::new(array.shape(), values).unwrap());
                        // The width of the epsilon tube may be unknown.
                        if !(name == "m/epsilon" && value.is_nan()) {
                            refused(&bad, Code::ModelNonFinite, &what);
                        }
                    }
                }
                if let Numbers::U32(values) = array.numbers() {
                    let mut values = values.clone();
                    *values.last_mut().unwrap() = u32::MAX;
                    refused(&with(values.into()), Code::ModelCount, &what);
                }
                if array.shape().len() == 1 && array.shape() != [0] {
                    let (shorter, longer) = resized(array.numbers());
                    assert!(load(&with(shorter)).is_err(), "{what} shorter");
                    // Support vectors that no model uses are harmless.
                    assert!(name == "m/support-classes" || load(&with(longer)).is_err(), "{what} longer");
                }
            }
        }
    }
}

fn resized(numbers: &Numbers) -> (Numbers, Numbers) {
    fn both<T: Copy>(values: &[T]) -> (Vec<T>, Vec<T>) {
        let longer = values.iter().chain(values.last()).copied().collect();
        (values[..values.len() - 1].to_vec(), longer)
    }
    macro_rules! resize {
        ($($kind:ident),*) => {
            match numbers { $(Numbers::$kind(v) => { let (a, b) = both(v); (a.into(), b.into()) }),* }
        };
    }
    resize!(F64, F32, U64, U32, U8)
}

#[test]
fn documents_that_do_not_fit_are_refused() {
    for classes in [2, 3] {
        let sample = Sample::new(20, classes, 13);
        for &(text, numeric) in TEXTS {
            let good = container_of(&sample.train(text, numeric));
            let keys: Vec<String> = good.document.as_object().unwrap().keys().cloned().collect();
            for key in keys {
                for value in [Value::Null, json!({}), json!(-1.5), json!("nothing"), json!([])] {
                    // Files of models without probabilities, and of those before class weights, do not have it.
                    if ["calibration", "weighted_classes"].contains(&key.as_str()) && value.is_null() {
                        continue;
                    }
                    let mut bad = good.clone();
                    bad.document[&key] = value.clone();
                    assert!(load(&bad).is_err(), "{text} {key} {value}");
                }
            }
        }
    }
}

#[test]
fn errors_name_the_problem_and_its_position() {
    let sample = Sample::new(20, 3, 21);
    let good = container_of(&sample.train("svc", false));
    let with = |change: &dyn Fn(&mut Container)| {
        let mut bad = good.clone();
        change(&mut bad);
        bad
    };
    let message = |bad: &Container| load(bad).unwrap_err().to_string();
    let unknown = with(&|c| c.document["machine"] = "magic".into());
    assert_eq!(message(&unknown), "model E_MODEL_SYNTAX document/machine: 'magic' is not a type of model");
    let nan = with(&|c| {
        let Numbers::F64(mut v) = c.arrays["m/coefficients"].numbers().clone() else { panic!() };
        v[2] = f64::NAN;
        c.arrays.insert("m/coefficients".into(), Array::list(v));
    });
    assert_eq!(message(&nan), "model E_MODEL_NONFINITE value 3 of 'm/coefficients' is NaN");
    let twice = with(&|c| c.document["classes"] = json!(["a", "b", "a"]));
    refused(&twice, Code::ModelSyntax, "a class twice");
    let more = with(&|c| c.document["classes"] = json!(["a", "b", "c", "d"]));
    refused(&more, Code::ModelCount, "models of three classes for four");
    let one = with(&|c| c.document["classes"] = json!(["a"]));
    refused(&one, Code::ModelCount, "one class");
    let rest = with(&|c| c.document["scheme"] = "one-versus-rest".into());
    refused(&rest, Code::ModelCount, "locations of pairs as those of all");
    let location = with(&|c| {
        let n = c.arrays["m/locations"].numbers().len();
        c.arrays.insert("m/locations".into(), Array::list(vec![3u8; n]));
    });
    refused(&location, Code::ModelSyntax, "an invalid location");
    let descending = with(&|c| {
        let Numbers::U32(mut v) = c.arrays["m/support"].numbers().clone() else { panic!() };
        v.swap(0, 1);
        c.arrays.insert("m/support".into(), Array::list(v));
    });
    refused(&descending, Code::ModelCount, "support vectors that descend");
    let iterations = with(&|c| c.document["certificates"][1]["iterations"] = json!(-1));
    refused(&iterations, Code::ModelSyntax, "iterations below 0");
    let gap = with(&|c| c.document["certificates"][1]["gap"] = Value::Null);
    let read = load(&gap).unwrap();
    assert!(read.certificates()[1].1.gap.is_nan());
    let regression = container_of(&sample.train("ridge", true));
    let mut classes = regression.clone();
    classes.document["classes"] = json!(["a", "b"]);
    refused(&classes, Code::ModelCount, "classes of numbers");
    let mut knn = container_of(&sample.train("knn(k=3)", false));
    knn.document["k"] = json!(21);
    refused(&knn, Code::ModelCount, "more neighbours than objects");
}

#[test]
fn calibrations_that_do_not_fit_are_refused() {
    let sample = Sample::new(20, 3, 21);
    let trained = sample.train("svc(probability=yes)", false);
    let good = container_of(&trained);
    assert_eq!(good.document["calibration"], json!({"folds": [5, 5, 5], "unconverged": 0}));
    // Without the calibration the model is the same, but has no probabilities.
    let mut without = good.clone();
    without.document.as_object_mut().unwrap().remove("calibration");
    let plain = load(&without).unwrap();
    assert!(plain.calibration().is_none());
    let support = trained.support();
    let (a, b) = (sample.predict(&trained, support), sample.predict(&plain, support));
    assert_eq!((a.decisions, a.target, None), (b.decisions, b.target, b.probabilities));
    for folds in [json!([5, 5]), json!([5, 5, 5, 5]), json!([5, 5, 0]), json!([5, 5, 21])] {
        let mut bad = good.clone();
        bad.document["calibration"]["folds"] = folds.clone();
        refused(&bad, Code::ModelCount, &folds.to_string());
    }
    for folds in [json!([5, 5, -5]), json!("five"), Value::Null, json!([5, 5, 1.5])] {
        let mut bad = good.clone();
        bad.document["calibration"]["folds"] = folds.clone();
        refused(&bad, Code::ModelSyntax, &folds.to_string());
    }
    for count in [json!(-1), Value::Null, json!([])] {
        let mut bad = good.clone();
        bad.document["calibration"]["unconverged"] = count.clone();
        refused(&bad, Code::ModelSyntax, &count.to_string());
    }
    // Other programs may not store the number of folds.
    let mut unknown = good.clone();
    unknown.document["calibration"]["folds"] = json!([]);
    assert!(load(&unknown).unwrap().warnings().is_empty());
    // One sigmoid fewer in both lists, and sigmoids of a model that is not a classifier.
    let mut fewer = good.clone();
    for name in ["m/sigmoid-slopes", "m/sigmoid-shifts"] {
        fewer.arrays.insert(name.into(), Array::list(vec![1.0, 2.0]));
    }
    refused(&fewer, Code::ModelCount, "two sigmoids for three models");
    let mut ridge = container_of(&sample.train("ridge", true));
    ridge.document["calibration"] = good.document["calibration"].clone();
    refused(&ridge, Code::ModelSyntax, "no arrays");
    for name in ["m/sigmoid-slopes", "m/sigmoid-shifts"] {
        ridge.arrays.insert(name.into(), good.arrays[name].clone());
    }
    refused(&ridge, Code::ModelCount, "ridge regression with sigmoids");
}

#[test]
fn components_and_clusters_that_do_not_fit_are_refused() {
    let sample = Sample::new(20, 3, 2);
    let good = container_of(&sample.train("pca(components=3)", false));
    let with = |good: &Container, name: &str, array: Array| {
        let mut bad = good.clone();
        bad.arrays.insert(format!("m/{name}"), array);
        bad
    };
    let Numbers::F64(variances) = good.arrays["m/variances"].numbers() else { panic!() };
    for (factor, at) in [(-1.0, 2), (0.0, 2), (1e-9, 0), (1e9, 0)] {
        let mut changed = variances.clone();
        changed[at] *= factor;
        refused(&with(&good, "variances", Array::list(changed)), Code::ModelCount, "variances");
    }
    for total in [0.0, -1.0, variances[0]] {
        refused(&with(&good, "total-variance", Array::list(vec![total])), Code::ModelCount, "total");
    }
    let transposed = Array::new(&[3, 20], vec![0.5; 60]).unwrap();
    refused(&with(&good, "training", transposed), Code::ModelCount, "coordinates by component");
    let mut none = good.clone();
    for (name, shape) in [("directions", vec![0, 20]), ("training", vec![20, 0]), ("variances", vec![0])] {
        none = with(&none, name, Array::new(&shape, Vec::<f64>::new()).unwrap());
    }
    refused(&none, Code::ModelCount, "no components");
    let mut classes = good.clone();
    classes.document["classes"] = json!(["a", "b", "c"]);
    refused(&classes, Code::ModelCount, "classes of coordinates");

    let good = container_of(&sample.train("kmeans(k=3)", false));
    let Numbers::U32(of) = good.arrays["m/assignments"].numbers() else { panic!() };
    // Cluster 1 before cluster 0, a cluster too few, and none at all.
    let swapped = of.iter().map(|&c| [1, 0, 2][c as usize]).collect::<Vec<u32>>();
    refused(&with(&good, "assignments", Array::list(swapped)), Code::ModelCount, "other numbers");
    let fewer = of.iter().map(|&c| c.min(1)).collect::<Vec<u32>>();
    refused(&with(&good, "assignments", Array::list(fewer)), Code::ModelCount, "an empty cluster");
    refused(&with(&good, "assignments", Array::list(Vec::<u32>::new())), Code::ModelCount, "no objects");
    for sizes in [vec![1u64, 1, 18], vec![u64::MAX, 1, 1], vec![0, 0, 0]] {
        refused(&with(&good, "sizes", Array::list(sizes)), Code::ModelCount, "other sizes");
    }
    refused(&with(&good, "inertia", Array::list(vec![-1.0])), Code::ModelCount, "inertia below 0");
    let mut names = good.clone();
    names.document["classes"] = json!(["cluster 1", "cluster 2"]);
    refused(&names, Code::ModelCount, "two names for three clusters");
    names.document["classes"] = json!(["left", "middle", "right"]);
    assert_eq!(load(&names).unwrap().classes(), ["left", "middle", "right"]);
    let mut never = good.clone();
    never.document["iterations"] = json!(0);
    refused(&never, Code::ModelCount, "no iteration");
}

/// Models × objects may be far more than a file holds; memory may grow only with the mistakes.
#[test]
fn many_models_and_many_objects_cost_no_more_than_the_file() {
    let n = 60_000u32;
    let mut container = Container::new(json!({}));
    let list = |container: &mut Container, name: &str, numbers: Numbers| {
        container.insert(format!("m/{name}"), Array::list(numbers)).unwrap();
    };
    list(&mut container, "ends", (1..=u64::from(n)).collect::<Vec<_>>().into());
    list(&mut container, "objects", (0..n).collect::<Vec<_>>().into());
    list(&mut container, "positive", vec![1u8; n as usize].into());
    list(&mut container, "survivals", vec![1.0; n as usize].into());
    let classes: Vec<String> = (0..n).map(|c| c.to_string()).collect();
    container.document =
        json!({"machine": "voted-perceptron", "bias": false, "rule": "average", "classes": classes});
    assert_eq!(load(&container).unwrap().support().len(), n as usize);
}
