//! A table of properties of graphs in other files: `graphs.csv`.
//!
//! The table is any table; its column `graph` (or `file`, `id`, `name`, or the one of the option `id`) names the graphs.
//! Its other columns are read like those of any table: a target, groups, weights, and features for other kernels.

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use super::super::text::{Text, shown};
use super::super::{Missing, Options, csv};
use super::batch::GraphBatch;
use super::edges::format_of;
use super::facts::GRAPH;
use super::folder::load;
use crate::data::{Column, Dataset};
use crate::error::{Code, Error, Place, Result, Warning};

/// Column names that are recognised as graph names, in order of preference.
const NAMES: [&str; 4] = [GRAPH, "file", "id", "name"];

/// The table, with its rows in order.
pub(super) struct Table {
    path: PathBuf,
    data: Dataset,
}

impl Table {
    pub(super) fn read(path: &Path, options: &Options) -> Result<Self> {
        let format = format_of(path);
        let text = Text::new(path, load(path, options)?.into(), &options.limits)?;
        let header = csv::header(&text, format, options)?;
        let named = |wanted: &&str| header.iter().any(|h| h == wanted);
        let id = options.id.clone().or_else(|| NAMES.iter().find(|n| named(n)).map(|n| (*n).to_owned()));
        let Some(id) = id else {
            let reason = "no column names the graphs";
            let hint = format!("name it {}, or use `id=COLUMN`", NAMES.join(", "));
            return Err(Error::parse(text.place(0), Code::Header, reason).with_hint(hint));
        };
        let mut own = Options { id: Some(id), format: None, header: Some(true), ..options.clone() };
        own.kinds.remove(GRAPH);
        let data = csv::read(&text, format, &own)?;
        let table = Table { path: path.to_owned(), data };
        let mut seen = HashMap::with_capacity(table.names().len());
        for (i, name) in table.names().iter().enumerate() {
            if let Some(first) = seen.insert(name.as_str(), i) {
                let reason = format!("graph {} occurs twice, first in row {}", shown(name), first + 1);
                return Err(Error::parse(table.place(i, options), Code::Graph, reason));
            }
        }
        Ok(table)
    }

    /// The names of the graphs.
    pub(super) fn names(&self) -> &[String] {
        self.data.ids().unwrap_or_default()
    }

    /// The position of row i. The file is read again for it, because this is needed at most once.
    fn place(&self, i: usize, options: &Options) -> Place {
        // With dropped rows the row number in the file is not known.
        if options.missing_or_keep() == Missing::Drop {
            return Place::file(&self.path);
        }
        let text = load(&self.path, options).and_then(|bytes| {
            Ok(csv::place_of_row(
                &Text::new(&self.path, bytes.into(), &options.limits)?,
                format_of(&self.path),
                options,
                i,
            ))
        });
        text.unwrap_or_else(|_| Place::file(&self.path))
    }

    /// The graphs in the order of the table, with its columns. `name` is the source of the graphs.
    pub(super) fn join(self, mut batch: GraphBatch, name: &Path, options: &Options) -> Result<Dataset> {
        let (graphs, mut warnings) = batch.objects(name)?;
        let ids = batch.ids().unwrap_or_default();
        let mut found: HashMap<&str, Option<usize>> = HashMap::with_capacity(ids.len());
        for (graph, id) in ids.iter().enumerate() {
            if found.insert(id, Some(graph)).is_some() {
                let reason = format!("two graphs are named {}", shown(id));
                return Err(Error::parse(Place::file(name), Code::Graph, reason));
            }
        }
        let mut ordered = Vec::with_capacity(self.data.len());
        for (i, row) in self.names().iter().enumerate() {
            // Files may be named with their extensions.
            let stem = row.split('.').next().unwrap_or(row);
            let key = if found.contains_key(row.as_str()) { row.as_str() } else { stem };
            match found.get_mut(key).and_then(Option::take) {
                Some(graph) => ordered.push(graph),
                None => {
                    let reason = format!("no graph is named {}", shown(row));
                    return Err(Error::parse(self.place(i, options), Code::Graph, reason));
                }
            }
        }
        let left: Vec<&str> =
            ids.iter().map(String::as_str).filter(|id| found.get(id).is_some_and(Option::is_some)).collect();
        if let (Some(first), false) = (left.first(), options.missing_or_keep() == Missing::Drop) {
            let reason = format!("no row for graph {}; {} graphs have none", shown(first), left.len());
            let hint = "leave such graphs out with `missing=drop`";
            return Err(Error::parse(Place::file(&self.path), Code::Graph, reason).with_hint(hint));
        }
        if !left.is_empty() {
            let message =
                format!("{} graphs left out: the graph table has no complete row for them", left.len());
            warnings.push(Warning::new("W_DROPPED", message));
        }
        let mut columns = vec![Column::new(GRAPH, graphs.select(&ordered))];
        if options.ignore.iter().any(|n| n == GRAPH) {
            columns.clear();
        }
        columns.extend(self.data.columns().iter().cloned());
        warnings.extend(self.data.warnings().iter().cloned());
        Ok(self.data.with_columns(columns)?.with_warnings(warnings))
    }
}
