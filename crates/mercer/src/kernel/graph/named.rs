//! What graphs hold, written out: names of features, and the nodes they are made of.

use super::{Counting, Describe, EdgeHistogram, Graphlet, Propagation, ShortestPath, VertexEdgeHistogram};
use super::{VertexHistogram, WeisfeilerLehman, count_all};
use crate::data::{Graph, Sparse};
use crate::error::Result;
use crate::kernel::{Explicit, Features};

/// Counts with the names of their features.
pub(crate) struct NamedCounts {
    pub(crate) names: Vec<String>,
    /// The hash of each feature.
    pub(crate) hashes: Vec<u128>,
    pub(crate) rows: Sparse,
}

/// A kernel on graphs whose features can be written out.
pub(crate) trait Named: Send + Sync {
    /// The features of graphs. Their columns are those these graphs have, the most frequent first.
    fn named(&self, graphs: &[Graph]) -> Result<NamedCounts>;

    /// Hands on everything one graph holds, with the nodes it is made of.
    fn places(&self, graph: &Graph, visit: Describe<'_>) -> Result<()>;
}

impl<K: Counting + Send> Named for K {
    fn named(&self, graphs: &[Graph]) -> Result<NamedCounts> {
        let counts = count_all(self, graphs)?;
        let mut names: Vec<Option<String>> = vec![None; counts.hashes().len()];
        for (i, graph) in self.admit(graphs)?.iter().enumerate() {
            let told = self.describe(graph, &mut |hash, _, name| {
                if let Some(number) = counts.find(hash) {
                    names[number as usize].get_or_insert_with(name);
                }
            });
            told.map_err(|e| e.of_object(|_| i))?;
        }
        let names = distinct(names, counts.hashes());
        let hashes = counts.hashes().to_vec();
        Ok(NamedCounts { names, hashes, rows: counts.to_sparse()? })
    }

    fn places(&self, graph: &Graph, visit: Describe<'_>) -> Result<()> {
        let seen = self.admit(std::slice::from_ref(graph))?;
        seen.iter().try_for_each(|graph| self.describe(graph, visit))
    }
}

/// The names, each with a part of its hash where several features have it.
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

macro_rules! explicit {
    ($($kernel:ty),*) => {$(
        impl Explicit<[Graph]> for $kernel {
            /// The counts of everything these graphs hold, a column for each that occurs, the most frequent first:
            /// other graphs have other columns.
            fn named_features(&self, graphs: &[Graph], _coordinate: &dyn Fn(usize) -> String) -> Result<Features> {
                let NamedCounts { names, rows, .. } = self.named(graphs)?;
                Ok(Features { names, values: rows.into() })
            }
        }
    )*};
}

explicit!(
    VertexHistogram,
    EdgeHistogram,
    VertexEdgeHistogram,
    WeisfeilerLehman,
    ShortestPath,
    Graphlet,
    Propagation
);
