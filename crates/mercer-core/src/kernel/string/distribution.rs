//! Distributions of symbols and substrings within a string.

use std::ops::RangeInclusive;

use super::kmers::Words;
use super::spectrum::{length, of_words};
use super::{ALPHABET, COMPLEMENT, CountsWords, STRINGS, words_of};
use crate::data::Alphabet;
use crate::error::Result;
use crate::kernel::counts::CountSimilarity;
use crate::kernel::{Definiteness, Facts, declared};

/// The inner product of the distributions of symbols: the probability that a symbol of x and a symbol of y are equal.
///
/// P_x(a) is the share of symbol a in x, and k(x, y) = Σ_a P_x(a)·P_y(a). An empty string has similarity 0 to every
/// string.
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::{FeatureMap, string::SymbolDistribution}};
/// let strings: Strings = ["ACAGCAGTA"].into_iter().collect();
/// let features = SymbolDistribution::new().features(&strings)?;
/// let shares = features.values.to_dense();
/// for (symbol, count) in [("A", 4.0), ("C", 2.0), ("G", 2.0), ("T", 1.0)] {
///     let at = features.names.iter().position(|name| name == symbol).unwrap();
///     assert_eq!(shares.values()[at], count / 9.0);
/// }
/// # Ok::<(), mercer_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SymbolDistribution {
    words: Words,
}

/// The inner product of the distributions of all substrings of at most k symbols.
///
/// P_x(w) is the share of substring w among all substrings of x of 1 to k symbols, and k(x, y) = Σ_w P_x(w)·P_y(w).
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::WordDistribution};
/// let strings: Strings = ["aab", "ab"].into_iter().collect();
/// let k = Engine::new().gram(&WordDistribution::new(2)?, &strings)?;
/// assert_eq!(k.at(0, 1), 4.0 / (5.0 * 3.0)); // 2 a, b, aa, ab of 5 substrings and a, b, ab of 3
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
    /// Symbols of any alphabet.
    pub fn new() -> Self {
        SymbolDistribution { words: Words { alphabet: Alphabet::Unicode, complement: false } }
    }

    /// The same kernel on symbols of an alphabet; with `complement` a symbol and its complement are one feature.
    pub fn over(self, alphabet: Alphabet, complement: bool) -> Result<Self> {
        Ok(SymbolDistribution { words: words_of(alphabet, complement)? })
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "symbol-distribution",
        summary: "The inner product of the symbol distributions of two strings.",
        formula: "Σ_a P_x(a)·P_y(a), P_x(a) the share of symbol a in x",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[ALPHABET, COMPLEMENT],
        cost: "the shared symbols per pair; |x| once per string",
        reference: "Shawe-Taylor & Cristianini 2004, section 11.2",
        example: "symbol-distribution",
    };
}

declared!(SymbolDistribution { words });

of_words!(WordDistribution);

impl WordDistribution {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "word-distribution",
        summary: "The inner product of the distributions of substrings of at most k symbols in two strings.",
        formula: "Σ_w P_x(w)·P_y(w), P_x(w) the share of w among the substrings of x of 1 to k symbols",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[length("2", "maximum length of the substrings"), ALPHABET, COMPLEMENT],
        cost: "the shared substrings per pair; k·|x| once per string",
        reference: "Shawe-Taylor & Cristianini 2004, section 11.2",
        example: "word-distribution(k=3)",
    };
}

impl CountsWords for SymbolDistribution {
    const SIMILARITY: CountSimilarity = CountSimilarity::Shares;

    fn words(&self) -> (Words, RangeInclusive<usize>) {
        (self.words, 1..=1)
    }
}

impl CountsWords for WordDistribution {
    const SIMILARITY: CountSimilarity = CountSimilarity::Shares;

    fn words(&self) -> (Words, RangeInclusive<usize>) {
        (self.words, 1..=self.k)
    }
}
