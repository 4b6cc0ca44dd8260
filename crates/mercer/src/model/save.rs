//! Files that are there whole or not at all.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::error::{Code, Error, Result};

/// Writes a file under another name, forces it to disk and gives it its name: whoever opens `path` finds the old
/// content or the new, whatever happens meanwhile.
pub(super) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    let fail = |source| Error::Io { path: path.to_owned(), code: Code::IoWrite, source };
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return Err(fail(io::Error::new(io::ErrorKind::AlreadyExists, "not a regular file")));
    }
    let partial = beside(path);
    let written = write_synced(&partial, bytes).and_then(|()| fs::rename(&partial, path));
    if written.is_err() {
        // Nothing to be done if even that fails.
        let _ = fs::remove_file(&partial);
    }
    written.map_err(fail)?;
    sync_directory(path);
    Ok(())
}

fn write_synced(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut file = File::options().write(true).create_new(true).open(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}

/// The new name survives a crash only when its directory is on disk. Not every system can say so of directories.
fn sync_directory(path: &Path) {
    let parent = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if let Ok(directory) = File::open(parent) {
        let _ = directory.sync_all();
    }
}

/// A name beside `path` that no other writer has.
fn beside(path: &Path) -> PathBuf {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // Processes of different machines may share a number; the moment tells them apart.
    let moment = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}-{count}-{moment}.partial", std::process::id()));
    PathBuf::from(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_or_not_at_all() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.mercer");
        write_whole(&path, b"one").unwrap();
        write_whole(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert!(write_whole(&dir.path().join("no/such"), b"x").is_err());
        assert_eq!(write_whole(dir.path(), b"x").unwrap_err().code(), Code::IoWrite);
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }
}
