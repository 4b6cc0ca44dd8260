//! What a search has done, on disk, so that a search that was stopped goes on with what is missing.
//!
//! A text file: the first line says which search it is of, every further line holds the scores of a stretch of the grid. A line
//! that was cut short by a crash, and all after it, are done again.

use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::cells::Entry;
use crate::error::{Code, Error, Result};

const TITLE: &str = "mercer search journal 1";

/// Finished stretches, by number.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
    known: HashMap<usize, Vec<Entry>>,
}

impl Journal {
    /// Opens or begins the journal of a search. One of another search is refused: it may be worth keeping.
    pub(super) fn open(path: &Path, identity: &str) -> Result<Self> {
        let fault = |e: std::io::Error| unwritten(path, e);
        let title = format!("{TITLE} {identity}");
        let mut file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .open(path)
            .map_err(fault)?;
        let mut known = HashMap::new();
        let mut end = 0u64;
        let mut reader = BufReader::new(&mut file);
        let mut line = String::new();
        let mut first = true;
        loop {
            line.clear();
            match reader.read_line(&mut line) {
                Ok(0) => break,
                Ok(_) if !line.ends_with('\n') => break,
                Ok(length) if first => {
                    if line.trim_end() != title {
                        return Err(Error::usage(format!(
                            "{} is not the journal of this search (other data, grid, divisions or seed): delete it or name another",
                            path.display()
                        )));
                    }
                    first = false;
                    end += length as u64;
                }
                Ok(length) => match serde_json::from_str::<(usize, Vec<Entry>)>(&line) {
                    Ok((number, entries)) => {
                        known.insert(number, entries);
                        end += length as u64;
                    }
                    Err(_) => break,
                },
                // Bytes that are no text were not written whole.
                Err(e) if e.kind() == std::io::ErrorKind::InvalidData => break,
                Err(e) => return Err(fault(e)),
            }
        }
        drop(reader);
        file.set_len(end).map_err(fault)?;
        file.seek(SeekFrom::Start(end)).map_err(fault)?;
        if first {
            writeln!(file, "{title}").and_then(|()| file.sync_data()).map_err(fault)?;
        }
        Ok(Journal { path: path.to_owned(), file, known })
    }

    /// The scores of a finished stretch.
    pub(super) fn take(&mut self, number: usize) -> Option<Vec<Entry>> {
        self.known.remove(&number)
    }

    /// Notes that a stretch is finished.
    pub(super) fn note(&mut self, number: usize, entries: &[Entry]) -> Result<()> {
        let line = serde_json::to_string(&(number, entries)).map_err(|e| Error::usage(e.to_string()))?;
        let written = writeln!(self.file, "{line}").and_then(|()| self.file.sync_data());
        written.map_err(|e| unwritten(&self.path, e))
    }
}

fn unwritten(path: &Path, source: std::io::Error) -> Error {
    Error::Io { path: path.to_owned(), code: Code::IoWrite, source }
}
