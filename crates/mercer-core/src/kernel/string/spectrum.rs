//! Words that two strings share: of one length, or of all lengths up to one.

use std::fmt;

use super::kmers::{LONGEST, Words};
use super::{ALPHABET, COMPLEMENT, Counting, Describe, STRINGS, words_of};
use crate::data::Alphabet;
use crate::error::Result;
use crate::kernel::counts::Bag;
use crate::kernel::{Definiteness, Domain, Facts, Parameter};

/// The inner product of the numbers of words of length k: how many pairs of equal words two strings have.
///
/// k(x, y) = Σ_w c_w(x)·c_w(y) over all words w of k letters. Counts are exact. A string of fewer than k letters has no
/// words, so that its similarity to everything is 0.
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::Spectrum};
/// let strings: Strings = ["acagcagta", "cagcag", "c"].into_iter().collect();
/// let k = Engine::new().gram(&Spectrum::new(3)?, &strings)?;
/// // aca, 2 cag, agc, gca, agt, gta against 2 cag, agc, gca.
/// assert_eq!(k.values(), [9.0, 6.0, 0.0, 6.0, 6.0, 0.0, 0.0, 0.0, 0.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Leslie, Eskin & Noble 2002, The spectrum kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spectrum {
    k: usize,
    words: Words,
}

/// The sum of the spectrum kernels of lengths 1 to k.
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::BlendedSpectrum};
/// let strings: Strings = ["aab", "ab"].into_iter().collect();
/// let k = Engine::new().gram(&BlendedSpectrum::new(2)?, &strings)?;
/// // 2 a, b, aa, ab against a, b, ab.
/// assert_eq!(k.values(), [7.0, 4.0, 4.0, 3.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Shawe-Taylor & Cristianini 2004, Kernel methods for pattern analysis, section 11.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlendedSpectrum {
    k: usize,
    words: Words,
}

/// The length of words.
pub(super) const fn length(default: &'static str, doc: &'static str) -> Parameter {
    Parameter { name: "k", default, domain: Domain::Whole(1, LONGEST), doc, alias: None }
}

/// What kernels that count words share: their construction and printed form.
macro_rules! of_words {
    ($type:ident, $name:literal, $shortest:expr) => {
        impl $type {
            /// Words of letters of any alphabet; k must be from 1 to 4096.
            pub fn new(k: usize) -> Result<Self> {
                Domain::Whole(1, LONGEST).check("k", k as f64)?;
                Ok($type { k, words: Words { alphabet: Alphabet::Unicode, complement: false } })
            }

            /// The same kernel on words of an alphabet; with `complement` a word and its reverse complement are one
            /// feature, for DNA and RNA.
            pub fn over(self, alphabet: Alphabet, complement: bool) -> Result<Self> {
                Ok($type { words: words_of(alphabet, complement)?, ..self })
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{}(k={}, {})", $name, self.k, self.words)
            }
        }

        impl super::OnStrings for $type {
            fn alphabet(&self) -> Alphabet {
                self.words.alphabet
            }

            fn shortest(&self) -> usize {
                let shortest: fn(usize) -> usize = $shortest;
                shortest(self.k)
            }
        }
    };
}

pub(super) use of_words;

of_words!(Spectrum, "spectrum", |k| k);
of_words!(BlendedSpectrum, "blended-spectrum", |_| 1);

impl Spectrum {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "spectrum",
        summary: "Words of length k that two strings share, counted.",
        formula: "Σ_w c_w(x)·c_w(y), |w| = k",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[length("3", "how many letters a word has"), ALPHABET, COMPLEMENT],
        cost: "the words both have; |x| for each string before",
        reference: "Leslie, Eskin & Noble 2002, The spectrum kernel",
        example: "spectrum(k=5)",
    };
}

impl BlendedSpectrum {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "blended-spectrum",
        summary: "Words of at most k letters that two strings share, counted.",
        formula: "Σ_w c_w(x)·c_w(y), 1 ≤ |w| ≤ k",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[length("3", "how many letters the longest word has"), ALPHABET, COMPLEMENT],
        cost: "the words both have; k·|x| for each string before",
        reference: "Shawe-Taylor & Cristianini 2004, section 11.2",
        example: "blended-spectrum(k=4)",
    };
}

impl Counting for Spectrum {
    fn count(&self, codes: &[u32], bag: &mut Bag) {
        self.words.each(codes, self.k..=self.k, |key, _, _| bag.add(key));
    }

    fn describe(&self, codes: &[u32], visit: Describe<'_>) {
        super::describe_words(self.words, codes, self.k..=self.k, visit);
    }
}

impl Counting for BlendedSpectrum {
    fn count(&self, codes: &[u32], bag: &mut Bag) {
        self.words.each(codes, 1..=self.k, |key, _, _| bag.add(key));
    }

    fn describe(&self, codes: &[u32], visit: Describe<'_>) {
        super::describe_words(self.words, codes, 1..=self.k, visit);
    }
}
