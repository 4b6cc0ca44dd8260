//! Graphs from files of several formats, in every command.

use crate::run::Folder;

/// A molecule-like tree of n atoms in GML; those of class `b` have an oxygen in the middle.
fn tree(i: usize) -> (String, &'static str) {
    let (n, class) = (4 + i % 3, if i.is_multiple_of(2) { "a" } else { "b" });
    let mut text = format!("graph [ class {class}\n");
    for v in 0..n {
        let label = if v == n / 2 && class == "b" { "O" } else { "C" };
        text += &format!("node [ id {v} label \"{label}\" ]\n");
    }
    for v in 1..n {
        text += &format!("edge [ source {v} target {} ]\n", v - 1);
    }
    (text + "]\n", class)
}

fn trees(range: std::ops::Range<usize>) -> String {
    range.map(|i| tree(i).0).collect()
}

#[test]
fn inspected() {
    let folder = Folder::new();
    let out = folder.ok("inspect mutag").out;
    assert!(out.starts_with("mutag: 188 objects, 1 column\n"), "{out}");
    for part in [
        "nodes 10 … 28, mean 17.93; edges 10 … 33, mean 19.79; undirected; 7 node labels, 4 edge labels",
        "target class: 2 classes (1 125, -1 63)",
    ] {
        assert!(out.contains(part), "{out}");
    }
    let told = folder.ok("inspect mutag --json").json();
    let graphs = &told["columns"][0]["graphs"];
    assert_eq!(
        (&graphs["nodes"]["max"], &graphs["edge_labels"], &graphs["directed"]),
        (&28.into(), &4.into(), &0.into())
    );
    // A file of that name takes precedence.
    folder.write("mutag", "a,b\n1,2\n");
    assert!(folder.ok("inspect mutag").out.starts_with("mutag: 1 object, 2 columns"));
}

#[test]
fn fitted_and_used_for_prediction() {
    let folder = Folder::new();
    folder.write("train.gml", trees(0..24));
    folder.write("new.gml", trees(24..30).replace(" class a", "").replace(" class b", ""));
    folder.ok("fit train.gml -k normalize(wl(h=2)) -l svc(C=10) -o m.mercer -q");
    let told = folder.ok("predict m.mercer new.gml").out;
    let classes: Vec<&str> = told.lines().skip(1).map(|l| l.rsplit(',').next().unwrap()).collect();
    assert_eq!(classes, ["a", "b", "a", "b", "a", "b"], "{told}");
    // The same graphs in a folder of files, with a table of their classes.
    std::fs::create_dir(folder.path("new")).unwrap();
    let mut table = String::from("graph,class\n");
    for i in 24..30 {
        let (text, class) = tree(i);
        folder.write(&format!("new/g{i}.gml"), text.replace("graph [ class", "graph [ kind"));
        table += &format!("g{i},{class}\n");
    }
    folder.write("new/graphs.csv", table);
    let run = folder.ok("predict m.mercer new");
    assert!(run.out.contains("g24,a") && run.err.contains("accuracy"), "{}{}", run.out, run.err);
    folder.ok("gram train.gml -k wl(h=1) --new new.gml -o cross.npy -q");
    assert_eq!(crate::make::values(&folder.read("cross.npy")).0, 6);
    let default = folder.ok("fit train.gml -o d.mercer");
    assert!(default.out.contains("normalize(wl(h=3"), "{}", default.out);
}

/// Checks that the oxygen explains class b of the second graph; returns the decision value.
fn is_explained_by_oxygen(told: &serde_json::Value) -> f64 {
    let why = &told["explanations"][1];
    assert_eq!((&why["class"], &why["features"][0]["feature"]), (&"b".into(), &"O".into()), "{why}");
    // Graph 25 has five nodes, the oxygen being the third.
    assert_eq!(why["features"][0]["nodes"], serde_json::json!([[2]]));
    let number = |name: &str| why[name].as_f64().unwrap();
    let amount = why["features"][0]["amount"].as_f64().unwrap();
    assert!((number("offset") + amount + number("rest") - number("value")).abs() < 1e-9);
    number("value")
}

#[test]
fn explained_down_to_the_nodes() {
    let folder = Folder::new();
    folder.write("train.gml", trees(0..24));
    folder.write("new.gml", trees(24..26).replace(" class a", "").replace(" class b", ""));
    folder.ok("fit train.gml -k vertex-histogram -l svc(C=10) -o m.mercer -q");
    let told = folder.ok("predict m.mercer new.gml --explain 1 --json").json();
    is_explained_by_oxygen(&told);
    let text = folder.ok("predict m.mercer new.gml --explain").out;
    assert!(text.contains("object 2: b, +") && text.contains("all other features"), "{text}");
    let both = folder.ok("predict m.mercer new.gml --explain 2 -o out.csv").out;
    assert!(both.starts_with("out.csv: 2 objects\n") && both.contains("object 1: a"), "{both}");
    // A linear model on the same counts gives the same explanation, and stores no graphs.
    folder.ok("fit train.gml -k explicit(normalize(vertex-histogram)) -l linear-svc(C=10) -o l.mercer -q");
    let told = folder.ok("predict l.mercer new.gml --explain 1 --decisions --json").json();
    let value = is_explained_by_oxygen(&told);
    let decided = told["decisions"]["values"][1][0].as_f64().unwrap();
    assert!((decided.abs() - value).abs() < 1e-9, "{told}");
    // The best matching of nodes is an inner product of features too.
    folder.ok("fit train.gml -k wl-oa(h=1) -l svc -o oa.mercer -q");
    let told = folder.ok("predict oa.mercer new.gml --explain 1 --json").json();
    assert!(told["explanations"][0]["structures"][0]["nodes"].as_array().is_some(), "{told}");
    // Kernels without named features are explained by support objects.
    folder.ok("fit train.gml -k pyramid-match(ignore=others) -l svc -o no.mercer -q");
    let told = folder.ok("predict no.mercer new.gml --explain");
    assert!(
        told.err.contains("explained by support objects") || told.out.contains("support object"),
        "{}",
        told.out
    );
}

#[test]
fn features_by_name() {
    let folder = Folder::new();
    folder.write("a.gml", trees(0..4));
    folder.ok("map a.gml -k wl(h=1) --kind explicit -o wl.csv");
    let csv = String::from_utf8(folder.read("wl.csv")).unwrap();
    assert!(csv.lines().next().unwrap().contains("\"C(C,C)\""), "{csv}");
    let told = folder.ok("map a.gml -k wl(h=1) --kind explicit -o wl.libsvm").out;
    assert!(told.starts_with("wl.libsvm: 4 objects, ") && told.contains("wl.libsvm.names"), "{told}");
    let names = String::from_utf8(folder.read("wl.libsvm.names")).unwrap();
    let sparse = String::from_utf8(folder.read("wl.libsvm")).unwrap();
    // The first features are those that most graphs have: a carbon, or carbons between carbons.
    assert!(names.lines().any(|n| n == "C(C,C)") && sparse.lines().count() == 4, "{names}{sparse}");
    // The labels are the classes of the graphs, as numbers.
    let labels: Vec<&str> =
        sparse.lines().filter_map(|l| l.split_once(" 1:")).map(|(label, _)| label).collect();
    assert_eq!(labels, ["0", "1", "0", "1"], "{sparse}");
}

#[test]
fn evaluated_and_compared() {
    let folder = Folder::new();
    folder.write("a.gml", trees(0..30));
    let out = folder.ok("evaluate a.gml -k normalize(wl(h=0..1)) -l svc --protocol 3-fold -q").out;
    assert!(out.contains("predicting class, 2 classes"), "{out}");
    let args = "compare a.gml -k wl(h=1) -k graph-size(ignore=others) -l svc --protocol 3-fold -q";
    let out = folder.ok(args).out;
    assert!(out.contains("graph-size"), "{out}");
    // Labels that a kernel does not use are refused, with a hint.
    let run = folder.run("gram a.gml -k graph-size -o K.npy");
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains("node labels") && run.err.contains("ignore="), "{}", run.err);
}
