//! Nodes and their network: neighbours per node, weights, names.

use std::sync::Arc;

use super::{Get, Put};
use crate::data::{Network, Nodes};
use crate::error::{Code, Result};

impl Put<'_> {
    pub(super) fn nodes(&mut self, nodes: &Nodes) -> Result<()> {
        let network = nodes.network();
        let degrees = (0..network.len()).map(|i| network.neighbours(i).len() as u64);
        self.array("chosen", nodes.chosen().to_vec())?;
        self.array("degrees", degrees.collect::<Vec<_>>())?;
        self.array("targets", network.targets().to_vec())?;
        self.array("weights", network.weights().unwrap_or_default().to_vec())?;
        self.strings("names", network.names().unwrap_or_default().iter().map(String::as_str))
    }
}

impl Get<'_> {
    pub(super) fn nodes(&self) -> Result<Nodes> {
        let degrees = self.container.u64s(&self.name("degrees"))?;
        let targets = self.container.u32s(&self.name("targets"))?.to_vec();
        let weights = self.container.finite(&self.name("weights"))?.to_vec();
        let names: Vec<String> = self.strings("names")?.into_iter().map(str::to_owned).collect();
        let network = Network::from_stored(
            degrees,
            targets,
            Some(weights).filter(|w| !w.is_empty()),
            Some(names).filter(|n| !n.is_empty()),
        );
        let chosen = self.container.u32s(&self.name("chosen"))?.to_vec();
        let nodes = network.and_then(|network| Nodes::new(Arc::new(network), chosen));
        nodes.map_err(|e| self.field.fault(Code::ModelCount, e.to_string()))
    }
}
