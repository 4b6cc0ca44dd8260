//! The GraphHopper kernel: nodes along shortest paths.

use std::fmt;

use super::{FeatureUse, GRAPHS, GraphFeatures, Ignore, OnGraphs, hash_of, switch};
use crate::budget;
use crate::data::Graph;
use crate::error::{Error, Result};
use crate::kernel::{
    Definiteness, Domain, Facts, Kernel, Parameter, ParameterValue, Part, Printer, Settings, declared,
};
use crate::numeric::Short;
use crate::numeric::math::{dot, exp};
use crate::parallel;

/// The GraphHopper kernel: shortest paths of equal length, compared node by node.
///
/// k(G, H) = Σ over shortest paths π of G and π' of H with equally many nodes, of Σ_i k_node(π_i, π'_i). It compares
/// nodes by their attributes ([`NodeKernel`]) and optionally by their labels. All shortest paths count, from every node
/// to every node it reaches, including paths of one node; length is the number of arcs.
///
/// M(v) is the matrix of how often node v is the i-th node of a shortest path of j arcs. The sum equals Σ_{v, w}
/// k_node(v, w) · ⟨M(v), M(w)⟩, so paths are never enumerated.
///
/// Cost: per graph of n nodes, m arcs and longest shortest path of δ arcs, n·(n + m·δ) operations and n·δ²/2 numbers;
/// per pair n·n'·(δ²/2 + d). Positive semidefinite.
///
/// ```
/// use mercer_core::data::{Dense, Graph};
/// use mercer_core::{gram::Engine, kernel::graph::{GraphHopper, NodeKernel}};
/// let edge = Graph::undirected(2, &[(0, 1)])?.with_node_attributes(Dense::from_rows(&[[1.0], [2.0]]))?;
/// let k = Engine::new().gram(&GraphHopper::new(NodeKernel::Linear)?, &[edge][..])?;
/// // Paths a, b, ab, ba: (1 + 2)² of single nodes; ab·ab + ab·ba + ba·ab + ba·ba = 5 + 4 + 4 + 5.
/// assert_eq!(k.at(0, 0), 9.0 + 18.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// A. Feragen, N. Kasenburg, J. Petersen, M. de Bruijne and K. Borgwardt, *Scalable kernels for graphs with continuous
/// attributes*, NIPS 2013.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraphHopper {
    node: NodeKernel,
    labels: bool,
    ignore: Ignore,
}

/// How the attributes x and y of two nodes are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum NodeKernel {
    /// x·y: 0 for nodes without attributes.
    Linear,
    /// exp(-gamma·|x - y|²): 1 for nodes without attributes.
    Rbf {
        /// Must be above 0.
        gamma: f64,
    },
    /// Π max(0, 1 - gamma·|x_c - y_c|) over the attributes: 1 for nodes without attributes. The paper has one
    /// attribute, for which a single hat function is positive semidefinite. A hat function of the distance in several
    /// dimensions is not, but the product is.
    Bridge {
        /// Must be above 0.
        gamma: f64,
    },
}

impl NodeKernel {
    fn gamma(self) -> f64 {
        match self {
            NodeKernel::Linear => 1.0,
            NodeKernel::Rbf { gamma } | NodeKernel::Bridge { gamma } => gamma,
        }
    }

    fn word(self) -> &'static str {
        match self {
            NodeKernel::Linear => "linear",
            NodeKernel::Rbf { .. } => "rbf",
            NodeKernel::Bridge { .. } => "bridge",
        }
    }

    fn value(self, x: &[f64], y: &[f64]) -> f64 {
        let pairs = x.iter().zip(y);
        match self {
            NodeKernel::Linear => pairs.map(|(x, y)| x * y).sum(),
            NodeKernel::Rbf { gamma } => exp(-gamma * pairs.map(|(x, y)| (x - y) * (x - y)).sum::<f64>()),
            NodeKernel::Bridge { gamma } => {
                pairs.map(|(x, y)| (1.0 - gamma * (x - y).abs()).max(0.0)).product()
            }
        }
    }
}

impl GraphHopper {
    /// The kernel with this node kernel; gamma must be above 0.
    pub fn new(node: NodeKernel) -> Result<Self> {
        Self::FACTS.check("gamma", node.gamma())?;
        Ok(GraphHopper { node, labels: true, ignore: Ignore::default() })
    }

    /// Whether only nodes with the same label are compared (the default), or all.
    #[must_use]
    pub fn with_labels(mut self, labels: bool) -> Self {
        self.labels = labels;
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
        name: "graph-hopper",
        summary: "Shortest paths of equal length, compared node by node by attributes and labels.",
        formula: "Σ_{π, π' of equal length} Σ_i k_node(π_i, π'_i), π, π' shortest paths",
        takes: "graphs with node attributes, node labels or none; direction",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "node",
                default: "rbf",
                domain: Domain::Word(&["rbf", "linear", "bridge"]),
                doc: "kernel for node attributes: Gaussian, inner product, or product of hat functions",
                alias: None,
            },
            Parameter {
                name: "gamma",
                default: "1",
                domain: Domain::Positive,
                doc: "how fast similarity of nodes falls with distance",
                alias: None,
            },
            switch("labels", "yes", "compare only nodes with the same label"),
            Ignore::PARAMETER,
        ],
        cost: "n·n' comparisons of nodes and of matrices of δ²/2 numbers, δ the longest shortest path",
        reference: "Feragen, Kasenburg, Petersen, de Bruijne & Borgwardt 2013, Scalable kernels for graphs",
        example: "graph-hopper(node=rbf, gamma=0.1)",
    };

    fn pair(&self, a: &Hops, b: &Hops) -> Result<f64> {
        if a.dim != b.dim && !a.labels.is_empty() && !b.labels.is_empty() {
            return Err(Error::Dimension { expected: a.dim, found: b.dim });
        }
        let both = a.width.min(b.width);
        let mut sum = 0.0;
        for (v, own) in a.labels.iter().enumerate() {
            let visits = &a.visits[v * a.width..v * a.width + both];
            for (w, other) in b.labels.iter().enumerate() {
                budget::check_after(2 + both / 4)?;
                if own == other {
                    let node = self.node.value(a.attributes(v), b.attributes(w));
                    sum += node * dot(visits, &b.visits[w * b.width..w * b.width + both]);
                }
            }
        }
        Ok(sum)
    }
}

/// The nodes of a graph and their positions on shortest paths.
#[derive(Clone, Debug)]
pub struct Hops {
    labels: Vec<u128>,
    attributes: Vec<f64>,
    dim: usize,
    /// M(v) for each node, by the number of arcs of the path and then the position on it. The entries for shorter paths
    /// come first, so graphs with different longest paths share a prefix.
    visits: Vec<f64>,
    /// The number of entries of one M(v).
    width: usize,
}

impl Hops {
    fn of(graph: &Graph, labels: bool) -> Result<Hops> {
        let n = graph.nodes();
        let mut walker = Walker::new(n);
        let mut longest = 0;
        for source in 0..n {
            budget::check_after(n)?;
            longest = longest.max(walker.search(graph, source));
        }
        budget::check()?;
        let width = (longest + 1).saturating_mul(longest + 2) / 2;
        budget::ask(
            &format!("positions of {n} nodes on shortest paths of up to {longest} arcs"),
            budget::matrix_bytes(n, width, size_of::<f64>()),
        )?;
        let mut visits = vec![0.0; n * width];
        for source in 0..n {
            budget::check_after(n)?;
            walker.search(graph, source);
            walker.count(graph, &mut visits, width);
        }
        let attributes = graph.node_attributes();
        Ok(Hops {
            labels: (0..n).map(|i| hash_of(graph.node_labels().filter(|_| labels), i)).collect(),
            attributes: attributes.map_or_else(Vec::new, |rows| rows.values().to_vec()),
            dim: attributes.map_or(0, |rows| rows.cols()),
            visits,
            width,
        })
    }

    fn attributes(&self, node: usize) -> &[f64] {
        &self.attributes[node * self.dim..(node + 1) * self.dim]
    }
}

/// Shortest paths from one node.
struct Walker {
    /// The nodes reached, nearest first.
    order: Vec<usize>,
    distance: Vec<usize>,
    /// The number of shortest paths from the source to each node.
    ways: Vec<f64>,
    /// For each node the number of continuations along shortest paths, by their number of arcs.
    onward: Vec<Vec<f64>>,
}

const FAR: usize = usize::MAX;

impl Walker {
    fn new(n: usize) -> Self {
        let onward = vec![Vec::new(); n];
        Walker { order: Vec::with_capacity(n), distance: vec![FAR; n], ways: vec![0.0; n], onward }
    }

    /// Finds shortest paths from a node and returns the length of the longest.
    fn search(&mut self, graph: &Graph, source: usize) -> usize {
        self.order.clear();
        self.distance.fill(FAR);
        self.order.push(source);
        (self.distance[source], self.ways[source]) = (0, 1.0);
        let mut at = 0;
        while let Some(&node) = self.order.get(at) {
            if budget::is_spent_after(4 + graph.neighbours(node).len()) {
                break;
            }
            at += 1;
            for &next in graph.neighbours(node) {
                let next = next as usize;
                if self.distance[next] == FAR {
                    self.distance[next] = self.distance[node] + 1;
                    self.ways[next] = 0.0;
                    self.order.push(next);
                }
                if self.distance[next] == self.distance[node] + 1 {
                    self.ways[next] += self.ways[node];
                }
            }
        }
        self.order.last().map_or(0, |&last| self.distance[last])
    }

    /// Adds the paths found to M(v) of every reached node: paths to v times continuations from v.
    fn count(&mut self, graph: &Graph, visits: &mut [f64], width: usize) {
        for &node in self.order.iter().rev() {
            if budget::is_spent_after(4 + graph.neighbours(node).len()) {
                return;
            }
            let mut own = std::mem::take(&mut self.onward[node]);
            own.clear();
            own.push(1.0);
            for &next in graph.neighbours(node) {
                let next = next as usize;
                if self.distance[next] == self.distance[node] + 1 {
                    let further = &self.onward[next];
                    if budget::is_spent_after(further.len() / 4) {
                        return;
                    }
                    own.resize(own.len().max(further.len() + 1), 0.0);
                    own[1..].iter_mut().zip(further).for_each(|(o, f)| *o += f);
                }
            }
            let place = self.distance[node];
            for (more, count) in own.iter().enumerate() {
                let length = place + more;
                visits[node * width + length * (length + 1) / 2 + place] += self.ways[node] * count;
            }
            self.onward[node] = own;
        }
    }
}

impl ParameterValue for NodeKernel {
    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        let (word, gamma) = (settings.word()?, settings.number()?);
        Ok(match word {
            "linear" => NodeKernel::Linear,
            "bridge" => NodeKernel::Bridge { gamma },
            _ => NodeKernel::Rbf { gamma },
        })
    }

    fn print(&self, out: &mut Printer<'_, '_>) -> fmt::Result {
        out.put(self.word())?;
        out.put(Short(self.gamma()))
    }
}

declared!(GraphHopper { node, labels, ignore });

impl OnGraphs for GraphHopper {
    fn graph_features(&self) -> GraphFeatures {
        GraphFeatures {
            node_labels: FeatureUse::switch(self.labels, "labels=yes"),
            direction: FeatureUse::Used,
            node_attributes: FeatureUse::Used,
            ..GraphFeatures::STRUCTURE
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Kernel<[Graph]> for GraphHopper {
    type Prepared = Vec<Hops>;

    fn prepare(&self, objects: &[Graph]) -> Result<Self::Prepared> {
        let graphs = self.admit(objects)?;
        let dims = || graphs.iter().enumerate().filter(|(_, g)| g.nodes() > 0);
        let dim = |g: &Graph| g.node_attributes().map_or(0, |rows| rows.cols());
        if let Some((_, first)) = dims().next()
            && let Some((index, other)) = dims().find(|(_, g)| dim(g) != dim(first))
        {
            let reason = format!("{} node attributes, where others have {}", dim(other), dim(first));
            return Err(Error::Object { index, reason, hint: None });
        }
        parallel::try_map(graphs.len(), |i| Hops::of(&graphs[i], self.labels))
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        for (row, i) in out.chunks_exact_mut(cols.len().max(1)).zip(rows.range.clone()) {
            for (v, j) in row.iter_mut().zip(cols.range.clone()) {
                *v = self.pair(&rows.set[i], &cols.set[j])?;
            }
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        for (v, i) in out.iter_mut().zip(of.range.clone()) {
            *v = self.pair(&of.set[i], &of.set[i])?;
        }
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }

    fn tile_side(&self) -> usize {
        16
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{gram, random_graphs};
    use super::*;
    use crate::data::Dense;
    use crate::random::Random;

    /// All shortest paths by enumeration: simple walks that are no longer than the distance.
    fn paths(g: &Graph) -> Vec<Vec<usize>> {
        let n = g.nodes();
        let mut all: Vec<Vec<usize>> = Vec::new();
        for source in 0..n {
            let mut layer = vec![vec![source]];
            let mut met = vec![source];
            while !layer.is_empty() {
                all.extend(layer.iter().cloned());
                let next: Vec<Vec<usize>> = layer
                    .iter()
                    .flat_map(|p| {
                        let onward = g.neighbours(p[p.len() - 1]).iter().map(|&v| v as usize);
                        onward
                            .filter(|v| !met.contains(v))
                            .map(|v| [&p[..], &[v]].concat())
                            .collect::<Vec<_>>()
                    })
                    .collect();
                met.extend(next.iter().map(|p| p[p.len() - 1]));
                layer = next;
            }
        }
        all
    }

    fn naive(kernel: &GraphHopper, g: &Graph, h: &Graph) -> f64 {
        let label =
            |g: &Graph, v: usize| g.node_labels().filter(|_| kernel.labels).map(|l| l.get(v).to_owned());
        let node = |v: usize, w: usize| {
            let row = |g: &Graph, v: usize| g.node_attributes().map_or(vec![], |a| a.row(v).to_vec());
            let (x, y) = (row(g, v), row(h, w));
            let alike = match kernel.node {
                NodeKernel::Linear => x.iter().zip(&y).map(|(x, y)| x * y).sum::<f64>(),
                NodeKernel::Rbf { gamma } => {
                    (-gamma * x.iter().zip(&y).map(|(x, y)| (x - y).powi(2)).sum::<f64>()).exp()
                }
                NodeKernel::Bridge { gamma } => {
                    x.iter().zip(&y).fold(1.0, |p, (x, y)| p * (1.0 - gamma * (x - y).abs()).max(0.0))
                }
            };
            if label(g, v) == label(h, w) { alike } else { 0.0 }
        };
        let mut sum = 0.0;
        for p in paths(g) {
            for q in paths(h).iter().filter(|q| q.len() == p.len()) {
                sum += p.iter().zip(q).map(|(&v, &w)| node(v, w)).sum::<f64>();
            }
        }
        sum
    }

    #[test]
    fn agrees_with_enumeration_of_all_paths() {
        let mut random = Random::new(4);
        for directed in [false, true] {
            let graphs: Vec<Graph> = random_graphs(31, 8, 8, directed)
                .into_iter()
                .map(|g| {
                    let values = (0..2 * g.nodes()).map(|_| random.unit()).collect();
                    let rows = Dense::new(g.nodes(), 2, values).unwrap();
                    g.without_edge_labels().with_node_attributes(rows).unwrap()
                })
                .collect();
            for node in
                [NodeKernel::Linear, NodeKernel::Rbf { gamma: 0.7 }, NodeKernel::Bridge { gamma: 1.5 }]
            {
                for labels in [true, false] {
                    let kernel = GraphHopper::new(node).unwrap().with_labels(labels);
                    let k = gram(&kernel, &graphs);
                    for i in 0..graphs.len() {
                        for j in 0..graphs.len() {
                            let want = naive(&kernel, &graphs[i], &graphs[j]);
                            assert!(
                                (k.at(i, j) - want).abs() <= 1e-12 * want,
                                "{kernel} {i} {j}: {} {want}",
                                k.at(i, j)
                            );
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn different_numbers_of_attributes_are_an_error() {
        let edge = Graph::undirected(2, &[(0, 1)]).unwrap();
        let one = edge.clone().with_node_attributes(Dense::zeros(2, 1)).unwrap();
        let two = edge.with_node_attributes(Dense::zeros(2, 2)).unwrap();
        let kernel = GraphHopper::new(NodeKernel::Linear).unwrap();
        let engine = crate::gram::Engine::new();
        assert!(matches!(
            engine.gram(&kernel, &[one.clone(), two.clone()][..]),
            Err(Error::Object { index: 1, .. })
        ));
        assert!(matches!(engine.cross(&kernel, &[one][..], &[two][..]), Err(Error::Dimension { .. })));
        assert!(GraphHopper::new(NodeKernel::Rbf { gamma: 0.0 }).is_err());
    }
}
