//! Symmetric matrices of a graph.

use crate::data::Network;
use crate::kernel::OneOf;
use crate::numeric::Symmetric;

/// A symmetric matrix S of a graph with weights A and degrees D = diag(Σ_j A_ij).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Base {
    /// S = A - D, the negated Laplacian: eigenvalues from -2·max D to 0.
    Laplacian,
    /// S = D^(-1/2)·(A - D)·D^(-1/2), the negated normalised Laplacian: eigenvalues from -2 to 0. Zero for nodes
    /// without edges.
    Normalized,
    /// S = A.
    Adjacency,
}

impl OneOf for Base {
    const WORDS: &'static [&'static str] = &["laplacian", "normalized", "adjacency"];
    const ALL: &'static [Base] = &[Base::Laplacian, Base::Normalized, Base::Adjacency];
}

impl Base {
    /// The matrix of a network, with `added` on the diagonal.
    pub(super) fn matrix(self, network: &Network, added: f64) -> Symmetric {
        let n = network.len();
        let degrees: Vec<f64> = (0..n).map(|i| network.degree(i)).collect();
        match self {
            Base::Adjacency => Symmetric::new(&vec![added; n], |i| network.row(i)),
            Base::Laplacian => {
                let diagonal: Vec<f64> = degrees.iter().map(|d| added - d).collect();
                Symmetric::new(&diagonal, |i| network.row(i))
            }
            Base::Normalized => {
                // A node without edges has a degree of 0 and no entries.
                let diagonal: Vec<f64> =
                    degrees.iter().map(|d| added - f64::from(u8::from(*d > 0.0))).collect();
                let roots: Vec<f64> = degrees.iter().map(|d| d.sqrt()).collect();
                let roots = &roots;
                // The product of the roots is exactly the same for both ends.
                let row =
                    |i: usize| network.row(i).map(move |(j, w)| (j, w / (roots[i] * roots[j as usize])));
                Symmetric::new(&diagonal, row)
            }
        }
    }
}
