//! Matrices written to npy files tile by tile, so that interrupted work can be resumed.
//!
//! Tiles are written through a memory map into `K.npy.partial`, which has its full size from the start, so a full disk
//! is an error before the computation and not a signal during it. `K.npy.journal` records the finished tiles and their
//! checksums; tiles that do not match are computed again, with a warning. At the end the partial file is renamed and
//! the journal removed. The matrix may be larger than memory.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use memmap2::MmapMut;
use xxhash_rust::xxh3::Xxh3;

use super::tiles::{Identity, Journal, Recorded};
use crate::budget;
use crate::error::{Error, Result};
use crate::files::{self, is_still_named, write_error};
use crate::gram::{Canvas, Engine, Scalar, Tiles};
use crate::kernel::{Kernel, Prepared};
use crate::parallel;

/// Time between forced writes to disk; a crash of the computer loses at most the work since the last one.
const BETWEEN_SYNCS: Duration = Duration::from_secs(10);

/// The output file of a matrix, and a fingerprint of its data.
#[derive(Clone, Debug)]
pub struct Output<'a> {
    /// The npy file to write.
    pub path: &'a Path,
    /// A fingerprint of the data, to recognise unfinished work on other data.
    pub data: String,
    /// Start over even if there is unfinished work.
    pub fresh: bool,
}

/// Statistics of writing a matrix.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WriteStatistics {
    /// Number of tiles of the matrix.
    pub tiles: usize,
    /// Number of tiles found finished on disk.
    pub resumed: usize,
    /// Number of tiles and records found damaged on disk, and computed again.
    pub damaged: usize,
    /// Size of the file in bytes.
    pub bytes: u64,
}

/// An [`Engine`] that writes matrices to files.
pub trait ToFile {
    /// Writes the Gram matrix of prepared objects to an npy file, resuming unfinished work on the same matrix.
    fn gram_to_file<X: ?Sized, K: Kernel<X>, T: Scalar>(
        &self,
        kernel: &K,
        set: &K::Prepared,
        output: &Output<'_>,
    ) -> Result<WriteStatistics>;

    /// Writes the cross matrix of prepared objects to an npy file, resuming unfinished work on the same matrix.
    fn cross_to_file<X: ?Sized, K: Kernel<X>, T: Scalar>(
        &self,
        kernel: &K,
        rows: &K::Prepared,
        cols: &K::Prepared,
        output: &Output<'_>,
    ) -> Result<WriteStatistics>;
}

impl ToFile for Engine {
    fn gram_to_file<X: ?Sized, K: Kernel<X>, T: Scalar>(
        &self,
        kernel: &K,
        set: &K::Prepared,
        output: &Output<'_>,
    ) -> Result<WriteStatistics> {
        let n = set.len();
        let tiles = Tiles::triangle(n, kernel.tile_side());
        let sheet = Sheet::<T>::open(kernel.to_string(), n, n, &tiles, output)?;
        fill_sheet(self, sheet, &tiles, |which, canvas, done| {
            self.fill_gram(kernel, set, &tiles, which, canvas, done)
        })
    }

    fn cross_to_file<X: ?Sized, K: Kernel<X>, T: Scalar>(
        &self,
        kernel: &K,
        rows: &K::Prepared,
        cols: &K::Prepared,
        output: &Output<'_>,
    ) -> Result<WriteStatistics> {
        let (n, m) = (rows.len(), cols.len());
        let tiles = Tiles::rectangle(n, m, kernel.tile_side());
        let sheet = Sheet::<T>::open(kernel.to_string(), n, m, &tiles, output)?;
        fill_sheet(self, sheet, &tiles, |which, canvas, done| {
            self.fill_cross(kernel, rows, cols, &tiles, which, canvas, done)
        })
    }
}

fn fill_sheet<T: Scalar>(
    engine: &Engine,
    mut sheet: Sheet<T>,
    tiles: &Tiles,
    fill: impl FnOnce(&[usize], &Canvas<'_, T>, &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()>,
) -> Result<WriteStatistics> {
    let (resumed, damaged) = (tiles.len() - sheet.left.len(), sheet.damaged);
    if damaged > 0 {
        engine.progress().warn(&files::damaged(&sheet.partial, "tiles or records", damaged));
    }
    engine.progress().begin("gram", tiles.len() as u64);
    engine.progress().advance(resumed as u64);
    let result = sheet.fill(tiles, fill);
    engine.progress().end();
    if let Err(error) = result {
        // Interrupted work can be resumed. A kernel that refuses an object will refuse it again: resuming would be
        // pointless, and the remaining files would block other work.
        if !matches!(error, Error::Interrupted | Error::Io { .. }) {
            let _ = std::fs::remove_file(&sheet.partial);
            let _ = std::fs::remove_file(&sheet.journal_path);
        }
        return Err(error);
    }
    let bytes = sheet.finish()?;
    Ok(WriteStatistics { tiles: tiles.len(), resumed, damaged, bytes })
}

/// A matrix being written to disk.
struct Sheet<T> {
    map: MmapMut,
    offset: usize,
    shape: (usize, usize),
    /// Holds the lock on the partial file.
    _file: File,
    journal: Journal,
    left: Vec<usize>,
    damaged: usize,
    partial: PathBuf,
    journal_path: PathBuf,
    path: PathBuf,
    entry: std::marker::PhantomData<T>,
}

impl<T: Scalar> Sheet<T> {
    fn open(kernel: String, rows: usize, cols: usize, tiles: &Tiles, output: &Output<'_>) -> Result<Self> {
        let header = crate::read::npy_header(rows as u64, cols as u64, T::DTYPE);
        let bytes = budget::matrix_bytes(rows, cols, size_of::<T>()).saturating_add(header.len() as u64);
        let (partial, journal_path) =
            (with_ending(output.path, "partial"), with_ending(output.path, "journal"));
        let identity = Identity {
            kernel,
            data: output.data.clone(),
            rows,
            cols,
            dtype: T::DTYPE.into(),
            tile: tiles.side(),
            processor: processor(),
        };
        if std::fs::metadata(output.path).is_ok_and(|m| !m.is_file()) {
            let source = std::io::Error::new(std::io::ErrorKind::AlreadyExists, "not a regular file");
            return Err(write_error(output.path, source));
        }
        // The journal is opened under the lock: two processes must not both repair it.
        let file = locked(&partial)?;
        let there = file.metadata().map_err(|e| write_error(&partial, e))?.len();
        let found = if output.fresh || there == 0 {
            None
        } else {
            let found = Journal::resume(&journal_path, &identity, tiles.len())?;
            found.filter(|_| there == bytes)
        };
        let (journal, recorded, mut damaged) = match found {
            Some(found) => (found.journal, found.tiles, found.damaged),
            None => {
                let begun = reserve(&file, &partial, bytes)
                    .and_then(|()| Journal::create(&journal_path, &identity))
                    // Without disk space nothing was computed, so there is nothing to resume.
                    .inspect_err(|_| {
                        let _ = std::fs::remove_file(&partial);
                        let _ = std::fs::remove_file(&journal_path);
                    })?;
                (begun, Vec::new(), 0)
            }
        };
        // SAFETY: the file is locked and was made by this program for this purpose; another process that
        // truncates it in spite of the lock would stop this one with a signal, not corrupt its memory.
        let mut map = unsafe { MmapMut::map_mut(&file) }.map_err(|e| write_error(&partial, e))?;
        map[..header.len()].copy_from_slice(&header);
        let mut sheet = Sheet {
            map,
            offset: header.len(),
            shape: (rows, cols),
            _file: file,
            journal,
            left: Vec::new(),
            damaged: 0,
            partial,
            journal_path,
            path: output.path.to_owned(),
            entry: std::marker::PhantomData,
        };
        let mut done = vec![false; tiles.len()];
        for (tile, is_sound) in sheet.compare(tiles, &recorded)? {
            done[tile] |= is_sound;
        }
        let mut lost: Vec<usize> = recorded.iter().map(|r| r.tile).filter(|&t| !done[t]).collect();
        lost.sort_unstable();
        lost.dedup();
        damaged += lost.len();
        sheet.left = (0..tiles.len()).filter(|&t| !done[t]).collect();
        sheet.damaged = damaged;
        Ok(sheet)
    }

    /// The matrix in the file.
    fn canvas(map: &mut MmapMut, offset: usize, shape: (usize, usize)) -> Result<Canvas<'_, T>> {
        // SAFETY: every bit pattern is a number, and the matrix begins at a multiple of 64 bytes in a
        // page-aligned map, so nothing is left over before it.
        let (before, values, after) = unsafe { map[offset..].align_to_mut::<T>() };
        if !before.is_empty() || !after.is_empty() {
            return Err(Error::usage("a matrix that does not fit its file"));
        }
        Ok(Canvas::new(values, shape.0, shape.1))
    }

    /// Which recorded tiles have the checksums they should have.
    fn compare(&mut self, tiles: &Tiles, recorded: &[Recorded]) -> Result<Vec<(usize, bool)>> {
        let canvas = Self::canvas(&mut self.map, self.offset, self.shape)?;
        parallel::try_map(recorded.len(), |k| {
            let record = &recorded[k];
            budget::check()?;
            // SAFETY: nothing writes to the matrix yet.
            Ok((record.tile, unsafe { sum_of(&canvas, tiles, record.tile) } == record.sum))
        })
    }

    /// Computes the remaining tiles and records each in the journal.
    fn fill(
        &mut self,
        tiles: &Tiles,
        fill: impl FnOnce(&[usize], &Canvas<'_, T>, &(dyn Fn(usize) -> Result<()> + Sync)) -> Result<()>,
    ) -> Result<()> {
        let Sheet { map, offset, shape, _file: file, journal, left, partial, .. } = self;
        let canvas = Self::canvas(map, *offset, *shape)?;
        let state = Mutex::new((journal, Instant::now()));
        let note = |tile: usize| -> Result<()> {
            let lock = || state.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            // SAFETY: the thread that wrote the tile is this one, and no other writes it.
            let sum = unsafe { sum_of(&canvas, tiles, tile) };
            let mut held = lock();
            held.0.record(Recorded { tile, sum })?;
            if held.1.elapsed() < BETWEEN_SYNCS {
                return Ok(());
            }
            held.1 = Instant::now();
            drop(held);
            // The other threads keep computing meanwhile.
            file.sync_data().map_err(|e| write_error(partial, e))?;
            lock().0.sync()
        };
        fill(left, &canvas, &note)
    }

    /// Renames the finished file to its final name.
    fn finish(self) -> Result<u64> {
        let bytes = self.map.len() as u64;
        self.map.flush().map_err(|e| write_error(&self.partial, e))?;
        std::fs::rename(&self.partial, &self.path).map_err(|e| write_error(&self.path, e))?;
        std::fs::remove_file(&self.journal_path).map_err(|e| write_error(&self.journal_path, e))?;
        Ok(bytes)
    }
}

/// `K.npy` and `partial` give `K.npy.partial`.
fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    PathBuf::from(name)
}

/// Opens the partial file exclusively for this process; creates it if necessary.
fn locked(partial: &Path) -> Result<File> {
    let fail = |e| write_error(partial, e);
    loop {
        let file = files::open_own(partial, true)?;
        if !files::lock(&file, partial)? {
            let reason = "another process is writing it now".into();
            return Err(Error::Resume { path: partial.to_owned(), reason });
        }
        // A process that finished between the two lines above has renamed the file.
        if is_still_named(&file, partial).map_err(fail)? {
            return Ok(file);
        }
    }
}

/// The checksum of a tile's entries, and of those of its mirror image in a symmetric matrix.
///
/// # Safety
/// No other thread may write these entries at the same time.
unsafe fn sum_of<T: Scalar>(canvas: &Canvas<'_, T>, tiles: &Tiles, tile: usize) -> u64 {
    let (rows, cols) = tiles.get(tile);
    let mut hash = Xxh3::new();
    // SAFETY: guaranteed by the caller.
    unsafe { canvas.hash(rows.clone(), cols.clone(), &mut hash) };
    if tiles.is_mirrored(tile) {
        // SAFETY: the same thread writes the mirror image.
        unsafe { canvas.hash(cols, rows, &mut hash) };
    }
    hash.digest()
}

/// Allocates the disk blocks of the whole file.
fn reserve(file: &File, path: &Path, bytes: u64) -> Result<()> {
    file.set_len(0).map_err(|e| write_error(path, e))?;
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    budget::fits(&format!("the matrix in {}", path.display()), bytes, budget::free_disk(folder))?;
    allocate_blocks(file, bytes).map_err(|e| write_error(path, e))
}

#[cfg(target_os = "linux")]
fn allocate_blocks(file: &File, bytes: u64) -> std::io::Result<()> {
    use rustix::fs::{FallocateFlags, fallocate};
    match fallocate(file, FallocateFlags::empty(), 0, bytes) {
        Ok(()) => Ok(()),
        // Some file systems cannot reserve blocks; write zeros instead.
        Err(rustix::io::Errno::OPNOTSUPP) => write_zeros(file, bytes),
        Err(e) => Err(e.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn allocate_blocks(file: &File, bytes: u64) -> std::io::Result<()> {
    write_zeros(file, bytes)
}

fn write_zeros(mut file: &File, bytes: u64) -> std::io::Result<()> {
    use std::io::Write;
    let zeros = vec![0u8; 1 << 20];
    let mut left = bytes;
    while left > 0 {
        let now = left.min(zeros.len() as u64);
        file.write_all(&zeros[..now as usize])?;
        left -= now;
    }
    Ok(())
}

/// The instruction sets on which the last bits of a matrix product may depend.
fn processor() -> String {
    #[cfg(target_arch = "x86_64")]
    {
        let sets = [
            ("avx2", std::is_x86_feature_detected!("avx2")),
            ("fma", std::is_x86_feature_detected!("fma")),
            ("avx512f", std::is_x86_feature_detected!("avx512f")),
        ];
        let used = sets.iter().filter(|(_, there)| *there).map(|(name, _)| *name);
        ["x86_64"].into_iter().chain(used).collect::<Vec<_>>().join(" ")
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        std::env::consts::ARCH.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use crate::data::{Dense, Vectors};
    use crate::kernel::vector::Rbf;

    fn points(n: usize) -> Vectors {
        Dense::new(n, 3, (0..n * 3).map(|i| ((i * 7919) % 1009) as f64 / 500.0).collect()).unwrap().into()
    }

    fn output(path: &Path) -> Output<'_> {
        Output { path, data: "d".into(), fresh: false }
    }

    /// Stops the computation after some tiles, as Ctrl-C would.
    struct StopAfter(std::sync::atomic::AtomicU64, Budget);

    impl crate::gram::Progress for StopAfter {
        fn begin(&self, _: &str, _: u64) {}
        fn advance(&self, steps: u64) {
            if self.0.fetch_sub(steps, std::sync::atomic::Ordering::Relaxed) <= 1 {
                self.1.stop();
            }
        }
        fn end(&self) {}
    }

    #[test]
    fn a_file_equals_the_matrix_in_memory_and_resumes_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        let (whole, cut) = (folder.path().join("whole.npy"), folder.path().join("cut.npy"));
        let kernel = Rbf::new(0.7).unwrap();
        let set = Kernel::prepare(&kernel, &points(1500)).unwrap();
        let engine = Engine::new();
        let written = engine.gram_to_file::<Vectors, _, f64>(&kernel, &set, &output(&whole)).unwrap();
        assert_eq!((written.tiles, written.resumed), (21, 0));
        assert!(!with_ending(&whole, "journal").exists() && !with_ending(&whole, "partial").exists());
        let memory: Dense = engine.gram_of::<Vectors, _, f64>(&kernel, &set).unwrap();
        let bytes = std::fs::read(&whole).unwrap();
        let values = bytes[bytes.len() - 8 * 1500 * 1500..].chunks_exact(8);
        assert!(values.zip(memory.values()).all(|(b, v)| b == v.to_le_bytes()));

        let budget = Budget::default();
        let stop = std::sync::Arc::new(StopAfter(5.into(), budget.clone()));
        let stopped = engine.clone().with_progress(stop).with_budget(budget).with_threads(2).unwrap();
        let result = stopped.gram_to_file::<Vectors, _, f64>(&kernel, &set, &output(&cut));
        assert!(matches!(result, Err(Error::Interrupted)));
        assert!(!cut.exists() && with_ending(&cut, "partial").exists());

        let other = Rbf::new(0.8).unwrap();
        let refused = engine.gram_to_file::<Vectors, _, f64>(&other, &set, &output(&cut));
        assert!(matches!(refused, Err(Error::Resume { .. })));

        let written = engine.gram_to_file::<Vectors, _, f64>(&kernel, &set, &output(&cut)).unwrap();
        assert!(written.resumed >= 5, "{written:?}");
        assert_eq!(std::fs::read(&cut).unwrap(), bytes);
    }

    /// Stops after five tiles; returns the path of the matrix and the bytes of an uninterrupted run.
    fn cut(folder: &Path) -> (PathBuf, Vec<u8>) {
        let (whole, cut) = (folder.join("whole.npy"), folder.join("cut.npy"));
        let kernel = Rbf::new(0.7).unwrap();
        let set = Kernel::prepare(&kernel, &points(1000)).unwrap();
        Engine::new().gram_to_file::<Vectors, _, f64>(&kernel, &set, &output(&whole)).unwrap();
        let budget = Budget::default();
        let stop = std::sync::Arc::new(StopAfter(5.into(), budget.clone()));
        let engine = Engine::new().with_progress(stop).with_budget(budget).with_threads(1).unwrap();
        engine.gram_to_file::<Vectors, _, f64>(&kernel, &set, &output(&cut)).unwrap_err();
        (cut, std::fs::read(whole).unwrap())
    }

    /// Whatever byte of the recovery files is changed, the matrix is that of an uninterrupted run, or there is an error.
    #[test]
    fn damaged_tiles_and_records_are_computed_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, whole) = cut(folder.path());
        let kernel = Rbf::new(0.7).unwrap();
        let set = Kernel::prepare(&kernel, &points(1000)).unwrap();
        let (partial, journal) = (with_ending(&path, "partial"), with_ending(&path, "journal"));
        let (tiles, records) = (std::fs::read(&partial).unwrap(), std::fs::read(&journal).unwrap());
        let title = records.iter().position(|b| *b == b'\n').unwrap();
        let run = |at: Option<usize>, of: &[u8], to: &Path, flip: u8| {
            std::fs::write(&partial, &tiles).unwrap();
            std::fs::write(&journal, &records).unwrap();
            let mut changed = of.to_vec();
            at.into_iter().for_each(|at| changed[at] ^= flip);
            std::fs::write(to, changed).unwrap();
            let written = Engine::new().gram_to_file::<Vectors, _, f64>(&kernel, &set, &output(&path));
            if written.is_ok() {
                assert!(std::fs::read(&path).unwrap() == whole, "byte {at:?} of {}", to.display());
            }
            written
        };
        let sound = run(None, &tiles, &partial, 0).unwrap();
        assert_eq!((sound.tiles, sound.resumed, sound.damaged), (10, 5, 0));
        for at in (0..records.len()).step_by(3) {
            match run(Some(at), &records, &journal, 1) {
                Ok(written) => {
                    assert!(written.damaged > 0 || at <= title || at + 1 == records.len(), "byte {at}");
                }
                Err(error) => assert!(at <= title, "byte {at}: {error}"),
            }
        }
        let mut found = 0;
        for at in (0..tiles.len()).step_by(tiles.len() / 60 + 1) {
            let written = run(Some(at), &tiles, &partial, 1).unwrap();
            assert_eq!(written.resumed + written.damaged, 5, "byte {at}");
            found += written.damaged;
        }
        assert!(found > 20, "{found}");
    }

    #[cfg(unix)]
    #[test]
    fn links_are_refused_as_recovery_files() {
        let folder = tempfile::tempdir().unwrap();
        let (victim, path) = (folder.path().join("victim"), folder.path().join("k.npy"));
        let kernel = Rbf::new(0.7).unwrap();
        let set = Kernel::prepare(&kernel, &points(30)).unwrap();
        for ending in ["partial", "journal"] {
            std::fs::write(&victim, "content").unwrap();
            std::os::unix::fs::symlink(&victim, with_ending(&path, ending)).unwrap();
            let refused = Engine::new().gram_to_file::<Vectors, _, f64>(&kernel, &set, &output(&path));
            assert!(refused.unwrap_err().to_string().contains("symbolic link"), "{ending}");
            assert_eq!(std::fs::read(&victim).unwrap(), b"content");
            let _ = std::fs::remove_file(with_ending(&path, "partial"));
            let _ = std::fs::remove_file(with_ending(&path, "journal"));
        }
    }

    #[test]
    fn single_precision_and_cross_matrices_are_written_too() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("cross.npy");
        let kernel = Rbf::new(0.7).unwrap();
        let (a, b) = (points(300), points(40));
        let (pa, pb) = (Kernel::prepare(&kernel, &a).unwrap(), Kernel::prepare(&kernel, &b).unwrap());
        let engine = Engine::new();
        engine.cross_to_file::<Vectors, _, f32>(&kernel, &pb, &pa, &output(&path)).unwrap();
        let memory: Dense<f32> = engine.cross_of::<Vectors, _, f32>(&kernel, &pb, &pa).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let values = bytes[bytes.len() - 4 * 300 * 40..].chunks_exact(4);
        assert!(values.zip(memory.values()).all(|(b, v)| b == v.to_le_bytes()));
    }
}
