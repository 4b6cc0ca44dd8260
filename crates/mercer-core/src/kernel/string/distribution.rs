//! Distributions of letters and words within a string.

use std::fmt;

use super::kmers::{LONGEST, Words};
use super::spectrum::{length, of_words};
use super::{ALPHABET, COMPLEMENT, Counting, Describe, STRINGS, words_of};
use crate::data::Alphabet;
use crate::error::Result;
use crate::kernel::counts::Bag;
use crate::kernel::{Definiteness, Domain, Facts};

/// The inner product of the distributions of letters: the probability that a letter of x and a letter of y are equal.
///
/// P_x(a) is the share of letter a in x, and k(x, y) = Σ_a P_x(a)·P_y(a). An empty string has no distribution, and
/// similarity 0.
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::{Explicit, string::SymbolDistribution}};
/// let strings: Strings = ["ACAGCAGTA"].into_iter().collect();
/// let features = SymbolDistribution::new().features(&strings)?;
/// let shares = features.values.to_dense();
/// for (letter, count) in [("A", 4.0), ("C", 2.0), ("G", 2.0), ("T", 1.0)] {
///     let at = features.names.iter().position(|name| name == letter).unwrap();
///     assert_eq!(shares.values()[at], count / 9.0);
/// }
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolDistribution {
    words: Words,
}

/// The inner product of the distributions of all words of at most k letters.
///
/// P_x(w) is the share of word w among all words of x of 1 to k letters, and k(x, y) = Σ_w P_x(w)·P_y(w).
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::WordDistribution};
/// let strings: Strings = ["aab", "ab"].into_iter().collect();
/// let k = Engine::new().gram(&WordDistribution::new(2)?, &strings)?;
/// assert_eq!(k.at(0, 1), 4.0 / (5.0 * 3.0)); // 2 a, b, aa, ab of 5 words and a, b, ab of 3
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WordDistribution {
    k: usize,
    words: Words,
}

impl Default for SymbolDistribution {
    fn default() -> Self {
        SymbolDistribution::new()
    }
}

impl SymbolDistribution {
    /// Letters of any alphabet.
    pub fn new() -> Self {
        SymbolDistribution { words: Words { alphabet: Alphabet::Unicode, complement: false } }
    }

    /// The same kernel on letters of an alphabet; with `complement` a letter and its complement are one.
    pub fn over(self, alphabet: Alphabet, complement: bool) -> Result<Self> {
        Ok(SymbolDistribution { words: words_of(alphabet, complement)? })
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "symbol-distribution",
        summary: "The distributions of letters in two strings, as an inner product.",
        formula: "Σ_a P_x(a)·P_y(a), P_x(a) the share of letter a in x",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[ALPHABET, COMPLEMENT],
        cost: "the letters both have; |x| for each string before",
        reference: "Shawe-Taylor & Cristianini 2004, section 11.2",
        example: "symbol-distribution",
    };
}

impl fmt::Display for SymbolDistribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "symbol-distribution({})", self.words)
    }
}

impl super::OnStrings for SymbolDistribution {
    fn alphabet(&self) -> Alphabet {
        self.words.alphabet
    }

    fn shortest(&self) -> usize {
        1
    }
}

of_words!(WordDistribution, "word-distribution", |_| 1);

impl WordDistribution {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "word-distribution",
        summary: "The distributions of words of at most k letters in two strings, as an inner product.",
        formula: "Σ_w P_x(w)·P_y(w), P_x(w) the share of w among the words of x of 1 to k letters",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[length("2", "how many letters the longest word has"), ALPHABET, COMPLEMENT],
        cost: "the words both have; k·|x| for each string before",
        reference: "Shawe-Taylor & Cristianini 2004, section 11.2",
        example: "word-distribution(k=3)",
    };
}

impl Counting for SymbolDistribution {
    const SHARES: bool = true;

    fn count(&self, codes: &[u32], bag: &mut Bag) {
        self.words.each(codes, 1..=1, |key, _, _| bag.add(key));
    }

    fn describe(&self, codes: &[u32], visit: Describe<'_>) {
        super::describe_words(self.words, codes, 1..=1, visit);
    }
}

impl Counting for WordDistribution {
    const SHARES: bool = true;

    fn count(&self, codes: &[u32], bag: &mut Bag) {
        self.words.each(codes, 1..=self.k, |key, _, _| bag.add(key));
    }

    fn describe(&self, codes: &[u32], visit: Describe<'_>) {
        super::describe_words(self.words, codes, 1..=self.k, visit);
    }
}
