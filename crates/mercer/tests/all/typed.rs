//! Typed learners compared with the same learners written as text: predictions and decision values have the same bits.

use mercer::data::{Categories, Dataset, Dense, Target, Vectors};
use mercer::learn::{Neighbours, Order, Predictor, Rule};
use mercer::model::Model;
use mercer::prelude::*;
use mercer::solve::Loss;

/// Points around a centre per class, and their targets.
struct Sample {
    x: Dense,
    new: Dense,
    labels: Vec<&'static str>,
    numbers: Vec<f64>,
}

const GAMMA: f64 = 0.7;
const SEED: u64 = 3;

fn sample() -> Sample {
    let wave = |i: usize, k: f64| (i as f64 * k).sin() * 0.5;
    let point = |i: usize| [(i % 3) as f64 + wave(i, 1.7), (i % 2) as f64 + wave(i, 2.3)];
    let x = Dense::from_rows(&(0..45).map(point).collect::<Vec<_>>());
    let new = Dense::from_rows(&(45..60).map(point).collect::<Vec<_>>());
    // Levels of a data set are in order of appearance, labels are sorted: both are the same here.
    let labels = (0..45).map(|i| ["ash", "birch", "oak"][i % 3]).collect();
    let numbers = (0..45).map(|i| x.at(i, 0) - 2.0 * x.at(i, 1)).collect();
    Sample { x, new, labels, numbers }
}

impl Sample {
    fn x(&self) -> Vectors {
        Vectors::from(self.x.clone())
    }

    fn new_objects(&self) -> Vectors {
        Vectors::from(self.new.clone())
    }

    /// The predictions of a model from texts.
    fn dynamic(&self, kernel: &str, learner: &str, numeric: bool) -> (Model, mercer::learn::Prediction) {
        let target = match numeric {
            true => Target::Numbers(self.numbers.clone()),
            false => Target::Classes(Categories::from_values(self.labels.iter().map(|l| Some(*l)))),
        };
        let data = Dataset::of_vectors(self.x.clone()).with_target("y", target).unwrap();
        let engine = Engine::new();
        let (kernel, learner) = (kernel.parse().unwrap(), learner.parse().unwrap());
        let model = Model::fit(&data, &kernel, &learner, SEED, &engine).unwrap();
        let prediction = model.predict(&Dataset::of_vectors(self.new.clone()), &engine).unwrap();
        (model, prediction)
    }

    fn rbf(&self) -> (String, Rbf) {
        (format!("rbf(gamma={GAMMA})"), Rbf::new(GAMMA).unwrap())
    }
}

fn names(prediction: &mercer::learn::Prediction) -> Vec<&str> {
    (0..prediction.len()).map(|i| prediction.class(i).unwrap()).collect()
}

fn same_classes<M: Predictor<Output = usize>, K: Kernel<Vectors>>(
    s: &Sample,
    typed: mercer::learn::Classifier<Vectors, K, M, &'static str>,
    text: (&str, &str),
) {
    let (model, prediction) = s.dynamic(text.0, text.1, false);
    assert_eq!(typed.predict(&s.new_objects()).unwrap(), names(&prediction), "{text:?}");
    assert_eq!(typed.decision_function(&s.new_objects()).unwrap(), prediction.decisions, "{text:?}");
    assert_eq!(typed.classes(), model.trained().classes(), "{text:?}");
    if !model.trained().needs_features() {
        assert_eq!(Some(typed.support()), model.support_indices(), "{text:?}");
    }
    let certificates: Vec<_> =
        model.trained().certificates().into_iter().map(|(_, c)| (c.primal, c.dual)).collect();
    assert_eq!(typed.certificates().iter().map(|c| (c.primal, c.dual)).collect::<Vec<_>>(), certificates);
    assert_eq!(typed.is_converged(), model.trained().converged(), "{text:?}");
}

#[test]
fn classifiers() {
    let s = sample();
    let (text, kernel) = s.rbf();
    let (x, y) = (s.x(), &s.labels);
    same_classes(&s, Svc::new(10.0).fit(&kernel, &x, y).unwrap(), (&text, "svc(C=10)"));
    same_classes(&s, Svc::nu(0.3).fit(&kernel, &x, y).unwrap(), (&text, "nu-svc(nu=0.3)"));
    let rest = Svc::new(2.0).with_scheme(mercer::learn::svm::Scheme::OneVersusRest);
    same_classes(&s, rest.fit(&kernel, &x, y).unwrap(), (&text, "svc(C=2, scheme=one-versus-rest)"));
    let weighed = Svc::new(1.0).with_class_weights(vec![1.0, 4.0, 1.0]);
    same_classes(&s, weighed.fit(&kernel, &x, y).unwrap(), (&text, "svc(C=1, weights='birch:4')"));
    let ridge = Ridge::new(0.1).with_intercept(true);
    same_classes(&s, ridge.fit_classes(&kernel, &x, y).unwrap(), (&text, "ridge(lambda=0.1, intercept=yes)"));
    same_classes(&s, Perceptron::new(20).fit(&kernel, &x, y).unwrap(), (&text, "perceptron(rounds=20)"));
    let voted = VotedPerceptron::new(4).with_rule(Rule::Average).with_order(Order::Seeded(SEED));
    let voted_text = "voted-perceptron(rounds=4, rule=average, order=shuffled)";
    same_classes(&s, voted.fit(&kernel, &x, y).unwrap(), (&text, voted_text));
    same_classes(&s, Knn::new(3).fit(&kernel, &x, y).unwrap(), (&text, "knn(k=3)"));
    let near = Knn::new(4).with_neighbours(Neighbours::Distance);
    same_classes(&s, near.fit(&kernel, &x, y).unwrap(), (&text, "knn(k=4, weights=distance)"));
    let linear = LinearSvc::new(1.0).with_seed(SEED);
    same_classes(&s, linear.fit(&Linear, &x, y).unwrap(), ("linear", "linear-svc"));
}

#[test]
fn probabilities() {
    let s = sample();
    let (text, kernel) = s.rbf();
    let typed = Svc::new(10.0).with_probability().with_seed(SEED).fit(&kernel, &s.x(), &s.labels).unwrap();
    let (_, prediction) = s.dynamic(&text, "svc(C=10, probability=yes)", false);
    assert_eq!(Some(typed.predict_probability(&s.new_objects()).unwrap()), prediction.probabilities);
    same_classes(&s, typed, (&text, "svc(C=10, probability=yes)"));
}

fn same_numbers<M: Predictor<Output = f64>, K: Kernel<Vectors>>(
    s: &Sample,
    typed: mercer::learn::Regressor<Vectors, K, M>,
    text: (&str, &str),
) {
    let (_, prediction) = s.dynamic(text.0, text.1, true);
    assert_eq!(typed.predict(&s.new_objects()).unwrap(), prediction.numbers().unwrap(), "{text:?}");
}

#[test]
fn regressions() {
    let s = sample();
    let (text, kernel) = s.rbf();
    let (x, y) = (s.x(), &s.numbers);
    same_numbers(&s, Svr::new(5.0, 0.1).fit(&kernel, &x, y).unwrap(), (&text, "svr(C=5, epsilon=0.1)"));
    same_numbers(&s, Svr::nu(5.0, 0.5).fit(&kernel, &x, y).unwrap(), (&text, "nu-svr(C=5, nu=0.5)"));
    same_numbers(
        &s,
        Ridge::new(0.1).fit(&kernel, &x, y).unwrap(),
        (&text, "ridge(lambda=0.1, intercept=no)"),
    );
    same_numbers(&s, Knn::new(3).fit_values(&kernel, &x, y).unwrap(), (&text, "knn(k=3)"));
    let parameters =
        mercer::learn::LinearParameters { loss: Loss::Squared, seed: SEED, ..Default::default() };
    let linear = LinearSvr::new(1.0, 0.01).with_parameters(parameters);
    same_numbers(&s, linear.fit(&Linear, &x, y).unwrap(), ("linear", "linear-svr(epsilon=0.01)"));
}

#[test]
fn without_a_target() {
    let s = sample();
    let ((text, kernel), x, new) = (s.rbf(), s.x(), s.new_objects());
    let inside = OneClass::new(0.2).fit(&kernel, &x).unwrap().predict(&new).unwrap();
    let (_, prediction) = s.dynamic(&text, "one-class(nu=0.2)", false);
    assert_eq!(inside, prediction.numbers().unwrap().iter().map(|v| *v > 0.0).collect::<Vec<_>>());
    let (_, prediction) = s.dynamic(&text, "pca(components=2)", false);
    let coordinates = KernelPca::new(2).fit(&kernel, &x).unwrap().transform(&new).unwrap();
    assert_eq!(Some(&coordinates), prediction.coordinates());
    let (_, prediction) = s.dynamic(&text, "kmeans(k=3)", false);
    let clusters = KernelKMeans::new(3).with_seed(SEED).fit(&kernel, &x).unwrap();
    assert_eq!(clusters.decision_function(&new).unwrap(), prediction.decisions);
    let found: Vec<String> =
        clusters.predict(&new).unwrap().iter().map(|c| format!("cluster {}", c + 1)).collect();
    assert_eq!(found, names(&prediction));
}

/// A kernel from text on a data set of several columns works like any other kernel.
#[test]
fn data_sets_are_objects_too() {
    let iris = mercer::data::embedded::iris().unwrap();
    let Some(Target::Classes(species)) = iris.target() else { panic!("no classes") };
    let labels: Vec<&str> = (0..iris.len()).map(|i| species.get(i).unwrap()).collect();
    let expression: Expression =
        "rbf(gamma=0.3)@petal_length + linear@[sepal_length, sepal_width]".parse().unwrap();
    let engine = Engine::new();
    let kernel = expression.fit(&iris, &engine).unwrap().kernel;
    let typed = Svc::new(10.0).with_engine(engine.clone()).fit(&kernel, &iris, &labels).unwrap();
    let model = Model::fit(&iris, &expression, &"svc(C=10)".parse().unwrap(), 0, &engine).unwrap();
    let prediction = model.predict(&iris, &engine).unwrap();
    assert_eq!(typed.predict(&iris).unwrap(), names(&prediction));
    assert_eq!(typed.decision_function(&iris).unwrap(), prediction.decisions);
}

/// A kernel fitted to all objects reports it, and is used like any other.
#[test]
fn transductive_kernels_report_it() {
    let s = sample();
    let all = Dataset::of_vectors(Dense::from_rows(
        &(0..45).map(|i| [s.x.at(i, 0), s.x.at(i, 1)]).collect::<Vec<_>>(),
    ));
    let expression: Expression = "laplacian-walk(rbf(gamma=0.7), p=3)".parse().unwrap();
    let kernel = expression.fit(&all, &Engine::new()).unwrap().kernel;
    let part = all.select(&(0..30).collect::<Vec<_>>());
    let rest = all.select(&(30..45).collect::<Vec<_>>());
    let model = Svc::new(10.0).fit(&kernel, &part, &s.labels[..30]).unwrap();
    assert!(model.is_transductive());
    let unknown = Dataset::of_vectors(Dense::from_rows(&[[50.0, 50.0]]));
    assert!(model.predict(&unknown).unwrap_err().to_string().contains("transductive"));
    let predicted = model.predict(&rest).unwrap();
    let right = predicted.iter().zip(&s.labels[30..]).filter(|(a, b)| a == b).count();
    assert!(right >= 10, "{right} of 15");
}
