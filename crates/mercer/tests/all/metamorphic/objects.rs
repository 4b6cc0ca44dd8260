//! Permuted, repeated and added objects.

use mercer::expression::{Expression, entries};

use super::{Made, Tally, leaves, make, may_round, seeds};
use crate::generate::{Case, Random};
use crate::laws::{depends_on_order, fit_case};
use crate::support::engine;

/// Runs a law over generated cases of every entry.
fn over_registry(
    tally: &mut Tally,
    law: impl Fn(&Made, &mut Tally, &mut Random, bool) -> Result<(), String>,
) {
    for entry in entries() {
        let may_round = may_round(entry);
        for seed in 0..seeds(10, 120) {
            // Sometimes more objects than a tile has.
            let n = if seed % 60 == 59 { 270 } else { 2 + seed as usize % 13 };
            match make(entry, n, seed) {
                Ok(made) => {
                    let outcome = law(&made, tally, &mut Random::new(seed ^ 9), may_round);
                    tally.went(&made.case, seed, outcome);
                }
                Err(refused) => tally.went(&refused.0, seed, Err(refused.1)),
            }
        }
    }
}

/// Permuted objects give the permuted matrix.
#[test]
fn permutations_permute_the_matrix() {
    let mut tally = Tally::default();
    over_registry(&mut tally, |made, tally, random, may_round| {
        let Made { case, kernel, k, tolerance } = made;
        let order = random.permutation(k.rows());
        let moved = engine().gram(kernel, &case.data.select(&order)).map_err(|e| e.to_string())?;
        for (a, &i) in order.iter().enumerate() {
            for (b, &j) in order.iter().enumerate() {
                // With more copies than in training, their order determines which is identified with which.
                if i != j && depends_on_order(case, i, j) {
                    continue;
                }
                let entry = entry_of(made);
                tally
                    .value(entry, moved.at(a, b), k.at(i, j), tolerance.of(i, j), may_round)
                    .map_err(|e| format!("({i}, {j}) moved to ({a}, {b}): {e}"))?;
            }
        }
        Ok(())
    });
    tally.end("metamorphic", "permuted objects", "objects::permutations_permute_the_matrix");
}

/// A repeated object has two equal rows and columns.
#[test]
fn copies_have_equal_rows() {
    let mut tally = Tally::default();
    over_registry(&mut tally, |made, tally, random, may_round| {
        let Made { case, kernel, tolerance, .. } = made;
        let n = case.data.len();
        let twin = random.below(n);
        let order: Vec<usize> = (0..n).chain([twin]).collect();
        let k = engine().gram(kernel, &case.data.select(&order)).map_err(|e| e.to_string())?;
        // Shifting self-similarities treats a copy as another object.
        let shifts = case.expression.to_string().contains("method=shift");
        let entry = entry_of(made);
        for j in 0..n {
            let told_apart = depends_on_order(case, twin, j);
            if (j != twin || !shifts) && !told_apart {
                let copy = k.at(n, j);
                tally
                    .value(entry, copy, k.at(twin, j), tolerance.of(twin, j), may_round)
                    .map_err(|e| format!("row {twin} and its copy differ at {j}: {e}"))?;
            }
        }
        tally
            .value(entry, k.at(n, n), k.at(twin, twin), tolerance.of(twin, twin), may_round)
            .map_err(|e| format!("self-similarities of {twin} and its copy: {e}"))
    });
    tally.end("metamorphic", "copied objects", "objects::copies_have_equal_rows");
}

/// Other objects change nothing: the block of the training objects equals that of the training objects alone, and the
/// similarities of a new object are the same when it comes alone.
#[test]
fn other_objects_change_nothing() {
    let mut tally = Tally::default();
    over_registry(&mut tally, |made, tally, random, may_round| {
        let Made { case, kernel, k, tolerance } = made;
        let (n, train) = (case.data.len(), case.train);
        let training = case.data.select(&(0..train).collect::<Vec<_>>());
        let entry = entry_of(made);
        let alone = engine().gram(kernel, &training).map_err(|e| e.to_string())?;
        for i in 0..train {
            for j in 0..train {
                tally
                    .value(entry, alone.at(i, j), k.at(i, j), tolerance.of(i, j), may_round)
                    .map_err(|e| format!("training objects {i} and {j}: {e}"))?;
            }
        }
        if train < n {
            let i = train + random.below(n - train);
            let row =
                engine().cross(kernel, &case.data.select(&[i]), &training).map_err(|e| e.to_string())?;
            for j in (0..train).filter(|&j| !depends_on_order(case, i, j)) {
                tally
                    .value(entry, row.at(0, j), k.at(i, j), tolerance.of(i, j), may_round)
                    .map_err(|e| format!("new object {i} alone vs. {j}: {e}"))?;
            }
        }
        Ok(())
    });
    tally.end("stability", "added objects", "objects::other_objects_change_nothing");
}

/// Random numbers per coordinate depend on its position.
const BY_POSITION: [&str; 2] = ["fourier", "tensor-sketch"];

/// Permuted columns change only rounding, because coordinates are summed in order.
#[test]
fn columns_may_be_in_any_order() {
    let mut tally = Tally::default();
    for entry in leaves().filter(|e| !BY_POSITION.contains(&e.facts.name)) {
        for seed in 0..seeds(10, 120) {
            let (mut made, n) = match make(entry, 2 + seed as usize % 13, seed) {
                Ok(made) => (made, 2 + seed as usize % 13),
                Err(refused) => {
                    tally.went(&refused.0, seed, Err(refused.1));
                    continue;
                }
            };
            let columns = made.case.data.columns().to_vec();
            let order = Random::new(seed).permutation(columns.len());
            if columns.len() < 2 {
                continue;
            }
            let moved = order.iter().map(|at| columns[*at].clone()).collect();
            let moved = made.case.data.with_columns(moved).unwrap();
            // Without names a kernel takes the columns in their order.
            if let Expression::Call(call) = &mut made.case.expression {
                call.columns = None;
            }
            // Fitted to the same training objects.
            let (expression, train) = (made.case.expression.clone(), made.case.train);
            let other = Case { expression, data: moved, train };
            let again = fit_case(&other.expression, &other, engine())
                .and_then(|fitted| engine().gram(&fitted.kernel, &other.data).map_err(|e| e.to_string()));
            let outcome = again.and_then(|k| {
                for i in 0..n {
                    for j in 0..n {
                        let tolerance = 10.0 * made.tolerance.of(i, j);
                        tally
                            .value(entry, k.at(i, j), made.k.at(i, j), tolerance, true)
                            .map_err(|e| format!("({i}, {j}): {e}"))?;
                    }
                }
                Ok(())
            });
            tally.went(&made.case, seed, outcome);
        }
    }
    tally.end("metamorphic", "columns in another order", "objects::columns_may_be_in_any_order");
}

/// The entry of a case.
fn entry_of(made: &Made) -> &'static mercer::expression::Entry {
    match &made.case.expression {
        Expression::Call(call) => call.entry,
        other => panic!("{other} is not a call"),
    }
}
