//! Kernels on graphs from their parameters.

use super::columns::{Field, Scope};
use super::tree::{Call, Expression};
use crate::data::{Dataset, Dense, Graph};
use crate::error::Result;
use crate::kernel::Boxed;
use crate::kernel::graph::{
    Base, EdgeHistogram, Graphlet, Ignore, Metric, Named, NeighbourhoodHash, OptimalAssignment, Propagation,
    ShortestPath, ShortestPathRbf, VertexEdgeHistogram, VertexHistogram, WeisfeilerLehman,
};

impl Call {
    /// What it is told to pass over.
    pub(super) fn ignored(&self) -> Result<Ignore> {
        Ignore::from_word(self.word("ignore")?)
    }

    /// Whether a switch is on.
    pub(super) fn is_on(&self, name: &str) -> Result<bool> {
        Ok(self.word(name)? == "yes")
    }
}

/// The kernel on graphs that a call names, if it is one whose features can be written out.
pub(super) fn named(call: &Call) -> Result<Option<Box<dyn Named>>> {
    Ok(Some(match call.entry.facts.name {
        "vertex-histogram" => Box::new(VertexHistogram::ignoring(call.ignored()?)),
        "edge-histogram" => Box::new(EdgeHistogram::ignoring(call.ignored()?)),
        "vertex-edge-histogram" => Box::new(VertexEdgeHistogram::ignoring(call.ignored()?)),
        "wl" => Box::new(wl_of(call)?),
        "shortest-path" => Box::new(shortest_path_of(call)?),
        "graphlet" => Box::new(graphlet_of(call)?),
        "propagation" => Box::new(propagation_of(call)?),
        _ => return Ok(None),
    }))
}

pub(super) fn vertex_histogram(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on_graphs(call, VertexHistogram::ignoring(call.ignored()?))
}

pub(super) fn edge_histogram(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on_graphs(call, EdgeHistogram::ignoring(call.ignored()?))
}

pub(super) fn vertex_edge_histogram(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on_graphs(call, VertexEdgeHistogram::ignoring(call.ignored()?))
}

pub(super) fn wl(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on_graphs(call, wl_of(call)?)
}

/// The same use of `wl` with no rounds: equal for those that differ in their rounds alone.
pub(super) fn without_rounds(call: &Call) -> Expression {
    let mut call = call.clone();
    let at = call.entry.facts.parameters.iter().position(|p| p.name == "h");
    at.into_iter().for_each(|at| call.settings[at] = 0.0.into());
    Expression::Call(call)
}

/// Hands on the Gram matrices of `wl` with 0 rounds up to as many as it is told.
pub(super) fn each_round(call: &Call, scope: &Scope<'_>, each: impl FnMut(usize, &Dense)) -> Result<()> {
    let (kernel, columns) = (wl_of(call)?, scope.suitable(call)?);
    <[Graph]>::take(scope.data, &columns, |graphs| kernel.each_gram(graphs, scope.fit.engine, each))
}

fn wl_of(call: &Call) -> Result<WeisfeilerLehman> {
    Ok(WeisfeilerLehman::new(call.number("h")? as usize)?
        .with_edge_labels(call.is_on("edge-labels")?)
        .with_base(Base::from_word(call.word("base")?))
        .ignoring(call.ignored()?))
}

pub(super) fn wl_oa(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let kernel = OptimalAssignment::new(call.number("h")? as usize)?
        .with_edge_labels(call.is_on("edge-labels")?)
        .ignoring(call.ignored()?);
    scope.on_graphs(call, kernel)
}

pub(super) fn shortest_path(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on_graphs(call, shortest_path_of(call)?)
}

fn shortest_path_of(call: &Call) -> Result<ShortestPath> {
    Ok(ShortestPath::default().with_labels(call.is_on("labels")?).ignoring(call.ignored()?))
}

pub(super) fn shortest_path_rbf(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let kernel = ShortestPathRbf::new(call.number("gamma")?)?;
    scope.on_graphs(call, kernel.with_labels(call.is_on("labels")?).ignoring(call.ignored()?))
}

pub(super) fn graphlet(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on_graphs(call, graphlet_of(call)?)
}

fn graphlet_of(call: &Call) -> Result<Graphlet> {
    Ok(Graphlet::new(call.number("size")? as usize)?
        .with_connected(call.is_on("connected")?)
        .with_samples(call.number("samples")? as usize, call.number("seed")? as u64)
        .ignoring(call.ignored()?))
}

pub(super) fn neighbourhood_hash(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let kernel = NeighbourhoodHash::new(call.number("rounds")? as usize)?
        .with_counts(call.is_on("counts")?)
        .ignoring(call.ignored()?);
    scope.on_graphs(call, kernel)
}

pub(super) fn propagation(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on_graphs(call, propagation_of(call)?)
}

fn propagation_of(call: &Call) -> Result<Propagation> {
    let metric = if call.word("metric")? == "hellinger" { Metric::Hellinger } else { Metric::Tv };
    Ok(Propagation::new(call.number("t")? as usize, call.number("w")?)?
        .with_metric(metric)
        .with_attributes(call.is_on("attributes")?, call.number("wa")?)?
        .with_seed(call.number("seed")? as u64)
        .ignoring(call.ignored()?))
}
