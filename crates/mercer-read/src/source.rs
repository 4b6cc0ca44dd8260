//! A whole file in memory, decompressed, with its name.

use std::path::Path;

use crate::error::{Code, Error, Place};

/// The input of every reader: the bytes of one file and the name to use in messages.
pub(crate) struct Source<'a> {
    pub(crate) name: &'a Path,
    pub(crate) bytes: &'a [u8],
}

impl Source<'_> {
    /// An error about the file as a whole.
    pub(crate) fn fault(&self, code: Code, reason: impl Into<String>) -> Error {
        Error::parse(Place::file(self.name), code, reason)
    }
}
