//! Test sets, objects without a target, and the order of time: nothing is fitted to what is kept for testing.

use serde_json::Value;

use crate::run::Folder;

/// Pseudorandom numbers between 0 and 1.
fn noise(i: usize, k: u64) -> f64 {
    let mut x = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ (k << 17);
    for _ in 0..2 {
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x ^= x >> 27;
    }
    (x >> 11) as f64 / (1u64 << 53) as f64
}

/// What the test rows of a table hold.
#[derive(Clone, Copy, PartialEq)]
enum Test {
    /// The truth.
    True,
    /// The truth, but every class is the other one.
    Reversed,
    /// Other values, other categories, another class.
    Other,
}

/// Rows `a,b,colour,class` of 60 training and 40 test objects: nineteen in twenty can be predicted from `a`.
fn rows(test: Test) -> Vec<(bool, String)> {
    let row = |i: usize| {
        let tested = i % 5 > 2;
        let high = noise(i, 1) > 0.5;
        let class = high != (noise(i, 2) > 0.95);
        let a = if high { 1.0 } else { -1.0 } + 0.5 * noise(i, 3);
        let (b, colour) = (noise(i, 4), ["red", "blue"][i % 2]);
        let name = |class: bool| if class { "up" } else { "down" };
        let line = match (tested, test) {
            (false, _) | (true, Test::True) => format!("{a},{b},{colour},{}", name(class)),
            (true, Test::Reversed) => format!("{a},{b},{colour},{}", name(!class)),
            (true, Test::Other) if i.is_multiple_of(4) => format!("{},{},violet,sideways", 1e5 * a, 1e6 * b),
            (true, Test::Other) => format!("{},{},green,{}", -1e3 * a, 7.0 * b, name(i.is_multiple_of(3))),
        };
        (tested, line)
    };
    (0..100).map(row).collect()
}

/// One table with a column `part`; the first row is one of the test set, so that its values come first in the file.
fn one_file(test: Test) -> String {
    let mut all = rows(test);
    all.sort_by_key(|(tested, _)| !tested);
    let line =
        |(tested, line): &(bool, String)| format!("{line},{}\n", if *tested { "test" } else { "train" });
    "a,b,colour,class,part\n".to_owned() + &all.iter().map(line).collect::<String>()
}

/// The rows of one set as a table of its own.
fn set(test: Test, tested: bool) -> String {
    let lines = rows(test).into_iter().filter(|row| row.0 == tested).map(|row| row.1 + "\n");
    "a,b,colour,class\n".to_owned() + &lines.collect::<String>()
}

fn folder() -> Folder {
    let folder = Folder::new();
    for (name, test) in [("true", Test::True), ("poison", Test::Reversed), ("other", Test::Other)] {
        folder.write(&format!("{name}.csv"), one_file(test));
        folder.write(&format!("{name}-test.csv"), set(test, true));
    }
    folder.write("train.csv", set(Test::True, false));
    folder
}

/// The two ways of giving a test set, for one of the tables.
fn ways(name: &str) -> [String; 2] {
    [format!("{name}.csv --split-column part"), format!("train.csv --test {name}-test.csv")]
}

/// A kernel that learns from the training set in several ways.
const KERNEL: &str = "-k impute(standardize(rbf(gamma=scale)))@a,b+delta@colour";

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("not a number: {value}"))
}

#[test]
fn reversed_test_labels_are_reported_as_they_are() {
    let folder = folder();
    for (way, budget) in ways("poison").into_iter().zip(["none --protocol 2-fold", "0.000001"]) {
        let auto =
            folder.ok(&format!("auto {way} --budget {budget} --no-report --force -o a.mercer --json")).json();
        assert!(number(&auto["test"]["measures"][0]["value"]) < 0.2, "{way}: {}", auto["test"]);
        assert!(number(&auto["tried"][0]["mean"]) > 0.8, "{way}: scores inside the training set: {auto}");
        let verdict = auto["test"]["verdict"]["sentence"].as_str().unwrap();
        assert!(verdict.contains("WORSE than the majority-class baseline"), "{verdict}");
        let fit = folder.ok(&format!("fit {way} -k linear@a -l svc -o f.mercer --json")).json();
        assert!(number(&fit["test"]["measures"][0]["value"]) < 0.2, "{way}: {}", fit["test"]);
        let evaluated = folder.ok(&format!("evaluate {way} -k linear@a -l svc(C=[0.1,1]) --json")).json();
        assert!(number(&evaluated["measures"][0]["mean"]) < 0.2, "{way}: {evaluated}");
        assert_eq!(evaluated["protocol"], "train-test");
        let compared = folder.ok(&format!("compare {way} -m linear@a|svc -m rbf(gamma=1)@a|knn"));
        assert!(compared.out.contains("McNemar"), "{way}: {}", compared.out);
        assert!(!compared.out.contains("is better than majority"), "{way}: {}", compared.out);
    }
}

/// The members of an `auto` document that may depend on nothing but the training set.
fn chosen(document: &Value) -> Value {
    let mut out = document.clone();
    let fields = out.as_object_mut().unwrap();
    for name in ["seconds", "data", "test", "warnings"] {
        fields.remove(name);
    }
    fields["model"].as_object_mut().unwrap().remove("output");
    for trial in fields["tried"].as_array_mut().unwrap() {
        trial.as_object_mut().unwrap().remove("seconds");
    }
    out
}

#[test]
fn nothing_depends_on_the_test_set() {
    let folder = folder();
    for at in 0..2 {
        let mut fitted = Vec::new();
        let mut searched = Vec::new();
        let mut evaluated = Vec::new();
        for name in ["true", "poison", "other"] {
            let way = &ways(name)[at];
            folder.ok(&format!("fit {way} {KERNEL} -l svc -o f.mercer"));
            folder.ok(&format!("fit {way} -o g.mercer"));
            fitted.push((folder.read("f.mercer"), folder.read("g.mercer")));
            let found =
                folder.ok(&format!("auto {way} --budget 0.000001 --no-report --force -o a.mercer --json"));
            searched.push((folder.read("a.mercer"), chosen(&found.json())));
            let args = format!(
                "evaluate {way} -k impute(standardize(rbf(gamma=[0.01,0.1,1,10])))@a,b -l svc(C=[0.1,1,10])"
            );
            let folds = folder.ok(&format!("{args} --json")).json()["folds"][0].clone();
            evaluated.push((folds["kernel"].clone(), folds["learner"].clone(), folds["inner_score"].clone()));
        }
        for i in 1..3 {
            assert!(fitted[0] == fitted[i], "way {at}, table {i}: the model of fit depends on the test set");
            assert!(
                searched[0].0 == searched[i].0,
                "way {at}, table {i}: the model of auto depends on the test set"
            );
            assert_eq!(searched[0].1, searched[i].1, "way {at}, table {i}");
            assert_eq!(evaluated[0], evaluated[i], "way {at}, table {i}");
        }
    }
}

#[test]
fn one_file_and_two_files_give_the_same_model() {
    let folder = folder();
    let models = ways("true").map(|way| {
        folder.ok(&format!("fit {way} {KERNEL} -l svc -o f.mercer"));
        folder.read("f.mercer")
    });
    assert!(models[0] == models[1]);
    let scores = ways("true").map(|way| {
        folder.ok(&format!("evaluate {way} -k linear@a -l svc --json")).json()["measures"].clone()
    });
    assert_eq!(scores[0], scores[1]);
}

#[test]
fn matrices_and_coordinates_learn_from_the_training_set() {
    let folder = folder();
    let table = |command: &str| {
        folder.ok(command);
        let text = String::from_utf8(folder.read("m.csv")).unwrap();
        text.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    // Test rows come first: the rows of training objects are the last 60.
    let kernel = "-k standardize(rbf(gamma=scale))@a,b";
    let grams = ["true", "poison"].map(|name| {
        let lines = table(&format!("gram {name}.csv --split-column part {kernel} -o m.csv"));
        assert_eq!(lines.len(), 100);
        lines
    });
    assert_eq!(grams[0], grams[1], "labels have no part in it");
    // Without missing values: other numbers in the test rows.
    let shifted: String = one_file(Test::True)
        .lines()
        .map(|line| match line.strip_suffix(",test") {
            Some(row) => format!("9{},test\n", row.trim_start_matches('-')),
            None => format!("{line}\n"),
        })
        .collect();
    folder.write("shifted.csv", shifted);
    let corner = |lines: &[String]| -> Vec<String> {
        lines[lines.len() - 60..]
            .iter()
            .map(|line| line.split(',').skip(40).collect::<Vec<_>>().join(","))
            .collect()
    };
    let other = table(&format!("gram shifted.csv --split-column part {kernel} -o m.csv"));
    assert_eq!(corner(&grams[0]), corner(&other));
    let maps = ["true", "shifted"].map(|name| {
        table(&format!("map {name}.csv --split-column part {kernel} --kind mercer --rank 3 -o m.csv"))
    });
    assert_eq!((maps[0].len(), &maps[0][41..]), (101, &maps[1][41..]));
    let whole = table(&format!("map true.csv --ignore part {kernel} --kind mercer --rank 3 -o m.csv"));
    assert_ne!(whole[41..], maps[0][41..], "without a split all objects are used");
}

#[test]
fn refit_all_uses_the_test_set_after_scoring_it() {
    let folder = folder();
    for way in ways("poison") {
        let scored = folder.ok(&format!("fit {way} -k linear@a -l svc -o f.mercer --json")).json();
        let refitted =
            folder.ok(&format!("fit {way} -k linear@a -l svc -o g.mercer --refit all --json")).json();
        assert_eq!(scored["test"], refitted["test"], "{way}");
        assert_eq!((&scored["objects"], &refitted["objects"]), (&60.into(), &100.into()), "{way}");
        assert_ne!(folder.read("f.mercer"), folder.read("g.mercer"));
        let run =
            folder.ok(&format!("auto {way} --budget 0.000001 --no-report --force -o a.mercer --refit all"));
        assert!(run.out.contains("fitted again to all 100 objects"), "{}", run.out);
        assert_eq!(folder.ok("inspect a.mercer --json").json()["objects"], 100);
    }
    let run = folder.run("fit train.csv -k linear@a -l svc -o f.mercer --refit all");
    assert!(run.code == Some(2) && run.err.contains("needs a test set"), "{}", run.err);
}

#[test]
fn a_test_file_may_hold_molecules_dates_and_strings() {
    let folder = folder();
    let smiles = [
        "CCO",
        "CCN",
        "CCCC",
        "CCCO",
        "c1ccccc1",
        "c1ccccc1O",
        "CC(=O)O",
        "CCCCCC",
        "CCOCC",
        "CC(C)O",
        "c1ccncc1",
        "CCCN",
        "CC#N",
        "CCCl",
        "CCBr",
        "OCCO",
    ];
    let rows = |from: usize, to: usize| {
        let row = |i: usize| {
            format!("{},2024-0{}-1{},ACGT{},{}\n", smiles[i], i % 9 + 1, i % 7, "AC".repeat(i % 3 + 1), i % 5)
        };
        format!("smiles,day,sequence,y\n{}", (from..to).map(row).collect::<String>())
    };
    folder.write("known.csv", rows(0, 12));
    folder.write("new.csv", rows(12, 16));
    for kernel in ["tanimoto(ecfp)@smiles", "time@day", "spectrum(k=3)@sequence"] {
        let command =
            format!("known.csv --target y --test new.csv --type sequence=strings -k {kernel} -l ridge");
        let fitted = folder.ok(&format!("fit {command} -o f.mercer --json")).json();
        assert_eq!(fitted["objects"], 12, "{kernel}");
        let score = folder.ok(&format!("evaluate {command} --json")).json();
        assert_eq!((&score["protocol"], &score["objects"]), (&"train-test".into(), &16.into()), "{kernel}");
    }
}

#[test]
fn columns_of_a_test_file_are_checked() {
    let folder = folder();
    let commands = [
        "fit train.csv -o f.mercer",
        "evaluate train.csv",
        "compare train.csv -k linear@a",
        "auto train.csv --budget 0.000001 --no-report --force -o a.mercer",
    ];
    folder.write("short.csv", "b,colour,class\n1,red,up\n2,red,down\n");
    folder.write("moved.csv", "class,extra,colour,b,a\nup,7,pink,0.5,1.2\ndown,8,red,0.5,-1.2\n");
    folder.write("plain.csv", "a,b,colour\n1,0.5,red\n-1,0.5,blue\n");
    for command in commands {
        let run = folder.run(&format!("{command} --test short.csv"));
        assert_eq!(run.code, Some(2), "{command}");
        assert!(run.err.contains("short.csv E_COLUMN no column 'a'"), "{command}: {}", run.err);
        assert!(run.err.contains("--ignore a"), "{command}: {}", run.err);
        let run = folder.ok(&format!("{command} --test moved.csv"));
        assert!(run.err.contains("not used: extra"), "{command}: {}", run.err);
        let run = folder.run(&format!("{command} --test none.csv"));
        assert!(run.code == Some(2) && run.err.contains("none.csv"), "{command}: {}", run.err);
        let run =
            folder.run(&format!("{} --split-column part --test moved.csv", command.replace("train", "true")));
        assert!(run.code == Some(2) && run.err.contains("use only one of them"), "{command}: {}", run.err);
    }
    for command in &commands[1..3] {
        let run = folder.run(&format!("{command} --test plain.csv"));
        assert_eq!(run.code, Some(2), "{command}");
        assert!(run.err.contains("plain.csv E_TARGET no target column 'class'"), "{command}: {}", run.err);
    }
    for (command, file) in [(commands[0], "f.predictions.csv"), (commands[3], "a.predictions.csv")] {
        let run = folder.ok(&format!("{command} --test plain.csv"));
        assert!(run.out.contains(&format!("{file}: predictions for 2 objects")), "{command}: {}", run.out);
        assert_eq!(folder.read(file), b"prediction\nup\ndown\n", "{command}");
    }
    let run = folder.run("compare train.csv true.csv -k linear@a --test moved.csv");
    assert!(run.code == Some(2) && run.err.contains("1 test sets for 2 data files"), "{}", run.err);
    let run = folder.run("evaluate train.csv --test moved.csv --protocol 5-fold -k linear@a");
    assert!(run.code == Some(2) && run.err.contains("would ignore the test set"), "{}", run.err);
}

#[test]
fn predictions_for_the_test_set_are_written_in_its_order() {
    let folder = folder();
    folder.write("some.csv", "id,a,b,colour,class\nx,1.2,0.5,red,up\ny,-1.2,0.5,red,\nz,1.2,0.5,blue,up\n");
    let run =
        folder.ok("fit train.csv -k linear@a -l svc --test some.csv --predictions p.csv -o f.mercer --json");
    assert_eq!(run.json()["test"]["objects"], 2, "one object has no target");
    assert_eq!(folder.read("p.csv"), b"prediction\nup\ndown\nup\n");
}

#[test]
fn objects_without_a_target_are_set_aside_and_predicted() {
    let folder = Folder::new();
    folder.write(
        "a.csv",
        "n,x,class\np,1,up\nq,-1,down\nr,1.1,\ns,-1.1,down\nt,0.9,up\nu,-2,NA\nv,2,up\nw,-3,down\n",
    );
    let command = "fit a.csv --id n -k linear -l svc -o a.mercer";
    let run = folder.ok(&format!("{command} --predict-missing p.csv"));
    assert!(
        run.err.contains("W_UNLABELLED 2 of 8 rows have no value in target 'class' (lines 4, 7)"),
        "{}",
        run.err
    );
    assert!(run.err.contains("2 objects set aside"), "{}", run.err);
    assert!(run.out.contains("p.csv: predictions for 2 objects without a target"), "{}", run.out);
    assert_eq!(folder.read("p.csv"), b"n,prediction\nr,up\nu,down\n");
    folder.write("b.csv", "n,x,class\np,1,up\nq,-1,down\ns,-1.1,down\nt,0.9,up\nv,2,up\nw,-3,down\n");
    folder.ok("fit b.csv --id n -k linear -l svc -o b.mercer");
    let told = |model: &str| folder.ok(&format!("predict {model} a.csv --decisions"));
    assert_eq!(told("a.mercer").out, told("b.mercer").out);
    // Predictions keep every row; those without a target are not scored.
    let run = told("a.mercer");
    assert_eq!(run.out.lines().count(), 9);
    assert!(run.err.contains("accuracy 1.0000 (6 of 6)"), "{}", run.err);
    for command in [
        "evaluate a.csv --id n -k linear -l svc --protocol 2-fold",
        "compare a.csv --id n -k linear --protocol 2-fold",
        "inspect a.csv",
    ] {
        let run = folder.ok(command);
        assert!(run.err.contains("W_UNLABELLED"), "{command}: {}", run.err);
    }
    folder.write("y.csv", "x,y\n1,1.5\n2,2.5\n3,\n4,4.25\n5,5.125\n");
    folder.ok("fit y.csv -k linear -l ridge(lambda=1e-6,intercept=yes) -o y.mercer --predict-missing q.csv");
    let text = String::from_utf8(folder.read("q.csv")).unwrap();
    let predicted: f64 = text.lines().nth(1).unwrap().strip_prefix("3,").unwrap().parse().unwrap();
    assert!((predicted - 3.3).abs() < 0.5, "{text}");
    let run = folder.run("fit b.csv --id n -k linear -l svc -o b.mercer --predict-missing p.csv");
    assert!(run.code == Some(2) && run.err.contains("every object has a target"), "{}", run.err);
    folder.write("none.csv", "x,class\n1,\n2,\n");
    for command in ["fit none.csv -o n.mercer", "evaluate none.csv", "auto none.csv"] {
        let run = folder.run(command);
        assert_eq!(run.code, Some(2), "{command}");
        assert!(run.err.contains("none.csv E_TARGET no object has a value in target 'class'"), "{}", run.err);
    }
    let run = folder.run(&format!("{command} --missing refuse"));
    assert!(run.code == Some(2) && run.err.contains("a.csv:4:7 E_LABEL"), "{}", run.err);
}

#[test]
fn dropping_looks_at_the_columns_in_use() {
    let folder = Folder::new();
    folder.write("a.csv", "x,note,class\n1,,up\n-1,5,down\n,6,up\n-1.1,,down\n0.9,7,up\n-2,,down\n");
    let objects = |kernel: &str| {
        let run = folder.ok(&format!("fit a.csv --missing drop -k {kernel} -l svc -o a.mercer"));
        (folder.ok("inspect a.mercer --json").json()["objects"].clone(), run.err)
    };
    let (count, text) = objects("linear@x");
    assert_eq!(count, 5);
    assert!(text.contains("W_DROPPED 1 of 6 objects left out"), "{text}");
    assert_eq!(objects("linear").0, 2);
    assert_eq!(objects("linear@note").0, 3);
    let document =
        folder.ok("evaluate a.csv --missing drop -k linear@x -l ridge --protocol 2-fold --json").json();
    assert_eq!(document["objects"], 5);
}

#[test]
fn splits_in_the_order_of_time() {
    let folder = Folder::new();
    // The class is reversed after a while: the past cannot tell the future, and shuffled folds hide it.
    let row = |i: usize| {
        let high = noise(i, 5) > 0.5;
        let class = high != (i >= 60);
        let day = format!("2024-{:02}-{:02}", 1 + i / 28, 1 + i % 28);
        (
            day,
            format!(
                "{},{}",
                if high { 1.0 } else { -1.0 } + 0.2 * noise(i, 6),
                if class { "up" } else { "down" }
            ),
        )
    };
    let mut rows: Vec<_> = (0..120).map(row).collect();
    rows.sort_by(|a, b| a.1.cmp(&b.1));
    let text: String = rows.iter().map(|(day, rest)| format!("{day},{rest}\n")).collect();
    folder.write("t.csv", format!("day,x,class\n{text}"));
    let of =
        |args: &str| folder.ok(&format!("evaluate t.csv {args} -k linear@x -l svc(C=[0.1,1]) --json")).json();
    let forward = of("--time-column day");
    assert_eq!((&forward["protocol"], &forward["splits"]), (&"forward(5)".into(), &5.into()));
    let sizes: Vec<(u64, u64)> = forward["folds"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| (f["train"].as_u64().unwrap(), f["test"].as_u64().unwrap()))
        .collect();
    assert_eq!(sizes, [(20, 20), (40, 20), (60, 20), (80, 20), (100, 20)]);
    assert!(
        number(&forward["folds"][2]["scores"]["accuracy"]) < 0.1,
        "the change is not foreseen: {forward}"
    );
    assert!(number(&forward["folds"][1]["scores"]["accuracy"]) > 0.9);
    assert_eq!(of("--time-column day --protocol forward(3)")["splits"], 3);
    // Without a time column, the order of the rows.
    let ordered = of("--protocol forward(2) --ignore day");
    assert_eq!(ordered["splits"], 2);
    let compared = folder.ok("compare t.csv --time-column day -k linear@x -k rbf(gamma=1)@x");
    assert!(compared.err.contains("forward(5)"), "{}", compared.err);
    let auto =
        folder.ok("auto t.csv --time-column day --budget 0.000001 --no-report -o t.mercer --json").json();
    assert_eq!((&auto["protocol"], &auto["inner"]), (&"forward(5)".into(), &"forward(5)".into()));
    let told = folder.ok("predict t.mercer t.csv --json").json();
    assert_eq!(told["objects"], 120);
    let run = folder.run("evaluate t.csv --time-column class -k linear@x");
    assert!(run.code == Some(2), "{}", run.err);
    let run = folder.run("evaluate t.csv --time-column nothing --target class -k linear@x");
    assert!(run.code == Some(2) && run.err.contains("no column 'nothing'"), "{}", run.err);
    let run = folder.run("evaluate t.csv --protocol forward(500) -k linear@x");
    assert!(run.code == Some(2) && run.err.contains("too few"), "{}", run.err);
}

#[test]
fn groups_stay_whole_in_every_search() {
    let folder = Folder::new();
    // The person tells the class, and x tells the person: only whole groups show that nothing else is learned.
    let row = |i: usize| {
        let person = i % 12;
        format!(
            "{},p{person},{}\n",
            person as f64 + 0.1 * noise(i, 7),
            ["up", "down"][usize::from(noise(person, 8) > 0.5)]
        )
    };
    folder.write("g.csv", "x,person,class\n".to_owned() + &(0..120).map(row).collect::<String>());
    let kernel = "-k rbf(gamma=[0.1,10,100])@x -l svc(C=[1,100])";
    for flag in ["--group", "--groups"] {
        let whole = folder.ok(&format!("evaluate g.csv {flag} person {kernel} --json")).json();
        assert_eq!(whole["protocol"], "group-10-fold");
        let inner = number(&whole["folds"][0]["inner_score"]);
        assert!(inner < 0.9, "inner splits separate groups: {inner}");
        let loose = folder.ok(&format!("evaluate g.csv --ignore person {kernel} --json")).json();
        assert!(number(&loose["measures"][0]["mean"]) > number(&whole["measures"][0]["mean"]) + 0.2);
    }
    // Inner splits are named for what they are.
    let named = folder.ok(&format!("evaluate g.csv --group person {kernel}"));
    assert!(
        named.out.contains("group-10-fold; parameters chosen by accuracy, group-5-fold"),
        "{}",
        named.out
    );
    assert!(
        named.err.contains("inner splits (group-5-fold) of 10 outer ones (group-10-fold)"),
        "{}",
        named.err
    );
    let loose = folder.ok(&format!("evaluate g.csv --ignore person {kernel}")).out;
    assert!(loose.contains("10-fold; parameters chosen by accuracy, 5-fold"), "{loose}");
    let compared = folder.ok("compare g.csv --group person -k rbf(gamma=10)@x -k linear@x");
    assert!(compared.err.contains("group-10-fold"), "{}", compared.err);
    let auto = folder.ok("auto g.csv --group person --budget 0.000001 --no-report --json").json();
    assert_eq!(auto["protocol"], "group-10-fold");
}

/// The sentence on a test set names the objects that the model was fitted to, not all of the training set.
#[test]
fn a_test_set_is_told_how_many_objects_the_model_knows() {
    let folder = Folder::new();
    folder.ok("generate half-moons --n 200 --noise 0.2 -o train.csv -q");
    folder.ok("generate half-moons --n 100 --noise 0.2 --seed 1 -o test.csv -q");
    let fit = "fit train.csv --test test.csv -k rbf(gamma=1) -l svc -o m.mercer";
    let said = |args: &str| folder.ok(args).out.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = said(fit);
    assert!(whole.contains("scored once by the model of the 200 objects of the training set"), "{whole}");
    // Some objects are kept for calibration.
    let calibrated = format!("{fit} --conformal split(0.4)");
    let part = said(&calibrated);
    assert!(
        part.contains("scored once by the model of 120 of the 200 objects of the training set"),
        "{part}"
    );
    let document = folder.ok(&format!("{calibrated} --json")).json();
    assert_eq!((&document["test"]["train"], &document["test"]["fitted"]), (&200.into(), &120.into()));
    // Without time for more, the model knows the searched objects alone.
    folder.ok("generate half-moons --n 3000 --noise 0.2 -o large.csv -q");
    let run =
        folder.ok("auto large.csv --test test.csv --sample 60 --budget 0.000001 --no-report -o a.mercer");
    let told = run.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let known = told.split("scored once by the model of ").nth(1).unwrap_or_else(|| panic!("{told}"));
    let fitted: usize = known.split(' ').next().unwrap().parse().unwrap_or_else(|_| panic!("{known}"));
    assert!(fitted < 3000 && known.contains(" of the 3000 objects of the training set"), "{known}");
    assert!(told.contains(&format!("fitted to {fitted} training objects")), "{told}");
}
