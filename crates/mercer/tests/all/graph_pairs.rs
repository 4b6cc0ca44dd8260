//! Kernels on graphs compared with GraKeL 0.1.11, on the first graphs of MUTAG.

use mercer::data::{Dense, Graph, Values, embedded};
use mercer::gram::Engine;
use mercer::kernel::graph::{GraphHopper, NodeKernel, RandomWalk, SubgraphMatching};

fn graphs(count: usize) -> Vec<Graph> {
    let data = embedded::mutag().unwrap();
    let Values::Graphs(graphs) = &data.columns()[0].values else { panic!("graphs expected") };
    graphs[..count].to_vec()
}

fn sum(k: &Dense) -> f64 {
    k.values().iter().sum()
}

/// `RandomWalk(lamda=0.01, method_type="fast", kernel_type="geometric")`, which solves by conjugate gradients.
#[test]
fn geometric_walks() {
    let kernel = RandomWalk::geometric(0.01).unwrap().without_labels();
    let k = Engine::new().gram(&kernel, &graphs(20)[..]).unwrap();
    assert!((k.at(0, 1) / 232.28317306642245 - 1.0).abs() < 1e-12, "{}", k.at(0, 1));
    assert!((sum(&k) / 120197.10114076006 - 1.0).abs() < 1e-12, "{}", sum(&k));
}

/// `SubgraphMatching(k=3, lw="uniform")`, which counts connected parts, with node and edge labels.
#[test]
fn subgraph_matching() {
    let k = Engine::new().gram(&SubgraphMatching::new(3).unwrap(), &graphs(6)[..]).unwrap();
    assert_eq!(k.row(0), [1691.0, 870.0, 870.0, 1663.0, 555.0, 2124.0]);
    assert_eq!(sum(&k), 36295.0);
}

/// `GraphHopper(kernel_type="linear")` with attributes (number of the label, 1).
#[test]
fn graph_hopper() {
    let with_attributes = |g: Graph| {
        let labels = g.node_labels().unwrap();
        let number = |name| ["C", "N", "O", "F", "I", "Cl", "Br"].iter().position(|e| *e == name).unwrap();
        let rows = labels.iter().flat_map(|name| [number(name) as f64, 1.0]).collect();
        let rows = Dense::new(g.nodes(), 2, rows).unwrap();
        g.without_edge_labels().with_node_attributes(rows).unwrap()
    };
    let graphs: Vec<Graph> = graphs(20).into_iter().map(with_attributes).collect();
    let kernel = GraphHopper::new(NodeKernel::Linear).unwrap().with_labels(false);
    let k = Engine::new().gram(&kernel, &graphs[..]).unwrap();
    assert_eq!((k.at(0, 0), k.at(0, 1), sum(&k)), (117834.0, 51933.0, 41529670.0));
}
