//! Opens a path and reads the whole file into memory.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
#[cfg(not(unix))]
use std::io::Read;
use std::path::Path;

#[cfg(unix)]
use rayon::prelude::*;

use crate::error::{Code, Error, Place, Result};

/// Reads a regular file.
///
/// The file is read, never mapped: if another process truncates a mapped file, reading it kills this process.
#[doc(hidden)]
pub fn open(path: &Path) -> Result<Vec<u8>> {
    // Checked before opening, because opening a FIFO waits for a writer.
    let seen = std::fs::metadata(path).map_err(|e| refused(path, e))?;
    regular(path, &seen)?;
    let file = nonblocking().open(path).map_err(|e| refused(path, e))?;
    // Checked again after opening: the path may refer to another file by now.
    let before = file.metadata().map_err(|e| refused(path, e))?;
    regular(path, &before)?;
    whole(path, file, &before)
}

/// Reads an open file to its end and checks that it did not change since `before`.
fn whole(path: &Path, file: File, before: &Metadata) -> Result<Vec<u8>> {
    let len = before.len();
    crate::budget::ask(&format!("reading {} into memory", path.display()), len)?;
    let room = usize::try_from(len).ok().and_then(|n| n.checked_add(1));
    let Some(room) = room.filter(|&n| Vec::<u8>::new().try_reserve_exact(n).is_ok()) else {
        return Err(Error::MemoryPlan {
            needed: len,
            allowed: isize::MAX as u64,
            what: format!("reading {} into memory", path.display()),
        });
    };
    let bytes = content(&file, room).map_err(|e| refused(path, e))?;
    let after = file.metadata().map_err(|e| refused(path, e))?;
    if bytes.len() as u64 != len || after.len() != len || modified(before) != modified(&after) {
        let reason = format!("the file changed while it was read: {len} bytes before, {} after", after.len());
        return Err(Error::parse(Place::file(path), Code::Changed, reason));
    }
    Ok(bytes)
}

/// The first `room` bytes of a file. One byte more than the expected size is enough to detect growth, even of an endless
/// file. Cores read a large file together: most of the time goes into new pages of memory.
#[cfg(unix)]
fn content(file: &File, room: usize) -> io::Result<Vec<u8>> {
    use std::os::unix::fs::FileExt;
    const PIECE: usize = 4 << 20;
    let mut bytes = vec![0; room];
    let fill = |(i, piece): (usize, &mut [u8])| {
        let mut done = 0;
        while done < piece.len() {
            match file.read_at(&mut piece[done..], (i * PIECE + done) as u64) {
                Ok(0) => break,
                Ok(n) => done += n,
                Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
        Ok(done)
    };
    let read: usize = match room <= PIECE {
        true => fill((0, &mut bytes))?,
        false => bytes.par_chunks_mut(PIECE).enumerate().map(fill).sum::<io::Result<usize>>()?,
    };
    bytes.truncate(read);
    Ok(bytes)
}

#[cfg(not(unix))]
fn content(file: &File, room: usize) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(room);
    io::Read::take(file, room as u64).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn modified(of: &Metadata) -> Option<std::time::SystemTime> {
    of.modified().ok()
}

pub(crate) fn regular(path: &Path, metadata: &Metadata) -> Result<()> {
    if metadata.is_file() {
        return Ok(());
    }
    if metadata.is_dir() {
        let source = io::Error::from_raw_os_error(rustix::io::Errno::ISDIR.raw_os_error());
        return Err(Error::Io { path: path.to_owned(), code: Code::IoOpen, source });
    }
    Err(not_regular(path, "not a regular file: a device, a FIFO or a socket"))
}

pub(crate) fn refused(path: &Path, source: io::Error) -> Error {
    if source.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
        return not_regular(path, "not a regular file: a cycle of symbolic links");
    }
    Error::Io { path: path.to_owned(), code: Code::IoOpen, source }
}

fn not_regular(path: &Path, reason: &str) -> Error {
    Error::parse(Place::file(path), Code::NotRegular, reason).with_hint("give the path of an ordinary file")
}

#[cfg(unix)]
fn nonblocking() -> OpenOptions {
    use std::os::unix::fs::OpenOptionsExt;
    let mut options = OpenOptions::new();
    // Without this flag, a FIFO that replaces the file between the check and the open would block.
    options.read(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits() as i32);
    options
}

#[cfg(not(unix))]
fn nonblocking() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.read(true);
    options
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(path: impl AsRef<Path>) -> Code {
        open(path.as_ref()).unwrap_err().code()
    }

    #[test]
    fn reads_a_file() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.csv");
        std::fs::write(&path, "a\n1\n").unwrap();
        assert_eq!(open(&path).unwrap(), b"a\n1\n");
    }

    #[test]
    fn missing_and_unreadable_files() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(code(dir.path().join("none.csv")), Code::IoOpen);
        assert_eq!(code(dir.path()), Code::IoOpen);
        let message = open(dir.path()).unwrap_err().to_string();
        assert!(message.contains("directory") && message.contains(&dir.path().display().to_string()));
        assert_eq!(code("a\0b"), Code::IoOpen);
    }

    #[cfg(unix)]
    #[test]
    fn non_regular_files() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let dir = tempfile::tempdir().unwrap();
        let (a, b) = (dir.path().join("a"), dir.path().join("b"));
        std::os::unix::fs::symlink(&a, &b).unwrap();
        std::os::unix::fs::symlink(&b, &a).unwrap();
        assert_eq!(code(&a), Code::NotRegular);
        let fifo = dir.path().join("fifo");
        mknodat(CWD, &fifo, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
        assert_eq!(code(&fifo), Code::NotRegular);
        assert_eq!(code("/dev/zero"), Code::NotRegular);
        let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("s")).unwrap();
        assert_eq!(code(dir.path().join("s")), Code::NotRegular);
    }

    #[test]
    fn a_file_that_changes_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.csv");
        for later in ["a\n1\n2\n", "a\n"] {
            std::fs::write(&path, "a\n1\n").unwrap();
            let before = std::fs::metadata(&path).unwrap();
            std::fs::write(&path, later).unwrap();
            let error = whole(&path, File::open(&path).unwrap(), &before).unwrap_err();
            assert_eq!(error.code(), Code::Changed);
        }
    }
}
