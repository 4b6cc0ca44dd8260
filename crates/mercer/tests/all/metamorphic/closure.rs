//! Properties preserved by sums, products, multiples and normalisation.

use mercer::data::{Categories, Column, Dataset, Dense, Values};
use mercer::expression::{Call, Expression, find};
use mercer::gram::eigenvalues;
use mercer::kernel::{Definiteness, Kernel};
use serde_json::json;

use super::{Tally, gram, leaves, seeds};
use crate::generate::{Random, case};
use crate::support::{dataset, engine, parse};
use crate::trust;

/// Positive semidefinite kernels on several types of columns.
const PARTS: [&str; 14] = [
    "linear@x",
    "rbf(gamma=0.7)@x",
    "laplacian(gamma=0.4)@x",
    "cosine@x",
    "polynomial(degree=3, c=0.5)@x",
    "delta@c",
    "hamming@c",
    "diffusion(beta=0.3)@c",
    "spectrum(k=2)@s",
    "subsequence(k=2, decay=0.6)@s",
    "mismatch(k=3, m=1)@s",
    "normalize(full-spectrum@s)",
    "alignment-diffusion(beta=0.1)@s",
    "ones",
];

fn records(n: usize, random: &mut Random) -> Dataset {
    let x = Dense::new(n, 3, (0..3 * n).map(|_| random.between(-2.0, 2.0)).collect()).unwrap();
    let c: Vec<_> = (0..n).map(|_| Some(*random.pick(&["red", "green", "blue"]))).collect();
    let word = |r: &mut Random| (0..r.below(12)).map(|_| *r.pick(&["A", "C", "G", "T"])).collect::<String>();
    let s = (0..n).map(|_| Some(word(random))).collect();
    dataset(vec![
        Column::new("x", Values::Numbers(x)),
        Column::new("c", Values::Categories(Categories::from_values(c))),
        Column::new("s", Values::Strings(s)),
    ])
}

/// A nested sum, product or multiple of such kernels.
fn grown(depth: usize, random: &mut Random) -> Expression {
    if depth == 0 {
        return parse(PARTS[random.below(PARTS.len())]);
    }
    let parts = |random: &mut Random| (0..2 + random.below(2)).map(|_| grown(depth - 1, random)).collect();
    match random.below(4) {
        0 | 1 => Expression::Sum(parts(random)),
        2 => Expression::Product(parts(random)),
        _ => Expression::Scale(
            10f64.powf(random.between(-2.0, 2.0)).into(),
            Box::new(grown(depth - 1, random)),
        ),
    }
}

/// The smallest eigenvalue relative to the largest.
fn least_share(k: &Dense) -> f64 {
    let values = eigenvalues(k).unwrap();
    let largest = values[values.len() - 1];
    if largest > 0.0 { values[0] / largest } else { values[0] }
}

#[test]
fn sums_and_products_stay_positive_semidefinite() {
    let (mut cases, mut least) = (0, f64::INFINITY);
    for seed in 0..seeds(60, 1500) {
        let mut random = Random::new(seed);
        let data = records(2 + random.below(24), &mut random);
        // Printed and parsed again, so that groups have the form of the language.
        let expression = parse(&grown(1 + random.below(3), &mut random).to_string());
        let fitted = expression.fit(&data, engine()).unwrap_or_else(|e| panic!("{expression}: {e}"));
        assert_eq!(fitted.kernel.definiteness(), Definiteness::PositiveSemidefinite, "{expression}");
        let k = engine().gram(&fitted.kernel, &data).unwrap_or_else(|e| panic!("{expression}: {e}"));
        let share = least_share(&k);
        assert!(share >= -1e-8, "seed {seed}: {expression}: smallest eigenvalue {share:e} of the largest");
        (cases, least) = (cases + 1, least.min(share));
    }
    let figures = json!({
        "law": "sums, products and multiples", "cases": cases, "kernels": PARTS.len(),
        "smallest_eigenvalue": least, "bound": -1e-8,
    });
    trust::measured("psd", "metamorphic::closure::sums_and_products_stay_positive_semidefinite", &figures);
}

/// Every kernel that is declared positive semidefinite with these parameters has no negative eigenvalue beyond rounding.
#[test]
fn declared_kernels_are_positive_semidefinite() {
    let (mut cases, mut least) = (0, f64::INFINITY);
    let mut kernels = std::collections::BTreeSet::new();
    for entry in leaves() {
        for seed in 0..seeds(15, 200) {
            let made = case(entry, 3 + seed as usize % 20, seed ^ 0x51).unwrap();
            let fitted = made.expression.fit(&made.data, engine()).unwrap();
            if fitted.kernel.definiteness() != Definiteness::PositiveSemidefinite {
                continue;
            }
            // Overflow that is reported.
            let Ok(k) = engine().gram(&fitted.kernel, &made.data) else { continue };
            let share = least_share(&k);
            assert!(share >= -1e-8, "seed {seed}: {}: {share:e}", made.expression);
            (cases, least) = (cases + 1, least.min(share));
            kernels.insert(entry.facts.name);
        }
    }
    assert!(kernels.len() > 40, "{kernels:?}");
    let figures = json!({
        "law": "declared so", "cases": cases, "kernels": kernels.len(),
        "smallest_eigenvalue": least, "bound": -1e-8,
    });
    trust::measured("psd", "metamorphic::closure::declared_kernels_are_positive_semidefinite", &figures);
}

pub(crate) fn normalised(inner: Expression) -> Expression {
    Expression::Call(Call {
        entry: find("normalize").unwrap(),
        inner: vec![inner],
        settings: vec![],
        columns: None,
    })
}

/// A normalised kernel has 1 on its diagonal, or 0 for a zero object, and no larger value off it.
#[test]
fn normalised_diagonals_are_one_or_zero() {
    let mut tally = Tally::default();
    for entry in leaves() {
        for seed in 0..seeds(10, 120) {
            let made = case(entry, 2 + seed as usize % 12, seed ^ 0x77).unwrap();
            let plain = match gram(&made.expression, &made.data) {
                Ok(plain) => plain,
                Err(fault) => {
                    tally.went(&made, seed, Err(fault));
                    continue;
                }
            };
            if (0..plain.rows()).any(|i| plain.at(i, i) < -1e-9) {
                let refused = gram(&normalised(made.expression.clone()), &made.data)
                    .err()
                    .is_some_and(|fault| fault.contains("negative self-similarity"));
                let outcome = if refused {
                    Ok(())
                } else {
                    Err("normalised in spite of negative self-similarities".to_owned())
                };
                tally.went(&made, seed, outcome);
                continue;
            }
            // A distance has no norms to divide by: all of its self-similarities are 0.
            let declared = made.expression.fit(&made.data, engine()).unwrap().kernel.definiteness();
            let outcome = gram(&normalised(made.expression.clone()), &made.data).and_then(|k| {
                for i in 0..k.rows() {
                    let want = f64::from(u8::from(plain.at(i, i) > 0.0));
                    tally.value(entry, k.at(i, i), want, 0.0, false)?;
                    for j in 0..k.rows() {
                        let bounded =
                            declared != Definiteness::PositiveSemidefinite || k.at(i, j).abs() <= 1.0 + 1e-12;
                        if !bounded || want == 0.0 && k.at(i, j) != 0.0 {
                            return Err(format!("({i}, {j}) is {:e}", k.at(i, j)));
                        }
                    }
                }
                Ok(())
            });
            tally.went(&made, seed, outcome);
        }
    }
    tally.end("metamorphic", "normalised diagonals", "closure::normalised_diagonals_are_one_or_zero");
}
