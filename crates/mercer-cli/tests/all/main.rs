//! Tests that run the program: its output, the files it writes, and the input it refuses.

// Test helpers may panic, like tests.
#![allow(clippy::unwrap_used, clippy::panic)]

mod auto;
#[cfg(unix)]
mod bad_inputs;
mod commands;
#[cfg(unix)]
mod determinism;
mod doctor;
mod evaluate;
mod explain;
#[cfg(target_os = "linux")]
mod faults;
mod fit;
mod formats;
mod graphs;
#[cfg(unix)]
mod guide;
mod library;
mod make;
mod molecules;
mod nodes;
mod oracles;
#[cfg(unix)]
mod outputs;
mod reading;
mod report;
mod reproduce;
#[cfg(unix)]
mod resume;
mod run;
mod sanity;
mod serve;
#[cfg(target_os = "linux")]
mod serve_limits;
mod serve_rules;
mod serving;
#[cfg(target_os = "linux")]
mod soak;
mod splits;
mod strings;
mod suggest;
mod sure;
mod targets;
#[cfg(unix)]
mod trust;
mod wild;
