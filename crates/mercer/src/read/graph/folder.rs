//! Which files of a folder are graphs, and which say what is known of them.

use std::borrow::Cow;
use std::io;
use std::path::{Path, PathBuf};

use super::super::{Format, Options, open, unpack};
use super::tu::{self, File};
use crate::data::Dataset;
use crate::error::{Code, Error, Place, Result};

/// Endings of compressed files; the plain file comes first.
const PACKED: [&str; 4] = ["", ".gz", ".zst", ".zstd"];
/// The end of the name of a TU collection's list of edges.
const TU: &str = "_A.txt";

/// A name without the ending of a compressed file.
pub(super) fn unpacked(name: &str) -> &str {
    PACKED[1..].iter().find_map(|end| name.strip_suffix(end)).unwrap_or(name)
}

/// Whether a file is one of several that only together are data.
pub(in super::super) fn by_name(path: &Path) -> Option<Format> {
    let name = unpacked(path.file_name()?.to_str()?);
    name.ends_with(TU).then_some(Format::Tu)
}

/// The path, plain or compressed, if there is such a file.
pub(super) fn find(path: PathBuf) -> Option<PathBuf> {
    let with = |end: &&str| {
        let mut name = path.clone().into_os_string();
        name.push(end);
        PathBuf::from(name)
    };
    PACKED.iter().map(with).find(|p| p.symlink_metadata().is_ok())
}

/// The names in a folder, in order. Hidden files are not among them.
pub(super) fn names(folder: &Path) -> Result<Vec<String>> {
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
    Ok(what(folder)?.1)
}

/// What a folder holds: the file to begin with, and its format.
fn what(folder: &Path) -> Result<(PathBuf, Format)> {
    let names = names(folder)?;
    let tu: Vec<&String> = names.iter().filter(|n| unpacked(n).ends_with(TU)).collect();
    match tu.as_slice() {
        [] => {}
        // The same list plain and compressed.
        [first, rest @ ..] if rest.iter().all(|n| unpacked(n) == unpacked(first)) => {
            return Ok((folder.join(first), Format::Tu));
        }
        several => {
            let several = crate::data::list(several.iter().map(|s| s.as_str()));
            let reason = format!("a folder with several collections of graphs: {several}");
            let hint = "give the path of one of these files";
            return Err(Error::parse(Place::file(folder), Code::Format, reason).with_hint(hint));
        }
    }
    let reason = "Is a directory (os error 21), without a file of graphs such as NAME_A.txt";
    let source = io::Error::new(io::ErrorKind::IsADirectory, reason);
    Err(Error::Io { path: folder.to_owned(), code: Code::IoOpen, source })
}

/// Reads the graphs of a folder.
pub(in super::super) fn read(folder: &Path, options: &Options) -> Result<Dataset> {
    let (path, format) = what(folder)?;
    match format {
        Format::Tu => read_tu(&path, options),
        _ => Err(Error::parse(Place::file(folder), Code::Format, "not a folder of graphs")),
    }
}

/// Reads the collection that a list of edges belongs to.
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
