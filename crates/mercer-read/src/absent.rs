//! Formats that this build was made without.
#![cfg_attr(
    all(feature = "archives", feature = "graphs", feature = "images", feature = "parquet"),
    allow(dead_code, reason = "a build with all formats misses none")
)]

use std::path::Path;

use crate::error::{Code, Error, Place};

/// The error that a format's feature is off.
pub(super) fn error(name: &Path, what: &str, feature: &str) -> Error {
    let reason = format!("{what} are read by the feature `{feature}`, which this build was made without");
    Error::parse(Place::file(name), Code::Format, reason)
        .with_hint(format!("build mercer (or mercer-read) with the feature `{feature}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_feature_is_named() {
        let error = error(Path::new("a.parquet"), "Parquet files", "parquet");
        assert_eq!(error.code(), Code::Format);
        assert!(error.to_string().contains("the feature `parquet`"), "{error}");
    }

    #[cfg(not(feature = "parquet"))]
    #[test]
    fn a_format_without_its_feature_is_refused() {
        let refused = crate::read_bytes(Path::new("a.parquet"), b"PAR1", &crate::Options::default());
        assert!(refused.unwrap_err().to_string().contains("`parquet`"));
    }
}
