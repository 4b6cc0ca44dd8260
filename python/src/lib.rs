//! The extension module of the Python package `mercer`: a thin wrapper around the dynamic layer of the library.
//!
//! The public interface is written in Python (`python/mercer/`). This crate provides data sets, kernels and models as
//! opaque types, and functions on them. Kernels and learners are passed as text of the expression language, so that new
//! entries of the registry need no binding code.

mod array;
mod auto;
mod compare;
mod conformal;
mod data;
mod datasets;
mod error;
mod evaluate;
mod facts;
mod features;
mod graphs;
mod inspect;
mod kernel;
mod matrices;
mod model;
mod read;
mod reproduce;
mod run;
mod search;
mod trained;

use pyo3::prelude::*;

/// Counts the memory of the extension, so that work that does not fit in memory is refused before it starts.
#[global_allocator]
static ALLOCATOR: mercer::budget::CountingAllocator = mercer::budget::CountingAllocator;

/// All types and functions that the package uses.
#[pymodule]
fn _mercer(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<data::Data>()?;
    module.add_class::<features::FeatureColumns>()?;
    module.add_class::<kernel::Fitted>()?;
    module.add_class::<kernel::Prepared>()?;
    module.add_class::<model::Model>()?;
    facts::register(module)?;
    kernel::register(module)?;
    matrices::register(module)?;
    datasets::register(module)?;
    model::register(module)?;
    search::register(module)?;
    auto::register(module)?;
    evaluate::register(module)?;
    conformal::register(module)?;
    inspect::register(module)?;
    compare::register(module)?;
    read::register(module)?;
    reproduce::register(module)?;
    run::register(module)
}
