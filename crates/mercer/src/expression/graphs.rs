//! Kernels on graphs from their parameters.

use super::columns::{Field, Scope, inner_of};
use super::tree::{Call, Expression};
use super::wrappers::{Projected, project};
use crate::data::{Dataset, Dense, Graph};
use crate::error::{Error, Result};
use crate::kernel::Boxed;
use crate::kernel::graph::{
    Base, EdgeHistogram, GraphHopper, GraphSize, Graphlet, Ignore, Layered, Metric, Named, NeighbourhoodHash,
    NodeKernel, OptimalAssignment, Propagation, PyramidMatch, RandomWalk, ShortestPath, ShortestPathRbf,
    SubgraphMatching, VertexEdgeHistogram, VertexHistogram, WeisfeilerLehman,
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

pub(super) fn graph_size(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on_graphs(call, GraphSize::ignoring(call.ignored()?))
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

pub(super) fn random_walk(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let decay = call.number("decay")?;
    let kernel = match call.word("kind")? {
        "geometric" => RandomWalk::geometric(decay)?,
        "exponential" => RandomWalk::exponential(decay)?,
        _ => RandomWalk::steps(call.number("steps")? as usize, decay)?,
    };
    let kernel = if call.is_on("labels")? { kernel } else { kernel.without_labels() };
    scope.on_graphs(call, kernel.ignoring(call.ignored()?))
}

pub(super) fn subgraph_matching(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let kernel = SubgraphMatching::new(call.number("k")? as usize)?
        .connected(call.is_on("connected")?)
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

pub(super) fn pyramid_match(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let kernel = PyramidMatch::new(call.number("levels")? as u32, call.number("dimensions")? as usize)?
        .with_labels(call.is_on("labels")?)
        .ignoring(call.ignored()?);
    scope.on_graphs(call, kernel)
}

pub(super) fn graph_hopper(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let gamma = call.number("gamma")?;
    let node = match call.word("node")? {
        "linear" => NodeKernel::Linear,
        "bridge" => NodeKernel::Bridge { gamma },
        _ => NodeKernel::Rbf { gamma },
    };
    let kernel = GraphHopper::new(node)?.with_labels(call.is_on("labels")?).ignoring(call.ignored()?);
    scope.on_graphs(call, kernel)
}

/// The sum over cores or rounds, of the one column of graphs in force.
pub(super) fn layered(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let (columns, name) = (scope.suitable(call)?, call.entry.facts.name);
    if columns.len() > 1 {
        return Err(Error::usage(format!("{name} takes one column of graphs: add up several with +")));
    }
    let training = project(scope.data, &columns)?;
    let inner = scope.fit.kernel(inner_of(call)?, &Scope { data: &training, columns: None, ..*scope })?;
    let inner = match name {
        "core" => Layered::cores(inner),
        _ => Layered::refined(inner, call.number("h")? as usize, call.is_on("edge-labels")?)?,
    };
    let shown = scope.columns.map(<[String]>::to_vec);
    Ok(Boxed::new(Projected { columns, shown, inner }))
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
