//! Candidates for graphs.

use std::collections::HashMap;

use super::{Part, With, list, mean_or_one, pairs};
use crate::data::{Column, Dataset, Graph, Values};
use crate::expression::{self, Expression};
use crate::gram::Engine;

/// Label counts and sizes, which others must beat; subtrees, paths and walks; with attributes of nodes the transport between
/// them, and their distribution with and without walks.
pub(super) fn on_graphs(column: &Column, at: &str, engine: &Engine) -> Part {
    let graphs = match &column.values {
        Values::Graphs(graphs) => graphs.as_slice(),
        _ => &[],
    };
    let gaussian = |kernel: &str, distance: f64| {
        let gammas = list([0.1, 0.5, 2.0], 1.0 / distance);
        format!("rbf-of({kernel}(ignore=others){at}, gamma={gammas})")
    };
    let squared = |difference: f64| difference * difference;
    let size = mean_or_one(pairs(graphs.len()).map(|(i, j)| {
        let (a, b) = (&graphs[i], &graphs[j]);
        squared(a.nodes() as f64 - b.nodes() as f64) + squared(a.edges() as f64 - b.edges() as f64)
    }));
    let labels = mean_or_one(pairs(graphs.len()).map(|(i, j)| {
        let mut difference = HashMap::new();
        for (graph, sign) in [(&graphs[i], 1.0), (&graphs[j], -1.0)] {
            let hash = |v| graph.node_labels().map_or(0, |labels| labels.hash(v));
            (0..graph.nodes()).for_each(|v| *difference.entry(hash(v)).or_insert(0.0) += sign);
        }
        // Sums of whole numbers do not depend on the order.
        difference.into_values().map(squared).sum()
    }));
    // Edge labels may help or not, so both are tried.
    let bonds = graphs.iter().any(|g| g.edge_labels().is_some());
    let edge_labels = if bonds { "edge-labels=[no, yes], " } else { "" };
    let wl = |rounds: &str, more: &str| format!("normalize(wl(h={rounds}, {more}ignore=others){at})");
    let others = [
        (
            "wl-oa",
            format!("h=[1, 3, 5], {edge_labels}"),
            "graphs: optimal matching of nodes by neighbourhood",
        ),
        ("vertex-edge-histogram", String::new(), "graphs: edges by the labels of their end nodes"),
        ("shortest-path", String::new(), "graphs: pairs of nodes by labels and distance"),
        ("random-walk", String::new(), "graphs: common walks"),
    ];
    let others = others.into_iter().filter(|(name, ..)| expression::find(name).is_some());
    let more = others
        .map(|(name, settings, reason)| (format!("normalize({name}({settings}ignore=others){at})"), reason));
    Part {
        kind: "graphs",
        simple: gaussian("vertex-histogram", labels),
        local: wl("[1, 2, 3, 4, 5]", edge_labels),
        short: wl("[2, 4]", ""),
        one: wl("3", ""),
        more: more.collect(),
        walks: false,
        baseline: Some((gaussian("graph-size", size), "graphs: size only")),
        enough: None,
        with: by_nodes(column, graphs, at, engine),
    }
}

/// Kernels that compare the nodes of two graphs by their labels and attributes.
fn by_nodes(column: &Column, graphs: &[Graph], at: &str, engine: &Engine) -> Vec<With> {
    let variances = variances(graphs);
    if variances.is_empty() {
        let labelled = graphs.iter().any(|g| g.node_labels().is_some());
        let moves = format!("wwl(h=[2, 4], gamma=[1, 4, 16], ignore=others){at}");
        let moves = With::usual(moves, "graphs: differences in neighbourhoods, node by node");
        return if labelled { vec![moves] } else { Vec::new() };
    }
    // Kernels of scaled attributes are computed again in every split, so attributes of one scale are left as they are.
    let varying = || variances.iter().copied().filter(|v| *v > 0.0);
    let (least, most) = varying().fold((f64::INFINITY, 0.0f64), |(l, m), v| (l.min(v), m.max(v)));
    let is_even = most <= 100.0 * least;
    let scaled = |kernel: String| if is_even { kernel } else { format!("standardize({kernel})") };
    let spread = if is_even { varying().sum::<f64>() } else { varying().count() as f64 };
    let spread = if spread > 0.0 { spread } else { 1.0 };
    let nodes = |steps: u32| {
        let gammas = list([1.0, 3.0], 1.0 / spread);
        scaled(format!("return-probabilities(steps={steps}, attribute-gamma={gammas}, ignore=others){at}"))
    };
    let gaussian = |steps: u32| {
        let gammas = list([1.0, 3.0], 1.0 / typical_distance(column, &nodes(steps), engine));
        format!("rbf-of({}, gamma={gammas})", nodes(steps))
    };
    let gammas = list([0.2, 0.6, 1.8], 1.0 / (2.0 * spread).sqrt());
    vec![
        With::usual(gaussian(0), "graphs: labels and attributes of the nodes, without the edges"),
        With::usual(gaussian(20), "graphs: labels, attributes and walks that come back, node by node"),
        With::usual(
            scaled(format!("wwl(h=[1, 2, 3], gamma={gammas}, labels=no, ignore=others){at}")),
            "graphs: how far attributes must move, by neighbourhoods",
        ),
    ]
}

/// The variance of each attribute over the nodes of all graphs; empty without attributes.
fn variances(graphs: &[Graph]) -> Vec<f64> {
    let rows = || graphs.iter().filter_map(Graph::node_attributes);
    let width = rows().map(|x| x.cols()).max().unwrap_or(0);
    let (mut count, mut sums, mut squares) = (0.0f64, vec![0.0; width], vec![0.0; width]);
    for x in rows() {
        count += x.rows() as f64;
        for i in 0..x.rows() {
            for (c, v) in x.row(i).iter().enumerate() {
                sums[c] += v;
                squares[c] += v * v;
            }
        }
    }
    let count = count.max(1.0);
    sums.iter().zip(&squares).map(|(s, q)| (q / count - (s / count) * (s / count)).max(0.0)).collect()
}

/// The number of graphs that show the scale of a kernel.
const SHOWN: usize = 60;

/// The median squared distance of some graphs under the first kernel of a range; 1 where it cannot be computed.
fn typical_distance(column: &Column, kernel: &str, engine: &Engine) -> f64 {
    let measured = || -> crate::Result<Vec<f64>> {
        let data = Dataset::new(vec![column.clone()])?;
        let step = data.len().div_ceil(SHOWN).max(1);
        let some = data.select(&(0..data.len()).step_by(step).collect::<Vec<_>>());
        let kernel = kernel.parse::<Expression>()?;
        let gram =
            engine.gram(&kernel.pick(&vec![0; kernel.choices().len()])?.fit(&some, engine)?.kernel, &some)?;
        let apart = |(i, j): (usize, usize)| gram.at(i, i) + gram.at(j, j) - 2.0 * gram.at(i, j);
        let n = some.len();
        let mut found: Vec<f64> = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(apart).collect();
        found.sort_by(f64::total_cmp);
        Ok(found)
    };
    let distances = measured().unwrap_or_default();
    mean_or_one(distances.get(distances.len() / 2).copied().into_iter())
}
