//! The propagation kernel.

use std::fmt;

use super::{Bag, Counting, Describe, GRAPHS, Honours, Ignore, OnGraphs, Regard, hash_of, join, switch, yes};
use crate::budget;
use crate::data::Graph;
use crate::error::{Error, Result};
use crate::kernel::{Definiteness, Domain, Facts, Parameter};
use crate::random::{Random, derive_seed};

/// The distance between distributions of labels that bins keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Metric {
    /// Total variation.
    #[default]
    Tv,
    /// Hellinger's distance.
    Hellinger,
}

/// Nodes whose distributions of labels fall into the same bin while labels spread over the graph.
///
/// Each node begins with its own label. In each of t steps it takes the mean of the distributions of its neighbours
/// (weighted by the edges; a node without any keeps its own). Before the first step and after each, distributions are put into
/// bins of width w along a random line, and k(G, H) counts pairs of nodes in one bin, added up over the steps.
///
/// The line has a random coordinate for each label, drawn from the label's own hash and the seed, so that nothing is fitted
/// and a label met for the first time has one too: Cauchy for total variation, normal for Hellinger's distance, which compares the roots of shares. With
/// `attributes=yes` the attributes of nodes spread the same way and are put into bins of width `wa` along lines of their own
/// (Cauchy coordinates keep the sum of differences, normal ones the Euclidean distance); nodes must agree in both bins.
///
/// Sums over neighbours are taken in ascending order, so that the numbering of the nodes does not matter.
///
/// Cost: t²·arcs per graph (t·arcs·labels for Hellinger's distance), and for each pair the bins both have.
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
    /// The width of bins of attributes.
    wa: f64,
    seed: u64,
    ignore: Ignore,
}

/// Labels that spread for longer are spread evenly.
const MOST_STEPS: Domain = Domain::Whole(0, 100);

impl Propagation {
    /// The kernel of t steps, 0 to 100, and bins of width w, above 0.
    pub fn new(t: usize, w: f64) -> Result<Self> {
        MOST_STEPS.check("t", t as f64)?;
        let w = Domain::Positive.check("w", w)?;
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

    /// The same kernel with bins for another distance.
    #[must_use]
    pub fn with_metric(self, metric: Metric) -> Self {
        Propagation { metric, ..self }
    }

    /// The same kernel with attributes in bins of such a width, above 0, or without regard to them.
    pub fn with_attributes(self, attributes: bool, wa: f64) -> Result<Self> {
        let wa = Domain::Positive.check("wa", wa)?;
        Ok(Propagation { attributes, wa, ..self })
    }

    /// The same kernel along other random lines.
    #[must_use]
    pub fn with_seed(self, seed: u64) -> Self {
        Propagation { seed, ..self }
    }

    /// The same kernel, passing over what graphs carry besides.
    #[must_use]
    pub fn ignoring(self, ignore: Ignore) -> Self {
        Propagation { ignore, ..self }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "propagation",
        summary: "Nodes whose distributions of labels are alike while labels spread over the graph.",
        formula: "Σ_{s=0..t} |{(u, v) ∈ G × H: bin(P_s(u)) = bin(P_s(v))}|, P_{s+1}(u) = mean of P_s around u",
        takes: "graphs with node labels or none; weights; with attributes=yes node attributes",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "t",
                default: "4",
                domain: MOST_STEPS,
                doc: "steps: how far labels spread",
                alias: None,
            },
            Parameter {
                name: "w",
                default: "0.01",
                domain: Domain::Positive,
                doc: "width of the bins of distributions",
                alias: None,
            },
            Parameter {
                name: "metric",
                default: "tv",
                domain: Domain::Word(&["tv", "hellinger"]),
                doc: "distance that bins keep: total variation, or Hellinger's",
                alias: None,
            },
            switch("attributes", "no", "whether the attributes of nodes spread and must agree too"),
            Parameter {
                name: "wa",
                default: "1",
                domain: Domain::Positive,
                doc: "width of the bins of attributes",
                alias: None,
            },
            Parameter {
                name: "seed",
                default: "0",
                domain: Domain::Whole(0, 1 << 53),
                doc: "which random lines",
                alias: None,
            },
            Ignore::PARAMETER,
        ],
        cost: "the bins both graphs have",
        reference: "Neumann, Garnett, Bauckhage & Kersting 2016, Propagation kernels",
        example: "propagation(t=4, w=0.01)",
    };

    /// Hands on the bin of every node before the first step and after each.
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
                // A mean of places is the place of the mean: one number spreads for each node, not one for each label.
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

    /// The line of a step, with a coordinate for each label or attribute, drawn by what it is.
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
    /// Where a vector stands on the line.
    fn place(&self, values: impl Iterator<Item = f64>) -> f64 {
        values.zip(&self.coordinates).map(|(v, u)| v * u).sum()
    }

    /// The bin of a place.
    fn bin(&self, place: f64) -> u128 {
        u128::from((place / self.width + self.offset).floor().to_bits())
    }
}

/// More shares of labels than this are not held for one graph: 1 GB.
const MOST_SHARES: usize = 1 << 27;

/// For each label the share it has at each node in the beginning: all or nothing.
fn first_shares(hashes: &[u128], labels: &[u128]) -> Result<Vec<Vec<f64>>> {
    if hashes.len().saturating_mul(labels.len()) > MOST_SHARES {
        return Err(Error::Object {
            index: 0,
            reason: format!("{} nodes with {} labels: too many shares to hold", hashes.len(), labels.len()),
            hint: Some("metric=tv holds one number for each node".into()),
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

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Metric::Tv => "tv",
            Metric::Hellinger => "hellinger",
        })
    }
}

impl fmt::Display for Propagation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Propagation { t, w, metric, attributes, wa, seed, ignore } = self;
        let attributes = yes(*attributes);
        write!(f, "propagation(t={t}, w={w}, metric={metric}, ")?;
        write!(f, "attributes={attributes}, wa={wa}, seed={seed}, ignore={ignore})")
    }
}

impl OnGraphs for Propagation {
    const NAME: &'static str = "propagation";

    fn honours(&self) -> Honours {
        Honours {
            node_labels: Regard::Honoured,
            weights: Regard::Honoured,
            direction: Regard::Honoured,
            node_attributes: Regard::switch(self.attributes, "attributes=yes"),
            ..Honours::STRUCTURE
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Counting for Propagation {
    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        self.bins(graph, |_, bins| bag.extend(bins))
    }

    fn describe(&self, graph: &Graph, visit: Describe<'_>) -> Result<()> {
        self.bins(graph, |step, bins| {
            for (i, &bin) in bins.iter().enumerate() {
                visit(bin, &[i as u32], &|| format!("step {step}, bin #{:08x}", bin as u32));
            }
        })
    }
}

/// How much of its neighbours' values a node takes.
struct Spread<'g> {
    graph: &'g Graph,
    /// The share of each arc among those that leave its source.
    shares: Vec<f64>,
}

impl<'g> Spread<'g> {
    fn new(graph: &'g Graph) -> Result<Self> {
        let weight = |place: usize| graph.weights().map_or(1.0, |w| w[place]);
        if let Some(bad) = graph.weights().and_then(|w| w.iter().find(|w| **w < 0.0)) {
            return Err(Error::Object {
                index: 0,
                reason: format!("an edge of weight {bad}: labels spread by weights of at least 0"),
                hint: Some("ignore=weights lets them spread evenly".into()),
            });
        }
        let mut shares = Vec::with_capacity(graph.arcs().count());
        let mut sorted = Vec::new();
        for i in 0..graph.nodes() {
            sorted.clear();
            sorted.extend(graph.outgoing(i).map(weight));
            sorted.sort_unstable_by(f64::total_cmp);
            // Half of each weight keeps the sum of the largest numbers finite.
            let total: f64 = sorted.iter().map(|w| 0.5 * w).sum();
            shares.extend(
                graph.outgoing(i).map(|place| if total > 0.0 { 0.5 * weight(place) / total } else { 0.0 }),
            );
        }
        Ok(Spread { graph, shares })
    }

    /// The values after so many steps.
    fn steps(&self, values: Vec<f64>, steps: usize) -> Vec<f64> {
        (0..steps).fold(values, |values, _| self.mean(&values))
    }

    /// The mean of the values around each node; its own where nothing is around.
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
