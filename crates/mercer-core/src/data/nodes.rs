//! Nodes of one graph as objects.

use std::collections::HashMap;
use std::sync::Arc;

use xxhash_rust::xxh3::Xxh3;

use super::{Column, Dataset, Ragged, Values};
use crate::budget;
use crate::error::{Error, Result};

/// An undirected graph whose nodes are the objects: for each node its neighbours and the weights between them.
///
/// The weights of repeated edges (a multigraph) are summed; a loop counts once in its node's row. Unlike
/// [`Graph`](super::Graph), which is one object among others, a network is shared by all its nodes. It may carry the
/// attributes of all of them: see [`Dataset::with_node_attributes`].
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
    attributes: NodeAttributes,
    identity: u128,
}

/// The columns that describe all nodes of a network, such as their words: one row per node, in the order of the nodes.
///
/// A kernel that compares nodes by the attributes of their neighbours needs those of every node, also of nodes that are
/// not among the objects at hand.
#[derive(Clone, Debug, Default)]
pub enum NodeAttributes {
    /// Nothing but the edges is known.
    #[default]
    Absent,
    /// The table that described the nodes does not have exactly one row for each.
    Incomplete {
        /// The first node without a row, or with several.
        node: u32,
        /// Its number of rows.
        rows: usize,
        /// The number of such nodes.
        count: usize,
    },
    /// One row for each node.
    Known(Arc<Dataset>),
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
        let attributes = NodeAttributes::Absent;
        let mut network = Network { targets, weights, names, attributes, identity: 0 };
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

    /// Adds the attributes of all nodes: one row per node, in their order.
    pub fn with_attributes(mut self, attributes: Dataset) -> Result<Self> {
        if attributes.len() != self.len() {
            return Err(Error::usage(format!("attributes of {} nodes for {}", attributes.len(), self.len())));
        }
        if let Some(column) = attributes.columns().iter().find(|c| matches!(c.values, Values::Nodes(_))) {
            return Err(Error::Column {
                name: column.name.clone(),
                reason: "holds nodes, which are no attribute of a node".into(),
                hint: None,
            });
        }
        self.attributes = NodeAttributes::Known(Arc::new(attributes));
        Ok(self)
    }

    /// The attributes of the nodes.
    pub fn attributes(&self) -> &NodeAttributes {
        &self.attributes
    }

    /// The name of a node, or its number from 0.
    pub fn name(&self, node: u32) -> String {
        let name = self.names.as_ref().and_then(|names| names.get(node as usize));
        name.cloned().unwrap_or_else(|| node.to_string())
    }

    /// A fingerprint of edges, weights and names: equal networks have equal fingerprints, whatever their attributes.
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

impl Dataset {
    /// The same objects, whose nodes know the other columns as attributes of all nodes of their network.
    ///
    /// Selected objects keep the whole network, so these attributes stay known when only some nodes are used for
    /// training. Columns of nodes, the target, groups, ids and weights are no attributes. If a node has no row or
    /// several rows, the network keeps the attributes it had, or says which node it is.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use mercer_core::data::{Column, Dataset, Dense, Network, NodeAttributes, Nodes, Values};
    /// let nodes = Nodes::all(Arc::new(Network::new(2, &[(0, 1, 1.0)])?));
    /// let words = Values::Numbers(Dense::from_rows(&[[1.0], [3.0]]));
    /// let data = Dataset::new(vec![Column::new("node", Values::Nodes(nodes)), Column::new("words", words)])?;
    /// let first = data.with_node_attributes()?.select(&[0]);
    /// let Values::Nodes(node) = &first.column("node")?.values else { unreachable!() };
    /// let NodeAttributes::Known(all) = node.network().attributes() else { unreachable!() };
    /// assert_eq!((first.len(), all.len()), (1, 2));
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn with_node_attributes(self) -> Result<Self> {
        self.with_node_attributes_of(|_| true)
    }

    /// The same for some of the other columns.
    pub fn with_node_attributes_of(self, is_attribute: impl Fn(&Column) -> bool) -> Result<Self> {
        let is_node = |column: &&Column| matches!(column.values, Values::Nodes(_));
        let others: Vec<&Column> = self.columns().iter().filter(|c| !is_node(c) && is_attribute(c)).collect();
        if others.is_empty() || !self.columns().iter().any(|c| is_node(&c)) {
            return Ok(self);
        }
        let bytes = others.iter().map(|column| match &column.values {
            Values::Numbers(x) => 8 * x.values().len() as u64,
            Values::Sparse(x) => 12 * x.stored() as u64,
            values => 32 * values.len() as u64,
        });
        budget::ask("attributes of nodes", bytes.sum())?;
        let columns = self.columns().iter().map(|column| match &column.values {
            Values::Nodes(nodes) => {
                Ok(Column::new(&column.name, Values::Nodes(nodes.with_attributes(&others)?)))
            }
            _ => Ok(column.clone()),
        });
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let unlabelled = self.unlabelled().cloned();
        Ok(self.with_columns(columns)?.with_unlabelled(unlabelled))
    }
}

impl Nodes {
    /// The same nodes in a network whose attributes are these columns, with one value per object.
    fn with_attributes(&self, columns: &[&Column]) -> Result<Self> {
        let mut rows: Vec<Option<usize>> = vec![None; self.network.len()];
        let mut counts = vec![0usize; self.network.len()];
        for (row, &node) in self.chosen.iter().enumerate() {
            counts[node as usize] += 1;
            rows[node as usize].get_or_insert(row);
        }
        let odd = counts.iter().filter(|c| **c != 1).count();
        let attributes = match (0..).zip(&counts).find(|(_, count)| **count != 1) {
            Some(_) if matches!(self.network.attributes, NodeAttributes::Known(_)) => return Ok(self.clone()),
            Some((node, &rows)) => NodeAttributes::Incomplete { node, rows, count: odd },
            None => {
                let rows: Vec<usize> = rows.into_iter().flatten().collect();
                let of = |column: &&Column| Column::new(&column.name, column.values.select(&rows));
                NodeAttributes::Known(Arc::new(Dataset::new(columns.iter().map(of).collect())?))
            }
        };
        let network = Network { attributes, ..(*self.network).clone() };
        Ok(Nodes { network: Arc::new(network), chosen: self.chosen.clone() })
    }

    /// The same nodes; of the attributes of their network, those that `wanted` names are kept.
    #[must_use]
    pub fn keeping_attributes(&self, wanted: impl Fn(&str) -> bool) -> Self {
        let NodeAttributes::Known(all) = &self.network.attributes else { return self.clone() };
        if all.columns().iter().all(|column| wanted(&column.name)) {
            return self.clone();
        }
        let kept: Vec<Column> = all.columns().iter().filter(|c| wanted(&c.name)).cloned().collect();
        let attributes = match Dataset::new(kept) {
            Ok(kept) if !kept.columns().is_empty() => NodeAttributes::Known(Arc::new(kept)),
            _ => NodeAttributes::Absent,
        };
        let network = Network { attributes, ..(*self.network).clone() };
        Nodes { network: Arc::new(network), chosen: self.chosen.clone() }
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
