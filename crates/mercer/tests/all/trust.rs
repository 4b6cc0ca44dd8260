//! Short and full forms of tests, and their measured figures.

use std::fs::OpenOptions;
use std::io::Write;

use serde_json::{Value, json};

/// Whether tests run in full: `MERCER_TRUST` is `full`.
pub(crate) fn full() -> bool {
    std::env::var_os("MERCER_TRUST").is_some_and(|form| form == "full")
}

/// Appends the figures of a test to the file named by `MERCER_TRUST_FIGURES`, if set.
pub(crate) fn measured(promise: &str, test: &str, figures: &Value) {
    let Some(path) = std::env::var_os("MERCER_TRUST_FIGURES") else { return };
    // One write, so that lines of tests that end at the same time do not mix.
    let line = format!("{}\n", json!({ "promise": promise, "test": test, "figures": figures }));
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}
