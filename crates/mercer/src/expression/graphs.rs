//! Kernels on columns of graphs.

use super::columns::{Field, Scope, inner_of};
use super::entry::{Entry, Rounds, Way};
use super::tree::Call;
use super::wrappers::{Projected, project};
use crate::data::{Dataset, Graph};
use crate::error::{Error, Result};
use crate::kernel::counts::Describe;
use crate::kernel::graph::{Layered, MovedNodes, OnGraphs, WeisfeilerLehman};
use crate::kernel::{Boxed, Kernel};

/// The registry entry of a kernel on graphs.
pub(super) const fn entry<K>() -> Entry
where
    K: Kernel<[Graph]> + OnGraphs + 'static,
    K::Prepared: 'static,
{
    Entry::kernel(K::FACTS, |call, scope| scope.on_graphs(call, scope.declared::<K>(call)?))
}

/// The same for one with named features.
pub(super) const fn counting<K>() -> Entry
where
    K: Kernel<[Graph]> + OnGraphs + Describe<Objects = [Graph]> + 'static,
    K::Prepared: 'static,
{
    entry::<K>().with_features(|call, scope| scope.counted(call, scope.declared::<K>(call)?))
}

/// The matrix of `wwl` is computed from distances shared by every gamma.
pub(super) fn from_moves(_: &Call) -> Way {
    Way::Gaussian(|call, scope| scope.on_graphs(call, scope.declared::<MovedNodes>(call)?))
}

/// The Gram matrices of `wl` with fewer iterations are intermediate results.
pub(super) const ROUNDS: Rounds = Rounds {
    parameter: "h",
    each: |call, scope, each| {
        let (kernel, columns) = (scope.declared::<WeisfeilerLehman>(call)?, scope.suitable(call)?);
        <[Graph]>::take(scope.data, &columns, |graphs| kernel.each_gram(graphs, scope.fit.engine, each))
    },
};

/// The sum of a kernel over k-cores.
pub(super) fn core(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    layered(call, scope, |inner| Ok(Layered::cores(inner)))
}

/// The sum of a kernel over Weisfeiler–Lehman iterations.
pub(super) fn wl_around(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let (h, edge_labels) = (call.get("h")?, call.get("edge-labels")?);
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
