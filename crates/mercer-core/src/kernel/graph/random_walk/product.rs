//! The direct product of two graphs: pairs of nodes with the same label, joined where both graphs have matching arcs.

use super::form::{Form, Key};
use crate::budget;
use crate::error::Result;

/// The arcs of a product graph in compressed sparse rows. Its walks are pairs of walks with matching labels.
///
/// Reused while filling a tile, and overwritten for each pair.
#[derive(Debug, Default)]
pub(super) struct Product {
    offsets: Vec<u32>,
    targets: Vec<u32>,
    weights: Vec<f64>,
    /// For each group of nodes of the first graph, the start of its pairs and their numbering.
    blocks: Vec<Option<Block>>,
    /// The key of the second graph that equals each key of the first.
    matched: Vec<u32>,
    /// Whether the product of the weights is the same in both directions.
    pub(super) symmetric: bool,
    /// Whether some weight is negative.
    pub(super) negative: bool,
}

/// The pairs of nodes of one label: (u, v) is number `origin + u·width + v`.
#[derive(Clone, Copy, Debug)]
struct Block {
    origin: i64,
    width: i64,
    group: usize,
}

const NONE: u32 = u32::MAX;

/// Rows of a product between two checks of the budget.
const STRETCH: usize = 512;

/// The bytes for a product with these numbers of node and arc pairs, including work vectors.
pub(super) fn bytes(nodes: u64, arcs: u64) -> u64 {
    const VECTORS: u64 = 5;
    nodes.saturating_mul(4 + 8 * VECTORS).saturating_add(arcs.saturating_mul(4 + 8))
}

impl Product {
    /// Sets this to the product of two graphs.
    pub(super) fn set(&mut self, a: &Form, b: &Form) -> Result<()> {
        self.offsets.clear();
        self.targets.clear();
        self.weights.clear();
        self.symmetric = a.symmetric && b.symmetric;
        self.negative = a.negative || b.negative;
        self.match_groups(a, b);
        match_keys(&a.keys, &b.keys, &mut self.matched);
        self.offsets.push(0);
        for (from, block) in a.groups.iter().zip(&self.blocks) {
            let Some(block) = block else { continue };
            for u in from.nodes.clone() {
                for v in b.groups[block.group].nodes.clone() {
                    budget::check_after(4 + b.arcs(v as usize).len())?;
                    let (first, second) = (a.arcs(u as usize), b.arcs(v as usize));
                    let mut begin = 0;
                    for arc in first {
                        let key = self.matched[arc.key as usize];
                        if key == NONE {
                            continue;
                        }
                        while begin < second.len() && second[begin].key < key {
                            begin += 1;
                        }
                        // The ends of matching arcs have matching labels, so their block exists.
                        let Some(to) = self.blocks[a.leads[arc.key as usize] as usize] else { continue };
                        let row = to.origin + i64::from(arc.target) * to.width;
                        budget::check_after(second.len() - begin)?;
                        for other in second[begin..].iter().take_while(|o| o.key == key) {
                            self.targets.push((row + i64::from(other.target)) as u32);
                            self.weights.push(arc.weight * other.weight);
                        }
                    }
                    self.offsets.push(self.targets.len() as u32);
                }
            }
        }
        Ok(())
    }

    fn match_groups(&mut self, a: &Form, b: &Form) {
        self.blocks.clear();
        let (mut at, mut base) = (0, 0i64);
        for group in &a.groups {
            while at < b.groups.len() && b.groups[at].label < group.label {
                at += 1;
            }
            let other = b.groups.get(at).filter(|other| other.label == group.label);
            self.blocks.push(other.map(|other| {
                let width = other.nodes.len() as i64;
                let origin = base - i64::from(group.nodes.start) * width - i64::from(other.nodes.start);
                base += group.nodes.len() as i64 * width;
                Block { origin, width, group: at }
            }));
        }
    }

    /// The number of node pairs.
    pub(super) fn nodes(&self) -> usize {
        self.offsets.len() - 1
    }

    /// y = A× x.
    pub(super) fn apply(&self, x: &[f64], y: &mut [f64]) {
        self.rows(y, |w, t| w * x[t as usize]);
    }

    /// y = |A×| x.
    pub(super) fn apply_absolute(&self, x: &[f64], y: &mut [f64]) {
        self.rows(y, |w, t| w.abs() * x[t as usize]);
    }

    #[inline(always)]
    fn rows(&self, y: &mut [f64], term: impl Fn(f64, u32) -> f64) {
        let mut from = 0;
        for (y, ends) in y.chunks_mut(STRETCH).zip(self.offsets[1..].chunks(STRETCH)) {
            let last = ends.last().map_or(from, |&last| last as usize);
            if budget::is_spent_after(y.len() + last - from) {
                return;
            }
            for (y, &to) in y.iter_mut().zip(ends) {
                let to = to as usize;
                let arcs = self.weights[from..to].iter().zip(&self.targets[from..to]);
                *y = arcs.map(|(&w, &t)| term(w, t)).sum();
                from = to;
            }
        }
    }
}

fn match_keys(a: &[Key], b: &[Key], matched: &mut Vec<u32>) {
    matched.clear();
    let mut at = 0;
    for key in a {
        while at < b.len() && b[at] < *key {
            at += 1;
        }
        matched.push(if b.get(at) == Some(key) { at as u32 } else { NONE });
    }
}
