//! k-mers that two strings share: of one length, or of all lengths up to k.

use std::ops::RangeInclusive;

use super::kmers::{LONGEST, Words};
use super::{ALPHABET, COMPLEMENT, CountsWords, STRINGS, words_of};
use crate::data::Alphabet;
use crate::error::Result;
use crate::kernel::{Definiteness, Domain, Facts, Parameter, declared};

/// The inner product of the counts of k-mers: the number of pairs of equal k-mers of two strings.
///
/// k(x, y) = Σ_w c_w(x)·c_w(y) over all k-mers w. Counts are exact. A string of fewer than k symbols has no k-mers, so
/// its similarity to every string is 0.
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

/// The parameter k.
pub(super) const fn length(default: &'static str, doc: &'static str) -> Parameter {
    Parameter { name: "k", default, domain: Domain::Whole(1, LONGEST), doc, alias: None }
}

/// The construction and printed form shared by kernels that count k-mers.
macro_rules! of_words {
    ($type:ident) => {
        impl $type {
            /// k-mers over any alphabet; k must be from 1 to 4096.
            pub fn new(k: usize) -> Result<Self> {
                $type::FACTS.check("k", k as f64)?;
                Ok($type { k, words: Words { alphabet: Alphabet::Unicode, complement: false } })
            }

            /// The same kernel on k-mers over an alphabet; with `complement` a k-mer and its reverse complement are one
            /// feature, for DNA and RNA.
            pub fn over(self, alphabet: Alphabet, complement: bool) -> Result<Self> {
                Ok($type { words: words_of(alphabet, complement)?, ..self })
            }
        }

        declared!($type { k, words });
    };
}

pub(super) use of_words;

of_words!(Spectrum);
of_words!(BlendedSpectrum);

impl Spectrum {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "spectrum",
        summary: "Number of shared k-mers.",
        formula: "Σ_w c_w(x)·c_w(y), |w| = k",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[length("3", "length of the k-mers"), ALPHABET, COMPLEMENT],
        cost: "the shared k-mers per pair; |x| once per string",
        reference: "Leslie, Eskin & Noble 2002, The spectrum kernel",
        example: "spectrum(k=5)",
    };
}

impl BlendedSpectrum {
    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "blended-spectrum",
        summary: "Number of shared substrings of at most k symbols.",
        formula: "Σ_w c_w(x)·c_w(y), 1 ≤ |w| ≤ k",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[length("3", "maximum length of the substrings"), ALPHABET, COMPLEMENT],
        cost: "the shared substrings per pair; k·|x| once per string",
        reference: "Shawe-Taylor & Cristianini 2004, section 11.2",
        example: "blended-spectrum(k=4)",
    };
}

impl CountsWords for Spectrum {
    fn words(&self) -> (Words, RangeInclusive<usize>) {
        (self.words, self.k..=self.k)
    }
}

impl CountsWords for BlendedSpectrum {
    fn words(&self) -> (Words, RangeInclusive<usize>) {
        (self.words, 1..=self.k)
    }
}
