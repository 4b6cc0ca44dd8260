//! Kernels on graphs, each by enumerating its features.

use std::collections::{BTreeMap, HashMap};

use mercer::data::{Graph, Values};
use mercer::expression::{Call, Expression};

use super::graph_features as features;
use super::graph_walks as walks;
use super::{Pairs, Value, View, number, whole, word};

pub(super) const KERNELS: &[&str] = &[
    "graph-size",
    "vertex-histogram",
    "edge-histogram",
    "vertex-edge-histogram",
    "wl",
    "wl-oa",
    "shortest-path",
    "shortest-path-rbf",
    "graphlet",
    "neighbourhood-hash",
    "propagation",
    "random-walk",
    "subgraph-matching",
    "pyramid-match",
    "graph-hopper",
    "wwl",
    "return-probabilities",
    "core",
    "wl-of",
];

/// An arc with its label and weight.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Arc {
    pub(super) label: String,
    pub(super) weight: f64,
}

/// A graph as a list of arcs: both ways of an undirected edge, a loop once.
#[derive(Clone, Debug)]
pub(super) struct Plain {
    pub(super) n: usize,
    pub(super) directed: bool,
    pub(super) labels: Vec<String>,
    pub(super) arcs: BTreeMap<(usize, usize), Arc>,
    /// A list for each node; empty if nodes have no attributes.
    pub(super) attributes: Vec<Vec<f64>>,
}

impl Plain {
    fn of(graph: &Graph) -> Self {
        let arcs = graph.arcs().enumerate().map(|(at, (a, b))| {
            let label = graph.edge_labels().map_or(String::new(), |l| l.get(at).to_owned());
            ((a as usize, b as usize), Arc { label, weight: graph.weights().map_or(1.0, |w| w[at]) })
        });
        let label = |i: usize| graph.node_labels().map_or(String::new(), |l| l.get(i).to_owned());
        let row = |i: usize| graph.node_attributes().map_or(Vec::new(), |x| x.row(i).to_vec());
        Plain {
            n: graph.nodes(),
            directed: graph.is_directed(),
            labels: (0..graph.nodes()).map(label).collect(),
            arcs: arcs.collect(),
            attributes: (0..graph.nodes()).map(row).collect(),
        }
    }

    /// The nodes that a node has an arc to.
    pub(super) fn around(&self, i: usize) -> impl Iterator<Item = (usize, &Arc)> + '_ {
        self.arcs.range((i, 0)..(i + 1, 0)).map(|((_, j), arc)| (*j, arc))
    }

    /// Each edge once.
    pub(super) fn edges(&self) -> impl Iterator<Item = (usize, usize, &Arc)> + '_ {
        let once = |((a, b), _): &(&(usize, usize), &Arc)| self.directed || a <= b;
        self.arcs.iter().filter(once).map(|((a, b), arc)| (*a, *b, arc))
    }

    /// The undirected graph: of two opposite arcs, the one of smaller weight, then the one with the first label.
    fn undirected(&self) -> Self {
        let mut arcs: BTreeMap<(usize, usize), Arc> = BTreeMap::new();
        for (&(a, b), arc) in &self.arcs {
            for ends in [(a, b), (b, a)] {
                let known = arcs.entry(ends).or_insert_with(|| arc.clone());
                if (arc.weight, &arc.label) < (known.weight, &known.label) {
                    *known = arc.clone();
                }
            }
        }
        Plain { directed: false, arcs, ..self.clone() }
    }

    /// The induced subgraph on some nodes, in their order.
    fn induced(&self, nodes: &[usize]) -> Self {
        let place = |i: usize| nodes.iter().position(|n| *n == i);
        let arcs = self.arcs.iter().filter_map(|((a, b), arc)| Some(((place(*a)?, place(*b)?), arc.clone())));
        Plain {
            n: nodes.len(),
            directed: self.directed,
            labels: nodes.iter().map(|i| self.labels[*i].clone()).collect(),
            arcs: arcs.collect(),
            attributes: nodes.iter().map(|i| self.attributes[*i].clone()).collect(),
        }
    }
}

/// What a kernel uses: labels of nodes, labels of edges, weights, direction, attributes.
fn uses(call: &Call) -> [bool; 5] {
    let on = |name: &str| word(call, name) == "yes";
    match call.entry.facts.name {
        "graph-size" | "graphlet" => [false; 5],
        "vertex-histogram" | "neighbourhood-hash" => [true, false, false, true, false],
        "edge-histogram" => [false, true, false, true, false],
        "vertex-edge-histogram" | "subgraph-matching" => [true, true, false, true, false],
        "wl" => [true, on("edge-labels"), word(call, "base") == "shortest-path", true, false],
        "wl-oa" => [true, on("edge-labels"), false, true, false],
        "shortest-path" => [on("labels"), false, true, true, false],
        "shortest-path-rbf" => [on("labels"), false, true, true, true],
        "propagation" => [true, false, true, true, on("attributes")],
        "random-walk" => [on("labels"), on("labels"), true, true, false],
        "pyramid-match" => [on("labels"), false, true, false, false],
        "graph-hopper" => [on("labels"), false, false, true, true],
        "wwl" => [on("labels"), on("edge-labels"), true, true, true],
        "return-probabilities" => [on("labels"), false, true, true, true],
        other => panic!("{other} is not a kernel on graphs"),
    }
}

/// Graphs without what a kernel does not use or ignores by its parameters.
fn seen(call: &Call, graphs: &[Plain]) -> Vec<Plain> {
    let [mut nodes, mut edges, mut weights, mut direction, mut attributes] = uses(call);
    match word(call, "ignore") {
        "node-labels" => nodes = false,
        "edge-labels" => edges = false,
        "weights" => weights = false,
        "direction" => direction = false,
        "attributes" => attributes = false,
        _ => {}
    }
    let strip = |g: &Plain| {
        let mut g = if direction || !g.directed { g.clone() } else { g.undirected() };
        if !nodes {
            g.labels.iter_mut().for_each(String::clear);
        }
        if !attributes {
            g.attributes.iter_mut().for_each(Vec::clear);
        }
        for arc in g.arcs.values_mut() {
            arc.weight = if weights { arc.weight } else { 1.0 };
            if !edges {
                arc.label.clear();
            }
        }
        g
    };
    graphs.iter().map(strip).collect()
}

pub(super) fn brute(call: &Call, view: View<'_>) -> Pairs {
    let Values::Graphs(all) = view.one(call) else { panic!("no graphs") };
    kernel(call, &all.iter().map(Plain::of).collect::<Vec<_>>())
}

fn kernel(call: &Call, graphs: &[Plain]) -> Pairs {
    match call.entry.facts.name {
        "core" => return layers(call, cores(graphs)),
        "wl-of" => {
            let rounds = refined(graphs, whole(call, "h"), word(call, "edge-labels") == "yes");
            return layers(
                call,
                rounds.into_iter().map(|layer| layer.into_iter().map(Some).collect()).collect(),
            );
        }
        _ => {}
    }
    let graphs = seen(call, graphs);
    let on = |name: &str| word(call, name) == "yes";
    match call.entry.facts.name {
        "graph-size" => {
            let sizes: Vec<[f64; 2]> =
                graphs.iter().map(|g| [g.n as f64, g.edges().count() as f64]).collect();
            Box::new(move |i, j| Value::exact(sizes[i][0] * sizes[j][0] + sizes[i][1] * sizes[j][1]))
        }
        "vertex-histogram" => products(graphs.iter().map(|g| counted(g.labels.clone())).collect()),
        "edge-histogram" => {
            products(graphs.iter().map(|g| counted(g.edges().map(|(_, _, e)| e.label.clone()))).collect())
        }
        "vertex-edge-histogram" => products(graphs.iter().map(|g| counted(features::ended(g))).collect()),
        "wl" => products(features::wl(&graphs, whole(call, "h"), word(call, "base"), on("edge-labels"))),
        "wl-oa" => {
            let counts = features::wl(&graphs, whole(call, "h"), "subtree", on("edge-labels"));
            Box::new(move |i, j| Value::exact(minima(&counts[i], &counts[j])))
        }
        "shortest-path" => products(graphs.iter().map(|g| counted(features::paths(g, &g.labels))).collect()),
        "graphlet" => {
            let (size, connected) = (whole(call, "size"), on("connected"));
            products(graphs.iter().map(|g| counted(features::graphlets(g, size, connected))).collect())
        }
        "neighbourhood-hash" => {
            let rounds = whole(call, "rounds");
            let hashes: Vec<_> =
                graphs.iter().map(|g| features::neighbourhood_hashes(g, rounds, on("counts"))).collect();
            Box::new(move |i, j| {
                let share = |r: usize| {
                    let (x, y) = (&hashes[i][r], &hashes[j][r]);
                    let common = minima(x, y);
                    let all = x.values().sum::<f64>() + y.values().sum::<f64>() - common;
                    if all == 0.0 { 0.0 } else { common / all }
                };
                Value::rounded((0..rounds).map(share).sum::<f64>() / rounds as f64)
            })
        }
        "propagation" => features::propagation(graphs, whole(call, "t")),
        "pyramid-match" => features::pyramid_match(&graphs, whole(call, "levels"), whole(call, "dimensions")),
        "subgraph-matching" => {
            let (k, connected) = (whole(call, "k"), on("connected"));
            Box::new(move |i, j| Value::exact(walks::matches(&graphs[i], &graphs[j], k, connected)))
        }
        "shortest-path-rbf" => {
            let gamma = number(call, "gamma");
            Box::new(move |i, j| walks::paths_by_attributes(&graphs[i], &graphs[j], gamma))
        }
        "graph-hopper" => walks::graph_hopper(&graphs, word(call, "node"), number(call, "gamma")),
        "wwl" => {
            let h = whole(call, "h");
            let edge_labels = on("edge-labels");
            let rounds = refined(&graphs, h, edge_labels);
            let [gamma, epsilon] = ["gamma", "sinkhorn"].map(|name| number(call, name));
            walks::moved(graphs, (rounds, edge_labels), gamma, epsilon)
        }
        "return-probabilities" => {
            let gammas = [number(call, "gamma"), number(call, "attribute-gamma")];
            walks::returning(graphs, whole(call, "steps"), gammas)
        }
        _ => walks::random_walk(graphs, word(call, "kind"), whole(call, "steps"), number(call, "decay")),
    }
}

/// The count of each item.
pub(super) fn counted<T: std::hash::Hash + Eq>(all: impl IntoIterator<Item = T>) -> HashMap<T, f64> {
    let mut counts = HashMap::new();
    all.into_iter().for_each(|one| *counts.entry(one).or_default() += 1.0);
    counts
}

/// Σ of products of counts.
fn products<T: std::hash::Hash + Eq + 'static>(counts: Vec<HashMap<T, f64>>) -> Pairs {
    Box::new(move |i, j| {
        Value::exact(counts[i].iter().filter_map(|(f, c)| counts[j].get(f).map(|d| c * d)).sum())
    })
}

/// Σ of the smaller counts.
pub(super) fn minima<T: std::hash::Hash + Eq>(x: &HashMap<T, f64>, y: &HashMap<T, f64>) -> f64 {
    x.iter().filter_map(|(f, c)| y.get(f).map(|d| c.min(*d))).sum()
}

/// The sum of the kernel inside over layers that both graphs have.
fn layers(call: &Call, layers: Vec<Vec<Option<Plain>>>) -> Pairs {
    let Expression::Call(inner) = &call.inner[0] else { panic!("no kernel inside") };
    let empty = || Plain { n: 0, directed: false, labels: vec![], arcs: BTreeMap::new(), attributes: vec![] };
    let parts: Vec<(Vec<bool>, Pairs)> = layers
        .into_iter()
        .map(|layer| {
            let there = layer.iter().map(Option::is_some).collect();
            let graphs: Vec<Plain> = layer.into_iter().map(|g| g.unwrap_or_else(empty)).collect();
            (there, kernel(inner, &graphs))
        })
        .collect();
    Box::new(move |i, j| {
        let mut sum = Value { k: 0.0, scale: 0.0 };
        for (there, pairs) in &parts {
            if there[i] && there[j] {
                let v = pairs(i, j);
                sum = Value { k: sum.k + v.k, scale: sum.scale + v.scale };
            }
        }
        sum
    })
}

/// The k-cores of each level: the rest after nodes with fewer neighbours are removed repeatedly. The graph is its own
/// core of level 0, even without nodes.
fn cores(graphs: &[Plain]) -> Vec<Vec<Option<Plain>>> {
    let core = |g: &Plain, level: usize| {
        let mut left: Vec<usize> = (0..g.n).collect();
        loop {
            let joined =
                |a: usize, b: usize| a != b && (g.arcs.contains_key(&(a, b)) || g.arcs.contains_key(&(b, a)));
            let enough = |a: &usize| left.iter().filter(|b| joined(*a, **b)).count() >= level;
            let next: Vec<usize> = left.iter().copied().filter(|a| enough(a)).collect();
            if next.len() == left.len() {
                break;
            }
            left = next;
        }
        (level == 0 || !left.is_empty()).then(|| g.induced(&left))
    };
    let mut layers = Vec::new();
    for level in 0.. {
        let layer: Vec<Option<Plain>> = graphs.iter().map(|g| core(g, level)).collect();
        if layer.iter().all(Option::is_none) {
            break;
        }
        layers.push(layer);
    }
    layers
}

/// The graphs with the labels of each iteration.
fn refined(graphs: &[Plain], h: usize, edge_labels: bool) -> Vec<Vec<Plain>> {
    let named = |round: usize, labels: Vec<Vec<usize>>| -> Vec<Plain> {
        let relabel = |(g, own): (&Plain, Vec<usize>)| Plain {
            labels: own.into_iter().map(|l| format!("{round}:{l}")).collect(),
            ..g.clone()
        };
        graphs.iter().zip(labels).map(relabel).collect()
    };
    let mut rounds = features::rounds(graphs, h, edge_labels).into_iter().enumerate();
    rounds.next();
    let first = vec![graphs.to_vec()];
    first.into_iter().chain(rounds.map(|(round, labels)| named(round, labels))).collect()
}
