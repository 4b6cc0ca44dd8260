//! Compares graph kernels with naive implementations that use strings as labels and sum over every pair.

use super::*;
use crate::data::{Dense, GraphBuilder};
use crate::gram::Engine;
use crate::kernel::counts::{Bag, Describe};
use crate::kernel::{FeatureMap, Kernel};
use crate::random::Random;

/// A graph with node and edge labels from lists.
pub(crate) fn labelled(nodes: &[&str], edges: &[(u32, u32, &str)]) -> Graph {
    GraphBuilder::undirected(nodes.len())
        .edges(edges.iter().map(|&(a, b, _)| (a, b)).collect())
        .node_labels(Labels::from_names(nodes))
        .edge_labels(Labels::from_names(edges.iter().map(|e| e.2)))
        .build()
        .unwrap()
        .0
}

/// A random graph of up to `most` nodes, with loops, directed or undirected.
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

/// The same graph with renumbered nodes.
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

/// The Gram matrix; every value is also computed from two sets of one graph each.
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

/// The texts of all rounds: the explicit content of each label.
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

/// The two graphs of the slide: the first is given in full, the second by its histograms.
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

/// The slide's two graphs follow from its table of labels and neighbouring labels.
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
fn weisfeiler_lehman_values_of_the_slide() {
    assert_eq!(gram(&WeisfeilerLehman::new(0).unwrap(), &slide()).at(0, 1), 7.0);
    assert_eq!(gram(&WeisfeilerLehman::new(1).unwrap(), &slide()).at(0, 1), 11.0);
}

#[test]
fn histograms_agree_with_explicit_texts() {
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
fn weisfeiler_lehman_agrees_with_explicit_texts() {
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

/// The maximum weight of a matching: every node of the first graph with every free node of the second, or unmatched.
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

/// Ten rounds on long paths and rings: deep labels that only exact relabelling distinguishes.
#[test]
fn many_rounds_distinguish_lengths_of_paths() {
    let path =
        |n: u32| Graph::undirected(n as usize, &(1..n).map(|i| (i - 1, i)).collect::<Vec<_>>()).unwrap();
    let graphs = [path(40), path(41), path(7)];
    check(&WeisfeilerLehman::new(10).unwrap(), &graphs, |g| wl_rounds(g, 10, false).concat());
    assert!(WeisfeilerLehman::new(1001).is_err());
}

/// Every ordered pair of different nodes with a path, by Floyd-Warshall.
fn path_texts(g: &Graph, node: impl Fn(usize) -> String) -> Vec<String> {
    let d = super::paths::tests::all_pairs(g);
    let pairs = (0..g.nodes()).flat_map(|u| (0..g.nodes()).map(move |v| (u, v)));
    let there = pairs.filter(|&(u, v)| u != v && d[u][v].is_finite());
    there.map(|(u, v)| format!("{}|{}|{}", node(u), d[u][v], node(v))).collect()
}

#[test]
fn shortest_paths_agree_with_floyd_warshall() {
    for directed in [false, true] {
        let mut graphs = random_graphs(4, 20, 9, directed);
        for (at, g) in graphs.iter_mut().enumerate().filter(|(at, _)| at % 3 == 0) {
            let weights = g.arcs().map(|(a, b)| f64::from((a * b + a + b + at as u32) % 5) / 2.0).collect();
            *g = g.clone().with_weights(weights).unwrap();
        }
        let plain = ShortestPath::default().ignoring(Ignore::Others);
        check(&plain, &graphs, |g| path_texts(g, |i| node_name(g, i as u32)));
        check(&plain.with_labels(false), &graphs, |g| path_texts(g, |_| String::new()));
        let steps: Vec<Graph> =
            graphs.iter().map(|g| g.clone().without_weights().without_edge_labels()).collect();
        let unweighted = ShortestPath::default().ignoring(Ignore::Weights);
        let bare: Vec<Graph> = graphs.iter().map(|g| g.clone().without_edge_labels()).collect();
        assert_eq!(gram(&unweighted, &bare).values(), gram(&plain, &steps).values());
        let wl = WeisfeilerLehman::new(2).unwrap().with_base(Base::ShortestPath);
        check(&wl, &graphs, |g| {
            let rounds = wl_rounds(g, 2, false);
            let of = |(i, texts): (usize, &Vec<String>)| path_texts(g, |v| format!("{i}:{}", texts[v]));
            rounds.iter().enumerate().flat_map(of).collect()
        });
    }
    let negative = Graph::undirected(2, &[(0, 1)]).unwrap().with_weights(vec![-1.0; 2]).unwrap();
    let graphs = [Graph::undirected(1, &[]).unwrap(), negative];
    let error = Engine::new().gram(&ShortestPath::default(), &graphs[..]).unwrap_err();
    assert!(matches!(error, crate::Error::Object { index: 1, .. }), "{error}");
}

/// Compares with the sum over all pairs of pairs.
#[test]
fn attributed_paths_are_sums_over_pairs_of_pairs() {
    let mut random = Random::new(15);
    for (directed, labels) in [(false, true), (true, false)] {
        let mut graphs = random_graphs(16, 9, 6, directed);
        for g in &mut graphs {
            let values = (0..2 * g.nodes()).map(|_| random.unit()).collect();
            *g = g.clone().with_node_attributes(Dense::new(g.nodes(), 2, values).unwrap()).unwrap();
        }
        let kernel = ShortestPathRbf::new(0.7).unwrap().with_labels(labels).ignoring(Ignore::Others);
        let k = Engine::new().gram(&kernel, &graphs[..]).unwrap();
        let renumbered_graphs: Vec<Graph> = graphs.iter().map(|g| renumbered(g, &mut random)).collect();
        let again = Engine::new().gram(&kernel, &renumbered_graphs[..]).unwrap();
        for (i, a) in graphs.iter().enumerate() {
            for (j, b) in graphs.iter().enumerate() {
                let near = |u: usize, v: usize| {
                    let (x, y) = (a.node_attributes().unwrap().row(u), b.node_attributes().unwrap().row(v));
                    let square: f64 = x.iter().zip(y).map(|(x, y)| (x - y) * (x - y)).sum();
                    let equal = !labels || node_name(a, u as u32) == node_name(b, v as u32);
                    if equal { (-0.7 * square).exp() } else { 0.0 }
                };
                let (da, db) = (super::paths::tests::all_pairs(a), super::paths::tests::all_pairs(b));
                let mut sum = 0.0;
                for (u, v) in (0..a.nodes()).flat_map(|u| (0..a.nodes()).map(move |v| (u, v))) {
                    for (s, t) in (0..b.nodes()).flat_map(|s| (0..b.nodes()).map(move |t| (s, t))) {
                        if u != v && s != t && da[u][v].is_finite() && da[u][v] == db[s][t] {
                            sum += near(u, s) * near(v, t);
                        }
                    }
                }
                assert!((k.at(i, j) - sum).abs() < 1e-12 * (1.0 + sum), "{kernel}: {i} {j}");
                assert!((again.at(i, j) - sum).abs() < 1e-12 * (1.0 + sum));
            }
        }
    }
    // Without attributes it equals the shortest-path kernel.
    let graphs = random_graphs(17, 10, 7, false);
    let plain = gram(&ShortestPath::default().ignoring(Ignore::Others), &graphs);
    let same = gram(&ShortestPathRbf::new(1.0).unwrap().ignoring(Ignore::Others), &graphs);
    assert_eq!(plain.values(), same.values());
    let wide = Graph::undirected(1, &[]).unwrap().with_node_attributes(Dense::zeros(1, 3)).unwrap();
    let other = wide.clone().with_node_attributes(Dense::zeros(1, 2)).unwrap();
    let cross = Engine::new().cross(&ShortestPathRbf::new(1.0).unwrap(), &[wide][..], &[other][..]);
    assert!(matches!(cross, Err(crate::Error::Dimension { .. })));
}

/// The types of all choices of nodes, represented by the smallest adjacency list over all orders.
fn graphlet_texts(g: &Graph, size: usize, connected: bool) -> Vec<String> {
    let has = |a: usize, b: usize| a != b && g.neighbours(a).contains(&(b as u32));
    let mut out = Vec::new();
    for set in 0..1usize << g.nodes() {
        let nodes: Vec<usize> = (0..g.nodes()).filter(|i| set >> i & 1 == 1).collect();
        if nodes.len() != size {
            continue;
        }
        let mut reached = vec![nodes[0]];
        for at in 0..size {
            let Some(&from) = reached.get(at) else { break };
            reached.extend(
                nodes.iter().copied().filter(|&v| has(from, v) && !reached.contains(&v)).collect::<Vec<_>>(),
            );
        }
        if connected && reached.len() < size {
            continue;
        }
        let orders = permutations(&nodes);
        let text = |order: &Vec<usize>| {
            let pairs = (0..size).flat_map(|j| (0..j).map(move |i| (i, j)));
            pairs.map(|(i, j)| if has(order[i], order[j]) { '1' } else { '0' }).collect::<String>()
        };
        out.push(orders.iter().map(text).min().unwrap());
    }
    out
}

fn permutations(items: &[usize]) -> Vec<Vec<usize>> {
    match items {
        [] => vec![Vec::new()],
        _ => (0..items.len())
            .flat_map(|at| {
                let mut rest = items.to_vec();
                let first = rest.remove(at);
                permutations(&rest).into_iter().map(move |more| [vec![first], more].concat())
            })
            .collect(),
    }
}

#[test]
fn graphlets_agree_with_all_choices_of_nodes() {
    let graphs = random_graphs(7, 14, 9, false);
    for size in 3..=5 {
        for connected in [true, false] {
            let kernel = Graphlet::new(size).unwrap().with_connected(connected).ignoring(Ignore::Others);
            check(&kernel, &graphs, |g| graphlet_texts(g, size, connected));
        }
    }
    // Directed edges count as edges if direction is ignored.
    let directed = random_graphs(8, 8, 7, true);
    let kernel = Graphlet::new(4).unwrap();
    let edges: Vec<Graph> = directed.iter().map(|g| g.to_undirected().unwrap()).collect();
    let seen = gram(&kernel.ignoring(Ignore::Others), &directed);
    assert_eq!(seen.values(), gram(&kernel.ignoring(Ignore::Others), &edges).values());
    assert!(Graphlet::new(2).is_err() && Graphlet::new(6).is_err());
}

/// Graphs smaller than a graphlet have similarity 0, and a warning reports them.
#[test]
fn small_graphs_have_no_graphlets() {
    let graphs = [Graph::undirected(2, &[(0, 1)]).unwrap(), Graph::undirected(4, &[(0, 1), (1, 2)]).unwrap()];
    let kernel = Graphlet::new(3).unwrap().with_connected(false);
    assert_eq!(gram(&kernel, &graphs).values(), [0.0, 0.0, 0.0, 6.0]);
    let notes = kernel.notes(&graphs).unwrap();
    assert!(notes.len() == 1 && notes[0].to_string().starts_with("W_SMALL 1 of 2 graphs"));
    let star: Vec<(u32, u32)> = (1..3000).map(|i| (0, i)).collect();
    let star = Graph::undirected(3000, &star).unwrap();
    assert!(Engine::new().gram(&kernel, std::slice::from_ref(&star)).is_ok());
    let five = Graphlet::new(5).unwrap().with_connected(false);
    let error = Engine::new().gram(&five, std::slice::from_ref(&star)).unwrap_err();
    assert!(error.hint().unwrap().contains("samples"));
    assert!(Engine::new().gram(&five.with_samples(1000, 1), &[star][..]).is_ok());
}

/// The shares in many samples approach those of all choices of nodes.
#[test]
fn samples_approximate_the_exact_shares() {
    let graphs = random_graphs(9, 6, 9, false);
    let graph = graphs.iter().max_by_key(|g| g.nodes()).unwrap();
    let one = std::slice::from_ref(graph);
    let kernel = Graphlet::new(4).unwrap().with_connected(false).ignoring(Ignore::Others);
    let draws = 40_000;
    let sampled = kernel.with_samples(draws, 3);
    let (exact, some) = (kernel.features(one).unwrap(), sampled.features(one).unwrap());
    let (counts, drawn) = (exact.values.to_dense(), some.values.to_dense());
    let all: f64 = counts.values().iter().sum();
    for (name, count) in exact.names.iter().zip(counts.values()) {
        let share = count / all;
        let found = some.names.iter().position(|n| n == name);
        let seen = found.map_or(0.0, |at| drawn.at(0, at)) / draws as f64;
        assert!((seen - share).abs() < 5.0 * (share * (1.0 - share) / draws as f64).sqrt() + 1e-9, "{name}");
    }
    assert_eq!(gram(&sampled, one).values(), gram(&sampled, one).values());
}

/// A symbolic hash: the labels that enter it, their rotations, and a constant. Equal labels cancel.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Symbolic(std::collections::BTreeSet<(String, u32)>, u128);

impl Symbolic {
    fn of(label: String) -> Self {
        Symbolic([(label, 0)].into(), 0)
    }

    fn rotated(&self, by: u32) -> Self {
        Symbolic(self.0.iter().map(|(l, r)| (l.clone(), r + by)).collect(), self.1.rotate_left(by))
    }

    fn xor(&self, other: &Self) -> Self {
        Symbolic(self.0.symmetric_difference(&other.0).cloned().collect(), self.1 ^ other.1)
    }
}

#[test]
fn neighbourhood_hash_agrees_with_symbolic_hashes() {
    for (directed, counts) in [(false, false), (true, false), (false, true), (true, true)] {
        let graphs = random_graphs(10, 16, 8, directed);
        let kernel = NeighbourhoodHash::new(3).unwrap().with_counts(counts).ignoring(Ignore::Others);
        let k = gram(&kernel, &graphs);
        let rounds = |g: &Graph| {
            let mut hashes: Vec<Symbolic> =
                (0..g.nodes() as u32).map(|i| Symbolic::of(node_name(g, i))).collect();
            let mut all = Vec::new();
            for _ in 0..3 {
                let next = (0..g.nodes()).map(|i| {
                    let mut around: Vec<&Symbolic> =
                        g.neighbours(i).iter().map(|&j| &hashes[j as usize]).collect();
                    around.sort();
                    let own = hashes[i].rotated(1);
                    if !counts {
                        return around.iter().fold(own, |all, hash| all.xor(hash));
                    }
                    around.chunk_by(|a, b| a == b).fold(own, |all, run| {
                        let times = Symbolic(Default::default(), run.len() as u128);
                        all.xor(&run[0].xor(&times).rotated(run.len() as u32))
                    })
                });
                hashes = next.collect();
                all.push(hashes.clone());
            }
            all
        };
        let all: Vec<_> = graphs.iter().map(rounds).collect();
        for i in 0..graphs.len() {
            for j in 0..graphs.len() {
                let share = |r: usize| {
                    let (a, mut b) = (&all[i][r], all[j][r].clone());
                    let shared =
                        a.iter().filter(|x| b.iter().position(|y| y == *x).map(|at| b.remove(at)).is_some());
                    let shared = shared.count() as f64;
                    let of = (all[i][r].len() + all[j][r].len()) as f64 - shared;
                    if of > 0.0 { shared / of } else { 0.0 }
                };
                let expected = (0..3).map(share).sum::<f64>() / 3.0;
                assert!((k.at(i, j) - expected).abs() < 1e-14, "{kernel}: {i} {j}");
            }
        }
    }
}

/// Computes the bins of a propagation kernel with full matrices of one row per node and one column per label.
#[test]
fn propagation_counts_nodes_in_equal_bins() {
    let graphs = random_graphs(12, 16, 7, false);
    let weighted = |g: &Graph| {
        let weights = g.arcs().map(|(a, b)| f64::from((a + b) % 3)).collect();
        g.clone().with_weights(weights).unwrap()
    };
    let graphs: Vec<Graph> = graphs.iter().map(weighted).collect();
    // One label: every distribution is the same at every step, and k counts all pairs of nodes in each step.
    let plain: Vec<Graph> =
        graphs.iter().map(|g| g.clone().without_node_labels().without_edge_labels()).collect();
    let kernel = Propagation::new(3, 1e-3).unwrap();
    let k = gram(&kernel, &plain);
    for i in 0..plain.len() {
        for j in 0..plain.len() {
            assert_eq!(k.at(i, j), 4.0 * (plain[i].nodes() * plain[j].nodes()) as f64);
        }
    }
    // Bins so narrow that only equal distributions share one: compares with explicit averages.
    for metric in [Metric::Tv, Metric::Hellinger] {
        let kernel = Propagation::new(2, 1e-9).unwrap().with_metric(metric).ignoring(Ignore::Others);
        check(&kernel, &graphs, |g| {
            let one = |i: u32, label: &str| f64::from(u8::from(node_name(g, i) == label));
            let mut p: Vec<[f64; 3]> =
                (0..g.nodes() as u32).map(|i| ["C", "N", "O"].map(|label| one(i, label))).collect();
            let mut texts = Vec::new();
            for step in 0..=2 {
                let text = |row: &[f64; 3]| format!("{step}: {:.6} {:.6} {:.6}", row[0], row[1], row[2]);
                texts.extend(p.iter().map(text));
                let mean = |i: usize| {
                    let weights = || g.outgoing(i).map(|place| g.weights().unwrap()[place]);
                    let total: f64 = weights().sum();
                    if total == 0.0 {
                        return p[i];
                    }
                    let of = |l: usize| {
                        g.neighbours(i).iter().zip(weights()).map(|(&j, w)| w * p[j as usize][l]).sum::<f64>()
                            / total
                    };
                    [of(0), of(1), of(2)]
                };
                p = (0..g.nodes()).map(mean).collect();
            }
            texts
        });
    }
    // Very wide bins contain all nodes.
    let wide = Propagation::new(0, 1e12).unwrap().ignoring(Ignore::Others);
    assert_eq!(gram(&wide, &graphs[2..4]).at(0, 1), (graphs[2].nodes() * graphs[3].nodes()) as f64);
}

#[test]
fn propagation_puts_similar_attributes_into_one_bin() {
    let point = |x: f64| {
        let rows = Dense::new(1, 2, vec![x, 1.0]).unwrap();
        Graph::undirected(1, &[]).unwrap().with_node_attributes(rows).unwrap()
    };
    let graphs = [point(0.0), point(1e-9), point(50.0)];
    let kernel = |seed| Propagation::new(0, 1.0).unwrap().with_attributes(true, 1.0).unwrap().with_seed(seed);
    let counts = |i: usize, j: usize| (0..50).map(|seed| gram(&kernel(seed), &graphs).at(i, j)).sum::<f64>();
    assert!(counts(0, 1) >= 49.0 && counts(0, 2) <= 5.0);
    assert!(Engine::new().gram(&Propagation::new(0, 1.0).unwrap(), &graphs[..]).is_ok());
    assert!(Propagation::new(0, 1.0).unwrap().notes(&graphs).unwrap()[0].message.contains("attributes=yes"));
}

/// `describe` visits exactly what `count` counts, with a name and on nodes of the graph.
#[test]
fn described_features_equal_counted_features() {
    fn agree(kernel: &(impl Describe<Objects = [Graph]> + OnGraphs), graphs: &[Graph]) {
        let seen = kernel.admit(graphs).unwrap();
        for graph in seen.iter() {
            let (mut counted, mut described) = (Vec::new(), Bag::default());
            let mut bag = Bag::default();
            kernel.count(graph, &mut bag).unwrap();
            bag.drain(|hash, count| counted.push((hash, count)));
            kernel
                .describe(graph, &mut |hash, nodes, name| {
                    assert!(!nodes.is_empty() && nodes.iter().all(|&i| (i as usize) < graph.nodes()));
                    assert!(!name().is_empty());
                    described.add(hash);
                })
                .unwrap();
            let mut described_counts = Vec::new();
            described.drain(|hash, count| described_counts.push((hash, count)));
            assert_eq!(described_counts, counted);
        }
    }
    for directed in [false, true] {
        let graphs = random_graphs(13, 20, 8, directed);
        agree(&VertexHistogram::ignoring(Ignore::Others), &graphs);
        agree(&EdgeHistogram::ignoring(Ignore::Others), &graphs);
        agree(&VertexEdgeHistogram::default(), &graphs);
        for base in [Base::Subtree, Base::Edge, Base::ShortestPath] {
            agree(&WeisfeilerLehman::new(3).unwrap().with_base(base).with_edge_labels(directed), &graphs);
        }
        agree(&ShortestPath::default().ignoring(Ignore::Others), &graphs);
        for (size, connected) in [(3, true), (4, false), (5, true)] {
            agree(&Graphlet::new(size).unwrap().with_connected(connected).ignoring(Ignore::Others), &graphs);
        }
        agree(&Graphlet::new(4).unwrap().with_samples(30, 1).ignoring(Ignore::Others), &graphs);
        agree(&Propagation::new(2, 0.1).unwrap().ignoring(Ignore::Others), &graphs);
    }
}

#[test]
fn features_have_readable_names_of_their_own() {
    let molecule = labelled(&["C", "C", "O", "N"], &[(0, 1, "single"), (1, 2, "double"), (1, 3, "single")]);
    let one = std::slice::from_ref(&molecule);
    let has = |names: &[String], name: &str| assert!(names.iter().any(|n| n == name), "{name} in {names:?}");
    has(&VertexEdgeHistogram::default().features(one).unwrap().names, "C-double-O");
    let wl = WeisfeilerLehman::new(2).unwrap();
    has(&wl.features(one).unwrap().names, "C(C,N,O)");
    has(&wl.features(one).unwrap().names, "O(C(C,N,O))");
    has(&wl.with_edge_labels(true).features(one).unwrap().names, "O(double:C)");
    has(&ShortestPath::default().ignoring(Ignore::Others).features(one).unwrap().names, "N-2-O");
    has(&Graphlet::new(4).unwrap().ignoring(Ignore::Others).features(one).unwrap().names, "star of 4");
    // Long names are cut but remain distinct.
    let long: Vec<String> = (0..40).map(|i| format!("label-{}", i % 7)).collect();
    let edges: Vec<(u32, u32)> = (1..40).map(|i| (i / 2, i)).collect();
    let tree = Graph::undirected(40, &edges).unwrap().with_node_labels(Labels::from_names(&long)).unwrap();
    let names = WeisfeilerLehman::new(4).unwrap().features(&[tree][..]).unwrap().names;
    assert!(names.iter().all(|n| n.len() < 100) && names.iter().any(|n| n.contains('…')));
    let mut once = names.clone();
    once.sort();
    once.dedup();
    assert_eq!(once.len(), names.len());
    // φ(x)·φ(y) = k(x, y).
    let graphs = random_graphs(14, 12, 8, false);
    let features = wl.features(&graphs[..]).unwrap().values.to_dense();
    let k = gram(&wl, &graphs);
    for i in 0..graphs.len() {
        for j in 0..graphs.len() {
            let dot: f64 = features.row(i).iter().zip(features.row(j)).map(|(a, b)| a * b).sum();
            assert_eq!(dot, k.at(i, j));
        }
    }
}

#[test]
fn numbering_of_nodes_does_not_matter() {
    let mut random = Random::new(5);
    for directed in [false, true] {
        let graphs = random_graphs(6, 30, 9, directed);
        let renumbered_graphs: Vec<Graph> = graphs.iter().map(|g| renumbered(g, &mut random)).collect();
        let same = |a: Dense, b: Dense| assert_eq!(a.values(), b.values());
        let wl = WeisfeilerLehman::new(3).unwrap().with_edge_labels(true);
        same(gram(&wl, &graphs), gram(&wl, &renumbered_graphs));
        let edges = VertexEdgeHistogram::default();
        same(gram(&edges, &graphs), gram(&edges, &renumbered_graphs));
        for base in [Base::Edge, Base::ShortestPath] {
            same(gram(&wl.with_base(base), &graphs), gram(&wl.with_base(base), &renumbered_graphs));
        }
        let oa = OptimalAssignment::new(3).unwrap().with_edge_labels(true);
        same(gram(&oa, &graphs), gram(&oa, &renumbered_graphs));
        let paths = ShortestPath::default().ignoring(Ignore::Others);
        same(gram(&paths, &graphs), gram(&paths, &renumbered_graphs));
        for size in 3..=5 {
            let graphlets = Graphlet::new(size).unwrap().with_connected(size > 4).ignoring(Ignore::Others);
            same(gram(&graphlets, &graphs), gram(&graphlets, &renumbered_graphs));
        }
        let hash = NeighbourhoodHash::new(2).unwrap().with_counts(true).ignoring(Ignore::Others);
        same(gram(&hash, &graphs), gram(&hash, &renumbered_graphs));
        let spread = Propagation::new(3, 0.01).unwrap().ignoring(Ignore::Others);
        same(gram(&spread, &graphs), gram(&spread, &renumbered_graphs));
    }
}
