//! The output of the commands.

use std::path::PathBuf;

use serde_json::Value;

use crate::make::{Column, gz, matrix, parquet, values, zip};
use crate::run::{Folder, Run};

const TABLE: &str = "a,b,class\n1,2,p\n3,4.5,q\n-5,0.25,p\n2,2,q\n";

fn with(name: &str, content: impl AsRef<[u8]>) -> Folder {
    let folder = Folder::new();
    folder.write(name, content);
    folder
}

#[test]
fn help_and_the_list_of_kernels() {
    let folder = Folder::new();
    for (name, args) in [
        ("help", "--help"),
        ("help_generate", "generate --help"),
        ("help_gram", "gram --help"),
        ("help_fit", "fit --help"),
        ("help_predict", "predict --help"),
        ("help_evaluate", "evaluate --help"),
        ("help_compare", "compare --help"),
        ("help_convert", "convert --help"),
        ("help_auto", "auto --help"),
        ("help_inspect", "inspect --help"),
        ("help_map", "map --help"),
        ("help_reproduce", "reproduce random-walk --help"),
        ("help_reproduce_graphs", "reproduce graphs --help"),
        ("help_reproduce_diffusion", "reproduce diffusion --help"),
        ("kernels_diffusion", "kernels diffusion"),
        ("kernels_node_diffusion", "kernels node-diffusion"),
        ("kernels", "kernels"),
        ("kernels_rbf", "kernels rbf"),
        ("kernels_normalize", "kernels normalize"),
        ("kernels_walk", "kernels walk"),
        ("learners", "learners"),
        ("learners_pca", "learners pca"),
        ("learners_svc", "learners svc"),
    ] {
        // Snapshots have lines of a usual width.
        let run = Run::of(folder.command(args).env("COLUMNS", "100"));
        assert_eq!(run.code, Some(0), "{args}: {}{}", run.out, run.err);
        insta::assert_snapshot!(name, run.out);
    }
}

#[test]
fn examples_of_help_are_whole_on_a_terminal_of_80_columns() {
    let folder = Folder::new();
    let commands = [
        "auto",
        "fit",
        "predict",
        "explain",
        "suggest",
        "evaluate",
        "compare",
        "convert",
        "generate",
        "gram",
        "map",
        "inspect",
        "report",
        "reproduce chapter",
        "reproduce random-walk",
        "reproduce graphs",
        "reproduce diffusion",
        "reproduce similarity",
        "serve",
    ];
    for command in commands {
        let examples = |columns: &str| {
            let run = Run::of(folder.command(&format!("{command} --help")).env("COLUMNS", columns));
            let text = run.out.split_once("Examples:\n").map(|(_, after)| after.to_owned());
            text.unwrap_or_default().split("\n\n").next().unwrap_or_default().to_owned()
        };
        let narrow = examples("80");
        assert!(narrow.contains("mercer "), "{command}: {narrow}");
        assert_eq!(narrow, examples("110"), "{command}");
    }
}

/// Runs the program on a terminal of 80 characters, and checks that no line of its result is longer.
#[track_caller]
fn fits_80_columns(folder: &Folder, args: &str) -> Run {
    let run = Run::of(folder.command(args).env("COLUMNS", "80"));
    assert_eq!(run.code, Some(0), "{args}: {}{}", run.out, run.err);
    for line in run.out.lines() {
        assert!(line.chars().count() <= 80, "{args}: {line}");
    }
    run
}

#[test]
fn lists_fit_a_terminal_of_80_columns() {
    let folder = Folder::new();
    for (args, expected) in [
        ("kernels", "rbf"),
        ("kernels --for series", "dtw"),
        ("kernels --search laplacian", "laplacian"),
        ("kernels rbf", "gamma"),
        ("learners", "svc"),
        ("learners svc", "cache"),
    ] {
        let run = fits_80_columns(&folder, args);
        assert!(run.out.contains(expected), "{args}: {}", run.out);
    }
}

#[test]
fn results_fit_a_terminal_of_80_columns() {
    let folder = with("a.csv", TABLE);
    let auto = fits_80_columns(&folder, "auto iris --budget 0.000001 --no-report");
    for part in ["method", "accuracy", "interval", "baseline"] {
        assert!(auto.out.contains(part), "{part}: {}", auto.out);
    }
    // Only wide terminals show standard deviations.
    assert!(!auto.out.contains("± sd"), "{}", auto.out);
    let wide = folder.ok("auto iris --budget 0.000001 --no-report");
    assert!(wide.out.contains("± sd") && wide.out.contains("p vs. baseline"), "{}", wide.out);
    for args in [
        "inspect a.csv",
        "inspect a.csv -k rbf(gamma=1)",
        "evaluate iris -k standardize(rbf(gamma=[0.1,1])) -l svc(C=[1,10]) --protocol 3-fold --inner 2-fold",
        "compare iris -k standardize(rbf(gamma=[0.1,1])) -k standardize(polynomial(degree=[2,3],gamma=0.25)) \
         -l svc(C=[1,10]) --protocol 2-fold --inner 2-fold",
        "gram iris -k linear",
        "fit iris -k standardize(rbf(gamma=0.25)) -l svc(C=10) -o m.mercer",
        "reproduce slides",
    ] {
        fits_80_columns(&folder, args);
    }
}

#[test]
fn every_command_prints_json() {
    let folder = with("a.csv", TABLE);
    folder.write("G.npy", matrix(2, &[1.0, 0.5, 0.5, 1.0]));
    for (command, args) in [
        ("auto", "auto"),
        ("generate", "generate rings --n 9 -o rings.csv"),
        ("gram", "gram a.csv -k linear"),
        ("gram", "gram a.csv -k linear -o K.npy"),
        ("fit", "fit a.csv -k rbf(gamma=1) -l svc -o m.mercer"),
        ("fit", "fit a.csv -o m.mercer"),
        ("predict", "predict m.mercer a.csv"),
        ("evaluate", "evaluate a.csv -k rbf(gamma=1) -l svc --protocol 2-fold"),
        ("compare", "compare a.csv -k rbf(gamma=1) -l svc --protocol 2-fold"),
        ("inspect", "inspect m.mercer"),
        ("map", "map a.csv -k linear -o phi.csv"),
        ("inspect", "inspect a.csv"),
        ("inspect", "inspect a.csv -k rbf(gamma=1)"),
        ("inspect", "inspect G.npy"),
        ("kernels", "kernels"),
        ("kernels", "kernels rbf"),
        ("learners", "learners"),
        ("learners", "learners kmeans"),
    ] {
        let run = folder.ok(&format!("{args} --json"));
        let document = run.json();
        assert_eq!(
            (&document["schema"], &document["command"]),
            (&"mercer/2".into(), &command.into()),
            "{args}"
        );
        assert_eq!(run.err, "", "{args}");
    }
}

/// Transductive results are marked in text and in JSON.
#[test]
fn transductive_results_say_so() {
    let folder = with("a.csv", TABLE);
    folder.write("new.csv", "a,b,class\n1,1,p\n");
    for kernel in
        ["walk(rbf,through=all)", "2*laplacian-walk(rbf)", "normalize(cluster(rbf,transfer=step,keep=2))"]
    {
        for args in [
            format!("gram a.csv --target class -k {kernel} -o K.npy --fresh"),
            format!("inspect a.csv --target class -k {kernel}"),
            format!("map a.csv --target class -k {kernel} -o phi.csv"),
        ] {
            let run = folder.ok(&args);
            assert!(run.err.contains("W_TRANSDUCTIVE"), "{args}: {}", run.err);
            assert_eq!(folder.ok(&format!("{args} --json")).json()["transductive"], true, "{args}");
        }
        let run = folder.run(&format!("gram a.csv --target class --new new.csv -k {kernel} -o K2.npy"));
        assert!(run.code == Some(2) && run.err.contains("new.csv E_OBJECT object 1: "), "{}", run.err);
        assert!(run.err.contains("transductive") && run.err.contains("through=train"), "{}", run.err);
    }
    // A transductive model predicts only the objects it was fitted to.
    folder.ok("fit a.csv --target class -k normalize(walk(rbf,p=3,through=all)) -o m.mercer");
    let run = folder.ok("predict m.mercer a.csv");
    assert!(run.err.contains("W_TRANSDUCTIVE") && run.out.lines().count() == 5, "{}{}", run.out, run.err);
    assert_eq!(folder.ok("predict m.mercer a.csv --json").json()["transductive"], true);
    assert_eq!(folder.ok("inspect m.mercer --json").json()["transductive"], true);
    let run = folder.run("predict m.mercer new.csv");
    assert!(run.code == Some(2) && run.err.contains("transductive"), "{}", run.err);
    for kernel in ["walk(rbf,p=3)", "walk(markov(rbf),p=3)", "walk(rbf,p=3,through=support)"] {
        folder.ok(&format!("fit a.csv --target class -k {kernel} -o m.mercer"));
        let run = folder.ok("predict m.mercer new.csv");
        assert!(
            !run.err.contains("W_TRANSDUCTIVE") && run.out.lines().count() == 2,
            "{}{}",
            run.out,
            run.err
        );
        let args = format!("gram a.csv --target class --new new.csv -k {kernel} -o K2.npy --fresh");
        assert_eq!(folder.ok(&format!("{args} --json")).json()["transductive"], false, "{args}");
    }
    folder.write("bare.csv", "a,b\n1,2\n3,4\n");
    let run = folder.run("gram bare.csv -k walk(rbf,through=support)");
    assert!(run.code == Some(2) && run.err.contains("E_COLUMN column 'target'"), "{}", run.err);
}

#[test]
fn errors_as_json() {
    let folder = with("a.csv", "a,b\n1,2\n3,inf\n");
    let run = folder.run("gram a.csv -k linear --json");
    assert_eq!((run.code, run.err.as_str()), (Some(2), ""));
    let error = &run.json()["error"];
    assert_eq!(error["code"], "E_NONFINITE");
    assert_eq!((&error["file"], &error["line"], &error["column"]), (&"a.csv".into(), &3.into(), &3.into()));
    let missing = folder.run("inspect none.csv --json").json();
    assert_eq!(
        (&missing["error"]["code"], &missing["error"]["file"]),
        (&"E_IO_OPEN".into(), &"none.csv".into())
    );
    assert_eq!(missing["error"]["line"], Value::Null);
    let kernel = folder.run("gram a.csv -k linear+rbff --json").json();
    assert_eq!((&kernel["error"]["code"], &kernel["error"]["column"]), (&"E_EXPRESSION".into(), &8.into()));
    assert!(kernel["error"]["hint"].as_str().unwrap().contains("rbf"), "{kernel}");
}

#[test]
fn completions_and_the_manual_page() {
    let folder = Folder::new();
    for shell in ["bash", "zsh", "fish"] {
        let script = folder.ok(&format!("completions {shell}")).out;
        for word in ["auto", "fit", "predict", "convert", "gram", "map", "inspect", "kernels", "learners"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let page = folder.ok("man").out;
    assert!(page.lines().any(|l| l.starts_with(".TH mercer 1")), "{}", &page[..200]);
    assert!(page.contains("Learning from any data through kernels"));
}

#[test]
fn inspect_reads_every_format() {
    let arff =
        "@relation r\n@attribute a real\n@attribute b real\n@attribute class {p,q}\n@data\n1,2,p\n3,4.5,q\n";
    let columns = [Column::Double(&[1.0, 3.0], None), Column::Int32(&[2, 4]), Column::Text(&["p", "q"])];
    let schema = "required double a; required int32 b; required binary class (UTF8);";
    let two = matrix(2, &[1.0, 2.0, 3.0, 4.5]);
    let files: [(&str, Vec<u8>, &str, usize); 8] = [
        ("a.csv", TABLE.into(), "2 classes (p 2, q 2)", 4),
        ("a.tsv", TABLE.replace(',', "\t").into(), "2 classes (p 2, q 2)", 4),
        ("a.csv.gz", gz(TABLE.as_bytes()), "2 classes (p 2, q 2)", 4),
        ("a.libsvm", "+1 1:2 3:4\n-1 2:1\n+1 1:1\n".into(), "3 dimensions, 4 stored", 3),
        ("a.arff", arff.into(), "2 classes (p 1, q 1)", 2),
        ("a.npy", two.clone(), "1 … 4.5", 2),
        ("a.npz", zip(&[("x.npy", &two), ("y.npy", &matrix(2, &[0.5, 1.5]))]), "numbers from 0.5 to 1.5", 2),
        ("a.parquet", parquet(schema, &columns), "2 classes (p 1, q 1)", 2),
    ];
    let folder = Folder::new();
    for (name, content, words, objects) in files {
        folder.write(name, content);
        let text = folder.ok(&format!("inspect {name}")).out;
        assert!(
            text.starts_with(&format!("{name}: {objects} objects")) && text.contains(words),
            "{name}: {text}"
        );
        assert_eq!(folder.ok(&format!("inspect {name} --json")).json()["objects"], objects, "{name}");
    }
}

#[test]
fn the_certificate_of_a_known_matrix() {
    // Eigenvalues 3, 1 and -1.
    let folder = with("G.npy", matrix(3, &[2.0, 1.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, -1.0]));
    let document = folder.ok("inspect G.npy --json").json();
    let certificate = &document["certificate"];
    let close = |v: &Value, to: f64| assert!((v.as_f64().unwrap() - to).abs() < 1e-12, "{document}");
    close(&certificate["lambda_min"], -1.0);
    close(&certificate["lambda_max"], 3.0);
    close(&certificate["trace"], 3.0);
    assert_eq!((&certificate["n"], &certificate["negative"]), (&3.into(), &1.into()));
    for (found, expected) in document["eigenvalues"].as_array().unwrap().iter().zip([-1.0, 1.0, 3.0]) {
        close(found, expected);
    }
    assert!(folder.ok("inspect G.npy").out.contains("Gram matrix of 3 objects"));
    assert!(folder.ok("inspect G.npy --as data").out.contains("3 objects, 1 column"));
}

/// The inner products of the rows of two matrices.
fn dots(a: &(usize, usize, Vec<f64>), b: &(usize, usize, Vec<f64>)) -> Vec<f64> {
    let row = |m: &(usize, usize, Vec<f64>), i: usize| m.2[i * m.1..(i + 1) * m.1].to_vec();
    let dot = |i, j| row(a, i).iter().zip(row(b, j)).map(|(x, y)| x * y).sum();
    (0..a.0).flat_map(|i| (0..b.0).map(move |j| (i, j))).map(|(i, j)| dot(i, j)).collect()
}

#[track_caller]
fn assert_close(a: &[f64], b: &[f64], tolerance: f64) {
    assert_eq!(a.len(), b.len());
    for (x, y) in a.iter().zip(b) {
        assert!((x - y).abs() <= tolerance * (1.0 + y.abs()), "{x} and {y}");
    }
}

#[test]
fn coordinates_give_the_gram_matrix_back() {
    let folder = with("a.csv", TABLE);
    for (kind, kernel) in
        [("mercer", "rbf(gamma=0.5)"), ("empirical", "rbf(gamma=0.5)"), ("explicit", "polynomial(degree=2)")]
    {
        folder.ok(&format!("gram a.csv -k {kernel} -o K.npy"));
        folder.ok(&format!("map a.csv -k {kernel} --kind {kind} -o phi.npy"));
        folder.ok(&format!("map a.csv -k {kernel} --kind {kind} --new a.csv -o new.npy"));
        let (k, phi) = (values(&folder.read("K.npy")), values(&folder.read("phi.npy")));
        assert_close(&dots(&phi, &phi), &k.2, 1e-9);
        assert_close(&values(&folder.read("new.npy")).2, &phi.2, 1e-9);
    }
    folder.ok("map a.csv -k polynomial(degree=2) --kind explicit -o phi.csv");
    let text = String::from_utf8(folder.read("phi.csv")).unwrap();
    assert!(text.starts_with("1,a,b,a^2,b^2,a*b\n") && text.lines().count() == 5, "{text}");
    folder.ok("map a.csv -k rbf(gamma=0.5) --rank 2 -o phi.npy");
    assert_eq!(values(&folder.read("phi.npy")).1, 2);
    assert_eq!(folder.run("map a.csv -k linear --kind empirical --rank 2 -o x.npy").code, Some(2));
}

#[test]
fn new_objects_are_a_block_of_the_joint_gram() {
    let folder = with("a.csv", TABLE);
    let (header, rows) = TABLE.split_once('\n').unwrap();
    let rows: Vec<&str> = rows.lines().collect();
    folder.write("train.csv", format!("{header}\n{}\n", rows[..3].join("\n")));
    // Neither the order of columns nor a missing target matters in new objects.
    folder.write("new.csv", "b,a\n2,2\n");
    for kernel in ["rbf(gamma=0.3)", "linear", "normalize(polynomial(degree=2))"] {
        folder.ok(&format!("gram a.csv -k {kernel} -o joint.npy"));
        folder.ok(&format!("gram train.csv -k {kernel} --new new.csv -o cross.npy"));
        let (joint, cross) = (values(&folder.read("joint.npy")), values(&folder.read("cross.npy")));
        assert_eq!((cross.0, cross.1), (1, 3));
        assert_close(&cross.2, &joint.2[12..15], 1e-15);
    }
}

#[test]
fn outputs_agree() {
    let folder = with("a.csv", TABLE);
    folder.ok("gram a.csv -k rbf(gamma=0.3) -o K.npy");
    let (_, _, k) = values(&folder.read("K.npy"));
    folder.ok("gram a.csv -k rbf(gamma=0.3) -o K.csv");
    let text = String::from_utf8(folder.read("K.csv")).unwrap();
    let back: Vec<f64> = text.lines().flat_map(|l| l.split(',').map(|v| v.parse::<f64>().unwrap())).collect();
    assert_eq!(back, k);
    folder.ok("gram a.csv -k rbf(gamma=0.3) -o single.npy --f32");
    let single = folder.read("single.npy");
    let values =
        single[single.len() - 64..].chunks_exact(4).map(|b| f32::from_le_bytes(b.try_into().unwrap()));
    assert_eq!(values.collect::<Vec<_>>(), k.iter().map(|v| *v as f32).collect::<Vec<_>>());
    let shown = folder.ok("gram a.csv -k rbf(gamma=0.3)").out;
    assert!(shown.contains("1.000000") && shown.lines().count() == 5, "{shown}");
    assert_eq!(folder.run("gram a.csv -k linear -o K.csv --f32").code, Some(2));
}

#[test]
fn no_colour_without_a_terminal_or_when_unwanted() {
    let folder = with("a.csv", TABLE);
    for args in [
        "auto",
        "kernels",
        "kernels rbf",
        "learners svc",
        "inspect a.csv",
        "inspect none.csv",
        "gram a.csv -k linear",
        "--help",
    ] {
        let run = folder.run(args);
        assert!(!run.out.contains('\u{1b}') && !run.err.contains('\u{1b}'), "{args}");
    }
    let forced = |name: &str, value: &str| {
        let mut command = folder.command("kernels rbf");
        let output = command.env("CLICOLOR_FORCE", "1").env(name, value).output().unwrap();
        String::from_utf8(output.stdout).unwrap().contains('\u{1b}')
    };
    assert!(forced("UNRELATED", "1"));
    assert!(!forced("NO_COLOR", "1"));
}

/// Steps of a walk: probabilities with rows that sum to 1, and coordinates whose inner products are those of `walk`.
#[test]
fn walks_as_probabilities_and_as_coordinates() {
    let folder = with("a.csv", TABLE);
    folder.ok("gram a.csv --target class -k rbf(gamma=0.1) --transitions 3 -o P.csv");
    let rows = |name: &str| -> Vec<Vec<f64>> {
        let text = String::from_utf8(folder.read(name)).unwrap();
        let numbers = text.lines().map(|l| l.split(',').map(str::parse).collect::<Result<Vec<f64>, _>>());
        numbers.filter_map(Result::ok).collect()
    };
    let p = rows("P.csv");
    assert_eq!(p.len(), 4);
    assert!(p.iter().all(|row| (row.iter().sum::<f64>() - 1.0).abs() < 1e-12), "{p:?}");
    assert!((p[0][2] - p[2][0]).abs() > 1e-6, "not symmetric");
    assert_eq!(folder.run("gram a.csv --target class -k rbf --transitions 3 --new a.csv").code, Some(2));
    assert_eq!(folder.run("gram a.csv --target class -k rbf --transitions 0").code, Some(2));

    folder.ok("map a.csv --target class -k linear --kind walk --steps 3 -o x.csv");
    folder.ok("gram a.csv --target class -k walk(center(linear),p=3) -o W.csv");
    let (x, w) = (rows("x.csv"), rows("W.csv"));
    for i in 0..4 {
        for j in 0..4 {
            let product: f64 = x[i].iter().zip(&x[j]).map(|(a, b)| a * b).sum();
            assert!(
                (product - w[i][j]).abs() < 1e-9 * w[i][i].abs().max(1.0),
                "{i} {j}: {product} {}",
                w[i][j]
            );
        }
    }
    let run = folder.run("map a.csv --target class -k rbf --kind walk -o y.csv");
    assert!(run.code == Some(2) && run.err.contains("linear"), "{}", run.err);
}

#[test]
fn hints_can_be_followed() {
    let folder = with("a.csv", "5.1,3.5,setosa\n4.9,3.0,setosa\n4.7,3.2,setosa\n");
    let run = folder.ok("inspect a.csv");
    assert!(run.err.starts_with("W_HEADER") && run.err.contains("--header yes"), "{}", run.err);
    assert!(run.out.contains("3 objects"), "{}", run.out);
    let told = folder.ok("inspect a.csv --header yes");
    assert!(told.out.contains("2 objects") && told.err.is_empty(), "{}{}", told.out, told.err);
    let told = folder.ok("inspect a.csv --header no");
    assert!(told.out.contains("3 objects") && told.err.is_empty(), "{}{}", told.out, told.err);
    // What cannot be told apart is said with the way out.
    folder.write("years.csv", "country,1960,1961,1962\na,1,2,3\nb,4,5,6\n");
    let run = folder.ok("inspect years.csv");
    assert!(run.err.starts_with("W_HEADER") && run.err.contains("--header no"), "{}", run.err);
    folder.write("a.csv", "age,b\n1,2\n3,4\nold,5\n");
    folder.ok("gram a.csv -k delta@age -o K.npy --type age=categories");
    folder.write("a.csv", "a,b\n1,2\n3,\n4,5\n");
    let run = folder.run("gram a.csv -k linear");
    assert!(run.err.contains("E_MISSING") && run.err.contains("--missing drop"), "{}", run.err);
    folder.ok("gram a.csv -k linear --missing drop");
    folder.ok("gram a.csv -k zero-extend(linear@b)");
    folder.ok("gram a.csv -k impute(linear)");
}

#[test]
fn wrong_usage() {
    let folder = with("a.csv", TABLE);
    for args in [
        "",
        "nonsense",
        "gram",
        "gram a.csv",
        "gram a.csv -k linear --nonsense",
        "gram a.csv -k linear --format nonsense",
        "gram a.csv -k linear --index-base 2",
        "gram a.csv -k linear --type a=nonsense",
        "gram a.csv -k linear --delimiter é",
        "gram a.csv -k linear --threads 0",
        "gram a.csv -k linear(",
        "gram a.csv -k rbf(gamma=-1)",
        "gram a.csv -k rbf(gamma=1..2)",
        "gram a.csv -k rbf(gamma=1)@zzz",
        "kernels rbff",
        "learners svcc",
        "completions nonsense",
    ] {
        let run = folder.run(args);
        assert_eq!(run.code, Some(2), "{args:?}: {}{}", run.out, run.err);
        assert!(!run.err.is_empty(), "{args:?}");
    }
    assert!(folder.run("kernels rbff").err.contains("rbf"));
    assert!(folder.run("learners svcc").err.contains("such as svc or svr"));
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = Folder::new();
    for args in ["kernels", "man", "completions bash", "kernels --json"] {
        let mut shell = std::process::Command::new("bash");
        let line = format!("set -o pipefail; \"$0\" {args} | head -c 1");
        let output = shell.args(["-c", &line, env!("CARGO_BIN_EXE_mercer")]).output();
        let Ok(output) = output else {
            println!("skipped: no bash here");
            return;
        };
        assert!(output.stderr.is_empty(), "{args}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{args}: {:?}", output.status);
    }
    drop(folder);
}

/// A file of the collection of real data, if it exists.
fn real(name: &str) -> Option<PathBuf> {
    let default = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let folder = std::env::var_os("MERCER_DATA").map_or(default, PathBuf::from);
    let path = folder.join(name);
    if path.exists() {
        return Some(path);
    }
    println!("skipped: {} does not exist; MERCER_DATA names the folder", path.display());
    None
}

#[test]
fn real_data() {
    let folder = Folder::new();
    if let Some(path) = real("libsvm/a9a/a9a.gz") {
        let text = folder.ok(&format!("inspect {}", path.display())).out;
        assert!(text.contains("32561 objects") && text.contains("123 dimensions"), "{text}");
        assert!(text.contains("24720") && text.contains("7841"), "{text}");
    }
    if let Some(path) = real("categorical/mushroom/mushroom.csv") {
        let text = folder.ok(&format!("inspect {}", path.display())).out;
        assert!(text.contains("8124 objects") && text.contains("4208") && text.contains("3916"), "{text}");
    }
}
