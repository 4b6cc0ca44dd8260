//! A sample of the data as simple features: numbers and codes.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::Doctor;
use crate::budget;
use crate::data::{Categories, Column, Dataset, Target, Values};
use crate::error::Result;
use crate::random::Random;

/// Sampled objects, and the features of the columns over them.
pub(super) struct View {
    /// The objects looked at, ascending.
    pub(super) rows: Vec<usize>,
    /// The features, in the order of the columns.
    pub(super) features: Vec<Feature>,
    /// The target of each sampled object; none for objects of the test set.
    pub(super) target: Option<Cells>,
    /// Classes in the target; 0 for numbers.
    pub(super) classes: usize,
}

/// A number or a code for each sampled object.
pub(super) struct Feature {
    /// The column it belongs to.
    pub(super) column: usize,
    /// Its name in messages.
    pub(super) name: String,
    /// Whether the whole column is this feature, rather than a coordinate or a derived number.
    pub(super) whole: bool,
    /// The values.
    pub(super) cells: Cells,
    /// The distinct values as codes, once they are needed.
    ranks: OnceCell<(Vec<u32>, usize)>,
}

impl Feature {
    /// The distinct values as codes, in the order of numbers, and their number. Missing values stay missing.
    pub(super) fn codes(&self) -> (&[u32], usize) {
        match &self.cells {
            Cells::Codes(codes, levels) => (codes, *levels),
            Cells::Numbers(x) => {
                let (codes, levels) = self.ranks.get_or_init(|| ranks(x));
                (codes, *levels)
            }
        }
    }
}

/// Values of a feature.
pub(super) enum Cells {
    /// Numbers; NaN is missing.
    Numbers(Vec<f64>),
    /// Codes below the number of levels; [`Categories::MISSING`] is missing.
    Codes(Vec<u32>, usize),
}

impl Cells {
    pub(super) fn len(&self) -> usize {
        match self {
            Cells::Numbers(v) => v.len(),
            Cells::Codes(v, _) => v.len(),
        }
    }

    pub(super) fn is_missing(&self, i: usize) -> bool {
        match self {
            Cells::Numbers(v) => v[i].is_nan(),
            Cells::Codes(v, _) => v[i] == Categories::MISSING,
        }
    }
}

/// The ranks of distinct numbers, and their number.
fn ranks(v: &[f64]) -> (Vec<u32>, usize) {
    let mut order: Vec<usize> = (0..v.len()).filter(|&i| !v[i].is_nan()).collect();
    order.sort_unstable_by(|&a, &b| v[a].total_cmp(&v[b]));
    let mut codes = vec![Categories::MISSING; v.len()];
    let (mut level, mut last) = (0u32, f64::NAN);
    for &i in &order {
        if v[i] != last && !last.is_nan() {
            level += 1;
        }
        last = v[i];
        codes[i] = level;
    }
    (codes, if order.is_empty() { 0 } else { level as usize + 1 })
}

/// Objects looked at, at least.
const LEAST_ROWS: usize = 500;
/// Features looked at, at most.
const MOST_FEATURES: usize = 20_000;

impl View {
    pub(super) fn of(data: &Dataset, doctor: &Doctor) -> Result<Self> {
        let width: usize = data.columns().iter().map(features_of).sum();
        let most = (doctor.cells / width.clamp(1, MOST_FEATURES)).max(LEAST_ROWS);
        let rows = Random::derived(doctor.seed, 0xd0c7).sample(data.len(), most);
        budget::ask("an examination of the data", (rows.len() * width.min(MOST_FEATURES) * 8) as u64)?;
        let mut features = Vec::new();
        for (at, column) in data.columns().iter().enumerate() {
            budget::check()?;
            add(at, column, &rows, &mut features)?;
        }
        let trained = |i: usize| data.test().is_none_or(|test| !test[i]);
        let (target, classes) = match data.target() {
            None => (None, 0),
            Some(Target::Classes(c)) => {
                let code = |&i: &usize| c.code(i).filter(|_| trained(i)).unwrap_or(Categories::MISSING);
                let levels = c.levels().len();
                (Some(Cells::Codes(rows.iter().map(code).collect(), levels)), levels)
            }
            Some(Target::Numbers(y)) => {
                let number = |&i: &usize| if trained(i) { y[i] } else { f64::NAN };
                (Some(Cells::Numbers(rows.iter().map(number).collect())), 0)
            }
        };
        Ok(View { rows, features, target, classes })
    }

    /// The features of a column.
    pub(super) fn of_column(&self, column: usize) -> impl Iterator<Item = &Feature> {
        self.features.iter().filter(move |f| f.column == column)
    }
}

/// The number of features of a column.
fn features_of(column: &Column) -> usize {
    match &column.values {
        Values::Numbers(x) => x.cols(),
        // The most frequent features are looked at.
        Values::Sparse(x) => x.dim().clamp(1, 1000),
        Values::Images(_) | Values::Graphs(_) => 2,
        _ => 1,
    }
}

fn add(at: usize, column: &Column, rows: &[usize], out: &mut Vec<Feature>) -> Result<()> {
    let name = &column.name;
    let numbers = |of: &dyn Fn(usize) -> f64| Cells::Numbers(rows.iter().map(|&i| of(i)).collect());
    let mut push = |name: String, whole: bool, cells: Cells| {
        if out.len() < MOST_FEATURES {
            out.push(Feature { column: at, name, whole, cells, ranks: OnceCell::new() });
        }
    };
    let derived = |what: &str| format!("{what} of {name}");
    match &column.values {
        Values::Numbers(x) if x.cols() == 1 => push(name.clone(), true, numbers(&|i| x.row(i)[0])),
        Values::Numbers(x) => {
            for j in 0..x.cols().min(MOST_FEATURES) {
                budget::check_after(rows.len())?;
                push(format!("{name}[{}]", j + 1), false, numbers(&|i| x.row(i)[j]));
            }
        }
        Values::Sparse(x) => {
            let mut found: HashMap<u32, Vec<(usize, f64)>> = HashMap::new();
            for (k, &i) in rows.iter().enumerate() {
                let (indices, values) = x.row(i);
                budget::check_after(indices.len())?;
                indices.iter().zip(values).for_each(|(&f, &v)| found.entry(f).or_default().push((k, v)));
            }
            // Frequent features first: a feature of a few objects predicts nothing.
            let mut found: Vec<_> = found.into_iter().filter(|(_, v)| v.len() >= 5).collect();
            found.sort_by_key(|(f, v)| (std::cmp::Reverse(v.len()), *f));
            let most = (2_000_000 / rows.len().max(1)).max(50);
            found.truncate(most);
            found.sort_by_key(|(f, _)| *f);
            for (feature, stored) in found {
                budget::check_after(rows.len())?;
                let mut values = vec![0.0; rows.len()];
                stored.into_iter().for_each(|(k, v)| values[k] = v);
                push(format!("{name}[{}]", u64::from(feature) + 1), false, Cells::Numbers(values));
            }
        }
        Values::Times(t) => push(name.clone(), true, numbers(&|i| t.seconds()[i])),
        Values::Molecules(v) => {
            let atoms = |i: usize| if v[i].is_empty() { f64::NAN } else { v[i].atoms().len() as f64 };
            push(derived("number of atoms"), false, numbers(&atoms));
        }
        Values::Categories(c) => {
            let codes = rows.iter().map(|&i| c.code(i).unwrap_or(Categories::MISSING)).collect();
            push(name.clone(), true, Cells::Codes(codes, c.levels().len()));
        }
        Values::Strings(v) | Values::Text(v) => {
            let mut seen: HashMap<&str, u32> = HashMap::new();
            let code = |&i: &usize| match &v[i] {
                None => Categories::MISSING,
                Some(text) => {
                    let next = seen.len() as u32;
                    *seen.entry(text).or_insert(next)
                }
            };
            let codes: Vec<u32> = rows.iter().map(code).collect();
            push(name.clone(), true, Cells::Codes(codes, seen.len()));
            let length = |i: usize| v[i].as_ref().map_or(f64::NAN, |s| s.len() as f64);
            push(derived("length"), false, numbers(&length));
        }
        Values::Series(v) => push(derived("length"), false, numbers(&|i| v[i].len() as f64)),
        Values::Images(v) => {
            push(derived("width"), false, numbers(&|i| v[i].width() as f64));
            push(derived("height"), false, numbers(&|i| v[i].height() as f64));
        }
        Values::Graphs(v) => {
            push(derived("number of nodes"), false, numbers(&|i| v[i].nodes() as f64));
            push(derived("number of edges"), false, numbers(&|i| v[i].edges() as f64));
        }
        Values::Precomputed(_) | Values::Nodes(_) => {}
    }
    Ok(())
}

/// The median, and the standard deviation of a normal distribution with these quartiles; the standard deviation itself
/// where the quartiles are equal. None without values or without spread.
pub(super) fn center_and_scale(values: &[f64]) -> Option<(f64, f64)> {
    let mut sorted: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    if sorted.is_empty() {
        return None;
    }
    sorted.sort_unstable_by(f64::total_cmp);
    let at = |share: f64| sorted[((sorted.len() - 1) as f64 * share).round() as usize];
    let (median, spread) = (at(0.5), (at(0.75) - at(0.25)) / 1.349);
    let spread = if spread > 0.0 {
        spread
    } else {
        let mean = sorted.iter().sum::<f64>() / sorted.len() as f64;
        (sorted.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / sorted.len() as f64).sqrt()
    };
    (spread > 0.0 && spread.is_finite()).then_some((median, spread))
}
