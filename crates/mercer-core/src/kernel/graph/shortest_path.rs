//! The shortest-path kernel.

use super::paths::{NONE, Paths};
use super::{FeatureUse, GRAPHS, GraphFeatures, Ignore, OnGraphs, hash_of, join, name_of, switch};
use crate::budget;
use crate::data::Graph;
use crate::error::Result;
use crate::kernel::counts::{Bag, Counting, Describe, Visit};
use crate::kernel::{Definiteness, Facts, declared};

/// Counts pairs of nodes in both graphs with equal labels and shortest paths of equal length.
///
/// k(G, H) = Σ over ordered pairs (u, v) of different nodes of G and (u', v') of H of
/// \[l(u) = l(u')\]·\[l(v) = l(v')\]·\[d(u, v) = d(u', v')\]; pairs without a path add nothing. A weight is the length
/// of its edge and must not be negative. In a directed graph paths follow the arcs.
///
/// Cost: a search from each node, nodes·(nodes + arcs) per graph (times a logarithm with edge weights), and the shared
/// triples per pair.
///
/// ```
/// use mercer_core::{data::{Graph, Labels}, gram::Engine, kernel::graph::ShortestPath};
/// let path = Graph::undirected(3, &[(0, 1), (1, 2)])?.with_node_labels(Labels::from_names(["C", "C", "O"]))?;
/// let edge = Graph::undirected(2, &[(0, 1)])?.with_node_labels(Labels::from_names(["C", "O"]))?;
/// let k = Engine::new().gram(&ShortestPath::default(), &[path, edge][..])?;
/// // The path contains C-1-C twice (from either end), C-1-O, O-1-C, C-2-O and O-2-C.
/// assert_eq!(k.values(), [8.0, 2.0, 2.0, 2.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// K. M. Borgwardt and H.-P. Kriegel, *Shortest-path kernels on graphs*, ICDM 2005.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortestPath {
    labels: bool,
    ignore: Ignore,
}

impl Default for ShortestPath {
    fn default() -> Self {
        ShortestPath { labels: true, ignore: Ignore::Nothing }
    }
}

impl ShortestPath {
    /// Whether node labels are used.
    #[must_use]
    pub fn with_labels(self, labels: bool) -> Self {
        ShortestPath { labels, ..self }
    }

    /// Sets the features of graphs to ignore.
    #[must_use]
    pub fn ignoring(self, ignore: Ignore) -> Self {
        ShortestPath { ignore, ..self }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "shortest-path",
        summary: "Pairs of nodes with equal labels and shortest paths of equal length.",
        formula: "Σ_{u≠v ∈ G} Σ_{u'≠v' ∈ H} [l(u) = l(u')]·[l(v) = l(v')]·[d(u, v) = d(u', v')]",
        takes: "graphs with node labels or none; weights are lengths",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[switch("labels", "yes", "require equal labels of the ends"), Ignore::PARAMETER],
        cost: "the shared label-label-length triples",
        reference: "Borgwardt & Kriegel 2005, Shortest-path kernels on graphs",
        example: "shortest-path(ignore=edge-labels)",
    };

    fn node_labels(&self, graph: &Graph) -> Vec<u128> {
        let labels = graph.node_labels().filter(|_| self.labels);
        (0..graph.nodes()).map(|i| hash_of(labels, i)).collect()
    }
}

declared!(ShortestPath { labels, ignore });

impl OnGraphs for ShortestPath {
    fn graph_features(&self) -> GraphFeatures {
        GraphFeatures {
            node_labels: FeatureUse::switch(self.labels, "labels=yes"),
            weights: FeatureUse::Used,
            direction: FeatureUse::Used,
            ..GraphFeatures::STRUCTURE
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Counting for ShortestPath {
    type Objects = [Graph];

    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        count_paths(graph, &self.node_labels(graph), bag)
    }
}

impl Describe for ShortestPath {
    fn describe(&self, graph: &Graph, visit: Visit<'_>) -> Result<()> {
        let labels = self.node_labels(graph);
        let name = |i: usize| if self.labels { name_of(graph.node_labels(), i) } else { "*" };
        describe_paths(graph, &labels, visit, |a, length, b| format!("{}-{length}-{}", name(a), name(b)))
    }
}

/// The hash of two labels and a length.
fn triple(a: u128, b: u128, length: f32) -> u128 {
    join(&[a, b, u128::from(length.to_bits())])
}

/// Calls `visit` for each ordered pair of different nodes with a path.
pub(super) fn describe_paths(
    graph: &Graph,
    labels: &[u128],
    visit: Visit<'_>,
    name: impl Fn(usize, f32, usize) -> String,
) -> Result<()> {
    let mut paths = Paths::new(graph)?;
    for u in 0..graph.nodes() {
        budget::check_after(graph.nodes())?;
        for (v, &length) in paths.from(u).iter().enumerate() {
            if v != u && length != NONE {
                visit(triple(labels[u], labels[v], length), &[u as u32, v as u32], &|| name(u, length, v));
            }
        }
    }
    Ok(())
}

/// Maximum number of entries in a table of counts; beyond that, keys are sorted.
const TABLE: usize = 1 << 22;

/// Counts label-label-length triples by the label of the source, so that few counts are held at a time.
pub(super) fn count_paths(graph: &Graph, labels: &[u128], bag: &mut Bag) -> Result<()> {
    let n = graph.nodes();
    let mut distinct = labels.to_vec();
    distinct.sort_unstable();
    distinct.dedup();
    // Every label is in `distinct`.
    let codes: Vec<u32> = labels.iter().map(|l| distinct.partition_point(|d| d < l) as u32).collect();
    let mut sources: Vec<usize> = (0..n).collect();
    sources.sort_unstable_by_key(|&i| codes[i]);
    let mut paths = Paths::new(graph)?;
    let (mut table, mut keys) = (Vec::new(), Vec::new());
    let by_table = graph.weights().is_none() && n.saturating_mul(distinct.len()) <= TABLE;
    for group in sources.chunk_by(|&a, &b| codes[a] == codes[b]) {
        let own = distinct[codes[group[0]] as usize];
        if by_table {
            // Lengths are whole and below n: one row of counts for each length that occurs.
            let width = distinct.len();
            table.clear();
            for &u in group {
                budget::check_after(n)?;
                for (v, &length) in paths.from(u).iter().enumerate() {
                    if v != u && length != NONE {
                        let at = length as usize * width + codes[v] as usize;
                        if at >= table.len() {
                            table.resize((length as usize + 1) * width, 0u64);
                        }
                        table[at] += 1;
                    }
                }
            }
            for (at, &count) in table.iter().enumerate().filter(|(_, c)| **c > 0) {
                bag.add_many(triple(own, distinct[at % width], (at / width) as f32), count);
            }
        } else {
            keys.clear();
            for &u in group {
                budget::check_after(n)?;
                if keys.len() + n > keys.capacity() {
                    let needed = budget::matrix_bytes(keys.len() + n, 2, size_of::<u64>());
                    budget::ask(&format!("the shortest paths of a graph of {n} nodes"), needed)?;
                }
                let found = paths.from(u).iter().enumerate().filter(|(v, l)| *v != u && **l != NONE);
                keys.extend(found.map(|(v, l)| (u64::from(codes[v]) << 32) | u64::from(l.to_bits())));
            }
            keys.sort_unstable();
            for run in keys.chunk_by(|a, b| a == b) {
                let (code, length) = ((run[0] >> 32) as usize, f32::from_bits(run[0] as u32));
                bag.add_many(triple(own, distinct[code], length), run.len() as u64);
            }
        }
    }
    Ok(())
}
