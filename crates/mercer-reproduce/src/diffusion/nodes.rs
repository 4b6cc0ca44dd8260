//! Node kernels, compared with label propagation and the majority-class baseline.

use std::path::Path;

use serde::Serialize;

use crate::data::{Dataset, Target};
use crate::error::{Error, Result};
use crate::gram::Engine;
use crate::read::{self, GraphOptions, Options, TargetKind};
use crate::select::{Evaluate, Protocol};

/// The node kernels: name, and expression with the grid of its parameters.
pub const NODE_METHODS: [(&str, &str); 8] = [
    ("diffusion", "node-diffusion(beta=[0.5, 1, 2, 4, 8])"),
    ("diffusion, normalised L", "node-diffusion(beta=[1, 3, 10, 30], base=normalized)"),
    ("regularised Laplacian", "regularized-laplacian(beta=[1, 10, 100])"),
    ("von Neumann", "von-neumann(beta=[0.01, 0.03, 0.06], base=adjacency)"),
    ("p-step walk", "p-step(p=[2, 4, 8, 16], a=2)"),
    ("commute time", "commute-time"),
    ("PageRank", "pagerank(alpha=[0.5, 0.85, 0.95, 0.99])"),
    ("power", "node-power(l=[2, 4], base=adjacency)"),
];

/// The baselines.
pub(super) const PROPAGATION: &str = "label propagation";
pub(super) const MAJORITY: &str = "majority class";
/// The SVM with the grid of C.
const C: &str = "svc(C=10^-1..10^4)";

/// A graph whose nodes have classes.
#[derive(Clone, Debug)]
pub struct NodeProblem {
    /// Its name.
    pub name: String,
    /// Its nodes.
    pub data: Dataset,
}

/// The result of one kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NodeOutcome {
    /// The graph.
    pub data: String,
    /// The kernel's name in tables.
    pub method: String,
    /// The chosen kernel and SVM; `None` for methods without parameters.
    pub chosen: Option<String>,
    /// The accuracy on the test nodes, if it could be computed.
    pub accuracy: Option<f64>,
    /// The reason if not.
    pub failed: Option<String>,
}

impl NodeProblem {
    /// The graph in a folder with `nodes.csv` and `edges.csv`. A column `split` gives the split if there is one;
    /// otherwise half of the nodes are the test set, 20 times.
    pub fn load(folder: &Path) -> Result<Self> {
        let name = folder.file_name().map_or_else(|| "graph".into(), |n| n.to_string_lossy().into_owned());
        let mut options = Options {
            target_kind: TargetKind::Classes,
            graph: GraphOptions { edges: Some(folder.join("edges.csv")), ..GraphOptions::default() },
            ..Options::default()
        };
        let path = folder.join("nodes.csv");
        let plain = read::read(&path, &options)?;
        if plain.column("split").is_ok() {
            options.split = Some("split".into());
            return Ok(NodeProblem { name, data: read::read(&path, &options)? });
        }
        Ok(NodeProblem { name, data: plain })
    }
}

/// Runs every kernel on a graph. `progress` is called with each result.
pub fn study_nodes(
    problem: &NodeProblem,
    seed: u64,
    engine: &Engine,
    progress: &mut dyn FnMut(&NodeOutcome),
) -> Result<Vec<NodeOutcome>> {
    let data = &problem.data;
    if !matches!(data.target(), Some(Target::Classes(_))) {
        return Err(Error::usage(format!("{}: nodes without classes", problem.name)));
    }
    let mut settings = Evaluate { seed, also: Vec::new(), ..Evaluate::of(data)? };
    if data.test().is_none() {
        settings.protocol = Protocol::Holdout { share: 0.5, repetitions: 20 };
    }
    let mut out: Vec<NodeOutcome> = Vec::new();
    let mut add = |outcome: NodeOutcome| {
        progress(&outcome);
        out.push(outcome);
    };
    let row = |method: &str| NodeOutcome {
        data: problem.name.clone(),
        method: method.into(),
        chosen: None,
        accuracy: None,
        failed: None,
    };
    add(NodeOutcome { accuracy: settings.label_propagation(data)?, ..row(PROPAGATION) });
    let mut majority = None;
    for (method, kernel) in NODE_METHODS {
        match settings.run(data, &kernel.parse()?, &C.parse()?, engine, None) {
            Ok(report) => {
                let measure = report.measures.first();
                majority = measure.and_then(|m| m.baseline_mean).or(majority);
                let chosen = match report.folds.as_slice() {
                    [one] => Some(format!("{} · {}", one.kernel, one.learner)),
                    _ => None,
                };
                add(NodeOutcome { chosen, accuracy: measure.and_then(|m| m.mean), ..row(method) });
            }
            // A parameter range that suits one graph may diverge on another.
            Err(e @ (Error::Diverge { .. } | Error::Param { .. })) => {
                add(NodeOutcome { failed: Some(e.to_string()), ..row(method) });
            }
            Err(other) => return Err(other),
        }
    }
    add(NodeOutcome { accuracy: majority, ..row(MAJORITY) });
    Ok(out)
}
