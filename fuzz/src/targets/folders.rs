//! Formats of several files, in a folder in memory: see `archive.rs`.

use std::path::Path;

use mercer::read::{Format, GraphOptions, Options, read};

use super::files::kept;
use crate::archive::{files, unpacked};

fn read_folder(bytes: &[u8], name: &str, options: impl FnOnce(&Path) -> Options) {
    let Some(folder) = unpacked(bytes) else { return };
    let path = if name.is_empty() { folder.path().to_owned() } else { folder.path().join(name) };
    if let Ok(data) = read(&path, &options(folder.path())) {
        kept(&data);
    }
}

/// A collection: `D_A.txt`, `D_graph_indicator.txt` and others.
pub(super) fn tu(bytes: &[u8]) {
    read_folder(bytes, "D_A.txt", |_| Options { format: Some(Format::Tu), ..Options::default() });
}

/// Tables of edges, nodes and graphs.
pub(super) fn edges(bytes: &[u8]) {
    read_folder(bytes, "edges.csv", |_| Options { format: Some(Format::Edges), ..Options::default() });
}

/// Nodes of one graph: the table `nodes.csv`, and the edges in the last file of the input.
pub(super) fn nodes(bytes: &[u8]) {
    let Some(last) = files(bytes).last().map(|(name, _)| (*name).to_owned()) else { return };
    read_folder(bytes, "nodes.csv", |folder| {
        let edges = Some(folder.join(last));
        Options { graph: GraphOptions { edges, ..GraphOptions::default() }, ..Options::default() }
    });
}

/// A folder of any content: graphs, images.
pub(super) fn folder(bytes: &[u8]) {
    read_folder(bytes, "", |_| Options::default());
}

/// `all.toml`, which names other files.
pub(super) fn manifest(bytes: &[u8]) {
    read_folder(bytes, "all.toml", |_| Options::default());
}
