//! The neighbourhood hash kernel.

use super::{FeatureUse, GRAPHS, GraphFeatures, Ignore, OnGraphs, hash_of, switch};
use crate::budget;
use crate::data::Graph;
use crate::error::Result;
use crate::kernel::counts::{Counts, fill_minima};
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, Prepared, declared};

/// The similarity of node neighbourhoods in two graphs, over several rounds of bitwise hashing.
///
/// In each round the hash of a node becomes its own hash, rotated by one bit, xor those of its neighbours. After round
/// r the graphs share c_r = Σ_f min(c_f(G), c_f(H)) nodes, and k(G, H) = 1/rounds · Σ_r c_r / (|G| + |H| - c_r): 1 for
/// equal graphs, 0 where nothing is shared or both are empty. With `counts=yes` neighbours with equal hashes do not
/// cancel: a hash that occurs m times enters once, modified by m.
///
/// Hashes have 128 bits, so chance collisions of labels, which occur with few bits, are practically excluded.
///
/// Cost: rounds·(nodes + arcs) per graph, and the shared hashes per pair.
///
/// ```
/// use mercer_core::{data::Graph, gram::Engine, kernel::graph::NeighbourhoodHash};
/// let (path, ring) = (Graph::undirected(3, &[(0, 1), (1, 2)])?, Graph::undirected(3, &[(0, 1), (1, 2), (2, 0)])?);
/// let k = Engine::new().gram(&NeighbourhoodHash::new(1)?.with_counts(true), &[path, ring][..])?;
/// assert_eq!(k.values(), [1.0, 0.2, 0.2, 1.0]); // the middle of the path has two neighbours, as all nodes of the ring
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// S. Hido and H. Kashima, *A linear-time graph kernel*, ICDM 2009.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeighbourhoodHash {
    rounds: usize,
    counts: bool,
    ignore: Ignore,
}

/// Prepared graphs: the hashes after each round, and the numbers of nodes.
#[derive(Debug)]
pub struct Hashed {
    rounds: Vec<Counts>,
    nodes: Vec<f64>,
}

impl Prepared for Hashed {
    fn len(&self) -> usize {
        self.nodes.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        let rounds = self.rounds.iter().map(|round| round.select(chosen)).collect();
        Hashed { rounds, nodes: self.nodes.select(chosen) }
    }
}

impl NeighbourhoodHash {
    /// The kernel with this number of rounds: 1 to 1000.
    pub fn new(rounds: usize) -> Result<Self> {
        Self::FACTS.check("rounds", rounds as f64)?;
        Ok(NeighbourhoodHash { rounds, counts: false, ignore: Ignore::Nothing })
    }

    /// Whether neighbours with equal hashes are counted or cancel in pairs.
    #[must_use]
    pub fn with_counts(self, counts: bool) -> Self {
        NeighbourhoodHash { counts, ..self }
    }

    /// Sets the features of graphs to ignore.
    #[must_use]
    pub fn ignoring(self, ignore: Ignore) -> Self {
        NeighbourhoodHash { ignore, ..self }
    }

    const ROUNDS: Parameter = Parameter {
        name: "rounds",
        default: "3",
        domain: Domain::Whole(1, 1000),
        doc: "number of rounds: radius of the hashed neighbourhood",
        alias: None,
    };

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "neighbourhood-hash",
        summary: "The share of nodes with equal neighbourhood hashes, averaged over rounds.",
        formula: "1/R · Σ_{r=1..R} c_r / (|G| + |H| - c_r), c_r = Σ_f min(c_f(G_r), c_f(H_r))",
        takes: "graphs with node labels, or none",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Self::ROUNDS,
            switch("counts", "no", "count equal neighbours; otherwise they cancel in pairs"),
            Ignore::PARAMETER,
        ],
        cost: "the shared hashes for each round",
        reference: "Hido & Kashima 2009, A linear-time graph kernel",
        example: "neighbourhood-hash(rounds=3, counts=yes)",
    };

    /// The hashes of all nodes after one more round.
    fn step(&self, graph: &Graph, hashes: &[u128]) -> Vec<u128> {
        let mut around = Vec::new();
        let mixed = |i: usize| {
            if budget::is_spent_after(4 + 8 * graph.neighbours(i).len()) {
                return 0;
            }
            let own = hashes[i].rotate_left(1);
            let neighbours = graph.neighbours(i).iter().map(|&j| hashes[j as usize]);
            if !self.counts {
                return neighbours.fold(own, |all, hash| all ^ hash);
            }
            around.clear();
            around.extend(neighbours);
            around.sort_unstable();
            around.chunk_by(|a, b| a == b).fold(own, |all, run| {
                let times = run.len();
                all ^ (run[0] ^ times as u128).rotate_left((times % 128) as u32)
            })
        };
        (0..graph.nodes()).map(mixed).collect()
    }
}

declared!(NeighbourhoodHash { rounds, counts, ignore });

impl OnGraphs for NeighbourhoodHash {
    fn graph_features(&self) -> GraphFeatures {
        GraphFeatures {
            node_labels: FeatureUse::Used,
            direction: FeatureUse::Used,
            ..GraphFeatures::STRUCTURE
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Kernel<[Graph]> for NeighbourhoodHash {
    type Prepared = Hashed;

    fn prepare(&self, graphs: &[Graph]) -> Result<Hashed> {
        let graphs = self.admit(graphs)?;
        let labels = |g: &Graph| (0..g.nodes()).map(|i| hash_of(g.node_labels(), i)).collect::<Vec<_>>();
        let mut hashes: Vec<Vec<u128>> = graphs.iter().map(labels).collect();
        let mut rounds = Vec::with_capacity(self.rounds);
        for _ in 0..self.rounds {
            hashes = graphs.iter().zip(&hashes).map(|(g, h)| self.step(g, h)).collect();
            budget::check()?;
            rounds.push(Counts::collect(graphs.len(), |i, bag| {
                bag.extend(&hashes[i]);
                Ok(())
            })?);
        }
        Ok(Hashed { rounds, nodes: graphs.iter().map(|g| g.nodes() as f64).collect() })
    }

    fn fill(&self, rows: Part<'_, Hashed>, cols: Part<'_, Hashed>, out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        let mut shared = vec![0.0; out.len()];
        for (a, b) in rows.set.rounds.iter().zip(&cols.set.rounds) {
            fill_minima(&Part::new(a, rows.range.clone()), &Part::new(b, cols.range.clone()), &mut shared);
            let mut entries = out.iter_mut().zip(&shared);
            for n in &rows.set.nodes[rows.range.clone()] {
                for (m, (v, c)) in cols.set.nodes[cols.range.clone()].iter().zip(&mut entries) {
                    let all = n + m - c;
                    *v += if all > 0.0 { c / all } else { 0.0 };
                }
            }
        }
        out.iter_mut().for_each(|v| *v /= self.rounds as f64);
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Hashed>, out: &mut [f64]) -> Result<()> {
        let nodes = &of.set.nodes[of.range.clone()];
        out.iter_mut().zip(nodes).for_each(|(v, n)| *v = if *n > 0.0 { 1.0 } else { 0.0 });
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}
