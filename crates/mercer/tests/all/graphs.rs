//! Kernels on graphs through expressions: comparison with GraKeL, refusals and warnings, features, explanations.

use std::path::PathBuf;

use mercer::Code;
use mercer::data::{Categories, Column, Dataset, Dense, Graph, GraphBuilder, Labels, Target, Values};
use mercer::expression::{Expression, Matrices, Shared};
use mercer::model::Model;
use mercer::read::{Options, read};

use crate::generate::Random;
use crate::support::{engine, fit};

/// Molecules of random atoms and bonds.
fn molecules(n: usize, seed: u64) -> Vec<Graph> {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for _ in 0..n {
        let atoms = 4 + random.below(6);
        let edges: Vec<(u32, u32)> =
            (1..atoms as u32).map(|i| (random.below(i as usize) as u32, i)).collect();
        let names: Vec<&str> = (0..atoms).map(|_| *random.pick(&["C", "N", "O"])).collect();
        let bonds: Vec<&str> = edges.iter().map(|_| *random.pick(&["single", "double"])).collect();
        let builder = GraphBuilder::undirected(atoms).edges(edges).node_labels(Labels::from_names(names));
        all.push(builder.edge_labels(Labels::from_names(bonds)).build().unwrap().0);
    }
    all
}

fn dataset(graphs: Vec<Graph>) -> Dataset {
    Dataset::new(vec![Column::new("molecule", Values::Graphs(graphs))]).unwrap()
}

fn gram(text: &str, data: &Dataset) -> Dense {
    engine().gram(&fit(text, data).kernel, data).unwrap()
}

/// A set of the TU collection, if it is available.
fn collection(name: &str) -> Option<Dataset> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("MERCER_DATA").map_or(default, PathBuf::from).join("graphs").join(name);
    if !path.exists() {
        println!("skipped: {} not found; MERCER_DATA names the folder", path.display());
        return None;
    }
    Some(read(&path, &Options::default()).unwrap())
}

/// Entries (0, 0), (0, 1), (1, 1) and the sum of all, by GraKeL 0.1.11 (WeisfeilerLehman over VertexHistogram with
/// n_iter=5, WeisfeilerLehmanOptimalAssignment with n_iter=5, ShortestPath with and without labels, VertexHistogram,
/// EdgeHistogram). GraKeL counts an edge once for each direction, which makes its edge histograms four times ours.
#[test]
fn values_match_grakel() {
    let known: &[(&str, &str, [f64; 4])] = &[
        ("MUTAG", "vertex-histogram(ignore=others)", [201.0, 132.0, 89.0, 6207377.0]),
        ("MUTAG", "4*edge-histogram(ignore=others)", [1044.0, 724.0, 504.0, 26721508.0]),
        ("MUTAG", "wl(h=5)", [412.0, 210.0, 188.0, 10152522.0]),
        ("MUTAG", "wl-oa(h=5)", [102.0, 31.0, 78.0, 1402208.0]),
        ("MUTAG", "shortest-path(ignore=others)", [6660.0, 2950.0, 1576.0, 202174524.0]),
        ("MUTAG", "shortest-path(labels=no, ignore=others)", [11168.0, 7220.0, 4912.0, 525151892.0]),
        ("PTC_MR", "vertex-histogram(ignore=others)", [2.0, 0.0, 6.0, 12072025.0]),
        ("PTC_MR", "4*edge-histogram(ignore=others)", [4.0, 0.0, 20.0, 44307248.0]),
        ("PTC_MR", "wl(h=5)", [12.0, 0.0, 26.0, 15096188.0]),
        ("PTC_MR", "wl-oa(h=5)", [12.0, 0.0, 24.0, 1522492.0]),
        ("PTC_MR", "shortest-path(ignore=others)", [2.0, 0.0, 18.0, 230188024.0]),
        ("PTC_MR", "shortest-path(labels=no, ignore=others)", [4.0, 12.0, 56.0, 830075524.0]),
        ("ENZYMES", "vertex-histogram(ignore=others)", [745.0, 464.0, 289.0, 183056838.0]),
        ("ENZYMES", "wl(h=5, ignore=others)", [1054.0, 502.0, 454.0, 196883694.0]),
        ("ENZYMES", "wl-oa(h=5, ignore=others)", [222.0, 31.0, 138.0, 11012266.0]),
        ("ENZYMES", "shortest-path(ignore=others)", [62976.0, 24278.0, 12180.0, 11485907086.0]),
        ("ENZYMES", "shortest-path(labels=no, ignore=others)", [185432.0, 77068.0, 39340.0, 48092307880.0]),
    ];
    for (name, kernel, [first, across, second, sum]) in known {
        let Some(data) = collection(name) else { return };
        let k = gram(kernel, &data);
        let found = [k.at(0, 0), k.at(0, 1), k.at(1, 1), k.values().iter().sum::<f64>()];
        assert_eq!(found, [*first, *across, *second, *sum], "{name} {kernel}");
    }
}

/// Entries (0, 0), (0, 1) and (1, 1) for connected graphlets on MUTAG, by networkx 3.6.1: every choice of nodes whose
/// subgraph is connected, distinguished by degrees, which suffices there. (GraKeL 0.1.11 misses some and counts others
/// twice.)
#[test]
fn graphlets_match_networkx() {
    let Some(data) = collection("MUTAG") else { return };
    let data = data.select(&[0, 1]);
    for (size, known) in
        [(3, [729.0, 513.0, 361.0]), (4, [1405.0, 949.0, 641.0]), (5, [2977.0, 1952.0, 1280.0])]
    {
        let k = gram(&format!("graphlet(size={size}, ignore=others)"), &data);
        assert_eq!([k.at(0, 0), k.at(0, 1), k.at(1, 1)], known, "{size}");
    }
}

#[test]
fn unused_labels_are_refused_or_give_a_warning() {
    let data = dataset(molecules(10, 1));
    let refused = |text: &str| {
        let error = text.parse::<Expression>().unwrap().fit(&data, engine()).unwrap_err();
        assert_eq!(error.code(), Code::Object, "{text}");
        (error.to_string(), error.hint().unwrap())
    };
    let (message, hint) = refused("vertex-histogram");
    assert!(message.contains("object 1: the graph has edge labels"), "{message}");
    assert!(hint.contains("ignore=edge-labels") && hint.contains("ignore=others"));
    refused("edge-histogram");
    refused("graphlet(ignore=edge-labels)");
    let said =
        |text: &str| -> Vec<String> { fit(text, &data).warnings.iter().map(ToString::to_string).collect() };
    assert_eq!(
        said("wl"),
        ["W_IGNORED wl ignores these features of the graphs: edge labels (edge-labels=yes uses them)"]
    );
    assert!(said("wl(edge-labels=yes)").is_empty());
    assert_eq!(said("normalize(graphlet(ignore=others))").len(), 1);
    assert_eq!(said("wl + shortest-path(ignore=edge-labels)").len(), 2);
    let small = dataset(vec![Graph::undirected(3, &[(0, 1)]).unwrap()]);
    assert!(fit("graphlet(size=4)", &small).warnings[0].to_string().starts_with("W_SMALL 1 of 1 graphs"));
}

#[test]
fn numbers_and_graphs_together() {
    let graphs = molecules(6, 2);
    let size = graphs.iter().map(|g| g.nodes() as f64).collect();
    let columns = vec![
        Column::new("molecule", Values::Graphs(graphs.clone())),
        Column::new("size", Values::Numbers(Dense::new(6, 1, size).unwrap())),
    ];
    let data = Dataset::new(columns).unwrap();
    let (both, one) = (gram("wl(h=1) + linear", &data), gram("wl(h=1)", &dataset(graphs.clone())));
    let at = |i: usize| graphs[i].nodes() as f64;
    assert_eq!(both.at(2, 3), one.at(2, 3) + at(2) * at(3));
    let wrong = "wl@size".parse::<Expression>().unwrap().fit(&data, engine()).unwrap_err();
    assert_eq!(wrong.code(), Code::Column);
}

/// A grid over iterations gives the same bits as each number of iterations separately.
#[test]
fn intermediate_iterations_equal_separate_fits() {
    let data = dataset(molecules(25, 3));
    let grid: Expression = "normalize(wl(h=[0, 3, 2], base=edge))".parse().unwrap();
    let all: Vec<Expression> = (0..3).map(|i| grid.pick(&[i]).unwrap()).collect();
    let (train, test): (Vec<usize>, Vec<usize>) = ((0..20).collect(), (20..25).collect());
    let mut together = Matrices::new(&data, engine());
    together.prepare(&all).unwrap();
    for one in &all {
        let mut alone = Matrices::new(&data, engine());
        alone.prepare(std::slice::from_ref(one)).unwrap();
        let blocks = |m: &Matrices<'_>| m.blocks(one, &train, &test, &mut Shared::default()).unwrap();
        assert_eq!(blocks(&together), blocks(&alone), "{one}");
    }
}

#[test]
fn inner_products_of_features_equal_the_kernel() {
    let data = dataset(molecules(12, 4));
    for text in [
        "wl(h=2, edge-labels=yes)",
        "normalize(wl(h=1) + 0.5*shortest-path(ignore=others))",
        "2*normalize(graphlet(size=4, ignore=others)) + vertex-edge-histogram",
        "propagation(t=2, ignore=others)",
        "normalize(wl-oa(h=2))",
    ] {
        let features = text.parse::<Expression>().unwrap().explicit_features(&data).unwrap();
        let (phi, k) = (features.values.to_dense(), gram(text, &data));
        assert_eq!(phi.cols(), features.names.len());
        for i in 0..12 {
            for j in 0..12 {
                let dot: f64 = phi.row(i).iter().zip(phi.row(j)).map(|(a, b)| a * b).sum();
                assert!((dot - k.at(i, j)).abs() <= 1e-12 * k.at(i, i).max(k.at(j, j)), "{text}: {i} {j}");
            }
        }
    }
    for text in ["wl * wl", "tanimoto(wl)", "rbf-of(wl, gamma=1)", "neighbourhood-hash(ignore=others)"] {
        assert!(text.parse::<Expression>().unwrap().explicit_features(&data).is_err(), "{text}");
    }
    // Columns of graph features depend on the graphs, so a model that stores a weight for each column must refuse them.
    let classes = Target::Classes(Categories::from_values((0..12).map(|i| Some(["a", "b"][i % 2]))));
    let data = data.with_target("class", classes).unwrap();
    let linear = Model::fit(&data, &"wl".parse().unwrap(), &"linear-svc".parse().unwrap(), 0, engine());
    assert!(linear.is_err());
}

/// Contributions add up to the decision value, and features have the expected occurrences.
#[test]
fn explanations_add_up() {
    let graphs = molecules(40, 5);
    let oxygens = |g: &Graph| g.node_labels().unwrap().iter().filter(|l| *l == "O").count();
    let numbers = Target::Numbers(graphs.iter().map(|g| oxygens(g) as f64).collect());
    let two = graphs.iter().map(|g| Some(if oxygens(g) > 2 { "many" } else { "few" }));
    let two = Target::Classes(Categories::from_values(two));
    let three = graphs.iter().map(|g| Some(["none", "some", "many"][oxygens(g).min(2)]));
    let three = Target::Classes(Categories::from_values(three));
    let new = dataset(molecules(8, 6));
    for (kernel, learner, target) in [
        ("wl(h=2)", "svc(C=10)", &two),
        ("normalize(wl(h=1) + shortest-path(ignore=others))", "svc(C=10)", &two),
        ("wl(h=1)", "svc(C=10)", &three),
        ("wl(h=1)", "svc(C=10, scheme=one-versus-rest)", &three),
        ("normalize(wl(h=1))", "ridge(lambda=0.1)", &three),
        ("vertex-histogram(ignore=others)", "ridge(lambda=0.01)", &numbers),
        ("wl(h=1)", "svr(C=10)", &numbers),
        ("wl(h=1)", "perceptron", &two),
    ] {
        let data = dataset(graphs.clone()).with_target("oxygens", target.clone()).unwrap();
        let Ok(learner) = learner.parse() else { panic!("{learner}") };
        let model = Model::fit(&data, &kernel.parse().unwrap(), &learner, 0, engine()).unwrap();
        let prediction = model.predict(&new, engine()).unwrap();
        let why = model.explain(&new, 6, engine()).unwrap();
        assert_eq!(why.len(), 8);
        for (i, why) in why.iter().enumerate() {
            let parts: f64 = why.parts.iter().map(|p| p.amount).sum();
            let scale = why.parts.iter().fold(1.0f64, |m, p| m.max(p.amount.abs()));
            assert!((why.offset + parts + why.rest - why.value).abs() < 1e-9 * scale, "{kernel} {learner}");
            assert!(why.parts.windows(2).all(|p| p[0].amount.abs() >= p[1].amount.abs()));
            let expected = match prediction.numbers() {
                Some(numbers) => numbers[i],
                None if prediction.columns.len() == 1 => prediction.decisions.at(i, 0).abs(),
                None => continue,
            };
            assert!(
                (why.value - expected).abs() < 1e-8 * scale,
                "{kernel} {learner}: {} {expected}",
                why.value
            );
            for part in why.parts.iter().filter(|p| p.feature == "O") {
                let Values::Graphs(new) = &new.columns()[0].values else { panic!() };
                let labels = new[i].node_labels().unwrap();
                assert_eq!(part.nodes.len(), oxygens(&new[i]));
                assert!(part.nodes.iter().all(|nodes| labels.get(nodes[0] as usize) == "O"));
            }
        }
    }
    let data = dataset(graphs).with_target("oxygens", two).unwrap();
    let no = |kernel: &str, learner: &str| {
        let model =
            Model::fit(&data, &kernel.parse().unwrap(), &learner.parse().unwrap(), 0, engine()).unwrap();
        model.explain(&new, 3, engine()).unwrap_err()
    };
    assert_eq!(no("wl", "knn").code(), Code::Param);
    assert_eq!(no("wl * wl", "svc").code(), Code::Param);
}

/// Models of graphs can be saved and loaded, and predict graphs with unseen labels.
#[test]
fn models_of_graphs_in_files() {
    let graphs = molecules(30, 7);
    let classes = graphs.iter().map(|g| Some(if g.nodes() > 6 { "large" } else { "small" }));
    let classes = Target::Classes(Categories::from_values(classes));
    let data = dataset(graphs).with_target("size", classes).unwrap();
    let mut strange = molecules(6, 8);
    strange.push(
        Graph::undirected(2, &[(0, 1)]).unwrap().with_node_labels(Labels::from_names(["Xe", "Kr"])).unwrap(),
    );
    let new = dataset(strange);
    for kernel in
        ["wl(h=2)", "normalize(wl-oa(h=2))", "shortest-path(ignore=others)", "rbf-of(wl, gamma=0.01)"]
    {
        let model =
            Model::fit(&data, &kernel.parse().unwrap(), &"svc".parse().unwrap(), 0, engine()).unwrap();
        let again = Model::from_bytes("g.mercer", &model.to_bytes().unwrap(), engine()).unwrap();
        let (a, b) = (model.predict(&new, engine()).unwrap(), again.predict(&new, engine()).unwrap());
        assert_eq!(a, b, "{kernel}");
        assert_eq!(a.len(), 7);
    }
}
