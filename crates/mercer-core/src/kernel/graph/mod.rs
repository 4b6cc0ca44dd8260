//! Kernels on whole graphs.
//!
//! Most of them count: labels, edges, subtrees, paths, small subgraphs. Such a kernel says what one graph holds, each
//! thing known by a 128-bit hash of what it is, and [`counts`](super::counts) does the rest. What graphs carry besides
//! nodes and edges is looked at or refused by one rule, [`Honours`].
//!
//! A graph without labels counts as labelled alike everywhere.

mod graph_hopper;
mod graphlet;
mod graphlet_types;
mod histogram;
mod honours;
mod layers;
mod named;
mod neighbourhood_hash;
mod paths;
mod propagation;
mod pyramid_match;
mod random_walk;
mod shortest_path;
mod shortest_path_rbf;
mod size;
mod subgraph_matching;
mod wl;
mod wl_oa;

pub use graph_hopper::{GraphHopper, NodeKernel};
pub use graphlet::Graphlet;
pub use histogram::{EdgeHistogram, VertexEdgeHistogram, VertexHistogram};
pub use honours::{Carried, Honours, Ignore, Regard};
#[doc(hidden)]
pub use layers::{CORE, WL_OF};
pub use layers::{Layered, Layering, Layers};
#[doc(hidden)]
pub use named::Named;
pub use neighbourhood_hash::NeighbourhoodHash;
pub use propagation::{Metric, Propagation};
pub use pyramid_match::PyramidMatch;
pub use random_walk::RandomWalk;
pub use shortest_path::ShortestPath;
pub use shortest_path_rbf::ShortestPathRbf;
pub use size::GraphSize;
pub use subgraph_matching::SubgraphMatching;
pub use wl::{Base, WeisfeilerLehman};
pub use wl_oa::OptimalAssignment;

use std::borrow::Cow;

use super::counts::{Bag, Counts, fill_products};
use super::{Definiteness, Domain, FeatureParts, Kernel, Parameter, Part, Prepared, operators};
use crate::data::{Graph, Kind, Labels};
use crate::error::{Result, Warning};

operators!(
    [] GraphSize, [] VertexHistogram, [] EdgeHistogram, [] VertexEdgeHistogram, [] WeisfeilerLehman, [] OptimalAssignment,
    [] ShortestPath, [] ShortestPathRbf, [] Graphlet, [] NeighbourhoodHash, [] Propagation,
    [] RandomWalk, [] SubgraphMatching, [] PyramidMatch, [] GraphHopper, [K] Layered<K>,
);

/// The kinds of columns these kernels take.
pub(crate) const GRAPHS: &[Kind] = &[Kind::Graphs];

/// What every kernel on graphs states about itself.
pub trait OnGraphs {
    /// Its name in expressions.
    const NAME: &'static str;

    /// What it looks at of all that graphs carry.
    fn honours(&self) -> Honours;

    /// What it was told to pass over.
    fn ignore(&self) -> Ignore;

    /// The graphs as the kernel is to see them, or a refusal: the first thing it does with them.
    fn admit<'g>(&self, graphs: &'g [Graph]) -> Result<Cow<'g, [Graph]>> {
        self.honours().admit(Self::NAME, self.ignore(), graphs)
    }

    /// What is worth saying about such graphs, or a refusal.
    fn notes(&self, graphs: &[Graph]) -> Result<Vec<Warning>> {
        self.honours().check(Self::NAME, self.ignore(), graphs)
    }
}

/// A kernel on graphs that counts: k(G, H) = Σ_f c_f(G)·c_f(H).
pub(crate) trait Counting: OnGraphs + Sync {
    /// Puts what the graph holds into the bag.
    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()>;

    /// Hands on everything the graph holds, once for each time it is counted: its hash, the nodes it is made of, the
    /// one it is about first, and its name. A kernel that does not say is not among those with named features.
    fn describe(&self, _graph: &Graph, _visit: Describe<'_>) -> Result<()> {
        Ok(())
    }
}

/// Takes a feature's hash, its nodes, and what gives its name.
pub(crate) type Describe<'a> = &'a mut dyn FnMut(u128, &[u32], &dyn Fn() -> String);

/// The counts of graphs a kernel has admitted.
fn count_all(kernel: &impl Counting, graphs: &[Graph]) -> Result<Counts> {
    let graphs = kernel.admit(graphs)?;
    Counts::collect(graphs.len(), |i, bag| kernel.count(&graphs[i], bag).map_err(|e| e.of_object(|_| i)))
}

macro_rules! kernel_of_counts {
    ($($name:ident),*) => {$(
        impl Kernel<[Graph]> for $name {
            type Prepared = Counts;

            fn prepare(&self, graphs: &[Graph]) -> Result<Counts> {
                count_all(self, graphs)
            }

            fn fill(&self, rows: Part<'_, Counts>, cols: Part<'_, Counts>, out: &mut [f64]) -> Result<()> {
                fill_products(&rows, &cols, out);
                Ok(())
            }

            fn diagonal(&self, of: Part<'_, Counts>, out: &mut [f64]) -> Result<()> {
                out.copy_from_slice(of.squares());
                Ok(())
            }

            fn definiteness(&self) -> Definiteness {
                Definiteness::PositiveSemidefinite
            }

            fn parts<'a>(&self, prepared: &'a Counts) -> Result<Option<FeatureParts<'a>>> {
                Ok(Some(FeatureParts::counted(prepared, vec![1.0; prepared.len()])))
            }
        }
    )*};
}

kernel_of_counts!(
    VertexHistogram,
    EdgeHistogram,
    VertexEdgeHistogram,
    WeisfeilerLehman,
    ShortestPath,
    Graphlet,
    Propagation,
    SubgraphMatching
);

/// The label of nodes and edges that have none: the first 128 bits of the fraction of π.
const PLAIN: u128 = 0x243f_6a88_85a3_08d3_1319_8a2e_0370_7344;

/// The hash of label i, where there are labels.
fn hash_of(labels: Option<&Labels>, i: usize) -> u128 {
    labels.map_or(PLAIN, |labels| labels.hash(i))
}

/// The text of label i; a star where there are no labels.
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

/// Edges once each: of the two arcs of an undirected edge the one from the smaller node, with the place of the arc.
fn edges(graph: &Graph) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
    let arcs = graph.arcs().enumerate().map(|(place, (a, b))| (a as usize, b as usize, place));
    arcs.filter(|(a, b, _)| graph.is_directed() || a <= b)
}

/// The hash of an edge with its ends: in an undirected graph the ends are in no order, and no arc is equal to an edge.
fn edge_hash(directed: bool, a: u128, edge: u128, b: u128) -> u128 {
    match directed {
        true => join(&[a, edge, b, PLAIN]),
        false => join(&[a.min(b), edge, a.max(b)]),
    }
}

/// The text of an edge: `C-O`, with an edge label `C-double-O`, and with an arrow where it has a direction.
fn edge_name(directed: bool, a: &str, edge: Option<&str>, b: &str) -> String {
    let (a, b) = if !directed && b < a { (b, a) } else { (a, b) };
    let line = if directed { ">" } else { "-" };
    match edge {
        Some(edge) => format!("{a}{line}{edge}{line}{b}"),
        None => format!("{a}{line}{b}"),
    }
}

/// A switch that is off unless said otherwise, or on.
const fn switch(name: &'static str, default: &'static str, doc: &'static str) -> Parameter {
    Parameter { name, default, domain: Domain::Word(&["no", "yes"]), doc, alias: None }
}

/// The word of a switch.
fn yes(on: bool) -> &'static str {
    if on { "yes" } else { "no" }
}

#[cfg(test)]
pub(crate) mod tests;
