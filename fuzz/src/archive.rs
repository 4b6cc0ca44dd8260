//! Several files in one input: a line `=== NAME` begins a file, followed by its content.

use std::path::Path;

use tempfile::TempDir;

/// The prefix of a line that begins a file.
const MARK: &[u8] = b"=== ";
/// Maximum number of files of an input.
const MOST: usize = 16;

/// The files of an input: names with at most one folder, and contents. Anything before the first name is ignored.
pub(crate) fn files(bytes: &[u8]) -> Vec<(&str, &[u8])> {
    let mut starts: Vec<usize> = (0..bytes.len())
        .filter(|&i| bytes[i..].starts_with(MARK) && (i == 0 || bytes[i - 1] == b'\n'))
        .collect();
    starts.push(bytes.len());
    let mut files = Vec::new();
    for pair in starts.windows(2).take(MOST) {
        let own = &bytes[pair[0] + MARK.len()..pair[1]];
        let end = own.iter().position(|b| *b == b'\n').unwrap_or(own.len());
        let Ok(name) = std::str::from_utf8(&own[..end]) else { continue };
        let good = |part: &str| {
            let plain = |b: u8| b.is_ascii_alphanumeric() || b"._-".contains(&b);
            !part.is_empty() && part.len() < 60 && part.bytes().all(plain) && !part.starts_with('.')
        };
        if name.split('/').count() <= 2 && name.split('/').all(good) {
            files.push((name, own.get(end + 1..).unwrap_or_default()));
        }
    }
    files
}

/// An empty folder, in memory where the system supports it.
pub(crate) fn empty() -> Option<TempDir> {
    let memory = Path::new("/dev/shm");
    if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() }.ok()
}

/// The input's files in a new folder.
pub(crate) fn unpacked(bytes: &[u8]) -> Option<TempDir> {
    let folder = empty()?;
    for (name, content) in files(bytes) {
        let path = folder.path().join(name);
        // Two names may conflict, a file that is also a folder. Then one of them is missing.
        if let Some(parent) = path.parent() {
            let _ = std::fs::create_dir_all(parent);
        }
        let _ = std::fs::write(path, content);
    }
    Some(folder)
}
