//! Tests of smoothed kernels.

use super::*;
use crate::gram::Engine;
use crate::kernel::vector::Rbf;
use crate::random::Random;

/// A network with two components and a node without edges, and vectors of its nodes, of which most values are 0.
fn problem(n: u32, dim: usize) -> (Arc<Network>, Dense) {
    let mut random = Random::new(5);
    let half = n / 2;
    let end = |random: &mut Random, low: u32, high: u32| low + random.below((high - low) as usize) as u32;
    let mut edges = Vec::new();
    for _ in 0..2 * n {
        let (low, high) = if random.below(2) == 0 { (1, half) } else { (half, n) };
        edges.push((end(&mut random, low, high), end(&mut random, low, high), 0.5 + random.normal().abs()));
    }
    let values = (0..n as usize * dim).map(|_| if random.below(5) == 0 { random.normal() } else { 0.0 });
    let x = Dense::new(n as usize, dim, values.collect()).unwrap();
    (Arc::new(Network::new(n as usize, &edges).unwrap()), x)
}

fn sparse(x: &Dense) -> Vectors {
    let row = |i: usize| (0..).zip(x.row(i).iter().copied()).filter(|(_, v)| *v != 0.0).collect();
    let rows: Vec<Vec<(u32, f64)>> = (0..x.rows()).map(row).collect();
    Vectors::Sparse(Sparse::from_rows(x.cols(), &rows).unwrap())
}

fn all() -> [Smoothing; 5] {
    [
        Smoothing::power(3).unwrap(),
        Smoothing::power(2).unwrap().with_loops(0.0).unwrap(),
        Smoothing::pagerank(0.8).unwrap(),
        Smoothing::heat(4.0).unwrap(),
        Smoothing::diffusion(0.7).unwrap(),
    ]
}

fn near(a: &Dense, b: &Dense, what: &str) {
    let size = b.values().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    for (a, b) in a.values().iter().zip(b.values()) {
        assert!((a - b).abs() <= 1e-12 * size, "{what}: {a} and {b}");
    }
}

#[test]
fn features_and_similarities_give_the_same_kernel() {
    let (network, x) = problem(40, 19);
    let nodes = Nodes::new(network.clone(), vec![3, 39, 0, 3, 20]).unwrap();
    for smoothing in all() {
        let dense = Smoothed::new(Linear, &Vectors::Dense(x.clone()), network.clone(), smoothing).unwrap();
        let of_sparse = Smoothed::new(Linear, &sparse(&x), network.clone(), smoothing).unwrap();
        assert!(dense.features().is_some() && of_sparse.features().is_some());
        let k = Engine::new().gram(&dense, &nodes).unwrap();
        near(&Engine::new().gram(&of_sparse, &nodes).unwrap(), &k, "sparse");
        // The same without explicit features.
        let smoother = smoothing.of(&network).unwrap();
        let set = Linear.prepare(&Vectors::Dense(x.clone())).unwrap();
        let rows = smoother.rows::<Vectors, _>(&Linear, &set, nodes.chosen(), &Budget::default()).unwrap();
        let chosen: Vec<usize> = nodes.chosen().iter().map(|&i| i as usize).collect();
        let mut found = Dense::zeros(5, 5);
        (0..5).for_each(|i| (0..5).for_each(|j| found.row_mut(i)[j] = rows.at(i, chosen[j])));
        near(&found, &k, "similarities");
    }
}

#[test]
fn values_do_not_depend_on_the_other_nodes_of_a_set() {
    let (network, x) = problem(60, 5);
    let kernel =
        Smoothed::new(Rbf::new(0.2).unwrap(), &Vectors::Dense(x), network.clone(), all()[3]).unwrap();
    let whole = Engine::new().gram(&kernel, &Nodes::all(network.clone())).unwrap();
    let Values::Similarities { smoother, set, .. } = &kernel.values else { panic!("features") };
    for chosen in [vec![7u32, 59], vec![59], (0..60).rev().collect()] {
        let rows = smoother.rows::<Vectors, _>(&kernel.kernel, set, &chosen, &Budget::default()).unwrap();
        for (i, &a) in chosen.iter().enumerate() {
            for b in a..60 {
                assert_eq!(rows.at(i, b as usize), whole.at(a as usize, b as usize));
            }
        }
        // The rows of chosen nodes, as in a graph that is too large for the whole matrix.
        let places = (0..chosen.len()).collect();
        let held = Held::Rows { rows: Arc::new(rows), places };
        let some = PreparedSmooth { chosen: chosen.clone(), held }.select(&[chosen.len() - 1, 0]);
        let mut out = [0.0; 4];
        kernel.fill(Part::all(&some), Part::all(&some), &mut out).unwrap();
        let (a, b) = (chosen[chosen.len() - 1] as usize, chosen[0] as usize);
        assert_eq!(out, [whole.at(a, a), whole.at(a, b), whole.at(b, a), whole.at(b, b)]);
    }
}

#[test]
fn parameters_and_graphs_that_do_not_fit_are_errors() {
    let text = |smoothing: Result<Smoothing>| smoothing.unwrap_err().to_string();
    assert!(text(Smoothing::power(0)).contains("a whole number from 1 to 64"));
    assert!(text(Smoothing::power(65)).contains("a whole number from 1 to 64"));
    for alpha in [0.0, 1.0, f64::NAN] {
        assert!(text(Smoothing::pagerank(alpha)).contains("above 0 and below 1"));
    }
    assert!(text(Smoothing::heat(0.0)).contains("above 0"));
    assert!(text(Smoothing::diffusion(f64::INFINITY)).contains("above 0"));
    assert!(text(all()[0].with_loops(-1.0)).contains("at least 0"));
    let (network, x) = problem(10, 2);
    let few = Vectors::Dense(x.select(&[0, 1]));
    assert!(Smoothed::new(Linear, &few, network.clone(), all()[0]).is_err());
    let kernel = Smoothed::new(Linear, &Vectors::Dense(x), network, all()[0]).unwrap();
    let other = Nodes::all(problem(12, 2).0);
    assert!(kernel.prepare(&other).unwrap_err().to_string().contains("another graph"));
}
