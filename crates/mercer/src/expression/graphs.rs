//! Makes kernels on graphs from their parameters.

use super::columns::{Field, Scope, inner_of};
use super::entry::Rounds;
use super::tree::Call;
use super::wrappers::{Projected, project};
use crate::data::{Dataset, Graph};
use crate::error::{Error, Result};
use crate::kernel::Boxed;
use crate::kernel::graph::{
    Base, EdgeHistogram, GraphHopper, GraphSize, Graphlet, Ignore, Layered, Metric, NeighbourhoodHash,
    NodeKernel, OptimalAssignment, Propagation, PyramidMatch, RandomWalk, ShortestPath, ShortestPathRbf,
    SubgraphMatching, VertexEdgeHistogram, VertexHistogram, WeisfeilerLehman,
};

impl Call {
    /// The part of the graphs it ignores.
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

pub(super) fn vertex_histogram(call: &Call) -> Result<VertexHistogram> {
    Ok(VertexHistogram::ignoring(call.ignored()?))
}

pub(super) fn edge_histogram(call: &Call) -> Result<EdgeHistogram> {
    Ok(EdgeHistogram::ignoring(call.ignored()?))
}

pub(super) fn vertex_edge_histogram(call: &Call) -> Result<VertexEdgeHistogram> {
    Ok(VertexEdgeHistogram::ignoring(call.ignored()?))
}

/// The Gram matrices of `wl` with fewer iterations are intermediate results.
pub(super) const ROUNDS: Rounds = Rounds {
    parameter: "h",
    each: |call, scope, each| {
        let (kernel, columns) = (wl(call)?, scope.suitable(call)?);
        <[Graph]>::take(scope.data, &columns, |graphs| kernel.each_gram(graphs, scope.fit.engine, each))
    },
};

pub(super) fn wl(call: &Call) -> Result<WeisfeilerLehman> {
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

pub(super) fn shortest_path(call: &Call) -> Result<ShortestPath> {
    Ok(ShortestPath::default().with_labels(call.is_on("labels")?).ignoring(call.ignored()?))
}

pub(super) fn shortest_path_rbf(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let kernel = ShortestPathRbf::new(call.number("gamma")?)?;
    scope.on_graphs(call, kernel.with_labels(call.is_on("labels")?).ignoring(call.ignored()?))
}

pub(super) fn graphlet(call: &Call) -> Result<Graphlet> {
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

/// The sum of a kernel over k-cores.
pub(super) fn core(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    layered(call, scope, |inner| Ok(Layered::cores(inner)))
}

/// The sum of a kernel over Weisfeiler–Lehman iterations.
pub(super) fn wl_around(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let (h, edge_labels) = (call.number("h")? as usize, call.is_on("edge-labels")?);
    layered(call, scope, |inner| Layered::refined(inner, h, edge_labels))
}

/// A sum over layers of the selected column of graphs.
fn layered(
    call: &Call,
    scope: &Scope<'_>,
    layers: impl FnOnce(Boxed<Dataset>) -> Result<Layered<Boxed<Dataset>>>,
) -> Result<Boxed<Dataset>> {
    let columns = scope.suitable(call)?;
    if columns.len() > 1 {
        let name = call.entry.facts.name;
        return Err(Error::usage(format!("{name} takes one column of graphs: add several with +")));
    }
    let training = project(scope.data, &columns)?;
    let inner = scope.fit.kernel(inner_of(call)?, &Scope { data: &training, columns: None, ..*scope })?;
    let inner = layers(inner)?;
    let shown = scope.columns.map(<[String]>::to_vec);
    Ok(Boxed::new(Projected { columns, shown, inner }))
}

pub(super) fn propagation(call: &Call) -> Result<Propagation> {
    let metric = if call.word("metric")? == "hellinger" { Metric::Hellinger } else { Metric::Tv };
    Ok(Propagation::new(call.number("t")? as usize, call.number("w")?)?
        .with_metric(metric)
        .with_attributes(call.is_on("attributes")?, call.number("wa")?)?
        .with_seed(call.number("seed")? as u64)
        .ignoring(call.ignored()?))
}
