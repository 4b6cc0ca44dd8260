//! Fitted models in files.
//!
//! A [`Model`] is one `.mercer` file: named arrays in the safetensors layout, which many programs can read, and one
//! JSON document that says what they mean. A [`Container`] is such a file in memory; [`Field`] reads its document
//! with errors that say where; data sets go in and out with [`Container::put_dataset`] and [`Container::dataset`],
//! trained machines with [`Trained::put`](crate::learn::Trained::put) and [`Trained::get`](crate::learn::Trained::get).
//! [`LibsvmModel`] reads and writes the text models of LIBSVM.
//!
//! Loading executes nothing and trusts nothing: any bytes give a container or an [`Error`](crate::Error), in time
//! and memory bounded by their number.

mod align;
mod array;
mod container;
mod field;
mod fitted;
mod header;
mod json;
mod libsvm;
mod list;
mod sniff;
mod table;
mod trained;

pub(crate) use align::objects;
pub use array::{Array, Numbers};
pub use container::Container;
pub use field::Field;
pub use fitted::{Contribution, Explanation, Goal, Influence, Model, Weight};
pub use libsvm::{KernelType, LibsvmModel, LibsvmParts, Support, SvmType};
pub use sniff::is_model;
