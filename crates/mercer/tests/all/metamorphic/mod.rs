//! Relations that must hold when data or kernels are changed in a way whose effect is known.
//!
//! `objects.rs` has the laws of all registry entries (permuted, repeated or added objects); `names.rs` renames symbols,
//! categories, labels and nodes, `scale.rs` multiplies numbers, `closure.rs` checks what sums, products and
//! normalisation preserve. The law tests (`laws.rs`) require bit-identical symmetry, self-similarities and threads.
//!
//! Values are compared bit by bit. Where only rounding is promised, a list gives the reason; the error then must be
//! within the tolerance of the law tests.

mod closure;
pub(crate) use closure::normalised;
mod names;
mod objects;
mod scale;

use std::collections::BTreeSet;

use mercer::data::{Dataset, Dense};
use mercer::expression::{Entry, Expression, entries};
use serde_json::json;

use crate::generate::{Case, case};
use crate::laws::{Tolerance, fit_case};
use crate::support::engine;
use crate::trust;

/// Number of data sets for each kernel and law.
fn seeds(short: u64, full: u64) -> u64 {
    if trust::full() { full } else { short }
}

/// Entries whose last bits may depend on the position of a pair in a matrix, with the reason; others are bit-identical.
static ROUNDED: &[(&str, &[&str])] = &[
    (
        "common features are summed in the order of the row object, or differently for an object with itself",
        &[
            "chi2",
            "jensen-shannon",
            "substring",
            "subsequence",
            "local-alignment",
            "soft-dtw",
            "gak",
            "kdtw",
            "random-walk",
            "graph-hopper",
            "shortest-path-rbf",
            "return-probabilities",
        ],
    ),
    (
        "it uses the eigenvectors of all objects, whose rows and signs depend on their order",
        &["exponential", "laplacian-walk", "cluster"],
    ),
    (
        "it wraps one of these, or computes products of features itself",
        &[
            "normalize",
            "tanimoto",
            "dice",
            "atoms",
            "center",
            "rbf-of",
            "zero-extend",
            "repair",
            "walk",
            "markov",
            "similarity",
            "mkl",
            "fusion",
            "learned",
            "column-sum",
            "column-product",
            "standardize",
            "minmax",
            "relevance",
            "impute",
            "terms",
            "content",
            "convolution",
            "resample",
            "bin",
            "znormalize",
            "core",
            "wl-of",
            "nystrom",
            "explicit",
        ],
    ),
];

fn may_round(entry: &Entry) -> bool {
    ROUNDED.iter().any(|(_, names)| names.contains(&entry.facts.name))
}

/// Counts of a law.
#[derive(Default)]
struct Tally {
    values: usize,
    kernels: BTreeSet<&'static str>,
    /// Kernels with some value changed by rounding.
    rounded: BTreeSet<&'static str>,
    faults: Vec<String>,
}

impl Tally {
    /// Compares a value with the expected one, bit by bit or within the tolerance.
    fn value(
        &mut self,
        entry: &'static Entry,
        got: f64,
        want: f64,
        tolerance: f64,
        may_round: bool,
    ) -> Result<(), String> {
        self.values += 1;
        self.kernels.insert(entry.facts.name);
        // 0 and -0 are equal.
        if got == want {
            return Ok(());
        }
        self.rounded.insert(entry.facts.name);
        match may_round && (got - want).abs() <= tolerance {
            true => Ok(()),
            false => Err(format!("{got:e} is not {want:e} (± {tolerance:e})")),
        }
    }

    /// Records the outcome of a case.
    fn went(&mut self, case: &Case, seed: u64, outcome: Result<(), String>) {
        // Overflow that is reported breaks no law.
        if let Err(fault) = outcome
            && !fault.contains("E_OVERFLOW")
        {
            self.faults.push(format!("seed {seed}: {}: {fault}", case.expression));
        }
    }

    /// Reports the figures, and fails if the law was broken.
    fn end(self, promise: &str, law: &str, test: &str) {
        if std::env::var_os("MERCER_TRUST_SHOW").is_some() {
            println!("{law}: to rounding {:?}", self.rounded);
        }
        assert!(
            self.faults.is_empty(),
            "{law}: {} faults\n{}",
            self.faults.len(),
            self.faults[..self.faults.len().min(8)].join("\n")
        );
        assert!(self.values > 0 && !self.kernels.is_empty(), "{law} was never tested");
        trust::measured(
            promise,
            &format!("metamorphic::{test}"),
            &json!({
                "law": law, "cases": self.values, "kernels": self.kernels.len(),
                "kernels_to_the_bit": self.kernels.len() - self.rounded.len(),
                "kernels_to_rounding": self.rounded.len(),
            }),
        );
    }
}

/// A case of an entry with its fitted kernel, its Gram matrix, and the tolerance of that.
struct Made {
    case: Case,
    kernel: mercer::kernel::Boxed<Dataset>,
    k: Dense,
    tolerance: Tolerance,
}

/// The case of an entry and a seed; an error if values overflow.
fn make(entry: &'static Entry, n: usize, seed: u64) -> Result<Made, Box<(Case, String)>> {
    let case = case(entry, n, seed).expect(entry.facts.name);
    let made = || {
        let fitted = fit_case(&case.expression, &case, engine())?;
        let k = engine().gram(&fitted.kernel, &case.data).map_err(|e| e.to_string())?;
        let tolerance = Tolerance::new(&case, &fitted.kernel, &fitted.steps, &k)?;
        Ok((fitted.kernel, k, tolerance))
    };
    match made() {
        Ok((kernel, k, tolerance)) => Ok(Made { case, kernel, k, tolerance }),
        Err(fault) => Err(Box::new((case, fault))),
    }
}

/// The Gram matrix of an expression fitted to all objects.
fn gram(expression: &Expression, data: &Dataset) -> Result<Dense, String> {
    let kernel = expression.fit(data, engine()).map_err(|e| e.to_string())?.kernel;
    engine().gram(&kernel, data).map_err(|e| e.to_string())
}

/// The entries that are not wrappers.
fn leaves() -> impl Iterator<Item = &'static Entry> {
    entries().into_iter().filter(|e| e.arity() == 0)
}

#[test]
fn lists_name_entries() {
    let known = |name: &str| entries().into_iter().any(|e| e.facts.name == name);
    let listed = ROUNDED.iter().flat_map(|(_, names)| *names).chain(names::BY_NAME);
    listed.for_each(|name| assert!(known(name), "{name}"));
}
