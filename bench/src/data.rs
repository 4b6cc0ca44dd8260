//! Reads the data of the benchmark, as written by `peers.py`.

use std::path::Path;

use mercer::data::{Dense, Sparse};

use crate::Outcome;

/// Reads numbers one after the other from little-endian bytes.
struct Numbers<'a> {
    rest: &'a [u8],
}

impl Numbers<'_> {
    fn next<const SIZE: usize>(&mut self) -> Outcome<[u8; SIZE]> {
        let (first, rest) = self.rest.split_first_chunk().ok_or("a data file is too short")?;
        self.rest = rest;
        Ok(*first)
    }

    fn whole(&mut self) -> Outcome<usize> {
        Ok(usize::try_from(u64::from_le_bytes(self.next()?))?)
    }

    fn double(&mut self) -> Outcome<f64> {
        Ok(f64::from_le_bytes(self.next()?))
    }
}

/// Reads a dense matrix (rows, columns, values in row-major order); keeps at most `rows` rows.
pub(crate) fn dense(path: &Path, rows: usize) -> Outcome<Dense> {
    let bytes = read(path)?;
    let mut numbers = Numbers { rest: &bytes };
    let (there, cols) = (numbers.whole()?, numbers.whole()?);
    let rows = rows.min(there);
    let values = (0..rows * cols).map(|_| numbers.double()).collect::<Outcome<Vec<f64>>>()?;
    Ok(Dense::new(rows, cols, values)?)
}

/// Reads a sparse matrix: rows, dimension, number of values; offsets, indices, values.
pub(crate) fn sparse(path: &Path) -> Outcome<Sparse> {
    let bytes = read(path)?;
    let mut numbers = Numbers { rest: &bytes };
    let (rows, dim, stored) = (numbers.whole()?, numbers.whole()?, numbers.whole()?);
    let offsets = (0..=rows).map(|_| numbers.whole()).collect::<Outcome<Vec<_>>>()?;
    let indices = (0..stored).map(|_| Ok(u32::try_from(numbers.whole()?)?)).collect::<Outcome<Vec<_>>>()?;
    let values = (0..stored).map(|_| numbers.double()).collect::<Outcome<Vec<_>>>()?;
    Ok(Sparse::new(dim, offsets, indices, values)?)
}

/// Reads a file of doubles.
pub(crate) fn doubles(path: &Path) -> Outcome<Vec<f64>> {
    Ok(read(path)?.as_chunks().0.iter().map(|b| f64::from_le_bytes(*b)).collect())
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()).into())
}
