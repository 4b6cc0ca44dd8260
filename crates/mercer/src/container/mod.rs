//! Model files as named arrays and one JSON document that describes them.
//!
//! A [`Container`] is such a file in memory. [`Field`] reads its document with errors that give the position.
//! [`Container::put_dataset`] stores a data set and [`Container::dataset`] reads it. `stored.rs` derives both directions,
//! and the checks, from one declaration of a type's fields.

mod array;
mod field;
mod file;
mod header;
mod json;
mod list;
mod stored;
mod table;

pub use array::{Array, Numbers};
pub use field::Field;
pub use file::Container;
pub(crate) use file::looks_like_model;
pub(crate) use stored::{Get, Put, Stored, Word, ends, stored};
pub(crate) use table::objects;
