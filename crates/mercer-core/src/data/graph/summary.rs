//! Summary statistics of a set of graphs.

use std::collections::HashSet;

use super::{Graph, Labels};
use crate::data::Dense;

/// The minimum, mean and maximum of some numbers; all 0 if there are none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Spread {
    /// The minimum.
    pub min: usize,
    /// The mean.
    pub mean: f64,
    /// The maximum.
    pub max: usize,
}

impl Spread {
    fn of(values: impl Iterator<Item = usize> + Clone) -> Self {
        let count = values.clone().count().max(1);
        let sum: usize = values.clone().sum();
        Spread {
            min: values.clone().min().unwrap_or(0),
            mean: sum as f64 / count as f64,
            max: values.max().unwrap_or(0),
        }
    }
}

/// Summary statistics of a set of graphs: sizes, labels, weights and attributes.
///
/// ```
/// use mercer_core::data::{Graph, GraphSummary};
/// let summary = GraphSummary::of(&[Graph::undirected(3, &[(0, 1), (1, 2)])?, Graph::undirected(1, &[])?]);
/// assert_eq!((summary.nodes.min, summary.nodes.mean, summary.edges.max), (1, 2.0, 2));
/// assert_eq!((summary.directed, summary.node_labels), (0, None));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct GraphSummary {
    /// Number of nodes of a graph.
    pub nodes: Spread,
    /// Number of edges of a graph.
    pub edges: Spread,
    /// Number of directed graphs.
    pub directed: usize,
    /// Number of graphs without edges.
    pub edgeless: usize,
    /// Total number of loops.
    pub loops: usize,
    /// Number of distinct node labels, if nodes have labels.
    pub node_labels: Option<usize>,
    /// Number of distinct edge labels, if edges have labels.
    pub edge_labels: Option<usize>,
    /// The smallest and the largest edge weight, if edges have weights.
    pub weights: Option<(f64, f64)>,
    /// Number of attributes per node, if any.
    pub node_attributes: Option<usize>,
    /// Number of attributes per edge, if any.
    pub edge_attributes: Option<usize>,
}

impl GraphSummary {
    /// The summary of these graphs.
    pub fn of(graphs: &[Graph]) -> Self {
        let weights = || graphs.iter().filter_map(Graph::weights).flatten().copied();
        let width =
            |rows: fn(&Graph) -> Option<&Dense>| graphs.iter().filter_map(rows).map(Dense::cols).max();
        GraphSummary {
            nodes: Spread::of(graphs.iter().map(Graph::nodes)),
            edges: Spread::of(graphs.iter().map(Graph::edges)),
            directed: graphs.iter().filter(|g| g.is_directed()).count(),
            edgeless: graphs.iter().filter(|g| g.edges() == 0).count(),
            loops: graphs.iter().map(|g| g.arcs().filter(|(a, b)| a == b).count()).sum(),
            node_labels: distinct(graphs.iter().filter_map(Graph::node_labels)),
            edge_labels: distinct(graphs.iter().filter_map(Graph::edge_labels)),
            weights: weights().reduce(f64::min).zip(weights().reduce(f64::max)),
            node_attributes: width(Graph::node_attributes),
            edge_attributes: width(Graph::edge_attributes),
        }
    }

    /// The labels, weights and attributes of the graphs as text: `7 node labels, 4 edge labels`.
    pub fn features(&self) -> String {
        let mut words = Vec::new();
        words.extend(self.node_labels.map(|n| format!("{n} node labels")));
        words.extend(self.edge_labels.map(|n| format!("{n} edge labels")));
        words.extend(self.weights.map(|(low, high)| format!("edge weights {low} … {high}")));
        words.extend(self.node_attributes.map(|n| format!("{n} node attributes")));
        words.extend(self.edge_attributes.map(|n| format!("{n} edge attributes")));
        if words.is_empty() { "neither labels, weights nor attributes".into() } else { words.join(", ") }
    }
}

fn distinct<'g>(labels: impl Iterator<Item = &'g Labels>) -> Option<usize> {
    let mut seen = HashSet::new();
    let mut any = false;
    for labels in labels {
        any = true;
        seen.extend((0..labels.len()).map(|i| labels.hash(i)));
    }
    any.then_some(seen.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::GraphBuilder;

    #[test]
    fn summary_lists_labels_weights_and_attributes() {
        let builder = GraphBuilder::directed(2).edges(vec![(0, 1), (1, 1)]).weights(vec![2.0, -1.0]);
        let builder =
            builder.node_labels(Labels::from_names(["a", "b"])).edge_labels(Labels::from_names(["c", "c"]));
        let (one, _) = builder.node_attributes(Dense::zeros(2, 3)).build().unwrap();
        let other = Graph::undirected(1, &[]).unwrap().with_node_labels(Labels::from_names(["b"])).unwrap();
        let s = GraphSummary::of(&[one, other]);
        assert_eq!((s.directed, s.edgeless, s.loops), (1, 1, 1));
        assert_eq!(s.features(), "2 node labels, 1 edge labels, edge weights -1 … 2, 3 node attributes");
        assert_eq!(s.edges, Spread { min: 0, mean: 1.0, max: 2 });
        assert_eq!(GraphSummary::of(&[]), GraphSummary::default());
        assert_eq!(GraphSummary::default().features(), "neither labels, weights nor attributes");
    }
}
