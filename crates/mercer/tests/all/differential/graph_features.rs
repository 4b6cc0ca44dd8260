//! Features of graphs, enumerated and counted.

use std::collections::{BTreeSet, HashMap};

use super::graphs::{Plain, counted, minima};
use super::matrices::{eigen, matrix};
use super::{Pairs, Value};

/// Edges with their labels and the labels of their ends, which are sorted if there is no direction.
pub(super) fn ended(g: &Plain) -> Vec<(bool, String, String, String)> {
    let one = |(a, b, arc): (usize, usize, &super::graphs::Arc)| {
        let (mut x, mut y) = (g.labels[a].clone(), g.labels[b].clone());
        if !g.directed && y < x {
            (x, y) = (y, x);
        }
        (g.directed, x, arc.label.clone(), y)
    };
    g.edges().map(one).collect()
}

/// The content of a refined label: the previous label, and the neighbours' labels with those of their edges.
type LabelContent = (usize, Vec<(String, usize)>);

/// The labels of all nodes before the first iteration and after each: numbers common to all graphs.
pub(super) fn rounds(graphs: &[Plain], h: usize, edge_labels: bool) -> Vec<Vec<Vec<usize>>> {
    let mut first: HashMap<&str, usize> = HashMap::new();
    let mut start = |label| {
        let next = first.len();
        *first.entry(label).or_insert(next)
    };
    let mut now: Vec<Vec<usize>> =
        graphs.iter().map(|g| g.labels.iter().map(|l| start(l.as_str())).collect()).collect();
    let mut all = vec![now.clone()];
    for _ in 0..h {
        let mut known: HashMap<LabelContent, usize> = HashMap::new();
        let mut next = Vec::new();
        for (g, own) in graphs.iter().zip(&now) {
            let mut look = |i: usize| {
                let edge = |label: &String| if edge_labels { label.clone() } else { String::new() };
                let mut around: Vec<(String, usize)> =
                    g.around(i).map(|(j, arc)| (edge(&arc.label), own[j])).collect();
                around.sort();
                let next = known.len();
                *known.entry((own[i], around)).or_insert(next)
            };
            next.push((0..g.n).map(&mut look).collect());
        }
        now = next;
        all.push(now.clone());
    }
    all
}

/// The features of the Weisfeiler–Lehman kernel: the counts of the base kernel, by iteration.
pub(super) fn wl(graphs: &[Plain], h: usize, base: &str, edge_labels: bool) -> Vec<HashMap<String, f64>> {
    let rounds = rounds(graphs, h, edge_labels);
    let features = |at: usize| {
        let g = &graphs[at];
        let mut all = Vec::new();
        for (round, labels) in rounds.iter().enumerate() {
            let own: Vec<String> = labels[at].iter().map(|l| format!("{l:06}")).collect();
            let found: Vec<String> = match base {
                "subtree" => own,
                "edge" => {
                    let mut named = Plain { labels: own, ..g.clone() };
                    if !edge_labels {
                        named.arcs.values_mut().for_each(|arc| arc.label.clear());
                    }
                    ended(&named).iter().map(|edge| format!("{edge:?}")).collect()
                }
                _ => paths(g, &own).iter().map(|path| format!("{path:?}")).collect(),
            };
            all.extend(found.into_iter().map(|f| format!("{round} {f}")));
        }
        counted(all)
    };
    (0..graphs.len()).map(features).collect()
}

/// The lengths of shortest paths, by Floyd and Warshall; infinite if there is no path.
pub(super) fn distances(g: &Plain) -> Vec<Vec<f64>> {
    let start = |i, j| match (i == j, g.arcs.get(&(i, j))) {
        (true, _) => 0.0,
        (false, Some(arc)) => arc.weight,
        (false, None) => f64::INFINITY,
    };
    let mut d = matrix(g.n, g.n, start);
    for via in 0..g.n {
        for i in 0..g.n {
            for j in 0..g.n {
                d[i][j] = d[i][j].min(d[i][via] + d[via][j]);
            }
        }
    }
    d
}

/// Ordered pairs of different nodes with a path: their labels, and its length to seven digits.
pub(super) fn paths(g: &Plain, labels: &[String]) -> Vec<(String, String, u32)> {
    let d = distances(g);
    let mut all = Vec::new();
    for i in 0..g.n {
        for j in (0..g.n).filter(|j| *j != i && d[i][*j].is_finite()) {
            all.push((labels[i].clone(), labels[j].clone(), (d[i][j] as f32).to_bits()));
        }
    }
    all
}

/// All permutations of the numbers below n.
pub(super) fn orders(n: usize) -> Vec<Vec<usize>> {
    if n == 0 {
        return vec![vec![]];
    }
    let longer = |short: Vec<usize>| (0..n).map(move |at| [&short[..at], &[n - 1], &short[at..]].concat());
    orders(n - 1).into_iter().flat_map(longer).collect()
}

/// All subsets of k of the numbers below n, ascending.
pub(super) fn choices(n: usize, k: usize) -> Vec<Vec<usize>> {
    if k == 0 {
        return vec![vec![]];
    }
    (k - 1..n)
        .flat_map(|last| choices(last, k - 1).into_iter().map(move |c| [&c[..], &[last]].concat()))
        .collect()
}

/// The types of all induced subgraphs of that many nodes: the smallest adjacency list under all renumberings.
pub(super) fn graphlets(g: &Plain, size: usize, connected: bool) -> Vec<Vec<bool>> {
    let joined = |a: usize, b: usize| a != b && g.arcs.contains_key(&(a, b));
    let orders = orders(size);
    let mut known: HashMap<Vec<bool>, Vec<bool>> = HashMap::new();
    let mut all = Vec::new();
    for nodes in choices(g.n, size) {
        let adjacency = |order: &[usize]| -> Vec<bool> {
            let pair = |at: usize| joined(nodes[order[at / size]], nodes[order[at % size]]);
            (0..size * size).map(pair).collect()
        };
        if connected && !is_connected(size, |a, b| joined(nodes[a], nodes[b])) {
            continue;
        }
        let own = adjacency(&(0..size).collect::<Vec<_>>());
        let form = known.entry(own).or_insert_with(|| orders.iter().map(|o| adjacency(o)).min().unwrap());
        all.push(form.clone());
    }
    all
}

/// Whether all nodes can be reached from the first, ignoring directions.
pub(super) fn is_connected(n: usize, joined: impl Fn(usize, usize) -> bool) -> bool {
    let mut reached = BTreeSet::from([0]);
    for _ in 0..n {
        let more: Vec<usize> =
            (0..n).filter(|b| reached.iter().any(|a| joined(*a, *b) || joined(*b, *a))).collect();
        reached.extend(more);
    }
    reached.len() == n
}

/// A hash as the set of its exclusive-or terms: hashes of labels and single bits, each with its rotation.
type Symbols = BTreeSet<(Option<String>, u32)>;

fn rotated(x: &Symbols, by: u32) -> Symbols {
    x.iter().map(|(atom, r)| (atom.clone(), (r + by) % 128)).collect()
}

fn exclusive_or(x: &Symbols, y: &Symbols) -> Symbols {
    x.symmetric_difference(y).cloned().collect()
}

/// The counts of the hashes after each iteration.
pub(super) fn neighbourhood_hashes(g: &Plain, rounds: usize, counts: bool) -> Vec<HashMap<Symbols, f64>> {
    let mut now: Vec<Symbols> = g.labels.iter().map(|l| Symbols::from([(Some(l.clone()), 0)])).collect();
    let mut all = Vec::new();
    for _ in 0..rounds {
        let step = |i: usize| {
            let own = rotated(&now[i], 1);
            let around: Vec<&Symbols> = g.around(i).map(|(j, _)| &now[j]).collect();
            if !counts {
                return around.iter().fold(own, |sum, hash| exclusive_or(&sum, hash));
            }
            let mut different = around.clone();
            different.sort();
            different.dedup();
            different.iter().fold(own, |sum, hash| {
                // A repeated hash enters once: with its count, and rotated by it.
                let times = around.iter().filter(|h| h == &hash).count() as u32;
                let bits: Symbols = (0..8).filter(|b| times >> b & 1 == 1).map(|b| (None, b)).collect();
                exclusive_or(&sum, &rotated(&exclusive_or(hash, &bits), times))
            })
        };
        now = (0..g.n).map(step).collect();
        all.push(counted(now.iter().cloned()));
    }
    all
}

/// Pairs of nodes with equal propagated labels and attributes: bins so narrow that only equal values share one.
pub(super) fn propagation(graphs: Vec<Plain>, t: usize) -> Pairs {
    let mut labels: Vec<&String> = graphs.iter().flat_map(|g| &g.labels).collect();
    labels.sort();
    labels.dedup();
    let spread = |g: &Plain| {
        let start = |i: usize| -> Vec<f64> {
            let shares = labels.iter().map(|l| f64::from(u8::from(**l == g.labels[i])));
            shares.chain(g.attributes[i].iter().copied()).collect()
        };
        let mut now: Vec<Vec<f64>> = (0..g.n).map(start).collect();
        let mut all = vec![now.clone()];
        for _ in 0..t {
            let mean = |i: usize| {
                let total: f64 = g.around(i).map(|(_, arc)| arc.weight).sum();
                if total == 0.0 {
                    return now[i].clone();
                }
                let sum = |c: usize| g.around(i).map(|(j, arc)| arc.weight * now[j][c]).sum::<f64>();
                (0..now[i].len()).map(|c| sum(c) / total).collect()
            };
            now = (0..g.n).map(mean).collect();
            all.push(now.clone());
        }
        all
    };
    let steps: Vec<Vec<Vec<Vec<f64>>>> = graphs.iter().map(spread).collect();
    Box::new(move |i, j| {
        let same = |x: &Vec<f64>, y: &Vec<f64>| x.iter().zip(y).all(|(a, b)| (a - b).abs() < 1e-9);
        let mut count = 0;
        for (x, y) in steps[i].iter().zip(&steps[j]) {
            count += x.iter().map(|u| y.iter().filter(|v| same(u, v)).count()).sum::<usize>();
        }
        Value::exact(count as f64)
    })
}

/// The embedding of nodes: absolute values of eigenvector entries.
fn points(g: &Plain, dimensions: usize) -> Vec<Vec<f64>> {
    let a = matrix(g.n, g.n, |i, j| g.arcs.get(&(i, j)).map_or(0.0, |arc| arc.weight));
    let (values, u) = eigen(&a);
    let radius = values.iter().fold(0.0f64, |a, b| a.max(b.abs()));
    let same = |x: f64, y: f64| (x - y).abs() <= 1e-9 * radius;
    let mut order: Vec<usize> = (0..g.n).collect();
    // The largest absolute value first; ties to the positive one.
    order.sort_by(|&x, &y| {
        let (x, y) = (values[x], values[y]);
        if same(x.abs(), y.abs()) { y.total_cmp(&x) } else { y.abs().total_cmp(&x.abs()) }
    });
    let length = |k: usize, node: usize| {
        let space: Vec<usize> = (0..g.n).filter(|o| same(values[*o], values[k])).collect();
        (space.iter().map(|o| u[node][*o] * u[node][*o]).sum::<f64>() / space.len() as f64).sqrt()
    };
    let point = |node: usize| -> Vec<f64> {
        (0..dimensions).map(|axis| order.get(axis).map_or(0.0, |k| length(*k, node))).collect()
    };
    (0..g.n).map(point).collect()
}

/// The number of nodes in each cell: an axis, a position on it, a label.
type Cells = HashMap<(usize, usize, String), f64>;

/// The pyramid match kernel: points in common cells, level by level.
pub(super) fn pyramid_match(graphs: &[Plain], levels: usize, dimensions: usize) -> Pairs {
    let cells: Vec<Vec<Cells>> = graphs
        .iter()
        .map(|g| {
            let points = points(g, dimensions);
            let level = |l: usize| {
                let side = 1usize << l;
                let cell = |x: f64| ((x * side as f64 + 1e-9).floor() as usize).min(side - 1);
                counted((0..g.n).flat_map(|node| {
                    let own = &points[node];
                    (0..dimensions)
                        .map(|axis| (axis, cell(own[axis]), g.labels[node].clone()))
                        .collect::<Vec<_>>()
                }))
            };
            (0..=levels).map(level).collect()
        })
        .collect();
    Box::new(move |i, j| {
        let common = |l: usize| minima(&cells[i][l], &cells[j][l]);
        let coarser = |l: usize| (common(l) - common(l + 1)) / 2f64.powi((levels - l) as i32);
        Value::rounded(common(levels) + (0..levels).map(coarser).sum::<f64>())
    })
}
