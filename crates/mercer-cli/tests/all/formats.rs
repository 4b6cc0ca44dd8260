//! Formats that were once detected wrongly.

use crate::make::{gz, zip};
use crate::run::Folder;

/// Two classes of series, in the format of older files of the UCR archive.
fn ucr() -> String {
    let mut text = String::new();
    for i in 0..12u32 {
        text += &format!("   {:.7e}", f64::from(i % 2 + 1)).replace("e0", "e+00");
        for t in 0..20u32 {
            let value = (f64::from(t) * if i % 2 == 0 { 0.3 } else { 0.9 } + f64::from(i) * 0.01).sin();
            text += &format!("  {:>14}", format!("{value:.7e}"));
        }
        text.push('\n');
    }
    text
}

#[test]
fn series_of_the_ucr_archive_with_spaces() {
    let folder = Folder::new();
    for name in ["A_TRAIN.txt", "a.txt", "a"] {
        folder.write(name, ucr());
        let seen = folder.ok(&format!("inspect {name} --json")).json();
        assert_eq!(
            (&seen["objects"], &seen["columns"][0]["kind"]),
            (&12.into(), &"series".into()),
            "{name}: {seen}"
        );
        assert_eq!(seen["target"]["counts"], serde_json::json!({"1": 6, "2": 6}), "{seen}");
    }
    let found = folder.ok("evaluate A_TRAIN.txt -k dtw -l knn --protocol 3-fold --json").json();
    assert_eq!(found["measures"][0]["mean"], 1.0, "{found}");
    // Other numbers separated by spaces are not read as a table of one column.
    folder.write("b.txt", "1.5  2   3\n4  5   6\n7  8   9\n");
    folder.refused("inspect b.txt", "b.txt:1:1 E_FORMAT numbers separated by varying numbers of spaces");
    folder.write("c.txt", "a b class\n1 2 x\n");
    folder.write("d.txt", "1 2 3\n4 5 6\n7 8 9\n");
    let seen = folder.ok("inspect d.txt --json").json();
    assert_eq!(seen["columns"].as_array().unwrap().len(), 3, "{seen}");
}

#[test]
fn sequences_with_qualities() {
    let folder = Folder::new();
    let record = |i: u32| {
        let sequence = if i.is_multiple_of(2) { "ACACACACAC" } else { "GTTGTTGTTG" };
        format!("@r{i} class={}\n{sequence}\n+\n@IIIIIIII!\n", ["x", "y"][i as usize % 2])
    };
    let text: String = (0..12).map(record).collect();
    for (name, bytes) in [
        ("a.fastq", text.clone().into_bytes()),
        ("a.fq.gz", gz(text.as_bytes())),
        ("a.txt", text.clone().into_bytes()),
    ] {
        folder.write(name, bytes);
        let run = folder.ok(&format!("inspect {name} --json"));
        let seen = run.json();
        assert_eq!(
            (&seen["objects"], &seen["columns"][0]["kind"]),
            (&12.into(), &"strings".into()),
            "{name}: {seen}"
        );
        assert!(seen["warnings"][0].as_str().unwrap().starts_with("W_QUALITY"), "{seen}");
    }
    let found = folder.ok("evaluate a.fastq -k spectrum(k=2) -l svc --protocol 3-fold --json").json();
    assert_eq!(found["measures"][0]["mean"], 1.0, "{found}");
    folder.write("cut.fastq", &text[..text.len() - 4]);
    folder.refused("inspect cut.fastq", "cut.fastq:48:1 E_SYNTAX");
}

#[test]
fn files_of_other_programs_are_refused_by_name() {
    let folder = Folder::new();
    let workbook = zip(&[
        ("[Content_Types].xml", b"<x/>"),
        ("xl/workbook.bin", b"x"),
        ("xl/worksheets/sheet1.bin", b"x"),
    ]);
    let files: [(&[u8], &str); 5] = [
        (&workbook, "this is an Excel workbook in binary form (xlsb)"),
        (b"%PDF-1.4\n1,2\n3,4\n", "this is a PDF document"),
        (b"<html>\n<body>1,2</body>\n</html>\n", "this is a web page"),
        (b"\x89HDF\r\n\x1a\n\0", "this is an HDF5 file"),
        (b"\x80\x04\x95\x0a\0\0\0\0\0\0\0]\x94.", "this is a Python pickle"),
    ];
    for (bytes, says) in files {
        for name in ["a.xlsx", "a.csv", "a.dat", "a"] {
            folder.write(name, bytes);
            for command in ["inspect", "evaluate -k linear"] {
                let run = folder.refused(&format!("{command} {name}"), &format!("{name} E_FORMAT {says}"));
                assert!(run.err.contains("hint: "), "{}", run.err);
            }
        }
    }
    folder.ok("fit iris -k linear -l svc -o m.mercer -q");
    folder.refused("fit m.mercer -k linear -o n.mercer", "m.mercer E_FORMAT this is a mercer model");
}

#[test]
fn a_model_cut_short_is_a_model() {
    let folder = Folder::new();
    folder.write("m.mercer", "1234567");
    folder.refused("inspect m.mercer", "m.mercer E_MODEL_CHECKSUM truncated: 7 bytes");
    folder.write("m.mercer", "");
    folder.refused("inspect m.mercer", "m.mercer E_MODEL_CHECKSUM");
    folder.write("m.mercer", "a,b\n1,2\n3,4\n5,6\n7,8\n9,1\n2,3\n4,5\n6,7\n8,9\n1,2\n3,4\n");
    folder.refused("inspect m.mercer", "m.mercer E_MODEL_SYNTAX not a model");
}

#[test]
fn booleans_are_numbers_and_as_a_target_classes() {
    let folder = Folder::new();
    let mut text = String::from("flag,x,class\n");
    (0..20).for_each(|i| text += &format!("{},{},{}\n", ["True", "False"][i % 2], i % 3, ["a", "b"][i % 2]));
    folder.write("a.csv", &text);
    folder.write("b.csv", text.replace("True", "1").replace("False", "0"));
    let gram = |args: &str| {
        folder.ok(&format!("gram {args} -k rbf(gamma=0.5) -o k.csv -q")).code.map(|_| folder.read("k.csv"))
    };
    assert_eq!(gram("a.csv"), gram("b.csv"));
    // The same as categories, on request.
    folder.ok("gram a.csv --type flag=categories -k delta@flag -o k.csv -q");
    // New objects are read as the training objects were.
    folder.ok("fit a.csv -k rbf(gamma=0.5) -l svc -o m.mercer -q");
    folder.write("new.csv", "flag,x\nTRUE,1\nfalse,2\n");
    folder.write("same.csv", "flag,x\n1,1\n0,2\n");
    let told = |name: &str| {
        folder.ok(&format!("predict m.mercer {name} --decisions --json")).json()["decisions"].clone()
    };
    assert_eq!(told("new.csv"), told("same.csv"));
    let seen = folder.ok("inspect a.csv --target flag --json").json();
    assert_eq!(seen["target"]["counts"], serde_json::json!({"True": 10, "False": 10}), "{seen}");
}

#[test]
fn maps_are_written_with_their_labels() {
    let folder = Folder::new();
    folder.write("a.csv", "x,y,class\n1,2,-1\n3,4,1\n5,5,1\n");
    folder.ok("map a.csv -k linear --kind explicit -o a.libsvm");
    assert_eq!(folder.read("a.libsvm"), b"-1 1:1 2:2\n1 1:3 2:4\n1 1:5 2:5\n");
    let run = folder.ok("map iris -k linear --kind explicit -o iris.libsvm");
    assert!(run.out.contains("labels: 0 = setosa, 1 = versicolor, 2 = virginica"), "{}", run.out);
    let text = String::from_utf8(folder.read("iris.libsvm")).unwrap();
    let label =
        |i: usize| text.lines().nth(i).and_then(|l| l.split(' ').next()).unwrap_or_default().to_owned();
    assert_eq!([label(0), label(50), label(149)], ["0", "1", "2"]);
    folder.write("n.csv", "x,y\n1,0.5\n2,-3\n");
    folder.ok("map n.csv --target y -k linear --kind explicit -o n.libsvm --new n.csv");
    assert_eq!(folder.read("n.libsvm"), b"0.5 1:1\n-3 1:2\n");
    folder.write("u.csv", "x\n1\n2\n");
    folder.ok("map u.csv -k linear --kind explicit -o u.libsvm");
    assert_eq!(folder.read("u.libsvm"), b"0 1:1\n0 1:2\n");
}

#[test]
fn classes_not_seen_in_training_are_named() {
    let folder = Folder::new();
    folder.ok("fit iris -k linear -l svc -o m.mercer -q");
    let text = "sepal_length,sepal_width,petal_length,petal_width,class\n5.1,3.5,1.4,0.2,Iris-setosa\n6.3,2.9,5.6,1.8,virginica\n";
    folder.write("a.csv", text);
    let run = folder.ok("predict m.mercer a.csv");
    assert!(
        run.err.contains("W_CLASSES 1 of the classes of 'class' not seen in training (Iris-setosa)"),
        "{}",
        run.err
    );
    folder.write("a.csv", text.replace("Iris-", ""));
    assert!(!folder.ok("predict m.mercer a.csv").err.contains("W_CLASSES"));
}

#[test]
fn sequences_whose_headers_are_classes() {
    let folder = Folder::new();
    let text: String =
        (0..12).map(|i| format!(">{}\n{}\n", i % 2, ["ACACACAC", "GTTGTTGT"][i % 2])).collect();
    folder.write("a.fasta", text);
    for more in ["", "--class-in-header 1"] {
        let args = format!("evaluate a.fasta {more} -k spectrum(k=2) -l svc --protocol 3-fold --json");
        let found = folder.ok(&args).json();
        assert_eq!((&found["objects"], &found["measures"][0]["mean"]), (&12.into(), &1.0.into()), "{found}");
    }
    // A name that occurs twice among others is a mistake.
    folder.write("b.fasta", ">a\nAC\n>b\nAC\n>c\nAC\n>a\nAC\n");
    let run = folder.refused("inspect b.fasta", "b.fasta:7:1 E_SEQ_DUP duplicate sequence name 'a'");
    assert!(run.err.contains("--class-in-header 1"), "{}", run.err);
}

#[test]
fn outputs_are_what_their_names_say() {
    let folder = Folder::new();
    folder.ok("fit iris -k linear -l svc -o m.mercer -q");
    for (command, endings, written) in [
        (
            "gram iris -k linear",
            &["tsv", "json", "parquet", "mtx", "libsvm", "npz", "csv.gz"][..],
            "matrices are written as .npy or .csv",
        ),
        (
            "map iris -k linear",
            &["libsvm", "npz", "tsv", "parquet"],
            "coordinates are written as .npy or .csv",
        ),
        (
            "map iris -k linear --kind explicit",
            &["npz", "tsv", "arff"],
            "features are written as .npy or .csv or .libsvm",
        ),
        (
            "predict m.mercer iris",
            &["npy", "libsvm", "tsv"],
            "predictions are written as .csv or .json or .parquet or .arrow",
        ),
        (
            "predict m.mercer iris --mutate",
            &["parquet", "npy"],
            "predictions are written as .csv or .json, not",
        ),
    ] {
        for ending in endings {
            let run = folder.refused(&format!("{command} -o out.{ending}"), "E_USAGE");
            assert!(run.err.contains(&format!("out.{ending}: {written}")), "{}", run.err);
        }
    }
    folder.ok("gram iris -k linear -o K.NPY");
    folder.ok("gram iris -k linear -o K");
    folder.ok("predict m.mercer iris -o p.txt");
    // What is written is read again, with the same predictions.
    for ending in ["csv", "parquet", "arrow", "feather"] {
        folder.ok(&format!("predict m.mercer iris --decisions -o p.{ending}"));
        let read = folder.ok(&format!("inspect p.{ending} --target prediction")).out;
        assert!(read.contains("150 objects") && read.contains("setosa 50"), "{ending}: {read}");
    }
}

#[test]
fn two_files_of_sequences_take_the_place_of_the_data() {
    let folder = Folder::new();
    let sequences = |name: &str, symbol: &str| {
        (0..12)
            .map(|i| format!(">{name}{i}\nAC{}GT{}\n", symbol.repeat(i % 4 + 1), "AC".repeat(i % 3)))
            .collect::<String>()
    };
    folder.write("a.fa", sequences("p", "TTA"));
    folder.write("b.fa.bz2", sequences("n", "GGC"));
    let two = "--positive a.fa --negative b.fa.bz2 -q";
    folder.ok(&format!("fit {two} -k spectrum(k=2) -l svc -o m.mercer"));
    folder.ok(&format!("evaluate {two} -k spectrum(k=2) -l svc --protocol 3-fold"));
    folder.ok(&format!("compare {two} -m spectrum(k=2)|svc -m spectrum(k=1)|svc --protocol 3-fold"));
    folder.ok(&format!("gram {two} -k spectrum(k=2) -o K.npy"));
    folder.ok(&format!("map {two} -k spectrum(k=2) -o x.csv"));
    let run = folder.ok(&format!("inspect {two}"));
    assert!(run.out.contains("2 classes (positive 12, negative 12)"), "{}", run.out);
    let run = folder.ok(&format!("predict m.mercer {two} -o p.csv"));
    assert!(run.err.is_empty(), "{}", run.err);
    for wrong in [
        "fit --positive a.fa -o n.mercer",
        "fit a.fa --positive a.fa --negative b.fa.bz2 -o n.mercer",
        "inspect",
    ] {
        assert_eq!(folder.run(wrong).code, Some(2), "{wrong}");
    }
    // Neither of the two may be overwritten.
    assert_eq!(folder.run(&format!("map {two} -k spectrum(k=2) -o a.fa --force")).code, Some(2));
}

#[test]
fn classes_in_headers_that_repeat() {
    let folder = Folder::new();
    folder.write("e.fasta", ">1\nacgtac\n>1\nACGTTT\n>0\nGGGCCC\n>0\nggcccg\n");
    let run = folder.ok("inspect e.fasta");
    assert!(run.out.contains("2 classes (1 2, 0 2)"), "{}", run.out);
    assert!(run.err.contains("W_HEADERS") && run.err.contains("W_CASE"), "{}", run.err);
}

#[test]
fn a_query_of_a_database() {
    let folder = Folder::new();
    let database =
        std::fs::read(format!("{}/../../fuzz/corpus/sqlite/table", env!("CARGO_MANIFEST_DIR"))).unwrap();
    folder.write("a.sqlite", &database);
    let run = folder.ok("inspect a.sqlite::t");
    assert!(run.out.starts_with("a.sqlite::t: 3 objects, 2 columns"), "{}", run.out);
    let run = crate::run::Run::of(
        folder.command("inspect a.sqlite --query").arg("SELECT a, class FROM t WHERE a > 1.6"),
    );
    assert!(run.out.starts_with("a.sqlite: 1 object, 1 column"), "{}{}", run.out, run.err);
    // The database is an input, whatever table is read.
    assert_eq!(folder.run("map a.sqlite::t -k linear -o a.sqlite --force").code, Some(2));
    assert!(folder.read("a.sqlite") == database);
}
