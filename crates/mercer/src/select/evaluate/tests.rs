//! Compares reports with values computed by hand.

use super::*;
use crate::data::{Categories, Column, Dense, Values, generate};
use crate::random::Random;
use crate::select::compare::{ComparisonSettings, five_by_two_f};
use crate::select::score::wilson;

fn parsed(kernel: &str, learner: &str) -> (Expression, Learner) {
    (kernel.parse().unwrap(), learner.parse().unwrap())
}

fn run(settings: &Evaluate, data: &Dataset, kernel: &str, learner: &str) -> EvaluationReport {
    let (kernel, learner) = parsed(kernel, learner);
    settings.run(data, &kernel, &learner, &Engine::new(), None).unwrap()
}

fn by(data: &Dataset, protocol: &str) -> Evaluate {
    Evaluate { protocol: protocol.parse().unwrap(), inner: Protocol::folds(3), ..Evaluate::of(data).unwrap() }
}

/// Noise with unrelated classes; every `every`-th object has the second class.
fn noise(n: usize, every: usize) -> Dataset {
    let mut random = Random::new(1);
    let x = Dense::new(n, 3, (0..3 * n).map(|_| random.normal()).collect()).unwrap();
    let names: Vec<&str> = (0..n).map(|i| if i % every == 0 { "b" } else { "a" }).collect();
    let target = Target::Classes(Categories::from_values(names.into_iter().map(Some)));
    Dataset::new(vec![Column::new("x", Values::Numbers(x))]).unwrap().with_target("y", target).unwrap()
}

fn line(n: usize) -> Dataset {
    let mut random = Random::new(2);
    let x: Vec<f64> = (0..n).map(|_| random.normal()).collect();
    let y = x.iter().map(|x| 3.0 * x + 1.0 + 0.1 * random.normal()).collect();
    let x = Values::Numbers(Dense::new(n, 1, x).unwrap());
    Dataset::new(vec![Column::new("x", x)]).unwrap().with_target("y", Target::Numbers(y)).unwrap()
}

fn codes(report: &EvaluationReport) -> Vec<&str> {
    report.warnings.iter().map(|w| w.code).collect()
}

#[test]
fn summaries_and_test_of_five_by_two() {
    let data = generate::half_moons(100, 0.2, 1).unwrap();
    let settings = by(&data, "5x2");
    let report = run(&settings, &data, "rbf(gamma=[0.1, 1])", "svc(C=[1, 10])");
    assert_eq!(report.folds.len(), 10);
    assert_eq!(report.plan.fits, 4 * 10 * 3 + 10);
    let own: Vec<f64> = report.folds.iter().map(|f| f.scores[0].unwrap()).collect();
    let baseline: Vec<f64> = report.folds.iter().map(|f| f.baseline[0].unwrap()).collect();
    let mean = own.iter().sum::<f64>() / 10.0;
    let sd = (own.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 9.0).sqrt();
    let summary = &report.measures[0];
    assert!((summary.mean.unwrap() - mean).abs() < 1e-12 && (summary.sd.unwrap() - sd).abs() < 1e-12);
    // t of 9 degrees at 97.5 %: 2.262157; test and training sets have the same size.
    let half = 2.262157162740992 * ((0.1 + 1.0) * sd * sd).sqrt();
    let interval = summary.interval.unwrap();
    assert!((interval.low - (mean - half)).abs() < 1e-9);
    assert!((interval.high - (mean + half).min(1.0)).abs() < 1e-9);
    let test = report.verdict.test.as_ref().unwrap();
    assert_eq!(*test, five_by_two_f(&own, &baseline).unwrap());
    assert_eq!(report.verdict.beaten, Some(true));
    assert!(report.verdict.sentence.starts_with("Better than the majority-class baseline (p "));
    assert_eq!(
        report.measures.iter().map(|m| m.score.name()).collect::<Vec<_>>(),
        ["accuracy", "balanced-accuracy", "auc"]
    );
    // The baseline ranks nothing.
    assert_eq!(report.measures[2].baseline_mean, Some(0.5));
}

#[test]
fn a_result_no_better_than_the_baseline_is_reported() {
    let data = noise(120, 3);
    let report = run(&by(&data, "5-fold"), &data, "rbf(gamma=1)", "svc");
    assert_eq!(report.verdict.beaten, Some(false));
    assert!(
        report.verdict.sentence.contains("than the majority-class baseline (p"),
        "{}",
        report.verdict.sentence
    );
    assert!(codes(&report).contains(&"W_BASELINE"));
    assert!((report.measures[0].baseline_mean.unwrap() - 2.0 / 3.0).abs() < 1e-12);
    assert!(report.folds.iter().all(|f| f.inner.is_none()));
    assert_eq!((report.plan.inner_splits, report.plan.fits), (0, 5));
}

#[test]
fn objects_are_pooled_for_single_splits_and_leave_one_out() {
    let data = generate::half_moons(60, 0.2, 3).unwrap();
    for (protocol, splits, tested) in [("holdout(0.5)", 1, 30), ("leave-one-out", 60, 60)] {
        let report = run(&by(&data, protocol), &data, "rbf(gamma=1)", "svc");
        assert!(report.pooled && report.folds.len() == splits);
        let right: f64 = report.folds.iter().map(|f| f.scores[0].unwrap() * f.test as f64).sum();
        let summary = &report.measures[0];
        assert!((summary.mean.unwrap() - right / f64::from(tested)).abs() < 1e-12);
        let wilson = wilson(right.round() as u64, tested as u64, 0.95).unwrap().value();
        assert_eq!(summary.interval, wilson);
        assert_eq!(report.verdict.test.as_ref().unwrap().name, "McNemar, exact");
        // The area is defined over all objects although not for single ones.
        assert!(report.measures[2].mean.unwrap() > 0.8 && report.measures[2].interval.is_some());
    }
    let data = line(30);
    let report = run(&by(&data, "leave-one-out"), &data, "linear", "ridge(intercept=yes)");
    assert_eq!(report.verdict.beaten, Some(true));
    assert!(report.measures[0].mean.unwrap() < 0.3 * report.measures[0].baseline_mean.unwrap());
}

#[test]
fn numbers() {
    let data = line(60);
    let report =
        run(&by(&data, "5-fold"), &data, "linear", "ridge(lambda=[0.01, 0.1, 1, 100], intercept=yes)");
    assert_eq!(report.baseline, "mean");
    assert_eq!(report.measures.iter().map(|m| m.score.name()).collect::<Vec<_>>(), ["rmse", "mae", "r2"]);
    assert!(report.measures[0].mean.unwrap() < 0.2 && report.measures[2].mean.unwrap() > 0.95);
    // A constant explains nothing; the mean of another set explains a little less.
    assert!(report.measures[2].baseline_mean.unwrap() <= 0.0);
    assert_eq!(report.verdict.beaten, Some(true));
    assert!(report.classes.is_empty());
    // Less noise than the range allows for: the smallest lambda is the best.
    assert!(codes(&report).contains(&"W_EDGE"), "{:?}", report.warnings);
}

#[test]
fn alerts() {
    let data = noise(120, 10);
    let report = run(&by(&data, "3-fold"), &data, "standardize(rbf(gamma=1))", "svc(C=1000, iterations=1)");
    assert!(codes(&report).contains(&"W_NOT_CONVERGED") && codes(&report).contains(&"W_IMBALANCE"));
    assert_eq!(report.unconverged, 3);
    assert!(
        report
            .warnings
            .iter()
            .any(|w| w.message.starts_with("class 'a' has 108 members (90 % of all), class 'b' has 12"))
    );
    let report = run(&by(&data, "3-fold"), &data, "walk(rbf(gamma=0.1), p=2, through=all)", "svc");
    assert!(report.transductive && codes(&report).contains(&"W_TRANSDUCTIVE"));
    assert_eq!(serde_json::json!(report)["transductive"], true);
    // A nu that the class sizes do not allow has no score.
    let report = run(&by(&data, "3-fold"), &data, "rbf(gamma=1)", "nu-svc(nu=[0.1, 0.9])");
    assert!(codes(&report).contains(&"W_UNFITTED"));
    assert!(report.folds.iter().all(|f| f.learner == "nu-svc(nu=0.1)"));
    // Where no configuration can be fitted, the error gives the reason.
    let (kernel, learner) = parsed("rbf(gamma=1)", "nu-svc(nu=[0.8, 0.9])");
    let error =
        by(&data, "3-fold").run(&data, &kernel, &learner, &Engine::new(), None).unwrap_err().to_string();
    assert!(error.contains("nu"), "{error}");
}

#[test]
fn groups() {
    let person: Vec<String> = (0..60).map(|i| format!("p{}", i / 10)).collect();
    let data = generate::half_moons(60, 0.2, 3).unwrap();
    let groups = Categories::from_values(person.iter().map(|p| Some(p.as_str())));
    let data = data.with_groups("person", groups).unwrap();
    let settings = Evaluate::of(&data).unwrap();
    assert_eq!(settings.protocol.to_string(), "group-6-fold");
    let report = run(&by(&data, "leave-one-group-out"), &data, "rbf(gamma=[0.1, 1])", "svc");
    assert_eq!(report.folds.iter().map(|f| f.test).collect::<Vec<_>>(), [10; 6]);
    assert!(!codes(&report).contains(&"W_GROUPS"));
    let report = run(&by(&data, "5-fold"), &data, "rbf(gamma=1)", "svc");
    assert!(codes(&report).contains(&"W_GROUPS"));
}

#[test]
fn searches_with_a_budget() {
    let data = generate::half_moons(120, 0.2, 1).unwrap();
    let settings = Evaluate { strategy: "random(5)".parse().unwrap(), ..by(&data, "3-fold") };
    let report = run(&settings, &data, "rbf(gamma=2^-6..2^3)", "svc(C=2^-2..2^6)");
    assert_eq!((report.plan.configurations, report.plan.tried, report.plan.fits), (90, 5, 5 * 9 + 3));
    let one = Evaluate { strategy: "random(1)".parse().unwrap(), ..settings };
    let report = run(&one, &data, "rbf(gamma=2^-6..2^3)", "svc(C=2^-2..2^6)");
    assert_eq!((report.plan.tried, report.plan.fits), (1, 3));
    let whole: std::collections::BTreeSet<&str> = report.folds.iter().map(|f| f.kernel.as_str()).collect();
    assert_eq!(whole.len(), 1);
}

#[test]
fn contests() {
    let methods: Vec<Method> = ["rbf(gamma=1) | svc", "linear | svc", "walk(linear, p=2, through=all) | svc"]
        .map(|m| m.parse().unwrap())
        .into();
    let sets =
        [generate::half_moons(60, 0.2, 1).unwrap(), generate::rings(60, 0.1, 2).unwrap(), noise(60, 2)];
    let settings = Evaluate { also: Vec::new(), ..by(&sets[0], "5x2") };
    let mut contest = MethodComparison::new(settings, &methods, &["moons", "rings", "noise"]).unwrap();
    let engine = Engine::new();
    for (at, data) in sets.iter().enumerate() {
        contest.fits(data, &engine).unwrap();
        contest.add(at, data, &engine, None).unwrap();
    }
    let walk = "walk(linear, through=all) (transductive)";
    let names = ["rbf", "linear", walk, "majority"];
    assert_eq!(contest.table.methods(), names);
    // The same numbers as an evaluation alone.
    let alone = run(&by(&sets[1], "5x2"), &sets[1], "linear", "svc");
    assert_eq!(contest.table.scores(1, 1), alone.folds.iter().map(|f| f.scores[0]).collect::<Vec<_>>());
    assert_eq!(contest.table.mean(3, 2), Some(0.5));
    let tests = contest.table.test(&ComparisonSettings::default()).unwrap();
    assert_eq!(tests.pairs.len(), 6);
    assert!(tests.friedman.is_some());
    assert_eq!(contest.report(&tests).evaluations.len(), 9);
    assert!(contest.warnings().iter().any(|w| w.code == "W_TRANSDUCTIVE"));
    assert!(contest.add(0, &sets[0], &engine, Some(Path::new("/nonexistent/folder"))).is_err());
    assert!(MethodComparison::new(by(&sets[0], "5x2"), &[], &["moons"]).is_err());
    let twice = [methods[0].clone(), methods[0].clone()];
    assert!(MethodComparison::new(by(&sets[0], "5x2"), &twice, &["moons"]).is_err());
    assert!("rbf(gamma=1)".parse::<Method>().is_err());
    let both: Vec<Method> = ["linear | svc", "linear | knn"].map(|m| m.parse().unwrap()).into();
    assert_eq!(Method::names(&both), ["svc", "knn"]);
}

#[test]
fn invalid_requests_are_rejected() {
    let data = noise(30, 3);
    let engine = Engine::new();
    let plan = |settings: Evaluate, kernel: &str| {
        let (kernel, learner) = parsed(kernel, "svc(C=[1, 2])");
        settings.plan(&data, &kernel, &learner, &engine).unwrap_err().to_string()
    };
    let base = Evaluate::of(&data).unwrap();
    assert!(
        plan(Evaluate { protocol: Protocol::folds(20), ..base.clone() }, "linear")
            .contains("too few for 20 folds")
    );
    assert!(
        plan(Evaluate { protocol: Protocol::LeaveOneGroupOut, ..base.clone() }, "linear").contains("groups")
    );
    assert!(
        plan(Evaluate { score: Score::Mae, ..base.clone() }, "linear")
            .contains("must be a measure of classes")
    );
    assert!(plan(Evaluate { also: vec![Score::Brier], ..base.clone() }, "linear").contains("probabilities"));
    assert!(plan(Evaluate { level: 1.5, ..base.clone() }, "linear").contains("level"));
    assert!(plan(base.clone(), "rbf(gamma=1)@nothing").contains("nothing"));
    let (kernel, learner) = parsed("linear", "svc");
    let small = engine.with_memory(1000);
    assert!(base.run(&data, &kernel, &learner, &small, None).is_err());
    let none = Dataset::of_vectors(Dense::zeros(3, 1));
    assert!(Evaluate::of(&none).is_err());
}
