use serde_json::{Value, json};

use super::*;
use crate::data::{Categories, Dense, Target};
use crate::expression::{Learner, Training};
use crate::gram::Engine;
use crate::model::Container;
use crate::model::Persist;
use crate::solve::GramColumns;

fn rows(value: &Value) -> Dense {
    let rows: Vec<Vec<f64>> = value
        .as_array()
        .unwrap()
        .iter()
        .map(|r| r.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect())
        .collect();
    Dense::new(rows.len(), rows[0].len(), rows.concat()).unwrap()
}

/// The similarities of new vectors to the support vectors; for precomputed ones, the support columns.
fn cross(parts: &LibsvmParts, new: &Dense) -> Dense {
    let Some(support) = &parts.support else {
        let columns = parts.trained.support();
        let values = (0..new.rows()).flat_map(|i| columns.iter().map(move |&j| new.at(i, j))).collect();
        return Dense::new(new.rows(), columns.len(), values).unwrap();
    };
    let Vectors::Sparse(vectors) = support.vectors(&["x".to_owned()]).unwrap() else { panic!() };
    let support = Dataset::of_vectors(vectors.with_dim(new.cols()).unwrap());
    let engine = Engine::new();
    let kernel = parts.kernel.fit(&support, &engine).unwrap().kernel;
    engine.cross(&kernel, &Dataset::of_vectors(new.clone()), &support).unwrap()
}

/// Models of all five types and kernels; see tests/data/libsvm_models.py.
#[test]
fn decisions_match_libsvm_and_export_gives_the_same_file() {
    let oracle: Value =
        serde_json::from_str(include_str!("../../../../tests/data/libsvm_models.json")).unwrap();
    for (number, case) in oracle["cases"].as_array().unwrap().iter().enumerate() {
        let text = case["text"].as_str().unwrap();
        let model = LibsvmModel::from_bytes("m", text.as_bytes()).unwrap();
        let parts = model.parts().unwrap();
        assert!(parts.trained.stops().is_empty() && parts.trained.converged());
        let cross = cross(&parts, &rows(&case["new"]));
        let prediction = parts.trained.predict(&cross, None).unwrap();
        let theirs = rows(&case["decisions"]);
        // Our decision values have the opposite sign of LIBSVM's.
        let (ours, sign) = match prediction.numbers() {
            Some(numbers) if model.svm_type != SvmType::OneClass => (numbers, 1.0),
            Some(_) => (prediction.decisions.values(), 1.0),
            None => (prediction.decisions.values(), -1.0),
        };
        assert_eq!(ours.len(), theirs.values().len());
        for (a, b) in ours.iter().zip(theirs.values()) {
            assert!((sign * a - b).abs() <= 1e-9 * b.abs().max(1.0), "case {number}: {a} vs. {b}");
        }
        let predicted = case["predicted"].as_array().unwrap();
        for (i, label) in predicted.iter().enumerate() {
            match prediction.class(i) {
                Some(class) if clear(theirs.row(i), model.nr_class) => {
                    assert_eq!(class, label.to_string(), "case {number}")
                }
                // LIBSVM breaks ties of votes by the first class, we by the decision values.
                Some(_) => {}
                None if model.svm_type == SvmType::OneClass => {
                    assert_eq!(prediction.numbers().unwrap()[i], label.as_f64().unwrap());
                }
                None => {}
            }
        }
        assert_eq!(parts.trained.calibration().is_some(), case["probabilities"].is_array(), "case {number}");
        if let Some(ours) = &prediction.probabilities {
            let theirs = rows(&case["probabilities"]);
            // LIBSVM stops its coupling, here of two classes too, at gradients of 0.005 / classes.
            for (a, b) in ours.values().iter().zip(theirs.values()) {
                assert!((a - b).abs() < 5e-3, "case {number}: {a} vs. {b}");
            }
            if let (Some([a]), Some([b])) = (model.prob_a.as_deref(), model.prob_b.as_deref()) {
                let decisions = rows(&case["decisions"]);
                for (i, d) in decisions.values().iter().enumerate() {
                    let first = 1.0 / (1.0 + (a * d + b).exp());
                    assert!((ours.at(i, 0) - first).abs() < 1e-9, "case {number}: {} {first}", ours.at(i, 0));
                }
            }
        }
        assert_eq!(parts.model().unwrap(), model, "case {number}");
        let mut container = Container::new(json!({}));
        let document = parts.trained.put(&mut container, "m").unwrap();
        let again = Trained::get(&container, "m", &document).unwrap();
        assert_eq!(again.predict(&cross, None).unwrap(), prediction);
        assert!(again.certificates().is_empty());
    }
}

/// Whether one class has more votes than every other.
fn clear(decisions: &[f64], classes: usize) -> bool {
    let mut votes = vec![0; classes];
    let mut pairs = (0..classes).flat_map(|a| (a + 1..classes).map(move |b| (a, b)));
    for d in decisions {
        let (a, b) = pairs.next().unwrap();
        votes[if *d > 0.0 { a } else { b }] += 1;
    }
    let most = votes.iter().max().unwrap();
    votes.iter().filter(|v| *v == most).count() == 1
}

fn trained_here(text: &str, target: &Target) -> (Dataset, LibsvmParts) {
    let x =
        Dense::new(18, 2, (0..36).map(|i| f64::from(i * i % 17) / 8.0 - f64::from(i % 3)).collect()).unwrap();
    let data = Dataset::of_vectors(x);
    let engine = Engine::new();
    let kernel: Expression = "rbf(gamma=0.5)".parse().unwrap();
    let gram = engine.gram(&kernel.fit(&data, &engine).unwrap().kernel, &data).unwrap();
    let learner: Learner = text.parse().unwrap();
    let trained = learner.fit(&GramColumns::new(&gram).unwrap(), &Training::of(target)).unwrap();
    let (trained, kept) = trained.compact();
    let svm_type = match learner.name() {
        "svc" => SvmType::CSvc,
        "nu-svc" => SvmType::NuSvc,
        "svr" => SvmType::EpsilonSvr,
        "nu-svr" => SvmType::NuSvr,
        _ => SvmType::OneClass,
    };
    let parts = LibsvmParts {
        svm_type,
        kernel,
        support: Some(data.select(&kept)),
        trained,
        index_base: 1,
        prob_a: None,
        prob_b: None,
        prob_density_marks: None,
    };
    (data, parts)
}

fn labels(names: [&str; 3]) -> Target {
    Target::Classes(Categories::from_values((0..18).map(|i| Some(names[i % 3]))))
}

#[test]
fn exported_and_imported_models_decide_the_same() {
    let (numbers, classes) =
        (Target::Numbers((0..18).map(|i| f64::from(i).sin()).collect()), labels(["2", "-1", "7"]));
    for text in [
        "svc(C=2)",
        "svc(probability=yes)",
        "nu-svc(nu=0.4, probability=yes)",
        "svr(C=2)",
        "nu-svr(C=2)",
        "one-class",
    ] {
        let target = if text.contains("svr") { &numbers } else { &classes };
        let (data, parts) = trained_here(text, target);
        let engine = Engine::new();
        let decide = |parts: &LibsvmParts| {
            let support = parts.support.as_ref().unwrap();
            let kernel = parts.kernel.fit(support, &engine).unwrap().kernel;
            parts.trained.predict(&engine.cross(&kernel, &data, support).unwrap(), None).unwrap()
        };
        let file = parts.model().unwrap().to_text().unwrap();
        let again = LibsvmModel::from_bytes("m", file.as_bytes()).unwrap().parts().unwrap();
        let (a, b) = (decide(&parts), decide(&again));
        assert_eq!(a.columns, b.columns, "{text}");
        let values = |p: &crate::learn::Prediction| match p.numbers() {
            Some(numbers) => numbers.to_vec(),
            None => p.decisions.values().to_vec(),
        };
        for (a, b) in values(&a).iter().zip(&values(&b)) {
            assert!((a - b).abs() < 1e-12, "{text}: {a} {b}");
        }
        assert_eq!(a.probabilities.is_some(), text.contains("probability"), "{text}");
        assert_eq!(a.probabilities.is_some(), b.probabilities.is_some(), "{text}");
        for (a, b) in a.probabilities.iter().zip(&b.probabilities) {
            a.values()
                .iter()
                .zip(b.values())
                .for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{text}: {a} {b}"));
        }
        if text.contains("svc") {
            assert_eq!(a.target, b.target);
        }
    }
}

#[test]
fn models_without_a_libsvm_counterpart_are_refused() {
    let refused = |parts: &LibsvmParts, words: &str| {
        let error = parts.model().unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    };
    let (_, good) = trained_here("svc", &labels(["1", "2", "3.0"]));
    assert_eq!(good.model().unwrap().label, Some(vec![1, 2, 3]));
    refused(&trained_here("svc", &labels(["1", "x", "3"])).1, "class 'x' is not an integer");
    refused(&trained_here("svc", &labels(["1", "1.0", "3"])).1, "unique");
    refused(&trained_here("svc(scheme=one-versus-rest)", &labels(["1", "2", "3"])).1, "one-versus-one");
    refused(&trained_here("ridge", &labels(["1", "2", "3"])).1, "not of LIBSVM's");
    refused(&LibsvmParts { svm_type: SvmType::OneClass, ..good.clone() }, "not of LIBSVM's type one_class");
    refused(&LibsvmParts { kernel: "laplacian".parse().unwrap(), ..good.clone() }, "must be linear");
    refused(&LibsvmParts { kernel: "2*rbf".parse().unwrap(), ..good.clone() }, "must be linear");
    refused(&LibsvmParts { kernel: "rbf(gamma=1..3)".parse().unwrap(), ..good.clone() }, "must be linear");
    refused(&LibsvmParts { support: None, ..good.clone() }, "no support objects");
    let fewer = good.support.as_ref().map(|s| s.select(&[0]));
    refused(&LibsvmParts { support: fewer, ..good.clone() }, "1 support objects");
    refused(&LibsvmParts { prob_a: Some(vec![1.0]), ..good.clone() }, "probA");
    // One of probA and probB alone is kept, but gives no probabilities.
    let half = LibsvmParts { prob_a: Some(vec![1.0; 3]), ..good.clone() };
    let half = half.model().unwrap().parts().unwrap();
    assert_eq!((half.prob_a, half.trained.calibration()), (Some(vec![1.0; 3]), None));
    let probable = LibsvmParts { prob_a: Some(vec![-1.0; 3]), prob_b: Some(vec![0.5; 3]), ..good };
    let probable = probable.model().unwrap().parts().unwrap();
    assert_eq!((probable.prob_a, probable.prob_b), (None, None));
    let sigmoid = Sigmoid { a: -1.0, b: -0.5 };
    assert_eq!(probable.trained.calibration().unwrap().sigmoids, [sigmoid; 3]);

    let load = |text: &str| LibsvmModel::from_bytes("m", text.as_bytes()).unwrap();
    let text =
        "svm_type one_class\nkernel_type rbf\ngamma 0\nnr_class 2\ntotal_sv 1\nrho 1\nSV\n1 0:1 2:3 \n";
    assert!(load(text).parts().is_err());
    let parts = load(&text.replace("gamma 0", "gamma 1e-300")).parts().unwrap();
    assert_eq!((parts.index_base, parts.kernel.to_string().as_str()), (0, "rbf(gamma=1e-300)"));
    assert_eq!(parts.model().unwrap(), load(&text.replace("gamma 0", "gamma 1e-300")));
    let single = "svm_type c_svc\nkernel_type linear\nnr_class 1\ntotal_sv 0\nrho\nlabel 7\nnr_sv 0\nSV\n";
    assert!(load(single).parts().is_err());
    let twice =
        "svm_type nu_svr\nkernel_type precomputed\nnr_class 2\ntotal_sv 2\nrho -1\nSV\n1 0:3 \n-1 0:3 \n";
    assert!(load(twice).parts().is_err());
}
