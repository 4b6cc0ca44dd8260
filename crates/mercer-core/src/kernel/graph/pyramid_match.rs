//! The pyramid match kernel: node embeddings matched in grids of decreasing resolution.

use super::{FeatureUse, GRAPHS, GraphFeatures, Ignore, OnGraphs, hash_of, join, switch};
use crate::budget;
use crate::data::{Dense, Graph};
use crate::error::Result;
use crate::gram::Spectrum;
use crate::kernel::counts::{Bag, CountSimilarity, Counting};
use crate::kernel::{Definiteness, Domain, Facts, Parameter, declared};

/// The pyramid match kernel: nodes are points of the unit cube, and two points match in the finest grid in which they
/// share a cell.
///
/// A node's coordinates are the absolute values of its entries in the eigenvectors of the adjacency matrix for the d
/// eigenvalues largest in magnitude. At level l each axis is divided into 2^l cells. I_l is the number of points that
/// can be paired within cells, axis by axis and, with labels, label by label: a sum of minima of counts. Then
///
/// k(G, H) = I_L + Σ_{l < L} (I_l - I_{l+1}) / 2^(L-l),
///
/// so that pairs that first match in a coarser grid count half as much for each level. All I_l have positive weights in
/// the sum, so it is positive semidefinite.
///
/// The paper does not define the coordinates for an eigenvalue with several eigenvectors, since any basis of their
/// space is possible. Here each of its m coordinates is the norm of the node's projection onto that space, divided by
/// √m. So the kernel does not depend on the numbering of the nodes. Coordinates beyond the number of nodes are 0. A
/// coordinate less than 1e-9 below the border of a cell belongs to the next cell.
///
/// Cost: n³ for a graph of n nodes, d·(L + 1)·n counts per graph, a merge of them per pair.
///
/// ```
/// use mercer_core::{data::Graph, gram::Engine, kernel::graph::PyramidMatch};
/// let square = Graph::undirected(4, &[(0, 1), (1, 2), (2, 3), (3, 0)])?;
/// let edge = Graph::undirected(2, &[(0, 1)])?;
/// let k = Engine::new().gram(&PyramidMatch::new(1, 1)?, &[square, edge][..])?;
/// // Coordinates 1/2 and 1/√2: both in the upper of two cells.
/// assert_eq!(k.values(), [4.0, 2.0, 2.0, 2.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// G. Nikolentzos, P. Meladianos and M. Vazirgiannis, *Matching node embeddings for graph similarity*, AAAI 2017;
/// K. Grauman and T. Darrell 2007.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PyramidMatch {
    levels: u32,
    dimensions: usize,
    labels: bool,
    ignore: Ignore,
}

/// Eigenvalues this close, relative to the largest, count as equal.
const CLOSE: f64 = 1e-9;

impl PyramidMatch {
    /// Levels from 0 to 20, 4 in the paper's experiments; dimensions from 1 to 1000, 6 in the paper.
    pub fn new(levels: u32, dimensions: usize) -> Result<Self> {
        Self::FACTS.check("levels", f64::from(levels))?;
        Self::FACTS.check("dimensions", dimensions as f64)?;
        Ok(PyramidMatch { levels, dimensions, labels: true, ignore: Ignore::default() })
    }

    /// Whether nodes match only nodes with the same label (the default), or all.
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
        name: "pyramid-match",
        summary: "Spectral node embeddings, matched in grids of decreasing resolution.",
        formula: "I_L + Σ_{l<L} (I_l - I_{l+1}) / 2^(L-l), I_l = Σ_cells min(c(G), c(H)) at level l",
        takes: "graphs with node labels or none; weights",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "levels",
                default: "4",
                domain: Domain::Whole(0, 20),
                doc: "number of times that cells are halved",
                alias: None,
            },
            Parameter {
                name: "dimensions",
                default: "6",
                domain: Domain::Whole(1, 1000),
                doc: "number of eigenvectors",
                alias: None,
            },
            switch("labels", "yes", "match only nodes with the same label"),
            Ignore::PARAMETER,
        ],
        cost: "per graph n³; per pair a merge of d·(levels + 1)·n counts",
        reference: "Nikolentzos, Meladianos & Vazirgiannis 2017, Matching node embeddings for graph similarity",
        example: "pyramid-match(levels=4, dimensions=6)",
    };

    /// The coordinates of all nodes, axis by axis; there are at most as many axes as nodes.
    fn points(&self, graph: &Graph) -> Result<Vec<Vec<f64>>> {
        let n = graph.nodes();
        if n == 0 {
            return Ok(Vec::new());
        }
        budget::ask(
            &format!("the eigenvectors of a graph of {n} nodes"),
            budget::matrix_bytes(n, n, 4 * size_of::<f64>()),
        )?;
        let mut a = Dense::zeros(n, n);
        for i in 0..n {
            for (arc, &j) in graph.outgoing(i).zip(graph.neighbours(i)) {
                a.row_mut(i)[j as usize] = graph.weights().map_or(1.0, |w| w[arc]);
            }
        }
        let spectrum = Spectrum::of(&a)?;
        let near = CLOSE * spectrum.radius();
        // Eigenspaces, as ranges of the ascending eigenvalues.
        let mut spaces: Vec<std::ops::Range<usize>> = Vec::new();
        for (k, value) in spectrum.values.iter().enumerate() {
            match spaces.last_mut() {
                Some(last) if value - spectrum.values[last.start] <= near => last.end = k + 1,
                _ => spaces.push(k..k + 1),
            }
        }
        let size = |space: &std::ops::Range<usize>| spectrum.values[space.start].abs();
        spaces.sort_by(|a, b| size(b).total_cmp(&size(a)));
        // Of two eigenvalues that differ only in sign the positive one comes first, regardless of rounding.
        for at in 1..spaces.len() {
            let (a, b) = (&spaces[at - 1], &spaces[at]);
            if size(a) - size(b) <= near && spectrum.values[a.start] < spectrum.values[b.start] {
                spaces.swap(at - 1, at);
            }
        }
        let mut axes: Vec<Vec<f64>> = Vec::new();
        for space in spaces {
            let mut squares = vec![0.0; n];
            for k in space.clone() {
                squares.iter_mut().zip(spectrum.vectors.row(k)).for_each(|(s, u)| *s += u * u);
            }
            let axis: Vec<f64> = squares.iter().map(|s| (s / space.len() as f64).sqrt()).collect();
            let more = space.len().min(self.dimensions.saturating_sub(axes.len()));
            axes.extend(std::iter::repeat_n(axis, more));
            if axes.len() >= self.dimensions {
                break;
            }
        }
        Ok(axes)
    }
}

declared!(PyramidMatch { levels, dimensions, labels, ignore });

impl OnGraphs for PyramidMatch {
    fn graph_features(&self) -> GraphFeatures {
        GraphFeatures {
            node_labels: FeatureUse::switch(self.labels, "labels=yes"),
            weights: FeatureUse::Used,
            ..GraphFeatures::STRUCTURE
        }
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Counting for PyramidMatch {
    type Objects = [Graph];

    fn similarity(&self) -> CountSimilarity {
        // The factor that makes the weights whole numbers.
        CountSimilarity::Minima { unit: (1u64 << self.levels) as f64 }
    }

    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        let points = self.points(graph)?;
        for node in 0..graph.nodes() {
            let label = hash_of(graph.node_labels().filter(|_| self.labels), node);
            for axis in 0..self.dimensions {
                let x = points.get(axis).map_or(0.0, |coordinates| coordinates[node]);
                for level in 0..=self.levels {
                    let cells = 1u64 << level;
                    let cell = ((x * cells as f64 + CLOSE) as u64).min(cells - 1);
                    let place = (axis as u128) << 64 | u128::from(level) << 32 | u128::from(cell);
                    // The weight of I_l, times 2^L.
                    bag.add_many(join(&[label, place]), 1 << level.saturating_sub(1));
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{gram, random_graphs, renumbered};
    use super::*;
    use crate::random::Random;

    /// Eigenvalues and eigenvectors by Jacobi rotations.
    fn jacobi(a: &Dense) -> Vec<(f64, Vec<f64>)> {
        let n = a.rows();
        let mut a: Vec<Vec<f64>> = (0..n).map(|i| a.row(i).to_vec()).collect();
        let mut u: Vec<Vec<f64>> =
            (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        for _ in 0..60 {
            for p in 0..n {
                for q in p + 1..n {
                    if a[p][q] == 0.0 {
                        continue;
                    }
                    let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
                    let (s, c) = angle.sin_cos();
                    for row in a.iter_mut().chain(u.iter_mut()) {
                        (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
                    }
                    let (top, bottom) = a.split_at_mut(q);
                    for (x, y) in top[p].iter_mut().zip(&mut bottom[0]) {
                        (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                    }
                }
            }
        }
        (0..n).map(|k| (a[k][k], (0..n).map(|i| u[i][k]).collect())).collect()
    }

    fn naive(kernel: &PyramidMatch, g: &Graph, h: &Graph) -> f64 {
        let points = |g: &Graph| {
            let n = g.nodes();
            let mut a = Dense::zeros(n, n);
            for (place, (i, j)) in g.arcs().enumerate() {
                a.row_mut(i as usize)[j as usize] = g.weights().unwrap()[place];
            }
            let mut pairs = jacobi(&a);
            pairs.sort_by(|a, b| b.0.abs().total_cmp(&a.0.abs()));
            let coordinate = |i: usize, d: usize| pairs.get(d).map_or(0.0, |p| p.1[i].abs());
            (0..n)
                .map(|i| (0..kernel.dimensions).map(|d| coordinate(i, d)).collect::<Vec<_>>())
                .collect::<Vec<_>>()
        };
        let (x, y) = (points(g), points(h));
        let label =
            |g: &Graph, i: usize| g.node_labels().filter(|_| kernel.labels).map(|l| l.get(i).to_owned());
        let shared = |level: u32| {
            let cells = f64::from(1u32 << level);
            let mut sum = 0;
            for name in [None, Some("C"), Some("N"), Some("O")].map(|n| n.map(str::to_owned)) {
                for d in 0..kernel.dimensions {
                    for cell in 0..1 << level {
                        let inside = |v: f64| ((v * cells).floor() as i32).min((1 << level) - 1) == cell;
                        let count = |g: &Graph, x: &[Vec<f64>]| {
                            (0..x.len()).filter(|&i| label(g, i) == name && inside(x[i][d])).count()
                        };
                        sum += count(g, &x).min(count(h, &y));
                    }
                }
            }
            sum as f64
        };
        let top = kernel.levels;
        let coarser = |l: u32| (shared(l) - shared(l + 1)) / f64::from(1u32 << (top - l));
        shared(top) + (0..top).map(coarser).sum::<f64>()
    }

    #[test]
    fn agrees_with_the_definition() {
        let mut random = Random::new(2);
        // All edges and loops, with random weights: no eigenvalue is repeated or occurs with both signs.
        let complete = |n: usize| {
            let mut edges = Vec::new();
            (0..n as u32).for_each(|a| (0..=a).for_each(|b| edges.push((a, b))));
            let weights = edges.iter().map(|_| random.unit() * 2.0 - 0.7).collect();
            let names: Vec<_> = (0..n).map(|_| ["C", "N", "O"][random.below(3)]).collect();
            let builder = crate::data::GraphBuilder::undirected(n).edges(edges).weights(weights);
            builder.node_labels(crate::data::Labels::from_names(names)).build().unwrap().0
        };
        let graphs: Vec<Graph> = (0..9).map(complete).collect();
        for (levels, dimensions, labels) in
            [(0, 1, true), (1, 2, false), (3, 4, true), (4, 6, false), (2, 12, true)]
        {
            let kernel = PyramidMatch::new(levels, dimensions).unwrap().with_labels(labels);
            let k = gram(&kernel, &graphs);
            for i in 0..graphs.len() {
                for j in 0..graphs.len() {
                    assert_eq!(k.at(i, j), naive(&kernel, &graphs[i], &graphs[j]), "{kernel} {i} {j}");
                }
            }
        }
    }

    #[test]
    fn numbering_of_nodes_does_not_matter() {
        let mut random = Random::new(6);
        let cycle = |n: u32| {
            Graph::undirected(n as usize, &(0..n).map(|i| (i, (i + 1) % n)).collect::<Vec<_>>()).unwrap()
        };
        let mut graphs = random_graphs(3, 10, 7, false);
        graphs.iter_mut().for_each(|g| *g = g.clone().without_edge_labels());
        graphs.extend([cycle(4), cycle(6), cycle(8), cycle(5)]);
        let others: Vec<Graph> = graphs.iter().map(|g| renumbered(g, &mut random)).collect();
        let kernel = PyramidMatch::new(4, 6).unwrap();
        assert_eq!(gram(&kernel, &graphs), gram(&kernel, &others));
    }

    #[test]
    fn self_similarity_is_nodes_times_dimensions() {
        let graphs = random_graphs(12, 5, 9, false);
        let kernel = PyramidMatch::new(3, 5).unwrap().ignoring(Ignore::Others);
        let k = gram(&kernel, &graphs);
        for (i, g) in graphs.iter().enumerate() {
            assert_eq!(k.at(i, i), 5.0 * g.nodes() as f64);
        }
        assert!(PyramidMatch::new(21, 1).is_err() && PyramidMatch::new(1, 0).is_err());
    }
}
