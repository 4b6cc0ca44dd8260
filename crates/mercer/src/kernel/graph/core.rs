//! A kernel on graphs, added up over their cores.

use std::borrow::Borrow;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::fmt;

use super::GRAPHS;
use crate::data::Graph;
use crate::error::Result;
use crate::kernel::{Definiteness, Facts, Kernel, Part};

/// The sum of a kernel over the cores of two graphs: Σ_i k(C_i(G), C_i(H)).
///
/// The i-core C_i of a graph is its largest part in which every node has at least i neighbours; C_0 is the graph. Arcs
/// count as neighbours both ways, loops do not. Levels that one of the two graphs does not reach add nothing, so the
/// kernel is positive semidefinite where the inner one is.
///
/// Cost: the inner kernel's for each level; the cores take time linear in the edges, up to a logarithm.
///
/// ```
/// use mercer::{data::Graph, gram::Engine, kernel::graph::{Core, VertexHistogram}};
/// // A triangle with a tail: all four nodes are in the 0-core and in the 1-core, the triangle is the 2-core.
/// let kite = Graph::undirected(4, &[(0, 1), (1, 2), (2, 0), (2, 3)])?;
/// let k = Engine::new().gram(&Core(VertexHistogram::default()), &[kite][..])?;
/// assert_eq!(k.at(0, 0), 16.0 + 16.0 + 9.0);
/// # Ok::<(), mercer::Error>(())
/// ```
///
/// G. Nikolentzos, P. Meladianos, S. Limnios and M. Vazirgiannis, *A degeneracy framework for graph similarity*, IJCAI
/// 2018.
#[derive(Clone, Debug, PartialEq)]
pub struct Core<K>(pub K);

impl<K> Core<K> {
    /// Facts about this wrapper.
    pub const FACTS: Facts = Facts {
        name: "core",
        summary: "A kernel on graphs, added up over their cores.",
        formula: "Σ_i k(C_i(G), C_i(H)), C_i the largest part where every node has i neighbours",
        takes: "a kernel on graphs",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[],
        cost: "that of the kernel for each level",
        reference: "Nikolentzos, Meladianos, Limnios & Vazirgiannis 2018, A degeneracy framework",
        example: "core(wl(h=3))",
    };
}

impl<K: fmt::Display> fmt::Display for Core<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "core({})", self.0)
    }
}

/// Sets of graphs that can be replaced by their cores.
pub trait Cores: ToOwned {
    /// For each level from 0 the objects that reach it, ascending, and their cores.
    fn cores(&self) -> Result<Vec<(Vec<usize>, Self::Owned)>>;
}

impl Cores for [Graph] {
    fn cores(&self) -> Result<Vec<(Vec<usize>, Vec<Graph>)>> {
        let numbers: Vec<Vec<usize>> = self.iter().map(core_numbers).collect();
        let depth = |i: usize| numbers[i].iter().copied().max().unwrap_or(0);
        let deepest = (0..self.len()).map(depth).max().unwrap_or(0);
        let level = |level: usize| {
            let chosen: Vec<usize> = (0..self.len()).filter(|&i| depth(i) >= level).collect();
            let core = |&i: &usize| {
                let nodes: Vec<usize> = (0..self[i].nodes()).filter(|&v| numbers[i][v] >= level).collect();
                if nodes.len() == self[i].nodes() { Ok(self[i].clone()) } else { self[i].induced(&nodes) }
            };
            let cores = chosen.iter().map(core).collect::<Result<Vec<_>>>()?;
            Ok((chosen, cores))
        };
        (0..=deepest).map(level).collect()
    }
}

/// For each node the largest i whose core it is in: nodes are taken away by the fewest neighbours left.
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
        // Entries made before a neighbour went are out of date.
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

/// The cores of one level.
#[derive(Debug)]
struct Level<P> {
    inner: P,
    /// The objects that reach it, ascending.
    objects: Vec<usize>,
}

/// Objects prepared level by level.
#[derive(Debug)]
pub struct Levels<P> {
    levels: Vec<Level<P>>,
    count: usize,
}

impl<P> Level<P> {
    /// The cores of some objects, and the place of each among those.
    fn inside<'a>(&'a self, range: &std::ops::Range<usize>) -> (Part<'a, P>, Vec<usize>) {
        let first = self.objects.partition_point(|&i| i < range.start);
        let last = self.objects.partition_point(|&i| i < range.end);
        let places = self.objects[first..last].iter().map(|i| i - range.start).collect();
        (Part::new(&self.inner, first..last), places)
    }
}

impl<X: Cores + ?Sized, K: Kernel<X>> Kernel<X> for Core<K> {
    type Prepared = Levels<K::Prepared>;

    fn prepare(&self, objects: &X) -> Result<Self::Prepared> {
        let mut count = 0;
        let mut levels = Vec::new();
        for (chosen, cores) in objects.cores()? {
            let inner = self.0.prepare(cores.borrow()).map_err(|e| e.of_object(|at| chosen[at]))?;
            count = count.max(chosen.len());
            levels.push(Level { inner, objects: chosen });
        }
        Ok(Levels { levels, count })
    }

    fn count(&self, prepared: &Self::Prepared) -> usize {
        prepared.count
    }

    fn select(&self, prepared: &Self::Prepared, chosen: &[usize]) -> Self::Prepared {
        let level = |level: &Level<K::Prepared>| {
            let (mut inside, mut objects) = (Vec::new(), Vec::new());
            for (at, i) in chosen.iter().enumerate() {
                if let Ok(place) = level.objects.binary_search(i) {
                    inside.push(place);
                    objects.push(at);
                }
            }
            Level { inner: self.0.select(&level.inner, &inside), objects }
        };
        Levels { levels: prepared.levels.iter().map(level).collect(), count: chosen.len() }
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
            let (down, row_places) = own.inside(&rows.range);
            let (across, col_places) = other.inside(&cols.range);
            if row_places.is_empty() || col_places.is_empty() {
                continue;
            }
            values.resize(row_places.len() * col_places.len(), 0.0);
            self.0.fill(down, across, &mut values)?;
            for (row, &i) in values.chunks_exact(col_places.len()).zip(&row_places) {
                row.iter().zip(&col_places).for_each(|(v, &j)| out[i * cols.len() + j] += v);
            }
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        out.fill(0.0);
        for level in &of.set.levels {
            let (inner, places) = level.inside(&of.range);
            let mut values = vec![0.0; places.len()];
            self.0.diagonal(inner, &mut values)?;
            places.iter().zip(values).for_each(|(&i, v)| out[i] += v);
        }
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        self.0.definiteness()
    }

    fn is_transductive(&self) -> bool {
        self.0.is_transductive()
    }

    fn tile_side(&self) -> usize {
        self.0.tile_side()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{gram, random_graphs};
    use super::super::{VertexHistogram, WeisfeilerLehman};
    use super::*;

    /// Nodes with too few neighbours are taken away until none is left; the rest is the core.
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
            let k = gram(&Core(wl), &graphs);
            let histogram = super::super::Ignore::Others;
            let plain = gram(&Core(VertexHistogram::ignoring(histogram)), &graphs);
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

    #[test]
    fn parts_of_graphs_keep_what_they_carry() {
        let graph =
            super::super::tests::labelled(&["a", "b", "c", "d"], &[(0, 1, "x"), (1, 2, "y"), (2, 3, "z")]);
        let part = graph.induced(&[3, 2, 0]).unwrap();
        assert_eq!(part.arcs().collect::<Vec<_>>(), [(0, 1), (1, 0)]);
        assert_eq!(part.node_labels().unwrap().iter().collect::<Vec<_>>(), ["d", "c", "a"]);
        assert_eq!(part.edge_labels().unwrap().iter().collect::<Vec<_>>(), ["z", "z"]);
        assert!(graph.induced(&[4]).is_err() && graph.induced(&[1, 1]).is_err());
    }
}
