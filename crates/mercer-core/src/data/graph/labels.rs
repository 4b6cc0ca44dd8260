//! Labels of nodes and edges: indices into a table of names that many graphs share.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use xxhash_rust::xxh3::xxh3_128;

/// Names, each with a 128-bit hash of its text.
///
/// Kernels compare the hashes: equal names have equal hashes in every table, so two sets of graphs need no common
/// table.
#[derive(Clone, Debug, Default)]
pub struct Names {
    texts: Vec<Box<str>>,
    hashes: Vec<u128>,
    codes: HashMap<Box<str>, u32>,
}

impl Names {
    /// An empty table.
    pub fn new() -> Self {
        Names::default()
    }

    /// The index of a name, which is added if missing.
    pub fn intern(&mut self, name: &str) -> u32 {
        if let Some(&code) = self.codes.get(name) {
            return code;
        }
        // A table of 2^32 names would not fit in memory.
        let code = self.texts.len() as u32;
        self.texts.push(name.into());
        self.hashes.push(xxh3_128(name.as_bytes()));
        self.codes.insert(name.into(), code);
        code
    }

    /// The number of names.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

/// A label for each node, or for each arc, of a graph.
///
/// ```
/// use mercer_core::data::Labels;
/// let atoms = Labels::from_names(["C", "O", "C"]);
/// assert_eq!((atoms.get(1), atoms.code(2), atoms.len()), ("O", 0, 3));
/// assert_eq!(atoms.hash(0), atoms.hash(2));
/// ```
#[derive(Clone)]
pub struct Labels {
    codes: Vec<u32>,
    names: Arc<Names>,
}

impl Labels {
    /// Labels from their names, with a new table.
    pub fn from_names(names: impl IntoIterator<Item = impl AsRef<str>>) -> Self {
        let mut table = Names::new();
        let codes = names.into_iter().map(|n| table.intern(n.as_ref())).collect();
        Labels { codes, names: Arc::new(table) }
    }

    /// Labels from indices into a table; `None` if an index is out of range.
    pub fn from_codes(codes: Vec<u32>, names: Arc<Names>) -> Option<Self> {
        codes.iter().all(|&c| (c as usize) < names.len()).then_some(Labels { codes, names })
    }

    /// The number of labels.
    pub fn len(&self) -> usize {
        self.codes.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.codes.is_empty()
    }

    /// Label i. Panics if it does not exist, like slice indexing.
    pub fn get(&self, i: usize) -> &str {
        &self.names.texts[self.codes[i] as usize]
    }

    /// The hash of label i: equal for equal names in all graphs.
    pub fn hash(&self, i: usize) -> u128 {
        self.names.hashes[self.codes[i] as usize]
    }

    /// The index of label i in its table: equal indices mean equal names only within one table.
    pub fn code(&self, i: usize) -> u32 {
        self.codes[i]
    }

    /// All labels in order.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// The labels at these indices, in the given order.
    pub(super) fn arrange(&self, indices: impl Iterator<Item = usize>) -> Self {
        Labels { codes: indices.map(|i| self.codes[i]).collect(), names: Arc::clone(&self.names) }
    }
}

impl PartialEq for Labels {
    fn eq(&self, other: &Self) -> bool {
        if Arc::ptr_eq(&self.names, &other.names) {
            return self.codes == other.codes;
        }
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Labels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_names_are_equal_in_every_table() {
        let (a, b) = (Labels::from_names(["x", "y"]), Labels::from_names(["y", "x"]));
        assert_eq!(a.code(0), b.code(0));
        assert!(a != b && a.hash(0) == b.hash(1));
        assert_eq!(a, b.arrange([1, 0].into_iter()));
        assert!(Labels::from_codes(vec![2], Arc::new(Names::new())).is_none());
    }
}
