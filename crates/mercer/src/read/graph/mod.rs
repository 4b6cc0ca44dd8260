//! Graphs from files of many formats.

mod facts;
pub(super) mod folder;
mod gml;
mod graphml;
mod sheaf;
pub(crate) mod tu;
