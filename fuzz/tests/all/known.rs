//! Regression tests: inputs that once failed, each with its history.

use std::path::Path;

use mercer::Code;
use mercer::data::{Column, Dataset, Sparse, Values};
use mercer::gram::Engine;
use mercer::model::{Container, Model};
use mercer::read::{Limits, Options, read_bytes};
use mercer_fuzz::{MOST_TIME, find, peak_of, within};

use crate::alone;

/// Runs an input of `tests/known/`, up to three times if it is slow; returns its peak memory.
fn run(target: &str, name: &str) -> usize {
    let _one = alone();
    let bytes = std::fs::read(mercer_fuzz::folder().join("tests/known").join(name)).unwrap();
    let run = find(target).unwrap().run;
    let spent: Vec<_> = (0..3).map(|_| within(|| run(&bytes))).collect();
    assert!(spent.iter().any(|s| s.time < MOST_TIME), "{name}: {spent:?}");
    spent.iter().map(|s| s.bytes).max().unwrap_or_default()
}

/// A hundred bytes claimed an image of 55551 x 255 points, but held 15, and 170 MB were filled with the background
/// colour; in another format half as many bytes claimed more than 256 MB.
#[test]
fn small_files_of_large_images_are_refused() {
    for name in ["canvas.gif", "canvas.webp"] {
        let bytes = run("images", name);
        assert!(bytes < 1 << 20, "{name}: {bytes} bytes");
        let file = std::fs::read(mercer_fuzz::folder().join("tests/known").join(name)).unwrap();
        let error = read_bytes(Path::new(name), &file, &Options::default()).unwrap_err();
        assert_eq!(error.code(), Code::Ratio, "{name}");
    }
    let file = std::fs::read(mercer_fuzz::folder().join("tests/known/canvas.gif")).unwrap();
    // Other tests measure the memory of the process.
    let _one = alone();
    let limits = Limits { ratio: 1 << 20, ..Limits::default() };
    assert!(read_bytes(Path::new("a.gif"), &file, &Options { limits, ..Options::default() }).is_ok());
}

/// A list of maps with one entry each took 75 times its file: a map of one entry has a node with room for eleven.
#[test]
fn small_maps_are_counted_at_their_real_size() {
    let _one = alone();
    let list = format!("[{}]", vec!["{\"\":0}"; 30_000].join(","));
    let header = format!(
        "\",\"document\":{},\"format\":\"mercer-model\",\"program\":\"0\",\"version\":\"1.0\"}}}}",
        serde_json::Value::from(list)
    );
    let file = mercer_fuzz::seal::file(&header, b"");
    let (read, bytes) = peak_of(|| Container::from_bytes("m", &file).map(|_| ()));
    assert_eq!(read.unwrap_err().code(), Code::ModelSyntax);
    assert!(bytes < (16 << 20) + 4 * file.len(), "{bytes} bytes for {}", file.len());
}

/// All features were named, 2²⁷ of an imported model or 2³¹ claimed by a file, although few occur.
#[test]
fn only_features_that_occur_are_named() {
    let _one = alone();
    let engine = Engine::new().with_threads(1).unwrap();
    let text = "svm_type c_svc\nkernel_type linear\nnr_class 2\ntotal_sv 2\nrho 0.25\nlabel 1 -1\nnr_sv 1 1\nSV\n0.75 1:2 3:-1 \n-0.75 2:1.5 \n";
    let model = Model::from_bytes("svm.model", text.as_bytes(), &engine).unwrap();
    let new = Sparse::from_rows(100_000_001, &[vec![(2, 1.0), (100_000_000, 5.0)]]).unwrap();
    let new = Dataset::new(vec![Column::new("x", Values::Sparse(new))]).unwrap();
    let (why, bytes) = peak_of(|| (model.explain(&new, 9, &engine), model.weights(9)));
    let (why, weights) = (why.0.unwrap(), why.1.unwrap());
    assert_eq!(why[0].parts[0].feature, "x[3]");
    assert_eq!(weights.iter().map(|w| w.feature.as_str()).collect::<Vec<_>>(), ["x[1]", "x[2]", "x[3]"]);
    assert!(bytes < 1 << 20, "{bytes} bytes to explain three features");

    let file =
        std::fs::read(mercer_fuzz::folder().join("../crates/mercer/tests/golden/features.mercer")).unwrap();
    let mut wide = Container::from_bytes("m", &file).unwrap();
    wide.document["kept"]["columns"][0]["width"] = (1u64 << 31).into();
    let wide = Model::from_container(&wide, &engine).unwrap();
    let (_, bytes) = peak_of(|| wide.predict(wide.stored_objects(), &engine).is_ok());
    assert!(bytes < 1 << 20, "{bytes} bytes to refuse a model");
}

/// Two columns of 2³² features each were concatenated, and the indices wrapped around to 0.
#[test]
fn concatenated_features_have_valid_indices() {
    let _one = alone();
    let far = Sparse::from_rows(1 << 32, &[vec![(7, 1.0)]]).unwrap();
    let column = |name: &str| Column::new(name, Values::Sparse(far.clone()));
    let data = Dataset::new(vec![column("a"), column("b")]).unwrap();
    assert!(data.vectors(&["a".into()]).is_ok());
    assert!(data.vectors(&["a".into(), "b".into()]).is_err());
}
