//! The graphlet kernel: small induced subgraphs.

use super::graphlet_types::{SIZES, is_connected, name, types};
use super::{GRAPHS, GraphFeatures, Ignore, OnGraphs, join, switch};
use crate::budget;
use crate::data::Graph;
use crate::error::{Error, Result, Warning};
use crate::kernel::counts::{Bag, Counting, Describe, Visit};
use crate::kernel::{Definiteness, Domain, Facts, Parameter, declared};
use crate::random::Random;

/// The inner product of the counts of induced subgraphs of 3, 4 or 5 nodes, by type.
///
/// Connected subgraphs are enumerated, each once. Disconnected ones (`connected=no`) follow from connected ones with
/// fewer nodes for sizes 3 and 4; for size 5 every choice of 5 nodes is visited. With `samples` above 0, that many
/// random choices of nodes are drawn instead. This is cheap on any graph and reproducible by seed, but the result
/// depends on the numbering of the nodes.
///
/// Loops are ignored. A graph with fewer nodes than `size` has no graphlet: its similarity to every graph is 0.
///
/// Cost: the number of connected subgraphs per graph, and the shared types per pair.
///
/// ```
/// use mercer_core::{data::Graph, gram::Engine, kernel::graph::Graphlet};
/// let (path, ring) = (Graph::undirected(4, &[(0, 1), (1, 2), (2, 3)])?, Graph::undirected(3, &[(0, 1), (1, 2), (2, 0)])?);
/// let k = Engine::new().gram(&Graphlet::new(3)?, &[path, ring][..])?;
/// assert_eq!(k.values(), [4.0, 0.0, 0.0, 1.0]); // two paths of three nodes; one triangle
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// N. Shervashidze, S. V. N. Vishwanathan, T. Petri, K. Mehlhorn and K. M. Borgwardt, *Efficient graphlet kernels for
/// large graph comparison*, AISTATS 2009; the enumeration follows S. Wernicke, *Efficient detection of network motifs*,
/// 2006.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Graphlet {
    size: usize,
    connected: bool,
    samples: usize,
    seed: u64,
    ignore: Ignore,
}

/// Maximum number of subgraphs of one graph: more would take too long.
const MOST: u64 = 1 << 33;

/// Maximum number of choices of 5 nodes that are visited one by one.
const MOST_CHOICES: u128 = 1 << 27;

impl Graphlet {
    /// Connected graphlets of 3, 4 or 5 nodes.
    pub fn new(size: usize) -> Result<Self> {
        Self::FACTS.check("size", size as f64)?;
        Ok(Graphlet { size, connected: true, samples: 0, seed: 0, ignore: Ignore::Nothing })
    }

    /// Whether only connected graphlets count, or all.
    #[must_use]
    pub fn with_connected(self, connected: bool) -> Self {
        Graphlet { connected, ..self }
    }

    /// Samples this many random choices of nodes; 0 counts every graphlet.
    #[must_use]
    pub fn with_samples(self, samples: usize, seed: u64) -> Self {
        Graphlet { samples, seed, ..self }
    }

    /// Sets the features of graphs to ignore.
    #[must_use]
    pub fn ignoring(self, ignore: Ignore) -> Self {
        Graphlet { ignore, ..self }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "graphlet",
        summary: "The inner product of the counts of small induced subgraphs by type.",
        formula: "Σ_t |{S ⊂ G: |S| = size, G[S] of type t}| · |{S ⊂ H: …}|",
        takes: "graphs; labels are not used",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "size",
                default: "3",
                domain: Domain::Whole(*SIZES.start() as u64, *SIZES.end() as u64),
                doc: "nodes in a graphlet",
                alias: None,
            },
            switch("connected", "yes", "count connected graphlets only"),
            Parameter {
                name: "samples",
                default: "0",
                domain: Domain::Whole(0, 1 << 32),
                doc: "number of random choices of nodes; 0 counts all graphlets",
                alias: None,
            },
            Parameter {
                name: "seed",
                default: "0",
                domain: Domain::Whole(0, 1 << 53),
                doc: "random seed for the samples",
                alias: None,
            },
            Ignore::PARAMETER,
        ],
        cost: "at most 34 multiplications",
        reference: "Shervashidze et al. 2009, Efficient graphlet kernels for large graph comparison",
        example: "graphlet(size=4, ignore=others)",
    };

    fn hash(&self, bits: u16) -> u128 {
        join(&[self.size as u128, u128::from(types(self.size)[bits as usize])])
    }

    /// Whether the graphlet with these bits counts.
    fn counts(&self, bits: u16) -> bool {
        !self.connected || is_connected(self.size, bits)
    }

    /// The graphlets of random choices of nodes.
    fn sample(&self, graph: &Graph, mut each: impl FnMut(u16, &[u32])) -> Result<()> {
        let (n, mut random) = (graph.nodes(), Random::new(self.seed));
        let mut nodes = Vec::with_capacity(self.size);
        for _ in 0..self.samples {
            budget::check_after(64)?;
            nodes.clear();
            while nodes.len() < self.size {
                let node = random.below(n) as u32;
                if !nodes.contains(&node) {
                    nodes.push(node);
                }
            }
            each(induced(graph, &nodes), &nodes);
        }
        Ok(())
    }

    /// Every choice of nodes, one by one.
    fn choose(&self, graph: &Graph, mut each: impl FnMut(u16, &[u32])) -> Result<()> {
        let n = graph.nodes();
        if choose(n, self.size) > MOST_CHOICES {
            return Err(too_many(format!(
                "{n} nodes have more than {MOST_CHOICES} choices of {}",
                self.size
            )));
        }
        let mut nodes: Vec<u32> = (0..self.size as u32).collect();
        loop {
            budget::check_after(32)?;
            each(induced(graph, &nodes), &nodes);
            // The last node that can advance; the nodes after it follow directly.
            let limit = |at: usize| (n - self.size + at) as u32;
            let Some(at) = (0..self.size).rev().find(|&at| nodes[at] < limit(at)) else { return Ok(()) };
            let next = nodes[at] + 1;
            (at..self.size).zip(next..).for_each(|(at, node)| nodes[at] = node);
        }
    }

    /// Counts all graphlets of 3 or 4 nodes; disconnected ones are combinations of smaller connected parts.
    fn count_apart(&self, graph: &Graph, totals: &mut [u64]) -> Result<()> {
        let n = graph.nodes() as u64;
        let edges = graph.arcs().filter(|(a, b)| a < b).count() as u64;
        let degree = |i: u32| graph.neighbours(i as usize).iter().filter(|&&j| j != i).count() as u64;
        let size = self.size;
        let mut add = |bits: u16, count: u64| {
            let total = &mut totals[bits as usize];
            *total = total.saturating_add(count);
        };
        let mut pairs_of_edges = 0u64;
        connected(graph, size, 2, &mut |part| {
            let free = n - part.near.len() as u64;
            match size - part.nodes.len() {
                0 => add(part.bits, 1),
                1 => add(part.bits, free),
                _ => {
                    // Edges among nodes that are not adjacent to this one.
                    if budget::is_spent_after(16 * part.near.len()) {
                        return;
                    }
                    let touching: u64 = part.near.iter().map(|&w| degree(w)).sum();
                    let is_near = |j: &u32| part.is_near(*j);
                    let around = part.near.iter().map(|&w| {
                        let around = graph.neighbours(w as usize);
                        match budget::is_spent_after(around.len()) {
                            true => 0,
                            false => around.iter().filter(|j| **j != w && is_near(j)).count() as u64,
                        }
                    });
                    let apart = edges - (touching - around.sum::<u64>() / 2);
                    pairs_of_edges += apart;
                    add(part.bits, (free * free.saturating_sub(1) / 2).saturating_sub(apart));
                }
            }
        })?;
        if size == 4 {
            // Nodes 0-1 and 2-3; each pair of edges was counted from both sides.
            add(0b100001, pairs_of_edges / 2);
        }
        let seen = totals.iter().fold(0u128, |sum, t| sum + u128::from(*t));
        totals[0] = u64::try_from(choose(graph.nodes(), size).saturating_sub(seen)).unwrap_or(u64::MAX);
        Ok(())
    }
}

/// The binomial coefficient n over k.
fn choose(n: usize, k: usize) -> u128 {
    (0..k).fold(1, |all, i| all * (n as u128).saturating_sub(i as u128) / (i as u128 + 1))
}

/// The bits of the subgraph on these nodes.
fn induced(graph: &Graph, nodes: &[u32]) -> u16 {
    let mut bits = 0;
    let mut bit = 1;
    for (j, b) in nodes.iter().enumerate() {
        for a in &nodes[..j] {
            bits |= if graph.neighbours(*a as usize).binary_search(b).is_ok() { bit } else { 0 };
            bit <<= 1;
        }
    }
    bits
}

fn too_many(reason: String) -> Error {
    Error::Object { index: 0, reason, hint: Some("sample them: samples=100000".into()) }
}

declared!(Graphlet { size, connected, samples, seed, ignore });

impl OnGraphs for Graphlet {
    fn graph_features(&self) -> GraphFeatures {
        GraphFeatures::STRUCTURE
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }

    fn notes(&self, graphs: &[Graph]) -> Result<Vec<Warning>> {
        let mut notes = self.graph_features().check(Self::FACTS.name, self.ignore, graphs)?;
        let small = graphs.iter().filter(|g| g.nodes() < self.size).count();
        if small > 0 {
            let (of, size) = (graphs.len(), self.size);
            notes.push(Warning::new(
                "W_SMALL",
                format!(
                    "{small} of {of} graphs have fewer than {size} nodes: their similarity to all graphs is 0"
                ),
            ));
        }
        Ok(notes)
    }
}

impl Counting for Graphlet {
    type Objects = [Graph];

    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        if graph.nodes() < self.size {
            return Ok(());
        }
        let mut totals = vec![0u64; types(self.size).len()];
        if self.samples > 0 {
            self.sample(graph, |bits, _| totals[bits as usize] += 1)?;
        } else if self.connected {
            let size = self.size;
            connected(graph, size, size, &mut |part| totals[part.bits as usize] += 1)?;
        } else if self.size < 5 {
            self.count_apart(graph, &mut totals)?;
        } else {
            self.choose(graph, |bits, _| totals[bits as usize] += 1)?;
        }
        let found =
            totals.iter().enumerate().filter(|(bits, count)| **count > 0 && self.counts(*bits as u16));
        found.for_each(|(bits, count)| bag.add_many(self.hash(bits as u16), *count));
        Ok(())
    }
}

impl Describe for Graphlet {
    fn describe(&self, graph: &Graph, visit: Visit<'_>) -> Result<()> {
        if graph.nodes() < self.size {
            return Ok(());
        }
        let mut show = |bits: u16, nodes: &[u32]| {
            if self.counts(bits) {
                visit(self.hash(bits), nodes, &|| name(self.size, types(self.size)[bits as usize]));
            }
        };
        if self.samples > 0 {
            self.sample(graph, show)
        } else if self.connected {
            connected(graph, self.size, self.size, &mut |part| show(part.bits, &part.nodes))
        } else {
            self.choose(graph, show)
        }
    }
}

/// A connected set of nodes during its growth.
struct Growing {
    nodes: Vec<u32>,
    bits: u16,
    /// The nodes of the set and their neighbours.
    near: Vec<u32>,
    /// For each node of the graph, the nodes of the set that it is joined to; the highest bit marks members of the set.
    joined: Vec<u8>,
}

const MEMBER: u8 = 0x80;

impl Growing {
    fn is_near(&self, node: u32) -> bool {
        self.joined[node as usize] != 0
    }
}

/// Calls `each` for every connected set of `from` to `size` nodes, once each.
fn connected(graph: &Graph, size: usize, from: usize, each: &mut dyn FnMut(&Growing)) -> Result<()> {
    let joined = vec![0; graph.nodes()];
    let mut set = Growing { nodes: Vec::with_capacity(size), bits: 0, near: Vec::new(), joined };
    let mut left = MOST;
    for root in 0..graph.nodes() as u32 {
        grow(graph, size, from, root, &mut set, &[], &mut left, each)?;
    }
    Ok(())
}

/// Adds a node to the set, and then each possible successor: neighbours of the set above the root that were not
/// neighbours before, and the `others` that were and are still to be added.
#[allow(clippy::too_many_arguments)] // The graph, the limits and the callback are the same at every level.
fn grow(
    graph: &Graph,
    size: usize,
    from: usize,
    node: u32,
    set: &mut Growing,
    others: &[u32],
    left: &mut u64,
    each: &mut dyn FnMut(&Growing),
) -> Result<()> {
    budget::check_after(8 + 2 * graph.neighbours(node as usize).len())?;
    let at = set.nodes.len();
    let before = (set.bits, set.near.len());
    // Bits of the pairs with this node, given by the nodes it is joined to.
    if at > 0 {
        set.bits |= u16::from(set.joined[node as usize] & !MEMBER) << (at * (at - 1) / 2);
    }
    set.nodes.push(node);
    let root = set.nodes[0];
    let last = at + 1 == size;
    let mut next = Vec::new();
    // A set of full size needs no neighbours, unless distant nodes are counted.
    if !last {
        next.extend_from_slice(others);
        if set.joined[node as usize] == 0 {
            set.near.push(node);
        }
        set.joined[node as usize] |= MEMBER;
        for &j in graph.neighbours(node as usize) {
            if j == node {
                continue;
            }
            if set.joined[j as usize] == 0 {
                set.near.push(j);
                if j > root {
                    next.push(j);
                }
            }
            set.joined[j as usize] |= 1 << at;
        }
    }
    if at + 1 >= from {
        match left.checked_sub(1) {
            Some(fewer) => *left = fewer,
            None => return Err(too_many(format!("more than {MOST} connected sets of {size} nodes"))),
        }
        each(set);
    }
    while let Some(chosen) = next.pop() {
        grow(graph, size, from, chosen, set, &next, left, each)?;
    }
    if !last {
        for &j in graph.neighbours(node as usize) {
            if j != node {
                set.joined[j as usize] &= !(1 << at);
            }
        }
        set.joined[node as usize] &= !MEMBER;
    }
    set.near.truncate(before.1);
    set.bits = before.0;
    set.nodes.pop();
    Ok(())
}
