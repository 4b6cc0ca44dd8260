//! Names of a sheet or table inside a file: `book.xlsx::Sheet2`, `data.sqlite::people`.

use std::path::{Path, PathBuf};

/// The file and the name inside it, for a path that is not a file itself but `FILE::NAME` with an existing file.
pub(super) fn split(path: &Path) -> Option<(PathBuf, String)> {
    let text = path.to_str()?;
    let (file, name) = text.rsplit_once("::")?;
    let inner = !name.is_empty() && !path.exists() && Path::new(file).is_file();
    inner.then(|| (PathBuf::from(file), name.to_owned()))
}

/// The file that a path refers to: that of `FILE::NAME`, and otherwise the path itself.
///
/// ```
/// use std::path::Path;
/// assert_eq!(mercer_read::file_of(Path::new("a.csv")), Path::new("a.csv"));
/// ```
pub fn file_of(path: &Path) -> PathBuf {
    split(path).map_or_else(|| path.to_owned(), |(file, _)| file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_inside_files() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("a.xlsx");
        std::fs::write(&file, "").unwrap();
        let inside = |name: &str| PathBuf::from(format!("{}::{name}", file.display()));
        assert_eq!(split(&inside("B c")), Some((file.clone(), "B c".into())));
        assert_eq!(file_of(&inside("x")), file);
        assert_eq!(split(&inside("")), None);
        assert_eq!(split(&file), None);
        assert_eq!(split(&dir.path().join("b.xlsx::x")), None);
        // A file may have such a name.
        std::fs::write(inside("x"), "").unwrap();
        assert_eq!(split(&inside("x")), None);
    }
}
