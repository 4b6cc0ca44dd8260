//! The laws every kernel obeys, for every entry of the registry.
//!
//! The laws on added objects and on permutations use the same tolerance as a value computed alone; `metamorphic`
//! requires bit-identical values there for most entries. Symmetry, self-similarities, thread counts and printed forms
//! must be bit-identical.

use std::sync::atomic::{AtomicUsize, Ordering};

use mercer::Code;
use mercer::data::{Dense, Kind};
use mercer::expression::{Entry, Expression, Fitted, Step, entries};
use mercer::gram::{Extension, Method, Repair, eigenvalues};
use mercer::kernel::{AnyPrepared, Boxed, Definiteness, Domain, Kernel, Part, Prepared};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestCaseError, TestRunner};
use serde_json::json;

use crate::generate::{Case, Random, case};
use crate::support::{ENGINES, block, engine};
use crate::trust;

/// The tolerance of rounding, relative to √(K_ii·K_jj).
const RELATIVE: f64 = 1e-12;

pub(crate) type Outcome = Result<(), String>;

/// Cases per entry; a few of them span several tiles.
fn cases() -> u32 {
    if trust::full() { 288 } else { 32 }
}

fn sizes() -> impl Strategy<Value = usize> {
    prop_oneof![120 => 1usize..=20, 2 => 30usize..=70, 1 => 260usize..=300]
}

/// Many strings without common substrings: the eigenvalues of their matrix once did not converge.
#[test]
fn eigenvalues_of_many_equal_rows_converge() {
    let entry = entries().into_iter().find(|e| e.facts.name == "explicit").unwrap();
    let seed = 5402977380362578880;
    check(&case(entry, 297, seed).unwrap(), seed).unwrap();
}

/// Every entry under every law. One test per entry would have to be written for each new kernel.
#[test]
fn every_entry_obeys_the_laws() {
    let tried = |entry: &'static Entry| {
        // Each fit of these is a search of hundreds of fits.
        let cases = if entry.facts.name == "learned" { cases().min(3) } else { cases() };
        let config = Config { cases, failure_persistence: None, ..Config::default() };
        let run = TestRunner::new(config).run(&(sizes(), any::<u64>().no_shrink()), |(n, seed)| {
            let case = case(entry, n, seed).ok_or_else(|| TestCaseError::fail("has no generator"))?;
            check(&case, seed).map_err(|e| match e.starts_with("E_OVERFLOW") {
                // Overflow that is reported breaks no law. Too many of these still fail the test.
                true => TestCaseError::reject(e),
                false => {
                    TestCaseError::fail(format!("{} ({} for training): {e}", case.expression, case.train))
                }
            })
        });
        run.err().map(|fault| format!("{}: {fault}", entry.facts.name))
    };
    // The other tests end long before this one: it uses both of their threads.
    let (entries_left, all) = (AtomicUsize::new(0), entries());
    let next = || all.get(entries_left.fetch_add(1, Ordering::Relaxed));
    let work = || std::iter::from_fn(next).filter_map(|entry| tried(entry)).collect::<Vec<String>>();
    let faults = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        [work(), other.join().unwrap()].concat()
    });
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
    let figures = json!({
        "law": "symmetry, self-similarities, printed forms and one to three threads",
        "cases": cases() as usize * entries().len(),
        "kernels": entries().len(),
        "kernels_to_the_bit": entries().len(),
        "kernels_to_rounding": 0,
    });
    trust::measured("metamorphic", "laws::every_entry_obeys_the_laws", &figures);
}

/// The generators cover the cases of the laws: without this, a generator of trivial data would pass.
#[test]
fn generators_cover_all_cases() {
    for entry in entries() {
        let cases: Vec<_> = (0..300).map(|seed| case(entry, 12, seed).expect(entry.facts.name)).collect();
        let count = |what: &dyn Fn(&Case) -> bool| cases.iter().filter(|c| what(c)).count();
        assert!(count(&|c| c.train < 12) > 60, "{}: new objects", entry.facts.name);
        let columns = |c: &Case, i: usize| c.data.select(&[i]).columns().to_vec();
        let repeats = |c: &Case| (0..11).any(|i| columns(c, i) == columns(c, i + 1));
        assert!(count(&repeats) > 30, "{}: repeated objects", entry.facts.name);
        for kind in entry.facts.kinds {
            let has = |c: &Case| c.data.columns().iter().any(|col| col.values.kind() == *kind);
            assert!(count(&has) > 20, "{}: {kind}", entry.facts.name);
        }
        for (at, parameter) in entry.facts.parameters.iter().enumerate() {
            let mut seen: Vec<String> = Vec::new();
            for c in &cases {
                if let Expression::Call(call) = &c.expression {
                    seen.push(call.settings[at].to_string());
                }
            }
            seen.sort();
            seen.dedup();
            let all = if let Domain::Word(words) = parameter.domain { words.len() } else { 3 };
            assert!(seen.len() >= all.min(3), "{}: {}", entry.facts.name, parameter.name);
        }
    }
}

fn check(case: &Case, seed: u64) -> Outcome {
    let Case { expression, data, train } = case;
    let (n, train) = (data.len(), *train);
    let training = data.select(&(0..train).collect::<Vec<_>>());
    let new = data.select(&(train..n).collect::<Vec<_>>());
    let Fitted { kernel, steps, .. } = fit_case(expression, case, engine())?;
    let set = kernel.prepare(data).map_err(|e| e.to_string())?;
    let k: Dense = engine().gram_of(&kernel, &set).map_err(|e| e.to_string())?;
    if set.len() != n || k.rows() != n || k.cols() != n {
        return Err(format!("{} objects of {n}", set.len()));
    }
    let tolerance = Tolerance::new(case, &kernel, &steps, &k)?;
    symmetric_and_finite(&k)?;
    self_similarities(&kernel, &set, &k)?;
    entries_alone(case, &kernel, &set, &k, &tolerance, seed)?;
    positive_semidefinite(&kernel, &k, &tolerance)?;
    permutation(case, &kernel, &k, &tolerance, seed)?;
    threads(case, &k)?;
    // All nodes of a graph are known, even if only some are objects.
    let nodes = data.columns().iter().any(|c| c.values.kind() == Kind::Nodes);
    if kernel.is_transductive() && !nodes {
        return refuses_others(case).and_then(|()| printed(case, &kernel, &k));
    }
    // Added objects do not change the values.
    let small = engine().gram(&kernel, &training).map_err(|e| e.to_string())?;
    let old: Vec<usize> = (0..train).collect();
    let added: Vec<usize> = (train..n).collect();
    tolerance.same("the training block", &small, &block(&k, &old, &old), &old, &old)?;
    let cross = engine().cross(&kernel, &new, &training).map_err(|e| e.to_string())?;
    tolerance.same("new against training objects", &cross, &block(&k, &added, &old), &added, &old)?;
    printed(case, &kernel, &k)
}

fn fit(
    expression: &Expression,
    case: &Case,
    on: &mercer::gram::Engine,
) -> Result<Boxed<mercer::data::Dataset>, String> {
    fit_case(expression, case, on).map(|f| f.kernel)
}

/// Fitted to the training objects, or to all objects for transductive kernels.
pub(crate) fn fit_case(
    expression: &Expression,
    case: &Case,
    on: &mercer::gram::Engine,
) -> Result<Fitted, String> {
    let training = case.data.select(&(0..case.train).collect::<Vec<_>>());
    let fitted = expression.fit(&training, on).map_err(|e| format!("fit: {e}"))?;
    if !fitted.is_transductive() {
        return Ok(fitted);
    }
    if !fitted.warnings.iter().any(|w| w.code == "W_TRANSDUCTIVE") {
        return Err("transductive without a warning".into());
    }
    expression.fit(&case.data, on).map_err(|e| format!("fit: {e}"))
}

/// A transductive kernel refuses objects it was not fitted to, with a reason.
fn refuses_others(case: &Case) -> Outcome {
    let training = case.data.select(&(0..case.train).collect::<Vec<_>>());
    let kernel = case.expression.fit(&training, engine()).map_err(|e| e.to_string())?.kernel;
    let Ok(known) = kernel.prepare(&training) else { return Err("refuses its own objects".into()) };
    if known.len() != case.train {
        return Err("miscounts its own objects".into());
    }
    let mut used = Vec::new();
    for name in case.expression.columns_used(&case.data).map_err(|e| e.to_string())? {
        used.push(case.data.column(&name).unwrap().clone());
    }
    let ids = mercer::data::Dataset::new(used).unwrap().object_fingerprints();
    for i in case.train..case.data.len() {
        let is_new = !ids[..case.train].contains(&ids[i]);
        match kernel.prepare(&case.data.select(&[i])) {
            Err(e) if is_new && e.to_string().contains("transductive") => {}
            Ok(_) if !is_new => {}
            _ => return Err(format!("object {i}, new: {is_new}, is not treated so")),
        }
    }
    Ok(())
}

/// Whether the kernel identifies objects by their content, and equal ones by their order.
pub(crate) fn by_content(case: &Case) -> bool {
    let text = case.expression.to_string();
    let names = ["laplacian-walk(", "cluster(", "exponential(", "through=all", "method=diffuse"];
    names.iter().any(|name| text.contains(name))
}

/// Whether the value of a pair depends on the order of objects: a kernel that identifies objects by their content
/// distinguishes equal objects only by their order.
///
/// The rows of equal objects agree up to rounding, which cluster kernels magnify through small eigenvalues.
pub(crate) fn depends_on_order(case: &Case, i: usize, j: usize) -> bool {
    if !by_content(case) {
        return false;
    }
    let used = case.expression.columns_used(&case.data).unwrap();
    let columns = used.iter().map(|name| case.data.column(name).unwrap().clone()).collect();
    let prints = mercer::data::Dataset::new(columns).unwrap().object_fingerprints();
    if prints.is_empty() || prints[i] == prints[j] {
        return true;
    }
    let copied = |at: usize| prints.iter().filter(|p| **p == prints[at]).count() > 1;
    case.expression.to_string().contains("cluster(") && (copied(i) || copied(j))
}

fn symmetric_and_finite(k: &Dense) -> Outcome {
    for i in 0..k.rows() {
        for j in 0..k.cols() {
            if !k.at(i, j).is_finite() || k.at(i, j).to_bits() != k.at(j, i).to_bits() {
                return Err(format!("entry ({i}, {j}) is {}, its mirror {}", k.at(i, j), k.at(j, i)));
            }
        }
    }
    Ok(())
}

fn self_similarities(kernel: &Boxed<mercer::data::Dataset>, set: &AnyPrepared, k: &Dense) -> Outcome {
    let diagonal = engine().diagonal_of(kernel, set).map_err(|e| e.to_string())?;
    for (i, own) in diagonal.iter().enumerate() {
        if own.to_bits() != k.at(i, i).to_bits() {
            return Err(format!("k(x, x) of object {i} is {own}, the diagonal has {}", k.at(i, i)));
        }
    }
    Ok(())
}

/// An entry computed alone, from the same set or from sets of one object, equals the tile's entry.
fn entries_alone(
    case: &Case,
    kernel: &Boxed<mercer::data::Dataset>,
    set: &AnyPrepared,
    k: &Dense,
    tolerance: &Tolerance,
    seed: u64,
) -> Outcome {
    let n = k.rows();
    let mut random = Random::new(seed ^ 1);
    for _ in 0..12 {
        let (i, j) = (random.below(n), random.below(n));
        let mut one = [f64::NAN];
        let pair = (Part::new(set, i..i + 1), Part::new(set, j..j + 1));
        kernel.fill(pair.0, pair.1, &mut one).map_err(|e| e.to_string())?;
        // A shift, like a new object's empty walk, is added only to self-similarities, which `diagonal` gives.
        let text = case.expression.to_string();
        if i != j || !text.contains("method=shift") && !by_content(case) {
            tolerance.near("computed alone", one[0], k.at(i, j), i, j)?;
        }
        if i != j {
            let chosen = set.select(&[j, i]);
            if chosen.len() != 2 {
                return Err("selecting two objects did not give two".into());
            }
            kernel
                .fill(Part::new(&chosen, 1..2), Part::new(&chosen, 0..1), &mut one)
                .map_err(|e| e.to_string())?;
            tolerance.near("of chosen objects", one[0], k.at(i, j), i, j)?;
            let (a, b) = (case.data.select(&[i]), case.data.select(&[j]));
            let cross = engine().cross(kernel, &a, &b).map_err(|e| e.to_string())?;
            // Alone, equal objects cannot be distinguished.
            if !depends_on_order(case, i, j) {
                tolerance.near("of two sets of one object", cross.at(0, 0), k.at(i, j), i, j)?;
            }
        }
    }
    Ok(())
}

fn positive_semidefinite(kernel: &Boxed<mercer::data::Dataset>, k: &Dense, tolerance: &Tolerance) -> Outcome {
    if kernel.definiteness() != Definiteness::PositiveSemidefinite {
        return Ok(());
    }
    let values = eigenvalues(k).map_err(|e| e.to_string())?;
    let (low, high) = (values[0], values[values.len() - 1]);
    if low < -1e-8 * high - k.rows() as f64 * tolerance.floor {
        return Err(format!("declared positive semidefinite, eigenvalues from {low:e} to {high:e}"));
    }
    Ok(())
}

fn permutation(
    case: &Case,
    kernel: &Boxed<mercer::data::Dataset>,
    k: &Dense,
    tolerance: &Tolerance,
    seed: u64,
) -> Outcome {
    let order = Random::new(seed ^ 2).permutation(k.rows());
    let moved = engine().gram(kernel, &case.data.select(&order)).map_err(|e| e.to_string())?;
    for (a, &i) in order.iter().enumerate() {
        for (b, &j) in order.iter().enumerate() {
            // With more copies than in training, their order determines which is identified with which.
            if i == j || !depends_on_order(case, i, j) {
                tolerance.near("after a permutation", moved.at(a, b), k.at(i, j), i, j)?;
            }
        }
    }
    Ok(())
}

fn threads(case: &Case, k: &Dense) -> Outcome {
    for engine in ENGINES.iter().skip(1) {
        let kernel = fit(&case.expression, case, engine)?;
        let again = engine.gram(&kernel, &case.data).map_err(|e| e.to_string())?;
        if !same_bits(&again, k) {
            return Err(format!("{} threads give different bits than one", engine.threads()));
        }
    }
    Ok(())
}

fn same_bits(a: &Dense, b: &Dense) -> bool {
    a.values().iter().zip(b.values()).all(|(x, y)| x.to_bits() == y.to_bits())
}

/// The expression and the fitted kernel both print texts that parse back to them.
fn printed(case: &Case, kernel: &Boxed<mercer::data::Dataset>, k: &Dense) -> Outcome {
    let text = case.expression.to_string();
    let again: Expression = text.parse().map_err(|e| format!("'{text}' does not parse: {e}"))?;
    if again != case.expression {
        return Err(format!("'{text}' parses to '{again}'"));
    }
    let text = kernel.to_string();
    let again: Expression = text.parse().map_err(|e| format!("fitted, it prints '{text}': {e}"))?;
    let other = engine().gram(&fit(&again, case, engine())?, &case.data).map_err(|e| e.to_string())?;
    if !same_bits(&other, k) {
        return Err(format!("fitted, it prints '{text}', which is another kernel"));
    }
    Ok(())
}

/// The tolerance of a value: some units of rounding of √(K_ii·K_jj) and of subtracted intermediate values.
pub(crate) struct Tolerance {
    diagonal: Vec<f64>,
    floor: f64,
    /// The error of one coordinate, for similarities that are inner products of computed coordinates.
    coordinate: f64,
}

impl Tolerance {
    pub(crate) fn new(
        case: &Case,
        kernel: &Boxed<mercer::data::Dataset>,
        steps: &[Step],
        k: &Dense,
    ) -> Result<Self, String> {
        let diagonal: Vec<f64> = (0..k.rows()).map(|i| k.at(i, i)).collect();
        let (mut floor, mut coordinate) = (1e-300, 0.0);
        // Indefinite similarities are not bounded by self-similarities.
        if kernel.definiteness() == Definiteness::Indefinite {
            floor = RELATIVE * k.values().iter().fold(1.0f64, |a, b| a.max(b.abs()));
        }
        if let Expression::Call(call) = &case.expression
            && let Some(inner) = call.inner.first()
        {
            let name = call.entry.facts.name;
            if name == "exponential" || call.settings.iter().any(|s| s.word() == Some("diffuse")) {
                // Eigenvalues are accurate relative to the largest one, and so are their exponentials.
                floor += 1e-9 * k.values().iter().fold(0.0f64, |a, b| a.max(b.abs()));
            }
            if name == "similarity" {
                // Rounding of distances divided by small standard deviations, and of a covariance's square root.
                floor += 1e-9 * k.values().iter().fold(1.0f64, |a, b| a.max(b.abs()));
            }
            let ungrouped = match &call.columns {
                Some(columns) => Expression::Group(Box::new(inner.clone()), columns.clone()),
                None => inner.clone(),
            };
            if ["center", "rbf-of", "repair", "walk"].contains(&name) && !kernel.is_transductive() {
                let inner = fit(&ungrouped, case, engine())?;
                let inner = engine().gram(&inner, &case.data).map_err(|e| e.to_string())?;
                let scale = inner.values().iter().fold(0.0f64, |a, b| a.max(b.abs()));
                match name {
                    "center" => floor += 16.0 * f64::EPSILON * scale,
                    "rbf-of" => {
                        let gamma = call.settings[0].number().unwrap_or(1.0);
                        floor += 64.0 * f64::EPSILON * gamma * scale;
                    }
                    "walk" => {
                        // Coordinates are products of similarities with vectors of at most this norm.
                        if let Some(Step::Walk { passage: Some(passage), .. }) = steps.last() {
                            let (n, _, negative, weight) = passage.parts();
                            let longest = weight * scale * (n as f64).sqrt();
                            coordinate = 16.0 * f64::EPSILON * n as f64 * longest;
                            // With negative eigenvalues norms cancel, so self-similarities do not bound them.
                            floor += if negative > 0 { 2.0 * coordinate * longest } else { 0.0 };
                        }
                    }
                    _ => coordinate = Self::of_repair(call, &inner, case.train, scale)?,
                }
            }
        }
        Ok(Tolerance { diagonal, floor, coordinate })
    }

    /// Coordinates of repaired objects are k_x U diag(√f(λ)/λ): the rounding of k_x grows by √f(λ)/λ.
    fn of_repair(
        call: &mercer::expression::Call,
        inner: &Dense,
        train: usize,
        scale: f64,
    ) -> Result<f64, String> {
        let method = match (call.settings[0].word(), call.settings[1].number()) {
            (Some("clip"), _) => Method::Clip,
            (Some("flip"), _) => Method::Flip,
            (Some("diffuse"), Some(beta)) => Method::Diffuse { beta },
            _ => Method::Shift,
        };
        let old: Vec<usize> = (0..train).collect();
        let repair = Repair::fit(&block(inner, &old, &old), method).map_err(|e| e.to_string())?;
        Ok(match repair.extension() {
            Extension::Project { values, mapped, identity: false, .. } => {
                let grown = values.iter().zip(mapped).map(|(v, f)| f.sqrt() / v.abs());
                let grown = grown.map(|g| g * g).sum::<f64>().sqrt();
                8.0 * f64::EPSILON * train as f64 * scale * grown
            }
            _ => 0.0,
        })
    }

    pub(crate) fn of(&self, i: usize, j: usize) -> f64 {
        let (a, b) = (self.diagonal[i].abs().sqrt(), self.diagonal[j].abs().sqrt());
        RELATIVE * a * b + self.floor + self.coordinate * (a + b + self.coordinate)
    }

    pub(crate) fn near(&self, what: &str, got: f64, want: f64, i: usize, j: usize) -> Outcome {
        if (got - want).abs() <= self.of(i, j) {
            return Ok(());
        }
        Err(format!("{what}, entry ({i}, {j}) is {got:e}, not {want:e} ± {:e}", self.of(i, j)))
    }

    fn same(&self, what: &str, got: &Dense, want: &Dense, rows: &[usize], cols: &[usize]) -> Outcome {
        if (got.rows(), got.cols()) != (rows.len(), cols.len()) {
            return Err(format!("{what}: {} × {}", got.rows(), got.cols()));
        }
        for (a, &i) in rows.iter().enumerate() {
            for (b, &j) in cols.iter().enumerate() {
                self.near(what, got.at(a, b), want.at(a, b), i, j)?;
            }
        }
        Ok(())
    }
}

/// Overflow is refused with its error code, not returned as infinity.
#[test]
fn overflow_is_refused() {
    let data = crate::support::dense_data(&Dense::from_rows(&[[1e9], [2e9]]));
    let kernel = crate::support::fit("polynomial(degree=64)", &data).kernel;
    assert_eq!(engine().gram(&kernel, &data).unwrap_err().code(), Code::Overflow);
}
