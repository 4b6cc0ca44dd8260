//! Graphs in compressed rows.

use crate::error::{Error, Result};

/// A graph: the neighbours of every node in compressed rows, with optional labels and weights.
///
/// An undirected edge is stored in both directions.
///
/// ```
/// use mercer::data::Graph;
/// let path = Graph::undirected(3, &[(0, 1), (1, 2)])?;
/// assert_eq!(path.nodes(), 3);
/// assert_eq!(path.neighbours(1), [0, 2]);
/// # Ok::<(), mercer::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Graph {
    directed: bool,
    offsets: Vec<usize>,
    targets: Vec<u32>,
    node_labels: Option<Vec<String>>,
    edge_labels: Option<Vec<String>>,
    weights: Option<Vec<f64>>,
}

impl Graph {
    /// An undirected graph from its edges.
    pub fn undirected(nodes: usize, edges: &[(u32, u32)]) -> Result<Self> {
        let both = edges.iter().flat_map(|&(a, b)| if a == b { vec![(a, b)] } else { vec![(a, b), (b, a)] });
        Graph::from_arcs(nodes, both.collect(), false)
    }

    /// A directed graph from its arcs.
    pub fn directed(nodes: usize, arcs: &[(u32, u32)]) -> Result<Self> {
        Graph::from_arcs(nodes, arcs.to_vec(), true)
    }

    /// A graph from its stored arcs as [`Graph::arcs`] gives them: in order, and both directions of each edge of
    /// an undirected graph.
    pub(crate) fn from_stored(nodes: usize, arcs: Vec<(u32, u32)>, directed: bool) -> Result<Self> {
        if !arcs.is_sorted() {
            return Err(Error::usage("arcs out of order"));
        }
        if !directed {
            let mut turned: Vec<_> = arcs.iter().map(|&(a, b)| (b, a)).collect();
            turned.sort_unstable();
            if turned != arcs {
                return Err(Error::usage("an edge of an undirected graph in one direction alone"));
            }
        }
        Graph::from_arcs(nodes, arcs, directed)
    }

    fn from_arcs(nodes: usize, mut arcs: Vec<(u32, u32)>, directed: bool) -> Result<Self> {
        if let Some(&(a, b)) = arcs.iter().find(|(a, b)| (*a).max(*b) as usize >= nodes) {
            return Err(Error::usage(format!("edge {a}-{b} in a graph of {nodes} nodes")));
        }
        arcs.sort_unstable();
        let mut offsets = vec![0; nodes + 1];
        for &(a, _) in &arcs {
            offsets[a as usize + 1] += 1;
        }
        for i in 0..nodes {
            offsets[i + 1] += offsets[i];
        }
        let targets = arcs.into_iter().map(|(_, b)| b).collect();
        Ok(Graph { directed, offsets, targets, node_labels: None, edge_labels: None, weights: None })
    }

    /// The same graph with a label on each node.
    pub fn with_node_labels(mut self, labels: Vec<String>) -> Result<Self> {
        if labels.len() != self.nodes() {
            return Err(Error::usage(format!("{} labels for {} nodes", labels.len(), self.nodes())));
        }
        self.node_labels = Some(labels);
        Ok(self)
    }

    /// The same graph with a label on each stored arc, in order of [`Graph::arcs`].
    pub fn with_edge_labels(mut self, labels: Vec<String>) -> Result<Self> {
        if labels.len() != self.targets.len() {
            return Err(Error::usage(format!("{} labels for {} arcs", labels.len(), self.targets.len())));
        }
        self.edge_labels = Some(labels);
        Ok(self)
    }

    /// The same graph with a weight on each stored arc, in order of [`Graph::arcs`].
    pub fn with_weights(mut self, weights: Vec<f64>) -> Result<Self> {
        if weights.len() != self.targets.len() {
            return Err(Error::usage(format!("{} weights for {} arcs", weights.len(), self.targets.len())));
        }
        if let Some(bad) = weights.iter().find(|w| !w.is_finite()) {
            return Err(Error::param("weight", bad, "finite"));
        }
        self.weights = Some(weights);
        Ok(self)
    }

    /// The number of nodes.
    pub fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// Whether arcs have a direction.
    pub fn is_directed(&self) -> bool {
        self.directed
    }

    /// The nodes that node i has an arc to, ascending.
    pub fn neighbours(&self, i: usize) -> &[u32] {
        &self.targets[self.offsets[i]..self.offsets[i + 1]]
    }

    /// Every stored arc, by source and then target.
    pub fn arcs(&self) -> impl Iterator<Item = (u32, u32)> + '_ {
        (0..self.nodes()).flat_map(move |i| self.neighbours(i).iter().map(move |&j| (i as u32, j)))
    }

    /// The label of each node, if the graph has labels.
    pub fn node_labels(&self) -> Option<&[String]> {
        self.node_labels.as_deref()
    }

    /// The label of each stored arc, if arcs have labels.
    pub fn edge_labels(&self) -> Option<&[String]> {
        self.edge_labels.as_deref()
    }

    /// The weight of each stored arc, if arcs have weights.
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }
}
