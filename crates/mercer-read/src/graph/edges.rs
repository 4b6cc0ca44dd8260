//! Graphs in tables: `edges.csv` with a row for each edge, beside it `nodes.csv` and `graphs.csv` if there is more to say.
//!
//! | table | columns |
//! |---|---|
//! | `edges` | `graph`, `source`, `target`, and if known `label` and `weight` |
//! | `nodes` | `graph`, `node`, and if known `label` |
//! | `graphs` | `graph`, and whatever else there is of each graph: a target, groups, weights, further columns |
//!
//! They are CSV or TSV, compressed or not, together in a folder or with a common beginning: `a_edges.csv`, `a_nodes.csv`. Names of
//! graphs and nodes are text; nodes of different graphs may have the same. Where there is a table of nodes it names them all;
//! otherwise nodes are those that edges name. Where there is a table of graphs it names them all, in order; a graph without nodes is
//! empty. Edges have no direction unless said; a file in which each comes in both directions has each once.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use super::super::build::Cell;
use super::super::text::{Fault, Text, shown};
use super::super::{Format, Missing, Options, csv};
use super::facts::{GRAPH, check_kind};
use super::folder::{find, load, unpacked};
use super::sheaf::{Draft, Sheaf, Value};
use super::table::Table;
use crate::budget;
use crate::data::{Categories, Dataset, Kind, Values};
use crate::error::{Code, Error, Place, Result};

/// The word that names a table of edges.
const EDGES: &str = "edges";

/// Whether a file's name says that it is a table of edges.
pub(super) fn is_table(name: &str) -> bool {
    let name = unpacked(name);
    let stem = name.strip_suffix(".csv").or_else(|| name.strip_suffix(".tsv"));
    let own = stem.and_then(|s| s.strip_suffix(EDGES));
    own.is_some_and(|own| own.is_empty() || own.ends_with(['_', '-', '.']))
}

/// Whether a table is separated by tabs, by its name.
pub(super) fn format_of(path: &Path) -> Format {
    let name = path.file_name().and_then(|n| n.to_str()).map(unpacked).unwrap_or_default();
    if name.ends_with(".tsv") { Format::Tsv } else { Format::Csv }
}

/// The table beside a table of edges that has another word in its name.
fn beside(edges: &Path, word: &str) -> Option<PathBuf> {
    let name = edges.file_name().and_then(|n| n.to_str()).map(unpacked)?;
    let own = name.rsplit_once('.').map_or(name, |(stem, _)| stem).strip_suffix(EDGES)?;
    ["csv", "tsv"].iter().find_map(|end| find(edges.with_file_name(format!("{own}{word}.{end}"))))
}

/// Reads a table of edges, and those of nodes and graphs beside it.
pub(super) fn read(path: &Path, options: &Options) -> Result<Dataset> {
    check_kind(options)?;
    let table = beside(path, "graphs").map(|graphs| Table::read(&graphs, options)).transpose()?;
    let mut order = Order { closed: table.is_some(), ..Order::default() };
    if let Some(table) = &table {
        table.names().iter().for_each(|name| order.add(name));
    }
    let mut sheaf = Sheaf::new(options);
    sheaf.begin(path);
    let nodes = beside(path, "nodes");
    if let Some(nodes) = &nodes {
        each(nodes, &[GRAPH, "node"], true, &mut sheaf, options, |sheaf, row| {
            order.draft(&row)?.node(sheaf, row.words[1], row.number, &row.values)
        })?;
    }
    each(path, &[GRAPH, "source", "target"], false, &mut sheaf, options, |sheaf, row| {
        let draft = order.draft(&row)?;
        let ends = (row.words[1], row.words[2]);
        for name in [ends.0, ends.1] {
            if draft.has(name) {
                continue;
            }
            if nodes.is_some() {
                let reason = format!("node {} is not in the table of nodes", shown(name));
                return Err(Fault::new(row.number, Code::Graph, reason));
            }
            draft.node(sheaf, name, row.number, &[])?;
        }
        draft.edge(sheaf, ends, row.number, &row.values)
    })?;
    let directed = options.graph.directed;
    let mirrored = !directed && order.drafts.iter().all(Draft::is_mirrored);
    for (draft, name) in order.drafts.into_iter().zip(order.names) {
        let draft = if mirrored { draft.mirrored() } else { draft };
        let done = draft.finish(&mut sheaf, Some(name), directed);
        done.map_err(|f| f.at(Place::file(path)))?;
    }
    match table {
        Some(table) => table.join(sheaf, path, options),
        None => sheaf.dataset(path, options),
    }
}

/// Graphs by name, in order of their first appearance.
#[derive(Default)]
struct Order {
    names: Vec<String>,
    places: HashMap<String, usize>,
    drafts: Vec<Draft>,
    /// Whether all graphs are known.
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
                let reason = format!("graph {} is not in the table of graphs", shown(name));
                return Err(Fault::new(row.number, Code::Graph, reason));
            }
            self.add(name);
        }
        let place = self.places.get(name).copied().unwrap_or(0);
        Ok(&mut self.drafts[place])
    }
}

/// A row of a table of edges or nodes. Its number stands for offsets, until a fault needs its place.
pub(super) struct Row<'t> {
    pub(super) number: usize,
    /// Graph and node, or graph, source and target.
    pub(super) words: Vec<&'t str>,
    pub(super) values: Vec<Value<'t>>,
}

/// Hands on each row of a table of edges or nodes.
pub(super) fn each(
    path: &Path,
    must: &[&str],
    is_node: bool,
    sheaf: &mut Sheaf,
    options: &Options,
    mut take: impl FnMut(&mut Sheaf, Row<'_>) -> Result<(), Fault>,
) -> Result<()> {
    let format = format_of(path);
    let text = Text::new(path, load(path, options)?.into(), &options.limits)?;
    let header = csv::header(&text, format, options)?;
    if let Some(absent) = must.iter().find(|name| !header.iter().any(|h| h == *name)) {
        let reason =
            format!("no column '{absent}' in a table of {}", if is_node { "nodes" } else { "edges" });
        let hint = format!("it needs {}; `format=csv` reads it as a plain table", must.join(", "));
        return Err(Error::parse(text.place(0), Code::Header, reason).with_hint(hint));
    }
    if let Some(absent) = sheaf.demanded(is_node).find(|name| !header.contains(name)) {
        let hint = format!("the columns are {}", crate::data::list(header.iter().map(String::as_str)));
        return Err(
            Error::parse(text.place(0), Code::Column, format!("no column '{absent}'")).with_hint(hint)
        );
    }
    let wanted: Vec<String> =
        sheaf.wanted(is_node).into_iter().filter(|n| !must.contains(&n.as_str())).collect();
    let (read, others): (Vec<String>, Vec<String>) =
        header.into_iter().partition(|h| must.contains(&h.as_str()) || wanted.contains(h));
    sheaf.unread(is_node, &others);
    let plain = Options {
        no_target: true,
        ignore: others,
        kinds: read.iter().map(|n| (n.clone(), Kind::Categories)).collect::<BTreeMap<_, _>>(),
        missing: Some(Missing::Refuse),
        delimiter: options.delimiter,
        header: Some(true),
        limits: options.limits,
        ..Options::default()
    };
    // A label may be any word, such as the symbol of sodium.
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
        take(sheaf, Row { number, words, values }).map_err(|fault| {
            let place = csv::place_of_row(&text, format, options, fault.offset);
            fault.at(place)
        })?;
    }
    Ok(())
}
