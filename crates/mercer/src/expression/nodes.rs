//! Kernels between nodes of a graph from their parameters.

use super::columns::{Field, Scope};
use super::tree::Call;
use crate::data::{Dataset, Nodes, Values};
use crate::error::{Error, Result, Warning};
use crate::kernel::Boxed;
use crate::kernel::node::{Base, Family, NodeKernel};

impl Field for Nodes {
    fn take<R>(data: &Dataset, columns: &[String], work: impl FnOnce(&Self) -> Result<R>) -> Result<R> {
        match columns {
            [one] => match &data.column(one)?.values {
                Values::Nodes(nodes) => work(nodes),
                other => Err(Error::Column {
                    name: one.clone(),
                    reason: format!("holds {}, not nodes of a graph", other.kind()),
                    hint: Some("--edges FILE says which nodes of a table are joined".into()),
                }),
            },
            _ => Err(Error::usage("a kernel on nodes takes one column: add up several with +")),
        }
    }
}

pub(super) fn kernel(call: &Call, scope: &Scope<'_>) -> Result<Boxed<Dataset>> {
    let name = call.entry.facts.name;
    // The parser has checked that these are small whole numbers.
    let whole = |parameter: &str| call.number(parameter).map(|v| v as u32);
    let family = match name {
        "node-power" => Family::Power { l: whole("l")? },
        "node-diffusion" => Family::Diffusion { beta: call.number("beta")? },
        "von-neumann" => Family::VonNeumann { beta: call.number("beta")? },
        "regularized-laplacian" => Family::RegularizedLaplacian { beta: call.number("beta")? },
        "p-step" => Family::PStep { p: whole("p")?, a: call.number("a")? },
        "commute-time" => Family::CommuteTime,
        _ => Family::Pagerank { alpha: call.number("alpha")? },
    };
    let base = match family {
        Family::PStep { .. } | Family::Pagerank { .. } => Base::Normalized,
        Family::CommuteTime => Base::Laplacian,
        _ => Base::from_word(call.word("base")?)?,
    };
    let mut kernel = NodeKernel::new(family, base)?.with_cancel(scope.fit.engine.cancel().clone());
    if family != Family::CommuteTime {
        kernel = kernel.with_landmarks(whole("landmarks")? as usize);
    }
    if !scope.fit.restores() {
        let columns = scope.suitable(call)?;
        let nodes = Nodes::take(scope.data, &columns, |nodes| Ok(nodes.network().len()))?;
        let message = format!(
            "{name} compares through all {nodes} nodes of the graph, those to be predicted too: results are transductive and hold for this graph only"
        );
        scope.fit.warn(Warning::new("W_TRANSDUCTIVE", message));
    }
    scope.on::<Nodes, _>(call, kernel)
}
