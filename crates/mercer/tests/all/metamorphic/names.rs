//! Other names for symbols, categories, words and labels, and other numbers for nodes.

use std::collections::BTreeMap;
use std::sync::Arc;

use mercer::data::{
    Categories, Column, Dataset, Dense, Graph, GraphBuilder, Kind, Labels, Network, NodeAttributes, Nodes,
    Values,
};
use mercer::expression::{Call, Entry, Expression, entries};

use super::{Tally, gram, make, seeds};
use crate::generate::{Case, Random, case, with_classes};

/// Kernels that depend on the names themselves, and why.
pub(super) const BY_NAME: &[&str] = &[
    // The random projection of a label is derived from its name.
    "propagation",
    // BLOSUM62 has a score for each pair of amino acids.
    "local-alignment",
    // Words depend on their characters: stems, stop words, and character counts.
    "terms",
    "content",
];

fn word_of(call: &Call, name: &str) -> Option<String> {
    let at = call.entry.facts.parameters.iter().position(|p| p.name == name)?;
    call.settings[at].word().map(str::to_owned)
}

fn number_of(call: &Call, name: &str) -> Option<f64> {
    let at = call.entry.facts.parameters.iter().position(|p| p.name == name)?;
    call.settings[at].number()
}

/// Compares the Gram matrix of a case with that of changed objects. Sums may be computed in another order.
fn same(
    tally: &mut Tally,
    entry: &'static Entry,
    case: &Case,
    changed: &Dataset,
    tolerance: impl Fn(usize, usize) -> f64,
    may_round: bool,
) -> Result<(), String> {
    let (before, after) = (gram(&case.expression, &case.data)?, gram(&case.expression, changed)?);
    for i in 0..before.rows() {
        for j in 0..before.rows() {
            tally
                .value(entry, after.at(i, j), before.at(i, j), tolerance(i, j), may_round)
                .map_err(|e| format!("({i}, {j}): {e}"))?;
        }
    }
    Ok(())
}

/// A bijection of the symbols of strings.
fn symbol_bijection(random: &mut Random, alphabet: &str, strands: bool) -> Box<dyn Fn(char) -> char> {
    if ["dna", "rna"].contains(&alphabet) {
        let fourth = if alphabet == "dna" { 'T' } else { 'U' };
        let from = ['A', 'C', 'G', fourth];
        // Complements stay complements: A with T, C with G.
        let to = match (strands, random.below(3)) {
            (_, 0) => ['C', 'A', fourth, 'G'],
            (true, _) => [fourth, 'G', 'C', 'A'],
            (false, _) => ['G', fourth, 'C', 'A'],
        };
        return Box::new(move |c| {
            from.iter().position(|f| *f == c.to_ascii_uppercase()).map_or(c, |at| to[at])
        });
    }
    // Among one-byte symbols, so that bytes stay bytes; amino acids stay amino acids.
    let from: Vec<char> = "ACDEFGHIKLMNPQRSTVWY".chars().collect();
    let order = random.permutation(from.len());
    Box::new(move |c| {
        let at = from.iter().position(|f| *f == c.to_ascii_uppercase());
        match at.map(|at| from[order[at]]) {
            Some(other) if c.is_ascii_lowercase() => other.to_ascii_lowercase(),
            Some(other) => other,
            None => c,
        }
    })
}

#[test]
fn other_symbols_change_nothing() {
    let mut tally = Tally::default();
    for entry in entries().into_iter().filter(|e| e.arity() == 0 && e.facts.kinds.contains(&Kind::Strings)) {
        if BY_NAME.contains(&entry.facts.name) {
            continue;
        }
        for seed in 0..seeds(20, 300) {
            let made = case(entry, 2 + seed as usize % 10, seed).unwrap();
            let Expression::Call(call) = &made.expression else { panic!("no call") };
            let alphabet = word_of(call, "alphabet").unwrap_or_else(|| "unicode".into());
            let strands = word_of(call, "reverse-complement").as_deref() == Some("yes");
            let other = symbol_bijection(&mut Random::new(seed), &alphabet, strands);
            let rename = |v: &Vec<Option<String>>| -> Vec<Option<String>> {
                v.iter().map(|s| s.as_ref().map(|s| s.chars().map(&other).collect())).collect()
            };
            let column = |c: &Column| {
                let values = match &c.values {
                    Values::Strings(v) => Values::Strings(rename(v)),
                    Values::Text(v) => Values::Text(rename(v)),
                    other => other.clone(),
                };
                Column::new(&c.name, values)
            };
            let changed = Dataset::new(made.data.columns().iter().map(column).collect()).unwrap();
            // Substrings are summed in the order of their symbols.
            let may_round = entry.facts.name == "substring";
            let outcome =
                make(entry, 2 + seed as usize % 10, seed).map_err(|refused| refused.1).and_then(|m| {
                    same(&mut tally, entry, &made, &changed, |i, j| m.tolerance.of(i, j), may_round)
                });
            tally.went(&made, seed, outcome);
        }
    }
    tally.end("metamorphic", "other symbols", "names::other_symbols_change_nothing");
}

#[test]
fn other_categories_change_nothing() {
    let mut tally = Tally::default();
    for entry in entries().into_iter().filter(|e| e.arity() == 0 && e.facts.kinds.contains(&Kind::Categories))
    {
        for seed in 0..seeds(20, 300) {
            let made = case(entry, 2 + seed as usize % 10, seed).unwrap();
            let mut random = Random::new(seed);
            let mut column = |c: &Column| {
                let Values::Categories(x) = &c.values else { return c.clone() };
                let order = random.permutation(x.levels().len());
                let place = |name: &str| x.levels().iter().position(|l| l == name).unwrap();
                let names: Vec<_> =
                    (0..x.len()).map(|i| x.get(i).map(|n| format!("n{}", order[place(n)]))).collect();
                // The same number of levels, in another order.
                let codes = names.iter().map(|n| n.as_ref().map_or(u32::MAX, |n| n[1..].parse().unwrap()));
                let levels = (0..x.levels().len()).map(|l| format!("n{l}")).collect();
                Column::new(&c.name, Values::Categories(Categories::new(codes.collect(), levels).unwrap()))
            };
            let changed =
                made.data.with_columns(made.data.columns().iter().map(&mut column).collect()).unwrap();
            let outcome = same(&mut tally, entry, &made, &changed, |_, _| 0.0, false);
            tally.went(&made, seed, outcome);
        }
    }
    tally.end("metamorphic", "other categories", "names::other_categories_change_nothing");
}

/// A graph with its labels renamed and its nodes renumbered: node i becomes `order[i]`.
fn renamed(g: &Graph, order: &[usize], names: &BTreeMap<&str, &str>) -> Graph {
    let mut edges = Vec::new();
    let mut carried = Vec::new();
    for (at, (a, b)) in g.arcs().enumerate().filter(|(_, (a, b))| g.is_directed() || a <= b) {
        edges.push((order[a as usize] as u32, order[b as usize] as u32));
        carried.push(at);
    }
    let name = |l: &str| names.get(l).map_or_else(|| l.to_owned(), |n| (*n).to_owned());
    let mut back = vec![0; g.nodes()];
    order.iter().enumerate().for_each(|(old, new)| back[*new] = old);
    let builder =
        if g.is_directed() { GraphBuilder::directed(g.nodes()) } else { GraphBuilder::undirected(g.nodes()) };
    let mut builder = builder.edges(edges);
    if let Some(labels) = g.node_labels() {
        builder = builder.node_labels(Labels::from_names(back.iter().map(|old| name(labels.get(*old)))));
    }
    if let Some(labels) = g.edge_labels() {
        builder = builder.edge_labels(Labels::from_names(carried.iter().map(|at| name(labels.get(*at)))));
    }
    if let Some(weights) = g.weights() {
        builder = builder.weights(carried.iter().map(|at| weights[*at]).collect());
    }
    if let Some(rows) = g.node_attributes() {
        let values = back.iter().flat_map(|old| rows.row(*old).to_vec()).collect();
        builder = builder.node_attributes(Dense::new(g.nodes(), rows.cols(), values).unwrap());
    }
    if let Some(rows) = g.edge_attributes() {
        let values = carried.iter().flat_map(|at| rows.row(*at).to_vec()).collect();
        builder = builder.edge_attributes(Dense::new(carried.len(), rows.cols(), values).unwrap());
    }
    builder.build().unwrap().0
}

/// Kernels on graphs whose sums depend on the order of nodes.
const IN_ORDER: &[&str] =
    &["random-walk", "graph-hopper", "shortest-path-rbf", "return-probabilities", "wwl", "core", "wl-of"];

fn graph_law(
    test: &str,
    law: &str,
    change: impl Fn(&Graph, &mut Random) -> Graph,
    skips: impl Fn(&Call) -> bool,
) {
    let mut tally = Tally::default();
    for entry in entries().into_iter().filter(|e| e.facts.kinds == [Kind::Graphs]) {
        for seed in 0..seeds(20, 300) {
            let n = 2 + seed as usize % 10;
            let made = match make(entry, n, seed) {
                Ok(made) => made,
                Err(refused) => {
                    tally.went(&refused.0, seed, Err(refused.1));
                    continue;
                }
            };
            let Expression::Call(call) = &made.case.expression else { panic!("no call") };
            // Sampled nodes depend on their numbers.
            let drawn = number_of(call, "samples").is_some_and(|s| s > 0.0);
            if drawn || skips(call) {
                continue;
            }
            let Values::Graphs(graphs) = &made.case.data.columns()[0].values else { panic!("no graphs") };
            let mut random = Random::new(seed);
            let changed = graphs.iter().map(|g| change(g, &mut random)).collect();
            let column = Column::new(&made.case.data.columns()[0].name, Values::Graphs(changed));
            let changed = with_classes(Dataset::new(vec![column]).unwrap());
            let may_round = IN_ORDER.contains(&entry.facts.name);
            // An inner product of attributes may cancel.
            let floor = if made.case.expression.to_string().contains("node=linear") { 1e-11 } else { 1e-14 };
            // Sinkhorn's iterations end near the transport, and not at the same point.
            let floor = if number_of(call, "sinkhorn").is_some_and(|s| s > 0.0) { 1e-6 } else { floor };
            let near = |i: usize, j: usize| 10.0 * made.tolerance.of(i, j) + floor;
            let outcome = same(&mut tally, entry, &made.case, &changed, near, may_round);
            tally.went(&made.case, seed, outcome);
        }
    }
    tally.end("metamorphic", law, test);
}

#[test]
fn renumbered_nodes_change_nothing() {
    graph_law(
        "names::renumbered_nodes_change_nothing",
        "renumbered nodes of graphs",
        |g, random| renamed(g, &random.permutation(g.nodes()), &BTreeMap::new()),
        |_| false,
    );
}

#[test]
fn other_labels_change_nothing() {
    // The alphabetical order is kept: of opposite arcs that become one edge, the first label is used.
    let names = BTreeMap::from([("C", "a1"), ("N", "b2"), ("O", "c3"), ("-", "x"), ("=", "y")]);
    graph_law(
        "names::other_labels_change_nothing",
        "other labels of graphs",
        move |g, _| renamed(g, &(0..g.nodes()).collect::<Vec<_>>(), &names),
        |call| BY_NAME.contains(&call.entry.facts.name),
    );
}

/// The nodes of a network with other numbers.
#[test]
fn renumbered_networks_change_nothing() {
    let mut tally = Tally::default();
    for entry in entries().into_iter().filter(|e| e.facts.kinds == [Kind::Nodes]) {
        for seed in 0..seeds(20, 300) {
            let made = case(entry, 2 + seed as usize % 12, seed).unwrap();
            let Expression::Call(call) = &made.expression else { panic!("no call") };
            let inside = call.inner.iter().filter_map(|e| match e {
                Expression::Call(inner) => number_of(inner, "landmarks"),
                _ => None,
            });
            if number_of(call, "landmarks").into_iter().chain(inside).any(|l| l > 0.0) {
                continue;
            }
            let Values::Nodes(nodes) = &made.data.columns()[0].values else { panic!("no nodes") };
            let network = nodes.network();
            let order = Random::new(seed).permutation(network.len());
            let mut edges = Vec::new();
            for i in 0..network.len() {
                let own = network.row(i).filter(|(j, _)| *j as usize >= i);
                edges.extend(own.map(|(j, w)| (order[i] as u32, order[j as usize] as u32, w)));
            }
            let mut moved = Network::new(network.len(), &edges).unwrap();
            if let NodeAttributes::Known(attributes) = network.attributes() {
                let mut rows = vec![0; order.len()];
                order.iter().enumerate().for_each(|(old, &new)| rows[new] = old);
                moved = moved.with_attributes(attributes.select(&rows)).unwrap();
            }
            let moved = Arc::new(moved);
            let chosen = nodes.chosen().iter().map(|i| order[*i as usize] as u32).collect();
            let column =
                Column::new(&made.data.columns()[0].name, Values::Nodes(Nodes::new(moved, chosen).unwrap()));
            let changed = Dataset::new(vec![column]).unwrap();
            let outcome = gram(&made.expression, &made.data).and_then(|k| {
                let largest = k.values().iter().fold(0.0f64, |a, b| a.max(b.abs()));
                same(&mut tally, entry, &made, &changed, |_, _| 1e-11 * largest, true)
            });
            tally.went(&made, seed, outcome);
        }
    }
    tally.end("metamorphic", "renumbered nodes of networks", "names::renumbered_networks_change_nothing");
}
