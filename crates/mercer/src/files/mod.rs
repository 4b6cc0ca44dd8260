//! Atomic output files, and recovery files of interrupted work.
//!
//! A result is written to a temporary file in the same folder, `NAME.PID-COUNT-TIME.partial`, forced to disk and
//! renamed. An output that is a symbolic link is replaced by the new file; the target of the link stays unchanged. The
//! next process that writes to the folder removes temporary files left by killed processes. It removes those it can
//! lock (a writer holds the lock) whose process is gone or whose last change is a day ago.
//!
//! Recovery files (`K.npy.partial`, journals) stay between runs. They must be ordinary files with one name: symbolic
//! and hard links are refused, because their target may belong to somebody else.

mod gram;
mod journal;
mod tiles;

use std::collections::HashSet;
use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

pub use gram::{Output, ToFile, WriteStatistics};
pub use tiles::Identity;

pub(crate) use journal::{FirstLine, Journal, JournalFile, damaged, too_old};

use crate::error::{Code, Error, Result};

/// Age after which a temporary file is removed even if its process seems to be running: process numbers are reused.
const ABANDONED_AFTER: Duration = Duration::from_secs(24 * 3600);

/// How long to wait for a lock before the file counts as in use.
const LOCK_TIMEOUT: Duration = Duration::from_secs(1);

/// Writes a temporary file, forces it to disk and renames it: whoever opens `path` finds either the old or the new
/// content, even after a crash.
///
/// ```
/// let folder = tempfile::tempdir().unwrap();
/// let path = folder.path().join("scores.csv");
/// mercer::files::write_whole(&path, |out| writeln!(out, "accuracy"))?;
/// assert_eq!(std::fs::read_to_string(&path).unwrap(), "accuracy\n");
/// # Ok::<(), mercer::Error>(())
/// ```
pub fn write_whole(path: &Path, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<()> {
    let fail = |source| write_error(path, source);
    if fs::metadata(path).is_ok_and(|m| !m.is_file()) {
        return Err(fail(io::Error::new(io::ErrorKind::AlreadyExists, "not a regular file")));
    }
    clean_once(folder_of(path));
    let (file, partial) = temporary(path).map_err(fail)?;
    let written = write_synced(file, fill).and_then(|file| {
        fs::rename(&partial, path)?;
        // The lock is held until the file is renamed.
        drop(file);
        Ok(())
    });
    if written.is_err() {
        // If that fails too, nothing more can be done.
        let _ = fs::remove_file(&partial);
    }
    written.map_err(fail)?;
    sync_folder(path);
    Ok(())
}

/// Refuses an output that is the same file as an input, under any name, before any work is done.
///
/// Files are compared by device and inode, so that links are recognised. Two equal outputs are refused too.
pub fn check_outputs(outputs: &[&Path], inputs: &[&Path]) -> Result<()> {
    for output in outputs {
        // An input that does not exist is the name of embedded data, or is reported elsewhere.
        if let Some(input) = inputs.iter().find(|input| input.exists() && is_same_file(output, input)) {
            return Err(Error::usage(format!(
                "the output {} is the input {}: give the output another name",
                output.display(),
                input.display()
            )));
        }
    }
    for (i, output) in outputs.iter().enumerate() {
        if let Some(other) = outputs[..i].iter().find(|other| is_same_file(output, other)) {
            return Err(Error::usage(format!(
                "two outputs are the same file: {} and {}",
                other.display(),
                output.display()
            )));
        }
    }
    Ok(())
}

/// Whether two paths are the same regular file or folder, following symbolic and hard links.
fn is_same_file(a: &Path, b: &Path) -> bool {
    match (fs::metadata(a), fs::metadata(b)) {
        (Ok(a_is), Ok(b_is)) => {
            // Several results may go to one terminal or to /dev/null.
            let is_stored = a_is.is_file() || a_is.is_dir();
            is_stored && (identity(&a_is).is_some_and(|id| Some(id) == identity(&b_is)) || same_path(a, b))
        }
        (Err(_), Err(_)) => {
            let place = |p: &Path| Some((fs::canonicalize(folder_of(p)).ok()?, p.file_name()?.to_owned()));
            place(a).is_some_and(|found| Some(found) == place(b))
        }
        _ => false,
    }
}

fn same_path(a: &Path, b: &Path) -> bool {
    fs::canonicalize(a).ok().is_some_and(|a| fs::canonicalize(b).is_ok_and(|b| a == b))
}

#[cfg(unix)]
fn identity(of: &fs::Metadata) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    Some((of.dev(), of.ino()))
}

#[cfg(not(unix))]
fn identity(_of: &fs::Metadata) -> Option<(u64, u64)> {
    None
}

/// Opens a recovery file for reading and writing; creates it if necessary. It must be an ordinary file with one name.
pub(crate) fn open_own(path: &Path, create: bool) -> Result<File> {
    let fail = |source| write_error(path, source);
    let refuse = |reason: &str| Err(fail(io::Error::new(io::ErrorKind::AlreadyExists, reason)));
    let link = "a symbolic link where a recovery file belongs: remove it or choose another name";
    if fs::symlink_metadata(path).is_ok_and(|m| m.file_type().is_symlink()) {
        return refuse(link);
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(create);
    no_follow(&mut options);
    let file = match options.open(path) {
        Ok(file) => file,
        // The link was made between the check and the opening.
        Err(e) if is_loop(&e) => return refuse(link),
        Err(e) => return Err(fail(e)),
    };
    let found = file.metadata().map_err(fail)?;
    if !found.is_file() {
        return refuse("not a regular file");
    }
    if names(&found) > 1 {
        return refuse("a file with several names (hard links) where a recovery file belongs");
    }
    Ok(file)
}

#[cfg(unix)]
fn no_follow(options: &mut OpenOptions) {
    use std::os::unix::fs::OpenOptionsExt;
    // Without NONBLOCK, opening a FIFO would wait for its other end.
    let flags = rustix::fs::OFlags::NOFOLLOW | rustix::fs::OFlags::NONBLOCK;
    options.custom_flags(flags.bits() as i32);
}

#[cfg(not(unix))]
fn no_follow(_options: &mut OpenOptions) {}

#[cfg(unix)]
fn is_loop(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
}

#[cfg(not(unix))]
fn is_loop(_error: &io::Error) -> bool {
    false
}

#[cfg(unix)]
fn names(of: &fs::Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::nlink(of)
}

#[cfg(not(unix))]
fn names(_of: &fs::Metadata) -> u64 {
    1
}

/// Locks a recovery file for this process. `false` if another process holds the lock.
///
/// A child process shares its parent's locks until it executes its own program, so a lock released just now may still
/// seem held: locking is retried for a second.
pub(crate) fn lock(file: &File, path: &Path) -> Result<bool> {
    let deadline = Instant::now() + LOCK_TIMEOUT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(true),
            // Some file systems do not support locks.
            Err(TryLockError::Error(e)) if e.kind() == io::ErrorKind::Unsupported => return Ok(true),
            Err(TryLockError::Error(e)) => return Err(write_error(path, e)),
            Err(TryLockError::WouldBlock) if Instant::now() >= deadline => return Ok(false),
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(5)),
        }
    }
}

/// Whether a file still has the name it was opened by.
pub(crate) fn is_still_named(file: &File, path: &Path) -> io::Result<bool> {
    let own = file.metadata()?;
    match fs::symlink_metadata(path) {
        Ok(named) => Ok(identity(&named) == identity(&own)),
        Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(e) => Err(e),
    }
}

pub(crate) fn write_error(path: &Path, source: io::Error) -> Error {
    Error::Io { path: path.to_owned(), code: Code::IoWrite, source }
}

fn write_synced(file: File, fill: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> io::Result<File> {
    let mut out = BufWriter::new(file);
    fill(&mut out)?;
    let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
    // Force to disk before renaming: a power failure must not leave an empty file in place of the old one.
    file.sync_all()?;
    Ok(file)
}

/// A new locked file in the folder of `path`, which no other writer uses.
fn temporary(path: &Path) -> io::Result<(File, PathBuf)> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    loop {
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        // Processes on different computers may share a number; the time distinguishes them.
        let time = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| d.as_nanos());
        let mut name = path.as_os_str().to_owned();
        name.push(format!(".{}-{count}-{time}.partial", std::process::id()));
        let partial = PathBuf::from(name);
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        no_follow(&mut options);
        let file = options.open(&partial)?;
        // Some file systems do not support locks; then the process number marks the file as in use.
        let _ = file.try_lock();
        // Another process may have removed it as abandoned just before it was locked.
        if is_still_named(&file, &partial)? {
            return Ok((file, partial));
        }
    }
}

/// Forces a folder to disk, without which a renaming may not survive a crash. Not every system supports it.
fn sync_folder(path: &Path) {
    if let Ok(folder) = File::open(folder_of(path)) {
        let _ = folder.sync_all();
    }
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Removes what killed processes left in a folder, once per folder and process.
fn clean_once(folder: &Path) {
    static CLEANED: Mutex<Option<HashSet<PathBuf>>> = Mutex::new(None);
    let Ok(folder) = fs::canonicalize(folder) else { return };
    let is_new = {
        let mut cleaned = CLEANED.lock().unwrap_or_else(PoisonError::into_inner);
        cleaned.get_or_insert_default().insert(folder.clone())
    };
    if is_new {
        clean(&folder);
    }
}

/// Errors are ignored: files that cannot be removed stay.
fn clean(folder: &Path) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        if let Some(process) = name.to_str().and_then(process_of) {
            remove_abandoned(&entry.path(), process);
        }
    }
}

/// The process that made the temporary file of that name.
fn process_of(name: &str) -> Option<u32> {
    let (name, numbers) = name.strip_suffix(".partial")?.rsplit_once('.')?;
    let all: Vec<&str> = numbers.split('-').collect();
    let is_number = |n: &&str| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit());
    match all.as_slice() {
        // A time in nanoseconds has 19 digits.
        [process, count, time]
            if !name.is_empty() && [process, count, time].into_iter().all(is_number) && time.len() >= 18 =>
        {
            process.parse().ok()
        }
        _ => None,
    }
}

fn remove_abandoned(path: &Path, process: u32) {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    no_follow(&mut options);
    let Ok(file) = options.open(path) else { return };
    let Ok(found) = file.metadata() else { return };
    // A file that is being written is locked by its writer, on whatever computer.
    if process == std::process::id() || !found.is_file() || file.try_lock().is_err() {
        return;
    }
    let age = found.modified().ok().and_then(|at| at.elapsed().ok()).unwrap_or_default();
    if (!is_alive(process) || age > ABANDONED_AFTER) && is_still_named(&file, path).unwrap_or(false) {
        let _ = fs::remove_file(path);
    }
}

#[cfg(unix)]
fn is_alive(process: u32) -> bool {
    let Some(pid) = i32::try_from(process).ok().and_then(rustix::process::Pid::from_raw) else {
        return false;
    };
    // A process that may not be signalled exists.
    rustix::process::test_kill_process(pid) != Err(rustix::io::Errno::SRCH)
}

#[cfg(not(unix))]
fn is_alive(_process: u32) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(path: &Path, bytes: &[u8]) -> Result<()> {
        write_whole(path, |out| out.write_all(bytes))
    }

    #[test]
    fn writes_are_atomic() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.mercer");
        write(&path, b"one").unwrap();
        write(&path, b"two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert!(write(&dir.path().join("no/such"), b"x").is_err());
        assert_eq!(write(dir.path(), b"x").unwrap_err().code(), Code::IoWrite);
        let broken = write_whole(&path, |out| {
            out.write_all(b"thr")?;
            Err(io::Error::other("broken"))
        });
        assert!(broken.is_err());
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_is_replaced_and_its_target_stays() {
        let dir = tempfile::tempdir().unwrap();
        let (own, other) = (dir.path().join("own"), dir.path().join("other"));
        fs::write(&other, "other").unwrap();
        std::os::unix::fs::symlink(&other, &own).unwrap();
        write(&own, b"new").unwrap();
        assert_eq!(fs::read(&other).unwrap(), b"other");
        assert_eq!(fs::read(&own).unwrap(), b"new");
        assert!(fs::symlink_metadata(&own).unwrap().is_file());
    }

    #[cfg(unix)]
    #[test]
    fn an_output_that_is_an_input_is_refused() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("a"), "a").unwrap();
        fs::write(at("b"), "a").unwrap();
        std::os::unix::fs::symlink(at("a"), at("soft")).unwrap();
        fs::hard_link(at("a"), at("hard")).unwrap();
        fs::create_dir(at("folder")).unwrap();
        let up = dir.path().join("folder/../a");
        for same in [at("a"), at("soft"), at("hard"), up] {
            assert_eq!(check_outputs(&[&same], &[&at("b"), &at("a")]).unwrap_err().code(), Code::Usage);
        }
        for other in [at("b"), at("new"), at("none/new")] {
            check_outputs(&[&other], &[&at("a"), &at("none"), &at("folder")]).unwrap();
        }
        assert!(check_outputs(&[&at("x"), &at("folder/../x")], &[]).is_err());
        let null = Path::new("/dev/null");
        check_outputs(&[null, null], &[null]).unwrap();
    }

    #[test]
    fn names_of_temporary_files() {
        assert_eq!(process_of("m.mercer.123-0-1763361600000000000.partial"), Some(123));
        for other in [
            "K.npy.partial",
            "m.123-0.partial",
            "m.123-0-17.partial",
            "m.x-0-1763361600000000000.partial",
            ".123-0-1763361600000000000.partial",
            "m.123-0-1763361600000000000.part",
            "m.1-2-3-1763361600000000000.partial",
        ] {
            assert_eq!(process_of(other), None, "{other}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn only_files_of_killed_processes_are_removed() {
        let dir = tempfile::tempdir().unwrap();
        let mut child = std::process::Command::new("true").spawn().unwrap();
        let gone = child.id();
        child.wait().unwrap();
        let name = |process: u32, n: u32| format!("m.mercer.{process}-{n}-1763361600000000000.partial");
        let (left, own) = (name(gone, 0), name(std::process::id(), 0));
        let (locked, foreign) = (name(gone, 1), name(1, 0));
        for name in [&left, &own, &locked, &foreign, &"K.npy.partial".to_owned(), &"m.journal".to_owned()] {
            fs::write(dir.path().join(name), "x").unwrap();
        }
        std::os::unix::fs::symlink(dir.path().join("m.journal"), dir.path().join(name(gone, 2))).unwrap();
        let held = File::open(dir.path().join(&locked)).unwrap();
        held.lock().unwrap();
        write(&dir.path().join("new"), b"x").unwrap();
        let there = |name: &String| dir.path().join(name).symlink_metadata().is_ok();
        assert!(!there(&left));
        for kept in [&own, &locked, &foreign, &"K.npy.partial".into(), &"m.journal".into(), &name(gone, 2)] {
            assert!(there(kept), "{kept}");
        }
    }

    #[test]
    fn a_lock_released_soon_is_acquired() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let (held, file) = (open_own(&path, true).unwrap(), open_own(&path, true).unwrap());
        assert!(lock(&held, &path).unwrap());
        let holder = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            drop(held);
        });
        assert!(lock(&file, &path).unwrap());
        holder.join().unwrap();
        let other = open_own(&path, true).unwrap();
        assert!(!lock(&other, &path).unwrap());
    }

    #[cfg(unix)]
    #[test]
    fn recovery_files_must_not_be_links() {
        let dir = tempfile::tempdir().unwrap();
        let at = |name: &str| dir.path().join(name);
        fs::write(at("victim"), "content").unwrap();
        std::os::unix::fs::symlink(at("victim"), at("soft")).unwrap();
        std::os::unix::fs::symlink(at("none"), at("dangling")).unwrap();
        fs::hard_link(at("victim"), at("hard")).unwrap();
        for name in ["soft", "dangling", "hard"] {
            assert_eq!(open_own(&at(name), true).unwrap_err().code(), Code::IoWrite, "{name}");
        }
        assert!(!at("none").exists());
        assert_eq!(fs::read(at("victim")).unwrap(), b"content");
        assert!(open_own(&at("new"), false).is_err());
        open_own(&at("new"), true).unwrap();
    }
}
