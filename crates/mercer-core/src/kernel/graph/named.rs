//! Feature maps of graphs: names and nodes of counted features.

use super::{Counting, EdgeHistogram, Graphlet, Propagation, ShortestPath, VertexEdgeHistogram};
use super::{VertexHistogram, WeisfeilerLehman, count_all};
use crate::data::Graph;
use crate::error::Result;
use crate::kernel::{FeatureMap, Features};

fn named(kernel: &impl Counting, graphs: &[Graph]) -> Result<Features> {
    let counts = count_all(kernel, graphs)?;
    let mut names: Vec<Option<String>> = vec![None; counts.hashes().len()];
    for (i, graph) in kernel.admit(graphs)?.iter().enumerate() {
        let told = kernel.describe(graph, &mut |hash, _, name| {
            if let Some(number) = counts.find(hash) {
                names[number as usize].get_or_insert_with(name);
            }
        });
        told.map_err(|e| e.of_object(|_| i))?;
    }
    Features::counted(names, &counts)
}

fn places(kernel: &impl Counting, graphs: &[Graph], visit: &mut dyn FnMut(u128, &[u32])) -> Result<()> {
    let describe = |graph| kernel.describe(graph, &mut |hash, nodes, _| visit(hash, nodes));
    kernel.admit(graphs)?.iter().try_for_each(describe)
}

// Not for every counting kernel: `wl-oa` is not the inner product of its counts.
macro_rules! feature_maps {
    ($($kernel:ty),*) => {$(
        impl FeatureMap<[Graph]> for $kernel {
            /// The counts of all features of these graphs, one column for each, the most frequent first: other graphs
            /// have other columns.
            fn named_features(&self, graphs: &[Graph], _coordinate: &dyn Fn(usize) -> String) -> Result<Features> {
                named(self, graphs)
            }

            fn places(&self, graphs: &[Graph], object: usize, visit: &mut dyn FnMut(u128, &[u32])) -> Result<()> {
                places(self, graphs.get(object..=object).unwrap_or_default(), visit)
                    .map_err(|e| e.of_object(|_| object))
            }
        }
    )*};
}

feature_maps!(
    VertexHistogram,
    EdgeHistogram,
    VertexEdgeHistogram,
    WeisfeilerLehman,
    ShortestPath,
    Graphlet,
    Propagation
);
