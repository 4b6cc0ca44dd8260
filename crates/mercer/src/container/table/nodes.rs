//! Nodes and their network: neighbours per node, weights, names.

use std::sync::Arc;

use super::stored;
use crate::data::{Network, Nodes};

stored! { Nodes: nodes, get {
    chosen: u32s = nodes.chosen();
    degrees: u64s =
        (0..nodes.network().len()).map(|i| nodes.network().neighbours(i).len() as u64);
    targets: u32s = nodes.network().targets();
    weights: numbers = nodes.network().weights().unwrap_or_default();
    names: strings = nodes.network().names().unwrap_or_default();
} => {
    let weights = Some(weights).filter(|w| !w.is_empty());
    let names = (!names.is_empty()).then(|| names.into_iter().map(str::to_owned).collect());
    let network = Network::from_stored(degrees, targets.to_vec(), weights, names);
    network.and_then(|network| Nodes::new(Arc::new(network), chosen.to_vec()))
} }
