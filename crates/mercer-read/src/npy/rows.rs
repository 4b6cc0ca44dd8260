//! Rows of an npy matrix, read from disk on demand.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use super::element::Element;
use super::header;
use crate::error::{Code, Error, Result};
use crate::open::refused;
use crate::source::Source;

/// A square matrix in an npy file. The file is read, never mapped: if it is truncated meanwhile, reading gives an
/// error.
#[derive(Debug)]
pub(crate) struct SquareFile {
    path: PathBuf,
    file: Mutex<File>,
    start: u64,
    element: Element,
    big_endian: bool,
    n: usize,
}

/// Bytes that are enough for any header.
const HEADER: u64 = 1 << 14;

impl SquareFile {
    /// Opens a file whose header declares a square matrix of numbers, and checks the size of the file.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let fault = |e| refused(path, e);
        let seen = std::fs::metadata(path).map_err(fault)?;
        crate::open::regular(path, &seen)?;
        let mut file = File::open(path).map_err(fault)?;
        let mut bytes = Vec::new();
        (&mut file).take(HEADER).read_to_end(&mut bytes).map_err(fault)?;
        let source = Source { name: path, bytes: &bytes };
        let header = header::parse(&source)?;
        let &[rows, cols] = header.shape.as_slice() else {
            return Err(source.fault(Code::NpyHeader, "not a matrix: a Gram matrix has two dimensions"));
        };
        if rows != cols || rows == 0 || rows > u64::from(u32::MAX) {
            return Err(Error::Shape {
                expected: "a square matrix with at least one row".into(),
                found: format!("{rows} × {cols}"),
            });
        }
        let element = header.content.element(&source)?;
        let size = element.size() as u64;
        let needed =
            rows.checked_mul(cols).and_then(|n| n.checked_mul(size)).map(|n| n + header.start as u64);
        if needed.is_none_or(|needed| seen.len() < needed) {
            let reason = format!("{} bytes for a {rows} × {cols} matrix of {size}-byte numbers", seen.len());
            return Err(source.fault(Code::NpyShort, reason));
        }
        Ok(SquareFile {
            path: path.to_owned(),
            file: Mutex::new(file),
            start: header.start as u64,
            element,
            big_endian: header.big_endian,
            // A symmetric matrix is the same in row-major and column-major order.
            n: rows as usize,
        })
    }

    pub(crate) fn len(&self) -> usize {
        self.n
    }

    /// Reads the entries of a row from `from` on, as many as `out` holds. Entries must be finite.
    pub(crate) fn read(&self, row: usize, from: usize, out: &mut [f64]) -> Result<()> {
        let size = self.element.size();
        let mut bytes = vec![0u8; out.len() * size];
        let at = self.start + (row as u64 * self.n as u64 + from as u64) * size as u64;
        {
            // A thread that panicked while reading cannot leave the file in an invalid state.
            let mut file = self.file.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let read = file.seek(SeekFrom::Start(at)).and_then(|_| file.read_exact(&mut bytes));
            read.map_err(|e| refused(&self.path, e))?;
        }
        for (k, (value, bytes)) in out.iter_mut().zip(bytes.chunks_exact(size)).enumerate() {
            *value = self.element.number(bytes, self.big_endian);
            if !value.is_finite() {
                return Err(Error::NonFinite { row, col: from + k, overflow: false });
            }
        }
        Ok(())
    }
}
