//! Runs every target on its corpus and mutations of it; regression tests; the memory used for loading models.

// Helpers of tests may panic like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod allocation;
mod known;
mod mutations;
mod seeds;
// One helper for the tests of both packages.
#[path = "../../../crates/mercer/tests/all/trust.rs"]
mod trust;

use std::sync::{Mutex, MutexGuard};

/// Memory is counted for the whole process, so only one test runs at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
