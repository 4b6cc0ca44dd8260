//! Counts with the names of their features.

use super::Counts;
use crate::data::Sparse;
use crate::error::Result;

/// Counts with the names of their features.
#[doc(hidden)]
pub struct NamedCounts {
    pub names: Vec<String>,
    /// The hash of each feature.
    #[doc(hidden)]
    pub hashes: Vec<u128>,
    pub rows: Sparse,
}

impl NamedCounts {
    /// Counts with the known names of the features, by feature number.
    pub(crate) fn new(names: Vec<Option<String>>, counts: &Counts) -> Result<Self> {
        let names = distinct(names, counts.hashes());
        Ok(NamedCounts { names, hashes: counts.hashes().to_vec(), rows: counts.to_sparse()? })
    }
}

/// The names; where several features share a name, part of the hash is appended.
fn distinct(names: Vec<Option<String>>, hashes: &[u128]) -> Vec<String> {
    let mut order: Vec<usize> = (0..names.len()).collect();
    order.sort_by(|&a, &b| names[a].cmp(&names[b]));
    let mut shared = vec![false; names.len()];
    for run in order.chunk_by(|&a, &b| names[a] == names[b]).filter(|run| run.len() > 1) {
        run.iter().for_each(|&i| shared[i] = true);
    }
    let mark = |hash: u128| format!("#{:08x}", hash as u32);
    let name = |(i, name): (usize, Option<String>)| match name {
        Some(name) if shared[i] => format!("{name}{}", mark(hashes[i])),
        Some(name) => name,
        None => mark(hashes[i]),
    };
    names.into_iter().enumerate().map(name).collect()
}
