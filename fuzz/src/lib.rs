//! Fuzzing: arbitrary bytes as input of every interface of the library and the program.
//!
//! A target is a plain function from bytes. It may refuse them, but must not panic, take more than a second, or use
//! more than 256 MB for an input of a few kilobytes. Two drivers run the same targets: the tests of this crate, which
//! mutate the files in `corpus/` with a seeded generator, and libFuzzer, which is guided by code coverage
//! (`cargo xtask fuzz`).
//!
//! The crate is a member of the workspace, so that it uses the same library build as the other tests. Code for
//! instrumented builds only is behind the feature `libfuzzer`, and these have a separate target folder.

// A target reports a failure by a panic, as a test does.
#![allow(clippy::panic)]

mod archive;
mod limits;
pub mod mutate;
pub mod seal;
mod targets;
mod words;

pub use limits::{MOST_BYTES, MOST_TIME, Spent, peak_of, within, worked};
pub use targets::{TARGETS, Target};
pub use words::words;

use std::path::PathBuf;

/// Maximum length of an input.
pub const LONGEST: usize = 4096;

/// Finds a target by name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|t| t.name == name)
}

/// The folder of this crate.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The corpus of a target, sorted by file name.
pub fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = folder().join("corpus").join(target);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.sort_unstable();
    paths.iter().filter_map(|p| std::fs::read(p).ok()).collect()
}
