//! Which features of graphs a kernel uses: labels, weights, direction and attributes.
//!
//! Every kernel on graphs declares the features it uses. Other features are never ignored silently. A graph that has
//! them is an error that names the graph and the remedy, unless the kernel is set to ignore them ([`Ignore`]) or has a
//! switch for them that is off. In these cases a warning lists what is ignored.
//!
//! Labels, weights or attributes that are the same everywhere in a set carry no information and cause neither an error
//! nor a warning. The same holds for direction if every arc has its opposite.

use std::borrow::Cow;
use std::fmt;

use crate::data::{Graph, Labels};
use crate::error::{Error, Result, Warning};
use crate::kernel::{Domain, OneOf, Parameter};

/// A feature of a graph in addition to its nodes and edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphFeature {
    /// Node labels.
    NodeLabels,
    /// Edge labels.
    EdgeLabels,
    /// Edge weights.
    Weights,
    /// Directed edges.
    Direction,
    /// Numbers for each node.
    NodeAttributes,
    /// Numbers for each edge.
    EdgeAttributes,
}

impl GraphFeature {
    /// All features.
    pub const ALL: [GraphFeature; 6] = [
        GraphFeature::NodeLabels,
        GraphFeature::EdgeLabels,
        GraphFeature::Weights,
        GraphFeature::Direction,
        GraphFeature::NodeAttributes,
        GraphFeature::EdgeAttributes,
    ];

    /// The value of the parameter `ignore` that names it.
    fn word(self) -> Ignore {
        match self {
            GraphFeature::NodeLabels => Ignore::NodeLabels,
            GraphFeature::EdgeLabels => Ignore::EdgeLabels,
            GraphFeature::Weights => Ignore::Weights,
            GraphFeature::Direction => Ignore::Direction,
            GraphFeature::NodeAttributes | GraphFeature::EdgeAttributes => Ignore::Attributes,
        }
    }

    /// The first graph that has the feature, if it varies within the set.
    fn find(self, graphs: &[Graph]) -> Option<usize> {
        let first = |has: &dyn Fn(&Graph) -> bool| graphs.iter().position(has);
        match self {
            GraphFeature::NodeLabels => labels_differ(graphs, Graph::node_labels, Graph::nodes)
                .then(|| first(&|g| g.node_labels().is_some()))?,
            GraphFeature::EdgeLabels => labels_differ(graphs, Graph::edge_labels, |g| g.arcs().count())
                .then(|| first(&|g| g.edge_labels().is_some()))?,
            GraphFeature::Weights => {
                let mut all = graphs.iter().flat_map(|g| {
                    let own = g.weights().unwrap_or_default().iter().copied();
                    // An edge without a weight has weight 1.
                    own.chain((g.weights().is_none() && g.edges() > 0).then_some(1.0))
                });
                let one = all.next()?;
                all.any(|w| w != one).then(|| first(&|g| g.weights().is_some()))?
            }
            GraphFeature::Direction => first(&|g| g.is_directed() && !is_mutual(g)),
            GraphFeature::NodeAttributes => {
                let mut rows = graphs.iter().flat_map(|g| {
                    let rows = g.node_attributes();
                    (0..g.nodes()).map(move |i| rows.map_or(&[][..], |r| r.row(i)))
                });
                let one = rows.next()?;
                rows.any(|r| r != one).then(|| first(&|g| g.node_attributes().is_some()))?
            }
            GraphFeature::EdgeAttributes => {
                let mut rows = graphs.iter().flat_map(|g| {
                    let rows = g.edge_attributes();
                    (0..g.arcs().count()).map(move |i| rows.map_or(&[][..], |r| r.row(i)))
                });
                let one = rows.next()?;
                rows.any(|r| r != one).then(|| first(&|g| g.edge_attributes().is_some()))?
            }
        }
    }
}

/// Whether two nodes, or two edges, of a set have different labels; a missing label counts as a label.
fn labels_differ<'g>(
    graphs: &'g [Graph],
    labels: impl Fn(&'g Graph) -> Option<&'g Labels>,
    count: impl Fn(&'g Graph) -> usize,
) -> bool {
    let mut one: Option<Option<u128>> = None;
    let mut differs = |hash: Option<u128>| *one.get_or_insert(hash) != hash;
    graphs.iter().any(|g| match labels(g) {
        Some(labels) => (0..labels.len()).any(|i| differs(Some(labels.hash(i)))),
        None => count(g) > 0 && differs(None),
    })
}

/// Whether every arc has its opposite.
fn is_mutual(graph: &Graph) -> bool {
    graph.arcs().all(|(a, b)| graph.neighbours(b as usize).binary_search(&a).is_ok())
}

impl fmt::Display for GraphFeature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GraphFeature::NodeLabels => "node labels",
            GraphFeature::EdgeLabels => "edge labels",
            GraphFeature::Weights => "edge weights",
            GraphFeature::Direction => "directed edges",
            GraphFeature::NodeAttributes => "node attributes",
            GraphFeature::EdgeAttributes => "edge attributes",
        })
    }
}

/// Features that a kernel ignores, with a warning.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ignore {
    /// Nothing: a feature that the kernel does not use is an error.
    #[default]
    Nothing,
    /// Node labels.
    NodeLabels,
    /// Edge labels.
    EdgeLabels,
    /// Edge weights.
    Weights,
    /// Attributes of nodes and edges.
    Attributes,
    /// The direction of edges: arcs are treated as undirected edges.
    Direction,
    /// Everything that the kernel does not use.
    Others,
}

impl OneOf for Ignore {
    const WORDS: &'static [&'static str] =
        &["nothing", "node-labels", "edge-labels", "weights", "attributes", "direction", "others"];
    const ALL: &'static [Ignore] = &[
        Ignore::Nothing,
        Ignore::NodeLabels,
        Ignore::EdgeLabels,
        Ignore::Weights,
        Ignore::Attributes,
        Ignore::Direction,
        Ignore::Others,
    ];
}

impl Ignore {
    /// The parameter `ignore`, which every kernel on graphs has.
    pub(crate) const PARAMETER: Parameter = Parameter {
        name: "ignore",
        default: "nothing",
        domain: Domain::Word(Ignore::WORDS),
        doc: "features of graphs to ignore, with a warning; others: all features that the kernel does not use",
        alias: None,
    };
}

impl fmt::Display for Ignore {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// How a kernel treats one feature of graphs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FeatureUse {
    /// The kernel uses it.
    Used,
    /// The kernel can use it, but its switch is off: the setting that turns it on.
    Off(&'static str),
    /// The kernel cannot use it.
    Unsupported,
}

impl FeatureUse {
    /// Used if the switch is on; otherwise the setting that turns it on.
    pub const fn switch(on: bool, setting: &'static str) -> Self {
        if on { FeatureUse::Used } else { FeatureUse::Off(setting) }
    }
}

/// The features of graphs that a kernel uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphFeatures {
    /// Node labels.
    pub node_labels: FeatureUse,
    /// Edge labels.
    pub edge_labels: FeatureUse,
    /// Edge weights.
    pub weights: FeatureUse,
    /// Directed edges.
    pub direction: FeatureUse,
    /// Numbers for each node.
    pub node_attributes: FeatureUse,
    /// Numbers for each edge.
    pub edge_attributes: FeatureUse,
}

impl GraphFeatures {
    /// Only nodes and edges.
    pub const STRUCTURE: GraphFeatures = GraphFeatures {
        node_labels: FeatureUse::Unsupported,
        edge_labels: FeatureUse::Unsupported,
        weights: FeatureUse::Unsupported,
        direction: FeatureUse::Unsupported,
        node_attributes: FeatureUse::Unsupported,
        edge_attributes: FeatureUse::Unsupported,
    };

    /// How one feature is treated.
    pub fn usage(&self, what: GraphFeature) -> FeatureUse {
        match what {
            GraphFeature::NodeLabels => self.node_labels,
            GraphFeature::EdgeLabels => self.edge_labels,
            GraphFeature::Weights => self.weights,
            GraphFeature::Direction => self.direction,
            GraphFeature::NodeAttributes => self.node_attributes,
            GraphFeature::EdgeAttributes => self.edge_attributes,
        }
    }

    /// An error for graphs with a feature that the kernel neither uses nor is set to ignore; otherwise warnings about
    /// ignored features.
    pub fn check(&self, kernel: &str, ignore: Ignore, graphs: &[Graph]) -> Result<Vec<Warning>> {
        let mut ignored = Vec::new();
        for what in GraphFeature::ALL {
            let named = ignore == what.word();
            let usage = self.usage(what);
            if usage == FeatureUse::Used && !named {
                continue;
            }
            let Some(index) = what.find(graphs) else { continue };
            match usage {
                FeatureUse::Off(setting) if !named => ignored.push(format!("{what} ({setting} uses them)")),
                FeatureUse::Unsupported if !named && ignore != Ignore::Others => {
                    return Err(Error::Object {
                        index,
                        reason: format!("the graph has {what}, which {kernel} does not use"),
                        hint: Some(format!(
                            "{kernel}(ignore={}) ignores them, ignore=others ignores everything it does not use",
                            what.word()
                        )),
                    });
                }
                _ => ignored.push(what.to_string()),
            }
        }
        if ignored.is_empty() {
            return Ok(Vec::new());
        }
        Ok(vec![Warning::new(
            "W_IGNORED",
            format!("{kernel} ignores these features of the graphs: {}", ignored.join(", ")),
        )])
    }

    /// The graphs as the kernel uses them, or an error. Features that it is set to ignore are removed, and arcs whose
    /// direction is ignored become undirected edges.
    pub fn admit<'g>(&self, kernel: &str, ignore: Ignore, graphs: &'g [Graph]) -> Result<Cow<'g, [Graph]>> {
        self.check(kernel, ignore, graphs)?;
        let used = |what| self.usage(what) == FeatureUse::Used;
        let drop = |what: GraphFeature| ignore == what.word() && used(what);
        let (labels, weights) = (drop(GraphFeature::EdgeLabels), drop(GraphFeature::Weights));
        let attributes = drop(GraphFeature::NodeAttributes) || drop(GraphFeature::EdgeAttributes);
        let direction = !used(GraphFeature::Direction) || ignore == Ignore::Direction;
        let touched = |g: &Graph| {
            labels && g.edge_labels().is_some()
                || weights && g.weights().is_some()
                || attributes && (g.node_attributes().is_some() || g.edge_attributes().is_some())
                || direction && g.is_directed()
                || drop(GraphFeature::NodeLabels) && g.node_labels().is_some()
        };
        if !graphs.iter().any(touched) {
            return Ok(Cow::Borrowed(graphs));
        }
        let change = |g: &Graph| -> Result<Graph> {
            let mut g = if direction { g.to_undirected()? } else { g.clone() };
            if labels {
                g = g.without_edge_labels();
            }
            if weights {
                g = g.without_weights();
            }
            if attributes {
                g = g.without_attributes();
            }
            if drop(GraphFeature::NodeLabels) {
                g = g.without_node_labels();
            }
            Ok(g)
        };
        Ok(Cow::Owned(graphs.iter().map(change).collect::<Result<_>>()?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::Dense;

    fn path(labels: [&str; 3], bonds: [&str; 2]) -> Graph {
        let edges = crate::data::GraphBuilder::undirected(3).edges(vec![(0, 1), (1, 2)]);
        let edges = edges.edge_labels(Labels::from_names(bonds)).node_labels(Labels::from_names(labels));
        edges.build().unwrap().0
    }

    const NODES: GraphFeatures = GraphFeatures { node_labels: FeatureUse::Used, ..GraphFeatures::STRUCTURE };

    #[test]
    fn constant_features_carry_no_information() {
        let plain = [path(["C", "C", "O"], ["-", "-"]), path(["C", "N", "O"], ["-", "-"])];
        assert!(NODES.check("k", Ignore::Nothing, &plain).unwrap().is_empty());
        let bonds = [plain[0].clone(), path(["C", "C", "C"], ["-", "="])];
        let error = NODES.check("k", Ignore::Nothing, &bonds).unwrap_err();
        assert_eq!(error.to_string(), "E_OBJECT object 1: the graph has edge labels, which k does not use");
        assert!(error.hint().unwrap().starts_with("k(ignore=edge-labels)"));
        // Labels on only some graphs distinguish these from the others.
        let some = [plain[0].clone(), plain[1].clone().without_edge_labels()];
        assert!(NODES.check("k", Ignore::Weights, &some).is_err());
        for ignore in [Ignore::EdgeLabels, Ignore::Others] {
            let warnings = NODES.check("k", ignore, &bonds).unwrap();
            assert_eq!(
                warnings[0].to_string(),
                "W_IGNORED k ignores these features of the graphs: edge labels"
            );
        }
        let off = GraphFeatures { edge_labels: FeatureUse::switch(false, "bonds=yes"), ..NODES };
        assert!(off.check("k", Ignore::Nothing, &bonds).unwrap()[0].message.contains("bonds=yes"));
        assert!(NODES.check("k", Ignore::Nothing, &[]).unwrap().is_empty());
    }

    #[test]
    fn weights_direction_and_attributes_are_checked() {
        let check = |g: &[Graph]| NODES.check("k", Ignore::Nothing, g).is_ok();
        let plain = || Graph::undirected(3, &[(0, 1), (1, 2)]).unwrap();
        let weighted = |w: &[f64]| plain().with_weights(w.to_vec()).unwrap();
        assert!(check(&[weighted(&[2.0; 4])]) && check(&[plain(), weighted(&[1.0; 4])]));
        assert!(!check(&[plain(), weighted(&[2.0; 4])]) && !check(&[weighted(&[2.0, 2.0, 3.0, 3.0])]));
        assert!(check(&[Graph::directed(2, &[(0, 1), (1, 0)]).unwrap()]));
        assert!(!check(&[Graph::directed(2, &[(0, 1)]).unwrap()]));
        let with = |v: [f64; 3]| plain().with_node_attributes(Dense::new(3, 1, v.to_vec()).unwrap()).unwrap();
        assert!(
            check(&[with([1.0; 3])])
                && !check(&[with([1.0, 2.0, 1.0])])
                && !check(&[with([1.0; 3]), plain()])
        );
        let arcs = plain().with_edge_attributes(Dense::new(4, 1, vec![1.0, 1.0, 2.0, 2.0]).unwrap()).unwrap();
        assert!(!check(std::slice::from_ref(&arcs)));
        let all = NODES.check("k", Ignore::Attributes, &[arcs, with([1.0, 2.0, 3.0])]).unwrap();
        assert!(all[0].message.ends_with("node attributes, edge attributes"));
    }

    #[test]
    fn ignored_features_are_removed() {
        let all = GraphFeatures { edge_labels: FeatureUse::Used, weights: FeatureUse::Used, ..NODES };
        let graph = path(["C", "N", "O"], ["-", "="]).with_weights(vec![1.0, 1.0, 2.0, 2.0]).unwrap();
        let one = std::slice::from_ref(&graph);
        assert!(matches!(all.admit("k", Ignore::Others, one).unwrap(), Cow::Borrowed(_)));
        assert!(all.admit("k", Ignore::Weights, one).unwrap()[0].weights().is_none());
        assert!(all.admit("k", Ignore::EdgeLabels, one).unwrap()[0].edge_labels().is_none());
        assert!(all.admit("k", Ignore::NodeLabels, one).unwrap()[0].node_labels().is_none());
        let arc = Graph::directed(2, &[(0, 1)]).unwrap().with_weights(vec![3.0]).unwrap();
        let seen = all.admit("k", Ignore::Direction, std::slice::from_ref(&arc)).unwrap();
        assert!(!seen[0].is_directed() && seen[0].weights() == Some(&[3.0, 3.0][..]));
        // Mutual arcs are no error, and become edges for a kernel that does not use direction.
        let both = Graph::directed(2, &[(0, 1), (1, 0)]).unwrap();
        assert!(!all.admit("k", Ignore::Nothing, &[both]).unwrap()[0].is_directed());
    }

    #[test]
    fn ignore_values_round_trip_through_text() {
        for (word, ignore) in Ignore::WORDS.iter().zip(Ignore::ALL) {
            assert_eq!((Ignore::from_word(word), ignore.to_string()), (Some(*ignore), (*word).to_owned()));
        }
        assert!(Ignore::from_word("all").is_none());
    }
}
