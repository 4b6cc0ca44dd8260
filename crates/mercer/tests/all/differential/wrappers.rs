//! Wrappers, computed from all values of the kernel inside.

use std::collections::BTreeSet;

use mercer::data::{Categories, Column, Dataset, Dense, Kind, Sparse, Target, Values};
use mercer::expression::{Call, Expression, Setting, Value as Given};

use super::data::Problem;
use super::fitted_wrappers as fitted;
use super::vectors::point;
use super::{Pairs, TOLERANCE, Value, View, brute as any_brute, entry, whole, word};
use crate::generate::{Random, case};

pub(super) const KERNELS: &[&str] = &[
    "+",
    "*",
    "c*",
    "normalize",
    "tanimoto",
    "dice",
    "center",
    "rbf-of",
    "zero-extend",
    "repair",
    "exponential",
    "walk",
    "markov",
    "laplacian-walk",
    "cluster",
    "similarity",
    "mkl",
    "column-sum",
    "column-product",
    "standardize",
    "minmax",
    "impute",
    "convolution",
    "explicit",
];

/// Operators, which have no registry entry.
pub(super) const OPERATORS: &[&str] = &["+", "*", "c*"];

/// A sum, product or multiple of kernels over the same columns.
pub(super) fn operator(name: &str, n: usize, random: &mut Random) -> Problem {
    let base = *random.pick(&["rbf", "linear", "laplacian"]);
    let made = case(entry(base), n, random.next()).unwrap();
    let terms: Vec<Expression> = (0..2 + random.below(3))
        .map(|_| {
            let text = *random.pick(&[
                "rbf(gamma=0.3)",
                "linear",
                "cosine",
                "delta",
                "ones",
                "polynomial(degree=3)",
            ]);
            text.parse().unwrap()
        })
        .collect();
    let multiple = |e: Expression, random: &mut Random| {
        Expression::Scale(Setting::from(10f64.powf(random.between(-3.0, 3.0))), Box::new(e))
    };
    let expression = match name {
        "+" => Expression::Sum(terms),
        "*" => Expression::Product(terms),
        _ => {
            let terms = terms.into_iter().map(|t| multiple(t, random)).collect();
            Expression::Sum(terms)
        }
    };
    Problem { expression, data: made.data, train: made.train }
}

/// Replaces settings that depend on random numbers or models, which have no formula, by others.
pub(super) fn within_reach(call: &mut Call, data: &Dataset) {
    for inner in &mut call.inner {
        if let Expression::Call(inner) = inner {
            within_reach(inner, data);
        }
    }
    let is_geometric = call.settings.iter().any(|s| s.word() == Some("geometric"));
    let mut set = |name: &str, change: &dyn Fn(&Setting) -> Option<Setting>| {
        if let Some(at) = call.entry.facts.parameters.iter().position(|p| p.name == name)
            && let Some(setting) = change(&call.settings[at])
        {
            call.settings[at] = setting;
        }
    };
    let text = |w: &str| Some(Setting::Fixed(Given::Word(w.to_owned())));
    let most = |limit: f64| move |s: &Setting| (s.number()? > limit).then(|| Setting::from(limit));
    match call.entry.facts.name {
        "graphlet" => set("samples", &|_| Some(0.0.into())),
        // Bins so narrow that only equal nodes share one.
        "propagation" => {
            set("w", &|_| Some(1e-10.into()));
            set("wa", &|_| Some(1e-10.into()));
        }
        "walk" => set("through", &|s| if s.word() == Some("support") { text("train") } else { None }),
        "similarity" => set("references", &|_| Some(0.0.into())),
        "mkl" => set("method", &|s| match s.word() {
            Some("easy") => text("alignment"),
            Some("simple") => text("uniform"),
            _ => None,
        }),
        "mismatch" | "gapped-kmer" => {
            // k-mers of at most 64 bits.
            for name in ["k", "l"] {
                set(name, &most(8.0));
            }
            set("k", &most(if call.entry.facts.name == "gapped-kmer" { 6.0 } else { 8.0 }));
        }
        // Exponentials that do not overflow.
        "local-alignment" => set("beta", &most(2.0)),
        "node-diffusion" => set("beta", &most(3.0)),
        "node-power" => set("l", &most(9.0)),
        "random-walk" => {
            let largest = fitted::largest_degree(data);
            let share = (data.len() % 10) as f64 / 10.0 + 0.05;
            if is_geometric {
                set("decay", &|_| Some((share / (largest * largest).max(1.0)).into()));
            } else {
                set("decay", &most(5.0));
            }
        }
        _ => {}
    }
    if data.columns().iter().any(|c| c.values.kind() == Kind::Nodes) {
        set("landmarks", &|_| Some(0.0.into()));
    }
    if call.entry.facts.name == "gapped-kmer" {
        // Filters are for shorter k-mers of large alphabets.
        crate::generate::tame(call);
    }
}

pub(super) fn brute(call: &Call, view: View<'_>) -> Pairs {
    match call.entry.facts.name {
        "column-sum" | "column-product" => by_column(call, view),
        "standardize" | "minmax" | "impute" => changed(call, view),
        "zero-extend" => zero_extend(call, view),
        "convolution" => convolution(call, view),
        "similarity" => fitted::similarity(call, view),
        "mkl" => fitted::mkl(call, view),
        "normalize" => {
            let inner = any_brute(&call.inner[0], view);
            Box::new(move |i, j| {
                let (own, other) = (inner(i, i).k, inner(j, j).k);
                if own <= 0.0 || other <= 0.0 {
                    return Value::exact(0.0);
                }
                let (v, lengths) = (inner(i, j), (own * other).sqrt());
                Value::of(v.k / lengths, v.scale / lengths + rough(&inner, i) + rough(&inner, j))
            })
        }
        "tanimoto" | "dice" => {
            let (inner, tanimoto) = (any_brute(&call.inner[0], view), call.entry.facts.name == "tanimoto");
            Box::new(move |i, j| {
                let (own, other, v) = (inner(i, i), inner(j, j), inner(i, j));
                let all = if tanimoto { own.k + other.k - v.k } else { (own.k + other.k) / 2.0 };
                if all <= 0.0 {
                    return Value::exact(0.0);
                }
                let k = v.k / all;
                let rough = |v: Value| v.scale.max(v.k.abs());
                Value::of(k, (rough(v) + (1.0 + k.abs()) * (rough(own) + rough(other) + rough(v))) / all)
            })
        }
        // Two new objects are compared only by features of the training objects.
        "explicit" => {
            let (inner, train) = (any_brute(&call.inner[0], view), view.train);
            Box::new(move |i, j| match i.min(j) < train {
                true => inner(i, j),
                false => Value { k: 0.0, scale: f64::INFINITY },
            })
        }
        "rbf-of" => {
            let (inner, gamma) = (any_brute(&call.inner[0], view), super::number(call, "gamma"));
            Box::new(move |i, j| {
                let (x, y, both) = (inner(i, i), inner(j, j), inner(i, j));
                let k = (-gamma * (x.k + y.k - 2.0 * both.k)).exp();
                let size = |v: Value| v.scale.max(v.k.abs());
                Value::of(k, k * (1.0 + gamma * (size(x) + size(y) + 2.0 * size(both))))
            })
        }
        _ => fitted::brute(call, view),
    }
}

/// The relative error of a self-similarity.
fn rough(inner: &Pairs, i: usize) -> f64 {
    let v = inner(i, i);
    v.scale / v.k
}

/// One column per coordinate for a column of vectors; any other column unchanged.
fn coordinates(column: &Column) -> Vec<Column> {
    let named = |at: usize, values: Values| Column::new(format!("{} {at}", column.name), values);
    match &column.values {
        Values::Numbers(x) => (0..x.cols())
            .map(|f| {
                let values = (0..x.rows()).map(|i| x.at(i, f)).collect();
                named(f, Values::Numbers(Dense::new(x.rows(), 1, values).unwrap()))
            })
            .collect(),
        Values::Sparse(x) => (0..x.dim())
            .map(|f| {
                let row = |i: usize| {
                    let (features, values) = x.row(i);
                    let found = features.iter().zip(values).filter(|(g, _)| **g as usize == f);
                    found.map(|(_, v)| (0u32, *v)).collect::<Vec<_>>()
                };
                let rows: Vec<_> = (0..x.rows()).map(row).collect();
                named(f, Values::Sparse(Sparse::from_rows(1, &rows).unwrap()))
            })
            .collect(),
        _ => vec![column.clone()],
    }
}

/// The kernel inside on each column it uses separately; for vectors on each coordinate.
fn by_column(call: &Call, view: View<'_>) -> Pairs {
    let columns: Vec<Column> = view.columns(call).into_iter().flat_map(coordinates).collect();
    let made = Dataset::new(columns).unwrap();
    let parts: Vec<Pairs> = made
        .columns()
        .iter()
        .map(|c| {
            let named = Some(std::slice::from_ref(&c.name));
            any_brute(&call.inner[0], View { data: &made, train: view.train, named })
        })
        .collect();
    let product = call.entry.facts.name == "column-product";
    Box::new(move |i, j| {
        let all = parts.iter().map(|p| p(i, j));
        if !product {
            return all.fold(Value { k: 0.0, scale: 0.0 }, |a, b| Value {
                k: a.k + b.k,
                scale: a.scale + b.scale.max(b.k.abs()),
            });
        }
        let size = |v: Value| v.scale.max(v.k.abs());
        all.fold(Value { k: 1.0, scale: 1.0 }, |a, b| Value { k: a.k * b.k, scale: size(a) * size(b) })
    })
}

/// Columns scaled or imputed by statistics of the training objects.
fn changed(call: &Call, view: View<'_>) -> Pairs {
    let name = call.entry.facts.name;
    let mut worst = 1.0f64;
    let columns: Vec<Column> = view
        .columns(call)
        .iter()
        .map(|c| {
            let values = match &c.values {
                Values::Numbers(x) => {
                    let mut out = x.clone();
                    for f in 0..x.cols() {
                        let known: Vec<f64> =
                            (0..view.train).map(|i| x.at(i, f)).filter(|v| !v.is_nan()).collect();
                        let map = scaling(call, &known);
                        let most = (0..x.rows()).map(|i| x.at(i, f).abs()).fold(0.0, f64::max);
                        worst = worst.max(map.factor.abs() * most);
                        (0..x.rows()).for_each(|i| out.row_mut(i)[f] = map.apply(x.at(i, f)));
                    }
                    Values::Numbers(out)
                }
                Values::Sparse(x) if name != "impute" => {
                    let value = |i: usize, f: u32| {
                        let (features, values) = x.row(i);
                        features.iter().position(|o| *o == f).map_or(0.0, |at| values[at])
                    };
                    // So few numbers are scaled like dense ones; features that no object has stay 0.
                    let occur: BTreeSet<u32> = (0..x.rows()).flat_map(|i| x.row(i).0.to_vec()).collect();
                    let mut maps = Vec::new();
                    for f in occur {
                        let known: Vec<f64> = (0..view.train).map(|t| value(t, f)).collect();
                        let map = scaling(call, &known);
                        let most = (0..x.rows()).map(|i| value(i, f).abs()).fold(0.0, f64::max);
                        worst = worst.max(map.factor.abs() * most);
                        maps.push((f, map));
                    }
                    let row = |i: usize| -> Vec<(u32, f64)> {
                        let scaled = maps.iter().map(|(f, map)| (*f, map.apply(value(i, *f))));
                        scaled.filter(|(_, v)| *v != 0.0).collect()
                    };
                    let rows: Vec<_> = (0..x.rows()).map(row).collect();
                    Values::Sparse(Sparse::from_rows(x.dim(), &rows).unwrap())
                }
                Values::Categories(x) => Values::Categories(filled(x, view.train)),
                other => other.clone(),
            };
            Column::new(&c.name, values)
        })
        .collect();
    let made = Dataset::new(columns).unwrap();
    let inner = any_brute(&call.inner[0], View { data: &made, train: view.train, named: None });
    if name == "impute" {
        return inner;
    }
    // Values far from 0 lose digits when the mean is subtracted.
    Box::new(move |i, j| {
        let v = inner(i, j);
        let reference = (inner(i, i).k * inner(j, j).k).abs().sqrt().max(1.0);
        Value { k: v.k, scale: (v.scale + reference) * 4.0 * worst }
    })
}

/// x → (x - offset)·factor, clipped to bounds, and the replacement of a missing value.
struct Map {
    offset: f64,
    factor: f64,
    bounds: (f64, f64),
    gap: f64,
}

impl Map {
    fn apply(&self, x: f64) -> f64 {
        if x.is_nan() {
            return self.gap;
        }
        // A constant column is 0 everywhere.
        if self.factor == 0.0 {
            0.0
        } else {
            ((x - self.offset) * self.factor).clamp(self.bounds.0, self.bounds.1)
        }
    }
}

fn scaling(call: &Call, known: &[f64]) -> Map {
    let n = known.len() as f64;
    let mean = known.iter().sum::<f64>() / n;
    let (least, most) =
        known.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
    let free = Map { offset: 0.0, factor: 1.0, bounds: (f64::NEG_INFINITY, f64::INFINITY), gap: f64::NAN };
    let constant = known.is_empty() || known.iter().all(|v| *v == known[0]);
    match call.entry.facts.name {
        "impute" => {
            let mut sorted = known.to_vec();
            sorted.sort_by(f64::total_cmp);
            let middle = sorted.len() / 2;
            let median = match sorted.len() {
                0 => 0.0,
                odd if odd % 2 == 1 => sorted[middle],
                _ => (sorted[middle - 1] + sorted[middle]) / 2.0,
            };
            Map {
                gap: if word(call, "method") == "mean" && !known.is_empty() { mean } else { median },
                ..free
            }
        }
        "standardize" => {
            let deviation = (known.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / n).sqrt();
            let factor = if constant { 0.0 } else { 1.0 / deviation };
            Map { offset: mean, factor, ..free }
        }
        _ => {
            let factor = if constant { 0.0 } else { 1.0 / (most - least) };
            Map { offset: least, factor, bounds: (0.0, 1.0), ..free }
        }
    }
}

/// Categories with missing values replaced by the most frequent one of the training objects.
fn filled(x: &Categories, train: usize) -> Categories {
    let mut names: Vec<&String> = x.levels().iter().collect();
    names.sort();
    let count = |name: &str| (0..train).filter(|i| x.get(*i) == Some(name)).count();
    // Ties are broken alphabetically: `max_by_key` takes the last of equals.
    let usual = names.iter().rev().max_by_key(|n| count(n.as_str())).map(|n| n.as_str());
    Categories::from_values((0..x.len()).map(|i| x.get(i).or(usual)).collect::<Vec<_>>())
}

fn zero_extend(call: &Call, view: View<'_>) -> Pairs {
    let columns = view.columns(call);
    let there: Vec<usize> =
        (0..view.len()).filter(|i| columns.iter().all(|c| !c.values.is_missing(*i))).collect();
    let present = view.data.select(&there);
    let train = there.iter().filter(|i| **i < view.train).count();
    let inner = any_brute(&call.inner[0], View { data: &present, train, ..view });
    Box::new(move |i, j| {
        let place = |x: usize| there.iter().position(|t| *t == x);
        match (place(i), place(j)) {
            (Some(a), Some(b)) => inner(a, b),
            _ => Value::exact(0.0),
        }
    })
}

fn convolution(call: &Call, view: View<'_>) -> Pairs {
    let columns = view.columns(call);
    let length = whole(call, "length");
    let mut starts = vec![0];
    let parts = if word(call, "parts") == "columns" {
        let width: usize = columns.iter().map(|c| c.values.width()).sum();
        let mut all = Vec::new();
        for i in 0..view.len() {
            let own = point(&columns, i);
            all.extend((0..width).map(|f| own.get(&f).copied().unwrap_or(0.0)));
            starts.push(all.len());
        }
        Values::Numbers(Dense::new(all.len(), 1, all).unwrap())
    } else {
        let (Values::Strings(texts) | Values::Text(texts)) = &columns[0].values else { panic!("no texts") };
        let mut all = Vec::new();
        for text in texts {
            let text = text.clone().unwrap();
            let characters: Vec<char> = text.chars().collect();
            match word(call, "parts") {
                "words" => all.extend(text.split_whitespace().map(|w| Some(w.to_owned()))),
                "symbols" => all.extend(characters.iter().map(|c| Some(c.to_string()))),
                _ => all.extend(characters.windows(length).map(|w| Some(w.iter().collect()))),
            }
            starts.push(all.len());
        }
        Values::Strings(all)
    };
    let made = Dataset::new(vec![Column::new("part", parts)]).unwrap();
    let inner = any_brute(&call.inner[0], View { data: &made, train: starts[view.train], named: None });
    Box::new(move |i, j| {
        let mut sum = Value { k: 0.0, scale: 0.0 };
        for a in starts[i]..starts[i + 1] {
            for b in starts[j]..starts[j + 1] {
                let v = inner(a, b);
                sum = Value { k: sum.k + v.k, scale: sum.scale + v.scale };
            }
        }
        sum
    })
}

/// The classes of the training objects.
pub(super) fn classes(data: &Dataset, train: usize) -> Vec<String> {
    let Some(Target::Classes(classes)) = data.target() else { panic!("no classes") };
    (0..train).map(|i| classes.get(i).unwrap().to_owned()).collect()
}

/// A value with an absolute error bound.
pub(super) fn within(k: f64, error: f64) -> Value {
    Value::of(k, error / TOLERANCE)
}
