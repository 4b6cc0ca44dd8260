//! 1-nearest-neighbour classification with dynamic time warping on the archive's own splits: errors as published.
//!
//! The data is not part of the project. `MERCER_DATA` names a folder with `timeseries/NAME/NAME_TRAIN.ts`; without it,
//! and without `../shared/data` next to the project, the test reports that it was skipped.

use std::path::PathBuf;

use mercer::data::{Dataset, Series, Target, Values};
use mercer::distance::NegativeSquaredDistance;
use mercer::distance::series::{ChannelChoice, Dtw, Nearest};
use mercer::read::{Options, read};

use crate::support::engine;

fn folder() -> Option<PathBuf> {
    let given = std::env::var_os("MERCER_DATA").map(PathBuf::from);
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let found = given.into_iter().chain([default]).map(|p| p.join("timeseries")).find(|p| p.is_dir());
    if found.is_none() {
        eprintln!("skipped: no folder timeseries in MERCER_DATA");
    }
    found
}

fn part(name: &str, which: &str) -> Option<Dataset> {
    let path = folder()?.join(name).join(format!("{name}_{which}.ts"));
    Some(read(&path, &Options::default()).unwrap())
}

fn series(data: &Dataset) -> &[Series] {
    match &data.column("series").unwrap().values {
        Values::Series(s) => s,
        other => panic!("{}", other.kind()),
    }
}

fn class(data: &Dataset, i: usize) -> &str {
    match data.target() {
        Some(Target::Classes(c)) => c.get(i).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// Errors of the nearest neighbour, by search and by the whole matrix.
fn errors(name: &str, dtw: Dtw) -> Option<(usize, usize)> {
    let (train, test) = (part(name, "TRAIN")?, part(name, "TEST")?);
    let (known, new) = (series(&train), series(&test));
    let found = Nearest::new(dtw, known).unwrap().of(new).unwrap();
    let d = engine().cross_distances(&NegativeSquaredDistance(dtw), new, known).unwrap();
    for (q, &(i, distance)) in found.iter().enumerate() {
        let row = d.row(q);
        assert!(row[..i].iter().all(|&other| other > distance) && row[i] == distance, "{name} {q}");
        assert!(row[i..].iter().all(|&other| other >= distance), "{name} {q}");
    }
    let wrong = found.iter().enumerate().filter(|(q, (i, _))| class(&test, *q) != class(&train, *i)).count();
    Some((wrong, new.len()))
}

#[test]
fn errors_of_the_nearest_neighbour() {
    for (name, wrong, of) in [
        ("GunPoint", 14, 150),
        ("ArrowHead", 52, 175),
        ("ItalyPowerDemand", 51, 1029),
        ("Coffee", 0, 28),
        ("Trace", 0, 100),
        // Accuracy 0.975.
        ("BasicMotions", 1, 40),
    ] {
        let Some(found) = errors(name, Dtw::default()) else { return };
        assert_eq!(found, (wrong, of), "{name}");
    }
    assert_eq!(errors("BasicMotions", Dtw::default().on(ChannelChoice::INDEPENDENT)), Some((0, 40)));
}

/// Series of unequal length, of many channels, and compressed.
#[test]
fn every_set_is_read() {
    let Some(folder) = folder() else { return };
    let shape = |data: &Dataset| {
        let all = series(data);
        let lengths = all.iter().map(Series::len);
        (all.len(), all[0].channels(), lengths.clone().min().unwrap(), lengths.max().unwrap())
    };
    assert_eq!(shape(&part("JapaneseVowels", "TRAIN").unwrap()), (270, 12, 7, 26));
    assert_eq!(shape(&part("JapaneseVowels", "TEST").unwrap()), (370, 12, 7, 29));
    let eeg = read(&folder.join("EEG_alcoholic_S1/EEG_alcoholic_S1.ts.gz"), &Options::default()).unwrap();
    assert_eq!(shape(&eeg), (200, 64, 256, 256));
    for name in ["ArrowHead", "Coffee", "ECG200", "GunPoint", "ItalyPowerDemand", "SyntheticControl", "Trace"]
    {
        for which in ["TRAIN", "TEST"] {
            let (_, channels, shortest, longest) = shape(&part(name, which).unwrap());
            assert_eq!((channels, shortest), (1, longest), "{name}");
        }
    }
}
