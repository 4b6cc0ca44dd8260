//! A kernel on graphs summed over layers: the k-cores or the Weisfeiler–Lehman refinements of the graphs.

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use super::wl::{WeisfeilerLehman, rounds};
use super::{GRAPHS, switch};
use crate::budget;
use crate::data::{AtomLabels, Column, Dataset, Graph, Labels, Values, molecule_graphs};
use crate::error::{Error, Result};
use crate::kernel::extend::Present;
use crate::kernel::{Definiteness, Facts, Kernel, Part, Prepared};

/// The sum of a kernel over layers of two graphs: Σ_i k(L_i(G), L_i(H)).
///
/// Layers that only one of the two graphs has add nothing, so the kernel is positive semidefinite if the inner kernel
/// is.
///
/// [`Layered::cores`]: the i-core C_i of a graph is its largest subgraph in which every node has at least i neighbours;
/// C_0 is the graph. Arcs count as neighbours in both directions; loops do not count. The cores take time linear in the
/// edges, up to a logarithm.
///
/// [`Layered::refined`]: the graph with the node labels of Weisfeiler–Lehman rounds 0, 1, …, h. With
/// [`VertexHistogram`](super::VertexHistogram) as the inner kernel it equals [`WeisfeilerLehman`], which is faster; any
/// other inner kernel is possible.
///
/// Cost: that of the inner kernel for each layer.
///
/// ```
/// use mercer_core::{data::Graph, gram::Engine, kernel::graph::{Layered, VertexHistogram}};
/// // A triangle with a tail: all four nodes are in the 0-core and in the 1-core, the triangle is the 2-core.
/// let kite = Graph::undirected(4, &[(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// let k = Engine::new().gram(&Layered::cores(VertexHistogram::default()), &[kite.clone()][..])?;
/// assert_eq!(k.at(0, 0), 16.0 + 16.0 + 9.0);
/// // One round distinguishes the node of degree 3 and the end of the tail from the two others.
/// let k = Engine::new().gram(&Layered::refined(VertexHistogram::default(), 1, false)?, &[kite][..])?;
/// assert_eq!(k.at(0, 0), 16.0 + 4.0 + 1.0 + 1.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// G. Nikolentzos, P. Meladianos, S. Limnios and M. Vazirgiannis, *A degeneracy framework for graph similarity*, IJCAI
/// 2018; N. Shervashidze, P. Schweitzer, E. J. van Leeuwen, K. Mehlhorn and K. M. Borgwardt, *Weisfeiler-Lehman graph
/// kernels*, JMLR 12, 2011.
#[derive(Clone, Debug, PartialEq)]
pub struct Layered<K> {
    inner: K,
    layering: Layering,
}

/// The kind of layers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layering {
    /// The cores of the graph.
    Cores,
    /// The graph with the labels of each Weisfeiler–Lehman round.
    Refinements {
        /// The number of rounds.
        h: usize,
        /// Whether edge labels distinguish neighbours.
        edge_labels: bool,
    },
}

impl<K> Layered<K> {
    /// The sum over the cores of graphs.
    pub fn cores(inner: K) -> Self {
        Layered { inner, layering: Layering::Cores }
    }

    /// The sum over the Weisfeiler–Lehman rounds 0, 1, …, h; h from 0 to 1000.
    pub fn refined(inner: K, h: usize, edge_labels: bool) -> Result<Self> {
        WL_OF.check("h", h as f64)?;
        Ok(Layered { inner, layering: Layering::Refinements { h, edge_labels } })
    }
}

/// Facts about the sum over cores.
#[doc(hidden)]
pub const CORE: Facts = Facts {
    name: "core",
    summary: "A kernel on graphs, summed over their k-cores.",
    formula: "Σ_i k(C_i(G), C_i(H)), C_i the largest subgraph in which every node has at least i neighbours",
    takes: "a kernel on graphs",
    kinds: GRAPHS,
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[],
    cost: "that of the kernel for each core",
    reference: "Nikolentzos, Meladianos, Limnios & Vazirgiannis 2018, A degeneracy framework",
    example: "core(wl(h=3))",
};

/// Facts about the sum over Weisfeiler–Lehman rounds.
#[doc(hidden)]
pub const WL_OF: Facts = Facts {
    name: "wl-of",
    summary: "A kernel on graphs, summed over Weisfeiler–Lehman rounds of labels.",
    formula: "Σ_{i=0..h} k(G_i, H_i), where G_0 = G and l_{i+1}(v) = (l_i(v), {l_i(u): u ~ v})",
    takes: CORE.takes,
    kinds: GRAPHS,
    definiteness: Definiteness::PositiveSemidefinite,
    parameters: &[
        WeisfeilerLehman::ROUNDS,
        switch("edge-labels", "no", "use edge labels to distinguish neighbours"),
    ],
    cost: "that of the kernel for each round",
    reference: "Shervashidze et al. 2011, Weisfeiler-Lehman graph kernels, section 3.1",
    example: "wl-of(random-walk(kind=k-step, steps=2, decay=1), h=2)",
};

impl<K: fmt::Display> fmt::Display for Layered<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.layering {
            Layering::Cores => CORE.print(f, &[&self.inner], &[]),
            Layering::Refinements { h, edge_labels } => WL_OF.print(f, &[&self.inner], &[&h, &edge_labels]),
        }
    }
}

/// Sets of graphs that have layers.
pub trait Layers: ToOwned {
    /// For each layer from 0: the indices of the objects that have it, ascending, and the objects in that layer.
    fn layers(&self, layering: Layering) -> Result<Vec<(Vec<usize>, Self::Owned)>>;
}

impl Layers for [Graph] {
    fn layers(&self, layering: Layering) -> Result<Vec<(Vec<usize>, Vec<Graph>)>> {
        match layering {
            Layering::Cores => cores(self),
            Layering::Refinements { h, edge_labels } => refinements(self, h, edge_labels),
        }
    }
}

impl Layers for Dataset {
    fn layers(&self, layering: Layering) -> Result<Vec<(Vec<usize>, Dataset)>> {
        let [column] = self.columns() else { return Err(Error::usage("layers need exactly one column")) };
        let converted;
        let graphs = match &column.values {
            Values::Graphs(graphs) => graphs,
            Values::Molecules(all) => {
                converted = molecule_graphs(all, AtomLabels::default())?;
                &converted
            }
            other => {
                let kind = other.kind();
                return Err(Error::usage(format!("layers need a column of graphs, not {kind}")));
            }
        };
        let layer = |(chosen, graphs): (Vec<usize>, Vec<_>)| {
            let data = self.select(&chosen);
            let column = Column::new(&column.name, Values::Graphs(graphs));
            Ok((chosen, data.with_columns(vec![column])?))
        };
        graphs[..].layers(layering)?.into_iter().map(layer).collect()
    }
}

fn cores(graphs: &[Graph]) -> Result<Vec<(Vec<usize>, Vec<Graph>)>> {
    let numbers: Vec<Vec<usize>> = graphs.iter().map(core_numbers).collect();
    budget::check()?;
    // Each core of a graph is a copy of part of it.
    let size = |(g, numbers): (&Graph, &Vec<usize>)| {
        let of_node =
            |(v, number): (usize, &usize)| (*number as u64 + 1) * (32 + 16 * g.outgoing(v).len() as u64);
        numbers.iter().enumerate().map(of_node).sum::<u64>()
    };
    budget::ask("the cores of all graphs", graphs.iter().zip(&numbers).map(size).sum::<u64>())?;
    let depth = |i: usize| numbers[i].iter().copied().max().unwrap_or(0);
    let deepest = (0..graphs.len()).map(depth).max().unwrap_or(0);
    let level = |level: usize| {
        budget::check()?;
        let chosen: Vec<usize> = (0..graphs.len()).filter(|&i| depth(i) >= level).collect();
        let core = |&i: &usize| {
            budget::check_after(graphs[i].nodes())?;
            let nodes: Vec<usize> = (0..graphs[i].nodes()).filter(|&v| numbers[i][v] >= level).collect();
            if nodes.len() == graphs[i].nodes() { Ok(graphs[i].clone()) } else { graphs[i].induced(&nodes) }
        };
        let cores = chosen.iter().map(core).collect::<Result<Vec<_>>>()?;
        Ok((chosen, cores))
    };
    (0..=deepest).map(level).collect()
}

/// All graphs in every layer, with the labels of its round.
fn refinements(graphs: &[Graph], h: usize, edge_labels: bool) -> Result<Vec<(Vec<usize>, Vec<Graph>)>> {
    // A label of 32 characters for each node of each round, and a copy of the graph.
    let size = |g: &Graph| 128 * g.nodes() as u64 + 16 * g.arcs().count() as u64;
    budget::ask("the refined graphs of all rounds", h as u64 * graphs.iter().map(size).sum::<u64>())?;
    let all: Vec<usize> = (0..graphs.len()).collect();
    let mut layers = vec![(all, graphs.to_vec())];
    layers.extend((0..h).map(|_| ((0..graphs.len()).collect(), Vec::with_capacity(graphs.len()))));
    for graph in graphs {
        let mut round = 0;
        rounds(graph, h, edge_labels, |labels| {
            if round > 0 {
                budget::check()?;
                let named = Labels::from_names(labels.iter().map(|hash| format!("{hash:032x}")));
                layers[round].1.push(graph.clone().with_node_labels(named)?);
            }
            round += 1;
            Ok(())
        })?;
    }
    Ok(layers)
}

/// For each node the largest i whose core contains it: nodes are removed in order of the fewest remaining neighbours.
fn core_numbers(graph: &Graph) -> Vec<usize> {
    let n = graph.nodes();
    let mut around: Vec<Vec<u32>> = vec![Vec::new(); n];
    for (a, b) in graph.arcs().filter(|(a, b)| a != b) {
        around[a as usize].push(b);
        around[b as usize].push(a);
    }
    around.iter_mut().for_each(|list| {
        list.sort_unstable();
        list.dedup();
    });
    let mut left: Vec<usize> = around.iter().map(Vec::len).collect();
    let mut queue: BinaryHeap<_> = left.iter().enumerate().map(|(v, &d)| Reverse((d, v))).collect();
    let (mut numbers, mut gone, mut level) = (vec![0; n], vec![false; n], 0);
    while let Some(Reverse((degree, v))) = queue.pop() {
        if budget::is_spent_after(8 + around[v].len()) {
            break;
        }
        // Entries made before a neighbour was removed are out of date.
        if gone[v] || degree != left[v] {
            continue;
        }
        level = level.max(degree);
        (numbers[v], gone[v]) = (level, true);
        for &u in &around[v] {
            if !gone[u as usize] {
                left[u as usize] -= 1;
                queue.push(Reverse((left[u as usize], u as usize)));
            }
        }
    }
    numbers
}

/// Objects prepared layer by layer; an object may lack some layers.
#[derive(Debug)]
pub struct Levels<P> {
    levels: Vec<Present<P>>,
    count: usize,
}

impl<P: Prepared> Prepared for Levels<P> {
    fn len(&self) -> usize {
        self.count
    }

    fn select(&self, chosen: &[usize]) -> Self {
        let levels = self.levels.iter().map(|level| level.select(chosen)).collect();
        Levels { levels, count: chosen.len() }
    }
}

impl<X: Layers + ?Sized, K: Kernel<X>> Kernel<X> for Layered<K> {
    type Prepared = Levels<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let layers = objects.layers(self.layering)?;
        let count = layers.iter().map(|(chosen, _)| chosen.len()).max().unwrap_or(0);
        let level = |(chosen, cores): (Vec<usize>, X::Owned)| {
            let inner = self.inner.prepare(cores.borrow()).map_err(|e| e.of_object(|at| chosen[at]))?;
            Ok(Present::new(inner, chosen, count))
        };
        Ok(Levels { levels: layers.into_iter().map(level).collect::<Result<_>>()?, count })
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        out.fill(0.0);
        let mut values = Vec::new();
        for (own, other) in rows.set.levels.iter().zip(&cols.set.levels) {
            let (down, row_at) = Part::new(own, rows.range.clone()).inside();
            let (across, col_at) = Part::new(other, cols.range.clone()).inside();
            let width = across.len();
            if down.is_empty() || width == 0 {
                continue;
            }
            values.resize(down.len() * width, 0.0);
            self.inner.fill(down, across, &mut values)?;
            for (row, i) in values.chunks_exact(width).zip(row_at) {
                row.iter().zip(col_at.clone()).for_each(|(v, j)| out[i * cols.len() + j] += v);
            }
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        for level in &of.set.levels {
            let (inner, at) = Part::new(level, of.range.clone()).inside();
            let mut values = vec![0.0; inner.len()];
            self.inner.diagonal(inner, &mut values)?;
            at.zip(values).for_each(|(i, v)| out[i] += v);
        }
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        self.inner.definiteness()
    }

    fn is_transductive(&self) -> bool {
        self.inner.is_transductive()
    }

    fn tile_side(&self) -> usize {
        self.inner.tile_side()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{gram, random_graphs};
    use super::super::{Base, ShortestPath, VertexHistogram, WeisfeilerLehman};
    use super::*;

    /// Nodes with too few neighbours are removed until none is left; the rest is the core.
    fn naive_core(graph: &Graph, level: usize) -> Option<Graph> {
        let mut kept: Vec<usize> = (0..graph.nodes()).collect();
        loop {
            let joined = |a: usize, b: usize| {
                let arc = |a: usize, b: usize| graph.neighbours(a).contains(&(b as u32));
                a != b && (arc(a, b) || arc(b, a))
            };
            let weak = |&v: &usize| kept.iter().filter(|&&u| joined(u, v)).count() < level;
            match kept.iter().copied().find(|v| weak(v)) {
                Some(v) => kept.retain(|&u| u != v),
                None => break,
            }
        }
        (level == 0 || !kept.is_empty()).then(|| graph.induced(&kept).unwrap())
    }

    #[test]
    fn sums_over_naive_cores() {
        for directed in [false, true] {
            let graphs = random_graphs(17, 9, 9, directed);
            let wl = WeisfeilerLehman::new(2).unwrap().with_edge_labels(true);
            let k = gram(&Layered::cores(wl), &graphs);
            let histogram = super::super::Ignore::Others;
            let plain = gram(&Layered::cores(VertexHistogram::ignoring(histogram)), &graphs);
            let mut deepest = 0;
            for i in 0..graphs.len() {
                for j in 0..graphs.len() {
                    let (mut want, mut counted) = (0.0, 0.0);
                    for level in 0..10 {
                        let (Some(a), Some(b)) =
                            (naive_core(&graphs[i], level), naive_core(&graphs[j], level))
                        else {
                            break;
                        };
                        deepest = deepest.max(level);
                        let pair = [a, b];
                        want += gram(&wl, &pair).at(0, 1);
                        counted += gram(&VertexHistogram::ignoring(histogram), &pair).at(0, 1);
                    }
                    assert_eq!((k.at(i, j), plain.at(i, j)), (want, counted), "{i} {j}");
                }
            }
            assert!(deepest >= 3, "{deepest}");
        }
    }

    /// For inner kernels with their own Weisfeiler–Lehman form, the results are equal.
    #[test]
    fn refined_histograms_and_paths_equal_wl() {
        for (directed, with_edges) in [(false, false), (false, true), (true, true)] {
            let graphs = random_graphs(23, 8, 7, directed);
            let ignore = super::super::Ignore::Others;
            for (h, base) in [(0, Base::Subtree), (3, Base::Subtree), (2, Base::ShortestPath)] {
                let wl = WeisfeilerLehman::new(h).unwrap().with_edge_labels(with_edges);
                let wl = gram(&wl.with_base(base).ignoring(ignore), &graphs);
                let refined = match base {
                    Base::Subtree => {
                        let inner = VertexHistogram::ignoring(ignore);
                        gram(&Layered::refined(inner, h, with_edges).unwrap(), &graphs)
                    }
                    _ => {
                        let inner = ShortestPath::default().ignoring(ignore);
                        gram(&Layered::refined(inner, h, with_edges).unwrap(), &graphs)
                    }
                };
                assert_eq!(wl, refined, "h = {h}, {base:?}");
            }
        }
        assert!(Layered::refined(VertexHistogram::default(), 1001, false).is_err());
    }

    #[test]
    fn subgraphs_keep_their_features() {
        let graph =
            super::super::tests::labelled(&["a", "b", "c", "d"], &[(0, 1, "x"), (1, 2, "y"), (2, 3, "z")]);
        let part = graph.induced(&[3, 2, 0]).unwrap();
        assert_eq!(part.arcs().collect::<Vec<_>>(), [(0, 1), (1, 0)]);
        assert_eq!(part.node_labels().unwrap().iter().collect::<Vec<_>>(), ["d", "c", "a"]);
        assert_eq!(part.edge_labels().unwrap().iter().collect::<Vec<_>>(), ["z", "z"]);
        assert!(graph.induced(&[4]).is_err() && graph.induced(&[1, 1]).is_err());
    }
}
