//! Nodes of a network: functions of its whole matrix.

use std::sync::Arc;

use mercer::data::{Column, Dataset, Network, NodeAttributes, Nodes, Values};
use mercer::expression::Call;

use super::matrices::{Matrix, exponential, inverse, joined, matrix, norm, power, times, unit};
use super::{Pairs, Value, View, number, whole, word};

pub(super) const KERNELS: &[&str] = &[
    "node-power",
    "node-diffusion",
    "von-neumann",
    "regularized-laplacian",
    "p-step",
    "commute-time",
    "pagerank",
    "smooth",
];

fn weights(network: &Network) -> Matrix {
    matrix(network.len(), network.len(), |i, j| network.weight(i, j as u32).unwrap_or(0.0))
}

/// The sum of each row; a loop counts once.
fn degrees(a: &Matrix) -> Vec<f64> {
    a.iter().map(|row| row.iter().sum()).collect()
}

/// D^(-1/2)·A·D^(-1/2); nodes without edges stay in place.
fn symmetric_step(a: &Matrix) -> Matrix {
    let d = degrees(a);
    let stays = |i: usize, j: usize| f64::from(u8::from(i == j && d[i] == 0.0));
    matrix(a.len(), a.len(), |i, j| if a[i][j] == 0.0 { stays(i, j) } else { a[i][j] / (d[i] * d[j]).sqrt() })
}

/// D - A, or the normalised Laplacian: 0 for nodes without edges.
fn laplacian(a: &Matrix, normalized: bool) -> Matrix {
    let d = degrees(a);
    let plain = matrix(a.len(), a.len(), |i, j| if i == j { d[i] - a[i][i] } else { -a[i][j] });
    if !normalized {
        return plain;
    }
    matrix(a.len(), a.len(), |i, j| if plain[i][j] == 0.0 { 0.0 } else { plain[i][j] / (d[i] * d[j]).sqrt() })
}

/// The component index of each node.
fn components(a: &Matrix) -> Vec<usize> {
    let mut own: Vec<usize> = (0..a.len()).collect();
    // Connected nodes take the lower index until nothing changes.
    loop {
        let before = own.clone();
        for i in 0..a.len() {
            for j in 0..a.len() {
                if a[i][j] != 0.0 {
                    own[i] = own[i].min(own[j]);
                }
            }
        }
        if own == before {
            return own;
        }
    }
}

pub(super) fn brute(call: &Call, view: View<'_>) -> Pairs {
    let Values::Nodes(nodes) = view.one(call) else { panic!("no nodes") };
    let a = weights(nodes.network());
    let n = a.len();
    if call.entry.facts.name == "smooth" {
        return smooth(call, nodes, &a);
    }
    let based = || match word(call, "base") {
        "adjacency" => a.clone(),
        base => joined(-1.0, &laplacian(&a, base == "normalized"), 0.0, &a),
    };
    let k = match call.entry.facts.name {
        "node-power" => power(&based(), whole(call, "l")),
        "node-diffusion" => exponential(&joined(number(call, "beta"), &based(), 0.0, &a)),
        "von-neumann" => inverse(&joined(1.0, &unit(n), -number(call, "beta"), &based())),
        "regularized-laplacian" => inverse(&joined(1.0, &unit(n), -number(call, "beta"), &based())),
        "p-step" => power(&joined(number(call, "a"), &unit(n), -1.0, &laplacian(&a, true)), whole(call, "p")),
        "commute-time" => {
            // On each component, L + 1/size changes the eigenvalue 0 to 1, which is subtracted again.
            let own = components(&a);
            let size = |i: usize| own.iter().filter(|c| **c == own[i]).count() as f64;
            let share = matrix(n, n, |i, j| if own[i] == own[j] { 1.0 / size(i) } else { 0.0 });
            joined(1.0, &inverse(&joined(1.0, &laplacian(&a, false), 1.0, &share)), -1.0, &share)
        }
        _ => {
            let alpha = number(call, "alpha");
            let inner = inverse(&joined(1.0, &unit(n), -alpha, &symmetric_step(&a)));
            joined(1.0 - alpha, &inner, 0.0, &inner)
        }
    };
    // If a node has only a loop, only the rounding of 1 - 1 is left.
    let scale = norm(&k).max(1e-3);
    let chosen: Vec<usize> = nodes.chosen().iter().map(|i| *i as usize).collect();
    Box::new(move |i, j| Value::of(k[chosen[i]][chosen[j]], scale))
}

/// S·K·Sᵀ with dense matrices between all nodes.
fn smooth(call: &Call, nodes: &Nodes, a: &Matrix) -> Pairs {
    let n = a.len();
    let NodeAttributes::Known(known) = nodes.network().attributes() else { panic!("no attributes") };
    let itself = Values::Nodes(Nodes::all(Arc::clone(nodes.network())));
    let columns = known.columns().iter().cloned().chain([Column::new("itself", itself)]);
    let all = Dataset::new(columns.collect()).unwrap();
    let inner = super::brute(&call.inner[0], View { data: &all, train: n, named: None });
    let k = matrix(n, n, |i, j| inner(i, j).k);
    let rough = matrix(n, n, |i, j| inner(i, j).scale.max(inner(i, j).k.abs()));
    let looped = joined(1.0, a, number(call, "loops"), &unit(n));
    let step = || symmetric_step(&looped);
    let s = match word(call, "by") {
        "power" => power(&step(), whole(call, "p")),
        "pagerank" => {
            let alpha = number(call, "alpha");
            let all = inverse(&joined(1.0, &unit(n), -alpha, &step()));
            joined(1.0 - alpha, &all, 0.0, &all)
        }
        "heat" => {
            let beta = number(call, "beta");
            exponential(&joined(beta, &step(), -beta, &unit(n)))
        }
        _ => exponential(&joined(-number(call, "beta"), &laplacian(a, false), 0.0, a)),
    };
    let smoothed = times(&times(&s, &k), &s);
    let scale = norm(&rough).max(norm(&times(&times(&s, &rough), &s)));
    let chosen: Vec<usize> = nodes.chosen().iter().map(|i| *i as usize).collect();
    Box::new(move |i, j| Value::of(smoothed[chosen[i]][chosen[j]], scale))
}
