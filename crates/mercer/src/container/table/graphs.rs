//! Graphs in arrays over all of them: nodes per graph, arcs per node, labels, weights and attributes.

use super::{Pieces, stored};
use crate::data::{Dense, Graph, Labels};
use crate::error::{Code, Result};

const DIRECTED: u8 = 1;
const NODE_LABELS: u8 = 2;
const EDGE_LABELS: u8 = 4;
const WEIGHTS: u8 = 8;
const NODE_ATTRIBUTES: u8 = 16;
const EDGE_ATTRIBUTES: u8 = 32;
const KNOWN: u8 = DIRECTED | NODE_LABELS | EDGE_LABELS | WEIGHTS | NODE_ATTRIBUTES | EDGE_ATTRIBUTES;

fn flags(g: &Graph) -> u8 {
    let flag = |is: bool, bit: u8| if is { bit } else { 0 };
    flag(g.is_directed(), DIRECTED)
        | flag(g.node_labels().is_some(), NODE_LABELS)
        | flag(g.edge_labels().is_some(), EDGE_LABELS)
        | flag(g.weights().is_some(), WEIGHTS)
        | flag(g.node_attributes().is_some(), NODE_ATTRIBUTES)
        | flag(g.edge_attributes().is_some(), EDGE_ATTRIBUTES)
}

fn attributes(all: &[Graph]) -> impl Iterator<Item = &Dense> {
    all.iter().flat_map(|g| [g.node_attributes(), g.edge_attributes()]).flatten()
}

stored! { Vec<Graph>: all, get {
    flags: u8s = all.iter().map(flags);
    nodes: u64s = all.iter().map(|g| g.nodes() as u64), len flags.len();
    node_labels: strings = all.iter().filter_map(Graph::node_labels).flat_map(Labels::iter);
    edge_labels: strings = all.iter().filter_map(Graph::edge_labels).flat_map(Labels::iter);
    degrees: u64s = all.iter().flat_map(|g| (0..g.nodes()).map(|i| g.neighbours(i).len() as u64));
    targets: u32s = all.iter().flat_map(|g| g.arcs().map(|(_, to)| to));
    weights: values = all.iter().filter_map(Graph::weights).flatten();
    attribute_widths: u64s = attributes(all).map(|x| x.cols() as u64);
    attributes: values = attributes(all).flat_map(Dense::values);
} => {
    let mut degrees = Pieces::of(get, degrees);
    let mut targets = Pieces::of(get, targets);
    let mut weights = Pieces::of(get, weights);
    let mut node_labels = Pieces::of(get, &node_labels);
    let mut edge_labels = Pieces::of(get, &edge_labels);
    let mut widths = Pieces::of(get, attribute_widths);
    let mut attributes = Pieces::of(get, attributes);
    let mut rows = |count: u64| -> Result<Dense> {
        let width = widths.next(1)?[0];
        let values = attributes.next(count.saturating_mul(width))?.to_vec();
        get.fits(Dense::new(count as usize, width as usize, values))
    };

    let mut out = Vec::with_capacity(flags.len());
    for (&flags, &nodes) in flags.iter().zip(nodes) {
        if flags & !KNOWN != 0 {
            return Err(get.field.fault(Code::ModelSyntax, format!("graph of unknown kind {flags}")));
        }
        let mut arcs = Vec::new();
        let own = degrees.next(nodes)?;
        for (from, &degree) in own.iter().enumerate() {
            arcs.extend(targets.next(degree)?.iter().map(|&to| (from as u32, to)));
        }
        let count = arcs.len() as u64;
        let mut graph = get.fits(Graph::from_stored(own.len(), arcs, flags & DIRECTED != 0))?;
        if flags & NODE_LABELS != 0 {
            graph = get.fits(graph.with_node_labels(Labels::from_names(node_labels.next(nodes)?)))?;
        }
        if flags & EDGE_LABELS != 0 {
            graph = get.fits(graph.with_edge_labels(Labels::from_names(edge_labels.next(count)?)))?;
        }
        if flags & WEIGHTS != 0 {
            graph = get.fits(graph.with_weights(weights.next(count)?.to_vec()))?;
        }
        if flags & NODE_ATTRIBUTES != 0 {
            graph = get.fits(graph.with_node_attributes(rows(nodes)?))?;
        }
        if flags & EDGE_ATTRIBUTES != 0 {
            graph = get.fits(graph.with_edge_attributes(rows(count)?))?;
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
} }
