//! Explicit features of graphs: their names and nodes.

use super::{Counting, Describe, EdgeHistogram, Graphlet, Propagation, ShortestPath, VertexEdgeHistogram};
use super::{VertexHistogram, WeisfeilerLehman, count_all};
use crate::data::Graph;
use crate::error::Result;
use crate::kernel::counts::NamedCounts;
use crate::kernel::{Explicit, Features};

/// A kernel on graphs with explicit features.
#[doc(hidden)]
pub trait Named: Send + Sync {
    /// The features of graphs. The columns are the features of these graphs, the most frequent first.
    fn named(&self, graphs: &[Graph]) -> Result<NamedCounts>;

    /// Calls `visit` for every occurrence of a feature in one graph, with its nodes.
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
        NamedCounts::new(names, &counts)
    }

    fn places(&self, graph: &Graph, visit: Describe<'_>) -> Result<()> {
        let seen = self.admit(std::slice::from_ref(graph))?;
        seen.iter().try_for_each(|graph| self.describe(graph, visit))
    }
}

macro_rules! explicit {
    ($($kernel:ty),*) => {$(
        impl Explicit<[Graph]> for $kernel {
            /// The counts of all features of these graphs, one column for each, the most frequent first: other graphs
            /// have other columns.
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
