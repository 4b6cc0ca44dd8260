//! Candidates for nodes of a graph.

use super::{Part, With, parts};
use crate::data::{Column, NodeAttributes, Values};
use crate::error::Result;
use crate::expression::Expression;
use crate::gram::Engine;

/// Kernels of the edges, and the attributes of nodes smoothed over the edges where every node has them.
pub(super) fn on_nodes(column: &Column, at: &str, engine: &Engine) -> Result<Part> {
    let heat = |beta: &str| format!("normalize(node-diffusion(beta={beta}){at})");
    Ok(Part {
        kind: "nodes",
        simple: format!("regularized-laplacian(beta=[1, 10]){at}"),
        local: heat("[0.5, 2, 8]"),
        short: heat("[1, 4]"),
        one: heat("2"),
        more: vec![(
            format!("pagerank(alpha=[0.5, 0.85, 0.95]){at}"),
            "nodes: walks that may end at any step",
        )],
        walks: false,
        baseline: None,
        enough: None,
        with: smoothed(column, at, engine)?,
    })
}

/// Ranges around the published settings: two steps, heat for 3 to 5, walks that go on with a probability of 0.8 to 0.95.
fn smoothed(column: &Column, at: &str, engine: &Engine) -> Result<Vec<With>> {
    let Values::Nodes(nodes) = &column.values else { return Ok(Vec::new()) };
    let NodeAttributes::Known(attributes) = nodes.network().attributes() else { return Ok(Vec::new()) };
    let of_attributes = parts(attributes, engine)?;
    let kernels = of_attributes.iter().filter(|p| p.kind != "nodes").map(|p| match p.kind {
        "sparse numbers" => format!("normalize({})", p.simple),
        _ => p.simple.clone(),
    });
    let closed = |kernel: &String| kernel.parse::<Expression>().is_ok_and(|k| k.choices().is_empty());
    let kernels: Vec<String> = kernels.filter(closed).collect();
    if kernels.is_empty() {
        return Ok(Vec::new());
    }
    let inner = kernels.join(" + ");
    let by = |how: &str| format!("normalize(smooth({inner}, by={how}){at})");
    Ok(vec![
        With::learned(by("power, p=2"), "nodes: what two steps around each say"),
        With::learned(
            by("heat, beta=[2, 4, 8, 16]"),
            "nodes: what the neighbourhood says, nearer nodes more",
        ),
        With::learned(
            by("pagerank, alpha=[0.7, 0.85, 0.95]"),
            "nodes: what walks that may end at any step meet",
        ),
    ])
}
