//! Nodes of one graph as objects.

use std::collections::HashMap;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::Ragged;
use crate::error::{Error, Result};

/// An undirected graph whose nodes are the objects: for each node its neighbours and the weights between them.
///
/// The weights of repeated edges (a multigraph) are summed; a loop counts once in its node's row. Unlike
/// [`Graph`](super::Graph), which is one object among others, a network is shared by all its nodes.
///
/// ```
/// use mercer_core::data::Network;
/// let network = Network::new(3, &[(0, 1, 1.0), (1, 0, 0.5), (1, 2, 2.0)])?;
/// assert_eq!(network.row(1).collect::<Vec<_>>(), [(0, 1.5), (2, 2.0)]);
/// assert_eq!(network.degree(1), 3.5);
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Network {
    targets: Ragged<u32>,
    /// `None` if every weight is 1.
    weights: Option<Vec<f64>>,
    names: Option<Vec<String>>,
    identity: u128,
}

impl Network {
    /// A network from its edges with weights of at least 0, in any order; edges of weight 0 are dropped.
    pub fn new(nodes: usize, edges: &[(u32, u32, f64)]) -> Result<Self> {
        if u32::try_from(nodes).is_err() {
            return Err(Error::usage("a network has more than 2^32 nodes"));
        }
        if let Some((a, b, _)) = edges.iter().find(|e| e.0.max(e.1) as usize >= nodes) {
            return Err(Error::usage(format!("edge {a}-{b} is out of range: the network has {nodes} nodes")));
        }
        if let Some((_, _, w)) = edges.iter().find(|e| !(e.2.is_finite() && e.2 >= 0.0)) {
            return Err(Error::param("weight", w, "finite and at least 0"));
        }
        let edges = || edges.iter().filter(|e| e.2 > 0.0);
        let mut offsets = vec![0usize; nodes + 1];
        for &(a, b, _) in edges() {
            offsets[a as usize + 1] += 1;
            offsets[b as usize + 1] += usize::from(a != b);
        }
        for i in 0..nodes {
            offsets[i + 1] += offsets[i];
        }
        let mut next = offsets.clone();
        let mut arcs = vec![(0u32, 0.0f64); offsets[nodes]];
        let mut put = |from: u32, to: u32, w: f64| {
            arcs[next[from as usize]] = (to, w);
            next[from as usize] += 1;
        };
        for &(a, b, w) in edges() {
            put(a, b, w);
            if a != b {
                put(b, a, w);
            }
        }
        // Rows are sorted, and repeated edges are summed in input order, which is the same for both ends.
        let (mut targets, mut weights) = (Vec::with_capacity(arcs.len()), Vec::with_capacity(arcs.len()));
        let mut ends = Vec::with_capacity(nodes + 1);
        ends.push(0);
        for i in 0..nodes {
            let row = &mut arcs[offsets[i]..offsets[i + 1]];
            row.sort_by_key(|a| a.0);
            let first = targets.len();
            for &(to, w) in row.iter() {
                match (targets[first..].last(), weights.last_mut()) {
                    (Some(last), Some(sum)) if *last == to => *sum += w,
                    _ => {
                        targets.push(to);
                        weights.push(w);
                    }
                }
            }
            ends.push(targets.len());
        }
        if let Some(w) = weights.iter().find(|w| !w.is_finite()) {
            return Err(Error::param("weight", w, "finite, also after summing repeated edges"));
        }
        Ok(Network::made(ends, targets, weights, None))
    }

    /// A network from a list that may have each edge in both directions, as many files do; then each counts once.
    ///
    /// ```
    /// use mercer_core::data::Network;
    /// assert_eq!(Network::listed(2, vec![(0, 1, 1.0), (1, 0, 1.0)])?.weight(0, 1), Some(1.0));
    /// assert_eq!(Network::listed(2, vec![(0, 1, 1.0), (0, 1, 1.0)])?.weight(0, 1), Some(2.0));
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn listed(nodes: usize, mut edges: Vec<(u32, u32, f64)>) -> Result<Self> {
        if is_mirrored(&edges) {
            edges.retain(|(a, b, _)| a <= b);
        }
        Network::new(nodes, &edges)
    }

    fn made(offsets: Vec<usize>, targets: Vec<u32>, weights: Vec<f64>, names: Option<Vec<String>>) -> Self {
        let weights = weights.iter().any(|w| *w != 1.0).then_some(weights);
        let targets = Ragged::from_parts(offsets, targets);
        let mut network = Network { targets, weights, names, identity: 0 };
        network.identity = network.fingerprint();
        network
    }

    /// Adds a name for each node, which identifies it in networks from other files.
    pub fn with_names(mut self, names: Vec<String>) -> Result<Self> {
        if names.len() != self.len() {
            return Err(Error::usage(format!("{} names for {} nodes", names.len(), self.len())));
        }
        let mut seen = HashMap::with_capacity(names.len());
        if let Some((i, name)) = names.iter().enumerate().find(|(i, n)| seen.insert(n.as_str(), *i).is_some())
        {
            return Err(Error::usage(format!("two nodes are named '{name}', the second is node {i}")));
        }
        self.names = Some(names);
        self.identity = self.fingerprint();
        Ok(self)
    }

    /// A network from its stored parts: the neighbours of every node, ascending, in both directions.
    #[doc(hidden)]
    pub fn from_stored(
        degrees: &[u64],
        targets: Vec<u32>,
        weights: Option<Vec<f64>>,
        names: Option<Vec<String>>,
    ) -> Result<Self> {
        let bad = |reason: &str| Error::usage(format!("invalid network: {reason}"));
        let mut offsets = Vec::with_capacity(degrees.len() + 1);
        offsets.push(0usize);
        for &d in degrees {
            let end = usize::try_from(d).ok().and_then(|d| offsets.last()?.checked_add(d));
            offsets.push(
                end.filter(|&e| e <= targets.len())
                    .ok_or_else(|| bad("the degrees exceed the number of arcs"))?,
            );
        }
        if offsets.last() != Some(&targets.len())
            || weights.as_ref().is_some_and(|w| w.len() != targets.len())
        {
            return Err(bad("the numbers of arcs, degrees and weights do not agree"));
        }
        let weights = weights.unwrap_or_else(|| vec![1.0; targets.len()]);
        if weights.iter().any(|w| !(w.is_finite() && *w > 0.0)) {
            return Err(bad("a weight is not above 0"));
        }
        let network = Network::made(offsets, targets, weights, None);
        for i in 0..network.len() {
            let row = network.neighbours(i);
            let ascends = row.is_sorted_by(|a, b| a < b);
            if !ascends || row.last().is_some_and(|&t| t as usize >= network.len()) {
                return Err(bad("neighbours are not ascending or out of range"));
            }
        }
        let mirrored = |i: usize, j: u32, w: f64| network.weight(j as usize, i as u32) == Some(w);
        if (0..network.len()).any(|i| network.row(i).any(|(j, w)| !mirrored(i, j, w))) {
            return Err(bad("an edge has only one direction"));
        }
        match names {
            Some(names) => network.with_names(names),
            None => Ok(network),
        }
    }

    /// The number of nodes.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// True when there are no nodes.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The number of edges, including loops; repeated edges count once.
    pub fn edges(&self) -> usize {
        let loops = (0..self.len()).filter(|&i| self.weight(i, i as u32).is_some()).count();
        (self.targets().len() + loops) / 2
    }

    /// The neighbours of node i with their weights, ascending.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (u32, f64)> + '_ {
        let weight = |at: usize| self.weights.as_ref().map_or(1.0, |w| w[at]);
        self.targets.row(i).iter().zip(self.targets.range(i)).map(move |(&to, at)| (to, weight(at)))
    }

    /// The weight between two nodes, if an edge joins them.
    pub fn weight(&self, i: usize, j: u32) -> Option<f64> {
        let at = self.targets.range(i).start + self.neighbours(i).binary_search(&j).ok()?;
        Some(self.weights.as_ref().map_or(1.0, |w| w[at]))
    }

    /// The sum of the weights of node i's edges; a loop counts once.
    pub fn degree(&self, i: usize) -> f64 {
        self.row(i).map(|(_, w)| w).sum()
    }

    /// Whether some weight is not 1.
    pub fn is_weighted(&self) -> bool {
        self.weights.is_some()
    }

    /// The names of the nodes, if any.
    pub fn names(&self) -> Option<&[String]> {
        self.names.as_deref()
    }

    /// A fingerprint of edges, weights and names: equal networks have equal fingerprints.
    pub fn identity(&self) -> u128 {
        self.identity
    }

    #[doc(hidden)]
    pub fn targets(&self) -> &[u32] {
        self.targets.values()
    }

    #[doc(hidden)]
    pub fn weights(&self) -> Option<&[f64]> {
        self.weights.as_deref()
    }

    #[doc(hidden)]
    pub fn neighbours(&self, i: usize) -> &[u32] {
        self.targets.row(i)
    }

    fn fingerprint(&self) -> u128 {
        let mut hash = Xxh3::new();
        self.targets.offsets().iter().for_each(|&o| hash.update(&(o as u64).to_le_bytes()));
        self.targets().iter().for_each(|t| hash.update(&t.to_le_bytes()));
        self.weights.iter().flatten().for_each(|w| hash.update(&w.to_le_bytes()));
        for name in self.names.iter().flatten() {
            hash.update(&(name.len() as u64).to_le_bytes());
            hash.update(name.as_bytes());
        }
        hash.digest128()
    }
}

/// Whether each edge occurs in both directions with the same weight.
fn is_mirrored(edges: &[(u32, u32, f64)]) -> bool {
    let direction = |forward: bool| {
        let chosen = edges.iter().filter(|e| e.0 != e.1 && (e.0 < e.1) == forward);
        let mut out: Vec<_> = chosen.map(|&(a, b, w)| (a.min(b), a.max(b), w.to_bits())).collect();
        out.sort_unstable();
        out
    };
    let forward = direction(true);
    !forward.is_empty() && forward == direction(false)
}

/// Some nodes of a network, one per object. Selecting from them keeps the whole network.
///
/// ```
/// use std::sync::Arc;
/// use mercer_core::data::{Network, Nodes};
/// let network = Arc::new(Network::new(3, &[(0, 1, 1.0), (1, 2, 1.0)])?);
/// let some = Nodes::all(network).select(&[2, 0]);
/// assert_eq!((some.chosen(), some.network().len()), (&[2, 0][..], 3));
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Nodes {
    network: Arc<Network>,
    chosen: Vec<u32>,
}

impl Nodes {
    /// The given nodes of a network; a node may occur twice.
    pub fn new(network: Arc<Network>, chosen: Vec<u32>) -> Result<Self> {
        match chosen.iter().position(|&i| i as usize >= network.len()) {
            Some(index) => Err(Error::Object {
                index,
                reason: format!(
                    "node {} is out of range: the network has {} nodes",
                    chosen[index],
                    network.len()
                ),
                hint: None,
            }),
            None => Ok(Nodes { network, chosen }),
        }
    }

    /// Every node of a network, in order.
    pub fn all(network: Arc<Network>) -> Self {
        let chosen = (0..network.len() as u32).collect();
        Nodes { network, chosen }
    }

    /// The number of objects.
    pub fn len(&self) -> usize {
        self.chosen.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.chosen.is_empty()
    }

    /// The network of these nodes.
    pub fn network(&self) -> &Arc<Network> {
        &self.network
    }

    /// The node of each object.
    pub fn chosen(&self) -> &[u32] {
        &self.chosen
    }

    /// The chosen objects, in the given order.
    pub fn select(&self, rows: &[usize]) -> Self {
        Nodes { network: self.network.clone(), chosen: rows.iter().map(|&i| self.chosen[i]).collect() }
    }
}

/// Equal if the networks are equal and the objects are the same nodes.
impl PartialEq for Nodes {
    fn eq(&self, other: &Self) -> bool {
        self.network.identity == other.network.identity && self.chosen == other.chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_edges_are_summed_and_loops_count_once() {
        let edges = [(0, 1, 1.0), (2, 2, 3.0), (1, 0, 0.25), (0, 1, 1.0), (1, 2, 0.0)];
        let n = Network::new(4, &edges).unwrap();
        assert_eq!((n.len(), n.edges()), (4, 2));
        assert_eq!(n.row(0).collect::<Vec<_>>(), [(1, 2.25)]);
        assert_eq!(n.row(1).collect::<Vec<_>>(), [(0, 2.25)]);
        assert_eq!(n.row(2).collect::<Vec<_>>(), [(2, 3.0)]);
        assert_eq!((n.degree(2), n.degree(3)), (3.0, 0.0));
        assert!(n.is_weighted() && !Network::new(2, &[(0, 1, 1.0)]).unwrap().is_weighted());
    }

    #[test]
    fn invalid_networks_are_errors_of_usage() {
        assert!(Network::new(1, &[(0, 1, 1.0)]).is_err());
        for w in [f64::NAN, f64::INFINITY, -1.0] {
            assert!(Network::new(2, &[(0, 1, w)]).is_err());
        }
        assert!(Network::new(2, &[(0, 1, f64::MAX), (0, 1, f64::MAX)]).is_err());
        let one = Network::new(2, &[]).unwrap();
        assert!(one.clone().with_names(vec!["a".into()]).is_err());
        assert!(one.with_names(vec!["a".into(), "a".into()]).is_err());
        assert!(Nodes::new(Arc::new(Network::new(2, &[]).unwrap()), vec![2]).is_err());
    }

    #[test]
    fn stored_networks_round_trip_unchanged() {
        let n = Network::new(3, &[(0, 1, 2.0), (1, 2, 1.0), (2, 2, 1.0)]).unwrap();
        let degrees: Vec<u64> = (0..3).map(|i| n.neighbours(i).len() as u64).collect();
        let weights = n.weights().map(<[f64]>::to_vec);
        let again = Network::from_stored(&degrees, n.targets().to_vec(), weights, None).unwrap();
        assert_eq!(again.identity(), n.identity());
        for (degrees, targets, weights) in [
            (vec![1, 0], vec![1], None),
            (vec![1, 1], vec![1, 5], None),
            (vec![1, 1], vec![1, 0], Some(vec![1.0, 2.0])),
            (vec![1, 1], vec![1, 0], Some(vec![-1.0, -1.0])),
            (vec![u64::MAX, 1], vec![1, 0], None),
            (vec![1], vec![0, 0], None),
        ] {
            assert!(Network::from_stored(&degrees, targets, weights, None).is_err());
        }
    }
}
