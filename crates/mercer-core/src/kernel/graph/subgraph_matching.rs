//! The subgraph matching kernel: isomorphisms between small subgraphs of two graphs.

use std::collections::HashMap;

use super::{FeatureUse, GRAPHS, GraphFeatures, Ignore, OnGraphs, hash_of, join, switch};
use crate::budget;
use crate::data::Graph;
use crate::error::{Error, Result};
use crate::kernel::counts::{Bag, Counting};
use crate::kernel::{Definiteness, Domain, Facts, Parameter, declared};

/// The number of isomorphisms between induced subgraphs of two graphs, of 1 to k nodes each.
///
/// A match is a one-to-one map between some nodes of G and some of H that preserves node labels, edges with their
/// labels, loops, and the absence of edges. The paper finds matches as cliques in a product graph, pair by pair. Labels
/// are compared for equality here, so matches can be counted graph by graph instead. Isomorphic subgraphs S of G and T
/// of H have as many isomorphisms as they have automorphisms, so
///
/// k(G, H) = Σ_F |Aut(F)| · #F(G) · #F(H)
///
/// over all connected isomorphism types F, where #F is the number of induced subgraphs of that type; or over all types
/// ([`SubgraphMatching::connected`] with `false`), whose number grows much faster. It is positive semidefinite.
///
/// Cost: one visit of each of the Σ (n choose i) sets of i ≤ k nodes of a graph of n nodes, or of the connected ones;
/// k! for each new type; a merge of counts per pair. More than a thousand million sets are an error.
///
/// ```
/// use mercer_core::{data::Graph, gram::Engine, kernel::graph::SubgraphMatching};
/// let path = Graph::undirected(3, &[(0, 1), (1, 2)])?;
/// let k = Engine::new().gram(&SubgraphMatching::new(2)?, &[path][..])?;
/// // Nodes match in 3·3 ways, the 2 edges in 2·2·2. The pair without an edge would match in 2 ways.
/// assert_eq!(k.at(0, 0), 9.0 + 8.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// N. Kriege and P. Mutzel, *Subgraph matching kernels for attributed graphs*, ICML 2012.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SubgraphMatching {
    k: usize,
    connected: bool,
    ignore: Ignore,
}

/// Maximum number of nodes of a subgraph.
const MOST: usize = 5;

/// Maximum number of node sets.
const MOST_SETS: u64 = 1_000_000_000;

impl SubgraphMatching {
    /// Connected subgraphs of 1 to k nodes; k from 1 to 5.
    pub fn new(k: usize) -> Result<Self> {
        Self::FACTS.check("k", k as f64)?;
        Ok(SubgraphMatching { k, connected: true, ignore: Ignore::default() })
    }

    /// Whether only connected subgraphs count, or all.
    #[must_use]
    pub fn connected(mut self, connected: bool) -> Self {
        self.connected = connected;
        self
    }

    /// Sets the features of graphs to ignore.
    #[must_use]
    pub fn ignoring(mut self, ignore: Ignore) -> Self {
        self.ignore = ignore;
        self
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "subgraph-matching",
        summary: "Number of isomorphisms between subgraphs of up to k nodes, with labels and edges.",
        formula: "Σ_F |Aut(F)| · #F(G) · #F(H), F over labelled graphs of 1 to k nodes",
        takes: "graphs with labels of nodes and edges or none; direction",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "k",
                default: "3",
                domain: Domain::Whole(1, MOST as u64),
                doc: "maximum size of a subgraph",
                alias: None,
            },
            switch("connected", "yes", "count connected subgraphs only"),
            Ignore::PARAMETER,
        ],
        cost: "per graph all sets of up to k nodes; per pair a merge of counts",
        reference: "Kriege & Mutzel 2012, Subgraph matching kernels for attributed graphs",
        example: "subgraph-matching(k=4)",
    };
}

declared!(SubgraphMatching { k, connected, ignore });

impl OnGraphs for SubgraphMatching {
    fn graph_features(&self) -> GraphFeatures {
        GraphFeatures {
            node_labels: FeatureUse::Used,
            edge_labels: FeatureUse::Used,
            direction: FeatureUse::Used,
            ..GraphFeatures::STRUCTURE
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Counting for SubgraphMatching {
    type Objects = [Graph];

    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        let n = graph.nodes();
        let sets = (1..=self.k as u64).fold((0u64, 1u64), |(sum, choose), i| {
            let choose = choose.saturating_mul((n as u64 + 1).saturating_sub(i)) / i;
            (sum.saturating_add(choose), choose)
        });
        if !self.connected && sets.0 > MOST_SETS {
            return Err(too_many(n, self.k));
        }
        let mut census = Census::of(graph);
        if self.connected {
            census.connected(self.k)?
        } else {
            census.all(self.k, 0)
        };
        census.into_bag(bag);
        Ok(())
    }
}

fn too_many(nodes: usize, k: usize) -> Error {
    Error::usage(format!(
        "a graph of {nodes} nodes has more than {MOST_SETS} subgraphs of up to {k} nodes: lower k, or use connected subgraphs only"
    ))
}

/// A subgraph as found: the numbers of its node and arc contents within the graph.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
struct Form {
    nodes: [u32; MOST],
    /// `arcs[i][j]` is the arc from i to j; 0 if there is none.
    arcs: [[u32; MOST]; MOST],
    size: u8,
}

/// The counts of one graph's subgraphs.
struct Census<'g> {
    graph: &'g Graph,
    /// The content of each node, including its loop: an index into `node_hashes`.
    nodes: Vec<u32>,
    node_hashes: Vec<u128>,
    /// The content of each arc: an index into `arc_hashes`, from 1.
    arcs: Vec<u32>,
    arc_hashes: Vec<u128>,
    chosen: Vec<usize>,
    form: Form,
    found: HashMap<Form, u64>,
    looked: u64,
}

/// Numbers hashes in order of first appearance.
fn number(hashes: impl Iterator<Item = u128>, first: u32) -> (Vec<u32>, Vec<u128>) {
    let (mut known, mut list) = (HashMap::new(), Vec::new());
    let numbers = hashes.map(|hash| {
        *known.entry(hash).or_insert_with(|| {
            list.push(hash);
            first + list.len() as u32 - 1
        })
    });
    (numbers.collect(), list)
}

impl<'g> Census<'g> {
    fn of(graph: &'g Graph) -> Self {
        let looped = |i: usize| match arc(graph, i, i) {
            Some(place) => join(&[hash_of(graph.node_labels(), i), hash_of(graph.edge_labels(), place)]),
            None => hash_of(graph.node_labels(), i),
        };
        let (nodes, node_hashes) = number((0..graph.nodes()).map(looped), 0);
        let count = graph.nodes().checked_sub(1).map_or(0, |last| graph.outgoing(last).end);
        let (arcs, arc_hashes) = number((0..count).map(|a| hash_of(graph.edge_labels(), a)), 1);
        Census {
            graph,
            nodes,
            node_hashes,
            arcs,
            arc_hashes,
            chosen: Vec::with_capacity(MOST),
            form: Form::default(),
            found: HashMap::new(),
            looked: 0,
        }
    }

    /// Adds a node to the current subgraph and counts it.
    fn push(&mut self, node: usize) {
        let at = self.chosen.len();
        self.form.nodes[at] = self.nodes[node];
        for (i, &other) in self.chosen.iter().enumerate() {
            let carried = |from, to| arc(self.graph, from, to).map_or(0, |place| self.arcs[place]);
            self.form.arcs[i][at] = carried(other, node);
            self.form.arcs[at][i] = carried(node, other);
        }
        self.chosen.push(node);
        self.form.size = at as u8 + 1;
        *self.found.entry(self.form).or_default() += 1;
        self.looked += 1;
    }

    fn pop(&mut self) {
        self.chosen.pop();
        let at = self.chosen.len();
        self.form.nodes[at] = 0;
        self.form.arcs[at] = [0; MOST];
        self.form.arcs.iter_mut().for_each(|row| row[at] = 0);
        self.form.size = at as u8;
    }

    /// Visits every set that adds nodes from `first` on to the current subgraph.
    fn all(&mut self, k: usize, first: usize) {
        for node in first..self.nodes.len() {
            if budget::is_spent_after(64) {
                return;
            }
            self.push(node);
            if self.chosen.len() < k {
                self.all(k, node + 1);
            }
            self.pop();
        }
    }

    /// Every connected set, once (Wernicke 2006).
    fn connected(&mut self, k: usize) -> Result<()> {
        let n = self.nodes.len();
        let mut around: Vec<Vec<usize>> = vec![Vec::new(); n];
        for (a, b) in self.graph.arcs().filter(|(a, b)| a != b) {
            around[a as usize].push(b as usize);
            around[b as usize].push(a as usize);
        }
        around.iter_mut().for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        let mut seen = vec![false; n];
        for root in 0..n {
            budget::check_after(64 + 4 * around[root].len())?;
            self.push(root);
            seen[root] = true;
            let next: Vec<usize> = around[root].iter().copied().filter(|&v| v > root).collect();
            next.iter().for_each(|&v| seen[v] = true);
            self.grow(k, root, next.clone(), &around, &mut seen)?;
            next.iter().for_each(|&v| seen[v] = false);
            seen[root] = false;
            self.pop();
        }
        Ok(())
    }

    /// Adds each node of `next`, and then the nodes that it reaches first. `seen` holds all of these.
    fn grow(
        &mut self,
        k: usize,
        root: usize,
        mut next: Vec<usize>,
        around: &[Vec<usize>],
        seen: &mut [bool],
    ) -> Result<()> {
        if self.chosen.len() == k {
            return Ok(());
        }
        if self.looked > MOST_SETS {
            return Err(too_many(self.nodes.len(), k));
        }
        while let Some(node) = next.pop() {
            budget::check_after(64 + 4 * around[node].len() + next.len())?;
            self.push(node);
            let reached: Vec<usize> =
                around[node].iter().copied().filter(|&v| v > root && !seen[v]).collect();
            reached.iter().for_each(|&v| seen[v] = true);
            let all = next.iter().chain(&reached).copied().collect();
            self.grow(k, root, all, around, seen)?;
            reached.iter().for_each(|&v| seen[v] = false);
            self.pop();
        }
        Ok(())
    }

    /// Adds every type to the bag, once for each of its automorphisms and under a separate key each. Products of counts
    /// then add up to the number of isomorphisms, in whole numbers.
    fn into_bag(self, bag: &mut Bag) {
        for (form, &count) in &self.found {
            if budget::is_spent_after(1 << 10) {
                return;
            }
            let (hash, automorphisms) = self.canonical(form);
            (0..automorphisms).for_each(|i| bag.add_many(join(&[hash, i]), count));
        }
    }

    /// A hash that is equal exactly for isomorphic subgraphs, and the number of automorphisms.
    fn canonical(&self, form: &Form) -> (u128, u128) {
        let size = form.size as usize;
        let mut order: Vec<usize> = (0..size).collect();
        let (mut best, mut ties): (Vec<u128>, u128) = (Vec::new(), 0);
        permute(&mut order, 0, &mut |order| {
            let node = |i: usize| self.node_hashes[form.nodes[i] as usize];
            let arc = |i: usize, j: usize| match form.arcs[i][j] {
                0 => 0,
                number => self.arc_hashes[number as usize - 1],
            };
            let nodes = order.iter().map(|&i| node(i));
            let arcs = order.iter().flat_map(|&i| order.iter().map(move |&j| (i, j)));
            let text: Vec<u128> = nodes.chain(arcs.map(|(i, j)| arc(i, j))).collect();
            match ties > 0 && best <= text {
                true if best < text => {}
                true => ties += 1,
                false => (best, ties) = (text, 1),
            }
        });
        (join(&best), ties)
    }
}

/// The index of an arc.
fn arc(graph: &Graph, from: usize, to: usize) -> Option<usize> {
    let at = graph.neighbours(from).binary_search(&(to as u32)).ok()?;
    Some(graph.outgoing(from).start + at)
}

/// Calls `each` with every permutation of the entries after `fixed`.
fn permute(order: &mut [usize], fixed: usize, each: &mut impl FnMut(&[usize])) {
    if fixed + 1 >= order.len() {
        return each(order);
    }
    for i in fixed..order.len() {
        order.swap(fixed, i);
        permute(order, fixed + 1, each);
        order.swap(fixed, i);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{gram, random_graphs, renumbered};
    use super::*;
    use crate::random::Random;

    /// Every one-to-one map that preserves labels and edges, grown pair by pair: cliques of the product graph.
    fn matches(g: &Graph, h: &Graph, k: usize, connected: bool) -> f64 {
        let label = |g: &Graph, i: usize| g.node_labels().map(|l| l.get(i).to_owned());
        let carried = |g: &Graph, i: usize, j: usize| {
            arc(g, i, j).map(|a| g.edge_labels().map(|l| l.get(a).to_owned()))
        };
        let mut pairs = Vec::new();
        for i in 0..g.nodes() {
            for j in 0..h.nodes() {
                if label(g, i) == label(h, j) && carried(g, i, i) == carried(h, j, j) {
                    pairs.push((i, j));
                }
            }
        }
        let fits = |(i, j): (usize, usize), (p, q): (usize, usize)| {
            i != p && j != q && carried(g, i, p) == carried(h, j, q) && carried(g, p, i) == carried(h, q, j)
        };
        let linked = |set: &[(usize, usize)]| {
            let mut reached = vec![set[0].0];
            loop {
                let joined = |i: usize| reached.iter().any(|&r| arc(g, r, i).or(arc(g, i, r)).is_some());
                match set.iter().find(|(i, _)| !reached.contains(i) && joined(*i)) {
                    Some(&(i, _)) => reached.push(i),
                    None => return reached.len() == set.len(),
                }
            }
        };
        let mut total = 0.0;
        let mut stack: Vec<(Vec<(usize, usize)>, usize)> = vec![(Vec::new(), 0)];
        while let Some((set, first)) = stack.pop() {
            if !set.is_empty() && (!connected || linked(&set)) {
                total += 1.0;
            }
            if set.len() < k {
                for (at, &pair) in pairs.iter().enumerate().skip(first) {
                    if set.iter().all(|&other| fits(pair, other)) {
                        stack.push(([&set[..], &[pair]].concat(), at + 1));
                    }
                }
            }
        }
        total
    }

    #[test]
    fn agrees_with_cliques_of_the_product() {
        for directed in [false, true] {
            let graphs = random_graphs(5 + u64::from(directed), 7, 6, directed);
            for (k, connected) in [(1, false), (2, false), (3, true), (4, false), (4, true), (5, true)] {
                let kernel = SubgraphMatching::new(k).unwrap().connected(connected);
                let found = gram(&kernel, &graphs);
                for i in 0..graphs.len() {
                    for j in 0..=i {
                        let want = matches(&graphs[i], &graphs[j], k, connected);
                        assert_eq!(found.at(i, j), want, "{kernel} {i} {j}");
                    }
                }
            }
        }
    }

    #[test]
    fn numbering_of_nodes_does_not_matter() {
        let mut random = Random::new(9);
        let graphs = random_graphs(21, 8, 8, false);
        let others: Vec<Graph> = graphs.iter().map(|g| renumbered(g, &mut random)).collect();
        let kernel = SubgraphMatching::new(4).unwrap().connected(false);
        assert_eq!(gram(&kernel, &graphs), gram(&kernel, &others));
    }

    #[test]
    fn too_many_subgraphs_are_an_error() {
        let large = Graph::undirected(2000, &(1..2000).map(|i| (i - 1, i)).collect::<Vec<_>>()).unwrap();
        let prepare = |k: SubgraphMatching| crate::kernel::Kernel::prepare(&k, std::slice::from_ref(&large));
        assert!(prepare(SubgraphMatching::new(5).unwrap().connected(false)).is_err());
        assert!(prepare(SubgraphMatching::new(5).unwrap()).is_ok());
        assert!(SubgraphMatching::new(0).is_err() && SubgraphMatching::new(6).is_err());
    }
}
