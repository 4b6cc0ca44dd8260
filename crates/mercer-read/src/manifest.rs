//! Several files about the same objects, joined by a manifest in TOML.
//!
//! ```toml
//! [[file]]
//! path = "patients.csv"        # the first file defines the objects
//! id = "patient"
//! target = "outcome"
//!
//! [[file]]
//! path = "ecg.ts"
//! name = "ecg"                 # name of its column, or a prefix if it has several
//! by = "order"                 # same object order as the first file; default: match objects by id
//!
//! [[file]]
//! path = "notes.csv"
//! id = "patient"
//! types = { note = "text" }
//! missing = "keep"             # objects not in this file: refuse (default), keep (value missing) or drop
//! ```
//!
//! `edges = "edges.csv"` makes the objects of a file the nodes of a graph with these edges.
//!
//! Paths are relative to the manifest. A target is only read from the first file. Manifests do not nest.

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Format, GraphOptions, Missing, Options, Parts, TargetKind, open, read, read_parts};
use crate::budget;
use crate::data::{Categories, Column, Dataset, Dense, Image, Kind, Series, Times, Values};
use crate::error::{Code, Error, Place, Result, Warning};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Manifest {
    file: Vec<File>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct File {
    path: String,
    name: Option<String>,
    by: Option<By>,
    missing: Option<Lacking>,
    format: Option<String>,
    id: Option<String>,
    target: Option<String>,
    target_kind: Option<Wanted>,
    group: Option<String>,
    weight: Option<String>,
    split: Option<String>,
    edges: Option<String>,
    ignore: Vec<String>,
    types: BTreeMap<String, String>,
}

#[derive(Clone, Copy, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum By {
    Id,
    Order,
}

/// What to do with objects that are not in a file.
#[derive(Clone, Copy, Default, Deserialize, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Lacking {
    #[default]
    Refuse,
    Keep,
    Drop,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Wanted {
    Classes,
    Numbers,
}

/// Whether a path is a manifest.
pub(super) fn is_one(path: &Path, options: &Options) -> bool {
    match options.format {
        Some(format) => format == Format::Manifest,
        None => path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml")) && !path.is_dir(),
    }
}

/// Maximum size of a manifest in bytes.
const LARGEST: usize = 1 << 20;

/// The files a manifest refers to; none for other files, or if the manifest cannot be read, which its reader reports.
///
/// A manifest is recognised by its content, because with the option `format` it may have any name.
pub fn manifest_files(path: &Path) -> Vec<PathBuf> {
    let is_small = std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() <= LARGEST as u64);
    let bytes = if is_small { open::open(path).unwrap_or_default() } else { Vec::new() };
    let text = std::str::from_utf8(&bytes).unwrap_or_default();
    // Avoids parsing tables as TOML.
    if !text.contains("file") {
        return Vec::new();
    }
    let Ok(manifest) = toml::from_str::<Manifest>(text) else { return Vec::new() };
    let folder = path.parent().unwrap_or(Path::new(""));
    let of = |file: &File| [Some(file.path.clone()), file.edges.clone()];
    manifest.file.iter().flat_map(of).flatten().map(|path| folder.join(path)).collect()
}

/// Reads the files of a manifest. Other options apply to the first file unless the manifest overrides them; their
/// format is that of the manifest. Returns all objects of the first file, with the column of a predefined split and its
/// name.
pub(super) fn read_joined(path: &Path, options: &Options) -> Result<(Dataset, Option<String>)> {
    let bytes = open::open(path)?;
    let fault =
        |line, column, reason: String| Error::parse(Place::new(path, line, column), Code::Syntax, reason);
    if bytes.len() > LARGEST {
        return Err(fault(0, 0, format!("a manifest of {} bytes is too large", bytes.len())));
    }
    let text = std::str::from_utf8(&bytes)
        .map_err(|_| Error::parse(Place::file(path), Code::Encoding, "a manifest must be UTF-8"))?;
    if text.lines().all(|l| l.trim().is_empty() || l.trim_start().starts_with('#')) {
        let reason = if text.is_empty() { "the file is empty" } else { "only blank lines and comments" };
        return Err(Error::parse(Place::file(path), Code::Empty, reason));
    }
    let manifest: Manifest = toml::from_str(text).map_err(|e| {
        let before = text.get(..e.span().map_or(0, |s| s.start)).unwrap_or("");
        let line = before.matches('\n').count() as u64 + 1;
        let column = before.rsplit('\n').next().map_or(0, |l| l.chars().count()) as u64 + 1;
        fault(line, column, e.message().to_owned())
    })?;
    let mut files = manifest.file.iter();
    let Some(first) = files.next() else {
        return Err(fault(0, 0, "no [[file]] in the manifest".into()));
    };
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut data = read_one(first, folder, path, options, true)?;
    for file in files {
        let part = read_one(file, folder, path, options, false)?;
        data = join(data, part, file, path)?;
    }
    let split = first.split.clone().or_else(|| options.split.clone());
    let named = |c: &Column| match (&split, c.name == SPLIT) {
        (Some(name), true) => Column::new(name, c.values.clone()),
        _ => c.clone(),
    };
    let warnings = data.warnings().to_vec();
    let data = data.with_columns(data.columns().iter().map(named).collect())?.with_warnings(warnings);
    Ok((data, split))
}

/// The name of the column of a predefined split while files are joined; no file has it.
const SPLIT: &str = "\u{1}split";

fn read_one(file: &File, folder: &Path, manifest: &Path, given: &Options, first: bool) -> Result<Dataset> {
    let place = || Place::file(manifest);
    if file.path.is_empty() {
        return Err(Error::parse(place(), Code::Syntax, "a [[file]] without path"));
    }
    let path = folder.join(&file.path);
    let known = |what: &str, word: &str, words: Vec<&str>| {
        let reason = format!("{what} '{word}' of {}: must be one of {}", file.path, words.join(", "));
        Error::parse(place(), Code::Syntax, reason)
    };
    let format = match &file.format {
        None => None,
        Some(word) => {
            let all = Format::ALL.into_iter().filter(|f| *f != Format::Manifest);
            let found = all.clone().find(|f| f.name() == word);
            Some(found.ok_or_else(|| known("format", word, all.map(Format::name).collect()))?)
        }
    };
    let is_manifest = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("toml"));
    if is_manifest && format.is_none() {
        return Err(Error::parse(place(), Code::Format, format!("{}: manifests do not nest", file.path)));
    }
    let mut kinds = if first { given.kinds.clone() } else { BTreeMap::new() };
    for (column, word) in &file.types {
        let all = [
            Kind::Numbers,
            Kind::Categories,
            Kind::Times,
            Kind::Strings,
            Kind::Text,
            Kind::Images,
            Kind::Molecules,
        ];
        let kind = all.into_iter().find(|k| k.name() == word);
        let kind = kind.ok_or_else(|| known("type", word, all.iter().map(|k| k.name()).collect()))?;
        kinds.insert(column.clone(), kind);
    }
    let or = |own: &Option<String>, given: &Option<String>| {
        own.clone().or_else(|| given.clone().filter(|_| first))
    };
    let target = or(&file.target, &given.target);
    let options = Options {
        format,
        no_target: !first || (given.no_target && file.target.is_none()),
        target: target.filter(|_| first),
        target_kind: match file.target_kind {
            Some(Wanted::Classes) => TargetKind::Classes,
            Some(Wanted::Numbers) => TargetKind::Numbers,
            None => given.target_kind,
        },
        sheet: given.sheet.clone().filter(|_| first),
        query: given.query.clone().filter(|_| first),
        group: or(&file.group, &given.group),
        id: or(&file.id, &given.id),
        weight: or(&file.weight, &given.weight),
        split: or(&file.split, &given.split),
        time: given.time.clone().filter(|_| first),
        graph: GraphOptions {
            edges: match &file.edges {
                Some(edges) => Some(folder.join(edges)),
                None => given.graph.edges.clone().filter(|_| first),
            },
            ..given.graph.clone()
        },
        ignore: file.ignore.iter().chain(given.ignore.iter().filter(|_| first)).cloned().collect(),
        kinds,
        missing: given.missing.filter(|m| *m != Missing::Drop || first),
        ..given.clone()
    };
    if !first {
        let data = read(&path, &options)?;
        return match &file.name {
            Some(name) => renamed(data, name),
            None => Ok(data),
        };
    }
    let data = read_parts(&path, &options, Parts::Kept)?;
    let is_split = |c: &&Column| options.split.as_ref() == Some(&c.name);
    let split = data.columns().iter().find(is_split).cloned();
    if let (None, Some(name)) = (&split, &options.split) {
        let reason = format!("no column '{name}' with the training and test sets");
        return Err(Error::parse(Place::file(&path), Code::Column, reason));
    }
    let others = data.columns().iter().filter(|c| !is_split(c)).cloned().collect();
    let mut data = data.with_columns(others)?;
    if let Some(name) = &file.name {
        data = renamed(data, name)?;
    }
    let split = split.map(|column| Column::new(SPLIT, column.values));
    data.with_columns(data.columns().iter().cloned().chain(split).collect())
}

/// The data set with its only column renamed to `name`, or with `name` as prefix of several columns.
fn renamed(data: Dataset, name: &str) -> Result<Dataset> {
    let alone = data.columns().len() == 1;
    let rename = |c: &Column| {
        let new = if alone { name.to_owned() } else { format!("{name}.{}", c.name) };
        Column::new(new, c.values.clone())
    };
    data.with_columns(data.columns().iter().map(rename).collect())
}

/// Adds the columns of `part` to the objects of `data`.
fn join(data: Dataset, part: Dataset, file: &File, manifest: &Path) -> Result<Dataset> {
    let fault = |reason: String| Error::parse(Place::file(manifest), Code::Join, reason);
    let lacking = file.missing.unwrap_or_default();
    // The object of `part` that matches each object of `data`, if any.
    let mut found: Vec<Option<usize>> = match file.by.unwrap_or(By::Id) {
        By::Order => {
            if data.len() != part.len() {
                let reason =
                    format!("{}: {} objects, but earlier files have {}", file.path, part.len(), data.len());
                return Err(fault(reason).with_hint("join by ids, or use files of equal length"));
            }
            (0..data.len()).map(Some).collect()
        }
        By::Id => {
            let hint = "give the id column with id = \"…\", or join with by = \"order\"";
            let ids = |d: &Dataset, what: &str| match d.ids() {
                Some(ids) => Ok(ids.to_vec()),
                None => Err(fault(format!("{what}: no ids to join by")).with_hint(hint)),
            };
            let own = ids(&data, "the first file")?;
            let mut places = HashMap::new();
            for (i, id) in ids(&part, &file.path)?.into_iter().enumerate() {
                if let Some(other) = places.insert(id.clone(), i) {
                    let reason =
                        format!("{}: id '{id}' belongs to objects {} and {}", file.path, other + 1, i + 1);
                    return Err(fault(reason));
                }
            }
            own.iter().map(|id| places.get(id).copied()).collect()
        }
    };
    let mut data = data;
    let mut warnings = data.warnings().to_vec();
    warnings.extend(part.warnings().iter().cloned());
    let without = found.iter().filter(|f| f.is_none()).count();
    if let Some(at) = found.iter().position(Option::is_none).filter(|_| lacking == Lacking::Refuse) {
        let id = data.ids().map_or_else(|| (at + 1).to_string(), |ids| ids[at].clone());
        let reason = format!("{}: no row for '{id}' and {} more", file.path, without - 1);
        let hint = "missing = \"keep\" keeps them without a value, missing = \"drop\" leaves them out";
        return Err(fault(reason).with_hint(hint));
    }
    if without > 0 && lacking == Lacking::Drop {
        let kept: Vec<usize> = (0..data.len()).filter(|&i| found[i].is_some()).collect();
        data = data.select(&kept);
        found.retain(Option::is_some);
        let message = format!("{without} objects left out: not in {}", file.path);
        warnings.push(Warning::new("W_DROPPED", message));
    }
    let used = found.iter().flatten().count();
    if used < part.len() {
        let message = format!("{} objects of {} are not in the first file", part.len() - used, file.path);
        warnings.push(Warning::new("W_UNUSED", message));
    }
    let mut columns = data.columns().to_vec();
    for column in part.columns() {
        budget::check()?;
        if data.has_column(&column.name) {
            let reason = format!("{}: column '{}' already exists", file.path, column.name);
            return Err(fault(reason).with_hint("name = \"…\" adds a prefix to the column names of a file"));
        }
        let values = spread(&column.values, &found).ok_or_else(|| {
            let kind = column.values.kind();
            let reason = format!("{}: {kind} cannot be missing, and {without} objects have none", file.path);
            fault(reason).with_hint("missing = \"drop\" leaves them out")
        })?;
        columns.push(Column::new(&column.name, values));
    }
    Ok(data.with_columns(columns)?.with_warnings(warnings))
}

/// The values of the matched objects, missing for others; `None` if this type has no missing values.
fn spread(values: &Values, found: &[Option<usize>]) -> Option<Values> {
    if let Some(all) = found.iter().copied().collect::<Option<Vec<usize>>>() {
        return Some(values.select(&all));
    }
    Some(match values {
        Values::Numbers(x) => {
            let mut out = Dense::zeros(found.len(), x.cols());
            for (i, from) in found.iter().enumerate() {
                match from {
                    Some(at) => out.row_mut(i).copy_from_slice(x.row(*at)),
                    None => out.row_mut(i).fill(f64::NAN),
                }
            }
            Values::Numbers(out)
        }
        Values::Categories(c) => {
            Values::Categories(Categories::from_values(found.iter().map(|f| f.and_then(|at| c.get(at)))))
        }
        Values::Times(t) => {
            let at = |f: &Option<usize>| f.and_then(|at| t.seconds().get(at).copied()).unwrap_or(f64::NAN);
            Values::Times(Times::new(found.iter().map(at).collect()))
        }
        Values::Strings(v) => Values::Strings(found.iter().map(|f| f.and_then(|at| v[at].clone())).collect()),
        Values::Text(v) => Values::Text(found.iter().map(|f| f.and_then(|at| v[at].clone())).collect()),
        Values::Series(v) => {
            let none = Series::new(v.first().map_or(1, Series::channels), Vec::new()).ok()?;
            Values::Series(found.iter().map(|f| f.map_or_else(|| none.clone(), |at| v[at].clone())).collect())
        }
        Values::Molecules(v) => {
            Values::Molecules(found.iter().map(|f| f.map(|at| v[at].clone()).unwrap_or_default()).collect())
        }
        Values::Images(v) => {
            Values::Images(found.iter().map(|f| f.map_or_else(Image::none, |at| v[at].clone())).collect())
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(dir.path().join(name), text).unwrap();
        }
        dir
    }

    const PATIENTS: &str = "patient,age,outcome\na,31,yes\nb,54,no\nc,29,yes\n";

    fn read_with(rest: &str, files: &[(&str, &str)]) -> Result<Dataset> {
        let first = "[[file]]\npath = \"patients.csv\"\nid = \"patient\"\ntarget = \"outcome\"\n";
        let text = format!("{first}{rest}");
        let all = [&[("patients.csv", PATIENTS), ("all.toml", &text)], files].concat();
        let dir = folder(&all);
        crate::read(&dir.path().join("all.toml"), &Options::default())
    }

    #[test]
    fn files_are_joined_by_id_and_by_order() {
        let data = read_with(
            "[[file]]\npath = \"more.csv\"\nid = \"who\"\n[[file]]\npath = \"last.csv\"\nby = \"order\"\nname = \"last\"\n",
            &[("more.csv", "who,weight\nc,70\na,80\nb,90\n"), ("last.csv", "x\n1\n2\n3\n")],
        )
        .unwrap();
        assert_eq!(data.target_name(), Some("outcome"));
        let numbers = |name: &str| match &data.column(name).unwrap().values {
            Values::Numbers(x) => x.values().to_vec(),
            _ => panic!("{name}"),
        };
        assert_eq!(numbers("weight"), [80.0, 90.0, 70.0]);
        assert_eq!(numbers("last"), [1.0, 2.0, 3.0]);
    }

    #[test]
    fn objects_not_in_a_file() {
        let more = ("more.csv", "who,weight,ward\na,80,x\nz,1,y\nc,70,x\n");
        let file = |missing: &str| format!("[[file]]\npath = \"more.csv\"\nid = \"who\"\n{missing}");
        let refused = read_with(&file(""), &[more]).unwrap_err();
        assert_eq!(refused.code(), Code::Join);
        assert!(refused.to_string().contains("'b'"), "{refused}");
        let kept = read_with(&file("missing = \"keep\"\n"), &[more]).unwrap();
        assert_eq!(kept.len(), 3);
        for name in ["weight", "ward"] {
            let values = &kept.column(name).unwrap().values;
            assert_eq!((0..3).map(|i| values.is_missing(i)).collect::<Vec<_>>(), [false, true, false]);
        }
        assert!(kept.warnings().iter().any(|w| w.code == "W_UNUSED"));
        let dropped = read_with(&file("missing = \"drop\"\n"), &[more]).unwrap();
        assert_eq!(dropped.ids().unwrap(), ["a", "c"]);
        assert!(dropped.warnings().iter().any(|w| w.code == "W_DROPPED"));
    }

    #[test]
    fn errors_have_positions() {
        let more = ("more.csv", "who,age\na,80\na,81\n");
        let twice = read_with("[[file]]\npath = \"more.csv\"\nid = \"who\"\n", &[more]).unwrap_err();
        assert!(twice.to_string().contains("id 'a' belongs to objects 1 and 2"), "{twice}");
        let same = ("more.csv", "who,age\na,80\nb,81\nc,1\n");
        let again = read_with("[[file]]\npath = \"more.csv\"\nid = \"who\"\n", &[same]).unwrap_err();
        assert!(again.to_string().contains("'age' already exists"), "{again}");
        for (rest, part) in [
            ("[[file]]\npath = \"more.csv\"\n", "no ids"),
            ("[[file]]\npath = \"more.csv\"\nby = \"order\"\nname = \"m\"\ncolour = 1\n", "colour"),
            ("[[file]]\nname = \"m\"\n", "without path"),
            ("[[file]]\npath = \"all.toml\"\n", "nest"),
            ("[[file]]\npath = \"more.csv\"\ntypes = { age = \"colours\" }\n", "colours"),
            ("[[file]]\npath = \"none.csv\"\n", "none.csv"),
            ("x = [", "all.toml:5"),
        ] {
            let error = read_with(rest, &[same]).unwrap_err().to_string();
            assert!(error.contains(part), "{rest}: {error}");
        }
        let short = ("more.csv", "x\n1\n");
        let error = read_with("[[file]]\npath = \"more.csv\"\nby = \"order\"\n", &[short]).unwrap_err();
        assert!(error.to_string().contains("1 objects, but earlier files have 3"), "{error}");
    }
}
