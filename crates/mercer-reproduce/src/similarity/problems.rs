//! The data sets of the study, found in a folder.

use std::path::{Path, PathBuf};

use super::{Part, SimilaritySettings};
use crate::data::{Categories, Column, Dataset, Kind, Series, Target, Values};
use crate::error::{Error, Result};
use crate::read::{Options, read};
use crate::select::{Protocol, Score};

/// A data set with its splits and its measure.
#[derive(Clone, Debug)]
pub struct Problem {
    /// The part of the study.
    pub part: Part,
    /// Its name.
    pub name: String,
    /// The objects.
    pub data: Dataset,
    /// How they are split.
    pub protocol: Protocol,
    /// The measure.
    pub score: Score,
}

/// Sets of the archive, named like their folders.
const ARCHIVE: [&str; 9] = [
    "ArrowHead",
    "BasicMotions",
    "Coffee",
    "ECG200",
    "GunPoint",
    "ItalyPowerDemand",
    "JapaneseVowels",
    "SyntheticControl",
    "Trace",
];

/// The problems of these parts that are in the folder (`timeseries/NAME/NAME_TRAIN.ts`,
/// `timeseries/EEG_alcoholic_S1/…`, `genes/NAME/NAME.csv`, `strings/sms_spam/sms_spam.csv`, `molecules/ESOL/ESOL.csv`),
/// and the names of those that are not.
pub fn problems(
    folder: &Path,
    parts: &[Part],
    only: &[String],
    settings: &SimilaritySettings,
) -> Result<(Vec<Problem>, Vec<String>)> {
    let (mut found, mut absent) = (Vec::new(), Vec::new());
    let wanted = |name: &str| only.is_empty() || only.iter().any(|o| o.eq_ignore_ascii_case(name));
    let mut known: Vec<&str> = Vec::new();
    for &part in parts {
        let names: &[&str] = match part {
            Part::Archive => &ARCHIVE,
            Part::Eeg => &["EEG_alcoholic_S1"],
            Part::Genes => &["breast_vantveer_3class", "colon_alon", "lung_gordon"],
            Part::Text => &["sms_spam"],
            Part::Molecules => &["ESOL"],
        };
        known.extend(names);
        for name in names.iter().filter(|name| wanted(name)) {
            match load(folder, part, name, settings)? {
                Some(problem) => found.push(problem),
                None => absent.push((*name).to_owned()),
            }
        }
    }
    if let Some(unknown) = only.iter().find(|o| !known.iter().any(|k| k.eq_ignore_ascii_case(o))) {
        return Err(Error::param("only", unknown, &format!("one of {}", known.join(", "))));
    }
    Ok((found, absent))
}

/// The file with this name, possibly compressed.
fn file(folder: &Path, name: &str) -> Option<PathBuf> {
    [folder.join(name), folder.join(format!("{name}.gz"))].into_iter().find(|p| p.is_file())
}

fn load(folder: &Path, part: Part, name: &str, settings: &SimilaritySettings) -> Result<Option<Problem>> {
    let below = |kind: &str| folder.join(kind).join(name);
    let made =
        |data, protocol, score| Ok(Some(Problem { part, name: name.to_owned(), data, protocol, score }));
    match part {
        Part::Archive => {
            let here = below("timeseries");
            let files = (file(&here, &format!("{name}_TRAIN.ts")), file(&here, &format!("{name}_TEST.ts")));
            let (Some(train), Some(test)) = files else { return Ok(None) };
            let options = Options::default();
            let data = stacked(&read(&train, &options)?, &read(&test, &options)?)?;
            made(data, Protocol::TrainTest, Score::Accuracy)
        }
        Part::Eeg => {
            let here = below("timeseries");
            let files = (file(&here, &format!("{name}.ts")), file(&here, "trials.csv"));
            let (Some(series), Some(trials)) = files else { return Ok(None) };
            let data = read(&series, &Options::default())?;
            let options =
                Options { kinds: [("subject".into(), Kind::Categories)].into(), ..Options::default() };
            let trials = read(&trials, &options)?;
            let Values::Categories(persons) = &trials.column("subject")?.values else {
                return Err(Error::usage("the persons of the trials are not categories"));
            };
            let data = data.with_groups("subject", persons.clone())?;
            let protocol = Protocol::GroupHoldout { share: 0.5, repetitions: settings.repetitions };
            made(data, protocol, Score::Auc)
        }
        Part::Genes => {
            let Some(path) = file(&below("genes"), &format!("{name}.csv")) else { return Ok(None) };
            made(read(&path, &Options::default())?, Protocol::folds(5), Score::AucMacro)
        }
        Part::Text => {
            let Some(path) = file(&below("strings"), &format!("{name}.csv")) else { return Ok(None) };
            let options = Options { kinds: [("text".into(), Kind::Text)].into(), ..Options::default() };
            made(read(&path, &options)?, Protocol::folds(5), Score::Auc)
        }
        Part::Molecules => {
            let Some(path) = file(&below("molecules"), &format!("{name}.csv")) else { return Ok(None) };
            // The prediction of another model is not a descriptor.
            let ignore =
                ["Compound ID", "ESOL predicted log solubility in mols per litre"].map(str::to_owned);
            let options = Options {
                target: Some("measured log solubility in mols per litre".into()),
                kinds: [("smiles".into(), Kind::Strings)].into(),
                ignore: ignore.to_vec(),
                ..Options::default()
            };
            made(read(&path, &options)?, Protocol::folds(5), Score::Mae)
        }
    }
}

/// Training and test series as one data set with their split.
pub(crate) fn stacked(train: &Dataset, test: &Dataset) -> Result<Dataset> {
    let series = |data: &Dataset| -> Result<Vec<Series>> {
        match data.columns() {
            [Column { values: Values::Series(series), .. }] => Ok(series.clone()),
            _ => Err(Error::usage("expected one column of series in files of the archive")),
        }
    };
    let classes = |data: &Dataset| -> Result<Vec<String>> {
        match data.target() {
            Some(Target::Classes(c)) => Ok((0..c.len()).map(|i| c.get(i).unwrap_or("").to_owned()).collect()),
            _ => Err(Error::usage("expected classes in files of the archive")),
        }
    };
    let (mut all, mut names) = (series(train)?, classes(train)?);
    all.extend(series(test)?);
    names.extend(classes(test)?);
    let test = (0..all.len()).map(|i| i >= train.len()).collect();
    let target = Categories::from_values(names.iter().map(|n| Some(n.as_str())));
    Dataset::new(vec![Column::new("series", Values::Series(all))])?
        .with_target("class", Target::Classes(target))?
        .with_test(test)
}
