//! Random walks in two graphs at once.

mod form;
mod growth;
mod product;
mod sequences;
mod series;
mod totals;

#[cfg(test)]
mod tests;

use std::fmt;

use rayon::prelude::*;

use self::form::{Form, Uniform};
use self::growth::Growth;
use self::product::Product;
use self::sequences::Sequences;
use self::series::Vectors;
use self::totals::Totals;
use super::{GRAPHS, Honours, Ignore, OnGraphs, Regard, yes};
use crate::budget;
use crate::data::Graph;
use crate::error::{Error, Result};
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part};
use crate::numeric::shortest;

/// The number of pairs of walks, one in each graph, that read the same labels: Σ_l a_l · 1ᵀA×^l 1.
///
/// A× is the adjacency matrix of the direct product of the two graphs: its nodes are pairs of nodes with the same label,
/// joined where both graphs have an arc with the same label, with the product of their weights. Walks of length l
/// weigh a_l:
///
/// * [`RandomWalk::steps`]: a_l = λ^l up to a length, 0 beyond; [`RandomWalk::weighted`] takes any a_l ≥ 0;
/// * [`RandomWalk::geometric`]: a_l = λ^l for every l, finite while λ < 1/ρ(A×). Checked before the work starts: at the
///   λ given every graph must have a self-similarity, else [`Error::Diverge`] names the bound. Long walks are then damped
///   so much that walks of one step dominate (Sugiyama & Borgwardt call it halting), so that walks up to a length are
///   the better choice first;
/// * [`RandomWalk::exponential`]: a_l = λ^l / l!.
///
/// Node and edge labels, weights and direction count; graphs without labels are labelled alike.
/// [`RandomWalk::without_labels`] labels all of them alike: then walks are counted once per graph, and an entry is a short
/// inner product. Weights may be negative. Loops are arcs like others.
///
/// Cost: unlabelled, l products with A per graph and l multiplications per pair. Labelled, l/2 products with A× per pair,
/// whose nodes and arcs are the pairs that match, about as many iterations of conjugate gradients as the geometric sum
/// asks for; or, for short walks over few labels, a merge of two lists of label sequences. Infinite sums are
/// exact to 1e-14 of √(k(G, G)·k(H, H)), rounding apart. A product that does not fit in memory is refused
/// before the work.
///
/// Positive semidefinite: k(G, H) = Σ_l a_l ⟨φ_l(G), φ_l(H)⟩ with a coordinate of φ_l for each sequence of labels.
///
/// ```
/// use mercer_core::{data::Graph, gram::Engine, kernel::graph::RandomWalk};
/// let edge = Graph::undirected(2, &[(0, 1)])?;
/// let path = Graph::undirected(3, &[(0, 1), (1, 2)])?;
/// let k = Engine::new().gram(&RandomWalk::steps(2, 1.0)?, &[edge, path][..])?;
/// // Walks of length 0, 1, 2: 2, 2, 2 in an edge, and 3, 4, 6 in a path.
/// assert_eq!(k.at(0, 1), 2.0 * 3.0 + 2.0 * 4.0 + 2.0 * 6.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Gärtner, Flach & Wrobel 2003; Vishwanathan, Schraudolph, Kondor & Borgwardt 2010; Sugiyama & Borgwardt 2015.
#[derive(Clone, Debug, PartialEq)]
pub struct RandomWalk {
    walks: Walks,
    labels: bool,
    ignore: Ignore,
}

/// How walks of each length count.
#[derive(Clone, Debug, PartialEq)]
enum Walks {
    Steps { steps: usize, decay: f64 },
    Weighted(Vec<f64>),
    Geometric { decay: f64 },
    Exponential { decay: f64 },
}

/// The longest walk that can be asked for.
const STEPS: Domain = Domain::Whole(0, 1000);

/// The share of the bound that a geometric decay must stay away from it: closer, rounding eats the digits.
const MARGIN: f64 = 1e-6;

/// Arc pairs above which memory is asked for before a product is made.
const LARGE_PRODUCT: u64 = 10_000_000;

impl RandomWalk {
    /// Walks of at most `steps` steps, those of length l with weight decay^l. `steps` ≤ 1000, decay > 0.
    pub fn steps(steps: usize, decay: f64) -> Result<Self> {
        STEPS.check("steps", steps as f64)?;
        Ok(RandomWalk::new(Walks::Steps { steps, decay: Domain::Positive.check("decay", decay)? }))
    }

    /// Walks with a weight for each length from 0, all finite and at least 0. A list has no place in the expression
    /// language: this kernel prints what does not parse.
    pub fn weighted(weights: Vec<f64>) -> Result<Self> {
        STEPS.check("steps", weights.len() as f64)?;
        for weight in &weights {
            Domain::NonNegative.check("weight", *weight)?;
        }
        Ok(RandomWalk::new(Walks::Weighted(weights)))
    }

    /// All walks, those of length l with weight decay^l; decay > 0, and below a bound that depends on the graphs.
    pub fn geometric(decay: f64) -> Result<Self> {
        Ok(RandomWalk::new(Walks::Geometric { decay: Domain::Positive.check("decay", decay)? }))
    }

    /// All walks, those of length l with weight decay^l / l!; decay > 0.
    pub fn exponential(decay: f64) -> Result<Self> {
        Ok(RandomWalk::new(Walks::Exponential { decay: Domain::Positive.check("decay", decay)? }))
    }

    fn new(walks: Walks) -> Self {
        RandomWalk { walks, labels: true, ignore: Ignore::default() }
    }

    /// The same kernel with all nodes, and all edges, labelled alike.
    #[must_use]
    pub fn without_labels(mut self) -> Self {
        self.labels = false;
        self
    }

    /// The same kernel, ignoring some of what graphs carry.
    #[must_use]
    pub fn ignoring(mut self, ignore: Ignore) -> Self {
        self.ignore = ignore;
        self
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "random-walk",
        summary: "Pairs of walks, one in each graph, that read the same labels.",
        formula: "Σ_l a_l · 1ᵀA×^l 1, A× the product graph; a_l = decay^l, or decay^l / l!",
        takes: "graphs with labels of nodes and edges or none; weights, direction",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "kind",
                default: "k-step",
                domain: Domain::Word(&["k-step", "geometric", "exponential"]),
                doc: "walks up to a length; all walks by powers of decay; the same over l!",
                alias: None,
            },
            Parameter {
                name: "steps",
                default: "4",
                domain: STEPS,
                doc: "the longest walk of kind k-step",
                alias: None,
            },
            Parameter {
                name: "decay",
                default: "0.1",
                domain: Domain::Positive,
                doc: "weight of a further step; geometric walks refuse what diverges",
                alias: None,
            },
            Parameter {
                name: "labels",
                default: "yes",
                domain: Domain::Word(&["yes", "no"]),
                doc: "whether walks must read the same node and edge labels",
                alias: None,
            },
            Ignore::PARAMETER,
        ],
        cost: "unlabelled: steps multiplications; labelled: steps/2 products with the product graph",
        reference: "Gärtner, Flach & Wrobel 2003; Vishwanathan et al. 2010; Sugiyama & Borgwardt 2015",
        example: "random-walk(kind=k-step, steps=4, decay=0.1)",
    };

    fn prepare_one(&self, graph: &Graph) -> Result<PreparedGraph> {
        let form = Form::new(graph, self.labels);
        let squared = form.squared();
        let growth = self.growth(&form, squared);
        budget::check()?;
        let uniform = form.uniform();
        let weights = self.weights();
        let (mut totals, mut sequences) = (None, None);
        if uniform.is_some() && growth.is_ok() {
            totals = Some(match (&weights, &self.walks) {
                (Some(weights), _) => Totals::weighted(&form, weights),
                (None, Walks::Exponential { decay }) => Totals::exponential(&form, *decay)?,
                (None, walks) => Totals::geometric(&form, walks.decay())?,
            });
        } else if let Some(weights) = &weights {
            // Written out where a merge of two lists takes less than making the product and walking in it.
            let steps = 1 + weights.len() as u64 / 2;
            let most = squared.0.saturating_add(squared.1).saturating_mul(steps) / 2;
            sequences = sequences::sequences(&form, weights, most);
        }
        if totals.is_none() && sequences.is_none() && growth.is_ok() {
            // The product of two graphs is no larger than that of the larger with itself.
            check_fits(squared.0, squared.1)?;
        }
        budget::check()?;
        Ok(PreparedGraph { form, squared, uniform, totals, sequences, growth })
    }

    /// a_l for each length, where there are finitely many.
    fn weights(&self) -> Option<Vec<f64>> {
        match &self.walks {
            Walks::Steps { steps, decay } => Some((0..=*steps).map(|l| decay.powi(l as i32)).collect()),
            Walks::Weighted(weights) => Some(weights.clone()),
            _ => None,
        }
    }

    /// √ρ of the product of a graph with itself, from above; or the bound of decay where there is no self-similarity.
    fn growth(&self, form: &Form, (nodes, arcs): (u64, u64)) -> Result<f64, f64> {
        let Walks::Geometric { decay } = self.walks else { return Ok(0.0) };
        // The product with itself grows at most as the square of the graph.
        let limit = ((1.0 - MARGIN) / decay).sqrt();
        let plain = Growth::of(form.nodes(), form.symmetric, limit, |x, y| form.apply(true, x, y));
        if plain.high < limit {
            return Ok(plain.high);
        }
        // A product too large to look at is judged by the graph alone, which is on the safe side.
        if form.uniform().is_some() || check_fits(nodes, arcs).is_err() {
            return Err((1.0 - MARGIN) / (plain.high * plain.high));
        }
        let mut product = Product::default();
        if product.set(form, form).is_err() {
            // The budget is spent: nothing of this is used.
            return Ok(0.0);
        }
        let squared = Growth::of(product.nodes(), product.symmetric, limit * limit, |x, y| {
            product.apply_absolute(x, y);
        });
        if squared.high < limit * limit {
            Ok(squared.high.sqrt())
        } else {
            Err((1.0 - MARGIN) / squared.high)
        }
    }

    fn pair(&self, a: &PreparedGraph, b: &PreparedGraph, scratch: &mut Scratch) -> Result<f64> {
        if let (Some(own), Some(other), Some(x), Some(y)) = (a.uniform, b.uniform, &a.totals, &b.totals)
            && own.matches(other)
        {
            return Ok(x.product(y));
        }
        if let (Some(x), Some(y)) = (&a.sequences, &b.sequences) {
            return Ok(sequences::product(x, y));
        }
        let ((nodes, arcs), (others, their_arcs)) = (a.squared, b.squared);
        let between = |a: u64, b: u64| ((a as f64).sqrt() * (b as f64).sqrt()) as u64;
        if between(arcs, their_arcs) > LARGE_PRODUCT {
            check_fits(between(nodes, others), between(arcs, their_arcs))?;
        }
        let Scratch { product, vectors } = scratch;
        product.set(&a.form, &b.form)?;
        match &self.walks {
            Walks::Geometric { decay } => {
                let rate = decay * a.growth.unwrap_or(0.0) * b.growth.unwrap_or(0.0);
                vectors.geometric(product, *decay, rate)
            }
            Walks::Exponential { decay } => vectors.exponential(product, *decay),
            _ => Ok(vectors.weighted(product, &self.weights().unwrap_or_default())),
        }
    }
}

impl OnGraphs for RandomWalk {
    const NAME: &'static str = "random-walk";

    fn honours(&self) -> Honours {
        let labels = Regard::switch(self.labels, "labels=yes");
        Honours {
            node_labels: labels,
            edge_labels: labels,
            weights: Regard::Honoured,
            direction: Regard::Honoured,
            ..Honours::STRUCTURE
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Walks {
    fn decay(&self) -> f64 {
        match self {
            Walks::Steps { decay, .. } | Walks::Geometric { decay } | Walks::Exponential { decay } => *decay,
            Walks::Weighted(_) => 1.0,
        }
    }
}

/// Six digits, as they are shown: what is shown must do.
fn rounded_down(bound: f64) -> f64 {
    let unit = 10f64.powf(bound.log10().floor() - 5.0);
    // Weights too large for doubles leave no bound above 0.
    if unit > 0.0 { (bound / unit).floor() * unit } else { 0.0 }
}

/// Refuses a product graph that does not fit.
fn check_fits(nodes: u64, arcs: u64) -> Result<()> {
    let needed = product::bytes(nodes, arcs).saturating_mul(rayon::current_num_threads() as u64);
    let what = format!("a product graph of {nodes} node pairs and {arcs} arc pairs on each thread");
    if nodes.max(arcs) >= u64::from(u32::MAX) {
        return Err(Error::MemoryPlan { needed, allowed: product::bytes(0, u64::from(u32::MAX)), what });
    }
    budget::ask(&what, needed)
}

/// What is kept of one graph.
#[derive(Clone, Debug)]
pub struct PreparedGraph {
    form: Form,
    /// The pairs of nodes and of arcs in the product with itself.
    squared: (u64, u64),
    uniform: Option<Uniform>,
    /// Walks by length, where labels say nothing.
    totals: Option<Totals>,
    /// Walks by labels, where that is cheap.
    sequences: Option<Sequences>,
    growth: Result<f64, f64>,
}

/// What a tile is filled with.
#[derive(Default)]
struct Scratch {
    product: Product,
    vectors: Vectors,
}

impl fmt::Display for RandomWalk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (kind, steps) = match &self.walks {
            Walks::Steps { steps, .. } => ("k-step", *steps),
            Walks::Weighted(weights) => ("k-step", weights.len().saturating_sub(1)),
            Walks::Geometric { .. } => ("geometric", 4),
            Walks::Exponential { .. } => ("exponential", 4),
        };
        write!(f, "random-walk(kind={kind}, steps={steps}, ")?;
        match &self.walks {
            // A list of weights has no place in the language; it is shown for people.
            Walks::Weighted(weights) => write!(f, "weights={weights:?}")?,
            walks => write!(f, "decay={}", shortest(walks.decay()))?,
        }
        write!(f, ", labels={}, ignore={})", yes(self.labels), self.ignore)
    }
}

impl Kernel<[Graph]> for RandomWalk {
    type Prepared = Vec<PreparedGraph>;

    fn prepare(&self, objects: &[Graph]) -> Result<Self::Prepared> {
        let graphs = self.admit(objects)?;
        let set = graphs.par_iter().map(budget::carried(|g| self.prepare_one(g))).collect::<Vec<_>>();
        let set = set.into_iter().collect::<Result<Vec<_>>>()?;
        let bounds = set.iter().enumerate().filter_map(|(i, p)| Some((i, p.growth.err()?)));
        // Of several graphs that diverge, the one that leaves the least room says what would do for all.
        match bounds.min_by(|a, b| a.1.total_cmp(&b.1)) {
            None => Ok(set),
            Some((index, bound)) => Err(Error::Diverge {
                name: "decay".into(),
                value: self.walks.decay(),
                bound: rounded_down(bound),
                index: Some(index),
            }),
        }
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        let mut scratch = Scratch::default();
        for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
            for (v, j) in row.iter_mut().zip(cols.range.clone()) {
                budget::check_after(64)?;
                *v = self.pair(&rows.set[i], &cols.set[j], &mut scratch)?;
            }
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        let mut scratch = Scratch::default();
        for (v, i) in out.iter_mut().zip(of.range.clone()) {
            *v = self.pair(&of.set[i], &of.set[i], &mut scratch)?;
        }
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }

    fn tile_side(&self) -> usize {
        if self.labels { 16 } else { 128 }
    }
}
