//! Walks, paths and matchings in pairs of graphs.

use super::graph_features::{choices, distances, is_connected};
use super::graphs::Plain;
use super::matrices::{Matrix, apply, inverse, joined, matrix, unit};
use super::{Pairs, Value};

/// The adjacency matrix of the direct product: pairs of nodes of one label, connected if both graphs have such an arc.
fn product(g: &Plain, h: &Plain) -> Matrix {
    let mut nodes = Vec::new();
    for a in 0..g.n {
        nodes.extend((0..h.n).filter(|b| g.labels[a] == h.labels[*b]).map(|b| (a, b)));
    }
    matrix(nodes.len(), nodes.len(), |i, j| {
        let ((a, b), (c, d)) = (nodes[i], nodes[j]);
        match (g.arcs.get(&(a, c)), h.arcs.get(&(b, d))) {
            (Some(x), Some(y)) if x.label == y.label => x.weight * y.weight,
            _ => 0.0,
        }
    })
}

pub(super) fn random_walk(graphs: Vec<Plain>, kind: &str, steps: usize, decay: f64) -> Pairs {
    let kind = kind.to_owned();
    Box::new(move |i, j| {
        let a = product(&graphs[i], &graphs[j]);
        let ones = vec![1.0; a.len()];
        if kind == "geometric" {
            let solved = apply(&inverse(&joined(1.0, &unit(a.len()), -decay, &a)), &ones);
            let k: f64 = solved.iter().sum();
            // Accurate to that relative to the self-similarities, which are larger.
            return Value::of(k, 10.0 * k);
        }
        let terms = if kind == "k-step" { steps } else { 200 };
        let (mut walks, mut sum) = (ones.clone(), a.len() as f64);
        for l in 1..=terms {
            let factor = if kind == "k-step" { decay } else { decay / l as f64 };
            walks = apply(&a, &walks).iter().map(|v| factor * v).collect();
            sum += walks.iter().sum::<f64>();
        }
        Value::of(sum, 10.0 * sum)
    })
}

/// Counts the injective maps of 1 to k nodes of one graph into the other that preserve labels, arcs and their absence.
pub(super) fn matches(g: &Plain, h: &Plain, k: usize, connected: bool) -> f64 {
    let arc = |g: &Plain, a: usize, b: usize| g.arcs.get(&(a, b)).map(|arc| arc.label.clone());
    let mut count = 0.0;
    for size in 1..=k.min(g.n) {
        for nodes in choices(g.n, size) {
            if connected && !is_connected(size, |a, b| g.arcs.contains_key(&(nodes[a], nodes[b]))) {
                continue;
            }
            let mut maps: Vec<Vec<usize>> = vec![vec![]];
            for (at, &node) in nodes.iter().enumerate() {
                let fits = |map: &Vec<usize>, image: usize| {
                    !map.contains(&image)
                        && g.labels[node] == h.labels[image]
                        && arc(g, node, node) == arc(h, image, image)
                        && (0..at).all(|o| {
                            arc(g, node, nodes[o]) == arc(h, image, map[o])
                                && arc(g, nodes[o], node) == arc(h, map[o], image)
                        })
                };
                let longer = |map: &Vec<usize>| -> Vec<Vec<usize>> {
                    (0..h.n).filter(|i| fits(map, *i)).map(|i| [&map[..], &[i]].concat()).collect()
                };
                maps = maps.iter().flat_map(longer).collect();
            }
            count += maps.len() as f64;
        }
    }
    if g.directed == h.directed { count } else { f64::NAN }
}

fn squared(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).map(|(a, b)| (a - b) * (a - b)).sum()
}

/// Four nodes at a time, as in the formula.
pub(super) fn paths_by_attributes(g: &Plain, h: &Plain, gamma: f64) -> Value {
    let like = |u: usize, v: usize| match g.labels[u] == h.labels[v] {
        true => (-gamma * squared(&g.attributes[u], &h.attributes[v])).exp(),
        false => 0.0,
    };
    let (d, e) = (distances(g), distances(h));
    let kappa = matrix(g.n, h.n, like);
    let mut sum = 0.0;
    for u in 0..g.n {
        for v in (0..g.n).filter(|v| *v != u && d[u][*v].is_finite()) {
            for a in 0..h.n {
                for b in (0..h.n).filter(|b| *b != a) {
                    // Lengths to seven digits.
                    if d[u][v] as f32 == e[a][b] as f32 {
                        sum += kappa[u][a] * kappa[v][b];
                    }
                }
            }
        }
    }
    let largest = (0..g.n)
        .flat_map(|u| (0..h.n).map(move |v| (u, v)))
        .fold(0.0f64, |most, (u, v)| most.max(squared(&g.attributes[u], &h.attributes[v])));
    // Exponentials of numbers of that magnitude.
    Value::of(sum, sum * (10.0 + gamma * largest))
}

/// All shortest paths from every node to every node it reaches, as lists of nodes.
fn shortest_paths(g: &Plain) -> Vec<Vec<usize>> {
    let hops = Plain {
        arcs: g.arcs.iter().map(|(k, arc)| (*k, super::graphs::Arc { weight: 1.0, ..arc.clone() })).collect(),
        ..g.clone()
    };
    let d = distances(&hops);
    let mut all: Vec<Vec<usize>> = (0..g.n).map(|i| vec![i]).collect();
    let mut at = 0;
    while at < all.len() {
        let path = all[at].clone();
        let (first, last) = (path[0], path[path.len() - 1]);
        for (next, _) in g.around(last).filter(|(next, _)| d[first][*next] == path.len() as f64) {
            all.push([&path[..], &[next]].concat());
        }
        at += 1;
    }
    all
}

pub(super) fn graph_hopper(graphs: &[Plain], node: &str, gamma: f64) -> Pairs {
    let paths: Vec<Vec<Vec<usize>>> = graphs.iter().map(shortest_paths).collect();
    let (graphs, node) = (graphs.to_vec(), node.to_owned());
    Box::new(move |i, j| {
        let (g, h) = (&graphs[i], &graphs[j]);
        let like = |u: usize, v: usize| {
            let (x, y) = (&g.attributes[u], &h.attributes[v]);
            if g.labels[u] != h.labels[v] {
                return 0.0;
            }
            match node.as_str() {
                "linear" => x.iter().zip(y).map(|(a, b)| a * b).sum(),
                "rbf" => (-gamma * squared(x, y)).exp(),
                _ => x.iter().zip(y).map(|(a, b)| (1.0 - gamma * (a - b).abs()).max(0.0)).product::<f64>(),
            }
        };
        let kappa = matrix(g.n, h.n, like);
        let (mut sum, mut terms) = (0.0, 0.0);
        for p in &paths[i] {
            for q in paths[j].iter().filter(|q| q.len() == p.len()) {
                for (u, v) in p.iter().zip(q) {
                    sum += kappa[*u][*v];
                    terms += kappa[*u][*v].abs();
                }
            }
        }
        let rough = if node == "rbf" { 1.0 + gamma * 8.0 } else { 1.0 };
        // Differences in the bridge kernel are rounded relative to 1.
        let hats = if node == "bridge" { (1.0 + gamma) * terms } else { 0.0 };
        Value::of(sum, 10.0 * rough * (terms + hats))
    })
}

/// exp(-gamma·W), W the least mean distance over which nodes move; the labels of every round are those of `rounds`.
pub(super) fn moved(
    graphs: Vec<Plain>,
    (rounds, edge_labels): (Vec<Vec<Plain>>, bool),
    gamma: f64,
    epsilon: f64,
) -> Pairs {
    let levels = rounds.len();
    let places: Vec<Vec<Vec<f64>>> = graphs.iter().map(|g| averaged(g, levels)).collect();
    Box::new(move |i, j| {
        let (g, h) = (&graphs[i], &graphs[j]);
        if g.n == 0 || h.n == 0 {
            return Value::exact(if g.n == h.n { 1.0 } else { 0.0 });
        }
        let bare =
            |g: &Plain| !edge_labels && !g.attributes[0].is_empty() && g.labels.iter().all(String::is_empty);
        let costs = |i: usize, j: usize| {
            let (g, h) = (&graphs[i], &graphs[j]);
            matrix(g.n, h.n, |u, v| {
                let differ = match (bare(g), bare(h)) {
                    (true, true) => 0,
                    (false, false) => rounds.iter().filter(|r| r[i].labels[u] != r[j].labels[v]).count(),
                    _ => levels,
                };
                squared(&places[i][u], &places[j][v]).sqrt() + differ as f64 / levels as f64
            })
        };
        let distance = match epsilon > 0.0 && !g.attributes[0].is_empty() {
            true => {
                // The smaller graph comes first, as in the kernel, whose iterations end early; then the smaller attributes.
                let by_round = |i: usize| -> Vec<f64> {
                    (0..places[i][0].len()).flat_map(|k| places[i].iter().map(move |p| p[k])).collect()
                };
                let first = g.n.cmp(&h.n).then_with(|| by_round(i).partial_cmp(&by_round(j)).unwrap());
                let (a, b) = if first.is_le() { (i, j) } else { (j, i) };
                let apart = smoothed(&costs(a, b), epsilon);
                apart - (smoothed(&costs(i, i), epsilon) + smoothed(&costs(j, j), epsilon)) / 2.0
            }
            false => least_mean(&costs(i, j)),
        };
        // Squares are rounded relative to the attributes, and roots make small differences larger.
        let size = places[i].iter().chain(&places[j]).flatten().fold(1.0f64, |m, x| m.max(x.abs()));
        Value::of((-gamma * distance.max(0.0)).exp(), 10.0 * (1.0 + gamma * size))
    })
}

/// Sinkhorn's iterations on logarithms.
fn smoothed(costs: &[Vec<f64>], epsilon: f64) -> f64 {
    let (n, m) = (costs.len(), costs[0].len());
    let (mut f, mut g) = (vec![0.0; n], vec![0.0; m]);
    let soft = |terms: Vec<f64>| {
        let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = terms.iter().map(|t| (t - top).exp()).sum();
        -epsilon * (top + (sum / terms.len() as f64).ln())
    };
    for _ in 0..200 {
        let last = f.clone();
        f = (0..n).map(|i| soft((0..m).map(|j| (g[j] - costs[i][j]) / epsilon).collect())).collect();
        g = (0..m).map(|j| soft((0..n).map(|i| (f[i] - costs[i][j]) / epsilon).collect())).collect();
        if f.iter().zip(&last).all(|(a, b)| (a - b).abs() <= 1e-3 * epsilon) {
            break;
        }
    }
    f.iter().sum::<f64>() / n as f64 + g.iter().sum::<f64>() / m as f64
}

/// Pairs of nodes by the diagonals of powers of the transition matrix, and by attributes.
pub(super) fn returning(graphs: Vec<Plain>, steps: usize, gammas: [f64; 2]) -> Pairs {
    let returns: Vec<Vec<Vec<f64>>> = graphs.iter().map(|g| diagonals(g, steps)).collect();
    Box::new(move |i, j| {
        let (g, h) = (&graphs[i], &graphs[j]);
        let (mut sum, mut most) = (0.0, 0.0f64);
        for u in 0..g.n {
            for v in (0..h.n).filter(|v| g.labels[u] == h.labels[*v]) {
                let exponent = gammas[0] * squared(&returns[i][u], &returns[j][v])
                    + gammas[1] * squared(&g.attributes[u], &h.attributes[v]);
                sum += (-exponent).exp();
                most = most.max(exponent);
            }
        }
        let mean = if sum == 0.0 { 0.0 } else { sum / (g.n * h.n) as f64 };
        Value::of(mean, mean * (10.0 + most))
    })
}

/// For each node its entries in P, P², …, P^steps.
fn diagonals(g: &Plain, steps: usize) -> Vec<Vec<f64>> {
    let total = |i: usize| g.around(i).map(|(_, arc)| arc.weight).sum::<f64>();
    let step = |i: usize, j: usize| match g.arcs.get(&(i, j)) {
        Some(arc) if total(i) > 0.0 => arc.weight / total(i),
        _ => 0.0,
    };
    let once = matrix(g.n, g.n, step);
    let mut power = matrix(g.n, g.n, |i, j| f64::from(u8::from(i == j)));
    let mut out = vec![Vec::new(); g.n];
    for _ in 0..steps {
        power = matrix(g.n, g.n, |i, j| (0..g.n).map(|k| power[i][k] * once[k][j]).sum());
        out.iter_mut().enumerate().for_each(|(i, all)| all.push(power[i][i]));
    }
    out
}

/// The attributes of every round, node by node.
fn averaged(g: &Plain, levels: usize) -> Vec<Vec<f64>> {
    let mut rounds = vec![g.attributes.clone()];
    for _ in 1..levels {
        let last = rounds.last().unwrap();
        let next = (0..g.n).map(|i| {
            let total: f64 = g.around(i).map(|(_, arc)| arc.weight).sum();
            let mean = |k: usize| match total > 0.0 {
                true => g.around(i).map(|(j, arc)| arc.weight * last[j][k]).sum::<f64>() / total,
                false => last[i][k],
            };
            (0..last[i].len()).map(|k| (last[i][k] + mean(k)) / 2.0).collect()
        });
        let next = next.collect();
        rounds.push(next);
    }
    (0..g.n).map(|i| rounds.iter().flat_map(|r| r[i].clone()).collect()).collect()
}

/// The least mean cost of an assignment of copies of rows to copies of columns, equally many of each.
fn least_mean(costs: &[Vec<f64>]) -> f64 {
    let (n, m) = (costs.len(), costs[0].len());
    let size = n * m;
    let at = |a: usize, b: usize| costs[(a - 1) / m][(b - 1) / n];
    // The Hungarian method, with a column 0 that is the beginning of every path.
    let (mut u, mut v) = (vec![0.0; size + 1], vec![0.0; size + 1]);
    let (mut owner, mut way) = (vec![0; size + 1], vec![0; size + 1]);
    for row in 1..=size {
        owner[0] = row;
        let (mut column, mut least, mut used) = (0, vec![f64::INFINITY; size + 1], vec![false; size + 1]);
        while owner[column] != 0 {
            used[column] = true;
            let (from, mut step, mut next) = (owner[column], f64::INFINITY, 0);
            for j in (1..=size).filter(|j| !used[*j]) {
                let left = at(from, j) - u[from] - v[j];
                if left < least[j] {
                    (least[j], way[j]) = (left, column);
                }
                if least[j] < step {
                    (step, next) = (least[j], j);
                }
            }
            for j in 0..=size {
                match used[j] {
                    true => {
                        u[owner[j]] += step;
                        v[j] -= step;
                    }
                    false => least[j] -= step,
                }
            }
            column = next;
        }
        while column != 0 {
            owner[column] = owner[way[column]];
            column = way[column];
        }
    }
    (1..=size).map(|j| at(owner[j], j)).sum::<f64>() / size as f64
}
