//! Prepared nodes.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use crate::budget::Budget;
use crate::data::{Dense, Network, Nodes};
use crate::error::{Error, Result};
use crate::gram::Spectrum;
use crate::kernel::{Part, Prepared};
use crate::numeric::algebra::{mirror, product, product_transposed};
use crate::numeric::{Chebyshev, Symmetric};
use crate::random::Random;

/// Nodes of a network with their stored similarities.
#[derive(Clone, Debug)]
pub struct PreparedNodes {
    network: Arc<Network>,
    chosen: Vec<u32>,
    held: Held,
}

#[derive(Clone, Debug)]
pub(super) enum Held {
    /// The similarities of all nodes.
    Whole(Arc<Dense>),
    /// The similarities of the nodes that were prepared together.
    Block { places: Arc<HashMap<u32, usize>>, values: Arc<Dense> },
    /// Features, one row per object.
    Factor(Dense),
}

impl Held {
    /// The similarities among these nodes only.
    pub(super) fn block(sum: &Chebyshev, s: &Symmetric, chosen: &[u32], budget: &Budget) -> Result<Self> {
        let mut distinct = chosen.to_vec();
        distinct.sort_unstable();
        distinct.dedup();
        let mut values = sum.block(s, &distinct, &distinct, budget)?;
        mirror(&mut values);
        let places = distinct.into_iter().zip(0..).collect();
        Ok(Held::Block { places: Arc::new(places), values: Arc::new(values) })
    }
}

/// The Nyström factor C·W^(-1/2): C holds the columns of the landmarks, W their rows in C.
#[derive(Debug)]
pub(super) struct Landmarks {
    columns: Dense,
    map: Dense,
}

impl Landmarks {
    /// `count` random nodes; the choice depends only on the number of nodes.
    pub(super) fn new(sum: &Chebyshev, s: &Symmetric, count: usize, budget: &Budget) -> Result<Self> {
        let mut nodes: Vec<u32> = (0..s.len() as u32).collect();
        Random::new(0).shuffle(&mut nodes);
        nodes.truncate(count);
        let all: Vec<u32> = (0..s.len() as u32).collect();
        let columns = sum.block(s, &all, &nodes, budget)?;
        let mut own = columns.select(&nodes.iter().map(|&i| i as usize).collect::<Vec<_>>());
        mirror(&mut own);
        let spectrum = Spectrum::of(&own)?;
        let least = spectrum.tolerance().max(sum.bound());
        let kept: Vec<usize> = (0..spectrum.n()).filter(|&k| spectrum.values[k] > least).collect();
        let mut map = Dense::zeros(nodes.len(), kept.len());
        for (at, &k) in kept.iter().enumerate() {
            let scale = 1.0 / spectrum.values[k].sqrt();
            (0..nodes.len()).for_each(|i| map.row_mut(i)[at] = scale * spectrum.vectors.at(k, i));
        }
        Ok(Landmarks { columns, map })
    }

    pub(super) fn features(&self, chosen: &[u32]) -> Dense {
        let rows: Vec<usize> = chosen.iter().map(|&i| i as usize).collect();
        product(&self.columns.select(&rows), &self.map)
    }
}

impl Prepared for PreparedNodes {
    fn len(&self) -> usize {
        self.chosen.len()
    }

    fn select(&self, chosen: &[usize]) -> Self {
        PreparedNodes {
            network: self.network.clone(),
            chosen: self.chosen.select(chosen),
            held: match &self.held {
                Held::Factor(features) => Held::Factor(features.select(chosen)),
                shared => shared.clone(),
            },
        }
    }
}

impl PreparedNodes {
    pub(super) fn new(objects: &Nodes, held: Held) -> Self {
        PreparedNodes { network: objects.network().clone(), chosen: objects.chosen().to_vec(), held }
    }

    pub(super) fn network(&self) -> &Arc<Network> {
        &self.network
    }

    pub(super) fn nodes(&self, range: Range<usize>) -> &[u32] {
        &self.chosen[range]
    }

    /// The similarity of two nodes, if it is stored.
    fn value(&self, i: u32, j: u32) -> Option<f64> {
        match &self.held {
            Held::Whole(values) => Some(values.at(i as usize, j as usize)),
            Held::Block { places, values } => Some(values.at(*places.get(&i)?, *places.get(&j)?)),
            Held::Factor(_) => None,
        }
    }
}

/// Fills a tile from stored values; false if some are not stored.
pub(super) fn fill(
    rows: &Part<'_, PreparedNodes>,
    cols: &Part<'_, PreparedNodes>,
    out: &mut [f64],
) -> Result<bool> {
    if rows.set.network.identity() != cols.set.network.identity() {
        return Err(Error::Object {
            index: rows.range.start,
            reason: "is a node of another graph than the nodes it is compared with; a transductive kernel is defined on one graph".into(),
            hint: Some("use the same edges and the same node table for both".into()),
        });
    }
    let (own, theirs) = (rows.set.nodes(rows.range.clone()), cols.set.nodes(cols.range.clone()));
    if let (Held::Factor(a), Held::Factor(b)) = (&rows.set.held, &cols.set.held) {
        let a = a.select(&rows.range.clone().collect::<Vec<_>>());
        let b = b.select(&cols.range.clone().collect::<Vec<_>>());
        out.copy_from_slice(product_transposed(&a, &b).values());
        return Ok(true);
    }
    for (row, &i) in out.chunks_exact_mut(theirs.len().max(1)).zip(own) {
        if let Held::Whole(values) = &rows.set.held {
            let known = values.row(i as usize);
            row.iter_mut().zip(theirs).for_each(|(v, &j)| *v = known[j as usize]);
            continue;
        }
        for (v, &j) in row.iter_mut().zip(theirs) {
            match rows.set.value(i, j).or_else(|| cols.set.value(i, j)) {
                Some(known) => *v = known,
                None => return Ok(false),
            }
        }
    }
    Ok(true)
}

/// Self-similarities, which are always stored.
pub(super) fn diagonal(of: &Part<'_, PreparedNodes>, out: &mut [f64]) {
    for (v, at) in out.iter_mut().zip(of.range.clone()) {
        let node = of.set.chosen[at];
        *v = match &of.set.held {
            Held::Factor(features) => {
                // As a matrix product, so that a tile gives exactly the same value.
                let own = features.select(&[at]);
                product_transposed(&own, &own).at(0, 0)
            }
            _ => of.set.value(node, node).unwrap_or(f64::NAN),
        };
    }
}
