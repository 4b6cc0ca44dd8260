//! Vector kernels compared with plain double loops, dense with sparse, and far from the origin.

use mercer::data::{Dataset, Dense, Vectors};
use mercer::kernel::{FeatureMap, Kernel, vector::*};
use proptest::prelude::*;

use crate::support::{apart, dense_data, engine, gram, matrix, numbers, sparse};

fn sum(x: &[f64], y: &[f64], term: impl Fn(f64, f64) -> f64) -> f64 {
    x.iter().zip(y).map(|(a, b)| term(*a, *b)).sum()
}

/// Each kernel of two vectors by its formula, by its expression.
fn formula(name: &str, x: &[f64], y: &[f64]) -> f64 {
    let product = |x: &[f64], y: &[f64]| sum(x, y, |a, b| a * b);
    match name {
        "linear" => product(x, y),
        "polynomial(degree=3, c=0.5, gamma=0.2)" => (0.2 * product(x, y) + 0.5).powi(3),
        "rbf(gamma=0.3)" => (-0.3 * sum(x, y, |a, b| (a - b) * (a - b))).exp(),
        "laplacian(gamma=0.3)" => (-0.3 * sum(x, y, |a, b| (a - b).abs())).exp(),
        "sigmoid(gamma=0.2, c=-0.5)" => (0.2 * product(x, y) - 0.5).tanh(),
        "cosine" => {
            let lengths = (product(x, x) * product(y, y)).sqrt();
            if lengths > 0.0 { product(x, y) / lengths } else { 0.0 }
        }
        "chi2(gamma=0.4)" => {
            let term = |a: f64, b: f64| if a + b > 0.0 { (a - b) * (a - b) / (a + b) } else { 0.0 };
            (-0.4 * sum(x, y, term)).exp()
        }
        "delta" => f64::from(u8::from(x == y)),
        _ => panic!("{name}"),
    }
}

const KERNELS: [&str; 8] = [
    "linear",
    "polynomial(degree=3, c=0.5, gamma=0.2)",
    "rbf(gamma=0.3)",
    "laplacian(gamma=0.3)",
    "sigmoid(gamma=0.2, c=-0.5)",
    "cosine",
    "chi2(gamma=0.4)",
    "delta",
];

/// Vectors with many zeros, integers and fractions, non-negative if `counts`.
fn rows(counts: bool) -> impl Strategy<Value = Dense> {
    (1usize..12, 1usize..9).prop_flat_map(move |(n, d)| {
        let number = prop_oneof![
            3 => Just(0.0),
            2 => (-3i32..4).prop_map(f64::from),
            3 => -2.0..2.0,
        ];
        prop::collection::vec(number, n * d).prop_map(move |values| {
            let values = values.into_iter().map(|v| if counts { v.abs() } else { v }).collect();
            Dense::new(n, d, values).unwrap()
        })
    })
}

/// Compares up to rounding: some units relative to the objects' self-similarities.
fn near(name: &str, got: &Dense, want: &Dense, relative: f64) -> Result<(), TestCaseError> {
    let scale = want.values().iter().fold(1.0f64, |a, b| a.max(b.abs()));
    prop_assert!(apart(got, want) <= relative * scale, "{}: off by {:e}", name, apart(got, want));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn kernels_equal_their_formulas(x in rows(false), y in rows(true)) {
        for name in KERNELS {
            let x = if name.starts_with("chi2") { &y } else { &x };
            let want = matrix(x.rows(), x.rows(), |i, j| formula(name, x.row(i), x.row(j)));
            near(name, &gram(name, &dense_data(x)), &want, 1e-13)?;
        }
    }

    #[test]
    fn sparse_equals_dense_and_mixes_with_it(x in rows(false), y in rows(true)) {
        for name in KERNELS {
            let x = if name.starts_with("chi2") { &y } else { &x };
            let (dense, sparse) = (dense_data(x), Dataset::of_vectors(sparse(x)));
            let want = gram(name, &dense);
            near(name, &gram(name, &sparse), &want, 1e-13)?;
            let kernel = crate::support::fit(name, &dense).kernel;
            for (rows, cols) in [(&dense, &sparse), (&sparse, &dense), (&sparse, &sparse), (&dense, &dense)] {
                near(name, &engine().cross(&kernel, rows, cols).unwrap(), &want, 1e-13)?;
            }
        }
    }

    #[test]
    fn inner_products_of_polynomial_features_equal_the_kernel(
        x in rows(false), degree in 1u32..5, c in prop_oneof![Just(0.0), 0.1..2.0], gamma in 0.1..2.0,
    ) {
        let x = x.select(&(0..x.rows().min(6)).collect::<Vec<_>>());
        let kernel = Polynomial::new(degree, c, gamma).unwrap();
        let k = engine().gram(&kernel, &Vectors::from(x.clone())).unwrap();
        for vectors in [Vectors::from(x.clone()), Vectors::from(sparse(&x))] {
            let map = kernel.features(&vectors).unwrap();
            prop_assert_eq!(map.names.len(), map.values.dim());
            let map = map.values.to_dense();
            let products = matrix(x.rows(), x.rows(), |i, j| sum(map.row(i), map.row(j), |a, b| a * b));
            near("features", &products, &k, 1e-12)?;
        }
    }

    #[test]
    fn the_gaussian_of_the_linear_distance_is_the_gaussian(x in rows(false), gamma in 0.01f64..2.0) {
        let (direct, derived) = (format!("rbf(gamma={gamma})"), format!("rbf-of(linear, gamma={gamma})"));
        let data = dense_data(&x);
        near("rbf-of", &gram(&derived, &data), &gram(&direct, &data), 1e-12)?;
    }

    /// Points near 1e8 with unit variance: |x|² + |y|² - 2x·y has no correct digit there.
    #[test]
    fn distances_keep_their_digits_far_from_the_origin(x in rows(false), far in 1e6f64..1e8, gamma in 0.01f64..2.0) {
        let mut moved = x.clone();
        moved.values_mut().iter_mut().for_each(|v| *v += far);
        for (name, power) in [("rbf", 2), ("laplacian", 1)] {
            let want = matrix(x.rows(), x.rows(), |i, j| {
                (-gamma * sum(moved.row(i), moved.row(j), |a: f64, b: f64| (a - b).abs().powi(power))).exp()
            });
            let name = format!("{name}(gamma={gamma})");
            for data in [dense_data(&moved), Dataset::of_vectors(sparse(&moved))] {
                prop_assert!(apart(&gram(&name, &data), &want) < 1e-12, "{}", name);
            }
        }
        // The terms of chi2 are squared differences over sums.
        let want = matrix(x.rows(), x.rows(), |i, j| {
            (-gamma * 1e6 * sum(moved.row(i), moved.row(j), |a, b| (a - b) * (a - b) / (a + b))).exp()
        });
        for data in [dense_data(&moved), Dataset::of_vectors(sparse(&moved))] {
            let got = gram(&format!("chi2(gamma={})", gamma * 1e6), &data);
            prop_assert!(apart(&got, &want) < 1e-12, "chi2 off by {:e}", apart(&got, &want));
        }
    }
}

/// The typed kernels and the expressions are the same functions.
#[test]
fn typed_kernels_and_expressions_agree() {
    let x = Dense::from_rows(&[[1.0, 0.5, 0.0], [0.0, 2.0, 0.1], [3.0, 0.0, 0.0]]);
    fn typed(kernel: impl Kernel<Vectors>, x: &Dense) -> Dense {
        engine().gram(&kernel, &Vectors::from(x.clone())).unwrap()
    }
    let data = dense_data(&x);
    assert_eq!(typed(Linear, &x), gram("linear", &data));
    assert_eq!(typed(Polynomial::new(3, 0.5, 2.0).unwrap(), &x), gram("polynomial(3, 0.5, 2)", &data));
    assert_eq!(typed(Rbf::with_sigma(2.0).unwrap(), &x), gram("rbf(sigma=2)", &data));
    assert_eq!(typed(Laplacian::new(0.5).unwrap(), &x), gram("laplacian(0.5)", &data));
    assert_eq!(typed(Cosine, &x), gram("cosine", &data));
    assert_eq!(typed(Sigmoid::new(0.5, -1.0).unwrap(), &x), gram("sigmoid(0.5, -1)", &data));
    assert_eq!(typed(ChiSquared::new(0.5).unwrap(), &x), gram("chi2(0.5)", &data));
}

#[test]
fn refusals_of_vector_kernels() {
    let data = crate::support::dataset(vec![numbers("a", &[1.0, f64::INFINITY])]);
    let error = engine().gram(&crate::support::fit("linear", &data).kernel, &data).unwrap_err();
    assert!(matches!(error, mercer::Error::Object { index: 1, .. }), "{error}");
    let data = crate::support::dataset(vec![numbers("a", &[1.0, 2.0, -1.0])]);
    let error = engine().gram(&crate::support::fit("chi2", &data).kernel, &data).unwrap_err();
    assert!(matches!(error, mercer::Error::Object { index: 2, .. }), "{error}");
}
