//! The shortest-path kernel with node attributes.

use super::paths::{NONE, Paths};
use super::{FeatureUse, GRAPHS, GraphFeatures, Ignore, OnGraphs, hash_of, switch};
use crate::budget;
use crate::data::{Dense, Graph, Ragged};
use crate::error::{Error, Result};
use crate::kernel::vector::gamma_of_sigma;
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, Prepared, declared};
use crate::numeric::math;
use crate::parallel;

/// Pairs of nodes with shortest paths of equal length, compared by the attributes of their ends.
///
/// k(G, H) = Σ over ordered pairs (u, v) of different nodes of G and (u', v') of H with d(u, v) = d(u', v') of κ(u,
/// u')·κ(v, v'), where κ(u, u') = exp(-gamma·|x_u - x_u'|²), times \[l(u) = l(u')\] if labels are used. Weights are
/// lengths. If all attributes are equal, it is [`ShortestPath`](super::ShortestPath).
///
/// For each length the sum over pairs is a matrix product, so two graphs of n nodes take n³ steps instead of n⁴.
///
/// ```
/// use mercer_core::{data::{Dense, Graph}, gram::Engine, kernel::graph::ShortestPathRbf};
/// let edge = |x: f64| Graph::undirected(2, &[(0, 1)])?.with_node_attributes(Dense::from_rows(&[[0.0], [x]]));
/// let k = Engine::new().gram(&ShortestPathRbf::new(1.0)?, &[edge(0.0)?, edge(1.0)?][..])?;
/// let near = (-1.0f64).exp();
/// assert!((k.at(0, 1) - 4.0 * near).abs() < 1e-14);
/// assert!((k.at(1, 1) - 2.0 * (1.0 + near * near)).abs() < 1e-14);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// K. M. Borgwardt and H.-P. Kriegel, *Shortest-path kernels on graphs*, ICDM 2005.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShortestPathRbf {
    gamma: f64,
    labels: bool,
    ignore: Ignore,
}

/// A prepared graph.
#[derive(Clone, Debug)]
struct Pathways {
    /// The hash of each node's label; constant if labels are not used.
    labels: Vec<u128>,
    attributes: Dense,
    /// The lengths that occur, ascending, and the pairs of each length.
    lengths: Vec<f32>,
    pairs: Ragged<(u32, u32)>,
    /// k(G, G).
    own: f64,
}

/// Graphs with their pairs of nodes by length.
#[derive(Clone, Debug)]
pub struct PathwaySet(Vec<Pathways>);

impl Prepared for PathwaySet {
    fn len(&self) -> usize {
        self.0.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        PathwaySet(self.0.select(chosen))
    }
}

impl ShortestPathRbf {
    /// The kernel with this gamma, above 0.
    pub fn new(gamma: f64) -> Result<Self> {
        Ok(ShortestPathRbf {
            gamma: Self::FACTS.check("gamma", gamma)?,
            labels: true,
            ignore: Ignore::Nothing,
        })
    }

    /// Whether node labels are used.
    #[must_use]
    pub fn with_labels(self, labels: bool) -> Self {
        ShortestPathRbf { labels, ..self }
    }

    /// Sets the features of graphs to ignore.
    #[must_use]
    pub fn ignoring(self, ignore: Ignore) -> Self {
        ShortestPathRbf { ignore, ..self }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "shortest-path-rbf",
        summary: "Pairs of nodes with shortest paths of equal length, compared by the attributes of their ends.",
        formula: "Σ_{u≠v ∈ G} Σ_{u'≠v' ∈ H} [d(u, v) = d(u', v')]·κ(u, u')·κ(v, v'), κ(u, u') = [l(u) = l(u')]·exp(-gamma·|x_u - x_u'|²)",
        takes: "graphs with node attributes, node labels or none; weights are lengths",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "gamma",
                default: "1",
                domain: Domain::Positive,
                doc: "how fast similarity falls with squared distance of attributes",
                alias: Some(("sigma", gamma_of_sigma)),
            },
            switch("labels", "yes", "also require equal labels of the ends"),
            Ignore::PARAMETER,
        ],
        cost: "the cube of the number of nodes",
        reference: "Borgwardt & Kriegel 2005, Shortest-path kernels on graphs",
        example: "shortest-path-rbf(gamma=0.1)",
    };

    fn prepare_one(&self, graph: &Graph) -> Result<Pathways> {
        let n = graph.nodes();
        let mut found = Vec::new();
        let mut paths = Paths::new(graph)?;
        for u in 0..n as u32 {
            budget::check_after(n)?;
            if found.len() + n > found.capacity() {
                let needed = budget::matrix_bytes(found.len() + n, 2, size_of::<(u32, u32, u32)>());
                budget::ask(&format!("the shortest paths of a graph of {n} nodes"), needed)?;
            }
            let lengths = paths.from(u as usize).iter().zip(0u32..);
            found.extend(lengths.filter(|(l, v)| **l != NONE && *v != u).map(|(l, v)| (l.to_bits(), u, v)));
        }
        // Lengths are at least 0, so their bits sort like the numbers.
        found.sort_unstable();
        let equal = || found.chunk_by(|a, b| f32::from_bits(a.0) == f32::from_bits(b.0));
        let lengths = equal().map(|run| f32::from_bits(run[0].0)).collect();
        let pairs = Ragged::from_rows(equal().map(|run| run.iter().map(|&(_, u, v)| (u, v))));
        let labels = graph.node_labels().filter(|_| self.labels);
        let mut out = Pathways {
            labels: (0..n).map(|i| hash_of(labels, i)).collect(),
            attributes: graph.node_attributes().cloned().unwrap_or_else(|| Dense::zeros(n, 0)),
            lengths,
            pairs,
            own: 0.0,
        };
        out.own = self.compare(&out, &out)?;
        Ok(out)
    }

    /// κ of every node of the first graph (rows) with every node of the second.
    fn nodes(&self, a: &Pathways, b: &Pathways) -> Result<Dense> {
        let (n, m) = (a.labels.len(), b.labels.len());
        if n > 0 && m > 0 && a.attributes.cols() != b.attributes.cols() {
            return Err(Error::Dimension { expected: b.attributes.cols(), found: a.attributes.cols() });
        }
        // Four tables of node pairs are held while two graphs are compared.
        budget::ask(&format!("pairs of nodes ({n} × {m})"), budget::matrix_bytes(n, m, 32))?;
        let mut out = Dense::zeros(n, m);
        for u in 0..n {
            budget::check_after(m * (4 + a.attributes.cols()))?;
            let x = a.attributes.row(u);
            for (v, to) in out.row_mut(u).iter_mut().enumerate() {
                let square: f64 = x.iter().zip(b.attributes.row(v)).map(|(x, y)| (x - y) * (x - y)).sum();
                // Different labels give exactly 0, whatever gamma is.
                *to = if a.labels[u] == b.labels[v] { -self.gamma * square } else { f64::NEG_INFINITY };
            }
            math::exp_all(out.row_mut(u));
        }
        Ok(out)
    }

    fn compare(&self, a: &Pathways, b: &Pathways) -> Result<f64> {
        let (n, m) = (a.labels.len(), b.labels.len());
        let near = self.nodes(a, b)?;
        // The transpose, because sums run along rows.
        let mut transposed = vec![0.0; n * m];
        (0..n).for_each(|u| (0..m).for_each(|v| transposed[v * n + u] = near.at(u, v)));
        let (mut around, mut back) = (vec![0.0; n * m], vec![0.0; n * m]);
        let (mut i, mut j, mut sum) = (0, 0, 0.0);
        while i < a.lengths.len() && j < b.lengths.len() {
            if a.lengths[i] != b.lengths[j] {
                let behind = a.lengths[i] < b.lengths[j];
                i += usize::from(behind);
                j += usize::from(!behind);
                continue;
            }
            // around[u'][v] = Σ of κ(v, v') over v' at this distance from u'.
            around.fill(0.0);
            budget::check_after(2 * n * m)?;
            for &(from, to) in b.pairs.row(j) {
                budget::check_after(1 + n / 4)?;
                let row = &mut around[from as usize * n..][..n];
                row.iter_mut().zip(&transposed[to as usize * n..][..n]).for_each(|(s, k)| *s += k);
            }
            (0..n).for_each(|v| (0..m).for_each(|u| back[v * m + u] = around[u * n + v]));
            for &(from, to) in a.pairs.row(i) {
                budget::check_after(1 + m / 4)?;
                sum += math::dot(near.row(from as usize), &back[to as usize * m..][..m]);
            }
            i += 1;
            j += 1;
        }
        Ok(sum)
    }
}

declared!(ShortestPathRbf { gamma, labels, ignore });

impl OnGraphs for ShortestPathRbf {
    fn graph_features(&self) -> GraphFeatures {
        GraphFeatures {
            node_labels: FeatureUse::switch(self.labels, "labels=yes"),
            weights: FeatureUse::Used,
            direction: FeatureUse::Used,
            node_attributes: FeatureUse::Used,
            ..GraphFeatures::STRUCTURE
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Kernel<[Graph]> for ShortestPathRbf {
    type Prepared = PathwaySet;

    fn prepare(&self, graphs: &[Graph]) -> Result<PathwaySet> {
        let graphs = self.admit(graphs)?;
        let one = |i: usize| self.prepare_one(&graphs[i]).map_err(|e| e.of_object(|_| i));
        parallel::try_map(graphs.len(), one).map(PathwaySet)
    }

    fn fill(&self, rows: Part<'_, PathwaySet>, cols: Part<'_, PathwaySet>, out: &mut [f64]) -> Result<()> {
        let mut entries = out.iter_mut();
        for a in &rows.set.0[rows.range.clone()] {
            for (b, v) in cols.set.0[cols.range.clone()].iter().zip(&mut entries) {
                *v = self.compare(a, b)?;
            }
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, PathwaySet>, out: &mut [f64]) -> Result<()> {
        out.iter_mut().zip(&of.set.0[of.range.clone()]).for_each(|(v, graph)| *v = graph.own);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }

    fn tile_side(&self) -> usize {
        16
    }
}
