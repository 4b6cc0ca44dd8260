//! Graphs from files of many formats.
//!
//! Each parser fills a [`Sheaf`](sheaf::Sheaf); only TU collections, which are lists over all graphs, go their own way.

#![cfg_attr(not(feature = "graphs"), allow(dead_code, unused_imports))]

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
mod sheaf;
mod table;
#[cfg(test)]
#[cfg(feature = "graphs")]
mod tests;
pub(crate) mod tu;

use std::borrow::Cow;
use std::path::Path;

use self::sheaf::Sheaf;
use super::text::Text;
use super::{Format, Options};
use crate::data::Dataset;
use crate::error::{Code, Error, Place, Result};

/// Reads the graphs of one file.
pub(super) fn read(name: &Path, bytes: Cow<'_, [u8]>, format: Format, options: &Options) -> Result<Dataset> {
    facts::check_kind(options)?;
    let mut sheaf = Sheaf::new(options);
    parse(name, bytes, format, &mut sheaf, options)?;
    sheaf.dataset(name, options)
}

/// Adds the graphs of a file to others.
#[cfg(feature = "graphs")]
fn parse(
    name: &Path,
    bytes: Cow<'_, [u8]>,
    format: Format,
    sheaf: &mut Sheaf,
    options: &Options,
) -> Result<()> {
    sheaf.begin(name);
    let text = Text::new(name, bytes, &options.limits)?;
    let parsed = match format {
        Format::Gml => gml::read(&text, sheaf, options),
        Format::Graphml => graphml::read(&text, sheaf, options),
        Format::Sdf => sdf::read(&text, sheaf),
        other => {
            return Err(Error::parse(
                Place::file(name),
                Code::Format,
                format!("{other} is read from files on disk"),
            ));
        }
    };
    parsed.map_err(|fault| text.error(fault))
}

/// The error that this build knows none of these formats.
#[cfg(not(feature = "graphs"))]
fn parse(
    name: &Path,
    _bytes: Cow<'_, [u8]>,
    _format: Format,
    _sheaf: &mut Sheaf,
    _options: &Options,
) -> Result<()> {
    Err(super::absent::error(name, "GML, GraphML and SD files", "graphs"))
}
