//! Kernels on graphs of the TU collection.

use std::path::PathBuf;
use std::time::Instant;

use mercer::data::{Dataset, Dense};
use mercer::expression::Expression;
use mercer::gram::Engine;
use mercer::read::{Options, read};

use crate::Outcome;

/// Graphs in memory and their kernel.
pub(crate) struct Graphs {
    data: Dataset,
    kernel: Expression,
}

impl Graphs {
    /// The workload of that name, if there is one. `peers.py` has the same list.
    pub(crate) fn load(name: &str) -> Outcome<Option<Self>> {
        let (set, kernel) = match name {
            "wl-mutag" => ("MUTAG", "wl(h=5)"),
            "wl-nci1" => ("NCI1", "wl(h=5)"),
            "shortest-path-enzymes" => ("ENZYMES", "shortest-path(ignore=others)"),
            "vertex-histogram-nci1" => ("NCI1", "vertex-histogram(ignore=others)"),
            "wl-oa-ptc" => ("PTC_MR", "wl-oa(h=5)"),
            "random-walk-mutag" => ("MUTAG", "random-walk(kind=geometric, decay=0.01, labels=no)"),
            _ => return Ok(None),
        };
        Ok(Some(Graphs { data: collection(set)?, kernel: kernel.parse()? }))
    }

    /// Computes the Gram matrix.
    pub(crate) fn run(&self, engine: &Engine) -> Outcome<Dense> {
        let kernel = self.kernel.fit(&self.data, engine)?.kernel;
        Ok(engine.gram(&kernel, &self.data)?)
    }
}

/// Reads a set of the TU collection from the data folder.
fn collection(name: &str) -> Outcome<Dataset> {
    let default = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let root = std::env::var_os("MERCER_DATA").map_or_else(default, PathBuf::from);
    Ok(read(&root.join("graphs").join(name), &Options::default())?)
}

/// Computes one Gram matrix and prints the time of each step.
pub(crate) fn once(name: &str, kernel: &str) -> Outcome<()> {
    let start = Instant::now();
    let graphs = Graphs { data: collection(name)?, kernel: kernel.parse()? };
    println!("read {:.3} s", start.elapsed().as_secs_f64());
    let engine = Engine::new();
    for _ in 0..5 {
        let start = Instant::now();
        let fitted = graphs.kernel.fit(&graphs.data, &engine)?;
        let set = mercer::kernel::Kernel::prepare(&fitted.kernel, &graphs.data)?;
        let prepared = start.elapsed().as_secs_f64();
        let k: Dense = engine.gram_of(&fitted.kernel, &set)?;
        let all = start.elapsed().as_secs_f64();
        let sum: f64 = k.values().iter().sum();
        println!("prepared {prepared:.6} s, all {all:.6} s; K[0,0] {}, sum {sum}", k.at(0, 0));
    }
    Ok(())
}
