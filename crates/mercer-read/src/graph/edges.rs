//! Graphs in tables: `edges.csv` with one row per edge, and optionally `nodes.csv` and `graphs.csv` in the same folder.
//!
//! | table | columns |
//! |---|---|
//! | `edges` | `graph`, `source`, `target`, optionally `label` and `weight` |
//! | `nodes` | `graph`, `node`, optionally `label` |
//! | `graphs` | `graph`, and any other columns about each graph: a target, groups, weights, features |
//!
//! The files are CSV or TSV, optionally compressed, in one folder or with a common prefix: `a_edges.csv`,
//! `a_nodes.csv`. Names of graphs and nodes are text; nodes of different graphs may share a name. If there is a table
//! of nodes, it lists all of them; otherwise the nodes are those in the edges. If there is a table of graphs, it lists
//! all of them in order; a graph without nodes is empty. Edges are undirected by default; if a file lists each edge in
//! both directions, each counts once.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::super::build::Cell;
use super::super::text::{Fault, Text, shown};
use super::super::{Format, Missing, Options, csv};
use super::batch::{Draft, GraphBatch, Value};
use super::facts::{GRAPH, check_kind};
use super::folder::{find, load, unpacked};
use super::table::Table;
use crate::budget;
use crate::data::{Categories, Dataset, Kind, Values};
use crate::error::{Code, Error, Place, Result};

/// The word in the file name of an edge table.
const EDGES: &str = "edges";

/// Whether a file is an edge table, by its name.
pub(super) fn is_table(name: &str) -> bool {
    let name = unpacked(name);
    let stem = name.strip_suffix(".csv").or_else(|| name.strip_suffix(".tsv"));
    let own = stem.and_then(|s| s.strip_suffix(EDGES));
    own.is_some_and(|own| own.is_empty() || own.ends_with(['_', '-', '.']))
}

/// The format of a table, by its name: CSV, or TSV if separated by tabs.
pub(super) fn format_of(path: &Path) -> Format {
    let name = path.file_name().and_then(|n| n.to_str()).map(unpacked).unwrap_or_default();
    if name.ends_with(".tsv") { Format::Tsv } else { Format::Csv }
}

/// The table next to an edge table whose file name has another word instead.
fn companion(edges: &Path, word: &str) -> Option<PathBuf> {
    let name = edges.file_name().and_then(|n| n.to_str()).map(unpacked)?;
    let own = name.rsplit_once('.').map_or(name, |(stem, _)| stem).strip_suffix(EDGES)?;
    ["csv", "tsv"].iter().find_map(|end| find(edges.with_file_name(format!("{own}{word}.{end}"))))
}

/// Reads an edge table, with the tables of nodes and graphs next to it.
pub(super) fn read(path: &Path, options: &Options) -> Result<Dataset> {
    check_kind(options, None)?;
    let table = companion(path, "graphs").map(|graphs| Table::read(&graphs, options)).transpose()?;
    let mut order = Order { closed: table.is_some(), ..Order::default() };
    if let Some(table) = &table {
        table.names().iter().for_each(|name| order.add(name));
    }
    let mut batch = GraphBatch::new(options);
    batch.begin(path);
    let nodes = companion(path, "nodes");
    if let Some(nodes) = &nodes {
        each(nodes, &[GRAPH, "node"], true, &mut batch, options, |batch, row| {
            order.draft(&row)?.node(batch, row.words[1], row.number, &row.values)
        })?;
    }
    each(path, &[GRAPH, "source", "target"], false, &mut batch, options, |batch, row| {
        let draft = order.draft(&row)?;
        let ends = (row.words[1], row.words[2]);
        for name in [ends.0, ends.1] {
            if draft.has(name) {
                continue;
            }
            if nodes.is_some() {
                let reason = format!("node {} is not in the node table", shown(name));
                return Err(Fault::new(row.number, Code::Graph, reason));
            }
            draft.node(batch, name, row.number, &[])?;
        }
        draft.edge(batch, ends, row.number, &row.values)
    })?;
    let directed = options.graph.directed;
    let mirrored = !directed && order.drafts.iter().all(Draft::is_mirrored);
    for (draft, name) in order.drafts.into_iter().zip(order.names) {
        let draft = if mirrored { draft.mirrored() } else { draft };
        let done = draft.finish(&mut batch, Some(name), directed);
        done.map_err(|f| f.at(Place::file(path)))?;
    }
    match table {
        Some(table) => table.join(batch, path, options),
        None => batch.dataset(path, options),
    }
}

/// Graphs by name, in order of their first appearance.
#[derive(Default)]
struct Order {
    names: Vec<String>,
    places: HashMap<String, usize>,
    drafts: Vec<Draft>,
    /// Whether all graphs are listed.
    closed: bool,
}

impl Order {
    fn add(&mut self, name: &str) {
        self.places.insert(name.to_owned(), self.names.len());
        self.names.push(name.to_owned());
        self.drafts.push(Draft::default());
    }

    /// The graph that a row belongs to.
    fn draft(&mut self, row: &Row<'_>) -> Result<&mut Draft, Fault> {
        let name = row.words[0];
        if !self.places.contains_key(name) {
            if self.closed {
                let reason = format!("graph {} is not in the graph table", shown(name));
                return Err(Fault::new(row.number, Code::Graph, reason));
            }
            self.add(name);
        }
        let place = self.places.get(name).copied().unwrap_or(0);
        Ok(&mut self.drafts[place])
    }
}

/// A row of an edge or node table. Its number is used in place of offsets until an error needs its position.
pub(super) struct Row<'t> {
    pub(super) number: usize,
    /// Graph and node, or graph, source and target.
    pub(super) words: Vec<&'t str>,
    pub(super) values: Vec<Value<'t>>,
}

/// Calls `take` for each row of an edge or node table.
pub(super) fn each(
    path: &Path,
    must: &[&str],
    is_node: bool,
    batch: &mut GraphBatch,
    options: &Options,
    mut take: impl FnMut(&mut GraphBatch, Row<'_>) -> Result<(), Fault>,
) -> Result<()> {
    let format = format_of(path);
    let text = Text::new(path, load(path, options)?.into(), &options.limits)?;
    let header = csv::header(&text, format, options)?;
    if let Some(absent) = must.iter().find(|name| !header.iter().any(|h| h == *name)) {
        let reason =
            format!("no column '{absent}' in the table of {}", if is_node { "nodes" } else { "edges" });
        let hint = format!("required columns: {}; use `format=csv` for an ordinary table", must.join(", "));
        return Err(Error::parse(text.place(0), Code::Header, reason).with_hint(hint));
    }
    if let Some(absent) = batch.demanded(is_node).find(|name| !header.contains(name)) {
        let hint = format!("the columns are {}", crate::data::list(header.iter().map(String::as_str)));
        return Err(
            Error::parse(text.place(0), Code::Column, format!("no column '{absent}'")).with_hint(hint)
        );
    }
    let wanted: Vec<String> =
        batch.wanted(is_node).into_iter().filter(|n| !must.contains(&n.as_str())).collect();
    let (read, others): (Vec<String>, Vec<String>) =
        header.into_iter().partition(|h| must.contains(&h.as_str()) || wanted.contains(h));
    batch.unread(is_node, &others);
    let plain = Options {
        no_target: true,
        ignore: others,
        kinds: read.iter().map(|n| (n.clone(), Kind::Categories)).collect::<BTreeMap<_, _>>(),
        missing: Some(Missing::Refuse),
        strict: true,
        delimiter: options.delimiter,
        header: Some(true),
        limits: options.limits,
        ..Options::default()
    };
    // A label may be any text, such as the symbol of sodium.
    let blank = |cell: &Cell<'_>| cell.text.is_empty() && !cell.quoted;
    let table = csv::read_with(&text, format, &plain, blank)?;
    let column = |name: &str| -> Result<&Categories> {
        match &table.column(name)?.values {
            Values::Categories(column) => Ok(column),
            _ => Err(Error::usage("a column of names was expected")),
        }
    };
    let words = must.iter().map(|name| column(name)).collect::<Result<Vec<_>>>()?;
    let carried = read.iter().filter(|n| wanted.contains(n));
    let carried = carried.map(|n| Ok((n.as_str(), column(n)?))).collect::<Result<Vec<_>>>()?;
    for number in 0..table.len() {
        budget::check_often()?;
        let values = carried
            .iter()
            .map(|(name, column)| Value {
                name,
                text: column.get(number).unwrap_or_default(),
                offset: number,
            })
            .collect();
        let words = words.iter().map(|c| c.get(number).unwrap_or_default()).collect();
        take(batch, Row { number, words, values }).map_err(|fault| {
            let place = csv::place_of_row(&text, format, options, fault.offset);
            fault.at(place)
        })?;
    }
    Ok(())
}
