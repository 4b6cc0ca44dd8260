//! Builds graphs from edge lists in any order, with repeated edges and loops.

use super::{Graph, Labels};
use crate::data::Dense;
use crate::error::{Error, Result};

/// Builds a graph from edges in any order; labels, weights and attributes have the order of the nodes and edges.
///
/// A graph has at most one edge between two nodes. Other entries of an edge list are treated as follows:
///
/// * a loop, an edge from a node to itself, is kept, and stored once;
/// * of several edges between the same nodes (in the same direction, if directed) the first is kept with its label,
///   weight and attributes, and the others are counted in [`Tally::repeated`];
/// * in an undirected graph a-b and b-a are the same edge. If edges are declared to occur in both directions
///   ([`GraphBuilder::mirrored`]), the second of the two is expected and not counted, and an edge in only one direction
///   is completed and counted in [`Tally::one_way`].
///
/// ```
/// use mercer_core::data::{GraphBuilder, Labels};
/// let (graph, tally) = GraphBuilder::undirected(3)
///     .edges(vec![(2, 1), (0, 1), (1, 2)])
///     .edge_labels(Labels::from_names(["double", "single", "single"]))
///     .build()?;
/// assert_eq!(graph.edges(), 2);
/// assert_eq!(graph.edge_labels().map(|l| l.iter().collect::<Vec<_>>()), Some(vec!["single", "single", "double", "double"]));
/// assert_eq!(tally.repeated, 1);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct GraphBuilder {
    nodes: usize,
    directed: bool,
    mirrored: bool,
    edges: Vec<(u32, u32)>,
    node_labels: Option<Labels>,
    edge_labels: Option<Labels>,
    weights: Option<Vec<f64>>,
    node_attributes: Option<Dense>,
    edge_attributes: Option<Dense>,
}

/// Counts of irregular entries in an edge list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Edges from a node to itself, which are kept.
    pub loops: usize,
    /// Further edges between the same nodes, which are dropped.
    pub repeated: usize,
    /// Edges in only one direction where both were expected, which are completed.
    pub one_way: usize,
}

impl std::ops::AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.loops += other.loops;
        self.repeated += other.repeated;
        self.one_way += other.one_way;
    }
}

impl GraphBuilder {
    /// Starts an undirected graph.
    pub fn undirected(nodes: usize) -> Self {
        GraphBuilder {
            nodes,
            directed: false,
            mirrored: false,
            edges: Vec::new(),
            node_labels: None,
            edge_labels: None,
            weights: None,
            node_attributes: None,
            edge_attributes: None,
        }
    }

    /// Starts a directed graph.
    pub fn directed(nodes: usize) -> Self {
        GraphBuilder { directed: true, ..GraphBuilder::undirected(nodes) }
    }

    /// Declares that every edge of an undirected graph occurs in both directions, as in files of the TU collection.
    pub fn mirrored(mut self) -> Self {
        self.mirrored = true;
        self
    }

    /// The edges.
    pub fn edges(mut self, edges: Vec<(u32, u32)>) -> Self {
        self.edges = edges;
        self
    }

    /// A label for each node.
    pub fn node_labels(mut self, labels: Labels) -> Self {
        self.node_labels = Some(labels);
        self
    }

    /// A label for each edge.
    pub fn edge_labels(mut self, labels: Labels) -> Self {
        self.edge_labels = Some(labels);
        self
    }

    /// A weight for each edge.
    pub fn weights(mut self, weights: Vec<f64>) -> Self {
        self.weights = Some(weights);
        self
    }

    /// A row of numbers for each node.
    pub fn node_attributes(mut self, rows: Dense) -> Self {
        self.node_attributes = Some(rows);
        self
    }

    /// A row of numbers for each edge.
    pub fn edge_attributes(mut self, rows: Dense) -> Self {
        self.edge_attributes = Some(rows);
        self
    }

    /// The graph, and the counts of irregular entries. Fails if an edge names a node that does not exist, or if the
    /// numbers of labels, weights or attributes do not match.
    pub fn build(self) -> Result<(Graph, Tally)> {
        let count = self.edges.len();
        let counts = [
            ("labels", self.edge_labels.as_ref().map(Labels::len)),
            ("weights", self.weights.as_ref().map(Vec::len)),
            ("attributes", self.edge_attributes.as_ref().map(Dense::rows)),
        ];
        if let Some((what, found)) =
            counts.into_iter().find_map(|(what, n)| Some((what, n.filter(|&n| n != count)?)))
        {
            return Err(Error::usage(format!("{found} {what} for {count} edges")));
        }
        super::check_nodes(self.nodes, &self.edges)?;
        let (arcs, tally) = self.arrange();
        let order = || arcs.iter().map(|&(_, _, index)| index);
        let mut graph =
            Graph::from_arcs(self.nodes, arcs.iter().map(|&(a, b, _)| (a, b)).collect(), self.directed)?;
        if let Some(labels) = &self.edge_labels {
            graph = graph.with_edge_labels(labels.arrange(order()))?;
        }
        if let Some(weights) = &self.weights {
            graph = graph.with_weights(order().map(|i| weights[i]).collect())?;
        }
        if let Some(rows) = &self.edge_attributes {
            graph = graph.with_edge_attributes(rows.select(&order().collect::<Vec<_>>()))?;
        }
        if let Some(labels) = self.node_labels {
            graph = graph.with_node_labels(labels)?;
        }
        if let Some(rows) = self.node_attributes {
            graph = graph.with_node_attributes(rows)?;
        }
        Ok((graph, tally))
    }

    /// The arcs to store in order, each with the index of its edge.
    fn arrange(&self) -> (Vec<(u32, u32, usize)>, Tally) {
        let mut given: Vec<(u32, u32, usize)> = Vec::with_capacity(self.edges.len());
        given.extend(self.edges.iter().enumerate().map(|(i, &(a, b))| (a, b, i)));
        given.sort_unstable();
        let mut tally = Tally::default();
        let all = given.len();
        given.dedup_by_key(|&mut (a, b, _)| (a, b));
        tally.repeated = all - given.len();
        tally.loops = given.iter().filter(|(a, b, _)| a == b).count();
        if self.directed {
            return (given, tally);
        }
        // Both directions of an edge take the label, weight and attributes of the one given first.
        let index = |a: u32, b: u32| given.binary_search_by_key(&(a, b), |&(a, b, _)| (a, b)).ok();
        let mut arcs = Vec::with_capacity(2 * given.len());
        for &(a, b, own) in &given {
            match index(b, a).map(|at| given[at].2) {
                Some(other) => {
                    arcs.push((a, b, own.min(other)));
                    // Counted once, at the direction given later.
                    tally.repeated += usize::from(a != b && !self.mirrored && other < own);
                }
                None => {
                    arcs.extend([(a, b, own), (b, a, own)]);
                    tally.one_way += usize::from(self.mirrored);
                }
            }
        }
        arcs.sort_unstable();
        (arcs, tally)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loops_repetitions_and_single_directions_are_counted() {
        let edges = vec![(0, 1), (1, 0), (1, 2), (2, 2), (1, 2), (2, 2)];
        let (plain, tally) = GraphBuilder::undirected(3).edges(edges.clone()).build().unwrap();
        assert_eq!(tally, Tally { loops: 1, repeated: 3, one_way: 0 });
        assert_eq!(plain.arcs().collect::<Vec<_>>(), [(0, 1), (1, 0), (1, 2), (2, 1), (2, 2)]);
        assert_eq!(plain.edges(), 3);

        let (mirrored, tally) = GraphBuilder::undirected(3).mirrored().edges(edges.clone()).build().unwrap();
        assert_eq!(tally, Tally { loops: 1, repeated: 2, one_way: 1 });
        assert_eq!(mirrored, plain);

        let (directed, tally) = GraphBuilder::directed(3).edges(edges).build().unwrap();
        assert_eq!(tally, Tally { loops: 1, repeated: 2, one_way: 0 });
        assert_eq!(directed.arcs().collect::<Vec<_>>(), [(0, 1), (1, 0), (1, 2), (2, 2)]);
    }

    #[test]
    fn both_directions_take_the_features_of_the_first_edge() {
        let builder = GraphBuilder::undirected(3)
            .mirrored()
            .edges(vec![(1, 0), (2, 1), (0, 1)])
            .edge_labels(Labels::from_names(["b", "c", "x"]))
            .weights(vec![2.0, 3.0, 9.0])
            .edge_attributes(Dense::new(3, 1, vec![5.0, 6.0, 7.0]).unwrap());
        let (graph, _) = builder.build().unwrap();
        assert_eq!(graph.weights().unwrap(), [2.0, 2.0, 3.0, 3.0]);
        assert_eq!(graph.edge_attributes().unwrap().values(), [5.0, 5.0, 6.0, 6.0]);
        assert_eq!(graph.edge_labels().unwrap().iter().collect::<Vec<_>>(), ["b", "b", "c", "c"]);
    }

    #[test]
    fn counts_must_agree() {
        let edges = || GraphBuilder::undirected(2).edges(vec![(0, 1)]);
        assert!(edges().weights(vec![]).build().is_err());
        assert!(edges().edge_labels(Labels::from_names(["a", "b"])).build().is_err());
        assert!(edges().node_labels(Labels::from_names(["a"])).build().is_err());
        assert!(edges().node_attributes(Dense::zeros(3, 1)).build().is_err());
        assert!(GraphBuilder::directed(2).edges(vec![(0, 2)]).build().is_err());
    }
}
