//! Decompositions of objects into parts, for convolution kernels.

use std::fmt;

use crate::data::{Column, Dataset, Dense, Values};
use crate::error::{Error, Result};
use crate::kernel::Decomposition;

/// What counts as a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Parts {
    /// Each number of the object.
    Columns,
    /// Each Unicode scalar value of its string.
    Symbols,
    /// Each word of its text, between white space.
    Words,
    /// Each substring of a fixed length.
    Substrings,
}

/// The parts of the values in some columns. The parts form a data set with the one column `part`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PartsOf {
    pub(super) parts: Parts,
    pub(super) length: usize,
    pub(super) columns: Vec<String>,
}

impl fmt::Display for PartsOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.parts {
            Parts::Columns => "columns",
            Parts::Symbols => "symbols",
            Parts::Words => "words",
            Parts::Substrings => "substrings",
        };
        write!(f, "parts={name}, length={}", self.length)
    }
}

impl Decomposition<Dataset> for PartsOf {
    type Parts = Dataset;

    fn parts(&self, objects: &Dataset) -> Result<(Dataset, Vec<usize>)> {
        match self.parts {
            Parts::Columns => {
                let vectors = objects.vectors(&self.columns)?.to_dense();
                let (n, width) = (vectors.rows(), vectors.cols());
                let starts = (0..=n).map(|i| i * width).collect();
                let parts = Values::Numbers(Dense::new(n * width, 1, vectors.values().to_vec())?);
                Ok((Dataset::new(vec![Column::new("part", parts)])?, starts))
            }
            _ => {
                let [column] = self.columns.as_slice() else {
                    return Err(Error::usage("parts of strings come from one column"));
                };
                let values = match &objects.column(column)?.values {
                    Values::Strings(v) | Values::Text(v) => v,
                    other => {
                        return Err(Error::Column {
                            name: column.clone(),
                            reason: format!("holds {}, not strings or text", other.kind()),
                            hint: None,
                        });
                    }
                };
                let (mut parts, mut starts) = (Vec::new(), vec![0]);
                for (index, value) in values.iter().enumerate() {
                    let text =
                        value.as_deref().ok_or_else(|| Error::Missing { index, column: column.clone() })?;
                    self.cut(text, &mut parts);
                    starts.push(parts.len());
                }
                Ok((Dataset::new(vec![Column::new("part", Values::Strings(parts))])?, starts))
            }
        }
    }
}

impl PartsOf {
    fn cut(&self, text: &str, parts: &mut Vec<Option<String>>) {
        match self.parts {
            Parts::Words => parts.extend(text.split_whitespace().map(|w| Some(w.to_owned()))),
            Parts::Symbols => parts.extend(text.chars().map(|c| Some(c.to_string()))),
            _ => {
                let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
                let runs = ends.windows(self.length + 1).map(|w| text[w[0]..w[self.length]].to_owned());
                parts.extend(runs.map(Some));
            }
        }
    }
}
