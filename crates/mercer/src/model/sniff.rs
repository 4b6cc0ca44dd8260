//! Recognises model files by their first bytes.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use super::libsvm::LibsvmModel;
use crate::container::looks_like_model;

/// Number of bytes examined.
const HEAD: u64 = 256;

/// Whether a file is a model by its first bytes, possibly a damaged one: of this program, or a LIBSVM text model. A
/// file whose name ends in `.mercer` counts as one, even if truncated.
pub fn is_model(path: &Path) -> bool {
    let bytes = head(path);
    let named = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("mercer")) && path.is_file();
    named || looks_like_model(&bytes) || LibsvmModel::is_text_of(&bytes)
}

fn head(path: &Path) -> Vec<u8> {
    let mut bytes = Vec::new();
    // Opening a pipe would wait for a writer; read errors are reported later.
    if std::fs::metadata(path).is_ok_and(|m| m.is_file())
        && let Ok(file) = File::open(path)
    {
        let _ = file.take(HEAD).read_to_end(&mut bytes);
    }
    bytes
}

impl LibsvmModel {
    /// Whether a file is a LIBSVM text model by its first bytes.
    pub fn recognises(path: &Path) -> bool {
        LibsvmModel::is_text_of(&head(path))
    }

    /// Whether bytes begin like a LIBSVM text model.
    pub(super) fn is_text_of(bytes: &[u8]) -> bool {
        let first = bytes.trim_ascii_start();
        [&b"svm_type"[..], b"kernel_type"].iter().any(|key| first.starts_with(key))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Container;

    #[test]
    fn models_are_distinguished_from_data() {
        let dir = tempfile::tempdir().unwrap();
        let is = |bytes: &[u8]| {
            let path = dir.path().join("file");
            std::fs::write(&path, bytes).unwrap();
            is_model(&path)
        };
        let mut model = Container::new(serde_json::json!({})).to_bytes().unwrap();
        assert!(is(&model));
        model[12] ^= 1;
        assert!(is(&model) && is(&model[..60]));
        assert!(is(b"svm_type c_svc\nkernel_type rbf\n"));
        for data in [&b""[..], b"a,b\n1,2\n", b"+1 1:2\n", b"{\"a\":1}", b"\x93NUMPY\x01\0", &model[..8]] {
            assert!(!is(data), "{data:?}");
        }
        assert!(!is_model(dir.path()) && !is_model(&dir.path().join("none")));
    }
}
