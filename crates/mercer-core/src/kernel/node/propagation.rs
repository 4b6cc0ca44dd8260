//! Label propagation on a graph: a baseline for kernels between nodes.

use super::{Base, Family, NodeKernel};
use crate::data::{Dense, Network};
use crate::error::{Error, Result};

/// The class of every node by label propagation: F = (I - α·D^(-1/2)·A·D^(-1/2))⁻¹·Y; the largest entry of a row gives
/// the class.
///
/// `known` holds the class of each labelled node. Y has a 1 for the class of each such node, and `alpha`, between 0 and
/// 1, is how far labels spread. A node that no label reaches gets the most frequent known class. Cost: one sparse
/// product per class and term, for a graph of any size.
///
/// ```
/// use mercer_core::{data::Network, kernel::node::label_propagation};
/// let path = Network::new(5, &[(0, 1, 1.0), (1, 2, 1.0), (3, 4, 1.0)])?;
/// let classes = label_propagation(&path, &[Some(0), None, None, Some(1), None], 2, 0.9)?;
/// assert_eq!(classes, [0, 0, 0, 1, 1]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Zhou, Bousquet, Lal, Weston & Schölkopf 2004, Learning with local and global consistency.
pub fn label_propagation(
    network: &Network,
    known: &[Option<usize>],
    classes: usize,
    alpha: f64,
) -> Result<Vec<usize>> {
    if known.len() != network.len() {
        return Err(Error::usage(format!("{} labels for {} nodes", known.len(), network.len())));
    }
    if let Some(bad) = known.iter().flatten().find(|c| **c >= classes) {
        return Err(Error::param("class", bad, &format!("below {classes}")));
    }
    let mut counts = vec![0usize; classes];
    known.iter().flatten().for_each(|&c| counts[c] += 1);
    // Ties in counts and scores go to the first class.
    let first_largest = |values: &mut dyn Iterator<Item = f64>| {
        let mut best = (0, f64::NEG_INFINITY);
        values.enumerate().for_each(|(c, v)| best = if v > best.1 { (c, v) } else { best });
        best
    };
    let frequent = first_largest(&mut counts.iter().map(|&c| c as f64)).0;
    let mut given = Dense::zeros(known.len(), classes);
    for (i, class) in known.iter().enumerate().filter_map(|(i, c)| Some((i, (*c)?))) {
        given.row_mut(i)[class] = 1.0;
    }
    let kernel = NodeKernel::new(Family::Pagerank { alpha }, Base::Normalized)?;
    let (spread, error) = kernel.apply(network, &given)?;
    let of = |i: usize| match first_largest(&mut spread.row(i).iter().copied()) {
        // A score within the error bound of 0 is no label.
        (class, score) if score > error => class,
        _ => frequent,
    };
    Ok((0..known.len()).map(of).collect())
}
