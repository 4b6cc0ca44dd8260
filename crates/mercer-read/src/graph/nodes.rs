//! Nodes of one graph as objects: a table with one row per node, and a file of the edges between them.
//!
//! The table is any table; its column `node` (or `id`, `name`, or the one of the option `id`) names the nodes. Edges are
//! read from a table `source,target`, optionally with `weight`, from GML or GraphML (ids of nodes), or from a Matrix
//! Market file, whose row i is row i of the table. Weights of repeated edges are added. If a file lists each edge in
//! both directions, each counts once. Directions are ignored. Nodes that occur only in edges are part of the graph, but
//! have no row.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use super::super::text::{Fault, Text, shown};
use super::super::{Format, Options, csv, dispatch, sniff};
use super::batch::{Draft, GraphBatch, Raw};
use super::{edges, folder, market, parse};
use crate::data::{Column, Dataset, Kind, Network, Nodes, Values};
use crate::error::{Code, Error, Place, Result, Warning};

/// The name of the node column.
const NODE: &str = "node";
/// Column names that are recognised as node names, in order of preference.
const NAMES: [&str; 3] = [NODE, "id", "name"];

/// Reads a table of nodes and the edges between them.
pub(in super::super) fn read(path: &Path, edges: &Path, options: &Options) -> Result<Dataset> {
    let bytes = folder::load(path, options)?;
    let format = sniff::format(path, &bytes, options)?;
    let mut own = options.clone();
    own.graph.edges = None;
    own.kinds.retain(|_, kind| *kind != Kind::Nodes);
    if own.id.is_none() && matches!(format, Format::Csv | Format::Tsv) {
        let text = Text::new(path, bytes.as_slice().into(), &options.limits)?;
        let header = csv::header(&text, format, options)?;
        own.id = NAMES.iter().find(|n| header.iter().any(|h| h == *n)).map(|n| (*n).to_owned());
    }
    if own.id.is_none() {
        let reason = "no column names the nodes";
        let hint = format!("name it {}, or use `id=COLUMN`", NAMES.join(", "));
        return Err(Error::parse(Place::file(path), Code::Header, reason).with_hint(hint));
    }
    let data = dispatch(path, bytes.into(), &own)?;
    let ids = data.ids().unwrap_or_default().to_vec();
    let raw = read_edges(edges, &ids, options)?;
    join(&data, ids, raw, path, edges)
}

fn read_edges(path: &Path, ids: &[String], options: &Options) -> Result<Raw> {
    let name = path.file_name().and_then(|n| n.to_str()).unwrap_or_default();
    if market::is_matrix(folder::unpacked(name)) {
        let text = Text::new(path, folder::load(path, options)?.into(), &options.limits)?;
        return market::read(&text, ids).map_err(|fault| text.error(fault));
    }
    let mut plain = options.clone();
    // Only weights are needed here.
    plain.graph.node_label = Some("none".into());
    plain.graph.edge_label = Some("none".into());
    plain.graph.node_attributes = Vec::new();
    plain.graph.edge_attributes = Vec::new();
    let mut batch = GraphBatch::new(&plain).raw();
    match folder::by_extension(name) {
        Some(format @ (Format::Gml | Format::Graphml)) => {
            parse(path, folder::load(path, options)?.into(), format, &mut batch, &plain)?;
        }
        Some(other) => {
            let reason = format!("edges between nodes cannot be read from {other}");
            return Err(Error::parse(Place::file(path), Code::Format, reason));
        }
        None => {
            let mut draft = Draft::default();
            edges::each(path, &["source", "target"], false, &mut batch, &plain, |batch, row| {
                for name in [row.words[0], row.words[1]] {
                    if !draft.has(name) {
                        draft.node(batch, name, row.number, &[])?;
                    }
                }
                draft.edge(batch, (row.words[0], row.words[1]), row.number, &row.values)
            })?;
            draft.finish(&mut batch, None, false).map_err(|f: Fault| f.at(Place::file(path)))?;
        }
    }
    let mut graphs = batch.into_raw();
    match (graphs.pop(), graphs.is_empty()) {
        (Some(one), true) => Ok(one),
        (None, _) => Err(Error::parse(Place::file(path), Code::Empty, "no graph")),
        _ => Err(Error::parse(Place::file(path), Code::Graph, "several graphs, but nodes must be in one")),
    }
}

fn join(data: &Dataset, ids: Vec<String>, raw: Raw, path: &Path, edges: &Path) -> Result<Dataset> {
    // Numbered by name, so that tables with other rows give the same network.
    let mut names: Vec<&str> = ids.iter().chain(&raw.names).map(String::as_str).collect();
    names.sort_unstable();
    names.dedup();
    let places: HashMap<&str, u32> = names.iter().zip(0..).map(|(n, i)| (*n, i)).collect();
    let place = |name: &str| places.get(name).copied().unwrap_or(0);
    let of_edges: Vec<u32> = raw.names.iter().map(|n| place(n)).collect();
    let ends = |&(a, b, w): &(u32, u32, f64)| (of_edges[a as usize], of_edges[b as usize], w);
    let list: Vec<(u32, u32, f64)> = raw.edges.iter().map(ends).collect();
    let fault = |e: Error| match e {
        Error::Param { name, value, domain } => {
            let reason = format!("{name} {value}: must be {domain}");
            Error::parse(Place::file(edges), Code::Number, reason)
        }
        other => other,
    };
    let network = Network::listed(names.len(), list).map_err(fault)?;
    let chosen: Vec<u32> = ids.iter().map(|n| place(n)).collect();
    let alone = chosen.iter().filter(|&&i| network.neighbours(i as usize).is_empty()).count();
    if alone == chosen.len() && !chosen.is_empty() && network.edges() > 0 {
        let first = raw.names.first().map(String::as_str).unwrap_or_default();
        let reason = format!("no edge has a node of {}, such as {}", path.display(), shown(&ids[0]));
        let hint = format!("the edges have nodes such as {}", shown(first));
        return Err(Error::parse(Place::file(edges), Code::Graph, reason).with_hint(hint));
    }
    let mut warnings = data.warnings().to_vec();
    if alone > 0 {
        warnings.push(Warning::new("W_NO_EDGES", format!("{alone} of {} nodes have no edges", chosen.len())));
    }
    let network = network.with_names(names.into_iter().map(str::to_owned).collect())?;
    let nodes = Values::Nodes(Nodes::new(Arc::new(network), chosen)?);
    if data.has_column(NODE) {
        let reason = format!("column '{NODE}' is not the column with the node names");
        let hint = format!("leave it out with `ignore={NODE}`");
        return Err(Error::parse(Place::file(path), Code::Header, reason).with_hint(hint));
    }
    let mut columns = vec![Column::new(NODE, nodes)];
    columns.extend(data.columns().iter().cloned());
    Ok(data.with_columns(columns)?.with_warnings(warnings))
}
