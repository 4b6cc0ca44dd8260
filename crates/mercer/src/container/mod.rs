//! Model files as named arrays and one JSON document that says what they mean.
//!
//! A [`Container`] is such a file in memory; [`Field`] reads its document with errors that say where; data sets go in and out
//! with [`Container::put_dataset`] and [`Container::dataset`].

mod array;
mod field;
mod file;
mod header;
mod json;
mod list;
mod table;

pub use array::{Array, Numbers};
pub use field::Field;
pub use file::Container;
pub(crate) use file::looks_like_model;
pub(crate) use table::objects;
