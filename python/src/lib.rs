//! The native half of the Python package `mercer`: thin over the dynamic layer of the library.
//!
//! What users see is written in Python beside it (`python/mercer/`); here are data sets, kernels and models as opaque
//! values, and the functions that work on them. Texts of the expression language are the only way a kernel or a learner
//! comes in, so that what is added to the registry is here without a line of binding code.

mod array;
mod compare;
mod data;
mod datasets;
mod error;
mod evaluate;
mod facts;
mod graphs;
mod kernel;
mod machine;
mod matrices;
mod model;
mod reproduce;
mod run;
mod search;

use pyo3::prelude::*;

/// Memory of the native half is counted, so that work is refused before it takes what the machine does not have.
#[global_allocator]
static ALLOCATOR: mercer::budget::CountingAllocator = mercer::budget::CountingAllocator;

/// Everything the package calls.
#[pymodule]
fn _mercer(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<data::Data>()?;
    module.add_class::<kernel::Fitted>()?;
    module.add_class::<kernel::Prepared>()?;
    module.add_class::<model::Model>()?;
    facts::register(module)?;
    kernel::register(module)?;
    matrices::register(module)?;
    datasets::register(module)?;
    model::register(module)?;
    search::register(module)?;
    evaluate::register(module)?;
    compare::register(module)?;
    reproduce::register(module)?;
    run::register(module)
}
