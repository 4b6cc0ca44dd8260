//! Formats that were disabled at build time.
#![cfg_attr(
    all(
        feature = "archives",
        feature = "arrow",
        feature = "graphs",
        feature = "images",
        feature = "parquet",
        feature = "sheets",
        feature = "sqlite"
    ),
    allow(dead_code, reason = "unused if all formats are enabled")
)]

use std::path::Path;

use crate::error::{Code, Error, Place};

/// The error for a format whose feature is disabled.
pub(super) fn error(name: &Path, what: &str, feature: &str) -> Error {
    let reason = format!("{what} require the feature `{feature}`, which is disabled in this build");
    Error::parse(Place::file(name), Code::Format, reason)
        .with_hint(format!("build mercer (or mercer-read) with the feature `{feature}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_names_the_feature() {
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
