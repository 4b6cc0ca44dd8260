//! Fitted models in files.
//!
//! A [`Model`] is one `.mercer` file: named arrays in the safetensors layout, which many programs can read, and one
//! JSON document that says what they mean. A [`Container`] is such a file in memory; [`Field`] reads its document
//! with errors that say where; data sets go in and out with [`Container::put_dataset`] and [`Container::dataset`],
//! trained machines with [`Persist::put`] and [`Persist::get`].
//! [`LibsvmModel`] reads and writes the text models of LIBSVM.
//!
//! Loading executes nothing and trusts nothing: any bytes give a container or an [`Error`](crate::Error), in time
//! and memory bounded by their number.

mod align;
mod fitted;
mod libsvm;
mod sniff;
mod trained;

pub use crate::container::{Array, Container, Field, Numbers};
pub use fitted::{Contribution, Explanation, Goal, Influence, Model, Weight};
pub use libsvm::{KernelType, LibsvmModel, LibsvmParts, Support, SvmType};
pub use sniff::is_model;
pub use trained::Persist;
