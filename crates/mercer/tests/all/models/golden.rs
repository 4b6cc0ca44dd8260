//! Models of past versions give the same predictions.

use mercer::model::LibsvmModel;
use serde_json::json;

use super::{Golden, said};
use crate::support::engine;
use crate::trust::measured;

/// The instruction sets that the last bits of a matrix product depend on.
pub(super) fn processor() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        let has = [
            std::is_x86_feature_detected!("avx2"),
            std::is_x86_feature_detected!("fma"),
            std::is_x86_feature_detected!("avx512f"),
        ];
        format!("x86_64 {has:?}")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        std::env::consts::ARCH.to_owned()
    }
}

/// Checks that numbers equal the stored ones to twelve digits.
pub(super) fn assert_near(golden: &Golden, found: &[f64]) {
    let expected = golden.answers.f64s("numbers").unwrap();
    assert_eq!(found.len(), expected.len(), "{}", golden.name);
    for (i, (a, b)) in found.iter().zip(expected).enumerate() {
        let near = (a - b).abs() <= 1e-12 * a.abs().max(b.abs()).max(1.0);
        assert!(near, "{}: number {i} is {a:e}, was {b:e}", golden.name);
    }
}

/// Bit-identical on the same type of processor, to twelve digits on others.
#[test]
fn golden_models_answer_as_they_did() {
    let (mut models, mut bytes, mut numbers, mut exact) = (0usize, 0usize, 0usize, 0usize);
    for golden in Golden::all() {
        let model = golden.load();
        let objects = golden.objects();
        let (words, found) = said(&model.predict(&objects, engine()).unwrap());
        let known: Vec<String> = serde_json::from_value(golden.answers.document["words"].clone()).unwrap();
        let expected = golden.answers.f64s("numbers").unwrap();
        assert_eq!(words, known, "{}", golden.name);
        let same_processor = golden.answers.document["processor"] == processor();
        assert_near(&golden, &found);
        if same_processor {
            let moved = found.iter().zip(expected).position(|(a, b)| a.to_bits() != b.to_bits());
            assert_eq!(moved, None, "{}: the last digits of this number changed", golden.name);
        }
        exact += if same_processor { found.len() } else { 0 };
        // Loading and saving does not change a model.
        if golden.is_own() {
            let saved = model.to_bytes().unwrap();
            let again = mercer::model::Model::from_bytes("again", &saved, engine()).unwrap();
            assert_eq!(said(&again.predict(&objects, engine()).unwrap()).1.len(), found.len());
        } else {
            let text = model.to_libsvm().unwrap().to_text().unwrap();
            let again = LibsvmModel::from_bytes("again", text.as_bytes()).unwrap();
            assert_eq!(again.to_text().unwrap(), text);
        }
        models += 1;
        bytes += golden.bytes.len();
        numbers += found.len();
    }
    // Fewer would mean that files were lost.
    assert!(models >= 25, "{models} golden models");
    let figures = json!({"models": models, "bytes": bytes, "numbers": numbers, "equal_to_the_bit": exact});
    measured("golden-models", "models::golden::golden_models_answer_as_they_did", &figures);
}

/// The version is in the header, covered by the checksum.
#[test]
fn models_of_a_newer_version_are_refused_as_such() {
    let golden = Golden::all().into_iter().find(|g| g.name == "ridge").unwrap();
    for (version, code) in [
        ("2.0", "E_MODEL_VERSION"),
        ("18446744073709551615.9", "E_MODEL_VERSION"),
        ("0.9", "E_MODEL_SYNTAX"),
        ("1.7", ""),
    ] {
        let bytes = super::crafted::with_header(&golden.bytes, |text| {
            text.replace("\"version\":\"1.0\"", &format!("\"version\":\"{version}\""))
        });
        match mercer::model::Model::from_bytes("m", &bytes, engine()) {
            Ok(_) => assert_eq!(code, "", "{version}"),
            Err(e) => assert_eq!(e.code().as_str(), code, "{version}: {e}"),
        }
    }
}
