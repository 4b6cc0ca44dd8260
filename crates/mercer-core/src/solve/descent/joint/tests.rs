use super::super::{Explicit, Loss, Task, descend};
use super::*;
use crate::budget::Budget;
use crate::data::{Dense, Sparse};

/// Noisy points around `classes` directions of the plane, with their classes and different costs.
fn sample(n: usize, classes: usize) -> (Vectors, Vec<usize>, Vec<f64>) {
    let mut random = Random::new(5);
    let codes: Vec<usize> = (0..n).map(|k| k % classes).collect();
    let rows: Vec<[f64; 3]> = codes
        .iter()
        .map(|&c| {
            let angle = std::f64::consts::TAU * c as f64 / classes as f64;
            [angle.cos() + 0.6 * random.normal(), angle.sin() + 0.6 * random.normal(), random.normal()]
        })
        .collect();
    let costs = (0..n).map(|k| if k % 7 == 0 { 0.0 } else { 0.5 + (k % 4) as f64 }).collect();
    (Dense::from_rows(&rows).into(), codes, costs)
}

fn problem<'a>(x: &'a Vectors, codes: &'a [usize], classes: usize, costs: &'a [f64]) -> Joint<'a> {
    Joint { vectors: x.into(), bias: 1.5, codes, classes, costs, epochs: 100_000, seed: 3 }
}

fn tight() -> Limits {
    Limits { tolerance: 1e-9, ..Limits::default() }
}

/// ½Σ|w_m|² + Σ C·ξ from the definition, where the constant feature has the weight intercept / bias.
fn primal(p: &Joint<'_>, weights: &[Vec<f64>], intercepts: &[f64]) -> f64 {
    let FeatureRows::Vectors(x) = p.vectors else { panic!() };
    let x = x.to_dense();
    let mut total: f64 = weights.iter().flatten().map(|w| 0.5 * w * w).sum();
    total += intercepts.iter().map(|b| 0.5 * (b / p.bias).powi(2)).sum::<f64>();
    for k in 0..x.rows() {
        let value =
            |m: usize| x.row(k).iter().zip(&weights[m]).map(|(v, w)| v * w).sum::<f64>() + intercepts[m];
        let own = p.codes[k];
        let rivals = (0..p.classes).filter(|m| *m != own).map(|m| 1.0 + value(m) - value(own));
        total += p.costs[k] * rivals.fold(0.0, f64::max);
    }
    total
}

#[test]
fn the_certificate_bounds_the_objective_of_the_definition() {
    for classes in [2, 3, 5] {
        let (x, codes, costs) = sample(90, classes);
        let p = problem(&x, &codes, classes, &costs);
        let fitted = descend_jointly(&p, &tight()).unwrap();
        let d = &fitted.duality;
        assert!(d.is_converged(), "{d:?}");
        let defined = primal(&p, &fitted.weights, &fitted.intercepts);
        assert!((d.primal - defined).abs() <= 1e-9 * defined, "{} {defined}", d.primal);
        assert!((d.primal - d.dual).abs() <= 1e-8 * defined && d.gap <= 1e-9);
        // No other weights are better.
        let mut random = Random::new(1);
        for size in [1e-1, 1e-3, 1e-5] {
            for _ in 0..50 {
                let mut moved = fitted.clone();
                moved.weights.iter_mut().flatten().for_each(|w| *w += size * random.normal());
                moved.intercepts.iter_mut().for_each(|w| *w += size * random.normal());
                assert!(primal(&p, &moved.weights, &moved.intercepts) >= d.dual - 1e-9 * defined);
            }
        }
    }
}

#[test]
fn two_classes_are_the_binary_problem_with_twice_the_costs() {
    let (x, codes, costs) = sample(60, 2);
    let joint = descend_jointly(&problem(&x, &codes, 2, &costs), &tight()).unwrap();
    let targets: Vec<f64> = codes.iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect();
    let twice: Vec<f64> = costs.iter().map(|c| 2.0 * c).collect();
    let (task, loss) = (Task::Sides, Loss::Absolute);
    let vectors = (&x).into();
    let binary = Explicit {
        vectors,
        bias: 1.5,
        targets: &targets,
        costs: &twice,
        task,
        loss,
        epochs: 100_000,
        seed: 3,
    };
    let binary = descend(&binary, &tight()).unwrap();
    assert!(binary.duality.is_converged() && joint.duality.is_converged());
    for (f, w) in binary.weights.iter().enumerate() {
        assert!((joint.weights[1][f] - joint.weights[0][f] - w).abs() < 1e-6);
        assert!((joint.weights[1][f] + joint.weights[0][f]).abs() < 1e-9);
    }
    assert!((joint.intercepts[1] - joint.intercepts[0] - binary.intercept).abs() < 1e-6);
    assert!((2.0 * joint.duality.primal - binary.duality.primal).abs() < 1e-6 * binary.duality.primal);
}

#[test]
fn sparse_and_single_rows_and_shrinking_give_the_same_solution() {
    let (x, codes, costs) = sample(90, 4);
    let plain = x.to_dense();
    let row = |i| plain.row(i).iter().enumerate().map(|(f, v)| (f as u32, *v)).collect::<Vec<_>>();
    let sparse = Vectors::Sparse(Sparse::from_rows(3, &(0..90).map(row).collect::<Vec<_>>()).unwrap());
    let a = descend_jointly(&problem(&x, &codes, 4, &costs), &tight()).unwrap();
    let b = descend_jointly(&problem(&sparse, &codes, 4, &costs), &tight()).unwrap();
    let whole = Limits { shrinking: false, ..tight() };
    let c = descend_jointly(&problem(&x, &codes, 4, &costs), &whole).unwrap();
    let single = Dense::new(90, 3, plain.values().iter().map(|&v| v as f32).collect()).unwrap();
    let rounded = problem(&x, &codes, 4, &costs);
    let d = descend_jointly(&Joint { vectors: FeatureRows::Single(&single), ..rounded }, &tight()).unwrap();
    for (other, close) in [(&b, 1e-6), (&c, 1e-6), (&d, 1e-4)] {
        assert!(other.duality.is_converged());
        for (v, w) in a.weights.iter().flatten().zip(other.weights.iter().flatten()) {
            assert!((v - w).abs() < close, "{v} {w}");
        }
    }
}

#[test]
fn objects_without_features_and_without_costs_are_no_obstacle() {
    let x = Vectors::from(Dense::from_rows(&[[0.0], [0.0], [1.0], [-1.0]]));
    let mut p = problem(&x, &[0, 1, 1, 2], 3, &[1.0; 4]);
    p.bias = 0.0;
    let fitted = descend_jointly(&p, &tight()).unwrap();
    assert!(fitted.duality.is_converged());
    // The two zero rows cost 1 each, whatever the weights.
    assert!(fitted.duality.dual > 2.0 - 1e-9);
    let free = problem(&x, &[0, 1, 1, 2], 3, &[0.0; 4]);
    let fitted = descend_jointly(&free, &tight()).unwrap();
    assert!(fitted.duality.is_converged() && fitted.weights.iter().flatten().all(|w| *w == 0.0));
}

#[test]
fn limits_and_invalid_problems() {
    let (x, codes, costs) = sample(90, 3);
    let p = problem(&x, &codes, 3, &costs);
    let few = descend_jointly(&Joint { epochs: 2, ..p.clone() }, &tight()).unwrap();
    assert!(!few.duality.is_converged() && few.duality.epochs <= 15);
    assert!(few.duality.dual <= few.duality.primal);
    let budget = Budget::default();
    budget.stop();
    let stopped = descend_jointly(&p, &Limits { budget, ..tight() }).unwrap();
    assert_eq!(stopped.duality.stop, Stop::Interrupted);
    assert!(descend_jointly(&Joint { classes: 2, ..p.clone() }, &tight()).is_err());
    assert!(descend_jointly(&Joint { classes: 1, codes: &[0; 90], ..p.clone() }, &tight()).is_err());
    assert!(descend_jointly(&Joint { codes: &codes[1..], ..p.clone() }, &tight()).is_err());
    assert!(descend_jointly(&Joint { costs: &[-1.0; 90], ..p.clone() }, &tight()).is_err());
    assert!(descend_jointly(&Joint { bias: f64::NAN, ..p.clone() }, &tight()).is_err());
}
