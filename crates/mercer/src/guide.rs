//! The guide's Rust examples, run as documentation tests. A test of mercer-cli checks that every page is included.

#![allow(dead_code)]

#[doc = include_str!("../../../docs/guide/src/certificates.md")]
struct Certificates;

#[doc = include_str!("../../../docs/guide/src/doctor.md")]
struct Doctor;

#[doc = include_str!("../../../docs/guide/src/explaining.md")]
struct Explaining;

#[doc = include_str!("../../../docs/guide/src/getting-started.md")]
struct GettingStarted;

#[doc = include_str!("../../../docs/guide/src/learners.md")]
struct Learners;

#[doc = include_str!("../../../docs/guide/src/models.md")]
struct Models;

#[doc = include_str!("../../../docs/guide/src/own-kernel.md")]
struct OwnKernel;

#[doc = include_str!("../../../docs/guide/src/rust.md")]
struct Rust;
