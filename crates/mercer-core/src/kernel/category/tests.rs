//! Compares kernels on records with direct sums, products and matrix exponentials.

use super::*;
use crate::data::{Categories, Dense};
use crate::error::{Code, Error};
use crate::gram::Engine;
use crate::kernel::Kernel;
use crate::random::Random;

type Rows = Vec<Vec<Option<&'static str>>>;

const NAMES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

fn columns(rows: &Rows) -> Vec<Categories> {
    (0..rows.first().map_or(0, Vec::len))
        .map(|j| Categories::from_values(rows.iter().map(|r| r[j])))
        .collect()
}

fn random_rows(n: usize, d: usize, gaps: bool, seed: u64) -> Rows {
    let mut random = Random::new(seed);
    let mut value = |j: usize| (!gaps || random.below(5) > 0).then(|| NAMES[random.below(2 + j % 6)]);
    (0..n).map(|_| (0..d).map(&mut value).collect()).collect()
}

fn naive(
    rows: &Rows,
    other: &Rows,
    missing: Missing,
    count: impl Fn(usize, bool) -> f64,
    add: bool,
) -> Dense {
    let mut k = Dense::zeros(rows.len(), other.len());
    for (i, x) in rows.iter().enumerate() {
        for (j, y) in other.iter().enumerate() {
            let each = (0..x.len()).map(|a| {
                let differ = x[a] != y[a] || (x[a].is_none() && missing == Missing::Differs);
                count(a, differ)
            });
            k.row_mut(i)[j] = if add { each.sum() } else { each.product() };
        }
    }
    k
}

fn close(a: &Dense, b: &Dense) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    for (x, y) in a.values().iter().zip(b.values()) {
        assert!((x - y).abs() <= 1e-13 * y.abs().max(1e-13), "{x} {y}");
    }
}

#[test]
fn values_are_those_of_the_formula() {
    let engine = Engine::new();
    for (n, d, gaps) in [(1, 1, false), (40, 22, true), (37, 61, false), (9, 3, true)] {
        let (old, new) = (random_rows(n, d, gaps, 3), random_rows(17, d, gaps, 4));
        let (x, y) = (columns(&old), columns(&new));
        for missing in [Missing::Own, Missing::Differs] {
            let k = Diffusion::new(0.3, Vec::new()).unwrap().with_missing(missing).sized(&x);
            let size = |a: usize| {
                let mut seen: Vec<_> =
                    old.iter().map(|r| r[a]).filter(|v| v.is_some() || missing == Missing::Own).collect();
                seen.sort();
                seen.dedup();
                seen.len()
            };
            let factor = |a: usize, differ: bool| {
                let (a, b) = (size(a).max(2) as f64, 0.3f64);
                if differ { (1.0 - (-a * b).exp()) / (1.0 + (a - 1.0) * (-a * b).exp()) } else { 1.0 }
            };
            close(&engine.gram(&k, &x[..]).unwrap(), &naive(&old, &old, missing, factor, false));
            // Different dictionaries, with values in another order and some unseen ones.
            close(&engine.cross(&k, &y[..], &x[..]).unwrap(), &naive(&new, &old, missing, factor, false));
            let cube = Hypercube::new(0.4).unwrap().with_missing(missing);
            let factor = |_, differ| if differ { 0.4f64.tanh() } else { 1.0 };
            close(&engine.cross(&cube, &y[..], &x[..]).unwrap(), &naive(&new, &old, missing, factor, false));
            let hamming = Hamming::new().with_missing(missing);
            let share = |_, differ| if differ { 0.0 } else { 1.0 / d as f64 };
            close(&engine.gram(&hamming, &x[..]).unwrap(), &naive(&old, &old, missing, share, true));
        }
    }
}

#[test]
fn values_are_counted_in_the_fitted_objects_only() {
    let x = columns(&random_rows(30, 6, true, 9));
    assert_eq!(Diffusion::fit(0.5, &x).unwrap().sizes()[0], 3, "two names, and missing");
    // Other objects have more values; the column still has their levels and gaps.
    let one: Vec<Categories> = x.iter().map(|c| c.select(&[0])).collect();
    assert!(one[0].has_gaps() && one[0].levels().len() == 2);
    assert_eq!(Diffusion::fit(0.5, &one).unwrap().sizes(), [1; 6]);
}

/// Exponentiates the product of complete graphs as one graph of all records: the definition, not its closed form.
#[test]
fn diffusion_is_that_of_the_product_graph() {
    let (beta, sizes) = (0.35, [3usize, 2, 4]);
    let records: Vec<[usize; 3]> = (0..24).map(|i| [i % 3, i / 3 % 2, i / 6]).collect();
    let n = records.len();
    let mut walk = Dense::zeros(n, n);
    for i in 0..n {
        for j in 0..n {
            let differ = (0..3).filter(|&a| records[i][a] != records[j][a]).count();
            // A lazy walk of many small steps: I - (β/N)·L.
            let degree: usize = sizes.iter().map(|s| s - 1).sum();
            let step = beta / 1048576.0;
            walk.row_mut(i)[j] = match differ {
                0 => 1.0 - step * degree as f64,
                1 => step,
                _ => 0.0,
            };
        }
    }
    for _ in 0..20 {
        let mut squared = Dense::zeros(n, n);
        for i in 0..n {
            for j in 0..n {
                squared.row_mut(i)[j] = (0..n).map(|l| walk.at(i, l) * walk.at(l, j)).sum();
            }
        }
        walk = squared;
    }
    let x: Vec<Categories> =
        (0..3).map(|a| Categories::from_values(records.iter().map(|r| Some(NAMES[r[a]])))).collect();
    let k = Engine::new().gram(&Diffusion::fit(beta, &x).unwrap(), &x[..]).unwrap();
    for i in 0..n {
        for j in 0..n {
            let want = walk.at(i, j) / walk.at(i, i);
            assert!((k.at(i, j) - want).abs() < 1e-5, "{} {want}", k.at(i, j));
        }
    }
}

#[test]
fn many_values_and_many_rows() {
    // More values than 16 bits hold, in sets with different dictionaries.
    let names: Vec<String> = (0..70_000).map(|i| format!("v{i}")).collect();
    let x = [Categories::from_values(names.iter().map(|s| Some(s.as_str())))];
    let y = [Categories::from_values([Some("v69999"), Some("v3"), Some("new"), Some("new"), None])];
    let k = Hamming::new();
    let (a, b) = (k.prepare(&x).unwrap(), k.prepare(&y).unwrap());
    let cross: Dense = Engine::new().cross_of(&k, &a, &b).unwrap();
    let ones: Vec<(usize, usize)> = (0..70_000)
        .flat_map(|i| (0..5).map(move |j| (i, j)))
        .filter(|&(i, j)| cross.at(i, j) == 1.0)
        .collect();
    assert_eq!(ones, [(3, 1), (69_999, 0)]);
    let own = Engine::new().gram(&k, &y[..]).unwrap();
    assert_eq!((own.at(2, 3), own.at(3, 4), own.at(4, 4)), (1.0, 0.0, 1.0));
}

#[test]
fn missing_values_are_treated_as_configured() {
    let x = [Categories::from_values([Some("a"), None, None])];
    let engine = Engine::new();
    let gram = |m| engine.gram(&Diffusion::new(0.2, vec![3]).unwrap().with_missing(m), &x[..]);
    let r = Diffusion::factor(3, 0.2);
    let own = gram(Missing::Own).unwrap();
    assert_eq!((own.at(0, 1), own.at(1, 2), own.at(1, 1)), (r, 1.0, 1.0));
    let differs = gram(Missing::Differs).unwrap();
    assert_eq!((differs.at(0, 1), differs.at(1, 2), differs.at(1, 1), differs.at(0, 0)), (r, r, r, 1.0));
    assert!(matches!(gram(Missing::Refuse), Err(Error::Missing { index: 1, .. })));
}

#[test]
fn empty_and_extreme_inputs() {
    for beta in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(Diffusion::new(beta, vec![]).unwrap_err().code(), Code::Param);
        assert_eq!(Hypercube::new(beta).unwrap_err().code(), Code::Param);
    }
    let none: [Categories; 0] = [];
    assert_eq!(Engine::new().gram(&Hamming::new(), &none[..]).unwrap().rows(), 0);
    let empty = [Categories::default()];
    assert_eq!(Engine::new().gram(&Diffusion::fit(1.0, &empty).unwrap(), &empty[..]).unwrap().rows(), 0);
    let uneven = [Categories::from_values([Some("a")]), Categories::default()];
    assert_eq!(Hamming::new().prepare(&uneven).unwrap_err().code(), Code::GramShape);
    let k = Diffusion::fit(1.0, &uneven).unwrap();
    assert!(matches!(k.prepare(&uneven[..1]), Err(Error::Dimension { expected: 2, found: 1 })));
    // Large beta: all similarities are 1, never above; small beta: e^(-aβ) near 1 stays accurate.
    assert_eq!(Diffusion::factor(5, 1e3), 1.0);
    assert!((Diffusion::factor(2, 1e-9) - 1e-9).abs() < 1e-24);
}
