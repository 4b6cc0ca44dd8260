//! Agreement with LIBSVM, optimality conditions, and certificates.

use proptest::prelude::*;
use serde_json::Value;

use super::super::learner::{ClassCodes, Learner};
use super::*;
use crate::data::{Dense, Vectors};
use crate::error::Error;
use crate::gram::Engine;
use crate::kernel::vector::Rbf;
use crate::solve::{GramColumns, KernelColumns, Limits};

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect()
}

fn points(value: &Value) -> Vectors {
    let rows: Vec<Vec<f64>> = value.as_array().unwrap().iter().map(numbers).collect();
    Dense::new(rows.len(), rows[0].len(), rows.concat()).unwrap().into()
}

fn strict() -> Limits {
    Limits { tolerance: 1e-8, ..Limits::default() }
}

fn columns_of(gram: &Dense, support: &[usize]) -> Dense {
    let values = (0..gram.rows()).flat_map(|i| support.iter().map(move |&j| gram.at(i, j))).collect();
    Dense::new(gram.rows(), support.len(), values).unwrap()
}

/// 200 problems of all five types, solved by LIBSVM as scikit-learn ships it; see tests/data/libsvm_oracle.py.
#[test]
fn objectives_and_decisions_agree_with_libsvm() {
    let oracle: Value = serde_json::from_str(include_str!("../../../tests/data/libsvm_oracle.json")).unwrap();
    for (number, case) in oracle["cases"].as_array().unwrap().iter().enumerate() {
        let number_of = |name: &str| case[name].as_f64().unwrap();
        let (x, y, weights) = (points(&case["x"]), numbers(&case["y"]), numbers(&case["weights"]));
        let gram = Engine::new().gram(&Rbf::new(number_of("gamma")).unwrap(), &x).unwrap();
        let columns = GramColumns::new(&gram).unwrap();
        let (c, nu) = (number_of("c"), number_of("nu"));
        let kind = case["kind"].as_str().unwrap();
        let classes: Vec<usize> = y.iter().map(|y| usize::from(*y > 0.0)).collect();
        let model = match kind {
            "c-svc" | "nu-svc" => {
                let margin = if kind == "c-svc" { Margin::C(c) } else { Margin::Nu(nu) };
                let svc = Svc::by(margin).with_limits(strict());
                svc.with_weights(weights)
                    .fit_columns(&columns, &ClassCodes::new(classes, 2))
                    .unwrap()
                    .classifiers()[0]
                    .clone()
            }
            "epsilon-svr" | "nu-svr" => {
                let tube = if kind == "nu-svr" { Tube::Nu(nu) } else { Tube::Epsilon(number_of("epsilon")) };
                let svr = Svr::by(c, tube).with_limits(strict());
                svr.with_weights(weights).fit_columns(&columns, &y).unwrap().model().clone()
            }
            _ => {
                let one = OneClass::new(nu).with_limits(strict());
                one.with_weights(weights).fit_columns(&columns, &()).unwrap().model().clone()
            }
        };
        let mut beta = vec![0.0; y.len()];
        model.support.iter().zip(&model.coefficients).for_each(|(&s, c)| beta[s] = *c);
        let quadratic: f64 = (0..beta.len())
            .map(|i| (0..beta.len()).map(|j| 0.5 * beta[i] * gram.at(i, j) * beta[j]).sum::<f64>())
            .sum();
        let sizes: f64 = beta.iter().map(|b| b.abs()).sum();
        let dot: f64 = beta.iter().zip(&y).map(|(b, y)| b * y).sum();
        let objective = match kind {
            "c-svc" => quadratic - sizes,
            "epsilon-svr" => quadratic - dot + number_of("epsilon") * sizes,
            "nu-svr" => quadratic - dot,
            "nu-svc" => quadratic * (nu * y.len() as f64 / sizes).powi(2),
            _ => quadratic,
        };
        let expected = number_of("objective");
        let close = (objective - expected).abs() <= 1e-6 * expected.abs().max(1e-3);
        assert!(close, "case {number}, {kind}: {objective} vs. {expected}, {:?}", model.certificate);
        let certificate = model.certificate.as_ref().unwrap();
        assert!(certificate.converged(), "case {number}, {kind}");
        let relative = certificate.relative_gap();
        assert!((-1e-9..=1e-5).contains(&relative), "case {number}, {kind}: gap {relative}");
        let decisions = model.decisions(&columns_of(&gram, &model.support)).unwrap();
        // If no vector is free, the offset is not unique; ν models have two offsets.
        let free =
            |sign: f64| beta.iter().zip(&model.locations).any(|(b, l)| b * sign > 0.0 && *l == Location::On);
        if if kind.starts_with("nu") { free(1.0) && free(-1.0) } else { free(1.0) || free(-1.0) } {
            // ν models are divided by their margin, which magnifies the tolerance.
            let margin = nu * y.len() as f64 / sizes;
            let allowed = if kind == "nu-svc" { 1e-4 + 1e-6 / margin } else { 1e-4 };
            for (ours, theirs) in decisions.iter().zip(numbers(&case["decision"])) {
                let near = (ours - theirs).abs() <= allowed * (1.0 + theirs.abs());
                let same_side = theirs.abs() <= 1e-3 || (*ours > 0.0) == (theirs > 0.0);
                assert!(near && same_side, "case {number}, {kind}: {ours} vs. {theirs}");
            }
        }
    }
}

#[test]
fn many_classes_by_one_versus_one_and_one_versus_rest() {
    let x: Vec<[f64; 2]> = (0..60)
        .map(|i| {
            let (class, t) = (i % 3, i as f64 * 0.7);
            [(class as f64) * 4.0 + 0.3 * t.sin(), (class as f64 - 1.0).abs() * 3.0 + 0.3 * t.cos()]
        })
        .collect();
    let target: Vec<usize> = (0..60).map(|i| i % 3).collect();
    let vectors = Vectors::from(Dense::from_rows(&x));
    let gram = Engine::new().gram(&Rbf::new(0.3).unwrap(), &vectors).unwrap();
    for scheme in [Scheme::OneVersusOne, Scheme::OneVersusRest] {
        let svc = Svc::new(10.0).with_scheme(scheme);
        let model =
            svc.fit_columns(&GramColumns::new(&gram).unwrap(), &ClassCodes::new(&target[..], 3)).unwrap();
        assert_eq!(model.classifiers().len(), 3);
        let predicted = model.predict(&columns_of(&gram, model.support())).unwrap();
        assert_eq!(predicted, target);
    }
}

#[test]
fn hard_margin_of_two_points_and_of_overlapping_classes() {
    let gram = |x: &[f64]| {
        Dense::new(x.len(), x.len(), x.iter().flat_map(|a| x.iter().map(move |b| a * b)).collect()).unwrap()
    };
    // With overlapping classes the solver never converges, so it gets few steps.
    let svc = Svc::hard().with_limits(Limits { iterations: 20_000, ..strict() });
    let separable = gram(&[-3.0, -1.0, 1.0, 2.0]);
    let model =
        svc.fit_columns(&GramColumns::new(&separable).unwrap(), &ClassCodes::new([0, 0, 1, 1], 2)).unwrap();
    let m = &model.classifiers()[0];
    assert_eq!(m.locations, [Location::Outside, Location::On, Location::On, Location::Outside]);
    let decisions = m.decisions(&columns_of(&separable, &m.support)).unwrap();
    for (d, x) in decisions.iter().zip([-3.0, -1.0, 1.0, 2.0]) {
        assert!((d - x).abs() < 1e-6);
    }
    let mixed = gram(&[-3.0, 1.0, -1.0, 2.0]);
    assert!(svc.fit_columns(&GramColumns::new(&mixed).unwrap(), &ClassCodes::new([0, 0, 1, 1], 2)).is_err());
}

#[test]
fn parameters_and_targets_are_checked() {
    let gram = Dense::from_rows(&[[1.0, 0.0], [0.0, 1.0]]);
    let columns = GramColumns::new(&gram).unwrap();
    let codes = ClassCodes::new([0, 1], 2);
    for svc in [Svc::new(0.0), Svc::new(f64::INFINITY), Svc::new(f64::NAN), Svc::nu(0.0)] {
        assert!(matches!(svc.fit_columns(&columns, &codes), Err(Error::Param { .. })));
        let probable = svc.with_probability().fit_columns(&columns, &codes);
        assert!(matches!(probable, Err(Error::Param { .. })));
    }
    for svr in [Svr::new(1.0, -0.1), Svr::new(0.0, 0.1), Svr::nu(1.0, 1.5)] {
        assert!(matches!(svr.fit_columns(&columns, &[0.0, 1.0]), Err(Error::Param { .. })));
    }
    assert!(matches!(OneClass::new(1.1).fit_columns(&columns, &()), Err(Error::Param { .. })));
    let svc = Svc::new(1.0);
    let unweighed = svc.clone().with_class_weights(vec![1.0, 0.0]);
    assert!(matches!(unweighed.fit_columns(&columns, &codes), Err(Error::Param { .. })));
    assert!(svc.fit_columns(&columns, &ClassCodes::new([0, 0], 2)).is_err());
    assert!(svc.fit_columns(&columns, &ClassCodes::new([0], 2)).is_err());
    assert!(svc.fit_columns(&columns, &ClassCodes::new([0, 5], 2)).is_err());
    assert!(svc.with_weights(vec![1.0, -1.0]).fit_columns(&columns, &codes).is_err());
    let too_much = Svc::nu(1.0).with_class_weights(vec![1.0, 3.0]);
    assert!(too_much.fit_columns(&columns, &ClassCodes::new([0, 1], 2)).is_err());
    assert!(GramColumns::new(&Dense::from_rows(&[[1.0, 0.5], [0.0, 1.0]])).is_err());
}

#[test]
fn negative_curvature_names_the_pair() {
    let gram = Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]]);
    let model =
        Svc::new(1.0).fit_columns(&GramColumns::new(&gram).unwrap(), &ClassCodes::new([0, 1], 2)).unwrap();
    let stop = model.classifiers()[0].certificate.as_ref().unwrap().stop;
    assert!(
        matches!(stop, crate::solve::Stop::NegativeCurvature { curvature, .. } if curvature == -2.0),
        "{stop:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn gaps_are_small_and_computed_rows_agree(
        values in prop::collection::vec(-2.0f64..2.0, 24..80),
        c in 0.01f64..100.0,
        flips in prop::collection::vec(any::<bool>(), 40),
    ) {
        let n = values.len() / 2;
        let x = Vectors::from(Dense::new(n, 2, values[..2 * n].to_vec()).unwrap());
        let mut target: Vec<usize> = (0..n).map(|i| usize::from((values[2 * i] > 0.0) != flips[i])).collect();
        target[0] = 0;
        target[1] = 1;
        let engine = Engine::new();
        let svc = Svc::new(c).with_limits(Limits { tolerance: 1e-5, ..Limits::default() });
        let kernel = Rbf::new(0.7).unwrap();
        let gram = engine.gram(&kernel, &x).unwrap();
        let by_gram = svc.fit_columns(&GramColumns::new(&gram).unwrap(), &ClassCodes::new(&target[..], 2)).unwrap();
        let certificate = by_gram.classifiers()[0].certificate.as_ref().unwrap();
        prop_assert!(certificate.converged());
        // Each object contributes at most its bound times the violation.
        let most = 1e-5 * c * n as f64;
        prop_assert!(certificate.relative_gap() > -1e-10 && certificate.gap <= most + 1e-9, "{certificate:?}");
        let set = crate::kernel::Kernel::prepare(&kernel, &x).unwrap();
        let rows = KernelColumns::<Vectors, _>::new(&engine, &kernel, &set);
        let by_rows = svc.fit_columns(&rows, &ClassCodes::new(&target[..], 2)).unwrap();
        let (a, b) = (certificate.dual, by_rows.classifiers()[0].certificate.as_ref().unwrap().dual);
        prop_assert!((a - b).abs() <= 1e-5 * (1.0 + a.abs()), "{a} vs. {b}");
    }
}

/// Any finite targets give finite values or an error, and nothing counts as converged without a small gap.
#[test]
fn targets_of_any_magnitude_give_a_finite_certificate_or_an_error() {
    let n = 24;
    let x = Vectors::from(Dense::new(n, 1, (0..n).map(|i| i as f64 / 7.0).collect()).unwrap());
    let (engine, kernel) = (Engine::new(), Rbf::new(0.5).unwrap());
    let gram = engine.gram(&kernel, &x).unwrap();
    let set = engine.prepare(&kernel, &x).unwrap();
    let looked_up = GramColumns::new(&gram).unwrap();
    let computed = KernelColumns::<Vectors, _>::new(&engine, &kernel, &set);
    let all: [&dyn crate::solve::Columns; 2] = [&looked_up, &computed];
    let scales = [1e-300, 1e-30, 1.0, 1e14, 1e16, 1e30, 1e37, 1e38, 1e39, 1e100, 1e153, 1e200, 1e300, 1e308];
    for columns in all {
        for (s, &scale) in scales.iter().enumerate() {
            for other in [scale, scales[scales.len() - 1 - s]] {
                for c in [1e-3, 1.0, 1e6] {
                    for tube in [Tube::Epsilon(0.1), Tube::Nu(0.5)] {
                        let target: Vec<f64> = (0..n)
                            .map(|i| if i % 2 == 0 { scale } else { -other } * (1.0 + i as f64 / 99.0))
                            .collect();
                        if target.iter().any(|t| !t.is_finite()) {
                            continue;
                        }
                        let limits = Limits { iterations: 20_000, ..Limits::default() };
                        let svr = Svr::by(c, tube).with_limits(limits);
                        let Ok(fitted) = svr.fit_columns(columns, &target) else { continue };
                        let found = fitted.model().certificate.clone().unwrap();
                        let figures = [found.primal, found.dual, found.gap, found.violation];
                        assert!(figures.iter().all(|v| v.is_finite()), "{scale} {other} {c}: {found:?}");
                        let bound = 0.01 * (1.0 + found.dual.abs());
                        assert!(!found.converged() || found.gap <= bound, "{scale} {other} {c}: {found:?}");
                    }
                }
            }
        }
    }
}

/// Similarities of very different magnitudes, such as polynomials of a high degree: converged solutions have a small
/// gap.
#[test]
fn converged_means_a_small_gap() {
    let n = 40;
    let x: Vec<f64> = (0..n).map(|i| (i as f64 * 0.37).sin() * 6.0).collect();
    let y: Vec<usize> = (0..n).map(|i| usize::from(i % 3 == 0)).collect();
    for degree in [2, 5, 8] {
        for c in [1e-3, 1.0, 1e3] {
            let values = x.iter().flat_map(|a| x.iter().map(move |b| (1.0 + a * b).powi(degree))).collect();
            let gram = Dense::new(n, n, values).unwrap();
            let columns = GramColumns::new(&gram).unwrap();
            let model = Svc::new(c).fit_columns(&columns, &ClassCodes::new(&y[..], 2)).unwrap();
            let found = model.classifiers()[0].certificate.clone().unwrap();
            let is_close = found.gap <= 0.1 * (1.0 + found.dual.abs());
            assert!(is_close || !found.converged(), "degree {degree}, C {c}: {found:?}");
        }
    }
}

/// Similarities like those of the sigmoid kernel: an object may be more similar to another one than to itself.
fn indefinite(n: usize) -> (Dense, Vec<f64>) {
    let x: Vec<f64> = (0..n).map(|i| (i * 37 % 41) as f64 / 10.0 - 1.6).collect();
    let k = x.iter().flat_map(|a| x.iter().map(move |b| (a * b + 0.5).tanh())).collect();
    (Dense::new(n, n, k).unwrap(), x)
}

#[test]
fn indefinite_matrices_are_accepted_on_request() {
    let (gram, x) = indefinite(40);
    let columns = GramColumns::new(&gram).unwrap();
    let codes = ClassCodes::new((0..40).map(|i| i % 2).collect::<Vec<_>>(), 2);
    let strict = Limits { tolerance: 1e-6, ..Limits::default() };
    let accepting = Limits { indefinite: true, ..strict.clone() };
    let fits = |limits: &Limits| {
        let svc = |svc: Svc| svc.with_limits(limits.clone()).fit_columns(&columns, &codes).unwrap();
        let svr =
            |svr: Svr| svr.with_limits(limits.clone()).fit_columns(&columns, &x).unwrap().model().clone();
        let one = OneClass::new(0.4).with_limits(limits.clone()).fit_columns(&columns, &()).unwrap();
        vec![svc(Svc::new(3.0)).classifiers()[0].clone(), svr(Svr::new(3.0, 0.01)), one.model().clone()]
    };
    let curved = |m: &DecisionFunction| {
        matches!(m.certificate.as_ref().unwrap().stop, crate::solve::Stop::NegativeCurvature { .. })
    };
    assert!(fits(&strict).iter().any(curved), "no direction of negative curvature was met");
    for model in fits(&accepting) {
        let found = model.certificate.as_ref().unwrap();
        assert!(!curved(&model) && found.stop.is_done(), "{:?}", found.stop);
        assert!(found.violation <= 1e-6 && !model.support.is_empty(), "{found:?}");
    }
    for method in [crate::solve::Method::Pairs, crate::solve::Method::ActiveSet] {
        fits(&Limits { method, ..accepting.clone() }).iter().for_each(|m| assert!(!curved(m)));
    }
    // A matrix of distances has no self-similarity above 0.
    let distances = Dense::new(40, 40, x.iter().flat_map(|a| x.iter().map(move |b| (a - b).abs())).collect());
    let distances = distances.unwrap();
    let columns = GramColumns::new(&distances).unwrap();
    let model = Svc::new(3.0).with_limits(accepting).fit_columns(&columns, &codes).unwrap();
    assert!(curved(&model.classifiers()[0]));
}
