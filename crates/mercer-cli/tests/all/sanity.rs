//! What the program says where a result is not what it seems: values it never saw, rows left out, scales that do not
//! suit, columns that give the target away.

use crate::run::Folder;

/// Passengers of whom most women survive; the sexes as they are written here.
fn passengers(n: u32, male: &str, female: &str) -> String {
    let mut text = String::from("age,sex,survived\n");
    for i in 0..n {
        let woman = i % 3 == 0;
        let survived = woman != (i % 11 == 0);
        let (sex, survived) = (if woman { female } else { male }, if survived { "yes" } else { "no" });
        text += &format!("{},{sex},{survived}\n", 20 + i * 37 % 41);
    }
    text
}

#[test]
fn categories_that_were_never_seen_are_named() {
    let folder = Folder::new();
    folder.write("tr.csv", passengers(90, "male", "female"));
    folder.write("te.csv", passengers(30, "MALE", "FEMALE"));
    let said = "column 'sex': 30 of 30 values were not seen in training ('MALE', 'FEMALE'); known are";
    folder.ok("fit tr.csv --target survived -o m.mercer");
    let run = folder.ok("predict m.mercer te.csv -o p.json");
    assert!(run.err.contains("W_UNSEEN") && run.err.contains(said), "{}", run.err);
    let document: serde_json::Value = serde_json::from_slice(&folder.read("p.json")).unwrap();
    assert!(document["warnings"].to_string().contains("W_UNSEEN"), "{document}");
    assert!(!folder.ok("predict m.mercer tr.csv").err.contains("W_UNSEEN"));
    let run = folder.ok("evaluate tr.csv --test te.csv --target survived");
    assert!(run.err.contains("30 of 30 values of the test set are not in the training set"), "{}", run.err);
}

#[test]
fn predictions_name_the_rows_that_are_left() {
    let folder = Folder::new();
    let smiles = ["CCO", "CCC", "CCN", "c1ccccc1", "CC(C)O", "CCCC", "CCOC", "c1ccccc1O"];
    let table = |broken: Option<usize>| {
        let mut text = String::from("smiles,y\n");
        for i in 0..24 {
            let molecule = if broken == Some(i) { "C1CC(" } else { smiles[i % 8] };
            text += &format!("{molecule},{}\n", i % 8);
        }
        text
    };
    folder.write("mol.csv", table(Some(5)));
    folder.write("new.csv", table(Some(3)));
    folder.ok("fit mol.csv --target y --skip-invalid -k ecfp -l ridge -o m.mercer");
    let out = folder.ok("predict m.mercer new.csv").out;
    let rows: Vec<&str> = out.lines().map(|line| line.split(',').next().unwrap_or_default()).collect();
    assert_eq!(rows[..5], ["row", "1", "2", "3", "5"], "{out}");
    assert_eq!(rows.len(), 24, "{out}");
    // Nothing was left out: predictions are in the order of the file.
    folder.write("whole.csv", table(None));
    assert!(folder.ok("predict m.mercer whole.csv").out.starts_with("prediction\n"));

    folder.write("gaps.csv", "a,b,y\n1,2,1.5\n2,3,\n3,4,3.5\n4,5,\n5,6,5.5\n6,7,6.5\n");
    folder
        .ok("fit gaps.csv --target y -k linear -l ridge(intercept=yes) -o g.mercer --predict-missing mm.csv");
    let text = String::from_utf8(folder.read("mm.csv")).unwrap();
    let rows: Vec<&str> = text.lines().map(|line| line.split(',').next().unwrap_or_default()).collect();
    assert_eq!(rows, ["row", "2", "4"], "{text}");
    folder.write("holes.csv", "a,b\n1,2\n2,\n3,4\n");
    let out = folder.ok("predict g.mercer holes.csv --missing drop").out;
    assert!(out.starts_with("row,prediction\n1,") && out.contains("\n3,"), "{out}");
}

#[test]
fn the_default_regression_suits_the_scale_of_the_target() {
    let folder = Folder::new();
    let mut text = String::from("a,b,price\n");
    for i in 0..200u32 {
        let (a, b) = (f64::from(i * 37 % 101) / 100.0, f64::from(i * 53 % 97) / 97.0);
        text += &format!("{a},{b},{}\n", 20000.0 * a + 5000.0 * b * b + f64::from(i % 7) * 100.0);
    }
    folder.write("d.csv", &text);
    let run = folder.ok("evaluate d.csv --target price");
    assert!(run.err.contains("no learner given: svr(C=6000, epsilon=600)"), "{}", run.err);
    let measures = folder.ok("evaluate d.csv --target price --json").json()["measures"].clone();
    let r2 = measures.as_array().unwrap().iter().find(|m| m["score"] == "r2").unwrap()["mean"].as_f64();
    assert!(r2 > Some(0.9), "{measures}");
    let run = folder.ok("fit d.csv --target price -k rbf(gamma=1) -l svr -o m.mercer");
    assert!(run.err.contains("W_SCALE C=1 and epsilon=0.1 do not suit a target"), "{}", run.err);
    let run = folder.ok("fit d.csv --target price -k rbf(gamma=1) -o m.mercer");
    assert!(!run.err.contains("W_SCALE"), "{}", run.err);
}

#[test]
fn verdicts_name_columns_that_give_the_target_away() {
    let folder = Folder::new();
    let mut text = passengers(90, "male", "female").replace("survived\n", "survived,alive\n");
    text = text.replace(",yes\n", ",yes,alive\n").replace(",no\n", ",no,dead\n");
    folder.write("t.csv", text);
    let said = "The score may be due to column 'alive', which gives the target away (W_TARGET_COPY)";
    let run = folder.ok("evaluate t.csv --target survived");
    assert!(run.out.contains(said), "{}", run.out);
    let run = folder.ok("evaluate t.csv --target survived --json");
    assert!(run.json()["verdict"]["sentence"].as_str().unwrap().contains(said));
    // A kernel that does not use the column is not concerned.
    let run = folder.ok("evaluate t.csv --target survived -k linear@age");
    assert!(!run.out.contains("may be due to"), "{}", run.out);
    let run = folder.ok("auto t.csv --target survived --budget 5 --no-report --json");
    assert!(run.json()["verdict"]["text"].as_str().unwrap().starts_with(said));
}

#[test]
fn a_missing_folder_is_found_before_the_fit() {
    let folder = Folder::new();
    folder.write("t.csv", passengers(30, "male", "female"));
    let run = folder.run("fit t.csv --target survived -o nowhere/m.mercer");
    assert!(run.code != Some(0) && run.err.starts_with("nowhere/m.mercer E_IO_WRITE"), "{}", run.err);
    assert!(
        run.err.contains("there is no folder nowhere") && !run.err.contains("no kernel given"),
        "{}",
        run.err
    );
}

#[test]
fn columns_that_could_be_predicted_are_named() {
    let folder = Folder::new();
    folder.write("t.csv", passengers(60, "male", "female").replace("survived", "fate"));
    let run = folder.run("auto t.csv --no-report");
    assert!(run.err.contains("name the column to predict, such as --target "), "{}", run.err);
}
