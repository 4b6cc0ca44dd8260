//! Leaves as rules: the conditions on the way to a leaf, those on one column joined.

use super::columns::TreeColumnKind;
use super::trees::{LEAF, Node, Trees};
use crate::data::show_time;
use crate::numeric::Short;

/// The values of one coordinate that reach a leaf.
struct Condition {
    coordinate: usize,
    /// Numbers above `low` and up to `high`.
    low: f64,
    high: f64,
    /// Categories.
    levels: u64,
    missing: bool,
}

impl Condition {
    fn any(coordinate: usize) -> Self {
        let (low, high) = (f64::NEG_INFINITY, f64::INFINITY);
        Condition { coordinate, low, high, levels: u64::MAX, missing: true }
    }

    fn narrow(&mut self, node: &Node, left: bool) {
        self.missing &= node.missing_left == left;
        let cut = f64::from_bits(node.cut);
        match (node.is_set, left) {
            (true, true) => self.levels &= node.cut,
            (true, false) => self.levels &= !node.cut,
            (false, true) => self.high = self.high.min(cut),
            (false, false) => self.low = self.low.max(cut),
        }
    }
}

impl Trees {
    /// The rules of leaves, which must ascend: `tree 3, leaf 17: 2.5 < age ≤ 40 and ward in {a, b}`.
    ///
    /// Numbers have five digits. That missing values fulfil a condition is said for columns that had some in training.
    pub fn rules(&self, leaves: &[u32]) -> Vec<String> {
        let mut rules = Vec::with_capacity(leaves.len());
        let (mut rest, mut before) = (leaves, 0u32);
        for tree in 0..self.len() {
            let (nodes, start) = self.tree(tree);
            // The numbers of leaves go on from tree to tree.
            let first = before;
            let mut parents = Vec::new();
            for (at, node) in nodes.iter().enumerate() {
                if node.coordinate != LEAF {
                    continue;
                }
                before = before.max(node.child + 1);
                let Some((_, others)) = rest.split_first().filter(|(leaf, _)| **leaf == node.child) else {
                    continue;
                };
                rest = others;
                if parents.is_empty() {
                    parents = parents_of(nodes, start);
                }
                let conditions = self.conditions(nodes, &parents, start, at);
                let text = match conditions.is_empty() {
                    true => "all".to_owned(),
                    false => conditions.iter().map(|c| self.show(c)).collect::<Vec<_>>().join(" and "),
                };
                rules.push(format!("tree {}, leaf {}: {text}", tree + 1, node.child - first + 1));
            }
        }
        rules
    }

    /// The conditions on the way to a node of a tree, from its root.
    fn conditions(&self, nodes: &[Node], parents: &[u32], start: usize, leaf: usize) -> Vec<Condition> {
        let (mut path, mut at) = (Vec::new(), leaf);
        while at != 0 {
            let parent = parents[at] as usize;
            path.push((parent, nodes[parent].child as usize - start == at));
            at = parent;
        }
        let mut out: Vec<Condition> = Vec::new();
        for (parent, left) in path.into_iter().rev() {
            let node = &nodes[parent];
            let coordinate = node.coordinate as usize;
            let at = out.iter().position(|c| c.coordinate == coordinate).unwrap_or_else(|| {
                out.push(Condition::any(coordinate));
                out.len() - 1
            });
            out[at].narrow(node, left);
        }
        out
    }

    fn show(&self, condition: &Condition) -> String {
        let (column, part) = self.columns().place(condition.coordinate);
        let name = self.columns().name(condition.coordinate);
        let missing = if condition.missing && column.gaps { " or missing" } else { "" };
        if let TreeColumnKind::Categories { levels, rest } = &column.kind {
            let count = levels.len() + usize::from(*rest);
            let level = |at: usize| levels.get(at).map_or("others", String::as_str);
            let has = |at: usize| condition.levels >> at & 1 == 1;
            let (inside, outside): (Vec<usize>, Vec<usize>) = (0..count).partition(|&at| has(at));
            let list = |which: &[usize]| which.iter().map(|&at| level(at)).collect::<Vec<_>>().join(", ");
            return match (inside.as_slice(), outside.as_slice()) {
                ([], _) => format!("{name} missing"),
                (_, []) if condition.missing => format!("{name} any"),
                (_, []) => format!("{name} not missing"),
                ([one], _) => format!("{name} = {}{missing}", level(*one)),
                (some, others) if some.len() <= others.len() => {
                    format!("{name} in {{{}}}{missing}", list(some))
                }
                (_, [one]) => format!("{name} ≠ {}{missing}", level(*one)),
                (_, others) => format!("{name} not in {{{}}}{missing}", list(others)),
            };
        }
        let shown = |v: f64| match (&column.kind, part) {
            (TreeColumnKind::Times, 0) => show_time(v),
            _ => short(v),
        };
        // The cut between known and missing values has all numbers on its left.
        let (above, below) = (condition.low > f64::NEG_INFINITY, condition.high < f64::MAX);
        match (above, below) {
            _ if condition.low == f64::MAX => format!("{name} missing"),
            (true, true) => format!("{} < {name} ≤ {}{missing}", shown(condition.low), shown(condition.high)),
            (true, false) => format!("{name} > {}{missing}", shown(condition.low)),
            (false, true) => format!("{name} ≤ {}{missing}", shown(condition.high)),
            (false, false) if condition.missing => format!("{name} any"),
            (false, false) => format!("{name} not missing"),
        }
    }
}

/// The parent of each node but the root.
fn parents_of(nodes: &[Node], start: usize) -> Vec<u32> {
    let mut parents = vec![0; nodes.len()];
    for (at, node) in nodes.iter().enumerate().filter(|(_, node)| node.coordinate != LEAF) {
        let child = node.child as usize - start;
        parents[child] = at as u32;
        parents[child + 1] = at as u32;
    }
    parents
}

/// A number with five significant digits.
fn short(v: f64) -> String {
    Short(format!("{v:.4e}").parse().unwrap_or(v)).to_string()
}
