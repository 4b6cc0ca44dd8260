use super::*;
use crate::data::{Categories, Column, Dataset, Series, Target, Values};
use crate::expression::Expression;
use crate::gram::Engine;
use crate::problem::stacked;
use crate::random::Random;

const SERIES: &Part = &PARTS[0];
const GENES: Part = PARTS[2];
const TEXT: &Part = &PARTS[3];

/// Noisy series with an early or a late bump.
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
    for part in PARTS {
        for method in part.methods {
            for kernel in method.kernels {
                kernel.parse::<Expression>().unwrap_or_else(|e| panic!("{kernel}: {e}"));
            }
            method.learner.parse::<crate::expression::Learner>().unwrap();
        }
    }
}

#[test]
fn a_small_archive_is_classified_and_reported() {
    let data = stacked(&bumps(16, 1), &bumps(20, 2)).unwrap();
    let methods = &SERIES.methods[..3];
    let problem = Problem::new((SERIES.name, "bumps"), data, (Protocol::TrainTest, Score::Accuracy), methods);
    let settings = SIMILARITY.settings(true, 0);
    let mut calls = 0;
    let outcomes =
        SIMILARITY.evaluate(&settings, &[problem], &Engine::new(), None, &mut |_| calls += 1).unwrap();
    assert_eq!((outcomes[0].methods.len(), calls), (3, 3));
    for outcome in &outcomes[0].methods {
        assert_eq!(outcome.splits.iter().map(|c| c.tested).sum::<usize>(), 20);
        // DTW aligns the bumps with each other, so only the noise is left.
        assert!(outcome.score().unwrap() >= 0.0 && outcome.score().unwrap() <= 1.0);
    }
    let absent = vec!["Trace".into()];
    let report = Report { experiment: &SIMILARITY, settings, outcomes, absent, threads: 1 };
    for text in [report.text(), report.markdown()] {
        for part in ["1-NN DTW", "similarity", "bumps", "Trace"] {
            assert!(text.contains(part), "{part} in {text}");
        }
    }
    assert_eq!(serde_json::json!(report)["outcomes"].as_array().unwrap().len(), 3);
}

#[test]
fn folders_without_data_are_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let settings = SIMILARITY.settings(true, 0);
    let (found, absent) = find(folder.path(), &[GENES], &[], &settings).unwrap();
    assert_eq!((found.len(), absent.len()), (0, 3));
    assert!(find(folder.path(), &[GENES], &["nothing".into()], &settings).is_err());
}

/// The values of tables 4 and 5 belong to the methods in those rows.
#[test]
fn printed_values_belong_to_their_methods() {
    let figure = |name: &str, table: &str| {
        let method = TEXT.methods.iter().find(|m| m.name == name).unwrap();
        method.published.iter().find(|p| p.0 == table).map(|p| p.1)
    };
    assert_eq!(figure("similarity, BM25 + content", "table 5"), Some(0.8622));
    assert_eq!(figure("similarity, BM25 + JS + content", "table 5"), None);
    assert_eq!(figure("similarity, BM25 + JS + content", "table 4"), Some(0.7363));
    assert_eq!(figure("late fusion, BM25 + content", "table 5"), Some(0.8517));
    for method in TEXT.methods {
        let kernel = method.kernels[0];
        for (word, part) in [("BM25", "weight=bm25"), ("JS", "jensen-shannon"), ("content", "content(")] {
            assert_eq!(method.name.contains(word), kernel.contains(part), "{}: {kernel}", method.name);
        }
    }
}

/// Messages of two classes, classified by every method of the part.
#[test]
fn every_method_of_the_text_part_runs() {
    let texts = (0..40).map(|i| match i % 2 {
        0 => format!("win a free prize number {} call now urgent", i % 5),
        _ => format!("see you at lunch on day {} my good friend", i % 7),
    });
    let texts: Vec<Option<String>> = texts.map(Some).collect();
    let classes = Categories::from_values((0..40).map(|i| Some(["spam", "ham"][i % 2])));
    let data = Dataset::new(vec![Column::new("text", Values::Text(texts))])
        .unwrap()
        .with_target("class", Target::Classes(classes))
        .unwrap();
    let problem = Problem::new((TEXT.name, "messages"), data, (Protocol::folds(2), Score::Auc), TEXT.methods);
    let settings = Settings { inner_folds: 2, ..SIMILARITY.settings(true, 0) };
    let outcomes = SIMILARITY.evaluate(&settings, &[problem], &Engine::new(), None, &mut |_| ()).unwrap();
    assert_eq!(outcomes[0].methods.len(), TEXT.methods.len());
    // A term in half of the messages has no inverse document frequency, so only raw counts must separate the classes.
    let score = |name: &str| outcomes[0].method(name).and_then(Evaluated::score).unwrap();
    assert!(score("tf SVM") > 0.9 && score("similarity, JS") > 0.9);
    assert!(outcomes[0].methods.iter().all(|o| (0.0..=1.0).contains(&o.score().unwrap())));
    let report = Report { experiment: &SIMILARITY, settings, outcomes, absent: Vec::new(), threads: 1 };
    let text = report.text();
    assert!(text.lines().all(|l| l.chars().count() <= 80), "{text}");
    let line = |name: &str| text.lines().find(|l| l.starts_with(&format!("{name} "))).unwrap().to_owned();
    assert!(line("similarity, BM25 + content").contains("0.8622"), "{text}");
    assert!(!line("similarity, BM25 + JS + content").contains("0.8622"), "{text}");
}
