//! Files of data.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use mercer::data::{Alphabet, Dataset, Kind, Target};
use mercer::error::Options as Notation;
use mercer::read::{
    ClassInHeader, Encoding, Format, Layout, Missing, MoleculeGroups, MoleculeOptions, Options,
    SequenceOptions, SeriesOptions, TargetKind,
};
use pyo3::prelude::*;
use serde::Deserialize;

use crate::array::list;
use crate::data::Data;
use crate::error::OrRaise;
use crate::run::{RunSettings, run};

/// The options of `mercer.read` by their names in Python.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Wanted {
    format: Option<String>,
    sheet: Option<String>,
    query: Option<String>,
    target: Option<String>,
    target_kind: Option<String>,
    id: Option<String>,
    ignore: Vec<String>,
    r#type: BTreeMap<String, String>,
    missing: Option<String>,
    strict: bool,
    na: Vec<String>,
    encoding: Option<String>,
    delimiter: Option<String>,
    header: Option<bool>,
    series: Option<String>,
    alphabet: Option<String>,
    keep_case: bool,
    class_in_header: Option<String>,
    table: Option<PathBuf>,
    positive: Option<PathBuf>,
    negative: Option<PathBuf>,
    max_ratio: Option<u64>,
    group: Option<String>,
    skip_invalid: bool,
    largest_fragment: bool,
    group_by: Option<String>,
}

/// The value of an option that is one of a few words.
fn word<T: Copy>(name: &str, word: Option<&String>, known: &[(&str, T)]) -> mercer::Result<Option<T>> {
    let Some(word) = word else { return Ok(None) };
    let found = known.iter().find(|(k, _)| k == word).map(|(_, value)| Some(*value));
    let words = || known.iter().map(|(k, _)| *k).collect::<Vec<_>>().join(", ");
    found.ok_or_else(|| mercer::Error::param(name, word, &format!("one of {}", words())))
}

impl Wanted {
    fn options(self) -> mercer::Result<Options> {
        let kinds = [
            Kind::Numbers,
            Kind::Categories,
            Kind::Times,
            Kind::Strings,
            Kind::Text,
            Kind::Images,
            Kind::Molecules,
            Kind::Graphs,
        ]
        .map(|k| (k.name(), k));
        let typed = |(column, name): (String, String)| {
            Ok((column, word("type", Some(&name), &kinds)?.unwrap_or(Kind::Numbers)))
        };
        let delimiter = match self.delimiter.as_deref().map(str::as_bytes) {
            None => None,
            Some([one]) => Some(*one),
            Some(_) => {
                let given = self.delimiter.unwrap_or_default();
                return Err(mercer::Error::param("delimiter", given, "one ASCII character"));
            }
        };
        let molecules = MoleculeOptions {
            skip_invalid: self.skip_invalid,
            largest_fragment: self.largest_fragment,
            group_by: match &self.group_by {
                None => None,
                Some(word) => Some(MoleculeGroups::from_word(word).ok_or_else(|| {
                    mercer::Error::param(
                        "group_by",
                        word,
                        "scaffold, butina or butina(CUTOFF), a cutoff from 0 to 1",
                    )
                })?),
            },
        };
        let encoding = match &self.encoding {
            None => None,
            Some(name) => Some(Encoding::from_name(name).ok_or_else(|| {
                let known = Encoding::ALL.map(Encoding::name).join(", ");
                mercer::Error::param("encoding", name, &format!("one of {known}"))
            })?),
        };
        let mut options = Options {
            molecules,
            group: self.group,
            format: word("format", self.format.as_ref(), &Format::ALL.map(|f| (f.name(), f)))?,
            sheet: self.sheet,
            query: self.query,
            target: self.target,
            target_kind: word(
                "target_kind",
                self.target_kind.as_ref(),
                &[("classes", TargetKind::Classes), ("numbers", TargetKind::Numbers)],
            )?
            .unwrap_or_default(),
            id: self.id,
            ignore: self.ignore,
            kinds: self.r#type.into_iter().map(typed).collect::<mercer::Result<_>>()?,
            missing: word(
                "missing",
                self.missing.as_ref(),
                &[("keep", Missing::Keep), ("drop", Missing::Drop), ("refuse", Missing::Refuse)],
            )?,
            strict: self.strict,
            na: self.na,
            encoding,
            delimiter,
            header: self.header,
            series: SeriesOptions {
                layout: word(
                    "series",
                    self.series.as_ref(),
                    &[("wide", Layout::Wide), ("long", Layout::Long)],
                )?,
                ..SeriesOptions::default()
            },
            sequences: SequenceOptions {
                alphabet: word("alphabet", self.alphabet.as_ref(), &Alphabet::ALL.map(|a| (a.name(), a)))?,
                keep_case: self.keep_case,
                class: self.class_in_header.as_deref().map(ClassInHeader::from_word),
                two: self.positive.zip(self.negative),
                table: self.table,
            },
            ..Options::default()
        };
        options.limits.ratio = self.max_ratio.unwrap_or(options.limits.ratio);
        Ok(options)
    }
}

/// The objects, the codes and names of the classes or the numbers of the target, the names of the objects, their groups,
/// and warnings.
type Found<'py> = (
    Data,
    Option<(Bound<'py, PyAny>, Option<Vec<String>>)>,
    Option<Vec<String>>,
    Option<Vec<Option<String>>>,
    Vec<String>,
);

/// Reads a file of data. Options are a JSON object.
#[pyfunction]
fn read_file<'py>(py: Python<'py>, path: PathBuf, options: &str) -> PyResult<Found<'py>> {
    let options = parsed(options).or_raise(py)?;
    let data = run(py, RunSettings::new(None, None), move |_| mercer::read::read(&path, &options))?;
    found(py, &data)
}

/// Reads the text of a table with a header. Options are a JSON object.
#[pyfunction]
fn read_table<'py>(py: Python<'py>, text: String, options: &str) -> PyResult<Found<'py>> {
    let options = Options { format: Some(Format::Csv), header: Some(true), ..parsed(options).or_raise(py)? };
    let read = move |_: &_| mercer::read::read_bytes(Path::new("table"), text.as_bytes(), &options);
    let data = run(py, RunSettings::new(None, None), read)?;
    found(py, &data)
}

fn parsed(options: &str) -> mercer::Result<Options> {
    let wrong = |e: serde_json::Error| mercer::Error::usage(e.to_string());
    serde_json::from_str::<Wanted>(options).map_err(wrong)?.options()
}

fn found<'py>(py: Python<'py>, data: &Dataset) -> PyResult<Found<'py>> {
    let target = match data.target() {
        None => None,
        Some(Target::Numbers(values)) => Some((list(py, values.clone()).into_any(), None)),
        Some(Target::Classes(classes)) => {
            let codes: Vec<i64> = (0..classes.len()).map(|i| classes.code(i).map_or(-1, i64::from)).collect();
            Some((list(py, codes).into_any(), Some(classes.levels().to_vec())))
        }
    };
    let warnings = data.warnings().iter().map(|w| Notation::Keywords.write(&w.to_string())).collect();
    let ids = data.ids().map(<[String]>::to_vec);
    let groups = data.groups().map(|all| (0..all.len()).map(|i| all.get(i).map(str::to_owned)).collect());
    let set = Dataset::new(data.columns().to_vec()).or_raise(py)?;
    Ok((Data { set: Arc::new(set) }, target, ids, groups, warnings))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(read_file, module)?)?;
    module.add_function(wrap_pyfunction!(read_table, module)?)
}
