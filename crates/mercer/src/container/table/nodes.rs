//! Nodes and their network: neighbours per node, weights, names, attributes.

use std::sync::Arc;

use super::{Get, Put, stored};
use crate::data::{Dataset, Network, NodeAttributes, Nodes};
use crate::error::Result;

stored! { Nodes: nodes, get {
    chosen: u32s = nodes.chosen();
    degrees: u64s =
        (0..nodes.network().len()).map(|i| nodes.network().neighbours(i).len() as u64);
    targets: u32s = nodes.network().targets();
    weights: numbers = nodes.network().weights().unwrap_or_default();
    names: strings = nodes.network().names().unwrap_or_default();
    attributes: attributes = nodes.network().attributes();
} => {
    let weights = Some(weights).filter(|w| !w.is_empty());
    let names = (!names.is_empty()).then(|| names.into_iter().map(str::to_owned).collect());
    let network = Network::from_stored(degrees, targets.to_vec(), weights, names);
    let network = match attributes {
        Some(attributes) => network.and_then(|network| network.with_attributes(attributes)),
        None => network,
    };
    network.and_then(|network| Nodes::new(Arc::new(network), chosen.to_vec()))
} }

impl Put<'_> {
    /// The attributes of all nodes, if they are known. Files of earlier versions have none.
    fn attributes(&mut self, key: &str, attributes: &NodeAttributes) -> Result<()> {
        match attributes {
            NodeAttributes::Known(all) => self.dataset(key, all),
            NodeAttributes::Absent | NodeAttributes::Incomplete { .. } => Ok(()),
        }
    }
}

impl Get<'_> {
    fn attributes(&self, key: &str) -> Result<Option<Dataset>> {
        self.field.find(key)?.map(|_| self.dataset(key)).transpose()
    }
}
