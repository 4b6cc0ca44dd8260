//! What a search has done, on disk, so that a search that was stopped goes on with what is missing.
//!
//! A text file: the first line says which search it is of, every further line holds scores of cells on divisions. A line that
//! was cut short by a crash, and all after it, are done again. Nothing in it depends on the number of threads, so that a
//! search may go on with another.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::scores::Entry;
use crate::error::{Code, Error, Result};

const TITLE: &str = "mercer search journal 1";

/// Scores are written at once, so that a process that is killed loses none. Forcing them to disk takes a while: that is done
/// when this much time has passed since the last time, and at the end.
const PAUSE: Duration = Duration::from_millis(200);

/// A score as it stands in the file: round, cell, division, score, converged.
type Line = (u32, usize, usize, Option<f64>, bool);

/// Finished fits.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    known: HashMap<(u32, usize, usize), Entry>,
    /// Where the next line goes.
    end: u64,
    forced: Instant,
}

impl Journal {
    /// Opens or begins the journal of a search; in a folder, one under the search's own name. The journal of another search
    /// is refused: it may be worth keeping.
    pub(super) fn open(path: &Path, identity: &str) -> Result<Self> {
        let path = match path.is_dir() {
            true => path.join(format!("{identity}.journal")),
            false => path.to_owned(),
        };
        let fault = |e: std::io::Error| unwritten(&path, e);
        if std::fs::metadata(&path).is_ok_and(|m| !m.is_file()) {
            // Reading a FIFO would wait for a writer.
            return Err(fault(std::io::Error::new(std::io::ErrorKind::AlreadyExists, "not a regular file")));
        }
        let title = format!("{TITLE} {identity}");
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(fault)?;
        if file.try_lock().is_err() {
            return Err(Error::usage(format!("{} is in use by another search", path.display())));
        }
        let mut known = HashMap::new();
        let mut end = 0u64;
        let mut reader = BufReader::new(&mut file);
        let mut line = String::new();
        let mut first = true;
        loop {
            line.clear();
            match reader.read_line(&mut line) {
                Ok(0) => break,
                // The title of this search cut short is a beginning; anything else is no journal of ours.
                Ok(_) if !line.ends_with('\n') && (!first || title.starts_with(&line)) => break,
                Ok(length) if first => {
                    if line.trim_end() != title {
                        return Err(other(&path));
                    }
                    first = false;
                    end += length as u64;
                }
                Ok(length) => match serde_json::from_str::<Vec<Line>>(&line) {
                    Ok(entries) => {
                        for (round, cell, split, score, converged) in entries {
                            let entry = Entry { round, cell, split, score, converged };
                            known.insert((round, cell, split), entry);
                        }
                        end += length as u64;
                    }
                    Err(_) => break,
                },
                // Bytes that are no text were not written whole.
                Err(e) if e.kind() == std::io::ErrorKind::InvalidData && !first => break,
                Err(e) if e.kind() == std::io::ErrorKind::InvalidData => return Err(other(&path)),
                Err(e) => return Err(fault(e)),
            }
        }
        drop(reader);
        file.set_len(end).map_err(fault)?;
        file.seek(SeekFrom::Start(end)).map_err(fault)?;
        if first {
            writeln!(file, "{title}").and_then(|()| file.sync_data()).map_err(fault)?;
            end = title.len() as u64 + 1;
        }
        Ok(Journal { path, file, known, end, forced: Instant::now() })
    }

    /// A finished fit.
    pub(super) fn get(&self, round: u32, cell: usize, split: usize) -> Option<Entry> {
        self.known.get(&(round, cell, split)).copied()
    }

    /// Notes finished fits.
    pub(super) fn note(&mut self, entries: &[Entry]) -> Result<()> {
        let lines: Vec<Line> =
            entries.iter().map(|e| (e.round, e.cell, e.split, e.score, e.converged)).collect();
        let mut text = serde_json::to_string(&lines).map_err(|e| Error::usage(e.to_string()))?;
        text.push('\n');
        if let Err(e) = self.file.write_all(text.as_bytes()) {
            // What there is of the line is taken back, so that others can follow. Should that fail too, those are done again.
            let _ = self.file.set_len(self.end).and_then(|()| self.file.seek(SeekFrom::Start(self.end)));
            return Err(unwritten(&self.path, e));
        }
        self.end += text.len() as u64;
        if self.forced.elapsed() >= PAUSE { self.flush() } else { Ok(()) }
    }

    /// Forces what was noted to disk.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.file.sync_data().map_err(|e| unwritten(&self.path, e))?;
        self.forced = Instant::now();
        Ok(())
    }
}

fn other(path: &Path) -> Error {
    Error::usage(format!(
        "{} is not the journal of this search (other data, grid, divisions or seed): delete it or name another",
        path.display()
    ))
}

fn unwritten(path: &Path, source: std::io::Error) -> Error {
    Error::Io { path: path.to_owned(), code: Code::IoWrite, source }
}
