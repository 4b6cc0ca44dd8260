//! The memory used for loading a model, counted by the allocator.

use std::path::PathBuf;

use mercer::data::Kind;
use mercer::gram::Engine;
use mercer::model::{Container, Model};
use mercer_fuzz::{peak_of, seal};
use serde_json::{Value, json};

use crate::alone;
use crate::trust::measured;

/// The bound that the documentation of `Container` gives for any file.
const ANY_FILE: usize = 16 << 20;
/// The bound for models of this program, beyond four times their files: maps and short strings.
const OWN_FILE: usize = 64 << 10;

fn golden() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = mercer_fuzz::folder().join("../crates/mercer/tests/golden");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == "mercer"));
    paths.sort_unstable();
    paths.into_iter().map(|p| (p.clone(), std::fs::read(p).unwrap())).collect()
}

/// The file itself, and its model. Images are encoded one at a time while their model is loaded.
#[test]
fn models_take_four_times_their_files() {
    let _one = alone();
    let engine = Engine::new().with_threads(1).unwrap();
    let (mut most, mut models, mut images) = (0usize, 0, 0usize);
    // Memory allocated once for all models does not count.
    for (_, bytes) in golden() {
        let _ = Model::from_bytes("m", &bytes, &engine).unwrap();
    }
    for (path, bytes) in golden() {
        let (file, own) = peak_of(|| Container::from_bytes("m", &bytes));
        let (model, whole) = peak_of(|| Model::from_bytes("m", &bytes, &engine));
        let has_images =
            model.unwrap().stored_objects().columns().iter().any(|c| c.values.kind() == Kind::Images);
        file.unwrap();
        let beyond = |peak: usize| peak.saturating_sub(4 * bytes.len());
        let counted = if has_images { own } else { own.max(whole) };
        assert!(
            beyond(counted) <= OWN_FILE,
            "{}: {own} and {whole} bytes for {}",
            path.display(),
            bytes.len()
        );
        assert!(beyond(whole) <= ANY_FILE, "{}: {whole} bytes for {}", path.display(), bytes.len());
        most = most.max(beyond(counted));
        images = images.max(if has_images { beyond(whole) } else { 0 });
        models += 1;
    }
    let figures = json!({
        "files": "golden models", "models": models, "beyond_four_times_kb": most.div_ceil(1000),
        "encoding_images_kb": images.div_ceil(1000),
    });
    measured("allocation", "allocation::models_take_four_times_their_files", &figures);
}

/// A file whose header has that document and those entries.
fn file(document: &str, entries: &str, data: &[u8]) -> Vec<u8> {
    let document = Value::from(document);
    let meta = format!(
        "\",\"document\":{document},\"format\":\"mercer-model\",\"program\":\"0\",\"version\":\"1.0\"}}{entries}}}"
    );
    seal::file(&meta, data)
}

#[test]
fn files_made_to_fill_memory_take_what_is_promised() {
    let _one = alone();
    let engine = Engine::new().with_threads(1).unwrap();
    let list = |item: &str, n: usize| format!("[{}]", vec![item; n].join(","));
    let map = |value: &str, n: usize| {
        format!("{{{}}}", (0..n).map(|i| format!("\"{i}\":{value}")).collect::<Vec<_>>().join(","))
    };
    let entries = |n: usize| {
        let entry = |i: usize| format!(",\"{i}\":{{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}}");
        (0..n).map(entry).collect::<String>()
    };
    let huge = r#","a":{"dtype":"F64","shape":[1152921504606846976],"data_offsets":[0,9223372036854775808]}"#;
    let mut files = vec![
        ("a huge count", file("{}", huge, b"")),
        ("a long text", file(&format!("\"{}\"", "x".repeat(1 << 20)), "", b"")),
        (
            "large arrays",
            file(
                "{}",
                &format!(
                    ",\"a\":{{\"dtype\":\"F64\",\"shape\":[{}],\"data_offsets\":[0,{}]}}",
                    1 << 20,
                    8 << 20
                ),
                &vec![0; 8 << 20],
            ),
        ),
    ];
    for n in [1_000, 30_000, 300_000] {
        files.push(("a list of numbers", file(&list("0", n), "", b"")));
        files.push(("a list of lists", file(&list("[]", n), "", b"")));
        files.push(("a list of maps", file(&list("{\"\":0}", n), "", b"")));
        files.push(("a list of texts", file(&list("\"\"", n), "", b"")));
        files.push(("a map", file(&map("0", n), "", b"")));
        files.push(("a map of maps", file(&map("{}", n), "", b"")));
        files.push(("many arrays", file("{}", &entries(n), b"")));
    }
    let mut most = 0;
    for (what, bytes) in &files {
        let (_, peak) = peak_of(|| {
            let _ = Container::from_bytes("m", bytes);
        });
        let (_, whole) = peak_of(|| {
            let _ = Model::from_bytes("m", bytes, &engine);
        });
        let beyond = peak.max(whole).saturating_sub(4 * bytes.len());
        assert!(beyond <= ANY_FILE, "{what}: {peak} and {whole} bytes for {}", bytes.len());
        most = most.max(beyond);
    }
    let figures = json!({"files": "made to fill memory", "models": files.len(), "beyond_four_times_kb": most.div_ceil(1000)});
    measured("allocation", "allocation::files_made_to_fill_memory_take_what_is_promised", &figures);
}
