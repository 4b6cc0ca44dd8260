//! Infers the type of a column from its first values.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::super::build::{Cell, truth};
use super::super::number::{self, Number};
use crate::data::Kind;

/// Statistics about the first values of a column.
#[derive(Debug, Default)]
pub(super) struct Profile {
    /// Numbers, and values meant as numbers: `nan`, `1e999`, `1,5`.
    numbers: u32,
    /// Texts of three words or more.
    sentences: u32,
    /// Texts that are `true` or `false`, in any case.
    truths: u32,
    /// The hash of each text. A table may have half a million columns, so a profile must be small: the texts
    /// themselves, or a set of them, would take many times the size of the sample.
    texts: Vec<u64>,
}

impl Profile {
    pub(super) fn add(&mut self, cell: &Cell<'_>) {
        if is_missing(cell) {
            return;
        }
        match number::parse(&cell.text) {
            Number::Text => {
                self.truths += u32::from(truth(&cell.text).is_some());
                self.sentences += u32::from(cell.text.split_whitespace().nth(2).is_some());
                let mut hasher = DefaultHasher::new();
                cell.text.hash(&mut hasher);
                // The initial capacity is enough for the sample of a very wide table; growing would fragment memory.
                if self.texts.is_empty() {
                    self.texts.reserve_exact(8);
                }
                self.texts.push(hasher.finish());
            }
            _ => self.numbers += 1,
        }
    }

    /// Whether there was any value.
    pub(super) fn is_known(&self) -> bool {
        self.numbers > 0 || !self.texts.is_empty()
    }

    /// Whether all values are `true` or `false`, which are read as 1 and 0, as in NumPy, Parquet and data frames.
    pub(super) fn is_truth(&self) -> bool {
        self.numbers == 0 && self.truths > 0 && self.truths as usize == self.texts.len()
    }

    /// Numbers if more values are (or are meant as) numbers than text; text if most values have three words or more;
    /// categories if there are at most two distinct values or at most half as many as values; strings otherwise. A
    /// column without any value counts as numbers, so that a later text is detected.
    pub(super) fn kind(&self) -> Kind {
        let (numbers, texts) = (self.numbers as usize, self.texts.len());
        if numbers > texts || numbers + texts == 0 {
            return Kind::Numbers;
        }
        let mut distinct = self.texts.clone();
        distinct.sort_unstable();
        distinct.dedup();
        if 2 * self.sentences as usize > texts {
            Kind::Text
        } else if distinct.len() <= 2 || 2 * (distinct.len() + numbers) <= numbers + texts {
            Kind::Categories
        } else {
            Kind::Strings
        }
    }
}

/// Whether a cell is a missing value: empty, `?`, `NA`, `N/A` or `null`, in any case.
pub(in super::super) fn is_missing(cell: &Cell<'_>) -> bool {
    match cell.text.as_bytes() {
        [] | [b'?'] => true,
        [b'n' | b'N', b'a' | b'A'] => true,
        [b'n' | b'N', b'/', b'a' | b'A'] => true,
        word => word.eq_ignore_ascii_case(b"null"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::borrow::Cow;

    fn kind(values: &[&str]) -> Kind {
        let mut profile = Profile::default();
        for v in values {
            profile.add(&Cell { offset: 0, text: Cow::Borrowed(v), quoted: false });
        }
        profile.kind()
    }

    #[test]
    fn kinds() {
        assert_eq!(kind(&["1", "2.5", "?", "x"]), Kind::Numbers);
        assert_eq!(kind(&["nan", "1,5", "x"]), Kind::Numbers);
        assert_eq!(kind(&["1,5", "2,5"]), Kind::Numbers);
        assert_eq!(kind(&["", "NA"]), Kind::Numbers);
        assert_eq!(kind(&["red", "blue", "red", "red"]), Kind::Categories);
        assert_eq!(kind(&["yes", "no"]), Kind::Categories);
        assert_eq!(kind(&["ACGT", "AAGT", "CCGT", "ACGA"]), Kind::Strings);
        assert_eq!(kind(&["the cat sat", "on the old mat", "so there"]), Kind::Text);
    }
}
