//! Short and full forms of tests, and the figures they measured.

use std::fs::OpenOptions;
use std::io::Write;

use serde_json::{Value, json};

/// Whether tests are to run in full: `MERCER_TRUST` is `full`.
pub(crate) fn full() -> bool {
    std::env::var_os("MERCER_TRUST").is_some_and(|form| form == "full")
}

/// Appends what a test measured to the file that `MERCER_TRUST_FIGURES` names, if it names one.
pub(crate) fn measured(promise: &str, test: &str, figures: &Value) {
    let Some(path) = std::env::var_os("MERCER_TRUST_FIGURES") else { return };
    // One write, so that lines of tests that end together stay whole.
    let line = format!("{}\n", json!({ "promise": promise, "test": test, "figures": figures }));
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(line.as_bytes()).unwrap();
}
