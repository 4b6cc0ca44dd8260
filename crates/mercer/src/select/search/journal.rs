//! What a search has done, on disk, so that a search that was stopped goes on with what is missing.
//!
//! A [journal](crate::files) whose first line says which search it is of; every record holds scores of cells on divisions.
//! Nothing in it depends on the number of threads, so that a search may go on with another.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use super::scores::Entry;
use crate::error::{Error, Result, Warning};
use crate::files::{self, FirstLine, JournalFile, damaged, too_old, write_error};

/// Version 1 had no checksums.
const OLD_TITLE: &str = "mercer search journal 1";
const TITLE: &str = "mercer search journal 2";

/// Scores are written at once, so that a process that is killed loses none. Forcing them to disk takes a while: that is done
/// when this much time has passed since the last time, and at the end.
const PAUSE: Duration = Duration::from_millis(200);

/// A score as it stands in the file: round, cell, division, score, converged.
type Line = (u32, usize, usize, Option<f64>, bool);

/// Finished fits.
pub(super) struct Journal {
    file: files::Journal,
    known: HashMap<(u32, usize, usize), Entry>,
    forced: Instant,
    damaged: usize,
}

impl Journal {
    /// Opens or begins the journal of a search; in a folder, one under the search's own name. The journal of another search
    /// is refused, and so is one of an earlier version: it may be worth keeping.
    pub(super) fn open(path: &Path, identity: &str) -> Result<Self> {
        let path = match path.is_dir() {
            true => path.join(format!("{identity}.journal")),
            false => path.to_owned(),
        };
        if std::fs::symlink_metadata(&path).is_ok_and(|m| !m.is_file() && !m.is_symlink()) {
            // Reading a FIFO would wait for a writer.
            let reason = std::io::Error::new(std::io::ErrorKind::AlreadyExists, "not a regular file");
            return Err(write_error(&path, reason));
        }
        let file = JournalFile::open(&path)?
            .ok_or_else(|| Error::usage(format!("{} is in use by another search", path.display())))?;
        let title = format!("{TITLE} {identity}");
        let is_new = match file.first_line() {
            FirstLine::Whole(line) if line == title.as_bytes() => false,
            // The title of this search cut short is a beginning; anything else is no journal of ours.
            FirstLine::Torn(line) if title.as_bytes().starts_with(line) => true,
            FirstLine::Whole(line) if line == format!("{OLD_TITLE} {identity}").as_bytes() => {
                return Err(too_old(&path));
            }
            _ => return Err(other(&path)),
        };
        let mut known = HashMap::new();
        if is_new {
            let file = file.begin(&title, &title)?;
            return Ok(Journal { file, known, forced: Instant::now(), damaged: 0 });
        }
        let (file, records, mut damaged) = file.resume(&title)?;
        for record in records {
            let Ok(entries) = serde_json::from_str::<Vec<Line>>(&record) else {
                damaged += 1;
                continue;
            };
            for (round, cell, split, score, converged) in entries {
                known.insert((round, cell, split), Entry { round, cell, split, score, converged });
            }
        }
        Ok(Journal { file, known, forced: Instant::now(), damaged })
    }

    /// What the user should know of the journal's state.
    pub(super) fn warning(&self) -> Option<Warning> {
        (self.damaged > 0).then(|| damaged(self.file.path(), "records", self.damaged))
    }

    /// A finished fit.
    pub(super) fn get(&self, round: u32, cell: usize, split: usize) -> Option<Entry> {
        self.known.get(&(round, cell, split)).copied()
    }

    /// Notes finished fits.
    pub(super) fn note(&mut self, entries: &[Entry]) -> Result<()> {
        let lines: Vec<Line> =
            entries.iter().map(|e| (e.round, e.cell, e.split, e.score, e.converged)).collect();
        let text = serde_json::to_string(&lines).map_err(|e| Error::usage(e.to_string()))?;
        self.file.append(&text)?;
        if self.forced.elapsed() >= PAUSE { self.flush() } else { Ok(()) }
    }

    /// Forces what was noted to disk.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.file.sync()?;
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
