//! Compares every learner of the dynamic layer with the typed learner.

use crate::data::{Categories, Dense, Target, Vectors};
use crate::error::{Error, Result};
use crate::expression::{Learner, Predicts, Training, learners};
use crate::gram::Engine;
use crate::kernel::vector::Rbf;
use crate::kernel::{Delta, Kernel};
use crate::learn::svm::{Location, Svc, SvcModel};
use crate::learn::{
    ClassCodes, KernelKMeans, KernelKMeansModel, KernelPca, Knn, Learner as _, LinearClassifier, LinearSvc,
    Perceptron, Prediction, Ridge, RidgeClassifier, Trained,
};
use crate::random::Random;
use crate::solve::{GramColumns, KernelColumns, Stop};

/// Points around a centre per class, with classes, numbers and new points.
pub(crate) struct Sample {
    pub(crate) x: Dense,
    pub(crate) new: Dense,
    pub(crate) classes: Target,
    pub(crate) numbers: Target,
    kernel: Rbf,
}

impl Sample {
    pub(crate) fn new(n: usize, classes: usize, seed: u64) -> Self {
        let mut random = Random::new(seed);
        let mut points = |n: usize| {
            let point = |i: usize| [(i % classes) as f64 + random.unit(), (i % 2) as f64 - random.unit()];
            Dense::from_rows(&(0..n).map(point).collect::<Vec<_>>())
        };
        let (x, new) = (points(n), points(9));
        let names = ["red", "green", "blue|x", "ten"];
        let classes = Target::Classes(Categories::from_values((0..n).map(|i| Some(names[i % classes]))));
        let numbers = Target::Numbers((0..n).map(|i| x.at(i, 0) - 2.0 * x.at(i, 1)).collect());
        Sample { x, new, classes, numbers, kernel: Rbf::new(0.8).unwrap() }
    }

    pub(crate) fn gram(&self) -> Dense {
        Engine::new().gram(&self.kernel, &Vectors::from(self.x.clone())).unwrap()
    }

    /// Similarities of the new points to the chosen training points.
    pub(crate) fn cross(&self, chosen: &[usize]) -> Dense {
        let k = |a: &[f64], b: &[f64]| {
            (-0.8 * a.iter().zip(b).map(|(a, b)| (a - b) * (a - b)).sum::<f64>()).exp()
        };
        let row = |i: usize| chosen.iter().map(move |&j| k(self.new.row(i), self.x.row(j)));
        Dense::new(self.new.rows(), chosen.len(), (0..self.new.rows()).flat_map(row).collect()).unwrap()
    }

    /// The target a learner takes.
    pub(crate) fn target(&self, learner: &Learner, numeric: bool) -> &Target {
        match learner.facts().predicts {
            Predicts::Numbers => &self.numbers,
            Predicts::Either if numeric => &self.numbers,
            _ => &self.classes,
        }
    }

    pub(crate) fn train(&self, text: &str, numeric: bool) -> Trained {
        let learner: Learner = text.parse().unwrap();
        let training = Training { seed: 3, ..Training::of(self.target(&learner, numeric)) };
        let trained = match learner.needs_features() {
            true => learner.fit_features(&Vectors::from(self.x.clone()), &training),
            false => learner.fit(&GramColumns::new(&self.gram()).unwrap(), &training),
        };
        trained.unwrap_or_else(|e| panic!("{text}: {e}"))
    }

    pub(crate) fn predict(&self, trained: &Trained, support: &[usize]) -> Prediction {
        match trained.needs_features() {
            true => trained.predict_features(&Vectors::from(self.new.clone())).unwrap(),
            false => trained.predict(&self.cross(support), Some(&vec![1.0; self.new.rows()])).unwrap(),
        }
    }
}

/// All types of learners, with settings that affect the model.
pub(crate) const TEXTS: &[(&str, bool)] = &[
    ("svc(C=10)", false),
    ("svc(C=0.5, weights=balanced, scheme=one-versus-rest)", false),
    ("nu-svc(nu=0.3)", false),
    ("landmark-svc(C=5, landmarks=15)", false),
    ("svc(C=2, probability=yes)", false),
    ("svc(scheme=one-versus-rest, probability=yes)", false),
    ("nu-svc(nu=0.2, probability=yes)", false),
    ("svr(C=5)", true),
    ("nu-svr(C=5)", true),
    ("one-class(nu=0.2)", false),
    ("ridge(lambda=0.1)", true),
    ("ridge(lambda=0.1, intercept=yes)", false),
    ("ridge", false),
    ("gp", true),
    ("gp(noise=0.1, scale=2, mean=zero)", true),
    ("gp(landmarks=20)", true),
    ("gp(solver=cg)", true),
    ("gpc", false),
    ("gpc(scale=3)", false),
    ("gpc(approximation=ep)", false),
    ("perceptron(rounds=20)", false),
    ("voted-perceptron(rounds=4)", false),
    ("voted-perceptron(rounds=4, rule=average, order=shuffled)", false),
    ("voted-perceptron(rounds=4, rule=last, bias=yes)", false),
    ("knn(k=3)", false),
    ("knn(k=3)", true),
    ("knn(k=4, weights=distance)", false),
    ("knn(k=4, weights=distance)", true),
    ("pca(components=3)", false),
    ("pca(components=1)", true),
    ("kmeans(k=2)", false),
    ("kmeans(k=4, restarts=3)", true),
    ("kmeans(k=1)", true),
    ("linear-svc", false),
    ("linear-svc(C=30, epochs=1000000, scheme=crammer-singer)", false),
    ("linear-svr(epsilon=0)", true),
];

#[test]
fn every_learner_is_trained_and_predicts() {
    for facts in learners() {
        assert!(TEXTS.iter().any(|(text, _)| text.split('(').next() == Some(facts.name)), "{}", facts.name);
    }
    for classes in [2, 3] {
        let sample = Sample::new(40, classes, 5);
        for &(text, numeric) in TEXTS {
            let trained = sample.train(text, numeric);
            let learner: Learner = text.parse().unwrap();
            assert_eq!(trained.needs_features(), learner.needs_features());
            assert!(trained.support().is_sorted_by(|a, b| a < b), "{text}");
            assert!(text.starts_with("perceptron") || trained.converged(), "{text}: {:?}", trained.stops());
            let prediction = sample.predict(&trained, trained.support());
            assert_eq!(prediction.len(), 9);
            assert_eq!(prediction.target.as_ref().map_or(9, Target::len), 9);
            assert_eq!(prediction.columns, trained.columns());
            assert_eq!(prediction.decisions.cols(), prediction.columns.len(), "{text}");
            assert_eq!(prediction.probabilities.is_some(), learner.gives_probabilities(), "{text}");
            if let Some(p) = &prediction.probabilities {
                assert_eq!((p.rows(), p.cols()), (9, classes), "{text}");
                let (near, far) =
                    ((0..9).map(|i| p.at(i, i % classes)), (0..9).map(|i| p.at(i, (i + 1) % classes)));
                assert!(near.sum::<f64>() > far.sum::<f64>() + 3.0, "{text}: {p:?}");
                for i in 0..9 {
                    assert!((p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12, "{text}");
                }
            }
            let predicts = learner.facts().predicts;
            assert_eq!(prediction.coordinates().is_some(), predicts == Predicts::Coordinates, "{text}");
            if predicts == Predicts::Membership {
                assert!(prediction.numbers().unwrap().iter().all(|v| v.abs() == 1.0));
                assert!(trained.classes().is_empty());
            } else if predicts == Predicts::Coordinates {
                let count = learner.setting("components").unwrap().number().unwrap() as usize;
                let names: Vec<String> = (1..=count).map(|k| format!("component {k}")).collect();
                assert_eq!((prediction.columns, trained.classes().len()), (names, 0), "{text}");
                assert!(prediction.target.is_none());
            } else if predicts == Predicts::Clusters {
                let count = learner.setting("k").unwrap().number().unwrap() as usize;
                let names: Vec<String> = (1..=count).map(|k| format!("cluster {k}")).collect();
                assert_eq!((trained.classes(), &prediction.columns), (&names[..], &names), "{text}");
                for i in 0..9 {
                    let row = prediction.decisions.row(i);
                    let own = names.iter().position(|n| Some(n.as_str()) == prediction.class(i)).unwrap();
                    assert!(row.iter().all(|d| *d >= row[own]), "{text}: {row:?}");
                }
            } else if matches!(sample.target(&learner, numeric), Target::Classes(_)) {
                assert_eq!(trained.classes().len(), classes, "{text}");
                // The new points are close to the training points of their class.
                let right = (0..9).filter(|i| prediction.class(*i) == Some(&trained.classes()[i % classes]));
                assert!(right.count() >= 7, "{text}");
            } else {
                let y = prediction.numbers().unwrap();
                let want = |i: usize| sample.new.at(i, 0) - 2.0 * sample.new.at(i, 1);
                let error = (0..9).map(|i| (y[i] - want(i)).abs()).sum::<f64>() / 9.0;
                assert!(error < 0.5, "{text}: {error}");
            }
        }
    }
}

#[test]
fn the_dynamic_layer_equals_the_typed_learners() {
    let sample = Sample::new(30, 3, 11);
    let (gram, cross) = (sample.gram(), sample.cross(&(0..30).collect::<Vec<_>>()));
    let codes: Vec<usize> = (0..30).map(|i| i % 3).collect();
    let names = ["red", "green", "blue|x"];
    let same = |text: &str, typed: Vec<usize>| {
        let trained = sample.train(text, false);
        let prediction = sample.predict(&trained, trained.support());
        for (i, class) in typed.into_iter().enumerate() {
            assert_eq!(prediction.class(i), Some(names[class]), "{text}");
        }
        trained
    };
    let columns = GramColumns::new(&gram).unwrap();
    let codes = ClassCodes::new(codes, 3);
    let svc = Svc::new(10.0).fit_columns(&columns, &codes).unwrap();
    let trained = same("svc(C=10)", svc.predict(&sample.cross(svc.support())).unwrap());
    assert_eq!(trained.support(), svc.support());
    assert_eq!(trained.columns(), ["red|green", "red|blue|x", "green|blue|x"]);
    let decisions = svc.decisions(&sample.cross(svc.support())).unwrap();
    assert_eq!(sample.predict(&trained, svc.support()).decisions, decisions);
    let ridge: RidgeClassifier = Ridge::new(2.0).fit_columns(&columns, &codes).unwrap();
    same("ridge(lambda=2)", ridge.predict(&cross).unwrap());
    let perceptron = Perceptron::new(7).fit_columns(&columns, &codes).unwrap();
    same("perceptron(7)", perceptron.predict(&cross).unwrap());
    let knn = Knn::new(4).fit_columns(&columns, &codes).unwrap();
    same("knn(4)", knn.predict(&cross).unwrap());
    let pca = KernelPca::new(2).fit_columns(&columns, &()).unwrap().project(&cross).unwrap();
    let trained = sample.train("pca", false);
    assert_eq!(sample.predict(&trained, trained.support()).coordinates(), Some(&pca));
    let kmeans = KernelKMeans::new(3).with_seed(3).fit_columns(&columns, &()).unwrap();
    let trained = sample.train("kmeans", false);
    let found = sample.predict(&trained, trained.support());
    let (clusters, distances) = kmeans.predict_with_distances(&cross, &[1.0; 9]).unwrap();
    assert_eq!(found.decisions, distances);
    for (i, cluster) in clusters.into_iter().enumerate() {
        assert_eq!(found.class(i), Some(format!("cluster {}", cluster + 1).as_str()));
    }
    let x = Vectors::from(sample.x.clone());
    let linear = LinearSvc::new(1.0).with_seed(3).fit_features((&x).into(), &codes).unwrap();
    let trained = sample.train("linear-svc", false);
    let Some(model) = trained.model_as::<LinearClassifier>() else { panic!() };
    for (a, b) in model.classifiers().iter().zip(linear.classifiers()) {
        assert_eq!((a.weights(), a.intercept()), (b.weights(), b.intercept()));
    }
}

#[test]
fn rows_on_demand_give_the_same_models() {
    let sample = Sample::new(25, 2, 2);
    let x = Vectors::from(sample.x.clone());
    let engine = Engine::new();
    let set = sample.kernel.prepare(&x).unwrap();
    let columns = KernelColumns::<Vectors, _>::new(&engine, &sample.kernel, &set);
    for &(text, numeric) in TEXTS {
        let learner: Learner = text.parse().unwrap();
        if learner.needs_features() {
            continue;
        }
        let training = Training { seed: 3, ..Training::of(sample.target(&learner, numeric)) };
        let on_demand = learner.fit(&columns, &training).unwrap();
        let held = sample.train(text, numeric);
        let (a, b) = (sample.predict(&on_demand, on_demand.support()), sample.predict(&held, held.support()));
        assert_eq!((a.class(0), a.numbers().is_some()), (b.class(0), b.numbers().is_some()), "{text}");
        for (a, b) in a.decisions.values().iter().zip(b.decisions.values()) {
            assert!((a - b).abs() < 0.02, "{text}: {a} {b}");
        }
    }
}

#[test]
fn compacting_changes_only_the_indices() {
    let sample = Sample::new(40, 3, 8);
    for &(text, numeric) in TEXTS {
        let trained = sample.train(text, numeric);
        let before = sample.predict(&trained, trained.support());
        let (compact, kept) = trained.clone().compact();
        assert_eq!(kept, trained.support());
        assert!(compact.support().iter().enumerate().all(|(at, &s)| at == s));
        assert_eq!(sample.predict(&compact, &kept), before, "{text}");
    }
}

#[test]
fn certificates_locations_and_stops() {
    let sample = Sample::new(30, 3, 4);
    let trained = sample.train("svc", false);
    let names: Vec<String> = trained.certificates().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, trained.columns());
    let Some(svc) = trained.model_as::<SvcModel>() else { panic!() };
    for (i, model) in svc.classifiers().iter().enumerate() {
        let members = svc.members(i);
        assert_eq!(members.len(), model.locations.len());
        let inside = members.iter().zip(&model.locations).filter(|(_, l)| **l != Location::Outside);
        let inside: Vec<usize> = inside.map(|(&m, _)| m).collect();
        let support: Vec<usize> = model.support.iter().map(|&s| trained.support()[s]).collect();
        assert_eq!(inside, support);
    }
    let hurried = sample.train("svc(C=100000, tolerance=1e-12, iterations=1)", false);
    assert!(!hurried.converged() && hurried.warnings().len() == 3);
    assert_eq!(hurried.stops()[0], ("red|green".into(), Stop::Iterations));
    assert!(sample.train("knn(1)", true).stops().is_empty());
    assert_eq!(sample.train("linear-svc", false).dualities().len(), 3);
    let joint = sample.train("linear-svc(scheme=crammer-singer)", false);
    assert_eq!(joint.dualities().iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["all classes"]);
    assert!(!sample.train("perceptron(rounds=1)", false).converged());
    let clusters = sample.train("kmeans(iterations=1)", false);
    assert_eq!(clusters.stops(), [("clusters".into(), Stop::Iterations)]);
    assert_eq!(
        clusters.warnings()[0].to_string(),
        "W_NOT_CONVERGED clusters: stopped early, the iteration limit was reached"
    );
    assert!(sample.train("pca", false).stops().is_empty());
}

/// Unsupervised learners ignore a target, and the seed chooses the initial clusters.
#[test]
fn targets_that_are_not_needed_are_ignored() {
    let sample = Sample::new(30, 3, 6);
    let gram = sample.gram();
    let columns = GramColumns::new(&gram).unwrap();
    let short = Target::Numbers(vec![f64::NAN]);
    for facts in learners().iter().filter(|f| !f.predicts.needs_target()) {
        let learner: Learner = facts.name.parse().unwrap();
        let fit = |target| {
            let training = Training { target, seed: 5, ..Training::default() };
            learner.fit(&columns, &training).unwrap()
        };
        let without = fit(None);
        for target in [&sample.classes, &sample.numbers, &short] {
            let with = fit(Some(target));
            assert_eq!(sample.predict(&with, with.support()), sample.predict(&without, with.support()));
        }
    }
    let learner: Learner = "kmeans(k=8, restarts=1)".parse().unwrap();
    let of_seed = |seed| {
        let trained = learner.fit(&columns, &Training { seed, ..Training::default() }).unwrap();
        let Some(model) = trained.model_as::<KernelKMeansModel>() else { panic!() };
        model.assignments().to_vec()
    };
    assert!((1..10).any(|seed| of_seed(seed) != of_seed(0)));
}

#[test]
fn refusals() {
    let sample = Sample::new(12, 2, 1);
    let gram = sample.gram();
    let columns = GramColumns::new(&gram).unwrap();
    let fit = |text: &str, training: Training<'_>| text.parse::<Learner>().unwrap().fit(&columns, &training);
    let message = |result: Result<Trained>| result.unwrap_err().to_string();
    let (classes, numbers) = (Training::of(&sample.classes), Training::of(&sample.numbers));
    assert_eq!(
        message(fit("svc", numbers.clone())),
        "E_USAGE svc needs classes, but the target holds numbers"
    );
    assert!(
        message(fit("svr", classes.clone())).ends_with("svr needs numbers, but the target holds classes")
    );
    assert!(message(fit("svc", Training::default())).ends_with("the target holds nothing"));
    assert!(fit("one-class", Training::default()).is_ok());
    let weights = vec![1.0; 12];
    for text in ["ridge", "knn", "perceptron", "voted-perceptron", "pca", "kmeans"] {
        let training = Training { weights: Some(&weights), ..classes.clone() };
        assert!(message(fit(text, training)).contains("does not support object weights"), "{text}");
    }
    assert!(fit("svc", Training { weights: Some(&weights[1..]), ..classes.clone() }).is_err());
    assert!(message(fit("svc(C=1..3)", classes.clone())).contains("one value"));
    assert!(message(fit("linear-svc", classes.clone())).contains("features"));
    assert!(fit("knn(k=13)", classes.clone()).is_err());
    assert_eq!(
        message(fit("kmeans(k=13)", classes.clone())),
        "E_PARAM k = 13: must be at most 12, the number of objects"
    );
    assert!(message(fit("pca(components=13)", classes.clone())).contains("components = 13"));
    let same = Dense::from_rows(&[[1.0; 3]; 3]);
    let all = "pca".parse::<Learner>().unwrap().fit(&GramColumns::new(&same).unwrap(), &Training::default());
    assert_eq!(message(all), "E_USAGE no components: the kernel maps all objects to the same point");
    let x = Vectors::from(sample.x.clone());
    assert!("svc".parse::<Learner>().unwrap().fit_features(&x, &classes).is_err());
    let short = Target::Numbers(vec![1.0; 5]);
    for text in ["svr", "ridge", "knn"] {
        assert!(fit(text, Training::of(&short)).is_err(), "{text}");
    }
    assert!("linear-svr".parse::<Learner>().unwrap().fit_features(&x, &Training::of(&short)).is_err());
    let one = Target::Classes(Categories::from_values((0..12).map(|_| Some("a"))));
    let missing = Target::Classes(Categories::from_values((0..12).map(|i| (i > 0).then_some("a"))));
    for text in ["svc", "ridge", "knn", "perceptron", "voted-perceptron"] {
        assert!(fit(text, Training::of(&one)).is_err(), "{text}");
        assert!(matches!(fit(text, Training::of(&missing)), Err(Error::Missing { index: 0, .. })), "{text}");
    }
    let training = classes.clone();
    training.budget.stop();
    for text in ["svc", "ridge", "knn", "perceptron", "pca", "kmeans"] {
        assert!(matches!(fit(text, training.clone()), Err(Error::Interrupted)), "{text}");
    }
    // Along a path too, where models are warm-started: a cancelled model must not count as a result.
    let path = ["svc(C=1)", "svc(C=10)"].map(|text| text.parse::<Learner>().unwrap());
    for trained in Learner::fit_path(&[&path[0], &path[1]], &columns, &training) {
        assert!(matches!(trained, Err(Error::Interrupted)));
    }
    let trained = sample.train("kmeans", true);
    assert!(trained.needs_self_similarities());
    assert!(trained.predict(&sample.cross(trained.support()), None).is_err());
    let trained = sample.train("knn(k=2, weights=distance)", true);
    assert!(trained.needs_self_similarities());
    assert!(trained.predict(&sample.cross(trained.support()), None).is_err());
    assert!(trained.predict(&Dense::zeros(1, 3), None).is_err());
    let trained = sample.train("svc", false);
    assert!(!trained.needs_self_similarities());
    assert!(
        trained
            .predict(
                &Dense::new(1, trained.support().len(), vec![f64::NAN; trained.support().len()]).unwrap(),
                None
            )
            .is_err()
    );
    assert!(trained.predict_features(&x).is_err());
    assert_eq!(trained.predict(&Dense::zeros(0, trained.support().len()), None).unwrap().len(), 0);
}

/// Classes without members, as may occur in a fold, are left out.
#[test]
fn levels_without_members_are_left_out() {
    let all = Categories::from_values(["a", "b", "c", "b", "c", "c"].map(Some));
    let target = Target::Classes(all).select(&[1, 2, 3, 4, 5]);
    let objects = Categories::from_values(["p", "q", "p", "q", "q"].map(Some));
    let gram = Engine::new().gram(&Delta, &objects).unwrap();
    for text in ["svc(C=5)", "ridge", "knn(1)", "perceptron", "voted-perceptron"] {
        let columns = GramColumns::new(&gram).unwrap();
        let trained = text.parse::<Learner>().unwrap().fit(&columns, &Training::of(&target)).unwrap();
        assert_eq!(trained.classes(), ["b", "c"], "{text}");
        let cross = Dense::from_rows(&[[1.0, 0.0, 1.0, 0.0, 0.0], [0.0, 1.0, 0.0, 1.0, 1.0]]);
        let mut own = Dense::zeros(2, trained.support().len());
        for i in 0..2 {
            let row = trained.support().iter().map(|&s| cross.at(i, s)).collect::<Vec<_>>();
            own.row_mut(i).copy_from_slice(&row);
        }
        let prediction = trained.predict(&own, None).unwrap();
        assert_eq!([prediction.class(0), prediction.class(1)], [Some("b"), Some("c")], "{text}");
    }
}

/// scikit-learn 1.x: SVC(C=1, class_weight="balanced") weighs classes of 3 and 1 members by 2/3 and 2.
#[test]
fn balanced_weights_match_scikit_learn() {
    let x = [-1.0, 0.2, 1.5, 2.0f64];
    let gram = Dense::new(4, 4, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect()).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let target = Target::Classes(Categories::from_values(["p", "p", "q", "p"].map(Some)));
    let learner: Learner = "svc(C=1, weights=balanced, tolerance=1e-8)".parse().unwrap();
    let trained = learner.fit(&columns, &Training::of(&target)).unwrap();
    let by_hand = Svc::new(1.0).with_class_weights(vec![4.0 / 6.0, 2.0]);
    let by_hand = by_hand.with_limits(crate::solve::Limits { tolerance: 1e-8, ..Default::default() });
    let by_hand = by_hand.fit_columns(&columns, &ClassCodes::new([0, 0, 1, 0], 2)).unwrap();
    let Some(svc) = trained.model_as::<SvcModel>() else { panic!() };
    assert_eq!(svc.classifiers()[0].coefficients, by_hand.classifiers()[0].coefficients);
    assert_eq!(svc.classifiers()[0].offset, by_hand.classifiers()[0].offset);
}

#[test]
fn weights_and_hard_margins_reach_the_solver() {
    let x = [-2.0, -1.0, 1.0, 3.0f64];
    let gram = Dense::new(4, 4, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect()).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let target = Target::Classes(Categories::from_values(["p", "p", "q", "q"].map(Some)));
    let decision = |text: &str, weights: &[f64], at: f64| {
        let training = Training { weights: Some(weights), ..Training::of(&target) };
        let trained = text.parse::<Learner>().unwrap().fit(&columns, &training).unwrap();
        let row: Vec<f64> = trained.support().iter().map(|&s| at * x[s]).collect();
        trained.predict(&Dense::new(1, row.len(), row).unwrap(), None).unwrap().decisions.at(0, 0)
    };
    // The margin lies between -1 and 1: f(x) = x.
    assert!((decision("svc(margin=hard, tolerance=1e-8)", &[1.0; 4], 0.5) - 0.5).abs() < 1e-6);
    // Objects of weight 0 are ignored: the margin lies between -2 and 3.
    let without = decision("svc(C=100, tolerance=1e-8)", &[1.0, 0.0, 0.0, 1.0], 3.0);
    assert!((without - 1.0).abs() < 1e-6, "{without}");
}

/// Few objects, constant, huge and indefinite similarities give a model or an error.
#[test]
fn odd_matrices_give_a_model_or_an_error() {
    for n in 1..5 {
        let filled = |value: f64| Dense::new(n, n, vec![value; n * n]).unwrap();
        let diagonal = |value: f64| {
            let mut k = Dense::zeros(n, n);
            (0..n).for_each(|i| k.row_mut(i)[i] = value);
            k
        };
        let sample = Sample::new(n, 2, 7);
        for gram in [filled(0.0), filled(1.0), filled(1e300), diagonal(1e308), diagonal(-1.0), sample.gram()]
        {
            for &(text, numeric) in TEXTS {
                let mut learner: Learner = text.parse().unwrap();
                if learner.setting("iterations").is_ok() {
                    learner = learner.with("iterations", 1000.0).unwrap();
                }
                let training = Training::of(sample.target(&learner, numeric));
                let trained = match learner.needs_features() {
                    true => learner.fit_features(&Vectors::from(gram.clone()), &training),
                    false => learner.fit(&GramColumns::new(&gram).unwrap(), &training),
                };
                if let Ok(trained) = trained {
                    let m = trained.support().len();
                    let _ = trained.predict(&Dense::zeros(2, m), Some(&[0.0, 1e308]));
                    let _ = trained.predict(&Dense::new(1, m, vec![-1e308; m]).unwrap(), Some(&[1.0]));
                    let _ =
                        trained.predict_features(&Vectors::from(Dense::new(1, n, vec![1e308; n]).unwrap()));
                }
            }
        }
    }
}

#[test]
fn results_are_bit_identical_for_any_number_of_threads() {
    let sample = Sample::new(60, 3, 17);
    let of_threads = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let one = |&(text, numeric): &(&str, bool)| {
                let trained = sample.train(text, numeric);
                (trained.support().to_vec(), sample.predict(&trained, trained.support()))
            };
            TEXTS.iter().map(one).collect::<Vec<_>>()
        })
    };
    assert_eq!(of_threads(1), of_threads(3));
}
