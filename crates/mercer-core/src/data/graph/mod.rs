//! Graphs in compressed sparse rows.

mod builder;
mod labels;
mod summary;

pub use builder::{GraphBuilder, Tally};
pub use labels::{Labels, Names};
pub use summary::{GraphSummary, Spread};

use super::Dense;
use crate::error::{Error, Result};

/// A graph: the neighbours of every node in compressed sparse rows, with optional labels, weights and attributes.
///
/// An undirected edge is stored as two arcs, one in each direction, and a loop as one; edge labels, weights and
/// attributes are stored with each arc. [`GraphBuilder`] accepts edges in any order.
///
/// ```
/// use mercer_core::data::Graph;
/// let path = Graph::undirected(3, &[(0, 1), (1, 2)])?;
/// assert_eq!(path.nodes(), 3);
/// assert_eq!(path.neighbours(1), [0, 2]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    directed: bool,
    offsets: Vec<u32>,
    targets: Vec<u32>,
    node_labels: Option<Labels>,
    edge_labels: Option<Labels>,
    weights: Option<Vec<f64>>,
    node_attributes: Option<Dense>,
    edge_attributes: Option<Dense>,
}

impl Graph {
    /// An undirected graph from its edges; a repeated edge counts once.
    pub fn undirected(nodes: usize, edges: &[(u32, u32)]) -> Result<Self> {
        Ok(GraphBuilder::undirected(nodes).edges(edges.to_vec()).build()?.0)
    }

    /// A directed graph from its arcs; a repeated arc counts once.
    pub fn directed(nodes: usize, arcs: &[(u32, u32)]) -> Result<Self> {
        Ok(GraphBuilder::directed(nodes).edges(arcs.to_vec()).build()?.0)
    }

    /// A graph from stored arcs as given by [`Graph::arcs`]: in order, with both directions of each edge of an
    /// undirected graph.
    #[doc(hidden)]
    pub fn from_stored(nodes: usize, arcs: Vec<(u32, u32)>, directed: bool) -> Result<Self> {
        if !arcs.is_sorted_by(|a, b| a < b) {
            return Err(Error::usage("arcs are not ascending, or repeated"));
        }
        check_nodes(nodes, &arcs)?;
        if !directed {
            let mut reversed: Vec<_> = arcs.iter().map(|&(a, b)| (b, a)).collect();
            reversed.sort_unstable();
            if reversed != arcs {
                return Err(Error::usage("an edge of an undirected graph has only one direction"));
            }
        }
        Graph::from_arcs(nodes, arcs, directed)
    }

    /// A graph from ascending, unique arcs between existing nodes.
    fn from_arcs(nodes: usize, arcs: Vec<(u32, u32)>, directed: bool) -> Result<Self> {
        if u32::try_from(arcs.len()).is_err() || u32::try_from(nodes).is_err() {
            return Err(Error::usage("a graph has more than 2^32 nodes or arcs"));
        }
        let mut offsets = vec![0; nodes + 1];
        for &(a, _) in &arcs {
            offsets[a as usize + 1] += 1;
        }
        for i in 0..nodes {
            offsets[i + 1] += offsets[i];
        }
        Ok(Graph {
            directed,
            offsets,
            targets: arcs.into_iter().map(|(_, b)| b).collect(),
            node_labels: None,
            edge_labels: None,
            weights: None,
            node_attributes: None,
            edge_attributes: None,
        })
    }

    /// Adds a label to each node.
    pub fn with_node_labels(mut self, labels: Labels) -> Result<Self> {
        fits("labels", labels.len(), self.nodes(), "nodes")?;
        self.node_labels = Some(labels);
        Ok(self)
    }

    /// Adds a label to each stored arc, in the order of [`Graph::arcs`].
    pub fn with_edge_labels(mut self, labels: Labels) -> Result<Self> {
        fits("labels", labels.len(), self.targets.len(), "arcs")?;
        self.edge_labels = Some(labels);
        Ok(self)
    }

    /// Adds a weight to each stored arc, in the order of [`Graph::arcs`].
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        fits("weights", weights.len(), self.targets.len(), "arcs")?;
        all_finite("weight", &weights)?;
        self.weights = Some(weights);
        Ok(self)
    }

    /// Adds a row of attributes to each node.
    pub fn with_node_attributes(mut self, rows: Dense) -> Result<Self> {
        fits("rows of attributes", rows.rows(), self.nodes(), "nodes")?;
        all_finite("node attribute", rows.values())?;
        self.node_attributes = Some(rows);
        Ok(self)
    }

    /// Adds a row of attributes to each stored arc, in the order of [`Graph::arcs`].
    pub fn with_edge_attributes(mut self, rows: Dense) -> Result<Self> {
        fits("rows of attributes", rows.rows(), self.targets.len(), "arcs")?;
        all_finite("edge attribute", rows.values())?;
        self.edge_attributes = Some(rows);
        Ok(self)
    }

    /// Removes node labels.
    pub fn without_node_labels(mut self) -> Self {
        self.node_labels = None;
        self
    }

    /// Removes edge labels.
    pub fn without_edge_labels(mut self) -> Self {
        self.edge_labels = None;
        self
    }

    /// Removes edge weights.
    pub fn without_weights(mut self) -> Self {
        self.weights = None;
        self
    }

    /// Removes the attributes of nodes and edges.
    pub fn without_attributes(mut self) -> Self {
        self.node_attributes = None;
        self.edge_attributes = None;
        self
    }

    /// The graph with every arc in both directions. Of two opposite arcs the one with the smaller weight is kept, and
    /// for equal weights the one whose label comes first, so that the result does not depend on the numbering of the
    /// nodes.
    pub fn to_undirected(&self) -> Result<Self> {
        if !self.directed {
            return Ok(self.clone());
        }
        let arcs: Vec<(u32, u32)> = self.arcs().collect();
        let mut order: Vec<usize> = (0..arcs.len()).collect();
        let weight = |i: usize| self.weights.as_ref().map_or(1.0, |w| w[i]);
        let label = |i: usize| self.edge_labels.as_ref().map(|l| l.get(i));
        let attributes = |i: usize| self.edge_attributes.as_ref().map_or(&[][..], |a| a.row(i));
        order.sort_by(|&a, &b| {
            let rows = || attributes(a).iter().zip(attributes(b)).map(|(a, b)| a.total_cmp(b));
            let attributes = || rows().find(|o| o.is_ne()).unwrap_or(std::cmp::Ordering::Equal);
            weight(a).total_cmp(&weight(b)).then_with(|| label(a).cmp(&label(b))).then_with(attributes)
        });
        let mut builder =
            GraphBuilder::undirected(self.nodes()).edges(order.iter().map(|&i| arcs[i]).collect());
        if let Some(labels) = &self.edge_labels {
            builder = builder.edge_labels(labels.arrange(order.iter().copied()));
        }
        if let Some(weights) = &self.weights {
            builder = builder.weights(order.iter().map(|&i| weights[i]).collect());
        }
        if let Some(rows) = &self.edge_attributes {
            builder = builder.edge_attributes(rows.select(&order));
        }
        let mut graph = builder.build()?.0;
        graph.node_labels = self.node_labels.clone();
        graph.node_attributes = self.node_attributes.clone();
        Ok(graph)
    }

    /// The induced subgraph on these nodes, numbered in the given order, with labels, weights and attributes. Fails if
    /// a node does not exist or is given twice. Time linear in the arcs of these nodes, up to a logarithm.
    ///
    /// ```
    /// use mercer_core::data::Graph;
    /// let square = Graph::undirected(4, &[(0, 1), (1, 2), (2, 3), (3, 0)])?;
    /// assert_eq!(square.induced(&[3, 0, 1])?, Graph::undirected(3, &[(0, 1), (1, 2)])?);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn induced(&self, nodes: &[usize]) -> Result<Self> {
        let mut new_numbers = vec![u32::MAX; self.nodes()];
        for (at, &node) in nodes.iter().enumerate() {
            match new_numbers.get_mut(node) {
                Some(number) if *number == u32::MAX => *number = at as u32,
                _ => {
                    return Err(Error::usage(format!(
                        "node {node} is chosen twice, or is not one of the {} nodes",
                        self.nodes()
                    )));
                }
            }
        }
        let mut arcs: Vec<(u32, u32, usize)> = Vec::new();
        for (at, &node) in nodes.iter().enumerate() {
            for (arc, &target) in self.outgoing(node).zip(self.neighbours(node)) {
                if new_numbers[target as usize] != u32::MAX {
                    arcs.push((at as u32, new_numbers[target as usize], arc));
                }
            }
        }
        arcs.sort_unstable();
        let kept: Vec<usize> = arcs.iter().map(|a| a.2).collect();
        let arcs = arcs.into_iter().map(|(a, b, _)| (a, b)).collect();
        let mut out = Graph::from_arcs(nodes.len(), arcs, self.directed)?;
        out.node_labels = self.node_labels.as_ref().map(|l| l.arrange(nodes.iter().copied()));
        out.edge_labels = self.edge_labels.as_ref().map(|l| l.arrange(kept.iter().copied()));
        out.weights = self.weights.as_ref().map(|w| kept.iter().map(|&a| w[a]).collect());
        out.node_attributes = self.node_attributes.as_ref().map(|rows| rows.select(nodes));
        out.edge_attributes = self.edge_attributes.as_ref().map(|rows| rows.select(&kept));
        Ok(out)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// The number of edges: the two arcs of an undirected edge count once.
    pub fn edges(&self) -> usize {
        if self.directed {
            return self.targets.len();
        }
        let loops = self.arcs().filter(|(a, b)| a == b).count();
        (self.targets.len() + loops) / 2
    }

    /// Whether the graph is directed.
    pub fn is_directed(&self) -> bool {
        self.directed
    }

    /// The targets of the arcs from node i, ascending.
    pub fn neighbours(&self, i: usize) -> &[u32] {
        &self.targets[self.outgoing(i)]
    }

    /// The indices of the arcs from node i among all stored arcs; they index edge labels, weights and attributes.
    pub fn outgoing(&self, i: usize) -> std::ops::Range<usize> {
        self.offsets[i] as usize..self.offsets[i + 1] as usize
    }

    /// The target of a stored arc, by the index of the arc.
    pub fn target(&self, arc: usize) -> u32 {
        self.targets[arc]
    }

    /// Every stored arc, by source and then target.
    pub fn arcs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.nodes()).flat_map(move |i| self.neighbours(i).iter().map(move |&j| (i as u32, j)))
    }

    /// The label of each node, if nodes have labels.
    pub fn node_labels(&self) -> Option<&Labels> {
        self.node_labels.as_ref()
    }

    /// The label of each stored arc, if edges have labels.
    pub fn edge_labels(&self) -> Option<&Labels> {
        self.edge_labels.as_ref()
    }

    /// The weight of each stored arc, if edges have weights.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    /// The attributes of each node, one row each, if any.
    pub fn node_attributes(&self) -> Option<&Dense> {
        self.node_attributes.as_ref()
    }

    /// The attributes of each stored arc, one row each, if any.
    pub fn edge_attributes(&self) -> Option<&Dense> {
        self.edge_attributes.as_ref()
    }
}

fn check_nodes(nodes: usize, arcs: &[(u32, u32)]) -> Result<()> {
    match arcs.iter().find(|(a, b)| (*a).max(*b) as usize >= nodes) {
        Some((a, b)) => {
            Err(Error::usage(format!("edge {a}-{b} is out of range: the graph has {nodes} nodes")))
        }
        None => Ok(()),
    }
}

fn fits(what: &str, found: usize, expected: usize, of: &str) -> Result<()> {
    if found == expected { Ok(()) } else { Err(Error::usage(format!("{found} {what} for {expected} {of}"))) }
}

fn all_finite(name: &str, values: &[f64]) -> Result<()> {
    match values.iter().find(|v| !v.is_finite()) {
        Some(bad) => Err(Error::param(name, bad, "finite")),
        None => Ok(()),
    }
}
