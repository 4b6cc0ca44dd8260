//! Readers of graph files in many formats.
//!
//! Each parser fills a [`GraphBatch`](batch::GraphBatch). Only TU collections, whose files are lists over all graphs,
//! have a reader of their own.

#![cfg_attr(not(feature = "graphs"), allow(dead_code, unused_imports))]

mod batch;
#[cfg(feature = "graphs")]
mod ctab;
mod edges;
mod facts;
pub(super) mod folder;
#[cfg(feature = "graphs")]
mod gml;
#[cfg(feature = "graphs")]
mod graphml;
mod market;
pub(super) mod nodes;
#[cfg(feature = "graphs")]
mod sdf;
mod table;
#[cfg(test)]
#[cfg(feature = "graphs")]
mod tests;
pub(crate) mod tu;

use std::borrow::Cow;
use std::path::Path;

use self::batch::GraphBatch;
use super::text::Text;
use super::{Format, Options};
use crate::data::Dataset;
use crate::error::{Code, Error, Place, Result};

/// Reads the graphs of one file.
pub(super) fn read(name: &Path, bytes: Cow<'_, [u8]>, format: Format, options: &Options) -> Result<Dataset> {
    facts::check_kind(options, Some(format))?;
    let mut batch = GraphBatch::new(options);
    if format == Format::Sdf {
        batch = batch.of_molecules(options);
    }
    parse(name, bytes, format, &mut batch, options)?;
    batch.dataset(name, options)
}

/// Adds the graphs of a file to a batch.
#[cfg(feature = "graphs")]
fn parse(
    name: &Path,
    bytes: Cow<'_, [u8]>,
    format: Format,
    batch: &mut GraphBatch,
    options: &Options,
) -> Result<()> {
    batch.begin(name);
    let text = Text::new(name, bytes, &options.limits)?;
    let parsed = match format {
        Format::Gml => gml::read(&text, batch, options),
        Format::Graphml => graphml::read(&text, batch, options),
        Format::Sdf => sdf::read(&text, batch),
        other => {
            return Err(Error::parse(
                Place::file(name),
                Code::Format,
                format!("{other} can only be read from files on disk"),
            ));
        }
    };
    parsed.map_err(|fault| text.error(fault))
}

/// The error that this build does not support these formats.
#[cfg(not(feature = "graphs"))]
fn parse(
    name: &Path,
    _bytes: Cow<'_, [u8]>,
    _format: Format,
    _batch: &mut GraphBatch,
    _options: &Options,
) -> Result<()> {
    Err(super::absent::error(name, "GML, GraphML and SD files", "graphs"))
}
