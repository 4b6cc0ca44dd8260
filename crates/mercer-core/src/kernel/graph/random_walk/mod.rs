//! Random walk kernels: matching walks in two graphs.

mod form;
mod growth;
mod product;
mod sequences;
mod series;
mod totals;

#[cfg(test)]
mod tests;

use std::fmt;

use self::form::{Form, Uniform};
use self::growth::Growth;
use self::product::Product;
use self::sequences::Sequences;
use self::series::Vectors;
use self::totals::Totals;
use super::{FeatureUse, GRAPHS, GraphFeatures, Ignore, OnGraphs};
use crate::budget;
use crate::data::Graph;
use crate::error::{Error, Result};
use crate::kernel::{
    Definiteness, Domain, Facts, Kernel, Parameter, ParameterValue, Part, Printer, Settings, declared,
};
use crate::numeric::Short;
use crate::parallel;

/// The number of pairs of walks, one in each graph, with the same labels: Σ_l a_l · 1ᵀA×^l 1.
///
/// A× is the adjacency matrix of the direct product of the two graphs. Its nodes are pairs of nodes with the same
/// label, joined where both graphs have an arc with the same label, with the product of their weights. Walks of length
/// l have weight a_l:
///
/// * [`RandomWalk::steps`]: a_l = λ^l up to a length, 0 beyond; [`RandomWalk::weighted`] accepts any a_l ≥ 0;
/// * [`RandomWalk::geometric`]: a_l = λ^l for every l, finite while λ < 1/ρ(A×). This is checked first: the
///   self-similarity of every graph must be finite for λ, else [`Error::Diverge`] names the bound. Such a λ damps long
///   walks so much that walks of one step dominate (Sugiyama & Borgwardt call it halting), so walks up to a fixed
///   length are the better first choice;
/// * [`RandomWalk::exponential`]: a_l = λ^l / l!.
///
/// Node and edge labels, weights and direction are used; graphs without labels have constant labels.
/// [`RandomWalk::without_labels`] ignores all labels: then walks are counted once per graph, and an entry is a short
/// inner product. Weights may be negative. Loops are ordinary arcs.
///
/// Cost: unlabelled, l products with A per graph and l multiplications per pair. Labelled, l/2 products with A× per
/// pair, whose nodes and arcs are the matching pairs; the geometric sum takes about as many conjugate gradient
/// iterations. For short walks over few labels it is a merge of two lists of label sequences. Infinite sums are exact
/// to 1e-14 of √(k(G, G)·k(H, H)), apart from rounding. A product that does not fit in memory is an error before the
/// computation starts.
///
/// Positive semidefinite: k(G, H) = Σ_l a_l ⟨φ_l(G), φ_l(H)⟩, where φ_l has one coordinate for each sequence of labels.
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

/// The weights of walks by length.
#[derive(Clone, Debug, PartialEq)]
enum Walks {
    KStep { steps: usize, decay: f64 },
    Weighted(Vec<f64>),
    Geometric { decay: f64 },
    Exponential { decay: f64 },
}

/// Minimum relative distance of a geometric decay from its bound: closer to it, rounding loses too many digits.
const MARGIN: f64 = 1e-6;

/// Number of arc pairs above which memory is checked before a product is built.
const LARGE_PRODUCT: u64 = 10_000_000;

impl RandomWalk {
    /// Walks of at most `steps` steps, those of length l with weight decay^l. `steps` ≤ 1000, decay > 0.
    pub fn steps(steps: usize, decay: f64) -> Result<Self> {
        Self::FACTS.check("steps", steps as f64)?;
        Ok(RandomWalk::new(Walks::KStep { steps, decay: Self::FACTS.check("decay", decay)? }))
    }

    /// Walks with a weight for each length from 0, all finite and at least 0. Expressions have no lists, so the printed
    /// form of this kernel cannot be parsed.
    pub fn weighted(weights: Vec<f64>) -> Result<Self> {
        Self::FACTS.check("steps", weights.len() as f64)?;
        for weight in &weights {
            Domain::NonNegative.check("weight", *weight)?;
        }
        Ok(RandomWalk::new(Walks::Weighted(weights)))
    }

    /// All walks, those of length l with weight decay^l; decay > 0, and below a bound that depends on the graphs.
    pub fn geometric(decay: f64) -> Result<Self> {
        Ok(RandomWalk::new(Walks::Geometric { decay: Self::FACTS.check("decay", decay)? }))
    }

    /// All walks, those of length l with weight decay^l / l!; decay > 0.
    pub fn exponential(decay: f64) -> Result<Self> {
        Ok(RandomWalk::new(Walks::Exponential { decay: Self::FACTS.check("decay", decay)? }))
    }

    fn new(walks: Walks) -> Self {
        RandomWalk { walks, labels: true, ignore: Ignore::default() }
    }

    /// Treats all node labels and all edge labels as equal.
    #[must_use]
    pub fn without_labels(mut self) -> Self {
        self.labels = false;
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
        name: "random-walk",
        summary: "Number of pairs of walks, one in each graph, with the same labels.",
        formula: "Σ_l a_l · 1ᵀA×^l 1, A× the product graph; a_l = decay^l, or decay^l / l!",
        takes: "graphs with labels of nodes and edges or none; weights, direction",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "kind",
                default: "k-step",
                domain: Domain::Word(&["k-step", "geometric", "exponential"]),
                doc: "walks up to a length; all walks with weight decay^l; all walks with weight decay^l / l!",
                alias: None,
            },
            Parameter {
                name: "steps",
                default: "4",
                domain: Domain::Whole(0, 1000),
                doc: "maximum walk length for kind k-step",
                alias: None,
            },
            Parameter {
                name: "decay",
                default: "0.1",
                domain: Domain::Positive,
                doc: "weight per step; for geometric walks a divergent sum is an error",
                alias: None,
            },
            Parameter {
                name: "labels",
                default: "yes",
                domain: Domain::Word(&["yes", "no"]),
                doc: "require equal node and edge labels along walks",
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
            // Explicit sequences, if merging two lists costs less than building the product and walking in it.
            let steps = 1 + weights.len() as u64 / 2;
            let most = squared.0.saturating_add(squared.1).saturating_mul(steps) / 2;
            sequences = sequences::sequences(&form, weights, most);
        }
        if totals.is_none() && sequences.is_none() && growth.is_ok() {
            // The product of two graphs is at most as large as that of the larger one with itself.
            check_fits(squared.0, squared.1)?;
        }
        budget::check()?;
        Ok(PreparedGraph { form, squared, uniform, totals, sequences, growth })
    }

    /// a_l for each length, if there are finitely many.
    fn weights(&self) -> Option<Vec<f64>> {
        match &self.walks {
            Walks::KStep { steps, decay } => Some((0..=*steps).map(|l| decay.powi(l as i32)).collect()),
            Walks::Weighted(weights) => Some(weights.clone()),
            _ => None,
        }
    }

    /// An upper bound on √ρ of the product of a graph with itself; or the bound on decay if the self-similarity
    /// diverges.
    fn growth(&self, form: &Form, (nodes, arcs): (u64, u64)) -> Result<f64, f64> {
        let Walks::Geometric { decay } = self.walks else { return Ok(0.0) };
        // The product with itself grows at most like the square of the graph.
        let limit = ((1.0 - MARGIN) / decay).sqrt();
        let plain = Growth::of(form.nodes(), form.symmetric, limit, |x, y| form.apply(true, x, y));
        if plain.high < limit {
            return Ok(plain.high);
        }
        // If the product is too large, the graph alone gives a conservative bound.
        if form.uniform().is_some() || check_fits(nodes, arcs).is_err() {
            return Err((1.0 - MARGIN) / (plain.high * plain.high));
        }
        let mut product = Product::default();
        if product.set(form, form).is_err() {
            // The budget is spent: the result is not used.
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
    fn graph_features(&self) -> GraphFeatures {
        let labels = FeatureUse::switch(self.labels, "labels=yes");
        GraphFeatures {
            node_labels: labels,
            edge_labels: labels,
            weights: FeatureUse::Used,
            direction: FeatureUse::Used,
            ..GraphFeatures::STRUCTURE
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Walks {
    fn decay(&self) -> f64 {
        match self {
            Walks::KStep { decay, .. } | Walks::Geometric { decay } | Walks::Exponential { decay } => *decay,
            Walks::Weighted(_) => 1.0,
        }
    }
}

/// Rounds down to the six digits that are displayed, so that the displayed bound is valid.
fn rounded_down(bound: f64) -> f64 {
    let unit = 10f64.powf(bound.log10().floor() - 5.0);
    // Weights too large for doubles leave no bound above 0.
    if unit > 0.0 { (bound / unit).floor() * unit } else { 0.0 }
}

/// An error for a product graph that does not fit in memory.
fn check_fits(nodes: u64, arcs: u64) -> Result<()> {
    let needed = product::bytes(nodes, arcs).saturating_mul(rayon::current_num_threads() as u64);
    let what = format!("a product graph of {nodes} node pairs and {arcs} arc pairs on each thread");
    if nodes.max(arcs) >= u64::from(u32::MAX) {
        return Err(Error::MemoryPlan { needed, allowed: product::bytes(0, u64::from(u32::MAX)), what });
    }
    budget::ask(&what, needed)
}

/// A prepared graph.
#[derive(Clone, Debug)]
pub struct PreparedGraph {
    form: Form,
    /// The numbers of node pairs and arc pairs in the product with itself.
    squared: (u64, u64),
    uniform: Option<Uniform>,
    /// Walks by length, if labels are constant.
    totals: Option<Totals>,
    /// Walks by label sequence, if that is cheap.
    sequences: Option<Sequences>,
    growth: Result<f64, f64>,
}

/// Scratch memory for filling a tile.
#[derive(Default)]
struct Scratch {
    product: Product,
    vectors: Vectors,
}

impl ParameterValue for Walks {
    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        let (kind, steps, decay) = (settings.word()?, settings.read()?, settings.number()?);
        Ok(match kind {
            "geometric" => Walks::Geometric { decay },
            "exponential" => Walks::Exponential { decay },
            _ => Walks::KStep { steps, decay },
        })
    }

    fn print(&self, out: &mut Printer<'_, '_>) -> fmt::Result {
        let (kind, steps) = match self {
            Walks::KStep { steps, .. } => ("k-step", *steps),
            Walks::Weighted(weights) => ("k-step", weights.len().saturating_sub(1)),
            Walks::Geometric { .. } => ("geometric", 4),
            Walks::Exponential { .. } => ("exponential", 4),
        };
        out.put(kind)?;
        out.put(steps)?;
        match self {
            // Expressions have no lists of weights; this is for display only.
            Walks::Weighted(weights) => out.put_instead(format_args!("weights={weights:?}")),
            walks => out.put(Short(walks.decay())),
        }
    }
}

declared!(RandomWalk { walks, labels, ignore });

impl Kernel<[Graph]> for RandomWalk {
    type Prepared = Vec<PreparedGraph>;

    fn prepare(&self, objects: &[Graph]) -> Result<Self::Prepared> {
        let graphs = self.admit(objects)?;
        let set = parallel::try_map(graphs.len(), |i| self.prepare_one(&graphs[i]))?;
        let bounds = set.iter().enumerate().filter_map(|(i, p)| Some((i, p.growth.err()?)));
        // If several graphs diverge, the smallest bound is reported, because it is valid for all.
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
