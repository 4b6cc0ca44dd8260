//! The doctor: made faults are found, made data without faults raises no alarm, known faults of real data are found.

#[path = "../../examples/doctor/faults.rs"]
mod faults;

use std::path::PathBuf;

use mercer::Budget;
use mercer::data::{Categories, Column, Dataset, Dense, Graph, Series, Target, Times, Values, generate};
use mercer::doctor::{self, Doctor, Severity, labels};
use mercer::model::Model;
use mercer::random::Random;
use mercer::read::{Options, read};
use mercer::select::{Evaluate, Protocol, Score};

use crate::support::{engine, numbers, strings};

/// Data without faults: correlated normal numbers, a skewed one, counts, categories, some values missing; classes or numbers
/// that depend on them, with errors.
fn made(seed: u64) -> Dataset {
    let mut random = Random::derived(seed, 77);
    let n = 320 + 40 * (seed as usize % 4);
    let mut columns: Vec<Vec<f64>> = vec![Vec::new(); 6];
    let (mut colour, mut signal) = (Vec::new(), Vec::new());
    for _ in 0..n {
        let (a, b) = (random.normal(), random.normal());
        let skewed = (0.8 * random.normal()).exp();
        let row = [
            a,
            0.6 * a + b,
            skewed,
            (6.0 * random.unit()).floor(),
            b + 0.3 * random.normal(),
            20.0 + 5.0 * random.normal(),
        ];
        columns
            .iter_mut()
            .zip(row)
            .for_each(|(c, v)| c.push(if random.unit() < 0.02 { f64::NAN } else { v }));
        colour.push(["red", "green", "blue"][random.below(3)]);
        signal.push(a + b + 0.8 * random.normal());
    }
    let names = ["a", "b", "income", "count", "c", "temperature"];
    let mut all: Vec<Column> =
        names.iter().zip(&columns).map(|(name, values)| numbers(name, values)).collect();
    all.push(Column::new(
        "colour",
        Values::Categories(Categories::from_values(colour.into_iter().map(Some))),
    ));
    let target = match seed % 3 {
        0 => Target::Numbers(signal),
        classes => {
            let class = |v: &f64| {
                if *v > 0.7 && classes == 2 {
                    "high"
                } else if *v > 0.0 {
                    "middle"
                } else {
                    "low"
                }
            };
            Target::Classes(Categories::from_values(signal.iter().map(|v| Some(class(v)))))
        }
    };
    Dataset::new(all).unwrap().with_target("outcome", target).unwrap()
}

#[test]
fn planted_faults_are_found() {
    for (number, fault) in faults::FAULTS.iter().enumerate() {
        let (mut tried, mut missed) = (0, Vec::new());
        for seed in 0..12 {
            let Some(data) = (fault.plant)(&made(seed), &mut Random::derived(seed, number as u64)) else {
                continue;
            };
            tried += 1;
            let checkup = doctor::examine(&data).unwrap();
            if !fault.codes.iter().any(|code| checkup.has(code)) {
                missed.push(seed);
            }
        }
        assert!(tried >= 4, "{}: planted {tried} times only", fault.name);
        assert!(missed.len() * 20 <= tried, "{}: missed in {missed:?} of {tried}", fault.name);
    }
}

#[test]
fn innocent_columns_raise_no_alarm() {
    for (number, fault) in faults::INNOCENT.iter().enumerate() {
        let alarms: Vec<String> = (0..12)
            .filter_map(|seed| (fault.plant)(&made(seed), &mut Random::derived(seed, 500 + number as u64)))
            .flat_map(|data| {
                let planted = data.columns().last().unwrap().name.clone();
                let found = doctor::examine(&data).unwrap().findings;
                found.into_iter().filter(move |f| f.columns.contains(&planted))
            })
            .filter(|f| fault.codes.contains(&f.code))
            .map(|f| f.message)
            .collect();
        assert!(alarms.is_empty(), "{}: {alarms:?}", fault.name);
    }
}

#[test]
fn predictions_of_classes_are_named() {
    let plant = faults::FAULTS.iter().find(|f| f.codes[0] == "W_PREDICTION").unwrap().plant;
    // The seeds 1 and 2 have classes, 0 numbers.
    for seed in 0..3 {
        let data = plant(&made(seed), &mut Random::new(seed)).unwrap();
        let found = doctor::examine(&data).unwrap().findings;
        let finding = found.iter().find(|f| f.code == "W_PREDICTION").unwrap_or_else(|| panic!("{found:?}"));
        assert!(finding.message.contains("is named as a prediction") && finding.severity == Severity::High);
        let evidence = finding.number("balanced_accuracy").or_else(|| finding.number("explained")).unwrap();
        assert!((0.8..0.99).contains(&evidence), "{finding:?}");
    }
}

#[test]
fn data_without_faults_raises_no_alarm() {
    let said: Vec<String> = (0..40)
        .flat_map(|seed| doctor::examine(&made(seed)).unwrap().findings)
        .map(|f| format!("{} {}", f.code, f.message))
        .collect();
    assert!(said.len() <= 2, "{said:?}");
}

#[test]
fn findings_name_columns_objects_and_numbers() {
    let data = faults::FAULTS.iter().find(|f| f.codes == ["W_TARGET_COPY"]).unwrap();
    let data = (data.plant)(&made(1), &mut Random::new(1)).unwrap();
    let checkup = doctor::examine(&data).unwrap();
    let first = &checkup.findings[0];
    assert_eq!(
        (first.code, first.severity, first.columns.as_slice()),
        ("W_TARGET_COPY", Severity::High, &["state".to_owned()][..])
    );
    assert_eq!(first.number("balanced_accuracy"), Some(1.0));
    assert!(first.advice.contains("`ignore=state`"), "{}", first.advice);
    assert!(checkup.findings.windows(2).all(|w| w[0].severity <= w[1].severity));
    assert_eq!(checkup, doctor::examine(&data).unwrap());
    // Findings never change data: the same columns are there.
    assert!(data.has_column("state"));
}

#[test]
fn large_data_is_sampled_and_says_so() {
    let data = made(1);
    let rows: Vec<usize> = (0..5000).map(|i| i % data.len()).collect();
    let many = data.select(&rows);
    let checkup = Doctor { cells: 7000, ..Doctor::default() }.examine(&many).unwrap();
    assert!(checkup.sampled < 5000 && checkup.objects == 5000);
    // Copies are counted among all objects.
    let twins = checkup.findings.iter().find(|f| f.code == "W_TWINS").unwrap();
    assert_eq!(twins.number("copies"), Some(5000.0));
}

#[test]
fn a_stopped_budget_stops_the_doctor() {
    let budget = Budget::default();
    budget.stop();
    let stopped = budget.enter(|| doctor::examine(&made(0)));
    assert_eq!(stopped.unwrap_err().code().as_str(), "E_INTERRUPTED");
}

#[test]
fn an_unknown_time_column_is_an_error() {
    let doctor = Doctor { time: Some("when".into()), ..Doctor::default() };
    assert_eq!(doctor.examine(&made(0)).unwrap_err().code().as_str(), "E_COLUMN");
}

#[test]
fn graphs_texts_and_series_that_are_almost_the_same() {
    let mut random = Random::new(3);
    let ring = |n: usize, shift: usize| {
        let edges: Vec<(u32, u32)> = (0..n)
            .map(|i| (((i + shift) % n) as u32, ((i * 3 + 1 + shift) % n) as u32))
            .filter(|e| e.0 != e.1)
            .collect();
        Graph::undirected(n, &edges).unwrap()
    };
    // The second half has the graphs of the first half with nodes in another order.
    let graphs: Vec<Graph> = (0..20).map(|i| ring(8 + i, 0)).chain((0..20).map(|i| ring(8 + i, 3))).collect();
    let data = Dataset::new(vec![Column::new("g", Values::Graphs(graphs))]).unwrap();
    assert!(doctor::examine(&data).unwrap().has("W_NEAR_TWINS"));

    let word = |r: &mut Random| {
        ["cake", "party", "river", "stone", "green", "window", "paper", "light"][r.below(8)].to_owned()
            + &r.below(90).to_string()
    };
    let mut texts: Vec<String> =
        (0..60).map(|_| (0..30).map(|_| word(&mut random)).collect::<Vec<_>>().join(" ")).collect();
    let plain = |texts: &[String]| {
        Dataset::new(vec![strings("t", &texts.iter().map(String::as_str).collect::<Vec<_>>())]).unwrap()
    };
    assert!(!doctor::examine(&plain(&texts)).unwrap().has("W_NEAR_TWINS"));
    (0..5).for_each(|i| texts.push(texts[i].replacen("cake", "bread", 1) + "!"));
    assert!(doctor::examine(&plain(&texts)).unwrap().has("W_NEAR_TWINS"));

    let mut series: Vec<Series> =
        (0..50).map(|_| Series::new(1, (0..64).map(|_| random.normal()).collect()).unwrap()).collect();
    let set =
        |series: &[Series]| Dataset::new(vec![Column::new("s", Values::Series(series.to_vec()))]).unwrap();
    assert!(!doctor::examine(&set(&series)).unwrap().has("W_NEAR_TWINS"));
    for i in 0..5 {
        let shifted = series[i].values().iter().map(|v| v + 1e-6).collect();
        series.push(Series::new(1, shifted).unwrap());
    }
    assert!(doctor::examine(&set(&series)).unwrap().has("W_NEAR_TWINS"));
}

#[test]
fn lengths_of_sequences_can_give_the_class_away() {
    let mut random = Random::new(5);
    let (mut texts, mut classes) = (Vec::new(), Vec::new());
    for i in 0..80 {
        let length = if i % 2 == 0 { 40 } else { 41 };
        texts.push((0..length).map(|_| ["a", "c", "g", "t"][random.below(4)]).collect::<String>());
        classes.push(Some(if i % 2 == 0 { "promoter" } else { "other" }));
    }
    let data =
        Dataset::new(vec![strings("dna", &texts.iter().map(String::as_str).collect::<Vec<_>>())]).unwrap();
    let data = data.with_target("class", Target::Classes(Categories::from_values(classes))).unwrap();
    let checkup = doctor::examine(&data).unwrap();
    assert_eq!(checkup.findings[0].columns, ["length of dna"]);
    assert_eq!(checkup.findings[0].severity, Severity::High);
}

#[test]
fn wrong_labels_are_suspected() {
    let clean = generate::half_moons(160, 0.05, 1).unwrap();
    let Some(Target::Classes(classes)) = clean.target() else { panic!() };
    let wrong = [3, 50, 77, 120];
    let codes: Vec<u32> =
        (0..160).map(|i| classes.code(i).unwrap() ^ u32::from(wrong.contains(&i))).collect();
    let noisy = Categories::new(codes, classes.levels().to_vec()).unwrap();
    let data = clean.clone().with_target("class", Target::Classes(noisy)).unwrap();
    let suspects = |data: &Dataset| {
        let settings = Evaluate {
            protocol: Protocol::Folds { folds: 5, repetitions: 3 },
            ..Evaluate::of(data).unwrap()
        };
        let report = settings
            .run(data, &"rbf(gamma=4)".parse().unwrap(), &"svc(C=1)".parse().unwrap(), engine(), None)
            .unwrap();
        let mut found = report.predictions.suspects().map(|f| f.objects).unwrap_or_default();
        found.sort_unstable();
        assert_eq!(report.warnings.iter().any(|w| w.code == "W_LABELS"), !found.is_empty());
        found
    };
    let found = suspects(&data);
    assert!(found.len() >= 3 && found.iter().all(|i| wrong.contains(i)), "{found:?}");
    assert_eq!(suspects(&clean), [0usize; 0]);
    // Numbers: a residual far beyond the others.
    let objects: Vec<usize> = (0..50).collect();
    let truth: Vec<f64> = (0..50).map(|i| f64::from(i) + if i == 9 { 400.0 } else { 0.0 }).collect();
    let predicted: Vec<f64> = (0..50).map(|i| f64::from(i) + 0.1 * f64::from(i % 5) - 0.2).collect();
    let tested = labels::Tested {
        objects: &objects,
        truth: &truth,
        predicted: &predicted,
        confidence: None,
        classes: None,
        ids: None,
    };
    assert_eq!(labels::suspects(&tested).unwrap().objects, [9]);
}

/// Two classes of normal points, `apart` standard deviations from each other, with a share of labels that are wrong.
fn overlapping(seed: u64, apart: f64, wrong: f64) -> Dataset {
    let (mut random, n) = (Random::derived(seed, 41), 240);
    let (mut x, mut y, mut classes) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..n {
        let class = i % 2;
        x.push(apart * class as f64 + random.normal());
        y.push(random.normal());
        let flipped = random.unit() < wrong;
        classes.push(if (class == 1) != flipped { "ill" } else { "well" });
    }
    let classes = Target::Classes(Categories::from_values(classes.into_iter().map(Some)));
    Dataset::new(vec![numbers("x", &x), numbers("y", &y)]).unwrap().with_target("state", classes).unwrap()
}

#[test]
fn overlapping_classes_are_not_wrong_labels() {
    let speaks = |data: &Dataset| {
        let settings = Evaluate { protocol: Protocol::folds(5), ..Evaluate::of(data).unwrap() };
        let (kernel, learner) = ("standardize(rbf(gamma=0.5))".parse().unwrap(), "svc(C=1)".parse().unwrap());
        settings.run(data, &kernel, &learner, engine(), None).unwrap().predictions.suspects().is_some()
    };
    let (mut alarms, mut found) = (Vec::new(), 0);
    for seed in 0..20 {
        // From classes that overlap so much that four fifths are right, to some that hardly do.
        let apart = 1.8 + 0.15 * (seed % 10) as f64;
        if speaks(&overlapping(seed, apart, 0.0)) {
            alarms.push(seed);
        }
        found += usize::from(speaks(&overlapping(seed, 5.0, 0.08)));
    }
    assert!(alarms.len() <= 1, "false alarms: {alarms:?}");
    // Nine tenths: of ten wrong labels in a set, those with little confidence cannot be told from errors.
    assert!(found >= 18, "wrong labels found in {found} of 20 sets");
    // A skewed target has large residuals, without a gap.
    let mut random = Random::derived(3, 9);
    let truth: Vec<f64> = (0..400).map(|_| (1.2 * random.normal()).exp()).collect();
    let objects: Vec<usize> = (0..400).collect();
    let predicted = vec![1.0; 400];
    let tested = labels::Tested {
        objects: &objects,
        truth: &truth,
        predicted: &predicted,
        confidence: None,
        classes: None,
        ids: None,
    };
    assert!(labels::suspects(&tested).is_none());
}

#[test]
fn the_score_follows_the_classes() {
    let x: Vec<f64> = (0..100).map(|i| f64::from(i) / 7.0).collect();
    let of = |rare: usize| {
        let classes =
            Categories::from_values((0..100).map(|i| Some(if i < rare { "rare" } else { "usual" })));
        Dataset::new(vec![numbers("x", &x)]).unwrap().with_target("class", Target::Classes(classes)).unwrap()
    };
    let (even, uneven) = (Evaluate::of(&of(40)).unwrap(), Evaluate::of(&of(10)).unwrap());
    assert_eq!((even.score, even.also[0]), (Score::Accuracy, Score::BalancedAccuracy));
    assert_eq!((uneven.score, uneven.also[0]), (Score::BalancedAccuracy, Score::Accuracy));
    assert!(
        doctor::examine(&of(10)).unwrap().has("W_IMBALANCE")
            && !doctor::examine(&of(40)).unwrap().has("W_IMBALANCE")
    );
    // Only training objects decide.
    let split = of(10).with_test((0..100).map(|i| i >= 20).collect()).unwrap();
    assert_eq!(Score::suiting(&split), Score::Accuracy);
}

fn real(name: &str, target: &str) -> Option<Dataset> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("MERCER_DATA").map_or(default, PathBuf::from).join(name);
    if !path.exists() {
        println!("skipped: {} does not exist; MERCER_DATA names the folder", path.display());
        return None;
    }
    let options = Options { target: Some(target.into()), ..Options::default() };
    Some(read(&path, &options).unwrap_or_else(|e| panic!("{name}: {e}")))
}

#[test]
fn known_faults_of_real_data() {
    let found = |data: &Dataset, code: &str| -> Vec<String> {
        let all = doctor::examine(data).unwrap().findings;
        all.into_iter().filter(|f| f.code == code).flat_map(|f| f.columns).collect()
    };
    if let Some(titanic) = real("wild/titanic/titanic.csv", "survived") {
        assert_eq!(found(&titanic, "W_TARGET_COPY"), ["alive"]);
        // Related to the target, and not leaks.
        assert_eq!(found(&titanic, "W_LEAK"), [""; 0]);
        assert_eq!(found(&titanic, "W_MISSING_LEAK"), [""; 0]);
    }
    if let Some(promoters) = real("strings/promoters/promoters.csv", "class") {
        assert_eq!(found(&promoters, "W_IDENTIFIER"), ["name"]);
    }
    if let Some(iris) = real("tables/iris/iris.csv", "class") {
        assert_eq!(doctor::examine(&iris).unwrap().findings, []);
    }
    // One column predicts nearly as well as a copy with errors would, and is none.
    for name in ["categorical/mushroom/mushroom.csv", "categorical/house_votes_84/house_votes_84.csv"] {
        if let Some(data) = real(name, "class") {
            assert_eq!(found(&data, "W_LEAK"), [""; 0], "{name}");
            assert_eq!(found(&data, "W_TARGET_COPY"), [""; 0], "{name}");
        }
    }
}

/// Data with two classes and columns that are weakly related to them.
fn two_classes(n: usize, random: &mut Random) -> (Vec<u32>, Vec<Column>) {
    let classes: Vec<u32> = (0..n).map(|_| random.below(2) as u32).collect();
    let weak = |random: &mut Random| -> Vec<f64> {
        classes.iter().map(|&c| f64::from(c) + 1.2 * random.normal()).collect()
    };
    let columns = vec![numbers("a", &weak(random)), numbers("b", &weak(random))];
    (classes, columns)
}

#[test]
fn two_columns_that_give_the_target_away_do_not_hide_each_other() {
    let mut random = Random::new(7);
    let (classes, columns) = two_classes(600, &mut random);
    let score: Vec<f64> = classes.iter().map(|&c| f64::from(c) + 0.15 * random.normal()).collect();
    let copy: Vec<f64> =
        classes.iter().map(|&c| f64::from(if random.unit() < 0.02 { 1 - c } else { c })).collect();
    let (score, copy) = (numbers("score", &score), numbers("copy", &copy));
    for leaking in [vec![&score], vec![&copy], vec![&score, &copy]] {
        let all = columns.iter().chain(leaking.iter().copied()).cloned().collect();
        let target = Categories::new(classes.clone(), vec!["no".into(), "yes".into()]).unwrap();
        let data = Dataset::new(all).unwrap().with_target("y", Target::Classes(target)).unwrap();
        let mut found: Vec<String> =
            doctor::examine(&data).unwrap().findings.into_iter().flat_map(|f| f.columns).collect();
        let mut expected: Vec<String> = leaking.iter().map(|c| c.name.clone()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }
}

#[test]
fn dates_are_compared_by_their_spread() {
    let mut random = Random::new(3);
    let days: Vec<f64> = (0..300).map(|_| 1.7e9 + 86400.0 * random.below(700) as f64).collect();
    let v: Vec<f64> = (0..300).map(|_| (1000.0 * random.unit()).round() / 1000.0).collect();
    let data = Dataset::new(vec![Column::new("day", Values::Times(Times::new(days))), numbers("v", &v)]);
    assert!(!doctor::examine(&data.unwrap()).unwrap().has("W_NEAR_TWINS"));
    // With enough numbers, objects that differ in their dates alone are not almost the same, and close ones are.
    let near = |later: f64| {
        let mut random = Random::new(4);
        let mut rows: Vec<[f64; 5]> = (0..200)
            .map(|_| {
                [1.7e9 + 6e7 * random.unit(), random.unit(), random.unit(), random.unit(), random.unit()]
            })
            .collect();
        for i in 0..20 {
            let mut copy = rows[i];
            copy[0] += later;
            rows.push(copy);
        }
        let mut columns =
            vec![Column::new("at", Values::Times(Times::new(rows.iter().map(|r| r[0]).collect())))];
        columns.extend(
            (1..5).map(|j| numbers(&format!("x{j}"), &rows.iter().map(|r| r[j]).collect::<Vec<_>>())),
        );
        doctor::examine(&Dataset::new(columns).unwrap()).unwrap().has("W_NEAR_TWINS")
    };
    assert!(near(60.0) && !near(3e7));
}

#[test]
fn categories_that_the_training_set_lacks_are_named() {
    let sex = |upper: bool| {
        move |i: usize| match (i % 3, upper) {
            (0, false) => "female",
            (_, false) => "male",
            (0, true) => "FEMALE",
            (_, true) => "MALE",
        }
    };
    let of = |values: Vec<&str>| {
        let classes: Vec<u32> = (0..values.len()).map(|i| u32::from(i % 3 == 0)).collect();
        let column =
            Column::new("sex", Values::Categories(Categories::from_values(values.into_iter().map(Some))));
        let target = Categories::new(classes, vec!["no".into(), "yes".into()]).unwrap();
        Dataset::new(vec![column]).unwrap().with_target("survived", Target::Classes(target)).unwrap()
    };
    let training = of((0..60).map(sex(false)).collect());
    let new = of((0..30).map(sex(true)).collect());
    let (kernel, learner) = ("hamming".parse().unwrap(), "svc".parse().unwrap());
    let model = Model::fit(&training, &kernel, &learner, 0, engine()).unwrap();
    let again = Model::from_bytes("m", &model.to_bytes().unwrap(), engine()).unwrap();
    let text = "W_UNSEEN column 'sex': 30 of 30 values were not seen in training ('MALE', 'FEMALE'); known are \
                'female', 'male': check how they are written";
    for model in [model, again] {
        assert_eq!(model.unseen(&training), []);
        assert_eq!(model.unseen(&new)[0].to_string(), text);
    }
    let whole = of((0..60).map(sex(false)).chain((0..30).map(sex(true))).collect());
    let whole = whole.with_test((0..90).map(|i| i >= 60).collect()).unwrap();
    let finding = &doctor::examine(&whole).unwrap().findings[0];
    assert_eq!(
        (finding.code, finding.severity, finding.number("objects")),
        ("W_UNSEEN", Severity::High, Some(30.0))
    );
    // A column of names has others in every set.
    let names: Vec<String> = (0..90).map(|i| format!("name{i}")).collect();
    let named = of(names.iter().map(String::as_str).collect());
    let named = named.with_test((0..90).map(|i| i >= 60).collect()).unwrap();
    assert!(!doctor::examine(&named).unwrap().has("W_UNSEEN"));
}

#[test]
fn a_dense_column_of_vectors_is_examined_by_coordinates() {
    let mut random = Random::new(9);
    let classes: Vec<u32> = (0..120).map(|_| random.below(2) as u32).collect();
    let values = classes
        .iter()
        .flat_map(|&c| [random.normal(), f64::from(c) * 9.0 + random.normal(), random.normal()])
        .collect();
    let x = Dense::new(120, 3, values).unwrap();
    let data = Dataset::new(vec![Column::new("x", Values::Numbers(x))]).unwrap();
    let data = data
        .with_target("y", Target::Classes(Categories::new(classes, vec!["a".into(), "b".into()]).unwrap()))
        .unwrap();
    assert_eq!(doctor::examine(&data).unwrap().findings[0].columns, ["x[2]"]);
}

#[test]
fn distinct_texts_are_identifiers_only_where_they_look_like_some() {
    let mut random = Random::new(12);
    let n = 150;
    let x: Vec<f64> = (0..n).map(|_| random.normal()).collect();
    let classes: Vec<u32> = (0..n).map(|_| random.below(2) as u32).collect();
    let mut drawn = |symbols: &str, length: usize| -> Vec<String> {
        let symbols: Vec<char> = symbols.chars().collect();
        (0..n).map(|_| (0..length).map(|_| symbols[random.below(symbols.len())]).collect()).collect()
    };
    let content = [
        drawn("ACGT", 6),
        drawn("acgt", 9),
        drawn("ACDEFGHIKLMNPQRSTVWY", 9),
        drawn("01", 14),
        drawn("()CNO=", 12),
    ];
    let names = [
        (0..n).map(|i| format!("s{:03}", (i * 37) % 1000)).collect(),
        drawn("0123456789abcdef", 16),
        (0..n).map(|i| format!("a{i}@b.org")).collect::<Vec<_>>(),
    ];
    let found = |texts: &[String], text: bool| {
        let values: Vec<Option<String>> = texts.iter().cloned().map(Some).collect();
        let values = if text { Values::Text(values) } else { Values::Strings(values) };
        let target = Categories::new(classes.clone(), vec!["no".into(), "yes".into()]).unwrap();
        let data = Dataset::new(vec![Column::new("site", values), numbers("x", &x)]).unwrap();
        let data = data.with_target("y", Target::Classes(target)).unwrap();
        let found = doctor::examine(&data).unwrap().findings;
        found.into_iter().find(|f| f.code == "W_IDENTIFIER").map(|f| f.message)
    };
    for texts in &content {
        assert_eq!(found(texts, false), None, "{}", texts[0]);
        assert_eq!(found(texts, true), None, "{}", texts[0]);
    }
    for texts in &names {
        let said = found(texts, false).unwrap_or_else(|| panic!("{}", texts[0]));
        assert!(said.contains("for nearly every object, such as") && said.contains(&texts[0]), "{said}");
        assert!(found(texts, true).is_some(), "{}", texts[0]);
    }
}

#[test]
fn durations_years_and_classes_of_patients_are_what_they_are() {
    let mut random = Random::new(21);
    let n = 240;
    let severity: Vec<f64> = (0..n).map(|_| random.normal()).collect();
    // Survival is shorter for severe cases: no drift, but what is to be predicted.
    let survival: Vec<f64> = severity.iter().map(|s| (300.0 * (-s).exp()).round() + 0.5).collect();
    let codes = |name: &str, table: Vec<Column>| -> bool {
        doctor::examine(&Dataset::new(table).unwrap()).unwrap().has(name)
    };
    let two = |name: &str, x: &[f64]| vec![numbers(name, x), numbers("severity", &severity)];
    assert!(!codes("W_DRIFT", two("survival time", &survival)));
    // The same numbers as years, days, seconds since 1970, and ascending with the rows.
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|&a, &b| severity[a].total_cmp(&severity[b]));
    let mut rank = vec![0.0; n];
    order.iter().enumerate().for_each(|(r, &i)| rank[i] = r as f64);
    let scaled = |low: f64, step: f64| rank.iter().map(|r| low + (r * step).floor()).collect::<Vec<_>>();
    assert!(codes("W_DRIFT", two("year", &scaled(1900.0, 0.5))));
    assert!(codes("W_DRIFT", two("time", &scaled(1.6e9, 86_400.0))));
    let mut ascending = severity.clone();
    ascending.sort_by(f64::total_cmp);
    let clock: Vec<f64> = (0..n).map(|i| i as f64 * 0.25).collect();
    assert!(codes("W_DRIFT", vec![numbers("time", &clock), numbers("severity", &ascending)]));
    // A column of times needs no name.
    let times = Column::new("seen", Values::Times(Times::new(scaled(1.6e9, 86_400.0))));
    assert!(codes("W_DRIFT", vec![times, numbers("severity", &severity)]));

    // Years number the rows of many tables and are no keys; other numbers are.
    let years: Vec<f64> = (0..n).map(|i| 1780.0 + i as f64).collect();
    assert!(!codes("W_IDENTIFIER", two("Year", &years)));
    assert!(codes("W_IDENTIFIER", two("case", &years)));

    // A class of patients is no patient.
    let of = |name: &str| {
        let levels: Vec<String> = (0..12).map(|k| format!("k{k}")).collect();
        let values = (0..n).map(|i| Some(levels[i % 12].as_str()));
        let column = Column::new(name, Values::Categories(Categories::from_values(values)));
        codes("W_GROUP_COLUMN", vec![column, numbers("severity", &severity)])
    };
    for name in ["patient", "patient_id", "PatientID", "individual", "Student No"] {
        assert!(of(name), "{name}");
    }
    for name in ["patient_class", "patient type", "student_score", "customer segment", "ward"] {
        assert!(!of(name), "{name}");
    }

    // One value again and again is a limit of detection; several that are off are a unit.
    let weights: Vec<f64> =
        (0..n).map(|_| (70.0 * (0.2 * random.normal()).exp() * 10.0).round() / 10.0).collect();
    let with = |change: &dyn Fn(f64) -> f64| {
        weights.iter().enumerate().map(|(i, &w)| if i < 6 { change(w) } else { w }).collect::<Vec<_>>()
    };
    assert!(codes("W_UNITS", two("weight", &with(&|w| w / 1000.0))));
    assert!(!codes("W_UNITS", two("weight", &with(&|_| 0.07))));
}
