use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::budget::Budget;
use crate::data::{Dense, Sparse};

const TASKS: [Task; 2] = [Task::Sides, Task::Numbers { epsilon: 0.1 }];
const LOSSES: [Loss; 2] = [Loss::Absolute, Loss::Squared];

fn tight() -> Limits {
    Limits { tolerance: 1e-9, ..Limits::default() }
}

fn dense(rows: usize, cols: usize, seed: u64) -> Vectors {
    let mut random = Random::new(seed);
    let values = (0..rows * cols).map(|_| (random.bits() >> 11) as f64 / (1u64 << 52) as f64 - 1.0).collect();
    Dense::new(rows, cols, values).unwrap().into()
}

fn sparse(x: &Vectors) -> Vectors {
    let x = x.to_dense();
    let row = |i| {
        x.row(i).iter().enumerate().filter(|e| *e.1 != 0.0).map(|(f, v)| (f as u32, *v)).collect::<Vec<_>>()
    };
    Sparse::from_rows(x.cols(), &(0..x.rows()).map(row).collect::<Vec<_>>()).unwrap().into()
}

/// Noisy classes or numbers from a hidden linear function.
fn targets(x: &Vectors, task: Task) -> Vec<f64> {
    let x = x.to_dense();
    (0..x.rows())
        .map(|i| {
            let m = x.row(i).iter().enumerate().map(|(f, v)| v * (f as f64 - 0.7)).sum::<f64>() + 0.2;
            let noisy = if i % 5 == 0 { -m } else { m };
            if task == Task::Sides { if noisy > 0.0 { 1.0 } else { -1.0 } } else { noisy }
        })
        .collect()
}

fn explicit<'a>(
    vectors: &'a Vectors,
    targets: &'a [f64],
    costs: &'a [f64],
    task: Task,
    loss: Loss,
) -> Explicit<'a> {
    Explicit { vectors: vectors.into(), bias: 1.0, targets, costs, task, loss, epochs: 100_000, seed: 7 }
}

/// The largest dual objective, by projected proximal gradients on the full matrix.
fn brute_force(p: &Explicit<'_>) -> f64 {
    let FeatureRows::Vectors(x) = p.vectors else { panic!() };
    let x = x.to_dense();
    let n = x.rows();
    let product =
        |i: usize, j: usize| x.row(i).iter().zip(x.row(j)).map(|(a, b)| a * b).sum::<f64>() + p.bias * p.bias;
    let squared = p.loss == Loss::Squared;
    let entry = |i, j| product(i, j) + if squared && i == j { 0.5 / p.costs[i] } else { 0.0 };
    let q: Vec<Vec<f64>> = (0..n).map(|i| (0..n).map(|j| entry(i, j)).collect()).collect();
    let step = 1.0 / (0..n).map(|i| q[i][i]).sum::<f64>();
    let epsilon = if let Task::Numbers { epsilon } = p.task { epsilon } else { 0.0 };
    let mut beta = vec![0.0f64; n];
    let slopes = |beta: &[f64]| -> Vec<f64> {
        (0..n).map(|i| q[i].iter().zip(beta).map(|(a, b)| a * b).sum::<f64>() - p.targets[i]).collect()
    };
    for _ in 0..60_000 {
        let slope = slopes(&beta);
        for i in 0..n {
            let z = beta[i] - step * slope[i];
            let z = z.signum() * (z.abs() - step * epsilon).max(0.0);
            let most = if squared { f64::INFINITY } else { p.costs[i] };
            let z = z.clamp(-most, most);
            let sided = p.task == Task::Sides && z * p.targets[i] < 0.0;
            beta[i] = if sided { 0.0 } else { z };
        }
    }
    let slope = slopes(&beta);
    -(0..n).map(|i| 0.5 * beta[i] * (slope[i] - p.targets[i]) + epsilon * beta[i].abs()).sum::<f64>()
}

#[test]
fn the_optimum_equals_that_of_brute_force() {
    for task in TASKS {
        for loss in LOSSES {
            for (seed, cost) in [(1, 0.3), (2, 1.0), (3, 4.0)] {
                let x = dense(12, 2, seed);
                let y = targets(&x, task);
                let costs: Vec<f64> = (0..12).map(|k| cost * (1 + k % 3) as f64).collect();
                let problem = explicit(&x, &y, &costs, task, loss);
                let found = descend(&problem, &tight()).unwrap().duality;
                assert!(found.is_converged(), "{task:?} {loss:?} {found:?}");
                let best = brute_force(&problem);
                assert!((found.dual - best).abs() <= 1e-6 * best, "{task:?} {loss:?}: {} {best}", found.dual);
                assert!((found.primal - best).abs() <= 1e-6 * best);
            }
        }
    }
}

#[test]
fn every_object_satisfies_its_optimality_condition() {
    let x = dense(60, 3, 4);
    for loss in LOSSES {
        let costs = vec![0.5; 60];
        let y = targets(&x, Task::Sides);
        let found = descend(&explicit(&x, &y, &costs, Task::Sides, loss), &tight()).unwrap();
        let rows = x.to_dense();
        for (k, sign) in y.iter().enumerate() {
            let m = rows.row(k).iter().zip(&found.weights).map(|(a, b)| a * b).sum::<f64>() + found.intercept;
            let (alpha, margin) = (sign * found.beta[k], sign * m);
            match loss {
                Loss::Absolute => {
                    assert!((0.0..=0.5).contains(&alpha));
                    assert!(alpha > 0.0 || margin >= 1.0 - 1e-7);
                    assert!(alpha < 0.5 || margin <= 1.0 + 1e-7);
                    assert!(alpha == 0.0 || alpha == 0.5 || (margin - 1.0).abs() <= 1e-7);
                }
                // α = 2C·ξ.
                Loss::Squared => assert!((alpha - (1.0 - margin).max(0.0)).abs() <= 1e-7),
            }
        }
    }
}

/// Enough objects for Newton's method: the minimum is proved to rounding in very few epochs, on any number of threads.
#[test]
fn many_objects_in_few_features() {
    for (cols, present) in [(4, false), (9, true)] {
        let mut x = dense(1500, cols, 12).to_dense();
        if present {
            x.values_mut().iter_mut().for_each(|v| *v = if *v > 0.4 { 0.5 } else { 0.0 });
        }
        let x = Vectors::from(x);
        for task in TASKS {
            let (y, mut costs) = (targets(&x, task), vec![0.7; 1500]);
            costs[3] = 0.0;
            for x in [&x, &sparse(&x)] {
                let problem = explicit(x, &y, &costs, task, Loss::Squared);
                let found = descend(&problem, &tight()).unwrap();
                assert!(found.duality.is_converged() && found.duality.epochs <= 5, "{:?}", found.duality);
                assert_eq!(found.beta[3], 0.0);
                let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
                assert_eq!(pool.install(|| descend(&problem, &tight()).unwrap()).weights, found.weights);
            }
        }
    }
}

#[test]
fn the_widest_margin() {
    // The closest points are (1, 1) and (-1, -1): w = (½, ½), with ½|w|² = ¼.
    let x = Vectors::from(Dense::from_rows(&[[1.0, 1.0], [3.0, 2.0], [-1.0, -1.0], [-2.0, -5.0]]));
    let costs = [100.0; 4];
    let y = [1.0, 1.0, -1.0, -1.0];
    let found = descend(&explicit(&x, &y, &costs, Task::Sides, Loss::Absolute), &tight()).unwrap();
    assert!(found.weights.iter().all(|w| (w - 0.5).abs() < 1e-6), "{found:?}");
    assert!(found.intercept.abs() < 1e-6 && (found.duality.primal - 0.25).abs() < 1e-6);
    assert_eq!((found.beta[1], found.beta[3]), (0.0, 0.0));
}

#[test]
fn sparse_and_dense_rows_agree() {
    let mut x = dense(50, 9, 5).to_dense();
    x.values_mut().iter_mut().enumerate().for_each(|(k, v)| *v = if k % 3 == 0 { *v } else { 0.0 });
    x.row_mut(4).fill(0.0);
    let x = Vectors::from(x);
    let s = sparse(&x);
    for task in TASKS {
        for loss in LOSSES {
            let (y, costs) = (targets(&x, task), vec![1.0; 50]);
            let a = descend(&explicit(&x, &y, &costs, task, loss), &tight()).unwrap();
            let b = descend(&explicit(&s, &y, &costs, task, loss), &tight()).unwrap();
            for (v, w) in a.weights.iter().zip(&b.weights) {
                assert!((v - w).abs() < 1e-6);
            }
            assert!((a.intercept - b.intercept).abs() < 1e-6);
        }
    }
}

#[test]
fn doubling_a_cost_equals_duplicating_the_object() {
    let x = dense(20, 3, 6);
    let twice: Vec<usize> = (0..20).chain(0..10).collect();
    let xx = x.select(&twice);
    for task in TASKS {
        for loss in LOSSES {
            let y = targets(&x, task);
            let yy: Vec<f64> = twice.iter().map(|&i| y[i]).collect();
            let costs: Vec<f64> = (0..20).map(|k| if k < 10 { 1.0 } else { 0.5 }).collect();
            let a = descend(&explicit(&x, &y, &costs, task, loss), &tight()).unwrap();
            let b = descend(&explicit(&xx, &yy, &[0.5; 30], task, loss), &tight()).unwrap();
            assert!((a.duality.primal - b.duality.primal).abs() <= 1e-7 * a.duality.primal);
            assert!(a.weights.iter().zip(&b.weights).all(|(v, w)| (v - w).abs() < 1e-4));
        }
    }
}

#[test]
fn a_seed_is_reproducible_and_shrinking_keeps_the_optimum() {
    let x = dense(80, 4, 8);
    for task in TASKS {
        let (y, costs) = (targets(&x, task), vec![1.0; 80]);
        let problem = explicit(&x, &y, &costs, task, Loss::Absolute);
        let a = descend(&problem, &tight()).unwrap();
        let b = descend(&problem, &tight()).unwrap();
        assert_eq!((&a.weights, &a.beta, a.intercept), (&b.weights, &b.beta, b.intercept));
        let whole = descend(&problem, &Limits { shrinking: false, ..tight() }).unwrap();
        assert!((a.duality.primal - whole.duality.primal).abs() <= 1e-8 * whole.duality.primal);
    }
}

#[test]
fn limits_are_respected_and_reported() {
    let x = dense(50, 3, 9);
    let (y, costs) = (targets(&x, Task::Sides), vec![1e3; 50]);
    let mut problem = explicit(&x, &y, &costs, Task::Sides, Loss::Absolute);
    let stop = |p: &Explicit<'_>, l: &Limits| {
        let d = descend(p, l).unwrap().duality;
        assert!((0.0..=1.0).contains(&d.gap) && d.primal >= d.dual);
        d.stop
    };
    let budget = Budget::default();
    budget.stop();
    assert_eq!(stop(&problem, &Limits { budget, ..tight() }), Stop::Interrupted);
    assert_eq!(stop(&problem, &Limits { time: Some(Duration::ZERO), ..tight() }), Stop::Time);
    assert_eq!(stop(&problem, &Limits { iterations: 2, ..tight() }), Stop::Iterations);
    assert_eq!(stop(&problem, &Limits { tolerance: f64::NAN, iterations: 9, ..tight() }), Stop::Iterations);
    problem.epochs = 3;
    assert_eq!(stop(&problem, &tight()), Stop::Iterations);
}

#[test]
fn unscaled_features_end_at_the_limit() {
    let mut x = dense(100, 3, 10).to_dense();
    (0..100).for_each(|i| x.row_mut(i)[0] = x.row(i)[0] * 1e6);
    (0..100).for_each(|i| x.row_mut(i)[1] *= 1e-3);
    let x = Vectors::from(x);
    for loss in LOSSES {
        let (y, costs) = (targets(&dense(100, 3, 10), Task::Sides), vec![1.0; 100]);
        let problem = Explicit { epochs: 50, ..explicit(&x, &y, &costs, Task::Sides, loss) };
        let d = descend(&problem, &tight()).unwrap().duality;
        assert_eq!(d.stop, Stop::Iterations);
        assert!(d.gap > 1e-9 || d.violation > 1e-9);
    }
}

#[test]
fn rows_of_zeros_and_no_features() {
    for (rows, cols, bias) in [(4, 2, 0.0), (4, 2, 1.0), (4, 0, 0.0), (4, 0, 1.0), (0, 2, 1.0)] {
        for x in [Vectors::from(Dense::zeros(rows, cols)), sparse(&Dense::zeros(rows, cols).into())] {
            for task in TASKS {
                for loss in LOSSES {
                    let y = [1.0, -1.0, 1.0, 1.0];
                    let problem =
                        Explicit { bias, ..explicit(&x, &y[..rows], &[1.0; 4][..rows], task, loss) };
                    let found = descend(&problem, &Limits::default()).unwrap();
                    assert!(found.duality.is_converged(), "{problem:?} {found:?}");
                }
            }
        }
    }
}

#[test]
fn invalid_problems_are_rejected() {
    let x = dense(2, 1, 1);
    let good = explicit(&x, &[1.0, -1.0], &[1.0, 1.0], Task::Sides, Loss::Squared);
    let refused = |p: Explicit<'_>| assert!(descend(&p, &Limits::default()).is_err());
    refused(Explicit { targets: &[1.0], ..good.clone() });
    refused(Explicit { targets: &[1.0, 0.0], ..good.clone() });
    refused(Explicit { costs: &[1.0, -1.0], ..good.clone() });
    refused(Explicit { costs: &[1.0, f64::INFINITY], ..good.clone() });
    refused(Explicit { bias: f64::NAN, ..good.clone() });
    refused(Explicit { task: Task::Numbers { epsilon: -1.0 }, ..good.clone() });
    let nan = Vectors::from(Dense::from_rows(&[[1.0], [f64::NAN]]));
    refused(Explicit { vectors: (&nan).into(), ..good.clone() });
    let huge = Vectors::from(Dense::from_rows(&[[1.0], [1e200]]));
    refused(Explicit { vectors: (&huge).into(), ..good });
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_gap_is_proved(
        rows in prop::collection::vec((prop::array::uniform3(-3i8..=3), -4i8..=4, 0u8..4), 1..14),
        numbers in any::<bool>(), squared in any::<bool>(), bias in 0u8..3, exponent in -3i32..4, seed in any::<u64>(),
    ) {
        // Small integers often produce rows of zeros, equal rows and constant columns.
        let values: Vec<f64> = rows.iter().flat_map(|r| r.0.map(f64::from)).collect();
        let x = Vectors::from(Dense::new(rows.len(), 3, values).unwrap());
        let task = if numbers { Task::Numbers { epsilon: 0.5 } } else { Task::Sides };
        let loss = if squared { Loss::Squared } else { Loss::Absolute };
        let side = |v: f64| if numbers { v } else if v > 0.0 { 1.0 } else { -1.0 };
        let y: Vec<f64> = rows.iter().map(|r| side(r.1.into())).collect();
        let costs: Vec<f64> = rows.iter().map(|r| f64::from(r.2) * 10f64.powi(exponent)).collect();
        let problem = Explicit { bias: bias.into(), epochs: 3000, seed, ..explicit(&x, &y, &costs, task, loss) };
        let limits = Limits { tolerance: 1e-4, ..Limits::default() };
        let d = descend(&problem, &limits).unwrap().duality;
        prop_assert!((0.0..=1.0).contains(&d.gap) && d.violation >= 0.0);
        prop_assert!((d.primal - d.dual - d.gap * d.primal).abs() <= 1e-9 * d.primal.max(1.0));
        prop_assert_eq!(d.is_converged(), d.gap <= 1e-4 && d.violation <= 1e-4);
        prop_assert!(d.is_converged() || d.stop == Stop::Iterations);
        let s = descend(&Explicit { vectors: (&sparse(&x)).into(), ..problem }, &limits).unwrap().duality;
        if d.is_converged() && s.is_converged() {
            prop_assert!((d.primal - s.primal).abs() <= 1e-3 * d.primal);
        }
    }

    #[test]
    fn arbitrary_numbers_terminate(
        values in prop::collection::vec(any::<f64>(), 8), y in prop::collection::vec(any::<f64>(), 4),
        costs in prop::collection::vec(any::<f64>(), 4), numbers in any::<bool>(), squared in any::<bool>(),
    ) {
        let tame = |v: &f64| if v.is_finite() { *v } else { 1.0 };
        let x = Vectors::from(Dense::new(4, 2, values.iter().map(tame).map(|v| v.cbrt().cbrt()).collect()).unwrap());
        let task = if numbers { Task::Numbers { epsilon: 0.1 } } else { Task::Sides };
        let y: Vec<f64> = y.iter().map(|v| if numbers { tame(v) } else { tame(v).signum() }).collect();
        let costs: Vec<f64> = costs.iter().map(|v| tame(v).abs()).collect();
        let loss = if squared { Loss::Squared } else { Loss::Absolute };
        let problem = Explicit { epochs: 20, ..explicit(&x, &y, &costs, task, loss) };
        if let Ok(found) = descend(&problem, &Limits::default()) {
            prop_assert!((0.0..=1.0).contains(&found.duality.gap));
            prop_assert!(found.weights.iter().all(|w| w.is_finite()));
        }
    }
}

/// The interior-point method alone, without a visit of the descent: near the minimum that many epochs find, with costs
/// that differ and objects that are ignored, for any number of threads.
#[test]
fn interior_points_are_near_the_minimum() {
    let x = dense(2400, 6, 11);
    let Vectors::Dense(rows) = &x else { panic!() };
    let targets = targets(&x, Task::Sides);
    let costs: Vec<f64> = (0..2400).map(|k| [2.0, 7.0, 0.0, 3.0][k % 4]).collect();
    let limits = Limits { tolerance: 1e-4, ..Limits::default() };
    for bias in [0.0, 1.0] {
        let problem = Explicit { bias, ..explicit(&x, &targets, &costs, Task::Sides, Loss::Absolute) };
        let mut slow = Descent::new(&problem, rows, &limits).unwrap();
        for _ in 0..400 {
            slow.pass(f64::INFINITY).unwrap().unwrap();
        }
        slow.refresh();
        let want = slow.duality(Stop::Stalled).unwrap();
        let alone = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut fast = Descent::new(&problem, rows, &limits).unwrap();
            assert!(pool.install(|| fast.interior()).unwrap());
            fast.refresh();
            let found = fast.duality(Stop::Stalled).unwrap();
            (found, fast.variables.iter().map(|v| v.beta.to_bits()).collect::<Vec<_>>())
        };
        let (found, bits) = alone(1);
        assert!(found.epochs < 40 && found.gap < 1e-3, "{found:?}");
        assert!((found.primal - want.primal).abs() < 1e-3 * want.primal, "{found:?} {want:?}");
        assert!(bits == alone(3).1);
        let fitted = descend(&problem, &limits).unwrap();
        assert!(fitted.duality.is_converged() && fitted.duality.epochs < 200, "{:?}", fitted.duality);
        assert!(
            fitted.beta.iter().zip(&costs).zip(&targets).all(|((b, c), t)| (0.0..=*c).contains(&(b * t)))
        );
    }
}

/// Small costs and other losses are left to the descent and to Newton's method.
#[test]
fn interior_points_are_for_hard_hinges() {
    let x = dense(2400, 6, 12);
    let Vectors::Dense(rows) = &x else { panic!() };
    let limits = Limits::default();
    for (cost, task, loss, want) in [
        (5.0, Task::Sides, Loss::Absolute, true),
        (1e-3, Task::Sides, Loss::Absolute, false),
        (5.0, Task::Sides, Loss::Squared, false),
        (5.0, Task::Numbers { epsilon: 0.1 }, Loss::Absolute, false),
    ] {
        let (targets, costs) = (targets(&x, task), vec![cost; 2400]);
        let problem = explicit(&x, &targets, &costs, task, loss);
        assert_eq!(Descent::new(&problem, rows, &limits).unwrap().interior().unwrap(), want);
    }
}
