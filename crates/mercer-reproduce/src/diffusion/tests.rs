//! The study on small data with known results.

use super::tables::{Table, means};
use super::*;
use crate::data::{Column, Target};
use crate::experiment::{Outcome, Report};
use crate::gram::Engine;
use crate::random::Random;

/// The class is whether two of six attributes are equal: no sum over attributes separates the classes, a product does.
fn records(n: usize, settings: &Settings) -> Problem {
    let mut random = Random::new(5);
    let names = ["a", "b", "c"];
    let rows: Vec<Vec<usize>> = (0..n).map(|_| (0..6).map(|_| random.below(3)).collect()).collect();
    let columns = (0..6).map(|j| {
        let values = Categories::from_values(rows.iter().map(|r| Some(names[r[j]])));
        Column::new(format!("x{j}"), Values::Categories(values))
    });
    let classes = rows.iter().map(|r| Some(if r[0] == r[1] { "same" } else { "other" }));
    let data = Dataset::new(columns.collect()).unwrap();
    let target = Target::Classes(Categories::from_values(classes));
    table("agree", data.with_target("class", target).unwrap(), settings).unwrap()
}

fn report(settings: Settings, outcomes: Vec<Outcome>, absent: Vec<String>) -> Report {
    Report { experiment: &DIFFUSION, settings, outcomes, absent, threads: 1 }
}

#[test]
fn diffusion_learns_what_hamming_cannot() {
    let settings = Settings { splits: 4, ..DIFFUSION.settings(true, 3) };
    let problems = [records(240, &settings)];
    let mut calls = Vec::new();
    let progress = &mut |message| calls.push(message);
    let outcomes = DIFFUSION.evaluate(&settings, &problems, &Engine::new(), None, progress).unwrap();
    assert!(calls.len() == 5 && calls[0] == "agree: hamming", "{calls:?}");
    let outcome = Table::new(&outcomes[0]).unwrap();
    let (hamming, best) = (means(outcome.hamming), means(&outcome.best()));
    assert!(best.0 < 0.12 && hamming.0 > 0.2, "{best:?} {hamming:?}");
    assert!((outcome.majority - 1.0 / 3.0).abs() < 0.08);
    assert_eq!((outcomes[0].shape, outcome.diffusion.len()), ([240, 6, 3], 4));
    // The chosen coefficient has the smallest inner error of its split.
    for (split, &at) in outcome.chosen.iter().enumerate() {
        let inner = |at: usize| outcome.diffusion[at][split].inner.unwrap();
        assert!((0..4).all(|other| inner(at) <= inner(other)));
    }
    let one = Engine::new().with_threads(1).unwrap();
    assert_eq!(DIFFUSION.evaluate(&settings, &problems, &one, None, &mut |_| ()).unwrap(), outcomes);
    let report = report(settings, outcomes, vec!["votes".into()]);
    assert!(report.text().contains("agree") && report.markdown().contains("| agree"));
    assert!(report.text().contains("not found, not run: votes"));
    let json = serde_json::json!(report);
    let curves = &json["curves"];
    assert_eq!((curves.as_array().unwrap().len(), &curves[0]["name"]), (2, &"agree-error".into()));
    assert_eq!(curves[1]["points"].as_array().unwrap().len(), 4);
    assert_eq!(curves[1]["level"]["label"], "Hamming kernel");
    assert_eq!(json["outcomes"][0]["data"], "agree");
}

#[test]
fn nodes_of_two_rings_are_classified() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rings");
    std::fs::create_dir(&path).unwrap();
    let mut nodes = "node,split,class\n".to_owned();
    let mut edges = "source,target\n".to_owned();
    for i in 0..60 {
        let (ring, at) = (i / 30, i % 30);
        let split = if at % 3 == 0 { "train" } else { "test" };
        nodes += &format!("n{i},{split},{}\n", ["left", "right"][ring]);
        edges += &format!("n{i},n{}\n", ring * 30 + (at + 1) % 30);
    }
    edges += "n0,n30\n";
    std::fs::write(path.join("nodes.csv"), nodes).unwrap();
    std::fs::write(path.join("edges.csv"), edges).unwrap();
    let problem = graph(&path).unwrap();
    assert_eq!((problem.name.as_str(), problem.data.len()), ("rings", 60));
    let settings = DIFFUSION.settings(true, 1);
    let outcomes = DIFFUSION.evaluate(&settings, &[problem], &Engine::new(), None, &mut |_| ()).unwrap();
    let of = |name: &str| outcomes[0].method(name).unwrap().score();
    assert_eq!(of("label propagation"), Some(1.0));
    assert_eq!(of("majority class"), Some(0.5));
    for method in ["diffusion", "regularised Laplacian", "commute time", "PageRank"] {
        assert!(of(method).unwrap() > 0.9, "{method}: {:?}", of(method));
    }
    let report = report(settings, outcomes, Vec::new());
    assert!(report.text().contains("rings: classes of nodes"));
}

#[test]
fn invalid_tables() {
    let numbers = Dataset::of_vectors(crate::data::Dense::zeros(2, 1));
    assert!(Records::new("x", &numbers).is_err());
    let target = Target::Classes(Categories::from_values([Some("a"), Some("b")]));
    assert!(Records::new("x", &numbers.with_target("class", target).unwrap()).is_err());
    let folder = tempfile::tempdir().unwrap();
    let options = StudyOptions { data: Some(folder.path().into()), ..StudyOptions::default() };
    assert!(
        problems(&options, &mut DIFFUSION.settings(true, 1))
            .is_err_and(|e| e.to_string().contains("nothing to run"))
    );
}
