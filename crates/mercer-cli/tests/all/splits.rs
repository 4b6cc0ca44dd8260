//! Data with a given training and test set, and significance tests on a single split.

use serde_json::Value;

use crate::run::Folder;

/// Pseudorandom numbers between -½ and ½, without a pattern that a kernel could learn.
fn scattered(i: u32, k: u32) -> f64 {
    let mut x = u64::from(i + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (u64::from(k) << 17);
    for _ in 0..2 {
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x ^= x >> 27;
    }
    (x >> 11) as f64 / (1u64 << 53) as f64 - 0.5
}

fn noise(i: u32, k: u32) -> f64 {
    f64::from((i + 1).wrapping_mul(k) >> 8) / f64::from(1u32 << 24) - 0.5
}

const FIRST: u32 = 2_654_435_761;
const SECOND: u32 = 2_246_822_519;

/// Three well-separated classes, with 60 training and 30 test objects. Labels of the test set are those of the training
/// set, or shifted by one class, which reveals methods that learn from test objects.
fn classes(moved: bool) -> String {
    let mut text = String::from("a,b,part,class\n");
    for i in 0..90u32 {
        let test = i % 3 == 2;
        let near = (i / 3) % 3;
        let class = if test && moved { (near + 1) % 3 } else { near };
        let part = if test { "test" } else { "train" };
        let (a, b) =
            (f64::from(near) + 0.2 * noise(i, FIRST), f64::from(near * near) + 0.2 * noise(i, SECOND));
        text += &format!("{a},{b},{part},c{class}\n");
    }
    text
}

fn numbers() -> String {
    let mut text = String::from("a,b,part,y\n");
    for i in 0..90u32 {
        let (a, b) = (noise(i, FIRST), noise(i, SECOND));
        text += &format!("{a},{b},{},{}\n", if i % 3 == 2 { "test" } else { "train" }, 3.0 * a + 0.3 * b);
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("easy.csv", classes(false));
    folder.write("moved.csv", classes(true));
    folder.write("numbers.csv", numbers());
    folder
}

#[test]
fn auto_trains_on_the_training_set_and_scores_the_test_set() {
    let folder = folder();
    let found = folder.ok("auto easy.csv --split-column part --budget 0.000001 --json").json();
    assert_eq!(
        (&found["protocol"], &found["objects"], &found["tested"]),
        (&"10-fold".into(), &60.into(), &30.into())
    );
    let test = &found["test"];
    assert_eq!(
        (&test["objects"], &test["train"], &test["measures"][0]["value"]),
        (&30.into(), &60.into(), &1.0.into())
    );
    assert!((test["measures"][0]["baseline"].as_f64().unwrap() - 1.0 / 3.0).abs() < 1e-12, "{test}");
    assert_eq!(
        (&test["verdict"]["beaten"], &test["verdict"]["test"]["name"]),
        (&true.into(), &"McNemar, exact".into())
    );
    // The same if the protocol is given, in the text and on the page.
    let run =
        folder.ok("auto easy.csv --split-column part --protocol train-test --budget 0.000001 -o b.mercer");
    assert!(!run.out.contains("nothing to learn") && run.out.contains("McNemar, exact"), "{}", run.out);
    assert!(run.out.contains("fitted to all 60 training objects"), "{}", run.out);
    assert!(
        run.out.contains("The 30 objects of the test set had no part in any choice or fit"),
        "{}",
        run.out
    );
    let page = String::from_utf8(folder.read("b.html")).unwrap();
    assert!(!page.contains("nothing to learn"), "the page");
    // The model has not seen the test set: on shifted labels it is always wrong.
    folder.ok("auto moved.csv --split-column part --budget 0.000001 -o moved.mercer");
    let told = folder.ok("predict moved.mercer moved.csv --split-column part --json").json();
    assert_eq!((&told["objects"], &told["score"]["accuracy"]), (&30.into(), &0.0.into()), "{told}");
    let told = folder.ok("fit moved.csv --split-column part -k linear -l svc -o fit.mercer --json").json();
    assert_eq!(
        (&told["objects"], &told["test"]["measures"][0]["value"]),
        (&60.into(), &0.0.into()),
        "{told}"
    );
}

#[test]
fn one_split_is_tested_object_by_object() {
    let folder = folder();
    let verdict = |args: &str| folder.ok(&format!("evaluate {args} --json")).json()["verdict"].clone();
    let test = |verdict: &Value| verdict["test"]["name"].as_str().unwrap_or_default().to_owned();
    for protocol in ["", "--protocol train-test"] {
        let found = verdict(&format!("easy.csv --split-column part -k linear -l svc {protocol}"));
        assert_eq!((&found["beaten"], test(&found)), (&true.into(), "McNemar, exact".into()), "{found}");
    }
    for (score, name) in [
        ("balanced-accuracy", "paired randomisation"),
        ("f1-macro", "paired randomisation"),
        ("auc-macro", "paired bootstrap"),
    ] {
        let found = verdict(&format!("easy.csv --split-column part -k linear -l svc --score {score}"));
        assert_eq!((&found["beaten"], test(&found)), (&true.into(), name.into()), "{found}");
    }
    for score in ["rmse", "mae", "r2"] {
        let args = format!("numbers.csv --target y --split-column part -k linear -l ridge --score {score}");
        let found = verdict(&args);
        assert_eq!(
            (&found["beaten"], test(&found)),
            (&true.into(), "paired randomisation".into()),
            "{found}"
        );
    }
    let found = verdict("easy.csv --ignore part -k linear -l svc --protocol holdout(0.3)");
    assert_eq!((&found["beaten"], test(&found)), (&true.into(), "McNemar, exact".into()), "{found}");
    let run = folder.ok("compare easy.csv --split-column part -m linear|svc -m linear|knn");
    for part in
        ["linear | svc is better than majority (p < 0.001, McNemar", "no significant difference between"]
    {
        assert!(
            run.out.replace("svc is better", "linear | svc is better").contains(part)
                || run.out.contains(part),
            "{part}: {}",
            run.out
        );
    }
    assert!(!run.out.contains("no test"), "{}", run.out);
    let run = folder
        .ok("compare numbers.csv --target y --split-column part -k linear -k rbf(gamma=0.001) -l ridge");
    assert!(run.out.contains("linear is better than mean (p < 0.001, paired randomisation"), "{}", run.out);
}

#[test]
fn leave_one_out_has_an_unbiased_baseline() {
    let folder = Folder::new();
    let mut text = String::from("a,b,class\n");
    (0..40u32).for_each(|i| {
        text += &format!("{},{},{}\n", noise(i, FIRST), noise(i, SECOND), ["x", "y"][i as usize % 2])
    });
    folder.write("noise.csv", text);
    let found =
        folder.ok("evaluate noise.csv -k standardize(linear) -l svc --protocol leave-one-out --json").json();
    let measure = |at: usize| &found["measures"][at]["baseline"]["mean"];
    assert_eq!((measure(0), measure(1), measure(2)), (&0.5.into(), &0.5.into(), &0.5.into()), "{found}");
    assert_ne!(found["verdict"]["beaten"], true, "{}", found["verdict"]);
    // Each group has one class: the training set's majority is then always the other one.
    let mut text = String::from("a,b,person,class\n");
    for i in 0..40u32 {
        let person = i % 8;
        text += &format!(
            "{},{},p{person},{}\n",
            noise(i, FIRST),
            noise(i, SECOND),
            ["x", "y"][person as usize % 2]
        );
    }
    folder.write("people.csv", text);
    let found = folder
        .ok("evaluate people.csv --group person -k standardize(linear) -l svc --protocol leave-one-group-out --json")
        .json();
    assert_eq!(found["measures"][0]["baseline"]["mean"], 0.5, "{found}");
    let found = folder.ok("auto noise.csv --protocol leave-one-out --budget 0.000001 --json").json();
    assert_eq!(found["baseline"]["mean"], 0.5, "{}", found["baseline"]);
    assert_ne!(found["verdict"]["beats_baseline"], true, "{}", found["verdict"]);
}

#[test]
fn folds_that_all_differ_by_the_same_amount_are_tested_too() {
    let folder = Folder::new();
    let mut text = String::from("a,class\n");
    (0..40u32).for_each(|i| text += &format!("{},{}\n", i % 2, ["x", "y"][i as usize % 2]));
    folder.write("sure.csv", text);
    let found = folder.ok("evaluate sure.csv -k linear -l svc --protocol 5-fold --json").json();
    assert_eq!(found["verdict"]["beaten"], true, "{}", found["verdict"]);
    assert_eq!(found["verdict"]["test"]["name"], "McNemar, exact");
    let run = folder.ok("compare sure.csv -k linear -l svc --protocol 5-fold");
    assert!(run.out.contains("linear | svc is better than majority (p < 0.001, McNemar"), "{}", run.out);
    let found = folder.ok("auto sure.csv --protocol 5-fold --budget 0.000001 --json").json();
    assert_eq!(found["verdict"]["beats_baseline"], true, "{}", found["verdict"]);
}

#[test]
fn imbalanced_classes_are_scored_by_other_measures_too() {
    // One in eight objects is of the rare class, in the upper half of a column: enough to rank it, not to predict it.
    let folder = Folder::new();
    let mut text = String::from("a,b,class\n");
    for i in 0..480u32 {
        let rare = i % 8 == 0;
        let a = 4.0 * scattered(i, FIRST);
        let a = if rare { a.abs() } else { a };
        text += &format!("{a},{},{}\n", scattered(i, SECOND), if rare { "rare" } else { "common" });
    }
    folder.write("a.csv", text);
    let found = folder.ok("evaluate a.csv -k standardize(linear) -l ridge(intercept=yes) --json").json();
    let verdict = &found["verdict"];
    assert_eq!((&verdict["beaten"], &verdict["learned"]), (&false.into(), &true.into()), "{verdict}");
    let sentence = verdict["sentence"].as_str().unwrap();
    assert!(
        sentence.contains("by balanced-accuracy") && sentence.contains("By auc it is better"),
        "{sentence}"
    );
    assert!(!sentence.contains("anything was learned"), "{sentence}");
    // auto uses balanced accuracy and class weights by default.
    let found = folder.ok("auto a.csv --budget 0.000001 --json").json();
    assert_eq!(
        (&found["score"], &found["verdict"]["beats_baseline"]),
        (&"balanced-accuracy".into(), &true.into())
    );
    assert!(found["model"]["learner"].as_str().unwrap().contains("weights=balanced"), "{}", found["model"]);
    // By accuracy nothing beats the baseline; the verdict considers other measures.
    let run = folder.ok("auto a.csv --score accuracy --budget 0.000001 -o b.mercer");
    assert!(
        run.out.contains("by accuracy") && run.out.contains("a method beats the baseline"),
        "{}",
        run.out
    );
    assert!(!run.out.contains("There may be nothing to learn"), "{}", run.out);
    assert!(!run.out.contains("expect no more of it"), "{}", run.out);
}

#[test]
fn a_split_takes_effect_or_is_refused() {
    let folder = folder();
    for command in [
        "evaluate easy.csv --split-column part --protocol 5x2 -k linear -l svc",
        "compare easy.csv --split-column part --protocol leave-one-out -k linear -l svc",
        "gram easy.csv --split-column part -k linear --transitions 2",
    ] {
        let run = folder.run(command);
        assert!(run.code == Some(2) && run.err.contains("--split-column"), "{command}: {}", run.err);
    }
    for command in [
        "auto easy.csv --ignore part --protocol train-test",
        "evaluate easy.csv --protocol train-test -k linear@a,b",
    ] {
        assert_eq!(folder.run(command).code, Some(2), "{command}");
    }
    let seen = folder.ok("inspect easy.csv --split-column part --json").json();
    assert_eq!((&seen["split"]["train"], &seen["split"]["test"]), (&60.into(), &30.into()));
    let gram = folder.ok("inspect easy.csv --split-column part -k linear --json").json();
    assert_eq!(gram["certificate"]["n"], 60, "{gram}");
}

#[test]
fn test_objects_that_contradict_training_are_reported() {
    let folder = Folder::new();
    let row = |i: usize, part: &str, flipped: bool| {
        let is_high = i.is_multiple_of(2);
        let x = if is_high { 3.0 } else { -3.0 } + (i as f64 * 0.7).sin();
        format!("{x},{},{part}\n", if is_high != flipped { "a" } else { "b" })
    };
    let training: String = (0..60).map(|i| row(i, "train", false)).collect();
    let test: String = (0..40).map(|i| row(i, "test", true)).collect();
    folder.write("p.csv", format!("x,y,part\n{training}{test}"));
    let run = folder.ok("auto p.csv --target y --split-column part --budget 5");
    assert!(run.out.contains("contradict the training set"), "{}", run.out);
    assert!(!run.out.contains("nothing to learn"), "{}", run.out);
}
