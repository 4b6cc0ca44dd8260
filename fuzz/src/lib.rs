//! Any bytes through every door of the library and the program.
//!
//! A target is a plain function from bytes; it may refuse them, and may do nothing else: no panic, no more than a second,
//! no more than 256 MB for the few kilobytes of an input. Two drivers run the same targets: the tests of this crate, which
//! mutate the files in `corpus/` by a seeded stream, and libFuzzer, which is led by the branches the code takes
//! (`cargo xtask fuzz`).
//!
//! The crate is a member of the workspace, so that the tests use the library the other tests use; what only instrumented
//! builds need is behind the feature `libfuzzer`, and they have a target folder of their own.

// A target that finds something says so by a panic, as a test does.
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

/// The largest input.
pub const LONGEST: usize = 4096;

/// The target of that name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|t| t.name == name)
}

/// The folder of this crate.
pub fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The inputs that are kept for a target, in the order of their names.
pub fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = folder().join("corpus").join(target);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|e| e.path()).collect();
    paths.sort_unstable();
    paths.iter().filter_map(|p| std::fs::read(p).ok()).collect()
}
