//! The collections of the study: MUTAG, which is embedded, and collections in folders.

use std::path::{Path, PathBuf};

use crate::data::{Dataset, Graph, Target, Values, embedded};
use crate::error::{Code, Error, Result, nearest};
use crate::read::{self, Options};

/// A collection of graphs with classes.
#[derive(Clone, Debug)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// One graph column, and classes.
    pub data: Dataset,
}

impl Collection {
    /// Checks that the data set has one graph column, and classes.
    pub fn new(name: &str, data: Dataset) -> Result<Self> {
        let fault = match (data.columns(), data.target()) {
            ([column], Some(Target::Classes(_))) if matches!(column.values, Values::Graphs(_)) => {
                return Ok(Collection { name: name.to_owned(), data });
            }
            (_, Some(Target::Classes(_))) => "must have exactly one column, with graphs",
            _ => "no classes",
        };
        Err(Error::usage(format!("{name}: {fault}")))
    }

    /// The graphs.
    pub fn graphs(&self) -> &[Graph] {
        match self.data.columns().first().map(|c| &c.values) {
            Some(Values::Graphs(graphs)) => graphs,
            _ => &[],
        }
    }
}

/// The collections with these names, or all, smallest first. The folder is one collection or contains several folders
/// of collections. MUTAG is added if the folder does not contain it, or without a folder.
///
/// ```
/// let all = mercer_reproduce::graphs::collections(None, &[])?;
/// assert_eq!((all.len(), all[0].name.as_str(), all[0].graphs().len()), (1, "MUTAG", 188));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn collections(folder: Option<&Path>, names: &[String]) -> Result<Vec<Collection>> {
    let mut there: Vec<(String, Option<PathBuf>)> = Vec::new();
    if let Some(folder) = folder {
        let refused = |source| Error::Io { path: folder.to_owned(), code: Code::IoOpen, source };
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(refused)? {
            inside.push(entry.map_err(refused)?.path());
        }
        inside.retain(|path| path.is_dir());
        if inside.is_empty() {
            inside.push(folder.to_owned());
        }
        there.extend(inside.into_iter().map(|path| {
            let name = path.file_name().map_or_else(|| "graphs".into(), |n| n.to_string_lossy().into_owned());
            (name, Some(path))
        }));
    }
    if !there.iter().any(|(name, _)| name.eq_ignore_ascii_case("MUTAG")) {
        there.push(("MUTAG".into(), None));
    }
    there.sort();
    let mut found = Vec::new();
    for (name, path) in chosen("only", names, there, |t| t.0.as_str())? {
        let data = match path {
            Some(path) => read::read(&path, &Options::default())?,
            None => embedded::mutag()?,
        };
        found.push(Collection::new(&name, data)?);
    }
    found.sort_by_key(|c| c.graphs().iter().map(Graph::nodes).sum::<usize>());
    Ok(found)
}

/// The items with these names, in their original order; all if no names are given.
pub fn chosen<T>(what: &str, names: &[String], all: Vec<T>, name: impl Fn(&T) -> &str) -> Result<Vec<T>> {
    if let Some(unknown) = names.iter().find(|n| !all.iter().any(|t| n.eq_ignore_ascii_case(name(t)))) {
        let known: Vec<&str> = all.iter().map(&name).collect();
        let near = nearest(unknown, known.iter().copied());
        let hint = near.first().map_or_else(String::new, |near| format!("; did you mean {near}?"));
        let domain = format!("one of {}{hint}", known.join(", "));
        return Err(Error::param(what, format!("'{unknown}'"), &domain));
    }
    let named = |t: &T| names.is_empty() || names.iter().any(|n| n.eq_ignore_ascii_case(name(t)));
    Ok(all.into_iter().filter(named).collect())
}
