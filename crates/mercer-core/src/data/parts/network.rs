//! Nodes of graphs, and neighbours of nodes.

use std::collections::VecDeque;
use std::sync::Arc;

use super::{ObjectPart, runs};
use crate::data::{Graph, Network, NodeAttributes, Nodes};
use crate::error::Result;

/// Nodes named in a part.
const NAMED: usize = 6;

pub(super) fn parts_of_graph(graph: &Graph, most: usize) -> Vec<ObjectPart> {
    let order = if graph.nodes() <= most { (0..graph.nodes()).collect() } else { by_distance(graph) };
    let name = |&node: &usize| match graph.node_labels() {
        Some(labels) => format!("{node} ({})", labels.get(node)),
        None => node.to_string(),
    };
    let part = |(from, to): (usize, usize)| {
        let own = &order[from..to];
        let named: Vec<String> = own.iter().take(NAMED).map(name).collect();
        let more = if own.len() > NAMED { ", …" } else { "" };
        let what = if own.len() == 1 { "node" } else { "nodes" };
        ObjectPart {
            name: format!("{what} {}{more}", named.join(", ")),
            places: own.iter().map(|&node| node as u32).collect(),
        }
    };
    runs(order.len(), most).into_iter().map(part).collect()
}

/// All nodes, each component by distance from its first node, so that neighbours are near each other.
fn by_distance(graph: &Graph) -> Vec<usize> {
    let mut seen = vec![false; graph.nodes()];
    let (mut order, mut next) = (Vec::with_capacity(graph.nodes()), VecDeque::new());
    for start in 0..graph.nodes() {
        if std::mem::replace(&mut seen[start], true) {
            continue;
        }
        next.push_back(start);
        while let Some(node) = next.pop_front() {
            order.push(node);
            for &other in graph.neighbours(node) {
                if !std::mem::replace(&mut seen[other as usize], true) {
                    next.push_back(other as usize);
                }
            }
        }
    }
    order
}

pub(super) fn without_nodes(graph: &Graph, hidden: &[ObjectPart]) -> Result<Graph> {
    let mut seen = vec![true; graph.nodes()];
    for &node in hidden.iter().flat_map(|part| &part.places) {
        if let Some(seen) = seen.get_mut(node as usize) {
            *seen = false;
        }
    }
    graph.induced(&(0..graph.nodes()).filter(|&node| seen[node]).collect::<Vec<_>>())
}

pub(super) fn neighbours(nodes: &Nodes, i: usize, most: usize) -> Vec<ObjectPart> {
    let (network, own) = (nodes.network(), nodes.chosen()[i]);
    let mut around: Vec<(u32, f64)> = network.row(own as usize).filter(|(to, _)| *to != own).collect();
    around.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    around.truncate(most);
    let part = |(to, _): (u32, f64)| ObjectPart {
        name: format!("neighbour {}", network.name(to)),
        places: vec![to],
    };
    around.into_iter().map(part).collect()
}

/// The node alone, in a network without the edges to hidden neighbours.
pub(super) fn without_neighbours(nodes: &Nodes, i: usize, hidden: &[ObjectPart]) -> Result<Nodes> {
    let (network, own) = (nodes.network(), nodes.chosen()[i]);
    if hidden.is_empty() {
        return Ok(nodes.select(&[i]));
    }
    let is_hidden = |to: u32| hidden.iter().any(|part| part.places == [to]);
    let edges = (0..network.len() as u32).flat_map(|from| {
        network.row(from as usize).filter(move |(to, _)| from <= *to).map(move |(to, w)| (from, to, w))
    });
    let kept = edges.filter(|&(a, b, _)| {
        let other = if a == own { b } else { a };
        !((a == own || b == own) && a != b && is_hidden(other))
    });
    let mut out = Network::new(network.len(), &kept.collect::<Vec<_>>())?;
    if let Some(names) = network.names() {
        out = out.with_names(names.to_vec())?;
    }
    if let NodeAttributes::Known(all) = network.attributes() {
        out = out.with_attributes((**all).clone())?;
    }
    Nodes::new(Arc::new(out), vec![own])
}
