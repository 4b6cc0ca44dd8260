//! Molecules from text: what is refused and where, what is perceived, and what does not depend on the notation.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod drawing;
mod perceived;
mod properties;
mod refused;
