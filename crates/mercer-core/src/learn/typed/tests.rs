//! The typed fit of every learner, compared with its low-level fit on the same columns.

use super::*;
use crate::data::{Dense, Graph, Series, Strings, Vectors};
use crate::distance::{Euclidean, NegativeSquaredDistance};
use crate::error::Code;
use crate::kernel::graph::VertexHistogram;
use crate::kernel::string::Spectrum;
use crate::kernel::vector::{Linear, Rbf, Sigmoid};
use crate::learn::svm::Scheme;
use crate::learn::{
    ClassCodes, KernelKMeans, KernelPca, Knn, Learner, LinearSvc, LinearSvr, Measure, Neighbours, OneClass,
    Perceptron, Ridge, Rule, Svc, Svr, VotedPerceptron,
};
use crate::random::Random;
use crate::solve::{KernelColumns, Limits};

/// Points around one centre per class, their labels and numbers, and new points.
struct Sample {
    x: Vectors,
    labels: Vec<&'static str>,
    numbers: Vec<f64>,
    new: Vectors,
}

fn sample(classes: usize) -> Sample {
    let mut random = Random::new(7);
    let mut points = |n: usize| {
        let point = |i: usize| [(i % classes) as f64 + random.unit(), (i % 2) as f64 - random.unit()];
        Dense::from_rows(&(0..n).map(point).collect::<Vec<_>>())
    };
    let (x, new) = (points(40), points(11));
    // Not in ascending order.
    let labels = (0..40).map(|i| ["red", "green", "blue"][i % classes]).collect();
    let numbers = (0..40).map(|i| x.at(i, 0) - 2.0 * x.at(i, 1)).collect();
    Sample { x: x.into(), labels, numbers, new: new.into() }
}

/// Predictions of a model for new objects, from separately computed matrices.
fn by_hand<M: Predictor, K: Kernel<Vectors>>(trained: M, kernel: &K, s: &Sample) -> ModelOutput<M::Output> {
    let engine = Engine::new();
    let (trained, support) = trained.compact().unwrap();
    let new = engine.prepare(kernel, &s.new).unwrap();
    let all = engine.prepare(kernel, &s.x).unwrap();
    let cross = engine.cross_of(kernel, &new, &all.select(&support)).unwrap();
    let own = engine.diagonal_of(kernel, &new).unwrap();
    trained.predict_from(&PredictFrom::Similarities { cross: &cross, own: Some(&own) }).unwrap()
}

/// A learner's low-level fit to the columns of a kernel.
fn low<T: ?Sized, S: Learner<T>>(learner: &S, kernel: &Rbf, s: &Sample, target: &T) -> S::Model {
    let engine = Engine::new();
    let set = kernel.prepare(&s.x).unwrap();
    learner.fit_columns(&KernelColumns::<Vectors, _>::new(&engine, kernel, &set), target).unwrap()
}

macro_rules! same_classes {
    ($learner:expr, $fit:ident) => {
        for classes in [2, 3] {
            let (s, kernel, learner) = (sample(classes), Rbf::new(0.7).unwrap(), $learner);
            let model = learner.$fit(&kernel, &s.x, &s.labels).unwrap();
            let (names, codes) = ClassCodes::of_labels(&s.labels);
            let trained = low::<ClassCodes, _>(&learner, &kernel, &s, &codes);
            assert_eq!(model.classes(), names);
            assert_eq!(model.support(), trained.clone().compact().unwrap().1);
            let hand = by_hand(trained, &kernel, &s);
            assert_eq!(model.decision_function(&s.new).unwrap(), hand.decisions);
            let labels: Vec<&str> = hand.values.iter().map(|&c| names[c]).collect();
            assert_eq!(model.predict(&s.new).unwrap(), labels);
            let right = labels.iter().enumerate().filter(|(i, l)| **l == s.labels[i % classes]).count();
            assert!(right >= 8, "{right} of 11");
        }
    };
}

#[test]
fn classifiers_equal_the_low_level_fit() {
    same_classes!(Svc::new(5.0), fit);
    same_classes!(Svc::new(5.0).with_scheme(Scheme::OneVersusRest), fit);
    same_classes!(Svc::nu(0.3), fit);
    same_classes!(Svc::new(2.0).with_probability().with_seed(4), fit);
    same_classes!(Ridge::new(0.1).with_intercept(true), fit_classes);
    same_classes!(Perceptron::new(20), fit);
    for rule in [Rule::Vote, Rule::Average, Rule::Last] {
        same_classes!(VotedPerceptron::new(5).with_rule(rule), fit);
    }
    same_classes!(Knn::new(3), fit);
    same_classes!(Knn::new(3).with_neighbours(Neighbours::Distance), fit);
}

macro_rules! same_values {
    ($learner:expr, $fit:ident, $target:ty) => {{
        let (s, kernel, learner) = (sample(3), Rbf::new(0.7).unwrap(), $learner);
        let model = learner.$fit(&kernel, &s.x, &s.numbers).unwrap();
        let hand = by_hand(low::<$target, _>(&learner, &kernel, &s, &s.numbers), &kernel, &s);
        assert_eq!(model.predict(&s.new).unwrap(), hand.values);
        assert_eq!(model.decision_function(&s.new).unwrap().values(), hand.values);
    }};
}

#[test]
fn regressions_equal_the_low_level_fit() {
    same_values!(Svr::new(5.0, 0.1), fit, [f64]);
    same_values!(Svr::nu(5.0, 0.5), fit, [f64]);
    same_values!(Ridge::new(0.1), fit, [f64]);
    same_values!(Knn::new(3), fit_values, [f64]);
    same_values!(Knn::new(3).with_neighbours(Neighbours::Distance), fit_values, [f64]);
}

#[test]
fn learners_without_a_target_equal_the_low_level_fit() {
    let (s, kernel) = (sample(3), Rbf::new(0.7).unwrap());
    let one = OneClass::new(0.2);
    let hand = by_hand(low(&one, &kernel, &s, &()), &kernel, &s);
    let model = one.fit(&kernel, &s.x).unwrap();
    assert_eq!((model.predict(&s.new).unwrap(), model.certificates().len()), (hand.values, 1));
    let pca = KernelPca::new(2);
    let hand = by_hand(low(&pca, &kernel, &s, &()), &kernel, &s);
    let model = pca.fit(&kernel, &s.x).unwrap();
    assert_eq!(model.transform(&s.new).unwrap(), hand.decisions);
    assert_eq!(model.predict(&s.new).unwrap(), hand.values);
    let means = KernelKMeans::new(3).with_seed(2);
    let hand = by_hand(low(&means, &kernel, &s, &()), &kernel, &s);
    let model = means.fit(&kernel, &s.x).unwrap();
    assert_eq!(model.predict(&s.new).unwrap(), hand.values);
    assert_eq!(model.decision_function(&s.new).unwrap(), hand.decisions);
}

#[test]
fn linear_models_equal_the_low_level_fit() {
    let s = sample(3);
    let (names, codes) = ClassCodes::of_labels(&s.labels);
    let learner = LinearSvc::new(1.0).with_seed(3).with_class_weights(vec![1.0, 2.0, 1.0]);
    let (model, trained) = (
        learner.fit(&Linear, &s.x, &s.labels).unwrap(),
        learner.fit_features((&s.x).into(), &codes).unwrap(),
    );
    for (typed, low) in model.fitted().classifiers().iter().zip(trained.classifiers()) {
        assert_eq!((typed.weights(), typed.intercept()), (low.weights(), low.intercept()));
    }
    let predicted: Vec<&str> = trained.predict(&s.new).unwrap().into_iter().map(|c| names[c]).collect();
    assert_eq!(model.predict(&s.new).unwrap(), predicted);
    assert!(model.support().is_empty() && model.certificate().is_none());
    let learner = LinearSvr::new(10.0, 0.01);
    let trained = learner.fit_features((&s.x).into(), &s.numbers).unwrap();
    let model = learner.fit(&Linear, &s.x, &s.numbers).unwrap();
    assert_eq!(model.predict(&s.new).unwrap(), trained.predict(&s.new).unwrap());
    let error = learner.fit(&Rbf::new(1.0).unwrap(), &s.x, &s.numbers).unwrap_err();
    assert!(matches!(error, Error::Param { ref name, .. } if name == "kernel"), "{error}");
}

/// A user's own type of labels.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Size {
    Small,
    Large,
}

#[test]
fn labels_of_any_ordered_type() {
    let x = Vectors::from(Dense::from_rows(&[[0.0], [0.3], [2.0], [2.4]]));
    let (svc, kernel) = (Svc::new(1.0), Rbf::new(1.0).unwrap());
    let numbers = svc.fit(&kernel, &x, &[7, 7, -1, -1]).unwrap();
    assert_eq!((numbers.classes(), numbers.predict(&x).unwrap()), (&[-1, 7][..], vec![7, 7, -1, -1]));
    let flags = svc.fit(&kernel, &x, &[false, false, true, true]).unwrap();
    assert_eq!(flags.predict(&x).unwrap(), [false, false, true, true]);
    let owned: Vec<String> = ["b", "b", "a", "a"].map(str::to_owned).into();
    assert_eq!(svc.fit(&kernel, &x, &owned).unwrap().predict(&x).unwrap(), owned);
    let sizes = [Size::Small, Size::Small, Size::Large, Size::Large];
    let model = svc.fit(&kernel, &x, &sizes).unwrap();
    assert_eq!(model.predict(&x).unwrap(), sizes);
    assert_eq!(model.classes(), [Size::Small, Size::Large]);
    // Two classes have one column, above 0 for the second.
    let decisions = model.decision_function(&x).unwrap();
    assert!(decisions.at(0, 0) < 0.0 && decisions.at(3, 0) > 0.0);
}

#[test]
fn strings_graphs_and_series() {
    let strings: Strings = ["acagcagta", "cagcagac", "ttgttgt", "gttgttt"].into_iter().collect();
    let y = ["a", "a", "t", "t"];
    let spectrum = Spectrum::new(2).unwrap();
    assert_eq!(Svc::new(1.0).fit(&spectrum, &strings, &y).unwrap().predict(&strings).unwrap(), y);
    assert_eq!(Perceptron::new(50).fit(&spectrum, &strings, &y).unwrap().predict(&strings).unwrap(), y);
    let path =
        |n: u32| Graph::undirected(n as usize, &(1..n).map(|i| (i - 1, i)).collect::<Vec<_>>()).unwrap();
    let graphs: Vec<Graph> = [3, 4, 9, 10].map(path).into();
    let model =
        Ridge::new(0.1).fit(&VertexHistogram::default(), graphs.as_slice(), &[3.0, 4.0, 9.0, 10.0]).unwrap();
    assert!((model.predict(&[path(6)][..]).unwrap()[0] - 6.0).abs() < 0.1);
    let rising = |slope: f64| Series::new(1, (0..8).map(|t| slope * f64::from(t)).collect()).unwrap();
    let series: Vec<Series> = [1.0, 1.1, -1.0, -1.2].map(rising).into();
    let kernel = crate::series::GlobalAlignment::new(5.0).unwrap();
    let model = Knn::new(1).fit(&kernel, series.as_slice(), &["up", "up", "down", "down"]).unwrap();
    assert_eq!(model.predict(&[rising(0.9)][..]).unwrap(), ["up"]);
}

#[test]
fn mismatched_arguments_are_errors() {
    let x = Vectors::from(Dense::from_rows(&[[0.0], [1.0], [2.0]]));
    let kernel = Rbf::new(1.0).unwrap();
    let svc = Svc::new(1.0);
    assert!(matches!(svc.fit(&kernel, &x, &["a", "b"]), Err(Error::Shape { .. })));
    let none: [&str; 0] = [];
    assert!(svc.fit(&kernel, &x, &none).is_err());
    let error = svc.fit(&kernel, &x, &["a"; 3]).unwrap_err();
    assert!(error.to_string().contains("at least two classes, found 1"), "{error}");
    let empty = Vectors::from(Dense::zeros(0, 1));
    assert!(svc.fit(&kernel, &empty, &none).is_err());
    assert!(Svr::new(1.0, 0.1).fit(&kernel, &empty, &[]).is_err());
    assert!(OneClass::new(0.5).fit(&kernel, &empty).is_err());
    let error = Svr::new(1.0, 0.1).fit(&kernel, &x, &[1.0, f64::NAN, 2.0]).unwrap_err();
    assert!(matches!(error, Error::Object { index: 1, .. }), "{error}");
    assert!(Ridge::new(1.0).fit(&kernel, &x, &[1.0, f64::INFINITY, 2.0]).is_err());
    assert!(Knn::new(2).fit_values(&kernel, &x, &[1.0]).is_err());
    let labels = ["a", "b", "a"];
    for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(matches!(Svc::new(c).fit(&kernel, &x, &labels), Err(Error::Param { .. })), "{c}");
        assert!(matches!(LinearSvc::new(c).fit(&Linear, &x, &labels), Err(Error::Param { .. })), "{c}");
        assert!(matches!(Ridge::new(c).fit_classes(&kernel, &x, &labels), Err(Error::Param { .. })), "{c}");
        assert!(matches!(Svr::new(c, 0.1).fit(&kernel, &x, &[1.0; 3]), Err(Error::Param { .. })), "{c}");
    }
    assert!(matches!(Knn::new(0).fit(&kernel, &x, &labels), Err(Error::Param { .. })));
    assert!(matches!(Knn::new(4).fit(&kernel, &x, &labels), Err(Error::Param { .. })));
    assert!(matches!(KernelPca::new(0).fit(&kernel, &x), Err(Error::Param { .. })));
    assert!(matches!(KernelKMeans::new(0).fit(&kernel, &x), Err(Error::Param { .. })));
    assert!(svc.clone().with_weights(vec![1.0]).fit(&kernel, &x, &labels).is_err());
    assert!(svc.clone().with_class_weights(vec![1.0]).fit(&kernel, &x, &labels).is_err());
    // A class with one member is calibrated to little more than its share.
    assert!(svc.clone().with_probability().fit(&kernel, &x, &labels).is_ok());
    let model = svc.fit(&kernel, &x, &labels).unwrap();
    assert!(model.predict(&Vectors::from(Dense::from_rows(&[[1.0, 2.0]]))).is_err());
    assert!(model.predict(&Vectors::from(Dense::from_rows(&[[f64::NAN]]))).is_err());
    assert!(model.predict(&empty).unwrap().is_empty());
}

#[test]
fn probabilities_sum_to_one() {
    let (s, kernel) = (sample(3), Rbf::new(0.7).unwrap());
    let model = Svc::new(5.0).with_probability().fit(&kernel, &s.x, &s.labels).unwrap();
    let p = model.predict_probability(&s.new).unwrap();
    assert_eq!((p.rows(), p.cols()), (11, 3));
    assert!((0..11).all(|i| (p.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-12));
    let plain = Svc::new(5.0).fit(&kernel, &s.x, &s.labels).unwrap();
    assert_eq!(plain.decision_function(&s.new).unwrap(), model.decision_function(&s.new).unwrap());
}

#[test]
fn weights_reach_the_solver() {
    let (s, kernel) = (sample(2), Rbf::new(0.7).unwrap());
    let weights: Vec<f64> = s.labels.iter().map(|l| if *l == "red" { 3.0 } else { 1.0 }).collect();
    let by_object = Svc::new(1.0).with_weights(weights).fit(&kernel, &s.x, &s.labels).unwrap();
    // Classes ascend: green, red.
    let by_class = Svc::new(1.0).with_class_weights(vec![1.0, 3.0]).fit(&kernel, &s.x, &s.labels).unwrap();
    let (a, b) = (&by_object.fitted().classifiers()[0], &by_class.fitted().classifiers()[0]);
    assert_eq!((&a.coefficients, a.offset), (&b.coefficients, b.offset));
    let plain = Svc::new(1.0).fit(&kernel, &s.x, &s.labels).unwrap();
    assert_ne!(a.coefficients, plain.fitted().classifiers()[0].coefficients);
}

#[test]
fn engines_do_not_change_results_and_budgets_stop() {
    let (s, kernel) = (sample(3), Rbf::new(0.7).unwrap());
    let fit = |threads| {
        let engine = Engine::new().with_threads(threads).unwrap();
        let model = Svc::new(5.0).with_engine(engine).fit(&kernel, &s.x, &s.labels).unwrap();
        model.decision_function(&s.new).unwrap()
    };
    assert_eq!(fit(1), fit(3));
    let engine = Engine::new();
    engine.budget().stop();
    let stopped = Svc::new(5.0).with_engine(engine.clone()).fit(&kernel, &s.x, &s.labels);
    assert!(matches!(stopped, Err(Error::Interrupted)));
    let model = Svc::new(5.0).fit(&kernel, &s.x, &s.labels).unwrap();
    assert!(matches!(model.with_engine(engine).predict(&s.new), Err(Error::Interrupted)));
    let small = Engine::new().with_memory(1000);
    let error = KernelPca::new(2).with_engine(small).fit(&kernel, &s.x).unwrap_err();
    assert_eq!(error.code(), Code::MemoryPlan);
}

#[test]
fn many_new_objects_are_predicted_in_batches() {
    let (s, kernel) = (sample(2), Rbf::new(0.7).unwrap());
    let model = Svc::new(1.0).fit(&kernel, &s.x, &s.labels).unwrap();
    let values = (0..2 * (MOST + 300)).map(|i| f64::from(i as u32 % 97) / 40.0).collect();
    let many = Vectors::from(Dense::new(MOST + 300, 2, values).unwrap());
    let together = model.decision_function(&many).unwrap();
    assert_eq!(model.predict(&many).unwrap().len(), MOST + 300);
    let last: Vec<usize> = (MOST..MOST + 300).collect();
    let alone = model.decision_function(&many.select(&last)).unwrap();
    assert_eq!(&together.values()[MOST..], alone.values());
    let mut broken = many.to_dense();
    broken.row_mut(MOST + 7)[0] = f64::NAN;
    assert!(matches!(model.predict(&broken.into()), Err(Error::Object { index, .. }) if index == MOST + 7));
}

#[test]
fn indefinite_kernels_prove_nothing() {
    let s = sample(2);
    let kernel = Sigmoid::new(1.0, -1.0).unwrap();
    match Svc::new(1.0).fit(&kernel, &s.x, &s.labels) {
        Ok(model) => {
            assert!(model.certificates().iter().all(|c| !c.converged()));
            assert!(model.warnings().iter().any(|w| w.code == "W_INDEFINITE"));
        }
        Err(error) => assert!(matches!(error, Error::NotPositiveDefinite { .. }), "{error}"),
    }
    let hurried = Svc::new(1e5).with_limits(Limits { iterations: 1, ..Limits::default() });
    let model = hurried.fit(&Rbf::new(0.7).unwrap(), &s.x, &s.labels).unwrap();
    assert!(!model.is_converged() && model.warnings()[0].code == "W_NOT_CONVERGED");
    assert!(model.certificate().is_some_and(|c| !c.converged()));
}

#[test]
fn distances_are_kernels_too() {
    let s = sample(2);
    let kernel = NegativeSquaredDistance(Euclidean);
    let model = Knn::new(3).with_measure(Measure::Similarity).fit(&kernel, &s.x, &s.labels).unwrap();
    assert_eq!(model.predict(&s.new).unwrap().len(), 11);
    assert!(format!("{model:?}").starts_with("KernelModel"));
}
