//! The trees of a forest.

use super::columns::{MOST_LEVELS, TreeColumn, TreeColumns};
use crate::budget;
use crate::error::{Error, Result};

/// The coordinate of a leaf.
pub(super) const LEAF: u32 = u32::MAX;

/// A cut or a leaf.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Node {
    /// The coordinate that is cut; [`LEAF`] for a leaf.
    pub(super) coordinate: u32,
    /// The left child, which the right one follows; for a leaf its number.
    pub(super) child: u32,
    /// The largest number that goes left, as bits; or the categories that go left.
    pub(super) cut: u64,
    pub(super) is_set: bool,
    /// Whether missing values go left.
    pub(super) missing_left: bool,
}

impl Node {
    pub(super) fn takes_left(&self, value: f64) -> bool {
        if value.is_nan() {
            return self.missing_left;
        }
        match self.is_set {
            true => self.cut >> (value as u32 & 63) & 1 == 1,
            false => value <= f64::from_bits(self.cut),
        }
    }
}

/// Trees as arrays. The nodes of a tree are in the order of their depth, so that the children of its k-th cut are its nodes
/// 2k + 1 and 2k + 2, counted from 0.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TreeArrays {
    /// The number of nodes of each tree.
    pub sizes: Vec<u32>,
    /// The coordinate that each node cuts; [`u32::MAX`] for a leaf.
    pub coordinates: Vec<u32>,
    /// Of every cut of numbers the largest that goes left.
    pub cuts: Vec<f64>,
    /// Of every cut of categories those that go left, a bit each.
    pub sets: Vec<u64>,
    /// Of every cut whether missing values go left.
    pub missing: Vec<u8>,
}

impl TreeArrays {
    /// Many trees, one after the other.
    pub(super) fn joined(trees: Vec<TreeArrays>) -> Result<Self> {
        let nodes: usize = trees.iter().map(|t| t.coordinates.len()).sum();
        budget::ask("the trees of a forest", budget::matrix_bytes(nodes, size_of::<Node>() + 16, 1))?;
        let mut all = TreeArrays::default();
        for tree in trees {
            all.sizes.extend(tree.sizes);
            all.coordinates.extend(tree.coordinates);
            all.cuts.extend(tree.cuts);
            all.sets.extend(tree.sets);
            all.missing.extend(tree.missing);
        }
        Ok(all)
    }
}

/// Decision trees on columns of a table.
#[derive(Clone, Debug, PartialEq)]
pub struct Trees {
    columns: TreeColumns,
    nodes: Vec<Node>,
    /// The first node of each tree, and the number of nodes.
    roots: Vec<u32>,
    leaves: usize,
}

impl Trees {
    /// Trees from arrays that may be of any origin.
    pub fn from_arrays(columns: Vec<TreeColumn>, arrays: TreeArrays) -> Result<Self> {
        for column in &columns {
            if let super::TreeColumnKind::Categories { levels, rest } = &column.kind
                && levels.len() + usize::from(*rest) > MOST_LEVELS
            {
                return Err(Error::usage(format!("more than {MOST_LEVELS} categories of a column of trees")));
            }
        }
        Trees::new(TreeColumns::from_columns(columns), arrays)
    }

    pub(super) fn new(columns: TreeColumns, arrays: TreeArrays) -> Result<Self> {
        let wrong = |what: &str| Error::usage(format!("trees with {what}"));
        if arrays.coordinates.len() >= LEAF as usize {
            return Err(wrong("more than 2^32 nodes"));
        }
        let (mut cuts, mut sets, mut missing) =
            (arrays.cuts.into_iter(), arrays.sets.into_iter(), arrays.missing.into_iter());
        let mut nodes = Vec::with_capacity(arrays.coordinates.len());
        let (mut roots, mut leaves, mut start) = (Vec::with_capacity(arrays.sizes.len() + 1), 0u32, 0usize);
        roots.push(0);
        for size in arrays.sizes {
            let end = start + size as usize;
            let own =
                arrays.coordinates.get(start..end).ok_or_else(|| wrong("fewer nodes than they claim"))?;
            let mut children = 1;
            for (at, &coordinate) in own.iter().enumerate() {
                budget::check_often()?;
                if at >= children {
                    return Err(wrong("a node without a parent"));
                }
                if coordinate == LEAF {
                    nodes.push(Node {
                        coordinate,
                        child: leaves,
                        cut: 0,
                        is_set: false,
                        missing_left: false,
                    });
                    leaves += 1;
                    continue;
                }
                if coordinate as usize >= columns.width() {
                    return Err(wrong("a cut of a column that is not there"));
                }
                let is_set = columns.is_set(coordinate as usize);
                let cut = match is_set {
                    true => sets.next(),
                    false => cuts.next().map(f64::to_bits),
                };
                let (Some(cut), Some(missing)) = (cut, missing.next()) else {
                    return Err(wrong("fewer cuts than they claim"));
                };
                let child = (start + children) as u32;
                nodes.push(Node { coordinate, child, cut, is_set, missing_left: missing == 1 });
                children += 2;
            }
            if children != own.len() {
                return Err(wrong("a cut without children"));
            }
            start = end;
            roots.push(start as u32);
        }
        if start != nodes.len()
            || start != arrays.coordinates.len()
            || cuts.next().is_some()
            || sets.next().is_some()
            || missing.next().is_some()
        {
            return Err(wrong("more cuts than they claim"));
        }
        roots.shrink_to_fit();
        Ok(Trees { columns, nodes, roots, leaves: leaves as usize })
    }

    /// The trees as arrays.
    pub fn arrays(&self) -> TreeArrays {
        let mut out = TreeArrays {
            sizes: self.roots.windows(2).map(|pair| pair[1] - pair[0]).collect(),
            coordinates: self.nodes.iter().map(|node| node.coordinate).collect(),
            ..TreeArrays::default()
        };
        for node in self.nodes.iter().filter(|node| node.coordinate != LEAF) {
            out.missing.push(u8::from(node.missing_left));
            match node.is_set {
                true => out.sets.push(node.cut),
                false => out.cuts.push(f64::from_bits(node.cut)),
            }
        }
        out
    }

    /// The columns that the trees cut.
    pub fn columns(&self) -> &TreeColumns {
        &self.columns
    }

    /// The number of trees.
    pub fn len(&self) -> usize {
        self.roots.len() - 1
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of leaves of all trees.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// The nodes of a tree, and the number of its first node.
    pub(super) fn tree(&self, tree: usize) -> (&[Node], usize) {
        let (start, end) = (self.roots[tree] as usize, self.roots[tree + 1] as usize);
        (&self.nodes[start..end], start)
    }

    /// Writes the leaf of each tree.
    pub(super) fn find(&self, cells: &[f64], out: &mut [u32]) {
        for (leaf, &root) in out.iter_mut().zip(&self.roots) {
            let mut at = root as usize;
            // A child comes after its parent, so the walk ends.
            *leaf = loop {
                let node = &self.nodes[at];
                if node.coordinate == LEAF {
                    break node.child;
                }
                let left = node.takes_left(cells[node.coordinate as usize]);
                at = node.child as usize + usize::from(!left);
            };
        }
    }
}
