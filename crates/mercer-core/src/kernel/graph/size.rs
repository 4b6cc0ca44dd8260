//! The size of graphs: a baseline for other kernels.

use super::{GRAPHS, GraphFeatures, Ignore, OnGraphs};
use crate::data::Graph;
use crate::error::Result;
use crate::kernel::{Definiteness, Facts, Kernel, Part, declared};

/// The inner product of the numbers of nodes and edges: |V|·|V'| + |E|·|E'|.
///
/// It uses nothing else, so it shows how much of a score is due to size alone. `rbf-of(graph-size(ignore=others),
/// gamma=…)` compares sizes by a Gaussian. An undirected edge counts once.
///
/// ```
/// use mercer_core::{data::Graph, gram::Engine, kernel::graph::GraphSize};
/// let path = Graph::undirected(3, &[(0, 1), (1, 2)])?;
/// let k = Engine::new().gram(&GraphSize::default(), &[path, Graph::undirected(4, &[])?][..])?;
/// assert_eq!(k.values(), [13.0, 12.0, 12.0, 16.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GraphSize {
    ignore: Ignore,
}

impl GraphSize {
    /// The kernel with the features of graphs to ignore.
    pub fn ignoring(ignore: Ignore) -> Self {
        GraphSize { ignore }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "graph-size",
        summary: "The inner product of the numbers of nodes and edges: a baseline.",
        formula: "|V|·|V'| + |E|·|E'|",
        takes: "graphs without labels, or ignore=others",
        kinds: GRAPHS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[Ignore::PARAMETER],
        cost: "two products",
        reference: "Schulz & Welke 2019, On the necessity of graph kernel baselines",
        example: "rbf-of(graph-size(ignore=others), gamma=0.01)",
    };
}

declared!(GraphSize { ignore });

impl OnGraphs for GraphSize {
    fn graph_features(&self) -> GraphFeatures {
        GraphFeatures::STRUCTURE
    }

    fn ignore(&self) -> Ignore {
        self.ignore
    }
}

impl Kernel<[Graph]> for GraphSize {
    type Prepared = Vec<[f64; 2]>;

    fn prepare(&self, graphs: &[Graph]) -> Result<Self::Prepared> {
        let graphs = self.admit(graphs)?;
        Ok(graphs.iter().map(|g| [g.nodes() as f64, g.edges() as f64]).collect())
    }

    fn fill(
        &self,
        rows: Part<'_, Self::Prepared>,
        cols: Part<'_, Self::Prepared>,
        out: &mut [f64],
    ) -> Result<()> {
        let cols = &cols.set[cols.range.clone()];
        for (row, a) in out.chunks_exact_mut(cols.len().max(1)).zip(&rows.set[rows.range.clone()]) {
            row.iter_mut().zip(cols).for_each(|(v, b)| *v = a[0] * b[0] + a[1] * b[1]);
        }
        Ok(())
    }

    fn diagonal(&self, of: Part<'_, Self::Prepared>, out: &mut [f64]) -> Result<()> {
        out.iter_mut().zip(&of.set[of.range.clone()]).for_each(|(v, a)| *v = a[0] * a[0] + a[1] * a[1]);
        Ok(())
    }

    fn definiteness(&self) -> Definiteness {
        Definiteness::PositiveSemidefinite
    }
}
