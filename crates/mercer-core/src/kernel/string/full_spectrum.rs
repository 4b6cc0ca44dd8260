//! Substrings of all lengths that two strings share.

use super::substrings::{self, Suffixes};
use super::{ALPHABET, OnStrings, STRINGS};
use crate::data::{Alphabet, Strings};
use crate::error::{Error, Result};
use crate::kernel::{Definiteness, Domain, Facts, Kernel, Parameter, Part, declared};

/// The inner product of the counts of all substrings, of every length from 1 on.
///
/// k(x, y) = Σ_s c_s(x)·c_s(y) = Σ over the suffixes a of x and b of y of the length of their longest common prefix.
/// Counts are exact. All strings are indexed together by one suffix array, in time linear in their length. It stores 12
/// bytes per symbol and needs 28 during construction.
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::FullSpectrum};
/// let strings: Strings = ["aab", "ab"].into_iter().collect();
/// let k = Engine::new().gram(&FullSpectrum::default(), &strings)?;
/// // 2 a, b, aa, ab, aab against a, b, ab.
/// assert_eq!(k.values(), [8.0, 4.0, 4.0, 3.0]);
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Vishwanathan & Smola 2003, Fast kernels for string and tree matching.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct FullSpectrum {
    alphabet: Alphabet,
}

impl FullSpectrum {
    /// The same kernel on symbols of an alphabet.
    pub fn over(alphabet: Alphabet) -> Self {
        FullSpectrum { alphabet }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "full-spectrum",
        summary: "Number of shared substrings of all lengths.",
        formula: "Σ_s c_s(x)·c_s(y), |s| ≥ 1",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[ALPHABET],
        cost: "the shared substrings per pair; indexing is linear in the total length",
        reference: "Vishwanathan & Smola 2003, Fast kernels for string and tree matching",
        example: "normalize(full-spectrum)",
    };
}

declared!(FullSpectrum { alphabet });

/// The inner product of the counts of substrings, weighted by their length.
///
/// k(x, y) = Σ_s decay^|s|·c_s(x)·c_s(y) over substrings of `shortest` to `longest` symbols; `longest` = 0 means no
/// upper limit. With decay 1 it counts like [`FullSpectrum`] and [`BlendedSpectrum`](super::BlendedSpectrum).
///
/// ```
/// use mercer_core::{data::Strings, gram::Engine, kernel::string::Substring};
/// let strings: Strings = ["aab", "ab"].into_iter().collect();
/// let k = Engine::new().gram(&Substring::new(0.5)?, &strings)?;
/// assert_eq!(k.at(0, 1), 3.0 * 0.5 + 0.25); // 2 a and b of one symbol, ab of two
/// # Ok::<(), mercer_core::Error>(())
/// ```
///
/// Reference: Vishwanathan & Smola 2003, Fast kernels for string and tree matching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Substring {
    decay: f64,
    shortest: usize,
    longest: usize,
    alphabet: Alphabet,
}

impl Substring {
    /// Substrings of all lengths; decay must be above 0 and at most 1.
    pub fn new(decay: f64) -> Result<Self> {
        let decay = Self::FACTS.check("decay", decay)?;
        Ok(Substring { decay, shortest: 1, longest: 0, alphabet: Alphabet::Unicode })
    }

    /// The same kernel restricted to substrings of these lengths; 0 means no upper limit.
    pub fn of_lengths(self, shortest: usize, longest: usize) -> Result<Self> {
        if shortest == 0 || longest != 0 && longest < shortest {
            let domain = format!("at least 1, and at most longest = {longest} unless that is 0");
            return Err(Error::param("shortest", shortest, &domain));
        }
        Ok(Substring { shortest, longest, ..self })
    }

    /// The same kernel on symbols of an alphabet.
    #[must_use]
    pub fn over(self, alphabet: Alphabet) -> Self {
        Substring { alphabet, ..self }
    }

    /// Facts about this kernel.
    pub const FACTS: Facts = Facts {
        name: "substring",
        summary: "Shared substrings of two strings, weighted by their length.",
        formula: "Σ_s decay^|s|·c_s(x)·c_s(y), shortest ≤ |s| ≤ longest",
        takes: "strings",
        kinds: STRINGS,
        definiteness: Definiteness::PositiveSemidefinite,
        parameters: &[
            Parameter {
                name: "decay",
                default: "0.5",
                domain: Domain::Share,
                doc: "factor of the weight per symbol",
                alias: None,
            },
            Parameter {
                name: "shortest",
                default: "1",
                domain: Domain::Whole(1, 1_000_000_000),
                doc: "minimum length of a substring",
                alias: None,
            },
            Parameter {
                name: "longest",
                default: "0",
                domain: Domain::Whole(0, 1_000_000_000),
                doc: "maximum length of a substring; 0 for no limit",
                alias: None,
            },
            ALPHABET,
        ],
        cost: "the shared substrings per pair; indexing is linear in the total length",
        reference: "Vishwanathan & Smola 2003, Fast kernels for string and tree matching",
        example: "normalize(substring(decay=0.8))",
    };

    fn weight(&self, length: usize) -> f64 {
        let counts = length >= self.shortest && (self.longest == 0 || length <= self.longest);
        if counts { self.decay.powf(length as f64) } else { 0.0 }
    }
}

declared!(Substring(decay, shortest, longest, alphabet) => {
    Ok(Substring::new(decay)?.of_lengths(shortest, longest)?.over(alphabet))
});

macro_rules! by_suffixes {
    ($kernel:ident, $shortest:expr, $weight:expr) => {
        impl OnStrings for $kernel {
            fn alphabet(&self) -> Alphabet {
                self.alphabet
            }

            fn shortest(&self) -> usize {
                let shortest: fn(&Self) -> usize = $shortest;
                shortest(self)
            }
        }

        impl Kernel<Strings> for $kernel {
            type Prepared = Suffixes;

            fn prepare(&self, strings: &Strings) -> Result<Suffixes> {
                let weight: fn(&Self, usize) -> f64 = $weight;
                Suffixes::new(strings, self.alphabet, |length| weight(self, length))
            }

            fn fill(
                &self,
                rows: Part<'_, Suffixes>,
                cols: Part<'_, Suffixes>,
                out: &mut [f64],
            ) -> Result<()> {
                substrings::fill(&rows, &cols, out)
            }

            fn diagonal(&self, of: Part<'_, Suffixes>, out: &mut [f64]) -> Result<()> {
                out.copy_from_slice(&of.set.self_similarities()[of.range]);
                Ok(())
            }

            fn definiteness(&self) -> Definiteness {
                Definiteness::PositiveSemidefinite
            }
        }
    };
}

by_suffixes!(FullSpectrum, |_| 1, |_, _| 1.0);
by_suffixes!(Substring, |k| k.shortest, |k, length| k.weight(length));
