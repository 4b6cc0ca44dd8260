//! Graphs in arrays over all of them: nodes per graph, arcs per node, labels, weights and attributes.

use super::{Get, Pieces, Put};
use crate::data::{Dense, Graph, Labels};
use crate::error::{Code, Result};

const DIRECTED: u8 = 1;
const NODE_LABELS: u8 = 2;
const EDGE_LABELS: u8 = 4;
const WEIGHTS: u8 = 8;
const NODE_ATTRIBUTES: u8 = 16;
const EDGE_ATTRIBUTES: u8 = 32;
const KNOWN: u8 = DIRECTED | NODE_LABELS | EDGE_LABELS | WEIGHTS | NODE_ATTRIBUTES | EDGE_ATTRIBUTES;

impl Put<'_> {
    pub(super) fn graphs(&mut self, all: &[Graph]) -> Result<()> {
        let flags = all.iter().map(|g| {
            let flag = |is: bool, bit: u8| if is { bit } else { 0 };
            flag(g.is_directed(), DIRECTED)
                | flag(g.node_labels().is_some(), NODE_LABELS)
                | flag(g.edge_labels().is_some(), EDGE_LABELS)
                | flag(g.weights().is_some(), WEIGHTS)
                | flag(g.node_attributes().is_some(), NODE_ATTRIBUTES)
                | flag(g.edge_attributes().is_some(), EDGE_ATTRIBUTES)
        });
        let degrees = all.iter().flat_map(|g| (0..g.nodes()).map(|i| g.neighbours(i).len() as u64));
        let targets = all.iter().flat_map(|g| g.arcs().map(|(_, to)| to));
        self.array("flags", flags.collect::<Vec<_>>())?;
        self.array("nodes", all.iter().map(|g| g.nodes() as u64).collect::<Vec<_>>())?;
        self.array("degrees", degrees.collect::<Vec<_>>())?;
        self.array("targets", targets.collect::<Vec<_>>())?;
        self.strings("node_labels", all.iter().filter_map(Graph::node_labels).flat_map(Labels::iter))?;
        self.strings("edge_labels", all.iter().filter_map(Graph::edge_labels).flat_map(Labels::iter))?;
        self.array(
            "weights",
            all.iter().filter_map(Graph::weights).flatten().copied().collect::<Vec<f64>>(),
        )?;
        let attributes = || all.iter().flat_map(|g| [g.node_attributes(), g.edge_attributes()]).flatten();
        self.array("attribute_widths", attributes().map(|x| x.cols() as u64).collect::<Vec<_>>())?;
        self.array("attributes", attributes().flat_map(Dense::values).copied().collect::<Vec<f64>>())
    }
}

impl Get<'_> {
    pub(super) fn graphs(&self) -> Result<Vec<Graph>> {
        let flags = self.container.u8s(&self.name("flags"))?;
        let nodes = self.container.u64s(&self.name("nodes"))?;
        self.container.check_len(&self.name("nodes"), nodes.len(), flags.len())?;
        let (node_labels, edge_labels) = (self.strings("node_labels")?, self.strings("edge_labels")?);
        let mut degrees = Pieces::of(self, self.container.u64s(&self.name("degrees"))?);
        let mut targets = Pieces::of(self, self.container.u32s(&self.name("targets"))?);
        let mut weights = Pieces::of(self, self.container.finite(&self.name("weights"))?);
        let mut node_labels = Pieces::of(self, &node_labels);
        let mut edge_labels = Pieces::of(self, &edge_labels);
        let mut widths = Pieces::of(self, self.container.u64s(&self.name("attribute_widths"))?);
        let mut attributes = Pieces::of(self, self.container.finite(&self.name("attributes"))?);
        let mut rows = |count: u64| -> Result<Dense> {
            let width = widths.next(1)?[0];
            let values = attributes.next(count.saturating_mul(width))?.to_vec();
            self.fits(Dense::new(count as usize, width as usize, values))
        };

        let mut out = Vec::with_capacity(flags.len());
        for (&flags, &nodes) in flags.iter().zip(nodes) {
            if flags & !KNOWN != 0 {
                return Err(self.field.fault(Code::ModelSyntax, format!("graph of unknown kind {flags}")));
            }
            let mut arcs = Vec::new();
            let own = degrees.next(nodes)?;
            for (from, &degree) in own.iter().enumerate() {
                arcs.extend(targets.next(degree)?.iter().map(|&to| (from as u32, to)));
            }
            let count = arcs.len() as u64;
            let mut graph = self.fits(Graph::from_stored(own.len(), arcs, flags & DIRECTED != 0))?;
            if flags & NODE_LABELS != 0 {
                graph = self.fits(graph.with_node_labels(Labels::from_names(node_labels.next(nodes)?)))?;
            }
            if flags & EDGE_LABELS != 0 {
                graph = self.fits(graph.with_edge_labels(Labels::from_names(edge_labels.next(count)?)))?;
            }
            if flags & WEIGHTS != 0 {
                graph = self.fits(graph.with_weights(weights.next(count)?.to_vec()))?;
            }
            if flags & NODE_ATTRIBUTES != 0 {
                graph = self.fits(graph.with_node_attributes(rows(nodes)?))?;
            }
            if flags & EDGE_ATTRIBUTES != 0 {
                graph = self.fits(graph.with_edge_attributes(rows(count)?))?;
            }
            out.push(graph);
        }
        degrees.end()?;
        targets.end()?;
        weights.end()?;
        node_labels.end()?;
        edge_labels.end()?;
        widths.end()?;
        attributes.end()?;
        Ok(out)
    }
}
