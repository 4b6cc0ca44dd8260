//! Kernels on graphs from their parameters.

use super::columns::Scope;
use super::tree::Call;
use crate::data::Dataset;
use crate::error::Result;
use crate::kernel::Boxed;
use crate::kernel::graph::{
    Base, EdgeHistogram, GraphSize, Ignore, OptimalAssignment, VertexEdgeHistogram, VertexHistogram,
    WeisfeilerLehman,
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
