//! Every kernel compared with brute force: values of pairs, implemented directly from the formula.
//!
//! An oracle reads the settings of an expression and the values of objects, and computes a pair by the definition,
//! without optimisation: it shares only the data types with the library. A case is the value of one pair, from a Gram
//! matrix or from a matrix of new vs. training objects. Data sets and parameters are generated ([`data`]); a failure
//! reports its seed and a minimal set of objects that still fails.
//!
//! Values may differ by [`TOLERANCE`] times the magnitude of the summed terms (`Value::scale`), which each oracle
//! states; counts must be equal.

mod categories;
mod data;
mod fitted_wrappers;
mod graph_features;
mod graph_walks;
mod graphs;
mod matrices;
mod nodes;
mod series;
mod series_features;
mod strings;
mod texts;
mod times;
mod vectors;
mod wrappers;

use mercer::data::{Column, Dataset, Kind, Values};
use mercer::expression::{Call, Entry, Expression, entries, find};
use serde_json::json;

use self::data::Problem;
use crate::generate::Random;
use crate::support::engine;
use crate::trust;

/// The allowed error, relative to a value's scale.
const TOLERANCE: f64 = 1e-12;

/// The value of a pair by its formula.
#[derive(Clone, Copy, Debug)]
struct Value {
    k: f64,
    /// The magnitude for the rounding error; 0 if the value is an exact count.
    scale: f64,
}

impl Value {
    /// A count.
    fn exact(k: f64) -> Self {
        // Beyond this, doubles do not represent all integers.
        Value { k, scale: if k.abs() < 9e15 { 0.0 } else { k.abs() } }
    }

    /// A value with an error relative to itself.
    fn rounded(k: f64) -> Self {
        Value { k, scale: k.abs() }
    }

    fn of(k: f64, scale: f64) -> Self {
        Value { k, scale: scale.max(k.abs()) }
    }

    /// The kernel -d²/2 of a distance; `scale` is that of d.
    fn distance(d: f64, scale: f64) -> Self {
        Value::of(-d * d / 2.0, d * scale.max(d) + TOLERANCE * scale * scale)
    }
}

/// The values of all pairs of objects of a data set.
type Pairs = Box<dyn Fn(usize, usize) -> Value>;

/// The input of an oracle: objects, of which the first `train` are for fitting, and the selected columns.
#[derive(Clone, Copy)]
struct View<'a> {
    data: &'a Dataset,
    train: usize,
    named: Option<&'a [String]>,
}

impl<'a> View<'a> {
    fn len(&self) -> usize {
        self.data.len()
    }

    /// The columns a call uses.
    fn columns(&self, call: &Call) -> Vec<&'a Column> {
        let named = call.columns.as_deref().or(self.named);
        let suits = |c: &&Column| match named {
            Some(names) => names.contains(&c.name),
            None => kinds(call).contains(&c.values.kind()),
        };
        self.data.columns().iter().filter(suits).collect()
    }

    /// The values of the only column a call uses.
    fn one(&self, call: &Call) -> &'a Values {
        &self.columns(call)[0].values
    }
}

/// The types of columns of the innermost kernel.
fn kinds(call: &Call) -> Vec<Kind> {
    match call.inner.first() {
        Some(Expression::Call(inner)) if call.entry.facts.kinds.is_empty() => kinds(inner),
        _ => call.entry.facts.kinds.to_vec(),
    }
}

/// A parameter of a call.
fn setting<'c>(call: &'c Call, name: &str) -> &'c mercer::expression::Setting {
    let at = call.entry.facts.parameters.iter().position(|p| p.name == name);
    &call.settings[at.unwrap_or_else(|| panic!("{} has no {name}", call.entry.facts.name))]
}

fn number(call: &Call, name: &str) -> f64 {
    setting(call, name).number().unwrap()
}

fn whole(call: &Call, name: &str) -> usize {
    number(call, name) as usize
}

fn word<'c>(call: &'c Call, name: &str) -> &'c str {
    setting(call, name).word().unwrap()
}

/// The values of an expression by brute force.
fn brute(expression: &Expression, view: View<'_>) -> Pairs {
    match expression {
        Expression::Call(call) => {
            let family = family_of(call.entry.facts.name).expect(call.entry.facts.name);
            let named = call.columns.as_deref().or(view.named);
            (family.brute)(call, View { named, ..view })
        }
        Expression::Sum(terms) => {
            let terms: Vec<Pairs> = terms.iter().map(|t| brute(t, view)).collect();
            Box::new(move |i, j| {
                terms.iter().map(|t| t(i, j)).fold(Value { k: 0.0, scale: 0.0 }, |a, b| Value {
                    k: a.k + b.k,
                    scale: a.scale + b.scale,
                })
            })
        }
        Expression::Product(factors) => {
            let factors: Vec<Pairs> = factors.iter().map(|t| brute(t, view)).collect();
            Box::new(move |i, j| {
                factors.iter().map(|t| t(i, j)).fold(Value { k: 1.0, scale: 1.0 }, |a, b| {
                    let scale = |v: Value| v.scale.max(v.k.abs());
                    Value { k: a.k * b.k, scale: scale(a) * scale(b) }
                })
            })
        }
        Expression::Scale(factor, inner) => {
            let (factor, inner) = (factor.number().unwrap(), brute(inner, view));
            Box::new(move |i, j| {
                let v = inner(i, j);
                Value { k: factor * v.k, scale: factor * v.scale.max(v.k.abs()) }
            })
        }
        Expression::Group(inner, columns) => brute(inner, View { named: Some(columns), ..view }),
    }
}

/// Kernels on one type of objects, and their oracle.
struct Family {
    name: &'static str,
    kernels: &'static [&'static str],
    brute: fn(&Call, View<'_>) -> Pairs,
}

static FAMILIES: &[Family] = &[
    Family { name: "vectors", kernels: vectors::KERNELS, brute: vectors::brute },
    Family { name: "categories", kernels: categories::KERNELS, brute: categories::brute },
    Family { name: "times", kernels: times::KERNELS, brute: times::brute },
    Family { name: "strings", kernels: strings::KERNELS, brute: strings::brute },
    Family { name: "texts", kernels: texts::KERNELS, brute: texts::brute },
    Family { name: "series", kernels: series::KERNELS, brute: series::brute },
    Family { name: "series_features", kernels: series_features::KERNELS, brute: series_features::brute },
    Family { name: "nodes", kernels: nodes::KERNELS, brute: nodes::brute },
    Family { name: "graphs", kernels: graphs::KERNELS, brute: graphs::brute },
    Family { name: "wrappers", kernels: wrappers::KERNELS, brute: wrappers::brute },
];

/// Entries without brute force, and why.
static WITHOUT: &[(&str, &str)] = &[
    ("ecfp", "counts equal to those of the RDKit for 5,000 molecules, in the tests of the Python package"),
    ("fcfp", "counts equal to those of the RDKit for 5,000 molecules, in the tests of the Python package"),
    (
        "atom-pairs",
        "counts equal to those of the RDKit for 5,000 molecules, in the tests of the Python package",
    ),
    (
        "torsions",
        "counts equal to those of the RDKit for 5,000 molecules, in the tests of the Python package",
    ),
    ("molecule-paths", "the inner product of its named paths, in the library's tests"),
    ("atoms", "only chooses labels; the kernel on graphs inside it has an oracle"),
    (
        "visual",
        "Fisher vectors of a mixture fitted by seeded expectation maximisation: no formula for a pair",
    ),
    (
        "nystrom",
        "features in single precision from random landmarks: compared with the Cholesky factor in the library's tests",
    ),
    ("fourier", "cosines of random frequencies: correct on average, which the library's tests measure"),
    (
        "tensor-sketch",
        "random hashes and signs: compared with the explicit convolution in the library's tests",
    ),
    (
        "forest",
        "random trees: the share of common leaves, the best cut and the rules of leaves are compared in the library's tests",
    ),
    (
        "relevance",
        "weights by gradient steps: alignment and gradient are compared with the formula in the library's tests",
    ),
    (
        "learned",
        "numbers of the kernel inside with the highest likelihood: derivatives are compared with differences, the optimum with \
         grids, in the library's tests",
    ),
    ("fusion", "decision values of models fitted to folds: the models have their own tests"),
];

fn family_of(kernel: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|f| f.kernels.contains(&kernel))
}

/// Every kernel has an oracle or a reason for not having one; the lists name only existing kernels.
#[test]
fn every_entry_has_an_oracle_or_a_reason() {
    for entry in entries() {
        let name = entry.facts.name;
        let times = FAMILIES.iter().flat_map(|f| f.kernels).filter(|k| **k == name).count();
        let excused = WITHOUT.iter().filter(|(n, why)| *n == name && why.len() > 20).count();
        assert_eq!(times + excused, 1, "{name}");
    }
    for name in FAMILIES.iter().flat_map(|f| f.kernels).chain(WITHOUT.iter().map(|(n, _)| n)) {
        assert!(find(name).is_some() || wrappers::OPERATORS.contains(name), "{name}");
    }
}

/// Number of pairs compared for each kernel.
fn pairs_per_kernel() -> usize {
    if trust::full() { 10_000 } else { 200 }
}

/// Counts of the comparison.
#[derive(Default)]
struct Tally {
    cases: usize,
    sets: usize,
    /// Of these, new vs. training objects.
    rectangular: usize,
    /// Data sets of more objects than a tile has.
    large: usize,
    largest: f64,
    /// Data sets whose values overflow, as the library reported.
    refused: usize,
}

impl Tally {
    fn add(&mut self, other: &Tally) {
        self.cases += other.cases;
        self.sets += other.sets;
        self.rectangular += other.rectangular;
        self.large += other.large;
        self.largest = self.largest.max(other.largest);
        self.refused += other.refused;
    }
}

/// Compares every kernel of a family on generated data sets, until there are enough pairs.
fn compare_family(name: &str) {
    let family = FAMILIES.iter().find(|f| f.name == name).unwrap();
    let mut all = Tally::default();
    for kernel in family.kernels {
        let mut one = Tally::default();
        let mut seed = 0u64;
        while one.cases < pairs_per_kernel() {
            let problem = data::problem(kernel, seed);
            match compare(&problem, seed) {
                Ok(found) => one.add(&found),
                Err(fault) if fault.starts_with("E_OVERFLOW") => one.refused += 1,
                Err(fault) => {
                    let (small, fault) = smallest(problem, seed, fault);
                    let objects = small.data.columns();
                    panic!(
                        "{kernel}, seed {seed}: {fault}\n{}\nfitted to the first {} of\n{objects:#?}",
                        small.expression, small.train
                    );
                }
            }
            assert!(one.refused < 20 + one.sets, "{kernel}: most data sets overflow");
            seed += 1;
        }
        if std::env::var_os("MERCER_TRUST_SHOW").is_some() {
            println!("{kernel}: {} cases, {} sets, error {:.1e}", one.cases, one.sets, one.largest);
        }
        all.add(&one);
    }
    assert!(all.rectangular > 0 && (all.large > 0 || !trust::full()), "{name}: no new objects, or no tiles");
    trust::measured(
        "differential",
        &format!("differential::families::{name}"),
        &json!({
            "family": name, "cases": all.cases, "kernels": family.kernels.len(), "data_sets": all.sets,
            "new_against_training": all.rectangular, "sets_over_a_tile": all.large, "largest_error": all.largest, "tolerance": TOLERANCE, "refused": all.refused,
        }),
    );
}

/// Compares pairs of a data set.
fn compare(problem: &Problem, seed: u64) -> Result<Tally, String> {
    let Problem { expression, data, .. } = problem;
    let fit = |d: &Dataset| expression.fit(d, engine()).map_err(|e| format!("fit: {} {e}", e.code()));
    let mut train = problem.train;
    let mut fitted = fit(&data.select(&(0..train).collect::<Vec<_>>()))?;
    // All nodes of a graph are known, even if only some are objects.
    if fitted.is_transductive() && !data::has(data, &[Kind::Nodes]) {
        train = data.len();
        fitted = fit(data)?;
    }
    let (training, new) = (first(data, train), rest(data, train));
    let shown = |e: mercer::Error| format!("{} {e}", e.code());
    let gram = engine().gram(&fitted.kernel, data).map_err(shown)?;
    let cross = engine().cross(&fitted.kernel, &new, &training).map_err(shown)?;
    let want = brute(expression, View { data, train, named: None });
    let mut found = Tally { sets: 1, large: usize::from(data.len() > 256), ..Tally::default() };
    let mut check = |what: &str, i: usize, j: usize, got: f64| {
        let Value { k, scale } = want(i, j);
        // The value depends on rounding only: not a case.
        if scale.is_infinite() {
            return Ok(());
        }
        found.cases += 1;
        found.rectangular += usize::from(what != "entry");
        let error = if got == k { 0.0 } else { (got - k).abs() / scale };
        found.largest = found.largest.max(error);
        // NaN fails this comparison.
        if error <= TOLERANCE {
            return Ok(());
        }
        Err(format!("{what} ({i}, {j}) is {got:e}, by brute force {k:e}: {error:.1e} of {scale:e}"))
    };
    for (i, j) in chosen(data.len(), seed) {
        check("entry", i, j, gram.at(i, j))?;
        if i >= train && j < train {
            check("new vs. training", i, j, cross.at(i - train, j))?;
        }
    }
    Ok(found)
}

/// The pairs to compare: all of a small data set, some of a larger one, including those at tile borders.
fn chosen(n: usize, seed: u64) -> Vec<(usize, usize)> {
    if n <= 24 {
        return (0..n).flat_map(|i| (0..=i).map(move |j| (i, j))).collect();
    }
    let mut random = Random::new(seed ^ 3);
    let borders = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257, n - 2, n - 1];
    let place = |r: &mut Random| if r.once_in(2) { r.below(n) } else { (*r.pick(&borders)).min(n - 1) };
    (0..120).map(|_| (place(&mut random), place(&mut random))).collect()
}

fn first(data: &Dataset, n: usize) -> Dataset {
    data.select(&(0..n).collect::<Vec<_>>())
}

fn rest(data: &Dataset, n: usize) -> Dataset {
    data.select(&(n..data.len()).collect::<Vec<_>>())
}

/// The problem reduced to the objects needed for the failure.
fn smallest(mut problem: Problem, seed: u64, mut fault: String) -> (Problem, String) {
    let mut at = 0;
    while at < problem.data.len() && problem.data.len() > 1 {
        let keep: Vec<usize> = (0..problem.data.len()).filter(|&i| i != at).collect();
        let train = (problem.train - usize::from(at < problem.train)).max(1);
        let less =
            Problem { expression: problem.expression.clone(), data: problem.data.select(&keep), train };
        match compare(&less, seed) {
            Err(other) if !other.starts_with("E_OVERFLOW") && !other.starts_with("fit") => {
                (problem, fault) = (less, other);
            }
            _ => at += 1,
        }
    }
    (problem, fault)
}

/// Finds an entry by name.
fn entry(name: &str) -> &'static Entry {
    find(name).unwrap_or_else(|| panic!("no kernel {name}"))
}

macro_rules! families {
    ($($name:ident),*) => {
        mod families {
            $(#[test]
            fn $name() {
                super::compare_family(stringify!($name));
            })*
        }
    };
}

families!(vectors, categories, times, strings, texts, series, series_features, nodes, graphs, wrappers);
