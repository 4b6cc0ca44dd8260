//! Kernels between the nodes of a graph.

use std::collections::HashMap;

use super::columns::{Field, Scope};
use super::entry::{Depends, Entry, ReadFamily};
use super::tree::{Call, Expression};
use crate::data::{Dataset, Dense, Network, Nodes, Values};
use crate::error::{Error, Result, Warning};
use crate::gram::Engine;
use crate::kernel::node::{Base, Family, NodeKernel};
use crate::kernel::{Boxed, Facts};

impl Expression {
    /// Similarities of every object to some nodes of its graph, by name, and a bound on the error of each; for an
    /// expression that is a single kernel between nodes.
    ///
    /// Only these columns are computed, for graphs of any size: see [`NodeKernel::block`].
    pub fn node_columns(&self, data: &Dataset, nodes: &[String], engine: &Engine) -> Result<(Dense, f64)> {
        self.columns_of(data, engine, |network| {
            let names = network.names().unwrap_or_default().iter().map(String::as_str).zip(0..);
            let known: HashMap<&str, usize> = names.collect();
            let place = |name: &String| {
                let named = network.names().map(|_| known.get(name.as_str()).copied());
                let at = named.unwrap_or_else(|| name.parse().ok()).filter(|&at: &usize| at < network.len());
                at.map(|at| at as u32).ok_or_else(|| absent(name, network))
            };
            nodes.iter().map(place).collect()
        })
    }

    /// The same for nodes by their indices in the graph, from 0.
    pub fn node_columns_at(&self, data: &Dataset, nodes: &[usize], engine: &Engine) -> Result<(Dense, f64)> {
        self.columns_of(data, engine, |network| {
            let place = |&at: &usize| match at < network.len() {
                true => Ok(at as u32),
                false => Err(absent(at, network)),
            };
            nodes.iter().map(place).collect()
        })
    }

    fn columns_of(
        &self,
        data: &Dataset,
        engine: &Engine,
        places: impl FnOnce(&Network) -> Result<Vec<u32>>,
    ) -> Result<(Dense, f64)> {
        let unfit = || Error::Param {
            name: "kernel".into(),
            value: self.to_string(),
            domain: "a single kernel between nodes, when only some columns are computed".into(),
        };
        let Expression::Call(call) = self else { return Err(unfit()) };
        if call.entry.family.is_none() {
            return Err(unfit());
        }
        let columns = call.columns_among(data, call.columns.as_deref())?;
        let kernel = kernel_of(call)?.with_budget(engine.budget().clone());
        Nodes::take(data, &columns, |objects| {
            let network = objects.network();
            let places = places(network)?;
            engine.run(|| kernel.block(network, objects.chosen(), &places))
        })
    }
}

fn absent(node: impl std::fmt::Display, network: &Network) -> Error {
    Error::param("nodes", node, &format!("one of the {} nodes of the graph", network.len()))
}

impl Field for Nodes {
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        match columns {
            [one] => match &data.column(one)?.values {
                Values::Nodes(nodes) => work(nodes),
                other => Err(Error::Column {
                    name: one.clone(),
                    reason: format!("holds {}, not nodes of a graph", other.kind()),
                    hint: Some("`edges=FILE` names the file with the edges between the nodes".into()),
                }),
            },
            _ => Err(Error::usage("a kernel on nodes takes one column: add several with +")),
        }
    }
}

/// The registry entry of a kernel between nodes, whose family depends on the parameters.
pub(super) const fn entry(facts: &'static Facts, family: ReadFamily) -> Entry {
    Entry::kernel(facts, kernel).depending(Depends::Graph).of_family(family)
}

/// The kernel of a call.
fn kernel_of(call: &Call) -> Result<NodeKernel> {
    let Some(family) = call.entry.family else {
        return Err(Error::usage(format!("{} is not a kernel between nodes", call.entry.facts.name)));
    };
    call.read(|settings| {
        let family = family(settings)?;
        let base = match family {
            Family::PStep { .. } | Family::Pagerank { .. } => Base::Normalized,
            Family::CommuteTime => Base::Laplacian,
            _ => settings.read()?,
        };
        let kernel = NodeKernel::new(family, base)?;
        match family {
            Family::CommuteTime => Ok(kernel),
            _ => Ok(kernel.with_landmarks(settings.read()?)),
        }
    })
}

fn kernel(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let name = call.entry.facts.name;
    // The kernel uses the budget of its caller.
    let kernel = kernel_of(call)?;
    if !scope.fit.restores() {
        let columns = scope.suitable(call)?;
        let nodes = Nodes::take(scope.data, &columns, |nodes| Ok(nodes.network().len()))?;
        let message = format!(
            "{name} uses all {nodes} nodes of the graph, including those to be predicted: results are transductive and hold for this graph only"
        );
        scope.fit.warn(Warning::new("W_TRANSDUCTIVE", message));
    }
    scope.on::<Nodes, _>(call, kernel)
}
