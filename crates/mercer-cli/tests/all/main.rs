//! The program as people run it: what it prints, what it writes, and what it refuses.

// Helpers of tests fail as tests do.
#![allow(clippy::unwrap_used, clippy::panic)]

mod auto;
#[cfg(unix)]
mod bad_inputs;
mod commands;
#[cfg(unix)]
mod determinism;
mod evaluate;
#[cfg(target_os = "linux")]
mod faults;
mod fit;
mod graphs;
#[cfg(unix)]
mod guide;
mod make;
mod nodes;
mod report;
mod reproduce;
#[cfg(unix)]
mod resume;
mod run;
mod serve;
mod strings;
#[cfg(unix)]
mod trust;
