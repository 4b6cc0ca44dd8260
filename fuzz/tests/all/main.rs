//! Every target over its corpus and mutations of it; inputs that once broke something; the memory models take to load.

// Helpers of tests fail as tests do.
#![allow(clippy::unwrap_used, clippy::panic)]

mod allocation;
mod known;
mod mutations;
mod seeds;
// One helper for the tests of both packages.
#[path = "../../../crates/mercer/tests/all/trust.rs"]
mod trust;

use std::sync::{Mutex, MutexGuard};

/// Memory is counted for the whole process, so one test works at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
