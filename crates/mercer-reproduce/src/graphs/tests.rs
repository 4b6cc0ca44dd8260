//! The study compared with explicit loops over models.

use super::*;
use crate::data::Target;
use crate::experiment::model_accuracy;
use crate::expression::Learner;
use crate::select::{Nested, Objects, nested};

/// Sixty graphs of MUTAG, alternately two from either end, because the graphs are ordered by class.
fn small() -> Dataset {
    let whole = embedded::mutag().unwrap();
    let rows: Vec<usize> = (0..188).step_by(3).take(60).collect();
    whole.select(&rows)
}

fn settings() -> Settings {
    Settings { c: "[1, 64]", repetitions: 2, folds: 3, inner_folds: 2, seed: 5, ..Settings::default() }
}

/// The results without total times.
fn study(engine: &Engine, journals: Option<&Path>, progress: &mut dyn FnMut(String)) -> Result<Outcome> {
    let problems = [problem("MUTAG", small(), &settings(), &methods())];
    let mut outcome = GRAPHS.evaluate(&settings(), &problems, engine, journals, progress)?.remove(0);
    outcome.methods.iter_mut().for_each(|m| m.seconds = 0.0);
    Ok(outcome)
}

fn methods() -> Vec<Method> {
    let wanted = ["graph-size", "vertex-histogram", "subgraph-matching"];
    let mut methods: Vec<Method> = METHODS.iter().copied().filter(|m| wanted.contains(&m.entry)).collect();
    methods.push(graph("walks", "random-walk", &["random-walk(kind=geometric, decay=[0.001, 0.05, 5])"]));
    methods.push(graph("nothing", "no-such-kernel", &["no-such-kernel"]));
    methods
}

fn splits(data: &Dataset, settings: &Settings) -> Vec<Nested> {
    let objects = Objects::of(data).unwrap();
    let outer = Protocol::Folds { folds: settings.folds, repetitions: settings.repetitions };
    let inner = Protocol::folds(settings.inner_folds);
    nested(&outer, &inner, &objects, settings.seed).unwrap().collect::<mercer::Result<_>>().unwrap()
}

fn timeless(mut outcome: Outcome) -> Outcome {
    outcome.methods.iter_mut().for_each(|m| m.timed = None);
    outcome
}

#[test]
fn the_study_equals_loops_over_models() {
    let (data, settings) = (small(), settings());
    let mut calls = Vec::new();
    let outcomes = study(&Engine::new(), None, &mut |message| calls.push(message)).unwrap().methods;
    let names: Vec<&str> = outcomes.iter().map(|o| o.method.as_str()).collect();
    assert_eq!(names, ["majority", "graph size only", "label counts only", "subgraph matching", "walks"]);
    assert!(
        names.len() == calls.len()
            && names.iter().zip(&calls).all(|(n, c)| c.starts_with(&format!("MUTAG, {n}: ")))
    );
    let splits = splits(&data, &settings);
    for outcome in &outcomes[1..] {
        assert!(
            outcome.splits.len() == 6 && deviation(outcome, 3).is_some() && deviation(outcome, 6).is_none()
        );
        for (chosen, split) in outcome.splits.iter().zip(&splits) {
            let again = model_accuracy(&data, &split.outer, &chosen.kernel, &chosen.learner, 5);
            assert_eq!(again, chosen.score, "{chosen:?}");
        }
        assert!(outcome.timed.as_ref().unwrap().1 > 0.0);
    }
    // The largest decay diverges; it is left out, with a note.
    let walks = &outcomes[4];
    assert_eq!(walks.dropped.len(), 1);
    assert!(walks.dropped[0].0.contains("decay=5") && walks.dropped[0].1.contains("E_DIVERGE"));
    // The parameters of the first split, chosen by explicit loops: the first of the best.
    let mut best: Option<(f64, String, String)> = None;
    for kernel in ["random-walk(kind=geometric, decay=0.001)", "random-walk(kind=geometric, decay=0.05)"] {
        for learner in ["svc(C=1)", "svc(C=64)"] {
            let sum: f64 = splits[0].inner.iter().map(|s| model_accuracy(&data, s, kernel, learner, 5)).sum();
            if best.as_ref().is_none_or(|b| sum > b.0 + 1e-12) {
                best = Some((sum, kernel.into(), learner.into()));
            }
        }
    }
    let (_, kernel, learner) = best.unwrap();
    let same = |a: &str, b: &str| a.parse::<Expression>().unwrap() == b.parse::<Expression>().unwrap();
    assert!(same(&walks.splits[0].kernel, &kernel), "{} {kernel}", walks.splits[0].kernel);
    let same = |a: &str, b: &str| a.parse::<Learner>().unwrap() == b.parse::<Learner>().unwrap();
    assert!(same(&walks.splits[0].learner, &learner), "{} {learner}", walks.splits[0].learner);
    // The majority-class baseline, computed directly.
    let Some(Target::Classes(classes)) = data.target() else { panic!("classes expected") };
    let ones = (0..60).filter(|&i| classes.get(i) == Some("1")).count();
    assert!((outcomes[0].score().unwrap() - ones.max(60 - ones) as f64 / 60.0).abs() < 1e-9);
}

/// The scores in a journal, sorted.
fn recorded_scores(text: &str) -> Vec<String> {
    let mut scores: Vec<String> = Vec::new();
    for line in text.lines().skip(1) {
        // After the checksum.
        let line = &line[line.find('[').unwrap()..];
        let line: Vec<serde_json::Value> = serde_json::from_str(line).unwrap();
        scores.extend(line.iter().map(ToString::to_string));
    }
    scores.sort();
    scores
}

#[test]
fn threads_and_interruptions_change_nothing() {
    let run = |threads: usize, journals: Option<&Path>| {
        let engine = Engine::new().with_threads(threads).unwrap();
        study(&engine, journals, &mut |_| ()).map(timeless)
    };
    let whole = run(1, None).unwrap();
    assert_eq!(run(3, None).unwrap(), whole);
    let folder = tempfile::tempdir().unwrap();
    let journals = folder.path().join("made");
    assert_eq!(run(2, Some(&journals)).unwrap(), whole);
    let path = journals.join("MUTAG-subgraph-matching.journal");
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() / 2]).unwrap();
    assert_eq!(run(1, Some(&journals)).unwrap(), whole);
    // Two threads record their work in the order of completion.
    let again = std::fs::read_to_string(&path).unwrap();
    assert_eq!(again.lines().next(), text.lines().next());
    assert_eq!(recorded_scores(&again), recorded_scores(&text));
}

#[test]
fn reports_contain_their_protocol() {
    let outcomes = vec![study(&Engine::new(), None, &mut |_| ()).unwrap()];
    let absent = vec!["nothing (no-such-kernel)".to_owned()];
    let report = Report { experiment: &GRAPHS, settings: settings(), outcomes, absent, threads: 2 };
    let text = report.text();
    for part in [
        "MUTAG, 60 graphs: accuracy in percent",
        "majority",
        "graph size only",
        "label counts only",
        "not run, not in the registry: nothing (no-such-kernel)",
        "walks: without random-walk",
        "2 × 3 folds, C in [1, 64]",
        "seconds on 2 threads",
    ] {
        assert!(text.contains(part), "{part}\n{text}");
    }
    let markdown = report.markdown();
    let lines: Vec<&str> = markdown.lines().filter(|l| l.starts_with('|')).collect();
    assert!(lines.len() == 7 && lines.iter().all(|l| l.matches('|').count() == 7), "{markdown}");
    let json = serde_json::json!(report);
    assert_eq!((&json["kind"], &json["full_protocol"]), (&"graphs".into(), &false.into()));
    let walks = &json["outcomes"][4];
    assert_eq!(walks["splits"].as_array().unwrap().len(), 6);
    let best = (0..3).map(|i| json["outcomes"][i]["accuracy"].as_f64().unwrap()).fold(0.0, f64::max);
    let gain = walks["over_baselines"].as_f64().unwrap();
    assert!((walks["accuracy"].as_f64().unwrap() - best - gain).abs() < 1e-12);
    assert!(json["outcomes"][1]["over_baselines"].is_null());
}

#[test]
fn every_method_parses_or_is_absent() {
    for method in METHODS.iter().filter(|m| is_there(m)) {
        for kernel in method.kernels {
            let parsed: Expression = kernel.parse().unwrap_or_else(|e| panic!("{kernel}: {e}"));
            assert!(parsed.to_string().contains(method.entry));
        }
    }
    assert_eq!(METHODS.iter().filter(|m| m.baseline).count(), 2);
    let names = |n: &str| chosen("only", &[n.to_owned()], vec!["MUTAG", "DD"], |s| *s);
    assert_eq!(names("mutag").unwrap(), ["MUTAG"]);
    assert!(names("MUTAC").unwrap_err().to_string().contains("did you mean MUTAG?"));
}

#[test]
fn collections_are_found_in_folders() {
    let folder = tempfile::tempdir().unwrap();
    let inside = folder.path().join("TINY");
    std::fs::create_dir(&inside).unwrap();
    for (part, text) in [("A", "1, 2\n2, 1\n"), ("graph_indicator", "1\n1\n2\n"), ("graph_labels", "1\n2\n")]
    {
        std::fs::write(inside.join(format!("TINY_{part}.txt")), text).unwrap();
    }
    for path in [folder.path(), inside.as_path()] {
        let found = collections(Some(path), &[]).unwrap();
        let names: Vec<&str> = found.iter().map(|c| c.0.as_str()).collect();
        assert_eq!(names, ["TINY", "MUTAG"]);
    }
    let embedded = &collections(None, &[]).unwrap()[0];
    assert_eq!((embedded.0.as_str(), graphs(&embedded.0, &embedded.1).unwrap().len()), ("MUTAG", 188));
    assert_eq!(collections(Some(folder.path()), &["tiny".to_owned()]).unwrap().len(), 1);
    assert!(collections(Some(&folder.path().join("none")), &[]).is_err());
    let table = Dataset::of_vectors(crate::data::Dense::zeros(2, 1));
    assert!(graphs("table", &table).is_err());
}
