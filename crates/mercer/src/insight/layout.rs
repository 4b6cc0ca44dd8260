//! Layout of a small graph in the plane.

use crate::data::Graph;

/// Iterations. Molecules converge within a hundred.
const ROUNDS: usize = 300;

/// Positions of nodes such that distances in the plane are close to shortest-path distances: stress majorisation with
/// weights 1/d², starting from a circle. Disconnected components count as slightly farther apart than the widest
/// component. O(n²) per iteration.
///
/// E. Gansner, Y. Koren & S. North, *Graph drawing by stress majorization*, 2004.
pub(super) fn layout(graph: &Graph) -> (Vec<f64>, Vec<f64>) {
    let n = graph.nodes();
    let wanted = distances(graph);
    // Start on a circle in depth-first order, so that neighbours start close together.
    let order = walk(graph);
    let (mut x, mut y) = (vec![0.0; n], vec![0.0; n]);
    for (place, &v) in order.iter().enumerate() {
        let angle = std::f64::consts::TAU * place as f64 / n.max(1) as f64;
        let radius = n as f64 / std::f64::consts::TAU;
        (x[v], y[v]) = (radius * angle.cos(), radius * angle.sin());
    }
    for _ in 0..ROUNDS {
        for i in 0..n {
            let (mut sx, mut sy, mut total) = (0.0, 0.0, 0.0);
            for j in (0..n).filter(|&j| j != i) {
                let d = wanted[i * n + j];
                let weight = 1.0 / (d * d);
                let (dx, dy) = (x[i] - x[j], y[i] - y[j]);
                let apart = dx.hypot(dy).max(1e-9);
                sx += weight * (x[j] + d * dx / apart);
                sy += weight * (y[j] + d * dy / apart);
                total += weight;
            }
            if total > 0.0 {
                (x[i], y[i]) = (sx / total, sy / total);
            }
        }
    }
    (x, y)
}

/// Shortest-path distances of all pairs, ignoring directions.
fn distances(graph: &Graph) -> Vec<f64> {
    let n = graph.nodes();
    let near = neighbours(graph);
    let mut out = vec![f64::NAN; n * n];
    let mut widest = 1.0f64;
    for start in 0..n {
        let row = &mut out[start * n..(start + 1) * n];
        row[start] = 0.0;
        let mut queue = std::collections::VecDeque::from([start]);
        while let Some(v) = queue.pop_front() {
            for &w in &near[v] {
                if row[w].is_nan() {
                    row[w] = row[v] + 1.0;
                    widest = widest.max(row[w]);
                    queue.push_back(w);
                }
            }
        }
    }
    out.iter_mut().filter(|d| d.is_nan()).for_each(|d| *d = widest + 1.0);
    out
}

/// All nodes in depth-first order.
fn walk(graph: &Graph) -> Vec<usize> {
    let near = neighbours(graph);
    let mut seen = vec![false; near.len()];
    let mut order = Vec::with_capacity(near.len());
    for start in 0..near.len() {
        let mut stack = vec![start];
        while let Some(v) = stack.pop() {
            if !std::mem::replace(&mut seen[v], true) {
                order.push(v);
                stack.extend(near[v].iter().rev());
            }
        }
    }
    order
}

fn neighbours(graph: &Graph) -> Vec<Vec<usize>> {
    let mut near = vec![Vec::new(); graph.nodes()];
    for (from, to) in graph.arcs().filter(|(from, to)| from != to) {
        near[from as usize].push(to as usize);
        near[to as usize].push(from as usize);
    }
    for list in &mut near {
        list.sort_unstable();
        list.dedup();
    }
    near
}
