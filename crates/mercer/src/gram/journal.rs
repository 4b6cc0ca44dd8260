//! Which tiles of an unfinished matrix are on disk.
//!
//! A journal is a line of JSON that says what is computed, then records of 16 bytes: a number and a check
//! sum over it. A number is a tile that has been written, or, with its highest bit set, a count: so many
//! records before it have been forced to disk with their tiles.
//!
//! After a killed process every record counts, because the system still holds what the process wrote. After
//! a crash of the machine, known by another boot id, only records that were forced to disk count. A torn last
//! record fails its check sum and is dropped. The alternative, waves of tiles with a barrier and a forced write
//! after each, would lose up to a wave of work and leave cores idle at every barrier.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Code, Error, Result};

/// What a matrix on disk is made of. Two runs with equal identities write the same bytes.
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
    /// How another identity differs, in words; `None` when it does not.
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
    boot: String,
    identity: Identity,
}

const VERSION: u32 = 1;
const RECORD: usize = 16;
const SYNCED: u64 = 1 << 63;

/// An open journal.
pub(super) struct Journal {
    file: File,
    path: PathBuf,
    /// Tile records written so far.
    records: u64,
}

impl Journal {
    /// Starts a journal, replacing any that is there.
    pub(super) fn create(path: &Path, identity: &Identity) -> Result<Self> {
        let header = Header { mercer_journal: VERSION, boot: boot_id(), identity: identity.clone() };
        let mut line =
            serde_json::to_vec(&header).map_err(|e| Error::usage(format!("a journal header: {e}")))?;
        line.push(b'\n');
        let file = File::options().create(true).truncate(true).read(true).write(true).open(path);
        let mut journal =
            Journal { file: file.map_err(|e| write_error(path, e))?, path: path.to_owned(), records: 0 };
        journal.append(&line)?;
        journal.sync_file()?;
        Ok(journal)
    }

    /// Opens the journal of work that was cut short, with the tiles that need not be done again.
    /// `None` when there is no journal; an error when it belongs to other work.
    pub(super) fn resume(
        path: &Path,
        identity: &Identity,
        tiles: usize,
    ) -> Result<Option<(Self, Vec<bool>)>> {
        let mut file = match File::options().read(true).write(true).open(path) {
            Ok(file) => file,
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(write_error(path, e)),
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|e| write_error(path, e))?;
        let other = |reason: String| Error::Resume { path: path.to_owned(), reason };
        let Some(end) = bytes.iter().position(|b| *b == b'\n') else {
            // Cut off while its first line was written: nothing was done yet.
            return Ok(None);
        };
        let header: Header = serde_json::from_slice(&bytes[..end])
            .map_err(|e| other(format!("its journal cannot be read ({e})")))?;
        if header.mercer_journal != VERSION {
            return Err(other(format!("its journal has version {}", header.mercer_journal)));
        }
        if let Some(reason) = header.identity.difference(identity) {
            return Err(other(reason));
        }
        let records = sound_records(&bytes[end + 1..]);
        let same_boot = header.boot == boot_id();
        let trusted = if same_boot { tile_count(&records) } else { synced_count(&records) };
        let mut done = vec![false; tiles];
        let numbers = records.iter().filter(|r| *r & SYNCED == 0).take(trusted as usize);
        numbers.for_each(|&tile| {
            if let Some(slot) = done.get_mut(tile as usize) {
                *slot = true;
            }
        });
        if !same_boot {
            // Start over with what survived: the old boot id must not vouch for new records.
            drop(file);
            let mut journal = Journal::create(path, identity)?;
            for tile in (0..tiles).filter(|&t| done[t]) {
                journal.record(tile)?;
            }
            journal.mark_synced(journal.records)?;
            return Ok(Some((journal, done)));
        }
        let keep = (end + 1 + records.len() * RECORD) as u64;
        file.set_len(keep).and_then(|()| file.seek(SeekFrom::End(0))).map_err(|e| write_error(path, e))?;
        let records = tile_count(&records);
        Ok(Some((Journal { file, path: path.to_owned(), records }, done)))
    }

    /// Records that a tile has been written.
    pub(super) fn record(&mut self, tile: usize) -> Result<()> {
        self.append(&encode(tile as u64))?;
        self.records += 1;
        Ok(())
    }

    /// The number of tiles recorded.
    pub(super) fn records(&self) -> u64 {
        self.records
    }

    /// Records that the first `records` tiles are safe on disk. Call it after forcing the matrix to disk.
    pub(super) fn mark_synced(&mut self, records: u64) -> Result<()> {
        self.append(&encode(records | SYNCED))?;
        self.sync_file()
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|e| write_error(&self.path, e))
    }

    fn sync_file(&self) -> Result<()> {
        self.file.sync_data().map_err(|e| write_error(&self.path, e))
    }
}

fn encode(number: u64) -> [u8; RECORD] {
    let mut record = [0; RECORD];
    record[..8].copy_from_slice(&number.to_le_bytes());
    record[8..].copy_from_slice(&xxh3_64(&number.to_le_bytes()).to_le_bytes());
    record
}

/// The records up to the first that is torn.
fn sound_records(bytes: &[u8]) -> Vec<u64> {
    let number = |r: &[u8]| r[..8].try_into().map(u64::from_le_bytes).unwrap_or(0);
    bytes.chunks_exact(RECORD).take_while(|r| encode(number(r)) == **r).map(number).collect()
}

fn tile_count(records: &[u64]) -> u64 {
    records.iter().filter(|r| *r & SYNCED == 0).count() as u64
}

fn synced_count(records: &[u64]) -> u64 {
    records.iter().filter(|r| *r & SYNCED != 0).map(|r| r & !SYNCED).max().unwrap_or(0)
}

fn boot_id() -> String {
    std::fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap_or_default().trim().to_owned()
}

pub(super) fn write_error(path: &Path, source: std::io::Error) -> Error {
    Error::Io { path: path.to_owned(), code: Code::IoWrite, source }
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

    #[test]
    fn remembers_tiles_and_drops_a_torn_record() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.journal");
        let mut journal = Journal::create(&path, &identity()).unwrap();
        journal.record(3).unwrap();
        journal.record(7).unwrap();
        drop(journal);
        let mut bytes = std::fs::read(&path).unwrap();
        bytes.extend_from_slice(&encode(5)[..9]);
        std::fs::write(&path, &bytes).unwrap();
        let (mut journal, done) = Journal::resume(&path, &identity(), 15).unwrap().unwrap();
        let found: Vec<_> = (0..15).filter(|&t| done[t]).collect();
        assert_eq!(found, [3, 7]);
        journal.record(5).unwrap();
        drop(journal);
        let (_, done) = Journal::resume(&path, &identity(), 15).unwrap().unwrap();
        assert!(done[5]);
    }

    #[test]
    fn after_another_boot_only_synced_tiles_count() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.journal");
        let mut journal = Journal::create(&path, &identity()).unwrap();
        journal.record(1).unwrap();
        journal.record(2).unwrap();
        journal.mark_synced(2).unwrap();
        journal.record(4).unwrap();
        drop(journal);
        let text = std::fs::read(&path).unwrap();
        let at = text.iter().position(|b| *b == b'\n').unwrap();
        let mut header: Header = serde_json::from_slice(&text[..at]).unwrap();
        header.boot = "another".into();
        let mut changed = serde_json::to_vec(&header).unwrap();
        changed.extend_from_slice(&text[at..]);
        std::fs::write(&path, changed).unwrap();
        let (_, done) = Journal::resume(&path, &identity(), 15).unwrap().unwrap();
        let found: Vec<_> = (0..15).filter(|&t| done[t]).collect();
        assert_eq!(found, [1, 2]);
    }

    #[test]
    fn refuses_other_work() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("k.journal");
        Journal::create(&path, &identity()).unwrap();
        let other = Identity { kernel: "cosine".into(), ..identity() };
        let Err(error) = Journal::resume(&path, &other, 15) else { panic!("resumed other work") };
        assert!(error.to_string().contains("its kernel is linear, not cosine"), "{error}");
        std::fs::write(&path, "nonsense\n").unwrap();
        assert!(Journal::resume(&path, &identity(), 15).is_err());
    }
}
