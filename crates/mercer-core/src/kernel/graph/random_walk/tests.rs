use super::*;
use crate::data::{GraphBuilder, Labels};
use crate::error::Code;
use crate::gram::{Engine, eigenvalues};
use crate::random::Random;

/// The full Kronecker product with all pairs of nodes; pairs that do not match have no arcs.
fn product_matrix(g: &Graph, h: &Graph, labels: bool) -> (Vec<Vec<f64>>, Vec<f64>) {
    let (n, m) = (g.nodes(), h.nodes());
    let node = |g: &Graph, i: usize| g.node_labels().map(|l| l.get(i).to_owned()).filter(|_| labels);
    let edge = |g: &Graph, a: usize| g.edge_labels().map(|l| l.get(a).to_owned()).filter(|_| labels);
    let weight = |g: &Graph, a: usize| g.weights().map_or(1.0, |w| w[a]);
    let mut a = vec![vec![0.0; n * m]; n * m];
    let mut start = vec![0.0; n * m];
    for i in 0..n {
        for j in 0..m {
            if node(g, i) != node(h, j) {
                continue;
            }
            start[i * m + j] = 1.0;
            for (p, &s) in g.outgoing(i).zip(g.neighbours(i)) {
                for (q, &t) in h.outgoing(j).zip(h.neighbours(j)) {
                    if edge(g, p) == edge(h, q) && node(g, s as usize) == node(h, t as usize) {
                        a[i * m + j][s as usize * m + t as usize] = weight(g, p) * weight(h, q);
                    }
                }
            }
        }
    }
    (a, start)
}

fn times(a: &[Vec<f64>], x: &[f64]) -> Vec<f64> {
    a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect()
}

/// Gaussian elimination with pivots.
fn solve(mut a: Vec<Vec<f64>>, mut b: Vec<f64>) -> Vec<f64> {
    let n = b.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| a[i][c].abs().total_cmp(&a[j][c].abs())).unwrap();
        a.swap(c, pivot);
        b.swap(c, pivot);
        for r in c + 1..n {
            let f = a[r][c] / a[c][c];
            if f != 0.0 {
                let (top, bottom) = a.split_at_mut(r);
                bottom[0][c..].iter_mut().zip(&top[c][c..]).for_each(|(x, y)| *x -= f * y);
                b[r] -= f * b[c];
            }
        }
    }
    for c in (0..n).rev() {
        let known: f64 = (c + 1..n).map(|k| a[c][k] * b[k]).sum();
        b[c] = (b[c] - known) / a[c][c];
    }
    b
}

/// The kernel by its definition.
fn naive(kernel: &RandomWalk, g: &Graph, h: &Graph) -> f64 {
    let (a, start) = product_matrix(g, h, kernel.labels);
    let total = |x: &[f64]| x.iter().zip(&start).map(|(x, s)| x * s).sum::<f64>();
    let mut x = start.clone();
    match &kernel.walks {
        Walks::Geometric { decay } => {
            let mut m: Vec<Vec<f64>> = a.iter().map(|row| row.iter().map(|v| -decay * v).collect()).collect();
            (0..m.len()).for_each(|i| m[i][i] += 1.0);
            total(&solve(m, start.clone()))
        }
        Walks::Exponential { decay } => {
            let mut sum = total(&x);
            for l in 1..300 {
                x = times(&a, &x).into_iter().map(|v| v * decay / f64::from(l)).collect();
                sum += total(&x);
            }
            sum
        }
        _ => {
            let mut sum = 0.0;
            for weight in kernel.weights().unwrap() {
                sum += weight * total(&x);
                x = times(&a, &x);
            }
            sum
        }
    }
}

/// Random graphs of all kinds: labelled or not, directed, weighted, with loops, empty.
fn graph(random: &mut Random, labels: usize, weights: bool, directed: bool) -> Graph {
    let n = random.below(8);
    let mut edges = Vec::new();
    for a in 0..n as u32 {
        for b in 0..n as u32 {
            if (directed || b <= a) && random.below(if a == b { 8 } else { 2 }) == 0 {
                edges.push((a, b));
            }
        }
    }
    let m = edges.len();
    let mut builder = if directed { GraphBuilder::directed(n) } else { GraphBuilder::undirected(n) };
    builder = builder.edges(edges);
    let mut names = |count: usize, of: usize| {
        Labels::from_names((0..count).map(|_| ["C", "N", "O"][random.below(of)]).collect::<Vec<_>>())
    };
    if labels > 0 {
        builder = builder.node_labels(names(n, labels)).edge_labels(names(m, 2));
    }
    if weights {
        builder = builder.weights((0..m).map(|_| random.unit() * 2.0 - 0.5).collect());
    }
    builder.build().unwrap().0
}

fn kernels() -> Vec<RandomWalk> {
    vec![
        RandomWalk::steps(0, 1.0).unwrap(),
        RandomWalk::steps(1, 0.5).unwrap(),
        RandomWalk::steps(4, 0.3).unwrap(),
        RandomWalk::steps(7, 1.0).unwrap(),
        RandomWalk::weighted(vec![0.0, 1.0, 0.0, 0.25]).unwrap(),
        RandomWalk::weighted(vec![]).unwrap(),
        RandomWalk::geometric(0.01).unwrap(),
        RandomWalk::geometric(0.001).unwrap(),
        RandomWalk::exponential(0.1).unwrap(),
        RandomWalk::exponential(1.0).unwrap(),
    ]
}

#[test]
fn all_kinds_agree_with_the_full_product() {
    let mut random = Random::new(7);
    let engine = Engine::new();
    let mut compared = 0;
    for (labels, weights, directed) in [
        (0, false, false),
        (1, false, false),
        (3, false, false),
        (2, true, false),
        (0, true, false),
        (2, false, true),
        (3, true, true),
        (0, true, true),
    ] {
        let graphs: Vec<Graph> = (0..9).map(|_| graph(&mut random, labels, weights, directed)).collect();
        for kernel in kernels() {
            for kernel in [kernel.clone(), kernel.without_labels()] {
                let k = match engine.gram(&kernel, &graphs[..]) {
                    Err(Error::Diverge { .. }) => continue,
                    other => other.unwrap(),
                };
                for i in 0..graphs.len() {
                    for j in 0..graphs.len() {
                        let want = naive(&kernel, &graphs[i], &graphs[j]);
                        let scale = (k.at(i, i) * k.at(j, j)).sqrt().max(1e-300);
                        let off = (k.at(i, j) - want).abs() / scale.max(want.abs());
                        assert!(off < 2e-12, "{kernel} {i} {j}: {} {want} {off:e}", k.at(i, j));
                        compared += 1;
                    }
                }
            }
        }
    }
    assert!(compared > 10_000, "{compared}");
}

#[test]
fn label_sequences_and_product_graphs_agree() {
    let mut random = Random::new(11);
    for _ in 0..60 {
        let (g, h) = (graph(&mut random, 3, false, false), graph(&mut random, 3, false, false));
        for weights in [vec![1.0, 0.5, 0.25, 0.125], vec![1.0; 6]] {
            let kernel = RandomWalk::weighted(weights.clone()).unwrap();
            let (a, b) = (Form::new(&g, true), Form::new(&h, true));
            let lists = [&a, &b].map(|f| sequences::sequences(f, &weights, u64::MAX).unwrap());
            let explicit = sequences::product(&lists[0], &lists[1]);
            let mut product = Product::default();
            product.set(&a, &b).unwrap();
            let implicit = Vectors::default().weighted(&product, &weights);
            assert!((explicit - implicit).abs() <= 1e-12 * implicit.abs(), "{explicit} {implicit}");
            let found =
                Engine::new().cross(&kernel, std::slice::from_ref(&g), std::slice::from_ref(&h)).unwrap();
            assert!((found.at(0, 0) - implicit).abs() <= 1e-12 * implicit.abs());
        }
    }
    // Long sparse graphs with two labels: short walks use explicit sequences, long ones do not.
    let edges: Vec<_> = (1..60).map(|i| (i - 1, i)).collect();
    let names: Vec<_> = (0..60).map(|_| ["a", "b"][random.below(2)]).collect();
    let graph = Graph::undirected(60, &edges).unwrap().with_node_labels(Labels::from_names(names)).unwrap();
    let written = |steps: usize| {
        let kernel = RandomWalk::steps(steps, 1.0).unwrap();
        Kernel::prepare(&kernel, std::slice::from_ref(&graph)).unwrap()[0].sequences.is_some()
    };
    assert!(written(3) && !written(18));
}

/// Graphs near divergence are summed by eigenvalues, graphs with a smaller spectral radius by walk length.
#[test]
fn geometric_sums_close_to_divergence() {
    let cycle = |n: u32| {
        Graph::undirected(n as usize, &(0..n).map(|i| (i, (i + 1) % n)).collect::<Vec<_>>()).unwrap()
    };
    let star = Graph::undirected(5, &[(0, 1), (0, 2), (0, 3), (0, 4)]).unwrap();
    let path = Graph::undirected(3, &[(0, 1), (1, 2)]).unwrap();
    // A cycle has n·2^l walks: Σ λ^l n m 4^l = n m / (1 - 4λ). The star has radius 2 as well.
    let kernel = RandomWalk::geometric(0.249_99).unwrap();
    let graphs = [cycle(3), cycle(8), star.clone(), path.clone()];
    let k = Engine::new().gram(&kernel, &graphs[..]).unwrap();
    let want = 24.0 / (1.0 - 4.0 * 0.249_99);
    assert!((k.at(0, 1) / want - 1.0).abs() < 1e-9, "{} {want}", k.at(0, 1));
    for (i, j) in [(2, 2), (2, 3), (0, 3), (1, 2)] {
        let want = naive(&kernel, &graphs[i], &graphs[j]);
        assert!((k.at(i, j) / want - 1.0).abs() < 1e-9, "{i} {j}: {} {want}", k.at(i, j));
    }
    let prepared = Kernel::prepare(&kernel, &graphs[..]).unwrap();
    assert!(matches!(prepared[1].totals, Some(Totals::Spectrum { .. })));
    assert!(matches!(prepared[3].totals, Some(Totals::Lengths(_))));
    // The same with labels, which tests conjugate gradients.
    let labelled = |g: &Graph| {
        let names: Vec<_> = (0..g.nodes()).map(|i| if i == 1 { "x" } else { "y" }).collect();
        g.clone().with_node_labels(Labels::from_names(names)).unwrap()
    };
    let graphs = graphs.each_ref().map(labelled);
    let k = Engine::new().gram(&kernel, &graphs[..]).unwrap();
    for i in 0..4 {
        for j in 0..4 {
            let want = naive(&kernel, &graphs[i], &graphs[j]);
            assert!((k.at(i, j) / want - 1.0).abs() < 1e-9, "{i} {j}: {} {want}", k.at(i, j));
        }
    }
}

#[test]
fn divergence_is_an_error_that_names_the_bound() {
    let cycle = Graph::undirected(5, &[(0, 1), (1, 2), (2, 3), (3, 4), (4, 0)]).unwrap();
    let star = Graph::undirected(10, &(1..10).map(|i| (0, i)).collect::<Vec<_>>()).unwrap();
    let prepare = |decay: f64, graphs: &[Graph]| {
        Kernel::prepare(&RandomWalk::geometric(decay).unwrap(), graphs).map(|_| ())
    };
    let error = prepare(0.2, &[cycle.clone(), star.clone()]).unwrap_err();
    assert_eq!(error.code(), Code::Diverge);
    let Error::Diverge { bound, index: Some(1), .. } = error else { panic!("{error}") };
    // Radius 3: below 1/9.
    assert!((bound * 9.0 - 1.0).abs() < 1e-5, "{bound}");
    assert!(prepare(bound, &[cycle.clone(), star.clone()]).is_ok());
    assert!(prepare(1.0 / 9.0, std::slice::from_ref(&star)).is_err());
    let heavy = cycle.clone().with_weights(vec![1e300; 10]).unwrap();
    let Err(Error::Diverge { bound, .. }) = prepare(1e-3, &[heavy]) else { panic!("heavy weights diverge") };
    assert_eq!(bound, 0.0);
    assert!(prepare(0.24999, std::slice::from_ref(&cycle)).is_ok() && prepare(0.25, &[cycle]).is_err());
    // With labels the product has fewer arcs and grows more slowly; the bound is exact.
    let names = (0..10).map(|i| if i == 0 { "hub".into() } else { format!("leaf {i}") });
    let labelled_star = star.with_node_labels(Labels::from_names(names)).unwrap();
    let error = prepare(1.0, std::slice::from_ref(&labelled_star)).unwrap_err();
    let Error::Diverge { bound, .. } = error else { panic!("{error}") };
    let (a, _) = product_matrix(&labelled_star, &labelled_star, true);
    let dense = crate::data::Dense::new(100, 100, a.concat()).unwrap();
    let top = eigenvalues(&dense).unwrap()[99];
    assert!((bound * top - 1.0).abs() < 1e-5 && (top - 3.0).abs() < 1e-12, "{bound} {top}");
    assert!(prepare(0.3333, &[labelled_star]).is_ok());
}

#[test]
fn graphs_without_nodes_or_edges() {
    let empty = Graph::undirected(0, &[]).unwrap();
    let lone = Graph::undirected(1, &[]).unwrap();
    let apart = Graph::undirected(3, &[]).unwrap();
    let graphs = [empty, lone, apart];
    for kernel in kernels() {
        let k = Engine::new().gram(&kernel, &graphs[..]).unwrap();
        let weight = kernel.weights().map_or(1.0, |w| w.first().copied().unwrap_or(0.0));
        for (i, n) in [0.0, 1.0, 3.0].into_iter().enumerate() {
            for (j, m) in [0.0, 1.0, 3.0].into_iter().enumerate() {
                assert_eq!(k.at(i, j), weight * n * m, "{kernel}");
            }
        }
    }
    let none = Engine::new().gram(&RandomWalk::geometric(0.1).unwrap(), &graphs[..0]).unwrap();
    assert_eq!(none.rows(), 0);
}

#[test]
fn graphs_with_different_labels_have_similarity_zero() {
    let edge = |name: &str| {
        Graph::undirected(2, &[(0, 1)]).unwrap().with_node_labels(Labels::from_names([name, name])).unwrap()
    };
    let graphs = [edge("C"), edge("N"), Graph::undirected(2, &[(0, 1)]).unwrap()];
    for kernel in [RandomWalk::steps(3, 1.0).unwrap(), RandomWalk::geometric(0.1).unwrap()] {
        let k = Engine::new().gram(&kernel, &graphs[..]).unwrap();
        assert_eq!([k.at(0, 1), k.at(0, 2), k.at(1, 2)], [0.0; 3]);
        assert!(k.at(0, 0) == k.at(2, 2) && k.at(0, 0) > 4.0);
        let plain = Engine::new().gram(&kernel.without_labels(), &graphs[..]).unwrap();
        assert!(plain.values().iter().all(|v| *v == plain.at(0, 0)));
    }
}

/// Two graphs of 20,000 nodes with labels: the product is an error before anything is computed. Without labels, or for
/// walks short enough for explicit sequences, there is no product.
#[test]
fn large_products_are_an_error_before_computing() {
    let mut random = Random::new(3);
    let n = 20_000u32;
    let edges: Vec<_> =
        (1..n).flat_map(|i| [(i, random.below(i as usize) as u32), (i, (i * 7) % i)]).collect();
    let names: Vec<_> = (0..n).map(|i| ["a", "b", "c"][i as usize % 3]).collect();
    let graph = Graph::undirected(n as usize, &edges).unwrap();
    let graph = graph.with_node_labels(Labels::from_names(names)).unwrap();
    let graphs = [graph.clone(), graph];
    let began = std::time::Instant::now();
    let kernel = RandomWalk::exponential(0.001).unwrap();
    let error = Kernel::prepare(&kernel, &graphs[..]).map(|_| ()).unwrap_err();
    assert_eq!(error.code(), Code::MemoryPlan, "{error}");
    assert!(began.elapsed().as_secs() < 5);
    let short = RandomWalk::steps(3, 1e-6).unwrap();
    assert!(Engine::new().gram(&short, &graphs[..]).unwrap().at(0, 1) > 1e8);
    assert!(Engine::new().gram(&RandomWalk::steps(9, 1e-6).unwrap().without_labels(), &graphs[..]).is_ok());
}

#[test]
fn parameters_are_checked() {
    assert!(RandomWalk::steps(1001, 0.1).is_err() && RandomWalk::steps(1000, 0.1).is_ok());
    for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert!(RandomWalk::steps(1, bad).is_err() && RandomWalk::geometric(bad).is_err());
        assert!(RandomWalk::exponential(bad).is_err());
        assert!(bad == 0.0 || RandomWalk::weighted(vec![1.0, bad]).is_err());
    }
}
