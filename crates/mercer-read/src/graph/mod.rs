//! Graphs from files of many formats.
//!
//! Each parser fills a [`Sheaf`](sheaf::Sheaf); only TU collections, which are lists over all graphs, go their own way.

mod edges;
mod facts;
pub(super) mod folder;
mod gml;
mod graphml;
mod market;
pub(super) mod nodes;
mod sdf;
mod sheaf;
mod table;
#[cfg(test)]
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
