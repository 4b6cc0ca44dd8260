//! The Rust of the guide, run as documentation tests. The tests of the program see to it that no page is forgotten.

#![allow(dead_code)]

#[doc = include_str!("../../../docs/guide/src/certificates.md")]
struct Certificates;

#[doc = include_str!("../../../docs/guide/src/explaining.md")]
struct Explaining;

#[doc = include_str!("../../../docs/guide/src/getting-started.md")]
struct GettingStarted;

#[doc = include_str!("../../../docs/guide/src/learners.md")]
struct Learners;

#[doc = include_str!("../../../docs/guide/src/models.md")]
struct Models;

#[doc = include_str!("../../../docs/guide/src/rust.md")]
struct Rust;
