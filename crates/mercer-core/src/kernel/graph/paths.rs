//! Lengths of shortest paths, from one source at a time.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use crate::budget;
use crate::data::Graph;
use crate::error::{Error, Result};

/// The length of a path that does not exist.
pub(super) const NONE: f32 = f32::INFINITY;

/// Shortest paths of one graph. Without weights an edge has length 1.
///
/// Lengths are summed in double precision and returned in single precision. So paths whose lengths agree to seven
/// digits are equally long, whatever the rounding of their sums.
pub(super) struct Paths<'g> {
    graph: &'g Graph,
    queue: VecDeque<u32>,
    heap: BinaryHeap<Reverse<(Length, u32)>>,
    exact: Vec<f64>,
    /// Lengths from the last source to every node.
    lengths: Vec<f32>,
}

/// A length with a total order: it is never NaN.
#[derive(Clone, Copy, PartialEq)]
struct Length(f64);

impl Eq for Length {}

impl PartialOrd for Length {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Length {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl<'g> Paths<'g> {
    /// Negative weights are an error: a cycle of them would make paths ever shorter.
    pub(super) fn new(graph: &'g Graph) -> Result<Self> {
        if let Some(bad) = graph.weights().and_then(|w| w.iter().find(|w| **w < 0.0)) {
            return Err(Error::Object {
                index: 0,
                reason: format!("an edge has weight {bad}; lengths must not be negative"),
                hint: Some("use ignore=weights to count the edges of a path instead".into()),
            });
        }
        let n = graph.nodes();
        Ok(Paths {
            graph,
            queue: VecDeque::new(),
            heap: BinaryHeap::new(),
            exact: if graph.weights().is_some() { vec![f64::INFINITY; n] } else { Vec::new() },
            lengths: vec![NONE; n],
        })
    }

    /// The length of the shortest path to every node, or [`NONE`].
    pub(super) fn from(&mut self, source: usize) -> &[f32] {
        match self.graph.weights() {
            None => self.by_steps(source),
            Some(weights) => self.by_weights(source, weights),
        }
        &self.lengths
    }

    fn by_steps(&mut self, source: usize) {
        self.lengths.fill(NONE);
        self.lengths[source] = 0.0;
        self.queue.clear();
        self.queue.push_back(source as u32);
        while let Some(at) = self.queue.pop_front() {
            if budget::is_spent_after(4 + self.graph.neighbours(at as usize).len()) {
                return;
            }
            // Whole numbers are exact up to 2^24; a longer shortest path would need a graph of as many nodes.
            let next = self.lengths[at as usize] + 1.0;
            for &j in self.graph.neighbours(at as usize) {
                if self.lengths[j as usize] == NONE {
                    self.lengths[j as usize] = next;
                    self.queue.push_back(j);
                }
            }
        }
    }

    /// Dijkstra's algorithm.
    fn by_weights(&mut self, source: usize, weights: &[f64]) {
        self.exact.fill(f64::INFINITY);
        self.exact[source] = 0.0;
        self.heap.push(Reverse((Length(0.0), source as u32)));
        while let Some(Reverse((Length(length), at))) = self.heap.pop() {
            if budget::is_spent_after(16 + self.graph.neighbours(at as usize).len()) {
                self.heap.clear();
                return;
            }
            if length > self.exact[at as usize] {
                continue;
            }
            for place in self.graph.outgoing(at as usize) {
                let j = self.graph.target(place);
                let next = length + weights[place];
                if next < self.exact[j as usize] {
                    self.exact[j as usize] = next;
                    self.heap.push(Reverse((Length(next), j)));
                }
            }
        }
        self.lengths.iter_mut().zip(&self.exact).for_each(|(to, from)| {
            // A length beyond the range of single precision is still a path.
            *to = if from.is_finite() { (*from as f32).min(f32::MAX) } else { NONE };
        });
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::kernel::graph::tests::random_graph;
    use crate::random::Random;

    /// All pairs at once (Floyd-Warshall).
    pub(in crate::kernel::graph) fn all_pairs(g: &Graph) -> Vec<Vec<f64>> {
        let n = g.nodes();
        let mut d = vec![vec![f64::INFINITY; n]; n];
        for (place, (a, b)) in g.arcs().enumerate() {
            d[a as usize][b as usize] = g.weights().map_or(1.0, |w| w[place]);
        }
        (0..n).for_each(|i| d[i][i] = 0.0);
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    d[i][j] = d[i][j].min(d[i][k] + d[k][j]);
                }
            }
        }
        d
    }

    #[test]
    fn lengths_agree_with_floyd_warshall() {
        let mut random = Random::new(11);
        for round in 0..60 {
            let mut graph = random_graph(&mut random, 12, round % 2 == 0);
            if round % 3 == 0 {
                // Multiples of 1/4 add up exactly.
                let place = |(a, b): (u32, u32)| f64::from((a * b + a + b) % 7) / 4.0;
                let weights = graph.arcs().map(place).collect();
                graph = graph.with_weights(weights).unwrap();
            }
            let expected = all_pairs(&graph);
            let mut paths = Paths::new(&graph).unwrap();
            for (source, row) in expected.iter().enumerate() {
                let got = paths.from(source);
                assert!(got.iter().zip(row).all(|(a, b)| f64::from(*a) == *b), "{got:?} {row:?}");
            }
        }
    }

    #[test]
    fn negative_lengths_are_errors_and_huge_ones_are_kept() {
        let arc = |w: f64| Graph::directed(2, &[(0, 1)]).unwrap().with_weights(vec![w]).unwrap();
        assert!(Paths::new(&arc(-1.0)).is_err());
        assert_eq!(Paths::new(&arc(1e300)).unwrap().from(0), [0.0, f32::MAX]);
        assert_eq!(Paths::new(&arc(0.0)).unwrap().from(1), [NONE, 0.0]);
    }
}
