//! Models remember how their data was read: new files need no options.

use crate::run::Folder;

#[test]
fn separators_headers_and_types_are_remembered() {
    let folder = Folder::new();
    let rows: String =
        (0..24).map(|i| format!("{}|{}|{}\n", i % 3, i, if i % 3 == 0 { "a" } else { "b" })).collect();
    folder.write("a.dat", &rows);
    let flags = "--format csv --delimiter | --header false --target x3 --type x1=categories";
    folder.ok(&format!("fit a.dat {flags} -k delta@x1 -l svc -o a.mercer"));
    folder.write("new.dat", "0|99|a\n1|98|b\n7|97|b\n");
    let with = folder.ok(&format!("predict a.mercer new.dat {flags} --decisions"));
    let without = folder.ok("predict a.mercer new.dat --decisions");
    assert_eq!(with.out, without.out);
    assert!(without.err.contains("accuracy"), "{}", without.err);
    let shown = folder.ok("inspect a.mercer");
    assert!(shown.out.contains("delimiter |") && shown.out.contains("format csv"), "{}", shown.out);
    assert_eq!(folder.ok("inspect a.mercer --json").json()["reading"]["delimiter"], 124);
    // Given options win, and a note says so.
    folder.write("other.dat", "0;99;a\n1;98;b\n");
    let other = folder.ok("predict a.mercer other.dat --delimiter ;");
    assert!(other.err.contains("the given ones are used: delimiter"), "{}", other.err);
    assert_eq!(other.out, "prediction\na\nb\n");
    // Another extension has its own format.
    folder.write("new.csv", "x1,x2,x3\n0,99,a\n1,98,b\n");
    assert_eq!(folder.ok("predict a.mercer new.csv --delimiter , --header true").out, "prediction\na\nb\n");
}

#[test]
fn layouts_of_series_are_remembered() {
    let folder = Folder::new();
    let series = |i: usize, t: usize| {
        ((t as f64 * if i.is_multiple_of(2) { 0.5 } else { 1.5 }).sin() * 100.0).round() / 100.0
    };
    let mut wide = String::from("t0,t1,t2,t3,t4,t5,class\n");
    let mut long = String::from("who,when,reading,class\n");
    for i in 0..16 {
        let class = ["slow", "fast"][i % 2];
        let values: Vec<String> = (0..6).map(|t| series(i, t).to_string()).collect();
        wide += &format!("{},{class}\n", values.join(","));
        for (t, value) in values.iter().enumerate() {
            long += &format!("s{i},{t},{value},{class}\n");
        }
    }
    folder.write("wide.csv", &wide);
    folder.write("long.csv", &long);
    let long_flags = "--series long --id who --series-time when --series-value reading";
    for (file, flags) in [("wide.csv", "--series wide"), ("long.csv", long_flags)] {
        folder.ok(&format!("fit {file} {flags} -k dtw -l knn -o m.mercer"));
        let with = folder.ok(&format!("predict m.mercer {file} {flags}"));
        let without = folder.ok(&format!("predict m.mercer {file}"));
        assert_eq!(with.out, without.out, "{file}");
        assert!(without.err.contains("(16 of 16)"), "{file}: {}", without.err);
    }
}

#[test]
fn alphabets_and_classes_in_headers_are_remembered() {
    let folder = Folder::new();
    let text: String = (0..20)
        .map(|i| format!(">q{i} {}\n{}\n", ["pos", "neg"][i % 2], ["acgtacgtta", "ttttttgggg"][i % 2]))
        .collect();
    folder.write("a.fasta", &text);
    let flags = "--alphabet dna --keep-case --class-in-header 2";
    folder.ok(&format!("fit a.fasta {flags} -k spectrum(k=2) -l svc -o m.mercer"));
    let with = folder.ok(&format!("predict m.mercer a.fasta {flags} --decisions"));
    let without = folder.ok("predict m.mercer a.fasta --decisions");
    assert_eq!(with.out, without.out);
    assert!(without.err.contains("(20 of 20)"), "{}", without.err);
    assert!(without.out.starts_with("id,prediction"), "{}", without.out);
}

#[test]
fn ids_given_or_remembered() {
    let folder = Folder::new();
    let rows: String = (0..12)
        .map(|i| format!("n{i},{},{}\n", if i % 2 == 0 { 1 } else { -1 }, ["a", "b"][i % 2]))
        .collect();
    folder.write("a.csv", format!("name,x,class\n{rows}"));
    folder.write("plain.csv", "x\n1\n-1\n");
    folder.write("keys.csv", "key,x\nk1,1\nk2,-1\n");
    folder.ok("fit a.csv --id name -k linear -l svc -o with.mercer");
    folder.ok("fit a.csv --ignore name -k linear -l svc -o without.mercer");
    assert!(folder.ok("predict with.mercer a.csv").out.starts_with("name,prediction\nn0,a\nn1,b\n"));
    assert_eq!(folder.ok("predict with.mercer plain.csv").out, "prediction\na\nb\n");
    for model in ["with", "without"] {
        let run = folder.ok(&format!("predict {model}.mercer keys.csv --id key"));
        assert_eq!(run.out, "key,prediction\nk1,a\nk2,b\n");
        let run = folder.run(&format!("predict {model}.mercer keys.csv --id nothing"));
        assert!(run.code == Some(2) && run.err.contains("no column 'nothing'"), "{}", run.err);
    }
    // An id that was a feature in training is no feature any more, so the model cannot do without it.
    let run = folder.run("predict without.mercer a.csv --id x");
    assert!(run.code == Some(2) && run.err.contains("'x'"), "{}", run.err);
}

#[test]
fn dropped_values_are_dropped_in_prediction_too() {
    let folder = Folder::new();
    let rows: String = (0..12)
        .map(|i| {
            format!(
                "{},{},,{}\n",
                if i % 2 == 0 { "1" } else { "-1" },
                if i == 3 { "" } else { "5" },
                ["a", "b"][i % 2]
            )
        })
        .collect();
    folder.write("a.csv", format!("x,z,note,class\n{rows}"));
    // A kernel that refuses missing values, and one that fills them.
    for kernel in ["linear@x,z", "impute(linear)@x,z"] {
        folder.ok(&format!("fit a.csv --missing drop -k {kernel} -l svc -o m.mercer"));
        folder.write("new.csv", "x,z,note\n1,,\n-1,5,\n");
        let run = folder.ok("predict m.mercer new.csv");
        assert_eq!(run.out, "row,prediction\n2,b\n");
        assert!(run.err.contains("W_DROPPED 1 of 2 objects left out"), "{}", run.err);
        let document = folder.ok("predict m.mercer new.csv --json").json();
        assert_eq!((&document["objects"], &document["rows"]), (&1.into(), &vec![2].into()));
        folder.write("new.csv", "x,z,note\n1,,\n");
        let run = folder.run("predict m.mercer new.csv");
        assert!(run.code == Some(2) && run.err.contains("every object has a missing value"), "{}", run.err);
    }
    // What is given wins.
    let run = folder.ok("predict m.mercer new.csv --missing keep");
    assert_eq!(run.out, "prediction\na\n");
    assert!(run.err.contains("the given ones are used: missing"), "{}", run.err);
    // Objects of a test file without a target are treated alike.
    folder.write("test.csv", "x,z,note\n1,5,\n,5,\n-1,5,\n");
    let run = folder
        .ok("fit a.csv --missing drop -k linear@x,z -l svc -o m.mercer --test test.csv --predictions p.csv");
    assert!(run.err.contains("W_DROPPED 1 of 3 objects left out"), "{}", run.err);
    assert_eq!(folder.read("p.csv"), b"row,prediction\n1,a\n3,b\n");
}
