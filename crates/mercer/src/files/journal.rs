//! Journals: records of finished work on disk, so that interrupted work can be resumed.
//!
//! A journal is a text file. Its first line identifies the work; every further line is a record: 16 hexadecimal digits
//! of checksum, a space, the record. The checksum is the 64-bit XXH3 of the record, seeded with the identity of the
//! work, so that a changed digit or a line of another journal is detected. A record that fails its check is dropped and
//! its work done again, with a warning; a last line truncated by a crash is dropped without one.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use super::{lock, open_own, write_error};
use crate::error::{Error, Result, Warning};

/// The warning that recovery files were damaged.
pub(crate) fn damaged(path: &Path, what: &str, count: usize) -> Warning {
    let message = format!("{}: {count} {what} did not match their checksum; computed again", path.display());
    Warning::new("W_RESUME", message)
}

/// An open, locked journal file whose content has not been checked yet.
pub(crate) struct JournalFile {
    path: PathBuf,
    file: File,
    bytes: Vec<u8>,
}

/// The first line of a journal.
pub(crate) enum FirstLine<'a> {
    /// Empty or truncated: there is no line end.
    Torn(&'a [u8]),
    /// A complete line, without its line end.
    Whole(&'a [u8]),
}

impl JournalFile {
    /// Opens a journal; creates it if necessary. `None` if another process uses it.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>> {
        let mut file = open_own(path, true)?;
        if !lock(&file, path)? {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|e| write_error(path, e))?;
        Ok(Some(JournalFile { path: path.to_owned(), file, bytes }))
    }

    pub(crate) fn first_line(&self) -> FirstLine<'_> {
        match self.bytes.iter().position(|b| *b == b'\n') {
            Some(end) => FirstLine::Whole(&self.bytes[..end]),
            None => FirstLine::Torn(&self.bytes),
        }
    }

    /// Starts a new journal; discards the present content.
    pub(crate) fn begin(mut self, title: &str, identity: &str) -> Result<Journal> {
        self.bytes.clear();
        let mut journal =
            Journal { path: self.path, file: self.file, end: 0, seed: xxh3_64(identity.as_bytes()) };
        journal.rewrite(format!("{title}\n").as_bytes())?;
        Ok(journal)
    }

    /// Resumes a journal: returns the valid records and the number of invalid ones.
    pub(crate) fn resume(self, identity: &str) -> Result<(Journal, Vec<String>, usize)> {
        let seed = xxh3_64(identity.as_bytes());
        let mut lines = self.bytes.split_inclusive(|b| *b == b'\n');
        let mut kept = lines.next().unwrap_or_default().to_vec();
        let (mut records, mut damaged) = (Vec::new(), 0);
        for line in lines {
            let Some(line) = line.strip_suffix(b"\n") else { break };
            match sound(line, seed) {
                Some(record) => {
                    records.push(record.to_owned());
                    kept.extend_from_slice(line);
                    kept.push(b'\n');
                }
                None => damaged += 1,
            }
        }
        let end = kept.len() as u64;
        let mut journal = Journal { path: self.path, file: self.file, end, seed };
        if damaged > 0 {
            journal.rewrite(&kept)?;
        } else {
            journal.cut().map_err(|e| write_error(&journal.path, e))?;
        }
        Ok((journal, records, damaged))
    }
}

/// An open journal.
pub(crate) struct Journal {
    path: PathBuf,
    file: File,
    /// The offset of the next record.
    end: u64,
    seed: u64,
}

impl Journal {
    /// Writes a record immediately, so that a killed process loses none.
    pub(crate) fn append(&mut self, record: &str) -> Result<()> {
        debug_assert!(!record.contains('\n'));
        let line = format!("{:016x} {record}\n", xxh3_64_with_seed(record.as_bytes(), self.seed));
        if let Err(e) = self.file.write_all(line.as_bytes()) {
            // Remove the partial line, so that others can follow. If that fails too, their work is done again.
            let _ = self.cut();
            return Err(write_error(&self.path, e));
        }
        self.end += line.len() as u64;
        Ok(())
    }

    /// Forces the written records to disk.
    pub(crate) fn sync(&self) -> Result<()> {
        self.file.sync_data().map_err(|e| write_error(&self.path, e))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    fn rewrite(&mut self, bytes: &[u8]) -> Result<()> {
        self.end = 0;
        let written = self.cut().and_then(|()| self.file.write_all(bytes));
        written.map_err(|e: std::io::Error| write_error(&self.path, e))?;
        self.end = bytes.len() as u64;
        self.sync()
    }

    /// Truncates the file after the last complete record.
    fn cut(&mut self) -> std::io::Result<()> {
        self.file.set_len(self.end)?;
        self.file.seek(SeekFrom::Start(self.end)).map(|_| ())
    }
}

/// The record of a line, if its checksum matches.
fn sound(line: &[u8], seed: u64) -> Option<&str> {
    let (digits, record) = std::str::from_utf8(line).ok()?.split_once(' ')?;
    let expected = format!("{:016x}", xxh3_64_with_seed(record.as_bytes(), seed));
    (digits == expected).then_some(record)
}

/// The error for a journal of an earlier version, which has no checksums.
pub(crate) fn too_old(path: &Path) -> Error {
    Error::usage(format!(
        "{} was begun by an earlier version and has no checksums: delete it or choose another name",
        path.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn resumed(path: &Path, identity: &str) -> (Vec<String>, usize) {
        let (_, records, damaged) = JournalFile::open(path).unwrap().unwrap().resume(identity).unwrap();
        (records, damaged)
    }

    #[test]
    fn a_changed_byte_invalidates_only_its_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("j");
        let mut journal = JournalFile::open(&path).unwrap().unwrap().begin("title", "work").unwrap();
        assert!(JournalFile::open(&path).unwrap().is_none(), "it is in use");
        let all: Vec<String> = (0..20).map(|i| format!("[{i},0.{i}]")).collect();
        all.iter().for_each(|r| journal.append(r).unwrap());
        drop(journal);
        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(resumed(&path, "work"), (all.clone(), 0));
        assert_eq!(resumed(&path, "other work"), (vec![], 20));
        for at in 6..bytes.len() {
            for flip in [1u8, 2, 0x80] {
                let mut changed = bytes.clone();
                changed[at] ^= flip;
                std::fs::write(&path, &changed).unwrap();
                let (records, damaged) = resumed(&path, "work");
                assert!(records.len() >= 18 && records.iter().all(|r| all.contains(r)), "byte {at}");
                // Only the end of the last line may be missing without a warning.
                assert!(damaged > 0 || at == bytes.len() - 1, "byte {at}");
                // The repaired journal is valid.
                assert_eq!(resumed(&path, "work"), (records, 0));
            }
        }
        for keep in 6..bytes.len() {
            std::fs::write(&path, &bytes[..keep]).unwrap();
            let (records, damaged) = resumed(&path, "work");
            assert_eq!(damaged, 0);
            assert_eq!(records[..], all[..records.len()]);
        }
    }
}
