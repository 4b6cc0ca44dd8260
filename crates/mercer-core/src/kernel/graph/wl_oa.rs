//! The Weisfeiler–Lehman optimal assignment kernel.

use std::collections::HashMap;
use std::fmt;

use super::{GRAPHS, GraphFeatures, Ignore, OnGraphs, WeisfeilerLehman, join, switch};
use crate::budget;
use crate::data::Graph;
use crate::error::Result;
use crate::kernel::counts::{Bag, CountSimilarity, Counting, Describe, Visit};
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

/// The features of [`OptimalAssignment`], of which it is the inner product: one for the first node with a label, one for
/// the second, and so on.
///
/// The matching pairs as many nodes of a label as both graphs have, and any of them: every node with the label is a
/// place of each of these features.
#[doc(hidden)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchedNodes(pub OptimalAssignment);

impl Declared for MatchedNodes {
    const FACTS: &'static Facts = &OptimalAssignment::FACTS;

    fn read(settings: &mut Settings<'_>) -> Result<Self> {
        OptimalAssignment::read(settings).map(MatchedNodes)
    }
}

impl fmt::Display for MatchedNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl OnGraphs for MatchedNodes {
    fn graph_features(&self) -> GraphFeatures {
        self.0.graph_features()
    }

    fn ignore(&self) -> Ignore {
        self.0.ignore()
    }
}

/// The feature of the node with this label that comes after `before` others.
fn numbered(label: u128, before: u64) -> u128 {
    if before == 0 { label } else { join(&[label, u128::from(before)]) }
}

impl Counting for MatchedNodes {
    type Objects = [Graph];

    fn count(&self, graph: &Graph, bag: &mut Bag) -> Result<()> {
        let mut labels = Bag::default();
        self.0.wl.count(graph, &mut labels)?;
        labels.drain(|label, count| (0..count).for_each(|before| bag.add(numbered(label, before))));
        Ok(())
    }
}

impl Describe for MatchedNodes {
    fn describe(&self, graph: &Graph, visit: Visit<'_>) -> Result<()> {
        let (mut labels, mut counts) = (Bag::default(), HashMap::new());
        self.0.wl.count(graph, &mut labels)?;
        labels.drain(|label, count| {
            counts.insert(label, count);
        });
        self.0.wl.describe(graph, &mut |label, nodes, name| {
            for before in 0..counts.get(&label).copied().unwrap_or(0) {
                if budget::is_spent_often() {
                    return;
                }
                visit(numbered(label, before), nodes, &|| match before {
                    0 => name(),
                    more => format!("{} ×{}", name(), more + 1),
                });
            }
        })?;
        budget::check()
    }
}
