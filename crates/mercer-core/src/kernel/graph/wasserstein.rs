//! The Wasserstein Weisfeiler–Lehman kernel.

use std::fmt;

use super::wl::{MOST_ROUNDS, rounds};
use super::{FeatureUse, GRAPHS, GraphFeatures, Ignore, OnGraphs, PLAIN, switch};
use crate::budget;
use crate::data::{Dense, Graph};
use crate::error::{Error, Result};
use crate::kernel::{Declared, Definiteness, Domain, Facts, Kernel, Parameter, Part, Settings, declared};
use crate::numeric::Transport;
use crate::numeric::math::{self, exp};
use crate::parallel;

/// The Wasserstein Weisfeiler–Lehman kernel: k(G, H) = exp(-gamma·W(G, H)), where W is the least mean distance over which
/// the nodes of G can be moved to those of H, each graph with mass 1 spread evenly over its nodes.
///
/// The distance of two nodes is a sum of two parts, where attributes of nodes and of edges are one vector.
/// * Attributes: |z_u - z_v|, where z lists the attributes of all rounds, a_0 = a and a_{i+1}(v) = (a_i(v) + mean of a_i
///   over the neighbours of v, weighted by edges) / 2.
/// * Attributes of edges, with `edge-attributes=yes`: as attributes of nodes from the first round on, b_1(v) = mean over the
///   edges of v, then b_{i+1}(v) = (b_i(v) + mean of b_i over the neighbours of v) / 2; 0 for a node without edges. They are
///   numbers of the scale of the node attributes: `standardize` leaves them as they are.
/// * Labels: the share of the h + 1 rounds in which the labels of [`WeisfeilerLehman`](super::WeisfeilerLehman) differ. A
///   graph that has attributes and no labels has none in any round; one with neither begins with equal labels. With
///   `edge-labels=yes` the labels of edges distinguish neighbours, also where nodes have none.
///
/// With labels alone the distances form a tree, and W is half the mean difference of the shares of labels,
/// Σ_f |c_f(G)/n - c_f(H)/m| / (2·(h + 1)) over the features that `wl` counts: no transport is computed, and the kernel is
/// positive semidefinite. With attributes the transport is exact ([`Transport`]) and the kernel may be indefinite.
///
/// With `sinkhorn=epsilon` above 0 and attributes, W is approximated by W_ε(G, H) - (W_ε(G, G) + W_ε(H, H))/2, where W_ε is
/// the transport with entropic regularisation after at most 200 of Sinkhorn's iterations: another number for every
/// epsilon, and no proof. Up to about 300 nodes the exact transport is faster.
///
/// The kernel with a graph without nodes is 0, except with another of the kind. Attributes of different scale are best
/// standardised: `standardize(wwl)`.
///
/// Cost: with labels alone the features of both graphs; with attributes about (n + m)·n·m steps.
///
/// ```
/// use mercer_core::{data::{Dense, Graph}, gram::Engine, kernel::graph::WassersteinWl};
/// let edge = |x: f64| Graph::undirected(2, &[(0, 1)])?.with_node_attributes(Dense::from_rows(&[[0.0], [x]]));
/// let k = Engine::new().gram(&WassersteinWl::new(0, 0.5)?, &[edge(1.0)?, edge(3.0)?][..])?;
/// // One node stays, the other moves by 2.
/// assert!((k.at(0, 1) - (-0.5f64).exp()).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// M. Togninalli, E. Ghisu, F. Llinares-López, B. Rieck and K. Borgwardt, *Wasserstein Weisfeiler–Lehman graph kernels*,
/// NeurIPS 2019.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WassersteinWl {
    h: usize,
    gamma: f64,
    labels: bool,
    edge_labels: bool,
    sinkhorn: f64,
    edge_attributes: bool,
    ignore: Ignore,
}

impl WassersteinWl {
    /// The kernel with this number of rounds, 0 to 1000, and this gamma, above 0.
    pub fn new(h: usize, gamma: f64) -> Result<Self> {
        Self::FACTS.check("h", h as f64)?;
        Self::FACTS.check("gamma", gamma)?;
        Ok(WassersteinWl {
            h,
            gamma,
            labels: true,
            edge_labels: false,
            sinkhorn: 0.0,
            edge_attributes: false,
            ignore: Ignore::Nothing,
        })
    }

    /// Whether node labels are used.
    #[must_use]
    pub fn with_labels(self, labels: bool) -> Self {
        WassersteinWl { labels, ..self }
    }

    /// Whether edge labels distinguish neighbours.
    #[must_use]
    pub fn with_edge_labels(self, edge_labels: bool) -> Self {
        WassersteinWl { edge_labels, ..self }
    }

    /// Whether attributes of edges count as attributes of the nodes that they join.
    #[must_use]
    pub fn with_edge_attributes(self, edge_attributes: bool) -> Self {
        WassersteinWl { edge_attributes, ..self }
    }

    /// Approximates the transport between attributes with this regularisation; 0 computes it exactly.
    pub fn with_sinkhorn(self, epsilon: f64) -> Result<Self> {
        Self::FACTS.check("sinkhorn", epsilon)?;
        Ok(WassersteinWl { sinkhorn: epsilon, ..self })
    }

    /// Sets the features of graphs to ignore.
    #[must_use]
    pub fn ignoring(self, ignore: Ignore) -> Self {
        WassersteinWl { ignore, ..self }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "wwl",
        summary: "How far nodes must move to turn one graph into another, by neighbourhoods of attributes and labels.",
        formula: "exp(-gamma·W(G, H)), W = min_f Σ_uv f_uv·(|z_u - z_v| + share of rounds with l_i(u) ≠ l_i(v))",
        takes: "graphs with node attributes, node labels or both; weights; with edge-labels=yes edge labels, with edge-attributes=yes edge attributes",
        kinds: GRAPHS,
        definiteness: Definiteness::Indefinite,
        parameters: &[
            Parameter {
                name: "h",
                default: "2",
                domain: Domain::Whole(0, MOST_ROUNDS),
                doc: "number of rounds: radius of the neighbourhoods",
                alias: None,
            },
            Parameter {
                name: "gamma",
                default: "1",
                domain: Domain::Positive,
                doc: "how fast similarity falls with the distance of graphs",
                alias: None,
            },
            switch("labels", "yes", "use node labels too"),
            switch("edge-labels", "no", "use edge labels to distinguish neighbours"),
            Parameter {
                name: "sinkhorn",
                default: "0",
                domain: Domain::NonNegative,
                doc: "regularisation of an approximate transport between attributes; 0: exact",
                alias: None,
            },
            switch("edge-attributes", "no", "use edge attributes as attributes of the nodes that edges join"),
            Ignore::PARAMETER,
        ],
        cost: "with labels alone their number, with attributes about the cube of the number of nodes",
        reference: "Togninalli et al. 2019, Wasserstein Weisfeiler–Lehman graph kernels",
        example: "wwl(h=2, gamma=0.1)",
    };

    fn prepare_one(&self, graph: &Graph) -> Result<Mass> {
        let (n, levels) = (graph.nodes(), self.h + 1);
        let dim = graph.node_attributes().map_or(0, |rows| rows.cols());
        let of_edges = graph.edge_attributes().filter(|rows| self.edge_attributes && rows.rows() > 0);
        let edge_dim = of_edges.map_or(0, Dense::cols);
        let needed = budget::matrix_bytes(n, levels, 8 * (dim + edge_dim) + 2 * size_of::<u128>());
        budget::ask("the neighbourhoods of nodes", needed)?;
        let unlabelled = graph.node_labels().is_none() && !self.edge_labels;
        let has_edges = (0..n).any(|i| !graph.neighbours(i).is_empty());
        let has_attributes = dim > 0 || edge_dim > 0;
        let mut labels = Vec::new();
        if unlabelled && has_attributes {
            labels.resize(n * levels, PLAIN);
        } else {
            rounds(graph, self.h, self.edge_labels, |round| {
                labels.extend_from_slice(round);
                Ok(())
            })?;
        }
        let mut attributes = propagated(graph, levels, dim)?;
        if let Some(rows) = of_edges {
            attributes.extend(from_edges(graph, levels, rows)?);
        }
        let width = levels * dim + self.h * edge_dim;
        let mut shares = Vec::new();
        if width == 0 {
            let mut sorted = labels.clone();
            sorted.sort_unstable();
            shares =
                sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len() as f64 / n as f64)).collect();
        }
        // A graph without edges may be among others whose edges have attributes.
        let bare = unlabelled && (has_attributes || self.edge_attributes && !has_edges);
        let dims = [dim, edge_dim];
        let mut mass = Mass { n, labels, bare, attributes, width, dims, has_edges, shares, own: 0.0 };
        if self.sinkhorn > 0.0 && (width > 0 || self.edge_attributes) {
            mass.own = self.moved(&mass, &mass, &mut Room::default())?;
        }
        Ok(mass)
    }

    /// The distance of two graphs.
    fn distance(&self, a: &Mass, b: &Mass, room: &mut Room) -> Result<f64> {
        match (a.n, b.n) {
            (0, 0) => return Ok(0.0),
            (0, _) | (_, 0) => return Ok(f64::MAX),
            _ => {}
        }
        let levels = self.h + 1;
        let both_have_edges = a.has_edges && b.has_edges;
        for (at, (&expected, &found)) in a.dims.iter().zip(&b.dims).enumerate() {
            if expected != found && (at == 0 || both_have_edges) {
                return Err(Error::Dimension { expected, found });
            }
        }
        if a.width == 0 && b.width == 0 {
            budget::check_after(a.shares.len() + b.shares.len())?;
            return Ok(apart(&a.shares, &b.shares) / (2 * levels) as f64);
        }
        // The result must not depend on which graph is the first, to the last bit.
        let (a, b) = if a.comes_before(b) { (a, b) } else { (b, a) };
        let moved = self.moved(a, b, room)?;
        Ok(if self.sinkhorn > 0.0 { math::at_least_zero(moved - 0.5 * (a.own + b.own)) } else { moved })
    }

    /// The transport between the nodes of two graphs with attributes.
    fn moved(&self, a: &Mass, b: &Mass, room: &mut Room) -> Result<f64> {
        budget::ask("the distances of nodes", budget::matrix_bytes(a.n, b.n, 2 * size_of::<f64>()))?;
        room.costs.clear();
        room.costs.resize(a.n * b.n, 0.0);
        for (u, row) in room.costs.chunks_exact_mut(b.n.max(1)).enumerate() {
            budget::check_after(b.n * (a.width.max(b.width) + self.h + 1))?;
            math::vectorised(
                #[inline(always)]
                || a.distances(u, b, self.h + 1, row),
            );
        }
        match self.sinkhorn > 0.0 {
            true => room.transport.smoothed(&room.costs, a.n, b.n, self.sinkhorn),
            false => room.transport.cost(&room.costs, a.n, b.n),
        }
    }
}

/// Memory that is used for one pair of graphs after the other.
#[derive(Default)]
struct Room {
    costs: Vec<f64>,
    transport: Transport,
}

/// The nodes of a graph by their neighbourhoods.
#[derive(Clone, Debug)]
pub struct Mass {
    n: usize,
    /// The hashes of the labels, round by round.
    labels: Vec<u128>,
    /// Whether the graph has attributes and no labels.
    bare: bool,
    /// The attributes of all rounds, each for all nodes; then those of edges, from the first round on.
    attributes: Vec<f64>,
    width: usize,
    /// The number of attributes of a node and of an edge.
    dims: [usize; 2],
    has_edges: bool,
    /// Of a graph without attributes, each label with the share of the nodes that have it; ascending.
    shares: Vec<(u128, f64)>,
    /// The regularised transport to itself, if it is not exact.
    own: f64,
}

impl Mass {
    /// The distances of a node to all nodes of another graph, into zeros.
    #[inline(always)]
    fn distances(&self, u: usize, other: &Mass, levels: usize, row: &mut [f64]) {
        let common = self.width.min(other.width);
        for k in 0..common {
            let x = self.attributes[k * self.n + u];
            let values = &other.attributes[k * other.n..(k + 1) * other.n];
            row.iter_mut().zip(values).for_each(|(s, y)| *s += (x - y) * (x - y));
        }
        // A graph without edges has no attributes of edges, which count as 0.
        for k in common..self.width {
            let x = self.attributes[k * self.n + u];
            row.iter_mut().for_each(|s| *s += x * x);
        }
        for k in common..other.width {
            let values = &other.attributes[k * other.n..(k + 1) * other.n];
            row.iter_mut().zip(values).for_each(|(s, y)| *s += y * y);
        }
        row.iter_mut().for_each(|s| *s = s.sqrt());
        if self.bare && other.bare {
            return;
        }
        for (v, s) in row.iter_mut().enumerate() {
            let differ = |l: &usize| self.labels[l * self.n + u] != other.labels[l * other.n + v];
            *s += (0..levels).filter(differ).count() as f64 / levels as f64;
        }
    }

    /// An order of graphs that are different.
    fn comes_before(&self, other: &Mass) -> bool {
        let values = || self.attributes.iter().zip(&other.attributes);
        let by_values = || values().map(|(x, y)| x.total_cmp(y)).find(|o| o.is_ne());
        let by_labels = || self.labels.cmp(&other.labels);
        self.n.cmp(&other.n).then_with(|| by_values().unwrap_or_else(by_labels)).is_lt()
    }
}

/// Σ |x_f - y_f| over two ascending lists.
fn apart(x: &[(u128, f64)], y: &[(u128, f64)]) -> f64 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while let (Some(a), Some(b)) = (x.get(i), y.get(j)) {
        sum += match a.0.cmp(&b.0) {
            std::cmp::Ordering::Less => a.1,
            std::cmp::Ordering::Greater => b.1,
            std::cmp::Ordering::Equal => (a.1 - b.1).abs(),
        };
        i += usize::from(a.0 <= b.0);
        j += usize::from(b.0 <= a.0);
    }
    sum + x[i..].iter().chain(&y[j..]).map(|f| f.1).sum::<f64>()
}

/// The attributes of all rounds, each for all nodes: those of the next are the mean of a node's own and of its neighbours'
/// mean.
fn propagated(graph: &Graph, levels: usize, dim: usize) -> Result<Vec<f64>> {
    let Some(rows) = graph.node_attributes().filter(|_| dim > 0) else { return Ok(Vec::new()) };
    let n = graph.nodes();
    let mut out = vec![0.0; n * levels * dim];
    for i in 0..n {
        rows.row(i).iter().enumerate().for_each(|(k, x)| out[k * n + i] = *x);
    }
    for level in 1..levels {
        let (before, now) = out[(level - 1) * dim * n..(level + 1) * dim * n].split_at_mut(dim * n);
        half_around(graph, dim, before, now)?;
    }
    finite(out)
}

/// The attributes of edges from the first round on, each for all nodes: the mean of a node's edges, then spread like those
/// of nodes.
fn from_edges(graph: &Graph, levels: usize, rows: &Dense) -> Result<Vec<f64>> {
    let (n, dim) = (graph.nodes(), rows.cols());
    let mut out = vec![0.0; n * (levels - 1) * dim];
    if levels < 2 {
        return Ok(out);
    }
    for i in 0..n {
        budget::check_after(dim * (1 + graph.neighbours(i).len()))?;
        let weight = |arc: usize| graph.weights().map_or(1.0, |w| w[arc]);
        let total: f64 = graph.outgoing(i).map(weight).sum();
        for k in 0..dim {
            let sum: f64 = graph.outgoing(i).map(|arc| weight(arc) * rows.at(arc, k)).sum();
            out[k * n + i] = if total > 0.0 { sum / total } else { 0.0 };
        }
    }
    for level in 1..levels - 1 {
        let (before, now) = out[(level - 1) * dim * n..(level + 1) * dim * n].split_at_mut(dim * n);
        half_around(graph, dim, before, now)?;
    }
    finite(out)
}

/// Half of each node's values and half of the mean of its neighbours' values, weighted by edges.
fn half_around(graph: &Graph, dim: usize, before: &[f64], now: &mut [f64]) -> Result<()> {
    let n = graph.nodes();
    for i in 0..n {
        budget::check_after(dim * (1 + graph.neighbours(i).len()))?;
        let weight = |arc: usize| graph.weights().map_or(1.0, |w| w[arc]);
        let total: f64 = graph.outgoing(i).map(weight).sum();
        for k in 0..dim {
            let values = &before[k * n..(k + 1) * n];
            let arcs = graph.outgoing(i).zip(graph.neighbours(i));
            let sum = arcs.fold(0.0, |sum, (arc, &j)| sum + weight(arc) * values[j as usize]);
            // A node without neighbours keeps its attributes.
            let around = if total > 0.0 { sum / total } else { values[i] };
            now[k * n + i] = 0.5 * (values[i] + around);
        }
    }
    Ok(())
}

fn finite(values: Vec<f64>) -> Result<Vec<f64>> {
    match values.iter().position(|v| !v.is_finite()) {
        Some(_) => Err(Error::usage("the attributes of the graph are too large to be averaged")),
        None => Ok(values),
    }
}

declared!(WassersteinWl { h, gamma, labels, edge_labels, sinkhorn, edge_attributes, ignore });

impl OnGraphs for WassersteinWl {
    fn graph_features(&self) -> GraphFeatures {
        GraphFeatures {
            node_labels: FeatureUse::switch(self.labels, "labels=yes"),
            edge_labels: FeatureUse::switch(self.edge_labels, "edge-labels=yes"),
            weights: FeatureUse::Used,
            direction: FeatureUse::Used,
            node_attributes: FeatureUse::Used,
            edge_attributes: FeatureUse::switch(self.edge_attributes, "edge-attributes=yes"),
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Kernel<[Graph]> for WassersteinWl {
    type Prepared = Vec<Mass>;

    fn prepare(&self, graphs: &[Graph]) -> Result<Vec<Mass>> {
        let graphs = self.admit(graphs)?;
        let one = |i: usize| {
            let graph = match self.labels {
                true => self.prepare_one(&graphs[i]),
                false => self.prepare_one(&graphs[i].clone().without_node_labels()),
            };
            graph.map_err(|e| e.of_object(|_| i))
        };
        parallel::try_map(graphs.len(), one)
    }

    fn fill(&self, rows: Part<'_, Vec<Mass>>, cols: Part<'_, Vec<Mass>>, out: &mut [f64]) -> Result<()> {
        Kernel::<[Graph]>::fill(&MovedNodes(*self), rows, cols, out)?;
        out.iter_mut().for_each(|v| *v = exp(-self.gamma * *v));
        Ok(())
    }

    fn diagonal(&self, _of: Part<'_, Vec<Mass>>, out: &mut [f64]) -> Result<()> {
        out.fill(1.0);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::Indefinite
    }

    fn tile_side(&self) -> usize {
        16
    }
}

/// The distances W(G, H) of [`WassersteinWl`], filled into tiles like a kernel, which a search over gamma computes only once.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MovedNodes(pub WassersteinWl);

impl Declared for MovedNodes {
    const FACTS: &'static Facts = &WassersteinWl::FACTS;

    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        WassersteinWl::read(settings).map(MovedNodes)
    }
}

impl fmt::Display for MovedNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl OnGraphs for MovedNodes {
    fn graph_features(&self) -> GraphFeatures {
        self.0.graph_features()
    }

    fn ignore(&self) -> Ignore {
        self.0.ignore
    }
}

impl Kernel<[Graph]> for MovedNodes {
    type Prepared = Vec<Mass>;

    fn prepare(&self, graphs: &[Graph]) -> Result<Vec<Mass>> {
        self.0.prepare(graphs)
    }

    fn fill(&self, rows: Part<'_, Vec<Mass>>, cols: Part<'_, Vec<Mass>>, out: &mut [f64]) -> Result<()> {
        let mut room = Room::default();
        let mut entries = out.iter_mut();
        for a in &rows.set[rows.range.clone()] {
            for (b, v) in cols.set[cols.range.clone()].iter().zip(&mut entries) {
                *v = self.0.distance(a, b, &mut room)?;
            }
        }
        Ok(())
    }

    fn diagonal(&self, _of: Part<'_, Vec<Mass>>, out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::Indefinite
    }

    fn tile_side(&self) -> usize {
        16
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Labels;
    use crate::gram::Engine;

    fn labelled(names: &[&str], edges: &[(u32, u32)]) -> Graph {
        let graph = Graph::undirected(names.len(), edges).unwrap();
        graph.with_node_labels(Labels::from_names(names)).unwrap()
    }

    #[test]
    fn shares_of_labels_are_the_transport_between_them() {
        let graphs = [
            labelled(&["C", "C", "O"], &[(0, 1), (1, 2)]),
            labelled(&["C", "O"], &[(0, 1)]),
            labelled(&["N", "C", "C", "C", "O"], &[(0, 1), (1, 2), (2, 3), (3, 4)]),
        ];
        // Equal attributes add nothing, but make it compute the transport.
        let with = |g: &Graph| g.clone().with_node_attributes(Dense::zeros(g.nodes(), 1)).unwrap();
        let same: Vec<Graph> = graphs.iter().map(with).collect();
        let kernel = WassersteinWl::new(2, 1.5).unwrap();
        let by_shares = Engine::new().gram(&kernel, &graphs[..]).unwrap();
        let by_transport = Engine::new().gram(&kernel, &same[..]).unwrap();
        for (a, b) in by_shares.values().iter().zip(by_transport.values()) {
            assert!((a - b).abs() < 1e-14, "{a} and {b}");
        }
    }

    #[test]
    fn the_order_of_two_graphs_does_not_change_a_bit() {
        let graph = |x: [f64; 3]| {
            let path = Graph::undirected(3, &[(0, 1), (1, 2)]).unwrap();
            path.with_node_attributes(Dense::new(3, 1, x.to_vec()).unwrap()).unwrap()
        };
        let kernel = WassersteinWl::new(1, 0.7).unwrap();
        let (a, b) = (graph([0.1, 0.7, 0.3]), graph([0.9, 0.2, 0.6]));
        let one = Engine::new().gram(&kernel, &[a.clone(), b.clone()][..]).unwrap();
        let other = Engine::new().gram(&kernel, &[b, a][..]).unwrap();
        assert_eq!(one.at(0, 1).to_bits(), other.at(0, 1).to_bits());
        assert!(one.at(0, 1) < 1.0);
    }

    #[test]
    fn iterations_approach_the_exact_distance() {
        let graph = |x: [f64; 3]| {
            let path = Graph::undirected(3, &[(0, 1), (1, 2)]).unwrap();
            path.with_node_attributes(Dense::new(3, 1, x.to_vec()).unwrap()).unwrap()
        };
        let graphs = [graph([0.1, 0.7, 0.3]), graph([0.9, 0.2, 0.6]), graph([3.0, 2.0, 1.0])];
        let exact = Engine::new().gram(&WassersteinWl::new(1, 0.7).unwrap(), &graphs[..]).unwrap();
        for epsilon in [0.3, 0.01] {
            let kernel = WassersteinWl::new(1, 0.7).unwrap().with_sinkhorn(epsilon).unwrap();
            let near = Engine::new().gram(&kernel, &graphs[..]).unwrap();
            for (a, b) in exact.values().iter().zip(near.values()) {
                assert!((a - b).abs() < 0.7 * epsilon, "{a} and {b} for {epsilon}");
            }
            assert_eq!((near.at(0, 0), near.at(0, 1).to_bits()), (1.0, near.at(1, 0).to_bits()));
        }
        assert!(WassersteinWl::new(1, 0.7).unwrap().with_sinkhorn(-1.0).is_err());
    }

    #[test]
    fn edge_labels_tell_neighbours_apart() {
        let edge = |bond: &str| {
            labelled(&["C", "C"], &[(0, 1)]).with_edge_labels(Labels::from_names([bond, bond])).unwrap()
        };
        let graphs = [edge("single"), edge("double")];
        let kernel = WassersteinWl::new(1, 1.0).unwrap();
        assert_eq!(Engine::new().gram(&kernel, &graphs[..]).unwrap().at(0, 1), 1.0);
        let k = Engine::new().gram(&kernel.with_edge_labels(true), &graphs[..]).unwrap();
        // Of two rounds one differs.
        assert!((k.at(0, 1) - (-0.5f64).exp()).abs() < 1e-15);
    }

    /// A graph of four nodes with attributes of nodes and of edges.
    fn attributed(seed: u64, edges: &[(u32, u32)]) -> Graph {
        let mut random = crate::random::Random::new(seed);
        let plain = Graph::undirected(4, edges).unwrap();
        let nodes = Dense::new(4, 2, (0..8).map(|_| random.normal()).collect()).unwrap();
        let ends: Vec<[u32; 2]> = (0..4)
            .flat_map(|i| {
                plain.neighbours(i).iter().map(move |&j| [i.min(j as usize) as u32, j.max(i as u32)])
            })
            .collect();
        // Both arcs of an edge have the same attributes.
        let values: Vec<f64> =
            ends.iter().flat_map(|e| [f64::from(e[0]) - 0.3, f64::from(e[1] * e[1])]).collect();
        let rows = Dense::new(ends.len(), 2, values).unwrap();
        plain.with_node_attributes(nodes).unwrap().with_edge_attributes(rows).unwrap()
    }

    /// The vectors of all rounds by their definition.
    fn vectors(graph: &Graph, h: usize) -> Vec<Vec<f64>> {
        let n = graph.nodes();
        let mean = |i: usize, of: &dyn Fn(usize, usize) -> Vec<f64>| -> Option<Vec<f64>> {
            let all: Vec<Vec<f64>> =
                graph.outgoing(i).zip(graph.neighbours(i)).map(|(arc, &j)| of(arc, j as usize)).collect();
            let sum = |k: usize| all.iter().map(|v| v[k]).sum::<f64>() / all.len() as f64;
            (!all.is_empty()).then(|| (0..all[0].len()).map(sum).collect())
        };
        let halves = |values: &[Vec<f64>]| -> Vec<Vec<f64>> {
            let half = |i: usize| {
                let around = mean(i, &|_, j| values[j].clone()).unwrap_or_else(|| values[i].clone());
                values[i].iter().zip(around).map(|(a, b)| (a + b) / 2.0).collect()
            };
            (0..n).map(half).collect()
        };
        let mut a: Vec<Vec<f64>> = (0..n).map(|i| graph.node_attributes().unwrap().row(i).to_vec()).collect();
        let mut out = a.clone();
        let mut b: Vec<Vec<f64>> = Vec::new();
        for round in 0..h {
            a = halves(&a);
            b = match round {
                0 => {
                    let rows = graph.edge_attributes().unwrap();
                    (0..n)
                        .map(|i| mean(i, &|arc, _| rows.row(arc).to_vec()).unwrap_or(vec![0.0; 2]))
                        .collect()
                }
                _ => halves(&b),
            };
            for i in 0..n {
                out[i].extend(a[i].iter().chain(&b[i]));
            }
        }
        out
    }

    #[test]
    fn edge_attributes_by_all_assignments_of_nodes() {
        let graphs = [
            attributed(1, &[(0, 1), (1, 2), (2, 3)]),
            attributed(2, &[(0, 1), (0, 2), (0, 3), (2, 3)]),
            attributed(3, &[(1, 2)]),
        ];
        let orders: Vec<[usize; 4]> = (0..256)
            .map(|code| [code % 4, code / 4 % 4, code / 16 % 4, code / 64])
            .filter(|order| (0..4).all(|i| order.contains(&i)))
            .collect();
        for h in 0..4 {
            let kernel = WassersteinWl::new(h, 0.1).unwrap().with_edge_attributes(true);
            let k = Engine::new().gram(&kernel, &graphs[..]).unwrap();
            for (i, g) in graphs.iter().enumerate() {
                for (j, other) in graphs.iter().enumerate() {
                    let (x, y) = (vectors(g, h), vectors(other, h));
                    let apart = |u: usize, v: usize| {
                        x[u].iter().zip(&y[v]).map(|(a, b)| (a - b) * (a - b)).sum::<f64>().sqrt()
                    };
                    // Of equal masses an assignment is the best transport.
                    let cost = |order: &[usize; 4]| (0..4).map(|u| apart(u, order[u])).sum::<f64>() / 4.0;
                    let least = orders.iter().map(cost).fold(f64::INFINITY, f64::min);
                    let expected = (-0.1 * least).exp();
                    assert!((k.at(i, j) - expected).abs() < 1e-12, "{h}: {} {expected}", k.at(i, j));
                }
            }
        }
        // They are not used where the switch is off, and make a difference where it is on.
        let plain = WassersteinWl::new(2, 0.1).unwrap();
        let without: Dense = Engine::new().gram(&plain, &graphs[..]).unwrap();
        assert_ne!(without, Engine::new().gram(&plain.with_edge_attributes(true), &graphs[..]).unwrap());
    }

    #[test]
    fn graphs_without_edges_among_those_with_attributes_of_edges() {
        let edge = |x: f64| {
            let graph = Graph::undirected(2, &[(0, 1)]).unwrap();
            graph.with_edge_attributes(Dense::from_rows(&[[x], [x]])).unwrap()
        };
        let graphs = [edge(3.0), Graph::undirected(1, &[]).unwrap(), edge(2.5)];
        for sinkhorn in [0.0, 0.1] {
            let kernel = WassersteinWl::new(1, 1.0).unwrap().with_edge_attributes(true);
            let kernel = kernel.with_sinkhorn(sinkhorn).unwrap();
            let k = Engine::new().gram(&kernel, &graphs[..]).unwrap();
            assert!((k.at(0, 1) - (-3.0f64).exp()).abs() < 1e-9, "{}", k.at(0, 1));
            assert!((k.at(0, 2) - (-0.5f64).exp()).abs() < 1e-9);
            assert_eq!(k.at(1, 1), 1.0);
        }
    }

    #[test]
    fn graphs_without_nodes_are_like_no_other() {
        let empty = Graph::undirected(0, &[]).unwrap();
        let k = Engine::new()
            .gram(&WassersteinWl::new(1, 1.0).unwrap(), &[empty.clone(), labelled(&["C"], &[]), empty][..])
            .unwrap();
        assert_eq!((k.at(0, 1), k.at(0, 2), k.at(1, 1)), (0.0, 1.0, 1.0));
    }
}
