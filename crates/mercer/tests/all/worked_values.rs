//! Numbers printed in the references, and rows of the specification computed by hand.

use mercer::data::{Dense, Vectors};
use mercer::gram::{Centering, Certificate, operations};
use mercer::kernel::{FeatureMap, vector::Polynomial};

use crate::support::{apart, dense_data, engine, gram, matrix, parse};

/// The five points of the book's chapter on kernel methods.
fn points() -> Dense {
    Dense::from_rows(&[[5.9, 3.0], [6.9, 3.1], [6.6, 2.9], [4.6, 3.2], [6.0, 2.2]])
}

/// B3: the linear kernel matrix of the five points, as printed (to two decimals).
#[test]
fn linear_kernel_matrix() {
    let printed = Dense::from_rows(&[
        [43.81, 50.01, 47.64, 36.74, 42.00],
        [50.01, 57.22, 54.53, 41.66, 48.22],
        [47.64, 54.53, 51.97, 39.64, 45.98],
        [36.74, 41.66, 39.64, 31.40, 34.64],
        [42.00, 48.22, 45.98, 34.64, 40.84],
    ]);
    assert!(apart(&gram("linear", &dense_data(&points())), &printed) < 5e-3 + 1e-12);
}

/// B2: the homogeneous quadratic map of (5.9, 3) is (34.81, 9, 25.03), and its dot products are the kernel.
#[test]
fn quadratic_feature_map() {
    let x = Vectors::from(points());
    let map = Polynomial::homogeneous(2).unwrap().features(&x).unwrap();
    assert_eq!(map.names, ["x1^2", "x2^2", "x1*x2"]);
    let map = map.values.to_dense();
    for (got, want) in map.row(0).iter().zip([34.81, 9.0, 25.03]) {
        assert!((got - want).abs() < 5e-3, "{got} {want}");
    }
    let k = gram("polynomial(degree=2, c=0)", &dense_data(&points()));
    // The book: φ(x1)·φ(x2) = (x1·x2)² = 50.01² = 2501.
    assert!((k.at(0, 1) - 2501.0).abs() < 0.5);
    let products = matrix(5, 5, |i, j| map.row(i).iter().zip(map.row(j)).map(|(a, b)| a * b).sum());
    assert!(apart(&k, &products) < 1e-11);
}

/// B4: the linear Gram of five points of the plane has rank 2.
#[test]
fn certificate_of_the_points() {
    let c = Certificate::of(&gram("linear", &dense_data(&points()))).unwrap();
    assert_eq!((c.rank, c.negative, c.is_psd()), (2, 0, true));
}

/// B6: the Gaussian, from the distances of the points.
#[test]
fn gaussian_of_the_points() {
    let k = gram("rbf(sigma=1)", &dense_data(&points()));
    // |x1 - x2|² = 1 + 0.01, so exp(-1.01 / 2).
    assert!((k.at(0, 1) - (-0.505f64).exp()).abs() < 1e-13);
    assert_eq!(k.at(2, 2), 1.0);
}

/// B7: norms, distances, the mean and centring, by kernels and by coordinates.
#[test]
fn feature_space_operations() {
    let x = points();
    let k = gram("linear", &dense_data(&x));
    let mean = [6.0, 2.88];
    let squared = mean[0] * mean[0] + mean[1] * mean[1];
    assert!((operations::squared_norm_of_mean(&k).unwrap() - squared).abs() < 1e-11);
    let centred = gram("center(linear)", &dense_data(&x));
    let direct = matrix(5, 5, |i, j| (0..2).map(|c| (x.at(i, c) - mean[c]) * (x.at(j, c) - mean[c])).sum());
    assert!(apart(&centred, &direct) < 1e-12);
    let mut by_matrix = k.clone();
    Centering::fit(&k).unwrap().apply_train(&mut by_matrix).unwrap();
    assert!(apart(&centred, &by_matrix) < 1e-12);
    // Normalising: x1·x2 / (|x1|·|x2|) = 50.01 / √(43.81 · 57.22) = 0.9988.
    assert!((gram("normalize(linear)", &dense_data(&x)).at(0, 1) - 0.9988).abs() < 5e-5);
}

/// E4: all-ones and delta, sums, products and multiples.
#[test]
fn closure() {
    let data = dense_data(&Dense::from_rows(&[[1.0], [2.0], [1.0]]));
    assert!(gram("ones", &data).values().iter().all(|v| *v == 1.0));
    assert_eq!(gram("delta", &data), Dense::from_rows(&[[1.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 0.0, 1.0]]));
    let k = gram("3*linear + linear*delta + ones", &data);
    assert_eq!(k, Dense::from_rows(&[[5.0, 7.0, 5.0], [7.0, 17.0, 7.0], [5.0, 7.0, 5.0]]));
}

/// The explicit features of an expression, and expressions without any.
#[test]
fn features_of_expressions() {
    let data = dense_data(&points());
    let features = parse("polynomial(degree=3, c=0.5, gamma=2)").explicit_features(&data).unwrap();
    assert_eq!(features.names.len(), 10);
    let map = features.values.to_dense();
    let k = gram("polynomial(degree=3, c=0.5, gamma=2)", &data);
    for i in 0..5 {
        for j in 0..5 {
            let product: f64 = map.row(i).iter().zip(map.row(j)).map(|(a, b)| a * b).sum();
            assert!((product - k.at(i, j)).abs() < 1e-12 * k.at(i, j));
        }
    }
    assert!(parse("linear").explicit_features(&data).is_ok());
    for none in ["rbf", "linear * linear", "normalize(rbf)"] {
        assert!(parse(none).explicit_features(&data).is_err(), "{none}");
    }
}

/// Single precision is the double result rounded once.
#[test]
fn single_precision_is_rounded_double() {
    let data = dense_data(&points());
    let kernel = crate::support::fit("rbf(gamma=0.37) + polynomial(degree=3)", &data).kernel;
    let set = mercer::kernel::Kernel::prepare(&kernel, &data).unwrap();
    let double: Dense<f64> = engine().gram_of(&kernel, &set).unwrap();
    let single: Dense<f32> = engine().gram_of(&kernel, &set).unwrap();
    assert!(double.values().iter().zip(single.values()).all(|(d, s)| (*d as f32).to_bits() == s.to_bits()));
    let cross: Dense<f32> = engine().cross_of(&kernel, &set, &set).unwrap();
    assert_eq!(cross.at(0, 3), double.at(0, 3) as f32);
}
