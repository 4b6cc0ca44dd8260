use super::super::Scheme;
use super::*;
use crate::data::Vectors;
use crate::gram::Engine;
use crate::kernel::Kernel;
use crate::kernel::vector::{Linear, Rbf};
use crate::solve::{GramColumns, KernelColumns, Limits};

/// A number from the standard normal distribution, by Box and Muller.
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (std::f64::consts::TAU * random.unit()).cos()
}

/// Points around each centre in turn, with unit variance; all classes are equally likely.
fn clouds(n: usize, centres: &[[f64; 2]], seed: u64) -> (Dense, Vec<usize>) {
    let mut random = Random::new(seed);
    let target: Vec<usize> = (0..n).map(|i| i % centres.len()).collect();
    let point = |&c: &usize| [centres[c][0] + normal(&mut random), centres[c][1] + normal(&mut random)];
    let points: Vec<[f64; 2]> = target.iter().map(point).collect();
    (Dense::from_rows(&points), target)
}

/// The true probabilities of the classes of [`clouds`] at a point.
fn truth(centres: &[[f64; 2]], x: &[f64]) -> Vec<f64> {
    let density = |c: &[f64; 2]| (-0.5 * ((x[0] - c[0]).powi(2) + (x[1] - c[1]).powi(2))).exp();
    let all: Vec<f64> = centres.iter().map(density).collect();
    let sum: f64 = all.iter().sum();
    all.iter().map(|d| d / sum).collect()
}

fn columns_of(gram: &Dense, support: &[usize]) -> Dense {
    let values = (0..gram.rows()).flat_map(|i| support.iter().map(move |&j| gram.at(i, j))).collect();
    Dense::new(gram.rows(), support.len(), values).unwrap()
}

fn svc(c: f64) -> Svc {
    Svc::new(c)
}

/// The largest and the mean difference from the true probabilities, at new points of the same distribution.
fn distance(centres: &[[f64; 2]], svc: &Svc, kernel: &impl Kernel<Vectors>) -> (f64, f64) {
    let (x, target) = clouds(900, centres, 1);
    let (new, _) = clouds(300, centres, 2);
    let engine = Engine::new();
    let x = Vectors::from(x);
    let gram = engine.gram(kernel, &x).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let (model, calibration) =
        svc.fit_calibrated(&columns, &ClassCodes::new(&target[..], centres.len()), 3).unwrap();
    assert!(calibration.warnings().is_empty());
    let cross = engine.cross(kernel, &Vectors::from(new.clone()), &x).unwrap();
    let decisions = model.decisions(&columns_of(&cross, model.support())).unwrap();
    let found = calibration.probabilities(&model, &decisions).unwrap();
    let mut gaps = Vec::new();
    for i in 0..found.rows() {
        assert!((found.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-14);
        gaps.extend(found.row(i).iter().zip(truth(centres, new.row(i))).map(|(p, t)| (p - t).abs()));
    }
    (gaps.iter().copied().fold(0.0, f64::max), gaps.iter().sum::<f64>() / gaps.len() as f64)
}

#[test]
fn overlapping_clouds_get_their_true_probabilities() {
    // Two clusters with a linear boundary: the true probability is a sigmoid of the distance from it.
    let (most, mean) = distance(&[[-1.0, 0.0], [1.0, 0.0]], &svc(1.0), &Linear);
    assert!(most < 0.08 && mean < 0.025, "{most} {mean}");
    let three = [[-1.2, 0.0], [1.2, 0.0], [0.0, 1.8]];
    let (most, mean) = distance(&three, &svc(1.0), &Linear);
    assert!(most < 0.15 && mean < 0.03, "{most} {mean}");
    // One versus rest has no exact sigmoid: it is less accurate by construction.
    let rest = svc(1.0).with_scheme(Scheme::OneVersusRest);
    let (_, mean) = distance(&three, &rest, &Rbf::new(0.1).unwrap());
    assert!(mean < 0.08, "{mean}");
    let nu = Svc::nu(0.4);
    let (most, mean) = distance(&[[-1.0, 0.0], [1.0, 0.0]], &nu, &Linear);
    assert!(most < 0.08 && mean < 0.025, "{most} {mean}");
}

#[test]
fn training_decision_values_are_not_used() {
    // A narrow kernel and a large C overfit the training objects: their own decision values are overconfident.
    let centres = [[-0.7, 0.0], [0.7, 0.0]];
    let ((x, target), (new, truth)) = (clouds(200, &centres, 5), clouds(400, &centres, 6));
    let (engine, kernel) = (Engine::new(), Rbf::new(3.0).unwrap());
    let (x, new) = (Vectors::from(x), Vectors::from(new));
    let gram = engine.gram(&kernel, &x).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let (model, calibration) =
        svc(100.0).fit_calibrated(&columns, &ClassCodes::new(&target[..], 2), 0).unwrap();
    let scores = model.decisions(&columns_of(&gram, model.support())).unwrap();
    let signs: Vec<f64> = target.iter().map(|&c| if c == 1 { 1.0 } else { -1.0 }).collect();
    let overfitted = Sigmoid::fit(scores.values(), &signs, &[1.0; 200]);
    let cross = engine.cross(&kernel, &new, &x).unwrap();
    let decisions = model.decisions(&columns_of(&cross, model.support())).unwrap();
    let loss = |sigmoid: &Sigmoid| {
        let one = |(d, &c): (&f64, &usize)| -sigmoid.both(*d)[c].ln();
        decisions.values().iter().zip(&truth).map(one).sum::<f64>() / 400.0
    };
    // Constant probabilities have the loss ln 2.
    let (held_out, overfitted) = (loss(&calibration.sigmoids[0]), loss(&overfitted));
    assert!(held_out < 0.69 && overfitted > 0.8, "{held_out} {overfitted}");
}

/// Folds, models and decision values computed directly, from Gram matrices of the parts.
#[test]
fn decisions_come_from_models_without_the_fold() {
    let (x, target) = clouds(80, &[[-0.7, 0.0], [0.7, 0.0], [0.0, 1.0]], 8);
    let kernel = Rbf::new(0.5).unwrap();
    let x = Vectors::from(x);
    let gram = Engine::new().gram(&kernel, &x).unwrap();
    let strict = Limits { tolerance: 1e-9, ..Limits::default() };
    for scheme in [Scheme::OneVersusOne, Scheme::OneVersusRest] {
        let whole = svc(2.0).with_scheme(scheme).with_limits(strict.clone());
        let columns = GramColumns::new(&gram).unwrap();
        let (model, calibration) =
            whole.fit_calibrated(&columns, &ClassCodes::new(&target[..], 3), 11).unwrap();
        let plain = whole.fit_columns(&columns, &ClassCodes::new(&target[..], 3)).unwrap();
        for (ours, plain) in model.classifiers().iter().zip(plain.classifiers()) {
            assert_eq!((&ours.coefficients, ours.offset), (&plain.coefficients, plain.offset));
        }
        let order = class_by_class(&target, 3, 11);
        for (&pair, found) in model.pairs().iter().zip(&calibration.sigmoids) {
            let job = Job::new(&order, &target, pair);
            let mut decisions = vec![f64::NAN; job.chosen.len()];
            for fold in 0..5 {
                let inside = |k: &usize| job.fold[*k] == fold;
                let all: Vec<usize> = (0..job.chosen.len()).collect();
                let (out, kept): (Vec<usize>, Vec<usize>) = all.into_iter().partition(inside);
                // Each fold is stratified.
                let share = |of: &[usize]| of.iter().filter(|&&k| job.signs[k] > 0.0).count();
                let all_of = share(&out) + share(&kept);
                assert!(share(&out).abs_diff(all_of / 5) <= 1);
                let object = |k: &usize| job.chosen[*k] as usize;
                let (rows, cols): (Vec<_>, Vec<_>) =
                    (out.iter().map(object).collect(), kept.iter().map(object).collect());
                let block = |rows: &[usize]| columns_of(&gram, &cols).select(rows);
                let labels: Vec<usize> = kept.iter().map(|&k| usize::from(job.signs[k] > 0.0)).collect();
                let part = svc(2.0).with_limits(strict.clone());
                let part = part
                    .fit_columns(&GramColumns::new(&block(&cols)).unwrap(), &ClassCodes::new(&labels[..], 2))
                    .unwrap();
                let values = part.decisions(&columns_of(&block(&rows), part.support())).unwrap();
                out.iter().zip(values.values()).for_each(|(&k, v)| decisions[k] = *v);
            }
            let expected = Sigmoid::fit(&decisions, &job.signs, &vec![1.0; decisions.len()]);
            let near = (expected.a - found.a).abs() < 1e-5 && (expected.b - found.b).abs() < 1e-5;
            assert!(near, "{pair:?}: {expected:?} vs. {found:?}");
        }
    }
}

#[test]
fn results_do_not_depend_on_threads() {
    let (x, target) = clouds(120, &[[-0.7, 0.0], [0.7, 0.0], [0.0, 1.0]], 9);
    let kernel = Rbf::new(0.5).unwrap();
    let x = Vectors::from(x);
    let y: Vec<f64> = (0..120).map(|i| (i as f64).sin()).collect();
    let run = |threads: usize| {
        let engine = Engine::new().with_threads(threads).unwrap();
        let set = kernel.prepare(&x).unwrap();
        let columns = KernelColumns::<Vectors, _>::new(&engine, &kernel, &set);
        let gram = engine.gram(&kernel, &x).unwrap();
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let (model, calibration) =
                svc(1.0).fit_calibrated(&columns, &ClassCodes::new(&target[..], 3), 4).unwrap();
            let decisions = model.decisions(&columns_of(&gram, model.support())).unwrap();
            let probabilities = calibration.probabilities(&model, &decisions).unwrap();
            let noise = Svr::new(1.0, 0.1).noise(&columns, &y, 4).unwrap();
            (calibration, probabilities, noise.to_bits())
        })
    };
    let one = run(1);
    for threads in [2, 4] {
        assert_eq!(run(threads), one);
    }
    let gram = Engine::new().gram(&kernel, &x).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let fit = |seed| svc(1.0).fit_calibrated(&columns, &ClassCodes::new(&target[..], 3), seed).unwrap().1;
    assert_eq!(fit(4), fit(4));
    assert_ne!(fit(4), fit(5));
}

#[test]
fn extreme_decisions_are_finite() {
    let (x, target) = clouds(60, &[[-1.0, 0.0], [1.0, 0.0], [0.0, 2.0], [2.0, 2.0]], 10);
    let gram = Engine::new().gram(&Linear, &Vectors::from(x)).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    for scheme in [Scheme::OneVersusOne, Scheme::OneVersusRest] {
        let (model, mut calibration) = svc(1.0)
            .with_scheme(scheme)
            .fit_calibrated(&columns, &ClassCodes::new(&target[..], 4), 0)
            .unwrap();
        let parts = model.pairs().len();
        for slope in [1.0, 1e9] {
            calibration.sigmoids.iter_mut().for_each(|s| s.a *= slope);
            for value in [-1e6, 1e6, 0.0, f64::MAX, -f64::MAX] {
                let mut decisions = Dense::new(2, parts, vec![value; 2 * parts]).unwrap();
                decisions.row_mut(1)[0] = -value;
                let found = calibration.probabilities(&model, &decisions).unwrap();
                for i in 0..2 {
                    assert!(
                        found.row(i).iter().all(|p| (0.0..=1.0).contains(p)),
                        "{value} {:?}",
                        found.row(i)
                    );
                    assert!((found.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-14);
                }
            }
        }
        let bad = Dense::new(1, parts, vec![f64::NAN; parts]).unwrap();
        assert!(matches!(calibration.probabilities(&model, &bad), Err(Error::NonFinite { .. })));
        let narrow = Dense::zeros(1, parts - 1);
        assert!(matches!(calibration.probabilities(&model, &narrow), Err(Error::Shape { .. })));
        assert_eq!(calibration.probabilities(&model, &Dense::zeros(0, parts)).unwrap().rows(), 0);
    }
}

#[test]
fn small_classes_have_fewer_folds() {
    let x = [-3.0, -2.0, -1.5, -1.0, -0.5, -0.2, 1.0, 1.5, 2.0f64];
    let gram = Dense::new(9, 9, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect()).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let fit = |target: &[usize], classes, scheme| {
        svc(1.0).with_scheme(scheme).fit_calibrated(&columns, &ClassCodes::new(target, classes), 0)
    };
    let one = Scheme::OneVersusOne;
    let (_, few) = fit(&[0, 0, 0, 0, 0, 0, 1, 1, 1], 2, one).unwrap();
    assert_eq!((few.folds.as_slice(), few.warnings()[0].code), (&[3][..], "W_FOLDS"));
    let rest = Scheme::OneVersusRest;
    let (_, small) = fit(&[0, 0, 0, 0, 0, 1, 1, 2, 2], 3, rest).unwrap();
    assert_eq!(small.folds, [4, 2, 2]);
    assert!(fit(&[0; 9], 2, one).is_err());
    assert!(fit(&[0; 3], 2, one).is_err());
    // ν = 2/3 is the largest feasible value for six against three; a fold of five against two lowers it.
    let target = [0, 0, 0, 0, 0, 0, 1, 1, 1];
    let nu = Svc::nu(2.0 / 3.0);
    assert!(nu.fit_calibrated(&columns, &ClassCodes::new(&target[..], 2), 0).is_ok());
    let hard = Svc::hard();
    assert!(hard.fit_calibrated(&columns, &ClassCodes::new(&target[..], 2), 0).is_ok());
}

#[test]
fn a_class_with_one_member_has_probabilities_near_its_share() {
    let x = [-3.0, -2.0, -1.5, -1.0, -0.5, -0.2, 1.0, 1.5, 2.0f64];
    let gram = Dense::new(9, 9, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect()).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let fit = |target: &[usize], classes, scheme| {
        let target = ClassCodes::new(target, classes);
        svc(1.0).with_scheme(scheme).fit_calibrated(&columns, &target, 0).unwrap()
    };
    for scheme in [Scheme::OneVersusOne, Scheme::OneVersusRest] {
        let (model, calibration) = fit(&[0, 0, 0, 0, 0, 0, 0, 0, 1], 2, scheme);
        assert_eq!((calibration.folds.as_slice(), calibration.warnings()[0].code), (&[1][..], "W_FOLDS"));
        assert!(calibration.warnings()[0].message.contains("one member"));
        assert!(calibration.check(&model).is_ok());
        assert!(calibration.sigmoids[0].a <= 0.0, "the probability falls with the decision value");
        let p = calibration.probabilities(&model, &Dense::from_rows(&[[-1.0], [1.0]])).unwrap();
        assert!(p.at(0, 1) <= p.at(1, 1) && p.at(0, 1) < 0.4, "{p:?}");
        // Two single members: nothing speaks for either, and the third class stands apart.
        let (model, calibration) = fit(&[0, 0, 0, 0, 0, 0, 0, 1, 2], 3, scheme);
        assert!(calibration.check(&model).is_ok());
        assert_eq!(calibration.folds.iter().min(), Some(&1));
        let parts = calibration.sigmoids.len();
        let p = calibration.probabilities(&model, &Dense::zeros(1, parts)).unwrap();
        assert!((p.row(0).iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(p.row(0).iter().all(|p| (0.05..0.95).contains(p)), "{p:?}");
        if scheme == Scheme::OneVersusOne {
            assert_eq!(calibration.sigmoids[2].probability(3.0), 0.5);
        }
    }
}

#[test]
fn models_that_did_not_converge_are_counted() {
    let (x, target) = clouds(60, &[[-0.2, 0.0], [0.2, 0.0]], 14);
    let gram = Engine::new().gram(&Rbf::new(0.5).unwrap(), &Vectors::from(x)).unwrap();
    let stopped = svc(1e4).with_limits(Limits { iterations: 0, ..Limits::default() });
    let columns = GramColumns::new(&gram).unwrap();
    let (_, calibration) = stopped.fit_calibrated(&columns, &ClassCodes::new(&target[..], 2), 0).unwrap();
    assert_eq!(calibration.unconverged, 5);
    assert_eq!(calibration.warnings().last().unwrap().code, "W_NOT_CONVERGED");
}

#[test]
fn weights_count_relative_to_their_mean() {
    let (x, target) = clouds(60, &[[-0.7, 0.0], [0.7, 0.0]], 12);
    let gram = Engine::new().gram(&Linear, &Vectors::from(x)).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let strict = Limits { tolerance: 1e-9, ..Limits::default() };
    let fit = |c: f64, weight: f64| {
        let svc = svc(c).with_limits(strict.clone());
        svc.with_weights(vec![weight; 60])
            .fit_calibrated(&columns, &ClassCodes::new(&target[..], 2), 0)
            .unwrap()
            .1
            .sigmoids[0]
    };
    // The models only depend on the product of C and w.
    let (plain, scaled) = (fit(1.0, 1.0), fit(4.0, 0.25));
    assert!((plain.a - scaled.a).abs() < 1e-6 && (plain.b - scaled.b).abs() < 1e-6);
    assert_eq!(relative(vec![0.0, 0.0]), [1.0, 1.0]);
    assert_eq!(relative(vec![1.0, 3.0]), [0.5, 1.5]);
}

#[test]
fn noise_of_a_regression() {
    let mut random = Random::new(13);
    let x: Vec<f64> = (0..400).map(|_| 4.0 * random.unit() - 2.0).collect();
    // Laplace noise of scale 0.3 by inverting its distribution; and a few outliers, which are excluded.
    let laplace = |u: f64| -0.3 * (u - 0.5).signum() * (1.0 - 2.0 * (u - 0.5).abs()).ln();
    let mut y: Vec<f64> = x.iter().map(|x| 2.0 * x + laplace(random.unit())).collect();
    let gram = Dense::new(400, 400, x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect()).unwrap();
    let columns = GramColumns::new(&gram).unwrap();
    let svr = Svr::new(1.0, 0.1);
    let clean = svr.noise(&columns, &y, 0).unwrap();
    assert!((clean - 0.3).abs() < 0.045, "{clean}");
    y[7] += 50.0;
    let with_outliers = svr.noise(&columns, &y, 0).unwrap();
    assert!((with_outliers - clean).abs() < 0.03, "{with_outliers}");
    let weights: Vec<f64> = (0..400).map(|i| if i == 7 { 0.0 } else { 1.0 }).collect();
    assert!((svr.clone().with_weights(weights).noise(&columns, &y, 0).unwrap() - clean).abs() < 0.03);
    let one = Dense::from_rows(&[[1.0]]);
    assert!(svr.noise(&GramColumns::new(&one).unwrap(), &[1.0], 0).is_err());
    assert!(svr.noise(&columns, &y[1..], 0).is_err());
    let two = Dense::from_rows(&[[1.0, 0.0], [0.0, 1.0]]);
    assert_eq!(svr.noise(&GramColumns::new(&two).unwrap(), &[5.0, 5.0], 0).unwrap(), 0.0);
}
