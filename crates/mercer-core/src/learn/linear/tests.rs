use super::*;
use crate::data::Vectors;
use crate::data::{Dense, Sparse};
use crate::learn::learner::{ClassCodes, Learner};
use crate::solve::Stop;

/// Three clusters of points at the corners of a triangle.
fn clouds() -> (Vectors, ClassCodes) {
    let corners = [[0.0, 2.0], [2.0, -1.0], [-2.0, -1.0]];
    let mut rows = Vec::new();
    for k in 0..60usize {
        let [x, y] = corners[k % 3];
        let (dx, dy) = ((k * 37 % 19) as f64 / 19.0 - 0.5, (k * 53 % 23) as f64 / 23.0 - 0.5);
        rows.push([x + dx, y + dy, 1.0]);
    }
    // Top, right and left.
    let codes: Vec<usize> = (0..60).map(|k| k % 3).collect();
    (Dense::from_rows(&rows).into(), ClassCodes::new(codes, 3))
}

/// The chosen objects' classes, renumbered to those that occur.
fn chosen(y: &ClassCodes, rows: &[usize]) -> ClassCodes {
    ClassCodes::of_labels(&rows.iter().map(|&i| y.codes()[i]).collect::<Vec<_>>()).1
}

fn svc() -> LinearSvc {
    LinearSvc::new(1.0)
}

#[test]
fn three_classes_are_separated() {
    let (x, y) = clouds();
    for loss in [Loss::Absolute, Loss::Squared] {
        let learner = svc().with_parameters(LinearParameters { loss, ..Default::default() });
        let fitted = learner.fit_features((&x).into(), &y).unwrap();
        assert!(fitted.is_converged() && fitted.warnings().is_empty());
        assert_eq!(fitted.classes(), 3);
        assert_eq!((fitted.classifiers().len(), fitted.decide(&x).unwrap().len()), (3, 3));
        assert_eq!(fitted.predict(&x).unwrap(), y.codes());
        // The first model separates along the second coordinate.
        assert_eq!(fitted.explain()[0][0].0, 1);
    }
}

#[test]
fn two_classes_give_one_model_and_unused_levels_none() {
    let (x, y) = clouds();
    let rows: Vec<usize> = (0..60).filter(|k| k % 3 != 0).collect();
    let (x, y) = (x.select(&rows), chosen(&y, &rows));
    let fitted = svc().fit_features((&x).into(), &y).unwrap();
    assert_eq!(fitted.classes(), 2);
    assert_eq!(fitted.classifiers().len(), 1);
    let (values, classes) = (fitted.decide(&x).unwrap(), fitted.predict(&x).unwrap());
    for (i, v) in values[0].iter().enumerate() {
        assert_eq!(classes[i], y.codes()[i]);
        assert_eq!(*v > 0.0, y.codes()[i] == 1);
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let (x, y) = clouds();
    let fit = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let fitted = pool.install(|| svc().fit_features((&x).into(), &y)).unwrap();
        let values = pool.install(|| fitted.decide(&x)).unwrap();
        let models: Vec<_> = fitted.classifiers().iter().map(|m| (m.weights.clone(), m.intercept)).collect();
        (models, values)
    };
    assert_eq!(fit(1), fit(2));
    assert_eq!(fit(1), fit(5));
}

#[test]
fn class_weights_equal_object_weights() {
    let (x, y) = clouds();
    let limits = Limits { tolerance: 1e-8, ..Limits::default() };
    let svc = || svc().with_limits(limits.clone());
    let by_class = svc().with_class_weights(vec![1.0, 3.0, 1.0]).fit_features((&x).into(), &y).unwrap();
    let weights: Vec<f64> = (0..60).map(|k| if k % 3 == 1 { 3.0 } else { 1.0 }).collect();
    let by_object = svc().with_weights(weights).fit_features((&x).into(), &y).unwrap();
    for (a, b) in by_class.classifiers().iter().zip(by_object.classifiers()) {
        assert_eq!(a.weights, b.weights);
    }
    let twice: Vec<usize> = (0..60).flat_map(|k| vec![k; if k % 3 == 1 { 3 } else { 1 }]).collect();
    let repeated = svc().fit_features((&x.select(&twice)).into(), &chosen(&y, &twice)).unwrap();
    for (a, b) in by_class.classifiers().iter().zip(repeated.classifiers()) {
        assert!((a.duality.primal - b.duality.primal).abs() <= 1e-6 * a.duality.primal);
        assert!(a.weights.iter().zip(&b.weights).all(|(v, w)| (v - w).abs() < 1e-4));
    }
}

#[test]
fn a_larger_bias_frees_the_offset() {
    let x = Vectors::from(Dense::from_rows(&[[0.0], [1.0], [2.0], [3.0]]));
    let y = [10.0, 12.0, 14.0, 16.0];
    let offset = |bias, c| {
        let parameters = LinearParameters { bias, c, epochs: 100_000, ..Default::default() };
        let svr = LinearSvr::new(c, 0.0).with_parameters(parameters);
        let fitted = svr.fit_features((&x).into(), &y).unwrap();
        assert!(fitted.warnings().is_empty());
        assert_eq!(fitted.predict(&x).unwrap().len(), 4);
        fitted.model().intercept()
    };
    assert_eq!(offset(None, 1.0), 0.0);
    let (near, far) = (offset(Some(1.0), 1.0), offset(Some(10.0), 1.0));
    assert!((far - 10.0).abs() < (near - 10.0).abs());
}

#[test]
fn limits_are_reported_as_warnings() {
    let (x, y) = clouds();
    let mut unscaled = x.to_dense();
    (0..60).for_each(|i| unscaled.row_mut(i)[0] *= 1e6);
    let x = Vectors::from(unscaled);
    let learner = svc().with_parameters(LinearParameters { epochs: 20, ..Default::default() });
    let learner = learner.with_limits(Limits { tolerance: 1e-10, ..Limits::default() });
    let fitted = learner.fit_features((&x).into(), &y).unwrap();
    assert!(!fitted.is_converged());
    let warnings = fitted.warnings();
    assert!(warnings.iter().all(|w| w.message.contains("20 epochs")), "{warnings:?}");
    assert!(fitted.classifiers().iter().any(|m| m.duality().stop == Stop::Iterations));
}

#[test]
fn invalid_arguments_are_rejected() {
    let (x, y) = clouds();
    let rows = FeatureRows::from(&x);
    let numbers = vec![1.0; 60];
    let svr = |epsilon| LinearSvr::new(1.0, epsilon);
    for c in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(LinearSvc::new(c).fit_features(rows, &y).is_err());
        let parameters = LinearParameters { bias: Some(c), ..Default::default() };
        assert!(svr(0.1).with_parameters(parameters).fit_features(rows, &numbers).is_err());
        assert!(svc().with_class_weights(vec![1.0, c, 1.0]).fit_features(rows, &y).is_err());
    }
    assert!(svr(-0.1).fit_features(rows, &numbers).is_err());
    assert!(svc().with_class_weights(vec![1.0; 4]).fit_features(rows, &y).is_err());
    assert!(svc().fit_features(rows, &chosen(&y, &[0, 1])).is_err());
    assert!(svc().fit_features((&x.select(&[0, 3])).into(), &chosen(&y, &[0, 3])).is_err());
    assert!(svc().fit_features((&x.select(&[])).into(), &chosen(&y, &[])).is_err());
    assert!(svc().with_weights(vec![1.0; 59]).fit_features(rows, &y).is_err());
    assert!(svc().with_weights(vec![f64::NAN; 60]).fit_features(rows, &y).is_err());
    assert!(svr(0.1).fit_features(rows, &[1.0]).is_err());
    assert!(svr(0.1).fit_features((&x.select(&[])).into(), &[]).is_err());
    let gram = Dense::from_rows(&[[1.0]]);
    let columns = crate::solve::GramColumns::new(&gram).unwrap();
    assert!(svc().fit_columns(&columns, &y).is_err());
    let fitted = svc().fit_features(rows, &y).unwrap();
    let narrow = Vectors::from(Dense::from_rows(&[[1.0, 2.0]]));
    assert!(matches!(fitted.predict(&narrow), Err(Error::Dimension { expected: 3, found: 2 })));
    let nan = Vectors::from(Dense::from_rows(&[[1.0, f64::NAN, 0.0]]));
    assert!(matches!(fitted.predict(&nan), Err(Error::Object { index: 0, .. })));
}

#[test]
fn features_that_do_not_occur_have_no_weights() {
    let (x, y) = clouds();
    let places = [7u32, 1_000_000, 99_999_999];
    let x = x.to_dense();
    let rows = |place: &dyn Fn(usize) -> u32| -> Vec<Vec<(u32, f64)>> {
        (0..x.rows()).map(|i| (0..3).map(|f| (place(f), x.at(i, f))).collect()).collect()
    };
    let near = Vectors::Sparse(Sparse::from_rows(3, &rows(&|f| f as u32)).unwrap());
    let far = Vectors::Sparse(Sparse::from_rows(100_000_000, &rows(&|f| places[f])).unwrap());
    let fit = |x: &Vectors| svc().fit_features(x.into(), &y).unwrap();
    let (a, b) = (fit(&near), fit(&far));
    assert_eq!(a.decide(&near).unwrap(), b.decide(&far).unwrap());
    for (a, b) in a.classifiers().iter().zip(b.classifiers()) {
        assert_eq!((a.weights(), a.features(), a.dim()), (b.weights(), None, 3));
        assert_eq!((b.features(), b.dim()), (Some(&places[..]), 100_000_000));
        let moved: Vec<_> = a.explain().iter().map(|&(f, w)| (places[f] as usize, w)).collect();
        assert_eq!(moved, b.explain());
        assert_eq!((b.weight(7), b.weight(8), b.weight(usize::MAX)), (a.weights()[0], 0.0, 0.0));
    }
    // New objects with other features.
    let new = vec![vec![(7, 1.0), (8, 5.0)], vec![]];
    let new = Vectors::Sparse(Sparse::from_rows(100_000_000, &new).unwrap());
    let values = b.classifiers()[0].decide(&new).unwrap();
    let m = &b.classifiers()[0];
    assert_eq!(values, [m.weight(7) + m.intercept(), m.intercept()]);
    assert!(b.decide(&near).is_err());
    let numbers: Vec<f64> = (0..60).map(|i| x.at(i, 0)).collect();
    let svr = LinearSvr::new(1.0, 0.1);
    let fit = |x: &Vectors| svr.fit_features(x.into(), &numbers).unwrap().predict(x).unwrap();
    assert_eq!(fit(&near), fit(&far));
}
