//! The data sets and the methods of an experiment, and reading of data sets from folders.

use std::path::{Path, PathBuf};

use crate::data::{Categories, Column, Dataset, Dense, Kind, Series, Target, Values};
use crate::error::{Error, Result, nearest};
use crate::read::{Options, read};
use crate::select::{Protocol, Score};

/// A data set with its splits, its measure and the methods to evaluate.
#[derive(Clone, Debug)]
pub struct Problem {
    /// Its name, spelt as in the source.
    pub name: String,
    /// The part of the experiment.
    pub part: &'static str,
    /// The objects.
    pub data: Dataset,
    /// The outer splits.
    pub protocol: Protocol,
    /// The measure.
    pub score: Score,
    /// The methods.
    pub methods: Vec<Method>,
    /// The numbers of objects, features and classes.
    pub shape: [usize; 3],
    /// Whether features are standardised on each training set.
    pub scaled: bool,
    /// The number of missing values, which are replaced by the median of their column in each training set.
    pub gaps: usize,
}

impl Problem {
    /// A data set whose features are neither scaled nor filled.
    pub fn new(
        (part, name): (&'static str, &str),
        data: Dataset,
        (protocol, score): (Protocol, Score),
        methods: &[Method],
    ) -> Self {
        let features = data.columns().iter().map(|c| c.values.width()).sum();
        let classes = classes(&data).map_or(0, |c| c.levels().len());
        let (shape, methods) = ([data.len(), features, classes], methods.to_vec());
        Problem { name: name.into(), part, data, protocol, score, methods, shape, scaled: false, gaps: 0 }
    }

    /// Scaling is the outer operation, so that a walk through all objects uses the scale of the training objects too.
    pub(crate) fn wrapped(&self, kernel: &str) -> String {
        let scaled = if self.scaled { format!("standardize({kernel})") } else { kernel.into() };
        if self.gaps > 0 { format!("impute({scaled}, method=median)") } else { scaled }
    }
}

/// A method with the grid of its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Method {
    /// Its name in tables and journals.
    pub name: &'static str,
    /// The name of its kernel in the registry, by which it can be selected.
    pub entry: &'static str,
    /// The kernels to choose from: expressions with ranges. `{base}`, `{gamma}` and `{steps}` stand for settings.
    pub kernels: &'static [&'static str],
    /// The learner, with ranges. `{c}` stands for the setting.
    pub learner: &'static str,
    /// The source's figures for it on its own data, by table.
    pub published: &'static [(&'static str, f64)],
    /// Whether it is a baseline.
    pub baseline: bool,
    /// How it is evaluated.
    pub how: How,
}

/// How a method is evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// Parameters are chosen by cross-validation within each training set.
    Nested,
    /// The same for each value of this parameter.
    Along(&'static str),
    /// As [`How::Nested`], from Gram matrices of all objects, which are timed. Kernels that cannot be computed are left out.
    Precomputed,
    /// The majority class, without kernel.
    Majority,
}

/// A method evaluated by nested cross-validation.
pub const fn method(name: &'static str, kernels: &'static [&'static str], learner: &'static str) -> Method {
    Method { name, entry: "", kernels, learner, published: &[], baseline: false, how: How::Nested }
}

/// The items with these names, in their original order; all if no names are given.
pub(crate) fn chosen<T>(
    what: &str,
    names: &[String],
    all: Vec<T>,
    name: impl Fn(&T) -> &'static str,
) -> Result<Vec<T>> {
    chosen_by(what, names, all, |t| [name(t); 2])
}

/// The same for items with two names each.
pub(crate) fn chosen_by<T, N: AsRef<str>>(
    what: &str,
    names: &[String],
    all: Vec<T>,
    both: impl Fn(&T) -> [N; 2],
) -> Result<Vec<T>> {
    let is = |t: &T, name: &String| both(t).iter().any(|n| name.eq_ignore_ascii_case(n.as_ref()));
    if let Some(unknown) = names.iter().find(|n| !all.iter().any(|t| is(t, n))) {
        let known: Vec<[N; 2]> = all.iter().map(&both).collect();
        let known: Vec<&str> = known.iter().map(|n| n[0].as_ref()).collect();
        let near = nearest(unknown, known.iter().copied());
        let hint = near.first().map_or_else(String::new, |near| format!("; did you mean {near}?"));
        let domain = format!("one of {}{hint}", known.join(", "));
        return Err(Error::param(what, format!("'{unknown}'"), &domain));
    }
    Ok(all.into_iter().filter(|t| names.is_empty() || names.iter().any(|n| is(t, n))).collect())
}

/// The classes of the objects.
pub(crate) fn classes(data: &Dataset) -> Option<&Categories> {
    if let Some(Target::Classes(classes)) = data.target() { Some(classes) } else { None }
}

/// The file with this name, possibly compressed.
pub(crate) fn file(folder: &Path, name: &str) -> Option<PathBuf> {
    [folder.join(name), folder.join(format!("{name}.gz"))].into_iter().find(|p| p.is_file())
}

/// Reading options with the kind of one column.
pub(crate) fn kind(column: &str, kind: Kind) -> Options {
    Options { kinds: [(column.to_owned(), kind)].into(), ..Options::default() }
}

/// Series of persons in `timeseries/NAME`; `trials.csv` names the persons, which are the groups.
pub(crate) fn persons(folder: &Path, name: &str) -> Result<Option<Dataset>> {
    let here = folder.join("timeseries").join(name);
    let files = (file(&here, &format!("{name}.ts")), file(&here, "trials.csv"));
    let (Some(series), Some(trials)) = files else { return Ok(None) };
    let data = read(&series, &Options::default())?;
    let trials = read(&trials, &kind("subject", Kind::Categories))?;
    let Values::Categories(persons) = &trials.column("subject")?.values else {
        return Err(Error::usage("the persons of the trials are not categories"));
    };
    data.with_groups("subject", persons.clone()).map(Some)
}

/// Training and test series in `timeseries/NAME`.
pub(crate) fn split(folder: &Path, name: &str) -> Result<Option<Dataset>> {
    let here = folder.join("timeseries").join(name);
    let files = (file(&here, &format!("{name}_TRAIN.ts")), file(&here, &format!("{name}_TEST.ts")));
    let (Some(train), Some(test)) = files else { return Ok(None) };
    stacked(&read(&train, &Options::default())?, &read(&test, &Options::default())?).map(Some)
}

/// Training and test series as one data set with their split.
pub(crate) fn stacked(train: &Dataset, test: &Dataset) -> Result<Dataset> {
    let (mut all, mut names): (Vec<Series>, Vec<String>) = Default::default();
    for data in [train, test] {
        let [Column { values: Values::Series(series), .. }] = data.columns() else {
            return Err(Error::usage("expected one column of series in files of the archive"));
        };
        let classes =
            classes(data).ok_or_else(|| Error::usage("expected classes in files of the archive"))?;
        all.extend(series.iter().cloned());
        names.extend((0..classes.len()).map(|i| classes.get(i).unwrap_or("").to_owned()));
    }
    let test = (0..all.len()).map(|i| i >= train.len()).collect();
    let target = Categories::from_values(names.iter().map(|n| Some(n.as_str())));
    Dataset::new(vec![Column::new("series", Values::Series(all))])?
        .with_target("class", Target::Classes(target))?
        .with_test(test)
}

/// Series of equal length as vectors of all their values, averaged over `width` time steps.
pub(crate) fn vectors(data: &Dataset, width: usize) -> Result<Dataset> {
    let [Column { values: Values::Series(series), .. }] = data.columns() else {
        return Err(Error::usage("expected one column of series"));
    };
    let rows: Vec<Series> = series.iter().map(|s| s.binned(width)).collect();
    let dim = rows.first().map_or(0, |s| s.values().len());
    if rows.iter().any(|s| s.values().len() != dim) {
        return Err(Error::usage("series of unequal length"));
    }
    if classes(data).is_none() {
        return Err(Error::usage("series without classes"));
    }
    let mut x = Dense::zeros(rows.len(), dim);
    rows.iter().enumerate().for_each(|(i, s)| x.row_mut(i).copy_from_slice(s.values()));
    data.with_columns(vec![Column::new("x", Values::Numbers(x))])
}
