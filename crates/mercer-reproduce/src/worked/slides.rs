//! M. Sugiyama, *Machine Learning for Graph Structured Data*, lecture slides of 28 November 2018.

use std::sync::Arc;

use super::{Example, Quantity, WorkedSource, formula, printed};
use crate::data::{Column, Dataset, Dense, Graph, GraphBuilder, Labels, Network, Nodes, Values};
use crate::error::Result;

/// The worked examples of the slides.
pub const SLIDES: WorkedSource = WorkedSource {
    name: "slides",
    citation: "M. Sugiyama, Machine Learning for Graph Structured Data, lecture slides, 28 November 2018",
    examples: &EXAMPLES,
    remarks: &[
        "Learning Procedure of Perceptron: the update is printed for y·a < 0. Started from w = 0 and b = 0 it would \
         never update; Mercer updates when y·a ≤ 0.",
        "KKT condition: α_i·(y_i·f(x_i) − 1 − ξ_i) = 0 is printed; the sign of ξ_i is +, as in the constraint.",
        "Active Set Method: the right-hand side is printed as −C·[Q_MI 1; 1ᵀ y_I]. The equations are \
         Q_M·α_M + y_M·v = 1 − C·Q_MI·1 and y_Mᵀ·α_M = −C·y_Iᵀ·1.",
        "Data Point Location: y·f(x) = 1 ⟺ 0 < α < C holds from right to left; on the margin α may also be 0 or C.",
        "k-Step Random Walk Kernel: entries of A^n count walks, which the slide calls paths.",
        "Popular Positive Definite Kernels: the Gaussian is printed with 1/σ², where others print 1/(2σ²). Mercer \
         takes gamma, or sigma for 1/(2σ²).",
        "Vertex and edge label histograms: G' is only drawn. The graph used here has the printed histograms: two blue \
         nodes, a red one, one straight and two zigzag edges.",
        "Weisfeiler-Lehman Kernel: both graphs are only drawn. They follow from the printed relabelling table.",
        "Vertex-Edge Label Histogram, Product Graph and Performance Comparison are drawn without values: not compared. \
         `mercer reproduce graphs` measures such a comparison.",
        "Perceptrons and SVMs: the slides print only formulas: not compared.",
    ],
};

const G: &[&str] = &["G", "G'"];
const WALK_STEPS: &str = "random-walk(kind=k-step, steps=3, decay=0.5)";
const WALK_GEOMETRIC: &str = "random-walk(kind=geometric, decay=0.1)";

/// The labels 1 to 13 of the slide: 1 to 5 before the first iteration, 6 to 13 after it, as Mercer names them.
#[rustfmt::skip]
const WL_LABELS: &[&str] = &[
    "1", "2", "3", "4", "5", "1(4)", "2(3)", "2(3,5)", "2(4,5)", "3(2,4,5)", "4(1,1,3,5)", "4(1,2,3,5)", "5(2,3,4)",
];

#[rustfmt::skip]
const EXAMPLES: [Example; 9] = [
    printed(("Example of Graph", "adjacency matrix"), drawn_network,
        Quantity::Gram("node-power(l=1, base=adjacency)"), &["1", "2", "3", "4"], &[
            &["0", "1", "0", "1"], &["1", "0", "1", "1"], &["0", "1", "0", "1"], &["1", "1", "1", "0"],
        ]),
    printed(("Vertex Label Histogram Kernel", "numbers of blue, green and red nodes"), drawn,
        Quantity::Features("vertex-histogram(ignore=edge-labels)", &["blue", "green", "red"]), G, &[
            &["2", "1", "1"], &["2", "0", "1"],
        ]),
    printed(("Vertex Label Histogram Kernel", "K_VH(G, G')"), drawn,
        Quantity::Entry("vertex-histogram(ignore=edge-labels)", 0, 1), &["K_VH"], &[&["5"]]),
    printed(("Edge Label Histogram Kernel", "numbers of straight and zigzag edges"), drawn,
        Quantity::Features("edge-histogram(ignore=node-labels)", &["straight", "zigzag"]), G, &[
            &["3", "2"], &["1", "2"],
        ]),
    printed(("Edge Label Histogram Kernel", "K_EH(G, G')"), drawn,
        Quantity::Entry("edge-histogram(ignore=node-labels)", 0, 1), &["K_EH"], &[&["7"]]),
    formula(("k-Step and Geometric Random Walk Kernel", "K(G, G') for k = 3, λ_l = 0.5^l: sums over the product graph"), drawn,
        Quantity::Entry(WALK_STEPS, 0, 1), &["K"], || walks(0.5, 3)),
    // (λ·μ_max)^l is below 1e-17 long before the 60th step; the degrees of the product graph are at most 3.
    formula(("k-Step and Geometric Random Walk Kernel", "K_GR(G, G') for λ = 0.1: the series over the product graph"), drawn,
        Quantity::Entry(WALK_GEOMETRIC, 0, 1), &["K_GR"], || walks(0.1, 60)),
    printed(("Weisfeiler-Lehman Kernel", "occurrences of the labels 1 to 13 after the 1st iteration"), relabelled,
        Quantity::Features("wl(h=1)", WL_LABELS), G, &[
            &["2", "1", "1", "1", "1", "2", "0", "1", "0", "1", "1", "0", "1"],
            &["1", "2", "1", "1", "1", "1", "1", "0", "1", "1", "0", "1", "1"],
        ]),
    printed(("Weisfeiler-Lehman Kernel", "K_WL(G, G') after the 1st iteration"), relabelled,
        Quantity::Entry("wl(h=1)", 0, 1), &["K_WL"], &[&["11"]]),
];

type Drawn = (&'static [&'static str], &'static [(u32, u32, &'static str)]);

/// "Example of Graph", which is the G of the histograms, and a G' with the printed histograms.
const DRAWN: [Drawn; 2] = [
    (
        &["green", "blue", "red", "blue"],
        &[(0, 1, "zigzag"), (0, 3, "straight"), (1, 2, "zigzag"), (1, 3, "straight"), (2, 3, "straight")],
    ),
    (&["blue", "blue", "red"], &[(0, 1, "straight"), (1, 2, "zigzag"), (0, 2, "zigzag")]),
];

fn graphs(all: Vec<Graph>) -> Result<Dataset> {
    Dataset::new(vec![Column::new("graph", Values::Graphs(all))])
}

fn drawn() -> Result<Dataset> {
    let build = |(nodes, edges): &Drawn| -> Result<Graph> {
        let (graph, _) = GraphBuilder::undirected(nodes.len())
            .edges(edges.iter().map(|&(a, b, _)| (a, b)).collect())
            .node_labels(Labels::from_names(nodes.iter()))
            .edge_labels(Labels::from_names(edges.iter().map(|e| e.2)))
            .build()?;
        Ok(graph)
    };
    graphs(DRAWN.iter().map(build).collect::<Result<_>>()?)
}

fn drawn_network() -> Result<Dataset> {
    let (nodes, edges) = DRAWN[0];
    let edges: Vec<(u32, u32, f64)> = edges.iter().map(|&(a, b, _)| (a, b, 1.0)).collect();
    let network = Network::new(nodes.len(), &edges)?;
    Dataset::new(vec![Column::new("node", Values::Nodes(Nodes::all(Arc::new(network))))])
}

/// The two graphs that follow from the relabelling table.
fn relabelled() -> Result<Dataset> {
    let build = |labels: [&str; 6], edges: [(u32, u32); 7]| {
        Graph::undirected(6, &edges)?.with_node_labels(Labels::from_names(labels))
    };
    let first =
        build(["1", "1", "2", "3", "4", "5"], [(0, 4), (1, 4), (2, 3), (2, 5), (3, 4), (3, 5), (4, 5)])?;
    let second =
        build(["1", "2", "2", "3", "4", "5"], [(0, 4), (1, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5)])?;
    graphs(vec![first, second])
}

/// Σ_l λ^l·1ᵀA^l 1 for l = 0..=steps, A the adjacency matrix of the direct product of the two drawn graphs.
fn walks(lambda: f64, steps: usize) -> Result<Dense> {
    let [(nodes, edges), (others, other_edges)] = DRAWN;
    let pairs: Vec<(u32, u32)> = (0..nodes.len())
        .flat_map(|u| (0..others.len()).map(move |v| (u, v)))
        .filter(|&(u, v)| nodes[u] == others[v])
        .map(|(u, v)| (u as u32, v as u32))
        .collect();
    let label = |edges: &'static [(u32, u32, &'static str)], a: u32, b: u32| {
        edges.iter().find(|e| (e.0, e.1) == (a.min(b), a.max(b))).map(|e| e.2)
    };
    let joined = |p: (u32, u32), q: (u32, u32)| {
        let (first, second) = (label(edges, p.0, q.0), label(other_edges, p.1, q.1));
        first.is_some() && first == second
    };
    let (mut reached, mut sum, mut weight) = (vec![1.0; pairs.len()], 0.0, 1.0);
    for _ in 0..=steps {
        sum += weight * reached.iter().sum::<f64>();
        let next = |&p: &(u32, u32)| {
            pairs.iter().zip(&reached).filter(|(q, _)| joined(p, **q)).map(|(_, r)| r).sum::<f64>()
        };
        reached = pairs.iter().map(next).collect();
        weight *= lambda;
    }
    Ok(Dense::from_rows(&[[sum]]))
}
