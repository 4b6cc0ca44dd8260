//! Kernels on graphs from their parameters.

use super::columns::{Scope, inner_of};
use super::tree::Call;
use super::wrappers::{Projected, project};
use crate::data::{Column, Dataset, Values};
use crate::error::{Error, Result};
use crate::kernel::Boxed;
use crate::kernel::graph::{
    Base, Core, Cores, EdgeHistogram, GraphHopper, GraphSize, Ignore, NodeKernel, OptimalAssignment,
    PyramidMatch, RandomWalk, SubgraphMatching, VertexEdgeHistogram, VertexHistogram, WeisfeilerLehman,
};

impl Call {
    /// What it is told to pass over.
    fn ignored(&self) -> Result<Ignore> {
        Ignore::from_word(self.word("ignore")?)
    }

    /// Whether a switch is on.
    fn is_on(&self, name: &str) -> Result<bool> {
        Ok(self.word(name)? == "yes")
    }
}

pub(super) fn graph_size(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    scope.on_graphs(call, GraphSize::ignoring(call.ignored()?))
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
    let kernel = WeisfeilerLehman::new(call.number("h")? as usize)?
        .with_edge_labels(call.is_on("edge-labels")?)
        .with_base(Base::from_word(call.word("base")?))
        .ignoring(call.ignored()?);
    scope.on_graphs(call, kernel)
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

/// The sum over cores, of the one column of graphs in force.
pub(super) fn core(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let columns = scope.suitable(call)?;
    if columns.len() > 1 {
        return Err(Error::usage("core takes one column of graphs: add up several with +"));
    }
    let training = project(scope.data, &columns)?;
    let inner = scope.fit.kernel(inner_of(call)?, &Scope { data: &training, columns: None, ..*scope })?;
    let shown = scope.columns.map(<[String]>::to_vec);
    Ok(Boxed::new(Projected { columns, shown, inner: Core(inner) }))
}

impl Cores for Dataset {
    fn cores(&self) -> Result<Vec<(Vec<usize>, Dataset)>> {
        let [column] = self.columns() else { return Err(Error::usage("cores of more than one column")) };
        let Values::Graphs(graphs) = &column.values else {
            return Err(Error::usage(format!("cores of {}", column.values.kind())));
        };
        let layer = |(chosen, cores): (Vec<usize>, Vec<_>)| {
            let data = self.select(&chosen);
            let column = Column::new(&column.name, Values::Graphs(cores));
            Ok((chosen, data.with_columns(vec![column])?))
        };
        graphs[..].cores()?.into_iter().map(layer).collect()
    }
}
