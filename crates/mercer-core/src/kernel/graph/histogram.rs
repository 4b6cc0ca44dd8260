//! Label histograms: of nodes, of edges, and of edges with the labels of their ends.

use super::{
    FeatureUse, GRAPHS, GraphFeatures, Ignore, OnGraphs, edge_hash, edge_name, edges, hash_of, name_of,
};
use crate::data::Graph;
use crate::error::Result;
use crate::kernel::counts::{Bag, Counting, Describe, Visit};
use crate::kernel::{Definiteness, Facts, declared};

/// The inner product of the histograms of node labels: the number of pairs of nodes with equal labels.
///
/// Without labels it is the product of the numbers of nodes. `rbf-of(vertex-histogram, gamma=…)` is the Gaussian of the
/// distance between histograms, and `vertex-histogram + 0.5*vertex-edge-histogram` also counts edges.
///
/// ```
/// use mercer_core::{data::{Graph, Labels}, gram::Engine, kernel::graph::VertexHistogram};
/// let graph = |labels: [&str; 3]| {
///     Graph::undirected(3, &[(0, 1), (1, 2)])?.with_node_labels(Labels::from_names(labels))
/// };
/// let k = Engine::new().gram(&VertexHistogram::default(), &[graph(["C", "C", "O"])?, graph(["C", "O", "N"])?][..])?;
/// assert_eq!(k.values(), [5.0, 3.0, 3.0, 3.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VertexHistogram {
    ignore: Ignore,
}

/// The inner product of the histograms of edge labels: the number of pairs of edges with equal labels.
///
/// An undirected edge counts once. Without labels it is the product of the numbers of edges.
///
/// ```
/// use mercer_core::{data::Graph, gram::Engine, kernel::graph::EdgeHistogram};
/// let path = |n: u32| Graph::undirected(n as usize, &(1..n).map(|i| (i - 1, i)).collect::<Vec<_>>());
/// let k = Engine::new().gram(&EdgeHistogram::default(), &[path(3)?, path(5)?][..])?;
/// assert_eq!(k.values(), [4.0, 8.0, 8.0, 16.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeHistogram {
    ignore: Ignore,
}

/// The inner product of the histograms of edges with the labels of their ends: the number of pairs of edges that agree
/// in all three labels. The ends of an undirected edge are unordered.
///
/// ```
/// use mercer_core::{data::{Graph, Labels}, gram::Engine, kernel::graph::VertexEdgeHistogram};
/// let graph = |labels: [&str; 3]| {
///     Graph::undirected(3, &[(0, 1), (1, 2)])?.with_node_labels(Labels::from_names(labels))
/// };
/// let k = Engine::new().gram(&VertexEdgeHistogram::default(), &[graph(["C", "C", "O"])?, graph(["C", "O", "N"])?][..])?;
/// assert_eq!(k.values(), [2.0, 1.0, 1.0, 2.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct VertexEdgeHistogram {
    ignore: Ignore,
}

/// The implementation shared by the three kernels: the features that they use.
macro_rules! histogram {
    ($type:ident, $features:expr) => {
        impl $type {
            /// The kernel with the features of graphs to ignore.
            pub fn ignoring(ignore: Ignore) -> Self {
                $type { ignore }
            }
        }

        declared!($type { ignore });

        impl OnGraphs for $type {
            fn graph_features(&self) -> GraphFeatures {
                $features
            }

            fn ignore(&self) -> Ignore {
                self.ignore
            }
        }
    };
}

// A histogram of nodes does not depend on edges, so ignoring their direction loses nothing.
histogram!(
    VertexHistogram,
    GraphFeatures { node_labels: FeatureUse::Used, direction: FeatureUse::Used, ..GraphFeatures::STRUCTURE }
);
histogram!(
    EdgeHistogram,
    GraphFeatures { edge_labels: FeatureUse::Used, direction: FeatureUse::Used, ..GraphFeatures::STRUCTURE }
);
histogram!(
    VertexEdgeHistogram,
    GraphFeatures {
        node_labels: FeatureUse::Used,
        edge_labels: FeatureUse::Used,
        direction: FeatureUse::Used,
        ..GraphFeatures::STRUCTURE
    }
);

impl VertexHistogram {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "vertex-histogram",
        summary: "The inner product of the histograms of node labels.",
        formula: "Σ_l |{v ∈ G: l(v) = l}| · |{v ∈ H: l(v) = l}|",
        takes: "graphs with node labels, or none",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[Ignore::PARAMETER],
        cost: "the shared labels",
        reference: "Sugiyama & Borgwardt 2015, Halting in random walk kernels",
        example: "vertex-histogram(ignore=edge-labels)",
    };
}

impl EdgeHistogram {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "edge-histogram",
        summary: "The inner product of the histograms of edge labels.",
        formula: "Σ_l |{e ∈ G: l(e) = l}| · |{e ∈ H: l(e) = l}|",
        takes: "graphs with edge labels, or none",
        example: "edge-histogram(ignore=node-labels)",
        ..VertexHistogram::FACTS
    };
}

impl VertexEdgeHistogram {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "vertex-edge-histogram",
        summary: "The inner product of the histograms of edges with the labels of their ends.",
        formula: "Σ_{l,m,n} |{uv ∈ G: l(u) = l, l(uv) = m, l(v) = n}| · |{uv ∈ H: …}|",
        takes: "graphs with labels of nodes and edges, or none",
        example: "vertex-histogram(ignore=edge-labels) + 0.5*vertex-edge-histogram",
        ..VertexHistogram::FACTS
    };
}

impl Counting for VertexHistogram {
    type Objects = [Graph];

    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        (0..graph.nodes()).for_each(|i| bag.add(hash_of(graph.node_labels(), i)));
        Ok(())
    }
}

impl Describe for VertexHistogram {
    fn describe(&self, graph: &Graph, visit: Visit<'_>) -> Result<()> {
        let labels = graph.node_labels();
        (0..graph.nodes())
            .for_each(|i| visit(hash_of(labels, i), &[i as u32], &|| name_of(labels, i).to_owned()));
        Ok(())
    }
}

impl Counting for EdgeHistogram {
    type Objects = [Graph];

    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        edges(graph).for_each(|(_, _, place)| bag.add(hash_of(graph.edge_labels(), place)));
        Ok(())
    }
}

impl Describe for EdgeHistogram {
    fn describe(&self, graph: &Graph, visit: Visit<'_>) -> Result<()> {
        let labels = graph.edge_labels();
        for (a, b, place) in edges(graph) {
            visit(hash_of(labels, place), &[a as u32, b as u32], &|| name_of(labels, place).to_owned());
        }
        Ok(())
    }
}

impl Counting for VertexEdgeHistogram {
    type Objects = [Graph];

    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        edges(graph).for_each(|edge| bag.add(edge_with_ends(graph, edge)));
        Ok(())
    }
}

impl Describe for VertexEdgeHistogram {
    fn describe(&self, graph: &Graph, visit: Visit<'_>) -> Result<()> {
        let name = |i| name_of(graph.node_labels(), i);
        for (a, b, place) in edges(graph) {
            let edge = graph.edge_labels().map(|labels| labels.get(place));
            visit(edge_with_ends(graph, (a, b, place)), &[a as u32, b as u32], &|| {
                edge_name(graph.is_directed(), name(a), edge, name(b))
            });
        }
        Ok(())
    }
}

/// The hash of an edge with the labels of its ends.
fn edge_with_ends(graph: &Graph, (a, b, place): (usize, usize, usize)) -> u128 {
    let node = |i| hash_of(graph.node_labels(), i);
    edge_hash(graph.is_directed(), node(a), hash_of(graph.edge_labels(), place), node(b))
}
