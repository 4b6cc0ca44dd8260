//! The doors bytes come in by.

mod checkpoints;
mod files;
mod folders;
mod language;
mod models;
mod request;

use std::sync::OnceLock;

use mercer::gram::Engine;

/// A door.
pub struct Target {
    /// Its name, and that of its folder in `corpus/`.
    pub name: &'static str,
    /// What is done with the bytes.
    pub run: fn(&[u8]),
    /// Inputs of the short form of the tests; the long form has some times as many.
    pub runs: usize,
}

const fn target(name: &'static str, run: fn(&[u8]), runs: usize) -> Target {
    Target { name, run, runs }
}

/// All of them. Those that write files take longer than those that read memory.
pub const TARGETS: &[Target] = &[
    target("arff", files::arff, 2000),
    target("csv", files::csv, 2000),
    target("fasta", files::fasta, 2000),
    target("gml", files::gml, 2000),
    target("graphml", files::graphml, 2000),
    target("images", files::images, 1000),
    target("libsvm", files::libsvm, 2000),
    target("npy", files::npy, 2000),
    target("npz", files::npz, 2000),
    target("packed", files::packed, 2000),
    target("parquet", files::parquet, 2000),
    target("sdf", files::sdf, 2000),
    target("sniffed", files::sniffed, 2000),
    target("ts", files::ts, 2000),
    target("ucr", files::ucr, 2000),
    target("tu", folders::tu, 1000),
    target("edges", folders::edges, 1000),
    target("nodes", folders::nodes, 1000),
    target("folder", folders::folder, 1000),
    target("manifest", folders::manifest, 1000),
    target("expression", language::expression, 4000),
    target("learner", language::learner, 4000),
    target("model", models::model, 2000),
    target("model-sealed", models::sealed, 1000),
    target("libsvm-model", models::libsvm, 1000),
    target("gram-journal", checkpoints::gram, 500),
    target("search-journal", checkpoints::search, 200),
    target("request", request::request, 1000),
];

/// An engine of one thread, so that an input does the same each time and no other work is counted with it.
fn engine() -> &'static Engine {
    static ENGINE: OnceLock<Engine> = OnceLock::new();
    ENGINE.get_or_init(|| Engine::new().with_threads(1).unwrap_or_default())
}
