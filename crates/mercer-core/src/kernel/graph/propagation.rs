//! The propagation kernel.

use super::{FeatureUse, GRAPHS, GraphFeatures, Ignore, OnGraphs, hash_of, join, switch};
use crate::budget;
use crate::data::Graph;
use crate::error::{Error, Result};
use crate::kernel::counts::{Bag, Counting, Describe, Visit};
use crate::kernel::{Definiteness, Domain, Facts, OneOf, Parameter, declared};
use crate::random::{Random, derive_seed};

/// The distance between label distributions that bins preserve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// Total variation.
    #[default]
    Tv,
    /// The Hellinger distance.
    Hellinger,
}

/// Counts nodes whose label distributions fall into the same bin while labels propagate over the graph.
///
/// Each node begins with its own label. In each of t steps it takes the mean of the distributions of its neighbours,
/// weighted by the edges; a node without neighbours keeps its own. Before the first step and after each, distributions
/// are put into bins of width w along a random line. k(G, H) counts pairs of nodes in the same bin, summed over the
/// steps.
///
/// The line has a random coordinate for each label, drawn from the hash of the label and the seed. So nothing is
/// fitted, and unseen labels have coordinates too. Coordinates are Cauchy for total variation and normal for the
/// Hellinger distance, which compares the square roots of shares. With `attributes=yes` node attributes propagate in
/// the same way and are put into bins of width `wa` along separate lines. Cauchy coordinates preserve the sum of
/// differences, normal ones the Euclidean distance. Nodes must agree in both bins.
///
/// Sums over neighbours are taken in ascending order, so that the result does not depend on the numbering of the nodes.
///
/// Cost: t²·arcs per graph (t·arcs·labels for the Hellinger distance), and the shared bins per pair.
///
/// ```
/// use mercer_core::{data::{Graph, Labels}, gram::Engine, kernel::graph::Propagation};
/// let path = |labels: [&str; 3]| {
///     Graph::undirected(3, &[(0, 1), (1, 2)])?.with_node_labels(Labels::from_names(labels))
/// };
/// let k = Engine::new().gram(&Propagation::new(0, 0.01)?, &[path(["C", "C", "O"])?, path(["C", "O", "N"])?][..])?;
/// assert_eq!(k.values(), [5.0, 3.0, 3.0, 3.0]); // without a step: the histogram of labels
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// M. Neumann, R. Garnett, C. Bauckhage and K. Kersting, *Propagation kernels: efficient graph kernels from propagated
/// information*, Machine Learning 102, 2016.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Propagation {
    t: usize,
    w: f64,
    metric: Metric,
    attributes: bool,
    /// The width of the bins for attributes.
    wa: f64,
    seed: u64,
    ignore: Ignore,
}

impl Propagation {
    /// The kernel of t steps, 0 to 100, and bins of width w, above 0.
    pub fn new(t: usize, w: f64) -> Result<Self> {
        Self::FACTS.check("t", t as f64)?;
        Self::FACTS.check("w", w)?;
        Ok(Propagation {
            t,
            w,
            metric: Metric::Tv,
            attributes: false,
            wa: 1.0,
            seed: 0,
            ignore: Ignore::Nothing,
        })
    }

    /// Sets the distance that bins preserve.
    #[must_use]
    pub fn with_metric(self, metric: Metric) -> Self {
        Propagation { metric, ..self }
    }

    /// Whether attributes are used, and the width of their bins, above 0.
    pub fn with_attributes(self, attributes: bool, wa: f64) -> Result<Self> {
        Self::FACTS.check("wa", wa)?;
        Ok(Propagation { attributes, wa, ..self })
    }

    /// Sets the seed of the random lines.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Propagation { seed, ..self }
    }

    /// Sets the features of graphs to ignore.
    #[must_use]
    pub fn ignoring(self, ignore: Ignore) -> Self {
        Propagation { ignore, ..self }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "propagation",
        summary: "Nodes with similar label distributions while labels propagate over the graph.",
        formula: "Σ_{s=0..t} |{(u, v) ∈ G × H: bin(P_s(u)) = bin(P_s(v))}|, P_{s+1}(u) = mean of P_s over the neighbours of u",
        takes: "graphs with node labels or none; weights; with attributes=yes node attributes",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "t",
                default: "4",
                // After more steps, labels are spread evenly.
                domain: Domain::Whole(0, 100),
                doc: "number of propagation steps",
                alias: None,
            },
            Parameter {
                name: "w",
                default: "0.01",
                domain: Domain::Positive,
                doc: "width of the bins for distributions",
                alias: None,
            },
            Parameter {
                name: "metric",
                default: "tv",
                domain: Domain::Word(Metric::WORDS),
                doc: "distance that bins preserve: total variation or Hellinger",
                alias: None,
            },
            switch("attributes", "no", "propagate node attributes and require equal bins for them too"),
            Parameter {
                name: "wa",
                default: "1",
                domain: Domain::Positive,
                doc: "width of the bins for attributes",
                alias: None,
            },
            Parameter {
                name: "seed",
                default: "0",
                domain: Domain::Whole(0, 1 << 53),
                doc: "random seed for the lines",
                alias: None,
            },
            Ignore::PARAMETER,
        ],
        cost: "the shared bins",
        reference: "Neumann, Garnett, Bauckhage & Kersting 2016, Propagation kernels",
        example: "propagation(t=4, w=0.01)",
    };

    /// Calls `each` with the bin of every node before the first step and after each.
    fn bins(&self, graph: &Graph, mut each: impl FnMut(usize, &[u128])) -> Result<()> {
        let spread = Spread::new(graph)?;
        let hashes: Vec<u128> = (0..graph.nodes()).map(|i| hash_of(graph.node_labels(), i)).collect();
        let mut labels = hashes.clone();
        labels.sort_unstable();
        labels.dedup();
        let rows = graph.node_attributes().filter(|_| self.attributes);
        let dimensions = rows.map_or(0, crate::data::Dense::cols);
        let mut shares = match self.metric {
            Metric::Tv => Vec::new(),
            Metric::Hellinger => first_shares(&hashes, &labels)?,
        };
        for step in 0..=self.t {
            let of_labels = self.line(step, self.w, labels.iter().map(|&l| [l as u64, (l >> 64) as u64]));
            let places = match self.metric {
                // Projection is linear, so the projection of a mean is the mean of projections: one number per node
                // propagates, not one per label.
                Metric::Tv => {
                    let own = |hash: &u128| of_labels.coordinates[labels.partition_point(|l| l < hash)];
                    spread.steps(hashes.iter().map(own).collect(), step)
                }
                Metric::Hellinger => {
                    budget::check()?;
                    if step > 0 {
                        shares.iter_mut().for_each(|column| *column = spread.mean(column));
                    }
                    let place = |i: usize| match budget::is_spent_after(4 * shares.len()) {
                        true => 0.0,
                        false => of_labels.place(shares.iter().map(|column| column[i].sqrt())),
                    };
                    (0..graph.nodes()).map(place).collect()
                }
            };
            let of_attributes = self.line(step, self.wa, (0..dimensions as u64).map(|c| [c, 1]));
            let attributes = (0..graph.nodes())
                .map(|i| of_attributes.place(rows.map_or(&[][..], |r| r.row(i)).iter().copied()))
                .collect();
            let attributes = spread.steps(attributes, step);
            let both = places.iter().zip(&attributes);
            let bin = |(l, a): (&f64, &f64)| join(&[step as u128, of_labels.bin(*l), of_attributes.bin(*a)]);
            budget::check()?;
            each(step, &both.map(bin).collect::<Vec<u128>>());
        }
        Ok(())
    }

    /// The random line of a step, with a coordinate for each label or attribute, drawn from its identity.
    fn line(&self, step: usize, width: f64, names: impl Iterator<Item = [u64; 2]>) -> Line {
        let own = derive_seed(self.seed, step as u64);
        let cauchy = self.metric == Metric::Tv;
        let coordinate = |name: [u64; 2]| {
            let mut random = Random::new(name.iter().fold(own, |seed, part| derive_seed(seed, *part)));
            if cauchy { random.normal() / random.normal() } else { random.normal() }
        };
        Line { coordinates: names.map(coordinate).collect(), offset: Random::new(own).unit(), width }
    }
}

/// A random line cut into bins.
struct Line {
    coordinates: Vec<f64>,
    offset: f64,
    width: f64,
}

impl Line {
    /// The projection of a vector onto the line.
    fn place(&self, values: impl Iterator<Item = f64>) -> f64 {
        values.zip(&self.coordinates).map(|(v, u)| v * u).sum()
    }

    /// The bin of a position.
    fn bin(&self, place: f64) -> u128 {
        u128::from((place / self.width + self.offset).floor().to_bits())
    }
}

/// Maximum number of label shares stored for one graph: 1 GB.
const MOST_SHARES: usize = 1 << 27;

/// For each label its initial share at each node: 0 or 1.
fn first_shares(hashes: &[u128], labels: &[u128]) -> Result<Vec<Vec<f64>>> {
    if hashes.len().saturating_mul(labels.len()) > MOST_SHARES {
        return Err(Error::Object {
            index: 0,
            reason: format!(
                "{} nodes with {} labels: too many label shares for memory",
                hashes.len(),
                labels.len()
            ),
            hint: Some("metric=tv stores one number per node".into()),
        });
    }
    let needed = budget::matrix_bytes(hashes.len(), labels.len(), size_of::<f64>());
    budget::ask(&format!("shares of {} labels at {} nodes", labels.len(), hashes.len()), needed)?;
    let column = |l: &u128| {
        budget::check_after(hashes.len())?;
        Ok(hashes.iter().map(|h| f64::from(u8::from(h == l))).collect())
    };
    labels.iter().map(column).collect()
}

impl OneOf for Metric {
    const WORDS: &'static [&'static str] = &["tv", "hellinger"];
    const ALL: &'static [Metric] = &[Metric::Tv, Metric::Hellinger];
}

declared!(Propagation { t, w, metric, attributes, wa, seed, ignore });

impl OnGraphs for Propagation {
    fn graph_features(&self) -> GraphFeatures {
        GraphFeatures {
            node_labels: FeatureUse::Used,
            weights: FeatureUse::Used,
            direction: FeatureUse::Used,
            node_attributes: FeatureUse::switch(self.attributes, "attributes=yes"),
            ..GraphFeatures::STRUCTURE
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Counting for Propagation {
    type Objects = [Graph];

    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        self.bins(graph, |_, bins| bag.extend(bins))
    }
}

impl Describe for Propagation {
    fn describe(&self, graph: &Graph, visit: Visit<'_>) -> Result<()> {
        self.bins(graph, |step, bins| {
            for (i, &bin) in bins.iter().enumerate() {
                visit(bin, &[i as u32], &|| format!("step {step}, bin #{:08x}", bin as u32));
            }
        })
    }
}

/// The weights with which a node averages its neighbours' values.
struct Spread<'g> {
    graph: &'g Graph,
    /// The weight of each arc as a share of all arcs that leave its source.
    shares: Vec<f64>,
}

impl<'g> Spread<'g> {
    fn new(graph: &'g Graph) -> Result<Self> {
        let weight = |place: usize| graph.weights().map_or(1.0, |w| w[place]);
        if let Some(bad) = graph.weights().and_then(|w| w.iter().find(|w| **w < 0.0)) {
            return Err(Error::Object {
                index: 0,
                reason: format!("an edge has weight {bad}; propagation needs weights of at least 0"),
                hint: Some("use ignore=weights to give all edges the same weight".into()),
            });
        }
        let mut shares = Vec::with_capacity(graph.arcs().count());
        let mut sorted = Vec::new();
        for i in 0..graph.nodes() {
            sorted.clear();
            sorted.extend(graph.outgoing(i).map(weight));
            sorted.sort_unstable_by(f64::total_cmp);
            // Halving each weight keeps the sum of the largest numbers finite.
            let total: f64 = sorted.iter().map(|w| 0.5 * w).sum();
            shares.extend(
                graph.outgoing(i).map(|place| if total > 0.0 { 0.5 * weight(place) / total } else { 0.0 }),
            );
        }
        Ok(Spread { graph, shares })
    }

    /// The values after this number of steps.
    fn steps(&self, values: Vec<f64>, steps: usize) -> Vec<f64> {
        (0..steps).fold(values, |values, _| self.mean(&values))
    }

    /// The mean of the values over each node's neighbours; its own value if it has none.
    fn mean(&self, values: &[f64]) -> Vec<f64> {
        let mut terms = Vec::new();
        let mean = |i: usize| {
            terms.clear();
            let arcs = self.graph.outgoing(i);
            if budget::is_spent_after(4 + 8 * arcs.len()) {
                return 0.0;
            }
            if self.shares[arcs.clone()].iter().all(|s| *s == 0.0) {
                return values[i];
            }
            terms.extend(arcs.map(|place| self.shares[place] * values[self.graph.target(place) as usize]));
            terms.sort_unstable_by(f64::total_cmp);
            terms.iter().sum()
        };
        (0..self.graph.nodes()).map(mean).collect()
    }
}
