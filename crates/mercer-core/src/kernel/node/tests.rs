//! Compares kernels between nodes with eigendecompositions, closed forms and their algebraic laws.

use std::sync::Arc;

use proptest::prelude::*;

use super::*;
use crate::error::{Code, Error};
use crate::gram::{Engine, Spectrum, eigenvalues};
use crate::numeric::algebra::product;
use crate::random::Random;

/// Several components, nodes without edges, loops, repeated edges, weights.
fn random_network(n: usize, weighted: bool, seed: u64) -> Arc<Network> {
    let mut random = Random::new(seed);
    let mut edges = Vec::new();
    for _ in 0..(3 * n / 2) {
        // Two halves that are not connected.
        let half = random.below(2) * (n / 2);
        let (a, b) = (half + random.below((n / 2).max(1)), half + random.below((n / 2).max(1)));
        let w = if weighted { 0.25 + random.unit() } else { 1.0 };
        if a < n && b < n {
            edges.push((a as u32, b as u32, w));
        }
    }
    Arc::new(Network::new(n, &edges).unwrap())
}

fn dense(network: &Network, base: Base) -> Dense {
    let n = network.len();
    let mut s = Dense::zeros(n, n);
    let d: Vec<f64> = (0..n).map(|i| network.degree(i)).collect();
    for i in 0..n {
        for (j, w) in network.row(i) {
            let j = j as usize;
            s.row_mut(i)[j] += match base {
                Base::Normalized => w / (d[i] * d[j]).sqrt(),
                _ => w,
            };
        }
        s.row_mut(i)[i] -= match base {
            Base::Adjacency => 0.0,
            Base::Laplacian => d[i],
            Base::Normalized if d[i] > 0.0 => 1.0,
            Base::Normalized => 0.0,
        };
    }
    s
}

fn near(a: &Dense, b: &Dense, tolerance: f64) {
    assert_eq!((a.rows(), a.cols()), (b.rows(), b.cols()));
    let scale = b.values().iter().fold(1.0f64, |m, v| m.max(v.abs()));
    for (i, (x, y)) in a.values().iter().zip(b.values()).enumerate() {
        let at = (i / a.cols(), i % a.cols());
        assert!((x - y).abs() <= tolerance * scale, "{at:?}: {x} {y}");
    }
}

fn gram(family: Family, base: Base, network: &Arc<Network>) -> Dense {
    let kernel = NodeKernel::new(family, base).unwrap();
    Engine::new().gram(&kernel, &Nodes::all(network.clone())).unwrap()
}

/// Zaki & Meira 2020, example 5.15: the values as printed.
#[test]
fn the_worked_example() {
    let edges = [(0, 2), (0, 3), (1, 2), (1, 4), (2, 3), (3, 4)].map(|(a, b)| (a, b, 1.0));
    let network = Arc::new(Network::new(5, &edges).unwrap());
    let values = eigenvalues(&dense(&network, Base::Laplacian)).unwrap();
    for (found, printed) in values.iter().zip([-4.62, -3.62, -2.38, -1.38, 0.0]) {
        assert!((found - printed).abs() < 0.005);
    }
    let diffusion = gram(Family::Diffusion { beta: 0.2 }, Base::Laplacian, &network);
    let neumann = gram(Family::VonNeumann { beta: 0.2 }, Base::Laplacian, &network);
    for (k, printed) in
        [(diffusion, [0.70, 0.01, 0.14, 0.14, 0.01]), (neumann, [0.75, 0.02, 0.11, 0.11, 0.02])]
    {
        for (found, printed) in k.row(0).iter().zip(printed) {
            assert!((found - printed).abs() < 0.005, "{found} {printed}");
        }
    }
}

type Function = Box<dyn Fn(f64) -> f64>;

#[test]
fn families_are_functions_of_eigenvalues() {
    for (n, weighted, seed) in [(1, false, 1), (7, false, 2), (60, true, 3), (90, false, 4)] {
        let network = random_network(n, weighted, seed);
        for base in [Base::Laplacian, Base::Normalized, Base::Adjacency] {
            let spectrum = Spectrum::of(&dense(&network, base)).unwrap();
            let rho = spectrum.radius().max(1e-3);
            let families: [(Family, Function); 8] = [
                (Family::Power { l: 3 }, Box::new(|x| x.powi(3))),
                (Family::Diffusion { beta: 0.3 }, Box::new(|x| (0.3 * x).exp())),
                (Family::Diffusion { beta: 2.5 }, Box::new(|x| (2.5 * x).exp())),
                (Family::VonNeumann { beta: 0.5 / rho }, Box::new(move |x| 1.0 / (1.0 - 0.5 / rho * x))),
                (Family::VonNeumann { beta: -0.9 / rho }, Box::new(move |x| 1.0 / (1.0 + 0.9 / rho * x))),
                // So close to divergence that the dense inverse is used.
                (
                    Family::VonNeumann { beta: 0.9999 / rho },
                    Box::new(move |x| 1.0 / (1.0 - 0.9999 / rho * x)),
                ),
                (Family::RegularizedLaplacian { beta: 0.7 }, Box::new(|x| 1.0 / (1.0 - 0.7 * x))),
                (Family::RegularizedLaplacian { beta: 1e4 }, Box::new(|x| 1.0 / (1.0 - 1e4 * x))),
            ];
            for (family, f) in families {
                if matches!(family, Family::RegularizedLaplacian { .. }) && base == Base::Adjacency {
                    assert_eq!(NodeKernel::new(family, base).unwrap_err().code(), Code::Param);
                    continue;
                }
                near(&gram(family, base, &network), &spectrum.rebuild(&f), 1e-10);
            }
            if base == Base::Normalized {
                let walk = gram(Family::PStep { p: 4, a: 2.5 }, base, &network);
                near(&walk, &spectrum.rebuild(|x| (2.5 + x).powi(4)), 1e-11);
                let rank = gram(Family::Pagerank { alpha: 0.85 }, base, &network);
                near(&rank, &spectrum.rebuild(|x| 0.15 / (1.0 - 0.85 * (1.0 + x))), 1e-11);
            }
            if base == Base::Laplacian {
                let least = 1e-9 * rho;
                let plus = spectrum.rebuild(|x| if x.abs() < least { 0.0 } else { -1.0 / x });
                near(&gram(Family::CommuteTime, base, &network), &plus, 1e-9);
            }
        }
    }
}

/// A walk from a node without edges leads nowhere, however large the other eigenvalues are.
#[test]
fn powers_of_isolated_nodes_are_exactly_zero() {
    let network = Arc::new(Network::new(5, &[(0, 1, 1.0), (1, 2, 1.0)]).unwrap());
    for base in [Base::Laplacian, Base::Normalized, Base::Adjacency] {
        for l in 1..=12 {
            let gram = gram(Family::Power { l }, base, &network);
            for (i, j) in [(3, 3), (4, 4), (3, 4), (0, 4)] {
                assert_eq!(gram.at(i, j), 0.0, "{base:?}, {l} steps, ({i}, {j})");
            }
            assert!(l % 2 == 1 || (0..3).all(|i| gram.at(i, i) > 0.0));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, failure_persistence: None, ..ProptestConfig::default() })]

    /// exp(-β1·L)·exp(-β2·L) = exp(-(β1+β2)·L).
    #[test]
    fn diffusion_is_a_semigroup(n in 2usize..40, seed in any::<u64>(), a in 0.01f64..2.0, b in 0.01f64..2.0) {
        let network = random_network(n, true, seed);
        for base in [Base::Laplacian, Base::Normalized, Base::Adjacency] {
            let k = |beta| gram(Family::Diffusion { beta }, base, &network);
            near(&product(&k(a), &k(b)), &k(a + b), 1e-10);
        }
    }

    /// (I - (β/N)·L)^N tends to exp(-β·L) as 1/N.
    #[test]
    fn diffusion_is_the_limit_of_lazy_walks(n in 2usize..25, seed in any::<u64>(), beta in 0.05f64..1.0) {
        let network = random_network(n, true, seed);
        let k = gram(Family::Diffusion { beta }, Base::Laplacian, &network);
        let generator = dense(&network, Base::Laplacian);
        let error = |doublings: u32| {
            let mut walk = generator.clone();
            walk.values_mut().iter_mut().for_each(|v| *v *= beta / 2f64.powi(doublings as i32));
            (0..n).for_each(|i| walk.row_mut(i)[i] += 1.0);
            (0..doublings).for_each(|_| walk = product(&walk, &walk));
            walk.values().iter().zip(k.values()).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        let (coarse, fine) = (error(12), error(16));
        prop_assert!(fine < 1e-2 && fine <= coarse / 8.0 + 1e-10, "{coarse} {fine}");
    }
}

#[test]
fn blocks_and_products_agree_with_the_full_matrix() {
    let network = random_network(120, true, 9);
    for (family, base) in [
        (Family::Diffusion { beta: 0.4 }, Base::Laplacian),
        (Family::VonNeumann { beta: 0.05 }, Base::Normalized),
        (Family::Power { l: 2 }, Base::Adjacency),
    ] {
        let kernel = NodeKernel::new(family, base).unwrap();
        let whole = gram(family, base, &network);
        let (rows, columns) = ([5u32, 119, 0], (0..70u32).map(|i| (i * 37) % 120).collect::<Vec<_>>());
        let (block, bound) = kernel.block(&network, &rows, &columns).unwrap();
        for (i, &row) in rows.iter().enumerate() {
            for (j, &column) in columns.iter().enumerate() {
                assert!((block.at(i, j) - whole.at(row as usize, column as usize)).abs() <= 2.0 * bound);
            }
        }
        let mut random = Random::new(1);
        let v = Dense::new(120, 19, (0..120 * 19).map(|_| random.normal()).collect()).unwrap();
        near(&kernel.apply(&network, &v).unwrap().0, &product(&whole, &v), 1e-12);
        assert!(kernel.apply(&network, &Dense::zeros(3, 1)).is_err());
        assert!(kernel.block(&network, &[120], &[0]).is_err());
        if kernel.definiteness() == Definiteness::PositiveSemidefinite {
            // With as many landmarks as nodes the approximation is exact; with few, their number is the rank of the
            // matrix.
            let nodes = Nodes::all(network.clone());
            let all = Engine::new().gram(&kernel.clone().with_landmarks(120), &nodes).unwrap();
            near(&all, &whole, 1e-7);
            let few = Engine::new().gram(&kernel.clone().with_landmarks(10), &nodes).unwrap();
            let values = eigenvalues(&few).unwrap();
            assert!(values[109].abs() < 1e-9 * values[119] && values[0] > -1e-12 * values[119]);
        }
    }
}

/// A ring has the closed form Σ_ν exp(-2β(1 - cos 2πν/n))·cos(2πνd/n) / n; this one is too large to store the full
/// matrix.
#[test]
fn large_networks_need_no_full_matrix() {
    let n = WHOLE + 500;
    let edges: Vec<(u32, u32, f64)> = (0..n as u32).map(|i| (i, (i + 1) % n as u32, 1.0)).collect();
    let network = Arc::new(Network::new(n, &edges).unwrap());
    let closed = |d: usize| {
        let angle = |nu: usize| 2.0 * std::f64::consts::PI * nu as f64 / n as f64;
        let term = |nu: usize| (-1.4 * (1.0 - angle(nu).cos())).exp() * (angle(nu) * d as f64).cos();
        (0..n).map(term).sum::<f64>() / n as f64
    };
    let kernel = NodeKernel::new(Family::Diffusion { beta: 0.7 }, Base::Laplacian).unwrap();
    let some = Nodes::new(network.clone(), vec![3, 0, 4, 3, n as u32 - 1]).unwrap();
    let k = Engine::new().gram(&kernel, &some).unwrap();
    let distance = |a: u32, b: u32| (a.abs_diff(b) as usize).min(n - a.abs_diff(b) as usize);
    for (i, &a) in some.chosen().iter().enumerate() {
        for (j, &b) in some.chosen().iter().enumerate() {
            assert!((k.at(i, j) - closed(distance(a, b))).abs() < 1e-13);
        }
    }
    // Sets prepared separately.
    let others = Nodes::new(network.clone(), vec![5, 1]).unwrap();
    let cross = Engine::new().cross(&kernel, &others, &some).unwrap();
    assert!((cross.at(0, 2) - closed(1)).abs() < 1e-13 && (cross.at(1, 1) - closed(1)).abs() < 1e-13);
    let plus = NodeKernel::new(Family::CommuteTime, Base::Laplacian).unwrap();
    assert_eq!(Engine::new().gram(&plus, &some).unwrap_err().code(), Code::Param);
}

#[test]
fn divergence_is_an_error_that_names_the_bound() {
    let network = random_network(50, true, 5);
    for base in [Base::Adjacency, Base::Laplacian, Base::Normalized] {
        let rho = Spectrum::of(&dense(&network, base)).unwrap().radius();
        for sign in [1.0, -1.0] {
            let at = |factor: f64| {
                let kernel = NodeKernel::new(Family::VonNeumann { beta: sign * factor / rho }, base).unwrap();
                Engine::new().gram(&kernel, &Nodes::all(network.clone()))
            };
            assert!(at(0.999).is_ok());
            match at(1.001) {
                Err(Error::Diverge { bound, .. }) => assert!((bound * rho - 1.0).abs() < 1e-9),
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn results_do_not_depend_on_the_number_of_threads() {
    let network = random_network(700, true, 8);
    let grams: Vec<Dense> = [1, 2, 5]
        .map(|threads| {
            let kernel = NodeKernel::new(Family::Diffusion { beta: 0.5 }, Base::Laplacian).unwrap();
            let engine = Engine::new().with_threads(threads).unwrap();
            engine.gram(&kernel, &Nodes::all(network.clone())).unwrap()
        })
        .into();
    let bits = |k: &Dense| k.values().iter().map(|v| v.to_bits()).collect::<Vec<_>>();
    assert!(grams.iter().all(|k| bits(k) == bits(&grams[0])));
}

#[test]
fn empty_graphs_and_invalid_parameters() {
    let none = Arc::new(Network::new(0, &[]).unwrap());
    for family in [Family::Diffusion { beta: 1.0 }, Family::CommuteTime, Family::Power { l: 2 }] {
        assert_eq!(gram(family, Base::Laplacian, &none).rows(), 0);
        let alone = Arc::new(Network::new(2, &[]).unwrap());
        let k = gram(family, Base::Laplacian, &alone);
        let own = if matches!(family, Family::Diffusion { .. }) { 1.0 } else { 0.0 };
        assert_eq!((k.at(0, 0), k.at(0, 1)), (own, 0.0));
    }
    for (family, base) in [
        (Family::Diffusion { beta: 0.0 }, Base::Laplacian),
        (Family::Diffusion { beta: f64::NAN }, Base::Laplacian),
        (Family::PStep { p: 2, a: 1.9 }, Base::Normalized),
        (Family::Pagerank { alpha: 1.0 }, Base::Normalized),
        (Family::Power { l: 0 }, Base::Adjacency),
        (Family::Power { l: 65 }, Base::Adjacency),
    ] {
        assert_eq!(NodeKernel::new(family, base).unwrap_err().code(), Code::Param);
    }
    // Comparing nodes of two graphs is an error.
    let kernel = NodeKernel::new(Family::Diffusion { beta: 1.0 }, Base::Laplacian).unwrap();
    let (a, b) = (random_network(9, false, 1), random_network(9, false, 2));
    let error = Engine::new().cross(&kernel, &Nodes::all(a), &Nodes::all(b)).unwrap_err();
    assert!(error.to_string().contains("another graph"), "{error}");
}
