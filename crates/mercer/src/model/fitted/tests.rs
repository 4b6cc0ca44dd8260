use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;
use crate::budget::Budget;
use crate::data::{Categories, Column, Dense, Precomputed, Sparse, Values};
use crate::error::{Code, Error, Result};
use crate::gram::Engine;
use crate::learn::{KernelKMeans, KernelPca, Learner as _, Prediction};
use crate::model::{Array, Container};
use crate::solve::GramColumns;

fn engine() -> Engine {
    Engine::new().with_threads(2).unwrap()
}

/// A number in [-1, 1) that depends only on `at`.
fn noise(at: usize) -> f64 {
    let mut z = (at as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Objects with columns of several types; another `from` gives other objects of the same distribution.
fn table(n: usize, from: usize) -> Dataset {
    let number = |c: usize| (0..n).map(|i| noise((from + i) * 7 + c)).collect::<Vec<_>>();
    let column = |name: &str, c| Column::new(name, Values::Numbers(Dense::new(n, 1, number(c)).unwrap()));
    let sparse: Vec<Vec<(u32, f64)>> =
        (0..n).map(|i| vec![((from + i) as u32 % 4, 1.0 + noise(from + i)), (4, 0.5)]).collect();
    let names = (0..n).map(|i| Some(["red", "green", "blue"][(from + i) % 3]));
    let texts = (0..n).map(|i| Some(["acgt", "ggta", "ttac", "acca"][(from + i) % 4].to_owned()));
    Dataset::new(vec![
        column("a", 0),
        column("b", 1),
        Column::new("s", Values::Sparse(Sparse::from_rows(5, &sparse).unwrap())),
        Column::new("c", Values::Categories(Categories::from_values(names))),
        Column::new("t", Values::Strings(texts.collect())),
    ])
    .unwrap()
}

fn classes(data: Dataset, count: usize) -> Dataset {
    let a = data.vectors(&["a".into()]).unwrap().to_dense();
    let names = ["low", "mid", "high"];
    let class = |v: f64| names[(((v + 1.0) / 2.0 * count as f64) as usize).min(count - 1)];
    let values = a.values().iter().map(|v| Some(class(*v)));
    data.with_target("size", Target::Classes(Categories::from_values(values))).unwrap()
}

fn numbers(data: Dataset) -> Dataset {
    let x = data.vectors(&["a".into(), "b".into()]).unwrap().to_dense();
    let y = (0..x.rows()).map(|i| 2.0 * x.at(i, 0) - x.at(i, 1).powi(2)).collect();
    data.with_target("y", Target::Numbers(y)).unwrap()
}

fn fit(data: &Dataset, kernel: &str, learner: &str) -> Result<Model> {
    Model::fit(data, &kernel.parse()?, &learner.parse()?, 7, &engine())
}

fn again(model: &Model) -> Model {
    Model::from_bytes("m.mercer", &model.to_bytes().unwrap(), &engine()).unwrap()
}

fn bits(p: &Prediction) -> (Vec<u64>, Option<Target>, Vec<String>) {
    let values = p.decisions.values().iter().chain(p.probabilities.iter().flat_map(|p| p.values()));
    (values.map(|v| v.to_bits()).collect(), p.target.clone(), p.columns.clone())
}

const KERNELS: &[&str] = &[
    "rbf(gamma=1)@a,b",
    "standardize(rbf(gamma=0.5))",
    "center(standardize(rbf(gamma=0.5)))@a,b + 0.5*repair(sigmoid(gamma=1,c=-1), method=clip)@a,s",
    "column-sum(rbf(gamma=1))@a,b + convolution(center(delta), parts=substrings, length=2)@t",
    "rbf(gamma=1)@a * delta@c + ones",
    "impute(minmax(rbf(gamma=0.5)), method=mean)@a,b * impute(delta)@c",
];

#[test]
fn saved_models_predict_the_same_bits() {
    let new = table(17, 1000);
    for kernel in KERNELS {
        for (learner, data) in [
            ("svc(C=2)", classes(table(40, 0), 3)),
            ("svc(scheme=one-versus-rest)", classes(table(40, 0), 3)),
            ("nu-svc(nu=0.2)", classes(table(40, 0), 2)),
            ("svc(C=2,probability=yes)", classes(table(40, 0), 3)),
            ("nu-svc(nu=0.1,scheme=one-versus-rest,probability=yes)", classes(table(40, 0), 3)),
            ("knn(k=3,weights=distance)", classes(table(40, 0), 2)),
            ("perceptron", classes(table(40, 0), 2)),
            ("svr(C=5,epsilon=0.2)", numbers(table(40, 0))),
            ("ridge(lambda=0.1)", numbers(table(40, 0))),
            ("one-class(nu=0.3)", table(40, 0)),
            ("pca(components=3)", table(40, 0)),
            ("kmeans(k=3)", table(40, 0)),
        ] {
            let model = fit(&data, kernel, learner).unwrap_or_else(|e| panic!("{kernel} {learner}: {e}"));
            let loaded = again(&model);
            let first = model.predict(&new, &engine()).unwrap();
            assert_eq!(bits(&first), bits(&loaded.predict(&new, &engine()).unwrap()), "{kernel} {learner}");
            assert_eq!(model.to_bytes().unwrap(), loaded.to_bytes().unwrap(), "{kernel} {learner}");
            assert_eq!(loaded.target().map(|g| g.name.as_str()), data.target_name());
            let probable = model.learner().gives_probabilities();
            assert_eq!(
                (first.probabilities.is_some(), loaded.trained().calibration().is_some()),
                (probable, probable)
            );
            let all = model.expression().needs_training();
            assert_eq!(
                loaded.stored_objects().len(),
                if all { 40 } else { loaded.support_count() },
                "{kernel} {learner}"
            );
        }
    }
}

#[test]
fn a_note_is_saved_with_the_model() {
    let model = fit(&classes(table(20, 0), 2), "rbf(gamma=scale)@a,b", "svc").unwrap();
    assert_eq!(again(&model).note(), None);
    let noted = again(&model.with_note(Some("an estimator".into())));
    assert_eq!(noted.note(), Some("an estimator"));
    assert_eq!(again(&noted).note(), Some("an estimator"));
}

/// Overlapping half-moons, and the mean log loss of the probabilities of test objects.
#[test]
fn probabilities_of_test_objects_beat_a_constant() {
    let moons = crate::data::generate::half_moons;
    let (data, new) = (moons(160, 0.35, 1).unwrap(), moons(400, 0.35, 2).unwrap());
    let Some(Target::Classes(truth)) = new.target() else { panic!("classes") };
    for learner in
        ["svc(C=1,probability=yes)", "svc(C=1000,probability=yes)", "nu-svc(nu=0.4,probability=yes)"]
    {
        let model = fit(&data, "rbf(gamma=2)", learner).unwrap();
        assert_eq!(model.trained().calibration().unwrap().folds, [5]);
        let p = model.predict(&new, &engine()).unwrap().probabilities.unwrap();
        let classes = model.trained().classes();
        let loss = |i: usize| {
            let class = classes.iter().position(|c| Some(c.as_str()) == truth.get(i)).unwrap();
            assert!((p.at(i, 0) + p.at(i, 1) - 1.0).abs() < 1e-12);
            -p.at(i, class).ln()
        };
        let mean = (0..400).map(loss).sum::<f64>() / 400.0;
        // Two classes of 200 objects each: the log loss of a constant is at least ln 2.
        assert!(mean < 0.75 * 2f64.ln(), "{learner}: {mean}");
        let one = Model::fit(
            &data,
            model.expression(),
            model.learner(),
            7,
            &Engine::new().with_threads(1).unwrap(),
        );
        assert_eq!(one.unwrap().to_bytes().unwrap(), model.to_bytes().unwrap(), "{learner}");
    }
}

#[test]
fn small_classes_have_few_folds_and_a_warning() {
    let names = |few: usize| (0..30).map(move |i| Some(if i < few { "rare" } else { "common" }));
    let with = |few: usize| {
        let target = Target::Classes(Categories::from_values(names(few)));
        table(30, 0).with_target("kind", target).unwrap()
    };
    let model = fit(&with(3), "rbf(gamma=1)@a,b", "svc(probability=yes)").unwrap();
    assert_eq!(model.trained().calibration().unwrap().folds, [3]);
    let warnings = model.trained().warnings();
    assert_eq!((warnings.len(), warnings[0].code), (1, "W_FOLDS"));
    assert!(model.trained().converged());
    let model = fit(&with(1), "rbf(gamma=1)@a,b", "svc(probability=yes)").unwrap();
    assert_eq!(model.trained().calibration().unwrap().folds, [1]);
    let warnings = again(&model).trained().warnings();
    assert!(warnings.iter().any(|w| w.code == "W_FOLDS" && w.message.contains("one member")), "{warnings:?}");
    assert!(fit(&with(1), "rbf(gamma=1)@a,b", "svc").is_ok());
}

#[test]
fn unconverged_calibration_models_give_a_warning() {
    let data = classes(table(40, 0), 2);
    let model = fit(&data, "rbf(gamma=1)@a,b", "svc(C=10,probability=yes,iterations=2)").unwrap();
    let loaded = again(&model);
    assert_eq!(loaded.trained().calibration().unwrap().unconverged, 5);
    assert!(!loaded.trained().converged());
    let told: Vec<String> = loaded.trained().warnings().iter().map(ToString::to_string).collect();
    assert!(told.iter().any(|w| w.contains("5 models behind the probabilities")), "{told:?}");
}

#[test]
fn decisions_are_sums_over_support_vectors() {
    let data = classes(table(60, 0), 2);
    for kernel in KERNELS {
        let model = fit(&data, kernel, "svc(C=3)").unwrap();
        let Some(trained) = model.trained().model_as::<crate::learn::svm::SvcModel>() else {
            panic!("an svc")
        };
        let trained = &trained.classifiers()[0];
        assert!(trained.certificate.as_ref().unwrap().converged());
        // A kernel fitted again and the training objects themselves, without using the model.
        let expression: Expression = kernel.parse().unwrap();
        let again = expression.fit(&data, &engine()).unwrap().kernel;
        let new = table(9, 500);
        let cross = engine().cross(&again, &new, &data).unwrap();
        let support: Vec<usize> = {
            let gram = engine().gram(&again, &data).unwrap();
            let columns = GramColumns::new(&gram).unwrap();
            let task = crate::expression::Training::of(data.target().unwrap());
            let learner: Learner = "svc(C=3)".parse().unwrap();
            learner.fit(&columns, &task).unwrap().support().to_vec()
        };
        assert_eq!(support.len(), trained.coefficients.len(), "{kernel}");
        let found = model.predict(&new, &engine()).unwrap();
        for i in 0..new.len() {
            let terms = support.iter().zip(&trained.coefficients).map(|(&j, c)| c * cross.at(i, j));
            let expected = terms.sum::<f64>() - trained.offset;
            let value = found.decisions.at(i, 0);
            assert!((value - expected).abs() < 1e-9, "{kernel}: {value} {expected}");
            let [a, b] = model.trained().classes() else { panic!("two classes") };
            assert_eq!(found.class(i), Some(if expected > 0.0 { b } else { a }.as_str()));
        }
    }
}

#[test]
fn many_objects_are_predicted_in_batches() {
    let model = fit(&classes(table(50, 0), 2), "rbf(gamma=1)@a", "svc").unwrap();
    let many = table(9000, 100);
    let all = model.predict(&many, &engine()).unwrap();
    let one = model.predict(&many, &Engine::new().with_threads(1).unwrap()).unwrap();
    assert_eq!(bits(&all), bits(&one));
    for i in [0, 4095, 8191, 8192, 8999] {
        let alone = model.predict(&many.select(&[i]), &engine()).unwrap();
        assert_eq!(alone.class(0), all.class(i));
        assert!((alone.decisions.at(0, 0) - all.decisions.at(i, 0)).abs() < 1e-12);
    }
    let none = model.predict(&many.select(&[]), &engine()).unwrap();
    assert_eq!((none.target.map(|t| t.len()), none.decisions.rows()), (Some(0), 0));
    // Errors name the object by its number in the whole data set.
    let mut gap = many.clone();
    let column = gap.columns()[0].clone();
    let Values::Numbers(mut x) = column.values else { panic!("numbers") };
    x.row_mut(8500)[0] = f64::NAN;
    gap = gap.with_columns(vec![Column::new("a", Values::Numbers(x))]).unwrap();
    assert!(matches!(model.predict(&gap, &engine()), Err(Error::Missing { index: 8500, .. })));
}

#[test]
fn a_precomputed_matrix() {
    let x = [-2.0, -1.0, 1.0, 3.0f64];
    let gram = Dense::new(4, 4, x.iter().flat_map(|a| x.map(|b| a * b)).collect()).unwrap();
    let given = |k: Dense| Values::Precomputed(Precomputed::square(k).unwrap());
    let target = Target::Classes(Categories::from_values(["n", "n", "p", "p"].map(Some)));
    let data = |k: Dense| {
        Dataset::new(vec![Column::new("k", given(k))]).unwrap().with_target("y", target.clone()).unwrap()
    };
    let model = again(&fit(&data(gram.clone()), "precomputed", "svc(C=10)").unwrap());
    let new = Dense::new(2, 4, [-3.0, 0.5].iter().flat_map(|a| x.map(|b| a * b)).collect()).unwrap();
    let new = Dataset::new(vec![Column::new("k", Values::Precomputed(Precomputed::rows_of(new)))]).unwrap();
    let found = model.predict(&new, &engine()).unwrap();
    assert_eq!([found.class(0), found.class(1)], [Some("n"), Some("p")]);
    // The separating point of -1 and 1 is 0, at distance 1 from both: f(x) = x.
    assert!((found.decisions.at(0, 0) + 3.0).abs() < 1e-6, "{:?}", found.decisions);

    let flat = fit(&data(gram), "0.5*precomputed + ones", "svc(C=10)").unwrap();
    assert_eq!(flat.predict(&new, &engine()).unwrap().class(1), Some("p"));
    let bad = Dense::from_rows(&[
        [0.0, 1.0, 2.0, 0.0],
        [1.0, 0.0, 0.0, 2.0],
        [2.0, 0.0, 0.0, 1.0],
        [0.0, 2.0, 1.0, 0.0],
    ]);
    let error = fit(&data(bad), "precomputed", "svc").unwrap_err();
    assert!(
        matches!(error, Error::NotPositiveDefinite { lambda_min, .. } if (lambda_min + 3.0).abs() < 1e-9)
    );
    let mut lopsided = Dense::zeros(4, 4);
    lopsided.row_mut(0)[1] = 1.0;
    assert_eq!(fit(&data(lopsided), "precomputed", "svc").unwrap_err().code(), Code::GramSymmetry);
}

#[test]
fn kernels_without_columns_and_features() {
    let data = classes(table(20, 0), 2);
    let model = again(&fit(&data, "center(ones)", "knn(k=3)").unwrap());
    assert_eq!((model.stored_objects().columns().len(), model.stored_objects().len()), (0, 20));
    assert_eq!(model.predict(&table(5, 50), &engine()).unwrap().len(), 5);
    for kernel in ["linear", "polynomial(degree=2)@a,b"] {
        let linear = fit(&data, kernel, "linear-svc(C=10)").unwrap();
        let new = table(11, 90);
        let found = again(&linear).predict(&new, &engine()).unwrap();
        assert_eq!(bits(&found), bits(&linear.predict(&new, &engine()).unwrap()));
        assert_eq!(linear.support_count(), 0);
        let right = classes(new, 2);
        let Some(Target::Classes(right)) = right.target() else { panic!("classes") };
        let good = (0..11).filter(|&i| right.get(i) == found.class(i)).count();
        assert!(good >= 8, "{kernel}: {good}");
    }
    assert!(fit(&data, "rbf(gamma=1)", "linear-svc").is_err());
}

/// Many objects, predicted in batches: compared with the kernel and the typed learners in one batch.
#[test]
fn coordinates_and_clusters_of_many_objects() {
    let (data, new) = (classes(table(30, 0), 2), table(9000, 200));
    let kernel = "rbf(gamma=1)@a,b";
    let fitted = kernel.parse::<Expression>().unwrap().fit(&data, &engine()).unwrap().kernel;
    let gram = engine().gram(&fitted, &data).unwrap();
    let cross = engine().cross(&fitted, &new, &data).unwrap();
    let pca = fit(&data, kernel, "pca(components=2)").unwrap();
    assert!(pca.target().is_none() && pca.support_count() == 30);
    let found = again(&pca).predict(&new, &engine()).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let expected = KernelPca::new(2).fit_columns(&columns, &()).unwrap().project(&cross).unwrap();
    let near = |a: &Dense, b: &Dense, within: f64| {
        a.values().len() == b.values().len()
            && a.values().iter().zip(b.values()).all(|(a, b)| (a - b).abs() < within)
    };
    let coordinates = found.coordinates().unwrap();
    assert_eq!((coordinates.rows(), coordinates.cols()), (9000, 2));
    assert!(near(coordinates, &expected, 1e-9));

    let kmeans = fit(&data, kernel, "kmeans(k=4)").unwrap();
    assert!(kmeans.target().is_none() && kmeans.trained().converged());
    let found = again(&kmeans).predict(&new, &engine()).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let typed = KernelKMeans::new(4).with_seed(7).fit_columns(&columns, &()).unwrap();
    let (clusters, distances) = typed.predict_with_distances(&cross, &vec![1.0; 9000]).unwrap();
    assert!(near(&found.decisions, &distances, 1e-6));
    let same = (0..9000).filter(|&i| found.class(i) == Some(&format!("cluster {}", clusters[i] + 1)));
    assert_eq!(same.count(), 9000);
}

#[test]
fn fewer_components_than_requested_give_a_warning() {
    let model = fit(&table(12, 0), "linear@a,b", "pca(components=5)").unwrap();
    assert_eq!(model.warnings(), ["W_COMPONENTS 2 of 5 components: the objects have no variance along more"]);
    assert_eq!(again(&model).predict(&table(3, 9), &engine()).unwrap().columns.len(), 2);
    assert!(fit(&table(12, 0), "linear@a,b", "pca").unwrap().warnings().is_empty());
    assert!(fit(&table(12, 0), "ones", "pca").is_err());
}

#[test]
fn impossible_fits_are_errors() {
    let data = classes(table(12, 0), 2);
    let none = data.select(&[]);
    assert!(fit(&none, "rbf(gamma=1)@a", "svc").is_err());
    assert!(fit(&data.select(&[0]), "rbf(gamma=1)@a", "svc").is_err());
    assert!(fit(&table(12, 0), "rbf(gamma=1)@a", "svc").is_err());
    assert_eq!(fit(&data, "rbf(gamma=[1,2])@a", "svc").unwrap_err().code(), Code::Param);
    assert_eq!(fit(&data, "linear@a", "svc(C=[1,2])").unwrap_err().code(), Code::Param);
    assert_eq!(fit(&data, "linear@z", "svc").unwrap_err().code(), Code::Column);
    let stopped = Budget::default();
    stopped.stop();
    let engine = engine().with_budget(stopped);
    let fitted = Model::fit(&data, &"linear@a".parse().unwrap(), &"svc".parse().unwrap(), 0, &engine);
    assert!(matches!(fitted, Err(Error::Interrupted)));
    let model = fit(&data, "linear@a", "svc").unwrap();
    assert!(matches!(model.predict(&data, &engine), Err(Error::Interrupted)));
}

#[test]
fn long_work_stops_soon() {
    let budget = Budget::default();
    let engine = engine().with_budget(budget.clone());
    // Millions of pairs of parts: far more work than the test waits for.
    let kernel = "convolution(convolution(rbf(gamma=1), parts=columns), parts=columns)@a,b".parse().unwrap();
    let data = classes(table(3000, 0), 2);
    let asked = std::thread::spawn(move || {
        std::thread::sleep(std::time::Duration::from_millis(300));
        budget.stop();
        std::time::Instant::now()
    });
    let fitted = Model::fit(&data, &kernel, &"svc(C=100)".parse().unwrap(), 0, &engine);
    assert!(matches!(fitted, Err(Error::Interrupted)), "{fitted:?}");
    let waited = asked.join().unwrap().elapsed();
    assert!(waited < std::time::Duration::from_secs(2), "{waited:?}");
}

fn container(kernel: &str, learner: &str) -> Container {
    fit(&classes(table(15, 0), 2), kernel, learner).unwrap().to_container().unwrap()
}

fn load(c: &Container) -> Result<Model> {
    Model::from_container(&Container::from_bytes("m.mercer", &c.to_bytes()?)?, &engine())
}

#[track_caller]
fn refused(c: &Container, code: Code, edit: impl FnOnce(&mut Container)) {
    let mut c = c.clone();
    edit(&mut c);
    let error = load(&c).unwrap_err();
    assert_eq!(error.code(), code, "{error}");
}

#[test]
fn inconsistent_documents_are_refused() {
    let c = container("center(rbf(gamma=1))@a + standardize(linear)@b", "svc");
    assert!(load(&c).is_ok());
    let set = |key: &'static str, value: Value| move |c: &mut Container| c.document[key] = value;
    refused(&c, Code::ModelSyntax, set("what", json!("gram")));
    refused(&c, Code::ModelSyntax, set("kernel", json!("rbff")));
    refused(&c, Code::ModelSyntax, set("kernel", json!("rbf(gamma=1)@a + standardize(linear)@b")));
    refused(&c, Code::ModelSyntax, set("kernel", json!("center(rbf(gamma=1))@a + standardize(linear)@c")));
    refused(
        &c,
        Code::ModelSyntax,
        set("kernel", json!("center(rbf(gamma=[1,2]))@a + standardize(linear)@b")),
    );
    refused(&c, Code::ModelSyntax, set("learner", json!("svd")));
    refused(&c, Code::ModelSyntax, set("steps", json!([])));
    refused(&c, Code::ModelSyntax, set("steps", json!({})));
    refused(&c, Code::ModelSyntax, set("steps", json!([{"step": "center", "grand_mean": 1}])));
    refused(&c, Code::ModelSyntax, set("target", json!("size")));
    refused(&c, Code::ModelSyntax, set("warnings", json!([1])));
    refused(&c, Code::ModelSyntax, set("objects", json!(-1)));
    refused(&c, Code::ModelCount, set("kept_objects", json!(14)));
    refused(&c, Code::ModelCount, set("all_support", json!(true)));
    for places in [vec![99u64], vec![1, 1], vec![1, 0], vec![u64::MAX], vec![0]] {
        refused(&c, Code::ModelCount, |c| {
            c.arrays.insert("support".into(), Array::list(places));
        });
    }
    refused(&c, Code::ModelSyntax, |c| {
        c.arrays.remove("support");
    });
    let flat = container("center(ones)", "svc");
    refused(&flat, Code::ModelCount, |c| c.document["kept_objects"] = json!(1u64 << 40));
}

#[test]
fn exponentially_growing_expressions_are_refused_quickly() {
    let mut c = container("column-sum(column-sum(linear))@a,b", "svc");
    let deep =
        |levels: usize| format!("{}linear@[a,b]{}", "column-sum(".repeat(levels), ")@[a,b]".repeat(levels));
    c.document["kernel"] = json!(deep(3));
    assert!(load(&c).is_ok());
    c.document["kernel"] = json!(deep(50));
    assert_eq!(load(&c).unwrap_err().code(), Code::ModelSyntax);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Any value of the document is replaced by any other: the result is a model or an error.
    #[test]
    fn any_document_is_safe(
        at in any::<usize>(),
        new in prop::sample::select(vec![
            json!(null), json!(0), json!(1), json!(-1), json!(2.5), json!(u64::MAX), json!(1u64 << 40), json!(true),
            json!("linear"), json!("center(linear)@a"), json!("svr"), json!([]), json!({}), json!([0, 0]),
        ]),
    ) {
        let mut c = container("center(rbf(gamma=1))@a + standardize(linear)@b", "svc");
        let mut places = Vec::new();
        leaves(&c.document, String::new(), &mut places);
        let place = &places[at % places.len()];
        if let Some(value) = c.document.pointer_mut(place) {
            *value = new;
        }
        if let Ok(model) = load(&c) {
            let _ = model.predict(&table(3, 0), &engine());
        }
    }
}

fn leaves(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(i, v)| leaves(v, format!("{at}/{i}"), out))
        }
        Value::Object(map) => map.iter().for_each(|(k, v)| leaves(v, format!("{at}/{k}"), out)),
        _ => {}
    }
    out.push(at);
}
