//! Generated problems, harder than those of the laws: long next to short objects, ties, missing values, extremes.

use mercer::data::{
    Categories, Column, Dataset, Dense, Graph, GraphBuilder, Kind, Labels, Series, Sparse, Times, Values,
};
use mercer::expression::{Call, Expression, Setting};
use mercer::kernel::Domain;

use super::strings::KERNELS as STRINGS;
use super::{entry, wrappers};
use crate::generate::{Random, case, find_channel, ignore_others, leaf, tame, with_classes};
use crate::support::engine;

/// A kernel and objects; it is fitted to the first `train`.
pub(super) struct Problem {
    pub(super) expression: Expression,
    pub(super) data: Dataset,
    pub(super) train: usize,
}

/// The problem of a kernel and a seed.
pub(super) fn problem(kernel: &str, seed: u64) -> Problem {
    let salt = kernel.bytes().fold(0u64, |a, b| a.wrapping_mul(31).wrapping_add(u64::from(b)));
    let mut random = Random::new(salt ^ seed.wrapping_mul(0x2545_f491_4f6c_dd1d));
    // Sometimes more objects than a tile has.
    let n = match random.below(100) {
        0 | 1 => 257 + random.below(40),
        2..=6 => 30 + random.below(45),
        _ => 1 + random.below(14),
    };
    // Eigenvectors by rotations are slow, and so are a hundred windows.
    let n = match kernel {
        "repair" | "exponential" | "cluster" | "walk" => n.min(60),
        "learned-dtw" | "learned-window" => n.min(20),
        "rocket" | "hydra" => n.min(60),
        _ => n,
    };
    if wrappers::OPERATORS.contains(&kernel) {
        return wrappers::operator(kernel, n, &mut random);
    }
    let made = case(entry(kernel), n, random.next()).unwrap_or_else(|| panic!("{kernel} has no generator"));
    let Expression::Call(mut call) = made.expression else { panic!("{kernel} is not a call") };
    let mut data = made.data;
    if harder(kernel) && !random.once_in(4) {
        let columns = data.columns().iter().map(|c| {
            let values = values(&c.values, &call, data.len(), &mut random);
            Column::new(&c.name, values.unwrap_or_else(|| c.values.clone()))
        });
        data = with_classes(Dataset::new(repeated(columns.collect(), &mut random)).unwrap());
        extreme(&mut call, &mut random);
        tame(&mut call);
        find_channel(&mut call, &data);
    }
    wrappers::within_reach(&mut call, &data);
    let mut expression = Expression::Call(call);
    if matches!(data.columns()[0].values, Values::Graphs(_)) && expression.fit(&data, engine()).is_err() {
        ignore_others(&mut expression);
    }
    let train = made.train.min(data.len());
    Problem { expression, data, train }
}

/// Whether the data of the laws are replaced by harder ones; wrappers need the original data.
fn harder(kernel: &str) -> bool {
    let around = ["resample", "bin", "znormalize", "learned-window", "core", "wl-of", "terms", "content"];
    entry(kernel).arity() == 0 || around.contains(&kernel)
}

/// Duplicates some objects.
fn repeated(columns: Vec<Column>, random: &mut Random) -> Vec<Column> {
    let n = columns[0].values.len();
    let mut rows: Vec<usize> = (0..n).collect();
    for i in 1..n {
        if random.once_in(9) {
            rows[i] = rows[random.below(i)];
        }
    }
    columns.iter().map(|c| Column::new(&c.name, c.values.select(&rows))).collect()
}

/// Sometimes sets parameters to extreme values.
fn extreme(call: &mut Call, random: &mut Random) {
    for (at, parameter) in call.entry.facts.parameters.iter().enumerate() {
        if !random.once_in(5) {
            continue;
        }
        let value = match parameter.domain {
            Domain::Positive | Domain::PositiveOr(_) | Domain::NonNegative => {
                *random.pick(&[1e-7, 1e-4, 20.0, 300.0])
            }
            // More thresholds have more dilations.
            Domain::Whole(84, _) => *random.pick(&[500.0, 1700.0]),
            Domain::Whole(low, high) if parameter.name != "landmarks" => (low + 11).min(high) as f64,
            _ => continue,
        };
        call.settings[at] = Setting::from(value);
    }
}

/// Harder values of the same type.
fn values(old: &Values, call: &Call, n: usize, random: &mut Random) -> Option<Values> {
    let leaf = leaf(call);
    Some(match old {
        Values::Numbers(_) => Values::Numbers(dense(n, leaf, random)),
        Values::Sparse(_) => Values::Sparse(sparse(n, leaf, random)),
        Values::Categories(_) => Values::Categories(categories(n, call, random)),
        Values::Times(_) => {
            let span = *random.pick(&[1e4, 1e6, 1e8, 6e10]);
            Values::Times(Times::new((0..n).map(|_| random.between(-span, span).floor()).collect()))
        }
        // The definition of a word is written for the texts below.
        Values::Strings(_) if ["terms", "content"].contains(&call.entry.facts.name) => {
            Values::Strings(texts(n, random))
        }
        Values::Strings(_) => Values::Strings(strings(n, leaf, random)),
        Values::Text(_) if STRINGS.contains(&leaf) => Values::Text(strings(n, leaf, random)),
        Values::Text(_) => Values::Text(texts(n, random)),
        Values::Series(_) => Values::Series(series(n, leaf, random)),
        Values::Graphs(_) => Values::Graphs(graphs(n, leaf, random)),
        _ => return None,
    })
}

/// A number of a given magnitude: an integer, zero, or any.
fn value(size: f64, leaf: &str, random: &mut Random) -> f64 {
    if leaf == "closed-chain" {
        return random.below(61) as f64 - 30.0;
    }
    if is_tree(leaf) {
        let below = *random.pick(&[4, 40, 4000]);
        return 1.0 + random.below(below) as f64;
    }
    let v = match random.below(6) {
        0 => 0.0,
        1 | 2 => random.below(5) as f64 - 2.0,
        _ => random.between(-1.0, 1.0) * size,
    };
    if ["chi2", "jensen-shannon"].contains(&leaf) { v.abs() } else { v }
}

/// Whether numbers are vertices of a tree, where 0 is invalid.
fn is_tree(leaf: &str) -> bool {
    ["regular-tree", "binary-tree"].contains(&leaf)
}

fn dense(n: usize, leaf: &str, random: &mut Random) -> Dense {
    let width = if random.once_in(5) { 1 + random.below(70) } else { 1 + random.below(8) };
    let (size, offset) = (10f64.powi(random.below(6) as i32 - 3), if random.once_in(6) { 1e5 } else { 0.0 });
    let offset = if leaf == "closed-chain" || is_tree(leaf) { 0.0 } else { offset };
    let mut x = Dense::zeros(n, width);
    for i in 0..n {
        if is_tree(leaf) || !random.once_in(8) {
            x.row_mut(i).iter_mut().for_each(|v| *v = offset + value(size, leaf, random));
        }
    }
    x
}

fn sparse(n: usize, leaf: &str, random: &mut Random) -> Sparse {
    let dim = *random.pick(&[1, 5, 40, 3_000, 100_000]);
    let (size, most) = (10f64.powi(random.below(6) as i32 - 3), 1 + random.below(30));
    let rows: Vec<Vec<(u32, f64)>> = (0..n)
        .map(|_| {
            let mut features: Vec<u32> = (0..random.below(most)).map(|_| random.below(dim) as u32).collect();
            // A few features shared by many objects.
            features.iter_mut().filter(|f| **f % 3 == 0).for_each(|f| *f %= 7.min(dim as u32));
            features.sort_unstable();
            features.dedup();
            features.into_iter().map(|f| (f, value(size, leaf, random))).collect()
        })
        .collect();
    Sparse::from_rows(dim, &rows).unwrap()
}

/// Up to a dozen categories, with missing values if the kernel supports them.
fn categories(n: usize, call: &Call, random: &mut Random) -> Categories {
    let at = call.entry.facts.parameters.iter().position(|p| p.name == "missing");
    let gaps = at.is_some_and(|at| call.settings[at].word() != Some("refuse")) && random.once_in(2);
    let names: Vec<String> = (0..1 + random.below(12)).map(|i| format!("v{i}")).collect();
    let values: Vec<_> =
        (0..n).map(|_| (!gaps || !random.once_in(4)).then(|| random.pick(&names).as_str())).collect();
    Categories::from_values(values)
}

/// Strings of very different lengths, some of them mutated copies of others, some of one repeated symbol.
fn strings(n: usize, leaf: &str, random: &mut Random) -> Vec<Option<String>> {
    const ALPHABETS: [&[char]; 5] = [
        &['A', 'C', 'G', 'T'],
        &['a', 'C', 'g', 'U', 'N'],
        &['x', 'y'],
        &['A', 'R', 'w', 'é', 'V', 'B', '€'],
        &['A', 'C', 'D', 'E', 'F', 'G', 'H', 'I', 'K', 'L', 'M', 'N', 'P', 'Q', 'R', 'S', 'T', 'V', 'W', 'Y'],
    ];
    let symbols = *random.pick(&ALPHABETS);
    // Some oracles take time of the fourth power of it.
    let most = if ["subsequence", "local-alignment"].contains(&leaf) { 22 } else { 40 };
    let longest = *random.pick(&[3, 12, most]);
    let mut all: Vec<Vec<char>> = Vec::with_capacity(n);
    if ["weighted-degree", "weighted-degree-shifts"].contains(&leaf) {
        // All of the same length, also in bytes.
        let symbols: Vec<char> = symbols.iter().copied().filter(char::is_ascii).collect();
        let one = |_| (0..longest).map(|_| *random.pick(&symbols)).collect::<String>();
        return (0..n).map(one).map(Some).collect();
    }
    for _ in 0..n {
        let one = match random.below(6) {
            0 => vec![*random.pick(symbols); random.below(longest + 1)],
            1 | 2 if !all.is_empty() => {
                // Truncated, with a few symbols changed.
                let other = &all[random.below(all.len())];
                let start = random.below(other.len() + 1).min(other.len() / 3);
                let mut copy = other[start..].to_vec();
                for _ in 0..random.below(3) {
                    if !copy.is_empty() {
                        let at = random.below(copy.len());
                        copy[at] = *random.pick(symbols);
                    }
                }
                copy
            }
            _ => (0..random.below(longest + 1)).map(|_| *random.pick(symbols)).collect(),
        };
        all.push(one);
    }
    all.into_iter().map(|s| Some(s.into_iter().collect())).collect()
}

/// Texts with capitals, punctuation and numbers; some empty, some without a word.
fn texts(n: usize, random: &mut Random) -> Vec<Option<String>> {
    const WORDS: [&str; 16] = [
        "the", "The", "kernel", "kernels", "trick", "tricks", "is", "naïve", "don't", "3.14", "walk",
        "walking", "and", "graph", "α", "x1",
    ];
    const BETWEEN: [&str; 6] = [" ", " ", ", ", ". ", "\n", " - "];
    let longest = *random.pick(&[4, 15, 60]);
    (0..n)
        .map(|_| {
            let mut text = String::new();
            for _ in 0..random.below(longest) {
                // The first words are more frequent.
                let at = random.below(WORDS.len()).min(random.below(WORDS.len()));
                text.push_str(WORDS[at]);
                text.push_str(BETWEEN[random.below(BETWEEN.len())]);
            }
            Some(if random.once_in(20) { "... !".to_owned() } else { text })
        })
        .collect()
}

/// Series of one time step next to long ones; constant ones, step functions, ties, far from 0.
fn series(n: usize, leaf: &str, random: &mut Random) -> Vec<Series> {
    let channels = *random.pick(&[1, 1, 2, 5]);
    let (longest, even) = (*random.pick(&[2, 10, 33]), 1 + random.below(33));
    let offset = if random.once_in(6) { 1e3 } else { 0.0 };
    let one = |_| {
        let length = if leaf == "series-euclidean" { even } else { 1 + random.below(longest) };
        let mut values = Vec::with_capacity(channels * length);
        for _ in 0..channels {
            let (kind, level) = (random.below(4), random.between(-2.0, 2.0));
            let mut last = 0.0;
            for _ in 0..length {
                last += random.between(-0.5, 0.5);
                values.push(
                    offset
                        + match kind {
                            0 => level,
                            1 => random.below(3) as f64,
                            2 => last,
                            _ => random.between(-3.0, 3.0),
                        },
                );
            }
        }
        Series::new(channels, values).unwrap()
    };
    (0..n).map(one).collect()
}

/// Paths, rings, stars, trees and denser graphs in one or several components, with loops and nodes without edges.
fn graphs(n: usize, leaf: &str, random: &mut Random) -> Vec<Graph> {
    let [plain, bonds, weights, attributes, directed] = [3, 3, 4, 3, 5].map(|times| random.once_in(times));
    // All matchings are enumerated.
    let most = if leaf == "subgraph-matching" { 6 } else { 11 };
    let names = *random.pick(&[&["C"][..], &["C", "N"], &["C", "N", "O", "Cl"]]);
    let whole = random.once_in(2);
    let mut all = Vec::with_capacity(n);
    for _ in 0..n {
        let nodes = random.below(most + 1);
        let edges = edges(nodes, random);
        let count = edges.len();
        let builder = if directed { GraphBuilder::directed(nodes) } else { GraphBuilder::undirected(nodes) };
        let mut builder = builder.edges(edges);
        if !plain {
            builder = builder.node_labels(Labels::from_names((0..nodes).map(|_| *random.pick(names))));
        }
        if bonds {
            builder =
                builder.edge_labels(Labels::from_names((0..count).map(|_| *random.pick(&["-", "=", "#"]))));
        }
        if weights {
            let weight = |r: &mut Random| if whole { 1.0 + r.below(2) as f64 } else { r.between(0.25, 1.5) };
            builder = builder.weights((0..count).map(|_| weight(random)).collect());
        }
        if attributes {
            let value = |r: &mut Random| if r.once_in(3) { r.below(2) as f64 } else { r.between(-1.0, 1.0) };
            let values = (0..2 * nodes).map(|_| value(random)).collect();
            builder = builder.node_attributes(Dense::new(nodes, 2, values).unwrap());
        }
        all.push(builder.build().unwrap().0);
    }
    all
}

fn edges(nodes: usize, random: &mut Random) -> Vec<(u32, u32)> {
    let mut edges = Vec::new();
    let kind = random.below(6);
    for a in 1..nodes {
        let to = match kind {
            0 => Some(a - 1),
            1 => Some(0),
            2 => Some(random.below(a)),
            // Two disconnected halves.
            3 => (a != nodes / 2).then(|| a - 1),
            _ => None,
        };
        edges.extend(to.map(|b| (a as u32, b as u32)));
    }
    let more = if kind > 3 { nodes * random.below(4) / 2 } else { random.below(3) };
    for _ in 0..if nodes == 0 { 0 } else { more } {
        edges.push((random.below(nodes) as u32, random.below(nodes) as u32));
    }
    if random.once_in(8) && nodes < 8 {
        edges.extend((0..nodes as u32).flat_map(|a| (0..a).map(move |b| (a, b))));
    }
    edges
}

/// Whether a column has one of these types.
pub(super) fn has(data: &Dataset, kinds: &[Kind]) -> bool {
    data.columns().iter().any(|c| kinds.contains(&c.values.kind()))
}
