//! Features that only the library once had: generated data, tensor products and linear combinations, locations,
//! residuals, the best power.

use crate::make::{matrix, values};
use crate::run::Folder;

fn rows(text: &str) -> Vec<Vec<String>> {
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[track_caller]
fn refusal(folder: &Folder, args: &str) -> String {
    let run = folder.run(args);
    assert_eq!(run.code, Some(2), "{args}: {}{}", run.out, run.err);
    run.err
}

#[test]
fn generated_data() {
    let folder = Folder::new();
    let told = folder.ok("generate balance").out;
    let table = rows(&told);
    assert_eq!(
        (table.len(), table[0].join(","), table[2].join(",")),
        (626, "x1,x2,x3,x4,class".into(), "1,1,1,2,R".into())
    );
    let of = |class: &str| table.iter().filter(|r| r[4] == class).count();
    assert_eq!((of("L"), of("B"), of("R")), (288, 49, 288));
    assert!(folder.ok("generate rings -o rings.csv").out.contains("rings.csv: 685 objects"));
    let first = folder.read("rings.csv");
    assert_eq!(folder.ok("generate rings").out.as_bytes(), first);
    assert_ne!(folder.ok("generate rings --seed 1").out.as_bytes(), first);
    let told = folder.ok("generate swiss-roll --n 40 --noise 0 --json -o roll.csv").json();
    assert_eq!(
        (told["objects"].as_u64(), told["columns"].as_u64(), told["classes"].as_array().map(Vec::len)),
        (Some(40), Some(3), Some(4))
    );
    // Generated data can be read.
    folder.ok("evaluate rings.csv -k rbf(gamma=1) -l svc --protocol 2-fold -q");
    let told = folder.ok("generate power-law --n 50 --joins 2 -o edges.csv").out;
    assert!(told.contains("50 nodes, 97 edges"), "{told}");
    assert_eq!(rows(&String::from_utf8(folder.read("edges.csv")).unwrap()).len(), 98);
    assert!(refusal(&folder, "generate halfmoons").contains("did you mean half-moons?"));
    assert!(refusal(&folder, "generate balance --n 30").contains("complete table"));
    assert!(refusal(&folder, "generate rings --noise -1").contains("noise"));
    assert!(refusal(&folder, "generate rings --joins 2").contains("--joins"));
    assert!(refusal(&folder, "generate power-law --noise 1").contains("--noise"));
}

#[test]
fn tensor_products_and_linear_combinations() {
    let folder = Folder::new();
    folder.write("x.csv", "a\n1\n2\n");
    folder.write("L.npy", matrix(2, &[3.0, 1.0, 1.0, 4.0]));
    folder.ok("gram x.csv -k linear --tensor L.npy -o KL.npy -q");
    // K = [[1, 2], [2, 4]].
    let expected = [3.0, 1.0, 6.0, 2.0, 1.0, 4.0, 2.0, 8.0, 6.0, 2.0, 12.0, 4.0, 2.0, 8.0, 4.0, 16.0];
    assert_eq!(values(&folder.read("KL.npy")), (4, 4, expected.to_vec()));
    folder.write("T.npy", matrix(2, &[1.0, -1.0]));
    let told = folder.ok("gram x.csv -k linear --conjugate T.npy --json").json();
    assert_eq!((told["rows"].as_u64(), told["cols"].as_u64()), (Some(1), Some(1)));
    folder.ok("gram x.csv -k linear --conjugate T.npy -o M.npy -q");
    assert_eq!(values(&folder.read("M.npy")), (1, 1, vec![1.0]));
    folder.write("U.npy", matrix(4, &[1.0, 0.0, 0.0, 1.0]));
    folder.ok("gram x.csv -k linear --tensor L.npy --conjugate U.npy -o M.csv -q");
    assert_eq!(folder.read("M.csv"), b"23\n");
    assert!(refusal(&folder, "gram x.csv -k linear --conjugate U.npy").contains("2 rows"));
    folder.write("bad.npy", matrix(2, &[3.0, 1.0, 2.0, 4.0]));
    assert!(refusal(&folder, "gram x.csv -k linear --tensor bad.npy").contains("bad.npy"));
    refusal(&folder, "gram x.csv -k linear --tensor L.npy --transitions 2");
}

#[test]
fn trees_have_the_values_of_their_formulas() {
    let folder = Folder::new();
    folder.write("v.csv", "v\n1\n2\n5\n11\n");
    folder.ok("gram v.csv -k regular-tree(k=3,beta=0.7) -o K.npy -q");
    let (_, _, k) = values(&folder.read("K.npy"));
    for (got, want) in k.iter().zip([0.2326773852, 0.1260741789, 0.0395757987, 0.0086892477]) {
        assert!((got - want).abs() < 1e-10, "{got} {want}");
    }
    folder.ok("gram v.csv -k binary-tree(beta=0.7) -o B.npy -q");
    let (_, _, k) = values(&folder.read("B.npy"));
    for (got, want) in [(k[0], 0.358751564), (k[1], 0.165649978), (k[5], 0.241366633)] {
        assert!((got - want).abs() < 1e-9, "{got} {want}");
    }
    folder.write("bad.csv", "v\n1\n0\n");
    assert!(refusal(&folder, "gram bad.csv -k binary-tree").contains("not a vertex of a tree"));
}

#[test]
fn walk_coordinates_with_and_without_scaling() {
    let folder = Folder::new();
    folder.write("x.csv", "a,b\n1,0\n3,1\n5,-1\n");
    for (option, divided) in [("", true), (" --scale none", false)] {
        folder.ok(&format!("map x.csv -k linear --kind walk --steps 2{option} -o z.npy -q"));
        let (_, _, z) = values(&folder.read("z.npy"));
        // W² holds 32 for the first object; λmax of XᵀX = [[8, -2], [-2, 2]] is 5 + √13.
        let squared = z[0] * z[0] + z[1] * z[1];
        let expected = if divided { 32.0 / (5.0 + 13f64.sqrt()) } else { 32.0 };
        assert!((squared - expected).abs() < 1e-12, "{squared} {expected}");
    }
}

#[test]
fn locations_of_training_objects() {
    let folder = Folder::new();
    folder.write("x.csv", "x,class\n-2,a\n-1,a\n1,b\n2,b\n");
    folder.ok("fit x.csv -k linear -l svc(C=10) -o m.mercer -q");
    folder.ok("inspect m.mercer --locations where.csv -q");
    let text = String::from_utf8(folder.read("where.csv")).unwrap();
    assert_eq!(text, "object,a|b\n1,outside\n2,on\n3,on\n4,outside\n");
    folder.ok("fit x.csv -k linear -l svc(C=0.01) -o m.mercer -q");
    folder.ok("inspect m.mercer --locations where.csv -q");
    let text = String::from_utf8(folder.read("where.csv")).unwrap();
    assert_eq!(text, "object,a|b\n1,inside\n2,inside\n3,inside\n4,inside\n");
    folder.ok("fit x.csv -k linear -l ridge -o r.mercer -q");
    assert!(refusal(&folder, "inspect r.mercer --locations w.csv").contains("ridge has no margin"));
    assert!(refusal(&folder, "inspect x.csv --locations w.csv").contains("--locations"));
    assert!(!folder.has("w.csv"));
}

#[test]
fn residuals_of_ridge() {
    let folder = Folder::new();
    folder.write("x.csv", "x,y\n1,3\n2,6\n");
    let run = "evaluate x.csv --target-kind numbers -k linear -l ridge(lambda=5) --protocol leave-one-out --residuals r.csv";
    let told = folder.ok(&format!("{run} --json")).json();
    // Without the first point w = 12/9, without the second 3/6.
    let text = rows(&String::from_utf8(folder.read("r.csv")).unwrap());
    assert_eq!((text.len(), text[0].join(",")), (3, "object,y".into()));
    for (row, expected) in text[1..].iter().zip([3.0 - 12.0 / 9.0, 6.0 - 1.0]) {
        assert!((row[1].parse::<f64>().unwrap() - expected).abs() < 1e-12);
    }
    let predictions = told["leave_one_out"]["residuals"].as_array().unwrap();
    assert!((predictions[1].as_f64().unwrap() - 5.0).abs() < 1e-12);
    // The protocol with one fit per object agrees.
    let rmse = told["measures"][0]["mean"].as_f64().unwrap();
    assert!((told["leave_one_out"]["rmse"].as_f64().unwrap() - rmse).abs() < 1e-12, "{rmse}");
    assert!(folder.ok(run).out.contains("leave-one-out residuals of 2 objects, rmse"));
    let told = folder.ok(&run.replace("-k linear", "-k standardize(linear)")).err;
    assert!(told.contains("W_RESIDUALS"), "{told}");
    for (other, why) in
        [("svr", "for ridge"), ("ridge(lambda=[1,2])", "one lambda"), ("ridge(landmarks=1)", "landmarks")]
    {
        let told = refusal(&folder, &run.replace("ridge(lambda=5)", other));
        assert!(told.contains(why), "{told}");
    }
}

#[test]
fn the_best_power_is_marked_as_chosen_by_the_test_sets() {
    let folder = Folder::new();
    folder.ok("generate half-moons --n 60 -o m.csv");
    let run = "evaluate m.csv -k walk(rbf(gamma=[0.5,2]),p=[1,2,4]) -l svc(C=10) --protocol 3-fold --inner 2-fold --best-of p";
    let told = folder.ok(run).out;
    for part in [
        "accuracy on test sets",
        "best p = ",
        "chosen after the test results were seen: optimistic",
        "chosen inside the training sets: ",
    ] {
        assert!(told.contains(part), "{part}: {told}");
    }
    let told = folder.ok(&format!("{run} --json")).json();
    let all = told["best_of"]["values"].as_array().unwrap();
    let best = all.iter().map(|v| v["mean"].as_f64().unwrap()).fold(0.0, f64::max);
    assert_eq!((all.len(), told["best_of"]["best"]["mean"].as_f64()), (3, Some(best)));
    let alone = folder.ok(&run.replace("p=[1,2,4]", "p=2").replace("--best-of p", "--json")).json();
    assert_eq!(all[1]["mean"], alone["measures"][0]["mean"]);
    assert!(refusal(&folder, &run.replace("--best-of p", "--best-of q")).contains("gamma, p"));
    let twice = "evaluate m.csv -k rbf(gamma=[1,2])+rbf(gamma=[3,4]) -l svc --best-of gamma";
    assert!(refusal(&folder, twice).contains("one place only"));
}
