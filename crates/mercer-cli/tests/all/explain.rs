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
