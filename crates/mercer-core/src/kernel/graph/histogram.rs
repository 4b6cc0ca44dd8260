//! Histograms of labels: of nodes, of edges, and of edges with the labels at their ends.

use std::fmt;

use super::{
    Bag, Counting, Describe, GRAPHS, Honours, Ignore, OnGraphs, Regard, edge_hash, edge_name, edges, hash_of,
    name_of,
};
use crate::data::Graph;
use crate::error::Result;
use crate::kernel::{Definiteness, Facts};

/// The inner product of the histograms of node labels: how many pairs of nodes have equal labels.
///
/// Without labels it is the product of the numbers of nodes. `rbf-of(vertex-histogram, gamma=…)` is the Gaussian of the
/// distance of the histograms, and `vertex-histogram + 0.5*vertex-edge-histogram` adds edges to it.
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

/// The inner product of the histograms of edge labels: how many pairs of edges have equal labels.
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

/// The inner product of the histograms of edges with the labels at their ends: how many pairs of edges agree in all
/// three labels. The ends of an undirected edge are in no order.
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

/// What these three share: a name, and what graphs carry that they pass over.
macro_rules! histogram {
    ($type:ident, $name:literal, $honours:expr) => {
        impl $type {
            /// The same kernel, passing over what graphs carry besides.
            pub fn ignoring(ignore: Ignore) -> Self {
                $type { ignore }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}(ignore={})", $name, self.ignore)
            }
        }

        impl OnGraphs for $type {
            const NAME: &'static str = $name;

            fn honours(&self) -> Honours {
                $honours
            }

            fn ignore(&self) -> Ignore {
                self.ignore
            }
        }
    };
}

// A histogram of nodes knows nothing of edges, so no direction of theirs could be lost by it.
histogram!(
    VertexHistogram,
    "vertex-histogram",
    Honours { node_labels: Regard::Honoured, direction: Regard::Honoured, ..Honours::STRUCTURE }
);
histogram!(
    EdgeHistogram,
    "edge-histogram",
    Honours { edge_labels: Regard::Honoured, direction: Regard::Honoured, ..Honours::STRUCTURE }
);
histogram!(
    VertexEdgeHistogram,
    "vertex-edge-histogram",
    Honours {
        node_labels: Regard::Honoured,
        edge_labels: Regard::Honoured,
        direction: Regard::Honoured,
        ..Honours::STRUCTURE
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
        cost: "the labels both graphs have",
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
        summary: "The inner product of the histograms of edges with the labels at their ends.",
        formula: "Σ_{l,m,n} |{uv ∈ G: l(u) = l, l(uv) = m, l(v) = n}| · |{uv ∈ H: …}|",
        takes: "graphs with labels of nodes and edges, or none",
        example: "vertex-histogram(ignore=edge-labels) + 0.5*vertex-edge-histogram",
        ..VertexHistogram::FACTS
    };
}

impl Counting for VertexHistogram {
    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        (0..graph.nodes()).for_each(|i| bag.add(hash_of(graph.node_labels(), i)));
        Ok(())
    }

    fn describe(&self, graph: &Graph, visit: Describe<'_>) -> Result<()> {
        let labels = graph.node_labels();
        (0..graph.nodes())
            .for_each(|i| visit(hash_of(labels, i), &[i as u32], &|| name_of(labels, i).to_owned()));
        Ok(())
    }
}

impl Counting for EdgeHistogram {
    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        edges(graph).for_each(|(_, _, place)| bag.add(hash_of(graph.edge_labels(), place)));
        Ok(())
    }

    fn describe(&self, graph: &Graph, visit: Describe<'_>) -> Result<()> {
        let labels = graph.edge_labels();
        for (a, b, place) in edges(graph) {
            visit(hash_of(labels, place), &[a as u32, b as u32], &|| name_of(labels, place).to_owned());
        }
        Ok(())
    }
}

impl Counting for VertexEdgeHistogram {
    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        edges(graph).for_each(|edge| bag.add(ended(graph, edge)));
        Ok(())
    }

    fn describe(&self, graph: &Graph, visit: Describe<'_>) -> Result<()> {
        let name = |i| name_of(graph.node_labels(), i);
        for (a, b, place) in edges(graph) {
            let edge = graph.edge_labels().map(|labels| labels.get(place));
            visit(ended(graph, (a, b, place)), &[a as u32, b as u32], &|| {
                edge_name(graph.is_directed(), name(a), edge, name(b))
            });
        }
        Ok(())
    }
}

/// The hash of an edge with the labels at its ends.
fn ended(graph: &Graph, (a, b, place): (usize, usize, usize)) -> u128 {
    let node = |i| hash_of(graph.node_labels(), i);
    edge_hash(graph.is_directed(), node(a), hash_of(graph.edge_labels(), place), node(b))
}
