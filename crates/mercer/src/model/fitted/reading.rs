//! How the training data was read, so that later files are read the same way.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::Model;
use crate::data::Kind;
use crate::error::{Code, Error, Result};
use crate::model::Field;
use crate::read::{Limits, Missing, Options, TargetKind};

/// The reading options of a model that differ from the defaults, in the form in which its file stores them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reading {
    options: Value,
    /// The extension of the file of the training data, if its format was given: the format is that of files of this
    /// extension.
    extension: Option<String>,
}

impl Reading {
    /// What is worth remembering of the options.
    ///
    /// Not stored: paths of other files, sheets and queries, which describe the training objects; the split, groups, times and weights, which
    /// concern training; limits, which concern the computer. A model stores its target and the kinds of its columns
    /// itself. New objects with missing values are not left out, because every object has a prediction.
    fn of(options: &Options, file: &Path) -> Self {
        let mut own = Options {
            target: None,
            no_target: false,
            target_kind: TargetKind::Infer,
            group: None,
            weight: None,
            split: None,
            time: None,
            optional_names: false,
            optional_id: false,
            keep_unlabelled: false,
            drop_later: false,
            limits: Limits::default(),
            missing: options.missing.map(|m| if m == Missing::Drop { Missing::Keep } else { m }),
            ..options.clone()
        };
        own.graph.edges = None;
        own.sequences.table = None;
        own.sequences.two = None;
        (own.sheet, own.query) = (None, None);
        own.molecules.group_by = None;
        let extension = own.format.map(|_| extension(file));
        Reading { options: changed(&own), extension }
    }

    fn put(&self) -> Value {
        let mut out = self.options.clone();
        if let (Some(extension), Some(fields)) = (&self.extension, out.as_object_mut()) {
            fields.insert("format_of".into(), extension.as_str().into());
        }
        out
    }

    fn get(field: &Field<'_>) -> Result<Self> {
        let fault = |why: String| field.fault(Code::ModelSyntax, format!("reading options: {why}"));
        let mut options = field.value().clone();
        let fields = options.as_object_mut().ok_or_else(|| fault("not an object".into()))?;
        let extension = fields.remove("format_of").and_then(|e| e.as_str().map(str::to_owned));
        let known: Options = serde_json::from_value(options).map_err(|e| fault(e.to_string()))?;
        Ok(Reading { options: changed(&known), extension })
    }
}

/// The lower-case extension of a file, without that of a compression.
fn extension(file: &Path) -> String {
    let name = file.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let stem = [".gz", ".zst", ".zstd", ".bz2", ".xz"].iter().find_map(|end| name.strip_suffix(end));
    let stem = stem.unwrap_or(&name);
    stem.rsplit_once('.').map_or("", |(_, extension)| extension).to_owned()
}

/// The options that differ from the defaults, as an object.
fn changed(options: &Options) -> Value {
    let all = serde_json::to_value(options).unwrap_or_default();
    let standard = serde_json::to_value(Options::default()).unwrap_or_default();
    difference(&all, &standard).unwrap_or_else(|| json!({}))
}

/// The fields of an object that differ from those of another, within inner objects too.
fn difference(own: &Value, other: &Value) -> Option<Value> {
    match (own, other) {
        (a, b) if a == b => None,
        (Value::Object(a), Value::Object(b)) => {
            let none = Value::Null;
            let fields =
                a.iter().filter_map(|(k, v)| Some((k.clone(), difference(v, b.get(k).unwrap_or(&none))?)));
            Some(Value::Object(fields.collect()))
        }
        (a, _) => Some(a.clone()),
    }
}

/// Puts the fields of `over` over those of `under`, within inner objects too; lists the names of those that contradict.
fn put_over(under: &mut Map<String, Value>, over: &Map<String, Value>, contradict: &mut Vec<String>) {
    for (name, value) in over {
        match (under.get_mut(name), value) {
            (Some(Value::Object(inner)), Value::Object(more)) => put_over(inner, more, contradict),
            (Some(known), value) if known == value => {}
            (known, value) => {
                if known.is_some() {
                    contradict.push(name.replace('_', "-"));
                }
                under.insert(name.clone(), value.clone());
            }
        }
    }
}

impl Model {
    /// The same model with the options by which its training data was read from a file.
    #[must_use]
    pub fn with_reading(mut self, options: &Options, file: &Path) -> Self {
        self.reading = Some(Reading::of(options, file));
        match options.index_base {
            Some(base) => self.with_first_index(base),
            None => self,
        }
    }

    /// The stored reading options, those that differ from the defaults; `None` for data that came from no file, and for
    /// models of earlier versions.
    pub fn reading(&self) -> Option<&Value> {
        self.reading.as_ref().map(|r| &r.options)
    }

    pub(super) fn put_reading(&self) -> Option<Value> {
        self.reading.as_ref().map(Reading::put)
    }

    pub(super) fn get_reading(field: Option<Field<'_>>) -> Result<Option<Reading>> {
        field.map(|f| Reading::get(&f)).transpose()
    }

    /// Options for reading new objects from a file: as the training data was read, except for what is given. Also returns
    /// the names of given options that contradict the stored ones.
    ///
    /// Columns keep the kinds they had in training, even if new values suggest others. The target is optional, and so are
    /// the ids of the training data; objects without a target stay where they are.
    ///
    /// ```
    /// use mercer::{data::generate, gram::Engine, model::Model, read::Options};
    /// let data = generate::half_moons(20, 0.1, 1)?;
    /// let model = Model::fit(&data, &"linear".parse()?, &"svc".parse()?, 0, &Engine::new())?;
    /// let model = model.with_reading(&Options { delimiter: Some(b';'), ..Options::default() }, "a.csv".as_ref());
    /// let (options, _) = model.options_for("b.csv".as_ref(), &Options::default())?;
    /// assert_eq!(options.delimiter, Some(b';'));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn options_for(&self, file: &Path, given: &Options) -> Result<(Options, Vec<String>)> {
        let mut contradict = Vec::new();
        let mut options = match &self.reading {
            None => given.clone(),
            Some(stored) => {
                let mut fields = stored.options.as_object().cloned().unwrap_or_default();
                if stored.extension.as_deref().is_some_and(|e| e != extension(file)) {
                    fields.remove("format");
                }
                if let Some(over) = changed(given).as_object() {
                    put_over(&mut fields, over, &mut contradict);
                }
                let fault = |e: serde_json::Error| Error::usage(format!("the stored reading options: {e}"));
                let mut merged: Options = serde_json::from_value(Value::Object(fields)).map_err(fault)?;
                merged.limits = given.limits;
                merged
            }
        };
        options.optional_names = true;
        options.optional_id = given.id.is_none();
        options.keep_unlabelled = true;
        if self.first_index == 0 {
            options.index_base.get_or_insert(0);
        }
        for column in self.kept.columns() {
            let kind = column.values.kind();
            let written = match kind {
                Kind::Numbers => column.values.width() == 1,
                Kind::Categories
                | Kind::Times
                | Kind::Strings
                | Kind::Text
                | Kind::Images
                | Kind::Molecules
                | Kind::Graphs => true,
                _ => false,
            };
            // The ids may be a column of the training data that was no feature then.
            if written && options.id.as_ref() != Some(&column.name) {
                options.kinds.entry(column.name.clone()).or_insert(kind);
            }
        }
        match &self.target {
            Some(goal) => {
                options.target.get_or_insert_with(|| goal.name.clone());
                if options.target_kind == TargetKind::Infer {
                    options.target_kind =
                        if goal.classes { TargetKind::Classes } else { TargetKind::Numbers };
                }
            }
            None => options.no_target = true,
        }
        Ok((options, contradict))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::{Alphabet, generate};
    use crate::gram::Engine;
    use crate::read::{Format, GraphOptions, Layout, SequenceOptions, SeriesOptions};

    fn model() -> Model {
        let data = generate::half_moons(20, 0.1, 1).unwrap();
        let (kernel, learner) = ("linear".parse().unwrap(), "svc".parse().unwrap());
        Model::fit(&data, &kernel, &learner, 0, &Engine::new()).unwrap()
    }

    fn stored(options: &Options, file: &str) -> Model {
        let model = model().with_reading(options, file.as_ref());
        Model::from_bytes("m", &model.to_bytes().unwrap(), &Engine::new()).unwrap()
    }

    #[test]
    fn options_survive_the_file() {
        let options = Options {
            id: Some("name".into()),
            delimiter: Some(b'|'),
            header: Some(false),
            kinds: [("code".to_owned(), Kind::Categories)].into(),
            series: SeriesOptions { layout: Some(Layout::Wide), ..SeriesOptions::default() },
            sequences: SequenceOptions { alphabet: Some(Alphabet::Protein), ..SequenceOptions::default() },
            graph: GraphOptions {
                node_label: Some("colour".into()),
                edges: Some("e.csv".into()),
                ..GraphOptions::default()
            },
            missing: Some(Missing::Drop),
            split: Some("part".into()),
            ..Options::default()
        };
        let again = stored(&options, "a.csv");
        let (found, contradict) = again.options_for("b.csv".as_ref(), &Options::default()).unwrap();
        assert_eq!(
            (found.delimiter, found.header, found.missing),
            (Some(b'|'), Some(false), Some(Missing::Keep))
        );
        assert_eq!((found.series, found.sequences), (options.series, options.sequences));
        assert_eq!((found.graph.node_label.as_deref(), found.graph.edges), (Some("colour"), None));
        assert_eq!((found.id.as_deref(), found.optional_id, found.split), (Some("name"), true, None));
        assert_eq!(found.kinds.get("code"), Some(&Kind::Categories));
        assert!(contradict.is_empty() && found.keep_unlabelled);
        assert!(model().reading().is_none());
        assert_eq!(stored(&Options::default(), "a.csv").reading(), Some(&json!({})));
    }

    #[test]
    fn given_options_win() {
        let again =
            stored(&Options { delimiter: Some(b'|'), id: Some("a".into()), ..Options::default() }, "a.csv");
        let given =
            Options { delimiter: Some(b';'), id: Some("b".into()), header: Some(true), ..Options::default() };
        let (found, contradict) = again.options_for("b.csv".as_ref(), &given).unwrap();
        assert_eq!((found.delimiter, found.id.as_deref()), (Some(b';'), Some("b")));
        assert_eq!((contradict, found.optional_id), (vec!["delimiter".to_owned(), "id".to_owned()], false));
    }

    #[test]
    fn a_format_is_that_of_files_with_the_same_extension() {
        let again = stored(&Options { format: Some(Format::Ucr), ..Options::default() }, "a.txt.gz");
        let format = |file: &str| again.options_for(file.as_ref(), &Options::default()).unwrap().0.format;
        assert_eq!((format("b.txt"), format("b.npy")), (Some(Format::Ucr), None));
    }

    #[test]
    fn hostile_reading_options_are_errors() {
        let mut c = stored(&Options::default(), "a.csv").to_container().unwrap();
        for bad in [json!(3), json!({"delimiter": "x"}), json!({"format": "nonsense"}), json!({"kinds": [1]})]
        {
            c.document["reading"] = bad;
            assert_eq!(Model::from_container(&c, &Engine::new()).unwrap_err().code(), Code::ModelSyntax);
        }
        c.document["reading"] = json!({"later": 1});
        assert!(Model::from_container(&c, &Engine::new()).is_ok());
    }
}
