//! Wrappers of kernels: scaling, centring, repair, columns, parts, missing values.

use mercer::data::{Categories, Column, Dataset, Dense, Sparse, Values};
use mercer::gram::{Centering, Certificate, Method, Repair};
use mercer::{Code, Error};
use proptest::prelude::*;

use crate::generate::Random;
use crate::support::{
    apart, block, cross, dataset, dense_data, engine, fit, gram, matrix, numbers, parse, strings,
};

/// Objects with three columns, seeded.
fn table(n: usize, seed: u64) -> Dataset {
    let mut random = Random::new(seed);
    let mut column = |name: &str| {
        let values: Vec<f64> = (0..n).map(|_| random.between(-2.0, 2.0)).collect();
        numbers(name, &values)
    };
    dataset(vec![column("a"), column("b"), column("c d")])
}

fn first(data: &Dataset, n: usize) -> Dataset {
    data.select(&(0..n).collect::<Vec<_>>())
}

fn rest(data: &Dataset, n: usize) -> Dataset {
    data.select(&(n..data.len()).collect::<Vec<_>>())
}

/// The error of computing an expression.
fn refused(text: &str, training: &Dataset, new: &Dataset) -> Error {
    let kernel = fit(text, training).kernel;
    engine().gram(&kernel, new).expect_err(text)
}

#[test]
fn sums_and_products_over_columns_equal_the_explicit_ones() {
    let data = table(9, 1);
    let sum = gram("rbf(gamma=0.3)@a + rbf(gamma=0.3)@b + rbf(gamma=0.3)@\"c d\"", &data);
    assert_eq!(gram("column-sum(rbf(gamma=0.3))", &data), sum);
    let product = gram("laplacian(gamma=0.3)@a * laplacian(gamma=0.3)@\"c d\"", &data);
    assert_eq!(gram("column-product(laplacian(gamma=0.3))@a,\"c d\"", &data), product);
    // A product of Gaussians is the Gaussian of all columns.
    assert!(apart(&gram("column-product(rbf(gamma=0.3))", &data), &gram("rbf(gamma=0.3)", &data)) < 1e-14);
    assert!(apart(&gram("column-sum(linear)", &data), &gram("linear", &data)) < 1e-14);
}

#[test]
fn zero_extension_equals_the_kernel_on_objects_with_values() {
    let gap = f64::NAN;
    let data = dataset(vec![
        numbers("age", &[1.0, gap, 3.0, 4.0]),
        numbers("weight", &[2.0, 1.0, gap, 0.5]),
        numbers("all", &[1.0, 2.0, 3.0, 4.0]),
    ]);
    let present = [0, 2, 3];
    let inner = gram("rbf(gamma=0.1)@age", &data.select(&present));
    let k = gram("zero-extend(rbf(gamma=0.1)@age)", &data);
    assert_eq!(block(&k, &present, &present), inner);
    assert!((0..4).all(|i| k.at(1, i) == 0.0 && k.at(i, 1) == 0.0));
    // Without @, every column the kernel uses must have a value.
    let k = gram("zero-extend(linear)", &data);
    assert_eq!(block(&k, &[0, 3], &[0, 3]), gram("linear", &data.select(&[0, 3])));
    assert!((0..4).all(|i| k.at(1, i) == 0.0 && k.at(2, i) == 0.0));
    // New objects, compared with training objects with and without a value.
    let new = dataset(vec![
        numbers("age", &[gap, 2.0]),
        numbers("weight", &[1.0, 1.0]),
        numbers("all", &[0.0, 0.0]),
    ]);
    let c = cross("zero-extend(linear@age)", &new, &data);
    assert_eq!(c, Dense::from_rows(&[[0.0; 4], [2.0, 0.0, 6.0, 8.0]]));
    // No values at all.
    let none = dataset(vec![numbers("age", &[gap, gap])]);
    assert_eq!(gram("zero-extend(rbf)", &none), Dense::zeros(2, 2));
    // Categories can be missing too.
    let colours = Values::Categories(Categories::from_values([Some("red"), None, Some("red")]));
    let data = dataset(vec![Column::new("colour", colours)]);
    let want = Dense::from_rows(&[[1.0, 0.0, 1.0], [0.0; 3], [1.0, 0.0, 1.0]]);
    assert_eq!(gram("zero-extend(delta)", &data), want);
}

/// The columns named outside determine which objects have a value, and the fitted kernel prints them.
#[test]
fn zero_extension_keeps_its_columns_in_print() {
    let data = dataset(vec![numbers("a", &[1.0, f64::NAN]), numbers("b", &[3.0, 4.0])]);
    let kernel = fit("zero-extend(ones)@a", &data).kernel;
    let k = engine().gram(&kernel, &data).unwrap();
    assert_eq!(k, Dense::from_rows(&[[1.0, 0.0], [0.0, 0.0]]));
    assert_eq!(gram(&kernel.to_string(), &data), k, "{kernel}");
    // A kernel with its own columns inside other columns.
    assert_eq!(gram("zero-extend(linear@b)@a", &data), Dense::from_rows(&[[9.0, 0.0], [0.0, 0.0]]));
}

#[test]
fn errors_give_the_index_in_the_whole_data() {
    let gap = f64::NAN;
    let data = dataset(vec![numbers("age", &[1.0, gap, 3.0]), numbers("b", &[1.0, 2.0, 3.0])]);
    for text in ["linear", "rbf@age", "delta", "center(linear)", "convolution(rbf)"] {
        let error = parse(text).fit(&data, engine()).map(|f| engine().gram(&f.kernel, &data).unwrap_err());
        let error = error.unwrap_or_else(|e| e);
        assert!(matches!(&error, Error::Missing { index: 1, column } if column == "age"), "{text}: {error}");
        assert!(error.to_string().contains("object 2") && error.to_string().contains("'age'"), "{error}");
    }
    // Object 3 is the second of those that have a value.
    let negative = dataset(vec![numbers("age", &[gap, 1.0, -3.0])]);
    let error = refused("zero-extend(chi2)", &negative.select(&[1]), &negative);
    assert!(matches!(error, Error::Object { index: 2, .. }), "{error}");
    // The fourth part belongs to the second object.
    let negative = dataset(vec![numbers("a", &[1.0, 2.0]), numbers("b", &[1.0, -2.0])]);
    let error = refused("convolution(chi2)", &negative, &negative);
    assert!(matches!(error, Error::Object { index: 1, .. }), "{error}");
}

/// The spectrum kernel by brute force: products of the counts of each k-mer, summed.
fn spectrum(a: &str, b: &str, length: usize) -> f64 {
    let words = |s: &str| {
        let symbols: Vec<char> = s.chars().collect();
        symbols.windows(length).map(<[char]>::to_vec).collect::<Vec<_>>()
    };
    let theirs = words(b);
    words(a).iter().map(|w| theirs.iter().filter(|t| *t == w).count() as f64).sum()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_convolution_of_substrings_is_the_spectrum_kernel(
        words in prop::collection::vec(prop::collection::vec(prop::sample::select(&['a', 'c', 'é'][..]), 0..12), 1..6),
        length in 1usize..5,
    ) {
        let words: Vec<String> = words.into_iter().map(|w| w.into_iter().collect()).collect();
        let data = dataset(vec![strings("s", &words.iter().map(String::as_str).collect::<Vec<_>>())]);
        let k = gram(&format!("convolution(delta, parts=substrings, length={length})"), &data);
        let n = words.len();
        prop_assert_eq!(&k, &matrix(n, n, |i, j| spectrum(&words[i], &words[j], length)));
        let symbols = gram("convolution(delta, parts=symbols)", &data);
        prop_assert_eq!(symbols, matrix(n, n, |i, j| spectrum(&words[i], &words[j], 1)));
    }

    #[test]
    fn a_convolution_of_columns_is_a_double_sum(seed in any::<u64>(), n in 1usize..9) {
        let data = table(n, seed);
        let x = data.vectors(&["a".into(), "b".into(), "c d".into()]).unwrap().to_dense();
        let want = matrix(n, n, |i, j| {
            let pairs = x.row(i).iter().flat_map(|a| x.row(j).iter().map(move |b| (-0.7 * (a - b) * (a - b)).exp()));
            pairs.sum()
        });
        prop_assert!(apart(&gram("convolution(rbf(gamma=0.7))", &data), &want) < 1e-13);
    }

    #[test]
    fn centring_equals_that_of_the_matrix(seed in any::<u64>(), n in 1usize..12, more in 0usize..5) {
        let data = table(n + more, seed);
        let (train, new) = (first(&data, n), rest(&data, n));
        for inner in ["rbf(gamma=0.3)", "linear", "polynomial(degree=2)"] {
            let text = format!("center({inner})");
            let (mut k, mut c) = (gram(inner, &train), cross(inner, &new, &train));
            let centering = Centering::fit(&k).unwrap();
            centering.apply_train(&mut k).unwrap();
            centering.apply_cross(&mut c).unwrap();
            prop_assert!(apart(&gram(&text, &train), &k) < 1e-12);
            prop_assert!(apart(&cross(&text, &new, &train), &c) < 1e-12);
        }
    }

    #[test]
    fn repair_equals_that_of_the_matrix(seed in any::<u64>(), n in 2usize..10, more in 1usize..4) {
        let data = table(n + more, seed);
        let (train, new) = (first(&data, n), rest(&data, n));
        let inner = "sigmoid(gamma=0.8, c=-1)";
        for (word, method) in [("clip", Method::Clip), ("flip", Method::Flip), ("shift", Method::Shift)] {
            let text = format!("repair({inner}, method={word})");
            let repair = Repair::fit(&gram(inner, &train), method).unwrap();
            let k = gram(&text, &train);
            prop_assert!(apart(&k, repair.train()) < 1e-11, "{}", word);
            prop_assert!(Certificate::of(&k).unwrap().require_psd().is_ok());
            let c = repair.apply_cross(&cross(inner, &new, &train)).unwrap();
            // Coordinates of new objects are divided by eigenvalues down to the tolerance.
            prop_assert!(apart(&cross(&text, &new, &train), &c) < 1e-6, "{}", word);
        }
    }
}

/// Diffusion without eigenvalues near 0, by which it divides.
#[test]
fn diffusion_equals_that_of_the_matrix() {
    let data = dense_data(&Dense::from_rows(&[[1.0, 0.2], [0.3, -2.0], [-1.0, 0.5]]));
    let repair = Repair::fit(&gram("sigmoid(c=-1)", &data), Method::Diffuse { beta: 0.5 }).unwrap();
    let k = gram("repair(sigmoid(c=-1), method=diffuse, beta=0.5)", &data);
    assert!(apart(&k, repair.train()) < 1e-10);
}

#[test]
fn a_repair_reports_its_changes() {
    let data = table(8, 3);
    let fitted = fit("repair(sigmoid(gamma=1, c=-1))", &data);
    assert_eq!(fitted.warnings.iter().map(|w| w.code).collect::<Vec<_>>(), ["W_REPAIRED"]);
    assert!(fit("repair(rbf)", &data).warnings.is_empty());
    assert_eq!(gram("repair(rbf)", &data), gram("rbf", &data));
}

/// The scale is fitted to the training objects; new ones use it.
#[test]
fn scaling_is_fitted_to_the_training_objects() {
    let train = dataset(vec![numbers("a", &[0.0, 2.0, 4.0]), numbers("b", &[10.0, 10.0, 40.0])]);
    let new = dataset(vec![numbers("a", &[6.0]), numbers("b", &[-20.0])]);
    // Means 2 and 20, deviations √(8/3) and √200.
    let z = |a: f64, b: f64| [(a - 2.0) / (8f64 / 3.0).sqrt(), (b - 20.0) / 200f64.sqrt()];
    let dot = |x: [f64; 2], y: [f64; 2]| x[0] * y[0] + x[1] * y[1];
    let c = cross("standardize(linear)", &new, &train);
    for (j, t) in [z(0.0, 10.0), z(2.0, 10.0), z(4.0, 40.0)].into_iter().enumerate() {
        assert!((c.at(0, j) - dot(z(6.0, -20.0), t)).abs() < 1e-13);
    }
    // The new object is outside the training range on both sides: (1, 0) after clipping.
    let c = cross("minmax(linear)", &new, &train);
    assert!(apart(&c, &Dense::from_rows(&[[0.0, 0.5, 1.0]])) < 1e-15);
    // A minimum of 0 is a bound like any other.
    let train = dataset(vec![numbers("a", &[0.0, 4.0])]);
    let below = dataset(vec![numbers("a", &[-3.0])]);
    assert_eq!(cross("minmax(linear)", &below, &train), Dense::from_rows(&[[0.0, 0.0]]));
    assert!(engine().cross(&fit("minmax(chi2)", &train).kernel, &below, &train).is_ok());
}

/// Only the columns the kernel uses are scaled, wherever they are named.
#[test]
fn only_columns_the_kernel_uses_are_scaled() {
    let data = table(6, 5);
    let want = gram("standardize(linear@a)", &data);
    assert_eq!(gram("standardize(linear)@a", &data), want);
    assert_eq!(gram("standardize(linear@a)@b", &data), want);
    assert_eq!(gram("(standardize(linear@a))@b", &data), want);
    assert!(apart(&want, &gram("linear@a", &data)) > 1e-3);
}

#[test]
fn constant_columns_become_zero_with_a_warning() {
    // The mean of three times 0.1 is not 0.1 in doubles.
    for value in [0.1, 0.0, 1e6, -7.3] {
        let data = dataset(vec![numbers("same", &[value; 3]), numbers("b", &[1.0, 2.0, 4.0])]);
        for wrapper in ["standardize", "minmax"] {
            let fitted = fit(&format!("{wrapper}(linear)"), &data);
            assert_eq!(fitted.warnings.len(), 1, "{wrapper} {value}");
            assert_eq!(fitted.warnings[0].code, "W_CONSTANT");
            assert!(fitted.warnings[0].message.ends_with(": same"), "{}", fitted.warnings[0]);
            let k = engine().gram(&fitted.kernel, &data).unwrap();
            assert_eq!(k, gram(&format!("{wrapper}(linear@b)"), &data), "{wrapper} {value}");
        }
    }
    let data = table(5, 9);
    assert!(fit("standardize(linear)", &data).warnings.is_empty());
    // A scaling without numbers changes nothing, and says so.
    let words = Values::Strings(["CCO", "CCN"].map(|s| Some(s.to_owned())).to_vec());
    let words = dataset(vec![Column::new("s", words)]);
    let fitted = fit("minmax(spectrum(k=1))", &words);
    assert_eq!(fitted.warnings[0].code, "W_UNSCALED");
    assert!(fitted.warnings[0].message.ends_with("tanimoto(k)"), "{}", fitted.warnings[0]);
    // One object is constant in every column.
    let one = first(&data, 1);
    assert_eq!(gram("standardize(linear)", &one), Dense::zeros(1, 1));
}

/// Sparse vectors, seeded: about a third of the features of each are stored.
fn some_sparse(n: usize, features: &[u32], dim: usize, seed: u64) -> Sparse {
    let mut random = Random::new(seed);
    let mut row = |_| {
        let stored = features.iter().filter(|_| random.unit() < 0.35).copied().collect::<Vec<u32>>();
        stored.into_iter().map(|f| (f, random.between(-1.0, 3.0))).collect::<Vec<_>>()
    };
    Sparse::from_rows(dim, &(0..n).map(&mut row).collect::<Vec<_>>()).unwrap()
}

fn as_dense(x: &Sparse) -> Dense {
    let mut out = Dense::zeros(x.rows(), x.dim());
    (0..x.rows()).for_each(|i| x.scatter_row(i, out.row_mut(i)));
    out
}

#[test]
fn sparse_columns_are_scaled_like_dense_ones() {
    let near: Vec<u32> = (0..6).collect();
    // Most or few of the features occur, and new objects have features that no training object has.
    for (features, other, dim) in
        [(&near[..], &near[..], 6), (&[3, 40, 77, 90], &[3, 5, 77, 99], 100), (&[1, 2], &[0, 1, 2], 3)]
    {
        let (train, new) = (some_sparse(30, features, dim, 5), some_sparse(9, other, dim, 6));
        let sparse = [&train, &new].map(|x| Dataset::of_vectors(x.clone()));
        let dense = [&train, &new].map(|x| dense_data(&as_dense(x)));
        for wrapper in ["standardize", "minmax"] {
            for kernel in ["linear", "rbf(gamma=0.3)", "laplacian(gamma=0.2)", "cosine"] {
                let text = format!("{wrapper}({kernel})");
                let codes: Vec<_> = fit(&text, &sparse[0]).warnings.iter().map(|w| w.code).collect();
                assert!(!codes.contains(&"W_SPARSE"), "{text}");
                assert!(apart(&gram(&text, &sparse[0]), &gram(&text, &dense[0])) < 1e-12, "{text} of {dim}");
                let found = cross(&text, &sparse[1], &sparse[0]);
                assert!(apart(&found, &cross(&text, &dense[1], &dense[0])) < 1e-12, "{text} of {dim}");
                // A model of dense vectors takes sparse ones, and vice versa.
                let (a, b) = (cross(&text, &dense[1], &sparse[0]), cross(&text, &sparse[1], &dense[0]));
                assert!(apart(&a, &found) < 1e-12 && apart(&b, &found) < 1e-12, "{text} of {dim}");
            }
        }
    }
}

#[test]
fn sparse_columns_too_large_to_centre_are_divided_with_a_warning() {
    let (n, per_row) = (3_000, 10);
    let row = |i: usize| (0..per_row).map(|k| ((i * per_row + k) as u32, 2.0)).collect::<Vec<_>>();
    let rows: Vec<_> = (0..n).map(row).collect();
    let data = Dataset::of_vectors(Sparse::from_rows(n * per_row, &rows).unwrap());
    let fitted = fit("standardize(linear)", &data);
    let warning = fitted.warnings.iter().find(|w| w.code == "W_SPARSE").expect("a warning");
    let told = warning.to_string();
    assert!(told.starts_with("W_SPARSE standardize: sparse columns are scaled but not centred"), "{told}");
    assert!(told.contains("dense") && told.contains("MB"), "{told}");
    // Objects without a common feature have similarity 0, unlike centred ones.
    let k = engine().gram(&fitted.kernel, &data.select(&[0, 1])).unwrap();
    assert!(k.at(0, 1) == 0.0 && k.at(0, 0) > 1.0);
    // Zeros that stay 0 need no memory.
    assert!(fit("minmax(linear)", &data).warnings.iter().all(|w| w.code != "W_SPARSE"));
}

#[test]
fn new_data_must_have_the_features_of_the_training_data() {
    let sparse = |dim: usize, row: &[(u32, f64)]| {
        Dataset::of_vectors(Sparse::from_rows(dim, &[row.to_vec()]).unwrap())
    };
    let train = sparse(3, &[(0, 1.0), (2, 2.0)]);
    let wider = sparse(5, &[(4, 1.0)]);
    let error = refused("linear", &train, &wider);
    assert_eq!(error.code(), Code::DimMismatch, "{error}");
    assert!(matches!(error, Error::Dimension { expected: 3, found: 5 }), "{error}");
    // Missing trailing features are zero.
    assert_eq!(cross("linear", &sparse(1, &[(0, 3.0)]), &train), Dense::from_rows(&[[3.0]]));
    let (train, narrow) = (dense_data(&Dense::zeros(2, 3)), dense_data(&Dense::zeros(2, 2)));
    assert_eq!(refused("rbf", &train, &narrow).code(), Code::DimMismatch);
}

/// A sparse column with fewer features must not shift the columns after it.
#[test]
fn a_narrow_sparse_column_does_not_shift_the_next_columns() {
    let two = |dim: usize, row: Vec<(u32, f64)>, b: f64| {
        let s = Values::Sparse(Sparse::from_rows(dim, &[row]).unwrap());
        dataset(vec![Column::new("s", s), numbers("b", &[b])])
    };
    let train = two(4, vec![(1, 5.0), (3, 7.0)], 2.0);
    let new = two(2, vec![(1, 1.0)], 3.0);
    // 1·5 + 3·2; if b were shifted to the third feature, 1·5 + 0.
    assert_eq!(cross("linear", &new, &train), Dense::from_rows(&[[11.0]]));
    // One column wider and another narrower by the same amount is still refused.
    let three = |a: usize, b: usize| {
        let wide = |n: usize| Values::Numbers(Dense::zeros(1, n));
        dataset(vec![Column::new("a", wide(a)), Column::new("b", wide(b))])
    };
    assert_eq!(refused("linear", &three(1, 2), &three(2, 1)).code(), Code::DimMismatch);
}

#[test]
fn delta_compares_whole_records() {
    let colours = Values::Categories(Categories::from_values(["red", "blue", "red", "red"].map(Some)));
    let data = dataset(vec![
        Column::new("colour", colours),
        numbers("size", &[1.0, 1.0, 1.0, 2.0]),
        strings("name", &["x", "x", "x", "x"]),
    ]);
    let same = |pairs: &[(usize, usize)]| {
        matrix(4, 4, |i, j| f64::from(u8::from(i == j || pairs.contains(&(i.min(j), i.max(j))))))
    };
    assert_eq!(gram("delta", &data), same(&[(0, 2)]));
    assert_eq!(gram("delta@colour", &data), same(&[(0, 2), (0, 3), (2, 3)]));
    assert_eq!(gram("delta@size,name", &data), same(&[(0, 1), (0, 2), (1, 2)]));
    // Two data sets need no common dictionary of categories.
    let colours = Values::Categories(Categories::from_values(["blue", "red"].map(Some)));
    let new = dataset(vec![Column::new("colour", colours)]);
    let c = engine().cross(&fit("delta@colour", &data).kernel, &new, &data).unwrap();
    assert_eq!(c, Dense::from_rows(&[[0.0, 1.0, 0.0, 0.0], [1.0, 0.0, 1.0, 1.0]]));
}

#[test]
fn unsuitable_columns_are_named() {
    let data = dataset(vec![numbers("age", &[1.0]), strings("name", &["x"])]);
    let error = |text: &str| parse(text).fit(&data, engine()).expect_err(text);
    assert!(matches!(error("rbf@name"), Error::Column { name, .. } if name == "name"));
    assert_eq!(error("rbf@agee").hint().as_deref(), Some("did you mean age?"));
    assert_eq!(error("precomputed").code(), Code::Column);
    assert_eq!(error("convolution(delta, parts=words)@age").code(), Code::Column);
}
