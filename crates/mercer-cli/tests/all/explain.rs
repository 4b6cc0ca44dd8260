//! Explanations by columns: of single predictions, and of a model as a whole.

use serde_json::Value;

use crate::run::Folder;

fn numbers(values: &Value) -> Vec<f64> {
    values.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

/// The contributions of an object add up to its value.
fn adds_up(why: &Value) {
    let parts: f64 = why["features"].as_array().unwrap().iter().map(|p| p["amount"].as_f64().unwrap()).sum();
    let whole = parts + why["rest"].as_f64().unwrap() + why["offset"].as_f64().unwrap();
    assert!((whole - why["value"].as_f64().unwrap()).abs() < 1e-9, "{why}");
}

#[test]
fn models_of_every_kind_are_explained_by_columns() {
    let folder = Folder::new();
    for (kernel, learner, how) in [
        ("standardize(rbf(gamma=0.25))", "svc", "exact, by the form of the kernel"),
        ("rbf@petal_length,petal_width*linear@sepal_width", "svc", "exact, by the form of the kernel"),
        ("cosine", "svc", "exact, by the model on every set of columns"),
        ("rbf(gamma=0.25)", "knn(k=5)", "exact, by the model on every set of columns"),
    ] {
        folder.ok(&format!("fit iris -k {kernel} -l {learner} -o m.mercer -q"));
        let told =
            folder.ok("predict m.mercer iris --explain --explain-by columns --background iris --json").json();
        assert_eq!(told["explained_by"], "columns");
        let note = told["explained_note"].as_str().unwrap();
        assert!(note.contains(how) && note.contains("20 of 150 objects of the data"), "{note}");
        let all = told["explanations"].as_array().unwrap();
        assert_eq!(all.len(), 150);
        all.iter().for_each(adds_up);
        let values = told["decisions"]["values"].as_array();
        assert!(values.is_none() || !all.is_empty());
    }
    // Named features come first, columns where there are none.
    folder.ok("fit iris -k linear -l svc -o linear.mercer -q");
    let told = folder.ok("predict linear.mercer iris --explain --json").json();
    assert_eq!(told["explained_by"], "features");
    let told = folder.ok("predict m.mercer iris --explain").out;
    assert!(told.contains("mean of the background") && told.contains("petal_length = "), "{told}");
}

#[test]
fn a_model_is_explained_on_data() {
    let folder = Folder::new();
    folder.ok("fit iris -k standardize(rbf(gamma=0.25)) -l svc -o m.mercer -q");
    let told = folder.ok("explain m.mercer iris --json").json();
    let columns = told["columns"].as_array().unwrap();
    assert_eq!((columns.len(), told["exact"].as_bool()), (4, Some(true)));
    assert!(told["gap"].as_f64().unwrap() < 1e-9);
    let shares: f64 = columns.iter().map(|c| c["share"].as_f64().unwrap()).sum();
    assert!((shares - 1.0).abs() < 1e-9);
    assert!(columns.iter().all(|c| c["permutation"]["low"].as_f64() <= c["permutation"]["high"].as_f64()));
    assert_eq!(told["correlated"][0]["first"], "petal_length");
    assert_eq!(told["effects"].as_array().unwrap().len(), 12);
    assert_eq!(told["examples"]["classes"].as_array().unwrap().len(), 3);
    // The values of the first output add up to it.
    let values = &told["attributions"]["values"][0];
    let base = told["attributions"]["base"][0].as_f64().unwrap();
    for (row, output) in
        values.as_array().unwrap().iter().zip(told["attributions"]["predicted"].as_array().unwrap())
    {
        let sum: f64 = numbers(row).iter().sum();
        assert!((base + sum - output[0].as_f64().unwrap()).abs() < 1e-9);
    }
    let text = folder.ok("explain m.mercer iris").out;
    for part in ["petal_length", "errors when shuffled", "accuracy 0.9", "prototypes", "partial dependence"] {
        assert!(text.contains(part), "{part}: {text}");
    }
    folder.ok("explain m.mercer iris --report why.html");
    let page = String::from_utf8(folder.read("why.html")).unwrap();
    assert!(page.contains("columnsSection") && page.contains("petal_length"));
}

#[test]
fn a_model_without_skill_is_headed_so() {
    let folder = Folder::new();
    // The class has nothing to do with x.
    let rows: String =
        (0..40).map(|i| format!("{},{}\n", (i * 7) % 11, if i % 2 == 0 { "a" } else { "b" })).collect();
    folder.write("noise.csv", format!("x,class\n{rows}"));
    let flipped: String =
        (0..40).map(|i| format!("{},{}\n", (i * 7) % 11, if i % 2 == 1 { "a" } else { "b" })).collect();
    folder.write("other.csv", format!("x,class\n{flipped}"));
    folder.ok("fit noise.csv -k rbf(gamma=10) -l svc(C=100) -o m.mercer -q");
    let told = folder.ok("explain m.mercer other.csv");
    assert!(told.err.contains("no better than its baseline"), "{} {}", told.out, told.err);
}

/// Series whose second class has a bump in the third quarter.
fn bumps() -> String {
    let mut random = 7u32;
    let mut noise = || {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(random >> 16) / 65536.0 * 0.2
    };
    let line = |i: usize| {
        let value = |t: usize| if i % 2 == 1 && (16..24).contains(&t) { 2.0 } else { 0.0 };
        let values: Vec<String> = (0..32).map(|t| format!("{:.3}", value(t) + noise())).collect();
        format!("{}:{}\n", values.join(","), if i % 2 == 1 { "bump" } else { "flat" })
    };
    let mut out =
        "@problemName bumps\n@timeStamps false\n@univariate true\n@equalLength true\n@seriesLength 32\n\
                   @classLabel true bump flat\n@data\n"
            .to_owned();
    let mut line = line;
    (0..16).for_each(|i| out.push_str(&line(i)));
    out
}

#[test]
fn stretches_of_series_are_hidden() {
    let folder = Folder::new();
    folder.write("bumps.ts", bumps());
    for (kernel, learner) in [("rbf-of(dtw,gamma=0.5)", "svc"), ("dtw", "knn(k=3)")] {
        folder.ok(&format!("fit bumps.ts -k {kernel} -l {learner} -o m.mercer -q"));
        let told = folder.ok("predict m.mercer bumps.ts --explain 12 --explain-by parts --json").json();
        assert_eq!(told["explained_by"], "parts");
        let note = told["explained_note"].as_str().unwrap();
        assert!(note.contains("occlusion") && note.contains("straight line"), "{note}");
        for (i, why) in told["explanations"].as_array().unwrap().iter().enumerate() {
            adds_up(why);
            if i % 2 == 1 {
                // Of 12 stretches, those that hold steps 16 to 23.
                let first = why["features"][0]["nodes"][0][0].as_u64().unwrap();
                assert!((13..24).contains(&first), "{why}");
            }
            let steps = numbers(&why["structures"][0]["nodes"]);
            let amounts: f64 =
                why["features"].as_array().unwrap().iter().map(|p| p["amount"].as_f64().unwrap()).sum();
            assert!(steps.len() == 32 && (steps.iter().sum::<f64>() - amounts).abs() < 1e-9);
            assert!(why["structures"][0]["svg"].as_str().unwrap().contains("<path"));
        }
        let told = folder.ok("predict m.mercer bumps.ts --explain --explain-by parts");
        assert!(told.out.contains("every part hidden") && told.out.contains("time steps:"), "{}", told.out);
        assert!(told.err.contains("occlusion"), "{}", told.err);
    }
    folder.ok("predict m.mercer bumps.ts --explain-by parts --explain-svg why");
    assert!(String::from_utf8(folder.read("why/2.svg")).unwrap().contains("positive"));
    let told = folder.ok("explain m.mercer bumps.ts --json").json();
    let one = &told["explained"][0];
    assert!(
        one["by_parts"]["parts"].as_array().is_some() && one["by_objects"]["evidence"].is_object(),
        "{one}"
    );
    // Columns of numbers have no parts.
    folder.ok("fit iris -k rbf(gamma=0.25) -l svc -o m.mercer -q");
    let refused = folder.run("predict m.mercer iris --explain-by parts");
    assert!(refused.err.contains("have parts that can be hidden"), "{}", refused.err);
}

#[test]
fn training_objects_speak_for_and_against() {
    let folder = Folder::new();
    for learner in ["svc", "knn(k=5)", "knn(k=5,weights=distance)", "ridge(lambda=0.1)"] {
        let target = if learner.starts_with("ridge") { " --target petal_width" } else { "" };
        folder.ok(&format!("fit iris -k rbf(gamma=0.25) -l {learner} -o m.mercer -q{target}"));
        let told = folder.ok("predict m.mercer iris --explain 3 --explain-by objects --json").json();
        for (i, why) in told["explanations"].as_array().unwrap().iter().enumerate() {
            adds_up(why);
            let evidence = &why["evidence"];
            let shares =
                evidence["share_for"].as_f64().unwrap() + evidence["share_against"].as_f64().unwrap();
            assert!((shares - 1.0).abs() < 1e-9, "{learner}: {evidence}");
            let other = &evidence["other_class"];
            assert_eq!(other.is_null(), learner.starts_with("ridge"), "{other}");
            if !other.is_null() {
                assert_ne!(other["class"], why["class"]);
                assert!(other["distance"].as_f64().unwrap() > 0.0);
                assert!(!other["differs"].as_array().unwrap().is_empty(), "{i}: {other}");
            }
        }
    }
    folder.ok("fit iris -k rbf(gamma=0.25) -l svc -o m.mercer -q");
    let told = folder.ok("predict m.mercer iris --explain 3 --explain-by objects").out;
    assert!(told.contains("for it: ") && told.contains("nearest object of another class: "), "{told}");
    // The background of prototypes is stated.
    let told = folder.ok("explain m.mercer iris --background-by prototypes").out;
    assert!(told.contains("prototypes in the similarity of the kernel"), "{told}");
}
