//! Damaged files: every byte changed, every truncation.

use mercer::model::Model;
use mercer::random::Random;
use serde_json::json;

use super::Golden;
use crate::support::engine;
use crate::trust::{full, measured};

/// The models tested with every changed byte and every truncation: the smallest, one with non-numeric objects, and a blend. The
/// full form uses all.
fn chosen() -> Vec<Golden> {
    let all = Golden::all().into_iter().filter(Golden::is_own);
    all.filter(|g| full() || matches!(g.name.as_str(), "ridge" | "graphs" | "blend-numbers")).collect()
}

/// The code of the error, which must be one of models.
fn refused(bytes: &[u8], what: impl Fn() -> String) -> &'static str {
    match Model::from_bytes("m.mercer", bytes, engine()) {
        Ok(_) => panic!("{}: a model", what()),
        Err(e) => {
            assert!(e.code().as_str().starts_with("E_MODEL_"), "{}: {e}", what());
            e.code().as_str()
        }
    }
}

#[test]
fn any_changed_byte_is_found() {
    let mut random = Random::new(64);
    let (mut changes, mut by_sum) = (0u64, 0u64);
    let models = chosen();
    for golden in &models {
        let mut bytes = golden.bytes.clone();
        for at in 0..bytes.len() {
            let own = bytes[at];
            for other in [own ^ (1 << random.below(8)), own ^ 0xff] {
                bytes[at] = other;
                let code = refused(&bytes, || format!("{}: byte {at} changed to {other}", golden.name));
                by_sum += u64::from(code == "E_MODEL_CHECKSUM");
                changes += 1;
            }
            bytes[at] = own;
        }
    }
    assert_eq!(by_sum, changes, "a change that is not reported as damage");
    let figures =
        json!({"models": models.len(), "changes": changes, "found_by_checksum": by_sum, "loaded": 0});
    measured("byte-flips", "models::damage::any_changed_byte_is_found", &figures);
}

#[test]
fn any_cut_is_found() {
    let models = chosen();
    let mut cuts = 0u64;
    for golden in &models {
        for len in 0..golden.bytes.len() {
            refused(&golden.bytes[..len], || format!("{}: cut to {len} bytes", golden.name));
            cuts += 1;
        }
        // Bytes after the end are damage too.
        for more in [1usize, 8, 4096] {
            let longer = [&golden.bytes[..], &vec![0; more]].concat();
            refused(&longer, || format!("{}: {more} bytes after the end", golden.name));
        }
    }
    let figures = json!({"models": models.len(), "cuts": cuts, "loaded": 0});
    measured("truncations", "models::damage::any_cut_is_found", &figures);
}
