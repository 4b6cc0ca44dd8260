//! NumPy arrays: rows of numbers, texts, or a precomputed Gram matrix.
//!
//! The header is parsed here rather than by a crate, so that every declared size is checked against the file before
//! anything is allocated.

mod element;
mod header;
mod rows;

pub use header::header;
pub(crate) use rows::SquareFile;

use super::assemble::{self, Role};
use super::{Options, source::Source};
use crate::budget;
use crate::data::{Column, Dataset, Dense, Precomputed, Values};
use crate::error::{Code, Result, bytes};
use header::Content;

/// The largest |K_ij - K_ji| accepted, relative to the largest |K_ij|.
const ASYMMETRY: f64 = 1e-8;

/// Reads one array: rows are objects, in one column `x`; or a Gram matrix, in one column `k`.
pub(crate) fn read(source: &Source, options: &Options) -> Result<Dataset> {
    let array = Array::parse(source)?;
    let name = if options.precomputed { "k" } else { "x" };
    let role = assemble::roles(source, &[name], options)?.first().copied().unwrap_or(Role::Feature);
    let values =
        if options.precomputed { array.gram(source)? } else { array.values(source, "the array", role)? };
    assemble::assemble(source, vec![(role, Column::new(name, values))], options)
}

/// Reads any matrix of finite numbers, square or not.
pub(crate) fn read_matrix(source: &Source) -> Result<Dense> {
    let array = Array::parse(source)?;
    if array.shape.len() != 2 {
        return Err(source
            .fault(Code::NpyHeader, format!("{} dimensions, expected a matrix with 2", array.shape.len())));
    }
    let dense = array.dense(source)?;
    assemble::finite(source, "the matrix", Role::Feature, &dense)?;
    Ok(dense)
}

/// An array whose header is consistent with its bytes.
pub(crate) struct Array<'a> {
    content: Content,
    big_endian: bool,
    fortran: bool,
    shape: Vec<usize>,
    data: &'a [u8],
}

impl<'a> Array<'a> {
    /// Parses an array of 1 or 2 dimensions with at least one value, without decoding the values.
    pub(crate) fn parse(source: &Source<'a>) -> Result<Self> {
        let header = header::parse(source)?;
        let data = source.bytes.get(header.start..).unwrap_or_default();
        if !matches!(header.shape.len(), 1 | 2) {
            return Err(
                source.fault(Code::NpyHeader, format!("{} dimensions, expected 1 or 2", header.shape.len()))
            );
        }
        let count: u64 = header.shape.iter().product();
        if count == 0 {
            return Err(source.fault(Code::Empty, format!("no values: the shape is {:?}", header.shape)));
        }
        let size = match header.content {
            Content::Numbers(element) => element.size(),
            Content::Texts(texts) => texts.size,
        };
        let promised = u128::from(count) * size as u128;
        let there = data.len() as u128;
        if there < promised {
            return Err(source.fault(
                Code::NpyShort,
                format!("the header declares {promised} bytes of values, the file has {there}"),
            ));
        }
        if there > promised {
            return Err(source.fault(
                Code::NpyHeader,
                format!("{} bytes after the {promised} that the header declares", there - promised),
            ));
        }
        // The values are in memory, so each dimension fits into `usize`.
        let shape = header.shape.iter().map(|&n| n as usize).collect();
        let header::Header { content, big_endian, fortran, .. } = header;
        Ok(Array { content, big_endian, fortran, shape, data })
    }

    /// The number of objects.
    pub(crate) fn rows(&self) -> usize {
        self.shape.first().copied().unwrap_or(0)
    }

    /// The number of values per object.
    pub(crate) fn cols(&self) -> usize {
        self.shape.get(1).copied().unwrap_or(1)
    }

    /// The values in row-major order, whatever their order in the file, not checked for NaN.
    pub(crate) fn dense(&self, source: &Source) -> Result<Dense> {
        let (rows, cols) = (self.rows(), self.cols());
        let element = self.content.element(source)?;
        let number = |one: &[u8]| element.number(one, self.big_endian);
        let size = element.size();
        let mut values = Vec::new();
        let needed = self.data.len() / size;
        budget::ask("the values of an array", 8 * needed as u64)?;
        values.try_reserve_exact(needed).map_err(|_| {
            let size = bytes(needed as u64 * 8);
            source.fault(Code::MemoryPlan, format!("{size} of doubles do not fit in memory"))
        })?;
        if self.fortran && cols > 1 {
            for i in 0..rows {
                budget::check_often()?;
                values.extend((0..cols).map(|j| {
                    let at = (j * rows + i) * size;
                    number(&self.data[at..at + size])
                }));
            }
        } else {
            values.extend(self.data.chunks_exact(size).map(number));
        }
        Dense::new(rows, cols, values)
    }

    /// The texts of an array with one dimension; empty ones are missing.
    fn texts(&self, source: &Source, texts: element::Texts) -> Result<Vec<Option<String>>> {
        if self.cols() != 1 {
            let reason = format!("{} texts per object, expected one", self.cols());
            return Err(source
                .fault(Code::NpyDtype, reason)
                .with_hint("save every column as an array of its own"));
        }
        budget::ask("the texts of an array", (self.data.len() + 24 * self.rows()) as u64)?;
        let mut values = Vec::new();
        for (i, bytes) in self.data.chunks_exact(texts.size).enumerate() {
            budget::check_often()?;
            let text = texts
                .text(bytes, self.big_endian)
                .ok_or_else(|| source.fault(Code::NpyDtype, format!("value {} is not text", i + 1)))?;
            values.push(Some(text).filter(|t| !t.is_empty()));
        }
        Ok(values)
    }

    /// The values as a column for `role`; names keep all digits of whole numbers.
    pub(crate) fn values(&self, source: &Source, what: &str, role: Role) -> Result<Values> {
        let named = matches!(role, Role::Id | Role::Group);
        match self.content {
            Content::Texts(texts) if named || role == Role::Target => {
                return Ok(Values::Strings(self.texts(source, texts)?));
            }
            Content::Texts(texts) => return Ok(assemble::infer(self.texts(source, texts)?)),
            Content::Numbers(element) if named && self.cols() == 1 && element.is_whole() => {
                let text = |bytes| Some(element.text(bytes, self.big_endian));
                return Ok(Values::Strings(self.data.chunks_exact(element.size()).map(text).collect()));
            }
            Content::Numbers(_) => {}
        }
        let dense = self.dense(source)?;
        assemble::finite(source, what, role, &dense)?;
        Ok(Values::Numbers(dense))
    }

    /// The values as a Gram matrix, which must be square, finite and symmetric.
    pub(crate) fn gram(&self, source: &Source) -> Result<Values> {
        if self.shape.len() != 2 || self.rows() != self.cols() {
            let shape: Vec<_> = self.shape.iter().map(usize::to_string).collect();
            return Err(source.fault(
                Code::GramShape,
                format!("expected a square kernel matrix, got shape {}", shape.join(" × ")),
            ));
        }
        let dense = self.dense(source)?;
        assemble::finite(source, "the kernel matrix", Role::Feature, &dense)?;
        symmetric(source, &dense)?;
        Ok(Values::Precomputed(Precomputed::square(dense)?))
    }
}

/// Returns an error for the least symmetric entry, if the difference exceeds rounding.
fn symmetric(source: &Source, matrix: &Dense) -> Result<()> {
    // Square tiles keep both an entry and its mirror image in the cache.
    const TILE: usize = 64;
    let n = matrix.rows();
    let largest = matrix.values().iter().fold(0.0f64, |m, v| m.max(v.abs()));
    let mut worst = (0.0, 0, 0);
    for first in (0..n).step_by(TILE) {
        budget::check()?;
        for second in (0..=first).step_by(TILE) {
            for i in first..(first + TILE).min(n) {
                for j in second..(second + TILE).min(i) {
                    let difference = (matrix.at(i, j) - matrix.at(j, i)).abs();
                    if difference > worst.0 {
                        worst = (difference, i, j);
                    }
                }
            }
        }
    }
    let (difference, i, j) = worst;
    if difference <= ASYMMETRY * largest {
        return Ok(());
    }
    Err(source.fault(
        Code::GramSymmetry,
        format!(
            "not symmetric: entry ({0}, {1}) is {2} and entry ({1}, {0}) is {3}",
            i + 1,
            j + 1,
            matrix.at(i, j),
            matrix.at(j, i)
        ),
    ))
}

#[cfg(test)]
#[path = "npy/tests.rs"]
mod tests;
