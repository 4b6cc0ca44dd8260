//! Faults of data, as the commands report them; what `inspect` shows of data.

use crate::run::{Folder, Run};

/// Sixty patients: a number for each row, a copy of the target under another name, and a column with gaps.
fn patients() -> String {
    let mut text = String::from("case,age,weight,ward,state,outcome\n");
    for i in 0..60u32 {
        let ill = i * 7 % 5 < 2;
        let (age, weight) = (20 + i * 37 % 61, 50.0 + f64::from(i * 53 % 47) / 2.0);
        let ward = ["north", "south", "east"][i as usize * 11 % 3];
        let weight = if i % 13 == 0 { String::new() } else { weight.to_string() };
        let (state, outcome) = if ill { ("red", "ill") } else { ("green", "well") };
        text += &format!("{},{age},{weight},{ward},{state},{outcome}\n", i + 1);
    }
    text
}

fn folder() -> Folder {
    let folder = Folder::new();
    folder.write("p.csv", patients());
    folder
}

#[test]
fn inspect_shows_faults_first_and_then_the_data() {
    let folder = folder();
    let out = folder.ok("inspect p.csv --target outcome").out;
    let places: Vec<usize> = [
        "W_TARGET_COPY",
        "W_IDENTIFIER",
        "ward",
        "target outcome: 2 classes",
        "object 1: outcome=ill, case=1",
    ]
    .iter()
    .map(|word| out.find(word).unwrap_or_else(|| panic!("{word}: {out}")))
    .collect();
    assert!(places.is_sorted(), "{out}");
    assert!(out.contains("--ignore state") && out.contains("20 … 80, median"), "{out}");
    let clean = folder.ok("inspect p.csv --target outcome --ignore case,state");
    assert!(!clean.out.contains("W_") && clean.err.is_empty(), "{}{}", clean.out, clean.err);
}

#[test]
fn inspect_gives_everything_as_json() {
    let told = folder().ok("inspect p.csv --target outcome --json").json();
    assert!(told["schema"].is_string() && told["objects_examined"] == 60, "{told}");
    let copy = &told["findings"][0];
    assert_eq!(
        (&copy["code"], &copy["severity"], &copy["columns"][0]),
        (&"W_TARGET_COPY".into(), &"high".into(), &"state".into())
    );
    assert!(copy["advice"].as_str().unwrap().contains("--ignore state"), "{told}");
    let age = &told["columns"][1];
    assert_eq!((&age["range"]["min"], &age["range"]["max"]), (&20.0.into(), &80.0.into()), "{told}");
    let bins = age["range"]["histogram"].as_array().unwrap();
    assert_eq!(bins.iter().map(|n| n.as_u64().unwrap()).sum::<u64>(), 60);
    assert_eq!(
        (&told["columns"][2]["missing"], &told["columns"][3]["levels"][0][1]),
        (&5.into(), &20.into()),
        "{told}"
    );
    assert_eq!(told["first"].as_array().unwrap().len(), 3);
}

#[test]
fn a_target_is_suggested() {
    let out = folder().ok("inspect p.csv").out;
    assert!(out.contains("such as --target outcome (2 classes)"), "{out}");
    let out = folder().ok("inspect p.csv --no-target").out;
    assert!(out.contains("no target") && !out.contains("--target"), "{out}");
}

#[test]
fn wide_tables_are_summarised() {
    let folder = Folder::new();
    let names: Vec<String> = (0..3000).map(|j| format!("g{j}")).collect();
    let row = |i: usize| {
        (0..3000).map(|j| (i * 31 + j * 17) % 101).map(|v| v.to_string()).collect::<Vec<_>>().join(",")
    };
    let rows: Vec<String> =
        (0..12).map(|i| format!("{},{}", row(i), if i % 2 == 0 { "a" } else { "b" })).collect();
    folder.write("w.csv", format!("{},class\n{}\n", names.join(","), rows.join("\n")));
    let out = folder.ok("inspect w.csv").out;
    assert!(out.contains("3000 columns") && out.lines().count() < 20, "{out}");
    assert_eq!(folder.ok("inspect w.csv --json").json()["columns"].as_array().unwrap().len(), 3000);
}

#[test]
fn fit_evaluate_and_auto_report_the_same_faults() {
    let folder = folder();
    let told = "W_TARGET_COPY column 'state' repeats the target 'outcome'";
    for command in [
        "fit p.csv --target outcome -o m.mercer",
        "evaluate p.csv --target outcome -k column-sum(delta)@ward -l svc --protocol 3-fold",
        "auto p.csv --target outcome --budget 0.001 --no-report -o a.mercer",
    ] {
        let run = folder.run(command);
        assert!(run.err.contains(told) && run.err.contains("--ignore state"), "{command}: {}", run.err);
    }
    let document = folder
        .ok("evaluate p.csv --target outcome -k column-sum(delta)@ward -l svc --protocol 3-fold --json")
        .json();
    let warnings = document["warnings"].as_array().unwrap();
    assert!(warnings.iter().any(|w| w.as_str().unwrap().starts_with(told)), "{document}");
}

#[test]
fn the_default_score_follows_the_classes() {
    let folder = Folder::new();
    let rows: String = (0..80u32)
        .map(|i| format!("{},{},{}\n", i * 37 % 61, i * 53 % 47, if i % 8 == 0 { "rare" } else { "usual" }))
        .collect();
    folder.write("r.csv", format!("a,b,class\n{rows}"));
    let run = folder.ok("evaluate r.csv -k standardize(rbf(gamma=1)) -l svc --protocol 4-fold --json").json();
    assert_eq!(
        (&run["score"], &run["measures"][0]["score"]),
        (&"balanced-accuracy".into(), &"balanced-accuracy".into())
    );
    let told = |run: &serde_json::Value| run["warnings"].to_string().contains("W_IMBALANCE");
    assert!(told(&run));
    // Nothing is said to those who chose such a score themselves.
    let run = folder
        .ok("evaluate r.csv -k standardize(rbf(gamma=1)) -l svc --protocol 4-fold --score auc --json")
        .json();
    assert!(!told(&run));
}

#[test]
fn an_unknown_time_column_is_refused() {
    folder().refused("inspect p.csv --time when", "p.csv E_COLUMN");
}

#[test]
fn numbers_may_stand_for_missing_values() {
    let folder = Folder::new();
    let rows = |mark: &str| -> String {
        let value = |i: usize| match i % 20 {
            0 => mark.to_owned(),
            _ => format!("{:.1}", 15.0 + (i % 7) as f64 * 0.3),
        };
        (0..80).map(|i| format!("{},{}\n", value(i), ["a", "b"][i % 2])).collect()
    };
    folder.write("a.csv", format!("temp,class\n{}", rows("-999")));
    let told = folder.ok("inspect a.csv").out;
    for said in
        ["W_SENTINEL", "column 'temp': 4 values are -999, all others are between 15 and 16.8", "--na -999"]
    {
        assert!(told.contains(said), "{told}");
    }
    // Numbers are compared as numbers, however they are written.
    folder.write("b.csv", format!("temp,class\n{}", rows("-999.00")));
    for args in ["a.csv --na -999", "a.csv --na=-999.0", "b.csv --na unknown,-999", "b.csv --na -9.99e2"] {
        let run = folder.ok(&format!("inspect {args} --json"));
        assert!(!run.out.contains("W_SENTINEL"), "{args}: {}", run.out);
        let run = folder.ok(&format!("fit {args} --missing drop -k linear -l svc -o m.mercer"));
        assert!(run.err.contains("W_DROPPED 4 of 80 objects left out"), "{args}: {}", run.err);
    }
    // The model remembers the mark.
    folder.write("new.csv", "temp\n-999\n15.3\n");
    assert!(folder.ok("predict m.mercer new.csv").out.starts_with("row,prediction\n2,"));
}

/// Warnings, errors and hints are one line each in pipes and files, whatever the width of the terminal.
#[test]
fn messages_stay_whole_in_pipes() {
    let folder = Folder::new();
    folder.write("a.csv", patients());
    folder.write("dates.csv", "day,b\n13/02/2024,1\n02/13/2024,2\n");
    for (args, begins) in [
        ("fit a.csv --target outcome -k linear@age -l svc -o m.mercer -q", "W_"),
        ("inspect dates.csv", "dates.csv:3:1 E_DATE "),
        ("inspect dates.csv", "  hint: "),
    ] {
        let mut command = folder.command(args);
        command.env("COLUMNS", "40");
        let run = Run::of(&mut command);
        let lines: Vec<&str> = run.err.lines().filter(|line| line.starts_with(begins)).collect();
        assert!(lines.iter().any(|line| line.chars().count() > 60), "{args}: {}", run.err);
        // No line continues another one.
        let continued = |line: &&str| line.starts_with("  ") && !line.starts_with("  hint: ");
        let warned = run.err.lines().skip_while(|line| !line.starts_with(begins));
        assert_eq!(warned.filter(continued).count(), 0, "{args}: {}", run.err);
    }
}
