//! Labels that spread along the edges of a graph: what kernels between nodes are to be compared with.

use super::{Base, Family, NodeKernel};
use crate::data::{Dense, Network};
use crate::error::{Error, Result};

/// The class of every node by label propagation: F = (I - α·D^(-1/2)·A·D^(-1/2))⁻¹·Y, the largest of a row wins.
///
/// `known` has the class of nodes whose class is known. Y has a 1 for the class of each such node, and `alpha`, between 0
/// and 1, is how far labels spread. A node that no label reaches gets the class most frequent among the known. One sparse
/// product per class and term, whatever the size of the graph.
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
    // Of equal counts and scores the first class wins.
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
        // What cannot be told from nothing is no label.
        (class, score) if score > error => class,
        _ => frequent,
    };
    Ok((0..known.len()).map(of).collect())
}
