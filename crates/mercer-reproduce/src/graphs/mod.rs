//! Every kernel on graphs on the collections the literature uses: run time, and accuracy that was not searched for.
//!
//! For each kernel of a stated list ([`METHODS`]) a support vector machine is judged by repeated 10-fold
//! cross-validation; C and the kernel's own parameters are chosen inside each training set, by folds of it. All kernels have the
//! same splits. Three baselines are always there: the majority class, the numbers of nodes and
//! edges alone, and the numbers of nodes of each label alone. On several collections little is above them.
//!
//! Kernels are normalised. What a kernel cannot look at in a collection is ignored, and said. Parameters with which a kernel
//! diverges or overflows on a collection are left out of its choice, and said. A kernel that the registry lacks is left out by name.
//!
//! Run time is that of the Gram matrix of all graphs for the last of the kernel's parameters, preparing included, reading
//! not.

mod problems;
mod render;
mod run;
mod study;
#[cfg(test)]
mod tests;

pub use problems::{Collection, chosen, collections};
pub use render::Report;
pub(super) use run::run;
pub use study::{Chosen, Outcome, memory_needed, study};

use crate::expression;

/// A kernel of the study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Method {
    /// Its name in tables.
    pub name: &'static str,
    /// Its name in the registry.
    pub entry: &'static str,
    /// The kernels to choose among, as expressions with ranges.
    pub kernels: &'static [&'static str],
    /// Whether it is one of the two that others must beat.
    pub baseline: bool,
}

const fn method(name: &'static str, entry: &'static str, kernels: &'static [&'static str]) -> Method {
    Method { name, entry, kernels, baseline: false }
}

/// The kernels of the study, those to beat first.
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
    /// Whether the registry has its kernel.
    pub fn is_there(&self) -> bool {
        expression::find(self.entry).is_some()
    }
}

/// The grids and splits of the study.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct Settings {
    /// The values of C, as a range or list of the expression language.
    pub c: String,
    /// How often cross-validation is repeated.
    pub repetitions: usize,
    /// The folds.
    pub folds: usize,
    /// The folds within a training set.
    pub inner_folds: usize,
    /// Seed of the splits.
    pub seed: u64,
}

impl Settings {
    /// C ∈ 2^-5..2^15, 3 × 10 folds with 5 inner folds.
    pub fn full(seed: u64) -> Self {
        Settings { c: "2^-5..2^15".into(), repetitions: 3, folds: 10, inner_folds: 5, seed }
    }

    /// For trying out: every fifth exponent of C, each graph tested once, 3 inner folds. No result to be reported.
    pub fn quick(seed: u64) -> Self {
        Settings { c: "2^-5..2^15 step 5".into(), repetitions: 1, inner_folds: 3, ..Settings::full(seed) }
    }
}
