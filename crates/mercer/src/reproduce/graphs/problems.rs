//! The collections of the study: MUTAG, which is embedded, and folders.

use std::path::Path;

use crate::data::{Dataset, Graph, Target, Values, embedded};
use crate::error::{Error, Result, nearest};
use crate::read::{self, Options};

/// Graphs with classes.
#[derive(Clone, Debug)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// One column of graphs, and classes.
    pub data: Dataset,
}

impl Collection {
    /// A data set of one column of graphs, and classes.
    pub fn new(name: &str, data: Dataset) -> Result<Self> {
        let fault = match (data.columns(), data.target()) {
            ([column], Some(Target::Classes(_))) if matches!(column.values, Values::Graphs(_)) => {
                return Ok(Collection { name: name.to_owned(), data });
            }
            (_, Some(Target::Classes(_))) => "more or other columns than one of graphs",
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

/// The collections in a folder, smallest first: those in folders within it, or the one it is. Without a folder, and in
/// a folder without it, there is MUTAG.
///
/// ```
/// let all = mercer::reproduce::graphs::collections(None)?;
/// assert_eq!((all.len(), all[0].name.as_str(), all[0].graphs().len()), (1, "MUTAG", 188));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn collections(folder: Option<&Path>) -> Result<Vec<Collection>> {
    let mut found = Vec::new();
    if let Some(folder) = folder {
        let refused =
            |source| Error::Io { path: folder.to_owned(), code: crate::error::Code::IoOpen, source };
        let mut inside = Vec::new();
        for entry in std::fs::read_dir(folder).map_err(refused)? {
            let path = entry.map_err(refused)?.path();
            if path.is_dir() {
                inside.push(path);
            }
        }
        if inside.is_empty() {
            inside.push(folder.to_owned());
        }
        for path in inside {
            let name = path.file_name().map_or_else(|| "graphs".into(), |n| n.to_string_lossy());
            found.push(Collection::new(&name, read::read(&path, &Options::default())?)?);
        }
    }
    if !found.iter().any(|c| c.name.eq_ignore_ascii_case("MUTAG")) {
        found.push(Collection::new("MUTAG", embedded::mutag()?)?);
    }
    let size = |c: &Collection| c.graphs().iter().map(Graph::nodes).sum::<usize>();
    found.sort_by(|a, b| size(a).cmp(&size(b)).then_with(|| a.name.cmp(&b.name)));
    Ok(found)
}

/// Those of some things that are named, in their own order; all without names.
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
