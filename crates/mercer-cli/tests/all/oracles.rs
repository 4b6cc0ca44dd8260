//! Regression tests for values and errors that once differed from those of independent implementations.

use std::fmt::Write as _;

use crate::make::{matrix, values};
use crate::run::Folder;

/// Σ_c exp(-γ(x_c - y_c)²), computed directly.
fn by_columns(x: &[[f64; 3]], gamma: f64) -> Vec<f64> {
    let pair = |a: &[f64; 3], b: &[f64; 3]| {
        a.iter().zip(b).map(|(p, q)| (-gamma * (p - q) * (p - q)).exp()).sum::<f64>()
    };
    x.iter().flat_map(|a| x.iter().map(move |b| pair(a, b))).collect()
}

#[test]
fn each_coordinate_is_a_column_in_every_format() {
    let x = [[1.0, 0.0, 2.5], [0.0, -1.5, 2.0], [3.0, 0.5, 0.0], [0.25, 0.0, 0.0]];
    let folder = Folder::new();
    folder.write("x.npy", matrix(4, &x.concat()));
    let (mut csv, mut libsvm) = (String::from("a,b,c\n"), String::new());
    for row in x {
        writeln!(csv, "{},{},{}", row[0], row[1], row[2]).unwrap();
        libsvm.push('1');
        row.iter().enumerate().filter(|(_, v)| **v != 0.0).for_each(|(f, v)| {
            write!(libsvm, " {}:{v}", f + 1).unwrap();
        });
        libsvm.push('\n');
    }
    folder.write("x.csv", csv);
    folder.write("x.libsvm", libsvm);
    let expected = by_columns(&x, 0.3);
    for file in ["x.csv", "x.npy", "x.libsvm"] {
        folder.ok(&format!("gram {file} -k column-sum(rbf(gamma=0.3)) -o K.npy"));
        let got = values(&folder.read("K.npy")).2;
        for (a, b) in got.iter().zip(&expected) {
            assert!((a - b).abs() < 1e-12, "{file}: {a} {b}");
        }
        folder.ok(&format!("gram {file} -k column-product(rbf(gamma=0.3)) -o P.npy"));
        folder.ok(&format!("gram {file} -k rbf(gamma=0.3) -o R.npy"));
        // The product of Gaussians is the Gaussian of the whole vector.
        let (product, whole) = (values(&folder.read("P.npy")).2, values(&folder.read("R.npy")).2);
        assert!(product.iter().zip(&whole).all(|(a, b)| (a - b).abs() < 1e-12), "{file}");
    }
}

#[test]
fn an_exponential_of_a_singular_matrix() {
    let folder = Folder::new();
    let mut s = vec![0.0; 25];
    for (i, j) in [(0, 2), (0, 3), (1, 2), (1, 4), (2, 3), (3, 4)] {
        for (a, b) in [(i, j), (j, i)] {
            s[a * 5 + b] += 1.0;
            s[a * 6] -= 1.0;
        }
    }
    folder.write("S.npy", matrix(5, &s));
    for kernel in ["exponential(precomputed,beta=0.2)", "repair(precomputed,method=diffuse,beta=0.2)"] {
        folder.ok(&format!("gram S.npy --format npy --precomputed -k {kernel} -o E.npy"));
        let e = values(&folder.read("E.npy")).2;
        // The first row in the textbook chapter.
        for (got, want) in e.iter().zip([0.69740577, 0.01448878, 0.13680833, 0.13680833, 0.01448878]) {
            assert!((got - want).abs() < 1e-8, "{kernel}: {got} {want}");
        }
    }
}

/// A table of categories whose third attribute has a new value in every test row.
fn leaky() -> (String, String) {
    let (mut all, mut train) = (String::from("u,v,w,y,part\n"), String::from("u,v,w,y\n"));
    for i in 0..60 {
        let (u, v) = (["a", "b", "c"][i % 3], ["p", "q"][(i / 3) % 2]);
        let y = (i % 3) as f64 + 0.5 * ((i / 3) % 2) as f64 + ((i * 7) % 5) as f64 / 10.0;
        if i < 40 {
            let w = ["s", "t"][(i / 5) % 2];
            writeln!(all, "{u},{v},{w},{y},train").unwrap();
            writeln!(train, "{u},{v},{w},{y}").unwrap();
        } else {
            writeln!(all, "{u},{v},new{i},{y},test").unwrap();
        }
    }
    (all, train)
}

#[test]
fn categories_of_test_rows_are_not_used_in_training() {
    let folder = Folder::new();
    let (all, train) = leaky();
    folder.write("all.csv", &all);
    folder.write("train.csv", &train);
    let learned = "-k diffusion(beta=0.3)@u,v,w -l ridge(lambda=0.1)";
    folder.ok(&format!("fit train.csv --target y {learned} -o m.mercer"));
    let tests: Vec<&str> = all.lines().filter(|l| l.ends_with(",test")).collect();
    let mut new = String::from("u,v,w\n");
    tests
        .iter()
        .for_each(|l| writeln!(new, "{}", l.split(',').take(3).collect::<Vec<_>>().join(",")).unwrap());
    folder.write("new.csv", new);
    folder.ok("predict m.mercer new.csv -o p.csv");
    let predicted = String::from_utf8(folder.read("p.csv")).unwrap();
    let number = |l: &str| l.split(',').next_back().unwrap().parse::<f64>().ok();
    let predicted: Vec<f64> = predicted.lines().filter_map(number).collect();
    assert_eq!(predicted.len(), tests.len());
    let truth = tests.iter().map(|l| l.split(',').nth(3).unwrap().parse::<f64>().unwrap());
    let squares: f64 = predicted.iter().zip(truth).map(|(p, t)| (p - t) * (p - t)).sum();
    let rmse = (squares / tests.len() as f64).sqrt();
    let run = folder.ok(&format!(
        "evaluate all.csv --target y --split-column part --protocol train-test {learned} --scores rmse --json"
    ));
    let text = run.json().to_string();
    let shown = format!("{rmse:.6}");
    assert!(text.contains(&shown[..shown.len() - 1]), "{shown} is not in {text}");
}

#[test]
fn negative_self_similarities_are_refused_by_every_command() {
    let folder = Folder::new();
    let mut csv = String::from("a,b,class\n");
    (0..20).for_each(|i| writeln!(csv, "{},{},{}", (i % 7) as f64 / 10.0, 0.3, ["p", "q"][i % 2]).unwrap());
    folder.write("x.csv", csv);
    let kernel = "normalize(sigmoid(gamma=1,c=-1))";
    for args in [
        format!("gram x.csv --target class -k {kernel} -o K.npy"),
        format!("fit x.csv --target class -k {kernel} -o m.mercer"),
        format!("evaluate x.csv --target class -k {kernel} -l svc(C=1) --protocol 4-fold"),
        format!("evaluate x.csv --target class -k {kernel} -l svc(C=[1,10]) --protocol 4-fold"),
        format!("map x.csv --target class -k {kernel} -o phi.npy"),
    ] {
        let run = folder.run(&args);
        assert!(run.code == Some(2) && run.err.contains("negative self-similarity"), "{args}: {}", run.err);
    }
}

#[test]
fn strings_of_unequal_lengths_and_long_alignments() {
    let folder = Folder::new();
    folder.write("s.fasta", ">a\nACGT\n>b\nACG\n");
    let run = folder.run("gram s.fasta -k weighted-degree(d=3) -o K.npy");
    assert!(run.code == Some(2) && run.err.contains("one length"), "{}", run.err);
    let long = |n: usize, step: usize| {
        (0..n).map(|i| ['A', 'C', 'G', 'T'][(i * step + i / 7) % 4]).collect::<String>()
    };
    folder.write("l.fasta", format!(">a\n{}\n>b\n{}\n", long(400, 1), long(350, 3)));
    folder.ok("gram l.fasta -k normalize(local-alignment(beta=1)) -o K.npy");
    let k = values(&folder.read("K.npy")).2;
    assert!(k[0] == 1.0 && k[3] == 1.0 && k[1] > 0.0 && k[1] < 1.0, "{k:?}");
    let run = folder.run("gram l.fasta -k local-alignment(beta=4) -o K.npy");
    assert!(run.code == Some(2) && run.err.contains("normalize"), "{}", run.err);
}

#[test]
fn coordinates_of_a_walk_report_their_divisor() {
    let folder = Folder::new();
    folder.write("a.csv", "a,b\n1,2\n3,4.5\n-5,0.25\n2,2\n");
    let run = folder.ok("map a.csv -k linear --kind walk --steps 3 -o x.npy");
    assert!(run.out.contains("divided by λmax^2"), "{}", run.out);
    let divided = folder.ok("map a.csv -k linear --kind walk --steps 3 -o x.npy --json").json();
    let plain = folder.ok("map a.csv -k linear --kind walk --steps 3 --scale none -o y.npy --json").json();
    let find = |json: &serde_json::Value| {
        json.pointer("/divided_by").or_else(|| json.pointer("/result/divided_by")).cloned()
    };
    let (x, y) = (values(&folder.read("x.npy")).2, values(&folder.read("y.npy")).2);
    let factor = find(&divided).and_then(|v| v.as_f64()).unwrap_or_else(|| panic!("{divided}"));
    assert_eq!(find(&plain).and_then(|v| v.as_f64()), Some(1.0), "{plain}");
    assert!(factor > 1.0);
    for (a, b) in x.iter().zip(&y) {
        assert!((a * factor.sqrt() - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} {b}");
    }
}
