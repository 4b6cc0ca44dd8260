use super::layout::layout;
use super::matrix::base64;
use super::*;
use crate::data::{Categories, Column, Dense, Graph, Labels, Values, embedded, generate};
use crate::select::{Evaluate, Protocol};

fn figures(data: &Dataset, kernel: &str, learner: &str) -> Figures {
    Figures::of(data, &kernel.parse().unwrap(), &learner.parse().unwrap(), 0, &Engine::new()).unwrap()
}

#[test]
fn base_64_matches_the_standard() {
    // RFC 4648, section 10.
    for (plain, text) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foobar", "Zm9vYmFy")] {
        assert_eq!(base64(plain.as_bytes()), text);
    }
}

#[test]
fn a_matrix_ordered_by_class() {
    let x = Dense::from_rows(&[[0.0], [1.0], [3.0]]);
    let classes = Categories::from_values(["b", "a", "b"].map(Some));
    let data = Dataset::of_vectors(x).with_target("y", Target::Classes(classes)).unwrap();
    let data = data.with_ids(["first", "second", "third"].map(str::to_owned).to_vec()).unwrap();
    let found = figures(&data, "linear", "svc(C=1)");
    let heat = found.gram.unwrap();
    // Levels in the order of their first appearance.
    assert_eq!(heat.ids, ["first", "third", "second"]);
    assert_eq!(heat.classes.unwrap(), ["b", "b", "a"]);
    assert_eq!((heat.low, heat.high), (0.0, 9.0));
    // 0 0 0 / 0 9 3 / 0 3 1 in 255ths of 9.
    assert_eq!(heat.values, base64(&[0, 0, 0, 0, 255, 85, 0, 85, 28]));
    let spectrum = found.spectrum.unwrap();
    assert!((spectrum.values[0] - 10.0).abs() < 1e-12 && spectrum.negative == 0);
    assert_eq!(found.certificates.len(), 2);
    // In one dimension, one component explains all variance.
    let components = found.components.unwrap();
    assert!((components.explained[0] - 1.0).abs() < 1e-12);
    assert!((components.x.iter().map(|x| x * x).sum::<f64>() - 14.0 / 3.0).abs() < 1e-9);
}

#[test]
fn drivers_of_molecules() {
    let data = embedded::mutag().unwrap();
    let found = figures(&data, "wl(h=2)", "svc(C=1)");
    assert!(found.missing.is_empty(), "{:?}", found.missing);
    let drivers = found.drivers.unwrap();
    assert_eq!((drivers.features.len(), drivers.objects.len()), (12, 6));
    for object in &drivers.objects {
        let total = object.offset + object.rest + object.parts.iter().map(|p| p.amount).sum::<f64>();
        assert!((total - object.value).abs() < 1e-9 * total.abs().max(1.0));
        let graph = object.graph.as_ref().unwrap();
        let n = graph.labels.len();
        assert!([graph.x.len(), graph.y.len(), graph.amounts.len()] == [n; 3]);
        assert!(graph.edges.iter().all(|e| e.0 < n && e.1 < n && e.2.is_some()));
        // The amounts of all features are distributed among the nodes without loss.
        let amounts = graph.amounts.iter().sum::<f64>();
        assert!((amounts - (object.value - object.offset)).abs() < 1e-9, "{amounts} {object:?}");
    }
}

#[test]
fn kernels_without_features_have_references() {
    let data = generate::half_moons(60, 0.1, 1).unwrap();
    let drivers = figures(&data, "rbf(gamma=1)", "svc(C=1)").drivers.unwrap();
    let references = drivers.references.unwrap();
    assert!(drivers.features.is_empty() && !references.is_empty());
    assert!(references.windows(2).all(|two| two[0].weight.abs() >= two[1].weight.abs()));
    // Support vectors of the two classes have weights of opposite sign.
    for one in &references {
        assert_eq!(one.weight > 0.0, one.class.as_deref() == Some(data_class(&data, 1)));
    }
}

fn data_class(data: &Dataset, code: usize) -> &str {
    match data.target() {
        Some(Target::Classes(classes)) => &classes.levels()[code],
        _ => "",
    }
}

#[test]
fn many_objects_are_sampled_and_neighbours_vote() {
    let data = generate::half_moons(1200, 0.1, 1).unwrap();
    let found = figures(&data, "rbf(gamma=1)", "knn(k=3)");
    let heat = found.gram.unwrap();
    assert_eq!((heat.shown, heat.of), (MOST_OBJECTS, 1200));
    let drivers = found.drivers.unwrap();
    assert!(drivers.features.is_empty() && drivers.about.starts_with("The neighbours"));
    for object in &drivers.objects {
        let (evidence, total) =
            (object.evidence.as_ref().unwrap(), object.parts.iter().map(|p| p.amount).sum::<f64>());
        assert!((total - object.value).abs() < 1e-12 && object.parts.len() == 3);
        assert!((evidence.share_for - object.value).abs() < 1e-12, "{object:?}");
        assert_ne!(Some(&evidence.other_class.as_ref().unwrap().class), object.class.as_ref());
    }
}

#[test]
fn predictions_and_search_of_an_evaluation() {
    let data = generate::half_moons(40, 0.1, 1).unwrap();
    let settings =
        Evaluate { protocol: Protocol::folds(4), inner: Protocol::folds(2), ..Evaluate::of(&data).unwrap() };
    let (kernel, learner) = ("rbf(gamma=[0.1, 1])".parse().unwrap(), "svc(C=[1, 10, 100])".parse().unwrap());
    let report = settings.run(&data, &kernel, &learner, &Engine::new(), None).unwrap();
    let said = &report.predictions;
    let mut objects = said.objects.clone();
    objects.sort_unstable();
    assert_eq!(objects, (0..40).collect::<Vec<_>>());
    let right = said.truth.iter().zip(&said.predicted).filter(|(t, p)| t == p).count();
    // Folds have ten objects each, so the mean of their accuracies is that of all.
    assert!((right as f64 / 40.0 - report.measures[0].mean.unwrap()).abs() < 1e-12);
    assert!(said.decisions.as_ref().unwrap().iter().all(|d| d.len() == 2));
    let map = report.search.as_ref().unwrap();
    assert_eq!(map.parameters.iter().map(|p| p.values.len()).collect::<Vec<_>>(), [2, 3]);
    assert_eq!(
        (map.configurations.len(), map.configurations.iter().map(|c| c.chosen).sum::<usize>()),
        (6, 4)
    );
    let (kernel, learner) = report.typical();
    assert!(kernel.parse::<Expression>().is_ok() && learner.parse::<Learner>().is_ok());
}

/// A driver of every split, and one that only chance makes: noise is weak, what makes the class is not.
#[test]
fn drivers_of_few_splits_are_weak() {
    let mut random = crate::random::Random::new(4);
    let n = 60;
    let mut noise = |width: usize| (0..n * width).map(|_| random.unit() - 0.5).collect::<Vec<f64>>();
    let signal: Vec<f64> = noise(1).iter().enumerate().map(|(i, v)| v + 2.0 * (i % 2) as f64).collect();
    let mut columns = vec![Column::new("signal", Values::Numbers(Dense::new(n, 1, signal).unwrap()))];
    for name in ["p", "q", "r", "s"] {
        columns.push(Column::new(name, Values::Numbers(Dense::new(n, 1, noise(1)).unwrap())));
    }
    let classes = Categories::from_values((0..n).map(|i| Some(if i % 2 == 1 { "b" } else { "a" })));
    let data = Dataset::new(columns).unwrap().with_target("class", Target::Classes(classes)).unwrap();
    let settings = Evaluate { protocol: Protocol::folds(5), ..Evaluate::of(&data).unwrap() };
    let engine = Engine::new();
    let report = settings
        .run(&data, &"rbf(gamma=1)".parse().unwrap(), &"svc(C=10)".parse().unwrap(), &engine, None)
        .unwrap();
    let stability = evaluation(&data, &report, &engine).unwrap().figures.unwrap().stability.unwrap();
    assert_eq!(stability.splits, 5);
    assert_eq!(stability.drivers[0], StableDriver { name: "signal".into(), found: 5, weak: false });
    assert!(stability.drivers[1..].iter().all(|d| d.weak == (d.found < 3)), "{stability:?}");
}

#[test]
fn drawings_keep_distances() {
    // A path is drawn as a straight line: only that layout has all its distances.
    let path = Graph::undirected(5, &[(0, 1), (1, 2), (2, 3), (3, 4)]).unwrap();
    let (x, y) = layout(&path);
    for (a, b) in [(0, 1), (1, 3), (0, 4)] {
        let apart = (x[a] - x[b]).hypot(y[a] - y[b]);
        assert!((apart - (b as f64 - a as f64)).abs() < 0.05, "{a} {b}: {apart}");
    }
    let lone = Graph::undirected(1, &[]).unwrap().with_node_labels(Labels::from_names(["C"])).unwrap();
    assert_eq!(layout(&lone).0.len(), 1);
    let apart = Graph::undirected(2, &[]).unwrap();
    let (x, y) = layout(&apart);
    assert!((x[0] - x[1]).hypot(y[0] - y[1]) > 1.0);
    let none = Dataset::new(vec![Column::new("g", Values::Graphs(vec![apart, path, lone]))]).unwrap();
    let target = Target::Numbers(vec![1.0, 2.0, 3.0]);
    let found = figures(&none.with_target("y", target).unwrap(), "graph-size", "ridge");
    assert!(found.gram.is_some() || !found.missing.is_empty());
}
