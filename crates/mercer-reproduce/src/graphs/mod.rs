//! Benchmark of all graph kernels on the collections of the literature: run time and nested cross-validation accuracy.
//!
//! For each kernel of a fixed list ([`METHODS`]) a support vector machine is evaluated by repeated 10-fold
//! cross-validation. C and the kernel's parameters are chosen by cross-validation within each training set. All kernels
//! use the same splits. Three baselines are always included: the majority class, the numbers of nodes and edges only,
//! and the node label counts only. On several collections few kernels are better.
//!
//! Kernels are normalised. Data of a collection that a kernel cannot use are ignored, with a note. Parameters with
//! which a kernel diverges or overflows on a collection are left out of its grid, with a note. A kernel that is not in
//! the registry is listed as not run.
//!
//! Run time is that of the Gram matrix of all graphs for the last of the kernel's parameters, including preparation but
//! not reading.

mod problems;
mod render;
mod run;
mod study;
#[cfg(test)]
mod tests;

pub use problems::{Collection, chosen, collections};
pub use render::GraphReport;
pub(super) use run::run;
pub use study::{Chosen, GraphOutcome, memory_needed, study};

use crate::expression;

/// A kernel of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name in tables.
    pub name: &'static str,
    /// Its name in the registry.
    pub entry: &'static str,
    /// The kernels to choose from, as expressions with ranges.
    pub kernels: &'static [&'static str],
    /// Whether it is one of the two baseline kernels.
    pub baseline: bool,
}

const fn method(name: &'static str, entry: &'static str, kernels: &'static [&'static str]) -> Method {
    Method { name, entry, kernels, baseline: false }
}

/// The kernels of the study, baselines first.
pub const METHODS: &[Method] = &[
    Method {
        baseline: true,
        ..method(
            "graph size only",
            "graph-size",
            &["rbf-of(graph-size(ignore=others), gamma=2^-13..2^1 step 2)"],
        )
    },
    Method {
        baseline: true,
        ..method(
            "label counts only",
            "vertex-histogram",
            &[
                "normalize(vertex-histogram(ignore=others))",
                "rbf-of(vertex-histogram(ignore=others), gamma=2^-13..2^1 step 2)",
            ],
        )
    },
    method("edge histogram", "edge-histogram", &["normalize(edge-histogram(ignore=others))"]),
    method(
        "vertex-edge histogram",
        "vertex-edge-histogram",
        &["normalize(vertex-edge-histogram(ignore=others))"],
    ),
    method("WL subtree", "wl", &["normalize(wl(h=0..5, ignore=others))"]),
    method("WL, edge labels", "wl", &["normalize(wl(h=0..5, edge-labels=yes, ignore=others))"]),
    method("WL assignment", "wl-oa", &["normalize(wl-oa(h=0..5, ignore=others))"]),
    method("WL edges", "wl", &["normalize(wl(h=0..5, base=edge, ignore=others))"]),
    method("WL shortest path", "wl", &["normalize(wl(h=0..3, base=shortest-path, ignore=others))"]),
    method("shortest path", "shortest-path", &["normalize(shortest-path(ignore=others))"]),
    method("graphlet", "graphlet", &["normalize(graphlet(size=[3, 4, 5], ignore=others))"]),
    method(
        "neighbourhood hash",
        "neighbourhood-hash",
        &["normalize(neighbourhood-hash(rounds=1..5, ignore=others))"],
    ),
    method("propagation", "propagation", &["normalize(propagation(t=1..5, ignore=others))"]),
    method(
        "propagation, attributes",
        "propagation",
        &["normalize(propagation(t=1..5, attributes=yes, wa=[0.1, 1], ignore=others))"],
    ),
    method(
        "k-step walk",
        "random-walk",
        &["normalize(random-walk(kind=k-step, steps=[2, 4, 6], decay=[0.1, 1], ignore=others))"],
    ),
    method(
        "geometric walk",
        "random-walk",
        &["normalize(random-walk(kind=geometric, decay=[0.0001, 0.001, 0.01, 0.1], ignore=others))"],
    ),
    method(
        "exponential walk",
        "random-walk",
        &["normalize(random-walk(kind=exponential, decay=[0.001, 0.01, 0.1], ignore=others))"],
    ),
    method(
        "unlabelled walk",
        "random-walk",
        &["normalize(random-walk(kind=k-step, steps=[2, 4, 6], decay=[0.1, 1], labels=no, ignore=others))"],
    ),
    method(
        "subgraph matching",
        "subgraph-matching",
        &["normalize(subgraph-matching(k=[3, 4], connected=yes, ignore=others))"],
    ),
    method(
        "pyramid match",
        "pyramid-match",
        &["normalize(pyramid-match(levels=[2, 4, 6], dimensions=6, ignore=others))"],
    ),
    method(
        "GraphHopper",
        "graph-hopper",
        &["normalize(graph-hopper(node=rbf, gamma=[0.01, 0.1, 1], ignore=others))"],
    ),
    method("WL on cores", "core", &["normalize(core(wl(h=0..5, ignore=others)))"]),
];

impl Method {
    /// Whether its kernel is in the registry.
    pub fn is_there(&self) -> bool {
        expression::find(self.entry).is_some()
    }
}

/// The grids and splits of the study.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct GraphSettings {
    /// The values of C, as a range or list of the expression language.
    pub c: String,
    /// The number of repetitions of cross-validation.
    pub repetitions: usize,
    /// The number of outer folds.
    pub folds: usize,
    /// The number of inner folds.
    pub inner_folds: usize,
    /// Seed of the splits.
    pub seed: u64,
}

impl GraphSettings {
    /// C ∈ 2^-5..2^15, 3 × 10 folds with 5 inner folds.
    pub fn full(seed: u64) -> Self {
        GraphSettings { c: "2^-5..2^15".into(), repetitions: 3, folds: 10, inner_folds: 5, seed }
    }

    /// For a quick trial: every fifth exponent of C, one repetition, 3 inner folds. Not for reported results.
    pub fn quick(seed: u64) -> Self {
        GraphSettings {
            c: "2^-5..2^15 step 5".into(),
            repetitions: 1,
            inner_folds: 3,
            ..GraphSettings::full(seed)
        }
    }
}
