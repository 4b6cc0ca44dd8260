//! Kernels and distances of vectors, and other simple kernels.

use std::collections::BTreeMap;
use std::f64::consts::{LN_2, PI};

use mercer::data::{Column, Values};
use mercer::expression::Call;

use super::{Pairs, Value, View, number, texts, whole};

pub(super) const KERNELS: &[&str] = &[
    "linear",
    "polynomial",
    "rbf",
    "rational-quadratic",
    "laplacian",
    "cosine",
    "sigmoid",
    "chi2",
    "closed-chain",
    "regular-tree",
    "binary-tree",
    "euclidean",
    "cosine-distance",
    "jensen-shannon",
    "delta",
    "ones",
    "precomputed",
];

/// A vector as its nonzero coordinates.
pub(super) type Point = BTreeMap<usize, f64>;

/// The concatenated number columns of an object.
pub(super) fn point(columns: &[&Column], i: usize) -> Point {
    let (mut out, mut start) = (Point::new(), 0);
    for column in columns {
        match &column.values {
            Values::Numbers(x) => {
                out.extend(x.row(i).iter().enumerate().map(|(f, v)| (start + f, *v)));
                start += x.cols();
            }
            Values::Sparse(x) => {
                let (features, values) = x.row(i);
                out.extend(features.iter().zip(values).map(|(f, v)| (start + *f as usize, *v)));
                start += x.dim();
            }
            other => panic!("{} are not numbers", other.kind()),
        }
    }
    out.retain(|_, v| *v != 0.0);
    out
}

/// Both coordinates wherever one of them is nonzero.
fn both<'a>(x: &'a Point, y: &'a Point) -> impl Iterator<Item = (f64, f64)> + 'a {
    let first = x.iter().map(|(f, v)| (*v, y.get(f).copied().unwrap_or(0.0)));
    first.chain(y.iter().filter(|(f, _)| !x.contains_key(f)).map(|(_, v)| (0.0, *v)))
}

/// The inner product, and the sum of the absolute values of its terms.
fn product(x: &Point, y: &Point) -> (f64, f64) {
    both(x, y).fold((0.0, 0.0), |(s, a), (u, v)| (s + u * v, a + (u * v).abs()))
}

fn length(x: &Point) -> f64 {
    x.values().map(|v| v * v).sum::<f64>().sqrt()
}

pub(super) fn brute(call: &Call, view: View<'_>) -> Pairs {
    let columns = view.columns(call);
    let name = call.entry.facts.name;
    match name {
        "ones" => return Box::new(|_, _| Value::exact(1.0)),
        "delta" => {
            let all: Vec<String> = (0..view.len()).map(|i| content(&columns, i)).collect();
            return Box::new(move |i, j| Value::exact(f64::from(u8::from(all[i] == all[j]))));
        }
        "precomputed" => {
            let Values::Precomputed(k) = &columns[0].values else { panic!("no similarities") };
            let k = k.clone();
            return Box::new(move |i, j| Value::exact(k.row(i)[k.reference(j).unwrap()]));
        }
        "jensen-shannon" if matches!(columns[0].values, Values::Text(_)) => {
            let all: Vec<Point> = texts::word_counts(&columns, view.len());
            return Box::new(move |i, j| jensen_shannon(&all[i], &all[j]));
        }
        _ => {}
    }
    let all: Vec<Point> = (0..view.len()).map(|i| point(&columns, i)).collect();
    let width: usize = columns.iter().map(|c| c.values.width()).sum();
    let of = function(call, width);
    Box::new(move |i, j| of(&all[i], &all[j]))
}

/// The value of two vectors.
type Function = Box<dyn Fn(&Point, &Point) -> Value>;

/// A kernel of two vectors.
fn function(call: &Call, width: usize) -> Function {
    let parameter = |name: &str| number(call, name);
    match call.entry.facts.name {
        "linear" => Box::new(|x, y| {
            let (s, terms) = product(x, y);
            Value::of(s, terms)
        }),
        "polynomial" => {
            let (degree, c, gamma) = (whole(call, "degree") as i32, parameter("c"), parameter("gamma"));
            Box::new(move |x, y| {
                let (s, terms) = product(x, y);
                let base = gamma * s + c;
                // The error of the base grows with the power.
                let scale = gamma * terms + c;
                Value::of(base.powi(degree), f64::from(degree) * scale.powi(degree))
            })
        }
        "rbf" => {
            let gamma = parameter("gamma");
            Box::new(move |x, y| {
                let squares: f64 = both(x, y).map(|(u, v)| (u - v) * (u - v)).sum();
                let k = (-gamma * squares).exp();
                // A squared distance is computed from squared norms at most a thousand times larger.
                Value::of(k, k * (1.0 + 1e3 * gamma * squares))
            })
        }
        "rational-quadratic" => {
            let (alpha, gamma) = (parameter("alpha"), parameter("gamma"));
            Box::new(move |x, y| {
                let squares: f64 = both(x, y).map(|(u, v)| (u - v) * (u - v)).sum();
                let base = 1.0 + gamma * squares / alpha;
                let k = base.powf(-alpha);
                Value::of(k, k * (1.0 + 1e3 * gamma * squares / base))
            })
        }
        "laplacian" => {
            let gamma = parameter("gamma");
            Box::new(move |x, y| {
                let sum: f64 = both(x, y).map(|(u, v)| (u - v).abs()).sum();
                let k = (-gamma * sum).exp();
                Value::of(k, k * (1.0 + gamma * sum))
            })
        }
        "cosine" => Box::new(|x, y| {
            let lengths = length(x) * length(y);
            if lengths == 0.0 {
                return Value::exact(0.0);
            }
            Value::of(product(x, y).0 / lengths, product(x, y).1 / lengths)
        }),
        "sigmoid" => {
            let (gamma, c) = (parameter("gamma"), parameter("c"));
            Box::new(move |x, y| {
                let (s, terms) = product(x, y);
                let k = (gamma * s + c).tanh();
                Value::of(k, (1.0 - k * k) * (gamma * terms + c.abs()))
            })
        }
        "chi2" => {
            let gamma = parameter("gamma");
            Box::new(move |x, y| {
                let sum: f64 = both(x, y).map(|(u, v)| (u - v) * (u - v) / (u + v)).sum();
                let k = (-gamma * sum).exp();
                Value::of(k, k * (1.0 + gamma * sum))
            })
        }
        "closed-chain" => {
            let (n, beta) = (whole(call, "n"), parameter("beta"));
            let at = move |d: f64| -> f64 {
                let term = |nu: usize| {
                    let angle = 2.0 * PI * nu as f64 / n as f64;
                    (-2.0 * beta * (1.0 - angle.cos())).exp() * (angle * d).cos()
                };
                (0..n).map(term).sum::<f64>() / n as f64
            };
            Box::new(move |x, y| {
                let place = |p: &Point, f: usize| p.get(&f).copied().unwrap_or(0.0);
                let apart = |f| (place(x, f) - place(y, f)).abs() % n as f64;
                // Terms of both signs cancel to a fraction of K(0).
                Value::of((0..width).map(|f| at(apart(f)) / at(0.0)).product(), 1.0)
            })
        }
        "regular-tree" => tree(whole(call, "k"), parameter("beta"), width, false),
        "binary-tree" => tree(3, parameter("beta"), width, true),
        "euclidean" => Box::new(|x, y| {
            let squares: f64 = both(x, y).map(|(u, v)| (u - v) * (u - v)).sum();
            Value::of(-squares / 2.0, 1e3 * squares)
        }),
        "cosine-distance" => Box::new(|x, y| {
            let (a, b) = (length(x), length(y));
            let d = match (a == 0.0, b == 0.0) {
                (true, true) => 0.0,
                (true, false) | (false, true) => 1.0,
                _ => 1.0 - product(x, y).0 / (a * b),
            };
            Value::distance(d, 1.0)
        }),
        "jensen-shannon" => Box::new(jensen_shannon),
        other => panic!("{other} is not a kernel on vectors"),
    }
}

/// Diffusion on a tree as walks with a Poisson number of steps: no integration, and no cancellation.
fn tree(k: usize, beta: f64, width: usize, rooted: bool) -> Function {
    let (degree, q) = (k as f64, (k - 1) as f64);
    let mean = degree * beta;
    let steps = (mean + 60.0 + 14.0 * mean.sqrt()) as usize;
    // The probability of each distance, and its sum over all numbers of steps.
    let (mut at, mut table) = (vec![0.0; steps + 2], vec![0.0; steps + 2]);
    at[0] = 1.0;
    let mut log = -mean;
    for n in 0..=steps {
        table.iter_mut().zip(&at).for_each(|(sum, p)| *sum += log.exp() * p);
        log += mean.ln() - ((n + 1) as f64).ln();
        let mut next = vec![0.0; steps + 2];
        next[1] = at[0];
        for d in 1..=n.min(steps) {
            next[d + 1] += at[d] * q / degree;
            next[d - 1] += at[d] / degree;
        }
        at = next;
    }
    // Vertices at the same distance are equally likely.
    for (d, value) in table.iter_mut().enumerate().skip(1) {
        *value /= degree * q.powi(d as i32 - 1);
    }
    let (first, others) = if rooted { (2, 2) } else { (k as u64, k as u64 - 1) };
    let heat = move |d: usize| table.get(d).copied().unwrap_or(0.0);
    Box::new(move |x, y| {
        let of = |f: usize| {
            let (a, b) = (way(x[&f] as u64, first, others), way(y[&f] as u64, first, others));
            let shared = a.iter().zip(&b).take_while(|(u, v)| u == v).count();
            let image = if rooted { heat(a.len() + b.len() + 1) } else { 0.0 };
            heat(a.len() + b.len() - 2 * shared) + image
        };
        let own = if rooted { 2.0 * heat(0) } else { heat(0) };
        Value::of((0..width).map(of).product(), width as f64 * own.powi(width as i32))
    })
}

/// The child chosen at each step from vertex 1, which has `first` children, the others `others`; numbered by level.
fn way(vertex: u64, first: u64, others: u64) -> Vec<u64> {
    let (mut rest, mut size, mut levels) = (vertex - 1, 1u64, 0usize);
    while rest >= size {
        rest -= size;
        size = if levels == 0 { first } else { size * others };
        levels += 1;
    }
    let mut out = vec![0; levels];
    for child in out.iter_mut().skip(1).rev() {
        *child = rest % others;
        rest /= others;
    }
    if let Some(child) = out.first_mut() {
        *child = rest;
    }
    out
}

/// The distance by its definition, for non-negative counts.
fn jensen_shannon(x: &Point, y: &Point) -> Value {
    let (p, q) = (x.values().sum::<f64>(), y.values().sum::<f64>());
    let squared = match (p == 0.0, q == 0.0) {
        (true, true) => 0.0,
        (true, false) | (false, true) => LN_2,
        _ => {
            let half = |a: f64, m: f64| if a == 0.0 { 0.0 } else { a * (a / m).ln() / 2.0 };
            both(x, y)
                .map(|(u, v)| {
                    let (u, v) = (u / p, v / q);
                    half(u, (u + v) / 2.0) + half(v, (u + v) / 2.0)
                })
                .sum::<f64>()
        }
    };
    // Terms of both signs cancel; those of one distribution are at most ln 2.
    Value::of(-squared.max(0.0) / 2.0, 1.0)
}

/// The content of an object as text.
pub(super) fn content(columns: &[&Column], i: usize) -> String {
    let one = |column: &&Column| match &column.values {
        Values::Numbers(x) => format!("{:?}", x.row(i).iter().map(|v| v + 0.0).collect::<Vec<_>>()),
        Values::Sparse(x) => {
            let (features, values) = x.row(i);
            let known: Vec<_> = features.iter().zip(values).filter(|(_, v)| **v != 0.0).collect();
            format!("{known:?}")
        }
        Values::Categories(x) => format!("{:?}", x.get(i)),
        Values::Times(x) => format!("{:?}", x.seconds()[i]),
        Values::Strings(x) | Values::Text(x) => format!("{:?}", x[i]),
        // Equal references are the same object; other objects are distinct.
        Values::Precomputed(x) => x.reference(i).map_or(format!("object {i}"), |r| format!("reference {r}")),
        other => panic!("{} cannot be compared for equality", other.kind()),
    };
    columns.iter().map(one).collect::<Vec<_>>().join("|")
}
