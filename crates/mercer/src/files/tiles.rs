//! The journal of an unfinished matrix: which tiles are on disk.
//!
//! The first line says in JSON what is computed; a record is the number of a written tile and the checksum of its
//! entries. On resuming, every recorded tile is compared with its checksum, so crashes need no further bookkeeping: a
//! tile that did not reach the disk does not match and is computed again.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::files::{self, FirstLine, JournalFile};

/// What determines a matrix on disk. Two runs with equal identities write the same bytes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// The kernel as an expression.
    pub kernel: String,
    /// Fingerprints of the data, in hexadecimal.
    pub data: String,
    /// Rows of the matrix.
    pub rows: usize,
    /// Columns of the matrix.
    pub cols: usize,
    /// The type of its entries.
    pub dtype: String,
    /// The side of its tiles.
    pub tile: usize,
    /// The instruction sets in use, on which the last bits of a product may depend.
    pub processor: String,
}

impl Identity {
    /// How another identity differs, as a text; `None` when it is equal.
    fn difference(&self, other: &Identity) -> Option<String> {
        let pairs = [
            ("kernel", &self.kernel, &other.kernel),
            ("data", &self.data, &other.data),
            ("type", &self.dtype, &other.dtype),
            ("processor", &self.processor, &other.processor),
        ];
        if let Some((what, a, b)) = pairs.into_iter().find(|(_, a, b)| a != b) {
            return Some(format!("its {what} is {a}, not {b}"));
        }
        let shape = |i: &Identity| format!("{} × {} in tiles of {}", i.rows, i.cols, i.tile);
        (self != other).then(|| format!("it is {}, not {}", shape(self), shape(other)))
    }
}

#[derive(Serialize, Deserialize)]
struct Header {
    mercer_journal: u32,
    identity: Identity,
}

/// Version 1 had no checksums of tiles.
const VERSION: u32 = 2;

/// An open journal.
pub(super) struct Journal(files::Journal);

/// A record of a tile: its number and the checksum of its entries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Recorded {
    pub(super) tile: usize,
    pub(super) sum: u64,
}

/// An unfinished matrix: its journal, the recorded tiles, and the number of damaged records.
pub(super) struct Resumed {
    pub(super) journal: Journal,
    pub(super) tiles: Vec<Recorded>,
    pub(super) damaged: usize,
}

impl Journal {
    /// Starts a journal and replaces an existing one.
    pub(super) fn create(path: &Path, identity: &Identity) -> Result<Self> {
        let header = Header { mercer_journal: VERSION, identity: identity.clone() };
        Ok(Journal(opened(path)?.begin(&json(&header)?, &json(identity)?)?))
    }

    /// Opens the journal of interrupted work. `None` if there is none; an error if it belongs to other work.
    pub(super) fn resume(path: &Path, identity: &Identity, tiles: usize) -> Result<Option<Resumed>> {
        if path.symlink_metadata().is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound) {
            return Ok(None);
        }
        let other = |reason: String| Error::Resume { path: path.to_owned(), reason };
        let file = opened(path)?;
        let header = match file.first_line() {
            // Interrupted while writing the first line: nothing was done yet.
            FirstLine::Torn(_) => return Ok(None),
            FirstLine::Whole(line) => serde_json::from_slice::<serde_json::Value>(line),
        };
        let header = header.map_err(|e| other(format!("its journal cannot be read ({e})")))?;
        if header["mercer_journal"] != VERSION {
            let reason = "its journal is of another version, which checked tiles differently or not at all";
            return Err(other(reason.into()));
        }
        let header: Header =
            serde_json::from_value(header).map_err(|e| other(format!("its journal cannot be read ({e})")))?;
        if let Some(reason) = header.identity.difference(identity) {
            return Err(other(reason));
        }
        let (journal, records, mut damaged) = file.resume(&json(identity)?)?;
        let mut known = Vec::with_capacity(records.len());
        for record in records {
            match serde_json::from_str::<(usize, u64)>(&record) {
                Ok((tile, sum)) if tile < tiles => known.push(Recorded { tile, sum }),
                _ => damaged += 1,
            }
        }
        Ok(Some(Resumed { journal: Journal(journal), tiles: known, damaged }))
    }

    /// Records that a tile has been written.
    pub(super) fn record(&mut self, tile: Recorded) -> Result<()> {
        self.0.append(&format!("[{},{}]", tile.tile, tile.sum))
    }

    /// Forces the records to disk.
    pub(super) fn sync(&self) -> Result<()> {
        self.0.sync()
    }
}

fn opened(path: &Path) -> Result<JournalFile> {
    JournalFile::open(path)?.ok_or_else(|| Error::Resume {
        path: path.to_owned(),
        reason: "another process is writing it now".into(),
    })
}

fn json(value: &impl Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|e| Error::usage(format!("a journal header: {e}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn identity() -> Identity {
        Identity {
            kernel: "linear".into(),
            data: "00".into(),
            rows: 10,
            cols: 10,
            dtype: "<f8".into(),
            tile: 2,
            processor: "any".into(),
        }
    }

    fn resumed(path: &Path) -> (Vec<usize>, usize) {
        let found = Journal::resume(path, &identity(), 15).unwrap().unwrap();
        (found.tiles.iter().map(|t| t.tile).collect(), found.damaged)
    }

    #[test]
    fn keeps_tiles_and_drops_a_truncated_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.journal");
        let mut journal = Journal::create(&path, &identity()).unwrap();
        journal.record(Recorded { tile: 3, sum: u64::MAX }).unwrap();
        journal.record(Recorded { tile: 7, sum: 1 }).unwrap();
        drop(journal);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend_from_slice(b"0123456789abcdef [5,");
        std::fs::write(&path, &bytes).unwrap();
        let mut found = Journal::resume(&path, &identity(), 15).unwrap().unwrap();
        assert_eq!(found.tiles, [Recorded { tile: 3, sum: u64::MAX }, Recorded { tile: 7, sum: 1 }]);
        found.journal.record(Recorded { tile: 5, sum: 2 }).unwrap();
        drop(found);
        assert_eq!(resumed(&path), (vec![3, 7, 5], 0));
    }

    #[test]
    fn refuses_other_work() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.journal");
        Journal::create(&path, &identity()).unwrap();
        let other = Identity { kernel: "cosine".into(), ..identity() };
        let Err(error) = Journal::resume(&path, &other, 15) else { panic!("resumed other work") };
        assert!(error.to_string().contains("its kernel is linear, not cosine"), "{error}");
        for old in ["nonsense\n", "{\"mercer_journal\":1,\"boot\":\"\",\"identity\":{}}\n"] {
            std::fs::write(&path, old).unwrap();
            let Err(error) = Journal::resume(&path, &identity(), 15) else { panic!("resumed {old}") };
            assert_eq!(error.code(), crate::error::Code::Resume);
        }
    }
}
