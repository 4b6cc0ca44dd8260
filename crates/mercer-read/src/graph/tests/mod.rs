//! Valid and invalid graph files of every format.

mod nodes;
mod tables;
mod texts;
mod tu;

use std::path::Path;

use crate::data::{Dataset, Graph, Target, Values};
use crate::error::{Code, Error, Result};
use crate::{Options, read_bytes};

fn graphs(data: &Dataset) -> &[Graph] {
    match &data.column("graph").unwrap().values {
        Values::Graphs(graphs) => graphs,
        other => panic!("{}", other.kind()),
    }
}

fn classes(data: &Dataset) -> Vec<&str> {
    match data.target() {
        Some(Target::Classes(c)) => (0..c.len()).map(|i| c.get(i).unwrap()).collect(),
        other => panic!("{other:?}"),
    }
}

fn codes(data: &Dataset) -> Vec<&'static str> {
    data.warnings().iter().map(|w| w.code).collect()
}

fn node_labels(graph: &Graph) -> Vec<&str> {
    graph.node_labels().unwrap().iter().collect()
}

fn edge_labels(graph: &Graph) -> Vec<&str> {
    graph.edge_labels().unwrap().iter().collect()
}

fn arcs(graph: &Graph) -> Vec<(u32, u32)> {
    graph.arcs().collect()
}

fn text(name: &str, content: &str) -> Result<Dataset> {
    read_bytes(Path::new(name), content.as_bytes(), &Options::default())
}

#[track_caller]
fn good(name: &str, content: &str, options: &Options) -> Dataset {
    read_bytes(Path::new(name), content.as_bytes(), options).unwrap_or_else(|e| panic!("{e}"))
}

/// The code, line and column of the error.
#[track_caller]
fn fault(result: Result<Dataset>) -> (Code, u64, u64) {
    match result.unwrap_err() {
        Error::Parse { place, code, .. } => (code, place.line, place.column),
        other => panic!("{other}"),
    }
}
