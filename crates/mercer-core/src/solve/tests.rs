//! Both solvers on generated problems of every kind: optimality conditions and agreement.

use std::time::Duration;

use proptest::prelude::*;

use super::*;
use crate::data::{Dense, Vectors};
use crate::gram::Engine;
use crate::kernel::Kernel;
use crate::kernel::vector::{Linear, Rbf};

/// A small generator for problems from one seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, n: usize) -> usize {
        (self.next() * n as f64) as usize
    }

    fn pick(&mut self, from: &[f64]) -> f64 {
        from[self.below(from.len())]
    }
}

/// Points, some of them equal, and their Gram matrix.
fn points(random: &mut Random, n: usize) -> Dense {
    let d = 1 + random.below(4);
    let mut x = Dense::new(n, d, (0..n * d).map(|_| 4.0 * random.next() - 2.0).collect()).unwrap();
    if random.next() < 0.3 {
        x.values_mut().iter_mut().for_each(|v| *v = v.round());
    }
    for _ in 0..random.below(3) {
        let (from, to) = (random.below(n), random.below(n));
        let copy = x.row(from).to_vec();
        x.row_mut(to).copy_from_slice(&copy);
    }
    x
}

fn gram(random: &mut Random, x: Dense) -> Dense {
    let x = Vectors::from(x);
    let engine = Engine::new();
    match random.below(3) {
        0 => engine.gram(&Linear, &x).unwrap(),
        1 => engine.gram(&Rbf::new(0.5).unwrap(), &x).unwrap(),
        _ => engine.gram(&Rbf::new(random.pick(&[0.01, 5.0])).unwrap(), &x).unwrap(),
    }
}

/// Fills variables from zero towards their bounds, one after the other, until they have the given sum.
fn filled(ends: &[f64], sum: f64) -> Vec<f64> {
    let mut left = sum;
    let fill = |&end: &f64| {
        let step = if end.abs() < left.abs() { end } else { left };
        let step = if step * end > 0.0 { step } else { 0.0 };
        left -= step;
        step
    };
    ends.iter().map(fill).collect()
}

/// The variables of C-SVC, ε-SVR, the one-class model, ν-SVC or ν-SVR.
fn banks(random: &mut Random, n: usize, kind: usize) -> Vec<Bank> {
    let c = random.pick(&[0.01, 1.0, 10.0, 1e3, 1e6]);
    let weighted = random.next() < 0.5;
    let bound: Vec<f64> =
        (0..n).map(|_| if weighted { c * random.pick(&[0.0, 0.5, 1.0, 3.0]) } else { c }).collect();
    let two_classes = random.next() < 0.9;
    let y: Vec<f64> = (0..n).map(|_| if two_classes && random.next() < 0.5 { -1.0 } else { 1.0 }).collect();
    let target: Vec<f64> = (0..n).map(|_| 6.0 * random.next() - 3.0).collect();
    let zero = vec![0.0; n];
    let negated = |v: &[f64]| v.iter().map(|v| -v).collect::<Vec<f64>>();
    let of = |sign: f64, v: &[f64]| -> Vec<f64> {
        v.iter().zip(&y).map(|(v, y)| if *y == sign { sign * v } else { 0.0 }).collect()
    };
    match kind {
        0 => vec![Bank {
            beta: zero,
            lower: of(-1.0, &bound),
            upper: of(1.0, &bound),
            linear: negated(&y),
            kink: 0.0,
        }],
        1 => {
            let kink = random.pick(&[0.0, 0.01, 0.5, 10.0]);
            vec![Bank { beta: zero, lower: negated(&bound), upper: bound, linear: negated(&target), kink }]
        }
        2 => {
            let upper = vec![1.0; n];
            let beta = filled(&upper, n as f64 * (0.02 + 0.96 * random.next()));
            vec![Bank { beta, lower: zero.clone(), upper, linear: zero, kink: 0.0 }]
        }
        3 => {
            let ones = vec![1.0; n];
            let positive = y.iter().filter(|y| **y > 0.0).count();
            let sum = positive.min(n - positive) as f64 * (0.05 + 0.9 * random.next());
            let (upper, lower) = (of(1.0, &ones), of(-1.0, &ones));
            let (up, down) = (filled(&upper, sum), filled(&lower, -sum));
            vec![
                Bank { beta: up, lower: zero.clone(), upper, linear: zero.clone(), kink: 0.0 },
                Bank { beta: down, lower, upper: zero.clone(), linear: zero, kink: 0.0 },
            ]
        }
        _ => {
            let sum = n as f64 * c * (0.02 + 0.48 * random.next());
            let (upper, lower, linear) = (vec![c; n], vec![-c; n], negated(&target));
            let (up, down) = (filled(&upper, sum), filled(&lower, -sum));
            vec![
                Bank { beta: up, lower: zero.clone(), upper, linear: linear.clone(), kink: 0.0 },
                Bank { beta: down, lower, upper: zero, linear, kink: 0.0 },
            ]
        }
    }
}

fn problem(seed: u64, kind: usize) -> (Dense, Vec<Bank>) {
    let mut random = Random(seed);
    let n = 2 + random.below(39);
    let x = points(&mut random, n);
    (gram(&mut random, x), banks(&mut random, n, kind))
}

/// A bound on the rounding of Kβ.
fn floor(k: &Dense, betas: &[Vec<f64>]) -> f64 {
    let largest = (0..k.rows()).map(|i| k.at(i, i)).fold(0.0, f64::max);
    let total: f64 = betas.iter().flatten().map(|b| b.abs()).sum();
    256.0 * f64::EPSILON * largest * total
}

/// Checks bounds, sums and the objective by plain loops, and returns the violation of optimality.
fn violation(k: &Dense, banks: &[Bank], s: &Solution) -> f64 {
    let n = k.rows();
    let total: Vec<f64> = (0..n).map(|i| s.betas.iter().map(|b| b[i]).sum()).collect();
    let g: Vec<f64> = (0..n).map(|i| (0..n).map(|j| k.at(i, j) * total[j]).sum()).collect();
    let mut worst = 0.0f64;
    let mut objective: f64 = total.iter().zip(&g).map(|(b, g)| 0.5 * b * g).sum();
    for (bank, beta) in banks.iter().zip(&s.betas) {
        let (before, after): (f64, f64) = (bank.beta.iter().sum(), beta.iter().sum());
        let size: f64 = beta.iter().chain(&bank.beta).map(|b| b.abs()).sum();
        assert!((before - after).abs() <= 1e-11 * size, "the sum changed from {before} to {after}");
        let (mut rise, mut fall) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..n {
            let b = beta[i];
            assert!(bank.lower[i] <= b && b <= bank.upper[i], "{b} is outside its bounds");
            objective += b * bank.linear[i] + bank.kink * b.abs();
            let slope = g[i] + bank.linear[i];
            if b < bank.upper[i] {
                rise = rise.min(slope + if b >= 0.0 { bank.kink } else { -bank.kink });
            }
            if b > bank.lower[i] {
                fall = fall.max(slope + if b > 0.0 { bank.kink } else { -bank.kink });
            }
        }
        worst = worst.max(fall - rise);
    }
    let terms: f64 = total.iter().zip(&g).map(|(b, g)| (b * g).abs()).sum();
    assert!((objective + s.dual).abs() <= 1e-9 * (1.0 + objective.abs() + terms));
    assert!((worst - s.violation).abs() <= 1e-9 * worst + floor(k, &s.betas), "{worst} {}", s.violation);
    worst
}

fn strict() -> Limits {
    Limits { tolerance: 1e-9, iterations: 100_000, time: Some(Duration::from_secs(20)), ..Limits::default() }
}

/// Converged, or as close as rounding allows.
fn solved(k: &Dense, s: &Solution) -> bool {
    match s.stop {
        Stop::Converged(_) => s.violation <= 1e-9,
        Stop::Stalled => s.violation <= floor(k, &s.betas),
        _ => false,
    }
}

fn check_active(seed: u64, kind: usize) {
    let (k, banks) = problem(seed, kind);
    let columns = GramColumns::new(&k).unwrap();
    let exact = active_set(&columns, banks.clone(), &strict()).unwrap();
    let left = violation(&k, &banks, &exact);
    assert!(solved(&k, &exact), "{:?} {left} {} {}", exact.stop, exact.iterations, floor(&k, &exact.betas));
    let pairs = solve(&columns, banks.clone(), &strict()).unwrap();
    violation(&k, &banks, &pairs);
    let slack = 1e-6 * (1e-3 + exact.dual.abs());
    assert!(-exact.dual <= -pairs.dual + slack, "{} {}", -exact.dual, -pairs.dual);
    if pairs.stop.is_done() {
        assert!((-exact.dual - -pairs.dual).abs() <= slack);
        // Starting from the result of the pairs, few steps are needed.
        let start = banks.iter().zip(pairs.betas).map(|(b, beta)| Bank { beta, ..b.clone() });
        let again = active_set(&columns, start.collect(), &strict()).unwrap();
        assert!(again.iterations <= 3 + k.rows() as u64 / 4, "{}", again.iterations);
        assert!((-again.dual - -exact.dual).abs() <= slack);
    }
    // Without cache every entry is computed when it is used.
    let tiny = active_set(&columns, banks, &Limits { cache_bytes: 1, ..strict() }).unwrap();
    assert!((-tiny.dual - -exact.dual).abs() <= slack);
}

fn check_smo(seed: u64, kind: usize) {
    let (k, banks) = problem(seed, kind);
    let columns = GramColumns::new(&k).unwrap();
    let run = |limits: Limits| solve(&columns, banks.clone(), &limits).unwrap();
    let one = run(strict());
    let left = violation(&k, &banks, &one);
    assert!(!one.stop.is_done() || left <= 1e-9 + floor(&k, &one.betas));
    if one.stop.is_done() {
        let slack = 1e-9 * (1e-3 + one.dual.abs());
        for other in [
            run(Limits { shrinking: false, ..strict() }),
            run(Limits { cache_bytes: 1, ..strict() }),
            run(Limits { cache_bytes: 1, shrinking: false, ..strict() }),
        ] {
            violation(&k, &banks, &other);
            let apart = (-other.dual - -one.dual).abs();
            assert!(!other.stop.is_done() || apart <= slack, "{apart} {}", -one.dual);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(320))]

    #[test]
    fn the_active_set_method_agrees_with_pairs(seed in any::<u64>(), kind in 0usize..5) {
        check_active(seed, kind);
    }

    #[test]
    fn the_best_offset_minimises_the_gap(seed in any::<u64>(), kind in 0usize..5) {
        let mut random = Random(seed);
        let n = 2 + random.below(20);
        let products: Vec<f64> = (0..n).map(|_| random.pick(&[1e-3, 1.0, 1e3]) * (random.next() - 0.5)).collect();
        for bank in banks(&mut random, n, kind) {
            let least = bank.gap(&products, bank.best_offset(&products));
            let ends = products.iter().zip(&bank.linear).map(|(g, l)| g + l);
            let others = ends.flat_map(|end| [end - bank.kink, end, end + bank.kink]);
            for other in others.chain((0..20).map(|_| 1e3 * (random.next() - 0.5))) {
                let gap = bank.gap(&products, other);
                let size: f64 = bank.upper.iter().zip(&bank.lower).map(|(u, l)| (u - l) * 2e3).sum();
                prop_assert!(least <= gap + 1e-12 * size, "{least} at the best, {gap} at {other}");
            }
        }
    }

    #[test]
    fn pairs_satisfy_the_optimality_conditions(seed in any::<u64>(), kind in 0usize..5) {
        check_smo(seed, kind);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn kernels_and_their_matrices_agree(seed in any::<u64>(), kind in 0usize..5) {
        let mut random = Random(seed);
        let n = 2 + random.below(39);
        let x = Vectors::from(points(&mut random, n));
        let banks = banks(&mut random, n, kind);
        let kernel = Rbf::new(0.5).unwrap();
        let prepared = kernel.prepare(&x).unwrap();
        let limits = Limits { tolerance: 1e-6, iterations: 100_000, ..Limits::default() };
        let mut seen: Option<[Solution; 2]> = None;
        for threads in [1, 2] {
            let engine = Engine::new().with_threads(threads).unwrap();
            let columns = KernelColumns::new(&engine, &kernel, &prepared);
            let both = [
                solve(&columns, banks.clone(), &limits).unwrap(),
                active_set(&columns, banks.clone(), &limits).unwrap(),
            ];
            if let Some(before) = &seen {
                for (one, other) in before.iter().zip(&both) {
                    prop_assert_eq!(&one.betas, &other.betas);
                    prop_assert_eq!(one.iterations, other.iterations);
                }
            }
            seen = Some(both);
        }
        let k = Engine::new().gram(&kernel, &x).unwrap();
        let columns = GramColumns::new(&k).unwrap();
        for (s, by) in seen.unwrap().iter().zip([solve as fn(&dyn Columns, _, &_) -> _, active_set]) {
            let other: Solution = by(&columns, banks.clone(), &limits).unwrap();
            prop_assume!(s.stop.is_done() && other.stop.is_done());
            let size: f64 = s.betas.iter().flatten().map(|b| b.abs()).sum();
            prop_assert!((-s.dual - -other.dual).abs() <= 1e-9 * s.dual.abs() + 1e-6 * (1e-3 + size));
        }
    }

    #[test]
    fn exact_entries_are_those_of_the_matrix(seed in any::<u64>()) {
        let mut random = Random(seed);
        let n = 2 + random.below(39);
        let x = Vectors::from(points(&mut random, n));
        let kernel = Rbf::new(0.5).unwrap();
        let prepared = kernel.prepare(&x).unwrap();
        let engine = Engine::new();
        let k = engine.gram(&kernel, &x).unwrap();
        let by_kernel = KernelColumns::new(&engine, &kernel, &prepared);
        let by_matrix = GramColumns::new(&k).unwrap();
        let some: Vec<u32> = (0..random.below(5)).map(|_| random.below(n) as u32).collect();
        let all: Vec<u32> = (0..n as u32).collect();
        for rows in [&all, &some] {
            let mut out = [vec![0.0; rows.len() * some.len()], vec![0.0; rows.len() * some.len()]];
            by_kernel.exact(rows, &some, &mut out[0]).unwrap();
            by_matrix.exact(rows, &some, &mut out[1]).unwrap();
            for (r, &i) in rows.iter().enumerate() {
                for (c, &j) in some.iter().enumerate() {
                    let want = k.at(i as usize, j as usize);
                    prop_assert_eq!(out[1][r * some.len() + c], want);
                    prop_assert!((out[0][r * some.len() + c] - want).abs() <= 1e-14);
                }
            }
        }
    }
}

fn two(k: [[f64; 2]; 2]) -> (Dense, Vec<Bank>) {
    let bank = Bank {
        beta: vec![0.0; 2],
        lower: vec![-1.0, 0.0],
        upper: vec![0.0, 1.0],
        linear: vec![1.0, -1.0],
        kink: 0.0,
    };
    (Dense::from_rows(&k), vec![bank])
}

#[test]
fn negative_curvature_is_detected() {
    let (k, banks) = two([[1.0, 2.0], [2.0, 1.0]]);
    let columns = GramColumns::new(&k).unwrap();
    for by in [solve as fn(&dyn Columns, _, &_) -> _, active_set] {
        let s: Solution = by(&columns, banks.clone(), &Limits::default()).unwrap();
        let Stop::NegativeCurvature { curvature, .. } = s.stop else { panic!("{:?}", s.stop) };
        assert_eq!(curvature, -2.0);
    }
}

#[test]
fn equal_objects_of_two_classes_reach_their_bounds() {
    let (k, banks) = two([[1.0, 1.0], [1.0, 1.0]]);
    let columns = GramColumns::new(&k).unwrap();
    for by in [solve as fn(&dyn Columns, _, &_) -> _, active_set] {
        let s: Solution = by(&columns, banks.clone(), &Limits::default()).unwrap();
        assert_eq!((s.stop.is_done(), &s.betas[0]), (true, &vec![-1.0, 1.0]));
    }
}

#[test]
fn limits_are_respected() {
    let (k, banks) = problem(7, 1);
    let columns = GramColumns::new(&k).unwrap();
    let none = Limits { iterations: 0, ..strict() };
    assert_eq!(active_set(&columns, banks.clone(), &none).unwrap().stop, Stop::Iterations);
    let late = Limits { time: Some(Duration::ZERO), ..strict() };
    assert_eq!(active_set(&columns, banks.clone(), &late).unwrap().stop, Stop::Time);
    let stopped = strict();
    stopped.budget.stop();
    assert_eq!(active_set(&columns, banks, &stopped).unwrap().stop, Stop::Interrupted);
}

#[test]
fn invalid_problems_are_rejected() {
    let (k, banks) = two([[1.0, 0.0], [0.0, 1.0]]);
    let columns = GramColumns::new(&k).unwrap();
    let mut wrong = vec![banks[0].clone(); 5];
    wrong[0].beta[0] = 0.5;
    wrong[1].upper[1] = f64::INFINITY;
    wrong[2].linear[0] = f64::NAN;
    wrong[3].kink = -1.0;
    wrong[4].lower.pop();
    for by in [solve as fn(&dyn Columns, _, &_) -> Result<Solution, _>, active_set] {
        wrong.iter().for_each(|bank| assert!(by(&columns, vec![bank.clone()], &strict()).is_err()));
    }
}

#[test]
fn a_tolerance_below_rounding_terminates() {
    let limits = Limits { tolerance: 1e-14, iterations: 2000, ..Limits::default() };
    for seed in 0..200 {
        let (k, banks) = problem(31 * seed + 5, seed as usize % 5);
        let columns = GramColumns::new(&k).unwrap();
        for by in [solve as fn(&dyn Columns, _, &_) -> _, active_set] {
            let s: Solution = by(&columns, banks.clone(), &limits).unwrap();
            assert!(s.iterations <= 2000 + k.rows() as u64, "{:?} {}", s.stop, s.iterations);
        }
    }
}

#[test]
fn indefinite_matrices_terminate_too() {
    let limits = Limits { iterations: 5000, ..strict() };
    for seed in 0..300 {
        let mut random = Random(seed);
        let n = 2 + random.below(20);
        let scale = random.pick(&[0.0, 1e-300, 1.0, 1e12, 1e300]);
        let mut k = Dense::zeros(n, n);
        for i in 0..n {
            for j in 0..=i {
                let value = scale * (random.next() - 0.5) + if i == j { random.next() * scale } else { 0.0 };
                k.row_mut(i)[j] = value;
                k.row_mut(j)[i] = value;
            }
        }
        let Ok(columns) = GramColumns::new(&k) else { continue };
        let banks = banks(&mut random, n, seed as usize % 5);
        // Overflow is an error; anything else stays within its bounds.
        if let Ok(s) = active_set(&columns, banks.clone(), &limits) {
            assert!(s.iterations <= limits.iterations);
            for (bank, beta) in banks.iter().zip(&s.betas) {
                assert!((0..n).all(|i| bank.lower[i] <= beta[i] && beta[i] <= bank.upper[i]));
            }
        }
        let _ = solve(&columns, banks.clone(), &limits);
        if let Ok(s) = solve_indefinite(&columns, banks.clone(), &limits) {
            assert!(
                s.iterations <= limits.iterations && !matches!(s.stop, Stop::Converged(_)),
                "{:?}",
                s.stop
            );
            for (bank, beta) in banks.iter().zip(&s.betas) {
                assert!((0..n).all(|i| bank.lower[i] <= beta[i] && beta[i] <= bank.upper[i]));
            }
        }
    }
}

#[test]
fn a_start_with_all_variables_inside_their_bounds() {
    let mut random = Random(11);
    let n = 60;
    let x = Dense::new(n, 2, (0..2 * n).map(|_| random.next()).collect()).unwrap();
    let k = Engine::new().gram(&Linear, &Vectors::from(x)).unwrap();
    let columns = GramColumns::new(&k).unwrap();
    let y: Vec<f64> = (0..n).map(|i| if i % 2 == 0 { 1.0 } else { -1.0 }).collect();
    let half: Vec<f64> = y.iter().map(|y| 0.5 * y).collect();
    let bank = Bank {
        beta: half,
        lower: y.iter().map(|y| y.min(0.0)).collect(),
        upper: y.iter().map(|y| y.max(0.0)).collect(),
        linear: y.iter().map(|y| -y).collect(),
        kink: 0.0,
    };
    let cold = vec![Bank { beta: vec![0.0; n], ..bank.clone() }];
    let one = active_set(&columns, vec![bank.clone()], &strict()).unwrap();
    let other = active_set(&columns, cold, &strict()).unwrap();
    violation(&k, &[bank], &one);
    assert!(one.stop.is_done() && other.stop.is_done());
    assert!((-one.dual - -other.dual).abs() <= 1e-9 * other.dual.abs());
}
