//! Graph kernels beside naive programs: strings for labels, every pair for a sum.

use super::*;
use crate::data::{Dense, GraphBuilder};
use crate::gram::Engine;
use crate::random::Random;

/// A graph with labels on nodes and edges from lists of them.
pub(crate) fn labelled(nodes: &[&str], edges: &[(u32, u32, &str)]) -> Graph {
    GraphBuilder::undirected(nodes.len())
        .edges(edges.iter().map(|&(a, b, _)| (a, b)).collect())
        .node_labels(Labels::from_names(nodes))
        .edge_labels(Labels::from_names(edges.iter().map(|e| e.2)))
        .build()
        .unwrap()
        .0
}

/// A random graph of up to `most` nodes, with loops, of one direction or both.
pub(crate) fn random_graph(random: &mut Random, most: usize, directed: bool) -> Graph {
    let n = random.below(most + 1);
    let mut edges = Vec::new();
    for a in 0..n as u32 {
        for b in 0..n as u32 {
            if random.below(4) == 0 && (a != b || random.below(3) == 0) {
                edges.push((a, b));
            }
        }
    }
    let nodes: Vec<&str> = (0..n).map(|_| ["C", "N", "O"][random.below(3)]).collect();
    let bonds: Vec<&str> = edges.iter().map(|_| ["-", "="][random.below(2)]).collect();
    let builder = if directed { GraphBuilder::directed(n) } else { GraphBuilder::undirected(n) };
    let builder = builder.edges(edges).node_labels(Labels::from_names(nodes));
    builder.edge_labels(Labels::from_names(bonds)).build().unwrap().0
}

/// Random graphs, the first of them without nodes and the second without edges.
pub(crate) fn random_graphs(seed: u64, count: usize, most: usize, directed: bool) -> Vec<Graph> {
    let mut random = Random::new(seed);
    let mut all = vec![labelled(&[], &[]), labelled(&["C", "O"], &[])];
    all.extend((2..count).map(|_| random_graph(&mut random, most, directed)));
    all
}

/// The same graph with its nodes numbered otherwise.
pub(crate) fn renumbered(graph: &Graph, random: &mut Random) -> Graph {
    let mut to: Vec<u32> = (0..graph.nodes() as u32).collect();
    random.shuffle(&mut to);
    let mut from = vec![0; to.len()];
    to.iter().enumerate().for_each(|(old, &new)| from[new as usize] = old);
    let edges: Vec<(u32, u32)> = graph.arcs().map(|(a, b)| (to[a as usize], to[b as usize])).collect();
    let mut builder = match graph.is_directed() {
        true => GraphBuilder::directed(to.len()),
        false => GraphBuilder::undirected(to.len()).mirrored(),
    };
    builder = builder.edges(edges);
    if let Some(labels) = graph.edge_labels() {
        builder = builder.edge_labels(labels.clone());
    }
    if let Some(weights) = graph.weights() {
        builder = builder.weights(weights.to_vec());
    }
    let mut out = builder.build().unwrap().0;
    if let Some(labels) = graph.node_labels() {
        out = out.with_node_labels(Labels::from_names(from.iter().map(|&i| labels.get(i)))).unwrap();
    }
    if let Some(rows) = graph.node_attributes() {
        out = out.with_node_attributes(rows.select(&from)).unwrap();
    }
    out
}

/// The Gram matrix, with every value also computed from two sets of one graph each.
pub(crate) fn gram<K: Kernel<[Graph]>>(kernel: &K, graphs: &[Graph]) -> Dense {
    let engine = Engine::new();
    let k = engine.gram(kernel, graphs).unwrap();
    for i in 0..graphs.len() {
        for j in (i..graphs.len()).step_by(3) {
            let alone = engine.cross(kernel, &graphs[i..=i], &graphs[j..=j]).unwrap().at(0, 0);
            assert_eq!(alone, k.at(i, j), "{kernel}: {i} {j}");
        }
    }
    k
}

/// The product of two histograms of texts.
pub(crate) fn product(a: &[String], b: &[String]) -> f64 {
    a.iter().map(|x| b.iter().filter(|y| *y == x).count()).sum::<usize>() as f64
}

/// Checks every value of a Gram matrix against lists of texts.
fn check<K: Kernel<[Graph]>>(kernel: &K, graphs: &[Graph], texts: impl Fn(&Graph) -> Vec<String>) {
    let k = gram(kernel, graphs);
    let texts: Vec<Vec<String>> = graphs.iter().map(texts).collect();
    for i in 0..graphs.len() {
        for j in 0..graphs.len() {
            assert_eq!(k.at(i, j), product(&texts[i], &texts[j]), "{kernel}: {i} {j}");
        }
    }
}

fn node_name(g: &Graph, i: u32) -> String {
    g.node_labels().map_or(String::new(), |l| l.get(i as usize).to_owned())
}

/// Every edge once, with its label and the texts given for its ends.
fn edge_texts(g: &Graph, bonds: bool, node: impl Fn(u32) -> String) -> Vec<String> {
    let arcs: Vec<(u32, u32)> = g.arcs().collect();
    let once = |&(_, &(a, b)): &(usize, &(u32, u32))| g.is_directed() || a <= b;
    let text = |(place, &(a, b)): (usize, &(u32, u32))| {
        let bond = g.edge_labels().filter(|_| bonds).map_or("", |l| l.get(place));
        let mut ends = [node(a), node(b)];
        if !g.is_directed() {
            ends.sort();
        }
        format!("{}|{bond}|{}|{}", ends[0], ends[1], g.is_directed())
    };
    arcs.iter().enumerate().filter(once).map(text).collect()
}

/// The texts of all rounds: what a label stands for, written out.
fn wl_rounds(g: &Graph, h: usize, bonds: bool) -> Vec<Vec<String>> {
    let mut all = vec![(0..g.nodes() as u32).map(|i| node_name(g, i)).collect::<Vec<_>>()];
    for _ in 0..h {
        let last = &all[all.len() - 1];
        let text = |i: usize| {
            let around = g.outgoing(i).zip(g.neighbours(i)).map(|(place, &j)| {
                let bond = g.edge_labels().filter(|_| bonds).map_or("", |l| l.get(place));
                format!("{bond}{}", last[j as usize])
            });
            let mut around: Vec<String> = around.collect();
            around.sort();
            format!("{}({})", last[i], around.join(","))
        };
        all.push((0..g.nodes()).map(text).collect());
    }
    all
}

/// The two graphs of the slide: the first is given whole, of the second the histograms are.
#[test]
fn histograms_of_the_slide() {
    let first = labelled(
        &["green", "blue", "red", "blue"],
        &[(0, 1, "zigzag"), (0, 3, "straight"), (1, 2, "zigzag"), (1, 3, "straight"), (2, 3, "straight")],
    );
    let second =
        labelled(&["blue", "blue", "red"], &[(0, 1, "straight"), (1, 2, "zigzag"), (0, 2, "zigzag")]);
    let both = [first, second];
    let value = |k: Dense| k.at(0, 1);
    assert_eq!(value(gram(&VertexHistogram::ignoring(Ignore::EdgeLabels), &both)), 5.0);
    assert_eq!(value(gram(&EdgeHistogram::ignoring(Ignore::NodeLabels), &both)), 7.0);
    assert!(Engine::new().gram(&VertexHistogram::default(), &both[..]).is_err());
}

/// The slide's two graphs follow from its table of labels with the labels around them.
pub(crate) fn slide() -> [Graph; 2] {
    let graph = |labels: &[&str], edges: &[(u32, u32)]| {
        Graph::undirected(labels.len(), edges).unwrap().with_node_labels(Labels::from_names(labels)).unwrap()
    };
    [
        graph(&["1", "1", "2", "3", "4", "5"], &[(0, 4), (1, 4), (2, 3), (2, 5), (3, 4), (3, 5), (4, 5)]),
        graph(&["1", "2", "2", "3", "4", "5"], &[(0, 4), (1, 3), (2, 4), (2, 5), (3, 4), (3, 5), (4, 5)]),
    ]
}

#[test]
fn weisfeiler_lehman_of_the_slide() {
    assert_eq!(gram(&WeisfeilerLehman::new(0).unwrap(), &slide()).at(0, 1), 7.0);
    assert_eq!(gram(&WeisfeilerLehman::new(1).unwrap(), &slide()).at(0, 1), 11.0);
}

#[test]
fn histograms_count_what_texts_do() {
    for directed in [false, true] {
        let graphs = random_graphs(1, 24, 9, directed);
        let nodes = |g: &Graph| (0..g.nodes() as u32).map(|i| node_name(g, i)).collect::<Vec<_>>();
        check(&VertexHistogram::ignoring(Ignore::Others), &graphs, nodes);
        check(&EdgeHistogram::ignoring(Ignore::Others), &graphs, |g| {
            let labels = g.edge_labels().unwrap();
            let arcs = g.arcs().enumerate().filter(|(_, (a, b))| g.is_directed() || a <= b);
            arcs.map(|(place, _)| labels.get(place).to_owned()).collect()
        });
        check(&VertexEdgeHistogram::ignoring(Ignore::Others), &graphs, |g| {
            edge_texts(g, true, |i| node_name(g, i))
        });
    }
}

#[test]
fn weisfeiler_lehman_counts_what_texts_do() {
    for (directed, bonds) in [(false, false), (false, true), (true, false), (true, true)] {
        let graphs = random_graphs(2, 20, 8, directed);
        for h in [0, 1, 3] {
            let kernel = WeisfeilerLehman::new(h).unwrap().with_edge_labels(bonds);
            check(&kernel, &graphs, |g| wl_rounds(g, h, bonds).concat());
            check(&kernel.with_base(Base::Edge), &graphs, |g| {
                let rounds = wl_rounds(g, h, bonds);
                let round = |(i, texts): (usize, &Vec<String>)| {
                    let of = |t: String| format!("{i}:{t}");
                    edge_texts(g, bonds, |v| texts[v as usize].clone())
                        .into_iter()
                        .map(of)
                        .collect::<Vec<_>>()
                };
                rounds.iter().enumerate().flat_map(round).collect()
            });
        }
    }
}

#[test]
fn optimal_assignment_is_the_best_matching() {
    let graphs = random_graphs(3, 16, 6, false);
    for (h, bonds) in [(0, false), (2, true), (3, false)] {
        let k = gram(&OptimalAssignment::new(h).unwrap().with_edge_labels(bonds), &graphs);
        let rounds: Vec<_> = graphs.iter().map(|g| wl_rounds(g, h, bonds)).collect();
        for (i, a) in rounds.iter().enumerate() {
            for (j, b) in rounds.iter().enumerate() {
                let worth = |u: usize, v: usize| (0..=h).filter(|&r| a[r][u] == b[r][v]).count();
                assert_eq!(k.at(i, j), best_matching(a[0].len(), b[0].len(), &worth) as f64, "{i} {j}");
            }
        }
    }
}

/// The most a matching is worth: every node of the first graph with every free node of the second, or none.
fn best_matching(n: usize, m: usize, worth: &dyn Fn(usize, usize) -> usize) -> usize {
    let mut best = vec![0; 1 << m];
    for u in 0..n {
        for taken in (0..1usize << m).rev() {
            let with = (0..m).filter(|v| taken >> v & 1 == 1).map(|v| best[taken & !(1 << v)] + worth(u, v));
            best[taken] = with.max().unwrap_or(0).max(best[taken]);
        }
    }
    best[(1 << m) - 1]
}

/// Ten rounds on long paths and rings: labels of many steps, which only exact relabelling tells apart.
#[test]
fn many_rounds_tell_lengths_apart() {
    let path =
        |n: u32| Graph::undirected(n as usize, &(1..n).map(|i| (i - 1, i)).collect::<Vec<_>>()).unwrap();
    let graphs = [path(40), path(41), path(7)];
    check(&WeisfeilerLehman::new(10).unwrap(), &graphs, |g| wl_rounds(g, 10, false).concat());
    assert!(WeisfeilerLehman::new(1001).is_err());
}

#[test]
fn numbers_of_nodes_do_not_matter() {
    let mut random = Random::new(5);
    for directed in [false, true] {
        let graphs = random_graphs(6, 30, 9, directed);
        let turned: Vec<Graph> = graphs.iter().map(|g| renumbered(g, &mut random)).collect();
        let same = |a: Dense, b: Dense| assert_eq!(a.values(), b.values());
        let wl = WeisfeilerLehman::new(3).unwrap().with_edge_labels(true);
        same(gram(&wl, &graphs), gram(&wl, &turned));
        let edges = VertexEdgeHistogram::default();
        same(gram(&edges, &graphs), gram(&edges, &turned));
    }
}
