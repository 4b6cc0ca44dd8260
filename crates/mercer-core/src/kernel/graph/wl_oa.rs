//! The Weisfeiler–Lehman optimal assignment kernel.

use std::fmt;

use super::{GRAPHS, GraphFeatures, Ignore, OnGraphs, WeisfeilerLehman, switch};
use crate::data::Graph;
use crate::error::Result;
use crate::kernel::counts::{Bag, CountSimilarity, Counting};
use crate::kernel::{Declared, Facts, Settings};

/// The maximum weight matching of the nodes of two graphs. The weight of a pair is the number of [`WeisfeilerLehman`]
/// rounds in which its labels are equal.
///
/// The nodes of a graph, ordered by their labels of all rounds, form a tree, so the best matching is a sum:
/// k(G, H) = Σ_f min(c_f(G), c_f(H)) over the features that the subtree kernel counts. It is positive semidefinite, and
/// k(G, G) is the number of nodes times h + 1.
///
/// ```
/// use mercer_core::{data::Graph, gram::Engine, kernel::graph::OptimalAssignment};
/// let (path, ring) = (Graph::undirected(3, &[(0, 1), (1, 2)])?, Graph::undirected(3, &[(0, 1), (1, 2), (2, 0)])?);
/// let k = Engine::new().gram(&OptimalAssignment::new(1)?, &[path, ring][..])?;
/// assert_eq!(k.values(), [6.0, 3.0 + 1.0, 3.0 + 1.0, 6.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// N. M. Kriege, P.-L. Giscard and R. C. Wilson, *On valid optimal assignment kernels and applications to graph
/// classification*, NIPS 2016.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptimalAssignment {
    wl: WeisfeilerLehman,
}

impl OptimalAssignment {
    /// The kernel with this number of rounds: 0 to 1000.
    pub fn new(h: usize) -> Result<Self> {
        Ok(OptimalAssignment { wl: WeisfeilerLehman::new(h)? })
    }

    /// Whether edge labels are used.
    #[must_use]
    pub fn with_edge_labels(self, edge_labels: bool) -> Self {
        OptimalAssignment { wl: self.wl.with_edge_labels(edge_labels) }
    }

    /// Sets the features of graphs to ignore.
    #[must_use]
    pub fn ignoring(self, ignore: Ignore) -> Self {
        OptimalAssignment { wl: self.wl.ignoring(ignore) }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "wl-oa",
        summary: "The best matching of nodes; the weight of a pair is its number of equal Weisfeiler–Lehman labels.",
        formula: "Σ_f min(c_f(G), c_f(H)), f over the features of wl",
        parameters: &[
            WeisfeilerLehman::ROUNDS,
            switch("edge-labels", "no", "use edge labels to distinguish neighbours"),
            Ignore::PARAMETER,
        ],
        kinds: GRAPHS,
        reference: "Kriege, Giscard & Wilson 2016, On valid optimal assignment kernels",
        example: "wl-oa(h=4)",
        ..WeisfeilerLehman::FACTS
    };
}

impl Declared for OptimalAssignment {
    const FACTS: &'static Facts = &OptimalAssignment::FACTS;

    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        let (h, edge_labels, ignore) = (settings.read()?, settings.read()?, settings.read()?);
        Ok(OptimalAssignment::new(h)?.with_edge_labels(edge_labels).ignoring(ignore))
    }
}

impl fmt::Display for OptimalAssignment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (h, edge_labels) = self.wl.settings();
        Self::FACTS.print(f, &[], &[&h, &edge_labels, &self.wl.ignore()])
    }
}

impl OnGraphs for OptimalAssignment {
    fn graph_features(&self) -> GraphFeatures {
        self.wl.graph_features()
    }

    fn ignore(&self) -> Ignore {
        self.wl.ignore()
    }
}

impl Counting for OptimalAssignment {
    type Objects = [Graph];

    fn similarity(&self) -> CountSimilarity {
        CountSimilarity::Minima { unit: 1.0 }
    }

    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        self.wl.count(graph, bag)
    }
}
