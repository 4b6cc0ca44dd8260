use super::*;
use crate::error::Code;
use crate::gram::{Certificate, eigenvalues, normalize, symmetry};
use crate::numeric::algebra::test_support::*;
use crate::numeric::algebra::{largest, scale_rows};
use proptest::prelude::*;

/// a · b by plain loops.
fn times(a: &Dense, b: &Dense) -> Dense {
    let mut out = Dense::zeros(a.rows(), b.cols());
    for i in 0..a.rows() {
        for j in 0..b.cols() {
            out.row_mut(i)[j] = (0..a.cols()).map(|k| a.at(i, k) * b.at(k, j)).sum();
        }
    }
    out
}

fn transposed(a: &Dense) -> Dense {
    let mut out = Dense::zeros(a.cols(), a.rows());
    (0..a.rows()).for_each(|i| (0..a.cols()).for_each(|j| out.row_mut(j)[i] = a.at(i, j)));
    out
}

fn identity(n: usize) -> Dense {
    let mut out = Dense::zeros(n, n);
    (0..n).for_each(|i| out.row_mut(i)[i] = 1.0);
    out
}

/// a^p by repeated multiplication.
fn raised(a: &Dense, p: u32) -> Dense {
    (0..p).fold(identity(a.rows()), |so_far, _| times(&so_far, a))
}

fn divided(a: &Dense, by: f64) -> Dense {
    scale_rows(a, vec![1.0 / by; a.rows()])
}

fn block(a: &Dense, rows: &[usize], cols: &[usize]) -> Dense {
    transposed(&transposed(&a.select(rows)).select(cols))
}

fn diagonal(a: &Dense) -> Vec<f64> {
    (0..a.rows()).map(|i| a.at(i, i)).collect()
}

/// exp(-gamma·|x - y|²), by plain loops.
fn rbf(x: &Dense, y: &Dense, gamma: f64) -> Dense {
    let mut k = Dense::zeros(x.rows(), y.rows());
    for i in 0..x.rows() {
        for j in 0..y.rows() {
            let d: f64 = x.row(i).iter().zip(y.row(j)).map(|(a, b)| (a - b) * (a - b)).sum();
            k.row_mut(i)[j] = (-gamma * d).exp();
        }
    }
    k
}

/// All combinations of `features` features with values from 1 to `most`: the balance data.
fn balance(features: u32, most: usize) -> Dense {
    let n = most.pow(features);
    let mut x = Dense::zeros(n, features as usize);
    for i in 0..n {
        for f in 0..features {
            x.row_mut(i)[f as usize] = (i / most.pow(f) % most + 1) as f64;
        }
    }
    x
}

/// Equality up to the rounding of a power whose largest eigenvalue is `radius`.
fn near(got: &Dense, want: &Dense, radius: f64) -> bool {
    apart(got, want) <= 1e-11 * radius.max(largest(want.values())).max(1e-300)
}

/// A matrix divided by ρ^(p-1), which must be finite.
fn scaled(a: &Dense, walk: &Walk, p: u32) -> Dense {
    let factor = walk.factor(p);
    assert!(factor.is_finite());
    if factor > 0.0 { divided(a, factor) } else { a.clone() }
}

/// Training and new objects: two thirds and one third.
fn split(n: usize) -> (Vec<usize>, Vec<usize>) {
    (0..n).partition(|i| i % 3 != 1)
}

/// Compares every block of all three walks with repeated multiplication.
fn agrees_with_products(all: &Dense) {
    let (train, new) = split(all.rows());
    let (a, c, b) = (block(all, &train, &train), block(all, &new, &train), block(all, &new, &new));
    let own = diagonal(&b);
    let walk = Walk::of(&a).unwrap();
    let objects = walk.objects(&c, &own).unwrap();
    let everything = TransductiveWalk::of(all, &train).unwrap();
    assert_eq!(everything.new_objects(), new);
    let support: Vec<usize> = (0..train.len()).step_by(2).collect();
    let narrow = SupportWalk::of(&a, &support).unwrap();
    let (a_s, c_s) = (block(&a, &(0..train.len()).collect::<Vec<_>>(), &support), block_cols(&c, &support));
    for p in 1..=7 {
        let r = walk.radius();
        // Through the training objects.
        assert!(near(&walk.train(p).unwrap(), &scaled(&raised(&a, p), &walk, p), r), "train {p}");
        assert_eq!(symmetry(&walk.train(p).unwrap()).unwrap().2, 0.0);
        let cross = scaled(&times(&c, &raised(&a, p - 1)), &walk, p);
        assert!(near(&walk.cross(&c, p).unwrap(), &cross, largest(c.values()) + r), "cross {p}");
        assert_eq!(objects.cross(p).unwrap(), walk.cross(&c, p).unwrap());
        let of_objects = objects.self_similarities(p).unwrap();
        assert_eq!(of_objects, walk.self_similarities(&c, &own, p).unwrap());
        let scale = 1.0 + r + largest(c.values()) * largest(c.values()) * c.cols() as f64 / r.max(1e-9);
        if p == 1 {
            assert_eq!(
                (walk.train(1).unwrap(), walk.cross(&c, 1).unwrap(), of_objects),
                (a.clone(), c.clone(), own.clone())
            );
        } else {
            let among = scaled(&times(&times(&c, &raised(&a, p - 2)), &transposed(&c)), &walk, p);
            for (got, want) in of_objects.iter().zip(diagonal(&among)) {
                assert!((got - want).abs() <= 1e-11 * scale, "self {p}: {got} {want}");
            }
            assert!(near(&walk.between(&c, &c, p).unwrap(), &among, scale), "between {p}");
            // A training object passed as a new one gets its training values.
            assert!(near(&walk.between(&c, &a, p).unwrap(), &cross, scale), "between new and training {p}");
            assert!(near(&walk.between(&a, &a, p).unwrap(), &walk.train(p).unwrap(), scale), "{p}");
        }
        // Through all objects.
        let whole = scaled(&raised(all, p), everything.walk(), p);
        let (t, x, s) = everything.blocks(p).unwrap();
        let r = everything.walk().radius();
        assert!(near(&t, &block(&whole, &train, &train), r) && near(&x, &block(&whole, &new, &train), r));
        assert_eq!((&everything.train(p).unwrap(), &everything.cross(p).unwrap()), (&t, &x));
        for (got, want) in s.iter().zip(diagonal(&block(&whole, &new, &new))) {
            assert!((got - want).abs() <= 1e-11 * (1.0 + r));
        }
        // Through support vectors.
        if p == 1 {
            assert_eq!((narrow.train(1).unwrap(), narrow.cross(&c, 1).unwrap()), (a.clone(), c.clone()));
            assert_eq!(narrow.self_similarities(&c, &own, 1).unwrap(), own);
        } else if narrow.walk().radius() > 1e-6 {
            let middle = raised(&block(&a, &support, &support), p - 2);
            let through =
                |l: &Dense, r: &Dense| scaled(&times(&times(l, &middle), &transposed(r)), narrow.walk(), p);
            let biggest = largest(all.values());
            let scale = biggest * biggest * all.rows() as f64 / narrow.walk().radius() + 1.0;
            assert!(near(&narrow.train(p).unwrap(), &through(&a_s, &a_s), scale), "support {p}");
            assert_eq!(symmetry(&narrow.train(p).unwrap()).unwrap().2, 0.0);
            assert!(near(&narrow.cross(&c, p).unwrap(), &through(&c_s, &a_s), scale), "support {p}");
            for (got, want) in
                narrow.self_similarities(&c, &own, p).unwrap().iter().zip(diagonal(&through(&c_s, &c_s)))
            {
                assert!((got - want).abs() <= 1e-11 * scale);
            }
        }
    }
}

fn block_cols(a: &Dense, cols: &[usize]) -> Dense {
    block(a, &(0..a.rows()).collect::<Vec<_>>(), cols)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn inner_products_agree_with_repeated_multiplication(x in vectors()) {
        agrees_with_products(&linear(&x));
    }

    #[test]
    fn gaussians_agree_with_repeated_multiplication(x in vectors()) {
        agrees_with_products(&rbf(&x, &x, 0.7));
    }

    /// Any signature: odd powers keep the signs of eigenvalues, even ones make them positive.
    #[test]
    fn indefinite_similarities_agree_with_repeated_multiplication(k in symmetric()) {
        agrees_with_products(&k);
    }

    #[test]
    fn even_powers_are_positive_semidefinite(k in symmetric()) {
        let walk = Walk::of(&k).unwrap();
        for p in 2..=7 {
            let least = eigenvalues(&walk.train(p).unwrap()).unwrap()[0];
            if p % 2 == 0 {
                prop_assert!(least > -1e-10 * walk.radius());
            } else {
                // Odd powers keep the order of eigenvalues.
                let lowest = walk.spectrum().values[0];
                let want = lowest * (lowest / walk.radius()).powi(p as i32 - 1);
                prop_assert!((least - want).abs() < 1e-9 * walk.radius());
            }
        }
    }

    /// If every training object is a support vector, the walk equals that through the training objects.
    #[test]
    fn all_support_vectors_are_the_training_objects(x in vectors()) {
        let k = rbf(&x, &x, 0.4);
        let (train, new) = split(k.rows());
        let (a, c) = (block(&k, &train, &train), block(&k, &new, &train));
        let all: Vec<usize> = (0..train.len()).collect();
        let (walk, support) = (Walk::of(&a).unwrap(), SupportWalk::of(&a, &all).unwrap());
        for p in 1..=7 {
            prop_assert!(near(&support.train(p).unwrap(), &walk.train(p).unwrap(), walk.radius()));
            prop_assert!(near(&support.cross(&c, p).unwrap(), &walk.cross(&c, p).unwrap(), walk.radius()));
        }
    }

    #[test]
    fn normalising_cancels_the_scale(x in vectors()) {
        let k = rbf(&x, &x, 1.0);
        let walk = Walk::of(&k).unwrap();
        for p in 1..=7 {
            let (mut got, mut want) = (walk.train(p).unwrap(), raised(&k, p));
            normalize::train(&mut got).unwrap();
            normalize::train(&mut want).unwrap();
            prop_assert!(apart(&got, &want) < 1e-9);
            prop_assert!((0..k.rows()).all(|i| got.at(i, i) == 1.0));
        }
    }

    #[test]
    fn transformed_data_give_the_walk_over_inner_products(x in vectors()) {
        let (train, new) = split(x.rows());
        let (x, y) = (x.select(&train), x.select(&new));
        let linear_walk = LinearWalk::fit(&x).unwrap();
        let (x1, y1) = (linear_walk.transform(&x, 1).unwrap(), linear_walk.transform(&y, 1).unwrap());
        let (a, c) = (linear(&x1), cross(&y1, &x1));
        let walk = Walk::of(&a).unwrap();
        prop_assert!((walk.radius() - linear_walk.radius()).abs() < 1e-9 * (1.0 + walk.radius()));
        for p in 1..=7 {
            let (xp, yp) = (linear_walk.transform(&x, p).unwrap(), linear_walk.transform(&y, p).unwrap());
            let scale = walk.radius() + largest(c.values()) + 1e-9;
            prop_assert!(apart(&linear(&xp), &walk.train(p).unwrap()) < 1e-9 * scale);
            prop_assert!(apart(&cross(&yp, &xp), &walk.cross(&c, p).unwrap()) < 1e-9 * scale);
            let own = walk.self_similarities(&c, &diagonal(&linear(&y1)), p).unwrap();
            for (got, want) in diagonal(&linear(&yp)).iter().zip(own) {
                prop_assert!((got - want).abs() < 1e-8 * (1.0 + scale), "{p}: {got} {want}");
            }
        }
    }

    #[test]
    fn markov_walks_are_probabilities(x in vectors()) {
        let k = rbf(&x, &x, 0.5);
        let markov = Markov::of(&k).unwrap();
        let degrees: Vec<f64> = (0..k.rows()).map(|i| k.row(i).iter().sum()).collect();
        let p1 = scale_rows(&k, degrees.iter().map(|d| 1.0 / d));
        let symmetric = Walk::of(&markov.symmetric()).unwrap();
        prop_assert!((symmetric.radius() - 1.0).abs() < 1e-12);
        for p in 1..=7 {
            let got = markov.transitions(p).unwrap();
            prop_assert!(apart(&got, &raised(&p1, p)) < 1e-13);
            for i in 0..k.rows() {
                prop_assert!((got.row(i).iter().sum::<f64>() - 1.0).abs() < 1e-13);
            }
            // P^p = D^(-1/2) S^p D^(1/2).
            let s = symmetric.train(p).unwrap();
            for i in 0..k.rows() {
                for j in 0..k.rows() {
                    let back = s.at(i, j) * (degrees[j] / degrees[i]).sqrt();
                    prop_assert!((back - got.at(i, j)).abs() < 1e-12);
                }
            }
        }
    }

    #[test]
    fn laplacian_walks_agree_with_products(x in vectors(), a in 2.0..4.0f64) {
        let k = rbf(&x, &x, 0.5);
        let n = k.rows();
        let degrees: Vec<f64> = (0..n).map(|i| k.row(i).iter().sum()).collect();
        // a·I - L̃ with L̃ = D^(-1/2) (D - K) D^(-1/2).
        let mut m = Dense::zeros(n, n);
        for i in 0..n {
            for j in 0..n {
                let same = f64::from(u8::from(i == j));
                let l = (same * degrees[i] - k.at(i, j)) / (degrees[i] * degrees[j]).sqrt();
                m.row_mut(i)[j] = a * same - l;
            }
        }
        let walk = Markov::of(&k).unwrap().laplacian(a).unwrap();
        prop_assert!((walk.radius() - a).abs() < 1e-12 * a);
        for p in 1..=7u32 {
            let want = divided(&raised(&m, p), a.powi(p as i32 - 1));
            prop_assert!(apart(&walk.train(p).unwrap(), &want) < 1e-11 * a);
            prop_assert!(Certificate::of(&walk.train(p).unwrap()).unwrap().is_psd());
        }
    }

    #[test]
    fn cluster_kernels_are_positive_with_ones_on_the_diagonal(x in vectors(), keep in 1usize..6, t in 0.3..5.0f64) {
        let k = rbf(&x, &x, 0.5);
        let markov = Markov::of(&k).unwrap();
        // The linear transfer returns a kernel with ones on its diagonal unchanged.
        prop_assert!(apart(&markov.cluster(Transfer::Linear).unwrap(), &k) < 1e-12);
        for transfer in [Transfer::Step { keep }, Transfer::LinearStep { keep }, Transfer::Polynomial { t }] {
            let got = markov.cluster(transfer).unwrap();
            prop_assert!(Certificate::of(&got).unwrap().is_psd(), "{transfer:?}");
            prop_assert!((0..k.rows()).all(|i| got.at(i, i) == 1.0 || got.at(i, i) == 0.0));
        }
        // λ^p is p steps of the Markov walk.
        let walk = Walk::of(&markov.symmetric()).unwrap();
        for p in 1..=5u32 {
            let mut want = walk.train(p).unwrap();
            normalize::train(&mut want).unwrap();
            let got = markov.cluster(Transfer::Polynomial { t: f64::from(p) }).unwrap();
            prop_assert!(apart(&got, &want) < 1e-9);
        }
    }
}

#[test]
fn balance_data() {
    // Balance1 of the paper with a coarser grid, and Balance.
    for (x, gamma) in [(balance(2, 8), 0.3), (balance(4, 3), 0.5), (balance(6, 2), 1.0)] {
        agrees_with_products(&rbf(&x, &x, gamma));
        agrees_with_products(&linear(&x));
    }
    let x = balance(4, 3);
    assert_eq!((x.rows(), x.row(0), x.row(80)), (81, &[1.0; 4][..], &[3.0; 4][..]));
}

#[test]
fn worked_by_hand() {
    let a = Dense::from_rows(&[[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 1.0]]);
    let walk = Walk::of(&a).unwrap();
    // A² and A³, computed by hand.
    let a2 = Dense::from_rows(&[[5.0, 5.0, 1.0], [5.0, 11.0, 4.0], [1.0, 4.0, 2.0]]);
    let a3 = Dense::from_rows(&[[15.0, 21.0, 6.0], [21.0, 42.0, 15.0], [6.0, 15.0, 6.0]]);
    for (p, want) in [(2, a2), (3, a3)] {
        assert!(near(&scale_rows(&walk.train(p).unwrap(), vec![walk.factor(p); 3]), &want, 50.0), "{p}");
    }
    // c = (1, 0, 2): c·A = (2, 3, 2), c·A·cᵀ = 6, c·cᵀ = 5.
    let c = Dense::from_rows(&[[1.0, 0.0, 2.0]]);
    let cross = walk.cross(&c, 2).unwrap();
    for (got, want) in cross.row(0).iter().zip([2.0, 3.0, 2.0]) {
        assert!((got * walk.factor(2) - want).abs() < 1e-12);
    }
    let own = |p| walk.self_similarities(&c, &[9.0], p).unwrap()[0] * walk.factor(p);
    assert!(own(1) == 9.0 && (own(2) - 5.0).abs() < 1e-12 && (own(3) - 6.0).abs() < 1e-12);
}

#[test]
fn many_steps_do_not_overflow() {
    // Similarities up to 1e12: A^50 would be near 1e600.
    let x = scale_rows(&balance(2, 4), vec![2.5e5; 16]);
    let a = linear(&x);
    let walk = Walk::of(&a).unwrap();
    assert!(walk.factor(60).is_infinite());
    for p in [8, 50, 1000] {
        let mut k = walk.train(p).unwrap();
        assert!(k.find_non_finite().is_none());
        normalize::train(&mut k).unwrap();
        // Only the leading direction is left, and all points lie on one side of it.
        let gap = (walk.spectrum().values[14] / walk.radius()).powi(p as i32);
        assert!(k.values().iter().all(|v| (v - 1.0).abs() < 1e-9 + 40.0 * gap), "{p}");
        let c = Dense::new(1, 16, a.row(3).to_vec()).unwrap();
        let (cross, own) = (walk.cross(&c, p).unwrap(), walk.self_similarities(&c, &[1.0], p).unwrap());
        assert!(apart(&cross, &walk.train(p).unwrap().select(&[3])) < 1e-9 * walk.radius());
        assert!((own[0] - walk.train(p).unwrap().at(3, 3)).abs() < 1e-9 * walk.radius());
    }
    // Tiny similarities do not underflow.
    let small = Walk::of(&divided(&a, 1e300)).unwrap();
    assert!(small.factor(3) == 0.0 && small.train(3).unwrap().at(0, 0) > 0.0);
}

/// Two disconnected groups: after many steps the norm of the weaker one is below the rounding of the other, and is set
/// to 0.
#[test]
fn norms_below_rounding_become_zero() {
    let mut x = balance(2, 5);
    let last = x.rows();
    x = Dense::new(last + 1, 2, [x.values(), &[1000.0, 1000.0]].concat()).unwrap();
    let k = rbf(&x, &x, 0.1);
    let walk = Walk::of(&k).unwrap();
    // The value is correct while it exceeds rounding.
    let mut three = walk.train(3).unwrap();
    assert!((three.at(last, last) * walk.factor(3) - 1.0).abs() < 1e-9);
    normalize::train(&mut three).unwrap();
    assert!(three.at(last, last) == 1.0 && three.row(last)[..last].iter().all(|v| v.abs() < 1e-9));
    let mut many = walk.train(50).unwrap();
    assert!(many.row(last).iter().all(|v| *v == 0.0));
    normalize::train(&mut many).unwrap();
    assert!(many.at(last, last) == 0.0 && many.at(0, 0) == 1.0);
    let c = k.select(&[last, 0]);
    assert!(walk.cross(&c, 50).unwrap().row(0).iter().all(|v| *v == 0.0));
    let own = walk.self_similarities(&c, &[1.0, 1.0], 50).unwrap();
    assert!(own[0] == 0.0 && own[1] > 0.0);
    let (features, _) = walk.passage(50, true).unwrap().features(&c).unwrap();
    assert!(features.row(0).iter().all(|v| *v == 0.0) && features.row(1).iter().any(|v| *v != 0.0));
}

#[test]
fn degenerate_similarities() {
    for n in [1, 3] {
        let zero = Dense::zeros(n, n);
        let walk = Walk::of(&zero).unwrap();
        for p in 1..4 {
            assert_eq!(walk.train(p).unwrap(), zero);
            assert_eq!(walk.cross(&zero, p).unwrap(), zero);
        }
        assert_eq!(walk.self_similarities(&zero, &vec![2.0; n], 2).unwrap(), vec![0.0; n]);
        let markov = Markov::of(&zero).unwrap();
        assert_eq!(markov.transitions(3).unwrap(), zero);
        assert_eq!(markov.symmetric(), zero);
        assert_eq!(markov.cluster(Transfer::Linear).unwrap(), zero);
    }
    let one = Walk::of(&Dense::from_rows(&[[4.0]])).unwrap();
    assert!((one.train(3).unwrap().at(0, 0) - 4.0).abs() < 1e-15 && one.factor(3) == 16.0);
    // Identical objects.
    let x = LinearWalk::fit(&Dense::from_rows(&[[3.0], [3.0]])).unwrap();
    assert_eq!(x.transform(&Dense::from_rows(&[[3.0]]), 4).unwrap(), Dense::from_rows(&[[0.0]]));
    // No new objects.
    assert_eq!(one.cross(&Dense::zeros(0, 1), 3).unwrap().rows(), 0);
}

#[test]
fn invalid_arguments_are_rejected() {
    let a = worked_gram();
    let walk = Walk::of(&a).unwrap();
    let no_steps = |e: Error| assert!(matches!(e, Error::Param { name, .. } if name == "p"));
    no_steps(walk.train(0).unwrap_err());
    no_steps(walk.cross(&a, 0).unwrap_err());
    no_steps(walk.self_similarities(&a, &[1.0; 5], 0).unwrap_err());
    no_steps(walk.between(&a, &a, 1).unwrap_err());
    no_steps(walk.passage(1, true).unwrap_err());
    assert!(walk.cross(&Dense::zeros(2, 4), 2).is_err());
    assert!(walk.self_similarities(&a, &[1.0; 4], 2).is_err());
    assert!(walk.cross(&Dense::new(1, 5, vec![f64::NAN; 5]).unwrap(), 1).is_err());
    for bad in [Dense::zeros(0, 0), Dense::zeros(1, 2), Dense::from_rows(&[[f64::NAN]])] {
        assert!(Walk::of(&bad).is_err() && Markov::of(&bad).is_err());
        assert!(SupportWalk::of(&bad, &[0]).is_err() && TransductiveWalk::of(&bad, &[0]).is_err());
    }
    for bad in [
        Dense::zeros(0, 2),
        Dense::zeros(2, 0),
        Dense::from_rows(&[[f64::NAN]]),
        Dense::from_rows(&[[1e300], [-1e300]]),
    ] {
        assert!(LinearWalk::fit(&bad).is_err());
    }
    for bad in [&[][..], &[5], &[1, 1]] {
        assert!(SupportWalk::of(&a, bad).is_err(), "{bad:?}");
    }
    assert!(TransductiveWalk::of(&a, &[5]).is_err() && TransductiveWalk::of(&a, &[2, 2]).is_err());
    // New objects so large that they overflow.
    let vast = Dense::new(1, 5, vec![1e200; 5]).unwrap();
    assert_eq!(walk.self_similarities(&vast, &[1.0], 2).unwrap_err().code(), Code::Overflow);
    assert!(walk.cross(&vast, 2).is_ok());
    assert!(LinearWalk::fit(&points()).unwrap().transform(&Dense::zeros(1, 3), 2).is_err());
    // Negative row sums, and single negative similarities.
    let below = Dense::from_rows(&[[1.0, -2.0], [-2.0, 1.0]]);
    assert!(matches!(Markov::of(&below), Err(Error::Object { index: 0, .. })));
    let markov = Markov::of(&Dense::from_rows(&[[1.0, -0.5], [-0.5, 1.0]])).unwrap();
    assert_eq!(markov.transitions(2).unwrap_err().code(), Code::Object);
    assert_eq!(markov.laplacian(2.0).unwrap_err().code(), Code::Object);
    let markov = Markov::of(&rbf(&points(), &points(), 1.0)).unwrap();
    assert!(markov.laplacian(1.9).is_err() && markov.laplacian(f64::NAN).is_err());
    assert!(markov.cluster(Transfer::Step { keep: 0 }).is_err());
    assert!(markov.cluster(Transfer::Polynomial { t: -1.0 }).is_err());
    assert!(markov.cluster(Transfer::Step { keep: 99 }).is_ok());
}

#[test]
fn passages_round_trip_through_their_parts() {
    let walk = Walk::of(&Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]])).unwrap();
    for p in [2, 3, 4] {
        let passage = walk.passage(p, false).unwrap();
        assert_eq!(passage.is_definite(), p != 3);
        let (n, map, negative, weight) = passage.parts();
        assert_eq!(Passage::from_parts(n, map.cloned(), negative, weight).unwrap(), passage);
    }
    assert!(Passage::from_parts(3, Some(Dense::zeros(1, 2)), 0, 1.0).is_err());
    assert!(Passage::from_parts(2, Some(Dense::zeros(1, 2)), 2, 1.0).is_err());
    assert!(Passage::from_parts(2, None, 0, f64::NAN).is_err());
    assert!(walk.passage(2, true).unwrap().scaled(f64::INFINITY).is_err());
}

/// The origin has similarity 0 to everything; rounding in the eigenvectors must not give it a norm.
#[test]
fn an_object_at_the_origin_has_norm_zero() {
    let number = |t: usize| ((t * 7919 + 13) % 1009) as f64 / 1009.0;
    let mut x = Dense::new(40, 3, (0..120).map(number).collect()).unwrap();
    [3, 17].iter().for_each(|&i| x.row_mut(i).fill(0.0));
    let walk = Walk::of(&linear(&x)).unwrap();
    for p in 2..=9 {
        let mut power = walk.train(p).unwrap();
        assert!([3, 17].iter().all(|&i| power.row(i).iter().all(|v| *v == 0.0)), "{p}");
        assert!((0..40).filter(|i| ![3, 17].contains(i)).all(|i| power.at(i, i) > 0.0));
        normalize::train(&mut power).unwrap();
    }
}
