//! A graph prepared for walks: nodes grouped by label, arcs sorted by their label and target label.

use std::ops::Range;

use super::super::hash_of;
use crate::data::{Graph, Ragged};

/// Nodes of one label, which are contiguous in the order of a [`Form`].
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub(super) label: u128,
    pub(super) nodes: Range<u32>,
}

/// The label and target label of an arc. Arcs of two graphs match if their keys are equal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Key {
    pub(super) target: u128,
    pub(super) edge: u128,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Arc {
    /// The index of its key.
    pub(super) key: u32,
    pub(super) target: u32,
    pub(super) weight: f64,
}

/// A graph with nodes sorted by label and the arcs of each node sorted by key.
#[derive(Clone, Debug)]
pub(super) struct Form {
    pub(super) groups: Vec<Group>,
    /// Every key that occurs, ascending.
    pub(super) keys: Vec<Key>,
    /// For each key the group of its target nodes.
    pub(super) leads: Vec<u32>,
    arcs: Ragged<Arc>,
    /// Whether every arc has its reverse, with the same label and weight.
    pub(super) symmetric: bool,
    /// Whether some weight is negative.
    pub(super) negative: bool,
}

impl Form {
    /// The graph with its labels, or with constant labels.
    pub(super) fn new(graph: &Graph, labels: bool) -> Self {
        let n = graph.nodes();
        let node = |i: usize| hash_of(graph.node_labels().filter(|_| labels), i);
        let edge = |a: usize| hash_of(graph.edge_labels().filter(|_| labels), a);
        let weight = |a: usize| graph.weights().map_or(1.0, |w| w[a]);
        let mut order: Vec<u32> = (0..n as u32).collect();
        order.sort_by_key(|&i| node(i as usize));
        let mut place = vec![0u32; n];
        order.iter().enumerate().for_each(|(at, &i)| place[i as usize] = at as u32);
        let mut groups: Vec<Group> = Vec::new();
        for (at, &i) in order.iter().enumerate() {
            let (label, at) = (node(i as usize), at as u32);
            match groups.last_mut() {
                Some(last) if last.label == label => last.nodes.end = at + 1,
                _ => groups.push(Group { label, nodes: at..at + 1 }),
            }
        }
        let key = |a: usize, target: u32| Key { target: node(target as usize), edge: edge(a) };
        let all = || (0..n).flat_map(|i| graph.outgoing(i).zip(graph.neighbours(i)));
        let mut keys: Vec<Key> = all().map(|(a, &t)| key(a, t)).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut arcs = Ragged::with_capacity(n, all().count());
        let mut row: Vec<Arc> = Vec::new();
        for &i in &order {
            for (a, &t) in graph.outgoing(i as usize).zip(graph.neighbours(i as usize)) {
                // The key exists; a failed search would only misplace the arc.
                let key = keys.binary_search(&key(a, t)).unwrap_or_default() as u32;
                row.push(Arc { key, target: place[t as usize], weight: weight(a) });
            }
            row.sort_unstable_by_key(|a| (a.key, a.target));
            arcs.push_row(row.drain(..));
        }
        let leads = keys.iter().map(|k| groups.partition_point(|g| g.label < k.target) as u32).collect();
        let negative = arcs.values().iter().any(|a| a.weight < 0.0);
        let symmetric = !graph.is_directed() && {
            // Edge labels and weights were given arc by arc, and may differ between directions.
            let mirrored = |a: usize, b: usize| weight(a) == weight(b) && edge(a) == edge(b);
            let find = |i: u32, j: u32| {
                let at = graph.neighbours(i as usize).binary_search(&j).ok()?;
                Some(graph.outgoing(i as usize).start + at)
            };
            graph.arcs().enumerate().all(|(a, (i, j))| i <= j || find(j, i).is_some_and(|b| mirrored(a, b)))
        };
        Form { groups, keys, leads, arcs, symmetric, negative }
    }

    pub(super) fn nodes(&self) -> usize {
        self.arcs.len()
    }

    /// The arcs that leave a node, sorted by key.
    pub(super) fn arcs(&self, node: usize) -> &[Arc] {
        self.arcs.row(node)
    }

    /// The common label of all nodes and of all edges, if labels are constant.
    pub(super) fn uniform(&self) -> Option<Uniform> {
        let node = match self.groups.as_slice() {
            [] => return Some(Uniform { node: None, edge: None }),
            [one] => one.label,
            _ => return None,
        };
        match self.keys.as_slice() {
            [] => Some(Uniform { node: Some(node), edge: None }),
            [one] => Some(Uniform { node: Some(node), edge: Some(one.edge) }),
            _ => None,
        }
    }

    /// y = A x, or |A| x.
    pub(super) fn apply(&self, absolute: bool, x: &[f64], y: &mut [f64]) {
        for (node, y) in y.iter_mut().enumerate() {
            let terms = self.arcs(node).iter().map(|a| {
                let weight = if absolute { a.weight.abs() } else { a.weight };
                weight * x[a.target as usize]
            });
            *y = terms.sum();
        }
    }

    /// The number of node pairs and of arc pairs in the product of this graph with itself.
    pub(super) fn squared(&self) -> (u64, u64) {
        let square = |n: u64| n.saturating_mul(n);
        let nodes = self.groups.iter().map(|g| square(g.nodes.len() as u64)).fold(0, u64::saturating_add);
        let mut arcs = 0u64;
        let mut tally = vec![0u64; self.keys.len()];
        for group in &self.groups {
            tally.fill(0);
            let arcs_of = |node: u32| self.arcs(node as usize);
            group.nodes.clone().flat_map(arcs_of).for_each(|a| tally[a.key as usize] += 1);
            arcs = tally.iter().fold(arcs, |sum, &n| sum.saturating_add(square(n)));
        }
        (nodes, arcs)
    }
}

/// The common label of all nodes and that of all edges; `None` if there are none.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Uniform {
    node: Option<u128>,
    edge: Option<u128>,
}

impl Uniform {
    /// Whether every walk of one graph matches every walk of the same length of the other.
    pub(super) fn matches(self, other: Uniform) -> bool {
        let agree = |a: Option<u128>, b: Option<u128>| a.is_none() || b.is_none() || a == b;
        agree(self.node, other.node) && agree(self.edge, other.edge)
    }
}
