//! Records the progress of a search on disk, so that an interrupted search can resume.
//!
//! A [journal](crate::files) whose first line identifies its search; every record holds scores of configurations on
//! splits. Nothing in it depends on the number of threads, so a search may resume with a different number.

use std::collections::HashMap;
use std::path::Path;
use std::time::{Duration, Instant};

use super::scores::Entry;
use crate::error::{Error, Result, Warning};
use crate::files::{self, FirstLine, JournalFile, damaged, too_old, write_error};

/// Version 1 had no checksums.
const OLD_TITLE: &str = "mercer search journal 1";
const TITLE: &str = "mercer search journal 2";

/// Scores are written immediately, so that a killed process loses none. Forcing them to disk is slow: it is done when
/// this much time has passed since the last time, and at the end.
const PAUSE: Duration = Duration::from_millis(200);

/// A score as stored in the file: round, configuration, split, score, converged.
type Line = (u32, usize, usize, Option<f64>, bool);

/// The recorded fits.
pub(super) struct Journal {
    file: files::Journal,
    known: HashMap<(u32, usize, usize), Entry>,
    forced: Instant,
    damaged: usize,
}

impl Journal {
    /// Opens or creates the journal of a search; in a directory, the file is named after the search. Rejects the
    /// journal of another search, and one of an earlier version, which may be worth keeping.
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
            // A truncated title of this search is a fresh start; anything else is not our journal.
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
            for (round, configuration, split, score, converged) in entries {
                known.insert(
                    (round, configuration, split),
                    Entry { round, configuration, split, score, converged },
                );
            }
        }
        Ok(Journal { file, known, forced: Instant::now(), damaged })
    }

    /// A warning about damaged records.
    pub(super) fn warning(&self) -> Option<Warning> {
        (self.damaged > 0).then(|| damaged(self.file.path(), "records", self.damaged))
    }

    /// A recorded fit.
    pub(super) fn get(&self, round: u32, configuration: usize, split: usize) -> Option<Entry> {
        self.known.get(&(round, configuration, split)).copied()
    }

    /// Records finished fits.
    pub(super) fn note(&mut self, entries: &[Entry]) -> Result<()> {
        let lines: Vec<Line> =
            entries.iter().map(|e| (e.round, e.configuration, e.split, e.score, e.converged)).collect();
        let text = serde_json::to_string(&lines).map_err(|e| Error::usage(e.to_string()))?;
        self.file.append(&text)?;
        if self.forced.elapsed() >= PAUSE { self.flush() } else { Ok(()) }
    }

    /// Forces recorded fits to disk.
    pub(super) fn flush(&mut self) -> Result<()> {
        self.file.sync()?;
        self.forced = Instant::now();
        Ok(())
    }
}

fn other(path: &Path) -> Error {
    Error::usage(format!(
        "{} is not the journal of this search (other data, grid, splits or seed): delete it or use another path",
        path.display()
    ))
}
