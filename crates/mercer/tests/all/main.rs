//! Integration tests of the library: laws of all kernels, the expression language, worked values.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

/// Counts the memory in use for budgets, as in the program.
#[global_allocator]
static ALLOCATOR: mercer::budget::CountingAllocator = mercer::budget::CountingAllocator;

mod budget;
mod differential;
mod doctor;
mod examples;
mod explanations;
mod expression;
mod generate;
mod graph_pairs;
mod graphs;
mod growth;
mod images;
mod laws;
mod leaks;
mod metamorphic;
mod models;
mod series_archive;
mod smooth;
mod steps;
mod support;
mod trust;
mod typed;
mod uncertainty;
mod vectors;
mod walks;
mod worked_values;
mod wrappers;
