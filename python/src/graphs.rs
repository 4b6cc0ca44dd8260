//! Converts graphs given as arrays of edges and lists of labels.

use std::sync::Arc;

use mercer::data::{Graph, GraphBuilder, Labels, Names, Network};
use numpy::PyReadonlyArray1;
use pyo3::prelude::*;

use crate::array::{doubles, matrix};
use crate::error::{OrRaise, exception};

/// One graph: number of nodes, whether it is directed, edge sources and targets, labels, weights and attributes.
#[derive(FromPyObject)]
struct GraphInput<'py> {
    #[pyo3(item)]
    nodes: usize,
    #[pyo3(item)]
    directed: bool,
    #[pyo3(item)]
    sources: PyReadonlyArray1<'py, i64>,
    #[pyo3(item)]
    targets: PyReadonlyArray1<'py, i64>,
    #[pyo3(item)]
    node_labels: Option<Vec<String>>,
    #[pyo3(item)]
    edge_labels: Option<Vec<String>>,
    #[pyo3(item)]
    weights: Option<PyReadonlyArray1<'py, f64>>,
    #[pyo3(item)]
    node_attributes: Option<Bound<'py, PyAny>>,
    #[pyo3(item)]
    edge_attributes: Option<Bound<'py, PyAny>>,
}

/// Converts a graph whose nodes are the objects; the weights of repeated edges are added.
pub(crate) fn network(value: &Bound<'_, PyAny>) -> PyResult<Network> {
    let given: GraphInput<'_> = value.extract()?;
    let py = value.py();
    let outside = || exception(py, &mercer::Error::usage("an edge refers to a node that does not exist"));
    let node = |i: i64| u32::try_from(i).map_err(|_| outside());
    let (sources, targets) = (given.sources.as_array(), given.targets.as_array());
    let weights = given.weights.as_ref().map(doubles);
    let ends = sources.iter().copied().zip(targets.iter().copied()).enumerate();
    let weight = |at: usize| weights.as_ref().map_or(1.0, |w| w.get(at).copied().unwrap_or(f64::NAN));
    let edges = ends.map(|(at, (a, b))| Ok((node(a)?, node(b)?, weight(at))));
    Network::listed(given.nodes, edges.collect::<PyResult<_>>()?).or_raise(value.py())
}

/// Converts graphs; their labels share one table of names.
pub(crate) fn graphs(value: &Bound<'_, PyAny>) -> PyResult<Vec<Graph>> {
    let given: Vec<GraphInput<'_>> = value.extract()?;
    let mut names = Names::new();
    let mut coded = |labels: &Option<Vec<String>>| {
        labels.as_ref().map(|all| all.iter().map(|name| names.intern(name)).collect::<Vec<u32>>())
    };
    let codes: Vec<_> = given.iter().map(|g| (coded(&g.node_labels), coded(&g.edge_labels))).collect();
    let names = Arc::new(names);
    let both = given.into_iter().zip(codes).enumerate();
    both.map(|(index, (g, (nodes, edges)))| graph(index, g, nodes, edges, &names)).collect()
}

fn graph(
    index: usize,
    given: GraphInput<'_>,
    node_codes: Option<Vec<u32>>,
    edge_codes: Option<Vec<u32>>,
    names: &Arc<Names>,
) -> PyResult<Graph> {
    let outside = || {
        let reason = "an edge refers to a node that does not exist".to_owned();
        let placed = mercer::Error::Object { index, reason, hint: None };
        Python::attach(|py| exception(py, &placed))
    };
    let node = |i: i64| u32::try_from(i).map_err(|_| outside());
    let (sources, targets) = (given.sources.as_array(), given.targets.as_array());
    let ends = sources.iter().copied().zip(targets.iter().copied());
    let edges = ends.map(|(a, b)| Ok((node(a)?, node(b)?))).collect::<PyResult<Vec<_>>>()?;
    let mut builder = if given.directed {
        GraphBuilder::directed(given.nodes)
    } else {
        GraphBuilder::undirected(given.nodes)
    };
    builder = builder.edges(edges);
    if let Some(labels) = node_codes.and_then(|codes| Labels::from_codes(codes, names.clone())) {
        builder = builder.node_labels(labels);
    }
    if let Some(labels) = edge_codes.and_then(|codes| Labels::from_codes(codes, names.clone())) {
        builder = builder.edge_labels(labels);
    }
    if let Some(weights) = &given.weights {
        builder = builder.weights(doubles(weights));
    }
    if let Some(rows) = &given.node_attributes {
        builder = builder.node_attributes(matrix(rows)?);
    }
    if let Some(rows) = &given.edge_attributes {
        builder = builder.edge_attributes(matrix(rows)?);
    }
    // The builder handles loops and repeated edges, as for files.
    builder.build().map(|(graph, _)| graph).map_err(|e| {
        let placed = mercer::Error::Object { index, reason: e.to_string(), hint: None };
        Python::attach(|py| exception(py, &placed))
    })
}
