//! Kernels on whole graphs.
//!
//! Most of them count features: labels, edges, subtrees, paths, small subgraphs. Such a kernel defines the features of
//! one graph, each identified by a 128-bit hash of its content, and [`counts`](super::counts) does the rest. Features
//! beyond nodes and edges are used or are an error by one rule, [`GraphFeatures`].
//!
//! A graph without labels is treated as if all its labels were equal.

mod features;
mod graph_hopper;
mod graphlet;
mod graphlet_types;
mod histogram;
mod layers;
mod neighbourhood_hash;
mod paths;
mod propagation;
mod pyramid_match;
mod random_walk;
mod return_probabilities;
mod shortest_path;
mod shortest_path_rbf;
mod size;
mod subgraph_matching;
mod wasserstein;
mod wl;
mod wl_oa;

pub use features::{FeatureUse, GraphFeature, GraphFeatures, Ignore};
pub use graph_hopper::{GraphHopper, NodeKernel};
pub use graphlet::Graphlet;
pub use histogram::{EdgeHistogram, VertexEdgeHistogram, VertexHistogram};
#[doc(hidden)]
pub use layers::{CORE, WL_OF};
pub use layers::{Layered, Layering, Layers};
pub use neighbourhood_hash::NeighbourhoodHash;
pub use propagation::{Metric, Propagation};
pub use pyramid_match::PyramidMatch;
pub use random_walk::RandomWalk;
pub use return_probabilities::ReturnProbabilities;
pub use shortest_path::ShortestPath;
pub use shortest_path_rbf::ShortestPathRbf;
pub use size::GraphSize;
pub use subgraph_matching::SubgraphMatching;
pub use wasserstein::{MovedNodes, WassersteinWl};
pub use wl::{Base, WeisfeilerLehman};
pub use wl_oa::{MatchedNodes, OptimalAssignment};

use std::borrow::Cow;

use super::counts::Counted;
use super::{Declared, Domain, Parameter, operators};
use crate::data::{Graph, Kind, Labels};
use crate::error::{Result, Warning};

operators!(
    [] GraphSize, [] VertexHistogram, [] EdgeHistogram, [] VertexEdgeHistogram, [] WeisfeilerLehman, [] OptimalAssignment,
    [] ShortestPath, [] ShortestPathRbf, [] Graphlet, [] NeighbourhoodHash, [] Propagation,
    [] RandomWalk, [] SubgraphMatching, [] PyramidMatch, [] GraphHopper, [] WassersteinWl, [] ReturnProbabilities,
    [K] Layered<K>,
);

/// The kinds of columns that these kernels accept.
pub(crate) const GRAPHS: &[Kind] = &[Kind::Graphs];

/// Properties that every kernel on graphs declares.
pub trait OnGraphs: Declared {
    /// The features of graphs that it uses.
    fn graph_features(&self) -> GraphFeatures;

    /// The features that it is set to ignore.
    fn ignore(&self) -> Ignore;

    /// The graphs as the kernel uses them, or an error. Every kernel calls this first.
    fn admit<'g>(&self, graphs: &'g [Graph]) -> Result<Cow<'g, [Graph]>> {
        self.graph_features().admit(Self::FACTS.name, self.ignore(), graphs)
    }

    /// Warnings about these graphs, or an error.
    fn notes(&self, graphs: &[Graph]) -> Result<Vec<Warning>> {
        self.graph_features().check(Self::FACTS.name, self.ignore(), graphs)
    }
}

impl<K: OnGraphs> Counted<K> for [Graph] {
    type Object = Graph;

    fn admit<'a>(&'a self, kernel: &K) -> Result<Cow<'a, Self>> {
        kernel.admit(self)
    }

    fn size(&self) -> usize {
        self.len()
    }

    fn with<R>(&self, _kernel: &K, i: usize, work: impl FnOnce(&Graph) -> R) -> R {
        work(&self[i])
    }
}

/// The label of nodes and edges without labels: the first 128 bits of the fraction of π.
const PLAIN: u128 = 0x243f_6a88_85a3_08d3_1319_8a2e_0370_7344;

/// The hash of label i, if there are labels.
fn hash_of(labels: Option<&Labels>, i: usize) -> u128 {
    labels.map_or(PLAIN, |labels| labels.hash(i))
}

/// The text of label i; a star if there are no labels.
fn name_of(labels: Option<&Labels>, i: usize) -> &str {
    labels.map_or("*", |labels| labels.get(i))
}

/// The hash of several hashes in order.
fn join(parts: &[u128]) -> u128 {
    let mut bytes = [0; 64];
    let used = 16 * parts.len();
    match bytes.get_mut(..used) {
        Some(bytes) => {
            bytes.chunks_exact_mut(16).zip(parts).for_each(|(b, p)| b.copy_from_slice(&p.to_le_bytes()));
            xxhash_rust::xxh3::xxh3_128(bytes)
        }
        None => {
            let bytes: Vec<u8> = parts.iter().flat_map(|p| p.to_le_bytes()).collect();
            xxhash_rust::xxh3::xxh3_128(&bytes)
        }
    }
}

/// Each edge once: of the two arcs of an undirected edge, the one from the smaller node, with the index of the arc.
fn edges(graph: &Graph) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
    let arcs = graph.arcs().enumerate().map(|(place, (a, b))| (a as usize, b as usize, place));
    arcs.filter(|(a, b, _)| graph.is_directed() || a <= b)
}

/// The hash of an edge with its ends. In an undirected graph the ends are unordered, and no arc equals an edge.
fn edge_hash(directed: bool, a: u128, edge: u128, b: u128) -> u128 {
    match directed {
        true => join(&[a, edge, b, PLAIN]),
        false => join(&[a.min(b), edge, a.max(b)]),
    }
}

/// The text of an edge: `C-O`, with an edge label `C-double-O`, and with an arrow if it is directed.
fn edge_name(directed: bool, a: &str, edge: Option<&str>, b: &str) -> String {
    let (a, b) = if !directed && b < a { (b, a) } else { (a, b) };
    let line = if directed { ">" } else { "-" };
    match edge {
        Some(edge) => format!("{a}{line}{edge}{line}{b}"),
        None => format!("{a}{line}{b}"),
    }
}

/// A yes/no parameter.
const fn switch(name: &'static str, default: &'static str, doc: &'static str) -> Parameter {
    Parameter { name, default, domain: Domain::Word(&["no", "yes"]), doc, alias: None }
}

#[cfg(test)]
pub(crate) mod tests;
