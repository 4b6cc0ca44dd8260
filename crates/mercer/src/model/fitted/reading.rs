//! How the training data was read, so that later files are read the same way.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use super::Model;
use crate::data::{Dataset, Kind};
use crate::error::{Code, Error, Result, Warning};
use crate::model::Field;
use crate::read::{
    GraphOptions, Limits, Missing, MoleculeOptions, Options, SequenceOptions, SeriesOptions, TargetKind,
};

/// How the training data of a model was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Reading {
    options: Options,
    /// The extension of the file of the training data, if its format was given: the format is that of files of this
    /// extension.
    extension: Option<String>,
}

impl Reading {
    /// What is worth remembering of the options, and how the columns of the data were written.
    ///
    /// Not stored: paths of other files, sheets and queries, which describe the training objects; the split, groups,
    /// times and weights, which concern training; limits, which concern the computer. A model stores its target and the
    /// kinds of its columns itself.
    fn of(options: &Options, data: &Dataset, file: &Path) -> Self {
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
            forms: data.forms().map(|(name, form)| (name.to_owned(), form)).collect(),
            ..options.clone()
        };
        own.graph.edges = None;
        own.sequences.table = None;
        own.sequences.two = None;
        (own.sheet, own.query) = (None, None);
        own.molecules.group_by = None;
        let extension = own.format.map(|_| extension(file));
        Reading { options: own, extension }
    }

    fn put(&self) -> Value {
        let mut out = json!(self.options);
        if let (Some(extension), Some(fields)) = (&self.extension, out.as_object_mut()) {
            fields.insert("format_of".into(), extension.as_str().into());
        }
        out
    }

    fn get(field: &Field<'_>) -> Result<Self> {
        let fault = |why: String| field.fault(Code::ModelSyntax, format!("reading options: {why}"));
        let options = serde_json::from_value(field.value().clone()).map_err(|e| fault(e.to_string()))?;
        let extension = field.value().get("format_of").and_then(|e| e.as_str().map(str::to_owned));
        Ok(Reading { options, extension })
    }

    /// These options with the given ones over them, and the names of those that contradict.
    fn with(&self, given: &Options, file: &Path) -> (Options, Vec<String>) {
        let mut own = self.options.clone();
        if self.extension.as_deref().is_some_and(|e| e != extension(file)) {
            own.format = None;
        }
        let mut merge = Merge::default();
        let merged = merge.options(&own, given);
        (merged, merge.contradict)
    }
}

/// The lower-case extension of a file, without that of a compression.
fn extension(file: &Path) -> String {
    let name = file.file_name().map(|n| n.to_string_lossy().to_ascii_lowercase()).unwrap_or_default();
    let stem = [".gz", ".zst", ".zstd", ".bz2", ".xz"].iter().find_map(|end| name.strip_suffix(end));
    let stem = stem.unwrap_or(&name);
    stem.rsplit_once('.').map_or("", |(_, extension)| extension).to_owned()
}

/// Puts given options over stored ones: a given option is one that differs from its default.
#[derive(Default)]
struct Merge {
    /// Options that are given and stored with different values.
    contradict: Vec<String>,
}

/// A structure of options, each from a given one or else the stored one. It has no default, so that a new option is not
/// forgotten here.
macro_rules! merged {
    ($merge:expr, $stored:expr, $given:expr, $kind:ident { $($name:ident),* $(,)? } $($rest:tt)*) => {
        $kind { $($name: $merge.one(stringify!($name), &$stored.$name, &$given.$name),)* $($rest)* }
    };
}

impl Merge {
    fn one<T: Clone + Default + PartialEq>(&mut self, name: &str, stored: &T, given: &T) -> T {
        let standard = T::default();
        if *given == standard {
            return stored.clone();
        }
        if *stored != standard && stored != given {
            self.contradict.push(name.replace('_', "-"));
        }
        given.clone()
    }

    /// Options of columns, each by its name.
    fn columns<T: Copy + PartialEq>(
        &mut self,
        what: &str,
        stored: &BTreeMap<String, T>,
        given: &BTreeMap<String, T>,
    ) -> BTreeMap<String, T> {
        let mut out = stored.clone();
        for (name, value) in given {
            if out.insert(name.clone(), *value).is_some_and(|before| before != *value) {
                self.contradict.push(format!("{what} {name}"));
            }
        }
        out
    }

    fn options(&mut self, stored: &Options, given: &Options) -> Options {
        merged!(self, stored, given, Options {
            format, sheet, query, target, no_target, target_kind, group, id, weight, split, time, ignore,
            optional_names, optional_id, keep_unlabelled, missing, strict, na, encoding, drop_later, delimiter,
            header, index_base, precomputed,
        }
            kinds: self.columns("type", &stored.kinds, &given.kinds),
            forms: self.columns("form", &stored.forms, &given.forms),
            graph: merged!(self, stored.graph, given.graph, GraphOptions {
                directed, node_label, edge_label, edge_weight, node_attributes, edge_attributes, edges,
            }),
            series: merged!(self, stored.series, given.series, SeriesOptions {
                layout, time, channel, value, gaps,
            }),
            sequences: merged!(self, stored.sequences, given.sequences, SequenceOptions {
                alphabet, keep_case, class, two, table,
            }),
            molecules: merged!(self, stored.molecules, given.molecules, MoleculeOptions {
                skip_invalid, largest_fragment, group_by,
            }),
            limits: given.limits,
        )
    }
}

impl Model {
    /// The same model with the options by which its training data was read from a file. The data tells how its columns
    /// were written: dates with the day first, decimal commas.
    #[must_use]
    pub fn with_reading(mut self, options: &Options, data: &Dataset, file: &Path) -> Self {
        self.reading = Some(Reading::of(options, data, file));
        match options.index_base {
            Some(base) => self.with_first_index(base),
            None => self,
        }
    }

    /// The stored reading options; `None` for data that came from no file, and for models of earlier versions.
    pub fn reading(&self) -> Option<&Options> {
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
    /// the ids of the training data; objects without a target stay where they are. Objects with missing values are read
    /// too: [`Model::without_missing`] leaves them out if that is wanted.
    ///
    /// ```
    /// use mercer::{data::generate, gram::Engine, model::Model, read::Options};
    /// let data = generate::half_moons(20, 0.1, 1)?;
    /// let model = Model::fit(&data, &"linear".parse()?, &"svc".parse()?, 0, &Engine::new())?;
    /// let model = model.with_reading(&Options { delimiter: Some(b';'), ..Options::default() }, &data, "a.csv".as_ref());
    /// let (options, _) = model.options_for("b.csv".as_ref(), &Options::default());
    /// assert_eq!(options.delimiter, Some(b';'));
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn options_for(&self, file: &Path, given: &Options) -> (Options, Vec<String>) {
        let (mut options, contradict) = match &self.reading {
            None => (given.clone(), Vec::new()),
            Some(stored) => stored.with(given, file),
        };
        options.optional_names = true;
        options.optional_id = given.id.is_none();
        options.keep_unlabelled = true;
        options.drop_later = true;
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
        (options, contradict)
    }

    /// The objects that the model predicts. With [`Missing::Drop`] among the options, such as those of
    /// [`Model::options_for`] if it was used in training, objects that lack a value in a column of the model are left out;
    /// a warning of the data counts them.
    ///
    /// ```
    /// use mercer::data::{Column, Dataset, Dense, Target, Values};
    /// use mercer::read::{Missing, Options};
    /// use mercer::{gram::Engine, model::Model};
    /// let x = |values: &[f64]| Values::Numbers(Dense::new(values.len(), 1, values.to_vec()).unwrap());
    /// let data = Dataset::new(vec![Column::new("x", x(&[1.0, 2.0, 3.0]))])?;
    /// let data = data.with_target("y", Target::Numbers(vec![1.0, 2.0, 3.0]))?;
    /// let drop = Options { missing: Some(Missing::Drop), ..Options::default() };
    /// let model = Model::fit(&data, &"linear".parse()?, &"ridge".parse()?, 0, &Engine::new())?;
    /// let model = model.with_reading(&drop, &data, "a.csv".as_ref());
    /// let new = Dataset::new(vec![Column::new("x", x(&[f64::NAN, 2.0]))])?;
    /// let (options, _) = model.options_for("b.csv".as_ref(), &Options::default());
    /// assert_eq!(model.without_missing(new, &options)?.len(), 1);
    /// # Ok::<(), mercer::Error>(())
    /// ```
    pub fn without_missing(&self, data: Dataset, options: &Options) -> Result<Dataset> {
        if options.missing != Some(Missing::Drop) {
            return Ok(data);
        }
        let used: Vec<String> = self.stored_objects().columns().iter().map(|c| c.name.clone()).collect();
        without_missing(data, &used)
    }
}

/// The objects that have a value in each of these columns, with a warning that counts the others; an error if there is
/// none.
///
/// ```
/// use mercer::data::{Column, Dataset, Dense, Values};
/// let x = Values::Numbers(Dense::new(2, 1, vec![1.0, f64::NAN])?);
/// let data = Dataset::new(vec![Column::new("x", x)])?;
/// let kept = mercer::model::without_missing(data, &["x".into()])?;
/// assert_eq!((kept.len(), kept.warnings()[0].code), (1, "W_DROPPED"));
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn without_missing(data: Dataset, columns: &[String]) -> Result<Dataset> {
    let (kept, dropped) = data.without_missing(columns);
    if dropped == 0 {
        return Ok(kept);
    }
    if kept.is_empty() {
        return Err(Error::usage(
            "every object has a missing value in a column in use, so all were left out",
        ));
    }
    let message =
        format!("{dropped} of {} objects left out: a value is missing in a column in use", data.len());
    let warnings = kept.warnings().iter().cloned().chain([Warning::new("W_DROPPED", message)]).collect();
    Ok(kept.with_warnings(warnings))
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
        let data = generate::half_moons(20, 0.1, 1).unwrap();
        let model = model().with_reading(options, &data, file.as_ref());
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
        let (found, contradict) = again.options_for("b.csv".as_ref(), &Options::default());
        assert_eq!(
            (found.delimiter, found.header, found.missing),
            (Some(b'|'), Some(false), Some(Missing::Drop))
        );
        assert_eq!((found.series, found.sequences), (options.series, options.sequences));
        assert_eq!((found.graph.node_label.as_deref(), found.graph.edges), (Some("colour"), None));
        assert_eq!((found.id.as_deref(), found.optional_id, found.split), (Some("name"), true, None));
        assert_eq!(found.kinds.get("code"), Some(&Kind::Categories));
        assert!(contradict.is_empty() && found.keep_unlabelled && found.drop_later);
        assert!(model().reading().is_none());
        assert_eq!(stored(&Options::default(), "a.csv").reading(), Some(&Options::default()));
        assert_eq!(json!(Options::default()), json!({}));
    }

    #[test]
    fn given_options_win() {
        let again =
            stored(&Options { delimiter: Some(b'|'), id: Some("a".into()), ..Options::default() }, "a.csv");
        let given =
            Options { delimiter: Some(b';'), id: Some("b".into()), header: Some(true), ..Options::default() };
        let (found, contradict) = again.options_for("b.csv".as_ref(), &given);
        assert_eq!((found.delimiter, found.id.as_deref()), (Some(b';'), Some("b")));
        assert_eq!((contradict, found.optional_id), (vec!["id".to_owned(), "delimiter".to_owned()], false));
    }

    #[test]
    fn left_out_objects_are_left_out_again() {
        use crate::data::{Column, Dense, Values};
        let drop = Options { missing: Some(Missing::Drop), ..Options::default() };
        let again = stored(&drop, "a.csv");
        let (options, _) = again.options_for("b.csv".as_ref(), &Options::default());
        let names: Vec<String> = again.stored_objects().columns().iter().map(|c| c.name.clone()).collect();
        let new = |values: [f64; 2]| {
            let numbers = |v: Vec<f64>| Values::Numbers(Dense::new(v.len(), 1, v).unwrap());
            let more = Column::new("more", numbers(vec![f64::NAN; 2]));
            let own = names.iter().map(|name| Column::new(name, numbers(values.to_vec())));
            Dataset::new(own.chain([more]).collect()).unwrap()
        };
        let kept = again.without_missing(new([f64::NAN, 1.0]), &options).unwrap();
        assert_eq!((kept.len(), kept.rows()), (1, Some(&[1][..])));
        assert!(kept.warnings().iter().any(|w| w.message.starts_with("1 of 2 objects left out")));
        assert!(again.without_missing(new([f64::NAN; 2]), &options).is_err());
        // Columns that the model does not use may have gaps.
        assert_eq!(again.without_missing(new([2.0, 1.0]), &options).unwrap().len(), 2);
        let keep = Options { missing: Some(Missing::Keep), ..Options::default() };
        let (options, contradict) = again.options_for("b.csv".as_ref(), &keep);
        assert_eq!(contradict, ["missing"]);
        assert_eq!(again.without_missing(new([f64::NAN; 2]), &options).unwrap().len(), 2);
    }

    #[test]
    fn forms_of_columns_are_remembered() {
        use crate::data::{CellForm, DateOrder};
        let form = CellForm::Dates(DateOrder::Day);
        let data = generate::half_moons(20, 0.1, 1).unwrap().with_forms([("when".to_owned(), form)].into());
        let model = model().with_reading(&Options::default(), &data, "a.csv".as_ref());
        let again = Model::from_bytes("m", &model.to_bytes().unwrap(), &Engine::new()).unwrap();
        let (found, _) = again.options_for("b.csv".as_ref(), &Options::default());
        assert_eq!(found.forms.get("when"), Some(&form));
        let given = Options { forms: [("when".to_owned(), CellForm::Duration)].into(), ..Options::default() };
        let (found, contradict) = again.options_for("b.csv".as_ref(), &given);
        assert_eq!(
            (found.forms.get("when"), contradict),
            (Some(&CellForm::Duration), vec!["form when".to_owned()])
        );
    }

    #[test]
    fn a_format_is_that_of_files_with_the_same_extension() {
        let again = stored(&Options { format: Some(Format::Ucr), ..Options::default() }, "a.txt.gz");
        let format = |file: &str| again.options_for(file.as_ref(), &Options::default()).0.format;
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
