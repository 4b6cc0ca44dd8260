//! Strings in contiguous memory.

/// A list of strings, stored one after the other: the input of kernels on strings.
///
/// ```
/// use mercer_core::data::Strings;
/// let strings: Strings = ["acgt", "gatt", ""].into_iter().collect();
/// assert_eq!((strings.len(), strings.get(1), strings.get(2)), (3, "gatt", ""));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Strings {
    text: String,
    ends: Vec<usize>,
}

impl Strings {
    /// The number of strings.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// String i; empty beyond the last.
    pub fn get(&self, i: usize) -> &str {
        let start = if i == 0 { 0 } else { self.ends.get(i - 1).copied().unwrap_or(self.text.len()) };
        let end = self.ends.get(i).copied().unwrap_or(self.text.len());
        self.text.get(start..end).unwrap_or("")
    }

    /// The strings in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    /// Adds a string.
    pub fn push(&mut self, text: &str) {
        self.text.push_str(text);
        self.ends.push(self.text.len());
    }

    /// The chosen strings, in the given order.
    pub fn select(&self, chosen: &[usize]) -> Self {
        chosen.iter().map(|&i| self.get(i)).collect()
    }

    /// The total number of bytes.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }
}

impl<S: AsRef<str>> FromIterator<S> for Strings {
    fn from_iter<I: IntoIterator<Item = S>>(strings: I) -> Self {
        let mut out = Strings::default();
        strings.into_iter().for_each(|s| out.push(s.as_ref()));
        out
    }
}
