//! The interfaces that take bytes.

mod checkpoints;
mod files;
mod folders;
mod language;
mod models;
mod request;

use std::sync::OnceLock;

use mercer::gram::Engine;

/// An interface that takes bytes.
pub struct Target {
    /// Its name, and that of its folder in `corpus/`.
    pub name: &'static str,
    /// The function under test.
    pub run: fn(&[u8]),
    /// Number of inputs in the short form of the tests; the full form has a multiple.
    pub runs: usize,
}

const fn target(name: &'static str, run: fn(&[u8]), runs: usize) -> Target {
    Target { name, run, runs }
}

/// All targets. Those that write files take longer than those that read memory.
pub const TARGETS: &[Target] = &[
    target("arff", files::arff, 15000),
    target("arrow", files::arrow, 5000),
    target("csv", files::csv, 15000),
    target("fasta", files::fasta, 15000),
    target("gml", files::gml, 15000),
    target("graphml", files::graphml, 15000),
    target("images", files::images, 5000),
    target("json", files::json, 15000),
    target("libsvm", files::libsvm, 15000),
    target("npy", files::npy, 15000),
    target("npz", files::npz, 15000),
    target("packed", files::packed, 15000),
    target("parquet", files::parquet, 15000),
    target("sdf", files::sdf, 15000),
    target("sheets", files::sheets, 5000),
    target("smiles", files::smiles, 15000),
    target("sniffed", files::sniffed, 15000),
    target("sqlite", files::sqlite, 5000),
    target("ts", files::ts, 15000),
    target("ucr", files::ucr, 15000),
    target("tu", folders::tu, 6000),
    target("edges", folders::edges, 6000),
    target("nodes", folders::nodes, 6000),
    target("folder", folders::folder, 6000),
    target("manifest", folders::manifest, 6000),
    target("expression", language::expression, 30000),
    target("learner", language::learner, 30000),
    target("model", models::model, 10000),
    target("model-sealed", models::sealed, 10000),
    target("libsvm-model", models::libsvm, 10000),
    target("gram-journal", checkpoints::gram, 2000),
    target("search-journal", checkpoints::search, 1000),
    target("request", request::request, 8000),
];

/// An engine with one thread, so that runs are reproducible and no other work is counted.
fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::new().with_threads(1).unwrap_or_default())
}
