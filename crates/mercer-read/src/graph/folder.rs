//! Finds the graph files of a folder and the table about them.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use super::super::{Format, Options, open, unpack};
use super::batch::GraphBatch;
use super::edges;
use super::facts::check_kind;
use super::table::Table;
use super::tu::{self, File};
use crate::data::Dataset;
use crate::error::{Code, Error, Place, Result};

/// Extensions of compressed files; the uncompressed file comes first.
const PACKED: [&str; 4] = ["", ".gz", ".zst", ".zstd"];
/// The suffix of the edge list of a TU collection.
const TU: &str = "_A.txt";

/// A file name without the extension of a compressed file.
pub(super) fn unpacked(name: &str) -> &str {
    PACKED[1..].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// The format of a file that is only one of several files of a data set.
pub(in super::super) fn by_name(path: &Path) -> Option<Format> {
    let name = path.file_name()?.to_str()?;
    match () {
        () if unpacked(name).ends_with(TU) => Some(Format::Tu),
        () if edges::is_table(name) => Some(Format::Edges),
        () => None,
    }
}

/// The format of a graph file, by its extension.
pub(in super::super) fn by_extension(name: &str) -> Option<Format> {
    let lower = name.to_ascii_lowercase();
    Some(match unpacked(&lower).rsplit_once('.')?.1 {
        "gml" => Format::Gml,
        "graphml" => Format::Graphml,
        "sdf" | "sd" | "mol" | "mdl" => Format::Sdf,
        _ => return None,
    })
}

/// The path, uncompressed or compressed, if the file exists.
pub(super) fn find(path: PathBuf) -> Option<PathBuf> {
    let with = |end: &&str| {
        let mut name = path.clone().into_os_string();
        name.push(end);
        PathBuf::from(name)
    };
    PACKED.iter().map(with).find(|p| p.symlink_metadata().is_ok())
}

/// The file names in a folder, sorted, without hidden files.
pub(in super::super) fn names(folder: &Path) -> Result<Vec<String>> {
    let entries = std::fs::read_dir(folder).map_err(|e| open::refused(folder, e))?;
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(|e| open::refused(folder, e))?;
        names.extend(entry.file_name().to_str().filter(|n| !n.starts_with('.')).map(str::to_owned));
    }
    names.sort_unstable();
    Ok(names)
}

/// The decompressed bytes of a file.
pub(super) fn load(path: &Path, options: &Options) -> Result<Vec<u8>> {
    let bytes = unpack::unpack(path, Cow::Owned(open::open(path)?), &options.limits)?;
    Ok(bytes.into_owned())
}

/// The format of a folder.
pub(in super::super) fn format(folder: &Path) -> Result<Format> {
    Ok(content(folder)?.1)
}

/// The content of a folder: the main file, if there is one, and the format.
fn content(folder: &Path) -> Result<(PathBuf, Format)> {
    let names = names(folder)?;
    for (format, is) in
        [(Format::Tu, (|n| unpacked(n).ends_with(TU)) as fn(&str) -> bool), (Format::Edges, edges::is_table)]
    {
        let found: Vec<&String> = names.iter().filter(|n| is(n)).collect();
        match found.as_slice() {
            [] => {}
            // The same list, uncompressed and compressed.
            [first, rest @ ..] if rest.iter().all(|n| unpacked(n) == unpacked(first)) => {
                return Ok((folder.join(first), format));
            }
            several => {
                let several = crate::data::list(several.iter().map(|s| s.as_str()));
                let reason = format!("a folder with several collections of graphs: {several}");
                let hint = "give the path of one of these files";
                return Err(Error::parse(Place::file(folder), Code::Format, reason).with_hint(hint));
            }
        }
    }
    if names.iter().any(|n| by_extension(n).is_some()) {
        return Ok((folder.to_owned(), Format::Folder));
    }
    let reason = "Is a directory (os error 21), without graphs or images: no NAME_A.txt, edges.csv, nor gml, graphml, sdf, mol or image files";
    let source = io::Error::new(io::ErrorKind::IsADirectory, reason);
    Err(Error::Io { path: folder.to_owned(), code: Code::IoOpen, source })
}

/// Reads the graphs of a folder.
pub(in super::super) fn read(folder: &Path, options: &Options) -> Result<Dataset> {
    match content(folder)? {
        (path, Format::Tu) => read_tu(&path, options),
        (path, Format::Edges) => edges::read(&path, options),
        (path, _) => read_files(&path, options),
    }
}

/// Reads data in several files; `path` is one of them.
pub(in super::super) fn read_companion(path: &Path, format: Format, options: &Options) -> Result<Dataset> {
    if format == Format::Edges { edges::read(path, options) } else { read_tu(path, options) }
}

/// Reads graph files in order of their names, with the table about them.
fn read_files(folder: &Path, options: &Options) -> Result<Dataset> {
    let names = names(folder)?;
    let mut batch = GraphBatch::new(options);
    let is_sdf = names.iter().filter_map(|n| by_extension(n)).all(|format| format == Format::Sdf);
    check_kind(options, is_sdf.then_some(Format::Sdf))?;
    if is_sdf {
        batch = batch.of_molecules(options);
    }
    for name in &names {
        let Some(format) = by_extension(name) else { continue };
        let path = folder.join(name);
        let first = batch.len();
        super::parse(&path, load(&path, options)?.into(), format, &mut batch, options)?;
        let stem = unpacked(name).rsplit_once('.').map_or(name.as_str(), |(stem, _)| stem);
        batch.name_after(first, stem);
    }
    let table = ["graphs", "targets"]
        .iter()
        .find_map(|word| ["csv", "tsv"].iter().find_map(|end| find(folder.join(format!("{word}.{end}")))));
    match table {
        Some(table) => Table::read(&table, options)?.join(batch, folder, options),
        None => batch.dataset(folder, options),
    }
}

/// Reads the collection that an edge list belongs to.
pub(in super::super) fn read_tu(path: &Path, options: &Options) -> Result<Dataset> {
    let name = path.file_name().and_then(|n| n.to_str()).map(unpacked);
    let Some(stem) = name.and_then(|n| n.strip_suffix(TU)) else {
        let reason = "the path of a TU collection is its folder or its file NAME_A.txt";
        return Err(Error::parse(Place::file(path), Code::Format, reason));
    };
    let open = |part: &str| {
        let Some(path) = find(path.with_file_name(format!("{stem}_{part}.txt"))) else { return Ok(None) };
        let bytes = Cow::Owned(load(&path, options)?);
        Ok(Some(File { name: path, bytes }))
    };
    tu::read(path, &open, options)
}
