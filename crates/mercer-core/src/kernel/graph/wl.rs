//! The Weisfeiler–Lehman kernels.

use super::shortest_path::{count_paths, describe_paths};
use super::{
    FeatureUse, GRAPHS, GraphFeatures, Ignore, OnGraphs, edge_hash, edge_name, edges, hash_of, name_of,
    switch,
};
use crate::budget;
use crate::data::{Dense, Graph};
use crate::error::Result;
use crate::gram::Engine;
use crate::kernel::counts::{Bag, Counting, Counts, Describe, Visit};
use crate::kernel::{Definiteness, Domain, Facts, OneOf, Parameter, declared};
use crate::parallel;

/// What is counted with the labels of each round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Base {
    /// Nodes: the label of a node represents the subtree around it.
    #[default]
    Subtree,
    /// Edges with the labels of their ends.
    Edge,
    /// Pairs of nodes with the length of the shortest path between them.
    ShortestPath,
}

/// The Weisfeiler–Lehman kernel: counts pairs of nodes whose neighbourhoods of radius up to `h` cannot be
/// distinguished.
///
/// In each of h rounds a node's label is replaced by one that represents its label and the labels of its neighbours.
/// Before the first round and after each, equal labels are counted: k(G, H) = Σ_{i ≤ h} base(G_i, H_i).
/// [`Base::Subtree`] counts pairs of nodes with equal labels.
///
/// A label is a 128-bit hash of its content, so that graphs from different sets are comparable. In a directed graph a
/// node's neighbours are the targets of its arcs. With edge labels each neighbour is combined with the label of its
/// edge.
///
/// Cost: h·(nodes + arcs·log degree) per graph, and the shared features per pair.
///
/// ```
/// use mercer_core::{data::Graph, gram::Engine, kernel::graph::WeisfeilerLehman};
/// let (path, ring) = (Graph::undirected(3, &[(0, 1), (1, 2)])?, Graph::undirected(3, &[(0, 1), (1, 2), (2, 0)])?);
/// let k = Engine::new().gram(&WeisfeilerLehman::new(1)?, &[path, ring][..])?;
/// // At first all labels are equal; after one round, one node of the path has two neighbours like all of the ring.
/// assert_eq!(k.values(), [9.0 + 5.0, 9.0 + 3.0, 9.0 + 3.0, 9.0 + 9.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// N. Shervashidze, P. Schweitzer, E. J. van Leeuwen, K. Mehlhorn and K. M. Borgwardt, *Weisfeiler-Lehman graph
/// kernels*, JMLR 12, 2011.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WeisfeilerLehman {
    h: usize,
    edge_labels: bool,
    base: Base,
    ignore: Ignore,
}

/// Maximum number of rounds: more distinguish no more nodes in any graph that fits in memory, but each has the same
/// cost.
pub(crate) const MOST_ROUNDS: u64 = 1000;

impl WeisfeilerLehman {
    /// The subtree kernel with this number of rounds: 0 to 1000.
    pub fn new(h: usize) -> Result<Self> {
        Self::ROUNDS.check(h as f64)?;
        Ok(WeisfeilerLehman { h, edge_labels: false, base: Base::Subtree, ignore: Ignore::Nothing })
    }

    /// Whether edge labels are used.
    #[must_use]
    pub fn with_edge_labels(self, edge_labels: bool) -> Self {
        WeisfeilerLehman { edge_labels, ..self }
    }

    /// Sets what is counted in each round.
    #[must_use]
    pub fn with_base(self, base: Base) -> Self {
        WeisfeilerLehman { base, ..self }
    }

    /// Sets the features of graphs to ignore.
    #[must_use]
    pub fn ignoring(self, ignore: Ignore) -> Self {
        WeisfeilerLehman { ignore, ..self }
    }

    /// Calls the function with the Gram matrices of 0, 1, …, h rounds, from one pass over the graphs: each round adds
    /// its own features.
    ///
    /// ```
    /// use mercer_core::{data::{Dense, Graph}, gram::Engine, kernel::graph::WeisfeilerLehman};
    /// let graphs = [Graph::undirected(3, &[(0, 1), (1, 2)])?, Graph::undirected(2, &[(0, 1)])?];
    /// let mut values = Vec::new();
    /// WeisfeilerLehman::new(2)?.each_gram(&graphs, &Engine::new(), |_, k: &Dense| values.push(k.at(0, 1)))?;
    /// assert_eq!(values, [6.0, 6.0 + 4.0, 6.0 + 4.0]);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn each_gram(
        &self,
        graphs: &[Graph],
        engine: &Engine,
        mut each: impl FnMut(usize, &Dense),
    ) -> Result<()> {
        let graphs = self.admit(graphs)?;
        let of_graph = |(i, graph): (usize, &Graph)| -> Result<Vec<Bag>> {
            let mut bags = Vec::with_capacity(self.h + 1);
            let done = rounds(graph, self.h, self.edge_labels, |labels| {
                let mut bag = Bag::default();
                self.count_round(graph, labels, &mut bag)?;
                bags.push(bag);
                Ok(())
            });
            done.map_err(|error| error.of_object(|_| i)).map(|()| bags)
        };
        let bags = engine.run(|| parallel::try_map(graphs.len(), |i| of_graph((i, &graphs[i]))))?;
        let mut sum: Option<Dense> = None;
        (0..=self.h).try_for_each(|round| {
            let counts = engine.run(|| {
                Counts::collect(graphs.len(), |i, bag| {
                    bag.merge(&bags[i][round]);
                    Ok(())
                })
            })?;
            let own: Dense = engine.gram_of::<[Graph], _, f64>(self, &counts)?;
            let total = match sum.take() {
                Some(mut total) => {
                    total.values_mut().iter_mut().zip(own.values()).for_each(|(a, b)| *a += b);
                    total
                }
                None => own,
            };
            each(round, &total);
            sum = Some(total);
            Ok(())
        })
    }

    /// The number of rounds, and whether edge labels are used.
    pub(super) fn settings(&self) -> (usize, bool) {
        (self.h, self.edge_labels)
    }

    /// The parameter h.
    pub(super) const ROUNDS: Parameter = Parameter {
        name: "h",
        default: "3",
        domain: Domain::Whole(0, MOST_ROUNDS),
        doc: "number of rounds: radius of the neighbourhoods",
        alias: None,
    };

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "wl",
        summary: "Weisfeiler–Lehman: nodes with equal neighbourhoods of radius up to h.",
        formula: "Σ_{i=0..h} base(G_i, H_i), where G_0 = G and l_{i+1}(v) = (l_i(v), {l_i(u): u ~ v})",
        takes: "graphs with node labels or none, with edge-labels=yes edge labels too",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Self::ROUNDS,
            switch("edge-labels", "no", "use edge labels to distinguish neighbours"),
            Parameter {
                name: "base",
                default: "subtree",
                domain: Domain::Word(Base::WORDS),
                doc: "what each round counts: nodes, edges with their ends, or shortest paths with their ends",
                alias: None,
            },
            Ignore::PARAMETER,
        ],
        cost: "the shared features",
        reference: "Shervashidze et al. 2011, Weisfeiler-Lehman graph kernels",
        example: "wl(h=5, edge-labels=yes)",
    };
}

impl OneOf for Base {
    const WORDS: &'static [&'static str] = &["subtree", "edge", "shortest-path"];
    const ALL: &'static [Base] = &[Base::Subtree, Base::Edge, Base::ShortestPath];
}

declared!(WeisfeilerLehman { h, edge_labels, base, ignore });

impl OnGraphs for WeisfeilerLehman {
    fn graph_features(&self) -> GraphFeatures {
        GraphFeatures {
            node_labels: FeatureUse::Used,
            edge_labels: FeatureUse::switch(self.edge_labels, "edge-labels=yes"),
            weights: match self.base {
                Base::ShortestPath => FeatureUse::Used,
                _ => FeatureUse::Unsupported,
            },
            direction: FeatureUse::Used,
            ..GraphFeatures::STRUCTURE
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Counting for WeisfeilerLehman {
    type Objects = [Graph];

    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        let needed = budget::matrix_bytes(graph.nodes(), self.h + 1, 2 * size_of::<u128>());
        budget::ask("the labels of all rounds", needed)?;
        rounds(graph, self.h, self.edge_labels, |labels| self.count_round(graph, labels, bag))
    }
}

impl Describe for WeisfeilerLehman {
    fn describe(&self, graph: &Graph, visit: Visit<'_>) -> Result<()> {
        let mut texts = Texts::new(graph, self.edge_labels);
        let mut round = 0;
        rounds(graph, self.h, self.edge_labels, |labels| {
            if round > 0 {
                texts.step();
            }
            let text = |i: usize| texts.get(i, labels[i]);
            match self.base {
                Base::Subtree => (0..labels.len()).for_each(|i| {
                    visit(labels[i], &ball(graph, i, round), &|| text(i));
                }),
                Base::Edge => edges(graph).for_each(|(a, b, place)| {
                    let edge = graph.edge_labels().filter(|_| self.edge_labels).map(|l| l.get(place));
                    visit(self.edge_with_ends(graph, labels, (a, b, place)), &[a as u32, b as u32], &|| {
                        edge_name(graph.is_directed(), &text(a), edge, &text(b))
                    });
                }),
                Base::ShortestPath => {
                    let name = |a, length, b| format!("{}-{length}-{}", text(a), text(b));
                    describe_paths(graph, labels, visit, name)?;
                }
            }
            round += 1;
            budget::check()
        })
    }
}

impl WeisfeilerLehman {
    /// Counts with the labels of one round.
    fn count_round(&self, graph: &Graph, labels: &[u128], bag: &mut Bag) -> Result<()> {
        match self.base {
            Base::Subtree => bag.extend(labels),
            Base::Edge => edges(graph).for_each(|edge| bag.add(self.edge_with_ends(graph, labels, edge))),
            Base::ShortestPath => count_paths(graph, labels, bag)?,
        }
        Ok(())
    }

    /// The hash of an edge with the labels of its ends in a round.
    fn edge_with_ends(&self, graph: &Graph, labels: &[u128], (a, b, place): (usize, usize, usize)) -> u128 {
        let edge = hash_of(graph.edge_labels().filter(|_| self.edge_labels), place);
        edge_hash(graph.is_directed(), labels[a], edge, labels[b])
    }
}

/// The node and all nodes within this many steps, ordered by the number of steps.
fn ball(graph: &Graph, centre: usize, steps: usize) -> Vec<u32> {
    let (mut nodes, mut from) = (vec![centre as u32], 0);
    for _ in 0..steps {
        let to = nodes.len();
        for at in from..to {
            for &j in graph.neighbours(nodes[at] as usize) {
                if !nodes.contains(&j) {
                    nodes.push(j);
                }
            }
        }
        from = to;
    }
    nodes
}

/// The explicit text of labels: `C(C,N)` after the first round, `C(C(C,O),N(C))` after the second.
struct Texts<'g> {
    graph: &'g Graph,
    edge_labels: bool,
    texts: Vec<String>,
}

/// Texts are cut at this many bytes and then end in part of the hash.
const LONGEST: usize = 72;

impl<'g> Texts<'g> {
    fn new(graph: &'g Graph, edge_labels: bool) -> Self {
        let texts = (0..graph.nodes()).map(|i| name_of(graph.node_labels(), i).to_owned()).collect();
        Texts { graph, edge_labels, texts }
    }

    /// The texts of the next round. A text that is already too long is cut again, so that texts do not grow without
    /// limit.
    fn step(&mut self) {
        let g = self.graph;
        let labels = g.edge_labels().filter(|_| self.edge_labels);
        let next = (0..g.nodes()).map(|i| {
            let mut around: Vec<String> = g
                .outgoing(i)
                .map(|place| {
                    let text = &self.texts[g.target(place) as usize];
                    labels.map_or_else(|| text.clone(), |l| format!("{}:{text}", l.get(place)))
                })
                .collect();
            around.sort_unstable();
            let mut text = format!("{}({})", name_of(g.node_labels(), i), around.join(","));
            shorten(&mut text, 2 * LONGEST);
            text
        });
        self.texts = next.collect();
    }

    fn get(&self, i: usize, hash: u128) -> String {
        let mut text = self.texts[i].clone();
        if shorten(&mut text, LONGEST) {
            text.push_str(&format!("…#{:08x}", hash as u32));
        }
        text
    }
}

/// Cuts a text between two characters; returns whether it was too long.
fn shorten(text: &mut String, longest: usize) -> bool {
    let long = text.len() > longest;
    if long {
        text.truncate(text.floor_char_boundary(longest));
    }
    long
}

/// Calls a function with the labels of all nodes before the first round and after each.
pub(super) fn rounds(
    graph: &Graph,
    h: usize,
    edge_labels: bool,
    mut each: impl FnMut(&[u128]) -> Result<()>,
) -> Result<()> {
    let mut labels: Vec<u128> = (0..graph.nodes()).map(|i| hash_of(graph.node_labels(), i)).collect();
    each(&labels)?;
    let mut next = Vec::with_capacity(labels.len());
    let mut signature = Signature::default();
    let with_edges = graph.edge_labels().filter(|_| edge_labels);
    for _ in 0..h {
        next.clear();
        for i in 0..graph.nodes() {
            budget::check_after(32 + 16 * graph.neighbours(i).len())?;
            let arcs = graph.outgoing(i).zip(graph.neighbours(i));
            next.push(match with_edges {
                None => signature.of(labels[i], graph.neighbours(i).iter().map(|&j| labels[j as usize])),
                Some(own) => signature
                    .of_pairs(labels[i], arcs.map(|(place, &j)| (own.hash(place), labels[j as usize]))),
            });
        }
        std::mem::swap(&mut labels, &mut next);
        each(&labels)?;
    }
    Ok(())
}

/// Makes a label from a node's label and its neighbours' labels in ascending order, so that their order does not
/// matter.
#[derive(Default)]
struct Signature {
    around: Vec<u128>,
    pairs: Vec<(u128, u128)>,
    bytes: Vec<u8>,
}

impl Signature {
    fn of(&mut self, own: u128, around: impl Iterator<Item = u128>) -> u128 {
        self.around.clear();
        self.around.extend(around);
        self.around.sort_unstable();
        self.bytes.clear();
        self.bytes.extend_from_slice(&own.to_le_bytes());
        self.around.iter().for_each(|hash| self.bytes.extend_from_slice(&hash.to_le_bytes()));
        xxhash_rust::xxh3::xxh3_128(&self.bytes)
    }

    fn of_pairs(&mut self, own: u128, around: impl Iterator<Item = (u128, u128)>) -> u128 {
        self.pairs.clear();
        self.pairs.extend(around);
        self.pairs.sort_unstable();
        self.bytes.clear();
        self.bytes.extend_from_slice(&own.to_le_bytes());
        for (edge, node) in &self.pairs {
            self.bytes.extend_from_slice(&edge.to_le_bytes());
            self.bytes.extend_from_slice(&node.to_le_bytes());
        }
        xxhash_rust::xxh3::xxh3_128(&self.bytes)
    }
}
