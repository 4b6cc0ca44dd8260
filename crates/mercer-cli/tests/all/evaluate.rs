//! `evaluate` and `compare`: output, resuming, and refused options.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::run::Folder;

const IRIS: &str = include_str!("../../../mercer-read/src/embedded/iris.csv");

/// A folder with the iris flowers, two of their species, and a numeric table with persons as groups.
fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("iris.csv", IRIS);
    let two: String = IRIS.lines().filter(|l| !l.contains("setosa")).map(|l| format!("{l}\n")).collect();
    folder.write("two.csv", two);
    let mut text = "x,z,y,person\n".to_owned();
    for i in 0..60 {
        let (x, z) = ((f64::from(i) * 0.7).sin(), (f64::from(i) * 1.3).cos());
        text +=
            &format!("{x:.4},{z:.4},{:.4},p{}\n", 2.0 * x - z + 0.05 * (f64::from(i) * 2.9).sin(), i / 10);
    }
    folder.write("numbers.csv", text);
    folder
}

const CHOICES: &str = "-k standardize(rbf(gamma=[0.05,0.25,1])) -l svc(C=[0.1,1,10]) --inner 3-fold";

#[test]
fn choices_scores_baseline_and_verdict() {
    let folder = folder();
    let run = folder.ok(&format!("evaluate iris.csv {CHOICES} --protocol 5-fold"));
    let first = "iris.csv: 150 objects; predicting class, 3 classes";
    let second = "standardize(rbf(gamma=[0.05, 0.25, 1])) | svc(C=[0.1, 1, 10]); 5-fold; parameters chosen by accuracy, 3-fold";
    let lines: Vec<&str> = run.out.lines().collect();
    assert_eq!(lines[..3], [first, second, ""]);
    assert!(
        lines[3].starts_with("fold  kernel ")
            && lines[3].ends_with("inner accuracy  accuracy  balanced-accuracy  auc-macro")
    );
    assert_eq!(lines[4..9].iter().filter(|l| l.contains("standardize(rbf(gamma=")).count(), 5);
    assert!(run.out.contains("Better than the majority-class baseline (p < 0.001, corrected resampled t"));
    assert!(run.err.starts_with(
        "plan: 9 configurations (grid) on 15 inner splits (3-fold) of 5 outer ones (5-fold), 140 fits"
    ));
    let json = folder.ok(&format!("evaluate iris.csv {CHOICES} --protocol 5-fold --json")).json();
    assert_eq!((&json["schema"], &json["command"]), (&"mercer/2".into(), &"evaluate".into()));
    assert_eq!((&json["fits"], &json["target"]), (&140.into(), &"class".into()));
    assert_eq!(json["folds"].as_array().unwrap().len(), 5);
    assert!(json["measures"][0]["mean"].as_f64().unwrap() > 0.9);
    assert_eq!(json["verdict"]["beaten"], true);
    // One configuration: nothing to choose, no inner score.
    let json =
        folder.ok("evaluate two.csv -k linear -l svc --protocol 5x2 --scores f1,matthews --json").json();
    assert_eq!((&json["fits"], &json["inner_protocol"]), (&10.into(), &Value::Null));
    assert_eq!(json["measures"][2]["score"], "matthews");
    assert_eq!(json["verdict"]["test"]["name"], "combined 5×2cv F");
    // A search with a budget.
    let json = folder
        .ok(&format!("evaluate two.csv {CHOICES} --protocol 3-fold --max-configurations 4 --json"))
        .json();
    assert_eq!(
        (&json["configurations"], &json["configurations_tried"], &json["search"]),
        (&9.into(), &4.into(), &"random(4)".into())
    );
    let json = folder
        .ok(&format!("evaluate two.csv {CHOICES} --protocol holdout(0.3) --search halving --json"))
        .json();
    assert_eq!((&json["search"], &json["pooled"]), (&"halving".into(), &true.into()));
}

#[test]
fn numbers_and_groups() {
    let folder = folder();
    let run = folder.ok(
        "evaluate numbers.csv --target y --group person -k standardize(linear)@x,z -l ridge(lambda=[0.01,1])",
    );
    assert!(
        run.out.contains("predicting y, a number") && run.out.contains("; group-6-fold; "),
        "{}",
        run.out
    );
    assert!(run.out.contains("Better than the mean baseline (p "), "{}", run.out);
    let options = "--target y --group person -k linear@x,z -l ridge --protocol";
    let run = folder.ok(&format!("evaluate numbers.csv {options} leave-one-group-out --json"));
    assert_eq!(run.json()["folds"][5]["test"], 10);
    let run = folder.ok(&format!("evaluate numbers.csv {options} 5-fold"));
    assert!(run.err.contains("W_GROUPS the data has groups"), "{}", run.err);
    // Without a kernel or a learner, defaults are used.
    folder.ok("evaluate numbers.csv --target y --ignore person --protocol 3-fold");
}

#[test]
fn transductive_results_are_marked() {
    let folder = folder();
    let kernel = "-k walk(standardize(rbf(gamma=1)),p=2,through=all) -l svc --protocol 3-fold";
    let run = folder.ok(&format!("evaluate two.csv {kernel}"));
    assert!(
        run.out.matches("; transductive").count() == 2 && run.err.contains("W_TRANSDUCTIVE"),
        "{}",
        run.out
    );
    assert_eq!(folder.ok(&format!("evaluate two.csv {kernel} --json")).json()["transductive"], true);
    let run = folder.ok(&format!("compare two.csv {kernel} -k linear"));
    assert!(run.out.contains("through=all) (transductive)"), "{}", run.out);
}

#[test]
fn fits_that_do_not_converge_are_counted() {
    let folder = folder();
    let run = folder
        .ok("evaluate two.csv -k standardize(rbf(gamma=1)) -l svc(C=1000,iterations=1) --protocol 3-fold");
    assert!(run.err.contains("W_NOT_CONVERGED 3 of 3 fits"), "{}", run.err);
}

/// A run that takes a while: many kernels on many splits.
fn long(folder: &Folder) -> &'static str {
    let mut text = "a,b,c,class\n".to_owned();
    for i in 0..400 {
        let v = |k: f64| (f64::from(i) * k).sin() + (f64::from(i) * k * k).cos();
        let class = if v(0.7) * v(1.1) + 0.5 * v(2.3) > 0.0 { "p" } else { "n" };
        text += &format!("{:.5},{:.5},{:.5},{class}\n", v(0.7), v(1.1), v(1.9));
    }
    folder.write("long.csv", text);
    "evaluate long.csv -k standardize(rbf(gamma=2^-4..2^3)) -l svc(C=2^-3..2^8) --protocol 2x5-fold --inner 3-fold --seed 5"
}

#[cfg(unix)]
#[test]
fn killed_and_resumed_gives_the_same_bytes() {
    let folder = folder();
    let work = long(&folder);
    let whole = folder.ok(&format!("{work} --json --threads 4")).out;
    assert!(folder.ok(&format!("{work} --json --threads 1")).out == whole, "threads change the result");
    let text = folder.ok(work).out;
    let noted = |folder: &Folder| std::fs::read(folder.path("j")).map_or(0, |b| b.len());
    let mut seen = 100;
    for _ in 0..2 {
        let mut command = folder.command(&format!("{work} --json --journal j --threads 1"));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let start = Instant::now();
        while noted(&folder) <= seen {
            assert!(child.try_wait().unwrap().is_none(), "finished before it could be killed");
            assert!(start.elapsed() < Duration::from_secs(60), "nothing is noted");
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        assert_eq!(child.wait().unwrap().code(), None);
        seen = noted(&folder);
    }
    // With another number of threads to the end, and once more with everything in the journal.
    for _ in 0..2 {
        assert!(folder.ok(&format!("{work} --json --journal j --threads 3")).out == whole);
    }
    assert!(folder.ok(&format!("{work} --journal j")).out == text);
    folder
        .refused(&format!("{work}0 --journal j -q"), "long.csv E_USAGE j is not the journal of this search");
}

#[test]
fn comparisons() {
    let folder = folder();
    let methods =
        "-k standardize(linear) -k standardize(rbf(gamma=[0.1,1])) -l svc --protocol 5x2 --inner 2-fold";
    let run = folder.ok(&format!("compare two.csv iris.csv {methods}"));
    assert!(run.out.lines().any(|line| line.starts_with("majority ")), "{}", run.out);
    assert!(run.out.contains("mean rank") && run.out.contains("Nemenyi critical difference"), "{}", run.out);
    assert!(run.out.contains("; standardize(linear) wins 2, ties 0, loses 0"), "{}", run.out);
    let run = folder.ok(&format!("compare two.csv {methods} --as markdown"));
    assert!(run.out.starts_with("|") && run.out.contains("combined 5×2cv F"), "{}", run.out);
    assert!(folder.ok(&format!("compare two.csv {methods} --as latex")).out.starts_with("\\begin{tabular}"));
    let json = folder.ok(&format!("compare two.csv {methods} --json"));
    assert_eq!(json.json()["command"], "compare");
    assert_eq!(json.json()["methods"].as_array().unwrap().len(), 3);
    assert_eq!(folder.ok(&format!("compare two.csv {methods} --as json --threads 3")).out, json.out);
    // The folder of journals does not change results.
    for _ in 0..2 {
        assert_eq!(folder.ok(&format!("compare two.csv {methods} --json --resume-dir notes")).out, json.out);
    }
    let mut pair = folder.command("compare numbers.csv --target y --ignore person --protocol 3-fold -m");
    let out = pair.arg("linear | ridge").args(["-m", "rbf(gamma=1) | knn(k=3)"]).output().unwrap();
    let out = String::from_utf8(out.stdout).unwrap();
    assert!(
        out.contains("linear | ridge") && out.contains("mean") && out.contains("smaller is better"),
        "{out}"
    );
}

#[test]
fn bad_options() {
    let folder = folder();
    for (args, expected) in [
        ("evaluate iris.csv -k linear --protocol 10-fould", "E_PARAM protocol = '10-fould': must be one of"),
        ("evaluate iris.csv -k linear --inner 1-fold", "E_PARAM folds = 1"),
        ("evaluate iris.csv -k linear --score acuracy", "E_PARAM score = 'acuracy'"),
        (
            "evaluate iris.csv -k linear -l svc --score rmse",
            "E_PARAM score = rmse: must be a measure of classes",
        ),
        ("evaluate iris.csv -k linear --scores f1-macro,brier -q", "E_PARAM score = brier"),
        (
            "evaluate iris.csv -k linear -l svc --score auc",
            "iris.csv E_USAGE auc is for two classes and there are 3: use auc-macro",
        ),
        ("evaluate iris.csv -k linear --search best", "E_PARAM search = 'best': must be grid, random(N)"),
        ("evaluate iris.csv -k linear --max-configurations 0", "E_PARAM --max-configurations = 0"),
        (
            "evaluate iris.csv -k linear --protocol 60-fold -l svc -q",
            "iris.csv E_CLASSES class 'setosa' has 50 members",
        ),
        (
            "evaluate iris.csv -k linear -l svc --protocol leave-one-group-out",
            "iris.csv E_USAGE this protocol splits by groups",
        ),
        (
            "evaluate iris.csv -k linear -l svr",
            "iris.csv E_USAGE svr needs numbers, but the target holds classes",
        ),
        ("evaluate iris.csv -k linear -l one-class", "iris.csv E_USAGE one-class learns without a target"),
        ("evaluate iris.csv -k linear -l kmeans", "iris.csv E_USAGE kmeans learns without a target"),
        ("evaluate iris.csv --no-target -k linear", "iris.csv E_TARGET no target column to predict"),
        ("evaluate iris.csv -k linear@size -l svc", "iris.csv E_COLUMN"),
        ("evaluate iris.csv -k lineer -l svc", "kernel:1:1 E_EXPRESSION"),
        ("evaluate none.csv -k linear -l svc", "none.csv E_IO"),
        ("compare iris.csv", "E_USAGE nothing to compare"),
        ("compare iris.csv -k linear -k linear -l svc", "E_USAGE the method 'linear | svc' is there twice"),
        ("compare iris.csv -m linear", "E_PARAM method = 'linear': must be KERNEL | LEARNER"),
        ("compare iris.csv -k linear -l svc --alpha 2", "E_PARAM alpha = 2"),
        ("compare iris.csv iris.csv -k linear -l svc", "E_USAGE the data set 'iris.csv' is there twice"),
    ] {
        folder.refused(args, expected);
    }
    assert_eq!(folder.run("evaluate iris.csv -k linear -l svc(C=[1,2]) --journal none/j").code, Some(1));
}
