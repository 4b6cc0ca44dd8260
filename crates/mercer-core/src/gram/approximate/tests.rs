use super::*;
use crate::data::Vectors;
use crate::gram::Engine;
use crate::kernel::vector::Rbf;
use crate::numeric::algebra::{product, product_transposed};
use crate::random::Random;
use crate::traits::Prepared;

/// Points in three clusters of different sizes.
fn points(n: usize) -> Vectors {
    let mut random = Random::new(4);
    let rows: Vec<[f64; 3]> = (0..n)
        .map(|i| {
            let heap = if i % 10 == 0 {
                4.0
            } else if i % 3 == 0 {
                2.0
            } else {
                0.0
            };
            std::array::from_fn(|_| heap + 0.5 * random.normal())
        })
        .collect();
    Vectors::from(Dense::from_rows(&rows))
}

fn gram(n: usize) -> Dense {
    Engine::new().gram(&Rbf::new(0.5).unwrap(), &points(n)).unwrap()
}

#[test]
fn the_map_is_a_pseudo_inverse() {
    let k = gram(30);
    let map = whitening(&k).unwrap();
    // z = K·M has z·zᵀ = K·K⁺·K = K.
    let z = product(&k, &map);
    let again = product_transposed(&z, &z);
    assert!(again.values().iter().zip(k.values()).all(|(a, b)| (a - b).abs() < 1e-6));
    // Duplicate objects reduce the rank and do no harm.
    let double: Vec<usize> = (0..30).chain(0..5).collect();
    let twice = Dense::new(
        35,
        35,
        double.iter().flat_map(|&i| double.iter().map(move |&j| (i, j))).map(|(i, j)| k.at(i, j)).collect(),
    );
    assert_eq!(whitening(&twice.unwrap()).unwrap().cols(), map.cols());
    let indefinite = Dense::from_rows(&[[0.0, 1.0], [1.0, 0.0]]);
    assert!(matches!(whitening(&indefinite), Err(Error::NotPositiveDefinite { .. })));
}

#[test]
fn the_triangular_map_is_an_inverse_or_absent() {
    let k = gram(30);
    // Objects in heaps are too similar; with noise on the diagonal they are not.
    assert!(triangular_whitening(gram(300)).unwrap().is_none());
    let mut noisy = k.clone();
    (0..30).for_each(|i| noisy.row_mut(i)[i] += 1e-3);
    let map = triangular_whitening(noisy.clone()).unwrap().unwrap();
    assert!((1..30).all(|i| map.row(i)[..i].iter().all(|v| *v == 0.0)));
    let z = product(&noisy, &map);
    let again = product_transposed(&z, &z);
    assert!(again.values().iter().zip(noisy.values()).all(|(a, b)| (a - b).abs() < 1e-9));
    for bad in [[[0.0, 1.0], [1.0, 0.0]], [[1.0, 1.0], [1.0, 1.0 + 1e-14]], [[0.0; 2]; 2]] {
        assert!(triangular_whitening(Dense::from_rows(&bad)).unwrap().is_none());
    }
    assert_eq!(triangular_whitening(Dense::zeros(0, 0)).unwrap().unwrap().rows(), 0);
}

#[test]
fn pivots_report_the_trace_left() {
    let k = gram(60);
    let diagonal: Vec<f64> = (0..60).map(|i| k.at(i, i)).collect();
    for rule in [Pivot::Greedy, Pivot::Random(3)] {
        let mut before = f64::INFINITY;
        for rank in [1, 5, 20, 60] {
            let found = pivoted_cholesky(&diagonal, |p| Ok(k.row(p).to_vec()), rank, rule, 0.0).unwrap();
            let near = product_transposed(&found.factor, &found.factor);
            let left: f64 = (0..60).map(|i| k.at(i, i) - near.at(i, i)).sum();
            assert!((left - found.left).abs() < 1e-9, "{left} {}", found.left);
            assert!(found.left <= before + 1e-12);
            // No entry has a larger error than the trace left.
            assert!(k.values().iter().zip(near.values()).all(|(a, b)| (a - b).abs() <= found.left + 1e-9));
            // The Nyström approximation by the pivots is the same matrix.
            let w = Dense::new(
                found.pivots.len(),
                found.pivots.len(),
                found
                    .pivots
                    .iter()
                    .flat_map(|&i| found.pivots.iter().map(move |&j| (i, j)))
                    .map(|(i, j)| k.at(i, j))
                    .collect(),
            );
            let columns = Dense::new(
                60,
                found.pivots.len(),
                (0..60)
                    .flat_map(|i| found.pivots.iter().map(move |&j| (i, j)))
                    .map(|(i, j)| k.at(i, j))
                    .collect(),
            );
            let z = product(&columns.unwrap(), &whitening(&w.unwrap()).unwrap());
            let seen = product_transposed(&z, &z);
            assert!(seen.values().iter().zip(near.values()).all(|(a, b)| (a - b).abs() < 1e-4));
            before = found.left;
        }
        assert!(before < 1e-6);
    }
    let enough = pivoted_cholesky(&diagonal, |p| Ok(k.row(p).to_vec()), 60, Pivot::Greedy, 0.05).unwrap();
    assert!(enough.pivots.len() < 60 && enough.error() <= 0.05);
    assert!(pivoted_cholesky(&[1.0, -1.0], |_| Ok(vec![0.0; 2]), 1, Pivot::Greedy, 0.0).is_err());
    assert!(pivoted_cholesky(&[1.0, 1.0], |_| Ok(vec![0.0; 3]), 1, Pivot::Greedy, 0.0).is_err());
}

#[test]
fn landmarks_do_not_depend_on_threads_and_beat_uniform_sampling() {
    let (kernel, x) = (Rbf::new(0.5).unwrap(), points(900));
    let engine = Engine::new();
    let set = engine.prepare(&kernel, &x).unwrap();
    let left = |chosen: &[usize]| {
        let settings =
            crate::fitted::NystromSettings { rank: chosen.len(), landmarks: Landmarks::Uniform, seed: 0 };
        // With all landmarks given, none are left to choose.
        let some = set.select(chosen);
        let nystrom = crate::fitted::Nystrom::fit(kernel, &some, settings, &engine).unwrap();
        let k = engine.gram(&nystrom, &x).unwrap();
        (0..900).map(|i| 1.0 - k.at(i, i)).sum::<f64>() / 900.0
    };
    let mut errors = Vec::new();
    for how in Landmarks::NAMES.map(|name| Landmarks::named(name).unwrap()) {
        let mean = (0..4).map(|seed| {
            let chosen = choose_landmarks(&engine, &kernel, &set, 20, how, seed).unwrap();
            assert!(chosen.len() == 20 && chosen.is_sorted_by(|a, b| a < b), "{how:?}");
            for threads in [1, 3] {
                let other = Engine::new().with_threads(threads).unwrap();
                assert_eq!(
                    choose_landmarks(&other, &kernel, &set, 20, how, seed).unwrap(),
                    chosen,
                    "{how:?}"
                );
            }
            left(&chosen)
        });
        errors.push((how, mean.sum::<f64>() / 4.0));
    }
    let of = |how: Landmarks| errors.iter().find(|e| e.0 == how).unwrap().1;
    for how in [Landmarks::Spread, Landmarks::RandomPivots] {
        assert!(of(how) < of(Landmarks::Uniform), "{errors:?}");
    }
    // These cover directions, regardless of how many objects lie along them.
    for how in [Landmarks::Leverage, Landmarks::Pivots] {
        assert!(of(how) < 2.0 * of(Landmarks::Uniform), "{errors:?}");
    }
    assert_eq!(choose_landmarks(&engine, &kernel, &set, 1000, Landmarks::Pivots, 0).unwrap().len(), 900);
    assert!(choose_landmarks(&engine, &kernel, &set, 0, Landmarks::Uniform, 0).is_err());
}
