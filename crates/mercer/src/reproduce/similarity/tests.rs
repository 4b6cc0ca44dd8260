use super::problems::stacked;
use super::*;
use crate::data::{Categories, Column, Dataset, Series, Target, Values};
use crate::expression::Expression;
use crate::gram::Engine;
use crate::random::Random;
use crate::select::{Protocol, Score};

/// Bumps early or late, in noise.
fn bumps(n: usize, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let one = |i: usize, random: &mut Random| {
        let at = if i.is_multiple_of(2) { 6.0 } else { 16.0 } + random.normal();
        let value = |t: usize| (-(t as f64 - at).powi(2) / 4.0).exp() + 0.1 * random.normal();
        Series::new(1, (0..24).map(value).collect()).unwrap()
    };
    let series = (0..n).map(|i| one(i, &mut random)).collect();
    let classes = Categories::from_values((0..n).map(|i| Some(["early", "late"][i % 2])));
    Dataset::new(vec![Column::new("series", Values::Series(series))])
        .unwrap()
        .with_target("class", Target::Classes(classes))
        .unwrap()
}

#[test]
fn every_method_parses() {
    for part in Part::ALL {
        for method in part.methods() {
            for kernel in method.kernels {
                kernel.parse::<Expression>().unwrap_or_else(|e| panic!("{kernel}: {e}"));
            }
            method.learner.parse::<crate::expression::Learner>().unwrap();
        }
    }
}

#[test]
fn a_small_archive_is_told_apart_and_reported() {
    let data = stacked(&bumps(16, 1), &bumps(20, 2)).unwrap();
    let problem = Problem {
        part: Part::Archive,
        name: "bumps".into(),
        data,
        protocol: Protocol::TrainTest,
        score: Score::Accuracy,
    };
    let settings = Settings::quick(0);
    let methods = &ARCHIVE[..3];
    let mut heard = 0;
    let outcomes = study(&problem, methods, &settings, &Engine::new(), None, &mut |_| heard += 1).unwrap();
    assert_eq!((outcomes.len(), heard), (3, 3));
    for outcome in &outcomes {
        assert_eq!(outcome.tested, 20);
        // DTW shifts bumps onto each other: what is left is how the noise lies.
        assert!(outcome.score().unwrap() >= 0.0 && outcome.score().unwrap() <= 1.0);
    }
    let report = Report { settings, outcomes, absent: vec!["Trace".into()] };
    for text in [report.text(), report.markdown()] {
        for part in ["1-NN DTW", "similarity", "bumps", "Trace"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
    assert_eq!(report.json()["outcomes"].as_array().unwrap().len(), 3);
}

#[test]
fn folders_without_data_say_so() {
    let folder = tempfile::tempdir().unwrap();
    let settings = Settings::quick(0);
    let (found, absent) = problems(folder.path(), &[Part::Genes], &[], &settings).unwrap();
    assert_eq!((found.len(), absent.len()), (0, 3));
    assert!(problems(folder.path(), &[Part::Genes], &["nothing".into()], &settings).is_err());
}
