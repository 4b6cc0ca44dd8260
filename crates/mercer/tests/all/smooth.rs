//! Kernels on attributes of nodes, smoothed over their graph: fits, searches, models and errors.

use std::sync::Arc;

use mercer::data::{Categories, Column, Dataset, Dense, Network, Nodes, Target, Values};
use mercer::expression::{Depends, Expression, Matrices, Shared};
use mercer::model::Model;

use crate::generate::Random;
use crate::support::engine;

const N: usize = 40;

/// Two groups of nodes with noisy numbers and a text, in an order that is not that of the nodes.
fn papers(change: impl Fn(usize, &mut [f64])) -> Dataset {
    let mut random = Random::new(4);
    let group = |node: usize| usize::from(node >= N / 2);
    let mut edges = Vec::new();
    for _ in 0..3 * N {
        let (a, b) = (random.below(N), random.below(N));
        if group(a) == group(b) || random.once_in(4) {
            edges.push((a as u32, b as u32, 1.0));
        }
    }
    let order = random.permutation(N);
    let mut numbers = Dense::zeros(N, 3);
    for node in 0..N {
        let values = [random.between(-1.0, 1.0) + group(node) as f64, random.unit(), 100.0 * random.unit()];
        numbers.row_mut(node).copy_from_slice(&values);
        change(node, numbers.row_mut(node));
    }
    let words = ["genes of yeast", "a margin", "support vectors", "cells and genes"];
    let text = |node: &usize| Some(words[node % 2 + 2 * group(*node)].to_owned());
    let network = Network::new(N, &edges).unwrap();
    let chosen = order.iter().map(|&node| node as u32).collect();
    let columns = vec![
        Column::new("node", Values::Nodes(Nodes::new(Arc::new(network), chosen).unwrap())),
        Column::new("x", Values::Numbers(numbers.select(&order))),
        Column::new("title", Values::Text(order.iter().map(text).collect())),
    ];
    let classes = Categories::from_values(order.iter().map(|&node| Some(["no", "yes"][group(node)])));
    let data = Dataset::new(columns).unwrap().with_node_attributes().unwrap();
    data.with_target("class", Target::Classes(classes)).unwrap()
}

fn split() -> (Vec<usize>, Vec<usize>) {
    (0..N).partition(|i| i % 3 == 0)
}

const KERNELS: [&str; 7] = [
    "smooth(linear@x)",
    "smooth(standardize(linear@x), by=heat)",
    "smooth(terms(linear)@title, by=pagerank) + 0.3*pagerank",
    "smooth(rbf(gamma=scale)@x, by=diffusion, beta=0.4)@node",
    "normalize(smooth(center(linear@x), p=3))",
    "smooth(forest(trees=5)@x + delta@title)",
    "smooth(smooth(linear@x) + node-diffusion)",
];

fn parsed(text: &str) -> Expression {
    text.parse().unwrap_or_else(|e| panic!("{text}: {e}"))
}

/// A search gives the matrices of a fit to the training nodes, for kernels inside that are fitted too.
#[test]
fn a_split_is_a_fit_to_its_training_nodes() {
    let (data, (train, test)) = (papers(|_, _| {}), split());
    for text in KERNELS {
        let expression = parsed(text);
        assert!(expression.is_transductive() && expression.depends() >= Depends::Graph, "{text}");
        let (known, new) = (data.select(&train), data.select(&test));
        let kernel = expression.fit(&known, engine()).unwrap_or_else(|e| panic!("{text}: {e}")).kernel;
        let mut matrices = Matrices::new(&data, engine());
        matrices.prepare(std::slice::from_ref(&expression)).unwrap();
        let blocks = matrices.blocks(&expression, &train, &test, &mut Shared::default()).unwrap();
        let (gram, cross) =
            (engine().gram(&kernel, &known).unwrap(), engine().cross(&kernel, &new, &known).unwrap());
        let largest = gram.values().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        let pairs = gram.values().iter().zip(blocks.train.values());
        for (a, b) in pairs.chain(cross.values().iter().zip(blocks.cross.values())) {
            assert!((a - b).abs() <= 1e-9 * largest, "{text}: {a} in a fit, {b} in a search");
        }
    }
}

/// Attributes of test nodes are used, as declared, but nothing is fitted to them, and their targets change nothing.
#[test]
fn nothing_is_fitted_to_test_nodes() {
    let (train, test) = split();
    let plain = papers(|_, _| {});
    let Values::Nodes(nodes) = &plain.column("node").unwrap().values else { panic!("no nodes") };
    let tested: Vec<usize> = test.iter().map(|&i| nodes.chosen()[i] as usize).collect();
    let other = papers(|node, row| {
        if tested.contains(&node) {
            row[2] += 1e3;
        }
    });
    let expression = parsed("smooth(standardize(linear@x), by=heat)");
    let steps = |data: &Dataset| expression.fit(&data.select(&train), engine()).unwrap().steps;
    assert_eq!(steps(&plain), steps(&other));
    let gram = |data: &Dataset, text: &str| {
        let known = data.select(&train);
        engine().gram(&parsed(text).fit(&known, engine()).unwrap().kernel, &known).unwrap()
    };
    assert_ne!(gram(&plain, "smooth(linear@x)"), gram(&other, "smooth(linear@x)"));
    // Other targets of test nodes.
    let Some(Target::Classes(classes)) = plain.target() else { panic!("no classes") };
    let turned = (0..N).map(|i| match test.contains(&i) {
        true => Some("yes"),
        false => classes.get(i),
    });
    let turned =
        plain.clone().with_target("class", Target::Classes(Categories::from_values(turned))).unwrap();
    for text in KERNELS {
        assert_eq!(gram(&plain, text), gram(&turned, text), "{text}");
    }
}

/// A model of some nodes predicts the others, from a file too, and knows the attributes it needs.
#[test]
fn models_predict_other_nodes_of_the_graph() {
    let (data, (train, test)) = (papers(|_, _| {}), split());
    for text in KERNELS {
        for learner in ["svc(C=10)", "ridge"] {
            let fitted =
                Model::fit(&data.select(&train), &parsed(text), &learner.parse().unwrap(), 0, engine());
            let model = fitted.unwrap_or_else(|e| panic!("{text}: {e}"));
            let file = model.to_bytes().unwrap();
            let again = Model::from_bytes("model", &file, engine()).unwrap();
            let new = data.select(&test);
            // The column of nodes is enough.
            let nodes = Dataset::new(vec![new.column("node").unwrap().clone()]).unwrap();
            let found = model.predict(&new, engine()).unwrap();
            for other in [again.predict(&new, engine()), again.predict(&nodes, engine())] {
                assert_eq!(found.decisions, other.unwrap().decisions, "{text}");
            }
            assert!(
                found.decisions.values().iter().all(|v| v.is_finite()) && found.target.is_some(),
                "{text}"
            );
        }
    }
    // Attributes that a kernel does not use are not stored.
    let size = |text: &str| {
        let model = Model::fit(&data.select(&train), &parsed(text), &"svc".parse().unwrap(), 0, engine());
        String::from_utf8_lossy(&model.unwrap().to_bytes().unwrap()).contains("yeast")
    };
    assert!(!size("smooth(linear@x)") && !size("pagerank") && size("smooth(terms(linear)@title)"));
}

#[test]
fn faults_are_said() {
    let data = papers(|_, _| {});
    let fault = |text: &str, data: &Dataset| {
        let made = parsed(text).fit(data, engine()).and_then(|f| engine().gram(&f.kernel, data));
        made.unwrap_err().to_string()
    };
    let has = |error: String, part: &str| assert!(error.contains(part), "{error}");
    // No column of nodes, no attributes, not of all nodes.
    let only = |name: &str| Dataset::new(vec![data.column(name).unwrap().clone()]).unwrap();
    has(fault("smooth(linear@x)", &only("x")), "nodes");
    let Values::Nodes(nodes) = &data.column("node").unwrap().values else { panic!("no nodes") };
    let bare = Nodes::all(Arc::new(Network::new(3, &[(0, 1, 1.0)]).unwrap()));
    let column = |nodes: Nodes| Column::new("node", Values::Nodes(nodes));
    has(fault("smooth(linear@x)", &Dataset::new(vec![column(bare.clone())]).unwrap()), "no attributes");
    let numbers = |n: usize| Column::new("x", Values::Numbers(Dense::zeros(n, 1)));
    let few = Dataset::new(vec![column(bare.select(&[0, 2])), numbers(2)]).unwrap();
    has(fault("smooth(linear@x)", &few.with_node_attributes().unwrap()), "node '1' has 0 rows");
    let twice = Dataset::new(vec![column(bare.select(&[0, 1, 2, 1])), numbers(4)]).unwrap();
    has(fault("smooth(linear@x)", &twice.with_node_attributes().unwrap()), "node '1' has 2 rows");
    // An attribute that does not exist, or of the wrong type, or missing.
    has(fault("smooth(linear@y)", &data), "'y'");
    has(fault("smooth(linear@title)", &data), "title");
    let gap = papers(|node, row| row[1] = if node == 7 { f64::NAN } else { row[1] });
    has(fault("smooth(linear@x)", &gap), "node '7'");
    assert!(parsed("smooth(impute(linear@x))").fit(&gap, engine()).is_ok());
    // Parameters outside their domains.
    for (text, bound) in [
        ("smooth(linear@x, p=0)", "1 to 64"),
        ("smooth(linear@x, p=65)", "1 to 64"),
        ("smooth(linear@x, by=pagerank, alpha=1)", "below 1"),
        ("smooth(linear@x, by=pagerank, alpha=1.5)", "at most 1"),
        ("smooth(linear@x, by=heat, beta=0)", "above 0"),
        ("smooth(linear@x, loops=-1)", "at least 0"),
    ] {
        let error = text.parse::<Expression>().map_err(|e| e.to_string());
        has(error.map_or_else(|e| e, |_| fault(text, &data)), bound);
    }
    // Nodes of another graph, and other attributes.
    let kernel = parsed("smooth(linear@x)").fit(&data, engine()).unwrap().kernel;
    let other = Network::new(N, &[(0, 1, 1.0)]).unwrap();
    let other = Dataset::new(vec![column(Nodes::all(Arc::new(other)))]).unwrap();
    has(engine().gram(&kernel, &other).unwrap_err().to_string(), "another graph");
    let changed = papers(|_, row| row[0] += 1.0);
    has(engine().gram(&kernel, &changed).unwrap_err().to_string(), "attributes");
    assert_eq!(nodes.network().len(), N);
}

/// Explanations divide the decision value among the attributes of a node and its neighbourhood.
#[test]
fn explanations_name_attributes_and_add_up() {
    let (data, (train, test)) = (papers(|_, _| {}), split());
    let (known, new) = (data.select(&train), data.select(&test));
    for (kernel, learner, feature) in [
        ("smooth(linear@x)", "svc(C=10)", "x"),
        ("normalize(smooth(linear@x, by=heat))", "svc(C=10)", "x"),
        ("smooth(linear@x, by=diffusion, beta=0.3)", "linear-svc(C=1)", "x"),
        ("smooth(terms(linear)@title, by=pagerank)", "svc(C=10)", "genes"),
        ("smooth(terms(linear)@title)", "linear-svc(C=1)", "genes"),
        ("smooth(linear@x)", "ridge(lambda=learned, intercept=yes)", "x"),
    ] {
        let model = Model::fit(&known, &parsed(kernel), &learner.parse().unwrap(), 0, engine())
            .unwrap_or_else(|e| panic!("{kernel}: {e}"));
        let again = Model::from_bytes("m.mercer", &model.to_bytes().unwrap(), engine()).unwrap();
        let decisions = model.predict(&new, engine()).unwrap().decisions;
        let why = again.explain(&new, 30, engine()).unwrap_or_else(|e| panic!("{kernel}: {e}"));
        for (i, why) in why.iter().enumerate() {
            let sum = why.offset + why.parts.iter().map(|p| p.amount).sum::<f64>() + why.rest;
            assert!((sum - why.value).abs() < 1e-9 * (1.0 + sum.abs()), "{kernel}: {sum} {}", why.value);
            let decided = decisions.at(i, 0).abs();
            assert!((why.value.abs() - decided).abs() < 1e-9 * (1.0 + decided), "{kernel} {}", why.value);
        }
        assert!(
            why.iter().any(|why| why.parts.iter().any(|p| p.feature.contains(feature))),
            "{kernel}: {:?}",
            why[0].parts
        );
        // A linear model keeps no training objects that would say how often a feature occurs. Ridge regression on explicit
        // features is one.
        match (learner.starts_with("svc"), model.weights(3)) {
            (true, weights) => assert!(!weights.unwrap().is_empty(), "{kernel}"),
            (false, weights) => {
                assert!(weights.unwrap_err().to_string().contains("object by object"), "{kernel}")
            }
        }
    }
    let model = Model::fit(&known, &parsed("smooth(rbf@x)"), &"svc".parse().unwrap(), 0, engine()).unwrap();
    assert!(model.explain(&new, 3, engine()).unwrap_err().to_string().contains("explicit features"));
}

/// Nodes of a graph that grew: their own attributes, smoothed over the new edges, compared with the training nodes.
#[test]
fn new_nodes_are_predicted_with_their_attributes() {
    use mercer::kernel::node::Smoothing;

    let data = papers(|_, _| {});
    let Values::Nodes(nodes) = &data.column("node").unwrap().values else { panic!("no nodes") };
    let Values::Numbers(x) = &data.column("x").unwrap().values else { panic!("no numbers") };
    let by_node = |node: usize| nodes.chosen().iter().position(|&c| c as usize == node).unwrap();
    // Three nodes more: two with neighbours in one of the groups each, one alone.
    let old = nodes.network();
    let mut edges: Vec<(u32, u32, f64)> = (0..N)
        .flat_map(|i| old.row(i).map(move |(j, w)| (i as u32, j, w)))
        .filter(|(i, j, _)| i <= j)
        .collect();
    edges.extend([(40, 2, 1.0), (40, 5, 1.0), (41, 30, 1.0), (41, 33, 1.0)]);
    let grown = Arc::new(Network::new(N + 3, &edges).unwrap());
    let rows: Vec<f64> = (0..N)
        .flat_map(|node| x.row(by_node(node)).to_vec())
        .chain([-1.0, 0.5, 50.0, 2.0, 0.5, 50.0, 1.5, 0.1, 10.0])
        .collect();
    let attributes = Dense::new(N + 3, 3, rows).unwrap();
    let title = |node: usize| if node < N / 2 || node == N { "a margin" } else { "support vectors" };
    let titles = (0..N + 3).map(|node| Some(title(node).to_owned())).collect();
    let whole = Dataset::new(vec![
        Column::new("node", Values::Nodes(Nodes::all(grown.clone()))),
        Column::new("x", Values::Numbers(attributes.clone())),
        Column::new("title", Values::Text(titles)),
    ])
    .unwrap()
    .with_node_attributes()
    .unwrap();
    let (train, _) = split();
    let known = data.select(&train);
    let new = whole.select(&[40, 41, 42]);
    let kernel = parsed("smooth(linear@x, by=heat, beta=2)").fit(&known, engine()).unwrap().kernel;
    let cross = engine().cross(&kernel, &new, &known).unwrap();
    let smoothing = Smoothing::heat(2.0).unwrap();
    let after = smoothing.apply(&grown, &attributes.clone().into()).unwrap().to_dense();
    let own: Vec<f64> = (0..N).flat_map(|node| x.row(by_node(node)).to_vec()).collect();
    let before = smoothing.apply(old, &Dense::new(N, 3, own).unwrap().into()).unwrap().to_dense();
    let Values::Nodes(training) = &known.column("node").unwrap().values else { panic!("no nodes") };
    for i in 0..3 {
        for (j, &node) in training.chosen().iter().enumerate() {
            let expected: f64 =
                after.row(40 + i).iter().zip(before.row(node as usize)).map(|(a, b)| a * b).sum();
            assert!((cross.at(i, j) - expected).abs() < 1e-9 * (1.0 + expected.abs()), "{i} {j}");
        }
    }
    // A model from a file predicts them, also with fitted and counted features inside.
    for kernel in ["smooth(standardize(linear@x))", "smooth(terms(linear)@title + standardize(linear@x))"] {
        let model = Model::fit(&known, &parsed(kernel), &"svc(C=10)".parse().unwrap(), 0, engine()).unwrap();
        let again = Model::from_bytes("m.mercer", &model.to_bytes().unwrap(), engine()).unwrap();
        let predicted = again.predict(&new, engine()).unwrap();
        assert_eq!((predicted.class(0), predicted.class(1)), (Some("no"), Some("yes")), "{kernel}");
        assert_eq!(predicted.decisions, model.predict(&new, engine()).unwrap().decisions);
    }
    // Without explicit features nothing is known of other graphs, and without attributes neither.
    let kernel = parsed("smooth(rbf@x)").fit(&known, engine()).unwrap().kernel;
    let error = engine().cross(&kernel, &new, &known).unwrap_err().to_string();
    assert!(error.contains("another graph") && error.contains("no explicit features"), "{error}");
}
