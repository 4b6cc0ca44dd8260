//! M. J. Zaki & W. Meira Jr., *Data Mining and Machine Learning: Fundamental Concepts and Algorithms*, chapter 5: Kernel
//! Methods, as slides.

use std::sync::Arc;

use super::compute::matrix;
use super::{Example, Quantity, WorkedSource, formula, printed};
use crate::data::{Column, Dataset, Dense, Network, Nodes, Values};
use crate::error::Result;
use crate::gram::Map;

/// The worked examples of the chapter.
pub const CHAPTER: WorkedSource = WorkedSource {
    name: "chapter",
    citation: "M. J. Zaki & W. Meira Jr., Data Mining and Machine Learning, chapter 5: Kernel Methods (slides)",
    examples: &EXAMPLES,
    remarks: &[
        "Polynomial Kernel: the binomial expansion is printed with k = 1..q. The sum starts at k = 0; without that \
         term c^q is missing. The value above is that of the sum from 0.",
        "Spectrum Kernel for Strings: the full spectrum map is printed with lengths from l = 0. Mercer counts \
         substrings of at least one symbol; the empty string would add the same constant to every feature vector.",
        "Diffusion Kernels on Graph Nodes: the Laplacian is printed as L = A − Δ, and as L = D − A in the example \
         (S = −L = A − D). Mercer's Laplacian is L = D − A.",
        "Linear Kernel: the figure with the five points has no text. x1 and x2 are printed; x3 to x5 are the points \
         that give the printed kernel matrix.",
        "Empirical and Mercer maps, norms, distances, mean, variance, centring, normalising: the slides print only \
         formulas. Maps and norms are compared with the printed kernel matrix, which they must reproduce.",
    ],
};

/// The five points of the figure.
const POINTS: [[f64; 2]; 5] = [[5.9, 3.0], [6.9, 3.1], [6.6, 2.9], [4.6, 3.2], [6.0, 2.2]];
/// The edges of the graph of the diffusion example, nodes from 0.
const EDGES: [(u32, u32); 6] = [(0, 2), (0, 3), (1, 2), (1, 4), (2, 3), (3, 4)];

const X: &[&str] = &["x1", "x2", "x3", "x4", "x5"];
const NODES: &[&str] = &["1", "2", "3", "4", "5"];
const S: &str = "node-power(l=1, base=laplacian)";

/// "Linear Kernel": the kernel matrix.
const KERNEL_MATRIX: &[&[&str]] = &[
    &["43.81", "50.01", "47.64", "36.74", "42.00"],
    &["50.01", "57.22", "54.53", "41.66", "48.22"],
    &["47.64", "54.53", "51.97", "39.64", "45.98"],
    &["36.74", "41.66", "39.64", "31.40", "34.64"],
    &["42.00", "48.22", "45.98", "34.64", "40.84"],
];

const OPERATIONS: &str = "Basic Kernel Operations in Feature Space";
const GRAPH: &str = "Graph Diffusion Kernel: Example";

#[rustfmt::skip]
const EXAMPLES: [Example; 21] = [
    printed(("Sequence-based Features", "P(A), P(C), P(G), P(T) of ACAGCAGTA"), sequence,
        Quantity::Features("symbol-distribution", &["A", "C", "G", "T"]), &["φ(x)"],
        &[&["0.44", "0.22", "0.22", "0.11"]]),
    printed(("Sequence-based Features", "occurrences of A, C, G, T in ACAGCAGTA (1-spectrum)"), sequence,
        Quantity::Features("spectrum(k=1)", &["A", "C", "G", "T"]), &["φ(x)"], &[&["4", "2", "2", "1"]]),
    printed(("Nonlinear Features", "quadratic map of (5.9, 3)"), first_point,
        Quantity::Features("polynomial(degree=2, c=0)", &[]), &["φ(x)"], &[&["34.81", "9", "25.03"]]),
    printed(("Linear Kernel", "kernel matrix of five points"), points, Quantity::Gram("linear"), X,
        KERNEL_MATRIX),
    printed(("Empirical Kernel Map", "inner products of K^(-1/2)·K_i, which reproduce K"), points,
        Quantity::MapProducts("linear", Map::Empirical), X, KERNEL_MATRIX),
    printed(("Data-specific Mercer Kernel Map", "inner products of √Λ·U_i, which reproduce K"), points,
        Quantity::MapProducts("linear", Map::Mercer), X, KERNEL_MATRIX),
    formula(("Polynomial Kernel", "K_2(x1, x2) with c = 1: Σ_k (2 over k)·(x1·x2)^k"), points,
        Quantity::Entry("polynomial(degree=2, c=1)", 0, 1), &["K_2"],
        || Ok(Dense::from_rows(&[[1.0 + 2.0 * dot(0, 1) + dot(0, 1) * dot(0, 1)]]))),
    formula(("Polynomial Kernel", "Gaussian kernel, σ = 1: exp(-|xi - xj|²/2)"), points,
        Quantity::Gram("rbf(sigma=1)"), X, || table(|i, j| (-squared(i, j) / 2.0).exp())),
    printed((OPERATIONS, "squared norms of the points, K(x, x)"), points,
        Quantity::SquaredNorms("linear"), &["|φ(x)|²"], &[&["43.81", "57.22", "51.97", "31.40", "40.84"]]),
    formula((OPERATIONS, "distances between the points"), points, Quantity::Distances("linear"), X,
        || table(|i, j| squared(i, j).sqrt())),
    formula((OPERATIONS, "squared norm of the mean"), points, Quantity::SquaredNormOfMean("linear"), &["|μ|²"],
        || Ok(Dense::from_rows(&[[mean().iter().map(|m| m * m).sum::<f64>()]]))),
    formula((OPERATIONS, "total variance"), points, Quantity::TotalVariance("linear"), &["σ²"],
        variance),
    formula((OPERATIONS, "centred kernel matrix"), points, Quantity::Centred("linear"), X, || table(centred)),
    formula((OPERATIONS, "normalised kernel matrix: cosines of angles"), points,
        Quantity::Gram("normalize(linear)"), X, || table(|i, j| dot(i, j) / (dot(i, i) * dot(j, j)).sqrt())),
    formula((OPERATIONS, "centred and normalised: correlations"), points,
        Quantity::Gram("normalize(center(linear))"), X,
        || table(|i, j| centred(i, j) / (centred(i, i) * centred(j, j)).sqrt())),
    printed((GRAPH, "S = A - D, the negated Laplacian"), network, Quantity::Gram(S), NODES, &[
            &["-2", "0", "1", "1", "0"], &["0", "-2", "1", "0", "1"], &["1", "1", "-3", "1", "0"],
            &["1", "0", "1", "-3", "1"], &["0", "1", "0", "1", "-2"],
        ]),
    printed((GRAPH, "eigenvalues of S"), network, Quantity::Eigenvalues(S), &["λ"],
        &[&["0", "-1.38", "-2.38", "-3.62", "-4.62"]]),
    printed((GRAPH, "eigenvectors of S"), network, Quantity::Eigenvectors(S), NODES, &[
            &["0.45", "-0.63", "0.00", "0.63", "0.00"], &["0.45", "0.51", "-0.60", "0.20", "-0.37"],
            &["0.45", "-0.20", "-0.37", "-0.51", "0.60"], &["0.45", "-0.20", "0.37", "-0.51", "-0.60"],
            &["0.45", "0.51", "0.60", "0.20", "0.37"],
        ]),
    formula(("Diffusion Kernels on Graph Nodes", "power kernel S², walks of two steps"), network,
        Quantity::Gram("node-power(l=2, base=laplacian)"), NODES, squared_laplacian),
    printed((GRAPH, "exponential diffusion kernel exp(0.2·S)"), network,
        Quantity::Gram("node-diffusion(beta=0.2)"), NODES, &[
            &["0.70", "0.01", "0.14", "0.14", "0.01"], &["0.01", "0.70", "0.13", "0.03", "0.14"],
            &["0.14", "0.13", "0.59", "0.13", "0.03"], &["0.14", "0.03", "0.13", "0.59", "0.13"],
            &["0.01", "0.14", "0.03", "0.13", "0.70"],
        ]),
    printed((GRAPH, "von Neumann diffusion kernel (I - 0.2·S)^-1"), network,
        Quantity::Gram("von-neumann(beta=0.2, base=laplacian)"), NODES, &[
            &["0.75", "0.02", "0.11", "0.11", "0.02"], &["0.02", "0.74", "0.10", "0.03", "0.11"],
            &["0.11", "0.10", "0.66", "0.10", "0.03"], &["0.11", "0.03", "0.10", "0.66", "0.10"],
            &["0.02", "0.11", "0.03", "0.10", "0.74"],
        ]),
];

fn sequence() -> Result<Dataset> {
    Dataset::new(vec![Column::new("sequence", Values::Strings(vec![Some("ACAGCAGTA".into())]))])
}

fn first_point() -> Result<Dataset> {
    Ok(Dataset::of_vectors(Dense::from_rows(&POINTS[..1])))
}

fn points() -> Result<Dataset> {
    Ok(Dataset::of_vectors(Dense::from_rows(&POINTS)))
}

fn network() -> Result<Dataset> {
    let network = Network::new(5, &EDGES.map(|(a, b)| (a, b, 1.0)))?;
    Dataset::new(vec![Column::new("node", Values::Nodes(Nodes::all(Arc::new(network))))])
}

fn dot(i: usize, j: usize) -> f64 {
    (0..2).map(|c| POINTS[i][c] * POINTS[j][c]).sum()
}

fn squared(i: usize, j: usize) -> f64 {
    (0..2).map(|c| (POINTS[i][c] - POINTS[j][c]).powi(2)).sum()
}

fn mean() -> [f64; 2] {
    [0, 1].map(|c| POINTS.iter().map(|x| x[c]).sum::<f64>() / 5.0)
}

fn variance() -> Result<Dense> {
    let of = |x: &[f64; 2]| (0..2).map(|c| (x[c] - mean()[c]).powi(2)).sum::<f64>();
    Ok(Dense::from_rows(&[[POINTS.iter().map(of).sum::<f64>() / 5.0]]))
}

fn centred(i: usize, j: usize) -> f64 {
    (0..2).map(|c| (POINTS[i][c] - mean()[c]) * (POINTS[j][c] - mean()[c])).sum()
}

fn table(value: impl Fn(usize, usize) -> f64) -> Result<Dense> {
    Ok(matrix(5, 5, value))
}

/// (A - D)², computed by sums over edges.
fn squared_laplacian() -> Result<Dense> {
    let adjacent =
        |i: usize, j: usize| EDGES.iter().any(|&(a, b)| (a as usize, b as usize) == (i.min(j), i.max(j)));
    let degree = |i: usize| (0..5).filter(|&j| adjacent(i, j)).count() as f64;
    let s = |i: usize, j: usize| if i == j { -degree(i) } else { f64::from(u8::from(adjacent(i, j))) };
    table(|i, j| (0..5).map(|k| s(i, k) * s(k, j)).sum())
}
